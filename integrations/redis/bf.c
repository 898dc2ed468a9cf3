/* SPDX-License-Identifier: MIT */
/* BF.*: Bloom filters that grow, as clients know them. */
#include <stdio.h>

#include "chain.h"
#include "commands.h"
#include "config.h"
#include "reply.h"

#define MAX_EXPANSION 32768

/* ---- Parameters -------------------------------------------------------------------- */

static struct nr_object defaults(void)
{
    return (struct nr_object){
        .error = nr_config.bf_error_rate,
        .capacity = (uint64_t)nr_config.bf_initial_size,
        .expansion = (uint32_t)nr_config.bf_expansion,
    };
}

/* These send the error themselves. */
static bool read_error_rate(const struct nr_args *args, int at, struct nr_object *to)
{
    if (redis.StringToDouble(args->argv[at], &to->error) != REDISMODULE_OK)
        return nr_refuse(args->ctx, "ERR bad error rate");
    if (!(to->error > 0 && to->error < 1))
        return nr_refuse(args->ctx,
                         "ERR error rate must be in the range (0.000000, 1.000000)");
    return true;
}

static bool read_capacity(const struct nr_args *args, int at, struct nr_object *to)
{
    long long value;

    if (redis.StringToLongLong(args->argv[at], &value) != REDISMODULE_OK)
        return nr_refuse(args->ctx, "ERR bad capacity");
    if (value < 1 || value > NR_MAX_CAPACITY)
        return nr_refuse(args->ctx, "ERR capacity must be in the range [1, %lld]",
                         (long long)NR_MAX_CAPACITY);
    to->capacity = (uint64_t)value;
    return true;
}

static bool read_expansion(const struct nr_args *args, int at, struct nr_object *to)
{
    long long value;

    if (redis.StringToLongLong(args->argv[at], &value) != REDISMODULE_OK)
        return nr_refuse(args->ctx, "ERR bad expansion");
    if (value < 0 || value > MAX_EXPANSION)
        return nr_refuse(args->ctx, "ERR expansion must be in the range [0, %d]",
                         MAX_EXPANSION);
    to->expansion = (uint32_t)value;
    return true;
}

/* What options of BF.RESERVE and BF.INSERT were given. */
struct options {
    bool has_expansion, is_nonscaling, is_nocreate, has_size;
    int items; /* where they begin; 0: nowhere */
};

static bool check_options(const struct nr_args *args, const struct options *options,
                          struct nr_object *to)
{
    if (options->is_nonscaling && options->has_expansion && to->expansion)
        return nr_refuse(args->ctx, "Nonscaling filters cannot expand");
    if (options->is_nocreate && options->has_size)
        return nr_refuse(args->ctx,
                         "ERR NOCREATE cannot be combined with CAPACITY or ERROR");
    if (options->is_nonscaling)
        to->expansion = 0;
    return true;
}

/* The options from argv[at] on, to the end or to ITEMS. */
static bool read_options(const struct nr_args *args, int at, bool is_insert,
                         struct options *options, struct nr_object *to)
{
    for (; at < args->argc && !options->items; at++) {
        const RedisModuleString *word = args->argv[at];
        const bool has_value = at + 1 < args->argc;
        if (nr_is_word(word, "EXPANSION")) {
            if (!has_value)
                return nr_refuse(args->ctx, "ERR no expansion");
            options->has_expansion = true;
            if (!read_expansion(args, ++at, to))
                return false;
        } else if (nr_is_word(word, "NONSCALING")) {
            options->is_nonscaling = true;
        } else if (is_insert && nr_is_word(word, "NOCREATE")) {
            options->is_nocreate = true;
        } else if (is_insert && has_value && nr_is_word(word, "CAPACITY")) {
            options->has_size = true;
            if (!read_capacity(args, ++at, to))
                return false;
        } else if (is_insert && has_value && nr_is_word(word, "ERROR")) {
            options->has_size = true;
            if (!read_error_rate(args, ++at, to))
                return false;
        } else if (is_insert && has_value && nr_is_word(word, "ITEMS")) {
            options->items = at + 1;
        } else if (is_insert && !has_value) { /* of CAPACITY, ERROR or ITEMS */
            redis.WrongArity(args->ctx);
            return false;
        } else {
            return nr_refuse(args->ctx, "Unknown argument received");
        }
    }
    return check_options(args, options, to);
}

