/* SPDX-License-Identifier: MIT */
/* The peer of an exchange, played by the fuzzer, for either role. The first byte chooses:
 *
 *      bit 0     the role: asker, or answerer
 *      bit 1     the question: difference, or intersection
 *      bits 2-3  the asker's method
 *      bit 4     the frames are ours to tag: what follows is  type | length 2 | payload  for each,
 *                so that the fuzzer gets past the tags and into every handler
 *      bit 5     the audience
 *      bits 6-7  pieces of 1, 3, 64 bytes, or all at once (without bit 4)
 *
 * A side must end in failure or keep within the rules: an asker that is done, and an answerer that
 * is told, has an answer that agrees with the sizes of both sets; memory stays small. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/sets/keys.h"
#include "apps/sets/sets.h"
#include "apps/sets/wire.h"
#include "mutate.h"
#include "support/test.h"
#include "target.h"

#define MAX_BYTES (1U << 20)

static ninho_set *small_set(void)
{
    ninho_set *set = NULL;

    MUST(!ninho_set_create(NINHO_SET_COPIES, NULL, NULL, &set));
    for (int c = 'a'; c < 'a' + 20; c++) {
        const char item[3] = {(char)c, (char)c, '!'};
        MUST(!ninho_set_add(set, item, 1 + (size_t)(c % 3), NULL));
    }
    MUST(!ninho_set_add(set, "", 0, NULL));
    return set;
}

static void drain(ninho_exchange *x)
{
    const void *bytes = NULL;

    for (size_t n; (n = ninho_exchange_output(x, &bytes)) > 0;)
        ninho_exchange_sent(x, n);
}

/* Plays frames with the right tags. The random bytes of the peer are zeros. */
static void play_frames(ninho_exchange *x, bool is_asker,
                        const uint8_t random[NINHO_SETS_NONCE_BYTES],
                        const uint8_t *bytes, size_t size)
{
    static const uint8_t zeros[NINHO_SETS_NONCE_BYTES];
    uint8_t ours[NINHO_SETS_NONCE_BYTES];
    uint8_t theirs[NINHO_SETS_NONCE_BYTES];
    const ninho_alloc alloc = na_allocator(NULL);
    struct ns_wire wire = {.direction = is_asker}; /* of the peer: 1 if x asks */
    struct ns_keys keys;

    ns_keys_nonce(random, ours);
    ns_keys_nonce(zeros, theirs);
    ns_keys_init(&keys, NULL);
    MUST(ns_wire_greet(&alloc, &wire));
    (void)ninho_exchange_take(x, wire.out.data, wire.out.size);
    if (is_asker)
        ns_keys_mix(&keys, ours, theirs);
    while (size >= 3) {
        const uint8_t type = bytes[0];
        const size_t want = bytes[1] | (size_t)bytes[2] << 8;
        const size_t length = want < size - 3 ? want : size - 3;
        wire.out.size = 0;
        MUST(ns_wire_send(&alloc, &wire, &keys, type, bytes + 3, length));
        (void)ninho_exchange_take(x, wire.out.data, wire.out.size);
        drain(x);
        if (!is_asker && wire.n_sent == 1)
            ns_keys_mix(&keys, theirs, ours);
        bytes += 3 + length;
        size -= 3 + length;
    }
    ns_wire_free(&alloc, &wire);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const size_t pieces[] = {1, 3, 64, SIZE_MAX};
    ninho_exchange_options options = NINHO_EXCHANGE_INIT;
    ninho_exchange_report report = NINHO_EXCHANGE_REPORT_INIT;
    ninho_exchange *x = NULL;
    struct test_heap heap;

    if (size < 1)
        return 0;
    const uint8_t how = bytes[0];
    const bool is_asker = !(how & 1);
    bytes++;
    size--;
    heap_init(&heap);
    options.alloc = &heap.alloc;
    options.max_bytes = MAX_BYTES;
    options.nonce[0] = 1;
    if (is_asker) {
        options.question = how & 2 ? NINHO_SETS_COMMON : NINHO_SETS_DIFFERENCE;
        options.method = how & 2 ? NINHO_SETS_AUTO : (ninho_sets_method)(how >> 2 & 3);
        options.audience = how & 32 ? NINHO_SETS_BOTH : NINHO_SETS_ASKER;
    }
    ninho_set *set = small_set();
    MUST(!(is_asker ? ninho_exchange_ask(set, &options, &x, NULL)
                    : ninho_exchange_answer(set, &options, &x, NULL)));
    drain(x);
    if (how & 16) {
        play_frames(x, is_asker, options.nonce, bytes, size);
    } else {
        for (size_t at = 0, n; at < size; at += n) {
            n = size - at < pieces[how >> 6] ? size - at : pieces[how >> 6];
            (void)ninho_exchange_take(x, bytes + at, n);
            drain(x);
        }
    }
    const ninho_status status = ninho_exchange_end(x);
    const ninho_exchange_state state = ninho_exchange_state_of(x);
    MUST(state == (status ? NINHO_EXCHANGE_FAILED : NINHO_EXCHANGE_DONE));
    MUST(ninho_exchange_error(x)->status == status);
    MUST(!status || ninho_exchange_error(x)->text[0]);
    MUST(!ninho_exchange_report_of(x, &report));
    MUST(!status || !report.is_told);
    MUST(status || !is_asker || report.is_told);
    if (report.is_told) {
        MUST(report.is_exact);
        MUST(report.only_here + report.in_both == report.n_here);
        MUST(report.only_there + report.in_both == report.n_there);
    }
    for (int part = 1; part <= 3; part++) {
        const size_t n = ninho_exchange_count(x, (ninho_sets_part)part);
        for (size_t i = 0; i < n; i++) {
            size_t item_size = 0;
            const void *item =
                ninho_exchange_item(x, (ninho_sets_part)part, i, &item_size);
            MUST(item && ninho_set_find(set, item, item_size, NULL) ==
                             (part != NINHO_SETS_ONLY_THERE));
        }
    }
    ninho_exchange_free(x);
    ninho_set_free(set);
    MUST(heap.live_blocks == 0);
    MUST(heap.peak_bytes < 3 * MAX_BYTES + (4U << 20));
    return 0;
}

/* Frames, or nearly. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max_size,
                               unsigned seed)
{
    static const struct record_shape shape = {.at = 1, .head = 1, .n_length = 2};

    if (size && !(bytes[0] & 16))
        return LLVMFuzzerMutate(bytes, size, max_size);
    return mutate_records(bytes, size, max_size, &shape, seed);
}
