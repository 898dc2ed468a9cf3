/* SPDX-License-Identifier: MIT */
/* ninho check: the lines that may be members (of a dictionary: that are), in input order.
 *
 * A chunk's lines are asked for in batches; those to be printed are moved together at
 * the chunk's own start, so that a chunk costs no second buffer and one write. */
#include <inttypes.h>
#include <string.h>

#include "by_file.h"
#include "hint.h"
#include "json.h"
#include "output.h"
#include "setfile.h"
#include "setpipe.h"
#include "stream.h"

#define BATCH 1024

struct check_options {
    bool invert;
    bool count;
    bool quiet;
    bool json;
    bool with_names;
    bool only_names;
};

static const struct option own_options[] = {
    {FLAG("invert", struct check_options, invert,
          "select keys that are certainly not members"),
     .letter = 'v'},
    {FLAG("count", struct check_options, count, "print how many"), .letter = 'c'},
    {FLAG("quiet", struct check_options, quiet, "print nothing"), .letter = 'q'},
    {FLAG("with-filename", struct check_options, with_names,
          "the name of its file before each line"),
     .letter = 'H'},
    {FLAG("files-with-matches", struct check_options, only_names,
          "print only the names of files with a selected line"),
     .letter = 'l'},
    {FLAG("json", struct check_options, json, "print JSON")},
    {0},
};

static const struct option map_options[] = {
    {FLAG("mmap", struct open_options, map, "map the file instead of reading it")},
    {0},
};

struct checker {
    struct set set;
    struct key_format format;
    struct check_options options;
    bool prints_lines;
    uint64_t n_read;
    uint64_t n_selected;
    bool has_printed; /* the header, where there is one */
    struct key_reader reader;
    struct hint hint;
    struct by_file by_file;
};

/* Moves the selected lines of a batch to the end of the chunk's output. Lines that follow one
 * another move together, and not at all where they are in place already. `starts` is NULL where
 * there is nothing between lines. */
static void move_selected(struct chunk *chunk, size_t start, const uint32_t *starts,
                          const uint32_t *ends, size_t n, const uint64_t *maybe,
                          uint64_t inverted)
{
    size_t i = 0;

    while (i < n) {
        if (!(((maybe[i / 64] ^ inverted) >> (i % 64)) & 1)) {
            i++;
            continue;
        }
        const size_t from = starts ? starts[i] : i ? ends[i - 1] : start;
        do
            i++;
        while (i < n && (((maybe[i / 64] ^ inverted) >> (i % 64)) & 1) &&
               (!starts || starts[i] == ends[i - 1]));
        const size_t size = ends[i - 1] - from;
        if (chunk->n_output != from)
            memmove(chunk->data + chunk->n_output, chunk->data + from, size);
        chunk->n_output += size;
    }
}

/* Takes in the answers to a batch of n lines, of which the first begins at `start`. */
static void select_lines(const struct checker *checker, struct chunk *chunk, size_t start,
                         const uint32_t *starts, const uint32_t *ends, size_t n,
                         size_t n_yes, const uint64_t *answers)
{
    const uint64_t inverted = checker->options.invert ? UINT64_MAX : 0;
    const size_t n_selected = inverted ? n - n_yes : n_yes;

    chunk->n_keys += n;
    chunk->n_selected += n_selected;
    if (n_selected && checker->prints_lines)
        move_selected(chunk, start, checker->format.is_part ? starts : NULL, ends, n,
                      answers, inverted);
}

static void ask_filter(void *context, struct chunk *chunk)
{
    const struct checker *checker = context;
    uint64_t hashes[BATCH];
    uint32_t starts[BATCH];
    uint32_t ends[BATCH];
    uint64_t maybe[BATCH / 64];
    size_t at = 0;

    while (at < chunk->size && !chunk->has_bad_key) {
        const size_t start = at;
        const size_t n =
            keys_hash(&checker->format, chunk, &at, BATCH, hashes, starts, ends);
        const size_t n_maybe =
            ninho_filter_has_many(checker->set.filter, hashes, n, maybe);
        select_lines(checker, chunk, start, starts, ends, n, n_maybe, maybe);
    }
}

static void ask_dict(void *context, struct chunk *chunk)
{
    const struct checker *checker = context;
    struct key_batch batch;
    uint64_t found[KEY_BATCH / 64];
    size_t at = 0;

    while (at < chunk->size && !chunk->has_bad_key) {
        const size_t start = at;
        const size_t n = keys_take(&checker->format, chunk, &at, &batch);
        const size_t n_found = ninho_dict_get_many(checker->set.dict, batch.keys,
                                                   batch.sizes, n, NULL, found);
        select_lines(checker, chunk, start, batch.starts, batch.ends, n, n_found, found);
    }
}

