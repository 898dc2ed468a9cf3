/* SPDX-License-Identifier: MIT */
/* The geometry of cuckoo filters: from a spec to a table, from a table's numbers in a file
 * to the assurance that they are possible, and how full a table may be. */
#include <inttypes.h>
#include <math.h>

#include "base/status.h"
#include "filter/cuckoo.h"

#define MAX_BUCKET 255
#define MIN_WINDOW 2
#define MAX_WINDOW 4
#define MIN_WIDTH  8 /* 4 in buckets under xor: see decisions.md */
#define MIN_XOR    4
#define NEAR_SLOTS \
    4 /* of a place under near pairing, and its narrowest and widest slots */
#define MIN_NEAR       8
#define MAX_NEAR       16
#define MAX_WIDTH      32
#define MAX_KICKS      65535
#define MAX_BUDGET     1000000
#define MAX_SLOTS      (UINT64_C(1) << 50)
#define DEFAULT_KICKS  500
#define DEFAULT_BUDGET 5000
#define SMALL          50000
#define EARLY_SLOTS    (UINT64_C(1) << 17)

static uint64_t bytes_for(uint64_t n_slots, unsigned width)
{
    return (n_slots * width + 7) / 8;
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
    const unsigned n = words >> 8 & 0xff, is_walk = (words & NH_CUCKOO_WALK) != 0;

    if (words & NH_CUCKOO_WINDOWS)
        return &windows[is_walk][n - MIN_WINDOW];
    return &buckets[is_walk][n < 9 ? n - 1 : 8];
}

/* Of a run under near pairing: it has as many keys as chance gives it, and room must be found within
 * it. */
static const struct fill fill_of_run = {991, 0, 12, 18};

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
static uint64_t keys_that_fill(const struct fill *fill, uint64_t n_slots)
{
    const uint64_t first = n_slots < EARLY_SLOTS ? n_slots : EARLY_SLOTS;
    const uint64_t keys = n_slots / 1024 * fill->full +
                          n_slots % 1024 * fill->full / 1024 + first * fill->early / 1024;
    const uint64_t slack = fill->spare + fill->roots * root_of(n_slots) / 4;

    return keys > slack ? keys - slack : 1;
}

static uint64_t keys_for(uint64_t words, uint64_t n_slots)
{
    if (!(words & NH_CUCKOO_NEAR))
        return keys_that_fill(fill_of(words), n_slots);
    const unsigned run = nh_cuckoo_run(n_slots / NEAR_SLOTS);
    const uint64_t n_runs = n_slots / NEAR_SLOTS >> run;
    return n_runs * keys_that_fill(&fill_of_run, (uint64_t)NEAR_SLOTS << run);
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

    if (words &
        NH_CUCKOO_NEAR) /* whole runs, and a spare bucket: words end in the table */
        return n_slots + (n - n_slots % n) % n + n;
    if (words & NH_CUCKOO_WINDOWS) {
        const uint64_t n_places = n_slots > n - 1 ? n_slots - (n - 1) : 1;
        return (words & NH_CUCKOO_OFFSET ? n_places : power_from(n_places)) + n - 1;
    }
    const uint64_t n_places = n_slots / n + (n_slots % n != 0);
    return n * (words & NH_CUCKOO_OFFSET ? n_places : power_from(n_places));
}

/* ---- Geometry ---------------------------------------------------------------------- */

/* Two keys have equal tags in equal places with probability 1 in this many. Under offset
 * place 0 must be the same, under xor it may be either. */
static double n_identities(const struct nh_part *part)
{
    return (double)nh_cuckoo_places(part) * (double)nh_cuckoo_tags(part) /
           (nh_cuckoo_is(part, NH_CUCKOO_OFFSET) ? 1 : 2);
}

double nh_cuckoo_expected_fpr(const struct nh_part *part, double n_keys)
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
    if (words & NH_CUCKOO_NEAR)
        return MIN_NEAR;
    return words & (NH_CUCKOO_WINDOWS | NH_CUCKOO_OFFSET) ? MIN_WIDTH : MIN_XOR;
}

static unsigned most_width(uint64_t words)
{
    return words & NH_CUCKOO_NEAR ? MAX_NEAR : MAX_WIDTH;
}

