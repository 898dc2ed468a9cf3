/* SPDX-License-Identifier: MIT */
/* What a file holds, whichever it is: a filter, an exact dictionary, or a checked filter, which has
 * a dictionary beside it that knows what was added and how often. */
#ifndef CLI_SET_H
#define CLI_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keys.h"

struct set {
    ninho_file_id file;   /* that it was opened from */
    ninho_filter *filter; /* NULL: it is a dictionary */
    ninho_dict *dict;     /* that dictionary, or the one beside the filter; NULL: none */
    ninho_checked *checked; /* both of them, and then it owns them */
    bool has_sealed_beside; /* there is one beside the filter; its secret was not given */
};

void set_free(struct set *set);

int set_kind(const struct set *set);
/* NINHO_CAN_* bits of what it holds: a dictionary with a bound does not grow, say, and a cuckoo
 * filter that is a set does not remove. */
uint32_t set_can(const struct set *set);
/* Is there a dictionary beside the filter? */
bool set_is_checked(const struct set *set);

/* Does the dictionary beside a filter let each key in once? */
bool set_keeps_once(const struct set *set);

/* Puts the filter and the dictionary of its keys together. Answers an exit status. */
int set_join(struct set *set, const char *path, bool keeps_once);

/* Does a filter that stands alone store nothing for a key that seems to be there (NINHO_SET)? */
bool set_is_once(const struct set *set);

/* The option that limits what fits into the set, which has just refused n_more keys, for "make it with a
 * larger ..."; and where it was
 * copies of a key that did not fit, "" or "; ..." with what keeps more of them. Static. */
const char *set_limit(const struct set *set, uint64_t n_more);
const char *set_copies_advice(const struct set *set);

/* How lines become keys of the set; refuses what lines cannot express. Answers an exit status. */
int set_key_format(const struct set *set, const struct args *args,
                   const struct key_options *options, const char *path,
                   struct key_format *format);

/* Adds a key to a set that has a dictionary. (Filters alone take hashes, many at once.) *is_copy
 * tells whether the key was there already, after a failure too; where each is kept once nothing
 * has changed then. NINHO_OK; or NINHO_ERR_FULL, NINHO_ERR_NOMEM, NINHO_ERR_ARG (not
 * of the size that all keys have), and then nothing has changed. */
ninho_status set_add(struct set *set, const void *key, size_t key_size, bool *is_copy);

/* Takes out one copy of a key. NINHO_ERR_NOT_FOUND; NINHO_ERR_FORMAT if the dictionary beside a
 * filter has a key that the filter has not. */
ninho_status set_remove(struct set *set, const void *key, size_t key_size, uint64_t hash);

/* Makes sure that a dictionary can take in `n_bytes` of keys, were it to grow for them: that takes
 * a second table beside the first. Answers an exit status. */
int set_check_room(const struct set *set, const char *path, size_t n_bytes);

/* Adds all of `source` to `target`; the paths are for messages. Answers an exit status. */
int set_unite(struct set *target, const char *target_path, const struct set *source,
              const char *source_path);

/* Before a set is changed or united: a checked filter agrees with its dictionary, as set_verify()
 * says. The rest was verified when it was opened. Answers an exit status. */
int set_check_agreement(const struct set *set, const char *path);

/* Checks all that the families promise of their tables and, for a checked filter, that it takes
 * every key of its dictionary for a member. Answers an exit status. */
int set_verify(const struct set *set, const char *path);

#endif
