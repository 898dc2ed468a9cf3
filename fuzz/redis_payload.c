/* SPDX-License-Identifier: MIT */
/* Values of the Redis module as a file, a primary or a client's RESTORE brings them, and all
 * commands on what is accepted.
 *
 *     byte 0    bits: 0 from a file, 1 checksums made right, 2-3 the face, 4 another total,
 *               5 another number of bytes, 6 in two strings, 7 another version of the encoding
 *     byte 1    by how much the numbers differ
 *     the rest  the bytes of the value
 */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/redis_pair.h"
#include "integrations/redis/opaque.h"

static const char *const commands[] = {
    "BF.MADD a i1 i2 i3 i4 i5 i1",
    "BF.INSERT a ITEMS i1 new",
    "BF.MEXISTS a i1 i2 new none",
    "BF.INFO a",
    "BF.CARD a",
    "BF.MERGE b a a",
    "BF.MADD b x1 x2 x3 x4 x5 x6",
    "BF.SCANDUMP a 0",
    "CF.INSERT a ITEMS i1 i1 i2 i3 i4 i5 i6",
    "CF.ADDNX a i7",
    "CF.MEXISTS a i1 i2 none",
    "CF.COUNT a i1",
    "CF.DEL a i1",
    "CF.INFO a",
    "CF.COMPACT a",
    "CF.MERGE b a a",
    "CF.DEL b i2",
    "CF.INSERTNX b ITEMS x1 x2 x3",
    "CF.SCANDUMP b 0",
    "NINHO.ADD a i1 i2 i3 7",
    "NINHO.HAS a i1 none",
    "NINHO.HAS a 7",
    "NINHO.ADD a 7",
    "NINHO.REMOVE a i1 i2",
    "NINHO.REMOVE a 7",
    "NINHO.UNION b a a",
    "NINHO.ADD b x1 x2",
    "NINHO.INFO a",
    "NINHO.EXPORT b",
    "NINHO.SCANDUMP a 0",
};

static struct rdb_value value_of(const uint8_t *bytes, size_t size, unsigned how,
                                 unsigned by)
{
    struct rdb_value value = {0};
    const uint64_t face = (how >> 2 & 3) + 1;
    const size_t first = how & 64 && size ? by % size : size;
    const size_t sizes[] = {first, size - first};

    value_add(&value, (struct rdb_item){.number = how & 16 ? size + by : size});
    value_add(&value, (struct rdb_item){.number = how & 32 ? size / 2 + by : size});
    value_add(&value, (struct rdb_item){.number = face});
    for (size_t i = 0, at = 0; i < (how & 64 ? 2 : 1); at += sizes[i++]) {
        uint8_t *copy = malloc(sizes[i] ? sizes[i] : 1);
        MUST(copy);
        if (sizes[i])
            memcpy(copy, bytes + at, sizes[i]);
        value_add(&value,
                  (struct rdb_item){.is_string = true, .bytes = copy, .size = sizes[i]});
    }
    return value;
}

/* It is what came, whatever is asked of it. */
static void check_kept(struct pair *pair, const struct rdb_value *value)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strstr(commands[i], " a")) {
            pair_say(pair, commands[i]);
            MUST(pair->primary.is_error || strstr(commands[i], " b"));
        }
    struct rdb_value saved = value_saved(pair->primary.keys[0].value);
    MUST(value_equal(value, &saved));
    value_free(&saved);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct server from;
    struct pair pair;
    bool is_at_end;

    if (size < 3)
        return 0;
    const unsigned how = bytes[0];
    const bool is_file = how & 1;
    uint8_t *mine = malloc(size - 2);
    MUST(mine);
    memcpy(mine, bytes + 2, size - 2);
    if (how & 2)
        seal(mine, size - 2);
    struct rdb_value value = value_of(mine, size - 2, how, bytes[1]);
    pair_open(&pair);
    server_open(&from, is_file ? REDISMODULE_CTX_LOADING : 0);
    struct nr_object *object = value_loaded(&from, &value, how & 128 ? 2 : 1, &is_at_end);
    MUST(object || !is_file || how & (32 | 128));
    if (object && !is_at_end) {
        nr_object_free(object); /* as the server does, which then refuses */
    } else if (object && object->opaque) {
        MUST(is_file);
        pair_put(&pair, "a", object);
        check_kept(&pair, &value);
    } else if (object) {
        static const char *const faces[] = {"", "NINHO.", "BF.", "CF."};
        const char *face = faces[object->face];
        pair_put(&pair, "a", object);
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
            if (strncmp(commands[i], face, strlen(face)) == 0)
                pair_say(&pair, commands[i]);
        pair_say(&pair, "NINHO.HAS a i1 none");
        pair_say(&pair, "NINHO.INFO a");
        pair_say(&pair, "NINHO.EXPORT a");
    }
    server_close(&from);
    pair_close(&pair);
    value_free(&value);
    free(mine);
    return 0;
}
