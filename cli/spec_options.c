/* SPDX-License-Identifier: MIT */
/* The tables of options that say what to make. Each row names the field of the library's spec that
 * it is for: whether a kind takes it, what the library's refusals call it and how `info` shows it
 * all follow from that. */
#include <string.h>

#include "options/numbers.h"
#include "spec.h"

/* Buckets of filters and of cuckoo tables. */
#define MAX_BUCKET 255

static bool parse_kind(const struct option *option, const char *text, void *target,
                       char *why, size_t why_size)
{
    *(int *)target = kind_from_name(text);
    return word_number(option, text, why, why_size) >= 0;
}

static const char *hash_at(size_t index)
{
    return ninho_hash_name((ninho_hash_id)(index + 1));
}

/* The encodings that lines of text can be turned into. */
static const char *const types[] = {"bytes", "int64", NULL};

static bool parse_type(const struct option *option, const char *text, void *target,
                       char *why, size_t why_size)
{
    *(ninho_key_encoding *)target = ninho_key_encoding_from_name(text);
    return word_number(option, text, why, why_size) >= 0;
}

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

/* ---- The tables ---------------------------------------------------------------------------- */

#define SPEC struct spec_options

const struct option size_options[] = {
    {VALUE("kind", "KIND", parse_kind, SPEC, kind, "kind of filter or dictionary"),
     .word_at = kind_name_at, .field = NINHO_FIELD_KIND, .letter = 'k'},
    {NUMBER("capacity", "N", parse_saturating, SPEC, spec.capacity, 1, MAX_CAPACITY,
            "distinct keys the promise is for"),
     .field = NINHO_FIELD_CAPACITY, .letter = 'n'},
    {VALUE("fpr", "P", parse_fpr, SPEC, spec.fpr, "promised rate of false positives"),
     .field = NINHO_FIELD_FPR, .letter = 'p'},
    {0},
};

const struct option identity_options[] = {
    {VALUE("seed", "S", parse_seed, SPEC, spec.seed, "seed of the hash function"),
     .field = NINHO_FIELD_SEED},
    {NUMBER("hash", "HASH", parse_word, SPEC, spec.hash, 1, 0, "hash function"),
     .word_at = hash_at, .field = NINHO_FIELD_HASH},
    {VALUE("key-file", "FILE", parse_text, SPEC, key_file,
           "file that holds the secret for siphash"),
     .field = NINHO_FIELD_SECRET},
    {.name = "meta",
     .value = "NAME=VALUE",
     .parse = parse_meta,
     .help = "a name and a value to keep in the file",
     .field = NINHO_FIELD_META,
     .may_repeat = true},
    {0},
};

const struct option line_options[] = {
    {VALUE("type", "TYPE", parse_type, SPEC, spec.key_encoding, "what keys are"),
     .words = types, .field = NINHO_FIELD_KEY_ENCODING},
    {FLAG("checked", SPEC, checked, "keep an exact dictionary beside the filter"),
     .field = NINHO_FIELD_ATTACHMENT},
    {0},
};

static const char *const k_rules[] = {"best", "floor", NULL};
static const char *const slots_words[] = {"buckets", "windows", NULL};
static const char *const choice_words[] = {"random", "emptier", NULL};
static const char *const search_words[] = {"walk", "bfs", NULL};
static const char *const pairing_words[] = {"xor", "offset", "near", NULL};
static const char *const prefer_words[] = {"speed", "space", NULL};

