/* SPDX-License-Identifier: MIT */
/* The part of a line that is its key: all of it, or one field. */
#ifndef CLI_FIELDS_H
#define CLI_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

enum field_manner {
    FIELD_LINE,      /* the whole line */
    FIELD_DELIMITED, /* between delimiters, as cut(1) has it */
    FIELD_CSV,       /* RFC 4180: quotes, and newlines within them */
    FIELD_JSON       /* a member of the object that the line is */
};

struct field_rule {
    enum field_manner manner;
    char delimiter[17]; /* of CSV one byte */
    size_t delimiter_size;
    size_t column; /* counted from 0 */
    /* Of JSON the member; else the column is the one that the first record calls so, and then that
     * record is no key. NULL: it is `column`. */
    const char *name;
    bool folds_case; /* ASCII letters count as their lower case */
};

/* Is the key something else than the line, which is then printed for it? */
bool field_is_part(const struct field_rule *rule);

/* A record: where its key is. */
struct field {
    const char *key; /* NULL: it has no such field */
    size_t size;
    const char *next;    /* behind the record's end */
    size_t n_more_lines; /* that its quotes hold */
};

/* Finds the key of the record at `line`, which ends with `separator` before `end`. Where the key's bytes
 * are not those that stand there they are put into `room`, which has as many as from `line` to `end`. */
struct field field_find(const struct field_rule *rule, size_t column, const char *line,
                        const char *end, char separator, bool strips_cr, char *room);

/* The number of the column that a header calls `name`, counted from 0; false if there is none. Moves
 * *header behind the record. */
bool field_find_column(const struct field_rule *rule, const char **header,
                       const char *end, bool strips_cr, size_t *column);

/* ---- CSV (csv.c) --------------------------------------------------------------------------- */

/* Where a reader is. */
enum csv_state { CSV_AT_START, CSV_UNQUOTED, CSV_QUOTED, CSV_BEHIND_QUOTE };

/* Goes over n bytes, and answers how many of them there are up to the end of the last record that
 * ends among them; 0: none does. */
size_t csv_scan(enum csv_state *state, const char *data, size_t n, char delimiter);

/* As field_find_column(), in one pass. */
bool csv_find_column(char delimiter, const char *name, const char **record,
                     const char *end, size_t *column);

/* As field_find(). */
struct field csv_find(char delimiter, size_t column, const char *line, const char *end,
                      char *room);

/* ---- JSON (jsonl.c) ------------------------------------------------------------------------ */

/* The value of the member `name` of the object that `size` bytes are: a string without its quotes and
 * escapes, a number or true or false as it stands. NULL for a member that is not there, is null, an
 * array or an object, and for what is not one JSON object. Of several the last counts. `room` has
 * `size` bytes. */
const char *json_find(const char *name, const char *line, size_t size, char *room,
                      size_t *key_size);

#endif
