/* SPDX-License-Identifier: MIT */
/* Peers that know the protocol, tag every frame rightly, and lie: about sizes, checksums, cells,
 * items, filters. The other side ends, within its memory, with the right answer or a failure. (A
 * peer may always lie about its own set: deny an item, say. That is another set.) */
#include <stdlib.h>
#include <string.h>

#include "apps/sets/estimate.h"
#include "apps/sets/frames.h"

struct lie {
    void (*tell)(struct lie *lie, struct frames *said);
    unsigned direction; /* who lies: 0 the asker */
    uint64_t first;     /* of the frames said in this turn */
    uint64_t argument;
    struct test_rng rng;
    size_t n_told;
};

static void meddle(void *context, unsigned direction, uint64_t first, struct frames *said)
{
    struct lie *lie = context;

    lie->first = first;
    if (direction == lie->direction)
        lie->tell(lie, said);
}

struct end {
    ninho_status asker;
    ninho_status answerer;
    ninho_exchange_report report;
    char text[240];
    size_t peak;
};

/* Runs an exchange with a liar in it: items 0 .. n_here here, 10 .. 73 there. */
static struct end run_sized(const ninho_exchange_options *wish, struct lie *lie,
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

static struct end run(const ninho_exchange_options *wish, struct lie *lie)
{
    return run_sized(wish, lie, 60);
}

static ninho_exchange_options wish(ninho_sets_question question, ninho_sets_method method)
{
    ninho_exchange_options options = NINHO_EXCHANGE_INIT;

    options.question = question;
    options.method = method;
    return options;
}

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
                wish(NINHO_SETS_DIFFERENCE, (ninho_sets_method)method);
            struct lie lie = {.tell = lie_checksum, .direction = 1, .argument = byte};
            const struct end end = run(&options, &lie);
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
    uint8_t rope[NS_VARINT_MAX];
    const size_t size = ns_varint_write(rope, lie->argument);
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
                wish(NINHO_SETS_DIFFERENCE, (ninho_sets_method)method);
            struct lie lie = {.tell = lie_ropes, .direction = 1, .argument = ropes[i]};
            const struct end end = run(&options, &lie);
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
    uint8_t numbers[2 * NS_VARINT_MAX];
    size_t size = ns_varint_write(numbers, lie->argument);
    size += ns_varint_write(numbers + size, lie->argument * 12);
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
                wish(is_common ? NINHO_SETS_COMMON : NINHO_SETS_DIFFERENCE,
                     is_common ? NINHO_SETS_AUTO : (ninho_sets_method)method);
            struct lie lie = {.tell = lie_items, .direction = 1, .argument = sizes[i]};
            const struct end end = run(&options, &lie);
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
                wish(NINHO_SETS_DIFFERENCE, (ninho_sets_method)method);
            struct lie lie = {
                .tell = lie_cells, .direction = 1, .argument = what, .rng = {81 + what}};
            const struct end end = run(&options, &lie);
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
        uint8_t numbers[2 * NS_VARINT_MAX];
        size_t size =
            ns_varint_write(numbers, lie->argument == HUGE_DATA ? UINT64_C(1) << 40 : 0);
        size += ns_varint_write(numbers + size, UINT64_C(1) << 40);
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
                wish(NINHO_SETS_DIFFERENCE, (ninho_sets_method)method);
            struct lie lie = {.tell = lie_item, .direction = 1, .argument = what};
            const struct end end = run(&options, &lie);
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
        size += ns_varint_write(payload + size, 0);
        size += ns_varint_write(payload + size, 0);
        size += ns_varint_write(payload + size, 1000000000);
        break;
    case 1: /* cells from where nobody was */
        head->type = NS_CELLS;
        size += ns_varint_write(payload + size, 0);
        size += ns_varint_write(payload + size, 5);
        size += ns_varint_write(payload + size, 6);
        break;
    case 2: /* a salt that does not exist */
        head->type = NS_CELLS;
        size += ns_varint_write(payload + size, 1000);
        size += ns_varint_write(payload + size, 0);
        size += ns_varint_write(payload + size, 6);
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
        size = ns_varint_write(payload, UINT64_C(1) << 40) + 1;
        payload[size++] = 8;
        break;
    case 7: /* a filter of no bits, of too many */
    case 8:
        head->type = NS_BLOOM;
        size += ns_varint_write(payload + size, lie->argument == 7 ? 0 : UINT32_MAX);
        break;
    case 9: /* a filter of no bytes */
        head->type = NS_BLOOM;
        size += ns_varint_write(payload + size, 2560);
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
            wish(NINHO_SETS_DIFFERENCE, NINHO_SETS_SKETCH);
        struct lie lie = {.tell = lie_request, .direction = 0, .argument = what};
        const struct end end = run(&options, &lie);
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
    const ninho_alloc alloc = ns_allocator(NULL);
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
    CHECK_STATUS(ninho_exchange_error(answerer)->status, NINHO_ERR_FULL);
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
        ninho_exchange_options options = wish(NINHO_SETS_DIFFERENCE, NINHO_SETS_AUTO);
        struct lie lie = {.tell = lie_told, .direction = 0, .argument = what};
        options.audience = NINHO_SETS_BOTH;
        const struct end end = run(&options, &lie);
        CHECK_U64(lie.n_told, 1);
        CHECK_STATUS(end.answerer, NINHO_ERR_CHECKSUM);
        CHECK(end.asker != NINHO_OK);
    }
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
            wish(is_common ? NINHO_SETS_COMMON : NINHO_SETS_DIFFERENCE,
                 is_common ? NINHO_SETS_AUTO : (ninho_sets_method)rng_below(&rng, 4));
        options.audience = rng_below(&rng, 2) ? NINHO_SETS_BOTH : NINHO_SETS_ASKER;
        struct lie lie = {.tell = lie_anyhow,
                          .direction = (unsigned)rng_below(&rng, 2),
                          .rng = {rng_next(&rng)}};
        test_where("trial %zu", t);
        const struct end end = run(&options, &lie);
        n_done += !end.asker;
        n_failed += end.asker != 0;
        CHECK(end.peak < 4 << 20);
    }
    CHECK(n_done > 0 && n_failed > 0);
}

