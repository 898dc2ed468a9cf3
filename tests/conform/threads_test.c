/* SPDX-License-Identifier: MIT */
/* Many readers at once, and writers of filters of their own: what the header promises. Run under
 * ThreadSanitizer to see it; here the answers are compared. */
#include "conform/families.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { N_THREADS = 4, N_KEYS = 2000 };

/* Threads report what they saw; only the first may end the test. */
struct reader {
    const ninho_filter *filter;
    const uint64_t *hashes; /* N_KEYS members, then N_KEYS absent ones */
    pthread_t thread;
    size_t n_maybe;
    size_t n_lost;
    uint64_t digest;
    bool has_failed;
};

static void *read_all(void *context)
{
    struct reader *reader = context;
    static const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    uint64_t maybe[2 * N_KEYS / 64 + 1];
    ninho_info info = NINHO_INFO_INIT;
    ninho_filter *copy = NULL;
    double n_keys = 0;
    char text[32];

    reader->n_maybe =
        ninho_filter_has_many(reader->filter, reader->hashes, 2 * N_KEYS, maybe);
    for (size_t i = 0; i < N_KEYS; i++) {
        reader->n_lost += !ninho_filter_has(reader->filter, reader->hashes[i]);
        reader->n_lost += !ninho_filter_copies(reader->filter, reader->hashes[i]);
    }
    reader->has_failed |= ninho_filter_info(reader->filter, &info) != NINHO_OK;
    reader->has_failed |= ninho_filter_verify(reader->filter, NULL) != NINHO_OK;
    ninho_filter_estimate(reader->filter, &n_keys);
    ninho_filter_meta(reader->filter, "name", text, sizeof text, NULL);
    reader->has_failed |= strcmp(text, "value") != 0;
    const size_t size = ninho_filter_encoded_size(reader->filter);
    uint8_t *bytes = malloc(size);
    reader->has_failed |= !bytes;
    reader->has_failed |=
        ninho_filter_encode(reader->filter, bytes, size, NULL) != NINHO_OK;
    reader->digest = ninho_hash_bytes(&hasher, bytes, size);
    free(bytes);
    reader->has_failed |=
        ninho_filter_copy(reader->filter, NULL, &copy, NULL) != NINHO_OK;
    ninho_filter_free(copy);
    return NULL;
}

static void readers_do_not_disturb_each_other(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_spec spec = family_spec(family, N_KEYS / 4, .05, 1);
        ninho_filter *filter = family_filter(family, N_KEYS / 4, .05, 1);
        uint64_t hashes[2 * N_KEYS];
        struct reader readers[N_THREADS];
        test_where("%s", family->name);
        spec_hashes(&spec, 0, N_KEYS, hashes);
        spec_hashes(&spec, ABSENT, N_KEYS, hashes + N_KEYS);
        add_range(filter, &spec, 0, N_KEYS);
        CHECK_OK(ninho_filter_set_meta(filter, "name", "value"));
        for (size_t i = 0; i < N_THREADS; i++) {
            readers[i] = (struct reader){.filter = filter, .hashes = hashes};
            CHECK(pthread_create(&readers[i].thread, NULL, read_all, &readers[i]) == 0);
        }
        for (size_t i = 0; i < N_THREADS; i++)
            CHECK(pthread_join(readers[i].thread, NULL) == 0);
        for (size_t i = 0; i < N_THREADS; i++) {
            CHECK(!readers[i].has_failed);
            CHECK_U64(readers[i].n_lost, 0);
            CHECK(readers[i].n_maybe >= N_KEYS);
            CHECK_U64(readers[i].n_maybe, readers[0].n_maybe);
            CHECK_U64(readers[i].digest, readers[0].digest);
        }
        ninho_filter_free(filter);
    }
}

struct writer {
    const ninho_spec *spec;
    const uint64_t *hashes;
    ninho_filter *filter;
    pthread_t thread;
    ninho_status status;
};

static void *write_own(void *context)
{
    struct writer *writer = context;

    writer->status = ninho_filter_build(writer->spec, writer->hashes, N_KEYS, NULL,
                                        &writer->filter, NULL);
    return NULL;
}

static void writers_of_their_own_do_not_disturb_each_other(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_spec spec = family_spec(family, N_KEYS / 4, .05, 1);
        uint64_t hashes[N_KEYS];
        struct writer writers[N_THREADS];
        test_where("%s", family->name);
        spec_hashes(&spec, 0, N_KEYS, hashes);
        for (size_t i = 0; i < N_THREADS; i++) {
            writers[i] = (struct writer){.spec = &spec, .hashes = hashes};
            CHECK(pthread_create(&writers[i].thread, NULL, write_own, &writers[i]) == 0);
        }
        for (size_t i = 0; i < N_THREADS; i++)
            CHECK(pthread_join(writers[i].thread, NULL) == 0);
        for (size_t i = 0; i < N_THREADS; i++) {
            CHECK_OK(writers[i].status);
            check_same_bytes(writers[i].filter, writers[0].filter);
        }
        for (size_t i = 0; i < N_THREADS; i++)
            ninho_filter_free(writers[i].filter);
    }
}

int main(void)
{
    /* writers first: they all ask at once which CPU this is */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writers_of_their_own_do_not_disturb_each_other),
        cmocka_unit_test(readers_do_not_disturb_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
