/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE   /* flock */
#define _FILE_OFFSET_BITS 64
#include "filterfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "numbers.h"
#include "secret.h"

const struct option key_file_options[] = {
    {.name = "key-file",
     .value = "FILE",
     .parse = parse_text,
     .offset = offsetof(struct open_filter_options, key_file)},
    {0},
};

const struct option pages_options[] = {
    {.name = "no-huge", .offset = offsetof(struct open_filter_options, no_huge)},
    {0},
};

/* Is the filter hashed under a secret, whatever that is? */
static bool is_keyed(const char *path)
{
    ninho_open_options how = NINHO_OPEN_INIT;
    ninho_info info = NINHO_INFO_INIT;
    ninho_filter *filter = NULL;

    how.allow_sealed = true;
    if (ninho_filter_map(path, &how, &filter, NULL))
        return false;
    (void)ninho_filter_info(filter, &info);
    ninho_filter_free(filter);
    return info.is_keyed;
}

/* The library's own messages are good but for those cases that options can put right. */
static int open_error(const char *path, const struct open_filter_options *options,
                      const ninho_error *error)
{
    if (error->status != NINHO_ERR_KEY)
        return fail_error(path, error);
    if (!options->key_file)
        return fail("%s: is a keyed filter: give its --key-file", path);
    if (!is_keyed(path))
        return fail("%s: is not a keyed filter: leave --key-file out", path);
    return fail("%s: %s does not hold the key this filter was made with", path,
                options->key_file);
}

/* Opens by copy or by mapping, and then with the whole body checked. */
static ninho_status open_either(const char *path,
                                const struct open_filter_options *options,
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

int filter_open(const char *path, const struct open_filter_options *options,
                enum sealed sealed, ninho_filter **filter)
{
    ninho_open_options how = NINHO_OPEN_INIT;
    ninho_error error = {.status = NINHO_OK};
    uint8_t secret[NINHO_SECRET_BYTES];
    struct stat file;

    how.allow_sealed = sealed == SEALED_ALLOWED;
    how.pages = options->no_huge ? NINHO_PAGES_SMALL : NINHO_PAGES_AUTO;
    if (options->key_file) {
        const int status = secret_read(options->key_file, secret);
        if (status)
            return status;
        how.secret = secret;
    }
    if (!options->map && stat(path, &file) == 0 && S_ISREG(file.st_mode)) {
        const int status = memory_check(path, (uint64_t)file.st_size);
        if (status)
            return status;
    }
    if (open_either(path, options, &how, filter, &error))
        return open_error(path, options, &error);
    return EXIT_YES;
}

int filter_lock(const char *path, int *lock)
{
    for (;;) {
        struct stat locked;
        struct stat named;
        /* O_NONBLOCK: not to hang on a pipe that was named by mistake. */
        const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (file < 0)
            return fail("%s: cannot open: %s", path, strerror(errno));
        if (fstat(file, &locked) != 0 || !S_ISREG(locked.st_mode)) {
            (void)close(file);
            return fail("%s: is not a regular file", path);
        }
        while (flock(file, LOCK_EX) != 0) {
            if (errno == EINTR)
                continue;
            const int reason = errno;
            (void)close(file);
            return fail("%s: cannot lock: %s", path, strerror(reason));
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

void filter_unlock(int lock)
{
    if (lock >= 0)
        (void)close(lock);
}

/* The first bytes of every version of the format (docs/format.md). */
static const char magic[6] = "NINHO";

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
            result = fail("%s: cannot write: %s", path, strerror(errno));
        else if (!S_ISDIR(status.st_mode))
            result = fail("%s: cannot write: %s", path, strerror(ENOTDIR));
    }
    free(folder);
    return result;
}

int filter_check_target(const char *path, bool is_forced)
{
    struct stat status;
    char start[sizeof magic];

    if (!*path)
        return fail("the name of the filter is empty");
    if (stat(path, &status) != 0) {
        if (errno == ENOENT)
            return check_folder(path);
        return fail("%s: cannot write: %s", path, strerror(errno));
    }
    if (S_ISDIR(status.st_mode))
        return fail("%s: cannot write: %s", path, strerror(EISDIR));
    if (!S_ISREG(status.st_mode))
        return fail("%s: is not a regular file: it cannot be replaced", path);
    if (is_forced || status.st_size == 0)
        return EXIT_YES;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return fail("%s: cannot open: %s", path, strerror(errno));
    size_t n = 0;
    ssize_t got = 1;
    while (n < sizeof start && got != 0) {
        got = read(file, start + n, sizeof start - n);
        if (got < 0 && errno != EINTR)
            break;
        n += got > 0 ? (size_t)got : 0;
    }
    const int read_errno = errno;
    (void)close(file);
    if (got < 0)
        return fail("%s: cannot read: %s", path, strerror(read_errno));
    if (n != sizeof start || memcmp(start, magic, sizeof magic) != 0)
        return fail("%s: exists and is not a ninho file; --force replaces it", path);
    return EXIT_YES;
}

int filter_save(const ninho_filter *filter, const char *path)
{
    ninho_error error = {.status = NINHO_OK};
    sigset_t asking;
    sigset_t before;

    /* A signal that asks to end waits until there is nothing to clean up. */
    (void)sigemptyset(&asking);
    (void)sigaddset(&asking, SIGINT);
    (void)sigaddset(&asking, SIGTERM);
    (void)sigaddset(&asking, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &asking, &before);
    const ninho_status status = ninho_filter_save(filter, path, &error);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return status ? fail_error(path, &error) : EXIT_YES;
}
