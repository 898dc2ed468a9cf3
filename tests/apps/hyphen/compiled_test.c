/* SPDX-License-Identifier: MIT */
/* Compiled languages: bytes and files, whole and damaged. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/hyphen/compiled.h"
#include "apps/hyphen/small.h"
#include "support/test.h"

static uint8_t *encode(const ninho_hyphen_language *language, size_t *size)
{
    CHECK_STATUS(ninho_hyphen_encode(language, NULL, 0, size), NINHO_ERR_SPACE);
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    CHECK_OK(ninho_hyphen_encode(language, bytes, *size, NULL));
    return bytes;
}

/* Makes the checksum right again, so that the checks behind it are reached. */
static void fix_checksum(uint8_t *bytes, size_t size)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    const uint64_t sum = ninho_hash_bytes(&hasher, bytes + 32, size - 32);
    for (unsigned i = 0; i < 8; i++)
        bytes[24 + i] = (uint8_t)(sum >> (8 * i));
}

/* A language too large for whole rows: patterns of five letters, as random as can be. */
static ninho_hyphen_language *large_language(void)
{
    enum { N = 12000, SIZE = 8 };
    char *patterns = malloc(N * SIZE + 1);
    struct test_rng rng = {.state = 5};
    assert_non_null(patterns);
    for (size_t i = 0; i < N; i++) {
        char *p = patterns + i * SIZE;
        const uint64_t gap = rng_below(&rng, 6);
        for (unsigned k = 0, at = 0; k < 6; k++) {
            if (k == gap)
                p[at++] = (char)('1' + rng_below(&rng, 9));
            if (k < 5)
                p[at++] = (char)('a' + rng_below(&rng, 20));
        }
        p[6] = ' ';
        p[7] = ' ';
    }
    patterns[N * SIZE] = '\0';
    ninho_hyphen_language *language = small_language(patterns, "ab-cd-e", 1, 1);
    free(patterns);
    return language;
}

static void must_be_equal(const ninho_hyphen_language *a, const ninho_hyphen_language *b)
{
    struct test_rng rng = {.state = 9};
    for (int i = 0; i < 2000; i++) {
        char word[24];
        const size_t n = 3 + rng_below(&rng, 20);
        for (size_t k = 0; k < n; k++)
            word[k] = (char)('a' + rng_below(&rng, 22));
        word[n] = '\0';
        CHECK(strcmp(broken(a, word), broken(b, word)) == 0);
    }
}

static void bytes_come_back(void **state)
{
    ninho_hyphen_language *languages[] = {small_language(small_patterns, "ta-ble", 3, 4),
                                          large_language(),
                                          small_language(NULL, NULL, 0, 0)};
    (void)state;
    assert_non_null(languages[0]->flat); /* both layouts are tried */
    assert_null(languages[1]->flat);
    for (size_t i = 0; i < 3; i++) {
        ninho_hyphen_language *again;
        size_t size, size_again;
        uint8_t *bytes = encode(languages[i], &size);
        CHECK_OK(ninho_hyphen_decode(bytes, size, NULL, &again, NULL));
        must_be_equal(languages[i], again);
        uint8_t *bytes_again = encode(again, &size_again);
        CHECK_U64(size_again, size);
        CHECK(memcmp(bytes, bytes_again, size) == 0);
        free(bytes);
        free(bytes_again);
        ninho_hyphen_language_free(again);
        ninho_hyphen_language_free(languages[i]);
    }
}

static void everything_told_is_kept(void **state)
{
    ninho_hyphen_options options = NINHO_HYPHEN_OPTIONS_INIT;
    ninho_hyphen_info info = NINHO_HYPHEN_INFO_INIT;
    ninho_hyphen_rules *rules = small_rules("a1b c1d é1x", "ab-c");
    ninho_hyphen_language *language, *again;
    size_t size;
    (void)state;
    options.name = "xx-small";
    options.minima = (ninho_hyphen_minima){.left = 3, .right = 4};
    options.max_letters = 100;
    CHECK_OK(ninho_hyphen_compile(rules, &options, NULL, &language, NULL));
    CHECK_OK(ninho_hyphen_set_minima(language, (ninho_hyphen_minima){.left = 5}));
    uint8_t *bytes = encode(language, &size);
    CHECK(ninho_hyphen_is_compiled(bytes, size));
    CHECK_OK(ninho_hyphen_decode(bytes, size, NULL, &again, NULL));
    CHECK_OK(ninho_hyphen_info_of(again, &info));
    CHECK(strcmp(info.name, "xx-small") == 0);
    CHECK_U64(info.minima.left, 5);
    CHECK_U64(info.minima.right, 4);
    CHECK_U64(info.max_letters, 100);
    CHECK_U64(info.n_patterns, 3);
    CHECK_U64(info.n_exceptions, 1);
    CHECK_U64(info.n_letters, 6);
    CHECK_U64(info.size_bytes, size);
    CHECK(info.memory_bytes > size && !info.is_mapped);
    free(bytes);
    ninho_hyphen_language_free(language);
    ninho_hyphen_language_free(again);
    ninho_hyphen_rules_free(rules);
}

