/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE   /* flock */
#define _FILE_OFFSET_BITS 64
#include "setfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explain.h"
#include "kinds.h"
#include "memory.h"
#include "options/numbers.h"
#include "output.h"
#include "secret.h"
#include "setpipe.h"

const struct option key_file_options[] = {
    {VALUE("key-file", "FILE", parse_text, struct open_options, key_file,
           "file that holds the secret")},
    {0},
};

const struct option pages_options[] = {
    {FLAG("no-huge", struct open_options, no_huge, "ordinary pages only")},
    {0},
};

/* Does the file say that it is a dictionary? Whether that is true is found out by opening it. */
static bool is_dict(const char *path)
{
    ninho_probe_info info = NINHO_PROBE_INIT;

    return ninho_probe_file(path, &info, NULL) == NINHO_OK && info.is_dict;
}

/* The library's own messages are good but for those cases that options can put right. */
static int open_error(const char *path, bool has_dict, const struct open_options *options,
                      const ninho_error *error)
{
    const char *what = has_dict ? "dictionary" : "filter";
    const char *advice =
        error->status == NINHO_ERR_FORMAT && options->advise && !is_pipe(path)
            ? options->advise(path)
            : NULL;

    path = shown_input(path);
    if (advice)
        return fail_as("format", "%s: %s", path, advice);
    if (error->status == NINHO_ERR_KEY_MISSING)
        return fail_as(status_name(error->status),
                       "%s: is a keyed %s: give its --key-file", path, what);
    if (error->status == NINHO_ERR_KEY_UNUSED)
        return fail_as(status_name(error->status),
                       "%s: is not a keyed %s: leave --key-file out", path, what);
    if (error->status != NINHO_ERR_KEY_WRONG)
        return fail_error(path, error);
    return fail_as(status_name(error->status),
                   "%s: %s does not hold the key this %s was made with", path,
                   options->key_file, what);
}

/* Opens by copy or by mapping, and then with the whole body checked. */
static ninho_status open_filter(const char *path, const struct open_options *options,
                                const ninho_open_options *how, ninho_filter **filter,
                                ninho_error *error)
{
    if (!options->map)
        return ninho_filter_open(path, how, filter, error);
    ninho_status status = ninho_filter_map(path, how, filter, error);
    if (status)
        return status;
    status = ninho_filter_verify(*filter, error);
    if (status) {
        ninho_filter_free(*filter);
        *filter = NULL;
    }
    return status;
}

/* The dictionary beside a filter, if there is one: it is the filter's attachment. */
static int open_beside(const char *path, const ninho_open_options *how, struct set *set)
{
    ninho_error error = NINHO_ERROR_INIT;
    char words[2 * sizeof error.text];
    size_t size = 0;

    if (!ninho_filter_attachment(set->filter, &size))
        return EXIT_YES;
    const int status = memory_check(path, 2 * (uint64_t)size);
    if (status)
        return status;
    if (ninho_checked_of(set->filter, how, &set->checked, &error) == NINHO_OK) {
        /* shown and asked, never changed but through `checked` */
        set->dict = (ninho_dict *)(uintptr_t)ninho_checked_dict(set->checked);
        return EXIT_YES;
    }
    set->has_sealed_beside =
        error.status == NINHO_ERR_KEY_MISSING && how->allow_sealed && !how->secret;
    if (set->has_sealed_beside)
        return EXIT_YES;
    error_words(&error, words, sizeof words);
    return fail_as(status_name(error.status), "%s: the dictionary beside the filter: %s",
                   path, words);
}

/* What the file takes in memory: a dictionary the bytes there, and a table made from them. */
static int check_memory(const char *path, bool is_twice)
{
    struct stat file;

    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return EXIT_YES;
    return memory_check(path, (uint64_t)file.st_size * (is_twice ? 2 : 1));
}

/* Opens what is no regular file. */
static int open_pipe(const char *path, const struct open_options *options,
                     const ninho_open_options *how, struct set *set)
{
    ninho_error error = NINHO_ERROR_INIT;
    bool has_dict = false;

    if (options->map)
        return fail("%s: is not a regular file, and only those can be mapped: leave "
                    "--mmap out",
                    shown_input(path));
    if (set_read_pipe(path, how, set, &has_dict, &error) == NINHO_OK)
        return EXIT_YES;
    return error.status ? open_error(path, has_dict, options, &error) : EXIT_ERROR;
}

int set_open(const char *path, const struct open_options *options, enum sealed sealed,
             enum set_parts parts, struct set *set)
{
    ninho_open_options how = NINHO_OPEN_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    uint8_t secret[NINHO_SECRET_BYTES];
    int status = EXIT_YES;

    *set = (struct set){0};
    if (!is_pipe(path))
        (void)ninho_file_identify(path, &set->file, NULL);
    how.allow_sealed = sealed == SEALED_ALLOWED;
    how.pages = options->no_huge ? NINHO_PAGES_SMALL : NINHO_PAGES_AUTO;
    if (options->key_file) {
        status = secret_read(options->key_file, secret);
        if (status)
            return status;
        how.secret = secret;
    }
    if (is_pipe(path)) {
        status = open_pipe(path, options, &how, set);
        if (!status && set->filter && parts == SET_WHOLE)
            status = open_beside(shown_input(path), &how, set);
        if (status)
            set_free(set);
        return status;
    }
    if (is_dict(path)) {
        if (options->map)
            return fail("%s: is a dictionary, and only filters can be mapped: leave "
                        "--mmap out",
                        path);
        status = check_memory(path, true);
        if (!status && ninho_dict_open(path, &how, &set->dict, &error))
            status = open_error(path, true, options, &error);
        return status;
    }
    if (!options->map)
        status = check_memory(path, false);
    if (!status && open_filter(path, options, &how, &set->filter, &error))
        status = open_error(path, false, options, &error);
    if (!status && parts == SET_WHOLE)
        status = open_beside(path, &how, set);
    if (status)
        set_free(set);
    return status;
}

