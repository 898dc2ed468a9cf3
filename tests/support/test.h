/* SPDX-License-Identifier: MIT */
/* What every test program here leans on: cmocka, checks that say where they stood, reproducible
 * keys, an allocator that counts and fails on demand, temporary folders, statistical bounds. */
#ifndef NINHO_TEST_H
#define NINHO_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ninho/ninho.h>

/* ---- Checks that loop bodies can use ------------------------------------------------------- */

/* Says what is being tried, for the message of a check that fails further down. */
void test_where(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fails the running test with a message, the place and what test_where() was told last. */
_Noreturn void test_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void test_check_status(const char *file, int line, const char *call, ninho_status got,
                       ninho_status expected);
void test_check_u64(const char *file, int line, const char *what, uint64_t got,
                    uint64_t expected);

#define CHECK(claim)                                             \
    do {                                                         \
        if (!(claim))                                            \
            test_fail(__FILE__, __LINE__, "not so: %s", #claim); \
    } while (0)
#define CHECK_STATUS(call, expected) \
    test_check_status(__FILE__, __LINE__, #call, (call), (expected))
#define CHECK_OK(call) CHECK_STATUS(call, NINHO_OK)
#define CHECK_U64(what, expected) \
    test_check_u64(__FILE__, __LINE__, #what, (uint64_t)(what), (uint64_t)(expected))

/* ---- How long, and from which seed --------------------------------------------------------- */

/* NINHO_TEST_SCALE in percent: 100 unless the environment says otherwise. */
unsigned test_scale(void);

/* n at the present scale, at least `least`. */
size_t test_scaled(size_t n, size_t least);

/* NINHO_TEST_SEED, or `otherwise`. */
uint64_t test_seed(uint64_t otherwise);

/* ---- Reproducible keys --------------------------------------------------------------------- */

/* The x-th number of splitmix64: distinct for distinct x. */
uint64_t mix64(uint64_t x);

/* A small generator for choices in tests. */
struct test_rng {
    uint64_t state;
};
uint64_t rng_next(struct test_rng *rng);
uint64_t rng_below(struct test_rng *rng, uint64_t n);

/* ---- An allocator that watches ------------------------------------------------------------- */

/* Counts what the library asks for, checks that it gives back what it got, and answers NULL at
 * call number `fail_at` (1 is the next one; 0: never) or above `limit` bytes in one call. */
struct test_heap {
    ninho_alloc alloc;
    size_t n_calls;
    size_t fail_at;
    bool keeps_failing; /* from fail_at on */
    size_t limit;       /* refuse single requests above; 0: none */
    size_t n_refused;
    size_t largest; /* request seen */
    size_t live_blocks;
    size_t live_bytes;
    size_t peak_bytes;
};
void heap_init(struct test_heap *heap);

/* The n-th call from now fails; 0: none does. */
void heap_fail_at(struct test_heap *heap, size_t n);

/* ---- Files --------------------------------------------------------------------------------- */

/* A new folder of this test's own; removed, with the files in it, by temp_dir_remove(). */
struct temp_dir {
    char path[256];
};
void temp_dir_make(struct temp_dir *dir);
void temp_dir_remove(const struct temp_dir *dir);
const char *temp_path(const struct temp_dir *dir, const char *name, char out[512]);
size_t temp_dir_count(const struct temp_dir *dir);

/* Whole files; the result of file_read is the caller's to free(). */
uint8_t *file_read(const char *path, size_t *size);
void file_write(const char *path, const void *bytes, size_t size);
int64_t file_size(const char *path); /* -1 if there is none */

/* How many file descriptors are open; -1 where the system does not tell. */
int open_fd_count(void);

/* ---- Statistics ---------------------------------------------------------------------------- */

/* The most successes in n trials of probability p that chance would give: mean and `sigmas`
 * standard deviations of the binomial (5: wrong once in 3.5 million), and the same below. */
double binomial_high(double n, double p, double sigmas);
double binomial_low(double n, double p, double sigmas);

bool is_near(double got, double expected, double relative);

/* ---- Bytes --------------------------------------------------------------------------------- */

/* The framed encoding of a filter, in a block of exactly its size (so that a sanitizer sees the
 * first byte past it); the caller's to free(). */
uint8_t *encoded(const ninho_filter *filter, size_t *size);

#endif
