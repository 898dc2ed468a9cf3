/* SPDX-License-Identifier: MIT */
/* Damaged stores: whatever happened to a file, it is refused or its answers are right. A signal would
 * end this program, and so fail it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/hyphen/small.h"
#include "support/test.h"

/* A store of a few words, and its bytes as they should be. */
struct store {
    struct temp_dir dir;
    char path[512];
    ninho_hyphen_store_options options;
    uint8_t *bytes;
    size_t size;
};

static ninho_hyphen_language *language;

static void store_make(struct store *store, ninho_hyphen_store kind)
{
    ninho_hyphen_rules *rules = small_rules(NULL, "ta-ble chair so-fa-bed");
    ninho_hyphen_exceptions *exceptions;

    temp_dir_make(&store->dir);
    store->options = (ninho_hyphen_store_options)NINHO_HYPHEN_STORE_OPTIONS_INIT;
    store->options.store = kind;
    store->options.path = temp_path(&store->dir, "store", store->path);
    store->options.language = "en-us";
    CHECK_OK(
        ninho_hyphen_exceptions_create(&store->options, rules, NULL, &exceptions, NULL));
    ninho_hyphen_exceptions_free(exceptions);
    ninho_hyphen_rules_free(rules);
    store->bytes = file_read(store->path, &store->size);
}

static void store_remove(struct store *store)
{
    free(store->bytes);
    temp_dir_remove(&store->dir);
}

static void check_answers(const ninho_hyphen_exceptions *exceptions)
{
    static const char *const words[][2] = {
        {"table", "ta-ble"}, {"chair", "chair"}, {"Sofabed", "So-fa-bed"}};
    ninho_hyphen_store_info info = NINHO_HYPHEN_STORE_INFO_INIT;
    ninho_hyphenator *hyphenator;

    CHECK_OK(ninho_hyphenator_create(language, exceptions, NULL, &hyphenator, NULL));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(broken_by(hyphenator, words[i][0]), words[i][1]) != 0)
            test_fail(__FILE__, __LINE__, "%s is not broken %s", words[i][0],
                      words[i][1]);
    CHECK_OK(ninho_hyphenator_status(hyphenator, NULL));
    CHECK_OK(ninho_hyphen_store_info_of(exceptions, &info));
    CHECK_U64(info.count, 3);
    ninho_hyphenator_free(hyphenator);
}

/* Opens the store as it lies there: whether it opened. */
static bool opens(const struct store *store)
{
    ninho_hyphen_exceptions *exceptions = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_hyphen_exceptions_create(&store->options, NULL, NULL, &exceptions,
                                       &error)) {
        CHECK(error.text[0] != '\0');
        assert_null(exceptions);
        return false;
    }
    check_answers(exceptions);
    ninho_hyphen_exceptions_free(exceptions);
    return true;
}

static void change_byte(const char *path, size_t at, uint8_t byte)
{
    FILE *file = fopen(path, "r+b");

    assert_non_null(file);
    CHECK(fseek(file, (long)at, SEEK_SET) == 0 && fputc(byte, file) == byte);
    CHECK(fclose(file) == 0);
}

/* Each byte of a file of the store, with these bits turned over. */
static void damage_bytes(const struct store *store, const char *path, uint8_t bits)
{
    size_t size;
    uint8_t *bytes = file_read(path, &size);

    for (size_t i = 0; i < size; i++) {
        test_where("%s: byte %zu, bits %02x", path, i, bits);
        change_byte(path, i, bytes[i] ^ bits);
        CHECK(!opens(store));
        change_byte(path, i, bytes[i]);
    }
    free(bytes);
    CHECK(opens(store));
}

static void every_byte_of_a_file_counts(void **state)
{
    struct store store;
    (void)state;
    store_make(&store, NINHO_HYPHEN_FILE);
    for (unsigned bit = 0; bit < 8; bit++)
        damage_bytes(&store, store.path, (uint8_t)(1U << bit));
    damage_bytes(&store, store.path, 0xFF);
    store_remove(&store);
}

