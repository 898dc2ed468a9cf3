/* SPDX-License-Identifier: MIT */
/* What keys of the Redis module hold, without a server: this program is the server, as far as memory
 * goes. How filters grow and are removed from, the cap, bytes from outside, defragmentation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integrations/redis/blob.h"
#include "integrations/redis/chain.h"
#include "integrations/redis/type.h"
#include "support/test.h"

/* ---- A server ------------------------------------------------------------------------------ */

static RedisModuleTypeMethods *methods; /* as they were registered */
static bool moves_memory;

static RedisModuleType *create_type(RedisModuleCtx *ctx, const char *name, int encver,
                                    RedisModuleTypeMethods *given)
{
    (void)ctx;
    CHECK(strlen(name) == 9 && encver == 1);
    methods = given;
    return (RedisModuleType *)given;
}

static void *calloc_server(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    CHECK(memory);
    return memory;
}

/* Moves every second thing that it is asked about. It cannot know sizes, as the server does: the test
 * sees to it that there are as many bytes as an object has. */
static void *defrag_alloc(RedisModuleDefragCtx *ctx, void *memory)
{
    static unsigned n;

    (void)ctx;
    if (!moves_memory || n++ % 2 == 0)
        return NULL;
    void *moved = malloc(sizeof(struct nr_object));
    CHECK(moved);
    memcpy(moved, memory, sizeof(struct nr_object));
    free(memory);
    return moved;
}

static int start_server(void **state)
{
    (void)state;
    redis.Alloc = malloc;
    redis.TryAlloc = malloc;
    redis.Calloc = calloc_server;
    redis.Realloc = realloc;
    redis.Free = free;
    redis.CreateDataType = create_type;
    redis.DefragAlloc = defrag_alloc;
    nr_cap = 0;
    CHECK(nr_type_create(NULL) == REDISMODULE_OK);
    return 0;
}

/* ---- Objects ------------------------------------------------------------------------------- */

static struct nr_object *chain(enum nr_face face, uint64_t capacity, uint32_t bucket)
{
    const struct nr_object parameters = {.error = .01,
                                         .capacity = capacity,
                                         .expansion = 2,
                                         .bucket = bucket,
                                         .iterations = 20};
    ninho_error error = NINHO_ERROR_INIT;
    struct nr_object *object = nr_chain_new(face, &parameters, &error);

    CHECK(object);
    return object;
}

static struct nr_object *cuckoo(uint64_t capacity, uint32_t bucket, uint64_t n)
{
    struct nr_object *object = chain(NR_CF, capacity, bucket);
    struct nr_work work = {0};

    for (uint64_t i = 0; i < n; i++)
        CHECK_OK(nr_cf_add(object, mix64(i), &work));
    return object;
}

static struct nr_object *bloom(uint64_t capacity, uint64_t n)
{
    struct nr_object *object = chain(NR_BF, capacity, 0);

    for (uint64_t i = 0; i < n; i++)
        CHECK_OK(nr_bf_add(object, mix64(i)));
    return object;
}

static void check_members(const struct nr_object *object, uint64_t first, uint64_t n)
{
    for (uint64_t i = first; i < first + n; i++)
        CHECK(nr_chain_has(object, mix64(i)));
}

static uint8_t *bytes_of(const struct nr_object *object, size_t *size)
{
    *size = (size_t)nr_blob_size(object);
    uint8_t *bytes = malloc(*size);
    CHECK(bytes && nr_blob_read(object, 0, bytes, *size));
    return bytes;
}

static struct nr_object *decoded(const uint8_t *bytes, size_t size, unsigned face)
{
    ninho_error error = NINHO_ERROR_INIT;
    struct nr_object *object = nr_blob_decode(bytes, size, face, &error);

    CHECK(object);
    return object;
}

/* ---- Growth and removal -------------------------------------------------------------------- */

static void removal_from_nested_filters_loses_nothing(void **state)
{
    (void)state;
    for (uint32_t bucket = 1; bucket <= 8; bucket *= 2) {
        const uint64_t n = test_scaled(50000, 20000);
        struct nr_object *object = cuckoo(100, bucket, n);
        CHECK(object->n_layers > 6);
        CHECK(nr_chain_is_sound(object));
        for (uint64_t i = 0; i < n; i += 3)
            CHECK_OK(nr_cf_remove(object, mix64(i)));
        for (uint64_t i = 0; i < n; i++)
            CHECK(i % 3 == 0 || nr_chain_has(object, mix64(i)));
        CHECK_U64(nr_object_count(object), n - (n + 2) / 3);
        nr_object_free(object);
    }
}

