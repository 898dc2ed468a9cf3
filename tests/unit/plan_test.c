/* SPDX-License-Identifier: MIT */
/* The planner's numbers beside the formulas they stand for. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#define LN2 0.693147180559945309417

static ninho_plan plan_of(ninho_kind kind, uint64_t capacity, double fpr,
                          ninho_k_rule rule)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_plan plan = NINHO_PLAN_INIT;

    spec.kind = kind;
    spec.capacity = capacity;
    spec.fpr = fpr;
    spec.k_rule = rule;
    CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
    return plan;
}

static void bloom_is_as_small_as_the_formula(void **state)
{
    (void)state;
    for (double fpr = .5; fpr > 1e-9; fpr /= 3) {
        const double n = 1000000;
        const ninho_plan plan = plan_of(NINHO_BLOOM, 1000000, fpr, NINHO_K_BEST);
        const double ideal = -n * log(fpr) / (LN2 * LN2);
        test_where("fpr %g", fpr);
        /* any k costs at least the ideal; the best integer little more */
        CHECK((double)plan.n_cells >= ideal);
        CHECK((double)plan.n_cells <= 1.05 * ideal);
        CHECK(fabs(plan.n_hashes - -log2(fpr)) <= 1);
        CHECK_U64(plan.table_bytes, (plan.n_cells + 7) / 8);
        CHECK(plan.fpr_expected <= fpr * 1.000001);
        /* and no other k would have done with fewer */
        for (unsigned k = 1; k <= 64; k++) {
            const double cells = -(double)k / log1p(-pow(fpr, 1. / k)) * n;
            CHECK((double)plan.n_cells <=
                  cells + n / 256 + 10); /* rounded up in 1/256ths */
        }
    }
}

static void floor_rule_is_the_textbooks(void **state)
{
    (void)state;
    for (double fpr = .4; fpr > 1e-9; fpr /= 3) {
        const ninho_plan plan = plan_of(NINHO_BLOOM, 100000, fpr, NINHO_K_FLOOR);
        const double m = -100000 * log(fpr) / (LN2 * LN2);
        test_where("fpr %g", fpr);
        CHECK(is_near((double)plan.n_cells, m, .003));
        CHECK_U64(plan.n_hashes, fmax(1, floor(LN2 * m / 100000 + .001)));
    }
    const ninho_plan power = plan_of(NINHO_BLOOM, 100000, 0x1p-13, NINHO_K_FLOOR);
    CHECK_U64(power.n_hashes, 13); /* on the edge of the floor */
}

/* (1 - e^{-k(n+0.5)/(m-1)})^k */
static void the_finite_size_rate_is_told(void **state)
{
    static const uint64_t capacities[] = {1, 2, 10, 1000, 1000000};

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        const double n = (double)capacities[i];
        const ninho_plan plan = plan_of(NINHO_BLOOM, capacities[i], .01, NINHO_K_BEST);
        const double k = plan.n_hashes, m = (double)plan.n_cells;
        test_where("%g keys", n);
        CHECK(is_near(plan.fpr_expected, pow(1 - exp(-k * (n + .5) / (m - 1)), k), 1e-9));
        CHECK(plan.fpr_expected <= .01 * 1.000001);
    }
}

static void counting_is_bloom_with_four_bits(void **state)
{
    (void)state;
    for (double fpr = .3; fpr > 1e-6; fpr /= 4) {
        const ninho_plan bloom = plan_of(NINHO_BLOOM, 12345, fpr, NINHO_K_BEST);
        const ninho_plan counting = plan_of(NINHO_COUNTING, 12345, fpr, NINHO_K_BEST);
        CHECK_U64(counting.n_cells, bloom.n_cells);
        CHECK_U64(counting.n_hashes, bloom.n_hashes);
        CHECK_U64(counting.table_bytes, (bloom.n_cells + 1) / 2);
    }
}

