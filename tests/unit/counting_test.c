/* SPDX-License-Identifier: MIT */
/* The counting filter in tables so small that the probes of a key meet, and counters saturate. */
#include "conform/families.h"

#include <stdlib.h>
#include <string.h>

static void ignore(void *context, const ninho_event *event)
{
    (void)context;
    (void)event;
}

static ninho_filter *small_filter(uint64_t n_cells, uint32_t k, bool is_observed)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;

    spec.kind = NINHO_COUNTING;
    spec.capacity = 10;
    spec.fpr = .5;
    spec.n_bits = n_cells;
    spec.n_hashes = k;
    spec.observer = is_observed ? ignore : NULL;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    return filter;
}

/* An observer's removals go another way, by a list of counters. Members, absent keys, and keys that
 * only seem to be there. */
static void removals_do_the_same_with_an_observer(void **state)
{
    struct test_rng rng = {test_seed(3)};
    unsigned n_refused = 0, n_removed = 0;

    (void)state;
    for (uint64_t n_cells = 1; n_cells < 200; n_cells = n_cells * 3 + 1) {
        for (uint32_t k = 1; k <= 64; k = 2 * k + 1) {
            ninho_filter *plain = small_filter(n_cells, k, false);
            ninho_filter *observed = small_filter(n_cells, k, true);
            test_where("%llu counters, %u probes", (unsigned long long)n_cells, k);
            for (unsigned i = 0; i < 200; i++) {
                const uint64_t hash = mix64(rng_next(&rng) % 8);
                if (rng_next(&rng) % 2) {
                    CHECK_OK(ninho_filter_add(plain, hash));
                    CHECK_OK(ninho_filter_add(observed, hash));
                } else {
                    const bool is_there = ninho_filter_copies(plain, hash) != 0;
                    const ninho_status status = ninho_filter_remove(plain, hash);
                    CHECK(status == (is_there ? NINHO_OK : NINHO_ERR_NOT_FOUND));
                    CHECK(ninho_filter_remove(observed, hash) == status);
                    n_refused += status != NINHO_OK;
                    n_removed += status == NINHO_OK;
                }
                check_same_bytes(plain, observed);
            }
            ninho_filter_free(plain);
            ninho_filter_free(observed);
        }
    }
    CHECK(n_refused > 10 && n_removed > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(removals_do_the_same_with_an_observer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
