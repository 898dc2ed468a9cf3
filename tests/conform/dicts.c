/* SPDX-License-Identifier: MIT */
#include "conform/dicts.h"

#include <string.h>

#include "support/test.h"

const uint8_t dict_secret[NINHO_SECRET_BYTES] = {3, 1, 4, 1, 5, 9, 2, 6,
                                                 5, 3, 5, 8, 9, 7, 9, 3};

const struct dict_config dict_configs[] = {
    {"chain, any size", NINHO_CHAIN, 0, 0, 0, 0, 0, 0},
    {"chain, 8 bytes", NINHO_CHAIN, 8, 0, 0, 0, 0, 0},
    {"probe, any size", NINHO_PROBE, 0, 0, 0, 0, 0, 0},
    {"probe, 8 bytes", NINHO_PROBE, 8, 0, 0, 0, 0, 0},
    {"probe, 16 bytes", NINHO_PROBE, 16, 0, 0, 0, 0, NINHO_HASH_XXH64},
    {"probe, 11 bytes, keyed", NINHO_PROBE, 11, 0, 0, 0, 0, NINHO_HASH_SIPHASH},
    {"cuckoo-table, any size", NINHO_CUCKOO_TABLE, 0, 0, 0, 0, 0, 0},
    {"cuckoo-table, 8 bytes", NINHO_CUCKOO_TABLE, 8, 0, 0, 0, 4, NINHO_HASH_XXH3},
    {"cuckoo-table, one slot, two tables", NINHO_CUCKOO_TABLE, 8, 2, 1, 2, 0, 0},
    {"cuckoo-table, three functions", NINHO_CUCKOO_TABLE, 5, 3, 2, 1, 1, 0},
    {"cuckoo-table, four functions", NINHO_CUCKOO_TABLE, 0, 4, 8, 2, 16, 0},
};
const size_t n_dict_configs = sizeof dict_configs / sizeof *dict_configs;

ninho_dict_spec dict_spec_of(const struct dict_config *config)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;

    spec.kind = config->kind;
    spec.key_size = config->key_size;
    spec.hash = config->hash;
    spec.n_functions = config->n_functions;
    spec.bucket_size = config->bucket_size;
    spec.n_tables = config->n_tables;
    spec.stash_size = config->stash_size;
    if (config->hash == NINHO_HASH_SIPHASH)
        spec.secret = dict_secret;
    return spec;
}

ninho_open_options dict_options_of(const struct dict_config *config)
{
    ninho_open_options options = NINHO_OPEN_INIT;

    if (config->hash == NINHO_HASH_SIPHASH)
        options.secret = dict_secret;
    return options;
}

size_t dict_key(const struct dict_config *config, uint64_t i, uint8_t key[64])
{
    memset(key, 0, 64);
    for (unsigned b = 0; b < 8; b++)
        key[b] = (uint8_t)(i >> (8 * b));
    if (config->key_size)
        return config->key_size; /* at least 5 bytes: enough for all numbers used */
    if (i < 2)
        return (size_t)i;
    /* The same number always gives the same length; different ones differ in their
     * bytes. */
    return 5 + (size_t)(mix64(i) % 40);
}
