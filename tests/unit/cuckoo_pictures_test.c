/* SPDX-License-Identifier: MIT */
/* The pictures with which cuckoo filters are taught, replayed step by step through the observer.
 *
 *   1. Eight buckets of one tag. x may lie in 1 or 6, and both are taken. So x goes to 1, b moves
 *      from 1 to 5, its other place, and c moves from 5 to 4:
 *
 *           0   1   2   3   4   5   6   7            0   1   2   3   4   5   6   7
 *         |   | b |   |   |   | c | a |   |        |   | x |   |   | c | b | a |   |
 *               x -> 1, b -> 5, c -> 4
 *
 *   2. x is removed: bucket 1 is empty, and nobody moves back.
 *
 *   3. Why a table whose size is no power of two must not be paired by `xor ... mod m`.
 *
 * The keys are hashes that the caller gives. Which ones is found by search: the first whose places
 * make the picture. */
#include "unit/cuckoos.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter/cuckoo.h"

/* ---- Insertion with relocations, and removal ----------------------------------------------- */

enum { N_PLACES = 8, WIDTH = 8 };

static ninho_spec picture_spec(ninho_search search)
{
    ninho_spec spec = spec_of(NINHO_CUCKOO, 5, 0);

    spec.slots = NINHO_BUCKETS;
    spec.place_slots = 1;
    spec.choice = NINHO_CHOICE_RANDOM;
    spec.search = search;
    spec.pairing = NINHO_PAIRING_XOR;
    spec.n_slots = N_PLACES;
    spec.tag_bits = WIDTH;
    return spec;
}

static uint64_t tag_of(uint64_t hash)
{
    return nh_cuckoo_tag_of(hash, nh_cuckoo_n_tags(WIDTH, 1, 0), false);
}

/* The first hash from *next on that goes to `first`, and otherwise to `second`. */
static uint64_t key_with(uint64_t first, uint64_t second, uint64_t *next)
{
    for (;; ++*next) {
        const uint64_t hash = mix64(*next);
        const uint64_t place = nh_cuckoo_place_of(hash, N_PLACES);
        if (place == first &&
            nh_cuckoo_other(place, 0, tag_of(hash), N_PLACES, false) == second) {
            ++*next;
            return hash;
        }
        CHECK(*next < 1000000);
    }
}

struct drawing {
    ninho_filter *filter;
    struct steps steps;
    uint64_t a, b, c;
};

/* The table on the left: a in 6, b in 1, c in 5. */
static void draw(struct drawing *drawing, ninho_search search)
{
    ninho_spec spec = picture_spec(search);
    uint64_t next = 0;
    char expected[64];

    drawing->steps.text[0] = 0;
    spec.observer = note_step;
    spec.observer_context = &drawing->steps;
    drawing->filter = filter_of(&spec, NULL);
    drawing->a = key_with(6, 5, &next);
    drawing->b = key_with(1, 5, &next);
    drawing->c = key_with(5, 4, &next);
    CHECK_OK(ninho_filter_add(drawing->filter, drawing->a));
    CHECK_OK(ninho_filter_add(drawing->filter, drawing->b));
    CHECK_OK(ninho_filter_add(drawing->filter, drawing->c));
    snprintf(expected, sizeof expected, "+6:%d +1:%d +5:%d ", (int)tag_of(drawing->a) + 1,
             (int)tag_of(drawing->b) + 1, (int)tag_of(drawing->c) + 1);
    check_steps(&drawing->steps, expected);
}

static void check_table(const ninho_filter *filter, const uint64_t expected[N_PLACES])
{
    uint64_t *tags = tags_of(filter);

    for (unsigned i = 0; i < N_PLACES; i++)
        CHECK_U64(tags[i], expected[i]);
    free(tags);
}

/* Adds an x with places 1 and 6 and checks the picture; a walk may take another way, and then it
 * is false and another x is tried. */