/* Under near buckets are whole bytes. */
static unsigned width_step(uint64_t words)
{
    return words & NH_CUCKOO_NEAR ? 2 : 1;
}

/* How many times, on average, more keys than two places have slots for agree in tag and
 * places: no search could help those. n L^s / (s + 1)!, with L keys for each possible tag
 * and pair of places and s slots in a pair. */
static double n_crowds(const struct nh_part *part, uint64_t n_keys)
{
    const double per_identity = (double)n_keys / n_identities(part);
    double crowds = (double)n_keys;

    for (unsigned i = 0; i < 2 * nh_cuckoo_n(part) && crowds > 1e-9; i++)
        crowds *= per_identity / (i + 2);
    return crowds;
}

/* Buckets of one or two slots need longer tags the more keys there are. */
static bool is_wide_enough(const struct nh_part *part, double fpr)
{
    return keeps(part, part->capacity, fpr) && n_crowds(part, part->capacity) < 1e-3;
}

/* Gives the part the narrowest tags that keep the promise and do not crowd; false if none
 * do. */
static bool choose_width(struct nh_part *part, double fpr)
{
    const uint64_t words = part->stored[0];

    for (unsigned width = least_width(words); width <= most_width(words);
         width += width_step(words)) {
        part->stored[0] = (part->stored[0] & ~UINT64_C(0xff)) | width;
        if (is_wide_enough(part, fpr))
            return true;
    }
    return false;
}

/* `where` says for which filters the range is: "", or " in windows". */
static ninho_status check_range(ninho_field field, const char *where, uint32_t value,
                                unsigned min, unsigned max, ninho_error *error)
{
    if (value >= min && value <= max)
        return NINHO_OK;
    return nh_fail_field(error, field, min, max,
                         "of a cuckoo filter%s must be %u to %u, not %" PRIu32, where,
                         min, max, value);
}

static bool is_near(const ninho_spec *spec)
{
    return spec->pairing == NINHO_PAIRING_NEAR;
}

/* The enums and numbers that are given are known and in their ranges. */
static ninho_status check_choices(const ninho_spec *spec, ninho_error *error)
{
    const struct {
        ninho_field field;
        const char *values;
        unsigned value, last;
    } choices[] = {
        {NINHO_FIELD_SLOTS, "buckets or windows", (unsigned)spec->slots, NINHO_WINDOWS},
        {NINHO_FIELD_CHOICE, "random or emptier", (unsigned)spec->choice,
         NINHO_CHOICE_EMPTIER},
        {NINHO_FIELD_SEARCH, "walk or bfs", (unsigned)spec->search, NINHO_SEARCH_BFS},
        {NINHO_FIELD_PAIRING, "xor, offset or near", (unsigned)spec->pairing,
         NINHO_PAIRING_NEAR},
        {NINHO_FIELD_PREFER, "speed or space", (unsigned)spec->prefer,
         NINHO_PREFER_SPACE},
        {NINHO_FIELD_SEMANTICS, "multiset or set", (unsigned)spec->semantics, NINHO_SET},
    };

    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (choices[i].value > choices[i].last)
            return nh_fail_field(error, choices[i].field, 0, 0, "must be %s",
                                 choices[i].values);
    if (spec->max_kicks && spec->search != NINHO_SEARCH_WALK)
        return nh_fail_field(error, NINHO_FIELD_MAX_KICKS, 0, 0,
                             "is for search walk, not for bfs");
    if (spec->budget && spec->search == NINHO_SEARCH_WALK)
        return nh_fail_field(error, NINHO_FIELD_BUDGET, 0, 0,
                             "is for search bfs, not for walk");
    if (is_near(spec) && spec->slots == NINHO_WINDOWS)
        return nh_fail_field(error, NINHO_FIELD_SLOTS, 0, 0,
                             "must be buckets: pairing near is for them");
    ninho_status status = NINHO_OK;
    if (spec->max_kicks)
        status =
            check_range(NINHO_FIELD_MAX_KICKS, "", spec->max_kicks, 1, MAX_KICKS, error);
    if (!status && spec->budget)
        status = check_range(NINHO_FIELD_BUDGET, "", spec->budget, 1, MAX_BUDGET, error);
    if (!status && spec->place_slots && is_near(spec))
        return check_range(NINHO_FIELD_PLACE_SLOTS, " under near", spec->place_slots,
                           NEAR_SLOTS, NEAR_SLOTS, error);
    if (!status && spec->place_slots && spec->slots == NINHO_BUCKETS)
        status = check_range(NINHO_FIELD_PLACE_SLOTS, " in buckets", spec->place_slots, 1,
                             MAX_BUCKET, error);
    if (!status && spec->place_slots && spec->slots != NINHO_BUCKETS)
        status = check_range(NINHO_FIELD_PLACE_SLOTS, " in windows", spec->place_slots,
                             MIN_WINDOW, MAX_WINDOW, error);
    return status;
}

