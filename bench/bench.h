/* SPDX-License-Identifier: MIT */
/* What the parts of ninho-bench share: the keys, the variants that are measured on them, and the
 * document the results are written to.
 *
 * To add a peer, write its functions in a file of its own, fill a struct variant_ops with them and
 * add one line to list_variants(). A new kind of the library appears by itself. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ninho/ninho.h>

#include "measure.h"
#include "sets.h"

/* Prints "ninho-bench: ..." to stderr and exits with 2: a benchmark that cannot trust what it runs
 * must not print numbers. */
__attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...);

/* calloc that dies instead of answering NULL. */
void *allocate(size_t n, size_t size);

/* Tells a person at a terminal (stderr) how far `what` is. */
void show_progress(const char *what, size_t done, size_t of);

/* ---- Keys (workload.c) --------------------------------------------------------------------- */

#define KEY_BYTES 16

/* n keys of KEY_BYTES bytes, one after another. */
struct key_array {
    uint8_t *bytes;
    size_t n;
};

struct workload {
    double fpr;
    ninho_pages pages;
    struct key_array members; /* what is added */
    struct key_array hits;    /* of the same keys, in another order */
    struct key_array absent;  /* keys that are never added */
};

/* The x-th number of splitmix64: keys made from distinct numbers are distinct. */
static inline uint64_t mix64(uint64_t x)
{
    return ninho_splitmix64(&x);
}

/* n members, and of them and of absent keys as many, but no more than most_lookups. The same
 * numbers give the same keys everywhere. */
struct workload make_workload(size_t n, size_t most_lookups, double fpr,
                              ninho_pages pages);
void free_workload(struct workload *workload);

/* ---- Variants (variants.c, peer_*.c) ------------------------------------------------------- */

struct variant;

/* How one implementation is called. The timed functions go over a whole array of keys, hash them
 * (each with its own hash function), and return how many of them were answered "maybe". */
struct variant_ops {
    void (*create)(struct variant *variant, const struct workload *workload);
    void (*clear)(struct variant *variant);
    /* Of the four that are timed, those it has; the others are NULL. */
    void (*add_one)(struct variant *variant, const struct key_array *keys);
    void (*add_many)(struct variant *variant, const struct key_array *keys);
    size_t (*has_one)(struct variant *variant, const struct key_array *keys);
    size_t (*has_many)(struct variant *variant, const struct key_array *keys);
    /* Fills the facts, once the members are in. */
    void (*describe)(struct variant *variant);
    void (*destroy)(struct variant *variant);
};

enum { MAX_VARIANTS = 32 };

struct variant {
    char name[40];
    const struct variant_ops *ops;
    ninho_spec spec; /* for the library's own */
    void *state;     /* made by create, freed by destroy */
    /* facts */
    double bits_per_key;
    double fpr_promised;
    double fpr_expected;
    const char *pages; /* of the table: "huge" or "small" */
};

/* Fills variants[0..MAX_VARIANTS) with everything that can be measured here, the library's kinds
 * first, and returns how many there are. */
size_t list_variants(struct variant *variants, const struct workload *workload);

/* A filter of the library's own as a variant. */
void make_own_variant(struct variant *variant, const char *name, const ninho_spec *spec);

/* Debian's libbloom; `is_there` is false where ninho-bench was built without it. */
extern const bool libbloom_is_there;
extern const struct variant_ops libbloom_ops;
#define LIBBLOOM "libbloom"

/* Our bloom with exactly libbloom's bits and number of hashes. */
#define BLOOM_TWIN "bloom=libbloom"

/* The table libbloom makes for n keys: its bits and its number of hashes. */
uint64_t libbloom_bits(size_t n, double fpr);
uint32_t libbloom_hashes(double fpr);

/* ---- What is measured ---------------------------------------------------------------------- */

struct options {
    const char *json_path; /* NULL: none */
    const char *kinds;     /* names with commas; NULL: all */
    const char *ninho;     /* the command-line tool; NULL: the one beside ninho-bench */
    size_t n_keys;
    size_t most_lookups;
    size_t n_repetitions;
    size_t n_dict_keys;
    size_t n_dict_repetitions;
    size_t n_cli_repetitions;
    size_t n_cli_lines;
    size_t n_cli_set;
    const char *data; /* the folder of what was fetched */
    size_t n_hyphen_repetitions;
    double fpr;
    ninho_pages pages;
    size_t n_cuckoo_keys;
    size_t n_cuckoo_repetitions;
    bool fills; /* cuckoo: the load curve instead */
    size_t n_kmer_reads;
    size_t n_kmer_peer_reads; /* peers are asked no more of them */
    size_t n_kmer_large;      /* k-mers of the set beyond the cache; 0: none */
    size_t n_kmer_repetitions;
    size_t n_sets_lines;
    size_t n_sets_repetitions;
    bool is_quick, is_full; /* the sizes of all that is not said */
    bool no_huge;
    bool runs_all; /* no part was named */
};

struct report;

void bench_filters(const struct options *options, struct report *report); /* filters.c */
void bench_cuckoo(const struct options *options, struct report *report);  /* cuckoo.c */
void bench_dicts(const struct options *options, struct report *report);   /* dicts.c */
void bench_cli(const struct options *options, struct report *report);     /* cli.c */
void bench_kmer(const struct options *options, struct report *report);    /* kmer.c */
void bench_hyphen(const struct options *options, struct report *report);  /* hyphen.c */
void bench_threads(const struct options *options, struct report *report); /* threads.c */
void bench_sets(const struct options *options, struct report *report);    /* exchange.c */