const struct option family_options[] = {
    {NUMBER("bits", "M", parse_u64, SPEC, spec.n_bits, 1, UINT64_C(1) << 56,
            "size of the table, by hand"),
     .field = NINHO_FIELD_N_BITS},
    {NUMBER("hashes", "K", parse_u32, SPEC, spec.n_hashes, 1, 64,
            "number of probes, by hand"),
     .field = NINHO_FIELD_N_HASHES},
    {VALUE("k-rule", "RULE", parse_word, SPEC, spec.k_rule,
           "how the number of probes is chosen"),
     .words = k_rules, .field = NINHO_FIELD_K_RULE},
    {VALUE("base", "KIND", parse_kind, SPEC, spec.base, "kind of the sub-filters"),
     .word_at = kind_base_at, .field = NINHO_FIELD_BASE},
    {NUMBER("growth", "G", parse_u32, SPEC, spec.growth, 2, 16,
            "factor between sub-filters"),
     .field = NINHO_FIELD_GROWTH},
    {NUMBER("max-capacity", "N", parse_u64, SPEC, spec.max_capacity, 1, MAX_CAPACITY,
            "keys up to which it doubles"),
     .field = NINHO_FIELD_MAX_CAPACITY},
    {NUMBER("tag-bits", "L", parse_u32, SPEC, spec.tag_bits, 1, 60,
            "bits kept of each key, by hand"),
     .field = NINHO_FIELD_TAG_BITS},
    {NUMBER("arity", "A", parse_u32, SPEC, spec.arity, 3, 4, "slots of a key"),
     .field = NINHO_FIELD_ARITY},
    /* Says all there is to say of a table, and so goes with the kinds whose size can be said. */
    {FLAG("original", SPEC, cuckoo.original, "the cuckoo filter as it was published"),
     .field = NINHO_FIELD_N_SLOTS},
    {NUMBER("slots", "PLACES", parse_word, SPEC, spec.slots, 1, 0,
            "what the places of a key are"),
     .words = slots_words, .field = NINHO_FIELD_SLOTS},
    {NUMBER("window", "L", parse_u32, SPEC, cuckoo.window, 2, 4, "slots of a window"),
     .field = NINHO_FIELD_PLACE_SLOTS},
    {NUMBER("choice", "CHOICE", parse_word, SPEC, spec.choice, 1, 0,
            "which place a key goes to"),
     .words = choice_words, .field = NINHO_FIELD_CHOICE},
    {NUMBER("search", "SEARCH", parse_word, SPEC, spec.search, 1, 0, "how room is made"),
     .words = search_words, .field = NINHO_FIELD_SEARCH},
    {NUMBER("max-kicks", "N", parse_u32, SPEC, spec.max_kicks, 1, 65535,
            "most moves of a walk"),
     .field = NINHO_FIELD_MAX_KICKS},
    {NUMBER("budget", "N", parse_u32, SPEC, spec.budget, 1, 1000000,
            "tags that bfs looks at"),
     .field = NINHO_FIELD_BUDGET},
    {NUMBER("pairing", "PAIRING", parse_word, SPEC, spec.pairing, 1, 0,
            "how the second place follows"),
     .words = pairing_words, .field = NINHO_FIELD_PAIRING},
    {FLAG("set", SPEC, cuckoo.set, "store what seems to be there only once"),
     .field = NINHO_FIELD_SEMANTICS},
    {NUMBER("table-slots", "N", parse_u64, SPEC, spec.n_slots, 1, UINT64_C(1) << 50,
            "size of the table in slots, by hand"),
     .field = NINHO_FIELD_N_SLOTS},
    {NUMBER("prefer", "WHAT", parse_word, SPEC, spec.prefer, 1, 0,
            "the faster table, or the smaller one"),
     .words = prefer_words, .field = NINHO_FIELD_PREFER},
    {NUMBER("functions", "D", parse_u32, SPEC, dict.n_functions, 2, 4, "hash functions"),
     .field = NINHO_FIELD_N_FUNCTIONS},
    {NUMBER("bucket", "B", parse_bucket, SPEC, cuckoo.bucket, 1, MAX_BUCKET,
            "slots of a bucket"),
     .field = NINHO_FIELD_BUCKET_SIZE},
    {NUMBER("tables", "T", parse_u32, SPEC, dict.n_tables, 1, 2, "number of tables"),
     .field = NINHO_FIELD_N_TABLES},
    {NUMBER("stash", "S", parse_u32, SPEC, dict.stash_size, 0, 16,
            "room for keys that found no place"),
     .field = NINHO_FIELD_STASH_SIZE},
    {NUMBER("max-moves", "M", parse_u32, SPEC, dict.max_moves, 1, 1000,
            "keys moved for one"),
     .field = NINHO_FIELD_MAX_MOVES},
    {FLAG("no-huge", SPEC, no_huge, "ordinary pages only"), .field = NINHO_FIELD_PAGES},
    {0},
};

/* ---- Which option is for what -------------------------------------------------------------- */

/* The last row of a field is its own; one before may stand for it too. */
static const struct option *row_of(ninho_field field)
{
    static const struct option *const tables[] = {size_options, identity_options,
                                                  line_options, family_options};
    const struct option *found = NULL;

    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct option *at = tables[t]; at->name; at++)
            if (at->field == (int)field)
                found = at;
    return found;
}

