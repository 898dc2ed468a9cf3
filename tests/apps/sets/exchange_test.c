/* SPDX-License-Identifier: MIT */
/* Whole exchanges between sides that mean well: every method, every size, every way of cutting the
 * stream, and each time the answer that a plain search gives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/sets/talk.h"

struct plan {
    ninho_sets_question question;
    ninho_sets_method method;
    ninho_sets_precision precision;
    ninho_sets_audience audience;
    bool is_keyed;
    uint64_t nonce;
};

static ninho_exchange_report run(const ninho_set *here, const ninho_set *there,
                                 const struct plan *plan, const struct talk_way *way)
{
    static const uint8_t secret[NINHO_SECRET_BYTES] = "0123456789abcde";
    ninho_exchange_options options = talk_options(plan->nonce);
    ninho_exchange_options others = talk_options(plan->nonce + 1);
    ninho_exchange *asker = NULL;
    ninho_exchange *answerer = NULL;

    options.question = plan->question;
    options.method = plan->method;
    options.precision = plan->precision;
    options.audience = plan->audience;
    options.secret = others.secret = plan->is_keyed ? secret : NULL;
    CHECK_OK(ninho_exchange_ask(here, &options, &asker, NULL));
    CHECK_OK(ninho_exchange_answer(there, &others, &answerer, NULL));
    CHECK_U64(ninho_exchange_count(asker, NINHO_SETS_ONLY_HERE), 0);
    talk(asker, answerer, way);
    CHECK(strcmp(ninho_exchange_error(asker)->text, "") == 0);
    CHECK(strcmp(ninho_exchange_error(answerer)->text, "") == 0);
    CHECK(ninho_exchange_state_of(asker) == NINHO_EXCHANGE_DONE);
    CHECK(ninho_exchange_state_of(answerer) == NINHO_EXCHANGE_DONE);
    const ninho_exchange_report report = report_of(asker);
    const ninho_exchange_report other = report_of(answerer);
    CHECK(report.is_told);
    CHECK(other.is_told == (plan->audience == NINHO_SETS_BOTH));
    CHECK_U64(report.bytes_sent, other.bytes_received);
    CHECK_U64(report.bytes_received, other.bytes_sent);
    CHECK_U64(report.n_here, ninho_set_count(here));
    CHECK_U64(report.n_there, ninho_set_count(there));
    CHECK_U64(report.rounds, other.rounds);
    if (plan->precision == NINHO_SETS_EXACT) {
        CHECK(report.is_exact);
        if (plan->question == NINHO_SETS_COMMON)
            check_common(asker, here, there);
        else
            check_difference(asker, here, there);
        CHECK_U64(report.only_here + report.in_both, report.n_here);
        CHECK_U64(report.only_there + report.in_both, report.n_there);
    }
    if (other.is_told && plan->question == NINHO_SETS_COMMON)
        check_common(answerer, there, here);
    else if (other.is_told)
        check_difference(answerer, there, here);
    if (!other.is_told)
        for (int part = 1; part <= 3; part++)
            CHECK_U64(ninho_exchange_count(answerer, (ninho_sets_part)part), 0);
    ninho_exchange_free(asker);
    ninho_exchange_free(answerer);
    return report;
}

/* Every question, method and audience over two sets. */
static void run_all(const ninho_set *here, const ninho_set *there, uint64_t nonce,
                    const struct talk_way *way)
{
    for (int method = NINHO_SETS_AUTO; method <= NINHO_SETS_LIST; method++)
        for (int audience = 0; audience < 2; audience++) {
            const struct plan plan = {.question = NINHO_SETS_DIFFERENCE,
                                      .method = (ninho_sets_method)method,
                                      .audience = (ninho_sets_audience)audience,
                                      .is_keyed = (nonce + (uint64_t)method) % 2 == 1,
                                      .nonce = nonce};
            nonce++;
            (void)run(here, there, &plan, way);
        }
    for (int audience = 0; audience < 2; audience++) {
        const struct plan plan = {.question = NINHO_SETS_COMMON,
                                  .audience = (ninho_sets_audience)audience,
                                  .is_keyed = audience == 1,
                                  .nonce = nonce};
        nonce++;
        (void)run(here, there, &plan, way);
    }
}

