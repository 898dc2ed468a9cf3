/* SPDX-License-Identifier: MIT */
/* Every allocation fails once: the call says so, nothing is lost, and nothing is left behind. */
#include <string.h>
#include <unistd.h>

#include "apps/hyphen/small.h"
#include "support/test.h"

/* Tries a call with its first, second, ... allocation failing, until it gets through. */
#define UNTIL_IT_WORKS(heap, call)                   \
    do {                                             \
        size_t n_ = 1;                               \
        const size_t live_ = (heap)->live_blocks;    \
        ninho_status status_;                        \
        for (;; n_++) {                              \
            heap_fail_at((heap), n_);                \
            status_ = (call);                        \
            if (status_ == NINHO_OK)                 \
                break;                               \
            CHECK_STATUS(status_, NINHO_ERR_NOMEM);  \
            CHECK((heap)->live_blocks <= live_ + 8); \
            CHECK(n_ < 10000);                       \
        }                                            \
        heap_fail_at((heap), 0);                     \
    } while (0)

static const char tex[] =
    "\\patterns{a1b abc2d e5f. .gh1 aaa1aaa bbb1bbb ccc1ccc ddd1ddd}\n"
    "\\hyphenation{ab-cd ef-gh ta-ble chair so-fa}";

static void rules_and_languages_survive(void **state)
{
    ninho_hyphen_rules *rules;
    ninho_hyphen_language *language, *again;
    struct test_heap heap;
    uint8_t bytes[16384];
    size_t size;
    (void)state;
    heap_init(&heap);
    UNTIL_IT_WORKS(&heap, ninho_hyphen_rules_create(&heap.alloc, &rules));
    CHECK_OK(ninho_hyphen_rules_add_exception(rules, "a-bcd", 5, NULL));
    UNTIL_IT_WORKS(&heap, ninho_hyphen_rules_read(rules, NINHO_HYPHEN_TEX, "f", tex,
                                                  sizeof tex - 1, NULL));
    CHECK_U64(ninho_hyphen_rules_count_patterns(rules), 8);
    CHECK_U64(ninho_hyphen_rules_count_exceptions(rules), 5);
    const size_t live = heap.live_blocks;
    for (size_t n = 1;; n++) {
        heap_fail_at(&heap, n);
        const ninho_status status =
            ninho_hyphen_compile(rules, NULL, &heap.alloc, &language, NULL);
        if (status == NINHO_OK)
            break;
        CHECK_STATUS(status, NINHO_ERR_NOMEM);
        CHECK_U64(heap.live_blocks, live);
    }
    heap_fail_at(&heap, 0);
    CHECK_BROKEN(language, "table", "ta-ble");
    CHECK_OK(ninho_hyphen_encode(language, bytes, sizeof bytes, &size));
    UNTIL_IT_WORKS(&heap, ninho_hyphen_decode(bytes, size, &heap.alloc, &again, NULL));
    CHECK_BROKEN(again, "table", "ta-ble");
    ninho_hyphen_language_free(again);
    ninho_hyphen_language_free(language);
    ninho_hyphen_rules_free(rules);
    CHECK_U64(heap.live_blocks, 0);
    CHECK_U64(heap.live_bytes, 0);
}

static void a_failed_read_is_undone(void **state)
{
    ninho_hyphen_rules *rules;
    struct test_heap heap;
    char word[64];
    (void)state;
    heap_init(&heap);
    CHECK_OK(ninho_hyphen_rules_create(&heap.alloc, &rules));
    CHECK_OK(ninho_hyphen_rules_add_exception(rules, "t-able", 6, NULL));
    for (size_t n = 1;; n++) {
        heap_fail_at(&heap, n);
        if (ninho_hyphen_rules_read(rules, NINHO_HYPHEN_TEX, "f", tex, sizeof tex - 1,
                                    NULL) == NINHO_OK)
            break;
        CHECK_U64(ninho_hyphen_rules_count_patterns(rules), 0);
        CHECK_U64(ninho_hyphen_rules_count_exceptions(rules), 1);
        CHECK_U64(ninho_hyphen_rules_exception(rules, 0, word, sizeof word), 6);
        CHECK(strcmp(word, "t-able") == 0);
    }
    heap_fail_at(&heap, 0);
    CHECK_U64(ninho_hyphen_rules_count_exceptions(rules), 5);
    ninho_hyphen_rules_free(rules);
    CHECK_U64(heap.live_blocks, 0);
}

/* With a filter of each kind in front. */
static void try_store(ninho_hyphen_store_options *options, const char *path)
{
    ninho_hyphen_rules *rules = small_rules(NULL, "ta-ble so-fa");
    ninho_hyphen_language *language = small_language(small_patterns, NULL, 2, 3);
    struct test_heap heap;
    ninho_kind kind;
    heap_init(&heap);
    for (size_t k = 0; (kind = ninho_kind_at(k)) != 0; k++) {
        ninho_hyphen_exceptions *exceptions;
        ninho_hyphenator *hyphenator;
        ninho_hyphen_stream *stream;
        test_where("%s %s", ninho_hyphen_store_name(options->store),
                   ninho_kind_name(kind));
        options->filter.kind = kind;
        options->filter.capacity = 2;
        (void)unlink(path);
        UNTIL_IT_WORKS(&heap, ninho_hyphen_exceptions_create(options, rules, &heap.alloc,
                                                             &exceptions, NULL));
        /* the filter is full: it is built anew */
        UNTIL_IT_WORKS(&heap, ninho_hyphen_exceptions_add(exceptions, "ch-air", 6, NULL));
        UNTIL_IT_WORKS(&heap, ninho_hyphen_exceptions_rebuild(exceptions, NULL));
        UNTIL_IT_WORKS(&heap, ninho_hyphenator_create(language, exceptions, &heap.alloc,
                                                      &hyphenator, NULL));
        CHECK(strcmp(broken_by(hyphenator, "chair"), "ch-air") == 0);
        CHECK(strcmp(broken_by(hyphenator, "table"), "ta-ble") == 0);
        UNTIL_IT_WORKS(&heap, ninho_hyphen_stream_create(hyphenator, NULL, NULL, NULL,
                                                         &heap.alloc, &stream, NULL));
        ninho_hyphen_stream_free(stream);
        ninho_hyphenator_free(hyphenator);
        ninho_hyphen_exceptions_free(exceptions);
        CHECK_U64(heap.live_blocks, 0);
    }
    ninho_hyphen_language_free(language);
    ninho_hyphen_rules_free(rules);
}

static void stores_hyphenators_and_streams_survive(void **state)
{
    ninho_hyphen_store_options options = NINHO_HYPHEN_STORE_OPTIONS_INIT;
    struct temp_dir dir;
    char path[512];
    (void)state;
    temp_dir_make(&dir);
    options.path = temp_path(&dir, "store", path);
    options.store = NINHO_HYPHEN_DICT;
    try_store(&options, path);
    options.store = NINHO_HYPHEN_FILE;
    options.language = "en-us";
    try_store(&options, path);
    temp_dir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_and_languages_survive),
        cmocka_unit_test(a_failed_read_is_undone),
        cmocka_unit_test(stores_hyphenators_and_streams_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
