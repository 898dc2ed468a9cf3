/* SPDX-License-Identifier: MIT */
/* Handles of <ninho/inline.h> answer what the library answers: every kind that has one, every shape
 * of cuckoo table, every hash and key encoding, views, and bytes that end where the memory ends.
 * inline_plain_test.c and inline_avx2_test.c are the same with other kernels. */
#include "conform/families.h"
#include "unit/cuckoos.h"

#include <stdlib.h>
#include <string.h>

#include <ninho/inline.h>

#include "cpu/cpu.h"

/* A handle of any kind. */
struct handle {
    ninho_kind kind;
    ninho_blocked_handle blocked;
    ninho_bloom_handle bloom;
    ninho_cuckoo_handle cuckoo;
    ninho_fuse_handle fuse;
    ninho_ribbon_handle ribbon;
};

/* false where the kind has none. */
static bool make_handle(const ninho_filter *filter, struct handle *handle)
{
    handle->kind = ninho_filter_kind(filter);
    switch (handle->kind) {
    case NINHO_BLOCKED:
        CHECK_OK(ninho_blocked_handle_of(filter, &handle->blocked, NULL));
        return true;
    case NINHO_BLOOM:
        CHECK_OK(ninho_bloom_handle_of(filter, &handle->bloom, NULL));
        return true;
    case NINHO_CUCKOO:
        CHECK_OK(ninho_cuckoo_handle_of(filter, &handle->cuckoo, NULL));
        return true;
    case NINHO_FUSE:
        CHECK_OK(ninho_fuse_handle_of(filter, &handle->fuse, NULL));
        return true;
    case NINHO_RIBBON:
        CHECK_OK(ninho_ribbon_handle_of(filter, &handle->ribbon, NULL));
        return true;
    default:
        return false;
    }
}

#define BY_KIND(handle, call, ...)                                                       \
    ((handle)->kind == NINHO_BLOCKED                                                     \
         ? ninho_blocked_##call(&(handle)->blocked, __VA_ARGS__)                         \
     : (handle)->kind == NINHO_BLOOM ? ninho_bloom_##call(&(handle)->bloom, __VA_ARGS__) \
     : (handle)->kind == NINHO_CUCKOO                                                    \
         ? ninho_cuckoo_##call(&(handle)->cuckoo, __VA_ARGS__)                           \
     : (handle)->kind == NINHO_FUSE                                                      \
         ? ninho_fuse_##call(&(handle)->fuse, __VA_ARGS__)                               \
         : ninho_ribbon_##call(&(handle)->ribbon, __VA_ARGS__))

/* The same answers to hashes of members and of others, and to keys. */
static void check_answers(const ninho_filter *filter, const ninho_spec *spec, size_t n)
{
    static const uint8_t bytes[24] = "a key of some length, 24";
    struct handle handle;
    uint64_t hashes[200];

    CHECK(make_handle(filter, &handle));
    for (size_t at = 0; at < n; at += 200) {
        spec_hashes(spec, at, 200, hashes);
        for (size_t i = 0; i < 200; i++)
            CHECK(BY_KIND(&handle, has, hashes[i]) ==
                  ninho_filter_has(filter, hashes[i]));
    }
    for (uint64_t i = 0; i < 300; i++) {
        const uint64_t word = i % 2 ? i / 2 : mix64(i);
        uint8_t key[8];
        for (unsigned byte = 0; byte < 8; byte++)
            key[byte] = (uint8_t)(word >> 8 * byte);
        CHECK(BY_KIND(&handle, has, word) == ninho_filter_has(filter, word));
        CHECK(BY_KIND(&handle, has_int64, (int64_t)word) ==
              ninho_filter_has_key(filter, key, 8));
        CHECK(BY_KIND(&handle, has_key, key, 8) == ninho_filter_has_key(filter, key, 8));
    }
    for (size_t size = 0; size <= sizeof bytes; size++)
        CHECK(BY_KIND(&handle, has_key, bytes, size) ==
              ninho_filter_has_key(filter, bytes, size));
    CHECK(BY_KIND(&handle, has_key, NULL, 0) == ninho_filter_has_key(filter, NULL, 0));
    CHECK(BY_KIND(&handle, has_key, NULL, 8));
    CHECK(BY_KIND(&handle, has_key, NULL, 3));
}

/* A filter, and a view of its bytes in a block of exactly their size. */
static void check_filter(const ninho_filter *filter, const ninho_spec *spec,
                         const ninho_open_options *open, size_t n)
{
    struct handle handle;
    ninho_view storage;
    const ninho_filter *view = NULL;
    size_t size;

    if (!make_handle(filter, &handle))
        return;
    check_answers(filter, spec, n);
    uint8_t *bytes = encoded(filter, &size);
    CHECK_OK(ninho_filter_view(&storage, bytes, size, open, &view, NULL));
    check_answers(view, spec, n);
    free(bytes);
}

static void handles_answer_as_their_filters_do(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        for (uint64_t seed = 0; seed < 300; seed += 123) {
            const size_t n = seed ? 500 : 20;
            const ninho_spec spec = family_spec(family, n, .01, seed);
            const ninho_open_options open = family_open(family, seed);
            ninho_filter *filter = family_filter(family, n, .01, seed);
            test_where("%s, seed %llu", family->name, (unsigned long long)seed);
            add_range(filter, &spec, 0, n);
            check_filter(filter, &spec, &open, 2 * n);
            ninho_filter_free(filter);
        }
    }
    FOR_EACH_STATIC_FAMILY(family)
    {
        for (unsigned bits = 8; bits <= 16; bits += 8) {
            struct family wider = *family;
            wider.spec.tag_bits = bits;
            const ninho_spec spec = family_spec(&wider, 300, .01, bits);
            const ninho_open_options open = family_open(&wider, bits);
            ninho_filter *filter = family_built(&wider, 300, .01, bits, 0, 300);
            test_where("%s, %u bits", family->name, bits);
            check_filter(filter, &spec, &open, 600);
            ninho_filter_free(filter);
        }
    }
}

