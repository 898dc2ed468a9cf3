/* SPDX-License-Identifier: MIT */
/* Values that this module cannot read: of a newer version, of a kind that it does not know,
 * or damaged. One such key must not end a server that loads its file, nor a replica that is
 * synchronised, and its bytes must not be lost. So it is kept as it came and written back so:
 * into RDB files, by DUMP, to replicas, into a rewritten AOF. Every command on it answers an
 * error. Only files and primaries bring such values: RESTORE by a client refuses them.
 *
 * What can be kept so has the outer form of every value of this type, which is frozen (type.c):
 * three numbers, and strings up to the number of bytes that the second one tells. */
#ifndef NR_OPAQUE_H
#define NR_OPAQUE_H

#include "object.h"

struct nr_opaque {
    uint64_t total, n, face; /* the three numbers */
    size_t *sizes;           /* of the strings that object->bytes came in */
    size_t n_strings, room;
    char why[160]; /* it cannot be read: a clause, without control bytes */
};

/* One without strings. Never NULL, as nr_object_new(). */
struct nr_opaque *nr_opaque_new(uint64_t total, uint64_t n, uint64_t face);
struct nr_opaque *nr_opaque_copy(const struct nr_opaque *opaque);
void nr_opaque_free(struct nr_opaque *opaque);
size_t nr_opaque_bytes(const struct nr_opaque *opaque);

/* Notes the size of one string more. */
void nr_opaque_string(struct nr_opaque *opaque, size_t size);

/* Says why. */
void nr_opaque_because(struct nr_opaque *opaque, const char *why);

/* Makes an object without layers, whose bytes are all there, one that is kept. */
void nr_opaque_keep(struct nr_object *object, const char *why);

/* Sends the error that every command on it answers with. */
void nr_opaque_reply(RedisModuleCtx *ctx, const struct nr_opaque *opaque);

/* The RESTORE of the key, into an AOF that is being rewritten; `encver` is the type's. */
void nr_opaque_emit(RedisModuleIO *io, RedisModuleString *key, struct nr_object *object,
                    const char *type_name, int encver);

#endif
