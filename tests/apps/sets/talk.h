/* SPDX-License-Identifier: MIT */
/* Two exchanges that talk to each other in memory, and sets to talk about. */
#ifndef NINHO_TESTS_SETS_TALK_H
#define NINHO_TESTS_SETS_TALK_H

#include "apps/sets/sets.h"
#include "support/test.h"

/* What the transport does. All 0: it hands everything over at once. */
struct talk_way {
    size_t most;          /* bytes handed over at a time; 0: all there are */
    struct test_rng *rng; /* not NULL: 1 .. most of them, at random */
    /* Damage to one of the two streams, at the byte of that number. */
    enum { TALK_FINE, TALK_CUT, TALK_FLIP, TALK_REPEAT, TALK_DROP } fault;
    unsigned direction; /* 0: what the asker sends */
    uint64_t at;
    uint64_t length; /* TALK_REPEAT, TALK_DROP: bytes from there */
    uint8_t flip;
    /* Where both streams are written down; NULL: nowhere. */
    struct talk_log {
        uint8_t *bytes[2];
        size_t size[2];
        size_t room[2];
    } * log;
};

/* Carries bytes both ways until neither has anything to say. A side that waits then is told that
 * the stream has ended. `way` may be NULL. */
void talk(ninho_exchange *asker, ninho_exchange *answerer, const struct talk_way *way);
void talk_log_free(struct talk_log *log);

/* Options with a nonce of that number. */
ninho_exchange_options talk_options(uint64_t nonce);

/* Adds items number from .. to - 1 of an endless row of distinct random ones: letters and digits,
 * `size` of them (8 at least). */
void add_items(ninho_set *set, uint64_t row, uint64_t from, uint64_t to, size_t size);

ninho_set *new_set(void);

/* Compares the answer of `x`, whose set is `here`, with what a plain search finds. */
void check_difference(const ninho_exchange *x, const ninho_set *here,
                      const ninho_set *there);
void check_common(const ninho_exchange *x, const ninho_set *here, const ninho_set *there);

ninho_exchange_report report_of(const ninho_exchange *x);

#endif
