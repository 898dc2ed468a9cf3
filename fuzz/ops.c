/* SPDX-License-Identifier: MIT */
/* The input is a program: its first bytes choose a filter, each further one an operation and a
 * key. An exact multiset of 64 keys runs beside it, and after every operation the rule of rule.h
 * holds. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/ninho.h>

#include "rule.h"

enum { N_KEYS = 64, MAX_STEPS = 18 };

struct twin {
    ninho_filter *filter;
    uint32_t copies[N_KEYS];
    uint32_t can;
    bool can_be_full; /* an add or a union may be refused for want of room */
};

static uint64_t hash_of(unsigned key)
{
    uint64_t state = key;

    return ninho_splitmix64(&state);
}

static void check_all(const struct twin *twin)
{
    uint64_t hashes[N_KEYS], maybe[1];

    for (unsigned key = 0; key < N_KEYS; key++)
        hashes[key] = hash_of(key);
    ninho_filter_has_many(twin->filter, hashes, N_KEYS, maybe);
    for (unsigned key = 0; key < N_KEYS; key++) {
        MUST(!twin->copies[key] || (maybe[0] >> key & 1));
        if (key % 8 == 0)
            MUST((maybe[0] >> key & 1) == ninho_filter_has(twin->filter, hashes[key]));
    }
}

static void remove_one(struct twin *twin, unsigned key)
{
    const bool can = twin->can & NINHO_CAN_REMOVE;

    if (can && !twin->copies[key] && ninho_filter_has(twin->filter, hash_of(key)))
        return; /* a false positive, which nobody may remove */
    const ninho_status status = ninho_filter_remove(twin->filter, hash_of(key));
    MUST(status == (!can                ? NINHO_ERR_UNSUPPORTED
                    : twin->copies[key] ? NINHO_OK
                                        : NINHO_ERR_NOT_FOUND));
    twin->copies[key] -= status == NINHO_OK;
}

static void unite_with_itself(struct twin *twin)
{
    const ninho_status status = ninho_filter_union(twin->filter, twin->filter, NULL);

    if (status == NINHO_ERR_FULL && twin->can_be_full)
        return;
    MUST(status == (twin->can & NINHO_CAN_UNION ? NINHO_OK : NINHO_ERR_UNSUPPORTED));
    if (status == NINHO_OK && twin->can & NINHO_CAN_REMOVE)
        for (unsigned key = 0; key < N_KEYS; key++)
            if (twin->copies[key] <
                1000) /* fewer than there are is always safe to claim */
                twin->copies[key] *= 2;
}

/* Adds key, key + 1, ... up to n of them; those before a refusal are in. */
static void add_keys(struct twin *twin, unsigned key, size_t n)
{
    uint64_t hashes[5];
    size_t n_added = 0;

    for (unsigned i = 0; i < n; i++)
        hashes[i] = hash_of((key + i) % N_KEYS);
    const ninho_status status = ninho_filter_add_many(twin->filter, hashes, n, &n_added);
    MUST(status == NINHO_OK
             ? n_added == n
             : status == NINHO_ERR_FULL && twin->can_be_full && n_added < n);
    for (unsigned i = 0; i < n_added; i++)
        twin->copies[(key + i) % N_KEYS]++;
}

static void add_one(struct twin *twin, unsigned key)
{
    const ninho_status status = ninho_filter_add(twin->filter, hash_of(key));

    MUST(status == NINHO_OK || (status == NINHO_ERR_FULL && twin->can_be_full));
    twin->copies[key] += status == NINHO_OK;
}

