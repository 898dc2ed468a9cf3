/* SPDX-License-Identifier: MIT */
/* An advertisement is, little-endian:
 *
 *     "NRA1"  n_levels:1  flags:1  0:2  { size:4  framed filter:size } for each level
 *
 * A size of 0 stands for an empty filter. Flag 1: something may lie beyond that nobody knows of. */
#include "router.h"

#include <string.h>

#include "apps/base/base.h"
#include "holdings.h"
#include "link.h"

#define HEADER_BYTES    8
#define FLAG_INCOMPLETE 1
/* Frames of the largest filter may have a few more bytes than an empty one's: metadata, say. */
#define SPARE_BYTES 256

struct neighbour {
    ninho_filter *levels[NINHO_ROUTER_MAX_LEVELS]; /* NULL: nothing */
    bool is_there;
    bool is_known;         /* an advertisement was taken, and none was refused since */
    bool is_incomplete;    /* by its own word */
    bool has_told;         /* anything at all, for min_interval */
    uint32_t next_gone;    /* where is_there is not: the chain of numbers to use again */
    uint64_t heard, asked; /* when an advertisement was taken, and when one was read */
};

/* A request that was here, in one of the WAYS places that its id chooses; where all are taken, the
 * oldest is forgotten. */
#define WAYS 8
struct memory {
    uint64_t id;
    uint64_t stamp; /* counts requests; 0: nothing is here */
    uint32_t from;
    uint32_t last_rank, last_link; /* tried last; RT_NONE: none yet */
};

struct ninho_router {
    ninho_alloc alloc;
    ninho_router_options options;
    ninho_filter *empty; /* of the network's spec */
    ninho_dict *own;
    struct neighbour *links;
    size_t n_links, links_room;
    uint32_t first_gone;     /* RT_NONE: every number is in use */
    struct memory *memories; /* a multiple of WAYS */
    uint64_t n_requests;
};

/* ---- Life -------------------------------------------------------------------------- */

static ninho_status check_options(ninho_router_options *options, ninho_error *error)
{
    if (!options->spec.kind)
        options->spec.kind = NINHO_BLOOM;
    if (!options->spec.capacity)
        options->spec.capacity = 10000;
    if (!(options->spec.fpr != 0))
        options->spec.fpr = 0.01;
    if (!options->n_levels)
        options->n_levels = 4;
    if (!(options->max_fpr != 0))
        options->max_fpr = 0.5;
    if (!options->max_links)
        options->max_links = 1000000;
    if (!options->n_remembered)
        options->n_remembered = 4096;
    options->n_remembered = (options->n_remembered + WAYS - 1) / WAYS * WAYS;
    if (options->n_levels > NINHO_ROUTER_MAX_LEVELS)
        return na_fail(error, NINHO_ERR_ARG, "n_levels must be 1 .. %d",
                       NINHO_ROUTER_MAX_LEVELS);
    if (!(options->max_fpr > 0 && options->max_fpr < 1))
        return na_fail(error, NINHO_ERR_ARG, "max_fpr must be between 0 and 1");
    if (options->max_links > 1u << 24 || options->n_remembered == 0 ||
        options->n_remembered > 1u << 24)
        return na_fail(error, NINHO_ERR_ARG,
                       "max_links and n_remembered must be 1 .. 2^24");
    if (!(ninho_kind_can(options->spec.kind) & NINHO_CAN_UNION))
        return na_fail(error, NINHO_ERR_UNSUPPORTED, "filters of this kind cannot unite");
    options->spec.semantics = NINHO_MULTISET;
    options->spec = rt_link_spec(&options->spec, options->spec.capacity);
    return NINHO_OK;
}

ninho_status ninho_router_create(const ninho_router_options *options,
                                 const ninho_alloc *alloc, ninho_router **out,
                                 ninho_error *error)
{
    ninho_router_options mine = NINHO_ROUTER_INIT;
    ninho_dict_spec own = NINHO_DICT_SPEC_INIT;
    const ninho_alloc from = na_allocator(alloc);

    if (!out || !na_struct_in(&mine, sizeof mine, options))
        return na_fail(error, NINHO_ERR_ARG, "options of a newer version, or none");
    mine.spec.size_of_struct = sizeof mine.spec;
    ninho_status status = check_options(&mine, error);
    if (status)
        return status;
    ninho_router *router = na_alloc_zeroed(&from, 1, sizeof *router);
    if (!router)
        return na_no_memory(error);
    router->alloc = from;
    router->options = mine;
    router->first_gone = RT_NONE;
    router->memories =
        na_alloc_zeroed(&from, mine.n_remembered, sizeof *router->memories);
    own.key_size = sizeof(uint64_t);
    status = router->memories
                 ? ninho_filter_create(&mine.spec, &from, &router->empty, error)
                 : na_no_memory(error);
    if (!status)
        status = ninho_dict_create(&own, &from, &router->own, error);
    if (status)
        ninho_router_free(router);
    else
        *out = router;
    return status;
}

