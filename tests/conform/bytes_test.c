/* SPDX-License-Identifier: MIT */
/* One filter, seven ways to hold it: itself, a copy, decoded, viewed, bare, opened, mapped. All
 * answer alike and encode to the same bytes. */
#include "conform/families.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Adds where nothing may be added. */
static void check_read_only(const ninho_filter *filter)
{
    ninho_filter *writable =
        (ninho_filter *)(uintptr_t)filter; /* a caller who casts const away */
    ninho_info info = NINHO_INFO_INIT;
    size_t n_added = 99;
    const uint64_t hash = 12345;

    CHECK_OK(ninho_filter_info(filter, &info));
    CHECK(info.is_read_only);
    CHECK_STATUS(ninho_filter_add(writable, hash), NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_filter_add_many(writable, &hash, 1, &n_added),
                 NINHO_ERR_UNSUPPORTED);
    CHECK_U64(n_added, 0);
    CHECK_STATUS(ninho_filter_remove(writable, hash), NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_filter_clear(writable), NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_filter_set_meta(writable, "a", "b"), NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_filter_union(writable, filter, NULL), NINHO_ERR_UNSUPPORTED);
}

static ninho_filter *filled(const struct family *family, size_t n, uint64_t seed)
{
    const ninho_spec spec = family_spec(family, n, .01, seed);
    ninho_filter *filter = family_filter(family, n, .01, seed);
    const bool can_grow = family_can(family) & NINHO_CAN_GROW;

    add_range(filter, &spec, 0, can_grow ? 9 * n : n);
    CHECK_OK(ninho_filter_set_meta(filter, "made.by", "the tests"));
    CHECK_OK(ninho_filter_set_meta(filter, "k", "31"));
    return filter;
}

static const size_t some_sizes[] = {1, 2, 3, 7, 50, 1000, 3333};
#define N_SIZES (sizeof some_sizes / sizeof *some_sizes)

static void decoded_bytes_are_the_same_filter(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        for (size_t s = 0; s < N_SIZES; s++) {
            const size_t n = some_sizes[s];
            const ninho_spec spec = family_spec(family, n, .01, 3);
            const ninho_open_options open = family_open(family, 3);
            ninho_filter *filter = filled(family, n, 3);
            ninho_filter *decoded = NULL;
            ninho_info info = NINHO_INFO_INIT;
            size_t size;
            test_where("%s: %zu keys", family->name, n);
            uint8_t *bytes = encoded(filter, &size);
            CHECK_OK(ninho_filter_info(filter, &info));
            CHECK_U64(info.size_bytes, size);
            CHECK_OK(ninho_filter_decode(bytes, size, &open, &decoded, NULL));
            memset(bytes, 0xff, size); /* the bytes are not kept */
            free(bytes);
            check_same_bytes(filter, decoded);
            check_same_answers(filter, decoded, &spec, n);
            CHECK_U64(ninho_filter_count(filter), ninho_filter_count(decoded));
            /* and it lives on */
            add_range(filter, &spec, 100000, 2 * n);
            add_range(decoded, &spec, 100000, 2 * n);
            check_same_bytes(filter, decoded);
            ninho_filter_free(filter);
            ninho_filter_free(decoded);
        }
    }
}

