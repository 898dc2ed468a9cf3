/* SPDX-License-Identifier: MIT */
/* Random operations on every dictionary against a twin that cannot be wrong: an array
 * indexed by the key's number. */
#include <stdlib.h>
#include <string.h>

#include "conform/dicts.h"
#include "support/test.h"

#define N_KEYS 4000

struct twin {
    bool is_in[N_KEYS];
    uint64_t value[N_KEYS];
    uint64_t count;
};

static ninho_dict *reborn(ninho_dict *dict, const struct dict_config *config)
{
    const ninho_open_options options = dict_options_of(config);
    const size_t size = ninho_dict_encoded_size(dict);
    uint8_t *bytes = malloc(size);
    ninho_dict *again = NULL;

    CHECK(bytes);
    CHECK_OK(ninho_dict_encode(dict, bytes, size, NULL));
    CHECK_OK(ninho_dict_decode(bytes, size, &options, &again, NULL));
    free(bytes);
    ninho_dict_free(dict);
    return again;
}

static void step(ninho_dict *dict, const struct dict_config *config, struct twin *twin,
                 struct test_rng *rng, unsigned put_share)
{
    const uint64_t i = rng_below(rng, N_KEYS);
    const uint64_t choice = rng_below(rng, 100);
    uint8_t key[64];
    const size_t size = dict_key(config, i, key);

    if (choice < put_share) {
        const uint64_t value = rng_next(rng);
        bool is_new = false;
        CHECK_OK(ninho_dict_put(dict, key, size, value, &is_new));
        CHECK(is_new == !twin->is_in[i]);
        twin->count += is_new;
        twin->is_in[i] = true;
        twin->value[i] = value;
    } else if (choice < 75) {
        const ninho_status status = ninho_dict_remove(dict, key, size);
        CHECK_STATUS(status, twin->is_in[i] ? NINHO_OK : NINHO_ERR_NOT_FOUND);
        twin->count -= twin->is_in[i];
        twin->is_in[i] = false;
    } else {
        uint64_t value = 0;
        CHECK(ninho_dict_get(dict, key, size, &value) == twin->is_in[i]);
        CHECK(!twin->is_in[i] || value == twin->value[i]);
    }
    CHECK_U64(ninho_dict_count(dict), twin->count);
}

static void dictionaries_do_what_the_twin_does(void **state)
{
    const size_t n_steps = test_scaled(1000000, 5000);
    const uint64_t seed = test_seed(20221115);

    (void)state;
    for (size_t c = 0; c < n_dict_configs; c++) {
        const struct dict_config *config = &dict_configs[c];
        const ninho_dict_spec spec = dict_spec_of(config);
        struct twin *twin = calloc(1, sizeof *twin);
        struct test_rng rng = {mix64(seed + c)};
        ninho_dict *dict = NULL;
        CHECK(twin);
        CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
        for (size_t i = 0; i < n_steps; i++) {
            if (i % 1000 == 0)
                test_where("%s, step %zu or soon after, NINHO_TEST_SEED=%llu",
                           config->name, i, (unsigned long long)seed);
            /* Waves: now it fills, now it empties. */
            step(dict, config, twin, &rng, i / 10000 % 2 ? 25 : 50);
            if (i % 100000 == 99999) {
                CHECK_OK(ninho_dict_verify(dict, NULL));
                dict = reborn(dict, config);
            }
            if (i % 250000 == 249999) {
                CHECK_OK(ninho_dict_clear(dict));
                memset(twin, 0, sizeof *twin);
            }
        }
        CHECK_OK(ninho_dict_verify(dict, NULL));
        ninho_dict_free(dict);
        free(twin);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dictionaries_do_what_the_twin_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