/* The shape of a spec, but for the width and, where it is to be chosen, n. */
static uint64_t shape_of(const ninho_spec *spec)
{
    return (spec->slots == NINHO_BUCKETS || is_near(spec) ? 0U : NH_CUCKOO_WINDOWS) |
           (spec->pairing == NINHO_PAIRING_XOR ? 0U
            : is_near(spec)                    ? NH_CUCKOO_NEAR
                                               : NH_CUCKOO_OFFSET) |
           (spec->semantics == NINHO_SET ? NH_CUCKOO_SET : 0U) |
           (spec->choice == NINHO_CHOICE_RANDOM ? NH_CUCKOO_RANDOM : 0U) |
           (spec->search == NINHO_SEARCH_WALK ? NH_CUCKOO_WALK : 0U);
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
    const unsigned n = nh_cuckoo_n(part);
    const bool is_windows = nh_cuckoo_is(part, NH_CUCKOO_WINDOWS);

    if (spec->n_slots < n || spec->n_slots > MAX_SLOTS || spec->n_slots < spec->capacity)
        return nh_fail_field(error, NINHO_FIELD_N_SLOTS,
                             (double)(spec->capacity < n ? n : spec->capacity),
                             (double)MAX_SLOTS,
                             "must be from the capacity, %" PRIu64
                             ", and a place, %u, to 2^50, not %" PRIu64,
                             spec->capacity, n, spec->n_slots);
    if (!is_windows && spec->n_slots % n)
        return nh_fail_field(error, NINHO_FIELD_N_SLOTS, 0, 0,
                             "must be a multiple of the bucket, %u, not %" PRIu64, n,
                             spec->n_slots);
    part->n_cells = spec->n_slots;
    const uint64_t n_places = nh_cuckoo_places(part);
    if (is_near(spec) && n_places < 2)
        return nh_fail_field(error, NINHO_FIELD_N_SLOTS, 2 * NEAR_SLOTS,
                             (double)MAX_SLOTS, "must be at least 8 under near");
    if (spec->pairing == NINHO_PAIRING_XOR && power_from(n_places) != n_places)
        return nh_fail_field(error, NINHO_FIELD_PAIRING, 0, 0,
                             "xor wants a power of two of places, from 2 on, not "
                             "%" PRIu64 ": use offset",
                             n_places);
    return NINHO_OK;
}

/* The table for places of n slots. */
static ninho_status plan_shape(const ninho_spec *spec, unsigned n, struct nh_part *part,
                               ninho_error *error)
{
    ninho_status status = NINHO_OK;

    part->stored[0] = shape_of(spec) | (uint64_t)n << 8;
    part->stored[1] = limit_of(spec);
    if (spec->n_slots)
        status = size_by_hand(spec, part, error);
    else
        part->n_cells = slots_of_shape(part->stored[0], spec->capacity);
    if (status)
        return status;
    if (part->n_cells > MAX_SLOTS)
        return nh_fail(error, NINHO_ERR_NOMEM, "needs more than 2^50 slots");
    if (spec->tag_bits) {
        status = check_range(NINHO_FIELD_TAG_BITS, is_near(spec) ? " under near" : "",
                             spec->tag_bits, least_width(part->stored[0]),
                             most_width(part->stored[0]), error);
        if (!status && spec->tag_bits % width_step(part->stored[0]))
            return nh_fail_field(
                error, NINHO_FIELD_TAG_BITS, 0, 0,
                "of a cuckoo filter under near must be even, not %" PRIu32,
                spec->tag_bits);
        part->stored[0] |= status ? 0 : spec->tag_bits;
    } else if (!choose_width(part, spec->fpr)) {
        const double least = nh_cuckoo_expected_fpr(part, (double)part->capacity);
        return nh_fail_field(error, NINHO_FIELD_FPR, least, 1,
                             "of a cuckoo filter must be at least %.3g for %" PRIu64
                             " keys, not %g: tags have at most %u bits",
                             least, part->capacity, spec->fpr,
                             most_width(part->stored[0]));
    }
    part->size = bytes_for(part->n_cells, nh_cuckoo_width(part));
    return status;
}

