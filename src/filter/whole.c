/* SPDX-License-Identifier: MIT */
/* Calls on whole filters: what they hold, what they are, and several of them together. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/status.h"
#include "base/versioned.h"
#include "filter/codec.h"
#include "filter/ops.h"
#include "filter/sharing.h"

ninho_kind ninho_filter_kind(const ninho_filter *filter)
{
    return filter ? filter->family->kind : (ninho_kind)0;
}

uint32_t ninho_filter_can(const ninho_filter *filter)
{
    return filter ? nh_filter_can(filter) : 0;
}

ninho_key_encoding ninho_filter_key_encoding(const ninho_filter *filter)
{
    return filter ? filter->key_encoding : (ninho_key_encoding)0;
}

ninho_hash_id ninho_filter_hash(const ninho_filter *filter)
{
    return filter ? filter->hasher.id : (ninho_hash_id)0;
}

uint64_t ninho_filter_count(const ninho_filter *filter)
{
    return filter ? nh_count_of(filter) : 0;
}

/* Back to the geometry as created, for an emptied table that grew in place. Without
 * memory for a smaller one it stays where it is and uses less of it. */
static void shrink(ninho_filter *filter)
{
    struct nh_part *part = filter->parts;
    const uint64_t size = part->size;
    struct nh_table table;

    filter->part_family->as_created(part);
    if (part->size != size && nh_live_table(&filter->live, part->size, &table)) {
        nh_live_free_table(&filter->live, &part->table);
        part->table = table;
        part->body = table.bytes;
    }
    nh_attach(filter->part_family, part);
}

ninho_status ninho_filter_clear(ninho_filter *filter)
{
    if (!filter)
        return NINHO_ERR_ARG;
    if (filter->is_read_only || !(filter->family->can & NINHO_CAN_ADD))
        return NINHO_ERR_UNSUPPORTED;
    if (filter->live.sharing && !nh_sharing_reserve(&filter->live))
        return NINHO_ERR_NOMEM;
    nh_change_begin(filter, NULL, 0);
    for (; filter->n_parts > 1; filter->n_parts--)
        nh_live_free_table(&filter->live, &filter->parts[filter->n_parts - 1].table);
    memset(filter->parts[0].body, 0, (size_t)filter->parts[0].size);
    if (filter->part_family->as_created)
        shrink(filter);
    filter->parts[0].count = 0;
    filter->count = 0;
    filter->count_is_estimate = false;
    filter->has_uncounted = 0;
    nh_change_end(filter);
    return NINHO_OK;
}

/* What a field is in each of two filters: a number, or one of `names` from 1 on. */
struct pair {
    ninho_field field;
    uint64_t a, b;
    const char *names[3];
};

static ninho_status check_pairs(const struct pair *pairs, size_t n, ninho_error *error)
{
    for (size_t i = 0; i < n; i++) {
        const struct pair *p = &pairs[i];
        if (p->a == p->b)
            continue;
        if (p->names[0])
            return nh_fail_differ(error, p->field, "differs: %s and %s",
                                  p->names[p->a - 1], p->names[p->b - 1]);
        return nh_fail_differ(error, p->field, "differs: %" PRIu64 " and %" PRIu64, p->a,
                              p->b);
    }
    return NINHO_OK;
}

/* The choices of a cuckoo filter; all 0 for other kinds. */
static ninho_status check_choices(const ninho_spec *p, const ninho_spec *q,
                                  ninho_error *error)
{
    const struct pair pairs[] = {
        {NINHO_FIELD_SLOTS, p->slots, q->slots, {"buckets", "windows"}},
        {NINHO_FIELD_CHOICE, p->choice, q->choice, {"random", "emptier"}},
        {NINHO_FIELD_SEARCH, p->search, q->search, {"walk", "bfs"}},
        {NINHO_FIELD_PAIRING, p->pairing, q->pairing, {"xor", "offset", "near"}},
        {NINHO_FIELD_SEMANTICS,
         p->semantics == NINHO_SET ? 2 : 1,
         q->semantics == NINHO_SET ? 2 : 1,
         {"multiset", "set"}},
        {NINHO_FIELD_PLACE_SLOTS, p->place_slots, q->place_slots, {NULL}},
        {NINHO_FIELD_MAX_KICKS, p->max_kicks, q->max_kicks, {NULL}},
        {NINHO_FIELD_BUDGET, p->budget, q->budget, {NULL}},
    };

    return check_pairs(pairs, sizeof pairs / sizeof *pairs, error);
}

