/* SPDX-License-Identifier: MIT */
#include "hyphenation.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hyphen_rules.h"
#include "kinds.h"
#include "languages.h"
#include "options/numbers.h"

#define DEFAULT_LANGUAGE "en-us"
#define DEFAULT_FPR      0.01

/* ---- Options ------------------------------------------------------------------------------- */

static const char *const store_names[] = {"compiled", "memory", "file",
                                          "lmdb",     "none",   NULL};

static bool parse_filter(const struct option *option, const char *text, void *target,
                         char *why, size_t why_size)
{
    *(ninho_kind *)target = ninho_kind_from_name(text);
    return word_number(option, text, why, why_size) >= 0;
}

static const char *const list_words[] = {"tex", "package", "none", NULL};

static bool parse_exceptions(const struct option *option, const char *text, void *target,
                             char *why, size_t why_size)
{
    struct exception_lists *lists = target;

    (void)option;
    if (strcmp(text, "tex") == 0) {
        lists->tex = true;
    } else if (strcmp(text, "package") == 0) {
        lists->package = true;
    } else if (strcmp(text, "none") == 0) {
        lists->none = true;
    } else if (!*text) {
        (void)snprintf(why, why_size, "it is empty");
        return false;
    } else if (lists->n_files == MAX_EXCEPTION_FILES) {
        (void)snprintf(why, why_size, "at most %d files", MAX_EXCEPTION_FILES);
        return false;
    } else {
        lists->files[lists->n_files++] = text;
    }
    return true;
}

static bool parse_forgotten(const struct option *option, const char *text, void *target,
                            char *why, size_t why_size)
{
    struct word_args *args = target;

    (void)option;
    if (args->n == MAX_FORGOTTEN) {
        (void)snprintf(why, why_size, "at most %d words", MAX_FORGOTTEN);
        return false;
    }
    args->words[args->n++] = text;
    return true;
}

const struct option language_options[] = {
    {VALUE("lang", "LANGUAGE", parse_text, struct hyphen_options, lang,
           "language, by its name in TeX")},
    {VALUE("patterns", "FILE", parse_text, struct hyphen_options, patterns,
           "file of patterns, or a compiled language")},
    {VALUE("data", "DIR", parse_text, struct hyphen_options, data, "folder of patterns")},
    {VALUE("exceptions", "LIST", parse_exceptions, struct hyphen_options, exceptions,
           "file of exceptions, or tex, package, none"),
     .words = list_words, .may_repeat = true},
    {NUMBER("left", "N", parse_u32, struct hyphen_options, left, 1,
            NINHO_HYPHEN_MAX_MINIMUM, "fewest letters before a break")},
    {NUMBER("right", "N", parse_u32, struct hyphen_options, right, 1,
            NINHO_HYPHEN_MAX_MINIMUM, "fewest letters behind a break")},
    {NUMBER("max-letters", "N", parse_u32, struct hyphen_options, max_letters, 1,
            NINHO_HYPHEN_MAX_LETTERS, "letters of a run that count")},
    {0},
};

const struct option store_options[] = {
    {NUMBER("store", "STORE", parse_word, struct hyphen_options, store, 1, 0,
            "where exceptions are kept"),
     .words = store_names},
    {VALUE("store-file", "FILE", parse_text, struct hyphen_options, store_file,
           "file of the store")},
    {FLAG("trust-store", struct hyphen_options, trust_store,
          "open an LMDB file without its checksum")},
    {VALUE("filter", "KIND", parse_filter, struct hyphen_options, filter,
           "filter in front of the store"),
     .word_at = kind_filter_at},
    {VALUE("fpr", "P", parse_fpr, struct hyphen_options, fpr, "its false positive rate")},
    {VALUE("forget", "WORD", parse_forgotten, struct hyphen_options, forgotten,
           "word to take out of the store"),
     .may_repeat = true},
    {0},
};

