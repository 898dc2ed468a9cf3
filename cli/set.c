/* SPDX-License-Identifier: MIT */
#include "set.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "explain.h"
#include "kinds.h"
#include "memory.h"

void set_free(struct set *set)
{
    if (set->checked) {
        ninho_checked_free(set->checked);
    } else {
        ninho_filter_free(set->filter);
        ninho_dict_free(set->dict);
    }
    *set = (struct set){0};
}

/* ---- What it is ---------------------------------------------------------------------------- */

static ninho_dict_info dict_info(const ninho_dict *dict)
{
    ninho_dict_info info = NINHO_DICT_INFO_INIT;

    (void)ninho_dict_info_of(dict, &info);
    return info;
}

/* Without reading the table. */
static ninho_spec filter_spec(const ninho_filter *filter)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    (void)ninho_filter_spec(filter, &spec);
    return spec;
}

int set_kind(const struct set *set)
{
    return set->filter ? (int)ninho_filter_kind(set->filter)
                       : (int)dict_info(set->dict).kind;
}

uint32_t set_can(const struct set *set)
{
    if (set->filter)
        return ninho_filter_can(set->filter);
    const ninho_dict_info info = dict_info(set->dict);
    return kind_can((int)info.kind) & ~(info.max_capacity ? (uint32_t)NINHO_CAN_GROW : 0);
}

bool set_keeps_once(const struct set *set)
{
    return ninho_checked_semantics(set->checked) == NINHO_SET;
}

int set_join(struct set *set, const char *path, bool keeps_once)
{
    ninho_error error = NINHO_ERROR_INIT;

    return ninho_checked_join(set->filter, set->dict,
                              keeps_once ? NINHO_SET : NINHO_MULTISET, NULL,
                              &set->checked, &error)
               ? fail_error(path, &error)
               : EXIT_YES;
}

bool set_is_checked(const struct set *set)
{
    return set->filter && (set->dict || set->has_sealed_beside);
}

bool set_is_once(const struct set *set)
{
    return set->filter && filter_spec(set->filter).semantics == NINHO_SET;
}

/* Does the table have another size than the planner would have given it? */
static bool is_sized_by_hand(const ninho_spec *spec)
{
    ninho_spec planned = *spec;
    ninho_plan plan = NINHO_PLAN_INIT;

    planned.n_slots = 0;
    return ninho_filter_plan(&planned, &plan, NULL) || plan.n_cells != spec->n_slots;
}

#define USUAL_KICKS  500
#define USUAL_BUDGET 5000

const char *set_limit(const struct set *set, uint64_t n_more)
{
    const ninho_spec spec =
        set->filter ? filter_spec(set->filter) : (ninho_spec)NINHO_SPEC_INIT;

    if (spec.kind == NINHO_SCALABLE && spec.base == NINHO_CUCKOO)
        return "--capacity or --fpr: tags end at 32 bits, so that it can grow no further";
    if (spec.kind == NINHO_CUCKOO && is_sized_by_hand(&spec))
        return "--table-slots";
    if (spec.max_kicks && spec.max_kicks < USUAL_KICKS)
        return "--max-kicks or --capacity";
    if (spec.budget && spec.budget < USUAL_BUDGET)
        return "--budget or --capacity";
    if (ninho_filter_is_crowded(set->filter, n_more))
        return "--capacity, or with --hash siphash and a --key-file: too many of its "
               "keys stand together, "
               "because they were chosen or one has very many copies";
    return spec.max_capacity ? "--max-capacity" : "--capacity";
}

#define MOST_OF_A_WINDOW 4

const char *set_copies_advice(const struct set *set)
{
    const ninho_spec spec =
        set->filter ? filter_spec(set->filter) : (ninho_spec)NINHO_SPEC_INIT;

    return spec.place_slots && spec.place_slots < MOST_OF_A_WINDOW
               ? "; --window 4 or --bucket 4 keep more copies"
               : "";
}

int set_key_format(const struct set *set, const struct args *args,
                   const struct key_options *options, const char *path,
                   struct key_format *format)
{
    ninho_hasher hasher = {.seed = 0};
    const ninho_key_encoding encoding = set->filter
                                            ? ninho_filter_key_encoding(set->filter)
                                            : dict_info(set->dict).key_encoding;

