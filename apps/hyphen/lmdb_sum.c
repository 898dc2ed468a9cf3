/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* flock */
#include "lmdb_sum.h"

#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_BYTES 24
#define PIECE_BYTES  ((size_t)64 << 10)

static const char magic[] = "ninhosum";

static ninho_status fail_errno(ninho_error *error)
{
    return na_fail_errno(error, errno, "exceptions: the checksum");
}

/* Up to `size` bytes from `at` on, less only at the end of the file; -1: errno says why. */
static ssize_t read_at(int file, uint8_t *bytes, size_t size, uint64_t at)
{
    size_t have = 0;

    while (have < size) {
        const ssize_t n = pread(file, bytes + have, size - have, (off_t)(at + have));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        have += (size_t)n;
    }
    return (ssize_t)have;
}

/* The record that belongs to the file now. Each piece is hashed with the hash of what came before as
 * its seed. */
static ninho_status make_record(const struct hy_sum *sum, int data,
                                uint8_t record[RECORD_BYTES], ninho_error *error)
{
    ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    uint64_t size = 0;
    ssize_t n = 0;

    while ((n = read_at(data, sum->piece, PIECE_BYTES, size)) > 0) {
        hasher.seed = ninho_hash_bytes(&hasher, sum->piece, (size_t)n);
        size += (uint64_t)n;
    }
    if (n < 0)
        return fail_errno(error);
    memcpy(record, magic, 8);
    for (unsigned i = 0; i < 8; i++) {
        record[8 + i] = (uint8_t)(size >> (8 * i));
        record[16 + i] = (uint8_t)(hasher.seed >> (8 * i));
    }
    return NINHO_OK;
}

static ninho_status lock(int file, ninho_error *error)
{
    while (flock(file, LOCK_EX) != 0)
        if (errno != EINTR)
            return fail_errno(error);
    return NINHO_OK;
}

static ninho_status compare(const struct hy_sum *sum, int data, ninho_error *error)
{
    uint8_t stored[RECORD_BYTES + 1];
    uint8_t record[RECORD_BYTES];

    const ssize_t n = read_at(sum->descriptor, stored, sizeof stored, 0);
    if (n < 0)
        return fail_errno(error);
    const ninho_status status = make_record(sum, data, record, error);
    if (status)
        return status;
    if (n != RECORD_BYTES || memcmp(stored, record, RECORD_BYTES) != 0)
        return na_fail(
            error, NINHO_ERR_CHECKSUM,
            "exceptions: the LMDB file is not what its checksum says: it was "
            "damaged, or a program was killed while it changed it (--trust-store, or "
            "NINHO_HYPHEN_TRUST, takes it as it is)");
    return NINHO_OK;
}

/* Opens a file to read and write it, or only to read it where that is all that is allowed: -1 and
 * errno if not even that. A symbolic link is not followed. */
static int open_either(const char *path, int flags)
{
    const int how = O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
    const int file = open(path, O_RDWR | flags | how, 0666);

    if (file < 0 && (errno == EACCES || errno == EROFS || errno == EPERM))
        return open(path, O_RDONLY | how);
    return file;
}

static ninho_status size_of(int file, uint64_t *size, ninho_error *error)
{
    struct stat about;

    if (fstat(file, &about) != 0)
        return fail_errno(error);
    if (!S_ISREG(about.st_mode))
        return na_fail(error, NINHO_ERR_FORMAT, "exceptions: not a regular file");
    *size = (uint64_t)about.st_size;
    return NINHO_OK;
}

/* Opens the LMDB file to read it; -1 if there is none. */
static ninho_status open_data(const char *path, int *data, uint64_t *size,
                              ninho_error *error)
{
    *size = 0;
    *data = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*data < 0)
        return errno == ENOENT ? NINHO_OK : fail_errno(error);
    const ninho_status status = size_of(*data, size, error);
    if (status)
        (void)close(*data);
    return status;
}

bool hy_is_lmdb(const uint8_t *bytes, size_t size)
{
    static const uint32_t number = HY_LMDB_MAGIC;
    static const size_t header = sizeof(size_t) + 8;

    return size >= header + sizeof number &&
           memcmp(bytes + header, &number, sizeof number) == 0;
}

