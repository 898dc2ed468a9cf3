/* SPDX-License-Identifier: MIT */
/* The two cuckoo filters of the seminar, as it describes them, faults included. They are here to
 * be measured and for nothing else: what they lose is the point of the measurement.
 *
 *     SHA-1 of the k-mer    | h1: 32 bits | fingerprint: 32 bits | ...
 *     first bucket          h1 mod m
 *     second bucket         (h1 xor a) mod m       a = hash(fingerprint), or the fingerprint itself
 *     from bucket i on      (i xor a) mod m        for an entry that is thrown out of it
 *
 * A *set*: a fingerprint that lies in one of the two buckets already counts as stored. With room in
 * both, the original takes one of the two at random, the reduced one the emptier. With room in
 * neither, a random entry of a random one of the two is thrown out, and so on, at most MNK times;
 * the last one thrown out is then dropped. What is stored is the fingerprint, so an entry that is thrown out is
 * hashed again, at every move, as its formula says.
 *
 * Two things go wrong. A dropped entry was another k-mer's, whose insertion had succeeded. And the
 * third line finds the bucket of the first two only where m is a power of two: otherwise an entry
 * that is moved lands where no search looks for it. */
#ifndef STUDY_SEMINAR_H
#define STUDY_SEMINAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of a k-mer. */
struct seminar_key {
    uint32_t h1;
    uint32_t fingerprint;
    uint32_t hashed; /* hash(fingerprint): SHA-1 again, the first 32 bits */
};

/* Fills keys[i] from the k bytes at texts[i], for all i < n. Fails with the program. */
void seminar_hash(const char *const *texts, size_t n, size_t k, struct seminar_key *keys);

enum seminar_choice { SEMINAR_ORIGINAL, SEMINAR_REDUCED };
enum seminar_alternate { SEMINAR_HASHED, SEMINAR_PLAIN };

struct seminar_sha1;

struct seminar_filter {
    uint32_t n_buckets;    /* m */
    uint32_t bucket_slots; /* b */
    uint32_t max_moves;    /* MNK */
    enum seminar_choice choice;
    enum seminar_alternate alternate;
    uint64_t random;
    /* hash(fingerprint), which is asked again at every move; NULL: SHA-1, its first 32 bits */
    uint32_t (*hash)(const struct seminar_filter *filter, uint32_t fingerprint);
    struct seminar_sha1 *sha1;
    uint32_t *fingerprints; /* n_buckets * bucket_slots */
    uint32_t *n_used;       /* of each bucket */
    /* what happened */
    uint64_t n_stored;       /* entries that lie in the table */
    uint64_t n_failed;       /* insertions that ended with a dropped entry */
    uint64_t n_moves;        /* entries thrown out, those of failed insertions included */
    uint64_t n_wasted_moves; /* of them, those of failed insertions */
};

/* An empty one; the fields above `sha1` as given. Fails with the program. */
void seminar_create(struct seminar_filter *filter);
void seminar_free(struct seminar_filter *filter);

/* False: the last entry thrown out, which may be any k-mer's, is gone. */
bool seminar_insert(struct seminar_filter *filter, const struct seminar_key *key);
bool seminar_search(const struct seminar_filter *filter, const struct seminar_key *key);

#endif