static void put_word(uint8_t *bytes, uint64_t word)
{
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
}

/* A compact filter as no adds make it: signatures 0 to n - 1 in one cluster from slot 0 on, one copy of
 * each, with both checksums. Its signatures have 20 bits, so that a slot is three bytes. */
static ninho_filter *crowded(uint32_t n)
{
    const ninho_hasher xxh3 = {.id = NINHO_HASH_XXH3};
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter;
    size_t size;

    spec.kind = NINHO_COMPACT;
    spec.capacity = 300000;
    spec.tag_bits = 20;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    size = ninho_filter_encoded_size(filter);
    uint8_t *bytes = malloc(size);
    CHECK(bytes);
    CHECK_OK(ninho_filter_encode(filter, bytes, size, NULL));
    ninho_filter_free(filter);
    const size_t body = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    for (uint32_t s = 0; s < n; s++)
        for (unsigned i = 0; i < 3; i++)
            bytes[body + 3 * s + i] = (uint8_t)((s << 4 | 1) >> 8 * i);
    put_word(bytes + 40, n);
    put_word(bytes + 96 + 16, n);
    put_word(bytes + 72, ninho_hash_bytes(&xxh3, bytes + body, size - body));
    put_word(bytes + body - 8, ninho_hash_bytes(&xxh3, bytes, body - 8));
    CHECK_OK(ninho_filter_decode(bytes, size, NULL, &filter, NULL));
    free(bytes);
    return filter;
}

static void removals_that_are_too_much_are_refused_and_counted(void **state)
{
    const uint64_t n = 131082 + 200;
    struct nr_object *object = chain(NR_CF, 100, 2);
    ninho_filter *filter = crowded((uint32_t)n);
    struct nr_work work = {0};
    unsigned n_asked = 0;

    (void)state;
    CHECK_STATUS(nr_work_remove(&work, filter, UINT64_MAX), NINHO_ERR_NOT_FOUND);
    CHECK(!work.has_full && !work.n_looked);
    for (uint64_t s = 0; s < 100; s++) {
        const uint64_t before = work.n_looked;
        CHECK_STATUS(nr_work_remove(&work, filter, s << 44), NINHO_ERR_FULL);
        CHECK_STATUS(nr_work_remove(&work, filter, s << 44), NINHO_ERR_FULL);
        n_asked += work.n_looked != before;
    }
    CHECK_U64(n_asked, 20);
    CHECK_STATUS(nr_work_remove(&work, filter, (n - 1) << 44), NINHO_ERR_FULL);
    CHECK_U64(ninho_filter_count(filter), n);
    work = (struct nr_work){0};
    CHECK_OK(nr_work_remove(&work, filter, (n - 1) << 44));
    CHECK_OK(ninho_filter_verify(filter, NULL));
    /* CF keys have cuckoo tables alone; whatever a table answers is passed on */
    CHECK(nr_object_insert(object, filter, 300000, 1));
    CHECK_STATUS(nr_cf_remove(object, 0), NINHO_ERR_FULL);
    CHECK_STATUS(nr_cf_remove(object, UINT64_MAX), NINHO_ERR_NOT_FOUND);
    CHECK_U64(object->n_deleted, 0);
    CHECK_OK(nr_cf_remove(object, (n - 2) << 44));
    CHECK_U64(object->n_deleted, 1);
    nr_object_free(object);
}

static void compacting_moves_all_that_fits(void **state)
{
    struct nr_object *object = cuckoo(100, 2, 50000);
    const uint32_t before = object->n_layers;
    uint64_t cursor = 0;
    unsigned n_steps = 1;

    (void)state;
    for (uint64_t i = 0; i < 50000; i++)
        CHECK(i % 10 == 0 || !nr_cf_remove(object, mix64(i)));
    while (!nr_cf_compact(object, &cursor, 1000))
        n_steps++;
    CHECK(n_steps > 20);
    CHECK(object->n_layers < before);
    /* no smaller list of filters has room for them */
    CHECK(nr_chain_capacity(object) - object->layers[object->n_layers - 1].capacity <
          5000);
    CHECK_U64(nr_object_count(object), 5000);
    for (uint64_t i = 0; i < 50000; i += 10)
        CHECK(nr_chain_has(object, mix64(i)));
    CHECK(nr_chain_is_sound(object));
    nr_object_free(object);
}

