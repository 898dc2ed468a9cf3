/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#define _FILE_OFFSET_BITS 64
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alignments.h"
#include "apps/base/base.h"

#if NINHO_KMER_WITH_HTSLIB
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>
#endif

struct source {
    int descriptor; /* -1: memory */
    bool is_regular;
    uint64_t size;
    uint64_t n_read; /* bytes given out, where the file cannot tell its position */
    const char *memory;
    size_t memory_left;
#if NINHO_KMER_WITH_HTSLIB
    BGZF *bgzf;
    struct alignments *alignments; /* NULL: text */
#endif
};

void nh_source_close(struct source *source)
{
    if (!source)
        return;
#if NINHO_KMER_WITH_HTSLIB
    nh_alignments_close(source->alignments);
    if (source->bgzf) {
        (void)bgzf_close(source->bgzf);
        source->descriptor = -1; /* closed with it */
    }
#endif
    if (source->descriptor >= 0)
        (void)close(source->descriptor);
    free(source);
}

enum source_content nh_source_content(const struct source *source)
{
#if NINHO_KMER_WITH_HTSLIB
    return source->alignments ? SOURCE_ALIGNMENTS : SOURCE_TEXT;
#else
    (void)source;
    return SOURCE_TEXT;
#endif
}

bool nh_source_is_compressed(const struct source *source)
{
#if NINHO_KMER_WITH_HTSLIB
    return source->bgzf && bgzf_compression(source->bgzf) != no_compression;
#else
    (void)source;
    return false;
#endif
}

uint64_t nh_source_bytes(const struct source *source)
{
    const off_t at =
        source->is_regular ? lseek(source->descriptor, 0, SEEK_CUR) : (off_t)-1;

    return at >= 0 ? (uint64_t)at : source->n_read;
}

uint64_t nh_source_size(const struct source *source)
{
    return source->size;
}

uint64_t nh_source_passed_over(const struct source *source)
{
#if NINHO_KMER_WITH_HTSLIB
    return source->alignments ? nh_alignments_passed_over(source->alignments) : 0;
#else
    (void)source;
    return 0;
#endif
}

#if NINHO_KMER_WITH_HTSLIB

static const char cut_short[] = "is cut short: the block that ends such files is missing";

/* htslib owns the file from here on, whether this succeeds or not. */
static ninho_status open_blocks(struct source *source, hFILE *file, ninho_error *error)
{
    source->bgzf = bgzf_hopen(file, "r");
    if (!source->bgzf) {
        hclose_abruptly(file);
        source->descriptor = -1;
        return na_fail(error, NINHO_ERR_FORMAT, "is not compressed as it claims to be");
    }
    if (source->is_regular && bgzf_compression(source->bgzf) == bgzf &&
        bgzf_check_EOF(source->bgzf) == 0)
        return na_fail(error, NINHO_ERR_FORMAT, "%s", cut_short);
    return NINHO_OK;
}

static ninho_status open_inside(struct source *source, ninho_error *error)
{
    htsFormat format;

    /* A library does not print. What goes wrong is told through `error`. */
    hts_set_log_level(HTS_LOG_OFF);
    hFILE *file = hdopen(source->descriptor, "r");
    if (!file)
        return na_no_memory(error);
    if (hts_detect_format(file, &format) < 0) {
        const int number = errno;
        hclose_abruptly(file);
        source->descriptor = -1;
        return na_fail_errno(error, number, "cannot read");
    }
    if (format.format == cram) {
        hclose_abruptly(file);
        source->descriptor = -1;
        return na_fail(error, NINHO_ERR_UNSUPPORTED,
                       "is a CRAM file, which needs its reference: convert it "
                       "with samtools fastq");
    }
    const ninho_status status = open_blocks(source, file, error);
    if (status || (format.format != bam && format.format != sam))
        return status;
    return nh_alignments_open(source->bgzf,
                              format.format == bam ? ALIGNMENTS_BAM : ALIGNMENTS_SAM,
                              &source->alignments, error);
}

/* At the end of data: was the last block the empty one that ends such files? Files that can be
 * looked at are, when they are opened; of a pipe this is known only now. */
