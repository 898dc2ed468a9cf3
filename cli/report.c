/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "apps/kmer/kmer.h"
#include "cuckoo.h"
#include "output.h"
#include "spec.h"

/* All copies of all keys; UINT64_MAX also stands for more. */
static uint64_t copies_total(const ninho_dict *dict)
{
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    uint64_t cursor = 0;
    uint64_t value = 0;
    uint64_t total = 0;

    (void)ninho_dict_info_of(dict, &info);
    if (info.key_encoding == NINHO_KEY_KMER)
        return info.count; /* their values say which k-mers they are */
    while (ninho_dict_next(dict, &cursor, NULL, NULL, &value)) {
        const uint64_t copies = value ? value : 1;
        total = total > UINT64_MAX - copies ? UINT64_MAX : total + copies;
    }
    return total;
}

void report_can_text(uint32_t can, char *text, size_t text_size)
{
    const char *name;
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; (name = ninho_can_name(can, i)) != NULL; i++) {
        const int n =
            snprintf(text + used, text_size - used, "%s%s", used ? " " : "", name);
        if (n < 0 || (size_t)n >= text_size - used)
            return;
        used += (size_t)n;
    }
}

void report_can_json(struct json *json, uint32_t can)
{
    const char *name;

    json_array(json, "can");
    for (size_t i = 0; (name = ninho_can_name(can, i)) != NULL; i++)
        json_string(json, NULL, name);
    json_array_end(json);
}

/* Room for any "name=value". */
struct meta_pair {
    char text[NINHO_META_BYTES + 1];
    const char *value;
};

/* The index-th pair of a filter, cut in two at the '='; false past the last. */
static bool get_meta(const ninho_filter *filter, size_t index, struct meta_pair *pair)
{
    if (!ninho_filter_meta_at(filter, index, pair->text, sizeof pair->text))
        return false;
    char *equals = strchr(pair->text, '=');
    *equals = '\0';
    pair->value = equals + 1;
    return true;
}

static void meta_json(struct json *json, const ninho_filter *filter)
{
    struct meta_pair pair;

    json_object(json, "meta");
    for (size_t i = 0; get_meta(filter, i, &pair); i++)
        json_string(json, pair.text, pair.value);
    json_object_end(json);
}

/* The estimate of distinct keys; *is_saturated where the table is full of ones. */
static bool estimate(const ninho_filter *filter, double *n_keys, bool *is_saturated)
{
    const ninho_status status = ninho_filter_estimate(filter, n_keys);

    *is_saturated = status == NINHO_ERR_FULL;
    return status == NINHO_OK;
}

/* Is a dictionary beside it, and of how many keys? */
static void checked_json(struct json *json, const struct set *set)
{
    json_bool(json, "checked", set_is_checked(set));
    if (set->dict)
        json_uint(json, "checked_keys", ninho_dict_count(set->dict));
    else
        json_null(json, "checked_keys");
}

static ninho_spec spec_of(const ninho_filter *filter)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    (void)ninho_filter_spec(filter, &spec);
    return spec;
}

/* What only some kinds have, from the spec. */
static void options_json(struct json *json, const struct set *set)
{
    const ninho_spec spec = spec_of(set->filter);

    spec_json(json, &spec);
    if (cuckoo_is(&spec))
        cuckoo_json(json, &spec, set_keeps_once(set));
}

static void options_text(const struct set *set, uint64_t n_cells)
{
    const ninho_spec spec = spec_of(set->filter);

    if (spec.base)
        report_line("base", "%s, each %" PRIu32 " times larger",
                    ninho_kind_name(spec.base), spec.growth);
    if (cuckoo_is(&spec))
        cuckoo_text(&spec, n_cells, set_keeps_once(set));
}

