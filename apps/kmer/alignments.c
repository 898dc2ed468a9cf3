/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "alignments.h"

#if NINHO_KMER_WITH_HTSLIB

#include <htslib/bgzf.h>
#include <htslib/hts.h> /* how bases are packed */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/base/base.h"
#include "inside.h"

#define BUFFER_BYTES ((size_t)64 << 10)
#define MOST_OF_NAME 254

/* Flags of an alignment. */
#define IS_TURNED     0x10U
#define IS_SECONDARY  0x100U
#define IS_SUPPLEMENT 0x800U

/* What `samtools fastq` writes where there is no quality: 1, the lowest that is not "no call". */
#define NO_QUALITY '"'

struct alignments {
    BGZF *file;
    enum alignments_format format;
    uint64_t n_reads; /* so far, those included that are passed over */
    uint64_t n_passed_over;
    uint64_t line; /* SAM: the one that is being read */
    char buffer
        [BUFFER_BYTES]; /* SAM: text that is there already; BAM: for what is passed over */
    size_t at, end;
    char name[MOST_OF_NAME + 2];
    char *text; /* bases, and behind them the qualities */
    size_t text_room;
};

/* One read on its way. */
struct one_read {
    size_t name_size;
    unsigned flags;
    size_t n_bases;
    bool has_quality;
    bool is_too_long;
};

static bool is_repeated(const struct one_read *read)
{
    return (read->flags & (IS_SECONDARY | IS_SUPPLEMENT)) != 0;
}

/* ---- BAM ----------------------------------------------------------------------------------- */

/* Reads exactly so many bytes. */
static bool read_bytes(struct alignments *alignments, void *bytes, size_t size)
{
    return bgzf_read(alignments->file, bytes, size) == (ssize_t)size;
}

static bool pass_bytes(struct alignments *alignments, uint64_t size)
{
    while (size) {
        const size_t n = size < BUFFER_BYTES ? (size_t)size : BUFFER_BYTES;
        if (!read_bytes(alignments, alignments->buffer, n))
            return false;
        size -= n;
    }
    return true;
}

static uint32_t u32_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static unsigned u16_at(const uint8_t *bytes)
{
    return bytes[0] | (unsigned)bytes[1] << 8;
}

/* A length: a number of 32 bits that is not negative. */
static bool read_length(struct alignments *alignments, uint32_t *length)
{
    uint8_t bytes[4];

    if (!read_bytes(alignments, bytes, sizeof bytes))
        return false;
    *length = u32_at(bytes);
    return *length <= INT32_MAX;
}

/*     "BAM\1"  l_text  text  n_ref  { l_name  name  l_ref } */
static bool pass_header(struct alignments *alignments)
{
    char magic[4];
    uint32_t size = 0;
    uint32_t n_references = 0;

    if (!read_bytes(alignments, magic, sizeof magic) || memcmp(magic, "BAM\1", 4) != 0 ||
        !read_length(alignments, &size) || !pass_bytes(alignments, size) ||
        !read_length(alignments, &n_references))
        return false;
    for (uint32_t i = 0; i < n_references; i++)
        if (!read_length(alignments, &size) || size == 0 ||
            !pass_bytes(alignments, (uint64_t)size + 4))
            return false;
    return true;
}

/* Room for so many bytes of text. */
static bool reserve(struct alignments *alignments, size_t size)
{
    return nh_kmer_grow(&alignments->text, &alignments->text_room, size ? size : 1);
}

/* Reads `size` bytes to the front of the text, and makes room for them as they come. */
static ninho_status read_growing(struct alignments *alignments, size_t size)
{
    for (size_t got = 0; got < size;) {
        const size_t n = size - got < BUFFER_BYTES ? size - got : BUFFER_BYTES;
        if (!reserve(alignments, got + n))
            return NINHO_ERR_NOMEM;
        if (!read_bytes(alignments, alignments->text + got, n))
            return NINHO_ERR_FORMAT;
        got += n;
    }
    return NINHO_OK;
}

/* The fixed part of a record, after its size:
 *
 *     refID pos l_name mapq bin n_cigar flag l_seq next_refID next_pos tlen
 *     4     4   1      1    2   2       2    4     4          4        4      = 32 bytes
 *
 * and what follows: name, NUL, n_cigar * 4, (l_seq + 1) / 2, l_seq, other fields. */
#define FIXED_BYTES 32

struct bam_sizes {
    size_t name, cigar, packed;
    uint64_t rest; /* other fields */
};

static bool read_fixed(struct alignments *alignments, uint32_t size,
                       struct one_read *read, struct bam_sizes *sizes)
{
    uint8_t fixed[FIXED_BYTES];

