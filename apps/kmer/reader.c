/* SPDX-License-Identifier: MIT */
/* The reader: from a source to batches, whatever the format. */
#include "reader.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/base/base.h"
#include "inside.h"

#define BLOCK_BYTES ((size_t)256 << 10)

/* ---- Memory and errors --------------------------------------------------------------------- */

ninho_status nh_kmer_fail_at(ninho_kmer_reader *reader, uint64_t line, const char *format,
                             ...)
{
    char text[sizeof reader->failure.text];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return na_fail(&reader->failure, NINHO_ERR_FORMAT, "line %" PRIu64 ": %s", line,
                   text);
}

ninho_status nh_kmer_no_memory(ninho_kmer_reader *reader)
{
    return na_no_memory(&reader->failure);
}

bool nh_kmer_grow(char **data, size_t *room, size_t size)
{
    if (size <= *room)
        return true;
    size_t wanted = *room ? *room : 4096;
    while (wanted < size)
        wanted = wanted <= SIZE_MAX / 2 ? 2 * wanted : size;
    char *moved = realloc(*data, wanted);
    if (!moved)
        return false;
    *data = moved;
    *room = wanted;
    return true;
}

bool nh_kmer_bytes_set(struct bytes *bytes, const char *data, size_t size)
{
    if (!nh_kmer_grow(&bytes->data, &bytes->room, size ? size : 1))
        return false;
    memmove(bytes->data, data, size);
    bytes->size = size;
    return true;
}

struct place *nh_kmer_new_place(ninho_kmer_reader *reader)
{
    if (reader->n_places == reader->places_room) {
        const size_t room = reader->places_room ? 2 * reader->places_room : 256;
        struct place *places = realloc(reader->places, room * sizeof *places);
        if (!places)
            return NULL;
        reader->places = places;
        reader->places_room = room;
    }
    struct place *place = &reader->places[reader->n_places++];
    *place = (struct place){.is_first = true, .is_last = true};
    return place;
}

void ninho_kmer_batch_free(ninho_kmer_batch *batch)
{
    free(batch->records);
    free(batch->text);
    *batch = (ninho_kmer_batch){0};
}

size_t ninho_kmer_batch_bytes(const ninho_kmer_batch *batch)
{
    return batch->text_room + batch->room * sizeof *batch->records;
}

/* ---- BAM ----------------------------------------------------------------------------------- */

/* Appends to the text; *at is where. */
static bool append(ninho_kmer_batch *batch, const char *bytes, size_t size, size_t *at)
{
    if (!nh_kmer_grow(&batch->text, &batch->text_room, batch->text_size + size + 1))
        return false;
    if (size)
        memcpy(batch->text + batch->text_size, bytes, size);
    *at = batch->text_size;
    batch->text_size += size;
    return true;
}

static ninho_status bad_read(ninho_kmer_reader *reader, const char *what)
{
    return na_fail(&reader->failure, NINHO_ERR_FORMAT, "record %" PRIu64 " %s",
                   reader->line - 1 + nh_source_passed_over(reader->source), what);
}

static ninho_status alignments_next(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                                    struct wanted wanted)
{
    /* A read may have neither bases nor a name: it counts as two bytes, which is what the smallest
     * record of FASTA has, or else a batch of such reads would never be full. */
    for (;;) {
        const bool is_enough = reader->n_places >= wanted.at_least &&
                               (batch->text_size >= reader->block_bytes ||
                                2 * reader->n_places >= reader->block_bytes);
        if (is_enough || (wanted.at_most && reader->n_places == wanted.at_most))
            return NINHO_OK;
        struct source_record record = {0};
        bool has_one = false;
        const ninho_status status = nh_source_next_read(
            reader->source, reader->record_limit, &record, &has_one, &reader->failure);
        if (status || !has_one)
            return status;
        reader->line++; /* of records, here */
        const size_t size = record.name_size + 2 * record.n_bases;
        if (record.is_too_long || size > reader->record_limit)
            return bad_read(reader, "is longer than the largest record that can be kept");
        if (wanted.at_most && size > reader->record_limit - batch->text_size)
            return bad_read(reader, "and those before it are more than can be kept");
        for (size_t i = 0; i < record.name_size; i++)
            if (record.name[i] < 0x21 || record.name[i] > 0x7E)
                return bad_read(reader, "has a name with bytes that names cannot have");
        struct place *place = nh_kmer_new_place(reader);
        if (!place)
            return nh_kmer_no_memory(reader);
        place->header_size = record.name_size;
        place->n_bases = record.n_bases;
        place->has_quality = true;
        if (!append(batch, record.name, record.name_size, &place->header) ||
            !append(batch, record.bases, record.n_bases, &place->bases) ||
            !append(batch, record.quality, record.n_bases, &place->quality))
            return nh_kmer_no_memory(reader);
    }
}

/* ---- The reader ---------------------------------------------------------------------------- */

