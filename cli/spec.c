/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "numbers.h"
#include "secret.h"
#include "spec.h"

#define MAX_CAPACITY (UINT64_C(1) << 48)
#define DEFAULT_KIND NINHO_BLOOM
#define DEFAULT_FPR  0.01
/* Of cuckoo filters; the library says so too, in its own words. */
#define DEFAULT_PLACE 4
#define LEAST_TAG     8
#define LEAST_XOR_TAG 4

/* Writes which kinds there are. */
static bool no_such_kind(bool with_exact, char *why, size_t why_size)
{
    char names[300];

    kind_list(0, with_exact, names, sizeof names);
    (void)snprintf(why, why_size, "must be one of %s", names);
    return false;
}

static bool parse_kind(const struct option *option, const char *text, void *target,
                       char *why, size_t why_size)
{
    const int kind = kind_from_name(text);

    (void)option;
    *(int *)target = kind;
    return kind || no_such_kind(true, why, why_size);
}

static bool parse_base(const struct option *option, const char *text, void *target,
                       char *why, size_t why_size)
{
    const ninho_kind kind = ninho_kind_from_name(text);

    (void)option;
    *(ninho_kind *)target = kind;
    return kind || no_such_kind(false, why, why_size);
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

/* int, from words that are called 1, 2, ... */
static bool parse_word(const char *const *words, const char *text, void *target,
                       char *why, size_t why_size)
{
    char names[100] = "";

    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0) {
            *(int *)target = i + 1;
            return true;
        }
        append_name(names, sizeof names, words[i]);
    }
    (void)snprintf(why, why_size, "must be one of %s", names);
    return false;
}

static bool parse_slots(const struct option *option, const char *text, void *target,
                        char *why, size_t why_size)
{
    (void)option;
    return parse_word(slots_words, text, target, why, why_size);
}

static bool parse_choice(const struct option *option, const char *text, void *target,
                         char *why, size_t why_size)
{
    (void)option;
    return parse_word(choice_words, text, target, why, why_size);
}

static bool parse_search(const struct option *option, const char *text, void *target,
                         char *why, size_t why_size)
{
    (void)option;
    return parse_word(search_words, text, target, why, why_size);
}

static bool parse_pairing(const struct option *option, const char *text, void *target,
                          char *why, size_t why_size)
{
    (void)option;
    return parse_word(pairing_words, text, target, why, why_size);
}

#define MAX_BUCKET       255
#define MAX_TABLE_BUCKET 8 /* of a cuckoo table */

static bool parse_bucket(const struct option *option, const char *text, void *target,
                         char *why, size_t why_size)
{
    if (parse_u32(option, text, target, why, why_size))
        return true;
    (void)snprintf(why, why_size,
                   "must be a whole number from 1 to %d, for cuckoo-table to %d",
                   MAX_BUCKET, MAX_TABLE_BUCKET);
    return false;
}

/* Names that begin so are the tool's own. */
#define OWN_META "ninho."

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
    if (strncmp(text, OWN_META, strlen(OWN_META)) == 0) {
        (void)snprintf(why, why_size,
                       "names that begin with " OWN_META " are the tool's own");
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
    {.name = "kind", .value = "KIND", .parse = parse_kind, .offset = FIELD(kind)},
    {.name = "capacity",
     .value = "N",
     .parse = parse_saturating,
     .offset = FIELD(spec.capacity),
     .min = 1,
     .max = MAX_CAPACITY},
    {.name = "fpr",
     .value = "P",
     .parse = parse_fpr,
     .offset = FIELD(spec.fpr),
     .is_of_filters = true},
    {0},
};

const struct option identity_options[] = {
    {.name = "seed", .value = "S", .parse = parse_seed, .offset = FIELD(spec.seed)},
    {.name = "hash", .value = "HASH", .parse = parse_hash, .offset = FIELD(spec.hash)},
    {.name = "key-file", .value = "FILE", .parse = parse_text, .offset = FIELD(key_file)},
    {.name = "meta",
     .value = "NAME=VALUE",
     .parse = parse_meta,
     .is_of_filters = true,
     .may_repeat = true},
    {0},
};

