/* SPDX-License-Identifier: MIT */
/* Compact and quotient filters of keys that were chosen to stand in one cluster. Work is counted
 * in steps: slots or blocks that were looked at. */
#include "unit/first_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/le.h"
#include "base/steps.h"
#include "filter/compact_table.h"
#include "filter/quotient_first.h"
#include "filter/quotient_table.h"

enum { CAPACITY = 300000 }; /* 41 zones of compact, 4 of quotient */

static uint64_t steps_now(void)
{
#ifdef NINHO_TEST_HOOKS
    return nh_n_steps;
#else
    return 0;
#endif
}

/* What one add or removal may take: five zones, each signature looked at a few times; three
 * zones in blocks, some times over. */
static uint64_t most_steps(ninho_kind kind)
{
    return kind == NINHO_COMPACT ? 16 * NH_COMPACT_ZONE : 8 * NH_QUOTIENT_ZONE_BLOCKS;
}

/* In a table that no add has made. */
static uint64_t most_steps_of_file(ninho_kind kind)
{
    return kind == NINHO_COMPACT ? 8 * NH_COMPACT_MOST : 8 * NH_FIRST_MOST;
}

static ninho_filter *empty_filter(ninho_kind kind)
{
    const ninho_spec spec = spec_of(kind, CAPACITY, .01);
    return filter_of(&spec, NULL);
}

/* Hashes of neighbours: as far from each other as fingerprints are, so that some dozens share a
 * home. */
static uint64_t neighbour(const ninho_filter *filter, uint64_t i)
{
    const uint64_t n = filter->family->kind == NINHO_COMPACT
                           ? UINT64_C(1) << (filter->parts->stored[0] & 0xff)
                           : filter->parts->n_cells << (filter->parts->stored[0] & 0xff);
    return i * (UINT64_MAX / n + 1);
}

enum order { ASCENDING, DESCENDING, SHUFFLED, N_ORDERS };

static uint64_t *in_order(const ninho_filter *filter, enum order order, size_t n)
{
    uint64_t *hashes = malloc(n * sizeof *hashes);
    struct test_rng rng = {test_seed(5)};

    CHECK(hashes);
    for (size_t i = 0; i < n; i++)
        hashes[i] = neighbour(filter, order == DESCENDING ? n - 1 - i : i);
    for (size_t i = n; order == SHUFFLED && i > 1; i--) {
        const size_t j = rng_below(&rng, i);
        const uint64_t hash = hashes[i - 1];
        hashes[i - 1] = hashes[j];
        hashes[j] = hash;
    }
    return hashes;
}

static ninho_status add_counted(ninho_filter *filter, uint64_t hash, uint64_t most)
{
    const uint64_t before = steps_now();
    const ninho_status status = ninho_filter_add(filter, hash);

    CHECK(steps_now() - before <= most);
    return status;
}

static void check_all(const ninho_filter *filter, const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t before = steps_now();
        CHECK(ninho_filter_has(filter, hashes[i]));
        CHECK(steps_now() - before <= most_steps(filter->family->kind));
    }
    CHECK_OK(ninho_filter_verify(filter, NULL));
}

static void one_cluster(ninho_kind kind, enum order order)
{
    ninho_filter *filter = empty_filter(kind);
    const size_t n = CAPACITY;
    uint64_t *hashes = in_order(filter, order, n);
    size_t n_added = 0, n_refused = 0;
    uint64_t refused = 0;
    size_t size;

    for (size_t i = 0; i < n && n_refused < 1000; i++) {
        const ninho_status status = add_counted(filter, hashes[i], most_steps(kind));
        if (status) {
            CHECK_STATUS(status, NINHO_ERR_FULL);
            refused = hashes[i];
            n_refused++;
        } else {
            hashes[n_added++] = hashes[i];
        }
    }
    CHECK(n_refused > 0 && ninho_filter_is_crowded(filter, 1));
    CHECK_U64(ninho_filter_count(filter), n_added);
    check_all(filter, hashes, n_added);
    uint8_t *bytes = encoded(filter, &size);
    CHECK_STATUS(ninho_filter_add(filter, refused), NINHO_ERR_FULL);
    CHECK_OK(ninho_filter_add(filter, UINT64_MAX / 2)); /* there is room elsewhere */
    CHECK_OK(ninho_filter_remove(filter, UINT64_MAX / 2));
    ninho_filter *copy = NULL;
    CHECK_OK(ninho_filter_decode(bytes, size, NULL, &copy, NULL));
    check_equal_bytes(filter, copy);
    free(bytes);
    for (size_t i = 0; i < n_added; i++) { /* the worst: what stands first */
        const uint64_t before = steps_now();
        CHECK_OK(ninho_filter_remove(copy, hashes[i]));
        CHECK(steps_now() - before <= most_steps(kind));
    }
    CHECK_U64(ninho_filter_count(copy), 0);
    ninho_filter_free(copy);
    ninho_filter_free(filter);
    free(hashes);
}

