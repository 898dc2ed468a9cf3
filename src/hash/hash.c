/* SPDX-License-Identifier: MIT */
/* Keys to hashes. XXH3 and XXH64 come from libxxhash's header, compiled in here alone. */
#include "hash/hash.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <ninho/kernels.h>

#include "base/bits.h"
#include "base/inline.h"
#include "base/le.h"
#include "base/status.h"
#include "cpu/cpu.h"
#include "hash/simd/words.h"

/* Any hash, and keys of any length. Not inlined: the registers that XXH64 needs,
 * ninho_hash_bytes would save for everyone. */
NH_NOINLINE static uint64_t hash_any(const ninho_hasher *hasher, const void *key,
                                     size_t key_size)
{
    const void *bytes = key_size ? key : "";

    assert(bytes); /* NULL is fine for the empty key only */

    switch (hasher->id) {
    case NINHO_HASH_SIPHASH:
        return nh_siphash(hasher->secret, bytes, key_size);
    case NINHO_HASH_XXH64:
        return XXH64(bytes, key_size, hasher->seed);
    case NINHO_HASH_XXH3:
        break;
    }
    return XXH3_64bits_withSeed(bytes, key_size, hasher->seed);
}

/* XXH3 chooses its path by the key's length; told the length as a constant, the compiler
 * leaves one path, without branches. 8 and 16 are integers and uuids. */
uint64_t ninho_hash_bytes(const ninho_hasher *hasher, const void *key, size_t key_size)
{
    if (hasher->id == NINHO_HASH_XXH3 && key_size == 8)
        return ninho_xxh3_word_(nh_load_le64(key), ninho_xxh3_flip_(hasher->seed));
    if (hasher->id == NINHO_HASH_XXH3 && key_size == 16)
        return XXH3_64bits_withSeed(key, 16, hasher->seed);
    return hash_any(hasher, key, key_size);
}

uint64_t ninho_hash_int64(const ninho_hasher *hasher, int64_t value)
{
    uint8_t bytes[8];

    nh_store_le64(bytes, (uint64_t)value);
    return ninho_hash_bytes(hasher, bytes, sizeof bytes);
}

/* As in ninho_hash_bytes, the length is a constant where this is inlined. */
static inline void xxh3_array(const uint8_t *keys, size_t key_size, size_t n,
                              uint64_t seed, uint64_t *hashes)
{
    const size_t n_line = 64 / key_size;

    for (size_t i = 0; i < n / n_line; i++, keys += 64, hashes += n_line) {
        nh_prefetch((const void *)((uintptr_t)keys + NH_HASH_AHEAD));
        for (size_t j = 0; j < n_line; j++)
            hashes[j] = XXH3_64bits_withSeed(keys + j * key_size, key_size, seed);
    }
    for (size_t j = 0; j < n % n_line; j++)
        hashes[j] = XXH3_64bits_withSeed(keys + j * key_size, key_size, seed);
}

/* Keys of 8 bytes, several at a time where the machine can. */
static void xxh3_words(const uint8_t *keys, size_t n, uint64_t seed, uint64_t *hashes)
{
    const uint64_t flip = ninho_xxh3_flip_(seed);
    size_t done = 0;

#if NH_CPU_IS_X86
    if (nh_cpu_has(NH_CPU_AVX512))
        done = nh_hash_words_avx512(keys, n, flip, hashes);
    else if (nh_cpu_has(NH_CPU_AVX2))
        done = nh_hash_words_avx2(keys, n, flip, hashes);
#endif
    for (; done < n; done++)
        hashes[done] = ninho_xxh3_word_(nh_load_le64(keys + 8 * done), flip);
}

void ninho_hash_array(const ninho_hasher *hasher, const void *keys, size_t key_size,
                      size_t n, uint64_t *hashes)
{
    const uint8_t *at = keys;

    if (hasher->id == NINHO_HASH_XXH3 && key_size == 8) {
        xxh3_words(at, n, hasher->seed, hashes);
        return;
    }
    if (hasher->id == NINHO_HASH_XXH3 && key_size == 16) {
        xxh3_array(at, 16, n, hasher->seed, hashes);
        return;
    }
    for (size_t i = 0; i < n; i++)
        hashes[i] = ninho_hash_bytes(hasher, at + i * key_size, key_size);
}