static void files_are_opened_and_mapped(void **state)
{
    ninho_hyphen_language *language = small_language(small_patterns, "ta-ble", 2, 3);
    ninho_hyphen_language *opened, *mapped;
    ninho_hyphen_info info = NINHO_HYPHEN_INFO_INIT;
    struct temp_dir dir;
    char path[512];
    const int fds = open_fd_count();
    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "x.hyph", path);
    CHECK_OK(ninho_hyphen_save(language, path, NULL));
    CHECK_OK(ninho_hyphen_save(language, path, NULL)); /* over the old one */
    CHECK_U64(temp_dir_count(&dir), 1);
    CHECK_OK(ninho_hyphen_open(path, NULL, &opened, NULL));
    CHECK_OK(ninho_hyphen_map(path, NULL, &mapped, NULL));
    CHECK_BROKEN(opened, "hyphenation", "hy-phen-ation");
    CHECK_BROKEN(mapped, "hyphenation", "hy-phen-ation");
    CHECK_OK(
        ninho_hyphen_set_minima(mapped, (ninho_hyphen_minima){.left = 3, .right = 3}));
    CHECK_BROKEN(mapped, "hyphenation", "hyphen-ation");
    CHECK_OK(ninho_hyphen_info_of(mapped, &info));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    CHECK(info.is_mapped);
#endif
    CHECK_U64(info.size_bytes, (uint64_t)file_size(path));
    ninho_hyphen_language_free(opened);
    ninho_hyphen_language_free(mapped);
    ninho_hyphen_language_free(language);
    CHECK_U64(open_fd_count(), fds);
    temp_dir_remove(&dir);
}

static void a_file_that_cannot_be_written_leaves_nothing(void **state)
{
    ninho_hyphen_language *language = small_language("a1b", NULL, 1, 1);
    struct temp_dir dir;
    ninho_error error = NINHO_ERROR_INIT;
    char path[512];
    (void)state;
    temp_dir_make(&dir);
    CHECK_STATUS(ninho_hyphen_save(language, temp_path(&dir, "no/x", path), &error),
                 NINHO_ERR_IO);
    CHECK(error.system_errno != 0);
    CHECK_STATUS(ninho_hyphen_save(language, dir.path, &error), NINHO_ERR_ARG);
    CHECK_U64(temp_dir_count(&dir), 0);
    temp_dir_remove(&dir);
    ninho_hyphen_language_free(language);
}

