/* SPDX-License-Identifier: MIT */
/* From the runs to verdicts on the seminar's figures. "Reduced" is the seminar's word for the emptier
 * bucket.
 *
 * Some claims speak of *equal time* or an *equal number stored*, which no run controls. There the two
 * filters' lines y = a + b x are fitted with one slope b, inside each k, and the claim is about the
 * distance between the lines:
 *
 *     y |            reduced
 *       |         .-'    |
 *       |      .-'       | c       c: distance in y at equal x
 *       |   .-'      .-' | original
 *       |        .-'
 *       +----------------------- x
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "20-fewer-relocations/runs.h"
#include "harness/fail.h"

/* Which cells: lengths [first, last], ratios [from, to]. */
struct part {
    size_t first, last;
    size_t from, to;
};

static const struct part all = {0, N_LENGTHS - 1, 0, LAST_RATIO};
enum { FIRST_LONG = 3, K100 = 4 }; /* among the lengths: 10, 20, 31 are short */
static const struct part at_k100 = {K100, K100, 0, LAST_RATIO};

static bool is_in(const struct part *part, size_t cell)
{
    const size_t length = cell / N_RATIOS;
    const size_t ratio = cell % N_RATIOS;

    return length >= part->first && length <= part->last && ratio >= part->from &&
           ratio <= part->to;
}

static double sum_of(const struct samples *runs, const struct part *part, size_t filter,
                     size_t repetition, enum quantity quantity)
{
    double sum = 0;

    for (size_t cell = 0; cell < N_CELLS; cell++)
        if (is_in(part, cell))
            sum += run_quantity(runs, cell, filter, repetition, quantity);
    return sum;
}

/* A number for each repetition, and their mean. */
typedef double (*of_repetition)(const struct samples *runs, size_t repetition,
                                const void *argument);

static struct interval over_repetitions(const struct samples *runs, of_repetition number,
                                        const void *argument)
{
    double *values = allocate(runs->n_repetitions, sizeof *values);

    for (size_t r = 0; r < runs->n_repetitions; r++)
        values[r] = number(runs, r, argument);
    const struct interval mean = mean_interval(values, runs->n_repetitions);
    free(values);
    return mean;
}

/* ---- Ratios -------------------------------------------------------------------------------- */

struct ratio_of {
    struct part part;
    enum quantity quantity;
};

static double one_ratio(const struct samples *runs, size_t repetition,
                        const void *argument)
{
    const struct ratio_of *of = argument;

    return sum_of(runs, &of->part, EMPTIER, repetition, of->quantity) /
           sum_of(runs, &of->part, ORIGINAL, repetition, of->quantity);
}

/* Reduced over original, summed over the cells. */
static struct interval ratio(const struct samples *runs, struct part part,
                             enum quantity quantity)
{
    const struct ratio_of of = {part, quantity};

    return over_repetitions(runs, one_ratio, &of);
}

/* ---- Lines --------------------------------------------------------------------------------- */

struct lines_of {
    enum quantity x, y;
    struct part part;
};

/* Sums for the lines' common slope, which is sxy / sxx. */
struct spread {
    double sxx, sxy;
};

/* A line is fitted for each filter and length, all with one slope. */
struct group {
    size_t filter;
    size_t length;
};

static void group_means(const struct samples *runs, const struct lines_of *of,
                        const struct group *group, size_t repetition, double *mean_x,
                        double *mean_y)
{
    struct part part = of->part;

    part.first = part.last = group->length;
    const double n = (double)(part.to - part.from + 1);
    *mean_x = sum_of(runs, &part, group->filter, repetition, of->x) / n;
    *mean_y = sum_of(runs, &part, group->filter, repetition, of->y) / n;
}

static void add_spread(const struct samples *runs, const struct lines_of *of,
                       const struct group *group, size_t repetition,
                       struct spread *spread)
{
    struct part part = of->part;
    double mean_x, mean_y;

    part.first = part.last = group->length;
    group_means(runs, of, group, repetition, &mean_x, &mean_y);
    for (size_t cell = 0; cell < N_CELLS; cell++) {
        if (!is_in(&part, cell))
            continue;
        const double x =
            run_quantity(runs, cell, group->filter, repetition, of->x) - mean_x;
        const double y =
            run_quantity(runs, cell, group->filter, repetition, of->y) - mean_y;
        spread->sxx += x * x;
        spread->sxy += x * y;
    }
}

