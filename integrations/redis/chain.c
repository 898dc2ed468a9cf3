/* SPDX-License-Identifier: MIT */
#include "chain.h"

#include <stdio.h>
#include <string.h>

#define SMALL     1024 /* a capacity up to this is a guess: it will grow */
#define EVEN      24   /* tables that share the promise evenly then */
#define LEVELS_CF 20   /* doublings that tags are wide enough for */
#define MAX_LEVEL 40

/* A search looks at up to so many tags for each iteration of MAXITERATIONS: with the usual
 * 20 a large table takes all that it was planned for. Small ones have more room to spare,
 * and the memory of a search would outweigh them. */
#define TAGS_PER_ITERATION 64
#define MIN_BUDGET         64
#define MAX_BUDGET         1000000

/* Searches of one command that find no room look at so many tags, and each counts as
 * LEAST_LOOKED at least. A removal that is refused may have moved 131,072 tags and moved
 * them back: it counts as REMOVAL_LOOKED. */
#define MOST_LOOKED    5000000
#define LEAST_LOOKED   5000
#define REMOVAL_LOOKED 250000

/* ---- Geometry ---------------------------------------------------------------------- */

/* Equal tables in a row would cost a lookup each: below 2 it grows by 2. */
static uint64_t growth_of(const struct nr_object *object)
{
    return object->expansion < 2 ? 2 : object->expansion;
}

static bool grown(uint64_t first, uint64_t growth, uint32_t level, uint64_t *out)
{
    for (*out = first; level > 0; level--) {
        if (*out > (uint64_t)NR_MAX_CAPACITY * 8 / growth)
            return false;
        *out *= growth;
    }
    return true;
}

/* The share of the promise of a table. The sums stay below 1: 0.6 (1 + 1/4 + 1/9 + ...) =
 * 0.987. */
static double share_of(const struct nr_object *object, uint32_t level)
{
    if (!object->expansion)
        return 1;
    if (object->capacity > SMALL)
        return 0.6 / ((double)(level + 1) * (level + 1));
    if (level < EVEN)
        return 0.95 / EVEN;
    return 0.05 * 0.6 / ((double)(level - EVEN + 1) * (level - EVEN + 1));
}

static ninho_spec bf_spec(const struct nr_object *object, uint32_t level,
                          uint64_t capacity)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = NINHO_BLOOM;
    spec.capacity = capacity;
    spec.fpr = object->error * share_of(object, level);
    return spec;
}

static ninho_spec cf_spec(const struct nr_object *object, uint64_t capacity)
{
    const uint64_t asked = (uint64_t)object->iterations * TAGS_PER_ITERATION;
    const uint64_t most = asked < MAX_BUDGET ? asked : MAX_BUDGET;
    const uint64_t enough = capacity / 8 > MIN_BUDGET ? capacity / 8 : MIN_BUDGET;
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = NINHO_CUCKOO;
    spec.capacity = capacity;
    spec.slots = NINHO_BUCKETS;
    spec.place_slots = object->bucket;
    spec.pairing = NINHO_PAIRING_OFFSET;
    spec.choice = NINHO_CHOICE_EMPTIER;
    spec.search = NINHO_SEARCH_BFS;
    spec.budget = (uint32_t)(enough < most ? enough : most);
    return spec;
}

/* The first table's spec. Tags never widen (they nest), so they are made for the share of
 * one among many tables, and for the crowds of far larger ones. */
static ninho_status cf_first(const struct nr_object *object, ninho_spec *spec,
                             ninho_error *error)
{
    ninho_plan plan = NINHO_PLAN_INIT;
    uint64_t most;
    unsigned n_tables = 8;

    for (uint64_t c = object->capacity; c < UINT64_C(1) << 24 && n_tables < EVEN; c *= 2)
        n_tables++;
    *spec = cf_spec(object, object->capacity);
    if (!grown(object->capacity, 2, LEVELS_CF, &most))
        most = object->capacity;
    ninho_spec large = cf_spec(object, object->expansion ? most : object->capacity);
    large.fpr = object->error * (object->expansion ? 0.95 / n_tables : 1);
    const ninho_status status = ninho_filter_plan(&large, &plan, error);
    spec->tag_bits = plan.tag_bits;
    return status;
}

static ninho_status append(struct nr_object *object, const ninho_spec *spec,
                           uint32_t level, ninho_error *error)
{
    const ninho_alloc alloc = nr_object_alloc(object);
    ninho_filter *filter;

    const ninho_status status = ninho_filter_create(spec, &alloc, &filter, error);
    if (status)
        return status;
    if (nr_object_insert(object, filter, spec->capacity, level))
        return NINHO_OK;
    ninho_filter_free(filter);
    return NINHO_ERR_FULL;
}

