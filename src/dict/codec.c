/* SPDX-License-Identifier: MIT */
/* Dictionaries as bytes. The body is the list of entries, in the order of a visit:
 *
 *   fixed-size keys:   | key (key_size bytes) | value (8) |  ...
 *   keys of any size:  | size (8) | value (8) | key |        ...
 *
 * The part's record in the frame: number of cells = number of keys; number of hash
 * functions = d (cuckoo-table); first word: key size in bits 0-15, bucket size 16-23,
 * tables 24-31, stash 32-39, most moves 40-55; second word: max_capacity. Of a cuckoo-table's
 * numbers 0 leaves the choice to the reader, as in a spec. The frame's fpr is 0. */
#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "base/le.h"
#include "base/status.h"
#include "dict/codec.h"
#include "dict/ops.h"
#include "format/bytes.h"
#include "hash/hash.h"

/* ---- Out --------------------------------------------------------------------------- */

static uint64_t body_size(const ninho_dict *dict)
{
    if (dict->spec.key_size)
        return dict->words.count * (dict->spec.key_size + 8);
    return dict->key_bytes + 16 * dict->words.count;
}

static void frame_of(const ninho_dict *dict, struct nh_frame *frame)
{
    const ninho_dict_spec *const spec = &dict->spec;

    memset(frame, 0, offsetof(struct nh_frame, parts));
    frame->kind = (uint16_t)spec->kind;
    frame->key_encoding = (uint8_t)spec->key_encoding;
    frame->hash = (uint8_t)spec->hash;
    frame->seed = spec->seed;
    frame->key_check = dict->key_check;
    frame->capacity = dict->words.count ? dict->words.count : 1;
    frame->count = dict->words.count;
    frame->n_parts = 1;
    frame->parts[0] = (struct nh_frame_part){
        .kind = (uint16_t)spec->kind,
        .n_hashes = spec->n_functions,
        .capacity = frame->capacity,
        .count = dict->words.count,
        .n_cells = dict->words.count,
        .words = {spec->key_size | (uint64_t)spec->bucket_size << 16 |
                      (uint64_t)spec->n_tables << 24 | (uint64_t)spec->stash_size << 32 |
                      (uint64_t)spec->max_moves << 40,
                  spec->max_capacity},
        .size = body_size(dict),
    };
    (void)nh_frame_lay_out(frame); /* what is in memory can be addressed */
}

size_t ninho_dict_encoded_size(const ninho_dict *dict)
{
    struct nh_frame frame;

    if (!dict)
        return 0;
    frame_of(dict, &frame);
    return (size_t)(frame.header_size + frame.body_size);
}

/* Where the body goes, by pieces: into a checksum, or to the caller's function. */
struct sink {
    struct nh_checksum *sum; /* NULL: to the function */
    ninho_write write;
    void *context;
    ninho_error *error;
    size_t n_held;
    uint8_t held[4096];
};

static ninho_status flush(struct sink *sink)
{
    const size_t n = sink->n_held;

    sink->n_held = 0;
    if (sink->sum)
        nh_checksum_add(sink->sum, sink->held, n);
    else if (n)
        return sink->write(sink->context, sink->held, n, sink->error);
    return NINHO_OK;
}

static ninho_status give(struct sink *sink, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;

    while (n) {
        const size_t room = sizeof sink->held - sink->n_held;
        const size_t piece = n < room ? n : room;
        memcpy(sink->held + sink->n_held, at, piece);
        sink->n_held += piece;
        at += piece;
        n -= piece;
        if (sink->n_held == sizeof sink->held) {
            const ninho_status status = flush(sink);
            if (status)
                return status;
        }
    }
    return NINHO_OK;
}

