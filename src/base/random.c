/* SPDX-License-Identifier: MIT */
/* Each system's own call, which needs no file and no state. Where none is known, or with
 * NINHO_NO_RANDOM, there is no source; callers go on without. */
#define _CRT_RAND_S /* rand_s, on Windows */
#include "base/random.h"

#include <assert.h>
#include <stdlib.h>

#ifdef NINHO_NO_RANDOM
static bool from_system(void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return false;
}
#elif defined(_WIN32)
static bool from_system(void *bytes, size_t size)
{
    unsigned char *const at = bytes;

    for (size_t i = 0; i < size; i++) {
        unsigned word;
        if (rand_s(&word) != 0)
            return false;
        at[i] = (unsigned char)word;
    }
    return true;
}
#elif defined(__linux__) || defined(__FreeBSD__)
#include <sys/random.h>
#include <sys/types.h>

/* Up to 256 bytes come whole; only the wait for the first ones after the machine has
 * started can be interrupted. */
static bool from_system(void *bytes, size_t size)
{
    return getrandom(bytes, size, 0) == (ssize_t)size;
}
#elif defined(__APPLE__)
#include <sys/random.h>

static bool from_system(void *bytes, size_t size)
{
    return getentropy(bytes, size) == 0;
}
#elif defined(__OpenBSD__) || defined(__NetBSD__)
static bool from_system(void *bytes, size_t size)
{
    arc4random_buf(bytes, size);
    return true;
}
#elif defined(__wasi__) || defined(__EMSCRIPTEN__)
int getentropy(void *bytes, size_t size); /* declared in unistd.h */

static bool from_system(void *bytes, size_t size)
{
    return getentropy(bytes, size) == 0;
}
#else
static bool from_system(void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return false;
}
#endif

#ifdef NINHO_TEST_HOOKS
_Thread_local bool (*nh_random_instead)(void *bytes, size_t size);
#endif

bool nh_random(void *bytes, size_t size)
{
    assert(size <= NH_RANDOM_MOST);
#ifdef NINHO_TEST_HOOKS
    if (nh_random_instead)
        return nh_random_instead(bytes, size);
#endif
    return from_system(bytes, size);
}
