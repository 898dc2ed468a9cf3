/* SPDX-License-Identifier: MIT */
/* Peers that know the protocol, tag every frame rightly, and lie: about sizes, checksums, cells,
 * items, filters. The other side ends, within its memory, with the right answer or a failure. (A
 * peer may always lie about its own set: deny an item, say. That is another set.) */
#include <stdlib.h>
#include <string.h>

#include "apps/sets/lies.h"

/* ---- The greeting ------------------------------------------------------------------ */

/* Where the fields of a greeting lie: 2 for the head, question, audience, key check, nonce. */
#define AT_ITEMS    (2 + 1 + 1 + 8 + 16)
#define AT_CHECKSUM (AT_ITEMS + 1 + 2)

static void lie_checksum(struct lie *lie, struct frames *said)
{
    struct frame *hello = frames_find(said, NS_HELLO);

    if (!hello)
        return;
    hello->payload[AT_CHECKSUM + lie->argument] ^= 1;
    lie->n_told++;
}

static void a_wrong_checksum_never_agrees(void **state)
{
    (void)state;
    for (uint64_t byte = 0; byte < 16; byte++)
        for (int method = NINHO_SETS_AUTO; method <= NINHO_SETS_LIST; method++) {
            const ninho_exchange_options options =
                lie_wish(NINHO_SETS_DIFFERENCE, (ninho_sets_method)method);
            struct lie lie = {.tell = lie_checksum, .direction = 1, .argument = byte};
            const struct end end = lie_run(&options, &lie);
            CHECK_U64(lie.n_told, 1);
            CHECK_STATUS(end.asker, NINHO_ERR_CHECKSUM);
            CHECK(strstr(end.text, "do not agree with its checksum"));
            CHECK(end.report.rounds < 32);
        }
}

static void lie_ropes(struct lie *lie, struct frames *said)
{
    struct frame *hello = frames_find(said, NS_HELLO);

    if (!hello)
        return;
    /* They end the greeting: one byte each here. The argument is the zigzag of what all say. */
    CHECK(hello->size >= AT_CHECKSUM + 16 + NS_ROPES);
    uint8_t rope[NA_VARINT_MAX];
    const size_t size = na_varint_write(rope, lie->argument);
    frame_resize(hello, AT_CHECKSUM + 16 + NS_ROPES * size);
    for (size_t i = 0; i < NS_ROPES; i++)
        memcpy(hello->payload + AT_CHECKSUM + 16 + i * size, rope, size);
    lie->n_told++;
}

/* A wrong estimate costs bytes, and nothing else. */
static void a_wrong_estimate_costs_bytes_alone(void **state)
{
    (void)state;
    static const uint64_t ropes[] = {0, 1, 200, UINT32_MAX, UINT64_MAX, UINT64_MAX - 1};

    for (size_t i = 0; i < sizeof ropes / sizeof *ropes; i++)
        for (int method = NINHO_SETS_AUTO; method <= NINHO_SETS_LIST; method++) {
            const ninho_exchange_options options =
                lie_wish(NINHO_SETS_DIFFERENCE, (ninho_sets_method)method);
            struct lie lie = {.tell = lie_ropes, .direction = 1, .argument = ropes[i]};
            const struct end end = lie_run(&options, &lie);
            test_where("ropes %zu, method %d: %s", i, method, end.text);
            CHECK_U64(lie.n_told, 1);
            CHECK_OK(end.asker);
            CHECK(end.report.is_exact);
        }
}

