/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memmem */
#include "fields.h"

#include <assert.h>
#include <string.h>

bool field_is_part(const struct field_rule *rule)
{
    return rule->manner != FIELD_LINE || rule->folds_case;
}

/* The field of a line of `size` bytes; NULL if it has fewer. */
static const char *find_delimited(const struct field_rule *rule, size_t column,
                                  const char *line, size_t size, size_t *field_size)
{
    const char *const end = line + size;
    const char *stop = NULL;

    for (size_t i = 0;; i++) {
        stop = rule->delimiter_size == 1
                   ? memchr(line, rule->delimiter[0], (size_t)(end - line))
                   : memmem(line, (size_t)(end - line), rule->delimiter,
                            rule->delimiter_size);
        if (i == column)
            break;
        if (!stop)
            return NULL;
        line = stop + rule->delimiter_size;
    }
    *field_size = (size_t)((stop ? stop : end) - line);
    return line;
}

static const char *fold(const char *key, size_t size, char *room)
{
    for (size_t i = 0; i < size; i++) {
        const char c = key[i];
        room[i] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    return room;
}

/* `room` belongs to `line`: a key lies in one of the two. */
static char *room_of(const char *key, size_t size, const char *line, const char *end,
                     char *room)
{
    const bool is_in_line = key >= line && key + size <= end;

    return is_in_line ? room + (key - line) : room + (key - room);
}

struct field field_find(const struct field_rule *rule, size_t column, const char *line,
                        const char *end, char separator, bool strips_cr, char *room)
{
    struct field field = {.key = line};

    if (rule->manner == FIELD_CSV) {
        field = csv_find(rule->delimiter[0], column, line, end, room);
    } else {
        const char *stop = memchr(line, separator, (size_t)(end - line));
        assert(stop);
        field.next = stop + 1;
        field.size = (size_t)(stop - line);
        if (strips_cr && field.size && stop[-1] == '\r')
            field.size--;
        if (rule->manner == FIELD_DELIMITED)
            field.key = find_delimited(rule, column, line, field.size, &field.size);
        else if (rule->manner == FIELD_JSON)
            field.key = json_find(rule->name, line, field.size, room, &field.size);
    }
    if (field.key && rule->folds_case)
        field.key =
            fold(field.key, field.size, room_of(field.key, field.size, line, end, room));
    return field;
}

bool field_find_column(const struct field_rule *rule, const char **header,
                       const char *end, bool strips_cr, size_t *column)
{
    const size_t name_size = strlen(rule->name);
    const char delimiter = rule->delimiter[0];

    assert(rule->delimiter_size == 1);
    if (rule->manner == FIELD_CSV)
        return csv_find_column(delimiter, rule->name, header, end, column);
    const char *at = *header;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    assert(stop);
    *header = stop + 1;
    if (strips_cr && stop > at && stop[-1] == '\r')
        stop--;
    for (*column = 0;; ++*column) {
        const char *next = memchr(at, delimiter, (size_t)(stop - at));
        const size_t size = (size_t)((next ? next : stop) - at);
        if (size == name_size && memcmp(at, rule->name, size) == 0)
            return true;
        if (!next)
            return false;
        at = next + 1;
    }
}
