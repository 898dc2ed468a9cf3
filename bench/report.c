/* SPDX-License-Identifier: MIT */
/* The results as aligned tables on stdout, and as one JSON document where asked for. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../study/harness/machine.h"
#include "bench.h"

struct report {
    FILE *json; /* NULL: none */
    const char *json_path;
};

static const char *const operation_names[N_OPERATIONS] = {"add", "hit", "miss"};
static const char *const manner_names[N_MANNERS] = {"one", "batch"};

/* ---- JSON ---------------------------------------------------------------------------------- */

/* All of these do nothing without a document. */
__attribute__((format(printf, 2, 3))) static void json(struct report *report,
                                                       const char *format, ...)
{
    va_list arguments;

    if (!report->json)
        return;
    va_start(arguments, format);
    vfprintf(report->json, format, arguments);
    va_end(arguments);
}

static void json_string(struct report *report, const char *text)
{
    json(report, "\"");
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20)
            json(report, "\\u%04x", c);
        else
            json(report, c == '"' || c == '\\' ? "\\%c" : "%c", c);
    }
    json(report, "\"");
}

static void json_samples(struct report *report, const double *samples, size_t n)
{
    json(report, "[");
    for (size_t i = 0; i < n; i++)
        json(report, "%s%.6g", i ? ", " : "", samples[i]);
    json(report, "]");
}

static void json_estimate(struct report *report, const struct estimate *estimate)
{
    json(report, "\"median\": %.6g, \"low\": %.6g, \"high\": %.6g, \"coverage\": %.4f",
         estimate->median, estimate->low, estimate->high, estimate->coverage);
}

/* ---- Tables -------------------------------------------------------------------------------- */

struct report *open_report(const struct options *options)
{
    struct report *report = allocate(1, sizeof *report);
    char machine[512];

    machine_describe(machine, sizeof machine);
    printf("ninho %s\nmachine: %s\n", ninho_version(), machine);
    fflush(stdout);
    report->json_path = options->json_path;
    if (options->json_path) {
        report->json = fopen(options->json_path, "w");
        if (!report->json)
            die("%s: %s", options->json_path, strerror(errno));
    }
    json(report, "{\n \"ninho\": \"%s\",\n \"machine\": ", ninho_version());
    json_string(report, machine);
    return report;
}

static void print_estimate(const double *samples, size_t n)
{
    char text[64] = "-";

    if (samples) {
        const struct estimate e = median_interval(samples, n);
        snprintf(text, sizeof text, "%7.1f [%.1f, %.1f]", e.median, e.low, e.high);
    }
    printf("  %-24s", text);
}

static void print_variant(const struct variant_result *result, size_t n_repetitions)
{
    const struct variant *variant = result->variant;

    for (enum operation operation = ADD; operation < N_OPERATIONS; operation++) {
        printf("%-17s %-5s", operation == ADD ? variant->name : "",
               operation_names[operation]);
        for (enum manner manner = ONE; manner < N_MANNERS; manner++)
            print_estimate(result->samples[operation][manner], n_repetitions);
        if (operation == ADD)
            printf("%8.2f %9.4f%% %9.4f%%  %s", variant->bits_per_key,
                   100 * variant->fpr_promised, 100 * result->fpr_measured,
                   variant->pages);
        putchar('\n');
    }
}

static void json_variant(struct report *report, const struct variant_result *result,
                         size_t n_repetitions)
{
    const struct variant *variant = result->variant;

    json(report, "  {\"name\": ");
    json_string(report, variant->name);
    json(report,
         ", \"bits_per_key\": %.6g, \"fpr_promised\": %.6g, \"fpr_expected\": %.6g, "
         "\"fpr_measured\": %.6g, \"pages\": \"%s\"",
         variant->bits_per_key, variant->fpr_promised, variant->fpr_expected,
         result->fpr_measured, variant->pages);
    for (enum operation operation = ADD; operation < N_OPERATIONS; operation++)
        for (enum manner manner = ONE; manner < N_MANNERS; manner++) {
            const double *samples = result->samples[operation][manner];
            if (!samples)
                continue;
            const struct estimate estimate = median_interval(samples, n_repetitions);
            json(report, ",\n   \"%s_%s_ns\": {", operation_names[operation],
                 manner_names[manner]);
            json_estimate(report, &estimate);
            json(report, ", \"samples\": ");
            json_samples(report, samples, n_repetitions);
            json(report, "}");
        }
    json(report, "}");
}

