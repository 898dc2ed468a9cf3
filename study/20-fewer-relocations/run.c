/* SPDX-License-Identifier: MIT */
/* The seminar's own runs: k-mers of six lengths into thirteen tables each, by its two filters and by
 * ours. */
#include "20-fewer-relocations/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "20-fewer-relocations/runs.h"
#include "harness/csv.h"
#include "harness/fail.h"

/* The quick form takes so much of the genome, 1/160, and the tables that belong to it. */
enum { TINY_BASES = 1200, QUICK_BASES = 30868 };

const struct figure fewer_relocations_figures[] = {
    {.name = "time-length",
     .of = "seminar, figure 3.1",
     .caption = "Time of one insertion, hashing included, against k: the mean over the "
                "13 tables "
                "with its "
                "interval.",
     .data = "lengths.csv"},
    {.name = "time-moves",
     .of = "seminar, figure 3.2",
     .caption =
         "Time of one insertion against relocations per k-mer, one point for each k and "
         "table, with "
         "intervals. Points on the left edge made none."},
    {.name = "fill-moves",
     .of = "seminar, figure 3.3",
     .caption = "Fill of the table at the end against relocations per k-mer, one point "
                "for each k "
                "and table. "
                "Points on the left edge made none."},
    {.name = "share-time",
     .of = "seminar, figure 3.4",
     .caption = "Share of the distinct k-mers that is stored against the time of one "
                "insertion."},
    {.name = "length-stored",
     .of = "seminar, figure 3.5",
     .caption =
         "k against the number of entries stored, one point for each table: the filters' "
         "points lie "
         "upon each other and are drawn side by side."},
    {.name = "fill-time",
     .of = "seminar, figure 3.6",
     .caption = "Fill of the table against the time of one insertion, hashing included."},
    {.name = "moves-share",
     .of = "seminar, figure 3.7",
     .caption =
         "Relocations per k-mer, failed insertions included, against the share of the "
         "distinct k-mers "
         "that is stored. Points at the lower edge made none."},
    {.name = "k100-fill-time",
     .of = "seminar, figure 3.9",
     .caption = "k = 100: fill of the table against the time of one insertion, hashing "
                "included, "
                "with "
                "intervals."},
    {.name = "k100-fill-moves",
     .of = "seminar, figure 3.10",
     .caption = "k = 100: fill of the table against relocations per k-mer. Points on the "
                "left edge "
                "made none."},
    {.name = "k100-buckets-time",
     .of = "seminar, figure 3.11",
     .caption = "k = 100: time of one insertion, hashing included, against the number of "
                "buckets, "
                "with "
                "intervals."},
    {.name = "k100-buckets-moves",
     .of = "seminar, figure 3.12",
     .caption = "k = 100: relocations per k-mer against the number of buckets; dashed "
                "without those "
                "of failed "
                "insertions. Points at the lower edge made none."},
    {.name = "lost",
     .caption =
         "Share of the k-mers counted as stored that a search does not find, against "
         "distinct k-mers / "
         "slots, the mean over k. Ours lose none.",
     .data = "tables.csv"},
    {.name = NULL},
};

/* ---- Data ---------------------------------------------------------------------------------- */

static void csv_interval(struct csv *csv, struct interval interval)
{
    csv_number(csv, interval.value);
    csv_number(csv, interval.low);
    csv_number(csv, interval.high);
}

static void write_run(struct csv *csv, const struct samples *runs, size_t cell,
                      size_t filter)
{
    const size_t variant = cell * N_COMPARED + filter;
    const double *run = samples_at(runs, variant, 0);
    const double wasted = samples_mean(runs, variant, WASTED).value / run[N_KMERS];

    csv_text(csv, subject_name(compared[filter]));
    csv_count(csv, lengths[cell / N_RATIOS]);
    csv_number(csv, ratio_at(cell % N_RATIOS));
    csv_number(csv, run[N_BUCKETS]);
    csv_count(csv, BUCKET_SLOTS);
    csv_count(csv, MAX_MOVES);
    csv_number(csv, run[N_KMERS]);
    csv_number(csv, run[N_DISTINCT]);
    csv_count(csv, runs->n_repetitions);
    csv_number(csv, samples_mean(runs, variant, STORED).value);
    csv_number(csv, run_mean(runs, cell, filter, SHARE).value);
    csv_number(csv, samples_mean(runs, variant, FAILED).value);
    csv_number(csv, samples_mean(runs, variant, LOST).value);
    csv_interval(csv, run_mean(runs, cell, filter, FILL));
    csv_interval(csv, run_mean(runs, cell, filter, MOVED));
    csv_number(csv, wasted);
    csv_interval(csv, run_mean(runs, cell, filter, TIME));
    csv_interval(csv, samples_mean(runs, variant, TABLE_NS));
    csv_number(csv, samples_mean(runs, variant, FULL_SECONDS).value);
    csv_number(csv, samples_mean(runs, variant, FULL_MOVES).value);
    csv_end_row(csv);
}