    if (encoding == NINHO_KEY_HASHES ||
        (set->filter && ninho_filter_hasher(set->filter, &hasher)))
        return fail_as("unsupported", "%s: its keys are hashes made elsewhere", path);
    return key_format_init(format, args, options, encoding, &hasher, path);
}

/* ---- Keys ---------------------------------------------------------------------------------- */

ninho_status set_add(struct set *set, const void *key, size_t key_size, bool *is_copy)
{
    assert(set->dict);
    if (set->checked) {
        const ninho_status status =
            ninho_checked_add_key(set->checked, key, key_size, is_copy);
        if (status)
            *is_copy = ninho_checked_copies(set->checked, key, key_size) > 0;
        return status;
    }
    *is_copy = ninho_dict_copies(set->dict, key, key_size) > 0;
    return ninho_dict_add_copies(set->dict, key, key_size, 1);
}

ninho_status set_remove(struct set *set, const void *key, size_t key_size, uint64_t hash)
{
    if (set->checked)
        return ninho_checked_remove_key(set->checked, key, key_size);
    return set->dict ? ninho_dict_take_copies(set->dict, key, key_size, 1)
                     : ninho_filter_remove(set->filter, hash);
}

/* The dictionaries' tables grow when they are fuller than this, or later. */
#define GROWS_FROM 0.5
/* And the bytes of keys lie in a block that doubles: one that is that much larger than what is
 * added will not do so for it more often than it can be looked at. */
#define FEW_BYTES(memory) ((memory) / 64)

int set_check_room(const struct set *set, const char *path, size_t n_bytes)
{
    if (!set->dict)
        return EXIT_YES;
    const ninho_dict_info info = dict_info(set->dict);
    if (info.load < GROWS_FROM && n_bytes <= FEW_BYTES(info.memory_bytes))
        return EXIT_YES;
    return memory_check(path, 2 * info.memory_bytes + 2 * (uint64_t)n_bytes);
}

/* ---- Whole sets ---------------------------------------------------------------------------- */

static int cannot_unite(const char *target_path, const char *source_path,
                        const char *field, const char *a, const char *b)
{
    return fail_as("mismatch", "%s: cannot be united with %s: %s differs: %s and %s",
                   source_path, target_path, field, a, b);
}

static int do_not_fit(const struct set *target, const char *target_path,
                      const struct set *source, const char *source_path)
{
    return fail_as(
        "mismatch",
        "%s: cannot be united with %s: the keys of both do not fit; make %s with "
        "a larger %s",
        source_path, target_path, target->filter ? "all" : "the first",
        set_limit(target, ninho_filter_count(source->filter)));
}

/* Of two sizes it is the capacities and rates that somebody has chosen: which, and what to do. */
static void explain_sizes(const struct set *target, const struct set *source, char *note,
                          size_t note_size)
{
    const ninho_spec a = filter_spec(target->filter);
    const ninho_spec b = filter_spec(source->filter);

    if (a.capacity != b.capacity)
        (void)snprintf(note, note_size,
                       " (the capacities are %" PRIu64 " and %" PRIu64
                       "): make both with the same --capacity, for the keys of both",
                       a.capacity, b.capacity);
    else if (a.fpr != b.fpr)
        (void)snprintf(
            note, note_size,
            " (the rates are %.4g and %.4g): make both with the same --fpr, or "
            "--bits or --tag-bits",
            a.fpr, b.fpr);
    else if (set_kind(target) == NINHO_CUCKOO)
        (void)snprintf(note, note_size,
                       " (the capacities are both %" PRIu64 ": was --table-slots given?)",
                       a.capacity);
}

/* The library says what differs. */
static int are_different(const struct set *target, const char *target_path,
                         const struct set *source, const char *source_path,
                         const ninho_error *error)
{
    char words[2 * sizeof error->text];
    char note[200] = "";

    error_words(error, words, sizeof words);
    if (error->field == NINHO_FIELD_TABLE_SIZE)
        explain_sizes(target, source, note, sizeof note);
    else if (error->field == NINHO_FIELD_KIND)
        (void)snprintf(note, sizeof note, ": make both with the same --kind");
    return fail_as("mismatch", "%s: cannot be united with %s: %s%s", source_path,
                   target_path, words, note);
}