static void a_view_answers_as_the_filter_at_any_alignment(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        if (!(family_can(family) & NINHO_CAN_VIEW))
            continue;
        const ninho_spec spec = family_spec(family, 200, .01, 3);
        const ninho_open_options open = family_open(family, 3);
        ninho_filter *filter = filled(family, 200, 3);
        size_t size;
        uint8_t *bytes = encoded(filter, &size);
        for (size_t shift = 0; shift < 64; shift++) {
            /* a block whose end is the end of the bytes, for the sanitizers */
            uint8_t *block = malloc(size + shift);
            ninho_view view;
            const ninho_filter *viewed = NULL;
            test_where("%s: offset %zu", family->name, shift);
            CHECK(block);
            memset(block, 0xee, shift);
            memcpy(block + shift, bytes, size);
            memset(&view, 0xee, sizeof view);
            CHECK_OK(ninho_filter_view(&view, block + shift, size, &open, &viewed, NULL));
            check_same_answers(filter, viewed, &spec, 300);
            CHECK_U64(ninho_filter_count(viewed), ninho_filter_count(filter));
            if (shift % 16 == 5) {
                ninho_filter *copy = NULL;
                check_same_bytes(filter, viewed);
                CHECK_OK(ninho_filter_verify(viewed, NULL));
                check_read_only(viewed);
                CHECK(memcmp(block + shift, bytes, size) == 0);
                CHECK_OK(ninho_filter_copy(viewed, NULL, &copy, NULL));
                memset(block, 0, size + shift); /* the copy needs it no longer */
                check_same_bytes(filter, copy);
                add_range(copy, &spec, 5000, 1);
                check_range(copy, &spec, 5000, 1);
                ninho_filter_free(copy);
            }
            free(block);
        }
        free(bytes);
        ninho_filter_free(filter);
    }
}

/* Views cost no memory: an allocator that has none is enough. */
static void a_view_allocates_nothing(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        ninho_filter *filter = filled(family, 100, 3);
        ninho_open_options open = family_open(family, 3);
        struct test_heap heap;
        ninho_view view;
        const ninho_filter *viewed = NULL;
        ninho_info info = NINHO_INFO_INIT;
        size_t size;
        uint8_t *bytes = encoded(filter, &size);
        uint64_t word;
        test_where("%s", family->name);
        heap_init(&heap);
        open.alloc = &heap.alloc;
        if (family_can(family) & NINHO_CAN_VIEW) {
            CHECK_OK(ninho_filter_view(&view, bytes, size, &open, &viewed, NULL));
            ninho_filter_has(viewed, 1);
            ninho_filter_has_many(viewed, &word, 0, &word);
            CHECK_OK(ninho_filter_info(viewed, &info));
            CHECK_OK(ninho_filter_verify(viewed, NULL));
            CHECK_U64(heap.n_calls, 0);
        }
        free(bytes);
        ninho_filter_free(filter);
    }
}

static void bare_bytes_are_the_table_and_at_most_two_more(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        if (!(family_can(family) & NINHO_CAN_BARE))
            continue;
        for (size_t s = 0; s < N_SIZES; s++) {
            const size_t n = some_sizes[s];
            ninho_spec spec = family_spec(family, n, .01, 3);
            ninho_filter *filter = filled(family, n, 3);
            ninho_info info = NINHO_INFO_INIT;
            size_t size = 0, framed_size;
            test_where("%s: %zu keys", family->name, n);
            CHECK_OK(ninho_filter_info(filter, &info));
            CHECK_STATUS(ninho_filter_encode_bare(filter, NULL, 0, &size),
                         NINHO_ERR_SPACE);
            CHECK(size >= info.table_bytes && size <= info.table_bytes + 2);
            uint8_t *framed = encoded(filter, &framed_size);
            uint8_t *bare = malloc(size + 1);
            CHECK(bare);
            CHECK_OK(ninho_filter_encode_bare(filter, bare + 1, size, NULL));
            /* the same body as in the file */
            CHECK(memcmp(bare + 1, framed + framed_size - info.table_bytes,
                         (size_t)info.table_bytes) == 0);
            for (size_t with_size = 0; with_size < 2; with_size++) {
                ninho_spec asked = NINHO_SPEC_INIT;
                ninho_view view;
                const ninho_filter *viewed = NULL;
                asked.kind = spec.kind;
                asked.hash = spec.hash;
                asked.key_encoding = spec.key_encoding;
                asked.seed = spec.seed;
                asked.secret = spec.secret;
                if (with_size) {
                    asked.capacity = n;
                    asked.fpr = .01;
                }
                memset(&view, 0xee, sizeof view);
                CHECK_OK(
                    ninho_filter_view_bare(&view, &asked, bare + 1, size, &viewed, NULL));
                check_same_answers(filter, viewed, &spec, n);
                check_read_only(viewed);
                ninho_info seen = NINHO_INFO_INIT;
                CHECK_OK(ninho_filter_info(viewed, &seen));
                CHECK(seen.n_cells == info.n_cells && seen.n_hashes == info.n_hashes);
                CHECK(seen.load == info.load && seen.fpr_expected == info.fpr_expected);
                if (family->spec.key_encoding != NINHO_KEY_HASHES) {
                    uint8_t key[16];
                    for (uint64_t i = 0; i < n; i++)
                        CHECK(ninho_filter_has_key(viewed, key,
                                                   family_key(family, i, key)));
                }
            }
            free(bare);
            free(framed);
            ninho_filter_free(filter);
        }
    }
}

