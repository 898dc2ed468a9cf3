/* SPDX-License-Identifier: MIT */
/* CF.*: cuckoo filters that grow and remove, as clients know them. */
#include <stdio.h>

#include "chain.h"
#include "commands.h"
#include "config.h"
#include "reply.h"

/* ---- Parameters -------------------------------------------------------------------- */

static struct nr_object defaults(void)
{
    return (struct nr_object){
        .error = nr_config.cf_error_rate,
        .capacity = (uint64_t)nr_config.cf_initial_size,
        .expansion = (uint32_t)nr_config.cf_expansion,
        .bucket = (uint32_t)nr_config.cf_bucket_size,
        .iterations = (uint32_t)nr_config.cf_max_iterations,
    };
}

static bool read_capacity(const struct nr_args *args, int at, struct nr_object *to)
{
    long long value;

    if (redis.StringToLongLong(args->argv[at], &value) != REDISMODULE_OK)
        return nr_refuse(args->ctx, "Bad capacity");
    if (value < 1 || value > NR_MAX_CAPACITY)
        return nr_refuse(args->ctx, "ERR capacity must be in the range [1, %lld]",
                         (long long)NR_MAX_CAPACITY);
    to->capacity = (uint64_t)value;
    return true;
}

/* One option with its value at argv[at + 1]. */
static bool read_option(const struct nr_args *args, int at, struct nr_object *to)
{
    struct {
        const char *name, *wrong;
        long long min, max;
        uint32_t *value;
    } options[] = {
        {"BUCKETSIZE", "ERR bucket size must be in the range [1, 255]", 1, 255,
         &to->bucket},
        {"MAXITERATIONS", "ERR max iterations must be in the range [1, 65535]", 1, 65535,
         &to->iterations},
        {"EXPANSION", "ERR expansion must be in the range [0, 32768]", 0, 32768,
         &to->expansion},
    };

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        long long value;
        if (!nr_is_word(args->argv[at], options[i].name))
            continue;
        if (!nr_integer(args->argv[at + 1], options[i].min, options[i].max, &value))
            return nr_refuse(args->ctx, "%s", options[i].wrong);
        *options[i].value = (uint32_t)value;
        return true;
    }
    if (nr_is_word(args->argv[at], "ERROR")) {
        if (redis.StringToDouble(args->argv[at + 1], &to->error) == REDISMODULE_OK &&
            to->error > 0 && to->error < 1)
            return true;
        return nr_refuse(args->ctx,
                         "ERR error rate must be in the range (0.000000, 1.000000)");
    }
    return nr_refuse(args->ctx, "Unknown argument received");
}

/* Powers of two, as the reference rounds. */
static void round_expansion(struct nr_object *parameters)
{
    uint32_t power = 1;

    while (power < parameters->expansion)
        power *= 2;
    parameters->expansion = parameters->expansion ? power : 0;
}

/* ---- Making ------------------------------------------------------------------------ */

static struct nr_object *create(const struct nr_args *args, RedisModuleKey *key,
                                struct nr_object *parameters)
{
    ninho_error error = NINHO_ERROR_INIT;
    char rate[40];

    round_expansion(parameters);
    struct nr_object *object = nr_chain_new(NR_CF, parameters, &error);
    if (!object) {
        nr_fail(args->ctx, &error);
        return NULL;
    }
    nr_store(key, object);
    nr_touched(args);
    snprintf(rate, sizeof rate, "%.17g", object->error);
    redis.Replicate(args->ctx, "CF.RESERVE", "slclclclcc", args->argv[1],
                    (long long)object->capacity, "BUCKETSIZE", (long long)object->bucket,
                    "MAXITERATIONS", (long long)object->iterations, "EXPANSION",
                    (long long)object->expansion, "ERROR", rate);
    return object;
}

