/* SPDX-License-Identifier: MIT */
/* The metadata of a Parquet file: its leaves (columns), its row groups, and where the filters are.
 *
 *     FileMetaData   2 schema: list of SchemaElement, depth first    4 row groups: list
 *     SchemaElement  1 type  2 size of FIXED  4 name  5 children  6, 7 old meaning, scale  10 meaning
 *     RowGroup       1 chunks: list    3 rows
 *     ColumnChunk    3 metadata
 *     ColumnMetaData 1 type    14 offset and 15 length of the filter
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "parquet.h"
#include "thrift.h"

#define MAGIC_SIZE   4
#define TRAILER_SIZE 8            /* length and magic */
#define MAX_FOOTER   (256u << 20) /* bytes of metadata */
#define MAX_DEPTH    64           /* of groups in each other */
#define MAX_PATH     1024         /* bytes of a column's path */

struct chunk {
    uint64_t offset; /* of the filter; 0: none */
    uint64_t size;   /* 0: not told */
};

struct ninho_parquet {
    ninho_alloc alloc;
    ninho_parquet_source source;
    struct nf_array columns; /* ninho_parquet_column; each owns its path */
    struct nf_array rows;    /* uint64_t, one per group */
    struct nf_array chunks;  /* struct chunk, n_columns per group */
    uint8_t *filter_bytes;   /* of the filter that was asked for last */
    size_t filter_size;
    ninho_view view;
};

/* What is being read. */
struct reading {
    struct nf_reader reader;
    ninho_parquet *parquet;
    ninho_status status; /* other than a mistake in the bytes */
    char path[MAX_PATH];
    size_t n_left; /* elements of the schema that are still to come */
};

/* ---- The schema -------------------------------------------------------------------- */

/* The old way to say what values mean: ConvertedType. */
static void read_old_meaning(ninho_parquet_column *column, int64_t number)
{
    static const uint32_t bits[] = {8, 16, 32, 64};

    if (number >= 11 && number <= 18) {
        column->meaning = number <= 14 ? NINHO_PARQUET_UNSIGNED : NINHO_PARQUET_PLAIN;
        column->integer_bits = bits[(number - 11) % 4];
        return;
    }
    switch (number) {
    case 0:  /* UTF8 */
    case 4:  /* ENUM */
    case 19: /* JSON */
    case 20: /* BSON */
        column->meaning = NINHO_PARQUET_PLAIN;
        break;
    case 5:
        column->meaning = NINHO_PARQUET_DECIMAL;
        break;
    case 6:
        column->meaning = NINHO_PARQUET_DATE;
        break;
    case 7:
    case 8:
        column->meaning = NINHO_PARQUET_TIME;
        column->unit = number == 7 ? 1000 : 1000000;
        break;
    case 9:
    case 10:
        column->meaning = NINHO_PARQUET_TIMESTAMP;
        column->unit = number == 9 ? 1000 : 1000000;
        break;
    default:
        column->meaning = NINHO_PARQUET_OTHER;
    }
}

/* The unit of a time: a union of three empty structs. */
static uint64_t read_unit(struct nf_reader *reader, enum nf_type type)
{
    static const uint64_t units[] = {1000, 1000000, 1000000000};
    struct nf_field field = {0};
    uint64_t unit = 0;

    if (type != NF_STRUCT)
        nf_read_fail(reader);
    while (nf_read_field(reader, &field)) {
        if (field.number >= 1 && field.number <= 3)
            unit = units[field.number - 1];
        nf_skip(reader, field.type);
    }
    return unit;
}

/* The fields of the struct behind one choice of LogicalType. */
static void read_new_details(struct nf_reader *reader, ninho_parquet_column *column)
{
    struct nf_field field = {0};

    while (nf_read_field(reader, &field)) {
        if (column->meaning == NINHO_PARQUET_DECIMAL && field.number == 1) {
            const int64_t scale = nf_read_integer(reader, field.type);
            column->scale = scale >= 0 && scale <= 38 ? (uint32_t)scale : UINT32_MAX;
        } else if ((column->meaning == NINHO_PARQUET_TIME ||
                    column->meaning == NINHO_PARQUET_TIMESTAMP) &&
                   field.number == 2) {
            column->unit = read_unit(reader, field.type);
        } else if (column->meaning == NINHO_PARQUET_UNSIGNED && field.number == 1) {
            const int64_t bits = nf_read_integer(reader, field.type);
            column->integer_bits =
                bits == 8 || bits == 16 || bits == 64 ? (uint32_t)bits : 32;
        } else if (column->meaning == NINHO_PARQUET_UNSIGNED && field.number == 2) {
            if (field.type == NF_TRUE) /* signed; the last field there is */
                column->meaning = NINHO_PARQUET_PLAIN;
        } else {
            nf_skip(reader, field.type);
        }
    }
}