/* The store that was asked for, in words or by implication; refuses what contradicts it. */
static int choose_store(const struct args *args, const struct hyphen_options *options,
                        enum store *store)
{
    *store = options->store;
    if (*store == STORE_UNSAID)
        *store = options->store_file                       ? STORE_FILE
                 : options->filter || options->forgotten.n ? STORE_MEMORY
                                                           : STORE_COMPILED;
    const bool is_in_file = *store == STORE_FILE || *store == STORE_LMDB;
    const bool is_apart = *store == STORE_MEMORY || is_in_file;
    const char *name = store_names[*store - 1];
    if (options->filter && !is_apart)
        return usage_error(args->command,
                           "--filter stands before a store: memory, file or lmdb, not %s",
                           name);
    if (options->forgotten.n && !is_apart)
        return usage_error(args->command,
                           "--forget takes words out of a store: memory, file or lmdb, "
                           "not %s",
                           name);
    if (args_given(args, "fpr") && !options->filter)
        return usage_error(args->command, "--fpr needs --filter");
    if (options->store_file && !is_in_file)
        return usage_error(args->command,
                           "--store-file is for a store in a file: file or lmdb, not %s",
                           name);
    if (is_in_file && !options->store_file)
        return usage_error(args->command, "--store %s needs --store-file FILE", name);
    if (options->trust_store && *store != STORE_LMDB)
        return usage_error(args->command, "--trust-store is for --store lmdb");
    if (*store == STORE_LMDB && !ninho_hyphen_has_store(NINHO_HYPHEN_LMDB))
        return fail("hyphenate: --store lmdb: this ninho was built without LMDB "
                    "(liblmdb-dev)");
    return EXIT_YES;
}

static int check_lists(const struct args *args, const struct hyphen_options *options)
{
    const struct exception_lists *lists = &options->exceptions;

    if (lists->none && (lists->tex || lists->package))
        return usage_error(args->command,
                           "--exceptions none and --exceptions %s exclude "
                           "each other",
                           lists->tex ? "tex" : "package");
    return EXIT_YES;
}

/* ---- Only a language ----------------------------------------------------------------------- */

static void name_of(const struct hyphen_options *options,
                    char name[NINHO_HYPHEN_MAX_NAME + 1])
{
    language_name(options->lang ? options->lang : DEFAULT_LANGUAGE, name,
                  NINHO_HYPHEN_MAX_NAME + 1);
}

/* By what it begins with; or by its name, since one that was cut short may not begin with
 * anything. */
static bool is_compiled_file(const char *path)
{
    static const char suffix[] = ".nhy";
    const size_t length = strlen(path);
    uint8_t start[64];

    if (length >= sizeof suffix &&
        strcmp(path + length - (sizeof suffix - 1), suffix) == 0)
        return true;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (file < 0)
        return false; /* reading it will say why */
    const ssize_t n = read(file, start, sizeof start);
    (void)close(file);
    return n > 0 && ninho_hyphen_is_compiled(start, (size_t)n);
}

int hyphenation_compile(const struct args *args, const struct hyphen_options *options,
                        ninho_hyphen_language **language)
{
    ninho_hyphen_rules *rules = NULL;
    ninho_hyphen_minima minima;
    char name[NINHO_HYPHEN_MAX_NAME + 1];

    int status = check_lists(args, options);
    if (status)
        return status;
    if (options->patterns && is_compiled_file(options->patterns))
        return fail("%s: is compiled already; give the file of patterns",
                    options->patterns);
    name_of(options, name);
    if (ninho_hyphen_rules_create(NULL, &rules))
        return fail_no_memory();
    status = hyphen_rules_read(rules, name, options, &minima);
    if (!status)
        status = hyphen_rules_compile(rules, name, options, minima, NINHO_HYPHEN_COMPILED,
                                      language);
    ninho_hyphen_rules_free(rules);
    return status;
}

/* ---- A compiled file ----------------------------------------------------------------------- */

