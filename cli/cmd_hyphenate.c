/* SPDX-License-Identifier: MIT */
/* ninho hyphenate: running text, HTML or lists of words with their breaks; and its second word,
 * `compile`, which writes a language to a file. */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/hyphen/text.h"
#include "hyphenation.h"
#include "json.h"
#include "languages.h"
#include "options/numbers.h"
#include "output.h"

#define PIECE_BYTES ((size_t)64 << 10)
#define LINE_BYTES  ((size_t)64 << 10) /* the longest word that --json takes */
#define MAX_MARK    64

struct command_options {
    bool words;
    bool html;
    bool json;
    bool every_run;
    bool stats;
    bool list_languages;
    bool force;
    const char *mark;
};

static bool parse_mark(const struct option *option, const char *text, void *target,
                       char *why, size_t why_size)
{
    if (!parse_text(option, text, target, why, why_size))
        return false;
    if (strlen(text) <= MAX_MARK)
        return true;
    (void)snprintf(why, why_size, "at most %d bytes", MAX_MARK);
    return false;
}

static const struct option own_options[] = {
    {FLAG("words", struct command_options, words, "each line is a word")},
    {FLAG("html", struct command_options, html, "the text is HTML")},
    {FLAG("json", struct command_options, json, "print JSON")},
    {FLAG("every-run", struct command_options, every_run,
          "hyphenate every run of letters")},
    {VALUE("mark", "TEXT", parse_mark, struct command_options, mark,
           "what to put at a break")},
    {FLAG("stats", struct command_options, stats, "print statistics")},
    {FLAG("list-languages", struct command_options, list_languages,
          "print the languages there are")},
    {FLAG("force", struct command_options, force, "replace a file")},
    {0},
};

/* ---- Input --------------------------------------------------------------------------------- */

struct input {
    char **files;
    size_t n_files;
    size_t next;
    int descriptor; /* -1: none open */
    const char *name;
    bool is_regular;
};

/* Makes sure that each file can be opened, before anything is printed. */
static int input_open(struct input *input, char **files, size_t n_files)
{
    static char dash[] = "-";
    static char *only_stdin[] = {dash};
    struct stat status;

    *input = (struct input){.files = n_files ? files : only_stdin,
                            .n_files = n_files ? n_files : 1,
                            .descriptor = -1};
    for (size_t i = 0; i < n_files; i++) {
        if (strcmp(files[i], "-") == 0)
            continue;
        if (stat(files[i], &status) != 0 || access(files[i], R_OK) != 0)
            return fail_io(files[i], "cannot open", errno);
        if (S_ISDIR(status.st_mode))
            return fail_io(files[i], "cannot read", EISDIR);
    }
    return EXIT_YES;
}

static void input_close(struct input *input)
{
    if (input->descriptor > STDIN_FILENO)
        (void)close(input->descriptor);
    input->descriptor = -1;
}

/* Opens the next file. 1: done; 0: there is none; -1: everything has been said. */
static int input_next(struct input *input)
{
    struct stat status;

    if (input->next == input->n_files)
        return 0;
    const char *file = input->files[input->next++];
    if (strcmp(file, "-") == 0) {
        input->name = "standard input";
        input->descriptor = STDIN_FILENO;
        if (isatty(STDIN_FILENO))
            warn("reading text from the terminal; Ctrl-D ends");
    } else {
        input->name = file;
        input->descriptor = open(file, O_RDONLY | O_CLOEXEC);
        if (input->descriptor < 0) {
            (void)fail_io(file, "cannot open", errno);
            return -1;
        }
    }
    input->is_regular = fstat(input->descriptor, &status) == 0 && S_ISREG(status.st_mode);
    return 1;
}

/* The next bytes of the open file: how many, 0 at its end, -1 having said what is wrong. */
static ssize_t input_read(struct input *input, char *bytes, size_t size)
{
    struct pollfd poller = {.fd = input->descriptor, .events = POLLIN};

    /* Who waits for the next line of a pipe wants to see the last one. */
    if (!input->is_regular && poll(&poller, 1, 0) == 0)
        output_flush();
    for (;;) {
        const ssize_t n = read(input->descriptor, bytes, size);
        if (n >= 0)
            return n;
        if (errno == EAGAIN) {
            (void)poll(&poller, 1, -1);
        } else if (errno != EINTR) {
            (void)fail_io(input->name, "cannot read", errno);
            return -1;
        }
    }
}

/* ---- Text ---------------------------------------------------------------------------------- */

static ninho_status to_output(void *context, const void *bytes, size_t size)
{
    (void)context;
    output_lines(bytes, size, '\n');
    return output_failed() ? NINHO_ERR_IO : NINHO_OK;
}