static void blocked_says_where_it_is_poor(void **state)
{
    (void)state;
    CHECK(!plan_of(NINHO_BLOCKED, 1000, .01, NINHO_K_BEST).note);
    CHECK(!plan_of(NINHO_BLOCKED, 1000, 1.01e-4, NINHO_K_BEST).note);
    const char *note = plan_of(NINHO_BLOCKED, 1000, 9e-5, NINHO_K_BEST).note;
    CHECK(note && strstr(note, "bloom"));
    const ninho_plan plan = plan_of(NINHO_BLOCKED, 1000000, .01, NINHO_K_BEST);
    CHECK_U64(plan.table_bytes, 32 * plan.n_cells);
    CHECK_U64(plan.n_hashes, 8);
    /* 32-byte blocks at 1 %: a tenth to a fifth more than the 9.6 bits of the classic */
    CHECK(plan.bits_per_key > 9.7 && plan.bits_per_key < 12);
}

/* The expectation of the split block, by brute force: blocks filled at random, absent keys tried. */
static void blocked_expectation_is_right(void **state)
{
    static const double fprs[] = {.2, .03, .004};
    struct test_rng rng = {7};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const ninho_plan plan = plan_of(NINHO_BLOCKED, 100000, fprs[i], NINHO_K_BEST);
        const double load = 100000. / (double)plan.n_cells;
        double sum = 0;
        enum { TRIALS = 40000 };
        for (int t = 0; t < TRIALS; t++) {
            /* a Poisson number of keys by exponential gaps; each sets a bit in each word */
            uint32_t words[8] = {0};
            double time = 0, all = 1;
            for (;;) {
                time -= log(((double)(rng_next(&rng) >> 11) + .5) * 0x1p-53);
                if (time > load)
                    break;
                const uint64_t bits = rng_next(&rng);
                for (unsigned w = 0; w < 8; w++)
                    words[w] |= 1U << (bits >> (5 * w) & 31);
            }
            for (unsigned w = 0; w < 8; w++)
                all *= __builtin_popcount(words[w]) / 32.;
            sum += all;
        }
        test_where("fpr %g", fprs[i]);
        CHECK(is_near(plan.fpr_expected, sum / TRIALS, .05));
        CHECK(plan.fpr_expected <= fprs[i]);
    }
}

/* However far it grows, the sum of the parts' shares stays below the promise. */
static void shares_of_a_growing_filter_stay_below_the_promise(void **state)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    ninho_info info = NINHO_INFO_INIT;

    (void)state;
    test_where("growth");
    spec.kind = NINHO_SCALABLE;
    spec.base = NINHO_BLOOM;
    spec.capacity = 1;
    spec.fpr = .05;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    uint32_t n_parts = 1;
    for (uint64_t i = 0; i < 300000; i++) {
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
        if ((i & (i + 1)) == 0 || i % 50000 == 0) {
            CHECK_OK(ninho_filter_info(filter, &info));
            CHECK(info.n_parts >= n_parts);
            n_parts = info.n_parts;
            /* tables of a few keys scatter: the bound is meant for the mean */
            CHECK(i < 10000 || info.fpr_expected < 1.05 * .05);
        }
    }
    CHECK(n_parts >= 17 && n_parts <= 19); /* 2^18 - 1 keys in 18 parts of 1, 2, 4, ... */
    ninho_filter_free(filter);
}

static void k_follows_from_bits_by_hand(void **state)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_plan plan = NINHO_PLAN_INIT;

    (void)state;
    spec.kind = NINHO_BLOOM;
    spec.capacity = 1000;
    spec.n_bits = 10000;
    CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
    CHECK_U64(plan.n_hashes, 7); /* 6.93 */
    CHECK(is_near(plan.fpr_target, plan.fpr_expected, 1e-6) &&
          is_near(plan.fpr_expected, .0082, .01));
    spec.k_rule = NINHO_K_FLOOR;
    CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
    CHECK_U64(plan.n_hashes, 6);
    spec.n_bits = 100; /* a tenth of a bit for each key: still one hash */
    CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
    CHECK_U64(plan.n_hashes, 1);
    spec.n_bits = 10000000;
    CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
    CHECK_U64(plan.n_hashes, 64);
    spec.kind = NINHO_BLOCKED;
    spec.n_bits = 257;
    spec.k_rule = NINHO_K_BEST;
    CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
    CHECK_U64(plan.n_cells, 2);
}

