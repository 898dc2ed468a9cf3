/* SPDX-License-Identifier: MIT */
/* A filter that we write as Parquet does, from values of any type, and read again: it answers as
 * before, and cut short or changed in front it is refused or answers, but never reads past its end.
 *
 *      0   1         2       3         4        5       6       7 ...
 *      | capacity | kind | type | meaning | scale | unit | values, each with its length before it |
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/foreign/parquet.h"
#include "mutate.h"
#include "target.h"

enum { HEAD = 7, MAX_VALUES = 40, N_ASKED = 16 };

struct values {
    uint64_t hashes[2 * MAX_VALUES];
    size_t n;
};

static void read_values(struct values *values, const ninho_parquet_column *column,
                        const uint8_t *bytes, size_t size)
{
    values->n = 0;
    for (unsigned i = 0; size > 0 && i < MAX_VALUES; i++) {
        const size_t n = bytes[0] < size - 1 ? bytes[0] : size - 1;
        ninho_parquet_value value = {.n_hashes = 0};
        ninho_error error = NINHO_ERROR_INIT;
        if (ninho_parquet_value_of(column, (const char *)bytes + 1, n, &value, &error)) {
            MUST(error.text[0] && !strchr(error.text, '\n'));
        } else {
            MUST(value.n_hashes == 1 || value.n_hashes == 2);
            for (size_t k = 0; k < value.n_hashes; k++)
                values->hashes[values->n++] = value.hashes[k];
        }
        bytes += 1 + n;
        size -= 1 + n;
    }
}

/* NULL if there is no such filter: the others are refused here, and by name when written. */
static ninho_filter *filter_of(unsigned capacity, unsigned kind)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;

    spec.kind = kind & 1 ? ninho_kind_at(kind >> 1 & 7) : NINHO_BLOCKED;
    spec.hash = kind & 16 ? NINHO_HASH_XXH3 : NINHO_HASH_XXH64;
    spec.seed = kind >> 5 & 1;
    spec.key_encoding = kind & 64 ? NINHO_KEY_HASHES : NINHO_KEY_BYTES;
    spec.capacity = 1 + capacity;
    spec.fpr = .01;
    if (!spec.kind || ninho_filter_create(&spec, NULL, &filter, NULL) != NINHO_OK)
        return NULL;
    return filter;
}

/* Bytes of exactly that size, so that a byte too far is seen. */
static void try_copy(const uint8_t *bytes, size_t size, size_t changed)
{
    uint8_t *copy = malloc(size ? size : 1);
    const ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_view view;
    size_t used = 0;

    MUST(copy);
    memcpy(copy, bytes, size);
    if (changed)
        copy[changed % 16 < size ? changed % 16 : 0] ^= (uint8_t)changed;
    if (ninho_parquet_view(&view, copy, size, &used, &filter, &error)) {
        MUST(error.text[0] && !strchr(error.text, '\n'));
    } else {
        MUST(used <= size);
        for (uint64_t i = 0; i < N_ASKED; i++)
            (void)ninho_filter_has(filter, i * UINT64_C(0x9e3779b97f4a7c15));
    }
    free(copy);
}

static void must_read_again(const ninho_filter *filter, const struct values *values,
                            const uint8_t *bytes, size_t size)
{
    const ninho_filter *viewed = NULL;
    ninho_view view;
    size_t used = 0;

    MUST(ninho_parquet_view(&view, bytes, size, &used, &viewed, NULL) == NINHO_OK);
    MUST(used == size);
    for (size_t i = 0; i < values->n; i++)
        MUST(ninho_filter_has(viewed, values->hashes[i]));
    for (uint64_t i = 0; i < N_ASKED; i++) {
        const uint64_t hash = i * UINT64_C(0x9e3779b97f4a7c15);
        MUST(ninho_filter_has(viewed, hash) == ninho_filter_has(filter, hash));
    }
    for (size_t cut = 1; cut <= 16 && cut <= size; cut++) {
        const ninho_filter *none = NULL;
        MUST(ninho_parquet_view(&view, bytes, size - cut, &used, &none, NULL));
    }
}

static void write_and_read(ninho_filter *filter, const struct values *values,
                           unsigned changed)
{
    ninho_error error = NINHO_ERROR_INIT;
    size_t size = 0, again = 0, n_added = 0;

    if (ninho_filter_add_many(filter, values->hashes, values->n, &n_added) != NINHO_OK)
        return;
    const ninho_status status = ninho_parquet_encode(filter, NULL, 0, &size, &error);
    if (status != NINHO_ERR_SPACE) {
        MUST(status == NINHO_ERR_UNSUPPORTED && error.text[0]);
        return;
    }
    uint8_t *bytes = malloc(size);
    MUST(bytes);
    MUST(ninho_parquet_encode(filter, bytes, size - 1, &again, NULL) == NINHO_ERR_SPACE);
    MUST(ninho_parquet_encode(filter, bytes, size, &again, NULL) == NINHO_OK);
    MUST(again == size);
    must_read_again(filter, values, bytes, size);
    try_copy(bytes, changed % (size + 1), 0);
    try_copy(bytes, size, 1 + changed);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const uint64_t units[] = {1000, 1000000, 1000000000};
    struct values values;

    if (size < HEAD)
        return 0;
    const ninho_parquet_column column = {
        .path = "x",
        .type = (ninho_parquet_type)(bytes[3] % 8),
        .meaning = (ninho_parquet_meaning)(bytes[4] % 8),
        .fixed_size = 1 + bytes[5] % 20,
        .scale = bytes[5] % 20,
        .unit = units[bytes[6] % 3],
        .integer_bits = 8U << (bytes[6] >> 2) % 4,
    };
    ninho_filter *filter = filter_of(bytes[0] | (unsigned)(bytes[1] & 3) << 8, bytes[2]);
    if (!filter)
        return 0;
    read_values(&values, &column, bytes + HEAD, size - HEAD);
    write_and_read(filter, &values, bytes[1] >> 2);
    ninho_filter_free(filter);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max_size,
                               unsigned seed)
{
    static const struct record_shape shape = {.at = HEAD, .n_length = 1};

    return mutate_records(bytes, size, max_size, &shape, seed);
}
