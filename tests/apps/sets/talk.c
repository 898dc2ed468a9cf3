/* SPDX-License-Identifier: MIT */
/* See talk.h. */
#include "apps/sets/talk.h"

#include <stdlib.h>
#include <string.h>

static void note(struct talk_log *log, unsigned direction, const uint8_t *bytes, size_t n)
{
    if (log->room[direction] - log->size[direction] < n) {
        log->room[direction] = 2 * log->room[direction] + n;
        log->bytes[direction] = realloc(log->bytes[direction], log->room[direction]);
        CHECK(log->bytes[direction]);
    }
    memcpy(log->bytes[direction] + log->size[direction], bytes, n);
    log->size[direction] += n;
}

void talk_log_free(struct talk_log *log)
{
    free(log->bytes[0]);
    free(log->bytes[1]);
    memset(log, 0, sizeof *log);
}

/* Hands n bytes over, a copy in a block of exactly their size. */
static void hand_over(ninho_exchange *to, const uint8_t *bytes, size_t n)
{
    if (n == 0)
        return;
    uint8_t *copy = malloc(n);
    if (!copy)
        abort();
    memcpy(copy, bytes, n);
    (void)ninho_exchange_take(to, copy, n);
    free(copy);
}

static size_t chunk(const struct talk_way *way, size_t n)
{
    size_t most = way->most && way->most < n ? way->most : n;

    if (way->rng)
        most = 1 + (size_t)rng_below(way->rng, most);
    return most;
}

/* What the transport makes of a chunk at that place of the stream; false: the stream is cut. */
static bool deliver(ninho_exchange *to, const struct talk_way *way, unsigned direction,
                    uint64_t at, uint8_t *bytes, size_t n)
{
    if (way->log)
        note(way->log, direction, bytes, n);
    if (way->fault == TALK_FINE || way->direction != direction || at + n <= way->at) {
        hand_over(to, bytes, n);
        return true;
    }
    const size_t before = way->at > at ? (size_t)(way->at - at) : 0;
    switch (way->fault) {
    case TALK_CUT:
        hand_over(to, bytes, before);
        return false;
    case TALK_FLIP:
        if (way->at >= at)
            bytes[before] ^= way->flip;
        hand_over(to, bytes, n);
        break;
    case TALK_REPEAT: /* chunks must not cut it: way->most is 0 */
        hand_over(to, bytes, n);
        if (way->at >= at && before + way->length <= n)
            hand_over(to, bytes + before, (size_t)way->length);
        break;
    default: { /* TALK_DROP */
        const uint64_t end = way->at + way->length;
        hand_over(to, bytes, before);
        if (end < at + n)
            hand_over(to, bytes + (end > at ? end - at : 0),
                      (size_t)(at + n - (end > at ? end : at)));
    }
    }
    return true;
}

void talk(ninho_exchange *asker, ninho_exchange *answerer, const struct talk_way *way)
{
    static const struct talk_way plain;
    ninho_exchange *sides[2] = {asker, answerer};
    uint64_t places[2] = {0, 0};
    bool is_cut = false;

    if (!way)
        way = &plain;
    for (bool moves = true; moves && !is_cut;) {
        moves = false;
        for (unsigned i = 0; i < 2 && !is_cut; i++) {
            const void *bytes = NULL;
            const size_t n = ninho_exchange_output(sides[i], &bytes);
            if (n == 0)
                continue;
            const size_t some = chunk(way, n);
            uint8_t *copy = malloc(some);
            if (!copy)
                abort();
            memcpy(copy, bytes, some);
            ninho_exchange_sent(sides[i], some);
            is_cut = !deliver(sides[!i], way, i, places[i], copy, some);
            places[i] += some;
            free(copy);
            moves = true;
        }
    }
    for (unsigned i = 0; i < 2; i++)
        (void)ninho_exchange_end(sides[i]);
}

/* ---- Sets -------------------------------------------------------------------------- */

ninho_exchange_options talk_options(uint64_t nonce)
{
    ninho_exchange_options options = NINHO_EXCHANGE_INIT;

    for (unsigned i = 0; i < NINHO_SETS_NONCE_BYTES; i++)
        options.nonce[i] = (uint8_t)(mix64(nonce * 2 + i / 8) >> (8 * (i % 8)));
    return options;
}

void add_items(ninho_set *set, uint64_t row, uint64_t from, uint64_t to, size_t size)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    char item[256];

    CHECK(size >= 11 && size <= sizeof item);
    for (uint64_t i = from; i < to; i++) {
        uint64_t word = mix64(mix64(row) + i);
        for (size_t j = 0; j < size; j++) {
            if (j % 11 == 0 && j > 0) /* the first word makes them distinct */
                word = mix64(word + j);
            item[j] = letters[word >> (6 * (j % 11)) & 63];
        }
        CHECK_OK(ninho_set_add(set, item, size, NULL));
    }
}

ninho_set *new_set(void)
{
    ninho_set *set = NULL;

    CHECK_OK(ninho_set_create(NINHO_SET_COPIES, NULL, NULL, &set));
    return set;
}

static void check_part(const ninho_exchange *x, ninho_sets_part part,
                       const ninho_set *from, const ninho_set *other, bool is_in_other)
{
    size_t n = 0;
    size_t last = 0;

    for (size_t i = 0; i < ninho_set_count(from); i++) {
        size_t size = 0;
        const void *item = ninho_set_item(from, i, &size);
        n += ninho_set_find(other, item, size, NULL) == is_in_other;
    }
    CHECK_U64(ninho_exchange_count(x, part), n);
    ninho_set *seen = new_set();
    for (size_t i = 0; i < n; i++) {
        size_t size = 0;
        size_t place = 0;
        bool is_new = false;
        const void *item = ninho_exchange_item(x, part, i, &size);
        CHECK(ninho_set_find(from, item, size, &place));
        CHECK(ninho_set_find(other, item, size, NULL) == is_in_other);
        CHECK_OK(ninho_set_add(seen, item, size, &is_new));
        CHECK(is_new);
        CHECK(part == NINHO_SETS_ONLY_THERE || i == 0 || place > last);
        last = place;
    }
    ninho_set_free(seen);
}

void check_difference(const ninho_exchange *x, const ninho_set *here,
                      const ninho_set *there)
{
    check_part(x, NINHO_SETS_ONLY_HERE, here, there, false);
    check_part(x, NINHO_SETS_ONLY_THERE, there, here, false);
}

void check_common(const ninho_exchange *x, const ninho_set *here, const ninho_set *there)
{
    check_part(x, NINHO_SETS_IN_BOTH, here, there, true);
}

ninho_exchange_report report_of(const ninho_exchange *x)
{
    ninho_exchange_report report = NINHO_EXCHANGE_REPORT_INIT;

    CHECK_OK(ninho_exchange_report_of(x, &report));
    return report;
}