uint64_t ninho_secret_check(const uint8_t secret[NINHO_SECRET_BYTES])
{
    /* Any fixed text serves: without the secret its SipHash tells nothing about the
     * secret. One in 2^64 wrong secrets passes. Zero is kept for "no secret". */
    static const char text[] = "ninho: which secret is this?";
    const uint64_t check = nh_siphash(secret, text, sizeof text - 1);
    return check ? check : 1;
}

static const char *const hash_names[] = {NULL, "xxh3", "siphash", "xxh64"};
static const char *const encoding_names[] = {NULL,   "bytes", "int64",
                                             "uuid", "kmer",  "hashes"};

static const char *name_at(const char *const *names, size_t n, unsigned index)
{
    return index < n ? names[index] : NULL;
}

static unsigned index_of(const char *const *names, size_t n, const char *name)
{
    for (unsigned i = 1; name && i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return 0;
}

#define LENGTH(array) (sizeof(array) / sizeof *(array))

ninho_status nh_hash_check(ninho_hash_id hash, ninho_key_encoding encoding, uint64_t seed,
                           const uint8_t *secret, ninho_error *error)
{
    if (hash && !ninho_hash_name(hash))
        return nh_fail_field(error, NINHO_FIELD_HASH, 0, 0, "%d is unknown", (int)hash);
    if (!ninho_key_encoding_name(encoding))
        return nh_fail_field(error, NINHO_FIELD_KEY_ENCODING, 0, 0, "%d is unknown",
                             (int)encoding);
    if (hash == NINHO_HASH_SIPHASH && seed)
        return nh_fail_field(error, NINHO_FIELD_SEED, 0, 0,
                             "must be 0 with siphash, which takes a secret instead, "
                             "not %" PRIu64,
                             seed);
    if (hash != NINHO_HASH_SIPHASH && secret)
        return nh_fail_field(error, NINHO_FIELD_SECRET, 0, 0,
                             "goes with hash siphash only%s%s", hash ? ", not " : "",
                             hash ? ninho_hash_name(hash) : "");
    return NINHO_OK;
}

const char *ninho_hash_name(ninho_hash_id id)
{
    return name_at(hash_names, LENGTH(hash_names), (unsigned)id);
}

const char *ninho_key_encoding_name(ninho_key_encoding encoding)
{
    return name_at(encoding_names, LENGTH(encoding_names), (unsigned)encoding);
}

ninho_hash_id ninho_hash_from_name(const char *name)
{
    return (ninho_hash_id)index_of(hash_names, LENGTH(hash_names), name);
}

ninho_key_encoding ninho_key_encoding_from_name(const char *name)
{
    return (ninho_key_encoding)index_of(encoding_names, LENGTH(encoding_names), name);
}

/* ---- Checksums --------------------------------------------------------------------- */

/* XXH3's state asks for 64-byte alignment; ours is found inside the opaque room. */
static XXH3_state_t *state_in(const struct nh_checksum *sum)
{
    static_assert(sizeof(struct nh_checksum) >= sizeof(XXH3_state_t) + 63,
                  "room for the state");
    const uintptr_t at = (uintptr_t)sum->state;
    return (XXH3_state_t *)((at + 63) & ~(uintptr_t)63);
}

#ifdef NINHO_TEST_HOOKS
_Thread_local uint64_t nh_bytes_summed;
#define COUNT(size) (nh_bytes_summed += (size))
#else
#define COUNT(size) ((void)0)
#endif

void nh_checksum_start(struct nh_checksum *sum)
{
    XXH3_64bits_reset(state_in(sum));
}

void nh_checksum_add(struct nh_checksum *sum, const void *bytes, size_t size)
{
    COUNT(size);
    XXH3_64bits_update(state_in(sum), bytes, size);
}

uint64_t nh_checksum_end(const struct nh_checksum *sum)
{
    return XXH3_64bits_digest(state_in(sum));
}

uint64_t nh_checksum_of(const void *bytes, size_t size)
{
    COUNT(size);
    return XXH3_64bits(bytes, size);
}
