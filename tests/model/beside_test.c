/* SPDX-License-Identifier: MIT */
/* A reader beside the writer, in every order of their steps.
 *
 * There is one writer, so what it does is a list of states: the table and the marks as they are before
 * each of its stores, and at the end. A word that it stores becomes its bytes one by one, from the
 * first to the last or the other way. What a reader sees of the states follows from the time of each of its
 * loads, and these times only ascend: every order of steps is one list of times. The reader's own code is
 * compiled here with loads that ask a scheduler for the time, byte by byte; the scheduler tries all of
 * them. (Where a location does not change before its next state, an earlier time allows all that a later
 * one does, so only the first time of each value is tried.)
 *
 * Machines may reorder loads and stores beyond that. What keeps them from it, the release and acquire
 * of sharing.h, is not tried here. */
#include "unit/cuckoos.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/words.h>

static uint8_t load8(const void *at);
static uint64_t load64(const void *at);
static uint32_t load_mark(const _Atomic uint32_t *mark);
#define ninho_load8_              load8
#define ninho_load64_             load64
#define nh_cuckoo_last_word       last_word
#define nh_mark_load(mark, order) load_mark(mark)
#define NH_ATTEMPTS               2
#include "filter/cuckoo_beside.h"

#include "base/steps.h"

/* ---- What the writer does -------------------------------------------------------------- */

enum { MOST_STATES = 1500, MOST_BYTES = 600 };

struct state {
    uint8_t table[MOST_BYTES];
    uint32_t
        n_moves; /* marks of other keys are not looked at: one number stands for all */
    uint32_t sequence;
    uint32_t versions[NH_VERSIONS / 64]; /* see version_of() */
};

static struct {
    const ninho_filter *filter;
    const struct nh_part *part;
    struct nh_marks *marks;
    struct state states[MOST_STATES];
    size_t n;
    bool is_backwards; /* bytes of a word are stored from the last to the first */
} history;

/* Versions whose numbers agree in their last bits stand for each other: a reader looks again more
 * often, and states are small. */
static uint32_t *version_in(struct state *state, size_t index)
{
    return &state->versions[index % (NH_VERSIONS / 64)];
}

static void append(const struct state *state)
{
    CHECK(history.n < MOST_STATES);
    history.states[history.n++] = *state;
}

/* The state as it is now, after those that lead to it byte by byte. */
static void note_state(void)
{
    static struct state now;
    const size_t size = (size_t)history.part->size;

    memset(&now, 0, sizeof now);
    memcpy(now.table, history.part->body, size);
    now.n_moves = atomic_load(&history.marks->n_moves);
    now.sequence = atomic_load(&history.marks->sequence);
    for (size_t i = 0; i < NH_VERSIONS; i++)
        *version_in(&now, i) += atomic_load(&history.marks->versions[i]);
    for (size_t i = 0; history.n && i < size; i++) {
        const size_t at = history.is_backwards ? size - 1 - i : i;
        struct state half = history.states[history.n - 1];
        if (half.table[at] == now.table[at])
            continue;
        half.table[at] = now.table[at];
        append(&half);
    }
    append(&now);
}

/* ---- When the reader loads -------------------------------------------------------------- */

/* Choices so far, and how many there were of each: the next schedule differs in the last that can. */
static struct {
    unsigned chosen[4000], of[4000];
    size_t n, at;
    size_t time;
} schedule;

/* The time of a load from a location of that size at this offset in a state: now, or when it has changed
 * for the first time, the second time, ... */
static void choose_time(size_t offset, size_t size)
{
    size_t times[MOST_STATES];
    unsigned n = 0;

    times[n++] = schedule.time;
    for (size_t i = schedule.time + 1; i < history.n; i++)
        if (memcmp((const uint8_t *)&history.states[i] + offset,
                   (const uint8_t *)&history.states[i - 1] + offset, size) != 0)
            times[n++] = i;
    if (n == 1)
        return;
    CHECK(schedule.at < sizeof schedule.of / sizeof *schedule.of);
    if (schedule.at == schedule.n) {
        schedule.chosen[schedule.n] = 0;
        schedule.of[schedule.n++] = n;
    }
    CHECK_U64(schedule.of[schedule.at], n);
    schedule.time = times[schedule.chosen[schedule.at++]];
}

/* false: that was the last one. */
static bool next_schedule(void)
{
    while (schedule.n &&
           schedule.chosen[schedule.n - 1] + 1 == schedule.of[schedule.n - 1])
        schedule.n--;
    if (!schedule.n)
        return false;
    schedule.chosen[schedule.n - 1]++;
    return true;
}

static uint8_t load8(const void *at)
{
    const size_t byte = (size_t)((const uint8_t *)at - history.part->body);

    CHECK(byte < history.part->size);
    choose_time(offsetof(struct state, table) + byte, 1);
    return history.states[schedule.time].table[byte];
}

static uint64_t load64(const void *at)
{
    uint64_t word = 0;

    for (size_t i = 0; i < 8; i++)
        word |= (uint64_t)load8((const uint8_t *)at + i) << 8 * i;
    return word;
}

