/* SPDX-License-Identifier: MIT */
/* To fill the table of a ribbon filter, a system of linear equations over bits is solved. Each key
 * is one equation in each column: the slots that its row names add up to its fingerprint's bit.
 *
 *     slots:   0 1 2 3 4 5 6 7 8 9 ...
 *     x:         1 0 1 1                =  0 1 1 0 0 0 1 0      rows of 64 slots, here of 4
 *     y:             1 1 0 1            =  1 0 0 1 1 0 1 0
 *     z:             1 0 0 1            =  0 0 1 0 1 1 0 1
 *
 * Rows are made to begin at different slots: one that begins where another does is added to it,
 * which takes that slot out of it, and it then begins further right (z becomes z + y). Since rows
 * are short and their keys come sorted by where they start, all this happens in the cache. When
 * nothing is left of a row, it follows from the others; if its fingerprint does not, the key cannot
 * be had, and it is bumped: it gets another row in the next zone of the table, together with all
 * keys that start left of the same threshold in its bucket. From the last slot to the first, every
 * slot then follows from those right of it.
 *
 * The rows that a set of keys leaves begin at the same slots in whatever order they came, so the
 * solution does not depend on it. */
#include "filter/ribbon.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/inline.h"
#include "base/le.h"
#include "base/random.h"
#include "base/status.h"
#include "filter/fuse.h"

/* Of well-mixed hashes an attempt hardly ever fails. Then come seeds that follow from the keys, as
 * fuse_build.c tells, then random ones. */
#define N_FIXED   16
#define N_DERIVED 64
#define N_RANDOM  64
#ifdef NINHO_TEST_HOOKS
unsigned nh_ribbon_n_fixed = N_FIXED, nh_ribbon_n_derived = N_DERIVED;
#else
#define nh_ribbon_n_fixed   N_FIXED
#define nh_ribbon_n_derived N_DERIVED
#endif
#define N_LAST_SEEDS 256 /* of the last zone, which is small: to try one costs little */

#define BUCKET        (UINT64_C(1) << NINHO_RIBBON_LOG_BUCKET_)
#define N_LEVELS      4
#define MOST_IN_REACH (BUCKET + NH_RIBBON_BLOCK) /* slots that a bucket's rows touch */

/* One attempt at a table. */
struct system {
    const struct nh_live *live;
    uint64_t *keys;    /* mixed hashes: of those that are still without a row */
    uint64_t *masks;   /* of the row that begins in a slot; 0: none does */
    uint32_t *results; /* what that row adds up to */
    uint8_t *thresholds;
    uint64_t n_slots;
    size_t n_distinct;     /* keys */
    unsigned n_last_seeds; /* that the last zone may try */
    bool is_cancelled;
};

/* Bytes of keys, masks and results for n hashes, or 0 if they cannot be addressed. */
static size_t scratch_bytes(size_t n, uint64_t n_slots)
{
    uint64_t keys, rows, bytes;

    if (!nh_mul_fits(n, 8, &keys) || !nh_mul_fits(n_slots, 12, &rows) ||
        !nh_add_fits(keys, rows, &bytes) || bytes > SIZE_MAX)
        return 0;
    return (size_t)bytes;
}

#define ASK_EVERY ((size_t)1 << 11) /* buckets: some milliseconds */

/* The cancellation callback: once it has answered true it is not asked again. */
static bool is_stopped(struct system *s)
{
    if (!s->is_cancelled && s->live->is_stopped)
        s->is_cancelled = s->live->is_stopped(s->live->stop_context);
    return s->is_cancelled;
}

/* ---- Rows -------------------------------------------------------------------------- */

#define NOWHERE UINT64_MAX       /* the row follows from the others */
#define NEVER   (UINT64_MAX - 1) /* it contradicts them */

/* Puts a row where it begins once all that begin there were added to it; tells where. */
NH_ALWAYS_INLINE uint64_t put_row(const struct system *s, uint64_t slot, uint64_t mask,
                                  uint32_t result)
{
    for (;;) {
        const uint64_t there = s->masks[slot];
        if (!there)
            break;
        mask ^= there;
        result ^= s->results[slot];
        if (!mask)
            return result ? NEVER : NOWHERE;
        const unsigned n = nh_lowest_bit64(mask);
        mask >>= n;
        slot += n;
    }
    s->masks[slot] = mask;
    s->results[slot] = result;
    return slot;
}

