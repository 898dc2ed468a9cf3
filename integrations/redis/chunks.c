/* SPDX-License-Identifier: MIT */
/* SCANDUMP and LOADCHUNK: a filter in pieces.
 *
 * The iterator that SCANDUMP answers with a piece is 1 more than the bytes sent so far,
 * that piece included; LOADCHUNK is given both. The first piece holds the header, which
 * says how many bytes there will be. The filter answers nothing until the last one has
 * come and everything has been checked. Pieces that cannot be read are refused; those of a
 * primary or an AOF are kept (opaque.h). */
#include <string.h>

#include "blob.h"
#include "commands.h"
#include "opaque.h"
#include "reply.h"

#define BAD_DATA "ERR received bad data"

/* The reference's texts. */
static int wrong_iterator(const struct nr_args *args, unsigned face)
{
    return nr_error(args->ctx, face == NR_CF ? "Invalid position"
                                             : "Second argument must be numeric");
}

static int scandump(struct nr_args args, unsigned face)
{
    RedisModuleKey *key;
    struct nr_object *object;
    long long iterator;

    if (args.argc != 3)
        return redis.WrongArity(args.ctx);
    if (!nr_integer(args.argv[2], 0, INT64_MAX, &iterator))
        return wrong_iterator(&args, face);
    switch (nr_open(&args, 1, REDISMODULE_READ, face, &key, &object)) {
    case NR_MISSING:
        nr_close(key);
        return nr_error(args.ctx, NR_NOT_FOUND);
    case NR_REPLIED:
        return REDISMODULE_OK;
    default:
        break;
    }
    const uint64_t total = nr_blob_size(object);
    const uint64_t offset = iterator ? (uint64_t)iterator - 1 : 0;
    const size_t n = offset >= total             ? 0
                     : total - offset < NR_CHUNK ? (size_t)(total - offset)
                                                 : NR_CHUNK;
    uint8_t *bytes = redis.Alloc(n ? n : 1);
    (void)nr_blob_read(object, offset, bytes, n);
    redis.ReplyWithArray(args.ctx, 2);
    redis.ReplyWithLongLong(args.ctx, n ? (long long)(offset + n + 1) : 0);
    redis.ReplyWithStringBuffer(args.ctx, (const char *)bytes, n);
    redis.Free(bytes);
    nr_close(key);
    return REDISMODULE_OK;
}

/* The object that a first piece begins, NULL after an error. */
static struct nr_object *first_chunk(const struct nr_args *args, const uint8_t *bytes,
                                     size_t n, unsigned face)
{
    const uint64_t total = nr_blob_announced(bytes, n, face);
    const bool is_readable = total && n <= total;

    if (!is_readable && args->has_limits) {
        nr_error(args->ctx, BAD_DATA);
        return NULL;
    }
    if (nr_cap && total > nr_cap) {
        const ninho_error error = {.status = NINHO_ERR_NOMEM};
        nr_fail(args->ctx, &error);
        return NULL;
    }
    struct nr_object *object = nr_object_new((enum nr_face)face);
    if (is_readable) {
        object->n_total = (size_t)total;
    } else {
        object->opaque = nr_opaque_new(0, 0, face);
        nr_opaque_because(object->opaque, "its header is damaged, or of a newer version");
    }
    return object;
}

/* Room for n bytes more: doubled, but no more than was announced. */
static void make_room(struct nr_object *object, size_t n)
{
    const size_t needed = object->n_bytes + n;

    if (needed <= object->n_room)
        return;
    object->n_room = 2 * object->n_room > needed ? 2 * object->n_room : needed;
    if (object->n_total && object->n_room > object->n_total)
        object->n_room = object->n_total;
    object->bytes = redis.Realloc(object->bytes, object->n_room);
}

static void note_string(struct nr_object *object, size_t n)
{
    nr_opaque_string(object->opaque, n);
    object->opaque->n += n;
    object->opaque->total += n;
}

/* Appends a piece; if it is the last one, *whole is the filter. False after an error, and
 * then nothing has changed. */
