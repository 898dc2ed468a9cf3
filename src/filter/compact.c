/* SPDX-License-Identifier: MIT */
/* Hash compaction (Wolper and Leroy, 1993; Stern and Dill, 1995): a hash table that
 * keeps, instead of each key, l bits of its hash.
 *
 *     key --H--> l bits: the signature --h--> slot        (h: signature * m / 2^l)
 *
 * The search begins where the signature itself says and compares nothing but signatures,
 * so an absent key is taken for a member if and only if its signature is that of some
 * stored key: with n of them, with probability 1 - (1 - 2^-l)^n. (2^-l alone is the rate
 * for one comparison.)
 *
 * How they lie in the table is told in compact_table.h: the same whatever the order of adds
 * and removals. When it doubles, the signatures stay and only h changes; l is chosen for
 * max_capacity beforehand. */
#include <inttypes.h>
#include <math.h>

#include "base/bits.h"
#include "base/inline.h"
#include "base/status.h"
#include "filter/compact_table.h"
#include "filter/doubling.h"
#include "filter/ops.h"

/* ---- Geometry ---------------------------------------------------------------------- */

/* stored[0]: bits 0-7 l; the rest as in doubling.h. */
static unsigned signature_bits(const struct nh_part *part)
{
    return part->stored[0] & 0xff;
}

/* How many keys it takes before it must double. */
static uint64_t limit_of(const struct nh_part *part)
{
    return nh_doubling_limit(part, nh_doublings_made(part));
}

/* At seven eighths an absent key's search ends after four or five slots. One slot is
 * always empty. */
static uint64_t slots_for(uint64_t n_keys)
{
    return n_keys + n_keys / 7 + 1;
}

/* The least l with 1 - (1 - 2^-l)^n <= fpr. The millionth taken off before rounding up
 * keeps two machines' logarithms from differing in the result. */
static unsigned bits_for(uint64_t n_keys, double fpr)
{
    const double one = -expm1(log1p(-fpr) / (double)n_keys); /* 2^-l must not exceed it */
    const double l = ceil(-log2(one) - 1e-6);
    return l < 1 ? 1 : (unsigned)l;
}

/* The rate with the longest signatures. */
static double least_fpr(uint64_t n_keys)
{
    return -expm1((double)n_keys * log1p(-ldexp(1, -NH_COMPACT_MAX_L)));
}

static ninho_status plan(const ninho_spec *spec, struct nh_part *part, ninho_error *error)
{
    const uint64_t most = nh_doubling_most(spec);
    const unsigned l = spec->tag_bits ? spec->tag_bits : bits_for(most, spec->fpr);

    if (l > NH_COMPACT_MAX_L && !spec->tag_bits)
        return nh_fail_field(error, NINHO_FIELD_FPR, least_fpr(most), 1,
                             "of a compact filter must be at least %.3g for %" PRIu64
                             " keys, not %g",
                             least_fpr(most), most, spec->fpr);
    if (l > NH_COMPACT_MAX_L)
        return nh_fail_field(error, NINHO_FIELD_TAG_BITS, 1, NH_COMPACT_MAX_L,
                             "of a compact filter must be 1 to %d, not %u",
                             NH_COMPACT_MAX_L, l);
    part->n_cells = slots_for(spec->capacity);
    part->stored[0] = l;
    part->stored[1] = most;
    part->size = nh_compact_table_size(part->n_cells, l);
    return NINHO_OK;
}

static void spec_back(const struct nh_part *part, ninho_spec *spec)
{
    spec->tag_bits = signature_bits(part);
    nh_doubling_spec_back(part, spec);
}

static void as_created(struct nh_part *part)
{
    part->stored[0] = signature_bits(part);
    part->n_cells = slots_for(part->capacity);
    part->size = nh_compact_table_size(part->n_cells, signature_bits(part));
}

static uint32_t tag_bits(const struct nh_part *part)
{
    return signature_bits(part);
}

static double expected_fpr(const struct nh_part *part, double n_keys)
{
    const double one = ldexp(1, -(int)signature_bits(part));
    return n_keys > 0 ? -expm1(n_keys * log1p(-one)) : 0;
}

static const char *note(const struct nh_part *part, double fpr)
{
    (void)part;
    (void)fpr;
    return "keeps whole signatures: quotient does the same in log2(capacity) fewer bits "
           "a key";
}

static bool fits(const struct nh_part *part)
{
    const unsigned l = signature_bits(part);

    if (l < 1 || l > NH_COMPACT_MAX_L || part->stored[0] >> 16 || part->n_hashes ||
        !nh_doubling_fits(part))
        return false;
    return part->n_cells == slots_for(limit_of(part)) &&
           part->size == nh_compact_table_size(part->n_cells, l) &&
           part->count <= limit_of(part);
}

static struct nh_compact_table table_of(const struct nh_part *part)
{
    return (struct nh_compact_table){part->body, part->n_cells, signature_bits(part)};
}

/* ---- Asking ------------------------------------------------------------------------ */

static uint64_t signature_of(const struct nh_compact_table *t, uint64_t hash)
{
    return hash >> (64 - t->l);
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    const struct nh_compact_table t = table_of(part);
    const uint64_t signature = signature_of(&t, hash);
    struct nh_compact_entry there;

    nh_compact_find(&t, signature, &there);
    return there.count && there.signature == signature;
}

static uint64_t copies(const struct nh_part *part, uint64_t hash)
{
    const struct nh_compact_table t = table_of(part);
    return nh_compact_copies(&t, signature_of(&t, hash));
}

