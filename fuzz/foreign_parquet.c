/* SPDX-License-Identifier: MIT */
/* Parquet files from anywhere: whatever the bytes are, they are refused with a sentence or answer. */
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct file file = {.bytes = bytes, .size = size};
    const ninho_parquet_source source = {
        .context = &file, .size = size, .read = read_file};
    ninho_parquet *parquet = NULL;
    const ninho_filter *filter;
    ninho_view view;
    ninho_error error = {0};
    size_t used;
    uint64_t hash;

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
        MUST(ninho_parquet_find(parquet, column->path) <= c);
        (void)ninho_parquet_hash(column, (const char *)bytes, size < 40 ? size : 40,
                                 &hash, &error);
        for (size_t g = 0; g < n_groups && g < 16; g++)
            if (!ninho_parquet_filter(parquet, g, c, &filter, &error) && filter)
                (void)ninho_filter_has(filter, c * UINT64_C(0x9e3779b97f4a7c15));
    }
    ninho_parquet_free(parquet);
    return 0;
}
