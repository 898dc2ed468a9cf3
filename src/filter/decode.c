/* SPDX-License-Identifier: MIT */
/* Filters from framed bytes.
 *
 * There is one way in: `adopt` turns a checked frame into a filter whose parts have no
 * bodies yet; a view then points them at the caller's bytes, read fetches them from a file
 * or a stream, and decode copies a verified view. */
#include <assert.h>
#include <string.h>

#include "base/status.h"
#include "filter/codec.h"
#include "hash/hash.h"

#define nh_fail_unknown(error, what, number)                                           \
    nh_fail((error), NINHO_ERR_VERSION, "%s %u is not known to this version of ninho", \
            (what), (unsigned)(number))

/* Fills in the secret, or seals the filter. */
static ninho_status unlock(ninho_filter *filter, const uint8_t *secret, bool allow_sealed,
                           ninho_error *error)
{
    if (!filter->key_check)
        return secret ? nh_fail(
                            error, NINHO_ERR_KEY_UNUSED,
                            "a secret key was given, but the filter was made without one")
                      : NINHO_OK;
    if (secret) {
        if (ninho_secret_check(secret) != filter->key_check)
            return nh_fail(error, NINHO_ERR_KEY_WRONG,
                           "the secret key is not the filter's");
        memcpy(filter->hasher.secret, secret, NINHO_SECRET_BYTES);
        return NINHO_OK;
    }
    if (!allow_sealed)
        return nh_fail(error, NINHO_ERR_KEY_MISSING,
                       "the filter is keyed: its secret key is needed");
    filter->is_sealed = true;
    return NINHO_OK;
}

static ninho_status adopt_part(const struct nh_frame *frame, uint32_t i,
                               const struct nh_family *part_family, struct nh_part *part,
                               ninho_error *error)
{
    const struct nh_frame_part *const from = &frame->parts[i];

    *part = (struct nh_part){
        .size = from->size,
        .n_cells = from->n_cells,
        .stored = {from->words[0], from->words[1]},
        .capacity = from->capacity,
        .count = from->count,
        .n_hashes = from->n_hashes,
        .number = part_family->number ? from->kind : 0,
    };
    if (from->kind != (part_family->number ? frame->kind : part_family->kind))
        return nh_fail_invalid(error, "kind of a part", nh_part_at(i, NH_PART_KIND));
    if (from->capacity < 1 || from->capacity > NH_MAX_COUNT)
        return nh_fail_invalid(error, "capacity of a part",
                               nh_part_at(i, NH_PART_CAPACITY));
    if (from->count > NH_MAX_COUNT)
        return nh_fail_invalid(error, "count of a part", nh_part_at(i, NH_PART_COUNT));
    if (!part_family->fits(part))
        return nh_fail_invalid(error, "geometry of a part",
                               nh_part_at(i, NH_PART_N_HASHES));
    return NINHO_OK;
}

/* How many of the frame's parts are tables: all, or all but an attachment at the end. */
static uint32_t n_tables(const struct nh_frame *frame)
{
    return frame->n_parts - (frame->parts[frame->n_parts - 1].kind == NH_ATTACHMENT);
}

static ninho_status check_attachment(const struct nh_frame *frame, ninho_error *error)
{
    const struct nh_frame_part *last = &frame->parts[frame->n_parts - 1];

    if (n_tables(frame) < 1 || n_tables(frame) > NH_MAX_PARTS)
        return nh_fail_invalid(error, "number of parts", NH_AT_N_PARTS);
    if (last->kind == NH_ATTACHMENT &&
        (last->n_hashes || last->capacity || last->count || last->words[0] ||
         last->words[1] || !last->size || last->n_cells != last->size))
        return nh_fail_invalid(error, "attachment",
                               nh_part_at(frame->n_parts - 1, NH_PART_KIND));
    return NINHO_OK;
}

static ninho_status families_of(const struct nh_frame *frame,
                                const struct nh_family **family,
                                const struct nh_family **part_family, ninho_error *error)
{
    *family = nh_family_of(nh_kind_numbered(frame->kind));
    if (!*family)
        return nh_fail_unknown(error, "kind", frame->kind);
    *part_family = *family;
    if ((*family)->compound)
        *part_family = (*family)->compound->part_family_of(frame->options);
    else if (frame->options)
        return nh_fail_invalid(error, "option word", NH_AT_OPTIONS);
    if (!*part_family)
        return nh_fail_invalid(error, "option word", NH_AT_OPTIONS);
    if (n_tables(frame) > 1 && !(*family)->compound)
        return nh_fail_invalid(error, "number of parts", NH_AT_N_PARTS);
    return check_attachment(frame, error);
}