static ninho_status grow(struct nr_object *object)
{
    const uint32_t level = object->layers[object->n_layers - 1].level + 1;
    const struct nr_layer *first = &object->layers[0];
    ninho_spec spec, made = NINHO_SPEC_INIT;
    uint64_t capacity;

    if (!object->expansion || level > MAX_LEVEL ||
        !grown(object->capacity, growth_of(object), level, &capacity))
        return NINHO_ERR_FULL;
    if (object->face == NR_BF) {
        spec = bf_spec(object, level, capacity);
    } else {
        spec = cf_spec(object, capacity);
        if (ninho_filter_spec(first->filter, &made) ||
            !grown(made.n_slots, growth_of(object), level, &spec.n_slots))
            return NINHO_ERR_FULL;
        spec.tag_bits = made.tag_bits;
    }
    const ninho_status status = append(object, &spec, level, NULL);
    return status == NINHO_ERR_NOMEM ? status : status ? NINHO_ERR_FULL : NINHO_OK;
}

struct nr_object *nr_chain_new(enum nr_face face, const struct nr_object *parameters,
                               ninho_error *error)
{
    struct nr_object *object = nr_object_new(face);
    ninho_status status = NINHO_OK;
    ninho_spec spec;

    object->error = parameters->error;
    object->capacity = parameters->capacity;
    object->expansion = parameters->expansion;
    object->bucket = parameters->bucket;
    object->iterations = parameters->iterations;
    if (face == NR_BF)
        spec = bf_spec(object, 0, object->capacity);
    else
        status = cf_first(object, &spec, error);
    if (!status)
        status = append(object, &spec, 0, error);
    if (!status)
        return object;
    nr_object_free(object);
    if (error && error->field == NINHO_FIELD_FPR) {
        const ninho_error cause = *error;
        (void)ninho_error_set(
            error, cause.status,
            "error rate too small, as each table gets a share of it: %.*s",
            (int)(sizeof error->text / 2), cause.text);
    }
    return NULL;
}

/* ---- Asking ------------------------------------------------------------------------ */

/* The first filter asked is the newest, which holds the most; those after it are asked only
 * for the items that none has had so far. */
void nr_chain_has_many(const struct nr_object *object, const uint64_t *hashes, size_t n,
                       uint64_t maybe[NR_GROUP / 64])
{
    uint64_t left[NR_GROUP], found[NR_GROUP / 64];
    uint16_t which[NR_GROUP];
    uint32_t layer = object->n_layers - 1;
    size_t n_left = 0;

    (void)ninho_filter_has_many(object->layers[layer].filter, hashes, n, maybe);
    for (size_t i = 0; layer > 0 && i < n; i++) {
        left[n_left] = hashes[i];
        which[n_left] = (uint16_t)i;
        n_left += !(maybe[i / 64] >> (i % 64) & 1);
    }
    while (n_left && layer-- > 0) {
        size_t n_kept = 0;
        if (!ninho_filter_has_many(object->layers[layer].filter, left, n_left, found))
            continue;
        for (size_t i = 0; i < n_left; i++) {
            const uint64_t has = found[i / 64] >> (i % 64) & 1;
            maybe[which[i] / 64] |= has << (which[i] % 64);
            left[n_kept] = left[i];
            which[n_kept] = which[i];
            n_kept += !has;
        }
        n_left = n_kept;
    }
}

bool nr_chain_has(const struct nr_object *object, uint64_t hash)
{
    for (uint32_t i = object->n_layers; i-- > 0;)
        if (ninho_filter_has(object->layers[i].filter, hash))
            return true;
    return false;
}

uint64_t nr_chain_copies(const struct nr_object *object, uint64_t hash)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < object->n_layers; i++)
        sum += ninho_filter_copies(object->layers[i].filter, hash);
    return sum;
}

uint64_t nr_chain_capacity(const struct nr_object *object)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < object->n_layers; i++)
        sum += object->layers[i].capacity;
    return sum;
}

/* ---- Adding and removing ----------------------------------------------------------- */

static bool has_room(const struct nr_layer *layer)
{
    return ninho_filter_count(layer->filter) < layer->capacity;
}

/* The newest filter with room, one more if there is none. */
ninho_status nr_bf_add(struct nr_object *object, uint64_t hash)
{
    uint32_t i = object->n_layers;

    while (i > 0 && !has_room(&object->layers[i - 1]))
        i--;
    if (i == 0) {
        const ninho_status status = grow(object);
        if (status)
            return status;
        i = object->n_layers;
    }
    return ninho_filter_add(object->layers[i - 1].filter, hash);
}

bool nr_work_is_done(const struct nr_work *work, uint64_t hash)
{
    return (work->has_full && hash == work->last_full) || work->n_looked >= MOST_LOOKED;
}

