/* SPDX-License-Identifier: MIT */
/* A filter that grows (after Almeida, Baquero, Preguica and Hutchison, 2007): a list of
 * tables, each `growth` times larger than the one before and with a smaller share of the
 * promise.
 *
 *     parts: [ capacity c, fpr e0 ] [ 2c, e1 ] [ 4c, e2 ] ...      e0 + e1 + e2 + ... <= fpr
 *
 * A lookup asks all of them. Over kinds that keep no copies an add goes to the last, and
 * only if none has the key yet, so that repeated keys do not make it grow. Shares are
 * e_i = 0.6 fpr / (i + 1)^2: their sum is below 0.987 fpr however many there are, and the
 * first, which is all that most filters ever have, gets more than under the usual halving: 0.6
 * against 0.5.
 *
 * Over cuckoo filters keys can be removed, and the tables are *nested*: place and tag of a
 * key come from the same hash bits in all of them, numbers of places are multiples of each
 * other and tags only gain bits. So two keys that agree in a table agree in every table
 * before it. A removal takes the tag from the newest table that seems to have the key. If
 * that was the tag of another key y, then x, the key to be removed, agrees with y there and
 * in all older tables; the tag of x lies in one of those, or in the same one, and stands
 * for y from now on. (From the oldest table first this fails: there x agrees with keys
 * that it does not agree with where its own tag lies.)
 *
 * It grows when the newest table has as many keys as it was planned for. Copies of many
 * keys can crowd a table before that; then, from half of them on, it grows for a key that
 * finds no room. So however keys were chosen, a table has been half full before there is a
 * larger one. A key whose slots hold nothing but its own copies is never a reason to grow,
 * but NINHO_ERR_FULL: a million copies take no more memory than a few. */
#include <inttypes.h>
#include <math.h>

#include "base/bits.h"
#include "base/status.h"
#include "filter/ops.h"

#define DEFAULT_BASE   NINHO_BLOCKED /* the fastest, where none is asked for */
#define DEFAULT_GROWTH 2
#define MAX_GROWTH     16

/* option word: bits 0-15 the base kind, 16-31 the growth factor, the rest 0 */
static uint64_t options_of(const ninho_spec *spec)
{
    return (uint64_t)spec->base | (uint64_t)spec->growth << 16;
}

static void options_back(uint64_t options, ninho_spec *spec)
{
    spec->base = (ninho_kind)(options & 0xffff);
    spec->growth = (uint32_t)(options >> 16);
}

static const struct nh_family *part_family_of(uint64_t options)
{
    ninho_spec spec;

    options_back(options, &spec);
    if (!ninho_kind_can_be_base(spec.base) || options >> 16 < 2 ||
        options >> 16 > MAX_GROWTH)
        return NULL;
    return nh_family_of(spec.base);
}

/* The spec of part number `index`, from the spec of the whole. False if its capacity is more
 * than there are numbers for. */
static bool part_spec(const ninho_spec *spec, uint32_t index, ninho_spec *part)
{
    const double share = 0.6 / ((double)(index + 1) * (double)(index + 1));

    *part = *spec;
    part->kind = spec->base;
    part->base = (ninho_kind)0;
    part->growth = 0;
    part->fpr = spec->fpr * share;
    for (uint32_t i = 0; i < index; i++)
        if (!nh_mul_fits(part->capacity, spec->growth, &part->capacity))
            return false;
    return true;
}

static ninho_status check(const ninho_spec *spec, ninho_error *error)
{
    char kinds[NH_KINDS_TEXT];
    ninho_spec first;

    if (!ninho_kind_can_be_base(spec->base))
        return nh_fail_field(error, NINHO_FIELD_BASE, 0, 0, "must be one of %s",
                             nh_kinds_for_base(kinds));
    if (spec->growth < 2 || spec->growth > MAX_GROWTH)
        return nh_fail_field(error, NINHO_FIELD_GROWTH, 2, MAX_GROWTH,
                             "must be 2 to %d, not %" PRIu32, MAX_GROWTH, spec->growth);
    (void)part_spec(spec, 0, &first);
    if (nh_field_not_taken(&first))
        return nh_fail_field(error, nh_field_not_taken(&first), 0, 0,
                             "does not go with base %s", ninho_kind_name(spec->base));
    if (spec->pairing && spec->pairing != NINHO_PAIRING_OFFSET)
        return nh_fail_field(error, NINHO_FIELD_PAIRING, 0, 0,
                             "must be offset: tables grow by any factor");
    return NINHO_OK;
}

