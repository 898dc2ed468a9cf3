/* SPDX-License-Identifier: MIT */
/* What a simulation tells: lines, CSV or JSON; and the picture's file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "output.h"
#include "report.h"
#include "route/route.h"

/* One number of a phase, under the same name in CSV and JSON. */
struct figure {
    const char *name;
    uint64_t value;
};

#define MAX_FIGURES 32

/* All whole numbers of a phase, and how many there are. Full lists hold a name where filters hold a
 * few bits, and send names where filters send hashes. */
static size_t figures_of(const struct route_run *run, const struct route_phase *phase,
                         struct figure figures[MAX_FIGURES])
{
    const struct route_tally *tally = &phase->tally;
    const ninho_route_tree_info *info = &phase->info;
    const struct figure all[] = {
        {"requests", tally->n_requests},
        {"delivered", tally->n_delivered},
        {"not_there", tally->n_absent},
        {"expired", tally->n_expired},
        {"lost", tally->n_lost},
        {"hops", tally->hops},
        {"shortest_hops", tally->shortest},
        {"most_hops", tally->most_hops},
        {"wrong_turns", tally->wrong_turns},
        {"requests_with_wrong_turn", tally->n_with_wrong_turn},
        {"filters_asked", tally->questions},
        {"held", info->n_held},
        {"filters", info->n_filters},
        {"filter_bytes", info->filter_bytes},
        {"list_bytes", info->n_below * run->name_bytes},
        {"built_bytes_sent", info->built_bytes},
        {"update_bytes_sent", info->update_bytes},
        {"update_list_bytes", info->n_updates * run->name_bytes},
        {"rebuilt_bytes_sent", info->rebuilt_bytes},
        {"filters_rebuilt", info->n_rebuilt},
        {"stale", info->n_stale},
        {"links_unknown", info->n_unknown},
        {"claims_refused", info->n_refused},
        {"checked", tally->n_checked},
        {"check_failed", tally->n_disagreed},
        {"built_list_bytes", info->n_built * run->name_bytes},
    };
    const size_t n = sizeof all / sizeof *all;

    memcpy(figures, all, sizeof all);
    return n;
}

