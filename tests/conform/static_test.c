/* SPDX-License-Identifier: MIT */
/* The families that are built from all their keys at once: what the others promise, as far as it
 * goes for them. */
#include "conform/families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double fprs[] = {.1, .01, .001, 0x1p-13};

/* As fpr.c measures: 10,000 false positives at the promised rate. */
static void the_fpr_keeps_its_promise_and_no_key_is_lost(void **state)
{
    static const size_t sizes[] = {1000, 10000, 100000, 1000000};
    const size_t n_sizes = test_scale() >= 100 ? 4 : test_scale() >= 10 ? 3 : 2;

    (void)state;
    FOR_EACH_STATIC_FAMILY(family)
    {
        for (size_t s = 0; s < n_sizes; s++) {
            for (size_t p = 0; p < (test_scale() >= 100 ? 4 : 2); p++) {
                const size_t n = sizes[s], n_absent = (size_t)(10000 / fprs[p]);
                const ninho_spec spec = family_spec(family, n, fprs[p], s);
                ninho_filter *filter = family_built(family, n, fprs[p], s, 0, n);
                ninho_info info = NINHO_INFO_INIT;
                test_where("%s: n %zu, fpr %g", family->name, n, fprs[p]);
                check_range(filter, &spec, 0, n);
                CHECK_U64(ninho_filter_count(filter), n);
                CHECK_OK(ninho_filter_info(filter, &info));
                CHECK(info.fpr_expected <= fprs[p] && info.load > 0 && info.load <= 1);
                const double found = (double)count_range(filter, &spec, ABSENT, n_absent);
                CHECK(found <= 1.1 * fprs[p] * (double)n_absent);
                CHECK(found <=
                      binomial_high((double)n_absent, 1.03 * info.fpr_expected, 5));
                CHECK(found >=
                      binomial_low((double)n_absent, .97 * info.fpr_expected, 5));
                ninho_filter_free(filter);
            }
        }
    }
}

static void it_is_the_same_filter_through_every_door(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 3, 7, 50, 1000};
    struct temp_dir dir;
    char path[512];

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "static", path);
    FOR_EACH_STATIC_FAMILY(family)
    {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const size_t n = sizes[s];
            const uint64_t capacity = n ? n : 1;
            const ninho_spec spec = family_spec(family, capacity, .01, 3);
            const ninho_open_options open = family_open(family, 3);
            ninho_filter *filter = family_built(family, capacity, .01, 3, 0, n);
            ninho_filter *others[4] = {NULL};
            const ninho_filter *viewed = NULL, *bare = NULL;
            ninho_view view, bare_view;
            ninho_plan plan = NINHO_PLAN_INIT;
            size_t size, bare_size;
            test_where("%s: %zu keys", family->name, n);
            CHECK_OK(ninho_filter_set_meta(filter, "made.by", "the tests"));
            uint8_t *bytes = encoded(filter, &size);
            uint8_t *block =
                malloc(size + 1); /* at an odd address, its end the block's */
            CHECK(block);
            memcpy(block + 1, bytes, size);
            CHECK_OK(ninho_filter_save(filter, path, NULL));
            CHECK_OK(ninho_filter_decode(bytes, size, &open, &others[0], NULL));
            CHECK_OK(ninho_filter_copy(filter, NULL, &others[1], NULL));
            CHECK_OK(ninho_filter_open(path, &open, &others[2], NULL));
            CHECK_OK(ninho_filter_map(path, &open, &others[3], NULL));
            CHECK_OK(ninho_filter_view(&view, block + 1, size, &open, &viewed, NULL));
            for (int i = 0; i < 5; i++) {
                const ninho_filter *other = i < 4 ? others[i] : viewed;
                check_same_answers(filter, other, &spec, n + 100);
                check_same_bytes(filter, other);
                CHECK_OK(ninho_filter_verify(other, NULL));
            }
            CHECK_STATUS(ninho_filter_encode_bare(filter, NULL, 0, &bare_size),
                         NINHO_ERR_SPACE);
            uint8_t *bare_bytes = malloc(bare_size + 1);
            CHECK(bare_bytes);
            CHECK_OK(ninho_filter_encode_bare(filter, bare_bytes + 1, bare_size, NULL));
            CHECK_OK(ninho_filter_view_bare(&bare_view, &spec, bare_bytes + 1, bare_size,
                                            &bare, NULL));
            check_same_answers(filter, bare, &spec, n + 100);
            CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
            CHECK_U64(bare_size, plan.table_bytes + (spec.kind == NINHO_RIBBON ? 4 : 2));
            for (int i = 0; i < 4; i++)
                ninho_filter_free(others[i]);
            free(bare_bytes);
            free(block);
            free(bytes);
            ninho_filter_free(filter);
        }
    }
    temp_dir_remove(&dir);
}

