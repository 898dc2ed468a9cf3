/* SPDX-License-Identifier: MIT */
/* Text that grows. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *data;
    size_t size, room;
    bool has_failed; /* memory did not suffice: what is there is not all */
};

/* Room for `size` bytes more, NULL if there is none. The caller adds to text->size what it wrote. */
char *text_reserve(struct text *text, size_t size);
void text_append(struct text *text, const void *bytes, size_t size);
void text_free(struct text *text);

#endif
