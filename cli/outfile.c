/* SPDX-License-Identifier: MIT */
/* Files that are there as a whole or not at all (ninho/file.h). Where an unfinished one must have a
 * name, a signal that ends the program takes it away first. */
#define _XOPEN_SOURCE     700 /* realpath, strndup */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outfile.h"
#include "output.h"

#define BUFFER_BYTES ((size_t)64 << 10)

/* ---- Signals ------------------------------------------------------------------------------- */

#define MAX_UNFINISHED 8
static const char *volatile unfinished[MAX_UNFINISHED];
/* SIGPIPE: whoever read the table has gone. What main() ignores stays ignored. */
static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};

static void remove_unfinished(int number)
{
    for (size_t i = 0; i < MAX_UNFINISHED; i++)
        if (unfinished[i])
            (void)unlink(unfinished[i]);
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void catch_signals(void)
{
    static bool is_done;

    for (size_t i = 0; !is_done && i < sizeof ending / sizeof *ending; i++) {
        struct sigaction before;
        struct sigaction action = {.sa_handler = remove_unfinished};
        (void)sigemptyset(&action.sa_mask);
        /* Who ignores one, nohup say, goes on ignoring it. */
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            (void)sigaction(ending[i], &action, NULL);
    }
    is_done = true;
}

static void block_signals(sigset_t *before)
{
    sigset_t set;

    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        (void)sigaddset(&set, ending[i]);
    (void)sigprocmask(SIG_BLOCK, &set, before);
}

/* ---- Files --------------------------------------------------------------------------------- */

static int write_error(const struct outfile *output, int number)
{
    return fail_io(output->path, "cannot write", number);
}

/* Begins the file, so that no signal comes between the making of a temporary one and the note of
 * its name. */
static int begin(struct outfile *output)
{
    ninho_error error = NINHO_ERROR_INIT;
    sigset_t before;
    size_t slot = 0;

    while (slot < MAX_UNFINISHED && unfinished[slot])
        slot++;
    if (slot == MAX_UNFINISHED)
        return fail_no_memory();
    catch_signals();
    block_signals(&before);
    const ninho_status status =
        ninho_file_begin(output->path, NULL, &output->file, &error);
    unfinished[slot] = status ? NULL : ninho_file_temporary(output->file);
    output->slot = slot;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return status ? fail_error(output->path, &error) : EXIT_YES;
}

/* Where a path leads, also if there is nothing yet; NULL if even its folder is not there. */
static char *place_of(const char *path)
{
    char *whole = realpath(path, NULL);
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    if (whole)
        return whole;
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *real = folder ? realpath(folder, NULL) : NULL;
    const size_t size = (real ? strlen(real) : 0) + strlen(name) + 2;
    if (real)
        whole = malloc(size);
    if (whole)
        (void)snprintf(whole, size, "%s/%s", real, name);
    free(folder);
    free(real);
    return whole;
}

bool outfile_are_same(const char *a, const char *b)
{
    struct stat in_a;
    struct stat in_b;

    if (stat(a, &in_a) == 0 && stat(b, &in_b) == 0)
        return !S_ISCHR(in_a.st_mode) && in_a.st_dev == in_b.st_dev &&
               in_a.st_ino == in_b.st_ino;
    char *place_a = place_of(a);
    char *place_b = place_of(b);
    const bool are_same = place_a && place_b && strcmp(place_a, place_b) == 0;
    free(place_a);
    free(place_b);
    return are_same;
}

static bool is_descriptor(const char *path, int descriptor)
{
    struct stat of_path;
    struct stat of_descriptor;

    return stat(path, &of_path) == 0 && fstat(descriptor, &of_descriptor) == 0 &&
           !S_ISCHR(of_path.st_mode) && of_path.st_dev == of_descriptor.st_dev &&
           of_path.st_ino == of_descriptor.st_ino;
}

bool outfile_is_stdout(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

int outfile_check(const char *path, char *const *inputs, size_t n_inputs,
                  const char *const *others, size_t n_others)
{
    bool has_stdin = n_inputs == 0;

    if (strcmp(path, "-") == 0)
        return fail("cannot write to '-': name a file");
    if (is_descriptor(path, STDOUT_FILENO))
        return fail("%s: is to be written, and is standard output: name another file",
                    path);
    for (size_t i = 0; i < n_inputs; i++) {
        const bool is_stdin = strcmp(inputs[i], "-") == 0;
        has_stdin |= is_stdin;
        if (!is_stdin && outfile_are_same(path, inputs[i]))
            return fail("%s: is to be written, and is read as %s: name another file",
                        path, inputs[i]);
    }
    if (has_stdin && is_descriptor(path, STDIN_FILENO))
        return fail("%s: is to be written, and is standard input: name another file",
                    path);
    for (size_t i = 0; i < n_others; i++)
        if (outfile_are_same(path, others[i]))
            return fail("%s: is to be written twice", path);
    return EXIT_YES;
}

int outfile_open(struct outfile *output, const char *path)
{
    struct stat file;

    output->path = path;
    output->is_stdout = outfile_is_stdout(path);
    if (output->is_stdout)
        return EXIT_YES;
    if (stat(path, &file) == 0 && !S_ISREG(file.st_mode)) {
        if (S_ISDIR(file.st_mode))
            return write_error(output, EISDIR);
        output->descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        output->is_terminal = output->descriptor >= 0 && isatty(output->descriptor);
        return output->descriptor < 0 ? write_error(output, errno) : EXIT_YES;
    }
    return begin(output);
}

int outfile_open_text(struct outfile *output, const char *path)
{
    const size_t size = strlen(path);
    const char *why = NULL;

    if (size > 3 && strcmp(path + size - 3, ".gz") == 0) {
        output->deflater = deflater_new(&why);
        if (!output->deflater)
            return fail("%s: %s", path, why);
    }
    return outfile_open(output, path);
}

static int flush_in_place(struct outfile *output)
{
    size_t at = 0;

    while (at < output->text.size) {
        const ssize_t n =
            write(output->descriptor, output->text.data + at, output->text.size - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return write_error(output, n ? errno : ENOSPC);
        at += (size_t)n;
    }
    return EXIT_YES;
}

static int flush(struct outfile *output)
{
    ninho_error error = NINHO_ERROR_INIT;
    int status = EXIT_YES;

    if (!output->file)
        status = flush_in_place(output);
    else if (ninho_file_write(output->file, output->text.data, output->text.size, &error))
        status = fail_error(output->path, &error);
    output->text.size = 0;
    return status;
}

static int take_deflated(void *context, const void *bytes, size_t size)
{
    struct outfile *output = context;

    text_append(&output->text, bytes, size);
    if (output->text.has_failed)
        return fail_no_memory();
    return output->text.size >= BUFFER_BYTES ? flush(output) : EXIT_YES;
}

/* `size` 0: the end. */
static int deflate_text(struct outfile *output, const char *bytes, size_t size)
{
    const int status = deflater_run(output->deflater, bytes, size, take_deflated, output);

    return status < 0 ? fail_no_memory() : status;
}

int outfile_write(struct outfile *output, const char *bytes, size_t size)
{
    if (!size)
        return EXIT_YES;
    if (output->is_stdout) {
        output_lines(bytes, size, output->separator);
        return EXIT_YES;
    }
    if (output->deflater)
        return deflate_text(output, bytes, size);
    if (output->is_terminal)
        visible_lines_add(&output->lines, bytes, size, output->separator, &output->text);
    else
        text_append(&output->text, bytes, size);
    if (output->text.has_failed)
        return fail_no_memory();
    return output->text.size >= BUFFER_BYTES ? flush(output) : EXIT_YES;
}

int outfile_settle(struct outfile *output)
{
    if (output->is_stdout)
        return EXIT_YES; /* the caller asks output_is_written() */
    ninho_error error = NINHO_ERROR_INIT;
    visible_lines_end(&output->lines, &output->text);
    int status = output->deflater ? deflate_text(output, NULL, 0) : EXIT_YES;
    if (!status)
        status = flush(output);

    if (status)
        return status;
    if (output->file)
        return ninho_file_sync(output->file, &error) ? fail_error(output->path, &error)
                                                     : EXIT_YES;
    const int closed = close(output->descriptor);
    output->descriptor = -1;
    return closed != 0 ? write_error(output, errno) : EXIT_YES;
}

/* Ends the file one way or the other, and with it its name. */
static ninho_status end(struct outfile *output, bool is_good, ninho_error *error)
{
    ninho_status status = NINHO_OK;
    sigset_t before;

    block_signals(&before);
    if (is_good)
        status = ninho_file_commit(output->file, error);
    else
        ninho_file_drop(output->file);
    output->file = NULL;
    unfinished[output->slot] = NULL;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

int outfile_publish(struct outfile *output)
{
    ninho_error error = NINHO_ERROR_INIT;

    if (!output->file || !end(output, true, &error))
        return EXIT_YES;
    return fail_error(output->path, &error);
}

void outfile_close(struct outfile *output)
{
    if (output->descriptor >= 0)
        (void)close(output->descriptor);
    if (output->file)
        (void)end(output, false, NULL);
    deflater_free(output->deflater);
    text_free(&output->text);
    *output = (struct outfile)OUTFILE_INIT;
}

int outfile_save(const char *path, const char *bytes, size_t size)
{
    struct outfile output = OUTFILE_INIT;
    int status = outfile_open(&output, path);

    if (!status)
        status = outfile_write(&output, bytes, size);
    if (!status)
        status = outfile_settle(&output);
    if (!status)
        status = outfile_publish(&output);
    outfile_close(&output);
    return status;
}
