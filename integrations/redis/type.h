/* SPDX-License-Identifier: MIT */
/* The data type: what the server calls for files, copies, memory and digests. */
#ifndef NR_TYPE_H
#define NR_TYPE_H

#include "redis_module.h"

/* Registers it; REDISMODULE_ERR if the server refuses. */
int nr_type_create(RedisModuleCtx *ctx);

/* "BF.LOADCHUNK" and its likes, by face. */
const char *nr_loadchunk_name(unsigned face);

#endif
