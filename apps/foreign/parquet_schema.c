/* SPDX-License-Identifier: MIT */
/* The schema of a Parquet file: a tree, depth first, of which the leaves are the columns.
 *
 *     SchemaElement  1 type  2 size of FIXED  4 name  5 children  6, 7 old meaning, scale  10 meaning
 */
#include <string.h>

#include "parquet_inside.h"

#define MAX_NESTING 64 /* groups in each other */

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
static uint64_t read_unit(struct na_reader *reader, enum nf_type type)
{
    static const uint64_t units[] = {1000, 1000000, 1000000000};
    struct nf_field field = {0};
    uint64_t unit = 0;

    if (type != NF_STRUCT)
        na_read_fail(reader);
    while (nf_read_field(reader, &field)) {
        if (field.number >= 1 && field.number <= 3)
            unit = units[field.number - 1];
        nf_skip(reader, field.type);
    }
    return unit;
}

/* The fields of the struct behind one choice of LogicalType. */
static void read_new_details(struct na_reader *reader, ninho_parquet_column *column)
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
        } else if (column->meaning == NINHO_PARQUET_UNSIGNED && field.number == 2 &&
                   field.type == NF_TRUE) { /* signed; the last field there is */
            column->meaning = NINHO_PARQUET_PLAIN;
        } else {
            nf_skip(reader, field.type);
        }
    }
}

/* The new way: LogicalType, a union. */
static void read_new_meaning(struct na_reader *reader, enum nf_type type,
                             ninho_parquet_column *column)
{
    struct nf_field field = {0};

    if (type != NF_STRUCT)
        na_read_fail(reader);
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
            na_read_fail(reader);
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

static void read_element(struct na_reader *reader, struct element *element)
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
                na_read_fail(reader);
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

static void add_leaf(struct nf_reading *reading, const struct element *element,
                     size_t path_size)
{
    const ninho_alloc *const alloc = &reading->parquet->alloc;
    struct na_array *const array = &reading->parquet->columns;
    ninho_parquet_column *columns;
    char *path;

    if (path_size > reading->path_room) {
        na_read_fail(&reading->reader);
        return;
    }
    reading->path_room -= path_size;
    reading->status = na_array_reserve(alloc, array, sizeof *columns, 1);
    if (reading->status)
        return;
    path = na_alloc(alloc, path_size + 1, 1);
    if (!path) {
        reading->status = NINHO_ERR_NOMEM;
        return;
    }
    memcpy(path, reading->path, path_size);
    path[path_size] = '\0';
    columns = array->items;
    columns[array->n] = element->column;
    columns[array->n++].path = path;
}

/* An element and what is below it. The root's name is no part of a path. */
static void read_tree(struct nf_reading *reading, size_t path_size, unsigned depth)
{
    struct na_reader *const reader = &reading->reader;
    struct element element;

    if (reading->n_left == 0 || depth == MAX_NESTING) {
        na_read_fail(reader);
        return;
    }
    reading->n_left--;
    read_element(reader, &element);
    if (reader->is_bad)
        return;
    if (depth > 0) {
        const size_t dot = depth > 1;
        if (element.name_size + dot > sizeof reading->path - path_size ||
            (element.name_size && memchr(element.name, '\0', element.name_size))) {
            na_read_fail(reader);
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
    for (int64_t i = 0; i < element.n_children && !reader->is_bad && !reading->status;
         i++)
        read_tree(reading, path_size, depth + 1);
}

/* Row groups that stand before it would have chunks for other columns. */
void nf_read_schema(struct nf_reading *reading, enum nf_type type)
{
    const ninho_parquet *const parquet = reading->parquet;
    enum nf_type element = NF_STOP;

    reading->n_left = nf_read_list(&reading->reader, type, &element);
    if (element != NF_STRUCT || parquet->columns.n || parquet->rows.n)
        na_read_fail(&reading->reader);
    else
        read_tree(reading, 0, 0);
    if (reading->n_left && !reading->status)
        na_read_fail(&reading->reader);
}
