/* SPDX-License-Identifier: MIT */
/* What the two files of the stand-in share. */
#ifndef NINHO_FUZZ_REDIS_INSIDE_H
#define NINHO_FUZZ_REDIS_INSIDE_H

#include "redis_server.h"

enum { MAX_DEPTH = 8 };

struct RedisModuleCtx {
    struct server *server;
    size_t n_replies;
    long open
        [MAX_DEPTH]; /* elements that are missing; below 0: counted down from -1, postponed */
    size_t depth;
};

struct RedisModuleIO {
    struct rdb_value *value;
    size_t at;
    bool is_error;
    RedisModuleCtx ctx;
};

extern RedisModuleTypeMethods *type_methods; /* as they were registered */

/* Never NULL. */
void *allocate(size_t size);
void *reallocate(void *memory, size_t size);

/* Fills in the calls that read and write values. */
void values_begin(void);

#endif
