/* SPDX-License-Identifier: MIT */
/* The cuckoo filter (Fan, Andersen, Kaminsky and Mitzenmacher, 2014): tags of keys, each in
 * one of two places of a few slots, moved from the one to the other to make room. It
 * removes, it is smaller than a Bloom filter below about 1 %, and a lookup touches two
 * cache lines. docs/cuckoo.md explains it with drawings; the table is in cuckoo.h.
 *
 * Four choices are independent: buckets or windows (Lehman and Panigrahy, 2009), the first
 * or the emptier place, walk or bfs, xor or offset pairing. All are here, behind one
 * implementation; what differs is a few numbers in the table's shape.
 *
 * Nothing is ever lost: an add that finds no room leaves the table as it was. */
#include "filter/cuckoo.h"

#include <inttypes.h>

#include "base/status.h"

/* ---- Shape ------------------------------------------------------------------------- */

/* The limit of a search. In a small table bfs comes to the same tags again long before the
 * budget is spent. */
static uint32_t limit_in(const struct nh_part *part)
{
    const uint64_t limit = part->stored[1], most = 2 * part->n_cells;
    return (uint32_t)(limit > most && !nh_cuckoo_is(part, NH_CUCKOO_WALK) ? most : limit);
}

struct nh_cuckoo_shape nh_cuckoo_of(const struct nh_part *part)
{
    struct nh_cuckoo_shape t =
        nh_cuckoo_unpacked(part, nh_cuckoo_width(part), nh_cuckoo_n(part),
                           nh_cuckoo_is(part, NH_CUCKOO_WINDOWS), nh_cuckoo_pairing(part),
                           nh_cuckoo_takes_two(nh_cuckoo_width(part), nh_cuckoo_n(part)));

    t.is_set = nh_cuckoo_is(part, NH_CUCKOO_SET);
    t.is_random = nh_cuckoo_is(part, NH_CUCKOO_RANDOM);
    t.is_walk = nh_cuckoo_is(part, NH_CUCKOO_WALK);
    t.limit = limit_in(part);
    return t;
}

static const struct nh_cuckoo_kernel *kernel_of(const struct nh_part *part)
{
    return part->kernel;
}

static void attach(struct nh_part *part)
{
    const unsigned width = nh_cuckoo_width(part), n = nh_cuckoo_n(part);
    const unsigned n_lanes = nh_cuckoo_takes_two(width, n) ? 2 : n * width > 64 ? 0 : n;
    uint64_t ones = 0, ramp = 0;

    for (unsigned i = n_lanes; i-- > 0;) {
        ones = ones << (width & 63) | 1;
        ramp = ramp << (width & 63) | i;
    }
    part->cached.cuckoo = (ninho_cuckoo_shape_){
        .n_places = nh_cuckoo_places(part),
        .n_tags = nh_cuckoo_tags(part),
        .ones = ones,
        .first = ones + (nh_cuckoo_is(part, NH_CUCKOO_WINDOWS) ? ramp : 0),
    };
    if (nh_cuckoo_is(part, NH_CUCKOO_NEAR))
        part->cached.cuckoo.run_shift = 64 - nh_cuckoo_run(part->n_cells / n);
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);
    part->cached.cuckoo.stride = t.step * width;
    part->cached.cuckoo.per_tag = t.n_marks * ones;
    part->cached.cuckoo.second = part->cached.cuckoo.first + t.n_per_side * ones;
    part->cached.cuckoo.tops = ones << (width - 1);
    part->kernel = nh_cuckoo_select(&t);
    part->has = kernel_of(part)->has;
}

uint64_t nh_cuckoo_last_word(const uint8_t *body, uint64_t size, uint64_t bit)
{
    const unsigned shift = bit % 8;
    uint64_t word = 0;

    for (unsigned i = 0; i < 9 && bit / 8 + i < size; i++) {
        const uint64_t byte = body[bit / 8 + i];
        if (8 * i < shift)
            word |= byte >> shift;
        else if (8 * i - shift < 64)
            word |= byte << (8 * i - shift);
    }
    return word;
}

static uint32_t cannot(const struct nh_part *part)
{
    return nh_cuckoo_is(part, NH_CUCKOO_SET) ? NINHO_CAN_REMOVE : 0;
}

static uint32_t tag_bits(const struct nh_part *part)
{
    return nh_cuckoo_width(part);
}

/* ---- Asking ------------------------------------------------------------------------ */

