/* SPDX-License-Identifier: MIT */
/* Hashes are frozen: whoever changes one of these numbers breaks every file in the world. */
#include "support/test.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <ninho/kernels.h>

#include "cpu/cpu.h"
#include "hash/hash.h"
#include "hash/simd/words.h"

static void fill(uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(i * 7 + 3);
}

/* Of bytes[i] = 7 i + 3: by tests/format/xxh.py, which follows the specification, and for seed 0
 * by Debian's xxhsum 0.8.1 as well. The sizes lie on both sides of every path of XXH3. */
static const struct {
    size_t size;
    uint64_t seed, xxh3, xxh64;
} xxh_vectors[] = {
    /* clang-format off */
    {0, UINT64_C(0x0), UINT64_C(0x2d06800538d394c2), UINT64_C(0xef46db3751d8e999)},
    {0, UINT64_C(0x1), UINT64_C(0x4dc5b0cc826f6703), UINT64_C(0xd5afba1336a3be4b)},
    {0, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x602b0e2cd6662c8b), UINT64_C(0xc4349fc93c010000)},
    {1, UINT64_C(0x0), UINT64_C(0x13e608bc156defed), UINT64_C(0x1f25c8d0bc1f4bb6)},
    {1, UINT64_C(0x1), UINT64_C(0x49787df7898ccbb7), UINT64_C(0x610f93f8c89889fe)},
    {1, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x1b4c466098160569), UINT64_C(0x79826bcd749d267a)},
    {2, UINT64_C(0x0), UINT64_C(0x1c9074b93943b86c), UINT64_C(0xf5bedec232706303)},
    {2, UINT64_C(0x1), UINT64_C(0x669034e5bc550ce6), UINT64_C(0x1259e4732d62049f)},
    {2, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x2f6c901464c243f0), UINT64_C(0x416ec13888be56bd)},
    {3, UINT64_C(0x0), UINT64_C(0xa9088dda485b481c), UINT64_C(0x31d2363f52e564c9)},
    {3, UINT64_C(0x1), UINT64_C(0x7901214716755f60), UINT64_C(0x2d80e074130d0176)},
    {3, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xa8bacd847619199e), UINT64_C(0x78efd77575e26575)},
    {4, UINT64_C(0x0), UINT64_C(0x6d9253b16c8b1ed3), UINT64_C(0x9bb64b7d66ee9fda)},
    {4, UINT64_C(0x1), UINT64_C(0xe81680856eceb4db), UINT64_C(0x5ec9fdd10fcbcb0e)},
    {4, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xe1c585329cf1878e), UINT64_C(0x6f0a6c97d68bf353)},
    {7, UINT64_C(0x0), UINT64_C(0x8e8291ad89127e2e), UINT64_C(0x9a7b149959ce60d8)},
    {7, UINT64_C(0x1), UINT64_C(0x3f83d74dda204260), UINT64_C(0xd8b4a941715fee31)},
    {7, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xb200c54e3a374bdf), UINT64_C(0xd97ede93c9d66a0d)},
    {8, UINT64_C(0x0), UINT64_C(0x60539db630471163), UINT64_C(0xdab99d95c6f90092)},
    {8, UINT64_C(0x1), UINT64_C(0x19148e536d069082), UINT64_C(0xf119f5b26c0020ab)},
    {8, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xbc53d62e02f670a4), UINT64_C(0xa2f1e28437a78a1b)},
    {9, UINT64_C(0x0), UINT64_C(0xfeff668361d723a8), UINT64_C(0x170bb6bf975b4c02)},
    {9, UINT64_C(0x1), UINT64_C(0x8208ac133147a751), UINT64_C(0xc35609e49aadbb91)},
    {9, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd4fb426f424e6e62), UINT64_C(0x9c9a3cd83532d84f)},
    {15, UINT64_C(0x0), UINT64_C(0x9ec169f4a98231c1), UINT64_C(0x1b47cb8243cc8e32)},
    {15, UINT64_C(0x1), UINT64_C(0xe3023c9188d59d53), UINT64_C(0x7a94ee016f09b732)},
    {15, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x734ab0c0e495a073), UINT64_C(0xe2ec50a544faec61)},
    {16, UINT64_C(0x0), UINT64_C(0xb8c859b0f030b585), UINT64_C(0x434850232b787be2)},
    {16, UINT64_C(0x1), UINT64_C(0xf6a6d83d8ce63bd4), UINT64_C(0xc9681422ce33496d)},
    {16, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x7775d23337d796b5), UINT64_C(0x93351859a7286376)},
    {17, UINT64_C(0x0), UINT64_C(0x714a04408e79b80f), UINT64_C(0x1efa7025f1b97a7a)},
    {17, UINT64_C(0x1), UINT64_C(0x92506c214b19ed1b), UINT64_C(0x2628f5f3328d896c)},
    {17, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x7d1872b1361c0fa6), UINT64_C(0x81d900d244223adc)},
    {31, UINT64_C(0x0), UINT64_C(0xed41ac283d0674b3), UINT64_C(0xa2aa5f33cc4a6119)},
    {31, UINT64_C(0x1), UINT64_C(0xfbd59fe858b382b0), UINT64_C(0xaaca4e41ffcae21c)},
    {31, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xfd26adbbe695ce82), UINT64_C(0x755437271d1d0a84)},
    {32, UINT64_C(0x0), UINT64_C(0x19ff4ee1d6ba1a55), UINT64_C(0x23c3c17ef790fd97)},
    {32, UINT64_C(0x1), UINT64_C(0x5b44bf66a382bea6), UINT64_C(0x7421b79a02b42132)},
    {32, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x136a6f0494310a0d), UINT64_C(0xbf624b932c090428)},
    {33, UINT64_C(0x0), UINT64_C(0x3e44983ad21679c8), UINT64_C(0x50a7cfc7ba588784)},
    {33, UINT64_C(0x1), UINT64_C(0xfd1c8b264247be96), UINT64_C(0x17b3df313de9a40e)},
    {33, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x3ffc244bc1e2a4dc), UINT64_C(0x7aceaf1e9d34ea35)},
    {63, UINT64_C(0x0), UINT64_C(0x1353bea3d0ebf7e1), UINT64_C(0x5e3e54b431c7493c)},
    {63, UINT64_C(0x1), UINT64_C(0x8888d5e710053ff4), UINT64_C(0xb1abb4a5ad0e2943)},
    {63, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x55f4cdd63f020501), UINT64_C(0x2c8ddce5c85d0d9d)},
    {64, UINT64_C(0x0), UINT64_C(0x287eb1fa9e4be2c1), UINT64_C(0x0eb64b3ef6eeb01f)},
    {64, UINT64_C(0x1), UINT64_C(0x0ec7ce80153bc4dc), UINT64_C(0x2d0457940c5a93f4)},
    {64, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd6ae0d107b90f16f), UINT64_C(0x4af341f14e3a6fc9)},
    {65, UINT64_C(0x0), UINT64_C(0x829218de4d798646), UINT64_C(0xa383b724b2bd12f1)},
    {65, UINT64_C(0x1), UINT64_C(0xbb0f22380319f01c), UINT64_C(0x6153dc23fc8bebd8)},
    {65, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xde4205e085dc5c98), UINT64_C(0x8e9e580645400102)},
    {128, UINT64_C(0x0), UINT64_C(0x67425a03650261bf), UINT64_C(0x46fbcfbf0150793f)},
    {128, UINT64_C(0x1), UINT64_C(0xfd32b4b9456ca09a), UINT64_C(0x5ac04e5c5f597d75)},
    {128, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xe9e239440dac1b3c), UINT64_C(0x60d4184dd722fddc)},
    {129, UINT64_C(0x0), UINT64_C(0xc664bf3311c6abc4), UINT64_C(0x3eb5d118151c8303)},
    {129, UINT64_C(0x1), UINT64_C(0x7b4c88ffebd88bcc), UINT64_C(0x436e71db5cf6c17a)},
    {129, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xb11455ab08c506d4), UINT64_C(0xb28e96b042575d9d)},
    {240, UINT64_C(0x0), UINT64_C(0x64556dc6b462a6cf), UINT64_C(0x42562f61ef11b5ae)},
    {240, UINT64_C(0x1), UINT64_C(0x86a09925a87a4699), UINT64_C(0x30ebf87147ceb178)},
    {240, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x6ea73b2be19b57c5), UINT64_C(0x1bc0b11916e898f8)},
    {241, UINT64_C(0x0), UINT64_C(0x8beadd3a8874fe17), UINT64_C(0x07cf94f8eba111b5)},
    {241, UINT64_C(0x1), UINT64_C(0x35969643e9fd05d4), UINT64_C(0x652e68ebb2f78588)},
    {241, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xa0462d397650b282), UINT64_C(0xe5211a936c86ded3)},
    {512, UINT64_C(0x0), UINT64_C(0xf58202b8d9019d1d), UINT64_C(0x6765eddc80089b7b)},
    {512, UINT64_C(0x1), UINT64_C(0x8f1d94d2c6ac475d), UINT64_C(0xa12ea823819c11db)},
    {512, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x2ed447cad5d1a6b6), UINT64_C(0xcf8e82fa946842d2)},
    {1024, UINT64_C(0x0), UINT64_C(0x9b81661c641c72b1), UINT64_C(0xe6816a6e134b7a33)},
    {1024, UINT64_C(0x1), UINT64_C(0x03c840c38eb48549), UINT64_C(0xaf23f18615995924)},
    {1024, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xe955d0afe88a0f51), UINT64_C(0x864260e1cbe4d4b4)},
    {1025, UINT64_C(0x0), UINT64_C(0x806c2072ed713576), UINT64_C(0x6385e21250a735ca)},
    {1025, UINT64_C(0x1), UINT64_C(0x525ef649ab7d7d78), UINT64_C(0xb56de2ef52c0a603)},
    {1025, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xcbdb289911b2614b), UINT64_C(0xc19a065dc06169ed)},
    {2047, UINT64_C(0x0), UINT64_C(0xe36fcecaa2c0ecba), UINT64_C(0xff75d35ef0cf2427)},
    {2047, UINT64_C(0x1), UINT64_C(0x99471ac7a9e50e2f), UINT64_C(0x593356c47bb45664)},
    {2047, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x74627fd1ebce1dba), UINT64_C(0x7b6a5123f7d91a10)},
    {3000, UINT64_C(0x0), UINT64_C(0xc89178bb873c6b3d), UINT64_C(0x5f58b024b3628a2c)},
    {3000, UINT64_C(0x1), UINT64_C(0x6b1effd14780aa01), UINT64_C(0x54c30f1fadd73e00)},
    {3000, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x16eddde10bf77c73), UINT64_C(0x0d13baa3b7d747d0)},
    /* clang-format on */
};

