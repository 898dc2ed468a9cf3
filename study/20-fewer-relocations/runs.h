/* SPDX-License-Identifier: MIT */
/* The seminar's runs and what was measured in each. A *cell* is one k-mer length in one table; every
 * filter is filled in every cell, in every repetition under another seed.
 *
 *     variant = (length * N_RATIOS + ratio) * N_COMPARED + filter */
#ifndef STUDY_20_RUNS_H
#define STUDY_20_RUNS_H

#include "harness/samples.h"
#include "seminar/subject.h"

enum { N_LENGTHS = 6, N_RATIOS = 13, N_COMPARED = 5, N_CELLS = N_LENGTHS * N_RATIOS };

/* The filters' order in the data; the first two are the seminar's. */
enum { ORIGINAL, EMPTIER };
extern const enum subject compared[N_COMPARED];
extern const uint32_t lengths[N_LENGTHS];

/* Distinct k-mers over slots: .50, .55 ... 1.10. From FIRST_OVERFULL on they cannot all be stored. */
enum { FIRST_OVERFULL = 11, LAST_RATIO = N_RATIOS - 1 };
double ratio_at(size_t ratio);

/* What one run gives, in the order of the samples' fields. */
enum field {
    HASH_NS,      /* hashing one k-mer */
    TABLE_NS,     /* inserting one hashed k-mer, the mean over the run */
    STORED,       /* entries in the table at the end */
    MOVES,        /* thrown out in all */
    WASTED,       /* of them, by insertions that failed */
    FAILED,       /* insertions that failed */
    LOST,         /* share of the k-mers counted as stored that a search does not find */
    FULL_SECONDS, /* processor time of the insertions until no slot was free; -1: never */
    FULL_MOVES,   /* thrown out until then; -1: never */
    N_KMERS,      /* insertions */
    N_DISTINCT,
    N_BUCKETS,
    N_RUN_FIELDS
};
#define RUN_FIELDS                                                                      \
    "hash_ns,table_ns,stored,moves,wasted,failed,lost,full_seconds,full_moves,n_kmers," \
    "n_distinct,n_buckets"

enum { BUCKET_SLOTS = 100, MAX_MOVES = 100 };

/* Measures all runs, or takes them from the folder. */
struct samples take_runs(const struct study *study, const char *folder,
                         const struct genome *genome);

/* What the figures show of a run, from its fields. */
enum quantity {
    TIME,  /* ns of an insertion, hashing included */
    FILL,  /* entries / slots */
    SHARE, /* entries / distinct k-mers */
    MOVED, /* thrown out / insertions */
    BUCKETS
};
double run_quantity(const struct samples *runs, size_t cell, size_t filter,
                    size_t repetition, enum quantity quantity);

/* The mean over the repetitions. */
struct interval run_mean(const struct samples *runs, size_t cell, size_t filter,
                         enum quantity quantity);

/* Judges C1 to C7 and C9 to C11, and the question's own claim. */
void judge_runs(const struct samples *runs, struct answer *answer);

#endif