static void one_cluster_has_a_bound(void **state)
{
    (void)state;
    for (unsigned order = 0; order < N_ORDERS; order++) {
        test_where("compact, order %u", order);
        one_cluster(NINHO_COMPACT, (enum order)order);
        test_where("quotient, order %u", order);
        one_cluster(NINHO_QUOTIENT, (enum order)order);
    }
}

/* Keys of one place, in windows and in buckets: refused far from full, and so it is called. */
static void a_crowded_cuckoo_table_says_so(void **state)
{
    const uint32_t windows[] = {0, 4};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        ninho_spec spec = NINHO_SPEC_INIT;
        ninho_error error = NINHO_ERROR_INIT;
        ninho_filter *filter = NULL, *other = NULL;
        uint64_t n = 0;

        spec.kind = NINHO_CUCKOO;
        spec.capacity = CAPACITY;
        spec.fpr = .01;
        spec.place_slots = windows[i];
        CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
        CHECK_OK(ninho_filter_create(&spec, NULL, &other, NULL));
        while (!ninho_filter_add(filter, n << 28))
            n++;
        CHECK(n < CAPACITY / 100);
        CHECK_STATUS(ninho_filter_add(filter, n << 28), NINHO_ERR_FULL);
        CHECK(ninho_filter_is_crowded(filter, 1));
        CHECK(!ninho_filter_is_crowded(filter, CAPACITY));
        for (uint64_t j = 0; j < n; j++) /* the same places, without the same copies */
            CHECK_OK(ninho_filter_add(other, j << 28));
        CHECK_STATUS(ninho_filter_union(filter, other, &error), NINHO_ERR_FULL);
        CHECK(strstr(error.text, "stand together"));
        ninho_filter_free(other);
        ninho_filter_free(filter);
    }
}

/* Each key one slot from its home: no search is long, but a removal moves them all. */
static void a_row_of_displaced_keys_has_a_bound(void **state)
{
    const ninho_kind kinds[] = {NINHO_COMPACT, NINHO_QUOTIENT};

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        ninho_filter *filter = empty_filter(kinds[k]);
        const uint64_t m = filter->parts->n_cells, step = UINT64_MAX / m + 1;
        size_t n_added = 0;
        CHECK_OK(ninho_filter_add(filter, 0));
        for (uint64_t i = 0; i < CAPACITY - 1; i++)
            n_added += !add_counted(filter, i * step + step / 2, most_steps(kinds[k]));
        CHECK(n_added < CAPACITY - 1);
        const uint64_t before = steps_now();
        CHECK_OK(ninho_filter_remove(filter, 0));
        /* in quotient each run that comes home is a step on the way to where all is */
        CHECK(steps_now() - before <=
              most_steps(kinds[k]) + (k ? 2 * NH_QUOTIENT_ZONE : 0));
        CHECK_OK(ninho_filter_verify(filter, NULL));
        ninho_filter_free(filter);
    }
}

/* Nothing of this is ever met by keys that nobody chose, filled to the last. */
static void other_keys_fill_it_to_the_brim(void **state)
{
    const ninho_kind kinds[] = {NINHO_COMPACT, NINHO_QUOTIENT, NINHO_CUCKOO};
    struct test_rng rng = {test_seed(9)};

    (void)state;
    for (size_t round = 0; round < test_scaled(20, 2); round++) {
        for (unsigned k = 0; k < 3; k++) {
            ninho_filter *filter = empty_filter(kinds[k]);
            test_where("%s, round %zu", filter->family->name, round);
            for (uint64_t i = 0; i < CAPACITY; i++)
                CHECK_OK(ninho_filter_add(filter, rng_next(&rng)));
            ninho_status status = ninho_filter_add(filter, 1);
            while (kinds[k] == NINHO_CUCKOO && !status) /* fills what it has */
                status = ninho_filter_add(filter, rng_next(&rng));
            CHECK_STATUS(status, NINHO_ERR_FULL);
            CHECK(!ninho_filter_is_crowded(filter, 1));
            ninho_filter_free(filter);
        }
    }
}

/* Keys as words of a text are: the i-th most frequent one 1/i as often. A compact filter counts
 * copies, and many of them together fill zones. */
