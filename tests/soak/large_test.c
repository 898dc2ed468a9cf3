/* SPDX-License-Identifier: MIT */
/* Filters of more than 2^33 bits: where 32-bit arithmetic anywhere would wrap, they would answer
 * from the first half of the table, err four times as often, or lose keys. Each needs 1 GiB of
 * memory and as much of TMPDIR's disk. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "filter/probe.h"
#include "filter/simd/block.h"

enum { BATCH = 1 << 16 };

static const uint64_t n_bits = (UINT64_C(1) << 33) + 256 * 4099; /* not a power of two */

static uint64_t *hashes, *maybe;

static void fill(uint64_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hashes[i] = mix64(first + i);
}

static void add_all(ninho_filter *filter, uint64_t n)
{
    for (uint64_t at = 0; at < n; at += BATCH) {
        const size_t batch = n - at < BATCH ? (size_t)(n - at) : BATCH;
        fill(at, batch);
        CHECK_OK(ninho_filter_add_many(filter, hashes, batch, NULL));
    }
}

static uint64_t count_maybe(const ninho_filter *filter, uint64_t first, uint64_t n)
{
    uint64_t n_maybe = 0;

    for (uint64_t at = 0; at < n; at += BATCH) {
        const size_t batch = n - at < BATCH ? (size_t)(n - at) : BATCH;
        fill(first + at, batch);
        n_maybe += ninho_filter_has_many(filter, hashes, batch, maybe);
    }
    return n_maybe;
}

static bool bit_in(FILE *file, uint64_t body, uint64_t bit)
{
    CHECK(fseeko(file, (off_t)(body + bit / 8), SEEK_SET) == 0);
    const int byte = getc(file);
    CHECK(byte != EOF);
    return byte >> (bit % 8) & 1;
}

/* The places of some keys, computed here, are set in the file; many of them lie beyond 2^32. */
static void check_places(const char *path, const ninho_info *info)
{
    FILE *file = fopen(path, "rb");
    const uint64_t body = info->size_bytes - info->table_bytes;
    unsigned n_beyond = 0;

    CHECK(file);
    for (uint64_t key = 0; key < 2000; key++) {
        uint64_t hash = mix64(key * 1000);
        for (unsigned i = 0; i < info->n_hashes; i++) {
            static const uint32_t salts[8] = NINHO_BLOCK_SALTS_;
            const uint64_t bit = info->kind == NINHO_BLOOM
                                     ? nh_reduce(hash, info->n_cells)
                                     : 256 * (((hash >> 32) * info->n_cells) >> 32) +
                                           32 * i + (((uint32_t)hash * salts[i]) >> 27);
            CHECK(bit_in(file, body, bit));
            n_beyond += bit >= UINT64_C(1) << 32;
            if (info->kind == NINHO_BLOOM)
                hash = nh_probe_next(hash);
        }
    }
    CHECK(n_beyond > 2000 * info->n_hashes / 3);
    fclose(file);
}

static void check_large(ninho_kind kind, double bits_per_key)
{
    const uint64_t n_keys = (uint64_t)((double)n_bits / bits_per_key);
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL, *mapped = NULL;
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_info info = NINHO_INFO_INIT;
    struct temp_dir dir;
    char path[512];
    double estimate = 0;

    test_where("%s of %llu bits", ninho_kind_name(kind), (unsigned long long)n_bits);
    spec.kind = kind;
    spec.capacity = n_keys;
    spec.n_bits = n_bits;
    spec.key_encoding = NINHO_KEY_HASHES;
    CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
    CHECK_U64(plan.table_bytes, n_bits / 8);
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    add_all(filter, n_keys);
    CHECK_U64(ninho_filter_count(filter), n_keys);
    CHECK_U64(count_maybe(filter, 0, n_keys), n_keys);
    const uint64_t n_absent = (uint64_t)(100000 / plan.fpr_target);
    const double fpr =
        (double)count_maybe(filter, UINT64_C(1) << 50, n_absent) / (double)n_absent;
    if (fpr > 1.1 * plan.fpr_target || fpr < .9 * plan.fpr_expected)
        test_fail(__FILE__, __LINE__, "fpr %.4g, promised %.4g", fpr, plan.fpr_target);
    CHECK_OK(ninho_filter_estimate(filter, &estimate));
    CHECK(is_near(estimate, (double)n_keys, .001));
    CHECK_OK(ninho_filter_info(filter, &info));

    temp_dir_make(&dir);
    CHECK_OK(ninho_filter_save(filter, temp_path(&dir, "large", path), NULL));
    ninho_filter_free(filter);
    CHECK_U64(file_size(path), plan.size_bytes);
    CHECK_U64(info.size_bytes, plan.size_bytes);
    check_places(path, &info);
    CHECK_OK(ninho_filter_map(path, NULL, &mapped, NULL));
    CHECK_OK(ninho_filter_verify(mapped, NULL));
    CHECK_U64(count_maybe(mapped, n_keys - 1000000, 1000000), 1000000);
    CHECK(is_near((double)count_maybe(mapped, UINT64_C(1) << 50, n_absent) /
                      (double)n_absent,
                  fpr, 1e-9));
    ninho_filter_free(mapped);
    CHECK_OK(ninho_filter_open(path, NULL, &mapped, NULL));
    CHECK_U64(count_maybe(mapped, 0, 1000000), 1000000);
    ninho_filter_free(mapped);
    temp_dir_remove(&dir);
}

static void a_bloom_filter_of_more_than_2_to_the_33_bits(void **state)
{
    (void)state;
    check_large(NINHO_BLOOM, 10);
}

static void a_blocked_filter_of_more_than_2_to_the_33_bits(void **state)
{
    (void)state;
    check_large(NINHO_BLOCKED, 10.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bloom_filter_of_more_than_2_to_the_33_bits),
        cmocka_unit_test(a_blocked_filter_of_more_than_2_to_the_33_bits),
    };

    if (sizeof(size_t) < 8) {
        print_message("not enough address space here\n");
        return 0;
    }
    hashes = malloc(BATCH * sizeof *hashes);
    maybe = malloc(BATCH / 8);
    if (!hashes || !maybe)
        return 1;
    const int result = cmocka_run_group_tests(tests, NULL, NULL);
    free(hashes);
    free(maybe);
    return result;
}
