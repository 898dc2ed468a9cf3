/* SPDX-License-Identifier: MIT */
/* Repeated measurements: fair, kept on disk, and the same after an interruption. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/samples.h"

enum { N_VARIANTS = 3, N_REPETITIONS = 5, N = N_VARIANTS * N_REPETITIONS };

/* A measurement that can be foretold, and ends the program when its time has come. */
struct fake {
    uint64_t seed;
    size_t n_calls;
    size_t order[64]; /* variant * 100 + repetition, of each call */
    size_t end_at;    /* _exit in this call; 0: never */
};

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    (void)context;
    snprintf(text, VARIANT_TEXT, "bloom %zu %%", variant + 1);
}

static double value(uint64_t seed, size_t variant, size_t repetition)
{
    return (double)(mix64(seed * 1000 + variant * 100 + repetition) >> 11) / 3;
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    struct fake *fake = context;

    if (fake->n_calls < 64)
        fake->order[fake->n_calls] = variant * 100 + repetition;
    if (++fake->n_calls == fake->end_at)
        _exit(77);
    values[0] = value(fake->seed, variant, repetition);
    values[1] = (double)repetition;
}

static struct sampling plan(struct fake *fake, bool warm_up)
{
    return (struct sampling){
        .name = "samples",
        .fields = "time_ns,count",
        .n_variants = N_VARIANTS,
        .n_repetitions = N_REPETITIONS,
        .warm_up = warm_up,
        .describe = describe,
        .measure = measure,
        .context = fake,
    };
}

/* Where the samples of a test go. */
struct place {
    struct temp_dir dir;
    char folder[512];
    char file[512];
};

static void place_make(struct place *place)
{
    temp_dir_make(&place->dir);
    snprintf(place->folder, sizeof place->folder, "%s/", place->dir.path);
    temp_path(&place->dir, "samples.csv", place->file);
}

/* Takes all samples; returns how often something was measured. */
static size_t take(const struct place *place, uint64_t seed, uint64_t program,
                   struct samples *samples)
{
    const struct study study = {.seed = seed, .size = STUDY_TINY, .program = program};
    struct fake fake = {.seed = seed};
    const struct sampling sampling = plan(&fake, false);

    *samples = samples_take(&study, place->folder, &sampling);
    return fake.n_calls;
}

static void check_values(const struct samples *samples, uint64_t seed)
{
    CHECK_U64(samples->n_variants, N_VARIANTS);
    CHECK_U64(samples->n_fields, 2);
    for (size_t v = 0; v < N_VARIANTS; v++)
        for (size_t r = 0; r < N_REPETITIONS; r++) {
            CHECK(samples_at(samples, v, r)[0] == value(seed, v, r));
            CHECK(samples_at(samples, v, r)[1] == (double)r);
        }
}

static void every_repetition_begins_with_another_variant(void **state)
{
    static const size_t expected[] = {0,   100, 200, 101, 201, 1,   202, 2,
                                      102, 3,   103, 203, 104, 204, 4};
    const struct study study = {.size = STUDY_TINY};
    struct place place;
    struct fake fake = {0};
    struct sampling sampling = plan(&fake, false);

    (void)state;
    place_make(&place);
    struct samples samples = samples_take(&study, place.folder, &sampling);
    CHECK_U64(fake.n_calls, N);
    for (size_t i = 0; i < N; i++) {
        test_where("call %zu", i);
        CHECK_U64(fake.order[i], expected[i]);
    }
    samples_free(&samples);
    temp_dir_remove(&place.dir);
}

static void the_warm_up_is_thrown_away(void **state)
{
    const struct study study = {.seed = 4, .size = STUDY_TINY};
    struct place place;
    struct fake fake = {.seed = 4};
    struct sampling sampling = plan(&fake, true);

    (void)state;
    place_make(&place);
    struct samples samples = samples_take(&study, place.folder, &sampling);
    CHECK_U64(fake.n_calls, N + N_VARIANTS);
    check_values(&samples, 4);
    samples_free(&samples);
    temp_dir_remove(&place.dir);
}

