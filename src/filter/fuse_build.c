/* SPDX-License-Identifier: MIT */
/* To fill the table of a fuse filter, it is peeled: a key that is alone in one of its slots
 * can be given its due there at the very end, when its other slots are fixed, so it is set
 * aside, which may leave other keys alone. If all keys go that way, they are filled in, the
 * last one set aside first:
 *
 *     slots:    A     B     C     D     E         x is alone in A: set aside
 *     x:        x --- x --- x                     then y is alone in B: set aside
 *     y:              y --- y --- y               then z is alone in C, D and E
 *     z:                    z --- z --- z         filled in: z, y (into B), x (into A)
 *
 * With 12.5 % more slots than keys (7.5 % for 4 slots) this nearly always works out, because
 * the ends of the table, where few segments overlap, are emptier than the middle and peeling
 * eats its way inward. If it does not, the hashes are mixed in another of 256 ways, and in
 * the end under seeds of 64 bits. */
#include "filter/fuse.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/inline.h"
#include "base/le.h"
#include "base/random.h"
#include "base/status.h"

/* Of well-mixed hashes an attempt fails rarely, but for some numbers of keys, where the
 * segments are about to become longer, often: 60 times in a row on average near 11,500 keys,
 * 4 times near 39,000, less than once above. So up to FEW_KEYS all 256 ways are tried, above 64:
 * enough that sets of nobody's choice hardly ever need a seed, and no more, because
 * each is a price that an enemy can make us pay. */
#define FEW_KEYS 65536
#define N_RANDOM 1024

/* Between the two come seeds that follow from the keys: equal sets still give equal bytes. Whoever
 * chooses keys would have to find a set that spoils all the seeds that follow from it. */
#define N_DERIVED 1024
#ifdef NINHO_TEST_HOOKS
unsigned nh_fuse_n_derived = N_DERIVED;
#else
#define nh_fuse_n_derived N_DERIVED
#endif
#define MOST_GROUP_BITS \
    11 /* groups that are written to at once: no more than caches have lines */

/* One block of scratch memory, carved up. */
struct scratch {
    uint64_t *keys;  /* mixed hashes; later in the order they were set aside */
    uint64_t *sums;  /* XOR of the keys in each slot: of a single one, that key */
    void *single;    /* slots that hold a single key, of 4 bytes each if they fit */
    uint8_t *counts; /* keys in each slot */
    uint8_t *which;  /* which of its slots a key was alone in */
    bool is_clear;   /* sums and counts are still 0 */
};

/* Whether numbers of slots fit 4 bytes. */
static bool is_narrow(uint64_t n_slots)
{
    return n_slots <= UINT32_MAX;
}

/* Sums, or hashes under way to keys: there may be more of these, where many are equal. */
static uint64_t n_sums(size_t n, uint64_t n_slots)
{
    return n > n_slots ? n : n_slots;
}

/* Bytes of it for n hashes, duplicates included, or 0 if they cannot be addressed. The list of single
 * slots has one place more than it needs: peel() writes before it knows. */
static size_t scratch_bytes(size_t n, uint64_t n_slots)
{
    const uint64_t slot_bytes = is_narrow(n_slots) ? 5 : 9; /* with its count */
    uint64_t words, bytes, slots;

    if (!nh_add_fits(n, n_sums(n, n_slots), &words) || !nh_mul_fits(words, 8, &bytes) ||
        !nh_mul_fits(n_slots + 1, slot_bytes, &slots) ||
        !nh_add_fits(bytes, slots, &bytes) || !nh_add_fits(bytes, n, &bytes) ||
        bytes > SIZE_MAX)
        return 0;
    return (size_t)bytes;
}

static struct scratch carve(uint8_t *block, size_t n, uint64_t n_slots)
{
    struct scratch s;

    s.keys = (uint64_t *)(void *)block;
    s.sums = s.keys + n;
    s.single = s.sums + n_sums(n, n_slots);
    s.counts = (uint8_t *)s.single + (n_slots + 1) * (is_narrow(n_slots) ? 4 : 8);
    s.which = s.counts + n_slots;
    s.is_clear = true;
    return s;
}

