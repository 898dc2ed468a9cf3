/* SPDX-License-Identifier: MIT */
#include "harness/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void fail(const char *format, ...)
{
    va_list arguments;

    fflush(stdout);
    fputs("ninho-study: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);

    if (!memory)
        fail("no memory for %zu x %zu bytes", n, size);
    return memory;
}
