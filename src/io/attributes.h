/* SPDX-License-Identifier: MIT */
/* What a file keeps when it is replaced: owner, group, mode, access control list. */
#ifndef NH_IO_ATTRIBUTES_H
#define NH_IO_ATTRIBUTES_H

#ifndef _WIN32 /* windows.c has its own */

#include <sys/stat.h>

#include <ninho/status.h>

/* Gives the open, empty file what `target`, of which *like is the stat, has. NINHO_ERR_IO if
 * something cannot be given; the text says what. */
ninho_status nh_attributes_copy(int descriptor, const char *target,
                                const struct stat *like, ninho_error *error);

/* Writing takes setuid and setgid away from whoever is not privileged: puts them back. The owner
 * and the group are those the bits were meant for, or the file would not have been begun. */
int nh_attributes_settle(int descriptor, mode_t mode);

#endif

#endif
