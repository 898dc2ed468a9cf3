/* SPDX-License-Identifier: MIT */
/* The observer reports exactly what changed: a table of our own, kept up to date from the events
 * alone, equals the filter's at every step. */
#include "conform/families.h"

#include <stdlib.h>
#include <string.h>

enum { N_KEYS = 60, MOST_CELLS = 1 << 16, MOST_PARTS = 16 };

struct shadow {
    uint8_t cells[MOST_PARTS][MOST_CELLS];
    uint64_t
        tags[MOST_CELLS]; /* for kinds with tags: cells[0] is how many copies of it */
    uint64_t n_slots;     /* 0: the kind has none */
    /* A tag that another one was put on: the next event moves it from where it was. */
    uint64_t thrown_out, thrown_from;
    bool is_thrown;
    bool is_walk;     /* of a cuckoo filter, where that happens */
    unsigned n_marks; /* of a cuckoo filter's slots: side, offset */
    unsigned n_parts;
    unsigned n_events;
    unsigned n_changes;
};

/* Tags come to empty slots and leave full ones; a table that is resized begins empty. */
static void watch_tags(struct shadow *shadow, const ninho_event *event)
{
    uint8_t *counts = shadow->cells[0];
    const uint64_t from = event->from, to = event->to;

    shadow->n_changes++;
    if (event->type == NINHO_EVENT_RESIZED) {
        CHECK(from == shadow->n_slots && to > from && to <= MOST_CELLS);
        memset(counts, 0, MOST_CELLS);
        shadow->n_slots = to;
        return;
    }
    CHECK(from < shadow->n_slots && to < shadow->n_slots);
    const bool was_thrown = shadow->is_thrown;
    if (was_thrown)
        CHECK(event->type == NINHO_EVENT_TAG_MOVED && from == shadow->thrown_from &&
              event->value == shadow->thrown_out);
    else if (event->type != NINHO_EVENT_TAG_PLACED)
        CHECK(counts[from] > 0 && shadow->tags[from] == event->value);
    CHECK(event->type != NINHO_EVENT_TAG_REMOVED || to == 0);
    shadow->is_thrown = event->type != NINHO_EVENT_TAG_REMOVED && counts[to];
    CHECK(!shadow->is_thrown || shadow->is_walk);
    if (event->type != NINHO_EVENT_TAG_REMOVED) {
        shadow->thrown_out = shadow->tags[to];
        shadow->thrown_from = to;
        shadow->tags[to] = event->value;
        counts[to] =
            event->type == NINHO_EVENT_TAG_PLACED || was_thrown ? 1 : counts[from];
    }
    if (event->type != NINHO_EVENT_TAG_PLACED && !was_thrown)
        counts[from] = 0;
}

static void watch(void *context, const ninho_event *event)
{
    struct shadow *shadow = context;
    uint8_t *cells = shadow->cells[shadow->n_parts - 1];

    shadow->n_events++;
    if (shadow->n_slots && event->type != NINHO_EVENT_COUNTER_UP &&
        event->type != NINHO_EVENT_COUNTER_DOWN) {
        watch_tags(shadow, event);
        return;
    }
    switch (event->type) {
    case NINHO_EVENT_BIT_SET:
        CHECK(event->to < MOST_CELLS);
        CHECK(event->value == cells[event->to]);
        shadow->n_changes += !cells[event->to];
        cells[event->to] = 1;
        return;
    case NINHO_EVENT_COUNTER_UP:
        CHECK(event->to < MOST_CELLS);
        CHECK_U64(event->value, cells[event->to] + 1U);
        cells[event->to]++;
        shadow->n_changes++;
        return;
    case NINHO_EVENT_COUNTER_DOWN:
        CHECK(event->to < MOST_CELLS);
        CHECK_U64(event->value, cells[event->to] - 1U);
        cells[event->to]--;
        shadow->n_changes++;
        return;
    case NINHO_EVENT_TAG_PLACED:
    case NINHO_EVENT_TAG_MOVED:
    case NINHO_EVENT_TAG_REMOVED:
    case NINHO_EVENT_VICTIM_PARKED:
        test_fail(__FILE__, __LINE__, "a tag in a table without them");
    case NINHO_EVENT_RESIZED:
        CHECK_U64(event->from, shadow->n_parts);
        CHECK_U64(event->to, shadow->n_parts + 1);
        CHECK(++shadow->n_parts <= MOST_PARTS);
        shadow->n_changes++;
        return;
    }
    test_fail(__FILE__, __LINE__, "event of unknown type %d", (int)event->type);
}

