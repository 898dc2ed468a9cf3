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
#include <math.h>

#include "base/status.h"

#define MAX_BUCKET     255
#define MIN_WINDOW     2
#define MAX_WINDOW     4
#define MIN_WIDTH      8 /* 4 in buckets under xor: see decisions.md */
#define MIN_XOR        4
#define MAX_WIDTH      32
#define MAX_KICKS      65535
#define MAX_BUDGET     1000000
#define MAX_SLOTS      (UINT64_C(1) << 50)
#define DEFAULT_KICKS  500
#define DEFAULT_BUDGET 5000
#define EARLY_SLOTS    (UINT64_C(1) << 17)

/* ---- Shape ------------------------------------------------------------------------- */

/* words[0]: bits 0-7 width, 8-15 slots of a place, 16 windows, 17 offset, 18 set, 19 random,
 * 20 walk, 24-31 bits that nested growth added to the tags; the rest 0.
 * words[1]: the limit of a search, kicks or nodes. */
enum {
    IS_WINDOWS = 1 << 16,
    IS_OFFSET = 1 << 17,
    IS_SET = 1 << 18,
    IS_RANDOM = 1 << 19,
    IS_WALK = 1 << 20,
    WIDENED_BY_ONE = 1 << 24 | 1, /* one bit more, in both places that say so */
    FLAGS = IS_WINDOWS | IS_OFFSET | IS_SET | IS_RANDOM | IS_WALK,
};

static unsigned width_of(const struct nh_part *part)
{
    return part->words[0] & 0xff;
}

static unsigned n_of(const struct nh_part *part)
{
    return part->words[0] >> 8 & 0xff;
}

static unsigned widened_of(const struct nh_part *part)
{
    return part->words[0] >> 24 & 0xff;
}

static bool is(const struct nh_part *part, uint64_t flag)
{
    return part->words[0] & flag;
}

static unsigned n_marks_of(const struct nh_part *part)
{
    return (is(part, IS_WINDOWS) ? n_of(part) : 1) * (is(part, IS_OFFSET) ? 2 : 1);
}

static uint64_t n_places_of(const struct nh_part *part)
{
    return is(part, IS_WINDOWS) ? part->n_cells - (n_of(part) - 1)
                                : part->n_cells / n_of(part);
}

static uint64_t n_tags_of(const struct nh_part *part)
{
    return nh_cuckoo_n_tags(width_of(part), n_marks_of(part), widened_of(part));
}

static uint64_t bytes_for(uint64_t n_slots, unsigned width)
{
    return (n_slots * width + 7) / 8;
}

/* The limit of a search. In a small table bfs comes to the same tags again long before the
 * budget is spent; no need to keep memory for that. */
static uint32_t limit_in(const struct nh_part *part)
{
    const uint64_t limit = part->words[1], most = 8 * part->n_cells;
    return (uint32_t)(limit > most && !is(part, IS_WALK) ? most : limit);
}

struct nh_cuckoo nh_cuckoo_of(const struct nh_part *part)
{
    struct nh_cuckoo t = nh_cuckoo_shape(part, width_of(part), n_of(part),
                                         is(part, IS_WINDOWS), is(part, IS_OFFSET));

    t.is_set = is(part, IS_SET);
    t.is_random = is(part, IS_RANDOM);
    t.is_walk = is(part, IS_WALK);
    t.limit = limit_in(part);
    return t;
}

static const struct nh_cuckoo_kernel *kernel_of(const struct nh_part *part)
{
    return part->kernel;
}

static void attach(struct nh_part *part)
{
    uint64_t ones = 0, ramp = 0;

    for (unsigned i = n_of(part) * width_of(part) > 64 ? 0 : n_of(part); i-- > 0;) {
        ones = ones << (width_of(part) & 63) | 1;
        ramp = ramp << (width_of(part) & 63) | i;
    }
    part->derived[0] = n_places_of(part);
    part->derived[1] = n_tags_of(part);
    part->derived[2] = ones;
    part->derived[3] = is(part, IS_WINDOWS) ? ramp : 0;
    const struct nh_cuckoo t = nh_cuckoo_of(part);
    part->kernel = nh_cuckoo_select(&t);
    part->has = kernel_of(part)->has;
}

