/* SPDX-License-Identifier: MIT */
/* Adding and asking: what every family does alike. */
#include "conform/families.h"

#include <stdlib.h>
#include <string.h>

/* So many keys were added. */
static void check_count(const struct family *family, const ninho_filter *filter, size_t n)
{
    if (family_is_set(family))
        CHECK(ninho_filter_count(filter) > 0 && ninho_filter_count(filter) <= n);
    else
        CHECK_U64(ninho_filter_count(filter), n);
}

static void a_new_filter_is_empty(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        const ninho_spec spec = family_spec(family, 1000, .01, 0);
        ninho_filter *filter = family_filter(family, 1000, .01, 0);
        ninho_info info = NINHO_INFO_INIT;
        test_where("%s", family->name);
        CHECK_U64(count_range(filter, &spec, 0, 5000), 0);
        CHECK_U64(ninho_filter_count(filter), 0);
        CHECK_OK(ninho_filter_info(filter, &info));
        CHECK(info.count == 0 && info.load == 0 && info.fpr_expected == 0);
        CHECK(!info.count_is_estimate && !info.is_read_only && !info.is_sealed);
        CHECK_OK(ninho_filter_verify(filter, NULL));
        ninho_filter_free(filter);
    }
}

static void no_key_is_ever_lost(void **state)
{
    static const uint64_t capacities[] = {1, 2, 3, 7, 10, 63, 64, 65, 100, 1000, 12345};
    static const double fprs[] = {.9, .5, .1, .01, 1e-4, 1e-6};

    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        for (size_t c = 0; c < 11; c++) {
            for (size_t p = 0; p < 6; p++) {
                const size_t n = capacities[c];
                const ninho_spec spec = family_spec(family, n, fprs[p], c);
                ninho_filter *filter = family_filter(family, n, fprs[p], c);
                test_where("%s: capacity %zu, fpr %g", family->name, n, fprs[p]);
                for (size_t i = 0; i < n; i++) {
                    uint64_t hash;
                    spec_hashes(&spec, i, 1, &hash);
                    CHECK_OK(ninho_filter_add(filter, hash));
                    CHECK(ninho_filter_has(filter, hash));
                    CHECK(ninho_filter_copies(filter, hash) >= 1);
                }
                check_range(filter, &spec, 0, n);
                check_count(family, filter, n);
                CHECK_OK(ninho_filter_verify(filter, NULL));
                ninho_filter_free(filter);
            }
        }
    }
}

/* Hashes at the edges of every reduction and of every tag. */
static void extreme_hashes_are_ordinary(void **state)
{
    uint64_t hashes[4 + 2 * 64], in[4 + 2 * 64];
    size_t n = 0;

    (void)state;
    hashes[n++] = 0;
    hashes[n++] = UINT64_MAX;
    hashes[n++] = UINT32_MAX;
    hashes[n++] = (uint64_t)UINT32_MAX << 32;
    for (unsigned bit = 0; bit < 64; bit++) {
        hashes[n++] = UINT64_C(1) << bit;
        hashes[n++] = ~(UINT64_C(1) << bit);
    }
    FOR_EACH_FAMILY(family)
    {
        for (uint64_t capacity = 1; capacity < 3000; capacity = capacity * 3 + 1) {
            ninho_filter *filter = family_filter(family, capacity, .01, 0);
            test_where("%s: capacity %llu", family->name, (unsigned long long)capacity);
            size_t n_in = 0;
            for (size_t i = 0; i < n; i++) {
                const ninho_status status = ninho_filter_add(filter, hashes[i]);
                if (status == NINHO_ERR_FULL && family_has_places(family))
                    continue; /* half of them want the same place */
                CHECK_OK(status);
                in[n_in++] = hashes[i];
                for (size_t j = 0; j < n_in; j++)
                    CHECK(ninho_filter_has(filter, in[j]));
            }
            CHECK(n_in > n / 3); /* 15 tags at the least */
            ninho_filter_free(filter);
        }
    }
}

