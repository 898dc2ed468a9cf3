/* SPDX-License-Identifier: MIT */
#include "unit/inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/le.h"
#include "filter/ops.h"
#include "hash/hash.h"

ninho_spec spec_of(ninho_kind kind, uint64_t capacity, double fpr)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = kind;
    spec.capacity = capacity;
    spec.fpr = fpr;
    spec.key_encoding = NINHO_KEY_HASHES;
    return spec;
}

ninho_filter *filter_of(const ninho_spec *spec, const ninho_alloc *alloc)
{
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_filter_create(spec, alloc, &filter, &error))
        test_fail(__FILE__, __LINE__, "create: %s", error.text);
    return filter;
}

ninho_filter *built_of(const ninho_spec *spec, const uint64_t *hashes, size_t n)
{
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_filter_build(spec, hashes, n, NULL, &filter, &error))
        test_fail(__FILE__, __LINE__, "build: %s", error.text);
    return filter;
}

void check_equal_bytes(const ninho_filter *a, const ninho_filter *b)
{
    size_t size_a, size_b;
    uint8_t *bytes_a = encoded(a, &size_a);
    uint8_t *bytes_b = encoded(b, &size_b);

    CHECK_U64(size_a, size_b);
    CHECK(memcmp(bytes_a, bytes_b, size_a) == 0);
    free(bytes_a);
    free(bytes_b);
}

size_t body_of(const uint8_t *bytes)
{
    return nh_load_le32(bytes + 8);
}

void reseal(uint8_t *bytes, size_t size)
{
    const size_t body = body_of(bytes);

    nh_store_le64(bytes + 72, nh_checksum_of(bytes + body, size - body));
    nh_store_le64(bytes + body - 8, nh_checksum_of(bytes, body - 8));
}

/* Everything that can be asked of a filter; nothing is expected of the answers. */
static void ask_everything(const ninho_filter *filter)
{
    enum { N = 70 };
    uint64_t hashes[N], maybe[2], cursor = 0, fingerprint = 0, n = 0;
    ninho_info info = NINHO_INFO_INIT;
    double estimate;

    for (uint64_t i = 0; i < N; i++)
        hashes[i] = i < 6 ? i * (UINT64_MAX / 5) : mix64(i);
    const size_t n_maybe = ninho_filter_has_many(filter, hashes, N, maybe);
    size_t n_has = 0;
    for (size_t i = 0; i < N; i++) {
        const bool has = ninho_filter_has(filter, hashes[i]);
        CHECK(has == (maybe[i / 64] >> (i % 64) & 1));
        n_has += has;
        (void)ninho_filter_copies(filter, hashes[i]);
    }
    CHECK_U64(n_has, n_maybe);
    CHECK_OK(ninho_filter_info(filter, &info));
    while (ninho_filter_next_fingerprint(filter, &cursor, &fingerprint))
        CHECK(++n <= info.n_cells);
    (void)ninho_filter_estimate(filter, &estimate);
    (void)ninho_filter_verify(filter, NULL);
}

/* What can be copied can be changed: so only what is sound can be copied. */
static void change_everything(const ninho_filter *filter)
{
    const ninho_status sound = ninho_filter_verify(filter, NULL);
    ninho_filter *copy = NULL;

    CHECK_STATUS(ninho_filter_copy(filter, NULL, &copy, NULL), sound);
    if (sound)
        return;
    for (uint64_t i = 0; i < 40; i++) {
        (void)ninho_filter_add(copy, mix64(i));
        (void)ninho_filter_remove(copy, mix64(i + 20));
    }
    (void)ninho_filter_union(copy, filter, NULL);
    (void)ninho_filter_clear(copy);
    ninho_filter_free(copy);
}

bool try_bytes(uint8_t *bytes, size_t size)
{
    const ninho_filter *viewed = NULL;
    ninho_filter *decoded = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_view view;

    reseal(bytes, size);
    const ninho_status seen =
        ninho_filter_view(&view, bytes, size, NULL, &viewed, &error);
    if (!seen) {
        ask_everything(viewed);
        change_everything(viewed);
    }
    const ninho_status status = ninho_filter_decode(bytes, size, NULL, &decoded, &error);
    if (status) {
        CHECK(status == NINHO_ERR_FORMAT || status == NINHO_ERR_VERSION ||
              status == NINHO_ERR_KEY_MISSING || status == NINHO_ERR_KEY_UNUSED ||
              status == NINHO_ERR_CHECKSUM);
        CHECK(error.status == status && error.text[0]);
        return true;
    }
    CHECK_OK(seen);
    CHECK_OK(ninho_filter_verify(decoded, NULL));
    size_t again;
    uint8_t *copy = encoded(decoded, &again);
    CHECK(again == size && memcmp(copy, bytes, size) == 0);
    free(copy);
    ninho_filter_free(decoded);
    return false;
}

