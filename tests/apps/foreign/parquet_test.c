/* SPDX-License-Identifier: MIT */
/* Parquet: what is in a file, what its filters answer, and bytes that are not what they say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made.h"
#include "support/test.h"

static ninho_parquet *opened(struct memory_file *file, const ninho_alloc *alloc)
{
    const ninho_parquet_source source = memory_source(file);
    ninho_parquet *parquet = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    CHECK_OK(ninho_parquet_open(&source, alloc, &parquet, &error));
    return parquet;
}

/* Asks a whole file for every value; the answers themselves, one bit per group and column. */
static uint64_t ask_all(ninho_parquet *parquet)
{
    uint64_t answers = 0;
    unsigned bit = 0;

    for (size_t g = 0; g < MADE_GROUPS; g++)
        for (size_t c = 0; c < MADE_COLUMNS; c++, bit++) {
            const char *text = made_columns[c].value;
            const ninho_filter *filter;
            ninho_parquet_value value;
            ninho_parquet_answer answer;
            uint64_t size;
            CHECK_OK(ninho_parquet_value_of(ninho_parquet_column_at(parquet, c), text,
                                            strlen(text), &value, NULL));
            CHECK_OK(ninho_parquet_ask(parquet, g, c, &value, &answer, NULL));
            if (answer != NINHO_PARQUET_NO)
                answers |= UINT64_C(1) << bit;
            /* a whole filter says the same */
            CHECK_OK(ninho_parquet_filter(parquet, g, c, &filter, NULL));
            CHECK_OK(ninho_parquet_filter_size(parquet, g, c, &size, NULL));
            CHECK(!filter == (answer == NINHO_PARQUET_NO_FILTER) && !filter == !size);
            if (filter)
                CHECK(ninho_filter_has(filter, value.hashes[0]) ==
                      (answer == NINHO_PARQUET_MAYBE));
        }
    return answers;
}

/* All of group 0; of group 1 only the last, which has no filter. */
#define ALL_ANSWERS \
    (((UINT64_C(1) << MADE_COLUMNS) - 1) | UINT64_C(1) << (2 * MADE_COLUMNS - 1))

static void a_file_is_read(void **state)
{
    static uint8_t bytes[MADE_ROOM];

    (void)state;
    for (int old = 0; old < 2; old++) {
        struct memory_file file = {.bytes = bytes, .size = made_file(bytes, old)};
        ninho_parquet *parquet = opened(&file, NULL);
        CHECK_U64(ninho_parquet_n_columns(parquet), MADE_COLUMNS);
        CHECK_U64(ninho_parquet_n_groups(parquet), MADE_GROUPS);
        CHECK_U64(ninho_parquet_n_rows(parquet, 1), 50);
        CHECK_U64(ninho_parquet_find(parquet, "deep.leaf"), MADE_COLUMNS - 1);
        CHECK(ninho_parquet_find(parquet, "leaf") == SIZE_MAX);
        CHECK_U64(ask_all(parquet), ALL_ANSWERS);
        ninho_parquet_free(parquet);
    }
}

/* Answers of a file with an oddity to a value that its empty filter does not have. */
static ninho_status ask_odd(enum made_oddity oddity, ninho_parquet_answer *answer)
{
    static uint8_t bytes[MADE_ROOM];
    struct memory_file file = {.bytes = bytes, .size = made_odd_file(bytes, oddity)};
    const ninho_parquet_source source = memory_source(&file);
    ninho_parquet *parquet = NULL;
    ninho_parquet_value value;
    ninho_error error = NINHO_ERROR_INIT;

    ninho_status status = ninho_parquet_open(&source, NULL, &parquet, &error);
    if (!status)
        CHECK_OK(ninho_parquet_value_of(ninho_parquet_column_at(parquet, 0), "7", 1,
                                        &value, NULL));
    if (!status)
        status = ninho_parquet_ask(parquet, 0, 0, &value, answer, &error);
    CHECK(!status || error.text[0]);
    ninho_parquet_free(parquet);
    return status;
}

