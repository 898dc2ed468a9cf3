/* SPDX-License-Identifier: MIT */
/* The inner loops of the ribbon filter, one set of functions per instruction set: lookups, and
 * the back substitution of its construction. Every set gives the same bytes and answers; the
 * scalar one is the oracle. */
#ifndef NH_FILTER_SIMD_RIBBON_H
#define NH_FILTER_SIMD_RIBBON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/inline.h"
#include "filter/ops.h"

#define NH_RIBBON_BLOCK     NINHO_RIBBON_BLOCK_
#define NH_RIBBON_MOST_BITS 32

/* Lookups read the body of a part, its size and cached.ribbon. */
struct nh_ribbon_kernel {
    /* For at most eight columns in all blocks; for at most eight in any; for all others */
    bool (*has_narrow)(const struct nh_part *part, uint64_t hash);
    bool (*has_mixed)(const struct nh_part *part, uint64_t hash);
    bool (*has_wide)(const struct nh_part *part, uint64_t hash);
    /* ORs the answers into maybe[]. */
    void (*has_many)(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe);
    /* Solves the 64 slots of a block, of which columns[] holds the solution of the block after
     * it and then of this one. Slot i has the row masks[i], results[i]; mask 0: none. Columns are
     * taken in eights: columns[] has room for `width` up to the next multiple of 8. */
    void (*solve)(const uint64_t *masks, const uint32_t *results, unsigned width,
                  uint64_t *columns);
};

extern const struct nh_ribbon_kernel nh_ribbon_scalar;
extern const struct nh_ribbon_kernel nh_ribbon_avx2; /* only where NH_CPU_AVX2 is */
/* Only where NH_CPU_VPOPCNT is; has_many for first zones below 2^32 slots */
extern const struct nh_ribbon_kernel nh_ribbon_avx512;

/* The best for this machine and for first zones of that many slots. */
const struct nh_ribbon_kernel *nh_ribbon_select(uint64_t n_starts);

#define NH_RIBBON_NEAR ((uint64_t)4 << 20) /* bytes of a table that is in a near cache */

/* Asks for the lines of a row's words, which begin there. */
NH_ALWAYS_INLINE void nh_ribbon_ask(const uint8_t *low, unsigned bits)
{
    const size_t size = 16 * (size_t)bits;

    for (size_t at = 0; at < size; at += 64)
        nh_prefetch(low + at);
    nh_prefetch(low + size - 1);
}

/* Whether a row agrees, in one of the sets. `is_narrow`: there are at most eight columns. */
typedef bool nh_ribbon_agrees(const ninho_ribbon_words_ *words, uint32_t wanted,
                              bool is_narrow);

NH_ALWAYS_INLINE bool nh_ribbon_row_agrees(const struct nh_part *part,
                                           const ninho_ribbon_row_ *row, bool is_mixed,
                                           bool is_narrow, nh_ribbon_agrees *agrees)
{
    const ninho_ribbon_words_ words =
        ninho_ribbon_words_of_(part->body, &part->cached.ribbon, row, is_mixed);
    return agrees(&words, row->wanted, is_narrow);
}

/* A key whose row is not in the first zone. */
NH_ALWAYS_INLINE bool nh_ribbon_has_later(const struct nh_part *part, uint64_t hash,
                                          nh_ribbon_agrees *agrees)
{
    const ninho_ribbon_row_ row =
        ninho_ribbon_later_row_(part->body, &part->cached.ribbon, hash);
    return nh_ribbon_row_agrees(part, &row, true, false, agrees);
}

/* Any key; those whose row is not in the first zone are `later`'s, a function of its own. */
NH_ALWAYS_INLINE bool nh_ribbon_has(
    const struct nh_part *part, uint64_t hash, bool is_mixed, bool is_narrow,
    nh_ribbon_agrees *agrees, bool (*later)(const struct nh_part *part, uint64_t hash))
{
    ninho_ribbon_row_ row;

    if (NINHO_SELDOM_(
            !ninho_ribbon_first_row_(part->body, &part->cached.ribbon, hash, &row)))
        return later(part, hash);
    return nh_ribbon_row_agrees(part, &row, is_mixed, is_narrow, agrees);
}

#define NH_RIBBON_GROUP \
    32 /* keys whose lines are asked for before the first is looked at */

NH_ALWAYS_INLINE void nh_ribbon_has_groups(const struct nh_part *part,
                                           const uint64_t *hashes, size_t n,
                                           uint64_t *maybe, bool is_mixed, bool is_narrow,
                                           nh_ribbon_agrees *agrees)
{
    const ninho_ribbon_shape_ shape = part->cached.ribbon;
    const bool is_near = part->size <= NH_RIBBON_NEAR;
    ninho_ribbon_words_ words[NH_RIBBON_GROUP];
    uint32_t wanted[NH_RIBBON_GROUP];

    for (size_t at = 0; at < n; at += NH_RIBBON_GROUP) {
        const size_t n_group = n - at < NH_RIBBON_GROUP ? n - at : NH_RIBBON_GROUP;
        uint64_t answers = 0;
        for (size_t i = 0; i < n_group; i++) {
            ninho_ribbon_row_ row;
            if (NINHO_SELDOM_(
                    !ninho_ribbon_first_row_(part->body, &shape, hashes[at + i], &row)))
                row = ninho_ribbon_later_row_(part->body, &shape, hashes[at + i]);
            words[i] = ninho_ribbon_words_of_(part->body, &shape, &row, is_mixed);
            wanted[i] = row.wanted;
            if (!is_near)
                nh_ribbon_ask(words[i].low, shape.bits);
        }
        for (size_t i = 0; i < n_group; i++)
            answers |= (uint64_t)agrees(&words[i], wanted[i], is_narrow) << i;
        maybe[at / 64] |= answers << at % 64;
    }
}

/* Compiled for what the table is. */
NH_ALWAYS_INLINE void nh_ribbon_has_many(const struct nh_part *part,
                                         const uint64_t *hashes, size_t n,
                                         uint64_t *maybe, nh_ribbon_agrees *agrees)
{
    const bool is_mixed = part->cached.ribbon.n_wide != 0;

    if (part->cached.ribbon.bits + is_mixed > 8)
        nh_ribbon_has_groups(part, hashes, n, maybe, true, false, agrees);
    else if (is_mixed)
        nh_ribbon_has_groups(part, hashes, n, maybe, true, true, agrees);
    else
        nh_ribbon_has_groups(part, hashes, n, maybe, false, true, agrees);
}

#endif
