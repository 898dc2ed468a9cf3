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
#include "base/bits.h"
#include "base/le.h"
#include "base/status.h"
#include "filter/ops.h"
#include "filter/probe.h"
#include "filter/simd/bits.h"

#define PER_BYTE 8 /* bits */

static ninho_status plan(const ninho_spec *spec, struct nh_part *part, ninho_error *error)
{
    return nh_probe_plan(spec, PER_BYTE, part, error);
}

static bool fits(const struct nh_part *part)
{
    return nh_probe_fits(part, PER_BYTE);
}

static void attach(struct nh_part *part)
{
    const struct nh_bits_kernel *const kernel = nh_bits_select();

    part->kernel = kernel;
    kernel->choose_has(part);
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    return ninho_bloom_find_(part->body, part->n_cells, part->n_hashes, hash);
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

static void set_bit(uint8_t *body, uint64_t bit)
{
    body[bit >> 3] |= (uint8_t)(1U << (bit & 7));
}

static ninho_status has_and_add(const struct nh_live *live, struct nh_part *part,
                                uint64_t hash, bool *was_there)
{
    unsigned all = 1;

    for (uint32_t i = 0; i < part->n_hashes; i++, hash = nh_probe_next(hash)) {
        const uint64_t bit = nh_reduce(hash, part->n_cells);
        const unsigned before = nh_bit_is_set(part->body, bit);
        set_bit(part->body, bit);
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

    if (live->observer)
        return has_and_add(live, part, hash, &was_there);
    ninho_bloom_put_(part->body, part->n_cells, part->n_hashes, hash);
    part->count++;
    return NINHO_OK;
}

static ninho_status add_many(const struct nh_live *live, struct nh_part *part,
                             const uint64_t *hashes, size_t n, size_t *n_added)
{
    (void)live;
    nh_probe_add_many(part, PER_BYTE, hashes, n, set_bit);
    *n_added = n;
    return NINHO_OK;
}

static void add_shared(const struct nh_part *part, const uint64_t *hashes, size_t n)
{
    for (size_t at = 0; at < n; at++) {
        if (at % NH_ADD_GROUP == 0)
            for (size_t i = at; i < n && i < at + NH_ADD_GROUP; i++)
                nh_probe_prefetch(part, PER_BYTE, hashes[i]);
        ninho_bloom_put_shared_(part->body, part->n_cells, part->n_hashes, hashes[at]);
    }
}

/* The i-th group of up to eight bytes, as a word. */
static uint64_t word_at(const struct nh_part *part, uint64_t at, size_t n_bytes)
{
    uint64_t word = 0;
    if (n_bytes == 8)
        return nh_load_le64(part->body + at);
    for (size_t i = 0; i < n_bytes; i++)
        word |= (uint64_t)ninho_load8_(part->body + at + i) << (8 * i);
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
    nh_probe_tally(part, used, t);
}

static ninho_status verify(const struct nh_part *part, ninho_error *error)
{
    if (!nh_probe_ends_clear(part, PER_BYTE))
        return nh_fail(error, NINHO_ERR_FORMAT, "bits are set past the end of the table");
    return NINHO_OK;
}

static unsigned bare_tail(const struct nh_part *part, uint8_t tail[2])
{
    return nh_probe_bare_tail(part, PER_BYTE, tail);
}

static bool bare_fits(const uint8_t *bytes, size_t size, struct nh_part *part)
{
    return nh_probe_bare_fits(bytes, size, PER_BYTE, part);
}

static bool has_bare(const uint8_t *bytes, size_t size, uint64_t hash)
{
    struct nh_part part = {.body = (uint8_t *)(uintptr_t)bytes, .is_bare = true};

    return !bare_fits(bytes, size, &part) || !fits(&part) || has(&part, hash);
}

const struct nh_family nh_family_bloom = {
    .kind = NINHO_BLOOM,
    .can = NINHO_CAN_ADD | NINHO_CAN_UNION | NINHO_CAN_OVERFILL | NINHO_CAN_VIEW |
           NINHO_CAN_BARE | NINHO_CAN_ESTIMATE | NINHO_CAN_SHARE,
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
    .beside = nh_probe_beside,
    .has_many = has_many,
    .copies = copies,
    .tally = tally,
    .verify = verify,
    .add = add,
    .has_and_add = has_and_add,
    .add_many = add_many,
    .add_shared = add_shared,
    .unite = nh_probe_unite_bits,
    .bare_tail = bare_tail,
    .bare_fits = bare_fits,
    .has_bare = has_bare,
};
