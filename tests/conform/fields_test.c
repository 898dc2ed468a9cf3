/* SPDX-License-Identifier: MIT */
/* A refusal names the field of the spec that it is about, and its range, so that a program
 * need not read the sentence. And which fields a kind takes is known before. */
#include "conform/families.h"

#include <math.h>
#include <string.h>

struct refusal {
    ninho_field field;
    double least, most; /* both 0: no range of numbers */
    ninho_spec spec;    /* capacity 100 and fpr .01, unless it says otherwise */
};

#define HUGE32 UINT32_MAX
#define NONE   0, 0

static const uint8_t secret[NINHO_SECRET_BYTES];

/* clang-format off */
static const struct refusal refusals[] = {
    {NINHO_FIELD_KIND, NONE, {.kind = (ninho_kind)99}},
    {NINHO_FIELD_HASH, NONE, {.kind = NINHO_BLOOM, .hash = (ninho_hash_id)99}},
    {NINHO_FIELD_KEY_ENCODING, NONE, {.kind = NINHO_BLOOM, .key_encoding = (ninho_key_encoding)99}},
    {NINHO_FIELD_PAGES, NONE, {.kind = NINHO_BLOOM, .pages = (ninho_pages)2}},
    {NINHO_FIELD_CAPACITY, 1, 0x1p48, {.kind = NINHO_BLOOM, .capacity = UINT64_MAX}},
    {NINHO_FIELD_FPR, 0x1p-50, 1, {.kind = NINHO_BLOOM, .fpr = 1}},
    {NINHO_FIELD_FPR, 0x1p-50, 1, {.kind = NINHO_BLOOM, .fpr = 1e-17}},
    {NINHO_FIELD_FPR, 0x1p-20, 1, {.kind = NINHO_BLOOM, .capacity = UINT64_C(1) << 40, .fpr = 0x1p-21}},
    {NINHO_FIELD_FPR, 0x1p-16, 1, {.kind = NINHO_FUSE, .fpr = 1e-6}},
    {NINHO_FIELD_SEED, NONE, {.kind = NINHO_BLOOM, .hash = NINHO_HASH_SIPHASH, .seed = 1}},
    {NINHO_FIELD_SECRET, NONE, {.kind = NINHO_BLOOM, .secret = secret}},
    {NINHO_FIELD_N_BITS, NONE, {.kind = NINHO_QUOTIENT, .n_bits = 100}},
    {NINHO_FIELD_N_BITS, NONE, {.kind = NINHO_SCALABLE, .n_bits = 100}},
    {NINHO_FIELD_N_HASHES, 1, 64, {.kind = NINHO_BLOOM, .n_hashes = 65}},
    {NINHO_FIELD_N_HASHES, NONE, {.kind = NINHO_BLOCKED, .n_hashes = 8}},
    {NINHO_FIELD_K_RULE, NONE, {.kind = NINHO_COUNTING, .k_rule = (ninho_k_rule)2}},
    {NINHO_FIELD_K_RULE, NONE, {.kind = NINHO_SCALABLE, .k_rule = NINHO_K_FLOOR}},
    {NINHO_FIELD_FPR, 0x1p-32, 1, {.kind = NINHO_RIBBON, .fpr = 2e-10}},
    {NINHO_FIELD_TAG_BITS, 1, 32, {.kind = NINHO_RIBBON, .tag_bits = 33}},
    {NINHO_FIELD_BASE, NONE, {.kind = NINHO_SCALABLE, .base = NINHO_FUSE}},
    {NINHO_FIELD_BASE, NONE, {.kind = NINHO_BLOOM, .base = NINHO_BLOOM}},
    {NINHO_FIELD_GROWTH, 2, 16, {.kind = NINHO_SCALABLE, .growth = 17}},
    {NINHO_FIELD_GROWTH, NONE, {.kind = NINHO_BLOOM, .growth = 2}},
    {NINHO_FIELD_MAX_CAPACITY, 100, 0x1p48, {.kind = NINHO_QUOTIENT, .max_capacity = 99}},
    {NINHO_FIELD_MAX_CAPACITY, NONE, {.kind = NINHO_BLOOM, .max_capacity = 200}},
    {NINHO_FIELD_TAG_BITS, 1, 60, {.kind = NINHO_COMPACT, .tag_bits = 61}},
    {NINHO_FIELD_TAG_BITS, 8, 16, {.kind = NINHO_FUSE, .tag_bits = 17}},
    {NINHO_FIELD_TAG_BITS, 8, 32, {.kind = NINHO_CUCKOO, .tag_bits = 33}},
    {NINHO_FIELD_TAG_BITS, NONE, {.kind = NINHO_BLOOM, .tag_bits = 8}},
    {NINHO_FIELD_ARITY, 3, 4, {.kind = NINHO_FUSE, .arity = 5}},
    {NINHO_FIELD_ARITY, NONE, {.kind = NINHO_CUCKOO, .arity = 3}},
    {NINHO_FIELD_SLOTS, NONE, {.kind = NINHO_CUCKOO, .slots = (ninho_slots)3}},
    {NINHO_FIELD_SLOTS, NONE, {.kind = NINHO_SCALABLE, .slots = NINHO_WINDOWS}},
    {NINHO_FIELD_PLACE_SLOTS, 1, 255, {.kind = NINHO_CUCKOO, .slots = NINHO_BUCKETS, .place_slots = 256}},
    {NINHO_FIELD_PLACE_SLOTS, 2, 4, {.kind = NINHO_CUCKOO, .place_slots = 5}},
    {NINHO_FIELD_CHOICE, NONE, {.kind = NINHO_CUCKOO, .choice = (ninho_choice)3}},
    {NINHO_FIELD_SEARCH, NONE, {.kind = NINHO_CUCKOO, .search = (ninho_search)3}},
    {NINHO_FIELD_PAIRING, NONE, {.kind = NINHO_CUCKOO, .pairing = (ninho_pairing)4}},
    {NINHO_FIELD_PAIRING, NONE, {.kind = NINHO_CUCKOO, .pairing = NINHO_PAIRING_XOR, .n_slots = 1000}},
    {NINHO_FIELD_PAIRING, NONE, {.kind = NINHO_SCALABLE, .base = NINHO_CUCKOO, .pairing = NINHO_PAIRING_NEAR}},
    {NINHO_FIELD_SLOTS, NONE, {.kind = NINHO_CUCKOO, .pairing = NINHO_PAIRING_NEAR, .slots = NINHO_WINDOWS}},
    {NINHO_FIELD_PLACE_SLOTS, 4, 4, {.kind = NINHO_CUCKOO, .pairing = NINHO_PAIRING_NEAR, .place_slots = 3}},
    {NINHO_FIELD_TAG_BITS, 8, 16, {.kind = NINHO_CUCKOO, .pairing = NINHO_PAIRING_NEAR, .tag_bits = 18}},
    {NINHO_FIELD_TAG_BITS, NONE, {.kind = NINHO_CUCKOO, .pairing = NINHO_PAIRING_NEAR, .tag_bits = 11}},
    {NINHO_FIELD_PREFER, NONE, {.kind = NINHO_CUCKOO, .prefer = (ninho_prefer)3}},
    {NINHO_FIELD_PREFER, NONE, {.kind = NINHO_BLOOM, .prefer = NINHO_PREFER_SPEED}},
    {NINHO_FIELD_PAIRING, NONE, {.kind = NINHO_SCALABLE, .base = NINHO_CUCKOO, .pairing = NINHO_PAIRING_XOR}},
    {NINHO_FIELD_MAX_KICKS, 1, 65535, {.kind = NINHO_CUCKOO, .search = NINHO_SEARCH_WALK, .max_kicks = HUGE32}},
    {NINHO_FIELD_MAX_KICKS, NONE, {.kind = NINHO_CUCKOO, .max_kicks = 5}},
    {NINHO_FIELD_BUDGET, 1, 1000000, {.kind = NINHO_CUCKOO, .budget = HUGE32}},
    {NINHO_FIELD_BUDGET, NONE, {.kind = NINHO_CUCKOO, .search = NINHO_SEARCH_WALK, .budget = 5}},
    {NINHO_FIELD_SEMANTICS, NONE, {.kind = NINHO_CUCKOO, .semantics = (ninho_semantics)2}},
    {NINHO_FIELD_N_SLOTS, 100, 0x1p50, {.kind = NINHO_CUCKOO, .n_slots = 99}},
    {NINHO_FIELD_N_SLOTS, NONE, {.kind = NINHO_CUCKOO, .slots = NINHO_BUCKETS, .n_slots = 401}},
    {NINHO_FIELD_N_SLOTS, NONE, {.kind = NINHO_BLOOM, .n_slots = 401}},
};
/* clang-format on */

