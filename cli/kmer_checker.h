/* SPDX-License-Identifier: MIT */
/* Records against an index.
 *
 * An item's records are looked up together, in batches that go across their borders; its lines and
 * the records to be written are made on the same thread, so that what is left to do in order is
 * only writing. A record that is too long for one item comes in pieces: the last piece's item has
 * the line. */
#ifndef CLI_KMER_CHECKER_H
#define CLI_KMER_CHECKER_H

#include "cmd_kmer.h"
#include "outfile.h"

enum { MATCHING, OTHERS };

#define MAX_OUTPUTS 2

struct paths {
    const char *paths[MAX_OUTPUTS];
    size_t n;
};

struct check_options {
    double min_fraction;    /* negative: not given */
    struct paths chosen[2]; /* --include, --exclude */
    const char *output;
    bool paired;
    bool both;
    bool count;
    bool json;
    bool summary;
};

/* A record whose pieces are still coming in. */
struct pending {
    bool is_open;
    struct text name;
    struct text record; /* as it will be written, if it will */
    ninho_kmer_count count;
};

/* What the records of an output are. One file has one format. */
enum format { FORMAT_NONE_YET, FORMAT_FASTA, FORMAT_FASTQ };

struct checker {
    struct check_options options;
    ninho_kmer_index index;
    double min_fraction;
    bool has_lines;
    bool has_all_lines; /* not of matching records only */
    struct outfile table;
    struct outfile chosen[2][MAX_OUTPUTS];
    enum format formats[2][MAX_OUTPUTS];
    struct pending pending;
    uint64_t n_records, n_matching, n_without, n_kmers, n_found, n_skipped;
};

/* For a struct kmer_job, whose context is the checker: looks an item up, on any thread; and takes
 * it in, in order. */
void checker_look_up(void *context, struct kmer_item *item);
int checker_take(void *context, struct kmer_item *item);

#endif
