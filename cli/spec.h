/* SPDX-License-Identifier: MIT */
/* The options that say what to make, for plan, create and build: a filter, an exact dictionary, or
 * a filter with a dictionary beside it. The families' own options are one table in spec_options.c,
 * whether they go to the filter's spec or to the dictionary's: an option of a new family is a line
 * there and nothing elsewhere. */
#ifndef CLI_SPEC_H
#define CLI_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "args.h"
#include "cuckoo.h"
#include "json.h"
#include "kinds.h"
#include "set.h"

#define MAX_META         64
#define MAX_CAPACITY     (UINT64_C(1) << 48)
#define MAX_TABLE_BUCKET 8 /* of a cuckoo table */

struct spec_options {
    int kind;             /* of a filter or of a dictionary */
    bool has_fpr;         /* --fpr was given */
    bool checked;         /* a filter with a dictionary beside it */
    bool keeps_once;      /* which lets each key in once: --set with --checked */
    ninho_spec spec;      /* the filter, where the kind is one */
    ninho_dict_spec dict; /* the dictionary, where the kind is one or one stands beside */
    struct cuckoo_options cuckoo;
    const char *key_file;
    bool no_huge;
    uint8_t secret[NINHO_SECRET_BYTES];
    const char *meta[MAX_META]; /* NAME=VALUE */
    size_t n_meta;
    ninho_plan plan; /* of the filter, once its capacity is known: */
    bool is_planned;
};

#define SPEC_OPTIONS_INIT                                     \
    {                                                         \
        .spec = NINHO_SPEC_INIT, .dict = NINHO_DICT_SPEC_INIT \
    }

/* Tables over struct spec_options: --kind --capacity --fpr; --seed --hash --key-file --meta; --type
 * --checked, where keys are lines; and the families' own with --no-huge. */
extern const struct option size_options[];
extern const struct option identity_options[];
extern const struct option line_options[];
extern const struct option family_options[];

/* Where no capacity was given, makes it a filter that grows: kind scalable, by filters of the kind that
 * was given, or of the default. Refused are kinds that sub-filters cannot be, and options of a table of one
 * size. Before spec_finish(). Answers an exit status. */
int spec_grow(struct spec_options *options, const struct args *args);

/* Completes the specs from what was given (defaults, the key file, what contradicts what); the
 * capacity may still be 0. Answers an exit status. */
int spec_finish(struct spec_options *options, const struct args *args);

/* Refuses a capacity beyond what the library promises, with the bytes it would take. */
int spec_check_capacity(const struct spec_options *options, const struct args *args);

/* Plans the filter: once, when the capacity is known. Before that it finds out whether such a
 * filter can be made at all. Refused, with the option to change, is what the library refuses, an
 * --fpr that a table made by hand cannot keep, and --checked where nothing can be removed. Answers
 * an exit status. */
int spec_plan(struct spec_options *options, const struct command *command);

/* What is made has a dictionary. */
bool spec_has_dict(const struct spec_options *options);

/* Makes the filter, having made sure that there is memory for it; or the dictionary. Answer an exit
 * status. */
int spec_create_filter(struct spec_options *options, const struct command *command,
                       const char *path, struct set *set);
int spec_create_dict(const struct spec_options *options, const char *path,
                     struct set *set);

/* Finds out what the filter takes before anything of that size is allocated; `besides` is what making it
 * takes beside the filter. */
int spec_check_memory(struct spec_options *options, const struct command *command,
                      const char *path, uint64_t besides);

/* Puts the --meta pairs into a filter, and what the tool itself must remember. Answers an exit
 * status. */
int spec_set_meta(const struct spec_options *options, ninho_filter *filter);

/* ---- Fields and options -------------------------------------------------------------------- */

/* "--tag-bits" for NINHO_FIELD_TAG_BITS; the field's own name where that is a word ("fpr"), or where
 * there is no option. */
void field_option(ninho_field field, char *name, size_t name_size);

/* The word for a value of a field that is a choice: "windows". Static. */
const char *field_word(ninho_field field, int value);

/* The fields that only some kinds have, as members of the object that is open; but for those that
 * every report has. */
void spec_json(struct json *json, const ninho_spec *spec);

/* The first option there that is not for this kind; NULL if there is none. */
const struct option *args_not_for(const struct args *args, int kind);

/* Refuses options that are for other kinds than this one. Answers an exit status. */
int args_check_kind(const struct args *args, int kind);

/* The first option there that is not for all filters, but for this kind (0: any); NULL if there is
 * none. */
const struct option *args_particular(const struct args *args, int kind);

#endif
