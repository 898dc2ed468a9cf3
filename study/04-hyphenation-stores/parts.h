/* SPDX-License-Identifier: MIT */
/* The parts of this question, and what they share. */
#ifndef STUDY_04_PARTS_H
#define STUDY_04_PARTS_H

#include "harness/csv.h"
#include "harness/hyphenation.h"
#include "harness/samples.h"

enum { STORES_NAME = 40, STORES_MAX_WAYS = 40 };

/* A way to keep exceptions, under its name. */
struct stores_way {
    char name[STORES_NAME];
    char filter[STORES_NAME]; /* "none" */
    struct hyphen_way way;
};

struct stores_experiment {
    const struct study *study;
    const char *folder;
    struct hyphen_data data;
    struct stores_way ways[STORES_MAX_WAYS];
    size_t n_ways;
    struct samples samples; /* of the ways, STORES_* fields */
};

/* The first two ways; the stores follow, and the families before each of them. */
enum { WAY_NONE, WAY_COMPILED };
enum { STORES_TOTAL_NS, STORES_ASKED, STORES_LOOKUPS, STORES_FOUND, STORES_FALSE };

/* The way with that filter before that store; fails with the program if there is none. */
size_t stores_find(const struct stores_experiment *e, ninho_kind kind,
                   enum hyphen_store store);

/* Value, low, high. */
void stores_put_interval(struct csv *csv, struct interval interval);

/* The delay of a lookup in the store at which a filter begins to pay, beyond what a lookup in memory
 * takes: (t_filter - t_memory) / (lookups_memory - lookups_filter), in nanoseconds; below 0 where it
 * pays already. */
struct interval stores_crossing(const struct stores_experiment *e, size_t way);

/* counts.csv: lookups in vain of every family at several rates, beside theory. */
void stores_count(const struct stores_experiment *e);

/* delay.csv: totals where a lookup takes 0 to 1 ms, computed from exact counts; delays are injected on a
 * sample of words. */
void stores_delay(const struct stores_experiment *e, struct answer *answer);

/* reject.csv: an absent key asked of the dictionary, of the filter, of both. Row A8. */
void stores_reject(const struct stores_experiment *e, struct answer *answer);

#endif