static ninho_status give_body(const ninho_dict *dict, struct sink *sink)
{
    uint64_t cursor = 0;
    ninho_status status = NINHO_OK;

    for (const uint8_t *entry; !status && (entry = dict->ops->next(dict, &cursor));) {
        uint8_t number[8];
        size_t size;
        const uint8_t *const key = nh_entry_key(dict, entry, &size);
        if (dict->spec.key_size) {
            status = give(sink, key, size);
        } else {
            nh_store_le64(number, size);
            status = give(sink, number, sizeof number);
        }
        nh_store_le64(number, nh_entry_value(dict, entry));
        if (!status)
            status = give(sink, number, sizeof number);
        if (!status && !dict->spec.key_size)
            status = give(sink, key, size);
    }
    return status ? status : flush(sink);
}

static uint64_t checksum_body(const ninho_dict *dict)
{
    struct nh_checksum sum;
    struct sink sink = {.sum = &sum};

    nh_checksum_start(&sum);
    (void)give_body(dict, &sink); /* a checksum takes everything */
    return nh_checksum_end(&sum);
}

static ninho_status write_header(const struct nh_frame *frame, ninho_write write,
                                 void *context, ninho_error *error)
{
    uint8_t header[192]; /* one part, no metadata */

    assert(frame->header_size <= sizeof header);
    nh_frame_encode(frame, header);
    return write(context, header, frame->header_size, error);
}

static ninho_status write_all(const ninho_dict *dict, const struct nh_frame *frame,
                              ninho_write write, void *context, ninho_error *error)
{
    struct sink sink = {.write = write, .context = context, .error = error};
    const ninho_status status = write_header(frame, write, context, error);
    return status ? status : give_body(dict, &sink);
}

