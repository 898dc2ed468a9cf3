/* SPDX-License-Identifier: MIT */
/* What the planner makes of a capacity: little memory, and room for every key of it. */
#include "unit/cuckoos.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Space --------------------------------------------------------------------------------- */

static double bits_per_key(uint64_t capacity, double fpr)
{
    const ninho_spec spec = cuckoo_spec(DEFAULT_CUCKOO, capacity, fpr);
    ninho_plan plan = NINHO_PLAN_INIT;

    CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
    CHECK(plan.fpr_expected <= fpr * 1.000001);
    CHECK(is_near(plan.bits_per_key, 8. * (double)plan.size_bytes / (double)capacity,
                  1e-9));
    return plan.bits_per_key;
}

/* Not only lucky sizes: steps of a millesimal, and every size near powers of two. */
static void any_capacity_from_50000_on_is_small(void **state)
{
    (void)state;
    for (uint64_t n = 50000; n <= 100000000; n += 1 + n / 1000) {
        test_where("capacity %llu", (unsigned long long)n);
        CHECK(bits_per_key(n, 0x1p-13) <= 16.25);
    }
    for (unsigned bits = 16; bits <= 26; bits++)
        for (int64_t d = -300; d <= 300; d++) {
            const uint64_t n = (UINT64_C(1) << bits) + (uint64_t)d;
            test_where("capacity %llu", (unsigned long long)n);
            CHECK(bits_per_key(n, 0x1p-13) <= 16.25);
        }
    CHECK(bits_per_key(100000000, 0x1p-13) <= 16.25);
    for (uint64_t n = 50000; n < 60000; n++)
        CHECK(bits_per_key(n, 0x1p-13) <= 16.25);
}

/* The promise's bits, those of two places and half a bit for tags of whole bits; over the load; and
 * the 32nd that the planner gives for wider windows. */
static void any_fpr_is_small(void **state)
{
    (void)state;
    for (double fpr = .02; fpr > 1e-8; fpr *= .97) {
        test_where("fpr %g", fpr);
        CHECK(bits_per_key(1000000, fpr) <= 1.05 * (log2(1 / fpr) + 3.8));
    }
}

/* ---- Room ---------------------------------------------------------------------------------- */

static uint64_t fill_to_capacity(const struct cuckoo *cuckoo, uint64_t capacity,
                                 double fpr, uint64_t seed)
{
    ninho_filter *filter = cuckoo_filter(cuckoo, capacity, fpr);
    enum { BATCH = 4096 };
    static uint64_t hashes[BATCH];

    test_where("%s: capacity %llu, fpr %g, seed %llu", cuckoo->name,
               (unsigned long long)capacity, fpr, (unsigned long long)seed);
    const uint64_t start = mix64(seed) << 24;
    for (uint64_t done = 0; done < capacity;) {
        const size_t n = capacity - done < BATCH ? (size_t)(capacity - done) : BATCH;
        for (size_t i = 0; i < n; i++)
            hashes[i] = mix64(start + done + i);
        CHECK_OK(ninho_filter_add_many(filter, hashes, n, NULL));
        done += n;
    }
    CHECK_U64(ninho_filter_count(filter), capacity);
    const ninho_stats stats = stats_of(filter);
    CHECK_U64(stats.n_failed, 0);
    ninho_filter_free(filter);
    return stats.n_moves;
}

/* The default at the sizes that the promise of space is for, over many seeds. */
static void a_planned_filter_takes_all_its_keys(void **state)
{
    static const uint64_t sizes[] = {50000, 50021, 61234, 65536, 65537, 100003, 131072};
    const uint64_t n_seeds = test_scaled(30, 2);

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t seed = 0; seed < n_seeds; seed++)
            fill_to_capacity(DEFAULT_CUCKOO, sizes[i], 0x1p-13, 1000 * i + seed);
    for (uint64_t seed = 0; seed < test_scaled(3, 1); seed++)
        fill_to_capacity(DEFAULT_CUCKOO, 1000000 + 7919 * seed, 0x1p-13, 77 + seed);
}

