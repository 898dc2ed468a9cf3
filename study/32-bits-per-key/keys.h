/* SPDX-License-Identifier: MIT */
/* Keys of several kinds, as different from each other as users' keys are. */
#ifndef STUDY_32_KEYS_H
#define STUDY_32_KEYS_H

#include "study.h"

enum key_kind {
    KEY_NUMBERS,
    KEY_RANDOM,
    KEY_URLS,
    KEY_LONG,
    KEY_WORDS,
    KEY_KMERS,
    N_KEY_KINDS
};

const char *key_kind_name(enum key_kind kind);

struct keys;

/* Room for keys of all kinds; the words and the genome are read. What is not there is told to the answer,
 * and its kind is not there either. `n_wanted` of each must be enough. */
struct keys *keys_open(const struct study *study, size_t n_wanted, struct answer *answer);
void keys_close(struct keys *keys);
bool keys_have(const struct keys *keys, enum key_kind kind);

/* The hashes, under this seed, of keys first .. first + n of a kind into hashes[]. Keys below n_members
 * are members; those from there on are no members. All are different from the members. */
void keys_hash(const struct keys *keys, enum key_kind kind, uint64_t seed,
               size_t n_members, size_t first, size_t n, uint64_t *hashes);

#endif
