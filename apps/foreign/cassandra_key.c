/* SPDX-License-Identifier: MIT */
/* Partition keys as people write them, and the bytes that Cassandra stores for them. */
#include <string.h>

#include "apps/base/base.h"
#include "cassandra.h"
#include "text.h"

static const struct {
    const char *name;
    const char *wanted;
} types[] = {
    [NINHO_CASSANDRA_TEXT] = {"text", "any text"},
    [NINHO_CASSANDRA_INT] = {"int", "a whole number from -2147483648 to 2147483647"},
    [NINHO_CASSANDRA_BIGINT] = {"bigint", "a whole number from -2^63 to 2^63 - 1"},
    [NINHO_CASSANDRA_UUID] = {"uuid", "a uuid like 00112233-4455-6677-8899-aabbccddeeff"},
    [NINHO_CASSANDRA_BLOB] = {"blob", "an even number of hexadecimal digits"},
};

#define N_TYPES (sizeof types / sizeof *types)

const char *ninho_cassandra_type_name(ninho_cassandra_type type)
{
    return (size_t)type < N_TYPES ? types[type].name : NULL;
}

/* A number of 4 or 8 bytes, big-endian. */
static bool read_number(struct nf_text text, uint8_t *bytes, size_t size)
{
    uint64_t value;

    if (!nf_text_integer(text, 8 * (unsigned)size, false, &value))
        return false;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> (8 * (size - 1 - i)));
    return true;
}

static bool read_blob(struct nf_text text, uint8_t *bytes, size_t *size)
{
    if (text.end - text.at >= 2 && text.at[0] == '0' && text.at[1] == 'x')
        text.at += 2;
    const size_t n_digits = (size_t)(text.end - text.at);
    *size = n_digits / 2;
    return n_digits % 2 == 0 && nf_text_hex(text, '\0', bytes, *size);
}

ninho_status ninho_cassandra_key(ninho_cassandra_type type, const char *text, size_t size,
                                 void *room, const void **key, size_t *key_size,
                                 ninho_error *error)
{
    const struct nf_text whole = {.at = text, .end = text + size};
    const void *found = room;
    size_t n = 0;
    bool is_one = false;

    switch (type) {
    case NINHO_CASSANDRA_TEXT:
        found = text;
        n = size;
        is_one = true;
        break;
    case NINHO_CASSANDRA_INT:
    case NINHO_CASSANDRA_BIGINT:
        n = type == NINHO_CASSANDRA_INT ? 4 : 8;
        is_one = read_number(whole, room, n);
        break;
    case NINHO_CASSANDRA_UUID:
        n = 16;
        is_one = nf_text_hex(whole, '-', room, n);
        break;
    case NINHO_CASSANDRA_BLOB:
        is_one = read_blob(whole, room, &n);
        break;
    default:
        return na_fail(error, NINHO_ERR_ARG, "type %d is not known", (int)type);
    }
    if (!is_one)
        return na_fail(
            error, NINHO_ERR_ARG, "\"%.*s\" is no key of type %s: %s is wanted",
            (int)(size < 60 ? size : 60), text, types[type].name, types[type].wanted);
    *key = found;
    *key_size = n;
    return NINHO_OK;
}
