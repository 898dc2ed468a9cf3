/* SPDX-License-Identifier: MIT */
#include "hyphen_rules.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "languages.h"

/* Reads hyph-NAME.hyp.txt beside hyph-NAME.pat.txt, or says that there is none. */
static int read_list_beside(ninho_hyphen_rules *rules, const char *patterns,
                            const char *list)
{
    static const char *const endings[] = {".pat.txt", ".tex", ".dic"};
    char path[4096];
    size_t size = strlen(patterns);
    ninho_error error = NINHO_ERROR_INIT;

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t n = strlen(endings[i]);
        if (strlen(patterns) > n &&
            strcmp(patterns + strlen(patterns) - n, endings[i]) == 0)
            size = strlen(patterns) - n;
    }
    const int length = snprintf(path, sizeof path, "%.*s.hyp.txt",
                                size < sizeof path ? (int)size : 0, patterns);
    if (length < 0 || (size_t)length >= sizeof path || access(path, R_OK) != 0)
        return fail("hyphenate: --exceptions %s: there is no %.200s; name a file of "
                    "exceptions instead",
                    list, path);
    if (ninho_hyphen_rules_read_file(rules, NINHO_HYPHEN_EXCEPTIONS, path, &error))
        return fail_error(NULL, &error);
    return EXIT_YES;
}

/* The lists that were asked for by name, with a file of patterns. */
static int read_named_lists(ninho_hyphen_rules *rules, const char *name,
                            const struct hyphen_options *options)
{
    const ninho_hyphen_known *known = ninho_hyphen_known_find(name);
    const struct exception_lists *lists = &options->exceptions;
    ninho_error error = NINHO_ERROR_INIT;
    int status = EXIT_YES;

    if (lists->none)
        ninho_hyphen_rules_clear_exceptions(rules);
    /* TeX's list is the table's, or else the one in the folder */
    const bool is_known = lists->tex && known && known->exceptions;
    if (is_known &&
        ninho_hyphen_rules_read(rules, NINHO_HYPHEN_EXCEPTIONS, known->name,
                                known->exceptions, strlen(known->exceptions), &error))
        return fail_error("hyphenate", &error);
    if (lists->package || (lists->tex && !is_known))
        status = read_list_beside(rules, options->patterns,
                                  lists->package ? "package" : "tex");
    return status;
}

/* The name that a file of patterns has in its own name: hyph-NAME.pat.txt; "" if none. */
static void name_in_path(const char *path, char name[NINHO_HYPHEN_MAX_NAME + 1])
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    const size_t size = strncmp(file, "hyph-", 5) == 0 ? strcspn(file + 5, ".") : 0;

    name[0] = '\0';
    if (size > 0 && size <= NINHO_HYPHEN_MAX_NAME) {
        memcpy(name, file + 5, size);
        name[size] = '\0';
    }
}

static int read_patterns_file(ninho_hyphen_rules *rules, const char *name,
                              const struct hyphen_options *options,
                              ninho_hyphen_minima *minima)
{
    const ninho_hyphen_format format = ninho_hyphen_format_of(options->patterns);
    const ninho_hyphen_known *known =
        options->lang ? ninho_hyphen_known_find(name) : NULL;
    char in_path[NINHO_HYPHEN_MAX_NAME + 1];
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_hyphen_rules_read_file(rules, format ? format : NINHO_HYPHEN_PATTERNS,
                                     options->patterns, &error))
        return fail_error(NULL, &error);
    name_in_path(options->patterns, in_path);
    const int status = read_named_lists(rules, options->lang ? name : in_path, options);
    if (status)
        return status;
    *minima = ninho_hyphen_rules_minima(rules);
    if (options->lang && !known && (!minima->left || !minima->right) &&
        (!options->left || !options->right))
        warn(
            "hyphenate: --lang %s: TeX has no such language, so the minima are %d and %d "
            "unless --left and --right say otherwise",
            name, NINHO_HYPHEN_DEFAULT_LEFT, NINHO_HYPHEN_DEFAULT_RIGHT);
    if (!minima->left && known)
        minima->left = known->minima.left;
    if (!minima->right && known)
        minima->right = known->minima.right;
    return EXIT_YES;
}

