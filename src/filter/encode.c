/* SPDX-License-Identifier: MIT */
/* Filters into framed bytes: at once, in pieces, or to the caller's function. */
#include <assert.h>
#include <string.h>

#include "base/status.h"
#include "filter/codec.h"
#include "hash/hash.h"

static const uint8_t zeros[NH_BODY_ALIGN];

uint64_t nh_framed_size(uint32_t n_parts, uint32_t meta_size, uint64_t body_size)
{
    struct nh_frame frame = {.n_parts = 1, .meta_size = meta_size};

    frame.parts[0].size = 0;
    (void)nh_frame_lay_out(&frame);
    /* The header grows by whole lines of 64 bytes, one for each further part. */
    return frame.header_size + (uint64_t)NH_PART_BYTES * (n_parts - 1) + body_size;
}

uint64_t nh_count_of(const ninho_filter *filter)
{
    struct nh_tally tally = {0};
    const bool has_uncounted = nh_has_uncounted(filter);

    if (!filter->parts[0].is_bare && !has_uncounted)
        return filter->count;
    filter->part_family->tally(filter->parts, NULL, &tally);
    if (!has_uncounted)
        return tally.copies;
    const uint64_t most = NH_MAX_COUNT / 2;
    return tally.n_keys < (double)most ? (uint64_t)(tally.n_keys + 0.5) : most;
}

/* A file may say that it holds the most keys there can be; what is added then is not counted, so
 * that what was read can be changed, written and read again. */
static uint64_t stored_count(uint64_t count)
{
    return count < NH_MAX_COUNT ? count : NH_MAX_COUNT;
}

/* The kind of a part in files. */
static uint16_t number_of(const struct nh_family *family, const struct nh_part *part)
{
    return family->number ? part->number : (uint16_t)family->kind;
}

void nh_frame_of(const ninho_filter *filter, struct nh_frame *frame)
{
    frame->kind = number_of(filter->family, filter->parts);
    frame->key_encoding = (uint8_t)filter->key_encoding;
    frame->hash = (uint8_t)filter->hasher.id;
    frame->flags = filter->count_is_estimate || nh_has_uncounted(filter)
                       ? NH_FLAG_COUNT_IS_ESTIMATE
                       : 0;
    frame->seed = filter->hasher.seed;
    frame->key_check = filter->key_check;
    frame->capacity = filter->capacity;
    frame->count = stored_count(nh_count_of(filter));
    frame->fpr = filter->fpr;
    frame->options = filter->options;
    frame->n_parts = filter->n_parts;
    frame->meta = filter->meta;
    frame->meta_size = filter->meta_size;
    for (uint32_t i = 0; i < filter->n_parts; i++) {
        const struct nh_part *part = &filter->parts[i];
        frame->parts[i] = (struct nh_frame_part){
            .kind = number_of(filter->part_family, part),
            .n_hashes = part->n_hashes,
            .capacity = part->capacity,
            .count = part->is_bare || nh_has_uncounted(filter)
                         ? frame->count
                         : stored_count(part->count),
            .n_cells = part->n_cells,
            .words = {part->stored[0], part->stored[1]},
            .size = part->size,
        };
    }
    if (filter->attachment_size)
        frame->parts[frame->n_parts++] = (struct nh_frame_part){
            .kind = NH_ATTACHMENT,
            .n_cells = filter->attachment_size,
            .size = filter->attachment_size,
        };
    const ninho_status status = nh_frame_lay_out(frame);
    assert(!status); /* the tables are in memory: their sum can be addressed */
    (void)status;
}

size_t ninho_filter_encoded_size(const ninho_filter *filter)
{
    struct nh_frame frame;

    if (!filter)
        return 0;
    nh_frame_of(filter, &frame);
    return (size_t)(frame.header_size + frame.body_size);
}

/* The bytes of record i of the frame: a table's, or the attachment's. */
static const uint8_t *bytes_of(const ninho_filter *filter, uint32_t i)
{
    return i < filter->n_parts ? filter->parts[i].body : filter->attachment;
}

