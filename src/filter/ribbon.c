/* SPDX-License-Identifier: MIT */
/* The ribbon filter (Dillinger and Walzer, 2021), bumped (Dillinger, Huebschle-Schneider, Sanders and
 * Walzer, 2022): for a set that does not change, as small as a filter can be but for half a percent,
 * at any rate. A key has a row of 64 slots somewhere in the table, and a mask says which of them
 * count. In each of the r columns their bits add up (XOR) to one bit of the key's fingerprint:
 *
 *     slots:      | block 0: 64 slots | block 1           | block 2           | ...
 *     x:                     [ a row of 64 slots ]
 *     in memory:  | r words           | r words           | r words           | thresholds
 *                   column 0, 1, ...
 *
 *     has(x):  for each column, parity(the row's 64 bits & mask(x)) == that bit of fingerprint(x)
 *
 * An absent key agrees with probability 2^-r. The first blocks can have a word more, so that rates
 * between powers of two can be had. Each two blocks are a bucket, with a threshold: keys whose rows
 * start left of it are bumped, to be looked for in the next zone of the table, which is a
 * twentieth as large. How the table is filled is told in ribbon_build.c. */
#include "filter/ribbon.h"

#include <inttypes.h>
#include <math.h>

#include "base/bits.h"
#include "base/le.h"
#include "base/status.h"
#include "filter/fuse.h"

#define MAX_KEYS   (UINT64_C(1) << 40)
#define MAX_BLOCKS (2 * MAX_KEYS / NH_RIBBON_BLOCK)
#define MIN_BLOCKS 2 /* a row that starts in the last but one reaches into the last */

/* ---- Geometry ---------------------------------------------------------------------- */

static uint32_t tag_bits(const struct nh_part *part)
{
    const struct nh_ribbon_word word = nh_ribbon_unpack(part->stored[0]);
    return word.bits + (word.share != 0);
}

static uint64_t n_blocks_of(const struct nh_part *part)
{
    return part->n_cells / NH_RIBBON_BLOCK;
}

/* The largest whole number whose square is not above n. */
static uint64_t square_root(uint64_t n)
{
    uint64_t root = 0;

    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= n)
            root += bit;
    return root;
}

/* Slots that stay empty at the best: found by experiment, so that an attempt hardly ever fails. */
static uint64_t n_blocks_for(uint64_t n)
{
    const uint64_t n_slots = n + n / 1600 + square_root(n) / 3 + 16;
    const uint64_t n_blocks = (n_slots + NH_RIBBON_BLOCK - 1) / NH_RIBBON_BLOCK;
    return n_blocks < MIN_BLOCKS ? MIN_BLOCKS : n_blocks;
}

/* Columns, and the share of blocks with one more, for a rate. Both rates that the share mixes are
 * powers of two, so that nothing is rounded before the share is. */
static struct nh_ribbon_word word_for(double fpr)
{
    int exponent;
    const double digits = frexp(fpr, &exponent); /* fpr = digits 2^exponent */
    const int bits = digits == 0.5 ? 1 - exponent : -exponent;

    if (bits < 1)
        return (struct nh_ribbon_word){.bits = 1};
    const double share = 2 * (1 - ldexp(fpr, bits)); /* fpr = 2^-bits (1 - share / 2) */
    const unsigned shares = (unsigned)ceil(NH_RIBBON_SHARES * share);
    if (shares == NH_RIBBON_SHARES)
        return (struct nh_ribbon_word){.bits = (unsigned)bits + 1};
    return (struct nh_ribbon_word){.bits = (unsigned)bits, .share = shares};
}

