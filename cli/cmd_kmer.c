/* SPDX-License-Identifier: MIT */
/* ninho kmer: k-mers of sequences. Four commands of its own, and what they share. */
#include "cmd_kmer.h"

#include <stdlib.h>
#include <string.h>

#include "options/numbers.h"

const struct option rule_options[] = {
    {NUMBER("k", "K", parse_u32, struct rule_options, k, 1, NINHO_KMER_MAX_K,
            "bases in a k-mer"),
     .letter = 'k'},
    {FLAG("forward", struct rule_options, forward, "k-mers as written, not canonical")},
    {0},
};

ninho_kmer_rule rule_of(const struct rule_options *options)
{
    return (ninho_kmer_rule){
        .k = options->k ? options->k : DEFAULT_K,
        .strand = options->forward ? NINHO_KMER_FORWARD : NINHO_KMER_CANONICAL,
    };
}

static const struct command *const behind[] = {&kmer_build, &kmer_check, &kmer_stats,
                                               &kmer_compare, NULL};

static const struct option *const tables[] = {NULL};

const struct command cmd_kmer = {.name = "kmer",
                                 .run = run_verb_behind,
                                 .options = tables,
                                 .behind = behind,
                                 .is_application = true};
