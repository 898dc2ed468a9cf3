/* SPDX-License-Identifier: MIT */
/* What was read from outside can be changed, written and read again, whatever it said of itself. */
#include <stdlib.h>

#include "conform/families.h"
#include "conform/frame_bytes.h"

/* Says in the header and in every part that the filter holds the most keys that a file may. */
static void claim_most(uint8_t *bytes, size_t size)
{
    const uint64_t most = UINT64_C(1) << 60, n_parts = get_field(bytes, 60, 4);

    set_field(bytes, 40, 8, most);
    for (size_t i = 0; i < n_parts; i++)
        set_field(bytes, PARTS_AT + PART_SIZE * i + 16, 8, most);
    fix_checksums(bytes, size);
}

static void check_again(const ninho_filter *filter, const ninho_open_options *open)
{
    ninho_filter *again = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    size_t size;
    uint8_t *bytes = encoded(filter, &size);

    if (ninho_filter_decode(bytes, size, open, &again, &error) != NINHO_OK)
        fail_msg("%s", error.text);
    CHECK_U64(ninho_filter_count(again), UINT64_C(1) << 60);
    ninho_filter_free(again);
    free(bytes);
}

static void a_count_that_is_the_most_there_can_be_stays_valid(void **state)
{
    size_t n_taken = 0;

    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const bool can_add = family_can(family) & NINHO_CAN_ADD;
        const ninho_spec spec = family_spec(family, 8, .1, 1);
        const ninho_open_options open = family_open(family, 1);
        ninho_filter *filter = family_filter(family, 8, .1, 1), *read = NULL;
        size_t size;
        test_where("%s", family->name);
        if (can_add)
            add_range(filter, &spec, 0, 8);
        uint8_t *bytes = encoded(filter, &size);
        claim_most(bytes, size);
        /* Those that can see how many there are do not believe it. */
        if (can_add && ninho_filter_decode(bytes, size, &open, &read, NULL) == NINHO_OK) {
            uint64_t hashes[20];
            for (uint64_t i = 0; i < 20; i++)
                hashes[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
            CHECK_OK(ninho_filter_add(read, 1));
            check_again(read, &open);
            CHECK_OK(ninho_filter_add_many(read, hashes, 20, NULL));
            check_again(read, &open);
            n_taken++;
            ninho_filter_free(read);
        }
        free(bytes);
        ninho_filter_free(filter);
    }
    CHECK(n_taken >= 3);
}

/* The greatest limit that a file may ask for, in tables that are full: what the search takes follows
 * from the table. Slots of half a byte are the smallest. */
static void memory_to_search_in_follows_from_the_table(void **state)
{
    (void)state;
    for (size_t n_slots = 64; n_slots <= 32768; n_slots *= 8) {
        ninho_spec spec = NINHO_SPEC_INIT;
        ninho_filter *filter = NULL;
        struct test_heap heap;
        uint64_t seed = n_slots;
        spec.kind = NINHO_CUCKOO;
        spec.capacity = spec.n_slots = n_slots;
        spec.tag_bits = 4;
        spec.slots = NINHO_BUCKETS;
        spec.place_slots = 4;
        spec.pairing = NINHO_PAIRING_XOR;
        spec.search = NINHO_SEARCH_BFS;
        spec.budget = 1000000;
        heap_init(&heap);
        CHECK_OK(ninho_filter_create(&spec, &heap.alloc, &filter, NULL));
        const size_t before = heap.live_bytes;
        while (ninho_filter_add(filter, ninho_splitmix64(&seed)) == NINHO_OK)
            continue;
        CHECK(heap.peak_bytes - before <= 256 * ninho_filter_encoded_size(filter));
        ninho_filter_free(filter);
        CHECK_U64(heap.live_blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_that_is_the_most_there_can_be_stays_valid),
        cmocka_unit_test(memory_to_search_in_follows_from_the_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