static void filters_that_cannot_be_read_tell_nothing(void **state)
{
    ninho_parquet_answer answer = NINHO_PARQUET_MAYBE;

    (void)state;
    CHECK_OK(ask_odd(MADE_NOTHING, &answer));
    CHECK(answer == NINHO_PARQUET_NO);
    CHECK_OK(ask_odd(MADE_OWN_FIELD, &answer));
    CHECK(answer == NINHO_PARQUET_NO);
    CHECK_OK(ask_odd(MADE_ELSEWHERE, &answer));
    CHECK(answer == NINHO_PARQUET_NO_FILTER);
    CHECK_OK(ask_odd(MADE_ENCRYPTED, &answer));
    CHECK(answer == NINHO_PARQUET_NO_FILTER);
    CHECK_STATUS(ask_odd(MADE_EARLY_GROUP, &answer), NINHO_ERR_FORMAT);
    CHECK_STATUS(ask_odd(MADE_LATE_OFFSET, &answer), NINHO_ERR_FORMAT);
    CHECK_STATUS(ask_odd(MADE_LONG_FILTER, &answer), NINHO_ERR_FORMAT);
}

/* Whatever the size of a filter, a question reads a block of it, and it is the right one. */
static void a_block_answers_for_its_filter(void **state)
{
    static uint8_t bytes[MADE_ROOM];
    struct memory_file file = {.bytes = bytes, .size = made_odd_file(bytes, MADE_LARGE)};
    ninho_parquet *parquet = opened(&file, NULL);
    const ninho_filter *filter;
    size_t n_maybe = 0;
    uint64_t size;

    (void)state;
    CHECK_OK(ninho_parquet_filter(parquet, 0, 0, &filter, NULL));
    CHECK_OK(ninho_parquet_filter_size(parquet, 0, 0, &size, NULL));
    CHECK(size > 1000);
    for (int i = 0; i < 3 * MADE_LARGE_VALUES; i++) {
        ninho_parquet_value value;
        ninho_parquet_answer answer;
        char text[16];
        (void)snprintf(text, sizeof text, "%d", i);
        CHECK_OK(ninho_parquet_value_of(ninho_parquet_column_at(parquet, 0), text,
                                        strlen(text), &value, NULL));
        file.n_read = 0;
        CHECK_OK(ninho_parquet_ask(parquet, 0, 0, &value, &answer, NULL));
        CHECK_U64(file.n_read, 32); /* the header is known by now */
        CHECK((answer == NINHO_PARQUET_MAYBE) ==
              ninho_filter_has(filter, value.hashes[0]));
        CHECK(i >= MADE_LARGE_VALUES || answer == NINHO_PARQUET_MAYBE);
        n_maybe += answer == NINHO_PARQUET_MAYBE;
    }
    CHECK(n_maybe < MADE_LARGE_VALUES + 100);
    ninho_parquet_free(parquet);
}

static uint8_t *put_varint(uint8_t *at, size_t number)
{
    for (; number >= 0x80; number >>= 7)
        *at++ = (uint8_t)(number | 0x80);
    *at++ = (uint8_t)number;
    return at;
}

