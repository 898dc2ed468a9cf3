/* SPDX-License-Identifier: MIT */
/* The blocks of the policy: they are built when LevelDB writes a table and asked where they lie when it
 * reads one. A block:
 *
 *      0                 1                                          size
 *      | length ^ mark  | table ...               | bare tail, 0-2 |
 *
 * The length is that of the whole block, in groups of 7 bits, low ones first; bit 7 says
 * that another group follows. It stands in front, so that a block that was cut short or
 * made longer never has the length it tells. The mark, kind and version, is xored into the
 * first group: the block of another kind does not have it either. All of this costs one
 * byte for a filter of a few dozen keys, which is where it matters. */
#include "block.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The version of the encoding, 1 .. 7. A change of the bytes changes the names below too. */
#define VERSION 1
/* A length that does not end: no block of ours, so "maybe". */
#define MAYBE 0x80

#define DEFAULT_BITS 10.0
#define MIN_BITS     1.0
#define MAX_BITS     100.0

#define CUCKOO_WINDOW    4
#define CUCKOO_MIN_WIDTH 8
#define CUCKOO_MAX_WIDTH 32
#define MAX_GROUPS       10
#define SMALL            256 /* keys whose hashes lie on the stack */

struct ninho_leveldb_filters {
    ninho_spec spec;     /* kind and, if asked for, fpr */
    double bits_per_key; /* 0: by fpr */
    const char *name;
    ninho_alloc alloc;
    bool has_alloc;
};

static const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};

static const struct {
    ninho_kind kind;
    const char *name;
} policies[] = {
    {NINHO_BLOOM, "ninho.bloom.1"},
    {NINHO_BLOCKED, "ninho.blocked.1"},
    {NINHO_CUCKOO, "ninho.cuckoo.1"},
    {NINHO_FUSE, "ninho.fuse.1"},
};

static const char *name_of(ninho_kind kind)
{
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        if (policies[i].kind == kind)
            return policies[i].name;
    return NULL;
}

/* ---- The frame of a block ---------------------------------------------------------- */

static uint8_t mark_of(ninho_kind kind)
{
    return (uint8_t)((unsigned)kind | VERSION << 4);
}

/* Where the bare encoding begins, 0 if this is no block of ours. */
static size_t bare_at(ninho_kind kind, const uint8_t *block, size_t size)
{
    uint64_t length = 0;

    for (size_t i = 0; i < size && i < MAX_GROUPS - 1; i++) {
        const uint8_t group = i ? block[i] : block[i] ^ mark_of(kind);
        length |= (uint64_t)(group & 0x7f) << (7 * i);
        if (!(group & 0x80))
            return length == size && (group || !i) ? i + 1 : 0;
    }
    return 0;
}

static size_t groups_of(uint64_t length)
{
    size_t n = 1;

    while (length >>= 7)
        n++;
    return n;
}

/* The length counts its own groups, and these may be one more for it. */
static size_t groups_before(size_t bare_size)
{
    const size_t n = groups_of(bare_size);

    return groups_of(bare_size + n);
}

static void write_length(ninho_kind kind, uint8_t *block, size_t size)
{
    uint64_t length = size;
    size_t i = 0;

    for (; length >> 7; length >>= 7)
        block[i++] = (uint8_t)(length & 0x7f) | 0x80;
    block[i] = (uint8_t)length;
    block[0] ^= mark_of(kind);
}

/* ---- Which filter ------------------------------------------------------------------ */

/* The bytes of the bare encoding that LevelDB's own filter would leave us: that has
 * n * bits_per_key bits, 64 at least, in whole bytes, and one byte more. */
static uint64_t budget_for(const ninho_leveldb_filters *filters, size_t n)
{
    const double bits = (double)n * filters->bits_per_key;
    const uint64_t size = bits < 64 ? 9 : (uint64_t)ceil(bits / 8) + 1;

    return size - groups_of(size);
}

/* The functions below set what the attempt-th try shall be; false: there is no such try.
 * `budget` is the size of the bare encoding, 0 if fpr decides. */

/* How many bits of so small a table are set is much a matter of luck: at 10 bits for each of
 * 33 keys the rate strays by a fifth from block to block. A table of some bits less rolls the
 * dice again; the best of eight has a seventh fewer false positives than the first. */
static bool try_bloom(ninho_spec *spec, uint64_t budget, unsigned attempt)
{
    if (budget)
        spec->n_bits = 8 * (budget - 2) - attempt;
    return attempt < (budget && spec->capacity <= SMALL ? 8 : 1);
}

static bool try_blocked(ninho_spec *spec, uint64_t budget, unsigned attempt)
{
    if (budget)
        spec->n_bits = budget < 64 ? 256 : 256 * (budget / 32);
    return attempt == 0;
}

/* A table for a few dozen keys is planned with much to spare, since the planner must not
 * fail. Here it may: first comes the table with the widest tags, 32 slots for 31 keys and
 * two more, and after each failure tags of one bit less, so with more slots. Tags cannot be
 * shorter than 8 bits; after that the table grows. */