static void small_filters_take_all_their_keys(void **state)
{
    static const double fprs[] = {.01, 0x1p-13, 1e-6};
    const uint64_t step = test_scale() >= 100 ? 1 : 23;

    (void)state;
    for (uint64_t n = 1; n <= 5000; n += n < 300 ? 1 : step)
        for (uint64_t seed = 0; seed < (n < 300 ? 20 : 2); seed++)
            fill_to_capacity(DEFAULT_CUCKOO, n, fprs[(n + seed) % 3], seed);
}

/* The planner's word is for searches of the usual length. */
static struct cuckoo with_usual_search(const struct cuckoo *cuckoo)
{
    struct cuckoo usual = *cuckoo;

    usual.spec.max_kicks = 0;
    usual.spec.budget = 0;
    return usual;
}

/* Every other configuration too, also where tags are as short as they can be: more keys than two
 * places have slots for must not be alike. (Buckets of 1 may be full early by chance, and the plan
 * says so; long tags make it rare.) */
static void whatever_the_choices_they_take_all_their_keys(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        const struct cuckoo usual = with_usual_search(cuckoo);
        for (uint64_t n = 1; n < 30000; n += n < 50 ? 1 : n / 7)
            for (uint64_t seed = 0; seed < test_scaled(4, 1); seed++)
                fill_to_capacity(&usual, n, 1e-5, 4 * n + seed);
        if (usual.spec.place_slots == 1)
            continue;
        for (uint64_t n = 1000; n <= 100000; n *= 10)
            for (uint64_t seed = 0; seed < test_scaled(4, 1); seed++)
                fill_to_capacity(&usual, n, seed % 2 ? .02 : .4, 4 * n + seed);
    }
}

/* Whatever bucket and budget are: the memory to search in is bounded, on 32 bits too. */
static void large_buckets_and_budgets_take_little_memory(void **state)
{
    ninho_spec spec = spec_of(NINHO_CUCKOO, 1000, .01);
    struct test_heap heap;

    (void)state;
    heap_init(&heap);
    spec.slots = NINHO_BUCKETS;
    spec.place_slots = 255;
    spec.budget = 1000000;
    spec.n_slots = 255 * 100;
    ninho_filter *filter = filter_of(&spec, &heap.alloc);
    CHECK(heap.live_bytes < 4 << 20);
    fill_until_full(filter, 0);
    CHECK(ninho_filter_count(filter) > 25000);
    CHECK_OK(ninho_filter_verify(filter, NULL));
    ninho_filter_free(filter);
}

/* A power of two of places is noted where it costs more than a tenth. */
static void what_xor_pairing_wastes_is_noted(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        ninho_spec spec = NINHO_SPEC_INIT;
        ninho_plan plan = NINHO_PLAN_INIT;
        ninho_spec_original(&spec);
        spec.kind = NINHO_CUCKOO;
        spec.capacity = i ? 600000 : 980000; /* of 2^20 slots */
        spec.fpr = .01;
        CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
        CHECK_U64(plan.n_cells, 1 << 20);
        CHECK((plan.note && strstr(plan.note, "power of two")) == (i == 1));
    }
}

static void what_is_usual_needs_no_note(void **state)
{
    ninho_spec spec = spec_of(NINHO_CUCKOO, 1000000, .01);
    ninho_plan plan = NINHO_PLAN_INIT;

    (void)state;
    CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
    CHECK(!plan.note);
    spec.slots = NINHO_BUCKETS;
    spec.place_slots = 1;
    CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
    CHECK(plan.note && strstr(plan.note, "one slot a bucket"));
}

static void a_plan_that_succeeds_leaves_the_error_alone(void **state)
{
    const ninho_spec spec = spec_of(NINHO_CUCKOO, 1000000, 1.5e-9);
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = {.status = NINHO_OK, .text = "mine"};

    (void)state;
    CHECK_OK(ninho_filter_plan(&spec, &plan, &error));
    CHECK(error.status == NINHO_OK && strcmp(error.text, "mine") == 0);
    CHECK(plan.place_slots < 4 && plan.slots == NINHO_WINDOWS && plan.load > .9);
    ninho_spec_original(NULL);
}

