/* SPDX-License-Identifier: MIT */
/* Each measurement asks for enough absent keys to expect 10,000 false positives at the promised
 * rate. Its relative deviation is then 1 %, so that a filter which keeps its promise exactly would
 * miss the bound of 1.1 with a probability of 10^-23, and one that errs by 15 % is caught with
 * 1 - 10^-6. Below full scale there are fewer measurements, never smaller ones. */
#include "conform/fpr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform/families.h"

#define EXPECTED 10000.0
#define SLACK    1.1

static const double fprs[] = {.1, .01, .001, 0x1p-13};
static const size_t sizes[] = {10000, 100000, 1000000};

struct share {
    size_t part;
    size_t n_parts;
};

/* A filter that is to double is far below its promise until it has: quotient_test.c and
 * compact_test.c measure those at the end of it. */
static bool is_mine(const struct share *share, const struct family *family)
{
    if (family->room > 1)
        return false;
    return (size_t)(family - families) % share->n_parts == share->part;
}

/* At full scale everything; for sanitizers and emulators the cheaper corner of it. */
static size_t n_fprs(void)
{
    return test_scale() >= 100 ? 4 : test_scale() >= 50 ? 3 : 2;
}

static size_t n_sizes(void)
{
    return test_scale() >= 100 ? 3 : test_scale() >= 5 ? 2 : 1;
}

/* The rarest false positives take most of the time: one seed at each size. */
static uint64_t n_seeds(double fpr)
{
    return fpr < .001 ? 1 : 3;
}

/* Whether an entry further up makes the same tables, so that only the hash differs: one size of
 * set is then enough. */
static bool is_variant(const struct family *family)
{
    for (const struct family *f = families; f < family; f++)
        if (f->spec.kind == family->spec.kind && f->spec.base == family->spec.base &&
            f->spec.k_rule == family->spec.k_rule &&
            f->spec.pairing == family->spec.pairing &&
            f->spec.prefer == family->spec.prefer &&
            f->bits_by_hand == family->bits_by_hand)
            return true;
    return false;
}

/* What was asked for; a table made by hand promises what its plan says. */
static double promised(const ninho_spec *spec)
{
    ninho_plan plan = NINHO_PLAN_INIT;

    if (!spec->n_bits)
        return spec->fpr;
    CHECK_OK(ninho_filter_plan(spec, &plan, NULL));
    return plan.fpr_target;
}

/* Absent keys to ask for. Tables with tags are slower to ask, and theirs do not scatter: a quarter,
 * for a deviation of 2 %, will do where false positives are rare. */
static double n_absent(const struct family *family, double promise)
{
    return (family->room && !family_has_places(family) && promise < .01 ? EXPECTED / 4
                                                                        : EXPECTED) /
           promise;
}

/* The share of `n` absent keys that the filter takes for members. */
static double measure(const ninho_filter *filter, const ninho_spec *spec, size_t n)
{
    return (double)count_range(filter, spec, ABSENT, n) / (double)n;
}

static void measure_one(const struct family *family, size_t n_keys, double fpr,
                        uint64_t seed)
{
    const ninho_spec spec = family_spec(family, n_keys, fpr, seed);
    const double promise = promised(&spec);
    ninho_filter *filter = family_filter(family, n_keys, fpr, seed);

    test_where("%s: n %zu, fpr %g, seed %llu", family->name, n_keys, fpr,
               (unsigned long long)seed);
    CHECK(promise > 0 && promise < 1);
    add_range(filter, &spec, 0, n_keys);
    check_range(filter, &spec, 0, n_keys);
    const double measured =
        measure(filter, &spec, (size_t)ceil(n_absent(family, promise)));
    if (measured > SLACK * promise)
        test_fail(__FILE__, __LINE__, "fpr measured %.3g, promised %.3g: ratio %.3f",
                  measured, promise, measured / promise);
    ninho_filter_free(filter);
}