static bool append_chunk(const struct nr_args *args, struct nr_object *object,
                         const uint8_t *bytes, size_t n, struct nr_object **whole)
{
    ninho_error error = NINHO_ERROR_INIT;

    make_room(object, n);
    memcpy(object->bytes + object->n_bytes, bytes, n);
    if (object->opaque || object->n_bytes + n < object->n_total) {
        object->n_bytes += n;
        if (object->opaque)
            note_string(object, n);
        return true;
    }
    *whole = nr_blob_decode(object->bytes, object->n_total, object->face, &error);
    if (*whole)
        return true;
    if (!args->has_limits) {
        object->n_bytes = object->n_total;
        object->n_total = 0;
        nr_opaque_keep(object, error.text);
        return true;
    }
    if (error.status == NINHO_ERR_NOMEM)
        nr_fail(args->ctx, &error);
    else
        nr_error(args->ctx, BAD_DATA ": %s", error.text);
    return false;
}

/* Whether a piece after the first one belongs to what is there; if not, the error was sent. */
static bool is_next(const struct nr_args *args, const struct nr_object *object,
                    uint64_t offset, size_t n)
{
    if (object->opaque && args->has_limits) {
        nr_opaque_reply(args->ctx, object->opaque);
        return false;
    }
    if (offset == object->n_bytes &&
        (object->opaque ? offset == object->opaque->total
                        : n <= object->n_total - object->n_bytes))
        return true;
    return nr_refuse(args->ctx, BAD_DATA);
}

static int loadchunk(struct nr_args args, unsigned face)
{
    const int mode = REDISMODULE_READ | REDISMODULE_WRITE;
    struct nr_object *object = NULL, *whole = NULL;
    long long iterator;
    size_t n;

    if (args.argc != 4)
        return redis.WrongArity(args.ctx);
    const uint8_t *bytes = (const uint8_t *)redis.StringPtrLen(args.argv[3], &n);
    if (!nr_integer(args.argv[2], 1, INT64_MAX, &iterator))
        return wrong_iterator(&args, face);
    if (!n || (uint64_t)iterator - 1 < n)
        return nr_error(args.ctx, BAD_DATA);
    const uint64_t offset = (uint64_t)iterator - 1 - n;
    RedisModuleKey *key = redis.OpenKey(args.ctx, args.argv[1], mode);
    const bool is_empty = redis.KeyType(key) == REDISMODULE_KEYTYPE_EMPTY;
    if (!is_empty) {
        if (redis.ModuleTypeGetType(key) == nr_type)
            object = redis.ModuleTypeGetValue(key);
        if (!object || (!object->opaque && object->face != face)) {
            nr_close(key);
            return nr_error(args.ctx, REDISMODULE_WRONGTYPE);
        }
    }
    const bool is_first = offset == 0;
    if (is_first && object && object->opaque && args.has_limits) {
        nr_opaque_reply(args.ctx, object->opaque);
        object = NULL;
    } else if (is_first) {
        object = first_chunk(&args, bytes, n, face);
    } else if (is_empty) {
        nr_error(args.ctx, NR_NOT_FOUND);
    } else if (!is_next(&args, object, offset, n)) {
        object = NULL;
    }
    if (object && append_chunk(&args, object, bytes, n, &whole)) {
        if (is_first)
            nr_store(key, whole ? whole : object);
        else if (whole)
            nr_update(key, whole);
        if (whole && is_first)
            nr_object_free(object);
        nr_changed(&args);
        redis.ReplyWithSimpleString(args.ctx, "OK");
    } else if (object && is_first) {
        nr_object_free(object);
    }
    nr_close(key);
    return REDISMODULE_OK;
}

#define PAIR(name, face)                                                               \
    int nr_##name##_scandump(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)  \
    {                                                                                  \
        return scandump(nr_begin(ctx, argv, argc), face);                              \
    }                                                                                  \
    int nr_##name##_loadchunk(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) \
    {                                                                                  \
        return loadchunk(nr_begin(ctx, argv, argc), face);                             \
    }

PAIR(bf, NR_BF)
PAIR(cf, NR_CF)
PAIR(ninho, NR_NINHO)
