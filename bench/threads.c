/* SPDX-License-Identifier: MIT */
/* ninho-bench threads: readers beside a busy writer, and many writers; beside a mutex around the plain
 * filter, and libcuckoo. Two threads at most: more would need more cores than many machines have. */
#define _GNU_SOURCE /* pthread_setaffinity_np */
#include "bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What is asked, and changed: n keys that come and go, one after another, and n that never come. */
struct bench_keys {
    uint64_t *hashes; /* 2 n */
    size_t n;
};

/* One way to ask and change a set by several threads. */
struct way {
    void (*add)(struct way *way, uint64_t hash);
    void (*remove)(struct way *way, uint64_t hash);
    ninho_filter *filter;
    ninho_reader *readers[2];
    pthread_mutex_t mutex;
    const struct set_ops *ops; /* libcuckoo */
    void *set;
    size_t n_changes; /* so far */
};

/* ---- Ways ------------------------------------------------------------------------------------ */

static size_t ask_plain(struct way *way, unsigned thread, const uint64_t *hashes,
                        size_t n)
{
    size_t n_maybe = 0;

    (void)thread;
    for (size_t i = 0; i < n; i++)
        n_maybe += ninho_filter_has(way->filter, hashes[i]);
    return n_maybe;
}

static size_t ask_reader(struct way *way, unsigned thread, const uint64_t *hashes,
                         size_t n)
{
    ninho_reader *const reader = way->readers[thread];
    size_t n_maybe = 0;

    for (size_t i = 0; i < n; i++)
        n_maybe += ninho_reader_has(reader, hashes[i]);
    return n_maybe;
}

static size_t ask_reader_many(struct way *way, unsigned thread, const uint64_t *hashes,
                              size_t n)
{
    return ninho_reader_has_many(way->readers[thread], hashes, n, NULL);
}

static size_t ask_locked(struct way *way, unsigned thread, const uint64_t *hashes,
                         size_t n)
{
    size_t n_maybe = 0;

    (void)thread;
    for (size_t i = 0; i < n; i++) {
        pthread_mutex_lock(&way->mutex);
        n_maybe += ninho_filter_has(way->filter, hashes[i]);
        pthread_mutex_unlock(&way->mutex);
    }
    return n_maybe;
}

static size_t ask_set(struct way *way, unsigned thread, const uint64_t *hashes, size_t n)
{
    const struct set_keys keys = {.n = n, .numbers = hashes};

    (void)thread;
    return way->ops->find_one(way->set, &keys);
}

static void must(ninho_status status, const char *what)
{
    if (status)
        die("threads: %s: %s", what, ninho_status_text(status));
}

static void add_plain(struct way *way, uint64_t hash)
{
    must(ninho_filter_add(way->filter, hash), "add");
}

static void remove_plain(struct way *way, uint64_t hash)
{
    must(ninho_filter_remove(way->filter, hash), "remove");
}

static void add_locked(struct way *way, uint64_t hash)
{
    pthread_mutex_lock(&way->mutex);
    add_plain(way, hash);
    pthread_mutex_unlock(&way->mutex);
}

static void remove_locked(struct way *way, uint64_t hash)
{
    pthread_mutex_lock(&way->mutex);
    remove_plain(way, hash);
    pthread_mutex_unlock(&way->mutex);
}

static void add_to_set(struct way *way, uint64_t hash)
{
    const struct set_keys key = {.n = 1, .numbers = &hash};

    (void)way->ops->insert(way->set, &key);
}

static void remove_from_set(struct way *way, uint64_t hash)
{
    const struct set_keys key = {.n = 1, .numbers = &hash};

    (void)way->ops->remove(way->set, &key);
}

/* ---- Measuring --------------------------------------------------------------------------------- */

typedef size_t (*ask_with)(struct way *way, unsigned thread, const uint64_t *hashes,
                           size_t n);

/* How one sample is taken. */
struct scene {
    char name[64];
    struct way *way;
    ask_with ask;
    unsigned n_readers;
    bool has_writer;
    const struct bench_keys *keys;
    double *lookups; /* millions a second, of all readers together */
    double *changes; /* millions a second */
};

