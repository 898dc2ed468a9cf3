/* SPDX-License-Identifier: MIT */
/* The server's functions, found by name when the module is loaded. */
#include <string.h>

#include "redis_module.h"

struct redis_calls redis;

typedef int (*find_function)(const char *name, void *pointer);

const char *nr_redis_find_calls(RedisModuleCtx *ctx)
{
    find_function find;

    memcpy(&find, ctx, sizeof find); /* the first word of the context */
#define FIND(result, name, arguments)                                      \
    if (find("RedisModule_" #name, (void *)&redis.name) != REDISMODULE_OK) \
        return #name;
    REDISMODULE_CALLS(FIND)
    return NULL;
}
