/* SPDX-License-Identifier: MIT */
/* The quotient filter (Bender, Farach-Colton, Johnson, Kraner, Kuszmaul, Medjedovic,
 * Montes, Shetty, Spillane and Zadok, 2012): a sorted multiset of fingerprints, kept
 * compactly by linear probing.
 *
 *     fingerprint F = hash * N / 2^64, a number below N = n * 2^r
 *     F: | quotient: below n | remainder: r bits |      n need not be a power of two
 *
 * How they lie in the table is told in quotient_table.h: the same whatever the order of
 * adds and removals. When n doubles, the top bit of each remainder moves to its quotient and
 * F stays: a filter that is to grow buys the bits beforehand. The same fingerprints make two
 * filters one. */
#include <inttypes.h>
#include <math.h>

#include "base/bits.h"
#include "base/inline.h"
#include "base/status.h"
#include "filter/doubling.h"
#include "filter/ops.h"
#include "filter/quotient_first.h"
#include "filter/quotient_table.h"

/* How far above the fpr asked for the expected one may lie; the promise is 1.1. */
#define SLACK 1.04

#define MAX_SLOTS (UINT64_C(1) << 56)

#define NUMBER 9 /* of the layout in quotient_table.h, in files */

/* ---- Geometry ---------------------------------------------------------------------- */

/* stored[0]: bits 0-7 the remainder's bits now, 16-23 doublings bought; the rest as in
 * doubling.h. */
static unsigned remainder_bits(const struct nh_part *part)
{
    return part->stored[0] & 0xff;
}

static unsigned doublings_bought(const struct nh_part *part)
{
    return part->stored[0] >> 16 & 0xff;
}

static uint64_t word_of(unsigned r, unsigned made, unsigned bought)
{
    return r | made << 8 | bought << 16;
}

/* Whether it lies as the first layout has it: from a file, and not changed since. */
static bool is_first(const struct nh_part *part)
{
    return part->number == NINHO_QUOTIENT;
}

static uint64_t size_of(const struct nh_part *part)
{
    return is_first(part) ? nh_first_table_size(part->n_cells, remainder_bits(part))
                          : nh_quotient_table_size(part->n_cells, remainder_bits(part));
}

static uint64_t n_fingerprints(const struct nh_part *part)
{
    return part->n_cells << remainder_bits(part);
}

static uint64_t fingerprint_of(const struct nh_part *part, uint64_t hash)
{
    return nh_reduce(hash, n_fingerprints(part));
}

/* Slots for that many keys at 96 %, where clusters still are short enough. */
static uint64_t slots_for(uint64_t n_keys)
{
    return n_keys + n_keys / 24 + 1;
}

/* ceil(m * 2^shift), or a number too large to be of use. */
static uint64_t scaled(uint64_t m, int shift)
{
    if (shift > 6)
        return UINT64_MAX;
    if (shift >= 0)
        return m << shift;
    return shift <= -64 ? 1 : (m + nh_low_mask((unsigned)-shift)) >> -shift;
}

/* An absent key agrees with one of M others with probability 1 - (1 - 1/N)^M, so that N
 * must be at least x M with x = -1 / ln(1 - fpr). Many slots with short remainders may
 * serve as well as few with longer ones: the smallest table is taken, as the first layout counts
 * its bytes, so that filters of both layouts have the same fingerprints. Of the tenth that
 * the promise leaves, a part is spent where it saves a bit. */
