/* SPDX-License-Identifier: MIT */
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNIVERSE = 3000, CAPACITY = 600, MOST_AT_ONCE = 150 };

struct model {
    const struct family *family;
    uint32_t can;
    ninho_spec spec;
    ninho_open_options open;
    ninho_filter *filter;
    uint32_t copies[UNIVERSE]; /* the twin: how many of each key there are */
    uint64_t hashes[UNIVERSE];
    uint64_t count;
    bool count_is_estimate;
    uint64_t n_refused;
    bool may_be_full; /* where the kind has places for so many tags and no more */
    uint8_t *before; /* what the bytes were, now and then, before what might be refused */
    size_t before_size;
    struct test_rng rng;
    const char *path;
};

static size_t any_key(struct model *m)
{
    return (size_t)rng_below(&m->rng, UNIVERSE);
}

/* A key that is in, if a few tries find one; any otherwise. */
static size_t likely_key(struct model *m)
{
    size_t key = any_key(m);

    for (int i = 0; i < 20 && !m->copies[key]; i++)
        key = any_key(m);
    return key;
}

static void replace(struct model *m, ninho_filter *next)
{
    ninho_filter_free(m->filter);
    m->filter = next;
}

/* One in so many times, so that it does not take all the time there is. */
static void remember(struct model *m, uint64_t one_in)
{
    if (m->may_be_full && rng_below(&m->rng, one_in) == 0)
        m->before = encoded(m->filter, &m->before_size);
}

/* Whether it was done. What was refused for want of room has changed nothing. */
static bool is_done(struct model *m, ninho_status status)
{
    size_t size;

    if (!m->may_be_full)
        CHECK_OK(status);
    CHECK(status == NINHO_OK || status == NINHO_ERR_FULL);
    if (m->before && status) {
        uint8_t *after = encoded(m->filter, &size);
        CHECK(size == m->before_size && memcmp(m->before, after, size) == 0);
        free(after);
    }
    free(m->before);
    m->before = NULL;
    m->n_refused += status != NINHO_OK;
    return !status;
}

/* So many keys were added. A set counts those that seemed new. */
static void count_added(struct model *m, uint64_t n)
{
    const uint64_t before = m->count;

    m->count += n;
    if (family_is_set(m->family)) {
        m->count = ninho_filter_count(m->filter);
        CHECK(m->count >= before && m->count <= before + n);
    }
}

/* ---- Operations ---------------------------------------------------------------------------- */

static void add(struct model *m)
{
    const size_t key = any_key(m);
    const bool had = ninho_filter_has(m->filter, m->hashes[key]);
    const uint64_t count = m->count;

    remember(m, 200);
    if (!is_done(m, ninho_filter_add(m->filter, m->hashes[key]))) {
        CHECK(ninho_filter_has(m->filter, m->hashes[key]) == had);
        return;
    }
    CHECK(ninho_filter_has(m->filter, m->hashes[key]));
    m->copies[key]++;
    count_added(m, 1);
    CHECK(had || m->count == count + 1);
}

static void add_many(struct model *m)
{
    uint64_t hashes[MOST_AT_ONCE];
    size_t keys[MOST_AT_ONCE] = {0};
    const size_t n = (size_t)rng_below(&m->rng, MOST_AT_ONCE + 1);
    size_t n_added = 0;

    for (size_t i = 0; i < n; i++) {
        keys[i] = any_key(m);
        hashes[i] = m->hashes[keys[i]];
    }
    if (is_done(m, ninho_filter_add_many(m->filter, hashes, n, &n_added)))
        CHECK_U64(n_added, n);
    else
        CHECK(n_added < n);
    for (size_t i = 0; i < n_added; i++)
        m->copies[keys[i]]++;
    count_added(m, n_added);
}

static void has(struct model *m)
{
    const size_t key = any_key(m);

    CHECK(ninho_filter_has(m->filter, m->hashes[key]) || !m->copies[key]);
}

