/* SPDX-License-Identifier: MIT */
/* The mutator of sqlite_values and postgres_values: a file is behind two bytes and the calls. */
#include "mutate_behind.h"

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max_size,
                               unsigned seed)
{
    const size_t at = size < 2 ? size : 2 + (size_t)bytes[1];

    return mutate_behind(bytes, size, max_size, at, seed);
}
