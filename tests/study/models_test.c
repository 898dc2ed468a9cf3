/* SPDX-License-Identifier: MIT */
/* The formulas and the small cuckoo table that questions on filters use. */
#include <math.h>

#include "harness/forms.h"
#include "harness/pairing.h"
#include "harness/words.h"
#include "support/test.h"

/* Two bits, one probe, two keys: both hit the same bit (1/2) and one bit is set, or two are. */
static void the_exact_form_of_a_filter_of_two_bits_is_worked_out_by_hand(void **state)
{
    (void)state;
    assert_true(fabs(exact_form(2, 1, 2) - (0.5 * 0.5 + 0.5 * 1)) < 1e-15);
    /* Two probes of one key: one bit set half of the time, and then (1/2)^2. */
    assert_true(fabs(exact_form(2, 2, 1) - (0.5 * 0.25 + 0.5 * 1)) < 1e-15);
}

static void with_one_probe_one_bit_is_all_there_is_to_know(void **state)
{
    (void)state;
    for (size_t n = 1; n < 20; n++)
        assert_true(fabs(exact_form(30, 1, n) / one_bit_form(30, 1, (double)n) - 1) <
                    1e-12);
}

static void the_forms_agree_where_n_is_large(void **state)
{
    const double limit = limit_form(10000, 7, 1000);

    (void)state;
    assert_true(fabs(limit - 0.00819372) < 1e-7);
    assert_true(fabs(one_bit_form(10000, 7, 1000) / limit - 1) < 0.003);
    assert_true(fabs(finite_form(10000, 7, 1000) / limit - 1) < 0.003);
    assert_true(fabs(exact_form(10000, 7, 1000) / limit - 1) < 0.003);
}

static void for_ten_keys_the_limit_says_too_little_and_the_bound_too_much(void **state)
{
    const double exact = exact_form(96, 7, 10);

    (void)state;
    assert_true(limit_form(96, 7, 10) < exact && exact < finite_form(96, 7, 10));
}

static void every_tag_is_found_until_one_finds_no_room(void **state)
{
    (void)state;
    for (int is_hashed = 0; is_hashed < 2; is_hashed++) {
        struct pairing_table table = {
            .bucket_bits = 8, .tag_bits = 12, .is_hashed = is_hashed};
        uint64_t n = 0;

        pairing_create(&table);
        while (n < 900 && pairing_add(&table, mix64(n + 1)))
            n++;
        assert_int_equal(n, 900);
        assert_int_equal(table.n_stored, 900);
        for (uint64_t i = 0; i < n; i++)
            assert_true(pairing_has(&table, mix64(i + 1)));
        pairing_free(&table);
    }
}

static void a_raw_tag_stays_near_and_a_hashed_one_does_not(void **state)
{
    struct pairing_table raw = {.bucket_bits = 16, .tag_bits = 4};
    struct pairing_table hashed = {.bucket_bits = 16, .tag_bits = 4, .is_hashed = true};
    uint64_t most_raw = 0, most_hashed = 0;

    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        const uint64_t hash = mix64(i);
        const uint64_t near = pairing_distance(&raw, hash);
        const uint64_t far = pairing_distance(&hashed, hash);
        most_raw = near > most_raw ? near : most_raw;
        most_hashed = far > most_hashed ? far : most_hashed;
    }
    assert_in_range(most_raw, 1, 15);
    assert_true(most_hashed > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_form_of_a_filter_of_two_bits_is_worked_out_by_hand),
        cmocka_unit_test(with_one_probe_one_bit_is_all_there_is_to_know),
        cmocka_unit_test(the_forms_agree_where_n_is_large),
        cmocka_unit_test(for_ten_keys_the_limit_says_too_little_and_the_bound_too_much),
        cmocka_unit_test(every_tag_is_found_until_one_finds_no_room),
        cmocka_unit_test(a_raw_tag_stays_near_and_a_hashed_one_does_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