static void xxh3_and_xxh64_match_their_vectors(void **state)
{
    uint8_t bytes[3000];

    (void)state;
    fill(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof xxh_vectors / sizeof *xxh_vectors; i++) {
        ninho_hasher hasher = {.id = NINHO_HASH_XXH3, .seed = xxh_vectors[i].seed};
        test_where("%zu bytes, seed %llx", xxh_vectors[i].size,
                   (unsigned long long)hasher.seed);
        CHECK_U64(ninho_hash_bytes(&hasher, bytes, xxh_vectors[i].size),
                  xxh_vectors[i].xxh3);
        hasher.id = NINHO_HASH_XXH64;
        CHECK_U64(ninho_hash_bytes(&hasher, bytes, xxh_vectors[i].size),
                  xxh_vectors[i].xxh64);
    }
}

/* The vectors published with SipHash: the secret is 00 01 .. 0f and message n is 00 01 .. n-1.
 * The one of 15 bytes is worked through in the paper's appendix. */
static const uint64_t sip_vectors[] = {
    UINT64_C(0x726fdb47dd0e0e31), UINT64_C(0x74f839c593dc67fd),
    UINT64_C(0x0d6c8009d9a94f5a), UINT64_C(0x85676696d7fb7e2d),
    UINT64_C(0xcf2794e0277187b7), UINT64_C(0x18765564cd99a68d),
    UINT64_C(0xcbc9466e58fee3ce), UINT64_C(0xab0200f58b01d137),
    UINT64_C(0x93f5f5799a932462), UINT64_C(0x9e0082df0ba9e4b0),
    UINT64_C(0x7a5dbbc594ddb9f3), UINT64_C(0xf4b32f46226bada7),
    UINT64_C(0x751e8fbc860ee5fb), UINT64_C(0x14ea5627c0843d90),
    UINT64_C(0xf723ca908e7af2ee), UINT64_C(0xa129ca6149be45e5),
    UINT64_C(0x3f2acc7f57c29bdb),
};