static void filter_json(struct json *json, const struct set *set)
{
    const ninho_filter *filter = set->filter;
    ninho_info info = NINHO_INFO_INIT;
    double n_keys = 0;
    bool is_saturated = false;

    (void)ninho_filter_info(filter, &info);
    json_string(json, "kind", ninho_kind_name(info.kind));
    json_uint(json, "capacity", info.capacity);
    if (spec_of(filter).max_capacity > info.capacity)
        json_uint(json, "max_capacity", spec_of(filter).max_capacity);
    json_uint(json, "count", info.count);
    json_bool(json, "count_is_estimate", info.count_is_estimate);
    if (estimate(filter, &n_keys, &is_saturated))
        json_double(json, "distinct_estimate", n_keys);
    else
        json_null(json, "distinct_estimate");
    json_bool(json, "saturated", is_saturated);
    json_double(json, "fpr_target", info.fpr_target);
    json_double(json, "fpr_expected", info.fpr_expected);
    json_double(json, "bits_per_key", info.bits_per_key);
    json_uint(json, "size_bytes", info.size_bytes);
    json_uint(json, "memory_bytes", info.memory_bytes);
    json_uint(json, "table_bytes", info.table_bytes);
    json_double(json, "load", info.load);
    json_uint(json, "cells", info.n_cells);
    json_uint(json, "hashes", info.n_hashes);
    json_uint(json, "tag_bits", info.tag_bits);
    json_uint(json, "parts", info.n_parts);
    options_json(json, set);
    json_uint(json, "seed", info.seed);
    json_string(json, "hash", ninho_hash_name(info.hash));
    json_bool(json, "keyed", info.is_keyed);
    json_string(json, "key_encoding", ninho_key_encoding_name(info.key_encoding));
    json_uint(json, "format_version", info.format_version);
    report_can_json(json, info.can);
    checked_json(json, set);
    meta_json(json, filter);
}

const char *report_hash_name(ninho_hash_id hash)
{
    return hash ? ninho_hash_name(hash) : "own";
}

/* Of a dictionary: the file's size for each key in it. */
static double bits_per_key(const ninho_dict_info *info)
{
    return 8 * (double)info->size_bytes / (double)(info->count ? info->count : 1);
}

/* Does a dictionary of k-mers tell which they are? A filter has notes for that. */
static bool dict_rule(const ninho_dict *dict, ninho_kmer_rule *rule)
{
    ninho_kmer_index index;

    if (ninho_kmer_index_dict(&index, dict, NULL))
        return false;
    *rule = index.rule;
    return true;
}

static void dict_json(struct json *json, const struct set *set)
{
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    ninho_kmer_rule rule;

    (void)ninho_dict_info_of(set->dict, &info);
    json_string(json, "kind", ninho_dict_kind_name(info.kind));
    if (info.max_capacity)
        json_uint(json, "capacity", info.max_capacity);
    else
        json_null(json, "capacity");
    json_uint(json, "count", copies_total(set->dict));
    json_bool(json, "count_is_estimate", false);
    json_uint(json, "distinct", info.count);
    json_double(json, "fpr_target", 0);
    json_double(json, "fpr_expected", 0);
    json_double(json, "bits_per_key", bits_per_key(&info));
    json_uint(json, "size_bytes", info.size_bytes);
    json_uint(json, "memory_bytes", info.memory_bytes);
    json_double(json, "load", info.load);
    json_uint(json, "slots", info.n_slots);
    json_uint(json, "key_size", info.key_size);
    json_uint(json, "seed", info.seed);
    json_string(json, "hash", report_hash_name(info.hash));
    json_bool(json, "keyed", info.hash == NINHO_HASH_SIPHASH);
    json_string(json, "key_encoding", ninho_key_encoding_name(info.key_encoding));
    json_uint(json, "format_version", NINHO_FORMAT_VERSION);
    report_can_json(json, set_can(set));
    if (dict_rule(set->dict, &rule)) {
        char k[16];
        (void)snprintf(k, sizeof k, "%" PRIu32, rule.k);
        json_object(json, "meta");
        json_string(json, "kmer.k", k);
        json_string(json, "kmer.strand", ninho_kmer_strand_name(rule.strand));
        json_object_end(json);
    }
}