uint64_t nh_cuckoo_last_word(const uint8_t *body, uint64_t size, uint64_t bit)
{
    const unsigned shift = bit % 8;
    uint64_t word = 0;

    for (unsigned i = 0; i < 9 && bit / 8 + i < size; i++) {
        const uint64_t byte = body[bit / 8 + i];
        word |= 8 * i >= shift ? (i < 8 || shift ? byte << (8 * i - shift) % 64 : 0)
                               : byte >> shift;
    }
    return word;
}

/* ---- How full a table may be ------------------------------------------------------- */

/* The most keys for a table: `full` 1024ths of its slots, and `early` 1024ths more of the
 * first 2^17 (small tables fill better), less `spare` and `roots` quarters of the root of
 * its slots, which is how far luck strays. Measured: `ninho bench cuckoo --fill` prints at
 * which load tables of many sizes and seeds fail first; these numbers stay below the worst
 * of them, and five standard deviations below the mean. */
struct fill {
    uint16_t full;
    uint8_t early, spare, roots;
};

static const struct fill *fill_of(uint64_t words)
{
    static const struct fill windows[2][MAX_WINDOW - MIN_WINDOW + 1] = {
        {{964, 0, 12, 3}, {1001, 0, 12, 1}, {1009, 3, 10, 1}}, /* bfs */
        {{927, 0, 12, 4}, {978, 0, 12, 4}, {993, 0, 12, 4}},   /* walk */
    };
    /* clang-format off */
    static const struct fill buckets[2][9] = { /* 1 .. 8, and more */
        {{400, 0, 16, 32}, {896, 0, 16, 8}, {967, 0, 16, 4}, {991, 0, 12, 4}, {1003, 0, 12, 4},
         {1010, 0, 12, 4}, {1014, 0, 12, 4}, {1016, 0, 12, 4}, {1018, 0, 12, 4}},
        {{400, 0, 16, 32}, {860, 0, 16, 12}, {937, 0, 16, 8}, {972, 0, 12, 4}, {980, 0, 12, 4},
         {990, 0, 12, 4}, {998, 0, 12, 4}, {1003, 0, 12, 4}, {1006, 0, 12, 4}},
    };
    /* clang-format on */
    const unsigned n = words >> 8 & 0xff, is_walk = (words & IS_WALK) != 0;

    if (words & IS_WINDOWS)
        return &windows[is_walk][n - MIN_WINDOW];
    return &buckets[is_walk][n < 9 ? n - 1 : 8];
}

static uint64_t root_of(uint64_t n)
{
    uint64_t root = 0;

    for (uint64_t bit = UINT64_C(1) << 31; bit; bit /= 2)
        if ((root + bit) * (root + bit) <= n)
            root += bit;
    return root;
}

/* How many keys a table of so many slots takes without a failed add, but for chance that
 * is not to be feared. At least one. */
static uint64_t keys_for(uint64_t words, uint64_t n_slots)
{
    const struct fill *fill = fill_of(words);
    const uint64_t first = n_slots < EARLY_SLOTS ? n_slots : EARLY_SLOTS;
    const uint64_t keys = n_slots / 1024 * fill->full +
                          n_slots % 1024 * fill->full / 1024 + first * fill->early / 1024;
    const uint64_t slack = fill->spare + fill->roots * root_of(n_slots) / 4;

    return keys > slack ? keys - slack : 1;
}