/* An empty file is about to become one. */
static ninho_status check_is_lmdb(int data, ninho_error *error)
{
    uint8_t start[32];

    const ssize_t n = data < 0 ? 0 : read_at(data, start, sizeof start, 0);
    if (n < 0)
        return fail_errno(error);
    if (n == 0 || hy_is_lmdb(start, (size_t)n))
        return NINHO_OK;
    if (n >= 6 && memcmp(start, "NINHO", 6) == 0)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "exceptions: not an LMDB file but one of ninho's, which the store "
                       "file opens");
    return na_fail(error, NINHO_ERR_FORMAT, "exceptions: not an LMDB file");
}

/* What is written over is empty, or begins with this; and it has one name, so that nothing is
 * written that goes by another. */
static ninho_status check_beside(int file, const void *start, size_t size,
                                 const char *suffix, ninho_error *error)
{
    struct stat about;
    uint8_t there[8];

    if (fstat(file, &about) != 0)
        return fail_errno(error);
    const bool is_file = S_ISREG(about.st_mode) && about.st_nlink <= 1;
    const ssize_t n = is_file ? read_at(file, there, size, 0) : 0;
    if (n < 0)
        return fail_errno(error);
    if (!is_file || (n > 0 && ((size_t)n < size || memcmp(there, start, size) != 0)))
        return na_fail(error, NINHO_ERR_FORMAT,
                       "exceptions: what lies beside the LMDB file with %s behind its "
                       "name is something else: move it away",
                       suffix);
    return NINHO_OK;
}

/* Opens what lies beside the file and looks at it. NINHO_OK and -1: there is nothing. */
static ninho_status open_beside(const char *path, int flags, const void *start,
                                size_t size, int *file, ninho_error *error)
{
    const char *suffix = strrchr(path, '-');

    *file = open_either(path, flags);
    if (*file < 0 && errno == ELOOP)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "exceptions: what lies beside the LMDB file with %s behind its "
                       "name is a link: remove it",
                       suffix);
    if (*file < 0)
        return errno == ENOENT && !flags ? NINHO_OK : fail_errno(error);
    const ninho_status status = check_beside(*file, start, size, suffix, error);
    if (status) {
        (void)close(*file);
        *file = -1;
    }
    return status;
}

/* LMDB makes it, or writes over what is there. */
static ninho_status check_lock_file(const char *path, ninho_error *error)
{
    static const uint32_t number = HY_LMDB_MAGIC;
    int file;

    const ninho_status status =
        open_beside(path, 0, &number, sizeof number, &file, error);
    if (file >= 0)
        (void)close(file);
    /* One that cannot be opened, LMDB cannot open either. */
    return status == NINHO_ERR_IO ? NINHO_OK : status;
}

static ninho_status fail_missing(int data, ninho_error *error)
{
    const ninho_status status = check_is_lmdb(data, error);

    if (status)
        return status;
    return na_fail(
        error, NINHO_ERR_FORMAT,
        "exceptions: the LMDB file has no checksum beside it: another program "
        "made it, or one that was killed (--trust-store, or NINHO_HYPHEN_TRUST, takes it "
        "as it is)");
}

/* PATH-sum is made before there is a file: where something is in the file, it was there first. */
static ninho_status open_sum(struct hy_sum *sum, const char *path, int data, bool is_made,
                             ninho_error *error)
{
    ninho_status status = open_beside(path, 0, magic, 8, &sum->descriptor, error);

    if (status || sum->descriptor >= 0)
        return status;
    if (!is_made)
        return fail_missing(data, error);
    return open_beside(path, O_CREAT, magic, 8, &sum->descriptor, error);
}