static void write_data(const struct samples *runs, const char *folder)
{
    char path[4300];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv = csv_open(
        path, "filter,k,ratio,m,b,mnk,n_kmers,n_distinct,n_repetitions,stored,"
              "share_stored,failed,lost,fill,fill_low,fill_high,moves,moves_low,"
              "moves_high,wasted_moves,insert_ns,insert_ns_low,insert_ns_high,table_ns,"
              "table_ns_low,table_ns_high,full_seconds,full_moves");
    for (size_t filter = 0; filter < N_COMPARED; filter++)
        for (size_t cell = 0; cell < N_CELLS; cell++)
            write_run(csv, runs, cell, filter);
    csv_close(csv);
}

/* The mean of a field over cells first, first + step ..., n of them, repetition by repetition. */
static struct interval mean_of_cells(const struct samples *runs, size_t filter,
                                     size_t first, size_t step, size_t n,
                                     enum quantity quantity)
{
    double *values = allocate(runs->n_repetitions, sizeof *values);

    for (size_t r = 0; r < runs->n_repetitions; r++)
        for (size_t i = 0; i < n; i++)
            values[r] +=
                run_quantity(runs, first + i * step, filter, r, quantity) / (double)n;
    const struct interval mean = mean_interval(values, runs->n_repetitions);
    free(values);
    return mean;
}

static void write_lengths(const struct samples *runs, const char *folder)
{
    char path[4300];

    snprintf(path, sizeof path, "%slengths.csv", folder);
    struct csv *csv =
        csv_open(path, "filter,k,insert_ns,insert_ns_low,insert_ns_high,hash_ns");
    for (size_t filter = 0; filter < N_COMPARED; filter++)
        for (size_t length = 0; length < N_LENGTHS; length++) {
            const size_t first = length * N_RATIOS;
            csv_text(csv, subject_name(compared[filter]));
            csv_count(csv, lengths[length]);
            csv_interval(csv, mean_of_cells(runs, filter, first, 1, N_RATIOS, TIME));
            csv_number(csv,
                       samples_mean(runs, first * N_COMPARED + filter, HASH_NS).value);
            csv_end_row(csv);
        }
    csv_close(csv);
}

static double mean_lost(const struct samples *runs, size_t filter, size_t ratio)
{
    double sum = 0;

    for (size_t length = 0; length < N_LENGTHS; length++)
        sum += samples_mean(runs, (length * N_RATIOS + ratio) * N_COMPARED + filter, LOST)
                   .value;
    return sum / N_LENGTHS;
}

static void write_tables(const struct samples *runs, const char *folder)
{
    char path[4300];

    snprintf(path, sizeof path, "%stables.csv", folder);
    struct csv *csv = csv_open(path, "filter,ratio,fill,moves,lost");
    for (size_t filter = 0; filter < N_COMPARED; filter++)
        for (size_t ratio = 0; ratio < N_RATIOS; ratio++) {
            csv_text(csv, subject_name(compared[filter]));
            csv_number(csv, ratio_at(ratio));
            csv_number(
                csv, mean_of_cells(runs, filter, ratio, N_RATIOS, N_LENGTHS, FILL).value);
            csv_number(
                csv,
                mean_of_cells(runs, filter, ratio, N_RATIOS, N_LENGTHS, MOVED).value);
            csv_number(csv, mean_lost(runs, filter, ratio));
            csv_end_row(csv);
        }
    csv_close(csv);
}

/* ---- In words and numbers ------------------------------------------------------------------ */

static void add_row(struct table *table, const struct samples *runs, size_t cell,
                    size_t filter)
{
    const size_t variant = cell * N_COMPARED + filter;
    const struct interval moves = samples_mean(runs, variant, MOVES);
    const struct interval time = run_mean(runs, cell, filter, TIME);
    char(*row)[CELL_TEXT] = table_add_row(table);
    size_t i = 0;

    snprintf(row[i++], CELL_TEXT, "%.2f", ratio_at(cell % N_RATIOS));
    snprintf(row[i++], CELL_TEXT, "%s", subject_name(compared[filter]));
    snprintf(row[i++], CELL_TEXT, "%.4f", run_mean(runs, cell, filter, FILL).value);
    snprintf(row[i++], CELL_TEXT, "%.0f [%.0f, %.0f]", moves.value, fmax(0, moves.low),
             moves.high);
    snprintf(row[i++], CELL_TEXT, "%.0f", samples_mean(runs, variant, WASTED).value);
    snprintf(row[i++], CELL_TEXT, "%.0f", samples_mean(runs, variant, FAILED).value);
    snprintf(row[i++], CELL_TEXT, "%.3f %%",
             100 * samples_mean(runs, variant, LOST).value);
    snprintf(row[i++], CELL_TEXT, "%.0f [%.0f, %.0f]", time.value, time.low, time.high);
}

