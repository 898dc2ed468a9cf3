/* SPDX-License-Identifier: MIT */
/* Checked filters: a filter and the exact dictionary of its keys, changed together. */
#include "unit/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t secret[NINHO_SECRET_BYTES] = "0123456789abcde";
static const uint8_t wrong[NINHO_SECRET_BYTES] = "another secret.";

struct key {
    char text[24];
    size_t size;
};

static struct key key_of(uint64_t number)
{
    struct key key;

    key.size = (size_t)snprintf(key.text, sizeof key.text, "key %llu",
                                (unsigned long long)number);
    return key;
}

static ninho_status add(ninho_checked *checked, uint64_t number, bool *was_there)
{
    const struct key key = key_of(number);
    return ninho_checked_add_key(checked, key.text, key.size, was_there);
}

static ninho_status take(ninho_checked *checked, uint64_t number)
{
    const struct key key = key_of(number);
    return ninho_checked_remove_key(checked, key.text, key.size);
}

static uint64_t copies(const ninho_checked *checked, uint64_t number)
{
    const struct key key = key_of(number);
    return ninho_checked_copies(checked, key.text, key.size);
}

static ninho_spec spec_for(ninho_kind kind, uint64_t capacity, double fpr)
{
    ninho_spec spec = spec_of(kind, capacity, fpr);

    spec.key_encoding = NINHO_KEY_BYTES;
    return spec;
}

static ninho_checked *made(ninho_kind kind, uint64_t capacity, double fpr,
                           ninho_semantics semantics, const ninho_alloc *alloc)
{
    ninho_spec spec = spec_for(kind, capacity, fpr);
    ninho_checked *checked = NULL;

    spec.semantics = semantics;
    CHECK_OK(ninho_checked_create(&spec, alloc, &checked, NULL));
    return checked;
}

/* What the file holds, as a checked filter of its own. */
static ninho_checked *opened_again(ninho_checked *checked)
{
    ninho_filter *filter = NULL;
    ninho_checked *again = NULL;
    size_t size;

    CHECK_OK(ninho_checked_pack(checked));
    uint8_t *bytes = encoded(ninho_checked_filter(checked), &size);
    CHECK_OK(ninho_filter_decode(bytes, size, NULL, &filter, NULL));
    CHECK(ninho_filter_is_checked(filter));
    CHECK_OK(ninho_checked_of(filter, NULL, &again, NULL));
    free(bytes);
    return again;
}

#define FOR_EACH_REMOVING(kind)                                \
    for (size_t i_ = 0; (kind = ninho_kind_at(i_)) != 0; i_++) \
        if ((ninho_kind_can(kind) & NINHO_CAN_REMOVE))

static void what_was_never_added_is_not_removed(void **state)
{
    ninho_kind kind;

    (void)state;
    FOR_EACH_REMOVING(kind)
    {
        ninho_checked *checked = made(kind, 1000, .5, NINHO_MULTISET, NULL);
        test_where("%s", ninho_kind_name(kind));
        for (uint64_t i = 0; i < 500; i++)
            CHECK_OK(add(checked, i, NULL));
        for (uint64_t i = 500; i < 2000; i++)
            CHECK_STATUS(take(checked, i), NINHO_ERR_NOT_FOUND);
        for (uint64_t i = 0; i < 500; i++) {
            const struct key key = key_of(i);
            CHECK_U64(copies(checked, i), 1);
            CHECK(
                ninho_filter_has_key(ninho_checked_filter(checked), key.text, key.size));
        }
        CHECK_OK(ninho_checked_verify(checked, NULL));
        for (uint64_t i = 0; i < 500; i++)
            CHECK_OK(take(checked, i));
        CHECK_U64(ninho_filter_count(ninho_checked_filter(checked)), 0);
        CHECK_U64(ninho_dict_count(ninho_checked_dict(checked)), 0);
        ninho_checked_free(checked);
    }
}

