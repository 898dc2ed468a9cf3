/* SPDX-License-Identifier: MIT */
/* Cuckoo filters in the hands of enemies: headers and tables made to do harm, with right checksums,
 * and keys that were chosen. */
#include "unit/cuckoos.h"

#include <stdlib.h>
#include <string.h>

#include "base/le.h"
#include "conform/frame_bytes.h"

/* ---- Bytes --------------------------------------------------------------------------------- */

enum { WORD_0 = PARTS_AT + 32, WORD_1 = PARTS_AT + 40, CELLS = PARTS_AT + 24 };
enum { IS_WINDOWS = 1 << 16, IS_OFFSET = 1 << 17, IS_SET = 1 << 18 };

static ninho_filter *by_hand(const struct cuckoo *cuckoo, uint64_t n_slots,
                             unsigned width, uint64_t n_keys)
{
    ninho_spec spec = cuckoo_spec(cuckoo, n_slots / 2, 0);

    spec.n_slots = n_slots;
    spec.tag_bits = width;
    ninho_filter *filter = filter_of(&spec, NULL);
    for (uint64_t i = 0; i < n_keys; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    return filter;
}

/* A filter's bytes, which the caller frees, and the filter freed. */
static uint8_t *bytes_of(ninho_filter *filter, size_t *size)
{
    uint8_t *bytes = encoded(filter, size);

    ninho_filter_free(filter);
    return bytes;
}

/* Buckets of 4 under offset may be any number; told that they are under xor, they may not. */
static void xor_wants_a_power_of_two_of_places(void **state)
{
    (void)state;
    for (uint64_t n_places = 1; n_places < 40; n_places++) {
        const bool is_power = n_places > 1 && (n_places & (n_places - 1)) == 0;
        size_t size;
        uint8_t *bytes = bytes_of(by_hand(&cuckoos[3], 4 * n_places, 9, 2), &size);
        test_where("%d buckets", (int)n_places);
        CHECK(!try_bytes(bytes, size));
        set_field(bytes, WORD_0, 4, get_field(bytes, WORD_0, 4) & ~(uint64_t)IS_OFFSET);
        CHECK(try_bytes(bytes, size) == !is_power);
        free(bytes);
    }
    for (uint64_t n_slots = 4; n_slots < 40; n_slots++) {
        const uint64_t n_places = n_slots - 1;
        const bool is_power = (n_places & (n_places - 1)) == 0;
        size_t size;
        uint8_t *bytes = bytes_of(by_hand(&cuckoos[8], n_slots, 9, 0), &size);
        test_where("%d slots in windows", (int)n_slots);
        CHECK(!try_bytes(bytes, size));
        set_field(bytes, WORD_0, 4, get_field(bytes, WORD_0, 4) & ~(uint64_t)IS_OFFSET);
        CHECK(try_bytes(bytes, size) == !is_power);
        free(bytes);
    }
}

/* Every number of the shape against the size that is there. */
static void numbers_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        size_t size;
        ninho_filter *filter = cuckoo_filter(cuckoo, 40, .001);
        const struct shape shape = shape_of(filter);
        for (uint64_t i = 0; i < 40; i++)
            CHECK_OK(ninho_filter_add(filter, mix64(i)));
        uint8_t *bytes = bytes_of(filter, &size);
        const uint64_t word = get_field(bytes, WORD_0, 8);
        const uint64_t cells = get_field(bytes, CELLS, 8);
        CHECK(!try_bytes(bytes, size));
        for (uint64_t width = 0; width < 256; width++) { /* tag bits */
            if (width > 40 && width % 32 > 1)
                continue;
            test_where("%s: width %d", cuckoo->name, (int)width);
            set_field(bytes, WORD_0, 8, (word & ~UINT64_C(0xff)) | width);
            CHECK(try_bytes(bytes, size) == (width != shape.width));
        }
        for (uint64_t n = 0; n < 256;
             n++) { /* slots of a place: others may fit by chance */
            test_where("%s: %d slots", cuckoo->name, (int)n);
            set_field(bytes, WORD_0, 8, (word & ~UINT64_C(0xff00)) | n << 8);
            const bool is_refused = try_bytes(bytes, size);
            CHECK(n || is_refused);
            CHECK(!shape.is_windows || (n >= 2 && n <= 4) || is_refused);
            CHECK(n != shape.n || !is_refused);
        }
        for (unsigned bit = 21; bit < 64; bit++) { /* no such flag; nothing was nested */
            test_where("%s: bit %u", cuckoo->name, bit);
            set_field(bytes, WORD_0, 8, word ^ UINT64_C(1) << bit);
            CHECK(try_bytes(bytes, size));
        }
        set_field(bytes, WORD_0, 8, word);
        const uint64_t most = shape.is_walk ? 65535 : 1000000;
        const uint64_t limits[] = {0, most + 1, UINT32_MAX, UINT64_C(1) << 32,
                                   UINT64_MAX};
        for (size_t i = 0; i < 5; i++) {
            test_where("%s: limit %zu", cuckoo->name, i);
            set_field(bytes, WORD_1, 8, limits[i]);
            CHECK(try_bytes(bytes, size));
        }
        set_field(bytes, WORD_1, 8, most);
        CHECK(!try_bytes(bytes, size));
        set_field(bytes, WORD_1, 8, shape.limit);
        static const uint64_t counts[] = {
            0, 1, 2, UINT64_C(1) << 31, UINT32_MAX, UINT64_C(1) << 62, UINT64_MAX};
        for (size_t i = 0; i < 7; i++) {
            test_where("%s: cells %zu", cuckoo->name, i);
            set_field(bytes, CELLS, 8, counts[i]);
            CHECK(try_bytes(bytes, size));
        }
        for (int64_t d = -40; d <= 40; d++) {
            set_field(bytes, CELLS, 8, cells + (uint64_t)d);
            test_where("%s: %d cells more", cuckoo->name, (int)d);
            CHECK(try_bytes(bytes, size) || d == 0 || shape.width < 8);
        }
        set_field(bytes, CELLS, 8, cells);
        for (int64_t d = -3; d <= 3;
             d++) { /* how many slots are in use, in both places */
            set_field(bytes, 40, 8, (uint64_t)(40 + d));
            set_field(bytes, PARTS_AT + 16, 8, (uint64_t)(40 + d));
            test_where("%s: count %d", cuckoo->name, (int)(40 + d));
            CHECK(try_bytes(bytes, size) == (d != 0));
        }
        free(bytes);
    }
}