/* The sentence begins with the name of the field. */
static void check_names(const ninho_error *error, ninho_field field)
{
    const char *name = ninho_field_name(field);

    CHECK(name);
    if (error->field != field)
        test_fail(__FILE__, __LINE__, "field %d, not %s: %s", (int)error->field, name,
                  error->text);
    CHECK_U64(error->name_bytes, strlen(name));
    CHECK(strncmp(error->text, name, strlen(name)) == 0);
    CHECK(error->text[strlen(name)] == ' ' && error->text[strlen(name) + 1]);
}

static void a_refusal_names_the_field_and_its_range(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *r = &refusals[i];
        ninho_spec spec = r->spec;
        ninho_plan plan = NINHO_PLAN_INIT;
        ninho_error error = NINHO_ERROR_INIT;
        spec.size_of_struct = sizeof spec;
        if (!spec.capacity)
            spec.capacity = 100;
        if (spec.fpr == 0)
            spec.fpr = .01;
        test_where("refusal %zu: %s", i, ninho_field_name(r->field));
        CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
        check_names(&error, r->field);
        CHECK(error.least == r->least && error.most == r->most);
    }
    for (int field = NINHO_FIELD_KIND; field <= NINHO_FIELD_PREFER; field++) {
        bool is_tried = false;
        for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
            is_tried |= refusals[i].field == (ninho_field)field;
        test_where("%s", ninho_field_name((ninho_field)field));
        CHECK(is_tried);
    }
}