/* The new way: LogicalType, a union. */
static void read_new_meaning(struct nf_reader *reader, enum nf_type type,
                             ninho_parquet_column *column)
{
    struct nf_field field = {0};

    if (type != NF_STRUCT)
        nf_read_fail(reader);
    while (nf_read_field(reader, &field)) {
        switch (field.number) {
        case 1:  /* STRING */
        case 4:  /* ENUM */
        case 12: /* JSON */
        case 13: /* BSON */
            column->meaning = NINHO_PARQUET_PLAIN;
            break;
        case 5:
            column->meaning = NINHO_PARQUET_DECIMAL;
            break;
        case 6:
            column->meaning = NINHO_PARQUET_DATE;
            break;
        case 7:
            column->meaning = NINHO_PARQUET_TIME;
            break;
        case 8:
            column->meaning = NINHO_PARQUET_TIMESTAMP;
            break;
        case 10:
            column->meaning = NINHO_PARQUET_UNSIGNED;
            break;
        case 14:
            column->meaning = NINHO_PARQUET_UUID;
            break;
        default:
            column->meaning = NINHO_PARQUET_OTHER;
        }
        if (field.type == NF_STRUCT)
            read_new_details(reader, column);
        else
            nf_read_fail(reader);
    }
}

/* One SchemaElement. */
struct element {
    ninho_parquet_column column;
    bool has_type;
    int64_t n_children;
    const uint8_t *name;
    size_t name_size;
};

static void read_element(struct nf_reader *reader, struct element *element)
{
    struct nf_field field = {0};
    int64_t old_meaning = -1, number;
    bool has_meaning = false;

    *element = (struct element){0};
    while (nf_read_field(reader, &field)) {
        switch (field.number) {
        case 1:
            number = nf_read_integer(reader, field.type);
            if (number < 0 || number > NINHO_PARQUET_FIXED)
                nf_read_fail(reader);
            else
                element->column.type = (ninho_parquet_type)number;
            element->has_type = true;
            break;
        case 2:
            number = nf_read_integer(reader, field.type);
            element->column.fixed_size =
                number > 0 && number <= INT32_MAX ? (uint32_t)number : 0;
            break;
        case 4:
            element->name = nf_read_binary(reader, field.type, &element->name_size);
            break;
        case 5:
            element->n_children = nf_read_integer(reader, field.type);
            break;
        case 6:
            old_meaning = nf_read_integer(reader, field.type);
            break;
        case 7:
            number = nf_read_integer(reader, field.type);
            element->column.scale =
                number >= 0 && number <= 38 ? (uint32_t)number : UINT32_MAX;
            break;
        case 10:
            read_new_meaning(reader, field.type, &element->column);
            has_meaning = true;
            break;
        default:
            nf_skip(reader, field.type);
        }
    }
    if (!has_meaning && old_meaning >= 0)
        read_old_meaning(&element->column, old_meaning);
}

static void add_leaf(struct reading *reading, const struct element *element,
                     size_t path_size)
{
    ninho_parquet *const parquet = reading->parquet;
    ninho_parquet_column *columns;
    char *path;

    reading->status =
        nf_array_reserve(&parquet->alloc, &parquet->columns, sizeof *columns);
    if (reading->status)
        return;
    path = nf_alloc(&parquet->alloc, path_size + 1);
    if (!path) {
        reading->status = NINHO_ERR_NOMEM;
        return;
    }
    memcpy(path, reading->path, path_size);
    path[path_size] = '\0';
    columns = parquet->columns.items;
    columns[parquet->columns.n] = element->column;
    columns[parquet->columns.n++].path = path;
}