static ninho_status plan(const ninho_spec *spec, struct nh_part *part, ninho_error *error)
{
    const uint64_t most = nh_doubling_most(spec);
    const unsigned n_doublings = nh_doublings(spec->capacity, most);
    int exponent;

    /* x = units / 512 * 2^exponent: so coarse that every machine has the same */
    const double mantissa = frexp(-1 / log1p(-fmin(SLACK * spec->fpr, 0.99)), &exponent);
    const uint64_t units = (uint64_t)ceil(mantissa * 512 - 1e-6);
    uint64_t least = UINT64_MAX;
    for (unsigned r = n_doublings + 1; r <= NH_QUOTIENT_MAX_R; r++) {
        uint64_t n = scaled(most * units, exponent - 9 - (int)r);
        if (n < slots_for(spec->capacity))
            n = slots_for(spec->capacity);
        if (n > MAX_SLOTS >> n_doublings || n > UINT64_C(1) << (62 - r))
            continue;
        n = nh_round_up(n, NH_QUOTIENT_BLOCK);
        if (nh_first_table_size(n, r) >= least)
            continue;
        least = nh_first_table_size(n, r);
        part->n_cells = n;
        part->stored[0] = word_of(r, 0, n_doublings);
    }
    if (least == UINT64_MAX)
        return nh_fail(error, NINHO_ERR_NOMEM,
                       "a quotient filter cannot address fpr %g for %" PRIu64 " keys",
                       spec->fpr, most);
    part->stored[1] = most;
    part->number = NUMBER;
    part->size = size_of(part);
    return NINHO_OK;
}

static void as_created(struct nh_part *part)
{
    const unsigned made = nh_doublings_made(part);

    part->n_cells >>= made;
    part->stored[0] = word_of(remainder_bits(part) + made, 0, doublings_bought(part));
    part->size = size_of(part);
}

static uint32_t tag_bits(const struct nh_part *part)
{
    return remainder_bits(part);
}

static double fpr_of(const struct nh_part *part, double n_keys)
{
    return -expm1(n_keys * log1p(-1 / (double)n_fingerprints(part)));
}

static double expected_fpr(const struct nh_part *part, double n_keys)
{
    return n_keys > 0 ? fpr_of(part, n_keys) : 0;
}

static const char *note(const struct nh_part *part, double fpr)
{
    if (nh_doubling_grows(part))
        return "each doubling up to max_capacity is a bit per slot bought now";
    return fpr > 0.04 ? "above 4 % its two bits beside each remainder weigh heavily"
                      : NULL;
}

static bool fits(const struct nh_part *part)
{
    const unsigned r = remainder_bits(part), made = nh_doublings_made(part);
    const unsigned bought = doublings_bought(part);
    const uint64_t n = part->n_cells;

    if (!nh_doubling_fits(part) ||
        bought != nh_doublings(part->capacity, part->stored[1]))
        return false;
    if (r < 1 || r + made > NH_QUOTIENT_MAX_R || r <= bought - made ||
        part->stored[0] >> 24 || part->n_hashes)
        return false;
    if (n < NH_QUOTIENT_BLOCK || n > MAX_SLOTS || n > UINT64_C(1) << (63 - r) ||
        n % ((uint64_t)NH_QUOTIENT_BLOCK << made) != 0 || part->size != size_of(part))
        return false;
    return part->capacity < n >> made && part->count < n &&
           part->count <= nh_doubling_limit(part, made);
}

static struct nh_first_table first_table_of(const struct nh_part *part)
{
    return nh_first_table_of(part->body, part->n_cells, remainder_bits(part));
}

static const struct nh_quotient_kernel *kernel_of(const struct nh_part *part)
{
    return part->kernel;
}

static bool first_has(const struct nh_part *part, uint64_t hash)
{
    const struct nh_first_table t = first_table_of(part);
    return nh_first_has(&t, fingerprint_of(part, hash));
}

static void attach(struct nh_part *part)
{
    part->kernel = nh_quotient_select();
    part->cached.quotient =
        nh_quotient_table_of(part->body, part->n_cells, remainder_bits(part));
    part->has = is_first(part) ? first_has : kernel_of(part)->has;
}

/* ---- Stored fingerprints ----------------------------------------------------------- */

/* All of a part, in ascending order. */
struct ascent {
    const struct nh_part *part;
    struct nh_first_walk first; /* of one of these */
    struct nh_quotient_walk walk;
    uint64_t fingerprint;
    bool is_over;
};