/* Geometries as they were created, so that one table may have grown further than the
 * other. */
static ninho_status check_geometry(const ninho_filter *a, const ninho_filter *b,
                                   ninho_error *error)
{
    const struct nh_family *const family = a->part_family;
    const ninho_spec of_a = nh_filter_spec_of(a), of_b = nh_filter_spec_of(b);
    struct nh_part p = a->parts[0], q = b->parts[0];

    if (family->as_created) {
        family->as_created(&p);
        family->as_created(&q);
    }
    const struct pair pairs[] = {
        {NINHO_FIELD_TABLE_SIZE, p.n_cells, q.n_cells, {NULL}},
        {NINHO_FIELD_N_HASHES, p.n_hashes, q.n_hashes, {NULL}},
        {NINHO_FIELD_TAG_BITS,
         nh_tag_bits_of(family, &p),
         nh_tag_bits_of(family, &q),
         {NULL}},
        {NINHO_FIELD_MAX_CAPACITY, of_a.max_capacity, of_b.max_capacity, {NULL}},
    };
    ninho_status status = check_choices(&of_a, &of_b, error);
    if (!status)
        status = check_pairs(pairs, sizeof pairs / sizeof *pairs, error);
    if (status)
        return status;
    if (p.stored[0] != q.stored[0] || p.stored[1] != q.stored[1] ||
        a->options != b->options)
        return nh_fail(error, NINHO_ERR_MISMATCH, "options differ");
    return NINHO_OK;
}

/* Whether two filters are of one kind and see the same hashes of the same keys. */
static ninho_status check_keys_alike(const ninho_filter *a, const ninho_filter *b,
                                     ninho_error *error)
{
    if (a->family != b->family)
        return nh_fail_differ(error, NINHO_FIELD_KIND, "differs: %s and %s",
                              a->family->name, b->family->name);
    if (a->key_encoding != b->key_encoding)
        return nh_fail_differ(error, NINHO_FIELD_KEY_ENCODING, "differs: %s and %s",
                              ninho_key_encoding_name(a->key_encoding),
                              ninho_key_encoding_name(b->key_encoding));
    if (a->hasher.id != b->hasher.id)
        return nh_fail_differ(error, NINHO_FIELD_HASH, "differs: %s and %s",
                              ninho_hash_name(a->hasher.id),
                              ninho_hash_name(b->hasher.id));
    if (a->hasher.seed != b->hasher.seed)
        return nh_fail_differ(error, NINHO_FIELD_SEED,
                              "differs: %" PRIu64 " and %" PRIu64, a->hasher.seed,
                              b->hasher.seed);
    if (a->key_check != b->key_check)
        return nh_fail_differ(error, NINHO_FIELD_SECRET, "differs");
    return NINHO_OK;
}

/* Whether two filters could be united. */
static ninho_status check_alike(const ninho_filter *a, const ninho_filter *b,
                                ninho_error *error)
{
    if (a->family == b->family && !(a->family->can & NINHO_CAN_UNION))
        return nh_fail(error, NINHO_ERR_UNSUPPORTED,
                       "filters of kind %s cannot be united", a->family->name);
    const ninho_status status = check_keys_alike(a, b, error);
    if (status)
        return status;
    return check_geometry(a, b, error);
}