/* Is a line in the set, or may be? */
static bool has_match(const struct checker *checker)
{
    return checker->options.invert ? checker->n_selected < checker->n_read
                                   : checker->n_selected > 0;
}

static enum stream_step print_chunk(void *context, struct chunk *chunk)
{
    struct checker *checker = context;

    checker->n_read += chunk->n_keys;
    checker->n_selected += chunk->n_selected;
    if (!has_match(checker)) /* and no line was moved */
        hint_note(&checker->hint, chunk, checker->format.separator);
    if (checker->prints_lines && !checker->has_printed) {
        output_lines(checker->reader.header.data, checker->reader.header.size, '\n');
        checker->has_printed = true;
    }
    by_file_add(&checker->by_file, chunk);
    if (checker->options.with_names)
        by_file_lines(chunk, checker->format.separator);
    else
        output_lines(chunk->data, chunk->n_output, checker->format.separator);
    return checker->options.quiet && checker->n_selected ? STREAM_STOP : STREAM_GO_ON;
}

static void print_totals(const struct checker *checker, const char *path)
{
    const uint64_t n_others = checker->n_read - checker->n_selected;

    if (checker->options.json) {
        struct json json = {0};
        json_object(&json, NULL);
        json_string(&json, "file", path);
        json_uint(&json, "keys_read", checker->n_read);
        json_uint(&json, checker->set.filter ? "maybe" : "present",
                  checker->options.invert ? n_others : checker->n_selected);
        json_uint(&json, "absent",
                  checker->options.invert ? checker->n_selected : n_others);
        json_object_end(&json);
    } else if (checker->options.count && checker->options.with_names) {
        by_file_counts(&checker->by_file);
    } else if (checker->options.count) {
        output_format("%" PRIu64 "\n", checker->n_selected);
    }
}

static int check(const struct args *args, struct checker *checker,
                 const struct key_options *keys, unsigned n_threads)
{
    const char *path = args->operands[0];
    const struct stream_job job = {.work = checker->set.filter ? ask_filter : ask_dict,
                                   .consume = print_chunk,
                                   .context = checker,
                                   .progress = "lines"};
    struct key_reader *reader = &checker->reader;

    int status = set_key_format(&checker->set, args, keys, path, &checker->format);
    if (!status)
        status = keys_open(reader, args->operands + 1, args->n_operands - 1,
                           &checker->format, NULL);
    if (!status)
        status =
            by_file_begin(&checker->by_file, args->operands + 1, args->n_operands - 1);
    if (!status)
        status = stream_run(reader, n_threads, &job);
    if (!status && !checker->options.quiet)
        print_totals(checker, path);
    if (!status && !has_match(checker))
        hint_tell(&checker->hint, &checker->set, path, &checker->format);
    text_free(&checker->hint.lines);
    by_file_free(&checker->by_file);
    keys_close(reader);
    if (status || (reader->n_failed && !(checker->options.quiet && checker->n_selected)))
        return EXIT_ERROR;
    return checker->n_selected ? EXIT_YES : EXIT_NO;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct checker checker = {.reader = {.goes_on = true}};
    struct check_options *options = &checker.options;
    struct key_options keys = {0};
    struct thread_options threads = {0};
    struct open_options opening = {0};
    void *const targets[] = {options, &keys, &threads, &opening, &opening, &opening};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 1, SIZE_MAX, "FILE [KEYFILE...]", &status))
        return status;
    if (options->quiet && (options->count || options->json))
        return usage_error(command, "-q and %s exclude each other",
                           options->count ? "-c" : "--json");
    if (options->only_names && (options->count || options->quiet || options->json))
        return usage_error(command, "-l and %s exclude each other",
                           options->count   ? "-c"
                           : options->quiet ? "-q"
                                            : "--json");
    if (options->with_names && options->json)
        return usage_error(command, "-H and --json exclude each other");
    checker.by_file.listed = options->only_names;
    status =
        check_one_stdin(&args, args.operands[0], args.operands + 1, args.n_operands - 1);
    if (status)
        return status;
    checker.prints_lines =
        !options->quiet && !options->count && !options->json && !options->only_names;
    status =
        set_open(args.operands[0], &opening, SEALED_REFUSED, SET_TO_ASK, &checker.set);
    if (status)
        return status;
    status = check(&args, &checker, &keys, thread_count(&threads));
    set_free(&checker.set);
    return status;
}

static const struct option *const tables[] = {
    own_options, key_options, thread_options, key_file_options, pages_options,
    map_options, NULL};

const struct command cmd_check = {.name = "check", .run = run, .options = tables};