static void forget_levels(struct neighbour *link)
{
    for (size_t i = 0; i < NINHO_ROUTER_MAX_LEVELS; i++) {
        ninho_filter_free(link->levels[i]);
        link->levels[i] = NULL;
    }
    link->is_known = false;
}

void ninho_router_free(ninho_router *router)
{
    if (!router)
        return;
    const ninho_alloc alloc = router->alloc;
    for (size_t i = 0; i < router->n_links; i++)
        forget_levels(&router->links[i]);
    na_free(&alloc, router->links, router->links_room, sizeof *router->links);
    na_free(&alloc, router->memories, router->options.n_remembered,
            sizeof *router->memories);
    ninho_filter_free(router->empty);
    ninho_dict_free(router->own);
    na_free(&alloc, router, 1, sizeof *router);
}

ninho_status ninho_router_add(ninho_router *router, uint64_t hash)
{
    return ninho_dict_put(router->own, &hash, sizeof hash, 0, NULL);
}

ninho_status ninho_router_remove(ninho_router *router, uint64_t hash)
{
    return ninho_dict_remove(router->own, &hash, sizeof hash);
}

/* ---- Neighbours -------------------------------------------------------------------- */

static struct neighbour *link_of(const ninho_router *router, uint32_t link)
{
    return link < router->n_links && router->links[link].is_there ? &router->links[link]
                                                                  : NULL;
}

ninho_status ninho_router_connect(ninho_router *router, uint32_t *link)
{
    uint32_t number = router->first_gone;

    if (number != RT_NONE) {
        router->first_gone = router->links[number].next_gone;
    } else {
        if (router->n_links == router->options.max_links)
            return NINHO_ERR_FULL;
        if (!na_grow(&router->alloc, &router->links, router->n_links, &router->links_room,
                     sizeof *router->links, 1))
            return NINHO_ERR_NOMEM;
        number = (uint32_t)router->n_links++;
    }
    router->links[number] = (struct neighbour){.is_there = true};
    *link = number;
    return NINHO_OK;
}

ninho_status ninho_router_disconnect(ninho_router *router, uint32_t link)
{
    struct neighbour *neighbour = link_of(router, link);

    if (!neighbour)
        return NINHO_ERR_NOT_FOUND;
    forget_levels(neighbour);
    *neighbour = (struct neighbour){.is_there = false, .next_gone = router->first_gone};
    router->first_gone = link;
    return NINHO_OK;
}

/* Is what it advertised still to be believed? A clock that goes back makes nothing older. */
static bool is_believed(const ninho_router *router, const struct neighbour *link,
                        uint64_t now)
{
    const uint64_t age = now > link->heard ? now - link->heard : 0;
    return link->is_known && (!router->options.max_age || age <= router->options.max_age);
}

/* ---- Advertisements ---------------------------------------------------------------- */

static uint32_t load32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
           (uint32_t)at[3] << 24;
}

static void store32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

size_t ninho_router_tell_size(const ninho_router *router)
{
    return HEADER_BYTES +
           router->options.n_levels *
               (4 + ninho_filter_encoded_size(router->empty) + (size_t)SPARE_BYTES);
}

/* One level from its bytes: of the network's spec, and not saturated. */
static ninho_status read_level(const ninho_router *router, const uint8_t *bytes,
                               size_t size, ninho_filter **out,
                               ninho_router_verdict *verdict, ninho_error *error)
{
    ninho_open_options open = NINHO_OPEN_INIT;
    ninho_info info = NINHO_INFO_INIT;
    ninho_filter *filter = NULL;

    open.alloc = &router->alloc;
    open.pages = NINHO_PAGES_SMALL;
    ninho_status status = ninho_filter_decode(bytes, size, &open, &filter, error);
    /* What can be united with an empty filter of ours is of our spec. */
    if (!status)
        status = ninho_filter_union(filter, router->empty, error);
    if (!status)
        status = ninho_filter_info(filter, &info);
    if (status) {
        ninho_filter_free(filter);
        return status;
    }
    if (info.fpr_expected >= router->options.max_fpr)
        *verdict = NINHO_ROUTER_SATURATED;
    *out = filter;
    return NINHO_OK;
}

