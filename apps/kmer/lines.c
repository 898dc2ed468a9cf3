/* SPDX-License-Identifier: MIT */
/* Lines of text: what they may hold, which format they are of, and how more of them are read. */
#include "inside.h"

#include <stdio.h>
#include <string.h>

#include "apps/base/base.h"

bool nh_kmer_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static unsigned is_sequence(unsigned char c)
{
    return (unsigned)((c & 0xDFu) - 'A' < 26u) | (unsigned)(c == '*') |
           (unsigned)(c == '-') | (unsigned)(c == '.');
}

static unsigned is_quality(unsigned char c)
{
    return (unsigned)(c - '!') < 94u;
}

/* The first byte that no sequence (or quality) has; n if all are good. In blocks without a branch,
 * which compilers turn into vectors. */
#define FIND_BAD(name, is_good)                                             \
    size_t name(const char *text, size_t n)                                 \
    {                                                                       \
        size_t at = 0;                                                      \
        while (n - at >= 32) {                                              \
            unsigned char all = 1;                                          \
            for (size_t i = 0; i < 32; i++)                                 \
                all &= (unsigned char)is_good((unsigned char)text[at + i]); \
            if (!all)                                                       \
                break;                                                      \
            at += 32;                                                       \
        }                                                                   \
        while (at < n && is_good((unsigned char)text[at]))                  \
            at++;                                                           \
        return at;                                                          \
    }
FIND_BAD(nh_kmer_find_no_sequence, is_sequence)
FIND_BAD(nh_kmer_find_no_quality, is_quality)

size_t nh_kmer_trimmed(const char *line, size_t size)
{
    while (size && nh_kmer_is_blank(line[size - 1]))
        size--;
    return size;
}

const char *nh_kmer_show(char c, char text[16])
{
    const unsigned char byte = (unsigned char)c;

    if (byte > 0x20 && byte < 0x7F)
        (void)snprintf(text, 16, "'%c'", c);
    else
        (void)snprintf(text, 16, "byte 0x%02x", byte);
    return text;
}

ninho_status nh_kmer_bad_base(ninho_kmer_reader *reader, uint64_t line, char c,
                              bool is_at_start)
{
    char text[16];

    if (reader->format == FORMAT_FASTA && is_at_start && (c == '@' || c == '+'))
        return nh_kmer_fail_at(reader, line, "begins with '%c': FASTQ in a FASTA file",
                               c);
    if (reader->format == FORMAT_FASTQ && is_at_start && (c == '@' || c == '>'))
        return nh_kmer_fail_at(reader, line,
                               "begins with '%c' where the '+' line should be", c);
    return nh_kmer_fail_at(reader, line, "%s is not a letter of a sequence",
                           nh_kmer_show(c, text));
}

ninho_status nh_kmer_check_header(ninho_kmer_reader *reader, uint64_t line,
                                  const char *header, size_t size)
{
    if (size > NINHO_KMER_HEADER_LIMIT)
        return nh_kmer_fail_at(reader, line, "the header is longer than %zu bytes",
                               NINHO_KMER_HEADER_LIMIT);
    if (memchr(header, '\0', size))
        return nh_kmer_fail_at(reader, line,
                               "the header holds a NUL byte: is this a text file?");
    return NINHO_OK;
}

/* Enough of a line to tell what it is. */
#define FIRST_BYTES ((size_t)4096)
/* At least as many as files of other kinds are known by. */
#define MAGIC_BYTES ((size_t)8)

/* Does the first line end with a carriage return alone? */
static bool has_old_line_ends(const char *line, size_t size)
{
    const char *end = memchr(line, '\n', size);
    const size_t length = end ? (size_t)(end - line) : size;
    const char *cr = memchr(line, '\r', length);

    return cr && cr + 1 < line + length && !nh_kmer_is_blank(cr[1]);
}

/* Reads on until there is a line that is not blank, or the beginning of a long one: *at is where, and
 * *line its number. */
static ninho_status find_first(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                               size_t *at, uint64_t *line)
{
    for (;;) {
        const char *text = batch->text;
        const size_t size = batch->text_size;
        while (*at < size && (nh_kmer_is_blank(text[*at]) || text[*at] == '\n'))
            *line += text[(*at)++] == '\n';
        if (reader->is_at_end || size - *at >= FIRST_BYTES ||
            (size - *at >= MAGIC_BYTES && memchr(text + *at, '\n', size - *at)))
            return NINHO_OK;
        if (*at == size && size > NINHO_KMER_HEADER_LIMIT)
            return nh_kmer_fail_at(reader, *line,
                                   "there is no header in the first %zu bytes", size);
        const ninho_status status =
            nh_kmer_fill(reader, batch, size + reader->block_bytes);
        if (status)
            return status;
    }
}

/* Files that are often given by mistake, by how they begin, and what to do with them. */
#define OTHER_COMPRESSION \
    "is compressed otherwise than with gzip or bgzip: unpack it first"