/* `size` bits of a table from bit `at` on, least significant first. */
static uint64_t bits_at(const uint8_t *body, uint64_t at, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)(body[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    return value;
}

/* Which slots of a quotient table of one zone are in use. */
static void mark_used(const uint8_t *body, uint64_t n_slots, unsigned r, uint8_t *used)
{
    const uint64_t stride = 8 * (18 + 8 * (uint64_t)r); /* bits */
    uint64_t next = bits_at(body, 128, 16);

    memset(used, 0, n_slots);
    for (uint64_t q = 0; q < n_slots; q++) {
        if (!bits_at(body, q / 64 * stride + q % 64, 1))
            continue;
        for (bool is_end = false; !is_end; next++) { /* its run */
            next = next > q ? next : q;
            const uint64_t slot = next % n_slots;
            used[slot] = 1;
            is_end = bits_at(body, slot / 64 * stride + 64 + slot % 64, 1);
        }
    }
}

/* The slots as docs/format.md lays them out. */
static void check_tags(const ninho_filter *filter, const struct shadow *shadow)
{
    ninho_info info = NINHO_INFO_INIT;
    size_t size;
    uint8_t *bytes = encoded(filter, &size);

    CHECK_OK(ninho_filter_info(filter, &info));
    CHECK_U64(info.n_cells, shadow->n_slots);
    const uint8_t *body = bytes + size - info.table_bytes;
    static uint8_t used[MOST_CELLS];
    if (info.kind == NINHO_QUOTIENT)
        mark_used(body, info.n_cells, info.tag_bits, used);
    for (uint64_t slot = 0; slot < shadow->n_slots; slot++) {
        uint64_t tag, count;
        if (info.kind == NINHO_CUCKOO) {
            const uint64_t value = bits_at(body, slot * info.tag_bits, info.tag_bits);
            count = value != 0;
            tag = count ? (value - 1) / shadow->n_marks + 1 : 0;
        } else if (info.kind == NINHO_COMPACT) {
            count = bits_at(body, slot * (info.tag_bits + 4), 4);
            tag = bits_at(body, slot * (info.tag_bits + 4) + 4, info.tag_bits);
        } else {
            const uint8_t *block = body + slot / 64 * (18 + 8 * info.tag_bits);
            tag = bits_at(block, 144 + slot % 64 * info.tag_bits, info.tag_bits);
            count = used[slot];
        }
        CHECK_U64(count, shadow->cells[0][slot]);
        CHECK(!count || tag == shadow->tags[slot]);
    }
    free(bytes);
}

/* The tables as docs/format.md lays them out: each from a multiple of 64, in order. */
static void check_shadow(const ninho_filter *filter, const struct shadow *shadow)
{
    ninho_info info = NINHO_INFO_INIT;
    const bool is_counting = shadow && ninho_filter_info(filter, &info) == NINHO_OK &&
                             info.kind == NINHO_COUNTING;
    if (shadow->n_slots) {
        check_tags(filter, shadow);
        return;
    }
    size_t size;
    uint8_t *bytes = encoded(filter, &size);

    CHECK_U64(info.n_parts, shadow->n_parts);
    uint64_t header = 0;
    for (unsigned i = 0; i < 4; i++)
        header |= (uint64_t)bytes[8 + i] << (8 * i);
    for (unsigned part = 0; part < shadow->n_parts; part++) {
        const uint8_t *entry = bytes + 96 + 64 * part;
        uint64_t offset = 0, n_bytes = 0;
        for (unsigned i = 0; i < 8; i++) {
            offset |= (uint64_t)entry[48 + i] << (8 * i);
            n_bytes |= (uint64_t)entry[56 + i] << (8 * i);
        }
        const uint8_t *body = bytes + header + offset;
        for (uint64_t i = 0; i < n_bytes; i++) {
            unsigned expected = 0;
            if (is_counting)
                expected = shadow->cells[part][2 * i] |
                           (unsigned)shadow->cells[part][2 * i + 1] << 4;
            else
                for (unsigned bit = 0; bit < 8; bit++)
                    expected |= (unsigned)shadow->cells[part][8 * i + bit] << bit;
            CHECK_U64(body[i], expected);
        }
    }
    free(bytes);
}

/* What the events alone do not tell. */
static ninho_spec spec_back(const ninho_filter *filter)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    CHECK_OK(ninho_filter_spec(filter, &spec));
    return spec;
}

