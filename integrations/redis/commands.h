/* SPDX-License-Identifier: MIT */
/* Every command, as module.c registers it. */
#ifndef NR_COMMANDS_H
#define NR_COMMANDS_H

#include "redis_module.h"

/* X(name, function, flags, arity, last key, writes, summary): arity as Redis counts it,
 * negative for "at least"; last key -1 for commands with several. */
#define NR_COMMANDS(X)                                                                   \
    X("BF.RESERVE", nr_bf_reserve, "write deny-oom", -4, 1, 1,                           \
      "Makes an empty Bloom filter")                                                     \
    X("BF.ADD", nr_bf_add_one, "write deny-oom fast", 3, 1, 1,                           \
      "Adds an item to a Bloom filter")                                                  \
    X("BF.MADD", nr_bf_madd, "write deny-oom", -3, 1, 1, "Adds items to a Bloom filter") \
    X("BF.INSERT", nr_bf_insert, "write deny-oom", -4, 1, 1,                             \
      "Adds items to a Bloom filter, made as the options say if it is missing")          \
    X("BF.EXISTS", nr_bf_exists, "readonly fast", 3, 1, 0,                               \
      "Asks whether an item may be in a Bloom filter")                                   \
    X("BF.MEXISTS", nr_bf_mexists, "readonly", -3, 1, 0,                                 \
      "Asks whether items may be in a Bloom filter")                                     \
    X("BF.INFO", nr_bf_info, "readonly fast", -2, 1, 0,                                  \
      "Tells the properties of a Bloom filter")                                          \
    X("BF.CARD", nr_bf_card, "readonly fast", 2, 1, 0,                                   \
      "Counts the items of a Bloom filter")                                              \
    X("BF.MERGE", nr_bf_merge, "write deny-oom", -3, -1, 1,                              \
      "Adds all of some Bloom filters to one")                                           \
    X("BF.SCANDUMP", nr_bf_scandump, "readonly", 3, 1, 0,                                \
      "Reads a Bloom filter in pieces")                                                  \
    X("BF.LOADCHUNK", nr_bf_loadchunk, "write deny-oom", 4, 1, 1,                        \
      "Writes a Bloom filter in pieces")                                                 \
    X("CF.RESERVE", nr_cf_reserve, "write deny-oom", -3, 1, 1,                           \
      "Makes an empty cuckoo filter")                                                    \
    X("CF.ADD", nr_cf_add_one, "write deny-oom fast", 3, 1, 1,                           \
      "Adds a copy of an item to a cuckoo filter")                                       \
    X("CF.ADDNX", nr_cf_add_one_nx, "write deny-oom fast", 3, 1, 1,                      \
      "Adds an item to a cuckoo filter unless it seems to be there")                     \
    X("CF.INSERT", nr_cf_insert, "write deny-oom", -4, 1, 1,                             \
      "Adds copies of items to a cuckoo filter")                                         \
    X("CF.INSERTNX", nr_cf_insert_nx, "write deny-oom", -4, 1, 1,                        \
      "Adds items to a cuckoo filter that do not seem to be there")                      \
    X("CF.EXISTS", nr_cf_exists, "readonly fast", 3, 1, 0,                               \
      "Asks whether an item may be in a cuckoo filter")                                  \
    X("CF.MEXISTS", nr_cf_mexists, "readonly", -3, 1, 0,                                 \
      "Asks whether items may be in a cuckoo filter")                                    \
    X("CF.DEL", nr_cf_del, "write fast", 3, 1, 1,                                        \
      "Takes a copy of an item out of a cuckoo filter")                                  \
    X("CF.COUNT", nr_cf_count, "readonly fast", 3, 1, 0,                                 \
      "Tells at most how many copies of an item are in a cuckoo filter")                 \
    X("CF.INFO", nr_cf_info, "readonly fast", 2, 1, 0,                                   \
      "Tells the properties of a cuckoo filter")                                         \
    X("CF.COMPACT", nr_cf_compact_key, "write", -2, 1, 1,                                \
      "Moves items to smaller tables and frees empty ones, step by step")                \
    X("CF.MERGE", nr_cf_merge, "write deny-oom", -3, -1, 1,                              \
      "Adds all of some cuckoo filters to one")                                          \
    X("CF.SCANDUMP", nr_cf_scandump, "readonly", 3, 1, 0,                                \
      "Reads a cuckoo filter in pieces")                                                 \
    X("CF.LOADCHUNK", nr_cf_loadchunk, "write deny-oom", 4, 1, 1,                        \
      "Writes a cuckoo filter in pieces")                                                \
    X("NINHO.CREATE", nr_ninho_create, "write deny-oom", -2, 1, 1,                       \
      "Makes an empty filter of any kind")                                               \
    X("NINHO.ADD", nr_ninho_add, "write deny-oom", -3, 1, 1,                             \
      "Adds items to a filter of any kind")                                              \
    X("NINHO.HAS", nr_ninho_has, "readonly", -3, 1, 0,                                   \
      "Asks whether items may be in a filter")                                           \
    X("NINHO.REMOVE", nr_ninho_remove, "write", -3, 1, 1,                                \
      "Takes items out of a filter whose kind can")                                      \
    X("NINHO.UNION", nr_ninho_union, "write deny-oom", -3, -1, 1,                        \
      "Adds all of some filters to one")                                                 \
    X("NINHO.INFO", nr_ninho_info, "readonly", 2, 1, 0,                                  \
      "Tells everything about a filter")                                                 \
    X("NINHO.EXPORT", nr_ninho_export, "readonly", 2, 1, 0,                              \
      "Gives a filter as a ninho file")                                                  \
    X("NINHO.IMPORT", nr_ninho_import, "write deny-oom", -3, 1, 1,                       \
      "Makes a filter from a ninho file")                                                \
    X("NINHO.SCANDUMP", nr_ninho_scandump, "readonly", 3, 1, 0,                          \
      "Reads a filter in pieces")                                                        \
    X("NINHO.LOADCHUNK", nr_ninho_loadchunk, "write deny-oom", 4, 1, 1,                  \
      "Writes a filter in pieces")

#define NR_DECLARE(name, function, flags, arity, last_key, writes, summary) \
    int function(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
NR_COMMANDS(NR_DECLARE)
#undef NR_DECLARE

#endif