static void random_pairs_of_sets(void **state)
{
    (void)state;
    struct test_rng rng = {test_seed(11)};
    static const uint64_t sizes[] = {0, 1, 2, 3, 10, 50, 300, 2000, 20000};

    for (size_t t = 0; t < test_scaled(150, 30); t++) {
        const uint64_t most = sizes[rng_below(&rng, t % 10 == 0 ? 9 : 8)];
        /* Shares of the difference from none to all. */
        const uint64_t shared = rng_below(&rng, most + 1);
        const uint64_t here_only =
            rng_below(&rng, 4) ? rng_below(&rng, most - shared + 1) : 0;
        const uint64_t there_only =
            rng_below(&rng, 4) ? rng_below(&rng, most - shared + 1) : 0;
        const size_t size = 11 + (size_t)rng_below(&rng, 60);
        ninho_set *here = new_set();
        ninho_set *there = new_set();
        test_where("pair %zu: %llu shared, %llu here, %llu there", t,
                   (unsigned long long)shared, (unsigned long long)here_only,
                   (unsigned long long)there_only);
        add_items(there, t, shared + here_only, shared + here_only + there_only, size);
        add_items(here, t, 0, shared + here_only, size);
        add_items(there, t, 0, shared, size);
        run_all(here, there, rng_next(&rng), NULL);
        ninho_set_free(here);
        ninho_set_free(there);
    }
}

static void a_million_items(void **state)
{
    (void)state;
    static const uint64_t differences[] = {0, 1, 1000, 300000};
    const uint64_t n =
        test_scaled(300000, 100000) < 1000000 ? test_scaled(300000, 100000) : 1000000;

    for (size_t i = 0; i < 4; i++) {
        const uint64_t d = differences[i] < n ? differences[i] : n;
        ninho_set *here = new_set();
        ninho_set *there = new_set();
        const struct plan plan = {.question = NINHO_SETS_DIFFERENCE, .nonce = i};
        add_items(here, 1, 0, n, 16);
        add_items(there, 1, d, n + d / 2, 16);
        (void)run(here, there, &plan, NULL);
        ninho_set_free(here);
        ninho_set_free(there);
    }
}

static void empty_sets_on_either_side(void **state)
{
    (void)state;
    ninho_set *empty = new_set();
    ninho_set *one = new_set();
    ninho_set *nothing = new_set(); /* the item of no bytes */
    ninho_set *some = new_set();
    const ninho_set *sets[] = {empty, one, nothing, some};

    add_items(one, 3, 0, 1, 20);
    CHECK_OK(ninho_set_add(nothing, "", 0, NULL));
    add_items(some, 3, 0, 100, 20);
    CHECK_OK(ninho_set_add(some, "", 0, NULL));
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            test_where("sets %zu and %zu", i, j);
            run_all(sets[i], sets[j], 10 * i + j, NULL);
        }
    ninho_set_free(empty);
    ninho_set_free(one);
    ninho_set_free(nothing);
    ninho_set_free(some);
}

/* Items of 0 bytes to 64 KiB and of 1 MiB, of any bytes, that differ in their last byte. */
static void items_of_any_length(void **state)
{
    (void)state;
    uint8_t *bytes = malloc(NINHO_SETS_MAX_ITEM);
    ninho_set *here = new_set();
    ninho_set *there = new_set();

    CHECK(bytes);
    for (size_t i = 0; i < NINHO_SETS_MAX_ITEM; i++)
        bytes[i] = (uint8_t)(i % 7 ? mix64(i) : 0);
    for (size_t size = 0; size <= 65536; size = size < 300 ? size + 1 : size * 2) {
        CHECK_OK(ninho_set_add(here, bytes, size, NULL));
        if (size == 0 || size % 3)
            CHECK_OK(ninho_set_add(there, bytes, size, NULL));
        if (size == 0)
            continue;
        bytes[size - 1] ^= 1;
        CHECK_OK(ninho_set_add(size % 2 ? here : there, bytes, size, NULL));
        bytes[size - 1] ^= 1;
    }
    CHECK_OK(ninho_set_add(there, bytes, NINHO_SETS_MAX_ITEM, NULL));
    run_all(here, there, 77, NULL);
    run_all(there, here, 78, NULL);
    free(bytes);
    ninho_set_free(here);
    ninho_set_free(there);
}

