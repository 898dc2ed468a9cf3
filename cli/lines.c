/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* getentropy */
#include "lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "progress.h"

/* From here on it is asked, at each doubling, whether there is memory for as much again. */
#define FIRST_CHECK ((uint64_t)64 << 20)

/* What a set takes for an item besides its bytes, at the most (sets.h). */
#define BYTES_PER_ITEM 48

int lines_check(char *file)
{
    const struct key_format format = {.separator = '\n'};
    struct key_reader reader = {.n_files = 0};
    const int status = keys_open(&reader, &file, 1, &format, NULL);

    keys_close(&reader);
    return status;
}

int random_bytes(void *bytes, size_t n)
{
    if (getentropy(bytes, n) == 0)
        return EXIT_YES;
    return fail("no random bytes from the system: %s", strerror(errno));
}

void lines_free(struct lines *lines)
{
    ninho_set_free(lines->set);
    ninho_dict_free(lines->numbers);
    for (size_t i = 0; i < lines->n_blocks; i++)
        free(lines->blocks[i]);
    free(lines->blocks);
    free(lines->whole);
    *lines = (struct lines){0};
}

/* Room for one more of `size` bytes in an array that has n of them; false: no memory. */
static bool make_room(void **array, size_t *room, size_t n, size_t size)
{
    if (n < *room)
        return true;
    const size_t larger = *room ? 2 * *room : 16;
    void *moved = realloc(*array, larger * size);
    if (!moved)
        return false;
    *array = moved;
    *room = larger;
    return true;
}

/* Takes over memory that the set borrows from. */
static bool keep_block(struct lines *lines, char *block)
{
    void *blocks = lines->blocks;

    if (!make_room(&blocks, &lines->room, lines->n_blocks, sizeof block))
        return false;
    lines->blocks = blocks;
    lines->blocks[lines->n_blocks++] = block;
    return true;
}

/* The chunk's lines stay, in no more memory than they use, and the keys that are not in them. */
static bool keep_chunk(struct lines *lines, struct chunk *chunk, char **own)
{
    char *block = realloc(chunk->data, chunk->size);

    if (block)
        chunk->data = block;
    *own = chunk->data;
    if (!keep_block(lines, chunk->data)) {
        *own = NULL;
        return false;
    }
    if (chunk->keys && !keep_block(lines, chunk->keys))
        return false;
    return true;
}

/* Notes the line of a key that is new. */
static bool note_line(struct lines *lines, const void *key, size_t size, const char *line,
                      size_t line_size)
{
    void *whole = lines->whole;

    if (!make_room(&whole, &lines->whole_room, lines->n_whole, sizeof *lines->whole))
        return false;
    lines->whole = whole;
    lines->whole[lines->n_whole] = (struct whole_line){line, line_size};
    return ninho_dict_put(lines->numbers, key, size, lines->n_whole++, NULL) == NINHO_OK;
}

const struct whole_line *lines_of_key(const struct lines *lines, const void *key,
                                      size_t size)
{
    uint64_t number = 0;

    return lines->numbers && ninho_dict_get(lines->numbers, key, size, &number)
               ? &lines->whole[number]
               : NULL;
}

static int tell_bad_line(ninho_status status, const char *file, uint64_t number)
{
    if (status == NINHO_ERR_ARG)
        return fail("%s:%" PRIu64 ": the line is longer than %" PRIu32 " bytes", file,
                    number, NINHO_SETS_MAX_ITEM);
    if (status == NINHO_ERR_FULL)
        return fail("%s: has more than %" PRIu32 " different lines", file,
                    NINHO_SETS_MAX_ITEMS);
    return fail_no_memory();
}

static int add_batch(struct lines *lines, const struct chunk *chunk,
                     const struct key_batch *batch, size_t n, uint64_t number)
{
    for (size_t i = 0; i < n; i++) {
        const char *line = chunk->data + batch->starts[i];
        bool is_new = false;
        const ninho_status status =
            ninho_set_add(lines->set, batch->keys[i], batch->sizes[i], &is_new);
        if (status)
            return tell_bad_line(status, chunk->file, number + i);
        if (is_new && lines->numbers &&
            !note_line(lines, batch->keys[i], batch->sizes[i], line,
                       batch->ends[i] - batch->starts[i] - 1))
            return fail_no_memory();
    }
    return EXIT_YES;
}

/* Adds the lines of a chunk; *number is that of its first. */
static int add_lines(struct lines *lines, struct key_reader *reader, struct chunk *chunk,
                     uint64_t *number)
{
    struct key_batch batch;
    char *own = NULL;
    size_t at = 0;

    if (!keep_chunk(lines, chunk, &own)) {
        if (own) /* the other block is the chunk's still */
            chunk->data = NULL;
        return fail_no_memory();
    }
    int status = EXIT_YES;
    while (at < chunk->size && !status) {
        const uint64_t n_before = chunk->n_keys + chunk->n_skipped + chunk->n_more_lines;
        const size_t n = keys_take(reader->format, chunk, &at, &batch);
        status = add_batch(lines, chunk, &batch, n, *number + n_before);
        chunk->n_keys += n;
    }
    keys_note_skipped(reader, chunk, *number);
    *number += chunk->n_keys + chunk->n_skipped + chunk->n_more_lines;
    chunk->data = chunk->keys = NULL;
    return status;
}

/* What has been kept, and what a set and a dictionary take beside that. */
static uint64_t memory_taken(const struct lines *lines, const struct key_reader *reader)
{
    const uint64_t n = ninho_set_count(lines->set);

    if (!lines->numbers)
        return reader->n_text_bytes + BYTES_PER_ITEM * n;
    return 3 * reader->n_text_bytes + 3 * BYTES_PER_ITEM * n;
}

static int read_lines(struct lines *lines, struct key_reader *reader)
{
    uint64_t next_check = FIRST_CHECK;
    uint64_t number = 1;

    for (;;) {
        struct chunk chunk = {0};
        if (!chunk_init(&chunk, false, false))
            return fail_no_memory();
        const int result = keys_next(reader, &chunk);
        int status = EXIT_YES;
        number += chunk.n_header_lines;
        if (result < 0 && reader->is_error_of_line)
            status = tell_bad_line(NINHO_ERR_ARG, reader->name, number);
        else if (result < 0)
            status = fail("%s: %s", reader->name, reader->error);
        else if (result > 0)
            status = add_lines(lines, reader, &chunk, &number);
        chunk_free(&chunk);
        if (status || result <= 0)
            return status;
        progress_update(number - 1, keys_bytes(reader));
        const uint64_t taken = memory_taken(lines, reader);
        if (taken >= next_check) {
            status = memory_check(reader->name, taken);
            if (status)
                return status;
            next_check = 2 * taken;
        }
    }
}

int lines_read(struct lines *lines, char *file, const struct key_format *format)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    struct key_reader reader = {.n_files = 0};
    uint8_t nonce[NINHO_SETS_NONCE_BYTES];

    *lines = (struct lines){0};
    int status = random_bytes(nonce, sizeof nonce);
    if (status)
        return status;
    if (ninho_set_create(NINHO_SET_BORROWS, nonce, NULL, &lines->set) ||
        (format->is_part && ninho_dict_create(&spec, NULL, &lines->numbers, NULL)))
        return fail_no_memory();
    status = keys_open(&reader, &file, 1, format, NULL);
    if (!status) {
        progress_begin("lines read");
        progress_expect(&file, 1);
        status = read_lines(lines, &reader);
        progress_end();
        keys_tell_skipped(&reader);
    }
    keys_close(&reader);
    return status;
}
