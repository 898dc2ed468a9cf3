/* SPDX-License-Identifier: MIT */
/* Lookups in vain, counted for every family at several rates. No clock: the same seed gives the same
 * numbers on every machine. */
#include <stdio.h>
#include <stdlib.h>

#include "04-hyphenation-stores/parts.h"
#include "harness/fail.h"

enum { MAX_RATES = 20, MAX_COUNTED = 10 * MAX_RATES };

struct counting {
    const struct stores_experiment *e;
    struct {
        ninho_kind kind;
        unsigned percent;
    } cells[MAX_COUNTED];
    size_t n_cells;
};

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    const struct counting *c = context;

    snprintf(text, VARIANT_TEXT, "%s %u %%", ninho_kind_name(c->cells[variant].kind),
             c->cells[variant].percent);
}

static ninho_spec spec_of(const struct counting *c, size_t cell, size_t repetition)
{
    return hyphen_filter(&c->e->data, c->cells[cell].kind, c->cells[cell].percent / 100.0,
                         c->e->study->seed + repetition);
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    const struct counting *c = context;
    const struct hyphen_way way = {.store = HYPHEN_IN_MEMORY,
                                   .filter = spec_of(c, variant, repetition)};
    ninho_hyphen_counters counters;

    struct hyphen_engine engine = hyphen_attach(&c->e->data, &way, NULL);
    (void)hyphen_pass(&c->e->data, &engine, &counters);
    hyphen_stop(&engine);
    values[0] = (double)counters.false_positives;
    values[1] = (double)(counters.asked - counters.found);
}

void stores_count(const struct stores_experiment *e)
{
    static const unsigned few[] = {1, 2, 5, 10, 20};
    const bool is_full = e->study->size == STUDY_FULL;
    struct counting *c = allocate(1, sizeof *c);
    char path[HYPHEN_PATH];

    c->e = e;
    for (size_t i = 0; ninho_kind_at(i); i++)
        for (unsigned r = 0; r < (is_full ? 20 : 5); r++) {
            if (c->n_cells == MAX_COUNTED)
                fail("more than %d kinds and rates", MAX_COUNTED);
            c->cells[c->n_cells].kind = ninho_kind_at(i);
            c->cells[c->n_cells++].percent = is_full ? r + 1 : few[r];
        }
    const struct sampling sampling = {
        .name = "samples-counts",
        .fields = "false_positives,absent",
        .n_variants = c->n_cells,
        .n_repetitions = study_pick(e->study, 2, 5, 10),
        .describe = describe,
        .measure = measure,
        .context = c,
    };
    struct samples samples = samples_take(e->study, e->folder, &sampling);
    snprintf(path, sizeof path, "%scounts.csv", e->folder);
    struct csv *csv = csv_open(path, "filter,percent,n_absent,n_false,n_false_low,"
                                     "n_false_high,n_false_theory");
    for (size_t i = 0; i < c->n_cells; i++) {
        const ninho_spec spec = spec_of(c, i, 0);
        const double n_absent = samples_at(&samples, i, 0)[1];
        csv_text(csv, ninho_kind_name(c->cells[i].kind));
        csv_count(csv, c->cells[i].percent);
        csv_count(csv, (uint64_t)n_absent);
        stores_put_interval(csv, samples_mean(&samples, i, 0));
        csv_number(csv, n_absent * hyphen_theory(&spec, (double)e->data.n_exceptions));
        csv_end_row(csv);
    }
    csv_close(csv);
    samples_free(&samples);
    free(c);
}
