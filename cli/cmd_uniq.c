/* SPDX-License-Identifier: MIT */
/* ninho uniq: the lines that were not seen before, as they come.
 *
 * A filter remembers what was seen, or with --exact a dictionary; in a file it stays from run to run.
 * Lines are hashed on several threads, and asked for and added on one, in their order. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "output.h"
#include "report.h"
#include "setfile.h"
#include "setpipe.h"
#include "spec.h"
#include "stream.h"
#include "tally.h"

#define BATCH 1024
/* What is swallowed is lost, so this is less than for filters that are only asked. */
#define DEFAULT_UNIQ_FPR 1e-4
/* Of a filter that grows; one that is kept begins small. */
#define FIRST_CAPACITY 1000000
#define FIRST_IN_FILE  100000
/* Something to ask for: whether the limit has been reached already. */
#define ANY_MORE (UINT64_C(1) << 20)

struct uniq_options {
    bool repeated;
    bool count;
    bool exact;
};

static const struct option own_options[] = {
    {FLAG("repeated", struct uniq_options, repeated, "print repeated lines, each once"),
     .letter = 'd'},
    {FLAG("count", struct uniq_options, count, "at the end, how often each came"),
     .letter = 'c'},
    {FLAG("exact", struct uniq_options, exact, "no errors, for more memory")},
    {0},
};

struct uniq {
    const struct args *args;
    const char *path; /* NULL: nothing is kept */
    struct uniq_options options;
    struct spec_options spec;
    struct open_options opening;
    struct key_options keys;
    struct key_format format;
    struct key_reader reader;
    struct set seen;
    struct set printed; /* with -d */
    struct tally tally; /* with -c */
    bool has_printed;   /* the header, where there is one */
    bool is_ours;       /* the file of what was seen: it was not there */
};

/* What it is called in messages. */
static const char *name_of(const struct uniq *uniq)
{
    return uniq->path ? uniq->path : "uniq";
}

/* ---- Asking and adding --------------------------------------------------------------------- */

static int cannot_add(const struct uniq *uniq, const struct set *set, ninho_status status)
{
    if (status == NINHO_ERR_NOMEM)
        return fail_no_memory();
    if (status == NINHO_ERR_FULL)
        return fail("%s: is full; make it with a larger %s", name_of(uniq),
                    set_limit(set, 1));
    return fail("%s: %s", name_of(uniq), ninho_status_text(status));
}

/* Adds what is not there; *was_there tells. */
static int add_hash(const struct uniq *uniq, struct set *set, uint64_t hash,
                    bool *was_there)
{
    *was_there = ninho_filter_has(set->filter, hash);
    if (*was_there)
        return EXIT_YES;
    const ninho_status status = ninho_filter_add(set->filter, hash);
    return status ? cannot_add(uniq, set, status) : EXIT_YES;
}

/* The same for a key that was not there when its batch was looked up. */
static int add_key(const struct uniq *uniq, struct set *set, const void *key, size_t size,
                   bool *was_there)
{
    bool is_new = false;
    const ninho_status status = ninho_dict_put(set->dict, key, size, 1, &is_new);

    *was_there = !is_new;
    return status ? cannot_add(uniq, set, status) : EXIT_YES;
}

/* The line goes to the end of the chunk's output. */
static void select_line(struct chunk *chunk, size_t start, size_t end)
{
    if (chunk->n_output != start)
        memmove(chunk->data + chunk->n_output, chunk->data + start, end - start);
    chunk->n_output += end - start;
    chunk->n_selected++;
}

static int take_hashes(struct uniq *uniq, struct chunk *chunk)
{
    size_t start = 0;
    int status = EXIT_YES;

    for (size_t from = 0; from < chunk->n_keys; from += BATCH) {
        const size_t left = (size_t)chunk->n_keys - from;
        const size_t n = left < BATCH ? left : BATCH;
        uint64_t maybe[BATCH / 64];
        (void)ninho_filter_has_many(uniq->seen.filter, chunk->hashes + from, n, maybe);
        for (size_t i = 0; i < n && !status; i++) {
            const size_t line = from + i;
            bool was_there = maybe[i / 64] >> (i % 64) & 1;
            if (!was_there) /* but perhaps in this batch */
                status = add_hash(uniq, &uniq->seen, chunk->hashes[line], &was_there);
            bool is_wanted = !was_there;
            if (!status && uniq->options.repeated && was_there) {
                status = add_hash(uniq, &uniq->printed, chunk->hashes[line], &was_there);
                is_wanted = !was_there;
            } else if (uniq->options.repeated) {
                is_wanted = false;
            }
            if (uniq->format.is_part)
                start = chunk->starts[line];
            if (!status && is_wanted)
                select_line(chunk, start, chunk->ends[line]);
            start = chunk->ends[line];
        }
        if (status)
            return status;
    }
    return EXIT_YES;
}