static void put_bits(uint8_t *body, uint64_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        body[(at + i) / 8] &= (uint8_t) ~(1U << (at + i) % 8);
        body[(at + i) / 8] |= (uint8_t)((value >> i & 1) << (at + i) % 8);
    }
}

/* One tag in one slot of an otherwise empty table: every value it could hold, in slots at both
 * ends, where a window would begin before the table or end behind it. */
static void tags_that_cannot_be_are_refused(void **state)
{
    enum { WIDTH = 8 };

    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        const bool is_windows = cuckoo->spec.slots != NINHO_BUCKETS;
        const uint64_t n = cuckoo->spec.place_slots ? cuckoo->spec.place_slots : 4;
        const uint64_t n_slots = is_windows ? 16 + n - 1 : 16 * n;
        ninho_spec spec = cuckoo_spec(cuckoo, 10, 0);
        spec.place_slots = (uint32_t)n;
        spec.n_slots = n_slots;
        spec.tag_bits = WIDTH;
        ninho_filter *filter = filter_of(&spec, NULL);
        const struct shape shape = shape_of(filter);
        CHECK_OK(ninho_filter_add(filter, mix64(1)));
        size_t size;
        uint8_t *bytes = bytes_of(filter, &size);
        uint8_t *body = bytes + body_of(bytes);
        for (uint64_t slot = 0; slot < n_slots; slot++) {
            if (slot > 5 && slot + 6 < n_slots)
                continue;
            const uint64_t last = shape.n_tags * shape.n_marks;
            for (uint64_t value = 0; value < 256; value++) {
                if (value > 2 * shape.n_marks + 1 && value + 3 < last)
                    continue; /* as those before */
                memset(body, 0, size - body_of(bytes));
                put_bits(body, slot * WIDTH, WIDTH, value);
                test_where("%s: slot %d holds %d", cuckoo->name, (int)slot, (int)value);
                bool is_possible = value && value <= last;
                if (is_possible && shape.is_windows) {
                    const uint64_t offset = (value - 1) % n; /* sides are n apart */
                    is_possible = offset <= slot && slot - offset < shape.n_places;
                }
                CHECK(try_bytes(bytes, size) == !is_possible); /* 0: the count is 1 */
            }
        }
        free(bytes);
    }
}

static void bits_behind_the_last_slot_are_refused(void **state)
{
    size_t size;
    uint8_t *bytes = bytes_of(by_hand(&cuckoos[4], 7, 9, 2), &size); /* 63 bits */

    (void)state;
    CHECK(!try_bytes(bytes, size));
    bytes[size - 1] |= 0x80;
    CHECK(try_bytes(bytes, size));
    free(bytes);
}