static void fpr_keeps_its_promise_at_capacity(void **state)
{
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        if (!is_mine(*state, family))
            continue;
        for (size_t s = 0; s < (is_variant(family) ? 1 : n_sizes()); s++)
            for (size_t p = 0; p < n_fprs(); p++)
                for (uint64_t seed = 0; seed < n_seeds(fprs[p]); seed++)
                    measure_one(family, sizes[s], fprs[p], seed);
    }
}

/* Below 10,000 keys single tables scatter, and the promise is the mean over seeds. */
static void fpr_keeps_its_promise_in_the_mean_for_few_keys(void **state)
{
    enum { N_KEYS = 1000, N_SEEDS = 64 };

    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        if (!is_mine(*state, family))
            continue;
        for (size_t p = 0; p < n_fprs(); p++) {
            double sum = 0, promise = 0;
            for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
                const ninho_spec spec = family_spec(family, N_KEYS, fprs[p], seed);
                ninho_filter *filter = family_filter(family, N_KEYS, fprs[p], seed);
                promise = promised(&spec);
                test_where("%s: n %d, fpr %g, mean of seeds", family->name, N_KEYS,
                           fprs[p]);
                add_range(filter, &spec, 0, N_KEYS);
                sum += measure(filter, &spec,
                               (size_t)ceil(n_absent(family, promise) / N_SEEDS));
                ninho_filter_free(filter);
            }
            if (sum / N_SEEDS > SLACK * promise)
                test_fail(__FILE__, __LINE__, "mean fpr %.3g, promised %.3g: ratio %.3f",
                          sum / N_SEEDS, promise, sum / N_SEEDS / promise);
        }
    }
}

/* Twenty times the first capacity, in all steps of growth that takes. */
static void fpr_keeps_its_promise_while_growing(void **state)
{
    FOR_EACH_FAMILY(family)
    {
        if (!is_mine(*state, family) || !(family_can(family) & NINHO_CAN_GROW))
            continue;
        for (size_t s = 0; s < n_sizes(); s++) {
            for (size_t p = 0; p < n_fprs(); p++) {
                const size_t n = sizes[s];
                const ninho_spec spec = family_spec(family, n / 20, fprs[p], 3);
                ninho_filter *filter = family_filter(family, n / 20, fprs[p], 3);
                ninho_info info = NINHO_INFO_INIT;
                test_where("%s: n 20 * %zu, fpr %g", family->name, n / 20, fprs[p]);
                add_range(filter, &spec, 0, n);
                check_range(filter, &spec, 0, n);
                CHECK_OK(ninho_filter_info(filter, &info));
                CHECK(info.n_parts > 1);
                CHECK(info.fpr_expected <= SLACK * fprs[p]);
                const double measured =
                    measure(filter, &spec, (size_t)ceil(EXPECTED / fprs[p]));
                if (measured > SLACK * fprs[p])
                    test_fail(__FILE__, __LINE__,
                              "fpr measured %.3g, promised %.3g: ratio %.3f", measured,
                              fprs[p], measured / fprs[p]);
                ninho_filter_free(filter);
            }
        }
    }
}

/* The expectation is a number people act on: it must agree with the measurement both ways, when
 * full, half full and overfull. 5 standard deviations and 3 % for the scatter of the table. */
static void fpr_expected_agrees_with_the_measured_one(void **state)
{
    enum { N_KEYS = 20000 };
    static const double fills[] = {.5, 1, 2};

    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        if (!is_mine(*state, family))
            continue;
        const uint32_t can = family_can(family);
        for (size_t i = 0; i < 3; i++) {
            if (fills[i] > 1 && !(can & (NINHO_CAN_OVERFILL | NINHO_CAN_GROW)))
                continue;
            const ninho_spec spec = family_spec(family, N_KEYS, .01, 7);
            ninho_filter *filter = family_filter(family, N_KEYS, .01, 7);
            ninho_info info = NINHO_INFO_INIT;
            test_where("%s: filled to %g", family->name, fills[i]);
            add_range(filter, &spec, 0, (size_t)(fills[i] * N_KEYS));
            CHECK_OK(ninho_filter_info(filter, &info));
            CHECK(info.fpr_expected > 0 && info.fpr_expected < 1);
            const size_t n = (size_t)fmin(4e6, ceil(EXPECTED / info.fpr_expected));
            const double hits = (double)count_range(filter, &spec, ABSENT, n);
            const double low = binomial_low((double)n, info.fpr_expected * .97, 5);
            const double high = binomial_high((double)n, info.fpr_expected * 1.03, 5);
            if (hits < low || hits > high)
                test_fail(__FILE__, __LINE__, "fpr measured %.4g, expected %.4g",
                          hits / (double)n, info.fpr_expected);
            ninho_filter_free(filter);
        }
    }
}

