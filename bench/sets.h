/* SPDX-License-Identifier: MIT */
/* What `ninho-bench dicts` compares: exact sets, ours and others', each called in its own way
 * behind one small interface. C++ reads this file too.
 *
 * To add a peer in C++, write one line in the list of peer_sets.cc; one in C, a file such as
 * peer_khash.c and a line in list_sets(). A new kind of the library appears by itself. */
#ifndef BENCH_SETS_H
#define BENCH_SETS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum key_sort { NUMBERS, STRINGS, N_KEY_SORTS };

/* n keys, all numbers or all strings. */
struct set_keys {
    size_t n;
    const uint64_t *numbers;    /* NULL where the keys are strings */
    const char *const *strings; /* of bytes that follow each other; NUL after each */
    const size_t *string_sizes; /* without the NUL */
};

/* How one implementation is called with keys of one sort. The functions go over a whole array of
 * keys and return for how many the answer was yes: was new, is there, was there. A set owns its
 * keys. */
struct set_ops {
    void *(*create)(unsigned kind); /* an empty one; `kind` is for ours */
    void (*destroy)(void *set);
    void (*reserve)(void *set, size_t n);
    size_t (*insert)(void *set, const struct set_keys *keys);
    size_t (*find_one)(const void *set, const struct set_keys *keys);
    size_t (*find_many)(const void *set,
                        const struct set_keys *keys); /* NULL: has none */
    size_t (*remove)(void *set, const struct set_keys *keys);
    size_t (*count)(const void *set);
    size_t (*n_bytes)(
        const void *set); /* all it has allocated; NULL: ask the C library */
};

struct set_type {
    const char *name;
    unsigned kind;                          /* ours: a ninho_dict_kind; else 0 */
    const struct set_ops *ops[N_KEY_SORTS]; /* NULL: not for such keys */
};

/* The index-th of those this program was built with, NULL past the last. */
const struct set_type *own_set_at(size_t index);   /* own_sets.c */
const struct set_type *khash_set_at(size_t index); /* peer_khash.c */
const struct set_type *cxx_set_at(size_t index);   /* peer_sets.cc */

#ifdef __cplusplus
}
#endif

#endif