static int stream_files(struct input *input, ninho_hyphen_stream *stream, bool is_lines)
{
    char *piece = malloc(PIECE_BYTES);
    bool is_open = false; /* the file before this one ended within a line */
    bool ends_in_newline = true;
    int opened = -1;

    if (!piece)
        return fail_no_memory();
    while ((opened = input_next(input)) > 0) {
        ssize_t n = 0;
        ninho_status status = NINHO_OK;
        while (!status && (n = input_read(input, piece, PIECE_BYTES)) > 0) {
            /* the end of a file ends its last word, and so its line */
            if (is_lines && is_open)
                output_lines("\n", 1, '\n');
            is_open = false;
            status = ninho_hyphen_stream_feed(stream, piece, (size_t)n);
            ends_in_newline = piece[n - 1] == '\n';
        }
        is_open |= !ends_in_newline;
        ends_in_newline = true;
        if (!status)
            status = ninho_hyphen_stream_finish(stream);
        input_close(input);
        if (status || n < 0) { /* what output_finish() will say, or what has been said */
            free(piece);
            return EXIT_ERROR;
        }
    }
    free(piece);
    return opened < 0 ? EXIT_ERROR : EXIT_YES;
}

static int write_text(struct input *input, const struct hyphenation *hyphenation,
                      const struct command_options *options)
{
    ninho_hyphen_text_options how = NINHO_HYPHEN_TEXT_OPTIONS_INIT;
    ninho_hyphen_stream *stream = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    how.units = options->words  ? NINHO_HYPHEN_LINES
                : options->html ? NINHO_HYPHEN_HTML
                                : NINHO_HYPHEN_TEXT;
    how.runs = options->every_run ? NINHO_HYPHEN_EVERY_RUN : NINHO_HYPHEN_FIRST_RUN;
    how.mark = options->mark;
    how.mark_size = options->mark ? strlen(options->mark) : 0;
    if (ninho_hyphen_stream_create(hyphenation->hyphenator, &how, to_output, NULL, NULL,
                                   &stream, &error))
        return fail_error("hyphenate", &error);
    const int status = stream_files(input, stream, options->words);
    ninho_hyphen_stream_free(stream);
    return status;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

/* Lines of input, each with a NUL behind it. */
struct lines {
    char *bytes; /* PIECE_BYTES and the longest line */
    size_t begin, end;
    bool is_at_end; /* of the file */
    uint64_t number;
};

static int too_long(const struct input *input, uint64_t number)
{
    (void)fail("%s: line %" PRIu64 ": is longer than %zu bytes", input->name, number,
               LINE_BYTES);
    return -1;
}

/* The next line: 1, with *line and *size; 0 at the end of the file; -1: all has been said. */
static int next_line(struct input *input, struct lines *lines, char **line, size_t *size)
{
    for (;;) {
        char *start = lines->bytes + lines->begin;
        const size_t there = lines->end - lines->begin;
        char *newline = there ? memchr(start, '\n', there) : NULL;
        if (newline || (lines->is_at_end && there)) {
            *line = start;
            *size = newline ? (size_t)(newline - start) : there;
            lines->begin += *size + (newline ? 1 : 0);
            lines->number++;
            if (*size && start[*size - 1] == '\r')
                --*size;
            start[*size] = '\0';
            return *size <= LINE_BYTES ? 1 : too_long(input, lines->number);
        }
        if (lines->is_at_end)
            return 0;
        if (there > LINE_BYTES + 1)
            return too_long(input, lines->number + 1);
        memmove(lines->bytes, start, there);
        lines->begin = 0;
        lines->end = there;
        const ssize_t n = input_read(input, lines->bytes + there, PIECE_BYTES);
        if (n < 0)
            return -1;
        lines->end += (size_t)n;
        lines->is_at_end = n == 0;
    }
}

static void print_word(ninho_hyphenator *hyphenator, const char *mark, const char *word,
                       size_t size)
{
    ninho_hyphen_break breaks[NINHO_HYPHEN_MAX_BREAKS];
    static char hyphenated[LINE_BYTES + MAX_MARK * NINHO_HYPHEN_MAX_BREAKS + 1];
    const size_t n =
        ninho_hyphenator_word(hyphenator, word, size, breaks, NINHO_HYPHEN_MAX_BREAKS);
    const size_t mark_size = strlen(mark);
    struct json json = {.inline_depth = 1};
    size_t used = 0;
    size_t from = 0;

    for (size_t i = 0; i < n; i++) {
        memcpy(hyphenated + used, word + from, breaks[i].at - from);
        used += breaks[i].at - from;
        from = breaks[i].at;
        memcpy(hyphenated + used, mark, mark_size);
        used += mark_size;
    }
    memcpy(hyphenated + used, word + from, size - from);
    used += size - from;
    hyphenated[used] = '\0';

    json_object(&json, NULL);
    json_bytes(&json, "word", word, size);
    json_bytes(&json, "hyphenated", hyphenated, used);
    json_array(&json, "positions");
    for (size_t i = 0; i < n; i++)
        json_uint(&json, NULL, breaks[i].at);
    json_array_end(&json);
    json_array(&json, "levels");
    for (size_t i = 0; i < n; i++)
        json_uint(&json, NULL, breaks[i].level);
    json_array_end(&json);
    json_object_end(&json);
}

static int write_json(struct input *input, const struct hyphenation *hyphenation,
                      const struct command_options *options)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    struct lines lines = {.bytes = malloc(LINE_BYTES + 2 + PIECE_BYTES + 1)};
    const char *mark = options->mark ? options->mark : "-";
    int got = 0;

    if (!lines.bytes)
        return fail_no_memory();
    while (got >= 0 && (got = input_next(input)) > 0) {
        char *line = NULL;
        size_t size = 0;
        lines.begin = lines.end = 0;
        lines.number = 0;
        lines.is_at_end = false;
        while (!output_failed() && (got = next_line(input, &lines, &line, &size)) > 0) {
            if (lines.number == 1 && strncmp(line, byte_order_mark, 3) == 0) {
                line += 3;
                size -= 3;
            }
            print_word(hyphenation->hyphenator, mark, line, size);
        }
        input_close(input);
    }
    free(lines.bytes);
    return got < 0 ? EXIT_ERROR : EXIT_YES;
}

