/* SPDX-License-Identifier: MIT */
/* The binary fuse filter (Graf and Lemire, 2022): the smallest filter here, for a set
 * that does not change. Each key has 3 (or 4) slots, one in each of consecutive segments
 * of the table, and the fingerprint of the key is the XOR of what lies in them:
 *
 *     table:  | segment 0 | segment 1 | segment 2 | segment 3 | ...    L slots each, L = 2^j
 *     x:             s0 --------- s1 -------- s2
 *     y:                         t0 -------- t1 -------- t2
 *
 *     has(x):  table[s0] ^ table[s1] ^ table[s2] == fingerprint(x)
 *
 * An absent key agrees with probability 2^-8 or 2^-16, whatever the load.
 *
 * To fill the table, it is peeled: a key that is alone in one of its slots can be given
 * its due there at the very end, when its other slots are fixed, so it is set aside,
 * which may leave other keys alone. If all keys go that way, they are filled in, the last
 * one set aside first. With 12.5 % more slots than keys (7.5 % for 4 slots) this nearly
 * always works out, because the ends of the table, where few segments overlap, are
 * emptier than the middle and peeling eats its way inward. If it does not, the hashes are
 * mixed in another of 256 ways. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/inline.h"
#include "base/le.h"
#include "base/status.h"
#include "filter/ops.h"
#include "filter/simd/fuse.h"

#define DEFAULT_ARITY   3
#define MIN_LOG_SEGMENT 2
#define N_SEEDS         256
#define MAX_KEYS        (UINT64_C(1) << 40)
#define MOST_GROUP_BITS \
    11 /* groups that are written to at once: no more than caches have lines */

/* ---- Geometry ---------------------------------------------------------------------- */

/* stored[0]: bits 0-7 the seed, 8-15 log2 of the segment's slots, 16-23 bits of a
 * fingerprint; n_hashes: slots of a key. */
static unsigned seed_of(const struct nh_part *part)
{
    return part->stored[0] & 0xff;
}

static unsigned log_segment(const struct nh_part *part)
{
    return part->stored[0] >> 8 & 0xff;
}

static uint32_t tag_bits(const struct nh_part *part)
{
    return part->stored[0] >> 16 & 0xff;
}

static uint64_t word_of(unsigned seed, unsigned log_size, unsigned bits)
{
    return seed | log_size << 8 | bits << 16;
}

/* Segment and table sizes are those that the paper found by experiment. */
static unsigned log_segment_for(uint64_t n, unsigned arity)
{
    const double log_n = log((double)n);
    const double best = arity == 3 ? log_n / log(3.33) + 2.25 : log_n / log(2.91) - 0.5;

    return best < MIN_LOG_SEGMENT           ? MIN_LOG_SEGMENT
           : best > NH_FUSE_MAX_LOG_SEGMENT ? NH_FUSE_MAX_LOG_SEGMENT
                                            : (unsigned)(best + 1e-9);
}

/* Slots per key in 1/256ths, so coarse that every machine has the same. */
static uint64_t units_for(uint64_t n, unsigned arity)
{
    const double log_n = log((double)(n < 2 ? 2 : n));
    const double least = arity == 3 ? 1.125 : 1.075;
    const double small =
        arity == 3 ? 0.875 + 0.25 * log(1e6) / log_n : 0.77 + 0.305 * log(6e5) / log_n;
    return (uint64_t)ceil(256 * (small > least ? small : least) - 1e-6);
}

static ninho_status bits_for(const ninho_spec *spec, unsigned *bits, ninho_error *error)
{
    if (spec->tag_bits && spec->tag_bits != 8 && spec->tag_bits != 16)
        return nh_fail_field(error, NINHO_FIELD_TAG_BITS, 8, 16,
                             "of a fuse filter must be 8 or 16, not %" PRIu32,
                             spec->tag_bits);
    if (!spec->tag_bits && spec->fpr < 0x1p-16)
        return nh_fail_field(
            error, NINHO_FIELD_FPR, 0x1p-16, 1,
            "of a fuse filter must be at least 2^-16, about 1.53e-05, not %g", spec->fpr);
    *bits = spec->tag_bits ? spec->tag_bits : spec->fpr < 0x1p-8 ? 16 : 8;
    return NINHO_OK;
}

