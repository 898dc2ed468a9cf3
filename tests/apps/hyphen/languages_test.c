/* SPDX-License-Identifier: MIT */
/* Every language that Debian has patterns for, against the reference: on words made of the
 * language's own patterns, in small letters and in capitals, and on real words where there is a
 * list. The data is what `tools/fetch-data patterns words words-pt words-de` brings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/hyphen/languages.h"
#include "apps/hyphen/reference.h"
#include "apps/hyphen/unicode.h"
#include "support/test.h"

#define DATA NINHO_SOURCE_DIR "/.cache/data/"
#define PATTERNS \
    DATA "librust-hyphenation-dev/usr/share/cargo/registry/hyphenation-0.7.1/patterns"
#define MAX_WORD    600
#define MAX_WRITTEN (MAX_WORD * 12)

struct both {
    const ninho_hyphen_known *known;
    ninho_hyphen_language *language;
    ninho_hyphenator *hyphenator;
    struct reference *reference;
    ninho_hyphen_minima minima;
    uint64_t n_words;
    uint64_t n_breaks;
};

static char *read_text(const char *path)
{
    size_t size = 0;
    uint8_t *bytes = file_size(path) < 0 ? NULL : file_read(path, &size);

    if (!bytes)
        test_fail(
            __FILE__, __LINE__,
            "%s is not there: run tools/fetch-data patterns words words-pt words-de",
            path);
    char *text = malloc(size + 1);
    assert_non_null(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    free(bytes);
    return text;
}

static struct both both_open(const ninho_hyphen_known *known)
{
    struct both both = {.known = known};
    ninho_hyphen_options options = NINHO_HYPHEN_OPTIONS_INIT;
    ninho_hyphen_rules *rules = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    char path[512];

    test_where("%s", known->name);
    (void)snprintf(path, sizeof path, "%s/hyph-%s.pat.txt", PATTERNS, known->name);
    char *patterns = read_text(path);
    (void)snprintf(path, sizeof path, "%s/hyph-%s.hyp.txt", PATTERNS, known->name);
    char *exceptions = read_text(path);
    both.reference =
        reference_make(patterns, known->exceptions ? known->exceptions : exceptions);
    free(patterns);
    free(exceptions);

    CHECK_OK(ninho_hyphen_rules_create(NULL, &rules));
    if (ninho_hyphen_read_language(rules, PATTERNS, known->name, NINHO_HYPHEN_LIST_TEX,
                                   &both.minima, &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
    options.name = known->name;
    options.minima = both.minima;
    if (ninho_hyphen_compile(rules, &options, NULL, &both.language, &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
    ninho_hyphen_rules_free(rules);
    CHECK_OK(
        ninho_hyphenator_create(both.language, NULL, NULL, &both.hyphenator, &error));
    CHECK_U64(both.minima.left, known->minima.left);
    CHECK_U64(both.minima.right, known->minima.right);
    return both;
}

static void both_close(struct both *both)
{
    ninho_hyphenator_free(both->hyphenator);
    ninho_hyphen_language_free(both->language);
    reference_free(both->reference);
}

/* The level that the library must give before word[at], where the reference gives `level`: TeX's,
 * but never before a combining mark. */
static unsigned expected_level(const char *word, size_t at, unsigned level)
{
    const char *s = word + at;

    return level && hy_is_mark(reference_decode(&s)) ? 0 : level;
}

/* The word written with marks is the word with marks at its breaks. Short marks and ASCII take
 * another way through the library than the rest. */
static void check_written(struct both *both, const char *given, size_t size,
                          const ninho_hyphen_break *breaks, size_t n)
{
    static const char *const marks[] = {"-", "\xC2\xAD", "&#x00AD;;"};

    for (size_t m = 0; m < 3; m++) {
        char expected[MAX_WRITTEN];
        char got[MAX_WRITTEN];
        const size_t mark_size = strlen(marks[m]);
        size_t used = 0;
        size_t from = 0;

        for (size_t i = 0; i < n; i++) {
            memcpy(expected + used, given + from, breaks[i].at - from);
            used += breaks[i].at - from;
            memcpy(expected + used, marks[m], mark_size);
            used += mark_size;
            from = breaks[i].at;
        }
        memcpy(expected + used, given + from, size - from);
        used += size - from;
        CHECK_U64(ninho_hyphenator_write(both->hyphenator, given, size, marks[m],
                                         mark_size, got, sizeof got),
                  used);
        CHECK(memcmp(got, expected, used) == 0);
    }
}