static int read_language(ninho_hyphen_rules *rules, const char *name,
                         const struct hyphen_options *options,
                         ninho_hyphen_minima *minima)
{
    const struct exception_lists *lists = &options->exceptions;
    const ninho_hyphen_list list = lists->none ? NINHO_HYPHEN_LIST_NONE
                                   : lists->package && !lists->tex
                                       ? NINHO_HYPHEN_LIST_FOLDER
                                       : NINHO_HYPHEN_LIST_TEX;
    struct folders folders;
    ninho_error error = NINHO_ERROR_INIT;

    int status = folders_find(&folders, options->data);
    const char *folder = status ? NULL : languages_folder(&folders, name);
    if (!folder)
        status = EXIT_ERROR;
    else if (ninho_hyphen_read_language(rules, folder, name, list, minima, &error) ||
             (lists->package && lists->tex &&
              ninho_hyphen_read_exceptions(rules, folder, name, NINHO_HYPHEN_LIST_FOLDER,
                                           &error)))
        /* what is said of a file begins with its name */
        status = fail_error(
            error.status == NINHO_ERR_NOT_FOUND || error.status == NINHO_ERR_ARG ? folder
                                                                                 : NULL,
            &error);
    else if (ninho_hyphen_rules_count_patterns(rules) == 0)
        status = fail("hyphenate: no pattern for '%s' in its file in %s", name, folder);
    folders_free(&folders);
    return status;
}

/* Exceptions are read beside the patterns, so a file must not bring patterns of its own: a first
 * reading, into rules that are thrown away, tells. */
static int check_exception_file(const char *path, ninho_hyphen_format format)
{
    ninho_hyphen_rules *rules = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    int status = EXIT_YES;

    if (ninho_hyphen_rules_create(NULL, &rules))
        return fail_no_memory();
    if (ninho_hyphen_rules_read_file(rules, format, path, &error))
        status = fail_error(NULL, &error);
    else if (ninho_hyphen_rules_count_patterns(rules))
        status =
            fail("%s: has patterns, not only exceptions; --patterns takes those", path);
    ninho_hyphen_rules_free(rules);
    return status;
}

int hyphen_rules_add_exceptions(ninho_hyphen_rules *rules,
                                const struct exception_lists *lists)
{
    int status = EXIT_YES;

    for (size_t i = 0; !status && i < lists->n_files; i++) {
        const char *path = lists->files[i];
        const ninho_hyphen_format format =
            ninho_hyphen_format_of(path) == NINHO_HYPHEN_TEX ? NINHO_HYPHEN_TEX
                                                             : NINHO_HYPHEN_EXCEPTIONS;
        ninho_error error = NINHO_ERROR_INIT;
        status = check_exception_file(path, format);
        if (!status && ninho_hyphen_rules_read_file(rules, format, path, &error))
            status = fail_error(NULL, &error);
    }
    return status;
}

/* The options that decide what a language is compiled to. `name` is TeX's. */
int hyphen_rules_read(ninho_hyphen_rules *rules, const char *name,
                      const struct hyphen_options *options, ninho_hyphen_minima *minima)
{
    *minima = (ninho_hyphen_minima){0, 0};
    int status = options->patterns ? read_patterns_file(rules, name, options, minima)
                                   : read_language(rules, name, options, minima);
    if (!status && ninho_hyphen_rules_count_patterns(rules) == 0)
        status = fail("%s: no pattern in it", options->patterns);
    if (!status)
        status = hyphen_rules_add_exceptions(rules, &options->exceptions);
    if (options->left)
        minima->left = options->left;
    if (options->right)
        minima->right = options->right;
    return status;
}

int hyphen_rules_compile(const ninho_hyphen_rules *rules, const char *name,
                         const struct hyphen_options *options, ninho_hyphen_minima minima,
                         ninho_hyphen_inclusion inclusion,
                         ninho_hyphen_language **language)
{
    ninho_hyphen_options how = NINHO_HYPHEN_OPTIONS_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    how.name = options->patterns && !options->lang ? NULL : name;
    how.minima = minima;
    how.exceptions = inclusion;
    how.max_letters = options->max_letters;
    if (ninho_hyphen_compile(rules, &how, NULL, language, &error))
        return fail_error(error.status == NINHO_ERR_FORMAT ? NULL : "hyphenate", &error);
    return EXIT_YES;
}