static void damaged_tables_are_refused_and_queries_end(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        ninho_filter *filter = cuckoo_filter(cuckoo, 20, .01);
        for (uint64_t i = 0; i < 20; i++)
            CHECK_OK(ninho_filter_add(filter, mix64(i)));
        try_damage(filter, test_scaled(200, 20));
        ninho_filter_free(filter);
    }
}

/* Tables of a growing filter that are not `growth` times as large, have tags that did not only
 * gain bits, or were made by other choices: removals there could take the wrong tag. */
static void tables_that_do_not_nest_are_refused(void **state)
{
    ninho_spec spec = spec_of(NINHO_SCALABLE, 8, .05);
    size_t size, n_accepted = 0;

    (void)state;
    spec.base = NINHO_CUCKOO;
    ninho_filter *filter = filter_of(&spec, NULL);
    for (uint64_t i = 0; i < 100; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    uint8_t *bytes = bytes_of(filter, &size);
    const size_t n_parts = (size_t)get_field(bytes, 60, 4);
    CHECK(n_parts >= 3);
    CHECK(!try_bytes(bytes, size));
    set_field(bytes, PARTS_AT + 35, 1, 1); /* the first one grew from nothing */
    set_field(bytes, PARTS_AT + 32, 1, get_field(bytes, PARTS_AT + 32, 1) + 1);
    CHECK(try_bytes(bytes, size));
    set_field(bytes, PARTS_AT + 35, 1, 0);
    set_field(bytes, PARTS_AT + 32, 1, get_field(bytes, PARTS_AT + 32, 1) - 1);
    CHECK(!try_bytes(bytes, size));
    for (size_t part = 1; part < n_parts; part++) {
        const size_t word_0 = PARTS_AT + PART_SIZE * part + 32;
        const uint64_t was = get_field(bytes, word_0, 8);
        for (unsigned bit = 0; bit < 64; bit++) {
            test_where("part %zu, bit %u", part, bit);
            set_field(bytes, word_0, 8, was ^ UINT64_C(1) << bit);
            CHECK(try_bytes(bytes, size));
        }
        set_field(bytes, word_0, 8, was);
        const uint64_t limit = get_field(bytes, word_0 + 8, 8);
        set_field(bytes, word_0 + 8, 8, limit + 1);
        CHECK(try_bytes(bytes, size));
        set_field(bytes, word_0 + 8, 8, limit);
    }
    /* the growth that the header tells is not that of the tables */
    const uint64_t options = get_field(bytes, 88, 8);
    for (uint64_t growth = 0; growth < 20; growth++) {
        test_where("growth %d", (int)growth);
        set_field(bytes, 88, 8, (options & 0xffff) | growth << 16);
        n_accepted += !try_bytes(bytes, size);
    }
    CHECK_U64(n_accepted, 1);
    set_field(bytes, 88, 8, options);
    CHECK(!try_bytes(bytes, size));
    try_damage((filter = filter_of(&spec, NULL)), test_scaled(300, 20));
    ninho_filter_free(filter);
    free(bytes);
}

static void bare_bytes_are_the_same_filter(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        for (uint64_t n = 1; n < 3000; n = n * 5 + 1) {
            const ninho_spec spec = cuckoo_spec(cuckoo, n, .01);
            ninho_filter *filter = filter_of(&spec, NULL);
            test_where("%s: %d keys", cuckoo->name, (int)n);
            for (uint64_t i = 0; i < n; i++)
                CHECK_OK(ninho_filter_add(filter, mix64(i)));
            check_bare(filter, &spec, 0, (size_t)n);
            ninho_filter_free(filter);
        }
    }
}

/* ---- Keys ---------------------------------------------------------------------------------- */

static const uint8_t secret[NINHO_SECRET_BYTES] = "not told to them";

enum { N_KEYS = 3500, N_ALIKE = 9 };

/* Of int64 keys, under xxh3 or siphash. */
static ninho_filter *public_or_keyed(bool is_keyed)
{
    ninho_spec spec = cuckoo_spec(ORIGINAL_CUCKOO, N_KEYS, .03);

    spec.key_encoding = NINHO_KEY_INT64;
    if (is_keyed) {
        spec.hash = NINHO_HASH_SIPHASH;
        spec.secret = secret;
    }
    return filter_of(&spec, NULL);
}

static void int64_key(uint64_t key, uint8_t bytes[8])
{
    nh_store_le64(bytes, key);
}

static ninho_status add_int64(ninho_filter *filter, uint64_t key)
{
    uint8_t bytes[8];

    int64_key(key, bytes);
    return ninho_filter_add_key(filter, bytes, sizeof bytes);
}

static bool has_int64(const ninho_filter *filter, uint64_t key)
{
    uint8_t bytes[8];

    int64_key(key, bytes);
    return ninho_filter_has_key(filter, bytes, sizeof bytes);
}

