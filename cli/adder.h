/* SPDX-License-Identifier: MIT */
/* Keys into a set, in input order, with an account of those that did not fit. */
#ifndef CLI_ADDER_H
#define CLI_ADDER_H

#include "hashes.h"
#include "set.h"
#include "stream.h"

struct adder {
    struct set set;
    const char *path;     /* for messages */
    bool is_once;         /* a key that is in the dictionary already is passed over */
    struct hash_bag *bag; /* and the hashes of the others go here; NULL: nowhere */
    uint64_t n_read;
    uint64_t n_added;
    uint64_t n_copies;  /* refused, but the set has the key: nothing is lost */
    uint64_t n_refused; /* and the set has it not */
    bool is_full; /* at capacity, and one did not fit: copies are not tried any more */
};

/* Adds hashes to a filter; those that do not fit are counted. Answers an exit status. */
int adder_add(struct adder *adder, const uint64_t *hashes, size_t n);

/* Adds all keys of a reader, hashing on several threads. Answers an exit status. */
int adder_run(struct adder *adder, struct key_reader *reader,
              const struct key_format *format, unsigned n_threads);

/* Says how many did not fit, if any. EXIT_YES if all did. */
int adder_account(const struct adder *adder);

#endif
