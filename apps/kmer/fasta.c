/* SPDX-License-Identifier: MIT */
/* FASTA: bases on any number of lines, of which there may be more than memory. */
#include "inside.h"

#include <string.h>

/* A record that would have to be split is put off instead, if it is no longer than a quarter of a
 * block. */
#define PUT_OFF 4

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
    fasta->place = nh_kmer_new_place(reader);
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
    const ninho_status status = nh_kmer_check_header(
        reader, reader->line, batch->text + line->at, line->end - line->at);

    if (status)
        return status;
    fasta_end(fasta);
    fasta->place = nh_kmer_new_place(reader);
    if (!fasta->place)
        return nh_kmer_no_memory(reader);
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
    const size_t size = nh_kmer_trimmed(text, end - at);
    const size_t bad = nh_kmer_find_no_sequence(text, size);

    if (bad < size)
        return nh_kmer_bad_base(reader, reader->line, text[bad],
                                bad == 0 && !reader->is_mid_line);
    if (size && !fasta->place)
        return nh_kmer_fail_at(reader, reader->line,
                               "there is no header before these bases");
    if (size)
        memmove(batch->text + fasta->to, text, size);
    fasta->to += size;
    return NINHO_OK;
}

/* Is there enough to be given out without the rest of the last record? */
static bool can_suspend(const ninho_kmer_reader *reader, struct wanted wanted,
                        const struct fasta *fasta)
{
    if (wanted.at_most)
        return reader->n_places > 1 && reader->n_places > wanted.at_least;
    return reader->n_places > 1 ||
           (fasta->place && fasta->to > fasta->place->bases + fasta->place->n_overlap);
}

/* Keeps the record that is not complete for the next batch: as a whole, or the bases that its next
 * piece begins with. */
static ninho_status fasta_suspend(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                                  struct wanted wanted, struct fasta *fasta)
{
    struct place *place = fasta->place;

    reader->is_inside = place != NULL;
    if (!place)
        return NINHO_OK;
    fasta_end(fasta);
    if (!nh_kmer_bytes_set(&reader->header, batch->text + place->header,
                           place->header_size))
        return nh_kmer_no_memory(reader);
    const char *bases = batch->text + place->bases;
    size_t n_carry = place->n_bases;
    if (reader->n_places > 1 && place->is_first &&
        (wanted.at_most || place->n_bases <= reader->block_bytes / PUT_OFF)) {
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
    if (!nh_kmer_bytes_set(&reader->carry, bases + place->n_bases - n_carry, n_carry))
        return nh_kmer_no_memory(reader);
    return NINHO_OK;
}

ninho_status nh_kmer_fasta_next(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                                struct wanted wanted, size_t *at)
{
    struct fasta fasta = {0};
    struct line line;
    ninho_status status = NINHO_OK;

    if (!fasta_resume(reader, &fasta))
        return nh_kmer_no_memory(reader);
    for (;;) {
        const bool is_whole = nh_kmer_find_line(reader, batch, *at, &line);
        const bool is_header =
            *at < batch->text_size && !reader->is_mid_line && batch->text[*at] == '>';
        if (is_whole && is_header) {
            if (wanted.at_most && reader->n_places == wanted.at_most) {
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
                const size_t size =
                    nh_kmer_trimmed(batch->text + *at, batch->text_size - *at);
                status = fasta_bases(reader, batch, *at, *at + size, &fasta);
                reader->is_mid_line |= size > 0;
                *at += size;
            }
            if (status)
                return status;
            if (is_header && batch->text_size - *at > NINHO_KMER_HEADER_LIMIT)
                return nh_kmer_fail_at(reader, reader->line,
                                       "the header is longer than %zu bytes",
                                       NINHO_KMER_HEADER_LIMIT);
            if (batch->text_size - *at > NINHO_KMER_HEADER_LIMIT)
                return nh_kmer_fail_at(reader, reader->line,
                                       "a line of blanks without end");
            if (can_suspend(reader, wanted, &fasta))
                return fasta_suspend(reader, batch, wanted, &fasta);
            status = nh_kmer_fill_more(reader, batch, reader->line);
            if (status)
                return status;
            continue;
        }
        if (status)
            return status;
        *at = line.next;
    }
}