/* Keys with the places and the tag of key number `target`, by trying: about 130,000 hashes each. */
static void find_alike(const ninho_filter *filter, uint64_t target,
                       uint64_t keys[N_ALIKE])
{
    const struct shape shape = shape_of(filter);
    ninho_hasher hasher;
    size_t n = 0;

    CHECK_OK(ninho_filter_hasher(filter, &hasher));
    const struct identity wanted =
        identity_of(&shape, ninho_hash_int64(&hasher, (int64_t)target));
    for (uint64_t key = target; n < N_ALIKE; key++) {
        const struct identity is =
            identity_of(&shape, ninho_hash_int64(&hasher, (int64_t)key));
        if (is.place == wanted.place && is.tag == wanted.tag)
            keys[n++] = key;
    }
}

/* Who knows the seed makes a nearly empty filter refuse a key; nothing is lost, and others go in.
 * Who does not know the secret cannot choose, and the same keys are like any others. */
static void nine_chosen_keys_fill_two_buckets_unless_there_is_a_secret(void **state)
{
    uint64_t keys[N_ALIKE];
    ninho_filter *open = public_or_keyed(false), *keyed = public_or_keyed(true);

    (void)state;
    find_alike(open, 1000000, keys);
    for (int i = 0; i < N_ALIKE - 1; i++)
        CHECK_OK(add_int64(open, keys[i]));
    ninho_filter *before = NULL;
    CHECK_OK(ninho_filter_copy(open, NULL, &before, NULL));
    CHECK_STATUS(add_int64(open, keys[N_ALIKE - 1]), NINHO_ERR_FULL);
    check_equal_bytes(open, before);
    ninho_info info = NINHO_INFO_INIT;
    CHECK_OK(ninho_filter_info(open, &info));
    CHECK(info.load < .003);
    for (uint64_t i = 0; i < N_KEYS - N_ALIKE; i++)
        CHECK_OK(add_int64(open, i));
    for (int i = 0; i < N_ALIKE - 1; i++)
        CHECK(has_int64(open, keys[i]));
    for (uint64_t i = 0; i < N_KEYS - N_ALIKE; i++)
        CHECK(has_int64(open, i));

    for (int i = 0; i < N_ALIKE; i++)
        CHECK_OK(add_int64(keyed, keys[i]));
    for (uint64_t i = 0; i < N_KEYS - N_ALIKE; i++)
        CHECK_OK(add_int64(keyed, i));
    const uint64_t n_absent = 10000 * 100 / 3; /* 10,000 false positives are promised */
    double n_maybe = 0;
    for (uint64_t i = 0; i < n_absent; i++)
        n_maybe += has_int64(keyed, UINT64_C(1) << 40 | i);
    CHECK(n_maybe <= 1.1 * 10000);
    ninho_filter_free(open);
    ninho_filter_free(keyed);
    ninho_filter_free(before);
}

/* False positives can be chosen too, where the hash is public. Under a secret they are as rare as
 * promised. */
static void chosen_false_positives_lose_their_power_under_a_secret(void **state)
{
    enum { N_CHOSEN = 10000 };
    ninho_filter *open = public_or_keyed(false), *keyed = public_or_keyed(true);
    uint64_t n_tried = 0;
    size_t n_fooled = 0, n_chosen = 0;

    (void)state;
    for (uint64_t i = 0; i < N_KEYS; i++) {
        CHECK_OK(add_int64(open, i));
        CHECK_OK(add_int64(keyed, i));
    }
    for (; n_chosen < N_CHOSEN; n_tried++) {
        const uint64_t key = 10000000 + n_tried;
        if (!has_int64(open, key))
            continue;
        n_chosen++;
        n_fooled += has_int64(keyed, key);
    }
    CHECK((double)n_fooled <= binomial_high(N_CHOSEN, .03, 5));
    ninho_filter_free(open);
    ninho_filter_free(keyed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xor_wants_a_power_of_two_of_places),
        cmocka_unit_test(numbers_that_do_not_fit_are_refused),
        cmocka_unit_test(tags_that_cannot_be_are_refused),
        cmocka_unit_test(bits_behind_the_last_slot_are_refused),
        cmocka_unit_test(damaged_tables_are_refused_and_queries_end),
        cmocka_unit_test(tables_that_do_not_nest_are_refused),
        cmocka_unit_test(bare_bytes_are_the_same_filter),
        cmocka_unit_test(nine_chosen_keys_fill_two_buckets_unless_there_is_a_secret),
        cmocka_unit_test(chosen_false_positives_lose_their_power_under_a_secret),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
