/* SPDX-License-Identifier: MIT */
/* Callers make mistakes: each is answered, none crashes, none is answered "certainly not". */
#include "conform/families.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void null_is_refused_everywhere(void **state)
{
    const ninho_spec spec = family_spec(&families[0], 100, .01, 0);
    ninho_filter *filter = family_filter(&families[0], 100, .01, 0);
    ninho_filter *out = NULL;
    const ninho_filter *viewed = NULL;
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_info info = NINHO_INFO_INIT;
    ninho_spec found = NINHO_SPEC_INIT;
    ninho_hasher hasher;
    ninho_view view;
    uint64_t hashes[70] = {1, 2, 3}, maybe[3];
    const void *keys[3] = {"a", "b", "c"};
    const size_t key_sizes[3] = {1, 1, 1};
    size_t n = 99;
    double n_keys;
    char text[8] = "xxxxxxx";
    bool found_it = true;

    (void)state;
    test_where("NULL");
    CHECK_STATUS(ninho_filter_plan(NULL, &plan, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_plan(&spec, NULL, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_create(NULL, NULL, &out, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_create(&spec, NULL, NULL, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_build(NULL, hashes, 3, NULL, &out, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_build(&spec, NULL, 3, NULL, &out, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_build(&spec, hashes, 3, NULL, NULL, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_copy(NULL, NULL, &out, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_copy(filter, NULL, NULL, NULL), NINHO_ERR_ARG);
    ninho_filter_free(NULL);

    CHECK_STATUS(ninho_filter_add(NULL, 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_add_many(NULL, hashes, 3, &n), NINHO_ERR_ARG);
    CHECK_U64(n, 0);
    n = 99;
    CHECK_STATUS(ninho_filter_add_many(filter, NULL, 3, &n), NINHO_ERR_ARG);
    CHECK_U64(n, 0);
    CHECK_OK(ninho_filter_add_many(filter, NULL, 0, &n));
    CHECK_STATUS(ninho_filter_remove(NULL, 1), NINHO_ERR_ARG);
    /* who cannot be asked must not say "certainly not" */
    CHECK(ninho_filter_has(NULL, 1));
    CHECK(ninho_filter_has_key(NULL, "a", 1));
    CHECK(ninho_filter_has_key(filter, NULL, 1));
    CHECK_U64(ninho_filter_copies(NULL, 1), UINT64_MAX);
    memset(maybe, 0, sizeof maybe);
    CHECK_U64(ninho_filter_has_many(NULL, hashes, 70, maybe), 70);
    CHECK(maybe[0] == UINT64_MAX && maybe[1] == 63 && maybe[2] == 0);
    memset(maybe, 0, sizeof maybe);
    CHECK_U64(ninho_filter_has_many(filter, NULL, 70, maybe), 70);
    CHECK(maybe[0] == UINT64_MAX && maybe[1] == 63 && maybe[2] == 0);
    CHECK_U64(ninho_filter_has_many(NULL, hashes, 70, NULL), 70);
    CHECK_U64(ninho_filter_has_many(filter, hashes, 3, NULL), 0);
    CHECK_U64(ninho_filter_has_keys(NULL, keys, key_sizes, 3, maybe), 3);
    CHECK_U64(ninho_filter_has_keys(filter, NULL, key_sizes, 3, maybe), 3);
    CHECK_U64(ninho_filter_has_keys(filter, keys, NULL, 3, maybe), 3);
    CHECK_U64(ninho_filter_has_keys(filter, keys, key_sizes, 3, NULL), 0);
    CHECK_U64(ninho_filter_has_keys(filter, NULL, NULL, 0, NULL), 0);

    CHECK_STATUS(ninho_filter_hasher(NULL, &hasher), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_hasher(filter, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_add_key(NULL, "a", 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_add_key(filter, NULL, 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_add_keys(NULL, keys, key_sizes, 3, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_add_keys(filter, NULL, key_sizes, 3, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_add_keys(filter, keys, NULL, 3, NULL), NINHO_ERR_ARG);
    CHECK_OK(ninho_filter_add_keys(filter, NULL, NULL, 0, NULL));
    CHECK_STATUS(ninho_filter_remove_key(NULL, "a", 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_remove_key(filter, NULL, 1), NINHO_ERR_ARG);
    CHECK_U64(ninho_filter_count(filter), 0); /* nothing of all this was an add */
    CHECK_OK(ninho_filter_add_key(filter, NULL, 0));
    CHECK(ninho_filter_has_key(filter, NULL, 0) && ninho_filter_has_key(filter, "", 0));

    CHECK_U64(ninho_filter_count(NULL), 0);
    CHECK_STATUS(ninho_filter_clear(NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_union(NULL, filter, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_union(filter, NULL, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_estimate(NULL, &n_keys), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_estimate(filter, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_estimate_pair(NULL, filter, &n_keys, &n_keys, NULL),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_estimate_pair(filter, NULL, &n_keys, &n_keys, NULL),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_info(NULL, &info), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_info(filter, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_spec(NULL, &found), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_spec(filter, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_verify(NULL, NULL), NINHO_ERR_ARG);

    CHECK_STATUS(ninho_filter_set_meta(NULL, "a", "b"), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_set_meta(filter, NULL, "b"), NINHO_ERR_ARG);
    CHECK_U64(ninho_filter_meta(NULL, "a", text, sizeof text, &found_it), 0);
    CHECK(!text[0] && !found_it);
    CHECK_U64(ninho_filter_meta(filter, NULL, text, sizeof text, NULL), 0);
    CHECK_U64(ninho_filter_meta_at(NULL, 0, text, sizeof text), 0);

    CHECK_U64(ninho_filter_encoded_size(NULL), 0);
    CHECK_STATUS(ninho_filter_encode(NULL, text, sizeof text, &n), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_encode(filter, NULL, 1 << 20, &n), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_encode(filter, NULL, 0, NULL), NINHO_ERR_SPACE);
    CHECK_STATUS(ninho_filter_encode_bare(NULL, text, sizeof text, &n), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_encode_bare(filter, NULL, 1 << 20, &n), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_decode(NULL, 5, NULL, &out, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_decode(NULL, 0, NULL, &out, NULL), NINHO_ERR_FORMAT);
    CHECK_STATUS(ninho_filter_decode(text, 5, NULL, NULL, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_view(NULL, text, 5, NULL, &viewed, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_view(&view, NULL, 5, NULL, &viewed, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_view(&view, text, 5, NULL, NULL, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_view_bare(NULL, &spec, text, 5, &viewed, NULL),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_view_bare(&view, NULL, text, 5, &viewed, NULL),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_view_bare(&view, &spec, NULL, 5, &viewed, NULL),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_view_bare(&view, &spec, text, 5, NULL, NULL),
                 NINHO_ERR_ARG);
    CHECK(ninho_filter_has_bare(NINHO_BLOOM, NULL, 5, 1));
    CHECK(ninho_filter_has_bare((ninho_kind)99, text, 5, 1));
    CHECK(ninho_filter_has_bare(NINHO_SCALABLE, text, 5, 1));
    CHECK_STATUS(ninho_filter_save(NULL, "/tmp/x", NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_save(filter, NULL, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_open(NULL, NULL, &out, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_open("/dev/null", NULL, NULL, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_map(NULL, NULL, &out, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_map("/dev/null", NULL, NULL, NULL), NINHO_ERR_ARG);
    CHECK(!out && !viewed);
    ninho_filter_free(filter);
}

/* ---- Structs of other versions ------------------------------------------------------------- */

/* A later program's spec, with fields that this library does not know. */
struct later_spec {
    ninho_spec spec;
    uint64_t more[4];
};

static void specs_of_other_versions_are_understood_or_refused(void **state)
{
    struct later_spec later = {.spec = family_spec(&families[0], 100, .01, 0)};
    ninho_filter *filter = NULL;
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    test_where("size 0");
    later.spec.size_of_struct = 0;
    CHECK_STATUS(ninho_filter_create(&later.spec, NULL, &filter, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_plan(&later.spec, &plan, NULL), NINHO_ERR_ARG);
    for (size_t size = 1; size < sizeof(size_t); size++) {
        later.spec.size_of_struct = size;
        CHECK_STATUS(ninho_filter_create(&later.spec, NULL, &filter, NULL),
                     NINHO_ERR_ARG);
    }
    /* an older program's, which ends after the fields it knew */
    test_where("short");
    later.spec.size_of_struct = offsetof(ninho_spec, secret);
    CHECK_OK(ninho_filter_create(&later.spec, NULL, &filter, NULL));
    ninho_filter_free(filter);
    filter = NULL;
    later.spec.size_of_struct = offsetof(ninho_spec, fpr); /* it did not say the fpr */
    CHECK_STATUS(ninho_filter_create(&later.spec, NULL, &filter, NULL), NINHO_ERR_ARG);
    /* fields cut off are not read: they would be refused if they were */
    later.spec.size_of_struct = offsetof(ninho_spec, base);
    later.spec.growth = 99;
    CHECK_OK(ninho_filter_create(&later.spec, NULL, &filter, NULL));
    ninho_filter_free(filter);
    filter = NULL;
    later.spec.growth = 0;
    test_where("long");
    later.spec.size_of_struct = sizeof later;
    CHECK_OK(ninho_filter_create(&later.spec, NULL, &filter, NULL));
    ninho_filter_free(filter);
    filter = NULL;
    for (size_t i = 0; i < 4; i++) {
        later.more[i] = UINT64_C(1) << 56;
        CHECK_STATUS(ninho_filter_create(&later.spec, NULL, &filter, NULL),
                     NINHO_ERR_ARG);
        CHECK_STATUS(ninho_filter_plan(&later.spec, &plan, NULL), NINHO_ERR_ARG);
        later.more[i] = 0;
    }
    CHECK(!filter);
}

static void results_of_other_versions_are_filled_as_far_as_they_go(void **state)
{
    const ninho_spec spec = family_spec(&families[0], 100, .01, 0);
    ninho_filter *filter = family_filter(&families[0], 100, .01, 0);
    union {
        ninho_info info;
        ninho_plan plan;
        ninho_spec spec;
        uint8_t bytes[1024];
    } room;

    (void)state;
    for (int which = 0; which < 3; which++) {
        const size_t full = which == 0   ? sizeof room.info
                            : which == 1 ? sizeof room.plan
                                         : sizeof room.spec;
        const size_t sizes[] = {0,  1,        7,    8,        12,        16,
                                40, full - 1, full, full + 1, full + 100};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            test_where("struct %d, size %zu of %zu", which, sizes[i], full);
            memset(&room, 0xee, sizeof room);
            memcpy(&room, &sizes[i], sizeof sizes[i]);
            const ninho_status status = which == 0 ? ninho_filter_info(filter, &room.info)
                                        : which == 1
                                            ? ninho_filter_plan(&spec, &room.plan, NULL)
                                            : ninho_filter_spec(filter, &room.spec);
            CHECK_STATUS(status, sizes[i] < sizeof(size_t) ? NINHO_ERR_ARG : NINHO_OK);
            CHECK(memcmp(&room, &sizes[i], sizeof sizes[i]) == 0);
            if (status == NINHO_OK && sizes[i] >= 16)
                CHECK(room.info.kind == spec.kind); /* the second member of all three */
            const size_t written = status            ? sizeof(size_t)
                                   : sizes[i] < full ? sizes[i]
                                   : sizes[i] > full ? full
                                                     : sizes[i];
            for (size_t at = written; at < sizeof room; at++)
                CHECK(room.bytes[at] == 0xee);
        }
    }
    ninho_filter_free(filter);
}

static void open_options_of_other_versions(void **state)
{
    struct {
        ninho_open_options options;
        uint64_t more;
    } later = {.options = NINHO_OPEN_INIT};
    ninho_filter *filter = family_filter(&families[0], 10, .01, 0);
    ninho_filter *opened = NULL;
    const ninho_filter *viewed = NULL;
    ninho_view view;
    size_t size;
    uint8_t *bytes = encoded(filter, &size);

    (void)state;
    test_where("options");
    later.options.size_of_struct = 0;
    CHECK_STATUS(ninho_filter_decode(bytes, size, &later.options, &opened, NULL),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_view(&view, bytes, size, &later.options, &viewed, NULL),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_open("/dev/null", &later.options, &opened, NULL),
                 NINHO_ERR_ARG);
    later.options.size_of_struct = sizeof later;
    CHECK_OK(ninho_filter_decode(bytes, size, &later.options, &opened, NULL));
    ninho_filter_free(opened);
    opened = NULL;
    later.more = 1;
    CHECK_STATUS(ninho_filter_decode(bytes, size, &later.options, &opened, NULL),
                 NINHO_ERR_ARG);
    later.options.size_of_struct = sizeof(size_t);
    CHECK_OK(ninho_filter_decode(bytes, size, &later.options, &opened, NULL));
    ninho_filter_free(opened);
    free(bytes);
    ninho_filter_free(filter);
}

/* ---- Numbers out of range ------------------------------------------------------------------ */

static void check_refused(const ninho_spec *spec, ninho_status expected, const char *word)
{
    ninho_filter *filter = NULL;
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    CHECK_STATUS(ninho_filter_plan(spec, &plan, &error), expected);
    CHECK(error.status == expected && error.text[0] && !strchr(error.text, '\n'));
    CHECK(error.system_errno == 0);
    if (!strstr(error.text, word))
        test_fail(__FILE__, __LINE__, "\"%s\" does not name \"%s\"", error.text, word);
    CHECK_STATUS(ninho_filter_create(spec, NULL, &filter, NULL), expected);
    CHECK(!filter);
}

static void parameters_out_of_range_name_the_range(void **state)
{
    static const double bad_fprs[] = {0, 1, 2, -1, -.01, 5, 1e300, 1e-16, 1e-300, 5e-324};

    (void)state;
    FOR_EACH_FAMILY(family)
    {
        ninho_spec good = family_spec(family, 100, .01, 0), spec;
        const bool by_hand = good.n_bits != 0;
        good.max_capacity = 0;
        good.n_slots = 0;

        for (size_t i = 0; i < sizeof bad_fprs / sizeof *bad_fprs; i++) {
            test_where("%s: fpr %g", family->name, bad_fprs[i]);
            spec = good;
            spec.fpr = bad_fprs[i];
            if (!(by_hand && bad_fprs[i] == 0))
                check_refused(&spec, NINHO_ERR_ARG, "fpr");
        }
        test_where("%s: fpr not a number", family->name);
        spec = good;
        spec.fpr = (double)NAN;
        check_refused(&spec, NINHO_ERR_ARG, "fpr");
        spec.fpr = (double)INFINITY;
        check_refused(&spec, NINHO_ERR_ARG, "fpr");
        spec.fpr = -(double)INFINITY;
        check_refused(&spec, NINHO_ERR_ARG, "fpr");
        test_where("%s: fpr that 64 bits cannot promise", family->name);
        spec = good;
        spec.capacity = UINT64_C(1) << 30;
        spec.fpr = 0x1p-31;
        if (!by_hand)
            check_refused(&spec, NINHO_ERR_ARG, "fpr");

        test_where("%s: capacity", family->name);
        spec = good;
        spec.capacity = 0;
        check_refused(&spec, NINHO_ERR_ARG, "capacity");
        spec.capacity = (UINT64_C(1) << 48) + 1;
        check_refused(&spec, NINHO_ERR_ARG, "capacity");
        spec.capacity = UINT64_C(1) << 63;
        check_refused(&spec, NINHO_ERR_ARG, "capacity");
        spec.capacity = UINT64_MAX;
        check_refused(&spec, NINHO_ERR_ARG, "capacity");

        test_where("%s: enums", family->name);
        for (int i = 0; i < 2; i++) {
            spec = good;
            spec.hash = (ninho_hash_id)(i ? 99 : -1);
            spec.secret = NULL;
            check_refused(&spec, NINHO_ERR_ARG, "hash");
            spec = good;
            spec.key_encoding = (ninho_key_encoding)(i ? 99 : -1);
            check_refused(&spec, NINHO_ERR_ARG, "encoding");
            spec = good;
            spec.pages = (ninho_pages)(i ? 99 : -1);
            check_refused(&spec, NINHO_ERR_ARG, "pages");
            spec = good;
            spec.kind = (ninho_kind)(i ? 99 : 0);
            check_refused(&spec, NINHO_ERR_ARG, "kind");
        }
        if (good.kind == NINHO_BLOOM || good.kind == NINHO_COUNTING) {
            test_where("%s: k", family->name);
            spec = good;
            spec.n_hashes = 65;
            check_refused(&spec, NINHO_ERR_ARG, "hashes");
            spec.n_hashes = UINT32_MAX;
            check_refused(&spec, NINHO_ERR_ARG, "hashes");
            spec = good;
            spec.n_hashes = 0;
            spec.n_bits = 0;
            spec.fpr = .01;
            spec.k_rule = (ninho_k_rule)2;
            check_refused(&spec, NINHO_ERR_ARG, "k");
            for (uint32_t k = 1; k <= 64; k++) {
                spec = good;
                spec.fpr = 0;
                spec.n_bits = 1000;
                spec.n_hashes = k;
                ninho_filter *filter = NULL;
                CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
                add_range(filter, &spec, 0, 100);
                check_range(filter, &spec, 0, 100);
                ninho_filter_free(filter);
            }
        }
        if (good.kind == NINHO_BLOCKED) {
            test_where("%s: k", family->name);
            spec = good;
            spec.n_hashes = 4;
            check_refused(&spec, NINHO_ERR_ARG, "hashes");
        }
        if (good.kind == NINHO_SCALABLE) {
            static const uint32_t bad_growths[] = {1, 17, 1000, UINT32_MAX};
            for (size_t i = 0; i < 4; i++) {
                test_where("%s: growth %u", family->name, (unsigned)bad_growths[i]);
                spec = good;
                spec.growth = bad_growths[i];
                check_refused(&spec, NINHO_ERR_ARG, "growth");
            }
            spec = good;
            spec.base = NINHO_COUNTING;
            check_refused(&spec, NINHO_ERR_ARG, "base");
            spec.base = NINHO_SCALABLE;
            check_refused(&spec, NINHO_ERR_ARG, "base");
            spec.base = (ninho_kind)77;
            check_refused(&spec, NINHO_ERR_ARG, "base");
            spec = good;
            spec.n_bits = 1000;
            check_refused(&spec, NINHO_ERR_ARG, "bits");
        } else {
            test_where("%s: options of scalable", family->name);
            spec = good;
            spec.growth = 2;
            check_refused(&spec, NINHO_ERR_ARG, "growth");
            spec = good;
            spec.base = NINHO_BLOOM;
            check_refused(&spec, NINHO_ERR_ARG, "base");
            spec = good;
            spec.fpr = 0;
            spec.n_hashes = 0;
            spec.n_bits = UINT64_MAX;
            if (family->room) { /* nor tables by hand */
                check_refused(&spec, NINHO_ERR_ARG, "bits");
                continue;
            }
            test_where("%s: too many bits", family->name);
            check_refused(&spec, NINHO_ERR_NOMEM, "");
            spec.n_bits = UINT64_C(1) << 63;
            check_refused(&spec, NINHO_ERR_NOMEM, "");
        }
    }
}

/* The ends of every range work. */
static void parameters_at_the_ends_of_their_range_work(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        static const double fprs[] = {.5, .75, .99, .999999, 1e-9, 0x1p-50};
        for (size_t i = 0; i < sizeof fprs / sizeof *fprs; i++) {
            const ninho_spec spec = family_spec(family, 5, fprs[i], 0);
            ninho_filter *filter = NULL, *decoded = NULL;
            const ninho_open_options open = family_open(family, 0);
            size_t size;
            test_where("%s: fpr %g", family->name, fprs[i]);
            const ninho_status status = ninho_filter_create(&spec, NULL, &filter, NULL);
            /* a blocked table cannot go below some 1e-9, and says so */
            if (status == NINHO_ERR_ARG && fprs[i] < 1e-8)
                continue;
            CHECK_OK(status);
            add_range(filter, &spec, 0, 5);
            check_range(filter, &spec, 0, 5);
            uint8_t *bytes = encoded(filter, &size); /* what is written can be read */
            CHECK_OK(ninho_filter_decode(bytes, size, &open, &decoded, NULL));
            check_same_bytes(filter, decoded);
            free(bytes);
            ninho_filter_free(filter);
            ninho_filter_free(decoded);
        }
        ninho_plan plan = NINHO_PLAN_INIT;
        const ninho_spec largest = family_spec(family, UINT64_C(1) << 48, .01, 0);
        test_where("%s: capacity 2^48", family->name);
        const ninho_status status = ninho_filter_plan(&largest, &plan, NULL);
        CHECK(status == NINHO_OK || status == NINHO_ERR_NOMEM);
    }
}

static void tables_by_hand_of_any_size_work(void **state)
{
    static const ninho_kind kinds[] = {NINHO_BLOOM, NINHO_BLOCKED, NINHO_COUNTING};

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        for (uint64_t n_bits = 1; n_bits < 600; n_bits += n_bits < 70 ? 1 : 13) {
            ninho_spec spec = NINHO_SPEC_INIT;
            ninho_filter *filter = NULL, *decoded = NULL;
            size_t size;
            test_where("kind %d, %llu cells", (int)kinds[k], (unsigned long long)n_bits);
            spec.kind = kinds[k];
            spec.capacity = 10;
            spec.n_bits = n_bits;
            CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
            add_range(filter, &spec, 0, 30);
            check_range(filter, &spec, 0, 30);
            CHECK_OK(ninho_filter_verify(filter, NULL));
            uint8_t *bytes = encoded(filter, &size);
            CHECK_OK(ninho_filter_decode(bytes, size, NULL, &decoded, NULL));
            check_same_bytes(filter, decoded);
            free(bytes);
            ninho_filter_free(filter);
            ninho_filter_free(decoded);
        }
    }
}

/* A caller whose hash function is broken gets a bad fpr, not an endless loop. */
static void a_constant_hash_does_no_harm(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        ninho_filter *filter = family_filter(family, 1000, .01, 0);
        test_where("%s", family->name);
        const bool may_be_full = family_has_places(family);
        for (int i = 0; i < 20000; i++) {
            const ninho_status status = ninho_filter_add(filter, 42);
            CHECK(status == NINHO_OK || (may_be_full && status == NINHO_ERR_FULL));
        }
        CHECK(ninho_filter_has(filter, 42));
        uint64_t hashes[256];
        for (int i = 0; i < 256; i++)
            hashes[i] = 42;
        for (int i = 0; i < 50; i++) {
            const ninho_status status = ninho_filter_add_many(filter, hashes, 256, NULL);
            CHECK(status == NINHO_OK || (may_be_full && status == NINHO_ERR_FULL));
        }
        CHECK_OK(ninho_filter_verify(filter, NULL));
        ninho_filter_free(filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_refused_everywhere),
        cmocka_unit_test(specs_of_other_versions_are_understood_or_refused),
        cmocka_unit_test(results_of_other_versions_are_filled_as_far_as_they_go),
        cmocka_unit_test(open_options_of_other_versions),
        cmocka_unit_test(parameters_out_of_range_name_the_range),
        cmocka_unit_test(parameters_at_the_ends_of_their_range_work),
        cmocka_unit_test(tables_by_hand_of_any_size_work),
        cmocka_unit_test(a_constant_hash_does_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