static void copies_and_crowds_do_not_make_it_grow(void **state)
{
    struct nr_object *object = chain(NR_CF, 1000, 2);
    struct nr_work work = {0};
    unsigned n_added = 0;

    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        n_added += !nr_cf_add(object, 12345, &work);
    CHECK_U64(n_added, 4);
    CHECK_U64(object->n_layers, 1);
    CHECK_U64(nr_chain_copies(object, 12345), 4);
    nr_object_free(object);
}

static void batches_answer_as_single_questions_do(void **state)
{
    struct nr_object *object = bloom(50, 4000);
    uint64_t hashes[NR_GROUP], maybe[NR_GROUP / 64];

    (void)state;
    for (uint64_t first = 3000; first < 5000; first += NR_GROUP - 1) {
        for (uint64_t i = 0; i < NR_GROUP; i++)
            hashes[i] = mix64(first + i);
        for (size_t n = 1; n <= NR_GROUP; n += 51) {
            nr_chain_has_many(object, hashes, n, maybe);
            for (size_t i = 0; i < n; i++)
                CHECK((maybe[i / 64] >> (i % 64) & 1) == nr_chain_has(object, hashes[i]));
        }
    }
    nr_object_free(object);
}

static void merged_filters_hold_both(void **state)
{
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    for (unsigned is_cuckoo = 0; is_cuckoo < 2; is_cuckoo++) {
        struct nr_object *target = is_cuckoo ? cuckoo(100, 2, 3000) : bloom(100, 3000);
        struct nr_object *source = chain(is_cuckoo ? NR_CF : NR_BF, 100, 2);
        struct nr_work work = {0};
        for (uint64_t i = 5000; i < 9000; i++)
            CHECK_OK(is_cuckoo ? nr_cf_add(source, mix64(i), &work)
                               : nr_bf_add(source, mix64(i)));
        CHECK_OK(nr_chain_merge(target, source, &error));
        check_members(target, 0, 3000);
        check_members(target, 5000, 4000);
        CHECK(nr_chain_is_sound(target));
        for (uint64_t i = 0; is_cuckoo && i < 3000; i++)
            CHECK_OK(nr_cf_remove(target, mix64(i)));
        check_members(target, 5000, 4000);
        nr_object_free(target);
        nr_object_free(source);
    }
}

/* ---- Memory -------------------------------------------------------------------------------- */

static void every_byte_is_counted_and_the_cap_is_kept(void **state)
{
    struct nr_object *object = chain(NR_BF, 100, 0);
    ninho_status status = NINHO_OK;
    uint64_t n = 0;

    (void)state;
    nr_cap = 50000;
    while (!status)
        status = nr_bf_add(object, mix64(n++));
    CHECK_STATUS(status, NINHO_ERR_NOMEM);
    CHECK(n > 10000 && object->account->used <= 50000);
    check_members(object, 0, n - 1);
    nr_cap = 0;
    CHECK_OK(nr_bf_add(object, mix64(n)));
    while (object->n_layers)
        nr_object_drop_last(object);
    CHECK_U64(object->account->used, 0);
    nr_object_free(object);
}

static void defragmented_objects_are_equal(void **state)
{
    (void)state;
    moves_memory = true;
    for (unsigned round = 0; round < 6; round++) {
        struct nr_object *object = round % 2 ? cuckoo(10, 2, 9) : bloom(10, 15);
        size_t n, m;
        uint8_t *before = bytes_of(object, &n);
        void *room = calloc(1, sizeof *object);
        struct nr_layer *layers = room;
        CHECK(layers && object->n_layers * sizeof *layers < sizeof *object);
        memcpy(layers, object->layers, object->n_layers * sizeof *layers);
        free(object->layers);
        object->layers = layers;
        void *value = object;
        CHECK(methods->defrag(NULL, NULL, &value) == 0);
        uint8_t *after = bytes_of(value, &m);
        CHECK(n == m && memcmp(before, after, n) == 0);
        check_members(value, 0, 9);
        free(before);
        free(after);
        methods->free(value);
    }
    moves_memory = false;
}