/* The checksum of the body. */
static uint64_t sum_up(const ninho_filter *filter, const struct nh_frame *frame)
{
    struct nh_checksum sum;

    nh_checksum_start(&sum);
    for (uint32_t i = 0; i < frame->n_parts; i++) {
        nh_checksum_add(&sum, zeros, nh_frame_gap(frame, i));
        nh_checksum_add(&sum, bytes_of(filter, i), (size_t)frame->parts[i].size);
    }
    return nh_checksum_end(&sum);
}

/* The header, the gaps and the tables, one after another. */
static ninho_status write_all(const ninho_filter *filter, struct nh_frame *frame,
                              ninho_write write, void *context, ninho_error *error)
{
    uint8_t header[NH_MAX_HEADER];

    frame->body_checksum = sum_up(filter, frame);
    nh_frame_encode(frame, header);
    ninho_status status = write(context, header, frame->header_size, error);
    for (uint32_t i = 0; !status && i < frame->n_parts; i++) {
        if (nh_frame_gap(frame, i))
            status = write(context, zeros, nh_frame_gap(frame, i), error);
        if (!status)
            status =
                write(context, bytes_of(filter, i), (size_t)frame->parts[i].size, error);
    }
    return status;
}

ninho_status ninho_filter_write(const ninho_filter *filter, ninho_write write,
                                void *context, ninho_error *error)
{
    struct nh_frame frame;

    if (!filter || !write)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", filter ? "write" : "filter");
    nh_frame_of(filter, &frame);
    return write_all(filter, &frame, write, context, error);
}

static ninho_status to_memory(void *context, const void *bytes, size_t size,
                              ninho_error *error)
{
    uint8_t **const at = context;

    (void)error;
    memcpy(*at, bytes, size);
    *at += size;
    return NINHO_OK;
}

ninho_status ninho_filter_encode(const ninho_filter *filter, void *bytes, size_t capacity,
                                 size_t *size)
{
    struct nh_frame frame;

    if (!filter)
        return NINHO_ERR_ARG;
    nh_frame_of(filter, &frame);
    const size_t needed = (size_t)(frame.header_size + frame.body_size);
    if (size)
        *size = needed;
    if (capacity < needed)
        return NINHO_ERR_SPACE;
    if (!bytes)
        return NINHO_ERR_ARG;
    uint8_t *at = bytes;
    return write_all(filter, &frame, to_memory, &at, NULL);
}

/* ---- In pieces --------------------------------------------------------------------- */

/* The part of `from`, which lies at `at` in the encoding, that falls into the range
 * [offset, offset + n) of it. */
static void copy_range(const uint8_t *from, uint64_t at, uint64_t size, uint8_t *bytes,
                       uint64_t offset, uint64_t n)
{
    const uint64_t first = at > offset ? at : offset;
    const uint64_t end = at + size < offset + n ? at + size : offset + n;

    if (first < end)
        memcpy(bytes + (first - offset), from + (first - at), (size_t)(end - first));
}

static void copy_header(ninho_encoder *encoder, struct nh_frame *frame, uint8_t *bytes,
                        uint64_t offset, uint64_t n)
{
    uint8_t header[NH_MAX_HEADER];

    if (!encoder->is_summed)
        encoder->checksum = sum_up(encoder->filter, frame);
    encoder->is_summed = true;
    frame->body_checksum = encoder->checksum;
    nh_frame_encode(frame, header);
    copy_range(header, 0, frame->header_size, bytes, offset, n);
}

ninho_status ninho_encoder_read(ninho_encoder *encoder, uint64_t offset, void *bytes,
                                size_t n)
{
    struct nh_frame frame;

    if (!encoder || !encoder->filter || (n && !bytes))
        return NINHO_ERR_ARG;
    nh_frame_of(encoder->filter, &frame);
    const uint64_t size = frame.header_size + frame.body_size;
    if (offset > size || n > size - offset)
        return NINHO_ERR_ARG;
    if (n == 0)
        return NINHO_OK;
    uint64_t at = frame.header_size;
    if (offset < at)
        copy_header(encoder, &frame, bytes, offset, n);
    for (uint32_t i = 0; i < frame.n_parts; i++) {
        copy_range(zeros, at, nh_frame_gap(&frame, i), bytes, offset, n);
        at += nh_frame_gap(&frame, i);
        copy_range(bytes_of(encoder->filter, i), at, frame.parts[i].size, bytes, offset,
                   n);
        at += frame.parts[i].size;
    }
    return NINHO_OK;
}