/* "97.3" out of .973: what part of such intervals holds the true median. */
static double coverage_percent(size_t n_repetitions)
{
    double *samples = allocate(n_repetitions, sizeof *samples);
    const struct estimate estimate = median_interval(samples, n_repetitions);

    free(samples);
    return 100 * estimate.coverage;
}

void report_variants(struct report *report, const char *id, const struct options *options,
                     const struct variant_result *results, size_t n_results)
{
    printf("\n%zu keys of %d bytes, fpr %g, %zu repetitions interleaved; nanoseconds of "
           "processor "
           "time per key,\nhashing included: median [%.1f %% interval]\n\n",
           options->n_keys, KEY_BYTES, options->fpr, options->n_repetitions,
           coverage_percent(options->n_repetitions));
    printf("%-17s %-5s  %-24s  %-24s%8s %10s %10s  %s\n", "kind", "",
           "    one call per key", "    batched", "bits/key", "promised", "measured",
           "pages");
    json(report,
         ",\n \"%s\": {\n  \"n_keys\": %zu,\n  \"key_bytes\": %d,\n  "
         "\"n_repetitions\": %zu,\n  \"variants\": [\n",
         id, options->n_keys, KEY_BYTES, options->n_repetitions);
    for (size_t i = 0; i < n_results; i++) {
        print_variant(&results[i], options->n_repetitions);
        json_variant(report, &results[i], options->n_repetitions);
        json(report, i + 1 < n_results ? ",\n" : "\n");
    }
    json(report, "  ]\n }");
    fflush(stdout);
}

/* ---- Counts of the cuckoo filter ----------------------------------------------------------- */

static bool is_reached(const struct count_result *result)
{
    const double moves = result->moves[3]; /* up to 95 % */

    return result->first_failure >= result->least_failure &&
           moves >= result->least_moves && moves <= result->most_moves;
}

void report_counts(struct report *report, uint64_t n_slots, unsigned tag_bits,
                   unsigned n_seeds, const struct count_result *results, size_t n)
{
    printf(
        "\ncuckoo filters of %llu slots of %u bits, mean of %u seeds: load at the first "
        "failure, and tags\nmoved per key up to a load (must: first failure, moves up to "
        "95 %%)\n\n%-34s %6s %8s",
        (unsigned long long)n_slots, tag_bits, n_seeds, "", "limit", "failure");
    for (size_t i = 0; i < N_COUNT_LOADS; i++)
        printf("   %5.2f", count_loads[i]);
    printf("  must\n");
    json(report,
         ",\n \"cuckoo_counts\": {\n  \"n_slots\": %llu,\n  \"tag_bits\": %u,\n  "
         "\"n_seeds\": %u,\n  \"configurations\": [\n",
         (unsigned long long)n_slots, tag_bits, n_seeds);
    for (size_t i = 0; i < n; i++) {
        const struct count_result *result = &results[i];
        printf("%-34s %6u %8.4f", result->name, result->limit, result->first_failure);
        json(report, "   {\"name\": ");
        json_string(report, result->name);
        json(report, ", \"limit\": %u, \"first_failure\": %.6g, \"moves\": {",
             result->limit, result->first_failure);
        for (size_t l = 0; l < N_COUNT_LOADS; l++) {
            if (isnan(result->moves[l])) {
                printf("       -");
                continue;
            }
            printf(" %7.4f", result->moves[l]);
            json(report, "%s\"%.2f\": %.6g", l ? ", " : "", count_loads[l],
                 result->moves[l]);
        }
        printf("  >= %.3f, %.2f - %.2f: %s\n", result->least_failure, result->least_moves,
               result->most_moves, is_reached(result) ? "reached" : "not reached");
        json(report, "}, \"reached\": %s}%s\n", is_reached(result) ? "true" : "false",
             i + 1 < n ? "," : "");
    }
    json(report, "  ]\n }");
    fflush(stdout);
}

/* ---- Exact sets ---------------------------------------------------------------------------- */

const char *set_operation_name(enum set_operation operation)
{
    static const char *const names[N_SET_OPERATIONS] = {
        "insert reserved", "insert growing", "hit", "miss", "remove"};

    return names[operation];
}

/* The smallest median of an operation, one by one: what is marked in the table. */
static double fastest_median(const struct set_result *results, size_t n_results,
                             enum set_operation operation, size_t n_repetitions)
{
    double least = INFINITY;

    for (size_t i = 0; i < n_results; i++)
        least = fmin(
            least,
            median_interval(results[i].samples[operation][ONE], n_repetitions).median);
    return least;
}

