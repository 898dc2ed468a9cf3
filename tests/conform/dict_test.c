/* SPDX-License-Identifier: MIT */
/* What every dictionary promises, through <ninho/dict.h>, over every configuration in
 * dicts.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform/dicts.h"
#include "support/test.h"

static ninho_dict *make(const struct dict_config *config)
{
    const ninho_dict_spec spec = dict_spec_of(config);
    ninho_dict *dict = NULL;

    test_where("%s", config->name);
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    return dict;
}

static void put(ninho_dict *dict, const struct dict_config *config, uint64_t i,
                uint64_t value)
{
    uint8_t key[64];
    const size_t size = dict_key(config, i, key);
    CHECK_OK(ninho_dict_put(dict, key, size, value, NULL));
}

static bool has(const ninho_dict *dict, const struct dict_config *config, uint64_t i,
                uint64_t *value)
{
    uint8_t key[64];
    const size_t size = dict_key(config, i, key);
    return ninho_dict_get(dict, key, size, value);
}

static ninho_status take(ninho_dict *dict, const struct dict_config *config, uint64_t i)
{
    uint8_t key[64];
    const size_t size = dict_key(config, i, key);
    return ninho_dict_remove(dict, key, size);
}

static void every_key_put_is_found_with_its_value(void **state)
{
    const uint64_t n = test_scaled(50000, 500);

    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        ninho_dict *dict = make(config);
        for (uint64_t i = 0; i < n; i++) {
            uint8_t key[64];
            const size_t size = dict_key(config, i, key);
            bool is_new = false;
            CHECK_OK(ninho_dict_put(dict, key, size, 3 * i, &is_new));
            CHECK(is_new);
        }
        CHECK_U64(ninho_dict_count(dict), n);
        for (uint64_t i = 0; i < 2 * n; i++) {
            uint64_t value = 77;
            CHECK(has(dict, config, i, &value) == (i < n));
            CHECK_U64(value, i < n ? 3 * i : 77);
        }
        CHECK_OK(ninho_dict_verify(dict, NULL));
        ninho_dict_free(dict);
    }
}

static void a_key_put_again_gets_the_new_value_and_is_told_apart(void **state)
{
    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        ninho_dict *dict = make(&dict_configs[c]);
        uint8_t key[64];
        const size_t size = dict_key(&dict_configs[c], 5, key);
        bool is_new = false;
        uint64_t value;
        CHECK_OK(ninho_dict_put(dict, key, size, 1, &is_new));
        CHECK(is_new);
        CHECK_OK(ninho_dict_put(dict, key, size, 2, &is_new));
        CHECK(!is_new);
        CHECK(ninho_dict_get(dict, key, size, &value));
        CHECK_U64(value, 2);
        CHECK_U64(ninho_dict_count(dict), 1);
        ninho_dict_free(dict);
    }
}

static void removal_takes_one_key_and_no_other(void **state)
{
    const uint64_t n = test_scaled(20000, 300);

    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        ninho_dict *dict = make(config);
        for (uint64_t i = 0; i < n; i++)
            put(dict, config, i, i);
        CHECK_STATUS(take(dict, config, n), NINHO_ERR_NOT_FOUND);
        for (uint64_t i = 0; i < n; i += 2) {
            CHECK_OK(take(dict, config, i));
            CHECK_STATUS(take(dict, config, i), NINHO_ERR_NOT_FOUND);
        }
        CHECK_OK(ninho_dict_verify(dict, NULL));
        for (uint64_t i = 0; i < n; i++)
            CHECK(has(dict, config, i, NULL) == (i % 2 == 1));
        for (uint64_t i = 1; i < n; i += 2)
            CHECK_OK(take(dict, config, i));
        CHECK_U64(ninho_dict_count(dict), 0);
        ninho_dict_free(dict);
    }
}

/* Linear probing with graves would make lookups scan all that was ever there. */
static void removals_leave_nothing_behind_that_fills_the_table(void **state)
{
    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        ninho_dict *dict = make(config);
        ninho_dict_info before = NINHO_DICT_INFO_INIT, after = NINHO_DICT_INFO_INIT;
        for (uint64_t i = 0; i < 100; i++)
            put(dict, config, i, i);
        CHECK_OK(ninho_dict_info_of(dict, &before));
        for (uint64_t i = 100; i < test_scaled(100000, 2000); i++) {
            CHECK_OK(take(dict, config, i - 100));
            put(dict, config, i, i);
        }
        CHECK_OK(ninho_dict_info_of(dict, &after));
        CHECK(after.n_slots <= 2 * before.n_slots);
        CHECK(after.memory_bytes <= 4 * before.memory_bytes);
        CHECK_OK(ninho_dict_verify(dict, NULL));
        ninho_dict_free(dict);
    }
}

