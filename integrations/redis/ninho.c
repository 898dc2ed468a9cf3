/* SPDX-License-Identifier: MIT */
/* NINHO.*: filters of any kind of the library, and files of the tool ninho. HAS, INFO,
 * EXPORT answer for BF and CF keys too. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blob.h"
#include "chain.h"
#include "commands.h"
#include "ninho_key.h"
#include "opaque.h"
#include "reply.h"

/* ---- Items ------------------------------------------------------------------------- */

/* How a key's items become hashes. */
struct hashing {
    ninho_hasher hasher;
    ninho_key_encoding encoding;
};

/* False after an error. */
static bool start_hashing(RedisModuleCtx *ctx, const struct nr_object *object,
                          struct hashing *hashing)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    (void)ninho_filter_spec(object->layers[0].filter, &spec);
    hashing->encoding = spec.key_encoding;
    const ninho_status status =
        ninho_filter_hasher(object->layers[0].filter, &hashing->hasher);
    if (status == NINHO_ERR_KEY_MISSING)
        return nr_refuse(ctx, "ERR the filter is keyed: import it with its SECRET");
    if (status ||
        (spec.key_encoding != NINHO_KEY_BYTES && spec.key_encoding != NINHO_KEY_INT64 &&
         spec.key_encoding != NINHO_KEY_UUID))
        return nr_refuse(ctx,
                         "ERR the keys of this filter are %s, which cannot be asked "
                         "for here",
                         ninho_key_encoding_name(spec.key_encoding));
    return true;
}

/* 16 bytes from 32 hexadecimal digits, with or without hyphens. */
static bool read_hex(const char *text, size_t size, uint8_t bytes[16])
{
    static const char digits[] = "0123456789abcdef";
    unsigned n = 0;

    for (size_t i = 0; i < size; i++) {
        const int c = tolower((unsigned char)text[i]);
        const char *digit = c ? strchr(digits, c) : NULL;
        if (c == '-' && size == 36 && (i == 8 || i == 13 || i == 18 || i == 23))
            continue;
        if (!digit || n == 32)
            return false;
        const unsigned value = (unsigned)(digit - digits);
        bytes[n / 2] = (uint8_t)(n % 2 ? bytes[n / 2] | value : value << 4);
        n++;
    }
    return n == 32;
}

static bool hash_item(const struct hashing *hashing, const RedisModuleString *item,
                      uint64_t *hash)
{
    uint8_t uuid[16];
    long long number;
    size_t size;
    const char *bytes = redis.StringPtrLen(item, &size);

    switch (hashing->encoding) {
    case NINHO_KEY_INT64:
        if (redis.StringToLongLong(item, &number) != REDISMODULE_OK)
            return false;
        *hash = ninho_hash_int64(&hashing->hasher, number);
        return true;
    case NINHO_KEY_UUID:
        if (size != 16 && !read_hex(bytes, size, uuid))
            return false;
        *hash = ninho_hash_bytes(&hashing->hasher, size == 16 ? bytes : (char *)uuid, 16);
        return true;
    default:
        *hash = ninho_hash_bytes(&hashing->hasher, bytes, size);
        return true;
    }
}

/* The hashes of all items from argv[2] on, or NULL after an error. */
static uint64_t *hash_items(const struct nr_args *args, const struct nr_object *object)
{
    const size_t n = (size_t)args->argc - 2;
    struct hashing hashing;

    if (!start_hashing(args->ctx, object, &hashing))
        return NULL;
    uint64_t *hashes = redis.Alloc(n * sizeof *hashes);
    for (size_t i = 0; i < n; i++) {
        if (hash_item(&hashing, args->argv[2 + i], &hashes[i]))
            continue;
        nr_error(args->ctx, "ERR item %zu is no %s", i + 1,
                 ninho_key_encoding_name(hashing.encoding));
        redis.Free(hashes);
        return NULL;
    }
    return hashes;
}

/* Opens argv[1], which must be there. NULL after an error. */
static struct nr_object *open_existing(const struct nr_args *args, int mode,
                                       unsigned face, RedisModuleKey **key)
{
    struct nr_object *object;

    if (nr_open(args, 1, mode, face, key, &object) == NR_MISSING)
        nr_error(args->ctx, NR_NOT_FOUND);
    return object;
}

/* Opens argv[1], a NINHO key, to be changed. NULL after an error. */
static struct nr_object *open_to_change(const struct nr_args *args, RedisModuleKey **key)
{
    struct nr_object *object =
        open_existing(args, REDISMODULE_READ | REDISMODULE_WRITE, NR_NINHO, key);

