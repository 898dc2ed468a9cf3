/* SPDX-License-Identifier: MIT */
#include "base/versioned.h"

#include <stdint.h>
#include <string.h>

/* No struct of ours will ever be larger: a larger size is an uninitialised one. */
#define MAX_STRUCT 4096

bool nh_struct_in(void *ours, size_t our_size, const void *theirs)
{
    size_t their_size;

    memcpy(&their_size, theirs, sizeof their_size);
    if (their_size < sizeof their_size || their_size > MAX_STRUCT)
        return false;
    for (size_t i = our_size; i < their_size; i++)
        if (((const uint8_t *)theirs)[i])
            return false;
    memcpy(ours, theirs, their_size < our_size ? their_size : our_size);
    return true;
}

bool nh_struct_out(void *theirs, const void *ours, size_t our_size)
{
    size_t their_size;

    memcpy(&their_size, theirs, sizeof their_size);
    if (their_size < sizeof their_size)
        return false;
    memcpy(theirs, ours, their_size < our_size ? their_size : our_size);
    memcpy(theirs, &their_size, sizeof their_size);
    return true;
}
