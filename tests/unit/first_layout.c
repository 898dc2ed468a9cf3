/* SPDX-License-Identifier: MIT */
#include "unit/first_layout.h"

#include <stdlib.h>
#include <string.h>

#include "filter/ops.h"
#include "filter/quotient_first.h"

static void set_bit(uint8_t *body, uint64_t bit)
{
    body[bit / 8] = (uint8_t)(body[bit / 8] | 1U << bit % 8);
}

/* One of the three bits of a slot, in the words behind a block's remainders. */
static void set_plane(uint8_t *body, unsigned r, unsigned plane, uint64_t slot)
{
    set_bit(body, 8 * (slot / 64 * (8 * r + 24) + 8 * r + 8 * plane) + slot % 64);
}

void first_layout_of(uint8_t *body, uint64_t n_slots, unsigned r, const uint64_t *prints,
                     uint64_t n)
{
    uint64_t next = 0;

    for (unsigned pass = 0; pass < 2;
         pass++) { /* the first tells what goes round the end */
        next = next > n_slots ? next - n_slots : 0;
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t q = prints[i] >> r, at = q > next ? q : next;
            const uint64_t slot = at % n_slots;
            next = at + 1;
            for (unsigned bit = 0; pass && bit < r; bit++)
                if (prints[i] >> bit & 1)
                    set_bit(body, 8 * (slot / 64 * (8 * r + 24)) + slot % 64 * r + bit);
            if (!pass)
                continue;
            set_plane(body, r, 0, q);
            if (i && prints[i - 1] >> r == q)
                set_plane(body, r, 1, slot);
            if (slot != q)
                set_plane(body, r, 2, slot);
        }
    }
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

ninho_filter *in_first_layout(const ninho_filter *filter)
{
    const uint64_t n = ninho_filter_count(filter);
    uint64_t *prints = calloc(n + 1, sizeof *prints), cursor = 0, found = 0;
    ninho_filter *first = NULL, *decoded = NULL;
    size_t size;

    CHECK(prints);
    while (found < n && ninho_filter_next_fingerprint(filter, &cursor, &prints[found]))
        found++;
    CHECK_U64(found, n);
    qsort(prints, n, sizeof *prints, ascending);
    CHECK_OK(ninho_filter_copy(filter, NULL, &first, NULL));
    struct nh_part *const part = first->parts;
    const unsigned r = part->stored[0] & 0xff;
    nh_table_free(&first->alloc, &part->table);
    part->size = nh_first_table_size(part->n_cells, r);
    CHECK(nh_live_table(&first->live, part->size, &part->table));
    part->body = part->table.bytes;
    part->number = NINHO_QUOTIENT;
    nh_attach(first->part_family, part);
    first_layout_of(part->body, part->n_cells, r, prints, n);
    free(prints);
    uint8_t *bytes = encoded(first, &size);
    CHECK_U64(bytes[12], NINHO_QUOTIENT);
    CHECK_OK(ninho_filter_decode(bytes, size, NULL, &decoded, NULL));
    check_equal_bytes(first, decoded);
    free(bytes);
    ninho_filter_free(first);
    return decoded;
}