struct asking {
    const struct scene *scene;
    unsigned thread;
    pthread_barrier_t *start;
    double seconds;
    size_t n_maybe;
};

/* Each thread on a core of its own, where the system lets us say so: it would not always see to
 * it within the milliseconds that a sample takes. */
static void pin(unsigned core)
{
#ifdef __linux__
    cpu_set_t mine, allowed;

    CPU_ZERO(&mine);
    if (pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed))
        return;
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &allowed) && core-- == 0)
            CPU_SET(i, &mine);
    (void)pthread_setaffinity_np(pthread_self(), sizeof mine, &mine);
#else
    (void)core;
#endif
}

static void *ask_all(void *context)
{
    struct asking *const asking = context;
    const struct bench_keys *const keys = asking->scene->keys;
    struct way *const way = asking->scene->way;

    pin(asking->thread);
    pthread_barrier_wait(asking->start);
    const double start = seconds_elapsed();
    for (unsigned half = 0; half < 2; half++)
        asking->n_maybe += asking->scene->ask(
            way, asking->thread, keys->hashes + (half == asking->thread ? 0 : keys->n),
            keys->n);
    asking->seconds = seconds_elapsed() - start;
    return NULL;
}

/* A key goes and comes back, and then the next. */
static void change(struct way *way, const struct bench_keys *keys)
{
    const uint64_t hash = keys->hashes[way->n_changes++ / 2 % keys->n];

    if (way->n_changes % 2)
        way->remove(way, hash);
    else
        way->add(way, hash);
}

struct writing {
    const struct scene *scene;
    pthread_barrier_t *start;
    atomic_bool is_over;
    double changes; /* millions a second */
};

static void *change_all(void *context)
{
    struct writing *const writing = context;
    struct way *const way = writing->scene->way;
    const size_t before = way->n_changes;

    pin(1);
    pthread_barrier_wait(writing->start);
    const double start = seconds_elapsed();
    while (!atomic_load_explicit(&writing->is_over, memory_order_relaxed))
        change(way, writing->scene->keys);
    writing->changes =
        1e-6 * (double)(way->n_changes - before) / (seconds_elapsed() - start);
    return NULL;
}

static pthread_t start_thread(void *(*run)(void *), void *context)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, run, context))
        die("threads: no thread");
    return thread;
}

static void run_scene(const struct scene *scene, size_t repetition)
{
    pthread_barrier_t start;
    pthread_t threads[2], writer = 0;
    struct asking asking[2];
    struct writing writing = {.scene = scene, .start = &start};
    double seconds = 0;

    pthread_barrier_init(&start, NULL, scene->n_readers + scene->has_writer);
    atomic_init(&writing.is_over, false);
    if (scene->has_writer)
        writer = start_thread(change_all, &writing);
    for (unsigned i = 0; i < scene->n_readers; i++) {
        asking[i] = (struct asking){scene, i, &start, 0, 0};
        threads[i] = start_thread(ask_all, &asking[i]);
    }
    for (unsigned i = 0; i < scene->n_readers; i++) {
        pthread_join(threads[i], NULL);
        seconds = asking[i].seconds > seconds ? asking[i].seconds : seconds;
    }
    atomic_store(&writing.is_over, true);
    if (scene->has_writer)
        pthread_join(writer, NULL);
    pthread_barrier_destroy(&start);
    scene->changes[repetition] = writing.changes;
    scene->lookups[repetition] =
        1e-6 * 2 * (double)(scene->keys->n * scene->n_readers) / seconds;
}

/* ---- Readers beside a writer ------------------------------------------------------------------- */

static ninho_filter *filter_of(const struct options *options, const ninho_spec *of,
                               const struct bench_keys *keys)
{
    ninho_spec spec = *of;
    ninho_filter *filter = NULL;

    spec.size_of_struct = sizeof spec;
    spec.pages = options->pages;
    spec.key_encoding = NINHO_KEY_HASHES;
    spec.fpr = .0039;
    spec.capacity = spec.kind == NINHO_SCALABLE ? keys->n / 8 + 1 : keys->n;
    must(ninho_filter_create(&spec, NULL, &filter, NULL), "create");
    must(ninho_filter_add_many(filter, keys->hashes, keys->n, NULL), "add_many");
    return filter;
}

