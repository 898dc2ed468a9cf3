/* SPDX-License-Identifier: MIT */
#include "44-lsm/database.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "44-lsm/builtin.h"
#include "harness/fail.h"
#include "harness/words.h"
#include "integrations/leveldb/ninho_leveldb.h"

enum { KEY_BYTES = 16, MAX_VALUE = 1024, BATCH = 500, N_LEVELS = 7, MAX_COMPACTIONS = 5 };

struct database {
    leveldb_t *db;
    leveldb_options_t *options;
    leveldb_filterpolicy_t *policy;
    leveldb_cache_t *cache;
    leveldb_readoptions_t *reading;
    /* TO_COUNT: */
    enum filter_source source;
    ninho_leveldb_filters *ours;
    uint64_t n_maybe;
    uint64_t stream;
};

static void check(const char *path, const char *error)
{
    if (error)
        fail("%s: LevelDB: %s", path, error);
}

/* A key is the 16 hexadecimal digits of its number's mixture: keys that are there and keys that are not
 * lie among each other. */
static void key_of(uint64_t stream, uint64_t number, char key[KEY_BYTES])
{
    uint64_t mixed = mix64(stream + number);

    for (unsigned i = KEY_BYTES; i-- > 0; mixed >>= 4)
        key[i] = "0123456789abcdef"[mixed & 15];
}

/* ---- Policies ------------------------------------------------------------------------------ */

static ninho_leveldb_options options_of(const struct filters *filters)
{
    ninho_leveldb_options options = NINHO_LEVELDB_INIT;

    options.kind = filters->kind;
    options.bits_per_key = filters->bits_per_key;
    options.fpr = filters->fpr;
    return options;
}

static leveldb_filterpolicy_t *policy_of(const struct filters *filters)
{
    const ninho_leveldb_options options = options_of(filters);
    leveldb_filterpolicy_t *policy = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (filters->source == BUILT_IN)
        return leveldb_filterpolicy_create_bloom((int)filters->bits_per_key);
    if (filters->source == OURS && ninho_leveldb_policy(&options, &policy, &error))
        fail("filters for LevelDB: %s", error.text);
    return policy;
}

/* A policy that makes blocks of one byte, for a database without filters whose reads are counted; the
 * others only read what was made before. */
static char *count_make(void *state, const char *const *keys, const size_t *key_sizes,
                        int n, size_t *size)
{
    const struct database *d = state;
    char *block = calloc(1, 1);

    (void)keys, (void)key_sizes, (void)n;
    if (d->source != NO_FILTER)
        fail("a database that should only be read was written");
    if (!block)
        fail("no memory");
    *size = 1;
    return block;
}

static uint8_t count_match(void *state, const char *key, size_t key_size,
                           const char *block, size_t size)
{
    struct database *d = state;
    const uint8_t maybe =
        d->source == NO_FILTER ? 1
        : d->source == BUILT_IN
            ? builtin_may_match((const uint8_t *)key, key_size, (const uint8_t *)block,
                                size)
            : ninho_leveldb_may_match(d->ours, key, key_size, block, size);

    d->n_maybe += maybe;
    return maybe;
}

static const char *count_name(void *state)
{
    const struct database *d = state;

    return d->source == NO_FILTER  ? "study.every"
           : d->source == BUILT_IN ? BUILTIN_NAME
                                   : ninho_leveldb_name(d->ours);
}

static void count_free(void *state)
{
    ninho_leveldb_free(((struct database *)state)->ours);
}

static leveldb_filterpolicy_t *counting_policy(struct database *d,
                                               const struct filters *filters)
{
    const ninho_leveldb_options options = options_of(filters);
    ninho_error error = NINHO_ERROR_INIT;

    if (filters->source == OURS &&
        ninho_leveldb_filters_create(&options, &d->ours, &error))
        fail("filters for LevelDB: %s", error.text);
    return leveldb_filterpolicy_create(d, count_free, count_make, count_match,
                                       count_name);
}

/* ---- Life ---------------------------------------------------------------------------------- */

struct database *database_open(const char *path, const struct filters *filters,
                               const struct extent *extent, enum purpose purpose)
{
    struct database *d = allocate(1, sizeof *d);
    char *error = NULL;

    d->source = filters->source;
    d->stream = extent->stream;
    d->options = leveldb_options_create();
    d->reading = leveldb_readoptions_create();
    d->cache = leveldb_cache_create_lru(extent->cache_bytes);
    d->policy = purpose == TO_COUNT ? counting_policy(d, filters) : policy_of(filters);
    leveldb_options_set_create_if_missing(d->options, 1);
    leveldb_options_set_cache(d->options, d->cache);
    /* Compressed blocks would have other numbers of keys for other values. */
    leveldb_options_set_compression(d->options, leveldb_no_compression);
    if (d->policy)
        leveldb_options_set_filter_policy(d->options, d->policy);
    d->db = leveldb_open(d->options, path, &error);
    check(path, error);
    return d;
}

