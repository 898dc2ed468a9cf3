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
 * An absent key agrees with probability 2^-8 or 2^-16, whatever the load. How the table is
 * filled is told in fuse_build.c. */
#include <inttypes.h>
#include <math.h>

#include "base/bits.h"
#include "base/status.h"
#include "filter/fuse.h"
#include "filter/ops.h"

#define DEFAULT_ARITY   3
#define MIN_LOG_SEGMENT 2
#define MAX_KEYS        (UINT64_C(1) << 40)

/* ---- Geometry ---------------------------------------------------------------------- */

static uint32_t tag_bits(const struct nh_part *part)
{
    return nh_fuse_tag_bits(part);
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
    part->stored[0] = nh_fuse_word(0, log_size, bits);
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
    const unsigned log_size = nh_fuse_log_segment(part), bits = tag_bits(part);
    const uint64_t n = part->n_cells;

    return (bits == 8 || bits == 16) && log_size >= MIN_LOG_SEGMENT &&
           log_size <= NH_FUSE_MAX_LOG_SEGMENT && part->stored[0] >> 24 == 0 &&
           (!part->stored[1] || !nh_fuse_seed(part)) &&
           (part->n_hashes == 3 || part->n_hashes == 4) && n <= 8 * MAX_KEYS &&
           (n & nh_low_mask(log_size)) == 0 && n >> log_size >= part->n_hashes &&
           part->size == n * (bits / 8) && part->count <= part->capacity;
}

/* ---- A key's slots ----------------------------------------------------------------- */

/* Compiled for each arity and size of fingerprint. */
#define HAS(name, arity, bits)                                                           \
    static bool name(const struct nh_part *part, uint64_t hash)                          \
    {                                                                                    \
        return ninho_fuse_find_(part->body, part->cached.fuse.region,                    \
                                part->cached.fuse.inside, part->cached.fuse.turn, arity, \
                                bits, hash);                                             \
    }
HAS(has_three_8, 3, 8)
HAS(has_three_16, 3, 16)
HAS(has_four_8, 4, 8)
HAS(has_four_16, 4, 16)

/* With a seed: rare, so that one for all of them will do. */
static bool has_keyed(const struct nh_part *part, uint64_t hash)
{
    return ninho_fuse_find_(part->body, part->cached.fuse.region,
                            part->cached.fuse.inside, part->cached.fuse.turn,
                            part->n_hashes, tag_bits(part),
                            nh_fuse_keyed(hash, part->stored[1]));
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    return part->has(part, hash);
}

static uint64_t copies(const struct nh_part *part, uint64_t hash)
{
    return part->has(part, hash);
}

/* ---- Lookups of many keys ---------------------------------------------------------- */

#define KEYED_GROUP 256 /* a multiple of 64: answers come in words */

static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe)
{
    const struct nh_fuse_shape s = nh_fuse_shape_of(part);
    const struct nh_fuse_kernel *const kernel = part->kernel;
    uint64_t keyed[KEYED_GROUP];

    if (!part->stored[1]) {
        kernel->has_many(part->body, &s, hashes, n, maybe);
        return;
    }
    for (size_t at = 0; at < n; at += KEYED_GROUP) {
        const size_t n_here = n - at < KEYED_GROUP ? n - at : KEYED_GROUP;
        for (size_t i = 0; i < n_here; i++)
            keyed[i] = nh_fuse_keyed(hashes[at + i], part->stored[1]);
        kernel->has_many(part->body, &s, keyed, n_here, maybe + at / 64);
    }
}

/* The kernels wait for their lines; the scalar one asks for them beforehand, which is
 * better where they are far away. */
#define NEAR_BYTES ((uint64_t)4 << 20)

static void attach(struct nh_part *part)
{
    const struct nh_fuse_shape s = nh_fuse_shape_of(part);
    const bool is_near = part->size <= NEAR_BYTES && s.region <= UINT32_MAX;

    part->kernel = is_near ? nh_fuse_select() : &nh_fuse_scalar;
    part->cached.fuse.region = s.region;
    part->cached.fuse.inside = s.inside;
    part->cached.fuse.turn = s.turn;
    if (part->stored[1])
        part->has = has_keyed;
    else if (s.arity == 3)
        part->has = s.bits == 8 ? has_three_8 : has_three_16;
    else
        part->has = s.bits == 8 ? has_four_8 : has_four_16;
}

/* ---- The whole table --------------------------------------------------------------- */

static void tally(const struct nh_part *part, const struct nh_part *other,
                  struct nh_tally *tally)
{
    (void)other;
    /* a file may claim more keys than there are slots */
    tally->used = part->count < part->n_cells ? part->count : part->n_cells;
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

#define IS_KEYED 0x80 /* of the last bare byte: a seed stands before the two */

/* The seed; and bits 0-4 log2 of the segment, bit 5 arity 4, bit 6 fingerprints of 16
 * bits, bit 7 a seed before both. */
static unsigned bare_tail(const struct nh_part *part, uint8_t tail[NH_BARE_TAIL])
{
    const unsigned n = part->stored[1] ? 8 : 0;

    if (n)
        nh_store_le64(tail, part->stored[1]);
    tail[n] = (uint8_t)nh_fuse_seed(part);
    tail[n + 1] = (uint8_t)(nh_fuse_log_segment(part) | (part->n_hashes - 3) << 5 |
                            (tag_bits(part) / 8 - 1) << 6 | (n ? IS_KEYED : 0));
    return n + 2;
}

static bool bare_fits(const uint8_t *bytes, size_t size, struct nh_part *part)
{
    const unsigned shape = size ? bytes[size - 1] : 0;
    const unsigned n_tail = shape & IS_KEYED ? 10 : 2;

    if (size <= n_tail)
        return false;
    if (shape & IS_KEYED) {
        part->stored[1] = nh_load_le64(bytes + size - n_tail);
        if (!part->stored[1])
            return false;
    }
    const unsigned bits = 8 + 8 * (shape >> 6 & 1);
    part->size = size - n_tail;
    part->n_cells = part->size / (bits / 8);
    part->n_hashes = 3 + (shape >> 5 & 1);
    part->stored[0] = nh_fuse_word(bytes[size - 2], shape & 31, bits);
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
    .summary = "binary fuse: small and fast to build, once from all its keys",
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
    .build = nh_fuse_build,
    .bare_tail = bare_tail,
    .bare_fits = bare_fits,
};
