/* SPDX-License-Identifier: MIT */
/* Keys from files and standard input, one per line, in chunks of whole lines.
 *
 *     file   |aaa.bbb.cc|cccc.dd.e|eee.ff        '.' a separator, '|' where reads end
 *     chunks  aaa.bbb. cccccc.dd. eeee.ff.       the last separator is added where it is missing
 *
 * A chunk holds CHUNK_BYTES or less, unless one line alone is longer; memory stays bounded because
 * a line may not exceed LINE_LIMIT. */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "args.h"

#define CHUNK_BYTES ((size_t)256 << 10)
#define LINE_LIMIT  ((size_t)64 << 20)

/* What -0 and --crlf say about lines. */
struct key_options {
    bool nul;
    bool crlf;
};
extern const struct option key_options[];

/* How lines become hashes. Plain data: each thread may have a copy. */
struct key_format {
    ninho_hasher hasher;
    ninho_key_encoding encoding;
    char separator;
    bool strips_cr;
};

/* Fills in the format for keys of this encoding; refuses what lines cannot express. */
int key_format_init(struct key_format *format, const struct args *args,
                    const struct key_options *options, ninho_key_encoding encoding,
                    const ninho_hasher *hasher, const char *filter_name);

struct chunk {
    char *data;  /* lines, each with its separator */
    size_t size; /* of them */
    size_t room; /* of data */
    const char *file;
    bool starts_file;
    bool has_added_separator; /* the last line had none */
    /* What the work on it found. */
    uint64_t n_keys;
    uint64_t n_selected;
    size_t n_output; /* bytes at the start of data to be printed */
    uint64_t *hashes;
    bool has_bad_key; /* after n_keys good ones */
};

bool chunk_init(struct chunk *chunk, bool with_hashes);
void chunk_free(struct chunk *chunk);

struct key_reader {
    char **files;
    size_t n_files;
    size_t next_file;
    int descriptor; /* -1: none open */
    const char *name;
    bool is_regular;
    bool is_at_start; /* of the file */
    char separator;
    char *rest; /* the beginning of a line whose end was not in the last chunk */
    size_t rest_size, rest_room;
    uint64_t n_bytes;
    char error[300]; /* what went wrong, without the file's name */
    bool is_error_of_line;
};

/* Prepares to read the files ("-" and none at all: standard input), having made sure that each
 * can be opened. None
 * of them may be `target`, the file that will be written (NULL: there is none). Answers an
 * exit status. */
int keys_open(struct key_reader *reader, char **files, size_t n_files, char separator,
              const char *target);
void keys_close(struct key_reader *reader);

/* Reads the next chunk. 1: there is one; 0: the end; -1: reader->error says what is wrong. */
int keys_next(struct key_reader *reader, struct chunk *chunk);

/* Would keys_next() have to wait for somebody? */
bool keys_would_wait(const struct key_reader *reader);

/* Hashes up to `max` lines of `chunk` from offset *at on, and moves *at behind them. ends[i] (may
 * be NULL) is the offset behind the i-th one's separator. Stops early at a line that is not a key
 * of the format's encoding, and then sets chunk->has_bad_key. Returns how many. */
size_t keys_hash(const struct key_format *format, struct chunk *chunk, size_t *at,
                 size_t max, uint64_t *hashes, uint32_t *ends);

/* Keys as dictionaries take them: the bytes themselves. */
#define KEY_BATCH 256
struct key_batch {
    const void *keys[KEY_BATCH];
    size_t sizes[KEY_BATCH];
    uint32_t ends[KEY_BATCH];      /* the offset behind the separator, in the chunk */
    uint8_t numbers[KEY_BATCH][8]; /* where keys are integers */
};

/* Takes the next lines of `chunk`, as keys_hash() does: they point into the chunk or the batch. */
size_t keys_take(const struct key_format *format, struct chunk *chunk, size_t *at,
                 struct key_batch *batch);

#endif
