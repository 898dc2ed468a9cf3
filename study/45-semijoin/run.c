/* SPDX-License-Identifier: MIT */
/* What a filter saves when two PostgreSQL servers join: bytes and time of the plain join, of a filter sent ahead, of
 * the list of keys, and of the helper that chooses; and where each of them wins. */
#include "45-semijoin/run.h"

#include <math.h>
#include <stdio.h>

#include "45-semijoin/parts.h"
#include "harness/progress.h"

const struct figure semijoin_figures[] = {
    {
        .name = "map",
        .caption =
            "Which way moves the fewest bytes, by the number of keys, the share of the "
            "remote rows that match, and the letters in a row. The number beside a mark: "
            "how many times the bytes the second best way moves. A ring: what "
            "ninho_semijoin_plan chooses for these sizes, where that is another way. "
            "Counted.",
    },
    {
        .name = "choice",
        .caption =
            "Bytes that ninho_semijoin moves over those of the better of filter and "
            "list: "
            "one mark for each share of matching rows and each width. It knows the sizes "
            "from statistics, or has to ask for them first. Dashed: 1.1. Counted.",
    },
    {
        .name = "bits",
        .data = "bits.csv",
        .caption =
            "Bytes moved both ways by the size of the filter: a key to a hundred remote "
            "rows, half of the keys matching. A small filter lets too many rows come "
            "back, a large one is itself what is sent. Counted; means over draws of the "
            "keys.",
    },
    {
        .name = "time",
        .data = "time.csv",
        .caption =
            "Time of a join: measured over loopback (left, medians), and computed for "
            "slower lines as that time and the time of the bytes. The latency of a line "
            "is not in it. “Index”: the remote table has one by its key, which a list "
            "can use and a filter cannot.",
    },
    {.name = NULL},
};

/* To ask for sizes may cost so much more. */
#define ASKING_BYTES 1000

/* Where the helper is farthest from the better of filter and list. */
static const struct place *worst_of(const struct map *map, enum way helper)
{
    const struct place *worst = map->places;

    for (const struct place *p = map->places; p < map->places + map->n_places; p++)
        if (place_excess(p, helper) > place_excess(worst, helper))
            worst = p;
    return worst;
}

/* How many bytes more than 1.1 times those of the better of filter and list the helper moves that has to ask, at
 * most. */
static double most_asked(const struct map *map)
{
    double most = -INFINITY;

    for (const struct place *p = map->places; p < map->places + map->n_places; p++)
        most = fmax(most, p->bytes[ASKING] - 1.1 * place_better(p));
    return most;
}

/* How often each way wins, and how often that was planned; how much a plan for another way loses at most. */
struct tally {
    size_t n_won[N_WAYS];
    size_t n_planned;
    double worst_loss;
    size_t most_list_keys;    /* the most keys with which a list wins */
    size_t least_filter_keys; /* the least with which a filter does */
    double
        least_plain; /* the least share of matching rows with which the plain join wins */
};

static struct tally tally_of(const struct map *map)
{
    struct tally tally = {.least_plain = INFINITY, .worst_loss = 1};

    for (const struct place *p = map->places; p < map->places + map->n_places; p++) {
        const double share = (double)p->join.n_matches / (double)p->join.n_remote;
        tally.n_won[p->winner]++;
        tally.n_planned += p->planned.way == p->winner;
        tally.worst_loss =
            fmax(tally.worst_loss, p->bytes[p->planned.way] / p->bytes[p->winner]);
        if (p->winner == LIST && p->join.n_keys > tally.most_list_keys)
            tally.most_list_keys = p->join.n_keys;
        if (p->winner == FILTER &&
            (!tally.least_filter_keys || p->join.n_keys < tally.least_filter_keys))
            tally.least_filter_keys = p->join.n_keys;
        if (p->winner == PLAIN)
            tally.least_plain = fmin(tally.least_plain, share);
    }
    return tally;
}

/* The speed of a line, in Mbit/s, at which the list by an index and the filter without one take the same time:
 * the filter is ahead on slower ones. */
static double crossing(const struct times *times)
{
    const double bits = 8 * (times_bytes(times, USUAL, LIST, true) -
                             times_bytes(times, USUAL, HELPER, true));
    const double ms =
        times_ms(times, USUAL, HELPER, true) - times_ms(times, USUAL, LIST, true);

    return bits / ms / 1000;
}

static struct interval exactly(double value)
{
    return (struct interval){value, value, value};
}

