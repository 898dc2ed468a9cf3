/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE       /* memrchr */
#define _FILE_OFFSET_BITS 64
#include "keys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options/numbers.h"

const struct option key_options[] = {
    {FLAG("null", struct key_options, nul, "keys end with NUL"), .letter = '0'},
    {FLAG("crlf", struct key_options, crlf, "keys end with CR LF")},
    {0},
};

int key_format_init(struct key_format *format, const struct args *args,
                    const struct key_options *options, ninho_key_encoding encoding,
                    const ninho_hasher *hasher, const char *filter_name)
{
    if (options->nul && options->crlf)
        return usage_error(args->command, "-0 and --crlf exclude each other");
    if (encoding != NINHO_KEY_BYTES && encoding != NINHO_KEY_INT64)
        return fail("%s: its keys are of type %s; this command knows bytes and int64",
                    filter_name, ninho_key_encoding_name(encoding));
    *format = (struct key_format){.hasher = *hasher,
                                  .encoding = encoding,
                                  .separator = options->nul ? '\0' : '\n',
                                  .strips_cr = options->crlf};
    return EXIT_YES;
}

bool chunk_init(struct chunk *chunk, bool with_hashes)
{
    *chunk = (struct chunk){.room = CHUNK_BYTES + 1};
    chunk->data = malloc(chunk->room);
    /* As many keys as there can be lines: a long one, and then only separators. */
    if (with_hashes)
        chunk->hashes = malloc((CHUNK_BYTES + 2) * sizeof *chunk->hashes);
    if (chunk->data && (chunk->hashes || !with_hashes))
        return true;
    chunk_free(chunk);
    return false;
}

void chunk_free(struct chunk *chunk)
{
    free(chunk->data);
    free(chunk->hashes);
    *chunk = (struct chunk){0};
}

static bool is_stdin(const char *file)
{
    return strcmp(file, "-") == 0;
}