/* The least number of slots for that many keys. */
static uint64_t slots_for(uint64_t words, uint64_t n_keys)
{
    uint64_t low = n_keys, high = 8 * n_keys + 4096; /* buckets of 1: 3 in 8 at best */

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (keys_for(words, middle) >= n_keys)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static uint64_t power_from(uint64_t n)
{
    uint64_t power = 2;

    while (power < n)
        power *= 2;
    return power;
}

/* The least table of that shape. */
static uint64_t slots_of_shape(uint64_t words, uint64_t n_keys)
{
    const uint64_t n = words >> 8 & 0xff;
    const uint64_t n_slots = slots_for(words, n_keys);

    if (words & IS_WINDOWS) {
        const uint64_t n_places = n_slots > n - 1 ? n_slots - (n - 1) : 1;
        return (words & IS_OFFSET ? n_places : power_from(n_places)) + n - 1;
    }
    const uint64_t n_places = n_slots / n + (n_slots % n != 0);
    return n * (words & IS_OFFSET ? n_places : power_from(n_places));
}

/* ---- Geometry ---------------------------------------------------------------------- */

/* Two keys have equal tags in equal places with probability 1 in this many. Under offset
 * place 0 must be the same, under xor it may be either. */
static double n_identities(const struct nh_part *part)
{
    return (double)n_places_of(part) * (double)n_tags_of(part) /
           (is(part, IS_OFFSET) ? 1 : 2);
}

static double expected_fpr(const struct nh_part *part, double n_keys)
{
    const double n = n_identities(part);
    return n > 1 ? -expm1(n_keys * log1p(-1 / n)) : n_keys > 0;
}

/* Whether the tags are wide enough. The billionth keeps two machines' last digits from
 * differing in the result. */
static bool keeps(const struct nh_part *part, uint64_t n_keys, double fpr)
{
    return (double)n_keys <= fpr * n_identities(part) * (1 + 1e-9);
}

static unsigned least_width(uint64_t words)
{
    return words & (IS_WINDOWS | IS_OFFSET) ? MIN_WIDTH : MIN_XOR;
}

/* Gives the part the narrowest tags that keep the promise; false if none do. */
static bool choose_width(struct nh_part *part, double fpr)
{
    for (unsigned width = least_width(part->words[0]); width <= MAX_WIDTH; width++) {
        part->words[0] = (part->words[0] & ~UINT64_C(0xff)) | width;
        if (keeps(part, part->capacity, fpr))
            return true;
    }
    return false;
}

static ninho_status check_range(const char *what, uint64_t value, uint64_t min,
                                uint64_t max, ninho_error *error)
{
    if (value >= min && value <= max)
        return NINHO_OK;
    return nh_fail(error, NINHO_ERR_ARG,
                   "%s of a cuckoo filter must be %" PRIu64 " to %" PRIu64
                   ", not %" PRIu64,
                   what, min, max, value);
}

/* The enums and numbers that are given are known and in their ranges. */
static ninho_status check_choices(const ninho_spec *spec, ninho_error *error)
{
    const struct {
        const char *name;
        const char *values;
        unsigned value, last;
    } choices[] = {
        {"slots", "buckets or windows", (unsigned)spec->slots, NINHO_WINDOWS},
        {"choice", "random or emptier", (unsigned)spec->choice, NINHO_CHOICE_EMPTIER},
        {"search", "walk or bfs", (unsigned)spec->search, NINHO_SEARCH_BFS},
        {"pairing", "xor or offset", (unsigned)spec->pairing, NINHO_PAIRING_OFFSET},
        {"semantics", "multiset or set", (unsigned)spec->semantics, NINHO_SET},
    };

    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (choices[i].value > choices[i].last)
            return nh_fail(error, NINHO_ERR_ARG, "%s must be %s", choices[i].name,
                           choices[i].values);
    if (spec->max_kicks && spec->search != NINHO_SEARCH_WALK)
        return nh_fail(error, NINHO_ERR_ARG, "max_kicks is for search walk, not for bfs");
    if (spec->budget && spec->search == NINHO_SEARCH_WALK)
        return nh_fail(error, NINHO_ERR_ARG, "budget is for search bfs, not for walk");
    ninho_status status = NINHO_OK;
    if (spec->max_kicks)
        status = check_range("max_kicks", spec->max_kicks, 1, MAX_KICKS, error);
    if (!status && spec->budget)
        status = check_range("budget", spec->budget, 1, MAX_BUDGET, error);
    if (!status && spec->place_slots && spec->slots == NINHO_BUCKETS)
        status = check_range("bucket", spec->place_slots, 1, MAX_BUCKET, error);
    if (!status && spec->place_slots && spec->slots != NINHO_BUCKETS)
        status = check_range("window", spec->place_slots, MIN_WINDOW, MAX_WINDOW, error);
    return status;
}

/* The shape of a spec, but for the width and, where it is to be chosen, n. */
static uint64_t shape_of(const ninho_spec *spec)
{
    return (spec->slots == NINHO_BUCKETS ? 0U : IS_WINDOWS) |
           (spec->pairing == NINHO_PAIRING_XOR ? 0U : IS_OFFSET) |
           (spec->semantics == NINHO_SET ? IS_SET : 0U) |
           (spec->choice == NINHO_CHOICE_RANDOM ? IS_RANDOM : 0U) |
           (spec->search == NINHO_SEARCH_WALK ? IS_WALK : 0U);
}

static uint64_t limit_of(const ninho_spec *spec)
{
    if (spec->search == NINHO_SEARCH_WALK)
        return spec->max_kicks ? spec->max_kicks : DEFAULT_KICKS;
    return spec->budget ? spec->budget : DEFAULT_BUDGET;
}

/* A table of a given number of slots. */
static ninho_status size_by_hand(const ninho_spec *spec, struct nh_part *part,
                                 ninho_error *error)
{
    const unsigned n = n_of(part);
    const bool is_windows = is(part, IS_WINDOWS);

    if (spec->n_slots < n || spec->n_slots > MAX_SLOTS || spec->n_slots < spec->capacity)
        return nh_fail(error, NINHO_ERR_ARG,
                       "n_slots must be from the capacity, %" PRIu64
                       ", and a place, %u, to 2^50, not %" PRIu64,
                       spec->capacity, n, spec->n_slots);
    if (!is_windows && spec->n_slots % n)
        return nh_fail(error, NINHO_ERR_ARG,
                       "n_slots must be a multiple of the bucket, %u, not %" PRIu64, n,
                       spec->n_slots);
    part->n_cells = spec->n_slots;
    const uint64_t n_places = n_places_of(part);
    if (!is(part, IS_OFFSET) && power_from(n_places) != n_places)
        return nh_fail(error, NINHO_ERR_ARG,
                       "xor pairing wants a power of two of places, from 2 on, not "
                       "%" PRIu64 ": use offset",
                       n_places);
    return NINHO_OK;
}

/* The table for places of n slots. */
static ninho_status plan_shape(const ninho_spec *spec, unsigned n, struct nh_part *part,
                               ninho_error *error)
{
    ninho_status status = NINHO_OK;

    part->words[0] = shape_of(spec) | (uint64_t)n << 8;
    part->words[1] = limit_of(spec);
    if (spec->n_slots)
        status = size_by_hand(spec, part, error);
    else
        part->n_cells = slots_of_shape(part->words[0], spec->capacity);
    if (status)
        return status;
    if (part->n_cells > MAX_SLOTS)
        return nh_fail(error, NINHO_ERR_NOMEM, "needs more than 2^50 slots");
    if (spec->tag_bits) {
        status = check_range("tag_bits", spec->tag_bits, least_width(part->words[0]),
                             MAX_WIDTH, error);
        part->words[0] |= status ? 0 : spec->tag_bits;
    } else if (!choose_width(part, spec->fpr)) {
        return nh_fail(error, NINHO_ERR_ARG,
                       "fpr of a cuckoo filter must be at least %.3g for %" PRIu64
                       " keys, not %g: tags have at most %d bits",
                       expected_fpr(part, (double)part->capacity), part->capacity,
                       spec->fpr, MAX_WIDTH);
    }
    part->size = bytes_for(part->n_cells, width_of(part));
    return status;
}

static ninho_status plan(const ninho_spec *spec, struct nh_part *part, ninho_error *error)
{
    struct nh_part best = *part, next = *part;

    ninho_status status = check_choices(spec, error);
    if (status)
        return status;
    if (spec->place_slots || spec->slots == NINHO_BUCKETS)
        return plan_shape(spec, spec->place_slots ? spec->place_slots : 4, part, error);
    /* A wider window takes more keys, and faster, and needs more tag bits for the more slots
     * that are compared. Tag bits are whole: which is best depends on the fpr. A smaller
     * window must save one bit in 32 to be worth it. */
    status = plan_shape(spec, MAX_WINDOW, &best, error);
    for (unsigned n = MAX_WINDOW - 1; !spec->tag_bits && n >= MIN_WINDOW; n--)
        if (!plan_shape(spec, n, &next, NULL) &&
            (status || next.size + next.size / 32 < best.size)) {
            best = next;
            status = NINHO_OK;
        }
    if (!status)
        *part = best;
    return status;
}

static void spec_back(const struct nh_part *part, ninho_spec *spec)
{
    const bool is_walk = is(part, IS_WALK);

    spec->tag_bits = width_of(part);
    spec->slots = is(part, IS_WINDOWS) ? NINHO_WINDOWS : NINHO_BUCKETS;
    spec->place_slots = n_of(part);
    spec->choice = is(part, IS_RANDOM) ? NINHO_CHOICE_RANDOM : NINHO_CHOICE_EMPTIER;
    spec->search = is_walk ? NINHO_SEARCH_WALK : NINHO_SEARCH_BFS;
    spec->pairing = is(part, IS_OFFSET) ? NINHO_PAIRING_OFFSET : NINHO_PAIRING_XOR;
    spec->max_kicks = is_walk ? (uint32_t)part->words[1] : 0;
    spec->budget = is_walk ? 0 : (uint32_t)part->words[1];
    spec->semantics = is(part, IS_SET) ? NINHO_SET : NINHO_MULTISET;
    spec->n_slots = part->n_cells;
}

static bool fits(const struct nh_part *part)
{
    const unsigned width = width_of(part), n = n_of(part);
    const uint64_t flags = part->words[0] >> 16 & 0xff, limit = part->words[1];

    if (part->words[0] >> 32 || flags & ~(uint64_t)(FLAGS >> 16) || part->n_hashes)
        return false;
    if (n < (is(part, IS_WINDOWS) ? MIN_WINDOW : 1) ||
        (is(part, IS_WINDOWS) && n > MAX_WINDOW))
        return false;
    if (width > MAX_WIDTH || widened_of(part) > width ||
        width - widened_of(part) < least_width(part->words[0]))
        return false;
    if (limit < 1 || limit > (is(part, IS_WALK) ? MAX_KICKS : MAX_BUDGET))
        return false;
    if (part->n_cells < n || part->n_cells > MAX_SLOTS ||
        (!is(part, IS_WINDOWS) && part->n_cells % n))
        return false;
    if (!is(part, IS_OFFSET) && power_from(n_places_of(part)) != n_places_of(part))
        return false;
    return part->size == bytes_for(part->n_cells, width) &&
           part->capacity <= part->n_cells && part->count <= part->n_cells;
}

static uint32_t cannot(const struct nh_part *part)
{
    return is(part, IS_SET) ? NINHO_CAN_REMOVE : 0;
}

static size_t scratch_size(const struct nh_part *part)
{
    return nh_cuckoo_scratch_size(is(part, IS_WALK), n_of(part), limit_in(part));
}

static uint32_t tag_bits(const struct nh_part *part)
{
    return width_of(part);
}

static const char *note(const struct nh_part *part, double fpr)
{
    const uint64_t needed = slots_for(part->words[0], part->capacity);

    if (!is(part, IS_OFFSET) && part->n_cells > needed + needed / 10)
        return "xor pairing rounds up to a power of two; offset needs fewer slots";
    if (2 * expected_fpr(part, (double)part->capacity) < fpr)
        return "tags have 8 bits at least: the fpr is better than asked for";
    return NULL;
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
    const struct nh_cuckoo t = nh_cuckoo_of(part);
    const struct nh_cuckoo_key key = nh_cuckoo_key_of(&t, hash);
    uint64_t n = 0;

    for (unsigned side = 0; side < 2; side++) {
        const uint64_t first = nh_cuckoo_first_slot(&t, key.place[side]);
        const uint64_t value = nh_cuckoo_value(&t, key.tag, side);
        for (unsigned i = 0; i < t.n; i++)
            n += nh_cuckoo_get(&t, first + i) == value + (t.is_windows ? i : 0);
    }
    return n;
}

/* ---- Changing ---------------------------------------------------------------------- */

/* Both places of the key are full. */
static ninho_status search(const struct nh_live *live, struct nh_part *part,
                           const struct nh_cuckoo_key *key)
{
    const struct nh_cuckoo t = nh_cuckoo_of(part);

    if (!nh_cuckoo_search(live, &t, key))
        return NINHO_ERR_FULL;
    part->count++;
    return NINHO_OK;
}

/* Adds a key that is not there yet, or another copy of it. */
static ninho_status add_tag(const struct nh_live *live, struct nh_part *part,
                            uint64_t hash)
{
    struct nh_cuckoo_key key;
    const uint64_t slot = kernel_of(part)->put_hash(part, hash, &key);

    if (slot == NH_NO_SLOT)
        return search(live, part, &key);
    nh_tell(live, NINHO_EVENT_TAG_PLACED, 0, slot, key.tag + 1);
    part->count++;
    return NINHO_OK;
}

static ninho_status add(const struct nh_live *live, struct nh_part *part, uint64_t hash)
{
    if (is(part, IS_SET) && has(part, hash))
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
    const struct nh_cuckoo t = nh_cuckoo_of(part);
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
    const struct nh_cuckoo t = nh_cuckoo_of(part);
    const struct nh_cuckoo_key key = nh_cuckoo_key_of(&t, hash);

    for (unsigned side = 0; side < 2; side++) {
        const uint64_t first = nh_cuckoo_first_slot(&t, key.place[side]);
        const uint64_t value = nh_cuckoo_value(&t, key.tag, side);
        for (unsigned i = 0; i < t.n; i++) {
            if (nh_cuckoo_get(&t, first + i) != value + (t.is_windows ? i : 0))
                continue;
            nh_cuckoo_put(&t, first + i, 0);
            nh_tell(live, NINHO_EVENT_TAG_REMOVED, first + i, 0, key.tag + 1);
            part->count -= part->count != 0;
            return NINHO_OK;
        }
    }
    return NINHO_ERR_NOT_FOUND;
}

/* ---- The whole table --------------------------------------------------------------- */

static void tally(const struct nh_part *part, const struct nh_part *other,
                  struct nh_tally *tally)
{
    const struct nh_cuckoo t = nh_cuckoo_of(part);
    uint64_t used = 0;

    (void)other; /* no estimates of unions: NINHO_CAN_ESTIMATE is not there */
    for (uint64_t slot = 0; slot < part->n_cells; slot++)
        used += nh_cuckoo_get(&t, slot) != 0;
    tally->used = tally->copies = used;
    tally->cells = part->n_cells;
    tally->fpr = expected_fpr(part, (double)used);
    tally->n_keys = (double)used;
}

/* Whether a value can stand in this slot. */
static bool is_possible(const struct nh_cuckoo *t, uint64_t slot, uint64_t value)
{
    if (!value)
        return true;
    if (value - 1 >= t->n_tags * t->n_marks)
        return false;
    if (!t->is_windows)
        return true;
    const uint64_t offset = (value - 1) % t->n_offsets;
    return offset <= slot && slot - offset < t->n_places;
}

static ninho_status verify(const struct nh_part *part, ninho_error *error)
{
    const struct nh_cuckoo t = nh_cuckoo_of(part);
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
    nh_tell(live, NINHO_EVENT_TAG_PLACED, 0, slot, key->tag + 1);
    part->count++;
    return NINHO_OK;
}

static struct nh_cuckoo_key key_in(const struct nh_cuckoo *t, uint64_t slot)
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
    const struct nh_cuckoo from = nh_cuckoo_of(source), to = nh_cuckoo_of(target);
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
    ninho_status status = verify(source, NULL);
    if (status)
        return status;
    if (!is(target, IS_SET) && source->count > target->n_cells - target->count)
        return NINHO_ERR_FULL;
    if (!nh_live_table(live, target->size, &united.table))
        return NINHO_ERR_NOMEM;
    united.body = united.table.bytes;
    memcpy(united.body, target->body, (size_t)target->size);
    status = add_all(&quiet, &united, source);
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
    nh_table_free(live->alloc, &target->table);
    *target = united;
    return NINHO_OK;
}

