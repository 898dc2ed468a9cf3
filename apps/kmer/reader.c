/* SPDX-License-Identifier: MIT */
/* FASTA and FASTQ, read in blocks into the batch itself and taken apart there: lines are found
 * with memchr, and nothing is copied but what must become contiguous.
 *
 *     text   [header][carry] | raw bytes ........................ | room
 *            \_ of a record that          ^at            text_size^
 *               began in the last batch
 *
 * The bases of a FASTA record are moved together over the line ends between them; they only move
 * towards the front. What is left behind the last whole record is kept for the next batch. */
#include "reader.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

#define BLOCK_BYTES ((size_t)256 << 10)
/* A FASTA record that would have to be split is put off instead, if it is no longer than this. */
#define PUT_OFF_BYTES (BLOCK_BYTES / 4)

enum format { FORMAT_UNKNOWN, FORMAT_FASTA, FORMAT_FASTQ };

/* A string of bytes that grows. */
struct bytes {
    char *data;
    size_t size, room;
};

/* A record while its batch is being filled: offsets, since the text may move. */
struct place {
    size_t header, header_size;
    size_t bases, n_bases, n_overlap;
    size_t quality;
    bool has_quality, is_first, is_last;
};

struct ninho_kmer_reader {
    struct source *source;
    enum format format;
    size_t overlap;
    uint64_t line; /* the number of the line that starts at the raw bytes */
    bool is_at_end;
    struct bytes rest; /* raw bytes for the next batch */
    /* The FASTA record that goes on in the next batch. */
    bool is_inside;
    bool is_mid_line;
    bool has_begun; /* a piece of it was given out */
    struct bytes header;
    struct bytes carry; /* bases for the next piece */
    size_t n_overlap;   /* of them, those that were given out */
    struct place *places;
    size_t n_places, places_room;
    ninho_status failed; /* what the reader stays at */
    ninho_error failure;
};

/* ---- Memory and errors --------------------------------------------------------------------- */

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static ninho_status
fail_at(ninho_kmer_reader *reader, uint64_t line, const char *format, ...)
{
    ninho_error *error = &reader->failure;
    va_list arguments;

    *error = (ninho_error){.status = NINHO_ERR_FORMAT};
    const int n = snprintf(error->text, sizeof error->text, "line %" PRIu64 ": ", line);
    va_start(arguments, format);
    (void)vsnprintf(error->text + n, sizeof error->text - (size_t)n, format, arguments);
    va_end(arguments);
    return NINHO_ERR_FORMAT;
}

static ninho_status no_memory(ninho_kmer_reader *reader)
{
    return nh_kmer_explain(&reader->failure, NINHO_ERR_NOMEM, "not enough memory");
}

/* Room for `size` bytes in all. */
static bool grow(char **data, size_t *room, size_t size)
{
    if (size <= *room)
        return true;
    size_t wanted = *room ? *room : 4096;
    while (wanted < size)
        wanted = wanted <= SIZE_MAX / 2 ? 2 * wanted : size;
    char *moved = realloc(*data, wanted);
    if (!moved)
        return false;
    *data = moved;
    *room = wanted;
    return true;
}

static bool bytes_set(struct bytes *bytes, const char *data, size_t size)
{
    if (!grow(&bytes->data, &bytes->room, size ? size : 1))
        return false;
    memmove(bytes->data, data, size);
    bytes->size = size;
    return true;
}

static struct place *new_place(ninho_kmer_reader *reader)
{
    if (reader->n_places == reader->places_room) {
        const size_t room = reader->places_room ? 2 * reader->places_room : 256;
        struct place *places = realloc(reader->places, room * sizeof *places);
        if (!places)
            return NULL;
        reader->places = places;
        reader->places_room = room;
    }
    struct place *place = &reader->places[reader->n_places++];
    *place = (struct place){.is_first = true, .is_last = true};
    return place;
}

void ninho_kmer_batch_free(ninho_kmer_batch *batch)
{
    free(batch->records);
    free(batch->text);
    *batch = (ninho_kmer_batch){0};
}

/* ---- What lines may hold ------------------------------------------------------------------- */