/* ---- The languages ------------------------------------------------------------------------- */

static void print_language_json(struct json *json, const struct language_entry *entry,
                                const ninho_hyphen_known *known)
{
    json_object(json, NULL);
    json_string(json, "name", entry->name);
    json_string(json, "title", known ? known->title : NULL);
    json_uint(json, "left", known ? known->minima.left : NINHO_HYPHEN_DEFAULT_LEFT);
    json_uint(json, "right", known ? known->minima.right : NINHO_HYPHEN_DEFAULT_RIGHT);
    json_string(json, "folder", entry->folder);
    json_object_end(json);
}

static int list_languages(const struct hyphen_options *options, bool as_json)
{
    struct folders folders;
    struct language_list list = {.n = 0};
    struct json json = {0};

    int status = folders_find(&folders, options->data);
    if (!status)
        status = languages_list(&folders, &list);
    if (!status && as_json)
        json_list(&json, NULL);
    for (size_t i = 0; !status && i < list.n; i++) {
        const struct language_entry *entry = &list.entries[i];
        const ninho_hyphen_known *known = ninho_hyphen_known_find(entry->name);
        if (as_json)
            print_language_json(&json, entry, known);
        else
            output_format("%-15s %2u %2u  %s\n", entry->name,
                          known ? known->minima.left : NINHO_HYPHEN_DEFAULT_LEFT,
                          known ? known->minima.right : NINHO_HYPHEN_DEFAULT_RIGHT,
                          known ? known->title : "-");
    }
    if (!status && as_json)
        json_array_end(&json);
    if (!status && list.n == 0)
        status = EXIT_NO;
    languages_free(&list);
    folders_free(&folders);
    return status;
}

/* ---- compile ------------------------------------------------------------------------------- */

/* Who swaps two arguments should not lose a pattern file. */
static int check_target(const char *path, bool is_forced)
{
    struct stat status;
    char start[64];

    if (!*path)
        return fail("hyphenate: the name of the file is empty");
    if (stat(path, &status) != 0)
        return errno == ENOENT ? EXIT_YES : fail_io(path, "cannot write", errno);
    if (S_ISDIR(status.st_mode))
        return fail_io(path, "cannot write", EISDIR);
    if (!S_ISREG(status.st_mode))
        return fail("%s: is not a regular file: it cannot be replaced", path);
    if (is_forced || status.st_size == 0)
        return EXIT_YES;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return fail_io(path, "cannot open", errno);
    const ssize_t n = read(file, start, sizeof start);
    (void)close(file);
    if (n < 0 || !ninho_hyphen_is_compiled(start, (size_t)n))
        return fail("%s: exists and is not a compiled language; --force replaces it",
                    path);
    return EXIT_YES;
}