void report_set_json(struct json *json, const struct set *set)
{
    if (set->filter)
        filter_json(json, set);
    else
        dict_json(json, set);
}

void report_line(const char *name, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    output_format("%-16s", name);
    output_name(text);
    output_text("\n");
}

static void hash_line(ninho_hash_id hash, uint64_t seed)
{
    if (hash == NINHO_HASH_SIPHASH)
        report_line("hash", "%s, keyed", ninho_hash_name(hash));
    else
        report_line("hash", "%s, seed %" PRIu64, report_hash_name(hash), seed);
}

static void can_line(uint32_t bits)
{
    char can[120];

    report_can_text(bits, can, sizeof can);
    report_line("can", "%s", can);
}

static void filter_text(const struct set *set)
{
    const ninho_filter *filter = set->filter;
    ninho_info info = NINHO_INFO_INIT;
    double n_keys = 0;
    bool is_saturated = false;
    struct meta_pair pair;

    (void)ninho_filter_info(filter, &info);
    report_line("kind", "%s", ninho_kind_name(info.kind));
    report_line("capacity", "%" PRIu64, info.capacity);
    if (spec_of(filter).max_capacity > info.capacity)
        report_line("max capacity", "%" PRIu64, spec_of(filter).max_capacity);
    report_line("count", "%s%" PRIu64, info.count_is_estimate ? "about " : "",
                info.count);
    if (estimate(filter, &n_keys, &is_saturated))
        report_line("distinct", "about %.0f", n_keys);
    else if (is_saturated)
        report_line("distinct", "saturated");
    report_line("fpr target", "%.4g", info.fpr_target);
    report_line("fpr expected", "%.4g", info.fpr_expected);
    report_line("bits per key", "%.4g", info.bits_per_key);
    report_line("size", "%" PRIu64 " bytes", info.size_bytes);
    report_line("memory", "%" PRIu64 " bytes", info.memory_bytes);
    report_line("load", "%.4g", info.load);
    if (info.n_hashes)
        report_line("hashes", "%" PRIu32, info.n_hashes);
    if (info.tag_bits)
        report_line("tag bits", "%" PRIu32, info.tag_bits);
    if (info.n_parts > 1)
        report_line("parts", "%" PRIu32, info.n_parts);
    options_text(set, info.n_cells);
    hash_line(info.hash, info.seed);
    report_line("key encoding", "%s", ninho_key_encoding_name(info.key_encoding));
    report_line("format version", "%" PRIu32, info.format_version);
    can_line(info.can);
    if (set->dict)
        report_line("checked", "yes, by a dictionary of %" PRIu64 " keys",
                    ninho_dict_count(set->dict));
    else if (set->has_sealed_beside)
        report_line("checked", "yes, by a dictionary that needs the --key-file");
    for (size_t i = 0; get_meta(filter, i, &pair); i++) {
        output_text("meta ");
        output_name(pair.text);
        output_text("=");
        output_name(pair.value);
        output_text("\n");
    }
}

static void dict_text(const struct set *set)
{
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    ninho_kmer_rule rule;

    (void)ninho_dict_info_of(set->dict, &info);
    report_line("kind", "%s", ninho_dict_kind_name(info.kind));
    if (info.max_capacity)
        report_line("capacity", "%" PRIu64, info.max_capacity);
    else
        report_line("capacity", "no bound");
    report_line("count", "%" PRIu64, copies_total(set->dict));
    report_line("distinct", "%" PRIu64, info.count);
    report_line("fpr", "0, exact");
    report_line("bits per key", "%.4g", bits_per_key(&info));
    report_line("size", "%" PRIu64 " bytes", info.size_bytes);
    report_line("memory", "%" PRIu64 " bytes", info.memory_bytes);
    report_line("load", "%.4g", info.load);
    if (info.key_size)
        report_line("key size", "%" PRIu32 " bytes", info.key_size);
    hash_line(info.hash, info.seed);
    report_line("key encoding", "%s", ninho_key_encoding_name(info.key_encoding));
    report_line("format version", "%d", NINHO_FORMAT_VERSION);
    can_line(set_can(set));
    if (dict_rule(set->dict, &rule)) {
        output_format("meta kmer.k=%" PRIu32 "\n", rule.k);
        output_format("meta kmer.strand=%s\n", ninho_kmer_strand_name(rule.strand));
    }
}

