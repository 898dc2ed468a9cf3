/* SPDX-License-Identifier: MIT */
/* What the two routing commands share: a simulation that does not know whether it runs in a tree or in
 * a square, its options, and what it tells. */
#ifndef CLI_CMD_ROUTE_H
#define CLI_CMD_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/routing/network.h"
#include "apps/routing/tree.h"
#include "args.h"
#include "json.h"
#include "outfile.h"

extern const struct command route_tree, route_geo;

/* ---- Options ------------------------------------------------------------------------------- */

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

/* The options that make a network, which go with no file. */
extern const char *const route_generator_options[];

/* ---- The model ----------------------------------------------------------------------------- */

/* What a request comes to. */
struct route_answer {
    ninho_route_outcome outcome;
    uint64_t hops, wrong_turns, questions;
};

struct route_run;

/* A tree or a square. Places are numbered: nodes, or cells row by row. */
struct route_model {
    void *network; /* ninho_route_tree or ninho_route_geo */
    uint32_t n_places;
    ninho_status (*place)(void *network, uint32_t at, uint64_t hash);
    ninho_status (*build)(void *network, ninho_error *error);
    ninho_status (*add)(void *network, uint32_t at, uint64_t hash);
    ninho_status (*remove)(void *network, uint32_t at, uint64_t hash);
    ninho_status (*move)(void *network, uint32_t from, uint32_t to, uint64_t hash);
    ninho_status (*refresh)(void *network, ninho_error *error);
    ninho_status (*claim)(void *network, uint32_t at, const ninho_filter *filter);
    struct route_answer (*find)(const void *network, uint32_t from, uint64_t hash,
                                uint64_t ttl);
    uint64_t (*distance)(const void *network, uint32_t from, uint64_t hash);
    ninho_status (*info)(const void *network, ninho_route_tree_info *info);
    /* Where something goes from here: `random` chooses. */
    uint32_t (*step)(const struct route_model *model, uint32_t from, uint64_t random);
    /* The distance to the nearest of these places, found without the library: breadth first. `queue`
     * and `distances` have room for n_places. UINT64_MAX: there is none. */
    uint64_t (*oracle)(const struct route_model *model, uint32_t from,
                       const uint32_t *places, size_t n_places, uint32_t *queue,
                       uint32_t *distances);
    /* Draws the way of a request. */
    void (*draw)(const struct route_run *run, uint32_t from, uint64_t hash,
                 struct text *svg);
    const ninho_route_network *file; /* NULL: generated */
    const char *place_word, *thing_word,
        *request_word; /* "node", "resource", "request" */
};

/* ---- The simulation ------------------------------------------------------------------------ */

/* What is where, as the simulation knows it. */
struct route_thing {
    uint64_t hash;
    uint32_t at;
};

struct route_tally {
    uint64_t n_requests, n_delivered, n_absent, n_expired, n_lost;
    uint64_t hops, shortest; /* of those delivered */
    uint64_t most_hops;
    uint64_t wrong_turns, n_with_wrong_turn, questions;
    uint64_t n_checked, n_disagreed; /* with the oracle */
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
    const struct route_options *options;
    struct route_model *model;
    unsigned n_threads;
    struct route_thing *things; /* all that there are by now */
    size_t n_things, things_room;
    struct route_thing *gone; /* those that left */
    size_t n_gone, gone_room;
    uint64_t n_ever; /* things made so far: the next one's number */
    uint64_t random; /* state of the changes' generator */
    struct route_phase phases[ROUTE_MAX_PHASES];
    size_t n_phases;
    struct text svg;
    struct outfile picture; /* where it goes */
    const char *path;       /* of the file, for messages */
    uint64_t name_bytes;
};

/* Opens the picture's file, so that what cannot be written is said before the work. */
int route_open_picture(struct route_run *run);

/* Makes the generator's network in the model, which is there and empty: `n_copies` of each of
 * n_things. Then requests, changes, requests. */
int route_generate(struct route_run *run, uint64_t n_things, uint64_t n_copies);
/* Carries out what the file says. */
int route_follow(struct route_run *run);
void route_run_free(struct route_run *run);

/* "" for one, "s" for other numbers. */
const char *plural(uint64_t n);

/* Prints the phases; writes the picture. `describe` tells about the network itself. */
int route_report(struct route_run *run, const ninho_route_tree_options *filters,
                 void (*describe_text)(const struct route_run *run),
                 void (*describe_json)(const struct route_run *run, struct json *json));

/* ---- What else is shared ------------------------------------------------------------------- */

/* A well mixed number from a seed and up to three others: the same on every machine. */
uint64_t route_random(uint64_t seed, uint64_t a, uint64_t b);

/* Reads a file of either format; "-" is standard input. */
int route_read(const struct command *command, const char *path, bool is_square,
               uint64_t seed, ninho_route_network *network);

/* Checks the arguments, and opens what there is to open, before anything is made. */
int route_check_args(const struct args *args, const struct route_options *options);

/* The filters, as options say. */
ninho_route_tree_options route_filters(const struct route_options *options);

/* Is there memory for n_links filters over n_keys keys in all, and for n_held things? */
int route_check_memory(const ninho_route_tree_options *filters, uint64_t n_links,
                       double n_keys, uint64_t n_held);

void svg_format(struct text *svg, const char *format, ...) PRINTF_LIKE(2, 3);
/* Text with what means something in XML escaped, cut after so many characters. */
void svg_text(struct text *svg, const char *text, size_t most);
void svg_begin(struct text *svg, double width, double height, const char *title);
void svg_end(struct text *svg);

/* The colours of all pictures. */
#define SVG_INK   "#1f2933"
#define SVG_PALE  "#c5ced8"
#define SVG_PAPER "#fbfcfd"
#define SVG_ROUTE "#0b6bcb"
#define SVG_WRONG "#d9480f"
#define SVG_FROM  "#0b6bcb"
#define SVG_GOAL  "#2b8a3e"

#endif