static ninho_status read_levels(const ninho_router *router, const uint8_t *bytes,
                                size_t size, struct neighbour *told,
                                ninho_router_verdict *verdict, ninho_error *error)
{
    size_t at = HEADER_BYTES;

    if (size < HEADER_BYTES || memcmp(bytes, "NRA", 3) != 0)
        return na_fail(error, NINHO_ERR_FORMAT, "this is no advertisement");
    if (bytes[3] != '1' || bytes[5] > FLAG_INCOMPLETE || bytes[6] || bytes[7])
        return na_fail(error, NINHO_ERR_VERSION, "an advertisement of another version");
    if (bytes[4] != router->options.n_levels)
        return na_fail(error, NINHO_ERR_MISMATCH, "an advertisement of %u levels, not %u",
                       (unsigned)bytes[4], (unsigned)router->options.n_levels);
    told->is_incomplete = bytes[5] & FLAG_INCOMPLETE;
    for (uint32_t i = 0; i < router->options.n_levels; i++) {
        const uint32_t length = size - at >= 4 ? load32(bytes + at) : UINT32_MAX;
        if (size - at < 4 || length > size - at - 4)
            return na_fail(error, NINHO_ERR_FORMAT, "the advertisement ends in level %u",
                           (unsigned)i + 1);
        at += 4;
        const ninho_status status = length ? read_level(router, bytes + at, length,
                                                        &told->levels[i], verdict, error)
                                           : NINHO_OK;
        if (status)
            return status;
        at += length;
    }
    if (at != size)
        return na_fail(error, NINHO_ERR_FORMAT, "bytes behind the advertisement");
    return NINHO_OK;
}

ninho_status ninho_router_hear(ninho_router *router, uint32_t link, const void *bytes,
                               size_t size, uint64_t now, ninho_router_verdict *verdict,
                               ninho_error *error)
{
    struct neighbour *neighbour = link_of(router, link);
    struct neighbour told = {.is_there = true, .is_known = true, .has_told = true};

    if (!neighbour)
        return na_fail(error, NINHO_ERR_NOT_FOUND, "there is no such link");
    const uint64_t since = now > neighbour->asked ? now - neighbour->asked : 0;
    *verdict = NINHO_ROUTER_TAKEN;
    if (neighbour->has_told && since < router->options.min_interval) {
        *verdict = NINHO_ROUTER_TOO_SOON;
        return NINHO_OK;
    }
    neighbour->has_told = true;
    neighbour->asked = now;
    if (!bytes || size > ninho_router_tell_size(router))
        return na_fail(error, NINHO_ERR_FORMAT, "%zu bytes are too many", size);
    const ninho_status status = read_levels(router, bytes, size, &told, verdict, error);
    if (status || *verdict == NINHO_ROUTER_SATURATED) {
        forget_levels(&told);
        if (!status)
            forget_levels(neighbour);
        return status;
    }
    forget_levels(neighbour);
    told.heard = told.asked = now;
    *neighbour = told;
    return NINHO_OK;
}

/* Level i of what is told: the host's own, or what the others told of their level before. */
static ninho_status make_level(const ninho_router *router, uint32_t to, uint64_t now,
                               uint32_t level, ninho_filter **out)
{
    const uint32_t last = router->options.n_levels - 1;
    ninho_filter *filter = NULL;
    uint64_t cursor = 0;
    const void *key = NULL;
    ninho_status status = ninho_filter_copy(router->empty, &router->alloc, &filter, NULL);

    while (!status && level == 0 &&
           ninho_dict_next(router->own, &cursor, &key, NULL, NULL)) {
        uint64_t hash = 0;
        memcpy(&hash, key, sizeof hash);
        status = ninho_filter_add(filter, hash);
    }
    for (uint32_t v = 0; v < router->n_links && !status; v++) {
        const struct neighbour *link = &router->links[v];
        if (v == to || !link->is_there || !is_believed(router, link, now))
            continue;
        if (level && link->levels[level - 1])
            status = ninho_filter_union(filter, link->levels[level - 1], NULL);
        if (!status && level == last && router->options.has_rest && link->levels[level])
            status = ninho_filter_union(filter, link->levels[level], NULL);
    }
    if (status)
        ninho_filter_free(filter);
    else
        *out = filter;
    return status;
}