#define UTF_16 "is text in UTF-16: convert it with iconv -f UTF-16 -t ASCII"
static const struct {
    const char *start; /* at most MAGIC_BYTES */
    const char *advice;
} others[] = {
    {"BZh", OTHER_COMPRESSION},
    {"\xFD\x37zX", OTHER_COMPRESSION},
    {"\x28\xB5\x2F\xFD", OTHER_COMPRESSION},
    {"PK\x03\x04", "is a zip archive: unpack it first"},
    {"\xEF\xBB\xBF", "begins with a byte order mark: remove it with tail -c +4"},
    {"\xFF\xFE", UTF_16},
    {"\xFE\xFF", UTF_16},
    {"NINHO", "is a ninho file, not one of sequences"},
};

static ninho_status refuse_gzip(ninho_kmer_reader *reader)
{
    const char *why =
        nh_source_is_compressed(reader->source)
            ? "was compressed twice: unpack it once, with gzip -d"
        : NINHO_KMER_WITH_HTSLIB
            ? "is cut short: of its compressed data there is only the beginning"
            : "is compressed, and this ninho was built without htslib: unpack it "
              "first, with gzip -d";

    return na_fail(&reader->failure, NINHO_ERR_UNSUPPORTED, "%s", why);
}

/* Does the text begin with a line of letters, as bases without their header would? */
static bool is_like_bases(const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    const size_t length = nh_kmer_trimmed(text, end ? (size_t)(end - text) : size);

    return nh_kmer_find_no_sequence(text, length) == length;
}

/* A file that is neither FASTA nor FASTQ, from its first byte that is not blank on. */
static ninho_status refuse_other(ninho_kmer_reader *reader, const char *text, size_t size,
                                 uint64_t line)
{
    char shown[16];

    if (size >= 2 && memcmp(text, "\x1F\x8B", 2) == 0)
        return refuse_gzip(reader);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (size >= strlen(others[i].start) &&
            memcmp(text, others[i].start, strlen(others[i].start)) == 0)
            return na_fail(&reader->failure, NINHO_ERR_UNSUPPORTED, "%s",
                           others[i].advice);
    if (is_like_bases(text, size))
        return nh_kmer_fail_at(
            reader, line,
            "there is no header: a line that begins with '>' (FASTA) or '@' "
            "(FASTQ) must come first, not %s",
            nh_kmer_show(text[0], shown));
    return nh_kmer_fail_at(reader, line,
                           "is neither FASTA, FASTQ, BAM nor SAM: it begins with %s",
                           nh_kmer_show(text[0], shown));
}

ninho_status nh_kmer_detect(ninho_kmer_reader *reader, ninho_kmer_batch *batch)
{
    uint64_t line = 1;
    size_t at = 0;

    const ninho_status status = find_first(reader, batch, &at, &line);
    if (status)
        return status;
    const char *text = batch->text;
    const size_t size = batch->text_size;
    const size_t left = size - at < FIRST_BYTES ? size - at : FIRST_BYTES;
    if (!left)
        return na_fail(&reader->failure, NINHO_ERR_FORMAT, "is empty");
    if ((text[at] == '>' || text[at] == '@') && has_old_line_ends(text + at, left))
        return nh_kmer_fail_at(reader, line,
                               "lines end with carriage returns alone: convert them with "
                               "tr '\\r' '\\n'");
    if (text[at] == '>' || text[at] == '@') {
        reader->format = text[at] == '>' ? FORMAT_FASTA : FORMAT_FASTQ;
        return NINHO_OK;
    }
    return refuse_other(reader, text + at, left, line);
}

/* ---- Blocks -------------------------------------------------------------------------------- */

ninho_status nh_kmer_fill(ninho_kmer_reader *reader, ninho_kmer_batch *batch, size_t size)
{
    size_t got = 0;

    if (size <= batch->text_size || reader->is_at_end)
        return NINHO_OK;
    if (!nh_kmer_grow(&batch->text, &batch->text_room, size))
        return nh_kmer_no_memory(reader);
    const ninho_status status =
        nh_source_read(reader->source, batch->text + batch->text_size,
                       size - batch->text_size, &got, &reader->failure);
    if (status)
        return status;
    reader->is_at_end = got < size - batch->text_size;
    batch->text_size += got;
    return NINHO_OK;
}

ninho_status nh_kmer_fill_more(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                               uint64_t line)
{
    if (batch->text_size >= reader->record_limit)
        return nh_kmer_fail_at(reader, line,
                               "records of more than %zu bytes cannot be kept whole",
                               reader->record_limit);
    return nh_kmer_fill(reader, batch, 2 * batch->text_size);
}

bool nh_kmer_find_line(const ninho_kmer_reader *reader, const ninho_kmer_batch *batch,
                       size_t at, struct line *line)
{
    const size_t left = batch->text_size - at;
    const char *start = batch->text + at;
    const char *end = left ? memchr(start, '\n', left) : NULL;

    if (!end && (!reader->is_at_end || !left))
        return false;
    line->at = at;
    line->end = end ? at + (size_t)(end - start) : batch->text_size;
    line->next = end ? line->end + 1 : line->end;
    if (line->end > at && batch->text[line->end - 1] == '\r')
        line->end--;
    return true;
}