static void a_filter_can_be_filled_beyond_its_capacity(void **state)
{
    static const size_t capacities[] = {1, 2, 3, 7, 100, 1000};

    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        const uint32_t can = family_can(family);
        for (size_t c = 0; c < 6; c++) {
            const size_t n = capacities[c];
            const ninho_spec spec = family_spec(family, n, .01, 1);
            ninho_filter *filter = family_filter(family, n, .01, 1);
            ninho_info full = NINHO_INFO_INIT, over = NINHO_INFO_INIT;
            test_where("%s: 10 * %zu keys", family->name, n);
            add_range(filter, &spec, 0, n);
            CHECK_OK(ninho_filter_info(filter, &full));
            if (can & (NINHO_CAN_OVERFILL | NINHO_CAN_GROW)) {
                add_range(filter, &spec, n, 9 * n);
                check_range(filter, &spec, 0, 10 * n);
                check_count(family, filter, 10 * n);
                CHECK_OK(ninho_filter_info(filter, &over));
                CHECK_OK(ninho_filter_verify(filter, NULL));
                if (can & NINHO_CAN_OVERFILL)
                    CHECK(over.fpr_expected > full.fpr_expected && over.n_parts == 1 &&
                          over.size_bytes == full.size_bytes);
                if (can & NINHO_CAN_GROW)
                    CHECK(over.n_parts > 1 && over.size_bytes > full.size_bytes);
            } else if (family->room > 1) { /* grows in place */
                add_range(filter, &spec, n, 9 * n);
                check_range(filter, &spec, 0, 10 * n);
                CHECK_OK(ninho_filter_info(filter, &over));
                CHECK(over.n_parts == 1 && over.size_bytes >= full.size_bytes);
                CHECK_OK(ninho_filter_verify(filter, NULL));
            } else { /* full: one more changes nothing */
                size_t n_more = 0;
                for (ninho_status status = NINHO_OK; !status; n_more++) {
                    uint64_t hash;
                    ninho_filter *before = NULL;
                    spec_hashes(&spec, n + n_more, 1, &hash);
                    CHECK_OK(ninho_filter_copy(filter, NULL, &before, NULL));
                    status = ninho_filter_add(filter, hash);
                    if (status) {
                        CHECK_STATUS(status, NINHO_ERR_FULL);
                        check_same_bytes(filter, before);
                    }
                    ninho_filter_free(before);
                }
                /* a kind with places goes on as long as luck has it */
                CHECK(n_more == 1 || family_has_places(family));
                CHECK(n_more < n + 100);
                check_range(filter, &spec, 0, n + n_more - 1);
            }
            ninho_filter_free(filter);
        }
    }
}

/* Ten thousand copies of one key: nothing breaks, nobody else is lost. */
static void repeated_keys_do_no_harm(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_spec spec = family_spec(family, 100, .01, 0);
        ninho_filter *filter = family_filter(family, 100, .01, 0);
        uint64_t hash;
        test_where("%s", family->name);
        add_range(filter, &spec, 0, 50);
        spec_hashes(&spec, 7, 1, &hash);
        for (int i = 0; i < 10000; i++) {
            const ninho_status status = ninho_filter_add(filter, hash);
            CHECK(status == NINHO_OK ||
                  (status == NINHO_ERR_FULL && i >= 3 && family_has_places(family)));
        }
        check_range(filter, &spec, 0, 50);
        CHECK_OK(ninho_filter_verify(filter, NULL));
        ninho_filter_free(filter);
    }
}

/* Several tables of a growing kind may all take a key for theirs: that is still one. */
static void kinds_that_keep_no_copies_tell_0_or_1(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        if (family_can(family) & NINHO_CAN_REMOVE)
            continue;
        const ninho_spec spec = family_spec(family, 5, .8, 0);
        ninho_filter *filter = family_filter(family, 5, .8, 0);
        uint64_t hashes[400];
        test_where("%s", family->name);
        add_range(filter, &spec, 0, 200);
        add_range(filter, &spec, 0, 200);
        spec_hashes(&spec, 0, 400, hashes);
        for (size_t i = 0; i < 400; i++)
            CHECK_U64(ninho_filter_copies(filter, hashes[i]),
                      ninho_filter_has(filter, hashes[i]));
        ninho_filter_free(filter);
    }
}

