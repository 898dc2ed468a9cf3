/* SPDX-License-Identifier: MIT */
/* EXISTS and MEXISTS of BF and CF keys: hashed and asked in groups. A missing key has none. */
#include "chain.h"
#include "commands.h"
#include "reply.h"

static void reply_group(RedisModuleCtx *ctx, const struct nr_object *object,
                        RedisModuleString **items, size_t n)
{
    uint64_t hashes[NR_GROUP], maybe[NR_GROUP / 64];

    for (size_t i = 0; i < n; i++)
        hashes[i] = nr_item_hash(items[i]);
    nr_chain_has_many(object, hashes, n, maybe);
    for (size_t i = 0; i < n; i++)
        redis.ReplyWithBool(ctx, maybe[i / 64] >> (i % 64) & 1);
}

static int exists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, unsigned face,
                  bool is_multi)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    struct nr_object *object;
    RedisModuleKey *key;

    if (argc < 3 || (argc > 3 && !is_multi))
        return redis.WrongArity(ctx);
    const size_t n = (size_t)argc - 2;
    const enum nr_found found = nr_open(&args, 1, REDISMODULE_READ, face, &key, &object);
    if (found == NR_REPLIED)
        return REDISMODULE_OK;
    if (is_multi)
        redis.ReplyWithArray(ctx, (long)n);
    if (!object) {
        for (size_t i = 0; i < n; i++)
            redis.ReplyWithBool(ctx, 0);
    } else if (n == 1) {
        redis.ReplyWithBool(ctx, nr_chain_has(object, nr_item_hash(argv[2])));
    } else {
        for (size_t i = 0; i < n; i += NR_GROUP)
            reply_group(ctx, object, argv + 2 + i, n - i < NR_GROUP ? n - i : NR_GROUP);
    }
    nr_close(key);
    return REDISMODULE_OK;
}

int nr_bf_exists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return exists(ctx, argv, argc, NR_BF, false);
}

int nr_bf_mexists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return exists(ctx, argv, argc, NR_BF, true);
}

int nr_cf_exists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return exists(ctx, argv, argc, NR_CF, false);
}

int nr_cf_mexists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return exists(ctx, argv, argc, NR_CF, true);
}
