/* SPDX-License-Identifier: MIT */
/* ninho plan: what each kind would take for so many keys, beside what theory says; and, apart from
 * the filters, what an exact dictionary would. */
#include <inttypes.h>
#include <math.h>

#include "explain.h"
#include "options/numbers.h"
#include "output.h"
#include "report.h"
#include "spec.h"

#define DEFAULT_CAPACITY 1000000

struct plan_options {
    bool json;
    uint64_t universe;
};

static const struct option own_options[] = {
    {FLAG("json", struct plan_options, json, "print JSON")},
    {NUMBER("universe", "U", parse_u64, struct plan_options, universe, 1, UINT64_MAX,
            "number of possible keys"),
     .field = NINHO_FIELD_FPR},
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

/* ---- Dictionaries -------------------------------------------------------------------------- */

#define KEY_BYTES 8 /* of the keys they are planned for */
#define SAMPLE    (UINT64_C(1) << 16)

struct dict_plan {
    uint64_t size_bytes;   /* of the file: known exactly */
    uint64_t memory_bytes; /* while it is open: estimated */
};

enum { MAX_DICT_KINDS = 8 }; /* more than there are */

/* Makes an empty one with room for the keys, or for a part of them, and takes what that has
 * allocated for its share, 1 in a power of two: tables grow in proportion, or double. */
static ninho_status plan_dict(const ninho_dict_spec *wanted, uint64_t capacity,
                              struct dict_plan *plan, ninho_error *error)
{
    ninho_dict_spec spec = *wanted;
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    ninho_dict *dict = NULL;

    uint64_t share = 1;
    while (capacity / share > SAMPLE)
        share *= 2;
    spec.capacity = capacity / share + (capacity % share != 0);
    spec.max_capacity = 0;
    spec.key_encoding = NINHO_KEY_INT64;
    spec.key_size = KEY_BYTES;
    const ninho_status status = ninho_dict_create(&spec, NULL, &dict, error);
    if (status)
        return status;
    (void)ninho_dict_info_of(dict, &info);
    ninho_dict_free(dict);
    plan->size_bytes = info.size_bytes + capacity * (KEY_BYTES + sizeof(uint64_t));
    plan->memory_bytes = info.memory_bytes * share;
    return NINHO_OK;
}

static double dict_bits(const struct dict_plan *plan, uint64_t capacity)
{
    return 8 * (double)plan->size_bytes / (double)capacity;
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
    if (plan->slots)
        output_format("             table: %" PRIu64 " slots in %s of %" PRIu32
                      ", load %.4g at capacity\n",
                      plan->n_cells, field_word(NINHO_FIELD_SLOTS, (int)plan->slots),
                      plan->place_slots, plan->load);
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

static void print_dict_heading(void)
{
    output_format("%-12s %15s  %8s  %15s  %s\n", "kind", "bytes", "bits/key", "memory",
                  "can");
}

static void print_dict_row(int kind, uint64_t capacity, const struct dict_plan *plan)
{
    char can[120];

    report_can_text(kind_can(kind), can, sizeof can);
    output_format("%-12s %15" PRIu64 "  %8.3f  %15" PRIu64 "  %s\n", kind_name(kind),
                  plan->size_bytes, dict_bits(plan, capacity), plan->memory_bytes, can);
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
    if (plan->slots) {
        json_string(json, "places", field_word(NINHO_FIELD_SLOTS, (int)plan->slots));
        json_uint(json, "place_slots", plan->place_slots);
        json_double(json, "load_at_capacity", plan->load);
    }
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

static void json_dict_row(struct json *json, const struct spec_options *options, int kind,
                          const struct dict_plan *plan)
{
    const uint64_t capacity = options->spec.capacity;

    json_object(json, NULL);
    json_string(json, "kind", kind_name(kind));
    json_uint(json, "capacity", capacity);
    json_uint(json, "count", 0);
    json_double(json, "fpr_target", 0);
    json_double(json, "fpr_expected", 0);
    json_double(json, "bits_per_key", dict_bits(plan, capacity));
    json_uint(json, "size_bytes", plan->size_bytes);
    json_uint(json, "memory_bytes", plan->memory_bytes);
    json_double(json, "load", 0);
    json_uint(json, "key_size", KEY_BYTES);
    json_uint(json, "seed", 0);
    json_string(json, "hash", report_hash_name((ninho_hash_id)0));
    json_string(json, "key_encoding", ninho_key_encoding_name(NINHO_KEY_INT64));
    json_uint(json, "format_version", NINHO_FORMAT_VERSION);
    report_can_json(json, kind_can(kind));
    json_object_end(json);
}

/* ---- The command --------------------------------------------------------------------------- */

/* A kind that cannot do what is asked is told as such; the others are told all the same. */
static void show_refusal(const ninho_spec *spec, const ninho_error *error,
                         struct json *json)
{
    const char *name = ninho_kind_name(spec->kind);
    char text[600];

    spec_explain(spec, error, text, sizeof text);
    if (json) {
        json_object(json, NULL);
        json_string(json, "kind", name);
        json_string(json, "refused", text);
        json_object_end(json);
    } else {
        output_format("%-12s refused: %s\n", name, text);
    }
}

static void show_filter(const ninho_spec *spec, struct json *json)
{
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_filter_plan(spec, &plan, &error))
        show_refusal(spec, &error, json);
    else if (json)
        json_row(json, spec, &plan);
    else
        print_row(&plan);
}

/* All kinds, or the one that was asked for. */
static void show_filters(const struct spec_options *options, bool is_one_kind,
                         struct json *json)
{
    ninho_spec each = options->spec;

    for (size_t i = 0; ninho_kind_at(i); i++) {
        each.kind = ninho_kind_at(i);
        if (!is_one_kind || (int)each.kind == options->kind)
            show_filter(&each, json);
    }
}

/* What is asked for: some filters at an fpr, some dictionaries, or both. */
struct question {
    const struct spec_options *options;
    bool is_one_kind, has_filters, has_dicts;
    double fpr;
    uint64_t universe;
    struct bounds bounds;
    struct dict_plan dicts[MAX_DICT_KINDS]; /* in the order of ninho_dict_kind_at() */
};

static bool shows_dict(const struct question *q, size_t i)
{
    return !q->is_one_kind || (int)ninho_dict_kind_at(i) == q->options->kind;
}

/* Plans the dictionaries, which takes memory, before anything is printed. */
static int plan_dicts(struct question *q, const char *command)
{
    ninho_error error = NINHO_ERROR_INIT;

    for (size_t i = 0; i < MAX_DICT_KINDS && ninho_dict_kind_at(i); i++) {
        ninho_dict_spec spec = q->options->dict;
        spec.kind = ninho_dict_kind_at(i);
        if (shows_dict(q, i) &&
            plan_dict(&spec, q->options->spec.capacity, &q->dicts[i], &error))
            return fail_error(command, &error);
    }
    return EXIT_YES;
}

static void show_dicts(const struct question *q, struct json *json)
{
    for (size_t i = 0; i < MAX_DICT_KINDS && ninho_dict_kind_at(i); i++) {
        const int kind = (int)ninho_dict_kind_at(i);
        if (!shows_dict(q, i))
            continue;
        if (json)
            json_dict_row(json, q->options, kind, &q->dicts[i]);
        else
            print_dict_row(kind, q->options->spec.capacity, &q->dicts[i]);
    }
}

static void show_json(const struct question *q)
{
    struct json json = {0};

    json_object(&json, NULL);
    json_uint(&json, "capacity", q->options->spec.capacity);
    json_double(&json, "fpr", q->has_filters ? q->fpr : 0);
    json_list(&json, "kinds");
    if (q->has_filters)
        show_filters(q->options, q->is_one_kind, &json);
    json_array_end(&json);
    json_list(&json, "exact");
    if (q->has_dicts)
        show_dicts(q, &json);
    json_array_end(&json);
    if (q->has_filters)
        json_bounds(&json, &q->bounds, q->universe);
    else
        json_null(&json, "bounds");
    json_object_end(&json);
}

static void show_text(const struct question *q)
{
    const uint64_t capacity = q->options->spec.capacity;

    if (q->has_filters) {
        output_format("%" PRIu64 " keys at fpr %.4g\n\n", capacity, q->fpr);
        print_heading();
        show_filters(q->options, q->is_one_kind, NULL);
        print_bounds(&q->bounds, capacity, q->universe);
    }
    if (q->has_dicts) {
        output_format("%s%" PRIu64 " keys of %d bytes, exact; memory is an estimate\n\n",
                      q->has_filters ? "\n" : "", capacity, KEY_BYTES);
        print_dict_heading();
        show_dicts(q, NULL);
    }
}

static int run(const struct command *command, int argc, char **argv)
{
    struct plan_options options = {0};
    struct spec_options spec = SPEC_OPTIONS_INIT;
    void *const targets[] = {&options, &spec, &spec};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 0, 0, "options", &status))
        return status;
    struct question q = {.options = &spec, .is_one_kind = spec.kind != 0};
    q.has_filters = !kind_is_exact(spec.kind);
    q.has_dicts = !q.is_one_kind || !q.has_filters;
    const struct option *particular = args_particular(&args, 0);
    if (!q.is_one_kind && particular)
        return usage_error(command, "--%s needs a --kind", particular->name);
    if (!spec.spec.capacity)
        spec.spec.capacity = DEFAULT_CAPACITY;
    status = spec_finish(&spec, &args);
    if (!status)
        status = spec_check_capacity(&spec, &args);
    if (status)
        return status;
    const uint64_t capacity = spec.spec.capacity;
    if (options.universe && options.universe < capacity)
        return usage_error(command,
                           "--universe %" PRIu64 ": must be at least the capacity",
                           options.universe);
    q.fpr = spec.spec.fpr;
    q.universe = options.universe;
    if (q.has_filters && q.is_one_kind) {
        status = spec_plan(&spec, command);
        if (status)
            return status;
        q.fpr = spec.plan.fpr_target;
    }
    if (q.has_filters)
        q.bounds = bounds_of(capacity, q.fpr, q.universe);
    if (q.has_dicts && (status = plan_dicts(&q, command->name)))
        return status;
    if (options.json)
        show_json(&q);
    else
        show_text(&q);
    return EXIT_YES;
}

static const struct option *const tables[] = {own_options, size_options, family_options,
                                              NULL};

const struct command cmd_plan = {
    .name = "plan", .run = run, .options = tables, .has_no_operands = true};