/* An estimate takes the place of a count that keys are missing from. */
static void settle_count(ninho_filter *filter)
{
    if (!nh_has_uncounted(filter))
        return;
    filter->parts[0].count = filter->count = nh_count_of(filter);
    filter->count_is_estimate = true;
    filter->has_uncounted = 0;
}

/* What the count of a union is. Copies add up; of sets only an estimate can be had,
 * unless one of them was empty or they are the same. */
static void count_union(ninho_filter *target, const ninho_filter *source,
                        uint64_t source_count)
{
    const bool is_estimate = source->count_is_estimate || nh_has_uncounted(source);
    uint64_t sum;
    struct nh_tally tally;

    /* Copies double when a filter is united with itself again and again; the count stops
     * where it can still be stored, with room for more adds than there is time for. */
    if (!nh_add_fits(target->count, source_count, &sum) || sum > NH_MAX_COUNT / 2)
        sum = NH_MAX_COUNT / 2;
    if (target->part_family->counts_itself) {
        target->count = target->parts[0].count;
        target->count_is_estimate = false;
    } else if (nh_filter_can(target) & NINHO_CAN_REMOVE) {
        target->count = sum;
        target->count_is_estimate |= is_estimate;
    } else if (source_count == 0 && !is_estimate) {
        return;
    } else if (target->count == 0 && !target->count_is_estimate) {
        target->count = source_count;
        target->count_is_estimate = is_estimate;
    } else if (target != source) {
        target->part_family->tally(target->parts, NULL, &tally);
        target->count = tally.n_keys < (double)sum ? (uint64_t)(tally.n_keys + 0.5) : sum;
        target->count_is_estimate = true;
    }
    target->parts[0].count = target->count;
}

bool ninho_filter_is_crowded(const ninho_filter *filter, uint64_t n_more)
{
    return filter && filter->part_family->is_crowded &&
           filter->part_family->is_crowded(filter->parts, n_more);
}

ninho_status nh_fail_to_add(const ninho_filter *filter, ninho_status status,
                            uint64_t n_more, ninho_error *error)
{
    if (status == NINHO_ERR_FULL && ninho_filter_is_crowded(filter, n_more))
        return nh_fail(
            error, status,
            "too many of its keys stand together: they were chosen, or one has "
            "very many copies");
    return nh_fail(error, status, "%s", ninho_status_text(status));
}

ninho_status ninho_filter_union(ninho_filter *target, const ninho_filter *source,
                                ninho_error *error)
{
    if (!target || !source)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", target ? "source" : "target");
    ninho_status status = check_alike(target, source, error);
    if (status)
        return status;
    if (target->is_read_only)
        return nh_fail(error, NINHO_ERR_UNSUPPORTED, "target is read-only");
    if (source->is_read_only && (status = ninho_filter_verify(source, error)))
        return status;
    const uint64_t source_count = nh_count_of(source);
    settle_count(target);
    nh_change_begin(target, NULL, 0);
    status = target->part_family->unite(&target->live, target->parts, source->parts);
    nh_change_end(target);
    if (status)
        return nh_fail_to_add(target, status, source_count, error);
    count_union(target, source, source_count);
    return NINHO_OK;
}

ninho_status ninho_filter_move(ninho_filter *target, ninho_filter *source,
                               uint64_t *cursor, uint64_t n_slots, ninho_error *error)
{
    if (!target || !source || !cursor || target == source)
        return nh_fail(error, NINHO_ERR_ARG, "an argument is NULL, or both are the same");
    ninho_status status = check_keys_alike(target, source, error);
    if (status)
        return status;
    if (!target->family->move || target->is_read_only || source->is_read_only)
        return nh_fail(error, NINHO_ERR_UNSUPPORTED,
                       "only cuckoo filters in memory of their own move keys");
    if (source->live.sharing)
        return nh_fail(error, NINHO_ERR_UNSUPPORTED, "the source has readers");
    nh_change_begin(target, NULL, 0);
    status = target->family->move(&target->live, target->parts, source->parts, cursor,
                                  n_slots, error);
    nh_change_end(target);
    target->count = target->parts->count;
    source->count = source->parts->count;
    return status;
}