const struct option line_options[] = {
    {.name = "type",
     .value = "TYPE",
     .parse = parse_type,
     .offset = FIELD(spec.key_encoding)},
    {.name = "checked", .offset = FIELD(checked), .is_of_filters = true},
    {0},
};

static const int bloom_like[] = {NINHO_BLOOM, NINHO_COUNTING, 0};
static const int by_hand[] = {NINHO_BLOOM, NINHO_BLOCKED, NINHO_COUNTING, 0};
static const int growing[] = {NINHO_SCALABLE, 0};
static const int doubling[] = {NINHO_QUOTIENT, NINHO_COMPACT, 0};
static const int with_tags[] = {NINHO_CUCKOO, NINHO_FUSE, NINHO_COMPACT, 0};
static const int fuse[] = {NINHO_FUSE, 0};
static const int cuckoo[] = {NINHO_CUCKOO, 0};
static const int cuckoos[] = {NINHO_CUCKOO, NINHO_SCALABLE, 0};
static const int with_buckets[] = {NINHO_CUCKOO, NINHO_SCALABLE, NINHO_CUCKOO_TABLE, 0};
static const int cuckoo_table[] = {NINHO_CUCKOO_TABLE, 0};

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
     .parse = parse_base,
     .offset = FIELD(spec.base),
     .kinds = growing},
    {.name = "growth",
     .value = "G",
     .parse = parse_u32,
     .offset = FIELD(spec.growth),
     .min = 2,
     .max = 16,
     .kinds = growing},
    {.name = "max-capacity",
     .value = "N",
     .parse = parse_u64,
     .offset = FIELD(spec.max_capacity),
     .min = 1,
     .max = MAX_CAPACITY,
     .kinds = doubling},
    {.name = "tag-bits",
     .value = "L",
     .parse = parse_u32,
     .offset = FIELD(spec.tag_bits),
     .min = 1,
     .max = 60,
     .kinds = with_tags},
    {.name = "arity",
     .value = "A",
     .parse = parse_u32,
     .offset = FIELD(spec.arity),
     .min = 3,
     .max = 4,
     .kinds = fuse},
    {.name = "original", .offset = FIELD(cuckoo.original), .kinds = cuckoo},
    {.name = "slots",
     .value = "PLACES",
     .parse = parse_slots,
     .offset = FIELD(cuckoo.slots),
     .kinds = cuckoos},
    {.name = "window",
     .value = "L",
     .parse = parse_u32,
     .offset = FIELD(cuckoo.window),
     .min = 2,
     .max = 4,
     .kinds = cuckoos},
    {.name = "choice",
     .value = "CHOICE",
     .parse = parse_choice,
     .offset = FIELD(cuckoo.choice),
     .kinds = cuckoos},
    {.name = "search",
     .value = "SEARCH",
     .parse = parse_search,
     .offset = FIELD(cuckoo.search),
     .kinds = cuckoos},
    {.name = "pairing",
     .value = "PAIRING",
     .parse = parse_pairing,
     .offset = FIELD(cuckoo.pairing),
     .kinds = cuckoos},
    {.name = "max-kicks",
     .value = "N",
     .parse = parse_u32,
     .offset = FIELD(spec.max_kicks),
     .min = 1,
     .max = 65535,
     .kinds = cuckoos},
    {.name = "budget",
     .value = "N",
     .parse = parse_u32,
     .offset = FIELD(spec.budget),
     .min = 1,
     .max = 1000000,
     .kinds = cuckoos},
    {.name = "set", .offset = FIELD(cuckoo.set), .kinds = cuckoos},
    {.name = "table-slots",
     .value = "N",
     .parse = parse_u64,
     .offset = FIELD(spec.n_slots),
     .min = 1,
     .max = UINT64_C(1) << 50,
     .kinds = cuckoo},
    {.name = "functions",
     .value = "D",
     .parse = parse_u32,
     .offset = FIELD(dict.n_functions),
     .min = 2,
     .max = 4,
     .kinds = cuckoo_table},
    {.name = "bucket",
     .value = "B",
     .parse = parse_bucket,
     .offset = FIELD(cuckoo.bucket),
     .min = 1,
     .max = MAX_BUCKET,
     .kinds = with_buckets},
    {.name = "tables",
     .value = "T",
     .parse = parse_u32,
     .offset = FIELD(dict.n_tables),
     .min = 1,
     .max = 2,
     .kinds = cuckoo_table},
    {.name = "stash",
     .value = "S",
     .parse = parse_u32,
     .offset = FIELD(dict.stash_size),
     .max = 16,
     .kinds = cuckoo_table},
    {.name = "max-moves",
     .value = "M",
     .parse = parse_u32,
     .offset = FIELD(dict.max_moves),
     .min = 1,
     .max = 1000,
     .kinds = cuckoo_table},
    {.name = "no-huge", .offset = FIELD(no_huge)},
    {0},
};

