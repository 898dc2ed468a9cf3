/* SPDX-License-Identifier: MIT */
/* What TeX does with a word, one behaviour each. */
#include <stdlib.h>
#include <string.h>

#include "apps/hyphen/small.h"
#include "apps/hyphen/unicode.h"
#include "support/test.h"

static void odd_levels_break_and_even_ones_forbid(void **state)
{
    ninho_hyphen_language *language = small_language("a1b b2c ab3cd d4e 1e", NULL, 1, 1);
    (void)state;
    CHECK_BROKEN(language, "xab", "xa-b");
    CHECK_BROKEN(language, "xbc", "xbc");
    CHECK_BROKEN(language, "abcd", "a-b-cd");
    CHECK_BROKEN(language, "xde", "xde");
    CHECK_BROKEN(language, "xe", "x-e");
    ninho_hyphen_language_free(language);
}

static void levels_are_told(void **state)
{
    ninho_hyphen_language *language =
        small_language("a1b b3c c5d d7e e9f f8g", "gh-i", 1, 1);
    ninho_hyphen_break breaks[16];
    (void)state;
    CHECK_U64(ninho_hyphen_word(language, "abcdefg", 7, breaks, 16), 5);
    for (unsigned i = 0; i < 5; i++) {
        CHECK_U64(breaks[i].at, i + 1);
        CHECK_U64(breaks[i].level, 2 * i + 1);
    }
    CHECK_U64(ninho_hyphen_word(language, "ghi", 3, breaks, 16), 1);
    CHECK_U64(breaks[0].level, NINHO_HYPHEN_EXCEPTION);
    ninho_hyphen_language_free(language);
}

static void dots_stand_for_the_edges(void **state)
{
    ninho_hyphen_language *language = small_language(".a1 b1c. 1d.", NULL, 1, 1);
    (void)state;
    CHECK_BROKEN(language, "aab", "a-ab");
    CHECK_BROKEN(language, "xabc", "xab-c");
    CHECK_BROKEN(language, "xbcx", "xbcx");
    CHECK_BROKEN(language, "xd", "x-d");
    CHECK_BROKEN(language, "\"xd.", "\"x-d.");
    ninho_hyphen_language_free(language);
}

static void long_patterns_reach_all_their_places(void **state)
{
    ninho_hyphen_language *language =
        small_language("a1bcdefghijklmnop 1qrstuvwxyzabcdefghij", NULL, 1, 1);
    (void)state;
    CHECK_BROKEN(language, "abcdefghijklmnop", "a-bcdefghijklmnop");
    CHECK_BROKEN(language, "xqrstuvwxyzabcdefghij", "x-qrstuvwxyzabcdefghij");
    CHECK_BROKEN(language, "xqrstuvwxyzabcdefghi", "xqrstuvwxyzabcdefghi");
    ninho_hyphen_language_free(language);
}

static void minima_hold_for_patterns_and_exceptions(void **state)
{
    ninho_hyphen_language *language = small_language("1a 1b 1c", "x-y-z-z-y", 2, 3);
    (void)state;
    CHECK_BROKEN(language, "ababab", "ab-a-bab");
    CHECK_BROKEN(language, "abab", "abab");
    CHECK_BROKEN(language, "ababa", "ab-aba");
    CHECK_BROKEN(language, "xyzzy", "xy-zzy");
    CHECK_OK(
        ninho_hyphen_set_minima(language, (ninho_hyphen_minima){.left = 1, .right = 1}));
    CHECK_BROKEN(language, "xyzzy", "x-y-z-z-y");
    CHECK_STATUS(ninho_hyphen_set_minima(language, (ninho_hyphen_minima){.left = 64}),
                 NINHO_ERR_ARG);
    ninho_hyphen_language_free(language);
}

static void exceptions_replace_what_patterns_say(void **state)
{
    ninho_hyphen_language *language =
        small_language("a1b b1c 9x", "abc ab-cab PRO-ject", 1, 1);
    (void)state;
    CHECK_BROKEN(language, "abc", "abc");
    CHECK_BROKEN(language, "Abc", "Abc");
    CHECK_BROKEN(language, "abcab", "ab-cab");
    CHECK_BROKEN(language, "abca", "a-b-ca");
    CHECK_BROKEN(language, "xabc", "xa-b-c");
    CHECK_BROKEN(language, "project", "pro-ject");
    CHECK_BROKEN(language, "Project's", "Pro-ject's");
    ninho_hyphen_language_free(language);
}

