/* SPDX-License-Identifier: MIT */
/* Two PostgreSQL servers and a join between them. integrations/postgres/measure/semijoin.py has the servers, in
 * a process of its own that is asked for one measurement after another through a pipe:
 *
 *     this process -- "count 100000 1000 500 32 0 0 list - 0" --> semijoin.py --> psql --> local server
 *                  <-- "500,123456,8213,27640,4,0" --                                       |  (bytes counted)
 *                                                                                     remote server
 *
 * It ends when the pipe is closed, so that whatever ends the study ends the servers. */
#ifndef STUDY_45_SERVERS_H
#define STUDY_45_SERVERS_H

#include <stdbool.h>
#include <stddef.h>

#include "study.h"

struct servers;

/* What is joined: so many remote rows, of which so many match one of so many keys. */
struct join {
    size_t n_remote;
    size_t n_keys;
    size_t n_matches;
    size_t width;    /* letters in a row, besides its key of seven digits */
    size_t draw;     /* other keys for each */
    bool is_indexed; /* the remote table, by its key */
};

enum way { PLAIN, LIST, FILTER, HELPER, ASKING, N_WAYS };

/* How it is joined. */
struct means {
    enum way way;
    const char *kind; /* of a filter */
    double fpr;
};

struct counted {
    double checksum; /* of the rows that came: equal for all ways */
    double sent;     /* bytes from the local server to the remote one */
    double received;
    double turns;        /* round trips */
    double bits_per_key; /* of the filter, in its own bytes; else 0 */
};

/* What ninho_semijoin_plan() says. */
struct planned {
    enum way way; /* PLAIN, LIST or FILTER */
    double fpr;
    double bytes;
};

/* Starts both servers: some seconds. NULL where there are none to be had: the answer says what is missing. */
struct servers *servers_start(const struct study *study, struct answer *answer);
void servers_stop(struct servers *servers);

/* The bytes that opening a connection takes. In what is counted and timed one is open already. */
double servers_connect_bytes(const struct servers *servers);

/* Joins once and counts the bytes; joins once without whatever counts and takes the milliseconds. Both fail
 * unless as many rows come as match. */
struct counted servers_count(struct servers *servers, const struct join *join,
                             const struct means *means);
double servers_time(struct servers *servers, const struct join *join,
                    const struct means *means, double *checksum);

/* What is planned for the true sizes. */
struct planned servers_plan(struct servers *servers, const struct join *join);

/* "plain", "list", "filter", "helper", "asking". */
const char *way_text(enum way way);

/* "cuckoo 0.01 %", or the way. */
void means_text(const struct means *means, char *text, size_t size);

#endif