/* An option for some kinds, given for another. */
static int wrong_kind(const struct args *args, const struct option *option, int kind)
{
    char names[300] = "";

    if (option->is_of_filters)
        return usage_error(args->command, "--%s is for filters, and %s is exact",
                           option->name, kind_name(kind));
    for (const int *k = option->kinds; *k; k++)
        append_name(names, sizeof names, kind_name(*k));
    return usage_error(args->command, "--%s is for the kinds %s, not for %s",
                       option->name, names, kind_name(kind));
}

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
        const struct option *option = args_for_kind(args, NINHO_CUCKOO);
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

int spec_finish(struct spec_options *options, const struct args *args)
{
    ninho_spec *spec = &options->spec;

    if (!options->kind)
        options->kind = DEFAULT_KIND;
    if (!kind_is_exact(options->kind))
        spec->kind = (ninho_kind)options->kind;
    const struct option *stranger = args_not_for_kind(args, options->kind);
    if (stranger)
        return wrong_kind(args, stranger, options->kind);
    options->has_fpr = spec->fpr > 0;
    if (spec->fpr <= 0 && !spec->n_bits && !spec->tag_bits)
        spec->fpr = DEFAULT_FPR;
    spec->pages = options->no_huge ? NINHO_PAGES_SMALL : NINHO_PAGES_AUTO;
    int status = finish_cuckoo(options, args);
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

    if (!capacity && !kind_is_exact(options->kind))
        return usage_error(args->command, "--capacity N is needed");
    if (capacity <= MAX_CAPACITY)
        return EXIT_YES;
    return usage_error(args->command,
                       "--capacity: must be from 1 to %" PRIu64
                       "; that many keys would need at least %.3g bytes",
                       MAX_CAPACITY, least_bytes(options));
}

/* The least fpr that can be planned otherwise as in the spec; 0 if there is none. */
static double least_fpr(const ninho_spec *wanted)
{
    ninho_spec spec = *wanted;
    ninho_plan plan = NINHO_PLAN_INIT;
    double low = wanted->fpr, high = 0.5;

    spec.fpr = high;
    if (ninho_filter_plan(&spec, &plan, NULL))
        return 0;
    while (high > 1.001 * low) {
        spec.fpr = sqrt(low * high);
        if (ninho_filter_plan(&spec, &plan, NULL))
            low = spec.fpr;
        else
            high = spec.fpr;
    }
    return 1.005 * high; /* so that it is still enough when it has been rounded */
}

/* The slots of a table of so many places under xor. */
static uint64_t slots_of(const ninho_spec *spec, uint64_t n_places)
{
    const uint64_t n = spec->place_slots ? spec->place_slots : DEFAULT_PLACE;

    return spec->slots == NINHO_BUCKETS ? n_places * n : n_places + n - 1;
}

/* A table by hand under xor: which sizes there are, of the two next to the one that was given. */
static void explain_xor(const ninho_spec *spec, char *text, size_t text_size)
{
    const uint64_t n = spec->place_slots ? spec->place_slots : DEFAULT_PLACE;
    const bool is_buckets = spec->slots == NINHO_BUCKETS;
    uint64_t n_places = 2;
    char smaller[30] = "";

    while (slots_of(spec, n_places) < spec->n_slots)
        n_places *= 2;
    if (n_places > 2 && slots_of(spec, n_places / 2) >= spec->capacity)
        (void)snprintf(smaller, sizeof smaller, "%" PRIu64 " or ",
                       slots_of(spec, n_places / 2));
    (void)snprintf(text, text_size,
                   "--table-slots %" PRIu64 ": with %s of %" PRIu64
                   " and pairing xor it must be a power of two %s %" PRIu64
                   ", so %s%" PRIu64 "; pairing offset takes any %s",
                   spec->n_slots, is_buckets ? "buckets" : "windows", n,
                   is_buckets ? "times" : "plus", is_buckets ? n : n - 1, smaller,
                   slots_of(spec, n_places),
                   is_buckets ? "multiple of the bucket" : "size");
}

