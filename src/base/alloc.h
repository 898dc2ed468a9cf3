/* SPDX-License-Identifier: MIT */
/* All memory of filters and dictionaries comes through here. */
#ifndef NH_BASE_ALLOC_H
#define NH_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/alloc.h>

/* The caller's allocator, or malloc's if `alloc` is NULL. */
ninho_alloc nh_alloc_or_default(const ninho_alloc *alloc);

/* `size` zeroed bytes aligned as malloc's; NULL if there are none. size > 0. */
void *nh_alloc_zeroed(const ninho_alloc *alloc, size_t size);

/* Gives back; `memory` may be NULL. */
void nh_alloc_free(const ninho_alloc *alloc, void *memory, size_t size);

/* Overwrites a secret with zeros, though nobody will read them. */
void nh_wipe(void *memory, size_t size);

/* A zeroed table that starts on a cache line. */
struct nh_table {
    uint8_t *bytes;
    void *block; /* what the allocator gave; `bytes` lies inside it */
    size_t block_size;
    bool is_mapped; /* from mmap, not from the allocator */
    bool has_huge_pages;
};

/* false if there is no memory, and then *table is untouched. With the default allocator
 * and `want_huge`, a table of 4 MiB and more is aligned to 2 MiB and the system is asked
 * for huge pages; has_huge_pages says whether it said yes. */
bool nh_table_alloc(const ninho_alloc *alloc, size_t size, bool want_huge,
                    struct nh_table *table);
void nh_table_free(const ninho_alloc *alloc, struct nh_table *table);

/* The memory that a table takes. What was mapped only to align it is never touched, and does not
 * count. */
size_t nh_table_taken(const struct nh_table *table);

#endif
