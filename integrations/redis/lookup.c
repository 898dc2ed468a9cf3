/* SPDX-License-Identifier: MIT */
/* EXISTS and MEXISTS of BF and CF keys: hashed and asked in groups. */
#include "chain.h"
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

int nr_exists(struct nr_args args, unsigned face, bool is_multi)
{
    const size_t n = (size_t)args.argc - 2;
    struct nr_object *object;
    RedisModuleKey *key;

    const enum nr_found found = nr_open(&args, 1, REDISMODULE_READ, face, &key, &object);
    if (found == NR_REPLIED)
        return REDISMODULE_OK;
    if (is_multi)
        redis.ReplyWithArray(args.ctx, (long)n);
    if (!object) {
        for (size_t i = 0; i < n; i++)
            redis.ReplyWithBool(args.ctx, 0);
    } else if (n == 1) {
        redis.ReplyWithBool(args.ctx, nr_chain_has(object, nr_item_hash(args.argv[2])));
    } else {
        for (size_t i = 0; i < n; i += NR_GROUP)
            reply_group(args.ctx, object, args.argv + 2 + i,
                        n - i < NR_GROUP ? n - i : NR_GROUP);
    }
    nr_close(key);
    return REDISMODULE_OK;
}