static bool x_comes_and_goes(ninho_search search, uint64_t x)
{
    struct drawing drawing;

    draw(&drawing, search);
    const uint64_t a = tag_of(drawing.a) + 1, b = tag_of(drawing.b) + 1;
    const uint64_t c = tag_of(drawing.c) + 1, tag = tag_of(x) + 1;
    char expected[64];
    if (search == NINHO_SEARCH_BFS)
        snprintf(expected, sizeof expected, ">5-4:%d >1-5:%d +1:%d ", (int)c, (int)b,
                 (int)tag);
    else
        snprintf(expected, sizeof expected, "+1:%d >1-5:%d >5-4:%d ", (int)tag, (int)b,
                 (int)c);
    CHECK_OK(ninho_filter_add(drawing.filter, x));
    if (search == NINHO_SEARCH_WALK && strcmp(drawing.steps.text, expected) != 0) {
        ninho_filter_free(drawing.filter);
        return false;
    }
    check_steps(&drawing.steps, expected);
    check_table(drawing.filter, (uint64_t[N_PLACES]){0, tag, 0, 0, c, b, a, 0});
    const ninho_stats stats = stats_of(drawing.filter);
    CHECK(stats.n_moves == 2 && stats.longest_path == 2 && stats.n_searches == 1);
    CHECK(stats.n_failed == 0 && stats.n_undone == 0);
    CHECK(ninho_filter_has(drawing.filter, x) &&
          ninho_filter_has(drawing.filter, drawing.a) &&
          ninho_filter_has(drawing.filter, drawing.b) &&
          ninho_filter_has(drawing.filter, drawing.c));

    CHECK_OK(ninho_filter_remove(drawing.filter, x));
    snprintf(expected, sizeof expected, "-1:%d ", (int)tag);
    check_steps(&drawing.steps, expected);
    check_table(drawing.filter, (uint64_t[N_PLACES]){0, 0, 0, 0, c, b, a, 0});
    CHECK(!ninho_filter_has(drawing.filter, x));
    CHECK(ninho_filter_has(drawing.filter, drawing.a) &&
          ninho_filter_has(drawing.filter, drawing.b) &&
          ninho_filter_has(drawing.filter, drawing.c));
    CHECK_STATUS(ninho_filter_remove(drawing.filter, x), NINHO_ERR_NOT_FOUND);
    check_steps(&drawing.steps, "");
    ninho_filter_free(drawing.filter);
    return true;
}

static void x_goes_to_1_and_b_to_5_and_c_to_4(void **state)
{
    (void)state;
    for (ninho_search search = NINHO_SEARCH_WALK; search <= NINHO_SEARCH_BFS; search++) {
        uint64_t next = 1000;
        bool is_drawn = false;
        test_where("search %d", (int)search);
        for (int i = 0; i < 50 && !is_drawn; i++)
            is_drawn = x_comes_and_goes(search, key_with(1, 6, &next));
        CHECK(is_drawn);
    }
}

/* ---- Any fill, replayed -------------------------------------------------------------------- */

struct replay {
    uint64_t *tags;
    uint64_t n_slots;
    uint64_t thrown_out, thrown_from; /* by a walk; 0: none is in the air */
    uint64_t n_placed, n_moved, n_removed;
};

static void put(struct replay *replay, uint64_t slot, uint64_t tag)
{
    CHECK(slot < replay->n_slots && tag);
    replay->thrown_out = replay->tags[slot];
    replay->thrown_from = slot;
    replay->tags[slot] = tag;
}

static void follow(void *context, const ninho_event *event)
{
    struct replay *replay = context;

    switch (event->type) {
    case NINHO_EVENT_TAG_PLACED:
        CHECK(!replay->thrown_out);
        put(replay, event->to, event->value);
        replay->n_placed++;
        return;
    case NINHO_EVENT_TAG_MOVED:
        CHECK(event->from < replay->n_slots && event->from != event->to);
        replay->n_moved++;
        if (replay->thrown_out) {
            CHECK(replay->thrown_from == event->from &&
                  replay->thrown_out == event->value);
        } else {
            CHECK_U64(replay->tags[event->from], event->value);
            replay->tags[event->from] = 0;
        }
        put(replay, event->to, event->value);
        return;
    case NINHO_EVENT_TAG_REMOVED:
        CHECK(!replay->thrown_out && event->from < replay->n_slots);
        CHECK_U64(replay->tags[event->from], event->value);
        replay->tags[event->from] = 0;
        replay->n_removed++;
        return;
    default:
        test_fail(__FILE__, __LINE__, "event of type %d", (int)event->type);
    }
}