/* The common slope of the lines of one repetition. */
static double one_slope(const struct samples *runs, size_t repetition,
                        const void *argument)
{
    const struct lines_of *of = argument;
    struct spread spread = {0};

    for (size_t filter = ORIGINAL; filter <= EMPTIER; filter++)
        for (size_t length = of->part.first; length <= of->part.last; length++)
            add_spread(runs, of, &(struct group){filter, length}, repetition, &spread);
    return spread.sxx > 0 ? spread.sxy / spread.sxx : 0;
}

/* How far the reduced filter's lines lie above the original's. */
static double one_distance(const struct samples *runs, size_t repetition,
                           const void *argument)
{
    const struct lines_of *of = argument;
    const double slope = one_slope(runs, repetition, argument);
    double sum = 0;

    for (size_t length = of->part.first; length <= of->part.last; length++) {
        double x[2], y[2];
        for (size_t filter = ORIGINAL; filter <= EMPTIER; filter++)
            group_means(runs, of, &(struct group){filter, length}, repetition, &x[filter],
                        &y[filter]);
        sum += y[EMPTIER] - y[ORIGINAL] - slope * (x[EMPTIER] - x[ORIGINAL]);
    }
    return sum / (double)(of->part.last - of->part.first + 1);
}

static struct interval slope(const struct samples *runs, struct lines_of of)
{
    return over_repetitions(runs, one_slope, &of);
}

static struct interval distance(const struct samples *runs, struct lines_of of)
{
    return over_repetitions(runs, one_distance, &of);
}

/* The original's mean over the cells and repetitions: what changes are compared with. */
static double level(const struct samples *runs, struct part part, enum quantity quantity)
{
    double sum = 0;
    size_t n = 0;

    for (size_t cell = 0; cell < N_CELLS; cell++)
        if (is_in(&part, cell)) {
            sum += run_mean(runs, cell, ORIGINAL, quantity).value;
            n++;
        }
    return sum / (double)n;
}

/* The same over the range of x, to compare a slope with. */
static double level_over_range(const struct samples *runs, const struct lines_of *of)
{
    double least = INFINITY, most = -INFINITY;

    for (size_t cell = 0; cell < N_CELLS; cell++)
        if (is_in(&of->part, cell)) {
            const double x = run_mean(runs, cell, ORIGINAL, of->x).value;
            least = fmin(least, x);
            most = fmax(most, x);
        }
    return level(runs, of->part, of->y) / (most - least);
}

/* ---- Until the table is full --------------------------------------------------------------- */

static const struct part fullest = {0, N_LENGTHS - 1, LAST_RATIO, LAST_RATIO};

static double field_until_full(const struct samples *runs, size_t filter,
                               size_t repetition, enum field field)
{
    double sum = 0;

    for (size_t length = 0; length < N_LENGTHS; length++) {
        const size_t cell = length * N_RATIOS + LAST_RATIO;
        sum += samples_at(runs, cell * N_COMPARED + filter, repetition)[field];
    }
    return sum;
}

/* Milliseconds until a table is full, the mean over k and repetitions. */
static double full_ms(const struct samples *runs, size_t filter)
{
    double sum = 0;

    for (size_t r = 0; r < runs->n_repetitions; r++)
        sum += field_until_full(runs, filter, r, FULL_SECONDS);
    return 1e3 * sum / (double)(N_LENGTHS * runs->n_repetitions);
}

static double one_full_ratio(const struct samples *runs, size_t repetition,
                             const void *argument)
{
    const enum field field = *(const enum field *)argument;

    return field_until_full(runs, EMPTIER, repetition, field) /
           field_until_full(runs, ORIGINAL, repetition, field);
}

/* Runs of the fullest tables in which a filter had no free slot left at the end. */
static size_t n_filled(const struct samples *runs, size_t filter)
{
    size_t n = 0;

    for (size_t cell = 0; cell < N_CELLS; cell++)
        for (size_t r = 0; is_in(&fullest, cell) && r < runs->n_repetitions; r++)
            n += samples_at(runs, cell * N_COMPARED + filter, r)[FULL_SECONDS] >= 0;
    return n;
}

/* Both filters fill every one of the tables that are a tenth too small. */
static bool all_filled(const struct samples *runs)
{
    const size_t n = N_LENGTHS * runs->n_repetitions;

    return n_filled(runs, ORIGINAL) == n && n_filled(runs, EMPTIER) == n;
}

/* ---- The rows ------------------------------------------------------------------------------ */

