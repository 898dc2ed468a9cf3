/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* madvise, MADV_HUGEPAGE */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__) && !defined(NINHO_NO_HUGE_PAGES)
#include <sys/mman.h>
#define HAS_HUGE_PAGES
#endif

#include "base/bits.h"

#define CACHE_LINE 64
#define HUGE_PAGE  ((size_t)2 << 20)
/* Below two huge pages, rounding up to whole ones would cost more memory than it saves
 * time. */
#define HUGE_FROM (2 * HUGE_PAGE)

static void *default_alloc(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void default_free(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

ninho_alloc nh_alloc_or_default(const ninho_alloc *alloc)
{
    if (alloc && alloc->alloc && alloc->free)
        return *alloc;
    return (ninho_alloc){default_alloc, default_free, NULL};
}

void *nh_alloc_zeroed(const ninho_alloc *alloc, size_t size)
{
    void *memory = alloc->alloc(alloc->context, size);
    if (memory)
        memset(memory, 0, size);
    return memory;
}

void nh_alloc_free(const ninho_alloc *alloc, void *memory, size_t size)
{
    if (memory)
        alloc->free(alloc->context, memory, size);
}

void nh_wipe(void *memory, size_t size)
{
    volatile uint8_t *bytes = memory; /* so that the compiler may not leave it out */

    while (size-- > 0)
        *bytes++ = 0;
}

/* Pages fresh from the system are zero already: clearing them again would touch a large
 * sparse table for nothing, so the default allocator's tables come from calloc, or from
 * mmap where huge pages are wanted. */
static bool alloc_huge(size_t size, struct nh_table *table)
{
#if defined(HAS_HUGE_PAGES) && defined(MADV_HUGEPAGE)
    if (size > SIZE_MAX - 2 * HUGE_PAGE)
        return false;
    const size_t block_size = (size_t)nh_round_up(size, HUGE_PAGE) + HUGE_PAGE;
    uint8_t *block = mmap(NULL, block_size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return false;
    const size_t skip = (HUGE_PAGE - (uintptr_t)block % HUGE_PAGE) % HUGE_PAGE;
    const bool is_huge =
        madvise(block + skip, block_size - HUGE_PAGE, MADV_HUGEPAGE) == 0;
    *table = (struct nh_table){block + skip, block, block_size, true, is_huge};
    return true;
#else
    (void)size;
    (void)table;
    return false;
#endif
}

bool nh_table_alloc(const ninho_alloc *alloc, size_t size, bool want_huge,
                    struct nh_table *table)
{
    const bool is_default = alloc->alloc == default_alloc;

    if (size > PTRDIFF_MAX - CACHE_LINE)
        return false;
    if (is_default && size >= HUGE_FROM && want_huge && alloc_huge(size, table))
        return true;
    const size_t block_size = size + CACHE_LINE;
    uint8_t *block =
        is_default ? calloc(1, block_size) : nh_alloc_zeroed(alloc, block_size);
    if (!block)
        return false;
    const size_t skip = (CACHE_LINE - (uintptr_t)block % CACHE_LINE) % CACHE_LINE;
    *table = (struct nh_table){block + skip, block, block_size, false, false};
    return true;
}

size_t nh_table_taken(const struct nh_table *table)
{
#ifdef HAS_HUGE_PAGES
    if (table->is_mapped)
        return table->block_size - HUGE_PAGE;
#endif
    return table->block_size;
}

void nh_table_free(const ninho_alloc *alloc, struct nh_table *table)
{
#ifdef HAS_HUGE_PAGES
    if (table->is_mapped) {
        munmap(table->block, table->block_size);
        table->block = NULL;
    }
#endif
    nh_alloc_free(alloc, table->block, table->block_size);
    *table = (struct nh_table){0};
}
