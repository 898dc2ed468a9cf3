/* SPDX-License-Identifier: MIT */
/* The peers of hyphenation: libhyphen, linked in where it was there at build time, and npm's
 * hypher, run by node. */
#ifndef BENCH_PEER_HYPHEN_H
#define BENCH_PEER_HYPHEN_H

#include <stdbool.h>
#include <stddef.h>

struct word {
    const char *text; /* not terminated */
    size_t size;
};

struct word_list {
    struct word *words;
    size_t n;
    char *bytes;    /* lines; NULL for a sample */
    size_t n_bytes; /* of the words with their newlines */
};

struct hyphen_peer {
    const char *name;
    const char *ratio; /* what our speed against it is called */
    const char *ratio_of_lines;
    double (*run)(void *peer); /* nanoseconds of processor time per word */
    void *dictionary;
    const struct word_list *words;
    char *lower; /* the words in small letters, as it wants them, each with a NUL */
    char *output;
};

/* libhyphen with its own English dictionary, and with one made of TeX's patterns, which is written
 * to `own_path`. Returns how many there are: 2, or 0 where it was not there. */
size_t list_hyphen_peers(struct hyphen_peer *peers, const char *patterns_folder,
                         const char *own_path, const struct word_list *words,
                         char *output);
void close_hyphen_peers(struct hyphen_peer *peers, size_t n_peers);

struct npm_peer {
    const char *name;
    const char *fpr; /* "0": no filter */
    const char *words;
    const char *exceptions;
    size_t n_words;
};

/* Whether there is node, and what tools/fetch-npm fetches. */
bool npm_is_there(void);

/* Nanoseconds per word, as bench/npm/hypher.js measures them itself: starting is not counted. */
double run_npm(void *peer);

#endif