ninho_status ninho_router_tell(ninho_router *router, uint32_t to, uint64_t now,
                               void *bytes, size_t capacity, size_t *size)
{
    uint8_t *at = bytes;
    uint8_t flags = 0;

    if (!link_of(router, to))
        return NINHO_ERR_NOT_FOUND;
    if (!bytes || capacity < ninho_router_tell_size(router))
        return NINHO_ERR_SPACE;
    for (uint32_t v = 0; v < router->n_links; v++) {
        const struct neighbour *link = &router->links[v];
        if (v != to && link->is_there &&
            (!is_believed(router, link, now) || link->is_incomplete))
            flags = FLAG_INCOMPLETE;
    }
    memcpy(at, "NRA1", 4);
    at[4] = (uint8_t)router->options.n_levels;
    at[5] = flags;
    at[6] = at[7] = 0;
    at += HEADER_BYTES;
    for (uint32_t i = 0; i < router->options.n_levels; i++) {
        ninho_filter *filter = NULL;
        size_t length = 0;
        ninho_status status = make_level(router, to, now, i, &filter);
        if (!status)
            status = ninho_filter_encode(
                filter, at + 4, capacity - (size_t)(at + 4 - (uint8_t *)bytes), &length);
        if (!status && length > UINT32_MAX)
            status = NINHO_ERR_SPACE;
        ninho_filter_free(filter);
        if (status)
            return status;
        store32(at, (uint32_t)length);
        at += 4 + length;
    }
    *size = (size_t)(at - (uint8_t *)bytes);
    return NINHO_OK;
}

/* ---- Requests ---------------------------------------------------------------------- */

/* How soon a neighbour is tried: by the level that has it; then those of whom not all is known. */
static uint32_t rank_of(const ninho_router *router, const struct neighbour *link,
                        uint64_t hash, uint64_t now)
{
    const uint32_t n_levels = router->options.n_levels;

    if (!is_believed(router, link, now))
        return n_levels;
    for (uint32_t i = 0; i < n_levels; i++)
        if (link->levels[i] && ninho_filter_has(link->levels[i], hash))
            return i;
    return link->is_incomplete ? n_levels : UINT32_MAX;
}

/* The next neighbour to try; RT_NONE if all were. */
static uint32_t next_link(const ninho_router *router, const struct memory *memory,
                          uint64_t hash, uint64_t now, uint32_t *rank)
{
    uint32_t best = RT_NONE;

    *rank = UINT32_MAX;
    for (uint32_t v = 0; v < router->n_links; v++) {
        if (v == memory->from || !router->links[v].is_there)
            continue;
        const uint32_t here = rank_of(router, &router->links[v], hash, now);
        const bool is_tried = memory->last_link != RT_NONE &&
                              (here < memory->last_rank ||
                               (here == memory->last_rank && v <= memory->last_link));
        if (is_tried || here >= *rank)
            continue;
        best = v;
        *rank = here;
    }
    return best;
}

/* Where the request is remembered, or the place that it would take. */
static struct memory *memory_of(const ninho_router *router, uint64_t id)
{
    const size_t n_sets = router->options.n_remembered / WAYS;
    struct memory *set = &router->memories[ninho_mix64(id) % n_sets * WAYS];
    struct memory *oldest = set;

    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].stamp && set[i].id == id)
            return &set[i];
        if (set[i].stamp < oldest->stamp)
            oldest = &set[i];
    }
    return oldest;
}

static ninho_router_action turn_back(const ninho_router *router,
                                     ninho_router_request *request, uint32_t from,
                                     uint32_t *link)
{
    if (from == NINHO_ROUTER_HERE)
        return NINHO_ROUTER_FAIL;
    if (!link_of(router, from))
        return NINHO_ROUTER_DROP;
    request->ttl--;
    request->is_back = true;
    *link = from;
    return NINHO_ROUTER_BACK;
}

ninho_router_action ninho_router_route(ninho_router *router,
                                       ninho_router_request *request, uint32_t from,
                                       uint64_t now, uint32_t *link)
{
    struct memory *memory = memory_of(router, request->id);
    const bool is_remembered = memory->stamp && memory->id == request->id;
    uint32_t rank = UINT32_MAX;

    if (!request->is_back &&
        ninho_dict_get(router->own, &request->hash, sizeof request->hash, NULL))
        return NINHO_ROUTER_DELIVER;
    if (request->is_back && !is_remembered)
        return NINHO_ROUTER_DROP;
    if (request->ttl == 0)
        return NINHO_ROUTER_EXPIRE;
    if (!request->is_back) {
        if (is_remembered) /* round in a circle */
            return turn_back(router, request, from, link);
        *memory = (struct memory){.id = request->id,
                                  .stamp = ++router->n_requests,
                                  .from = from,
                                  .last_link = RT_NONE};
    }
    const uint32_t next = next_link(router, memory, request->hash, now, &rank);
    if (next == RT_NONE)
        return turn_back(router, request, memory->from, link);
    memory->last_rank = rank;
    memory->last_link = next;
    request->ttl--;
    request->is_back = false;
    *link = next;
    return NINHO_ROUTER_FORWARD;
}