int nr_cf_reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    struct nr_object parameters = defaults(), *object;
    RedisModuleKey *key;

    if (argc < 3 || argc > 11 || argc % 2 == 0)
        return redis.WrongArity(ctx);
    if (!read_capacity(&args, 2, &parameters))
        return REDISMODULE_OK;
    for (int at = 3; at < argc; at += 2)
        if (!read_option(&args, at, &parameters))
            return REDISMODULE_OK;
    switch (
        nr_open(&args, 1, REDISMODULE_READ | REDISMODULE_WRITE, NR_CF, &key, &object)) {
    case NR_FOUND:
        nr_error(ctx, NR_EXISTS);
        break;
    case NR_MISSING:
        if (create(&args, key, &parameters))
            redis.ReplyWithSimpleString(ctx, "OK");
        break;
    default:
        break;
    }
    nr_close(key);
    return REDISMODULE_OK;
}

/* ---- Adding ------------------------------------------------------------------------ */

/* Answers: 1 added, 0 there already (NX), -1 no room. */
static void add_group(struct nr_object *object, RedisModuleString **items, size_t n,
                      bool is_nx, struct nr_work *work, int8_t *answers, size_t *n_added,
                      ninho_status *worst)
{
    uint64_t hashes[NR_GROUP];
    size_t i;

    for (i = 0; i < n; i++)
        hashes[i] = nr_item_hash(items[i]);
    for (i = 0; i < n;) {
        if (!is_nx && !work->has_full) {
            const size_t some = nr_cf_add_some(object, hashes + i, n - i);
            for (const size_t end = i + some; i < end; i++)
                answers[i] = 1;
            *n_added += some;
            if (i == n)
                break;
        }
        if (is_nx && nr_chain_has(object, hashes[i])) {
            answers[i++] = 0;
            continue;
        }
        const ninho_status status = nr_cf_add(object, hashes[i], work);
        answers[i++] = status ? -1 : 1;
        *n_added += !status;
        if (status && *worst != NINHO_ERR_NOMEM)
            *worst = status;
    }
}

/* In RESP3 CF.INSERT answers booleans, CF.INSERTNX numbers, as the reference does. */
static void reply_answers(const struct nr_args *args, const int8_t *answers, size_t n,
                          bool is_nx)
{
    const bool is_bool = !is_nx && nr_is_resp3(args->ctx);

    redis.ReplyWithArray(args->ctx, (long)n);
    for (size_t i = 0; i < n; i++) {
        if (is_bool)
            redis.ReplyWithBool(args->ctx, answers[i] == 1);
        else
            redis.ReplyWithLongLong(args->ctx, answers[i]);
    }
}

static void reply_one(const struct nr_args *args, int8_t answer, ninho_status status)
{
    if (answer >= 0)
        redis.ReplyWithBool(args->ctx, answer);
    else if (status == NINHO_ERR_NOMEM)
        nr_error(args->ctx, "Maximum expansions reached: a larger filter would take more "
                            "than ninho.max-key-bytes or than there is");
    else
        nr_error(args->ctx, "Filter is full");
}

/* ADD, ADDNX, INSERT and INSERTNX: the items begin at argv[first]. */
static int add(const struct nr_args *args, struct nr_object *parameters, bool may_create,
               int first, bool is_nx, bool is_multi)
{
    const size_t n = (size_t)(args->argc - first);
    struct nr_work work = {0};
    ninho_status worst = NINHO_OK;
    struct nr_object *object;
    RedisModuleKey *key;
    size_t n_added = 0;

    if (nr_open(args, 1, REDISMODULE_READ | REDISMODULE_WRITE, NR_CF, &key, &object) ==
        NR_MISSING) {
        if (may_create)
            object = create(args, key, parameters);
        else
            nr_error(args->ctx, NR_NOT_FOUND);
    }
    if (object) {
        int8_t *answers = redis.Alloc(n);
        for (size_t i = 0; i < n; i += NR_GROUP)
            add_group(object, args->argv + first + i, n - i < NR_GROUP ? n - i : NR_GROUP,
                      is_nx, &work, answers + i, &n_added, &worst);
        if (is_multi)
            reply_answers(args, answers, n, is_nx);
        else
            reply_one(args, answers[0], worst);
        if (n_added && worst == NINHO_ERR_NOMEM)
            nr_changed_by(args, "CF.INSERT", "ITEMS", args->argv + first, answers, n);
        else if (n_added)
            nr_changed(args);
        redis.Free(answers);
    }
    nr_close(key);
    return REDISMODULE_OK;
}

