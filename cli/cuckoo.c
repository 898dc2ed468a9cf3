/* SPDX-License-Identifier: MIT */
#include "cuckoo.h"

#include <inttypes.h>

#include "report.h"
#include "spec.h"

bool cuckoo_is(const ninho_spec *spec)
{
    return spec->kind == NINHO_CUCKOO ||
           (spec->kind == NINHO_SCALABLE && spec->base == NINHO_CUCKOO);
}

/* ---- Options ------------------------------------------------------------------------------- */

/* The first option whose value is not the original filter's, NULL if there is none. */
static const char *unoriginal(const struct cuckoo_options *options,
                              const ninho_spec *given)
{
    ninho_spec original = NINHO_SPEC_INIT;

    ninho_spec_original(&original);
    const struct {
        const char *name;
        uint32_t given, original;
    } values[] = {
        {"slots", (uint32_t)given->slots, (uint32_t)original.slots},
        {"bucket", options->bucket, original.place_slots},
        {"window", options->window, 0},
        {"choice", (uint32_t)given->choice, (uint32_t)original.choice},
        {"search", (uint32_t)given->search, (uint32_t)original.search},
        {"pairing", (uint32_t)given->pairing, (uint32_t)original.pairing},
        {"max-kicks", given->max_kicks, original.max_kicks},
        {"budget", given->budget, 0},
    };

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (values[i].given && values[i].given != values[i].original)
            return values[i].name;
    return NULL;
}

int cuckoo_finish(const struct cuckoo_options *options, const struct args *args,
                  ninho_spec *spec)
{
    const struct command *command = args->command;

    if (options->original) {
        const char *name = unoriginal(options, spec);
        if (name)
            return usage_error(command,
                               "--original and this --%s exclude each other: it has "
                               "buckets of 4, choice random, search walk with 500 kicks, "
                               "pairing xor",
                               name);
        ninho_spec_original(spec);
        return EXIT_YES;
    }
    if (options->bucket && options->window)
        return usage_error(command, "--bucket and --window exclude each other");
    if (options->bucket && spec->slots == NINHO_WINDOWS)
        return usage_error(command, "--bucket is for --slots buckets, not for windows");
    if (options->window && spec->slots == NINHO_BUCKETS)
        return usage_error(command, "--window is for --slots windows, not for buckets");
    if (spec->max_kicks && spec->search != NINHO_SEARCH_WALK)
        return usage_error(command, "--max-kicks is for --search walk, not for bfs");
    if (spec->budget && spec->search == NINHO_SEARCH_WALK)
        return usage_error(command, "--budget is for --search bfs, not for walk");
    if (spec->kind == NINHO_SCALABLE && spec->pairing &&
        spec->pairing != NINHO_PAIRING_OFFSET)
        return usage_error(command,
                           "--pairing %s is for --kind cuckoo: the tables of a scalable "
                           "filter grow by any factor, and have offset",
                           field_word(NINHO_FIELD_PAIRING, (int)spec->pairing));
    if (options->bucket)
        spec->slots = NINHO_BUCKETS;
    if (options->window)
        spec->slots = NINHO_WINDOWS;
    spec->place_slots = options->bucket ? options->bucket : options->window;
    return EXIT_YES;
}

/* ---- Reports ------------------------------------------------------------------------------- */

static bool keeps_one(const ninho_spec *spec, bool is_set)
{
    return is_set || spec->semantics == NINHO_SET;
}

static const char *semantics_of(const ninho_spec *spec, bool is_set)
{
    return keeps_one(spec, is_set) ? "set" : "multiset";
}

void cuckoo_text(const ninho_spec *spec, uint64_t n_slots, bool is_set)
{
    report_line("slots", "%" PRIu64 ", in %s of %" PRIu32, n_slots,
                field_word(NINHO_FIELD_SLOTS, (int)spec->slots), spec->place_slots);
    report_line("choice", "%s", field_word(NINHO_FIELD_CHOICE, (int)spec->choice));
    if (spec->search == NINHO_SEARCH_WALK)
        report_line("search", "walk, at most %" PRIu32 " kicks", spec->max_kicks);
    else
        report_line("search", "bfs, budget %" PRIu32, spec->budget);
    report_line("pairing", "%s", field_word(NINHO_FIELD_PAIRING, (int)spec->pairing));
    report_line("semantics", "%s", semantics_of(spec, is_set));
    if (!keeps_one(spec, is_set))
        report_line("copies", "at most %" PRIu32 " of one key%s", 2 * spec->place_slots,
                    spec->kind == NINHO_SCALABLE ? " in each table" : "");
}

void cuckoo_json(struct json *json, const ninho_spec *spec, bool is_set)
{
    json_string(json, "semantics", semantics_of(spec, is_set));
    json_uint(json, "copies_per_table",
              keeps_one(spec, is_set) ? 1 : 2 * (uint64_t)spec->place_slots);
}