static ninho_status check_end(const struct source *source, ninho_error *error)
{
    return bgzf_compression(source->bgzf) == bgzf && !source->bgzf->last_block_eof
               ? na_fail(error, NINHO_ERR_FORMAT, "%s", cut_short)
               : NINHO_OK;
}

static ssize_t read_some(struct source *source, char *bytes, size_t size)
{
    return bgzf_read(source->bgzf, bytes, size);
}

static ninho_status read_error(const struct source *source, ninho_error *error)
{
    const int number = errno;

    if (bgzf_compression(source->bgzf) == no_compression)
        return na_fail_errno(error, number ? number : EIO, "cannot read");
    return na_fail(error, NINHO_ERR_FORMAT,
                   "the compressed data is cut short or damaged");
}

ninho_status nh_source_next_read(struct source *source, size_t limit,
                                 struct source_record *record, bool *has_one,
                                 ninho_error *error)
{
    const ninho_status status =
        nh_alignments_next(source->alignments, limit, record, has_one, error);

    return status || *has_one ? status : check_end(source, error);
}

#else

static ninho_status open_inside(struct source *source, ninho_error *error)
{
    (void)source;
    (void)error;
    return NINHO_OK;
}

static ninho_status check_end(const struct source *source, ninho_error *error)
{
    (void)source;
    (void)error;
    return NINHO_OK;
}

static ssize_t read_some(struct source *source, char *bytes, size_t size)
{
    ssize_t got;

    do
        got = read(source->descriptor, bytes, size);
    while (got < 0 && errno == EINTR);
    return got;
}

static ninho_status read_error(const struct source *source, ninho_error *error)
{
    (void)source;
    return na_fail_errno(error, errno, "cannot read");
}

ninho_status nh_source_next_read(struct source *source, size_t limit,
                                 struct source_record *record, bool *has_one,
                                 ninho_error *error)
{
    (void)source;
    (void)limit;
    (void)record;
    *has_one = false;
    return na_fail(error, NINHO_ERR_UNSUPPORTED, "needs htslib");
}

#endif

ninho_status nh_source_open(const char *path, struct source **out, ninho_error *error)
{
    struct stat file;
    struct source *source = calloc(1, sizeof *source);
    ninho_status status = NINHO_OK;

    if (!source)
        return na_no_memory(error);
    source->descriptor = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                                : open(path, O_RDONLY | O_CLOEXEC);
    if (source->descriptor < 0 || fstat(source->descriptor, &file) != 0)
        status = na_fail_errno(error, errno, "cannot open");
    else if (S_ISDIR(file.st_mode))
        status = na_fail_errno(error, EISDIR, "cannot read");
    if (!status) {
        source->is_regular = S_ISREG(file.st_mode);
        source->size = source->is_regular ? (uint64_t)file.st_size : 0;
        status = open_inside(source, error);
    }
    if (status)
        nh_source_close(source);
    else
        *out = source;
    return status;
}

ninho_status nh_source_memory(const void *bytes, size_t size, struct source **out,
                              ninho_error *error)
{
    struct source *source = calloc(1, sizeof *source);

    if (!source)
        return na_no_memory(error);
    source->descriptor = -1;
    source->memory = bytes;
    source->memory_left = size;
    source->size = size;
    *out = source;
    return NINHO_OK;
}

ninho_status nh_source_read(struct source *source, char *bytes, size_t size, size_t *got,
                            ninho_error *error)
{
    size_t n = 0;

    if (source->descriptor < 0) {
        n = size < source->memory_left ? size : source->memory_left;
        if (n)
            memcpy(bytes, source->memory, n);
        source->memory += n;
        source->memory_left -= n;
    } else {
        while (n < size) {
            errno = 0;
            const ssize_t some = read_some(source, bytes + n, size - n);
            if (some < 0)
                return read_error(source, error);
            if (some == 0) {
                const ninho_status status = check_end(source, error);
                if (status)
                    return status;
                break;
            }
            n += (size_t)some;
        }
    }
    source->n_read += n;
    *got = n;
    return NINHO_OK;
}
