/* SPDX-License-Identifier: MIT */
/* The counting Bloom filter (Fan, Cao, Almeida and Broder, 2000): a Bloom filter whose
 * bits are 4-bit counters, so that a key can be taken out again.
 *
 *   body: | c1 c0 | c3 c2 | c5 c4 | ...     counter i = low (i even) or high half of byte i / 2
 *
 * A counter that has reached 15 stays there: it no longer knows how many keys lean on it,
 * and taking one away could lose another. The price is a bit that may stay set for ever;
 * at the planned load a counter gets there with probability below 1e-14. */
#include "base/bits.h"
#include "base/inline.h"
#include "base/status.h"
#include "filter/ops.h"
#include "filter/probe.h"

#define PER_BYTE  2 /* counters */
#define SATURATED 15U

static unsigned get(const uint8_t *body, uint64_t i)
{
    return (unsigned)body[i >> 1] >> (4 * (i & 1)) & 15U;
}

static void put(uint8_t *body, uint64_t i, unsigned value)
{
    const unsigned shift = 4 * (unsigned)(i & 1);
    body[i >> 1] = (uint8_t)((body[i >> 1] & ~(15U << shift)) | value << shift);
}

static bool test_counter(const uint8_t *body, uint64_t i)
{
    return get(body, i) != 0;
}

static ninho_status plan(const ninho_spec *spec, struct nh_part *part, ninho_error *error)
{
    return nh_probe_plan(spec, PER_BYTE, part, error);
}

static bool fits(const struct nh_part *part)
{
    return nh_probe_fits(part, PER_BYTE);
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    return nh_probe_has(part, hash, test_counter);
}

static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe)
{
    nh_probe_has_many(part, part->n_hashes, hashes, n, maybe, test_counter);
}

/* The key's places, each once, with how often it comes up among the k: two probes may
 * meet. */
struct place {
    uint64_t counter;
    unsigned times;
};

static unsigned places_of(const struct nh_part *part, uint64_t hash, struct place *places)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < part->n_hashes; i++, hash = nh_probe_next(hash)) {
        const uint64_t counter = nh_reduce(hash, part->n_cells);
        unsigned j = 0;
        while (j < n && places[j].counter != counter)
            j++;
        if (j == n)
            places[n++] = (struct place){counter, 0};
        places[j].times++;
    }
    return n;
}

/* A copy raised each of its counters by `times`, so the scarcest one bounds their
 * number. */
static uint64_t copies(const struct nh_part *part, uint64_t hash)
{
    struct place places[NH_MAX_K];
    const unsigned n = places_of(part, hash, places);
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < n; i++) {
        const unsigned value = get(part->body, places[i].counter);
        if (value != SATURATED && value / places[i].times < least)
            least = value / places[i].times;
    }
    return least;
}

static ninho_status add(const struct nh_live *live, struct nh_part *part, uint64_t hash)
{
    for (uint32_t i = 0; i < part->n_hashes; i++, hash = nh_probe_next(hash)) {
        const uint64_t counter = nh_reduce(hash, part->n_cells);
        const unsigned value = get(part->body, counter);
        if (value == SATURATED)
            continue;
        put(part->body, counter, value + 1);
        nh_tell(live, NINHO_EVENT_COUNTER_UP, 0, counter, value + 1);
    }
    part->count++;
    return NINHO_OK;
}

static void raise_counter(uint8_t *body, uint64_t counter)
{
    const unsigned value = get(body, counter);
    put(body, counter, value + (value != SATURATED));
}

static ninho_status add_many(const struct nh_live *live, struct nh_part *part,
                             const uint64_t *hashes, size_t n, size_t *n_added)
{
    (void)live;
    nh_probe_add_many(part, PER_BYTE, hashes, n, raise_counter);
    *n_added = n;
    return NINHO_OK;
}

/* Lowers or raises the first n counters of a key, each as often as it comes up; those that are
 * saturated stay. Lowering stops before a counter that is 0: returns how many it came to. */