/* Exceptions that are in the file already cannot be taken out of it, and no more be put in. */
static int map_compiled(struct hyphenation *hyphenation, const struct args *args,
                        const struct hyphen_options *options)
{
    ninho_error error = NINHO_ERROR_INIT;
    ninho_hyphen_info info = NINHO_HYPHEN_INFO_INIT;
    const char *path = options->patterns;

    if (args_given(args, "max-letters"))
        return usage_error(args->command, "--max-letters is compiled in already");
    if (ninho_hyphen_map(path, NULL, &hyphenation->language, &error))
        return fail_error(path, &error);
    (void)ninho_hyphen_info_of(hyphenation->language, &info);
    if (options->exceptions.tex || options->exceptions.package)
        return fail("%s: is compiled: the lists tex and package go in when that is done, "
                    "with 'ninho hyphenate compile'; a file of exceptions can be added",
                    path);
    if (info.n_exceptions &&
        (options->exceptions.none || hyphenation->store == STORE_NONE))
        return fail("%s: its %zu exceptions are compiled in and cannot be left out", path,
                    info.n_exceptions);
    (void)ninho_hyphen_set_minima(hyphenation->language,
                                  (ninho_hyphen_minima){options->left, options->right});
    return EXIT_YES;
}

/* ---- All together -------------------------------------------------------------------------- */

/* All exceptions of `rules` go into a store that is new; into a file that was there, only what
 * the command line asks for by name. */
static int fill_store(struct hyphenation *hyphenation,
                      const struct hyphen_options *options,
                      const ninho_hyphen_rules *rules, const ninho_hyphen_rules *named)
{
    ninho_hyphen_store_options how = NINHO_HYPHEN_STORE_OPTIONS_INIT;
    ninho_hyphen_info info = NINHO_HYPHEN_INFO_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    how.store = hyphenation->store == STORE_LMDB   ? NINHO_HYPHEN_LMDB
                : hyphenation->store == STORE_FILE ? NINHO_HYPHEN_FILE
                                                   : NINHO_HYPHEN_DICT;
    how.path = options->store_file;
    how.trust = options->trust_store ? NINHO_HYPHEN_TRUST : NINHO_HYPHEN_CHECK;
    how.defaults = rules;
    (void)ninho_hyphen_info_of(hyphenation->language, &info);
    how.language = info.name;
    if (options->filter) {
        how.filter = (ninho_spec)NINHO_SPEC_INIT;
        how.filter.kind = options->filter;
        how.filter.fpr = options->fpr > 0 ? options->fpr : DEFAULT_FPR;
    }
    if (ninho_hyphen_exceptions_create(&how, named, NULL, &hyphenation->exceptions,
                                       &error))
        return fail_error(options->store_file ? options->store_file : "hyphenate",
                          &error);
    return EXIT_YES;
}

/* Takes words out of the store, and says so where the filter goes on taking them for members. */
static int forget(const struct hyphenation *hyphenation,
                  const struct word_args *forgotten)
{
    for (size_t i = 0; i < forgotten->n; i++) {
        const char *word = forgotten->words[i];
        ninho_error of_filter = NINHO_ERROR_INIT;
        ninho_error error = NINHO_ERROR_INIT;
        const ninho_status status = ninho_hyphen_exceptions_remove(
            hyphenation->exceptions, word, strlen(word), &of_filter, &error);
        if (status == NINHO_ERR_NOT_FOUND)
            return fail("hyphenate: --forget %.100s: there is no such exception", word);
        if (status)
            return fail("hyphenate: --forget %.100s: %s", word, error.text);
        if (of_filter.status)
            warn("hyphenate: --forget %.100s: %s", word, of_filter.text);
    }
    return EXIT_YES;
}

/* `named` are the files of --exceptions by themselves, unless a list was named too. */
static int open_store(struct hyphenation *hyphenation,
                      const struct hyphen_options *options,
                      const ninho_hyphen_rules *rules)
{
    const struct exception_lists *lists = &options->exceptions;
    ninho_hyphen_rules *files = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    int status = EXIT_YES;

    if (ninho_hyphen_rules_create(NULL, &files))
        return fail_no_memory();
    const bool names_own = lists->tex || lists->package;
    if (ninho_hyphen_check_exceptions(hyphenation->language, rules, &error))
        status = fail_error(NULL, &error);
    else if (!names_own)
        status = hyphen_rules_add_exceptions(files, lists);
    if (!status)
        status = fill_store(hyphenation, options, rules, names_own ? rules : files);
    ninho_hyphen_rules_free(files);
    return status;
}

