/* SPDX-License-Identifier: MIT */
/* No memory at the n-th call, for every n, on either side: NINHO_ERR_NOMEM, nothing leaks, and
 * the other side fails too, or is done with the right answer. */
#include <string.h>

#include "apps/sets/talk.h"

static const struct {
    ninho_sets_question question;
    ninho_sets_method method;
    ninho_sets_audience audience;
    uint64_t here[2]; /* items from .. to */
    uint64_t there[2];
} cases[] = {
    {NINHO_SETS_DIFFERENCE, NINHO_SETS_SKETCH, NINHO_SETS_BOTH, {0, 300}, {10, 305}},
    {NINHO_SETS_DIFFERENCE, NINHO_SETS_BLOOM, NINHO_SETS_ASKER, {0, 300}, {200, 700}},
    {NINHO_SETS_DIFFERENCE, NINHO_SETS_LIST, NINHO_SETS_BOTH, {0, 300}, {200, 900}},
    {NINHO_SETS_DIFFERENCE, NINHO_SETS_AUTO, NINHO_SETS_ASKER, {0, 300}, {0, 0}},
    {NINHO_SETS_COMMON, NINHO_SETS_AUTO, NINHO_SETS_ASKER, {0, 300}, {200, 900}},
    {NINHO_SETS_COMMON, NINHO_SETS_AUTO, NINHO_SETS_BOTH, {0, 900}, {800, 1000}},
};

/* One exchange in which the call number fail_at of that side fails; false if there was none. */
static bool fails(size_t which, unsigned side, size_t fail_at, const ninho_set *here,
                  const ninho_set *there)
{
    struct test_heap heaps[2];
    ninho_exchange_options options[2] = {talk_options(1), talk_options(2)};
    ninho_exchange *sides[2] = {NULL, NULL};
    bool has_failed = false;

    for (unsigned i = 0; i < 2; i++) {
        heap_init(&heaps[i]);
        options[i].alloc = &heaps[i].alloc;
    }
    options[0].question = cases[which].question;
    options[0].method = cases[which].method;
    options[0].audience = cases[which].audience;
    heap_fail_at(&heaps[side], fail_at);
    const ninho_status asks = ninho_exchange_ask(here, &options[0], &sides[0], NULL);
    const ninho_status answers =
        ninho_exchange_answer(there, &options[1], &sides[1], NULL);
    if (asks || answers) {
        CHECK_STATUS(asks ? asks : answers, NINHO_ERR_NOMEM);
        CHECK(!sides[asks ? 0 : 1]);
        has_failed = true;
    } else {
        talk(sides[0], sides[1], NULL);
        has_failed = heaps[side].n_refused > 0;
        for (unsigned i = 0; i < 2; i++) {
            const bool is_done = ninho_exchange_state_of(sides[i]) == NINHO_EXCHANGE_DONE;
            CHECK(is_done || ninho_exchange_state_of(sides[i]) == NINHO_EXCHANGE_FAILED);
            if (i == side && has_failed)
                CHECK_STATUS(ninho_exchange_error(sides[i])->status, NINHO_ERR_NOMEM);
            if (!is_done || !report_of(sides[i]).is_told)
                continue;
            if (cases[which].question == NINHO_SETS_COMMON)
                check_common(sides[i], i ? there : here, i ? here : there);
            else
                check_difference(sides[i], i ? there : here, i ? here : there);
        }
    }
    ninho_exchange_free(sides[0]);
    ninho_exchange_free(sides[1]);
    CHECK_U64(heaps[0].live_blocks, 0);
    CHECK_U64(heaps[1].live_blocks, 0);
    return has_failed;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t which = 0; which < sizeof cases / sizeof *cases; which++) {
        ninho_set *here = new_set();
        ninho_set *there = new_set();
        add_items(here, 3, cases[which].here[0], cases[which].here[1], 40);
        add_items(there, 3, cases[which].there[0], cases[which].there[1], 40);
        for (unsigned side = 0; side < 2; side++) {
            size_t fail_at = 1;
            for (;; fail_at++) {
                test_where("case %zu, side %u, call %zu", which, side, fail_at);
                if (!fails(which, side, fail_at, here, there))
                    break;
            }
            CHECK(fail_at > 3); /* there was something to fail */
        }
        ninho_set_free(here);
        ninho_set_free(there);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