static void every_byte_of_lmdb_and_its_checksum_counts(void **state)
{
    struct store store;
    char sum[512];
    (void)state;
    if (!ninho_hyphen_has_store(NINHO_HYPHEN_LMDB))
        skip();
    store_make(&store, NINHO_HYPHEN_LMDB);
    damage_bytes(&store, store.path, 0xFF);
    damage_bytes(&store, temp_path(&store.dir, "store-sum", sum), 0xFF);
    damage_bytes(&store, sum, 0x01);
    store_remove(&store);
}

static void another_length_is_refused(void **state)
{
    struct store store;
    uint8_t more[9000] = {0};
    (void)state;
    for (int kind = NINHO_HYPHEN_LMDB; kind <= NINHO_HYPHEN_FILE; kind++) {
        if (!ninho_hyphen_has_store((ninho_hyphen_store)kind))
            continue;
        store_make(&store, (ninho_hyphen_store)kind);
        const size_t step = store.size / 400 + 1;
        for (size_t size = 0; size < store.size; size += step) {
            test_where("%s: %zu bytes", ninho_hyphen_store_name((ninho_hyphen_store)kind),
                       size);
            CHECK(truncate(store.path, (off_t)size) == 0);
            CHECK(!opens(&store));
            file_write(store.path, store.bytes, store.size);
        }
        for (size_t n = 1; n < sizeof more; n = 2 * n + 1) {
            FILE *file = fopen(store.path, "ab");
            assert_non_null(file);
            CHECK(fwrite(more, 1, n, file) == n && fclose(file) == 0);
            CHECK(!opens(&store));
            CHECK(truncate(store.path, (off_t)store.size) == 0);
        }
        CHECK(opens(&store));
        store_remove(&store);
    }
}

/* ---- While it is open ------------------------------------------------------------------------ */

/* The file is what it was given here, under the feet of a program that has the store open. */
static void change_under_feet(struct store *store, const void *bytes, size_t size)
{
    ninho_hyphen_exceptions *exceptions;
    ninho_error error = NINHO_ERROR_INIT;
    size_t size_after;

    CHECK_OK(
        ninho_hyphen_exceptions_create(&store->options, NULL, NULL, &exceptions, NULL));
    if (bytes)
        file_write(store->path, bytes, size);
    else
        CHECK(unlink(store->path) == 0);
    check_answers(exceptions);
    CHECK(ninho_hyphen_exceptions_add(exceptions, "ward-robe", 9, &error) != NINHO_OK);
    CHECK(ninho_hyphen_exceptions_remove(exceptions, "table", 5, NULL, &error) !=
          NINHO_OK);
    CHECK(ninho_hyphen_exceptions_rebuild(exceptions, &error) != NINHO_OK);
    check_answers(exceptions);
    ninho_hyphen_exceptions_free(exceptions);
    if (bytes) { /* not written over: it may be another program's by now */
        uint8_t *after = file_read(store->path, &size_after);
        CHECK(size_after == size && memcmp(after, bytes, size) == 0);
        free(after);
    }
    file_write(store->path, store->bytes, store->size);
}

static void a_file_may_change_while_it_is_open(void **state)
{
    struct store store;
    (void)state;
    store_make(&store, NINHO_HYPHEN_FILE);
    uint8_t *longer = calloc(store.size + 100, 1);
    assert_non_null(longer);
    memcpy(longer, store.bytes, store.size);
    change_under_feet(&store, longer, store.size + 100);
    change_under_feet(&store, longer, store.size / 2);
    change_under_feet(&store, longer, 0);
    change_under_feet(&store, NULL, 0);
    free(longer);
    store_remove(&store);
}

/* ---- Made to deceive: every checksum is right ------------------------------------------------ */

struct record {
    const char *key;
    size_t size;
    uint64_t value;
};

#define KEY(text) (text), sizeof(text) - 1
#define MARK(value)                       \
    {                                     \
        KEY("\0hyphen-exceptions"), value \
    }

