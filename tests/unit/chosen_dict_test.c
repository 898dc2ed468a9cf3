/* SPDX-License-Identifier: MIT */
/* Dictionaries of keys that were chosen to collide. Work is counted in steps: nodes, windows of
 * tags, blocks, moves. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/le.h"
#include "base/random.h"
#include "base/steps.h"
#include "dict/ops.h"
#include "support/chosen.h"

/* Some bytes for each key, one after the other. */
struct keys {
    uint8_t *bytes;
    size_t size;
    size_t n;
};

static const uint8_t *key_at(const struct keys *keys, size_t i)
{
    return keys->bytes + i * keys->size;
}

static struct keys room_for(size_t n, size_t size)
{
    const struct keys keys = {malloc(n * size), size, n};

    CHECK(keys.bytes);
    return keys;
}

static struct keys colliding(size_t n)
{
    struct keys keys = room_for(n, 32);

    for (size_t i = 0; i < n; i++)
        chosen_colliding(i, keys.bytes + 32 * i);
    return keys;
}

/* What a first key makes of the hash, as in dict.c. */
static uint64_t salt_after(uint64_t hash)
{
    return ninho_word_hash_(hash, 0) | 1;
}

/* Keys of 8 bytes with one home in every `probe` table of up to n keys under XXH3: the product with the
 * salt has its high bits 0. The first key is 0. */
static struct keys one_home(size_t n)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    const uint64_t salt = salt_after(ninho_hash_int64(&hasher, 0));
    struct keys keys = room_for(n, 8);
    uint64_t back = salt;

    for (unsigned i = 0; i < 5; i++)
        back *= 2 - salt * back;
    nh_store_le64(keys.bytes, 0);
    for (size_t i = 1; i < n; i++)
        nh_store_le64(keys.bytes + 8 * i, (uint64_t)chosen_int64(i * back));
    return keys;
}

#define FEW_BITS 8 /* of the home, that are 0 */

/* The same for the hash of its own, found by trial. */
static struct keys one_home_fast(size_t n)
{
    const uint64_t flip = nh_flip_of(0);
    const uint64_t salt = salt_after(ninho_word_hash_(0, flip));
    struct keys keys = room_for(n, 8);
    uint64_t word = 1;

    nh_set_word(keys.bytes, 0);
    for (size_t i = 1; i < n; word++)
        if (ninho_word_hash_(word, flip ^ salt) >> (64 - FEW_BITS) == 0)
            nh_set_word(keys.bytes + 8 * i++, word);
    return keys;
}

/* And for keys of any size that lie in their entries. */
static struct keys one_home_short(size_t n)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;
    struct keys keys = room_for(n, 12);

    memset(keys.bytes, 0, 12 * n);
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    CHECK_OK(ninho_dict_put(dict, keys.bytes, 12, 0, NULL));
    for (size_t i = 1, word = 1; i < n; word++) {
        uint8_t *const key = keys.bytes + 12 * i;
        nh_store_le64(key + 4, word);
        i += nh_dict_hash_key(dict, key, 12) >> (64 - FEW_BITS) == 0;
    }
    ninho_dict_free(dict);
    return keys;
}

static ninho_dict *dict_of(ninho_dict_kind kind, uint32_t key_size, ninho_hash_id hash,
                           uint64_t capacity)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;

    spec.kind = kind;
    spec.key_size = key_size;
    spec.hash = hash;
    spec.capacity = capacity;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    return dict;
}

static uint64_t steps_now(void)
{
#ifdef NINHO_TEST_HOOKS
    return nh_n_steps;
#else
    return 0;
#endif
}

/* What one lookup or removal may take: a list of `chain`. */
#define MOST_STEPS  64
#define MOST_REMOVE 64

static void check_all(const ninho_dict *dict, const struct keys *keys)
{
    uint64_t *const found = calloc(keys->n / 64 + 1, sizeof *found);
    uint64_t value;

    CHECK(found);
    CHECK_U64(ninho_dict_count(dict), keys->n);
    for (size_t i = 0; i < keys->n; i++) {
        const uint64_t before = steps_now();
        CHECK(ninho_dict_get(dict, key_at(keys, i), keys->size, &value) && value == i);
        CHECK(steps_now() - before <= MOST_STEPS);
    }
    if (dict->spec.key_size)
        CHECK_U64(ninho_dict_get_array(dict, keys->bytes, keys->n, NULL, found), keys->n);
    free(found);
    CHECK_OK(ninho_dict_verify(dict, NULL));
}

static void put_all(ninho_dict *dict, const struct keys *keys)
{
    for (size_t i = 0; i < keys->n; i++) {
        bool is_new = false;
        CHECK_OK(ninho_dict_put(dict, key_at(keys, i), keys->size, i, &is_new));
        CHECK(is_new);
    }
}

static void remove_all(ninho_dict *dict, const struct keys *keys)
{
    for (size_t i = 0; i < keys->n; i++) {
        const uint64_t before = steps_now();
        CHECK_OK(ninho_dict_remove(dict, key_at(keys, i), keys->size));
        CHECK(steps_now() - before <= MOST_STEPS + MOST_REMOVE);
    }
    CHECK_U64(ninho_dict_count(dict), 0);
}

