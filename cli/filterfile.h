/* SPDX-License-Identifier: MIT */
/* Filters as files: opened with their key, changed under a lock, replaced with care. */
#ifndef CLI_FILTERFILE_H
#define CLI_FILTERFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "args.h"

/* How to open. */
struct open_filter_options {
    const char *key_file;
    bool no_huge;
    bool map; /* --mmap; the body's checksum is checked all the same */
};
extern const struct option key_file_options[]; /* --key-file */
extern const struct option pages_options[];    /* --no-huge */

enum sealed { SEALED_REFUSED, SEALED_ALLOWED };

/* Opens a filter, every checksum checked. A keyed one needs its key file (and an unkeyed one must
 * not be given any), unless sealed ones are allowed. Answers an exit status. */
int filter_open(const char *path, const struct open_filter_options *options,
                enum sealed sealed, ninho_filter **filter);

/* Waits until no other `ninho` changes this file, and keeps others waiting until the lock is
 * closed. *lock is the descriptor. Answers an exit status. */
int filter_lock(const char *path, int *lock);
void filter_unlock(int lock);

/* Refuses to replace what is not a filter, unless forced: who swaps two arguments should not lose
 * a file of words. Also finds out early whether the folder is there. Answers an exit status. */
int filter_check_target(const char *path, bool is_forced);

/* Saves, whole or not at all, also when a signal asks to end meanwhile. */
int filter_save(const ninho_filter *filter, const char *path);

#endif