static void many_answers_equal_single_ones(void **state)
{
    static const size_t sizes[] = {0, 1, 31, 32, 33, 63, 64, 65, 1000};

    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        ninho_dict *dict = make(config);
        static uint8_t bytes[1000][64];
        const void *keys[1000];
        size_t key_sizes[1000];
        uint64_t values[1000], found[16];
        for (uint64_t i = 0; i < 3000; i += 3)
            put(dict, config, i, i + 7);
        for (size_t i = 0; i < 1000; i++) {
            key_sizes[i] = dict_key(config, i, bytes[i]);
            keys[i] = bytes[i];
        }
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const size_t n = sizes[s];
            memset(found, 0xff, sizeof found);
            const size_t n_found =
                ninho_dict_get_many(dict, keys, key_sizes, n, values, found);
            CHECK_U64(n_found, (n + 2) / 3);
            for (size_t i = 0; i < n; i++) {
                CHECK((found[i / 64] >> (i % 64) & 1) == (i % 3 == 0));
                CHECK_U64(values[i], i % 3 == 0 ? i + 7 : 0);
            }
            if (n % 64)
                CHECK_U64(found[n / 64] >> (n % 64), 0);
        }
        if (config->key_size) {
            static uint8_t packed[1000 * 64];
            for (size_t i = 0; i < 1000; i++)
                memcpy(packed + i * config->key_size, bytes[i], config->key_size);
            CHECK_U64(ninho_dict_get_array(dict, packed, 1000, values, found), 334);
            for (size_t i = 0; i < 1000; i++)
                CHECK_U64(values[i], i % 3 == 0 ? i + 7 : 0);
        }
        key_sizes[3] = 63; /* a size that no key here has */
        CHECK_U64(ninho_dict_get_many(dict, keys, key_sizes, 10, values, found), 3);
        ninho_dict_free(dict);
    }
}

static void a_visit_sees_every_key_once(void **state)
{
    const uint64_t n = test_scaled(5000, 200);

    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        ninho_dict *dict = make(config);
        uint8_t *seen = calloc((size_t)n, 1);
        uint64_t cursor = 0, value, count = 0;
        const void *key;
        size_t size;
        CHECK(seen);
        for (uint64_t i = 0; i < n; i++)
            put(dict, config, i, i);
        for (uint64_t i = 0; i < n; i += 5)
            CHECK_OK(take(dict, config, i));
        while (ninho_dict_next(dict, &cursor, &key, &size, &value)) {
            uint8_t expected[64];
            CHECK(value < n && value % 5 != 0 && !seen[value]);
            seen[value] = 1;
            CHECK_U64(size, dict_key(config, value, expected));
            CHECK(memcmp(key, expected, size) == 0);
            CHECK_OK(
                ninho_dict_put(dict, key, size, value, NULL)); /* no new key: goes on */
            count++;
        }
        CHECK(cursor != UINT64_MAX);
        CHECK_U64(count, ninho_dict_count(dict));
        free(seen);
        ninho_dict_free(dict);
    }
}

