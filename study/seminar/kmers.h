/* SPDX-License-Identifier: MIT */
/* The k-mers of a sequence as the seminar inserts them: as written, in the order of the sequence,
 * repeated ones again. */
#ifndef STUDY_SEMINAR_KMERS_H
#define STUDY_SEMINAR_KMERS_H

#include "harness/genome.h"
#include "seminar/seminar.h"

struct kmers {
    uint32_t k;
    size_t n;
    uint64_t n_distinct;
    const char **texts;          /* k bases each, in the genome, not terminated */
    uint64_t *keys;              /* what our hash is made from */
    uint32_t *firsts;            /* which k-mer was the first that is equal to this one */
    struct seminar_key *digests; /* what the seminar's filters see */
    uint64_t *hashes;            /* what ours see */
    /* processor time for one k-mer: the seminar's SHA-1 of its bases; our rolling key and its hash */
    double sha1_ns;
    double roll_ns;
    double hash_ns;
};

/* Lists the k-mers of a genome, which must outlive the list. Fails where there is none. */
void kmers_list(struct kmers *kmers, const struct genome *genome, uint32_t k);

/* Fills `hashes` under this seed. */
void kmers_hash(struct kmers *kmers, uint64_t seed);

void kmers_free(struct kmers *kmers);

#endif
