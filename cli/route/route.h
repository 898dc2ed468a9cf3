/* SPDX-License-Identifier: MIT */
/* ninho route: a simulation that does not know whether it runs in a tree or in a square, its
 * options, and what it tells. */
#ifndef CLI_ROUTE_ROUTE_H
#define CLI_ROUTE_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/routing/network.h"
#include "apps/routing/tree.h"
#include "args.h"
#include "json.h"
#include "outfile.h"

struct route_options {
    int kind;
    double fpr;
    uint64_t seed;
    uint64_t n_requests, ttl, n_join, n_leave, n_moves, n_hostile;
    uint64_t name_bytes; /* 0: 16, or what the names in the file have */
    uint64_t draw;       /* 0: one with a wrong turn, if there is one */
    double absent;       /* share of requests for what is not there */
    const char *svg;
    bool json, csv, check;
};
extern const struct option route_options[];

/* ---- The model ----------------------------------------------------------------------------- */

/* What a request comes to. */
struct route_answer {
    ninho_route_outcome outcome;
    uint64_t hops, wrong_turns, questions;
};

enum route_change { ROUTE_PLACE, ROUTE_ADD, ROUTE_REMOVE, ROUTE_MOVE };

/* Not there: where a device of a file is before it comes and after it left; and past the last
 * neighbour. */
#define ROUTE_NOWHERE UINT32_MAX

struct route_run;

/* A tree or a square. Places are numbered: nodes, or cells row by row. */
struct route_model {
    /* Makes the network, empty: of the file, if there is one, or as `own` options say. Answers an
     * exit status, and how many things with how many copies the generator is to place. */
    int (*make)(struct route_run *run, const void *own, uint64_t *n_things,
                uint64_t *n_copies);
    void (*unmake)(void *network);
    /* `to` is for ROUTE_MOVE. */
    ninho_status (*change)(void *network, enum route_change what, uint32_t at,
                           uint32_t to, uint64_t hash);
    ninho_status (*build)(void *network, ninho_error *error);
    ninho_status (*refresh)(void *network, ninho_error *error);
    ninho_status (*claim)(void *network, uint32_t at, const ninho_filter *filter);
    struct route_answer (*find)(const void *network, uint32_t from, uint64_t hash,
                                uint64_t ttl);
    uint64_t (*distance)(const void *network, uint32_t from, uint64_t hash);
    bool (*holds)(const void *network, uint32_t at, uint64_t hash);
    ninho_status (*info)(const void *network, ninho_route_tree_info *info);
    /* The number-th place that has a link to this one; itself where there is none that way. */
    uint32_t (*neighbour)(const struct route_model *model, uint32_t at, uint32_t number);
    /* Where something goes from here: `random` chooses. */
    uint32_t (*step)(const struct route_model *model, uint32_t from, uint64_t random);
    /* Draws the way of a request. */
    void (*draw)(const struct route_run *run, uint32_t from, uint64_t hash,
                 struct text *svg);
    void (*describe_text)(const struct route_run *run);
    void (*describe_json)(const struct route_run *run, struct json *json);
    bool is_square;
    void *network; /* ninho_route_tree or ninho_route_geo */
    uint32_t n_places;
};
extern const struct route_model route_tree_model, route_geo_model;

/* ---- The simulation ------------------------------------------------------------------------ */

/* What is where, as the simulation knows it. */
struct route_thing {
    uint64_t hash;
    uint32_t at;
};

struct route_things {
    struct route_thing *list;
    size_t n, room;
};

struct route_request {
    uint32_t from;
    uint64_t hash;
};

struct route_tally {
    uint64_t n_requests, n_delivered, n_absent, n_expired, n_lost;
    uint64_t hops, shortest; /* of those delivered */
    uint64_t most_hops;
    uint64_t wrong_turns, n_with_wrong_turn, questions;
    uint64_t n_checked, n_disagreed; /* with a breadth-first search */
    uint64_t first_wrong; /* the first request with a wrong turn, from 1; 0: none */
};

/* One round of requests, and what everything had cost by then. */
struct route_phase {
    const char *name;
    struct route_tally tally;
    ninho_route_tree_info info;
};

#define ROUTE_MAX_PHASES 3

struct route_run {
    const struct command *command;
    const struct route_options *options;
    struct route_model model;
    ninho_route_tree_options filters;
    const ninho_route_network *file; /* NULL: generated */
    const char *path;                /* of the file, for messages */
    unsigned n_threads;
    struct route_things things, gone; /* all that there are by now, and those that left */
    uint64_t n_copies;                /* of each thing of the generator */
    uint64_t n_ever;                  /* things made so far: the next one's number */
    uint64_t random;                  /* state of the changes' generator */
    struct route_phase phases[ROUTE_MAX_PHASES];
    size_t n_phases;
    double check_visits; /* of a file's requests, so far */
    struct text svg;
    struct outfile picture; /* where it goes */
    uint64_t name_bytes;
};

/* All answer an exit status. */

/* Fills the generator's network: `n_copies` of each of n_things. Then requests, changes, requests. */
int route_generate(struct route_run *run, uint64_t n_things, uint64_t n_copies);
/* Carries out what the file says. */
int route_follow(struct route_run *run);
/* Prints the phases; writes the picture. */
int route_report(struct route_run *run);

/* What the generator and files share. */

/* Sends a request, the number-th from 0, and counts what comes of it. */
void route_count(struct route_tally *tally, const struct route_run *run,
                 struct route_request request, uint64_t number);
/* Compares a request of a file with a breadth-first search, while visits are left for that. */
int route_check_one(struct route_run *run, struct route_tally *tally,
                    struct route_request request);
int route_draw(struct route_run *run, struct route_request request);
/* Appends; false if there is no memory. */
bool route_remember(struct route_things *things, uint64_t hash, uint32_t at);
/* Says what the library answered. */
int route_failed(ninho_status status, const ninho_error *error);

/* A well mixed number from a seed and two others: the same on every machine. */
uint64_t route_random(uint64_t seed, uint64_t a, uint64_t b);

/* Is there memory for n_links filters over n_keys keys in all, and for n_held things? */
int route_check_memory(const ninho_route_tree_options *filters, uint64_t n_links,
                       double n_keys, uint64_t n_held);

/* "" for one, "s" for other numbers. */
const char *plural(uint64_t n);

/* The two commands: options of their own, and the model. */
int route_main(const struct command *command, int argc, char **argv,
               const struct route_model *model, void *own,
               int (*check)(const struct args *args, const struct route_options *options,
                            void *own, ninho_route_tree_options *filters));
extern const struct command route_tree, route_geo;

#endif