/* ---- Making ------------------------------------------------------------------------ */

/* A new filter under the key, and the command that makes the same one on a replica,
 * whatever its defaults are. NULL after an error. */
static struct nr_object *create(const struct nr_args *args, RedisModuleKey *key,
                                const struct nr_object *parameters)
{
    ninho_error error = NINHO_ERROR_INIT;
    char rate[40];

    struct nr_object *object = nr_chain_new(NR_BF, parameters, &error);
    if (!object) {
        nr_fail(args->ctx, &error);
        return NULL;
    }
    nr_store(key, object);
    nr_touched(args);
    snprintf(rate, sizeof rate, "%.17g", object->error);
    redis.Replicate(args->ctx, "BF.RESERVE", "sclcl", args->argv[1], rate,
                    (long long)object->capacity, "EXPANSION",
                    (long long)object->expansion);
    return object;
}

int nr_bf_reserve(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    struct nr_object parameters = defaults(), *object;
    struct options options = {0};
    RedisModuleKey *key;

    if (argc < 4 || argc > 7)
        return redis.WrongArity(ctx);
    if (!read_error_rate(&args, 2, &parameters) ||
        !read_capacity(&args, 3, &parameters) ||
        !read_options(&args, 4, false, &options, &parameters))
        return REDISMODULE_OK;
    switch (
        nr_open(&args, 1, REDISMODULE_READ | REDISMODULE_WRITE, NR_BF, &key, &object)) {
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

static void reply_full(RedisModuleCtx *ctx, const struct nr_object *object,
                       ninho_status status)
{
    if (status == NINHO_ERR_NOMEM)
        nr_error(ctx,
                 "ERR the filter cannot grow: it would take more than "
                 "ninho.max-key-bytes (%lld) or than there is",
                 nr_config.max_key_bytes);
    else
        nr_error(ctx, object->expansion ? "ERR max number of scaling filters reached"
                                        : "ERR non scaling filter is full");
}

/* Adds n items, at most NR_GROUP, as far as there is room; *n_done and their answers, 1 for
 * a new one. */
static ninho_status add_group(struct nr_object *object, RedisModuleString **items,
                              size_t n, int8_t *answers, size_t *n_done, size_t *n_new)
{
    uint64_t hashes[NR_GROUP], maybe[NR_GROUP / 64];
    const size_t before = *n_new;

    for (size_t i = 0; i < n; i++)
        hashes[i] = nr_item_hash(items[i]);
    nr_chain_has_many(object, hashes, n, maybe);
    for (*n_done = 0; *n_done < n; ++*n_done) {
        const size_t i = *n_done;
        bool has = maybe[i / 64] >> (i % 64) & 1;
        if (!has && *n_new > before) /* by an equal item of this group, perhaps */
            has = nr_chain_has(object, hashes[i]);
        if (!has) {
            const ninho_status status = nr_bf_add(object, hashes[i]);
            if (status)
                return status;
            ++*n_new;
        }
        answers[i] = !has;
    }
    return NINHO_OK;
}

static void add_items(const struct nr_args *args, struct nr_object *object, int first,
                      bool is_multi)
{
    const size_t n = (size_t)(args->argc - first);
    int8_t *answers = redis.Alloc(n);
    size_t n_answers = 0, n_new = 0, n_done = 0;
    ninho_status status = NINHO_OK;

    while (!status && n_answers < n) {
        const size_t n_group = n - n_answers < NR_GROUP ? n - n_answers : NR_GROUP;
        status = add_group(object, args->argv + first + n_answers, n_group,
                           answers + n_answers, &n_done, &n_new);
        n_answers += n_done;
    }
    if (is_multi)
        redis.ReplyWithArray(args->ctx, (long)(n_answers + (status != NINHO_OK)));
    for (size_t i = 0; i < n_answers; i++)
        redis.ReplyWithBool(args->ctx, answers[i]);
    if (status)
        reply_full(args->ctx, object, status);
    if (n_new && status == NINHO_ERR_NOMEM)
        nr_changed_by(args, "BF.MADD", NULL, args->argv + first, answers, n_answers);
    else if (n_new)
        nr_changed(args);
    redis.Free(answers);
}

/* ADD, MADD and INSERT: the items begin at argv[first]. */
static int add(const struct nr_args *args, const struct nr_object *parameters,
               bool may_create, int first, bool is_multi)
{
    struct nr_object *object;
    RedisModuleKey *key;

    switch (
        nr_open(args, 1, REDISMODULE_READ | REDISMODULE_WRITE, NR_BF, &key, &object)) {
    case NR_MISSING:
        if (!may_create)
            nr_error(args->ctx, NR_NOT_FOUND);
        else
            object = create(args, key, parameters);
        break;
    default:
        break;
    }
    if (object)
        add_items(args, object, first, is_multi);
    nr_close(key);
    return REDISMODULE_OK;
}

int nr_bf_add_one(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    const struct nr_object parameters = defaults();

    return argc == 3 ? add(&args, &parameters, true, 2, false) : redis.WrongArity(ctx);
}

int nr_bf_madd(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    const struct nr_object parameters = defaults();

    return argc >= 3 ? add(&args, &parameters, true, 2, true) : redis.WrongArity(ctx);
}

int nr_bf_insert(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    struct nr_object parameters = defaults();
    struct options options = {0};

    if (argc < 4)
        return redis.WrongArity(ctx);
    if (!read_options(&args, 2, true, &options, &parameters))
        return REDISMODULE_OK;
    if (!options.items)
        return redis.WrongArity(ctx);
    return add(&args, &parameters, !options.is_nocreate, options.items, true);
}

/* ---- Properties -------------------------------------------------------------------- */

int nr_bf_card(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    struct nr_object *object;
    RedisModuleKey *key;

    if (argc != 2)
        return redis.WrongArity(ctx);
    if (nr_open(&args, 1, REDISMODULE_READ, NR_BF, &key, &object) != NR_REPLIED)
        redis.ReplyWithLongLong(ctx, object ? (long long)nr_object_count(object) : 0);
    nr_close(key);
    return REDISMODULE_OK;
}

/* One field of BF.INFO: its value, or null for the expansion of a filter that has none. */
static void reply_value(RedisModuleCtx *ctx, const struct nr_object *object, size_t field)
{
    const uint64_t values[] = {
        nr_chain_capacity(object), nr_object_bytes(object), object->n_layers,
        nr_object_count(object),   object->expansion,
    };

    if (field == 4 && !object->expansion)
        redis.ReplyWithNull(ctx);
    else
        redis.ReplyWithLongLong(ctx, (long long)values[field]);
}

int nr_bf_info(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    static const char *const fields[][2] = {
        {"CAPACITY", "Capacity"},         {"SIZE", "Size"},
        {"FILTERS", "Number of filters"}, {"ITEMS", "Number of items inserted"},
        {"EXPANSION", "Expansion rate"},
    };
    const size_t n_fields = sizeof fields / sizeof *fields;
    const struct nr_args args = nr_begin(ctx, argv, argc);
    struct nr_object *object;
    RedisModuleKey *key;
    size_t only = n_fields;

    if (argc < 2 || argc > 3)
        return redis.WrongArity(ctx);
    const enum nr_found found = nr_open(&args, 1, REDISMODULE_READ, NR_BF, &key, &object);
    for (size_t i = 0; argc == 3 && i < n_fields; i++)
        if (nr_is_word(argv[2], fields[i][0]))
            only = i;
    if (found == NR_MISSING) {
        nr_error(ctx, NR_NOT_FOUND);
    } else if (found == NR_FOUND && argc == 3 && only == n_fields) {
        nr_error(ctx, "Invalid information value");
    } else if (found == NR_FOUND && argc == 3) {
        if (nr_is_resp3(ctx)) {
            redis.ReplyWithMap(ctx, 1);
            redis.ReplyWithSimpleString(ctx, fields[only][1]);
        } else {
            redis.ReplyWithArray(ctx, 1);
        }
        reply_value(ctx, object, only);
    } else if (found == NR_FOUND) {
        redis.ReplyWithMap(ctx, (long)n_fields);
        for (size_t i = 0; i < n_fields; i++) {
            redis.ReplyWithSimpleString(ctx, fields[i][1]);
            reply_value(ctx, object, i);
        }
    }
    nr_close(key);
    return REDISMODULE_OK;
}
