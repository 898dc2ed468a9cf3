/* SPDX-License-Identifier: MIT */
#include "keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/numbers.h"

/* ---- Options ------------------------------------------------------------------------------- */

#define KEY_ROWS(delimiter_letter)                                                   \
    {FLAG("null", struct key_options, nul, "keys end with NUL"), .letter = '0'},     \
        {FLAG("crlf", struct key_options, crlf, "keys end with CR LF")},             \
        {VALUE("delimiter", "DELIM", parse_text, struct key_options, delimiter,      \
               "what is between fields"),                                            \
         .letter = (delimiter_letter)},                                              \
        {VALUE("field", "FIELD", parse_text, struct key_options, field,              \
               "the field that is the key"),                                         \
         .letter = 'f'},                                                             \
        {FLAG("csv", struct key_options, csv, "comma-separated values")},            \
        {FLAG("tsv", struct key_options, tsv, "tab-separated values")},              \
        {FLAG("jsonl", struct key_options, jsonl, "a JSON object on each line")},    \
        {FLAG("ignore-case", struct key_options, ignore_case, "fold ASCII letters"), \
         .letter = 'i'},                                                             \
        {FLAG("bom", struct key_options, bom, "take off a byte-order mark")},        \
    {                                                                                \
        FLAG("no-decompress", struct key_options, no_decompress,                     \
             "take bytes as they are")                                               \
    }

const struct option key_options[] = {KEY_ROWS('d'), {0}};
const struct option key_options_of_uniq[] = {KEY_ROWS('t'), {0}};

#define MOST_COLUMNS ((uint64_t)1 << 20)

/* The number of a column, counted from 1; false: it is a name. */
static bool read_column(const char *text, uint64_t *column)
{
    return text[strspn(text, "0123456789")] == '\0' &&
           read_count(text, column) == COUNT_OK;
}

static int set_field(struct field_rule *rule, const struct command *command,
                     const struct key_options *options)
{
    uint64_t column = 0;

    if (rule->manner == FIELD_JSON) {
        rule->name = options->field;
        return EXIT_YES;
    }
    if (read_column(options->field, &column)) {
        if (column < 1 || column > MOST_COLUMNS)
            return usage_error(command, "-f %.100s: fields are counted from 1 to %d",
                               options->field, (int)MOST_COLUMNS);
        rule->column = (size_t)column - 1;
        return EXIT_YES;
    }
    if (!options->csv && !options->tsv)
        return usage_error(
            command,
            "-f %.100s: must be the number of a field; with --csv and --tsv "
            "it may be a name of the header, with --jsonl it is a member",
            options->field);
    rule->name = options->field;
    return EXIT_YES;
}

static int set_delimiter(struct field_rule *rule, const struct command *command,
                         const struct key_options *options)
{
    const char *text = options->delimiter ? options->delimiter
                       : options->csv     ? ","
                                          : "\t";

    if (strcmp(text, "\\t") == 0)
        text = "\t";
    rule->delimiter_size = strlen(text);
    if (rule->delimiter_size >= sizeof rule->delimiter)
        return usage_error(command, "--delimiter %.100s: has more than %zu bytes", text,
                           sizeof rule->delimiter - 1);
    if (options->csv && (rule->delimiter_size != 1 || strchr("\"\n\r", text[0])))
        return usage_error(command,
                           "--delimiter %.100s: is one byte with --csv, and no "
                           "quote",
                           text);
    memcpy(rule->delimiter, text, rule->delimiter_size);
    return EXIT_YES;
}

static int check_manner(const struct command *command, const struct key_options *options)
{
    if (options->csv + options->tsv + options->jsonl > 1)
        return usage_error(command, "--csv, --tsv and --jsonl exclude each other");
    const char *manner = options->csv     ? "--csv"
                         : options->tsv   ? "--tsv"
                         : options->jsonl ? "--jsonl"
                                          : NULL;
    if (manner && !options->field)
        return usage_error(command, "%s needs the field that is the key: -f FIELD",
                           manner);
    if (options->delimiter && !options->field)
        return usage_error(command, "--delimiter needs the field that is the key: -f N");
    if (options->delimiter && (options->tsv || options->jsonl))
        return usage_error(command, "--delimiter and %s exclude each other", manner);
    if (options->nul && (options->csv || options->tsv))
        return usage_error(command, "-0 and %s exclude each other", manner);
    return EXIT_YES;
}