static void the_first_run_of_letters_is_the_word(void **state)
{
    ninho_hyphen_language *language = small_language(small_patterns, NULL, 2, 3);
    (void)state;
    CHECK_BROKEN(language, "hyphenation", "hy-phen-ation");
    CHECK_BROKEN(language, "(hyphenation).", "(hy-phen-ation).");
    CHECK_BROKEN(language, "1hyphenation", "1hy-phen-ation");
    CHECK_BROKEN(language, "children's", "chil-dren's");
    CHECK_BROKEN(language, "hyphenation/hyphenation", "hy-phen-ation/hyphenation");
    CHECK_BROKEN(language, "hyphenation2hyphenation", "hy-phen-ation2hyphenation");
    CHECK_BROKEN(language, "\xE2\x80\x9Chyphenation\xE2\x80\x9D",
                 "\xE2\x80\x9Chy-phen-ation\xE2\x80\x9D");
    CHECK_BROKEN(language, "", "");
    CHECK_BROKEN(language, "a", "a");
    CHECK_BROKEN(language, "'", "'");
    ninho_hyphen_language_free(language);
}

static void a_hyphen_anywhere_forbids_breaks(void **state)
{
    static const char *const words[] = {"hyphenation-hyphenation",
                                        "-hyphenation",
                                        "hyphenation-",
                                        "hyphenation's-x",
                                        "hyphenation\xC3\xA9-x",
                                        "---",
                                        "application-to-be-used-with-not-so-many"};
    ninho_hyphen_language *language = small_language(small_patterns, NULL, 2, 3);
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        CHECK_BROKEN(language, words[i], words[i]);
    ninho_hyphen_language_free(language);
}

static void a_soft_hyphen_anywhere_forbids_breaks(void **state)
{
    ninho_hyphen_language *language = small_language(small_patterns, NULL, 2, 3);
    (void)state;
    CHECK_BROKEN(language,
                 "hyphen\xC2\xAD"
                 "ation",
                 "hyphen\xC2\xAD"
                 "ation");
    CHECK_BROKEN(language, "hyphenation's\xC2\xAD", "hyphenation's\xC2\xAD");
    ninho_hyphen_language_free(language);
}

static void capitals_match_as_small_letters(void **state)
{
    ninho_hyphen_language *language = small_language("ä1б ό1ա ა1x", NULL, 1, 1);
    (void)state;
    CHECK_BROKEN(language, "Äб", "Ä-б");
    CHECK_BROKEN(language, "ÄБ", "Ä-Б");
    CHECK_BROKEN(language, "ΌԱ", "Ό-Ա");
    CHECK_BROKEN(language, "ᲐX", "Ა-X"); /* Georgian capitals, U+1C90 */
    ninho_hyphen_language_free(language);
}

static void letters_outside_the_alphabet_are_letters(void **state)
{
    ninho_hyphen_language *language = small_language("b1c 1d.", NULL, 1, 1);
    (void)state;
    CHECK_BROKEN(language,
                 "b\xC3\xA9"
                 "bc",
                 "b\xC3\xA9"
                 "b-c");
    CHECK_BROKEN(language, "d\xC3\xA9", "d\xC3\xA9"); /* not the end of the word */
    CHECK_BROKEN(language,
                 "\xC3\xA9"
                 "d",
                 "\xC3\xA9-d");
    ninho_hyphen_language_free(language);
}

static void signs_in_patterns_are_letters(void **state)
{
    ninho_hyphen_language *with = small_language("d'1a 1b", NULL, 1, 1);
    ninho_hyphen_language *without = small_language("1a 1b", NULL, 1, 1);
    (void)state;
    CHECK_BROKEN(with, "d'ab", "d'-a-b");
    CHECK_BROKEN(without, "d'ab", "d'ab");
    CHECK_BROKEN(without, "db'ab", "d-b'ab");
    ninho_hyphen_language_free(with);
    ninho_hyphen_language_free(without);
}

static void patterns_with_a_hyphen_match_nothing(void **state)
{
    ninho_hyphen_language *language = small_language("1- -1a b1c", NULL, 1, 1);
    (void)state;
    CHECK_BROKEN(language, "bc", "b-c");
    CHECK_BROKEN(language, "bc-a", "bc-a");
    ninho_hyphen_language_free(language);
}

static void there_is_no_break_before_a_combining_mark(void **state)
{
    ninho_hyphen_language *language = small_language("e1 1\xCC\x81 a1b", NULL, 1, 1);
    (void)state;
    CHECK_BROKEN(language,
                 "xe\xCC\x81"
                 "ab",
                 "xe\xCC\x81"
                 "a-b");
    CHECK_BROKEN(language, "xeab", "xe-a-b");
    ninho_hyphen_language_free(language);
}