/* What the tables hold together; each count is below 2^60 and there are at most 32. */
static uint64_t n_stored(const struct nh_frame *frame)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n_tables(frame); i++)
        sum += frame->parts[i].count;
    return sum;
}

/* Fills a filter (zeroed but for families, alloc and parts) from a frame. The parts
 * get their geometry, not their bodies; metadata is borrowed from the frame. */
static ninho_status adopt(const struct nh_frame *frame, const ninho_open_options *options,
                          ninho_filter *filter, ninho_error *error)
{
    if (!ninho_hash_name((ninho_hash_id)frame->hash))
        return nh_fail_unknown(error, "hash", frame->hash);
    if (!ninho_key_encoding_name((ninho_key_encoding)frame->key_encoding))
        return nh_fail_unknown(error, "key encoding", frame->key_encoding);
    const bool is_keyed = frame->hash == NINHO_HASH_SIPHASH;
    if (is_keyed != (frame->key_check != 0))
        return nh_fail_invalid(error, "key check", NH_AT_KEY_CHECK);
    if (is_keyed && frame->seed)
        return nh_fail_invalid(error, "seed", NH_AT_SEED);
    if (frame->capacity < 1 || frame->capacity > UINT64_C(1) << 48)
        return nh_fail_invalid(error, "capacity", NH_AT_CAPACITY);
    if (!(frame->fpr > 0))
        return nh_fail_invalid(error, "fpr", NH_AT_FPR);
    if (frame->count > NH_MAX_COUNT)
        return nh_fail_invalid(error, "count", NH_AT_COUNT);
    if (!nh_meta_is_valid(frame->meta, frame->meta_size))
        return nh_fail_invalid(error, "metadata", nh_part_at(frame->n_parts, 0));
    nh_filter_hash_with(filter, (ninho_hash_id)frame->hash, frame->seed,
                        (ninho_key_encoding)frame->key_encoding);
    filter->key_check = frame->key_check;
    filter->capacity = frame->capacity;
    filter->count = frame->count;
    filter->options = frame->options;
    filter->fpr = frame->fpr;
    filter->count_is_estimate = frame->flags & NH_FLAG_COUNT_IS_ESTIMATE;
    filter->pages = options->pages;
    for (uint32_t i = 0; i < n_tables(frame); i++) {
        const ninho_status status =
            adopt_part(frame, i, filter->part_family, &filter->parts[i], error);
        if (status)
            return status;
    }
    if (filter->part_family->counts_itself && frame->count != n_stored(frame))
        return nh_fail_invalid(error, "count", NH_AT_COUNT);
    if (filter->capacity != filter->parts[0].capacity)
        return nh_fail_invalid(error, "capacity", NH_AT_CAPACITY);
    if (filter->part_family->is_nested &&
        !filter->part_family->is_nested(NULL, 0, filter->parts))
        return nh_fail_invalid(error, "geometry of a part",
                               nh_part_at(0, NH_PART_N_HASHES));
    if (filter->family->compound) {
        const ninho_status status =
            filter->family->compound->check_parts(filter, n_tables(frame), error);
        if (status)
            return status;
    }
    return unlock(filter, options->secret, options->allow_sealed, error);
}

/* Points the parts at bytes that are not the filter's own. */
static void borrow(ninho_filter *filter, const struct nh_frame *frame,
                   const uint8_t *bytes)
{
    const uint8_t *const body = bytes + frame->header_size;

    filter->n_parts = n_tables(frame);
    filter->is_read_only = true;
    filter->meta =
        (uint8_t *)(uintptr_t)frame->meta; /* read-only: never written through */
    filter->meta_size = frame->meta_size;
    filter->framed_body = body;
    filter->framed_size = frame->body_size;
    filter->framed_checksum = frame->body_checksum;
    for (uint32_t i = 0; i < filter->n_parts; i++) {
        filter->parts[i].body = (uint8_t *)(uintptr_t)(body + frame->parts[i].offset);
        nh_attach(filter->part_family, &filter->parts[i]);
    }
    if (filter->n_parts < frame->n_parts) {
        const struct nh_frame_part *last = &frame->parts[filter->n_parts];
        filter->attachment = (uint8_t *)(uintptr_t)(body + last->offset);
        filter->attachment_size = (size_t)last->size;
    }
}

/* What a ninho_view really is. */
struct view {
    ninho_filter filter;
    struct nh_part parts[NH_MAX_PARTS];
};

