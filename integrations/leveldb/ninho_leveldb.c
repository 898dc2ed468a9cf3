/* SPDX-License-Identifier: MIT */
/* The policy itself: the functions of block.c, put together for LevelDB. */
#include "ninho_leveldb.h"

ninho_status ninho_leveldb_policy(const ninho_leveldb_options *options,
                                  leveldb_filterpolicy_t **out, ninho_error *error)
{
    ninho_leveldb_filters *filters = NULL;

    const ninho_status status =
        ninho_leveldb_filters_create(options, out ? &filters : NULL, error);
    if (filters)
        *out =
            leveldb_filterpolicy_create(filters, ninho_leveldb_free, ninho_leveldb_make,
                                        ninho_leveldb_may_match, ninho_leveldb_name);
    return status;
}
