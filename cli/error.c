/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "explain.h"
#include "progress.h"

static void print_line(const char *format, va_list arguments)
{
    static const char prefix[] = "ninho: ";
    char line[4096];
    size_t length = sizeof prefix - 1;

    memcpy(line, prefix, sizeof prefix);
    const int written =
        vsnprintf(line + length, sizeof line - length - 1, format, arguments);
    if (written > 0)
        length = strlen(line);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
            line[i] = '?';
    line[length++] = '\n';

    /* One write, so that lines of several processes do not mix. Where stderr itself cannot be
     * written to there is nobody left to tell. */
    progress_clear();
    ssize_t done;
    do
        done = write(STDERR_FILENO, line, length);
    while (done < 0 && errno == EINTR);
}

int fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    return EXIT_ERROR;
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
}

int fail_no_memory(void)
{
    return fail("not enough memory");
}

int fail_error(const char *subject, const ninho_error *error)
{
    char text[2 * sizeof error->text];

    error_words(error, text, sizeof text);
    if (!subject)
        return fail("%s", text);
    return fail("%s: %s", subject, text);
}
