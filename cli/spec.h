/* SPDX-License-Identifier: MIT */
/* The options that say what filter to make, for plan, create and build. The families' own options
 * are one table in spec.c: an option of a new family is a line there and nothing elsewhere. */
#ifndef CLI_SPEC_H
#define CLI_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "args.h"

#define MAX_META 64

struct spec_options {
    ninho_spec spec;
    const char *key_file;
    bool no_huge;
    uint8_t secret[NINHO_SECRET_BYTES];
    const char *meta[MAX_META]; /* NAME=VALUE */
    size_t n_meta;
};

#define SPEC_OPTIONS_INIT       \
    {                           \
        .spec = NINHO_SPEC_INIT \
    }

/* Tables over struct spec_options: --kind --capacity --fpr; --seed --hash --key-file --type
 * --meta; and the families' own with --no-huge. */
extern const struct option size_options[];
extern const struct option identity_options[];
extern const struct option family_options[];

/* Completes the spec from what was given (defaults, the key file, what contradicts what); the
 * capacity may still be 0. Answers an exit status. */
int spec_finish(struct spec_options *options, const struct args *args);

/* Refuses a capacity that is 0 or beyond what the library promises, with the bytes it would take. */
int spec_check_capacity(const struct spec_options *options, const struct args *args);

/* Puts the --meta pairs into a filter. Answers an exit status. */
int spec_set_meta(const struct spec_options *options, const struct command *command,
                  ninho_filter *filter);

#endif
