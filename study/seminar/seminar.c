/* SPDX-License-Identifier: MIT */
#include "seminar/seminar.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "harness/fail.h"
#include "harness/words.h"

/* ---- Hashing ------------------------------------------------------------------------------- */

enum { SHA1_BYTES = 20 };

static uint32_t first_word(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           (uint32_t)bytes[3];
}

static void sha1(EVP_MD_CTX *context, const EVP_MD *algorithm, const void *bytes,
                 size_t size, unsigned char *digest)
{
    unsigned length = 0;

    if (!EVP_DigestInit_ex(context, algorithm, NULL) ||
        !EVP_DigestUpdate(context, bytes, size) ||
        !EVP_DigestFinal_ex(context, digest, &length) || length != SHA1_BYTES)
        fail("SHA-1 failed");
}

void seminar_hash(const char *const *texts, size_t n, size_t k, struct seminar_key *keys)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_MD *algorithm = EVP_MD_fetch(NULL, "SHA1", NULL);

    if (!context || !algorithm)
        fail("OpenSSL has no SHA-1 here");
    for (size_t i = 0; i < n; i++) {
        unsigned char digest[SHA1_BYTES];
        unsigned char again[SHA1_BYTES];

        sha1(context, algorithm, texts[i], k, digest);
        sha1(context, algorithm, digest + 4, 4, again);
        keys[i] = (struct seminar_key){first_word(digest), first_word(digest + 4),
                                       first_word(again)};
    }
    EVP_MD_free(algorithm);
    EVP_MD_CTX_free(context);
}

/* ---- The filters --------------------------------------------------------------------------- */

void seminar_create(struct seminar_filter *filter)
{
    const size_t n_slots = (size_t)filter->n_buckets * filter->bucket_slots;

    filter->fingerprints = allocate(n_slots, sizeof *filter->fingerprints);
    filter->distances = allocate(n_slots, sizeof *filter->distances);
    filter->n_used = allocate(filter->n_buckets, sizeof *filter->n_used);
    filter->n_stored = filter->n_failed = filter->n_moves = filter->n_wasted_moves = 0;
}

void seminar_free(struct seminar_filter *filter)
{
    free(filter->fingerprints);
    free(filter->distances);
    free(filter->n_used);
}

/* A number below n; n is small, so the remainder is as good as any. */
static uint32_t draw(struct seminar_filter *filter, uint32_t n)
{
    filter->random = mix64(filter->random);
    return (uint32_t)(filter->random % n);
}

static uint32_t distance_of(const struct seminar_filter *filter,
                            const struct seminar_key *key)
{
    return filter->alternate == SEMINAR_HASHED ? key->hashed : key->fingerprint;
}

static bool bucket_has(const struct seminar_filter *filter, uint32_t bucket,
                       uint32_t fingerprint)
{
    const uint32_t *at = filter->fingerprints + (size_t)bucket * filter->bucket_slots;

    for (uint32_t i = 0; i < filter->n_used[bucket]; i++)
        if (at[i] == fingerprint)
            return true;
    return false;
}

static bool has_room(const struct seminar_filter *filter, uint32_t bucket)
{
    return filter->n_used[bucket] < filter->bucket_slots;
}

static void put(struct seminar_filter *filter, uint32_t bucket, uint32_t fingerprint,
                uint32_t distance)
{
    const size_t slot = (size_t)bucket * filter->bucket_slots + filter->n_used[bucket]++;

    filter->fingerprints[slot] = fingerprint;
    filter->distances[slot] = distance;
    filter->n_stored++;
}

/* Where a key goes that has room in one of its buckets, or begins to throw out if it has none. */
static uint32_t choose(struct seminar_filter *filter, uint32_t first, uint32_t second)
{
    const bool room_first = has_room(filter, first);
    const bool room_second = has_room(filter, second);

    if (room_first != room_second)
        return room_first ? first : second;
    if (room_first && filter->choice == SEMINAR_REDUCED &&
        filter->n_used[first] != filter->n_used[second])
        return filter->n_used[first] < filter->n_used[second] ? first : second;
    return draw(filter, 2) ? second : first;
}

/* Puts the entry into a full bucket and takes a random one out of it. */
static void exchange(struct seminar_filter *filter, uint32_t bucket,
                     uint32_t *fingerprint, uint32_t *distance)
{
    const size_t slot =
        (size_t)bucket * filter->bucket_slots + draw(filter, filter->bucket_slots);
    const uint32_t out_fingerprint = filter->fingerprints[slot];
    const uint32_t out_distance = filter->distances[slot];

    filter->fingerprints[slot] = *fingerprint;
    filter->distances[slot] = *distance;
    *fingerprint = out_fingerprint;
    *distance = out_distance;
    filter->n_moves++;
}

bool seminar_insert(struct seminar_filter *filter, const struct seminar_key *key)
{
    uint32_t fingerprint = key->fingerprint;
    uint32_t distance = distance_of(filter, key);
    const uint32_t first = key->h1 % filter->n_buckets;
    const uint32_t second = (key->h1 ^ distance) % filter->n_buckets;

    if (bucket_has(filter, first, fingerprint) || bucket_has(filter, second, fingerprint))
        return true;
    uint32_t bucket = choose(filter, first, second);
    for (uint32_t i = 0; i < filter->max_moves; i++) {
        if (has_room(filter, bucket)) {
            put(filter, bucket, fingerprint, distance);
            return true;
        }
        exchange(filter, bucket, &fingerprint, &distance);
        bucket = (bucket ^ distance) % filter->n_buckets;
    }
    if (has_room(filter, bucket)) {
        put(filter, bucket, fingerprint, distance);
        return true;
    }
    filter->n_failed++;
    filter->n_wasted_moves += filter->max_moves;
    return false;
}

bool seminar_search(const struct seminar_filter *filter, const struct seminar_key *key)
{
    const uint32_t first = key->h1 % filter->n_buckets;
    const uint32_t second = (key->h1 ^ distance_of(filter, key)) % filter->n_buckets;

    return bucket_has(filter, first, key->fingerprint) ||
           bucket_has(filter, second, key->fingerprint);
}
