/* SPDX-License-Identifier: MIT */
#include "spec.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "explain.h"
#include "memory.h"
#include "secret.h"

#define DEFAULT_KIND   NINHO_BLOOM
#define DEFAULT_FPR    0.01
#define FIRST_CAPACITY 1000 /* of a filter that grows */
#define META_NAME_ROOM 65

/* The options of cuckoo filters, which sub-filters may be too. With a dictionary beside it, it is
 * that which keeps a set: the filter holds a tag for each key in it, and none stands for two. */
static int finish_cuckoo(struct spec_options *options, const struct args *args)
{
    ninho_spec *spec = &options->spec;

    if (options->kind == NINHO_CUCKOO_TABLE) {
        options->dict.bucket_size = options->cuckoo.bucket;
        if (options->cuckoo.bucket > MAX_TABLE_BUCKET)
            return usage_error(args->command,
                               "--bucket %" PRIu32
                               ": must be a whole number from 1 to %d for cuckoo-table",
                               options->cuckoo.bucket, MAX_TABLE_BUCKET);
    }
    if (!cuckoo_is(spec)) {
        const struct option *option = args_particular(args, NINHO_CUCKOO);
        if (spec->kind == NINHO_SCALABLE && option)
            return usage_error(
                args->command, "--%s is for --base cuckoo, not for scalable over %s",
                option->name, kind_name(spec->base ? (int)spec->base : NINHO_BLOCKED));
        return EXIT_YES;
    }
    options->keeps_once = options->cuckoo.set && options->checked;
    if (options->cuckoo.set && !options->checked)
        spec->semantics = NINHO_SET;
    return cuckoo_finish(&options->cuckoo, args, spec);
}

/* A secret goes with siphash and siphash with a secret. */
static int finish_hash(struct spec_options *options, const struct args *args)
{
    ninho_spec *spec = &options->spec;

    if (options->key_file && !spec->hash)
        spec->hash = NINHO_HASH_SIPHASH;
    if (spec->hash == NINHO_HASH_SIPHASH) {
        if (!options->key_file)
            return usage_error(args->command, "--hash siphash needs a --key-file");
        if (args_given(args, "seed"))
            return usage_error(
                args->command,
                "--seed and siphash exclude each other: the secret is the seed");
        spec->secret = options->secret;
        return secret_read(options->key_file, options->secret);
    }
    if (options->key_file)
        return usage_error(args->command, "--key-file is for --hash siphash, not for %s",
                           ninho_hash_name(spec->hash));
    return EXIT_YES;
}

/* The pair's name, cut off at the '='; what is too long for a name is none. */
static const char *split_pair(const char *pair, char name[META_NAME_ROOM])
{
    const size_t length = strcspn(pair, "=");

    name[0] = '\0';
    if (length < META_NAME_ROOM)
        (void)snprintf(name, META_NAME_ROOM, "%.*s", (int)length, pair);
    return pair + length + 1;
}

/* Finds out now whether the metadata can be kept, and not after all keys have been read. */
static int check_meta(const struct spec_options *options, const struct args *args)
{
    size_t room = NINHO_META_BYTES - (options->keeps_once ? NINHO_CHECKED_META_BYTES : 0);

    for (size_t i = 0; i < options->n_meta; i++) {
        char name[META_NAME_ROOM];
        const char *value = split_pair(options->meta[i], name);
        const size_t size = ninho_meta_size(name, value);
        if (!size)
            return usage_error(
                args->command,
                "--meta %.100s: a name is 1 to 64 of a-z 0-9 _ . - and a value is "
                "text without a newline",
                options->meta[i]);
        if (size > room)
            return usage_error(args->command,
                               "--meta: names and values take more than %d bytes",
                               NINHO_META_BYTES);
        room -= size;
    }
    return EXIT_YES;
}

/* What is said of keys holds for the dictionary too. Beside a filter it hashes as it likes best,
 * unless an adversary may choose the keys. */
static void finish_dict(struct spec_options *options)
{
    const ninho_spec *spec = &options->spec;
    ninho_dict_spec *dict = &options->dict;

    if (kind_is_exact(options->kind)) {
        dict->kind = (ninho_dict_kind)options->kind;
        dict->max_capacity = spec->capacity;
    }
    if (kind_is_exact(options->kind) || spec->hash == NINHO_HASH_SIPHASH) {
        dict->hash = spec->hash;
        dict->seed = spec->seed;
        dict->secret = spec->secret;
    }
    dict->key_encoding = spec->key_encoding;
    dict->key_size = spec->key_encoding == NINHO_KEY_INT64 ? 8 : 0;
    dict->pages = spec->pages;
}

int spec_grow(struct spec_options *options, const struct args *args)
{
    const int kind = options->kind ? options->kind : DEFAULT_KIND;
    const bool is_base = ninho_kind_can_be_base((ninho_kind)kind);

    if (options->spec.capacity || kind_is_exact(kind))
        return EXIT_YES;
    if (!is_base && kind != NINHO_SCALABLE)
        return usage_error(args->command,
                           "--capacity N is needed for %s; bloom, blocked and cuckoo "
                           "filters grow without",
                           kind_name(kind));
    const struct option *fixed = args_not_for(args, NINHO_SCALABLE);
    if (fixed)
        return usage_error(args->command, "--capacity N is needed with --%s",
                           fixed->name);
    options->kind = NINHO_SCALABLE;
    if (is_base)
        options->spec.base = (ninho_kind)kind;
    options->spec.capacity = FIRST_CAPACITY;
    return EXIT_YES;
}

