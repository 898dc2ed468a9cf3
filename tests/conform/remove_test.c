/* SPDX-License-Identifier: MIT */
/* Taking keys out, for the families that can. */
#include "conform/families.h"

#define FOR_EACH_REMOVER(family) \
    FOR_EACH_FAMILY(family)      \
    if (family_can(family) & NINHO_CAN_REMOVE)

static void remove_takes_out_one_copy(void **state)
{
    (void)state;
    FOR_EACH_REMOVER(family)
    {
        const ninho_spec spec = family_spec(family, 1000, .001, 0);
        ninho_filter *filter = family_filter(family, 1000, .001, 0);
        uint64_t hash;
        test_where("%s", family->name);
        spec_hashes(&spec, 1, 1, &hash);
        for (uint64_t copies = 1; copies <= 4; copies++) {
            CHECK_OK(ninho_filter_add(filter, hash));
            CHECK_U64(ninho_filter_copies(filter, hash), copies);
        }
        for (uint64_t copies = 4; copies-- > 0;) {
            CHECK(ninho_filter_has(filter, hash));
            CHECK_OK(ninho_filter_remove(filter, hash));
            CHECK_U64(ninho_filter_copies(filter, hash), copies);
            CHECK_U64(ninho_filter_count(filter), copies);
        }
        CHECK(!ninho_filter_has(filter, hash));
        CHECK_STATUS(ninho_filter_remove(filter, hash), NINHO_ERR_NOT_FOUND);
        ninho_filter_free(filter);
    }
}

static void removing_what_is_not_there_changes_nothing(void **state)
{
    (void)state;
    FOR_EACH_REMOVER(family)
    {
        const ninho_spec spec = family_spec(family, 500, .01, 0);
        ninho_filter *filter = family_filter(family, 500, .01, 0);
        ninho_filter *twin = family_filter(family, 500, .01, 0);
        size_t n_absent = 0;
        test_where("%s", family->name);
        add_range(filter, &spec, 0, 500);
        add_range(twin, &spec, 0, 500);
        for (uint64_t i = ABSENT; i < ABSENT + 2000; i++) {
            uint64_t hash;
            spec_hashes(&spec, i, 1, &hash);
            if (ninho_filter_has(filter, hash))
                continue; /* a false positive: it could not know */
            CHECK_STATUS(ninho_filter_remove(filter, hash), NINHO_ERR_NOT_FOUND);
            n_absent++;
        }
        CHECK(n_absent > 1900);
        check_same_bytes(filter, twin);
        ninho_filter_free(filter);
        ninho_filter_free(twin);
    }
}

static void removing_all_leaves_a_new_filter(void **state)
{
    (void)state;
    FOR_EACH_REMOVER(family)
    {
        const ninho_spec spec = family_spec(family, 2000, .01, 0);
        ninho_filter *filter = family_filter(family, 2000, .01, 0);
        ninho_filter *fresh = family_filter(family, 2000, .01, 0);
        test_where("%s", family->name);
        add_range(filter, &spec, 0, 2000);
        for (uint64_t i = 0; i < 2000; i++) {
            uint64_t hash;
            spec_hashes(&spec, i, 1, &hash);
            CHECK_OK(ninho_filter_remove(filter, hash));
            if (i % 100 == 0)
                check_range(filter, &spec, i + 1, 2000 - (size_t)i - 1);
        }
        CHECK_U64(ninho_filter_count(filter), 0);
        check_same_bytes(filter, fresh);
        ninho_filter_free(filter);
        ninho_filter_free(fresh);
    }
}

/* Counters of four bits end at 15. One that got there has forgotten how many there were, so it
 * must never go down again: other keys may stand on it. */
static void a_saturated_counter_loses_nobody(void **state)
{
    (void)state;
    FOR_EACH_REMOVER(family)
    {
        const ninho_spec spec = family_spec(family, 200, .01, 0);
        ninho_filter *filter = family_filter(family, 200, .01, 0);
        uint64_t hashes[200];
        test_where("%s", family->name);
        spec_hashes(&spec, 0, 200, hashes);
        add_range(filter, &spec, 0, 200);
        for (size_t key = 0; key < 5; key++) {
            uint64_t n_copies = 0;
            for (; n_copies < 20; n_copies++)
                if (ninho_filter_add(filter, hashes[key]))
                    break;
            CHECK(n_copies == 20 || (family_has_places(family) && n_copies >= 3));
            CHECK(ninho_filter_copies(filter, hashes[key]) >= n_copies + 1);
            for (uint64_t i = 0; i < n_copies; i++) {
                const ninho_status status = ninho_filter_remove(filter, hashes[key]);
                CHECK(status == NINHO_OK);
                check_range(filter, &spec, 0, 200);
            }
        }
        CHECK_OK(ninho_filter_verify(filter, NULL));
        ninho_filter_free(filter);
    }
}

/* Two keys on the same cells: with one counter there is nothing but collisions. */
static void colliding_keys_are_counted_apart(void **state)
{
    (void)state;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;

    spec.kind = NINHO_COUNTING;
    spec.capacity = 10;
    spec.n_bits = 1;
    spec.n_hashes = 1;
    test_where("one counter");
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    for (uint64_t i = 1; i <= 14; i++) {
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
        CHECK_U64(ninho_filter_copies(filter, mix64(99)), i);
    }
    for (uint64_t i = 14; i-- > 0;) {
        CHECK_OK(ninho_filter_remove(filter, mix64(i)));
        CHECK_U64(ninho_filter_copies(filter, mix64(99)), i);
    }
    CHECK(!ninho_filter_has(filter, mix64(1)));
    for (int i = 0; i < 15; i++)
        CHECK_OK(ninho_filter_add(filter, 5));
    CHECK_U64(ninho_filter_copies(filter, 5), UINT64_MAX);
    for (int i = 0; i < 100; i++)
        ninho_filter_remove(filter, 5);
    CHECK(ninho_filter_has(filter, 5));
    CHECK_U64(ninho_filter_copies(filter, 5), UINT64_MAX);
    ninho_filter_free(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remove_takes_out_one_copy),
        cmocka_unit_test(removing_what_is_not_there_changes_nothing),
        cmocka_unit_test(removing_all_leaves_a_new_filter),
        cmocka_unit_test(a_saturated_counter_loses_nobody),
        cmocka_unit_test(colliding_keys_are_counted_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