static void a_saved_file_opens_and_maps_as_the_same_filter(void **state)
{
    struct temp_dir dir;
    char path[512];

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "filter.ninho", path);
    FOR_EACH_FAMILY(family)
    {
        for (size_t s = 0; s < N_SIZES; s += 2) {
            const size_t n = some_sizes[s];
            const ninho_spec spec = family_spec(family, n, .01, 3);
            const ninho_open_options open = family_open(family, 3);
            ninho_filter *filter = filled(family, n, 3);
            ninho_filter *opened = NULL, *mapped = NULL;
            ninho_info info = NINHO_INFO_INIT;
            size_t size, file_bytes_size;
            test_where("%s: %zu keys", family->name, n);
            CHECK_OK(ninho_filter_save(filter, path, NULL));
            CHECK_U64(temp_dir_count(&dir), 1); /* no temporary left */
            CHECK_OK(ninho_filter_info(filter, &info));
            CHECK_U64(file_size(path), info.size_bytes);
            uint8_t *bytes = encoded(filter, &size);
            uint8_t *file_bytes = file_read(path, &file_bytes_size);
            CHECK_U64(file_bytes_size, size);
            CHECK(memcmp(bytes, file_bytes, size) == 0);
            const int n_open = open_fd_count();
            CHECK_OK(ninho_filter_open(path, &open, &opened, NULL));
            CHECK_OK(ninho_filter_map(path, &open, &mapped, NULL));
            CHECK(open_fd_count() == n_open); /* a mapping needs no descriptor */
            CHECK_OK(ninho_filter_verify(opened, NULL));
            CHECK_OK(ninho_filter_verify(mapped, NULL));
            check_same_answers(filter, opened, &spec, n);
            check_same_answers(filter, mapped, &spec, n);
            check_same_bytes(filter, opened);
            check_same_bytes(filter, mapped);
            check_read_only(mapped);
            /* the file is replaced under the mapping, which keeps the old one */
            add_range(opened, &spec, 7000, 1);
            CHECK_OK(ninho_filter_save(opened, path, NULL));
            check_same_bytes(filter, mapped);
            CHECK_OK(ninho_filter_verify(mapped, NULL));
            free(bytes);
            free(file_bytes);
            ninho_filter_free(filter);
            ninho_filter_free(opened);
            ninho_filter_free(mapped);
        }
    }
    temp_dir_remove(&dir);
}

static void a_copy_is_a_filter_of_its_own(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_spec spec = family_spec(family, 300, .01, 3);
        ninho_filter *filter = filled(family, 300, 3);
        ninho_filter *copy = NULL, *again = NULL;
        struct test_heap heap;
        test_where("%s", family->name);
        heap_init(&heap);
        CHECK_OK(ninho_filter_copy(filter, &heap.alloc, &copy, NULL));
        CHECK(heap.live_blocks > 0);
        check_same_bytes(filter, copy);
        CHECK_OK(ninho_filter_copy(copy, NULL, &again, NULL));
        add_range(copy, &spec, 5000, 50);
        check_range(copy, &spec, 5000, 50);
        check_same_bytes(filter, again);
        CHECK_OK(ninho_filter_set_meta(copy, "k", "32"));
        check_same_bytes(filter, again);
        ninho_filter_free(filter);
        check_range(copy, &spec, 0, 300);
        ninho_filter_free(copy);
        CHECK_U64(heap.live_blocks, 0);
        ninho_filter_free(again);
    }
}

