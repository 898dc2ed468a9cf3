/* SPDX-License-Identifier: MIT */
/* Keys into a set, in input order, with an account of those that did not fit. */
#ifndef CLI_ADDER_H
#define CLI_ADDER_H

#include "hashes.h"
#include "set.h"

struct adder {
    struct set set;
    const char *path;     /* for messages */
    bool is_once;         /* a key that is in the dictionary already is passed over */
    struct hash_bag *bag; /* and the hashes of the others go here; NULL: nowhere */
    bool is_distinct;     /* no key comes twice: one that does not fit is missing */
    uint64_t n_read;
    uint64_t n_added;  /* and stored */
    uint64_t n_there;  /* there already, or seem to be, and a set has a key once */
    uint64_t n_copies; /* no room for one more; a dictionary says that it is a copy, or */
    uint64_t n_seem;   /* the filter says maybe: a copy, or a false positive */
    uint64_t n_refused; /* no room, and not there */
    bool
        is_full; /* at capacity, and many did not fit: what is there is not tried any more */
};

/* Adds hashes to a filter; those that do not fit are counted. Answers an exit status. */
int adder_add(struct adder *adder, const uint64_t *hashes, size_t n);

/* Adds all keys of a reader, hashing on several threads. Answers an exit status. */
int adder_run(struct adder *adder, struct key_reader *reader,
              const struct key_format *format, unsigned n_threads);

/* Those that were not stored since they are there already, or seem to be. */
uint64_t adder_not_stored(const struct adder *adder);

/* Says how many did not fit, if any. EXIT_YES if all did. */
int adder_account(const struct adder *adder);

#endif