static ninho_status plan(const ninho_spec *spec, struct nh_part *part, ninho_error *error)
{
    const unsigned arity = spec->arity ? spec->arity : DEFAULT_ARITY;
    const uint64_t n = spec->capacity;
    unsigned bits = 0;

    if (arity != 3 && arity != 4)
        return nh_fail_field(error, NINHO_FIELD_ARITY, 3, 4,
                             "of a fuse filter must be 3 or 4, not %u", arity);
    if (n > MAX_KEYS)
        return nh_fail(error, NINHO_ERR_NOMEM, "a fuse filter holds at most 2^40 keys");
    const ninho_status status = bits_for(spec, &bits, error);
    if (status)
        return status;
    const unsigned log_size = log_segment_for(n, arity);
    const uint64_t n_slots = (n * units_for(n, arity) + 255) / 256;
    const uint64_t n_segments = (n_slots + nh_low_mask(log_size)) >> log_size;
    part->n_cells = (n_segments < arity ? arity : n_segments) << log_size;
    part->n_hashes = arity;
    part->stored[0] = word_of(0, log_size, bits);
    part->size = part->n_cells * (bits / 8);
    return NINHO_OK;
}

static void spec_back(const struct nh_part *part, ninho_spec *spec)
{
    spec->tag_bits = tag_bits(part);
    spec->arity = part->n_hashes;
}

static double expected_fpr(const struct nh_part *part, double n_keys)
{
    (void)n_keys; /* even an empty table agrees by chance */
    return ldexp(1, -(int)tag_bits(part));
}

static const char *note(const struct nh_part *part, double fpr)
{
    (void)part;
    (void)fpr;
    return "built once from all its keys: nothing can be added or removed later";
}

static bool fits(const struct nh_part *part)
{
    const unsigned log_size = log_segment(part), bits = tag_bits(part);
    const uint64_t n = part->n_cells;

    return (bits == 8 || bits == 16) && log_size >= MIN_LOG_SEGMENT &&
           log_size <= NH_FUSE_MAX_LOG_SEGMENT && part->stored[0] >> 24 == 0 &&
           !part->stored[1] && (part->n_hashes == 3 || part->n_hashes == 4) &&
           n <= 8 * MAX_KEYS && (n & nh_low_mask(log_size)) == 0 &&
           n >> log_size >= part->n_hashes && part->size == n * (bits / 8) &&
           part->count <= part->capacity;
}

/* ---- A key's slots ----------------------------------------------------------------- */

static uint64_t turn_of(unsigned seed)
{
    return (seed + 1) *
           UINT64_C(0x9e3779b97f4a7c15); /* the golden ratio's multiples: unlike */
}

static struct nh_fuse_shape shape_of(const struct nh_part *part)
{
    const unsigned log_size = log_segment(part);
    return (struct nh_fuse_shape){
        part->n_cells - ((uint64_t)(part->n_hashes - 1) << log_size),
        nh_low_mask(log_size),
        turn_of(seed_of(part)),
        log_size,
        part->n_hashes,
        tag_bits(part),
    };
}

static void store(uint8_t *body, uint64_t slot, unsigned bits, unsigned value)
{
    if (bits == 8)
        body[slot] = (uint8_t)value;
    else
        nh_store_le16(body + 2 * slot, (uint16_t)value);
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    const struct nh_fuse_shape s = shape_of(part);
    const uint64_t x = nh_fuse_mix(hash, s.turn);
    uint64_t slots[NH_FUSE_MAX_ARITY];

    nh_fuse_slots(x, &s, s.arity, slots);
    return nh_fuse_xor(part->body, slots, s.arity, s.bits) ==
           nh_fuse_fingerprint(x, s.bits);
}