static void judge(const struct map *map, const struct bits *bits,
                  const struct times *times, struct answer *answer)
{
    const struct place *worst = worst_of(map, HELPER);
    const struct place *asking = worst_of(map, ASKING);
    const struct tally tally = tally_of(map);
    const struct interval excess = exactly(place_excess(worst, HELPER));
    const struct interval asked = exactly(most_asked(map));
    const struct interval gain = bits_gain(bits);
    const struct interval faster = times_ratio(times, USUAL, ASKING, false);

    answer->verdict = verdict_both(
        verdict_both(verdict_at_most(&excess, 1.1),
                     verdict_at_most(&asked, ASKING_BYTES)),
        verdict_both(verdict_at_least(&gain, 90), verdict_ratio_below(&faster)));
    snprintf(
        answer->summary, sizeof answer->summary,
        "Of %zu joins a filter moves the fewest bytes in %zu, from %zu keys on; a list "
        "in %zu, up to %zu keys; the plain join in %zu, where at least %g %% match. "
        "The helper moves at most %.3f times the bytes of the better of filter and "
        "list (%zu keys, %g %% of the rows, %zu letters); where it has to ask, %.3f "
        "times (%zu keys, %.0f bytes more). What is planned for the true sizes is best "
        "in %zu of the %zu, and else moves at most %.3f times the bytes. With %zu keys "
        "against %zu rows it moves %.0f times fewer bytes than the plain join [%.0f, "
        "%.0f], asking included, in %.2f times [%.2f, %.2f] the time, over loopback. "
        "With an index there a list takes %.1f ms, and the filter, which cannot use "
        "it, %.1f: it is ahead on lines below %.1f Mbit/s (computed).",
        map->n_places, tally.n_won[FILTER], tally.least_filter_keys, tally.n_won[LIST],
        tally.most_list_keys, tally.n_won[PLAIN], 100 * tally.least_plain, excess.value,
        worst->join.n_keys,
        100 * (double)worst->join.n_matches / (double)worst->join.n_remote,
        worst->join.width, place_excess(asking, ASKING), asking->join.n_keys,
        asking->bytes[ASKING] - place_better(asking), tally.n_planned, map->n_places,
        tally.worst_loss, bits->join.n_keys, bits->join.n_remote, gain.value, gain.low,
        gain.high, faster.value, faster.low, faster.high,
        times_ms(times, USUAL, LIST, true), times_ms(times, USUAL, HELPER, true),
        crossing(times));
}

static void set_up(const struct map *map, const struct bits *bits,
                   const struct times *times, double connect_bytes, struct answer *answer)
{
    snprintf(
        answer->setup, sizeof answer->setup,
        "Two PostgreSQL servers on this machine, joined by postgres_fdw, 10,000 rows "
        "for each FETCH. A row has a key of 7 digits and 8, 32 or 256 letters. Bytes "
        "are counted both ways by a proxy between the servers, everything but the "
        "opening of the connection, which takes %.0f more. The map: %zu rows, of which "
        "shares from %g %% to all match %zu to %zu keys; three draws of the keys where "
        "chance plays a part. The join of the other figures: %zu rows, %zu keys of "
        "which half match one row each; %zu draws. Time: psql's clock, without the "
        "proxy, foreign tables analysed but for the helper that has to ask; %zu "
        "repetitions, interleaved; nothing but loopback lies between the servers. All "
        "ways must bring the same rows, by count and checksum.",
        connect_bytes, map->places[0].join.n_remote,
        100 * (double)map->places[0].join.n_matches /
            (double)map->places[0].join.n_remote,
        map->places[0].join.n_keys, map->places[map->n_places - 1].join.n_keys,
        bits->join.n_remote, bits->join.n_keys, bits->samples.n_repetitions,
        times->samples.n_repetitions);
}

void run_semijoin(const struct study *study, const char *folder, struct answer *answer)
{
    struct servers *servers = servers_start(study, answer);

    if (!servers) {
        answer->verdict = OPEN;
        snprintf(answer->summary, sizeof answer->summary,
                 "Not measured: there were no two PostgreSQL servers to join.");
        return;
    }
    progress_part(0, 0.5);
    struct map map = map_take(study, folder, servers);
    progress_part(0.5, 0.6);
    struct bits bits = bits_take(study, folder, servers);
    struct times times = times_take(study, folder, servers);
    const double connect_bytes = servers_connect_bytes(servers);
    servers_stop(servers);
    map_write(&map, folder);
    bits_write(&bits, folder);
    times_write(&times, folder);
    judge(&map, &bits, &times, answer);
    set_up(&map, &bits, &times, connect_bytes, answer);
    bits_table(&bits, answer);
    times_table(&times, answer);
    map_tables(&map, answer);
    times_free(&times);
    bits_free(&bits);
    map_free(&map);
}
