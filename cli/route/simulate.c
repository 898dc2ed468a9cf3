/* SPDX-License-Identifier: MIT */
/* The simulation: requests in rounds, changes between them. Whatever is random is a function of the
 * seed and of a number, not of an order: so threads change nothing. */
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "route/route.h"
#include "threads.h"

/* Requests that one thread takes at a time. */
#define CHUNK 2048
/* Chunks between two words on progress. */
#define SLICE 256
/* Node visits that --check may take. */
#define CHECK_BUDGET       300000000.0
#define DEFAULT_NAME_BYTES 16

/* What random numbers are for. */
enum purpose { PLACES = 1, CHANGES, ENEMIES, REQUESTS /* and on: one for each round */ };

/* ---- One request --------------------------------------------------------------------------- */

/* Request number i of a round of the generator. */
static struct route_request request_of(const struct route_run *run, size_t round,
                                       uint64_t i)
{
    const uint64_t seed = run->options->seed;
    const uint64_t purpose = REQUESTS + round;
    const uint64_t which = route_random(seed, purpose, 3 * i);
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3, .seed = seed};
    struct route_request request = {
        .from = (uint32_t)(route_random(seed, purpose, 3 * i + 1) % run->model.n_places)};

    const double share = (double)(route_random(seed, purpose, 3 * i + 2) >> 10) * 0x1p-53;
    if (share < run->options->absent && run->gone.n)
        request.hash = run->gone.list[which % run->gone.n].hash;
    else if (share < run->options->absent || run->things.n == 0)
        request.hash = ninho_hash_int64(&hasher, -1 - (int64_t)i);
    else
        request.hash = run->things.list[which % run->things.n].hash;
    return request;
}

void route_count(struct route_tally *tally, const struct route_run *run,
                 struct route_request request, uint64_t number)
{
    const struct route_model *model = &run->model;
    const struct route_answer answer =
        model->find(model->network, request.from, request.hash, run->options->ttl);
    const uint64_t shortest = model->distance(model->network, request.from, request.hash);

    tally->n_requests++;
    tally->questions += answer.questions;
    tally->wrong_turns += answer.wrong_turns;
    tally->n_with_wrong_turn += answer.wrong_turns > 0;
    if (answer.wrong_turns && !tally->first_wrong)
        tally->first_wrong = number + 1;
    if (answer.hops > tally->most_hops)
        tally->most_hops = answer.hops;
    if (answer.outcome == NINHO_ROUTE_DELIVERED) {
        tally->n_delivered++;
        tally->hops += answer.hops;
        tally->shortest += shortest;
    } else if (answer.outcome == NINHO_ROUTE_EXPIRED) {
        tally->n_expired++;
    } else if (shortest == UINT64_MAX) {
        tally->n_absent++;
    } else {
        tally->n_lost++;
    }
}

static void add_tally(struct route_tally *all, const struct route_tally *more)
{
    all->n_requests += more->n_requests;
    all->n_delivered += more->n_delivered;
    all->n_absent += more->n_absent;
    all->n_expired += more->n_expired;
    all->n_lost += more->n_lost;
    all->hops += more->hops;
    all->shortest += more->shortest;
    all->wrong_turns += more->wrong_turns;
    all->n_with_wrong_turn += more->n_with_wrong_turn;
    all->questions += more->questions;
    if (more->most_hops > all->most_hops)
        all->most_hops = more->most_hops;
    if (!all->first_wrong)
        all->first_wrong = more->first_wrong;
}

/* ---- Rounds -------------------------------------------------------------------------------- */

struct round {
    const struct route_run *run;
    size_t number;
    uint64_t first, end; /* requests of this slice */
    struct route_tally tallies[SLICE];
};

static void do_chunk(void *context, size_t i)
{
    struct round *round = context;
    const uint64_t first = round->first + i * CHUNK;
    const uint64_t end = first + CHUNK < round->end ? first + CHUNK : round->end;

    for (uint64_t r = first; r < end; r++)
        route_count(&round->tallies[i], round->run,
                    request_of(round->run, round->number, r), r);
}