static void print_set(const struct set_result *result, const double *fastest,
                      size_t n_repetitions)
{
    for (enum set_operation operation = 0; operation < N_SET_OPERATIONS; operation++) {
        const double *samples = result->samples[operation][ONE];
        const bool is_fastest =
            median_interval(samples, n_repetitions).median <= fastest[operation];

        printf("%-26s %-15s %c", operation == 0 ? result->name : "",
               set_operation_name(operation), is_fastest ? '*' : ' ');
        print_estimate(samples, n_repetitions);
        print_estimate(result->samples[operation][MANY], n_repetitions);
        if (result->bytes_per_key[operation] > 0)
            printf("%8.1f", result->bytes_per_key[operation]);
        putchar('\n');
    }
}

static void json_set(struct report *report, const struct set_result *result,
                     size_t n_repetitions)
{
    json(report, "   {\"name\": ");
    json_string(report, result->name);
    json(report,
         ", \"is_ours\": %s, \"bytes_per_key_reserved\": %.6g, "
         "\"bytes_per_key_growing\": %.6g",
         result->is_ours ? "true" : "false", result->bytes_per_key[SET_RESERVED],
         result->bytes_per_key[SET_GROWING]);
    for (enum set_operation operation = 0; operation < N_SET_OPERATIONS; operation++)
        for (enum manner manner = ONE; manner < N_MANNERS; manner++) {
            static const char *const names[N_SET_OPERATIONS] = {
                "insert_reserved", "insert_growing", "hit", "miss", "remove"};
            const double *samples = result->samples[operation][manner];
            if (!samples)
                continue;
            const struct estimate estimate = median_interval(samples, n_repetitions);
            json(report, ",\n    \"%s_%s_ns\": {", names[operation],
                 manner_names[manner]);
            json_estimate(report, &estimate);
            json(report, ", \"samples\": ");
            json_samples(report, samples, n_repetitions);
            json(report, "}");
        }
    json(report, "}");
}

void report_sets(struct report *report, const struct options *options, enum key_sort sort,
                 size_t n_lookups, const struct set_result *results, size_t n_results)
{
    const size_t n = options->n_dict_repetitions;
    double fastest[N_SET_OPERATIONS];

    printf(
        "\nexact sets of %zu %s, %zu lookups, %zu repetitions interleaved; nanoseconds "
        "of processor time\nper key: median [%.1f %% interval], * the fastest one by "
        "one; bytes per key as allocated, keys included\n(with a 64-bit value for "
        "each key; khash has none)\n\n",
        options->n_dict_keys,
        sort == NUMBERS ? "64-bit keys" : "strings of 8 to 24 bytes", n_lookups, n,
        coverage_percent(n));
    printf("%-26s %-15s    %-24s  %-24s%8s\n", "set", "", "    one call per key",
           "    batched", "bytes");
    json(report,
         ",\n \"dicts_of_%s\": {\n  \"n_keys\": %zu,\n  \"n_lookups\": %zu,\n  "
         "\"n_repetitions\": %zu,\n  \"sets\": [\n",
         sort == NUMBERS ? "numbers" : "strings", options->n_dict_keys, n_lookups, n);
    for (enum set_operation operation = 0; operation < N_SET_OPERATIONS; operation++)
        fastest[operation] = fastest_median(results, n_results, operation, n);
    for (size_t i = 0; i < n_results; i++) {
        print_set(&results[i], fastest, n);
        json_set(report, &results[i], n);
        json(report, i + 1 < n_results ? ",\n" : "\n");
    }
    json(report, "  ]\n }");
    fflush(stdout);
}

/* ---- Commands and ratios ------------------------------------------------------------------- */

void report_commands(struct report *report, const struct options *options,
                     const struct command_result *results, size_t n_results)
{
    const size_t n = options->n_cli_repetitions;

    printf("\n%zu lines against a set of %zu, half of them members, one thread each, %zu "
           "repetitions\ninterleaved; seconds: median [%.1f %% interval]\n\n",
           options->n_cli_lines, options->n_cli_set, n, coverage_percent(n));
    printf("%-28s  %-24s  %-24s%12s\n", "command", "  processor time", "  elapsed",
           "found");
    json(report, ",\n \"n_lines\": %zu,\n \"n_set\": %zu,\n \"commands\": [\n",
         options->n_cli_lines, options->n_cli_set);
    for (size_t i = 0; i < n_results; i++) {
        const struct command_result *result = &results[i];
        const double *const columns[] = {result->cpu_seconds, result->seconds};
        static const char *const names[] = {"cpu_seconds", "seconds"};

        printf("%-28s", result->name);
        json(report, "  {\"name\": ");
        json_string(report, result->name);
        json(report, ", \"n_found\": %llu", (unsigned long long)result->n_lines);
        for (size_t c = 0; c < 2; c++) {
            const struct estimate e = median_interval(columns[c], n);
            char text[64];

            snprintf(text, sizeof text, "%6.2f [%.2f, %.2f]", e.median, e.low, e.high);
            printf("  %-24s", text);
            json(report, ",\n   \"%s\": {", names[c]);
            json_estimate(report, &e);
            json(report, ", \"samples\": ");
            json_samples(report, columns[c], n);
            json(report, "}");
        }
        printf("%12llu\n", (unsigned long long)result->n_lines);
        json(report, i + 1 < n_results ? "},\n" : "}\n");
    }
    json(report, " ]");
    fflush(stdout);
}

