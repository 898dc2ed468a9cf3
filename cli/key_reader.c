/* SPDX-License-Identifier: MIT */
/* Files of keys, one after the other, in chunks of whole lines (keys.h). */
#define _GNU_SOURCE       /* memrchr */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keys.h"

#define BOM "\xef\xbb\xbf"
/* The first lines of a file that are looked at for a CR at their ends. */
#define CR_LINES 64

static bool is_stdin(const char *file)
{
    return strcmp(file, "-") == 0;
}

/* Better now than after the first of several files has been worked through. */
static int check_file(const char *file)
{
    struct stat status;

    if (stat(file, &status) != 0 || access(file, R_OK) != 0)
        return fail_io(file, "cannot open", errno);
    if (S_ISDIR(status.st_mode))
        return fail_io(file, "cannot read", EISDIR);
    return EXIT_YES;
}

/* Who swaps or repeats an argument should not make a filter of its own bytes. */
static int check_not_target(const char *file, const char *target)
{
    struct stat keys, set;

    if (!target || stat(file, &keys) != 0 || stat(target, &set) != 0 ||
        keys.st_dev != set.st_dev || keys.st_ino != set.st_ino)
        return EXIT_YES;
    return fail("%s: is the file to be written: it cannot hold the keys too", file);
}

int keys_open(struct key_reader *reader, char **files, size_t n_files,
              const struct key_format *format, const char *target)
{
    static char dash[] = "-";
    static char *only_stdin[] = {dash};

    *reader = (struct key_reader){.files = files,
                                  .n_files = n_files,
                                  .format = format,
                                  .goes_on = reader->goes_on,
                                  .waking = reader->waking,
                                  .signal = reader->signal};
    if (!n_files) {
        reader->files = only_stdin;
        reader->n_files = 1;
    }
    for (size_t i = 0; i < reader->n_files; i++) {
        if (is_stdin(reader->files[i]))
            continue;
        int status = EXIT_YES;
        if (!*reader->files[i])
            status = fail("the name of a file is empty");
        else if (!reader->goes_on)
            status = check_file(reader->files[i]);
        if (!status)
            status = check_not_target(reader->files[i], target);
        if (status)
            return status;
    }
    return EXIT_YES;
}

static void close_file(struct key_reader *reader)
{
    reader->n_bytes += reader->input.n_bytes;
    reader->input.n_bytes = 0;
    input_close(&reader->input);
}

void keys_close(struct key_reader *reader)
{
    close_file(reader);
    free(reader->rest);
    reader->rest = NULL;
    text_free(&reader->header);
}

void keys_leave_file(struct key_reader *reader, size_t file_number)
{
    if (reader->next_file == file_number && reader->input.is_open)
        close_file(reader);
}

uint64_t keys_bytes(const struct key_reader *reader)
{
    return reader->n_bytes + reader->input.n_bytes;
}

static int set_error(struct key_reader *reader, const char *what, const char *reason)
{
    (void)snprintf(reader->error, sizeof reader->error, "%s: %s", what, reason);
    return -1;
}

static int no_memory(struct key_reader *reader)
{
    return set_error(reader, "cannot read", strerror(ENOMEM));
}

static int open_next(struct key_reader *reader)
{
    const char *file = reader->files[reader->next_file++];

    reader->name = is_stdin(file) ? "standard input" : file;
    if (is_stdin(file) && isatty(STDIN_FILENO))
        warn("reading keys from the terminal, one per line; Ctrl-D ends");
    if (!input_open(&reader->input, file))
        return set_error(reader, "cannot open", reader->input.error);
    reader->input.unpacks = reader->format->unpacks;
    reader->input.waking = reader->waking;
    reader->input.signal = reader->signal;
    reader->is_at_start = true;
    reader->csv = CSV_AT_START;
    reader->rest_size = 0;
    return 1;
}

bool keys_would_wait(const struct key_reader *reader)
{
    return input_would_wait(&reader->input);
}

/* ---- What may be meant otherwise ----------------------------------------------------------- */

