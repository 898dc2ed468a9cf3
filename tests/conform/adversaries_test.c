/* SPDX-License-Identifier: MIT */
/* Every kind under keys that were chosen for the public hash, and under the same keys with a secret.
 * What it prints is the table of docs/adversaries.md. Times are printed, and not judged. */
#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bits.h"
#include "filter/ops.h"
#include "filter/probe.h"
#include "filter/ribbon.h"
#include "support/chosen.h"

enum { CAPACITY = 300000, N_ASKED = 200000, N_TRIED = 64 };

static const uint8_t secret[NINHO_SECRET_BYTES] = "nobody knows it";

/* Seconds of the processor's. */
static double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* ---- What the enemy of each kind does ------------------------------------------------------ */

/* Of some candidates the one that sets the most new bits, so that bits are never wasted: the worst
 * for the rate of a Bloom filter. */
struct bits {
    uint8_t *are_set;
    const struct nh_part *part;
    struct test_rng rng;
};

static unsigned places_of(const struct nh_part *part, ninho_kind kind, uint64_t hash,
                          uint64_t places[NH_MAX_K])
{
    static const uint32_t salt[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                     0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

    for (unsigned i = 0; i < part->n_hashes; i++) {
        if (kind == NINHO_BLOCKED)
            places[i] = 256 * ((hash >> 32) * part->n_cells >> 32) + 32 * i +
                        ((uint32_t)hash * salt[i] >> 27);
        else
            places[i] = nh_reduce(hash, part->n_cells);
        if (kind != NINHO_BLOCKED)
            hash = nh_probe_next(hash);
    }
    return part->n_hashes;
}

static uint64_t with_most_bits(struct bits *bits, ninho_kind kind)
{
    uint64_t places[NH_MAX_K], best = 0;
    unsigned most = 0;

    for (unsigned i = 0; i < N_TRIED; i++) {
        const uint64_t hash = rng_next(&bits->rng);
        const unsigned k = places_of(bits->part, kind, hash, places);
        unsigned n_new = 1;
        for (unsigned j = 0; j < k; j++)
            n_new += !bits->are_set[places[j]];
        if (n_new > most) {
            most = n_new;
            best = hash;
        }
    }
    const unsigned k = places_of(bits->part, kind, best, places);
    for (unsigned j = 0; j < k; j++)
        bits->are_set[places[j]] = 1;
    return best;
}

/* As near to each other as fingerprints or signatures let them differ; for cuckoo one first place. */
static uint64_t neighbour(ninho_kind kind, const struct nh_part *part, uint64_t i)
{
    return i << (kind == NINHO_COMPACT ? 64 - (part->stored[0] & 0xff) : 28);
}

/* Built at once from all its keys. */
static bool is_static(ninho_kind kind)
{
    return !(ninho_kind_can(kind) & NINHO_CAN_ADD);
}

/* A share of the keys for each of the fixed seeds, all of whose rows start near slot 0 under it: they are
 * bumped, and are more than the zones after the first hold. The hashes that come to these rows are
 * found by mixing backwards. */
static void chosen_for_ribbon(size_t n, uint64_t *hashes)
{
    uint64_t inverse = NINHO_FUSE_FIRST_FACTOR_;

    for (unsigned i = 0; i < 5; i++) /* of the factor; each step doubles the right bits */
        inverse *= 2 - NINHO_FUSE_FIRST_FACTOR_ * inverse;
    for (size_t i = 0; i < n; i++) {
        uint64_t x = mix64(i) >> 20;
        x ^= x >> 32;
        hashes[i] =
            (x * inverse) ^ ninho_ribbon_turn_(0, (unsigned)i % nh_ribbon_n_fixed);
    }
}

static uint64_t *chosen_for(ninho_kind kind, const struct nh_part *part)
{
    uint64_t *hashes = malloc(CAPACITY * sizeof *hashes);
    struct bits bits = {calloc(CAPACITY, 64), part, {1}};

    CHECK(hashes && bits.are_set);
    for (uint64_t i = 0; i < CAPACITY; i++) {
        if (kind == NINHO_BLOOM || kind == NINHO_COUNTING || kind == NINHO_BLOCKED)
            hashes[i] = with_most_bits(&bits, kind);
        else
            hashes[i] = is_static(kind) ? mix64(i) : neighbour(kind, part, i);
    }
    if (kind == NINHO_RIBBON)
        chosen_for_ribbon(CAPACITY, hashes);
    if (kind == NINHO_FUSE)
        chosen_for_fuse(CAPACITY, 3, hashes);
    free(bits.are_set);
    return hashes;
}

/* ---- Filters ------------------------------------------------------------------------------- */

struct result {
    uint64_t n_added;
    double ns_per_key;
    double fpr;
};

static ninho_filter *filled(const ninho_spec *spec, const uint64_t *hashes,
                            struct result *result)
{
    ninho_filter *filter = NULL;
    size_t n_added = 0;
    const double start = now();

    if (is_static(spec->kind)) {
        CHECK_OK(ninho_filter_build(spec, hashes, CAPACITY, NULL, &filter, NULL));
        n_added = CAPACITY;
    } else {
        CHECK_OK(ninho_filter_create(spec, NULL, &filter, NULL));
        const ninho_status status =
            ninho_filter_add_many(filter, hashes, CAPACITY, &n_added);
        CHECK(!status || status == NINHO_ERR_FULL);
    }
    result->ns_per_key = (now() - start) * 1e9 / (double)(n_added + (n_added < CAPACITY));
    result->n_added = n_added;
    return filter;
}

/* Keys of nobody's choice that were not added. */
static double rate_of(const ninho_filter *filter)
{
    uint64_t n_maybe = 0;

    for (uint64_t i = 0; i < N_ASKED; i++)
        n_maybe += ninho_filter_has(filter, mix64(UINT64_MAX / 2 + i));
    return (double)n_maybe / N_ASKED;
}

static void print_result(const char *name, const char *keys, const struct result *result)
{
    printf("| `%s` | %s | %" PRIu64 " | %.2f %% | %.0f |\n", name, keys, result->n_added,
           100 * result->fpr, result->ns_per_key);
}

static struct result try_kind(ninho_kind kind, bool is_keyed)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    struct result result = {0, 0, 0};
    struct nh_geometry geometry;
    ninho_spec read;

    spec.kind = kind;
    spec.capacity = CAPACITY;
    spec.fpr = .01;
    spec.key_encoding = NINHO_KEY_INT64;
    spec.arity = kind == NINHO_FUSE ? 3 : 0;
    CHECK_OK(nh_read_spec(&spec, &read, NULL));
    CHECK_OK(nh_plan_geometry(&read, &geometry, NULL));
    uint64_t *hashes = chosen_for(kind, &geometry.first);
    if (is_keyed) { /* the same keys */
        ninho_hasher hasher = {.id = NINHO_HASH_SIPHASH};
        memcpy(hasher.secret, secret, sizeof secret);
        for (size_t i = 0; i < CAPACITY; i++)
            hashes[i] = ninho_hash_int64(&hasher, chosen_int64(hashes[i]));
        spec.hash = NINHO_HASH_SIPHASH;
        spec.secret = secret;
    }
    ninho_filter *filter = filled(&spec, hashes, &result);
    result.fpr = rate_of(filter);
    print_result(ninho_kind_name(kind), is_keyed ? "chosen, siphash" : "chosen", &result);
    ninho_filter_free(filter);
    free(hashes);
    return result;
}

