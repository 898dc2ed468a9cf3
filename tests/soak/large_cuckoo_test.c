/* SPDX-License-Identifier: MIT */
/* Cuckoo filters up to the largest size that the promise of space is for, and one of more than 2^33
 * bits. The latter needs 1.2 GiB of memory and as much of TMPDIR's disk. */
#include "support/test.h"

#include <stdlib.h>

enum { BATCH = 1 << 16 };

static uint64_t *hashes, *maybe;

static void fill(uint64_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hashes[i] = mix64(first + i);
}

static void add_all(ninho_filter *filter, uint64_t first, uint64_t n)
{
    for (uint64_t at = 0; at < n; at += BATCH) {
        const size_t batch = n - at < BATCH ? (size_t)(n - at) : BATCH;
        fill(first + at, batch);
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

#define ABSENT (UINT64_C(1) << 50)

/* Any capacity to 100 million: 16.25 bits per key at an fpr of 2^-13, room for every key, and the
 * promise kept. */
static void planned_filters_take_all_their_keys(void **state)
{
    static const uint64_t capacities[] = {1000003,  2097152,  5000000,  9999991,
                                          16777216, 33333333, 67108865, 100000000};

    (void)state;
    for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++) {
        for (uint64_t seed = 0; seed < (capacities[c] < 10000000 ? 10 : 2); seed++) {
            const uint64_t n = capacities[c], first = seed << 32;
            ninho_spec spec = NINHO_SPEC_INIT;
            ninho_info info = NINHO_INFO_INIT;
            ninho_stats stats = NINHO_STATS_INIT;
            ninho_filter *filter = NULL;
            test_where("capacity %llu, seed %llu", (unsigned long long)n,
                       (unsigned long long)seed);
            spec.kind = NINHO_CUCKOO;
            spec.capacity = n;
            spec.fpr = 0x1p-13;
            spec.key_encoding = NINHO_KEY_HASHES;
            CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
            add_all(filter, first, n);
            CHECK_U64(count_maybe(filter, first, n), n);
            CHECK_OK(ninho_filter_info(filter, &info));
            CHECK_OK(ninho_filter_stats(filter, &stats));
            CHECK_U64(info.count, n);
            CHECK_U64(stats.n_failed, 0);
            CHECK(info.bits_per_key <= 16.25);
            CHECK(info.fpr_expected <= 0x1p-13);
            if (seed == 0) {
                const uint64_t n_absent = 10000 << 13;
                const uint64_t n_false = count_maybe(filter, ABSENT, n_absent);
                CHECK((double)n_false <= 1.1 * 10000);
            }
            ninho_filter_free(filter);
        }
    }
}

static void a_cuckoo_filter_of_more_than_2_to_the_33_bits(void **state)
{
    const uint64_t n_slots = (UINT64_C(1) << 28) + 12345; /* of 32 bits */
    const uint64_t n_keys = n_slots / 100 * 97;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL, *mapped = NULL;
    struct temp_dir dir;
    char path[512];

    (void)state;
    test_where("%llu slots", (unsigned long long)n_slots);
    spec.kind = NINHO_CUCKOO;
    spec.capacity = n_keys;
    spec.n_slots = n_slots;
    spec.tag_bits = 32;
    spec.key_encoding = NINHO_KEY_HASHES;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    add_all(filter, 0, n_keys);
    CHECK_U64(ninho_filter_count(filter), n_keys);
    CHECK_U64(count_maybe(filter, 0, n_keys), n_keys);
    CHECK(count_maybe(filter, ABSENT, 10000000) < 10); /* 2e-9 each */
    for (uint64_t i = 0; i < n_keys; i += 3)
        CHECK_OK(ninho_filter_remove(filter, mix64(i)));
    for (uint64_t i = 0; i < n_keys; i += 7)
        CHECK(i % 3 == 0 || ninho_filter_has(filter, mix64(i)));
    temp_dir_make(&dir);
    CHECK_OK(ninho_filter_save(filter, temp_path(&dir, "large", path), NULL));
    CHECK_OK(ninho_filter_map(path, NULL, &mapped, NULL));
    CHECK_OK(ninho_filter_verify(mapped, NULL));
    for (uint64_t i = 1; i < n_keys; i += 3001)
        CHECK(ninho_filter_has(mapped, mix64(i)) == ninho_filter_has(filter, mix64(i)));
    ninho_filter_free(mapped);
    ninho_filter_free(filter);
    temp_dir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planned_filters_take_all_their_keys),
        cmocka_unit_test(a_cuckoo_filter_of_more_than_2_to_the_33_bits),
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