static int add_one(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, bool is_nx)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    struct nr_object parameters = defaults();

    return argc == 3 ? add(&args, &parameters, true, 2, is_nx, false)
                     : redis.WrongArity(ctx);
}

int nr_cf_add_one(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return add_one(ctx, argv, argc, false);
}

int nr_cf_add_one_nx(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return add_one(ctx, argv, argc, true);
}

static int insert(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, bool is_nx)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    struct nr_object parameters = defaults();
    bool may_create = true;
    int items = 0;

    for (int at = 2; at < argc && !items; at++) {
        if (nr_is_word(argv[at], "ITEMS")) {
            items = at + 1;
        } else if (nr_is_word(argv[at], "NOCREATE")) {
            may_create = false;
        } else if (at + 1 == argc) { /* CAPACITY without a number, say */
            return redis.WrongArity(ctx);
        } else if (nr_is_word(argv[at], "CAPACITY")) {
            if (!read_capacity(&args, ++at, &parameters))
                return REDISMODULE_OK;
        } else {
            return nr_error(ctx, "Unknown argument received");
        }
    }
    if (!items || items >= argc)
        return redis.WrongArity(ctx);
    return add(&args, &parameters, may_create, items, is_nx, true);
}

int nr_cf_insert(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return insert(ctx, argv, argc, false);
}

int nr_cf_insert_nx(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return insert(ctx, argv, argc, true);
}

/* ---- Removing and counting --------------------------------------------------------- */

int nr_cf_del(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    struct nr_object *object;
    RedisModuleKey *key;

    if (argc != 3)
        return redis.WrongArity(ctx);
    switch (
        nr_open(&args, 1, REDISMODULE_READ | REDISMODULE_WRITE, NR_CF, &key, &object)) {
    case NR_MISSING:
        nr_error(ctx, "Not found");
        break;
    case NR_FOUND: {
        const ninho_status status = nr_cf_remove(object, nr_item_hash(argv[2]));
        if (status && status != NINHO_ERR_NOT_FOUND)
            nr_error(ctx, "ERR the item was not removed: %s", ninho_status_text(status));
        else
            redis.ReplyWithBool(ctx, !status);
        if (!status)
            nr_changed(&args);
        break;
    }
    default:
        break;
    }
    nr_close(key);
    return REDISMODULE_OK;
}

int nr_cf_count(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    struct nr_object *object;
    RedisModuleKey *key;

    if (argc != 3)
        return redis.WrongArity(ctx);
    if (nr_open(&args, 1, REDISMODULE_READ, NR_CF, &key, &object) != NR_REPLIED)
        redis.ReplyWithLongLong(
            ctx, object ? (long long)nr_chain_copies(object, nr_item_hash(argv[2])) : 0);
    nr_close(key);
    return REDISMODULE_OK;
}

static uint64_t n_buckets(const struct nr_object *object)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < object->n_layers; i++) {
        ninho_spec spec = NINHO_SPEC_INIT;
        (void)ninho_filter_spec(object->layers[i].filter, &spec);
        sum += spec.n_slots / object->bucket;
    }
    return sum;
}

int nr_cf_info(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    struct nr_object *object;
    RedisModuleKey *key;

    if (argc != 2)
        return redis.WrongArity(ctx);
    switch (nr_open(&args, 1, REDISMODULE_READ, NR_CF, &key, &object)) {
    case NR_MISSING:
        nr_error(ctx, NR_NOT_FOUND);
        break;
    case NR_FOUND:
        redis.ReplyWithMap(ctx, 8);
        nr_pair(ctx, "Size", nr_object_bytes(object));
        nr_pair(ctx, "Number of buckets", n_buckets(object));
        nr_pair(ctx, "Number of filters", object->n_layers);
        nr_pair(ctx, "Number of items inserted", nr_object_count(object));
        nr_pair(ctx, "Number of items deleted", object->n_deleted);
        nr_pair(ctx, "Bucket size", object->bucket);
        nr_pair(ctx, "Expansion rate", object->expansion);
        nr_pair(ctx, "Max iterations", object->iterations);
        break;
    default:
        break;
    }
    nr_close(key);
    return REDISMODULE_OK;
}