static uint8_t *put_bytes(uint8_t *at, const char *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

/* A group with a long name and leaves of three bytes each, of which every path begins with it. */
static void paths_do_not_take_more_than_the_file_is_worth(void **state)
{
    enum { LEAVES = 20000, NAME = 1000, ROOM = 3 * LEAVES + NAME + 64 };
    uint8_t *bytes = calloc(1, ROOM);
    struct test_heap heap;
    ninho_parquet *parquet = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    uint8_t *at = put_bytes(bytes + 4, "\x29\xfc", 2); /* the schema, a list */
    at = put_varint(at, LEAVES + 2);
    at = put_bytes(at, "\x55\2\0\x48", 4); /* the root, one child; the group, its name */
    at = put_varint(at, NAME);
    memset(at, 'x', NAME);
    at = put_bytes(at + NAME, "\x15", 1); /* its children */
    at = put_varint(at, 2 * LEAVES);
    at = put_bytes(at, "", 1);
    for (size_t i = 0; i < LEAVES; i++)
        at = put_bytes(at, "\x15\2\0", 3); /* of type 1, no name */
    *at++ = 0;
    struct memory_file file = {.bytes = bytes,
                               .size = made_finish(bytes, 4, (size_t)(at - bytes))};
    const ninho_parquet_source source = memory_source(&file);
    heap_init(&heap);
    CHECK_STATUS(ninho_parquet_open(&source, &heap.alloc, &parquet, &error),
                 NINHO_ERR_FORMAT);
    test_where("%zu bytes for a file of %zu", heap.peak_bytes, file.size);
    CHECK(heap.peak_bytes > 10 * file.size && heap.peak_bytes < 100 * file.size);
    free(bytes);
}

/* "hello", "parquet", "bloom" and "filter" in 1,024 bytes, as parquet-mr wrote them into bloom_filter.xxhash.bin of
 * apache/parquet-testing: the hash of that file. */
static void the_bytes_are_those_of_parquet_mr(void **state)
{
    static const char *const words[] = {"hello", "parquet", "bloom", "filter"};
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    uint8_t bytes[1040];
    size_t size = 0;

    (void)state;
    spec.kind = NINHO_BLOCKED;
    spec.hash = NINHO_HASH_XXH64;
    spec.capacity = 4;
    spec.n_bits = 8192;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    for (size_t i = 0; i < 4; i++)
        CHECK_OK(ninho_filter_add_key(filter, words[i], strlen(words[i])));
    CHECK_OK(ninho_parquet_encode(filter, bytes, sizeof bytes, &size, NULL));
    CHECK_U64(size, sizeof bytes);
    CHECK_U64(made_hash(bytes, size), UINT64_C(0x0886acfce1f087ea));
    ninho_filter_free(filter);
}

static void filters_go_out_and_in(void **state)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    const ninho_filter *seen;
    ninho_view view;
    ninho_error error = NINHO_ERROR_INIT;
    size_t size = 0, used = 0;

    (void)state;
    spec.kind = NINHO_BLOCKED;
    spec.hash = NINHO_HASH_XXH64;
    spec.capacity = 1000;
    spec.fpr = 0.01;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, &error));
    for (uint64_t i = 0; i < 1000; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    CHECK_STATUS(ninho_parquet_encode(filter, NULL, 0, &size, &error), NINHO_ERR_SPACE);
    uint8_t *bytes = malloc(size + 1);
    bytes[size] = 0x5a;
    CHECK_STATUS(ninho_parquet_encode(filter, bytes, size - 1, &size, &error),
                 NINHO_ERR_SPACE);
    CHECK_OK(ninho_parquet_encode(filter, bytes, size, &size, &error));
    CHECK(bytes[size] == 0x5a && bytes[0] == 0x15);
    CHECK_OK(ninho_parquet_view(&view, bytes, size + 1, &used, &seen, &error));
    CHECK_U64(used, size);
    for (uint64_t i = 0; i < 3000; i++)
        CHECK(ninho_filter_has(seen, mix64(i)) == ninho_filter_has(filter, mix64(i)));
    for (size_t n = 0; n < size; n++)
        CHECK_STATUS(ninho_parquet_view(&view, bytes, n, &used, &seen, &error),
                     NINHO_ERR_FORMAT);
    free(bytes);
    ninho_filter_free(filter);
}

static void headers_of_other_kinds_are_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        ninho_status status;
    } cases[] = {
        {"\x0c\0\0\0", 4, NINHO_ERR_UNSUPPORTED}, /* a field with the number 0 */
        {"\x15\x40\0", 3, NINHO_ERR_UNSUPPORTED}, /* no algorithm */
        {"\x15\x40\x1c\x2c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0", 15, NINHO_ERR_UNSUPPORTED},
        {"\x15\x3f\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0", 15,
         NINHO_ERR_FORMAT}, /* -32 bytes */
        {"\x15\x40\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0", 15,
         NINHO_ERR_FORMAT},                  /* 32, none there */
        {"\x18\x40\0", 3, NINHO_ERR_FORMAT}, /* bytes, not a number */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ninho_filter *seen;
        ninho_view view;
        ninho_error error = NINHO_ERROR_INIT;
        size_t used;
        test_where("case %zu", i);
        CHECK_STATUS(ninho_parquet_view(&view, cases[i].bytes, cases[i].size, &used,
                                        &seen, &error),
                     cases[i].status);
        CHECK(error.text[0]);
    }
}