int key_lines_init(struct key_format *format, const struct command *command,
                   const struct key_options *options)
{
    int status = check_manner(command, options);

    if (options->nul && options->crlf)
        return usage_error(command, "-0 and --crlf exclude each other");
    *format = (struct key_format){
        .encoding = NINHO_KEY_BYTES,
        .separator = options->nul ? '\0' : '\n',
        .strips_cr = options->crlf || options->csv || options->tsv,
        .strips_bom = options->bom || options->csv || options->tsv || options->jsonl,
        .unpacks = !options->no_decompress};
    struct field_rule *rule = &format->field;
    rule->folds_case = options->ignore_case;
    if (options->field)
        rule->manner = options->csv     ? FIELD_CSV
                       : options->jsonl ? FIELD_JSON
                                        : FIELD_DELIMITED;
    if (!status && options->field)
        status = set_delimiter(rule, command, options);
    if (!status && options->field)
        status = set_field(rule, command, options);
    format->is_part = field_is_part(rule);
    return status;
}

int key_format_init(struct key_format *format, const struct args *args,
                    const struct key_options *options, ninho_key_encoding encoding,
                    const ninho_hasher *hasher, const char *filter_name)
{
    const int status = key_lines_init(format, args->command, options);

    if (status)
        return status;
    if (encoding != NINHO_KEY_BYTES && encoding != NINHO_KEY_INT64)
        return fail_as("unsupported",
                       "%s: its keys are of type %s; this command knows bytes and int64",
                       filter_name, ninho_key_encoding_name(encoding));
    format->hasher = *hasher;
    format->encoding = encoding;
    return EXIT_YES;
}

/* ---- Chunks -------------------------------------------------------------------------------- */

bool chunk_init(struct chunk *chunk, bool with_hashes, bool with_spans)
{
    *chunk = (struct chunk){.room = CHUNK_BYTES + 1};
    chunk->data = malloc(chunk->room);
    /* As many keys as there can be lines: a long one, and then only separators. */
    if (with_hashes)
        chunk->hashes = malloc((CHUNK_BYTES + 2) * sizeof *chunk->hashes);
    if (with_spans) {
        chunk->starts = malloc((CHUNK_BYTES + 2) * sizeof *chunk->starts);
        chunk->ends = malloc((CHUNK_BYTES + 2) * sizeof *chunk->ends);
    }
    if (chunk->data && (chunk->hashes || !with_hashes) &&
        ((chunk->starts && chunk->ends) || !with_spans))
        return true;
    chunk_free(chunk);
    return false;
}

void chunk_free(struct chunk *chunk)
{
    free(chunk->data);
    free(chunk->keys);
    free(chunk->hashes);
    free(chunk->starts);
    free(chunk->ends);
    *chunk = (struct chunk){0};
}

void chunk_begin_keys(struct chunk *chunk)
{
    chunk->n_keys = chunk->n_skipped = chunk->n_more_lines = 0;
}

/* ---- Lines --------------------------------------------------------------------------------- */

/* The line at *line without its end, and *line moved behind it. */
static size_t take_line(const struct key_format *format, const char **line,
                        const char *end)
{
    const char *stop = memchr(*line, format->separator, (size_t)(end - *line));
    size_t size = (size_t)(stop - *line);

    if (format->strips_cr && size && stop[-1] == '\r')
        size--;
    *line = stop + 1;
    return size;
}

/* The key of the line at *line, and *line moved behind that: for all but whole lines. NULL: it has
 * none. */