/* Begins a list in the document, under the section's name with underscores. */
static void begin_list(struct report *report, const char *section)
{
    char id[64];

    snprintf(id, sizeof id, "%s", section);
    for (char *at = id; *at; at++)
        *at = *at == ' ' ? '_' : *at;
    json(report, ",\n ");
    json_string(report, id);
    json(report, ": [\n");
}

void report_rows(struct report *report, const char *section, const char *unit,
                 const struct row_result *rows, size_t n_rows, size_t n_repetitions)
{
    printf("\n%s: %s;\n%zu repetitions interleaved: median [%.1f %% interval]\n\n",
           section, unit, n_repetitions, coverage_percent(n_repetitions));
    begin_list(report, section);
    for (size_t i = 0; i < n_rows; i++) {
        const struct estimate e = median_interval(rows[i].samples, n_repetitions);
        char text[64];

        snprintf(text, sizeof text, "%8.4g [%.4g, %.4g]", e.median, e.low, e.high);
        printf("%-34s %-28s %s\n", rows[i].name, text, rows[i].remark);
        json(report, "  {\"name\": ");
        json_string(report, rows[i].name);
        json(report, ", \"unit\": ");
        json_string(report, unit);
        json(report, ", \"remark\": ");
        json_string(report, rows[i].remark);
        json(report, ", ");
        json_estimate(report, &e);
        json(report, ", \"samples\": ");
        json_samples(report, rows[i].samples, n_repetitions);
        json(report, i + 1 < n_rows ? "},\n" : "}\n");
    }
    json(report, " ]");
    fflush(stdout);
}

void report_rates(struct report *report, const char *id, const char *title,
                  const struct rate_result *results, size_t n_results,
                  size_t n_repetitions)
{
    printf(
        "\n%s;\nseconds, and million k-mers per second of processor time: median [%.1f "
        "%% interval]\n\n%-30s  %-24s  %-24s  %-24s%12s\n",
        title, coverage_percent(n_repetitions), "command", "  processor time",
        "  elapsed", "  million k-mers/s", "found");
    json(report, ",\n \"%s\": [\n", id);
    for (size_t i = 0; i < n_results; i++) {
        const struct rate_result *result = &results[i];
        double *rates = allocate(n_repetitions, sizeof *rates);
        for (size_t r = 0; r < n_repetitions; r++)
            rates[r] = 1e-6 * (double)result->n_kmers / result->cpu_seconds[r];
        const double *const columns[] = {result->cpu_seconds, result->seconds, rates};
        static const char *const names[] = {"cpu_seconds", "seconds",
                                            "million_kmers_per_cpu_second"};

        printf("%-30s", result->name);
        json(report, "  {\"name\": ");
        json_string(report, result->name);
        json(report, ", \"n_kmers\": %llu, \"n_found\": %llu",
             (unsigned long long)result->n_kmers, (unsigned long long)result->n_found);
        for (size_t c = 0; c < 3; c++) {
            const struct estimate e = median_interval(columns[c], n_repetitions);
            char text[64];

            snprintf(text, sizeof text, "%6.2f [%.2f, %.2f]", e.median, e.low, e.high);
            printf("  %-24s", text);
            json(report, ",\n   \"%s\": {", names[c]);
            json_estimate(report, &e);
            json(report, ", \"samples\": ");
            json_samples(report, columns[c], n_repetitions);
            json(report, "}");
        }
        if (result->n_found)
            printf("%12llu", (unsigned long long)result->n_found);
        putchar('\n');
        json(report, i + 1 < n_results ? "},\n" : "}\n");
        free(rates);
    }
    json(report, " ]");
    fflush(stdout);
}

