/* SPDX-License-Identifier: MIT */
/* The edges of checked filters: arguments that are missing, halves that do not go together, memory
 * that ends in the middle of a union, halves that were damaged. */
#include "unit/inside.h"

#include <stdlib.h>
#include <string.h>

#include "dict/ops.h"
#include "filter/codec.h"

static const uint8_t secret[NINHO_SECRET_BYTES] = "0123456789abcde";

static ninho_spec spec_for(ninho_kind kind, uint64_t capacity)
{
    ninho_spec spec = spec_of(kind, capacity, .01);

    spec.key_encoding = NINHO_KEY_BYTES;
    return spec;
}

static ninho_checked *made(ninho_semantics semantics, const ninho_alloc *alloc)
{
    ninho_spec spec = spec_for(NINHO_CUCKOO, 1000);
    ninho_checked *checked = NULL;

    spec.semantics = semantics;
    CHECK_OK(ninho_checked_create(&spec, alloc, &checked, NULL));
    return checked;
}

static void add_numbers(ninho_checked *checked, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        CHECK_OK(ninho_checked_add_key(checked, &i, sizeof i, NULL));
}

/* Each of the numbers below `to` is there once, and nothing else is. */
static void check_numbers(const ninho_checked *checked, uint32_t to)
{
    CHECK_U64(ninho_dict_count(ninho_checked_dict(checked)), to);
    CHECK_U64(ninho_filter_count(ninho_checked_filter(checked)), to);
    for (uint32_t i = 0; i < 2 * to; i++)
        CHECK_U64(ninho_checked_copies(checked, &i, sizeof i), i < to);
    CHECK_OK(ninho_checked_verify(checked, NULL));
}