static void check_replay(const struct replay *replay, const ninho_filter *filter)
{
    uint64_t *tags = tags_of(filter);

    CHECK(!replay->thrown_out);
    CHECK(memcmp(tags, replay->tags, (size_t)replay->n_slots * sizeof *tags) == 0);
    free(tags);
}

/* From the events alone a twin is made that is the table, far past the first refusal; and what the
 * statistics say is what was seen. */
static void the_observer_sees_what_the_statistics_count(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        ninho_spec spec = cuckoo_spec(cuckoo, 2000, .001);
        struct replay replay = {0};
        uint64_t longest = 0, n_failed = 0, n_searches = 0, n_in = 0, n_stuck = 0;
        spec.observer = follow;
        spec.observer_context = &replay;
        ninho_filter *filter = filter_of(&spec, NULL);
        const struct shape shape = shape_of(filter);
        test_where("%s", cuckoo->name);
        replay.n_slots = shape.n_slots;
        replay.tags = calloc((size_t)shape.n_slots, sizeof *replay.tags);
        CHECK(replay.tags);
        for (uint64_t i = 0; i < shape.n_slots + shape.n_slots / 4; i++) {
            const uint64_t n_moved = replay.n_moved, n_placed = replay.n_placed;
            const uint64_t undone = stats_of(filter).n_undone;
            if (ninho_filter_add(filter, mix64(i)) == NINHO_OK) {
                const uint64_t path = replay.n_moved - n_moved;
                longest = path > longest ? path : longest;
                n_searches += path > 0;
                n_in++;
            } else {
                CHECK(replay.n_moved == n_moved && replay.n_placed == n_placed);
                n_failed++;
                n_searches++;
                n_stuck += stats_of(filter).n_undone == undone;
            }
            if (i % 97 == 0)
                check_replay(&replay, filter);
        }
        check_replay(&replay, filter);
        const ninho_stats stats = stats_of(filter);
        CHECK_U64(stats.n_moves, replay.n_moved);
        CHECK_U64(stats.longest_path, longest);
        CHECK_U64(stats.n_failed, n_failed);
        CHECK_U64(stats.n_searches, n_searches);
        CHECK_U64(stats.n_undone, shape.is_walk ? (n_failed - n_stuck) * shape.limit : 0);
        CHECK_U64(ninho_filter_count(filter), n_in);
        CHECK_U64(replay.n_placed, n_in);
        CHECK(n_failed > 0 && longest > 1);
        for (uint64_t i = 0; i < 500; i++)
            CHECK_OK(ninho_filter_remove(filter, mix64(i)));
        CHECK_U64(replay.n_removed, 500);
        check_replay(&replay, filter);
        CHECK_U64(stats_of(filter).n_moves, replay.n_moved);
        /* a union is told too */
        ninho_spec plain = cuckoo_spec(cuckoo, 2000, .001);
        ninho_filter *source = filter_of(&plain, NULL);
        for (uint64_t i = 0; i < 50; i++)
            CHECK_OK(ninho_filter_add(source, mix64(1000000 + i)));
        CHECK_OK(ninho_filter_union(filter, source, NULL));
        check_replay(&replay, filter);
        CHECK_U64(stats_of(filter).n_moves, replay.n_moved);
        ninho_filter_free(source);
        ninho_filter_free(filter);
        free(replay.tags);
    }
}

/* ---- Why mod m loses keys ------------------------------------------------------------------ */

/* The filter as it stands in many a text: buckets of 4 tags, the other bucket is
 * (bucket xor hash(tag)) mod m. */
struct textbook {
    uint64_t m;
    uint16_t (*buckets)[4];
    struct test_rng rng;
};

static uint16_t textbook_tag(uint64_t key)
{
    return (uint16_t)(1 + mix64(key ^ 0x5555) % 4095);
}