static void other_filters_are_refused(void **state)
{
    static const struct {
        ninho_kind kind;
        ninho_hash_id hash;
        uint64_t seed;
        ninho_key_encoding encoding;
    } cases[] = {
        {NINHO_BLOOM, NINHO_HASH_XXH64, 0, NINHO_KEY_BYTES},
        {NINHO_BLOCKED, NINHO_HASH_XXH3, 0, NINHO_KEY_BYTES},
        {NINHO_BLOCKED, NINHO_HASH_XXH64, 1, NINHO_KEY_BYTES},
        {NINHO_BLOCKED, NINHO_HASH_XXH64, 0, NINHO_KEY_UUID},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ninho_spec spec = NINHO_SPEC_INIT;
        ninho_filter *filter = NULL;
        ninho_error error = NINHO_ERROR_INIT;
        size_t size;
        spec.kind = cases[i].kind;
        spec.hash = cases[i].hash;
        spec.seed = cases[i].seed;
        spec.key_encoding = cases[i].encoding;
        spec.capacity = 10;
        spec.fpr = 0.01;
        CHECK_OK(ninho_filter_create(&spec, NULL, &filter, &error));
        CHECK_STATUS(ninho_parquet_encode(filter, NULL, 0, &size, &error),
                     NINHO_ERR_UNSUPPORTED);
        CHECK(error.text[0]);
        ninho_filter_free(filter);
    }
}

/* Opens and asks bytes of any kind: it may refuse, it may not read elsewhere. */
static void try_bytes(const uint8_t *bytes, size_t size)
{
    /* a block of its own, so that ASan sees a byte too far */
    uint8_t *copy = malloc(size ? size : 1);
    struct memory_file file = {.bytes = copy, .size = size};
    const ninho_parquet_source source = memory_source(&file);
    ninho_parquet *parquet = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    memcpy(copy, bytes, size);
    if (ninho_parquet_open(&source, NULL, &parquet, &error)) {
        CHECK(error.text[0] && !strchr(error.text, '\n'));
        CHECK(!parquet);
        free(copy);
        return;
    }
    const size_t n = ninho_parquet_n_columns(parquet);
    for (size_t g = 0; g < ninho_parquet_n_groups(parquet); g++)
        for (size_t c = 0; c < n; c++) {
            const ninho_parquet_value value = {.hashes = {mix64(c)}, .n_hashes = 1};
            const ninho_filter *filter;
            ninho_parquet_answer answer;
            if (!ninho_parquet_filter(parquet, g, c, &filter, &error) && filter) {
                CHECK_OK(ninho_parquet_ask(parquet, g, c, &value, &answer, &error));
                CHECK(ninho_filter_has(filter, mix64(c)) ==
                      (answer == NINHO_PARQUET_MAYBE));
            }
        }
    ninho_parquet_free(parquet);
    free(copy);
}

static void cut_and_changed_files_are_survived(void **state)
{
    static uint8_t bytes[MADE_ROOM];
    const size_t size = made_file(bytes, 0);

    (void)state;
    for (size_t n = 0; n < size; n++)
        try_bytes(bytes, n);
    for (size_t at = 0; at < size; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[at] ^= (uint8_t)(1u << bit);
            test_where("byte %zu, bit %u", at, bit);
            try_bytes(bytes, size);
            bytes[at] ^= (uint8_t)(1u << bit);
        }
}

static void no_memory_is_told(void **state)
{
    static uint8_t bytes[MADE_ROOM];
    struct memory_file file = {.bytes = bytes, .size = made_file(bytes, 0)};
    const ninho_parquet_source source = memory_source(&file);
    bool is_done = false;

    (void)state;
    for (size_t n = 1; !is_done; n++) {
        struct test_heap heap;
        ninho_parquet *parquet = NULL;
        const ninho_filter *filter;
        ninho_error error = NINHO_ERROR_INIT;
        heap_init(&heap);
        heap.fail_at = n;
        ninho_status status = ninho_parquet_open(&source, &heap.alloc, &parquet, &error);
        if (!status)
            status = ninho_parquet_filter(parquet, 0, 0, &filter, &error);
        CHECK(status == NINHO_OK || status == NINHO_ERR_NOMEM);
        is_done = status == NINHO_OK;
        ninho_parquet_free(parquet);
        CHECK_U64(heap.live_blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(filters_that_cannot_be_read_tell_nothing),
        cmocka_unit_test(a_block_answers_for_its_filter),
        cmocka_unit_test(paths_do_not_take_more_than_the_file_is_worth),
        cmocka_unit_test(the_bytes_are_those_of_parquet_mr),
        cmocka_unit_test(filters_go_out_and_in),
        cmocka_unit_test(headers_of_other_kinds_are_refused),
        cmocka_unit_test(other_filters_are_refused),
        cmocka_unit_test(cut_and_changed_files_are_survived),
        cmocka_unit_test(no_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