/* Whether the faster table is wanted, and nothing that was given stands against it; *part is it. It
 * must not be half as large again as the usual one, which rounding to whole runs makes of small ones. */
static bool plan_fast(const ninho_spec *spec, struct nh_part *part)
{
    ninho_spec fast = *spec, usual = *spec;
    struct nh_part other = *part;

    fast.pairing = NINHO_PAIRING_NEAR;
    usual.prefer = 0;
    return spec->prefer == NINHO_PREFER_SPEED && !spec->pairing && !spec->n_slots &&
           !check_choices(&fast, NULL) && !plan_shape(&fast, NEAR_SLOTS, part, NULL) &&
           !nh_cuckoo_plan(&usual, &other, NULL) && part->size / 3 <= other.size / 2;
}

ninho_status nh_cuckoo_plan(const ninho_spec *spec, struct nh_part *part,
                            ninho_error *error)
{
    struct nh_part best = *part, next = *part;

    ninho_status status = check_choices(spec, error);
    if (status)
        return status;
    if (plan_fast(spec, &next)) {
        *part = next;
        return NINHO_OK;
    }
    if (spec->place_slots || spec->slots == NINHO_BUCKETS || is_near(spec))
        return plan_shape(spec, spec->place_slots ? spec->place_slots : 4, part, error);
    /* A wider window takes more keys, and faster, and needs more tag bits for the more slots
     * that are compared. Tag bits are whole: which is best depends on the fpr. A smaller
     * window must save one bit in 32 to be worth it, unless it is space that counts. */
    const uint64_t share = spec->prefer == NINHO_PREFER_SPACE ? UINT64_MAX : 32;
    status = plan_shape(spec, MAX_WINDOW, &best, NULL);
    for (unsigned n = MAX_WINDOW - 1; !spec->tag_bits && n >= MIN_WINDOW; n--)
        if (!plan_shape(spec, n, &next, NULL) &&
            (status || next.size + next.size / share < best.size)) {
            best = next;
            status = NINHO_OK;
        }
    if (status) /* for the reason: windows of 2 reach furthest */
        return plan_shape(spec, spec->tag_bits ? MAX_WINDOW : MIN_WINDOW, part, error);
    *part = best;
    return NINHO_OK;
}

void nh_cuckoo_spec_back(const struct nh_part *part, ninho_spec *spec)
{
    const bool is_walk = nh_cuckoo_is(part, NH_CUCKOO_WALK);

    spec->tag_bits = nh_cuckoo_width(part);
    spec->slots = nh_cuckoo_is(part, NH_CUCKOO_WINDOWS) ? NINHO_WINDOWS : NINHO_BUCKETS;
    spec->place_slots = nh_cuckoo_n(part);
    spec->choice =
        nh_cuckoo_is(part, NH_CUCKOO_RANDOM) ? NINHO_CHOICE_RANDOM : NINHO_CHOICE_EMPTIER;
    spec->search = is_walk ? NINHO_SEARCH_WALK : NINHO_SEARCH_BFS;
    spec->pairing = nh_cuckoo_pairing(part);
    spec->max_kicks = is_walk ? (uint32_t)part->stored[1] : 0;
    spec->budget = is_walk ? 0 : (uint32_t)part->stored[1];
    spec->semantics = nh_cuckoo_is(part, NH_CUCKOO_SET) ? NINHO_SET : NINHO_MULTISET;
    spec->n_slots = part->n_cells;
}