static bool is_blank(char c)
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
    static size_t name(const char *text, size_t n)                          \
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
FIND_BAD(find_no_sequence, is_sequence)
FIND_BAD(find_no_quality, is_quality)

/* The size of a line without the blanks at its end. */
static size_t trimmed(const char *line, size_t size)
{
    while (size && is_blank(line[size - 1]))
        size--;
    return size;
}

/* "'x'" or "byte 0x00", for messages. */
static const char *show(char c, char text[16])
{
    const unsigned char byte = (unsigned char)c;

    if (byte > 0x20 && byte < 0x7F)
        (void)snprintf(text, 16, "'%c'", c);
    else
        (void)snprintf(text, 16, "byte 0x%02x", byte);
    return text;
}

static ninho_status bad_base(ninho_kmer_reader *reader, uint64_t line, char c,
                             bool is_at_start)
{
    char text[16];

    if (reader->format == FORMAT_FASTA && is_at_start && (c == '@' || c == '+'))
        return fail_at(reader, line, "begins with '%c': FASTQ in a FASTA file", c);
    if (reader->format == FORMAT_FASTQ && is_at_start && (c == '@' || c == '>'))
        return fail_at(reader, line, "begins with '%c' where the '+' line should be", c);
    return fail_at(reader, line, "%s is not a letter of a sequence", show(c, text));
}

static ninho_status check_header(ninho_kmer_reader *reader, uint64_t line,
                                 const char *header, size_t size)
{
    if (size > NINHO_KMER_HEADER_LIMIT)
        return fail_at(reader, line, "the header is longer than %zu bytes",
                       NINHO_KMER_HEADER_LIMIT);
    if (memchr(header, '\0', size))
        return fail_at(reader, line, "the header holds a NUL byte: is this a text file?");
    return NINHO_OK;
}

/* Does the first line end with a carriage return alone? */
static bool has_old_line_ends(const char *line, size_t size)
{
    const char *end = memchr(line, '\n', size);
    const size_t length = end ? (size_t)(end - line) : size;
    const char *cr = memchr(line, '\r', length);

    return cr && cr + 1 < line + length && !is_blank(cr[1]);
}

/* Which format? Told by the first byte that is not blank. */
static ninho_status detect(ninho_kmer_reader *reader, const char *text, size_t size)
{
    uint64_t line = 1;
    size_t at = 0;
    char shown[16];

    while (at < size && (is_blank(text[at]) || text[at] == '\n'))
        line += text[at++] == '\n';
    if (at == size)
        return reader->is_at_end
                   ? nh_kmer_explain(&reader->failure, NINHO_ERR_FORMAT, "is empty")
                   : fail_at(reader, line, "there is no header in the first %zu bytes",
                             size);
    if ((text[at] == '>' || text[at] == '@') && has_old_line_ends(text + at, size - at))
        return fail_at(reader, line,
                       "lines end with carriage returns alone: convert them with "
                       "tr '\\r' '\\n'");
    if (text[at] == '>' || text[at] == '@') {
        reader->format = text[at] == '>' ? FORMAT_FASTA : FORMAT_FASTQ;
        return NINHO_OK;
    }
    if (size >= 4 && memcmp(text, "\x1F\x8B", 2) == 0)
        return nh_kmer_explain(
            &reader->failure, NINHO_ERR_UNSUPPORTED,
            "is compressed with gzip, and cannot be read: it is cut short, or was "
            "compressed twice, or this ninho was built without htslib");
    if (size >= 4 && (memcmp(text, "BZh", 3) == 0 ||
                      memcmp(text,
                             "\xFD"
                             "7zX",
                             4) == 0 ||
                      memcmp(text, "\x28\xB5\x2F\xFD", 4) == 0))
        return nh_kmer_explain(
            &reader->failure, NINHO_ERR_UNSUPPORTED,
            "is compressed otherwise than with gzip or bgzip: unpack it first");
    if (is_sequence((unsigned char)text[at]) &&
        find_no_sequence(text + at, size - at < 8 ? size - at : 8) > 0)
        return fail_at(reader, line,
                       "there is no header: a line that begins with '>' (FASTA) or '@' "
                       "(FASTQ) must come first, not %s",
                       show(text[at], shown));
    return fail_at(reader, line,
                   "is neither FASTA, FASTQ, BAM nor SAM: it begins with %s",
                   show(text[at], shown));
}

