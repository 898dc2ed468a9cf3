/* SPDX-License-Identifier: MIT */
/* Slots of every width, in places of every shape: the lanes of one word, of two, or one by one, at
 * the end of a table or not. A lookup finds a value where it may lie and nowhere else, and a key
 * goes to the first empty slot. */
#include "unit/cuckoos.h"

#include <stdlib.h>
#include <string.h>

#include "filter/cuckoo.h"

enum { N_PLACES = 64, N_HASHES = 8 };

/* Some 64 slots by hand: windows under xor want a power of two of places. */
static ninho_filter *by_hand(const struct cuckoo *cuckoo, unsigned width)
{
    ninho_spec spec = cuckoo_spec(cuckoo, N_PLACES / 2, 0);
    const bool is_xor_windows =
        spec.slots == NINHO_WINDOWS && spec.pairing == NINHO_PAIRING_XOR;

    spec.n_slots = N_PLACES + (is_xor_windows ? spec.place_slots - 1 : 0);
    spec.tag_bits = width;
    return filter_of(&spec, NULL);
}

/* A table of which the test writes the body; it must not move. */
struct table {
    struct shape shape;
    uint8_t *bytes, *body;
    size_t body_size;
    ninho_view storage;
    const ninho_filter *view;
};

static void make_table(struct table *table, const struct cuckoo *cuckoo, unsigned width)
{
    ninho_filter *filter = by_hand(cuckoo, width);
    size_t size;

    table->shape = shape_of(filter);
    table->bytes = encoded(filter, &size);
    table->body = table->bytes + body_of(table->bytes);
    table->body_size = size - body_of(table->bytes);
    CHECK_OK(
        ninho_filter_view(&table->storage, table->bytes, size, NULL, &table->view, NULL));
    ninho_filter_free(filter);
}

/* Leaves the value in this slot and zeros in all others. */
static void write_alone(struct table *table, uint64_t slot, uint64_t value)
{
    memset(table->body, 0, table->body_size);
    for (unsigned i = 0; i < table->shape.width; i++) {
        const uint64_t bit = slot * table->shape.width + i;
        table->body[bit / 8] |= (uint8_t)((value >> i & 1) << bit % 8);
    }
}

/* Would a tag of these places, there, be written as this value? */
static bool is_there(const struct shape *shape, const uint64_t places[2], uint64_t tag,
                     uint64_t slot, uint64_t value)
{
    for (unsigned side = 0; side < 2; side++) {
        const uint64_t first = places[side] * (shape->is_windows ? 1 : shape->n);
        const uint64_t offset = slot - first;
        uint64_t marks = shape->is_windows ? offset : 0;
        if (slot < first || offset >= shape->n)
            continue;
        if (shape->is_offset)
            marks += side * (shape->is_windows ? shape->n : 1);
        if (value == 1 + tag * shape->n_marks + marks)
            return true;
    }
    return false;
}

/* Every slot with every value that the tag has in some slot, and those next to them. */
static void check_hash(struct table *table, uint64_t hash)
{
    const struct shape *shape = &table->shape;
    const uint64_t tag = nh_cuckoo_tag_of(hash, shape->n_tags, false);
    const uint64_t place = nh_cuckoo_place_of(hash, shape->n_places);
    const uint64_t places[2] = {
        place, nh_cuckoo_other(place, 0, tag, shape->n_places, shape->is_offset)};
    const uint64_t first = 1 + tag * shape->n_marks;

    for (uint64_t slot = 0; slot < shape->n_slots; slot++) {
        for (uint64_t value = first - 1; value <= first + shape->n_marks; value++) {
            uint64_t maybe = 0;
            if (value == 0 || value >> shape->width)
                continue;
            write_alone(table, slot, value);
            const bool expected = is_there(shape, places, tag, slot, value);
            CHECK(ninho_filter_has(table->view, hash) == expected);
            ninho_filter_has_many(table->view, &hash, 1, &maybe);
            CHECK((maybe & 1) == expected);
        }
    }
}

static void values_are_found_where_they_may_lie_only(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        for (unsigned width = 8; width <= 32; width++) {
            struct table table;
            make_table(&table, cuckoo, width);
            test_where("%s: %u bits", cuckoo->name, width);
            for (uint64_t i = 0; i < N_HASHES - 2; i++)
                check_hash(&table, mix64(width + 100 * i));
            check_hash(&table, 0); /* the first place, and the last */
            check_hash(&table, UINT64_MAX);
            free(table.bytes);
        }
    }
}

/* What is in a slot, bit by bit. */
static uint64_t value_in(const struct table *table, const uint8_t *body, uint64_t slot)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < table->shape.width; i++) {
        const uint64_t bit = slot * table->shape.width + i;
        value |= (uint64_t)(body[bit / 8] >> bit % 8 & 1) << i;
    }
    return value;
}

/* How many slots of a place are empty; *slot: the first of them. */
static unsigned empty_in(const struct table *table, const uint8_t *body, uint64_t place,
                         uint64_t *slot)
{
    const uint64_t first = place * (table->shape.is_windows ? 1 : table->shape.n);
    unsigned n = 0;

    for (unsigned i = 0; i < table->shape.n; i++)
        if (!value_in(table, body, first + i) && n++ == 0)
            *slot = first + i;
    return n;
}

static void keys_go_to_the_first_empty_slot_of_their_place(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        for (unsigned width = 8; width <= 32; width++) {
            struct table table;
            make_table(&table, cuckoo, width);
            const struct shape *shape = &table.shape;
            ninho_filter *filter = by_hand(cuckoo, width);
            const bool is_random = cuckoo->spec.choice == NINHO_CHOICE_RANDOM;
            test_where("%s: %u bits", cuckoo->name, width);
            for (uint64_t i = 0; i < N_PLACES - 4; i++) {
                const uint64_t hash = mix64(1000 * width + i);
                const uint64_t tag = nh_cuckoo_tag_of(hash, shape->n_tags, false);
                const uint64_t place = nh_cuckoo_place_of(hash, shape->n_places);
                const uint64_t other =
                    nh_cuckoo_other(place, 0, tag, shape->n_places, shape->is_offset);
                uint64_t slots[2] = {0, 0};
                size_t size;
                uint8_t *before = encoded(filter, &size);
                const uint8_t *body = before + body_of(before);
                const unsigned n_first = empty_in(&table, body, place, &slots[0]);
                const unsigned n_second = empty_in(&table, body, other, &slots[1]);
                const unsigned side = is_random ? !n_first : n_second > n_first;
                const bool is_easy = n_first + n_second;
                free(before);
                const ninho_status status = ninho_filter_add(filter, hash);
                CHECK(status == NINHO_OK || (status == NINHO_ERR_FULL && !is_easy));
                if (!is_easy)
                    continue;
                uint8_t *after = encoded(filter, &size);
                CHECK_U64(value_in(&table, after + body_of(after), slots[side]) - 1 -
                                  tag * shape->n_marks <
                              shape->n_marks,
                          true);
                free(after);
            }
            ninho_filter_free(filter);
            free(table.bytes);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_where_they_may_lie_only),
        cmocka_unit_test(keys_go_to_the_first_empty_slot_of_their_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
