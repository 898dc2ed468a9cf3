/* SPDX-License-Identifier: MIT */
/* A server for the Redis module, in memory: as much of Redis' module interface as the module uses,
 * with its rules. So the real commands run without a server: keys, replies, replication, timers,
 * RDB values. Aborts where the module breaks a rule: a command sends one whole reply, no line of
 * which holds a line end. */
#ifndef NINHO_FUZZ_REDIS_SERVER_H
#define NINHO_FUZZ_REDIS_SERVER_H

#include <stdbool.h>

#include "integrations/redis/commands.h"
#include "integrations/redis/object.h"

enum { MAX_KEYS = 8, MAX_ARGV = 64 };

struct RedisModuleString {
    size_t size;
    char bytes[]; /* and a zero behind */
};

RedisModuleString *string_new(const void *bytes, size_t size);
RedisModuleString *string_text(const char *text);

struct call {
    RedisModuleString *argv[MAX_ARGV];
    int argc;
    struct call *next;
};

struct key {
    RedisModuleString *name; /* NULL: there is none */
    struct nr_object *value; /* NULL: a value of another type */
};

struct server {
    int flags; /* REDISMODULE_CTX_* of its contexts */
    struct key keys[MAX_KEYS];
    struct call *sent, **end; /* what is to be replicated, or was written to the AOF */
    /* of the last command */
    bool is_error;
    RedisModuleString *bulk; /* the last one that it answered with, or NULL */
};

/* One number or string of a value in an RDB file. */
struct rdb_item {
    bool is_string;
    uint64_t number;
    uint8_t *bytes;
    size_t size;
};

struct rdb_value {
    struct rdb_item *items;
    size_t n;
};

/* Fills `redis` and registers the type. Once. */
void server_begin(void);

void server_open(struct server *server, int flags);
void server_close(struct server *server);

/* Runs a command by its name, and then the timers that it started; false: there is no such command. */
bool server_run(struct server *server, RedisModuleString **argv, int argc);

/* Takes the first call that was sent; NULL: none is left. call_free() is for the caller to do. */
struct call *server_take(struct server *server);
void call_free(struct call *call);

struct key *server_find(struct server *server, const RedisModuleString *name);

/* A value as rdb_save writes it, and read back. NULL where rdb_load refuses. */
struct rdb_value value_saved(struct nr_object *object);
struct nr_object *value_loaded(struct server *server, const struct rdb_value *value,
                               int encver, bool *is_at_end);
bool value_equal(const struct rdb_value *a, const struct rdb_value *b);
void value_add(struct rdb_value *value, struct rdb_item item);
void value_free(struct rdb_value *value);

/* What an AOF that is rewritten has of the key: in server->sent. */
void value_rewrite(struct server *server, RedisModuleString *name,
                   struct nr_object *object);

struct nr_object *value_copied(const struct nr_object *object);

#endif