void spec_explain(const ninho_spec *spec, const ninho_error *error, char *text,
                  size_t text_size)
{
    const char *said = error->text[0] ? error->text : ninho_status_text(error->status);
    char words[2 * sizeof error->text];

    const bool is_cuckoo = cuckoo_is(spec);
    (void)in_words_of_tool(said, words, sizeof words);
    if (is_cuckoo && spec->n_slots && error->field == NINHO_FIELD_PAIRING) {
        explain_xor(spec, text, text_size);
    } else if (is_cuckoo && spec->kind == NINHO_SCALABLE &&
               error->field == NINHO_FIELD_FPR) {
        (void)snprintf(text, text_size,
                       "--fpr over cuckoo filters must be at least %.3g for %" PRIu64
                       " keys, not %g: tags have at most 32 bits",
                       least_fpr(spec), spec->capacity, spec->fpr);
    } else {
        const bool is_short = is_cuckoo && error->field == NINHO_FIELD_TAG_BITS &&
                              spec->tag_bits >= LEAST_XOR_TAG &&
                              spec->tag_bits < LEAST_TAG;
        (void)snprintf(text, text_size, "%s%s", words,
                       is_short ? "; 4 to 7 go with --bucket and --pairing xor" : "");
    }
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

int spec_plan(const struct spec_options *options, const struct command *command,
              ninho_plan *plan)
{
    const ninho_spec *spec = &options->spec;
    ninho_error error = NINHO_ERROR_INIT;
    char text[600];

    if (ninho_filter_plan(spec, plan, &error)) {
        spec_explain(spec, &error, text, sizeof text);
        return fail("%s: %s", command->name, text);
    }
    if (options->has_fpr && (spec->tag_bits || spec->n_bits) &&
        plan->fpr_expected > 1.1 * spec->fpr)
        return too_high(options, command, plan);
    return EXIT_YES;
}

int spec_try(const struct spec_options *options, const struct args *args)
{
    struct spec_options least = *options;
    ninho_plan plan = NINHO_PLAN_INIT;
    char names[300];

    if (kind_is_exact(options->kind))
        return EXIT_YES;
    if (!least.spec.capacity) { /* not known before the keys are read; nor is the fpr */
        least.has_fpr = false;
        least.spec.capacity = 1;
        least.spec.max_capacity = 0;
    }
    const int status = spec_plan(&least, args->command, &plan);
    if (status)
        return status;
    if (!options->checked || plan.can & NINHO_CAN_REMOVE)
        return EXIT_YES;
    kind_list(NINHO_CAN_REMOVE, false, names, sizeof names);
    return usage_error(args->command,
                       "--checked is for kinds that can remove keys (%s), not for %s%s",
                       names, kind_name(options->kind),
                       options->kind == NINHO_SCALABLE ? " over other kinds" : "");
}

bool spec_has_dict(const struct spec_options *options)
{
    return options->checked || kind_is_exact(options->kind);
}

int spec_check_memory(const struct spec_options *options, const struct command *command,
                      const char *path)
{
    ninho_plan plan = NINHO_PLAN_INIT;
    const int status = spec_plan(options, command, &plan);

    return status ? status : memory_check(path, plan.table_bytes);
}

int spec_create_filter(const struct spec_options *options, const struct command *command,
                       const char *path, struct set *set)
{
    ninho_error error = NINHO_ERROR_INIT;
    const int status = spec_check_memory(options, command, path);

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

int spec_set_meta(const struct spec_options *options, const struct command *command,
                  ninho_filter *filter)
{
    if (options->keeps_once && set_remember_once(filter))
        return fail_no_memory();
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
