/* SPDX-License-Identifier: MIT */
/* The reader from inside: what FASTA, FASTQ and the lines of both have in common. Private; tests set
 * sizes with it.
 *
 * Text is read in blocks into the batch itself and taken apart there: lines are found with memchr,
 * and nothing is copied but what must become contiguous.
 *
 *     text   [header][carry] | raw bytes ........................ | room
 *            \_ of a record that          ^at            text_size^
 *               began in the last batch
 *
 * The bases of a FASTA record are moved together over the line ends between them; they only move
 * towards the front. What is left behind the last whole record is kept for the next batch. */
#ifndef NINHO_KMER_INSIDE_H
#define NINHO_KMER_INSIDE_H

#include "reader.h"
#include "source.h"

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

/* How many records a batch should have. */
struct wanted {
    size_t at_least; /* fewer only at the end of the file */
    size_t at_most;  /* all of them whole; 0: as many as there are, long ones in pieces */
};

struct ninho_kmer_reader {
    struct source *source;
    enum format format;
    size_t overlap;
    size_t block_bytes;  /* what is read at a time */
    size_t record_limit; /* the bytes of a batch that holds what must be whole */
    uint64_t line;       /* the number of the line that starts at the raw bytes */
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

/* Other sizes than the usual ones, before anything is read: so that tests need no large files. */
void nh_kmer_reader_set_sizes(ninho_kmer_reader *reader, size_t block_bytes,
                              size_t record_limit);

/* ---- Memory and errors ------------------------------------------------------------- */

/* "line N: " and the message into reader->failure. Answers NINHO_ERR_FORMAT. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
ninho_status
nh_kmer_fail_at(ninho_kmer_reader *reader, uint64_t line, const char *format, ...);
ninho_status nh_kmer_no_memory(ninho_kmer_reader *reader);

/* Room for `size` bytes in all. False if there is no memory. */
bool nh_kmer_grow(char **data, size_t *room, size_t size);
bool nh_kmer_bytes_set(struct bytes *bytes, const char *data, size_t size);

/* The next record of the batch, whole so far; NULL if there is no memory. */
struct place *nh_kmer_new_place(ninho_kmer_reader *reader);

/* ---- Lines ------------------------------------------------------------------------- */

bool nh_kmer_is_blank(char c);

/* The first byte that no sequence (or quality) has; n if all are good. */
size_t nh_kmer_find_no_sequence(const char *text, size_t n);
size_t nh_kmer_find_no_quality(const char *text, size_t n);

/* The size of a line without the blanks at its end. */
size_t nh_kmer_trimmed(const char *line, size_t size);

/* "'x'" or "byte 0x00", for messages. */
const char *nh_kmer_show(char c, char text[16]);

/* Refuses a byte that no sequence has, or a header that no text has. */
ninho_status nh_kmer_bad_base(ninho_kmer_reader *reader, uint64_t line, char c,
                              bool is_at_start);
ninho_status nh_kmer_check_header(ninho_kmer_reader *reader, uint64_t line,
                                  const char *header, size_t size);

/* Reads on until the text has `size` bytes, or the file ends. */
ninho_status nh_kmer_fill(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                          size_t size);

/* More of a record that must be whole, or of a header. */
ninho_status nh_kmer_fill_more(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                               uint64_t line);

/* A line: [at, end) without its line end, and where the next one begins. */
struct line {
    size_t at, end, next;
};

/* The line at `at`. False if its end is not there yet, or the file has ended. */
bool nh_kmer_find_line(const ninho_kmer_reader *reader, const ninho_kmer_batch *batch,
                       size_t at, struct line *line);

/* Which format? Told by the first byte that is not blank; reads on until there is one. */
ninho_status nh_kmer_detect(ninho_kmer_reader *reader, ninho_kmer_batch *batch);

/* ---- Formats ----------------------------------------------------------------------- */

/* Records from the text, from *at on, which is moved behind what was taken. */
ninho_status nh_kmer_fasta_next(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                                struct wanted wanted, size_t *at);
ninho_status nh_kmer_fastq_next(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                                struct wanted wanted, size_t *at);

#endif
