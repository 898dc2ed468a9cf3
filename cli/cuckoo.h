/* SPDX-License-Identifier: MIT */
/* The choices of a cuckoo filter (docs/cuckoo.md) on the command line: as options, which imply and
 * contradict each other, and as words in reports. */
#ifndef CLI_CUCKOO_H
#define CLI_CUCKOO_H

#include <stdbool.h>
#include <stdint.h>

#include "args.h"
#include "json.h"

/* As given; 0 or false: not given. */
struct cuckoo_options {
    bool original;
    bool set;
    int slots, choice, search, pairing;
    uint32_t bucket, window;
};

/* What 1, 2, ... are called, NULL after the last. */
extern const char *const slots_words[];
extern const char *const choice_words[];
extern const char *const search_words[];
extern const char *const pairing_words[];
const char *cuckoo_word(const char *const *words, int value);

/* Is it a cuckoo filter, or one that grows by cuckoo filters? */
bool cuckoo_is(const ninho_spec *spec);

/* Writes the options into a spec for which cuckoo_is() holds, but for `set`. Answers an exit
 * status. */
int cuckoo_finish(const struct cuckoo_options *options, const struct args *args,
                  ninho_spec *spec);

/* The choices of a filter, whose spec this is: lines, or members of the object that is open.
 * `n_slots` are those of its newest table; `is_set` where a dictionary beside it keeps each key
 * once. */
void cuckoo_text(const ninho_spec *spec, uint64_t n_slots, bool is_set);
void cuckoo_json(struct json *json, const ninho_spec *spec, bool is_set);

#endif
