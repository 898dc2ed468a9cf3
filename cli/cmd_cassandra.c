/* SPDX-License-Identifier: MIT */
/* ninho cassandra: asks, describes and writes the Filter.db of Apache Cassandra. */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/foreign/cassandra.h"
#include "json.h"
#include "keys.h"
#include "memory.h"
#include "options/numbers.h"
#include "outfile.h"
#include "output.h"

struct cassandra_options {
    bool json;
    bool write;
    const char *keys; /* a file of keys */
    double fpr;
    ninho_cassandra_type type;
    ninho_cassandra_layout layout;
};

static const char *type_at(size_t number)
{
    return ninho_cassandra_type_name((ninho_cassandra_type)number);
}

static const char *const versions[] = {"na", "ma", NULL};

/* "nb", "me", or just "na" and "ma". */
static bool parse_version(const struct option *option, const char *text, void *target,
                          char *why, size_t why_size)
{
    char name[32];

    (void)option;
    (void)snprintf(name, sizeof name, "%.2s-1-big-Filter.db", text);
    *(ninho_cassandra_layout *)target = ninho_cassandra_layout_of(name);
    if (strlen(text) == 2 && *(ninho_cassandra_layout *)target)
        return true;
    (void)snprintf(why, why_size, "ma to me, na to oa, or da is wanted");
    return false;
}

static const struct option own_options[] = {
    {FLAG("json", struct cassandra_options, json, "print JSON")},
    {FLAG("write", struct cassandra_options, write, "make the file")},
    {VALUE("keys", "FILE", parse_text, struct cassandra_options, keys, "file of keys")},
    {VALUE("fpr", "P", parse_fpr, struct cassandra_options, fpr,
           "its false positive rate")},
    {VALUE("type", "TYPE", parse_word, struct cassandra_options, type,
           "what the keys are"),
     .word_at = type_at},
    {VALUE("version", "VERSION", parse_version, struct cassandra_options, layout,
           "version of the format"),
     .words = versions},
    {0},
};

/* ---- Keys -------------------------------------------------------------------------------- */

/* Where the bytes of keys are made. */
struct key_room {
    char *bytes;
    size_t size;
};

/* The hashes of a key written as text. Answers an exit status; `where` is told where it is none. */
static int hash_key(struct key_room *room, ninho_cassandra_type type, const char *where,
                    const char *text, size_t size, uint64_t hash[2])
{
    const size_t wanted = type == NINHO_CASSANDRA_TEXT ? 16 : size / 2 + 16;
    const void *key;
    size_t key_size;
    ninho_error error = NINHO_ERROR_INIT;

    if (wanted > room->size) {
        char *bytes = realloc(room->bytes, 2 * wanted);
        if (!bytes)
            return fail_no_memory();
        *room = (struct key_room){.bytes = bytes, .size = 2 * wanted};
    }
    if (ninho_cassandra_key(type, text, size, room->bytes, &key, &key_size, &error))
        return fail_error(where, &error);
    ninho_cassandra_hash(key, key_size, hash);
    return EXIT_YES;
}

/* What is done with each key. Answers an exit status. */
typedef int (*key_action)(void *context, const char *text, size_t size,
                          const uint64_t hash[2]);

static int each_line(const struct cassandra_options *options, key_action action,
                     void *context, uint64_t *n_keys)
{
    char *files[] = {(char *)(uintptr_t)options->keys};
    const struct key_format format = {.separator = '\n', .unpacks = true};
    struct key_reader reader = {.n_files = 0};
    struct key_room room = {0};
    struct chunk chunk = {0};
    int status = keys_open(&reader, files, 1, &format, NULL);

    if (status)
        return status;
    if (!chunk_init(&chunk, false, false))
        status = fail_no_memory();
    while (!status) {
        const int got = keys_next(&reader, &chunk);
        if (got < 0)
            status =
                fail("%s: %s", reader.name ? reader.name : options->keys, reader.error);
        if (got <= 0)
            break;
        for (size_t at = 0; at < chunk.size && !status;) {
            const char *line = chunk.data + at;
            const size_t size =
                (size_t)((char *)memchr(line, '\n', chunk.size - at) - line);
            uint64_t hash[2];
            status = hash_key(&room, options->type, options->keys, line, size, hash);
            if (!status)
                status = action(context, line, size, hash);
            at += size + 1;
            ++*n_keys;
        }
    }
    free(room.bytes);
    chunk_free(&chunk);
    keys_close(&reader);
    return status;
}

