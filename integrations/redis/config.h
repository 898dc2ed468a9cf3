/* SPDX-License-Identifier: MIT */
/* The defaults and limits: module arguments when it is loaded, CONFIG GET and SET
 * ninho.NAME afterwards. */
#ifndef NR_CONFIG_H
#define NR_CONFIG_H

#include "redis_module.h"

struct nr_config {
    double bf_error_rate;
    long long bf_initial_size, bf_expansion;
    double cf_error_rate;
    long long cf_initial_size, cf_bucket_size, cf_max_iterations, cf_expansion;
    long long max_key_bytes;      /* of one key; 0: no limit */
    long long max_transfer_bytes; /* of one MERGE, UNION, EXPORT or IMPORT; 0: no limit */
};

extern struct nr_config nr_config;

/* Reads the arguments "name value ..." and registers the parameters. REDISMODULE_ERR, with
 * a line in the log, if one of them is wrong. */
int nr_config_load(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
