/* SPDX-License-Identifier: MIT */
/* In an RDB file and in what DUMP gives, a value is: the number of bytes in all, how many
 * of them are there (fewer while LOADCHUNK is under way), the face, and the bytes (blob.h)
 * in strings of at most 16 MiB. This outer form, and with it ENCVER, never changes: what is
 * new is said by the bytes inside, so that a module that does not know it can keep the value
 * as it came (opaque.h). */
#include "type.h"

#include <string.h>

#include "blob.h"
#include "config.h"
#include "opaque.h"

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
    size_t n_done;
    uint8_t *buffer; /* NULL: the object has its bytes */
};

static struct pieces pieces_of(const struct nr_object *object)
{
    const bool has_bytes = object->opaque || nr_object_is_loading(object);
    const uint64_t total = has_bytes ? object->n_bytes : nr_blob_size(object);

    return (struct pieces){
        .object = object,
        .total = total,
        .buffer = has_bytes ? NULL : redis.Alloc(total < NR_CHUNK ? total : NR_CHUNK)};
}

/* The next piece; false at the end. */
static bool next_piece(struct pieces *pieces, const uint8_t **bytes, size_t *n)
{
    const struct nr_opaque *opaque = pieces->object->opaque;
    const uint64_t left = pieces->total - pieces->offset;

    if (opaque ? pieces->n_done == opaque->n_strings : !left) {
        redis.Free(pieces->buffer);
        return false;
    }
    *n = opaque            ? opaque->sizes[pieces->n_done]
         : left < NR_CHUNK ? (size_t)left
                           : NR_CHUNK;
    *bytes = pieces->buffer ? pieces->buffer : pieces->object->bytes + pieces->offset;
    if (pieces->buffer)
        (void)nr_blob_read(pieces->object, pieces->offset, pieces->buffer, *n);
    pieces->offset += *n;
    pieces->n_done++;
    return true;
}

/* ---- RDB --------------------------------------------------------------------------- */

static void rdb_save(RedisModuleIO *io, void *value)
{
    const struct nr_object *object = value;
    const struct nr_opaque *opaque = object->opaque;
    struct pieces pieces = pieces_of(object);
    const uint8_t *bytes;
    size_t n;

    redis.SaveUnsigned(io, opaque                         ? opaque->total
                           : nr_object_is_loading(object) ? object->n_total
                                                          : pieces.total);
    redis.SaveUnsigned(io, opaque ? opaque->n : pieces.total);
    redis.SaveUnsigned(io, opaque ? opaque->face : object->face);
    while (next_piece(&pieces, &bytes, &n))
        redis.SaveStringBuffer(io, (const char *)bytes, n);
}

/* The strings of a value, put together, and noted in `outside`; they must be there before
 * memory is taken for them. False if the outer form cannot be followed. */
static bool load_bytes(RedisModuleIO *io, struct nr_opaque *outside, bool is_bound,
                       uint8_t **bytes, size_t *n_bytes)
{
    *bytes = NULL;
    *n_bytes = 0;
    while (*n_bytes < outside->n) {
        size_t size;
        char *piece = redis.LoadStringBuffer(io, &size);
        if (!piece || redis.IsIOError(io) || size > PTRDIFF_MAX - *n_bytes) {
            redis.Free(piece);
            return false;
        }
        nr_opaque_string(outside, size);
        if (!*bytes) {
            *bytes = (uint8_t *)piece;
        } else {
            *bytes = redis.Realloc(*bytes, *n_bytes + size + 1);
            memcpy(*bytes + *n_bytes, piece, size);
            redis.Free(piece);
        }
        *n_bytes += size;
        if (!size && !is_bound) /* not ours, and there may be very many */
            return false;
    }
    return true;
}

static struct nr_object *with_bytes(unsigned face, uint8_t *bytes, size_t n)
{
    struct nr_object *object = nr_object_new((enum nr_face)face);

    object->bytes = bytes;
    object->n_bytes = object->n_room = n;
    return object;
}

/* What the bytes stand for: a filter or a part of one. *is_taken tells that it has them now.
 * NULL: they cannot be read, and *error says why. */
static struct nr_object *read_value(const struct nr_opaque *outside, uint8_t *bytes,
                                    size_t n, bool *is_taken, ninho_error *error)
{
    const unsigned face = (unsigned)outside->face;

    *is_taken = false;
    if (outside->face < NR_NINHO || outside->face > NR_CF) {
        (void)ninho_error_set(error, NINHO_ERR_VERSION, "unknown group of commands");
        return NULL;
    }
    if (!n || n != outside->n || n > outside->total) {
        (void)ninho_error_set(error, NINHO_ERR_FORMAT, "sizes contradict each other");
        return NULL;
    }
    if (n == outside->total)
        return nr_blob_decode(bytes, n, face, error);
    if (nr_blob_announced(bytes, n, face) != outside->total) {
        (void)ninho_error_set(error, NINHO_ERR_FORMAT,
                              "beginning of a filter whose header is damaged");
        return NULL;
    }
    struct nr_object *object = with_bytes(face, bytes, n);
    object->n_total = (size_t)outside->total;
    *is_taken = true;
    return object;
}

static void *rdb_load(RedisModuleIO *io, int encver)
{
    const int bound = REDISMODULE_CTX_LOADING | REDISMODULE_CTX_SLAVE;
    const bool is_bound = redis.GetContextFlags(redis.GetContextFromIO(io)) & bound;
    ninho_error error = {.status = NINHO_ERR_FORMAT,
                         .text = "not a value of this module, or it is cut short"};
    struct nr_object *object = NULL;
    struct nr_opaque *outside = NULL;
    uint8_t *bytes = NULL;
    bool is_taken = false;
    size_t n;

    nr_cap = is_bound ? 0 : (size_t)nr_config.max_key_bytes;
    if (encver != ENCVER)
        goto done;
    const uint64_t total = redis.LoadUnsigned(io), announced = redis.LoadUnsigned(io);
    outside = nr_opaque_new(total, announced, redis.LoadUnsigned(io));
    if (redis.IsIOError(io) || (nr_cap && (total > nr_cap || announced > total)) ||
        !load_bytes(io, outside, is_bound, &bytes, &n))
        goto done;
    object = read_value(outside, bytes, n, &is_taken, &error);
    if (!object && is_bound) {
        nr_opaque_because(outside, error.text);
        object = with_bytes(NR_NINHO, bytes, n);
        object->opaque = outside;
        outside = NULL; /* its own now */
        is_taken = true;
        redis.LogIOError(io, "warning",
                         "ninho: a value that cannot be read is kept as it came: %s",
                         object->opaque->why);
    }
done:
    if (!is_taken)
        redis.Free(bytes);
    nr_opaque_free(outside);
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
    struct nr_object *object = value;
    const uint8_t *bytes;
    size_t n;

    if (object->opaque) {
        nr_opaque_emit(io, key, object, TYPE_NAME, ENCVER);
        return;
    }
    struct pieces pieces = pieces_of(object);
    while (next_piece(&pieces, &bytes, &n))
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

    while (next_piece(&pieces, &bytes, &n))
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
    if (object->account->used > DEFRAG_BYTES || object->bytes)
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