/* libcuckoo, or NULL. */
static const struct set_ops *libcuckoo(void)
{
#ifdef HAVE_CXX_PEERS
    for (size_t i = 0; cxx_set_at(i); i++)
        if (strcmp(cxx_set_at(i)->name, "libcuckoo") == 0)
            return cxx_set_at(i)->ops[NUMBERS];
#endif
    return NULL;
}

enum {
    PLAIN,
    READER,
    TWO,
    BESIDE,
    BATCH,
    BATCH_BESIDE,
    LOCKED_TWO,
    LOCKED_BESIDE,
    N_SCENES
};
enum { SET_ONE, SET_TWO, SET_BESIDE, N_SET_SCENES };
enum { N_KINDS = 3, N_ALL = N_KINDS * N_SCENES + N_SET_SCENES };

static const struct {
    const char *name;
    ninho_spec spec;
} kinds[N_KINDS] = {
    {"cuckoo", {.kind = NINHO_CUCKOO}},
    {"quotient", {.kind = NINHO_QUOTIENT}},
    {"scalable over cuckoo", {.kind = NINHO_SCALABLE, .base = NINHO_CUCKOO}},
};

static void set_scene(struct scene *scene, const struct options *options,
                      const struct bench_keys *keys, struct way *way, const char *kind,
                      const char *what, ask_with ask, unsigned n_readers, bool has_writer)
{
    *scene = (struct scene){.way = way,
                            .ask = ask,
                            .n_readers = n_readers,
                            .has_writer = has_writer,
                            .keys = keys};
    (void)snprintf(scene->name, sizeof scene->name, "%s: %s", kind, what);
    scene->lookups = allocate(options->n_repetitions, sizeof *scene->lookups);
    scene->changes = allocate(options->n_repetitions, sizeof *scene->changes);
}

/* The scenes of one kind; ways[0] has readers, ways[1] a mutex. */
static void set_kind(struct scene *scenes, const struct options *options,
                     const struct bench_keys *keys, struct way *ways, size_t kind)
{
    const struct {
        const char *what;
        unsigned way;
        ask_with ask;
        unsigned n_readers;
        bool has_writer;
    } all[N_SCENES] = {
        [PLAIN] = {"plain, alone", 0, ask_plain, 1, false},
        [READER] = {"reader, alone", 0, ask_reader, 1, false},
        [TWO] = {"two readers", 0, ask_reader, 2, false},
        [BESIDE] = {"reader beside a writer", 0, ask_reader, 1, true},
        [BATCH] = {"batches, alone", 0, ask_reader_many, 1, false},
        [BATCH_BESIDE] = {"batches beside a writer", 0, ask_reader_many, 1, true},
        [LOCKED_TWO] = {"mutex, two threads", 1, ask_locked, 2, false},
        [LOCKED_BESIDE] = {"mutex, beside a writer", 1, ask_locked, 1, true},
    };

    for (unsigned i = 0; i < 2; i++) {
        ways[i] = (struct way){.add = i ? add_locked : add_plain,
                               .remove = i ? remove_locked : remove_plain,
                               .filter = filter_of(options, &kinds[kind].spec, keys)};
        pthread_mutex_init(&ways[i].mutex, NULL);
    }
    for (unsigned i = 0; i < 2; i++)
        must(ninho_reader_open(ways[0].filter, &ways[0].readers[i], NULL), "reader");
    for (size_t i = 0; i < N_SCENES; i++)
        set_scene(&scenes[i], options, keys, &ways[all[i].way], kinds[kind].name,
                  all[i].what, all[i].ask, all[i].n_readers, all[i].has_writer);
}