static void lie_items(struct lie *lie, struct frames *said)
{
    struct frame *hello = frames_find(said, NS_HELLO);

    if (!hello)
        return;
    /* items (1 byte here) | bytes (2 bytes here) become the argument's, of 5 and 7 bytes */
    uint8_t rest[NS_HEAD_MAX];
    const size_t rest_size = hello->size - (AT_ITEMS + 3);
    memcpy(rest, hello->payload + AT_ITEMS + 3, rest_size);
    uint8_t numbers[2 * NA_VARINT_MAX];
    size_t size = na_varint_write(numbers, lie->argument);
    size += na_varint_write(numbers + size, lie->argument * 12);
    frame_resize(hello, AT_ITEMS + size + rest_size);
    memcpy(hello->payload + AT_ITEMS, numbers, size);
    memcpy(hello->payload + AT_ITEMS + size, rest, rest_size);
    lie->n_told++;
}

static void sizes_that_lie_end_the_exchange(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {
        0, 1, 62, 64, 4000, NINHO_SETS_MAX_ITEMS, UINT64_C(1) << 32, UINT64_MAX};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int method = NINHO_SETS_AUTO; method <= NINHO_SETS_FILTER; method++) {
            const bool is_common = method == NINHO_SETS_FILTER;
            const ninho_exchange_options options =
                lie_wish(is_common ? NINHO_SETS_COMMON : NINHO_SETS_DIFFERENCE,
                         is_common ? NINHO_SETS_AUTO : (ninho_sets_method)method);
            struct lie lie = {.tell = lie_items, .direction = 1, .argument = sizes[i]};
            const struct end end = lie_run(&options, &lie);
            test_where("size %llu, method %d: %s", (unsigned long long)sizes[i], method,
                       end.text);
            CHECK_U64(lie.n_told, 1);
            CHECK(is_common || end.asker != NINHO_OK);
            CHECK(end.peak < 4 << 20);
        }
}

/* ---- Cells and items --------------------------------------------------------------- */

enum { NOISE, ZEROS, ONES };

static void lie_cells(struct lie *lie, struct frames *said)
{
    if (!frames_find(said, NS_CELLS + NS_ANSWER))
        return;
    for (size_t i = 0; i < said->n; i++) {
        struct frame *frame = &said->frames[i];
        for (size_t j = 0; frame->type == NS_DATA && j < frame->size; j++)
            frame->payload[j] = lie->argument == NOISE   ? (uint8_t)rng_next(&lie->rng)
                                : lie->argument == ZEROS ? 0
                                                         : 0xff;
    }
    lie->n_told++;
}

static void sketches_that_do_not_decode_end_in_a_list(void **state)
{
    (void)state;
    for (uint64_t what = NOISE; what <= ONES; what++)
        for (int method = NINHO_SETS_AUTO; method <= NINHO_SETS_SKETCH; method++) {
            const ninho_exchange_options options =
                lie_wish(NINHO_SETS_DIFFERENCE, (ninho_sets_method)method);
            struct lie lie = {
                .tell = lie_cells, .direction = 1, .argument = what, .rng = {81 + what}};
            const struct end end = lie_run(&options, &lie);
            test_where("cells %llu: %s", (unsigned long long)what, end.text);
            CHECK_OK(end.asker);
            CHECK(end.report.is_exact);
            if (method == NINHO_SETS_SKETCH) {
                CHECK(lie.n_told > 0);
                CHECK(end.report.fallbacks > 0);
            }
            CHECK(end.report.rounds <= 2 * 6 + 4);
        }
}

enum {
    CHANGED,
    DOUBLED,
    LACKING,
    TOO_MANY,
    TOO_LONG,
    HUGE_COUNT,
    HUGE_DATA,
    N_ITEM_LIES
};

