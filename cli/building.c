/* SPDX-License-Identifier: MIT */
#include "building.h"

#include <string.h>

#include "options/numbers.h"
#include "output.h"
#include "report.h"
#include "setfile.h"
#include "setpipe.h"

/* What ninho_filter_build() takes for each key while it runs. */
#define SCRATCH_BYTES 30

const struct option build_options[] = {
    {VALUE("output", "FILE", parse_text, struct build_options, output,
           "the file to be made, in place of the first operand"),
     .letter = 'o'},
    {FLAG("stats", struct build_options, stats, "print statistics")},
    {FLAG("json", struct build_options, json, "print JSON")},
    {FLAG("force", struct build_options, force, "replace a file")},
    {0},
};

ninho_hasher build_hasher(const ninho_spec *spec)
{
    ninho_hasher hasher = {.id = spec->hash ? spec->hash : NINHO_HASH_XXH3,
                           .seed = spec->seed};

    if (spec->secret)
        memcpy(hasher.secret, spec->secret, NINHO_SECRET_BYTES);
    return hasher;
}

int build_filter(struct spec_options *spec, const struct command *command,
                 const struct hash_bag *bag, struct adder *adder)
{
    struct set *set = &adder->set;
    ninho_error error = NINHO_ERROR_INIT;

    if (!spec->spec.capacity)
        spec->spec.capacity = bag->n ? bag->n : 1;
    if (kind_can(spec->kind) & NINHO_CAN_ADD) {
        const int status = spec_create_filter(spec, command, adder->path, set);
        adder->is_distinct = true;
        return status ? status : adder_add(adder, bag->hashes, bag->n);
    }
    const int status =
        spec_check_memory(spec, command, adder->path, (uint64_t)bag->n * SCRATCH_BYTES);
    if (status)
        return status;
    const ninho_status built =
        ninho_filter_build(&spec->spec, bag->hashes, bag->n, NULL, &set->filter, &error);
    if (built == NINHO_ERR_FULL)
        adder->n_refused = bag->n - spec->spec.capacity;
    else if (built)
        return fail_error(adder->path, &error);
    else
        adder->n_added = bag->n;
    return EXIT_YES;
}

int build_check_output(const struct args *args, const struct build_options *options)
{
    if (!is_stdout_name(args->operands[0]) || (!options->stats && !options->json))
        return EXIT_YES;
    return usage_error(args->command, "standard output cannot be both %.100s and --%s",
                       args->operands[0], options->stats ? "stats" : "json");
}

int build_finish(struct adder *adder, const struct build_options *options,
                 void (*print)(const void *context, bool as_json), const void *context)
{
    if (adder->n_refused)
        return adder_account(adder);
    if (options->stats || options->json)
        print(context, options->json);
    if (!output_is_written())
        return EXIT_ERROR; /* output_finish() says why */
    const int status = set_save(&adder->set, adder->path);
    if (status)
        return status;
    report_overfull(adder->path, &adder->set);
    return adder_account(adder);
}
