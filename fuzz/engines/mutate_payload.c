/* SPDX-License-Identifier: MIT */
/* The mutator of redis_payload: where one file is the whole value, it is changed as a file, and mostly its
 * size is told. */
#include "conform/frame_bytes.h"
#include "integrations/redis/blob.h"
#include "mutate_behind.h"

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max_size,
                               unsigned seed)
{
    const size_t at = 2 + NR_BLOB_HEADER(1);

    if (size <= at || get_field(bytes, 2 + 12, 4) != 1)
        return LLVMFuzzerMutate(bytes, size, max_size);
    size = mutate_behind(bytes, size, max_size, at, seed);
    if (size > at && seed % 4)
        set_field(bytes, 2 + 72, 8, size - at);
    return size;
}