/* Every key of the operands, or else of the file of keys. */
static int each_key(const struct cassandra_options *options, char **keys, size_t n,
                    key_action action, void *context, uint64_t *n_keys)
{
    struct key_room room = {0};
    int status = EXIT_YES;

    if (options->keys)
        return each_line(options, action, context, n_keys);
    for (size_t i = 0; i < n && !status; i++, ++*n_keys) {
        const size_t size = strlen(keys[i]);
        uint64_t hash[2];
        status = hash_key(&room, options->type, "cassandra", keys[i], size, hash);
        if (!status)
            status = action(context, keys[i], size, hash);
    }
    free(room.bytes);
    return status;
}

/* ---- Asking ------------------------------------------------------------------------------ */

static int read_file(const char *path, char **bytes, size_t *size)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    int status = EXIT_YES;

    *bytes = NULL;
    *size = 0;
    if (descriptor < 0 || fstat(descriptor, &about) != 0)
        return fail_io(path, "cannot open", errno);
    const size_t length = (size_t)about.st_size;
    if (!S_ISREG(about.st_mode))
        status = fail("%s: is not a regular file", path);
    else
        status = memory_check(path, length);
    if (!status && !(*bytes = malloc(length + 1)))
        status = fail_no_memory();
    while (!status && *size < length) {
        const ssize_t n = read(descriptor, *bytes + *size, length - *size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            status = fail("%s: cannot read: %s", path,
                          n ? strerror(errno) : "it became shorter meanwhile");
        else
            *size += (size_t)n;
    }
    (void)close(descriptor);
    return status;
}

static int find_layout(struct cassandra_options *options, const char *path)
{
    if (!options->layout)
        options->layout = ninho_cassandra_layout_of(path);
    if (options->layout)
        return EXIT_YES;
    return fail(
        "%s: the name does not begin with a version of Cassandra's format that is "
        "read (na and later: Cassandra 4 and later; ma to me: 3): add --version if "
        "it is of one",
        path);
}

struct asking {
    ninho_cassandra_filter filter;
    uint64_t n_maybe;
    bool prints;
};

static int ask_key(void *context, const char *text, size_t size, const uint64_t hash[2])
{
    struct asking *asking = context;

    if (!ninho_cassandra_has(&asking->filter, hash))
        return EXIT_YES;
    asking->n_maybe++;
    if (asking->prints) {
        output_lines(text, size, '\n');
        output_lines("\n", 1, '\n');
    }
    return output_failed() ? EXIT_ERROR : EXIT_YES;
}

static void describe(const ninho_cassandra_filter *filter, const char *path, bool is_json)
{
    const double load = ninho_cassandra_load(filter);
    const double fpr = pow(load, filter->n_hashes);
    const double count =
        load < 1 ? -(double)filter->n_bits / filter->n_hashes * log1p(-load) : INFINITY;
    const bool is_new = filter->layout == NINHO_CASSANDRA_NA;

    if (is_json) {
        struct json json = {0};
        json_object(&json, NULL);
        json_string(&json, "file", path);
        json_string(&json, "layout", is_new ? "na" : "ma");
        json_uint(&json, "hash_functions", filter->n_hashes);
        json_uint(&json, "bits", filter->n_bits);
        json_double(&json, "load", load);
        json_double(&json, "fpr_expected", fpr);
        json_double(&json, "count_estimate", count); /* null where all bits are set */
        json_object_end(&json);
        return;
    }
    output_format("layout          %s\n",
                  is_new ? "na, of Cassandra 4 and later" : "ma, of Cassandra 3");
    output_format("hash functions  %" PRIu32 "\n", filter->n_hashes);
    output_format("bits            %" PRIu64 "\n", filter->n_bits);
    output_format("load            %.4g\n", load);
    output_format("fpr expected    %.4g\n", fpr);
    if (load < 1)
        output_format("count           %.0f, estimated\n", count);
    else
        output_text("count           saturated: every bit is set\n");
}

static int ask_file(struct cassandra_options *options, const char *path, char **keys,
                    size_t n)
{
    struct asking asking = {.prints = !options->json};
    uint64_t n_keys = 0;
    char *bytes = NULL;
    size_t size;
    ninho_error error = NINHO_ERROR_INIT;
    int status = find_layout(options, path);

    if (!status)
        status = read_file(path, &bytes, &size);
    if (!status &&
        ninho_cassandra_view(&asking.filter, bytes, size, options->layout, &error))
        status = fail_error(path, &error);
    if (!status && n == 0 && !options->keys) {
        describe(&asking.filter, path, options->json);
    } else if (!status) {
        status = each_key(options, keys, n, ask_key, &asking, &n_keys);
        if (!status && options->json) {
            struct json json = {0};
            json_object(&json, NULL);
            json_string(&json, "file", path);
            json_uint(&json, "keys_read", n_keys);
            json_uint(&json, "maybe", asking.n_maybe);
            json_uint(&json, "absent", n_keys - asking.n_maybe);
            json_object_end(&json);
        }
        if (!status)
            status = asking.n_maybe ? EXIT_YES : EXIT_NO;
    }
    free(bytes);
    return status;
}

