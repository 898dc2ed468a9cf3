/* SPDX-License-Identifier: MIT */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "secret.h"

/* One more than the longest good file, 32 digits and CR LF. */
#define READ_BYTES (2 * NINHO_SECRET_BYTES + 3)

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool decode(const char *text, size_t size, uint8_t *secret)
{
    if (size == NINHO_SECRET_BYTES) {
        memcpy(secret, text, size);
        return true;
    }
    if (size > 0 && text[size - 1] == '\n')
        size--;
    if (size > 0 && text[size - 1] == '\r')
        size--;
    if (size != (size_t)2 * NINHO_SECRET_BYTES)
        return false;
    for (size_t i = 0; i < NINHO_SECRET_BYTES; i++) {
        const int high = hex_value(text[2 * i]);
        const int low = hex_value(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        secret[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

int secret_read(const char *path, uint8_t secret[NINHO_SECRET_BYTES])
{
    char text[READ_BYTES];
    size_t size = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return fail_io(path, "cannot open", errno);
    while (size < sizeof text) {
        const ssize_t n = read(file, text + size, sizeof text - size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            const int reason = errno;
            (void)close(file);
            return fail_io(path, "cannot read", reason);
        }
        if (n == 0)
            break;
        size += (size_t)n;
    }
    (void)close(file);
    if (!decode(text, size, secret))
        return fail(
            "%s: is not a key file: it must hold 16 bytes, or 32 hexadecimal digits",
            path);
    return EXIT_YES;
}