static void add_table(const struct samples *runs, struct answer *answer)
{
    static const size_t ratios[] = {8, 10, 12}; /* .90, 1.00, 1.10 */
    const size_t k100 = 4;
    struct table *table = answer_add_table(
        answer, "k = 100, three of the tables",
        "distinct / slots|filter|fill|relocations [95 %]|of failed inserts|failed "
        "inserts|lost of stored|ns per insert [95 %]");

    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++)
        for (size_t filter = 0; filter < N_COMPARED; filter++)
            add_row(table, runs, k100 * N_RATIOS + ratios[i], filter);
}

static double most_lost(const struct samples *runs, bool are_ours)
{
    double most = 0;

    for (size_t filter = 0; filter < N_COMPARED; filter++)
        for (size_t cell = 0; cell < N_CELLS; cell++)
            for (size_t r = 0; r < runs->n_repetitions; r++)
                if (subject_is_ours(compared[filter]) == are_ours)
                    most =
                        fmax(most, samples_at(runs, cell * N_COMPARED + filter, r)[LOST]);
    return most;
}

/* Of the relocations in the tables that are too small, those of insertions that failed. */
static double wasted_share(const struct samples *runs, size_t filter)
{
    double moves = 0, wasted = 0;

    for (size_t cell = 0; cell < N_CELLS; cell++)
        if (cell % N_RATIOS >= FIRST_OVERFULL) {
            moves += samples_mean(runs, cell * N_COMPARED + filter, MOVES).value;
            wasted += samples_mean(runs, cell * N_COMPARED + filter, WASTED).value;
        }
    return wasted / moves;
}

static void describe_answer(const struct study *study, const struct genome *genome,
                            const struct samples *runs, struct answer *answer)
{
    const struct interval with_room = answer_find(answer, "C7")->interval;

    snprintf(
        answer->summary, sizeof answer->summary,
        "Where the table has room for all k-mers, the emptier bucket makes %.3f "
        "times the relocations of the original [%.3f, %.3f]. Where it has not, %.1f %% "
        "of "
        "the original's relocations and %.1f %% of its own are made by insertions that "
        "fail in the end, MNK each. Up to %.1f %% of the k-mers that the seminar's "
        "filters count "
        "as stored are not found again, because entries were moved to where no "
        "search looks, or dropped; of ours, in the same tables, %.1f %%.",
        with_room.value, with_room.low, with_room.high,
        100 * wasted_share(runs, ORIGINAL), 100 * wasted_share(runs, EMPTIER),
        100 * most_lost(runs, false), 100 * most_lost(runs, true));
    snprintf(
        answer->setup, sizeof answer->setup,
        "The k-mers of E. coli 536 (%s%zu bases) for k = 10, 20, 31, 50, 100, 200, as "
        "written, in genome order, repeated ones again, into m buckets of b = 100, "
        "MNK = 100, with m such that distinct k-mers / slots runs from .50 to 1.10 "
        "in 13 steps; %zu repetitions under different seeds. The seminar's filters: "
        "SHA-1, 32-bit fingerprints, bucket = h mod m, a set. Ours: the same slots, "
        "32-bit tags, also a set, offset pairing; emptier with a walk of "
        "at most 100 moves, bfs with at most 500 tags looked at, windows of 4 in "
        "place of the buckets. Times are processor time of one call for each k-mer; "
        "the hashing is timed once for each k and repetition and added. Relocations "
        "include those of insertions that failed. Intervals: Student's, 95 %%.",
        study->size == STUDY_FULL ? "all " : "only the first ", genome->n,
        runs->n_repetitions);
}

void run_fewer_relocations(const struct study *study, const char *folder,
                           struct answer *answer)
{
    struct genome genome;

    answer->verdict = OPEN;
    if (!genome_read(study, ECOLI_536, study_pick(study, TINY_BASES, QUICK_BASES, 0),
                     &genome, answer))
        return;
    struct samples runs = take_runs(study, folder, &genome);
    write_data(&runs, folder);
    write_lengths(&runs, folder);
    write_tables(&runs, folder);
    judge_runs(&runs, answer);
    add_table(&runs, answer);
    describe_answer(study, &genome, &runs, answer);
    samples_free(&runs);
    genome_free(&genome);
}
