/* SPDX-License-Identifier: MIT */
#include "unit/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "cpu/cpu.h"
#include "filter/ribbon.h"

static uint64_t *some_hashes(size_t n)
{
    uint64_t *hashes = malloc((n + 1) * sizeof *hashes);

    CHECK(hashes);
    for (size_t i = 0; i < n; i++)
        hashes[i] = mix64(i);
    return hashes;
}

static ninho_filter *built(const ninho_spec *spec, const uint64_t *hashes, size_t n)
{
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_filter_build(spec, hashes, n, NULL, &filter, &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
    return filter;
}

/* ---- Geometry ------------------------------------------------------------------------------ */

static void it_is_as_small_as_it_should_be(void **state)
{
    static const struct {
        uint64_t capacity;
        double most; /* of the bound; of the table alone where the header is most of it */
    } sizes[] = {{1000, 1.10}, {10000, 1.02}, {1000000, 1.006}, {10000000, 1.006}};

    (void)state;
    for (uint32_t bits = 4; bits <= 32; bits++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const ninho_spec spec =
                spec_of(NINHO_RIBBON, sizes[i].capacity, ldexp(1, -(int)bits));
            ninho_plan plan = NINHO_PLAN_INIT;
            CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
            const uint64_t size =
                sizes[i].capacity < 1000000 ? plan.table_bytes : plan.size_bytes;
            CHECK(8 * (double)size <= sizes[i].most * bits * (double)sizes[i].capacity);
            CHECK(plan.fpr_expected == spec.fpr);
            CHECK_U64(plan.tag_bits, bits);
        }
}

/* Bits between two whole numbers of columns: the mix of both costs 0.0861 of a bit at the most. */
static void every_rate_gets_its_bits(void **state)
{
    (void)state;
    for (double bits = 1; bits <= 31; bits += 0.0371) {
        const ninho_spec spec = spec_of(NINHO_RIBBON, 1000000, exp2(-bits));
        ninho_plan plan = NINHO_PLAN_INIT;
        CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
        CHECK(plan.fpr_expected <= spec.fpr && plan.fpr_expected > .998 * spec.fpr);
        CHECK(plan.bits_per_key <= 1.002 * bits + 0.0861 + 0.017);
    }
}

static void the_rate_is_that_of_the_mix(void **state)
{
    static const double rates[] = {.5, .3, .1, .01, .003, 0.0004};
    enum { N = 20000, N_ASKED = 1000000 };
    uint64_t *hashes = some_hashes(N);

    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        const ninho_spec spec = spec_of(NINHO_RIBBON, N, rates[i]);
        ninho_filter *filter = built(&spec, hashes, N);
        size_t n_maybe = 0;
        for (uint64_t j = 0; j < N_ASKED; j++)
            n_maybe += ninho_filter_has(filter, mix64(j + (UINT64_C(1) << 40)));
        /* both ends are six deviations away */
        const double sigma = sqrt(N_ASKED * rates[i]);
        CHECK((double)n_maybe < N_ASKED * rates[i] * 1.003 + 6 * sigma);
        CHECK((double)n_maybe > N_ASKED * rates[i] * .98 - 6 * sigma);
        ninho_filter_free(filter);
    }
    free(hashes);
}

/* ---- Keys ---------------------------------------------------------------------------------- */

static void every_width_and_size_finds_its_keys(void **state)
{
    static const size_t sizes[] = {0,  1,    2,    10,   63,   64,
                                   65, 1000, 3483, 3484, 3600, 20000};
    uint64_t *hashes = some_hashes(20000);

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t bits = 1; bits <= 32; bits += sizes[i] > 100 ? 5 : 1)
            for (unsigned mixed = 0; mixed < 2 && bits + mixed <= 32; mixed++) {
                const uint64_t capacity = sizes[i] ? sizes[i] : 1;
                const ninho_spec spec =
                    spec_of(NINHO_RIBBON, capacity, ldexp(mixed ? .8 : 1, -(int)bits));
                ninho_filter *filter = built(&spec, hashes, sizes[i]);
                CHECK_U64(ninho_filter_has_many(filter, hashes, sizes[i], NULL),
                          sizes[i]);
                for (size_t j = 0; j < sizes[i]; j++)
                    CHECK(ninho_filter_has(filter, hashes[j]));
                CHECK_U64(ninho_filter_count(filter), sizes[i]);
                CHECK_OK(ninho_filter_verify(filter, NULL));
                ninho_filter_free(filter);
            }
    free(hashes);
}