    if (size < FIXED_BYTES || !read_bytes(alignments, fixed, sizeof fixed))
        return false;
    const uint32_t n_bases = u32_at(fixed + 16);
    *sizes = (struct bam_sizes){.name = fixed[8],
                                .cigar = 4 * (size_t)u16_at(fixed + 12),
                                .packed = ((size_t)n_bases + 1) / 2};
    read->flags = u16_at(fixed + 14);
    read->n_bases = n_bases;
    const uint64_t used =
        FIXED_BYTES + (uint64_t)sizes->name + sizes->cigar + sizes->packed + n_bases;
    if (!sizes->name || n_bases > INT32_MAX || used > size)
        return false;
    sizes->rest = size - used;
    return true;
}

static bool read_name(struct alignments *alignments, size_t size, struct one_read *read)
{
    if (!read_bytes(alignments, alignments->name, size) ||
        alignments->name[size - 1] != '\0')
        return false;
    read->name_size = strlen(alignments->name);
    return true;
}

/* Bases from the front of the text, where two are a byte, to one letter each in the same place. From
 * the last on: the i-th letter lies behind the byte that it comes from, or on it. */
static void unpack(char *text, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        const unsigned char byte = (unsigned char)text[i / 2];
        text[i] = seq_nt16_str[i % 2 ? byte & 15 : byte >> 4];
    }
}

static bool are_missing(const char *quality, size_t n)
{
    return !n || (unsigned char)quality[0] == 0xff;
}

static ninho_status read_bases(struct alignments *alignments,
                               const struct bam_sizes *sizes, struct one_read *read)
{
    const size_t n = read->n_bases;
    const ninho_status status = read_growing(alignments, sizes->packed);

    if (status)
        return status;
    if (!reserve(alignments, 2 * n))
        return NINHO_ERR_NOMEM;
    unpack(alignments->text, n);
    char *quality = alignments->text + n;
    if (!read_bytes(alignments, quality, n))
        return NINHO_ERR_FORMAT;
    read->has_quality = !are_missing(quality, n);
    for (size_t i = 0; read->has_quality && i < n; i++) {
        const unsigned value = (unsigned char)quality[i];
        quality[i] = (char)(33 + (value > 93 ? 93 : value));
    }
    return NINHO_OK;
}

/* One record of BAM; *has_one is false at the end of the file. */
static ninho_status next_of_bam(struct alignments *alignments, size_t limit,
                                struct one_read *read, bool *has_one)
{
    uint8_t bytes[4];
    struct bam_sizes sizes;
    const ssize_t got = bgzf_read(alignments->file, bytes, sizeof bytes);

    *has_one = got != 0;
    if (got == 0)
        return NINHO_OK;
    alignments->n_reads++;
    if (got != sizeof bytes || u32_at(bytes) > INT32_MAX ||
        !read_fixed(alignments, u32_at(bytes), read, &sizes) ||
        !read_name(alignments, sizes.name, read) || !pass_bytes(alignments, sizes.cigar))
        return NINHO_ERR_FORMAT;
    if (is_repeated(read))
        return pass_bytes(alignments, sizes.packed + read->n_bases + sizes.rest)
                   ? NINHO_OK
                   : NINHO_ERR_FORMAT;
    read->is_too_long = read->n_bases > limit / 2;
    if (read->is_too_long)
        return NINHO_OK;
    const ninho_status status = read_bases(alignments, &sizes, read);
    if (status)
        return status;
    return pass_bytes(alignments, sizes.rest) ? NINHO_OK : NINHO_ERR_FORMAT;
}

/* ---- SAM ----------------------------------------------------------------------------------- */

enum stop { AT_TAB, AT_LINE_END, AT_FILE_END, AT_FAILURE };

