/* SPDX-License-Identifier: MIT */
/* The mutator of targets whose input is one of our files. */
#include "mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max_size,
                               unsigned seed)
{
    return mutate_file(bytes, size, max_size, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size,
                                 const uint8_t *second, size_t second_size, uint8_t *out,
                                 size_t max_size, unsigned seed)
{
    return splice_files(first, first_size, second, second_size, out, max_size, seed);
}