/* Streams cut anywhere say the same, to the byte. */
static void chunks_of_any_size(void **state)
{
    (void)state;
    struct test_rng rng = {test_seed(12)};
    ninho_set *here = new_set();
    ninho_set *there = new_set();
    const struct talk_way ways[] = {{.most = 1}, {.most = 7}, {.most = 100, .rng = &rng}};

    add_items(here, 4, 0, 300, 30);
    add_items(there, 4, 20, 330, 30);
    for (int question = NINHO_SETS_DIFFERENCE; question <= NINHO_SETS_COMMON; question++)
        for (int method = NINHO_SETS_AUTO; method <= NINHO_SETS_LIST; method++) {
            if (question == NINHO_SETS_COMMON && method != NINHO_SETS_AUTO)
                continue;
            struct talk_log logs[2] = {{{0}, {0}, {0}}, {{0}, {0}, {0}}};
            const struct plan plan = {.question = (ninho_sets_question)question,
                                      .method = (ninho_sets_method)method,
                                      .nonce = 5};
            struct talk_way way = {.log = &logs[0]};
            (void)run(here, there, &plan, &way);
            for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
                way = ways[i];
                way.log = &logs[1];
                (void)run(here, there, &plan, &way);
                for (unsigned side = 0; side < 2; side++) {
                    CHECK_U64(logs[1].size[side], logs[0].size[side]);
                    CHECK(memcmp(logs[1].bytes[side], logs[0].bytes[side],
                                 logs[0].size[side]) == 0);
                }
                talk_log_free(&logs[1]);
            }
            talk_log_free(&logs[0]);
        }
    ninho_set_free(here);
    ninho_set_free(there);
}

/* What goes over the wire is fixed for version 1: a change here wants a new version. */
static void version_1_is_pinned(void **state)
{
    (void)state;
    static const struct {
        ninho_sets_question question;
        ninho_sets_method method;
        uint64_t hashes[2];
    } pins[] = {
        {NINHO_SETS_DIFFERENCE,
         NINHO_SETS_SKETCH,
         {UINT64_C(0x10b305d4b83fa3f8), UINT64_C(0x4ec916a78404e75a)}},
        {NINHO_SETS_DIFFERENCE,
         NINHO_SETS_BLOOM,
         {UINT64_C(0x36cd80cbf0a52450), UINT64_C(0x1c82c39870f0ff82)}},
        {NINHO_SETS_DIFFERENCE,
         NINHO_SETS_LIST,
         {UINT64_C(0x5b727f97f73c911a), UINT64_C(0xd6e3994a6f634cbf)}},
        {NINHO_SETS_COMMON,
         NINHO_SETS_AUTO,
         {UINT64_C(0x8e2c82516d104b9c), UINT64_C(0x2e20776fc568b54a)}},
    };
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    ninho_set *here = new_set();
    ninho_set *there = new_set();

    add_items(here, 4, 0, 100, 30);
    add_items(there, 4, 20, 110, 30);
    for (size_t i = 0; i < sizeof pins / sizeof *pins; i++) {
        struct talk_log log = {{0}, {0}, {0}};
        const struct talk_way way = {.log = &log};
        const struct plan plan = {.question = pins[i].question,
                                  .method = pins[i].method,
                                  .audience = NINHO_SETS_BOTH,
                                  .is_keyed = true,
                                  .nonce = 5};
        (void)run(here, there, &plan, &way);
        test_where("pin %zu", i);
        for (unsigned side = 0; side < 2; side++)
            CHECK_U64(ninho_hash_bytes(&hasher, log.bytes[side], log.size[side]),
                      pins[i].hashes[side]);
        talk_log_free(&log);
    }
    ninho_set_free(here);
    ninho_set_free(there);
}

