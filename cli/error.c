/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "explain.h"
#include "progress.h"
#include "visible.h"

/* A message may be this long before control characters are made visible in it. */
#define MOST_BYTES 4000

static void print_line(const char *prefix, const char *format, va_list arguments)
{
    char message[MOST_BYTES];
    char line[4 * MOST_BYTES];

    if (vsnprintf(message, sizeof message, format, arguments) < 0)
        message[0] = '\0';
    int length = snprintf(line, sizeof line, "%s", prefix);
    length += (int)visible_copy(line + length, sizeof line - (size_t)length - 1, message,
                                strlen(message));
    line[length++] = '\n';

    /* One write, so that lines of several processes do not mix. Where stderr itself cannot be
     * written to there is nobody left to tell. */
    progress_clear();
    ssize_t done;
    do
        done = write(STDERR_FILENO, line, (size_t)length);
    while (done < 0 && errno == EINTR);
}

#define PREFIX "ninho: "

int fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(PREFIX, format, arguments);
    va_end(arguments);
    return EXIT_ERROR;
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(PREFIX, format, arguments);
    va_end(arguments);
}

void print_figure(const char *name, const char *format, ...)
{
    char prefix[40];
    va_list arguments;

    (void)snprintf(prefix, sizeof prefix, "%-16s ", name);
    va_start(arguments, format);
    print_line(prefix, format, arguments);
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
