/* SPDX-License-Identifier: MIT */
/* A primary and its replica: what one command changes is replicated, and then the two are equal,
 * and every value comes back from its own bytes. */
#ifndef NINHO_FUZZ_REDIS_PAIR_H
#define NINHO_FUZZ_REDIS_PAIR_H

#include "redis_server.h"

/* What one key may take on the primary; a replica has no limit. */
#define KEY_BYTES ((size_t)1 << 16)

struct pair {
    struct server primary, replica;
};

void pair_open(struct pair *pair);

/* Checks all keys once more, and frees them. */
void pair_close(struct pair *pair);

/* Puts a value under a name into both. Takes it over. */
void pair_put(struct pair *pair, const char *name, struct nr_object *object);

/* Runs a command on the primary, what it sent on the replica, and checks its first key in both. */
void pair_run(struct pair *pair, RedisModuleString **argv, int argc);

/* The same of words with blanks between them. */
void pair_say(struct pair *pair, const char *words);

/* Makes all checksums right of what SCANDUMP or EXPORT gave, as far as sizes allow. */
void seal(uint8_t *bytes, size_t size);

#endif