static ninho_status plan(const ninho_spec *spec, struct nh_geometry *g,
                         ninho_error *error)
{
    ninho_spec whole = *spec, first;

    if (!whole.base)
        whole.base = DEFAULT_BASE;
    if (!whole.growth)
        whole.growth = DEFAULT_GROWTH;
    const ninho_status status = check(&whole, error);
    if (status)
        return status;
    (void)part_spec(&whole, 0, &first);
    g->options = options_of(&whole);
    g->part_family = nh_family_of(whole.base);
    return g->part_family->plan(&first, &g->first, error);
}

/* Where tables nest, what they share is kept; the rest follows from capacity and fpr. */
static void spec_back(const ninho_filter *filter, ninho_spec *spec)
{
    options_back(filter->options, spec);
    if (!filter->part_family->nest)
        return;
    filter->part_family->spec_back(filter->parts, spec);
    spec->tag_bits = 0;
    spec->n_slots = 0;
}

static const char *note(const struct nh_geometry *g)
{
    return nh_tag_bits_of(g->part_family, &g->first) > 26
               ? "tags end at 32 bits, so that it cannot grow far under this fpr"
               : NULL;
}

/* The parts of a growing filter are as large as its steps of growth say, and none is
 * smaller than n log2(1/fpr) bits, which no table that keeps its share of the promise can
 * be. Otherwise a header could make the next growth ask for any amount of memory, with
 * nothing behind its numbers. */
static ninho_status check_parts(const ninho_filter *filter, uint32_t n_parts,
                                ninho_error *error)
{
    const ninho_spec spec = nh_filter_spec_of(filter);

    for (uint32_t i = 0; i < n_parts; i++) {
        const struct nh_part *part = &filter->parts[i];
        const bool is_nested = i && filter->part_family->is_nested;
        ninho_spec planned;
        if (check(&spec, NULL) || !part_spec(&spec, i, &planned) ||
            (!is_nested && part->capacity != planned.capacity))
            return nh_fail_invalid(error, "capacity of a part",
                                   nh_part_at(i, NH_PART_CAPACITY));
        if (is_nested && !filter->part_family->is_nested(part - 1, spec.growth, part))
            return nh_fail_invalid(error, "geometry of a part",
                                   nh_part_at(i, NH_PART_N_HASHES));
        if (8 * (double)part->size < (double)part->capacity * -log2(planned.fpr))
            return nh_fail_invalid(error, "size of a part", nh_part_at(i, NH_PART_SIZE));
    }
    return NINHO_OK;
}

/* Appends the next table. Whatever stands in its way but memory means that the filter has
 * grown as far as it can. */
static ninho_status grow(ninho_filter *filter)
{
    const ninho_spec spec = nh_filter_spec_of(filter);
    const uint32_t index = filter->n_parts;
    struct nh_part geometry = {0};
    ninho_spec next;

    if (index == NH_MAX_PARTS || !part_spec(&spec, index, &next))
        return NINHO_ERR_FULL;
    geometry.capacity = next.capacity;
    if (filter->part_family->nest
            ? !filter->part_family->nest(&filter->parts[index - 1], spec.growth, next.fpr,
                                         &geometry)
            : filter->part_family->plan(&next, &geometry, NULL) != NINHO_OK)
        return NINHO_ERR_FULL;
    const ninho_status status = nh_filter_append_part(filter, &geometry);
    if (!status)
        nh_tell(&filter->live, NINHO_EVENT_RESIZED, index, index + 1, 0);
    return status;
}

static bool has_room(const struct nh_part *part)
{
    return part->count < part->capacity;
}

static ninho_status add_to(ninho_filter *filter, uint32_t i, uint64_t hash)
{
    return filter->part_family->add(nh_live_of(filter, i), &filter->parts[i], hash);
}

/* Whether a key for which there was no room may make it grow. */
static bool is_reason_to_grow(const ninho_filter *filter, uint64_t hash)
{
    const struct nh_part *newest = &filter->parts[filter->n_parts - 1];

    if (filter->part_family->is_own_obstacle &&
        filter->part_family->is_own_obstacle(newest, hash))
        return false;
    return newest->count >= newest->capacity / 2;
}

/* Adds to the newest table, or, with `any`, where removals have made room, or to a new
 * one. A trial that fails leaves no trace in the statistics but one failed add. */
