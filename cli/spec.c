/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "numbers.h"
#include "secret.h"
#include "spec.h"

#define MAX_CAPACITY (UINT64_C(1) << 48)
#define DEFAULT_KIND NINHO_BLOOM
#define DEFAULT_FPR  0.01

/* Appends to a list in words; what does not fit is cut. */
static void append_name(char *list, size_t list_size, const char *name)
{
    const size_t used = strlen(list);
    (void)snprintf(list + used, list_size - used, "%s%s", used ? ", " : "", name);
}

static bool parse_kind(const struct option *option, const char *text, void *target,
                       char *why, size_t why_size)
{
    const ninho_kind kind = ninho_kind_from_name(text);
    char names[300] = "";

    (void)option;
    if (kind) {
        *(ninho_kind *)target = kind;
        return true;
    }
    for (size_t i = 0; ninho_kind_at(i); i++)
        append_name(names, sizeof names, ninho_kind_name(ninho_kind_at(i)));
    (void)snprintf(why, why_size, "must be one of %s", names);
    return false;
}

static bool parse_hash(const struct option *option, const char *text, void *target,
                       char *why, size_t why_size)
{
    const ninho_hash_id hash = ninho_hash_from_name(text);
    char names[100] = "";

    (void)option;
    if (hash) {
        *(ninho_hash_id *)target = hash;
        return true;
    }
    for (int id = 1; ninho_hash_name((ninho_hash_id)id); id++)
        append_name(names, sizeof names, ninho_hash_name((ninho_hash_id)id));
    (void)snprintf(why, why_size, "must be one of %s", names);
    return false;
}

/* The encodings that lines of text can be turned into. */
static bool parse_type(const struct option *option, const char *text, void *target,
                       char *why, size_t why_size)
{
    const ninho_key_encoding encoding = ninho_key_encoding_from_name(text);

    (void)option;
    if (encoding == NINHO_KEY_BYTES || encoding == NINHO_KEY_INT64) {
        *(ninho_key_encoding *)target = encoding;
        return true;
    }
    (void)snprintf(why, why_size, "must be bytes or int64");
    return false;
}

static bool parse_k_rule(const struct option *option, const char *text, void *target,
                         char *why, size_t why_size)
{
    (void)option;
    if (strcmp(text, "best") == 0) {
        *(ninho_k_rule *)target = NINHO_K_BEST;
    } else if (strcmp(text, "floor") == 0) {
        *(ninho_k_rule *)target = NINHO_K_FLOOR;
    } else {
        (void)snprintf(why, why_size, "must be best or floor");
        return false;
    }
    return true;
}

/* The target is the whole struct spec_options. */
static bool parse_meta(const struct option *option, const char *text, void *target,
                       char *why, size_t why_size)
{
    struct spec_options *options = target;
    const char *equals = strchr(text, '=');

    (void)option;
    if (!equals || equals == text) {
        (void)snprintf(why, why_size, "must be NAME=VALUE");
        return false;
    }
    if (options->n_meta == MAX_META) {
        (void)snprintf(why, why_size, "there are %d already", MAX_META);
        return false;
    }
    const size_t name_length = (size_t)(equals - text);
    for (size_t i = 0; i < options->n_meta; i++) {
        if (strncmp(options->meta[i], text, name_length + 1) == 0) {
            (void)snprintf(why, why_size, "that name is given twice");
            return false;
        }
    }
    options->meta[options->n_meta++] = text;
    return true;
}

#define FIELD(field) offsetof(struct spec_options, field)

const struct option size_options[] = {
    {.name = "kind", .value = "KIND", .parse = parse_kind, .offset = FIELD(spec.kind)},
    {.name = "capacity",
     .value = "N",
     .parse = parse_saturating,
     .offset = FIELD(spec.capacity),
     .min = 1,
     .max = MAX_CAPACITY},
    {.name = "fpr", .value = "P", .parse = parse_fpr, .offset = FIELD(spec.fpr)},
    {0},
};

const struct option identity_options[] = {
    {.name = "seed", .value = "S", .parse = parse_seed, .offset = FIELD(spec.seed)},
    {.name = "hash", .value = "HASH", .parse = parse_hash, .offset = FIELD(spec.hash)},
    {.name = "key-file", .value = "FILE", .parse = parse_text, .offset = FIELD(key_file)},
    {.name = "type",
     .value = "TYPE",
     .parse = parse_type,
     .offset = FIELD(spec.key_encoding)},
    {.name = "meta", .value = "NAME=VALUE", .parse = parse_meta, .may_repeat = true},
    {0},
};

