/* SPDX-License-Identifier: MIT */
/* Uniting filters, and estimating how many keys they hold. */
#include "conform/families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conform/frame_bytes.h"

#define FOR_EACH_UNITER(family) \
    FOR_EACH_FAMILY(family)     \
    if (family_can(family) & NINHO_CAN_UNION)

/* Equal bytes but for the header, whose count is now an estimate. */
static void check_same_tables(const ninho_filter *a, const ninho_filter *b)
{
    ninho_info info = NINHO_INFO_INIT;
    size_t size_a, size_b;
    uint8_t *bytes_a = encoded(a, &size_a);
    uint8_t *bytes_b = encoded(b, &size_b);

    CHECK_OK(ninho_filter_info(a, &info));
    CHECK_U64(size_a, size_b);
    const size_t body = size_a - (size_t)info.table_bytes;
    CHECK(memcmp(bytes_a + body, bytes_b + body, (size_t)info.table_bytes) == 0);
    free(bytes_a);
    free(bytes_b);
}

/* Tags lie where the order of adds has put them: then only answers are equal. */
static void check_same_content(const struct family *family, const ninho_filter *a,
                               const ninho_filter *b, const ninho_spec *spec)
{
    if (!family_has_places(family)) {
        check_same_tables(a, b);
        return;
    }
    CHECK_U64(ninho_filter_count(a), ninho_filter_count(b));
    check_same_answers(a, b, spec, 3000);
}

static void a_union_equals_adding_both(void **state)
{
    (void)state;
    FOR_EACH_UNITER(family)
    {
        for (size_t n = 1; n <= 2000; n = n * 4 + 3) {
            const ninho_spec spec = family_spec(family, n, .01, 2);
            ninho_filter *a = family_filter(family, n, .01, 2);
            ninho_filter *b = family_filter(family, n, .01, 2);
            ninho_filter *both = family_filter(family, n, .01, 2);
            ninho_info info = NINHO_INFO_INIT;
            test_where("%s: %zu keys", family->name, n);
            add_range(a, &spec, 0, n / 2);
            add_range(b, &spec, n / 3, n - n / 3);
            add_range(both, &spec, 0, n / 2);
            add_range(both, &spec, n / 3, n - n / 3);
            CHECK_OK(ninho_filter_union(a, b, NULL));
            check_same_content(family, a, both, &spec);
            check_range(a, &spec, 0, n / 2);
            check_range(a, &spec, n / 3, n - n / 3);
            CHECK_OK(ninho_filter_info(a, &info));
            CHECK(info.count == ninho_filter_count(a));
            /* a kind that keeps copies can count them; the others only estimate */
            if (family_can(family) & NINHO_CAN_REMOVE)
                CHECK_U64(info.count, n / 2 + n - n / 3);
            else if (n > 1 &&
                     !family_is_set(
                         family)) /* united with an empty one, it is what it was */
                CHECK(info.count_is_estimate);
            CHECK_OK(ninho_filter_verify(a, NULL));
            ninho_filter_free(a);
            ninho_filter_free(b);
            ninho_filter_free(both);
        }
    }
}

static void a_union_with_an_empty_filter_changes_no_bit(void **state)
{
    (void)state;
    FOR_EACH_UNITER(family)
    {
        const ninho_spec spec = family_spec(family, 500, .01, 2);
        ninho_filter *a = family_filter(family, 500, .01, 2);
        ninho_filter *before = NULL;
        ninho_filter *empty = family_filter(family, 500, .01, 2);
        test_where("%s", family->name);
        add_range(a, &spec, 0, 500);
        CHECK_OK(ninho_filter_copy(a, NULL, &before, NULL));
        CHECK_OK(ninho_filter_union(a, empty, NULL));
        check_same_tables(a, before);
        CHECK_OK(ninho_filter_union(empty, a, NULL));
        check_same_content(family, a, empty, &spec);
        ninho_info info = NINHO_INFO_INIT;
        CHECK_OK(ninho_filter_info(empty, &info));
        CHECK(info.count == ninho_filter_count(before) && !info.count_is_estimate);
        ninho_filter_free(a);
        ninho_filter_free(before);
        ninho_filter_free(empty);
    }
}

