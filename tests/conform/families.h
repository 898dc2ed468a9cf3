/* SPDX-License-Identifier: MIT */
/* The list that every conformance test iterates. */
#ifndef NINHO_TEST_FAMILIES_H
#define NINHO_TEST_FAMILIES_H

#include "support/test.h"

struct family {
    const char *name;
    ninho_spec spec; /* all but capacity, fpr, seed and secret, which the tests choose */
    /* Not 0: the table is made by hand, with that many times the bits of the textbook formula,
     * an odd number of them, and k = round(ln 2 * m / n). */
    double bits_by_hand;
    /* Not 0: the kind takes no more keys than max_capacity, which is that many times the capacity
     * (and at least LEAST_ROOM). 1: it is fixed. A cuckoo filter's table does not grow: it is made
     * by hand for so many keys (and at least LEAST_SLOTS). */
    uint64_t room;
};

#define LEAST_ROOM  20000
#define LEAST_SLOTS 300

extern const struct family families[];
extern const size_t n_families;

/* All that keys can be added to. */
#define FOR_EACH_FAMILY_TO_CAPACITY(family) \
    for (const struct family *family = families; family < families + n_families; family++)

/* Those of them that go on past their capacity. */
#define FOR_EACH_FAMILY(family)         \
    FOR_EACH_FAMILY_TO_CAPACITY(family) \
    if (family->room != 1)

/* Those that are only built, from all their keys at once. */
extern const struct family static_families[];
extern const size_t n_static_families;

#define FOR_EACH_STATIC_FAMILY(family)                  \
    for (const struct family *family = static_families; \
         family < static_families + n_static_families; family++)

/* The family's spec for a capacity and an fpr. The secret of a keyed family follows from the
 * seed and lives for ever. */
ninho_spec family_spec(const struct family *family, uint64_t capacity, double fpr,
                       uint64_t seed);

/* Makes one, or fails the test. */
ninho_filter *family_filter(const struct family *family, uint64_t capacity, double fpr,
                            uint64_t seed);

/* A filter of keys first .. first + n - 1, which is all a static family can do. */
ninho_filter *family_built(const struct family *family, uint64_t capacity, double fpr,
                           uint64_t seed, uint64_t first, size_t n);

/* What it can do: NINHO_CAN_*, but for growth in place, which is `room`. */
uint32_t family_can(const struct family *family);

/* Whether keys are tags in places of a few slots: copies of one key soon find no room there, and
 * where a tag lies depends on the order of adds. */
bool family_has_places(const struct family *family);

/* Whether what seems to be there already is not counted again. */
bool family_is_set(const struct family *family);

/* The options that open what family_filter() made. */
ninho_open_options family_open(const struct family *family, uint64_t seed);

/* Key number i as bytes in the family's encoding; its size, or 0 where keys are hashes. */
size_t family_key(const struct family *family, uint64_t i, uint8_t key[16]);

/* The hashes of keys first .. first + n - 1, under the spec's hash, seed and secret. */
void spec_hashes(const ninho_spec *spec, uint64_t first, size_t n, uint64_t *hashes);

/* Absent keys start here; tests add keys below it. */
#define ABSENT (UINT64_C(1) << 40)

/* Adds keys first .. first + n - 1 / fails unless all of them are found. */
void add_range(ninho_filter *filter, const ninho_spec *spec, uint64_t first, size_t n);
void check_range(const ninho_filter *filter, const ninho_spec *spec, uint64_t first,
                 size_t n);

/* How many of these keys are "maybe". */
size_t count_range(const ninho_filter *filter, const ninho_spec *spec, uint64_t first,
                   size_t n);

/* Fails unless both answer alike for members and absent keys, one by one and in batches. */
void check_same_answers(const ninho_filter *a, const ninho_filter *b,
                        const ninho_spec *spec, size_t n);

/* Fails unless both encode to the same bytes. */
void check_same_bytes(const ninho_filter *a, const ninho_filter *b);

#endif