static void step_up(struct ascent *ascent)
{
    if (is_first(ascent->part)) {
        const struct nh_first_table t = first_table_of(ascent->part);
        ascent->is_over = !nh_first_walk_on(&t, &ascent->first, &ascent->fingerprint);
    } else {
        ascent->is_over = !nh_quotient_walk_on(&ascent->part->cached.quotient,
                                               &ascent->walk, &ascent->fingerprint);
    }
}

static struct ascent ascent_of(const struct nh_part *part)
{
    struct ascent ascent = {.part = part};

    if (is_first(part)) {
        const struct nh_first_table t = first_table_of(part);
        ascent.first = nh_first_walk_from_start(&t);
    } else {
        ascent.walk = nh_quotient_walk_from_start(&part->cached.quotient);
    }
    step_up(&ascent);
    return ascent;
}

/* ---- Asking ------------------------------------------------------------------------ */

static bool has(const struct nh_part *part, uint64_t hash)
{
    return part->has(part, hash);
}

static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe)
{
    if (!is_first(part)) {
        kernel_of(part)->has_many(part, hashes, n, maybe);
        return;
    }
    for (size_t i = 0; i < n; i++)
        maybe[i / 64] |= (uint64_t)first_has(part, hashes[i]) << i % 64;
}

static uint64_t copies_of(const struct nh_part *part, uint64_t fingerprint)
{
    const struct nh_first_table t = first_table_of(part);
    return is_first(part) ? nh_first_copies(&t, fingerprint)
                          : kernel_of(part)->copies(&part->cached.quotient, fingerprint);
}

static uint64_t copies(const struct nh_part *part, uint64_t hash)
{
    return copies_of(part, fingerprint_of(part, hash));
}

static void prefetch(const struct nh_part *part, uint64_t hash)
{
    nh_quotient_prefetch(&part->cached.quotient, fingerprint_of(part, hash));
}

static bool next_fingerprint(const struct nh_part *part, uint64_t *cursor,
                             uint64_t *fingerprint)
{
    const struct nh_first_table t = first_table_of(part);
    return is_first(part) ? nh_first_next(&t, cursor, fingerprint)
                          : nh_quotient_next(&part->cached.quotient, cursor, fingerprint);
}

static void tally(const struct nh_part *part, const struct nh_part *other,
                  struct nh_tally *tally)
{
    const double n = (double)n_fingerprints(part);
    uint64_t last = UINT64_MAX, n_distinct = 0, n_used = 0;

    for (struct ascent a = ascent_of(part); !a.is_over; step_up(&a)) {
        n_used++;
        n_distinct += a.fingerprint != last;
        last = a.fingerprint;
    }
    tally->used = tally->copies = n_used;
    tally->cells = part->n_cells;
    if (other) { /* what only the other one has */
        last = UINT64_MAX;
        for (struct ascent a = ascent_of(other); !a.is_over; step_up(&a)) {
            n_distinct += a.fingerprint != last && copies_of(part, a.fingerprint) == 0;
            last = a.fingerprint;
        }
    }
    tally->fpr = (double)n_distinct / n;
    tally->n_keys = (double)n_distinct < n
                        ? log1p(-(double)n_distinct / n) / log1p(-1 / n)
                        : INFINITY;
}

static ninho_status verify(const struct nh_part *part, ninho_error *error)
{
    const struct nh_first_table t = first_table_of(part);
    uint64_t n_used;
    const ninho_status status =
        is_first(part) ? nh_first_verify(&t, &n_used, error)
                       : nh_quotient_verify(&part->cached.quotient, &n_used, error);

    if (status)
        return status;
    if (n_used == part->n_cells || (!part->is_bare && n_used != part->count))
        return nh_fail(error, NINHO_ERR_FORMAT,
                       "%" PRIu64 " keys where the header says %" PRIu64, n_used,
                       part->count);
    return NINHO_OK;
}

/* ---- Changes ----------------------------------------------------------------------- */

/* One part, or two together. */
struct both {
    struct ascent a, b;
};

/* The smaller of what comes next; NULL at the end. */
static struct ascent *least_of(struct both *both)
{
    struct ascent *const a = &both->a, *const b = &both->b;