static void siphash_matches_its_vectors(void **state)
{
    ninho_hasher hasher = {.id = NINHO_HASH_SIPHASH};
    uint8_t message[64];

    (void)state;
    for (uint8_t i = 0; i < 16; i++)
        hasher.secret[i] = i;
    for (uint8_t i = 0; i < 64; i++)
        message[i] = i;
    for (size_t n = 0; n < sizeof sip_vectors / sizeof *sip_vectors; n++) {
        test_where("%zu bytes", n);
        CHECK_U64(nh_siphash(hasher.secret, message, n), sip_vectors[n]);
        CHECK_U64(ninho_hash_bytes(&hasher, message, n), sip_vectors[n]);
    }
    CHECK_U64(nh_siphash(hasher.secret, message, 31), UINT64_C(0x32d892fad841c342));
    CHECK_U64(nh_siphash(hasher.secret, message, 32), UINT64_C(0x7127512f72f27cce));
    CHECK_U64(nh_siphash(hasher.secret, message, 63), UINT64_C(0x958a324ceb064572));
}

static void the_empty_key_is_a_key(void **state)
{
    ninho_hasher hasher = {.seed = 0};

    (void)state;
    for (int id = NINHO_HASH_XXH3; id <= NINHO_HASH_XXH64; id++) {
        hasher.id = (ninho_hash_id)id;
        CHECK_U64(ninho_hash_bytes(&hasher, NULL, 0), ninho_hash_bytes(&hasher, "x", 0));
        CHECK(ninho_hash_bytes(&hasher, "", 1) != ninho_hash_bytes(&hasher, NULL, 0));
    }
}

