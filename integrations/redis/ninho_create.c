/* SPDX-License-Identifier: MIT */
/* NINHO.CREATE key [kind] [option value ...]: a filter of any kind that can be added to, with
 * every option of the library. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../common/defaults.h"
#include "commands.h"
#include "ninho_key.h"
#include "reply.h"

static bool read_number(const struct nr_args *args, int at, uint64_t max, uint64_t *value)
{
    size_t size;
    const char *text = redis.StringPtrLen(args->argv[at + 1], &size);

    errno = 0;
    const unsigned long long number = strtoull(text, NULL, 10);
    if (!size || strspn(text, "0123456789") != size || errno || number > max)
        return nr_refuse(args->ctx, "ERR %s must be a whole number, at most %llu",
                         redis.StringPtrLen(args->argv[at], NULL),
                         (unsigned long long)max);
    *value = number;
    return true;
}

/* Which of `words`, "a|b|c", argv[at + 1] is: 1, 2, ... 0 after an error. */
static unsigned read_word(const struct nr_args *args, int at, const char *words)
{
    unsigned number = 1;

    for (const char *word = words; *word; number++) {
        const size_t n = strcspn(word, "|");
        size_t size;
        const char *given = redis.StringPtrLen(args->argv[at + 1], &size);
        if (size == n && strncasecmp(given, word, n) == 0)
            return number;
        word += n + (word[n] == '|');
    }
    nr_error(args->ctx, "ERR %s must be %s", redis.StringPtrLen(args->argv[at], NULL),
             words);
    return 0;
}

/* Whole numbers of the spec, by name. */
static bool read_numbers(const struct nr_args *args, int at, ninho_spec *spec,
                         bool *is_known)
{
    struct {
        const char *name;
        uint64_t *wide;
        uint32_t *narrow;
    } numbers[] = {
        {"CAPACITY", &spec->capacity, NULL}, {"SEED", &spec->seed, NULL},
        {"BITS", &spec->n_bits, NULL},       {"MAXCAPACITY", &spec->max_capacity, NULL},
        {"NSLOTS", &spec->n_slots, NULL},    {"HASHES", NULL, &spec->n_hashes},
        {"GROWTH", NULL, &spec->growth},     {"TAGBITS", NULL, &spec->tag_bits},
        {"ARITY", NULL, &spec->arity},       {"PLACE", NULL, &spec->place_slots},
        {"KICKS", NULL, &spec->max_kicks},   {"BUDGET", NULL, &spec->budget},
    };

    *is_known = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint64_t value = 0;
        if (!nr_is_word(args->argv[at], numbers[i].name))
            continue;
        if (!read_number(args, at, numbers[i].wide ? UINT64_MAX : UINT32_MAX, &value))
            return false;
        if (numbers[i].wide)
            *numbers[i].wide = value;
        else
            *numbers[i].narrow = (uint32_t)value;
        return true;
    }
    *is_known = false;
    return true;
}

static bool read_words(const struct nr_args *args, int at, ninho_spec *spec)
{
    const RedisModuleString *name = args->argv[at];
    unsigned word = 0;

    if (nr_is_word(name, "HASH"))
        spec->hash = (ninho_hash_id)(word = read_word(args, at, "xxh3|siphash|xxh64"));
    else if (nr_is_word(name, "TYPE"))
        spec->key_encoding =
            (ninho_key_encoding)(word = read_word(args, at, "bytes|int64|uuid"));
    else if (nr_is_word(name, "KRULE"))
        spec->k_rule = (word = read_word(args, at, "best|floor")) == 2 ? NINHO_K_FLOOR
                                                                       : NINHO_K_BEST;
    else if (nr_is_word(name, "SLOTS"))
        spec->slots = (ninho_slots)(word = read_word(args, at, "buckets|windows"));
    else if (nr_is_word(name, "CHOICE"))
        spec->choice = (ninho_choice)(word = read_word(args, at, "random|emptier"));
    else if (nr_is_word(name, "SEARCH"))
        spec->search = (ninho_search)(word = read_word(args, at, "walk|bfs"));
    else if (nr_is_word(name, "PAIRING"))
        spec->pairing = (ninho_pairing)(word = read_word(args, at, "xor|offset"));
    else if (nr_is_word(name, "SEMANTICS"))
        spec->semantics = (word = read_word(args, at, "multiset|set")) == 2
                              ? NINHO_SET
                              : NINHO_MULTISET;
    else if (nr_is_word(name, "BASE")) {
        word = read_word(args, at, "bloom|blocked|cuckoo");
        spec->base = word == 1 ? NINHO_BLOOM : word == 2 ? NINHO_BLOCKED : NINHO_CUCKOO;
    } else {
        nr_error(args->ctx, "ERR unknown option %.60s", redis.StringPtrLen(name, NULL));
    }
    return word != 0;
}