static void order_and_copies_do_not_matter(void **state)
{
    enum { N = 9000 };
    const ninho_spec spec = spec_of(NINHO_RIBBON, N, .01);
    uint64_t *hashes = some_hashes(3 * N);
    ninho_filter *plain = built(&spec, hashes, N);

    (void)state;
    for (size_t i = 0; i < N;
         i++) { /* each once forwards, then backwards, then the same one */
        hashes[2 * N - 1 - i] = hashes[i];
        hashes[2 * N + i] = hashes[7];
    }
    ninho_filter *other = built(&spec, hashes + N / 2, 5 * N / 2);
    CHECK_U64(ninho_filter_count(other), N);
    CHECK(memcmp(plain->parts->body, other->parts->body, (size_t)plain->parts->size) ==
          0);
    CHECK_U64(plain->parts->stored[0], other->parts->stored[0]);
    ninho_filter_free(other);
    ninho_filter_free(plain);
    ninho_spec small = spec;
    small.capacity = N - 1;
    ninho_error error = NINHO_ERROR_INIT;
    CHECK_STATUS(ninho_filter_build(&small, hashes, 3 * N, NULL, &other, &error),
                 NINHO_ERR_FULL);
    CHECK(strstr(error.text, "9000 distinct keys"));
    free(hashes);
}

/* ---- Seeds --------------------------------------------------------------------------------- */

static bool no_random(void *bytes, size_t size)
{
    memset(bytes, 0, size);
    return false;
}

static void check_doors(const ninho_filter *filter, const uint64_t *hashes, size_t n)
{
    const ninho_spec spec = spec_of(NINHO_RIBBON, n, .01);
    const ninho_filter *bare = NULL;
    ninho_view view;
    uint8_t *bytes;
    size_t size = 0;

    CHECK_STATUS(ninho_filter_encode_bare(filter, NULL, 0, &size), NINHO_ERR_SPACE);
    CHECK_U64(size, filter->parts->size + 10);
    bytes = malloc(size);
    CHECK(bytes);
    CHECK_OK(ninho_filter_encode_bare(filter, bytes, size, NULL));
    CHECK_OK(ninho_filter_view_bare(&view, &spec, bytes, size, &bare, NULL));
    CHECK_U64(ninho_filter_has_many(bare, hashes, n, NULL), n);
    for (uint64_t i = 0; i < 3000; i++)
        CHECK(ninho_filter_has(bare, mix64(~i)) == ninho_filter_has(filter, mix64(~i)));
    memset(bytes + size - 10, 0, 8); /* a seed of 0 is none */
    CHECK(ninho_filter_view_bare(&view, &spec, bytes, size, &bare, NULL) ==
          NINHO_ERR_FORMAT);
    free(bytes);
}

static void seeds_follow_from_the_keys_and_then_are_random(void **state)
{
    enum { N = 8000 };
    const unsigned n_fixed = nh_ribbon_n_fixed, n_derived = nh_ribbon_n_derived;
    const ninho_spec spec = spec_of(NINHO_RIBBON, N, .01);
    uint64_t *hashes = some_hashes(N);

    (void)state;
    nh_ribbon_n_fixed = 0;
    ninho_filter *first = built(&spec, hashes, N);
    CHECK(first->parts->stored[1] != 0);
    hashes[N - 1] = hashes[0]; /* another set has another seed */
    ninho_filter *other = built(&spec, hashes, N);
    CHECK(first->parts->stored[1] != other->parts->stored[1]);
    check_doors(other, hashes, N);
    nh_ribbon_n_derived = 0;
    ninho_filter *random = built(&spec, hashes, N);
    CHECK(random->parts->stored[1] != other->parts->stored[1]);
    check_doors(random, hashes, N);
    nh_random_instead = no_random;
    ninho_filter *none = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    CHECK_STATUS(ninho_filter_build(&spec, hashes, N, NULL, &none, &error),
                 NINHO_ERR_BUILD);
    CHECK(!none && strstr(error.text, "no random numbers"));
    nh_random_instead = NULL;
    nh_ribbon_n_fixed = n_fixed;
    nh_ribbon_n_derived = n_derived;
    ninho_filter_free(first);
    ninho_filter_free(other);
    ninho_filter_free(random);
    free(hashes);
}