ninho_status ninho_dict_write(const ninho_dict *dict, ninho_write write, void *context,
                              ninho_error *error)
{
    struct nh_frame frame;

    if (!dict || !write)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", dict ? "write" : "dict");
    frame_of(dict, &frame);
    frame.body_checksum = checksum_body(dict);
    return write_all(dict, &frame, write, context, error);
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

ninho_status ninho_dict_encode(const ninho_dict *dict, void *bytes, size_t capacity,
                               size_t *size)
{
    struct nh_frame frame;

    if (!dict)
        return NINHO_ERR_ARG;
    frame_of(dict, &frame);
    const size_t needed = (size_t)(frame.header_size + frame.body_size);
    if (size)
        *size = needed;
    if (capacity < needed)
        return NINHO_ERR_SPACE;
    if (!bytes)
        return NINHO_ERR_ARG;
    uint8_t *at = bytes;
    frame.body_checksum = checksum_body(dict);
    return write_all(dict, &frame, to_memory, &at, NULL);
}

/* ---- In ---------------------------------------------------------------------------- */

/* What the header says, as a spec; ninho_dict_create judges the rest. */
static ninho_status spec_of(const struct nh_frame *frame,
                            const ninho_open_options *options, ninho_dict_spec *spec,
                            ninho_error *error)
{
    const struct nh_frame_part *const part = &frame->parts[0];
    const uint64_t word = part->words[0];
    const bool is_keyed = frame->hash == NINHO_HASH_SIPHASH;

    *spec = (ninho_dict_spec)NINHO_DICT_SPEC_INIT;
    if (!ninho_dict_kind_name((ninho_dict_kind)frame->kind))
        return nh_fail(error, NINHO_ERR_VERSION,
                       "kind %u is no dictionary known to this version of ninho",
                       frame->kind);
    if (frame->hash > NINHO_HASH_XXH64 ||
        !ninho_key_encoding_name((ninho_key_encoding)frame->key_encoding))
        return nh_fail(error, NINHO_ERR_VERSION,
                       "hash or key encoding is not known to this version of ninho");
    if (frame->n_parts != 1)
        return nh_fail_invalid(error, "number of parts", NH_AT_N_PARTS);
    if (part->kind != frame->kind)
        return nh_fail_invalid(error, "kind of a part", nh_part_at(0, NH_PART_KIND));
    if (frame->options)
        return nh_fail_invalid(error, "option word", NH_AT_OPTIONS);
    if (frame->flags)
        return nh_fail_invalid(error, "flags", NH_AT_FLAGS);
    if (frame->meta_size)
        return nh_fail_invalid(error, "metadata size", NH_AT_META_SIZE);
    if (frame->fpr != 0)
        return nh_fail_invalid(error, "fpr", NH_AT_FPR);
    if (frame->count != part->count || frame->count != part->n_cells)
        return nh_fail_invalid(error, "count", NH_AT_COUNT);
    if (frame->capacity != part->capacity ||
        frame->capacity != (frame->count ? frame->count : 1))
        return nh_fail_invalid(error, "capacity", NH_AT_CAPACITY);
    if (is_keyed != (frame->key_check != 0))
        return nh_fail_invalid(error, "key check", NH_AT_KEY_CHECK);
    if (word >> 56)
        return nh_fail_invalid(error, "option", nh_part_at(0, NH_PART_WORDS));
    if (is_keyed && !options->secret)
        return nh_fail(error, NINHO_ERR_KEY_MISSING,
                       "it is keyed: its secret key is needed");
    if (is_keyed && ninho_secret_check(options->secret) != frame->key_check)
        return nh_fail(error, NINHO_ERR_KEY_WRONG, "the secret key is not its own");
    if (!is_keyed && options->secret)
        return nh_fail(error, NINHO_ERR_KEY_UNUSED,
                       "a secret key was given, but it was made without one");
    spec->kind = (ninho_dict_kind)frame->kind;
    spec->hash = (ninho_hash_id)frame->hash;
    spec->key_encoding = (ninho_key_encoding)frame->key_encoding;
    spec->pages = options->pages;
    spec->key_size = (uint32_t)(word & 0xffff);
    spec->max_capacity = part->words[1];
    spec->seed = frame->seed;
    spec->secret = options->secret;
    spec->n_functions = part->n_hashes;
    spec->bucket_size = (uint32_t)(word >> 16 & 0xff);
    spec->n_tables = (uint32_t)(word >> 24 & 0xff);
    spec->stash_size = (uint32_t)(word >> 32 & 0xff);
    spec->max_moves = (uint32_t)(word >> 40 & 0xffff);
    /* No key is smaller than this, so a false count asks for no more than the bytes
     * there. */
    if (part->size / (spec->key_size ? spec->key_size + 8 : 16) < frame->count)
        return nh_fail_invalid(error, "count", NH_AT_COUNT);
    spec->capacity = frame->count;
    return NINHO_OK;
}

static ninho_status read_entries(ninho_dict *dict, const struct nh_frame *frame,
                                 const uint8_t *body, ninho_error *error)
{
    struct nh_reader r = {body, body + frame->body_size, false};
    const uint32_t fixed = dict->spec.key_size;

    for (uint64_t i = 0; i < frame->count; i++) {
        const uint64_t offset = frame->header_size + (uint64_t)(r.at - body);
        bool is_new = false;
        const uint64_t key_size = fixed ? fixed : nh_read_le(&r, 8);
        uint64_t value = fixed ? 0 : nh_read_le(&r, 8);
        const uint8_t *const key =
            key_size > SIZE_MAX ? NULL : nh_read_bytes(&r, (size_t)key_size);
        if (fixed)
            value = nh_read_le(&r, 8);
        if (!key || r.bad)
            return nh_fail_at(error, NINHO_ERR_FORMAT, offset,
                              "key %" PRIu64 " goes past the end", i);
        const ninho_status status =
            ninho_dict_put(dict, key, (size_t)key_size, value, &is_new);
        if (status == NINHO_ERR_ARG)
            return nh_fail_at(error, NINHO_ERR_FORMAT, offset,
                              "key %" PRIu64 " has the wrong size", i);
        if (status == NINHO_ERR_FULL)
            return nh_fail_at(error, NINHO_ERR_FORMAT, offset,
                              "its keys do not fit its own options");
        if (status)
            return nh_fail(error, status, "%s", ninho_status_text(status));
        if (!is_new)
            return nh_fail_at(error, NINHO_ERR_FORMAT, offset,
                              "key %" PRIu64 " is there twice", i);
    }
    const uint64_t n_left = (uint64_t)(r.end - r.at);
    return n_left == 0 ? NINHO_OK
                       : nh_fail_at(error, NINHO_ERR_FORMAT,
                                    frame->header_size + frame->body_size - n_left,
                                    "%" PRIu64 " trailing byte%s after the last key",
                                    n_left, n_left == 1 ? "" : "s");
}

static ninho_status decode(const struct nh_frame *frame, const ninho_dict_spec *spec,
                           const uint8_t *body, const ninho_alloc *alloc,
                           ninho_dict **out, ninho_error *error)
{
    ninho_dict *dict = NULL;

    if (nh_checksum_of(body, (size_t)frame->body_size) != frame->body_checksum)
        return nh_fail_damaged(error, frame->header_size);
    ninho_status status = ninho_dict_create(spec, alloc, &dict, error);
    if (status == NINHO_ERR_ARG) /* the options came from the file: it is its fault */
        return nh_fail_invalid(error, "option", nh_part_at(0, NH_PART_WORDS));
    if (status)
        return status;
    status = read_entries(dict, frame, body, error);
    if (status) {
        ninho_dict_free(dict);
        return status;
    }
    *out = dict;
    return NINHO_OK;
}

ninho_status ninho_dict_decode(const void *bytes, size_t size,
                               const ninho_open_options *theirs, ninho_dict **out,
                               ninho_error *error)
{
    ninho_open_options options;
    ninho_dict_spec spec;
    struct nh_frame frame;

    if (!out || (!bytes && size))
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", out ? "bytes" : "out");
    ninho_status status = nh_open_options_in(theirs, &options, error);
    if (!status)
        status = nh_frame_decode(bytes, size, size, &frame, error);
    if (!status)
        status = spec_of(&frame, &options, &spec, error);
    if (status)
        return status;
    return decode(&frame, &spec, (const uint8_t *)bytes + frame.header_size,
                  options.alloc, out, error);
}

/* The body, in memory of its own until the table is built from it. */
static ninho_status read_body(const struct nh_source *source, const ninho_alloc *alloc,
                              uint64_t size, uint8_t **body, ninho_error *error)
{
    struct nh_ahead ahead = {0};

    if (size >= SIZE_MAX)
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    ninho_status status = nh_source_ahead(source, alloc, (size_t)size, &ahead, error);
    if (status)
        return status;
    *body = alloc->alloc(alloc->context, (size_t)size + 1); /* so that it is never 0 */
    if (*body)
        status = nh_source_rest(source, &ahead, *body, (size_t)size, error);
    else
        status = nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    nh_ahead_free(alloc, &ahead);
    return status;
}

ninho_status nh_dict_read(const struct nh_source *source,
                          const ninho_open_options *theirs, ninho_dict **out,
                          ninho_error *error)
{
    uint8_t header[NH_MAX_HEADER];
    ninho_open_options options;
    ninho_dict_spec spec;
    struct nh_frame frame;
    uint8_t *body = NULL;

    ninho_status status = nh_open_options_in(theirs, &options, error);
    if (!status)
        status = nh_source_frame(source, header, &frame, error);
    if (!status)
        status = spec_of(&frame, &options, &spec, error);
    if (status)
        return status;
    const ninho_alloc alloc = nh_alloc_or_default(options.alloc);
    status = read_body(source, &alloc, frame.body_size, &body, error);
    if (!status)
        status = decode(&frame, &spec, body, options.alloc, out, error);
    nh_alloc_free(&alloc, body, (size_t)frame.body_size + 1);
    return status;
}

ninho_status ninho_dict_read(ninho_read read, void *context,
                             const ninho_open_options *options, ninho_dict **out,
                             ninho_error *error)
{
    const struct nh_source source = {read, context, NH_TOTAL_UNKNOWN};

    if (!read || !out)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", read ? "out" : "read");
    return nh_dict_read(&source, options, out, error);
}
