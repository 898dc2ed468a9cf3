/* SPDX-License-Identifier: MIT */
/* Carrying out what a file says, line by line: one round, in which changes and requests alternate. */
#include "route/route.h"

/* In a square a device is at one place: things[what] has it, ROUTE_NOWHERE while it is not there. In a tree
 * the list is kept for --check alone, and has a pair as often as the file says it: one line takes
 * all of them away. */
static void forget_thing(struct route_run *run, uint64_t hash, uint32_t at)
{
    size_t n_kept = 0;

    for (size_t i = 0; i < run->things.n; i++)
        if (run->things.list[i].hash != hash || run->things.list[i].at != at)
            run->things.list[n_kept++] = run->things.list[i];
    run->things.n = n_kept;
}

static uint32_t cell_of(const struct route_run *run, const ninho_route_step *step)
{
    return (step->row << run->file->n_divisions) + step->column;
}

static int line_failed(const struct route_run *run, const ninho_route_step *step,
                       ninho_status status)
{
    return status == NINHO_ERR_NOMEM
               ? fail_no_memory()
               : fail("%s: line %u: %s", run->path, (unsigned)step->line,
                      ninho_status_text(status));
}

/* An ask or send. */
static int follow_request(struct route_run *run, const ninho_route_step *step)
{
    const ninho_route_network *file = run->file;
    struct route_phase *phase = &run->phases[0];
    struct route_request request = {.from = step->at,
                                    .hash = file->things[step->what].hash};

    if (file->is_square)
        request.from = run->things.list[step->at].at;
    const uint64_t number = phase->tally.n_requests;
    route_count(&phase->tally, run, request, number);
    if (run->options->check) {
        const int status = route_check_one(run, &phase->tally, request);
        if (status)
            return status;
    }
    const bool is_it =
        run->options->draw ? number + 1 == run->options->draw : number == 0;
    return run->options->svg && is_it ? route_draw(run, request) : EXIT_YES;
}

/* Puts a thing somewhere: at first all at once, later one by one. */
static int follow_add(struct route_run *run, const ninho_route_step *step, bool is_begun)
{
    const struct route_model *model = &run->model;
    const ninho_route_network *file = run->file;
    const uint64_t hash = file->things[step->what].hash;
    const uint32_t at = file->is_square ? cell_of(run, step) : step->at;
    const ninho_status status =
        model->change(model->network, is_begun ? ROUTE_ADD : ROUTE_PLACE, at, 0, hash);

    if (status)
        return line_failed(run, step, status);
    if (file->is_square)
        run->things.list[step->what] = (struct route_thing){hash, at};
    else if (run->options->check && !route_remember(&run->things, hash, at))
        return fail_no_memory();
    return EXIT_YES;
}

static int follow_change(struct route_run *run, const ninho_route_step *step)
{
    const struct route_model *model = &run->model;
    const ninho_route_network *file = run->file;
    const uint64_t hash = file->things[step->what].hash;
    const uint32_t from = file->is_square ? run->things.list[step->what].at : step->at;
    ninho_status status = NINHO_OK;

    if (step->op == NINHO_ROUTE_MOVE) {
        const uint32_t to = cell_of(run, step);
        status = model->change(model->network, ROUTE_MOVE, from, to, hash);
        run->things.list[step->what].at = to;
    } else {
        status = model->change(model->network, ROUTE_REMOVE, from, 0, hash);
        if (file->is_square)
            run->things.list[step->what].at = ROUTE_NOWHERE;
        else
            forget_thing(run, hash, from);
    }
    if (status == NINHO_ERR_NOT_FOUND)
        return fail("%s: line %u: node %.60s does not hold %.60s", run->path,
                    (unsigned)step->line,
                    ninho_route_name_text(file, &file->nodes[step->at]),
                    ninho_route_name_text(file, &file->things[step->what]));
    return status ? line_failed(run, step, status) : EXIT_YES;
}

/* Of what the lines put somewhere: what is only asked for is on no list. */
static uint64_t mean_name(const ninho_route_network *file)
{
    uint64_t bytes = 0;
    uint64_t n = 0;

    for (size_t i = 0; i < file->n_steps; i++) {
        const ninho_route_step *step = &file->steps[i];
        if (step->op != NINHO_ROUTE_PLACE && step->op != NINHO_ROUTE_ADD)
            continue;
        bytes += file->things[step->what].size;
        n++;
    }
    return n ? (bytes + n - 1) / n : 1;
}

int route_follow(struct route_run *run)
{
    const ninho_route_network *file = run->file;
    ninho_error error = NINHO_ERROR_INIT;
    bool is_begun = false;
    int status = EXIT_YES;

    run->phases[0] =
        (struct route_phase){.name = "file", .info = NINHO_ROUTE_TREE_INFO_INIT};
    run->n_phases = 1;
    run->name_bytes =
        run->options->name_bytes ? run->options->name_bytes : mean_name(file);
    for (size_t i = 0; file->is_square && i < file->n_things; i++)
        if (!route_remember(&run->things, file->things[i].hash, ROUTE_NOWHERE))
            return fail_no_memory();
    for (size_t i = 0; !status && i <= file->n_steps; i++) {
        const ninho_route_step *step = i < file->n_steps ? &file->steps[i] : NULL;
        if (!is_begun && (!step || step->op != NINHO_ROUTE_PLACE)) {
            const ninho_status built = run->model.build(run->model.network, &error);
            if (built)
                return route_failed(built, &error);
            is_begun = true;
        }
        if (!step)
            break;
        if (step->op == NINHO_ROUTE_PLACE || step->op == NINHO_ROUTE_ADD)
            status = follow_add(run, step, is_begun);
        else if (step->op == NINHO_ROUTE_ASK)
            status = follow_request(run, step);
        else if (step->op == NINHO_ROUTE_REFRESH)
            status = run->model.refresh(run->model.network, &error)
                         ? fail_error("route", &error)
                         : EXIT_YES;
        else
            status = follow_change(run, step);
    }
    const uint64_t n = run->phases[0].tally.n_requests;
    if (!status && run->options->svg && !run->svg.size)
        status =
            n ? fail("%s: --draw %llu: there %s %llu request%s in the file", run->path,
                     (unsigned long long)run->options->draw, n == 1 ? "is" : "are",
                     (unsigned long long)n, plural(n))
              : fail("%s: --svg draws the way of a request, and there is none in the "
                     "file: add a line %s",
                     run->path, file->is_square ? "send NAME NAME" : "ask NODE RESOURCE");
    (void)run->model.info(run->model.network, &run->phases[0].info);
    return status;
}
