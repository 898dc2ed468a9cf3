/* SPDX-License-Identifier: MIT */
/* The split-block Bloom filter (Putze, Sanders and Singler, 2007; the split form is
 * Apache Parquet's): blocks of 32 bytes, so that a lookup touches one cache line.
 *
 *     hash: | high 32 bits: which block | low 32 bits: which bit of each word |
 *
 *     block: | word 0 | word 1 | ... | word 7 |   32 bits each, little-endian
 *               one bit   one bit       one bit   bit (low * salt[i]) >> 27 of word i
 *
 * A key always sets eight bits, one per word. Blocks fill unevenly, and a crowded one
 * answers "maybe" more often; that costs bits, few at 1 % and many below 1e-4. The body
 * is byte for byte what Parquet stores (with XXH64, seed 0). */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/inline.h"
#include "base/le.h"
#include "base/status.h"
#include "filter/ops.h"
#include "filter/probe.h"
#include "filter/simd/block.h"

#define BLOCK_BITS 256
#define MAX_BLOCKS (UINT64_C(1) << 31)
/* Bits per key are planned in 1/256ths (as in probe.c), so a block in 1/256ths is
 * 2^16. */
#define BLOCK_UNITS 65536
#define MAX_UNITS   (256 * 512)

/* Mean over the load of a block, which is Poisson with mean `load`: with j keys in it, a
 * word has a given bit set with probability 1 - (31/32)^j, and an absent key needs all
 * eight. */
static double fpr_at_load(double load)
{
    if (load > 600) /* every bit is set, and e^-load would underflow */
        return 1;
    double weight = exp(-load);
    double unset = 1, fpr = 0;

    for (unsigned j = 1; j < 2000; j++) {
        weight *= load / j;
        unset *= 31.0 / 32.0;
        fpr += weight * pow(1 - unset, NH_BLOCK_WORDS);
        if (j > load && weight < 1e-18)
            break;
    }
    return fpr;
}

static double expected_fpr(const struct nh_part *part, double n_keys)
{
    return n_keys > 0 ? fpr_at_load(n_keys / (double)part->n_cells) : 0;
}

/* The least bits per key, in 1/256ths, that keep the fpr; 0 if MAX_UNITS do not. */
static uint64_t units_for(double fpr)
{
    uint64_t low = 1, high = MAX_UNITS;

    if (fpr_at_load((double)BLOCK_UNITS / MAX_UNITS) > fpr)
        return 0;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (fpr_at_load((double)BLOCK_UNITS / (double)middle) <= fpr)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static ninho_status plan(const ninho_spec *spec, struct nh_part *part, ninho_error *error)
{
    uint64_t n_blocks = 0;

    if (spec->n_bits) {
        n_blocks = spec->n_bits / BLOCK_BITS + (spec->n_bits % BLOCK_BITS != 0);
    } else {
        const uint64_t units = units_for(spec->fpr);
        if (!units)
            return nh_fail_field(
                error, NINHO_FIELD_FPR, fpr_at_load((double)BLOCK_UNITS / MAX_UNITS), 1,
                "of a blocked filter must be at least %.3g, not %g; use bloom below that",
                fpr_at_load((double)BLOCK_UNITS / MAX_UNITS), spec->fpr);
        if (!nh_mul_fits(spec->capacity, units, &n_blocks) ||
            !nh_add_fits(n_blocks, BLOCK_UNITS - 1, &n_blocks))
            n_blocks = UINT64_MAX;
        n_blocks /= BLOCK_UNITS;
    }
    if (n_blocks > MAX_BLOCKS)
        return nh_fail(
            error, NINHO_ERR_NOMEM,
            "needs more than 64 GiB, the most a blocked filter can address; use bloom");
    part->n_cells = n_blocks;
    part->n_hashes = NH_BLOCK_WORDS;
    part->size = NH_BLOCK_BYTES * n_blocks;
    return NINHO_OK;
}

static void spec_back(const struct nh_part *part, ninho_spec *spec)
{
    spec->n_bits = BLOCK_BITS * part->n_cells;
}

static const char *note(const struct nh_part *part, double fpr)
{
    (void)part;
    return fpr < 1e-4 ? "poor below 1e-4: bloom needs far fewer bits" : NULL;
}

static bool fits(const struct nh_part *part)
{
    return part->n_cells >= 1 && part->n_cells <= MAX_BLOCKS &&
           part->size == NH_BLOCK_BYTES * part->n_cells &&
           part->n_hashes == NH_BLOCK_WORDS && !part->stored[0] && !part->stored[1];
}

static const struct nh_block_kernel *kernel_of(const struct nh_part *part)
{
    return part->kernel;
}

static void attach(struct nh_part *part)
{
    part->kernel = nh_block_select();
    part->has = kernel_of(part)->has;
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    return kernel_of(part)->has(part, hash);
}

static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe)
{
    kernel_of(part)->has_many(part, hashes, n, maybe);
}