NH_ALWAYS_INLINE uint64_t put_key(const struct system *s, uint64_t start, uint64_t key)
{
    const ninho_ribbon_row_ row = ninho_ribbon_row_at_(start, key);
    return put_row(s, start, row.mask, (uint32_t)row.wanted);
}

/* ---- Buckets ----------------------------------------------------------------------- */

/* A bucket and its keys, which are keys[begin .. end), ascending. */
struct bucket {
    uint64_t zone_start, zone_slots; /* of the zone it is in */
    uint64_t start;
    size_t begin, end;
};

static inline uint64_t start_of(const struct bucket *b, uint64_t key)
{
    return b->zone_start + nh_reduce(key, b->zone_slots);
}

static unsigned slots_below(unsigned level)
{
    return NINHO_RIBBON_THRESHOLDS_ >> 8 * level & 0xff;
}

static void take_back(const struct system *s, const uint64_t *taken, size_t n)
{
    while (n-- > 0) {
        s->masks[taken[n]] = 0;
        nh_tell(s->live, NINHO_EVENT_TAG_REMOVED, taken[n], 0, s->results[taken[n]]);
    }
}

/* Puts the keys of a bucket from its right end on, one stretch between two thresholds after
 * another: the bucket before it has taken slots at its left end. A stretch that fails is taken out
 * again, and with it goes what lies left of it. Tells the threshold; b->end becomes the end of
 * the keys that are bumped. */
static unsigned put_bucket(const struct system *s, struct bucket *b)
{
    uint64_t taken[MOST_IN_REACH];

    for (unsigned level = N_LEVELS - 1; level-- > 0;) {
        const uint64_t left = b->start + slots_below(level);
        size_t at = b->end, n_taken = 0;
        for (; at > b->begin; at--) {
            const uint64_t key = s->keys[at - 1], start = start_of(b, key);
            if (start < left)
                break;
            const uint64_t slot = put_key(s, start, key);
            if (slot == NEVER) {
                take_back(s, taken, n_taken);
                return level + 1;
            }
            if (slot == NOWHERE)
                continue;
            taken[n_taken++] = slot;
            nh_tell(s->live, NINHO_EVENT_TAG_PLACED, 0, slot, s->results[slot]);
        }
        b->end = at;
    }
    return 0;
}

/* Puts n keys, sorted, into a zone of n_slots from `start` on. How many were bumped: they are then
 * the first of the keys. */
static size_t put_zone(struct system *s, uint64_t start, uint64_t n_slots, size_t n)
{
    struct bucket b = {.zone_start = start, .zone_slots = n_slots, .start = start};
    size_t n_bumped = 0, next = 0;

    for (size_t i = 0; b.start < start + n_slots; i++, b.start += BUCKET) {
        if (i % ASK_EVERY == 0 && is_stopped(s))
            return n;
        b.begin = next;
        while (next < n && start_of(&b, s->keys[next]) < b.start + BUCKET)
            next++;
        b.end = next;
        const unsigned level = put_bucket(s, &b);
        const uint64_t number = b.start / BUCKET;
        s->thresholds[number / 4] |= (uint8_t)(level << 2 * (number % 4));
        for (size_t at = b.begin; level && at < b.end; at++)
            nh_tell(s->live, NINHO_EVENT_TAG_MOVED, start_of(&b, s->keys[at]),
                    start + n_slots, s->keys[at]);
        if (level) {
            memmove(s->keys + n_bumped, s->keys + b.begin,
                    (b.end - b.begin) * sizeof *s->keys);
            n_bumped += b.end - b.begin;
        }
    }
    return n_bumped;
}

/* ---- Zones ------------------------------------------------------------------------- */

/* One attempt at the last zone, where nothing can be bumped. */
static bool put_few(const struct system *s, uint64_t start, size_t n, uint64_t turn)
{
    const uint64_t n_starts = s->n_slots - start - NH_RIBBON_BLOCK;

    for (size_t i = 0; i < n; i++) {
        const uint64_t key = ninho_fuse_mix_(s->keys[i], turn);
        if (put_key(s, start + nh_reduce(key, n_starts), key) == NEVER)
            return false;
    }
    return true;
}

/* Tells of the rows that begin in the last zone; those of the zone before, which reach into it, were
 * told of. */