static const ninho_kind bloom_like[] = {NINHO_BLOOM, NINHO_COUNTING, 0};
static const ninho_kind by_hand[] = {NINHO_BLOOM, NINHO_BLOCKED, NINHO_COUNTING, 0};
static const ninho_kind growing[] = {NINHO_SCALABLE, 0};

const struct option family_options[] = {
    {.name = "bits",
     .value = "M",
     .parse = parse_u64,
     .offset = FIELD(spec.n_bits),
     .min = 1,
     .max = UINT64_C(1) << 56,
     .kinds = by_hand},
    {.name = "hashes",
     .value = "K",
     .parse = parse_u32,
     .offset = FIELD(spec.n_hashes),
     .min = 1,
     .max = 64,
     .kinds = bloom_like},
    {.name = "k-rule",
     .value = "RULE",
     .parse = parse_k_rule,
     .offset = FIELD(spec.k_rule),
     .kinds = bloom_like},
    {.name = "base",
     .value = "KIND",
     .parse = parse_kind,
     .offset = FIELD(spec.base),
     .kinds = growing},
    {.name = "growth",
     .value = "G",
     .parse = parse_u32,
     .offset = FIELD(spec.growth),
     .min = 2,
     .max = 16,
     .kinds = growing},
    {.name = "no-huge", .offset = FIELD(no_huge)},
    {0},
};

/* An option for some kinds, given for another. */
static int wrong_kind(const struct args *args, const struct option *option,
                      ninho_kind kind)
{
    char names[300] = "";

    for (const ninho_kind *k = option->kinds; *k; k++)
        append_name(names, sizeof names, ninho_kind_name(*k));
    return usage_error(args->command, "--%s is for the kinds %s, not for %s",
                       option->name, names, ninho_kind_name(kind));
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

/* Finds out now whether the metadata can be kept, and not after all keys have been read. */
static int check_meta(const struct spec_options *options, const struct args *args)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;

    if (!options->n_meta)
        return EXIT_YES;
    spec.kind = NINHO_BLOOM;
    spec.capacity = 1;
    spec.fpr = DEFAULT_FPR;
    if (ninho_filter_create(&spec, NULL, &filter, NULL))
        return fail_no_memory();
    const int status = spec_set_meta(options, args->command, filter);
    ninho_filter_free(filter);
    return status;
}

int spec_finish(struct spec_options *options, const struct args *args)
{
    ninho_spec *spec = &options->spec;

    if (!spec->kind)
        spec->kind = DEFAULT_KIND;
    const struct option *stranger = args_not_for_kind(args, spec->kind);
    if (stranger)
        return wrong_kind(args, stranger, spec->kind);
    if (spec->fpr <= 0 && !spec->n_bits)
        spec->fpr = DEFAULT_FPR;
    spec->pages = options->no_huge ? NINHO_PAGES_SMALL : NINHO_PAGES_AUTO;
    const int status = check_meta(options, args);
    return status ? status : finish_hash(options, args);
}

int spec_check_capacity(const struct spec_options *options, const struct args *args)
{
    const ninho_spec *spec = &options->spec;

    if (!spec->capacity)
        return usage_error(args->command, "--capacity N is needed");
    if (spec->capacity <= MAX_CAPACITY)
        return EXIT_YES;
    const double ln2 = log(2);
    const double fpr = spec->fpr > 0 ? spec->fpr : DEFAULT_FPR;
    return usage_error(args->command,
                       "--capacity: must be from 1 to %" PRIu64
                       "; that many keys would need at least %.3g bytes",
                       MAX_CAPACITY,
                       -(double)spec->capacity * log(fpr) / (ln2 * ln2) / 8);
}

int spec_set_meta(const struct spec_options *options, const struct command *command,
                  ninho_filter *filter)
{
    for (size_t i = 0; i < options->n_meta; i++) {
        const char *pair = options->meta[i];
        const char *equals = strchr(pair, '=');
        const size_t length = (size_t)(equals - pair);
        char name[65] = "";
        ninho_status status = NINHO_ERR_ARG;

        if (length < sizeof name) {
            memcpy(name, pair, length);
            status = ninho_filter_set_meta(filter, name, equals + 1);
        }
        if (status == NINHO_ERR_NOMEM)
            return fail_no_memory();
        if (status == NINHO_ERR_SPACE)
            return usage_error(command,
                               "--meta: names and values take more than %d bytes",
                               NINHO_META_BYTES);
        if (status)
            return usage_error(
                command,
                "--meta %.100s: a name is 1 to 64 of a-z 0-9 _ . - and a value is "
                "text without a newline",
                pair);
    }
    return EXIT_YES;
}
