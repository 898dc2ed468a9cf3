/* SPDX-License-Identifier: MIT */
/* Running programs as users do, in a folder of their own, and timing them. */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench.h"

/* Where the files are; the commands run inside it, so that they need no paths. */
enum { FOLDER_PATH = 256 };
struct folder {
    char path[FOLDER_PATH];
};

/* The one folder of this run, made at the first call and removed at exit, however that comes
 * about, with all files in it. */
const struct folder *work_folder(void);
/* Removes the files in it. */
void empty_work_folder(void);

/* A new file in the folder; dies if it cannot be made or, in the end, not written whole. */
FILE *open_for_writing(const struct folder *folder, const char *name);
void close_written(FILE *file, const char *name);

/* Bytes of a file in the folder, 0 if there is none. */
uint64_t size_of_file(const struct folder *folder, const char *name);

struct outcome {
    double cpu_seconds; /* of the process and of all that it started */
    double seconds;
    uint64_t
        peak_bytes; /* of memory, by the process alone, and no less than this program's */
    uint64_t answer;
};

/* Takes the next bytes that a command has written to its stdout, and updates the answer. */
typedef void (*answer_reader)(void *state, const char *bytes, size_t n, uint64_t *answer);

/* The answer is the number of lines; the number that is printed (state: char[32], empty). */
void count_lines(void *state, const char *bytes, size_t n, uint64_t *answer);
void read_number(void *state, const char *bytes, size_t n, uint64_t *answer);

/* Runs a command in the folder with `input` on its stdin, and reads what it prints through a pipe.
 * Dies unless it exits with 0, or with 1 for "nothing found". */
struct outcome run_command(const struct folder *folder, char *const *command,
                           const char *input, answer_reader reader, void *state);

/* Whether a program of that name is on the PATH. */
bool is_installed(const char *program);

/* The tool that was built beside this program, unless another was named. */
void find_ninho(const struct options *options, char *path, size_t size);

/* The part of bench_cli() on lines without copies: those of a file in the folder. */
void bench_uniq(const struct options *options, struct report *report,
                const struct folder *folder, char *ninho, char *file);

#endif
