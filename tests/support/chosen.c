/* SPDX-License-Identifier: MIT */
#include "support/chosen.h"

#include <string.h>

#include "base/le.h"
#include "filter/fuse.h"
#include "support/test.h"

/* x with x * odd = 1 modulo 2^64: each step doubles the bits that are right. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;

    for (unsigned i = 0; i < 5; i++)
        x *= 2 - odd * x;
    return x;
}

static uint64_t rotated(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

/* The steps of XXH3 for 8 bytes, backwards. Its first one, f(x) = x ^ rotl(x, 49) ^ rotl(x, 24),
 * is a polynomial over two elements modulo z^64 + 1, so that f applied 64 times is the
 * identity. */
int64_t chosen_int64(uint64_t hash)
{
    static const uint8_t secret[16] = {0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
                                       0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb};
    const uint64_t factor = inverse(UINT64_C(0x9fb21c651e98df25));
    uint64_t x = hash ^ hash >> 28 ^ hash >> 56;

    x *= factor;
    x ^= (x >> 35) + 8;
    x *= factor;
    for (unsigned i = 0; i < 63; i++)
        x ^= rotated(x, 49) ^ rotated(x, 24);
    x ^= nh_load_le64(secret) ^ nh_load_le64(secret + 8);
    return (int64_t)rotated(x, 32); /* XXH3 reads the halves in the other order */
}

/* XXH3 multiplies the first word, xored with this constant, by the second: 0, whatever that
 * is. */
void chosen_colliding(uint64_t i, uint8_t key[32])
{
    static const uint8_t secret[8] = {0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe};

    memset(key, 0, 32);
    memcpy(key, secret, sizeof secret);
    nh_store_le64(key + 8, i);
}

static uint64_t unmixed(uint64_t x, uint64_t turn)
{
    return (x ^ x >> 32) * inverse(NINHO_FUSE_FIRST_FACTOR_) ^ turn;
}

static bool are_alike(const struct nh_fuse_shape *shape, uint64_t x, uint64_t y)
{
    uint64_t a[NH_FUSE_MAX_ARITY] = {0}, b[NH_FUSE_MAX_ARITY] = {0};

    nh_fuse_slots(x, shape, shape->arity, a);
    nh_fuse_slots(y, shape, shape->arity, b);
    return memcmp(a, b, sizeof a) == 0 &&
           nh_fuse_fingerprint(x, shape->bits) != nh_fuse_fingerprint(y, shape->bits);
}

/* The bits between those that name the slots inside segments are free to be changed. */
void chosen_for_fuse(uint64_t capacity, uint32_t arity, uint64_t hashes[CHOSEN_FUSE])
{
    ninho_spec spec = NINHO_SPEC_INIT;
    struct nh_part part = {.capacity = capacity};
    uint64_t n_tried = 0;

    spec.capacity = capacity;
    spec.fpr = 0x1p-8;
    spec.arity = arity;
    CHECK_OK(nh_family_fuse.plan(&spec, &part, NULL));
    const struct nh_fuse_shape shape = nh_fuse_shape_of(&part);
    CHECK(shape.log_segment + 4 <= NINHO_FUSE_THIRD_);
    for (unsigned seed = 0; seed < CHOSEN_FUSE / 2; seed++) {
        uint64_t x, y;
        do {
            x = mix64(n_tried++);
            y = x ^ rng_below(&(struct test_rng){n_tried},
                              UINT64_C(1) << (NINHO_FUSE_THIRD_ - shape.log_segment))
                        << shape.log_segment;
        } while (!are_alike(&shape, x, y));
        hashes[2 * seed] = unmixed(x, nh_fuse_turn(seed));
        hashes[2 * seed + 1] = unmixed(y, nh_fuse_turn(seed));
    }
}