const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static double stretch(const struct route_tally *tally)
{
    return tally->shortest ? (double)tally->hops / (double)tally->shortest : 1;
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

/* ---- Text ---------------------------------------------------------------------------------- */

static void bytes_line(const char *name, uint64_t bytes, uint64_t list_bytes)
{
    if (bytes && list_bytes)
        report_line(name, "%" PRIu64 " bytes; full lists %" PRIu64 ", %.1f times", bytes,
                    list_bytes, ratio(list_bytes, bytes));
    else
        report_line(name, "%" PRIu64 " bytes; full lists %" PRIu64, bytes, list_bytes);
}

static void print_phase(const struct route_run *run, const struct route_phase *phase)
{
    const struct route_tally *tally = &phase->tally;
    const ninho_route_tree_info *info = &phase->info;

    if (run->n_phases > 1)
        output_format("\n%s\n", phase->name);
    report_line("requests", "%" PRIu64, tally->n_requests);
    report_line("delivered", "%" PRIu64, tally->n_delivered);
    if (tally->n_absent)
        report_line("not there", "%" PRIu64, tally->n_absent);
    if (tally->n_expired)
        report_line("TTL spent", "%" PRIu64, tally->n_expired);
    report_line("lost", "%" PRIu64, tally->n_lost);
    report_line("hops", "%" PRIu64 ", %.4f times the shortest ways; at most %" PRIu64,
                tally->hops, stretch(tally), tally->most_hops);
    report_line("wrong turns", "%" PRIu64 ", %.4f a request", tally->wrong_turns,
                ratio(tally->wrong_turns, tally->n_requests));
    report_line("filters asked", "%" PRIu64 ", %.1f a request", tally->questions,
                ratio(tally->questions, tally->n_requests));
    bytes_line("stored", info->filter_bytes, info->n_below * run->name_bytes);
    bytes_line("sent at first", info->built_bytes, info->n_built * run->name_bytes);
    if (info->update_bytes)
        bytes_line("sent as news", info->update_bytes, info->n_updates * run->name_bytes);
    if (info->n_rebuilt)
        report_line("made anew", "%" PRIu64 " filter%s, %" PRIu64 " bytes sent",
                    info->n_rebuilt, plural(info->n_rebuilt), info->rebuilt_bytes);
    if (info->n_stale)
        report_line("stale", "%" PRIu64 " of what left", info->n_stale);
    if (info->n_unknown && info->n_refused)
        report_line("unknown links",
                    "%" PRIu64 "; %" PRIu64 " claim%s refused as saturated",
                    info->n_unknown, info->n_refused, plural(info->n_refused));
    else if (info->n_unknown)
        report_line("unknown links",
                    "%" PRIu64 "; too many copies of one key for their filters",
                    info->n_unknown);
    if (tally->n_checked)
        report_line("checked", "%" PRIu64 " breadth first, %" PRIu64 " disagree",
                    tally->n_checked, tally->n_disagreed);
}

static void print_filters(const ninho_route_tree_options *filters)
{
    char levels[60] = "";

    if (filters->n_levels > 1)
        (void)snprintf(levels, sizeof levels, ", %u to a link, one for each distance",
                       (unsigned)filters->n_levels);
    report_line("filters", "%s, fpr %g, %s%s", ninho_kind_name(filters->spec.kind),
                filters->spec.fpr,
                filters->geometry == NINHO_ROUTE_SAME ? "all of one size"
                                                      : "each sized for what lies below",
                levels);
}

/* ---- CSV and JSON -------------------------------------------------------------------------- */

static void print_csv(const struct route_run *run)
{
    const ninho_route_tree_options *filters = &run->filters;
    struct figure figures[MAX_FIGURES];

    output_text("phase,kind,fpr,geometry,levels,seed,places,name_bytes");
    size_t n = figures_of(run, &run->phases[0], figures);
    for (size_t i = 0; i < n; i++)
        output_format(",%s", figures[i].name);
    output_text(",stretch\n");
    for (size_t p = 0; p < run->n_phases; p++) {
        n = figures_of(run, &run->phases[p], figures);
        output_format("%s,%s,%.9g,%s,%u,%" PRIu64 ",%" PRIu32 ",%" PRIu64,
                      run->phases[p].name, ninho_kind_name(filters->spec.kind),
                      filters->spec.fpr,
                      filters->geometry == NINHO_ROUTE_SAME ? "same" : "sized",
                      filters->n_levels ? (unsigned)filters->n_levels : 1,
                      run->options->seed, run->model.n_places, run->name_bytes);
        for (size_t i = 0; i < n; i++)
            output_format(",%" PRIu64, figures[i].value);
        output_format(",%.6f\n", stretch(&run->phases[p].tally));
    }
}

static void print_json(const struct route_run *run)
{
    const ninho_route_tree_options *filters = &run->filters;
    struct figure figures[MAX_FIGURES];
    struct json json = {0};

    json_object(&json, NULL);
    run->model.describe_json(run, &json);
    json_string(&json, "kind", ninho_kind_name(filters->spec.kind));
    json_double(&json, "fpr", filters->spec.fpr);
    json_string(&json, "geometry",
                filters->geometry == NINHO_ROUTE_SAME ? "same" : "sized");
    json_uint(&json, "levels", filters->n_levels ? filters->n_levels : 1);
    json_uint(&json, "seed", run->options->seed);
    json_uint(&json, "name_bytes", run->name_bytes);
    json_list(&json, "phases");
    for (size_t p = 0; p < run->n_phases; p++) {
        const size_t n = figures_of(run, &run->phases[p], figures);
        json_object(&json, NULL);
        json_string(&json, "phase", run->phases[p].name);
        for (size_t i = 0; i < n; i++)
            json_uint(&json, figures[i].name, figures[i].value);
        json_double(&json, "stretch", stretch(&run->phases[p].tally));
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
}

/* ---- The whole ----------------------------------------------------------------------------- */

/* The picture is there when all that is printed is, or not at all. */
static int write_picture(struct route_run *run)
{
    struct outfile *file = &run->picture;
    int status = outfile_write(file, run->svg.data, run->svg.size);

    if (!status)
        status = outfile_settle(file);
    if (!status && !output_is_written())
        status = EXIT_ERROR;
    return status ? status : outfile_publish(file);
}

int route_report(struct route_run *run)
{
    const ninho_route_tree_options *filters = &run->filters;
    uint64_t n_undelivered = 0;
    uint64_t n_disagreed = 0;

    for (size_t p = 0; p < run->n_phases; p++) {
        const struct route_tally *tally = &run->phases[p].tally;
        n_undelivered += tally->n_lost + tally->n_expired;
        n_disagreed += tally->n_disagreed + tally->n_lost;
    }
    if (run->options->json) {
        print_json(run);
    } else if (run->options->csv) {
        print_csv(run);
    } else {
        run->model.describe_text(run);
        print_filters(filters);
        for (size_t p = 0; p < run->n_phases; p++)
            print_phase(run, &run->phases[p]);
    }
    if (run->options->svg && run->svg.size) {
        const int status = write_picture(run);
        if (status)
            return status;
    }
    if (n_disagreed)
        return fail("route: %" PRIu64 " requests went wrong: this is a mistake in ninho",
                    n_disagreed);
    return n_undelivered ? EXIT_NO : EXIT_YES;
}