/* `given` is what the library sees: the word itself, or the same with capitals that take as many
 * bytes. */
static void compare(struct both *both, const char *word, const char *given, size_t size)
{
    ninho_hyphen_break breaks[MAX_WORD];
    uint8_t levels[MAX_WORD];

    test_where("%s: %s", both->known->name, given);
    reference_hyphenate(both->reference, word, size, both->minima.left,
                        both->minima.right, levels);
    const size_t n = ninho_hyphen_word(both->language, given, size, breaks, MAX_WORD);
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        const unsigned expected = expected_level(word, i, levels[i]);
        const bool is_break = used < n && breaks[used].at == i;
        const unsigned got = is_break ? breaks[used].level : 0;
        if (got != expected)
            test_fail(__FILE__, __LINE__, "level %u at byte %zu, expected %u", got, i,
                      expected);
        used += is_break;
    }
    CHECK_U64(used, n);
    check_written(both, given, size, breaks, n);
    both->n_words++;
    both->n_breaks += n;
}

/* ---- Words made of patterns ---------------------------------------------------------------- */

/* The capitals of the language, from the package's own list: lines "aA". */
struct capitals {
    struct {
        char small[5];
        char large[5];
    } pairs[400];
    size_t n;
};

/* Capitals of two letters (I of i and of ı in Turkish, Σ of σ and of ς) say nothing certain. */
static void drop_shared(struct capitals *capitals)
{
    size_t kept = 0;
    bool is_shared[400] = {false};

    for (size_t i = 0; i < capitals->n; i++)
        for (size_t j = 0; j < capitals->n; j++)
            if (i != j && strcmp(capitals->pairs[i].large, capitals->pairs[j].large) == 0)
                is_shared[i] = true;
    for (size_t i = 0; i < capitals->n; i++)
        if (!is_shared[i])
            capitals->pairs[kept++] = capitals->pairs[i];
    capitals->n = kept;
}

static void read_capitals(const char *name, struct capitals *capitals)
{
    char path[512];

    capitals->n = 0;
    (void)snprintf(path, sizeof path, "%s/hyph-%s.chr.txt", PATTERNS, name);
    char *text = read_text(path);
    for (const char *s = text; *s;) {
        const size_t line = strcspn(s, "\n");
        const char *large = s;
        (void)reference_decode(&large);
        const char *end = large;
        if (large < s + line)
            (void)reference_decode(&end);
        const size_t small_size = (size_t)(large - s);
        /* One for one and of the same size, so that positions stay. */
        if (end == s + line && (size_t)(end - large) == small_size &&
            memcmp(s, large, small_size) != 0 && small_size < 5) {
            assert_true(capitals->n < 400);
            memcpy(capitals->pairs[capitals->n].small, s, small_size);
            memcpy(capitals->pairs[capitals->n].large, large, small_size);
            capitals->pairs[capitals->n].small[small_size] = '\0';
            capitals->pairs[capitals->n++].large[small_size] = '\0';
        }
        s += line + (s[line] == '\n');
    }
    free(text);
    drop_shared(capitals);
}

static void capitalise(const struct capitals *capitals, char *word, size_t size)
{
    for (const char *s = word; s < word + size;) {
        char *at = word + (s - word);
        (void)reference_decode(&s);
        const size_t length = (size_t)(s - at);
        for (size_t i = 0; i < capitals->n; i++)
            if (strlen(capitals->pairs[i].small) == length &&
                memcmp(at, capitals->pairs[i].small, length) == 0)
                memcpy(at, capitals->pairs[i].large, length);
    }
}

/* Pieces of patterns one after another: such words are where patterns meet. Now and then a sign
 * that is no letter, and a word longer than TeX looks at. */