/* With the lock held. */
static ninho_status check_data(const struct hy_sum *sum, const char *path,
                               ninho_error *error)
{
    uint64_t size, sum_size;
    int data;

    ninho_status status = size_of(sum->descriptor, &sum_size, error);
    if (!status)
        status = open_data(path, &data, &size, error);
    if (status)
        return status;
    if (sum_size && data < 0)
        status =
            na_fail(error, NINHO_ERR_FORMAT,
                    "exceptions: the LMDB file is gone, and its checksum, with -sum "
                    "behind its name, is still there: bring the file back; or, for a "
                    "new one, remove the checksum or trust the store (--trust-store)");
    else if (sum_size)
        status = compare(sum, data, error);
    else if (size)
        status = fail_missing(data, error);
    if (data >= 0)
        (void)close(data);
    return status;
}

/* Before LMDB or we make or change anything. Where a checksum will be compared, that says more. */
static ninho_status open_seen(struct hy_sum *sum, int data, bool is_made, char *beside,
                              size_t size, ninho_error *error)
{
    ninho_status status = is_made ? check_is_lmdb(data, error) : NINHO_OK;

    memcpy(beside + size, "-lock", sizeof "-lock");
    if (!status)
        status = check_lock_file(beside, error);
    memcpy(beside + size, "-sum", sizeof "-sum");
    return status ? status : open_sum(sum, beside, data, is_made, error);
}

/* `beside` is the path, of `path_size` bytes, with room for what stands behind it. */
static ninho_status open_both(struct hy_sum *sum, const char *path, char *beside,
                              size_t path_size, bool is_trusted, ninho_error *error)
{
    uint64_t size;
    int data;

    ninho_status status = open_data(path, &data, &size, error);
    if (status)
        return status;
    status = open_seen(sum, data, is_trusted || size == 0, beside, path_size, error);
    if (data >= 0)
        (void)close(data);
    if (status == NINHO_ERR_IO && is_trusted && size)
        return NINHO_OK; /* to be read, then, and not changed */
    if (!status)
        status = lock(sum->descriptor, error);
    if (!status && !is_trusted)
        status = check_data(sum, path, error);
    return status;
}

ninho_status hy_sum_open(struct hy_sum *sum, const char *path, bool is_trusted,
                         const ninho_alloc *alloc, ninho_error *error)
{
    const size_t size = strlen(path);
    char *beside = na_alloc(alloc, size + sizeof "-lock", 1);

    sum->descriptor = -1;
    sum->alloc = *alloc;
    sum->piece = na_alloc(alloc, PIECE_BYTES, 1);
    ninho_status status = beside && sum->piece ? NINHO_OK : na_no_memory(error);
    if (!status) {
        memcpy(beside, path, size);
        status = open_both(sum, path, beside, size, is_trusted, error);
    }
    na_free(alloc, beside, size + sizeof "-lock", 1);
    if (status)
        hy_sum_close(sum);
    return status;
}

void hy_sum_close(struct hy_sum *sum)
{
    if (sum->descriptor >= 0)
        (void)close(sum->descriptor);
    if (sum->piece)
        na_free(&sum->alloc, sum->piece, PIECE_BYTES, 1);
    sum->descriptor = -1;
    sum->piece = NULL;
}

ninho_status hy_sum_lock(const struct hy_sum *sum, int data, ninho_error *error)
{
    if (sum->descriptor < 0 ||
        (fcntl(sum->descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY) {
        errno = EACCES;
        return fail_errno(error);
    }
    ninho_status status = lock(sum->descriptor, error);
    if (status)
        return status;
    status = compare(sum, data, error);
    if (status)
        hy_sum_unlock(sum);
    return status;
}

void hy_sum_unlock(const struct hy_sum *sum)
{
    if (sum->descriptor >= 0)
        (void)flock(sum->descriptor, LOCK_UN);
}

ninho_status hy_sum_write(const struct hy_sum *sum, int data, ninho_error *error)
{
    uint8_t record[RECORD_BYTES];

    if (sum->descriptor < 0)
        return NINHO_OK;
    const ninho_status status = make_record(sum, data, record, error);
    if (status)
        return status;
    /* In place, within one sector: a new file would lose the lock. */
    if (pwrite(sum->descriptor, record, sizeof record, 0) != (ssize_t)sizeof record ||
        ftruncate(sum->descriptor, sizeof record) != 0 || fsync(sum->descriptor) != 0)
        return fail_errno(error);
    return NINHO_OK;
}
