/* SPDX-License-Identifier: MIT */
#include "harness/pairing.h"

#include <stdlib.h>

#include "harness/fail.h"
#include "harness/words.h"

void pairing_create(struct pairing_table *table)
{
    table->tags =
        allocate((size_t)PAIRING_BUCKET << table->bucket_bits, sizeof *table->tags);
    table->n_stored = table->n_moves = 0;
}

void pairing_free(struct pairing_table *table)
{
    free(table->tags);
}

static uint32_t tag_of(const struct pairing_table *table, uint64_t hash)
{
    const uint32_t tag = (uint32_t)(hash & (((uint64_t)1 << table->tag_bits) - 1));

    return tag ? tag : 1;
}

static uint64_t first_of(const struct pairing_table *table, uint64_t hash)
{
    return hash >> (64 - table->bucket_bits);
}

static uint64_t other(const struct pairing_table *table, uint64_t bucket, uint32_t tag)
{
    const uint64_t step = table->is_hashed ? mix64(tag) : tag;

    return bucket ^ (step & (((uint64_t)1 << table->bucket_bits) - 1));
}

static bool put(struct pairing_table *table, uint64_t bucket, uint32_t tag)
{
    uint32_t *at = table->tags + bucket * PAIRING_BUCKET;

    for (size_t i = 0; i < PAIRING_BUCKET; i++)
        if (!at[i]) {
            at[i] = tag;
            table->n_stored++;
            return true;
        }
    return false;
}

bool pairing_add(struct pairing_table *table, uint64_t hash)
{
    uint32_t tag = tag_of(table, hash);
    uint64_t bucket = first_of(table, hash);

    if (put(table, bucket, tag))
        return true;
    bucket = other(table, bucket, tag);
    for (size_t kick = 0; kick < PAIRING_KICKS; kick++) {
        if (put(table, bucket, tag))
            return true;
        table->random = mix64(table->random + 1);
        uint32_t *slot =
            &table->tags[bucket * PAIRING_BUCKET + table->random % PAIRING_BUCKET];
        const uint32_t out = *slot;
        *slot = tag;
        tag = out;
        table->n_moves++;
        bucket = other(table, bucket, tag);
    }
    return put(table, bucket, tag);
}

static bool bucket_has(const struct pairing_table *table, uint64_t bucket, uint32_t tag)
{
    for (size_t i = 0; i < PAIRING_BUCKET; i++)
        if (table->tags[bucket * PAIRING_BUCKET + i] == tag)
            return true;
    return false;
}

bool pairing_has(const struct pairing_table *table, uint64_t hash)
{
    const uint32_t tag = tag_of(table, hash);
    const uint64_t first = first_of(table, hash);

    return bucket_has(table, first, tag) ||
           bucket_has(table, other(table, first, tag), tag);
}

uint64_t pairing_distance(const struct pairing_table *table, uint64_t hash)
{
    const uint64_t first = first_of(table, hash);
    const uint64_t second = other(table, first, tag_of(table, hash));

    return first > second ? first - second : second - first;
}
