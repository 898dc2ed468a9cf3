/* SPDX-License-Identifier: MIT */
#include "harness/samples.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fail.h"
#include "harness/progress.h"

enum { LINE = 1024 };

/* A series while it is measured. */
struct series {
    const struct sampling *sampling;
    struct samples samples;
    bool *is_there; /* variant * n_repetitions + repetition: whether it is measured */
    char path[4096];
    FILE *file;
};

static size_t count_fields(const char *fields)
{
    size_t n = 1;

    for (; *fields; fields++)
        n += *fields == ',';
    return n;
}

/* What the file begins with. Only measurements under the same two lines are taken over. */
static void print_beginning(const struct study *study, const struct sampling *sampling,
                            char *text, size_t size)
{
    char mark[RUN_TEXT];

    study_mark(study, mark);
    const int length =
        snprintf(text, size, "# %s\nrepetition,variant,%s\n", mark, sampling->fields);
    if (length < 0 || (size_t)length >= size)
        fail("%s: too many fields", sampling->name);
}

static double *place(const struct series *series, size_t variant, size_t repetition)
{
    const struct samples *s = &series->samples;

    return s->values + (variant * s->n_repetitions + repetition) * s->n_fields;
}

/* Takes one line of the file over. False where it is not a whole line of this series: it was being
 * written when the program ended. */
static bool take_over(struct series *series, const char *line)
{
    const struct samples *s = &series->samples;
    double values[MAX_FIELDS];
    char name[VARIANT_TEXT];
    char *at;

    if (!strchr(line, '\n'))
        return false;
    const unsigned long long repetition = strtoull(line, &at, 10);
    const char *const begin = at + 1;
    const char *const end = *at == ',' ? strchr(begin, ',') : NULL;
    if (!end || (size_t)(end - begin) >= sizeof name)
        return false;
    memcpy(name, begin, (size_t)(end - begin));
    name[end - begin] = '\0';
    const char *from = end;
    for (size_t i = 0; i < s->n_fields; i++) {
        if (*from != ',')
            return false;
        values[i] = strtod(from + 1, &at);
        if (at == from + 1)
            return false;
        from = at;
    }
    if (*from != '\n')
        return false;
    /* A line of another plan (a variant that was renamed, more repetitions) does no harm. */
    for (size_t v = 0; v < s->n_variants && repetition < s->n_repetitions; v++) {
        char text[VARIANT_TEXT] = "";
        series->sampling->describe(series->sampling->context, v, text);
        if (strcmp(text, name) == 0) {
            memcpy(place(series, v, (size_t)repetition), values,
                   s->n_fields * sizeof *values);
            series->is_there[v * s->n_repetitions + (size_t)repetition] = true;
        }
    }
    return true;
}

/* Reads what is there, cuts off what is not whole, and leaves the file open for more. */
static void open_file(struct series *series, const char *beginning)
{
    char line[LINE];
    char head[LINE] = "";
    long good = 0;

    series->file = fopen(series->path, "r+");
    if (series->file) {
        for (int i = 0; i < 2; i++)
            if (fgets(line, sizeof line, series->file))
                strncat(head, line, sizeof head - strlen(head) - 1);
        if (strcmp(head, beginning) == 0) {
            good = ftell(series->file);
            while (fgets(line, sizeof line, series->file) && take_over(series, line))
                good = ftell(series->file);
        }
        if (good == 0) {
            fclose(series->file);
            series->file = NULL;
        }
    }
    if (!series->file) {
        series->file = fopen(series->path, "w");
        if (!series->file || fputs(beginning, series->file) == EOF)
            fail("%s: %s", series->path, strerror(errno));
        return;
    }
    if (fseek(series->file, good, SEEK_SET) || ftruncate(fileno(series->file), good))
        fail("%s: %s", series->path, strerror(errno));
}

/* Measures one variant once, and keeps it on disk at once. */
static void measure(struct series *series, size_t variant, size_t repetition)
{
    const struct sampling *sampling = series->sampling;
    double *values = place(series, variant, repetition);
    char text[VARIANT_TEXT] = "";

    sampling->measure(sampling->context, variant, repetition, values);
    sampling->describe(sampling->context, variant, text);
    assert(!strpbrk(text, ",\r\n"));
    fprintf(series->file, "%zu,%s", repetition, text);
    for (size_t i = 0; i < series->samples.n_fields; i++)
        fprintf(series->file, ",%.17g", values[i]);
    fputc('\n', series->file);
    if (fflush(series->file))
        fail("%s: could not be written", series->path);
}

static size_t count_missing(const struct series *series)
{
    const size_t n = series->samples.n_variants * series->samples.n_repetitions;
    size_t n_missing = 0;

    for (size_t i = 0; i < n; i++)
        n_missing += !series->is_there[i];
    return n_missing;
}

/* The warm-up measures all of them too, so that each finds the caches, the heap and the clock of the
 * processor as it will find them later; its values are overwritten or thrown away. */
