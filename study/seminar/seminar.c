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

struct seminar_sha1 {
    EVP_MD_CTX *context;
    EVP_MD *algorithm;
};

static struct seminar_sha1 *sha1_begin(void)
{
    struct seminar_sha1 *sha1 = allocate(1, sizeof *sha1);

    sha1->context = EVP_MD_CTX_new();
    sha1->algorithm = EVP_MD_fetch(NULL, "SHA1", NULL);
    if (!sha1->context || !sha1->algorithm)
        fail("OpenSSL has no SHA-1 here");
    return sha1;
}

static void sha1_end(struct seminar_sha1 *sha1)
{
    EVP_MD_free(sha1->algorithm);
    EVP_MD_CTX_free(sha1->context);
    free(sha1);
}

static void digest_of(const struct seminar_sha1 *sha1, const void *bytes, size_t size,
                      unsigned char *digest)
{
    unsigned length = 0;

    if (!EVP_DigestInit_ex(sha1->context, sha1->algorithm, NULL) ||
        !EVP_DigestUpdate(sha1->context, bytes, size) ||
        !EVP_DigestFinal_ex(sha1->context, digest, &length) || length != SHA1_BYTES)
        fail("SHA-1 failed");
}

static uint32_t hash_fingerprint(const struct seminar_filter *filter,
                                 uint32_t fingerprint)
{
    const unsigned char bytes[] = {
        (unsigned char)(fingerprint >> 24), (unsigned char)(fingerprint >> 16),
        (unsigned char)(fingerprint >> 8), (unsigned char)fingerprint};
    unsigned char digest[SHA1_BYTES];

    digest_of(filter->sha1, bytes, sizeof bytes, digest);
    return first_word(digest);
}

void seminar_hash(const char *const *texts, size_t n, size_t k, struct seminar_key *keys)
{
    struct seminar_sha1 *sha1 = sha1_begin();

    for (size_t i = 0; i < n; i++) {
        unsigned char digest[SHA1_BYTES];
        unsigned char again[SHA1_BYTES];

        digest_of(sha1, texts[i], k, digest);
        digest_of(sha1, digest + 4, 4, again);
        keys[i] = (struct seminar_key){first_word(digest), first_word(digest + 4),
                                       first_word(again)};
    }
    sha1_end(sha1);
}

/* ---- The filters --------------------------------------------------------------------------- */

void seminar_create(struct seminar_filter *filter)
{
    const size_t n_slots = (size_t)filter->n_buckets * filter->bucket_slots;

    filter->fingerprints = allocate(n_slots, sizeof *filter->fingerprints);
    filter->n_used = allocate(filter->n_buckets, sizeof *filter->n_used);
    filter->sha1 = sha1_begin();
    if (!filter->hash)
        filter->hash = hash_fingerprint;
    filter->n_stored = filter->n_failed = filter->n_moves = filter->n_wasted_moves = 0;
}

void seminar_free(struct seminar_filter *filter)
{
    free(filter->fingerprints);
    sha1_end(filter->sha1);
    free(filter->n_used);
}

/* A number below n; n is small, so the remainder is as good as any. */
static uint32_t draw(struct seminar_filter *filter, uint32_t n)
{
    filter->random = mix64(filter->random);
    return (uint32_t)(filter->random % n);
}

/* How far apart the two buckets of a key are that comes with its hashes; of an entry in the table. */
static uint32_t distance_of(const struct seminar_filter *filter,
                            const struct seminar_key *key)
{
    return filter->alternate == SEMINAR_HASHED ? key->hashed : key->fingerprint;
}

static uint32_t distance_again(const struct seminar_filter *filter, uint32_t fingerprint)
{
    return filter->alternate == SEMINAR_HASHED ? filter->hash(filter, fingerprint)
                                               : fingerprint;
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

static void put(struct seminar_filter *filter, uint32_t bucket, uint32_t fingerprint)
{
    const size_t slot = (size_t)bucket * filter->bucket_slots + filter->n_used[bucket]++;

    filter->fingerprints[slot] = fingerprint;
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

/* Puts the entry into a full bucket; the random one that it takes the place of. */
static uint32_t exchange(struct seminar_filter *filter, uint32_t bucket,
                         uint32_t fingerprint)
{
    const size_t slot =
        (size_t)bucket * filter->bucket_slots + draw(filter, filter->bucket_slots);
    const uint32_t out = filter->fingerprints[slot];

    filter->fingerprints[slot] = fingerprint;
    filter->n_moves++;
    return out;
}

bool seminar_insert(struct seminar_filter *filter, const struct seminar_key *key)
{
    uint32_t fingerprint = key->fingerprint;
    const uint32_t first = key->h1 % filter->n_buckets;
    const uint32_t second = (key->h1 ^ distance_of(filter, key)) % filter->n_buckets;

    if (bucket_has(filter, first, fingerprint) || bucket_has(filter, second, fingerprint))
        return true;
    uint32_t bucket = choose(filter, first, second);
    for (uint32_t i = 0; i < filter->max_moves; i++) {
        if (has_room(filter, bucket)) {
            put(filter, bucket, fingerprint);
            return true;
        }
        fingerprint = exchange(filter, bucket, fingerprint);
        bucket = (bucket ^ distance_again(filter, fingerprint)) % filter->n_buckets;
    }
    if (has_room(filter, bucket)) {
        put(filter, bucket, fingerprint);
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
