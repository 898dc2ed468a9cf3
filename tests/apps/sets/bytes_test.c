/* SPDX-License-Identifier: MIT */
/* How many bytes a difference or an intersection takes: sets of a million lines of 16 random
 * characters (fewer at a scale below 100 %), and the intersection of 50,000 lines of 100 bytes with
 * a million (5 million at a scale of 500 %). */
#include <stdio.h>
#include <time.h>

#include "apps/sets/talk.h"

struct outcome {
    ninho_exchange_report asker;
    ninho_exchange_report answerer;
    double seconds[2]; /* shown, not judged */
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static struct outcome run(const ninho_set *here, const ninho_set *there,
                          const ninho_exchange_options *options)
{
    const ninho_exchange_options others = talk_options(99);
    ninho_exchange *sides[2] = {NULL, NULL};
    struct outcome outcome = {.seconds = {0, 0}};
    bool moves = true;

    CHECK_OK(ninho_exchange_ask(here, options, &sides[0], NULL));
    CHECK_OK(ninho_exchange_answer(there, &others, &sides[1], NULL));
    while (moves) {
        moves = false;
        for (unsigned i = 0; i < 2; i++) {
            const void *bytes = NULL;
            const double start = now();
            const size_t n = ninho_exchange_output(sides[i], &bytes);
            const double middle = now();
            if (n > 0)
                CHECK_OK(ninho_exchange_take(sides[!i], bytes, n));
            const double end = now();
            ninho_exchange_sent(sides[i], n);
            outcome.seconds[i] += middle - start + now() - end;
            outcome.seconds[!i] += end - middle;
            moves = moves || n > 0;
        }
    }
    CHECK(ninho_exchange_state_of(sides[0]) == NINHO_EXCHANGE_DONE);
    CHECK(ninho_exchange_state_of(sides[1]) == NINHO_EXCHANGE_DONE);
    if (options->question == NINHO_SETS_COMMON)
        check_common(sides[0], here, there);
    else
        check_difference(sides[0], here, there);
    outcome.asker = report_of(sides[0]);
    outcome.answerer = report_of(sides[1]);
    CHECK(outcome.asker.is_exact);
    CHECK_U64(outcome.asker.bytes_sent, outcome.answerer.bytes_received);
    CHECK_U64(outcome.asker.bytes_received, outcome.answerer.bytes_sent);
    ninho_exchange_free(sides[0]);
    ninho_exchange_free(sides[1]);
    return outcome;
}

static uint64_t total(const struct outcome *outcome)
{
    return outcome->asker.bytes_sent + outcome->asker.bytes_received;
}

static void show(const char *what, const struct outcome *outcome)
{
    const ninho_exchange_report *r = &outcome->asker;
    const double d = (double)(r->only_here + r->only_there);

    printf(
        "%s: %llu bytes (%.1f per differing line), method %s, %u rounds, %u fallbacks, "
        "estimate %.0f, cells %llu, %.2f + %.2f s\n",
        what, (unsigned long long)total(outcome), d > 0 ? (double)total(outcome) / d : 0,
        ninho_sets_method_name(r->method), r->rounds, r->fallbacks, r->estimate,
        (unsigned long long)r->n_cells, outcome->seconds[0], outcome->seconds[1]);
}

#define MILLION 1000000

static ninho_set *shared; /* the lines here, the same each time */

static uint64_t n_lines(void)
{
    return test_scale() < 100 ? test_scaled(MILLION, 20000) : MILLION;
}

/* Two sets of a million, `differing` of each only there. */
static struct outcome differ(uint64_t differing, ninho_sets_method method, uint64_t nonce)
{
    ninho_set *there = new_set();
    ninho_exchange_options options = talk_options(nonce);
    char what[64];