    if (a->is_over)
        return b->is_over ? NULL : b;
    return b->is_over || a->fingerprint <= b->fingerprint ? a : b;
}

/* Lays out what belongs in a zone; returns how many slots go round its end. */
static uint64_t lay_zone(const struct nh_live *live, const struct nh_quotient_table *t,
                         uint64_t zone, uint64_t next, bool is_for_real,
                         struct both *both, bool *is_crowded)
{
    const struct nh_quotient_zone z = nh_quotient_zone_at(t, zone);
    const uint64_t end = ((z.first + z.n) * NH_QUOTIENT_BLOCK) << t->r;
    struct nh_quotient_layout layout = nh_quotient_lay_begin(t, zone, next, is_for_real);

    for (struct ascent *least; (least = least_of(both)) && least->fingerprint < end;
         step_up(least))
        nh_quotient_lay(live, t, zone, &layout, least->fingerprint);
    const uint64_t n_round = nh_quotient_lay_end(t, zone, &layout);
    *is_crowded |= layout.is_crowded;
    return n_round;
}

/* Lays out the fingerprints of one part, or of two, in an empty table, or sees whether there is room
 * for them. A zone is laid out from what goes round its end, which a trial tells. */
static bool lay_all(const struct nh_live *live, const struct nh_quotient_table *t,
                    bool is_for_real, const struct nh_part *part,
                    const struct nh_part *other)
{
    struct both both = {ascent_of(part), {.is_over = true}};
    bool is_crowded = false, is_tried = false;

    if (other)
        both.b = ascent_of(other);
    for (uint64_t zone = 0; zone < nh_quotient_n_zones(t->n_blocks); zone++) {
        struct both again = both;
        const uint64_t next = lay_zone(live, t, zone, 0, false, &again, &is_tried);
        (void)lay_zone(live, t, zone, next, is_for_real, &both, &is_crowded);
    }
    return !is_crowded && !is_tried;
}

/* A table of 2^by times as many slots with the same fingerprints and those of `other` (may be
 * NULL), in one pass however they lie. */
NH_NOINLINE static ninho_status rebuild(const struct nh_live *live, struct nh_part *part,
                                        unsigned by, const struct nh_part *other,
                                        uint64_t n_more)
{
    struct nh_part grown = *part;

    grown.n_cells = part->n_cells << by;
    grown.stored[0] = word_of(remainder_bits(part) - by, nh_doublings_made(part) + by,
                              doublings_bought(part));
    grown.number = NUMBER;
    grown.size = size_of(&grown);
    grown.count += n_more;
    const struct nh_quotient_table trial =
        nh_quotient_table_of(NULL, grown.n_cells, remainder_bits(&grown));
    if (!lay_all(live, &trial, false, part, other))
        return NINHO_ERR_FULL;
    if (!nh_doubling_begin(live, part, &grown))
        return NINHO_ERR_NOMEM;
    attach(&grown);
    (void)lay_all(live, &grown.cached.quotient, true, part, other);
    nh_doubling_end(live, part, &grown);
    return NINHO_OK;
}

/* How often it must double to hold n_more keys; NINHO_ERR_FULL if that is not enough. */
static ninho_status doublings_for(const struct nh_part *part, uint64_t n_more,
                                  unsigned *by)
{
    const unsigned made = nh_doublings_made(part), bought = doublings_bought(part);

    if (n_more > part->stored[1] || part->count > part->stored[1] - n_more)
        return NINHO_ERR_FULL;
    *by = 0;
    while (part->count + n_more > nh_doubling_limit(part, made + *by) &&
           made + *by < bought)
        ++*by;
    return NINHO_OK;
}

static ninho_status add(const struct nh_live *live, struct nh_part *part, uint64_t hash)
{
    unsigned by = 0;
    ninho_status status = doublings_for(part, 1, &by);
    if (!status && (by || is_first(part)))
        status = rebuild(live, part, by, NULL, 0);
    if (status)
        return status;
    if (part->count + 1 >= part->n_cells ||
        !kernel_of(part)->insert(live, &part->cached.quotient,
                                 fingerprint_of(part, hash)))
        return NINHO_ERR_FULL;
    part->count++;
    return NINHO_OK;
}