static bool stops_at_zero(void *context)
{
    size_t *left = context;
    return (*left)-- == 0;
}

static void the_caller_can_stop_it_at_any_time(void **state)
{
    enum { N = 9000 };
    ninho_spec spec = spec_of(NINHO_RIBBON, N, .01);
    uint64_t *hashes = some_hashes(N);
    size_t n_stopped = 0;

    (void)state;
    spec.is_stopped = stops_at_zero;
    for (size_t after = 0;; after++) {
        ninho_filter *filter = NULL;
        size_t left = after;
        ninho_error error = NINHO_ERROR_INIT;
        spec.stop_context = &left;
        const ninho_status status =
            ninho_filter_build(&spec, hashes, N, NULL, &filter, &error);
        ninho_filter_free(filter);
        if (!status)
            break;
        CHECK_STATUS(status, NINHO_ERR_BUILD);
        CHECK(strstr(error.text, "stopped"));
        n_stopped++;
    }
    CHECK(n_stopped >= 4);
    free(hashes);
}

/* ---- The observer -------------------------------------------------------------------------- */

struct told {
    size_t n_rows, n_bumped, n_tables;
    uint64_t n_slots;
    uint8_t begins[1 << 16];
};

static void watch(void *context, const ninho_event *event)
{
    struct told *told = context;

    if (event->type == NINHO_EVENT_RESIZED) {
        told->n_slots = event->to;
        told->n_tables++;
    } else if (event->type == NINHO_EVENT_TAG_PLACED) {
        CHECK(event->to < told->n_slots && !told->begins[event->to]);
        told->begins[event->to] = 1;
        told->n_rows++;
    } else if (event->type == NINHO_EVENT_TAG_REMOVED) {
        CHECK(told->begins[event->from]);
        told->begins[event->from] = 0;
        told->n_rows--;
    } else {
        CHECK(event->type == NINHO_EVENT_TAG_MOVED && event->from < event->to);
        told->n_bumped++;
    }
}

static void every_key_is_told_a_row(void **state)
{
    enum { N = 20000 };
    static struct told told;
    ninho_spec spec = spec_of(NINHO_RIBBON, N, 0x1p-20);
    uint64_t *hashes = some_hashes(N);

    (void)state;
    spec.observer = watch;
    spec.observer_context = &told;
    ninho_filter *filter = built(&spec, hashes, N);
    CHECK_U64(told.n_tables, 1);
    CHECK_U64(told.n_slots, filter->parts->n_cells);
    CHECK_U64(told.n_rows, N); /* at 20 columns no row follows from others by chance */
    CHECK(told.n_bumped > N / 40 && told.n_bumped < N / 10);
    ninho_filter_free(filter);
    free(hashes);
}

/* ---- Kernels ------------------------------------------------------------------------------- */

static const struct nh_ribbon_kernel *kernels[3];
static size_t n_kernels;

static void find_kernels(void)
{
    kernels[n_kernels++] = &nh_ribbon_scalar;
#if NH_CPU_IS_X86
    if (nh_cpu_has(NH_CPU_AVX2))
        kernels[n_kernels++] = &nh_ribbon_avx2;
    if (nh_cpu_has(NH_CPU_VPOPCNT))
        kernels[n_kernels++] = &nh_ribbon_avx512;
#endif
}

/* A table of any bytes, thresholds included, in a block of exactly its size, so that a sanitizer sees
 * the first byte past it. */
static struct nh_part random_part(uint64_t n_blocks, struct nh_ribbon_word word,
                                  struct test_rng *rng)
{
    struct nh_part part = {.n_cells = 64 * n_blocks,
                           .stored = {nh_ribbon_pack(word)},
                           .size = nh_ribbon_bytes(n_blocks, word.bits, word.share)};

    part.body = malloc((size_t)part.size);
    CHECK(part.body);
    for (uint64_t i = 0; i < part.size; i++)
        part.body[i] = (uint8_t)rng_next(rng);
    part.cached.ribbon = nh_ribbon_shape_of(&part);
    return part;
}