static void sets_keep_each_key_once_and_multisets_copies(void **state)
{
    ninho_kind kind;

    (void)state;
    FOR_EACH_REMOVING(kind)
    {
        for (int once = 0; once < 2; once++) {
            const ninho_semantics semantics = once ? NINHO_SET : NINHO_MULTISET;
            ninho_checked *checked = made(kind, 100, .01, semantics, NULL);
            bool was_there = true;
            test_where("%s, once %d", ninho_kind_name(kind), once);
            CHECK_OK(add(checked, 1, &was_there));
            CHECK(!was_there);
            CHECK_OK(add(checked, 1, &was_there));
            CHECK(was_there);
            CHECK_U64(copies(checked, 1), once ? 1 : 2);
            ninho_checked *again = opened_again(checked);
            CHECK(ninho_checked_semantics(again) == semantics);
            CHECK_OK(ninho_checked_verify(again, NULL));
            CHECK_OK(take(again, 1));
            CHECK_STATUS(once ? take(again, 1) : NINHO_ERR_NOT_FOUND,
                         NINHO_ERR_NOT_FOUND);
            CHECK_U64(copies(again, 1), once ? 0 : 1);
            ninho_checked_free(again);
            ninho_checked_free(checked);
        }
    }
}

static void unions_add_up_or_keep_once(void **state)
{
    static const ninho_kind kinds[] = {NINHO_COUNTING, NINHO_CUCKOO, NINHO_QUOTIENT};

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        for (int once = 0; once < 2; once++) {
            const ninho_semantics semantics = once ? NINHO_SET : NINHO_MULTISET;
            ninho_checked *a = made(kinds[k], 1000, .01, semantics, NULL);
            ninho_checked *b = made(kinds[k], 1000, .01, semantics, NULL);
            test_where("%s, once %d", ninho_kind_name(kinds[k]), once);
            for (uint64_t i = 0; i < 300; i++)
                CHECK_OK(add(a, i, NULL));
            for (uint64_t i = 200; i < 500; i++)
                CHECK_OK(add(b, i, NULL));
            CHECK_OK(ninho_checked_union(a, b, NULL));
            for (uint64_t i = 0; i < 500; i++)
                CHECK_U64(copies(a, i), i >= 200 && i < 300 && !once ? 2 : 1);
            CHECK_OK(ninho_checked_verify(a, NULL));
            CHECK_U64(ninho_dict_count(ninho_checked_dict(b)), 300);
            ninho_checked_free(a);
            ninho_checked_free(b);
        }
    }
}

static void a_union_that_fails_changes_nothing(void **state)
{
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    for (int once = 0; once < 2; once++) {
        const ninho_semantics semantics = once ? NINHO_SET : NINHO_MULTISET;
        ninho_checked *a = made(NINHO_QUOTIENT, 500, .01, semantics, NULL);
        ninho_checked *b = made(NINHO_QUOTIENT, 500, .01, semantics, NULL);
        ninho_checked *other = made(NINHO_QUOTIENT, 9000, .01, semantics, NULL);
        ninho_checked *set =
            made(NINHO_QUOTIENT, 500, .01, once ? NINHO_MULTISET : NINHO_SET, NULL);
        for (uint64_t i = 0; i < 300; i++)
            CHECK_OK(add(a, i, NULL));
        for (uint64_t i = 250; i < 550; i++)
            CHECK_OK(add(b, i, NULL));
        CHECK_STATUS(ninho_checked_union(a, b, &error), NINHO_ERR_FULL);
        CHECK(error.status == NINHO_ERR_FULL && error.text[0]);
        CHECK_STATUS(ninho_checked_union(a, other, &error), NINHO_ERR_MISMATCH);
        CHECK_STATUS(ninho_checked_union(a, set, &error), NINHO_ERR_MISMATCH);
        CHECK(error.field == NINHO_FIELD_SEMANTICS);
        CHECK_STATUS(ninho_checked_union(a, a, &error), NINHO_ERR_ARG);
        for (uint64_t i = 0; i < 550; i++)
            CHECK_U64(copies(a, i), i < 300);
        CHECK_U64(ninho_filter_count(ninho_checked_filter(a)), 300);
        CHECK_OK(ninho_checked_verify(a, NULL));
        ninho_checked_free(a);
        ninho_checked_free(b);
        ninho_checked_free(other);
        ninho_checked_free(set);
    }
}

