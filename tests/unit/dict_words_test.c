/* SPDX-License-Identifier: MIT */
/* The groups of `probe`, and <ninho/dict_inline.h>: what is in line answers as the library's calls do. */
#include "support/test.h"

#include <string.h>

#include <ninho/dict_inline.h>

#include "dict/ops.h"
#include "dict/probe.h"

static ninho_dict *dict_of(ninho_dict_kind kind, uint32_t key_size, ninho_hash_id hash,
                           uint64_t max_capacity)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;

    spec.kind = kind;
    spec.key_size = key_size;
    spec.hash = hash;
    spec.max_capacity = max_capacity;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    return dict;
}

/* Every tag in every slot, beside its neighbours in number. */
static void vectors_mark_what_the_plain_code_marks(void **state)
{
    uint8_t group[NINHO_GROUP_BYTES_];

    (void)state;
    for (unsigned tag = 0; tag < 256; tag++) {
        for (unsigned i = 0; i < NINHO_GROUP_BYTES_; i++)
            group[i] = (uint8_t)(mix64(tag * 16 + i) % 3 ? tag + i : tag ^ 0x80);
        for (unsigned i = 0; i < NINHO_GROUP_BYTES_; i++) {
            uint32_t expected = 0;
            group[i] = (uint8_t)tag;
            for (unsigned j = 0; j < NINHO_GROUP_SLOTS_; j++)
                expected |= (uint32_t)(group[j] == tag) << j;
            CHECK_U64(ninho_group_equal_plain_(group, (uint8_t)tag), expected);
            CHECK_U64(ninho_group_equal_(group, (uint8_t)tag), expected);
        }
    }
}

/* Of every size up to the longest that lies in its entry, no byte is read that is not the key's, and none
 * is lost. */
static void short_keys_become_words_and_back(void **state)
{
    uint8_t bytes[3 * 16];

    (void)state;
    memset(bytes, 0xee, sizeof bytes);
    for (size_t size = 0; size <= NH_SHORT; size++) {
        uint64_t words[2];
        uint8_t entry[16];
        for (size_t i = 0; i < size; i++)
            bytes[16 + i] = (uint8_t)(0x80 + 16 * i + size);
        nh_short_words(bytes + 16, size, words);
        nh_store_le64(entry, words[0]);
        nh_store_le64(entry + 8, words[1]);
        CHECK(memcmp(entry, bytes + 16, size) == 0);
        for (size_t i = size; i < NH_SHORT; i++)
            CHECK_U64(entry[i], 0);
        CHECK_U64(entry[NH_SHORT], size);
        memset(bytes, 0xee, sizeof bytes);
    }
}

/* The same changes, by words to one dictionary and by the library's calls to another. */
static void words_do_what_the_calls_do(void **state)
{
    static const struct {
        ninho_dict_kind kind;
        ninho_hash_id hash;
        uint64_t most;
    } sorts[] = {{NINHO_PROBE, 0, 0},
                 {NINHO_PROBE, 0, 700},
                 {NINHO_PROBE, NINHO_HASH_XXH3, 0},
                 {NINHO_CHAIN, 0, 0},
                 {NINHO_CUCKOO_TABLE, 0, 700}};
    struct test_rng rng = {test_seed(5)};

    (void)state;
    for (size_t s = 0; s < sizeof sorts / sizeof *sorts; s++) {
        ninho_dict *one = dict_of(sorts[s].kind, 8, sorts[s].hash, sorts[s].most);
        ninho_dict *two = dict_of(sorts[s].kind, 8, sorts[s].hash, sorts[s].most);
        ninho_words *words = ninho_dict_words(one);
        CHECK(words && ninho_dict_words_read(one) == words);
        for (size_t i = 0; i < test_scaled(40000, 8000); i++) {
            const uint64_t key = mix64(rng_below(&rng, 1500)), value = rng_next(&rng);
            uint64_t got = 1, expected = 1;
            bool is_new = false, is_new_too = false;
            switch (rng_below(&rng, 4)) {
            case 0:
                CHECK_STATUS(ninho_words_remove(words, key),
                             ninho_dict_remove(two, &key, 8));
                break;
            case 1:
                CHECK(ninho_words_get(words, key, &got) ==
                      ninho_dict_get(two, &key, 8, &expected));
                CHECK_U64(got, expected);
                CHECK(ninho_words_get(words, key, NULL) ==
                      ninho_dict_get(one, &key, 8, NULL));
                break;
            default:
                CHECK_STATUS(ninho_words_put(words, key, value, &is_new),
                             ninho_dict_put(two, &key, 8, value, &is_new_too));
                CHECK(is_new == is_new_too);
            }
            CHECK_U64(ninho_dict_count(one), ninho_dict_count(two));
        }
        CHECK_OK(ninho_dict_verify(one, NULL));
        CHECK_OK(ninho_dict_verify(two, NULL));
        ninho_dict_free(one);
        ninho_dict_free(two);
    }
}

