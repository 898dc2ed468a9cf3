/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct nr_config nr_config = {
    .bf_error_rate = 0.01,
    .bf_initial_size = 100,
    .bf_expansion = 2,
    .cf_error_rate = 0.01,
    .cf_initial_size = 1024,
    .cf_bucket_size = 2,
    .cf_max_iterations = 20,
    .cf_expansion = 1,
    .max_key_bytes = 128LL << 20,
    .max_transfer_bytes = 64LL << 20,
};

#define MAX_SIZE (1LL << 40)

static const struct number {
    const char *name;
    const char *alias; /* as RedisBloom's module argument, or NULL */
    long long *value, min, max;
    unsigned flags;
} numbers[] = {
    {"bf-initial-size", "INITIAL_SIZE", &nr_config.bf_initial_size, 1, MAX_SIZE, 0},
    {"bf-expansion-factor", NULL, &nr_config.bf_expansion, 0, 32768, 0},
    {"cf-initial-size", NULL, &nr_config.cf_initial_size, 1, MAX_SIZE, 0},
    {"cf-bucket-size", NULL, &nr_config.cf_bucket_size, 1, 255, 0},
    {"cf-max-iterations", NULL, &nr_config.cf_max_iterations, 1, 65535, 0},
    {"cf-expansion-factor", NULL, &nr_config.cf_expansion, 0, 32768, 0},
    {"max-key-bytes", NULL, &nr_config.max_key_bytes, 0, INT64_MAX,
     REDISMODULE_CONFIG_MEMORY},
    {"max-transfer-bytes", NULL, &nr_config.max_transfer_bytes, 0, INT64_MAX,
     REDISMODULE_CONFIG_MEMORY},
};

static struct rate {
    const char *name;
    const char *alias;
    double *value;
    RedisModuleString *text; /* what CONFIG GET shows; ours */
} rates[] = {
    {"bf-error-rate", "ERROR_RATE", &nr_config.bf_error_rate, NULL},
    {"cf-error-rate", NULL, &nr_config.cf_error_rate, NULL},
};

#define N_NUMBERS (sizeof numbers / sizeof *numbers)
#define N_RATES   (sizeof rates / sizeof *rates)

static long long get_number(const char *name, void *data)
{
    (void)name;
    return *((const struct number *)data)->value;
}

static int set_number(const char *name, long long value, void *data,
                      RedisModuleString **error)
{
    (void)name;
    (void)error;
    *((const struct number *)data)->value = value;
    return REDISMODULE_OK;
}

static RedisModuleString *get_rate(const char *name, void *data)
{
    const struct rate *rate = data;
    char text[40];
    int n = 0;

    (void)name;
    /* the shortest decimals that read back as the same number */
    for (int digits = 1; digits <= 17; digits++) {
        n = snprintf(text, sizeof text, "%.*g", digits, *rate->value);
        if (strtod(text, NULL) == *rate->value)
            break;
    }
    if (rate->text)
        redis.FreeString(NULL, rate->text);
    ((struct rate *)data)->text = redis.CreateString(NULL, text, (size_t)n);
    return rate->text;
}

static bool read_rate(const RedisModuleString *text, double *value)
{
    return redis.StringToDouble(text, value) == REDISMODULE_OK && *value > 0 &&
           *value < 1;
}

static int set_rate(const char *name, RedisModuleString *text, void *data,
                    RedisModuleString **error)
{
    static const char wrong[] = "error rate must lie between 0 and 1, both excluded";
    double value;

    (void)name;
    if (!read_rate(text, &value)) {
        *error = redis.CreateString(NULL, wrong, sizeof wrong - 1);
        return REDISMODULE_ERR;
    }
    *((struct rate *)data)->value = value;
    return REDISMODULE_OK;
}

static bool is_name(const char *given, const char *name, const char *alias)
{
    return strcasecmp(given, name) == 0 || (alias && strcasecmp(given, alias) == 0);
}

/* A number; of bytes also with a unit, as CONFIG SET takes it. */
static bool read_number(const struct number *number, const RedisModuleString *text,
                        long long *value)
{
    static const struct {
        const char *name;
        long long n_bytes;
    } units[] = {{"", 1},        {"b", 1},        {"k", 1000},       {"kb", 1 << 10},
                 {"m", 1000000}, {"mb", 1 << 20}, {"g", 1000000000}, {"gb", 1 << 30}};
    const char *digits = redis.StringPtrLen(text, NULL);
    char *end;

    if (!(number->flags & REDISMODULE_CONFIG_MEMORY))
        return redis.StringToLongLong(text, value) == REDISMODULE_OK &&
               *value >= number->min && *value <= number->max;
    const size_t n_digits = strspn(digits, "0123456789");
    if (n_digits < 1 || n_digits > 18)
        return false;
    *value = strtoll(digits, &end, 10);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcasecmp(end, units[i].name) == 0 &&
            *value <= number->max / units[i].n_bytes) {
            *value *= units[i].n_bytes;
            return true;
        }
    return false;
}

/* One argument. */
static bool set_argument(const char *name, const RedisModuleString *text)
{
    for (size_t i = 0; i < N_NUMBERS; i++) {
        const struct number *number = &numbers[i];
        long long value;
        if (!is_name(name, number->name, number->alias))
            continue;
        if (!read_number(number, text, &value))
            return false;
        *number->value = value;
        return true;
    }
    for (size_t i = 0; i < N_RATES; i++)
        if (is_name(name, rates[i].name, rates[i].alias))
            return read_rate(text, rates[i].value);
    return false;
}

static int register_all(RedisModuleCtx *ctx)
{
    for (size_t i = 0; i < N_NUMBERS; i++)
        if (redis.RegisterNumericConfig(ctx, numbers[i].name, *numbers[i].value,
                                        numbers[i].flags, numbers[i].min, numbers[i].max,
                                        get_number, set_number, NULL,
                                        (void *)(uintptr_t)&numbers[i]) != REDISMODULE_OK)
            return REDISMODULE_ERR;
    for (size_t i = 0; i < N_RATES; i++) {
        size_t size;
        const char *text = redis.StringPtrLen(get_rate(NULL, &rates[i]), &size);
        if (redis.RegisterStringConfig(ctx, rates[i].name, text,
                                       REDISMODULE_CONFIG_DEFAULT, get_rate, set_rate,
                                       NULL, &rates[i]) != REDISMODULE_OK)
            return REDISMODULE_ERR;
    }
    return redis.LoadConfigs(ctx);
}

int nr_config_load(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    for (int i = 0; i < argc; i += 2) {
        const char *name = redis.StringPtrLen(argv[i], NULL);
        if (i + 1 == argc || !set_argument(name, argv[i + 1])) {
            redis.Log(ctx, "warning",
                      "argument %s: unknown, out of its range, or without a value", name);
            return REDISMODULE_ERR;
        }
    }
    return register_all(ctx);
}