static uint64_t copies(const struct nh_part *part, uint64_t hash)
{
    return has(part, hash);
}

/* ---- Lookups of many keys ---------------------------------------------------------- */

static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe)
{
    const struct nh_fuse_shape s = shape_of(part);
    const struct nh_fuse_kernel *const kernel = part->kernel;

    kernel->has_many(part->body, &s, hashes, n, maybe);
}

/* The kernels wait for their lines; the scalar one asks for them beforehand, which is
 * better where they are far away. */
#define NEAR_BYTES ((uint64_t)4 << 20)

static void attach(struct nh_part *part)
{
    const bool is_near = part->size <= NEAR_BYTES && shape_of(part).region <= UINT32_MAX;
    part->kernel = is_near ? nh_fuse_select() : &nh_fuse_scalar;
}

/* ---- Construction ------------------------------------------------------------------ */

/* One block of scratch memory, carved up. */
struct scratch {
    uint64_t *keys; /* mixed hashes; later the slots that hold a single key */
    uint64_t *order; /* the keys in the order they were set aside */
    uint64_t *sums;  /* XOR of the keys in each slot: of a single one, that key */
    uint8_t *counts; /* keys in each slot */
    uint8_t *which;  /* which of its slots a key was alone in */
};

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Bytes of it for n hashes, duplicates included, or 0 if they cannot be addressed. */
static size_t scratch_bytes(size_t n, uint64_t n_slots)
{
    const uint64_t per_key = larger(n, n_slots);
    uint64_t words, bytes;

    if (!nh_add_fits(per_key, n, &words) || !nh_add_fits(words, n_slots, &words) ||
        !nh_mul_fits(words, 8, &bytes) || !nh_add_fits(bytes, n_slots, &bytes) ||
        !nh_add_fits(bytes, n, &bytes) || bytes > SIZE_MAX)
        return 0;
    return (size_t)bytes;
}

static struct scratch carve(void *block, size_t n, uint64_t n_slots)
{
    struct scratch s;

    s.keys = block;
    s.order = s.keys + larger(n, n_slots);
    s.sums = s.order + n;
    s.counts = (uint8_t *)(s.sums + n_slots);
    s.which = s.counts + n_slots;
    return s;
}

#define ASK_EVERY ((size_t)1 << 18) /* keys: some milliseconds */

/* Whether the caller has lost patience. One who has is not asked again. */
struct patience {
    const struct nh_live *live;
    bool is_lost;
};

/* Asked at key number i. */
static inline bool is_stopped(struct patience *patience, size_t i)
{
    const struct nh_live *const live = patience->live;

    if (i % ASK_EVERY)
        return false;
    if (!patience->is_lost && live->is_stopped)
        patience->is_lost = live->is_stopped(live->stop_context);
    return patience->is_lost;
}

/* Puts every key into its slots; false if one of them has too many to count. */
NH_ALWAYS_INLINE bool fill_slots(struct patience *patience,
                                 const struct nh_fuse_shape *shape,
                                 const struct scratch *s, size_t n, unsigned arity)
{
    uint64_t slots[NH_FUSE_MAX_ARITY] = {0};
    bool fits_count = true;

    for (size_t i = 0; i < n; i++) {
        if (is_stopped(patience, i))
            return false;
        nh_fuse_slots(s->keys[i], shape, arity, slots);
        for (unsigned j = 0; j < arity; j++) {
            s->sums[slots[j]] ^= s->keys[i];
            fits_count &= ++s->counts[slots[j]] != 0;
        }
    }
    return fits_count;
}

/* Sets keys aside one by one; how many could be. A slot comes to hold a single key only
 * once, so that the list of those, which takes the place of the keys, never outgrows the
 * table. */