static void an_unknown_hash_is_xxh3(void **state)
{
    const ninho_hasher known = {.id = NINHO_HASH_XXH3, .seed = 5};
    ninho_hasher unknown = {.seed = 5};

    (void)state;
    CHECK_U64(ninho_hash_bytes(&unknown, "key", 3), ninho_hash_bytes(&known, "key", 3));
    unknown.id = (ninho_hash_id)99;
    CHECK_U64(ninho_hash_bytes(&unknown, "key", 3), ninho_hash_bytes(&known, "key", 3));
}

static void integers_hash_as_eight_little_endian_bytes(void **state)
{
    static const uint8_t minus_two[8] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t big[8] = {8, 7, 6, 5, 4, 3, 2, 1};

    (void)state;
    for (int id = NINHO_HASH_XXH3; id <= NINHO_HASH_XXH64; id++) {
        const ninho_hasher hasher = {.id = (ninho_hash_id)id, .seed = 11};
        CHECK_U64(ninho_hash_int64(&hasher, -2), ninho_hash_bytes(&hasher, minus_two, 8));
        CHECK_U64(ninho_hash_int64(&hasher, 0x0102030405060708),
                  ninho_hash_bytes(&hasher, big, 8));
    }
}

static void an_array_hashes_as_its_keys_do(void **state)
{
    uint8_t keys[2100];
    uint64_t hashes[65];

    (void)state;
    fill(keys, sizeof keys);
    for (int id = NINHO_HASH_XXH3; id <= NINHO_HASH_XXH64; id++) {
        for (size_t size = 0; size <= 32; size++) {
            const ninho_hasher hasher = {
                .id = (ninho_hash_id)id, .seed = size * 3, {1, 2, 3}};
            memset(hashes, 0xee, sizeof hashes);
            ninho_hash_array(&hasher, keys, size, 64, hashes);
            for (size_t i = 0; i < 64; i++)
                CHECK_U64(hashes[i], ninho_hash_bytes(&hasher, keys + i * size, size));
            CHECK_U64(hashes[64], UINT64_C(0xeeeeeeeeeeeeeeee));
        }
    }
}

/* What hashes several at a time at this level; NULL where the machine has it not. */
static nh_hash_words *words_at(size_t level)
{
#if NH_CPU_IS_X86
    if (level == 0 && nh_cpu_has(NH_CPU_AVX2))
        return nh_hash_words_avx2;
    if (level == 1 && nh_cpu_has(NH_CPU_AVX512))
        return nh_hash_words_avx512;
#endif
    (void)level;
    return NULL;
}

/* By xxHash itself, one by one, and several at a time at each level. */
static void keys_of_eight_bytes_are_hashed_alike_everywhere(void **state)
{
    enum { N = 67 };
    uint8_t keys[8 * N + 3];

    (void)state;
    for (size_t i = 0; i < sizeof keys; i++)
        keys[i] = (uint8_t)(mix64(i / 8) >> i % 8 * 8);
    for (uint64_t turn = 0; turn < 20; turn++) {
        const ninho_hasher hasher = {.id = NINHO_HASH_XXH3,
                                     .seed = turn < 2 ? 0 - turn : mix64(turn)};
        const uint64_t flip = ninho_xxh3_flip_(hasher.seed);
        const uint8_t *const first = keys + turn % 4; /* of any alignment */
        for (size_t i = 0; i < N; i++)
            CHECK_U64(ninho_hash_bytes(&hasher, first + 8 * i, 8),
                      XXH3_64bits_withSeed(first + 8 * i, 8, hasher.seed));
        for (size_t level = 0; level < 2; level++) {
            nh_hash_words *const many = words_at(level);
            for (size_t n = 0; many && n <= N; n++) {
                uint64_t hashes[N + 1] = {0};
                CHECK(many(first, n, flip, hashes) == n - n % 8);
                for (size_t i = 0; i < n - n % 8; i++)
                    CHECK_U64(hashes[i],
                              XXH3_64bits_withSeed(first + 8 * i, 8, hasher.seed));
                CHECK_U64(hashes[n - n % 8], 0);
            }
        }
    }
}