ninho_status ninho_filter_estimate(const ninho_filter *filter, double *n_keys)
{
    double sum = 0;

    if (!filter || !n_keys)
        return NINHO_ERR_ARG;
    if (!(nh_filter_can(filter) & NINHO_CAN_ESTIMATE))
        return NINHO_ERR_UNSUPPORTED;
    for (uint32_t i = 0; i < filter->n_parts; i++) {
        struct nh_tally tally;
        filter->part_family->tally(&filter->parts[i], NULL, &tally);
        sum += tally.n_keys;
    }
    if (isinf(sum))
        return NINHO_ERR_FULL;
    *n_keys = sum;
    return NINHO_OK;
}

ninho_status ninho_filter_estimate_pair(const ninho_filter *a, const ninho_filter *b,
                                        double *n_union, double *n_intersection,
                                        ninho_error *error)
{
    struct nh_tally of_a, of_b, of_both;

    if (!a || !b)
        return nh_fail(error, NINHO_ERR_ARG, "a filter is NULL");
    const ninho_status status = check_alike(a, b, error);
    if (status)
        return status;
    if (!(nh_filter_can(a) & NINHO_CAN_ESTIMATE))
        return nh_fail(error, NINHO_ERR_UNSUPPORTED, "kind %s cannot estimate",
                       a->family->name);
    a->part_family->tally(a->parts, NULL, &of_a);
    b->part_family->tally(b->parts, NULL, &of_b);
    a->part_family->tally(a->parts, b->parts, &of_both);
    if (isinf(of_both.n_keys))
        return nh_fail(error, NINHO_ERR_FULL,
                       "every bit is set: nothing can be estimated");
    const double common = of_a.n_keys + of_b.n_keys - of_both.n_keys;
    if (n_union)
        *n_union = of_both.n_keys;
    if (n_intersection)
        *n_intersection = common > 0 ? common : 0;
    return NINHO_OK;
}

bool ninho_filter_next_fingerprint(const ninho_filter *filter, uint64_t *cursor,
                                   uint64_t *fingerprint)
{
    return filter && cursor && fingerprint && filter->part_family->next_fingerprint &&
           filter->part_family->next_fingerprint(filter->parts, cursor, fingerprint);
}

/* All that the filter has allocated; nothing in views, which have no allocator. */
static uint64_t memory_of(const ninho_filter *filter)
{
    uint64_t sum = filter->scratch.size + nh_sharing_bytes(filter);

    if (!filter->alloc.alloc)
        return 0;
    sum += sizeof *filter;
    if (filter->parts != &filter->only)
        sum += NH_MAX_PARTS * sizeof *filter->parts;
    for (uint32_t i = 0; i < filter->n_parts; i++)
        sum += filter->parts[i].table.block_size;
    if (!filter->is_read_only)
        sum += (filter->meta ? NINHO_META_BYTES : 0) + filter->attachment_size;
    return sum;
}