/* ---- Bytes --------------------------------------------------------------------------------- */

static void bytes_there_and_back(void **state)
{
    (void)state;
    for (unsigned face = NR_BF; face <= NR_CF; face++) {
        struct nr_object *object = face == NR_BF ? bloom(20, 500) : cuckoo(20, 3, 500);
        size_t n, m;
        uint8_t *bytes = bytes_of(object, &n);
        CHECK_U64(nr_blob_announced(bytes, n, face), n);
        CHECK_U64(nr_blob_announced(bytes, n, NR_NINHO), 0);
        struct nr_object *back = decoded(bytes, n, face);
        uint8_t *again = bytes_of(back, &m);
        CHECK(n == m && memcmp(bytes, again, n) == 0);
        check_members(back, 0, 500);
        for (size_t step = 7; step < n; step = step * 5 + 1) {
            memset(again, 0, n);
            for (size_t at = 0; at < n; at += step)
                CHECK(
                    nr_blob_read(object, at, again + at, n - at < step ? n - at : step));
            CHECK(memcmp(bytes, again, n) == 0);
        }
        free(bytes);
        free(again);
        nr_object_free(object);
        nr_object_free(back);
    }
}

/* Written by the first version of the module: whatever comes later must read them. The files are
 * made by this test where they are missing. */
static void files_of_the_first_version_are_read(void **state)
{
    static const char *const names[] = {"bf-1", "cf-1"};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        char path[300];
        uint8_t bytes[8192];
        size_t n, m;
        struct nr_object *made = i ? cuckoo(8, 2, 40) : bloom(8, 40);
        uint8_t *now = bytes_of(made, &m);
        snprintf(path, sizeof path, "%s/tests/redis/golden/%s.blob", NINHO_SOURCE_DIR,
                 names[i]);
        FILE *file = fopen(path, "rb");
        if (!file) {
            file = fopen(path, "wb");
            CHECK(file && fwrite(now, 1, m, file) == m && fclose(file) == 0);
            test_fail(__FILE__, __LINE__, "%s was missing, and is there now", path);
        }
        n = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        CHECK(n == m &&
              memcmp(bytes, now, n) == 0); /* a change of format is a new version */
        struct nr_object *object = decoded(bytes, n, i ? NR_CF : NR_BF);
        check_members(object, 0, 40);
        free(now);
        nr_object_free(made);
        nr_object_free(object);
    }
}

static void damaged_bytes_are_refused(void **state)
{
    struct nr_object *object = cuckoo(8, 2, 20);
    ninho_error error = NINHO_ERROR_INIT;
    size_t n;
    uint8_t *bytes = bytes_of(object, &n);
    struct test_rng rng = {test_seed(3)};

    (void)state;
    for (size_t size = 0; size < n; size++) {
        uint8_t *cut = malloc(size ? size : 1); /* exactly, for ASan */
        CHECK(cut);
        memcpy(cut, bytes, size);
        CHECK(!nr_blob_decode(cut, size, 0, &error));
        (void)nr_blob_announced(cut, size, 0);
        free(cut);
    }
    for (size_t at = 0; at < n; at++) {
        const uint8_t old = bytes[at];
        bytes[at] ^= (uint8_t)(1 + rng_below(&rng, 255));
        CHECK(!nr_blob_decode(bytes, n, 0, &error));
        bytes[at] = old;
    }
    free(bytes);
    nr_object_free(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(removal_from_nested_filters_loses_nothing),
        cmocka_unit_test(removals_that_are_too_much_are_refused_and_counted),
        cmocka_unit_test(compacting_moves_all_that_fits),
        cmocka_unit_test(copies_and_crowds_do_not_make_it_grow),
        cmocka_unit_test(batches_answer_as_single_questions_do),
        cmocka_unit_test(merged_filters_hold_both),
        cmocka_unit_test(every_byte_is_counted_and_the_cap_is_kept),
        cmocka_unit_test(defragmented_objects_are_equal),
        cmocka_unit_test(bytes_there_and_back),
        cmocka_unit_test(files_of_the_first_version_are_read),
        cmocka_unit_test(damaged_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, start_server, NULL);
}