static void note_full(struct nr_work *work, uint64_t n_looked, uint64_t hash)
{
    work->n_looked += n_looked;
    work->has_full = true;
    work->last_full = hash;
}

void nr_work_failed(struct nr_work *work, const ninho_filter *filter, uint64_t hash)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    (void)ninho_filter_spec(filter, &spec);
    const uint32_t limit = spec.budget > spec.max_kicks ? spec.budget : spec.max_kicks;
    note_full(work, limit > LEAST_LOOKED ? limit : LEAST_LOOKED, hash);
}

ninho_status nr_work_remove(struct nr_work *work, ninho_filter *filter, uint64_t hash)
{
    if (nr_work_is_done(work, hash))
        return NINHO_ERR_FULL;
    const ninho_status status = ninho_filter_remove(filter, hash);
    if (status == NINHO_ERR_FULL)
        note_full(work, REMOVAL_LOOKED, hash);
    return status;
}

/* Every slot of its places holds its own tag: a larger filter would be filled likewise. */
static bool is_own_obstacle(const struct nr_object *object, uint64_t hash)
{
    const struct nr_layer *newest = &object->layers[object->n_layers - 1];
    return ninho_filter_copies(newest->filter, hash) >= 2 * (uint64_t)object->bucket;
}

ninho_status nr_cf_add(struct nr_object *object, uint64_t hash, struct nr_work *work)
{
    const struct nr_layer *newest = &object->layers[object->n_layers - 1];
    ninho_status status = NINHO_ERR_FULL;

    if (nr_work_is_done(work, hash))
        return NINHO_ERR_FULL;
    for (uint32_t i = object->n_layers; status == NINHO_ERR_FULL && i-- > 0;)
        if (has_room(&object->layers[i]))
            status = ninho_filter_add(object->layers[i].filter, hash);
    if (status != NINHO_ERR_FULL)
        return status;
    /* Copies of many items can crowd a table; until it is half full that is no reason for
     * a larger one, or a few hostile items could make it grow without end. */
    const bool is_own = is_own_obstacle(object, hash);
    if (!is_own && ninho_filter_count(newest->filter) >= newest->capacity / 2) {
        status = grow(object);
        if (!status)
            status = ninho_filter_add(object->layers[object->n_layers - 1].filter, hash);
    }
    if (status && is_own)
        note_full(work, 0, hash);
    else if (status)
        nr_work_failed(work, object->layers[object->n_layers - 1].filter, hash);
    return status;
}

size_t nr_cf_add_some(struct nr_object *object, const uint64_t *hashes, size_t n)
{
    const struct nr_layer *newest = &object->layers[object->n_layers - 1];
    const uint64_t count = ninho_filter_count(newest->filter);
    const uint64_t room = count < newest->capacity ? newest->capacity - count : 0;
    size_t n_added = 0;

    (void)ninho_filter_add_many(newest->filter, hashes, n < room ? n : (size_t)room,
                                &n_added);
    return n_added;
}

ninho_status nr_cf_remove(struct nr_object *object, uint64_t hash)
{
    ninho_status status = NINHO_ERR_NOT_FOUND;

    for (uint32_t i = object->n_layers; status == NINHO_ERR_NOT_FOUND && i-- > 0;)
        status = ninho_filter_remove(object->layers[i].filter, hash);
    object->n_deleted += !status;
    return status;
}

/* ---- Fewer filters ----------------------------------------------------------------- */

bool nr_cf_compact(struct nr_object *object, uint64_t *cursor, uint64_t budget)
{
    while (object->n_layers > 1) {
        struct nr_layer *newest = &object->layers[object->n_layers - 1];
        uint32_t i = object->n_layers - 1;
        if (ninho_filter_count(newest->filter) == 0) {
            nr_object_drop_last(object);
            *cursor = 0;
            continue;
        }
        while (i > 0 && !has_room(&object->layers[i - 1]))
            i--;
        if (i == 0 || *cursor == UINT64_MAX)
            break;
        if (!budget)
            return false;
        const uint64_t from = *cursor;
        if (ninho_filter_move(object->layers[i - 1].filter, newest->filter, cursor,
                              budget, NULL))
            break;
        /* If the target is not what ended it, the work was done. */
        const uint64_t done = has_room(&object->layers[i - 1]) ? budget : *cursor - from;
        budget -= done < budget ? done : budget;
    }
    return true;
}

static bool is_same_geometry(const struct nr_layer *a, const struct nr_layer *b)
{
    ninho_spec p = NINHO_SPEC_INIT, q = NINHO_SPEC_INIT;

    return a->level == b->level && a->capacity == b->capacity &&
           !ninho_filter_spec(a->filter, &p) && !ninho_filter_spec(b->filter, &q) &&
           p.n_bits == q.n_bits && p.n_hashes == q.n_hashes && p.n_slots == q.n_slots &&
           p.tag_bits == q.tag_bits && p.budget == q.budget;
}