static bool try_cuckoo(ninho_spec *spec, uint64_t budget, unsigned attempt)
{
    if (!budget)
        return attempt == 0;
    const uint64_t n_bits = 8 * (budget - 2);
    const uint64_t n_least = spec->capacity + spec->capacity / 31 + 2;
    uint64_t n_slots = n_least < CUCKOO_WINDOW ? CUCKOO_WINDOW : n_least;
    uint64_t width = n_bits / n_slots;

    if (width > CUCKOO_MAX_WIDTH)
        width = CUCKOO_MAX_WIDTH; /* more slots for these would be of no use */
    else if (width >= CUCKOO_MIN_WIDTH)
        n_slots = n_bits / width;
    for (; attempt > 0 && width > CUCKOO_MIN_WIDTH; attempt--)
        n_slots = n_bits / --width;
    if (attempt > 16)
        return false;
    spec->slots = NINHO_WINDOWS;
    spec->place_slots = CUCKOO_WINDOW;
    spec->tag_bits = (uint32_t)(width < CUCKOO_MIN_WIDTH ? CUCKOO_MIN_WIDTH : width);
    spec->n_slots = n_slots + attempt * (1 + n_slots / 32);
    return true;
}

static uint64_t fuse_size(ninho_spec *spec, uint32_t tag_bits, uint32_t arity)
{
    ninho_plan plan = NINHO_PLAN_INIT;

    spec->tag_bits = tag_bits;
    spec->arity = arity;
    return ninho_filter_plan(spec, &plan, NULL) ? UINT64_MAX : plan.table_bytes + 2;
}

/* The smaller of 3 and 4 slots per key: for a few dozen keys that is 4. Then the other. */
static bool try_fuse(ninho_spec *spec, uint64_t budget, unsigned attempt)
{
    uint32_t tag_bits = budget ? 16 : spec->fpr < 0x1p-8 ? 16 : 8;
    uint64_t size[2];

    for (;; tag_bits = 8) {
        size[0] = fuse_size(spec, tag_bits, 3);
        size[1] = fuse_size(spec, tag_bits, 4);
        if (!budget || tag_bits == 8 || size[0] <= budget || size[1] <= budget)
            break;
    }
    const unsigned smaller = size[1] < size[0];
    spec->arity = 3 + (attempt ? !smaller : smaller);
    return attempt < 2;
}

static bool next_try(const ninho_leveldb_filters *filters, size_t n, unsigned attempt,
                     ninho_spec *spec)
{
    const uint64_t budget = filters->bits_per_key > 0 ? budget_for(filters, n) : 0;

    *spec = filters->spec;
    spec->capacity = n;
    switch (spec->kind) {
    case NINHO_BLOCKED:
        return try_blocked(spec, budget, attempt);
    case NINHO_CUCKOO:
        return try_cuckoo(spec, budget, attempt);
    case NINHO_FUSE:
        return try_fuse(spec, budget, attempt);
    default:
        return try_bloom(spec, budget, attempt);
    }
}

/* ---- Building ---------------------------------------------------------------------- */

/* Hashes the keys, and keeps each hash once: a table may hold many versions of a key. */
static size_t hash_keys(const char *const *keys, const size_t *key_sizes, size_t n,
                        uint64_t *hashes)
{
    for (size_t i = 0; i < n; i++)
        hashes[i] = ninho_hash_bytes(&hasher, keys[i], key_sizes[i]);
    return ninho_hash_sort_unique(hashes, n);
}

static double rate_of(const ninho_filter *filter)
{
    ninho_info info = NINHO_INFO_INIT;

    return ninho_filter_info(filter, &info) ? 1 : info.fpr_expected;
}

/* The first try that comes out well; of Bloom filters, which all do, the best. NULL if none. */
static ninho_filter *build(const ninho_leveldb_filters *filters, const uint64_t *hashes,
                           size_t n)
{
    const ninho_alloc *alloc = filters->has_alloc ? &filters->alloc : NULL;
    ninho_filter *best = NULL;
    ninho_spec spec;

    for (unsigned attempt = 0; next_try(filters, n ? n : 1, attempt, &spec); attempt++) {
        ninho_filter *filter = NULL;
        const ninho_status status =
            ninho_filter_build(&spec, hashes, n, alloc, &filter, NULL);
        if (status == NINHO_ERR_FULL || status == NINHO_ERR_BUILD)
            continue;
        if (status)
            break;
        if (best && rate_of(filter) >= rate_of(best)) {
            ninho_filter_free(filter);
            continue;
        }
        ninho_filter_free(best);
        best = filter;
        if (spec.kind != NINHO_BLOOM)
            break;
    }
    return best;
}

