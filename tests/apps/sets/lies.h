/* SPDX-License-Identifier: MIT */
/* An exchange of which one side knows the protocol, tags every frame rightly, and lies. */
#ifndef NINHO_TESTS_SETS_LIES_H
#define NINHO_TESTS_SETS_LIES_H

#include "apps/sets/exchange.h"
#include "apps/sets/frames.h"

struct lie {
    void (*tell)(struct lie *lie, struct frames *said);
    unsigned direction; /* who lies: 0 the asker */
    uint64_t first;     /* of the frames said in this turn */
    uint64_t argument;
    struct test_rng rng;
    size_t n_told;
};

/* How it came out. */
struct end {
    ninho_status asker;
    ninho_status answerer;
    ninho_exchange_report report;
    char text[240]; /* why the side that was lied to has failed */
    size_t peak;    /* bytes that it had allocated */
};

/* Runs an exchange with a liar in it: items 0 .. n_here - 1 here, 10 .. 72 there. Whoever is done at
 * its end has the right answer, and nothing is left in memory. */
struct end lie_run_sized(const ninho_exchange_options *wish, struct lie *lie,
                         uint64_t n_here);

/* The same with 60 items here. */
struct end lie_run(const ninho_exchange_options *wish, struct lie *lie);

/* Options that ask for this. */
ninho_exchange_options lie_wish(ninho_sets_question question, ninho_sets_method method);

#endif
