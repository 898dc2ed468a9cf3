/* SPDX-License-Identifier: MIT */
/* Hyphenation as the monograph's experiment has it: words, exceptions, and ways to keep these, each of
 * which must write the same bytes.
 *
 *     word --> filter --> store of exceptions --> patterns --> breaks
 *              (any kind,  (memory, LMDB, the
 *               or none)    automaton, or none)
 */
#ifndef STUDY_HARNESS_HYPHENATION_H
#define STUDY_HARNESS_HYPHENATION_H

#include <ninho/ninho.h>

#include "apps/hyphen/exceptions.h"
#include "harness/words.h"
#include "study.h"

enum { HYPHEN_WORDS = 466550, HYPHEN_PATH = 4200 };

/* Where the exceptions are. */
enum hyphen_store {
    HYPHEN_NOWHERE,  /* there are none: what patterns alone cost */
    HYPHEN_COMPILED, /* in the automaton */
    HYPHEN_IN_MEMORY,
    HYPHEN_IN_LMDB
};

/* A way to keep them. */
struct hyphen_way {
    enum hyphen_store store;
    ninho_spec filter; /* kind 0: none */
};

struct hyphen_data {
    char patterns[HYPHEN_PATH];   /* a folder */
    char exceptions[HYPHEN_PATH]; /* ushyphex.tex */
    struct word_set set;          /* the whole list */
    struct word *words;           /* a sample of it, in its order */
    size_t n_words;
    size_t n_exceptions;
    ninho_hyphen_rules *rules;            /* patterns and exceptions */
    ninho_hyphen_language *patterns_only; /* the automaton without exceptions */
    char *output; /* room for the hyphenated words, line by line */
    size_t room;
    uint64_t sum_with;    /* hash of the output where exceptions are obeyed */
    uint64_t sum_without; /* and where there are none */
};

/* Reads what is needed and draws n_words of the list. Where something is missing it says so in the
 * answer and returns false. */
bool hyphen_data_open(const struct study *study, size_t n_words, struct answer *answer,
                      struct hyphen_data *data);
void hyphen_data_close(struct hyphen_data *data);

/* The exceptions as "ta-ble", one to a line, into a file; the words of the sample into another. */
void hyphen_write_exceptions(const struct hyphen_data *data, const char *path);
void hyphen_write_words(const struct hyphen_data *data, const char *path);

/* The exceptions' rules, without patterns; to be freed with ninho_hyphen_rules_free(). */
ninho_hyphen_rules *hyphen_read_exceptions(const struct hyphen_data *data);

/* A filter of that kind in the manner of the study: cuckoo_original is the cuckoo filter as it was
 * published, all others are as the library comes. Capacity: the number of exceptions. */
ninho_spec hyphen_filter(const struct hyphen_data *data, ninho_kind kind, double fpr,
                         uint64_t seed);
ninho_spec hyphen_cuckoo_original(const struct hyphen_data *data, double fpr,
                                  uint64_t seed);

/* What theory expects of the filter with that spec, holding n keys. */
double hyphen_theory(const ninho_spec *spec, double n);

struct hyphen_engine {
    ninho_hyphen_language *language;
    ninho_hyphen_exceptions *exceptions; /* NULL: no store */
    ninho_hyphenator *hyphenator;
    enum hyphen_store store;
    bool is_borrowed; /* the language is the data's */
};

/* Everything that a program does before its first word: reads patterns and exceptions, makes the
 * automaton, fills the store, builds the filter. `lmdb` is the file of an LMDB store, which must not be
 * there yet. Fails with the program. */
struct hyphen_engine hyphen_start(const struct hyphen_data *data,
                                  const struct hyphen_way *way, const char *lmdb);
/* The same with the automaton that is there already: for passes over the words. */
struct hyphen_engine hyphen_attach(const struct hyphen_data *data,
                                   const struct hyphen_way *way, const char *lmdb);
void hyphen_stop(struct hyphen_engine *engine);

/* Hyphenates every word of the sample, checks the output and the counters, and returns the seconds of
 * processor time it took. It does so twice, and of every stretch of 4,096 words the faster time counts:
 * when the machine is taken away in the middle, what comes after is slow for a while. */
double hyphen_pass(const struct hyphen_data *data, const struct hyphen_engine *engine,
                   ninho_hyphen_counters *counters);

/* Removes the LMDB file, its lock and its checksum. */
void hyphen_remove_lmdb(const char *path);

#endif
