/* SPDX-License-Identifier: MIT */
/* Keys from files and standard input, one per line, in chunks of whole lines (of CSV: records, that
 * may have several). A key is the line, or one field of it.
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
#include "fields.h"
#include "input.h"
#include "text.h"

#define CHUNK_BYTES ((size_t)256 << 10)
#define LINE_LIMIT  ((size_t)64 << 20)

/* What the command line says about lines and their keys. */
struct key_options {
    bool nul;
    bool crlf;
    const char *delimiter; /* NULL: not given */
    const char *field;     /* a number or a name; NULL: the whole line */
    bool csv, tsv, jsonl;
    bool ignore_case;
    bool bom;
    bool no_decompress;
};
extern const struct option key_options[];
/* The same where -d means something else: the delimiter's letter is -t. */
extern const struct option key_options_of_uniq[];

/* How lines become keys and hashes. Plain data: each thread may have a copy. */
struct key_format {
    ninho_hasher hasher;
    ninho_key_encoding encoding;
    char separator;
    bool strips_cr;
    bool strips_bom;
    bool unpacks;
    bool is_part; /* the key is not the line: it is found by `field` */
    struct field_rule field;
};

/* Fills in all but the hasher; refuses options that contradict each other. Answers an exit status. */
int key_lines_init(struct key_format *format, const struct command *command,
                   const struct key_options *options);

/* Fills in the format for keys of this encoding; refuses what lines cannot express. */
int key_format_init(struct key_format *format, const struct args *args,
                    const struct key_options *options, ninho_key_encoding encoding,
                    const ninho_hasher *hasher, const char *filter_name);

struct chunk {
    char *data;  /* lines, each with its separator */
    size_t size; /* of them */
    size_t room; /* of data */
    const char *file;
    size_t file_number;
    size_t column; /* of the key, where a header told */
    bool starts_file;
    size_t n_header_lines;    /* before its first line, and not in it */
    bool has_added_separator; /* the last line had none */
    char *keys;               /* those that are not in `data` as they are */
    size_t keys_room;
    /* What the work on it found. */
    uint64_t n_keys;
    uint64_t n_skipped;     /* lines that have no key, beside n_keys */
    uint64_t first_skipped; /* how many lines stand before the first of them */
    uint64_t n_more_lines;  /* that are within quotes */
    uint64_t n_selected;
    size_t n_output; /* bytes at the start of data to be printed */
    uint64_t *hashes;
    uint32_t *starts, *ends; /* of lines: as keys_hash() has them */
    bool has_bad_key;        /* after n_keys good ones */
};

/* `with_spans`: room for where each line is. */
bool chunk_init(struct chunk *chunk, bool with_hashes, bool with_spans);
void chunk_free(struct chunk *chunk);

/* Forgets what the work found of the keys, to take them once more. */
void chunk_begin_keys(struct chunk *chunk);

/* What a reader has warned of already. */
enum { WARNED_CR = 1, WARNED_BOM = 2, WARNED_PACKED = 4, WARNED_HEADER = 8 };

/* All zero: closed. */
struct key_reader {
    const struct key_format *format;
    char **files;
    size_t n_files;
    size_t next_file;
    struct input input;
    const char *name;
    bool goes_on; /* after a file that cannot be read: set by the caller */
    size_t n_failed;
    bool is_at_start; /* of the file */
    enum csv_state csv;
    size_t column;      /* of the key, where the file's header told */
    struct text header; /* the first line of the first file, if that is no key */
    unsigned warned;    /* of what: WARNED_* bits */
    char *rest;         /* the beginning of a line whose end was not in the last chunk */
    size_t rest_size, rest_room;
    uint64_t n_bytes;      /* read from files that are closed */
    uint64_t n_text_bytes; /* and unpacked, of all */
    uint64_t n_skipped;    /* lines without a key */
    char first_skipped[300];
    char error[300]; /* what went wrong, without the file's name */
    bool is_error_of_line;
    const sigset_t *waking; /* for input.h */
    volatile sig_atomic_t *signal;
};

/* Prepares to read the files ("-" and none at all: standard input). Unless the reader goes on after one that
 * cannot be read, it makes sure that each can be opened. None
 * of them may be `target`, the file that will be written (NULL: there is none). `format` lives as long
 * as the reader. Answers an exit status. */
int keys_open(struct key_reader *reader, char **files, size_t n_files,
              const struct key_format *format, const char *target);
void keys_close(struct key_reader *reader);

/* Reads the next chunk. 1: there is one; 0: the end; -1: reader->error says what is wrong, and the next
 * call goes on with the next file. */
int keys_next(struct key_reader *reader, struct chunk *chunk);

/* Reads no more of this file. */
void keys_leave_file(struct key_reader *reader, size_t file_number);

/* The bytes of files read so far: of compressed ones, as they are. */
uint64_t keys_bytes(const struct key_reader *reader);

/* Takes note of the lines of a chunk that had no key; `line` is the number of its first. And tells of all of
 * them at the end. */
void keys_note_skipped(struct key_reader *reader, const struct chunk *chunk,
                       uint64_t line);
void keys_tell_skipped(const struct key_reader *reader);

/* Would keys_next() have to wait for somebody? */
bool keys_would_wait(const struct key_reader *reader);

/* Hashes up to `max` lines of `chunk` from offset *at on, and moves *at behind them. ends[i] (may
 * be NULL) is the offset behind the i-th one's separator. Lines that have no key are counted and passed over;
 * starts[i] is where the i-th line begins, where format->is_part, since others may stand between.
 * Stops early at a line that is not a key
 * of the format's encoding, and then sets chunk->has_bad_key. Returns how many. */
size_t keys_hash(const struct key_format *format, struct chunk *chunk, size_t *at,
                 size_t max, uint64_t *hashes, uint32_t *starts, uint32_t *ends);

/* Keys as dictionaries take them: the bytes themselves. */
#define KEY_BATCH 256
struct key_batch {
    const void *keys[KEY_BATCH];
    size_t sizes[KEY_BATCH];
    uint32_t starts[KEY_BATCH];    /* the offset of the line, in the chunk */
    uint32_t ends[KEY_BATCH];      /* the offset behind the separator, in the chunk */
    uint8_t numbers[KEY_BATCH][8]; /* where keys are integers */
};

/* Takes the next lines of `chunk`, as keys_hash() does: they point into the chunk or the batch. */
size_t keys_take(const struct key_format *format, struct chunk *chunk, size_t *at,
                 struct key_batch *batch);

#endif