    return object && nr_is_free(args, object->layers[0].filter) ? object : NULL;
}

/* ---- ADD, HAS, REMOVE -------------------------------------------------------------- */

static bool keeps_copies(const ninho_filter *filter)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    (void)ninho_filter_spec(filter, &spec);
    const ninho_kind kind = spec.kind == NINHO_SCALABLE ? spec.base : spec.kind;
    return ninho_kind_can(kind) & NINHO_CAN_REMOVE && spec.semantics == NINHO_MULTISET;
}

/* Adds what the hashes stand for and answers: 1 added, 0 seems to be there already (kinds
 * that keep no copies), -1 no room. */
static void add_hashes(const struct nr_args *args, ninho_filter *filter,
                       const uint64_t *hashes)
{
    const size_t n = (size_t)args->argc - 2;
    const bool has_copies = keeps_copies(filter);
    int8_t *answers = redis.Alloc(n);
    struct nr_work work = {0};
    bool is_refused = false;
    size_t n_added = 0;

    redis.ReplyWithArray(args->ctx, (long)n);
    for (size_t i = 0; i < n; i++) {
        answers[i] = 0;
        if (has_copies || !ninho_filter_has(filter, hashes[i])) {
            const bool is_done = nr_work_is_done(&work, hashes[i]);
            const ninho_status status =
                is_done ? NINHO_ERR_FULL : ninho_filter_add(filter, hashes[i]);
            if (status == NINHO_ERR_FULL && !is_done)
                nr_work_failed(&work, filter, hashes[i]);
            answers[i] = status ? -1 : 1;
            n_added += !status;
            is_refused |= status == NINHO_ERR_NOMEM || is_done;
        }
        redis.ReplyWithLongLong(args->ctx, answers[i]);
    }
    if (n_added && is_refused)
        nr_changed_by(args, "NINHO.ADD", NULL, args->argv + 2, answers, n);
    else if (n_added)
        nr_changed(args);
    redis.Free(answers);
}

int nr_ninho_add(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    RedisModuleKey *key;

    if (argc < 3)
        return redis.WrongArity(ctx);
    struct nr_object *object = open_to_change(&args, &key);
    uint64_t *hashes = object ? hash_items(&args, object) : NULL;
    if (hashes) {
        ninho_filter *filter = object->layers[0].filter;
        ninho_spec spec = NINHO_SPEC_INIT;
        (void)ninho_filter_spec(filter, &spec);
        if (ninho_kind_can(spec.kind) & NINHO_CAN_ADD)
            add_hashes(&args, filter, hashes);
        else
            nr_error(ctx, "ERR %s filters are built once, with all their keys",
                     ninho_kind_name(spec.kind));
    }
    redis.Free(hashes);
    nr_close(key);
    return REDISMODULE_OK;
}

int nr_ninho_has(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    RedisModuleKey *key;

    if (argc < 3)
        return redis.WrongArity(ctx);
    const struct nr_object *object = open_existing(&args, REDISMODULE_READ, 0, &key);
    uint64_t *hashes = object ? hash_items(&args, object) : NULL;
    if (hashes) {
        const size_t n = (size_t)argc - 2;
        redis.ReplyWithArray(ctx, (long)n);
        for (size_t at = 0; at < n; at += NR_GROUP) {
            const size_t n_group = n - at < NR_GROUP ? n - at : NR_GROUP;
            uint64_t maybe[NR_GROUP / 64];
            nr_chain_has_many(object, hashes + at, n_group, maybe);
            for (size_t i = 0; i < n_group; i++)
                redis.ReplyWithBool(ctx, maybe[i / 64] >> (i % 64) & 1);
        }
    }
    redis.Free(hashes);
    nr_close(key);
    return REDISMODULE_OK;
}

/* Removes one copy of each and answers: 1 removed, 0 was not there, -1 not removed, since
 * that would be too much work. */
static void remove_hashes(const struct nr_args *args, ninho_filter *filter,
                          const uint64_t *hashes)
{
    const size_t n = (size_t)args->argc - 2;
    int8_t *answers = redis.Alloc(n);
    struct nr_work work = {0};
    size_t n_removed = 0;

    redis.ReplyWithArray(args->ctx, (long)n);
    for (size_t i = 0; i < n; i++) {
        const ninho_status status = nr_work_remove(&work, filter, hashes[i]);
        if (status && status != NINHO_ERR_NOT_FOUND) {
            answers[i] = -1;
            redis.ReplyWithLongLong(args->ctx, -1);
            continue;
        }
        answers[i] = !status;
        n_removed += !status;
        redis.ReplyWithBool(args->ctx, !status);
    }
    if (n_removed && work.has_full)
        nr_changed_by(args, "NINHO.REMOVE", NULL, args->argv + 2, answers, n);
    else if (n_removed)
        nr_changed(args);
    redis.Free(answers);
}