static bool has(const struct nh_part *part, uint64_t hash)
{
    return kernel_of(part)->has(part, hash);
}

static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe)
{
    kernel_of(part)->has_many(part, hashes, n, maybe);
}

static uint64_t copies(const struct nh_part *part, uint64_t hash)
{
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);
    const struct nh_cuckoo_key key = nh_cuckoo_key_of(&t, hash);
    uint64_t n;

    nh_cuckoo_find_copies(&t, &key, &n);
    return n;
}

static bool is_own_obstacle(const struct nh_part *part, uint64_t hash)
{
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);
    const struct nh_cuckoo_key key = nh_cuckoo_key_of(&t, hash);
    return nh_cuckoo_is_own_obstacle(&t, &key);
}

/* ---- Changing ---------------------------------------------------------------------- */

/* Both places of the key are full. */
static ninho_status search(const struct nh_live *live, struct nh_part *part,
                           const struct nh_cuckoo_key *key)
{
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);

    const ninho_status status = nh_cuckoo_search(live, &t, key);

    part->count += !status;
    return status;
}

/* Adds a key that is not there yet, or another copy of it. */
static ninho_status add_tag(const struct nh_live *live, struct nh_part *part,
                            uint64_t hash)
{
    struct nh_cuckoo_key key;
    const uint64_t slot = kernel_of(part)->put_hash(part, hash, &key);

    if (slot == NH_NO_SLOT)
        return search(live, part, &key);
    nh_tell_slots(live, NINHO_EVENT_TAG_PLACED, 0, slot, key.tag + 1);
    part->count++;
    return NINHO_OK;
}

static ninho_status add(const struct nh_live *live, struct nh_part *part, uint64_t hash)
{
    if (nh_cuckoo_is(part, NH_CUCKOO_SET) && has(part, hash))
        return NINHO_OK;
    return add_tag(live, part, hash);
}

/* Adds to a set one by one: what is there already must be seen first. */
static ninho_status add_many_to_set(const struct nh_live *live, struct nh_part *part,
                                    const uint64_t *hashes, size_t n, size_t *n_added)
{
    ninho_status status = NINHO_OK;

    for (*n_added = 0; *n_added < n && !status; *n_added += !status)
        status = add(live, part, hashes[*n_added]);
    return status;
}

static ninho_status add_many(const struct nh_live *live, struct nh_part *part,
                             const uint64_t *hashes, size_t n, size_t *n_added)
{
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);
    struct nh_cuckoo_key ring[NH_AHEAD];
    size_t at = 0;

    if (t.is_set)
        return add_many_to_set(live, part, hashes, n, n_added);
    for (size_t i = 0; i < n && i < NH_AHEAD; i++)
        ring[i] = nh_cuckoo_key_of(&t, hashes[i]);
    while (at < n) {
        const size_t stop = kernel_of(part)->put_many(part, hashes, n, at, ring);
        part->count += stop - at;
        at = stop;
        if (at == n)
            break;
        const ninho_status status = search(live, part, &ring[at % NH_AHEAD]);
        if (status) {
            *n_added = at;
            return status;
        }
        nh_cuckoo_look_ahead(&t, hashes, n, at++, ring);
    }
    *n_added = n;
    return NINHO_OK;
}

static ninho_status remove_one(const struct nh_live *live, struct nh_part *part,
                               uint64_t hash)
{
    struct nh_cuckoo_taken taken;

    if (nh_cuckoo_is(part, NH_CUCKOO_SET))
        return NINHO_ERR_UNSUPPORTED;
    if (live->sharing)
        nh_cuckoo_before_taking(live, part, hash);
    if (!kernel_of(part)->take(part, hash, live->observer ? &taken : NULL))
        return NINHO_ERR_NOT_FOUND;
    if (live->observer)
        nh_tell_slots(live, NINHO_EVENT_TAG_REMOVED, taken.slot, 0, taken.tag + 1);
    part->count -= part->count != 0;
    return NINHO_OK;
}

/* ---- The whole table --------------------------------------------------------------- */

static void tally(const struct nh_part *part, const struct nh_part *other,
                  struct nh_tally *tally)
{
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);
    uint64_t used = 0;

    (void)other; /* no estimates of unions: NINHO_CAN_ESTIMATE is not there */
    for (uint64_t slot = 0; slot < part->n_cells; slot++)
        used += nh_cuckoo_get(&t, slot) != 0;
    tally->used = tally->copies = used;
    tally->cells = part->n_cells;
    tally->fpr = nh_cuckoo_expected_fpr(part, (double)used);
    tally->n_keys = (double)used;
}