static ninho_status add_somewhere(ninho_filter *filter, uint64_t hash, bool any)
{
    const struct nh_stats before = filter->stats;
    ninho_status status = NINHO_ERR_FULL;

    for (uint32_t i = filter->n_parts; status == NINHO_ERR_FULL && i-- > 0;) {
        if (has_room(&filter->parts[i])) {
            filter->stats = before;
            status = add_to(filter, i, hash);
        }
        if (!any)
            break;
    }
    if (status == NINHO_ERR_FULL && is_reason_to_grow(filter, hash)) {
        status = grow(filter);
        filter->stats = before;
        if (!status)
            status = add_to(filter, filter->n_parts - 1, hash);
    }
    if (status == NINHO_ERR_FULL)
        filter->stats.n_failed = before.n_failed + 1;
    return status;
}

/* Adds a key that no part before `first` has. */
static ninho_status add_new(ninho_filter *filter, uint64_t hash, uint32_t first)
{
    for (uint32_t i = first; i < filter->n_parts; i++)
        if (filter->part_family->has(&filter->parts[i], hash))
            return NINHO_OK;
    return add_somewhere(filter, hash, false);
}

static bool keeps_copies(const ninho_filter *filter)
{
    return nh_filter_can(filter) & NINHO_CAN_REMOVE;
}

/* Copies in batches, as long as the newest table takes them. */
static ninho_status add_copies(ninho_filter *filter, const uint64_t *hashes, size_t n,
                               size_t *n_added)
{
    ninho_status status = NINHO_OK;

    for (*n_added = 0; *n_added < n && !status;) {
        struct nh_part *newest = &filter->parts[filter->n_parts - 1];
        const uint64_t room = newest->capacity - newest->count;
        size_t n_done = 0;
        if (has_room(newest) && !filter->live.observer) {
            const size_t n_left = n - *n_added;
            status = filter->part_family->add_many(
                &filter->live, newest, hashes + *n_added,
                n_left < room ? n_left : (size_t)room, &n_done);
            *n_added += n_done;
            if (!status)
                continue;
            if (status != NINHO_ERR_FULL)
                return status;
            nh_stats_forget_failure(&filter->stats);
        }
        status = add_somewhere(filter, hashes[*n_added], true);
        *n_added += !status;
    }
    return status;
}

/* How many keys there are after an add of n more: what is stored, or what was added. */
static void count_added(ninho_filter *filter, size_t n)
{
    filter->count += n;
    if (!filter->part_family->counts_itself)
        return;
    filter->count = 0;
    for (uint32_t i = 0; i < filter->n_parts; i++)
        filter->count += filter->parts[i].count;
}

static ninho_status add(ninho_filter *filter, uint64_t hash)
{
    const ninho_status status = keeps_copies(filter) ? add_somewhere(filter, hash, true)
                                                     : add_new(filter, hash, 0);
    count_added(filter, !status);
    return status;
}

#define GROUP 64

static ninho_status add_new_ones(ninho_filter *filter, const uint64_t *hashes, size_t n,
                                 size_t *n_added)
{
    for (*n_added = 0; *n_added < n;) {
        const size_t n_group = n - *n_added < GROUP ? n - *n_added : GROUP;
        const uint64_t *group = hashes + *n_added;
        /* What this group adds goes to the last part or to new ones: only those are asked
         * again. */
        const uint32_t first = filter->n_parts - 1;
        uint64_t maybe = 0;
        for (uint32_t i = 0; i < filter->n_parts; i++)
            filter->part_family->has_many(&filter->parts[i], group, n_group, &maybe);
        for (size_t i = 0; i < n_group; i++) {
            if (!(maybe >> i & 1)) {
                const ninho_status status = add_new(filter, group[i], first);
                if (status)
                    return status;
            }
            ++*n_added;
        }
    }
    return NINHO_OK;
}

static ninho_status add_many(ninho_filter *filter, const uint64_t *hashes, size_t n,
                             size_t *n_added)
{
    const ninho_status status = keeps_copies(filter)
                                    ? add_copies(filter, hashes, n, n_added)
                                    : add_new_ones(filter, hashes, n, n_added);
    count_added(filter, *n_added);
    return status;
}

static const struct nh_compound compound = {
    .part_family_of = part_family_of,
    .plan = plan,
    .spec_back = spec_back,
    .note = note,
    .check_parts = check_parts,
    .add = add,
    .add_many = add_many,
};

const struct nh_family nh_family_scalable = {
    .kind = NINHO_SCALABLE,
    .can = NINHO_CAN_ADD | NINHO_CAN_GROW | NINHO_CAN_VIEW | NINHO_CAN_ESTIMATE,
    .takes = NH_TAKES_K_RULE | NH_TAKES_BASE | NH_TAKES_GROWTH | NH_TAKES_CUCKOO,
    .name = "scalable",
    .summary = "grows past its capacity by adding tables, and keeps the promised fpr",
    .compound = &compound,
};