/* As the library's, with these loads. */
uint64_t last_word(const uint8_t *body, uint64_t size, uint64_t bit)
{
    const unsigned shift = bit % 8;
    uint64_t word = 0;

    for (unsigned i = 0; i < 9 && bit / 8 + i < size; i++) {
        const uint64_t byte = load8(body + bit / 8 + i);
        word |= 8 * i < shift        ? byte >> shift
                : 8 * i - shift < 64 ? byte << (8 * i - shift)
                                     : 0;
    }
    return word;
}

static uint32_t load_mark(const _Atomic uint32_t *mark)
{
    if (mark == &history.marks->sequence) {
        choose_time(offsetof(struct state, sequence), sizeof(uint32_t));
        return history.states[schedule.time].sequence;
    }
    const size_t index = (size_t)(mark - history.marks->versions);
    const size_t at = index % (NH_VERSIONS / 64);
    CHECK(index < NH_VERSIONS);
    choose_time(offsetof(struct state, versions) + at * sizeof(uint32_t),
                sizeof(uint32_t));
    return history.states[schedule.time].versions[at];
}

static bool find(const struct nh_part *part, uint64_t hash)
{
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);
    const struct nh_cuckoo_key key = nh_cuckoo_key_of(&t, hash);

    if (nh_cuckoo_is_word(&t))
        return ninho_cuckoo_find_(part->body, part->size, &part->cached.cuckoo, hash,
                                  t.is_offset);
    return nh_cuckoo_has(&t, &key);
}

/* Asks in every order; false if one of them loses the key. Without `heeds` the reader takes the first
 * answer. */
static bool is_found_in_every_order(uint64_t hash, bool heeds, uint64_t *n_schedules)
{
    const bool is_offset = nh_cuckoo_is(history.part, NH_CUCKOO_OFFSET);

    schedule.n = 0;
    do {
        schedule.at = schedule.time = 0;
        ++*n_schedules;
        if (heeds ? !nh_cuckoo_look(history.part, hash, is_offset, history.marks, find)
                  : !find(history.part, hash))
            return false;
    } while (next_schedule());
    return true;
}

/* ---- Histories -------------------------------------------------------------------------- */

enum { N_MEMBERS = 200 };

struct members {
    uint64_t hashes[N_MEMBERS];
    size_t n;
};

/* Adds until no more go in, but for a few. */
static void fill(ninho_filter *filter, struct test_rng *rng, struct members *members)
{
    members->n = 0;
    for (unsigned n_refused = 0; n_refused < 2 && members->n < N_MEMBERS;) {
        const uint64_t hash = rng_next(rng);
        if (ninho_filter_add(filter, hash) == NINHO_OK)
            members->hashes[members->n++] = hash;
        else
            n_refused++;
    }
}

static uint64_t take_member(struct members *members, struct test_rng *rng)
{
    const size_t i = (size_t)rng_below(rng, members->n);
    const uint64_t hash = members->hashes[i];

    members->hashes[i] = members->hashes[--members->n];
    return hash;
}

/* Some changes, of which the states are noted. Those that were taken out are no longer members; those
 * that came in are not yet. */
static void change(ninho_filter *filter, struct test_rng *rng, struct members *members,
                   unsigned n_changes)
{
    history.n = 0;
    history.is_backwards = rng_below(rng, 2);
    nh_on_store = note_state;
    for (unsigned i = 0; i < n_changes; i++) {
        /* one more of a member now and then: copies are alike, and stand for each other */
        const uint64_t hash = rng_below(rng, 3)
                                  ? rng_next(rng)
                                  : members->hashes[rng_below(rng, members->n)];
        if (rng_below(rng, 3) == 0)
            CHECK_OK(ninho_filter_remove(filter, take_member(members, rng)));
        else if (ninho_filter_add(filter, hash) == NINHO_OK && rng_below(rng, 2))
            CHECK_OK(ninho_filter_remove(filter, hash));
    }
    nh_on_store = NULL;
    note_state();
}

/* A small one, with few tags: keys that are alike are common. (The fewest places under xor are a power
 * of two.) */
static ninho_filter *small_filter(const struct cuckoo *cuckoo, struct test_rng *rng)
{
    const uint32_t n = cuckoo->spec.place_slots ? cuckoo->spec.place_slots : 4;
    const uint64_t n_places = cuckoo->spec.pairing == NINHO_PAIRING_XOR
                                  ? 4U << rng_below(rng, 2)
                                  : 3 + rng_below(rng, 12);
    ninho_spec spec = cuckoo_spec(cuckoo, 1, 0);

    spec.place_slots = n;
    spec.n_slots = cuckoo->spec.slots == NINHO_BUCKETS ? n * n_places : n_places + n - 1;
    spec.tag_bits = (uint32_t)(8 + rng_below(rng, 6));
    return filter_of(&spec, NULL);
}

struct totals {
    uint64_t n_schedules, n_lost, n_moves;
};

