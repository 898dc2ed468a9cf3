/* SPDX-License-Identifier: MIT */
/* What building a set has in common, whether its keys are lines or k-mers: options, the filter from
 * hashes, the numbers and the file at the end. */
#ifndef CLI_BUILDING_H
#define CLI_BUILDING_H

#include <stdbool.h>

#include "adder.h"
#include "hashes.h"
#include "spec.h"

struct build_options {
    const char *output; /* NULL: it is the first operand */
    bool stats;
    bool json;
    bool force;
};
extern const struct option build_options[];

/* How the keys of a set with this spec are hashed. */
ninho_hasher build_hasher(const ninho_spec *spec);

/* Makes the filter for all hashes of a bag, which are distinct, and puts them in, whether its kind
 * can add or is only built; for as many as there are, if no capacity was given. What does not fit is
 * counted in the adder. Answers an exit status. */
int build_filter(struct spec_options *spec, const struct command *command,
                 const struct hash_bag *bag, struct adder *adder);

/* Refuses numbers on standard output where the set goes there. Answers an exit status. */
int build_check_output(const struct args *args, const struct build_options *options);

/* Prints the numbers, if they were asked for, and saves the set: whoever cannot have the one has
 * not the other either, nor is there a file if a key did not fit. Answers an exit status. */
int build_finish(struct adder *adder, const struct build_options *options,
                 void (*print)(const void *context, bool as_json), const void *context);

#endif