/* Buffers of every size near the right one; nothing is written past the end or on failure. */
static void a_buffer_too_small_is_told_the_size(void **state)
{
    typedef ninho_status (*encoder)(const ninho_filter *, void *, size_t, size_t *);
    static const encoder encoders[2] = {ninho_filter_encode, ninho_filter_encode_bare};

    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        ninho_filter *filter = filled(family, 20, 3);
        for (size_t e = 0; e < 2; e++) {
            size_t size = 0;
            test_where("%s: encoder %zu", family->name, e);
            if (e && !(family_can(family) & NINHO_CAN_BARE))
                continue;
            CHECK_STATUS(encoders[e](filter, NULL, 0, &size), NINHO_ERR_SPACE);
            CHECK(size > 0);
            if (!e)
                CHECK_U64(size, ninho_filter_encoded_size(filter));
            uint8_t *bytes = malloc(size + 2);
            CHECK(bytes);
            for (size_t capacity = 0; capacity <= size + 1; capacity++) {
                size_t needed = 99;
                memset(bytes, 0xee, size + 2);
                const ninho_status status = encoders[e](filter, bytes, capacity, &needed);
                CHECK_U64(needed, size);
                CHECK_STATUS(status, capacity < size ? NINHO_ERR_SPACE : NINHO_OK);
                for (size_t i = capacity < size ? 0 : size; i < size + 2; i++)
                    CHECK(bytes[i] == 0xee);
            }
            CHECK_OK(encoders[e](filter, bytes, size, NULL));
            free(bytes);
        }
        ninho_filter_free(filter);
    }
}

/* ---- Plan, info and spec ------------------------------------------------------------------- */

static void plan_filter_and_file_agree(void **state)
{
    static const double fprs[] = {.5, .1, .01, .001, 1e-5};

    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        for (size_t s = 0; s < N_SIZES; s++) {
            for (size_t p = 0; p < 5; p++) {
                const size_t n = some_sizes[s];
                const ninho_spec spec = family_spec(family, n, fprs[p], 3);
                ninho_filter *filter = family_filter(family, n, fprs[p], 3);
                ninho_plan plan = NINHO_PLAN_INIT;
                ninho_info info = NINHO_INFO_INIT;
                test_where("%s: n %zu, fpr %g", family->name, n, fprs[p]);
                CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
                for (int full = 0; full < 2; full++) {
                    CHECK_OK(ninho_filter_info(filter, &info));
                    CHECK(info.size_of_struct == sizeof info);
                    CHECK(plan.kind == spec.kind && info.kind == spec.kind);
                    CHECK(info.hash == (spec.hash ? spec.hash : NINHO_HASH_XXH3));
                    CHECK(info.key_encoding ==
                          (spec.key_encoding ? spec.key_encoding : NINHO_KEY_BYTES));
                    CHECK_U64(info.capacity, n);
                    CHECK_U64(plan.capacity, n);
                    CHECK_U64(info.size_bytes, ninho_filter_encoded_size(filter));
                    CHECK_U64(plan.size_bytes, info.size_bytes);
                    CHECK_U64(plan.table_bytes, info.table_bytes);
                    CHECK_U64(plan.n_cells, info.n_cells);
                    CHECK_U64(plan.n_hashes, info.n_hashes);
                    CHECK_U64(plan.tag_bits, info.tag_bits);
                    CHECK(plan.fpr_target == info.fpr_target);
                    CHECK(spec.n_bits || plan.fpr_target == fprs[p]);
                    CHECK(plan.fpr_expected > 0 && plan.fpr_expected <= 1);
                    CHECK(is_near(plan.bits_per_key,
                                  8. * (double)plan.size_bytes / (double)n, 1e-12));
                    CHECK(is_near(info.bits_per_key, plan.bits_per_key, 1e-12));
                    CHECK_U64(info.seed, spec.seed);
                    CHECK_U64(info.n_parts, 1);
                    CHECK_U64(info.format_version, NINHO_FORMAT_VERSION);
                    CHECK(info.is_keyed == (spec.hash == NINHO_HASH_SIPHASH));
                    if (!full || !family_is_set(family))
                        CHECK_U64(info.count, full ? n : 0);
                    CHECK(full ? info.load > 0 && info.load <= 1 : info.load == 0);
                    add_range(filter, &spec, 0, full ? 0 : n);
                }
                ninho_filter_free(filter);
            }
        }
    }
}

