/* SPDX-License-Identifier: MIT */
/* A set of k-mers that never errs, whatever k is.
 *
 * A hash table with linear probing, at most three quarters full. For k <= 32 a slot is the key,
 * which is the k-mer itself. For longer ones equal keys do not prove equal k-mers, so a slot also
 * has the place where that k-mer was first seen, in a store of all bases:
 *
 *     k <= 32  [key][key][....][key]
 *     k > 32   [key, place][....][key, place]      words  ACGTACGT...  two bits a base, the first
 *                             \______________________________^         in the highest bits
 *
 * Memory grows with the distinct k-mers (8 or 16 bytes each, over the load), and for long ones by a
 * quarter of a byte for every base read. */
#include <stdlib.h>
#include <string.h>

#include "apps/base/base.h"
#include "kmer.h"

#define FEWEST_SLOTS ((size_t)1024)
#define BATCH        256
#define EMPTY        UINT64_MAX /* no key of a long k-mer, nor a place */

struct store {
    uint64_t *words;
    size_t n; /* bases */
    size_t room;
};

struct ninho_kmer_set {
    ninho_kmer_rule rule;
    ninho_kmer_iter iter;
    bool is_long;
    bool has_ones;  /* a short key that equals EMPTY: k = 32, forward, T only */
    size_t n_slots; /* a power of two */
    size_t n_used;
    uint64_t *keys;
    uint64_t *places; /* of long ones */
    struct store store;
    uint64_t n_total, n_skipped;
};

/* Fixed: nothing of it is kept in files. */
static const ninho_hasher table_hasher = {.id = NINHO_HASH_XXH3, .seed = 0x6B6D6572};

/* ---- The store ----------------------------------------------------------------------------- */

/* Words for n bases, with one to spare so that 32 bases can be read from anywhere. */
static size_t words_for(uint64_t n)
{
    return (size_t)(n / 32) + 2;
}

static bool store_reserve(struct store *store, size_t n)
{
    if (n > SIZE_MAX / 4 - store->n)
        return false;
    if (store->n + n <= store->room)
        return true;
    size_t room = store->room ? store->room : 1 << 16;
    while (room < store->n + n)
        room *= 2;
    uint64_t *words = realloc(store->words, words_for(room) * sizeof *words);
    if (!words)
        return false;
    const size_t used = store->room ? words_for(store->room) : 0;
    memset(words + used, 0, (words_for(room) - used) * sizeof *words);
    store->words = words;
    store->room = room;
    return true;
}

static void store_append(struct store *store, const uint8_t *bases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t code = (bases[i] >> 1 ^ bases[i] >> 2) & 3;
        store->words[store->n / 32] |= code << (62 - 2 * (store->n % 32));
        store->n++;
    }
}

/* The 32 bases from `at` on, the first highest; behind the last ones there may be others. */
static uint64_t store_word(const struct store *store, size_t at)
{
    const uint64_t *word = store->words + at / 32;
    const unsigned shift = 2 * (unsigned)(at % 32);

    return shift ? word[0] << shift | word[1] >> (64 - shift) : word[0];
}

/* The reverse complement of 32 bases. */
static uint64_t reverse_word(uint64_t word)
{
    word = (word >> 2 & UINT64_C(0x3333333333333333)) |
           (word & UINT64_C(0x3333333333333333)) << 2;
    word = (word >> 4 & UINT64_C(0x0F0F0F0F0F0F0F0F)) |
           (word & UINT64_C(0x0F0F0F0F0F0F0F0F)) << 4;
    return ~__builtin_bswap64(word);
}

static bool same_forward(const struct store *a, size_t at_a, const struct store *b,
                         size_t at_b, uint32_t k)
{
    uint32_t i = 0;

    for (; i + 32 <= k; i += 32)
        if (store_word(a, at_a + i) != store_word(b, at_b + i))
            return false;
    return i == k ||
           (store_word(a, at_a + i) ^ store_word(b, at_b + i)) >> (64 - 2 * (k - i)) == 0;
}