static struct view *view_in(ninho_view *storage)
{
    /* with a quarter to spare: the room is part of the binary interface, a view is not */
    static_assert(sizeof(struct view) <= sizeof(ninho_view) / 4 * 3,
                  "a view fits its room");
    static_assert(_Alignof(struct view) <= _Alignof(ninho_view), "and its alignment");
    return (struct view *)(void *)storage;
}

ninho_filter *nh_view_start(ninho_view *storage, const struct nh_family *family,
                            const struct nh_family *part_family)
{
    struct view *view = view_in(storage);

    view->filter = (ninho_filter){
        .family = family, .part_family = part_family, .parts = view->parts};
    return &view->filter;
}

/* The frame of framed bytes, with the families of what they hold. */
static ninho_status look_at(const void *bytes, size_t size, struct nh_frame *frame,
                            const struct nh_family **family,
                            const struct nh_family **part_family, ninho_error *error)
{
    const ninho_status status = nh_frame_decode(bytes, size, size, frame, error);
    return status ? status : families_of(frame, family, part_family, error);
}

ninho_status ninho_filter_view(ninho_view *storage, const void *bytes, size_t size,
                               const ninho_open_options *theirs, const ninho_filter **out,
                               ninho_error *error)
{
    const struct nh_family *family, *part_family;
    ninho_open_options options;
    struct nh_frame frame;

    if (!storage || !out || (!bytes && size))
        return nh_fail(error, NINHO_ERR_ARG, "an argument is NULL");
    ninho_status status = nh_open_options_in(theirs, &options, error);
    if (!status)
        status = look_at(bytes, size, &frame, &family, &part_family, error);
    if (status)
        return status;
    ninho_filter *filter = nh_view_start(storage, family, part_family);
    status = adopt(&frame, &options, filter, error);
    if (status)
        return status;
    borrow(filter, &frame, bytes);
    *out = filter;
    return NINHO_OK;
}

ninho_status nh_filter_over(void *bytes, size_t size, const ninho_open_options *options,
                            void (*release)(void *bytes, size_t size), ninho_filter **out,
                            ninho_error *error)
{
    const struct nh_family *family, *part_family;
    struct nh_frame frame;

    ninho_status status = look_at(bytes, size, &frame, &family, &part_family, error);
    if (status)
        return status;
    ninho_filter *filter = nh_filter_new(family, part_family, options->alloc);
    if (!filter)
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    status = adopt(&frame, options, filter, error);
    if (status) {
        ninho_filter_free(filter);
        return status;
    }
    borrow(filter, &frame, bytes);
    filter->borrowed = bytes;
    filter->borrowed_size = size;
    filter->release = release;
    *out = filter;
    return NINHO_OK;
}

/* Of bytes that are zero where a writer of ours leaves zeros; *place is the first that is not. */
static bool is_zero(const uint8_t *bytes, const uint8_t *end, const uint8_t **place)
{
    while (bytes < end && !*bytes)
        bytes++;
    *place = bytes;
    return bytes >= end;
}

#define nh_fail_gap(error, offset)                  \
    nh_fail_at((error), NINHO_ERR_FORMAT, (offset), \
               "byte %" PRIu64 ", between two parts, is not zero", (uint64_t)(offset))

ninho_status nh_verify_body(const ninho_filter *filter, ninho_error *error)
{
    struct nh_frame frame;

    if (!filter->framed_body)
        return NINHO_OK;
    nh_frame_of(filter, &frame);
    /* The checksum covers the gaps between parts too. */
    if (nh_checksum_of(filter->framed_body, (size_t)filter->framed_size) !=
        filter->framed_checksum)
        return nh_fail_damaged(error, frame.header_size);
    const uint8_t *end = filter->framed_body;
    for (uint32_t i = 0; i < frame.n_parts; i++) {
        const uint8_t *const start = filter->framed_body + frame.parts[i].offset;
        const uint8_t *place;
        if (!is_zero(end, start, &place))
            return nh_fail_gap(error, frame.header_size +
                                          (uint64_t)(place - filter->framed_body));
        end = start + frame.parts[i].size;
    }
    return NINHO_OK;
}

ninho_status ninho_filter_decode(const void *bytes, size_t size,
                                 const ninho_open_options *theirs, ninho_filter **out,
                                 ninho_error *error)
{
    ninho_open_options options;
    const ninho_filter *filter;
    ninho_view storage;

    if (!out)
        return nh_fail(error, NINHO_ERR_ARG, "out is NULL");
    ninho_status status = nh_open_options_in(theirs, &options, error);
    if (!status)
        status = ninho_filter_view(&storage, bytes, size, &options, &filter, error);
    if (!status)
        status = ninho_filter_verify(filter, error);
    return status ? status : nh_filter_copy_sound(filter, options.alloc, out, error);
}