/* For every rate one may ask for, the plan keeps the promise; measuring them all would take too
 * long, but fpr_*_test.c shows that expectation and measurement agree. */
static void the_plan_promises_what_was_asked(void **state)
{
    static const uint64_t capacities[] = {10000, 123457, UINT64_C(1) << 30};

    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        if (family->bits_by_hand > 0)
            continue;
        for (size_t c = 0; c < 3; c++) {
            for (double fpr = .99; fpr > 1e-7; fpr *= .985) {
                const ninho_spec spec = family_spec(family, capacities[c], fpr, 0);
                ninho_plan plan = NINHO_PLAN_INIT;
                ninho_error error = NINHO_ERROR_INIT;
                test_where("%s: n %llu, fpr %.17g", family->name,
                           (unsigned long long)capacities[c], fpr);
                const ninho_status status = ninho_filter_plan(&spec, &plan, &error);
                if (status == NINHO_ERR_NOMEM && capacities[c] > 1000000)
                    continue;
                CHECK_OK(status);
                /* The textbooks' rule leaves k too small just above 1/2 and 1/4. */
                const double slack = spec.k_rule == NINHO_K_FLOOR ? 1.2 : 1.1;
                if (plan.fpr_expected > slack * fpr)
                    test_fail(__FILE__, __LINE__, "expects %.4g: ratio %.3f",
                              plan.fpr_expected, plan.fpr_expected / fpr);
            }
        }
    }
}

static void the_spec_of_a_filter_makes_its_like(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        for (size_t s = 0; s < N_SIZES; s++) {
            const size_t n = some_sizes[s];
            const ninho_spec spec = family_spec(family, n, .003, 3);
            const ninho_open_options open = family_open(family, 3);
            ninho_filter *filter = family_filter(family, n, .003, 3);
            ninho_filter *decoded = NULL, *like = NULL;
            ninho_spec found = NINHO_SPEC_INIT;
            size_t size;
            test_where("%s: %zu keys", family->name, n);
            add_range(filter, &spec, 0, 5 * n);
            uint8_t *bytes = encoded(filter, &size);
            CHECK_OK(ninho_filter_decode(bytes, size, &open, &decoded, NULL));
            for (int i = 0; i < 2; i++) {
                memset(&found, 0xee, sizeof found);
                found.size_of_struct = sizeof found;
                CHECK_OK(ninho_filter_spec(i ? decoded : filter, &found));
                CHECK(found.kind == spec.kind && found.capacity == n &&
                      found.seed == spec.seed);
                CHECK(!found.secret && !found.observer);
                found.secret = spec.secret;
                CHECK_OK(ninho_filter_create(&found, NULL, &like, NULL));
                add_range(like, &spec, 0, 5 * n);
                check_same_bytes(filter, like);
                ninho_filter_free(like);
            }
            free(bytes);
            ninho_filter_free(filter);
            ninho_filter_free(decoded);
        }
    }
}

/* ---- Metadata ------------------------------------------------------------------------------ */

static void check_meta(const ninho_filter *filter, const char *name, const char *expected)
{
    char value[NINHO_META_BYTES];
    bool found = !expected;
    const size_t n = ninho_filter_meta(filter, name, value, sizeof value, &found);

    CHECK(found == !!expected);
    CHECK_U64(n, expected ? strlen(expected) : 0);
    CHECK(strcmp(value, expected ? expected : "") == 0);
}