static void lie_item(struct lie *lie, struct frames *said)
{
    struct frame *items = frames_find(said, NS_ITEMS);

    if (!items || said->frames[0].type == NS_HELLO)
        return;
    struct frame *head = &said->frames[0];
    lie->n_told++;
    switch (lie->argument) {
    case CHANGED:
        items->payload[5] ^= 1;
        break;
    case DOUBLED: /* the second is the first again */
        if (items->size >= 2 * 13)
            memcpy(items->payload + 13, items->payload, 13);
        break;
    case LACKING: /* one fewer, and the head says so */
        frame_resize(items, items->size - 13);
        head->payload[1]--;
        break;
    case TOO_MANY:
        frame_resize(items, items->size + 1);
        break;
    case TOO_LONG:
        items->payload[0] = 0xff;
        items->payload[1] = 0xff;
        items->payload[2] = 0x7f;
        break;
    case HUGE_COUNT:
    default: {
        uint8_t numbers[2 * NA_VARINT_MAX];
        size_t size =
            na_varint_write(numbers, lie->argument == HUGE_DATA ? UINT64_C(1) << 40 : 0);
        size += na_varint_write(numbers + size, UINT64_C(1) << 40);
        frame_resize(head, size);
        memcpy(head->payload, numbers, size);
    }
    }
}

static void items_that_lie_are_found_out(void **state)
{
    (void)state;
    for (uint64_t what = CHANGED; what < N_ITEM_LIES; what++)
        for (int method = NINHO_SETS_BLOOM; method <= NINHO_SETS_LIST; method++) {
            const ninho_exchange_options options =
                lie_wish(NINHO_SETS_DIFFERENCE, (ninho_sets_method)method);
            struct lie lie = {.tell = lie_item, .direction = 1, .argument = what};
            const struct end end = lie_run(&options, &lie);
            test_where("items %llu, method %d: %s", (unsigned long long)what, method,
                       end.text);
            CHECK(lie.n_told > 0);
            /* In the end the list lies as well. But what a filter's answer lacks, a sketch of
             * the rest may find. */
            const bool may_recover = method == NINHO_SETS_BLOOM && what == DOUBLED;
            CHECK(end.asker != NINHO_OK || (may_recover && end.report.is_exact));
            CHECK(end.peak < 4 << 20);
        }
}

/* ---- The asker as a liar ----------------------------------------------------------- */

static void lie_request(struct lie *lie, struct frames *said)
{
    struct frame *head = &said->frames[0];
    uint8_t payload[64] = {0};
    size_t size = 2;

    if (said->n == 0 || head->type < NS_CELLS)
        return;
    lie->n_told++;
    switch (lie->argument) {
    case 0: /* 10^9 cells */
        head->type = NS_CELLS;
        size += na_varint_write(payload + size, 0);
        size += na_varint_write(payload + size, 0);
        size += na_varint_write(payload + size, 1000000000);
        break;
    case 1: /* cells from where nobody was */
        head->type = NS_CELLS;
        size += na_varint_write(payload + size, 0);
        size += na_varint_write(payload + size, 5);
        size += na_varint_write(payload + size, 6);
        break;
    case 2: /* a salt that does not exist */
        head->type = NS_CELLS;
        size += na_varint_write(payload + size, 1000);
        size += na_varint_write(payload + size, 0);
        size += na_varint_write(payload + size, 6);
        break;
    case 3: /* no cells */
        head->type = NS_CELLS;
        size += 3;
        break;
    case 4: /* hashes of 0 bytes, and of 9 */
    case 5:
        head->type = NS_FETCH;
        payload[size++] = lie->argument == 4 ? 0 : 9;
        break;
    case 6: /* 2^40 bytes of them */
        head->type = NS_FETCH;
        size = na_varint_write(payload, UINT64_C(1) << 40) + 1;
        payload[size++] = 8;
        break;
    case 7: /* a filter of no bits, of too many */
    case 8:
        head->type = NS_BLOOM;
        size += na_varint_write(payload + size, lie->argument == 7 ? 0 : UINT32_MAX);
        break;
    case 9: /* a filter of no bytes */
        head->type = NS_BLOOM;
        size += na_varint_write(payload + size, 2560);
        break;
    case 10: /* to be told what nobody asked for */
        head->type = NS_TELL;
        size += 16;
        break;
    case 11: /* another question's request */
        head->type = NS_SIFT;
        payload[size++] = NINHO_BLOOM;
        payload[size++] = 0;
        payload[size++] = 4;
        break;
    case 12: /* no request at all */
        head->type = 99;
        break;
    default: /* an answer */
        head->type = NS_LIST + NS_ANSWER;
    }
    while (said->n > 1)
        frames_remove(said, said->n - 1);
    frame_resize(head, size);
    memcpy(head->payload, payload, size);
}