static void a_union_with_itself_loses_nothing(void **state)
{
    (void)state;
    FOR_EACH_UNITER(family)
    {
        const ninho_spec spec = family_spec(family, 500, .01, 2);
        ninho_filter *filter = family_filter(family, 500, .01, 2);
        ninho_filter *twice = family_filter(family, 500, .01, 2);
        test_where("%s", family->name);
        add_range(filter, &spec, 0, 500);
        add_range(twice, &spec, 0, 500);
        if (family_can(family) & NINHO_CAN_REMOVE)
            add_range(twice, &spec, 0, 500);
        CHECK_OK(ninho_filter_union(filter, filter, NULL));
        check_same_content(family, filter, twice, &spec);
        check_range(filter, &spec, 0, 500);
        CHECK_OK(ninho_filter_verify(filter, NULL));
        ninho_filter_free(filter);
        ninho_filter_free(twice);
    }
}

/* Copies double with each: whatever the count becomes, the filter can be written and read. */
static void a_union_with_itself_many_times_can_be_stored(void **state)
{
    (void)state;
    FOR_EACH_UNITER(family)
    {
        const ninho_spec spec = family_spec(family, 50, .01, 2);
        const ninho_open_options open = family_open(family, 2);
        ninho_filter *filter = family_filter(family, 50, .01, 2);
        ninho_filter *decoded = NULL;
        size_t size;
        test_where("%s", family->name);
        add_range(filter, &spec, 0, 50);
        for (int i = 0; i < 100; i++) {
            const ninho_status status = ninho_filter_union(filter, filter, NULL);
            if (!family->room || i < (family_has_places(family) ? 1 : 8))
                CHECK_OK(status);
            else
                CHECK(status == NINHO_OK || status == NINHO_ERR_FULL);
        }
        if (!family_has_places(family))
            add_range(filter, &spec, 0, 50);
        uint8_t *bytes = encoded(filter, &size);
        CHECK_OK(ninho_filter_decode(bytes, size, &open, &decoded, NULL));
        check_range(decoded, &spec, 0, 50);
        free(bytes);
        ninho_filter_free(filter);
        ninho_filter_free(decoded);
    }
}

/* The count after a union is an estimate; it must be a good one. */
static void the_count_of_a_union_is_near(void **state)
{
    enum { N = 20000 };

    (void)state;
    FOR_EACH_UNITER(family)
    {
        if (family_can(family) & NINHO_CAN_REMOVE)
            continue;
        const ninho_spec spec = family_spec(family, 2 * N, .01, 2);
        ninho_filter *a = family_filter(family, 2 * N, .01, 2);
        ninho_filter *b = family_filter(family, 2 * N, .01, 2);
        test_where("%s", family->name);
        add_range(a, &spec, 0, N);
        add_range(b, &spec, N / 2, N);
        CHECK_OK(ninho_filter_union(a, b, NULL));
        CHECK(is_near((double)ninho_filter_count(a), 1.5 * N, .02));
        ninho_filter_free(a);
        ninho_filter_free(b);
    }
}

static void check_mismatch(const ninho_spec *a, const ninho_spec *b, const char *field)
{
    ninho_filter *target = NULL, *source = NULL, *before = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    CHECK_OK(ninho_filter_create(a, NULL, &target, NULL));
    CHECK_OK(ninho_filter_create(b, NULL, &source, NULL));
    for (uint64_t i = 0; i < 50; i++)
        CHECK_OK(ninho_filter_add(target, mix64(i)));
    for (uint64_t i = 50; i < 90; i++)
        CHECK_OK(ninho_filter_add(source, mix64(i)));
    CHECK_OK(ninho_filter_copy(target, NULL, &before, NULL));
    CHECK_STATUS(ninho_filter_union(target, source, &error), NINHO_ERR_MISMATCH);
    if (!strstr(error.text, field))
        test_fail(__FILE__, __LINE__, "\"%s\" does not name \"%s\"", error.text, field);
    CHECK(error.status == NINHO_ERR_MISMATCH);
    CHECK_STATUS(ninho_filter_union(target, source, NULL), NINHO_ERR_MISMATCH);
    CHECK_STATUS(ninho_filter_estimate_pair(target, source, NULL, NULL, &error),
                 NINHO_ERR_MISMATCH);
    check_same_bytes(target, before);
    ninho_filter_free(target);
    ninho_filter_free(source);
    ninho_filter_free(before);
}