static bool is_sound_near(const struct nh_part *part)
{
    const uint64_t others = NH_CUCKOO_WINDOWS | NH_CUCKOO_OFFSET;
    const unsigned width = nh_cuckoo_width(part);

    return !(part->stored[0] & others) && nh_cuckoo_n(part) == NEAR_SLOTS &&
           !nh_cuckoo_widened(part) && width % 2 == 0 && width <= MAX_NEAR &&
           part->n_cells >= 2 * NEAR_SLOTS;
}

bool nh_cuckoo_fits(const struct nh_part *part)
{
    const unsigned width = nh_cuckoo_width(part), n = nh_cuckoo_n(part);
    const uint64_t flags = part->stored[0] >> 16 & 0xff, limit = part->stored[1];

    if (part->stored[0] >> 32 || flags & ~(uint64_t)(NH_CUCKOO_FLAGS >> 16) ||
        part->n_hashes)
        return false;
    if (n < (nh_cuckoo_is(part, NH_CUCKOO_WINDOWS) ? MIN_WINDOW : 1) ||
        (nh_cuckoo_is(part, NH_CUCKOO_WINDOWS) && n > MAX_WINDOW))
        return false;
    if (nh_cuckoo_is(part, NH_CUCKOO_NEAR) && !is_sound_near(part))
        return false;
    if (width > MAX_WIDTH || nh_cuckoo_widened(part) > width ||
        width - nh_cuckoo_widened(part) < least_width(part->stored[0]))
        return false;
    if (limit < 1 ||
        limit > (nh_cuckoo_is(part, NH_CUCKOO_WALK) ? MAX_KICKS : MAX_BUDGET))
        return false;
    if (part->n_cells < n || part->n_cells > MAX_SLOTS ||
        (!nh_cuckoo_is(part, NH_CUCKOO_WINDOWS) && part->n_cells % n))
        return false;
    if (nh_cuckoo_pairing(part) == NINHO_PAIRING_XOR &&
        power_from(nh_cuckoo_places(part)) != nh_cuckoo_places(part))
        return false;
    return part->size == bytes_for(part->n_cells, width) &&
           part->capacity <= part->n_cells && part->count <= part->n_cells;
}

/* What was made by hand needs no advice. */
const char *nh_cuckoo_note(const struct nh_part *part, double fpr)
{
    const uint64_t words = part->stored[0];
    const uint64_t usual = words & NH_CUCKOO_WALK ? DEFAULT_KICKS : DEFAULT_BUDGET;
    const uint64_t needed = slots_for(words, part->capacity);

    if (part->n_cells != slots_of_shape(words, part->capacity))
        return part->capacity > keys_for(words, part->n_cells)
                   ? "a table by hand: it may be full before it has that many keys"
                   : NULL;
    if (part->stored[1] < usual)
        return "with so short a search it may be full before it has that many keys";
    if (nh_cuckoo_n(part) == 1)
        return "one slot a bucket may be full early, whatever its size: take two";
    if (part->capacity < SMALL)
        return "below 50,000 keys more slots stay empty, so that no add fails";
    if (nh_cuckoo_pairing(part) == NINHO_PAIRING_XOR &&
        part->n_cells > needed + needed / 10)
        return "xor pairing rounds up to a power of two; offset needs fewer slots";
    if (2 * nh_cuckoo_expected_fpr(part, (double)part->capacity) < fpr &&
        nh_cuckoo_width(part) == least_width(words))
        return "tags cannot be shorter: the fpr is better than asked for";
    return NULL;
}

/* ---- Nested growth ----------------------------------------------------------------- */

/* With g times as many places, and tags that only gain bits, keys that agree in a table
 * agree in all tables before it: see scalable.c. */
static bool nested_slots(const struct nh_part *before, uint32_t growth, uint64_t *n_slots)
{
    const unsigned n = nh_cuckoo_n(before);
    const uint64_t n_places = nh_cuckoo_places(before);

    if (!nh_cuckoo_is(before, NH_CUCKOO_OFFSET) || n_places > MAX_SLOTS / n / growth)
        return false;
    *n_slots = nh_cuckoo_is(before, NH_CUCKOO_WINDOWS) ? growth * n_places + n - 1
                                                       : growth * n_places * n;
    return true;
}