static void frequent_keys_may_fill_zones_of_compact(void **state)
{
    enum { N_KEYS = 20000 };
    ninho_filter *filter = empty_filter(NINHO_COMPACT);
    const uint64_t most = UINT64_C(16) * NH_COMPACT_ZONE;
    uint64_t n_added = 0, n_first = 0;

    (void)state;
    for (uint64_t i = 1; i <= N_KEYS && n_added < CAPACITY; i++)
        for (uint64_t j = 0; j < CAPACITY / 2 / i && n_added < CAPACITY; j++, n_added++) {
            CHECK_OK(add_counted(filter, mix64(i), most));
            n_first += i == 1;
        }
    CHECK_U64(ninho_filter_copies(filter, mix64(1)), n_first);
    CHECK(n_first / 15 > NH_COMPACT_ZONE); /* it does fill one */
    CHECK_OK(ninho_filter_verify(filter, NULL));
    for (uint64_t i = 1; i <= N_KEYS; i++)
        while (ninho_filter_remove(filter, mix64(i)) == NINHO_OK)
            n_added--;
    CHECK_U64(n_added, 0);
    CHECK_U64(ninho_filter_count(filter), 0);
    CHECK_OK(ninho_filter_verify(filter, NULL));
    ninho_filter_free(filter);
}

/* Two filters, each with its cluster at the same place. */
static void a_union_that_would_fill_a_zone_changes_nothing(void **state)
{
    ninho_filter *a = empty_filter(NINHO_QUOTIENT), *b = empty_filter(NINHO_QUOTIENT);
    ninho_filter *before = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    for (uint64_t i = 0; i < NH_QUOTIENT_ZONE / 2 + 1000; i++) { /* together too many */
        CHECK_OK(ninho_filter_add(a, neighbour(a, 2 * i)));
        CHECK_OK(ninho_filter_add(b, neighbour(b, 2 * i + 1)));
    }
    CHECK_OK(ninho_filter_copy(a, NULL, &before, NULL));
    const uint64_t steps = steps_now();
    CHECK_STATUS(ninho_filter_union(a, b, &error), NINHO_ERR_FULL);
    CHECK(strstr(error.text, "together"));
    CHECK_STATUS(ninho_filter_union(a, a, NULL), NINHO_ERR_FULL);
    CHECK(steps_now() - steps <= UINT64_C(20) * CAPACITY);
    check_equal_bytes(a, before);
    ninho_filter_free(a);
    ninho_filter_free(b);
    ninho_filter_free(before);
}

/* Growth lays a cluster out again in one pass, and unions do. */
static void growth_and_union_take_one_pass(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        ninho_spec spec = spec_of(k ? NINHO_QUOTIENT : NINHO_COMPACT, CAPACITY / 8, .01);
        spec.max_capacity = CAPACITY;
        ninho_filter *filter = filter_of(&spec, NULL), *twin = filter_of(&spec, NULL);
        for (uint64_t i = 0; i < CAPACITY / 8; i++)
            CHECK_OK(ninho_filter_add(
                filter, i % (k ? 10 : 50) ? mix64(i) : neighbour(filter, CAPACITY - i)));
        CHECK_OK(add_counted(filter, UINT64_MAX, UINT64_C(40) * CAPACITY));
        CHECK_OK(ninho_filter_verify(filter, NULL));
        if (k) {
            const uint64_t start = steps_now();
            CHECK_OK(ninho_filter_union(twin, filter, NULL));
            CHECK(steps_now() - start <= UINT64_C(40) * CAPACITY);
            check_equal_bytes(twin, filter);
        }
        ninho_filter_free(filter);
        ninho_filter_free(twin);
    }
}

/* ---- Files that no add has made ------------------------------------------------------------ */

static void set_bits(uint8_t *body, uint64_t bit, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++, bit++)
        body[bit / 8] = (uint8_t)((body[bit / 8] & ~(1U << (bit % 8))) |
                                  (value >> i & 1) << (bit % 8));
}

/* The filter with its n first fingerprints in one cluster from slot 0 on. In a compact one the slot at
 * which a removal gives up is full of copies. */
