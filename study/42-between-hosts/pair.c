/* SPDX-License-Identifier: MIT */
#include "42-between-hosts/pair.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fail.h"
#include "harness/words.h"

/* Line number i is the same for every seed's pair only if the seeds are equal. 5 bits a letter. */
static void write_line(char *line, size_t n_bytes, uint64_t seed, uint64_t i)
{
    uint64_t random = mix64(seed) ^ mix64(i);

    for (size_t b = 0; b < n_bytes; b++) {
        if (b % 12 == 0)
            random = mix64(random);
        line[b] = "abcdefghijklmnopqrstuvwxyz234567"[random >> (5 * (b % 12)) & 31];
    }
}

static void fill_nonce(uint8_t nonce[NINHO_SETS_NONCE_BYTES], uint64_t seed)
{
    for (size_t i = 0; i < NINHO_SETS_NONCE_BYTES; i++)
        nonce[i] = (uint8_t)mix64(seed + i);
}

static ninho_set *make_set(const struct pair *pair, size_t from, size_t to, uint64_t seed)
{
    uint8_t nonce[NINHO_SETS_NONCE_BYTES];
    ninho_set *set;

    fill_nonce(nonce, seed);
    if (ninho_set_create(NINHO_SET_BORROWS, nonce, NULL, &set))
        fail("no memory for a set");
    for (size_t i = 0; i < pair->n_both + (to - from); i++) {
        const size_t line = i < pair->n_both ? i : from + (i - pair->n_both);
        if (ninho_set_add(set, pair->lines + line * pair->line_bytes, pair->line_bytes,
                          NULL))
            fail("no memory for a set");
    }
    if (ninho_set_count(set) != pair->n_both + (to - from))
        fail("two random lines are equal");
    return set;
}

struct pair pair_make(size_t n_both, size_t n_here, size_t n_there, size_t line_bytes,
                      uint64_t seed)
{
    struct pair pair = {n_both, n_here, n_there, line_bytes, NULL, NULL, NULL};
    const size_t n = n_both + n_here + n_there;

    pair.lines = allocate(n, line_bytes);
    for (size_t i = 0; i < n; i++)
        write_line(pair.lines + i * line_bytes, line_bytes, seed, i);
    pair.here = make_set(&pair, n_both, n_both + n_here, seed + 1);
    pair.there = make_set(&pair, n_both + n_here, n, seed + 2);
    return pair;
}

void pair_free(struct pair *pair)
{
    ninho_set_free(pair->here);
    ninho_set_free(pair->there);
    free(pair->lines);
    memset(pair, 0, sizeof *pair);
}

/* Gives all that `from` has to send to `to`; false where there was nothing. */
static bool pass_on(ninho_exchange *from, ninho_exchange *to)
{
    const void *bytes;
    bool is_any = false;

    for (size_t n; (n = ninho_exchange_output(from, &bytes)); is_any = true) {
        if (ninho_exchange_take(to, bytes, n))
            fail("an exchange failed: %s", ninho_exchange_error(to)->text);
        ninho_exchange_sent(from, n);
    }
    return is_any;
}

ninho_exchange_report pair_exchange(const struct pair *pair,
                                    const ninho_exchange_options *asked, uint64_t seed)
{
    ninho_exchange_options ask = *asked;
    ninho_exchange_options answer = NINHO_EXCHANGE_INIT;
    ninho_exchange *asker;
    ninho_exchange *answerer;
    ninho_exchange_report report = NINHO_EXCHANGE_REPORT_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    fill_nonce(ask.nonce, mix64(seed));
    fill_nonce(answer.nonce, mix64(seed + 1));
    if (ninho_exchange_ask(pair->here, &ask, &asker, &error) ||
        ninho_exchange_answer(pair->there, &answer, &answerer, &error))
        fail("an exchange cannot begin: %s", error.text);
    for (bool moved = true; moved;) {
        moved = pass_on(asker, answerer);
        moved |= pass_on(answerer, asker); /* both, whatever the first did */
    }
    if (ninho_exchange_state_of(asker) != NINHO_EXCHANGE_DONE)
        fail("an exchange did not end: %s", ninho_exchange_error(asker)->text);
    ninho_exchange_report_of(asker, &report);
    ninho_exchange_free(asker);
    ninho_exchange_free(answerer);
    return report;
}
