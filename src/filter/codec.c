/* SPDX-License-Identifier: MIT */
/* Filters as bytes: framed and bare encodings, views, files.
 *
 * There is one way in: `adopt` turns a checked frame into a filter whose parts have no
 * bodies yet; a view then points them at the caller's bytes, open reads them from the
 * file, and decode copies a verified view. */
#define _FILE_OFFSET_BITS 64
#include "filter/codec.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/status.h"
#include "base/versioned.h"
#include "format/file.h"
#include "format/frame.h"
#include "hash/hash.h"

static const uint8_t zeros[NH_BODY_ALIGN];

/* ---- Out --------------------------------------------------------------------------- */

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

    if (!filter->parts[0].is_bare)
        return filter->count;
    filter->part_family->tally(filter->parts, NULL, &tally);
    return tally.copies;
}

/* Everything but the body's checksum, which costs a pass over the tables. */
static void frame_of(const ninho_filter *filter, struct nh_frame *frame)
{
    frame->kind = (uint16_t)filter->family->kind;
    frame->key_encoding = (uint8_t)filter->key_encoding;
    frame->hash = (uint8_t)filter->hasher.id;
    frame->flags = filter->count_is_estimate ? NH_FLAG_COUNT_IS_ESTIMATE : 0;
    frame->seed = filter->hasher.seed;
    frame->key_check = filter->key_check;
    frame->capacity = filter->capacity;
    frame->count = nh_count_of(filter);
    frame->fpr = filter->fpr;
    frame->options = filter->options;
    frame->n_parts = filter->n_parts;
    frame->meta = filter->meta;
    frame->meta_size = filter->meta_size;
    for (uint32_t i = 0; i < filter->n_parts; i++) {
        const struct nh_part *part = &filter->parts[i];
        frame->parts[i] = (struct nh_frame_part){
            .kind = (uint16_t)filter->part_family->kind,
            .n_hashes = part->n_hashes,
            .capacity = part->capacity,
            .count = part->is_bare ? frame->count : part->count,
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
    frame_of(filter, &frame);
    return (size_t)(frame.header_size + frame.body_size);
}

/* Bytes of zeros before part i in the body. */
static size_t gap_before(const struct nh_frame *frame, uint32_t i)
{
    return i ? (size_t)(frame->parts[i].offset -
                        (frame->parts[i - 1].offset + frame->parts[i - 1].size))
             : 0;
}

/* The bytes of record i of the frame: a table's, or the attachment's. */
static const uint8_t *bytes_of(const ninho_filter *filter, uint32_t i)
{
    return i < filter->n_parts ? filter->parts[i].body : filter->attachment;
}

static uint64_t checksum_body(const ninho_filter *filter, const struct nh_frame *frame)
{
    struct nh_checksum sum;

    nh_checksum_start(&sum);
    for (uint32_t i = 0; i < frame->n_parts; i++) {
        nh_checksum_add(&sum, zeros, gap_before(frame, i));
        nh_checksum_add(&sum, bytes_of(filter, i), (size_t)frame->parts[i].size);
    }
    return nh_checksum_end(&sum);
}

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

static void encode_range(const ninho_filter *filter, struct nh_frame *frame,
                         uint64_t offset, uint8_t *bytes, uint64_t n)
{
    uint64_t at = frame->header_size;
    uint8_t header[NH_MAX_HEADER];

    if (offset < frame->header_size) {
        frame->body_checksum = checksum_body(filter, frame);
        nh_frame_encode(frame, header);
        copy_range(header, 0, frame->header_size, bytes, offset, n);
    }
    for (uint32_t i = 0; i < frame->n_parts; i++) {
        copy_range(zeros, at, gap_before(frame, i), bytes, offset, n);
        at += gap_before(frame, i);
        copy_range(bytes_of(filter, i), at, frame->parts[i].size, bytes, offset, n);
        at += frame->parts[i].size;
    }
}

ninho_status ninho_filter_encode(const ninho_filter *filter, void *bytes, size_t capacity,
                                 size_t *size)
{
    struct nh_frame frame;

    if (!filter)
        return NINHO_ERR_ARG;
    frame_of(filter, &frame);
    const size_t needed = (size_t)(frame.header_size + frame.body_size);
    if (size)
        *size = needed;
    if (capacity < needed)
        return NINHO_ERR_SPACE;
    if (!bytes)
        return NINHO_ERR_ARG;
    encode_range(filter, &frame, 0, bytes, needed);
    return NINHO_OK;
}

ninho_status ninho_filter_encode_range(const ninho_filter *filter, uint64_t offset,
                                       void *bytes, size_t n)
{
    struct nh_frame frame;

    if (!filter || (n && !bytes))
        return NINHO_ERR_ARG;
    frame_of(filter, &frame);
    const uint64_t size = frame.header_size + frame.body_size;
    if (offset > size || n > size - offset)
        return NINHO_ERR_ARG;
    if (n)
        encode_range(filter, &frame, offset, bytes, n);
    return NINHO_OK;
}

ninho_status ninho_filter_save(const ninho_filter *filter, const char *path,
                               ninho_error *error)
{
    struct nh_file_out out;
    struct nh_frame frame;
    uint8_t header[NH_MAX_HEADER];

    if (!filter || !path)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", filter ? "path" : "filter");
    frame_of(filter, &frame);
    frame.body_checksum = checksum_body(filter, &frame);
    nh_frame_encode(&frame, header);
    ninho_status status = nh_file_begin(&out, path, error);
    if (status)
        return status;
    status = nh_file_write(&out, header, frame.header_size, error);
    for (uint32_t i = 0; !status && i < frame.n_parts; i++) {
        status = nh_file_write(&out, zeros, gap_before(&frame, i), error);
        if (!status)
            status = nh_file_write(&out, bytes_of(filter, i), (size_t)frame.parts[i].size,
                                   error);
    }
    if (!status)
        return nh_file_commit(&out, error);
    nh_file_abandon(&out);
    return status;
}

/* ---- In ---------------------------------------------------------------------------- */

static ninho_status read_options(const ninho_open_options *theirs,
                                 ninho_open_options *options, ninho_error *error)
{
    *options = (ninho_open_options)NINHO_OPEN_INIT;
    if (theirs && !nh_struct_in(options, sizeof *options, theirs))
        return nh_fail(error, NINHO_ERR_ARG,
                       "options are uninitialised: start from NINHO_OPEN_INIT");
    if (options->pages != NINHO_PAGES_AUTO && options->pages != NINHO_PAGES_SMALL)
        return nh_fail_field(error, NINHO_FIELD_PAGES, 0, 0, "must be auto or small");
    options->size_of_struct = sizeof *options; /* they are handed on as ours */
    return NINHO_OK;
}

static ninho_status unknown(const char *what, unsigned number, ninho_error *error)
{
    return nh_fail(error, NINHO_ERR_VERSION,
                   "%s %u is not known to this version of ninho", what, number);
}

static ninho_status impossible(const char *what, ninho_error *error)
{
    return nh_fail(error, NINHO_ERR_FORMAT, "%s in the header is impossible", what);
}

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

static ninho_status adopt_part(const struct nh_frame_part *from,
                               const struct nh_family *cell, struct nh_part *part,
                               ninho_error *error)
{
    *part = (struct nh_part){
        .size = from->size,
        .n_cells = from->n_cells,
        .stored = {from->words[0], from->words[1]},
        .capacity = from->capacity,
        .count = from->count,
        .n_hashes = from->n_hashes,
    };
    if (from->kind != cell->kind)
        return impossible("kind of a part", error);
    if (from->capacity < 1 || from->capacity > NH_MAX_COUNT)
        return impossible("capacity of a part", error);
    if (from->count > NH_MAX_COUNT)
        return impossible("count of a part", error);
    if (!cell->fits(part))
        return impossible("geometry of a part", error);
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
        return impossible("number of parts", error);
    if (last->kind == NH_ATTACHMENT &&
        (last->n_hashes || last->capacity || last->count || last->words[0] ||
         last->words[1] || !last->size || last->n_cells != last->size))
        return impossible("attachment", error);
    return NINHO_OK;
}

static ninho_status families_of(const struct nh_frame *frame,
                                const struct nh_family **family,
                                const struct nh_family **cell, ninho_error *error)
{
    *family = nh_family_of((ninho_kind)frame->kind);
    if (!*family)
        return unknown("kind", frame->kind, error);
    *cell = *family;
    if ((*family)->compound)
        *cell = (*family)->compound->part_family_of(frame->options);
    else if (frame->options)
        return impossible("option word", error);
    if (!*cell)
        return impossible("option word", error);
    if (n_tables(frame) > 1 && !(*family)->compound)
        return impossible("number of parts", error);
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
        return unknown("hash", frame->hash, error);
    if (!ninho_key_encoding_name((ninho_key_encoding)frame->key_encoding))
        return unknown("key encoding", frame->key_encoding, error);
    const bool is_keyed = frame->hash == NINHO_HASH_SIPHASH;
    if (is_keyed != (frame->key_check != 0))
        return impossible("key check", error);
    if (is_keyed && frame->seed)
        return impossible("seed", error);
    if (frame->capacity < 1 || frame->capacity > UINT64_C(1) << 48)
        return impossible("capacity", error);
    if (!(frame->fpr > 0))
        return impossible("fpr", error);
    if (frame->count > NH_MAX_COUNT)
        return impossible("count", error);
    if (!nh_meta_is_valid(frame->meta, frame->meta_size))
        return impossible("metadata", error);
    filter->hasher =
        (ninho_hasher){.id = (ninho_hash_id)frame->hash, .seed = frame->seed};
    filter->key_encoding = (ninho_key_encoding)frame->key_encoding;
    filter->key_check = frame->key_check;
    filter->capacity = frame->capacity;
    filter->count = frame->count;
    filter->options = frame->options;
    filter->fpr = frame->fpr;
    filter->count_is_estimate = frame->flags & NH_FLAG_COUNT_IS_ESTIMATE;
    filter->pages = options->pages;
    for (uint32_t i = 0; i < n_tables(frame); i++) {
        const ninho_status status =
            adopt_part(&frame->parts[i], filter->part_family, &filter->parts[i], error);
        if (status)
            return status;
    }
    if (filter->part_family->counts_itself && frame->count != n_stored(frame))
        return impossible("count", error);
    if (filter->capacity != filter->parts[0].capacity)
        return impossible("capacity", error);
    if (filter->part_family->is_nested &&
        !filter->part_family->is_nested(NULL, 0, filter->parts))
        return impossible("geometry of a part", error);
    if (filter->family->compound) {
        const char *what = filter->family->compound->impossible(filter, n_tables(frame));
        if (what)
            return impossible(what, error);
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

static ninho_filter *start_view(ninho_view *storage, const struct nh_family *family,
                                const struct nh_family *cell)
{
    struct view *view = view_in(storage);

    view->filter =
        (ninho_filter){.family = family, .part_family = cell, .parts = view->parts};
    return &view->filter;
}

ninho_status ninho_filter_view(ninho_view *storage, const void *bytes, size_t size,
                               const ninho_open_options *theirs, const ninho_filter **out,
                               ninho_error *error)
{
    const struct nh_family *family, *cell;
    ninho_open_options options;
    struct nh_frame frame;

    if (!storage || !out || (!bytes && size))
        return nh_fail(error, NINHO_ERR_ARG, "an argument is NULL");
    ninho_status status = read_options(theirs, &options, error);
    if (!status)
        status = nh_frame_decode(bytes, size, size, &frame, error);
    if (!status)
        status = families_of(&frame, &family, &cell, error);
    if (status)
        return status;
    ninho_filter *filter = start_view(storage, family, cell);
    status = adopt(&frame, &options, filter, error);
    if (status)
        return status;
    borrow(filter, &frame, bytes);
    *out = filter;
    return NINHO_OK;
}

ninho_status nh_verify_body(const ninho_filter *filter, ninho_error *error)
{
    if (!filter->framed_body)
        return NINHO_OK;
    /* The checksum covers the gaps between parts too; a writer of ours leaves zeros
     * there. */
    if (nh_checksum_of(filter->framed_body, (size_t)filter->framed_size) !=
        filter->framed_checksum)
        return nh_fail(error, NINHO_ERR_CHECKSUM,
                       "body checksum does not match: the file is damaged");
    const uint8_t *at = filter->framed_body;
    for (uint32_t i = 0; i < filter->n_parts; i++) {
        for (; at < filter->parts[i].body; at++)
            if (*at)
                return nh_fail(error, NINHO_ERR_FORMAT,
                               "bytes are set between two parts");
        at += filter->parts[i].size;
    }
    for (; filter->attachment && at < filter->attachment; at++)
        if (*at)
            return nh_fail(error, NINHO_ERR_FORMAT,
                           "bytes are set before the attachment");
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
    ninho_status status = read_options(theirs, &options, error);
    if (!status)
        status = ninho_filter_view(&storage, bytes, size, &options, &filter, error);
    if (!status)
        status = ninho_filter_verify(filter, error);
    return status ? status : nh_filter_copy_sound(filter, options.alloc, out, error);
}

/* ---- Bare -------------------------------------------------------------------------- */

ninho_status ninho_filter_encode_bare(const ninho_filter *filter, void *bytes,
                                      size_t capacity, size_t *size)
{
    uint8_t tail[2];

    if (!filter)
        return NINHO_ERR_ARG;
    if (!(filter->family->can & NINHO_CAN_BARE))
        return NINHO_ERR_UNSUPPORTED;
    const struct nh_part *part = filter->parts;
    const unsigned n_tail = filter->part_family->bare_tail(part, tail);
    const size_t needed = (size_t)part->size + n_tail;
    if (size)
        *size = needed;
    if (capacity < needed)
        return NINHO_ERR_SPACE;
    if (!bytes)
        return NINHO_ERR_ARG;
    memcpy(bytes, part->body, (size_t)part->size);
    memcpy((uint8_t *)bytes + part->size, tail, n_tail);
    return NINHO_OK;
}

ninho_status ninho_filter_view_bare(ninho_view *storage, const ninho_spec *theirs,
                                    const void *bytes, size_t size,
                                    const ninho_filter **out, ninho_error *error)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    if (!storage || !theirs || !out || (!bytes && size))
        return nh_fail(error, NINHO_ERR_ARG, "an argument is NULL");
    if (!nh_struct_in(&spec, sizeof spec, theirs))
        return nh_fail(error, NINHO_ERR_ARG,
                       "spec is uninitialised: start from NINHO_SPEC_INIT");
    const struct nh_family *family = nh_family_of(spec.kind);
    if (!family)
        return nh_fail_field(error, NINHO_FIELD_KIND, 0, 0, "%d is unknown",
                             (int)spec.kind);
    if (!(family->can & NINHO_CAN_BARE))
        return nh_fail(error, NINHO_ERR_UNSUPPORTED, "kind %s has no bare encoding",
                       family->name);
    if (!spec.hash)
        spec.hash = NINHO_HASH_XXH3;
    if (!spec.key_encoding)
        spec.key_encoding = NINHO_KEY_BYTES;
    const ninho_status status = nh_check_hash(&spec, error);
    if (status)
        return status;
    if (spec.capacity > NH_MAX_CAPACITY)
        return nh_fail_field(error, NINHO_FIELD_CAPACITY, 0, (double)NH_MAX_CAPACITY,
                             "must be at most 2^48, not %" PRIu64, spec.capacity);
    struct nh_part part = {.capacity = spec.capacity, .is_bare = true};
    const bool is_ours = family->bare_fits(bytes, size, &part);
    if (!part.capacity)
        part.capacity = 1;
    if (!is_ours || !family->fits(&part))
        return nh_fail(error, NINHO_ERR_FORMAT, "not the bare bytes of a %s filter",
                       family->name);
    ninho_filter *filter = start_view(storage, family, family);
    filter->hasher = (ninho_hasher){.id = spec.hash, .seed = spec.seed};
    filter->key_encoding = spec.key_encoding;
    if (spec.hash == NINHO_HASH_SIPHASH) {
        if (!spec.secret)
            return nh_fail(error, NINHO_ERR_KEY_MISSING,
                           "the filter is keyed: its secret key is needed");
        memcpy(filter->hasher.secret, spec.secret, NINHO_SECRET_BYTES);
        filter->key_check = ninho_secret_check(spec.secret);
    }
    part.body = (uint8_t *)(uintptr_t)bytes;
    nh_attach(family, &part);
    filter->capacity = part.capacity;
    filter->fpr = spec.fpr > 0 && spec.fpr < 1
                      ? spec.fpr
                      : nh_fpr_stored(family->expected_fpr(&part, (double)part.capacity));
    filter->count_is_estimate = true; /* bare bytes do not say */
    filter->is_read_only = true;
    filter->parts[0] = part;
    filter->n_parts = 1;
    *out = filter;
    return NINHO_OK;
}

bool ninho_filter_has_bare(ninho_kind kind, const void *bytes, size_t size, uint64_t hash)
{
    const struct nh_family *family = nh_family_of(kind);

    if (!family || !(family->can & NINHO_CAN_BARE) || !bytes)
        return true;
    if (family->has_bare)
        return family->has_bare(bytes, size, hash);
    struct nh_part part = {.capacity = 1, .is_bare = true};
    if (!family->bare_fits(bytes, size, &part) || !family->fits(&part))
        return true;
    part.body = (uint8_t *)(uintptr_t)bytes; /* read-only: never written through */
    nh_attach(family, &part);
    return part.has(&part, hash);
}

/* ---- The attachment ---------------------------------------------------------------- */

ninho_status ninho_filter_set_attachment(ninho_filter *filter, const void *bytes,
                                         size_t size)
{
    uint8_t *copy = NULL;

    if (!filter || (size && !bytes))
        return NINHO_ERR_ARG;
    if (filter->is_read_only)
        return NINHO_ERR_UNSUPPORTED;
    if (size) {
        copy = filter->alloc.alloc(filter->alloc.context, size);
        if (!copy)
            return NINHO_ERR_NOMEM;
        memcpy(copy, bytes, size);
    }
    nh_alloc_free(&filter->alloc, filter->attachment, filter->attachment_size);
    filter->attachment = copy;
    filter->attachment_size = size;
    return NINHO_OK;
}

const void *ninho_filter_attachment(const ninho_filter *filter, size_t *size)
{
    if (size)
        *size = filter ? filter->attachment_size : 0;
    return filter ? filter->attachment : NULL;
}

/* ---- Files ------------------------------------------------------------------------- */

/* Reads and checks the frame at the start of an open file. `header` keeps the bytes that
 * the frame points into. */
static ninho_status read_frame(int descriptor, uint64_t size,
                               uint8_t header[NH_MAX_HEADER], struct nh_frame *frame,
                               ninho_error *error)
{
    const size_t n = size < NH_MAX_HEADER ? (size_t)size : NH_MAX_HEADER;
    const ninho_status status = nh_file_read_at(descriptor, header, n, 0, error);
    return status ? status : nh_frame_decode(header, n, size, frame, error);
}

/* Memory for record i of the frame, and where to read it to. */
static ninho_status make_room(const struct nh_frame *frame, uint32_t i,
                              ninho_filter *filter, uint8_t **room)
{
    if (i == n_tables(frame)) {
        const size_t size =
            (size_t)frame->parts[i].size; /* the file holds it: see read_body */
        *room = filter->attachment = nh_alloc_zeroed(&filter->alloc, size);
        filter->attachment_size = *room ? size : 0;
        return *room ? NINHO_OK : NINHO_ERR_NOMEM;
    }
    const struct nh_part geometry = filter->parts[i];
    const ninho_status status = nh_filter_append_part(filter, &geometry);
    *room = filter->parts[i].body;
    return status;
}

/* Reads the tables of an adopted filter, each into memory of its own, and the attachment,
 * and checks the whole. */
static ninho_status read_body(int descriptor, const struct nh_frame *frame,
                              ninho_filter *filter, ninho_error *error)
{
    struct nh_checksum sum;
    uint64_t at = frame->header_size;

    nh_checksum_start(&sum);
    for (uint32_t i = 0; i < frame->n_parts; i++) {
        uint8_t gap[NH_BODY_ALIGN];
        uint8_t *room = NULL;
        const size_t n_gap = gap_before(frame, i);
        const uint64_t size = frame->parts[i].size;
        ninho_status status = nh_file_read_at(descriptor, gap, n_gap, at, error);
        if (status)
            return status;
        if (memcmp(gap, zeros, n_gap) != 0)
            return nh_fail(error, NINHO_ERR_FORMAT, "bytes are set between two parts");
        nh_checksum_add(&sum, gap, n_gap);
        at += n_gap;
        status = size > SIZE_MAX ? NINHO_ERR_NOMEM : make_room(frame, i, filter, &room);
        if (status)
            return nh_fail(error, status,
                           "not enough memory: the table needs %" PRIu64 " bytes", size);
        status = nh_file_read_at(descriptor, room, (size_t)size, at, error);
        if (status)
            return status;
        nh_checksum_add(&sum, room, (size_t)size);
        at += size;
    }
    if (nh_checksum_end(&sum) != frame->body_checksum)
        return nh_fail(error, NINHO_ERR_CHECKSUM,
                       "body checksum does not match: the file is damaged");
    return ninho_filter_verify(filter, error);
}

ninho_status ninho_filter_open(const char *path, const ninho_open_options *theirs,
                               ninho_filter **out, ninho_error *error)
{
    const struct nh_family *family, *cell;
    ninho_open_options options;
    uint8_t header[NH_MAX_HEADER];
    struct nh_frame frame;
    ninho_filter *filter = NULL;
    uint64_t size = 0;
    int descriptor = -1;

    if (!path || !out)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", path ? "out" : "path");
    ninho_status status = read_options(theirs, &options, error);
    if (!status)
        status = nh_file_open(path, &descriptor, &size, error);
    if (status)
        return status;
    status = read_frame(descriptor, size, header, &frame, error);
    if (!status)
        status = families_of(&frame, &family, &cell, error);
    if (status)
        goto done;
    filter = nh_filter_new(family, cell, options.alloc);
    if (!filter) {
        status = nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
        goto done;
    }
    status = adopt(&frame, &options, filter, error);
    if (!status && (status = nh_meta_copy(filter, frame.meta, frame.meta_size)))
        ninho_error_set(error, status, "not enough memory");
    if (!status)
        status = read_body(descriptor, &frame, filter, error);
    if (status)
        goto done;
    *out = filter;
    filter = NULL; /* the caller's now */
done:
    ninho_filter_free(filter);
    close(descriptor);
    return status;
}

void nh_unmap(ninho_filter *filter)
{
    munmap(filter->map, filter->map_size);
}

ninho_status ninho_filter_map(const char *path, const ninho_open_options *theirs,
                              ninho_filter **out, ninho_error *error)
{
    const struct nh_family *family, *cell;
    ninho_open_options options;
    struct nh_frame frame;
    ninho_filter *filter = NULL;
    void *map = MAP_FAILED;
    uint64_t size = 0;
    int descriptor = -1;

    if (!path || !out)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", path ? "out" : "path");
    ninho_status status = read_options(theirs, &options, error);
    if (!status)
        status = nh_file_open(path, &descriptor, &size, error);
    if (status)
        return status;
    uint8_t header[NH_MAX_HEADER];
    /* Before anything is mapped, so that a file that is not ours fails for that
     * reason. */
    status = read_frame(descriptor, size, header, &frame, error);
    if (!status)
        status = families_of(&frame, &family, &cell, error);
    if (status)
        goto done;
    if (size > SIZE_MAX || (map = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED,
                                       descriptor, 0)) == MAP_FAILED) {
        status = nh_fail(error, NINHO_ERR_NOMEM, "cannot map %" PRIu64 " bytes", size);
        goto done;
    }
    filter = nh_filter_new(family, cell, options.alloc);
    if (!filter) {
        status = nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
        goto done;
    }
    status = adopt(&frame, &options, filter, error);
    if (status)
        goto done;
    frame.meta = (const uint8_t *)map + (frame.meta - header);
    borrow(filter, &frame, map);
    filter->map = map;
    filter->map_size = (size_t)size;
    map = MAP_FAILED;
    *out = filter;
    filter = NULL; /* the caller's now */
done:
    ninho_filter_free(filter);
    if (map != MAP_FAILED)
        munmap(map, (size_t)size);
    close(descriptor);
    return status;
}
