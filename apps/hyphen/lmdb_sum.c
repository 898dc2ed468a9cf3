/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* flock */
#include "lmdb_sum.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_BYTES 24
#define PIECE_BYTES  ((size_t)64 << 10)

static const char suffix[] = "-sum";
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
static ninho_status make_record(int data, uint8_t record[RECORD_BYTES],
                                ninho_error *error)
{
    ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    const ninho_alloc alloc = na_allocator(NULL);
    uint8_t *piece = na_alloc(&alloc, PIECE_BYTES, 1);
    uint64_t size = 0;
    ssize_t n = 0;

    if (!piece)
        return na_no_memory(error);
    while ((n = read_at(data, piece, PIECE_BYTES, size)) > 0) {
        hasher.seed = ninho_hash_bytes(&hasher, piece, (size_t)n);
        size += (uint64_t)n;
    }
    na_free(&alloc, piece, PIECE_BYTES, 1);
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

static ninho_status compare(int file, int data, ninho_error *error)
{
    uint8_t stored[RECORD_BYTES + 1];
    uint8_t record[RECORD_BYTES];

    const ssize_t n = read_at(file, stored, sizeof stored, 0);
    if (n < 0)
        return fail_errno(error);
    const ninho_status status = make_record(data, record, error);
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
 * errno if not even that. */
static int open_either(const char *path, int flags)
{
    const int how = flags | O_CLOEXEC | O_NONBLOCK;
    const int file = open(path, O_RDWR | how, 0666);

    if (file < 0 && (errno == EACCES || errno == EROFS || errno == EPERM))
        return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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

static ninho_status fail_missing(ninho_error *error)
{
    return na_fail(
        error, NINHO_ERR_FORMAT,
        "exceptions: the LMDB file has no checksum beside it: another program "
        "made it, or one that was killed (--trust-store, or NINHO_HYPHEN_TRUST, takes it "
        "as it is)");
}

/* PATH-sum is made before there is a file: where something is in the file, it was there first. */
static ninho_status open_sum(struct hy_sum *sum, const char *path, bool is_made,
                             ninho_error *error)
{
    sum->descriptor = open_either(path, 0);
    if (sum->descriptor < 0 && errno == ENOENT) {
        if (!is_made)
            return fail_missing(error);
        sum->descriptor = open_either(path, O_CREAT);
    }
    return sum->descriptor < 0 ? fail_errno(error) : NINHO_OK;
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
        status = na_fail(error, NINHO_ERR_FORMAT,
                         "exceptions: the LMDB file is gone, and its checksum is still "
                         "there");
    else if (sum_size)
        status = compare(sum->descriptor, data, error);
    else if (size)
        status = fail_missing(error);
    if (data >= 0)
        (void)close(data);
    return status;
}

static ninho_status open_both(struct hy_sum *sum, const char *path, const char *sum_path,
                              bool is_trusted, ninho_error *error)
{
    uint64_t size;
    int data;

    ninho_status status = open_data(path, &data, &size, error);
    if (status)
        return status;
    if (data >= 0)
        (void)close(data);
    status = open_sum(sum, sum_path, is_trusted || size == 0, error);
    if (status && is_trusted && size)
        return NINHO_OK; /* to be read, then, and not changed */
    if (!status)
        status = lock(sum->descriptor, error);
    if (!status && !is_trusted)
        status = check_data(sum, path, error);
    if (status)
        hy_sum_close(sum);
    return status;
}

ninho_status hy_sum_open(struct hy_sum *sum, const char *path, bool is_trusted,
                         const ninho_alloc *alloc, ninho_error *error)
{
    const size_t size = strlen(path);
    char *sum_path = na_alloc(alloc, size + sizeof suffix, 1);

    sum->descriptor = -1;
    if (!sum_path)
        return na_no_memory(error);
    memcpy(sum_path, path, size);
    memcpy(sum_path + size, suffix, sizeof suffix);
    const ninho_status status = open_both(sum, path, sum_path, is_trusted, error);
    na_free(alloc, sum_path, size + sizeof suffix, 1);
    return status;
}

void hy_sum_close(struct hy_sum *sum)
{
    if (sum->descriptor >= 0)
        (void)close(sum->descriptor);
    sum->descriptor = -1;
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
    status = compare(sum->descriptor, data, error);
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
    const ninho_status status = make_record(data, record, error);
    if (status)
        return status;
    /* In place, within one sector: a new file would lose the lock. */
    if (pwrite(sum->descriptor, record, sizeof record, 0) != (ssize_t)sizeof record ||
        ftruncate(sum->descriptor, sizeof record) != 0 || fsync(sum->descriptor) != 0)
        return fail_errno(error);
    return NINHO_OK;
}
