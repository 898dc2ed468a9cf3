/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
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

static const struct {
    const char *field, *option;
} fields[] = {
    {"n_slots", "--table-slots"},
    {"tag_bits", "--tag-bits"},
    {"n_bits", "--bits"},
    {"n_hashes", "--hashes"},
    {"max_kicks", "--max-kicks"},
    {"max_capacity", "--max-capacity"},
    {"place_slots", "--bucket or --window"},
    {"key_encoding", "key encoding"},
};

/* The field that the text begins with: its number, or how many there are. */
static size_t field_at(const char *text)
{
    size_t i = 0;

    while (i < sizeof fields / sizeof *fields &&
           strncmp(text, fields[i].field, strlen(fields[i].field)) != 0)
        i++;
    return i;
}

const char *in_words_of_tool(const char *text, char *words, size_t words_size)
{
    size_t used = 0;

    while (*text && used + 1 < words_size) {
        const size_t i = field_at(text);
        if (i == sizeof fields / sizeof *fields) {
            words[used++] = *text++;
            continue;
        }
        const int n = snprintf(words + used, words_size - used, "%s", fields[i].option);
        used += n > 0 ? (size_t)n : 0;
        text += strlen(fields[i].field);
    }
    words[used < words_size ? used : words_size - 1] = '\0';
    return words;
}

int fail_error(const char *subject, const ninho_error *error)
{
    char words[2 * sizeof error->text];
    const char *said = error->text[0] ? error->text : ninho_status_text(error->status);
    const char *text = in_words_of_tool(said, words, sizeof words);

    if (!subject)
        return fail("%s", text);
    return fail("%s: %s", subject, text);
}