static void a_secret_takes_all_power_from_chosen_keys(void **state)
{
    (void)state;
    printf("| kind | keys | added of %d | fpr | ns a key |\n", CAPACITY);
    printf("| --- | --- | ---: | ---: | ---: |\n");
    for (size_t i = 0; ninho_kind_at(i); i++) {
        const ninho_kind kind = ninho_kind_at(i);
        if (kind == NINHO_SCALABLE)
            continue; /* as its base */
        const struct result open = try_kind(kind, false), keyed = try_kind(kind, true);
        const double promised = binomial_high(N_ASKED, .011, 5) / N_ASKED;
        CHECK_U64(keyed.n_added, CAPACITY);
        CHECK(keyed.fpr <= promised);
        if (kind == NINHO_BLOOM || kind == NINHO_COUNTING)
            CHECK(open.fpr > .05 && open.n_added == CAPACITY);
        else if (kind != NINHO_BLOCKED)
            CHECK(open.fpr <= promised);
        if (is_static(kind))
            CHECK_U64(open.n_added, CAPACITY);
    }
}

/* ---- Dictionaries -------------------------------------------------------------------------- */

static double fill_dict(ninho_dict_kind kind, bool is_keyed, bool is_chosen)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;
    uint8_t key[32] = {0};

    spec.kind = kind;
    spec.hash = is_keyed ? NINHO_HASH_SIPHASH : 0;
    spec.secret = is_keyed ? secret : NULL;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    const double start = now();
    for (uint64_t i = 0; i < CAPACITY; i++) {
        if (is_chosen)
            chosen_colliding(i, key);
        else
            memcpy(key, &i, sizeof i);
        CHECK_OK(ninho_dict_put(dict, key, sizeof key, i, NULL));
    }
    const double ns = (now() - start) * 1e9 / CAPACITY;
    CHECK_U64(ninho_dict_count(dict), CAPACITY);
    ninho_dict_free(dict);
    return ns;
}

static void dictionaries_take_colliding_keys(void **state)
{
    (void)state;
    printf("| kind | other keys, ns | colliding, ns | colliding, siphash, ns |\n");
    printf("| --- | ---: | ---: | ---: |\n");
    for (size_t i = 0; ninho_dict_kind_at(i); i++) {
        const ninho_dict_kind kind = ninho_dict_kind_at(i);
        printf("| `%s` | %.0f | %.0f | %.0f |\n", ninho_dict_kind_name(kind),
               fill_dict(kind, false, false), fill_dict(kind, false, true),
               fill_dict(kind, true, true));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_secret_takes_all_power_from_chosen_keys),
        cmocka_unit_test(dictionaries_take_colliding_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
