/* SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"

#if NH_CPU_IS_X86

#include "hash/simd/words.h"

#include <immintrin.h>

#include "base/bits.h"

#define AVX512 __attribute__((target("avx512f,avx512dq")))
#define AVX512_INLINE \
    __attribute__((target("avx512f,avx512dq"), always_inline)) static inline

#define XOR_OF_THREE 0x96 /* as ternary logic */

AVX512_INLINE __m512i all(uint64_t word)
{
    return _mm512_set1_epi64((long long)word);
}

/* ninho_xxh3_word_() of eight. */
AVX512_INLINE __m512i hashed(__m512i words, __m512i flip)
{
    const __m512i factor = all(UINT64_C(0x9fb21c651e98df25));
    __m512i x = _mm512_xor_si512(_mm512_ror_epi64(words, 32), flip);

    x = _mm512_ternarylogic_epi64(x, _mm512_rol_epi64(x, 49), _mm512_rol_epi64(x, 24),
                                  XOR_OF_THREE);
    x = _mm512_mullo_epi64(x, factor);
    x = _mm512_xor_si512(x, _mm512_add_epi64(_mm512_srli_epi64(x, 35), all(8)));
    x = _mm512_mullo_epi64(x, factor);
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 28));
}

AVX512 size_t nh_hash_words_avx512(const uint8_t *keys, size_t n, uint64_t flip,
                                   uint64_t *hashes)
{
    for (size_t i = 0; i < n / 8; i++, keys += 64, hashes += 8) {
        nh_prefetch((const void *)((uintptr_t)keys + NH_HASH_AHEAD));
        _mm512_storeu_si512(hashes, hashed(_mm512_loadu_si512(keys), all(flip)));
    }
    return n - n % 8;
}

#else
typedef int nh_words_avx512_is_for_x86; /* C wants a declaration in every file */
#endif
