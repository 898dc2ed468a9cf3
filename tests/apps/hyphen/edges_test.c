/* SPDX-License-Identifier: MIT */
/* Languages in folders, what a caller can get wrong, files that cannot be written, and the darker
 * corners of TeX's notation. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/hyphen/languages.h"
#include "apps/hyphen/small.h"
#include "support/test.h"

/* ---- Folders ------------------------------------------------------------------------------- */

static void put_text(const struct temp_dir *dir, const char *name, const char *text)
{
    char path[512];

    file_write(temp_path(dir, name, path), text, strlen(text));
}

static void folders_hold_languages(void **state)
{
    static const char long_name[] = "a-name-that-is-longer-than-any-of-31";
    struct temp_dir dir;

    (void)state;
    temp_dir_make(&dir);
    put_text(&dir, "hyph-xx.pat.txt", "a1b\n");
    put_text(&dir, "hyph-xx.hyp.txt", "a-bab\n");
    put_text(&dir, "hyph-yy.tex",
             "% typesetting:\n% left: 4\n% right: 5  \n%\n"
             "\\patterns{a1b}\n\\hyphenation{ab-a}\n");
    CHECK(ninho_hyphen_folder_has(dir.path, "xx"));
    CHECK(ninho_hyphen_folder_has(dir.path, "yy"));
    CHECK(!ninho_hyphen_folder_has(dir.path, "zz"));
    CHECK(!ninho_hyphen_folder_has(dir.path, "../xx"));
    CHECK(!ninho_hyphen_folder_has(dir.path, ""));
    CHECK(!ninho_hyphen_folder_has(dir.path, long_name));
    CHECK(!ninho_hyphen_known_find("zz") && ninho_hyphen_known_find("en-us"));
    temp_dir_remove(&dir);
}

static void exceptions_are_those_that_were_asked_for(void **state)
{
    static const struct {
        const char *name;
        ninho_hyphen_list list;
        size_t n_exceptions;
        ninho_hyphen_minima minima;
    } cases[] = {
        {"xx", NINHO_HYPHEN_LIST_TEX, 1, {2, 3}},
        {"xx", NINHO_HYPHEN_LIST_FOLDER, 1, {2, 3}},
        {"xx", NINHO_HYPHEN_LIST_NONE, 0, {2, 3}},
        {"yy", NINHO_HYPHEN_LIST_FOLDER, 1, {4, 5}},
        {"yy", NINHO_HYPHEN_LIST_NONE, 0, {4, 5}},
        {"en-us", NINHO_HYPHEN_LIST_NONE, 0, {2, 3}},
        {"en-us", NINHO_HYPHEN_LIST_FOLDER, 0, {2, 3}},
    };
    struct temp_dir dir;

    (void)state;
    temp_dir_make(&dir);
    put_text(&dir, "hyph-xx.pat.txt", "a1b\n");
    put_text(&dir, "hyph-xx.hyp.txt", "a-bab\n");
    put_text(&dir, "hyph-yy.tex",
             "% typesetting:\n% left: 4\n% right: 5  \n%\n"
             "\\patterns{a1b}\n\\hyphenation{ab-a}\n");
    put_text(&dir, "hyph-en-us.pat.txt", "a1b\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ninho_hyphen_minima minima = {0};
        ninho_hyphen_rules *rules = NULL;
        test_where("case %zu", i);
        CHECK_OK(ninho_hyphen_rules_create(NULL, &rules));
        CHECK_OK(ninho_hyphen_read_language(rules, dir.path, cases[i].name, cases[i].list,
                                            &minima, NULL));
        CHECK_U64(ninho_hyphen_rules_count_patterns(rules), 1);
        CHECK_U64(ninho_hyphen_rules_count_exceptions(rules), cases[i].n_exceptions);
        CHECK_U64(minima.left, cases[i].minima.left);
        CHECK_U64(minima.right, cases[i].minima.right);
        ninho_hyphen_rules_free(rules);
    }
    ninho_hyphen_rules *rules = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    CHECK_OK(ninho_hyphen_rules_create(NULL, &rules));
    CHECK_STATUS(ninho_hyphen_read_language(rules, dir.path, "../xx",
                                            NINHO_HYPHEN_LIST_TEX, NULL, &error),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_hyphen_read_exceptions(rules, dir.path, "a/b",
                                              NINHO_HYPHEN_LIST_TEX, &error),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_hyphen_read_language(rules, dir.path, "zz", NINHO_HYPHEN_LIST_TEX,
                                            NULL, &error),
                 NINHO_ERR_NOT_FOUND);
    put_text(&dir, "hyph-xx.pat.txt", "a12b\n");
    CHECK_STATUS(ninho_hyphen_read_language(rules, dir.path, "xx", NINHO_HYPHEN_LIST_TEX,
                                            NULL, &error),
                 NINHO_ERR_FORMAT);
    CHECK_U64(ninho_hyphen_rules_count_exceptions(rules), 0);
    ninho_hyphen_rules_free(rules);
    temp_dir_remove(&dir);
}

