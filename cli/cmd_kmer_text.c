/* SPDX-License-Identifier: MIT */
/* What `ninho kmer check` writes: results as lines, and records as FASTA or FASTQ. Numbers are
 * written by hand, since printf would take longer than looking the k-mers up. */
#include <string.h>

#include "cmd_kmer.h"
#include "json.h"

/* Writes digits, and answers where they end. */
static char *write_number(char *to, uint64_t value)
{
    char digits[20];
    size_t n = 0;

    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (n)
        *to++ = digits[--n];
    return to;
}

/* found / kmers with four decimals, rounded to the nearest: printf's %.4f, at a tenth of its time. */
static char *write_fraction(char *to, uint64_t found, uint64_t kmers)
{
    const uint64_t scaled = kmers < UINT64_MAX / 20000
                                ? (found * 20000 + kmers) / (2 * kmers)
                                : found / (kmers / 10000);
    uint64_t rest = scaled % 10000;

    to = write_number(to, scaled / 10000);
    *to++ = '.';
    for (int i = 3; i >= 0; i--) {
        to[i] = (char)('0' + rest % 10);
        rest /= 10;
    }
    return to + 4;
}

/* A name as JSON has it; up to six bytes for one. */
static char *write_escaped(char *to, const char *name, size_t size)
{
    char shown[JSON_ROOM];
    size_t n_shown = 0;

    for (size_t at = 0; at < size; to += n_shown) {
        at += json_escape(name + at, size - at, shown, &n_shown);
        memcpy(to, shown, n_shown);
    }
    return to;
}

static char *write_literal(char *to, const char *text)
{
    const size_t size = strlen(text);

    memcpy(to, text, size);
    return to + size;
}

/* More than the numbers of a line and the words between them take. */
#define LINE_BYTES 200

void kmer_add_line(struct text *lines, const char *name, size_t name_size,
                   const ninho_kmer_count *count, bool as_json)
{
    char *start = text_reserve(lines, LINE_BYTES + (as_json ? 6 : 1) * name_size);
    char *to = start;

    if (!to)
        return;
    if (as_json) {
        to = write_literal(to, "{\"name\": \"");
        to = write_escaped(to, name, name_size);
        to = write_literal(to, "\", \"kmers\": ");
        to = write_number(to, count->n_kmers);
        to = write_literal(to, ", \"found\": ");
        to = write_number(to, count->n_found);
        to = write_literal(to, ", \"fraction\": ");
        to = count->n_kmers ? write_fraction(to, count->n_found, count->n_kmers)
                            : write_literal(to, "null");
        to = write_literal(to, ", \"skipped\": ");
        to = write_number(to, count->n_skipped);
        to = write_literal(to, "}\n");
    } else {
        memcpy(to, name, name_size);
        to += name_size;
        *to++ = '\t';
        to = write_number(to, count->n_kmers);
        *to++ = '\t';
        to = write_number(to, count->n_found);
        *to++ = '\t';
        to = count->n_kmers ? write_fraction(to, count->n_found, count->n_kmers)
                            : write_literal(to, "NA");
        *to++ = '\n';
    }
    lines->size += (size_t)(to - start);
}

void kmer_add_header(struct text *text, const ninho_kmer_record *record)
{
    char *to = text_reserve(text, record->name_size + record->comment_size + 4);
    char *const start = to;

    if (!to)
        return;
    *to++ = record->quality ? '@' : '>';
    memcpy(to, record->name, record->name_size);
    to += record->name_size;
    if (record->comment_size) {
        *to++ = ' ';
        memcpy(to, record->comment, record->comment_size);
        to += record->comment_size;
    }
    *to++ = '\n';
    text->size += (size_t)(to - start);
}

void kmer_add_record(struct text *text, const ninho_kmer_record *record)
{
    kmer_add_header(text, record);
    text_append(text, record->bases, record->n_bases);
    text_append(text, "\n+\n", record->quality ? 3 : 1);
    if (record->quality) {
        text_append(text, record->quality, record->n_bases);
        text_append(text, "\n", 1);
    }
}