static inline void set_single(void *single, uint64_t i, uint64_t slot, bool narrow)
{
    if (narrow)
        ((uint32_t *)single)[i] = (uint32_t)slot;
    else
        ((uint64_t *)single)[i] = slot;
}

static inline uint64_t single_at(const void *single, uint64_t i, bool narrow)
{
    return narrow ? ((const uint32_t *)single)[i] : ((const uint64_t *)single)[i];
}

#define ASK_EVERY ((size_t)1 << 18) /* keys: some milliseconds */

/* The cancellation callback: once it has answered true it is not asked again. */
struct cancellation {
    const struct nh_live *live;
    bool is_cancelled;
};

/* Asked at key number i. */
static inline bool is_stopped(struct cancellation *cancellation, size_t i)
{
    const struct nh_live *const live = cancellation->live;

    if (i % ASK_EVERY)
        return false;
    if (!cancellation->is_cancelled && live->is_stopped)
        cancellation->is_cancelled = live->is_stopped(live->stop_context);
    return cancellation->is_cancelled;
}

/* Puts every key into its slots; false if one of them has too many to count. */
NH_ALWAYS_INLINE bool fill_slots(struct cancellation *cancellation,
                                 const struct nh_fuse_shape *shape,
                                 const struct scratch *s, size_t n, unsigned arity)
{
    uint64_t slots[NH_FUSE_MAX_ARITY] = {0};
    bool fits_count = true;

    for (size_t i = 0; i < n; i++) {
        if (is_stopped(cancellation, i))
            return false;
        nh_fuse_slots(s->keys[i], shape, arity, slots);
        for (unsigned j = 0; j < arity; j++) {
            s->sums[slots[j]] ^= s->keys[i];
            fits_count &= ++s->counts[slots[j]] != 0;
        }
    }
    return fits_count;
}

/* Sets keys aside one by one, in the place of the keys, which are all in the sums; how many could be.
 * A slot comes to hold a single key only once, so that the list of those never outgrows the table.
 * Whether one does is as good as chance: so it is written to the list, and counted if it does. */
NH_ALWAYS_INLINE size_t peel(struct cancellation *cancellation,
                             const struct nh_fuse_shape *shape, const struct scratch *s,
                             uint64_t n_slots, unsigned arity, bool narrow)
{
    uint64_t slots[NH_FUSE_MAX_ARITY] = {0};
    uint64_t n_single = 0;
    size_t n_aside = 0;

    for (uint64_t slot = 0; slot < n_slots; slot++) {
        set_single(s->single, n_single, slot, narrow);
        n_single += s->counts[slot] == 1;
    }
    while (n_single) {
        const uint64_t slot = single_at(s->single, --n_single, narrow);
        if (s->counts[slot] != 1)
            continue; /* its key went by another slot */
        if (is_stopped(cancellation, n_aside))
            break;
        const uint64_t key = s->sums[slot];
        unsigned which = 0;
        nh_fuse_slots(key, shape, arity, slots);
        for (unsigned j = 0; j < arity; j++) {
            s->sums[slots[j]] ^= key;
            set_single(s->single, n_single, slots[j], narrow);
            n_single += --s->counts[slots[j]] == 1;
            which += slots[j] == slot ? j : 0;
        }
        s->which[n_aside] = (uint8_t)which;
        s->keys[n_aside++] = key;
    }
    return n_aside;
}

static void store(uint8_t *body, uint64_t slot, unsigned bits, unsigned value)
{
    if (bits == 8)
        body[slot] = (uint8_t)value;
    else
        nh_store_le16(body + 2 * slot, (uint16_t)value);
}

