/* SPDX-License-Identifier: MIT */
/* In an RDB file and in what DUMP gives, a value is: the number of bytes in all, how many
 * of them are there (fewer while LOADCHUNK is under way), the face, and the bytes (blob.h)
 * in strings of at most 16 MiB. */
#include "type.h"

#include <string.h>

#include "blob.h"
#include "config.h"

#define TYPE_NAME "ninhofilt"
#define ENCVER    1

/* Frees of more than this go to a thread of the server's. */
#define EFFORT_BYTES 4096
/* Smaller objects are laid out anew where memory is fragmented; what is larger has pages
 * of its own, which do not fragment. */
#define DEFRAG_BYTES 16384

/* ---- Pieces of an object ----------------------------------------------------------- */

struct pieces {
    const struct nr_object *object;
    uint64_t total; /* of all bytes that there are */
    uint64_t offset;
    uint8_t *buffer;
};

static struct pieces pieces_of(const struct nr_object *object)
{
    const bool is_loading = nr_object_is_loading(object);
    const uint64_t total = is_loading ? object->n_bytes : nr_blob_size(object);

    return (struct pieces){object, total, 0,
                           is_loading ? NULL
                                      : redis.Alloc(total < NR_CHUNK ? total : NR_CHUNK)};
}

/* The next piece; its size, 0 at the end. */
static size_t next_piece(struct pieces *pieces, const uint8_t **bytes)
{
    const uint64_t left = pieces->total - pieces->offset;
    const size_t n = left < NR_CHUNK ? (size_t)left : NR_CHUNK;

    if (!n) {
        redis.Free(pieces->buffer);
        return 0;
    }
    if (pieces->buffer) {
        (void)nr_blob_read(pieces->object, pieces->offset, pieces->buffer, n);
        *bytes = pieces->buffer;
    } else {
        *bytes = pieces->object->bytes + pieces->offset;
    }
    pieces->offset += n;
    return n;
}

/* ---- RDB --------------------------------------------------------------------------- */

static void rdb_save(RedisModuleIO *io, void *value)
{
    const struct nr_object *object = value;
    struct pieces pieces = pieces_of(object);
    const uint8_t *bytes;
    size_t n;

    redis.SaveUnsigned(io, nr_object_is_loading(object) ? object->n_total : pieces.total);
    redis.SaveUnsigned(io, pieces.total);
    redis.SaveUnsigned(io, object->face);
    while ((n = next_piece(&pieces, &bytes)))
        redis.SaveStringBuffer(io, (const char *)bytes, n);
}

/* All n bytes, from strings that must be there before memory is taken for them. */
static uint8_t *load_bytes(RedisModuleIO *io, uint64_t n)
{
    uint8_t *bytes = NULL;
    uint64_t at = 0;

    while (at < n) {
        size_t size;
        char *piece = redis.LoadStringBuffer(io, &size);
        if (!piece || redis.IsIOError(io) || !size || size > n - at)
            goto failed;
        if (!at && size == n)
            return (uint8_t *)piece;
        bytes = redis.Realloc(bytes, (size_t)at + size);
        memcpy(bytes + at, piece, size);
        at += size;
        redis.Free(piece);
        continue;
    failed:
        redis.Free(piece);
        redis.Free(bytes);
        return NULL;
    }
    return bytes;
}

static struct nr_object *still_loading(uint8_t *bytes, uint64_t n, uint64_t total,
                                       unsigned face)
{
    if (nr_blob_announced(bytes, (size_t)n, face) != total)
        return NULL;
    struct nr_object *object = nr_object_new((enum nr_face)face);
    object->bytes = bytes;
    object->n_bytes = object->n_room = (size_t)n;
    object->n_total = (size_t)total;
    return object;
}