static int play(struct route_run *run, struct route_tally *all)
{
    struct round *round = malloc(sizeof *round);
    const uint64_t n = run->options->n_requests;

    if (!round)
        return fail_no_memory();
    progress_begin("requests");
    for (uint64_t first = 0; first < n; first += (uint64_t)SLICE * CHUNK) {
        *round = (struct round){.run = run, .number = run->n_phases, .first = first};
        round->end =
            n - first < (uint64_t)SLICE * CHUNK ? n : first + (uint64_t)SLICE * CHUNK;
        const size_t n_chunks = (size_t)((round->end - first + CHUNK - 1) / CHUNK);
        parallel_for(run->n_threads, n_chunks, do_chunk, round);
        for (size_t i = 0; i < n_chunks; i++)
            add_tally(all, &round->tallies[i]);
        progress_update(round->end, 0);
    }
    progress_end();
    free(round);
    return EXIT_YES;
}

/* ---- Checking ------------------------------------------------------------------------------ */

struct checker {
    uint32_t *places, *queue, *distances;
};

static bool checker_init(struct checker *checker, const struct route_run *run)
{
    checker->places = malloc((run->things.n + 1) * sizeof *checker->places);
    checker->queue = malloc(((size_t)run->model.n_places + 1) * sizeof *checker->queue);
    checker->distances =
        malloc(((size_t)run->model.n_places + 1) * sizeof *checker->distances);
    return checker->places && checker->queue && checker->distances;
}

static void checker_free(struct checker *checker)
{
    free(checker->places);
    free(checker->queue);
    free(checker->distances);
}

/* The distance to the nearest of the first n places, found without the library: breadth first.
 * UINT64_MAX: there is none. */
static uint64_t search(const struct route_model *model, uint32_t from, size_t n,
                       struct checker *checker)
{
    const uint32_t wanted = UINT32_MAX - 1;
    uint32_t *distances = checker->distances;
    size_t n_queued = 0;

    memset(distances, 0xff, model->n_places * sizeof *distances);
    for (size_t i = 0; i < n; i++)
        distances[checker->places[i]] = wanted;
    if (distances[from] == wanted)
        return 0;
    distances[from] = 0;
    checker->queue[n_queued++] = from;
    for (size_t i = 0; i < n_queued; i++) {
        const uint32_t at = checker->queue[i];
        uint32_t next;
        for (uint32_t c = 0; (next = model->neighbour(model, at, c)) != ROUTE_NOWHERE;
             c++) {
            if (distances[next] == wanted)
                return (uint64_t)distances[at] + 1;
            if (distances[next] == UINT32_MAX) {
                distances[next] = distances[at] + 1;
                checker->queue[n_queued++] = next;
            }
        }
    }
    return UINT64_MAX;
}

/* Compares one request with a search that knows nothing of filters. */
static void check(struct route_tally *tally, const struct route_run *run,
                  struct checker *checker, struct route_request request)
{
    const struct route_model *model = &run->model;
    size_t n = 0;

    for (size_t i = 0; i < run->things.n; i++)
        if (run->things.list[i].hash == request.hash &&
            run->things.list[i].at != ROUTE_NOWHERE)
            checker->places[n++] = run->things.list[i].at;
    const uint64_t truth = search(model, request.from, n, checker);
    const struct route_answer answer =
        model->find(model->network, request.from, request.hash, run->options->ttl);
    bool agrees = truth == model->distance(model->network, request.from, request.hash);

    if (answer.outcome == NINHO_ROUTE_DELIVERED)
        agrees &= truth <= answer.hops;
    else if (answer.outcome == NINHO_ROUTE_NOT_FOUND)
        agrees &= truth == UINT64_MAX;
    else
        agrees &= run->options->ttl > 0;
    tally->n_checked++;
    tally->n_disagreed += !agrees;
}

/* Visits that the check of one request takes at most. */
static double check_cost(const struct route_run *run)
{
    return (double)run->model.n_places + (double)run->things.n;
}

static int check_round(struct route_run *run, struct route_tally *tally)
{
    const double cost = check_cost(run);
    uint64_t n = run->options->n_requests;
    struct checker checker;

    if ((double)n * cost > CHECK_BUDGET)
        n = (uint64_t)(CHECK_BUDGET / cost) + 1;
    const bool is_good = checker_init(&checker, run);
    for (uint64_t i = 0; is_good && i < n && i < run->options->n_requests; i++)
        check(tally, run, &checker, request_of(run, run->n_phases, i));
    checker_free(&checker);
    return is_good ? EXIT_YES : fail_no_memory();
}

