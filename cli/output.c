/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "output.h"

static int first_errno; /* of the first write that failed; 0: none has */

static void remember(bool is_good)
{
    if (!is_good && !first_errno)
        first_errno = errno ? errno : EIO;
}

void output_write(const void *bytes, size_t size)
{
    if (size && !first_errno)
        remember(fwrite(bytes, 1, size, stdout) == size);
}

void output_text(const char *text)
{
    output_write(text, strlen(text));
}

void output_format(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (!first_errno)
        remember(vfprintf(stdout, format, arguments) >= 0);
    va_end(arguments);
}

void output_flush(void)
{
    if (!first_errno)
        remember(fflush(stdout) == 0);
}

bool output_failed(void)
{
    return first_errno != 0;
}

bool output_is_written(void)
{
    output_flush();
    return !first_errno;
}

int output_finish(int status)
{
    output_flush();
    remember(fclose(stdout) == 0);
    if (!first_errno)
        return status;
    if (first_errno != EPIPE) /* whoever closed the pipe knows */
        (void)fail("standard output: %s", strerror(first_errno));
    return EXIT_ERROR;
}
