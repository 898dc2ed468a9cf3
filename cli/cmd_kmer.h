/* SPDX-License-Identifier: MIT */
/* What the four k-mer commands share: the rule as options, records of many files through several
 * threads, files that are written whole or not at all. */
#ifndef CLI_CMD_KMER_H
#define CLI_CMD_KMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/kmer/kmer.h"
#include "apps/kmer/reader.h"
#include "args.h"
#include "hashes.h"
#include "text.h"

extern const struct command kmer_build, kmer_check, kmer_stats, kmer_compare;

/* ---- The rule ------------------------------------------------------------------------------ */

#define DEFAULT_K 31
/* So that a cuckoo filter takes less than 1.6 bytes for a k-mer. */
#define DEFAULT_KMER_FPR 0.002

struct rule_options {
    uint32_t k; /* 0: not given */
    bool forward;
};
extern const struct option rule_options[];

ninho_kmer_rule rule_of(const struct rule_options *options);

/* ---- Records ------------------------------------------------------------------------------- */

/* A batch of records on its way: of one file or, in step, of two that hold pairs. */
struct kmer_item {
    ninho_kmer_batch batches[2];
    const char *names[2]; /* of the files */
    /* What the work found; it belongs to the job, and is freed with the item. */
    ninho_kmer_count *counts; /* of the records, those of the second batch behind */
    size_t counts_room;
    uint64_t *hashes;
    size_t n_hashes, hashes_room;
    uint64_t n_kmers;
    struct text lines;
    struct text
        chosen[2][2]; /* records [that match, or not] [of the first, or second file] */
    uint64_t n_records, n_matching, n_without, n_found, n_skipped;
    bool has_failed; /* memory did not suffice */
    size_t n_bytes;  /* of the batches */
};

struct kmer_job {
    /* Looks at an item, on any thread. NULL: there is nothing to do. */
    void (*work)(void *context, struct kmer_item *item);
    /* Takes it in, on the calling thread and in input order. Answers an exit status. */
    int (*consume)(void *context, struct kmer_item *item);
    void *context;
    size_t overlap; /* k - 1 */
    bool is_paired; /* files are in twos, and records of both go together */
    const char *progress;
};

/* What was read. */
struct kmer_input {
    uint64_t n_passed_over; /* alignments in BAM files that repeat a read */
};

/* Makes sure that all files can be opened: "-" is standard input, and so are none. */
int kmer_check_files(const struct args *args, char **files, size_t n_files);

/* Runs the job over all records of all files. Answers an exit status. */
int kmer_stream(char **files, size_t n_files, unsigned n_threads,
                const struct kmer_job *job, struct kmer_input *input);

/* ---- Hashes -------------------------------------------------------------------------------- */

/* Counts records, those shorter than k and windows of the first batch: n_records, n_without,
 * n_skipped, from which the k-mers that there are have still to be taken. On any thread. */
void kmer_count_records(const ninho_kmer_rule *rule, struct kmer_item *item);

/* The same, and the hashes of all k-mers. */
void kmer_hash_records(const ninho_kmer_rule *rule, const ninho_hasher *hasher,
                       struct kmer_item *item);

/* What the bag of them is, for messages. */
#define KMER_HASHES "the hashes of all k-mers"

/* ---- Results and records as text ----------------------------------------------------------- */

/* The line of a record: name, k-mers, found, fraction, between tabs or as a JSON object. */
void kmer_add_line(struct text *lines, const char *name, size_t name_size,
                   const ninho_kmer_count *count, bool as_json);

/* The header line of a record; a record as FASTQ or, if it has no quality, as FASTA, bases on one
 * line. */
void kmer_add_header(struct text *text, const ninho_kmer_record *record);
void kmer_add_record(struct text *text, const ninho_kmer_record *record);

#endif
