/* SPDX-License-Identifier: MIT */
#include "unit/cuckoos.h"

#include <stdlib.h>

#include "filter/cuckoo.h"

#define BUCKETS(size) .slots = NINHO_BUCKETS, .place_slots = (size)
#define WINDOWS(size) .slots = NINHO_WINDOWS, .place_slots = (size)
#define RANDOM        .choice = NINHO_CHOICE_RANDOM
#define EMPTIER       .choice = NINHO_CHOICE_EMPTIER
#define WALK          .search = NINHO_SEARCH_WALK
#define BFS           .search = NINHO_SEARCH_BFS
#define XOR           .pairing = NINHO_PAIRING_XOR
#define OFFSET        .pairing = NINHO_PAIRING_OFFSET

/* clang-format off */
const struct cuckoo cuckoos[] = {
    {"default",                         {.kind = NINHO_CUCKOO}},
    {"original",                        {.kind = NINHO_CUCKOO, BUCKETS(4), RANDOM, WALK, XOR}},
    {"buckets of 4, emptier walk xor",  {.kind = NINHO_CUCKOO, BUCKETS(4), EMPTIER, WALK, XOR}},
    {"buckets of 4, emptier bfs offset", {.kind = NINHO_CUCKOO, BUCKETS(4), EMPTIER, BFS, OFFSET, .budget = 500}},
    {"buckets of 1, random bfs offset", {.kind = NINHO_CUCKOO, BUCKETS(1), RANDOM, BFS, OFFSET}},
    {"buckets of 2, emptier walk offset", {.kind = NINHO_CUCKOO, BUCKETS(2), EMPTIER, WALK, OFFSET}},
    {"buckets of 8, emptier bfs xor",   {.kind = NINHO_CUCKOO, BUCKETS(8), EMPTIER, BFS, XOR}},
    {"windows of 2, random walk xor",   {.kind = NINHO_CUCKOO, WINDOWS(2), RANDOM, WALK, XOR}},
    {"windows of 2, emptier bfs offset", {.kind = NINHO_CUCKOO, WINDOWS(2), EMPTIER, BFS, OFFSET}},
    {"windows of 3, emptier bfs xor",   {.kind = NINHO_CUCKOO, WINDOWS(3), EMPTIER, BFS, XOR}},
    {"windows of 3, emptier walk offset", {.kind = NINHO_CUCKOO, WINDOWS(3), EMPTIER, WALK, OFFSET, .max_kicks = 50}},
    {"windows of 4, random walk offset", {.kind = NINHO_CUCKOO, WINDOWS(4), RANDOM, WALK, OFFSET}},
    {"windows of 4, emptier bfs xor",   {.kind = NINHO_CUCKOO, WINDOWS(4), EMPTIER, BFS, XOR, .budget = 100}},
};
/* clang-format on */
const size_t n_cuckoos = sizeof cuckoos / sizeof cuckoos[0];

ninho_spec cuckoo_spec(const struct cuckoo *cuckoo, uint64_t capacity, double fpr)
{
    ninho_spec spec = cuckoo->spec;

    spec.size_of_struct = sizeof spec;
    spec.capacity = capacity;
    spec.fpr = fpr;
    spec.key_encoding = NINHO_KEY_HASHES;
    return spec;
}

ninho_filter *cuckoo_filter(const struct cuckoo *cuckoo, uint64_t capacity, double fpr)
{
    const ninho_spec spec = cuckoo_spec(cuckoo, capacity, fpr);
    return filter_of(&spec, NULL);
}

struct shape shape_of(const ninho_filter *filter)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    struct shape shape;

    CHECK_OK(ninho_filter_spec(filter, &spec));
    shape.n_slots = spec.n_slots;
    shape.width = spec.tag_bits;
    shape.n = spec.place_slots;
    shape.is_windows = spec.slots == NINHO_WINDOWS;
    shape.is_offset = spec.pairing == NINHO_PAIRING_OFFSET;
    shape.is_walk = spec.search == NINHO_SEARCH_WALK;
    shape.limit = shape.is_walk ? spec.max_kicks : spec.budget;
    shape.n_marks = (shape.is_windows ? shape.n : 1) * (shape.is_offset ? 2 : 1);
    shape.n_places =
        shape.is_windows ? shape.n_slots - (shape.n - 1) : shape.n_slots / shape.n;
    shape.n_tags = nh_cuckoo_n_tags(shape.width, shape.n_marks, 0);
    return shape;
}

struct identity identity_of(const struct shape *shape, uint64_t hash)
{
    const uint64_t tag = nh_cuckoo_tag_of(hash, shape->n_tags, false);
    const uint64_t place = nh_cuckoo_place_of(hash, shape->n_places);
    const uint64_t other =
        nh_cuckoo_other(place, 0, tag, shape->n_places, shape->is_offset);

    return (struct identity){shape->is_offset || place < other ? place : other, tag};
}

uint64_t *tags_of(const ninho_filter *filter)
{
    const struct shape shape = shape_of(filter);
    uint64_t *tags = calloc((size_t)shape.n_slots, sizeof *tags);
    size_t size;
    uint8_t *bytes = encoded(filter, &size);
    const uint8_t *body = bytes + body_of(bytes);

    CHECK(tags);
    for (uint64_t slot = 0; slot < shape.n_slots; slot++) {
        uint64_t value = 0;
        for (unsigned i = 0; i < shape.width; i++) {
            const uint64_t bit = slot * shape.width + i;
            value |= (uint64_t)(body[bit / 8] >> (bit % 8) & 1) << i;
        }
        tags[slot] = value ? (value - 1) / shape.n_marks + 1 : 0;
    }
    free(bytes);
    return tags;
}

uint64_t fill_until_full(ninho_filter *filter, uint64_t first)
{
    for (uint64_t n = 0;; n++) {
        const ninho_status status = ninho_filter_add(filter, mix64(first + n));
        if (status) {
            CHECK_STATUS(status, NINHO_ERR_FULL);
            return n;
        }
    }
}

void check_hashes(const ninho_filter *filter, uint64_t first, uint64_t n)
{
    for (uint64_t i = first; i < first + n; i++)
        CHECK(ninho_filter_has(filter, mix64(i)));
}

ninho_stats stats_of(const ninho_filter *filter)
{
    ninho_stats stats = NINHO_STATS_INIT;

    CHECK_OK(ninho_filter_stats(filter, &stats));
    return stats;
}
