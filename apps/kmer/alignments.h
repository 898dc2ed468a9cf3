/* SPDX-License-Identifier: MIT */
/* The reads of BAM and SAM files, from the blocks that htslib unpacks. Private.
 *
 * Only names, flags, bases and qualities are kept; the header and all other fields are passed over as
 * they come. So a length in the file never makes this reserve memory: it grows with the bytes that
 * were read. */
#ifndef NINHO_KMER_ALIGNMENTS_H
#define NINHO_KMER_ALIGNMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source.h"

struct alignments;
struct BGZF;

enum alignments_format { ALIGNMENTS_BAM, ALIGNMENTS_SAM };

/* Reads the header. `file` stays the caller's, who closes it after this. NINHO_ERR_FORMAT,
 * NINHO_ERR_NOMEM. */
ninho_status nh_alignments_open(struct BGZF *file, enum alignments_format format,
                                struct alignments **out, ninho_error *error);
void nh_alignments_close(struct alignments *alignments);

/* See nh_source_next_read(). */
ninho_status nh_alignments_next(struct alignments *alignments, size_t limit,
                                struct source_record *record, bool *has_one,
                                ninho_error *error);

/* How many repeat a read that is elsewhere in the file. */
uint64_t nh_alignments_passed_over(const struct alignments *alignments);

#endif