static ninho_status plan(const ninho_spec *spec, struct nh_part *part, ninho_error *error)
{
    struct nh_ribbon_word word = {.bits = spec->tag_bits};

    if (spec->tag_bits > NH_RIBBON_MOST_BITS)
        return nh_fail_field(error, NINHO_FIELD_TAG_BITS, 1, NH_RIBBON_MOST_BITS,
                             "of a ribbon filter must be 1 to 32, not %" PRIu32,
                             spec->tag_bits);
    if (!spec->tag_bits && spec->fpr < 0x1p-32)
        return nh_fail_field(error, NINHO_FIELD_FPR, 0x1p-32, 1,
                             "of a ribbon filter must be at least 2^-32, about 2.33e-10, "
                             "not %g",
                             spec->fpr);
    if (spec->capacity > MAX_KEYS)
        return nh_fail(error, NINHO_ERR_NOMEM, "a ribbon filter holds at most 2^40 keys");
    if (!spec->tag_bits)
        word = word_for(spec->fpr);
    const uint64_t n_blocks = n_blocks_for(spec->capacity);
    part->n_cells = n_blocks * NH_RIBBON_BLOCK;
    part->stored[0] = nh_ribbon_pack(word);
    part->size = nh_ribbon_bytes(n_blocks, word.bits, word.share);
    return NINHO_OK;
}

/* With the rate that it was asked for a spec makes the same table; columns by hand are those that
 * are all equal. */
static void spec_back(const struct nh_part *part, ninho_spec *spec)
{
    const struct nh_ribbon_word word = nh_ribbon_unpack(part->stored[0]);

    if (!word.share)
        spec->tag_bits = word.bits;
}

static double expected_fpr(const struct nh_part *part, double n_keys)
{
    const ninho_ribbon_shape_ shape = nh_ribbon_shape_of(part);
    /* blocks where rows can start; with bumped keys those of all zones are equal */
    const uint64_t n_blocks = shape.n_blocks - (shape.n_starts == 0);
    const double share = shape.n_wide ? (double)(shape.n_wide - 1) / (double)n_blocks : 0;

    (void)n_keys; /* even an empty table agrees by chance */
    return ldexp(1 - share / 2, -(int)shape.bits);
}

static const char *note(const struct nh_part *part, double fpr)
{
    (void)part;
    (void)fpr;
    return "built once from all its keys: nothing can be added or removed later";
}

static bool fits(const struct nh_part *part)
{
    const struct nh_ribbon_word word = nh_ribbon_unpack(part->stored[0]);
    const uint64_t n_blocks = n_blocks_of(part);

    return part->stored[0] == nh_ribbon_pack(word) && word.bits >= 1 &&
           word.bits + (word.share != 0) <= NH_RIBBON_MOST_BITS &&
           (!part->stored[1] || (!word.seed && !word.last_seed)) && part->n_hashes == 0 &&
           part->n_cells % NH_RIBBON_BLOCK == 0 && n_blocks >= MIN_BLOCKS &&
           n_blocks <= MAX_BLOCKS &&
           part->size == nh_ribbon_bytes(n_blocks, word.bits, word.share) &&
           part->count <= part->capacity;
}

/* ---- Lookups ----------------------------------------------------------------------- */

static uint64_t hash_of(const struct nh_part *part, uint64_t hash)
{
    return part->stored[1] ? nh_fuse_keyed(hash, part->stored[1]) : hash;
}

static bool has_keyed(const struct nh_part *part, uint64_t hash)
{
    const struct nh_ribbon_kernel *const kernel = part->kernel;
    return kernel->has_wide(part, hash_of(part, hash));
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    return part->has(part, hash);
}

static uint64_t copies(const struct nh_part *part, uint64_t hash)
{
    return has(part, hash);
}

#define KEYED_GROUP 256 /* a multiple of 64: answers come in words */

static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe)
{
    const struct nh_ribbon_kernel *const kernel = part->kernel;
    uint64_t keyed[KEYED_GROUP];

    if (!part->stored[1]) {
        kernel->has_many(part, hashes, n, maybe);
        return;
    }
    for (size_t at = 0; at < n; at += KEYED_GROUP) {
        const size_t n_here = n - at < KEYED_GROUP ? n - at : KEYED_GROUP;
        for (size_t i = 0; i < n_here; i++)
            keyed[i] = hash_of(part, hashes[at + i]);
        kernel->has_many(part, keyed, n_here, maybe + at / 64);
    }
}