static void batches_answer_as_single_calls_do(void **state)
{
    static const size_t sizes[] = {0,   1,   2,   3,   5,   7,   8,    15,
                                   16,  17,  31,  32,  33,  63,  64,   65,
                                   127, 128, 129, 255, 256, 257, 1000, 5000};
    enum { MOST = 5000 };
    uint64_t *hashes = malloc(2 * MOST * sizeof *hashes);
    uint64_t maybe[2 * MOST / 64 + 2];

    (void)state;
    CHECK(hashes);
    FOR_EACH_FAMILY(family)
    {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const size_t n = sizes[s];
            const size_t n_words = (n + 63) / 64;
            const ninho_spec spec = family_spec(family, 1000, .02, s);
            ninho_filter *single = family_filter(family, 1000, .02, s);
            ninho_filter *batch = family_filter(family, 1000, .02, s);
            size_t n_added = 99, n_maybe = 0;
            test_where("%s: %zu keys", family->name, n);
            spec_hashes(&spec, 0, n, hashes);
            for (size_t i = 0; i < n; i++)
                CHECK_OK(ninho_filter_add(single, hashes[i]));
            CHECK_OK(ninho_filter_add_many(batch, hashes, n, &n_added));
            CHECK_U64(n_added, n);
            check_same_bytes(single, batch);
            /* every other one absent */
            for (size_t i = 0; i < n; i++)
                if (i % 2)
                    spec_hashes(&spec, ABSENT + i, 1, hashes + i);
            memset(maybe, 0xee, sizeof maybe);
            const size_t answer = ninho_filter_has_many(batch, hashes, n, maybe);
            for (size_t i = 0; i < n; i++) {
                const bool has = ninho_filter_has(single, hashes[i]);
                CHECK(has || i % 2);
                CHECK((maybe[i / 64] >> (i % 64) & 1) == has);
                n_maybe += has;
            }
            CHECK_U64(answer, n_maybe);
            if (n % 64)
                CHECK_U64(maybe[n_words - 1] >> (n % 64), 0);
            CHECK_U64(maybe[n_words], UINT64_C(0xeeeeeeeeeeeeeeee));
            ninho_filter_free(single);
            ninho_filter_free(batch);
        }
        ninho_filter *filter = family_filter(family, 10, .1, 0);
        CHECK_OK(ninho_filter_add_many(filter, NULL, 0, NULL));
        CHECK_U64(ninho_filter_has_many(filter, NULL, 0, NULL), 0);
        ninho_filter_free(filter);
    }
    free(hashes);
}

/* A batch that holds the same key many times over, and neighbours in one block. */
static void batches_may_hold_equal_keys(void **state)
{
    uint64_t hashes[300];

    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_spec spec = family_spec(family, 40, .02, 0);
        ninho_filter *single = family_filter(family, 40, .02, 0);
        ninho_filter *batch = family_filter(family, 40, .02, 0);
        test_where("%s", family->name);
        for (size_t i = 0; i < 300; i++)
            spec_hashes(&spec, i % 40 / (1 + i / 100), 1, hashes + i);
        ninho_status status = NINHO_OK;
        size_t n_single = 0, n_batch = 0;
        while (!status && n_single < 300) {
            status = ninho_filter_add(single, hashes[n_single]);
            n_single += !status;
        }
        CHECK(n_single == 300 || (status == NINHO_ERR_FULL && family_has_places(family)));
        CHECK_STATUS(ninho_filter_add_many(batch, hashes, 300, &n_batch), status);
        CHECK_U64(n_batch, n_single);
        check_same_bytes(single, batch);
        ninho_filter_free(single);
        ninho_filter_free(batch);
    }
}

static void building_is_creating_and_adding(void **state)
{
    enum { N = 777 };
    uint64_t hashes[N];

    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        for (size_t n = 0; n <= N; n += N / 3) {
            const ninho_spec spec = family_spec(family, N, .01, 4);
            ninho_filter *added = family_filter(family, N, .01, 4);
            ninho_filter *built = NULL;
            test_where("%s: %zu keys", family->name, n);
            spec_hashes(&spec, 0, n, hashes);
            add_range(added, &spec, 0, n);
            CHECK_OK(ninho_filter_build(&spec, n ? hashes : NULL, n, NULL, &built, NULL));
            check_same_bytes(added, built);
            ninho_filter_free(added);
            ninho_filter_free(built);
        }
    }
}

