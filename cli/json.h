/* SPDX-License-Identifier: MIT */
/* JSON on standard output: one object or array at a time, indented, members in the order they are
 * written. `name` is the member's name, NULL inside an array and for the outermost value. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
    unsigned depth;
    bool has_member; /* something stands before in the innermost object or array */
    unsigned
        inline_depth; /* from this depth on everything is on one line; 0: nothing is */
};

void json_object(struct json *json, const char *name);
void json_object_end(struct json *json);
void json_array(struct json *json,
                const char *name); /* on one line, with all that is in it */
void json_list(struct json *json, const char *name); /* an element per line */
void json_array_end(struct json *json);              /* of either */

/* The character at bytes[0..size), size > 0, as a string of JSON has it: control characters
 * (visible.h) as \uNNNN, bytes that are not UTF-8 as U+FFFD. Answers how many bytes it was, and in
 * *n_shown how many it takes in `shown`. */
#define JSON_ROOM 8
size_t json_escape(const char *bytes, size_t size, char shown[JSON_ROOM],
                   size_t *n_shown);

/* Bytes that are not UTF-8 become U+FFFD; NULL becomes null. */
void json_string(struct json *json, const char *name, const char *value);
/* The same for bytes that may have a NUL among them; value[size] must be one. */
void json_bytes(struct json *json, const char *name, const char *value, size_t size);
void json_uint(struct json *json, const char *name, uint64_t value);
/* The shortest text that reads back as the same number; null for what is not a number. */
void json_double(struct json *json, const char *name, double value);
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);

#endif