static ninho_status merge_layer(struct nr_object *target, const struct nr_layer *layer,
                                ninho_error *error)
{
    const ninho_alloc alloc = nr_object_alloc(target);
    const uint64_t count = ninho_filter_count(layer->filter);
    ninho_filter *copy;

    if (!count)
        return NINHO_OK;
    for (uint32_t i = 0; i < target->n_layers; i++) {
        const struct nr_layer *into = &target->layers[i];
        if (is_same_geometry(into, layer) &&
            ninho_filter_count(into->filter) + count <= into->capacity &&
            !ninho_filter_union(into->filter, layer->filter, NULL))
            return NINHO_OK;
    }
    if (!target->expansion)
        return NINHO_ERR_FULL;
    const ninho_status status = ninho_filter_copy(layer->filter, &alloc, &copy, error);
    if (status)
        return status;
    if (nr_object_insert(target, copy, layer->capacity, layer->level))
        return NINHO_OK;
    ninho_filter_free(copy);
    return NINHO_ERR_FULL;
}

static ninho_status differ(const char *what, ninho_error *error)
{
    error->status = NINHO_ERR_MISMATCH;
    snprintf(error->text, sizeof error->text, "%s differs", what);
    return NINHO_ERR_MISMATCH;
}

ninho_status nr_chain_merge(struct nr_object *target, const struct nr_object *source,
                            ninho_error *error)
{
    ninho_spec p = NINHO_SPEC_INIT, q = NINHO_SPEC_INIT;
    ninho_status status = NINHO_OK;

    if (target->face == NR_CF) { /* filters nest only under one geometry */
        (void)ninho_filter_spec(target->layers[0].filter, &p);
        (void)ninho_filter_spec(source->layers[0].filter, &q);
        if (target->bucket != source->bucket)
            return differ("bucket size", error);
        if (growth_of(target) != growth_of(source))
            return differ("expansion", error);
        if (target->capacity != source->capacity || p.n_slots != q.n_slots)
            return differ("capacity", error);
        if (p.tag_bits != q.tag_bits)
            return differ("error rate", error);
    }
    for (uint32_t i = 0; !status && i < source->n_layers; i++)
        status = merge_layer(target, &source->layers[i], error);
    return status;
}

/* ---- From outside ------------------------------------------------------------------ */

static bool is_sound_layer(const struct nr_object *object, const struct nr_layer *layer)
{
    ninho_spec first = NINHO_SPEC_INIT, spec = NINHO_SPEC_INIT;
    uint64_t n_slots;

    if (layer->level > MAX_LEVEL || ninho_filter_spec(layer->filter, &spec) ||
        spec.capacity != layer->capacity || spec.hash != NINHO_HASH_XXH3 || spec.seed ||
        spec.key_encoding != NINHO_KEY_BYTES || ninho_filter_is_checked(layer->filter))
        return false;
    if (object->face == NR_BF)
        return spec.kind == NINHO_BLOOM;
    return spec.kind == NINHO_CUCKOO && spec.slots == NINHO_BUCKETS &&
           spec.pairing == NINHO_PAIRING_OFFSET && spec.semantics == NINHO_MULTISET &&
           spec.search == NINHO_SEARCH_BFS && spec.place_slots == object->bucket &&
           !ninho_filter_spec(object->layers[0].filter, &first) &&
           spec.tag_bits == first.tag_bits &&
           grown(first.n_slots, growth_of(object), layer->level, &n_slots) &&
           n_slots == spec.n_slots;
}

/* What it grows by follows from its capacity: there must be a table behind that number. A
 * share of at most 0.6 of an error rate below 1 takes more than one bit for an item. */
static bool is_capacity_real(const struct nr_object *object)
{
    const struct nr_layer *first = &object->layers[0];
    ninho_spec spec = NINHO_SPEC_INIT;

    return first->level == 0 && first->capacity == object->capacity &&
           !ninho_filter_spec(first->filter, &spec) &&
           (object->face == NR_CF || !object->expansion || spec.n_bits >= spec.capacity);
}

bool nr_chain_is_sound(const struct nr_object *object)
{
    if (!(object->error > 0 && object->error < 1) || object->capacity < 1 ||
        object->capacity > NR_MAX_CAPACITY || object->expansion > 32768 ||
        !object->n_layers || !is_capacity_real(object))
        return false;
    if (object->face == NR_CF && (object->bucket < 1 || object->bucket > 255 ||
                                  object->iterations < 1 || object->iterations > 65535))
        return false;
    for (uint32_t i = 0; i < object->n_layers; i++)
        if (!is_sound_layer(object, &object->layers[i]))
            return false;
    return true;
}