static void a_word_that_is_not_utf8_has_no_breaks(void **state)
{
    static const char *const words[] = {"ab\xFF",     "\xE9xab",
                                        "ab'\xC3",    "ab\xED\xA0\x80",
                                        "ab\xC0\xAF", "ab\xF5\x80\x80\x80"};
    ninho_hyphen_language *language = small_language("a1b", NULL, 1, 1);
    (void)state;
    CHECK_BROKEN(language, "ab", "a-b");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        CHECK_BROKEN(language, words[i], words[i]);
    ninho_hyphen_language_free(language);
}

static void a_nul_is_no_letter(void **state)
{
    ninho_hyphen_language *language = small_language("a1b", NULL, 1, 1);
    ninho_hyphen_break breaks[4];
    (void)state;
    CHECK_U64(ninho_hyphen_word(language, "ab\0ab", 5, breaks, 4), 1);
    CHECK_U64(ninho_hyphen_word(language, "\0ab", 3, breaks, 4), 1);
    CHECK_U64(breaks[0].at, 2);
    ninho_hyphen_language_free(language);
}

/* "ab" over and over: n letters. */
static char *long_word(size_t n)
{
    char *word = malloc(n + 1);
    assert_non_null(word);
    for (size_t i = 0; i < n; i++)
        word[i] = i % 2 ? 'b' : 'a';
    word[n] = '\0';
    return word;
}

static void only_63_letters_count_as_in_tex(void **state)
{
    ninho_hyphen_language *language = small_language("a1b", NULL, 2, 3);
    ninho_hyphen_break breaks[NINHO_HYPHEN_MAX_BREAKS];
    char *word = long_word(65536);
    (void)state;
    /* breaks behind letters 3, 5, ... 59; 61 is too near to the end of 63 */
    const size_t n63 =
        ninho_hyphen_word(language, word, 63, breaks, NINHO_HYPHEN_MAX_BREAKS);
    CHECK_U64(n63, 29);
    CHECK_U64(breaks[28].at, 59);
    CHECK_U64(ninho_hyphen_word(language, word, 64, breaks, NINHO_HYPHEN_MAX_BREAKS),
              n63);
    CHECK_U64(ninho_hyphen_word(language, word, 65536, breaks, NINHO_HYPHEN_MAX_BREAKS),
              n63);
    CHECK_U64(breaks[28].at, 59);
    word[65535] = '-';
    CHECK_U64(ninho_hyphen_word(language, word, 65536, breaks, NINHO_HYPHEN_MAX_BREAKS),
              0);
    free(word);
    ninho_hyphen_language_free(language);
}

static void more_letters_can_count(void **state)
{
    ninho_hyphen_options options = NINHO_HYPHEN_OPTIONS_INIT;
    ninho_hyphen_rules *rules = small_rules("a1b", NULL);
    ninho_hyphen_language *language;
    ninho_hyphen_break breaks[NINHO_HYPHEN_MAX_BREAKS];
    char *word = long_word(2000);
    (void)state;
    options.max_letters = 1024;
    options.minima = (ninho_hyphen_minima){.left = 1, .right = 1};
    CHECK_OK(ninho_hyphen_compile(rules, &options, NULL, &language, NULL));
    CHECK_U64(ninho_hyphen_word(language, word, 2000, breaks, NINHO_HYPHEN_MAX_BREAKS),
              512);
    CHECK_U64(breaks[511].at, 1023);
    options.max_letters = 1025;
    CHECK_STATUS(ninho_hyphen_compile(rules, &options, NULL, &language, NULL),
                 NINHO_ERR_ARG);
    free(word);
    ninho_hyphen_language_free(language);
    ninho_hyphen_rules_free(rules);
}

static void breaks_beyond_the_capacity_are_counted(void **state)
{
    ninho_hyphen_language *language = small_language("1a", NULL, 1, 1);
    ninho_hyphen_break breaks[3] = {{0, 0}, {0, 0}, {77, 77}};
    (void)state;
    CHECK_U64(ninho_hyphen_word(language, "aaaaa", 5, breaks, 2), 4);
    CHECK_U64(breaks[1].at, 2);
    CHECK_U64(breaks[2].at, 77);
    CHECK_U64(ninho_hyphen_word(language, "aaaaa", 5, NULL, 0), 4);
    ninho_hyphen_language_free(language);
}