static void prefetch(const struct nh_part *part, uint64_t hash)
{
    const struct nh_compact_table t = table_of(part);
    nh_compact_prefetch(&t, signature_of(&t, hash));
}

/* ---- Changes ----------------------------------------------------------------------- */

/* A table for twice as many keys, or, the last time, for max_capacity. */
NH_NOINLINE static ninho_status grow(const struct nh_live *live, struct nh_part *part)
{
    const struct nh_compact_table old = table_of(part);
    struct nh_part grown = *part;

    grown.stored[0] += UINT64_C(1) << 8;
    grown.n_cells = slots_for(limit_of(&grown));
    grown.size = nh_compact_table_size(grown.n_cells, signature_bits(&grown));
    if (!nh_doubling_begin(live, part, &grown))
        return NINHO_ERR_NOMEM;
    const struct nh_compact_table t = table_of(&grown);
    nh_compact_copy(live, &old, &t);
    nh_doubling_end(live, part, &grown);
    return NINHO_OK;
}

static ninho_status add(const struct nh_live *live, struct nh_part *part, uint64_t hash)
{
    if (part->count >= limit_of(part)) {
        if (limit_of(part) >= part->stored[1])
            return NINHO_ERR_FULL;
        const ninho_status status = grow(live, part);
        if (status)
            return status;
    }
    const struct nh_compact_table t = table_of(part);
    if (!nh_compact_add(live, &t, signature_of(&t, hash)))
        return NINHO_ERR_FULL;
    part->count++;
    return NINHO_OK;
}

static ninho_status remove_one(const struct nh_live *live, struct nh_part *part,
                               uint64_t hash)
{
    const struct nh_compact_table t = table_of(part);
    const ninho_status status = nh_compact_remove(live, &t, signature_of(&t, hash));

    part->count -= !status && part->count != 0;
    return status;
}

/* ---- The whole table --------------------------------------------------------------- */

static void tally(const struct nh_part *part, const struct nh_part *other,
                  struct nh_tally *tally)
{
    const struct nh_compact_table t = table_of(part);
    const struct nh_compact_totals totals = nh_compact_total(&t);
    const double n = ldexp(1, (int)t.l), n_distinct = (double)totals.n_distinct;

    (void)other; /* the kind has no unions */
    tally->used = totals.n_used;
    tally->copies = totals.n_copies;
    tally->cells = t.m;
    tally->fpr = n_distinct < n ? n_distinct / n : 1;
    tally->n_keys = n_distinct < n ? log1p(-n_distinct / n) / log1p(-1 / n) : INFINITY;
}

static ninho_status verify(const struct nh_part *part, ninho_error *error)
{
    const struct nh_compact_table t = table_of(part);
    uint64_t n_copies;
    const ninho_status status = nh_compact_verify(&t, &n_copies, error);

    if (!status && !part->is_bare && n_copies != part->count)
        return nh_fail(error, NINHO_ERR_FORMAT,
                       "%" PRIu64 " keys where the header says %" PRIu64, n_copies,
                       part->count);
    return status;
}

/* ---- Bare -------------------------------------------------------------------------- */

/* l, and how many bits behind the last slot are spare. */
static unsigned bare_tail(const struct nh_part *part, uint8_t tail[2])
{
    const unsigned l = signature_bits(part), width = l + NH_COMPACT_COUNT_BITS;

    tail[0] = (uint8_t)l;
    tail[1] = (uint8_t)(8 * (part->size - NH_COMPACT_SPARE) - part->n_cells * width);
    return 2;
}

static bool bare_fits(const uint8_t *bytes, size_t size, struct nh_part *part)
{
    if (size < NH_COMPACT_SPARE + 3 || bytes[size - 1] > 7)
        return false;
    const unsigned width = bytes[size - 2] + NH_COMPACT_COUNT_BITS;
    const uint64_t n_bits = 8 * (uint64_t)(size - 2 - NH_COMPACT_SPARE) - bytes[size - 1];
    if (n_bits < 2 * (uint64_t)width || n_bits % width)
        return false;
    part->size = size - 2;
    part->n_cells = n_bits / width;
    part->stored[0] = bytes[size - 2];
    /* slots_for() backwards; every eighth number of slots it never gives, and `fits`
     * refuses */
    part->capacity = part->n_cells - 1 - (part->n_cells - 1) / 8;
    part->stored[1] = part->capacity;
    return true;
}

const struct nh_family nh_family_compact = {
    .kind = NINHO_COMPACT,
    .can = NINHO_CAN_ADD | NINHO_CAN_REMOVE | NINHO_CAN_VIEW | NINHO_CAN_BARE |
           NINHO_CAN_ESTIMATE,
    .takes = NH_TAKES_MAX_CAPACITY | NH_TAKES_TAG_BITS,
    .counts_itself = true,
    .name = "compact",
    .summary = "hash compaction: a table of l-bit compressed keys, equal ones as copies",
    .plan = plan,
    .spec_back = spec_back,
    .expected_fpr = expected_fpr,
    .note = note,
    .fits = fits,
    .tag_bits = tag_bits,
    .as_created = as_created,
    .grows = nh_doubling_grows,
    .has = has,
    .prefetch = prefetch,
    .copies = copies,
    .tally = tally,
    .verify = verify,
    .add = add,
    .remove = remove_one,
    .is_crowded = nh_doubling_is_crowded,
    .bare_tail = bare_tail,
    .bare_fits = bare_fits,
};
