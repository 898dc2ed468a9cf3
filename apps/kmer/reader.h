/* SPDX-License-Identifier: MIT */
/* Sequences from files: FASTA, FASTQ, BAM and SAM, plain, gz or bgzf.
 *
 * A reader fills batches. A batch holds whole records, or a piece of one that is too long
 * for it; pieces of one sequence overlap by k - 1 bases, so that all windows of all pieces
 * together are the windows of the sequence, each once:
 *
 *     sequence   ....................................
 *     pieces     ==============                            is_first
 *                           ===============                the first k - 1 bases again
 *                                       =============      is_last
 *
 * Only FASTA comes in pieces. A FASTQ or BAM record is whole; what must be whole may have
 * NINHO_KMER_RECORD_LIMIT bytes in a batch. Reading takes the memory of the batches, not of
 * the file.
 *
 * What is refused, with the line: text before the first header, bytes that no sequence has
 * (letters, '*', '-', '.' are what one may have), FASTQ without its '+' line, a quality
 * shorter or longer than its sequence, the other format in the middle of a file, a line
 * beyond the limit, compressed data that is cut short or damaged, an empty file, a file
 * that is none of these formats.
 * Of BAM and SAM, a read without bases ('*') is a record without bases; one without
 * qualities has the lowest that means anything ('"', 1), as samtools gives it, so that all of
 * a file can be written as FASTQ. A name with bytes that no name has is refused.
 * What is taken as it is: Windows line ends, small letters, blank lines between records,
 * blanks at the end of a line, records without bases.
 *
 * Without htslib only plain FASTA and FASTQ can be read; the rest is NINHO_ERR_UNSUPPORTED.
 * With it, opening a file turns htslib's own messages off, for the whole process.
 *
 * Threads: a reader belongs to one thread at a time, a batch too. */
#ifndef NINHO_KMER_READER_H
#define NINHO_KMER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ninho_kmer_reader ninho_kmer_reader;

/* Bytes of what must be whole, and of a header line. */
#define NINHO_KMER_RECORD_LIMIT ((size_t)256 << 20)
#define NINHO_KMER_HEADER_LIMIT ((size_t)1 << 20)

/* A record or a piece of one. Pointers are into the batch, and live until it is filled
 * anew; no text ends with a NUL. */
typedef struct ninho_kmer_record {
    const char *name; /* up to the first blank of the header; may be empty */
    size_t name_size;
    const char *comment; /* the header's rest, behind the blanks */
    size_t comment_size;
    const char *bases;
    size_t n_bases;
    size_t n_overlap;    /* of them, how many were the last of the piece before */
    const char *quality; /* n_bases of them; NULL: FASTA, which has none */
    bool is_first;       /* the record begins here */
    bool is_last;        /* and ends here */
} ninho_kmer_record;

/* Start from {0}; free with ninho_kmer_batch_free(). It allocates with malloc. */
typedef struct ninho_kmer_batch {
    ninho_kmer_record *records;
    size_t n;
    uint64_t n_bases; /* in all of them, overlaps not counted twice */
    /* The library's. */
    size_t room;
    char *text;
    size_t text_size, text_room;
} ninho_kmer_batch;

void ninho_kmer_batch_free(ninho_kmer_batch *batch);

/* Bytes that the batch has allocated. It keeps them for the records to come, until it is
 * freed. */
size_t ninho_kmer_batch_bytes(const ninho_kmer_batch *batch);

/* Opens a file; "-" is standard input. `overlap` is k - 1. On success *out is the caller's,
 * to be closed; on failure it is untouched. NINHO_ERR_IO (directories included),
 * NINHO_ERR_FORMAT, NINHO_ERR_UNSUPPORTED, NINHO_ERR_NOMEM. error.text does not repeat the
 * path. */
ninho_status ninho_kmer_reader_open(const char *path, size_t overlap,
                                    ninho_kmer_reader **out, ninho_error *error);

/* The same over bytes in memory, which stay the caller's, as a plain text file would be. */
ninho_status ninho_kmer_reader_memory(const void *bytes, size_t size, size_t overlap,
                                      ninho_kmer_reader **out, ninho_error *error);

/* Less than NINHO_KMER_RECORD_LIMIT for what must be whole. A batch takes up to twice that. */
void ninho_kmer_reader_set_limit(ninho_kmer_reader *reader, size_t limit);

void ninho_kmer_reader_close(ninho_kmer_reader *reader);

/* Fills the batch with the next records: n_records 0: as many as fit, long FASTA records in
 * pieces; otherwise that many, all whole, fewer only at the end of the file. At the end
 * batch->n is 0. On failure batch->n is 0 too, and error.text begins with "line N: " where a
 * line is to blame; the reader stays at the failure. */
ninho_status ninho_kmer_reader_next(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                                    size_t n_records, ninho_error *error);

/* The same for records that must be whole: as many as fit, one at least and `max_records`
 * (above 0) at the most. Where another file is read in step, it gives exactly batch->n
 * through ninho_kmer_reader_next(). */
ninho_status ninho_kmer_reader_next_whole(ninho_kmer_reader *reader,
                                          ninho_kmer_batch *batch, size_t max_records,
                                          ninho_error *error);

/* Bytes of the file read so far, and the file's size (0: not known). */
uint64_t ninho_kmer_reader_bytes(const ninho_kmer_reader *reader);
uint64_t ninho_kmer_reader_size(const ninho_kmer_reader *reader);

/* BAM: secondary and supplementary alignments, which repeat a read that is elsewhere in the
 * file, are passed over. How many so far. */
uint64_t ninho_kmer_reader_passed_over(const ninho_kmer_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