static void metadata_is_kept_and_changed(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        const ninho_open_options open = family_open(family, 0);
        ninho_filter *filter = family_filter(family, 10, .01, 0);
        ninho_filter *plain = family_filter(family, 10, .01, 0);
        ninho_filter *decoded = NULL;
        char pair[100];
        size_t size;
        bool found = true;
        test_where("%s", family->name);
        check_meta(filter, "k", NULL);
        CHECK_OK(ninho_filter_set_meta(filter, "k", "31"));
        CHECK_OK(ninho_filter_set_meta(filter, "strand", "both"));
        CHECK_OK(ninho_filter_set_meta(filter, "a.b_c-9", ""));
        CHECK_OK(ninho_filter_set_meta(filter, "az09", "gone again"));
        CHECK_OK(ninho_filter_set_meta(filter, "az09", NULL));
        CHECK_OK(ninho_filter_set_meta(filter, "text", "caf\xc3\xa9 = tea"));
        check_meta(filter, "k", "31");
        check_meta(filter, "a.b_c-9", "");
        check_meta(filter, "text", "caf\xc3\xa9 = tea");
        check_meta(filter, "tex", NULL);
        check_meta(filter, "strand2", NULL);
        CHECK_OK(ninho_filter_set_meta(filter, "k", "a longer value than before"));
        CHECK_OK(ninho_filter_set_meta(filter, "strand", NULL));
        CHECK_STATUS(ninho_filter_set_meta(filter, "a space", NULL), NINHO_ERR_ARG);
        CHECK_OK(ninho_filter_set_meta(filter, "absent", NULL));
        uint8_t *bytes = encoded(filter, &size);
        CHECK_OK(ninho_filter_decode(bytes, size, &open, &decoded, NULL));
        for (int i = 0; i < 2; i++) {
            const ninho_filter *f = i ? decoded : filter;
            check_meta(f, "k", "a longer value than before");
            check_meta(f, "strand", NULL);
            check_meta(f, "a.b_c-9", "");
            CHECK_U64(ninho_filter_meta_at(f, 0, pair, sizeof pair), 8);
            CHECK(strcmp(pair, "a.b_c-9=") == 0);
            CHECK_U64(ninho_filter_meta_at(f, 1, pair, sizeof pair), 28);
            CHECK(strcmp(pair, "k=a longer value than before") == 0);
            CHECK_U64(ninho_filter_meta_at(f, 2, pair, sizeof pair), 16);
            CHECK_U64(ninho_filter_meta_at(f, 3, pair, sizeof pair), 0);
            CHECK(pair[0] == 0);
            CHECK_U64(ninho_filter_meta_at(f, SIZE_MAX, pair, sizeof pair), 0);
            /* as snprintf: cut, ended, and told */
            memset(pair, 'x', sizeof pair);
            CHECK_U64(ninho_filter_meta(f, "k", pair, 9, NULL), 26);
            CHECK(strcmp(pair, "a longer") == 0 && pair[9] == 'x');
            CHECK_U64(ninho_filter_meta(f, "k", NULL, 0, &found), 26);
            CHECK(found);
            CHECK_U64(ninho_filter_meta_at(f, 1, pair, 1), 28);
            CHECK(pair[0] == 0);
            CHECK_U64(ninho_filter_meta_at(f, 1, NULL, 0), 28);
        }
        free(bytes);
        /* the order in which they were set leaves no trace */
        CHECK_OK(ninho_filter_set_meta(plain, "text", "caf\xc3\xa9 = tea"));
        CHECK_OK(ninho_filter_set_meta(plain, "a.b_c-9", ""));
        CHECK_OK(ninho_filter_set_meta(plain, "k", "a longer value than before"));
        check_same_bytes(plain, filter);
        for (const char *const *name =
                 (const char *const[]){"text", "a.b_c-9", "k", NULL};
             *name; name++)
            CHECK_OK(ninho_filter_set_meta(plain, *name, NULL));
        CHECK_OK(ninho_filter_clear(plain));
        ninho_filter *fresh = family_filter(family, 10, .01, 0);
        check_same_bytes(plain, fresh);
        ninho_filter_free(fresh);
        ninho_filter_free(plain);
        ninho_filter_free(decoded);
        ninho_filter_free(filter);
    }
}