static void set_libcuckoo(struct scene *scenes, const struct options *options,
                          const struct bench_keys *keys, struct way *way)
{
    const struct set_keys members = {.n = keys->n, .numbers = keys->hashes};

    *way = (struct way){.add = add_to_set, .remove = remove_from_set, .ops = libcuckoo()};
    way->set = way->ops->create(0);
    way->ops->reserve(way->set, keys->n);
    (void)way->ops->insert(way->set, &members);
    set_scene(&scenes[SET_ONE], options, keys, way, "libcuckoo", "alone", ask_set, 1,
              false);
    set_scene(&scenes[SET_TWO], options, keys, way, "libcuckoo", "two threads", ask_set,
              2, false);
    set_scene(&scenes[SET_BESIDE], options, keys, way, "libcuckoo", "beside a writer",
              ask_set, 1, true);
}

static void report_scenes(struct report *report, const struct scene *scenes, size_t n,
                          size_t n_repetitions)
{
    struct row_result rows[2 * N_ALL];
    size_t n_rows = 0;

    for (size_t i = 0; i < n; i++) {
        rows[n_rows++] = (struct row_result){scenes[i].name, scenes[i].lookups, ""};
        if (scenes[i].has_writer)
            rows[n_rows++] =
                (struct row_result){scenes[i].name, scenes[i].changes, "changes"};
    }
    report_rows(report, "threads", "million lookups a second, all threads together", rows,
                n_rows, n_repetitions);
}

static void report_promises(struct report *report, const struct scene *scenes, size_t n,
                            size_t n_repetitions)
{
    static const struct {
        const char *what;
        int of, to;
        double target;
    } promises[] = {
        {"a reader, of plain", READER, PLAIN, 0},
        {"a reader beside a writer, of alone", BESIDE, READER, 1 / 1.05},
        {"batches beside a writer, of alone", BATCH_BESIDE, BATCH, 1 / 1.05},
        {"two readers, of one", TWO, READER, 1.85},
        {"beside a writer: a reader, of a mutex", BESIDE, LOCKED_BESIDE, 0},
        {"two readers, of two threads with a mutex", TWO, LOCKED_TWO, 0},
        {"beside a writer: a reader, of libcuckoo", BESIDE, -SET_BESIDE, 0},
    };
    enum { N_PROMISES = sizeof promises / sizeof *promises };
    struct ratio_result ratios[N_KINDS * N_PROMISES];
    char texts[N_KINDS * N_PROMISES][100];
    size_t n_ratios = 0;

    for (size_t kind = 0; kind < N_KINDS; kind++)
        for (size_t i = 0; i < N_PROMISES; i++) {
            const size_t of = kind * N_SCENES + (size_t)promises[i].of;
            const size_t to = promises[i].to < 0
                                  ? (size_t)(N_KINDS * N_SCENES - promises[i].to)
                                  : kind * N_SCENES + (size_t)promises[i].to;
            if (to >= n)
                continue;
            (void)snprintf(texts[n_ratios], sizeof *texts, "%s: %s", kinds[kind].name,
                           promises[i].what);
            ratios[n_ratios] = (struct ratio_result){
                texts[n_ratios], promises[i].target,
                ratio_interval(scenes[of].lookups, scenes[to].lookups, n_repetitions)};
            n_ratios++;
        }
    report_ratios(report, "threads", ratios, n_ratios, n_repetitions);
}

static void bench_readers(const struct options *options, const struct bench_keys *keys,
                          struct report *report)
{
    struct scene scenes[N_ALL];
    struct way ways[2 * N_KINDS + 1];
    size_t n = 0;

    for (size_t kind = 0; kind < N_KINDS; kind++, n += N_SCENES)
        set_kind(&scenes[n], options, keys, &ways[2 * kind], kind);
    if (libcuckoo()) {
        set_libcuckoo(&scenes[n], options, keys, &ways[2 * N_KINDS]);
        n += N_SET_SCENES;
    }
    for (size_t r = 0; r < options->n_repetitions; r++)
        for (size_t i = 0; i < n; i++) {
            show_progress("threads", r * n + i, options->n_repetitions * n);
            run_scene(&scenes[(i + r) % n], r);
        }
    show_progress("threads", 1, 1);
    report_scenes(report, scenes, n, options->n_repetitions);
    report_promises(report, scenes, n, options->n_repetitions);
    for (size_t i = 0; i < 2 * N_KINDS; i++) {
        ninho_reader_close(ways[i].readers[0]);
        ninho_reader_close(ways[i].readers[1]);
        ninho_filter_free(ways[i].filter);
        pthread_mutex_destroy(&ways[i].mutex);
    }
    if (libcuckoo())
        ways[2 * N_KINDS].ops->destroy(ways[2 * N_KINDS].set);
    for (size_t i = 0; i < n; i++) {
        free(scenes[i].lookups);
        free(scenes[i].changes);
    }
}