/* From offsets to pointers, now that the text stays where it is. */
static ninho_status finish(ninho_kmer_reader *reader, ninho_kmer_batch *batch)
{
    const size_t n = reader->n_places;

    if (n > batch->room) {
        ninho_kmer_record *records = realloc(batch->records, n * sizeof *records);
        if (!records)
            return nh_kmer_no_memory(reader);
        batch->records = records;
        batch->room = n;
    }
    batch->n_bases = 0;
    for (size_t i = 0; i < n; i++) {
        const struct place *place = &reader->places[i];
        const char *header = batch->text + place->header;
        const size_t header_size = nh_kmer_trimmed(header, place->header_size);
        size_t name_size = 0;
        while (name_size < header_size && header[name_size] != ' ' &&
               header[name_size] != '\t')
            name_size++;
        size_t comment = name_size;
        while (comment < header_size && nh_kmer_is_blank(header[comment]))
            comment++;
        batch->records[i] = (ninho_kmer_record){
            .name = header,
            .name_size = name_size,
            .comment = header + comment,
            .comment_size = header_size - comment,
            .bases = batch->text + place->bases,
            .n_bases = place->n_bases,
            .n_overlap = place->n_overlap,
            .quality = place->has_quality ? batch->text + place->quality : NULL,
            .is_first = place->is_first,
            .is_last = place->is_last,
        };
        batch->n_bases += place->n_bases - place->n_overlap;
    }
    batch->n = n;
    return NINHO_OK;
}

/* Puts what the last batch left over in front, and reads a block. */
static ninho_status begin_text(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                               size_t *at)
{
    size_t where = 0;

    if (reader->is_inside &&
        (!append(batch, reader->header.data, reader->header.size, &where) ||
         !append(batch, reader->carry.data, reader->carry.size, &where)))
        return nh_kmer_no_memory(reader);
    *at = batch->text_size;
    if (!append(batch, reader->rest.data, reader->rest.size, &where))
        return nh_kmer_no_memory(reader);
    reader->rest.size = 0;
    ninho_status status = nh_kmer_fill(reader, batch, *at + reader->block_bytes);
    if (!status && reader->format == FORMAT_UNKNOWN)
        status = nh_kmer_detect(reader, batch);
    return status;
}

static ninho_status next_text(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                              struct wanted wanted)
{
    size_t at = 0;
    ninho_status status = begin_text(reader, batch, &at);

    if (status)
        return status;
    status = reader->format == FORMAT_FASTA
                 ? nh_kmer_fasta_next(reader, batch, wanted, &at)
                 : nh_kmer_fastq_next(reader, batch, wanted, &at);
    if (!status &&
        !nh_kmer_bytes_set(&reader->rest, batch->text + at, batch->text_size - at))
        status = nh_kmer_no_memory(reader);
    return status;
}

static ninho_status next(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                         struct wanted wanted, ninho_error *error)
{
    batch->n = 0;
    batch->n_bases = 0;
    batch->text_size = 0;
    reader->n_places = 0;
    if (!reader->failed)
        reader->failed = nh_source_content(reader->source) == SOURCE_ALIGNMENTS
                             ? alignments_next(reader, batch, wanted)
                             : next_text(reader, batch, wanted);
    if (!reader->failed)
        reader->failed = finish(reader, batch);
    if (reader->failed)
        na_error_copy(error, &reader->failure);
    return reader->failed;
}

ninho_status ninho_kmer_reader_next(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                                    size_t n_records, ninho_error *error)
{
    return next(reader, batch, (struct wanted){n_records, n_records}, error);
}

ninho_status ninho_kmer_reader_next_whole(ninho_kmer_reader *reader,
                                          ninho_kmer_batch *batch, size_t max_records,
                                          ninho_error *error)
{
    assert(max_records > 0);
    return next(reader, batch, (struct wanted){1, max_records}, error);
}

void nh_kmer_reader_set_sizes(ninho_kmer_reader *reader, size_t block_bytes,
                              size_t record_limit)
{
    assert(block_bytes > 0);
    reader->block_bytes = block_bytes;
    reader->record_limit = record_limit;
}

void ninho_kmer_reader_set_limit(ninho_kmer_reader *reader, size_t limit)
{
    reader->record_limit =
        limit < NINHO_KMER_RECORD_LIMIT ? limit : NINHO_KMER_RECORD_LIMIT;
}

static ninho_status wrap(struct source *source, size_t overlap, ninho_kmer_reader **out,
                         ninho_error *error)
{
    ninho_kmer_reader *reader = calloc(1, sizeof *reader);

    if (!reader) {
        nh_source_close(source);
        return na_no_memory(error);
    }
    reader->source = source;
    reader->overlap = overlap;
    nh_kmer_reader_set_sizes(reader, BLOCK_BYTES, NINHO_KMER_RECORD_LIMIT);
    reader->line = 1;
    *out = reader;
    return NINHO_OK;
}

ninho_status ninho_kmer_reader_open(const char *path, size_t overlap,
                                    ninho_kmer_reader **out, ninho_error *error)
{
    struct source *source = NULL;
    const ninho_status status = nh_source_open(path, &source, error);

    return status ? status : wrap(source, overlap, out, error);
}

ninho_status ninho_kmer_reader_memory(const void *bytes, size_t size, size_t overlap,
                                      ninho_kmer_reader **out, ninho_error *error)
{
    struct source *source = NULL;
    const ninho_status status = nh_source_memory(bytes, size, &source, error);

    return status ? status : wrap(source, overlap, out, error);
}

void ninho_kmer_reader_close(ninho_kmer_reader *reader)
{
    if (!reader)
        return;
    nh_source_close(reader->source);
    free(reader->rest.data);
    free(reader->header.data);
    free(reader->carry.data);
    free(reader->places);
    free(reader);
}

uint64_t ninho_kmer_reader_bytes(const ninho_kmer_reader *reader)
{
    return nh_source_bytes(reader->source);
}

uint64_t ninho_kmer_reader_size(const ninho_kmer_reader *reader)
{
    return nh_source_size(reader->source);
}

uint64_t ninho_kmer_reader_passed_over(const ninho_kmer_reader *reader)
{
    return nh_source_passed_over(reader->source);
}