static void plan_filter_and_spec_agree(void **state)
{
    (void)state;
    FOR_EACH_STATIC_FAMILY(family)
    {
        for (size_t n = 1; n < 5000; n = n * 3 + 1) {
            for (size_t p = 0; p < 4; p++) {
                const ninho_spec spec = family_spec(family, n, fprs[p], 3);
                ninho_filter *filter = family_built(family, n, fprs[p], 3, 0, n),
                             *like = NULL;
                ninho_plan plan = NINHO_PLAN_INIT;
                ninho_info info = NINHO_INFO_INIT;
                ninho_spec found = NINHO_SPEC_INIT;
                uint64_t hashes[5000];
                test_where("%s: n %zu, fpr %g", family->name, n, fprs[p]);
                CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
                CHECK_OK(ninho_filter_info(filter, &info));
                CHECK(plan.can == info.can && !(plan.can & NINHO_CAN_ADD));
                CHECK_U64(plan.size_bytes, info.size_bytes);
                CHECK_U64(plan.size_bytes, ninho_filter_encoded_size(filter));
                CHECK_U64(plan.table_bytes, info.table_bytes);
                CHECK_U64(plan.n_cells, info.n_cells);
                CHECK_U64(plan.n_hashes, info.n_hashes);
                CHECK_U64(plan.tag_bits, info.tag_bits);
                CHECK(is_near(plan.fpr_expected, info.fpr_expected, 1e-9));
                CHECK_OK(ninho_filter_spec(filter, &found));
                found.secret = spec.secret;
                spec_hashes(&spec, 0, n, hashes);
                CHECK_OK(ninho_filter_build(&found, hashes, n, NULL, &like, NULL));
                check_same_bytes(filter, like);
                ninho_filter_free(like);
                ninho_filter_free(filter);
            }
        }
    }
}

static void adding_and_creating_are_refused(void **state)
{
    (void)state;
    FOR_EACH_STATIC_FAMILY(family)
    {
        const ninho_spec spec = family_spec(family, 100, .01, 3);
        ninho_filter *filter = NULL;
        ninho_error error = NINHO_ERROR_INIT;
        test_where("%s", family->name);
        CHECK_STATUS(ninho_filter_create(&spec, NULL, &filter, &error),
                     NINHO_ERR_UNSUPPORTED);
        CHECK(!filter && strstr(error.text, "built"));
        filter = family_built(family, 100, .01, 3, 0, 50);
        CHECK_STATUS(ninho_filter_add(filter, 1), NINHO_ERR_UNSUPPORTED);
        CHECK_STATUS(ninho_filter_remove(filter, 1), NINHO_ERR_UNSUPPORTED);
        CHECK_STATUS(ninho_filter_clear(filter), NINHO_ERR_UNSUPPORTED);
        CHECK_STATUS(ninho_filter_union(filter, filter, NULL), NINHO_ERR_UNSUPPORTED);
        check_range(filter, &spec, 0, 50);
        ninho_filter_free(filter);
    }
}

/* The sets that a digest of a batch and of single answers must agree on, at every CPU level and on
 * every machine: bytes follow from the keys alone. */
static void bytes_and_answers_are_the_same_everywhere(void **state)
{
    uint64_t digest = 0;

    (void)state;
    FOR_EACH_STATIC_FAMILY(family)
    {
        for (size_t n = 1; n < 30000; n = n * 5 + 1) {
            for (size_t p = 1; p < 4; p += 2) {
                const ninho_spec spec = family_spec(family, n, fprs[p], n);
                ninho_filter *filter = family_built(family, n, fprs[p], n, 0, n);
                uint64_t hashes[1000], maybe[16];
                size_t size;
                spec_hashes(&spec, ABSENT, 1000, hashes);
                ninho_filter_has_many(filter, hashes, 1000, maybe);
                for (size_t i = 0; i < 1000; i++)
                    digest = mix64(digest ^ (maybe[i / 64] >> (i % 64) & 1));
                uint8_t *bytes = encoded(filter, &size);
                for (size_t i = 0; i < size; i++)
                    digest = mix64(digest ^ bytes[i]);
                free(bytes);
                ninho_filter_free(filter);
            }
        }
    }
    test_where("digest");
    CHECK_U64(digest, UINT64_C(0x6bb7c6f1f4189081));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fpr_keeps_its_promise_and_no_key_is_lost),
        cmocka_unit_test(it_is_the_same_filter_through_every_door),
        cmocka_unit_test(plan_filter_and_spec_agree),
        cmocka_unit_test(adding_and_creating_are_refused),
        cmocka_unit_test(bytes_and_answers_are_the_same_everywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