/* An element and what is below it. The root's name is no part of a path. */
static void read_tree(struct reading *reading, size_t path_size, unsigned depth)
{
    struct nf_reader *const reader = &reading->reader;
    struct element element;

    if (reading->n_left == 0 || depth == MAX_DEPTH) {
        nf_read_fail(reader);
        return;
    }
    reading->n_left--;
    read_element(reader, &element);
    if (reader->failed)
        return;
    if (depth > 0) {
        const size_t dot = depth > 1;
        if (element.name_size + dot > sizeof reading->path - path_size ||
            (element.name_size && memchr(element.name, '\0', element.name_size))) {
            nf_read_fail(reader);
            return;
        }
        if (dot)
            reading->path[path_size++] = '.';
        if (element.name_size)
            memcpy(reading->path + path_size, element.name, element.name_size);
        path_size += element.name_size;
    }
    if (element.has_type && element.n_children == 0) {
        add_leaf(reading, &element, path_size);
        return;
    }
    for (int64_t i = 0; i < element.n_children && !reader->failed && !reading->status;
         i++)
        read_tree(reading, path_size, depth + 1);
}

static void read_schema(struct reading *reading, enum nf_type type)
{
    enum nf_type element = NF_STOP;

    reading->n_left = nf_read_list(&reading->reader, type, &element);
    if (element != NF_STRUCT || reading->parquet->columns.n)
        nf_read_fail(&reading->reader);
    else
        read_tree(reading, 0, 0);
    if (reading->n_left && !reading->status)
        nf_read_fail(&reading->reader);
}

/* ---- Row groups -------------------------------------------------------------------- */

static void read_chunk_metadata(struct reading *reading, enum nf_type type,
                                struct chunk *chunk)
{
    struct nf_reader *const reader = &reading->reader;
    struct nf_field field = {0};
    int64_t offset = 0, size = 0;

    if (type != NF_STRUCT)
        nf_read_fail(reader);
    while (nf_read_field(reader, &field)) {
        if (field.number == 14)
            offset = nf_read_integer(reader, field.type);
        else if (field.number == 15)
            size = nf_read_integer(reader, field.type);
        else
            nf_skip(reader, field.type);
    }
    if (offset < 0 || size < 0)
        nf_read_fail(reader);
    *chunk = (struct chunk){.offset = (uint64_t)offset, .size = (uint64_t)size};
}

static void read_chunk(struct reading *reading)
{
    ninho_parquet *const parquet = reading->parquet;
    struct nf_field field = {0};
    struct chunk chunk = {0};

    while (nf_read_field(&reading->reader, &field)) {
        if (field.number == 3)
            read_chunk_metadata(reading, field.type, &chunk);
        else
            nf_skip(&reading->reader, field.type);
    }
    reading->status = nf_array_reserve(&parquet->alloc, &parquet->chunks, sizeof chunk);
    if (!reading->status)
        ((struct chunk *)parquet->chunks.items)[parquet->chunks.n++] = chunk;
}

/* Each group has a chunk for every column, in the order of the schema. */
static void read_group(struct reading *reading)
{
    ninho_parquet *const parquet = reading->parquet;
    struct nf_reader *const reader = &reading->reader;
    struct nf_field field = {0};
    const size_t first = parquet->chunks.n;
    int64_t n_rows = 0;

    while (nf_read_field(reader, &field) && !reading->status) {
        if (field.number == 1) {
            enum nf_type element = NF_STOP;
            const size_t n = nf_read_list(reader, field.type, &element);
            if (element != NF_STRUCT || n != parquet->columns.n)
                nf_read_fail(reader);
            for (size_t i = 0; i < n && !reader->failed && !reading->status; i++)
                read_chunk(reading);
        } else if (field.number == 3) {
            n_rows = nf_read_integer(reader, field.type);
        } else {
            nf_skip(reader, field.type);
        }
    }
    if (reading->status || reader->failed)
        return;
    if (parquet->chunks.n - first != parquet->columns.n || n_rows < 0) {
        nf_read_fail(reader);
        return;
    }
    reading->status = nf_array_reserve(&parquet->alloc, &parquet->rows, sizeof(uint64_t));
    if (!reading->status)
        ((uint64_t *)parquet->rows.items)[parquet->rows.n++] = (uint64_t)n_rows;
}

static void read_metadata(struct reading *reading)
{
    struct nf_reader *const reader = &reading->reader;
    struct nf_field field = {0};
    bool has_schema = false;

    while (!reading->status && nf_read_field(reader, &field)) {
        if (field.number == 2) {
            read_schema(reading, field.type);
            has_schema = true;
        } else if (field.number == 4) {
            enum nf_type element = NF_STOP;
            const size_t n = nf_read_list(reader, field.type, &element);
            if (element != NF_STRUCT && n > 0)
                nf_read_fail(reader);
            for (size_t i = 0; i < n && !reader->failed && !reading->status; i++)
                read_group(reading);
        } else {
            nf_skip(reader, field.type);
        }
    }
    if (!reading->status && !reader->failed && !has_schema)
        nf_read_fail(reader);
}