int nr_ninho_remove(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    RedisModuleKey *key;

    if (argc < 3)
        return redis.WrongArity(ctx);
    struct nr_object *object = open_to_change(&args, &key);
    uint64_t *hashes = object ? hash_items(&args, object) : NULL;
    if (hashes && keeps_copies(object->layers[0].filter))
        remove_hashes(&args, object->layers[0].filter, hashes);
    else if (hashes)
        nr_error(ctx, "ERR filters of this kind cannot remove");
    redis.Free(hashes);
    nr_close(key);
    return REDISMODULE_OK;
}

/* ---- INFO -------------------------------------------------------------------------- */

static void reply_name(RedisModuleCtx *ctx, const char *name, const char *value)
{
    redis.ReplyWithSimpleString(ctx, name);
    redis.ReplyWithSimpleString(ctx, value);
}

static void reply_double(RedisModuleCtx *ctx, const char *name, double value)
{
    redis.ReplyWithSimpleString(ctx, name);
    redis.ReplyWithDouble(ctx, value);
}

/* A number where Redis has one for it: half of all seeds are too large for its integers. */
static void reply_seed(RedisModuleCtx *ctx, uint64_t seed)
{
    char digits[24];

    if (seed <= INT64_MAX) {
        nr_pair(ctx, "seed", seed);
        return;
    }
    snprintf(digits, sizeof digits, "%" PRIu64, seed);
    reply_name(ctx, "seed", digits);
}

static void reply_can(RedisModuleCtx *ctx, uint32_t can)
{
    const char *name;
    size_t n = 0;

    redis.ReplyWithSimpleString(ctx, "can");
    redis.ReplyWithArray(ctx, REDISMODULE_POSTPONED_LENGTH);
    for (; (name = ninho_can_name(can, n)) != NULL; n++)
        redis.ReplyWithSimpleString(ctx, name);
    redis.ReplySetArrayLength(ctx, (long)n);
}

static void reply_info(RedisModuleCtx *ctx, const struct nr_object *object)
{
    static const char *const faces[] = {"", "ninho", "bf", "cf"};
    uint64_t size = 0, capacity = 0, table_bytes = 0;
    ninho_info info = NINHO_INFO_INIT;
    double log_miss = 0, load = 0;

    for (uint32_t i = 0; i < object->n_layers; i++) {
        (void)ninho_filter_info(object->layers[i].filter, &info);
        size += info.size_bytes;
        capacity += info.capacity;
        log_miss += log1p(-info.fpr_expected);
        table_bytes += info.table_bytes;
        load += info.load * (double)info.table_bytes;
    }
    const uint64_t count = nr_object_count(object);
    const uint64_t keys = count > capacity ? count : capacity;
    redis.ReplyWithMap(ctx, 16);
    reply_name(ctx, "commands", faces[object->face]);
    reply_name(ctx, "kind", ninho_kind_name(info.kind));
    nr_pair(ctx, "filters", object->n_layers);
    nr_pair(ctx, "capacity", capacity);
    nr_pair(ctx, "count", count);
    reply_double(ctx, "fpr_target",
                 object->face == NR_NINHO ? info.fpr_target : object->error);
    reply_double(ctx, "fpr_expected", log_miss < 0 ? -expm1(log_miss) : 0);
    reply_double(ctx, "bits_per_key", 8 * (double)size / (double)keys);
    nr_pair(ctx, "size_bytes", size);
    nr_pair(ctx, "memory_bytes", nr_object_bytes(object));
    reply_double(ctx, "load", table_bytes ? load / (double)table_bytes : 0);
    reply_seed(ctx, info.seed);
    reply_name(ctx, "hash", ninho_hash_name(info.hash));
    reply_name(ctx, "key_encoding", ninho_key_encoding_name(info.key_encoding));
    nr_pair(ctx, "format_version", info.format_version);
    reply_can(ctx, info.can);
}

int nr_ninho_info(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    RedisModuleKey *key;

    if (argc != 2)
        return redis.WrongArity(ctx);
    const struct nr_object *object = open_existing(&args, REDISMODULE_READ, 0, &key);
    if (object)
        reply_info(ctx, object);
    nr_close(key);
    return REDISMODULE_OK;
}