static void filters_that_differ_are_refused_by_the_name_of_the_field(void **state)
{
    static const uint8_t secret_a[16] = {1}, secret_b[16] = {2};

    (void)state;
    FOR_EACH_UNITER(family)
    {
        const ninho_spec spec = family_spec(family, 100, .01, 1);
        ninho_spec other;
        test_where("%s", family->name);

        other = (ninho_spec)NINHO_SPEC_INIT;
        other.kind = spec.kind == NINHO_BLOOM ? NINHO_BLOCKED : NINHO_BLOOM;
        other.capacity = 100;
        other.fpr = .01;
        check_mismatch(&spec, &other, "kind");

        other = spec;
        other.hash = spec.hash == NINHO_HASH_XXH64 ? NINHO_HASH_XXH3 : NINHO_HASH_XXH64;
        other.secret = NULL;
        check_mismatch(&spec, &other, "hash");

        other = spec;
        other.key_encoding =
            spec.key_encoding == NINHO_KEY_KMER ? NINHO_KEY_BYTES : NINHO_KEY_KMER;
        check_mismatch(&spec, &other, "encoding");

        if (spec.hash == NINHO_HASH_SIPHASH) {
            ninho_spec one = spec;
            one.secret = secret_a;
            other = spec;
            other.secret = secret_b;
            check_mismatch(&one, &other, "secret");
        } else {
            other = spec;
            other.seed++;
            check_mismatch(&spec, &other, "seed");
        }

        if (spec.n_bits || spec.n_slots)
            continue;
        other = spec;
        other.capacity = 1000;
        check_mismatch(&spec, &other, "table size");
        if (spec.kind == NINHO_BLOCKED || family->room)
            continue;
        ninho_plan plan = NINHO_PLAN_INIT;
        CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
        other = spec;
        other.n_bits = plan.n_cells;
        other.n_hashes = plan.n_hashes + 1;
        check_mismatch(&spec, &other, "hashes");
    }
}

/* A view of damaged bytes is found out before it spreads, whether its checksum tells or, made
 * right again, only the table does. */
static void a_damaged_view_is_not_united(void **state)
{
    size_t n_refused = 0;

    (void)state;
    FOR_EACH_UNITER(family)
    {
        const ninho_spec spec = family_spec(family, 100, .01, 2);
        const ninho_open_options open = family_open(family, 2);
        ninho_filter *source = family_filter(family, 100, .01, 2);
        ninho_filter *target = family_filter(family, 100, .01, 2);
        ninho_info info = NINHO_INFO_INIT;
        const ninho_filter *viewed = NULL;
        ninho_view view;
        size_t size, before_size, after_size;
        add_range(source, &spec, 0, 60);
        add_range(target, &spec, 40, 60);
        CHECK_OK(ninho_filter_info(source, &info));
        uint8_t *bytes = encoded(source, &size);
        uint8_t *before = encoded(target, &before_size);
        for (size_t at = size - (size_t)info.table_bytes; at < size; at++) {
            ninho_error error = NINHO_ERROR_INIT;
            ninho_filter *copy = NULL;
            const uint8_t was = bytes[at];
            test_where("%s: byte %zu", family->name, at);
            bytes[at] ^= 0xff;
            CHECK_OK(ninho_filter_view(&view, bytes, size, &open, &viewed, NULL));
            CHECK_STATUS(ninho_filter_union(target, viewed, &error), NINHO_ERR_CHECKSUM);
            CHECK(error.status == NINHO_ERR_CHECKSUM && error.text[0]);
            fix_checksums(bytes, size);
            CHECK_OK(ninho_filter_view(&view, bytes, size, &open, &viewed, NULL));
            CHECK_OK(ninho_filter_copy(target, NULL, &copy, NULL));
            const ninho_status status = ninho_filter_union(copy, viewed, NULL);
            CHECK(status == ninho_filter_verify(viewed, NULL) ||
                  status == NINHO_ERR_FULL);
            CHECK_OK(ninho_filter_verify(copy, NULL));
            if (status)
                check_same_bytes(copy, target);
            n_refused += status == NINHO_ERR_FORMAT;
            ninho_filter_free(copy);
            bytes[at] = was;
            fix_checksums(bytes, size);
        }
        uint8_t *after = encoded(target, &after_size);
        CHECK(after_size == before_size && memcmp(after, before, after_size) == 0);
        CHECK_OK(ninho_filter_view(&view, bytes, size, &open, &viewed, NULL));
        CHECK_OK(ninho_filter_union(target, viewed, NULL));
        check_range(target, &spec, 0, 100);
        free(bytes);
        free(before);
        free(after);
        ninho_filter_free(source);
        ninho_filter_free(target);
    }
    CHECK(n_refused > 0);
}