/* A filter alone misses about its rate of the difference, says so, and finds nothing wrong. */
static void approximate_misses_what_it_says(void **state)
{
    (void)state;
    const uint64_t d = 20000;
    ninho_set *here = new_set();
    ninho_set *there = new_set();
    const struct plan plan = {.question = NINHO_SETS_DIFFERENCE,
                              .method = NINHO_SETS_BLOOM,
                              .precision = NINHO_SETS_APPROXIMATE,
                              .nonce = 3};

    add_items(here, 6, 0, 30000, 16);
    add_items(there, 6, d, 30000 + d, 16);
    const ninho_exchange_report report = run(here, there, &plan, NULL);
    CHECK(!report.is_exact);
    CHECK(is_near(report.filter_fpr, 0.01, 0.05));
    CHECK_U64(report.rounds, 1);
    const double missed = (double)(2 * d - report.only_here - report.only_there);
    CHECK(missed <= binomial_high(2 * (double)d, report.filter_fpr, 5));
    CHECK(missed >= binomial_low(2 * (double)d, report.filter_fpr, 5));
    ninho_set_free(here);
    ninho_set_free(there);
}

/* With a difference so small that the filter misses none of it, the checksum agrees for free. */
static void approximate_may_be_exact(void **state)
{
    (void)state;
    ninho_set *here = new_set();
    ninho_set *there = new_set();
    const struct plan plan = {.question = NINHO_SETS_DIFFERENCE,
                              .method = NINHO_SETS_BLOOM,
                              .precision = NINHO_SETS_APPROXIMATE,
                              .nonce = 4};

    add_items(here, 6, 0, 1001, 16);
    add_items(there, 6, 0, 1000, 16);
    CHECK(run(here, there, &plan, NULL).is_exact);
    ninho_set_free(here);
    ninho_set_free(there);
}

static void options_are_checked(void **state)
{
    (void)state;
    ninho_set *set = new_set();
    ninho_exchange *x = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    struct {
        ninho_exchange_options options;
        uint64_t more;
    } newer = {.options = NINHO_EXCHANGE_INIT, .more = 1};
    ninho_exchange_options bad[9];
    ninho_sets_method method = NINHO_SETS_AUTO;

    for (size_t i = 0; i < 9; i++)
        bad[i] = talk_options(1);
    bad[0].size_of_struct = 0;
    bad[1].question = (ninho_sets_question)3;
    bad[2].method = NINHO_SETS_FILTER;
    bad[3].method = (ninho_sets_method)6;
    bad[4].precision = NINHO_SETS_APPROXIMATE;
    bad[5].audience = (ninho_sets_audience)2;
    bad[6].fpr = 1;
    bad[7].fpr = -0.5;
    bad[8].question = NINHO_SETS_COMMON;
    bad[8].method = NINHO_SETS_SKETCH;
    for (size_t i = 0; i < 9; i++) {
        test_where("options %zu", i);
        CHECK_STATUS(ninho_exchange_ask(set, &bad[i], &x, &error), NINHO_ERR_ARG);
        CHECK(error.status == NINHO_ERR_ARG && error.text[0]);
        CHECK(!x);
    }
    newer.options.size_of_struct = sizeof newer;
    CHECK_STATUS(ninho_exchange_answer(set, &newer.options, &x, &error), NINHO_ERR_ARG);
    newer.more = 0;
    CHECK_OK(ninho_exchange_answer(set, &newer.options, &x, &error));
    ninho_exchange_report report = {.size_of_struct = 0};
    CHECK_STATUS(ninho_exchange_report_of(x, &report), NINHO_ERR_ARG);
    ninho_exchange_free(x);
    ninho_exchange_free(NULL);
    for (int i = NINHO_SETS_AUTO; i <= NINHO_SETS_NONE; i++) {
        const char *name = ninho_sets_method_name((ninho_sets_method)i);
        CHECK(ninho_sets_method_from_name(name, &method) && (int)method == i);
    }
    CHECK(!ninho_sets_method_from_name("Bloom", &method));
    CHECK(!ninho_sets_method_name((ninho_sets_method)6));
    ninho_set_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pairs_of_sets),
        cmocka_unit_test(a_million_items),
        cmocka_unit_test(empty_sets_on_either_side),
        cmocka_unit_test(items_of_any_length),
        cmocka_unit_test(chunks_of_any_size),
        cmocka_unit_test(version_1_is_pinned),
        cmocka_unit_test(approximate_misses_what_it_says),
        cmocka_unit_test(approximate_may_be_exact),
        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
