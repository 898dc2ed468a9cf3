/* SPDX-License-Identifier: MIT */
/* The filters that the seminar's questions compare, behind one small interface: the seminar's two, and
 * ours in a table of the same number of slots. */
#ifndef STUDY_SEMINAR_SUBJECT_H
#define STUDY_SEMINAR_SUBJECT_H

#include <ninho/ninho.h>

#include "seminar/kmers.h"

enum subject {
    SEMINAR_RANDOM_BUCKET,  /* the seminar's original */
    SEMINAR_EMPTIER_BUCKET, /* its reduced one */
    /* the same two with the fingerprint itself in the place of its hash */
    SEMINAR_RANDOM_RAW,
    SEMINAR_EMPTIER_RAW,
    OURS_RANDOM,  /* buckets of b, walk of MNK moves at most */
    OURS_EMPTIER, /* the same with the emptier bucket */
    OURS_BFS,     /* the emptier bucket, and the shortest way instead of a walk */
    OURS_WINDOWS, /* windows of 4 in place of the buckets, emptier and bfs */
    N_SUBJECTS
};

const char *subject_name(enum subject subject);
bool subject_is_ours(enum subject subject);

/* m, b and MNK, by hand. */
struct subject_table {
    uint32_t n_buckets;
    uint32_t bucket_slots;
    uint32_t max_moves;
};

struct filled {
    const struct kmers *kmers;
    enum subject subject;
    struct seminar_filter theirs;
    ninho_filter *ours;
    uint64_t n_slots;
};

/* An empty filter; kmers->hashes must have been made under the same seed. Fails with the program. */
void subject_make(struct filled *filled, enum subject subject, const struct kmers *kmers,
                  const struct subject_table *table, uint64_t seed);
void subject_free(struct filled *filled);

/* Inserts the i-th k-mer; false where the filter says that it failed. */
bool subject_insert(struct filled *filled, size_t i);
bool subject_search(const struct filled *filled, size_t i);

/* What the filter has counted. Ours take moves that were made in vain back, and count them apart: they
 * are in `n_moves` all the same. */
struct filled_counts {
    uint64_t n_stored; /* entries in the table */
    uint64_t n_moves;  /* entries thrown out, by failed insertions too */
    uint64_t n_wasted; /* of them, by insertions that failed */
    uint64_t n_failed;
};
struct filled_counts subject_counts(const struct filled *filled);

#endif
