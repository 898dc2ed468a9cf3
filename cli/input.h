/* SPDX-License-Identifier: MIT */
/* The bytes of a file or of standard input, unpacked where they are compressed. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "inflate.h"

/* All zero: none is open. */
struct input {
    bool is_open;
    int descriptor;
    bool is_regular;
    bool is_begun; /* something has been read */
    bool unpacks;
    enum packing packing; /* how it is compressed, known once it is begun */
    struct inflater *inflater;
    unsigned char *packed; /* what of it has not been unpacked yet: [at, end) */
    size_t at, end;
    bool is_at_end;    /* of the file */
    bool has_more_out; /* the last call had no room for all of it */
    bool is_unpacked;  /* all of it */
    bool has_failed;   /* unpacking */
    uint64_t n_bytes;  /* read from the file */
    const char *error; /* what went wrong, static or strerror's */
    /* Where this is not NULL: one of SIGINT, SIGTERM and SIGHUP, which are blocked, ends the input; the
     * mask to wait under. */
    const sigset_t *waking;
    volatile sig_atomic_t *signal; /* and which it was */
};

/* Is it "-", or one of the names that the system has for standard input? */
bool is_stdin_name(const char *path);

/* The same, or is it the pipe or socket that standard input is, by whatever name? Two such names share
 * what is read. */
bool is_standard_input(const char *path);

/* Opens a file, or standard input for "-". False: input->error. `unpacks` and `waking` are to be
 * set before the first read. */
bool input_open(struct input *input, const char *file);
void input_close(struct input *input);

/* Up to `size` bytes, PACKING_BYTES or more the first time; 0 at the end, -1 with input->error. */
ssize_t input_read(struct input *input, void *data, size_t size);

/* Would input_read() have to wait for somebody? */
bool input_would_wait(const struct input *input);

#endif