static void a_kind_without_union_says_so(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        if (family_can(family) & NINHO_CAN_UNION)
            continue;
        const ninho_spec spec = family_spec(family, 100, .01, 0);
        ninho_filter *a = family_filter(family, 100, .01, 0);
        ninho_filter *b = family_filter(family, 100, .01, 0);
        ninho_filter *before = NULL;
        test_where("%s", family->name);
        add_range(a, &spec, 0, 100);
        CHECK_OK(ninho_filter_copy(a, NULL, &before, NULL));
        CHECK_STATUS(ninho_filter_union(a, b, NULL), NINHO_ERR_UNSUPPORTED);
        CHECK_STATUS(ninho_filter_union(a, a, NULL), NINHO_ERR_UNSUPPORTED);
        check_same_bytes(a, before);
        ninho_filter_free(a);
        ninho_filter_free(b);
        ninho_filter_free(before);
    }
}

/* ---- Estimates ----------------------------------------------------------------------------- */

/* The estimate from set cells has a standard deviation of about sqrt(n) / 4 at full load, so
 * that 2 % of 20,000 is more than ten of them. Duplicates must not count. */
static void an_estimate_is_near_the_number_of_distinct_keys(void **state)
{
    enum { N = 20000 };
    static const double shares[] = {.01, .1, .5, 1, 1.5};

    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const uint32_t can = family_can(family);
        if (!(can & NINHO_CAN_ESTIMATE))
            continue;
        for (size_t i = 0; i < 5; i++) {
            if (shares[i] > 1 && !(can & (NINHO_CAN_OVERFILL | NINHO_CAN_GROW)))
                continue;
            const size_t n = (size_t)(shares[i] * N);
            const ninho_spec spec = family_spec(family, N, .01, 9);
            ninho_filter *filter = family_filter(family, N, .01, 9);
            double estimate = -1;
            test_where("%s: %zu keys", family->name, n);
            CHECK_OK(ninho_filter_estimate(filter, &estimate));
            CHECK(estimate == 0);
            add_range(filter, &spec, 0, n);
            if (!(can & NINHO_CAN_GROW)) /* repeated adds may make a growing kind grow */
                add_range(filter, &spec, 0, n);
            CHECK_OK(ninho_filter_estimate(filter, &estimate));
            if (!is_near(estimate, (double)n, n < 1000 ? .05 : .02))
                test_fail(__FILE__, __LINE__, "estimated %.1f of %zu", estimate, n);
            ninho_filter_free(filter);
        }
    }
}