static bool same_reverse(const struct store *a, size_t at_a, const struct store *b,
                         size_t at_b, uint32_t k)
{
    uint32_t i = 0;

    for (; i + 32 <= k; i += 32)
        if (store_word(a, at_a + i) != reverse_word(store_word(b, at_b + k - 32 - i)))
            return false;
    /* What is left of b is its first k - i bases: turned round, they are the last of the word. */
    const uint32_t left = k - i;
    return !left ||
           store_word(a, at_a + i) >> (64 - 2 * left) ==
               (reverse_word(store_word(b, at_b)) & (UINT64_MAX >> (64 - 2 * left)));
}

static bool same(const ninho_kmer_set *set, size_t place, const struct store *other,
                 size_t at)
{
    return same_forward(&set->store, place, other, at, set->rule.k) ||
           (set->rule.strand == NINHO_KMER_CANONICAL &&
            same_reverse(&set->store, place, other, at, set->rule.k));
}

/* ---- The table ----------------------------------------------------------------------------- */

ninho_status ninho_kmer_set_create(const ninho_kmer_rule *rule, ninho_kmer_set **out,
                                   ninho_error *error)
{
    const ninho_status status = ninho_kmer_check_rule(rule, error);

    if (status)
        return status;
    ninho_kmer_set *set = calloc(1, sizeof *set);
    if (!set)
        return na_no_memory(error);
    set->rule = *rule;
    set->is_long = rule->k > NINHO_KMER_MAX_EXACT_K;
    ninho_kmer_init(&set->iter, rule);
    *out = set;
    return NINHO_OK;
}

void ninho_kmer_set_free(ninho_kmer_set *set)
{
    if (!set)
        return;
    free(set->keys);
    free(set->places);
    free(set->store.words);
    free(set);
}

/* Slots so that n more keys certainly fit; 0 if that cannot be. */
static size_t slots_for(const ninho_kmer_set *set, uint64_t n)
{
    size_t n_slots = set->n_slots ? set->n_slots : FEWEST_SLOTS;

    while ((uint64_t)n_slots / 4 * 3 < set->n_used + n) {
        if (n_slots > SIZE_MAX / 2 / sizeof *set->keys)
            return 0;
        n_slots *= 2;
    }
    return n_slots;
}

uint64_t ninho_kmer_set_need(const ninho_kmer_set *set, uint64_t n)
{
    const size_t n_slots = slots_for(set, ninho_kmer_windows(&set->rule, n));
    uint64_t need = 0;

    if (!n_slots)
        return UINT64_MAX;
    if (n_slots > set->n_slots)
        need += (uint64_t)n_slots * sizeof *set->keys * (set->is_long ? 2 : 1);
    if (set->is_long && set->store.n + n > set->store.room)
        need += 2 * (uint64_t)words_for(set->store.n + n) * sizeof *set->store.words;
    return need;
}

static size_t slot_of(const ninho_kmer_set *set, uint64_t hash)
{
    return (size_t)hash & (set->n_slots - 1);
}

/* Puts a key that is not in the table into a table that has room. */
static void put_new(ninho_kmer_set *set, uint64_t key, uint64_t place, uint64_t hash)
{
    size_t i = slot_of(set, hash);

    while (set->keys[i] != EMPTY)
        i = (i + 1) & (set->n_slots - 1);
    set->keys[i] = key;
    if (set->is_long)
        set->places[i] = place;
}

static bool reserve(ninho_kmer_set *set, uint64_t n)
{
    const size_t n_slots = slots_for(set, n);
    const size_t old_slots = set->n_slots;

    if (n_slots == old_slots)
        return true;
    if (!n_slots)
        return false;
    uint64_t *keys = malloc(n_slots * sizeof *keys);
    uint64_t *places = set->is_long ? malloc(n_slots * sizeof *places) : NULL;
    if (!keys || (set->is_long && !places)) {
        free(keys);
        free(places);
        return false;
    }
    uint64_t *old_keys = set->keys;
    uint64_t *old_places = set->places;
    memset(keys, 0xFF, n_slots * sizeof *keys);
    set->keys = keys;
    set->places = places;
    set->n_slots = n_slots;
    for (size_t i = 0; i < old_slots; i++) {
        if (old_keys[i] == EMPTY)
            continue;
        uint64_t hash;
        ninho_kmer_hash(&table_hasher, &old_keys[i], 1, &hash);
        put_new(set, old_keys[i], old_places ? old_places[i] : 0, hash);
    }
    free(old_keys);
    free(old_places);
    return true;
}