/* ---- Options ------------------------------------------------------------------------------- */

/* Refused with a text that holds these words. */
static void check_refused(const ninho_spec *spec, const char *words)
{
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_filter *filter = NULL;

    test_where("%s", words);
    CHECK_STATUS(ninho_filter_plan(spec, &plan, &error), NINHO_ERR_ARG);
    if (!strstr(error.text, words))
        test_fail(__FILE__, __LINE__, "\"%s\" lacks \"%s\"", error.text, words);
    CHECK_STATUS(ninho_filter_create(spec, NULL, &filter, NULL), NINHO_ERR_ARG);
    CHECK(!filter);
}

static void check_works(const ninho_spec *spec, const char *what)
{
    ninho_filter *filter = filter_of(spec, NULL), *decoded = NULL;
    size_t size;

    test_where("%s works", what);
    for (uint64_t i = 0; i < spec->capacity; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    check_hashes(filter, 0, spec->capacity);
    CHECK_OK(ninho_filter_verify(filter, NULL));
    uint8_t *bytes = encoded(filter, &size);
    CHECK_OK(ninho_filter_decode(bytes, size, NULL, &decoded, NULL));
    check_equal_bytes(filter, decoded);
    free(bytes);
    ninho_filter_free(filter);
    ninho_filter_free(decoded);
}

/* One option of a spec set to a value that is in its range or not. */
struct trial {
    const char *words; /* of the refusal; NULL: it works */
    ninho_spec spec;
};

static void options_outside_their_range_are_refused_with_it(void **state)
{
    const uint32_t huge = UINT32_MAX;
#define B .slots = NINHO_BUCKETS
#define W .slots = NINHO_WINDOWS
#define X .pairing = NINHO_PAIRING_XOR
#define K .search = NINHO_SEARCH_WALK
    const struct trial trials[] = {
        {"place_slots of a cuckoo filter in buckets must be 1 to 255, not 256",
         {B, .place_slots = 256}},
        {"place_slots of a cuckoo filter in buckets must be 1 to 255",
         {B, .place_slots = huge}},
        {NULL, {B, .place_slots = 1}},
        {NULL, {B, .place_slots = 255}},
        {"place_slots of a cuckoo filter in windows must be 2 to 4, not 1",
         {W, .place_slots = 1}},
        {"place_slots of a cuckoo filter in windows must be 2 to 4, not 5",
         {W, .place_slots = 5}},
        {"place_slots of a cuckoo filter in windows must be 2 to 4, not 255",
         {.place_slots = 255}},
        {"place_slots of a cuckoo filter in windows must be 2 to 4",
         {.place_slots = huge}},
        {NULL, {W, .place_slots = 2}},
        {NULL, {W, .place_slots = 4}},
        {"max_kicks of a cuckoo filter must be 1 to 65535, not 65536",
         {K, .max_kicks = 65536}},
        {"max_kicks of a cuckoo filter must be 1 to 65535", {K, .max_kicks = huge}},
        {NULL, {K, .max_kicks = 1, B, .place_slots = 8, .n_slots = 128}},
        {NULL, {K, .max_kicks = 255}},
        {NULL, {K, .max_kicks = 65535}},
        {"max_kicks is for search walk", {.max_kicks = 500}},
        {"budget of a cuckoo filter must be 1 to 1000000, not 1000001",
         {.budget = 1000001}},
        {"budget of a cuckoo filter must be 1 to 1000000", {.budget = huge}},
        {NULL, {.budget = 1, B, .place_slots = 8, .n_slots = 128}},
        {NULL, {.budget = 1000000}},
        {"budget is for search bfs", {K, .budget = 500}},
        {"tag_bits of a cuckoo filter must be 8 to 32, not 7", {.tag_bits = 7}},
        {"tag_bits of a cuckoo filter must be 8 to 32, not 1", {B, .tag_bits = 1}},
        {"tag_bits of a cuckoo filter must be 8 to 32, not 33", {.tag_bits = 33}},
        {"tag_bits of a cuckoo filter must be 8 to 32, not 255", {W, X, .tag_bits = 255}},
        {"tag_bits of a cuckoo filter must be 4 to 32, not 3", {B, X, .tag_bits = 3}},
        {"tag_bits of a cuckoo filter must be 4 to 32, not 33", {B, X, .tag_bits = 33}},
        {"tag_bits of a cuckoo filter must be 4 to 32", {B, X, .tag_bits = huge}},
        {NULL, {.tag_bits = 8}},
        {NULL, {.tag_bits = 32}},
        {NULL, {B, X, .tag_bits = 4}},
        {NULL, {B, X, .tag_bits = 32}},
        {NULL, {B, X, .tag_bits = 32, .place_slots = 255}},
        {"slots must be buckets or windows", {.slots = (ninho_slots)3}},
        {"choice must be random or emptier", {.choice = (ninho_choice)3}},
        {"search must be walk or bfs", {.search = (ninho_search)-1}},
        {"pairing must be xor, offset or near", {.pairing = (ninho_pairing)4}},
        {"semantics must be multiset or set", {.semantics = (ninho_semantics)2}},
        {"n_slots must be from the capacity, 20", {.n_slots = 19}},
        {"n_slots must be from the capacity, 20", {.n_slots = (UINT64_C(1) << 50) + 1}},
        {"n_slots must be from the capacity, 20", {.n_slots = UINT64_MAX}},
        {"n_slots must be a multiple of the bucket, 4, not 401", {B, .n_slots = 401}},
        {"pairing xor wants a power of two of places, from 2 on, not 12",
         {B, X, .n_slots = 48}},
        {"pairing xor wants a power of two of places, from 2 on, not 45",
         {W, X, .place_slots = 4, .n_slots = 48}},
        {NULL, {W, X, .place_slots = 4, .n_slots = 67}},
        {NULL, {B, X, .n_slots = 64}},
        {NULL, {B, .n_slots = 52}},
        {"n_hashes is for kind", {.n_hashes = 3}},
        {"n_bits is for kind", {.n_bits = 1000}},
        {"growth is for kind", {.growth = 2}},
        {"max_capacity is for kind", {.max_capacity = 1000}},
    };
#undef B
#undef W
#undef X
#undef K

    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        ninho_spec spec = trials[i].spec;
        char what[32];
        spec.size_of_struct = sizeof spec;
        spec.kind = NINHO_CUCKOO;
        spec.key_encoding = NINHO_KEY_HASHES;
        spec.capacity = 20;
        spec.fpr = .1;
        snprintf(what, sizeof what, "trial %zu", i);
        if (trials[i].words)
            check_refused(&spec, trials[i].words);
        else
            check_works(&spec, what);
    }
}