int route_check_one(struct route_run *run, struct route_tally *tally,
                    struct route_request request)
{
    struct checker checker;

    if (run->check_visits >= CHECK_BUDGET)
        return EXIT_YES;
    run->check_visits += check_cost(run);
    const bool is_good = checker_init(&checker, run);
    if (is_good)
        check(tally, run, &checker, request);
    checker_free(&checker);
    return is_good ? EXIT_YES : fail_no_memory();
}

/* ---- The generator ------------------------------------------------------------------------- */

int route_failed(ninho_status status, const ninho_error *error)
{
    if (status == NINHO_ERR_NOMEM || !error)
        return fail_no_memory();
    return fail_error("route", error);
}

bool route_remember(struct route_things *things, uint64_t hash, uint32_t at)
{
    if (things->n == things->room) {
        const size_t larger = things->room ? things->room * 2 : 1024;
        struct route_thing *moved = larger > SIZE_MAX / sizeof *moved
                                        ? NULL
                                        : realloc(things->list, larger * sizeof *moved);
        if (!moved)
            return false;
        things->list = moved;
        things->room = larger;
    }
    things->list[things->n++] = (struct route_thing){hash, at};
    return true;
}

int route_draw(struct route_run *run, struct route_request request)
{
    run->model.draw(run, request.from, request.hash, &run->svg);
    return run->svg.has_failed ? fail_no_memory() : EXIT_YES;
}

static int one_round(struct route_run *run, const char *name)
{
    struct route_phase *phase = &run->phases[run->n_phases];

    *phase = (struct route_phase){.name = name, .info = NINHO_ROUTE_TREE_INFO_INIT};
    int status = play(run, &phase->tally);
    if (!status && run->options->check)
        status = check_round(run, &phase->tally);
    if (status)
        return status;
    (void)run->model.info(run->model.network, &phase->info);
    if (run->options->svg && run->n_phases == 0) {
        uint64_t number =
            run->options->draw ? run->options->draw : phase->tally.first_wrong;
        number = number ? number - 1 : 0;
        status = route_draw(run, request_of(run, 0, number));
    }
    run->n_phases++;
    return status;
}

static uint64_t next_random(struct route_run *run)
{
    return route_random(run->options->seed, CHANGES, run->random++);
}

static uint64_t thing_hash(const struct route_run *run, uint64_t number)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3, .seed = run->options->seed};
    return ninho_hash_int64(&hasher, (int64_t)number);
}

static ninho_status leave(struct route_run *run)
{
    const size_t i = (size_t)(next_random(run) % run->things.n);
    const struct route_thing thing = run->things.list[i];

    run->things.list[i] = run->things.list[--run->things.n];
    if (!route_remember(&run->gone, thing.hash, thing.at))
        return NINHO_ERR_NOMEM;
    return run->model.change(run->model.network, ROUTE_REMOVE, thing.at, 0, thing.hash);
}

static ninho_status join(struct route_run *run)
{
    const uint64_t hash = thing_hash(run, run->n_ever++);
    const uint32_t at = (uint32_t)(next_random(run) % run->model.n_places);

    if (!route_remember(&run->things, hash, at))
        return NINHO_ERR_NOMEM;
    return run->model.change(run->model.network, ROUTE_ADD, at, 0, hash);
}

static bool is_at(const struct route_model *model, uint32_t at, uint64_t hash)
{
    return model->holds(model->network, at, hash);
}

static ninho_status move(struct route_run *run)
{
    struct route_thing *thing = &run->things.list[next_random(run) % run->things.n];
    const uint32_t to = run->model.step(&run->model, thing->at, next_random(run));
    const uint32_t from = thing->at;

    if (is_at(&run->model, to, thing->hash)) /* another copy is there: it stays */
        return NINHO_OK;
    thing->at = to;
    return run->model.change(run->model.network, ROUTE_MOVE, from, to, thing->hash);
}

static int change(struct route_run *run)
{
    const struct route_options *options = run->options;
    ninho_status status = NINHO_OK;

    for (uint64_t i = 0; !status && run->things.n && i < options->n_leave; i++)
        status = leave(run);
    for (uint64_t i = 0; !status && i < options->n_join; i++)
        status = join(run);
    for (uint64_t i = 0; !status && run->things.n && i < options->n_moves; i++)
        status = move(run);
    return status ? fail("route: %s", ninho_status_text(status)) : EXIT_YES;
}

