/* SPDX-License-Identifier: MIT */
/* The keys: 16 bytes each, made from numbers, so that any machine measures the same ones. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* The first eight bytes are different for every number, so the keys are. */
static void make_key(uint64_t number, uint8_t key[KEY_BYTES])
{
    const uint64_t halves[2] = {mix64(number), mix64(~number)};

    memcpy(key, halves, KEY_BYTES);
}

/* n keys, of the numbers that begin at `first` and follow each other by `step`, modulo `of`. */
static struct key_array make_keys(uint64_t first, uint64_t step, uint64_t of, size_t n)
{
    struct key_array keys = {allocate(n, KEY_BYTES), n};
    uint64_t number = 0;

    for (size_t i = 0; i < n; i++, number = (number + step) % of)
        make_key(first + number, keys.bytes + i * KEY_BYTES);
    return keys;
}

/* A step that leads through all numbers below n, far from one to the next: the first one after the
 * golden section of n that has no divisor in common with it. */
static uint64_t scattering_step(uint64_t n)
{
    assert(n > 0);
    for (uint64_t step = n - (uint64_t)(0.381966 * (double)n);; step++) {
        uint64_t a = step;
        uint64_t b = n;
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return step % n;
    }
}

struct workload make_workload(size_t n, size_t most_lookups, double fpr,
                              ninho_pages pages)
{
    const size_t n_lookups = n < most_lookups ? n : most_lookups;

    return (struct workload){
        .fpr = fpr,
        .pages = pages,
        .members = make_keys(0, 1, n, n),
        .hits = make_keys(0, scattering_step(n), n, n_lookups),
        .absent = make_keys(n, 1, n, n_lookups),
    };
}

void free_workload(struct workload *workload)
{
    free(workload->members.bytes);
    free(workload->hits.bytes);
    free(workload->absent.bytes);
}
