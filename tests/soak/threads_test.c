/* SPDX-License-Identifier: MIT */
/* Readers beside a writer that never rests, for a long time: 10^8 lookups and changes at
 * NINHO_TEST_SCALE=10000, on filters that are always about to be full, double, or get more tables. */
#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { N_STAY = 20000, N_READERS = 2, GROUP = 500 };

struct asking {
    ninho_reader *reader;
    pthread_t thread;
    atomic_bool *is_over;
    uint64_t n_asked, n_lost;
};

static void *ask(void *context)
{
    struct asking *const self = context;
    uint64_t hashes[GROUP];

    for (uint64_t first = 0; !atomic_load_explicit(self->is_over, memory_order_relaxed);
         first = (first + GROUP) % N_STAY) {
        for (uint64_t i = 0; i < GROUP; i++)
            hashes[i] = mix64(first + i);
        for (size_t i = 0; i < GROUP; i++)
            self->n_lost += !ninho_reader_has(self->reader, hashes[i]);
        self->n_lost += GROUP - ninho_reader_has_many(self->reader, hashes, GROUP, NULL);
        self->n_asked += 2 * (uint64_t)GROUP;
    }
    ninho_reader_close(self->reader);
    return NULL;
}

/* Keys come until the filter is full, or holds n, and then go, but for those that stay. */
static uint64_t change(ninho_filter *filter, uint64_t n)
{
    static uint64_t next = N_STAY;
    const uint64_t first = next;
    uint64_t n_changes = 0;

    while (ninho_filter_count(filter) < n &&
           ninho_filter_add(filter, mix64(next)) == NINHO_OK) {
        next++;
        n_changes++;
    }
    for (uint64_t i = first; ninho_filter_can(filter) & NINHO_CAN_REMOVE && i < next;
         i++) {
        CHECK_OK(ninho_filter_remove(filter, mix64(i)));
        n_changes++;
    }
    return n_changes;
}

static void soak(ninho_spec spec, uint64_t n_most)
{
    const uint64_t n_operations = test_scaled(250000, 20000);
    struct asking readers[N_READERS];
    ninho_filter *filter = NULL;
    atomic_bool is_over = false;
    uint64_t n_done = 0;

    spec.size_of_struct = sizeof spec;
    spec.fpr = .001;
    spec.key_encoding = NINHO_KEY_HASHES;
    test_where("%s", ninho_kind_name(spec.kind));
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    for (uint64_t i = 0; i < N_STAY; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    for (size_t i = 0; i < N_READERS; i++) {
        readers[i] = (struct asking){.is_over = &is_over};
        CHECK_OK(ninho_reader_open(filter, &readers[i].reader, NULL));
        CHECK(!pthread_create(&readers[i].thread, NULL, ask, &readers[i]));
    }
    while (n_done < n_operations) {
        const uint64_t n_changes = change(filter, n_most);
        n_done += n_changes;
        if (!n_changes) { /* as large as it becomes: from the beginning, for the writer */
            n_done += N_STAY;
            CHECK(ninho_filter_count(filter) >= n_most);
            n_most += n_most / 2;
        }
    }
    atomic_store(&is_over, true);
    for (size_t i = 0; i < N_READERS; i++) {
        CHECK(!pthread_join(readers[i].thread, NULL));
        CHECK_U64(readers[i].n_lost, 0);
        print_message("%s: %llu asked beside %llu changes\n", ninho_kind_name(spec.kind),
                      (unsigned long long)readers[i].n_asked, (unsigned long long)n_done);
    }
    ninho_filter_free(filter);
}

static void cuckoo(void **state)
{
    (void)state;
    soak((ninho_spec){.kind = NINHO_CUCKOO, .capacity = N_STAY + 1000}, UINT64_MAX);
}

static void quotient(void **state)
{
    (void)state;
    soak((ninho_spec){.kind = NINHO_QUOTIENT,
                      .capacity = 1000,
                      .max_capacity = N_STAY + 1000},
         UINT64_MAX);
}

static void scalable_over_cuckoo(void **state)
{
    (void)state;
    soak((ninho_spec){.kind = NINHO_SCALABLE, .base = NINHO_CUCKOO, .capacity = 1000},
         3 * N_STAY);
}

static void scalable_over_blocked(void **state)
{
    (void)state;
    soak((ninho_spec){.kind = NINHO_SCALABLE, .capacity = 1000}, 3 * N_STAY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuckoo),
        cmocka_unit_test(quotient),
        cmocka_unit_test(scalable_over_cuckoo),
        cmocka_unit_test(scalable_over_blocked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
