/* SPDX-License-Identifier: MIT */
/* Sets as files: opened with their key, changed under a lock, replaced with care. */
#ifndef CLI_SETFILE_H
#define CLI_SETFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "args.h"
#include "set.h"

/* How to open. */
struct open_options {
    const char *key_file;
    bool no_huge;
    bool map; /* --mmap; the body's checksum is checked all the same */
    /* What to say of a file that is no good ninho file, if it is another that this command knows;
     * NULL from it, or for it: nothing else. */
    const char *(*advise)(const char *path);
};
extern const struct option key_file_options[]; /* --key-file */
extern const struct option pages_options[];    /* --no-huge */

/* May a keyed filter be opened without its key? (A keyed dictionary cannot.) */
enum sealed { SEALED_REFUSED, SEALED_ALLOWED };

/* Who only asks a filter needs no dictionary beside it. */
enum set_parts { SET_TO_ASK, SET_WHOLE };

/* Opens a filter or a dictionary, whichever the file holds, every checksum checked; "-" is standard
 * input, and pipes are read as they come. A keyed one
 * needs its key file (and an unkeyed one must not be given any), unless sealed ones are allowed.
 * Answers an exit status; if it is EXIT_YES the set is to be freed. */
int set_open(const char *path, const struct open_options *options, enum sealed sealed,
             enum set_parts parts, struct set *set);

/* Waits until no other `ninho` changes this file, and keeps others waiting until the lock is
 * closed. *lock is the descriptor. Answers an exit status. */
int set_lock(const char *path, int *lock);
void set_unlock(int lock);

/* Refuses to replace what is not a ninho file, unless forced: who swaps two arguments should not
 * lose a file of words. Also finds out early whether the folder is there. "-" is standard output, which
 * must not be a terminal. Answers an exit status. */
int set_check_target(const char *path, bool is_forced);

/* Saves, whole or not at all, also when a signal asks to end meanwhile. The dictionary beside a
 * filter becomes its attachment. */
int set_save(struct set *set, const char *path);
/* The same, into the file that it was opened from: refuses if another program, `ninho build` say,
 * has replaced that one in the meantime, whose keys would be lost. */
int set_save_back(struct set *set, const char *path);

#endif