/* Of kinds that no two filters of can be united. */
static int cannot_be_united(const struct set *source, const char *path)
{
    char names[300];

    kind_list(NINHO_CAN_UNION, false, names, sizeof names);
    return fail_as(
        "unsupported",
        "%s: filters of kind %s cannot be united: build one from the keys of "
        "all, or make them with the same --capacity and one of these kinds: %s",
        path, kind_name(set_kind(source)), names);
}

static int unite_filters(struct set *target, const char *target_path,
                         const struct set *source, const char *source_path)
{
    ninho_error error = NINHO_ERROR_INIT;
    ninho_status status = NINHO_OK;

    if (target->checked) {
        const int room = memory_check(source_path, dict_info(source->dict).memory_bytes);
        if (room)
            return room;
        status = ninho_checked_union(target->checked, source->checked, &error);
    } else {
        status = ninho_filter_union(target->filter, source->filter, &error);
    }
    if (status == NINHO_ERR_MISMATCH)
        return are_different(target, target_path, source, source_path, &error);
    if (status == NINHO_ERR_FULL)
        return do_not_fit(target, target_path, source, source_path);
    if (status == NINHO_ERR_UNSUPPORTED)
        return cannot_be_united(source, source_path);
    return status ? fail_error(source_path, &error) : EXIT_YES;
}

/* The kinds, hashes and seeds may differ: keys are put one by one. */
static int unite_dicts(struct set *target, const char *target_path,
                       const struct set *source, const char *source_path)
{
    const ninho_dict_info to = dict_info(target->dict);
    const ninho_dict_info from = dict_info(source->dict);
    uint64_t cursor = 0;
    const void *key = NULL;
    size_t key_size = 0;
    uint64_t value = 0;

    if (to.key_encoding != from.key_encoding)
        return cannot_unite(target_path, source_path, "key encoding",
                            ninho_key_encoding_name(to.key_encoding),
                            ninho_key_encoding_name(from.key_encoding));
    if (to.key_size != from.key_size)
        return fail_as("mismatch",
                       "%s: cannot be united with %s: key size differs: %" PRIu32
                       " and %" PRIu32,
                       source_path, target_path, to.key_size, from.key_size);
    const int status = memory_check(source_path, from.memory_bytes);
    if (status)
        return status;
    while (ninho_dict_next(source->dict, &cursor, &key, &key_size, &value)) {
        /* The values of k-mers tell k and the strand: they are no numbers of copies. */
        const ninho_status added =
            to.key_encoding == NINHO_KEY_KMER
                ? ninho_dict_put(target->dict, key, key_size, value, NULL)
                : ninho_dict_add_copies(target->dict, key, key_size, value ? value : 1);
        if (added == NINHO_ERR_NOMEM)
            return fail_no_memory();
        if (added == NINHO_ERR_FULL)
            return do_not_fit(target, target_path, source, source_path);
        if (added)
            return fail_as(status_name(added), "%s: %s", source_path,
                           ninho_status_text(added));
    }
    return EXIT_YES;
}

int set_unite(struct set *target, const char *target_path, const struct set *source,
              const char *source_path)
{
    if (!target->filter != !source->filter)
        return cannot_unite(target_path, source_path, "kind", kind_name(set_kind(target)),
                            kind_name(set_kind(source)));
    if (set_is_checked(target) != set_is_checked(source))
        return fail_as("mismatch",
                       "%s: cannot be united with %s: only one of them is checked",
                       source_path, target_path);
    if (set_keeps_once(target) != set_keeps_once(source))
        return fail_as(
            "mismatch",
            "%s: cannot be united with %s: only one of them keeps each key once "
            "(--set)",
            source_path, target_path);
    return target->filter ? unite_filters(target, target_path, source, source_path)
                          : unite_dicts(target, target_path, source, source_path);
}

int set_check_agreement(const struct set *set, const char *path)
{
    return set->checked ? set_verify(set, path) : EXIT_YES;
}

int set_verify(const struct set *set, const char *path)
{
    ninho_error error = NINHO_ERROR_INIT;

    if (set->has_sealed_beside)
        return fail_as(
            "key_missing",
            "%s: the dictionary beside the filter is keyed: give its --key-file", path);
    const ninho_status status = set->checked  ? ninho_checked_verify(set->checked, &error)
                                : set->filter ? ninho_filter_verify(set->filter, &error)
                                              : ninho_dict_verify(set->dict, &error);
    return status ? fail_error(path, &error) : EXIT_YES;
}
