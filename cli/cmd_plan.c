/* SPDX-License-Identifier: MIT */
/* ninho plan: what each kind would take for so many keys, beside what theory says. */
#include <inttypes.h>
#include <math.h>

#include "numbers.h"
#include "output.h"
#include "report.h"
#include "spec.h"

struct plan_options {
    bool json;
    uint64_t universe;
};

static const struct option own_options[] = {
    {.name = "json", .offset = offsetof(struct plan_options, json)},
    {.name = "universe",
     .value = "U",
     .parse = parse_u64,
     .offset = offsetof(struct plan_options, universe),
     .min = 1,
     .max = UINT64_MAX},
    {0},
};

/* ---- Theory -------------------------------------------------------------------------------- */

struct bounds {
    double
        information_bits; /* n log2(1/p): the least for any filter, in a large universe */
    double universe_bits; /* the least where keys come from a universe of that size */
    uint64_t bloom_bits;  /* m = -n ln p / (ln 2)^2 */
    uint32_t bloom_hashes; /* k = floor(ln 2 * m / n) */
    double bloom_fpr;      /* the finite-size rate with these */
};

/* (1 - e^(-k (n + 0.5) / (m - 1)))^k */
static double finite_size_rate(double n, double m, double k)
{
    return m > 1 ? pow(-expm1(-k * (n + 0.5) / (m - 1)), k) : 1;
}

/* ln(x (x - 1) ... (x - n + 1)) for real x >= n. For large x, lgamma(x + 1) - lgamma(x - n + 1)
 * would cancel all digits; Stirling's series with the difference taken by hand does not. */
static double log_falling(double x, double n)
{
    const double rest = x - n;

    if (x < 1e6 || rest < 100)
        return lgamma(x + 1) - lgamma(rest + 1);
    return n * log(x) - (rest + 0.5) * log1p(-n / x) - n + 1 / (12 * x) - 1 / (12 * rest);
}

/* log2 C(u, n) - log2 C(n + p (u - n), n): a filter for n of u keys must be told apart from all
 * that accept other sets, and each accepts n + p (u - n) keys in the mean. */
static double universe_bound(double universe, double n, double fpr)
{
    const double accepted = n + fpr * (universe - n);

    return (log_falling(universe, n) - log_falling(accepted, n)) / log(2);
}

static struct bounds bounds_of(uint64_t capacity, double fpr, uint64_t universe)
{
    const double ln2 = log(2);
    const double n = (double)capacity;
    const double m = ceil(-n * log(fpr) / (ln2 * ln2));
    const double k = fmax(1, floor(ln2 * m / n));

    return (struct bounds){.information_bits = n * log2(1 / fpr),
                           .universe_bits =
                               universe ? universe_bound((double)universe, n, fpr) : 0,
                           .bloom_bits = (uint64_t)m,
                           .bloom_hashes = (uint32_t)k,
                           .bloom_fpr = finite_size_rate(n, m, k)};
}

/* Where the geometry is m bits or counters and k probes, the same rate for what was planned. */
static double planned_rate(const ninho_plan *plan)
{
    if (plan->kind != NINHO_BLOOM && plan->kind != NINHO_COUNTING)
        return NAN;
    return finite_size_rate((double)plan->capacity, (double)plan->n_cells,
                            (double)plan->n_hashes);
}

/* ---- As text ------------------------------------------------------------------------------- */

/* A number, or a dash where the family has none. */
static void count_column(uint32_t value)
{
    if (value)
        output_format("  %3" PRIu32, value);
    else
        output_text("    -");
}

static void print_row(const ninho_plan *plan)
{
    char can[120];

    report_can_text(plan->can, can, sizeof can);
    output_format("%-12s %15" PRIu64 "  %8.3f", ninho_kind_name(plan->kind),
                  plan->size_bytes, plan->bits_per_key);
    count_column(plan->n_hashes);
    count_column(plan->tag_bits);
    output_format("  %-10.4g  %s\n", plan->fpr_expected, can);
    if (plan->note)
        output_format("             note: %s\n", plan->note);
}

static void print_heading(void)
{
    output_format("%-12s %15s  %8s  %3s  %3s  %-10s  %s\n", "kind", "bytes", "bits/key",
                  "k", "tag", "fpr", "can");
}

static void print_bound(const char *name, double bits, uint64_t capacity)
{
    output_format("%-44s %.0f bytes, %.3f bits/key\n", name, ceil(bits / 8),
                  bits / (double)capacity);
}

static void print_bounds(const struct bounds *bounds, uint64_t capacity,
                         uint64_t universe)
{
    output_text("\n");
    print_bound("least possible, n log2(1/p)", bounds->information_bits, capacity);
    if (universe)
        print_bound("least possible in that universe", bounds->universe_bits, capacity);
    print_bound("Bloom filter, m = -n ln p / (ln 2)^2", (double)bounds->bloom_bits,
                capacity);
    output_format("%-44s %.4g with k = %" PRIu32 "\n", "its finite-size rate",
                  bounds->bloom_fpr, bounds->bloom_hashes);
}

/* ---- As JSON ------------------------------------------------------------------------------- */

