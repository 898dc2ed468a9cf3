/* SPDX-License-Identifier: MIT */
/* The tool's bag of hashes, beside qsort: hashes of keys are even, but who chooses the keys can make
 * them anything. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#undef fail /* cmocka has one, and so has the tool */
#include "cli/cli.h"
#include "cli/hashes.h"
#include "cli/memory.h"
#include "cli/threads.h"

/* What the bag needs of the tool. */
int fail_no_memory(void)
{
    return EXIT_ERROR;
}

int memory_check(const char *subject, uint64_t bytes_needed)
{
    (void)subject;
    (void)bytes_needed;
    return EXIT_YES;
}

void parallel_for(unsigned n_threads, size_t n, void (*task)(void *context, size_t i),
                  void *context)
{
    (void)n_threads;
    for (size_t i = n; i--;)
        task(context, i);
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Only the bits of `mask` differ. */
static void check_sort(size_t n, uint64_t mask)
{
    struct hash_bag bag = {0};
    uint64_t *expected = malloc((n ? n : 1) * sizeof *expected);
    size_t n_distinct = 0;

    CHECK(expected);
    test_where("%zu hashes that differ in %016llx", n, (unsigned long long)mask);
    for (size_t i = 0; i < n; i++)
        expected[i] = UINT64_C(0x5A5A5A5A5A5A5A5A) ^ (mix64(i) & mask);
    for (size_t at = 0; at < n; at += 1000)
        CHECK(hash_bag_append(&bag, expected + at, n - at < 1000 ? n - at : 1000) ==
              EXIT_YES);
    qsort(expected, n, sizeof *expected, ascending);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || expected[i] != expected[i - 1])
            expected[n_distinct++] = expected[i];
    if (n)
        hash_bag_sort(&bag, 1);
    hash_bag_drop_copies(&bag);
    CHECK_U64(bag.n, n_distinct);
    CHECK(n_distinct == 0 ||
          memcmp(bag.hashes, expected, n_distinct * sizeof *expected) == 0);
    hash_bag_free(&bag);
    free(expected);
}

static void sorts_whatever_there_is(void **state)
{
    static const size_t sizes[] = {0,    1,    2,     48,    49,     1023,
                                   1024, 5000, 32768, 32769, 200000, 700000};
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
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
            check_sort(sizes[s] > 40000 ? test_scaled(sizes[s], 40000) : sizes[s],
                       masks[m]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sorts_whatever_there_is)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