static void has_many(struct model *m)
{
    uint64_t hashes[MOST_AT_ONCE], maybe[(MOST_AT_ONCE + 63) / 64];
    size_t keys[MOST_AT_ONCE];
    const size_t n = (size_t)rng_below(&m->rng, MOST_AT_ONCE + 1);

    for (size_t i = 0; i < n; i++) {
        keys[i] = any_key(m);
        hashes[i] = m->hashes[keys[i]];
    }
    ninho_filter_has_many(m->filter, hashes, n, maybe);
    for (size_t i = 0; i < n; i++) {
        const bool is_maybe = maybe[i / 64] >> (i % 64) & 1;
        CHECK(is_maybe || !m->copies[keys[i]]);
        CHECK(is_maybe == ninho_filter_has(m->filter, hashes[i]));
    }
}

static void copies(struct model *m)
{
    const size_t key = any_key(m);
    const uint64_t told = ninho_filter_copies(m->filter, m->hashes[key]);

    CHECK(told >= (m->can & NINHO_CAN_REMOVE ? m->copies[key] : m->copies[key] != 0));
    CHECK(!told || ninho_filter_has(m->filter, m->hashes[key]));
}

static void remove_one(struct model *m)
{
    const size_t key = likely_key(m);

    if (!(m->can & NINHO_CAN_REMOVE)) {
        CHECK_STATUS(ninho_filter_remove(m->filter, m->hashes[key]),
                     NINHO_ERR_UNSUPPORTED);
    } else if (m->copies[key]) {
        CHECK_OK(ninho_filter_remove(m->filter, m->hashes[key]));
        m->copies[key]--;
        m->count--;
    } else if (!ninho_filter_has(m->filter, m->hashes[key])) {
        CHECK_STATUS(ninho_filter_remove(m->filter, m->hashes[key]), NINHO_ERR_NOT_FOUND);
    } /* else a false positive, which nobody may remove */
}

static void unite(struct model *m)
{
    ninho_filter *other = NULL;
    const size_t n = (size_t)rng_below(&m->rng, 100);

    CHECK_OK(ninho_filter_create(&m->spec, NULL, &other, NULL));
    if (!(m->can & NINHO_CAN_UNION)) {
        CHECK_STATUS(ninho_filter_union(m->filter, other, NULL), NINHO_ERR_UNSUPPORTED);
    } else {
        size_t keys[100] = {0};
        for (size_t i = 0; i < n; i++) {
            keys[i] = any_key(m);
            CHECK_OK(ninho_filter_add(other, m->hashes[keys[i]]));
        }
        remember(m, 1);
        if (is_done(m, ninho_filter_union(m->filter, other, NULL))) {
            for (size_t i = 0; i < n; i++)
                m->copies[keys[i]]++;
            count_added(m, n);
            m->count_is_estimate |=
                !(m->can & NINHO_CAN_REMOVE) && !family_is_set(m->family);
        }
    }
    ninho_filter_free(other);
}

static void clear(struct model *m)
{
    CHECK_OK(ninho_filter_clear(m->filter));
    memset(m->copies, 0, sizeof m->copies);
    m->count = 0;
    m->count_is_estimate = false;
}

static void encode_and_decode(struct model *m)
{
    ninho_filter *decoded = NULL;
    const ninho_filter *viewed = NULL;
    ninho_view view;
    size_t size;
    uint8_t *bytes = encoded(m->filter, &size);

    CHECK_OK(ninho_filter_view(&view, bytes, size, &m->open, &viewed, NULL));
    CHECK_OK(ninho_filter_verify(viewed, NULL));
    for (int i = 0; i < 30; i++) {
        const uint64_t hash = m->hashes[any_key(m)];
        CHECK(ninho_filter_has(viewed, hash) == ninho_filter_has(m->filter, hash));
    }
    if (rng_below(&m->rng, 2))
        CHECK_OK(ninho_filter_decode(bytes, size, &m->open, &decoded, NULL));
    else
        CHECK_OK(ninho_filter_copy(viewed, NULL, &decoded, NULL));
    check_same_bytes(m->filter, decoded);
    free(bytes);
    replace(m, decoded);
}

static void copy(struct model *m)
{
    ninho_filter *twin = NULL;

    CHECK_OK(ninho_filter_copy(m->filter, NULL, &twin, NULL));
    /* the copy must not see this */
    is_done(m, ninho_filter_add(m->filter, mix64(m->count)));
    replace(m, twin);
}

