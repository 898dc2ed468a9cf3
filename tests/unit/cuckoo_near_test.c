/* SPDX-License-Identifier: MIT */
/* Near pairing and what `prefer` makes the planner do. The model of a table is docs/format.md's. */
#include "unit/cuckoos.h"

#include <stdlib.h>
#include <string.h>

#include <ninho/inline.h>

#include "filter/cuckoo.h"

/* ---- The model ----------------------------------------------------------------------------- */

struct near {
    uint64_t n_slots, n_places, n_tags;
    unsigned width, run; /* log2 of its places */
    const uint8_t *body;
};

static struct near near_of(const ninho_filter *filter)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    struct near near = {.body = filter->parts[0].body};

    CHECK_OK(ninho_filter_spec(filter, &spec));
    CHECK_U64(spec.pairing, NINHO_PAIRING_NEAR);
    CHECK_U64(spec.slots, NINHO_BUCKETS);
    CHECK_U64(spec.place_slots, 4);
    near.n_slots = spec.n_slots;
    near.width = spec.tag_bits;
    near.run = 1;
    while (near.run < 16 && spec.n_slots / 4 >= UINT64_C(1) << (near.run + 4))
        near.run++;
    near.n_places = spec.n_slots / 4 / (UINT64_C(1) << near.run) << near.run;
    near.n_tags = (UINT64_C(1) << near.width) - 1;
    return near;
}

static uint64_t slot_of(const struct near *near, uint64_t slot)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < near->width; i++) {
        const uint64_t bit = slot * near->width + i;
        value |= (uint64_t)(near->body[bit / 8] >> bit % 8 & 1) << i;
    }
    return value;
}

/* How many slots hold the tag of a hash in its two places. */
static unsigned n_copies_of(const struct near *near, uint64_t hash)
{
    const uint64_t tag = ((hash & 0xffffffff) * near->n_tags) >> 32;
    const uint64_t x = (tag + 1) * UINT64_C(0xd1342543de82ef95);
    const uint64_t first = nh_reduce(hash, near->n_places);
    const uint64_t places[2] = {first, first ^ (x >> (64 - near->run) | 1)};
    unsigned n = 0;

    CHECK(places[0] != places[1] && places[1] < near->n_places);
    CHECK(places[0] >> near->run == places[1] >> near->run);
    for (unsigned side = 0; side < 2; side++)
        for (unsigned i = 0; i < 4; i++)
            n += slot_of(near, 4 * places[side] + i) == tag + 1;
    return n;
}

static uint64_t n_used(const struct near *near)
{
    uint64_t n = 0;

    for (uint64_t slot = 0; slot < near->n_slots; slot++)
        n += slot_of(near, slot) != 0;
    return n;
}

static ninho_filter *near_filter(uint64_t n_slots, unsigned width, ninho_search search)
{
    ninho_spec spec = cuckoo_spec(DEFAULT_CUCKOO, 8, 0);

    spec.pairing = NINHO_PAIRING_NEAR;
    spec.n_slots = n_slots;
    spec.tag_bits = width;
    spec.search = search;
    return filter_of(&spec, NULL);
}

/* ---- Tables -------------------------------------------------------------------------------- */

/* Full tables, with a spare bucket and without: what a slot of a key's places holds is what single
 * lookups, batches, handles and counts of copies tell. */
static void answers_are_the_models(void **state)
{
    static const uint64_t n_buckets[] = {2, 3, 15, 16, 17, 31, 33, 129, 200, 1025, 5000};

    (void)state;
    for (size_t b = 0; b < sizeof n_buckets / sizeof *n_buckets; b++)
        for (unsigned width = 8; width <= 16; width += 2) {
            ninho_filter *filter = near_filter(4 * n_buckets[b], width, 0);
            const struct near near = near_of(filter);
            const uint64_t n = fill_until_full(filter, 0);
            ninho_cuckoo_handle handle;
            test_where("%u buckets, %u bits", (unsigned)n_buckets[b], width);
            CHECK_OK(ninho_cuckoo_handle_of(filter, &handle, NULL));
            CHECK_OK(ninho_filter_verify(filter, NULL));
            CHECK_U64(n_used(&near), n);
            CHECK_U64(ninho_filter_count(filter), n);
            for (uint64_t i = 0; i < n + 500; i++) {
                const uint64_t hash = mix64(i);
                uint64_t maybe;
                const unsigned n_copies = n_copies_of(&near, hash);
                CHECK(n_copies || i >= n);
                CHECK(ninho_filter_has(filter, hash) == (n_copies != 0));
                CHECK(ninho_cuckoo_has(&handle, hash) == (n_copies != 0));
                CHECK_U64(ninho_filter_has_many(filter, &hash, 1, &maybe), n_copies != 0);
                CHECK_U64(ninho_filter_copies(filter, hash), n_copies);
            }
            ninho_filter_free(filter);
        }
}