/* Small tables, so that many places are the last. */
static void every_shape_of_cuckoo_table_is_answered(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        for (unsigned width = 8; width <= 32; width++) {
            ninho_spec spec = cuckoo_spec(cuckoo, 16, 0);
            const ninho_open_options open = NINHO_OPEN_INIT;
            const bool is_xor_windows =
                spec.slots == NINHO_WINDOWS && spec.pairing == NINHO_PAIRING_XOR;
            spec.n_slots = 32 + (is_xor_windows ? spec.place_slots - 1 : 0);
            spec.tag_bits = width;
            ninho_filter *filter = filter_of(&spec, NULL);
            test_where("%s, %u bits", cuckoo->name, width);
            CHECK_OK(ninho_filter_add(filter, UINT64_MAX)); /* the last place */
            const uint64_t n = fill_until_full(filter, 0);
            struct handle handle;
            CHECK(make_handle(filter, &handle));
            for (uint64_t i = 0; i < n; i++)
                CHECK(ninho_cuckoo_has(&handle.cuckoo, mix64(i)));
            CHECK(ninho_cuckoo_has(&handle.cuckoo, UINT64_MAX));
            check_filter(filter, &spec, &open, 1000);
            ninho_filter_free(filter);
        }
    }
}

/* Or else the test above would compare calls with calls. */
static void what_is_planned_needs_no_call(void **state)
{
    static const double rates[] = {.1, .03, .01, .004, .002, .001, .0005, .0001, .00003};

    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        const ninho_spec spec = cuckoo_spec(DEFAULT_CUCKOO, 10000, rates[i]);
        const ninho_spec original = cuckoo_spec(ORIGINAL_CUCKOO, 10000, rates[i]);
        ninho_filter *filter = filter_of(&spec, NULL);
        ninho_cuckoo_handle handle;
        test_where("%g", rates[i]);
        CHECK_OK(ninho_cuckoo_handle_of(filter, &handle, NULL));
        CHECK(handle.pairing == NINHO_PAIRING_OFFSET);
        ninho_filter_free(filter);
        if (rates[i] < .0005) /* tags of more than 14 bits, but for 16 */
            continue;
        filter = filter_of(&original, NULL);
        CHECK_OK(ninho_cuckoo_handle_of(filter, &handle, NULL));
        CHECK(handle.pairing == NINHO_PAIRING_XOR);
        ninho_filter_free(filter);
    }
}