/* ---- Blocks -------------------------------------------------------------------------------- */

/* Reads on until the text has `size` bytes, or the file ends. */
static ninho_status fill(ninho_kmer_reader *reader, ninho_kmer_batch *batch, size_t size)
{
    size_t got = 0;

    if (size <= batch->text_size || reader->is_at_end)
        return NINHO_OK;
    if (!grow(&batch->text, &batch->text_room, size))
        return no_memory(reader);
    const ninho_status status =
        nh_source_read(reader->source, batch->text + batch->text_size,
                       size - batch->text_size, &got, &reader->failure);
    if (status)
        return status;
    reader->is_at_end = got < size - batch->text_size;
    batch->text_size += got;
    return NINHO_OK;
}

/* More of a record that must be whole, or of a header. */
static ninho_status fill_more(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                              uint64_t line)
{
    if (batch->text_size >= NINHO_KMER_RECORD_LIMIT)
        return fail_at(reader, line,
                       "records of more than %zu bytes cannot be kept whole",
                       NINHO_KMER_RECORD_LIMIT);
    return fill(reader, batch, 2 * batch->text_size);
}

/* A line: [at, end) without its line end, and where the next one begins. */
struct line {
    size_t at, end, next;
};

/* The line at `at`. False if its end is not there yet, or the file has ended. */
static bool find_line(const ninho_kmer_reader *reader, const ninho_kmer_batch *batch,
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

/* ---- FASTQ --------------------------------------------------------------------------------- */

/* Lines of a record that belong together: the sequence, or the quality. */
struct lines {
    size_t at;   /* of the first one */
    size_t next; /* behind the last one */
    size_t count;
    size_t size; /* of all of them, without line ends */
};

/* Moves lines together, and tells where they are. */
static size_t join_lines(char *text, const struct lines *lines)
{
    size_t to = lines->at;
    size_t at = to;

    if (lines->count <= 1)
        return lines->at;
    while (at < lines->next) {
        const char *end = memchr(text + at, '\n', lines->next - at);
        const size_t size = end ? (size_t)(end - text) - at : lines->next - at;
        const size_t kept = trimmed(text + at, size);
        memmove(text + to, text + at, kept);
        to += kept;
        at += size + 1;
    }
    return lines->at;
}

enum taken { TAKEN, TAKEN_NONE /* the rest is blank */, TAKEN_TOO_LITTLE, TAKEN_BAD };

/* Sequence lines up to the '+' line, which they end before. */
static enum taken fastq_sequence(ninho_kmer_reader *reader, const ninho_kmer_batch *batch,
                                 struct lines *lines, uint64_t *line_number,
                                 struct line *plus)
{
    struct line line;

    while (find_line(reader, batch, lines->next, &line)) {
        const char *text = batch->text + line.at;
        if (line.end > line.at && *text == '+') {
            *plus = line;
            return TAKEN;
        }
        const size_t size = trimmed(text, line.end - line.at);
        const size_t bad = find_no_sequence(text, size);
        if (bad < size) {
            (void)bad_base(reader, *line_number, text[bad], bad == 0);
            return TAKEN_BAD;
        }
        lines->size += size;
        lines->count++;
        lines->next = line.next;
        (*line_number)++;
    }
    return TAKEN_TOO_LITTLE;
}

static enum taken fastq_quality(ninho_kmer_reader *reader, const ninho_kmer_batch *batch,
                                const struct lines *sequence, struct lines *lines,
                                uint64_t *line_number)
{
    struct line line;
    char shown[16];

    /* A sequence on one line has its quality on one line, which may look like anything. */
    while (lines->count == 0 || (sequence->count > 1 && lines->size < sequence->size)) {
        if (!find_line(reader, batch, lines->next, &line)) {
            if (reader->is_at_end && lines->count == 0 && sequence->size == 0)
                return TAKEN;
            return TAKEN_TOO_LITTLE;
        }
        const size_t size = trimmed(batch->text + line.at, line.end - line.at);
        const size_t bad = find_no_quality(batch->text + line.at, size);
        if (bad < size) {
            (void)fail_at(reader, *line_number, "%s is not a quality",
                          show(batch->text[line.at + bad], shown));
            return TAKEN_BAD;
        }
        lines->size += size;
        lines->count++;
        lines->next = line.next;
        (*line_number)++;
    }
    if (lines->size != sequence->size) {
        (void)fail_at(reader, *line_number - 1,
                      "the quality has %zu characters, and the sequence %zu bases",
                      lines->size, sequence->size);
        return TAKEN_BAD;
    }
    return TAKEN;
}

/* Takes the record at *at apart, if it is there as a whole. */
static enum taken fastq_record(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                               size_t *at)
{
    uint64_t line_number = reader->line;
    struct line header;
    struct line plus = {0};
    size_t start = *at;
    char shown[16];

    for (;;) {
        if (!find_line(reader, batch, start, &header))
            return start == batch->text_size && reader->is_at_end ? TAKEN_NONE
                                                                  : TAKEN_TOO_LITTLE;
        if (trimmed(batch->text + header.at, header.end - header.at) > 0)
            break;
        start = header.next;
        line_number++;
    }
    const char first = batch->text[header.at];
    if (first != '@') {
        if (first == '>')
            (void)fail_at(reader, line_number, "begins with '>': FASTA in a FASTQ file");
        else
            (void)fail_at(reader, line_number, "a record begins with '@', not with %s",
                          show(first, shown));
        return TAKEN_BAD;
    }
    if (check_header(reader, line_number, batch->text + header.at,
                     header.end - header.at))
        return TAKEN_BAD;
    line_number++;
    struct lines sequence = {.at = header.next, .next = header.next};
    enum taken taken = fastq_sequence(reader, batch, &sequence, &line_number, &plus);
    if (taken != TAKEN)
        return taken;
    line_number++;
    struct lines quality = {.at = plus.next, .next = plus.next};
    taken = fastq_quality(reader, batch, &sequence, &quality, &line_number);
    if (taken != TAKEN)
        return taken;
    struct place *place = new_place(reader);
    if (!place) {
        (void)no_memory(reader);
        return TAKEN_BAD;
    }
    place->header = header.at + 1;
    place->header_size = header.end - header.at - 1;
    place->bases = join_lines(batch->text, &sequence);
    place->n_bases = sequence.size;
    place->quality = join_lines(batch->text, &quality);
    place->has_quality = true;
    reader->line = line_number;
    *at = quality.next;
    return TAKEN;
}

static ninho_status fastq_cut_short(ninho_kmer_reader *reader,
                                    const ninho_kmer_batch *batch, size_t at)
{
    uint64_t line = reader->line;

    for (; at < batch->text_size; at++)
        line += batch->text[at] == '\n' && at + 1 < batch->text_size;
    return fail_at(reader, line,
                   "the file ends inside the record that began at line %" PRIu64,
                   reader->line);
}

static ninho_status fastq_next(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                               size_t n_records, size_t *at)
{
    while (!n_records || reader->n_places < n_records) {
        switch (fastq_record(reader, batch, at)) {
        case TAKEN:
            break;
        case TAKEN_NONE:
            *at = batch->text_size;
            return NINHO_OK;
        case TAKEN_BAD:
            return reader->failure.status;
        case TAKEN_TOO_LITTLE:
            if (reader->is_at_end)
                return fastq_cut_short(reader, batch, *at);
            if (!n_records && reader->n_places)
                return NINHO_OK;
            const ninho_status status = fill_more(reader, batch, reader->line);
            if (status)
                return status;
        }
    }
    return NINHO_OK;
}

/* ---- FASTA --------------------------------------------------------------------------------- */

/* Where the record that is being read stands. */
struct fasta {
    struct place *place; /* NULL: no record has begun */
    size_t to;           /* where its next bases go */
};

/* The record that began in the last batch, which stands in front of the raw bytes. */
static bool fasta_resume(ninho_kmer_reader *reader, struct fasta *fasta)
{
    if (!reader->is_inside)
        return true;
    fasta->place = new_place(reader);
    if (!fasta->place)
        return false;
    fasta->place->header_size = reader->header.size;
    fasta->place->bases = reader->header.size;
    fasta->place->n_overlap = reader->n_overlap;
    fasta->place->is_first = !reader->has_begun;
    fasta->to = reader->header.size + reader->carry.size;
    return true;
}

static void fasta_end(struct fasta *fasta)
{
    if (fasta->place)
        fasta->place->n_bases = fasta->to - fasta->place->bases;
    fasta->place = NULL;
}

/* A header line. */
static ninho_status fasta_begin(ninho_kmer_reader *reader, const ninho_kmer_batch *batch,
                                const struct line *line, struct fasta *fasta)
{
    const ninho_status status =
        check_header(reader, reader->line, batch->text + line->at, line->end - line->at);

    if (status)
        return status;
    fasta_end(fasta);
    fasta->place = new_place(reader);
    if (!fasta->place)
        return no_memory(reader);
    fasta->place->header = line->at + 1;
    fasta->place->header_size = line->end - line->at - 1;
    fasta->place->bases = fasta->to = line->next;
    reader->line++;
    return NINHO_OK;
}

/* A line of bases, or as much of it as there is: [at, end). */
static ninho_status fasta_bases(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                                size_t at, size_t end, struct fasta *fasta)
{
    const char *text = batch->text + at;
    const size_t size = trimmed(text, end - at);
    const size_t bad = find_no_sequence(text, size);

    if (bad < size)
        return bad_base(reader, reader->line, text[bad],
                        bad == 0 && !reader->is_mid_line);
    if (size && !fasta->place)
        return fail_at(reader, reader->line, "there is no header before these bases");
    if (size)
        memmove(batch->text + fasta->to, text, size);
    fasta->to += size;
    return NINHO_OK;
}

/* Keeps the record that is not complete for the next batch: as a whole, or the bases that its next
 * piece begins with. */
static ninho_status fasta_suspend(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                                  struct fasta *fasta)
{
    struct place *place = fasta->place;

    reader->is_inside = place != NULL;
    if (!place)
        return NINHO_OK;
    fasta_end(fasta);
    if (!bytes_set(&reader->header, batch->text + place->header, place->header_size))
        return no_memory(reader);
    const char *bases = batch->text + place->bases;
    size_t n_carry = place->n_bases;
    if (reader->n_places > 1 && place->is_first && place->n_bases <= PUT_OFF_BYTES) {
        reader->n_places--;
        reader->n_overlap = 0;
        reader->has_begun = false;
    } else {
        if (n_carry > reader->overlap)
            n_carry = reader->overlap;
        place->is_last = false;
        reader->n_overlap = n_carry;
        reader->has_begun = true;
    }
    if (!bytes_set(&reader->carry, bases + place->n_bases - n_carry, n_carry))
        return no_memory(reader);
    return NINHO_OK;
}

static ninho_status fasta_next(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                               size_t n_records, size_t *at)
{
    struct fasta fasta = {0};
    struct line line;
    ninho_status status = NINHO_OK;

    if (!fasta_resume(reader, &fasta))
        return no_memory(reader);
    for (;;) {
        const bool is_whole = find_line(reader, batch, *at, &line);
        const bool is_header =
            *at < batch->text_size && !reader->is_mid_line && batch->text[*at] == '>';
        if (is_whole && is_header) {
            if (n_records && reader->n_places == n_records) {
                fasta_end(&fasta);
                reader->is_inside = false;
                return NINHO_OK;
            }
            status = fasta_begin(reader, batch, &line, &fasta);
        } else if (is_whole) {
            status = fasta_bases(reader, batch, line.at, line.end, &fasta);
            reader->line++;
            reader->is_mid_line = false;
        } else if (reader->is_at_end) {
            fasta_end(&fasta);
            reader->is_inside = false;
            return NINHO_OK;
        } else {
            /* The last line is not complete. Of bases, what there is can be taken, but for blanks,
             * which may be the line's end. */
            if (!is_header && *at < batch->text_size) {
                const size_t size = trimmed(batch->text + *at, batch->text_size - *at);
                status = fasta_bases(reader, batch, *at, *at + size, &fasta);
                reader->is_mid_line |= size > 0;
                *at += size;
            }
            if (status)
                return status;
            if (is_header && batch->text_size - *at > NINHO_KMER_HEADER_LIMIT)
                return fail_at(reader, reader->line,
                               "the header is longer than %zu bytes",
                               NINHO_KMER_HEADER_LIMIT);
            if (batch->text_size - *at > NINHO_KMER_HEADER_LIMIT)
                return fail_at(reader, reader->line, "a line of blanks without end");
            const bool has_new =
                fasta.place && fasta.to > fasta.place->bases + fasta.place->n_overlap;
            if (!n_records && (reader->n_places > 1 || has_new))
                return fasta_suspend(reader, batch, &fasta);
            status = fill_more(reader, batch, reader->line);
            if (status)
                return status;
            continue;
        }
        if (status)
            return status;
        *at = line.next;
    }
}

/* ---- BAM ----------------------------------------------------------------------------------- */

/* Appends to the text; *at is where. */
static bool append(ninho_kmer_batch *batch, const char *bytes, size_t size, size_t *at)
{
    if (!grow(&batch->text, &batch->text_room, batch->text_size + size + 1))
        return false;
    if (size)
        memcpy(batch->text + batch->text_size, bytes, size);
    *at = batch->text_size;
    batch->text_size += size;
    return true;
}

static ninho_status bad_read(ninho_kmer_reader *reader, const char *what)
{
    return nh_kmer_explain(&reader->failure, NINHO_ERR_FORMAT, "record %" PRIu64 " %s",
                           reader->line - 1 + nh_source_passed_over(reader->source),
                           what);
}

static ninho_status alignments_next(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                                    size_t n_records)
{
    while (n_records ? reader->n_places < n_records : batch->text_size < BLOCK_BYTES) {
        struct source_record record = {0};
        bool has_one = false;
        const ninho_status status =
            nh_source_next_read(reader->source, &record, &has_one, &reader->failure);
        if (status || !has_one)
            return status;
        reader->line++; /* of records, here */
        if (record.name_size + 2 * record.n_bases > NINHO_KMER_RECORD_LIMIT)
            return bad_read(reader, "is longer than the largest record that can be kept");
        for (size_t i = 0; i < record.name_size; i++)
            if (record.name[i] < 0x21 || record.name[i] > 0x7E)
                return bad_read(reader, "has a name with bytes that names cannot have");
        struct place *place = new_place(reader);
        if (!place)
            return no_memory(reader);
        place->header_size = record.name_size;
        place->n_bases = record.n_bases;
        place->has_quality = record.quality != NULL;
        if (!append(batch, record.name, record.name_size, &place->header) ||
            !append(batch, record.bases, record.n_bases, &place->bases) ||
            (record.quality &&
             !append(batch, record.quality, record.n_bases, &place->quality)))
            return no_memory(reader);
    }
    return NINHO_OK;
}

/* ---- The reader ---------------------------------------------------------------------------- */

/* From offsets to pointers, now that the text stays where it is. */
static ninho_status finish(ninho_kmer_reader *reader, ninho_kmer_batch *batch)
{
    const size_t n = reader->n_places;

    if (n > batch->room) {
        ninho_kmer_record *records = realloc(batch->records, n * sizeof *records);
        if (!records)
            return no_memory(reader);
        batch->records = records;
        batch->room = n;
    }
    batch->n_bases = 0;
    for (size_t i = 0; i < n; i++) {
        const struct place *place = &reader->places[i];
        const char *header = batch->text + place->header;
        const size_t header_size = trimmed(header, place->header_size);
        size_t name_size = 0;
        while (name_size < header_size && header[name_size] != ' ' &&
               header[name_size] != '\t')
            name_size++;
        size_t comment = name_size;
        while (comment < header_size && is_blank(header[comment]))
            comment++;
        batch->records[i] = (ninho_kmer_record){
            .name = header,
            .name_size = name_size,
            .comment = header + comment,
            .comment_size = header_size - comment,
            .bases = batch->text + place->bases,
            .n_bases = place->n_bases,
            .n_overlap = place->n_overlap,
            .quality = place->has_quality ? batch->text + place->quality : NULL,
            .is_first = place->is_first,
            .is_last = place->is_last,
        };
        batch->n_bases += place->n_bases - place->n_overlap;
    }
    batch->n = n;
    return NINHO_OK;
}

/* Puts what the last batch left over in front, and reads a block. */
static ninho_status begin_text(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                               size_t *at)
{
    size_t where = 0;

    if (reader->is_inside &&
        (!append(batch, reader->header.data, reader->header.size, &where) ||
         !append(batch, reader->carry.data, reader->carry.size, &where)))
        return no_memory(reader);
    *at = batch->text_size;
    if (!append(batch, reader->rest.data, reader->rest.size, &where))
        return no_memory(reader);
    reader->rest.size = 0;
    ninho_status status = fill(reader, batch, *at + BLOCK_BYTES);
    if (!status && reader->format == FORMAT_UNKNOWN)
        status = detect(reader, batch->text, batch->text_size);
    return status;
}

static ninho_status next_text(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                              size_t n_records)
{
    size_t at = 0;
    ninho_status status = begin_text(reader, batch, &at);

    if (status)
        return status;
    status = reader->format == FORMAT_FASTA ? fasta_next(reader, batch, n_records, &at)
                                            : fastq_next(reader, batch, n_records, &at);
    if (!status && !bytes_set(&reader->rest, batch->text + at, batch->text_size - at))
        status = no_memory(reader);
    return status;
}

ninho_status ninho_kmer_reader_next(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                                    size_t n_records, ninho_error *error)
{
    batch->n = 0;
    batch->n_bases = 0;
    batch->text_size = 0;
    reader->n_places = 0;
    if (!reader->failed)
        reader->failed = nh_source_content(reader->source) == SOURCE_ALIGNMENTS
                             ? alignments_next(reader, batch, n_records)
                             : next_text(reader, batch, n_records);
    if (!reader->failed)
        reader->failed = finish(reader, batch);
    if (reader->failed && error)
        *error = reader->failure;
    return reader->failed;
}

static ninho_status wrap(struct source *source, size_t overlap, ninho_kmer_reader **out,
                         ninho_error *error)
{
    ninho_kmer_reader *reader = calloc(1, sizeof *reader);

    if (!reader) {
        nh_source_close(source);
        return nh_kmer_explain(error, NINHO_ERR_NOMEM, "not enough memory");
    }
    reader->source = source;
    reader->overlap = overlap;
    reader->line = 1;
    *out = reader;
    return NINHO_OK;
}

ninho_status ninho_kmer_reader_open(const char *path, size_t overlap,
                                    ninho_kmer_reader **out, ninho_error *error)
{
    struct source *source = NULL;
    const ninho_status status = nh_source_open(path, &source, error);

    return status ? status : wrap(source, overlap, out, error);
}

ninho_status ninho_kmer_reader_memory(const void *bytes, size_t size, size_t overlap,
                                      ninho_kmer_reader **out, ninho_error *error)
{
    struct source *source = NULL;
    const ninho_status status = nh_source_memory(bytes, size, &source, error);

    return status ? status : wrap(source, overlap, out, error);
}

void ninho_kmer_reader_close(ninho_kmer_reader *reader)
{
    if (!reader)
        return;
    nh_source_close(reader->source);
    free(reader->rest.data);
    free(reader->header.data);
    free(reader->carry.data);
    free(reader->places);
    free(reader);
}

uint64_t ninho_kmer_reader_bytes(const ninho_kmer_reader *reader)
{
    return nh_source_bytes(reader->source);
}

uint64_t ninho_kmer_reader_size(const ninho_kmer_reader *reader)
{
    return nh_source_size(reader->source);
}

uint64_t ninho_kmer_reader_passed_over(const ninho_kmer_reader *reader)
{
    return nh_source_passed_over(reader->source);
}