/* Better now than after the first of several files has been worked through. */
static int check_file(const char *file)
{
    struct stat status;

    if (stat(file, &status) != 0 || access(file, R_OK) != 0)
        return fail("%s: cannot open: %s", file, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return fail("%s: cannot read: %s", file, strerror(EISDIR));
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

int keys_open(struct key_reader *reader, char **files, size_t n_files, char separator,
              const char *target)
{
    static char dash[] = "-";
    static char *only_stdin[] = {dash};

    *reader = (struct key_reader){
        .files = files, .n_files = n_files, .descriptor = -1, .separator = separator};
    if (!n_files) {
        reader->files = only_stdin;
        reader->n_files = 1;
    }
    for (size_t i = 0; i < reader->n_files; i++) {
        if (is_stdin(reader->files[i]))
            continue;
        int status = *reader->files[i] ? check_file(reader->files[i])
                                       : fail("the name of a file is empty");
        if (!status)
            status = check_not_target(reader->files[i], target);
        if (status)
            return status;
    }
    return EXIT_YES;
}

void keys_close(struct key_reader *reader)
{
    if (reader->descriptor > STDIN_FILENO)
        (void)close(reader->descriptor);
    reader->descriptor = -1;
    free(reader->rest);
    reader->rest = NULL;
}

static int set_error(struct key_reader *reader, const char *what, int reason)
{
    (void)snprintf(reader->error, sizeof reader->error, "%s: %s", what, strerror(reason));
    return -1;
}

static int open_next(struct key_reader *reader)
{
    struct stat status;
    const char *file = reader->files[reader->next_file++];

    if (is_stdin(file)) {
        reader->name = "standard input";
        reader->descriptor = STDIN_FILENO;
        if (isatty(STDIN_FILENO))
            warn("reading keys from the terminal, one per line; Ctrl-D ends");
    } else {
        reader->name = file;
        reader->descriptor = open(file, O_RDONLY | O_CLOEXEC);
        if (reader->descriptor < 0)
            return set_error(reader, "cannot open", errno);
    }
    reader->is_regular =
        fstat(reader->descriptor, &status) == 0 && S_ISREG(status.st_mode);
    reader->is_at_start = true;
    reader->rest_size = 0;
    return 1;
}

static void close_file(struct key_reader *reader)
{
    if (reader->descriptor > STDIN_FILENO)
        (void)close(reader->descriptor);
    reader->descriptor = -1;
}

bool keys_would_wait(const struct key_reader *reader)
{
    struct pollfd input = {.fd = reader->descriptor, .events = POLLIN};

    return reader->descriptor >= 0 && !reader->is_regular && poll(&input, 1, 0) == 0;
}

/* read(2), again after a signal and when a descriptor that does not block has nothing yet. */
static ssize_t read_some(struct key_reader *reader, char *data, size_t size)
{
    for (;;) {
        const ssize_t n = read(reader->descriptor, data, size);
        if (n >= 0 || (errno != EINTR && errno != EAGAIN))
            return n;
        struct pollfd input = {.fd = reader->descriptor, .events = POLLIN};
        if (errno == EAGAIN)
            (void)poll(&input, 1, -1);
    }
}

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
static void shrink(struct chunk *chunk)
{
    if (chunk->room == CHUNK_BYTES + 1)
        return;
    char *moved = realloc(chunk->data, CHUNK_BYTES + 1);
    if (moved) {
        chunk->data = moved;
        chunk->room = CHUNK_BYTES + 1;
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
static bool is_too_long(const struct chunk *chunk, char separator)
{
    return chunk->size > LINE_LIMIT && !memchr(chunk->data, separator, LINE_LIMIT + 1);
}

/* Reads from the open file until the chunk has a whole line (or better, is full). */
static int fill(struct key_reader *reader, struct chunk *chunk)
{
    size_t end = 0; /* behind the last separator */

    if (reader->rest_size)
        memcpy(chunk->data, reader->rest, reader->rest_size);
    chunk->size = reader->rest_size;
    reader->rest_size = 0;
    for (;;) {
        const size_t wanted =
            chunk->size < CHUNK_BYTES ? CHUNK_BYTES - chunk->size : CHUNK_BYTES;
        if (!grow(&chunk->data, &chunk->room, chunk->size + wanted + 1))
            return set_error(reader, "cannot read", ENOMEM);
        const ssize_t n = read_some(reader, chunk->data + chunk->size, wanted);
        if (n < 0)
            return set_error(reader, "cannot read", errno);
        if (n == 0) {
            close_file(reader);
            chunk->has_added_separator = chunk->size > end;
            if (chunk->has_added_separator)
                chunk->data[chunk->size++] = reader->separator;
            return chunk->size > 0;
        }
        const char *last =
            memrchr(chunk->data + chunk->size, reader->separator, (size_t)n);
        if (last)
            end = (size_t)(last - chunk->data) + 1;
        chunk->size += (size_t)n;
        reader->n_bytes += (size_t)n;
        if (is_too_long(chunk, reader->separator)) {
            (void)snprintf(reader->error, sizeof reader->error,
                           "the line is longer than %zu bytes", LINE_LIMIT);
            reader->is_error_of_line = true;
            return -1;
        }
        if (end && (reader->is_regular || chunk->size >= CHUNK_BYTES / 2 ||
                    keys_would_wait(reader)))
            return keep_rest(reader, chunk, end)
                       ? 1
                       : set_error(reader, "cannot read", ENOMEM);
    }
}

int keys_next(struct key_reader *reader, struct chunk *chunk)
{
    shrink(chunk);
    chunk->n_keys = chunk->n_selected = 0;
    chunk->n_output = 0;
    chunk->has_bad_key = chunk->has_added_separator = false;
    for (;;) {
        if (reader->descriptor < 0) {
            if (reader->next_file == reader->n_files)
                return 0;
            if (open_next(reader) < 0)
                return -1;
        }
        const int result = fill(reader, chunk);
        if (result == 0)
            continue;
        chunk->file = reader->name;
        chunk->starts_file = reader->is_at_start;
        if (result > 0)
            reader->is_at_start = false;
        return result;
    }
}

/* The line at *line without its end, and *line moved behind it. */
static size_t take_line(const struct key_format *format, const char **line,
                        const char *end)
{
    const char *stop = memchr(*line, format->separator, (size_t)(end - *line));
    size_t size = (size_t)(stop - *line);

    if (format->strips_cr && size && stop[-1] == '\r')
        size--;
    *line = stop + 1;
    return size;
}

size_t keys_hash(const struct key_format *format, struct chunk *chunk, size_t *at,
                 size_t max, uint64_t *hashes, uint32_t *ends)
{
    const char *line = chunk->data + *at;
    const char *const end = chunk->data + chunk->size;
    size_t n = 0;

    for (; n < max && line < end; n++) {
        const char *const key = line;
        const size_t size = take_line(format, &line, end);
        if (format->encoding == NINHO_KEY_INT64) {
            int64_t value = 0;
            if (!read_int64(key, size, &value)) {
                chunk->has_bad_key = true;
                break;
            }
            hashes[n] = ninho_hash_int64(&format->hasher, value);
        } else {
            hashes[n] = ninho_hash_bytes(&format->hasher, key, size);
        }
        if (ends)
            ends[n] = (uint32_t)(line - chunk->data);
    }
    *at = (size_t)(line - chunk->data);
    return n;
}

size_t keys_take(const struct key_format *format, struct chunk *chunk, size_t *at,
                 struct key_batch *batch)
{
    const char *line = chunk->data + *at;
    const char *const end = chunk->data + chunk->size;
    size_t n = 0;

    for (; n < KEY_BATCH && line < end; n++) {
        batch->keys[n] = line;
        batch->sizes[n] = take_line(format, &line, end);
        batch->ends[n] = (uint32_t)(line - chunk->data);
        if (format->encoding != NINHO_KEY_INT64)
            continue;
        int64_t value = 0;
        if (!read_int64(batch->keys[n], batch->sizes[n], &value)) {
            chunk->has_bad_key = true;
            break;
        }
        for (unsigned i = 0; i < 8; i++)
            batch->numbers[n][i] = (uint8_t)((uint64_t)value >> (8 * i));
        batch->keys[n] = batch->numbers[n];
        batch->sizes[n] = sizeof batch->numbers[n];
    }
    *at = (size_t)(line - chunk->data);
    return n;
}