static uint64_t n_slots_of(const ninho_filter *filter)
{
    ninho_info info = NINHO_INFO_INIT;

    CHECK_OK(ninho_filter_info(filter, &info));
    return info.tag_bits ? info.n_cells : 0;
}

static unsigned n_marks_of(const ninho_filter *filter)
{
    const ninho_spec spec = spec_back(filter);

    return (spec.slots == NINHO_WINDOWS ? spec.place_slots : 1) *
           (spec.pairing == NINHO_PAIRING_OFFSET ? 2 : 1);
}

/* Slots of nested tables are numbered each from 0: unit/cuckoo_nested_test.c watches those. */
static bool is_nested(const struct family *family)
{
    return family->spec.base == NINHO_CUCKOO;
}

static void every_change_is_reported_and_nothing_else(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        if (is_nested(family))
            continue;
        struct shadow *shadow = calloc(1, sizeof *shadow);
        ninho_spec spec = family_spec(family, N_KEYS / 4, .01, 3);
        ninho_filter *filter = NULL;
        test_where("%s", family->name);
        CHECK(shadow);
        shadow->n_parts = 1;
        spec.observer = watch;
        spec.observer_context = shadow;
        CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
        shadow->n_slots = n_slots_of(filter);
        shadow->n_marks = n_marks_of(filter);
        shadow->is_walk = spec_back(filter).search == NINHO_SEARCH_WALK;
        for (uint64_t i = 0; i < N_KEYS; i++) {
            uint64_t hash;
            spec_hashes(&spec, i, 1, &hash);
            const bool had = ninho_filter_has(filter, hash);
            const unsigned n_changes = shadow->n_changes;
            if (i % 2)
                CHECK_OK(ninho_filter_add(filter, hash));
            else
                CHECK_OK(ninho_filter_add_many(filter, &hash, 1, NULL));
            if (!had)
                CHECK(shadow->n_changes > n_changes);
            check_shadow(filter, shadow);
        }
        /* asking is not a change */
        const unsigned n_events = shadow->n_events;
        check_range(filter, &spec, 0, N_KEYS);
        CHECK_U64(shadow->n_events, n_events);
        /* a copy has no observer */
        ninho_filter *copy = NULL;
        CHECK_OK(ninho_filter_copy(filter, NULL, &copy, NULL));
        CHECK_OK(ninho_filter_add(copy, mix64(1)));
        CHECK_U64(shadow->n_events, n_events);
        ninho_filter_free(copy);
        if (family_can(family) & NINHO_CAN_REMOVE) {
            for (uint64_t i = 0; i < N_KEYS; i++) {
                uint64_t hash;
                spec_hashes(&spec, i, 1, &hash);
                CHECK_OK(ninho_filter_remove(filter, hash));
                check_shadow(filter, shadow);
            }
            const unsigned before = shadow->n_events;
            CHECK_STATUS(ninho_filter_remove(filter, mix64(2)), NINHO_ERR_NOT_FOUND);
            CHECK_U64(shadow->n_events, before);
        }
        ninho_filter_free(filter);
        free(shadow);
    }
}

/* An observer must not change what happens. */
static void a_watched_filter_is_the_same_filter(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        if (is_nested(family))
            continue;
        struct shadow *shadow = calloc(1, sizeof *shadow);
        ninho_spec spec = family_spec(family, 100, .01, 3);
        ninho_filter *watched = NULL;
        ninho_filter *alone = family_filter(family, 100, .01, 3);
        test_where("%s", family->name);
        CHECK(shadow);
        shadow->n_parts = 1;
        spec.observer = watch;
        spec.observer_context = shadow;
        CHECK_OK(ninho_filter_create(&spec, NULL, &watched, NULL));
        shadow->n_slots = n_slots_of(watched);
        shadow->n_marks = n_marks_of(watched);
        shadow->is_walk = spec_back(watched).search == NINHO_SEARCH_WALK;
        add_range(watched, &spec, 0, 700);
        add_range(alone, &spec, 0, 700);
        check_same_bytes(watched, alone);
        CHECK(shadow->n_events > (family_is_set(family) ? 600U : 700U) ||
              (family_has_places(family) && shadow->n_events >= 600));
        ninho_filter_free(watched);
        ninho_filter_free(alone);
        free(shadow);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_is_reported_and_nothing_else),
        cmocka_unit_test(a_watched_filter_is_the_same_filter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