/* ---- The file ---------------------------------------------------------------------- */

/* Where the metadata are, and how many bytes. */
static ninho_status find_footer(const ninho_parquet_source *source, uint64_t *at,
                                size_t *size, ninho_error *error)
{
    uint8_t head[MAGIC_SIZE], trailer[TRAILER_SIZE];

    if (source->size < MAGIC_SIZE + TRAILER_SIZE)
        return nf_fail(error, NINHO_ERR_FORMAT, "%llu bytes: too few for a Parquet file",
                       (unsigned long long)source->size);
    ninho_status status = source->read(source->context, 0, head, sizeof head, error);
    if (!status)
        status = source->read(source->context, source->size - TRAILER_SIZE, trailer,
                              sizeof trailer, error);
    if (status)
        return status;
    if (memcmp(trailer + 4, "PARE", MAGIC_SIZE) == 0)
        return nf_fail(error, NINHO_ERR_UNSUPPORTED,
                       "the metadata are encrypted: they cannot be read");
    if (memcmp(head, "PAR1", MAGIC_SIZE) != 0 ||
        memcmp(trailer + 4, "PAR1", MAGIC_SIZE) != 0)
        return nf_fail(error, NINHO_ERR_FORMAT,
                       "no Parquet file, or one that is cut short: \"PAR1\" is missing");
    const uint32_t length = (uint32_t)trailer[0] | (uint32_t)trailer[1] << 8 |
                            (uint32_t)trailer[2] << 16 | (uint32_t)trailer[3] << 24;
    if (length > source->size - MAGIC_SIZE - TRAILER_SIZE || length > MAX_FOOTER)
        return nf_fail(error, NINHO_ERR_FORMAT,
                       "byte %llu: %lu bytes of metadata, more than the file has or than "
                       "%u",
                       (unsigned long long)(source->size - TRAILER_SIZE),
                       (unsigned long)length, MAX_FOOTER);
    *at = source->size - TRAILER_SIZE - length;
    *size = length;
    return NINHO_OK;
}

static ninho_status read_footer(ninho_parquet *parquet, uint64_t at, size_t size,
                                ninho_error *error)
{
    struct reading reading = {.parquet = parquet};
    uint8_t *const bytes = nf_alloc(&parquet->alloc, size ? size : 1);

    if (!bytes)
        return nf_fail(error, NINHO_ERR_NOMEM, "no memory for %zu bytes of metadata",
                       size);
    ninho_status status =
        parquet->source.read(parquet->source.context, at, bytes, size, error);
    if (!status) {
        nf_read_begin(&reading.reader, bytes, size);
        read_metadata(&reading);
        if (reading.status)
            status =
                nf_fail(error, reading.status, "%s", ninho_status_text(reading.status));
        else if (reading.reader.failed)
            status = nf_fail(error, NINHO_ERR_FORMAT,
                             "byte %llu: the metadata of the Parquet file are damaged",
                             (unsigned long long)(at + reading.reader.wrong));
    }
    nf_free(&parquet->alloc, bytes, size ? size : 1);
    return status;
}

ninho_status ninho_parquet_open(const ninho_parquet_source *source,
                                const ninho_alloc *alloc, ninho_parquet **out,
                                ninho_error *error)
{
    const ninho_alloc own = nf_allocator(alloc);
    uint64_t at;
    size_t size;

    ninho_status status = find_footer(source, &at, &size, error);
    if (status)
        return status;
    ninho_parquet *const parquet = nf_alloc(&own, sizeof *parquet);
    if (!parquet)
        return nf_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    memset(parquet, 0, sizeof *parquet);
    parquet->alloc = own;
    parquet->source = *source;
    status = read_footer(parquet, at, size, error);
    if (status) {
        ninho_parquet_free(parquet);
        return status;
    }
    *out = parquet;
    return NINHO_OK;
}

static void drop_filter(ninho_parquet *parquet)
{
    if (parquet->filter_bytes)
        nf_free(&parquet->alloc, parquet->filter_bytes, parquet->filter_size);
    parquet->filter_bytes = NULL;
}