/* More text, if the buffer has been used up; false at the end of the file. */
static bool fill(struct alignments *alignments, bool *has_failed)
{
    if (alignments->at < alignments->end)
        return true;
    const ssize_t got = bgzf_read(alignments->file, alignments->buffer, BUFFER_BYTES);
    *has_failed = got < 0;
    alignments->at = 0;
    alignments->end = got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* Where a field goes. */
struct field {
    size_t start; /* in the text */
    size_t most;  /* bytes of it that are kept */
    size_t size;  /* of all of it */
    bool is_kept;
    bool has_failed; /* there was no memory */
};

static void keep(struct alignments *alignments, struct field *field, const char *bytes,
                 size_t size)
{
    if (field->is_kept && field->size + size <= field->most) {
        field->has_failed |= !reserve(alignments, field->start + field->size + size);
        if (!field->has_failed)
            memcpy(alignments->text + field->start + field->size, bytes, size);
    }
    field->size += size;
}

/* Reads on behind the next tab, or the end of the line. */
static enum stop read_field(struct alignments *alignments, struct field *field)
{
    bool has_failed = false;

    while (fill(alignments, &has_failed)) {
        const char *start = alignments->buffer + alignments->at;
        const char *const end = alignments->buffer + alignments->end;
        const char *stop = start;
        while (stop < end && *stop != '\t' && *stop != '\n')
            stop++;
        keep(alignments, field, start, (size_t)(stop - start));
        alignments->at += (size_t)(stop - start) + (stop < end);
        if (stop < end)
            return *stop == '\t' ? AT_TAB : AT_LINE_END;
    }
    return has_failed ? AT_FAILURE : AT_FILE_END;
}

static enum stop pass_line(struct alignments *alignments)
{
    struct field field = {0};
    enum stop stop;

    do
        stop = read_field(alignments, &field);
    while (stop == AT_TAB);
    return stop;
}

/* Lines that begin with '@'. */
static bool pass_header_lines(struct alignments *alignments)
{
    bool has_failed = false;

    alignments->line = 1;
    while (fill(alignments, &has_failed) && alignments->buffer[alignments->at] == '@') {
        if (pass_line(alignments) == AT_FAILURE)
            return false;
        alignments->line++;
    }
    return !has_failed;
}

static bool parse_flags(const char *text, size_t size, unsigned *flags)
{
    unsigned base = 10;

    if (size > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
        size -= 2;
    }
    *flags = 0;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                               : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                      : base;
        if (digit >= base || *flags > 0xffff)
            return false;
        *flags = *flags * base + digit;
    }
    return size && *flags <= 0xffff;
}

/* QNAME and FLAG, each copied before the next field takes its place. There is room for them. */
static enum stop read_first_fields(struct alignments *alignments, struct one_read *read,
                                   bool *is_good)
{
    struct field name = {.most = MOST_OF_NAME, .is_kept = true};
    struct field flags = {.most = 10, .is_kept = true};
    enum stop stop = read_field(alignments, &name);

    *is_good = stop == AT_TAB && name.size <= name.most && name.size;
    if (!*is_good)
        return stop;
    memcpy(alignments->name, alignments->text, name.size);
    read->name_size = name.size;
    stop = read_field(alignments, &flags);
    *is_good = stop == AT_TAB && flags.size <= flags.most &&
               parse_flags(alignments->text, flags.size, &read->flags);
    return stop;
}

static bool is_star(const char *text, size_t size)
{
    return size == 1 && text[0] == '*';
}

static void letters_of(char *bases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        bases[i] = seq_nt16_str[seq_nt16_table[(unsigned char)bases[i]]];
}

/* SEQ and QUAL. `limit` holds for both together. */
static ninho_status read_last_fields(struct alignments *alignments, size_t limit,
                                     struct one_read *read, enum stop *stop)
{
    struct field bases = {.most = limit / 2, .is_kept = !is_repeated(read)};

    *stop = read_field(alignments, &bases);
    if (*stop != AT_TAB)
        return NINHO_ERR_FORMAT;
    read->n_bases = bases.size;
    read->is_too_long = bases.is_kept && bases.size > bases.most;
    if (read->is_too_long)
        return NINHO_OK;
    struct field quality = {
        .start = bases.size, .most = bases.size + 2, .is_kept = bases.is_kept};
    *stop = read_field(alignments, &quality);
    if (bases.has_failed || quality.has_failed)
        return NINHO_ERR_NOMEM;
    if (!bases.is_kept)
        return NINHO_OK;
    const char *text = alignments->text + bases.size;
    if (*stop != AT_TAB && quality.size && quality.size <= quality.most &&
        text[quality.size - 1] == '\r')
        quality.size--;
    read->has_quality = !is_star(text, quality.size);
    if (is_star(alignments->text, bases.size))
        read->n_bases = 0;
    if (read->has_quality &&
        (quality.size != read->n_bases ||
         nh_kmer_find_no_quality(text, read->n_bases) < read->n_bases))
        return NINHO_ERR_FORMAT;
    if (!reserve(alignments, 2 * read->n_bases))
        return NINHO_ERR_NOMEM;
    letters_of(alignments->text, read->n_bases);
    return NINHO_OK;
}

static ninho_status next_of_sam(struct alignments *alignments, size_t limit,
                                struct one_read *read, bool *has_one)
{
    enum { FIRST_FIELDS = 2, FIELDS_BETWEEN = 7 };
    bool has_failed = false;
    bool is_good = false;