/* ---- Writing ----------------------------------------------------------------------------- */

/* The hashes of all keys, in pairs. */
struct pairs {
    uint64_t (*items)[2];
    size_t n;
    size_t room;
};

static int keep_pair(void *context, const char *text, size_t size, const uint64_t hash[2])
{
    struct pairs *pairs = context;

    (void)text;
    (void)size;
    if (pairs->n == pairs->room) {
        const size_t room = pairs->room ? 2 * pairs->room : 1024;
        if (room > SIZE_MAX / sizeof *pairs->items ||
            memory_check("cassandra", room * sizeof *pairs->items))
            return EXIT_ERROR;
        void *items = realloc(pairs->items, room * sizeof *pairs->items);
        if (!items)
            return fail_no_memory();
        pairs->items = items;
        pairs->room = room;
    }
    memcpy(pairs->items[pairs->n++], hash, sizeof *pairs->items);
    return EXIT_YES;
}

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;

    if (left[0] != right[0])
        return left[0] < right[0] ? -1 : 1;
    return left[1] < right[1] ? -1 : left[1] > right[1];
}

/* Drops equal ones. */
static void make_distinct(struct pairs *pairs)
{
    size_t n = 0;

    if (pairs->n)
        qsort(pairs->items, pairs->n, sizeof *pairs->items, compare_pairs);
    for (size_t i = 0; i < pairs->n; i++)
        if (i == 0 || compare_pairs(pairs->items[i], pairs->items[n - 1]) != 0)
            memcpy(pairs->items[n++], pairs->items[i], sizeof *pairs->items);
    pairs->n = n;
}

static int save_pairs(const struct cassandra_options *options, const char *path,
                      const struct pairs *pairs)
{
    ninho_cassandra_filter filter;
    ninho_cassandra_plan plan;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_cassandra_plan_for(pairs->n ? pairs->n : 1, options->fpr, &plan, &error))
        return fail_error(path, &error);
    if (plan.size > SIZE_MAX || memory_check(path, plan.size))
        return EXIT_ERROR;
    char *bytes = malloc((size_t)plan.size);
    if (!bytes || ninho_cassandra_create(&filter, &plan, bytes, (size_t)plan.size,
                                         options->layout)) {
        free(bytes);
        return fail_no_memory();
    }
    for (size_t i = 0; i < pairs->n; i++)
        ninho_cassandra_add(&filter, bytes, pairs->items[i]);
    const int status = outfile_save(path, bytes, (size_t)plan.size);
    free(bytes);
    return status;
}

static int write_file(struct cassandra_options *options, const char *path, char **keys,
                      size_t n)
{
    char *inputs[] = {(char *)(uintptr_t)options->keys};
    struct pairs pairs = {0};
    uint64_t n_keys = 0;
    int status = find_layout(options, path);

    if (!status && n == 0 && !options->keys)
        inputs[0] = (char *)(uintptr_t)(options->keys = "-");
    if (!status)
        status = outfile_check(path, inputs, options->keys ? 1 : 0, NULL, 0);
    if (!status)
        status = each_key(options, keys, n, keep_pair, &pairs, &n_keys);
    if (!status) {
        make_distinct(&pairs);
        status = save_pairs(options, path, &pairs);
    }
    free(pairs.items);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct cassandra_options options = {.fpr = 0.01};
    void *const targets[] = {&options};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 1, SIZE_MAX, "FILE [KEY...]", &status))
        return status;
    if (options.keys && args.n_operands > 1)
        return usage_error(command, "keys come from --keys or from the command line, not "
                                    "from both");
    if (args_given(&args, "fpr") && !options.write)
        return usage_error(command, "--fpr goes with --write only");
    if (options.write && options.json)
        return usage_error(command, "--json does not go with --write");
    return options.write ? write_file(&options, args.operands[0], args.operands + 1,
                                      args.n_operands - 1)
                         : ask_file(&options, args.operands[0], args.operands + 1,
                                    args.n_operands - 1);
}

static const struct option *const tables[] = {own_options, NULL};

const struct command cmd_cassandra = {
    .name = "cassandra", .run = run, .options = tables, .is_application = true};