static char *encode(ninho_kind kind, const ninho_filter *filter, size_t *size)
{
    size_t bare_size = 0;

    ninho_filter_encode_bare(filter, NULL, 0, &bare_size);
    const size_t n_groups = groups_before(bare_size);
    char *block = malloc(n_groups + bare_size);
    if (!block)
        return NULL;
    if (ninho_filter_encode_bare(filter, block + n_groups, bare_size, NULL)) {
        free(block);
        return NULL;
    }
    *size = n_groups + bare_size;
    write_length(kind, (uint8_t *)block, *size);
    return block;
}

static char *maybe_block(size_t *size)
{
    char *block = malloc(1);

    if (!block)
        abort(); /* an answer without bytes would lose keys */
    *block = (char)MAYBE;
    *size = 1;
    return block;
}

char *ninho_leveldb_make(void *state, const char *const *keys, const size_t *key_sizes,
                         int n_keys, size_t *size)
{
    const ninho_leveldb_filters *filters = state;
    const size_t n = n_keys > 0 ? (size_t)n_keys : 0;
    ninho_filter *filter = NULL;
    uint64_t few[SMALL];
    char *block = NULL;

    uint64_t *hashes = n <= SMALL                       ? few
                       : n <= SIZE_MAX / sizeof *hashes ? malloc(n * sizeof *hashes)
                                                        : NULL;
    if (hashes)
        filter = build(filters, hashes, hash_keys(keys, key_sizes, n, hashes));
    if (hashes != few)
        free(hashes);
    if (filter)
        block = encode(filters->spec.kind, filter, size);
    ninho_filter_free(filter);
    return block ? block : maybe_block(size);
}

/* ---- Asking ------------------------------------------------------------------------ */

uint8_t ninho_leveldb_may_match(void *state, const char *key, size_t key_size,
                                const char *block, size_t size)
{
    const ninho_kind kind = ((const ninho_leveldb_filters *)state)->spec.kind;
    const size_t at = bare_at(kind, (const uint8_t *)block, size);

    return !at || ninho_filter_has_bare(kind, block + at, size - at,
                                        ninho_hash_bytes(&hasher, key, key_size));
}

const char *ninho_leveldb_name(void *state)
{
    return ((const ninho_leveldb_filters *)state)->name;
}

/* ---- Life -------------------------------------------------------------------------- */

static ninho_status read_options(const ninho_leveldb_options *theirs,
                                 ninho_leveldb_filters *filters, ninho_error *error)
{
    ninho_leveldb_options options = NINHO_LEVELDB_INIT;
    ninho_plan plan = NINHO_PLAN_INIT;

    if (theirs && (!theirs->size_of_struct || theirs->size_of_struct > sizeof options))
        return ninho_error_set(
            error, NINHO_ERR_ARG,
            "options have no size, or fields that this library does not know");
    if (theirs)
        memcpy(&options, theirs, theirs->size_of_struct);
    if (!options.kind)
        options.kind = NINHO_BLOOM;
    if (options.fpr != 0 && options.bits_per_key != 0)
        return ninho_error_set(error, NINHO_ERR_ARG,
                               "give bits_per_key or fpr, not both");
    if (options.fpr == 0 && options.bits_per_key == 0)
        options.bits_per_key = DEFAULT_BITS;
    if (options.fpr == 0 &&
        !(options.bits_per_key >= MIN_BITS && options.bits_per_key <= MAX_BITS))
        return ninho_error_set(error, NINHO_ERR_ARG, "bits_per_key must be 1 to 100");
    *filters = (ninho_leveldb_filters){
        .spec = NINHO_SPEC_INIT,
        .bits_per_key = options.bits_per_key,
        .name = name_of(options.kind),
        .has_alloc = options.alloc != NULL,
    };
    if (!filters->name)
        return ninho_error_set(error, NINHO_ERR_UNSUPPORTED,
                               "kind must be bloom, blocked, cuckoo or fuse");
    if (options.alloc)
        filters->alloc = *options.alloc;
    filters->spec.kind = options.kind;
    filters->spec.fpr = options.fpr;
    if (options.fpr == 0)
        return NINHO_OK;
    /* A rate that the kind cannot have is told now, not by each block. */
    ninho_spec spec = filters->spec;
    spec.capacity = SMALL;
    return ninho_filter_plan(&spec, &plan, error);
}

ninho_status ninho_leveldb_filters_create(const ninho_leveldb_options *options,
                                          ninho_leveldb_filters **out, ninho_error *error)
{
    ninho_leveldb_filters read;

    if (!out)
        return ninho_error_set(error, NINHO_ERR_ARG, "out is NULL");
    const ninho_status status = read_options(options, &read, error);
    if (status)
        return status;
    ninho_leveldb_filters *filters = malloc(sizeof *filters);
    if (!filters)
        return ninho_error_set(error, NINHO_ERR_NOMEM, "no memory for a filter policy");
    *filters = read;
    *out = filters;
    return NINHO_OK;
}

void ninho_leveldb_free(void *filters)
{
    free(filters);
}