static void writing_agrees_with_positions_at_every_capacity(void **state)
{
    static const char *const words[] = {
        "hyphenation", "\"hyphenation\"", "hyph\xC3\xA9nation", "x", "", "hy-phen"};
    ninho_hyphen_language *language = small_language(small_patterns, NULL, 2, 3);
    ninho_hyphenator *hyphenator;
    (void)state;
    CHECK_OK(ninho_hyphenator_create(language, NULL, NULL, &hyphenator, NULL));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *expected = broken(language, words[i]);
        const size_t size = strlen(expected);
        for (size_t capacity = 0; capacity < size + 40; capacity++) {
            char *out = malloc(capacity + 1);
            assert_non_null(out);
            memset(out, '#', capacity + 1);
            CHECK_U64(ninho_hyphenator_write(hyphenator, words[i], strlen(words[i]), "-",
                                             1, out, capacity),
                      size);
            CHECK(out[capacity] == '#');
            CHECK(capacity < size ? capacity == 0 || out[0] == '#'
                                  : memcmp(out, expected, size) == 0);
            free(out);
        }
    }
    ninho_hyphenator_free(hyphenator);
    ninho_hyphen_language_free(language);
}

static void a_language_without_patterns_breaks_nothing(void **state)
{
    ninho_hyphen_language *language = small_language(NULL, NULL, 0, 0);
    (void)state;
    CHECK_BROKEN(language, "hyphenation", "hyphenation");
    ninho_hyphen_language_free(language);
}

static void exceptions_are_checked_against_a_language(void **state)
{
    ninho_hyphen_language *plain = small_language("a1b", NULL, 1, 1);
    ninho_hyphen_language *with_sign = small_language("a1b '1c", NULL, 1, 1);
    ninho_hyphen_rules *good = small_rules(NULL, "ta-ble \xC3\xA9-t\xC3\xA9");
    ninho_hyphen_rules *bad = small_rules(NULL, "ta-ble ro-'ck");
    ninho_error error = NINHO_ERROR_INIT;
    (void)state;
    CHECK_OK(ninho_hyphen_check_exceptions(plain, good, &error));
    CHECK_STATUS(ninho_hyphen_check_exceptions(plain, bad, &error), NINHO_ERR_FORMAT);
    assert_non_null(strstr(error.text, "U+0027"));
    assert_non_null(strstr(error.text, "ro-'ck"));
    CHECK_OK(ninho_hyphen_check_exceptions(with_sign, bad, &error));
    ninho_hyphen_rules_free(bad);
    ninho_hyphen_rules_free(good);
    ninho_hyphen_language_free(with_sign);
    ninho_hyphen_language_free(plain);
}

static void simple_mappings_are_unicodes(void **state)
{
    (void)state;
    CHECK_U64(hy_lower('A'), 'a');
    CHECK_U64(hy_lower('['), '[');
    CHECK_U64(hy_lower(0x130), 'i');
    CHECK_U64(hy_lower(0x1E9E), 0xDF);
    CHECK_U64(hy_lower(0x3A3), 0x3C3);
    CHECK_U64(hy_lower(0x10A0), 0x2D00);
    CHECK_U64(hy_lower(0x1C90), 0x10D0);
    CHECK_U64(hy_lower(0x1E921), 0x1E943);
    CHECK_U64(hy_lower(0x100), 0x101);
    CHECK_U64(hy_lower(0x101), 0x101);
    CHECK(hy_is_letter('z') && hy_is_letter(0xE9) && !hy_is_letter('1') &&
          hy_is_letter(0x301));
    CHECK(hy_is_mark(0x301) && hy_is_mark(0x93F) && !hy_is_mark('a'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_levels_break_and_even_ones_forbid),
        cmocka_unit_test(levels_are_told),
        cmocka_unit_test(dots_stand_for_the_edges),
        cmocka_unit_test(long_patterns_reach_all_their_places),
        cmocka_unit_test(minima_hold_for_patterns_and_exceptions),
        cmocka_unit_test(exceptions_replace_what_patterns_say),
        cmocka_unit_test(the_first_run_of_letters_is_the_word),
        cmocka_unit_test(a_hyphen_anywhere_forbids_breaks),
        cmocka_unit_test(a_soft_hyphen_anywhere_forbids_breaks),
        cmocka_unit_test(capitals_match_as_small_letters),
        cmocka_unit_test(letters_outside_the_alphabet_are_letters),
        cmocka_unit_test(signs_in_patterns_are_letters),
        cmocka_unit_test(patterns_with_a_hyphen_match_nothing),
        cmocka_unit_test(there_is_no_break_before_a_combining_mark),
        cmocka_unit_test(a_word_that_is_not_utf8_has_no_breaks),
        cmocka_unit_test(a_nul_is_no_letter),
        cmocka_unit_test(only_63_letters_count_as_in_tex),
        cmocka_unit_test(more_letters_can_count),
        cmocka_unit_test(breaks_beyond_the_capacity_are_counted),
        cmocka_unit_test(writing_agrees_with_positions_at_every_capacity),
        cmocka_unit_test(a_language_without_patterns_breaks_nothing),
        cmocka_unit_test(exceptions_are_checked_against_a_language),
        cmocka_unit_test(simple_mappings_are_unicodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
