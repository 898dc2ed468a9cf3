/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

char *text_reserve(struct text *text, size_t size)
{
    if (text->has_failed)
        return NULL;
    if (size > text->room - text->size) {
        size_t room = text->room ? text->room : 4096;
        while (room - text->size < size) {
            if (room > SIZE_MAX / 4)
                break;
            room *= 2;
        }
        char *moved = room - text->size < size ? NULL : realloc(text->data, room);
        if (!moved) {
            text->has_failed = true;
            return NULL;
        }
        text->data = moved;
        text->room = room;
    }
    return text->data + text->size;
}

void text_append(struct text *text, const void *bytes, size_t size)
{
    char *to = text_reserve(text, size ? size : 1);

    if (!to || !size)
        return;
    memcpy(to, bytes, size);
    text->size += size;
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}
