/* SPDX-License-Identifier: MIT */
/* Lookups of many keys in a cuckoo filter whose places are words (nh_cuckoo_is_word()), one set of
 * functions per instruction set. Every set gives the same answers; the scalar one is the oracle. */
#ifndef NH_FILTER_SIMD_CUCKOO_H
#define NH_FILTER_SIMD_CUCKOO_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/inline.h"
#include "filter/ops.h"

/* They OR the answers into maybe[]. */
struct nh_cuckoo_batch {
    void (*has_many_offset)(const struct nh_part *part, const uint64_t *hashes, size_t n,
                            uint64_t *maybe);
    void (*has_many_xor)(const struct nh_part *part, const uint64_t *hashes, size_t n,
                         uint64_t *maybe);
    void (*has_many_near)(const struct nh_part *part, const uint64_t *hashes, size_t n,
                          uint64_t *maybe);
};

extern const struct nh_cuckoo_batch nh_cuckoo_batch_scalar;
/* For fewer than 2^32 places: */
extern const struct nh_cuckoo_batch nh_cuckoo_batch_avx2; /* only where NH_CPU_AVX2 is */
extern const struct nh_cuckoo_batch
    nh_cuckoo_batch_avx512; /* only where NH_CPU_AVX512 is */

/* The best for this machine and table. */
const struct nh_cuckoo_batch *nh_cuckoo_batch_select(const struct nh_part *part);

/* A key on its way: where its places begin, and what its tag adds to their lanes. */
struct nh_cuckoo_asked {
    uint64_t bit[2];
    uint64_t lanes;
};

NH_ALWAYS_INLINE struct nh_cuckoo_asked nh_cuckoo_ask(const struct nh_part *part,
                                                      uint64_t hash,
                                                      ninho_pairing pairing)
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;
    const uint64_t place = ninho_cuckoo_place_(hash, shape->n_places);
    const bool is_near = pairing == NINHO_PAIRING_NEAR;
    const uint64_t tag = is_near ? ninho_cuckoo_near_tag_(hash, shape->n_tags)
                                 : ninho_cuckoo_tag_(hash, shape->n_tags);
    const uint64_t other = is_near
                               ? ninho_cuckoo_near_(place, tag, shape->run_shift)
                               : ninho_cuckoo_second_(place, tag, shape->n_places,
                                                      pairing == NINHO_PAIRING_OFFSET);

    return (struct nh_cuckoo_asked){{place * shape->stride, other * shape->stride},
                                    tag * shape->per_tag};
}

/* Marks of the lanes of a place that are what `lanes` are: of these the lowest is right. */
NH_ALWAYS_INLINE uint64_t nh_cuckoo_marks_at(const struct nh_part *part, uint64_t bit,
                                             uint64_t lanes)
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;
    const uint64_t differs = ninho_cuckoo_lanes_(part->body, part->size, bit) ^ lanes;

    return (differs - shape->ones) & ~differs & shape->tops;
}

/* One key. */
NH_ALWAYS_INLINE bool nh_cuckoo_has_word(const struct nh_part *part, uint64_t hash,
                                         ninho_pairing pairing)
{
    if (pairing == NINHO_PAIRING_NEAR)
        return ninho_cuckoo_find_near_(part->body, &part->cached.cuckoo, hash);
    return ninho_cuckoo_find_(part->body, part->size, &part->cached.cuckoo, hash,
                              pairing == NINHO_PAIRING_OFFSET);
}

#endif