/* Encoded and decoded: linear too. Then all of it out. */
static void check_file(ninho_dict *dict, const struct keys *keys, uint64_t steps_a_key)
{
    ninho_dict *copy = NULL;
    const size_t size = ninho_dict_encoded_size(dict);
    uint8_t *bytes = malloc(size);

    CHECK(bytes);
    CHECK_OK(ninho_dict_encode(dict, bytes, size, NULL));
    const uint64_t before = steps_now();
    CHECK_OK(ninho_dict_decode(bytes, size, NULL, &copy, NULL));
    CHECK(steps_now() - before <= steps_a_key * keys->n + 1000000);
    CHECK(copy->spec.hash == dict->spec.hash && copy->spec.seed == dict->spec.seed);
    check_all(copy, keys);
    remove_all(copy, keys);
    ninho_dict_free(copy);
    free(bytes);
}

#define STEPS_A_KEY 40

static void colliding_keys_cost_no_more_than_others(void **state)
{
    const struct keys keys = colliding(test_scaled(100000, 20000));

    (void)state;
    for (size_t i = 0; ninho_dict_kind_at(i); i++) {
        for (uint32_t key_size = 0; key_size <= 32; key_size += 32) {
            ninho_dict *dict = dict_of(ninho_dict_kind_at(i), key_size, 0, 0);
            const uint64_t before = steps_now();
            test_where("%s, key size %u", dict->ops->name, (unsigned)key_size);
            put_all(dict, &keys);
            CHECK(steps_now() - before <= STEPS_A_KEY * keys.n + 1000000);
            CHECK(!dict->is_watched && dict->hasher.id == NINHO_HASH_SIPHASH);
            check_all(dict, &keys);
            check_file(dict, &keys, STEPS_A_KEY);
            remove_all(dict, &keys);
            put_all(dict, &keys);
            CHECK_OK(ninho_dict_clear(dict));
            put_all(dict, &keys);
            check_all(dict, &keys);
            ninho_dict_free(dict);
        }
    }
    free(keys.bytes);
}

static void keys_of_one_home_cost_no_more_than_others(void **state)
{
    enum { FEW = 2000 }; /* in up to 2^FEW_BITS groups */
    const struct keys sorts[] = {one_home(test_scaled(100000, 20000)), one_home_fast(FEW),
                                 one_home_short(FEW)};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        const struct keys *const keys = &sorts[i];
        ninho_dict *dict =
            dict_of(NINHO_PROBE, keys->size == 8 ? 8 : 0, i ? 0 : NINHO_HASH_XXH3, 0);
        const uint64_t before = steps_now();
        test_where("sort %u", i);
        put_all(dict, keys);
        CHECK(steps_now() - before <= STEPS_A_KEY * keys->n + 1000000);
        CHECK(!dict->is_watched && !dict->is_fast && dict->way == NH_WAY_OPS);
        check_all(dict, keys);
        check_file(dict, keys, STEPS_A_KEY);
        remove_all(dict, keys);
        ninho_dict_free(dict);
        free(keys->bytes);
    }
}

/* Counts of a group say that keys of a class went further. By adding and removing, an enemy can
 * make such counts in a table that is nearly empty: lookups end all the same. */
static void counts_alone_do_not_lead_far(void **state)
{
    ninho_dict *dict = dict_of(NINHO_PROBE, 16, 0, 50000);
    struct nh_probe_table *const t = &dict->table.probe;
    uint64_t most = 0;

    (void)state;
    for (uint64_t i = 0; i < t->n_groups; i++)
        t->groups.bytes[i * NINHO_GROUP_BYTES_ + NINHO_GROUP_SLOTS_] = 0xff;
    CHECK(dict->is_watched);
    for (uint64_t i = 0; i < 1000; i++) {
        const uint64_t key[2] = {i, mix64(i)};
        const uint64_t before = steps_now();
        CHECK(!ninho_dict_get(dict, key, 16, NULL));
        CHECK_STATUS(ninho_dict_remove(dict, key, 16), NINHO_ERR_NOT_FOUND);
        CHECK(steps_now() - before <= 2 * MOST_STEPS);
        if (steps_now() - before > most)
            most = steps_now() - before;
    }
#ifdef NINHO_TEST_HOOKS
    CHECK(most >= 2 * 40); /* the counts are followed */
#endif
    ninho_dict_free(dict);
}

/* Keys of nobody's choice never make a crowd, so that files do not depend on chance. */
static void other_keys_keep_their_hash(void **state)
{
    const size_t n = test_scaled(1000000, 50000);
    struct test_rng rng = {test_seed(21)};

    (void)state;
    for (unsigned round = 0; round < 4; round++) {
        for (size_t i = 0; ninho_dict_kind_at(i); i++) {
            for (uint32_t key_size = 0; key_size <= 16; key_size += 8) {
                ninho_dict *dict = dict_of(ninho_dict_kind_at(i), key_size, 0, 0);
                test_where("%s, key size %u", dict->ops->name, (unsigned)key_size);
                for (size_t j = 0; j < n / 8; j++) {
                    const uint64_t key[2] = {rng_next(&rng), 0};
                    CHECK_OK(
                        ninho_dict_put(dict, key, key_size ? key_size : 16, 0, NULL));
                }
                CHECK(dict->is_watched);
                ninho_dict_free(dict);
            }
        }
    }
}