int set_lock(const char *path, int *lock)
{
    for (;;) {
        struct stat locked;
        struct stat named;
        /* O_NONBLOCK: not to hang on a pipe that was named by mistake. */
        const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (file < 0)
            return fail_io(path, "cannot open", errno);
        if (fstat(file, &locked) != 0 || !S_ISREG(locked.st_mode)) {
            (void)close(file);
            return fail("%s: is not a regular file", path);
        }
        while (flock(file, LOCK_EX) != 0) {
            if (errno == EINTR)
                continue;
            const int reason = errno;
            (void)close(file);
            return fail_io(path, "cannot lock", reason);
        }
        /* Saving replaces the file. If that happened while we waited, the lock is on the file of
         * yesterday: again, with today's. (Ours is still open, so its number was not reused.) */
        if (stat(path, &named) == 0 && named.st_ino == locked.st_ino &&
            named.st_dev == locked.st_dev) {
            *lock = file;
            return EXIT_YES;
        }
        (void)close(file);
    }
}

void set_unlock(int lock)
{
    if (lock >= 0)
        (void)close(lock);
}

/* Does the folder that `path` lies in exist? */
static int check_folder(const char *path)
{
    struct stat status;
    char *folder = strdup(path);
    int result = EXIT_YES;

    if (!folder)
        return fail_no_memory();
    char *slash = strrchr(folder, '/');
    if (slash) {
        slash[slash == folder] = '\0';
        if (stat(folder, &status) != 0)
            result = fail_io(path, "cannot write", errno);
        else if (!S_ISDIR(status.st_mode))
            result = fail_io(path, "cannot write", ENOTDIR);
    }
    free(folder);
    return result;
}

int set_check_target(const char *path, bool is_forced)
{
    ninho_probe_info info = NINHO_PROBE_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    struct stat status;

    if (!*path)
        return fail("the name of the filter is empty");
    if (is_stdout_name(path)) {
        if (output_is_terminal())
            return fail("standard output is a terminal: write to a file or a pipe");
        return EXIT_YES;
    }
    if (stat(path, &status) != 0) {
        if (errno == ENOENT)
            return check_folder(path);
        return fail_io(path, "cannot write", errno);
    }
    if (S_ISDIR(status.st_mode))
        return fail_io(path, "cannot write", EISDIR);
    if (!S_ISREG(status.st_mode))
        return fail("%s: is not a regular file: it cannot be replaced", path);
    if (is_forced || status.st_size == 0)
        return EXIT_YES;
    /* One that is damaged, truncated or of a newer ninho is a ninho file too. */
    const ninho_status probed = ninho_probe_file(path, &info, &error);
    if (probed == NINHO_ERR_IO)
        return fail_error(path, &error);
    if (probed == NINHO_ERR_FORMAT && error.offset == 0)
        return fail("%s: exists and is not a ninho file; --force replaces it", path);
    return EXIT_YES;
}

/* Puts the dictionary that stands beside the filter into it, as its file holds it. */
static int pack(struct set *set, const char *path)
{
    const int status =
        memory_check(path, 2 * (uint64_t)ninho_dict_encoded_size(set->dict));

    if (status)
        return status;
    return ninho_checked_pack(set->checked) ? fail_no_memory() : EXIT_YES;
}

/* Writes what the set is into a file that replaces the other as a whole. */
static ninho_status save(const struct set *set, const char *path,
                         const ninho_file_options *options, ninho_error *error)
{
    ninho_file *file;

    ninho_status status = ninho_file_begin(path, options, &file, error);
    if (status)
        return status;
    status = set->filter ? ninho_filter_write(set->filter, ninho_file_sink, file, error)
                         : ninho_dict_write(set->dict, ninho_file_sink, file, error);
    if (!status)
        return ninho_file_commit(file, error);
    ninho_file_drop(file);
    return status;
}

static int save_in_peace(struct set *set, const char *path, const ninho_file_id *expected)
{
    ninho_file_options options = NINHO_FILE_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    sigset_t asking;
    sigset_t before;

    if (set->checked) {
        const int status = pack(set, path);
        if (status)
            return status;
    }
    if (is_stdout_name(path))
        return set_write_pipe(set, &error) && !output_failed()
                   ? fail_error("standard output", &error)
                   : EXIT_YES; /* output_finish() says what could not be written */
    options.expected = expected;
    /* A signal that asks to end waits until there is nothing to clean up. */
    (void)sigemptyset(&asking);
    (void)sigaddset(&asking, SIGINT);
    (void)sigaddset(&asking, SIGTERM);
    (void)sigaddset(&asking, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &asking, &before);
    const ninho_status status = save(set, path, &options, &error);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return status ? fail_error(path, &error) : EXIT_YES;
}

int set_save(struct set *set, const char *path)
{
    return save_in_peace(set, path, NULL);
}

int set_save_back(struct set *set, const char *path)
{
    return save_in_peace(set, path, &set->file);
}
