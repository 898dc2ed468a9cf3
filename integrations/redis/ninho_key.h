/* SPDX-License-Identifier: MIT */
/* What the NINHO.* commands share. */
#ifndef NR_NINHO_KEY_H
#define NR_NINHO_KEY_H

#include "reply.h"

/* Keeps what follows SECRET, from argv[3] on, out of SLOWLOG and MONITOR. To be called before
 * anything can fail. */
void nr_ninho_hide_secret(const struct nr_args *args);

/* Reads 32 hexadecimal digits at argv[at]. False after an error. */
bool nr_ninho_read_secret(const struct nr_args *args, int at, struct nr_object *object);

#endif
