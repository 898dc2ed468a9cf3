/* SPDX-License-Identifier: MIT */
/* The dictionaries that every test of them runs over: one line each in dicts.c. */
#ifndef NINHO_TEST_DICTS_H
#define NINHO_TEST_DICTS_H

#include <ninho/ninho.h>

struct dict_config {
    const char *name;
    ninho_dict_kind kind;
    uint32_t key_size;
    uint32_t n_functions, bucket_size, n_tables, stash_size;
    ninho_hash_id hash;
};

extern const struct dict_config dict_configs[];
extern const size_t n_dict_configs;
extern const uint8_t dict_secret[NINHO_SECRET_BYTES];

/* A spec for one of them, and the options that open its file. */
ninho_dict_spec dict_spec_of(const struct dict_config *config);
ninho_open_options dict_options_of(const struct dict_config *config);

/* Key number i of a configuration, written to key[0..64): returns its size. Distinct for
 * distinct i; of keys of any length, number 0 is the empty one and number 1 a single
 * NUL. */
size_t dict_key(const struct dict_config *config, uint64_t i, uint8_t key[64]);

#endif