static void an_add_without_room_changes_neither(void **state)
{
    (void)state;
    ninho_checked *checked = made(NINHO_QUOTIENT, 100, .01, NINHO_MULTISET, NULL);
    uint64_t n = 0;

    while (add(checked, n, NULL) == NINHO_OK)
        n++;
    CHECK(n >= 100);
    CHECK_STATUS(add(checked, n, NULL), NINHO_ERR_FULL);
    CHECK_U64(copies(checked, n), 0);
    CHECK_U64(ninho_dict_count(ninho_checked_dict(checked)), n);
    CHECK_OK(ninho_checked_verify(checked, NULL));
    ninho_checked_free(checked);
}

static void filters_that_cannot_be_checked_are_refused(void **state)
{
    ninho_checked *checked = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_spec spec = spec_for(NINHO_BLOOM, 100, .01);

    (void)state;
    CHECK_STATUS(ninho_checked_create(&spec, NULL, &checked, &error),
                 NINHO_ERR_UNSUPPORTED);
    spec.kind = NINHO_CUCKOO;
    spec.key_encoding = NINHO_KEY_HASHES;
    CHECK_STATUS(ninho_checked_create(&spec, NULL, &checked, &error),
                 NINHO_ERR_UNSUPPORTED);
    spec.key_encoding = NINHO_KEY_BYTES;
    spec.hash = NINHO_HASH_SIPHASH;
    CHECK_STATUS(ninho_checked_create(&spec, NULL, &checked, &error),
                 NINHO_ERR_KEY_MISSING);
    CHECK_STATUS(ninho_checked_create(NULL, NULL, &checked, &error), NINHO_ERR_ARG);
    CHECK(!checked);
    ninho_filter *filter = built_of(&(ninho_spec){.size_of_struct = sizeof spec,
                                                  .kind = NINHO_CUCKOO,
                                                  .capacity = 10,
                                                  .fpr = .01},
                                    NULL, 0);
    CHECK(!ninho_filter_is_checked(filter));
    CHECK_STATUS(ninho_checked_of(filter, NULL, &checked, &error), NINHO_ERR_NOT_FOUND);
    CHECK_OK(ninho_filter_set_attachment(filter, "NINHO\0 and no more", 18));
    CHECK(ninho_filter_is_checked(filter));
    CHECK_STATUS(ninho_checked_of(filter, NULL, &checked, &error), NINHO_ERR_VERSION);
    CHECK(!checked);
    CHECK_OK(ninho_filter_set_attachment(filter, "not a dictionary", 16));
    CHECK(!ninho_filter_is_checked(filter) && !ninho_filter_is_checked(NULL));
    ninho_filter_free(filter);
    ninho_checked_free(NULL);
}

/* Joined under other semantics than it had: files say the new ones. */
static void join_says_which_semantics(void **state)
{
    ninho_spec spec = spec_for(NINHO_CUCKOO, 100, .01);
    ninho_dict_spec dict_spec = NINHO_DICT_SPEC_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_filter *filter = NULL;
    ninho_dict *dict = NULL;
    ninho_checked *checked = NULL;

    (void)state;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    CHECK_OK(ninho_dict_create(&dict_spec, NULL, &dict, NULL));
    CHECK_STATUS(
        ninho_checked_join(filter, dict, (ninho_semantics)2, NULL, &checked, &error),
        NINHO_ERR_ARG);
    CHECK(error.field == NINHO_FIELD_SEMANTICS);
    CHECK_OK(ninho_filter_set_meta(filter, "ninho.semantics", "set"));
    CHECK_OK(ninho_checked_join(filter, dict, NINHO_MULTISET, NULL, &checked, NULL));
    CHECK_OK(add(checked, 1, NULL));
    CHECK_OK(add(checked, 1, NULL));
    ninho_checked *again = opened_again(checked);
    CHECK(ninho_checked_semantics(again) == NINHO_MULTISET);
    CHECK_U64(copies(again, 1), 2);
    ninho_checked_free(again);
    ninho_checked_free(checked);
}