static void tell_last(const struct system *s, uint64_t start, const uint64_t *before)
{
    for (uint64_t slot = start; s->live->observer && slot < s->n_slots; slot++)
        if (s->masks[slot] && (slot - start >= NH_RIBBON_BLOCK || !before[slot - start]))
            nh_tell(s->live, NINHO_EVENT_TAG_PLACED, 0, slot, s->results[slot]);
}

/* Puts n keys into the last zone; the seed under which that was done, n_last_seeds if none will do. */
static unsigned put_last(struct system *s, unsigned zone, uint64_t start, size_t n)
{
    uint64_t before[NH_RIBBON_BLOCK]; /* rows of the zone before reach so far into it */
    unsigned seed = 0;

    memcpy(before, s->masks + start, sizeof before);
    for (; seed < s->n_last_seeds && n <= s->n_slots - start && !is_stopped(s); seed++) {
        if (put_few(s, start, n, ninho_ribbon_turn_(zone, seed))) {
            tell_last(s, start, before);
            return seed;
        }
        memset(s->masks + start, 0, (size_t)(s->n_slots - start) * sizeof *s->masks);
        memcpy(s->masks + start, before,
               sizeof before); /* and their results are as they were */
    }
    return s->n_last_seeds;
}

static void mix_keys(uint64_t *to, const uint64_t *from, size_t n, uint64_t turn)
{
    for (size_t i = 0; i < n; i++)
        to[i] = ninho_fuse_mix_(from[i], turn);
}

/* Gives each of n hashes its row. */
static bool put_all(struct system *s, const ninho_ribbon_shape_ *shape, uint64_t capacity,
                    const uint64_t *hashes, size_t n, unsigned *last_seed)
{
    uint64_t first = 0, zone;
    unsigned number = 0;

    mix_keys(s->keys, hashes, n, shape->turn);
    n = s->n_distinct = ninho_hash_sort_unique(s->keys, n);
    if (n > capacity)
        return false;
    for (; (zone = ninho_ribbon_zone_(shape->n_blocks - first)) != 0; first += zone) {
        if (number++) {
            mix_keys(s->keys, s->keys, n, ninho_ribbon_turn_(number - 1, 0));
            ninho_hash_sort(s->keys, n);
        }
        n = put_zone(s, NH_RIBBON_BLOCK * first, NH_RIBBON_BLOCK * zone, n);
        if (s->is_cancelled)
            return false;
    }
    *last_seed = put_last(s, number, NH_RIBBON_BLOCK * first, n);
    return *last_seed < s->n_last_seeds;
}

/* ---- The solution ------------------------------------------------------------------ */

/* From the last block to the first. */
static void store_columns(const struct system *s, uint8_t *body,
                          const ninho_ribbon_shape_ *shape)
{
    const struct nh_ribbon_kernel *const kernel = nh_ribbon_select(0);
    const unsigned width = shape->bits + (shape->n_wide != 0);
    uint64_t columns[NH_RIBBON_MOST_BITS] = {0};
    uint8_t *to = body + shape->thresholds;

    for (uint64_t block = shape->n_blocks; block-- > 0;) {
        const uint64_t slot = NH_RIBBON_BLOCK * block;
        kernel->solve(s->masks + slot, s->results + slot, width, columns);
        for (unsigned i = shape->bits + (block < shape->n_wide); i-- > 0;)
            nh_store_le64(to -= 8, columns[i]);
    }
}

/* ---- Seeds ------------------------------------------------------------------------- */

/* A number that follows from all hashes, whatever their order and copies. */
static uint64_t digest(uint64_t *keys, const uint64_t *hashes, size_t n)
{
    uint64_t sum = 0;

    memcpy(keys, hashes, n * sizeof *hashes);
    n = ninho_hash_sort_unique(keys, n);
    for (size_t i = 0; i < n; i++)
        sum = nh_fuse_keyed(keys[i], sum);
    return sum;
}

/* The seed of 64 bits of attempt number i, 0 as long as the fixed ones last. False if there are no
 * random numbers. */
static bool seed_of(unsigned i, uint64_t base, uint64_t *keyed_by)
{
    *keyed_by = 0;
    if (i < nh_ribbon_n_fixed)
        return true;
    if (i - nh_ribbon_n_fixed < nh_ribbon_n_derived)
        *keyed_by = nh_fuse_keyed(i, base);
    else if (!nh_random(keyed_by, sizeof *keyed_by))
        return false;
    *keyed_by |= *keyed_by == 0;
    return true;
}