static void a_secret_check_tells_secrets_apart(void **state)
{
    uint8_t secret[NINHO_SECRET_BYTES] = {0};
    const uint64_t check = ninho_secret_check(secret);

    (void)state;
    CHECK(check != 0);
    CHECK_U64(ninho_secret_check(secret), check);
    for (size_t bit = 0; bit < 128; bit++) {
        secret[bit / 8] = (uint8_t)(1U << bit % 8);
        CHECK(ninho_secret_check(secret) != check);
        secret[bit / 8] = 0;
    }
}

static void names_and_numbers_agree(void **state)
{
    (void)state;
    assert_string_equal(ninho_hash_name(NINHO_HASH_XXH3), "xxh3");
    assert_string_equal(ninho_hash_name(NINHO_HASH_SIPHASH), "siphash");
    assert_string_equal(ninho_hash_name(NINHO_HASH_XXH64), "xxh64");
    assert_string_equal(ninho_key_encoding_name(NINHO_KEY_BYTES), "bytes");
    assert_string_equal(ninho_key_encoding_name(NINHO_KEY_INT64), "int64");
    assert_string_equal(ninho_key_encoding_name(NINHO_KEY_UUID), "uuid");
    assert_string_equal(ninho_key_encoding_name(NINHO_KEY_KMER), "kmer");
    assert_string_equal(ninho_key_encoding_name(NINHO_KEY_HASHES), "hashes");
    for (int id = 1; id <= 3; id++)
        CHECK((int)ninho_hash_from_name(ninho_hash_name((ninho_hash_id)id)) == id);
    for (int id = 1; id <= 5; id++)
        CHECK((int)ninho_key_encoding_from_name(
                  ninho_key_encoding_name((ninho_key_encoding)id)) == id);
    CHECK(!ninho_hash_name((ninho_hash_id)0) && !ninho_hash_name((ninho_hash_id)4));
    CHECK(!ninho_hash_name((ninho_hash_id)-1) &&
          !ninho_key_encoding_name((ninho_key_encoding)6));
    CHECK(!ninho_hash_from_name("XXH3") && !ninho_hash_from_name("") &&
          !ninho_hash_from_name(NULL));
    CHECK(!ninho_key_encoding_from_name("byte") && !ninho_key_encoding_from_name(NULL));
}

static void a_checksum_in_pieces_is_the_checksum(void **state)
{
    uint8_t bytes[3000];
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};

    (void)state;
    fill(bytes, sizeof bytes);
    for (size_t piece = 1; piece < sizeof bytes; piece = piece * 2 + 1) {
        struct nh_checksum sum;
        nh_checksum_start(&sum);
        for (size_t at = 0; at < sizeof bytes; at += piece)
            nh_checksum_add(&sum, bytes + at,
                            sizeof bytes - at < piece ? sizeof bytes - at : piece);
        CHECK_U64(nh_checksum_end(&sum), nh_checksum_of(bytes, sizeof bytes));
    }
    CHECK_U64(nh_checksum_of(bytes, sizeof bytes),
              ninho_hash_bytes(&hasher, bytes, sizeof bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xxh3_and_xxh64_match_their_vectors),
        cmocka_unit_test(siphash_matches_its_vectors),
        cmocka_unit_test(the_empty_key_is_a_key),
        cmocka_unit_test(an_unknown_hash_is_xxh3),
        cmocka_unit_test(integers_hash_as_eight_little_endian_bytes),
        cmocka_unit_test(an_array_hashes_as_its_keys_do),
        cmocka_unit_test(keys_of_eight_bytes_are_hashed_alike_everywhere),
        cmocka_unit_test(a_secret_check_tells_secrets_apart),
        cmocka_unit_test(names_and_numbers_agree),
        cmocka_unit_test(a_checksum_in_pieces_is_the_checksum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