/* Ends in the middle of every measurement in turn, and goes on. */
static void an_interrupted_run_goes_on_to_the_same_data(void **state)
{
    struct place whole;
    struct samples samples;
    size_t expected_size;

    (void)state;
    place_make(&whole);
    CHECK_U64(take(&whole, 7, 1, &samples), N);
    samples_free(&samples);
    uint8_t *expected = file_read(whole.file, &expected_size);
    for (size_t end_at = 1; end_at <= N; end_at++) {
        struct place place;
        size_t size;
        int status;

        test_where("interrupted in measurement %zu", end_at);
        place_make(&place);
        const pid_t child = fork();
        if (child == 0) {
            const struct study study = {.seed = 7, .size = STUDY_TINY, .program = 1};
            struct fake fake = {.seed = 7, .end_at = end_at};
            const struct sampling sampling = plan(&fake, false);
            samples_take(&study, place.folder, &sampling);
            _exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 77);
        CHECK_U64(take(&place, 7, 1, &samples), N - (end_at - 1));
        check_values(&samples, 7);
        samples_free(&samples);
        uint8_t *bytes = file_read(place.file, &size);
        CHECK(size == expected_size && memcmp(bytes, expected, size) == 0);
        free(bytes);
        temp_dir_remove(&place.dir);
    }
    free(expected);
    temp_dir_remove(&whole.dir);
}

/* Cuts the file after every byte: half a line counts for nothing, and nothing is lost or doubled. */
static void a_file_cut_anywhere_is_mended(void **state)
{
    struct place place;
    struct samples samples;
    size_t size;

    (void)state;
    place_make(&place);
    CHECK_U64(take(&place, 7, 1, &samples), N);
    samples_free(&samples);
    uint8_t *whole = file_read(place.file, &size);
    for (size_t cut = 0; cut < size; cut++) {
        size_t mended_size;
        test_where("cut after %zu bytes", cut);
        file_write(place.file, whole, cut);
        CHECK(take(&place, 7, 1, &samples) >= 1);
        check_values(&samples, 7);
        samples_free(&samples);
        uint8_t *mended = file_read(place.file, &mended_size);
        CHECK(mended_size == size && memcmp(mended, whole, size) == 0);
        free(mended);
    }
    free(whole);
    temp_dir_remove(&place.dir);
}

static void what_is_there_is_not_measured_again(void **state)
{
    struct place place;
    struct samples samples;

    (void)state;
    place_make(&place);
    CHECK_U64(take(&place, 7, 1, &samples), N);
    samples_free(&samples);
    CHECK_U64(take(&place, 7, 1, &samples), 0);
    check_values(&samples, 7);
    samples_free(&samples);
    temp_dir_remove(&place.dir);
}

static void another_seed_or_program_is_measured_anew(void **state)
{
    struct place place;
    struct samples samples;

    (void)state;
    place_make(&place);
    CHECK_U64(take(&place, 7, 1, &samples), N);
    samples_free(&samples);
    CHECK_U64(take(&place, 8, 1, &samples), N);
    check_values(&samples, 8);
    samples_free(&samples);
    CHECK_U64(take(&place, 8, 2, &samples), N);
    samples_free(&samples);
    CHECK_U64(take(&place, 8, 2, &samples), 0);
    samples_free(&samples);
    temp_dir_remove(&place.dir);
}

static void ratios_and_differences_are_paired(void **state)
{
    /* Two variants; the second is always twice the first, whatever the noise. */
    double values[] = {10, 15, 12, 20, 30, 24};
    const struct samples samples = {
        .n_variants = 2, .n_repetitions = 3, .n_fields = 1, .values = values};
    double column[3];

    (void)state;
    const struct interval ratio = samples_ratio(&samples, 1, 0, 0);
    CHECK(ratio.low == 2 && ratio.value == 2 && ratio.high == 2);
    const struct interval difference = samples_difference(&samples, 1, 0, 0);
    CHECK(fabs(difference.value - 37.0 / 3) < 1e-12);
    CHECK(difference.low < difference.value && difference.value < difference.high);
    samples_column(&samples, 1, 0, column);
    CHECK(column[0] == 20 && column[1] == 30 && column[2] == 24);
    CHECK(samples_median(&samples, 0, 0).value == 12);
}

static void a_single_repetition_has_no_interval(void **state)
{
    double values[] = {3, 6};
    const struct samples samples = {
        .n_variants = 2, .n_repetitions = 1, .n_fields = 1, .values = values};
    const struct interval mean = samples_mean(&samples, 0, 0);
    const struct interval ratio = samples_ratio(&samples, 0, 1, 0);

    (void)state;
    CHECK(mean.value == 3 && isnan(mean.low) && isnan(mean.high));
    CHECK(ratio.value == 0.5 && verdict_ratio_below(&ratio) == OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_repetition_begins_with_another_variant),
        cmocka_unit_test(the_warm_up_is_thrown_away),
        cmocka_unit_test(an_interrupted_run_goes_on_to_the_same_data),
        cmocka_unit_test(a_file_cut_anywhere_is_mended),
        cmocka_unit_test(what_is_there_is_not_measured_again),
        cmocka_unit_test(another_seed_or_program_is_measured_anew),
        cmocka_unit_test(ratios_and_differences_are_paired),
        cmocka_unit_test(a_single_repetition_has_no_interval),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
