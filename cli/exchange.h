/* SPDX-License-Identifier: MIT */
/* The exchange of sets (apps/sets) between this process and a file or a command: what diff, common
 * and serve-set share. */
#ifndef CLI_EXCHANGE_H
#define CLI_EXCHANGE_H

#include <stdint.h>

#include "apps/sets/sets.h"
#include "lines.h"
#include "outfile.h"
#include "peer.h"

struct exchange_options {
    const char *key_file; /* NULL: none */
    uint64_t max_memory;
    bool escape;
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
    struct key_format format; /* what they come to: exchange_manner_init() */
};
#define EXCHANGE_MANNER_DEFAULT                                           \
    {                                                                     \
        .options = EXCHANGE_OPTIONS_DEFAULT, .peer = PEER_OPTIONS_DEFAULT \
    }

/* Makes the format of the lines from the options. Answers an exit status. */
int exchange_manner_init(struct exchange_manner *manner, const struct command *command);

struct exchange {
    struct lines here, there; /* `there`: of a peer that is a file */
    uint8_t secret[NINHO_SECRET_BYTES];
    ninho_exchange *own,
        *other; /* `other`: the peer's side, where that is in this process */
};

/* Asks about the lines of FILE and PEER, the two operands. `question` is NINHO_EXCHANGE_INIT with
 * what is asked in it. Answers an exit status; if it is EXIT_YES, the answer is in exchange->own, and
 * exchange_check() has passed it.
 * exchange_free() in any case. */
int exchange_ask(struct exchange *exchange, const struct args *args,
                 const struct exchange_manner *manner, ninho_exchange_options *question);

/* Answers whoever is at standard input and output about the lines of `file`. */
int exchange_answer(struct exchange *exchange, char *file,
                    const struct exchange_manner *manner);

void exchange_free(struct exchange *exchange);

/* Refuses an answer with an item that is no line, since it holds what ends one: it would be printed
 * as two. A peer that separates its items otherwise may have such, or one that lies. With --escape
 * there are none. `name` is the peer's; answers an exit status. */
int exchange_check(const struct exchange *exchange, const char *name,
                   const struct exchange_manner *manner);

/* Writes the lines of all the parts in `parts` (a bit 1 << part for each) in the order of their
 * bytes, those that are only there behind a tab. Where keys are fields, the line of a key is written for
 * it, as far as it is known: the peer behind a command tells its keys alone. Answers an exit status. */
int exchange_write(const struct exchange *exchange, unsigned parts,
                   const struct exchange_manner *manner, struct outfile *output);

/* The same, on standard output. */
int exchange_print(const struct exchange *exchange, unsigned parts,
                   const struct exchange_manner *manner);

#endif
