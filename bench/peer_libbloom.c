/* SPDX-License-Identifier: MIT */
/* The peer libbloom (Debian: libbloom-dev): a classic Bloom filter in C, one call per key, with
 * MurmurHash2 inside the call. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"

static double bits_per_key(double fpr)
{
    return -log(fpr) / (log(2) * log(2));
}

uint64_t libbloom_bits(size_t n, double fpr)
{
    return (uint64_t)((double)n * bits_per_key(fpr));
}

uint32_t libbloom_hashes(double fpr)
{
    return (uint32_t)ceil(log(2) * bits_per_key(fpr));
}

#ifdef HAVE_LIBBLOOM
#include <bloom.h>

const bool libbloom_is_there = true;

static void create(struct variant *variant, const struct workload *workload)
{
    struct bloom *bloom = allocate(1, sizeof *bloom);

    /* It counts keys and bits in int. */
    if (libbloom_bits(workload->members.n, workload->fpr) > INT_MAX)
        die(LIBBLOOM ": %zu keys at %g need more than 2^31 bits", workload->members.n,
            workload->fpr);
    if (bloom_init(bloom, (int)workload->members.n, workload->fpr))
        die(LIBBLOOM ": bloom_init refused %zu keys at %g (it wants at least 1000)",
            workload->members.n, workload->fpr);
    variant->state = bloom;
}

static void clear(struct variant *variant)
{
    if (bloom_reset(variant->state))
        die(LIBBLOOM ": bloom_reset failed");
}

static void add_one(struct variant *variant, const struct key_array *keys)
{
    struct bloom *bloom = variant->state;
    size_t n_known = 0;

    for (size_t i = 0; i < keys->n; i++)
        n_known += bloom_add(bloom, keys->bytes + i * KEY_BYTES, KEY_BYTES) == 1;
    if (n_known == keys->n)
        die(LIBBLOOM ": added nothing");
}

static size_t has_one(struct variant *variant, const struct key_array *keys)
{
    struct bloom *bloom = variant->state;
    size_t n_maybe = 0;

    for (size_t i = 0; i < keys->n; i++)
        n_maybe += bloom_check(bloom, keys->bytes + i * KEY_BYTES, KEY_BYTES) == 1;
    return n_maybe;
}

static void describe(struct variant *variant)
{
    const struct bloom *bloom = variant->state;
    const double fill = 1 - exp(-(double)bloom->hashes * bloom->entries / bloom->bits);

    variant->bits_per_key = 8 * (double)bloom->bytes / bloom->entries;
    variant->fpr_promised = bloom->error;
    variant->fpr_expected = pow(fill, bloom->hashes);
    variant->pages = "small"; /* its table comes from calloc */
}

static void destroy(struct variant *variant)
{
    bloom_free(variant->state);
    free(variant->state);
}

const struct variant_ops libbloom_ops = {
    .create = create,
    .clear = clear,
    .add_one = add_one,
    .has_one = has_one,
    .describe = describe,
    .destroy = destroy,
};

#else

const bool libbloom_is_there = false;
const struct variant_ops libbloom_ops = {0};

#endif