/* Says something of the file, but not of every one. */
static void warn_once(struct key_reader *reader, unsigned what, const char *text)
{
    if (!(reader->warned & what))
        warn("%s: %s", reader->name, text);
    reader->warned |= what;
}

/* Do half of the first lines, or more, end with CR LF? The first may be a comment of another origin. */
static bool ends_with_cr(const struct chunk *chunk)
{
    const char *const end = chunk->data + chunk->size;
    const char *line = chunk->data;
    size_t n = 0;
    size_t n_cr = 0;

    while (n < CR_LINES && line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop)
            break;
        n_cr += stop > line && stop[-1] == '\r';
        n++;
        line = stop + 1;
    }
    return n_cr > 0 && 2 * n_cr >= n;
}

/* Of the first lines of a file. */
static void warn_of_bytes(struct key_reader *reader, const struct chunk *chunk)
{
    const struct key_format *format = reader->format;
    const bool is_text = format->separator == '\n';
    char text[120];

    if (reader->input.packing && !format->unpacks) {
        (void)snprintf(text, sizeof text,
                       "is compressed with %s, and its bytes are taken for lines "
                       "(without --no-decompress it is unpacked)",
                       packing_name(reader->input.packing));
        warn_once(reader, WARNED_PACKED, text);
    } else if (chunk->size >= 2 && (memcmp(chunk->data, "\xff\xfe", 2) == 0 ||
                                    memcmp(chunk->data, "\xfe\xff", 2) == 0)) {
        warn_once(
            reader, WARNED_BOM,
            "begins as UTF-16 does, and keys are compared as bytes (iconv -f UTF-16 "
            "-t UTF-8 converts it)");
    } else if (chunk->size >= 3 && memcmp(chunk->data, BOM, 3) == 0) {
        warn_once(reader, WARNED_BOM,
                  "begins with a byte-order mark, which is part of the first line (--bom "
                  "takes it off)");
    }
    if (is_text && !format->strips_cr && format->field.manner != FIELD_JSON &&
        ends_with_cr(chunk))
        warn_once(
            reader, WARNED_CR,
            format->field.manner == FIELD_LINE
                ? "lines end with CR LF, and the CR is part of the keys (--crlf takes "
                  "it off)"
                : "lines end with CR LF, and the CR is part of the last field (--crlf "
                  "takes it off)");
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* Makes room for `needed` bytes; twice what there was, so that a long line is not copied often. */
static bool grow(char **data, size_t *room, size_t needed)
{
    size_t larger = *room;

    if (needed <= *room)
        return true;
    while (larger < needed)
        larger = larger ? 2 * larger : needed;
    if (larger > LINE_LIMIT + 2 * CHUNK_BYTES)
        larger = LINE_LIMIT + 2 * CHUNK_BYTES;
    char *moved = realloc(*data, larger);
    if (!moved)
        return false;
    *data = moved;
    *room = larger;
    return true;
}

/* Gives back what a long line took. */
static void shrink(char **data, size_t *room)
{
    if (*room <= CHUNK_BYTES + 1)
        return;
    char *moved = realloc(*data, CHUNK_BYTES + 1);
    if (moved) {
        *data = moved;
        *room = CHUNK_BYTES + 1;
    }
}

/* Keeps what follows the last separator for the next chunk. */
static bool keep_rest(struct key_reader *reader, struct chunk *chunk, size_t end)
{
    const size_t size = chunk->size - end;

    if (!grow(&reader->rest, &reader->rest_room, size))
        return false;
    if (size)
        memcpy(reader->rest, chunk->data + end, size);
    reader->rest_size = size;
    chunk->size = end;
    return true;
}

/* Is the first line of the data, whose separator may not have been seen yet, too long? */
static bool is_too_long(const struct key_reader *reader, const struct chunk *chunk,
                        size_t end)
{
    if (chunk->size <= LINE_LIMIT)
        return false;
    if (reader->format->field.manner == FIELD_CSV)
        return end == 0;
    return !memchr(chunk->data, reader->format->separator, LINE_LIMIT + 1);
}

/* How many of the n bytes behind the chunk's are lines that end among them; 0: none does. */
static size_t find_end(struct key_reader *reader, const char *data, size_t n)
{
    const struct key_format *format = reader->format;

    if (format->field.manner == FIELD_CSV)
        return csv_scan(&reader->csv, data, n, format->field.delimiter[0]);
    const char *last = memrchr(data, format->separator, n);
    return last ? (size_t)(last - data) + 1 : 0;
}

/* The next bytes. At the start of a file as many as tell whether there is a byte-order mark, which
 * goes if it is to go. */
static ssize_t read_bytes(struct key_reader *reader, char *data, size_t size)
{
    struct input *input = &reader->input;
    const bool is_first = !input->is_begun && reader->format->strips_bom;
    ssize_t n = input_read(input, data, size);

    if (!is_first || n <= 0)
        return n;
    while (n < 3 && memcmp(data, BOM, (size_t)n) == 0) {
        const ssize_t more = input_read(input, data + n, size - (size_t)n);
        if (more < 0)
            return more;
        if (more == 0)
            return n;
        n += more;
    }
    if (n < 3 || memcmp(data, BOM, 3) != 0)
        return n;
    if (n == 3)
        return input_read(input, data, size);
    memmove(data, data + 3, (size_t)n - 3);
    return n - 3;
}

/* What the end of a file leaves: 1, 0 if that is nothing, -1. */
static int finish_file(struct key_reader *reader, struct chunk *chunk, size_t end)
{
    const bool is_open_quote =
        reader->format->field.manner == FIELD_CSV && reader->csv == CSV_QUOTED;

    close_file(reader);
    if (is_open_quote)
        return set_error(reader, "the last record",
                         "its quotes do not end (is this CSV? -d DELIM knows no quotes)");
    chunk->has_added_separator = chunk->size > end;
    if (chunk->has_added_separator)
        chunk->data[chunk->size++] = reader->format->separator;
    return chunk->size > 0;
}

/* Reads from the open file until the chunk has a whole line (or better, is full). */
static int fill(struct key_reader *reader, struct chunk *chunk)
{
    size_t end = 0; /* behind the last separator */

    if (!grow(&chunk->data, &chunk->room, reader->rest_size + 1))
        return no_memory(reader);
    if (reader->rest_size)
        memcpy(chunk->data, reader->rest, reader->rest_size);
    chunk->size = reader->rest_size;
    reader->rest_size = 0;
    for (;;) {
        const size_t wanted =
            chunk->size < CHUNK_BYTES ? CHUNK_BYTES - chunk->size : CHUNK_BYTES;
        if (!grow(&chunk->data, &chunk->room, chunk->size + wanted + 1))
            return no_memory(reader);
        const ssize_t n = read_bytes(reader, chunk->data + chunk->size, wanted);
        if (n < 0 && end) /* whole lines first; reading on fails again */
            return keep_rest(reader, chunk, end) ? 1 : no_memory(reader);
        if (n < 0)
            return set_error(reader, "cannot read", reader->input.error);
        if (n == 0)
            return finish_file(reader, chunk, end);
        const size_t ended = find_end(reader, chunk->data + chunk->size, (size_t)n);
        if (ended)
            end = chunk->size + ended;
        chunk->size += (size_t)n;
        reader->n_text_bytes += (size_t)n;
        if (is_too_long(reader, chunk, end)) {
            (void)snprintf(reader->error, sizeof reader->error,
                           "the line is longer than %zu bytes", LINE_LIMIT);
            reader->is_error_of_line = true;
            return -1;
        }
        if (end && (reader->input.is_regular || chunk->size >= CHUNK_BYTES / 2 ||
                    keys_would_wait(reader)))
            return keep_rest(reader, chunk, end) ? 1 : no_memory(reader);
    }
}

/* ---- Headers ------------------------------------------------------------------------------- */

/* Keeps the header of the first file, which is that of the output. */
static bool keep_header(struct key_reader *reader, const char *header, size_t size)
{
    if (!reader->header.size) {
        text_append(&reader->header, header, size);
        return !reader->header.has_failed;
    }
    if (reader->header.size != size || memcmp(reader->header.data, header, size) != 0)
        warn_once(reader, WARNED_HEADER,
                  "has another header than the first file, whose header is printed");
    return true;
}

/* Takes the header off the first chunk of a file. */
static int take_header(struct key_reader *reader, struct chunk *chunk)
{
    const struct key_format *format = reader->format;
    const char *next = chunk->data;

    if (!field_find_column(&format->field, &next, chunk->data + chunk->size,
                           format->strips_cr, &reader->column)) {
        (void)snprintf(reader->error, sizeof reader->error,
                       "its header has no field %.200s", format->field.name);
        return -1;
    }
    const size_t size = (size_t)(next - chunk->data);
    for (size_t i = 0; i < size; i++)
        chunk->n_header_lines += chunk->data[i] == '\n';
    if (!keep_header(reader, chunk->data, size))
        return no_memory(reader);
    memmove(chunk->data, next, chunk->size - size);
    chunk->size -= size;
    return 1; /* nothing but a header is printed too */
}

/* What is to be done about a chunk that was read: 1, 0 if nothing is left of it, -1. */
static int prepare(struct key_reader *reader, struct chunk *chunk)
{
    const struct key_format *format = reader->format;
    const struct field_rule *rule = &format->field;

    if (format->is_part && !grow(&chunk->keys, &chunk->keys_room, chunk->size))
        return no_memory(reader);
    if (!reader->is_at_start)
        return 1;
    reader->is_at_start = false;
    chunk->starts_file = true;
    warn_of_bytes(reader, chunk);
    if (rule->name && rule->manner != FIELD_JSON)
        return take_header(reader, chunk);
    return 1;
}

int keys_next(struct key_reader *reader, struct chunk *chunk)
{
    shrink(&chunk->data, &chunk->room);
    shrink(&chunk->keys, &chunk->keys_room);
    chunk_begin_keys(chunk);
    chunk->n_selected = 0;
    chunk->n_output = 0;
    chunk->has_bad_key = chunk->has_added_separator = false;
    chunk->starts_file = false;
    chunk->n_header_lines = 0;
    reader->is_error_of_line = false;
    for (;;) {
        int result = 1;
        if (!reader->input.is_open) {
            if (reader->next_file == reader->n_files)
                return 0;
            result = open_next(reader);
        }
        if (result > 0)
            result = fill(reader, chunk);
        if (result > 0)
            result = prepare(reader, chunk);
        if (result == 0)
            continue;
        if (result < 0)
            close_file(reader);
        chunk->file = reader->name;
        chunk->file_number = reader->next_file;
        chunk->column = reader->column;
        return result;
    }
}

/* ---- Lines without a key ------------------------------------------------------------------- */

void keys_note_skipped(struct key_reader *reader, const struct chunk *chunk,
                       uint64_t line)
{
    if (chunk->n_skipped && !reader->n_skipped)
        (void)snprintf(reader->first_skipped, sizeof reader->first_skipped,
                       "%.250s:%" PRIu64, chunk->file, line + chunk->first_skipped);
    reader->n_skipped += chunk->n_skipped;
}

void keys_tell_skipped(const struct key_reader *reader)
{
    const struct field_rule *rule = &reader->format->field;

    const char *lines = reader->n_skipped == 1 ? "line has" : "lines have";

    if (!reader->n_skipped)
        return;
    if (rule->manner == FIELD_JSON)
        warn("%" PRIu64
             " %s no member '%.200s' with a text or a number, passed over; the "
             "first is %s",
             reader->n_skipped, lines, rule->name, reader->first_skipped);
    else
        warn("%" PRIu64 " %s no such field, passed over; the first is %s",
             reader->n_skipped, lines, reader->first_skipped);
}
