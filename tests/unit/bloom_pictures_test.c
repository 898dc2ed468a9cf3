/* SPDX-License-Identifier: MIT */
/* The two pictures with which Bloom filters are taught, replayed bit by bit through the observer.
 *
 *   1. m = 16, k = 3, S = {x, y}:  z is found absent at a bit that is 0, and w is a false
 *      positive: its three bits are 1, set by x and y between them.
 *
 *             x        y                    z        w
 *           / | \    / | \                / | \    / | \
 *          .  .  .  .  .  .              .  .  .  .  .  .
 *      0 1 0 0 1 0 0 1 ... bits            a 0 here     only 1s
 *
 *   2. m = 18, k = 3, x, y and z are in; w has a bit at 0 and is out.
 *
 * The keys are hashes that the caller gives (key encoding "hashes"). Which ones is found by search:
 * the first numbers whose places make the picture, so that nothing here leans on a lucky constant. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BITS = 32, K = 3 };

struct picture {
    ninho_filter *filter;
    unsigned n_bits;
    unsigned bits[MOST_BITS]; /* as the events paint them */
    unsigned places[K];       /* of the last add */
    unsigned before[K];       /* what they held */
    unsigned n_places;
};

static void watch(void *context, const ninho_event *event)
{
    struct picture *picture = context;

    CHECK(event->type == NINHO_EVENT_BIT_SET);
    CHECK(event->to < picture->n_bits);
    CHECK(picture->n_places < K);
    CHECK_U64(event->value, picture->bits[event->to]);
    picture->places[picture->n_places] = (unsigned)event->to;
    picture->before[picture->n_places] = (unsigned)event->value;
    picture->n_places++;
    picture->bits[event->to] = 1;
}

static void begin(struct picture *picture, unsigned n_bits, uint64_t capacity)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    memset(picture, 0, sizeof *picture);
    picture->n_bits = n_bits;
    spec.kind = NINHO_BLOOM;
    spec.key_encoding = NINHO_KEY_HASHES;
    spec.capacity = capacity;
    spec.n_bits = n_bits;
    spec.n_hashes = K;
    spec.observer = watch;
    spec.observer_context = picture;
    CHECK_OK(ninho_filter_create(&spec, NULL, &picture->filter, NULL));
}

static void add(struct picture *picture, uint64_t hash)
{
    picture->n_places = 0;
    CHECK_OK(ninho_filter_add(picture->filter, hash));
    CHECK_U64(picture->n_places, K);
}

/* The table as the file holds it is the table that was painted. */
static void check_painting(const struct picture *picture)
{
    uint8_t bare[MOST_BITS / 8 + 2];
    size_t size;

    CHECK_OK(ninho_filter_encode_bare(picture->filter, bare, sizeof bare, &size));
    CHECK_U64(size, (picture->n_bits + 7) / 8 + 2);
    CHECK_U64(bare[size - 2], K);
    CHECK_U64(bare[size - 1], 8 * (size - 2) - picture->n_bits);
    for (unsigned bit = 0; bit < 8 * (size - 2); bit++)
        CHECK_U64(bare[bit / 8] >> (bit % 8) & 1,
                  bit < picture->n_bits ? picture->bits[bit] : 0);
}

/* The three places of a hash in a table of that size, seen through the observer. */
static void places_of(unsigned n_bits, uint64_t hash, unsigned places[K])
{
    struct picture blank;

    begin(&blank, n_bits, 2);
    add(&blank, hash);
    memcpy(places, blank.places, sizeof blank.places);
    ninho_filter_free(blank.filter);
}

static bool are_distinct(const unsigned places[K])
{
    return places[0] != places[1] && places[1] != places[2] && places[0] != places[2];
}

static unsigned n_ones(const struct picture *picture, const unsigned places[K])
{
    return picture->bits[places[0]] + picture->bits[places[1]] + picture->bits[places[2]];
}

/* The first hash from `*next` on with three places of its own, of which exactly `n` hold a 1. */
static uint64_t search(const struct picture *picture, uint64_t *next, unsigned n)
{
    for (;;) {
        unsigned places[K];
        const uint64_t hash = mix64((*next)++);
        places_of(picture->n_bits, hash, places);
        if (are_distinct(places) && n_ones(picture, places) == n)
            return hash;
        CHECK(*next < 1000000);
    }
}

static unsigned count(const struct picture *picture)
{
    unsigned n = 0;

    for (unsigned bit = 0; bit < picture->n_bits; bit++)
        n += picture->bits[bit];
    return n;
}

static void two_keys_in_sixteen_bits(void **state)
{
    struct picture picture;
    uint64_t next = 1;
    double n_keys = 0;

    (void)state;
    test_where("m = 16");
    begin(&picture, 16, 2);
    check_painting(&picture);
    const uint64_t x = search(&picture, &next, 0);
    CHECK(!ninho_filter_has(picture.filter, x));
    add(&picture, x);
    CHECK_U64(count(&picture), 3);
    CHECK(picture.before[0] + picture.before[1] + picture.before[2] == 0);
    check_painting(&picture);

    /* y shares one bit with x, as in the drawing: five bits are set, not six */
    const uint64_t y = search(&picture, &next, 1);
    CHECK(!ninho_filter_has(picture.filter, y));
    add(&picture, y);
    CHECK_U64(count(&picture), 5);
    CHECK_U64(picture.before[0] + picture.before[1] + picture.before[2], 1);
    check_painting(&picture);

    CHECK(ninho_filter_has(picture.filter, x) && ninho_filter_has(picture.filter, y));
    /* z: two of its bits are 1, the third is 0, and that proves it absent */
    const uint64_t z = search(&picture, &next, 2);
    CHECK(!ninho_filter_has(picture.filter, z));
    /* w: never added, all three bits 1: a false positive */
    const uint64_t w = search(&picture, &next, 3);
    CHECK(w != x && w != y);
    CHECK(ninho_filter_has(picture.filter, w));
    CHECK_U64(ninho_filter_count(picture.filter), 2);
    CHECK_OK(ninho_filter_estimate(picture.filter, &n_keys));
    CHECK(n_keys > 1.5 && n_keys < 2.5); /* ln(1 - 5/16) / (3 ln(1 - 1/16)) = 1.94 */
    /* to add w changes nothing */
    add(&picture, w);
    CHECK_U64(count(&picture), 5);
    CHECK_U64(picture.before[0] + picture.before[1] + picture.before[2], 3);
    check_painting(&picture);
    ninho_filter_free(picture.filter);
}

static void three_keys_in_eighteen_bits(void **state)
{
    struct picture picture;
    uint64_t next = 1, keys[3];

    (void)state;
    test_where("m = 18");
    begin(&picture, 18, 3);
    for (unsigned i = 0; i < 3; i++) {
        keys[i] = search(&picture, &next, i == 2 ? 1 : 0); /* z meets one bit of x or y */
        CHECK(!ninho_filter_has(picture.filter, keys[i]));
        add(&picture, keys[i]);
        check_painting(&picture);
    }
    CHECK_U64(count(&picture), 8);
    for (unsigned i = 0; i < 3; i++)
        CHECK(ninho_filter_has(picture.filter, keys[i]));
    const uint64_t w = search(&picture, &next, 2); /* two bits are 1, one is 0 */
    CHECK(!ninho_filter_has(picture.filter, w));
    CHECK_U64(ninho_filter_count(picture.filter), 3);
    ninho_filter_free(picture.filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_keys_in_sixteen_bits),
        cmocka_unit_test(three_keys_in_eighteen_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