static ninho_filter *by_enemy(ninho_kind kind, uint64_t capacity, uint64_t n)
{
    const ninho_spec spec = spec_of(kind, capacity, .01);
    ninho_filter *filter = filter_of(&spec, NULL), *decoded = NULL;
    struct nh_part *const part = filter->parts;
    const unsigned width = part->stored[0] & 0xff;
    size_t size;

    if (kind == NINHO_COMPACT) {
        for (uint64_t i = 0; i < n; i++)
            set_bits(part->body, i * (width + 4), width + 4,
                     i << 4 | (i == NH_COMPACT_MOST ? 15 : 1));
    } else {
        uint64_t *prints = malloc(n * sizeof *prints);
        CHECK(prints);
        for (uint64_t i = 0; i < n; i++)
            prints[i] = i;
        nh_table_free(&filter->alloc, &part->table);
        part->size = nh_first_table_size(part->n_cells, width);
        CHECK(nh_live_table(&filter->live, part->size, &part->table));
        part->body = part->table.bytes;
        part->number = NINHO_QUOTIENT;
        nh_attach(filter->part_family, part);
        first_layout_of(part->body, part->n_cells, width, prints, n);
        free(prints);
    }
    part->count = filter->count =
        n + (kind == NINHO_COMPACT && n > NH_COMPACT_MOST ? 14 : 0);
    uint8_t *bytes = encoded(filter, &size);
    const uint64_t before = steps_now();
    CHECK_OK(ninho_filter_decode(bytes, size, NULL, &decoded, NULL));
    CHECK(steps_now() - before <= 40 * capacity);
    free(bytes);
    ninho_filter_free(filter);
    return decoded;
}

/* Entries that can be found from their homes, and do not stand in the order of these. */
static void entries_out_of_order_are_damage(void **state)
{
    const ninho_spec spec = spec_of(NINHO_COMPACT, 1000, .01);
    ninho_filter *filter = filter_of(&spec, NULL);
    struct nh_part *const part = filter->parts;
    const unsigned width = part->stored[0] & 0xff;
    const struct nh_compact_table t = {
        .body = part->body, .m = part->n_cells, .l = width};
    uint64_t second = 0; /* the first signature at home in slot 1 */
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    while (nh_compact_home(&t, second) == 0)
        second++;
    const uint64_t right[] = {0, 1, second}, wrong[] = {0, second, 1};
    part->count = filter->count = 3;
    for (unsigned i = 0; i < 3; i++)
        set_bits(part->body, i * (width + 4), width + 4, right[i] << 4 | 1);
    CHECK_OK(ninho_filter_verify(filter, &error));
    for (unsigned i = 0; i < 3; i++)
        set_bits(part->body, i * (width + 4), width + 4, wrong[i] << 4 | 1);
    CHECK_STATUS(ninho_filter_verify(filter, &error), NINHO_ERR_FORMAT);
    CHECK(strstr(error.text, "order"));
    ninho_filter_free(filter);
}

static void a_file_of_one_cluster_is_read_and_asked(void **state)
{
    const ninho_kind kinds[] = {NINHO_COMPACT, NINHO_QUOTIENT};
    const uint64_t capacity = 2 * NH_FIRST_MOST * 64, n = capacity * 3 / 4;

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        ninho_filter *filter = by_enemy(kinds[k], capacity, n), *before = NULL;
        const uint64_t most = most_steps_of_file(kinds[k]);
        test_where("%s", filter->family->name);
        CHECK_OK(ninho_filter_copy(filter, NULL, &before, NULL));
        for (uint64_t i = 0; i < n; i += n / 1000) {
            const uint64_t start = steps_now();
            CHECK(ninho_filter_has(filter, neighbour(filter, i)));
            CHECK(ninho_filter_copies(filter, neighbour(filter, i)) >= 1);
            (void)ninho_filter_has(filter, neighbour(filter, n + i));
            CHECK(steps_now() - start <= (kinds[k] == NINHO_COMPACT ? 1000 : 3 * most));
        }
        for (uint64_t i = 0; i < n; i += n / 10) {
            const uint64_t start = steps_now();
            const bool is_early = i < n / 4;
            const ninho_status added = ninho_filter_add(filter, neighbour(filter, i));
            CHECK(added == NINHO_ERR_FULL || !added);
            if (!added) /* a copy more of an entry that is there, or not far from the end */
                CHECK_OK(ninho_filter_remove(filter, neighbour(filter, i)));
            if (is_early)
                CHECK_STATUS(ninho_filter_remove(filter, neighbour(filter, i)),
                             NINHO_ERR_FULL);
            CHECK(steps_now() - start <= 4 * most);
        }
        CHECK_OK(ninho_filter_verify(filter, NULL));
        check_equal_bytes(filter, before);
        ninho_filter_free(filter);
        ninho_filter_free(before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cluster_has_a_bound),
        cmocka_unit_test(a_crowded_cuckoo_table_says_so),
        cmocka_unit_test(a_row_of_displaced_keys_has_a_bound),
        cmocka_unit_test(other_keys_fill_it_to_the_brim),
        cmocka_unit_test(frequent_keys_may_fill_zones_of_compact),
        cmocka_unit_test(a_union_that_would_fill_a_zone_changes_nothing),
        cmocka_unit_test(growth_and_union_take_one_pass),
        cmocka_unit_test(entries_out_of_order_are_damage),
        cmocka_unit_test(a_file_of_one_cluster_is_read_and_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