static void step(struct twin *twin, unsigned what, unsigned key)
{
    ninho_filter *other = NULL;

    switch (what) {
    case 0:
        add_one(twin, key);
        return;
    case 1:
        remove_one(twin, key);
        return;
    case 2:
        add_keys(twin, key, 5);
        return;
    default:
        break;
    }
    switch (key % 8) { /* the rarer ones share a number */
    case 0:
        MUST(ninho_filter_clear(twin->filter) == NINHO_OK);
        memset(twin->copies, 0, sizeof twin->copies);
        return;
    case 1:
        other = recoded(twin->filter, NULL);
        break;
    case 2:
        MUST(ninho_filter_copy(twin->filter, NULL, &other, NULL) == NINHO_OK);
        break;
    case 3:
        unite_with_itself(twin);
        return;
    case 4:
        MUST(ninho_filter_set_meta(twin->filter, "k", key & 8 ? "v" : NULL) == NINHO_OK);
        return;
    default:
        check_all(twin);
        return;
    }
    ninho_filter_free(twin->filter);
    twin->filter = other;
}

/* The number-th kind that can add, counted around. */
static ninho_kind kind_that_adds(unsigned number)
{
    size_t n = 1; /* there is one at least */

    while (ninho_kind_at(n))
        n++;
    size_t i = number % n;
    while (!(ninho_kind_can(ninho_kind_at(i)) & NINHO_CAN_ADD))
        i = (i + 1) % n;
    return ninho_kind_at(i);
}

/* A cuckoo filter's choices, a bit for each, or what the planner takes. */
static void choose(ninho_spec *spec, unsigned bits)
{
    spec->slots = bits & 1 ? NINHO_BUCKETS : NINHO_WINDOWS;
    spec->place_slots = 2 + (bits >> 1) % 3;
    spec->choice = bits & 8 ? NINHO_CHOICE_RANDOM : NINHO_CHOICE_EMPTIER;
    spec->search = bits & 16 ? NINHO_SEARCH_WALK : NINHO_SEARCH_BFS;
    spec->pairing = bits & 32 && spec->kind == NINHO_CUCKOO ? NINHO_PAIRING_XOR
                                                            : NINHO_PAIRING_OFFSET;
    if (spec->kind == NINHO_CUCKOO &&
        bits % 64 == 63) { /* of 64 choices this is one more */
        spec->place_slots = 4;
        spec->pairing = NINHO_PAIRING_NEAR;
    }
    spec->semantics = bits & 64 ? NINHO_SET : NINHO_MULTISET;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct twin twin = {.filter = NULL};
    ninho_spec spec = NINHO_SPEC_INIT;

    if (size < 3)
        return 0;
    spec.kind = kind_that_adds(bytes[0] & 63);
    spec.key_encoding = NINHO_KEY_HASHES;
    spec.capacity = 1 + bytes[1] % 50;
    spec.fpr = (1 + bytes[2] % 99) / 100.;
    if (spec.kind == NINHO_SCALABLE && bytes[0] & 64)
        spec.base = bytes[2] & 128 ? NINHO_CUCKOO : NINHO_BLOOM;
    if ((spec.kind == NINHO_CUCKOO && bytes[0] & 64) || spec.base == NINHO_CUCKOO)
        choose(&spec, bytes[2]);
    if (spec.kind == NINHO_BLOOM && bytes[0] & 64)
        spec.n_bits = 1 + bytes[2];
    if (spec.n_bits)
        spec.fpr = 0;
    if ((spec.kind == NINHO_QUOTIENT || spec.kind == NINHO_COMPACT) && bytes[0] & 64)
        spec.max_capacity = 5 * spec.capacity;
    MUST(ninho_filter_create(&spec, NULL, &twin.filter, NULL) == NINHO_OK);
    ninho_info info = NINHO_INFO_INIT;
    MUST(ninho_filter_info(twin.filter, &info) == NINHO_OK);
    twin.can = info.can;
    twin.can_be_full =
        spec.kind == NINHO_CUCKOO || spec.base == NINHO_CUCKOO ||
        !(ninho_kind_can(spec.kind) & (NINHO_CAN_GROW | NINHO_CAN_OVERFILL));
    for (size_t i = 3; i < size && i < 3 + MAX_STEPS; i++) {
        step(&twin, bytes[i] >> 6, bytes[i] & 63);
        must_come_back(twin.filter, NULL);
    }
    check_all(&twin);
    MUST(ninho_filter_verify(twin.filter, NULL) == NINHO_OK);
    ninho_filter_free(twin.filter);
    return 0;
}
