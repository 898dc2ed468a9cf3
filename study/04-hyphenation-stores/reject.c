/* SPDX-License-Identifier: MIT */
/* Row A8: what it takes to reject an absent key, without hyphenation around it: the words of the sample
 * that are no exceptions, asked of the dictionary, of a filter, and of a filter with the dictionary behind
 * it. */
#include <stdio.h>
#include <stdlib.h>

#include "04-hyphenation-stores/parts.h"
#include "harness/fail.h"
#include "harness/timing.h"
#include "harness/trend.h"

/* In which manner a key is rejected. */
enum manner { BY_DICTIONARY, BY_FILTER, BY_BOTH };

static const struct {
    const char *name;
    enum manner manner;
    ninho_kind kind;
} rejections[] = {
    {"dictionary alone", BY_DICTIONARY, 0},
    {"bloom alone", BY_FILTER, NINHO_BLOOM},
    {"bloom + dictionary", BY_BOTH, NINHO_BLOOM},
    {"cuckoo alone", BY_FILTER, NINHO_CUCKOO},
    {"cuckoo + dictionary", BY_BOTH, NINHO_CUCKOO},
    {"blocked alone", BY_FILTER, NINHO_BLOCKED},
    {"blocked + dictionary", BY_BOTH, NINHO_BLOCKED},
};
enum {
    N_REJECTIONS = sizeof rejections / sizeof rejections[0],
    DICTIONARY = 0,
    BLOOM_BOTH = 2,
    BLOCKED_BOTH = 6
};

struct rejecting {
    const struct stores_experiment *e;
    ninho_dict *dict;
    uint64_t dict_bytes;
    struct word *absent;
    size_t n_absent;
};

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    (void)context;
    snprintf(text, VARIANT_TEXT, "%s", rejections[variant].name);
}

/* The exceptions as a dictionary, without their hyphens. */
static void fill_dictionary(struct rejecting *r)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    char text[NINHO_HYPHEN_MAX_EXCEPTION];

    spec.capacity = r->e->data.n_exceptions;
    if (ninho_dict_create(&spec, NULL, &r->dict, &error))
        fail("dictionary: %s", error.text);
    for (size_t i = 0; i < r->e->data.n_exceptions; i++) {
        const size_t n =
            ninho_hyphen_rules_exception(r->e->data.rules, i, text, sizeof text);
        size_t length = 0;
        for (size_t j = 0; j < n; j++)
            if (text[j] != '-')
                text[length++] = text[j];
        if (ninho_dict_put(r->dict, text, length, i, NULL))
            fail("dictionary: an exception was not taken");
    }
    if (ninho_dict_info_of(r->dict, &info))
        fail("dictionary: no information");
    r->dict_bytes = info.memory_bytes;
}

static ninho_filter *make_filter(const struct rejecting *r, ninho_kind kind,
                                 size_t repetition)
{
    const ninho_spec spec =
        hyphen_filter(&r->e->data, kind, .01, r->e->study->seed + repetition);
    const size_t n = r->e->data.n_exceptions;
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3, .seed = spec.seed};
    uint64_t *hashes = allocate(n, sizeof *hashes);
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    uint64_t cursor = 0;
    const void *key;
    size_t size;

    for (size_t i = 0; ninho_dict_next(r->dict, &cursor, &key, &size, NULL); i++)
        hashes[i] = ninho_hash_bytes(&hasher, key, size);
    if (ninho_filter_build(&spec, hashes, n, NULL, &filter, &error))
        fail("%s: %s", ninho_kind_name(kind), error.text);
    free(hashes);
    return filter;
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    const struct rejecting *r = context;
    const enum manner manner = rejections[variant].manner;
    ninho_filter *filter = manner == BY_DICTIONARY
                               ? NULL
                               : make_filter(r, rejections[variant].kind, repetition);
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3,
                                 .seed = r->e->study->seed + repetition};
    size_t n_maybe = 0;
    size_t n_there = 0;

    const double start = seconds_of_thread();
    for (size_t i = 0; i < r->n_absent; i++) {
        const struct word *word = &r->absent[i];
        if (filter && !ninho_filter_has(
                          filter, ninho_hash_bytes(&hasher, word->text, word->length)))
            continue;
        n_maybe++;
        if (manner != BY_FILTER)
            n_there += ninho_dict_get(r->dict, word->text, word->length, NULL);
    }
    values[0] = 1e9 * (seconds_of_thread() - start) / (double)r->n_absent;
    values[1] = (double)n_maybe;
    if (n_there || (filter && n_maybe > r->n_absent / 20) ||
        (!filter && n_maybe != r->n_absent))
        fail("%s: a wrong answer", rejections[variant].name);
    ninho_filter_free(filter);
}

