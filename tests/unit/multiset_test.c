/* SPDX-License-Identifier: MIT */
/* The twin that long tests trust, beside an array that is indexed by the key. */
#include "support/multiset.h"

#include <string.h>

#include "support/test.h"

enum { N_KEYS = 1000 };

static void check_all(const struct multiset *set, const uint64_t *copies)
{
    uint64_t n_keys = 0, n_distinct = 0;

    for (uint64_t key = 0; key < N_KEYS; key++) {
        CHECK_U64(multiset_copies(set, key), copies[key]);
        n_keys += copies[key];
        n_distinct += copies[key] != 0;
    }
    CHECK_U64(set->n_keys, n_keys);
    CHECK_U64(set->n_distinct, n_distinct);
    for (size_t i = 0; i < set->n_distinct; i++)
        CHECK_U64(set->entries[i].copies, copies[set->entries[i].key]);
}

static void the_twin_counts_as_an_array_does(void **state)
{
    const size_t n_steps = test_scaled(300000, 30000);
    uint64_t copies[N_KEYS] = {0};
    struct test_rng rng = {test_seed(21)};
    struct multiset set, copy;

    (void)state;
    multiset_init(&set);
    for (size_t step = 0; step < n_steps; step++) {
        /* Waves, so that it is crowded and nearly empty by turns. */
        const bool is_filling = step / 3000 % 2 == 0;
        const uint64_t key = rng_below(&rng, step / 6000 % 2 ? N_KEYS : 40);
        if (rng_below(&rng, 10) < (is_filling ? 8 : 2))
            CHECK_U64(multiset_add(&set, key), ++copies[key]);
        else if (copies[key])
            CHECK_U64(multiset_take(&set, key), --copies[key]);
        CHECK_U64(multiset_copies(&set, key), copies[key]);
        if (step % 997 == 0)
            check_all(&set, copies);
    }
    multiset_copy(&copy, &set);
    multiset_clear(&set);
    check_all(&copy, copies);
    memset(copies, 0, sizeof copies);
    check_all(&set, copies);
    multiset_free(&copy);
    multiset_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_twin_counts_as_an_array_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
