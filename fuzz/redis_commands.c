/* SPDX-License-Identifier: MIT */
/* Commands of the Redis module, any of them with any arguments, one after another: none breaks a rule of
 * the server's, a replica stays equal, and every value comes back from its own bytes.
 *
 *     a command   its number; the number of its arguments (16 at most) times 4, and its key; arguments
 *     argument    its sort, then: an item, a word, a number, bytes after their length, the bytes that
 *                 the last command answered with, or the number that LOADCHUNK wants with them
 */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/redis_pair.h"

enum { MAX_COMMANDS = 24, N_ITEMS = 40 };

static const char *const names[] = {
#define NAME(name, function, flags, arity, last_key, writes, summary) name,
    NR_COMMANDS(NAME)
#undef NAME
};

static const char *const keys[] = {"a", "b", "c", "another type"};

static const char *const words[] = {
    "ITEMS",       "CAPACITY",
    "ERROR",       "EXPANSION",
    "NONSCALING",  "NOCREATE",
    "0.01",        "0.5",
    "BUCKETSIZE",  "SIZE",
    "REPLACE",     "MAXITERATIONS",
    "bloom",       "blocked",
    "counting",    "cuckoo",
    "quotient",    "compact",
    "scalable",    "FPR",
    "MAXCAPACITY", "BASE",
    "TYPE",        "int64",
    "uuid",        "SEED",
    "HASH",        "siphash",
    "SECRET",      "000102030405060708090a0b0c0d0e0f",
    "GROWTH",      "TAGBITS",
    "NSLOTS",      "SLOTS",
    "buckets",     "windows",
    "PLACE",       "CHOICE",
    "random",      "emptier",
    "SEARCH",      "walk",
    "bfs",         "KICKS",
    "BUDGET",      "PAIRING",
    "xor",         "offset",
    "SEMANTICS",   "set",
    "BITS",        "HASHES",
    "KRULE",       "floor",
    "xxh64",       "6fa459ea-ee8a-3ca4-894e-db77e160355e",
};

static const char *const numbers[] = {
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "8",
    "10",
    "16",
    "20",
    "32",
    "50",
    "64",
    "100",
    "255",
    "256",
    "1000",
    "4096",
    "65535",
    "1048576",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "1099511627776",
    "1152921504606846976",
    "9223372036854775807",
    "18446744073709551615",
    "-1",
};

struct input {
    const uint8_t *at, *end;
};

static unsigned next(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static RedisModuleString *from_table(const char *const *table, size_t n, struct input *in)
{
    return string_text(table[next(in) % n]);
}

/* The last bulk reply, as it is or with a byte changed and its checksums made right. */
static RedisModuleString *answered(const struct server *server, struct input *in)
{
    const RedisModuleString *bulk = server->bulk;
    RedisModuleString *copy = string_new(bulk ? bulk->bytes : "", bulk ? bulk->size : 0);
    const unsigned change = next(in);

    if (change && copy->size) {
        const size_t at = (next(in) << 8 | next(in)) % copy->size;
        copy->bytes[at] = (char)(copy->bytes[at] ^ (int)change);
        seal((uint8_t *)copy->bytes, copy->size);
    }
    return copy;
}

static RedisModuleString *raw(struct input *in)
{
    const size_t left = (size_t)(in->end - in->at);
    const size_t wanted = next(in);
    const size_t n = left && wanted < left - 1 ? wanted : left ? left - 1 : 0;
    RedisModuleString *string = string_new(in->at, n);

    in->at += n;
    return string;
}

static RedisModuleString *argument(const struct server *server, struct input *in)
{
    char text[32];

    switch (next(in) % 8) {
    case 0:
        return from_table(words, sizeof words / sizeof *words, in);
    case 1:
        return from_table(numbers, sizeof numbers / sizeof *numbers, in);
    case 2:
        return from_table(keys, sizeof keys / sizeof *keys, in);
    case 3:
        return answered(server, in);
    case 4:
        snprintf(text, sizeof text, "%zu", (server->bulk ? server->bulk->size : 0) + 1);
        return string_text(text);
    case 5:
        return raw(in);
    default:
        snprintf(text, sizeof text, "i%u", next(in) % N_ITEMS);
        return string_text(text);
    }
}

static void run_command(struct pair *pair, struct input *in)
{
    RedisModuleString *argv[2 + 16];
    int argc = 0;

    argv[argc++] = from_table(names, sizeof names / sizeof *names, in);
    const unsigned shape = next(in);
    argv[argc++] = string_text(keys[shape % 4]);
    for (unsigned n = shape / 4 % 16; n > 0; n--)
        argv[argc++] = argument(&pair->primary, in);
    pair_run(pair, argv, argc);
    while (argc > 0)
        free(argv[--argc]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input in = {bytes, bytes + size};
    struct pair pair;

    pair_open(&pair);
    pair_put(&pair, "another type", NULL);
    for (unsigned n = 0; in.at < in.end && n < MAX_COMMANDS; n++)
        run_command(&pair, &in);
    pair_close(&pair);
    return 0;
}
