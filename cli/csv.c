/* SPDX-License-Identifier: MIT */
/* Comma-separated values after RFC 4180. A quote opens a quoted field only where a field begins; within
 * one two quotes are one, and delimiters and newlines are text. What follows the closing quote
 * before the next delimiter belongs to the field. A record ends with LF or CR LF. */
#include <assert.h>
#include <string.h>

#include "fields.h"

static enum csv_state next_state(enum csv_state state, char c, char delimiter)
{
    if (state == CSV_QUOTED)
        return c == '"' ? CSV_BEHIND_QUOTE : CSV_QUOTED;
    if (c == delimiter || c == '\n')
        return CSV_AT_START;
    if (c == '"' && (state == CSV_AT_START || state == CSV_BEHIND_QUOTE))
        return CSV_QUOTED;
    return CSV_UNQUOTED;
}

size_t csv_scan(enum csv_state *state, const char *data, size_t n, char delimiter)
{
    enum csv_state at = *state;
    size_t end = 0;

    for (size_t i = 0; i < n; i++) {
        if (data[i] == '\n' && at != CSV_QUOTED)
            end = i + 1;
        at = next_state(at, data[i], delimiter);
    }
    *state = at;
    return end;
}

/* A field that is being taken: it stays where it is until a quote is left out. */
struct taken {
    const char *from; /* NULL: it is in `room` */
    char *room;
    size_t size;
};

static void take(struct taken *taken, const char *at)
{
    if (!taken->from)
        taken->room[taken->size] = *at;
    taken->size++;
}

/* What is behind `at` goes into the room. */
static void leave_out(struct taken *taken)
{
    for (size_t i = 0; taken->from && i < taken->size; i++)
        taken->room[i] = taken->from[i];
    taken->from = NULL;
}

bool csv_find_column(char delimiter, const char *name, const char **record,
                     const char *end, size_t *column)
{
    const size_t size = strlen(name);
    enum csv_state state = CSV_AT_START;
    size_t n_same = 0, i = 0; /* bytes of the i-th field that are the name's */
    bool is_it = true, is_found = false;

    for (const char *at = *record; at < end; at++) {
        const enum csv_state before = state;
        state = next_state(state, *at, delimiter);
        if (before != CSV_QUOTED && (*at == delimiter || *at == '\n')) {
            if (!is_found && is_it && n_same == size) {
                is_found = true;
                *column = i;
            }
            if (*at == '\n') {
                *record = at + 1;
                return is_found;
            }
            i++;
            n_same = 0;
            is_it = true;
            continue;
        }
        if (before != CSV_QUOTED && *at == '\r' && at + 1 < end && at[1] == '\n')
            continue; /* of the record's end */
        if (*at == '"' && before != CSV_UNQUOTED && before != CSV_BEHIND_QUOTE)
            continue;
        is_it = is_it && n_same < size && *at == name[n_same];
        n_same += is_it;
    }
    assert(false); /* the reader gives whole records */
    return false;
}

struct field csv_find(char delimiter, size_t column, const char *line, const char *end,
                      char *room)
{
    enum csv_state state = CSV_AT_START;
    struct taken taken = {.from = line, .room = room};
    struct field field = {.key = NULL};
    size_t i = 0;
    bool has_field = column == 0;

    for (const char *at = line; at < end; at++) {
        const enum csv_state before = state;
        state = next_state(state, *at, delimiter);
        if (*at == '\n' && before != CSV_QUOTED) {
            field.next = at + 1;
            /* the CR of the record's end, if that field is its last */
            if (i == column && taken.size && at[-1] == '\r')
                taken.size--;
            break;
        }
        field.n_more_lines += *at == '\n';
        if (before != CSV_QUOTED && *at == delimiter) {
            i++;
            if (i == column) {
                has_field = true;
                taken = (struct taken){.from = at + 1, .room = room + (at + 1 - line)};
            }
            continue;
        }
        if (i != column)
            continue;
        if (*at != '"' || before == CSV_UNQUOTED)
            take(&taken, at);
        else if (before == CSV_BEHIND_QUOTE) { /* the second of two */
            leave_out(&taken);
            take(&taken, at);
        } else if (before == CSV_AT_START) {
            taken.from = at + 1;
        } else { /* perhaps the last of the field: what follows moves */
            leave_out(&taken);
        }
    }
    assert(field.next); /* the reader gives whole records */
    if (has_field) {
        field.key = taken.from ? taken.from : taken.room;
        field.size = taken.size;
    }
    return field;
}
