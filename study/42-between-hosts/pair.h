/* SPDX-License-Identifier: MIT */
/* Two sets on two hosts, in one process: every byte that one gives is taken by the other. */
#ifndef STUDY_42_PAIR_H
#define STUDY_42_PAIR_H

#include <stddef.h>
#include <stdint.h>

#include "apps/sets/sets.h"

/* Lines of random letters: `n_both` in both sets, others in one only. */
struct pair {
    size_t n_both, n_here, n_there;
    size_t line_bytes;
    char *lines; /* of both, then of here, then of there */
    ninho_set *here;
    ninho_set *there;
};

/* Fails with the program. */
struct pair pair_make(size_t n_both, size_t n_here, size_t n_there, size_t line_bytes,
                      uint64_t seed);
void pair_free(struct pair *pair);

/* Lets `here` ask `there`; the options are the asker's. Fails with the program where the exchange
 * does. */
ninho_exchange_report pair_exchange(const struct pair *pair,
                                    const ninho_exchange_options *asked, uint64_t seed);

#endif