static void an_fpr_that_no_tag_keeps_is_refused(void **state)
{
    ninho_spec spec = cuckoo_spec(DEFAULT_CUCKOO, 1000000, 1e-10);

    (void)state;
    check_refused(&spec, "fpr of a cuckoo filter must be at least");
    spec = cuckoo_spec(ORIGINAL_CUCKOO, 1000, 1e-10);
    check_refused(&spec, "tags have at most 32 bits");
}

static void other_kinds_refuse_its_options(void **state)
{
    static const ninho_kind kinds[] = {NINHO_BLOOM, NINHO_QUOTIENT, NINHO_FUSE};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        ninho_spec spec = spec_of(kinds[i], 100, .01);
        ninho_plan plan = NINHO_PLAN_INIT;
        for (int option = 0; option < 9; option++) {
            ninho_spec other = spec;
            test_where("kind %d, option %d", (int)kinds[i], option);
            if (option == 0)
                other.slots = NINHO_BUCKETS;
            else if (option == 1)
                other.place_slots = 4;
            else if (option == 2)
                other.choice = NINHO_CHOICE_RANDOM;
            else if (option == 3)
                other.search = NINHO_SEARCH_BFS;
            else if (option == 4)
                other.pairing = NINHO_PAIRING_XOR;
            else if (option == 5)
                other.max_kicks = 5;
            else if (option == 6)
                other.budget = 5;
            else if (option == 7)
                other.semantics = NINHO_SET;
            else
                other.n_slots = 1000;
            CHECK_STATUS(ninho_filter_plan(&other, &plan, NULL), NINHO_ERR_ARG);
        }
    }
}