ninho_status ninho_filter_info(const ninho_filter *filter, ninho_info *info)
{
    uint64_t used = 0, cells = 0;
    double log_miss = 0; /* ln P(no part is wrong): 1 - p would lose small ones */

    if (!filter || !info)
        return NINHO_ERR_ARG;
    const struct nh_part *newest = &filter->parts[filter->n_parts - 1];
    const uint64_t size = ninho_filter_encoded_size(filter);
    const uint64_t count = nh_count_of(filter);
    const uint64_t keys = count > filter->capacity ? count : filter->capacity;
    ninho_info ours = {
        .kind = filter->family->kind,
        .hash = filter->hasher.id,
        .key_encoding = filter->key_encoding,
        .can = ninho_filter_can(filter),
        .capacity = filter->capacity,
        .count = count,
        .fpr_target = filter->fpr,
        .bits_per_key = 8.0 * (double)size / (double)keys,
        .size_bytes = size,
        .seed = filter->hasher.seed,
        .n_cells = newest->n_cells,
        .n_hashes = newest->n_hashes,
        .tag_bits = nh_tag_bits_of(filter->part_family, newest),
        .n_parts = filter->n_parts,
        .format_version = NINHO_FORMAT_VERSION,
        .count_is_estimate = filter->count_is_estimate || nh_has_uncounted(filter),
        .is_keyed = filter->key_check != 0,
        .is_sealed = filter->is_sealed,
        .is_read_only = filter->is_read_only,
        .has_huge_pages = newest->table.has_huge_pages,
        .memory_bytes = memory_of(filter),
    };
    for (uint32_t i = 0; i < filter->n_parts; i++) {
        struct nh_tally tally;
        filter->part_family->tally(&filter->parts[i], NULL, &tally);
        used += tally.used;
        cells += tally.cells;
        log_miss += log1p(-tally.fpr);
        ours.table_bytes += filter->parts[i].size;
    }
    ours.fpr_expected = log_miss < 0 ? -expm1(log_miss) : 0;
    ours.load = cells ? (double)used / (double)cells : 0;
    return nh_struct_out(info, &ours, sizeof ours) ? NINHO_OK : NINHO_ERR_ARG;
}

ninho_status ninho_filter_stats(const ninho_filter *filter, ninho_stats *stats)
{
    if (!filter || !stats)
        return NINHO_ERR_ARG;
    const ninho_stats ours = {
        .n_searches = filter->stats.n_searches,
        .n_moves = filter->stats.n_moves,
        .longest_path = filter->stats.longest_path,
        .n_failed = filter->stats.n_failed,
        .n_undone = filter->stats.n_undone,
    };
    return nh_struct_out(stats, &ours, sizeof ours) ? NINHO_OK : NINHO_ERR_ARG;
}

ninho_spec nh_filter_spec_of(const ninho_filter *filter)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = filter->family->kind;
    spec.hash = filter->hasher.id;
    spec.key_encoding = filter->key_encoding;
    spec.pages = filter->pages;
    spec.capacity = filter->capacity;
    spec.fpr = filter->fpr;
    spec.seed = filter->hasher.seed;
    if (filter->family->compound)
        filter->family->compound->spec_back(filter, &spec);
    else
        filter->family->spec_back(filter->parts, &spec);
    return spec;
}

ninho_status ninho_filter_spec(const ninho_filter *filter, ninho_spec *spec)
{
    if (!filter || !spec)
        return NINHO_ERR_ARG;
    const ninho_spec ours = nh_filter_spec_of(filter);
    return nh_struct_out(spec, &ours, sizeof ours) ? NINHO_OK : NINHO_ERR_ARG;
}

/* Bare bytes do not say how many keys there are: what the table holds must be what such a table may. */
static ninho_status verify_bare_count(const ninho_filter *filter, ninho_error *error)
{
    struct nh_part counted = filter->parts[0];

    counted.count = nh_count_of(filter);
    if (filter->part_family->fits(&counted))
        return NINHO_OK;
    return nh_fail(error, NINHO_ERR_FORMAT, "%" PRIu64 " keys in a table for %" PRIu64,
                   counted.count, counted.capacity);
}

ninho_status ninho_filter_verify(const ninho_filter *filter, ninho_error *error)
{
    if (!filter)
        return nh_fail(error, NINHO_ERR_ARG, "filter is NULL");
    ninho_status status = nh_verify_body(filter, error);
    for (uint32_t i = 0; !status && i < filter->n_parts; i++)
        status = filter->part_family->verify(&filter->parts[i], error);
    return !status && filter->parts[0].is_bare ? verify_bare_count(filter, error)
                                               : status;
}
