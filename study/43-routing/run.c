/* SPDX-License-Identifier: MIT */
/* How often does a request turn wrong in a network whose links are known by filters, and is anything
 * ever lost?
 *
 * A variant is a network with a kind of filter and a rate; a repetition puts the resources elsewhere.
 * Everything is counted, nothing is timed. */
#include "43-routing/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "43-routing/networks.h"
#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/samples.h"
#include "harness/trend.h"
#include "harness/words.h"

const struct figure routing_figures[] = {
    {
        .name = "wrong-turns",
        .of = "monograph, section 3.5.5",
        .caption =
            "Wrong turns for each request for something that is there, by the rate ε of "
            "the links' filters; mean over the networks with Student's 95 % interval. "
            "Dashed: ε times the filters that a request asks in the sized tree. Filters "
            "that are ORed are all made for the root's set, so that those far below are "
            "nearly empty and seldom err.",
        .rows = "A17",
    },
    {
        .name = "bytes",
        .caption =
            "What the fewer wrong turns of ORed filters cost: bytes of all filters, for "
            "each link.",
        .rows = "A17",
    },
    {.name = NULL},
};

static const struct network {
    const char *name;
    enum network_kind network;
    ninho_kind kind;
} networks[] = {
    {"tree; bloom", NETWORK_TREE, NINHO_BLOOM},
    {"tree; bloom ORed", NETWORK_OR, NINHO_BLOOM},
    {"tree; cuckoo", NETWORK_TREE, NINHO_CUCKOO},
    {"squares; bloom", NETWORK_SQUARES, NINHO_BLOOM},
};
static const double fprs[] = {0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3};

enum {
    N_NETWORKS = sizeof networks / sizeof networks[0],
    N_FPRS = sizeof fprs / sizeof fprs[0],
    SIZED = 0,
    ORED = 1
};

enum field {
    WRONG_TURNS, /* for each request */
    DETOUR,      /* hops / shortest way */
    QUESTIONS,   /* for each request */
    ABSENT_WRONG_TURNS,
    LOST,
    BYTES_PER_LINK,
    BELOW,
    DENIED,
    LINK_FPR,
    N_FIELDS
};
#define FIELDS                                                                          \
    "wrong_turns,detour,questions,absent_wrong_turns,lost,bytes_per_link,below,denied," \
    "link_fpr"

struct experiment {
    const struct study *study;
    struct extent extent;
};

static size_t variant_of(size_t network, size_t fpr)
{
    return network * N_FPRS + fpr;
}

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    (void)context;
    snprintf(text, VARIANT_TEXT, "%s; %g %%", networks[variant / N_FPRS].name,
             100 * fprs[variant % N_FPRS]);
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    const struct experiment *e = context;
    const struct network *network = &networks[variant / N_FPRS];
    const struct tally tally =
        network_try(network->network, network->kind, fprs[variant % N_FPRS], &e->extent,
                    mix64(e->study->seed) + repetition);
    const double n = (double)tally.n_requests;

    if (tally.n_invented)
        fail("%s: delivered what is nowhere", network->name);
    values[WRONG_TURNS] = (double)tally.wrong_turns / n;
    values[DETOUR] = (double)tally.hops / (double)tally.shortest;
    values[QUESTIONS] = (double)tally.questions / n;
    values[ABSENT_WRONG_TURNS] = (double)tally.absent_wrong_turns / n;
    values[LOST] = (double)tally.n_lost;
    values[BYTES_PER_LINK] = (double)tally.filter_bytes / (double)tally.n_filters;
    values[BELOW] = (double)tally.n_below;
    values[DENIED] = (double)tally.n_denied;
    values[LINK_FPR] =
        tally.n_absent ? (double)tally.n_false / (double)tally.n_absent : NAN;
}

/* ---- The answer ---------------------------------------------------------------------------- */

/* The sum of a field over all repetitions. */
static double total(const struct samples *samples, size_t variant, enum field field)
{
    double sum = 0;

    for (size_t r = 0; r < samples->n_repetitions; r++)
        sum += samples_at(samples, variant, r)[field];
    return sum;
}