/* ---- Many writers ------------------------------------------------------------------------------ */

struct adding {
    ninho_filter *filter;
    const uint64_t *hashes;
    size_t n;
    bool is_shared;
    unsigned thread;
};

static void *add_all(void *context)
{
    const struct adding *const adding = context;

    pin(adding->thread);
    must(adding->is_shared
             ? ninho_filter_add_many_shared(adding->filter, adding->hashes, adding->n)
             : ninho_filter_add_many(adding->filter, adding->hashes, adding->n, NULL),
         "add");
    return NULL;
}

/* Million adds a second by one or two threads, into a filter that was empty. */
static double run_adds(const struct options *options, ninho_kind kind,
                       const struct bench_keys *keys, bool is_shared, unsigned n_threads)
{
    ninho_filter *const filter = filter_of(options, &(ninho_spec){.kind = kind}, keys);
    struct adding adding[2];
    pthread_t threads[2];

    must(ninho_filter_clear(filter), "clear");
    for (unsigned i = 0; i < n_threads; i++)
        adding[i] = (struct adding){filter, keys->hashes + i * (keys->n / n_threads),
                                    keys->n / n_threads, is_shared, i};
    const double start = seconds_elapsed();
    for (unsigned i = 0; i < n_threads; i++)
        threads[i] = start_thread(add_all, &adding[i]);
    for (unsigned i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    const double seconds = seconds_elapsed() - start;
    ninho_filter_free(filter);
    return 1e-6 * (double)keys->n / seconds;
}

static void bench_writers(const struct options *options, const struct bench_keys *keys,
                          struct report *report)
{
    static const struct {
        const char *name;
        ninho_kind kind;
        bool is_shared;
        unsigned n_threads;
    } ways[] = {
        {"bloom: add_many", NINHO_BLOOM, false, 1},
        {"bloom: add_many_shared", NINHO_BLOOM, true, 1},
        {"bloom: add_many_shared, two threads", NINHO_BLOOM, true, 2},
        {"blocked: add_many", NINHO_BLOCKED, false, 1},
        {"blocked: add_many_shared", NINHO_BLOCKED, true, 1},
        {"blocked: add_many_shared, two threads", NINHO_BLOCKED, true, 2},
    };
    enum { N_WAYS = sizeof ways / sizeof *ways };
    struct row_result rows[N_WAYS];
    double *samples[N_WAYS];

    for (size_t i = 0; i < N_WAYS; i++) {
        samples[i] = allocate(options->n_repetitions, sizeof *samples[i]);
        rows[i] = (struct row_result){ways[i].name, samples[i], ""};
    }
    for (size_t r = 0; r < options->n_repetitions; r++)
        for (size_t i = 0; i < N_WAYS; i++)
            samples[i][r] = run_adds(options, ways[i].kind, keys, ways[i].is_shared,
                                     ways[i].n_threads);
    report_rows(report, "writers", "million adds a second, all threads together", rows,
                N_WAYS, options->n_repetitions);
    for (size_t i = 0; i < N_WAYS; i++)
        free(samples[i]);
}

void bench_threads(const struct options *options, struct report *report)
{
    struct bench_keys keys = {allocate(2 * options->n_keys, sizeof *keys.hashes),
                              options->n_keys};

    for (size_t i = 0; i < 2 * keys.n; i++)
        keys.hashes[i] = mix64(i);
    bench_readers(options, &keys, report);
    bench_writers(options, &keys, report);
    free(keys.hashes);
}
