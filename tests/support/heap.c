/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

/* A block carries its size in front of it and a fence behind it:
 *
 *     | size | magic |  what the library got, filled with 0xa5  | fence |
 */
#define HEAD  16
#define FENCE 16
#define MAGIC UINT64_C(0x6e696e686f626c6b)

static void *heap_alloc(void *context, size_t size)
{
    struct test_heap *heap = context;

    CHECK(size > 0);
    heap->n_calls++;
    if (size > heap->largest)
        heap->largest = size;
    const bool is_due =
        heap->fail_at && (heap->n_calls == heap->fail_at ||
                          (heap->keeps_failing && heap->n_calls > heap->fail_at));
    if (is_due || (heap->limit && size > heap->limit)) {
        heap->n_refused++;
        return NULL;
    }
    uint8_t *block = malloc(HEAD + size + FENCE);
    if (!block) {
        heap->n_refused++;
        return NULL;
    }
    const uint64_t head[2] = {size, MAGIC};
    memcpy(block, head, HEAD);
    memset(block + HEAD, 0xa5, size); /* not zero: who needs zeros must write them */
    memset(block + HEAD + size, 0x5a, FENCE);
    heap->live_blocks++;
    heap->live_bytes += size;
    if (heap->live_bytes > heap->peak_bytes)
        heap->peak_bytes = heap->live_bytes;
    return block + HEAD;
}

static void heap_free(void *context, void *memory, size_t size)
{
    struct test_heap *heap = context;
    uint64_t head[2];

    CHECK(memory);
    uint8_t *block = (uint8_t *)memory - HEAD;
    memcpy(head, block, HEAD);
    CHECK_U64(head[1], MAGIC);
    CHECK_U64(size, head[0]);
    for (size_t i = 0; i < FENCE; i++)
        CHECK(block[HEAD + size + i] == 0x5a);
    CHECK(heap->live_blocks > 0);
    heap->live_blocks--;
    heap->live_bytes -= size;
    memset(block, 0xdd, HEAD + size);
    free(block);
}

void heap_init(struct test_heap *heap)
{
    *heap = (struct test_heap){.alloc = {heap_alloc, heap_free, NULL}};
    heap->alloc.context = heap;
}

void heap_fail_at(struct test_heap *heap, size_t n)
{
    heap->fail_at = n ? heap->n_calls + n : 0;
}