static int take_one_key(struct uniq *uniq, struct chunk *chunk,
                        const struct key_batch *batch, size_t i, bool was_there)
{
    const void *key = batch->keys[i];
    const size_t size = batch->sizes[i];
    int status = EXIT_YES;

    if (uniq->options.count)
        return tally_add(&uniq->tally, key, size, chunk->data + batch->starts[i],
                         batch->ends[i] - batch->starts[i]);
    if (!was_there)
        status = add_key(uniq, &uniq->seen, key, size, &was_there);
    bool is_wanted = !was_there;
    if (uniq->options.repeated) {
        is_wanted = was_there && !ninho_dict_get(uniq->printed.dict, key, size, NULL);
        if (!status && is_wanted)
            status = add_key(uniq, &uniq->printed, key, size, &was_there);
    }
    if (!status && is_wanted)
        select_line(chunk, batch->starts[i], batch->ends[i]);
    return status;
}

/* Keys that lie in lines behind the one that is moved stay where they are: it moves to the front. */
static int take_keys(struct uniq *uniq, struct chunk *chunk)
{
    struct key_batch batch;
    size_t at = 0;
    int status = EXIT_YES;

    while (at < chunk->size && !status && !chunk->has_bad_key) {
        const size_t n = keys_take(&uniq->format, chunk, &at, &batch);
        uint64_t found[KEY_BATCH / 64] = {0};
        if (!uniq->options.count)
            (void)ninho_dict_get_many(uniq->seen.dict, batch.keys, batch.sizes, n, NULL,
                                      found);
        for (size_t i = 0; i < n && !status; i++)
            status = take_one_key(uniq, chunk, &batch, i, found[i / 64] >> (i % 64) & 1);
        chunk->n_keys += n;
    }
    return status;
}

/* ---- Chunks -------------------------------------------------------------------------------- */

static void hash_chunk(void *context, struct chunk *chunk)
{
    const struct uniq *uniq = context;
    size_t at = 0;

    if (chunk->hashes)
        chunk->n_keys = keys_hash(&uniq->format, chunk, &at, CHUNK_BYTES + 2,
                                  chunk->hashes, chunk->starts, chunk->ends);
}

static int check_room(const struct uniq *uniq, const struct chunk *chunk)
{
    if (uniq->options.count)
        return memory_check(name_of(uniq), 4 * (uint64_t)chunk->size +
                                               2 * (uint64_t)uniq->tally.text.size);
    if (uniq->seen.filter)
        return set_can(&uniq->seen) & NINHO_CAN_GROW
                   ? memory_check(name_of(uniq), ANY_MORE)
                   : EXIT_YES;
    return set_check_room(&uniq->seen, name_of(uniq), chunk->size);
}

static enum stream_step take_chunk(void *context, struct chunk *chunk)
{
    struct uniq *uniq = context;
    const struct text *header = &uniq->reader.header;
    int status = check_room(uniq, chunk);

    if (!status)
        status = chunk->hashes ? take_hashes(uniq, chunk) : take_keys(uniq, chunk);
    if (status)
        return STREAM_FAILED;
    if (!uniq->has_printed)
        output_lines(header->data, header->size, '\n');
    uniq->has_printed = true;
    output_lines(chunk->data, chunk->n_output, uniq->format.separator);
    return STREAM_GO_ON;
}

/* ---- Signals ------------------------------------------------------------------------------- */

/* Where what was seen is kept, Ctrl-C ends the input, and it is kept all the same. So does a closed pipe
 * at the output; but then FILE stays as it was. */
static volatile sig_atomic_t told_to_end;

static void note_signal(int number)
{
    told_to_end = number;
}

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_ENDING = sizeof ending / sizeof *ending };

struct signals {
    struct sigaction actions[N_ENDING]; /* as they were, and */
    struct sigaction pipe;              /* of SIGPIPE */
    sigset_t mask;
};

static void catch_signals(struct signals *before)
{
    struct sigaction action = {.sa_handler = note_signal};
    sigset_t set;

    told_to_end = 0;
    (void)sigemptyset(&action.sa_mask);
    (void)sigemptyset(&set);
    for (size_t i = 0; i < N_ENDING; i++) {
        (void)sigaction(ending[i], NULL, &before->actions[i]);
        if (before->actions[i].sa_handler == SIG_IGN)
            continue; /* who ignores one, nohup say, goes on ignoring it */
        (void)sigaction(ending[i], &action, NULL);
        (void)sigaddset(&set, ending[i]);
    }
    (void)sigprocmask(SIG_BLOCK, &set, &before->mask);
    /* Not blocked: a write that fails tells of it at once. */
    (void)sigaction(SIGPIPE, NULL, &before->pipe);
    if (before->pipe.sa_handler != SIG_IGN)
        (void)sigaction(SIGPIPE, &action, NULL);
}

