/* SPDX-License-Identifier: MIT */
/* Every command, as module.c registers it. */
#ifndef NR_COMMANDS_H
#define NR_COMMANDS_H

#include "redis_module.h"

/* X(name, function, flags, arity, last key, writes) : arity as Redis counts it, negative
 * for "at least"; last key -1 for commands with several. */
#define NR_COMMANDS(X)                                              \
    X("BF.RESERVE", nr_bf_reserve, "write deny-oom", -4, 1, 1)      \
    X("BF.ADD", nr_bf_add_one, "write deny-oom fast", 3, 1, 1)      \
    X("BF.MADD", nr_bf_madd, "write deny-oom", -3, 1, 1)            \
    X("BF.INSERT", nr_bf_insert, "write deny-oom", -4, 1, 1)        \
    X("BF.EXISTS", nr_bf_exists, "readonly fast", 3, 1, 0)          \
    X("BF.MEXISTS", nr_bf_mexists, "readonly", -3, 1, 0)            \
    X("BF.INFO", nr_bf_info, "readonly fast", -2, 1, 0)             \
    X("BF.CARD", nr_bf_card, "readonly fast", 2, 1, 0)              \
    X("BF.MERGE", nr_bf_merge, "write deny-oom", -3, -1, 1)         \
    X("BF.SCANDUMP", nr_bf_scandump, "readonly", 3, 1, 0)           \
    X("BF.LOADCHUNK", nr_bf_loadchunk, "write deny-oom", 4, 1, 1)   \
    X("CF.RESERVE", nr_cf_reserve, "write deny-oom", -3, 1, 1)      \
    X("CF.ADD", nr_cf_add_one, "write deny-oom fast", 3, 1, 1)      \
    X("CF.ADDNX", nr_cf_add_one_nx, "write deny-oom fast", 3, 1, 1) \
    X("CF.INSERT", nr_cf_insert, "write deny-oom", -4, 1, 1)        \
    X("CF.INSERTNX", nr_cf_insert_nx, "write deny-oom", -4, 1, 1)   \
    X("CF.EXISTS", nr_cf_exists, "readonly fast", 3, 1, 0)          \
    X("CF.MEXISTS", nr_cf_mexists, "readonly", -3, 1, 0)            \
    X("CF.DEL", nr_cf_del, "write fast", 3, 1, 1)                   \
    X("CF.COUNT", nr_cf_count, "readonly fast", 3, 1, 0)            \
    X("CF.INFO", nr_cf_info, "readonly fast", 2, 1, 0)              \
    X("CF.COMPACT", nr_cf_compact_key, "write", -2, 1, 1)           \
    X("CF.MERGE", nr_cf_merge, "write deny-oom", -3, -1, 1)         \
    X("CF.SCANDUMP", nr_cf_scandump, "readonly", 3, 1, 0)           \
    X("CF.LOADCHUNK", nr_cf_loadchunk, "write deny-oom", 4, 1, 1)   \
    X("NINHO.CREATE", nr_ninho_create, "write deny-oom", -3, 1, 1)  \
    X("NINHO.ADD", nr_ninho_add, "write deny-oom", -3, 1, 1)        \
    X("NINHO.HAS", nr_ninho_has, "readonly", -3, 1, 0)              \
    X("NINHO.REMOVE", nr_ninho_remove, "write", -3, 1, 1)           \
    X("NINHO.UNION", nr_ninho_union, "write deny-oom", -3, -1, 1)   \
    X("NINHO.INFO", nr_ninho_info, "readonly", 2, 1, 0)             \
    X("NINHO.EXPORT", nr_ninho_export, "readonly", 2, 1, 0)         \
    X("NINHO.IMPORT", nr_ninho_import, "write deny-oom", -3, 1, 1)  \
    X("NINHO.SCANDUMP", nr_ninho_scandump, "readonly", 3, 1, 0)     \
    X("NINHO.LOADCHUNK", nr_ninho_loadchunk, "write deny-oom", 4, 1, 1)

#define NR_DECLARE(name, function, flags, arity, last_key, writes) \
    int function(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
NR_COMMANDS(NR_DECLARE)
#undef NR_DECLARE

#endif
