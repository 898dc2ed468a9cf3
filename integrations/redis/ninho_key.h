/* SPDX-License-Identifier: MIT */
/* What the NINHO.* commands share. */
#ifndef NR_NINHO_KEY_H
#define NR_NINHO_KEY_H

#include "reply.h"

/* Reads 32 hexadecimal digits at argv[at], and keeps them out of SLOWLOG and MONITOR. False
 * after an error. */
bool nr_ninho_read_secret(const struct nr_args *args, int at, struct nr_object *object);

#endif