static uint64_t bytes_of(const struct rejecting *r, size_t variant)
{
    ninho_plan plan = NINHO_PLAN_INIT;
    uint64_t bytes = rejections[variant].manner == BY_FILTER ? 0 : r->dict_bytes;

    if (rejections[variant].kind) {
        const ninho_spec spec =
            hyphen_filter(&r->e->data, rejections[variant].kind, .01, 1);
        if (ninho_filter_plan(&spec, &plan, NULL))
            fail("no plan");
        bytes += plan.table_bytes;
    }
    return bytes;
}

/* The claim: less space, and no more time. Space is exact. */
static void judge(const struct rejecting *r, const struct samples *samples,
                  struct answer *answer)
{
    const struct interval time = paired_ratio(samples, BLOOM_BOTH, DICTIONARY, 0);
    const struct interval blocked = paired_ratio(samples, BLOCKED_BOTH, DICTIONARY, 0);
    const double filter = (double)bytes_of(r, BLOOM_BOTH - 1);
    const double dictionary = (double)bytes_of(r, DICTIONARY);
    const enum verdict saves = filter < 0.98 * dictionary ? HOLDS : DOES_NOT_HOLD;

    answer_judge(
        answer, "A8", verdict_both(saves, verdict_at_most(&time, 1)), time,
        "time to reject an absent word with a Bloom filter of 1 % in front of the "
        "dictionary, over the dictionary alone",
        "The Bloom filter takes %.0f bytes where the dictionary in memory takes %.0f, "
        "%.1f %% of it (in front of the dictionary it comes on top). Rejecting an absent "
        "word takes %.3f times as long as with the dictionary alone [%.3f, %.3f]; with a "
        "blocked filter in front %.3f times [%.3f, %.3f].",
        filter, dictionary, 100 * filter / dictionary, time.value, time.low, time.high,
        blocked.value, blocked.low, blocked.high);
}

void stores_reject(const struct stores_experiment *e, struct answer *answer)
{
    struct rejecting r = {.e = e};
    char path[HYPHEN_PATH];

    fill_dictionary(&r);
    r.absent = allocate(e->data.n_words, sizeof *r.absent);
    for (size_t i = 0; i < e->data.n_words; i++)
        if (!ninho_dict_get(r.dict, e->data.words[i].text, e->data.words[i].length, NULL))
            r.absent[r.n_absent++] = e->data.words[i];
    const struct sampling sampling = {
        .name = "samples-reject",
        .fields = "reject_ns,maybe",
        .n_variants = N_REJECTIONS,
        .n_repetitions = study_pick(e->study, 6, 30, 30),
        .warm_up = true,
        .describe = describe,
        .measure = measure,
        .context = &r,
    };
    struct samples samples = samples_take(e->study, e->folder, &sampling);
    snprintf(path, sizeof path, "%sreject.csv", e->folder);
    struct csv *csv =
        csv_open(path, "way,n_absent,reject_ns,reject_low,reject_high,n_maybe,bytes");
    for (size_t v = 0; v < N_REJECTIONS; v++) {
        csv_text(csv, rejections[v].name);
        csv_count(csv, r.n_absent);
        stores_put_interval(csv, samples_median(&samples, v, 0));
        csv_count(csv, (uint64_t)samples_at(&samples, v, 0)[1]);
        csv_count(csv, bytes_of(&r, v));
        csv_end_row(csv);
    }
    csv_close(csv);
    judge(&r, &samples, answer);
    samples_free(&samples);
    ninho_dict_free(r.dict);
    free(r.absent);
}