static void growth_during_a_visit_ends_it(void **state)
{
    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        ninho_dict *dict = make(config);
        uint64_t cursor = 0, next_key = 1000, n_seen = 0;
        for (uint64_t i = 0; i < 100; i++)
            put(dict, config, i, i);
        while (ninho_dict_next(dict, &cursor, NULL, NULL, NULL)) {
            CHECK(++n_seen < 1000);
            for (unsigned i = 0; i < 100; i++)
                put(dict, config, next_key++, 0);
        }
        CHECK_U64(cursor, UINT64_MAX);
        CHECK_U64(n_seen, 1);
        CHECK(!ninho_dict_next(dict, &cursor, NULL, NULL, NULL));
        ninho_dict_free(dict);
    }
}

static void a_bound_on_the_number_of_keys_is_kept(void **state)
{
    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        ninho_dict_spec spec = dict_spec_of(config);
        ninho_dict *dict = NULL;
        uint8_t key[64];
        spec.max_capacity = 100;
        test_where("%s", config->name);
        CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
        for (uint64_t i = 0; i < 100; i++)
            put(dict, config, i, i);
        const size_t size = dict_key(config, 100, key);
        CHECK_STATUS(ninho_dict_put(dict, key, size, 0, NULL), NINHO_ERR_FULL);
        CHECK_STATUS(ninho_dict_reserve(dict, 101), NINHO_ERR_FULL);
        put(dict, config, 99, 5); /* a new value needs no room */
        CHECK_U64(ninho_dict_count(dict), 100);
        CHECK_OK(take(dict, config, 0));
        CHECK_OK(ninho_dict_put(dict, key, size, 0, NULL));
        CHECK_OK(ninho_dict_verify(dict, NULL));
        ninho_dict_free(dict);
    }
}

static void reserved_room_is_used_without_growing(void **state)
{
    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        ninho_dict_info before = NINHO_DICT_INFO_INIT, after = NINHO_DICT_INFO_INIT;
        ninho_dict *dict = make(config);
        for (uint64_t i = 0; i < 10; i++)
            put(dict, config, i, i);
        CHECK_OK(ninho_dict_reserve(dict, 3000));
        CHECK_OK(ninho_dict_info_of(dict, &before));
        for (uint64_t i = 10; i < 3000; i++)
            put(dict, config, i, i);
        CHECK_OK(ninho_dict_info_of(dict, &after));
        CHECK_U64(after.n_slots, before.n_slots);
        for (uint64_t i = 0; i < 3000; i++)
            CHECK(has(dict, config, i, NULL));
        ninho_dict_free(dict);
    }
}

static void a_cleared_dictionary_is_as_new(void **state)
{
    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        ninho_dict_info before = NINHO_DICT_INFO_INIT, after = NINHO_DICT_INFO_INIT;
        ninho_dict *dict = make(config);
        CHECK_OK(ninho_dict_info_of(dict, &before));
        for (uint64_t i = 0; i < 1000; i++)
            put(dict, config, i, i);
        CHECK_OK(ninho_dict_clear(dict));
        CHECK_OK(ninho_dict_info_of(dict, &after));
        CHECK_U64(after.count, 0);
        CHECK_U64(after.memory_bytes, before.memory_bytes);
        CHECK(!has(dict, config, 3, NULL));
        put(dict, config, 3, 9);
        CHECK(has(dict, config, 3, NULL));
        CHECK_OK(ninho_dict_verify(dict, NULL));
        ninho_dict_free(dict);
    }
}

