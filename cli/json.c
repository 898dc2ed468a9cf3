/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/base/utf8.h"
#include "json.h"
#include "output.h"

size_t json_escape(const char *bytes, size_t size, char shown[JSON_ROOM], size_t *n_shown)
{
    uint32_t point = 0xfffd;
    const size_t length = na_utf8_read((const uint8_t *)bytes, size, &point);
    const size_t taken = length ? length : 1;

    if (!length || visible_is_control(point)) {
        *n_shown = (size_t)snprintf(shown, JSON_ROOM, "\\u%04x", (unsigned)point);
        return taken;
    }
    *n_shown = 0;
    if (point == '"' || point == '\\')
        shown[(*n_shown)++] = '\\';
    memcpy(shown + *n_shown, bytes, taken);
    *n_shown += taken;
    return taken;
}

static void quoted_bytes(const char *text, size_t size)
{
    char shown[JSON_ROOM];
    size_t n_shown = 0;

    output_text("\"");
    for (size_t at = 0; at < size;) {
        at += json_escape(text + at, size - at, shown, &n_shown);
        output_write(shown, n_shown);
    }
    output_text("\"");
}

static void quoted(const char *text)
{
    quoted_bytes(text, strlen(text));
}

/* What goes before a value: comma, line, indentation, name. */
static void begin_value(struct json *json, const char *name)
{
    const bool is_inline = json->inline_depth && json->depth >= json->inline_depth;

    if (json->has_member)
        output_text(is_inline ? ", " : ",");
    if (!is_inline && json->depth)
        output_format("\n%*s", (int)(2 * json->depth), "");
    if (name) {
        quoted(name);
        output_text(": ");
    }
    json->has_member = true;
}

static void open_group(struct json *json, const char *name, const char *bracket)
{
    begin_value(json, name);
    output_text(bracket);
    json->depth++;
    json->has_member = false;
}

static void close_group(struct json *json, const char *bracket)
{
    const bool is_inline = json->inline_depth && json->depth >= json->inline_depth;

    if (json->inline_depth == json->depth)
        json->inline_depth = 0;
    json->depth--;
    if (json->has_member && !is_inline)
        output_format("\n%*s", (int)(2 * json->depth), "");
    output_text(bracket);
    json->has_member = true;
    if (json->depth == 0) {
        output_text("\n");
        json->has_member = false;
    }
}

void json_object(struct json *json, const char *name)
{
    open_group(json, name, "{");
}

void json_object_end(struct json *json)
{
    close_group(json, "}");
}

void json_array(struct json *json, const char *name)
{
    open_group(json, name, "[");
    if (!json->inline_depth)
        json->inline_depth = json->depth;
}

void json_list(struct json *json, const char *name)
{
    open_group(json, name, "[");
}

void json_array_end(struct json *json)
{
    close_group(json, "]");
}

void json_string(struct json *json, const char *name, const char *value)
{
    begin_value(json, name);
    if (value)
        quoted(value);
    else
        output_text("null");
}

void json_bytes(struct json *json, const char *name, const char *value, size_t size)
{
    begin_value(json, name);
    quoted_bytes(value, size);
}

void json_uint(struct json *json, const char *name, uint64_t value)
{
    begin_value(json, name);
    output_format("%" PRIu64, value);
}

void json_double(struct json *json, const char *name, double value)
{
    char text[40] = "null";

    for (int digits = 6; digits <= 17 && isfinite(value); digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    begin_value(json, name);
    output_text(text);
}

void json_bool(struct json *json, const char *name, bool value)
{
    begin_value(json, name);
    output_text(value ? "true" : "false");
}

void json_null(struct json *json, const char *name)
{
    begin_value(json, name);
    output_text("null");
}
