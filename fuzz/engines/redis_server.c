/* SPDX-License-Identifier: MIT */
#include "redis_inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "integrations/redis/type.h"
#include "target.h"

enum { MOST_TICKS = 20 };
/* More than this is not there: the cap of the tests is far below. */
#define MOST_BYTES ((size_t)64 << 20)

struct RedisModuleKey {
    struct server *server;
    struct key *key;         /* NULL: nothing there */
    RedisModuleString *name; /* the caller's */
};

RedisModuleTypeMethods *type_methods;
static RedisModuleTimerFunc timer;

/* ---- Strings ----------------------------------------------------------------------- */

void *allocate(size_t size)
{
    MUST(size <= MOST_BYTES);
    void *memory = malloc(size ? size : 1);
    MUST(memory);
    return memory;
}

static void *try_allocate(size_t size)
{
    return size <= MOST_BYTES ? malloc(size ? size : 1) : NULL;
}

static void *callocate(size_t n, size_t size)
{
    return memset(allocate(n * size), 0, n * size);
}

void *reallocate(void *memory, size_t size)
{
    MUST(size <= MOST_BYTES);
    void *moved = realloc(memory, size ? size : 1);
    MUST(moved);
    return moved;
}

RedisModuleString *string_new(const void *bytes, size_t size)
{
    RedisModuleString *string = allocate(sizeof *string + size + 1);

    string->size = size;
    if (size)
        memcpy(string->bytes, bytes, size);
    string->bytes[size] = '\0';
    return string;
}

RedisModuleString *string_text(const char *text)
{
    return string_new(text, strlen(text));
}