/* A hash of the caller's is an experiment: it stays, however bad. */
static uint64_t no_hash(void *context, const void *key, size_t key_size)
{
    (void)context;
    (void)key;
    (void)key_size;
    return 7;
}

static void a_hash_of_the_callers_stays(void **state)
{
    const struct keys keys = colliding(2000);

    (void)state;
    for (uint32_t key_size = 0; key_size <= 32; key_size += 32) {
        ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
        ninho_dict *dict = NULL;
        spec.key_size = key_size;
        spec.hash_function = no_hash;
        CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
        put_all(dict, &keys);
        CHECK(!dict->is_watched && dict->hasher.id != NINHO_HASH_SIPHASH);
        CHECK_OK(ninho_dict_verify(dict, NULL));
        ninho_dict_free(dict);
    }
    free(keys.bytes);
}

#ifdef NINHO_TEST_HOOKS
static bool no_random(void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return false;
}

/* Slow, but right; a cuckoo table, whose places are few, is full. */
static void without_randomness_it_is_as_before(void **state)
{
    const struct keys keys = colliding(2000), words = one_home_fast(2000);

    (void)state;
    nh_random_instead = no_random;
    for (size_t i = 0; ninho_dict_kind_at(i); i++) {
        ninho_dict *dict = dict_of(ninho_dict_kind_at(i), 0, 0, 0);
        ninho_status status = NINHO_OK;
        test_where("%s", dict->ops->name);
        for (size_t j = 0; !status && j < keys.n; j++)
            status = ninho_dict_put(dict, key_at(&keys, j), keys.size, j, NULL);
        CHECK_STATUS(status,
                     dict->spec.kind == NINHO_CUCKOO_TABLE ? NINHO_ERR_FULL : NINHO_OK);
        CHECK(dict->hasher.id != NINHO_HASH_SIPHASH);
        CHECK_OK(ninho_dict_verify(dict, NULL));
        ninho_dict_free(dict);
    }
    ninho_dict *dict = dict_of(NINHO_PROBE, 8, 0, words.n);
    put_all(dict, &words);
    CHECK(!dict->is_watched && dict->is_fast);
    CHECK_OK(ninho_dict_verify(dict, NULL));
    ninho_dict_free(dict);
    nh_random_instead = NULL;
    free(words.bytes);
    free(keys.bytes);
}
#endif

/* Every allocation of the change fails once: nothing has changed then. */
static void without_memory_nothing_changes(void **state)
{
    const struct keys keys = colliding(1200), words = one_home_fast(1200);

    (void)state;
    for (unsigned variant = 0; variant < 5; variant++) {
        const struct keys *const these = variant == 4 ? &words : &keys;
        ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
        struct test_heap heap;
        ninho_dict *dict = NULL;
        size_t n_failures = 0;
        heap_init(&heap);
        spec.kind = variant < 3 ? ninho_dict_kind_at(variant) : NINHO_PROBE;
        spec.key_size = variant == 3 ? 32 : variant == 4 ? 8 : 0;
        spec.capacity = these->n;
        CHECK_OK(ninho_dict_create(&spec, &heap.alloc, &dict, NULL));
        for (size_t i = 0; i < these->n; i++) {
            const bool was_watched = dict->is_watched;
            heap_fail_at(&heap, 1);
            ninho_status status =
                ninho_dict_put(dict, key_at(these, i), these->size, i, NULL);
            for (size_t at = 2; status; at++) {
                CHECK_STATUS(status, NINHO_ERR_NOMEM);
                CHECK_U64(ninho_dict_count(dict), i);
                CHECK_OK(ninho_dict_verify(dict, NULL));
                n_failures++;
                heap_fail_at(&heap, at);
                status = ninho_dict_put(dict, key_at(these, i), these->size, i, NULL);
            }
            if (was_watched && !dict->is_watched)
                CHECK(n_failures > 0);
        }
        heap_fail_at(&heap, 0);
        CHECK(!dict->is_watched);
        check_all(dict, these);
        ninho_dict_free(dict);
        CHECK_U64(heap.live_blocks, 0);
    }
    free(words.bytes);
    free(keys.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colliding_keys_cost_no_more_than_others),
        cmocka_unit_test(keys_of_one_home_cost_no_more_than_others),
        cmocka_unit_test(counts_alone_do_not_lead_far),
        cmocka_unit_test(other_keys_keep_their_hash),
        cmocka_unit_test(a_hash_of_the_callers_stays),
#ifdef NINHO_TEST_HOOKS
        cmocka_unit_test(without_randomness_it_is_as_before),
#endif
        cmocka_unit_test(without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
