/* SPDX-License-Identifier: MIT */
/* Metadata: "name=value\n" lines in one block of NINHO_META_BYTES, names ascending, so
 * that equal content is equal bytes. A filter without metadata has no block. */
#include <string.h>

#include "filter/codec.h"
#include "filter/ops.h"

#define MAX_NAME 64

struct line {
    const uint8_t *name;
    size_t name_size;
    const uint8_t *value;
    size_t value_size;
};

static bool is_name_byte(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
}

static bool is_name(const uint8_t *name, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!is_name_byte(name[i]))
            return false;
    return size >= 1 && size <= MAX_NAME;
}

/* Reads the line at *at and steps past it; false at the end or at something that is no
 * line. */
static bool next_line(const uint8_t **at, const uint8_t *end, struct line *line)
{
    const uint8_t *start = *at;
    if (start == end)
        return false;
    const uint8_t *stop = memchr(start, '\n', (size_t)(end - start));
    const uint8_t *equals = stop ? memchr(start, '=', (size_t)(stop - start)) : NULL;
    if (!equals)
        return false;
    *line = (struct line){start, (size_t)(equals - start), equals + 1,
                          (size_t)(stop - equals - 1)};
    *at = stop + 1;
    return true;
}

static int compare_names(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    const int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order ? order : (a_size > b_size) - (a_size < b_size);
}

bool nh_meta_is_valid(const uint8_t *meta, uint32_t size)
{
    const uint8_t *at = meta;
    const uint8_t *const end = meta + size;
    struct line line, last = {0};

    while (next_line(&at, end, &line)) {
        if (!is_name(line.name, line.name_size) || memchr(line.value, 0, line.value_size))
            return false;
        if (last.name &&
            compare_names(last.name, last.name_size, line.name, line.name_size) >= 0)
            return false;
        last = line;
    }
    return at == end;
}

ninho_status nh_meta_copy(ninho_filter *filter, const uint8_t *meta, uint32_t size)
{
    if (!size)
        return NINHO_OK;
    filter->meta = nh_alloc_zeroed(&filter->alloc, NINHO_META_BYTES);
    if (!filter->meta)
        return NINHO_ERR_NOMEM;
    memcpy(filter->meta, meta, size);
    filter->meta_size = size;
    return NINHO_OK;
}

size_t ninho_meta_size(const char *name, const char *value)
{
    const size_t name_size = name ? strlen(name) : 0;

    if (!is_name((const uint8_t *)name, name_size) || !value || strchr(value, '\n'))
        return 0;
    return name_size + strlen(value) + 2;
}

ninho_status ninho_filter_set_meta(ninho_filter *filter, const char *name,
                                   const char *value)
{
    const size_t name_size = name ? strlen(name) : 0;
    const size_t value_size = value ? strlen(value) : 0;

    if (!filter || !is_name((const uint8_t *)name, name_size) ||
        (value && strchr(value, '\n')))
        return NINHO_ERR_ARG;
    if (filter->is_read_only)
        return NINHO_ERR_UNSUPPORTED;

    /* Where the name stands, or would: [from, to) is the line to replace. */
    const uint8_t *const end =
        filter->meta_size ? filter->meta + filter->meta_size : NULL;
    const uint8_t *at = filter->meta_size ? filter->meta : NULL;
    const uint8_t *from = at, *to = at;
    struct line line;
    while (next_line(&at, end, &line)) {
        const int order =
            compare_names(line.name, line.name_size, (const uint8_t *)name, name_size);
        if (order <= 0)
            to = at;
        if (order < 0)
            from = at;
        if (order >= 0)
            break;
    }
    const size_t n_old = (size_t)(to - from);
    const size_t n_new = value ? name_size + value_size + 2 : 0;
    if (n_new > NINHO_META_BYTES || filter->meta_size - n_old > NINHO_META_BYTES - n_new)
        return NINHO_ERR_SPACE;
    if (!filter->meta) {
        if (!value)
            return NINHO_OK;
        filter->meta = nh_alloc_zeroed(&filter->alloc, NINHO_META_BYTES);
        if (!filter->meta)
            return NINHO_ERR_NOMEM;
        from = filter->meta;
    }
    uint8_t *const place = filter->meta + (from ? from - filter->meta : 0);
    const size_t n_after = (size_t)(filter->meta + filter->meta_size - (place + n_old));
    memmove(place + n_new, place + n_old, n_after);
    if (value) {
        memcpy(place, name, name_size);
        place[name_size] = '=';
        memcpy(place + name_size + 1, value, value_size);
        place[n_new - 1] = '\n';
    }
    filter->meta_size = (uint32_t)(filter->meta_size - n_old + n_new);
    return NINHO_OK;
}

/* As snprintf: as much as there is room for, always ended. */
static size_t copy_text(const uint8_t *text, size_t size, char *out, size_t out_size)
{
    if (out && out_size) {
        const size_t n = size < out_size - 1 ? size : out_size - 1;
        if (n)
            memcpy(out, text, n);
        out[n] = '\0';
    }
    return size;
}

size_t ninho_filter_meta(const ninho_filter *filter, const char *name, char *value,
                         size_t value_size, bool *found)
{
    struct line line;

    if (found)
        *found = false;
    if (filter && name && filter->meta_size) {
        const uint8_t *at = filter->meta;
        while (next_line(&at, filter->meta + filter->meta_size, &line)) {
            if (compare_names(line.name, line.name_size, (const uint8_t *)name,
                              strlen(name)))
                continue;
            if (found)
                *found = true;
            return copy_text(line.value, line.value_size, value, value_size);
        }
    }
    return copy_text(NULL, 0, value, value_size);
}

size_t ninho_filter_meta_at(const ninho_filter *filter, size_t index, char *pair,
                            size_t pair_size)
{
    struct line line;

    if (filter && filter->meta_size) {
        const uint8_t *at = filter->meta;
        while (next_line(&at, filter->meta + filter->meta_size, &line))
            if (index-- == 0)
                return copy_text(line.name, line.name_size + 1 + line.value_size, pair,
                                 pair_size);
    }
    return copy_text(NULL, 0, pair, pair_size);
}