static void join_without_memory_leaves_the_filter_alone(void **state)
{
    ninho_spec spec = spec_for(NINHO_CUCKOO, 100, .01);
    ninho_dict_spec dict_spec = NINHO_DICT_SPEC_INIT;
    ninho_filter *filter = NULL;
    ninho_dict *dict = NULL;
    ninho_checked *checked = NULL;
    struct test_heap heap;
    bool found = true;

    (void)state;
    heap_init(&heap);
    heap_fail_at(&heap, 1);
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    CHECK_OK(ninho_dict_create(&dict_spec, NULL, &dict, NULL));
    CHECK_STATUS(ninho_checked_join(filter, dict, NINHO_SET, &heap.alloc, &checked, NULL),
                 NINHO_ERR_NOMEM);
    CHECK(!checked);
    CHECK_U64(ninho_filter_meta(filter, "ninho.semantics", NULL, 0, &found), 0);
    CHECK(!found);
    ninho_filter_free(filter);
    ninho_dict_free(dict);
}

/* Results are untouched by failures, and errors by success. */
static void nothing_is_said_that_is_not_so(void **state)
{
    ninho_checked *a = made(NINHO_QUOTIENT, 100, .01, NINHO_SET, NULL);
    ninho_checked *b = made(NINHO_QUOTIENT, 100, .01, NINHO_SET, NULL);
    ninho_error error = NINHO_ERROR_INIT;
    bool was_there = true;

    (void)state;
    CHECK_OK(add(b, 1, NULL));
    CHECK_OK(ninho_checked_union(a, b, &error));
    CHECK(error.status == NINHO_OK && !error.text[0]);
    ninho_status status = NINHO_OK;
    for (uint64_t i = 10; !status && i < 1000; i++) {
        was_there = true;
        status = add(a, i, &was_there);
    }
    CHECK_STATUS(status, NINHO_ERR_FULL);
    CHECK(was_there);
    ninho_checked_free(a);
    ninho_checked_free(b);
}

static void a_secret_is_the_secret_of_both(void **state)
{
    ninho_spec spec = spec_for(NINHO_CUCKOO, 100, .01);
    ninho_open_options options = NINHO_OPEN_INIT;
    ninho_filter *filter = NULL;
    ninho_checked *checked = NULL, *again = NULL;
    size_t size;

    (void)state;
    spec.hash = NINHO_HASH_SIPHASH;
    spec.secret = secret;
    CHECK_OK(ninho_checked_create(&spec, NULL, &checked, NULL));
    CHECK_OK(add(checked, 7, NULL));
    CHECK_OK(ninho_checked_pack(checked));
    uint8_t *bytes = encoded(ninho_checked_filter(checked), &size);
    options.allow_sealed = true;
    CHECK_OK(ninho_filter_decode(bytes, size, &options, &filter, NULL));
    CHECK_STATUS(ninho_checked_of(filter, &options, &again, NULL), NINHO_ERR_KEY_MISSING);
    options.secret = wrong;
    CHECK_STATUS(ninho_checked_of(filter, &options, &again, NULL), NINHO_ERR_KEY_WRONG);
    ninho_filter_free(filter);
    options.secret = secret;
    CHECK_OK(ninho_filter_decode(bytes, size, &options, &filter, NULL));
    CHECK_OK(ninho_checked_of(filter, &options, &again, NULL));
    CHECK_OK(take(again, 7));
    ninho_checked_free(again);
    ninho_checked_free(checked);
    free(bytes);
}

/* Every allocation fails in turn: nothing is lost, leaked or half done. */
/* Options of a caller that knows fewer of them end where they say. */
static void options_are_read_no_further_than_they_go(void **state)
{
    ninho_checked *checked = made(NINHO_CUCKOO, 10, .01, NINHO_SET, NULL);
    size_t size, n_taken = 0;

    (void)state;
    CHECK_OK(add(checked, 1, NULL));
    CHECK_OK(ninho_checked_pack(checked));
    uint8_t *bytes = encoded(ninho_checked_filter(checked), &size);
    for (size_t n = sizeof n; n <= sizeof(ninho_open_options); n += sizeof n) {
        /* what follows them is not an allocator */
        size_t theirs[2 * sizeof(ninho_open_options) / sizeof(size_t)];
        ninho_filter *filter = NULL;
        ninho_checked *again = NULL;
        memset(theirs, 0xee, sizeof theirs);
        memset(theirs, 0, n);
        theirs[0] = n;
        CHECK_OK(ninho_filter_decode(bytes, size, NULL, &filter, NULL));
        CHECK_OK(ninho_checked_of(filter, (const void *)theirs, &again, NULL));
        CHECK_U64(copies(again, 1), 1);
        ninho_checked_free(again);
        n_taken++;
    }
    CHECK(n_taken > 1);
    free(bytes);
    ninho_checked_free(checked);
}

