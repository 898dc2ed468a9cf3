/* SPDX-License-Identifier: MIT */
/* The exchange of sets (apps/sets) between this process and a file or a command: what diff, common
 * and serve-set share. */
#ifndef CLI_EXCHANGE_H
#define CLI_EXCHANGE_H

#include <stdint.h>

#include "apps/sets/sets.h"
#include "lines.h"
#include "peer.h"

struct exchange_options {
    const char *key_file; /* NULL: none */
    uint64_t max_memory;
};
#define EXCHANGE_OPTIONS_DEFAULT        \
    {                                   \
        .max_memory = UINT64_C(1) << 30 \
    }
extern const struct option exchange_options[];

/* How it is done, apart from what is asked. */
struct exchange_manner {
    struct exchange_options options;
    struct peer_options peer;
    struct key_options keys;
};
#define EXCHANGE_MANNER_DEFAULT                                           \
    {                                                                     \
        .options = EXCHANGE_OPTIONS_DEFAULT, .peer = PEER_OPTIONS_DEFAULT \
    }

struct exchange {
    struct lines here, there; /* `there`: of a peer that is a file */
    uint8_t secret[NINHO_SECRET_BYTES];
    ninho_exchange *own,
        *other; /* `other`: the peer's side, where that is in this process */
};

/* Asks about the lines of FILE and PEER, the two operands. `question` is NINHO_EXCHANGE_INIT with
 * what is asked in it. Answers an exit status; if it is EXIT_YES, the answer is in exchange->own.
 * exchange_free() in any case. */
int exchange_ask(struct exchange *exchange, const struct args *args,
                 const struct exchange_manner *manner, ninho_exchange_options *question);

/* Answers whoever is at standard input and output about the lines of `file`. */
int exchange_answer(struct exchange *exchange, char *file,
                    const struct exchange_manner *manner);

void exchange_free(struct exchange *exchange);

/* A line of the answer. */
struct answer_line {
    const char *bytes;
    size_t size;
    ninho_sets_part part;
};

/* The lines of all the parts in `parts` (a bit 1 << part for each), in the order of their bytes;
 * *lines is the caller's to free. Answers an exit status. */
int exchange_lines(const ninho_exchange *exchange, unsigned parts,
                   struct answer_line **lines, size_t *n);

#endif
