/* SPDX-License-Identifier: MIT */
/* Sorting hashes, beside qsort: hashes of keys are even, but who chooses the keys can make them
 * anything. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Sorts a copy of them in each way there is. */
static void check_sort(const uint64_t *hashes, size_t n)
{
    const size_t size = n * sizeof *hashes;
    uint64_t *expected = malloc(size + 1), *sorted = malloc(size + 1);
    size_t ends[256], start = 0, n_distinct = 0;

    CHECK(expected && sorted);
    memcpy(expected, hashes, size);
    qsort(expected, n, sizeof *expected, ascending);

    memcpy(sorted, hashes, size);
    ninho_hash_sort(sorted, n);
    CHECK(memcmp(sorted, expected, size) == 0);

    memcpy(sorted, hashes, size);
    ninho_hash_partition(sorted, n, ends);
    for (unsigned byte = 0; byte < 256; start = ends[byte++]) {
        for (size_t i = start; i < ends[byte]; i++)
            CHECK_U64(sorted[i] >> 56, byte);
        ninho_hash_sort(sorted + start, ends[byte] - start);
    }
    CHECK_U64(start, n);
    CHECK(memcmp(sorted, expected, size) == 0);

    for (size_t i = 0; i < n; i++)
        if (i == 0 || expected[i] != expected[n_distinct - 1])
            expected[n_distinct++] = expected[i];
    memcpy(sorted, hashes, size);
    CHECK_U64(ninho_hash_sort_unique(sorted, n), n_distinct);
    CHECK(memcmp(sorted, expected, n_distinct * sizeof *expected) == 0);
    free(expected);
    free(sorted);
}

/* On both sides of each change of method, and what several digits of it leave. */
static const size_t sizes[] = {0,    1,     2,     32,    33,     64,
                               65,   1023,  1536,  1537,  3073,   5000,
                               5001, 16000, 32769, 39062, 256000, 700000};

static void sorts_whatever_there_is(void **state)
{
    static const uint64_t masks[] = {UINT64_MAX,
                                     0,
                                     1,
                                     UINT64_C(0xFF),
                                     UINT64_C(0xFFFF),
                                     UINT64_C(0xFFFFFFFFFFFF),
                                     UINT64_C(0xFFFFFFFFFFFFFF),
                                     UINT64_C(0xFF00000000000000),
                                     UINT64_C(0x00FFF00000000000),
                                     UINT64_C(0xF0000FFF00000001)};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n = sizes[s] > 40000 ? test_scaled(sizes[s], 40000) : sizes[s];
        uint64_t *hashes = malloc((n + 1) * sizeof *hashes);
        CHECK(hashes);
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
            test_where("%zu hashes that differ in %016llx", n,
                       (unsigned long long)masks[m]);
            for (size_t i = 0; i < n; i++)
                hashes[i] = UINT64_C(0x5A5A5A5A5A5A5A5A) ^ (mix64(i) & masks[m]);
            check_sort(hashes, n);
        }
        free(hashes);
    }
}

/* Half of the hashes part from the others at each bit: the deepest calls there can be. */
static void sorts_hashes_that_were_chosen(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n = sizes[s] > 40000 ? test_scaled(sizes[s], 40000) : sizes[s];
        uint64_t *hashes = malloc((n + 1) * sizeof *hashes);
        CHECK(hashes);
        test_where("%zu hashes, halved at each bit", n);
        for (size_t i = 0; i < n; i++) {
            const uint64_t random = mix64(i);
            unsigned zeros = 0;
            while (zeros < 63 && !(random >> zeros & 1))
                zeros++;
            hashes[i] = mix64(random) >> zeros;
        }
        check_sort(hashes, n);
        test_where("%zu hashes, all but a few equal", n);
        for (size_t i = 0; i < n; i++)
            hashes[i] = i % 97 ? UINT64_C(1) << 63 : mix64(i);
        check_sort(hashes, n);
        test_where("%zu hashes in descending order", n);
        for (size_t i = 0; i < n; i++)
            hashes[i] = n - i;
        check_sort(hashes, n);
        free(hashes);
    }
}

/* The numbers that the inventors' program gives for the seed 1234567. */
static void splitmix64_is_what_others_call_so(void **state)
{
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
        UINT64_C(16408922859458223821)};
    uint64_t random = 1234567;

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        CHECK_U64(ninho_splitmix64(&random), expected[i]);
    CHECK_U64(ninho_mix64(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_whatever_there_is),
        cmocka_unit_test(sorts_hashes_that_were_chosen),
        cmocka_unit_test(splitmix64_is_what_others_call_so)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
