/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks -------------------------------------------------------------------------------- */

static char where[256];

void test_where(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(where, sizeof where, format, args);
    va_end(args);
}

_Noreturn void test_fail(const char *file, int line, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fail_msg("%s:%d: [%s] %s", file, line, where, text);
    abort(); /* fail_msg jumps away; compilers are not told */
}

void test_check_status(const char *file, int line, const char *call, ninho_status got,
                       ninho_status expected)
{
    if (got != expected)
        test_fail(file, line, "%s answered \"%s\", expected \"%s\"", call,
                  ninho_status_text(got), ninho_status_text(expected));
}

void test_check_u64(const char *file, int line, const char *what, uint64_t got,
                    uint64_t expected)
{
    if (got != expected)
        test_fail(file, line, "%s is %llu (%#llx), expected %llu (%#llx)", what,
                  (unsigned long long)got, (unsigned long long)got,
                  (unsigned long long)expected, (unsigned long long)expected);
}

/* ---- Scale and seed ------------------------------------------------------------------------ */

unsigned test_scale(void)
{
    const char *text = getenv("NINHO_TEST_SCALE");
    const unsigned long scale = text ? strtoul(text, NULL, 10) : 0;

    return scale >= 1 && scale <= 1000000 ? (unsigned)scale : 100;
}

size_t test_scaled(size_t n, size_t least)
{
    const uint64_t scaled = (uint64_t)n * test_scale() / 100;

    return scaled < least ? least : (size_t)scaled;
}

uint64_t test_seed(uint64_t otherwise)
{
    const char *text = getenv("NINHO_TEST_SEED");

    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* ---- Keys ---------------------------------------------------------------------------------- */

uint64_t mix64(uint64_t x)
{
    return ninho_splitmix64(&x);
}

uint64_t rng_next(struct test_rng *rng)
{
    return ninho_splitmix64(&rng->state);
}

uint64_t rng_below(struct test_rng *rng, uint64_t n)
{
    return rng_next(rng) % n; /* the bias for the small n of tests is below 2^-40 */
}

/* ---- Statistics ---------------------------------------------------------------------------- */

double binomial_high(double n, double p, double sigmas)
{
    return n * p + sigmas * sqrt(n * p * (1 - p));
}

double binomial_low(double n, double p, double sigmas)
{
    return n * p - sigmas * sqrt(n * p * (1 - p));
}

bool is_near(double got, double expected, double relative)
{
    return fabs(got - expected) <= relative * fabs(expected);
}

/* ---- Bytes --------------------------------------------------------------------------------- */

uint8_t *encoded(const ninho_filter *filter, size_t *size)
{
    const size_t n = ninho_filter_encoded_size(filter);
    size_t needed = 0;
    uint8_t *bytes = malloc(n ? n : 1);

    CHECK(bytes);
    CHECK(n > 0);
    CHECK_OK(ninho_filter_encode(filter, bytes, n, &needed));
    CHECK_U64(needed, n);
    *size = n;
    return bytes;
}
