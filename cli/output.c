/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

bool output_is_terminal(void)
{
    static int answer = -1;

    if (answer < 0)
        answer = isatty(STDOUT_FILENO);
    return answer != 0;
}

void output_visible(const char *bytes, size_t size, enum visible_manner manner)
{
    char shown[VISIBLE_ROOM];
    size_t n_shown = 0;

    for (size_t at = 0; at < size && !first_errno;) {
        at += visible_next(bytes + at, size - at, manner, shown, &n_shown);
        output_write(shown, n_shown);
    }
}

void output_name(const char *name)
{
    output_visible(name, strlen(name), VISIBLE_WORD);
}

static struct visible_lines lines; /* on a terminal */

/* Writes what was made visible. */
static void write_shown(struct text *shown)
{
    if (shown->has_failed) {
        errno = ENOMEM;
        remember(false);
    } else {
        output_write(shown->data, shown->size);
    }
    text_free(shown);
}

void output_lines(const char *bytes, size_t size, char separator)
{
    struct text shown = {0};

    if (!size)
        return; /* and then there may be no bytes */
    if (!output_is_terminal()) {
        output_write(bytes, size);
    } else if (!first_errno) {
        visible_lines_add(&lines, bytes, size, separator, &shown);
        write_shown(&shown);
    }
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
    struct text shown = {0};

    visible_lines_end(&lines, &shown);
    write_shown(&shown);
    output_flush();
    remember(fclose(stdout) == 0);
    if (!first_errno)
        return status;
    if (first_errno != EPIPE) /* whoever closed the pipe knows */
        (void)fail_as("io", "%s: %s", "standard output", strerror(first_errno));
    return EXIT_ERROR;
}