static void attach(struct nh_part *part)
{
    const ninho_ribbon_shape_ shape = nh_ribbon_shape_of(part);
    const struct nh_ribbon_kernel *const kernel = nh_ribbon_select(shape.n_starts);

    part->kernel = kernel;
    part->cached.ribbon = shape;
    part->has = part->stored[1]                        ? has_keyed
                : shape.bits + (shape.n_wide != 0) > 8 ? kernel->has_wide
                : shape.n_wide                         ? kernel->has_mixed
                                                       : kernel->has_narrow;
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

/* Every pattern of columns and thresholds is possible. */
static ninho_status verify(const struct nh_part *part, ninho_error *error)
{
    const uint64_t n_buckets = nh_ribbon_n_buckets(n_blocks_of(part));

    if (n_buckets % 4 && part->body[part->size - 1] >> 2 * (n_buckets % 4))
        return nh_fail(error, NINHO_ERR_FORMAT,
                       "bits that are not in use are not 0 in the last byte");
    return NINHO_OK;
}

/* ---- Bare bytes -------------------------------------------------------------------- */

#define IS_KEYED \
    0x8000 /* of the last two bytes: a seed of 64 bits stands before them, not two of 8 */

/* The seeds; and bits 0-4 the columns less 1, bits 5-14 the share of wide blocks. */
static unsigned bare_tail(const struct nh_part *part, uint8_t tail[NH_BARE_TAIL])
{
    const struct nh_ribbon_word word = nh_ribbon_unpack(part->stored[0]);
    const bool is_keyed = part->stored[1] != 0;
    const unsigned n = is_keyed ? 8 : 2;

    if (is_keyed) {
        nh_store_le64(tail, part->stored[1]);
    } else {
        tail[0] = (uint8_t)word.seed;
        tail[1] = (uint8_t)word.last_seed;
    }
    nh_store_le16(tail + n, (uint16_t)((word.bits - 1) | word.share << 5 |
                                       (is_keyed ? IS_KEYED : 0)));
    return n + 2;
}

/* The number of blocks of a body of that size, 0 if there is none: bodies grow with it. */
static uint64_t blocks_of_size(uint64_t size, struct nh_ribbon_word word)
{
    uint64_t least = MIN_BLOCKS, most = MAX_BLOCKS;

    while (least < most) {
        const uint64_t middle = least + (most - least) / 2;
        if (nh_ribbon_bytes(middle, word.bits, word.share) < size)
            least = middle + 1;
        else
            most = middle;
    }
    return nh_ribbon_bytes(least, word.bits, word.share) == size ? least : 0;
}

static bool bare_fits(const uint8_t *bytes, size_t size, struct nh_part *part)
{
    const unsigned shape = size < 2 ? 0 : ninho_load16_(bytes + size - 2);
    const unsigned n_tail = shape & IS_KEYED ? 10 : 4;
    struct nh_ribbon_word word = {.bits = (shape & 31) + 1, .share = shape >> 5 & 1023};

    if (size <= n_tail)
        return false;
    part->size = size - n_tail;
    if (shape & IS_KEYED) {
        part->stored[1] = nh_load_le64(bytes + part->size);
        if (!part->stored[1])
            return false;
    } else {
        word.seed = bytes[part->size];
        word.last_seed = bytes[part->size + 1];
    }
    part->stored[0] = nh_ribbon_pack(word);
    part->n_cells = NH_RIBBON_BLOCK * blocks_of_size(part->size, word);
    if (!part->capacity)
        part->capacity = part->n_cells;
    return part->n_cells != 0;
}

const struct nh_family nh_family_ribbon = {
    .kind = NINHO_RIBBON,
    .can = NINHO_CAN_VIEW | NINHO_CAN_BARE,
    .takes = NH_TAKES_TAG_BITS,
    .counts_itself = true,
    .name = "ribbon",
    .summary = "bumped ribbon: the smallest, at any rate, built once from all its keys",
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
    .build = nh_ribbon_build,
    .bare_tail = bare_tail,
    .bare_fits = bare_fits,
};
