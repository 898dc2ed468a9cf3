/* SPDX-License-Identifier: MIT */
/* Records with their length in front: the lengths stay true while the payload changes. */
#include "mutate.h"

#include <string.h>

enum { MAX_RECORDS = 64 };

struct records {
    size_t starts[MAX_RECORDS + 1]; /* the last is where they end */
    size_t n;
};

static size_t length_of(const uint8_t *bytes, unsigned n_length)
{
    size_t length = 0;

    for (unsigned i = 0; i < n_length; i++)
        length |= (size_t)bytes[i] << (8 * i);
    return length;
}

static void find_records(struct records *records, const uint8_t *bytes, size_t size,
                         size_t at, size_t head, unsigned n_length)
{
    records->n = 0;
    while (records->n < MAX_RECORDS && size - at >= head + n_length) {
        const size_t left = size - at - head - n_length;
        const size_t length = length_of(bytes + at + head, n_length);
        records->starts[records->n++] = at;
        at += head + n_length + (length < left ? length : left);
    }
    records->starts[records->n] = at;
}

/* Makes room for `to` bytes where `from` are, at `at`; 0 if there is none. */
static size_t move_rest(uint8_t *bytes, size_t size, size_t max_size, size_t at,
                        size_t from, size_t to)
{
    if (size - from + to > max_size)
        return 0;
    memmove(bytes + at + to, bytes + at + from, size - at - from);
    return size - from + to;
}

static size_t change_payload(uint8_t *bytes, size_t size, size_t max_size, size_t at,
                             size_t end, const struct record_shape *shape, unsigned seed)
{
    uint8_t copy[2048];
    const unsigned n_length = shape->n_length;
    size_t most = n_length < sizeof most ? ((size_t)1 << 8 * n_length) - 1 : SIZE_MAX;
    const size_t old = end - at;

    most = most < sizeof copy ? most : sizeof copy;
    if (old > most)
        return 0;
    memcpy(copy, bytes + at, old);
    const size_t changed =
        shape->mutate
            ? shape->mutate(bytes[at - n_length - shape->head], copy, old, most, seed)
            : LLVMFuzzerMutate(copy, old, most);
    const size_t total = move_rest(bytes, size, max_size, at, old, changed);
    if (total == 0)
        return 0;
    memcpy(bytes + at, copy, changed);
    for (unsigned i = 0; i < n_length; i++)
        bytes[at - n_length + i] = (uint8_t)(changed >> (8 * i));
    return total;
}

/* One more, as the record from `start` to `end` is. */
static size_t double_record(uint8_t *bytes, size_t size, size_t max_size, size_t start,
                            size_t end)
{
    const size_t total = move_rest(bytes, size, max_size, end, 0, end - start);

    if (total)
        memcpy(bytes + end, bytes + start, end - start);
    return total;
}

size_t mutate_records(uint8_t *bytes, size_t size, size_t max_size,
                      const struct record_shape *shape, unsigned seed)
{
    const size_t at = shape->at, head = shape->head;
    struct records records = {.n = 0};
    uint64_t random = seed;
    size_t total = 0;

    if (size > at)
        find_records(&records, bytes, size, at, head, shape->n_length);
    if (records.n == 0 || random_below(&random, 8) == 0)
        return LLVMFuzzerMutate(bytes, size, max_size);
    const size_t i = random_below(&random, records.n);
    const size_t start = records.starts[i], end = records.starts[i + 1];
    switch (random_below(&random, 8)) {
    case 0:
        total = double_record(bytes, size, max_size, start, end);
        break;
    case 1:
        total =
            records.n > 1 ? move_rest(bytes, size, max_size, start, end - start, 0) : 0;
        break;
    case 2: /* what is before all records */
        if (at)
            bytes[random_below(&random, at)] ^= (uint8_t)(1U << random_below(&random, 8));
        total = at ? size : 0;
        break;
    case 3:
        if (head)
            (void)LLVMFuzzerMutate(bytes + start, head, head);
        total = head ? size : 0;
        break;
    default:
        total = change_payload(bytes, size, max_size, start + head + shape->n_length, end,
                               shape, seed);
    }
    return total ? total : LLVMFuzzerMutate(bytes, size, max_size);
}