static void keys_are_hashed_as_the_hasher_does(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        const ninho_spec spec = family_spec(family, 500, .01, 77);
        ninho_filter *by_key = family_filter(family, 500, .01, 77);
        ninho_filter *by_hash = family_filter(family, 500, .01, 77);
        ninho_hasher hasher = {.id = (ninho_hash_id)42};
        uint8_t key[16];
        test_where("%s", family->name);
        if (family->spec.key_encoding == NINHO_KEY_HASHES) {
            CHECK_STATUS(ninho_filter_hasher(by_key, &hasher), NINHO_ERR_UNSUPPORTED);
            CHECK_STATUS(ninho_filter_add_key(by_key, "12345678", 8),
                         NINHO_ERR_UNSUPPORTED);
            CHECK(ninho_filter_has_key(by_key, "12345678", 8));
            CHECK_U64(ninho_filter_count(by_key), 0);
        } else {
            CHECK_OK(ninho_filter_hasher(by_key, &hasher));
            for (uint64_t i = 0; i < 500; i++) {
                const size_t size = family_key(family, i, key);
                uint64_t hash;
                CHECK(!ninho_filter_has_key(by_key, key, size) || i > 20);
                CHECK_OK(ninho_filter_add_key(by_key, key, size));
                spec_hashes(&spec, i, 1, &hash);
                CHECK_U64(ninho_hash_bytes(&hasher, key, size), hash);
                CHECK_OK(ninho_filter_add(by_hash, hash));
                CHECK(ninho_filter_has_key(by_key, key, size));
            }
            for (uint64_t i = ABSENT; i < ABSENT + 3000; i++) {
                const size_t size = family_key(family, i, key);
                uint64_t hash;
                spec_hashes(&spec, i, 1, &hash);
                CHECK(ninho_filter_has_key(by_key, key, size) ==
                      ninho_filter_has(by_hash, hash));
            }
            check_same_bytes(by_key, by_hash);
            if (family_can(family) & NINHO_CAN_REMOVE) {
                for (uint64_t i = 0; i < 500; i++)
                    CHECK_OK(
                        ninho_filter_remove_key(by_key, key, family_key(family, i, key)));
                CHECK_U64(ninho_filter_count(by_key), 0);
                CHECK_STATUS(
                    ninho_filter_remove_key(by_key, key, family_key(family, 1, key)),
                    NINHO_ERR_NOT_FOUND);
            } else {
                CHECK_STATUS(
                    ninho_filter_remove_key(by_key, key, family_key(family, 1, key)),
                    NINHO_ERR_UNSUPPORTED);
            }
        }
        ninho_filter_free(by_key);
        ninho_filter_free(by_hash);
    }
}

/* Has and add in one: the same bytes as add, and the answer from before. */
static void has_and_add_tells_what_was_there(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        const ninho_spec spec = family_spec(family, 400, .05, 1);
        ninho_filter *filter = family_filter(family, 400, .05, 1);
        ninho_filter *twin = family_filter(family, 400, .05, 1);
        uint64_t hashes[400];
        spec_hashes(&spec, 0, 400, hashes);
        for (size_t i = 0; i < 400; i++) {
            const uint64_t hash = hashes[i % 7 == 6 ? i / 2 : i]; /* some again */
            const bool has = ninho_filter_has(twin, hash);
            bool was_there = !has;
            test_where("%s: key %zu", family->name, i);
            const ninho_status status = ninho_filter_add(twin, hash);
            CHECK_STATUS(ninho_filter_has_and_add(filter, hash, &was_there), status);
            CHECK(status || was_there == has);
            CHECK(!status || was_there != has);
        }
        check_same_bytes(filter, twin);
        bool was_there;
        CHECK_STATUS(ninho_filter_has_and_add(NULL, 1, &was_there), NINHO_ERR_ARG);
        CHECK_STATUS(ninho_filter_has_and_add(filter, 1, NULL), NINHO_ERR_ARG);
        ninho_filter_free(filter);
        ninho_filter_free(twin);
    }
}

