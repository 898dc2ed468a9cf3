/* SPDX-License-Identifier: MIT */
/* The choices of a cuckoo filter (docs/cuckoo.md) on the command line: as options, which imply and
 * contradict each other, and as words in reports. */
#ifndef CLI_CUCKOO_H
#define CLI_CUCKOO_H

#include <stdbool.h>
#include <stdint.h>

#include "args.h"
#include "json.h"

/* What does not go into a spec as it is given; 0 or false: not given. */
struct cuckoo_options {
    bool original;
    bool set;
    uint32_t bucket, window;
};

/* Is it a cuckoo filter, or one that grows by cuckoo filters? */
bool cuckoo_is(const ninho_spec *spec);

/* Checks the options of a spec for which cuckoo_is() holds, and writes into it what is not there, but
 * for `set`. Answers an exit status. */
int cuckoo_finish(const struct cuckoo_options *options, const struct args *args,
                  ninho_spec *spec);

/* The choices of a filter, whose spec this is: lines; or members of the object that is open, of which
 * spec_json() has written the fields. `n_slots` are those of its newest table; `is_set` where a dictionary beside it keeps each key
 * once. */
void cuckoo_text(const ninho_spec *spec, uint64_t n_slots, bool is_set);
void cuckoo_json(struct json *json, const ninho_spec *spec, bool is_set);

#endif