/* The definition, bit by bit. */
static bool has_by_definition(const struct nh_part *part, uint64_t hash)
{
    const ninho_ribbon_shape_ *const s = &part->cached.ribbon;
    ninho_ribbon_row_ row;

    if (!ninho_ribbon_first_row_(part->body, s, hash, &row))
        row = ninho_ribbon_later_row_(part->body, s, hash);
    const uint64_t block = row.start / 64;
    const unsigned width = s->bits + (block + 1 < s->n_wide);
    for (unsigned column = 0; column < width; column++) {
        unsigned sum = 0;
        for (uint64_t i = 0; i < 64; i++) {
            const uint64_t slot = row.start + i, b = slot / 64;
            const uint64_t word = b * s->bits + (b < s->n_wide ? b : s->n_wide) + column;
            sum ^= (unsigned)(row.mask >> i & 1) &
                   (unsigned)(part->body[8 * word + slot % 64 / 8] >> slot % 8 & 1);
        }
        if (sum != (row.wanted >> column & 1))
            return false;
    }
    return true;
}

static void kernels_answer_as_the_definition_does(void **state)
{
    enum { N = 333 };
    static const uint64_t sizes[] = {2, 3, 17, 55, 56, 57, 99, 1300};
    struct test_rng rng = {7};
    uint64_t hashes[N], maybe[(N + 63) / 64], expected[(N + 63) / 64];

    (void)state;
    for (unsigned bits = 1; bits <= 32; bits++)
        for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
            const unsigned share =
                i % 2 && bits < 32 ? 1 + (unsigned)rng_next(&rng) % 1023 : 0;
            const struct nh_ribbon_word word = {bits, (unsigned)i, 9, share};
            struct nh_part part = random_part(sizes[i / 2], word, &rng);
            const bool is_narrow = bits + (share != 0) <= 8;
            memset(expected, 0, sizeof expected);
            for (size_t j = 0; j < N; j++) {
                hashes[j] = rng_next(&rng);
                expected[j / 64] |= (uint64_t)has_by_definition(&part, hashes[j])
                                    << j % 64;
            }
            for (size_t k = 0; k < n_kernels; k++) {
                memset(maybe, 0, sizeof maybe);
                kernels[k]->has_many(&part, hashes, N, maybe);
                CHECK(memcmp(maybe, expected, sizeof maybe) == 0);
                for (size_t j = 0; j < N; j++) {
                    const bool has = expected[j / 64] >> j % 64 & 1;
                    CHECK(kernels[k]->has_wide(&part, hashes[j]) == has);
                    CHECK(!is_narrow || kernels[k]->has_mixed(&part, hashes[j]) == has);
                    CHECK(!is_narrow || share ||
                          kernels[k]->has_narrow(&part, hashes[j]) == has);
                }
            }
            free(part.body);
        }
}

static void kernels_solve_alike(void **state)
{
    struct test_rng rng = {8};
    uint64_t masks[64], columns[32], first[32], before[32];
    uint32_t results[64];

    (void)state;
    for (unsigned width = 1; width <= 32; width++) {
        for (unsigned i = 0; i < 64; i++) {
            masks[i] = rng_next(&rng) % 8 ? rng_next(&rng) | 1 : 0;
            results[i] = (uint32_t)rng_next(&rng);
        }
        for (unsigned i = 0; i < 32; i++)
            before[i] = rng_next(&rng);
        for (size_t k = 0; k < n_kernels; k++) {
            memcpy(columns, before, sizeof columns);
            kernels[k]->solve(masks, results, width, columns);
            if (k == 0)
                memcpy(first, columns, sizeof first);
            CHECK(memcmp(first, columns, width * sizeof *first) == 0);
        }
        for (unsigned slot = 0; slot < 64;
             slot++) /* every row adds up to what it should */
            for (unsigned c = 0; c < width && masks[slot]; c++) {
                const uint64_t reach =
                    first[c] >> slot | (slot ? before[c] << (64 - slot) : 0);
                CHECK_U64(nh_popcount(reach & masks[slot]) % 2, results[slot] >> c & 1);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_as_small_as_it_should_be),
        cmocka_unit_test(every_rate_gets_its_bits),
        cmocka_unit_test(the_rate_is_that_of_the_mix),
        cmocka_unit_test(every_width_and_size_finds_its_keys),
        cmocka_unit_test(order_and_copies_do_not_matter),
        cmocka_unit_test(seeds_follow_from_the_keys_and_then_are_random),
        cmocka_unit_test(the_caller_can_stop_it_at_any_time),
        cmocka_unit_test(every_key_is_told_a_row),
        cmocka_unit_test(kernels_answer_as_the_definition_does),
        cmocka_unit_test(kernels_solve_alike),
    };

    find_kernels();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
