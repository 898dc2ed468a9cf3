/* SPDX-License-Identifier: MIT */
/* CF.COMPACT key: moves items from the largest filters to smaller ones that have room again
 * after deletions, and drops the filters that get empty.
 *
 * One command, and one tick of the timer that carries on after it, looks at STEP slots. All
 * keys that are being compacted take turns at one timer, so that many of them, or many
 * commands for one, hold the server up no longer than one does.
 *
 * What is replicated is each step with the point that it began at (CF.COMPACT key CURSOR),
 * so that replicas and the AOF do the same moves at the same points between other commands. */
#include <string.h>

#include "chain.h"
#include "commands.h"
#include "reply.h"

#define STEP      100000
#define PERIOD_MS 2

struct task {
    RedisModuleString *name;
    int db;
    uint64_t cursor;
    struct task *next;
};

/* Whose turn is next; one at most for each key. The timer runs while there is one. */
static struct task *tasks;

/* One step; true when there is nothing left to do. */
static bool step(const struct nr_args *args, RedisModuleString *name,
                 struct nr_object *object, uint64_t *cursor)
{
    const uint64_t from = *cursor;
    const uint32_t n_layers = object->n_layers;
    const uint64_t count = ninho_filter_count(object->layers[n_layers - 1].filter);
    const bool is_done = nr_cf_compact(object, cursor, STEP);

    if (object->n_layers != n_layers ||
        ninho_filter_count(object->layers[n_layers - 1].filter) != count) {
        redis.SignalModifiedKey(args->ctx, name);
        redis.Replicate(args->ctx, "CF.COMPACT", "sl", name, (long long)from);
    }
    return is_done;
}

/* One step of a task; true if it is done, or its key is not there any more. */
static bool step_task(RedisModuleCtx *ctx, struct task *task)
{
    struct nr_args args = nr_begin(ctx, &task->name, 1);
    bool is_done = true;

    redis.SelectDb(ctx, task->db);
    if (!(redis.GetContextFlags(ctx) & REDISMODULE_CTX_SLAVE)) {
        RedisModuleKey *key =
            redis.OpenKey(ctx, task->name, REDISMODULE_READ | REDISMODULE_WRITE);
        if (redis.KeyType(key) != REDISMODULE_KEYTYPE_EMPTY &&
            redis.ModuleTypeGetType(key) == nr_type) {
            struct nr_object *object = redis.ModuleTypeGetValue(key);
            if (object->face == NR_CF && object->n_layers)
                is_done = step(&args, task->name, object, &task->cursor);
        }
        nr_close(key);
    }
    return is_done;
}

static void put_last(struct task *task)
{
    struct task **end = &tasks;

    while (*end)
        end = &(*end)->next;
    task->next = NULL;
    *end = task;
}

static void tick(RedisModuleCtx *ctx, void *data)
{
    (void)data;
    /* While clients are paused, before a failover say, nothing may be written. */
    if (!redis.AvoidReplicaTraffic()) {
        struct task *task = tasks;
        tasks = task->next;
        if (step_task(ctx, task)) {
            redis.FreeString(NULL, task->name);
            redis.Free(task);
        } else {
            put_last(task);
        }
    }
    if (tasks)
        redis.CreateTimer(ctx, PERIOD_MS, tick, NULL);
}

static bool is_task_of(const struct task *task, int db, const char *name, size_t size)
{
    size_t n;
    const char *bytes = redis.StringPtrLen(task->name, &n);

    return task->db == db && n == size && memcmp(bytes, name, n) == 0;
}

static void carry_on(const struct nr_args *args, uint64_t cursor)
{
    const int db = redis.GetSelectedDb(args->ctx);
    size_t size;
    const char *name = redis.StringPtrLen(args->argv[1], &size);

    for (const struct task *task = tasks; task; task = task->next)
        if (is_task_of(task, db, name, size))
            return;
    if (!tasks)
        redis.CreateTimer(args->ctx, PERIOD_MS, tick, NULL);
    struct task *task = redis.Calloc(1, sizeof *task);
    task->name = redis.CreateString(NULL, name, size);
    task->db = db;
    task->cursor = cursor;
    put_last(task);
}

int nr_cf_compact_key(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    struct nr_object *object;
    RedisModuleKey *key;
    long long from = 0;

    if (argc < 2 || argc > 3)
        return redis.WrongArity(ctx);
    if (argc == 3 && !nr_integer(argv[2], 0, INT64_MAX, &from))
        return nr_error(ctx, "ERR cursor must be a number from 0 on");
    switch (
        nr_open(&args, 1, REDISMODULE_READ | REDISMODULE_WRITE, NR_CF, &key, &object)) {
    case NR_MISSING:
        nr_error(ctx, "Cuckoo filter was not found");
        break;
    case NR_FOUND: {
        uint64_t cursor = (uint64_t)from;
        if (!step(&args, argv[1], object, &cursor) && argc == 2)
            carry_on(&args, cursor);
        redis.ReplyWithSimpleString(ctx, "OK");
        break;
    }
    default:
        break;
    }
    nr_close(key);
    return REDISMODULE_OK;
}
