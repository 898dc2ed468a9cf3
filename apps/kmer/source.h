/* SPDX-License-Identifier: MIT */
/* Where the bytes of a reader come from: a file through htslib, or memory. Private. */
#ifndef NINHO_KMER_SOURCE_H
#define NINHO_KMER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

struct source;

enum source_content {
    SOURCE_TEXT,      /* to be read with nh_source_read() */
    SOURCE_ALIGNMENTS /* BAM or SAM, with nh_source_next_read() */
};

ninho_status nh_source_open(const char *path, struct source **out, ninho_error *error);
ninho_status nh_source_memory(const void *bytes, size_t size, struct source **out,
                              ninho_error *error);
void nh_source_close(struct source *source);

enum source_content nh_source_content(const struct source *source);

/* Is the text unpacked on the way? */
bool nh_source_is_compressed(const struct source *source);

/* Reads exactly `size` bytes, fewer only at the end of the file; *got says how many. */
ninho_status nh_source_read(struct source *source, char *bytes, size_t size, size_t *got,
                            ninho_error *error);

/* A read of a BAM file, as it was sequenced: reads that were turned round to fit are turned back.
 * The texts live until the next call. */
struct source_record {
    const char *name;
    size_t name_size;
    const char *bases;
    const char *quality; /* made up where the file has none */
    size_t n_bases;
    bool is_too_long; /* and not read */
};

/* *has_one is false at the end. A read whose bases and qualities are more than `limit` bytes is too
 * long, and the last. */
ninho_status nh_source_next_read(struct source *source, size_t limit,
                                 struct source_record *record, bool *has_one,
                                 ninho_error *error);

uint64_t nh_source_bytes(const struct source *source);
uint64_t nh_source_size(const struct source *source);
uint64_t nh_source_passed_over(const struct source *source);

#endif
