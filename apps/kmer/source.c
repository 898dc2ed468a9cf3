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

#include "apps/base/base.h"

#if NINHO_KMER_WITH_HTSLIB
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>
#include <htslib/sam.h>
#include <htslib/tbx.h> /* hts_get_bgzfp */
#endif

struct source {
    int descriptor; /* -1: memory */
    bool is_regular;
    uint64_t size;
    uint64_t n_read; /* bytes given out, where the file cannot tell its position */
    const char *memory;
    size_t memory_left;
    uint64_t n_reads;       /* alignments so far, */
    uint64_t n_passed_over; /* and of them those that repeat a read */
#if NINHO_KMER_WITH_HTSLIB
    BGZF *bgzf;
    samFile *sam;
    sam_hdr_t *header;
    bam1_t *record;
    char *text; /* bases and quality of the record */
    size_t text_room;
#endif
};

void nh_source_close(struct source *source)
{
    if (!source)
        return;
#if NINHO_KMER_WITH_HTSLIB
    free(source->text);
    if (source->record)
        bam_destroy1(source->record);
    if (source->header)
        sam_hdr_destroy(source->header);
    if (source->sam)
        (void)sam_close(source->sam);
    if (source->bgzf)
        (void)bgzf_close(source->bgzf);
    if (source->sam || source->bgzf)
        source->descriptor = -1; /* closed with them */
#endif
    if (source->descriptor >= 0)
        (void)close(source->descriptor);
    free(source);
}

enum source_content nh_source_content(const struct source *source)
{
#if NINHO_KMER_WITH_HTSLIB
    return source->sam ? SOURCE_ALIGNMENTS : SOURCE_TEXT;
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
    return source->n_passed_over;
}

#if NINHO_KMER_WITH_HTSLIB

static const char cut_short[] = "is cut short: the block that ends such files is missing";

/* BAM and SAM. htslib owns the file from here on, whether this succeeds or not. */
static ninho_status open_alignments(struct source *source, hFILE *file, const char *path,
                                    ninho_error *error)
{
    source->sam = hts_hopen(file, path, "r");
    if (!source->sam) {
        hclose_abruptly(file);
        source->descriptor = -1;
        return na_fail(error, NINHO_ERR_FORMAT, "is not a BAM file that htslib can read");
    }
    if (source->is_regular && hts_check_EOF(source->sam) == 0)
        return na_fail(error, NINHO_ERR_FORMAT, "%s", cut_short);
    source->record = bam_init1();
    if (!source->record)
        return na_no_memory(error);
    source->header = sam_hdr_read(source->sam);
    if (!source->header)
        return na_fail(error, NINHO_ERR_FORMAT, "has a damaged header");
    return NINHO_OK;
}

static ninho_status open_text(struct source *source, hFILE *file, ninho_error *error)
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

static ninho_status open_inside(struct source *source, const char *path,
                                ninho_error *error)
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
    return format.format == bam || format.format == sam
               ? open_alignments(source, file, path, error)
               : open_text(source, file, error);
}

/* At the end of data: was the last block the empty one that ends such files? Files that can be
 * looked at are, when they are opened; of a pipe this is known only now. */
static bool is_cut_short(BGZF *file)
{
    return file && bgzf_compression(file) == bgzf && !file->last_block_eof;
}

static ninho_status check_end(const struct source *source, ninho_error *error)
{
    return is_cut_short(source->bgzf) ? na_fail(error, NINHO_ERR_FORMAT, "%s", cut_short)
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

/* Room for the bases and the quality of n bases. */
static bool text_reserve(struct source *source, size_t n)
{
    if (source->text_room >= 2 * n)
        return true;
    char *text = realloc(source->text, 2 * n);
    if (!text)
        return false;
    source->text = text;
    source->text_room = 2 * n;
    return true;
}

/* The bases as text, in the order in which they were sequenced. */
static void write_bases(char *text, const bam1_t *record, size_t n, bool is_turned)
{
    static const char letters[] = "=ACMGRSVTWYHKDBN";
    static const char complements[] = "=TGKCYSBAWRDMHVN";
    const uint8_t *packed = bam_get_seq(record);

    for (size_t i = 0; i < n; i++)
        text[i] = is_turned ? complements[bam_seqi(packed, n - 1 - i)]
                            : letters[bam_seqi(packed, i)];
    /* '=' is "as the reference": not a base that we know. */
    for (size_t i = 0; i < n; i++)
        text[i] = text[i] == '=' ? 'N' : text[i];
}

/* What `samtools fastq` writes where there is no quality: 1, the lowest that is not "no call". */
#define NO_QUALITY '"'

/* As FASTQ has it. */
static void write_quality(char *text, const bam1_t *record, size_t n, bool is_turned)
{
    const uint8_t *quality = bam_get_qual(record);

    if (n && quality[0] == 0xFF) {
        memset(text, NO_QUALITY, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const unsigned value = quality[is_turned ? n - 1 - i : i];
        text[i] = (char)(33 + (value > 93 ? 93 : value));
    }
}

/* The line of SAM, or the record of BAM, that htslib does not take. */
static ninho_status bad_alignment(const struct source *source, ninho_error *error)
{
    if (hts_get_format(source->sam)->format == sam)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "line %" PRId64 ": is not one of a SAM file, or damaged",
                       source->sam->lineno);
    return na_fail(error, NINHO_ERR_FORMAT, "record %" PRIu64 " is cut short or damaged",
                   source->n_reads);
}

ninho_status nh_source_next_read(struct source *source, struct source_record *record,
                                 bool *has_one, ninho_error *error)
{
    bam1_t *read = source->record;

    for (;;) {
        const int result = sam_read1(source->sam, source->header, read);
        if (result == -1) {
            *has_one = false;
            return is_cut_short(hts_get_bgzfp(source->sam))
                       ? na_fail(error, NINHO_ERR_FORMAT, "%s", cut_short)
                       : NINHO_OK;
        }
        source->n_reads++;
        if (result < -1)
            return bad_alignment(source, error);
        if (!(read->core.flag & (BAM_FSECONDARY | BAM_FSUPPLEMENTARY)))
            break;
        source->n_passed_over++;
    }
    const bool is_turned = read->core.flag & BAM_FREVERSE;
    const size_t n = read->core.l_qseq > 0 ? (size_t)read->core.l_qseq : 0;
    if (!text_reserve(source, n ? n : 1))
        return na_no_memory(error);
    write_bases(source->text, read, n, is_turned);
    write_quality(source->text + n, read, n, is_turned);
    *record = (struct source_record){
        .name = bam_get_qname(read),
        .name_size = strlen(bam_get_qname(read)),
        .bases = source->text,
        .quality = source->text + n,
        .n_bases = n,
    };
    *has_one = true;
    return NINHO_OK;
}

#else

static ninho_status open_inside(struct source *source, const char *path,
                                ninho_error *error)
{
    (void)source;
    (void)path;
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

ninho_status nh_source_next_read(struct source *source, struct source_record *record,
                                 bool *has_one, ninho_error *error)
{
    (void)source;
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
        status = open_inside(source, path, error);
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