static void write_csv(const struct experiment *e, const struct samples *samples,
                      const char *folder)
{
    static const enum field shown[] = {WRONG_TURNS, DETOUR, ABSENT_WRONG_TURNS};
    char path[4200];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv = csv_open(
        path, "network,fpr,n_networks,n_requests,lost,wrong_turns,wrong_turns_low,"
              "wrong_turns_high,detour,detour_low,detour_high,absent_wrong_turns,"
              "absent_wrong_turns_low,absent_wrong_turns_high,questions,expected,"
              "bytes_per_link,keys_below,keys_denied,link_fpr");
    for (size_t i = 0; i < (size_t)N_NETWORKS * N_FPRS; i++) {
        const double n_asked = samples_mean(samples, i, QUESTIONS).value;
        csv_text(csv, networks[i / N_FPRS].name);
        csv_number(csv, fprs[i % N_FPRS]);
        csv_count(csv, samples->n_repetitions);
        csv_count(csv, e->extent.n_requests * samples->n_repetitions);
        csv_number(csv, total(samples, i, LOST));
        for (size_t f = 0; f < sizeof shown / sizeof shown[0]; f++) {
            const struct interval mean = samples_mean(samples, i, shown[f]);
            csv_number(csv, mean.value);
            csv_number(csv, mean.low);
            csv_number(csv, mean.high);
        }
        csv_number(csv, n_asked);
        csv_number(csv, n_asked * fprs[i % N_FPRS]);
        csv_number(csv, samples_mean(samples, i, BYTES_PER_LINK).value);
        csv_number(csv, total(samples, i, BELOW));
        csv_number(csv, total(samples, i, DENIED));
        csv_number(csv, samples_mean(samples, i, LINK_FPR).value);
        csv_end_row(csv);
    }
    csv_close(csv);
}

static void fill_table(const struct samples *samples, struct answer *answer)
{
    struct table *table =
        answer_add_table(answer, NULL,
                         "network|ε|wrong turns|hops / shortest|filters asked|wrong "
                         "turns, absent|bytes per "
                         "link|lost");

    for (size_t i = 0; i < (size_t)N_NETWORKS * N_FPRS; i++) {
        char(*row)[CELL_TEXT] = table_add_row(table);
        snprintf(row[0], CELL_TEXT, "%s", networks[i / N_FPRS].name);
        snprintf(row[1], CELL_TEXT, "%g %%", 100 * fprs[i % N_FPRS]);
        snprintf(row[2], CELL_TEXT, "%.4f", samples_mean(samples, i, WRONG_TURNS).value);
        snprintf(row[3], CELL_TEXT, "%.4f", samples_mean(samples, i, DETOUR).value);
        snprintf(row[4], CELL_TEXT, "%.2f", samples_mean(samples, i, QUESTIONS).value);
        snprintf(row[5], CELL_TEXT, "%.4f",
                 samples_mean(samples, i, ABSENT_WRONG_TURNS).value);
        snprintf(row[6], CELL_TEXT, "%.0f",
                 samples_mean(samples, i, BYTES_PER_LINK).value);
        snprintf(row[7], CELL_TEXT, "%.0f", total(samples, i, LOST));
    }
}

/* Wrong turns of the sized tree over ε, one point for each network. */
static struct trend wrong_turns(const struct samples *samples)
{
    size_t variants[N_FPRS];

    for (size_t f = 0; f < N_FPRS; f++)
        variants[f] = variant_of(SIZED, f);
    return trend_of_all(samples, variants, fprs, N_FPRS, WRONG_TURNS);
}

static void judge(const struct experiment *e, const struct samples *samples,
                  struct answer *answer)
{
    double n_lost = 0, n_below = 0, n_denied = 0;