static uint32_t lower(struct nh_part *part, uint64_t hash, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++, hash = nh_probe_next(hash)) {
        const uint64_t counter = nh_reduce(hash, part->n_cells);
        const unsigned value = get(part->body, counter);
        if (!value)
            return i;
        put(part->body, counter, value - (value != SATURATED));
    }
    return n;
}

static void raise_again(struct nh_part *part, uint64_t hash, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++, hash = nh_probe_next(hash))
        raise_counter(part->body, nh_reduce(hash, part->n_cells));
}

/* With an observer, who is told of each counter once: the counters come in a list. */
NH_NOINLINE static ninho_status remove_told(const struct nh_live *live,
                                            struct nh_part *part, uint64_t hash)
{
    struct place places[NH_MAX_K];
    const unsigned n = places_of(part, hash, places);

    /* Look first: a key that is certainly absent must change nothing. */
    if (copies(part, hash) == 0)
        return NINHO_ERR_NOT_FOUND;
    for (unsigned i = 0; i < n; i++) {
        unsigned value = get(part->body, places[i].counter);
        if (value == SATURATED)
            continue;
        for (unsigned j = 0; j < places[i].times; j++)
            nh_tell(live, NINHO_EVENT_COUNTER_DOWN, 0, places[i].counter, --value);
        put(part->body, places[i].counter, value);
    }
    part->count -= part->count != 0;
    return NINHO_OK;
}

static ninho_status remove_one(const struct nh_live *live, struct nh_part *part,
                               uint64_t hash)
{
    if (live->observer)
        return remove_told(live, part, hash);
    const uint32_t n_lowered = lower(part, hash, part->n_hashes);
    if (n_lowered < part->n_hashes) { /* it was certainly absent */
        raise_again(part, hash, n_lowered);
        return NINHO_ERR_NOT_FOUND;
    }
    part->count -= part->count != 0;
    return NINHO_OK;
}

static unsigned value_of_pair(const struct nh_part *part, const struct nh_part *other,
                              uint64_t i)
{
    return get(part->body, i) + (other ? get(other->body, i) : 0);
}

static void tally(const struct nh_part *part, const struct nh_part *other,
                  struct nh_tally *t)
{
    uint64_t used = 0;

    for (uint64_t i = 0; i < part->n_cells; i++)
        used += value_of_pair(part, other, i) != 0;
    nh_probe_tally(part, used, t);
}

static ninho_status verify(const struct nh_part *part, ninho_error *error)
{
    if (!nh_probe_ends_clear(part, PER_BYTE))
        return nh_fail(error, NINHO_ERR_FORMAT,
                       "a counter is set past the end of the table");
    return NINHO_OK;
}

static ninho_status unite(const struct nh_live *live, struct nh_part *target,
                          const struct nh_part *source)
{
    (void)live;
    for (uint64_t i = 0; i < target->n_cells; i++) {
        const unsigned sum = value_of_pair(target, source, i);
        put(target->body, i, sum < SATURATED ? sum : SATURATED);
    }
    return NINHO_OK;
}

static unsigned bare_tail(const struct nh_part *part, uint8_t tail[2])
{
    return nh_probe_bare_tail(part, PER_BYTE, tail);
}

static bool bare_fits(const uint8_t *bytes, size_t size, struct nh_part *part)
{
    return nh_probe_bare_fits(bytes, size, PER_BYTE, part);
}

const struct nh_family nh_family_counting = {
    .kind = NINHO_COUNTING,
    .can = NINHO_CAN_ADD | NINHO_CAN_REMOVE | NINHO_CAN_UNION | NINHO_CAN_OVERFILL |
           NINHO_CAN_VIEW | NINHO_CAN_BARE | NINHO_CAN_ESTIMATE,
    .takes = NH_TAKES_BITS | NH_TAKES_HASHES | NH_TAKES_K_RULE,
    .name = "counting",
    .summary = "Bloom with 4-bit counters: keys can be removed, for four times the space",
    .plan = plan,
    .spec_back = nh_probe_spec_back,
    .expected_fpr = nh_probe_fpr,
    .fits = fits,
    .has = has,
    .beside = nh_probe_beside,
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
};