static void requests_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    for (uint64_t what = 0; what <= 13; what++) {
        const ninho_exchange_options options =
            lie_wish(NINHO_SETS_DIFFERENCE, NINHO_SETS_SKETCH);
        struct lie lie = {.tell = lie_request, .direction = 0, .argument = what};
        const struct end end = lie_run(&options, &lie);
        test_where("request %llu: %s", (unsigned long long)what, end.text);
        CHECK(lie.n_told > 0);
        CHECK_STATUS(end.answerer, what == 0 ? NINHO_ERR_FULL : NINHO_ERR_FORMAT);
        CHECK_STATUS(end.asker, NINHO_ERR_MISMATCH); /* it hears why */
        CHECK(end.peak < 4 << 20);
    }
}

/* An asker that asks for ever, always rightly. */
static void requests_are_counted(void **state)
{
    (void)state;
    ninho_exchange_options options = talk_options(91);
    ninho_exchange_options others = talk_options(92);
    uint8_t nonces[2][NINHO_SETS_NONCE_BYTES];
    struct ns_keys keys;
    struct ns_keys first;
    ninho_exchange *asker = NULL;
    ninho_exchange *answerer = NULL;
    ninho_set *set = new_set();
    struct ns_wire wire = {.direction = 0};
    const ninho_alloc alloc = na_allocator(NULL);
    const void *bytes = NULL;
    size_t n_served = 0;

    add_items(set, 8, 0, 10, 12);
    CHECK_OK(ninho_exchange_ask(set, &options, &asker, NULL));
    CHECK_OK(ninho_exchange_answer(set, &others, &answerer, NULL));
    const size_t n = ninho_exchange_output(asker, &bytes);
    CHECK_OK(ninho_exchange_take(answerer, bytes, n));
    ns_keys_init(&first, NULL);
    keys = first;
    ns_keys_nonce(options.nonce, nonces[0]);
    ns_keys_nonce(others.nonce, nonces[1]);
    ns_keys_mix(&keys, nonces[0], nonces[1]);
    wire.n_sent = 1;
    while (ninho_exchange_state_of(answerer) != NINHO_EXCHANGE_FAILED) {
        for (size_t more; (more = ninho_exchange_output(answerer, &bytes)) > 0;)
            ninho_exchange_sent(answerer, more);
        wire.out.size = 0;
        CHECK(ns_wire_send(&alloc, &wire, &keys, NS_LIST, "\0\0", 2));
        (void)ninho_exchange_take(answerer, wire.out.data, wire.out.size);
        CHECK(++n_served < 1000);
    }
    CHECK_STATUS(ninho_exchange_error(answerer)->status, NINHO_ERR_FORMAT);
    CHECK(strstr(ninho_exchange_error(answerer)->text, "more than 64 requests"));
    ns_wire_free(&alloc, &wire);
    ninho_exchange_free(asker);
    ninho_exchange_free(answerer);
    ninho_set_free(set);
}

static void lie_told(struct lie *lie, struct frames *said)
{
    if (said->n == 0 || said->frames[0].type != NS_TELL)
        return;
    lie->n_told++;
    for (size_t i = 0; i < said->n; i++) {
        struct frame *frame = &said->frames[i];
        if ((lie->argument == 0 && i == 0) ||
            (lie->argument == 1 && frame->type == NS_DATA) ||
            (lie->argument == 2 && frame->type == NS_ITEMS))
            frame->payload[frame->size - 1] ^= 1;
    }
}

