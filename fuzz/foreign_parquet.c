/* SPDX-License-Identifier: MIT */
/* Parquet files from anywhere: whatever the bytes are, they are refused with a sentence or answer. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/foreign/parquet.h"
#include "target.h"

struct file {
    const uint8_t *bytes;
    size_t size;
};

static ninho_status read_file(void *context, uint64_t at, void *bytes, size_t size,
                              ninho_error *error)
{
    const struct file *file = context;

    (void)error;
    MUST(at <= file->size && size <= file->size - at);
    if (size)
        memcpy(bytes, file->bytes + at, size);
    return NINHO_OK;
}

/* A value out of the input, asked of a column in every way: a filter's block says what the filter says. */
static void ask(ninho_parquet *parquet, size_t group, size_t column,
                const ninho_parquet_value *value)
{
    const ninho_filter *filter;
    ninho_parquet_answer answer = NINHO_PARQUET_NO;
    ninho_error error = NINHO_ERROR_INIT;
    uint64_t size = 0;

    const ninho_status status =
        ninho_parquet_ask(parquet, group, column, value, &answer, &error);
    if (status) {
        MUST(error.text[0] && !strchr(error.text, '\n'));
        return;
    }
    MUST(!ninho_parquet_filter_size(parquet, group, column, &size, &error));
    MUST(!ninho_parquet_filter(parquet, group, column, &filter, &error));
    MUST(!filter == !size && !filter == (answer == NINHO_PARQUET_NO_FILTER));
    bool has = false;
    for (size_t i = 0; filter && i < value->n_hashes; i++)
        has = has || ninho_filter_has(filter, value->hashes[i]);
    MUST(has == (answer == NINHO_PARQUET_MAYBE));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct file file = {.bytes = bytes, .size = size};
    const ninho_parquet_source source = {
        .context = &file, .size = size, .read = read_file};
    ninho_parquet *parquet = NULL;
    const ninho_filter *filter;
    ninho_view view;
    ninho_error error = NINHO_ERROR_INIT;
    size_t used;

    if (ninho_parquet_view(&view, bytes, size, &used, &filter, &error) == NINHO_OK) {
        MUST(used <= size);
        (void)ninho_filter_has(filter, size);
    }
    if (ninho_parquet_open(&source, NULL, &parquet, &error)) {
        MUST(error.text[0] && !strchr(error.text, '\n'));
        return 0;
    }
    const size_t n_columns = ninho_parquet_n_columns(parquet);
    const size_t n_groups = ninho_parquet_n_groups(parquet);
    for (size_t c = 0; c < n_columns && c < 64; c++) {
        const ninho_parquet_column *column = ninho_parquet_column_at(parquet, c);
        ninho_parquet_value value = {.hashes = {c * UINT64_C(0x9e3779b97f4a7c15)},
                                     .n_hashes = 1};
        MUST(ninho_parquet_find(parquet, column->path) <= c);
        for (size_t n = 1; n < 40 && n + 4 < size; n += 7)
            if (ninho_parquet_value_of(column, (const char *)bytes + 4, n, &value,
                                       &error))
                MUST(error.text[0]);
        MUST(value.n_hashes == 1 || value.n_hashes == 2);
        for (size_t g = 0; g < n_groups && g < 16; g++)
            ask(parquet, g, c, &value);
    }
    ninho_parquet_free(parquet);
    return 0;
}
