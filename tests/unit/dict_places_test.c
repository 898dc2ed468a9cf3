/* SPDX-License-Identifier: MIT */
/* Cuckoo tables whose places the caller tells: the stash, two tables, and places that no growth can
 * part. */
#include "support/test.h"

/* A key is a letter: capitals have one place, the others two. */
static void letter_places(void *context, const void *key, size_t size, uint64_t n_buckets,
                          uint64_t *out)
{
    const char letter = *(const char *)key;

    (void)context;
    CHECK(size == 1 && n_buckets > 0);
    out[0] = (uint64_t)(letter & 15);
    out[1] = letter & 32 ? (uint64_t)(letter >> 2 & 7) : out[0];
}

static void what_is_in_the_stash_waits_for_its_own_place(void **state)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    ninho_dict *dict = NULL;

    (void)state;
    spec.kind = NINHO_CUCKOO_TABLE;
    spec.n_buckets = 16;
    spec.bucket_size = 1;
    spec.stash_size = 2;
    spec.places = letter_places;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    CHECK_OK(ninho_dict_put(dict, "A", 1, 1, NULL)); /* place 1, as Q */
    CHECK_OK(ninho_dict_put(dict, "Q", 1, 2, NULL));
    CHECK_OK(ninho_dict_put(dict, "C", 1, 3, NULL));
    CHECK_OK(ninho_dict_info_of(dict, &info));
    CHECK_U64(info.n_stashed, 1);
    CHECK_OK(ninho_dict_remove(dict, "C", 1)); /* a place, but not for who waits */
    CHECK_OK(ninho_dict_info_of(dict, &info));
    CHECK_U64(info.n_stashed, 1);
    CHECK(ninho_dict_get(dict, "A", 1, NULL) && ninho_dict_get(dict, "Q", 1, NULL));
    CHECK_OK(ninho_dict_remove(dict, "A", 1));
    CHECK_OK(ninho_dict_remove(dict, "Q", 1));
    CHECK_OK(ninho_dict_info_of(dict, &info));
    CHECK(!info.n_stashed && !info.count);
    ninho_dict_free(dict);
}

/* Two tables: the second function's places are in the second. No functions can part keys of one
 * place, so they are refused, and growing is tried in vain. */
static void places_hold_in_two_tables_and_in_larger_ones(void **state)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;

    (void)state;
    spec.kind = NINHO_CUCKOO_TABLE;
    spec.n_tables = 2;
    spec.bucket_size = 1;
    spec.places = letter_places;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    CHECK_OK(ninho_dict_put(dict, "A", 1, 1, NULL));
    CHECK_OK(ninho_dict_put(dict, "Q", 1, 2, NULL)); /* the other table */
    CHECK_OK(ninho_dict_put(dict, "C", 1, 3, NULL));
    uint64_t value = 0;
    CHECK(ninho_dict_get(dict, "Q", 1, &value) && value == 2);
    CHECK_OK(ninho_dict_verify(dict, NULL));
    CHECK_STATUS(ninho_dict_put(dict, "1", 1, 4, NULL), NINHO_OK); /* two places */
    ninho_dict_free(dict);
    spec.n_tables = 1;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    CHECK_OK(ninho_dict_put(dict, "A", 1, 1, NULL));
    CHECK_STATUS(ninho_dict_put(dict, "Q", 1, 2, NULL), NINHO_ERR_FULL);
    CHECK(ninho_dict_get(dict, "A", 1, NULL) && !ninho_dict_get(dict, "Q", 1, NULL));
    CHECK_U64(ninho_dict_count(dict), 1);
    CHECK_OK(ninho_dict_verify(dict, NULL));
    ninho_dict_free(dict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_the_stash_waits_for_its_own_place),
        cmocka_unit_test(places_hold_in_two_tables_and_in_larger_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
