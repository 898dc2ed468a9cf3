/* SPDX-License-Identifier: MIT */
/* The bases of a genome, all of it or the beginning. */
#ifndef STUDY_HARNESS_GENOME_H
#define STUDY_HARNESS_GENOME_H

#include "study.h"

enum genome_name { ECOLI_536, ECOLI_MG1655, N_GENOMES };

struct genome {
    char *bases; /* capitals; an N before each record, so that no k-mer goes across */
    size_t n;
};

/* "E. coli 536". */
const char *genome_title(enum genome_name name);

/* Reads the first `limit` bases, all of them if it is 0. False, and nothing read, where the file is
 * not there or cannot be read by this build (no htslib): `answer` is told what is missing then. A file
 * that is there and damaged fails with the program. */
bool genome_read(const struct study *study, enum genome_name name, size_t limit,
                 struct genome *genome, struct answer *answer);
void genome_free(struct genome *genome);

/* The keys of the distinct canonical k-mers, k <= 32, in the order of the genome; returns how many.
 * *keys is the caller's, to be freed. */
size_t genome_distinct(const struct genome *genome, uint32_t k, uint64_t **keys);

#endif