static size_t make_word(const struct reference *reference, struct test_rng *rng,
                        char *word)
{
    const uint64_t n_pieces = rng_below(rng, 20) == 0 ? 30 : 1 + rng_below(rng, 6);
    size_t size = 0;

    for (uint64_t i = 0; i < n_pieces; i++) {
        static const char signs[] = "'1/.(-";
        const size_t pattern = rng_below(rng, reference_count(reference));
        const size_t added = reference_letters(reference, pattern, word + size, 100);
        /* Some languages have many patterns with a hyphen, and words with one have no breaks. */
        if (!memchr(word + size, '-', added) || rng_below(rng, 20) == 0)
            size += added;
        if (rng_below(rng, 40) == 0)
            word[size++] = signs[rng_below(rng, sizeof signs - 1)];
        if (size > MAX_WORD - 110)
            break;
    }
    word[size] = '\0';
    return size;
}

static void check_made_words(struct both *both, size_t n, struct test_rng *rng)
{
    struct capitals capitals;
    char word[MAX_WORD];
    char given[MAX_WORD];

    read_capitals(both->known->name, &capitals);
    for (size_t i = 0; i < n; i++) {
        const size_t size = make_word(both->reference, rng, word);
        compare(both, word, word, size);
        memcpy(given, word, size + 1);
        capitalise(&capitals, given, size);
        compare(both, word, given, size);
    }
}

static void all_77_languages_are_the_references(void **state)
{
    const size_t n_words = test_scaled(80, 4);
    struct test_rng rng = {test_seed(77)};
    size_t n_languages = 0;
    uint64_t n_breaks = 0;

    (void)state;
    for (const ninho_hyphen_known *known; (known = ninho_hyphen_known_at(n_languages));
         n_languages++) {
        struct both both = both_open(known);
        check_made_words(&both, n_words, &rng);
        CHECK(both.n_breaks > 0 || n_words < 40);
        n_breaks += both.n_breaks;
        both_close(&both);
    }
    CHECK_U64(n_languages, 77);
    CHECK(n_breaks > 77 * n_words);
}

/* ---- Exceptions ---------------------------------------------------------------------------- */

static void every_exception_of_every_language_counts(void **state)
{
    size_t n_exceptions = 0;

    (void)state;
    for (size_t i = 0; ninho_hyphen_known_at(i); i++) {
        char path[512];
        struct both both = both_open(ninho_hyphen_known_at(i));
        (void)snprintf(path, sizeof path, "%s/hyph-%s.hyp.txt", PATTERNS,
                       both.known->name);
        char *text = read_text(path);
        if (both.known->exceptions) {
            free(text);
            text = strdup(both.known->exceptions);
            assert_non_null(text);
        }
        for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) {
            size_t size = 0;
            for (const char *s = word; *s; s++)
                if (*s != '-')
                    word[size++] = *s;
            word[size] = '\0';
            compare(&both, word, word, size);
            n_exceptions++;
        }
        free(text);
        both_close(&both);
    }
    CHECK_U64(n_exceptions, 2445 - 1439 + 14);
}

/* ---- Real words ---------------------------------------------------------------------------- */

static void check_list(const char *language, const char *list, size_t n_words,
                       uint64_t n_lines)
{
    struct both both = both_open(ninho_hyphen_known_find(language));
    char *text = read_text(list);
    const uint64_t step = n_lines / n_words;
    uint64_t number = 0;

    for (char *s = text; *s; number++) {
        const size_t size = strcspn(s, "\n");
        char *next = s + size + (s[size] == '\n');
        s[size] = '\0';
        if (number % step == 0 && size > 0)
            compare(&both, s, s, size);
        s = next;
    }
    CHECK_U64(number, n_lines);
    CHECK(both.n_breaks > both.n_words / 2);
    free(text);
    both_close(&both);
}

static void words_of_three_languages_are_the_references(void **state)
{
    (void)state;
    check_list("en-us", DATA "wamerican-insane/usr/share/dict/american-english-insane",
               test_scaled(10000, 500), 663473);
    check_list("pt", DATA "wportuguese/usr/share/dict/portuguese",
               test_scaled(30000, 500), 431384);
    check_list("de-1996", DATA "wngerman/usr/share/dict/ngerman", test_scaled(2000, 200),
               356010);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_77_languages_are_the_references),
        cmocka_unit_test(every_exception_of_every_language_counts),
        cmocka_unit_test(words_of_three_languages_are_the_references),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