static void null_is_refused(void **state)
{
    ninho_checked *checked = made(NINHO_SET, NULL), *out = NULL;
    ninho_spec spec = spec_for(NINHO_CUCKOO, 10);
    ninho_dict_spec dict_spec = NINHO_DICT_SPEC_INIT;
    ninho_filter *filter = filter_of(&spec, NULL);
    ninho_error error = NINHO_ERROR_INIT;
    ninho_dict *dict = NULL;
    bool was_there = true;

    (void)state;
    CHECK_OK(ninho_dict_create(&dict_spec, NULL, &dict, NULL));
    CHECK_STATUS(ninho_checked_join(NULL, dict, NINHO_SET, NULL, &out, &error),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_checked_join(filter, NULL, NINHO_SET, NULL, &out, &error),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_checked_join(filter, dict, NINHO_SET, NULL, NULL, &error),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_checked_of(NULL, NULL, &out, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "filter"));
    CHECK_STATUS(ninho_checked_of(filter, NULL, NULL, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "out"));
    CHECK_STATUS(ninho_checked_of(filter, &(ninho_open_options){0}, &out, &error),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_checked_create(&spec, NULL, NULL, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "out"));
    CHECK_STATUS(ninho_checked_create(&(ninho_spec){0}, NULL, &out, &error),
                 NINHO_ERR_ARG);
    spec.fpr = 2;
    CHECK_STATUS(ninho_checked_create(&spec, NULL, &out, &error), NINHO_ERR_ARG);
    CHECK(error.field == NINHO_FIELD_FPR && !out);
    CHECK(!ninho_checked_filter(NULL) && !ninho_checked_dict(NULL));
    CHECK(ninho_checked_semantics(NULL) == NINHO_MULTISET);
    CHECK_U64(ninho_checked_copies(NULL, "x", 1), 0);
    CHECK_STATUS(ninho_checked_add_key(NULL, "x", 1, &was_there), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_checked_add_key(checked, NULL, 1, &was_there), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_checked_remove_key(NULL, "x", 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_checked_union(NULL, checked, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_checked_union(checked, NULL, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_checked_verify(NULL, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_checked_pack(NULL), NINHO_ERR_ARG);
    CHECK(was_there && ninho_dict_count(ninho_checked_dict(checked)) == 0);
    ninho_filter_free(filter);
    ninho_dict_free(dict);
    ninho_checked_free(checked);
}

/* A filter that cannot remove, one whose keys cannot be kept, one whose secret is not there. */
static void halves_that_do_not_go_together_stay_apart(void **state)
{
    ninho_spec spec = spec_for(NINHO_BLOOM, 10);
    ninho_dict_spec dict_spec = NINHO_DICT_SPEC_INIT;
    ninho_open_options options = NINHO_OPEN_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_checked *checked = NULL;
    ninho_dict *dict = NULL;
    size_t size;

    (void)state;
    CHECK_OK(ninho_dict_create(&dict_spec, NULL, &dict, NULL));
    ninho_filter *filter = filter_of(&spec, NULL);
    CHECK_STATUS(ninho_checked_join(filter, dict, NINHO_SET, NULL, &checked, &error),
                 NINHO_ERR_UNSUPPORTED);
    ninho_filter_free(filter);
    spec.kind = NINHO_CUCKOO;
    spec.key_encoding = NINHO_KEY_KMER;
    filter = filter_of(&spec, NULL);
    CHECK_STATUS(ninho_checked_join(filter, dict, NINHO_SET, NULL, &checked, &error),
                 NINHO_ERR_UNSUPPORTED);
    CHECK(strstr(error.text, ninho_key_encoding_name(NINHO_KEY_KMER)));
    ninho_filter_free(filter);
    spec.key_encoding = NINHO_KEY_INT64;
    filter = filter_of(&spec, NULL);
    CHECK_STATUS(ninho_checked_join(filter, dict, NINHO_SET, NULL, &checked, &error),
                 NINHO_ERR_MISMATCH);
    CHECK(error.field == NINHO_FIELD_KEY_ENCODING);
    ninho_filter_free(filter);
    spec.key_encoding = NINHO_KEY_BYTES;
    spec.hash = NINHO_HASH_SIPHASH;
    spec.secret = secret;
    filter = filter_of(&spec, NULL);
    uint8_t *bytes = encoded(filter, &size);
    ninho_filter_free(filter);
    options.allow_sealed = true;
    CHECK_OK(ninho_filter_decode(bytes, size, &options, &filter, NULL));
    CHECK_STATUS(ninho_checked_join(filter, dict, NINHO_SET, NULL, &checked, &error),
                 NINHO_ERR_KEY_MISSING);
    CHECK(!checked);
    ninho_filter_free(filter);
    ninho_dict_free(dict);
    free(bytes);
}

/* No room for "ninho.semantics=set" in the metadata. */
static void a_set_that_cannot_say_so_is_not_made(void **state)
{
    static char text[NINHO_META_BYTES];
    ninho_spec spec = spec_for(NINHO_CUCKOO, 10);
    ninho_dict_spec dict_spec = NINHO_DICT_SPEC_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_filter *filter = filter_of(&spec, NULL);
    ninho_checked *checked = NULL;
    ninho_dict *dict = NULL;
    struct test_heap heap;

    (void)state;
    heap_init(&heap);
    memset(text, 'x', NINHO_META_BYTES - NINHO_CHECKED_META_BYTES);
    CHECK_OK(ninho_filter_set_meta(filter, "note", text));
    CHECK_OK(ninho_dict_create(&dict_spec, NULL, &dict, NULL));
    const ninho_status status =
        ninho_checked_join(filter, dict, NINHO_SET, &heap.alloc, &checked, &error);
    CHECK(status != NINHO_OK && error.status == status && !checked);
    CHECK_U64(heap.live_blocks, 0);
    CHECK_U64(ninho_filter_meta(filter, "note", NULL, 0, NULL), strlen(text));
    CHECK_OK(ninho_checked_join(filter, dict, NINHO_MULTISET, NULL, &checked, &error));
    ninho_checked_free(checked);
}

/* What is attached may be anything; what stands in the metadata, too. */
static void other_attachments_and_words_are_not_mistaken(void **state)
{
    ninho_checked *checked = made(NINHO_SET, NULL), *again = NULL;
    ninho_spec spec = spec_for(NINHO_CUCKOO, 10);
    ninho_filter *filter = filter_of(&spec, NULL);
    size_t size, dict_size;

    (void)state;
    uint8_t *bytes = encoded(filter, &size);
    CHECK_OK(ninho_filter_set_attachment(filter, bytes, size)); /* a filter, and sound */
    CHECK(!ninho_filter_is_checked(filter));
    CHECK_STATUS(ninho_checked_of(filter, NULL, &again, NULL), NINHO_ERR_VERSION);
    free(bytes);
    CHECK_OK(ninho_checked_pack(checked));
    const void *dict = ninho_filter_attachment(ninho_checked_filter(checked), &dict_size);
    CHECK_OK(ninho_filter_set_attachment(filter, dict, dict_size));
    CHECK_OK(ninho_filter_set_meta(filter, "ninho.semantics", "bag"));
    CHECK_OK(ninho_checked_of(filter, NULL, &again, NULL));
    CHECK(ninho_checked_semantics(again) == NINHO_MULTISET);
    ninho_checked_free(again);
    ninho_checked_free(checked);
}

/* Keys of fixed size: the dictionary takes no others, and then the filter gets none. */
static void keys_of_another_size_are_in_neither(void **state)
{
    static const struct {
        ninho_key_encoding encoding;
        uint32_t size;
    } cases[] = {{NINHO_KEY_INT64, 8}, {NINHO_KEY_UUID, 16}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ninho_spec spec = spec_for(NINHO_CUCKOO, 10);
        ninho_dict_info info = NINHO_DICT_INFO_INIT;
        ninho_checked *checked = NULL;
        spec.key_encoding = cases[i].encoding;
        CHECK_OK(ninho_checked_create(&spec, NULL, &checked, NULL));
        CHECK_OK(ninho_dict_info_of(ninho_checked_dict(checked), &info));
        CHECK_U64(info.key_size, cases[i].size);
        CHECK_STATUS(ninho_checked_add_key(checked, "four", 4, NULL), NINHO_ERR_ARG);
        CHECK_U64(ninho_filter_count(ninho_checked_filter(checked)), 0);
        CHECK_OK(ninho_checked_add_key(checked, "sixteen bytes...", cases[i].size, NULL));
        CHECK_OK(ninho_checked_verify(checked, NULL));
        ninho_checked_free(checked);
    }
}

/* ---- Union --------------------------------------------------------------------------------- */

static void a_union_without_memory_changes_nothing(void **state)
{
    (void)state;
    for (int once = 0; once < 2; once++) {
        const ninho_semantics semantics = once ? NINHO_SET : NINHO_MULTISET;
        struct test_heap heap;
        heap_init(&heap);
        ninho_checked *target = made(semantics, &heap.alloc);
        ninho_checked *source = made(semantics, NULL);
        ninho_status status = NINHO_ERR_NOMEM;
        add_numbers(target, 0, 20);
        add_numbers(source, 20, 400);
        size_t n = 0;
        while (status) {
            ninho_error error = NINHO_ERROR_INIT;
            heap_fail_at(&heap, ++n);
            status = ninho_checked_union(target, source, &error);
            heap_fail_at(&heap, 0);
            CHECK(error.status == status);
            if (status) {
                CHECK_STATUS(status, NINHO_ERR_NOMEM);
                check_numbers(target, 20);
            }
        }
        CHECK(n > 2);
        check_numbers(target, 400);
        ninho_checked_free(target);
        ninho_checked_free(source);
        CHECK_U64(heap.live_blocks, 0);
    }
}

static ninho_checked *joined(uint32_t key_size, uint64_t value, uint64_t capacity)
{
    ninho_spec spec = spec_for(NINHO_QUOTIENT, capacity);
    ninho_dict_spec dict_spec = NINHO_DICT_SPEC_INIT;
    ninho_checked *checked = NULL;
    ninho_dict *dict = NULL;
    const uint64_t key = key_size;

    spec.key_encoding = dict_spec.key_encoding = NINHO_KEY_INT64;
    dict_spec.key_size = key_size;
    ninho_filter *filter = filter_of(&spec, NULL);
    CHECK_OK(ninho_dict_create(&dict_spec, NULL, &dict, NULL));
    CHECK_OK(ninho_dict_put(dict, &key, sizeof key, value, NULL));
    CHECK_OK(ninho_filter_add_key(filter, &key, sizeof key));
    CHECK_OK(ninho_checked_join(filter, dict, NINHO_MULTISET, NULL, &checked, NULL));
    return checked;
}

static void dictionaries_of_other_sizes_are_not_united(void **state)
{
    ninho_checked *fixed = joined(8, 1, 100), *any = joined(0, 1, 100);
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    CHECK_STATUS(ninho_checked_union(fixed, any, &error), NINHO_ERR_MISMATCH);
    CHECK(error.field == NINHO_FIELD_KEY_SIZE);
    CHECK_U64(ninho_dict_count(ninho_checked_dict(fixed)), 1);
    ninho_checked_free(fixed);
    ninho_checked_free(any);
}

/* Some kinds remove and do not unite: their sets say so, and are as they were. */
static void kinds_that_cannot_be_united_say_so(void **state)
{
    size_t n = 0;

    (void)state;
    ninho_kind kind;
    for (size_t i = 0; (kind = ninho_kind_at(i)) != 0; i++) {
        const uint32_t can = ninho_kind_can(kind);
        if (!(can & NINHO_CAN_REMOVE) || (can & NINHO_CAN_UNION))
            continue;
        ninho_error error = NINHO_ERROR_INIT;
        ninho_spec spec = spec_for(kind, 100);
        ninho_checked *a = NULL, *b = NULL;
        spec.semantics = NINHO_SET;
        test_where("%s", ninho_kind_name(kind));
        CHECK_OK(ninho_checked_create(&spec, NULL, &a, NULL));
        CHECK_OK(ninho_checked_create(&spec, NULL, &b, NULL));
        add_numbers(b, 0, 10);
        CHECK_STATUS(ninho_checked_union(a, b, &error), NINHO_ERR_UNSUPPORTED);
        CHECK(strstr(error.text, ninho_kind_name(kind)));
        CHECK_U64(ninho_dict_count(ninho_checked_dict(a)), 0);
        CHECK_U64(ninho_filter_count(ninho_checked_filter(a)), 0);
        ninho_checked_free(a);
        ninho_checked_free(b);
        n++;
    }
    CHECK(n > 0);
}

/* A value of 0 is one copy, whoever made the dictionary. */
static void a_value_of_none_is_one_copy_in_a_union(void **state)
{
    ninho_checked *target = joined(8, 1, 100), *source = joined(8, 0, 100);
    ninho_checked *small = joined(8, 0, 2);
    const uint64_t eight = 8;

    (void)state;
    CHECK_OK(ninho_checked_verify(source, NULL));
    CHECK_OK(ninho_checked_union(target, source, NULL));
    CHECK_U64(ninho_checked_copies(target, &eight, 8), 2);
    CHECK_STATUS(ninho_checked_union(target, small, NULL), NINHO_ERR_MISMATCH);
    CHECK_U64(ninho_checked_copies(target, &eight, 8), 2); /* taken back */
    CHECK_OK(ninho_checked_verify(target, NULL));
    ninho_checked_free(target);
    ninho_checked_free(source);
    ninho_checked_free(small);
}

/* A source whose dictionary has more copies than its filter: neither half of the target changes. */
static void a_union_with_halves_that_disagree_changes_nothing(void **state)
{
    ninho_checked *target = joined(8, 1, 100), *source = joined(8, UINT64_MAX, 100);
    ninho_error error = NINHO_ERROR_INIT;
    const uint64_t eight = 8;

    (void)state;
    CHECK_STATUS(ninho_checked_union(target, source, &error), NINHO_ERR_FORMAT);
    CHECK(error.status == NINHO_ERR_FORMAT);
    CHECK_U64(ninho_checked_copies(target, &eight, 8), 1);
    CHECK_U64(ninho_filter_count(ninho_checked_filter(target)), 1);
    CHECK_OK(ninho_checked_verify(target, NULL));
    /* And verify says of the other that its filter has not so many. */
    CHECK_STATUS(ninho_checked_verify(source, &error), NINHO_ERR_FORMAT);
    ninho_checked_free(target);
    ninho_checked_free(source);
}

/* ---- Verify -------------------------------------------------------------------------------- */

static void damage_in_either_half_is_seen(void **state)
{
    ninho_checked *checked = made(NINHO_SET, NULL);
    ninho_dict *dict = (ninho_dict *)(uintptr_t)ninho_checked_dict(checked);
    ninho_filter *filter = (ninho_filter *)(uintptr_t)ninho_checked_filter(checked);
    ninho_error error = NINHO_ERROR_INIT;
    const uint32_t three = 3;

    (void)state;
    add_numbers(checked, 0, 10);
    dict->words.count++;
    CHECK_STATUS(ninho_checked_verify(checked, &error), NINHO_ERR_FORMAT);
    CHECK(strstr(error.text, "count is wrong"));
    dict->words.count--;
    filter->parts->count++;
    CHECK_STATUS(ninho_checked_verify(checked, &error), NINHO_ERR_FORMAT);
    filter->parts->count--;
    check_numbers(checked, 10);
    /* A filter without a key of the dictionary: it cannot be removed from both. */
    CHECK_OK(ninho_filter_remove_key(filter, &three, sizeof three));
    CHECK_STATUS(ninho_checked_remove_key(checked, &three, sizeof three),
                 NINHO_ERR_FORMAT);
    CHECK_U64(ninho_checked_copies(checked, &three, sizeof three), 1);
    CHECK_STATUS(ninho_checked_verify(checked, &error), NINHO_ERR_FORMAT);
    CHECK(strstr(error.text, "the filter has not"));
    ninho_checked_free(checked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_refused),
        cmocka_unit_test(halves_that_do_not_go_together_stay_apart),
        cmocka_unit_test(a_set_that_cannot_say_so_is_not_made),
        cmocka_unit_test(other_attachments_and_words_are_not_mistaken),
        cmocka_unit_test(keys_of_another_size_are_in_neither),
        cmocka_unit_test(a_union_without_memory_changes_nothing),
        cmocka_unit_test(dictionaries_of_other_sizes_are_not_united),
        cmocka_unit_test(kinds_that_cannot_be_united_say_so),
        cmocka_unit_test(a_value_of_none_is_one_copy_in_a_union),
        cmocka_unit_test(a_union_with_halves_that_disagree_changes_nothing),
        cmocka_unit_test(damage_in_either_half_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