/* ---- What a caller can get wrong ----------------------------------------------------------- */

static void options_have_ranges(void **state)
{
    static const char long_name[] = "a-name-that-is-longer-than-any-of-31";
    ninho_hyphen_rules *rules = small_rules("a1b", NULL);

    (void)state;
    for (int i = 0; i < 5; i++) {
        ninho_hyphen_options options = NINHO_HYPHEN_OPTIONS_INIT;
        ninho_error error = NINHO_ERROR_INIT;
        ninho_hyphen_language *language = NULL;
        switch (i) {
        case 0:
            options.size_of_struct = 0;
            break;
        case 1:
            options.minima.left = NINHO_HYPHEN_MAX_MINIMUM + 1;
            break;
        case 2:
            options.minima.right = NINHO_HYPHEN_MAX_MINIMUM + 1;
            break;
        case 3:
            options.exceptions = (ninho_hyphen_inclusion)9;
            break;
        default:
            options.name = long_name;
        }
        test_where("case %d", i);
        CHECK_STATUS(ninho_hyphen_compile(rules, &options, NULL, &language, &error),
                     NINHO_ERR_ARG);
        CHECK(!language && error.status == NINHO_ERR_ARG && error.text[0]);
    }
    ninho_hyphen_rules_free(rules);
    ninho_hyphen_rules_free(NULL);
    ninho_hyphen_language_free(NULL);
    ninho_hyphenator_free(NULL);
}

static void minima_have_ranges(void **state)
{
    ninho_hyphen_language *language = small_language(small_patterns, NULL, 0, 0);
    const ninho_hyphen_minima none = {0, 0}, left = {64, 0}, right = {0, 64},
                              good = {5, 0};

    (void)state;
    CHECK_STATUS(ninho_hyphen_set_minima(language, left), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_hyphen_set_minima(language, right), NINHO_ERR_ARG);
    CHECK_BROKEN(language, "hyphenation", "hy-phen-ation");
    CHECK_OK(ninho_hyphen_set_minima(language, none)); /* nothing changes */
    CHECK_BROKEN(language, "hyphenation", "hy-phen-ation");
    CHECK_OK(ninho_hyphen_set_minima(language, good));
    CHECK_BROKEN(language, "hyphenation", "hyphen-ation");
    ninho_hyphen_language_free(language);
}

/* ---- Files --------------------------------------------------------------------------------- */

static void what_cannot_be_saved_or_mapped_is_told(void **state)
{
    struct temp_dir dir;
    struct test_heap heap;
    char path[512], nowhere[512];
    ninho_error error = NINHO_ERROR_INIT;
    ninho_hyphen_rules *rules = small_rules(small_patterns, NULL);
    ninho_hyphen_language *language = NULL, *again = NULL;

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "language", path);
    temp_path(&dir, "none/language", nowhere);
    heap_init(&heap);
    CHECK_OK(ninho_hyphen_compile(rules, NULL, &heap.alloc, &language, NULL));
    heap_fail_at(&heap, 1);
    CHECK_STATUS(ninho_hyphen_save(language, path, &error), NINHO_ERR_NOMEM);
    heap_fail_at(&heap, 0);
    CHECK_U64(temp_dir_count(&dir), 0);
    CHECK_STATUS(ninho_hyphen_save(language, nowhere, &error), NINHO_ERR_IO);
    CHECK(error.system_errno == ENOENT);
    CHECK_STATUS(ninho_hyphen_map(path, NULL, &again, &error), NINHO_ERR_IO);
    CHECK_STATUS(ninho_hyphen_map(dir.path, NULL, &again, &error), NINHO_ERR_FORMAT);
    CHECK_OK(ninho_hyphen_save(language, path, &error));
    for (size_t n = 1; !again; n++) {
        heap_fail_at(&heap, n);
        const ninho_status status = ninho_hyphen_map(path, &heap.alloc, &again, &error);
        CHECK_STATUS(status, again ? NINHO_OK : NINHO_ERR_NOMEM);
    }
    heap_fail_at(&heap, 0);
    CHECK_BROKEN(again, "hyphenation", "hy-phen-ation");
    ninho_hyphen_language_free(again);
    again = NULL;
    size_t size;
    uint8_t *bytes = file_read(path, &size);
    bytes[size / 2] ^= 1;
    file_write(path, bytes, size);
    const ninho_status status = ninho_hyphen_map(path, NULL, &again, &error);
    CHECK(status == NINHO_ERR_CHECKSUM || status == NINHO_ERR_FORMAT);
    CHECK(!again);
    free(bytes);
    ninho_hyphen_language_free(language);
    CHECK_U64(heap.live_blocks, 0);
    ninho_hyphen_rules_free(rules);
    temp_dir_remove(&dir);
}

/* ---- TeX ----------------------------------------------------------------------------------- */

