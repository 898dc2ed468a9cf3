/* SPDX-License-Identifier: MIT */
/* A cuckoo filter's table for one question: does the second place come from the tag, or from the tag's
 * hash? The library always hashes; this one has a switch. Buckets of 4, the first place with room, a
 * random walk of at most 500 kicks:
 *
 *     tag     the low bits of the hash, 0 counted as 1 (0 is an empty slot)
 *     first   the high bits of the hash, a power of two of buckets
 *     second  first xor tag, or first xor hash(tag)
 */
#ifndef STUDY_HARNESS_PAIRING_H
#define STUDY_HARNESS_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAIRING_BUCKET = 4, PAIRING_KICKS = 500 };

struct pairing_table {
    unsigned bucket_bits; /* 2^bucket_bits buckets, at most 2^32 */
    unsigned tag_bits;    /* 1 .. 32 */
    bool is_hashed;
    uint64_t random;
    uint32_t *tags;
    uint64_t n_stored;
    uint64_t n_moves;
};

/* An empty one; the fields above `tags` as given. Fails with the program. */
void pairing_create(struct pairing_table *table);
void pairing_free(struct pairing_table *table);

/* False: no room was found; the table has then lost a tag and is of no more use. */
bool pairing_add(struct pairing_table *table, uint64_t hash);
bool pairing_has(const struct pairing_table *table, uint64_t hash);

/* How many buckets lie between the two places of a key. */
uint64_t pairing_distance(const struct pairing_table *table, uint64_t hash);

#endif
