/* SPDX-License-Identifier: MIT */
#include "reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../common/checked.h"
#include "config.h"
#include "opaque.h"

struct nr_args nr_begin(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const int accepted = REDISMODULE_CTX_REPLICATED | REDISMODULE_CTX_LOADING;
    const bool has_limits = !(redis.GetContextFlags(ctx) & accepted);

    nr_cap = has_limits ? (size_t)nr_config.max_key_bytes : 0;
    return (struct nr_args){ctx, argv, argc, has_limits};
}

enum nr_found nr_open(const struct nr_args *args, int at, int mode, unsigned face,
                      RedisModuleKey **key, struct nr_object **object)
{
    *object = NULL;
    *key = redis.OpenKey(args->ctx, args->argv[at], mode);
    if (!*key || redis.KeyType(*key) == REDISMODULE_KEYTYPE_EMPTY)
        return NR_MISSING;
    if (redis.ModuleTypeGetType(*key) == nr_type) {
        struct nr_object *found = redis.ModuleTypeGetValue(*key);
        if (found->opaque) {
            nr_opaque_reply(args->ctx, found->opaque);
            goto replied;
        }
        if (!face || found->face == face) {
            if (!nr_object_is_loading(found)) {
                *object = found;
                return NR_FOUND;
            }
            redis.ReplyWithError(
                args->ctx,
                "ERR the filter is still being loaded: send the chunks left, or "
                "delete the key");
            goto replied;
        }
    }
    redis.ReplyWithError(args->ctx, REDISMODULE_WRONGTYPE);
replied:
    nr_close(*key);
    *key = NULL;
    return NR_REPLIED;
}

void nr_close(RedisModuleKey *key)
{
    if (key)
        redis.CloseKey(key);
}

void nr_store(RedisModuleKey *key, struct nr_object *object)
{
    redis.ModuleTypeSetValue(key, nr_type, object);
}

void nr_update(RedisModuleKey *key, struct nr_object *object)
{
    void *old;

    if (redis.KeyType(key) == REDISMODULE_KEYTYPE_EMPTY ||
        redis.ModuleTypeReplaceValue(key, nr_type, object, &old) != REDISMODULE_OK)
        nr_store(key, object);
    else
        nr_object_free(old);
}

void nr_touched(const struct nr_args *args)
{
    redis.SignalModifiedKey(args->ctx, args->argv[1]);
}

void nr_changed(const struct nr_args *args)
{
    nr_touched(args);
    redis.ReplicateVerbatim(args->ctx);
}

void nr_changed_by(const struct nr_args *args, const char *command, const char *word,
                   RedisModuleString **items, const int8_t *answers, size_t n)
{
    RedisModuleString **added = redis.Alloc(n * sizeof *added);
    size_t n_added = 0;

    for (size_t i = 0; i < n; i++)
        if (answers[i] == 1)
            added[n_added++] = items[i];
    nr_touched(args);
    if (word)
        redis.Replicate(args->ctx, command, "scv", args->argv[1], word, added, n_added);
    else
        redis.Replicate(args->ctx, command, "sv", args->argv[1], added, n_added);
    redis.Free(added);
}

static void send_error(RedisModuleCtx *ctx, const char *format, va_list values)
{
    char text[400];

    vsnprintf(text, sizeof text, format, values);
    redis.ReplyWithError(ctx, text);
}

int nr_error(RedisModuleCtx *ctx, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    send_error(ctx, format, values);
    va_end(values);
    return REDISMODULE_OK;
}

bool nr_refuse(RedisModuleCtx *ctx, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    send_error(ctx, format, values);
    va_end(values);
    return false;
}

int nr_fail(RedisModuleCtx *ctx, const ninho_error *error)
{
    if (error->status == NINHO_ERR_NOMEM)
        return nr_error(ctx,
                        "ERR could not create filter: it would take more than "
                        "ninho.max-key-bytes (%lld) or than there is",
                        nr_config.max_key_bytes);
    return nr_error(ctx, "ERR %s",
                    error->text[0] ? error->text : ninho_status_text(error->status));
}

bool nr_is_too_large(const struct nr_args *args, size_t n_bytes)
{
    const long long most = nr_config.max_transfer_bytes;

    if (!args->has_limits || !most || n_bytes <= (size_t)most)
        return false;
    nr_error(args->ctx, "ERR %zu bytes are more than ninho.max-transfer-bytes (%lld)",
             n_bytes, most);
    return true;
}

bool nr_is_free(const struct nr_args *args, const ninho_filter *filter)
{
    return !args->has_limits || !ninho_filter_is_checked(filter) ||
           nr_refuse(args->ctx, "ERR " CHECKED_REFUSED ": " CHECKED_ADVICE);
}

bool nr_is_resp3(RedisModuleCtx *ctx)
{
    return redis.GetContextFlags(ctx) & REDISMODULE_CTX_RESP3;
}

bool nr_is_word(const RedisModuleString *argument, const char *word)
{
    size_t size;
    const char *bytes = redis.StringPtrLen(argument, &size);

    return size == strlen(word) && strncasecmp(bytes, word, size) == 0;
}

bool nr_integer(const RedisModuleString *argument, long long min, long long max,
                long long *value)
{
    return redis.StringToLongLong(argument, value) == REDISMODULE_OK && *value >= min &&
           *value <= max;
}

void nr_pair(RedisModuleCtx *ctx, const char *name, uint64_t value)
{
    redis.ReplyWithSimpleString(ctx, name);
    redis.ReplyWithLongLong(ctx, (long long)value);
}