static void files_and_bytes_bring_it_back(void **state)
{
    struct temp_dir dir;
    char path[512];

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "d.nh", path);
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        const ninho_open_options options = dict_options_of(config);
        for (uint64_t n = 0; n <= 3000; n = n * 10 + 3) {
            ninho_dict *dict = make(config), *again = NULL;
            ninho_dict_info info = NINHO_DICT_INFO_INIT,
                            info_again = NINHO_DICT_INFO_INIT;
            for (uint64_t i = 0; i < n; i++)
                put(dict, config, i, i ^ 0xabc);
            if (n > 2)
                CHECK_OK(take(dict, config, 2));
            CHECK_OK(ninho_dict_save(dict, path, NULL));
            CHECK_OK(ninho_dict_open(path, &options, &again, NULL));
            CHECK_OK(ninho_dict_verify(again, NULL));
            CHECK_OK(ninho_dict_info_of(dict, &info));
            CHECK_OK(ninho_dict_info_of(again, &info_again));
            CHECK_U64(info.size_bytes, file_size(path));
            CHECK_U64(info.count, info_again.count);
            CHECK_U64(info.size_bytes, info_again.size_bytes);
            for (uint64_t i = 0; i < n; i++) {
                uint64_t value = 0;
                CHECK(has(again, config, i, &value) == (i != 2 || n <= 2));
                CHECK(!value || value == (i ^ 0xabc));
            }
            ninho_dict_free(dict);
            ninho_dict_free(again);
        }
    }
    temp_dir_remove(&dir);
}

static void a_buffer_too_small_is_told_and_left_alone(void **state)
{
    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        ninho_dict *dict = make(&dict_configs[c]);
        for (uint64_t i = 0; i < 20; i++)
            put(dict, &dict_configs[c], i, i);
        const size_t needed = ninho_dict_encoded_size(dict);
        uint8_t *bytes = malloc(needed + 1);
        size_t size = 0;
        CHECK(bytes);
        memset(bytes, 0x5a, needed + 1);
        CHECK_STATUS(ninho_dict_encode(dict, bytes, needed - 1, &size), NINHO_ERR_SPACE);
        CHECK_U64(size, needed);
        CHECK(bytes[0] == 0x5a);
        CHECK_OK(ninho_dict_encode(dict, bytes, needed, &size));
        CHECK(bytes[needed] == 0x5a);
        free(bytes);
        ninho_dict_free(dict);
    }
}

static void a_failing_allocator_leaves_it_as_it_was(void **state)
{
    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        const ninho_dict_spec spec = dict_spec_of(config);
        bool is_done = false;
        for (size_t fail_at = 1; !is_done; fail_at++) {
            struct test_heap heap;
            ninho_dict *dict = NULL;
            uint64_t n = 0;
            CHECK(fail_at < 1000);
            heap_init(&heap);
            heap_fail_at(&heap, fail_at);
            test_where("%s, allocation %zu fails", config->name, fail_at);
            const ninho_status made = ninho_dict_create(&spec, &heap.alloc, &dict, NULL);
            if (made) {
                CHECK_STATUS(made, NINHO_ERR_NOMEM);
                CHECK_U64(heap.live_blocks, 0);
                continue;
            }
            ninho_status status = NINHO_OK;
            while (!status && n < 600) {
                uint8_t key[64];
                const size_t size = dict_key(config, n, key);
                status = ninho_dict_put(dict, key, size, n, NULL);
                n += !status;
            }
            is_done = !status;
            CHECK(is_done || status == NINHO_ERR_NOMEM);
            CHECK_U64(ninho_dict_count(dict), n);
            CHECK_OK(ninho_dict_verify(dict, NULL));
            for (uint64_t i = 0; i < 600; i++)
                CHECK(has(dict, config, i, NULL) == (i < n));
            for (uint64_t i = n; i < 600; i++) /* and it goes on working */
                put(dict, config, i, i);
            CHECK_U64(ninho_dict_count(dict), 600);
            ninho_dict_free(dict);
            CHECK_U64(heap.live_blocks, 0);
        }
    }
}

static uint64_t constant_hash(void *context, const void *key, size_t size)
{
    (void)key;
    (void)size;
    return *(const uint64_t *)context;
}

