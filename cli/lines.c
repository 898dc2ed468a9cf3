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
    struct key_reader reader;
    const int status = keys_open(&reader, &file, 1, '\n', NULL);

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
    for (size_t i = 0; i < lines->n_blocks; i++)
        free(lines->blocks[i]);
    free(lines->blocks);
    *lines = (struct lines){0};
}

/* Takes the chunk's memory, no more than it uses. */
static const char *keep_block(struct lines *lines, struct chunk *chunk)
{
    if (lines->n_blocks == lines->room) {
        const size_t room = lines->room ? 2 * lines->room : 16;
        char **blocks = realloc(lines->blocks, room * sizeof *blocks);
        if (!blocks)
            return NULL;
        lines->blocks = blocks;
        lines->room = room;
    }
    char *block = realloc(chunk->data, chunk->size);
    if (!block)
        block = chunk->data;
    chunk->data = NULL;
    lines->blocks[lines->n_blocks] = block;
    return lines->blocks[lines->n_blocks++];
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

/* Adds the lines of a chunk, which number[0] counts. */
static int add_lines(struct lines *lines, struct chunk *chunk,
                     const struct key_options *options, uint64_t *number)
{
    const size_t size = chunk->size;
    const char *at = keep_block(lines, chunk);
    const char *const end = at ? at + size : NULL;

    if (!at)
        return fail_no_memory();
    while (at < end) {
        const char *stop = memchr(at, options->nul ? '\0' : '\n', (size_t)(end - at));
        size_t length = (size_t)(stop - at);
        ++*number;
        if (options->crlf && length && stop[-1] == '\r')
            length--;
        const ninho_status status = ninho_set_add(lines->set, at, length, NULL);
        if (status)
            return tell_bad_line(status, chunk->file, *number);
        at = stop + 1;
    }
    return EXIT_YES;
}

static int read_lines(struct lines *lines, struct key_reader *reader,
                      const struct key_options *options)
{
    uint64_t next_check = FIRST_CHECK;
    uint64_t number = 0;

    for (;;) {
        struct chunk chunk = {0};
        if (!chunk_init(&chunk, false))
            return fail_no_memory();
        const int result = keys_next(reader, &chunk);
        int status = EXIT_YES;
        if (result < 0 && reader->is_error_of_line)
            status = tell_bad_line(NINHO_ERR_ARG, reader->name, number + 1);
        else if (result < 0)
            status = fail("%s: %s", reader->name ? reader->name : reader->files[0],
                          reader->error);
        else if (result > 0)
            status = add_lines(lines, &chunk, options, &number);
        chunk_free(&chunk);
        if (status || result <= 0)
            return status;
        progress_update(number, reader->n_bytes);
        const uint64_t taken =
            reader->n_bytes + BYTES_PER_ITEM * (uint64_t)ninho_set_count(lines->set);
        if (taken >= next_check) {
            status = memory_check(reader->name, taken);
            if (status)
                return status;
            next_check = 2 * taken;
        }
    }
}

int lines_read(struct lines *lines, char *file, const struct key_options *options)
{
    struct key_reader reader;
    uint8_t nonce[NINHO_SETS_NONCE_BYTES];

    *lines = (struct lines){0};
    int status = random_bytes(nonce, sizeof nonce);
    if (status)
        return status;
    if (ninho_set_create(NINHO_SET_BORROWS, nonce, NULL, &lines->set))
        return fail_no_memory();
    status = keys_open(&reader, &file, 1, options->nul ? '\0' : '\n', NULL);
    if (!status) {
        progress_begin("lines read");
        progress_expect(&file, 1);
        status = read_lines(lines, &reader, options);
        progress_end();
    }
    keys_close(&reader);
    return status;
}
