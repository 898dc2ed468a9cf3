/* SPDX-License-Identifier: MIT */
/* ninho_dict_verify() on tables that were damaged in memory: it says so, and ends. */
#include <string.h>

#include "dict/ops.h"
#include "support/test.h"

#define N 40

static ninho_dict *made(ninho_dict_kind kind, uint32_t key_size, uint32_t stash_size)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;

    spec.kind = kind;
    spec.key_size = key_size;
    spec.stash_size = stash_size;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    for (uint64_t i = 0; i < N; i++) {
        const uint64_t key[2] = {mix64(i), mix64(i)};
        CHECK_OK(ninho_dict_put(dict, key, key_size, i, NULL));
    }
    CHECK_OK(ninho_dict_verify(dict, NULL));
    return dict;
}

static void check_seen(const ninho_dict *dict, const char *text)
{
    ninho_error error = NINHO_ERROR_INIT;

    CHECK_STATUS(ninho_dict_verify(dict, &error), NINHO_ERR_FORMAT);
    CHECK(strstr(error.text, text));
}

static void a_wrong_count_is_seen(void **state)
{
    (void)state;
    for (unsigned kind = NINHO_CHAIN; kind <= NINHO_CUCKOO_TABLE; kind++) {
        ninho_dict *dict = made((ninho_dict_kind)kind, 16, 0);
        dict->words.count++;
        check_seen(dict, "count");
        dict->words.count--;
        CHECK_OK(ninho_dict_verify(dict, NULL));
        ninho_dict_free(dict);
    }
}

static void a_list_that_leads_astray_is_seen(void **state)
{
    ninho_dict *dict = made(NINHO_CHAIN, 8, 0);
    struct nh_chain_table *const t = &dict->table.chain;
    const size_t node_size = 8 + dict->entry_size;
    uint8_t *head = t->heads.bytes;

    (void)state;
    while (!nh_word_at(head))
        head += 8;
    const uint64_t number = nh_word_at(head);
    uint8_t *const node = t->nodes.bytes + (number - 1) * node_size;
    const uint64_t following = nh_word_at(node);
    nh_set_word(head, t->n_nodes + 1); /* past the last node */
    check_seen(dict, "contradicts");
    nh_set_word(head, 0); /* a node that is in no list */
    check_seen(dict, "contradicts");
    nh_set_word(head, number);
    nh_set_word(node, number); /* a circle */
    check_seen(dict, "contradicts");
    nh_set_word(node, following);
    t->free_node = number; /* a node that is in use is free, too */
    check_seen(dict, "contradicts");
    t->free_node = t->n_nodes + 1;
    check_seen(dict, "contradicts");
    t->free_node = 0;
    CHECK_OK(ninho_dict_verify(dict, NULL));
    node[8] ^=
        1; /* another key: it is looked for in another list, or twice in this one */
    CHECK_STATUS(ninho_dict_verify(dict, NULL), NINHO_ERR_FORMAT);
    node[8] ^= 1;
    ninho_dict_free(dict);
}

static void tags_that_do_not_fit_are_seen(void **state)
{
    ninho_dict *dict = made(NINHO_PROBE, 16, 0);
    const struct nh_probe_table *const t = &dict->table.probe;

    (void)state;
    for (uint64_t group = 0; group < t->n_groups; group++) {
        for (unsigned i = 0; i < NINHO_GROUP_SLOTS_; i++) {
            uint8_t *const tag = t->groups.bytes + NINHO_GROUP_BYTES_ * group + i;
            const uint8_t was = *tag;
            if (!was)
                continue;
            *tag = (uint8_t)(was ^ (was == 1 ? 2 : 1)); /* another key's */
            check_seen(dict, "contradicts");
            *tag = 0; /* lost */
            check_seen(dict, "count");
            *tag = was;
        }
    }
    CHECK_OK(ninho_dict_verify(dict, NULL));
    ninho_dict_free(dict);
}

/* In a table that is nearly full some keys have gone past their home. */
static void keys_that_nobody_counted_are_seen(void **state)
{
    ninho_dict *dict = made(NINHO_PROBE, 8, 0);
    const struct nh_probe_table *const t = &dict->table.probe;
    size_t n_seen = 0;

    (void)state;
    for (uint64_t i = 0; i < 12 * 128 - N; i++) { /* as full as it may be */
        const uint64_t key = mix64(1000 + i);
        CHECK_OK(ninho_dict_put(dict, &key, 8, i, NULL));
    }
    for (uint64_t group = 0; group < t->n_groups; group++) {
        uint8_t *const passed =
            t->groups.bytes + NINHO_GROUP_BYTES_ * group + NINHO_GROUP_SLOTS_;
        const uint8_t counts = *passed;
        if (!counts)
            continue;
        *passed = 0;
        check_seen(dict, "contradicts");
        *passed = counts;
        n_seen++;
    }
    CHECK(n_seen > 0);
    CHECK_OK(ninho_dict_verify(dict, NULL));
    ninho_dict_free(dict);
}

static void entries_away_from_their_buckets_are_seen(void **state)
{
    ninho_dict *dict = made(NINHO_CUCKOO_TABLE, 16, 2);
    struct nh_cuckoo_table *const t = &dict->table.cuckoo;
    uint64_t slot = 0;

    (void)state;
    while (!t->tags.bytes[slot])
        slot++;
    t->tags.bytes[slot] ^= 1;
    check_seen(dict, "contradicts");
    t->tags.bytes[slot] ^= 1;
    t->salt++; /* other functions: nearly every key is elsewhere */
    check_seen(dict, "contradicts");
    t->salt--;
    t->n_stashed = 3;
    check_seen(dict, "contradicts");
    t->n_stashed = 0;
    CHECK_OK(ninho_dict_verify(dict, NULL));
    ninho_dict_free(dict);
}

/* An entry whose key is another's, so that it is found there. */
static void a_key_that_is_there_twice_is_seen(void **state)
{
    ninho_dict *dict = made(NINHO_CHAIN, 8, 0);
    uint64_t cursor = 0;

    (void)state;
    uint8_t *const first = dict->ops->next(dict, &cursor);
    uint8_t *const second = dict->ops->next(dict, &cursor);
    const uint64_t key = nh_word_at(second);
    nh_set_word(second, nh_word_at(first));
    check_seen(dict, "not where it is looked for");
    nh_set_word(second, key);
    CHECK_OK(ninho_dict_verify(dict, NULL));
    ninho_dict_free(dict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_count_is_seen),
        cmocka_unit_test(a_list_that_leads_astray_is_seen),
        cmocka_unit_test(tags_that_do_not_fit_are_seen),
        cmocka_unit_test(keys_that_nobody_counted_are_seen),
        cmocka_unit_test(entries_away_from_their_buckets_are_seen),
        cmocka_unit_test(a_key_that_is_there_twice_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