static void keys_of_one_hash_are_kept_or_refused_never_lost(void **state)
{
    uint64_t constants[] = {0, 1, UINT64_MAX, UINT64_C(0x123456789abcdef0)};

    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        for (size_t h = 0; h < 4; h++) {
            ninho_dict_spec spec = dict_spec_of(config);
            ninho_dict *dict = NULL;
            uint64_t n = 0;
            ninho_status status = NINHO_OK;
            spec.hash_function = constant_hash;
            spec.hook_context = &constants[h];
            test_where("%s, every hash %zu", config->name, h);
            CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
            while (!status && n < 500) {
                uint8_t key[64];
                const size_t size = dict_key(config, n, key);
                status = ninho_dict_put(dict, key, size, n, NULL);
                n += !status;
            }
            if (config->kind == NINHO_CUCKOO_TABLE) {
                const uint32_t d = spec.n_functions ? spec.n_functions : 2;
                const uint32_t b = spec.bucket_size ? spec.bucket_size : 4;
                CHECK_STATUS(status, NINHO_ERR_FULL);
                CHECK(n >= b && n <= (uint64_t)d * b + spec.stash_size);
            } else {
                CHECK_U64(n, 500);
            }
            CHECK_OK(ninho_dict_verify(dict, NULL));
            for (uint64_t i = 0; i < n; i++)
                CHECK(has(dict, config, i, NULL));
            for (uint64_t i = 0; i < n; i++)
                CHECK_OK(take(dict, config, i));
            CHECK_U64(ninho_dict_count(dict), 0);
            ninho_dict_free(dict);
        }
    }
}

static void keys_may_be_a_mebibyte_long(void **state)
{
    const size_t size = (size_t)1 << 20;
    uint8_t *key = calloc(size, 1);

    (void)state;
    CHECK(key);
    for (size_t c = 0; c < n_dict_configs; c++) {
        if (dict_configs[c].key_size)
            continue;
        ninho_dict *dict = make(&dict_configs[c]);
        for (uint8_t i = 0; i < 5; i++) {
            key[size - 1] = i;
            CHECK_OK(ninho_dict_put(dict, key, size, i, NULL));
            CHECK_OK(ninho_dict_put(dict, key, size - 1 - i, 100U + i, NULL));
        }
        for (uint8_t i = 0; i < 5; i++) {
            uint64_t value;
            key[size - 1] = i;
            CHECK(ninho_dict_get(dict, key, size, &value));
            CHECK_U64(value, i);
            CHECK(ninho_dict_get(dict, key, size - 1 - i, &value));
            CHECK_U64(value, 100U + i);
            CHECK_OK(ninho_dict_remove(dict, key, size));
        }
        ninho_dict_free(dict);
    }
    free(key);
}

/* The key's bytes may lie in the dictionary, which moves them to make room. */
static void a_key_may_come_out_of_the_dictionary_itself(void **state)
{
    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const uint64_t n = 300;
        if (dict_configs[c].key_size)
            continue;
        ninho_dict *dict = make(&dict_configs[c]);
        for (uint64_t i = 2; i < n; i++)
            put(dict, &dict_configs[c], i, i);
        for (uint64_t i = 2; i < n; i++) {
            uint64_t cursor = 0, value = 0;
            const void *key = NULL;
            size_t size = 0;
            uint8_t copy[64];
            while (ninho_dict_next(dict, &cursor, &key, &size, &value) && value != i)
                continue;
            CHECK(value == i && size > 1);
            memcpy(copy, key, size - 1);
            CHECK_OK(ninho_dict_put(dict, key, size - 1, n + i, NULL));
            CHECK(ninho_dict_get(dict, copy, size - 1, &value));
            CHECK_U64(value, n + i);
        }
        CHECK_OK(ninho_dict_verify(dict, NULL));
        ninho_dict_free(dict);
    }
}

/* How many keys the events leave in the table. */
static void follow(void *context, const ninho_event *event)
{
    int64_t *n_keys = context;

    if (event->type == NINHO_EVENT_RESIZED)
        *n_keys = 0;
    else if (event->type == NINHO_EVENT_TAG_PLACED)
        ++*n_keys;
    else if (event->type == NINHO_EVENT_TAG_REMOVED)
        --*n_keys;
}

