/* SPDX-License-Identifier: MIT */
/* Values as an RDB file holds them: a list of numbers and strings. */
#include "redis_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

void value_add(struct rdb_value *value, struct rdb_item item)
{
    value->items = reallocate(value->items, (value->n + 1) * sizeof *value->items);
    value->items[value->n++] = item;
}

void value_free(struct rdb_value *value)
{
    for (size_t i = 0; i < value->n; i++)
        free(value->items[i].bytes);
    free(value->items);
    *value = (struct rdb_value){0};
}

bool value_equal(const struct rdb_value *a, const struct rdb_value *b)
{
    bool is_equal = a->n == b->n;

    for (size_t i = 0; is_equal && i < a->n; i++) {
        const struct rdb_item *x = &a->items[i], *y = &b->items[i];
        is_equal = x->is_string == y->is_string && x->number == y->number &&
                   x->size == y->size &&
                   (!x->size || memcmp(x->bytes, y->bytes, x->size) == 0);
    }
    return is_equal;
}

static void save_unsigned(RedisModuleIO *io, uint64_t number)
{
    value_add(io->value, (struct rdb_item){.number = number});
}

static void save_string(RedisModuleIO *io, const char *bytes, size_t size)
{
    uint8_t *copy = allocate(size);

    if (size)
        memcpy(copy, bytes, size);
    value_add(io->value,
              (struct rdb_item){.is_string = true, .bytes = copy, .size = size});
}

/* The next item if it is of that sort; from the first wrong one on everything fails. */
static const struct rdb_item *next_item(RedisModuleIO *io, bool is_string)
{
    if (io->is_error || io->at == io->value->n ||
        io->value->items[io->at].is_string != is_string) {
        io->is_error = true;
        return NULL;
    }
    return &io->value->items[io->at++];
}

static uint64_t load_unsigned(RedisModuleIO *io)
{
    const struct rdb_item *item = next_item(io, false);

    return item ? item->number : 0;
}

static char *load_string(RedisModuleIO *io, size_t *size)
{
    const struct rdb_item *item = next_item(io, true);

    if (!item)
        return NULL;
    *size = item->size;
    char *bytes = allocate(item->size);
    if (item->size)
        memcpy(bytes, item->bytes, item->size);
    return bytes;
}

static int is_io_error(RedisModuleIO *io)
{
    return io->is_error;
}

static RedisModuleCtx *context_of(RedisModuleIO *io)
{
    return &io->ctx;
}

static void log_io(RedisModuleIO *io, const char *level, const char *format, ...)
{
    (void)io;
    (void)level;
    (void)format;
}

struct rdb_value value_saved(struct nr_object *object)
{
    struct rdb_value value = {0};
    RedisModuleIO io = {.value = &value};

    type_methods->rdb_save(&io, object);
    return value;
}

struct nr_object *value_loaded(struct server *server, const struct rdb_value *value,
                               int encver, bool *is_at_end)
{
    struct rdb_value copy = *value;
    RedisModuleIO io = {.value = &copy, .ctx = {.server = server}};
    struct nr_object *object = type_methods->rdb_load(&io, encver);

    *is_at_end = io.at == value->n && !io.is_error;
    /* cppcheck-suppress returnDanglingLifetime ; nothing keeps the io */
    return object;
}

void value_rewrite(struct server *server, RedisModuleString *name,
                   struct nr_object *object)
{
    RedisModuleIO io = {.ctx = {.server = server}};

    type_methods->aof_rewrite(&io, name, object);
}

struct nr_object *value_copied(const struct nr_object *object)
{
    return type_methods->copy2(NULL, object);
}

void values_begin(void)
{
    redis.SaveUnsigned = save_unsigned;
    redis.LoadUnsigned = load_unsigned;
    redis.SaveStringBuffer = save_string;
    redis.LoadStringBuffer = load_string;
    redis.IsIOError = is_io_error;
    redis.LogIOError = log_io;
    redis.GetContextFromIO = context_of;
}
