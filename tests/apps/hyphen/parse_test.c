/* SPDX-License-Identifier: MIT */
/* The formats of patterns: what is read, and what is refused, with file and line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/hyphen/small.h"
#include "support/test.h"

static ninho_status read_into(ninho_hyphen_rules *rules, ninho_hyphen_format format,
                              const char *text, size_t size, ninho_error *error)
{
    /* a block of its own, so that a sanitizer sees the first byte past it */
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    const ninho_status status =
        ninho_hyphen_rules_read(rules, format, "f", copy, size, error);
    free(copy);
    return status;
}

static ninho_hyphen_rules *rules_of(ninho_hyphen_format format, const char *text)
{
    ninho_hyphen_rules *rules;
    ninho_error error = NINHO_ERROR_INIT;

    CHECK_OK(ninho_hyphen_rules_create(NULL, &rules));
    if (read_into(rules, format, text, strlen(text), &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
    return rules;
}

/* Refuses the text, with a message that begins so; the rules stay empty. */
static void check_refused(ninho_hyphen_format format, const char *text,
                          const char *beginning)
{
    ninho_hyphen_rules *rules = rules_of(NINHO_HYPHEN_EXCEPTIONS, "ta-ble");
    ninho_error error = NINHO_ERROR_INIT;

    test_where("%s", text);
    CHECK_STATUS(read_into(rules, format, text, strlen(text), &error), NINHO_ERR_FORMAT);
    if (strncmp(error.text, beginning, strlen(beginning)) != 0)
        test_fail(__FILE__, __LINE__, "says \"%s\", not \"%s\"", error.text, beginning);
    CHECK_U64(ninho_hyphen_rules_count_patterns(rules), 0);
    CHECK_U64(ninho_hyphen_rules_count_exceptions(rules), 1);
    ninho_hyphen_rules_free(rules);
}

static void check_counts(const ninho_hyphen_rules *rules, size_t n_patterns,
                         size_t n_exceptions)
{
    CHECK_U64(ninho_hyphen_rules_count_patterns(rules), n_patterns);
    CHECK_U64(ninho_hyphen_rules_count_exceptions(rules), n_exceptions);
}

static void check_exception(const ninho_hyphen_rules *rules, size_t index,
                            const char *expected)
{
    char word[NINHO_HYPHEN_MAX_EXCEPTION];
    CHECK_U64(ninho_hyphen_rules_exception(rules, index, word, sizeof word),
              strlen(expected));
    CHECK(strcmp(word, expected) == 0);
}

static void patterns_stand_between_white_space(void **state)
{
    ninho_hyphen_rules *rules =
        rules_of(NINHO_HYPHEN_PATTERNS, "\xEF\xBB\xBF.a1b\r\n\tc2d 3\xC3\xA9\n\n1x.");
    (void)state;
    check_counts(rules, 4, 0);
    ninho_hyphen_rules_free(rules);
}

static void an_empty_text_says_nothing(void **state)
{
    (void)state;
    for (int format = NINHO_HYPHEN_PATTERNS; format <= NINHO_HYPHEN_DIC; format++) {
        ninho_hyphen_rules *rules = rules_of((ninho_hyphen_format)format, "");
        check_counts(rules, 0, 0);
        ninho_hyphen_rules_free(rules);
    }
}

static void bad_patterns_are_refused_with_their_line(void **state)
{
    const ninho_hyphen_format format = NINHO_HYPHEN_PATTERNS;
    (void)state;
    check_refused(format, "a1b\n123\n", "f:2: a pattern without a letter: 123");
    check_refused(format, "a1b\n\na12b", "f:3: two digits in one place");
    check_refused(format, "a1b\r\na/b", "f:2: a sign that is no letter");
    check_refused(format, "a.b", "f:1: a dot inside a pattern");
    check_refused(format,
                  "a1b\n\xE9"
                  "1b",
                  "f:2: a byte that is not UTF-8");
    check_refused(format, "a\\b", "f:1: a sign that is no letter");
    check_refused(format,
                  "a1\xC2\xAD"
                  "b",
                  "f:1: a sign that is no letter");
    check_refused(format,
                  "a\x01"
                  "b",
                  "f:1: a sign that is no letter");
    check_refused(format,
                  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                  "f:1: a pattern of more than 63 letters");
}

static void a_pattern_has_63_letters_at_most(void **state)
{
    char text[80] = ".";
    (void)state;
    memset(text + 1, 'a', 64);
    text[65] = '\0';
    check_refused(NINHO_HYPHEN_PATTERNS, text, "f:1: a pattern of more than 63 letters");
    check_refused(NINHO_HYPHEN_PATTERNS, text + 1,
                  "f:1: a pattern of more than 63 letters");
    text[64] = '.';
    ninho_hyphen_rules *rules = rules_of(NINHO_HYPHEN_PATTERNS, text);
    check_counts(rules, 1, 0);
    ninho_hyphen_rules_free(rules);
}

static void exceptions_are_folded_and_parted_by_space(void **state)
{
    ninho_hyphen_rules *rules =
        rules_of(NINHO_HYPHEN_EXCEPTIONS, "Ta-ble\nYing-yong Shu-xue\nproject\n-a-b-\n");
    (void)state;
    check_counts(rules, 0, 5);
    check_exception(rules, 0, "ta-ble");
    check_exception(rules, 1, "ying-yong");
    check_exception(rules, 2, "shu-xue");
    check_exception(rules, 3, "project");
    check_exception(rules, 4, "a-b");
    CHECK_U64(ninho_hyphen_rules_exception(rules, 5, NULL, 0), 0);
    ninho_hyphen_rules_free(rules);
}

static void bad_exceptions_are_refused_with_their_line(void **state)
{
    const ninho_hyphen_format format = NINHO_HYPHEN_EXCEPTIONS;
    (void)state;
    check_refused(format, "a-b\nx1y",
                  "f:2: a sign that is no letter in an exception: x1y");
    check_refused(format, "a-b\n---", "f:2: an exception without a letter");
    check_refused(format, "a-b\nx.y", "f:2: a sign that is no letter");
    check_refused(format, "\xFF", "f:1: a byte that is not UTF-8");
}

static void a_later_item_takes_the_place_of_an_earlier_one(void **state)
{
    ninho_hyphen_rules *rules = rules_of(NINHO_HYPHEN_EXCEPTIONS, "a-bc de-f a-bc ab-c");
    (void)state;
    check_counts(rules, 0, 2);
    check_exception(rules, 0, "de-f");
    check_exception(rules, 1, "ab-c");
    CHECK_OK(ninho_hyphen_rules_add_exception(rules, "abc", 3, NULL));
    check_counts(rules, 0, 2);
    check_exception(rules, 1, "abc");
    ninho_hyphen_rules_clear_exceptions(rules);
    check_counts(rules, 0, 0);
    CHECK_OK(ninho_hyphen_rules_add_exception(rules, "ab-c", 4, NULL));
    check_counts(rules, 0, 1);
    ninho_hyphen_rules_free(rules);
}

static void a_refused_text_changes_nothing(void **state)
{
    ninho_hyphen_rules *rules = rules_of(NINHO_HYPHEN_EXCEPTIONS, "a-bc");
    ninho_error error = NINHO_ERROR_INIT;
    (void)state;
    CHECK_STATUS(read_into(rules, NINHO_HYPHEN_EXCEPTIONS, "ab-c new 1", 10, &error),
                 NINHO_ERR_FORMAT);
    check_counts(rules, 0, 1);
    check_exception(rules, 0, "a-bc");
    ninho_hyphen_rules_free(rules);
}

static void tex_files_have_lists_comments_and_headers(void **state)
{
    static const char text[] = "% title: x\n"
                               "% hyphenmins:\n"
                               "%     generation:\n%         left: 7\n"
                               "%     typesetting:\n"
                               "%         left: 1\n"
                               "%         right: 4\n"
                               "% texlive: left: 9\n"
                               "\\message{Patterns {of} x}\n"
                               "\\begingroup\\lccode`\\'=`\\' \\catcode`\\^^e9=11\n"
                               "\\patterns{ % none here: 1 2 3 {\n"
                               ".a1b%comment\n"
                               "c2d ^^e91x ^^^^01031y}\n"
                               "\\hyphenation\n{ta-ble\nchair}\n"
                               "\\endgroup\n\\endinput this is { not read";
    ninho_hyphen_rules *rules = rules_of(NINHO_HYPHEN_TEX, text);
    ninho_hyphen_language *language;
    (void)state;
    check_counts(rules, 4, 2);
    CHECK_U64(ninho_hyphen_rules_minima(rules).left, 1);
    CHECK_U64(ninho_hyphen_rules_minima(rules).right, 4);
    CHECK_OK(ninho_hyphen_compile(rules, NULL, NULL, &language, NULL));
    CHECK_BROKEN(language, "ăyzzz", "ă-yzzz");
    CHECK_BROKEN(language, "éxzzz", "é-xzzz");
    ninho_hyphen_language_free(language);
    ninho_hyphen_rules_free(rules);
}

static void tex_files_may_abbreviate(void **state)
{
    static const char text[] = "\\def\\adj#1{#1a. #1e.}\n"
                               "\\edef\\nom#1{\\adj{#1} #1o.}\n"
                               "\\patterns{\n\\nom{1i2d} x1y\n\\adj {1et}\n}";
    ninho_hyphen_rules *rules = rules_of(NINHO_HYPHEN_TEX, text);
    ninho_hyphen_language *language;
    (void)state;
    check_counts(rules, 6, 0);
    CHECK_OK(ninho_hyphen_compile(rules, NULL, NULL, &language, NULL));
    CHECK_OK(
        ninho_hyphen_set_minima(language, (ninho_hyphen_minima){.left = 1, .right = 1}));
    CHECK_BROKEN(language, "xxida", "xx-ida");
    CHECK_BROKEN(language, "xxido", "xx-ido");
    CHECK_BROKEN(language, "xxidu", "xxidu");
    ninho_hyphen_language_free(language);
    ninho_hyphen_rules_free(rules);
}

static void bad_tex_files_are_refused_with_their_line(void **state)
{
    const ninho_hyphen_format format = NINHO_HYPHEN_TEX;
    (void)state;
    check_refused(format, "% x\n\\patterns{\na1b\n", "f:2: \\patterns{ is not closed");
    check_refused(format, "\\patterns{a1b % }", "f:1: \\patterns{ is not closed");
    check_refused(format, "\\hyphenation{", "f:1: \\hyphenation{ is not closed");
    check_refused(format, "\n\\foo{x}", "f:2: unknown command: \\foo");
    check_refused(format, "\\patterns{a1b\n\\foo{x}}", "f:2: unknown command: \\foo");
    check_refused(format, "\\patterns a1b", "f:1: \\patterns without {");
    check_refused(format, "\\patterns{a1b {c}}", "f:1: { inside a list");
    check_refused(format, "a1b", "f:1: text outside");
    check_refused(format, "\\patterns{12\n}", "f:1: a pattern without a letter");
    check_refused(format, "\\patterns{^^zz1a}", "f:1: ^ that is not");
    check_refused(format,
                  "\\patterns{\n\xE4"
                  "1b}",
                  "f:2: a byte that is not UTF-8");
    check_refused(format, "\\input hyph-xx.tex", "f:1: \\input is not followed");
    check_refused(format, "\\message{", "f:1: { is not closed");
    check_refused(format, "\\def\\a#1{\\a{#1}}\n\\patterns{\\a{x}}",
                  "f:2: unknown command");
    check_refused(format, "\\", "f:1: unknown command");
}

static void assignments_end_where_tex_ends_them(void **state)
{
    static const char *const good[] = {"\\lccode39=39\\patterns{1a1b1c1d}",
                                       "\\lccode`\\%=`\\%\\patterns{1a1b1c1d}",
                                       "\\lccode`\\'=`\\' \\patterns{1a1b1c1d}",
                                       "\\lccode \"2019 = \"2019\\patterns{1a1b1c1d}",
                                       "\\catcode`a=11\\patterns{1a1b1c1d}",
                                       "\\uccode'47='47\\patterns{1a1b1c1d}",
                                       "\\lccode`\xC3\xA9=`\\^^e9\\patterns{1a1b1c1d}"};
    static const char *const bad[] = {"\n\\lccode39\\patterns{1a}",
                                      "\n\\lccode=39",
                                      "\n\\lccode39=",
                                      "\n\\lccode39=x",
                                      "\n\\lccode`\n=39",
                                      "\n\\lccode`%=39",
                                      "\n\\lccode'89=1",
                                      "\n\\lccode`\xC3=`\xC3",
                                      "\n\\lccode"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        test_where("%s", good[i]);
        ninho_hyphen_rules *rules = rules_of(NINHO_HYPHEN_TEX, good[i]);
        check_counts(rules, 1, 0);
        ninho_hyphen_rules_free(rules);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_refused(NINHO_HYPHEN_TEX, bad[i], "f:2: an assignment that is not");
}

static void a_long_name_leaves_room_for_the_line(void **state)
{
    ninho_hyphen_rules *rules = rules_of(NINHO_HYPHEN_PATTERNS, "");
    ninho_error error = NINHO_ERROR_INIT;
    char name[600];
    (void)state;
    memset(name, 'd', sizeof name);
    memcpy(name + sizeof name - sizeof "/x.tex", "/x.tex", sizeof "/x.tex");
    CHECK_STATUS(
        ninho_hyphen_rules_read(rules, NINHO_HYPHEN_TEX, name, "\n\\foo", 5, &error),
        NINHO_ERR_FORMAT);
    CHECK(strncmp(error.text, "...d", 4) == 0);
    assert_non_null(strstr(error.text, "d/x.tex:2: unknown command: \\foo"));
    CHECK_STATUS(ninho_hyphen_rules_read_file(rules, NINHO_HYPHEN_TEX, name, &error),
                 NINHO_ERR_IO);
    assert_non_null(strstr(error.text, "d/x.tex: cannot open it: "));
    /* no text is an empty one, whatever size is said */
    CHECK_OK(ninho_hyphen_rules_read(rules, NINHO_HYPHEN_TEX, "f", NULL, 3, &error));
    ninho_hyphen_rules_free(rules);
}

static void dic_files_have_a_charset_and_minima(void **state)
{
    ninho_hyphen_rules *rules = rules_of(
        NINHO_HYPHEN_DIC, "ISO8859-2\r\n% x\r\nLEFTHYPHENMIN 1\r\nRIGHTHYPHENMIN 2\r\n"
                          "COMPOUNDLEFTHYPHENMIN 2\nNOHYPHEN ',-\na1\xB1\n.b1c\n");
    ninho_hyphen_language *language;
    (void)state;
    check_counts(rules, 2, 0);
    CHECK_U64(ninho_hyphen_rules_minima(rules).left, 1);
    CHECK_U64(ninho_hyphen_rules_minima(rules).right, 2);
    CHECK_OK(ninho_hyphen_compile(rules, NULL, NULL, &language, NULL));
    CHECK_BROKEN(language, "aąx", "a-ąx");
    ninho_hyphen_language_free(language);
    ninho_hyphen_rules_free(rules);
}

static void the_second_level_of_a_dic_file_counts(void **state)
{
    ninho_hyphen_rules *rules =
        rules_of(NINHO_HYPHEN_DIC, "UTF-8\nLEFTHYPHENMIN 4\na1b\nc1d\nNEXTLEVEL\ne1f\n");
    (void)state;
    check_counts(rules, 1, 0);
    CHECK_U64(ninho_hyphen_rules_minima(rules).left, 4);
    ninho_hyphen_rules_free(rules);
}

static void bad_dic_files_are_refused_with_their_line(void **state)
{
    const ninho_hyphen_format format = NINHO_HYPHEN_DIC;
    (void)state;
    check_refused(format, "EBCDIC\n", "f:1: a charset that is not known: EBCDIC");
    check_refused(format, "UTF-8\na1b\nc1d/x=,1,1",
                  "f:3: a pattern that changes letters");
    check_refused(format, "UTF-8\nLEFTHYPHENMIN 0", "f:2: a minimum");
    check_refused(format, "UTF-8\nRIGHTHYPHENMIN 64", "f:2: a minimum");
    check_refused(format,
                  "UTF-8\n\xE9"
                  "1a",
                  "f:2: a byte that is not UTF-8");
    check_refused(format, "UTF-8\na b", "f:2: a space in a pattern");
    check_refused(format,
                  "ISO8859-7\n\xAE"
                  "1a",
                  "f:2: a byte that the charset does not have");
}

static void an_exception_must_be_of_letters_of_the_language(void **state)
{
    ninho_hyphen_rules *rules = small_rules("a1b", "x-y\n\no'-clock");
    ninho_hyphen_language *language;
    ninho_error error = NINHO_ERROR_INIT;
    (void)state;
    CHECK_STATUS(ninho_hyphen_compile(rules, NULL, NULL, &language, &error),
                 NINHO_ERR_FORMAT);
    CHECK(strncmp(error.text, "exceptions:3: ", 14) == 0);
    CHECK_OK(
        ninho_hyphen_rules_read(rules, NINHO_HYPHEN_PATTERNS, "more", "'1c", 3, NULL));
    CHECK_OK(ninho_hyphen_compile(rules, NULL, NULL, &language, NULL));
    CHECK_BROKEN(language, "o'clock", "o'-clock");
    ninho_hyphen_language_free(language);
    ninho_hyphen_rules_free(rules);
}

static void names_tell_formats(void **state)
{
    (void)state;
    CHECK_U64(ninho_hyphen_format_of("a/hyph-x.pat.txt"), NINHO_HYPHEN_PATTERNS);
    CHECK_U64(ninho_hyphen_format_of("X.HYP.TXT"), NINHO_HYPHEN_EXCEPTIONS);
    CHECK_U64(ninho_hyphen_format_of("x.tex"), NINHO_HYPHEN_TEX);
    CHECK_U64(ninho_hyphen_format_of("hyph_x.dic"), NINHO_HYPHEN_DIC);
    CHECK_U64(ninho_hyphen_format_of("x.txt"), 0);
    CHECK_U64(ninho_hyphen_format_of(""), 0);
}

static void files_are_read_or_refused(void **state)
{
    ninho_hyphen_rules *rules = rules_of(NINHO_HYPHEN_PATTERNS, "");
    struct temp_dir dir;
    ninho_error error = NINHO_ERROR_INIT;
    char path[512], message[600];
    (void)state;
    temp_dir_make(&dir);
    file_write(temp_path(&dir, "a.pat.txt", path), "a1b\n2\n", 6);
    CHECK_STATUS(ninho_hyphen_rules_read_file(rules, 0, path, &error), NINHO_ERR_FORMAT);
    (void)snprintf(message, sizeof message, "%s:2: a pattern without a letter: 2", path);
    CHECK(strcmp(error.text, message) == 0);
    file_write(path, "a1b\n", 4);
    CHECK_OK(ninho_hyphen_rules_read_file(rules, 0, path, &error));
    check_counts(rules, 1, 0);
    CHECK_STATUS(
        ninho_hyphen_rules_read_file(rules, 0, temp_path(&dir, "no.tex", path), &error),
        NINHO_ERR_IO);
    CHECK(error.system_errno != 0 && strstr(error.text, path));
    CHECK_STATUS(ninho_hyphen_rules_read_file(rules, NINHO_HYPHEN_TEX, dir.path, &error),
                 NINHO_ERR_FORMAT);
    CHECK_STATUS(ninho_hyphen_rules_read_file(rules, 0, dir.path, &error), NINHO_ERR_ARG);
    temp_dir_remove(&dir);
    ninho_hyphen_rules_free(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_stand_between_white_space),
        cmocka_unit_test(an_empty_text_says_nothing),
        cmocka_unit_test(bad_patterns_are_refused_with_their_line),
        cmocka_unit_test(a_pattern_has_63_letters_at_most),
        cmocka_unit_test(exceptions_are_folded_and_parted_by_space),
        cmocka_unit_test(bad_exceptions_are_refused_with_their_line),
        cmocka_unit_test(a_later_item_takes_the_place_of_an_earlier_one),
        cmocka_unit_test(a_refused_text_changes_nothing),
        cmocka_unit_test(tex_files_have_lists_comments_and_headers),
        cmocka_unit_test(tex_files_may_abbreviate),
        cmocka_unit_test(bad_tex_files_are_refused_with_their_line),
        cmocka_unit_test(assignments_end_where_tex_ends_them),
        cmocka_unit_test(a_long_name_leaves_room_for_the_line),
        cmocka_unit_test(dic_files_have_a_charset_and_minima),
        cmocka_unit_test(the_second_level_of_a_dic_file_counts),
        cmocka_unit_test(bad_dic_files_are_refused_with_their_line),
        cmocka_unit_test(an_exception_must_be_of_letters_of_the_language),
        cmocka_unit_test(names_tell_formats),
        cmocka_unit_test(files_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
