/* SPDX-License-Identifier: MIT */
/* Repeated measurements of several variants, fair to each of them and kept on disk.
 *
 * Every repetition measures every variant once, beginning with another one each time, so that what
 * the machine does meanwhile falls on all of them alike; one repetition more, the warm-up, comes first
 * and is thrown away. Each measurement is appended to a CSV file in the question's folder at once:
 * a run that was interrupted reads it and goes on where it stopped. The first line of the file says
 * for which program, size and seed it was measured; where that differs it is measured anew. */
#ifndef STUDY_HARNESS_SAMPLES_H
#define STUDY_HARNESS_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

#include "study.h"

enum { MAX_FIELDS = 16, VARIANT_TEXT = 64 };

/* What to measure. */
struct sampling {
    const char *
        name; /* of the file, "samples" for samples.csv; another for each series of a question */
    const char *
        fields; /* what one measurement gives, "init_ns,total_ns,lookups": at most MAX_FIELDS */
    size_t n_variants;
    size_t n_repetitions;
    bool warm_up;
    /* Writes the variant's name, "bloom 1 %": unique among them, without commas and line ends. */
    void (*describe)(void *context, size_t variant, char text[VARIANT_TEXT]);
    /* Measures once and fills values[0..n_fields). Checks its own work and fails where it is wrong. Leans
     * on no earlier call: after an interruption it begins in the middle of a repetition. */
    void (*measure)(void *context, size_t variant, size_t repetition, double *values);
    void *context;
};

/* n_variants x n_repetitions x n_fields numbers. */
struct samples {
    size_t n_variants;
    size_t n_repetitions;
    size_t n_fields;
    double *values;
};

/* Measures what is not in the file yet, with progress on a terminal. `folder` ends with '/'. */
struct samples samples_take(const struct study *study, const char *folder,
                            const struct sampling *sampling);
void samples_free(struct samples *samples);

/* The same for what was measured in an order of its own: `values` in the order of struct samples. They are
 * written to the file; where it has them already, its values are the ones that are returned. `measure` of
 * the sampling is not used. */
struct samples samples_keep(const struct study *study, const char *folder,
                            const struct sampling *sampling, const double *values);

/* One measurement, all of its fields. */
const double *samples_at(const struct samples *samples, size_t variant,
                         size_t repetition);

/* One field of one variant over the repetitions, into out[0..n_repetitions). */
void samples_column(const struct samples *samples, size_t variant, size_t field,
                    double *out);

/* Mean with Student's interval, and median with the order-statistic interval, of such a column. Of a
 * single repetition a mean has no interval: its ends are NAN, and verdicts on it come out open. */
struct interval samples_mean(const struct samples *samples, size_t variant, size_t field);
struct interval samples_median(const struct samples *samples, size_t variant,
                               size_t field);

/* The ratio field(a) / field(b) inside each repetition: its mean with Student's interval. The same for
 * the difference. Noise that both suffer cancels. */
struct interval samples_ratio(const struct samples *samples, size_t a, size_t b,
                              size_t field);
struct interval samples_difference(const struct samples *samples, size_t a, size_t b,
                                   size_t field);

#endif