/* ---- Files ------------------------------------------------------------------------- */

int nr_ninho_export(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    RedisModuleKey *key;

    if (argc != 2)
        return redis.WrongArity(ctx);
    const struct nr_object *object = open_existing(&args, REDISMODULE_READ, 0, &key);
    if (object && object->n_layers > 1) {
        nr_error(
            ctx,
            "ERR a filter that has grown to %u tables is not one file: use SCANDUMP, "
            "or reserve it large enough",
            object->n_layers);
    } else if (object) {
        const size_t size = ninho_filter_encoded_size(object->layers[0].filter);
        if (!nr_is_too_large(&args, size)) {
            char *bytes = redis.Alloc(size);
            (void)ninho_filter_encode(object->layers[0].filter, bytes, size, NULL);
            redis.ReplyWithStringBuffer(ctx, bytes, size);
            redis.Free(bytes);
        }
    }
    nr_close(key);
    return REDISMODULE_OK;
}

void nr_ninho_hide_secret(const struct nr_args *args)
{
    for (int at = 3; at + 1 < args->argc; at++)
        if (nr_is_word(args->argv[at], "SECRET"))
            redis.RedactClientCommandArgument(args->ctx, at + 1);
}

bool nr_ninho_read_secret(const struct nr_args *args, int at, struct nr_object *object)
{
    size_t size;
    const char *text = redis.StringPtrLen(args->argv[at], &size);

    if (size != 32 || !read_hex(text, size, object->secret))
        return nr_refuse(args->ctx, "ERR SECRET must be 32 hexadecimal digits");
    object->has_secret = true;
    return true;
}

static bool is_dictionary(const char *bytes, size_t size)
{
    ninho_probe_info info = NINHO_PROBE_INIT;

    return ninho_probe(bytes, size, &info, NULL) == NINHO_OK && info.is_dict;
}

static bool decode(const struct nr_args *args, struct nr_object *object)
{
    const ninho_alloc alloc = nr_object_alloc(object);
    ninho_open_options options = NINHO_OPEN_INIT;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_filter *filter;
    size_t size;

    const char *bytes = redis.StringPtrLen(args->argv[2], &size);
    if (nr_is_too_large(args, size))
        return false;
    options.alloc = &alloc;
    options.secret = object->has_secret ? object->secret : NULL;
    options.allow_sealed = true;
    options.pages = NINHO_PAGES_SMALL;
    const ninho_status status =
        ninho_filter_decode(bytes, size, &options, &filter, &error);
    if (status && !args->has_limits) { /* it was accepted once: nothing is dropped */
        object->bytes = nr_blob_around(object, bytes, size, &object->n_bytes);
        object->n_room = object->n_bytes;
        nr_opaque_keep(object, error.text);
        return true;
    }
    if (status == NINHO_ERR_VERSION && is_dictionary(bytes, size))
        return nr_refuse(args->ctx, "ERR the file is a dictionary, not a filter: build "
                                    "one of another kind");
    if (status) {
        nr_fail(args->ctx, &error);
        return false;
    }
    (void)ninho_filter_spec(filter, &spec);
    return nr_object_insert(object, filter, spec.capacity, 0);
}

int nr_ninho_import(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    const int mode = REDISMODULE_READ | REDISMODULE_WRITE;
    struct nr_object *old, *object = nr_object_new(NR_NINHO);
    RedisModuleKey *key = NULL;
    bool is_replace = false, is_good = true;

    if (argc < 3) {
        nr_object_free(object);
        return redis.WrongArity(ctx);
    }
    nr_ninho_hide_secret(&args);
    for (int at = 3; at < argc && is_good; at++) {
        if (nr_is_word(argv[at], "REPLACE"))
            is_replace = true;
        else if (nr_is_word(argv[at], "SECRET") && at + 1 < argc)
            is_good = nr_ninho_read_secret(&args, ++at, object);
        else
            is_good = nr_refuse(ctx, "Unknown argument received");
    }
    const enum nr_found found =
        is_good ? nr_open(&args, 1, mode, NR_NINHO, &key, &old) : NR_REPLIED;
    if (found == NR_FOUND && !is_replace)
        nr_error(ctx, NR_EXISTS);
    else if (found != NR_REPLIED && decode(&args, object)) {
        nr_store(key, object);
        object = NULL; /* the server's now */
        nr_changed(&args);
        redis.ReplyWithSimpleString(ctx, "OK");
    }
    nr_object_free(object);
    nr_close(key);
    return REDISMODULE_OK;
}
