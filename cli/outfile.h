/* SPDX-License-Identifier: MIT */
/* Files that are there as a whole or not at all. */
#ifndef CLI_OUTFILE_H
#define CLI_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>

#include <ninho/file.h>

#include "inflate.h"
#include "text.h"
#include "visible.h"

/* Standard output, and what is no regular file, is written as it comes. */
struct outfile {
    const char *path; /* NULL: not open */
    bool is_stdout;
    ninho_file *file; /* NULL: written in place */
    int descriptor;   /* there; -1: not open */
    bool is_terminal; /* there: control characters are made visible */
    char separator;   /* of its lines */
    struct visible_lines lines;
    struct text text;
    struct deflater
        *deflater; /* what is written is compressed with gzip; NULL: it is not */
    size_t slot;   /* where signals find it */
};

#define OUTFILE_INIT                        \
    {                                       \
        .descriptor = -1, .separator = '\n' \
    }

/* Would writing to one be writing to the other? Devices take what they get from everybody. */
bool outfile_are_same(const char *a, const char *b);

/* Does this mean standard output? "-" and /dev/stdout do. */
bool outfile_is_stdout(const char *path);

/* Refuses what is an input, another file that is to be written, or where standard output goes,
 * whatever it is called. Answers an exit status. */
int outfile_check(const char *path, char *const *inputs, size_t n_inputs,
                  const char *const *others, size_t n_others);

int outfile_open(struct outfile *output, const char *path);
/* The same for text: into a file whose name ends with .gz it is compressed with gzip. */
int outfile_open_text(struct outfile *output, const char *path);
int outfile_write(struct outfile *output, const char *bytes, size_t size);
/* In two steps, since one of several files may fail at the first: makes sure that all bytes are on
 * the disk, then puts the file where it belongs. */
int outfile_settle(struct outfile *output);
int outfile_publish(struct outfile *output);
/* Takes back what was not finished; frees. */
void outfile_close(struct outfile *output);

/* All of it for a file whose bytes are there already. Answers an exit status. */
int outfile_save(const char *path, const char *bytes, size_t size);

#endif
