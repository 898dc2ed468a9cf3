/* SPDX-License-Identifier: MIT */
/* ninho kmer: k-mers of sequences. Four commands of its own, and what they share. */
#include "cmd_kmer.h"

#include <stdlib.h>
#include <string.h>

#include "numbers.h"

const struct option rule_options[] = {
    {.name = "k",
     .letter = 'k',
     .value = "K",
     .parse = parse_u32,
     .offset = offsetof(struct rule_options, k),
     .min = 1,
     .max = NINHO_KMER_MAX_K},
    {.name = "forward", .offset = offsetof(struct rule_options, forward)},
    {0},
};

ninho_kmer_rule rule_of(const struct rule_options *options)
{
    return (ninho_kmer_rule){
        .k = options->k ? options->k : DEFAULT_K,
        .strand = options->forward ? NINHO_KMER_FORWARD : NINHO_KMER_CANONICAL,
    };
}

const struct command *const kmer_commands[] = {&kmer_build, &kmer_check, &kmer_stats,
                                               &kmer_compare, NULL};

static int run(const struct command *command, int argc, char **argv)
{
    if (argc < 1)
        return usage_error(command, "expects build, check, stats or compare");
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)
        return print_help(command->name);
    for (size_t i = 0; kmer_commands[i]; i++)
        if (strcmp(strchr(kmer_commands[i]->name, ' ') + 1, argv[0]) == 0)
            return kmer_commands[i]->run(kmer_commands[i], argc - 1, argv + 1);
    return usage_error(command, "%.100s: must be build, check, stats or compare",
                       argv[0]);
}

static const struct option *const tables[] = {NULL};

const struct command cmd_kmer = {"kmer", run, tables};
