/* SPDX-License-Identifier: MIT */
/* The module: what happens when it is loaded. README.md says what it does. */
#include "commands.h"
#include "config.h"
#include "redis_module.h"
#include "type.h"

#include <ninho/ninho.h>

#define NAME "ninho"

static const RedisModuleCommandInfoVersion info_version = {
    .version = 1,
    .sizeof_historyentry = sizeof(RedisModuleCommandHistoryEntry),
    .sizeof_keyspec = sizeof(RedisModuleCommandKeySpec),
    .sizeof_arg = sizeof(void *), /* none is given */
};

static const struct command {
    const char *name;
    RedisModuleCommandFunc function;
    const char *flags;
    int arity, last_key, writes;
    const char *summary;
} commands[] = {
#define COMMAND(name, function, flags, arity, last_key, writes, summary) \
    {name, function, flags, arity, last_key, writes, summary},
    NR_COMMANDS(COMMAND)
#undef COMMAND
};

/* Arity and where the keys are, for COMMAND INFO, ACLs and the cluster. */
static int describe(RedisModuleCtx *ctx, const struct command *command)
{
    const uint64_t reads = REDISMODULE_KEY_RO | REDISMODULE_KEY_ACCESS;
    const uint64_t writes =
        REDISMODULE_KEY_RW | REDISMODULE_KEY_ACCESS | REDISMODULE_KEY_UPDATE;
    RedisModuleCommandKeySpec keys[3] = {
        {.flags = command->writes ? writes : reads,
         .begin_search_type = REDISMODULE_BEGIN_AT_INDEX,
         .bs.index.pos = 1,
         .find_keys_type = REDISMODULE_FIND_RANGE,
         .fk.range = {0, 1, 0}},
    };
    const RedisModuleCommandInfo info = {
        .version = &info_version,
        .summary = command->summary,
        .since = "0.1.0",
        .arity = command->arity,
        .key_specs = keys,
    };

    if (command->last_key < 0) { /* the sources */
        keys[1] = keys[0];
        keys[1].flags = reads;
        keys[1].bs.index.pos = 2;
        keys[1].fk.range.lastkey = -1;
    }
    return redis.SetCommandInfo(redis.GetCommand(ctx, command->name), &info);
}

/* The one name that the server looks for. */
__attribute__((visibility("default"))) int RedisModule_OnLoad(RedisModuleCtx *ctx,
                                                              RedisModuleString **argv,
                                                              int argc);

int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    /* Without these nothing can even be logged: a server before 7.0. */
    if (nr_redis_find_calls(ctx))
        return REDISMODULE_ERR;
    if (redis.IsModuleNameBusy(NAME)) {
        redis.Log(ctx, "warning", "a module " NAME " is loaded already");
        return REDISMODULE_ERR;
    }
    redis.SetModuleAttribs(ctx, NAME,
                           NINHO_VERSION_MAJOR * 10000 + NINHO_VERSION_MINOR * 100 +
                               NINHO_VERSION_PATCH,
                           REDISMODULE_API_VERSION);
    redis.SetModuleOptions(ctx, REDISMODULE_OPTION_HANDLE_IO_ERRORS |
                                    REDISMODULE_OPTION_NO_SIGNAL);
    if (nr_config_load(ctx, argv, argc) != REDISMODULE_OK ||
        nr_type_create(ctx) != REDISMODULE_OK)
        return REDISMODULE_ERR;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (redis.CreateCommand(ctx, commands[i].name, commands[i].function,
                                commands[i].flags, 1, commands[i].last_key,
                                1) != REDISMODULE_OK ||
            describe(ctx, &commands[i]) != REDISMODULE_OK) {
            redis.Log(ctx, "warning",
                      "%s: the server or a module has this command already",
                      commands[i].name);
            return REDISMODULE_ERR;
        }
    return REDISMODULE_OK;
}
