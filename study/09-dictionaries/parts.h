/* SPDX-License-Identifier: MIT */
/* The parts of this question. Each measures, writes its CSV file into `folder`, and judges its rows. */
#ifndef STUDY_09_PARTS_H
#define STUDY_09_PARTS_H

#include <ninho/ninho.h>

#include "study.h"

/* Keys: the number-th one of a draw, never 0, and one that is none of them. */
uint64_t dict_key(uint64_t seed, uint64_t number);
uint64_t dict_absent_key(uint64_t seed, uint64_t number);

/* A dictionary of 64-bit keys; fails with the program. */
ninho_dict *dict_make(const ninho_dict_spec *spec);
void dict_put_key(ninho_dict *dict, uint64_t key);

/* load.csv: the four operations, and the places looked at, against load. B8. */
void dict_against_load(const struct study *study, const char *folder,
                       struct answer *answer);

/* growth.csv: the same keys asked for again and again in ever larger sets, beside a linear scan and a
 * balanced tree; work.csv: steps of insertion into a table that grows. B5. */
void dict_against_size(const struct study *study, const char *folder,
                       struct answer *answer);

/* displacements.csv, reached.csv: cuckoo hashing with 2, 3, 4 functions, buckets of 1, 2, 4, 8, with and
 * without a stash. B6. */
void dict_displacements(const struct study *study, const char *folder,
                        struct answer *answer);

/* worst.csv: all keys share a hash; expected.csv: they do not; space.csv: bits that a set takes. A18. */
void dict_bounds(const struct study *study, const char *folder, struct answer *answer);

#endif