/* A filter that is nearly full, changed now and then, with a reader of every member beside it. */
static void try_cuckoo(const struct cuckoo *cuckoo, uint64_t seed, bool heeds,
                       struct totals *totals)
{
    struct test_rng rng = {seed};
    ninho_filter *filter = small_filter(cuckoo, &rng);
    ninho_reader *reader = NULL;
    struct members members;

    CHECK_OK(ninho_reader_open(filter, &reader, NULL));
    history.filter = filter;
    history.part = filter->parts;
    history.marks = filter->live.sharing->marks;
    CHECK(history.part->size <= MOST_BYTES);
    fill(filter, &rng, &members);
    for (unsigned i = 0; i < 8 && members.n > 4; i++) {
        CHECK_OK(ninho_filter_remove(filter, take_member(&members, &rng)));
        change(filter, &rng, &members, 1 + i % 3);
        totals->n_moves += history.states[history.n - 1].n_moves;
        for (size_t k = 0; k < members.n; k++)
            totals->n_lost +=
                !is_found_in_every_order(members.hashes[k], heeds, &totals->n_schedules);
    }
    ninho_reader_close(reader);
    ninho_filter_free(filter);
}

static bool is_for_versions(const struct cuckoo *cuckoo)
{
    ninho_filter *filter = cuckoo_filter(cuckoo, 10, .3);
    const bool is = nh_cuckoo_beside(filter->parts) != NULL;

    ninho_filter_free(filter);
    return is;
}

static void no_order_of_steps_loses_a_member(void **state)
{
    const size_t n_seeds = test_scaled(20, 4);
    struct totals totals = {0, 0, 0};
    unsigned n_cuckoos_tried = 0;

    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        if (!is_for_versions(cuckoo))
            continue;
        n_cuckoos_tried++;
        for (uint64_t seed = 0; seed < n_seeds; seed++) {
            test_where("%s, seed %llu", cuckoo->name, (unsigned long long)seed);
            try_cuckoo(cuckoo, test_seed(1) + seed, true, &totals);
            CHECK_U64(totals.n_lost, 0);
        }
    }
    CHECK(n_cuckoos_tried >= 6 && totals.n_moves > 100);
    print_message("%llu orders\n", (unsigned long long)totals.n_schedules);
}

/* The test can fail. */
static void a_reader_that_heeds_no_version_loses_some(void **state)
{
    struct totals totals = {0, 0, 0};

    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        totals.n_lost = 0;
        for (uint64_t seed = 0; is_for_versions(cuckoo) && seed < 20 && !totals.n_lost;
             seed++)
            try_cuckoo(cuckoo, 1 + seed, false, &totals);
        test_where("%s", cuckoo->name);
        CHECK(totals.n_lost || !is_for_versions(cuckoo));
    }
}

/* ---- Tables that must not be read while they change ---------------------------------------- */

/* A table of two bytes has a key if neither is 0. */
static bool find_whole(void *context, uint64_t hash)
{
    bool has = true;

    (void)context;
    (void)hash;
    for (size_t i = 0; i < 2; i++) {
        choose_time(offsetof(struct state, table) + i, 1);
        has &= history.states[schedule.time].table[i] != 0;
    }
    return has;
}

static void note(uint32_t sequence, unsigned bytes)
{
    append(&(struct state){.sequence = sequence, .table = {bytes & 1, bytes >> 1 & 1}});
}

/* Two changes, in each of which the table holds anything while the sequence is odd, and the key
 * before and after. */
static void tear(unsigned pattern)
{
    history.n = 0;
    note(0, 3);
    for (uint32_t i = 1; i < 4; i += 2, pattern >>= 2) {
        note(i, 3);
        note(i, pattern & 3);
        note(i, 3);
        note(i + 1, 3);
    }
}

static bool is_found_between(bool heeds)
{
    static struct nh_marks marks;

    history.marks = &marks;
    schedule.n = 0;
    do {
        schedule.at = schedule.time = 0;
        if (heeds ? !nh_look_between(&marks.sequence, find_whole, NULL, 0)
                  : !find_whole(NULL, 0))
            return false;
    } while (next_schedule());
    return true;
}

static void no_torn_table_is_believed(void **state)
{
    unsigned n_lost = 0;

    (void)state;
    for (unsigned pattern = 0; pattern < 16; pattern++) {
        test_where("pattern %u", pattern);
        tear(pattern);
        CHECK(is_found_between(true));
        n_lost += !is_found_between(false);
    }
    CHECK(n_lost == 15); /* it can fail */
}

/* Who is not there is "certainly not" as soon as it is quiet; and a writer that has stopped in the middle
 * keeps nobody waiting. */
static void a_reader_gives_up(void **state)
{
    (void)state;
    history.n = 0;
    note(2, 0);
    CHECK(!is_found_between(true));
    history.n = 0;
    note(3, 0);
    CHECK(is_found_between(true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_order_of_steps_loses_a_member),
        cmocka_unit_test(a_reader_that_heeds_no_version_loses_some),
        cmocka_unit_test(no_torn_table_is_believed),
        cmocka_unit_test(a_reader_gives_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