static bool string_equal(const RedisModuleString *a, const RedisModuleString *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static RedisModuleString *create_string(RedisModuleCtx *ctx, const char *bytes,
                                        size_t size)
{
    (void)ctx;
    return string_new(bytes, size);
}

static void free_string(RedisModuleCtx *ctx, RedisModuleString *string)
{
    (void)ctx;
    free(string);
}

static const char *string_ptr_len(const RedisModuleString *string, size_t *size)
{
    if (size)
        *size = string->size;
    return string->bytes;
}

/* As the server reads numbers: one way to write each. */
static int string_to_long_long(const RedisModuleString *string, long long *value)
{
    char again[32];
    char *end;

    const long long number = strtoll(string->bytes, &end, 10);
    const int n = snprintf(again, sizeof again, "%lld", number);
    if ((size_t)n != string->size || memcmp(again, string->bytes, string->size) != 0)
        return REDISMODULE_ERR;
    *value = number;
    return REDISMODULE_OK;
}

static int string_to_double(const RedisModuleString *string, double *value)
{
    char *end;

    const double number = strtod(string->bytes, &end);
    if (!string->size || strchr(" \t\n\v\f\r", string->bytes[0]) ||
        (size_t)(end - string->bytes) != string->size || isnan(number))
        return REDISMODULE_ERR;
    *value = number;
    return REDISMODULE_OK;
}

/* ---- Keys -------------------------------------------------------------------------- */

struct key *server_find(struct server *server, const RedisModuleString *name)
{
    for (size_t i = 0; i < MAX_KEYS; i++)
        if (server->keys[i].name && string_equal(server->keys[i].name, name))
            return &server->keys[i];
    return NULL;
}

static void *open_key(RedisModuleCtx *ctx, RedisModuleString *name, int mode)
{
    struct key *key = server_find(ctx->server, name);

    if (!key && !(mode & REDISMODULE_WRITE))
        return NULL;
    RedisModuleKey *opened = allocate(sizeof *opened);
    *opened = (RedisModuleKey){ctx->server, key, name};
    return opened;
}

static void close_key(RedisModuleKey *key)
{
    free(key);
}

static int key_type(RedisModuleKey *key)
{
    return key && key->key ? 1 : REDISMODULE_KEYTYPE_EMPTY;
}

static RedisModuleType *get_type(RedisModuleKey *key)
{
    return key && key->key && key->key->value ? nr_type : NULL;
}

static void *get_value(RedisModuleKey *key)
{
    MUST(get_type(key) == nr_type);
    return key->key->value;
}

static int set_value(RedisModuleKey *key, RedisModuleType *type, void *value)
{
    MUST(key && type == nr_type && value);
    for (size_t i = 0; !key->key; i++) {
        MUST(i < MAX_KEYS); /* the targets have fewer names */
        if (!key->server->keys[i].name) {
            key->key = &key->server->keys[i];
            key->key->name = string_new(key->name->bytes, key->name->size);
        }
    }
    if (key->key->value)
        type_methods->free(key->key->value);
    key->key->value = value;
    return REDISMODULE_OK;
}

static int replace_value(RedisModuleKey *key, RedisModuleType *type, void *value,
                         void **old)
{
    MUST(get_type(key) == type && value);
    *old = key->key->value;
    key->key->value = value;
    return REDISMODULE_OK;
}

static int signal_modified(RedisModuleCtx *ctx, RedisModuleString *name)
{
    (void)ctx;
    (void)name;
    return REDISMODULE_OK;
}

/* ---- Replies ----------------------------------------------------------------------- */

static int element(RedisModuleCtx *ctx)
{
    if (!ctx->depth) {
        ctx->n_replies++;
        return REDISMODULE_OK;
    }
    ctx->open[ctx->depth - 1]--;
    while (ctx->depth && ctx->open[ctx->depth - 1] == 0)
        ctx->depth--;
    return REDISMODULE_OK;
}

/* An element that has n of its own. It counts where it ends. */
static int begin_list(RedisModuleCtx *ctx, long n)
{
    MUST(ctx->depth < MAX_DEPTH && n >= REDISMODULE_POSTPONED_LENGTH);
    if (!ctx->depth)
        ctx->n_replies++;
    else
        ctx->open[ctx->depth - 1]--;
    if (n)
        ctx->open[ctx->depth++] = n;
    while (ctx->depth && ctx->open[ctx->depth - 1] == 0)
        ctx->depth--;
    return REDISMODULE_OK;
}

static int reply_map(RedisModuleCtx *ctx, long n)
{
    return begin_list(ctx, 2 * n);
}

static void set_length(RedisModuleCtx *ctx, long n)
{
    MUST(ctx->depth && ctx->open[ctx->depth - 1] == -1 - n);
    ctx->depth--;
    while (ctx->depth && ctx->open[ctx->depth - 1] == 0)
        ctx->depth--;
}

static int reply_text(RedisModuleCtx *ctx, const char *text)
{
    MUST(!strpbrk(text, "\r\n"));
    return element(ctx);
}

static int reply_error(RedisModuleCtx *ctx, const char *text)
{
    MUST(*text);
    ctx->server->is_error |= !ctx->depth;
    return element(ctx);
}

static int wrong_arity(RedisModuleCtx *ctx)
{
    return reply_error(ctx, "ERR wrong number of arguments");
}

static int reply_number(RedisModuleCtx *ctx, long long value)
{
    (void)value;
    return element(ctx);
}

static int reply_bool(RedisModuleCtx *ctx, int value)
{
    (void)value;
    return element(ctx);
}

static int reply_double(RedisModuleCtx *ctx, double value)
{
    MUST(!isnan(value));
    return element(ctx);
}

static int reply_bulk(RedisModuleCtx *ctx, const char *bytes, size_t size)
{
    free(ctx->server->bulk);
    ctx->server->bulk = string_new(bytes, size);
    return element(ctx);
}

/* ---- Replication ------------------------------------------------------------------- */

static void push(struct call *call, RedisModuleString *string)
{
    MUST(call->argc < MAX_ARGV);
    call->argv[call->argc++] = string;
}

static struct call *send_call(struct server *server, const char *command)
{
    struct call *call = callocate(1, sizeof *call);

    *server->end = call;
    server->end = &call->next;
    if (command)
        push(call, string_text(command));
    return call;
}

static void push_all(struct call *call, const char *format, va_list values)
{
    char digits[32];

    for (; *format; format++) {
        if (*format == 's') {
            const RedisModuleString *string = va_arg(values, RedisModuleString *);
            push(call, string_new(string->bytes, string->size));
        } else if (*format == 'c') {
            push(call, string_text(va_arg(values, const char *)));
        } else if (*format == 'l') {
            snprintf(digits, sizeof digits, "%lld", va_arg(values, long long));
            push(call, string_text(digits));
        } else if (*format == 'b') {
            const char *bytes = va_arg(values, const char *);
            push(call, string_new(bytes, va_arg(values, size_t)));
        } else {
            RedisModuleString **strings = va_arg(values, RedisModuleString **);
            MUST(*format == 'v');
            for (size_t n = va_arg(values, size_t), i = 0; i < n; i++)
                push(call, string_new(strings[i]->bytes, strings[i]->size));
        }
    }
}

static int replicate(RedisModuleCtx *ctx, const char *command, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    push_all(send_call(ctx->server, command), format, values);
    va_end(values);
    return REDISMODULE_OK;
}

static RedisModuleString **running; /* the command that is run */
static int n_running;

static int replicate_verbatim(RedisModuleCtx *ctx)
{
    struct call *call = send_call(ctx->server, NULL);

    for (int i = 0; i < n_running; i++)
        push(call, string_new(running[i]->bytes, running[i]->size));
    return REDISMODULE_OK;
}

static void emit_aof(RedisModuleIO *io, const char *command, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    push_all(send_call(io->ctx.server, command), format, values);
    va_end(values);
}

struct call *server_take(struct server *server)
{
    struct call *call = server->sent;

    if (call && !(server->sent = call->next))
        server->end = &server->sent;
    return call;
}

void call_free(struct call *call)
{
    for (int i = 0; i < call->argc; i++)
        free(call->argv[i]);
    free(call);
}

/* ---- The rest ---------------------------------------------------------------------- */

static RedisModuleType *create_type(RedisModuleCtx *ctx, const char *name, int encver,
                                    RedisModuleTypeMethods *given)
{
    (void)ctx;
    MUST(strlen(name) == 9 && encver == 1);
    type_methods = given;
    return (RedisModuleType *)given;
}

static int context_flags(RedisModuleCtx *ctx)
{
    return ctx->server->flags;
}

static int selected_db(RedisModuleCtx *ctx)
{
    (void)ctx;
    return 0;
}

static int select_db(RedisModuleCtx *ctx, int db)
{
    (void)ctx;
    return db ? REDISMODULE_ERR : REDISMODULE_OK;
}

static int avoid_traffic(void)
{
    return 0;
}

static int redact(RedisModuleCtx *ctx, int at)
{
    (void)ctx;
    MUST(at > 0 && at < n_running);
    return REDISMODULE_OK;
}

static RedisModuleTimerID create_timer(RedisModuleCtx *ctx, long long period,
                                       RedisModuleTimerFunc function, void *data)
{
    (void)ctx;
    (void)period;
    MUST(!timer && !data);
    timer = function;
    return 1;
}

void server_begin(void)
{
    redis = (struct redis_calls){
        .Alloc = allocate,
        .TryAlloc = try_allocate,
        .Calloc = callocate,
        .Realloc = reallocate,
        .Free = free,
        .CreateDataType = create_type,
        .GetContextFlags = context_flags,
        .GetSelectedDb = selected_db,
        .SelectDb = select_db,
        .OpenKey = open_key,
        .CloseKey = close_key,
        .KeyType = key_type,
        .ModuleTypeGetType = get_type,
        .ModuleTypeGetValue = get_value,
        .ModuleTypeSetValue = set_value,
        .ModuleTypeReplaceValue = replace_value,
        .SignalModifiedKey = signal_modified,
        .CreateString = create_string,
        .FreeString = free_string,
        .StringPtrLen = string_ptr_len,
        .StringToLongLong = string_to_long_long,
        .StringToDouble = string_to_double,
        .WrongArity = wrong_arity,
        .ReplyWithError = reply_error,
        .ReplyWithSimpleString = reply_text,
        .ReplyWithLongLong = reply_number,
        .ReplyWithBool = reply_bool,
        .ReplyWithDouble = reply_double,
        .ReplyWithNull = element,
        .ReplyWithArray = begin_list,
        .ReplyWithMap = reply_map,
        .ReplySetArrayLength = set_length,
        .ReplyWithStringBuffer = reply_bulk,
        .Replicate = replicate,
        .ReplicateVerbatim = replicate_verbatim,
        .AvoidReplicaTraffic = avoid_traffic,
        .RedactClientCommandArgument = redact,
        .EmitAOF = emit_aof,
        .CreateTimer = create_timer,
    };
    values_begin();
    MUST(nr_type_create(NULL) == REDISMODULE_OK);
}

void server_open(struct server *server, int flags)
{
    *server = (struct server){.flags = flags};
    server->end = &server->sent;
}

void server_close(struct server *server)
{
    for (size_t i = 0; i < MAX_KEYS; i++) {
        free(server->keys[i].name);
        if (server->keys[i].value)
            type_methods->free(server->keys[i].value);
    }
    for (struct call *call; (call = server_take(server));)
        call_free(call);
    free(server->bulk);
}

static RedisModuleCommandFunc function_of(const RedisModuleString *name)
{
#define NAMED(text, function, flags, arity, last_key, writes, summary)    \
    if (name->size == strlen(text) && strcasecmp(name->bytes, text) == 0) \
        return function;
    NR_COMMANDS(NAMED)
#undef NAMED
    return NULL;
}

bool server_run(struct server *server, RedisModuleString **argv, int argc)
{
    const RedisModuleCommandFunc function = function_of(argv[0]);
    RedisModuleCtx ctx = {.server = server};

    if (!function)
        return false;
    running = argv;
    n_running = argc;
    server->is_error = false;
    MUST(function(&ctx, argv, argc) == REDISMODULE_OK);
    MUST(ctx.n_replies == 1 && ctx.depth == 0);
    for (unsigned n = 0; timer && n < MOST_TICKS; n++) {
        const RedisModuleTimerFunc tick = timer;
        RedisModuleCtx own = {.server = server};
        timer = NULL;
        tick(&own, NULL);
        MUST(own.n_replies == 0);
    }
    MUST(!timer); /* small tables are compacted in a few steps */
    return true;
}