/* Filled by an adder, a filter is the same to the byte, its count included. */
static void adders_add_as_their_filters_do(void **state)
{
    (void)state;
    for (unsigned kind = NINHO_BLOOM; kind <= NINHO_BLOCKED; kind++) {
        ninho_spec spec = NINHO_SPEC_INIT;
        spec.kind = (ninho_kind)kind;
        spec.capacity = 1000;
        spec.fpr = .01;
        spec.seed = 77;
        ninho_filter *by_calls = filter_of(&spec, NULL),
                     *by_adder = filter_of(&spec, NULL);
        ninho_blocked_adder blocked;
        ninho_bloom_adder bloom;
        const bool is_blocked = kind == NINHO_BLOCKED;
        if (is_blocked)
            CHECK_OK(ninho_blocked_adder_of(by_adder, &blocked, NULL));
        else
            CHECK_OK(ninho_bloom_adder_of(by_adder, &bloom, NULL));
        for (uint64_t i = 0; i < 300; i++) {
            const uint8_t key[3] = {(uint8_t)i, (uint8_t)(i >> 8), 7};
            const uint8_t number[8] = {(uint8_t)i, (uint8_t)(i >> 8)};
            CHECK_OK(ninho_filter_add(by_calls, mix64(i)));
            CHECK_OK(ninho_filter_add_key(by_calls, key, sizeof key));
            CHECK_OK(ninho_filter_add_key(by_calls, number, sizeof number));
            if (is_blocked) {
                ninho_blocked_add(&blocked, mix64(i));
                CHECK_OK(ninho_blocked_add_key(&blocked, key, sizeof key));
                CHECK_OK(ninho_blocked_add_int64(&blocked, (int64_t)i));
            } else {
                ninho_bloom_add(&bloom, mix64(i));
                CHECK_OK(ninho_bloom_add_key(&bloom, key, sizeof key));
                CHECK_OK(ninho_bloom_add_int64(&bloom, (int64_t)i));
            }
        }
        CHECK_U64(ninho_filter_count(by_adder), 900);
        check_same_bytes(by_calls, by_adder);
        CHECK((is_blocked ? ninho_blocked_add_key(&blocked, NULL, 8)
                          : ninho_bloom_add_key(&bloom, NULL, 8)) == NINHO_ERR_ARG);
        ninho_filter_free(by_calls);
        ninho_filter_free(by_adder);
    }
}

static void ignore(void *context, const ninho_event *event)
{
    (void)context;
    (void)event;
}

static void what_has_no_handle_is_refused(void **state)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_bloom_handle handle, before;
    ninho_blocked_handle blocked;
    ninho_bloom_adder adder;
    ninho_view storage;
    const ninho_filter *view;
    size_t size;

    (void)state;
    memset(&handle, 0x5a, sizeof handle);
    before = handle;
    spec.kind = NINHO_BLOOM;
    spec.capacity = 10;
    spec.fpr = .01;
    ninho_filter *filter = filter_of(&spec, NULL);
    CHECK(ninho_bloom_handle_of(NULL, &handle, NULL) == NINHO_ERR_ARG);
    CHECK(ninho_bloom_handle_of(filter, NULL, NULL) == NINHO_ERR_ARG);
    CHECK(ninho_blocked_handle_of(filter, &blocked, NULL) == NINHO_ERR_ARG);
    CHECK(ninho_bloom_adder_of(NULL, &adder, NULL) == NINHO_ERR_ARG);
    /* a program that was compiled with another version's header */
    CHECK(ninho_handle_of_(filter, NINHO_BLOOM, &handle, NINHO_LAYOUT_OF_(&handle) - 8,
                           NULL) == NINHO_ERR_VERSION);
    CHECK(ninho_handle_of_(filter, NINHO_BLOOM, &handle, sizeof handle, NULL) ==
          NINHO_ERR_VERSION);
    CHECK(ninho_adder_of_(filter, NINHO_BLOOM, &adder, NINHO_LAYOUT_OF_(&adder) + 8,
                          NULL) == NINHO_ERR_VERSION);
    CHECK(handle.table == before.table && handle.n_bits == before.n_bits);
    uint8_t *bytes = encoded(filter, &size);
    CHECK_OK(ninho_filter_view(&storage, bytes, size, NULL, &view, NULL));
    CHECK(ninho_bloom_adder_of((ninho_filter *)(uintptr_t)view, &adder, NULL) ==
          NINHO_ERR_UNSUPPORTED);
    free(bytes);
    ninho_filter_free(filter);
    spec.observer = ignore;
    filter = filter_of(&spec, NULL);
    CHECK(ninho_bloom_adder_of(filter, &adder, NULL) == NINHO_ERR_UNSUPPORTED);
    CHECK_OK(ninho_bloom_handle_of(filter, &handle, NULL));
    ninho_filter_free(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_answer_as_their_filters_do),
        cmocka_unit_test(every_shape_of_cuckoo_table_is_answered),
        cmocka_unit_test(what_is_planned_needs_no_call),
        cmocka_unit_test(adders_add_as_their_filters_do),
        cmocka_unit_test(what_has_no_handle_is_refused),
    };

#if NH_CPU_IS_X86 && defined(__AVX2__)
    if (!nh_cpu_has(NH_CPU_AVX2)) {
        print_message("no AVX2 here: not tried\n");
        return 0;
    }
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