static void only_dictionaries_of_words_have_them(void **state)
{
    ninho_dict *dict = dict_of(NINHO_PROBE, 16, 0, 0);

    (void)state;
    CHECK(!ninho_dict_words(dict) && !ninho_dict_words(NULL));
    ninho_dict_free(dict);
    dict = dict_of(NINHO_PROBE, 8, 0, 0);
    CHECK(!ninho_dict_words_(dict, NINHO_WORDS_LAYOUT_ + 1)); /* another version's */
    ninho_dict_free(dict);
}

/* A visit that began before a change by words ends, as it does for the library's calls. */
static void changes_by_words_end_visits(void **state)
{
    ninho_dict *dict = dict_of(NINHO_PROBE, 8, 0, 0);
    ninho_words *words = ninho_dict_words(dict);
    uint64_t cursor = 0;

    (void)state;
    for (uint64_t i = 0; i < 20; i++)
        CHECK_OK(ninho_words_put(words, i, i, NULL));
    CHECK(ninho_dict_next(dict, &cursor, NULL, NULL, NULL));
    CHECK_OK(ninho_words_put(words, 3, 9, NULL)); /* a new value only */
    CHECK(ninho_dict_next(dict, &cursor, NULL, NULL, NULL));
    CHECK_OK(ninho_words_remove(words, 3));
    CHECK(!ninho_dict_next(dict, &cursor, NULL, NULL, NULL));
    CHECK_U64(cursor, UINT64_MAX);
    ninho_dict_free(dict);
}

/* How many groups have a count that is not 0. */
static uint64_t n_passed(const ninho_dict *dict)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    uint64_t n = 0;

    for (uint64_t i = 0; i < t->n_groups; i++)
        n += nh_probe_tags(t, i)[NINHO_GROUP_SLOTS_] != 0;
    return n;
}

/* A table that is as full as it may be, and whose keys are all exchanged many times: after the
 * hundredth time no more groups have been passed than after the tenth. */
static void counts_do_not_pile_up(void **state)
{
    enum { N_KEYS = 12 * 64 };
    ninho_dict *dict = dict_of(NINHO_PROBE, 8, 0, 0);
    uint64_t n = 0, early = 0, late = 0;

    (void)state;
    for (; n < 100 * N_KEYS; n++) {
        const uint64_t old = mix64(n - N_KEYS), key = mix64(n);
        if (n >= N_KEYS)
            CHECK_OK(ninho_dict_remove(dict, &old, 8));
        CHECK_OK(ninho_dict_put(dict, &key, 8, n, NULL));
        CHECK(dict->table.probe.n_stuck <= dict->table.probe.n_groups / 16 + 40);
        early += n / N_KEYS >= 10 && n / N_KEYS < 20 ? n_passed(dict) : 0;
        late += n / N_KEYS >= 90 ? n_passed(dict) : 0;
    }
    CHECK_U64(dict->table.probe.n_groups, 64);
    CHECK(early > 0 && late < early + early / 4);
    CHECK_OK(ninho_dict_verify(dict, NULL));
    ninho_dict_free(dict);
}

/* Keys in the order of a visit, put into a table that is still small: no trap. */
static void a_visit_can_be_put_into_a_smaller_table(void **state)
{
    const uint64_t n = test_scaled(200000, 20000);

    (void)state;
    for (uint32_t key_size = 0; key_size <= 16; key_size += 8) {
        ninho_dict *from = dict_of(NINHO_PROBE, key_size, 0, 0);
        ninho_dict *to = dict_of(NINHO_PROBE, key_size, 0, 0);
        uint64_t cursor = 0;
        const void *key;
        size_t size;
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t words[2] = {mix64(i), mix64(~i)};
            CHECK_OK(
                ninho_dict_put(from, words, key_size ? key_size : 8 + i % 9, i, NULL));
        }
        while (ninho_dict_next(from, &cursor, &key, &size, NULL))
            CHECK_OK(ninho_dict_put(to, key, size, 0, NULL));
        CHECK_U64(ninho_dict_count(to), ninho_dict_count(from));
        CHECK(to->is_watched && from->is_watched);
        CHECK_OK(ninho_dict_verify(to, NULL));
        ninho_dict_free(from);
        ninho_dict_free(to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_mark_what_the_plain_code_marks),
        cmocka_unit_test(short_keys_become_words_and_back),
        cmocka_unit_test(words_do_what_the_calls_do),
        cmocka_unit_test(only_dictionaries_of_words_have_them),
        cmocka_unit_test(changes_by_words_end_visits),
        cmocka_unit_test(counts_do_not_pile_up),
        cmocka_unit_test(a_visit_can_be_put_into_a_smaller_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
