/* SPDX-License-Identifier: MIT */
/* The metadata of a Parquet file: its columns, its row groups, and where the filters are.
 *
 *     FileMetaData   2 schema: list of SchemaElement    4 row groups: list
 *     RowGroup       1 chunks: list    3 rows
 *     ColumnChunk    1 file, where it is another    3 metadata    8 how it is encrypted, where it is
 *     ColumnMetaData 14 offset and 15 length of the filter
 */
#include <stdlib.h>
#include <string.h>

#include "parquet_inside.h"

#define MAGIC_SIZE   4
#define TRAILER_SIZE 8            /* length and magic */
#define MAX_FOOTER   (256u << 20) /* bytes of metadata */
/* The paths of all columns in proportion to the metadata: a path is made of the names on its way, so that a deep
 * tree of bytes that are there could otherwise ask for a thousand times as many. */
#define PATH_BYTES(footer_size) (UINT64_C(16) * (footer_size) + (64u << 10))

/* ---- Row groups -------------------------------------------------------------------- */

/* Fields of another type than these have are those of a writer of its own kind, as Thrift sees it: they are
 * skipped. */
static void read_chunk_metadata(struct na_reader *reader, enum nf_type type,
                                struct nf_chunk *chunk)
{
    struct nf_field field = {0};
    int64_t offset = 0, size = 0;

    if (type != NF_STRUCT)
        na_read_fail(reader);
    while (nf_read_field(reader, &field)) {
        if (field.number == 14 && field.type == NF_I64)
            offset = nf_read_integer(reader, field.type);
        else if (field.number == 15 && (field.type == NF_I32 || field.type == NF_I64))
            size = nf_read_integer(reader, field.type);
        else
            nf_skip(reader, field.type);
    }
    if (offset < 0 || size < 0)
        na_read_fail(reader);
    *chunk = (struct nf_chunk){.offset = (uint64_t)offset, .size = (uint64_t)size};
}

static void read_chunk(struct nf_reading *reading)
{
    ninho_parquet *const parquet = reading->parquet;
    struct na_reader *const reader = &reading->reader;
    struct nf_field field = {0};
    struct nf_chunk chunk = {0};
    bool is_readable = true;

    while (nf_read_field(reader, &field)) {
        if (field.number == 1 && field.type == NF_BINARY) {
            size_t size;
            (void)nf_read_binary(reader, field.type, &size);
            is_readable = is_readable && size == 0;
        } else if (field.number == 3) {
            read_chunk_metadata(reader, field.type, &chunk);
        } else {
            is_readable = is_readable && field.number != 8;
            nf_skip(reader, field.type);
        }
    }
    if (!is_readable)
        chunk = (struct nf_chunk){0};
    reading->status =
        na_array_reserve(&parquet->alloc, &parquet->chunks, sizeof chunk, 1);
    if (!reading->status)
        ((struct nf_chunk *)parquet->chunks.items)[parquet->chunks.n++] = chunk;
}

/* Each group has a chunk for every column, in the order of the schema. */
static void read_group(struct nf_reading *reading)
{
    ninho_parquet *const parquet = reading->parquet;
    struct na_reader *const reader = &reading->reader;
    struct nf_field field = {0};
    const size_t first = parquet->chunks.n;
    int64_t n_rows = 0;

    while (nf_read_field(reader, &field) && !reading->status) {
        if (field.number == 1) {
            enum nf_type element = NF_STOP;
            const size_t n = nf_read_list(reader, field.type, &element);
            if (element != NF_STRUCT || n != parquet->columns.n)
                na_read_fail(reader);
            for (size_t i = 0; i < n && !reader->is_bad && !reading->status; i++)
                read_chunk(reading);
        } else if (field.number == 3) {
            n_rows = nf_read_integer(reader, field.type);
        } else {
            nf_skip(reader, field.type);
        }
    }
    if (reading->status || reader->is_bad)
        return;
    if (parquet->chunks.n - first != parquet->columns.n || n_rows < 0) {
        na_read_fail(reader);
        return;
    }
    reading->status =
        na_array_reserve(&parquet->alloc, &parquet->rows, sizeof(uint64_t), 1);
    if (!reading->status)
        ((uint64_t *)parquet->rows.items)[parquet->rows.n++] = (uint64_t)n_rows;
}