static void a_difference_that_is_told_is_checked(void **state)
{
    (void)state;
    for (uint64_t what = 0; what < 3; what++) {
        ninho_exchange_options options = lie_wish(NINHO_SETS_DIFFERENCE, NINHO_SETS_AUTO);
        struct lie lie = {.tell = lie_told, .direction = 0, .argument = what};
        options.audience = NINHO_SETS_BOTH;
        const struct end end = lie_run(&options, &lie);
        CHECK_U64(lie.n_told, 1);
        CHECK_STATUS(end.answerer, NINHO_ERR_CHECKSUM);
        CHECK(end.asker != NINHO_OK);
    }
}

/* The asker says that it has one item more, and tells one that both have as its own alone; the
 * checksum fits. */
static void lie_twice(struct lie *lie, struct frames *said)
{
    struct frame *hello = frames_find(said, NS_HELLO);
    struct frame *head = frames_find(said, NS_TELL);
    struct frame *items = frames_find(said, NS_ITEMS);

    if (hello)
        hello->payload[AT_ITEMS]++;
    if (!head || !items)
        return;
    uint8_t nonces[2][NINHO_SETS_NONCE_BYTES];
    struct ns_keys keys;
    ns_keys_nonce(talk_options(71).nonce, nonces[0]);
    ns_keys_nonce(talk_options(72).nonce, nonces[1]);
    ns_keys_init(&keys, NULL);
    ns_keys_mix(&keys, nonces[0], nonces[1]);
    ninho_set *set = new_set();
    add_items(set, 8, 20, 21, 12);
    const void *item = ninho_set_item(set, 0, NULL);
    const struct ns_sum hash = ns_keys_wide(&keys, item, 12);

    uint8_t *at = head->payload + head->size - 16;
    struct ns_sum sum = {na_load(at, 8), na_load(at + 8, 8)};
    ns_sum_add(&sum, &hash);
    na_store(at, sum.low, 8);
    na_store(at + 8, sum.high, 8);
    at[-1]++; /* items: a varint of one byte */
    frame_resize(items, items->size + 13);
    items->payload[items->size - 13] = 12;
    memcpy(items->payload + items->size - 12, item, 12);
    ninho_set_free(set);
    lie->n_told++;
}

static void what_is_told_as_only_there_is_not_here(void **state)
{
    (void)state;
    ninho_exchange_options options = lie_wish(NINHO_SETS_DIFFERENCE, NINHO_SETS_LIST);
    struct lie lie = {.tell = lie_twice, .direction = 0};

    options.audience = NINHO_SETS_BOTH;
    const struct end end = lie_run(&options, &lie);
    CHECK_U64(lie.n_told, 1);
    CHECK_STATUS(end.answerer, NINHO_ERR_FORMAT);
    CHECK(strstr(end.text, "as its own alone"));
}

/* ---- Anything ---------------------------------------------------------------------- */

/* Changes a random byte of a random frame, or its length, or its type. */
static void lie_anyhow(struct lie *lie, struct frames *said)
{
    if (said->n == 0 || rng_below(&lie->rng, 3) != 0)
        return;
    struct frame *frame = &said->frames[rng_below(&lie->rng, said->n)];
    lie->n_told++;
    switch (rng_below(&lie->rng, 8)) {
    case 0:
        frame_resize(frame, (size_t)rng_below(&lie->rng, frame->size + 1));
        break;
    case 1:
        frame_resize(frame, frame->size + (size_t)rng_below(&lie->rng, 20));
        break;
    case 2:
        frame->type = (uint8_t)rng_below(&lie->rng, 64);
        break;
    default:
        if (frame->size)
            frame->payload[rng_below(&lie->rng, frame->size)] ^=
                (uint8_t)(1 + rng_below(&lie->rng, 255));
    }
}

