/* SPDX-License-Identifier: MIT */
/* Keys into a filter, in input order, with an account of those that did not fit. */
#ifndef CLI_ADDER_H
#define CLI_ADDER_H

#include "keys.h"
#include "stream.h"

struct adder {
    ninho_filter *filter;
    uint64_t n_read;
    uint64_t n_added;
    uint64_t n_copies;  /* refused, but the filter has the key: nothing is lost */
    uint64_t n_refused; /* and the filter says "certainly not" */
};

/* Adds hashes; those that do not fit are counted. Answers an exit status. */
int adder_add(struct adder *adder, const uint64_t *hashes, size_t n);

/* Adds all keys of a reader, hashing on several threads. Answers an exit status. */
int adder_run(struct adder *adder, struct key_reader *reader,
              const struct key_format *format, unsigned n_threads);

/* Says how many did not fit, if any. EXIT_YES if all did. */
int adder_account(const struct adder *adder, const char *path);

#endif