/* One attempt. Under a seed of 64 bits the last zone has no choice of its own, which bare bytes have no
 * room for: such seeds are tried whole. */
static bool try_seed(struct system *s, struct nh_part *part, const uint64_t *hashes,
                     size_t n, unsigned seed, uint64_t keyed_by)
{
    struct nh_ribbon_word word = nh_ribbon_unpack(part->stored[0]);

    word.seed = seed;
    const ninho_ribbon_shape_ shape = nh_ribbon_shape(s->n_slots / NH_RIBBON_BLOCK, word);
    memset(part->body, 0, (size_t)part->size);
    memset(s->masks, 0, (size_t)s->n_slots * sizeof *s->masks);
    s->thresholds = part->body + shape.thresholds;
    s->n_last_seeds = keyed_by ? 1 : N_LAST_SEEDS;
    for (size_t i = 0; i < n && keyed_by; i++)
        s->keys[i] = nh_fuse_keyed(hashes[i], keyed_by);
    nh_tell(s->live, NINHO_EVENT_RESIZED, 0, s->n_slots, 0);
    if (!put_all(s, &shape, part->capacity, keyed_by ? s->keys : hashes, n,
                 &word.last_seed) ||
        is_stopped(s))
        return false;
    store_columns(s, part->body, &shape);
    part->stored[0] = nh_ribbon_pack(word);
    part->stored[1] = keyed_by;
    part->count = s->n_distinct;
    return true;
}

static bool try_seeds(struct system *s, struct nh_part *part, const uint64_t *hashes,
                      size_t n, bool *has_no_random)
{
    const unsigned n_most = nh_ribbon_n_fixed + nh_ribbon_n_derived + N_RANDOM;
    uint64_t base = 0;

    for (unsigned i = 0; i < n_most && !is_stopped(s); i++) {
        uint64_t keyed_by;
        if (i == nh_ribbon_n_fixed)
            base = digest(s->keys, hashes, n);
        if (!seed_of(i, base, &keyed_by)) {
            *has_no_random = true;
            return false;
        }
        if (try_seed(s, part, hashes, n, keyed_by ? 0 : i, keyed_by))
            return true;
        if (s->n_distinct > part->capacity)
            return false;
    }
    return false;
}

static ninho_status fail(const struct system *s, const struct nh_part *part,
                         bool has_no_random, ninho_error *error)
{
    if (s->is_cancelled)
        return nh_fail(error, NINHO_ERR_BUILD, "the caller stopped the construction");
    if (s->n_distinct > part->capacity)
        return nh_fail(error, NINHO_ERR_FULL,
                       "%zu distinct keys where capacity is %" PRIu64, s->n_distinct,
                       part->capacity);
    return nh_fail(
        error, NINHO_ERR_BUILD, "no ribbon filter was found in %u attempts: %s",
        nh_ribbon_n_fixed + nh_ribbon_n_derived + (has_no_random ? 0 : N_RANDOM),
        has_no_random
            ? "the keys were chosen to prevent one, or are badly mixed, and the "
              "system has no random numbers; try another seed"
            : "the hashes are badly mixed; try another seed");
}

ninho_status nh_ribbon_build(const struct nh_live *live, struct nh_part *part,
                             const uint64_t *hashes, size_t n, ninho_error *error)
{
    const size_t n_bytes = scratch_bytes(n, part->n_cells);
    uint64_t *const block =
        n_bytes ? live->alloc->alloc(live->alloc->context, n_bytes) : NULL;
    bool has_no_random = false;

    if (!block)
        return nh_fail(error, NINHO_ERR_NOMEM,
                       "not enough memory: the construction needs %zu bytes", n_bytes);
    struct system s = {.live = live, .keys = block, .n_slots = part->n_cells};
    s.masks = s.keys + n;
    s.results = (uint32_t *)(void *)(s.masks + part->n_cells);
    const bool is_built = try_seeds(&s, part, hashes, n, &has_no_random);
    nh_alloc_free(live->alloc, block, n_bytes);
    return is_built ? NINHO_OK : fail(&s, part, has_no_random, error);
}