void report_set_text(const struct set *set)
{
    if (set->filter)
        filter_text(set);
    else
        dict_text(set);
}

/* A cuckoo table that is not beside a filter: *info tells about it. */
static bool has_walks(const struct set *set, ninho_dict_info *info)
{
    return !set->filter && ninho_dict_info_of(set->dict, info) == NINHO_OK &&
           info->kind == NINHO_CUCKOO_TABLE;
}

/* A cuckoo filter, alone or in parts, that adding moved tags in. */
static bool has_paths(const struct set *set, ninho_stats *stats)
{
    if (!set->filter)
        return false;
    const ninho_spec spec = spec_of(set->filter);
    return cuckoo_is(&spec) && ninho_filter_stats(set->filter, stats) == NINHO_OK;
}

void report_moves_json(struct json *json, const struct set *set)
{
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    ninho_stats stats = NINHO_STATS_INIT;

    if (has_walks(set, &info)) {
        json_uint(json, "moves", info.n_moves);
        json_uint(json, "longest_walk", info.longest_walk);
        json_uint(json, "rehashes", info.n_rehashes);
        json_uint(json, "stashed", info.n_stashed);
    } else if (has_paths(set, &stats)) {
        json_uint(json, "searches", stats.n_searches);
        json_uint(json, "moves", stats.n_moves);
        json_uint(json, "longest_path", stats.longest_path);
        json_uint(json, "failed_inserts", stats.n_failed);
        json_uint(json, "undone_moves", stats.n_undone);
    }
}

void report_moves_text(const struct set *set)
{
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    ninho_stats stats = NINHO_STATS_INIT;

    if (has_walks(set, &info)) {
        report_line("moves", "%" PRIu64, info.n_moves);
        report_line("longest walk", "%" PRIu64, info.longest_walk);
        report_line("rehashes", "%" PRIu64, info.n_rehashes);
        report_line("stashed", "%" PRIu64, info.n_stashed);
    } else if (has_paths(set, &stats)) {
        report_line("searches", "%" PRIu64, stats.n_searches);
        report_line("moves", "%" PRIu64, stats.n_moves);
        report_line("longest path", "%" PRIu64, stats.longest_path);
        report_line("failed inserts", "%" PRIu64, stats.n_failed);
        report_line("undone moves", "%" PRIu64, stats.n_undone);
    }
}

void report_overfull(const char *path, const struct set *set)
{
    ninho_info info = NINHO_INFO_INIT;

    if (!set->filter)
        return;
    (void)ninho_filter_info(set->filter, &info);
    if (info.count <= info.capacity)
        return;
    /* Copies take room here, and soon there is none; whatever the fpr. */
    if (info.kind == NINHO_CUCKOO)
        warn("%s: warning: holds %" PRIu64 " keys, %" PRIu64
             " more than its capacity; fpr expected %.3g",
             path, info.count, info.count - info.capacity, info.fpr_expected);
    else if (info.fpr_expected > 1.1 * info.fpr_target)
        warn("%s: warning: %" PRIu64 " keys in a filter made for %" PRIu64
             ": expected fpr %.3g instead of %.3g",
             path, info.count, info.capacity, info.fpr_expected, info.fpr_target);
}
