/* SPDX-License-Identifier: MIT */
/* Dictionaries as bytes. The body is the list of entries, in the order of a visit:
 *
 *   fixed-size keys:   | key (key_size bytes) | value (8) |  ...
 *   keys of any size:  | size (8) | value (8) | key |        ...
 *
 * The part's record in the frame: number of cells = number of keys; number of hash
 * functions = d (cuckoo-table); first word: key size in bits 0-15, bucket size 16-23,
 * tables 24-31, stash 32-39, most moves 40-55; second word: max_capacity. The frame's fpr
 * is 0. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/le.h"
#include "base/status.h"
#include "base/versioned.h"
#include "dict/ops.h"
#include "format/bytes.h"
#include "format/file.h"
#include "format/frame.h"
#include "hash/hash.h"

/* ---- Out --------------------------------------------------------------------------- */

static uint64_t body_size(const ninho_dict *dict)
{
    if (dict->spec.key_size)
        return dict->count * (dict->spec.key_size + 8);
    /* The arena has 8 bytes of size before each key; the file has the value too. */
    return dict->arena_used - dict->arena_dead + 8 * dict->count;
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
    frame->capacity = dict->count ? dict->count : 1;
    frame->count = dict->count;
    frame->n_parts = 1;
    frame->parts[0] = (struct nh_frame_part){
        .kind = (uint16_t)spec->kind,
        .n_hashes = spec->n_functions,
        .capacity = frame->capacity,
        .count = dict->count,
        .n_cells = dict->count,
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

/* Where the body goes: into a checksum, into memory, or into a file, by pieces. */
struct sink {
    struct nh_checksum *sum;
    uint8_t *memory;
    struct nh_file_out *file;
    ninho_error *error;
    size_t n_held;
    uint8_t held[8192];
};

static ninho_status flush(struct sink *sink)
{
    const size_t n = sink->n_held;

    sink->n_held = 0;
    if (sink->sum)
        nh_checksum_add(sink->sum, sink->held, n);
    if (sink->memory) {
        memcpy(sink->memory, sink->held, n);
        sink->memory += n;
    }
    return sink->file ? nh_file_write(sink->file, sink->held, n, sink->error) : NINHO_OK;
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
    frame.body_checksum = checksum_body(dict);
    nh_frame_encode(&frame, bytes);
    struct sink sink = {.memory = (uint8_t *)bytes + frame.header_size};
    return give_body(dict, &sink);
}

ninho_status ninho_dict_save(const ninho_dict *dict, const char *path, ninho_error *error)
{
    uint8_t header[NH_MAX_HEADER];
    struct nh_file_out out;
    struct nh_frame frame;

    if (!dict || !path)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", dict ? "path" : "dict");
    frame_of(dict, &frame);
    frame.body_checksum = checksum_body(dict);
    nh_frame_encode(&frame, header);
    ninho_status status = nh_file_begin(&out, path, error);
    if (status)
        return status;
    struct sink sink = {.file = &out, .error = error};
    status = nh_file_write(&out, header, frame.header_size, error);
    if (!status)
        status = give_body(dict, &sink);
    if (!status)
        return nh_file_commit(&out, error);
    nh_file_abandon(&out);
    return status;
}

/* ---- In ---------------------------------------------------------------------------- */

static ninho_status impossible(const char *what, ninho_error *error)
{
    return nh_fail(error, NINHO_ERR_FORMAT, "%s in the header is impossible", what);
}

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
    if (frame->n_parts != 1 || part->kind != frame->kind || frame->options ||
        frame->flags || frame->meta_size || frame->fpr != 0)
        return impossible("a field", error);
    if (frame->count != part->count || frame->count != part->n_cells ||
        frame->capacity != part->capacity ||
        frame->capacity != (frame->count ? frame->count : 1))
        return impossible("count", error);
    if (is_keyed != (frame->key_check != 0) || word >> 56)
        return impossible("key check or option", error);
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
    if (spec->kind == NINHO_CUCKOO_TABLE &&
        (!spec->n_functions || !spec->bucket_size || !spec->n_tables || !spec->max_moves))
        return impossible("an option", error);
    /* No key is smaller than this, so a count that lies asks for no more than the bytes
     * there. */
    if (part->size / (spec->key_size ? spec->key_size + 8 : 16) < frame->count)
        return impossible("count", error);
    spec->capacity = frame->count;
    return NINHO_OK;
}

static ninho_status read_entries(ninho_dict *dict, uint64_t n, const uint8_t *body,
                                 size_t size, ninho_error *error)
{
    struct nh_reader r = {body, body + size, false};

    for (uint64_t i = 0; i < n; i++) {
        bool is_new = false;
        const uint64_t key_size =
            dict->spec.key_size ? dict->spec.key_size : nh_read_le(&r, 8);
        const uint64_t early = dict->spec.key_size ? 0 : nh_read_le(&r, 8);
        const uint8_t *const key =
            key_size > SIZE_MAX ? NULL : nh_read_bytes(&r, (size_t)key_size);
        if (!key)
            return nh_fail(error, NINHO_ERR_FORMAT, "key %" PRIu64 " goes past the end",
                           i);
        const uint64_t value = dict->spec.key_size ? nh_read_le(&r, 8) : early;
        const ninho_status status =
            ninho_dict_put(dict, key, (size_t)key_size, value, &is_new);
        if (r.bad || status == NINHO_ERR_ARG)
            return nh_fail(error, NINHO_ERR_FORMAT, "key %" PRIu64 " goes past the end",
                           i);
        if (status == NINHO_ERR_FULL)
            return nh_fail(error, NINHO_ERR_FORMAT,
                           "its keys do not fit its own options");
        if (status)
            return nh_fail(error, status, "%s", ninho_status_text(status));
        if (!is_new)
            return nh_fail(error, NINHO_ERR_FORMAT, "a key is there twice");
    }
    return r.at == r.end
               ? NINHO_OK
               : nh_fail(error, NINHO_ERR_FORMAT, "bytes are left after the last key");
}

static ninho_status decode(const struct nh_frame *frame, const uint8_t *body,
                           const ninho_open_options *options, ninho_dict **out,
                           ninho_error *error)
{
    ninho_dict_spec spec;
    ninho_dict *dict = NULL;

    ninho_status status = spec_of(frame, options, &spec, error);
    if (status)
        return status;
    if (nh_checksum_of(body, (size_t)frame->body_size) != frame->body_checksum)
        return nh_fail(error, NINHO_ERR_CHECKSUM,
                       "body checksum does not match: the file is damaged");
    status = ninho_dict_create(&spec, options->alloc, &dict, error);
    if (status == NINHO_ERR_ARG) /* the options came from the file: it is its fault */
        return nh_fail(error, NINHO_ERR_FORMAT, "options in the header are impossible");
    if (status)
        return status;
    status = read_entries(dict, frame->count, body, (size_t)frame->body_size, error);
    if (status) {
        ninho_dict_free(dict);
        return status;
    }
    *out = dict;
    return NINHO_OK;
}

static ninho_status read_options(const ninho_open_options *theirs,
                                 ninho_open_options *options, ninho_error *error)
{
    *options = (ninho_open_options)NINHO_OPEN_INIT;
    if (theirs && !nh_struct_in(options, sizeof *options, theirs))
        return nh_fail(error, NINHO_ERR_ARG,
                       "options have no size, or fields that this library does not know");
    if (options->pages != NINHO_PAGES_AUTO && options->pages != NINHO_PAGES_SMALL)
        return nh_fail(error, NINHO_ERR_ARG, "pages must be auto or small");
    return NINHO_OK;
}

ninho_status ninho_dict_decode(const void *bytes, size_t size,
                               const ninho_open_options *theirs, ninho_dict **out,
                               ninho_error *error)
{
    ninho_open_options options;
    struct nh_frame frame;

    if (!out || (!bytes && size))
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", out ? "bytes" : "out");
    ninho_status status = read_options(theirs, &options, error);
    if (!status)
        status = nh_frame_decode(bytes, size, size, &frame, error);
    if (status)
        return status;
    return decode(&frame, (const uint8_t *)bytes + frame.header_size, &options, out,
                  error);
}

ninho_status ninho_dict_open(const char *path, const ninho_open_options *theirs,
                             ninho_dict **out, ninho_error *error)
{
    uint8_t header[NH_MAX_HEADER];
    ninho_open_options options;
    struct nh_frame frame;
    uint8_t *body = NULL;
    uint64_t size = 0;
    int descriptor = -1;

    if (!path || !out)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", path ? "out" : "path");
    ninho_status status = read_options(theirs, &options, error);
    if (!status)
        status = nh_file_open(path, &descriptor, &size, error);
    if (status)
        return status;
    const ninho_alloc alloc = nh_alloc_or_default(options.alloc);
    const size_t n_header = size < sizeof header ? (size_t)size : sizeof header;
    status = nh_file_read_at(descriptor, header, n_header, 0, error);
    if (!status)
        status = nh_frame_decode(header, n_header, size, &frame, error);
    if (status)
        goto done;
    const size_t room =
        frame.body_size < SIZE_MAX ? (size_t)frame.body_size + 1 : SIZE_MAX;
    body = alloc.alloc(alloc.context, room); /* one more, so that it is never 0 */
    if (body)
        status = nh_file_read_at(descriptor, body, room - 1, frame.header_size, error);
    else
        status = nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    if (!status)
        status = decode(&frame, body, &options, out, error);
    nh_alloc_free(&alloc, body, room);
done:
    close(descriptor);
    return status;
}
