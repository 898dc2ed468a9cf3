/* SPDX-License-Identifier: MIT */
/* k-mers as one would explain them: strings, cut out, turned round, compared. */
#ifndef TESTS_KMER_NAIVE_H
#define TESTS_KMER_NAIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/kmer/kmer.h"
#include "support/test.h"

struct naive {
    char **
        kmers; /* in the order of the sequence, capitals, canonical if that is the rule */
    size_t *at;
    size_t n;
};

/* All k-mers of a sequence. */
void naive_kmers(struct naive *naive, const ninho_kmer_rule *rule, const char *bases,
                 size_t n);
void naive_free(struct naive *naive);

/* How many distinct ones there are. */
size_t naive_distinct(const struct naive *naive);
bool naive_has(const struct naive *naive, const char *kmer);

/* A random sequence, the caller's to free: one in `rare` bytes is not ACGT, a third is small
 * letters, and stretches repeat, also turned round. */
char *random_sequence(struct test_rng *rng, size_t n, unsigned rare);

/* In place. */
void reverse_complement(char *bases, size_t n);

#endif