static void union_and_intersection_are_estimated(void **state)
{
    enum { N = 20000 };

    (void)state;
    FOR_EACH_UNITER(family)
    {
        if (!(family_can(family) & NINHO_CAN_ESTIMATE))
            continue;
        const ninho_spec spec = family_spec(family, 2 * N, .01, 9);
        ninho_filter *a = family_filter(family, 2 * N, .01, 9);
        ninho_filter *b = family_filter(family, 2 * N, .01, 9);
        ninho_filter *before = NULL;
        double both = -1, common = -1;
        test_where("%s", family->name);
        CHECK_OK(ninho_filter_estimate_pair(a, b, &both, &common, NULL));
        CHECK(both == 0 && common == 0);
        add_range(a, &spec, 0, N);
        CHECK_OK(ninho_filter_estimate_pair(a, b, &both, &common, NULL));
        CHECK(is_near(both, N, .02) && common >= 0 && common < .02 * N);
        add_range(b, &spec, N / 2, N);
        CHECK_OK(ninho_filter_copy(a, NULL, &before, NULL));
        CHECK_OK(ninho_filter_estimate_pair(a, b, &both, &common, NULL));
        CHECK(is_near(both, 1.5 * N, .02) && is_near(common, .5 * N, .05));
        CHECK_OK(ninho_filter_estimate_pair(a, b, NULL, NULL, NULL));
        CHECK_OK(ninho_filter_estimate_pair(a, b, NULL, &common, NULL));
        CHECK_OK(ninho_filter_estimate_pair(a, b, &both, NULL, NULL));
        CHECK_OK(ninho_filter_estimate_pair(a, a, &both, &common, NULL));
        CHECK(is_near(both, N, .02) && is_near(common, N, .02));
        check_same_bytes(a, before);
        CHECK_OK(ninho_filter_clear(b));
        add_range(b, &spec, 5 * N, N); /* nothing in common: never below 0 */
        CHECK_OK(ninho_filter_estimate_pair(a, b, &both, &common, NULL));
        CHECK(is_near(both, 2 * N, .02) && common >= 0 && common < .02 * N);
        ninho_filter_free(a);
        ninho_filter_free(b);
        ninho_filter_free(before);
    }
}

static void a_saturated_filter_cannot_be_estimated(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const uint32_t can = family_can(family);
        if (!(can & NINHO_CAN_ESTIMATE) || !(can & NINHO_CAN_OVERFILL))
            continue;
        const ninho_spec spec = family_spec(family, 4, .1, 0);
        ninho_filter *filter = family_filter(family, 4, .1, 0);
        ninho_filter *empty = family_filter(family, 4, .1, 0);
        ninho_info info = NINHO_INFO_INIT;
        double estimate = -7, both = -7, common = -7;
        test_where("%s", family->name);
        add_range(filter, &spec, 0, 5000);
        CHECK_U64(count_range(filter, &spec, ABSENT, 1000), 1000);
        CHECK_STATUS(ninho_filter_estimate(filter, &estimate), NINHO_ERR_FULL);
        CHECK(estimate == -7);
        CHECK_STATUS(ninho_filter_estimate_pair(filter, empty, &both, &common, NULL),
                     NINHO_ERR_FULL);
        CHECK(both == -7 && common == -7);
        CHECK_OK(ninho_filter_info(filter, &info));
        CHECK(info.load == 1 && info.fpr_expected == 1);
        CHECK(isfinite(info.bits_per_key));
        CHECK_OK(
            ninho_filter_union(empty, filter, NULL)); /* and its count is some number */
        CHECK_OK(ninho_filter_info(empty, &info));
        CHECK(info.fpr_expected == 1);
        ninho_filter_free(filter);
        ninho_filter_free(empty);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_union_equals_adding_both),
        cmocka_unit_test(a_union_with_an_empty_filter_changes_no_bit),
        cmocka_unit_test(a_union_with_itself_loses_nothing),
        cmocka_unit_test(a_union_with_itself_many_times_can_be_stored),
        cmocka_unit_test(the_count_of_a_union_is_near),
        cmocka_unit_test(filters_that_differ_are_refused_by_the_name_of_the_field),
        cmocka_unit_test(a_damaged_view_is_not_united),
        cmocka_unit_test(a_kind_without_union_says_so),
        cmocka_unit_test(an_estimate_is_near_the_number_of_distinct_keys),
        cmocka_unit_test(union_and_intersection_are_estimated),
        cmocka_unit_test(a_saturated_filter_cannot_be_estimated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
