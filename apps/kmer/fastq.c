/* SPDX-License-Identifier: MIT */
/* FASTQ: records of four lines, or of more where sequence and quality are wrapped. */
#include "inside.h"

#include <inttypes.h>
#include <string.h>

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
        const size_t kept = nh_kmer_trimmed(text + at, size);
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

    while (nh_kmer_find_line(reader, batch, lines->next, &line)) {
        const char *text = batch->text + line.at;
        if (line.end > line.at && *text == '+') {
            *plus = line;
            return TAKEN;
        }
        const size_t size = nh_kmer_trimmed(text, line.end - line.at);
        const size_t bad = nh_kmer_find_no_sequence(text, size);
        if (bad < size) {
            (void)nh_kmer_bad_base(reader, *line_number, text[bad], bad == 0);
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
        if (!nh_kmer_find_line(reader, batch, lines->next, &line)) {
            if (reader->is_at_end && lines->count == 0 && sequence->size == 0)
                return TAKEN;
            return TAKEN_TOO_LITTLE;
        }
        const size_t size = nh_kmer_trimmed(batch->text + line.at, line.end - line.at);
        const size_t bad = nh_kmer_find_no_quality(batch->text + line.at, size);
        if (bad < size) {
            (void)nh_kmer_fail_at(reader, *line_number, "%s is not a quality",
                                  nh_kmer_show(batch->text[line.at + bad], shown));
            return TAKEN_BAD;
        }
        lines->size += size;
        lines->count++;
        lines->next = line.next;
        (*line_number)++;
    }
    if (lines->size != sequence->size) {
        (void)nh_kmer_fail_at(
            reader, *line_number - 1,
            "the quality has %zu characters, and the sequence %zu bases", lines->size,
            sequence->size);
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
        if (!nh_kmer_find_line(reader, batch, start, &header))
            return start == batch->text_size && reader->is_at_end ? TAKEN_NONE
                                                                  : TAKEN_TOO_LITTLE;
        if (nh_kmer_trimmed(batch->text + header.at, header.end - header.at) > 0)
            break;
        start = header.next;
        line_number++;
    }
    const char first = batch->text[header.at];
    if (first != '@') {
        if (first == '>')
            (void)nh_kmer_fail_at(reader, line_number,
                                  "begins with '>': FASTA in a FASTQ file");
        else
            (void)nh_kmer_fail_at(reader, line_number,
                                  "a record begins with '@', not with %s",
                                  nh_kmer_show(first, shown));
        return TAKEN_BAD;
    }
    if (nh_kmer_check_header(reader, line_number, batch->text + header.at,
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
    struct place *place = nh_kmer_new_place(reader);
    if (!place) {
        (void)nh_kmer_no_memory(reader);
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
    return nh_kmer_fail_at(reader, line,
                           "the file ends inside the record that began at line %" PRIu64,
                           reader->line);
}

ninho_status nh_kmer_fastq_next(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                                struct wanted wanted, size_t *at)
{
    while (!wanted.at_most || reader->n_places < wanted.at_most) {
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
            if (reader->n_places && reader->n_places >= wanted.at_least)
                return NINHO_OK;
            const ninho_status status = nh_kmer_fill_more(reader, batch, reader->line);
            if (status)
                return status;
        }
    }
    return NINHO_OK;
}
