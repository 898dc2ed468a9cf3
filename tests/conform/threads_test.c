/* SPDX-License-Identifier: MIT */
/* Many readers at once: every call that takes a const filter may run beside the others. Under
 * ThreadSanitizer this finds any state that a query keeps. */
#include <pthread.h>
#include <string.h>

#include "conform/families.h"
#include "support/test.h"

enum { N_READERS = 4, N_KEYS = 1984 }; /* 31 groups of 64 */

struct reader {
    const ninho_filter *filter;
    uint64_t n_found;
};

static void *read_all(void *context)
{
    struct reader *reader = context;
    ninho_info info = NINHO_INFO_INIT;
    uint64_t hashes[64], maybe[1];

    for (uint64_t i = 0; i < N_KEYS; i += 64) {
        for (uint64_t j = 0; j < 64; j++)
            hashes[j] = mix64(i + j);
        reader->n_found += ninho_filter_has_many(reader->filter, hashes, 64, maybe);
        reader->n_found += ninho_filter_has(reader->filter, hashes[5]);
        reader->n_found += ninho_filter_copies(reader->filter, hashes[6]) > 0;
    }
    if (ninho_filter_info(reader->filter, &info) ||
        ninho_filter_verify(reader->filter, NULL))
        reader->n_found = 0;
    return NULL;
}

static void many_readers_agree(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        struct reader readers[N_READERS];
        pthread_t threads[N_READERS];
        uint64_t hashes[N_KEYS];
        ninho_filter *filter = NULL;
        ninho_spec spec = family_spec(family, N_KEYS, 0.01, 0);

        test_where("%s", family->name);
        for (uint64_t i = 0; i < N_KEYS; i++)
            hashes[i] = mix64(i);
        CHECK_OK(ninho_filter_build(&spec, hashes, N_KEYS, NULL, &filter, NULL));
        for (size_t i = 0; i < N_READERS; i++) {
            readers[i] = (struct reader){filter, 0};
            CHECK(pthread_create(&threads[i], NULL, read_all, &readers[i]) == 0);
        }
        for (size_t i = 0; i < N_READERS; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
        for (size_t i = 0; i < N_READERS; i++) {
            CHECK(readers[i].n_found >= N_KEYS);
            CHECK_U64(readers[i].n_found, readers[0].n_found);
        }
        ninho_filter_free(filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_readers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
