/* SPDX-License-Identifier: MIT */
#include "hint.h"

#include <math.h>
#include <string.h>

#define MOST_LINES 256
#define MOST_BYTES ((size_t)64 << 10)
#define MOST_KEY   4096 /* longer lines say nothing */
#define BY_CHANCE  1e-3

void hint_note(struct hint *hint, const struct chunk *chunk, char separator)
{
    const char *at = chunk->data;
    const char *const end = chunk->data + chunk->size;

    while (at < end && hint->n < MOST_LINES && hint->lines.size < MOST_BYTES) {
        const char *stop = memchr(at, separator, (size_t)(end - at));
        const size_t size = (size_t)(stop - at) + 1;
        if (size <= MOST_KEY) {
            text_append(&hint->lines, at, size);
            hint->n++;
        }
        at += size;
    }
}

/* ---- Forms --------------------------------------------------------------------------------- */

/* The key of a line in another form; false: it is none, or the same. */
struct form {
    enum { FORM_LOWER, FORM_UPPER, FORM_CR, FORM_FIELD } what;
    struct field_rule field; /* of FORM_FIELD */
};

static bool change_case(const char *key, size_t size, bool to_upper, char *out)
{
    bool is_other = false;

    for (size_t i = 0; i < size; i++) {
        const bool is_from =
            to_upper ? key[i] >= 'a' && key[i] <= 'z' : key[i] >= 'A' && key[i] <= 'Z';
        out[i] = (char)(is_from ? key[i] ^ 0x20 : key[i]);
        is_other |= is_from;
    }
    return is_other;
}

/* `line` ends with a newline; `out` has MOST_KEY + 1 bytes. */
static bool change(const struct form *form, const char *line, size_t line_size,
                   const char *key, size_t size, char *out, size_t *out_size)
{
    *out_size = size;
    if (form->what == FORM_LOWER || form->what == FORM_UPPER)
        return change_case(key, size, form->what == FORM_UPPER, out);
    if (form->what == FORM_CR) {
        memcpy(out, key, size);
        out[(*out_size)++] = '\r';
        return true;
    }
    const struct field field = field_find(&form->field, form->field.column, line,
                                          line + line_size, '\n', false, out);
    if (!field.key || field.size == line_size - 1)
        return false;
    memcpy(out, field.key, field.size);
    *out_size = field.size;
    return field.size > 0;
}

static bool has(const struct set *set, const ninho_hasher *hasher, const char *key,
                size_t size)
{
    return set->filter
               ? ninho_filter_has(set->filter, ninho_hash_bytes(hasher, key, size))
               : ninho_dict_get(set->dict, key, size, NULL);
}

/* ---- Trying -------------------------------------------------------------------------------- */

/* How many lines have that form, and how many of those are in the set. */
struct tally {
    size_t n, n_in;
};

static struct tally try(const struct hint *hint, const struct set *set,
                        const struct key_format *format, const struct form *form)
{
    struct tally tally = {0, 0};
    char room[MOST_KEY], out[MOST_KEY + 1];
    const char *at = hint->lines.data;
    const char *const end = at + hint->lines.size;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t line_size = (size_t)(stop - at) + 1;
        size_t size = 0;
        const struct field field =
            field_find(&format->field, format->field.column, at, at + line_size, '\n',
                       format->strips_cr, room);
        if (field.key && change(form, at, line_size, field.key, field.size, out, &size)) {
            tally.n++;
            tally.n_in += has(set, &format->hasher, out, size);
        }
        at += line_size;
    }
    return tally;
}

/* Are there too many to be false positives, and are they most of them? */
static bool is_it(const struct set *set, struct tally tally)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    if (2 * tally.n_in <= tally.n)
        return false;
    if (!set->filter)
        return true;
    (void)ninho_filter_spec(set->filter, &spec);
    return pow(spec.fpr > 0 ? spec.fpr : 0.01, (double)tally.n_in) <= BY_CHANCE;
}

static bool try_forms(const struct hint *hint, const struct set *set, const char *path,
                      const struct key_format *format)
{
    static const struct {
        struct form form;
        const char *how;
        const char *option;
    } forms[] = {
        {{.what = FORM_LOWER}, "in lower case", "try -i"},
        {{.what = FORM_UPPER}, "in upper case", "build it and ask it with -i"},
        {{.what = FORM_CR}, "with a CR at the end", "build it with --crlf"},
    };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct tally tally = try(hint, set, format, &forms[i].form);
        if (!is_it(set, tally))
            continue;
        warn("%s: none of the lines is in it; %zu of %zu lines would match %s (%s)", path,
             tally.n_in, tally.n, forms[i].how, forms[i].option);
        return true;
    }
    return false;
}

#define FIELDS_TRIED 4

static void try_fields(const struct hint *hint, const struct set *set, const char *path,
                       const struct key_format *format)
{
    static const char delimiters[] = "\t,;:| ";

    for (size_t d = 0; delimiters[d]; d++)
        for (size_t column = 0; column < FIELDS_TRIED; column++) {
            const struct form form = {.what = FORM_FIELD,
                                      .field = {.manner = FIELD_DELIMITED,
                                                .delimiter = {delimiters[d]},
                                                .delimiter_size = 1,
                                                .column = column}};
            const struct tally tally = try(hint, set, format, &form);
            if (!is_it(set, tally))
                continue;
            warn("%s: none of the lines is in it; %zu of %zu lines would match by field "
                 "%zu (try -d '%s' -f %zu)",
                 path, tally.n_in, tally.n, column + 1,
                 delimiters[d] == '\t' ? "\\t" : form.field.delimiter, column + 1);
            return;
        }
}

void hint_tell(struct hint *hint, const struct set *set, const char *path,
               const struct key_format *format)
{
    const enum field_manner manner = format->field.manner;

    /* Names of columns and other ends of lines are not told here. */
    if (hint->n && !hint->lines.has_failed && format->encoding == NINHO_KEY_BYTES &&
        format->separator == '\n' &&
        (manner == FIELD_LINE || manner == FIELD_DELIMITED || manner == FIELD_JSON) &&
        (manner == FIELD_JSON || !format->field.name)) {
        if (!try_forms(hint, set, path, format) && manner == FIELD_LINE)
            try_fields(hint, set, path, format);
    }
    text_free(&hint->lines);
}