int spec_finish(struct spec_options *options, const struct args *args)
{
    ninho_spec *spec = &options->spec;

    if (!options->kind)
        options->kind = DEFAULT_KIND;
    if (!kind_is_exact(options->kind))
        spec->kind = (ninho_kind)options->kind;
    int status = args_check_kind(args, options->kind);
    if (status)
        return status;
    options->has_fpr = spec->fpr > 0;
    if (spec->fpr <= 0 && !spec->n_bits && !spec->tag_bits)
        spec->fpr = DEFAULT_FPR;
    spec->pages = options->no_huge ? NINHO_PAGES_SMALL : NINHO_PAGES_AUTO;
    status = finish_cuckoo(options, args);
    if (!status)
        status = check_meta(options, args);
    if (!status)
        status = finish_hash(options, args);
    if (!status)
        finish_dict(options);
    return status;
}

/* The least that so many keys take, as a lower bound for a message. */
static double least_bytes(const struct spec_options *options)
{
    const ninho_spec *spec = &options->spec;
    const double n = (double)spec->capacity;
    const double ln2 = log(2);

    if (kind_is_exact(options->kind))
        return 16 * n; /* a key of eight bytes and its value, say */
    return -n * log(spec->fpr > 0 ? spec->fpr : DEFAULT_FPR) / (ln2 * ln2) / 8;
}

int spec_check_capacity(const struct spec_options *options, const struct args *args)
{
    const uint64_t capacity = options->spec.capacity;

    if (capacity <= MAX_CAPACITY)
        return EXIT_YES;
    return usage_error(args->command,
                       "--capacity: must be from 1 to %" PRIu64
                       "; that many keys would need at least %.3g bytes",
                       MAX_CAPACITY, least_bytes(options));
}

/* What was given by hand, and cannot keep the fpr that was asked for. */
static int too_high(const struct spec_options *options, const struct command *command,
                    const ninho_plan *plan)
{
    const ninho_spec *spec = &options->spec;
    const char *name = spec->tag_bits ? "tag-bits" : "bits";

    return usage_error(command,
                       "--fpr %.4g cannot be kept: --%s %" PRIu64
                       " gives %.4g for %" PRIu64 " keys; leave out one of the two",
                       spec->fpr, name,
                       spec->tag_bits ? (uint64_t)spec->tag_bits : spec->n_bits,
                       plan->fpr_expected, plan->capacity);
}

/* Plans one filter. */
static int plan_one(const struct spec_options *options, const struct command *command,
                    ninho_plan *plan)
{
    const ninho_spec *spec = &options->spec;
    ninho_error error = NINHO_ERROR_INIT;
    char text[600];

    if (ninho_filter_plan(spec, plan, &error)) {
        spec_explain(spec, &error, text, sizeof text);
        return fail_as(status_name(error.status), "%s: %s", command->name, text);
    }
    if (options->has_fpr && (spec->tag_bits || spec->n_bits) &&
        plan->fpr_expected > 1.1 * spec->fpr)
        return too_high(options, command, plan);
    return EXIT_YES;
}

int spec_plan(struct spec_options *options, const struct command *command)
{
    struct spec_options least = *options;
    char names[300];

    if (kind_is_exact(options->kind) || options->is_planned)
        return EXIT_YES;
    options->is_planned = options->spec.capacity > 0;
    if (!options->is_planned) { /* before the keys are read; nor is the fpr known then */
        least.has_fpr = false;
        least.spec.capacity = 1;
        least.spec.max_capacity = 0;
    }
    options->plan = (ninho_plan)NINHO_PLAN_INIT;
    const int status = plan_one(&least, command, &options->plan);
    if (status || !options->checked || options->plan.can & NINHO_CAN_REMOVE)
        return status;
    kind_list(NINHO_CAN_REMOVE, false, names, sizeof names);
    return usage_error(command,
                       "--checked is for kinds that can remove keys (%s), not for %s%s",
                       names, kind_name(options->kind),
                       options->kind == NINHO_SCALABLE ? " over other kinds" : "");
}

bool spec_has_dict(const struct spec_options *options)
{
    return options->checked || kind_is_exact(options->kind);
}

int spec_check_memory(struct spec_options *options, const struct command *command,
                      const char *path, uint64_t besides)
{
    const int status = spec_plan(options, command);

    return status ? status : memory_check(path, options->plan.table_bytes + besides);
}

int spec_create_filter(struct spec_options *options, const struct command *command,
                       const char *path, struct set *set)
{
    ninho_error error = NINHO_ERROR_INIT;
    const int status = spec_check_memory(options, command, path, 0);

    if (status)
        return status;
    if (ninho_filter_create(&options->spec, NULL, &set->filter, &error))
        return fail_error(path, &error);
    return EXIT_YES;
}

int spec_create_dict(const struct spec_options *options, const char *path,
                     struct set *set)
{
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_dict_create(&options->dict, NULL, &set->dict, &error))
        return fail_error(path, &error);
    return EXIT_YES;
}

int spec_set_meta(const struct spec_options *options, ninho_filter *filter)
{
    for (size_t i = 0; i < options->n_meta; i++) {
        char name[META_NAME_ROOM];
        const char *value = split_pair(options->meta[i], name);
        if (ninho_filter_set_meta(filter, name, value)) /* the rest was checked */
            return fail_no_memory();
    }
    return EXIT_YES;
}
