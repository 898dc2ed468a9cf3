/* SPDX-License-Identifier: MIT */
/* The Bloom filter (B. H. Bloom, 1970): m bits, k probes per key, any m.
 *
 *   add(x):  bits p0(x) .. pk-1(x) become 1        has(x):  are they all 1?
 *
 *       x ----p0---------.      .--p1--- y
 *         \---p1---.      \    /
 *   body: 0 0 1 0 0 1 0 0 0 1 1 0 0 0 0 1        bit i = bit i % 8 of byte i / 8
 *
 * A bit at 0 proves absence; all at 1 proves nothing. With n keys a bit is 1 with
 * probability 1 - e^{-kn/m}, and an absent key finds k ones with that to the k-th. */
#include <math.h>

#include "base/bits.h"
#include "base/le.h"
#include "base/status.h"
#include "filter/ops.h"
#include "filter/probe.h"
#include "filter/simd/bits.h"

static uint64_t bytes_for(uint64_t n_bits)
{
    return (n_bits + 7) / 8;
}

static ninho_status plan(const ninho_spec *spec, struct nh_part *part, ninho_error *error)
{
    const ninho_status status = nh_probe_plan(spec, part, error);
    if (!status)
        part->size = bytes_for(part->n_cells);
    return status;
}

static bool fits(const struct nh_part *part)
{
    return part->n_cells >= 1 && part->n_cells <= UINT64_C(1) << 56 &&
           part->n_hashes >= 1 && part->n_hashes <= NH_MAX_K &&
           part->size == bytes_for(part->n_cells) && !part->stored[0] && !part->stored[1];
}

static void attach(struct nh_part *part)
{
    part->kernel = nh_bits_select();
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    for (uint32_t i = 0; i < part->n_hashes; i++, hash = nh_probe_next(hash))
        if (!nh_bit_is_set(part->body, nh_reduce(hash, part->n_cells)))
            return false;
    return true;
}

static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe)
{
    const struct nh_bits_kernel *kernel = part->kernel;
    kernel->has_many(part, hashes, n, maybe);
}

static uint64_t copies(const struct nh_part *part, uint64_t hash)
{
    return has(part, hash);
}

static ninho_status has_and_add(const struct nh_live *live, struct nh_part *part,
                                uint64_t hash, bool *was_there)
{
    unsigned all = 1;

    for (uint32_t i = 0; i < part->n_hashes; i++, hash = nh_probe_next(hash)) {
        const uint64_t bit = nh_reduce(hash, part->n_cells);
        const unsigned before = nh_bit_is_set(part->body, bit);
        part->body[bit >> 3] |= (uint8_t)(1U << (bit & 7));
        nh_tell(live, NINHO_EVENT_BIT_SET, 0, bit, before);
        all &= before;
    }
    part->count++;
    *was_there = all;
    return NINHO_OK;
}

static ninho_status add(const struct nh_live *live, struct nh_part *part, uint64_t hash)
{
    bool was_there;
    return has_and_add(live, part, hash, &was_there);
}

/* Lines are asked for a group of keys ahead of the writes, so that their misses
 * overlap. */
#define ADD_GROUP 16

static ninho_status add_many(const struct nh_live *live, struct nh_part *part,
                             const uint64_t *hashes, size_t n, size_t *n_added)
{
    (void)live;
    uint64_t bits[ADD_GROUP * NH_MAX_K];
    uint8_t *const body = part->body;
    const uint64_t m = part->n_cells;

    for (size_t at = 0; at < n; at += ADD_GROUP) {
        const size_t n_group = n - at < ADD_GROUP ? n - at : ADD_GROUP;
        size_t n_bits = 0;
        for (size_t i = 0; i < n_group; i++) {
            uint64_t x = hashes[at + i];
            for (uint32_t j = 0; j < part->n_hashes; j++, x = nh_probe_next(x)) {
                bits[n_bits] = nh_reduce(x, m);
                nh_prefetch_write(body + (bits[n_bits++] >> 3));
            }
        }
        for (size_t i = 0; i < n_bits; i++)
            body[bits[i] >> 3] |= (uint8_t)(1U << (bits[i] & 7));
    }
    part->count += n;
    *n_added = n;
    return NINHO_OK;
}

