/* SPDX-License-Identifier: MIT */
/* Measures every kind of dictionary beside other exact sets, on numbers and on short strings. */
#ifdef HAVE_MALLINFO2
#define _GNU_SOURCE /* mallinfo2 */
#endif

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "sets.h"

#ifdef HAVE_MALLINFO2
#include <malloc.h>
#endif

#ifndef HAVE_CXX_PEERS
const struct set_type *cxx_set_at(size_t index)
{
    (void)index;
    return NULL;
}
#endif

/* ---- Keys ---------------------------------------------------------------------------------- */

enum { LEAST_STRING = 8, MOST_STRING = 24 };

/* The first eight letters hold 48 bits, different for every number below 2^48; the others, and
 * how many there are, are drawn from the number. Returns the length. */
static size_t make_string(uint64_t number, char string[MOST_STRING + 1])
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const uint64_t mask = (UINT64_C(1) << 48) - 1;
    uint64_t bits = number * UINT64_C(0x9e3779b97f4b) & mask; /* odd: none meet */
    uint64_t more[2] = {mix64(number), mix64(~number)};
    const size_t size = LEAST_STRING + more[1] % (MOST_STRING - LEAST_STRING + 1);

    bits ^= bits >> 24;
    bits = bits * UINT64_C(0xd1342543de83) & mask;
    bits ^= bits >> 24;
    for (size_t i = 0; i < LEAST_STRING; i++, bits >>= 6)
        string[i] = letters[bits & 63];
    for (size_t i = LEAST_STRING; i < size; i++) {
        uint64_t *from = &more[i % 2];
        string[i] = letters[*from >> 58];
        *from <<= 6;
    }
    string[size] = '\0';
    return size;
}

/* The keys of n numbers, in this order. */
static struct set_keys make_numbers(const uint64_t *from, size_t n)
{
    uint64_t *numbers = allocate(n, sizeof *numbers);

    for (size_t i = 0; i < n; i++)
        numbers[i] = mix64(from[i]);
    return (struct set_keys){.n = n, .numbers = numbers};
}

static struct set_keys make_strings(const uint64_t *from, size_t n)
{
    const char **strings = allocate(n, sizeof *strings);
    size_t *sizes = allocate(n, sizeof *sizes);
    char *bytes = allocate(n, MOST_STRING + 1);

    for (size_t i = 0; i < n; i++) {
        strings[i] = bytes;
        sizes[i] = make_string(from[i], bytes);
        bytes += sizes[i] + 1;
    }
    return (struct set_keys){.n = n, .strings = strings, .string_sizes = sizes};
}

static void free_keys(const struct set_keys *keys)
{
    if (keys->strings)
        free((void *)keys->strings[0]);
    free((void *)keys->numbers);
    free((void *)keys->strings);
    free((void *)keys->string_sizes);
}

struct set_workload {
    struct set_keys members;
    struct set_keys hits;   /* of the members, in another order */
    struct set_keys absent; /* never inserted */
};

static void shuffle(uint64_t *numbers, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)(mix64(i) % i);
        const uint64_t kept = numbers[i - 1];
        numbers[i - 1] = numbers[j];
        numbers[j] = kept;
    }
}

static struct set_workload make_set_workload(enum key_sort sort, size_t n,
                                             size_t n_lookups)
{
    struct set_keys (*make)(const uint64_t *, size_t) =
        sort == NUMBERS ? make_numbers : make_strings;
    uint64_t *numbers = allocate(n, sizeof *numbers);
    struct set_workload workload;

    for (size_t i = 0; i < n; i++)
        numbers[i] = i;
    workload.members = make(numbers, n);
    shuffle(numbers, n);
    workload.hits = make(numbers, n_lookups);
    for (size_t i = 0; i < n_lookups; i++)
        numbers[i] = n + i;
    workload.absent = make(numbers, n_lookups);
    free(numbers);
    return workload;
}

