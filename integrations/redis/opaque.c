/* SPDX-License-Identifier: MIT */
#include "opaque.h"

#include <stdio.h>
#include <string.h>

#include "blob.h"
#include "reply.h"

struct nr_opaque *nr_opaque_new(uint64_t total, uint64_t n, uint64_t face)
{
    struct nr_opaque *opaque = redis.Calloc(1, sizeof *opaque);

    opaque->total = total;
    opaque->n = n;
    opaque->face = face;
    opaque->room = 1;
    opaque->sizes = redis.Calloc(1, sizeof *opaque->sizes);
    return opaque;
}

struct nr_opaque *nr_opaque_copy(const struct nr_opaque *opaque)
{
    struct nr_opaque *copy = redis.Alloc(sizeof *copy);

    *copy = *opaque;
    copy->sizes = redis.Alloc(copy->room * sizeof *copy->sizes);
    memcpy(copy->sizes, opaque->sizes, copy->n_strings * sizeof *copy->sizes);
    return copy;
}

void nr_opaque_free(struct nr_opaque *opaque)
{
    if (!opaque)
        return;
    redis.Free(opaque->sizes);
    redis.Free(opaque);
}

size_t nr_opaque_bytes(const struct nr_opaque *opaque)
{
    return sizeof *opaque + opaque->room * sizeof *opaque->sizes;
}

void nr_opaque_string(struct nr_opaque *opaque, size_t size)
{
    if (opaque->n_strings == opaque->room) {
        opaque->room *= 2;
        opaque->sizes =
            redis.Realloc(opaque->sizes, opaque->room * sizeof *opaque->sizes);
    }
    opaque->sizes[opaque->n_strings++] = size;
}

void nr_opaque_because(struct nr_opaque *opaque, const char *why)
{
    size_t i = 0;

    for (; why[i] && i + 1 < sizeof opaque->why; i++)
        opaque->why[i] = why[i] >= ' ' && why[i] <= '~' ? why[i] : '?';
    opaque->why[i] = '\0';
}

void nr_opaque_keep(struct nr_object *object, const char *why)
{
    object->opaque = nr_opaque_new(object->n_bytes, object->n_bytes, object->face);
    nr_opaque_because(object->opaque, why);
    for (size_t left = object->n_bytes, n; left; left -= n) {
        n = left < NR_CHUNK ? left : NR_CHUNK;
        nr_opaque_string(object->opaque, n);
    }
}

void nr_opaque_reply(RedisModuleCtx *ctx, const struct nr_opaque *opaque)
{
    nr_error(ctx,
             "ERR this version of the module cannot read the value (%s). It is kept and "
             "saved as it came: load it with a newer version, move it with DUMP, or DEL "
             "the key",
             opaque->why);
}

/* ---- As a payload of RESTORE -------------------------------------------------------- */

/* What RESTORE takes: a byte for "value of a module", the number of the type, the value, an
 * end mark; then the version of the RDB format (the first that had such values will do) and a
 * CRC-64 of all. */
#define RDB_TYPE_MODULE 7
#define RDB_VERSION     8
#define RDB_LENGTH_64   0x81 /* a number in 8 bytes follows, the highest first */
#define HEAD_BYTES      10
#define TAIL_BYTES      11

/* The CRC-64 of Redis: reflected polynomial, from 0, no final inversion. */
static uint64_t crc64(uint64_t crc, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT64_C(0x95ac9329ac4bc9b5) : 0);
    }
    return crc;
}

/* Six bits for each of the nine letters of its name, ten for the version. */
static uint64_t type_number(const char *name, int encver)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint64_t number = 0;

    for (; *name; name++)
        number = number << 6 | (uint64_t)(strchr(letters, *name) - letters);
    return number << 10 | (unsigned)encver;
}

void nr_opaque_emit(RedisModuleIO *io, RedisModuleString *key, struct nr_object *object,
                    const char *type_name, int encver)
{
    RedisModuleString *value = redis.SaveDataTypeToString(NULL, object, nr_type);
    const uint64_t number = type_number(type_name, encver);
    size_t n;

    if (!value) { /* An unknown command ends the rewrite: no AOF without this key. */
        redis.EmitAOF(io, "a value could not be written", "");
        return;
    }
    const char *bytes = redis.StringPtrLen(value, &n);
    uint8_t *payload = redis.Alloc(HEAD_BYTES + n + TAIL_BYTES), *end;
    payload[0] = RDB_TYPE_MODULE;
    payload[1] = RDB_LENGTH_64;
    for (unsigned i = 0; i < 8; i++)
        payload[2 + i] = (uint8_t)(number >> (56 - 8 * i));
    memcpy(payload + HEAD_BYTES, bytes, n);
    end = payload + HEAD_BYTES + n;
    end[0] = 0; /* the mark */
    end[1] = RDB_VERSION;
    end[2] = 0;
    const uint64_t crc = crc64(0, payload, HEAD_BYTES + n + 3);
    for (unsigned i = 0; i < 8; i++)
        end[3 + i] = (uint8_t)(crc >> (8 * i));
    redis.EmitAOF(io, "RESTORE", "slb", key, 0LL, (const char *)payload,
                  HEAD_BYTES + n + TAIL_BYTES);
    redis.Free(payload);
    redis.FreeString(NULL, value);
}