/* ---- From a file or a stream ------------------------------------------------------- */

/* Memory for record i of the frame, and where to read it to. */
static ninho_status make_room(const struct nh_frame *frame, uint32_t i,
                              ninho_filter *filter, uint8_t **room)
{
    if (i == n_tables(frame)) {
        const size_t size = (size_t)frame->parts[i].size; /* see read_record */
        *room = filter->attachment = nh_alloc_zeroed(&filter->alloc, size);
        filter->attachment_size = *room ? size : 0;
        return *room ? NINHO_OK : NINHO_ERR_NOMEM;
    }
    const struct nh_part geometry = filter->parts[i];
    const ninho_status status = nh_filter_append_part(filter, &geometry);
    *room = filter->parts[i].body;
    return status;
}

/* Reads record i, a table or the attachment, into memory of its own. */
static ninho_status read_record(const struct nh_source *source,
                                const struct nh_frame *frame, uint32_t i,
                                ninho_filter *filter, struct nh_checksum *sum,
                                ninho_error *error)
{
    const uint64_t size = frame->parts[i].size;
    struct nh_ahead ahead = {0};
    uint8_t *room = NULL;

    ninho_status status = size > SIZE_MAX ? NINHO_ERR_NOMEM : NINHO_OK;
    if (!status) {
        status = nh_source_ahead(source, &filter->alloc, (size_t)size, &ahead, error);
        if (status)
            return status;
        status = make_room(frame, i, filter, &room);
    }
    if (status)
        ninho_error_set(error, status,
                        "not enough memory: the table needs %" PRIu64 " bytes", size);
    else
        status = nh_source_rest(source, &ahead, room, (size_t)size, error);
    nh_ahead_free(&filter->alloc, &ahead);
    if (!status)
        nh_checksum_add(sum, room, (size_t)size);
    return status;
}

/* Reads the tables of an adopted filter and the attachment, and checks the whole. */
static ninho_status read_body(const struct nh_source *source,
                              const struct nh_frame *frame, ninho_filter *filter,
                              ninho_error *error)
{
    struct nh_checksum sum;
    uint64_t at = frame->header_size;

    nh_checksum_start(&sum);
    for (uint32_t i = 0; i < frame->n_parts; i++) {
        uint8_t gap[NH_BODY_ALIGN];
        const uint8_t *place;
        const size_t n_gap = nh_frame_gap(frame, i);
        ninho_status status = source->read(source->context, gap, n_gap, error);
        if (status)
            return status;
        if (!is_zero(gap, gap + n_gap, &place))
            return nh_fail_gap(error, at + (uint64_t)(place - gap));
        nh_checksum_add(&sum, gap, n_gap);
        status = read_record(source, frame, i, filter, &sum, error);
        if (status)
            return status;
        at += n_gap + frame->parts[i].size;
    }
    if (nh_checksum_end(&sum) != frame->body_checksum)
        return nh_fail_damaged(error, frame->header_size);
    return ninho_filter_verify(filter, error);
}

ninho_status nh_filter_read(const struct nh_source *source,
                            const ninho_open_options *theirs, ninho_filter **out,
                            ninho_error *error)
{
    const struct nh_family *family, *part_family;
    ninho_open_options options;
    uint8_t header[NH_MAX_HEADER];
    struct nh_frame frame;

    ninho_status status = nh_open_options_in(theirs, &options, error);
    if (!status)
        status = nh_source_frame(source, header, &frame, error);
    if (!status)
        status = families_of(&frame, &family, &part_family, error);
    if (status)
        return status;
    ninho_filter *filter = nh_filter_new(family, part_family, options.alloc);
    if (!filter)
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    status = adopt(&frame, &options, filter, error);
    if (!status && (status = nh_meta_copy(filter, frame.meta, frame.meta_size)))
        ninho_error_set(error, status, "not enough memory");
    if (!status)
        status = read_body(source, &frame, filter, error);
    if (status)
        ninho_filter_free(filter);
    else
        *out = filter;
    return status;
}

ninho_status ninho_filter_read(ninho_read read, void *context,
                               const ninho_open_options *options, ninho_filter **out,
                               ninho_error *error)
{
    const struct nh_source source = {read, context, NH_TOTAL_UNKNOWN};

    if (!read || !out)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", read ? "out" : "read");
    return nh_filter_read(&source, options, out, error);
}