static void judge_time(const struct samples *runs, struct answer *answer)
{
    const struct part shorter = {0, FIRST_LONG - 1, 0, LAST_RATIO};
    const struct part longer = {FIRST_LONG, N_LENGTHS - 1, 0, LAST_RATIO};
    const struct interval short_ratio = ratio(runs, shorter, TIME);
    const struct interval long_ratio = ratio(runs, longer, TIME);

    answer_judge(
        answer, "C1",
        verdict_both(verdict_equal(&short_ratio), verdict_ratio_above(&long_ratio)),
        long_ratio, "insertion time, reduced / original, k = 50 to 200",
        "Time of an insertion with its SHA-1, over all 13 tables. For k = 10 to 31 the "
        "ratio reduced / original is %.3f [%.3f, %.3f] (claimed: 1), for k = 50 to 200 "
        "it is %.3f [%.3f, %.3f] (claimed: above 1). The time grows with k because "
        "SHA-1 reads the k-mer; the filter itself never sees how long it was.",
        short_ratio.value, short_ratio.low, short_ratio.high, long_ratio.value,
        long_ratio.low, long_ratio.high);
}

/* The seminar's sentence on its figure 3.2 says the opposite of the figure, where the line of the reduced
 * filter lies lower in time. Both are judged. */
static void judge_time_and_moves(const struct samples *runs, struct answer *answer)
{
    const struct lines_of time = {MOVED, TIME, all};
    const struct lines_of moved = {TIME, MOVED, all};
    const struct interval grows = slope(runs, time);
    const struct interval fewer = distance(runs, moved);
    const struct interval sooner = distance(runs, time);
    const double whole = level(runs, all, MOVED);
    const enum verdict growth = verdict_above_zero(&grows, level_over_range(runs, &time));

    answer_judge(
        answer, "C2", verdict_both(growth, verdict_below_zero(&fewer, whole)), fewer,
        "relocations per k-mer at equal time, reduced - original",
        "The sentence. Each relocation more takes %.1f ns [%.1f, %.1f] more (%s). "
        "The original makes %.3f relocations per k-mer in the mean over all "
        "tables. In the same tables the reduced makes %.3f times as many in %.3f "
        "times the time.",
        grows.value, grows.low, grows.high, verdict_text(growth), whole,
        ratio(runs, all, MOVED).value, ratio(runs, all, TIME).value);
    answer_judge(
        answer, "C2f",
        verdict_both(growth, verdict_below_zero(&sooner, level(runs, all, TIME))), sooner,
        "nanoseconds per k-mer at equal relocations, reduced - original",
        "The figure. The original takes %.1f ns per k-mer in the mean over all "
        "tables. At equal relocations less time is, for a time that grows with "
        "them, at equal time more of them: sentence and figure exclude each "
        "other.",
        level(runs, all, TIME));
}

static void judge_full(const struct samples *runs, struct answer *answer)
{
    const struct lines_of fill = {MOVED, FILL, all};
    const struct interval grows = slope(runs, fill);
    const enum verdict grows_verdict =
        verdict_above_zero(&grows, level_over_range(runs, &fill));
    const enum field moves = FULL_MOVES, seconds = FULL_SECONDS;
    const size_t n_runs = N_LENGTHS * runs->n_repetitions;
    const bool are_full = all_filled(runs);

    if (!are_full) {
        const struct interval none = no_interval();
        answer_judge(answer, "C3", DOES_NOT_HOLD, none, "fill at the end",
                     "In the tables a tenth too small the original fills %zu of %zu "
                     "completely, the reduced %zu.",
                     n_filled(runs, ORIGINAL), n_runs, n_filled(runs, EMPTIER));
        answer_judge(answer, "C6", OPEN, none, "time until the table is full",
                     "Not every table was filled completely: see C3.");
        return;
    }
    const struct interval move_ratio = over_repetitions(runs, one_full_ratio, &moves);
    const struct interval time_ratio = over_repetitions(runs, one_full_ratio, &seconds);
    answer_judge(
        answer, "C3", verdict_both(grows_verdict, verdict_ratio_below(&move_ratio)),
        move_ratio, "relocations until no slot is free, reduced / original",
        "In tables a tenth too small both fill every slot. Until then the reduced filter "
        "makes %.3f times the relocations of the original [%.3f, %.3f]. Over all "
        "tables fill %s with relocations.",
        move_ratio.value, move_ratio.low, move_ratio.high,
        grows_verdict == HOLDS ? "grows" : "does not clearly grow");
    answer_judge(answer, "C6", verdict_ratio_below(&time_ratio), time_ratio,
                 "time until no slot is free, reduced / original",
                 "In tables a tenth too small: the time that all insertions took until "
                 "every slot was in use, SHA-1 not included. The original takes %.1f ms "
                 "in the mean, the reduced %.1f ms.",
                 full_ms(runs, ORIGINAL), full_ms(runs, EMPTIER));
    answer_mark(answer, "C6", EXPLORATORY,
                "That the quickest of several passes counts was decided after single "
                "passes had been seen to differ too much.");
}