/* Whether a value can stand in this slot. */
static bool is_possible(const struct nh_cuckoo_shape *t, uint64_t slot, uint64_t value)
{
    if (!value)
        return true;
    if (value - 1 >= t->n_tags * t->n_marks)
        return false;
    if (!t->is_windows)
        return slot / t->n < t->n_places; /* under near there are spare buckets */
    const uint64_t offset = (value - 1) % t->n_offsets;
    return offset <= slot && slot - offset < t->n_places;
}

static ninho_status verify(const struct nh_part *part, ninho_error *error)
{
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);
    uint64_t used = 0;

    for (uint64_t slot = 0; slot < part->n_cells; slot++) {
        const uint64_t value = nh_cuckoo_get(&t, slot);
        used += value != 0;
        if (!is_possible(&t, slot, value))
            return nh_fail(error, NINHO_ERR_FORMAT,
                           "slot %" PRIu64 " holds no possible tag", slot);
    }
    if (nh_cuckoo_word(&t, part->n_cells * t.width))
        return nh_fail(error, NINHO_ERR_FORMAT, "bits are set behind the last slot");
    if (!part->is_bare && used != part->count)
        return nh_fail(error, NINHO_ERR_FORMAT,
                       "%" PRIu64 " slots are in use, not %" PRIu64 " as the header says",
                       used, part->count);
    return NINHO_OK;
}

static ninho_status add_key(const struct nh_live *live, struct nh_part *part,
                            const struct nh_cuckoo_key *key)
{
    const uint64_t slot = nh_cuckoo_put_any(part, key);

    if (slot == NH_NO_SLOT)
        return search(live, part, key);
    nh_tell_slots(live, NINHO_EVENT_TAG_PLACED, 0, slot, key->tag + 1);
    part->count++;
    return NINHO_OK;
}

static struct nh_cuckoo_key key_in(const struct nh_cuckoo_shape *t, uint64_t slot)
{
    const struct nh_cuckoo_tag tag = nh_cuckoo_tag_in(t, slot);
    const uint64_t other = nh_cuckoo_other_of(t, &tag);
    struct nh_cuckoo_key key = {{tag.place, other}, tag.tag, slot};

    if (tag.side) {
        key.place[0] = other;
        key.place[1] = tag.place;
    }
    return key;
}

static ninho_status add_all(const struct nh_live *live, struct nh_part *target,
                            const struct nh_part *source)
{
    const struct nh_cuckoo_shape from = nh_cuckoo_of(source), to = nh_cuckoo_of(target);
    ninho_status status = NINHO_OK;

    for (uint64_t slot = 0; !status && slot < source->n_cells; slot++) {
        if (!nh_cuckoo_get(&from, slot))
            continue;
        const struct nh_cuckoo_key key = key_in(&from, slot);
        if (!to.is_set || !nh_cuckoo_has(&to, &key))
            status = add_key(live, target, &key);
    }
    return status;
}

/* All tags of the source go into a copy of the target, which takes its place if they all
 * went in. Only then is the observer told: they are put in again, the same way. */
static ninho_status unite(const struct nh_live *live, struct nh_part *target,
                          const struct nh_part *source)
{
    const struct nh_stats stats = *live->stats;
    struct nh_part united = *target;
    struct nh_live quiet = *live;

    quiet.observer = NULL;
    if (!nh_cuckoo_is(target, NH_CUCKOO_SET) &&
        source->count > target->n_cells - target->count)
        return NINHO_ERR_FULL;
    if (!nh_live_table(live, target->size, &united.table))
        return NINHO_ERR_NOMEM;
    united.body = united.table.bytes;
    memcpy(united.body, target->body, (size_t)target->size);
    ninho_status status = add_all(&quiet, &united, source);
    if (!status && live->observer) {
        *live->stats = stats;
        united.count = target->count;
        memcpy(united.body, target->body, (size_t)target->size);
        status = add_all(live, &united, source);
    }
    if (status) {
        *live->stats = stats;
        nh_table_free(live->alloc, &united.table);
        return status;
    }
    nh_live_free_table(live, &target->table);
    *target = united;
    return NINHO_OK;
}

/* Keys of nobody's choice fill far more than half of the slots before one finds no room. */
static bool is_crowded(const struct nh_part *part, uint64_t n_more)
{
    const uint64_t half = part->n_cells / 2;

    return n_more <= half && part->count <= half - n_more;
}