static void events_tell_what_is_in_the_table(void **state)
{
    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        ninho_dict_spec spec = dict_spec_of(config);
        ninho_dict *dict = NULL;
        int64_t n_keys = 0;
        spec.stash_size = 0;
        spec.observer = follow;
        spec.observer_context = &n_keys;
        test_where("%s", config->name);
        CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
        for (uint64_t i = 0; i < 2000; i++) {
            put(dict, config, i, i);
            CHECK_U64(n_keys, ninho_dict_count(dict));
            if (i % 3 == 0) {
                CHECK_OK(take(dict, config, i / 3));
                CHECK_U64(n_keys, ninho_dict_count(dict));
            }
        }
        ninho_dict_free(dict);
    }
}

/* What is wrong with a spec is told by its field, which begins the sentence. */
static void refusals_name_the_field(void **state)
{
#define PROBE  .size_of_struct = sizeof(ninho_dict_spec), .kind = NINHO_PROBE
#define CUCKOO .size_of_struct = sizeof(ninho_dict_spec), .kind = NINHO_CUCKOO_TABLE
    static const uint8_t secret[NINHO_SECRET_BYTES];
    const uint64_t above = (UINT64_C(1) << 48) + 1;
    const struct {
        ninho_field field;
        ninho_dict_spec spec;
    } cases[] = {
        {NINHO_FIELD_KIND,
         {.size_of_struct = sizeof(ninho_dict_spec), .kind = (ninho_dict_kind)99}},
        {NINHO_FIELD_HASH, {PROBE, .hash = (ninho_hash_id)99}},
        {NINHO_FIELD_KEY_ENCODING, {PROBE, .key_encoding = (ninho_key_encoding)99}},
        {NINHO_FIELD_PAGES, {PROBE, .pages = (ninho_pages)9}},
        {NINHO_FIELD_KEY_SIZE, {PROBE, .key_size = 1025}},
        {NINHO_FIELD_CAPACITY, {PROBE, .capacity = above}},
        {NINHO_FIELD_CAPACITY, {PROBE, .capacity = 11, .max_capacity = 10}},
        {NINHO_FIELD_MAX_CAPACITY, {PROBE, .max_capacity = above}},
        {NINHO_FIELD_SEED, {PROBE, .hash = NINHO_HASH_SIPHASH, .seed = 1}},
        {NINHO_FIELD_SECRET, {PROBE, .secret = secret}},
        {NINHO_FIELD_N_FUNCTIONS, {PROBE, .n_functions = 2}},
        {NINHO_FIELD_N_FUNCTIONS, {CUCKOO, .n_functions = 5}},
        {NINHO_FIELD_BUCKET_SIZE, {PROBE, .bucket_size = 4}},
        {NINHO_FIELD_BUCKET_SIZE, {CUCKOO, .bucket_size = 9}},
        {NINHO_FIELD_N_TABLES, {PROBE, .n_tables = 1}},
        {NINHO_FIELD_N_TABLES, {CUCKOO, .n_tables = 3}},
        {NINHO_FIELD_STASH_SIZE, {PROBE, .stash_size = 1}},
        {NINHO_FIELD_STASH_SIZE, {CUCKOO, .stash_size = 17}},
        {NINHO_FIELD_MAX_MOVES, {PROBE, .max_moves = 1}},
        {NINHO_FIELD_MAX_MOVES, {CUCKOO, .max_moves = 1001}},
        {NINHO_FIELD_N_BUCKETS, {PROBE, .n_buckets = 1}},
        {NINHO_FIELD_N_BUCKETS, {CUCKOO, .n_buckets = above}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name = ninho_field_name(cases[i].field);
        ninho_error error = NINHO_ERROR_INIT;
        ninho_dict *dict = NULL;
        test_where("%s, case %zu", name, i);
        CHECK_STATUS(ninho_dict_create(&cases[i].spec, NULL, &dict, &error),
                     NINHO_ERR_ARG);
        CHECK(!dict && error.field == cases[i].field);
        CHECK_U64(error.name_bytes, strlen(name));
        CHECK(memcmp(error.text, name, strlen(name)) == 0);
    }
#undef PROBE
#undef CUCKOO
}

static void misuse_is_refused(void **state)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    test_where("misuse");
    CHECK_STATUS(ninho_dict_create(NULL, NULL, &dict, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_dict_create(&spec, NULL, NULL, &error), NINHO_ERR_ARG);
    spec.kind = (ninho_dict_kind)99;
    CHECK_STATUS(ninho_dict_create(&spec, NULL, &dict, &error), NINHO_ERR_ARG);
    spec.kind = NINHO_PROBE;
    spec.bucket_size = 4;
    CHECK_STATUS(ninho_dict_create(&spec, NULL, &dict, &error), NINHO_ERR_ARG);
    spec.kind = NINHO_CUCKOO_TABLE;
    spec.bucket_size = 9;
    CHECK_STATUS(ninho_dict_create(&spec, NULL, &dict, &error), NINHO_ERR_ARG);
    assert_string_equal(error.text, "bucket_size must be 1 to 8, not 9");
    CHECK(error.field == NINHO_FIELD_BUCKET_SIZE && error.least == 1 && error.most == 8);
    spec.bucket_size = 0;
    spec.n_functions = 5;
    CHECK_STATUS(ninho_dict_create(&spec, NULL, &dict, &error), NINHO_ERR_ARG);
    spec.n_functions = 0;
    spec.key_size = 1025;
    CHECK_STATUS(ninho_dict_create(&spec, NULL, &dict, &error), NINHO_ERR_ARG);
    spec.key_size = 8;
    spec.hash = NINHO_HASH_SIPHASH;
    CHECK_STATUS(ninho_dict_create(&spec, NULL, &dict, &error), NINHO_ERR_KEY_MISSING);
    spec.hash = (ninho_hash_id)0;
    spec.capacity = UINT64_C(1) << 47; /* more than any machine has: refused, not tried */
    CHECK_STATUS(ninho_dict_create(&spec, NULL, &dict, &error), NINHO_ERR_NOMEM);
    CHECK(!dict);
    CHECK_STATUS(ninho_dict_put(NULL, "x", 1, 0, NULL), NINHO_ERR_ARG);
    CHECK(!ninho_dict_get(NULL, "x", 1, NULL));
    CHECK_STATUS(ninho_dict_remove(NULL, "x", 1), NINHO_ERR_ARG);
    CHECK_U64(ninho_dict_count(NULL), 0);
    ninho_dict_free(NULL);
    spec.capacity = 0;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    CHECK_STATUS(ninho_dict_put(dict, "short", 5, 0, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_dict_put(dict, NULL, 8, 0, NULL), NINHO_ERR_ARG);
    CHECK(!ninho_dict_get(dict, "short", 5, NULL));
    CHECK_STATUS(ninho_dict_remove(dict, "short", 5), NINHO_ERR_NOT_FOUND);
    ninho_dict_free(dict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_put_is_found_with_its_value),
        cmocka_unit_test(a_key_put_again_gets_the_new_value_and_is_told_apart),
        cmocka_unit_test(removal_takes_one_key_and_no_other),
        cmocka_unit_test(removals_leave_nothing_behind_that_fills_the_table),
        cmocka_unit_test(many_answers_equal_single_ones),
        cmocka_unit_test(a_visit_sees_every_key_once),
        cmocka_unit_test(growth_during_a_visit_ends_it),
        cmocka_unit_test(a_bound_on_the_number_of_keys_is_kept),
        cmocka_unit_test(reserved_room_is_used_without_growing),
        cmocka_unit_test(a_cleared_dictionary_is_as_new),
        cmocka_unit_test(files_and_bytes_bring_it_back),
        cmocka_unit_test(a_buffer_too_small_is_told_and_left_alone),
        cmocka_unit_test(a_failing_allocator_leaves_it_as_it_was),
        cmocka_unit_test(keys_of_one_hash_are_kept_or_refused_never_lost),
        cmocka_unit_test(keys_may_be_a_mebibyte_long),
        cmocka_unit_test(a_key_may_come_out_of_the_dictionary_itself),
        cmocka_unit_test(events_tell_what_is_in_the_table),
        cmocka_unit_test(refusals_name_the_field),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