static int save(const ninho_hyphen_language *language, const char *path)
{
    ninho_error error = NINHO_ERROR_INIT;
    sigset_t asking;
    sigset_t before;

    /* A signal that asks to end waits until there is nothing to clean up. */
    (void)sigemptyset(&asking);
    (void)sigaddset(&asking, SIGINT);
    (void)sigaddset(&asking, SIGTERM);
    (void)sigaddset(&asking, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &asking, &before);
    const ninho_status status = ninho_hyphen_save(language, path, &error);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return status ? fail_error(path, &error) : EXIT_YES;
}

static void print_info(const ninho_hyphen_language *language, const char *path)
{
    ninho_hyphen_info info = NINHO_HYPHEN_INFO_INIT;
    struct json json = {0};

    (void)ninho_hyphen_info_of(language, &info);
    json_object(&json, NULL);
    json_string(&json, "file", path);
    json_string(&json, "name", info.name);
    json_uint(&json, "left", info.minima.left);
    json_uint(&json, "right", info.minima.right);
    json_uint(&json, "patterns", info.n_patterns);
    json_uint(&json, "exceptions", info.n_exceptions);
    json_uint(&json, "letters", info.n_letters);
    json_uint(&json, "states", info.n_states);
    json_uint(&json, "size_bytes", info.size_bytes);
    json_object_end(&json);
}

static int compile(const struct args *args, const struct hyphen_options *options,
                   const struct command_options *own)
{
    static const char *const not_for_it[] = {
        "words",  "html", "every-run",      "mark",       "stats",       "store",
        "filter", "fpr",  "list-languages", "store-file", "trust-store", "forget"};
    ninho_hyphen_language *language = NULL;
    int status = EXIT_YES;

    for (size_t i = 0; i < sizeof not_for_it / sizeof not_for_it[0]; i++)
        if (args_given(args, not_for_it[i]))
            return usage_error(args->command, "compile takes no --%s", not_for_it[i]);
    if (!args_operands(args, 2, 2, "compile OUT", &status))
        return status;
    const char *path = args->operands[1];
    status = check_target(path, own->force);
    if (!status)
        status = hyphenation_compile(args, options, &language);
    if (!status)
        status = save(language, path);
    if (!status && own->json)
        print_info(language, path);
    ninho_hyphen_language_free(language);
    return status;
}

/* ---- The command --------------------------------------------------------------------------- */

static int hyphenate(const struct args *args, const struct hyphen_options *options,
                     const struct command_options *own)
{
    struct hyphenation hyphenation;
    struct input input;
    ninho_error error = NINHO_ERROR_INIT;

    if (own->html && (own->words || own->json))
        return usage_error(args->command, "--html and --%s exclude each other",
                           own->words ? "words" : "json");
    if (own->json && own->every_run)
        return usage_error(args->command, "--json and --every-run exclude each other");
    if (own->force)
        return usage_error(args->command, "--force is for compile");
    int status = input_open(&input, args->operands, args->n_operands);
    if (!status)
        status = hyphenation_open(&hyphenation, args, options);
    if (status)
        return status;
    status = own->json ? write_json(&input, &hyphenation, own)
                       : write_text(&input, &hyphenation, own);
    input_close(&input);
    if (!status && ninho_hyphenator_status(hyphenation.hyphenator, &error))
        status = fail_error(options->store_file, &error);
    if (!status && own->stats) {
        output_flush();
        hyphenation_report(&hyphenation);
    }
    hyphenation_close(&hyphenation);
    return status;
}

static const struct option *const tables[] = {own_options, language_options,
                                              store_options, NULL};

static int run(const struct command *command, int argc, char **argv)
{
    struct command_options own = {.mark = NULL};
    struct hyphen_options options = {.lang = NULL};
    void *const targets[] = {&own, &options, &options};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status))
        return status;
    if (args.n_operands && strcmp(args.operands[0], "compile") == 0)
        return compile(&args, &options, &own);
    if (!own.list_languages)
        return hyphenate(&args, &options, &own);
    if (args.n_operands)
        return usage_error(command, "--list-languages takes no FILE");
    for (size_t i = 0; tables[i]; i++)
        for (const struct option *option = tables[i]; option->name; option++)
            if (args_given(&args, option->name) &&
                strcmp(option->name, "list-languages") != 0 &&
                strcmp(option->name, "data") != 0 && strcmp(option->name, "json") != 0)
                return usage_error(command, "--list-languages takes no --%s",
                                   option->name);
    return list_languages(&options, own.json);
}

const struct command cmd_hyphenate = {
    .name = "hyphenate", .run = run, .options = tables, .is_application = true};