/* What is told without a look at the table is what info says. */
static void cheap_answers_are_infos(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        ninho_filter *filter = family_filter(family, 400, .05, 1);
        ninho_info info = NINHO_INFO_INIT;
        test_where("%s", family->name);
        CHECK_OK(ninho_filter_info(filter, &info));
        CHECK(ninho_filter_kind(filter) == info.kind);
        CHECK(ninho_filter_can(filter) == info.can && info.can);
        CHECK(ninho_filter_key_encoding(filter) == info.key_encoding);
        CHECK(ninho_filter_hash(filter) == info.hash);
        ninho_filter_free(filter);
    }
    CHECK(!ninho_filter_kind(NULL) && !ninho_filter_can(NULL));
    CHECK(!ninho_filter_key_encoding(NULL) && !ninho_filter_hash(NULL));
}

static void a_cleared_filter_is_a_new_one(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_spec spec = family_spec(family, 300, .01, 5);
        ninho_filter *fresh = family_filter(family, 300, .01, 5);
        ninho_filter *used = family_filter(family, 300, .01, 5);
        test_where("%s", family->name);
        add_range(used, &spec, 0, 3000);
        CHECK_OK(ninho_filter_clear(used));
        CHECK_U64(ninho_filter_count(used), 0);
        check_same_bytes(fresh, used);
        add_range(used, &spec, 0, 300);
        add_range(fresh, &spec, 0, 300);
        check_same_bytes(fresh, used);
        ninho_filter_free(fresh);
        ninho_filter_free(used);
    }
}

static void the_order_of_keys_does_not_matter(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        /* inside one sub-filter: which keys share one does depend on the order */
        const ninho_spec spec = family_spec(family, 500, .01, 5);
        ninho_filter *up = family_filter(family, 500, .01, 5);
        ninho_filter *down = family_filter(family, 500, .01, 5);
        test_where("%s", family->name);
        add_range(up, &spec, 0, 500);
        for (uint64_t i = 500; i-- > 0;)
            add_range(down, &spec, i, 1);
        check_same_answers(up, down, &spec, 2000);
        /* a growing kind counts what it stored, and stores nothing that it has by chance */
        if (!(family_can(family) & NINHO_CAN_GROW) && !family_has_places(family))
            check_same_bytes(up, down);
        ninho_filter_free(up);
        ninho_filter_free(down);
    }
}

/* What ninho_kind_can() says, tried. */
static void capabilities_are_what_a_kind_can_do(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        const uint32_t can = family_can(family);
        const ninho_spec spec = family_spec(family, 100, .01, 0);
        const ninho_open_options open = family_open(family, 0);
        ninho_filter *filter = family_filter(family, 100, .01, 0);
        ninho_filter *twin = family_filter(family, 100, .01, 0);
        ninho_plan plan = NINHO_PLAN_INIT;
        ninho_info info = NINHO_INFO_INIT;
        uint8_t bare[4096];
        double n_keys = -1;
        size_t size;
        uint64_t hash;
        ninho_view view;
        const ninho_filter *viewed = NULL;

        test_where("%s", family->name);
        CHECK(can != 0);
        CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
        CHECK_OK(ninho_filter_info(filter, &info));
        CHECK(plan.can == info.can);
        CHECK((plan.can & ~(uint32_t)NINHO_CAN_GROW) ==
              (can & ~(uint32_t)NINHO_CAN_GROW));
        if (!family_has_places(family)) {
            const uint32_t of_kind = ninho_kind_can(spec.kind);
            CHECK(plan.can == (family->room > 1 ? of_kind | NINHO_CAN_GROW : of_kind));
        }
        spec_hashes(&spec, 1, 1, &hash);
        CHECK((ninho_filter_add(filter, hash) == NINHO_OK) == !!(can & NINHO_CAN_ADD));
        CHECK_STATUS(ninho_filter_union(filter, twin, NULL),
                     can & NINHO_CAN_UNION ? NINHO_OK : NINHO_ERR_UNSUPPORTED);
        CHECK_STATUS(ninho_filter_remove(filter, hash),
                     can & NINHO_CAN_REMOVE ? NINHO_OK : NINHO_ERR_UNSUPPORTED);
        CHECK_STATUS(ninho_filter_estimate(filter, &n_keys),
                     can & NINHO_CAN_ESTIMATE ? NINHO_OK : NINHO_ERR_UNSUPPORTED);
        CHECK_STATUS(ninho_filter_encode_bare(filter, bare, sizeof bare, &size),
                     can & NINHO_CAN_BARE ? NINHO_OK : NINHO_ERR_UNSUPPORTED);
        uint8_t *bytes = encoded(filter, &size);
        CHECK_STATUS(ninho_filter_view(&view, bytes, size, &open, &viewed, NULL),
                     can & NINHO_CAN_VIEW ? NINHO_OK : NINHO_ERR_UNSUPPORTED);
        free(bytes);
        ninho_filter_free(filter);
        ninho_filter_free(twin);
    }
}