static void check_records(const struct store *store, const struct record *records,
                          size_t n, ninho_status expected)
{
    ninho_hyphen_exceptions *exceptions = NULL;
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict;

    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    for (size_t i = 0; i < n; i++)
        CHECK_OK(ninho_dict_put(dict, records[i].key, records[i].size, records[i].value,
                                NULL));
    CHECK_OK(ninho_dict_save(dict, store->path, NULL));
    ninho_dict_free(dict);
    CHECK_STATUS(
        ninho_hyphen_exceptions_create(&store->options, NULL, NULL, &exceptions, NULL),
        expected);
    ninho_hyphen_exceptions_free(exceptions);
}

static void what_no_store_holds_is_refused(void **state)
{
    static const struct record fine[] = {
        MARK(1), {KEY("\0language en-us"), 0}, {KEY("table"), 4}};
    static const struct record unmarked[] = {{KEY("table"), 4}};
    static const struct record newer[] = {MARK(2), {KEY("table"), 4}};
    static const struct record strange[] = {
        {KEY("table"), 1},          /* before the first letter */
        {KEY("table"), 32},         /* behind the last one */
        {KEY("table"), UINT64_MAX}, /* everywhere */
        {KEY("ta\xFF"
             "ble"),
         4},                             /* not UTF-8 */
        {KEY(""), 0},                    /* no letter */
        {KEY("\0other"), 0},             /* not known */
        {KEY("\0language "), 0},         /* of no language */
        {KEY("\0language \x1B[31m"), 0}, /* or one that paints the terminal */
        {KEY("\0language pt"), 0},       /* or another's */
        {KEY("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), 0}};
    static const struct record two[] = {
        MARK(1), {KEY("\0language en-us"), 0}, {KEY("\0language pt"), 0}};
    struct store store;
    (void)state;
    store_make(&store, NINHO_HYPHEN_FILE);
    check_records(&store, fine, 3, NINHO_OK);
    check_records(&store, unmarked, 1, NINHO_ERR_FORMAT);
    check_records(&store, newer, 2, NINHO_ERR_VERSION);
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++) {
        const struct record records[] = {MARK(1), strange[i]};
        test_where("record %zu", i);
        check_records(&store, records, 2, NINHO_ERR_FORMAT);
    }
    store.options.language = NULL;
    check_records(&store, two, 3, NINHO_ERR_FORMAT);
    store_remove(&store);
}

/* ---- LMDB's checksum ------------------------------------------------------------------------- */

static void lmdb_without_a_checksum_is_opened_on_trust(void **state)
{
    struct store store;
    char sum[512];
    (void)state;
    if (!ninho_hyphen_has_store(NINHO_HYPHEN_LMDB))
        skip();
    store_make(&store, NINHO_HYPHEN_LMDB);
    (void)temp_path(&store.dir, "store-sum", sum);
    for (int how = 0; how < 3; how++) {
        test_where("way %d", how);
        if (how == 0)
            CHECK(unlink(sum) == 0);
        else
            CHECK(truncate(sum, how == 1 ? 0 : 23) == 0);
        CHECK(!opens(&store));
        CHECK_U64(file_size(store.path), store.size);
        store.options.trust = NINHO_HYPHEN_TRUST;
        CHECK(opens(&store));
        store.options.trust = NINHO_HYPHEN_CHECK;
        CHECK(opens(&store)); /* it got one */
    }
    /* a checksum without its file does not become a new store, unless it is told to */
    CHECK(unlink(store.path) == 0);
    CHECK(!opens(&store));
    CHECK(file_size(store.path) == -1);
    ninho_hyphen_exceptions *exceptions;
    store.options.trust = NINHO_HYPHEN_TRUST;
    CHECK_OK(
        ninho_hyphen_exceptions_create(&store.options, NULL, NULL, &exceptions, NULL));
    ninho_hyphen_exceptions_free(exceptions);
    store_remove(&store);
}

/* What trust must not do: write over files that are not ours. */
static void check_beside(const char *name, bool is_hard)
{
    static const char text[] = "a file of great value";
    struct store store;
    char victim[512], beside[512];
    size_t size;

    store_make(&store, NINHO_HYPHEN_LMDB);
    file_write(temp_path(&store.dir, "victim", victim), text, sizeof text);
    CHECK(unlink(temp_path(&store.dir, name, beside)) == 0);
    CHECK((is_hard ? link(victim, beside) : symlink("victim", beside)) == 0);
    for (int trust = 0; trust < 2; trust++) {
        test_where("%s, %s, trust %d", name, is_hard ? "hard" : "symbolic", trust);
        store.options.trust = trust ? NINHO_HYPHEN_TRUST : NINHO_HYPHEN_CHECK;
        CHECK(!opens(&store));
    }
    /* and what lies there under its own name */
    CHECK(unlink(beside) == 0);
    file_write(beside, text, sizeof text);
    CHECK(!opens(&store));
    for (int i = 0; i < 2; i++) {
        uint8_t *after = file_read(i ? beside : victim, &size);
        CHECK(size == sizeof text && memcmp(after, text, size) == 0);
        free(after);
    }
    /* nor does a store that is not there yet */
    CHECK(unlink(store.path) == 0 && unlink(beside) == 0);
    CHECK(symlink("nothing", beside) == 0);
    CHECK(!opens(&store));
    CHECK(file_size(store.path) == -1);
    CHECK(file_size(temp_path(&store.dir, "nothing", victim)) == -1);
    store_remove(&store);
}

static void what_lies_beside_lmdb_is_not_written_over(void **state)
{
    (void)state;
    if (!ninho_hyphen_has_store(NINHO_HYPHEN_LMDB))
        skip();
    for (int is_hard = 0; is_hard < 2; is_hard++) {
        check_beside("store-sum", is_hard);
        check_beside("store-lock", is_hard);
    }
}

static void what_is_not_lmdb_is_left_alone(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        const char *message;
    } cases[] = {{"words", 5, "not an LMDB file"},
                 {"a file of words, longer than a header", 37, "not an LMDB file"},
                 {"NINHO\0more of it", 16, "which the store file opens"}};
    struct store store;
    (void)state;
    if (!ninho_hyphen_has_store(NINHO_HYPHEN_LMDB))
        skip();
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        ninho_hyphen_exceptions *exceptions = NULL;
        ninho_error error = NINHO_ERROR_INIT;
        char beside[512];
        store_make(&store, NINHO_HYPHEN_LMDB);
        store.options.trust = i % 2 ? NINHO_HYPHEN_TRUST : NINHO_HYPHEN_CHECK;
        CHECK(unlink(temp_path(&store.dir, "store-sum", beside)) == 0);
        CHECK(unlink(temp_path(&store.dir, "store-lock", beside)) == 0);
        file_write(store.path, cases[i / 2].text, cases[i / 2].size);
        CHECK_STATUS(ninho_hyphen_exceptions_create(&store.options, NULL, NULL,
                                                    &exceptions, &error),
                     NINHO_ERR_FORMAT);
        test_where("case %zu: %s", i, error.text);
        CHECK(strstr(error.text, cases[i / 2].message) != NULL);
        CHECK_U64(temp_dir_count(&store.dir), 1);
        store_remove(&store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_of_a_file_counts),
        cmocka_unit_test(every_byte_of_lmdb_and_its_checksum_counts),
        cmocka_unit_test(another_length_is_refused),
        cmocka_unit_test(a_file_may_change_while_it_is_open),
        cmocka_unit_test(what_no_store_holds_is_refused),
        cmocka_unit_test(lmdb_without_a_checksum_is_opened_on_trust),
        cmocka_unit_test(what_lies_beside_lmdb_is_not_written_over),
        cmocka_unit_test(what_is_not_lmdb_is_left_alone),
    };
    language = small_language(small_patterns, NULL, 2, 3);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ninho_hyphen_language_free(language);
    return failed;
}