static uint64_t textbook_other(const struct textbook *t, uint64_t bucket, uint16_t tag)
{
    return (bucket ^ mix64(tag)) % t->m;
}

static bool textbook_put(struct textbook *t, uint64_t bucket, uint16_t tag)
{
    for (unsigned i = 0; i < 4; i++)
        if (!t->buckets[bucket][i]) {
            t->buckets[bucket][i] = tag;
            return true;
        }
    return false;
}

static bool textbook_add(struct textbook *t, uint64_t key)
{
    uint16_t tag = textbook_tag(key);
    const uint64_t home = mix64(key) % t->m, other = textbook_other(t, home, tag);
    uint64_t bucket = rng_below(&t->rng, 2) ? home : other;

    if (textbook_put(t, bucket, tag) || textbook_put(t, home ^ other ^ bucket, tag))
        return true;
    for (int kick = 0; kick < 500; kick++) {
        uint16_t *slot = &t->buckets[bucket][rng_below(&t->rng, 4)];
        const uint16_t thrown_out = *slot;
        *slot = tag;
        tag = thrown_out;
        bucket = textbook_other(t, bucket, tag);
        if (textbook_put(t, bucket, tag))
            return true;
    }
    return false;
}

static bool textbook_has(const struct textbook *t, uint64_t key)
{
    const uint16_t tag = textbook_tag(key);
    const uint64_t bucket = mix64(key) % t->m;
    const uint64_t other = textbook_other(t, bucket, tag);

    for (unsigned i = 0; i < 4; i++)
        if (t->buckets[bucket][i] == tag || t->buckets[other][i] == tag)
            return true;
    return false;
}

/* The share of keys not found at load .95, refused ones not counted. */
static double textbook_loss(uint64_t m)
{
    struct textbook t = {.m = m, .rng = {1}};
    const uint64_t n = m * 4 * 95 / 100;
    uint64_t n_lost = 0, n_in = 0;

    t.buckets = calloc((size_t)m, sizeof *t.buckets);
    CHECK(t.buckets);
    while (n_in < n && textbook_add(&t, n_in))
        n_in++;
    for (uint64_t i = 0; i < n_in; i++)
        n_lost += !textbook_has(&t, i);
    CHECK(n_in > n * 9 / 10);
    free(t.buckets);
    return (double)n_lost / (double)n_in;
}

/* The map is its own inverse only if m is a power of two: a tag that is moved on from its second
 * bucket comes to a third one, where nobody looks. */
static void xor_mod_m_loses_a_fifth_of_the_keys_and_offset_none(void **state)
{
    static const uint64_t sizes[] = {10000, 12289, 20000, 24576};

    (void)state;
    CHECK(textbook_loss(16384) < .0001);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ninho_spec spec = cuckoo_spec(ORIGINAL_CUCKOO, sizes[i] * 4 * 95 / 100, 0);
        ninho_error error = NINHO_ERROR_INIT;
        ninho_filter *refused = NULL;
        test_where("%d buckets", (int)sizes[i]);
        const double loss = textbook_loss(sizes[i]);
        if (loss < .05 || loss > .4)
            test_fail(__FILE__, __LINE__, "the textbook's filter lost %g", loss);
        spec.n_slots = 4 * sizes[i];
        spec.tag_bits = 12;
        CHECK_STATUS(ninho_filter_create(&spec, NULL, &refused, &error), NINHO_ERR_ARG);
        CHECK(strstr(error.text, "power of two") && strstr(error.text, "offset"));
        spec.pairing = NINHO_PAIRING_OFFSET;
        ninho_filter *filter = filter_of(&spec, NULL);
        for (uint64_t key = 0; key < spec.capacity; key++)
            CHECK_OK(ninho_filter_add(filter, mix64(key)));
        check_hashes(filter, 0, spec.capacity);
        ninho_filter_free(filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(x_goes_to_1_and_b_to_5_and_c_to_4),
        cmocka_unit_test(the_observer_sees_what_the_statistics_count),
        cmocka_unit_test(xor_mod_m_loses_a_fifth_of_the_keys_and_offset_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