/* Slots are visited in sweeps over the whole table, one of 64 neighbours each time, not the
 * same one everywhere, and the next one far from it: whenever the target is full, what was
 * taken and what is left are spread evenly. Otherwise some places of a target would be
 * crowded and others empty. */
#define SWEEPS      64
#define SWEEP_STEP  39 /* odd, and about 64 times the golden section */
#define FAILED_COST 64 /* slots' worth of work that a search without success takes */

/* Place 0 of a key in a table of 1/g as many places is a g-th of that here, and its tag is
 * the same: see nh_cuckoo_place_of. */
static struct nh_cuckoo_key coarser(const struct nh_cuckoo_shape *from, uint64_t slot,
                                    const struct nh_cuckoo_shape *to)
{
    struct nh_cuckoo_key key = key_in(from, slot);

    key.place[0] /= from->n_places / to->n_places;
    key.place[1] = nh_cuckoo_other(key.place[0], 0, key.tag, to->n_places, true);
    return key;
}

static uint64_t visited(uint64_t cursor, uint64_t n_rows)
{
    const uint64_t row = cursor % n_rows;
    const uint64_t turn = row * UINT64_C(0x9e3779b97f4a7c15) >> 58;

    return row * SWEEPS + (cursor / n_rows * SWEEP_STEP + turn) % SWEEPS;
}

static ninho_status move(const struct nh_live *live, struct nh_part *target,
                         struct nh_part *source, uint64_t *cursor, uint64_t n_slots,
                         ninho_error *error)
{
    const struct nh_cuckoo_shape from = nh_cuckoo_of(source), to = nh_cuckoo_of(target);
    const uint64_t n_rows = (source->n_cells + SWEEPS - 1) / SWEEPS;

    if (source->stored[0] != target->stored[0] || from.is_set || !from.is_offset ||
        from.n_places % to.n_places)
        return nh_fail(error, NINHO_ERR_MISMATCH,
                       "the target is not nested in the source");
    while (n_slots > 0 && target->count < target->capacity && *cursor < n_rows * SWEEPS) {
        const uint64_t slot = visited(*cursor, n_rows);
        uint64_t cost = 1;
        ++*cursor;
        if (slot < source->n_cells && nh_cuckoo_get(&from, slot)) {
            const struct nh_cuckoo_key key = coarser(&from, slot, &to);
            const ninho_status status = add_key(live, target, &key);
            if (status == NINHO_ERR_NOMEM) {
                --*cursor;
                return nh_fail(error, status, "not enough memory");
            }
            if (status) {
                cost = FAILED_COST;
            } else {
                nh_cuckoo_put(&from, slot, 0);
                source->count--;
            }
        }
        n_slots -= cost < n_slots ? cost : n_slots;
    }
    if (*cursor >= n_rows * SWEEPS)
        *cursor = UINT64_MAX;
    return NINHO_OK;
}

const struct nh_family nh_family_cuckoo = {
    .kind = NINHO_CUCKOO,
    .can = NINHO_CAN_ADD | NINHO_CAN_REMOVE | NINHO_CAN_UNION | NINHO_CAN_VIEW |
           NINHO_CAN_BARE,
    .takes = NH_TAKES_TAG_BITS | NH_TAKES_CUCKOO | NH_TAKES_SLOTS,
    .counts_itself = true,
    .can_be_base = true,
    .name = "cuckoo",
    .summary =
        "short tags in one of two places: removes, and smaller than bloom below 1 %",
    .plan = nh_cuckoo_plan,
    .spec_back = nh_cuckoo_spec_back,
    .expected_fpr = nh_cuckoo_expected_fpr,
    .note = nh_cuckoo_note,
    .fits = nh_cuckoo_fits,
    .attach = attach,
    .cannot = cannot,
    .tag_bits = tag_bits,
    .has = has,
    .beside = nh_cuckoo_beside,
    .has_many = has_many,
    .copies = copies,
    .tally = tally,
    .verify = verify,
    .add = add,
    .add_many = add_many,
    .remove = remove_one,
    .unite = unite,
    .move = move,
    .bare_tail = nh_cuckoo_bare_tail,
    .bare_fits = nh_cuckoo_bare_fits,
    .nest = nh_cuckoo_nest,
    .is_nested = nh_cuckoo_is_nested,
    .is_own_obstacle = is_own_obstacle,
    .is_crowded = is_crowded,
};