/* What was before; the program ends by the signal after all, if one has come. */
static void release_signals(const struct signals *before)
{
    for (size_t i = 0; i < N_ENDING; i++)
        (void)sigaction(ending[i], &before->actions[i], NULL);
    (void)sigaction(SIGPIPE, &before->pipe, NULL);
    if (told_to_end)
        (void)raise(told_to_end);
    (void)sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* ---- What was seen ------------------------------------------------------------------------- */

static const char *advise(const char *path)
{
    (void)path;
    return "is not a ninho file: FILE is where ninho keeps what was seen; ninho uniq - "
           "KEYFILE keeps nothing";
}

static int make_set(struct uniq *uniq, struct set *set)
{
    struct spec_options *spec = &uniq->spec;
    const struct command *command = uniq->args->command;

    return kind_is_exact(spec->kind)
               ? spec_create_dict(spec, name_of(uniq), set)
               : spec_create_filter(spec, command, name_of(uniq), set);
}

static int prepare_spec(struct uniq *uniq)
{
    struct spec_options *spec = &uniq->spec;
    const bool is_exact = uniq->options.exact || uniq->options.count;

    if (is_exact && spec->kind && !kind_is_exact(spec->kind))
        return usage_error(uniq->args->command,
                           "--exact is for dictionaries, and --kind "
                           "%s is a filter",
                           kind_name(spec->kind));
    if (!spec->kind)
        spec->kind = is_exact              ? (int)NINHO_PROBE
                     : spec->spec.capacity ? (int)NINHO_BLOCKED
                                           : (int)NINHO_SCALABLE;
    if (!kind_is_exact(spec->kind)) {
        if (!spec->spec.capacity)
            spec->spec.capacity = uniq->path ? FIRST_IN_FILE : FIRST_CAPACITY;
        if (spec->spec.fpr <= 0)
            spec->spec.fpr = DEFAULT_UNIQ_FPR;
        if (!(kind_can(spec->kind) & NINHO_CAN_ADD))
            return usage_error(uniq->args->command,
                               "--kind %s: nothing can be added to it",
                               kind_name(spec->kind));
    }
    int status = spec_finish(spec, uniq->args);
    if (!status && spec->spec.capacity)
        status = spec_check_capacity(spec, uniq->args);
    return status ? status : spec_plan(spec, uniq->args->command);
}

/* Does what is there keep what the options promise? */
static int check_promise(const struct uniq *uniq)
{
    const struct set *set = &uniq->seen;
    ninho_spec spec = NINHO_SPEC_INIT;

    if (set->filter && uniq->options.exact)
        return fail("%s: is a filter, and --exact needs a dictionary", uniq->path);
    if (!(set_can(set) & NINHO_CAN_ADD))
        return fail("%s: a %s filter cannot add keys", uniq->path,
                    kind_name(set_kind(set)));
    if (set_is_checked(set))
        return fail("%s: has a dictionary beside its filter: ninho add is for those",
                    uniq->path);
    if (!set->filter)
        return EXIT_YES;
    (void)ninho_filter_spec(set->filter, &spec);
    if (spec.fpr <= uniq->spec.spec.fpr * 1.0001)
        return EXIT_YES;
    if (!args_given(uniq->args, "fpr")) {
        warn("%s: was made for an fpr of %.4g, so up to that share of new lines is "
             "swallowed (uniq's own default is %.4g)",
             uniq->path, spec.fpr, DEFAULT_UNIQ_FPR);
        return EXIT_YES;
    }
    return fail("%s: was made for an fpr of %.4g, and --fpr asks for %.4g", uniq->path,
                spec.fpr, uniq->spec.spec.fpr);
}

/* Opens the file, or makes what is to go there if there is none yet. *lock as set_lock(). */
static int open_seen(struct uniq *uniq, int *lock)
{
    struct stat file;

    if (!uniq->path)
        return make_set(uniq, &uniq->seen);
    /* An empty file, which is locked like any other. */
    int made = open(uniq->path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    uniq->is_ours = made >= 0;
    if (made < 0 && errno == EEXIST)
        made = open(uniq->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (made < 0)
        return fail("%s: cannot open: %s", uniq->path, strerror(errno));
    (void)close(made);
    int status = set_lock(uniq->path, lock);
    if (status)
        return status;
    if (fstat(*lock, &file) == 0 && file.st_size == 0) {
        status = make_set(uniq, &uniq->seen);
        (void)ninho_file_identify(uniq->path, &uniq->seen.file, NULL);
        return status;
    }
    status = set_open(uniq->path, &uniq->opening, SEALED_REFUSED, SET_WHOLE, &uniq->seen);
    return status ? status : check_promise(uniq);
}

/* Takes the empty file back that was made here, if a failure has left it so. */
static void drop_empty(const struct uniq *uniq, int lock)
{
    struct stat file;

    if (uniq->path && uniq->is_ours && lock >= 0 && fstat(lock, &file) == 0 &&
        file.st_size == 0)
        (void)unlink(uniq->path);
}

/* ---- The whole ----------------------------------------------------------------------------- */

static int read_all(struct uniq *uniq, unsigned n_threads)
{
    const struct args *args = uniq->args;
    const bool needs_hashes = uniq->seen.filter && !uniq->options.count;
    const struct stream_job job = {.work = hash_chunk,
                                   .consume = take_chunk,
                                   .context = uniq,
                                   .needs_hashes = needs_hashes,
                                   .needs_spans = needs_hashes,
                                   .progress = "lines"};
    const size_t n_own = args->n_operands ? 1 : 0;

    int status =
        set_key_format(&uniq->seen, args, &uniq->keys, name_of(uniq), &uniq->format);
    if (!status && uniq->options.repeated && !uniq->options.count)
        status = make_set(uniq, &uniq->printed);
    if (!status)
        status = keys_open(&uniq->reader, args->operands + n_own,
                           args->n_operands - n_own, &uniq->format, uniq->path);
    if (!status)
        status = stream_run(&uniq->reader, needs_hashes ? n_threads : 1, &job);
    if (!status && uniq->options.count)
        tally_print(&uniq->tally, uniq->options.repeated ? 2 : 1, uniq->format.separator);
    return status;
}

static int work(struct uniq *uniq, unsigned n_threads)
{
    struct signals before;
    int lock = -1;
    int status = open_seen(uniq, &lock);

    uniq->reader.goes_on = true;
    if (uniq->path) {
        catch_signals(&before);
        uniq->reader.waking = &before.mask;
        uniq->reader.signal = &told_to_end;
    }
    if (!status)
        status = read_all(uniq, n_threads);
    /* What could not be written was not seen. */
    if (!status && !output_is_written())
        status = EXIT_ERROR;
    if (!status && uniq->path)
        status = set_save_back(&uniq->seen, uniq->path);
    if (status)
        drop_empty(uniq, lock);
    set_unlock(lock);
    if (!status)
        report_overfull(name_of(uniq), &uniq->seen);
    keys_close(&uniq->reader);
    if (uniq->path)
        release_signals(&before);
    return status || uniq->reader.n_failed ? EXIT_ERROR : EXIT_YES;
}

/* Whoever thinks of cut -d has a delimiter taken for FILE. */
static int check_operands(const struct args *args, const struct uniq_options *options)
{
    if (options->repeated && args->n_operands && strlen(args->operands[0]) == 1 &&
        strchr(",;:|\t ", args->operands[0][0]))
        return usage_error(args->command,
                           "-d prints repeated lines here; the delimiter is "
                           "-t '%s'",
                           args->operands[0]);
    return EXIT_YES;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct thread_options threads = {0};
    struct memory_options memory = {0};
    struct uniq uniq = {.spec = SPEC_OPTIONS_INIT, .opening = {.advise = advise}};
    void *const targets[] = {&uniq.options, &uniq.keys,    &uniq.spec,
                             &threads,      &uniq.opening, &memory};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status))
        return status;
    uniq.args = &args;
    if (args.n_operands && strcmp(args.operands[0], "-") != 0)
        uniq.path = args.operands[0];
    status = check_operands(&args, &uniq.options);
    if (!status && uniq.options.count && uniq.path)
        status =
            usage_error(command, "-c counts the lines of one run, and keeps no FILE: "
                                 "ninho uniq -c - KEYFILE");
    memory_set_limit(&memory);
    if (!status)
        status = prepare_spec(&uniq);
    if (!status)
        status = tally_init(&uniq.tally);
    if (!status)
        status = work(&uniq, thread_count(&threads));
    tally_free(&uniq.tally);
    set_free(&uniq.seen);
    set_free(&uniq.printed);
    return status;
}

static const struct option *const tables[] = {
    own_options,      key_options_of_uniq, size_options, thread_options,
    key_file_options, memory_options,      NULL};

const struct command cmd_uniq = {.name = "uniq", .run = run, .options = tables};