void ninho_parquet_free(ninho_parquet *parquet)
{
    if (!parquet)
        return;
    const ninho_alloc alloc = parquet->alloc;
    const ninho_parquet_column *columns = parquet->columns.items;

    for (size_t i = 0; i < parquet->columns.n; i++)
        nf_free(&alloc, (void *)(uintptr_t)columns[i].path, strlen(columns[i].path) + 1);
    nf_array_free(&alloc, &parquet->columns, sizeof *columns);
    nf_array_free(&alloc, &parquet->rows, sizeof(uint64_t));
    nf_array_free(&alloc, &parquet->chunks, sizeof(struct chunk));
    drop_filter(parquet);
    nf_free(&alloc, parquet, sizeof *parquet);
}

size_t ninho_parquet_n_columns(const ninho_parquet *parquet)
{
    return parquet->columns.n;
}

const ninho_parquet_column *ninho_parquet_column_at(const ninho_parquet *parquet,
                                                    size_t index)
{
    return (const ninho_parquet_column *)parquet->columns.items + index;
}

size_t ninho_parquet_find(const ninho_parquet *parquet, const char *path)
{
    for (size_t i = 0; i < parquet->columns.n; i++)
        if (strcmp(ninho_parquet_column_at(parquet, i)->path, path) == 0)
            return i;
    return SIZE_MAX;
}

size_t ninho_parquet_n_groups(const ninho_parquet *parquet)
{
    return parquet->rows.n;
}

uint64_t ninho_parquet_n_rows(const ninho_parquet *parquet, size_t group)
{
    return ((const uint64_t *)parquet->rows.items)[group];
}

/* How many bytes to read for a filter at `offset`: what the metadata say, or else, in files that do not,
 * what the header says. */
static ninho_status size_of_filter(ninho_parquet *parquet, const struct chunk *chunk,
                                   size_t *size, ninho_error *error)
{
    const uint64_t most = NINHO_PARQUET_MAX_HEADER + NINHO_PARQUET_MAX_BLOCKS_SIZE;
    uint8_t header[NINHO_PARQUET_MAX_HEADER];
    struct nf_reader reader;
    struct nf_field field = {0};

    if (chunk->offset >= parquet->source.size)
        return nf_fail(error, NINHO_ERR_FORMAT, "a filter at byte %llu, behind the end",
                       (unsigned long long)chunk->offset);
    const uint64_t left = parquet->source.size - chunk->offset;
    *size = (size_t)(left < most ? left : most);
    if (chunk->size) {
        if (chunk->size > *size)
            return nf_fail(error, NINHO_ERR_FORMAT,
                           "a filter of %llu bytes at byte %llu: that is too many",
                           (unsigned long long)chunk->size,
                           (unsigned long long)chunk->offset);
        *size = (size_t)chunk->size;
        return NINHO_OK;
    }
    const size_t n = left < sizeof header ? (size_t)left : sizeof header;
    const ninho_status status =
        parquet->source.read(parquet->source.context, chunk->offset, header, n, error);
    if (status)
        return status;
    nf_read_begin(&reader, header, n);
    if (!nf_read_field(&reader, &field) || field.number != 1)
        return nf_fail(error, NINHO_ERR_FORMAT, "byte %llu: no Bloom filter of Parquet",
                       (unsigned long long)chunk->offset);
    const int64_t n_bytes = nf_read_integer(&reader, field.type);
    if (n_bytes >= 0 && (uint64_t)n_bytes < *size - n)
        *size = n + (size_t)n_bytes;
    return NINHO_OK;
}

ninho_status ninho_parquet_filter(ninho_parquet *parquet, size_t group, size_t column,
                                  const ninho_filter **out, ninho_error *error)
{
    const struct chunk *const chunk =
        (const struct chunk *)parquet->chunks.items + group * parquet->columns.n + column;
    ninho_error inner;
    size_t size, used;

    *out = NULL;
    if (chunk->offset == 0)
        return NINHO_OK;
    drop_filter(parquet);
    ninho_status status = size_of_filter(parquet, chunk, &size, error);
    if (status)
        return status;
    parquet->filter_bytes = nf_alloc(&parquet->alloc, size);
    if (!parquet->filter_bytes)
        return nf_fail(error, NINHO_ERR_NOMEM, "no memory for a filter of %zu bytes",
                       size);
    parquet->filter_size = size;
    status = parquet->source.read(parquet->source.context, chunk->offset,
                                  parquet->filter_bytes, size, error);
    if (status)
        return status;
    status = ninho_parquet_view(&parquet->view, parquet->filter_bytes, size, &used, out,
                                &inner);
    if (status)
        return nf_fail(error, status, "the filter at byte %llu: %s",
                       (unsigned long long)chunk->offset, inner.text);
    return NINHO_OK;
}