static void what_is_refused_is_named(void **state)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    spec.kind = NINHO_COUNTING;
    spec.capacity = 1000;
    spec.fpr = .01;
    spec.n_hashes = 65;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    CHECK(error.field == NINHO_FIELD_N_HASHES && error.least == 1 && error.most == 64);
    CHECK(strcmp(error.text, "n_hashes must be 1 to 64, not 65") == 0);
    spec.n_hashes = 0;
    spec.k_rule = (ninho_k_rule)2;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    CHECK(error.field == NINHO_FIELD_K_RULE);
    CHECK(strcmp(error.text, "k_rule must be best or floor") == 0);
}

static void large_tables_have_large_numbers(void **state)
{
    (void)state;
    /* 2^32 keys at 1 %: over 2^35 bits */
    const ninho_plan bloom = plan_of(NINHO_BLOOM, UINT64_C(1) << 32, .01, NINHO_K_BEST);
    CHECK(bloom.n_cells > UINT64_C(9) << 32 && bloom.n_cells < UINT64_C(10) << 32);
    CHECK(bloom.size_bytes > UINT64_C(4) << 30);
    const ninho_plan blocked =
        plan_of(NINHO_BLOCKED, UINT64_C(1) << 32, .01, NINHO_K_BEST);
    CHECK(blocked.size_bytes > UINT64_C(4) << 30);
    const ninho_plan largest = plan_of(NINHO_BLOOM, UINT64_C(1) << 48, .01, NINHO_K_BEST);
    CHECK(largest.n_cells > UINT64_C(9) << 48);
}

/* Eight bits in a block say no more, however many blocks there are. */
static void what_a_plan_tells_of_slots_is_for_cuckoo_alone(void **state)
{
    const ninho_plan bloom = plan_of(NINHO_BLOOM, 1000, .01, NINHO_K_BEST);
    const ninho_plan cuckoo = plan_of(NINHO_CUCKOO, 1000, .01, NINHO_K_BEST);

    (void)state;
    CHECK(bloom.slots == 0 && bloom.place_slots == 0 && bloom.load == 0);
    CHECK(cuckoo.slots && cuckoo.place_slots && cuckoo.load > 0 && cuckoo.load < 1);
}

/* Nothing is "maybe" in an empty filter, and it says so. */
static void an_empty_filter_expects_no_false_positive(void **state)
{
    (void)state;
    for (size_t i = 0; ninho_kind_at(i); i++) {
        ninho_spec spec = NINHO_SPEC_INIT;
        ninho_info info = NINHO_INFO_INIT;
        ninho_filter *filter = NULL;
        spec.kind = ninho_kind_at(i);
        spec.capacity = 100;
        spec.fpr = .01;
        if (ninho_filter_create(&spec, NULL, &filter, NULL))
            continue; /* built from its keys */
        test_where("%s", ninho_kind_name(spec.kind));
        CHECK_OK(ninho_filter_info(filter, &info));
        CHECK(info.fpr_expected == 0);
        ninho_filter_free(filter);
    }
}

static void an_fpr_that_no_block_keeps_is_refused(void **state)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    spec.kind = NINHO_BLOCKED;
    spec.capacity = 1000;
    spec.fpr = 1e-12;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    CHECK(error.field == NINHO_FIELD_FPR && error.least > 1.8e-10 &&
          error.least < 1.9e-10);
    spec.fpr = error.least * 1.001;
    CHECK_OK(ninho_filter_plan(&spec, &plan, &error));
    CHECK(plan.fpr_expected <= spec.fpr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_plan_tells_of_slots_is_for_cuckoo_alone),
        cmocka_unit_test(an_empty_filter_expects_no_false_positive),
        cmocka_unit_test(an_fpr_that_no_block_keeps_is_refused),
        cmocka_unit_test(bloom_is_as_small_as_the_formula),
        cmocka_unit_test(floor_rule_is_the_textbooks),
        cmocka_unit_test(the_finite_size_rate_is_told),
        cmocka_unit_test(counting_is_bloom_with_four_bits),
        cmocka_unit_test(blocked_says_where_it_is_poor),
        cmocka_unit_test(blocked_expectation_is_right),
        cmocka_unit_test(shares_of_a_growing_filter_stay_below_the_promise),
        cmocka_unit_test(k_follows_from_bits_by_hand),
        cmocka_unit_test(what_is_refused_is_named),
        cmocka_unit_test(large_tables_have_large_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
