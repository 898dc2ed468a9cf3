/* SPDX-License-Identifier: MIT */
/* See lies.h. */
#include "apps/sets/lies.h"

#include <string.h>

static void meddle(void *context, unsigned direction, uint64_t first, struct frames *said)
{
    struct lie *lie = context;

    lie->first = first;
    if (direction == lie->direction)
        lie->tell(lie, said);
}

struct end lie_run_sized(const ninho_exchange_options *wish, struct lie *lie,
                         uint64_t n_here)
{
    ninho_exchange_options options = talk_options(71);
    ninho_exchange_options others = talk_options(72);
    uint8_t nonces[2][NINHO_SETS_NONCE_BYTES];
    ninho_exchange *asker = NULL;
    ninho_exchange *answerer = NULL;
    struct test_heap heap;
    struct ns_keys keys;
    ninho_set *here = new_set();
    ninho_set *there = new_set();

    options.question = wish->question;
    options.method = wish->method;
    options.audience = wish->audience;
    options.max_bytes = wish->max_bytes;
    heap_init(&heap);
    *(lie->direction ? &options.alloc : &others.alloc) = &heap.alloc;
    ns_keys_nonce(options.nonce, nonces[0]);
    ns_keys_nonce(others.nonce, nonces[1]);
    ns_keys_init(&keys, NULL);
    add_items(here, 8, 0, n_here, 12);
    add_items(there, 8, 10, 73, 12);
    CHECK_OK(ninho_exchange_ask(here, &options, &asker, NULL));
    CHECK_OK(ninho_exchange_answer(there, &others, &answerer, NULL));
    talk_frames(asker, answerer, meddle, lie, &keys, (const uint8_t(*)[16])nonces);
    struct end end = {ninho_exchange_error(asker)->status,
                      ninho_exchange_error(answerer)->status, report_of(asker), "", 0};
    memcpy(end.text, ninho_exchange_error(lie->direction ? asker : answerer)->text,
           sizeof end.text);
    CHECK(ninho_exchange_state_of(asker) ==
          (end.asker ? NINHO_EXCHANGE_FAILED : NINHO_EXCHANGE_DONE));
    CHECK(ninho_exchange_state_of(answerer) ==
          (end.answerer ? NINHO_EXCHANGE_FAILED : NINHO_EXCHANGE_DONE));
    /* A lie to the asker is never the reason of a wrong answer. */
    if (!end.asker && wish->question != NINHO_SETS_COMMON)
        check_difference(asker, here, there);
    if (!end.answerer && report_of(answerer).is_told &&
        wish->question != NINHO_SETS_COMMON)
        check_difference(answerer, there, here);
    if (!end.answerer && report_of(answerer).is_told &&
        wish->question == NINHO_SETS_COMMON)
        CHECK_U64(ninho_exchange_count(answerer, NINHO_SETS_IN_BOTH),
                  ninho_exchange_count(asker, NINHO_SETS_IN_BOTH));
    /* Of an intersection nothing may be told that is not in it. */
    if (!end.asker && wish->question == NINHO_SETS_COMMON)
        for (size_t i = 0; i < ninho_exchange_count(asker, NINHO_SETS_IN_BOTH); i++) {
            size_t size = 0;
            const void *item = ninho_exchange_item(asker, NINHO_SETS_IN_BOTH, i, &size);
            CHECK(ninho_set_find(there, item, size, NULL));
        }
    ninho_exchange_free(asker);
    ninho_exchange_free(answerer);
    CHECK_U64(heap.live_blocks, 0);
    end.peak = heap.peak_bytes;
    ninho_set_free(here);
    ninho_set_free(there);
    return end;
}

struct end lie_run(const ninho_exchange_options *wish, struct lie *lie)
{
    return lie_run_sized(wish, lie, 60);
}

ninho_exchange_options lie_wish(ninho_sets_question question, ninho_sets_method method)
{
    ninho_exchange_options options = NINHO_EXCHANGE_INIT;

    options.question = question;
    options.method = method;
    return options;
}