void report_facts(struct report *report, const char *id, const char *title,
                  const struct fact_result *facts, size_t n_facts)
{
    printf("\n%s\n\n", title);
    json(report, ",\n \"%s\": [\n", id);
    for (size_t i = 0; i < n_facts; i++) {
        const struct fact_result *fact = &facts[i];
        const bool reached = fact->value >= fact->least && fact->value <= fact->most;
        const char *verdict = reached ? "reached" : "not reached";

        printf("%-42s %12.7g   ", fact->what, fact->value);
        if (fact->least > 0)
            printf("target %.7g to %.7g: %s\n", fact->least, fact->most, verdict);
        else
            printf("target at most %.7g: %s\n", fact->most, verdict);
        json(report, "  {\"what\": ");
        json_string(report, fact->what);
        json(report,
             ", \"value\": %.9g, \"least\": %.9g, \"most\": %.9g, \"verdict\": "
             "\"%s\"}%s\n",
             fact->value, fact->least, fact->most, verdict, i + 1 < n_facts ? "," : "");
    }
    json(report, " ]");
    fflush(stdout);
}

void report_exchanges(struct report *report, size_t n_lines,
                      const struct exchange_result *results, size_t n_results,
                      size_t n_repetitions)
{
    printf("\ndiff: %zu lines of 16 random characters on each side; common: %zu lines of "
           "100 "
           "here, %zu there;\nbytes and round trips beyond the greeting as counted on "
           "the wire, "
           "the most of %zu runs; CPU and elapsed\nseconds, the median\n\n%-24s %-7s "
           "%10s %10s "
           "%7s %9s %6s %9s %9s %8s\n",
           n_lines, n_lines / 20, 5 * n_lines, n_repetitions, "", "method", "sent",
           "received", "rounds", "a line", "found", "CPU here", "there", "elapsed");
    json(report, ",\n \"sets\": [\n");
    for (size_t i = 0; i < n_results; i++) {
        const struct exchange_result *r = &results[i];
        const double per_line = (double)(r->up + r->down) / (double)r->n_differ;
        char text[16] = "-";

        if (r->n_differ && strncmp(r->what, "diff", 4) == 0)
            snprintf(text, sizeof text, "%.1f", per_line);
        printf("%-24s %-7s %10llu %10llu %7llu %9s %6llu %9.2f %9.2f %8.2f\n", r->what,
               r->method, r->up, r->down, r->rounds, text, r->n_found, r->cpu_here,
               r->cpu_there, r->seconds);
        json(report, "  {\"what\": ");
        json_string(report, r->what);
        json(report,
             ", \"method\": \"%s\", \"bytes_sent\": %llu, \"bytes_received\": %llu, "
             "\"rounds\": %llu, \"lines_differing\": %llu, \"lines_found\": %llu, "
             "\"smaller_file_bytes\": %llu, \"cpu_here\": %.4f, \"cpu_there\": %.4f, "
             "\"seconds\": %.4f}%s\n",
             r->method, r->up, r->down, r->rounds, r->n_differ, r->n_found, r->file_bytes,
             r->cpu_here, r->cpu_there, r->seconds, i + 1 < n_results ? "," : "");
    }
    json(report, " ]");
    fflush(stdout);
}

void report_ratios(struct report *report, const char *section,
                   const struct ratio_result *ratios, size_t n_ratios,
                   size_t n_repetitions)
{
    printf("\n%s, as ratios inside each repetition: median [%.1f %% interval]\n\n",
           section, coverage_percent(n_repetitions));
    begin_list(report, section);
    for (size_t i = 0; i < n_ratios; i++) {
        const struct ratio_result *ratio = &ratios[i];
        const struct estimate *e = &ratio->ratio;

        printf("%-66s %6.2f [%.2f, %.2f]", ratio->what, e->median, e->low, e->high);
        json(report, "  {\"what\": ");
        json_string(report, ratio->what);
        json(report, ", ");
        json_estimate(report, e);
        if (ratio->target > 0) {
            const char *verdict = verdict_on(e, ratio->target);
            printf("   target %g: %s", ratio->target, verdict);
            json(report, ", \"target\": %g, \"verdict\": \"%s\"", ratio->target, verdict);
        }
        putchar('\n');
        json(report, i + 1 < n_ratios ? "},\n" : "}\n");
    }
    json(report, " ]");
    fflush(stdout);
}

void report_note(struct report *report, const char *note)
{
    (void)report;
    printf("\nnote: %s\n", note);
}

void close_report(struct report *report)
{
    json(report, "\n}\n");
    if (report->json && (ferror(report->json) | fclose(report->json)))
        die("%s: could not be written", report->json_path);
    if (fflush(stdout))
        die("stdout: %s", strerror(errno));
    free(report);
}