/* The sentence on figure 3.4 and the figure again say opposite things. */
static void judge_share(const struct samples *runs, struct answer *answer)
{
    const struct lines_of share = {TIME, SHARE, all};
    const struct interval more = distance(runs, share);
    const double whole_share = level(runs, all, SHARE);

    answer_judge(
        answer, "C4", verdict_above_zero(&more, whole_share), more,
        "share stored at equal time, reduced - original",
        "The sentence. A table stores what it has room for, whatever the choice: "
        "%.4f of the k-mers in the mean over all tables, with the original.",
        whole_share);
    answer_judge(answer, "C4f", verdict_below_zero(&more, whole_share), more,
                 "share stored at equal time, reduced - original",
                 "The figure, in which the line of the reduced filter lies lower.");
    answer_judge(answer, "C5", OPEN, no_interval(), "k at an equal number stored",
                 "No verdict.");
    answer_mark(answer, "C5", BY_DEFINITION,
                "k is chosen by the experimenter, not found by the filter, and both "
                "filters were given the same: no run can decide which of them “stores "
                "longer ones”. A fingerprint has 32 bits, however long the k-mer was.");
}

/* Equal relocations: in the tables that have room for all k-mers, and in those that have not, where each
 * failed insertion costs MNK whatever the choice was. Each table is looked at as well and told, but not
 * judged: of so many intervals some err. Tables in which the original moves nothing say nothing. */
struct equality {
    enum verdict verdict;
    struct interval roomy, overfull; /* reduced / original */
    size_t n_tables, n_equal, n_different;
    size_t n_equal_overfull; /* of the equal ones, those that cannot hold all k-mers */
};

static struct equality equal_moves(const struct samples *runs, struct part part)
{
    const struct part with_room = {part.first, part.last, 0, FIRST_OVERFULL - 1};
    const struct part without = {part.first, part.last, FIRST_OVERFULL, LAST_RATIO};
    struct equality equality = {.roomy = ratio(runs, with_room, MOVED),
                                .overfull = ratio(runs, without, MOVED)};

    equality.verdict =
        verdict_both(verdict_equal(&equality.roomy), verdict_equal(&equality.overfull));
    for (size_t cell = 0; cell < N_CELLS; cell++) {
        if (!is_in(&part, cell))
            continue;
        const struct part one = {cell / N_RATIOS, cell / N_RATIOS, cell % N_RATIOS,
                                 cell % N_RATIOS};
        double least = INFINITY;
        for (size_t r = 0; r < runs->n_repetitions; r++)
            least = fmin(least, sum_of(runs, &one, ORIGINAL, r, MOVED));
        if (least <= 0)
            continue;
        const struct interval of = ratio(runs, one, MOVED);
        const enum verdict verdict = verdict_equal(&of);
        equality.n_tables++;
        equality.n_equal += verdict == HOLDS;
        equality.n_equal_overfull +=
            verdict == HOLDS && cell % N_RATIOS >= FIRST_OVERFULL;
        equality.n_different += verdict == DOES_NOT_HOLD;
    }
    return equality;
}

