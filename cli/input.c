/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE       /* ppoll */
#define _FILE_OFFSET_BITS 64
#include "input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PACKED_ROOM ((size_t)256 << 10)

bool is_stdin_name(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdin", "/dev/fd/0",
                                        "/proc/self/fd/0"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(path, names[i]) == 0)
            return true;
    return false;
}

bool is_standard_input(const char *path)
{
    struct stat named, standard;

    if (is_stdin_name(path))
        return true;
    return stat(path, &named) == 0 && fstat(STDIN_FILENO, &standard) == 0 &&
           (S_ISFIFO(named.st_mode) || S_ISSOCK(named.st_mode)) &&
           named.st_dev == standard.st_dev && named.st_ino == standard.st_ino;
}

bool input_open(struct input *input, const char *file)
{
    struct stat status;
    const bool is_stdin = strcmp(file, "-") == 0;

    *input = (struct input){.descriptor = STDIN_FILENO};
    if (!is_stdin)
        input->descriptor = open(file, O_RDONLY | O_CLOEXEC);
    if (input->descriptor < 0) {
        input->error = strerror(errno);
        return false;
    }
    input->is_open = true;
    input->is_regular = fstat(input->descriptor, &status) == 0 && S_ISREG(status.st_mode);
    return true;
}

void input_close(struct input *input)
{
    if (input->is_open && input->descriptor > STDIN_FILENO)
        (void)close(input->descriptor);
    inflater_free(input->inflater);
    free(input->packed);
    input->is_open = false;
    input->inflater = NULL;
    input->packed = NULL;
}

/* Waits for input, or for a signal that ends it. */
static bool is_told_to_end(const struct input *input)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    struct pollfd poll = {.fd = input->descriptor, .events = POLLIN};
    sigset_t pending;

    if (*input->signal)
        return true;
    (void)sigpending(&pending);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigismember(&pending, ending[i]) == 1) {
            *input->signal = ending[i];
            return true;
        }
    return ppoll(&poll, 1, NULL, input->waking) < 0 && *input->signal;
}

/* read(2), again after a signal and when a descriptor that does not block has nothing yet. */
static ssize_t read_some(struct input *input, void *data, size_t size)
{
    for (;;) {
        if (input->waking && is_told_to_end(input))
            return 0;
        const ssize_t n = read(input->descriptor, data, size);
        if (n > 0)
            input->n_bytes += (size_t)n;
        if (n < 0)
            input->error = strerror(errno);
        if (n >= 0 || (errno != EINTR && errno != EAGAIN))
            return n;
        struct pollfd poll_input = {.fd = input->descriptor, .events = POLLIN};
        if (errno == EAGAIN)
            (void)poll(&poll_input, 1, -1);
    }
}

/* Gets ready to unpack, what was read as the first bytes of it. */
static bool begin_unpacking(struct input *input, const void *data, size_t size)
{
    assert(size <= PACKED_ROOM);
    input->inflater = inflater_new(input->packing, &input->error);
    if (!input->inflater)
        return false;
    input->packed = malloc(PACKED_ROOM);
    if (!input->packed) {
        input->error = strerror(ENOMEM);
        return false;
    }
    memcpy(input->packed, data, size);
    input->end = size;
    return true;
}

static ssize_t unpack(struct input *input, void *data, size_t size)
{
    if (input->has_failed)
        return -1;
    while (!input->is_unpacked) {
        if (input->at == input->end && !input->is_at_end && !input->has_more_out) {
            const ssize_t n = read_some(input, input->packed, PACKED_ROOM);
            if (n < 0)
                return n;
            input->is_at_end = n == 0;
            input->at = 0;
            input->end = (size_t)n;
        }
        struct inflate_step step = {.in = input->packed + input->at,
                                    .n_in = input->end - input->at,
                                    .is_end = input->is_at_end,
                                    .out = data,
                                    .n_out = size};
        const enum inflate_result result =
            inflater_run(input->inflater, &step, &input->error);
        const size_t n_out = size - step.n_out;
        input->at = input->end - step.n_in;
        input->has_more_out = step.n_out == 0;
        input->is_unpacked = result == INFLATE_END;
        input->has_failed = result == INFLATE_FAILED;
        if (n_out || input->is_unpacked) /* what is good before the damage comes first */
            return (ssize_t)n_out;
        if (input->has_failed)
            return -1;
    }
    return 0;
}

/* The first bytes, enough to tell whether they are compressed. */
static ssize_t begin(struct input *input, char *data, size_t size)
{
    size_t n = 0;

    assert(size >= PACKING_BYTES);
    input->is_begun = true;
    do {
        const ssize_t more = read_some(input, data + n, size - n);
        if (more < 0)
            return more;
        n += (size_t)more;
        if (more == 0)
            break;
        input->packing = packing_of(data, n);
    } while (input->packing == PACKING_UNSURE && n < PACKING_BYTES);
    if (input->packing == PACKING_UNSURE)
        input->packing = PACKING_NONE;
    if (input->packing == PACKING_NONE || !input->unpacks)
        return (ssize_t)n;
    return begin_unpacking(input, data, n) ? unpack(input, data, size) : -1;
}

ssize_t input_read(struct input *input, void *data, size_t size)
{
    if (!input->is_begun)
        return begin(input, data, size);
    return input->inflater ? unpack(input, data, size) : read_some(input, data, size);
}

bool input_would_wait(const struct input *input)
{
    struct pollfd poll_input = {.fd = input->descriptor, .events = POLLIN};

    return input->is_open && !input->is_regular && input->at == input->end &&
           !input->has_more_out && poll(&poll_input, 1, 0) == 0;
}
