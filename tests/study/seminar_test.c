/* SPDX-License-Identifier: MIT */
/* The seminar's two filters do what the seminar describes, faults included. */
#include "seminar/seminar.h"

#include "harness/words.h"
#include "support/test.h"

static size_t n_hashed;

/* As the keys below have it. */
static uint32_t hash_of(const struct seminar_filter *filter, uint32_t fingerprint)
{
    (void)filter;
    n_hashed++;
    return fingerprint == 11    ? 4
           : fingerprint == 13  ? 7
           : fingerprint == 77  ? 7
           : fingerprint < 1000 ? 0
                                : (uint32_t)mix64(fingerprint);
}

static struct seminar_filter made(uint32_t m, uint32_t b, uint32_t max_moves,
                                  enum seminar_choice choice,
                                  enum seminar_alternate alternate)
{
    struct seminar_filter filter = {.n_buckets = m,
                                    .bucket_slots = b,
                                    .max_moves = max_moves,
                                    .choice = choice,
                                    .alternate = alternate,
                                    .random = 1,
                                    .hash = hash_of};

    seminar_create(&filter);
    return filter;
}

static void the_digest_is_cut_into_h1_fingerprint_and_its_hash(void **state)
{
    /* SHA-1 of "abc" is in its standard: a9993e36 4706816a ... */
    static const char *const texts[] = {"abcX", "ACGTX"};
    struct seminar_key key;

    (void)state;
    seminar_hash(texts, 1, 3, &key);
    assert_int_equal(key.h1, 0xa9993e36);
    assert_int_equal(key.fingerprint, 0x4706816a);
    assert_int_equal(key.hashed, 0xbb6e465a);
    seminar_hash(texts + 1, 1, 4, &key);
    assert_int_equal(key.h1, 0x2108994e);
    assert_int_equal(key.fingerprint, 0x17f6cca9);
}

/* Without a hash of the test's own: what was thrown out is hashed by SHA-1, as it was at first. */
static void a_move_hashes_the_fingerprint_again(void **state)
{
    static const char *const texts[] = {"abc", "ACG", "GGT", "TTA", "CAT"};
    struct seminar_filter filter = {.n_buckets = 4, .bucket_slots = 1, .max_moves = 50};
    struct seminar_key keys[5];

    (void)state;
    seminar_hash(texts, 5, 3, keys);
    seminar_create(&filter);
    for (size_t i = 0; i < 5; i++)
        (void)seminar_insert(&filter, &keys[i]);
    assert_true(filter.n_moves > 0);
    /* four buckets are a power of two: whatever lies in the table lies where a search looks */
    size_t n_found = 0;
    for (size_t i = 0; i < 5; i++)
        n_found += seminar_search(&filter, &keys[i]);
    assert_int_equal(n_found, filter.n_stored);
    seminar_free(&filter);
}

static void a_fingerprint_that_is_there_is_not_stored_again(void **state)
{
    struct seminar_filter filter = made(8, 2, 10, SEMINAR_ORIGINAL, SEMINAR_HASHED);
    const struct seminar_key x = {1, 77, 7};
    const struct seminar_key twin = {9, 77, 7}; /* 9 mod 8 = 1: the same two buckets */

    (void)state;
    assert_true(seminar_insert(&filter, &x));
    assert_true(seminar_insert(&filter, &x));
    assert_true(seminar_insert(&filter, &twin));
    assert_int_equal(filter.n_stored, 1);
    assert_true(seminar_search(&filter, &twin));
    seminar_free(&filter);
}

/* Two keys of other buckets make bucket 1 fuller than bucket 6. */
static void the_reduced_filter_takes_the_emptier_bucket(void **state)
{
    struct seminar_filter filter = made(8, 4, 10, SEMINAR_REDUCED, SEMINAR_HASHED);
    const struct seminar_key a = {1, 11, 0}; /* both its buckets are 1 */
    const struct seminar_key b = {1, 12, 0};
    const struct seminar_key x = {1, 13, 7}; /* 1 and 6 */

    (void)state;
    seminar_insert(&filter, &a);
    seminar_insert(&filter, &b);
    assert_int_equal(filter.n_used[1], 2);
    seminar_insert(&filter, &x);
    assert_int_equal(filter.n_used[6], 1);
    assert_int_equal(filter.fingerprints[6 * 4], 13);
    seminar_free(&filter);
}

static void the_original_filter_takes_either_bucket(void **state)
{
    size_t n_first = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct seminar_filter filter = made(8, 4, 10, SEMINAR_ORIGINAL, SEMINAR_HASHED);
        const struct seminar_key a = {1, 11, 0};
        const struct seminar_key x = {1, 13, 7};
        filter.random = mix64(seed);
        seminar_insert(&filter, &a);
        seminar_insert(&filter, &x);
        n_first += filter.n_used[1] == 2;
        seminar_free(&filter);
    }
    /* 50 in the mean, 5 the deviation: outside once in a hundred million seeds. */
    assert_in_range(n_first, 22, 78);
}

/* Eight buckets of one: a lies in 1 and may go to 5; x may only go to 1. */
static void an_entry_that_is_thrown_out_goes_to_its_other_bucket(void **state)
{
    struct seminar_filter filter = made(8, 1, 10, SEMINAR_REDUCED, SEMINAR_HASHED);
    const struct seminar_key block = {5, 10, 0};
    const struct seminar_key a = {1, 11, 4};
    const struct seminar_key x = {1, 12, 0};

    (void)state;
    seminar_insert(&filter, &block); /* so that a goes to 1 */
    seminar_insert(&filter, &a);
    assert_int_equal(filter.fingerprints[1], 11);
    filter.n_used[5] = 0; /* and makes room */
    filter.n_stored--;
    n_hashed = 0;
    assert_true(seminar_insert(&filter, &x));
    assert_int_equal(n_hashed, 1); /* once for each move */
    assert_int_equal(filter.fingerprints[1], 12);
    assert_int_equal(filter.fingerprints[5], 11);
    assert_int_equal(filter.n_moves, 1);
    assert_int_equal(filter.n_wasted_moves, 0);
    assert_true(seminar_search(&filter, &a));
    assert_true(seminar_search(&filter, &x));
    seminar_free(&filter);
}