/* ninho_spec_original() sets the textbook's choices, and nothing else. */
static void the_original_is_the_textbooks_filter(void **state)
{
    ninho_spec spec = spec_of(NINHO_CUCKOO, 1000, .0625), back = NINHO_SPEC_INIT;

    (void)state;
    ninho_spec_original(&spec);
    CHECK(spec.slots == NINHO_BUCKETS && spec.place_slots == 4);
    CHECK(spec.choice == NINHO_CHOICE_RANDOM && spec.search == NINHO_SEARCH_WALK);
    CHECK(spec.pairing == NINHO_PAIRING_XOR && spec.max_kicks == 500 && !spec.budget);
    CHECK(spec.capacity == 1000 && spec.fpr == .0625 && !spec.n_slots && !spec.tag_bits);
    ninho_filter *filter = filter_of(&spec, NULL);
    ninho_filter *same = cuckoo_filter(ORIGINAL_CUCKOO, 1000, .0625);
    for (uint64_t i = 0; i < 1000; i++) {
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
        CHECK_OK(ninho_filter_add(same, mix64(i)));
    }
    check_equal_bytes(filter, same);
    CHECK_OK(ninho_filter_spec(filter, &back));
    CHECK(back.slots == spec.slots && back.place_slots == 4 &&
          back.choice == spec.choice && back.search == spec.search &&
          back.pairing == spec.pairing && back.max_kicks == 500);
    ninho_filter_free(filter);
    ninho_filter_free(same);
}

/* ---- The fpr, measured, of every shape ----------------------------------------------------- */

static void the_measured_fpr_is_the_expected_one(void **state)
{
    enum { N = 20000, N_ABSENT = 2000000 };

    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        const struct cuckoo usual = with_usual_search(cuckoo);
        ninho_filter *filter =
            cuckoo_filter(&usual, N, cuckoo->spec.place_slots == 1 ? .001 : .01);
        ninho_info info = NINHO_INFO_INIT;
        double n_maybe = 0;
        const size_t n_absent = test_scaled(N_ABSENT, 200000);
        test_where("%s", cuckoo->name);
        for (uint64_t i = 0; i < N; i++)
            CHECK_OK(ninho_filter_add(filter, mix64(i)));
        CHECK_OK(ninho_filter_info(filter, &info));
        CHECK(info.fpr_expected <= .01 * 1.0001);
        for (uint64_t i = 0; i < n_absent; i++)
            n_maybe += ninho_filter_has(filter, mix64(N + i));
        const double low = binomial_low((double)n_absent, .98 * info.fpr_expected, 5);
        const double high = binomial_high((double)n_absent, 1.02 * info.fpr_expected, 5);
        if (n_maybe < low || n_maybe > high)
            test_fail(__FILE__, __LINE__, "fpr %g, expected %g",
                      n_maybe / (double)n_absent, info.fpr_expected);
        ninho_filter_free(filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_capacity_from_50000_on_is_small),
        cmocka_unit_test(any_fpr_is_small),
        cmocka_unit_test(a_planned_filter_takes_all_its_keys),
        cmocka_unit_test(small_filters_take_all_their_keys),
        cmocka_unit_test(whatever_the_choices_they_take_all_their_keys),
        cmocka_unit_test(large_buckets_and_budgets_take_little_memory),
        cmocka_unit_test(what_is_usual_needs_no_note),
        cmocka_unit_test(what_xor_pairing_wastes_is_noted),
        cmocka_unit_test(a_plan_that_succeeds_leaves_the_error_alone),
        cmocka_unit_test(options_outside_their_range_are_refused_with_it),
        cmocka_unit_test(an_fpr_that_no_tag_keeps_is_refused),
        cmocka_unit_test(other_kinds_refuse_its_options),
        cmocka_unit_test(the_original_is_the_textbooks_filter),
        cmocka_unit_test(the_measured_fpr_is_the_expected_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
