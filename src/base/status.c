/* SPDX-License-Identifier: MIT */
#include "base/status.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(number)             #number
#define DOTTED(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *ninho_version(void)
{
    return DOTTED(NINHO_VERSION_MAJOR, NINHO_VERSION_MINOR, NINHO_VERSION_PATCH);
}

const char *ninho_status_text(ninho_status status)
{
    switch (status) {
    case NINHO_OK:
        return "ok";
    case NINHO_ERR_ARG:
        return "argument out of range";
    case NINHO_ERR_NOMEM:
        return "not enough memory";
    case NINHO_ERR_FULL:
        return "filter is full";
    case NINHO_ERR_UNSUPPORTED:
        return "this kind of filter cannot do that";
    case NINHO_ERR_NOT_FOUND:
        return "key is not in the filter";
    case NINHO_ERR_MISMATCH:
        return "filters differ";
    case NINHO_ERR_BUILD:
        return "construction gave up; try another seed";
    case NINHO_ERR_SPACE:
        return "buffer is too small";
    case NINHO_ERR_KEY_MISSING:
        return "the secret key is needed";
    case NINHO_ERR_KEY_WRONG:
        return "the secret key is not the right one";
    case NINHO_ERR_KEY_UNUSED:
        return "a secret key was given, and none is needed";
    case NINHO_ERR_CHANGED:
        return "the file was replaced in the meantime";
    case NINHO_ERR_IO:
        return "input or output failed";
    case NINHO_ERR_FORMAT:
        return "not a valid ninho file";
    case NINHO_ERR_VERSION:
        return "made by a newer ninho";
    case NINHO_ERR_CHECKSUM:
        return "checksum does not match: the bytes are damaged";
    }
    return "unknown status";
}

const char *ninho_field_name(ninho_field field)
{
    static const struct {
        ninho_field field;
        const char *name;
    } names[] = {
        {NINHO_FIELD_KIND, "kind"},
        {NINHO_FIELD_HASH, "hash"},
        {NINHO_FIELD_KEY_ENCODING, "key_encoding"},
        {NINHO_FIELD_PAGES, "pages"},
        {NINHO_FIELD_CAPACITY, "capacity"},
        {NINHO_FIELD_FPR, "fpr"},
        {NINHO_FIELD_SEED, "seed"},
        {NINHO_FIELD_SECRET, "secret"},
        {NINHO_FIELD_N_BITS, "n_bits"},
        {NINHO_FIELD_N_HASHES, "n_hashes"},
        {NINHO_FIELD_K_RULE, "k_rule"},
        {NINHO_FIELD_BASE, "base"},
        {NINHO_FIELD_GROWTH, "growth"},
        {NINHO_FIELD_MAX_CAPACITY, "max_capacity"},
        {NINHO_FIELD_TAG_BITS, "tag_bits"},
        {NINHO_FIELD_ARITY, "arity"},
        {NINHO_FIELD_SLOTS, "slots"},
        {NINHO_FIELD_PLACE_SLOTS, "place_slots"},
        {NINHO_FIELD_CHOICE, "choice"},
        {NINHO_FIELD_SEARCH, "search"},
        {NINHO_FIELD_PAIRING, "pairing"},
        {NINHO_FIELD_MAX_KICKS, "max_kicks"},
        {NINHO_FIELD_BUDGET, "budget"},
        {NINHO_FIELD_SEMANTICS, "semantics"},
        {NINHO_FIELD_N_SLOTS, "n_slots"},
        {NINHO_FIELD_PREFER, "prefer"},
        {NINHO_FIELD_KEY_SIZE, "key_size"},
        {NINHO_FIELD_N_FUNCTIONS, "n_functions"},
        {NINHO_FIELD_BUCKET_SIZE, "bucket_size"},
        {NINHO_FIELD_N_TABLES, "n_tables"},
        {NINHO_FIELD_STASH_SIZE, "stash_size"},
        {NINHO_FIELD_MAX_MOVES, "max_moves"},
        {NINHO_FIELD_N_BUCKETS, "n_buckets"},
        {NINHO_FIELD_TABLE_SIZE, "table size"},
        {NINHO_FIELD_META, "metadata"},
        {NINHO_FIELD_ATTACHMENT, "attachment"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].field == field)
            return names[i].name;
    return NULL;
}

/* Copies ours over the caller's, as much of it as theirs has room for. A size of 0 is a struct
 * that was zeroed, not begun with NINHO_ERROR_INIT: it has at least the fields up to `text`. */
static void hand_over(ninho_error *error, ninho_error *ours)
{
    const size_t theirs = error->size_of_struct ? error->size_of_struct : sizeof *ours;
    const size_t before = offsetof(ninho_error, text);

    ours->size_of_struct = theirs;
    if (theirs > before && theirs < sizeof *ours)
        ours->text[theirs - before - 1] = '\0'; /* a shorter text ends, too */
    memcpy(error, ours, theirs < sizeof *ours ? theirs : sizeof *ours);
}

/* Values and names from outside stand in texts: their control bytes become '?'. */
static void keep_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

static void set(ninho_error *error, ninho_error *ours, const char *format,
                va_list arguments)
{
    const char *name = ours->name_bytes ? ninho_field_name(ours->field) : NULL;
    size_t used = 0;

    if (!error)
        return;
    if (name) {
        used = strlen(name);
        memcpy(ours->text, name, used);
        ours->text[used++] = ' ';
        ours->name_bytes = (uint32_t)used - 1;
    }
    vsnprintf(ours->text + used, sizeof ours->text - used, format, arguments);
    keep_one_line(ours->text);
    hand_over(error, ours);
}

ninho_status ninho_error_set(ninho_error *error, ninho_status status, const char *format,
                             ...)
{
    ninho_error ours = {.status = status, .offset = UINT64_MAX};
    va_list arguments;

    va_start(arguments, format);
    set(error, &ours, format, arguments);
    va_end(arguments);
    return status;
}

void nh_error_set_at(ninho_error *error, ninho_status status, uint64_t offset,
                     const char *format, ...)
{
    ninho_error ours = {.status = status, .offset = offset};
    va_list arguments;

    va_start(arguments, format);
    set(error, &ours, format, arguments);
    va_end(arguments);
}

void nh_error_set_field(ninho_error *error, ninho_status status, ninho_field field,
                        double least, double most, const char *format, ...)
{
    ninho_error ours = {.status = status,
                        .field = field,
                        .name_bytes = 1,
                        .least = least,
                        .most = most,
                        .offset = UINT64_MAX};
    va_list arguments;

    va_start(arguments, format);
    set(error, &ours, format, arguments);
    va_end(arguments);
}

ninho_status ninho_error_set_errno(ninho_error *error, int system_errno, const char *what)
{
    ninho_error ours = {
        .status = NINHO_ERR_IO, .system_errno = system_errno, .offset = UINT64_MAX};

    if (!error)
        return NINHO_ERR_IO;
    /* strerror_r has two incompatible forms; strerror's static buffer is only written for
     * unknown numbers, which the system does not hand out. */
    snprintf(ours.text, sizeof ours.text, "%s: %s", what, strerror(system_errno));
    hand_over(error, &ours);
    return NINHO_ERR_IO;
}