static void kinds_have_names_and_names_have_kinds(void **state)
{
    size_t n = 0;

    (void)state;
    for (; ninho_kind_at(n); n++) {
        const ninho_kind kind = ninho_kind_at(n);
        const char *name = ninho_kind_name(kind);
        CHECK(name && *name && ninho_kind_summary(kind) && *ninho_kind_summary(kind));
        CHECK(ninho_kind_from_name(name) == kind);
        CHECK(ninho_kind_can(kind) != 0);
        bool is_tested = false;
        FOR_EACH_FAMILY_TO_CAPACITY(family)
        is_tested |= family->spec.kind == kind;
        FOR_EACH_STATIC_FAMILY(family)
        is_tested |= family->spec.kind == kind;
        test_where("kind %s has no line in tests/conform/families.c", name);
        CHECK(is_tested);
    }
    CHECK(n >= 4 && !ninho_kind_at(n) && !ninho_kind_at(SIZE_MAX));
    CHECK(strcmp(ninho_can_name(NINHO_CAN_REMOVE | NINHO_CAN_ESTIMATE, 0), "remove") ==
          0);
    CHECK(strcmp(ninho_can_name(NINHO_CAN_REMOVE | NINHO_CAN_ESTIMATE, 1), "estimate") ==
          0);
    CHECK(!ninho_can_name(NINHO_CAN_REMOVE | NINHO_CAN_ESTIMATE, 2));
    CHECK(!ninho_can_name(0, 0) && !ninho_can_name(UINT32_MAX, 9));
    CHECK(ninho_kind_from_name("bloom") == NINHO_BLOOM);
    CHECK(ninho_kind_from_name("blocked") == NINHO_BLOCKED);
    CHECK(ninho_kind_from_name("counting") == NINHO_COUNTING);
    CHECK(ninho_kind_from_name("cuckoo") == NINHO_CUCKOO);
    CHECK(ninho_kind_from_name("quotient") == NINHO_QUOTIENT);
    CHECK(ninho_kind_from_name("fuse") == NINHO_FUSE);
    CHECK(ninho_kind_from_name("ribbon") == NINHO_RIBBON);
    CHECK(ninho_kind_from_name("compact") == NINHO_COMPACT);
    CHECK(ninho_kind_from_name("scalable") == NINHO_SCALABLE);
    CHECK(!ninho_kind_from_name("Bloom") && !ninho_kind_from_name("") &&
          !ninho_kind_from_name(NULL));
    for (int kind = -1; kind < 300; kind++) {
        bool is_known = false;
        for (size_t i = 0; i < n; i++)
            is_known |= (int)ninho_kind_at(i) == kind;
        if (!is_known)
            CHECK(!ninho_kind_name((ninho_kind)kind) &&
                  !ninho_kind_can((ninho_kind)kind) &&
                  !ninho_kind_summary((ninho_kind)kind));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_filter_is_empty),
        cmocka_unit_test(no_key_is_ever_lost),
        cmocka_unit_test(extreme_hashes_are_ordinary),
        cmocka_unit_test(a_filter_can_be_filled_beyond_its_capacity),
        cmocka_unit_test(repeated_keys_do_no_harm),
        cmocka_unit_test(kinds_that_keep_no_copies_tell_0_or_1),
        cmocka_unit_test(batches_answer_as_single_calls_do),
        cmocka_unit_test(batches_may_hold_equal_keys),
        cmocka_unit_test(building_is_creating_and_adding),
        cmocka_unit_test(keys_are_hashed_as_the_hasher_does),
        cmocka_unit_test(has_and_add_tells_what_was_there),
        cmocka_unit_test(cheap_answers_are_infos),
        cmocka_unit_test(a_cleared_filter_is_a_new_one),
        cmocka_unit_test(the_order_of_keys_does_not_matter),
        cmocka_unit_test(capabilities_are_what_a_kind_can_do),
        cmocka_unit_test(kinds_have_names_and_names_have_kinds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