static void a_kind_takes_what_is_not_refused_as_anothers(void **state)
{
    (void)state;
    for (size_t k = 0; ninho_kind_at(k); k++) {
        for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
            ninho_spec spec = refusals[i].spec;
            ninho_plan plan = NINHO_PLAN_INIT;
            ninho_error error = NINHO_ERROR_INIT;
            const ninho_field field = refusals[i].field;
            if (field < NINHO_FIELD_N_BITS)
                continue;
            test_where("%s: %s", ninho_kind_name(ninho_kind_at(k)),
                       ninho_field_name(field));
            spec.size_of_struct = sizeof spec;
            spec.kind = ninho_kind_at(k);
            spec.capacity = 100;
            spec.fpr = .01;
            const bool is_anothers = ninho_filter_plan(&spec, &plan, &error) &&
                                     error.field == field &&
                                     strstr(error.text, " is for kind ");
            if (is_anothers)
                CHECK(!ninho_kind_takes(spec.kind, field));
            if (!ninho_kind_takes(spec.kind, field))
                CHECK(strstr(error.text, " is for kind "));
        }
        for (int field = NINHO_FIELD_KIND; field <= NINHO_FIELD_SECRET; field++)
            CHECK(ninho_kind_takes(ninho_kind_at(k), (ninho_field)field));
        CHECK(!ninho_kind_takes(ninho_kind_at(k), NINHO_FIELD_NONE));
        CHECK(!ninho_kind_takes(ninho_kind_at(k), NINHO_FIELD_KEY_SIZE));
        CHECK(!ninho_kind_takes(ninho_kind_at(k), (ninho_field)1000));
    }
    CHECK(!ninho_kind_takes((ninho_kind)0, NINHO_FIELD_CAPACITY));
    CHECK(ninho_kind_takes(NINHO_BLOCKED, NINHO_FIELD_N_BITS));
    CHECK(!ninho_kind_takes(NINHO_BLOCKED, NINHO_FIELD_N_HASHES));
}