static void check_tex(const char *text, size_t size, const char *message)
{
    ninho_hyphen_rules *rules = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    test_where("%s", text);
    CHECK_OK(ninho_hyphen_rules_create(NULL, &rules));
    const ninho_status status =
        ninho_hyphen_rules_read(rules, NINHO_HYPHEN_TEX, "f", text, size, &error);
    CHECK_STATUS(status, message ? NINHO_ERR_FORMAT : NINHO_OK);
    if (message && !strstr(error.text, message))
        test_fail(__FILE__, __LINE__, "says \"%s\", not \"%s\"", error.text, message);
    CHECK_U64(ninho_hyphen_rules_count_patterns(rules), message ? 0 : 1);
    ninho_hyphen_rules_free(rules);
}

static void the_notation_of_tex_is_read_or_refused(void **state)
{
    static const struct {
        const char *text;
        const char *message; /* NULL: one pattern */
    } cases[] = {
        {"\\def\\p#1{#1#2#}\\patterns{\\p {a}}", "a sign that is no letter"},
        {"\\def\\p#1{1#1}\\patterns{\\p\t{a}}", NULL},
        {"\\def\\p#1{\n1#1\n}\\patterns{\\p{a}}", NULL},
        {"\\def\\p#1{1#1}\\patterns{\\p}", "a command without {...}"},
        {"\\def\\p#1{1#1}\\patterns{\\p{a}", "is not closed"},
        {"\\def\\p#1{1#1}\\patterns{\\p{a", "a command without {...}"},
        {"\\def\\p#1{1#1}\\patterns{\\pq{a}}", "unknown command"},
        {"\\patterns{\\p{a}}", "unknown command"},
        {"\\def\\p#1{\\p{#1}}\\patterns{\\p{a}}", "unknown command"},
        {"\\def\\p#1 1#1\\patterns{\\p{a}}", "anything but one argument"},
        {"\\def\\p#2{1#1}\\patterns{\\p{a}}", "anything but one argument"},
        {"\\def\\p", "anything but one argument"},
        {"\\def\\1#1{a}", "without a name"},
        {"\\def p#1{a}", "without a name"},
        {"\\def", "without a name"},
        {"\\def\\p#1{a % b\n}", "a comment inside"},
        {"\\def\\p#1{a", "{ is not closed"},
        {"\\patterns{a1b", "\\patterns{ is not closed"},
        {"\\hyphenation a-b", "\\hyphenation without {"},
        {"\\patterns", "\\patterns without {"},
        {"\\hyphenation{a-b", "\\hyphenation{ is not closed"},
        {"\\patterns{a1^^e9}", NULL},
        {"\\patterns{a1^^^^0103}", NULL},
        {"\\patterns{a1^^^}", "^ that is not"},
        {"\\patterns{a1^^^^010}", "^ that is not"},
        {"\\patterns{a1^^eg}", "^ that is not"},
        {"\\patterns{a1^^^^d800}", "^ that is not"},
        {"% typesetting:\n% left:  2x\n% right: 99\n\\patterns{a1b}", NULL},
    };
    char text[3000];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_tex(cases[i].text, strlen(cases[i].text), cases[i].message);
    check_tex("\\patterns{a1b \0}", 16, "a NUL byte");
    size_t n = 0;
    for (int i = 0; i < 100; i++) /* more than are kept */
        n += (size_t)snprintf(text + n, sizeof text - n, "\\def\\p%c%c#1{#1}\n",
                              'a' + i / 26, 'a' + i % 26);
    check_tex(text, n, "too many \\def");
}

static void a_long_name_of_a_file_is_shown_by_its_end(void **state)
{
    char name[300];
    ninho_hyphen_rules *rules = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    memset(name, 'n', sizeof name);
    for (size_t i = 0; i + 2 < sizeof name; i += 2)
        memcpy(name + i, "\xC3\xA9", 2);
    for (size_t odd = 0; odd < 2; odd++) { /* the cut falls into a sign, or not */
        memcpy(name + sizeof name - 10 - odd, "the-end\0\0\0", 8);
        CHECK_OK(ninho_hyphen_rules_create(NULL, &rules));
        CHECK_STATUS(ninho_hyphen_rules_read(rules, NINHO_HYPHEN_PATTERNS, name, "a12b",
                                             4, &error),
                     NINHO_ERR_FORMAT);
        CHECK(strstr(error.text, "the-end:1: two digits"));
        CHECK(strncmp(error.text, "...\xC3\xA9", 5) == 0);
        CHECK_STATUS(
            ninho_hyphen_rules_read(rules, (ninho_hyphen_format)9, NULL, "a", 1, &error),
            NINHO_ERR_ARG);
        ninho_hyphen_rules_free(rules);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_hold_languages),
        cmocka_unit_test(exceptions_are_those_that_were_asked_for),
        cmocka_unit_test(options_have_ranges),
        cmocka_unit_test(minima_have_ranges),
        cmocka_unit_test(what_cannot_be_saved_or_mapped_is_told),
        cmocka_unit_test(the_notation_of_tex_is_read_or_refused),
        cmocka_unit_test(a_long_name_of_a_file_is_shown_by_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