/* Is the k-mer there that has this key and, if it is long, stands at `at` of `other`? */
static bool has(const ninho_kmer_set *set, uint64_t key, uint64_t hash,
                const struct store *other, size_t at)
{
    if (key == EMPTY)
        return set->has_ones;
    for (size_t i = slot_of(set, hash); set->keys[i] != EMPTY;
         i = (i + 1) & (set->n_slots - 1))
        if (set->keys[i] == key &&
            (!set->is_long || same(set, (size_t)set->places[i], other, at)))
            return true;
    return false;
}

/* The next keys of a sequence, with their hashes and where they begin. */
struct keys {
    uint64_t keys[BATCH];
    uint64_t hashes[BATCH];
    size_t at[BATCH];
};

static size_t next_keys(const ninho_kmer_set *set, ninho_kmer_iter *iter,
                        struct keys *keys)
{
    size_t n = 0;

    if (set->is_long) {
        for (; n < BATCH && ninho_kmer_next(iter, &keys->keys[n]); n++)
            keys->at[n] = ninho_kmer_position(iter);
    } else {
        n = ninho_kmer_next_many(iter, keys->keys, BATCH);
        memset(keys->at, 0, sizeof keys->at);
    }
    ninho_kmer_hash(&table_hasher, keys->keys, n, keys->hashes);
    for (size_t i = 0; i < n && set->n_slots; i++)
        __builtin_prefetch(&set->keys[slot_of(set, keys->hashes[i])]);
    return n;
}

ninho_status ninho_kmer_set_add(ninho_kmer_set *set, const void *bases, size_t n)
{
    const uint64_t n_windows = ninho_kmer_windows(&set->rule, n);
    const size_t start = set->store.n;
    struct keys keys;
    uint64_t n_kmers = 0;
    size_t some = 0;

    if (!n_windows)
        return NINHO_OK;
    if (!reserve(set, n_windows) || (set->is_long && !store_reserve(&set->store, n)))
        return NINHO_ERR_NOMEM;
    if (set->is_long)
        store_append(&set->store, bases, n);
    ninho_kmer_start(&set->iter, bases, n);
    while ((some = next_keys(set, &set->iter, &keys)) > 0) {
        for (size_t i = 0; i < some; i++) {
            const size_t place = start + keys.at[i];
            if (has(set, keys.keys[i], keys.hashes[i], &set->store, place))
                continue;
            if (keys.keys[i] == EMPTY)
                set->has_ones = true;
            else
                put_new(set, keys.keys[i], place, keys.hashes[i]);
            set->n_used += keys.keys[i] != EMPTY;
        }
        n_kmers += some;
    }
    set->n_total += n_kmers;
    set->n_skipped += n_windows - n_kmers;
    return NINHO_OK;
}

uint64_t ninho_kmer_set_total(const ninho_kmer_set *set)
{
    return set->n_total;
}

uint64_t ninho_kmer_set_skipped(const ninho_kmer_set *set)
{
    return set->n_skipped;
}

uint64_t ninho_kmer_set_distinct(const ninho_kmer_set *set)
{
    return set->n_used + set->has_ones;
}

ninho_status ninho_kmer_set_count(const ninho_kmer_set *set, const void *bases, size_t n,
                                  ninho_kmer_count *count)
{
    const uint64_t n_windows = ninho_kmer_windows(&set->rule, n);
    struct store store = {0};
    struct keys keys;
    ninho_kmer_iter iter;
    uint64_t n_kmers = 0;
    size_t some = 0;

    if (set->is_long && n_windows) {
        if (!store_reserve(&store, n))
            return NINHO_ERR_NOMEM;
        store_append(&store, bases, n);
    }
    ninho_kmer_init(&iter, &set->rule);
    ninho_kmer_start(&iter, bases, n);
    while ((some = next_keys(set, &iter, &keys)) > 0) {
        for (size_t i = 0; i < some && set->n_slots; i++)
            count->n_found += has(set, keys.keys[i], keys.hashes[i], &store, keys.at[i]);
        n_kmers += some;
    }
    free(store.words);
    count->n_kmers += n_kmers;
    count->n_skipped += n_windows - n_kmers;
    return NINHO_OK;
}
