/* SPDX-License-Identifier: MIT */
/* The keys: 16 bytes each, made from numbers, so that any machine measures the same ones. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

uint64_t mix64(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15); /* so that 0 does not stay 0 */
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The first eight bytes are different for every number, so the keys are. */
static void make_key(uint64_t number, uint8_t key[KEY_BYTES])
{
    const uint64_t halves[2] = {mix64(number), mix64(~number)};

    memcpy(key, halves, KEY_BYTES);
}

static struct key_array make_keys(uint64_t first, size_t n)
{
    struct key_array keys = {allocate(n, KEY_BYTES), n};

    for (size_t i = 0; i < n; i++)
        make_key(first + i, keys.bytes + i * KEY_BYTES);
    return keys;
}

static void swap_keys(uint8_t *a, uint8_t *b)
{
    uint8_t kept[KEY_BYTES];

    memcpy(kept, a, KEY_BYTES);
    memmove(a, b, KEY_BYTES);
    memcpy(b, kept, KEY_BYTES);
}

static void shuffle_keys(struct key_array *keys)
{
    for (size_t i = keys->n; i > 1; i--) {
        const size_t j = (size_t)(mix64(i) % i);
        swap_keys(keys->bytes + (i - 1) * KEY_BYTES, keys->bytes + j * KEY_BYTES);
    }
}

struct workload make_workload(size_t n, double fpr, ninho_pages pages)
{
    struct workload workload = {.fpr = fpr, .pages = pages};

    workload.members = make_keys(0, n);
    workload.hits = make_keys(0, n);
    shuffle_keys(&workload.hits);
    workload.absent = make_keys(n, n);
    return workload;
}

void free_workload(struct workload *workload)
{
    free(workload->members.bytes);
    free(workload->hits.bytes);
    free(workload->absent.bytes);
}
