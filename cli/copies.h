/* SPDX-License-Identifier: MIT */
/* A dictionary as a multiset, which is what the tool uses it for: the value of a key is the number
 * of its copies. A value of 0, which the tool never writes, is taken for one copy. */
#ifndef CLI_COPIES_H
#define CLI_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli.h"

/* How many copies of a key there are; 0: none. */
uint64_t copies_of(const ninho_dict *dict, const void *key, size_t key_size);

/* Adds n copies of a key: what ninho_dict_put() answers, or NINHO_ERR_FULL if nobody could count
 * them all. */
ninho_status copies_add(ninho_dict *dict, const void *key, size_t key_size, uint64_t n);

/* Takes one copy out, and the key with the last one. NINHO_ERR_NOT_FOUND. */
ninho_status copies_take(ninho_dict *dict, const void *key, size_t key_size);

/* All copies of all keys; UINT64_MAX also stands for more. */
uint64_t copies_total(const ninho_dict *dict);

#endif