/* Keys that look alike: a long prefix in common, or few bits set and those moving. Key i of a
 * shape; its size. */
static size_t shaped_key(unsigned shape, uint64_t i, uint8_t key[256])
{
    memset(key, shape == 1 ? 'x' : 0, 256);
    switch (shape) {
    case 0: /* sequential numbers, as text of one length */
        return (size_t)snprintf((char *)key, 256, "%020llu", (unsigned long long)i);
    case 1: /* 240 equal bytes, then the number */
        for (unsigned b = 0; b < 8; b++)
            key[240 + b] = (uint8_t)(i >> (8 * b));
        return 248;
    default: /* zeros, and three bits somewhere in them: i as digits in base 1,024 */
        for (unsigned d = 0; d < 3; d++) {
            const unsigned bit = (unsigned)(i >> (10 * d) & 1023);
            key[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
        key[128] = (uint8_t)(i >> 30); /* members and absent ones apart */
        return 160;
    }
}

static void fpr_does_not_depend_on_how_keys_look(void **state)
{
    enum { N_KEYS = 10000 };
    const double fpr = .02;
    const size_t n_absent = (size_t)(EXPECTED / fpr);

    FOR_EACH_FAMILY(family)
    {
        if (!is_mine(*state, family) || family->spec.key_encoding > NINHO_KEY_BYTES)
            continue;
        for (unsigned shape = 0; shape < 3; shape++) {
            ninho_filter *filter = family_filter(family, N_KEYS, fpr, 5);
            const ninho_spec spec = family_spec(family, N_KEYS, fpr, 5);
            uint8_t key[256];
            size_t n_maybe = 0;
            test_where("%s: shape %u", family->name, shape);
            for (uint64_t i = 0; i < N_KEYS; i++) {
                const ninho_status status =
                    ninho_filter_add_key(filter, key, shaped_key(shape, i, key));
                /* bits that fall on each other make ten of the last shape's keys equal */
                CHECK(status == NINHO_OK || (status == NINHO_ERR_FULL && shape == 2 &&
                                             family_has_places(family)));
            }
            for (uint64_t i = 0; i < N_KEYS; i++)
                CHECK(ninho_filter_has_key(filter, key, shaped_key(shape, i, key)));
            for (uint64_t i = 0; i < n_absent; i++)
                n_maybe += ninho_filter_has_key(
                    filter, key, shaped_key(shape, (UINT64_C(1) << 30) + i, key));
            if ((double)n_maybe > SLACK * promised(&spec) * (double)n_absent)
                test_fail(__FILE__, __LINE__, "fpr %.3g, promised %.3g",
                          (double)n_maybe / (double)n_absent, promised(&spec));
            ninho_filter_free(filter);
        }
    }
}

int fpr_main(size_t part, size_t n_parts)
{
    struct share share = {part, n_parts};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(fpr_keeps_its_promise_at_capacity, &share),
        cmocka_unit_test_prestate(fpr_keeps_its_promise_in_the_mean_for_few_keys, &share),
        cmocka_unit_test_prestate(fpr_keeps_its_promise_while_growing, &share),
        cmocka_unit_test_prestate(fpr_does_not_depend_on_how_keys_look, &share),
        cmocka_unit_test_prestate(fpr_expected_agrees_with_the_measured_one, &share),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