static ninho_status remove_one(const struct nh_live *live, struct nh_part *part,
                               uint64_t hash)
{
    if (is_first(part)) {
        if (!first_has(part, hash))
            return NINHO_ERR_NOT_FOUND;
        const ninho_status status = rebuild(live, part, 0, NULL, 0);
        if (status)
            return status;
    }
    const ninho_status status =
        kernel_of(part)->remove(live, &part->cached.quotient, fingerprint_of(part, hash));
    part->count -= !status && part->count != 0;
    return status;
}

static ninho_status unite(const struct nh_live *live, struct nh_part *target,
                          const struct nh_part *source)
{
    uint64_t n_more = 0;
    unsigned by = 0;

    for (struct ascent a = ascent_of(source); !a.is_over; step_up(&a))
        n_more++;
    const ninho_status status = doublings_for(target, n_more, &by);
    if (status || !n_more)
        return status;
    return rebuild(live, target, by, source, n_more);
}

/* ---- Bare -------------------------------------------------------------------------- */

enum { BARE_SECOND = 128 }; /* beside r: the second layout */

static unsigned bare_tail(const struct nh_part *part, uint8_t tail[2])
{
    tail[0] = (uint8_t)(remainder_bits(part) | (is_first(part) ? 0 : BARE_SECOND));
    return 1;
}

static bool bare_fits(const uint8_t *bytes, size_t size, struct nh_part *part)
{
    const unsigned tail = size ? bytes[size - 1] : 0, r = tail % BARE_SECOND;
    const bool is_second = tail / BARE_SECOND;
    const uint64_t stride = 8 * r + (is_second ? NH_QUOTIENT_HEAD : NH_FIRST_BITS);
    const uint64_t zone = NH_QUOTIENT_ZONE_BLOCKS * stride + 8;
    uint64_t left = size - 1, n_blocks = 0; /* what is not of whole zones */

    if (size < 2)
        return false;
    if (is_second && left >= zone) {
        n_blocks = left / zone * NH_QUOTIENT_ZONE_BLOCKS;
        left %= zone;
    } else if (is_second) {
        left = left < 8 ? 1 : left - 8;
    }
    if (left % stride)
        return false;
    part->number = is_second ? NUMBER : NINHO_QUOTIENT;
    part->size = size - 1;
    part->n_cells = (n_blocks + left / stride) * NH_QUOTIENT_BLOCK;
    part->stored[0] = r;
    /* slots_for() backwards, whatever it was created for: it may have grown since */
    part->capacity = part->n_cells - part->n_cells / 25 - 1;
    part->stored[1] = part->capacity;
    return true;
}

const struct nh_family nh_family_quotient = {
    .kind = NINHO_QUOTIENT,
    .number = NUMBER,
    .can = NINHO_CAN_ADD | NINHO_CAN_REMOVE | NINHO_CAN_UNION | NINHO_CAN_VIEW |
           NINHO_CAN_BARE | NINHO_CAN_ESTIMATE,
    .takes = NH_TAKES_MAX_CAPACITY,
    .counts_itself = true,
    .name = "quotient",
    .summary =
        "sorted remainders: keys can be removed, filters merged, the table doubled",
    .plan = plan,
    .spec_back = nh_doubling_spec_back,
    .expected_fpr = expected_fpr,
    .note = note,
    .fits = fits,
    .attach = attach,
    .tag_bits = tag_bits,
    .as_created = as_created,
    .grows = nh_doubling_grows,
    .has = has,
    .has_many = has_many,
    .prefetch = prefetch,
    .copies = copies,
    .tally = tally,
    .verify = verify,
    .next_fingerprint = next_fingerprint,
    .add = add,
    .remove = remove_one,
    .is_crowded = nh_doubling_is_crowded,
    .unite = unite,
    .bare_tail = bare_tail,
    .bare_fits = bare_fits,
};
