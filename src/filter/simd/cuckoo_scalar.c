/* SPDX-License-Identifier: MIT */
#include "filter/simd/cuckoo.h"

#include "cpu/cpu.h"

#define GROUP 16 /* keys whose lines are on their way */

/* A window may lie in two lines; it then lies in this one with its first bits, and the processor
 * fetches the next by itself soon enough. */
NH_ALWAYS_INLINE void ask(const struct nh_part *part, const uint64_t *hashes, size_t n,
                          ninho_pairing pairing, struct nh_cuckoo_asked *keys)
{
    for (size_t i = 0; i < n; i++) {
        keys[i] = nh_cuckoo_ask(part, hashes[i], pairing);
        nh_prefetch(part->body + keys[i].bit[0] / 8);
        nh_prefetch(part->body + keys[i].bit[1] / 8);
    }
}

NH_ALWAYS_INLINE uint64_t answer(const struct nh_part *part,
                                 const struct nh_cuckoo_asked *keys, size_t n)
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;
    uint64_t answers = 0;

    for (size_t i = 0; i < n; i++) {
        const uint64_t marks =
            nh_cuckoo_marks_at(part, keys[i].bit[0], keys[i].lanes + shape->first) |
            nh_cuckoo_marks_at(part, keys[i].bit[1], keys[i].lanes + shape->second);
        answers |= (uint64_t)(marks != 0) << i;
    }
    return answers;
}

/* While one group is looked at, the lines of the next are on their way. */
NH_ALWAYS_INLINE void has_many(const struct nh_part *part, const uint64_t *hashes,
                               size_t n, uint64_t *maybe, ninho_pairing pairing)
{
    struct nh_cuckoo_asked groups[2][GROUP];

    ask(part, hashes, n < GROUP ? n : GROUP, pairing, groups[0]);
    for (size_t at = 0; at < n; at += GROUP) {
        const size_t n_group = n - at < GROUP ? n - at : GROUP;
        const size_t n_left = n - at - n_group;
        ask(part, hashes + at + n_group, n_left < GROUP ? n_left : GROUP, pairing,
            groups[(at / GROUP + 1) % 2]);
        maybe[at / 64] |= answer(part, groups[at / GROUP % 2], n_group) << at % 64;
    }
}

static void has_many_offset(const struct nh_part *part, const uint64_t *hashes, size_t n,
                            uint64_t *maybe)
{
    has_many(part, hashes, n, maybe, NINHO_PAIRING_OFFSET);
}

static void has_many_xor(const struct nh_part *part, const uint64_t *hashes, size_t n,
                         uint64_t *maybe)
{
    has_many(part, hashes, n, maybe, NINHO_PAIRING_XOR);
}

static void has_many_near(const struct nh_part *part, const uint64_t *hashes, size_t n,
                          uint64_t *maybe)
{
    has_many(part, hashes, n, maybe, NINHO_PAIRING_NEAR);
}

const struct nh_cuckoo_batch nh_cuckoo_batch_scalar = {has_many_offset, has_many_xor,
                                                       has_many_near};

const struct nh_cuckoo_batch *nh_cuckoo_batch_select(const struct nh_part *part)
{
#if NH_CPU_IS_X86
    if (part->cached.cuckoo.n_places > UINT32_MAX)
        return &nh_cuckoo_batch_scalar;
    if (nh_cpu_has(NH_CPU_AVX512))
        return &nh_cuckoo_batch_avx512;
    if (nh_cpu_has(NH_CPU_AVX2))
        return &nh_cuckoo_batch_avx2;
#else
    (void)part;
#endif
    return &nh_cuckoo_batch_scalar;
}