/* ninho-bench relay LOG COMMAND...: see exchange.c. Answers the command's exit status. */
int relay(const char *log, char *const *command);

/* Whether `name` stands in the list of --kinds; "scalable" also means each of its bases. */
bool is_chosen(const char *kinds, const char *name); /* filters.c */

/* ---- The report (report.c) ----------------------------------------------------------------- */

enum operation { ADD, HIT, MISS, N_OPERATIONS };
enum manner { ONE, MANY, N_MANNERS };

/* What one variant did: nanoseconds per key, one number per repetition; samples NULL where the
 * variant has no such call. */
struct variant_result {
    const struct variant *variant;
    double *samples[N_OPERATIONS][N_MANNERS];
    double fpr_measured;
};

/* Measures all of them (filters.c). results[i] gets samples of its own. */
void measure_variants(const char *what, struct variant *variants, size_t n_variants,
                      const struct workload *workload, struct variant_result *results,
                      size_t n_repetitions);
/* Destroys the variants and frees the samples. */
void free_variants(struct variant *variants, struct variant_result *results, size_t n);

enum { N_COUNT_LOADS = 5 };
extern const double count_loads[N_COUNT_LOADS]; /* cuckoo.c */

/* What one configuration of a cuckoo filter came to, as a mean over seeds, and what it must. */
struct count_result {
    const char *name;
    uint32_t limit;
    double first_failure;        /* load */
    double moves[N_COUNT_LOADS]; /* per key; NAN where it did not come so far */
    double least_failure, least_moves, most_moves;
};

/* Inserts into an empty set, with and without room made beforehand (which counts too); then, on
 * the set that grew, the others. */
enum set_operation {
    SET_RESERVED,
    SET_GROWING,
    SET_HIT,
    SET_MISS,
    SET_REMOVE,
    N_SET_OPERATIONS
};

/* What one exact set did, as above. */
struct set_result {
    const char *name;
    bool is_ours;
    double *samples[N_SET_OPERATIONS][N_MANNERS];
    double bytes_per_key[N_SET_OPERATIONS]; /* after the inserts; 0: not known */
};

/* One ratio that was promised: of medians it is not, but of paired repetitions. */
struct ratio_result {
    const char *what;
    double target; /* 0: none */
    struct estimate ratio;
};

/* What one command did. */
struct command_result {
    const char *name;
    const double *cpu_seconds;
    const double *seconds;
    uint64_t n_lines; /* that it took for members */
};

/* One row of a table that has one number in each. */
struct row_result {
    const char *name;
    const double *samples;
    const char *remark;
};

/* What one command did with so many k-mers. */
struct rate_result {
    const char *name;
    const double *cpu_seconds;
    const double *seconds;
    uint64_t n_kmers;
    uint64_t n_found; /* 0: it does not tell */
};

/* One number that repetitions do not change, and the range in which it must be. */
struct fact_result {
    const char *what;
    double value;
    double least, most;
};

enum { MAX_EXCHANGE_RUNS = 99 };

/* What one exchange of two sets took: the most bytes and rounds, the median times of all runs. */
struct exchange_result {
    const char *what;
    char method[16];
    unsigned long long up, down;   /* bytes on the wire, to there and from there */
    unsigned long long rounds;     /* round trips beyond the greeting, seen on the wire */
    unsigned long long n_differ;   /* lines that are on one side only */
    unsigned long long n_found;    /* lines of the answer */
    unsigned long long file_bytes; /* of the smaller file */
    double cpu_here, cpu_there, seconds;
};

/* Opens the report: the machine line to stdout and, with a path, the JSON document. */
struct report *open_report(const struct options *options);
void report_variants(struct report *report, const char *id, const struct options *options,
                     const struct variant_result *results, size_t n_results);
void report_counts(struct report *report, uint64_t n_slots, unsigned tag_bits,
                   unsigned n_seeds, const struct count_result *results, size_t n);
const char *set_operation_name(enum set_operation operation);
void report_sets(struct report *report, const struct options *options, enum key_sort sort,
                 size_t n_lookups, const struct set_result *results, size_t n_results);
void report_commands(struct report *report, const struct options *options,
                     const struct command_result *results, size_t n_results);
void report_rows(struct report *report, const char *section, const char *unit,
                 const struct row_result *rows, size_t n_rows, size_t n_repetitions);
void report_rates(struct report *report, const char *id, const char *title,
                  const struct rate_result *results, size_t n_results,
                  size_t n_repetitions);
void report_facts(struct report *report, const char *id, const char *title,
                  const struct fact_result *facts, size_t n_facts);
void report_exchanges(struct report *report, size_t n_lines,
                      const struct exchange_result *results, size_t n_results,
                      size_t n_repetitions);
void report_ratios(struct report *report, const char *section,
                   const struct ratio_result *ratios, size_t n_ratios,
                   size_t n_repetitions);
void report_note(struct report *report, const char *note);
/* Ends the document; dies if it could not be written whole. */
void close_report(struct report *report);

#endif