/* A filter that says "maybe" to everything; NULL if there is no memory. */
static ninho_filter *filter_of_ones(const struct route_options *options)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *everything = NULL;
    ninho_info info = NINHO_INFO_INIT;
    uint64_t key = 0;

    spec.kind = (ninho_kind)options->kind;
    spec.capacity = 64;
    spec.fpr = options->fpr;
    spec.key_encoding = NINHO_KEY_HASHES;
    if (ninho_filter_create(&spec, NULL, &everything, NULL))
        return NULL;
    do
        for (int i = 0; i < 1000; i++)
            (void)ninho_filter_add(everything, route_random(1, ENEMIES, key++) << 1);
    while (!ninho_filter_info(everything, &info) && info.fpr_expected < 0.999);
    return everything;
}

/* Some places, each another one, claim to have everything. The root of a tree has nobody to lie to. */
static int let_enemies_in(struct route_run *run)
{
    const struct route_model *model = &run->model;
    const uint64_t n = run->options->n_hostile;
    ninho_route_tree_info info = NINHO_ROUTE_TREE_INFO_INIT;

    if (!n)
        return EXIT_YES;
    (void)model->info(model->network, &info);
    const uint64_t n_liars = model->n_places - (info.n_nodes == model->n_places);
    if (n > n_liars)
        return fail("route: --hostile %llu: must be at most %llu: so many have a link "
                    "upwards to lie on",
                    (unsigned long long)n, (unsigned long long)n_liars);
    ninho_filter *everything = filter_of_ones(run->options);
    bool *has_lied = calloc(model->n_places, sizeof *has_lied);
    for (uint64_t i = 0; everything && has_lied && i < n; i++) {
        uint32_t at =
            (uint32_t)(route_random(run->options->seed, ENEMIES, i) % model->n_places);
        while (has_lied[at] ||
               model->claim(model->network, at, everything) == NINHO_ERR_ARG)
            at = (at + 1) % model->n_places;
        has_lied[at] = true;
    }
    const bool is_done = everything && has_lied;
    ninho_filter_free(everything);
    free(has_lied);
    return is_done ? EXIT_YES : fail_no_memory();
}

/* Copies of one thing are at places of their own. */
static uint32_t place_for(const struct route_run *run, uint64_t thing, uint64_t copy)
{
    const struct route_model *model = &run->model;
    uint32_t at = (uint32_t)((route_random(run->options->seed, PLACES, thing) +
                              copy * (model->n_places / 7 * 3 + 1)) %
                             model->n_places);

    while (copy && is_at(model, at, thing_hash(run, thing)))
        at = (at + 1) % model->n_places;
    return at;
}

int route_generate(struct route_run *run, uint64_t n_things, uint64_t n_copies)
{
    struct route_model *model = &run->model;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_status made = NINHO_OK;

    run->name_bytes =
        run->options->name_bytes ? run->options->name_bytes : DEFAULT_NAME_BYTES;
    run->n_ever = n_things;
    run->n_copies = n_copies;
    for (uint64_t i = 0; !made && i < n_things; i++)
        for (uint64_t copy = 0; !made && copy < n_copies; copy++) {
            const uint32_t at = place_for(run, i, copy);
            made = model->change(model->network, ROUTE_PLACE, at, 0, thing_hash(run, i));
            if (!made && !route_remember(&run->things, thing_hash(run, i), at))
                made = NINHO_ERR_NOMEM;
        }
    if (!made)
        made = model->build(model->network, &error);
    if (made)
        return route_failed(made, &error);
    int status = let_enemies_in(run);
    if (!status)
        status = one_round(run, "settled");
    const bool changes =
        run->options->n_join || run->options->n_leave || run->options->n_moves;
    if (status || !changes)
        return status;
    status = change(run);
    if (!status)
        status = one_round(run, "changed");
    ninho_route_tree_info info = NINHO_ROUTE_TREE_INFO_INIT;
    (void)model->info(model->network, &info);
    if (status || !info.n_stale)
        return status;
    made = model->refresh(model->network, &error);
    return made ? route_failed(made, &error) : one_round(run, "refreshed");
}