/* In the smallest tables the two places are always neighbours, and their words overlap. */
static void removals_take_one_copy_and_nothing_else(void **state)
{
    static const uint64_t n_buckets[] = {3, 17, 129, 1025};

    (void)state;
    for (size_t b = 0; b < sizeof n_buckets / sizeof *n_buckets; b++)
        for (unsigned width = 8; width <= 16; width += 2) {
            ninho_filter *filter =
                near_filter(4 * n_buckets[b], width,
                            width == 12 ? NINHO_SEARCH_WALK : NINHO_SEARCH_BFS);
            const struct near near = near_of(filter);
            test_where("%u buckets, %u bits", (unsigned)n_buckets[b], width);
            CHECK_OK(ninho_filter_add(filter, mix64(0)));
            CHECK_OK(ninho_filter_add(filter, mix64(0)));
            const uint64_t n = fill_until_full(filter, 1);
            for (uint64_t i = 0; i < n; i++) {
                const unsigned n_copies = n_copies_of(&near, mix64(i));
                CHECK_OK(ninho_filter_remove(filter, mix64(i)));
                CHECK_U64(n_copies_of(&near, mix64(i)), n_copies - 1);
                CHECK_U64(n_used(&near), n + 1 - i);
            }
            check_hashes(filter, n, 1);
            CHECK_OK(ninho_filter_remove(filter, mix64(n)));
            CHECK_OK(ninho_filter_remove(filter, mix64(0)));
            CHECK_U64(n_used(&near), 0);
            CHECK_STATUS(ninho_filter_remove(filter, mix64(0)), NINHO_ERR_NOT_FOUND);
            ninho_filter_free(filter);
        }
}

static void a_tag_in_a_spare_bucket_is_refused(void **state)
{
    ninho_filter *filter = near_filter(4 * 17, 12, 0);

    (void)state;
    CHECK_OK(ninho_filter_verify(filter, NULL));
    filter->parts[0].body[6 * 16] = 1;
    filter->parts[0].count = 1;
    CHECK_STATUS(ninho_filter_verify(filter, NULL), NINHO_ERR_FORMAT);
    ninho_filter_free(filter);
}

/* An integer in the int64 encoding: little-endian on any machine. */
static const uint8_t *encoded_int64(int64_t value, uint8_t key[8])
{
    for (unsigned i = 0; i < 8; i++)
        key[i] = (uint8_t)((uint64_t)value >> 8 * i);
    return key;
}

static void the_near_handle_answers_as_the_filter(void **state)
{
    static const double rates[] = {.02, .005, .001, 1.0 / 8192};
    ninho_near_handle handle;
    uint8_t key[8];

    (void)state;
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        ninho_spec spec = cuckoo_spec(DEFAULT_CUCKOO, 60000, rates[r]);
        spec.prefer = NINHO_PREFER_SPEED;
        spec.key_encoding = NINHO_KEY_INT64;
        ninho_filter *filter = filter_of(&spec, NULL);
        CHECK_OK(ninho_near_handle_of(filter, &handle, NULL));
        for (int64_t i = 0; i < 60000; i++)
            CHECK_OK(ninho_filter_add_key(filter, encoded_int64(i, key), 8));
        for (int64_t i = 0; i < 90000; i++) {
            const bool answer = ninho_filter_has_key(filter, encoded_int64(i, key), 8);
            CHECK(answer || i >= 60000);
            CHECK(ninho_near_has_int64(&handle, i) == answer);
            CHECK(ninho_near_has_key(&handle, key, 8) == answer);
        }
        CHECK(ninho_near_has_key(&handle, "short", 5)); /* no such key: "maybe" */
        ninho_filter_free(filter);
    }
    ninho_filter *other =
        near_filter(4 * 16, 12, 0); /* no spare bucket, and hashes for keys */
    CHECK_STATUS(ninho_near_handle_of(other, &handle, NULL), NINHO_ERR_UNSUPPORTED);
    ninho_filter_free(other);
    other = cuckoo_filter(DEFAULT_CUCKOO, 100, .01);
    CHECK_STATUS(ninho_near_handle_of(other, &handle, NULL), NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_near_handle_of(NULL, &handle, NULL), NINHO_ERR_ARG);
    ninho_filter_free(other);
}

/* ---- Plans --------------------------------------------------------------------------------- */

static ninho_spec planned(ninho_prefer prefer, uint64_t capacity, double fpr,
                          ninho_plan *plan)
{
    ninho_spec spec = cuckoo_spec(DEFAULT_CUCKOO, capacity, fpr), made = NINHO_SPEC_INIT;
    ninho_filter *filter;

    spec.prefer = prefer;
    *plan = (ninho_plan)NINHO_PLAN_INIT;
    CHECK_OK(ninho_filter_plan(&spec, plan, NULL));
    CHECK(plan->fpr_expected <= fpr * 1.000001);
    filter = filter_of(&spec, NULL);
    CHECK_OK(ninho_filter_spec(filter, &made));
    ninho_filter_free(filter);
    return made;
}