static void free_set_workload(struct set_workload *workload)
{
    free_keys(&workload->members);
    free_keys(&workload->hits);
    free_keys(&workload->absent);
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* What malloc has handed out and not got back; 0 where the C library does not tell. */
static size_t allocated_bytes(void)
{
#ifdef HAVE_MALLINFO2
    const struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/* Gives free memory back to the system: each set begins with none and pays for its own pages. */
static void return_free_memory(void)
{
#ifdef HAVE_MALLINFO2
    malloc_trim(0);
#endif
}

/* ---- Measuring ----------------------------------------------------------------------------- */

enum { MAX_SETS = 24 };

/* One set under measurement. */
struct contender {
    const struct set_type *type;
    const struct set_ops *ops;
    void *set;           /* NULL: none now */
    size_t bytes_before; /* allocated before it was made */
    struct set_result *result;
};

struct set_task {
    struct contender *contender;
    const struct set_workload *workload;
    enum set_operation operation;
    enum manner manner;
};

static void discard(struct contender *contender)
{
    if (contender->set)
        contender->ops->destroy(contender->set);
    contender->set = NULL;
}

static void begin(struct contender *contender)
{
    discard(contender);
    return_free_memory();
    contender->bytes_before = allocated_bytes();
    contender->set = contender->ops->create(contender->type->kind);
    if (!contender->set)
        die("%s: no memory", contender->type->name);
}

static size_t bytes_of(const struct contender *contender)
{
    return contender->ops->n_bytes ? contender->ops->n_bytes(contender->set)
                                   : allocated_bytes() - contender->bytes_before;
}

static const struct set_keys *keys_of(const struct set_task *task)
{
    switch (task->operation) {
    case SET_HIT:
    case SET_REMOVE:
        return &task->workload->hits;
    case SET_MISS:
        return &task->workload->absent;
    default:
        return &task->workload->members;
    }
}

/* Does the operation on all its keys; returns how often the answer was yes. */
static size_t perform(const struct set_task *task)
{
    const struct set_ops *ops = task->contender->ops;
    void *set = task->contender->set;
    const struct set_keys *keys = keys_of(task);

    switch (task->operation) {
    case SET_RESERVED:
        ops->reserve(set, keys->n);
        return ops->insert(set, keys);
    case SET_GROWING:
        return ops->insert(set, keys);
    case SET_REMOVE:
        return ops->remove(set, keys);
    default:
        return task->manner == ONE ? ops->find_one(set, keys) : ops->find_many(set, keys);
    }
}

/* Every answer is counted, and every count is known: no lookup can be left out or be wrong. */
static void check_answers(const struct set_task *task, size_t n_yes)
{
    const struct contender *contender = task->contender;
    const struct set_workload *workload = task->workload;
    const size_t expected_yes = task->operation == SET_MISS ? 0 : keys_of(task)->n;
    const size_t n_left = task->operation == SET_REMOVE ? workload->hits.n : 0;
    const size_t expected_count = workload->members.n - n_left;
    const size_t count = contender->ops->count(contender->set);

    if (n_yes != expected_yes)
        die("%s: %s: %zu of %zu keys were answered with yes, not %zu",
            contender->type->name, set_operation_name(task->operation), n_yes,
            keys_of(task)->n, expected_yes);
    if (count != expected_count)
        die("%s: holds %zu keys after %s, not %zu", contender->type->name, count,
            set_operation_name(task->operation), expected_count);
}

static double run_set_task(void *context)
{
    const struct set_task *task = context;
    struct contender *contender = task->contender;
    const bool is_insert =
        task->operation == SET_RESERVED || task->operation == SET_GROWING;

    if (is_insert)
        begin(contender);
    const double start = seconds_of_thread();
    const size_t n_yes = perform(task);
    const double seconds = seconds_of_thread() - start;
    check_answers(task, n_yes);
    if (is_insert)
        contender->result->bytes_per_key[task->operation] =
            (double)bytes_of(contender) / (double)contender->ops->count(contender->set);
    if (task->operation == SET_REMOVE)
        discard(contender);
    return 1e9 * seconds / (double)keys_of(task)->n;
}

/* The jobs of one operation: every set in every manner it knows. */
struct set_phase {
    struct job jobs[MAX_SETS * N_MANNERS];
    struct set_task tasks[MAX_SETS * N_MANNERS];
    size_t n;
};

static void plan_set_phase(struct set_phase *phase, enum set_operation operation,
                           struct contender *contenders, size_t n,
                           const struct set_workload *workload, size_t n_repetitions)
{
    const bool is_lookup = operation == SET_HIT || operation == SET_MISS;

    phase->n = 0;
    for (size_t i = 0; i < n; i++)
        for (enum manner manner = ONE; manner < N_MANNERS; manner++) {
            if (manner == MANY && (!is_lookup || !contenders[i].ops->find_many))
                continue;
            struct set_task *task = &phase->tasks[phase->n];
            *task = (struct set_task){&contenders[i], workload, operation, manner};
            double *samples = allocate(n_repetitions, sizeof *samples);
            contenders[i].result->samples[operation][manner] = samples;
            phase->jobs[phase->n++] = (struct job){run_set_task, task, samples};
        }
}

static void measure_sets(struct contender *contenders, size_t n,
                         const struct set_workload *workload, size_t n_repetitions)
{
    struct set_phase *phases = allocate(N_SET_OPERATIONS, sizeof *phases);

    for (enum set_operation operation = 0; operation < N_SET_OPERATIONS; operation++)
        plan_set_phase(&phases[operation], operation, contenders, n, workload,
                       n_repetitions);
    for (size_t repetition = 0; repetition < n_repetitions; repetition++)
        for (enum set_operation operation = 0; operation < N_SET_OPERATIONS;
             operation++) {
            struct set_phase *phase = &phases[operation];
            run_repetition(phase->jobs, phase->n, repetition);
            show_progress("dicts", repetition * N_SET_OPERATIONS + (size_t)operation + 1,
                          n_repetitions * N_SET_OPERATIONS);
        }
    free(phases);
}

/* ---- Comparing ----------------------------------------------------------------------------- */

#define PROBE   "probe"
#define IN_LINE "probe, in line"
#define KHASH   "khash"
#define BOOST   "boost::unordered_flat_map"
#define ABSL    "absl::flat_hash_map"

/* What the library promises to be at this many keys. */
enum { PROMISED_AT = 10 * 1000 * 1000 };

static const struct set_promise {
    const char *what;
    const char *ours;
    const char *peer;
    enum key_sort sort;
    enum set_operation operation;
    enum manner manner;
    double target; /* 0: none */
} promises[] = {
    {"inserts, in line, beside " BOOST, IN_LINE, BOOST, NUMBERS, SET_RESERVED, ONE, 1},
    {"hits, in line, beside " BOOST, IN_LINE, BOOST, NUMBERS, SET_HIT, ONE, 1},
    {"misses, in line, beside " BOOST, IN_LINE, BOOST, NUMBERS, SET_MISS, ONE, 1},
    {"removals, in line, beside " BOOST, IN_LINE, BOOST, NUMBERS, SET_REMOVE, ONE, 1},
    {"inserts, one by one, beside " BOOST, PROBE, BOOST, NUMBERS, SET_RESERVED, ONE, 0},
    {"hits, one by one, beside " BOOST, PROBE, BOOST, NUMBERS, SET_HIT, ONE, 0},
    {"misses, one by one, beside " BOOST, PROBE, BOOST, NUMBERS, SET_MISS, ONE, 0},
    {"removals, one by one, beside " BOOST, PROBE, BOOST, NUMBERS, SET_REMOVE, ONE, 0},
    {"hits, batched, beside " BOOST, PROBE, BOOST, NUMBERS, SET_HIT, MANY, 1},
    {"misses, batched, beside " BOOST, PROBE, BOOST, NUMBERS, SET_MISS, MANY, 1},
    {"inserts, one by one, beside " ABSL, PROBE, ABSL, STRINGS, SET_RESERVED, ONE, 1},
    {"hits, one by one, beside " ABSL, PROBE, ABSL, STRINGS, SET_HIT, ONE, 1},
    {"misses, one by one, beside " ABSL, PROBE, ABSL, STRINGS, SET_MISS, ONE, 1},
    {"removals, one by one, beside " ABSL, PROBE, ABSL, STRINGS, SET_REMOVE, ONE, 1},
    {"hits, batched, beside " ABSL, PROBE, ABSL, STRINGS, SET_HIT, MANY, 1},
    {"misses, batched, beside " ABSL, PROBE, ABSL, STRINGS, SET_MISS, MANY, 1},
};

enum { N_SET_PROMISES = sizeof promises / sizeof promises[0] };

static const struct set_result *find_set(const struct set_result *results, size_t n,
                                         const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(results[i].name, name) == 0)
            return &results[i];
    return NULL;
}

/* The fastest of ours, or of the peers, one by one. */
static const struct set_result *find_fastest(const struct set_result *results, size_t n,
                                             bool is_ours, enum set_operation operation,
                                             size_t n_repetitions)
{
    const struct set_result *fastest = NULL;
    double least = 0;

    for (size_t i = 0; i < n; i++) {
        if (results[i].is_ours != is_ours)
            continue;
        const double median =
            median_interval(results[i].samples[operation][ONE], n_repetitions).median;
        if (!fastest || median < least) {
            fastest = &results[i];
            least = median;
        }
    }
    return fastest;
}

/* The promises; then, for each operation, our fastest kind beside the fastest peer: below 1, a
 * peer wins. */
static void compare_sets(struct report *report, const struct options *options,
                         enum key_sort sort, const struct set_result *results,
                         size_t n_results)
{
    const size_t n_repetitions = options->n_dict_repetitions;
    struct ratio_result ratios[N_SET_PROMISES + N_SET_OPERATIONS];
    char texts[N_SET_OPERATIONS][96];
    size_t n = 0;

    for (size_t i = 0; i < N_SET_PROMISES; i++) {
        const struct set_promise *promise = &promises[i];
        const struct set_result *ours = find_set(results, n_results, promise->ours);
        const struct set_result *peer = find_set(results, n_results, promise->peer);
        if (!ours || !peer || promise->sort != sort)
            continue;
        ratios[n++] = (struct ratio_result){
            promise->what, promise->target,
            ratio_interval(peer->samples[promise->operation][ONE],
                           ours->samples[promise->operation][promise->manner],
                           n_repetitions)};
    }
    for (enum set_operation operation = 0; operation < N_SET_OPERATIONS; operation++) {
        const struct set_result *ours =
            find_fastest(results, n_results, true, operation, n_repetitions);
        const struct set_result *peer =
            find_fastest(results, n_results, false, operation, n_repetitions);
        if (!ours || !peer)
            continue;
        snprintf(texts[operation], sizeof texts[operation], "%s: %s beside %s",
                 set_operation_name(operation), ours->name, peer->name);
        ratios[n++] = (struct ratio_result){texts[operation], 0,
                                            ratio_interval(peer->samples[operation][ONE],
                                                           ours->samples[operation][ONE],
                                                           n_repetitions)};
    }
    if (n == 0)
        return;
    if (options->n_dict_keys != PROMISED_AT) {
        char note[120];
        snprintf(note, sizeof note,
                 "the targets below are promised at %d keys, and these are %zu "
                 "(--keys 10M measures that)",
                 PROMISED_AT, options->n_dict_keys);
        report_note(report, note);
    }
    report_ratios(report,
                  sort == NUMBERS ? "times as fast as the peers on 64-bit keys"
                                  : "times as fast as the peers on strings",
                  ratios, n, n_repetitions);
}

/* ---- The run ------------------------------------------------------------------------------- */

static size_t append_sets(const struct set_type *(*at)(size_t), const char *kinds,
                          const struct set_type **types, size_t n)
{
    const struct set_type *type;

    for (size_t i = 0; (type = at(i)); i++) {
        if (!is_chosen(kinds, type->name))
            continue;
        if (n == MAX_SETS)
            die("more than %d sets", MAX_SETS);
        types[n++] = type;
    }
    return n;
}

static size_t list_sets(const char *kinds, const struct set_type **types)
{
    size_t n = append_sets(own_set_at, kinds, types, 0);

    n = append_sets(khash_set_at, kinds, types, n);
    return append_sets(cxx_set_at, kinds, types, n);
}

static void tell_missing_peers(struct report *report)
{
    static const struct {
        const char *name;
        const char *package;
    } peers[] = {
        {KHASH, "libhts-dev"},         {BOOST, "g++ libboost1.81-dev"},
        {ABSL, "g++ libabsl-dev"},     {"libcuckoo", "g++ libcuckoo-dev"},
        {"std::unordered_map", "g++"},
    };
    const struct set_type *types[MAX_SETS];

    for (size_t i = 0; i < sizeof peers / sizeof peers[0]; i++) {
        char note[200];
        if (list_sets(peers[i].name, types))
            continue;
        snprintf(note, sizeof note,
                 "%s was not there when ninho-bench was built (Debian: apt-get install "
                 "%s, then build again)",
                 peers[i].name, peers[i].package);
        report_note(report, note);
    }
}

static void bench_sort(const struct options *options, struct report *report,
                       enum key_sort sort, const struct set_type **types, size_t n_types)
{
    const size_t n_lookups = options->n_dict_keys < options->most_lookups
                                 ? options->n_dict_keys
                                 : options->most_lookups;
    struct set_workload workload =
        make_set_workload(sort, options->n_dict_keys, n_lookups);
    struct contender contenders[MAX_SETS];
    struct set_result results[MAX_SETS] = {0};

    size_t n = 0;
    for (size_t i = 0; i < n_types; i++) {
        if (!types[i]->ops[sort])
            continue;
        results[n].name = types[i]->name;
        results[n].is_ours = types[i]->kind != 0;
        contenders[n] = (struct contender){
            .type = types[i], .ops = types[i]->ops[sort], .result = &results[n]};
        n++;
    }
    measure_sets(contenders, n, &workload, options->n_dict_repetitions);
    report_sets(report, options, sort, n_lookups, results, n);
    compare_sets(report, options, sort, results, n);
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < N_SET_OPERATIONS * N_MANNERS; s++)
            free(results[i].samples[s / N_MANNERS][s % N_MANNERS]);
    free_set_workload(&workload);
}

void bench_dicts(const struct options *options, struct report *report)
{
    const struct set_type *types[MAX_SETS];
    const size_t n = list_sets(options->kinds, types);

    if (n == 0 && options->runs_all)
        return; /* --kinds named filters */
    if (n == 0)
        die("--kinds %s: names none of them", options->kinds);
    for (enum key_sort sort = NUMBERS; sort < N_KEY_SORTS; sort++)
        bench_sort(options, report, sort, types, n);
    tell_missing_peers(report);
}