static const char *take_key(const struct key_format *format, struct chunk *chunk,
                            const char **line, uint64_t n_before, size_t *size)
{
    const char *const end = chunk->data + chunk->size;
    const struct field_rule *rule = &format->field;
    const struct field field = field_find(
        rule, rule->name ? chunk->column : rule->column, *line, end, format->separator,
        format->strips_cr, chunk->keys + (*line - chunk->data));

    *line = field.next;
    *size = field.size;
    if (!field.key && chunk->n_skipped++ == 0)
        chunk->first_skipped = n_before + chunk->n_more_lines;
    chunk->n_more_lines += field.n_more_lines;
    return field.key;
}

static bool hash_key(const struct key_format *format, const char *key, size_t size,
                     uint64_t *hash)
{
    int64_t value = 0;

    if (format->encoding != NINHO_KEY_INT64) {
        *hash = ninho_hash_bytes(&format->hasher, key, size);
        return true;
    }
    if (!read_int64(key, size, &value))
        return false;
    *hash = ninho_hash_int64(&format->hasher, value);
    return true;
}

static size_t hash_fields(const struct key_format *format, struct chunk *chunk,
                          size_t *at, size_t max, uint64_t *hashes, uint32_t *starts,
                          uint32_t *ends)
{
    const char *line = chunk->data + *at;
    const char *const end = chunk->data + chunk->size;
    size_t n = 0;

    while (n < max && line < end) {
        const char *const start = line;
        size_t size = 0;
        const char *key = take_key(format, chunk, &line, chunk->n_keys + n, &size);
        if (!key)
            continue;
        if (!hash_key(format, key, size, &hashes[n])) {
            chunk->has_bad_key = true;
            break;
        }
        if (starts) {
            starts[n] = (uint32_t)(start - chunk->data);
            ends[n] = (uint32_t)(line - chunk->data);
        }
        n++;
    }
    *at = (size_t)(line - chunk->data);
    return n;
}

size_t keys_hash(const struct key_format *format, struct chunk *chunk, size_t *at,
                 size_t max, uint64_t *hashes, uint32_t *starts, uint32_t *ends)
{
    if (format->is_part)
        return hash_fields(format, chunk, at, max, hashes, starts, ends);

    const char *line = chunk->data + *at;
    const char *const end = chunk->data + chunk->size;
    size_t n = 0;

    for (; n < max && line < end; n++) {
        const char *const key = line;
        const size_t size = take_line(format, &line, end);
        if (format->encoding == NINHO_KEY_INT64) {
            int64_t value = 0;
            if (!read_int64(key, size, &value)) {
                chunk->has_bad_key = true;
                break;
            }
            hashes[n] = ninho_hash_int64(&format->hasher, value);
        } else {
            hashes[n] = ninho_hash_bytes(&format->hasher, key, size);
        }
        if (ends)
            ends[n] = (uint32_t)(line - chunk->data);
    }
    *at = (size_t)(line - chunk->data);
    return n;
}

size_t keys_take(const struct key_format *format, struct chunk *chunk, size_t *at,
                 struct key_batch *batch)
{
    const char *line = chunk->data + *at;
    const char *const end = chunk->data + chunk->size;
    size_t n = 0;

    while (n < KEY_BATCH && line < end) {
        const char *key = line;
        batch->starts[n] = (uint32_t)(line - chunk->data);
        if (!format->is_part)
            batch->sizes[n] = take_line(format, &line, end);
        else
            key = take_key(format, chunk, &line, chunk->n_keys + n, &batch->sizes[n]);
        if (!key)
            continue;
        batch->keys[n] = key;
        batch->ends[n] = (uint32_t)(line - chunk->data);
        if (format->encoding == NINHO_KEY_INT64) {
            int64_t value = 0;
            if (!read_int64(key, batch->sizes[n], &value)) {
                chunk->has_bad_key = true;
                break;
            }
            for (unsigned i = 0; i < 8; i++)
                batch->numbers[n][i] = (uint8_t)((uint64_t)value >> (8 * i));
            batch->keys[n] = batch->numbers[n];
            batch->sizes[n] = sizeof batch->numbers[n];
        }
        n++;
    }
    *at = (size_t)(line - chunk->data);
    return n;
}
