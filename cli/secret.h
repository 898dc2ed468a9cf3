/* SPDX-License-Identifier: MIT */
/* The secret of keyed filters, which is kept outside of them. */
#ifndef CLI_SECRET_H
#define CLI_SECRET_H

#include <stdint.h>

#include "cli.h"

/* Reads a key file: 16 raw bytes, or 32 hexadecimal digits and perhaps a newline. Answers an exit
 * status. */
int secret_read(const char *path, uint8_t secret[NINHO_SECRET_BYTES]);

#endif