/* The i-th group of up to eight bytes, as a word. */
static uint64_t word_at(const struct nh_part *part, uint64_t at, size_t n_bytes)
{
    uint64_t word = 0;
    if (n_bytes == 8)
        return nh_load_le64(part->body + at);
    for (size_t i = 0; i < n_bytes; i++)
        word |= (uint64_t)part->body[at + i] << (8 * i);
    return word;
}

static void tally(const struct nh_part *part, const struct nh_part *other,
                  struct nh_tally *t)
{
    uint64_t used = 0;

    for (uint64_t at = 0; at < part->size; at += 8) {
        const size_t n_bytes = part->size - at < 8 ? (size_t)(part->size - at) : 8;
        uint64_t word = word_at(part, at, n_bytes);
        if (other)
            word |= word_at(other, at, n_bytes);
        used += nh_popcount(word);
    }
    if (used > part->n_cells) /* bits past the end: a damaged body, seen through a view */
        used = part->n_cells;
    t->used = used;
    t->cells = part->n_cells;
    t->fpr = pow((double)used / (double)part->n_cells, part->n_hashes);
    t->n_keys = nh_probe_estimate(part, used);
}

static ninho_status verify(const struct nh_part *part, ninho_error *error)
{
    const unsigned spare = (unsigned)(8 * part->size - part->n_cells);
    const uint8_t last = part->body[part->size - 1];

    if (spare && last >> (8 - spare))
        return nh_fail(error, NINHO_ERR_FORMAT, "bits are set past the end of the table");
    return NINHO_OK;
}

static ninho_status unite(const struct nh_live *live, struct nh_part *target,
                          const struct nh_part *source)
{
    (void)live;
    for (uint64_t i = 0; i < target->size; i++)
        target->body[i] |= source->body[i];
    return NINHO_OK;
}

/* k, and how many bits of the last byte are spare. */
static unsigned bare_tail(const struct nh_part *part, uint8_t tail[2])
{
    tail[0] = (uint8_t)part->n_hashes;
    tail[1] = (uint8_t)(8 * part->size - part->n_cells);
    return 2;
}

static bool bare_fits(const uint8_t *bytes, size_t size, struct nh_part *part)
{
    if (size < 3 || bytes[size - 1] > 7)
        return false;
    part->size = size - 2;
    part->n_hashes = bytes[size - 2];
    part->n_cells = 8 * part->size - bytes[size - 1];
    return true;
}

static bool has_bare(const uint8_t *bytes, size_t size, uint64_t hash)
{
    struct nh_part part = {.body = (uint8_t *)(uintptr_t)bytes, .is_bare = true};

    return !bare_fits(bytes, size, &part) || !fits(&part) || has(&part, hash);
}

const struct nh_family nh_family_bloom = {
    .kind = NINHO_BLOOM,
    .can = NINHO_CAN_ADD | NINHO_CAN_UNION | NINHO_CAN_OVERFILL | NINHO_CAN_VIEW |
           NINHO_CAN_BARE | NINHO_CAN_ESTIMATE,
    .takes = NH_TAKES_BITS | NH_TAKES_HASHES | NH_TAKES_K_RULE,
    .can_be_base = true,
    .name = "bloom",
    .summary =
        "the classic: any number of bits, unions, estimates; the smallest Bloom kind",
    .plan = plan,
    .spec_back = nh_probe_spec_back,
    .expected_fpr = nh_probe_fpr,
    .fits = fits,
    .attach = attach,
    .has = has,
    .has_many = has_many,
    .copies = copies,
    .tally = tally,
    .verify = verify,
    .add = add,
    .has_and_add = has_and_add,
    .add_many = add_many,
    .unite = unite,
    .bare_tail = bare_tail,
    .bare_fits = bare_fits,
    .has_bare = has_bare,
};
