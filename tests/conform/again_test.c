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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_that_is_the_most_there_can_be_stays_valid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