static void no_lie_makes_a_wrong_answer(void **state)
{
    (void)state;
    struct test_rng rng = {test_seed(83)};
    size_t n_done = 0;
    size_t n_failed = 0;

    for (size_t t = 0; t < test_scaled(4000, 400); t++) {
        const bool is_common = t % 3 == 0;
        ninho_exchange_options options =
            lie_wish(is_common ? NINHO_SETS_COMMON : NINHO_SETS_DIFFERENCE,
                     is_common ? NINHO_SETS_AUTO : (ninho_sets_method)rng_below(&rng, 4));
        options.audience = rng_below(&rng, 2) ? NINHO_SETS_BOTH : NINHO_SETS_ASKER;
        struct lie lie = {.tell = lie_anyhow,
                          .direction = (unsigned)rng_below(&rng, 2),
                          .rng = {rng_next(&rng)}};
        test_where("trial %zu", t);
        const struct end end = lie_run(&options, &lie);
        n_done += !end.asker;
        n_failed += end.asker != 0;
        CHECK(end.peak < 4 << 20);
    }
    CHECK(n_done > 0 && n_failed > 0);
}

/* ---- Limits ------------------------------------------------------------------------ */

static void lie_not(struct lie *lie, struct frames *said)
{
    (void)said;
    lie->n_told++;
}

static void the_limit_of_memory_is_kept(void **state)
{
    (void)state;
    for (int method = NINHO_SETS_BLOOM; method <= NINHO_SETS_LIST; method++) {
        ninho_exchange_options options =
            lie_wish(NINHO_SETS_DIFFERENCE, (ninho_sets_method)method);
        struct lie lie = {.tell = lie_not, .direction = 1};
        options.max_bytes = 100; /* two items */
        const struct end end = lie_run(&options, &lie);
        CHECK_STATUS(end.asker, NINHO_ERR_FULL);
        CHECK(strstr(end.text, "100"));
    }
}

/* Many short items are the dearest there are: arrays over them grow, and are copied meanwhile. */
static void memory_is_at_most_twice_the_limit(void **state)
{
    (void)state;
    const ninho_exchange_options others = talk_options(96);
    ninho_exchange_options options = talk_options(95);
    ninho_exchange *asker = NULL;
    ninho_exchange *answerer = NULL;
    ninho_set *here = new_set();
    ninho_set *there = new_set();
    struct test_heap heap;

    heap_init(&heap);
    options.method = NINHO_SETS_LIST;
    options.max_bytes = 12 << 20;
    options.alloc = &heap.alloc;
    add_items(there, 8, 0, 500000, 11);
    CHECK_OK(ninho_exchange_ask(here, &options, &asker, NULL));
    CHECK_OK(ninho_exchange_answer(there, &others, &answerer, NULL));
    talk(asker, answerer, NULL);
    CHECK_STATUS(ninho_exchange_error(asker)->status, NINHO_ERR_FULL);
    test_where("%zu bytes", heap.peak_bytes);
    CHECK(heap.peak_bytes <= 2 * options.max_bytes);
    ninho_exchange_free(asker);
    ninho_exchange_free(answerer);
    ninho_set_free(here);
    ninho_set_free(there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_checksum_never_agrees),
        cmocka_unit_test(a_wrong_estimate_costs_bytes_alone),
        cmocka_unit_test(sizes_that_lie_end_the_exchange),
        cmocka_unit_test(sketches_that_do_not_decode_end_in_a_list),
        cmocka_unit_test(items_that_lie_are_found_out),
        cmocka_unit_test(requests_that_make_no_sense_are_refused),
        cmocka_unit_test(requests_are_counted),
        cmocka_unit_test(a_difference_that_is_told_is_checked),
        cmocka_unit_test(what_is_told_as_only_there_is_not_here),
        cmocka_unit_test(no_lie_makes_a_wrong_answer),
        cmocka_unit_test(the_limit_of_memory_is_kept),
        cmocka_unit_test(memory_is_at_most_twice_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