static void a_base_is_a_kind_that_can_be_one(void **state)
{
    size_t n = 0;

    (void)state;
    for (size_t k = 0; ninho_kind_at(k); k++) {
        ninho_spec spec = NINHO_SPEC_INIT;
        ninho_plan plan = NINHO_PLAN_INIT;
        spec.kind = NINHO_SCALABLE;
        spec.base = ninho_kind_at(k);
        spec.capacity = 100;
        spec.fpr = .01;
        test_where("%s", ninho_kind_name(spec.base));
        CHECK((ninho_filter_plan(&spec, &plan, NULL) == NINHO_OK) ==
              ninho_kind_can_be_base(spec.base));
        n += ninho_kind_can_be_base(spec.base);
    }
    CHECK(n >= 3 && !ninho_kind_can_be_base((ninho_kind)0));
}

/* What two filters differ in is named in the same way. */
static void a_mismatch_names_the_field(void **state)
{
    static const struct {
        ninho_field field;
        ninho_spec a, b;
    } pairs[] = {
        {NINHO_FIELD_KIND, {.kind = NINHO_BLOOM}, {.kind = NINHO_BLOCKED}},
        {NINHO_FIELD_HASH,
         {.kind = NINHO_BLOOM},
         {.kind = NINHO_BLOOM, .hash = NINHO_HASH_XXH64}},
        {NINHO_FIELD_KEY_ENCODING,
         {.kind = NINHO_BLOOM},
         {.kind = NINHO_BLOOM, .key_encoding = NINHO_KEY_INT64}},
        {NINHO_FIELD_SEED, {.kind = NINHO_BLOOM}, {.kind = NINHO_BLOOM, .seed = 1}},
        {NINHO_FIELD_SECRET,
         {.kind = NINHO_BLOOM, .hash = NINHO_HASH_SIPHASH, .secret = secret},
         {.kind = NINHO_BLOOM,
          .hash = NINHO_HASH_SIPHASH,
          .secret = (const uint8_t *)"another secret.."}},
        {NINHO_FIELD_TABLE_SIZE,
         {.kind = NINHO_BLOOM},
         {.kind = NINHO_BLOOM, .capacity = 200}},
        {NINHO_FIELD_N_HASHES,
         {.kind = NINHO_BLOOM, .n_bits = 1000, .n_hashes = 3},
         {.kind = NINHO_BLOOM, .n_bits = 1000, .n_hashes = 4}},
        {NINHO_FIELD_TAG_BITS,
         {.kind = NINHO_CUCKOO, .tag_bits = 10},
         {.kind = NINHO_CUCKOO, .tag_bits = 11}},
        {NINHO_FIELD_PLACE_SLOTS,
         {.kind = NINHO_CUCKOO, .place_slots = 2},
         {.kind = NINHO_CUCKOO, .place_slots = 3}},
        {NINHO_FIELD_BUDGET,
         {.kind = NINHO_CUCKOO},
         {.kind = NINHO_CUCKOO, .budget = 77}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        ninho_filter *filters[2] = {NULL, NULL};
        ninho_error error = NINHO_ERROR_INIT;
        test_where("%s", ninho_field_name(pairs[i].field));
        for (int j = 0; j < 2; j++) {
            ninho_spec spec = j ? pairs[i].b : pairs[i].a;
            spec.size_of_struct = sizeof spec;
            spec.capacity = spec.capacity ? spec.capacity : 100;
            spec.fpr = .01;
            CHECK_OK(ninho_filter_create(&spec, NULL, &filters[j], NULL));
        }
        CHECK_STATUS(ninho_filter_union(filters[0], filters[1], &error),
                     NINHO_ERR_MISMATCH);
        check_names(&error, pairs[i].field);
        ninho_filter_free(filters[0]);
        ninho_filter_free(filters[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refusal_names_the_field_and_its_range),
        cmocka_unit_test(a_kind_takes_what_is_not_refused_as_anothers),
        cmocka_unit_test(a_base_is_a_kind_that_can_be_one),
        cmocka_unit_test(a_mismatch_names_the_field),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