void database_close(struct database *d)
{
    leveldb_close(d->db);
    leveldb_cache_destroy(d->cache);
    leveldb_readoptions_destroy(d->reading);
    leveldb_options_destroy(d->options);
    if (d->policy)
        leveldb_filterpolicy_destroy(d->policy);
    free(d);
}

void database_remove(const char *path)
{
    leveldb_options_t *options = leveldb_options_create();
    char *error = NULL;

    leveldb_destroy_db(options, path, &error);
    leveldb_options_destroy(options);
    check(path, error);
}

/* The keys in no order, as they would come. Values are the same bytes in all databases. */
static void fill(struct database *d, const char *path, const struct extent *extent)
{
    leveldb_writeoptions_t *writing = leveldb_writeoptions_create();
    leveldb_writebatch_t *batch = leveldb_writebatch_create();
    char key[KEY_BYTES], value[MAX_VALUE], *error = NULL;

    if (extent->value_bytes > sizeof value)
        fail("values of more than %d bytes", MAX_VALUE);
    memset(value, 'v', sizeof value);
    for (size_t i = 0; i < extent->n_keys; i++) {
        key_of(d->stream, i, key);
        leveldb_writebatch_put(batch, key, KEY_BYTES, value, extent->value_bytes);
        if (i % BATCH == BATCH - 1 || i + 1 == extent->n_keys) {
            leveldb_write(d->db, writing, batch, &error);
            check(path, error);
            leveldb_writebatch_clear(batch);
        }
    }
    leveldb_writebatch_destroy(batch);
    leveldb_writeoptions_destroy(writing);
}

static unsigned n_levels_used(struct database *d)
{
    unsigned n_used = 0;

    for (unsigned level = 0; level < N_LEVELS; level++) {
        char name[48];
        snprintf(name, sizeof name, "leveldb.num-files-at-level%u", level);
        char *text = leveldb_property_value(d->db, name);
        n_used += text && strtoul(text, NULL, 10) > 0;
        leveldb_free(text);
    }
    return n_used;
}

/* Until one level holds all tables: then each get comes to one table at most. The first time LevelDB
 * may not yet know of tables that it is just writing. */
static void settle(struct database *d, const char *path)
{
    for (unsigned i = 0; i < MAX_COMPACTIONS; i++) {
        leveldb_compact_range(d->db, NULL, 0, NULL, 0);
        if (n_levels_used(d) == 1)
            return;
    }
    fail("%s: tables in %u levels instead of 1", path, n_levels_used(d));
}

static uint64_t table_bytes(const char *path)
{
    DIR *folder = opendir(path);
    uint64_t total = 0;

    if (!folder)
        fail("%s: cannot be listed", path);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        const char *end = strrchr(entry->d_name, '.');
        struct stat status;
        char file[4600];
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (end && !strcmp(end, ".ldb") && !stat(file, &status))
            total += (uint64_t)status.st_size;
    }
    closedir(folder);
    return total;
}

uint64_t database_make(const char *path, const struct filters *filters,
                       const struct extent *extent)
{
    database_remove(path);
    /* What is counted without filters has blocks of one byte that say where. */
    const bool is_counted = filters->source == NO_FILTER && filters->fpr == 1;
    struct database *d =
        database_open(path, filters, extent, is_counted ? TO_COUNT : TO_TIME);
    fill(d, path, extent);
    settle(d, path);
    database_close(d);
    /* Opening it removes what compaction has left behind. */
    d = database_open(path, filters, extent, is_counted ? TO_COUNT : TO_TIME);
    database_close(d);
    return table_bytes(path);
}

/* ---- Asking -------------------------------------------------------------------------------- */

size_t database_ask(struct database *d, const uint64_t *numbers, size_t n)
{
    size_t n_found = 0;

    for (size_t i = 0; i < n; i++) {
        char key[KEY_BYTES], *error = NULL;
        size_t size = 0;
        key_of(d->stream, numbers[i], key);
        char *value = leveldb_get(d->db, d->reading, key, KEY_BYTES, &size, &error);
        check("get", error);
        n_found += value != NULL;
        leveldb_free(value);
    }
    return n_found;
}

uint64_t database_reads(struct database *d)
{
    const uint64_t n = d->n_maybe;

    d->n_maybe = 0;
    return n;
}