static void *rdb_load(RedisModuleIO *io, int encver)
{
    const int bound = REDISMODULE_CTX_LOADING | REDISMODULE_CTX_SLAVE;
    ninho_error error = {.status = NINHO_ERR_FORMAT,
                         .text = "not a filter of this module"};
    struct nr_object *object = NULL;
    uint8_t *bytes = NULL;

    nr_cap = redis.GetContextFlags(redis.GetContextFromIO(io)) & bound
                 ? 0
                 : (size_t)nr_config.max_key_bytes;
    if (encver != ENCVER)
        goto done;
    const uint64_t total = redis.LoadUnsigned(io), n = redis.LoadUnsigned(io);
    const uint64_t face = redis.LoadUnsigned(io);
    if (redis.IsIOError(io) || !n || n > total || total > PTRDIFF_MAX ||
        face < NR_NINHO || face > NR_CF || (nr_cap && total > nr_cap))
        goto done;
    bytes = load_bytes(io, n);
    if (!bytes)
        goto done;
    if (n < total) {
        object = still_loading(bytes, n, total, (unsigned)face);
        if (object)
            bytes = NULL; /* its own now */
    } else {
        object = nr_blob_decode(bytes, (size_t)n, (unsigned)face, &error);
    }
done:
    redis.Free(bytes);
    if (!object)
        redis.LogIOError(io, "warning", "ninho: %s", error.text);
    return object;
}

/* ---- AOF --------------------------------------------------------------------------- */

const char *nr_loadchunk_name(unsigned face)
{
    return face == NR_BF   ? "BF.LOADCHUNK"
           : face == NR_CF ? "CF.LOADCHUNK"
                           : "NINHO.LOADCHUNK";
}

static void aof_rewrite(RedisModuleIO *io, RedisModuleString *key, void *value)
{
    const struct nr_object *object = value;
    struct pieces pieces = pieces_of(object);
    const uint8_t *bytes;
    size_t n;

    while ((n = next_piece(&pieces, &bytes)))
        redis.EmitAOF(io, nr_loadchunk_name(object->face), "slb", key,
                      (long long)pieces.offset + 1, (const char *)bytes, n);
}

/* ---- Memory, copies, digests ------------------------------------------------------- */

static size_t mem_usage(RedisModuleKeyOptCtx *ctx, const void *value, size_t samples)
{
    (void)ctx;
    (void)samples;
    return nr_object_bytes(value);
}

static size_t free_effort(RedisModuleKeyOptCtx *ctx, const void *value)
{
    (void)ctx;
    return 1 + nr_object_bytes(value) / EFFORT_BYTES;
}

/* Maybe on another thread: touches this object only. */
static void free_value(void *value)
{
    nr_object_free(value);
}

static void *copy_value(RedisModuleKeyOptCtx *ctx, const void *value)
{
    ninho_error error = NINHO_ERROR_INIT;

    (void)ctx;
    nr_cap = 0; /* a copy is no larger than what was allowed once */
    return nr_object_copy(value, &error);
}

static void digest(RedisModuleDigest *digest, void *value)
{
    struct pieces pieces = pieces_of(value);
    const uint8_t *bytes;
    size_t n;

    while ((n = next_piece(&pieces, &bytes)))
        redis.DigestAddStringBuffer(digest, (const char *)bytes, n);
    redis.DigestEndSequence(digest);
}

/* The server says for each small allocation whether it should move. Filters do not tell
 * where theirs are; if the object's own is among those that should, they are laid out
 * anew. */
static int defrag(RedisModuleDefragCtx *ctx, RedisModuleString *key, void **value)
{
    struct nr_object *object = *value;
    ninho_error error = NINHO_ERROR_INIT;
    void *moved;

    (void)key;
    moved = redis.DefragAlloc(ctx, object->layers);
    if (moved)
        object->layers = moved;
    moved = redis.DefragAlloc(ctx, object);
    if (!moved)
        return 0;
    *value = object = moved;
    if (object->account->used > DEFRAG_BYTES || nr_object_is_loading(object))
        return 0;
    nr_cap = 0;
    struct nr_object *copy = nr_object_copy(object, &error);
    if (copy) {
        nr_object_free(object);
        *value = copy;
    }
    return 0;
}

int nr_type_create(RedisModuleCtx *ctx)
{
    static RedisModuleTypeMethods methods = {
        .version = REDISMODULE_TYPE_VERSION,
        .rdb_load = rdb_load,
        .rdb_save = rdb_save,
        .aof_rewrite = aof_rewrite,
        .mem_usage2 = mem_usage,
        .digest = digest,
        .free = free_value,
        .free_effort2 = free_effort,
        .copy2 = copy_value,
        .defrag = defrag,
    };

    nr_type = redis.CreateDataType(ctx, TYPE_NAME, ENCVER, &methods);
    return nr_type ? REDISMODULE_OK : REDISMODULE_ERR;
}