/* Gives the keys their due, the last one set aside first; false if it was stopped. */
NH_ALWAYS_INLINE bool assign(struct cancellation *cancellation, struct nh_part *part,
                             const struct nh_fuse_shape *shape, const struct scratch *s,
                             size_t n, unsigned arity)
{
    uint64_t slots[NH_FUSE_MAX_ARITY];

    while (n-- > 0) {
        if (is_stopped(cancellation, n))
            return false;
        const uint64_t key = s->keys[n];
        nh_fuse_slots(key, shape, arity, slots);
        const uint64_t slot = slots[s->which[n]];
        const unsigned others = nh_fuse_xor(part->body, slots, arity, shape->bits) ^
                                nh_fuse_load(part->body, slot, shape->bits);
        store(part->body, slot, shape->bits,
              others ^ nh_fuse_fingerprint(key, shape->bits));
    }
    return true;
}

/* Mixes the hashes into s->keys. Keys whose slots lie near each other come together, about
 * a segment's at a time, so that the table is filled from one end to the other; within these
 * groups any order will do. */
static void gather(const struct nh_fuse_shape *shape, const struct scratch *s,
                   const uint64_t *hashes, size_t n, uint64_t turn)
{
    size_t starts[(size_t)1 << MOST_GROUP_BITS] = {0}, sum = 0;
    unsigned bits = 1;

    while (bits < MOST_GROUP_BITS && shape->region >> (shape->log_segment + bits))
        bits++;
    for (size_t i = 0; i < n; i++)
        starts[nh_fuse_mix(hashes[i], turn) >> (64 - bits)]++;
    for (size_t group = 0; group < (size_t)1 << bits; group++) {
        const size_t here = starts[group];
        starts[group] = sum;
        sum += here;
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = nh_fuse_mix(hashes[i], turn);
        s->keys[starts[key >> (64 - bits)]++] = key;
    }
}

/* One attempt, with s->keys, n different ones. */
NH_ALWAYS_INLINE bool try_keys(struct cancellation *cancellation, struct nh_part *part,
                               const struct nh_fuse_shape *shape, struct scratch *s,
                               size_t n, unsigned arity, bool narrow)
{
    if (!s->is_clear) {
        memset(s->sums, 0, (size_t)part->n_cells * sizeof *s->sums);
        memset(s->counts, 0, (size_t)part->n_cells);
    }
    s->is_clear = false;
    if (!fill_slots(cancellation, shape, s, n, arity) ||
        peel(cancellation, shape, s, part->n_cells, arity, narrow) != n ||
        !assign(cancellation, part, shape, s, n, arity))
        return false;
    part->count = n;
    return true;
}

static bool try_seed(struct cancellation *cancellation, struct nh_part *part,
                     const struct nh_fuse_shape *shape, struct scratch *s, size_t n)
{
    if (!is_narrow(part->n_cells))
        return shape->arity == 3 ? try_keys(cancellation, part, shape, s, n, 3, false)
                                 : try_keys(cancellation, part, shape, s, n, 4, false);
    return shape->arity == 3 ? try_keys(cancellation, part, shape, s, n, 3, true)
                             : try_keys(cancellation, part, shape, s, n, 4, true);
}

unsigned nh_fuse_n_fixed(size_t n)
{
    return n <= FEW_KEYS ? 256 : 64;
}

/* A number that follows from all keys, whatever their order and copies. */
static uint64_t digest(const struct nh_fuse_shape *shape, const struct scratch *s,
                       const uint64_t *hashes, size_t n)
{
    uint64_t sum = 0;

    gather(shape, s, hashes, n, nh_fuse_turn(0));
    n = ninho_hash_sort_unique(s->keys, n);
    for (size_t i = 0; i < n; i++)
        sum = nh_fuse_keyed(s->keys[i], sum);
    return sum;
}

/* The seed of attempt number i, 0 as long as the ways of mixing are the written ones. False if there
 * are no random numbers. */
static bool seed_of(unsigned i, unsigned n_fixed, uint64_t base, uint64_t *keyed_by)
{
    *keyed_by = 0;
    if (i < n_fixed)
        return true;
    if (i - n_fixed < nh_fuse_n_derived)
        *keyed_by = nh_fuse_keyed(i, base);
    else if (!nh_random(keyed_by, sizeof *keyed_by))
        return false;
    *keyed_by |= *keyed_by == 0;
    return true;
}