/* ---- Nested growth ----------------------------------------------------------------- */

/* With g times as many places, and tags that only gain bits, keys that agree in a table
 * agree in all tables before it: see scalable.c. */
static bool nested_slots(const struct nh_part *before, uint32_t growth, uint64_t *n_slots)
{
    const unsigned n = n_of(before);
    const uint64_t n_places = n_places_of(before);

    if (!is(before, IS_OFFSET) || n_places > MAX_SLOTS / n / growth)
        return false;
    *n_slots = is(before, IS_WINDOWS) ? growth * n_places + n - 1 : growth * n_places * n;
    return true;
}

static bool nest(const struct nh_part *before, uint32_t growth, double fpr,
                 struct nh_part *part)
{
    *part = (struct nh_part){.words = {before->words[0], before->words[1]}};
    if (!nested_slots(before, growth, &part->n_cells))
        return false;
    part->capacity = keys_for(part->words[0], part->n_cells);
    while (!keeps(part, part->capacity, fpr)) {
        if (width_of(part) == MAX_WIDTH)
            return false;
        part->words[0] += WIDENED_BY_ONE;
    }
    part->size = bytes_for(part->n_cells, width_of(part));
    return true;
}

static bool is_nested(const struct nh_part *before, uint32_t growth,
                      const struct nh_part *part)
{
    if (!before)
        return !widened_of(part);
    const uint64_t n_bits = (uint64_t)widened_of(part) - widened_of(before);
    uint64_t n_slots;

    return widened_of(part) >= widened_of(before) &&
           part->words[0] == before->words[0] + n_bits * WIDENED_BY_ONE &&
           part->words[1] == before->words[1] && nested_slots(before, growth, &n_slots) &&
           part->n_cells == n_slots;
}