static void metadata_has_limits(void **state)
{
    static const char *const bad_names[] = {"",         "A",  "a b", "a=b", "a\n",
                                            "\xc3\xa9", "a/", "a:",  " ",   "a\t"};
    ninho_filter *filter = family_filter(&families[0], 10, .01, 0);
    char name[70], value[NINHO_META_BYTES + 10];

    (void)state;
    for (size_t i = 0; i < sizeof bad_names / sizeof *bad_names; i++) {
        test_where("name \"%s\"", bad_names[i]);
        CHECK_STATUS(ninho_filter_set_meta(filter, bad_names[i], "v"), NINHO_ERR_ARG);
        CHECK_U64(ninho_meta_size(bad_names[i], "v"), 0);
    }
    test_where("values");
    CHECK_STATUS(ninho_filter_set_meta(filter, "a", "two\nlines"), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_set_meta(filter, NULL, "v"), NINHO_ERR_ARG);
    memset(name, 'n', 65);
    name[65] = 0;
    CHECK_STATUS(ninho_filter_set_meta(filter, name, "v"), NINHO_ERR_ARG);
    CHECK(!ninho_meta_size(name, "v") && !ninho_meta_size(NULL, "v"));
    CHECK(!ninho_meta_size("a", NULL) && !ninho_meta_size("a", "two\nlines"));
    name[64] = 0;
    CHECK_U64(ninho_meta_size(name, "v"), 67);
    CHECK_OK(ninho_filter_set_meta(filter, name, "v"));
    CHECK_OK(ninho_filter_set_meta(filter, name, NULL));
    /* name + value + 2 = 4096 is the last that fits */
    memset(value, 'v', sizeof value);
    value[NINHO_META_BYTES - 2] = 0;
    CHECK_STATUS(ninho_filter_set_meta(filter, "x", value), NINHO_ERR_SPACE);
    CHECK_U64(ninho_meta_size("x", value), NINHO_META_BYTES + 1);
    check_meta(filter, "x", NULL);
    value[NINHO_META_BYTES - 3] = 0;
    CHECK_OK(ninho_filter_set_meta(filter, "x", value));
    check_meta(filter, "x", value);
    CHECK_STATUS(ninho_filter_set_meta(filter, "y", ""), NINHO_ERR_SPACE);
    check_meta(filter, "x", value);
    CHECK_OK(ninho_filter_set_meta(filter, "x", "short"));
    /* as many as fit, then one more */
    size_t n = 0;
    for (;; n++) {
        snprintf(name, sizeof name, "name%05zu", n);
        const ninho_status status = ninho_filter_set_meta(filter, name, "0123456789");
        if (status == NINHO_ERR_SPACE)
            break;
        CHECK_OK(status);
    }
    CHECK_U64(n, (NINHO_META_BYTES - 8) / 21);
    size_t size;
    ninho_filter *decoded = NULL;
    uint8_t *bytes = encoded(filter, &size);
    CHECK_OK(ninho_filter_decode(bytes, size, NULL, &decoded, NULL));
    check_same_bytes(filter, decoded);
    free(bytes);
    ninho_filter_free(decoded);
    ninho_filter_free(filter);
}

/* ---- Saving -------------------------------------------------------------------------------- */