/* Every capacity: near where it is not half as large again, and where tags of 16 bits will do. */
static void speed_takes_near_tables(void **state)
{
    unsigned n_near = 0;

    (void)state;
    for (uint64_t n = 1; n < 3000000; n += 1 + n / 7) {
        ninho_plan plan, usual;
        test_where("capacity %llu", (unsigned long long)n);
        const ninho_spec made = planned(NINHO_PREFER_SPEED, n, .0019, &plan);
        (void)planned(0, n, .0019, &usual);
        CHECK(plan.table_bytes <= usual.table_bytes + usual.table_bytes / 2 + 3);
        CHECK(made.pairing == NINHO_PAIRING_NEAR || n < 10000);
        n_near += made.pairing == NINHO_PAIRING_NEAR;
    }
    CHECK(n_near > 40);
    ninho_plan plan;
    CHECK_U64(planned(NINHO_PREFER_SPEED, 1000000, 1e-6, &plan).pairing,
              NINHO_PAIRING_OFFSET);
    CHECK_U64(planned(NINHO_PREFER_SPEED, 1000000, .0019, &plan).n_slots, (1 << 20) + 4);
    CHECK((double)plan.table_bytes * 8 / 1000000 < 12.6);
    CHECK_U64(planned(NINHO_PREFER_SPEED, 1000000, 0x1p-13, &plan).tag_bits, 16);
}

static void what_was_given_stands_against_speed(void **state)
{
    const ninho_spec given[] = {
        {.pairing = NINHO_PAIRING_OFFSET},
        {.slots = NINHO_WINDOWS},
        {.place_slots = 3},
        {.tag_bits = 11},
        {.n_slots = 80000},
    };

    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        ninho_spec spec = given[i], made = NINHO_SPEC_INIT;
        spec.size_of_struct = sizeof spec;
        spec.kind = NINHO_CUCKOO;
        spec.capacity = 60000;
        spec.fpr = .01;
        spec.prefer = NINHO_PREFER_SPEED;
        ninho_filter *filter = filter_of(&spec, NULL);
        CHECK_OK(ninho_filter_spec(filter, &made));
        CHECK_U64(made.pairing, NINHO_PAIRING_OFFSET);
        ninho_filter_free(filter);
    }
}

static void space_never_takes_more_and_often_less(void **state)
{
    unsigned n_less = 0;

    (void)state;
    for (double fpr = .02; fpr > 1e-7; fpr *= .9) {
        ninho_plan plan, usual;
        test_where("fpr %g", fpr);
        (void)planned(NINHO_PREFER_SPACE, 1000000, fpr, &plan);
        (void)planned(0, 1000000, fpr, &usual);
        CHECK(plan.table_bytes <= usual.table_bytes);
        n_less += plan.table_bytes < usual.table_bytes;
    }
    CHECK(n_less > 10);
    ninho_plan plan;
    CHECK_U64(planned(NINHO_PREFER_SPACE, 8000000, 0x1p-13, &plan).place_slots, 2);
    CHECK((double)plan.table_bytes * 8 / 8000000 < 15.96);
}

/* No run gets more keys than it has room for. */
static void near_tables_take_their_capacity(void **state)
{
    static const uint64_t capacities[] = {1,    7,     60,    900,   1304,
                                          6680, 20000, 50000, 131000};

    (void)state;
    for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++)
        for (uint64_t seed = 0; seed < 40000 / (capacities[c] + 1000) + 1; seed++) {
            ninho_spec spec = cuckoo_spec(DEFAULT_CUCKOO, capacities[c], .0019);
            spec.pairing = NINHO_PAIRING_NEAR;
            ninho_filter *filter = filter_of(&spec, NULL);
            test_where("capacity %u, seed %u", (unsigned)capacities[c], (unsigned)seed);
            for (uint64_t i = 0; i < capacities[c]; i++)
                CHECK_OK(ninho_filter_add(filter, mix64((seed << 32) + i)));
            check_hashes(filter, seed << 32, capacities[c]);
            ninho_filter_free(filter);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_models),
        cmocka_unit_test(removals_take_one_copy_and_nothing_else),
        cmocka_unit_test(a_tag_in_a_spare_bucket_is_refused),
        cmocka_unit_test(the_near_handle_answers_as_the_filter),
        cmocka_unit_test(speed_takes_near_tables),
        cmocka_unit_test(what_was_given_stands_against_speed),
        cmocka_unit_test(space_never_takes_more_and_often_less),
        cmocka_unit_test(near_tables_take_their_capacity),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