static void json_row(struct json *json, const ninho_spec *spec, const ninho_plan *plan)
{
    json_object(json, NULL);
    json_string(json, "kind", ninho_kind_name(plan->kind));
    json_uint(json, "capacity", plan->capacity);
    json_uint(json, "count", 0);
    json_double(json, "fpr_target", plan->fpr_target);
    json_double(json, "fpr_expected", plan->fpr_expected);
    json_double(json, "fpr_finite_size", planned_rate(plan));
    json_double(json, "bits_per_key", plan->bits_per_key);
    json_uint(json, "size_bytes", plan->size_bytes);
    json_uint(json, "table_bytes", plan->table_bytes);
    json_double(json, "load", 0);
    json_uint(json, "cells", plan->n_cells);
    json_uint(json, "hashes", plan->n_hashes);
    json_uint(json, "tag_bits", plan->tag_bits);
    json_uint(json, "seed", spec->seed);
    json_string(json, "hash", ninho_hash_name(spec->hash ? spec->hash : NINHO_HASH_XXH3));
    json_string(json, "key_encoding",
                ninho_key_encoding_name(spec->key_encoding ? spec->key_encoding
                                                           : NINHO_KEY_BYTES));
    json_uint(json, "format_version", NINHO_FORMAT_VERSION);
    report_can_json(json, plan->can);
    json_string(json, "note", plan->note);
    json_object_end(json);
}

static void json_bounds(struct json *json, const struct bounds *bounds, uint64_t universe)
{
    json_object(json, "bounds");
    json_double(json, "information_bits", bounds->information_bits);
    if (universe) {
        json_uint(json, "universe", universe);
        json_double(json, "universe_bits", bounds->universe_bits);
    } else {
        json_null(json, "universe");
        json_null(json, "universe_bits");
    }
    json_uint(json, "bloom_bits", bounds->bloom_bits);
    json_uint(json, "bloom_hashes", bounds->bloom_hashes);
    json_double(json, "bloom_fpr_finite_size", bounds->bloom_fpr);
    json_object_end(json);
}

/* ---- The command --------------------------------------------------------------------------- */

/* A kind that cannot do what is asked is told as such; the others are told all the same. */
static void show_kind(const ninho_spec *spec, struct json *json)
{
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = {.status = NINHO_OK};

    if (ninho_filter_plan(spec, &plan, &error) == NINHO_OK) {
        if (json)
            json_row(json, spec, &plan);
        else
            print_row(&plan);
    } else if (json) {
        json_object(json, NULL);
        json_string(json, "kind", ninho_kind_name(spec->kind));
        json_string(json, "refused", error.text);
        json_object_end(json);
    } else {
        output_format("%-12s refused: %s\n", ninho_kind_name(spec->kind), error.text);
    }
}

static void show(const ninho_spec *spec, bool is_one_kind, double fpr,
                 const struct plan_options *options)
{
    const struct bounds bounds = bounds_of(spec->capacity, fpr, options->universe);
    struct json json_state = {0};
    struct json *json = options->json ? &json_state : NULL;
    ninho_spec each = *spec;

    if (json) {
        json_object(json, NULL);
        json_uint(json, "capacity", spec->capacity);
        json_double(json, "fpr", fpr);
        json_list(json, "kinds");
    } else {
        output_format("%" PRIu64 " keys at fpr %.4g\n\n", spec->capacity, fpr);
        print_heading();
    }
    if (is_one_kind) {
        show_kind(spec, json);
    } else {
        for (size_t i = 0; ninho_kind_at(i); i++) {
            each.kind = ninho_kind_at(i);
            show_kind(&each, json);
        }
    }
    if (json) {
        json_array_end(json);
        json_bounds(json, &bounds, options->universe);
        json_object_end(json);
    } else {
        print_bounds(&bounds, spec->capacity, options->universe);
    }
}

static int run(const struct command *command, int argc, char **argv)
{
    struct plan_options options = {0};
    struct spec_options spec = SPEC_OPTIONS_INIT;
    void *const targets[] = {&options, &spec, &spec};
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = {.status = NINHO_OK};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 0, 0, "options", &status))
        return status;
    const bool is_one_kind = spec.spec.kind != 0;
    const struct option *particular = args_for_some_kinds(&args);
    if (!is_one_kind && particular)
        return usage_error(command, "--%s needs a --kind", particular->name);
    status = spec_finish(&spec, &args);
    if (!status)
        status = spec_check_capacity(&spec, &args);
    if (status)
        return status;
    if (options.universe && options.universe < spec.spec.capacity)
        return usage_error(command,
                           "--universe %" PRIu64 ": must be at least the capacity",
                           options.universe);
    double fpr = spec.spec.fpr;
    if (is_one_kind) {
        if (ninho_filter_plan(&spec.spec, &plan, &error))
            return fail_error(command->name, &error);
        fpr = plan.fpr_target;
    }
    show(&spec.spec, is_one_kind, fpr, &options);
    return EXIT_YES;
}

static const struct option *const tables[] = {own_options, size_options, family_options,
                                              NULL};

const struct command cmd_plan = {"plan", run, tables};