bool nh_cuckoo_nest(const struct nh_part *before, uint32_t growth, double fpr,
                    struct nh_part *part)
{
    *part = (struct nh_part){.stored = {before->stored[0], before->stored[1]}};
    if (!nested_slots(before, growth, &part->n_cells))
        return false;
    part->capacity = keys_for(part->stored[0], part->n_cells);
    while (!is_wide_enough(part, fpr)) {
        if (nh_cuckoo_width(part) == MAX_WIDTH)
            return false;
        part->stored[0] += NH_CUCKOO_WIDENED;
    }
    part->size = bytes_for(part->n_cells, nh_cuckoo_width(part));
    return true;
}

bool nh_cuckoo_is_nested(const struct nh_part *before, uint32_t growth,
                         const struct nh_part *part)
{
    if (!before)
        return !nh_cuckoo_widened(part);
    const uint64_t n_bits = (uint64_t)nh_cuckoo_widened(part) - nh_cuckoo_widened(before);
    uint64_t n_slots;

    return nh_cuckoo_widened(part) >= nh_cuckoo_widened(before) &&
           part->stored[0] == before->stored[0] + n_bits * NH_CUCKOO_WIDENED &&
           part->stored[1] == before->stored[1] &&
           nested_slots(before, growth, &n_slots) && part->n_cells == n_slots;
}

/* ---- Bare bytes -------------------------------------------------------------------- */

unsigned nh_cuckoo_bare_tail(const struct nh_part *part, uint8_t tail[2])
{
    tail[0] = (uint8_t)((nh_cuckoo_width(part) - 1) |
                        (nh_cuckoo_is(part, NH_CUCKOO_WINDOWS) ? 32U : 0) |
                        (nh_cuckoo_is(part, NH_CUCKOO_OFFSET) ? 64U : 0) |
                        (nh_cuckoo_is(part, NH_CUCKOO_SET) ? 128U : 0));
    tail[1] = (uint8_t)(nh_cuckoo_is(part, NH_CUCKOO_NEAR) ? 0 : nh_cuckoo_n(part));
    return 2;
}

/* As many slots as the bytes can hold; fewer would take fewer bytes. (Tags of less than 8
 * bits go with xor, and with it the next smaller table is half as large.) */
bool nh_cuckoo_bare_fits(const uint8_t *bytes, size_t size, struct nh_part *part)
{
    if (size < 3)
        return false;
    const bool is_near = !bytes[size - 1];
    const unsigned marks = bytes[size - 2], width = (marks & 31) + 1;
    const unsigned n = is_near ? NEAR_SLOTS : bytes[size - 1];
    part->size = size - 2;
    part->stored[0] = width | n << 8 | (marks & 32 ? NH_CUCKOO_WINDOWS : 0) |
                      (marks & 64 ? NH_CUCKOO_OFFSET : 0) |
                      (marks & 128 ? NH_CUCKOO_SET : 0) | (is_near ? NH_CUCKOO_NEAR : 0);
    part->stored[1] = DEFAULT_BUDGET;
    if (part->size > MAX_SLOTS || width < least_width(part->stored[0]))
        return false;
    if (nh_cuckoo_is(part, NH_CUCKOO_WINDOWS) && (n < MIN_WINDOW || n > MAX_WINDOW))
        return false;
    const uint64_t n_slots = 8 * part->size / width;
    if (n_slots < n)
        return false;
    if (is_near) {
        part->n_cells = n_slots - n_slots % n;
        if (!is_sound_near(part))
            return false;
        if (!part->capacity)
            part->capacity = keys_for(part->stored[0], part->n_cells);
        return true;
    }
    uint64_t n_places =
        nh_cuckoo_is(part, NH_CUCKOO_WINDOWS) ? n_slots - (n - 1) : n_slots / n;
    if (!nh_cuckoo_is(part, NH_CUCKOO_OFFSET) && power_from(n_places) != n_places)
        n_places = power_from(n_places) / 2;
    part->n_cells =
        nh_cuckoo_is(part, NH_CUCKOO_WINDOWS) ? n_places + n - 1 : n_places * n;
    if (!part->capacity)
        part->capacity = keys_for(part->stored[0], part->n_cells);
    return true;
}