    *has_one = fill(alignments, &has_failed) || has_failed;
    if (!*has_one)
        return NINHO_OK;
    alignments->n_reads++;
    enum stop stop = read_first_fields(alignments, read, &is_good);
    for (int i = 0; is_good && i < FIELDS_BETWEEN; i++) {
        struct field field = {0};
        stop = read_field(alignments, &field);
        is_good = stop == AT_TAB;
    }
    if (!is_good)
        return NINHO_ERR_FORMAT;
    const ninho_status status = read_last_fields(alignments, limit, read, &stop);
    if (status || read->is_too_long)
        return status;
    if (stop == AT_TAB)
        stop = pass_line(alignments);
    alignments->line++;
    return stop == AT_FAILURE ? NINHO_ERR_FORMAT : NINHO_OK;
}

/* ---- Both ---------------------------------------------------------------------------------- */

static void turn_round(char *text, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const char c = text[i];
        text[i] = text[n - 1 - i];
        text[n - 1 - i] = c;
    }
}

static char complement_of(char base)
{
    static const char bases[] = "ACMGRSVTWYHKDBN";
    static const char complements[] = "TGKCYSBAWRDMHVN";
    const char *at = strchr(bases, base);

    return at ? complements[at - bases] : 'N';
}

/* From what the file has to what was sequenced. */
static void restore(const struct alignments *alignments, const struct one_read *read)
{
    char *bases = alignments->text;
    const size_t n = read->n_bases;

    /* '=' is "as the reference": not a base that we know. */
    for (size_t i = 0; i < n; i++)
        if (bases[i] == '=')
            bases[i] = 'N';
    if (!read->has_quality && n)
        memset(bases + n, NO_QUALITY, n);
    if (!(read->flags & IS_TURNED))
        return;
    turn_round(bases, n);
    turn_round(bases + n, n);
    for (size_t i = 0; i < n; i++)
        bases[i] = complement_of(bases[i]);
}

static ninho_status bad_read(const struct alignments *alignments, ninho_status status,
                             ninho_error *error)
{
    if (status == NINHO_ERR_NOMEM)
        return na_no_memory(error);
    if (alignments->format == ALIGNMENTS_SAM)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "line %" PRIu64 ": is not one of a SAM file, or damaged",
                       alignments->line);
    return na_fail(error, NINHO_ERR_FORMAT, "record %" PRIu64 " is cut short or damaged",
                   alignments->n_reads);
}

ninho_status nh_alignments_next(struct alignments *alignments, size_t limit,
                                struct source_record *record, bool *has_one,
                                ninho_error *error)
{
    struct one_read read;

    for (;;) {
        read = (struct one_read){0};
        const ninho_status status = alignments->format == ALIGNMENTS_BAM
                                        ? next_of_bam(alignments, limit, &read, has_one)
                                        : next_of_sam(alignments, limit, &read, has_one);
        if (status)
            return bad_read(alignments, status, error);
        if (!*has_one || !is_repeated(&read))
            break;
        alignments->n_passed_over++;
    }
    if (!*has_one)
        return NINHO_OK;
    if (!read.is_too_long)
        restore(alignments, &read);
    *record = (struct source_record){
        .name = alignments->name,
        .name_size = read.name_size,
        .bases = alignments->text,
        .quality = alignments->text + read.n_bases,
        .n_bases = read.n_bases,
        .is_too_long = read.is_too_long,
    };
    return NINHO_OK;
}

ninho_status nh_alignments_open(BGZF *file, enum alignments_format format,
                                struct alignments **out, ninho_error *error)
{
    struct alignments *alignments = calloc(1, sizeof *alignments);

    if (!alignments)
        return na_no_memory(error);
    alignments->file = file;
    alignments->format = format;
    if (!reserve(alignments, MOST_OF_NAME)) {
        nh_alignments_close(alignments);
        return na_no_memory(error);
    }
    if (!(format == ALIGNMENTS_BAM ? pass_header(alignments)
                                   : pass_header_lines(alignments))) {
        nh_alignments_close(alignments);
        return na_fail(error, NINHO_ERR_FORMAT, "has a damaged header");
    }
    *out = alignments;
    return NINHO_OK;
}

void nh_alignments_close(struct alignments *alignments)
{
    if (alignments)
        free(alignments->text);
    free(alignments);
}

uint64_t nh_alignments_passed_over(const struct alignments *alignments)
{
    return alignments->n_passed_over;
}

#else
typedef int nh_alignments_need_htslib; /* C wants a declaration in every file */
#endif