/* Six buckets: the two of a are 3 and (3 xor 4) mod 6 = 1. It lies in 1, is thrown out, and goes to
 * (1 xor 4) mod 6 = 5, where no search looks for it. */
static void modulo_m_an_entry_is_lost_when_it_is_moved(void **state)
{
    struct seminar_filter filter = made(6, 1, 10, SEMINAR_REDUCED, SEMINAR_HASHED);
    const struct seminar_key block = {3, 10, 0};
    const struct seminar_key a = {3, 11, 4};
    const struct seminar_key x = {1, 12, 0};

    (void)state;
    seminar_insert(&filter, &block);
    seminar_insert(&filter, &a);
    assert_int_equal(filter.fingerprints[1], 11);
    assert_true(seminar_search(&filter, &a));
    assert_true(seminar_insert(&filter, &x));
    assert_int_equal(filter.fingerprints[5], 11);
    assert_int_equal(filter.n_stored, 3);
    assert_false(seminar_search(&filter, &a));
    seminar_free(&filter);
}

static void the_last_entry_thrown_out_is_dropped_and_counted(void **state)
{
    struct seminar_filter filter = made(1, 2, 3, SEMINAR_ORIGINAL, SEMINAR_HASHED);
    const struct seminar_key keys[] = {{0, 11, 0}, {0, 12, 0}, {0, 13, 0}};
    size_t n_found = 0;

    (void)state;
    assert_true(seminar_insert(&filter, &keys[0]));
    assert_true(seminar_insert(&filter, &keys[1]));
    assert_false(seminar_insert(&filter, &keys[2]));
    assert_int_equal(filter.n_failed, 1);
    assert_int_equal(filter.n_moves, 3);
    assert_int_equal(filter.n_wasted_moves, 3);
    assert_int_equal(filter.n_stored, 2);
    for (size_t i = 0; i < 3; i++)
        n_found += seminar_search(&filter, &keys[i]);
    assert_int_equal(n_found, 2);
    seminar_free(&filter);
}

enum { N = 900 };

/* Random keys into 256 buckets of 4; how many of them a search does not find. */
static size_t n_lost(uint32_t m, enum seminar_choice choice,
                     enum seminar_alternate alternate, struct seminar_filter *after)
{
    struct seminar_filter filter = made(m, 4, 500, choice, alternate);
    size_t n = 0;

    for (uint64_t pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < N; i++) {
            const uint64_t hash = mix64(i + 1);
            const struct seminar_key key = {(uint32_t)hash, (uint32_t)(hash >> 32),
                                            (uint32_t)mix64(hash >> 32)};
            if (pass == 0)
                seminar_insert(&filter, &key);
            else
                n += !seminar_search(&filter, &key);
        }
    *after = filter;
    seminar_free(&filter);
    return n;
}

static void nothing_is_lost_where_m_is_a_power_of_two_and_mnk_is_not_reached(void **state)
{
    (void)state;
    for (int choice = SEMINAR_ORIGINAL; choice <= SEMINAR_REDUCED; choice++)
        for (int alternate = SEMINAR_HASHED; alternate <= SEMINAR_PLAIN; alternate++) {
            struct seminar_filter after;
            assert_int_equal(n_lost(256, (enum seminar_choice)choice,
                                    (enum seminar_alternate)alternate, &after),
                             0);
            assert_int_equal(after.n_failed, 0);
            assert_int_equal(after.n_stored, N);
            assert_true(after.n_moves > 0);
        }
}

static void keys_are_lost_where_m_is_no_power_of_two(void **state)
{
    struct seminar_filter after;

    (void)state;
    assert_true(n_lost(250, SEMINAR_ORIGINAL, SEMINAR_HASHED, &after) > N / 50);
    assert_int_equal(after.n_failed, 0);
    assert_int_equal(after.n_stored, N);
}

static void the_emptier_bucket_makes_fewer_moves(void **state)
{
    struct seminar_filter original, reduced;

    (void)state;
    n_lost(256, SEMINAR_ORIGINAL, SEMINAR_HASHED, &original);
    n_lost(256, SEMINAR_REDUCED, SEMINAR_HASHED, &reduced);
    assert_true(reduced.n_moves < original.n_moves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_digest_is_cut_into_h1_fingerprint_and_its_hash),
        cmocka_unit_test(a_move_hashes_the_fingerprint_again),
        cmocka_unit_test(a_fingerprint_that_is_there_is_not_stored_again),
        cmocka_unit_test(the_reduced_filter_takes_the_emptier_bucket),
        cmocka_unit_test(the_original_filter_takes_either_bucket),
        cmocka_unit_test(an_entry_that_is_thrown_out_goes_to_its_other_bucket),
        cmocka_unit_test(modulo_m_an_entry_is_lost_when_it_is_moved),
        cmocka_unit_test(the_last_entry_thrown_out_is_dropped_and_counted),
        cmocka_unit_test(
            nothing_is_lost_where_m_is_a_power_of_two_and_mnk_is_not_reached),
        cmocka_unit_test(keys_are_lost_where_m_is_no_power_of_two),
        cmocka_unit_test(the_emptier_bucket_makes_fewer_moves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