static uint64_t copies(const struct nh_part *part, uint64_t hash)
{
    return has(part, hash);
}

/* With an observer the words are compared before and after. */
NH_NOINLINE static void add_told(const struct nh_live *live, struct nh_part *part,
                                 uint64_t hash)
{
    const uint64_t first = 8 * ninho_block_at_(hash, part->n_cells);
    uint8_t before[NH_BLOCK_BYTES], mask[NH_BLOCK_BYTES] = {0};

    memcpy(before, nh_block_of(part, hash), sizeof before);
    kernel_of(part)->add(&(struct nh_part){.body = mask, .n_cells = 1}, hash);
    kernel_of(part)->add(part, hash);
    for (unsigned bit = 0; bit < BLOCK_BITS; bit++)
        if (mask[bit / 8] >> (bit % 8) & 1)
            nh_tell(live, NINHO_EVENT_BIT_SET, 0, first + bit,
                    before[bit / 8] >> (bit % 8) & 1);
}

static ninho_status add(const struct nh_live *live, struct nh_part *part, uint64_t hash)
{
    if (live->observer)
        add_told(live, part, hash);
    else
        kernel_of(part)->add(part, hash);
    part->count++;
    return NINHO_OK;
}

static ninho_status add_many(const struct nh_live *live, struct nh_part *part,
                             const uint64_t *hashes, size_t n, size_t *n_added)
{
    (void)live;
    kernel_of(part)->add_many(part, hashes, n);
    part->count += n;
    *n_added = n;
    return NINHO_OK;
}

#define AHEAD 16 /* keys whose lines are on their way */

static void add_shared(const struct nh_part *part, const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            nh_prefetch_write(nh_block_of(part, hashes[i + AHEAD]));
        ninho_block_add_shared_(nh_block_of(part, hashes[i]), hashes[i]);
    }
}

static void tally(const struct nh_part *part, const struct nh_part *other,
                  struct nh_tally *t)
{
    const double n_words =
        (double)part->n_cells * 32; /* cells that one key's bit i may set */
    uint64_t used = 0;
    double fpr = 0;

    for (uint64_t block = 0; block < part->n_cells; block++) {
        double all_set = 1;
        for (unsigned i = 0; i < NH_BLOCK_WORDS; i++) {
            const uint64_t at = NH_BLOCK_BYTES * block + 4 * i;
            uint32_t word = nh_load_le32(part->body + at);
            if (other)
                word |= nh_load_le32(other->body + at);
            const unsigned ones = nh_popcount(word);
            used += ones;
            all_set *= ones / 32.0;
        }
        fpr += all_set;
    }
    t->used = used;
    t->cells = BLOCK_BITS * part->n_cells;
    t->fpr = fpr / (double)part->n_cells;
    /* Word i of all blocks together is a table of 32 cells per block with one probe per
     * key. */
    t->n_keys = used == t->cells
                    ? INFINITY
                    : log1p(-(double)used / (double)t->cells) / log1p(-1 / n_words);
}

static ninho_status verify(const struct nh_part *part, ninho_error *error)
{
    (void)part;
    (void)error;
    return NINHO_OK; /* every pattern of bits is possible */
}

static unsigned bare_tail(const struct nh_part *part, uint8_t tail[2])
{
    (void)part;
    (void)tail;
    return 0; /* the length says it all */
}

static bool bare_fits(const uint8_t *bytes, size_t size, struct nh_part *part)
{
    (void)bytes;
    if (size % NH_BLOCK_BYTES)
        return false;
    part->size = size;
    part->n_cells = size / NH_BLOCK_BYTES;
    part->n_hashes = NH_BLOCK_WORDS;
    return true;
}

const struct nh_family nh_family_blocked = {
    .kind = NINHO_BLOCKED,
    .can = NINHO_CAN_ADD | NINHO_CAN_UNION | NINHO_CAN_OVERFILL | NINHO_CAN_VIEW |
           NINHO_CAN_BARE | NINHO_CAN_ESTIMATE | NINHO_CAN_SHARE,
    .takes = NH_TAKES_BITS,
    .can_be_base = true,
    .name = "blocked",
    .summary =
        "split-block Bloom: one cache line per lookup, the fastest; Parquet's bytes",
    .plan = plan,
    .spec_back = spec_back,
    .expected_fpr = expected_fpr,
    .note = note,
    .fits = fits,
    .attach = attach,
    .has = has,
    .beside = nh_probe_beside,
    .has_many = has_many,
    .copies = copies,
    .tally = tally,
    .verify = verify,
    .add = add,
    .add_many = add_many,
    .add_shared = add_shared,
    .unite = nh_probe_unite_bits,
    .bare_tail = bare_tail,
    .bare_fits = bare_fits,
};