/* ---- Bare bytes -------------------------------------------------------------------- */

static unsigned bare_tail(const struct nh_part *part, uint8_t tail[2])
{
    tail[0] = (uint8_t)((width_of(part) - 1) | (is(part, IS_WINDOWS) ? 32U : 0) |
                        (is(part, IS_OFFSET) ? 64U : 0) | (is(part, IS_SET) ? 128U : 0));
    tail[1] = (uint8_t)n_of(part);
    return 2;
}

/* As many slots as the bytes can hold; fewer would take fewer bytes. (Tags of less than 8
 * bits go with xor, and with it the next smaller table is half as large.) */
static bool bare_fits(const uint8_t *bytes, size_t size, struct nh_part *part)
{
    if (size < 3 || !bytes[size - 1])
        return false;
    const unsigned marks = bytes[size - 2], n = bytes[size - 1], width = (marks & 31) + 1;
    part->size = size - 2;
    part->words[0] = width | n << 8 | (marks & 32 ? IS_WINDOWS : 0) |
                     (marks & 64 ? IS_OFFSET : 0) | (marks & 128 ? IS_SET : 0);
    part->words[1] = DEFAULT_BUDGET;
    if (part->size > MAX_SLOTS || width < least_width(part->words[0]))
        return false;
    if (is(part, IS_WINDOWS) && (n < MIN_WINDOW || n > MAX_WINDOW))
        return false;
    const uint64_t n_slots = 8 * part->size / width;
    if (n_slots < n)
        return false;
    uint64_t n_places = is(part, IS_WINDOWS) ? n_slots - (n - 1) : n_slots / n;
    if (!is(part, IS_OFFSET) && power_from(n_places) != n_places)
        n_places = power_from(n_places) / 2;
    part->n_cells = is(part, IS_WINDOWS) ? n_places + n - 1 : n_places * n;
    if (!part->capacity)
        part->capacity = keys_for(part->words[0], part->n_cells);
    return true;
}

const struct nh_family nh_cuckoo = {
    .kind = NINHO_CUCKOO,
    .can = NINHO_CAN_ADD | NINHO_CAN_REMOVE | NINHO_CAN_UNION | NINHO_CAN_VIEW |
           NINHO_CAN_BARE,
    .takes = NH_TAKES_TAG_BITS | NH_TAKES_PLACES | NH_TAKES_SLOTS,
    .counts_itself = true,
    .name = "cuckoo",
    .summary = "short tags in one of two places: removes, and smaller than bloom below 1 %",
    .plan = plan,
    .spec_back = spec_back,
    .expected_fpr = expected_fpr,
    .note = note,
    .fits = fits,
    .attach = attach,
    .cannot = cannot,
    .scratch_size = scratch_size,
    .tag_bits = tag_bits,
    .has = has,
    .has_many = has_many,
    .copies = copies,
    .tally = tally,
    .verify = verify,
    .add = add,
    .add_many = add_many,
    .remove = remove_one,
    .unite = unite,
    .bare_tail = bare_tail,
    .bare_fits = bare_fits,
    .nest = nest,
    .is_nested = is_nested,
};