static int open_parts(struct hyphenation *hyphenation, const struct args *args,
                      const struct hyphen_options *options, ninho_hyphen_rules *rules)
{
    ninho_hyphen_minima minima;
    char name[NINHO_HYPHEN_MAX_NAME + 1];
    int status;

    name_of(options, name);
    if (options->patterns && is_compiled_file(options->patterns)) {
        status = map_compiled(hyphenation, args, options);
        if (!status)
            status = hyphen_rules_add_exceptions(rules, &options->exceptions);
        /* An automaton takes no more in: what is new goes beside it. */
        if (hyphenation->store == STORE_COMPILED && options->exceptions.n_files)
            hyphenation->store = STORE_MEMORY;
    } else {
        status = hyphen_rules_read(rules, name, options, &minima);
        if (!status)
            status = hyphen_rules_compile(rules, name, options, minima,
                                          hyphenation->store == STORE_COMPILED
                                              ? NINHO_HYPHEN_COMPILED
                                              : NINHO_HYPHEN_LEFT_OUT,
                                          &hyphenation->language);
    }
    if (!status && hyphenation->store != STORE_COMPILED &&
        hyphenation->store != STORE_NONE)
        status = open_store(hyphenation, options, rules);
    return status ? status : forget(hyphenation, &options->forgotten);
}

int hyphenation_open(struct hyphenation *hyphenation, const struct args *args,
                     const struct hyphen_options *options)
{
    ninho_hyphen_rules *rules = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    *hyphenation = (struct hyphenation){.language = NULL};
    int status = check_lists(args, options);
    if (!status)
        status = choose_store(args, options, &hyphenation->store);
    if (status)
        return status;
    if (ninho_hyphen_rules_create(NULL, &rules))
        return fail_no_memory();
    status = open_parts(hyphenation, args, options, rules);
    ninho_hyphen_rules_free(rules);
    if (!status && ninho_hyphenator_create(hyphenation->language, hyphenation->exceptions,
                                           NULL, &hyphenation->hyphenator, &error))
        status = fail_error("hyphenate", &error);
    if (status)
        hyphenation_close(hyphenation);
    return status;
}

void hyphenation_close(struct hyphenation *hyphenation)
{
    ninho_hyphenator_free(hyphenation->hyphenator);
    ninho_hyphen_exceptions_free(hyphenation->exceptions);
    ninho_hyphen_language_free(hyphenation->language);
    *hyphenation = (struct hyphenation){.language = NULL};
}

/* ---- What happened ------------------------------------------------------------------------- */

static void line(const char *name, uint64_t value)
{
    print_figure(name, "%" PRIu64, value);
}

void hyphenation_report(const struct hyphenation *hyphenation)
{
    const ninho_hyphen_counters counters =
        ninho_hyphenator_counters(hyphenation->hyphenator);
    ninho_hyphen_info info = NINHO_HYPHEN_INFO_INIT;
    ninho_hyphen_store_info store = NINHO_HYPHEN_STORE_INFO_INIT;

    (void)ninho_hyphen_info_of(hyphenation->language, &info);
    print_figure("language", "%s", info.name[0] ? info.name : "-");
    line("left", info.minima.left);
    line("right", info.minima.right);
    line("words", counters.words);
    line("breaks", counters.breaks);
    line("patterns", info.n_patterns);
    line("language_bytes", info.memory_bytes);
    print_figure("store", "%s", store_names[hyphenation->store - 1]);
    if (!hyphenation->exceptions) {
        line("exceptions", info.n_exceptions);
        return;
    }
    (void)ninho_hyphen_store_info_of(hyphenation->exceptions, &store);
    line("exceptions", store.count);
    line("store_bytes", store.store_bytes);
    print_figure("filter", "%s", store.filter ? ninho_kind_name(store.filter) : "none");
    if (store.filter) {
        print_figure("fpr_target", "%g", store.fpr_target);
        line("filter_bytes", store.filter_bytes);
        line("stale", store.n_stale);
    }
    line("asked", counters.asked);
    line("lookups", counters.lookups);
    line("saved", counters.saved);
    line("found", counters.found);
    line("false_positives", counters.false_positives);
}