void field_option(ninho_field field, char *name, size_t name_size)
{
    const char *plain = ninho_field_name(field);
    const struct option *row = strchr(plain, '_') ? row_of(field) : NULL;

    if (field == NINHO_FIELD_KEY_ENCODING)
        (void)snprintf(name, name_size, "key encoding");
    else if (field == NINHO_FIELD_PLACE_SLOTS)
        (void)snprintf(name, name_size, "--bucket or --window");
    else
        (void)snprintf(name, name_size, "%s%s", row ? "--" : "", row ? row->name : plain);
}

const char *field_word(ninho_field field, int value)
{
    const struct option *row = row_of(field);

    for (int i = 0; row && row->words && row->words[i]; i++)
        if ((int)row->min + i == value)
            return row->words[i];
    return "unknown";
}

/* What reports have for every kind, or in words of their own. */
static bool is_told_elsewhere(ninho_field field)
{
    switch (field) {
    case NINHO_FIELD_PAGES:
    case NINHO_FIELD_N_BITS:
    case NINHO_FIELD_N_HASHES:
    case NINHO_FIELD_K_RULE:
    case NINHO_FIELD_MAX_CAPACITY:
    case NINHO_FIELD_TAG_BITS:
    case NINHO_FIELD_ARITY:
    case NINHO_FIELD_SEMANTICS:
    case NINHO_FIELD_N_SLOTS:
        return true;
    default:
        return false;
    }
}

/* One member, unless it is 0: does not apply. */
static void field_json(struct json *json, const struct option *row,
                       const ninho_spec *spec)
{
    struct spec_options options = {.spec = *spec, .cuckoo.window = spec->place_slots};
    const void *at = (const char *)&options + row->offset;
    const ninho_field field = (ninho_field)row->field;
    const uint64_t value =
        row->parse == parse_u64 ? *(const uint64_t *)at : *(const uint32_t *)at;
    const char *name = field == NINHO_FIELD_SLOTS ? "places" : ninho_field_name(field);

    if (!value)
        return;
    if (row->parse == parse_kind)
        json_string(json, name, kind_name((int)value));
    else if (row->words)
        json_string(json, name, field_word(field, (int)value));
    else
        json_uint(json, name, value);
}

void spec_json(struct json *json, const ninho_spec *spec)
{
    for (const struct option *row = family_options; row->name; row++) {
        const ninho_field field = (ninho_field)row->field;
        if (field < NINHO_FIELD_KEY_SIZE && !is_told_elsewhere(field) &&
            kind_takes((int)spec->kind, field))
            field_json(json, row, spec);
    }
}

/* Does every filter take it? */
static bool is_of_all_filters(ninho_field field)
{
    for (size_t i = 0; ninho_kind_at(i); i++)
        if (!kind_takes((int)ninho_kind_at(i), field))
            return false;
    return true;
}

/* The first option there of those that `wanted` picks. */
static const struct option *first_given(const struct args *args, int kind,
                                        bool (*wanted)(ninho_field field, int kind))
{
    for (size_t t = 0; args->tables[t]; t++)
        for (size_t i = 0; args->tables[t][i].name; i++) {
            const struct option *option = &args->tables[t][i];
            if ((args->given[t] >> i & 1) && option->field &&
                wanted((ninho_field)option->field, kind))
                return option;
        }
    return NULL;
}

static bool is_not_for(ninho_field field, int kind)
{
    return !kind_takes(kind, field);
}

static bool is_particular(ninho_field field, int kind)
{
    return !is_of_all_filters(field) && (!kind || kind_takes(kind, field));
}

const struct option *args_particular(const struct args *args, int kind)
{
    return first_given(args, kind, is_particular);
}

const struct option *args_not_for(const struct args *args, int kind)
{
    return first_given(args, kind, is_not_for);
}

int args_check_kind(const struct args *args, int kind)
{
    const struct option *option = args_not_for(args, kind);
    char names[300];

    if (!option)
        return EXIT_YES;
    const ninho_field field = (ninho_field)option->field;
    if (kind_is_exact(kind) && is_of_all_filters(field))
        return usage_error(args->command, "--%s is for filters, and %s is exact",
                           option->name, kind_name(kind));
    kind_list_takers(field, names, sizeof names);
    return usage_error(args->command, "--%s is for the kind%s %s, not for %s",
                       option->name, strchr(names, ',') ? "s" : "", names,
                       kind_name(kind));
}