    options.method = method;
    if (!shared) {
        shared = new_set();
        add_items(shared, 1, 0, n_lines(), 16);
    }
    add_items(there, 1, differing, n_lines() + differing, 16);
    const struct outcome outcome = run(shared, there, &options);
    snprintf(what, sizeof what, "%llu + %llu", (unsigned long long)differing,
             (unsigned long long)differing);
    show(what, &outcome);
    CHECK_U64(outcome.asker.only_here, differing);
    CHECK_U64(outcome.asker.only_there, differing);
    ninho_set_free(there);
    return outcome;
}

static void identical_sets_take_less_than_1_kb(void **state)
{
    (void)state;
    const struct outcome outcome = differ(0, NINHO_SETS_AUTO, 1);
    CHECK(total(&outcome) < 1000);
    CHECK_U64(outcome.asker.rounds, 0);
}

static void ten_differing_lines_take_less_than_2_kb(void **state)
{
    (void)state;
    const struct outcome outcome = differ(5, NINHO_SETS_AUTO, 2);
    CHECK(total(&outcome) < 2000);
    CHECK(outcome.asker.rounds <= 3);
}

static void a_thousand_take_40_bytes_each_and_3_rounds(void **state)
{
    (void)state;
    for (uint64_t nonce = 3; nonce < 6; nonce++) {
        const struct outcome outcome = differ(500, NINHO_SETS_AUTO, nonce);
        CHECK(total(&outcome) <= 40 * 1000);
        CHECK(outcome.asker.rounds <= 3);
    }
}

static void a_hundred_thousand_take_38_bytes_each(void **state)
{
    (void)state;
    const uint64_t differing = n_lines() / 20;
    const struct outcome outcome = differ(differing, NINHO_SETS_AUTO, 6);
    CHECK(total(&outcome) <= 38 * 2 * differing);
    const struct outcome sketch = differ(differing, NINHO_SETS_SKETCH, 7);
    CHECK(total(&sketch) <= 38 * 2 * differing);
    /* The way that was chosen is the cheaper one. */
    CHECK(total(&outcome) <= total(&sketch));
}

/* `common` of 50,000 lines of 100 bytes, `n_common` of them in the larger set, both ways round. */
static void common(uint64_t n_common)
{
    ninho_set *small = new_set();
    ninho_set *large = new_set();
    ninho_exchange_options options = talk_options(8);
    const uint64_t n_large = test_scaled(MILLION, 100000);

    options.question = NINHO_SETS_COMMON;
    add_items(small, 2, 0, 50000, 100);
    add_items(large, 2, 50000 - n_common, 50000 - n_common + n_large, 100);
    const struct outcome outcome = run(small, large, &options);
    show("common, from the smaller", &outcome);
    CHECK_U64(outcome.asker.in_both, n_common);
    CHECK(total(&outcome) * 20 <= 50000 * 100);
    CHECK(outcome.asker.rounds <= 2);
    const struct outcome back = run(large, small, &options);
    show("common, from the larger", &back);
    CHECK_U64(back.asker.in_both, n_common);
    CHECK(total(&back) * 20 <= 50000 * 100);
    ninho_set_free(small);
    ninho_set_free(large);
}

static void a_thousand_in_common_take_a_twentieth(void **state)
{
    (void)state;
    common(1000);
}

static void half_in_common_take_a_twentieth_too(void **state)
{
    (void)state;
    common(25000);
}

static int forget(void **state)
{
    (void)state;
    ninho_set_free(shared);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identical_sets_take_less_than_1_kb),
        cmocka_unit_test(ten_differing_lines_take_less_than_2_kb),
        cmocka_unit_test(a_thousand_take_40_bytes_each_and_3_rounds),
        cmocka_unit_test(a_hundred_thousand_take_38_bytes_each),
        cmocka_unit_test(a_thousand_in_common_take_a_twentieth),
        cmocka_unit_test(half_in_common_take_a_twentieth_too),
    };
    return cmocka_run_group_tests(tests, NULL, forget);
}