    for (size_t i = 0; i < (size_t)N_NETWORKS * N_FPRS; i++)
        n_lost += total(samples, i, LOST);
    for (size_t f = 0; f < N_FPRS; f++) {
        n_below += total(samples, variant_of(ORED, f), BELOW);
        n_denied += total(samples, variant_of(ORED, f), DENIED);
    }
    /* Every key below every link was asked for, so the share is exact: its interval is itself. */
    const double share = n_denied / n_below;
    const struct interval denied = {share, share, share};
    const struct trend trend = wrong_turns(samples);
    const struct interval slope = trend.line.slope;
    const struct interval lost = {n_lost, n_lost, n_lost};
    const size_t one = 2; /* 1 % */
    answer->verdict =
        verdict_both(verdict_at_most(&lost, 0), verdict_above_zero(&slope, trend.whole));
    snprintf(
        answer->summary, sizeof answer->summary,
        "Of all requests for something that is there %.0f were lost. Each percent of "
        "ε costs %.4f wrong turns for each request [%.4f, %.4f] in a tree with a filter "
        "for "
        "each link; at 1 %% a request takes %.4f times the hops of the shortest way, "
        "with ORed filters %.5f times, which take %.0f instead of %.0f bytes for each "
        "link.",
        n_lost, slope.value / 100, slope.low / 100, slope.high / 100,
        samples_mean(samples, variant_of(SIZED, one), DETOUR).value,
        samples_mean(samples, variant_of(ORED, one), DETOUR).value,
        samples_mean(samples, variant_of(ORED, one), BYTES_PER_LINK).value,
        samples_mean(samples, variant_of(SIZED, one), BYTES_PER_LINK).value);
    answer_judge(
        answer, "A17", verdict_at_most(&denied, 0), denied,
        "share of the keys below a link that the OR of its filters denies, all asked",
        "Every link's filter is the OR of its children's and of its own node's. Asked "
        "for every key below it, %.0f in all over %d rates and %zu networks, the filters "
        "denied %.0f. Of keys that lie elsewhere they accept %.2g %% at ε = 1 %% and "
        "%.2g %% at 10 %% on average over the links. Requests lost: %.0f.",
        n_below, N_FPRS, samples->n_repetitions, n_denied,
        100 * samples_mean(samples, variant_of(ORED, one), LINK_FPR).value,
        100 * samples_mean(samples, variant_of(ORED, 5), LINK_FPR).value, n_lost);
    answer_mark(answer, "A17", BY_DEFINITION,
                "An OR keeps every bit, so it cannot deny a key. Asked is whether our "
                "filters and networks do what an OR does.");
    snprintf(
        answer->setup, sizeof answer->setup,
        "A tree of %zu nodes with four children each, and a square divided %zu times "
        "into "
        "four; %zu resources at random places; %zu requests from random places for "
        "resources that are there, and as many for some that are not; %zu networks. "
        "Sized: each link's filter is made for what lies below it. ORed: all filters "
        "have the size of the root's, and a node hands up the OR of what its children "
        "sent. Counts, no times.",
        e->extent.n_nodes, e->extent.n_divisions, e->extent.n_resources,
        e->extent.n_requests, samples->n_repetitions);
}

void run_routing(const struct study *study, const char *folder, struct answer *answer)
{
    struct experiment e = {
        .study = study,
        .extent = {.n_nodes = study_pick(study, 200, 1500, 6000),
                   .n_divisions = study_pick(study, 3, 5, 6),
                   .n_resources = study_pick(study, 600, 6000, 30000),
                   .n_requests = study_pick(study, 500, 5000, 50000)},
    };
    const struct sampling sampling = {
        .name = "samples",
        .fields = FIELDS,
        .n_variants = (size_t)N_NETWORKS * N_FPRS,
        .n_repetitions = study_pick(study, 3, 5, 30),
        .describe = describe,
        .measure = measure,
        .context = &e,
    };
    struct samples samples = samples_take(study, folder, &sampling);

    write_csv(&e, &samples, folder);
    fill_table(&samples, answer);
    judge(&e, &samples, answer);
    samples_free(&samples);
}