static void judge_moves(const struct samples *runs, struct answer *answer)
{
    const struct lines_of moved = {SHARE, MOVED, all};
    const struct lines_of by_buckets = {BUCKETS, MOVED, at_k100};
    const struct interval falls = slope(runs, moved);
    const struct interval fewer = slope(runs, by_buckets);
    const struct equality anywhere = equal_moves(runs, all);
    const struct equality at_100 = equal_moves(runs, at_k100);
    const double step =
        0.01 *
        run_mean(runs, (size_t)K100 * N_RATIOS + LAST_RATIO, ORIGINAL, BUCKETS).value;

    answer_judge(
        answer, "C7",
        verdict_both(verdict_below_zero(&falls, level_over_range(runs, &moved)),
                     anywhere.verdict),
        anywhere.roomy,
        "relocations, reduced / original, in tables with room for all k-mers",
        "With each percent of the k-mers more that is stored, relocations change by %.3f "
        "[%.3f, %.3f] per k-mer. Where all have room, reduced makes %.3f times as many "
        "as the original [%.3f, %.3f]; in tables too small for all, %.3f times [%.3f, "
        "%.3f]: there each failed insertion costs MNK. Of %zu tables in which the "
        "original makes any, both make equally many in %zu (%zu of them too small) and "
        "differ in %zu.",
        0.01 * falls.value, 0.01 * falls.low, 0.01 * falls.high, anywhere.roomy.value,
        anywhere.roomy.low, anywhere.roomy.high, anywhere.overfull.value,
        anywhere.overfull.low, anywhere.overfull.high, anywhere.n_tables,
        anywhere.n_equal, anywhere.n_equal_overfull, anywhere.n_different);
    answer_judge(
        answer, "C10",
        verdict_both(at_100.verdict,
                     verdict_below_zero(&fewer, level_over_range(runs, &by_buckets))),
        at_100.roomy,
        "relocations at k = 100, reduced / original, in tables with room for all k-mers",
        "In the tables too small for all it is %.3f times [%.3f, %.3f]. Of %zu tables in "
        "which the original makes any, both make equally many in %zu and differ in %zu. "
        "A hundredth more buckets than the fewest change them by %.3f [%.3f, %.3f] per "
        "k-mer, on a line through all 13 tables.",
        at_100.overfull.value, at_100.overfull.low, at_100.overfull.high, at_100.n_tables,
        at_100.n_equal, at_100.n_different, step * fewer.value, step * fewer.low,
        step * fewer.high);
}

static void judge_time_at_100(const struct samples *runs, struct answer *answer)
{
    enum verdict verdicts[N_RATIOS];
    size_t n_equal = 0, n_slower = 0, n_faster = 0;

    for (size_t i = 0; i < N_RATIOS; i++) {
        const struct interval of = ratio(runs, (struct part){K100, K100, i, i}, TIME);
        verdicts[i] = verdict_equal(&of);
        n_equal += verdicts[i] == HOLDS;
        n_slower += of.low > 1;
        n_faster += of.high < 1;
    }
    answer_judge(answer, "C9", verdict_most(verdicts, N_RATIOS),
                 ratio(runs, at_k100, TIME),
                 "insertion time at k = 100, reduced / original, all tables",
                 "In %zu of 13 tables the times are equal within 5 %% with their whole "
                 "interval. Slower in %zu, faster in %zu: of thirteen intervals of 95 %% "
                 "one may err, so “sometimes slower” is told and not judged.",
                 n_equal, n_slower, n_faster);
}

static double one_roomy_ratio(const struct samples *runs, size_t repetition,
                              const void *argument)
{
    double sums[2] = {0, 0};

    (void)argument;
    for (size_t cell = 0; cell < N_CELLS; cell++)
        for (size_t filter = ORIGINAL;
             filter <= EMPTIER && cell % N_RATIOS < FIRST_OVERFULL; filter++) {
            const double *run = samples_at(runs, cell * N_COMPARED + filter, repetition);
            sums[filter] += run[MOVES] - run[WASTED];
        }
    return sums[EMPTIER] / sums[ORIGINAL];
}

static void judge_whole(const struct samples *runs, struct answer *answer)
{
    const struct part roomy = {0, N_LENGTHS - 1, 0, FIRST_OVERFULL - 1};
    const struct interval moves = over_repetitions(runs, one_roomy_ratio, NULL);
    const struct interval time = ratio(runs, roomy, TIME);
    const struct interval any = ratio(runs, all, MOVED);

    answer->verdict =
        verdict_both(verdict_both(verdict_ratio_below(&moves), verdict_ratio_below(&any)),
                     verdict_at_most(&time, 1));
    answer_judge(answer, "C11", answer->verdict, any,
                 "relocations in all tables, failed insertions included, reduced / "
                 "original",
                 "Better: fewer relocations, counted as in the published table (above) "
                 "and without failed insertions in the tables that have room for all "
                 "(ratio .50 to 1.00): %.3f times [%.3f, %.3f]; and no more time in "
                 "these: %.3f times as much [%.3f, %.3f].",
                 moves.value, moves.low, moves.high, time.value, time.low, time.high);
}

void judge_runs(const struct samples *runs, struct answer *answer)
{
    judge_time(runs, answer);
    judge_time_and_moves(runs, answer);
    judge_full(runs, answer);
    judge_share(runs, answer);
    judge_moves(runs, answer);
    judge_time_at_100(runs, answer);
    judge_whole(runs, answer);
}
