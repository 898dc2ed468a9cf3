/* SPDX-License-Identifier: MIT */
/* A mutator for inputs that end with one of our files. */
#ifndef NINHO_FUZZ_MUTATE_BEHIND_H
#define NINHO_FUZZ_MUTATE_BEHIND_H

#include "mutate.h"

/* Changes the file from `at` on, with its sizes and checksums right, and now and then any bytes. */
static inline size_t mutate_behind(uint8_t *bytes, size_t size, size_t max_size,
                                   size_t at, unsigned seed)
{
    uint64_t state = seed;

    if (at >= size || at >= max_size || random_below(&state, 3) == 0)
        return LLVMFuzzerMutate(bytes, size, max_size);
    return at + mutate_file(bytes + at, size - at, max_size - at, seed);
}

#endif