static void a_file_that_is_replaced_keeps_its_links_and_rights(void **state)
{
    ninho_hyphen_language *language = small_language(small_patterns, NULL, 2, 3);
    ninho_hyphen_language *opened;
    struct temp_dir dir;
    struct stat about;
    char path[512], link[512], lost[512];
    (void)state;
    temp_dir_make(&dir);
    CHECK_OK(ninho_hyphen_save(language, temp_path(&dir, "x", path), NULL));
    CHECK(chmod(path, 0640) == 0);
    CHECK(symlink("x", temp_path(&dir, "link", link)) == 0);
    CHECK(truncate(path, 0) == 0);
    CHECK_OK(ninho_hyphen_save(language, link, NULL));
    CHECK(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
    CHECK(lstat(path, &about) == 0 && S_ISREG(about.st_mode));
    CHECK_U64(about.st_mode & 07777, 0640);
    CHECK_OK(ninho_hyphen_open(path, NULL, &opened, NULL));
    ninho_hyphen_language_free(opened);
    /* neither is a link that leads nowhere, nor what is no file, replaced */
    CHECK(symlink("nowhere", temp_path(&dir, "lost", lost)) == 0);
    CHECK_STATUS(ninho_hyphen_save(language, lost, NULL), NINHO_ERR_IO);
    CHECK(lstat(lost, &about) == 0 && S_ISLNK(about.st_mode));
    CHECK(mkfifo(temp_path(&dir, "pipe", lost), 0600) == 0);
    CHECK_STATUS(ninho_hyphen_save(language, lost, NULL), NINHO_ERR_ARG);
    CHECK(lstat(lost, &about) == 0 && S_ISFIFO(about.st_mode));
    ninho_hyphen_language_free(language);
    temp_dir_remove(&dir);
}

static void files_that_are_not_ours_are_refused(void **state)
{
    ninho_hyphen_language *language = NULL;
    struct temp_dir dir;
    ninho_error error = NINHO_ERROR_INIT;
    char path[512];
    (void)state;
    temp_dir_make(&dir);
    file_write(temp_path(&dir, "x", path), "a1b", 3);
    CHECK_STATUS(ninho_hyphen_open(path, NULL, &language, &error), NINHO_ERR_FORMAT);
    CHECK_STATUS(ninho_hyphen_map(path, NULL, &language, &error), NINHO_ERR_FORMAT);
    CHECK_STATUS(ninho_hyphen_map(dir.path, NULL, &language, &error), NINHO_ERR_FORMAT);
    CHECK_STATUS(ninho_hyphen_open(dir.path, NULL, &language, &error), NINHO_ERR_FORMAT);
    temp_path(&dir, "none", path);
    CHECK_STATUS(ninho_hyphen_open(path, NULL, &language, &error), NINHO_ERR_IO);
    CHECK_STATUS(ninho_hyphen_map(path, NULL, &language, &error), NINHO_ERR_IO);
    assert_null(language);
    temp_dir_remove(&dir);
}

static void every_cut_and_every_flipped_bit_is_refused(void **state)
{
    ninho_hyphen_language *language = small_language("a1b ab2c", "x-y", 1, 1),
                          *out = NULL;
    size_t size;
    uint8_t *bytes = encode(language, &size);
    (void)state;
    for (size_t n = 0; n < size; n++) {
        uint8_t *cut = malloc(n ? n : 1);
        assert_non_null(cut);
        memcpy(cut, bytes, n);
        CHECK(ninho_hyphen_decode(cut, n, NULL, &out, NULL) != NINHO_OK);
        free(cut);
    }
    for (size_t bit = 0; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        CHECK(ninho_hyphen_decode(bytes, size, NULL, &out, NULL) != NINHO_OK);
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    CHECK_OK(ninho_hyphen_decode(bytes, size, NULL, &out, NULL));
    ninho_hyphen_language_free(out);
    ninho_hyphen_language_free(language);
    free(bytes);
}

static void a_newer_version_is_told_as_such(void **state)
{
    ninho_hyphen_language *language = small_language("a1b", NULL, 1, 1), *out = NULL;
    size_t size;
    uint8_t *bytes = encode(language, &size);
    (void)state;
    bytes[8] = 2;
    fix_checksum(bytes, size);
    CHECK_STATUS(ninho_hyphen_decode(bytes, size, NULL, &out, NULL), NINHO_ERR_VERSION);
    ninho_hyphen_language_free(language);
    free(bytes);
}

/* Bytes that lie with a right checksum: refused, or a language that stays inside itself. */
static void lies_are_refused_or_harmless(void **state)
{
    ninho_hyphen_language *languages[] = {small_language(small_patterns, "ta-ble", 1, 1),
                                          large_language()};
    struct test_rng rng = {.state = test_seed(3)};
    size_t n_accepted = 0;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t size;
        uint8_t *bytes = encode(languages[i], &size);
        const size_t rounds = test_scaled(i == 0 ? 20000 : 300, 50);
        for (size_t round = 0; round < rounds; round++) {
            /* half of them in the header */
            const size_t limit = rng_below(&rng, 2) ? 128 : size;
            const size_t at = 8 + rng_below(&rng, limit - 8);
            const uint8_t old = bytes[at];
            ninho_hyphen_language *out;
            bytes[at] = (uint8_t)rng_next(&rng);
            fix_checksum(bytes, size);
            if (ninho_hyphen_decode(bytes, size, NULL, &out, NULL) == NINHO_OK) {
                n_accepted++;
                (void)broken(out, "hyphenationstabletabcdeabcde");
                (void)broken(out, "tabl\xC3\xA9");
                ninho_hyphen_language_free(out);
            }
            bytes[at] = old;
        }
        free(bytes);
        ninho_hyphen_language_free(languages[i]);
    }
    CHECK(n_accepted > 0);
}

/* Files that were written when version 1 was young, on a little-endian machine. */
static void files_of_version_1_are_read_for_ever(void **state)
{
    ninho_hyphen_language *flat, *sparse;
    (void)state;
    CHECK_OK(
        ninho_hyphen_map("tests/apps/hyphen/golden/v1-flat.hyph", NULL, &flat, NULL));
    CHECK_OK(ninho_hyphen_open("tests/apps/hyphen/golden/v1-sparse.hyph", NULL, &sparse,
                               NULL));
    assert_non_null(flat->flat);
    assert_null(sparse->flat);
    CHECK_BROKEN(flat, "zzabzz", "zza-bzz");
    CHECK_BROKEN(flat, "zabcdefghijklm", "za-bcdefghij-klm");
    CHECK_BROKEN(flat, "ABCD", "ABCD");
    CHECK_BROKEN(sparse, "abcab", "ab-cab");
    CHECK_BROKEN(sparse, "zzabcdz", "zza-b-cdz");
    CHECK_BROKEN(sparse, "ሁሇሁሇሁሇ", "ሁሇሁሇሁሇ");
    ninho_hyphen_language_free(flat);
    ninho_hyphen_language_free(sparse);
}

static void too_many_letters_are_refused(void **state)
{
    ninho_hyphen_rules *rules = small_rules(NULL, NULL);
    ninho_hyphen_language *language = NULL;
    char patterns[1100 * 5];
    size_t size = 0;
    (void)state;
    for (uint32_t i = 0; i < 1022; i++) {
        patterns[size++] = '1';
        patterns[size++] = (char)(0xE0 | (0x4E00 + i) >> 12);
        patterns[size++] = (char)(0x80 | ((0x4E00 + i) >> 6 & 0x3F));
        patterns[size++] = (char)(0x80 | ((0x4E00 + i) & 0x3F));
        patterns[size++] = '\n';
    }
    CHECK_OK(ninho_hyphen_rules_read(rules, NINHO_HYPHEN_PATTERNS, "f", patterns,
                                     size - 5, NULL));
    CHECK_OK(ninho_hyphen_compile(rules, NULL, NULL, &language, NULL));
    ninho_hyphen_language_free(language);
    CHECK_OK(
        ninho_hyphen_rules_read(rules, NINHO_HYPHEN_PATTERNS, "f", patterns, size, NULL));
    CHECK_STATUS(ninho_hyphen_compile(rules, NULL, NULL, &language, NULL),
                 NINHO_ERR_FORMAT);
    ninho_hyphen_rules_free(rules);
}

/* Random patterns over a thousand letters: each row of the automaton takes in those of its
 * endings. That is a limit of ours, not of the machine's memory. */
static void too_large_an_automaton_is_told_as_such(void **state)
{
    ninho_hyphen_language *language = NULL;
    ninho_hyphen_rules *rules;
    ninho_error error = NINHO_ERROR_INIT;
    (void)state;
    CHECK_OK(ninho_hyphen_rules_create(NULL, &rules));
    for (uint64_t i = 0; i < 12000; i++) {
        char text[3 * 60 + 1] = "1";
        for (uint64_t k = 0; k < 60; k++) {
            const unsigned point = 0x4E00 + (unsigned)(mix64(60 * i + k) % 1000);
            text[1 + 3 * k] = (char)(0xE0 | point >> 12);
            text[2 + 3 * k] = (char)(0x80 | (point >> 6 & 63));
            text[3 + 3 * k] = (char)(0x80 | (point & 63));
        }
        CHECK_OK(ninho_hyphen_rules_read(rules, NINHO_HYPHEN_PATTERNS, "f", text,
                                         sizeof text, NULL));
    }
    CHECK_STATUS(ninho_hyphen_compile(rules, NULL, NULL, &language, &error),
                 NINHO_ERR_FULL);
    assert_non_null(strstr(error.text, "too many patterns for so many letters"));
    assert_null(language);
    ninho_hyphen_rules_free(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_back),
        cmocka_unit_test(everything_told_is_kept),
        cmocka_unit_test(files_are_opened_and_mapped),
        cmocka_unit_test(a_file_that_cannot_be_written_leaves_nothing),
        cmocka_unit_test(a_file_that_is_replaced_keeps_its_links_and_rights),
        cmocka_unit_test(files_that_are_not_ours_are_refused),
        cmocka_unit_test(every_cut_and_every_flipped_bit_is_refused),
        cmocka_unit_test(a_newer_version_is_told_as_such),
        cmocka_unit_test(lies_are_refused_or_harmless),
        cmocka_unit_test(files_of_version_1_are_read_for_ever),
        cmocka_unit_test(too_many_letters_are_refused),
        cmocka_unit_test(too_large_an_automaton_is_told_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
