/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "explain.h"
#include "json.h"
#include "progress.h"
#include "terminal.h"
#include "visible.h"

/* A message may be this long, which is the longest path and what is wrong with it; and the line when
 * control characters have been made visible, or when it is JSON. */
#define MOST_BYTES    5200
#define MOST_OF_LINE  34000
#define MOST_OF_VALUE 8000 /* of a member of an object: three fit into a line */

#define PREFIX  "ninho: "
#define WARNING "warning: " /* what some warnings begin with */

static const char *verb = "";
static bool is_json;

void errors_as_json(void)
{
    is_json = true;
}

void errors_of(const char *name)
{
    verb = name;
}

const char *status_name(ninho_status status)
{
    static const char *const names[] = {
        "ok",       "arg",      "nomem",     "full",        "unsupported", "not_found",
        "mismatch", "build",    "space",     "key_missing", "io",          "format",
        "version",  "checksum", "key_wrong", "key_unused",  "changed"};
    const size_t at = (size_t)status;

    return at < sizeof names / sizeof *names ? names[at] : "error";
}

/* ---- Lines --------------------------------------------------------------------------------- */

/* A line that is being made; what does not fit is cut. */
struct line {
    char text[MOST_OF_LINE];
    size_t size;
};

static void put(struct line *line, const char *text)
{
    const size_t size = strlen(text);

    if (size < sizeof line->text - line->size) {
        memcpy(line->text + line->size, text, size);
        line->size += size;
    }
}

/* The same, with control characters made visible. */
static void put_visible(struct line *line, const char *text)
{
    line->size += visible_copy(line->text + line->size,
                               sizeof line->text - line->size - 1, text, strlen(text));
}

/* A member of the object, which is not the first. */
static void put_member(struct line *line, const char *name, const char *value)
{
    char shown[JSON_ROOM + 1];
    size_t n_shown = 0;

    put(line, ", \"");
    put(line, name);
    put(line, "\": \"");
    const size_t most = line->size + MOST_OF_VALUE; /* what is longer is cut off */
    for (size_t at = 0, size = strlen(value); at < size && line->size < most;) {
        at += json_escape(value + at, size - at, shown, &n_shown);
        shown[n_shown] = '\0';
        put(line, shown);
    }
    put(line, "\"");
}

/* One write, so that lines of several processes do not mix. Where stderr itself cannot be written to
 * there is nobody left to tell. */
static void write_line(struct line *line)
{
    ssize_t done;

    put(line, "\n");
    progress_clear();
    do
        done = write(STDERR_FILENO, line->text, line->size);
    while (done < 0 && errno == EINTR);
}

/* ---- Notes --------------------------------------------------------------------------------- */

enum note { NOTE_ERROR, NOTE_WARNING };

static void note_text(enum note note, const char *message)
{
    const bool has_color = terminal_has_color(STDERR_FILENO);
    struct line line = {.size = 0};

    if (has_color)
        put(&line, note == NOTE_ERROR ? COLOR_ERROR : COLOR_WARNING);
    put(&line, PREFIX);
    if (has_color)
        put(&line, COLOR_END);
    put_visible(&line, message);
    write_line(&line);
}

/* `message` begins with the subject and a colon, if there is one; a number of a line may follow. */
static void note_json(enum note note, const char *status, const char *subject,
                      const char *message)
{
    struct line line = {.size = 0};

    put(&line, "{\"type\": ");
    put(&line, note == NOTE_ERROR ? "\"error\"" : "\"warning\"");
    if (status)
        put_member(&line, "status", status);
    put_member(&line, "command", verb);
    if (subject) {
        char number[24] = "";
        message += strlen(subject) + 1;
        const size_t n_digits = strspn(message, "0123456789");
        if (strcmp(subject, verb) != 0)
            put_member(&line, "file", subject);
        if (n_digits && n_digits < sizeof number && message[n_digits] == ':') {
            memcpy(number, message, n_digits);
            put(&line, ", \"line\": ");
            put(&line, number);
            message += n_digits + 1;
        }
        message += *message == ' ';
    }
    if (note == NOTE_WARNING && strncmp(message, WARNING, strlen(WARNING)) == 0)
        message += strlen(WARNING);
    put_member(&line, "message", message);
    put(&line, "}");
    write_line(&line);
}

static void print_note(enum note note, const char *status, const char *format,
                       va_list arguments)
{
    char message[MOST_BYTES];
    const char *subject = NULL;

    if (strncmp(format, "%s:", 3) == 0) {
        va_list again;
        va_copy(again, arguments);
        subject = va_arg(again, const char *);
        va_end(again);
    }
    if (vsnprintf(message, sizeof message, format, arguments) < 0)
        message[0] = '\0';
    if (!is_json)
        note_text(note, message);
    else
        note_json(note, status,
                  subject && strlen(subject) + 1 < sizeof message ? subject : NULL,
                  message);
}

int fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_note(NOTE_ERROR, "error", format, arguments);
    va_end(arguments);
    return EXIT_ERROR;
}

int fail_as(const char *status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_note(NOTE_ERROR, status, format, arguments);
    va_end(arguments);
    return EXIT_ERROR;
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_note(NOTE_WARNING, NULL, format, arguments);
    va_end(arguments);
}

void print_figure(const char *name, const char *format, ...)
{
    char message[MOST_BYTES];
    char prefix[40];
    struct line line = {.size = 0};
    va_list arguments;

    (void)snprintf(prefix, sizeof prefix, "%-16s ", name);
    va_start(arguments, format);
    if (vsnprintf(message, sizeof message, format, arguments) < 0)
        message[0] = '\0';
    va_end(arguments);
    put(&line, prefix);
    put_visible(&line, message);
    write_line(&line);
}

int fail_no_memory(void)
{
    return fail_as("nomem", "not enough memory");
}

int fail_io(const char *file, const char *what, int number)
{
    return fail_as("io", "%s: %s: %s", file, what, strerror(number));
}

int fail_error(const char *subject, const ninho_error *error)
{
    char text[2 * sizeof error->text];

    error_words(error, text, sizeof text);
    if (!subject)
        return fail_as(status_name(error->status), "%s", text);
    return fail_as(status_name(error->status), "%s: %s", *subject ? subject : "''", text);
}