/* ---- Intersections ----------------------------------------------------------------- */

/* The sum over the common items is wrong, the first `argument` times. */
static void lie_sum(struct lie *lie, struct frames *said)
{
    struct frame *head = said->n ? &said->frames[0] : NULL;

    if (!head ||
        (head->type != NS_VERIFY + NS_ANSWER && head->type != NS_MATCH + NS_ANSWER) ||
        lie->n_told >= lie->argument)
        return;
    lie->n_told++;
    head->payload[head->size - 1] ^= 0x80;
}

/* Sums that differ are the sign of two items with one short hash: it tries again with longer ones,
 * and not for ever. */
static void sums_that_differ_are_tried_again(void **state)
{
    (void)state;
    for (int is_larger = 0; is_larger < 2; is_larger++)
        for (uint64_t n = 0; n <= 4; n++) {
            ninho_exchange_options options = wish(NINHO_SETS_COMMON, NINHO_SETS_AUTO);
            struct lie lie = {.tell = lie_sum, .direction = 1, .argument = n};
            options.audience = NINHO_SETS_BOTH;
            const struct end end = run_sized(&options, &lie, is_larger ? 80 : 60);
            test_where("%llu lies: %s", (unsigned long long)n, end.text);
            CHECK_STATUS(end.asker, n < 3 ? NINHO_OK : NINHO_ERR_CHECKSUM);
            if (n < 3) {
                CHECK_U64(end.report.fallbacks, n);
                CHECK_U64(end.report.in_both, is_larger ? 63 : 50);
                CHECK(end.report.is_exact);
            }
        }
}

/* Filters of the wrong size, or of no sense; candidates in disorder. */
static void lie_data(struct lie *lie, struct frames *said)
{
    struct frame *data = frames_find(said, NS_DATA);

    if (!data || said->n != 2 || lie->n_told > 0)
        return;
    lie->n_told++;
    if (lie->argument == 1) { /* backwards */
        for (size_t i = 0; i < data->size / 2; i++) {
            const uint8_t byte = data->payload[i];
            data->payload[i] = data->payload[data->size - 1 - i];
            data->payload[data->size - 1 - i] = byte;
        }
        return;
    }
    /* one byte, and the head (one byte each for data and items) says so */
    struct frame *head = &said->frames[0];
    const bool is_long = head->payload[0] & 0x80;
    memmove(head->payload + 1, head->payload + 1 + is_long, head->size - 1 - is_long);
    frame_resize(head, head->size - is_long);
    head->payload[0] = 1;
    frame_resize(data, 1);
    data->payload[0] = 0xff;
}

static void data_of_no_sense_is_refused(void **state)
{
    (void)state;
    for (uint64_t what = 0; what < 2; what++)
        for (unsigned direction = 0; direction < 2; direction++)
            for (int is_larger = 0; is_larger < 2; is_larger++)
                for (int question = NINHO_SETS_DIFFERENCE; question <= NINHO_SETS_COMMON;
                     question++) {
                    const ninho_exchange_options options =
                        wish((ninho_sets_question)question, question == NINHO_SETS_COMMON
                                                                ? NINHO_SETS_AUTO
                                                                : NINHO_SETS_BLOOM);
                    struct lie lie = {
                        .tell = lie_data, .direction = direction, .argument = what};
                    const struct end end = run_sized(&options, &lie, is_larger ? 80 : 60);
                    test_where("data %llu from %u: %s", (unsigned long long)what,
                               direction, end.text);
                    /* A filter that is damaged may still be one: then nothing wrong is told.
                     * One of a single byte is none. */
                    CHECK(what == 1 || lie.n_told == 0 || end.asker != NINHO_OK);
                }
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
            wish(NINHO_SETS_DIFFERENCE, (ninho_sets_method)method);
        struct lie lie = {.tell = lie_not, .direction = 1};
        options.max_bytes = 100; /* three items */
        const struct end end = run(&options, &lie);
        CHECK_STATUS(end.asker, NINHO_ERR_FULL);
        CHECK(strstr(end.text, "100"));
    }
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
        cmocka_unit_test(no_lie_makes_a_wrong_answer),
        cmocka_unit_test(sums_that_differ_are_tried_again),
        cmocka_unit_test(data_of_no_sense_is_refused),
        cmocka_unit_test(the_limit_of_memory_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
