/* SPDX-License-Identifier: MIT */
#include "redis_pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform/frame_bytes.h"
#include "integrations/redis/blob.h"
#include "integrations/redis/config.h"
#include "target.h"

enum { IS_FILE = REDISMODULE_CTX_LOADING };

void pair_open(struct pair *pair)
{
    static bool is_begun;

    if (!is_begun)
        server_begin();
    is_begun = true;
    nr_config.max_key_bytes = nr_config.max_transfer_bytes = KEY_BYTES;
    server_open(&pair->primary, 0);
    server_open(&pair->replica, REDISMODULE_CTX_REPLICATED | REDISMODULE_CTX_SLAVE);
}

static void put_in(struct server *server, const char *name, struct nr_object *object)
{
    size_t i = 0;

    while (server->keys[i].name)
        MUST(++i < MAX_KEYS);
    server->keys[i] = (struct key){string_text(name), object};
}

void pair_put(struct pair *pair, const char *name, struct nr_object *object)
{
    struct nr_object *copy = object ? value_copied(object) : NULL;

    MUST(!object == !copy);
    put_in(&pair->primary, name, object);
    put_in(&pair->replica, name, copy);
}

/* ---- The rule ---------------------------------------------------------------------- */

/* Whatever was accepted and changed can be written, and what was written can be read. */
static void must_come_back(struct nr_object *object, const struct rdb_value *saved)
{
    struct server file;
    bool is_at_end;

    server_open(&file, IS_FILE);
    struct nr_object *again = value_loaded(&file, saved, 1, &is_at_end);
    MUST(again && is_at_end && !again->opaque == !object->opaque);
    struct rdb_value twice = value_saved(again);
    MUST(value_equal(saved, &twice));
    value_free(&twice);
    nr_object_free(again);
    server_close(&file);
}

/* And an AOF that is rewritten makes the same key. */
static void must_be_rewritten(RedisModuleString *name, struct nr_object *object,
                              const struct rdb_value *saved)
{
    struct server from, file;
    struct call *call;

    server_open(&from, 0);
    server_open(&file, IS_FILE);
    value_rewrite(&from, name, object);
    while ((call = server_take(&from))) {
        MUST(server_run(&file, call->argv, call->argc) && !file.is_error);
        call_free(call);
    }
    const struct key *made = server_find(&file, name);
    MUST(made && made->value);
    struct rdb_value again = value_saved(made->value);
    MUST(value_equal(saved, &again));
    value_free(&again);
    server_close(&from);
    server_close(&file);
}

static void must_be_copied(struct nr_object *object, const struct rdb_value *saved)
{
    struct nr_object *copy = value_copied(object);

    MUST(copy);
    struct rdb_value again = value_saved(copy);
    MUST(value_equal(saved, &again));
    value_free(&again);
    nr_object_free(copy);
}

/* The replica has the same; and where something has changed, all of the above holds. */
static void check_key(const struct key *key, struct server *replica, bool is_changed)
{
    const struct key *other = server_find(replica, key->name);

    MUST(other && !other->value == !key->value);
    if (!key->value)
        return;
    struct rdb_value saved = value_saved(key->value);
    struct rdb_value replicated = value_saved(other->value);
    MUST(value_equal(&saved, &replicated));
    value_free(&replicated);
    if (is_changed) {
        must_come_back(key->value, &saved);
        must_be_copied(key->value, &saved);
        if (!key->value->opaque) /* those need a RESTORE, which is the server's */
            must_be_rewritten(key->name, key->value, &saved);
    }
    value_free(&saved);
    MUST(nr_object_bytes(key->value) <= 2 * KEY_BYTES);
}

void pair_run(struct pair *pair, RedisModuleString **argv, int argc)
{
    struct call *call;

    MUST(server_run(&pair->primary, argv, argc));
    const bool is_changed = pair->primary.sent != NULL;
    while ((call = server_take(&pair->primary))) {
        MUST(server_run(&pair->replica, call->argv, call->argc) &&
             !pair->replica.is_error);
        call_free(call);
    }
    while ((call = server_take(&pair->replica))) /* for replicas of its own */
        call_free(call);
    const struct key *key = server_find(&pair->primary, argv[1]);
    MUST(key || !server_find(&pair->replica, argv[1]));
    if (key) /* no command changes another */
        check_key(key, &pair->replica, is_changed);
}

void pair_close(struct pair *pair)
{
    for (size_t i = 0; i < MAX_KEYS; i++) {
        const struct key *key = &pair->replica.keys[i];
        MUST(!key->name || server_find(&pair->primary, key->name));
        if (pair->primary.keys[i].name)
            check_key(&pair->primary.keys[i], &pair->replica, true);
    }
    server_close(&pair->primary);
    server_close(&pair->replica);
}

void pair_say(struct pair *pair, const char *words)
{
    RedisModuleString *argv[MAX_ARGV];
    int argc = 0;

    while (*words) {
        const size_t n = strcspn(words, " ");
        MUST(argc < MAX_ARGV);
        argv[argc++] = string_new(words, n);
        words += n + (words[n] == ' ');
    }
    pair_run(pair, argv, argc);
    while (argc > 0)
        free(argv[--argc]);
}

/* ---- Checksums --------------------------------------------------------------------- */

void seal(uint8_t *bytes, size_t size)
{
    static const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};

    if (size < NR_BLOB_HEADER(1) || memcmp(bytes, "NINHORDB", 8) != 0) {
        fix_checksums(bytes, size);
        return;
    }
    const uint64_t n_layers = get_field(bytes, 12, 4);
    if (n_layers > NR_MAX_LAYERS || size < NR_BLOB_HEADER(n_layers))
        return;
    size_t at = NR_BLOB_HEADER(n_layers);
    for (uint64_t i = 0; i < n_layers; i++) {
        const uint64_t n = get_field(bytes, 72 + 16 * (size_t)i, 8);
        if (n > size - at)
            break;
        fix_checksums(bytes + at, (size_t)n);
        at += (size_t)n;
    }
    const size_t end = NR_BLOB_HEADER(n_layers) - 8;
    set_field(bytes, end, 8, ninho_hash_bytes(&hasher, bytes, end));
}
