/* SPDX-License-Identifier: MIT */
/* The three parts of the question: where which way moves the fewest bytes; one join with filters of all
 * sizes; how long it takes. */
#ifndef STUDY_45_PARTS_H
#define STUDY_45_PARTS_H

#include "45-semijoin/servers.h"
#include "harness/samples.h"

/* ---- The map: bytes by the number of keys, the rows that match, and their width --------------- */

/* What was counted of one join. */
struct place {
    struct join join;
    double bytes[N_WAYS]; /* of FILTER: of the best that was tried */
    const struct means *filter;
    double filter_bits;
    enum way winner; /* PLAIN, LIST or FILTER, whichever moved the fewest bytes */
    struct planned planned;
};

struct map {
    size_t n_places;
    struct place
        *places; /* by width, then by rows that match, then by keys, all ascending */
};

struct map map_take(const struct study *study, const char *folder,
                    struct servers *servers);
void map_free(struct map *map);
void map_write(const struct map *map, const char *folder);
void map_tables(const struct map *map, struct answer *answer);

/* Bytes of the better of filter and list; those of the helper, or of the helper that has to ask, over them. */
double place_better(const struct place *place);
double place_excess(const struct place *place, enum way helper);

/* ---- One join, a key to a hundred rows, half of the keys matching ----------------------------- */

struct join usual_join(const struct study *study);

struct bits {
    struct join join;
    struct samples samples;
};

struct bits bits_take(const struct study *study, const char *folder,
                      struct servers *servers);
void bits_free(struct bits *bits);
void bits_write(const struct bits *bits, const char *folder);
void bits_table(const struct bits *bits, struct answer *answer);

/* How many times fewer bytes than the plain join the helper moves that has to ask. */
struct interval bits_gain(const struct bits *bits);

/* ---- Time ----------------------------------------------------------------------------------- */

enum size_of_join { FEW, USUAL, MOST, N_SIZES };

struct times {
    struct join joins[N_SIZES];
    struct samples samples; /* milliseconds */
    struct samples bytes;
};

struct times times_take(const struct study *study, const char *folder,
                        struct servers *servers);
void times_free(struct times *times);
void times_write(const struct times *times, const char *folder);
void times_table(const struct times *times, struct answer *answer);

/* Time of one way over that of the plain join of the same size; an index on the remote key or none. */
struct interval times_ratio(const struct times *times, enum size_of_join size,
                            enum way way, bool is_indexed);

/* Median milliseconds, and bytes. */
double times_ms(const struct times *times, enum size_of_join size, enum way way,
                bool is_indexed);
double times_bytes(const struct times *times, enum size_of_join size, enum way way,
                   bool is_indexed);

#endif