static void no_memory_changes_nothing(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        struct test_heap heap;
        ninho_spec spec = spec_for(NINHO_CUCKOO, 50, .01);
        ninho_checked *checked = NULL;
        bool is_done = true;
        heap_init(&heap);
        heap_fail_at(&heap, n);
        const ninho_status status =
            ninho_checked_create(&spec, &heap.alloc, &checked, NULL);
        CHECK(status == NINHO_OK || status == NINHO_ERR_NOMEM);
        is_done = status == NINHO_OK;
        for (uint64_t i = 0; checked && i < 50; i++) {
            const ninho_status added = add(checked, i, NULL);
            CHECK(added == NINHO_OK || added == NINHO_ERR_NOMEM);
            is_done = is_done && added == NINHO_OK;
            CHECK_U64(copies(checked, i), added == NINHO_OK);
        }
        if (checked) {
            CHECK_OK(ninho_checked_verify(checked, NULL));
            const ninho_status packed = ninho_checked_pack(checked);
            CHECK(packed == NINHO_OK || packed == NINHO_ERR_NOMEM);
            is_done = is_done && packed == NINHO_OK;
        }
        ninho_checked_free(checked);
        CHECK_U64(heap.live_bytes, 0);
        if (is_done && !heap.n_refused)
            break;
    }
}

/* What verify is for: a filter that was changed behind its dictionary's back. */
static void verify_sees_a_filter_that_went_its_own_way(void **state)
{
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    ninho_checked *checked = made(NINHO_QUOTIENT, 100, .001, NINHO_MULTISET, NULL);
    for (uint64_t i = 0; i < 50; i++)
        CHECK_OK(add(checked, i, NULL));
    CHECK_OK(ninho_checked_pack(checked));
    size_t size;
    uint8_t *bytes = encoded(ninho_checked_filter(checked), &size);
    ninho_filter *filter = NULL;
    ninho_checked *again = NULL;
    CHECK_OK(ninho_filter_decode(bytes, size, NULL, &filter, NULL));
    CHECK_OK(ninho_filter_add_key(filter, "stranger", 8));
    CHECK_OK(ninho_checked_of(filter, NULL, &again, NULL));
    CHECK_STATUS(ninho_checked_verify(again, &error), NINHO_ERR_FORMAT);
    ninho_checked_free(again);
    CHECK_OK(ninho_filter_decode(bytes, size, NULL, &filter, NULL));
    const struct key key = key_of(3);
    CHECK_OK(ninho_filter_remove_key(filter, key.text, key.size));
    CHECK_OK(ninho_checked_of(filter, NULL, &again, NULL));
    CHECK_STATUS(ninho_checked_verify(again, &error), NINHO_ERR_FORMAT);
    CHECK_STATUS(take(again, 3), NINHO_ERR_FORMAT);
    /* and neither is united */
    CHECK_STATUS(ninho_checked_union(checked, again, &error), NINHO_ERR_FORMAT);
    CHECK_STATUS(ninho_checked_union(again, checked, &error), NINHO_ERR_FORMAT);
    CHECK_OK(ninho_checked_verify(checked, NULL));
    ninho_checked_free(again);
    ninho_checked_free(checked);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_never_added_is_not_removed),
        cmocka_unit_test(sets_keep_each_key_once_and_multisets_copies),
        cmocka_unit_test(unions_add_up_or_keep_once),
        cmocka_unit_test(a_union_that_fails_changes_nothing),
        cmocka_unit_test(an_add_without_room_changes_neither),
        cmocka_unit_test(filters_that_cannot_be_checked_are_refused),
        cmocka_unit_test(join_says_which_semantics),
        cmocka_unit_test(join_without_memory_leaves_the_filter_alone),
        cmocka_unit_test(nothing_is_said_that_is_not_so),
        cmocka_unit_test(a_secret_is_the_secret_of_both),
        cmocka_unit_test(options_are_read_no_further_than_they_go),
        cmocka_unit_test(no_memory_changes_nothing),
        cmocka_unit_test(verify_sees_a_filter_that_went_its_own_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