/* How it went. */
struct attempts {
    size_t n_distinct; /* keys */
    bool has_no_random;
};

/* Sorting, to drop equal hashes, would take longer than all the rest, and most callers have
 * none. So the first attempt is made as if there were none: two equal keys are never alone
 * in a slot, and peeling gets stuck on them. Then, or if there are more hashes than keys may
 * be, they are sorted, and where some were equal the same seed is tried again. */
static bool try_seeds(struct cancellation *cancellation, struct nh_part *part,
                      struct scratch *s, const uint64_t *hashes, size_t n,
                      struct attempts *attempts)
{
    const struct nh_fuse_shape shape = nh_fuse_shape_of(part);
    const unsigned n_fixed = nh_fuse_n_fixed(n);
    const unsigned n_most = n_fixed + nh_fuse_n_derived + N_RANDOM;
    bool may_repeat = true, must_drop = n > part->capacity;
    size_t *const n_distinct = &attempts->n_distinct;
    uint64_t base = 0;

    *n_distinct = n;
    for (unsigned i = 0; i < n_most && !is_stopped(cancellation, 0); i++) {
        const unsigned seed = i < n_fixed ? i : 0;
        uint64_t keyed_by;
        if (i == n_fixed)
            base = digest(&shape, s, hashes, n);
        if (!seed_of(i, n_fixed, base, &keyed_by)) {
            attempts->has_no_random = true;
            return false;
        }
        /* Kept where the sums will be. */
        for (size_t at = 0; at < n && keyed_by; at++)
            s->sums[at] = nh_fuse_keyed(hashes[at], keyed_by);
        s->is_clear &= !keyed_by;
        gather(&shape, s, keyed_by ? s->sums : hashes, n, nh_fuse_turn(seed));
        if (must_drop) {
            *n_distinct = ninho_hash_sort_unique(s->keys, n);
            may_repeat = false;
        }
        if (*n_distinct > part->capacity)
            return false;
        if (try_seed(cancellation, part, &shape, s, *n_distinct)) {
            part->stored[0] = nh_fuse_word(seed, shape.log_segment, shape.bits);
            part->stored[1] = keyed_by;
            return true;
        }
        if (may_repeat && !is_stopped(cancellation, 0)) {
            gather(&shape, s, hashes, n, nh_fuse_turn(seed));
            must_drop = ninho_hash_sort_unique(s->keys, n) < n;
            may_repeat = false;
            i -= must_drop; /* again with this one */
        }
    }
    return false;
}

ninho_status nh_fuse_build(const struct nh_live *live, struct nh_part *part,
                           const uint64_t *hashes, size_t n, ninho_error *error)
{
    const size_t n_bytes = scratch_bytes(n, part->n_cells);
    struct nh_table block = {0};
    struct cancellation cancellation = {live, false};
    struct attempts attempts = {0, false};

    if (!n_bytes || !nh_live_table(live, n_bytes, &block))
        return nh_fail(error, NINHO_ERR_NOMEM,
                       "not enough memory: the construction needs %zu bytes", n_bytes);
    struct scratch s = carve(block.bytes, n, part->n_cells);
    const bool is_built = try_seeds(&cancellation, part, &s, hashes, n, &attempts);
    nh_table_free(live->alloc, &block);
    if (is_built)
        return NINHO_OK;
    if (cancellation.is_cancelled)
        return nh_fail(error, NINHO_ERR_BUILD, "the caller stopped the construction");
    if (attempts.n_distinct > part->capacity)
        return nh_fail(error, NINHO_ERR_FULL,
                       "%zu distinct keys where capacity is %" PRIu64,
                       attempts.n_distinct, part->capacity);
    return nh_fail(
        error, NINHO_ERR_BUILD, "no fuse filter was found in %u attempts: %s",
        nh_fuse_n_fixed(n) + nh_fuse_n_derived + (attempts.has_no_random ? 0 : N_RANDOM),
        attempts.has_no_random
            ? "the keys were chosen to prevent one, or are badly mixed, and the "
              "system has no random numbers; try another seed"
            : "the hashes are badly mixed; try another seed");
}