static void saving_follows_links_and_keeps_permissions(void **state)
{
    struct temp_dir dir;
    char path[512], link[512], nowhere[512];
    struct stat status;
    ninho_filter *filter = family_filter(&families[0], 10, .01, 0);
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "real", path);
    temp_path(&dir, "link", link);
    temp_path(&dir, "no/such/folder", nowhere);
    const mode_t mask = umask(022);
    CHECK_OK(ninho_filter_save(filter, path, NULL));
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0644);
    CHECK(chmod(path, 0600) == 0);
    CHECK(symlink("real", link) == 0);
    CHECK_OK(ninho_filter_add(filter, 1));
    CHECK_OK(ninho_filter_save(filter, link, NULL));
    CHECK(lstat(link, &status) == 0 && S_ISLNK(status.st_mode));
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0600);
    ninho_filter *opened = NULL;
    CHECK_OK(ninho_filter_open(path, NULL, &opened, NULL));
    check_same_bytes(filter, opened);
    CHECK_U64(temp_dir_count(&dir), 2);
    umask(mask);

    CHECK_STATUS(ninho_filter_save(filter, nowhere, &error), NINHO_ERR_IO);
    CHECK(error.system_errno != 0 && error.text[0]);
    CHECK(ninho_filter_save(filter, dir.path, &error) != NINHO_OK);
    CHECK(ninho_filter_save(filter, "/dev/full", &error) != NINHO_OK);
    CHECK(ninho_filter_save(filter, "", &error) != NINHO_OK);
    CHECK_U64(temp_dir_count(&dir), 2);
    ninho_filter_free(opened);
    ninho_filter_free(filter);
    temp_dir_remove(&dir);
}

/* What is not a regular file is refused at once: no hanging on a pipe, no endless reading. */
static void only_regular_files_are_opened(void **state)
{
    typedef ninho_status (*opener)(const char *, const ninho_open_options *,
                                   ninho_filter **, ninho_error *);
    static const opener openers[2] = {ninho_filter_open, ninho_filter_map};
    struct temp_dir dir;
    char fifo[512], loop[512], missing[512], empty[512];

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "fifo", fifo);
    temp_path(&dir, "loop", loop);
    temp_path(&dir, "missing", missing);
    temp_path(&dir, "empty", empty);
    CHECK(mkfifo(fifo, 0600) == 0);
    CHECK(symlink("loop", loop) == 0);
    file_write(empty, "", 0);
    const char *const paths[] = {fifo,     loop,        missing,     empty,
                                 dir.path, "/dev/zero", "/dev/null", ""};
    const int n_open = open_fd_count();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        for (size_t o = 0; o < 2; o++) {
            ninho_filter *filter = NULL;
            ninho_error error = NINHO_ERROR_INIT;
            test_where("opener %zu, \"%s\"", o, paths[i]);
            const ninho_status got = openers[o](paths[i], NULL, &filter, &error);
            CHECK(got == (paths[i] == empty                         ? NINHO_ERR_FORMAT
                          : paths[i] == loop || paths[i] == missing ? NINHO_ERR_IO
                          : !*paths[i]                              ? NINHO_ERR_IO
                                                                    : NINHO_ERR_ARG));
            CHECK(!filter && error.status == got && error.text[0]);
            CHECK(!strchr(error.text, '\n'));
            CHECK(!!error.system_errno == (got == NINHO_ERR_IO));
        }
    }
    CHECK(open_fd_count() == n_open);
    temp_dir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoded_bytes_are_the_same_filter),
        cmocka_unit_test(a_view_answers_as_the_filter_at_any_alignment),
        cmocka_unit_test(a_view_allocates_nothing),
        cmocka_unit_test(bare_bytes_are_the_table_and_at_most_two_more),
        cmocka_unit_test(a_saved_file_opens_and_maps_as_the_same_filter),
        cmocka_unit_test(a_copy_is_a_filter_of_its_own),
        cmocka_unit_test(a_buffer_too_small_is_told_the_size),
        cmocka_unit_test(plan_filter_and_file_agree),
        cmocka_unit_test(the_plan_promises_what_was_asked),
        cmocka_unit_test(the_spec_of_a_filter_makes_its_like),
        cmocka_unit_test(metadata_is_kept_and_changed),
        cmocka_unit_test(metadata_has_limits),
        cmocka_unit_test(saving_follows_links_and_keeps_permissions),
        cmocka_unit_test(only_regular_files_are_opened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
