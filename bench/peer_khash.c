/* SPDX-License-Identifier: MIT */
/* The peer khash (Debian: libhts-dev): open addressing in C, made by macros. Its sets of strings
 * hold pointers only; here each string is copied for it, since every other set owns its keys. */
#include "sets.h"

#ifdef HAVE_KHASH
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <htslib/khash.h>
KHASH_SET_INIT_INT64(numbers)
/* The analyser does not see that a place marked as deleted is not read again. */
KHASH_SET_INIT_STR(strings) /* NOLINT(clang-analyzer-unix.Malloc) */
#pragma GCC diagnostic pop

/* A table is at most this full (khash.h says so of itself). */
#define KHASH_LOAD 0.77

static khint_t buckets_for(size_t n)
{
    const double n_buckets = (double)n / KHASH_LOAD + 1;

    if (n_buckets > (double)(UINT32_MAX / 2))
        die("khash: %zu keys are too many for its 32-bit sizes", n);
    return (khint_t)n_buckets;
}

/* ---- Numbers ------------------------------------------------------------------------------- */

static void *create_of_numbers(unsigned kind)
{
    (void)kind;
    return kh_init(numbers);
}

static void destroy_numbers(void *set)
{
    kh_destroy(numbers, set);
}

static void reserve_numbers(void *set, size_t n)
{
    if (kh_resize(numbers, set, buckets_for(n)) < 0)
        die("khash: no memory for %zu keys", n);
}

static size_t insert_numbers(void *set, const struct set_keys *keys)
{
    size_t n_new = 0;

    for (size_t i = 0; i < keys->n; i++) {
        int result;
        kh_put(numbers, set, keys->numbers[i], &result);
        n_new += result > 0;
    }
    return n_new;
}

static size_t find_numbers(const void *set, const struct set_keys *keys)
{
    const khash_t(numbers) *table = set;
    size_t n_found = 0;

    for (size_t i = 0; i < keys->n; i++)
        n_found += kh_get(numbers, table, keys->numbers[i]) != kh_end(table);
    return n_found;
}

static size_t remove_numbers(void *set, const struct set_keys *keys)
{
    khash_t(numbers) *table = set;
    size_t n_removed = 0;

    for (size_t i = 0; i < keys->n; i++) {
        const khint_t at = kh_get(numbers, table, keys->numbers[i]);
        if (at == kh_end(table))
            continue;
        kh_del(numbers, table, at);
        n_removed++;
    }
    return n_removed;
}

static size_t count_numbers(const void *set)
{
    return kh_size((const khash_t(numbers) *)set);
}

static const struct set_ops ops_of_numbers = {
    .create = create_of_numbers,
    .destroy = destroy_numbers,
    .reserve = reserve_numbers,
    .insert = insert_numbers,
    .find_one = find_numbers,
    .remove = remove_numbers,
    .count = count_numbers,
};

/* ---- Strings ------------------------------------------------------------------------------- */

static void *create_of_strings(unsigned kind)
{
    (void)kind;
    return kh_init(strings);
}

static void destroy_strings(void *set)
{
    khash_t(strings) *table = set;

    for (khint_t at = kh_begin(table); at != kh_end(table); at++)
        if (kh_exist(table, at))
            free((void *)kh_key(table, at));
    kh_destroy(strings, table);
}

static void reserve_strings(void *set, size_t n)
{
    if (kh_resize(strings, set, buckets_for(n)) < 0)
        die("khash: no memory for %zu keys", n);
}

static char *copy_of(const char *string, size_t size)
{
    char *copy = malloc(size + 1);

    if (!copy)
        die("no memory for %zu bytes", size + 1);
    return memcpy(copy, string, size + 1);
}

static size_t insert_strings(void *set, const struct set_keys *keys)
{
    khash_t(strings) *table = set;
    size_t n_new = 0;

    for (size_t i = 0; i < keys->n; i++) {
        int result;
        const khint_t at = kh_put(strings, table, keys->strings[i], &result);
        if (result <= 0)
            continue;
        kh_key(table, at) = copy_of(keys->strings[i], keys->string_sizes[i]);
        n_new++;
    }
    return n_new;
}

static size_t find_strings(const void *set, const struct set_keys *keys)
{
    const khash_t(strings) *table = set;
    size_t n_found = 0;

    for (size_t i = 0; i < keys->n; i++)
        n_found += kh_get(strings, table, keys->strings[i]) != kh_end(table);
    return n_found;
}

static size_t remove_strings(void *set, const struct set_keys *keys)
{
    khash_t(strings) *table = set;
    size_t n_removed = 0;

    for (size_t i = 0; i < keys->n; i++) {
        const khint_t at = kh_get(strings, table, keys->strings[i]);
        if (at == kh_end(table))
            continue;
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): as above */
        free((void *)kh_key(table, at));
        kh_del(strings, table, at);
        n_removed++;
    }
    return n_removed;
}

static size_t count_strings(const void *set)
{
    return kh_size((const khash_t(strings) *)set);
}

static const struct set_ops ops_of_strings = {
    .create = create_of_strings,
    .destroy = destroy_strings,
    .reserve = reserve_strings,
    .insert = insert_strings,
    .find_one = find_strings,
    .remove = remove_strings,
    .count = count_strings,
};

const struct set_type *khash_set_at(size_t index)
{
    static const struct set_type type = {"khash", 0, {&ops_of_numbers, &ops_of_strings}};

    return index == 0 ? &type : NULL;
}

#else

const struct set_type *khash_set_at(size_t index)
{
    (void)index;
    return NULL;
}

#endif