static bool read_option(const struct nr_args *args, int at, ninho_spec *spec,
                        struct nr_object *object)
{
    bool is_known;

    if (at + 1 == args->argc)
        return nr_refuse(args->ctx, "ERR %.60s has no value",
                         redis.StringPtrLen(args->argv[at], NULL));
    if (nr_is_word(args->argv[at], "SECRET"))
        return nr_ninho_read_secret(args, at + 1, object);
    if (nr_is_word(args->argv[at], "FPR")) {
        if (redis.StringToDouble(args->argv[at + 1], &spec->fpr) == REDISMODULE_OK &&
            spec->fpr > 0 && spec->fpr < 1)
            return true;
        return nr_refuse(args->ctx, "ERR FPR must lie between 0 and 1, both excluded");
    }
    return read_numbers(args, at, spec, &is_known) &&
           (is_known || read_words(args, at, spec));
}

/* The kind that argv[2] names; *at is where options begin. Options come in twos, so that there is a
 * kind if their number is odd. 0: no such kind. */
static ninho_kind read_kind(const struct nr_args *args, int *at)
{
    char kind[32] = "";
    size_t size;

    *at = 2;
    if (args->argc == 2)
        return DEFAULT_KIND;
    const char *name = redis.StringPtrLen(args->argv[2], &size);
    if (size < sizeof kind)
        memcpy(kind, name, size);
    const ninho_kind found = ninho_kind_from_name(kind);
    if (!found && args->argc % 2 == 0)
        return DEFAULT_KIND;
    *at = 3;
    return found;
}

static bool has_capacity(const struct nr_args *args, int at)
{
    bool has = false;

    for (; at < args->argc && !has; at += 2)
        has = nr_is_word(args->argv[at], "CAPACITY");
    return has;
}

/* The filter that argv[2] and the options ask for; false after an error. */
static bool create(const struct nr_args *args, struct nr_object *object)
{
    const ninho_alloc alloc = nr_object_alloc(object);
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_filter *filter;
    int at;

    spec.kind = read_kind(args, &at);
    if (!spec.kind)
        return nr_refuse(args->ctx,
                         "ERR unknown kind %.60s: take bloom, blocked, counting, cuckoo, "
                         "quotient, compact or scalable",
                         redis.StringPtrLen(args->argv[2], NULL));
    if (!has_capacity(args, at))
        defaults_grow(&spec);
    for (; at < args->argc; at += 2)
        if (!read_option(args, at, &spec, object))
            return false;
    if (!(spec.fpr > 0) && !spec.n_bits && !spec.tag_bits)
        spec.fpr = DEFAULT_FPR;
    if (object->has_secret && !spec.hash)
        spec.hash = NINHO_HASH_SIPHASH;
    spec.secret = object->has_secret ? object->secret : NULL;
    spec.pages = NINHO_PAGES_SMALL;
    const ninho_status status = ninho_filter_create(&spec, &alloc, &filter, &error);
    if (status == NINHO_ERR_UNSUPPORTED)
        return nr_refuse(args->ctx,
                         "ERR %s: build it with ninho build and use NINHO.IMPORT",
                         error.text);
    if (status) {
        nr_fail(args->ctx, &error);
        return false;
    }
    return nr_object_insert(object, filter, spec.capacity, 0);
}

int nr_ninho_create(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const struct nr_args args = nr_begin(ctx, argv, argc);
    struct nr_object *object;
    RedisModuleKey *key;

    if (argc < 2)
        return redis.WrongArity(ctx);
    nr_ninho_hide_secret(&args);
    const enum nr_found found =
        nr_open(&args, 1, REDISMODULE_READ | REDISMODULE_WRITE, NR_NINHO, &key, &object);
    if (found == NR_FOUND) {
        nr_error(ctx, NR_EXISTS);
    } else if (found == NR_MISSING) {
        object = nr_object_new(NR_NINHO);
        if (create(&args, object)) {
            nr_store(key, object);
            nr_changed(&args);
            redis.ReplyWithSimpleString(ctx, "OK");
        } else {
            nr_object_free(object);
        }
    }
    nr_close(key);
    return REDISMODULE_OK;
}