void try_damage(const ninho_filter *filter, size_t n_random)
{
    size_t size;
    uint8_t *bytes = encoded(filter, &size);
    uint8_t *damaged = malloc(size);
    struct test_rng rng = {test_seed(1)};

    CHECK(damaged);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        memcpy(damaged, bytes, size);
        damaged[bit / 8] ^= (uint8_t)(1 << (bit % 8));
        if (bit / 8 >= 8 &&
            bit / 8 < 12) /* the header's size: reseal() would not find it */
            continue;
        test_where("bit %zu of byte %zu", bit % 8, bit / 8);
        (void)try_bytes(damaged, size);
    }
    for (size_t i = 0; i < n_random; i++) {
        memcpy(damaged, bytes, size);
        for (size_t at = body_of(bytes); at < size; at++) {
            const uint64_t x = rng_next(&rng);
            damaged[at] = (uint8_t)(i % 3 == 0   ? x
                                    : i % 3 == 1 ? x | x >> 8 | x >> 16
                                                 : x & x >> 8);
        }
        test_where("random table %zu", i);
        (void)try_bytes(damaged, size);
    }
    memset(damaged + body_of(bytes), 0xff, size - body_of(bytes));
    (void)try_bytes(damaged, size);
    free(damaged);
    free(bytes);
}

void check_bare(const ninho_filter *filter, const ninho_spec *spec, uint64_t first,
                size_t n)
{
    ninho_spec bare = NINHO_SPEC_INIT;
    ninho_info info = NINHO_INFO_INIT, of_copy = NINHO_INFO_INIT;
    const ninho_filter *viewed = NULL;
    ninho_filter *copy = NULL;
    ninho_view view;
    size_t size;

    CHECK_OK(ninho_filter_info(filter, &info));
    CHECK_STATUS(ninho_filter_encode_bare(filter, NULL, 0, &size), NINHO_ERR_SPACE);
    CHECK(size >= info.table_bytes && size <= info.table_bytes + NH_BARE_TAIL);
    uint8_t *bytes = malloc(size);
    CHECK(bytes);
    CHECK_OK(ninho_filter_encode_bare(filter, bytes, size, NULL));
    bare.kind = spec->kind;
    bare.key_encoding = spec->key_encoding;
    CHECK_OK(ninho_filter_view_bare(&view, &bare, bytes, size, &viewed, NULL));
    CHECK_OK(ninho_filter_verify(viewed, NULL));
    CHECK_OK(ninho_filter_copy(viewed, NULL, &copy, NULL));
    for (uint64_t i = first; i < first + 2 * n; i++) {
        const uint64_t hash = mix64(i);
        CHECK(ninho_filter_has(viewed, hash) == ninho_filter_has(filter, hash));
        CHECK(ninho_filter_has_bare(spec->kind, bytes, size, hash) ==
              ninho_filter_has(filter, hash));
        CHECK_U64(ninho_filter_copies(copy, hash), ninho_filter_copies(filter, hash));
    }
    CHECK_OK(ninho_filter_info(copy, &of_copy));
    CHECK_U64(of_copy.n_cells, info.n_cells);
    CHECK_U64(of_copy.tag_bits, info.tag_bits);
    if (info.can & NINHO_CAN_REMOVE)
        CHECK_U64(of_copy.count, info.count);
    /* framed again, the copy and the view are the same file */
    size_t framed_size;
    uint8_t *framed = encoded(viewed, &framed_size);
    ninho_filter *decoded = NULL;
    CHECK_OK(ninho_filter_decode(framed, framed_size, NULL, &decoded, NULL));
    CHECK_U64(ninho_filter_count(decoded), of_copy.count);
    free(framed);
    ninho_filter_free(decoded);
    ninho_filter_free(copy);
    /* lengths that cannot be ours, or are ours and smaller: never outside */
    for (size_t cut = 0; cut < size && cut < 300; cut++) {
        uint8_t *part = malloc(cut ? cut : 1);
        CHECK(part);
        memcpy(part, bytes + size - cut, cut);
        if (ninho_filter_view_bare(&view, &bare, part, cut, &viewed, NULL) == NINHO_OK)
            ask_everything(viewed);
        free(part);
    }
    free(bytes);
}

void note_step(void *context, const ninho_event *event)
{
    struct steps *steps = context;
    const size_t n = strlen(steps->text), room = sizeof steps->text - n;

    switch (event->type) {
    case NINHO_EVENT_TAG_PLACED:
        snprintf(steps->text + n, room, "+%" PRIu64 ":%" PRIu64 " ", event->to,
                 event->value);
        return;
    case NINHO_EVENT_TAG_MOVED:
        snprintf(steps->text + n, room, ">%" PRIu64 "-%" PRIu64 ":%" PRIu64 " ",
                 event->from, event->to, event->value);
        return;
    case NINHO_EVENT_TAG_REMOVED:
        snprintf(steps->text + n, room, "-%" PRIu64 ":%" PRIu64 " ", event->from,
                 event->value);
        return;
    case NINHO_EVENT_COUNTER_UP:
    case NINHO_EVENT_COUNTER_DOWN:
        snprintf(steps->text + n, room, "#%" PRIu64 "=%" PRIu64 " ", event->to,
                 event->value);
        return;
    case NINHO_EVENT_RESIZED:
        snprintf(steps->text + n, room, "*%" PRIu64 "-%" PRIu64 " ", event->from,
                 event->to);
        return;
    default:
        test_fail(__FILE__, __LINE__, "event of unknown type %d", (int)event->type);
    }
}

void check_steps(struct steps *steps, const char *expected)
{
    if (strcmp(steps->text, expected) != 0)
        test_fail(__FILE__, __LINE__, "steps were \"%s\", not \"%s\"", steps->text,
                  expected);
    steps->text[0] = 0;
}