static void read_metadata(struct nf_reading *reading)
{
    struct na_reader *const reader = &reading->reader;
    struct nf_field field = {0};
    bool has_schema = false;

    while (!reading->status && nf_read_field(reader, &field)) {
        if (field.number == 2) {
            nf_read_schema(reading, field.type);
            has_schema = true;
        } else if (field.number == 4) {
            enum nf_type element = NF_STOP;
            const size_t n = nf_read_list(reader, field.type, &element);
            if (element != NF_STRUCT && n > 0)
                na_read_fail(reader);
            for (size_t i = 0; i < n && !reader->is_bad && !reading->status; i++)
                read_group(reading);
        } else {
            nf_skip(reader, field.type);
        }
    }
    if (!reading->status && !reader->is_bad && !has_schema)
        na_read_fail(reader);
}

/* ---- The file ---------------------------------------------------------------------- */

/* Where the metadata are, and how many bytes. */
static ninho_status find_footer(const ninho_parquet_source *source, uint64_t *at,
                                size_t *size, ninho_error *error)
{
    uint8_t head[MAGIC_SIZE], trailer[TRAILER_SIZE];

    if (source->size < MAGIC_SIZE + TRAILER_SIZE)
        return na_fail(error, NINHO_ERR_FORMAT, "%llu bytes: too few for a Parquet file",
                       (unsigned long long)source->size);
    ninho_status status = source->read(source->context, 0, head, sizeof head, error);
    if (!status)
        status = source->read(source->context, source->size - TRAILER_SIZE, trailer,
                              sizeof trailer, error);
    if (status)
        return status;
    if (memcmp(trailer + 4, "PARE", MAGIC_SIZE) == 0)
        return na_fail(error, NINHO_ERR_UNSUPPORTED,
                       "the metadata are encrypted: they cannot be read");
    if (memcmp(head, "PAR1", MAGIC_SIZE) != 0 ||
        memcmp(trailer + 4, "PAR1", MAGIC_SIZE) != 0)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "no Parquet file, or one that is cut short: \"PAR1\" is missing");
    const uint32_t length = (uint32_t)trailer[0] | (uint32_t)trailer[1] << 8 |
                            (uint32_t)trailer[2] << 16 | (uint32_t)trailer[3] << 24;
    if (length > source->size - MAGIC_SIZE - TRAILER_SIZE || length > MAX_FOOTER)
        return na_fail(error, NINHO_ERR_FORMAT,
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
    struct nf_reading reading = {.parquet = parquet, .path_room = PATH_BYTES(size)};
    uint8_t *const bytes = na_alloc(&parquet->alloc, size, 1);

    if (!bytes)
        return na_fail(error, NINHO_ERR_NOMEM, "no memory for %zu bytes of metadata",
                       size);
    ninho_status status =
        parquet->source.read(parquet->source.context, at, bytes, size, error);
    if (!status) {
        reading.reader = na_reader_of(bytes, size);
        read_metadata(&reading);
        if (reading.status)
            status =
                na_fail(error, reading.status, "%s", ninho_status_text(reading.status));
        else if (reading.reader.is_bad)
            status = na_fail(error, NINHO_ERR_FORMAT,
                             "byte %llu: the metadata of the Parquet file are damaged",
                             (unsigned long long)(at + reading.reader.bad_at));
    }
    na_free(&parquet->alloc, bytes, size, 1);
    return status;
}

ninho_status ninho_parquet_open(const ninho_parquet_source *source,
                                const ninho_alloc *alloc, ninho_parquet **out,
                                ninho_error *error)
{
    const ninho_alloc own = na_allocator(alloc);
    uint64_t at;
    size_t size;

    ninho_status status = find_footer(source, &at, &size, error);
    if (status)
        return status;
    ninho_parquet *const parquet = na_alloc(&own, 1, sizeof *parquet);
    if (!parquet)
        return na_fail(error, NINHO_ERR_NOMEM, "not enough memory");
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

void ninho_parquet_free(ninho_parquet *parquet)
{
    if (!parquet)
        return;
    const ninho_alloc alloc = parquet->alloc;
    const ninho_parquet_column *columns = parquet->columns.items;

    for (size_t i = 0; i < parquet->columns.n; i++)
        na_free(&alloc, (void *)(uintptr_t)columns[i].path, strlen(columns[i].path) + 1,
                1);
    na_array_free(&alloc, &parquet->columns, sizeof *columns);
    na_array_free(&alloc, &parquet->rows, sizeof(uint64_t));
    na_array_free(&alloc, &parquet->chunks, sizeof(struct nf_chunk));
    if (parquet->filter_bytes)
        na_free(&alloc, parquet->filter_bytes, parquet->filter_size, 1);
    na_free(&alloc, parquet, 1, sizeof *parquet);
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