NH_ALWAYS_INLINE size_t peel(struct patience *patience, const struct nh_fuse_shape *shape,
                             const struct scratch *s, uint64_t n_slots, unsigned arity)
{
    uint64_t *const single = s->keys;
    uint64_t slots[NH_FUSE_MAX_ARITY] = {0};
    uint64_t n_single = 0;
    size_t n_aside = 0;

    for (uint64_t slot = 0; slot < n_slots; slot++) {
        single[n_single] = slot;
        n_single += s->counts[slot] == 1;
    }
    while (n_single) {
        const uint64_t slot = single[--n_single];
        if (s->counts[slot] != 1)
            continue; /* its key went by another slot */
        if (is_stopped(patience, n_aside))
            break;
        const uint64_t key = s->sums[slot];
        nh_fuse_slots(key, shape, arity, slots);
        for (unsigned j = 0; j < arity; j++) {
            s->sums[slots[j]] ^= key;
            if (--s->counts[slots[j]] == 1)
                single[n_single++] = slots[j];
            if (slots[j] == slot)
                s->which[n_aside] = (uint8_t)j;
        }
        s->order[n_aside++] = key;
    }
    return n_aside;
}

/* Gives the keys their due, the last one set aside first; false if it was stopped. */
NH_ALWAYS_INLINE bool assign(struct patience *patience, struct nh_part *part,
                             const struct nh_fuse_shape *shape, const struct scratch *s,
                             size_t n, unsigned arity)
{
    uint64_t slots[NH_FUSE_MAX_ARITY];

    while (n-- > 0) {
        if (is_stopped(patience, n))
            return false;
        const uint64_t key = s->order[n];
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
NH_ALWAYS_INLINE bool try_keys(struct patience *patience, struct nh_part *part,
                               const struct nh_fuse_shape *shape, const struct scratch *s,
                               size_t n, unsigned arity)
{
    memset(s->sums, 0, (size_t)part->n_cells * sizeof *s->sums);
    memset(s->counts, 0, (size_t)part->n_cells);
    if (!fill_slots(patience, shape, s, n, arity) ||
        peel(patience, shape, s, part->n_cells, arity) != n ||
        !assign(patience, part, shape, s, n, arity))
        return false;
    part->count = n;
    return true;
}

static bool try_seed(struct patience *patience, struct nh_part *part,
                     const struct nh_fuse_shape *shape, const struct scratch *s, size_t n)
{
    return shape->arity == 3 ? try_keys(patience, part, shape, s, n, 3)
                             : try_keys(patience, part, shape, s, n, 4);
}

/* Sorting, to drop equal hashes, would take longer than all the rest, and most callers have
 * none. So the first attempt is made as if there were none: two equal keys are never alone
 * in a slot, and peeling gets stuck on them. Then, or if there are more hashes than keys may
 * be, they are sorted, and where some were equal the same seed is tried again. */
static bool try_seeds(struct patience *patience, struct nh_part *part,
                      const struct scratch *s, const uint64_t *hashes, size_t n,
                      size_t *n_distinct)
{
    const struct nh_fuse_shape shape = shape_of(part);
    bool may_repeat = true, must_drop = n > part->capacity;

    *n_distinct = n;
    for (unsigned seed = 0; seed < N_SEEDS && !is_stopped(patience, 0); seed++) {
        gather(&shape, s, hashes, n, turn_of(seed));
        if (must_drop) {
            *n_distinct = ninho_hash_sort_unique(s->keys, n);
            may_repeat = false;
        }
        if (*n_distinct > part->capacity)
            return false;
        if (try_seed(patience, part, &shape, s, *n_distinct)) {
            part->stored[0] = word_of(seed, shape.log_segment, shape.bits);
            return true;
        }
        if (may_repeat && !is_stopped(patience, 0)) {
            gather(&shape, s, hashes, n, turn_of(seed));
            must_drop = ninho_hash_sort_unique(s->keys, n) < n;
            may_repeat = false;
            seed -= must_drop; /* again with this one */
        }
    }
    return false;
}

static ninho_status build(const struct nh_live *live, struct nh_part *part,
                          const uint64_t *hashes, size_t n, ninho_error *error)
{
    const size_t n_bytes = scratch_bytes(n, part->n_cells);
    void *block = n_bytes ? live->alloc->alloc(live->alloc->context, n_bytes) : NULL;
    struct patience patience = {live, false};
    size_t n_distinct = 0;

    if (!block)
        return nh_fail(error, NINHO_ERR_NOMEM,
                       "not enough memory: the construction needs %zu bytes", n_bytes);
    const struct scratch s = carve(block, n, part->n_cells);
    const bool is_built = try_seeds(&patience, part, &s, hashes, n, &n_distinct);
    nh_alloc_free(live->alloc, block, n_bytes);
    if (is_built)
        return NINHO_OK;
    if (patience.is_lost)
        return nh_fail(error, NINHO_ERR_BUILD, "the caller stopped the construction");
    if (n_distinct > part->capacity)
        return nh_fail(error, NINHO_ERR_FULL,
                       "%zu distinct keys where capacity is %" PRIu64, n_distinct,
                       part->capacity);
    return nh_fail(error, NINHO_ERR_BUILD,
                   "no fuse filter was found in %d attempts: the hashes are badly mixed; "
                   "try another "
                   "seed",
                   N_SEEDS);
}

/* ---- The whole table --------------------------------------------------------------- */

static void tally(const struct nh_part *part, const struct nh_part *other,
                  struct nh_tally *tally)
{
    (void)other;
    tally->used = part->count;
    tally->cells = part->n_cells;
    tally->copies = 0;
    tally->fpr = expected_fpr(part, 0);
    tally->n_keys = (double)part->count;
}

static ninho_status verify(const struct nh_part *part, ninho_error *error)
{
    (void)part;
    (void)error;
    return NINHO_OK; /* every pattern of bits is possible */
}

/* The seed; and bits 0-4 log2 of the segment, bit 5 arity 4, bit 6 fingerprints of 16
 * bits. */
static unsigned bare_tail(const struct nh_part *part, uint8_t tail[2])
{
    tail[0] = (uint8_t)seed_of(part);
    tail[1] = (uint8_t)(log_segment(part) | (part->n_hashes - 3) << 5 |
                        (tag_bits(part) / 8 - 1) << 6);
    return 2;
}

static bool bare_fits(const uint8_t *bytes, size_t size, struct nh_part *part)
{
    if (size < 3 || bytes[size - 1] >> 7)
        return false;
    const unsigned shape = bytes[size - 1];
    const unsigned bits = 8 + 8 * (shape >> 6 & 1);
    part->size = size - 2;
    part->n_cells = part->size / (bits / 8);
    part->n_hashes = 3 + (shape >> 5 & 1);
    part->stored[0] = word_of(bytes[size - 2], shape & 31, bits);
    if (!part->capacity)
        part->capacity = part->n_cells - part->n_cells / 8;
    return true;
}

const struct nh_family nh_family_fuse = {
    .kind = NINHO_FUSE,
    .can = NINHO_CAN_VIEW | NINHO_CAN_BARE,
    .takes = NH_TAKES_TAG_BITS | NH_TAKES_ARITY,
    .counts_itself = true,
    .name = "fuse",
    .summary = "binary fuse: the smallest, built once from all its keys",
    .plan = plan,
    .spec_back = spec_back,
    .expected_fpr = expected_fpr,
    .note = note,
    .fits = fits,
    .attach = attach,
    .tag_bits = tag_bits,
    .has = has,
    .has_many = has_many,
    .copies = copies,
    .tally = tally,
    .verify = verify,
    .build = build,
    .bare_tail = bare_tail,
    .bare_fits = bare_fits,
};