static void save_and_open(struct model *m)
{
    ninho_filter *opened = NULL, *mapped = NULL;

    CHECK_OK(ninho_filter_save(m->filter, m->path, NULL));
    CHECK_OK(ninho_filter_open(m->path, &m->open, &opened, NULL));
    CHECK_OK(ninho_filter_map(m->path, &m->open, &mapped, NULL));
    check_same_bytes(m->filter, opened);
    check_same_bytes(m->filter, mapped);
    ninho_filter_free(mapped);
    replace(m, opened);
}

/* Every key of the universe, and the numbers that the filter tells about itself. */
static void check_all(struct model *m)
{
    ninho_info info = NINHO_INFO_INIT;
    size_t n_absent = 0, n_false = 0;

    for (size_t key = 0; key < UNIVERSE; key++) {
        const bool is_maybe = ninho_filter_has(m->filter, m->hashes[key]);
        CHECK(is_maybe || !m->copies[key]);
        n_absent += !m->copies[key];
        n_false += is_maybe && !m->copies[key];
    }
    CHECK_OK(ninho_filter_info(m->filter, &info));
    CHECK_OK(ninho_filter_verify(m->filter, NULL));
    CHECK(!info.count_is_estimate || m->count_is_estimate);
    if (!m->count_is_estimate) {
        CHECK_U64(info.count, m->count);
        CHECK_U64(ninho_filter_count(m->filter), m->count);
    }
    /* false positives as often as the filter itself says: 7 deviations, for the many checks */
    if ((double)n_false > binomial_high((double)n_absent, info.fpr_expected, 7) + 2)
        test_fail(__FILE__, __LINE__, "%zu false positives in %zu, fpr expected %g",
                  n_false, n_absent, info.fpr_expected);
}

/* How often each comes up, in 1/20,000ths. */
static const struct {
    void (*run)(struct model *m);
    unsigned weight;
} operations[] = {
    {add, 7000},     {add_many, 30},     {has, 6600},
    {has_many, 300}, {copies, 600},      {remove_one, 5400},
    {unite, 12},     {clear, 4},         {encode_and_decode, 30},
    {copy, 20},      {save_and_open, 1}, {check_all, 3},
};

static void run_step(struct model *m)
{
    uint64_t at = rng_below(&m->rng, 20000);

    for (size_t i = 0;; i++) {
        if (at < operations[i].weight) {
            operations[i].run(m);
            return;
        }
        at -= operations[i].weight;
    }
}

static bool (*is_chosen)(const struct family *family);

static void filters_agree_with_an_exact_multiset(void **state)
{
    const size_t n_steps = test_scaled(1000000, 2000);
    const uint64_t seed = test_seed(20261115);
    struct temp_dir dir;
    char path[512];

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "model", path);
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        if (!is_chosen(family))
            continue;
        struct model *m = calloc(1, sizeof *m);
        CHECK(m);
        m->family = family;
        m->can = family_can(family);
        m->may_be_full = family_has_places(family);
        m->spec = family_spec(family, CAPACITY, .02, seed % 200);
        m->open = family_open(family, seed % 200);
        m->filter = family_filter(family, CAPACITY, .02, seed % 200);
        m->rng.state = seed + (uint64_t)(family - families);
        m->path = path;
        spec_hashes(&m->spec, 0, UNIVERSE, m->hashes);
        for (size_t step = 0; step < n_steps; step++) {
            if (step % 16 ==
                0) /* formatting at every step would take longer than the step */
                test_where("%s: NINHO_TEST_SEED=%llu, step %zu to %zu", family->name,
                           (unsigned long long)seed, step, step + 15);
            run_step(m);
        }
        check_all(m);
        CHECK(family->room != 1 || n_steps < 100000 || m->n_refused > 1000);
        ninho_filter_free(m->filter);
        free(m);
    }
    temp_dir_remove(&dir);
}

int model_main(bool (*is_mine)(const struct family *family))
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_agree_with_an_exact_multiset),
    };

    is_chosen = is_mine;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