static void measure_missing(struct series *series, size_t n_missing)
{
    const struct sampling *sampling = series->sampling;
    const size_t n = sampling->n_variants;
    const size_t n_warm_up = sampling->warm_up ? n : 0;
    struct progress progress = progress_begin(sampling->name);
    size_t n_done = 0;
    double ignored[MAX_FIELDS];

    for (size_t v = 0; v < n_warm_up; v++) {
        sampling->measure(sampling->context, v, 0, ignored);
        progress_show(&progress, (double)++n_done / (double)(n_missing + n_warm_up));
    }
    for (size_t r = 0; r < sampling->n_repetitions; r++)
        for (size_t i = 0; i < n; i++) {
            const size_t v = (i + r) % n;
            if (series->is_there[v * sampling->n_repetitions + r])
                continue;
            measure(series, v, r);
            progress_show(&progress, (double)++n_done / (double)(n_missing + n_warm_up));
        }
    progress_end(&progress);
}

struct samples samples_take(const struct study *study, const char *folder,
                            const struct sampling *sampling)
{
    struct series series = {
        .sampling = sampling,
        .samples = {.n_variants = sampling->n_variants,
                    .n_repetitions = sampling->n_repetitions,
                    .n_fields = count_fields(sampling->fields)},
    };
    const size_t n = sampling->n_variants * sampling->n_repetitions;
    char beginning[LINE];

    assert(series.samples.n_fields <= MAX_FIELDS);
    series.samples.values = allocate(n * series.samples.n_fields, sizeof(double));
    series.is_there = allocate(n, sizeof *series.is_there);
    print_beginning(study, sampling, beginning, sizeof beginning);
    snprintf(series.path, sizeof series.path, "%s%s.csv", folder, sampling->name);
    open_file(&series, beginning);
    const size_t n_missing = count_missing(&series);
    if (n_missing)
        measure_missing(&series, n_missing);
    if (ferror(series.file) | fclose(series.file))
        fail("%s: could not be written", series.path);
    free(series.is_there);
    return series.samples;
}

struct kept {
    const struct sampling *sampling;
    const double *values;
    size_t n_fields;
};

static void describe_kept(void *context, size_t variant, char text[VARIANT_TEXT])
{
    const struct kept *kept = context;

    kept->sampling->describe(kept->sampling->context, variant, text);
}

static void copy_kept(void *context, size_t variant, size_t repetition, double *values)
{
    const struct kept *kept = context;
    const size_t at = variant * kept->sampling->n_repetitions + repetition;

    memcpy(values, kept->values + at * kept->n_fields, kept->n_fields * sizeof *values);
}

struct samples samples_keep(const struct study *study, const char *folder,
                            const struct sampling *sampling, const double *values)
{
    struct kept kept = {sampling, values, count_fields(sampling->fields)};
    struct sampling copying = *sampling;

    copying.describe = describe_kept;
    copying.measure = copy_kept;
    copying.context = &kept;
    copying.warm_up = false;
    return samples_take(study, folder, &copying);
}

void samples_free(struct samples *samples)
{
    free(samples->values);
    samples->values = NULL;
}

const double *samples_at(const struct samples *samples, size_t variant, size_t repetition)
{
    assert(variant < samples->n_variants && repetition < samples->n_repetitions);
    return samples->values +
           (variant * samples->n_repetitions + repetition) * samples->n_fields;
}

void samples_column(const struct samples *samples, size_t variant, size_t field,
                    double *out)
{
    assert(field < samples->n_fields);
    for (size_t r = 0; r < samples->n_repetitions; r++)
        out[r] = samples_at(samples, variant, r)[field];
}

/* The mean's interval; of a single repetition the value alone. */
static struct interval mean_of(const double *column, size_t n)
{
    if (n == 1)
        return (struct interval){NAN, column[0], NAN};
    return mean_interval(column, n);
}

struct interval samples_mean(const struct samples *samples, size_t variant, size_t field)
{
    double *column = allocate(samples->n_repetitions, sizeof *column);

    samples_column(samples, variant, field, column);
    const struct interval mean = mean_of(column, samples->n_repetitions);
    free(column);
    return mean;
}

struct interval samples_median(const struct samples *samples, size_t variant,
                               size_t field)
{
    double *column = allocate(samples->n_repetitions, sizeof *column);

    samples_column(samples, variant, field, column);
    const struct interval median = median_interval(column, samples->n_repetitions);
    free(column);
    return median;
}

struct interval samples_ratio(const struct samples *samples, size_t a, size_t b,
                              size_t field)
{
    double *ratios = allocate(samples->n_repetitions, sizeof *ratios);

    for (size_t r = 0; r < samples->n_repetitions; r++)
        ratios[r] = samples_at(samples, a, r)[field] / samples_at(samples, b, r)[field];
    const struct interval mean = mean_of(ratios, samples->n_repetitions);
    free(ratios);
    return mean;
}

struct interval samples_difference(const struct samples *samples, size_t a, size_t b,
                                   size_t field)
{
    double *differences = allocate(samples->n_repetitions, sizeof *differences);

    for (size_t r = 0; r < samples->n_repetitions; r++)
        differences[r] =
            samples_at(samples, a, r)[field] - samples_at(samples, b, r)[field];
    const struct interval mean = mean_of(differences, samples->n_repetitions);
    free(differences);
    return mean;
}
