/* SPDX-License-Identifier: MIT */
/* The planner's sizes of every shape of cuckoo table, as they were when format version 1 was fixed: a
 * table of another size than yesterday's could not be united with yesterday's file. */
#include "unit/cuckoos.h"

#include <string.h>

enum { SHAPES = 12, SEARCHES = 2, CAPACITIES = 4 };

static const uint64_t capacities[CAPACITIES] = {100, 10000, 49999, 1000000};

/* Buckets of 1 to 9 slots, then windows of 2 to 4; by shortest path, then by walk. */
static const uint64_t slots[SHAPES][SEARCHES][CAPACITIES] = {
    {{912, 29123, 135576, 2593014}, {912, 29123, 135576, 2593014}},
    {{160, 11694, 57710, 1145322}, {186, 12320, 60428, 1194618}},
    {{135, 10716, 53208, 1060053}, {153, 11178, 55173, 1095156}},
    {{128, 10452, 51912, 1034364}, {132, 10660, 52932, 1054592}},
    {{130, 10325, 51290, 1021985}, {130, 10570, 52500, 1045980}},
    {{126, 10254, 50934, 1014900}, {132, 10464, 51966, 1035408}},
    {{126, 10213, 50736, 1010891}, {133, 10381, 51548, 1027110}},
    {{128, 10192, 50632, 1008904}, {128, 10328, 51296, 1021984}},
    {{126, 10179, 50535, 1006920}, {126, 10296, 51138, 1018935}},
    {{128, 10717, 53307, 1063075}, {136, 11176, 55504, 1105813}},
    {{117, 10268, 51218, 1023248}, {129, 10590, 52604, 1048119}},
    {{114, 10155, 50660, 1014742}, {127, 10430, 51807, 1032279}},
};

static ninho_spec shape_spec(unsigned shape, unsigned search, uint64_t capacity)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = NINHO_CUCKOO;
    spec.capacity = capacity;
    spec.fpr = .01;
    spec.slots = shape < 9 ? NINHO_BUCKETS : NINHO_WINDOWS;
    spec.place_slots = shape < 9 ? shape + 1 : shape - 7;
    spec.choice = NINHO_CHOICE_EMPTIER;
    spec.search = search ? NINHO_SEARCH_WALK : NINHO_SEARCH_BFS;
    spec.pairing = NINHO_PAIRING_OFFSET;
    return spec;
}

static void sizes_are_what_they_were(void **state)
{
    (void)state;
    for (unsigned shape = 0; shape < SHAPES; shape++)
        for (unsigned search = 0; search < SEARCHES; search++)
            for (unsigned c = 0; c < CAPACITIES; c++) {
                const ninho_spec spec = shape_spec(shape, search, capacities[c]);
                ninho_plan plan = NINHO_PLAN_INIT;
                test_where("shape %u, search %u, capacity %llu", shape, search,
                           (unsigned long long)capacities[c]);
                CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
                CHECK_U64(plan.n_cells, slots[shape][search][c]);
            }
}

/* What the plan says beside the numbers depends on the search that was asked for. */
static void a_short_search_is_noted(void **state)
{
    for (unsigned search = 0; search < SEARCHES; search++) {
        ninho_spec spec = shape_spec(11, search, 1000000);
        ninho_plan plan = NINHO_PLAN_INIT;

        (void)state;
        CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
        CHECK(!plan.note || !strstr(plan.note, "so short a search"));
        if (search)
            spec.max_kicks = 499;
        else
            spec.budget = 4999;
        CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
        CHECK(plan.note && strstr(plan.note, "so short a search"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_what_they_were),
        cmocka_unit_test(a_short_search_is_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
