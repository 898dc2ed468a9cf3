/* SPDX-License-Identifier: MIT */
#include "format/frame.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "format/bytes.h"
#include "hash/hash.h"

static const uint8_t magic[6] = {'N', 'I', 'N', 'H', 'O', 0};

#define CHECKSUM_BYTES 8
#define MAX_TOTAL      (UINT64_C(1) << 62)

static uint32_t header_size_of(uint32_t n_parts, uint32_t meta_size)
{
    return (uint32_t)nh_round_up(NH_FIXED_BYTES + NH_PART_BYTES * n_parts + meta_size +
                                     CHECKSUM_BYTES,
                                 NH_BODY_ALIGN);
}

ninho_status nh_frame_lay_out(struct nh_frame *frame)
{
    uint64_t at = 0;

    static_assert(NH_MAX_HEADER % NH_BODY_ALIGN == 0 &&
                      NH_MAX_HEADER >= NH_FIXED_BYTES + NH_PART_BYTES * NH_MAX_RECORDS +
                                           NH_MAX_META + CHECKSUM_BYTES,
                  "the largest header");
    assert(frame->n_parts >= 1 && frame->n_parts <= NH_MAX_RECORDS);
    assert(frame->meta_size <= NH_MAX_META);
    for (uint32_t i = 0; i < frame->n_parts; i++) {
        struct nh_frame_part *part = &frame->parts[i];
        part->offset = nh_round_up(at, NH_BODY_ALIGN);
        if (part->size > MAX_TOTAL - part->offset)
            return NINHO_ERR_NOMEM;
        at = part->offset + part->size;
        if (at > MAX_TOTAL - NH_MAX_HEADER)
            return NINHO_ERR_NOMEM;
    }
    frame->body_size = at;
    frame->header_size = header_size_of(frame->n_parts, frame->meta_size);
    return NINHO_OK;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void nh_frame_encode(const struct nh_frame *frame, uint8_t *bytes)
{
    const size_t checked = frame->header_size - CHECKSUM_BYTES;
    struct nh_writer w = {bytes, bytes + frame->header_size, false};

    memset(bytes, 0, frame->header_size);
    nh_write_bytes(&w, magic, sizeof magic);
    nh_write_le(&w, 2, NH_FRAME_VERSION);
    nh_write_le(&w, 4, frame->header_size);
    nh_write_le(&w, 2, frame->kind);
    nh_write_le(&w, 1, frame->key_encoding);
    nh_write_le(&w, 1, frame->hash);
    nh_write_le(&w, 8, frame->seed);
    nh_write_le(&w, 8, frame->key_check);
    nh_write_le(&w, 8, frame->capacity);
    nh_write_le(&w, 8, frame->count);
    nh_write_le(&w, 8, bits_of(frame->fpr));
    nh_write_le(&w, 4, frame->flags);
    nh_write_le(&w, 4, frame->n_parts);
    nh_write_le(&w, 8, frame->body_size);
    nh_write_le(&w, 8, frame->body_checksum);
    nh_write_le(&w, 4, frame->meta_size);
    nh_write_le(&w, 4, 0);
    nh_write_le(&w, 8, frame->options);
    for (uint32_t i = 0; i < frame->n_parts; i++) {
        const struct nh_frame_part *part = &frame->parts[i];
        nh_write_le(&w, 2, part->kind);
        nh_write_le(&w, 2, 0);
        nh_write_le(&w, 4, part->n_hashes);
        nh_write_le(&w, 8, part->capacity);
        nh_write_le(&w, 8, part->count);
        nh_write_le(&w, 8, part->n_cells);
        nh_write_le(&w, 8, part->words[0]);
        nh_write_le(&w, 8, part->words[1]);
        nh_write_le(&w, 8, part->offset);
        nh_write_le(&w, 8, part->size);
    }
    nh_write_bytes(&w, frame->meta, frame->meta_size);
    w.at = bytes + checked;
    nh_write_le(&w, 8, nh_checksum_of(bytes, checked));
    assert(!w.bad);
}

/* Says what the bytes are, where that helps someone who gave the wrong file. */
static ninho_status not_ours(const uint8_t *bytes, size_t size, ninho_error *error)
{
    static const uint8_t gzip[] = {0x1f, 0x8b};
    static const uint8_t zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    static const uint8_t xz[] = {0xfd, '7', 'z', 'X', 'Z'};
    const char *hint = "";

    if (size >= sizeof gzip && memcmp(bytes, gzip, sizeof gzip) == 0)
        hint = ": it is compressed; run gunzip first";
    else if (size >= sizeof zstd && memcmp(bytes, zstd, sizeof zstd) == 0)
        hint = ": it is compressed; run unzstd first";
    else if (size >= sizeof xz && memcmp(bytes, xz, sizeof xz) == 0)
        hint = ": it is compressed; run unxz first";
    return nh_fail_at(error, NINHO_ERR_FORMAT, 0, "not a ninho file%s", hint);
}

static ninho_status truncated(uint64_t total, uint64_t needed, ninho_error *error)
{
    return nh_fail_at(error, NINHO_ERR_FORMAT, total,
                      "truncated: %" PRIu64 " bytes, expected %" PRIu64, total, needed);
}

ninho_status nh_frame_start(const uint8_t *bytes, size_t size, uint64_t total,
                            uint32_t *header_size, ninho_error *error)
{
    const size_t n_magic = size < sizeof magic ? size : sizeof magic;

    if (size == 0) /* and then `bytes` may be NULL, to which nothing may be added */
        return nh_fail_at(error, NINHO_ERR_FORMAT, 0, "not a ninho file: it is empty");
    struct nh_reader r = {bytes, bytes + size, false};
    if (memcmp(bytes, magic, n_magic) != 0)
        return not_ours(bytes, size, error);
    nh_read_bytes(&r, sizeof magic);
    const uint64_t version = nh_read_le(&r, 2);
    const uint32_t claimed = (uint32_t)nh_read_le(&r, 4);
    if (r.bad)
        return truncated(size, header_size_of(1, 0), error);
    if (version != NH_FRAME_VERSION)
        return nh_fail(error, NINHO_ERR_VERSION,
                       "format version %" PRIu64 "; this ninho reads version %d", version,
                       NH_FRAME_VERSION);
    if (claimed < header_size_of(1, 0) || claimed > NH_MAX_HEADER ||
        claimed % NH_BODY_ALIGN != 0)
        return nh_fail_invalid(error, "header size", NH_AT_HEADER_SIZE);
    if (claimed > total)
        return truncated(total, claimed, error);
    *header_size = claimed;
    return NINHO_OK;
}

/* After this the header is what its writer wrote. */
static ninho_status check_header(const uint8_t *bytes, size_t size, uint64_t total,
                                 struct nh_frame *frame, ninho_error *error)
{
    const ninho_status status =
        nh_frame_start(bytes, size, total, &frame->header_size, error);
    if (status)
        return status;
    if (frame->header_size > size)
        return truncated(size, frame->header_size, error);
    const size_t checked = frame->header_size - CHECKSUM_BYTES;
    struct nh_reader r = {bytes + checked, bytes + frame->header_size, false};
    if (nh_read_le(&r, CHECKSUM_BYTES) != nh_checksum_of(bytes, checked))
        return nh_fail_at(error, NINHO_ERR_CHECKSUM, 0,
                          "header checksum does not match: the file is damaged");
    return NINHO_OK;
}

static bool is_zero(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            return false;
    return true;
}

/* Each part begins where the one before it ends, rounded up; the last one ends the
 * file. */
static ninho_status read_parts(struct nh_reader *r, struct nh_frame *frame,
                               ninho_error *error)
{
    uint64_t at = 0;

    for (uint32_t i = 0; i < frame->n_parts; i++) {
        struct nh_frame_part *part = &frame->parts[i];
        part->kind = (uint16_t)nh_read_le(r, 2);
        if (nh_read_le(r, 2) != 0)
            return nh_fail_invalid(error, "reserved field of a part",
                                   nh_part_at(i, NH_PART_RESERVED));
        part->n_hashes = (uint32_t)nh_read_le(r, 4);
        part->capacity = nh_read_le(r, 8);
        part->count = nh_read_le(r, 8);
        part->n_cells = nh_read_le(r, 8);
        part->words[0] = nh_read_le(r, 8);
        part->words[1] = nh_read_le(r, 8);
        part->offset = nh_read_le(r, 8);
        part->size = nh_read_le(r, 8);
        if (part->offset != nh_round_up(at, NH_BODY_ALIGN))
            return nh_fail_invalid(error, "offset of a part",
                                   nh_part_at(i, NH_PART_OFFSET));
        if (part->offset > frame->body_size ||
            part->size > frame->body_size - part->offset)
            return nh_fail_invalid(error, "size of a part", nh_part_at(i, NH_PART_SIZE));
        at = part->offset + part->size;
    }
    return at == frame->body_size ? NINHO_OK
                                  : nh_fail_invalid(error, "body size", NH_AT_BODY_SIZE);
}

static ninho_status read_fields(struct nh_reader *r, struct nh_frame *frame,
                                ninho_error *error)
{
    frame->kind = (uint16_t)nh_read_le(r, 2);
    frame->key_encoding = (uint8_t)nh_read_le(r, 1);
    frame->hash = (uint8_t)nh_read_le(r, 1);
    frame->seed = nh_read_le(r, 8);
    frame->key_check = nh_read_le(r, 8);
    frame->capacity = nh_read_le(r, 8);
    frame->count = nh_read_le(r, 8);
    frame->fpr = double_of(nh_read_le(r, 8));
    frame->flags = (uint32_t)nh_read_le(r, 4);
    frame->n_parts = (uint32_t)nh_read_le(r, 4);
    frame->body_size = nh_read_le(r, 8);
    frame->body_checksum = nh_read_le(r, 8);
    frame->meta_size = (uint32_t)nh_read_le(r, 4);
    if (nh_read_le(r, 4) != 0)
        return nh_fail_invalid(error, "reserved field", NH_AT_RESERVED);
    frame->options = nh_read_le(r, 8);
    if (frame->flags & ~NH_KNOWN_FLAGS)
        return nh_fail(error, NINHO_ERR_VERSION, "unknown flags %#" PRIx32, frame->flags);
    /* Exactly 0 for exact kinds. NaN is neither; what a writer stores is never
     * subnormal. */
    if (bits_of(frame->fpr) != 0 && !(frame->fpr >= NH_MIN_FPR && frame->fpr < 1))
        return nh_fail_invalid(error, "fpr", NH_AT_FPR);
    if (frame->n_parts < 1 || frame->n_parts > NH_MAX_RECORDS)
        return nh_fail_invalid(error, "number of parts", NH_AT_N_PARTS);
    if (frame->meta_size > NH_MAX_META)
        return nh_fail_invalid(error, "metadata size", NH_AT_META_SIZE);
    if (frame->header_size != header_size_of(frame->n_parts, frame->meta_size))
        return nh_fail_invalid(error, "header size", NH_AT_HEADER_SIZE);
    return NINHO_OK;
}

ninho_status nh_frame_decode(const uint8_t *bytes, size_t size, uint64_t total,
                             struct nh_frame *frame, ninho_error *error)
{
    ninho_status status = check_header(bytes, size, total, frame, error);
    if (status)
        return status;
    struct nh_reader r = {bytes + NH_AT_KIND, bytes + frame->header_size - CHECKSUM_BYTES,
                          false};
    status = read_fields(&r, frame, error);
    if (status)
        return status;
    if (frame->body_size > MAX_TOTAL)
        return nh_fail_invalid(error, "body size", NH_AT_BODY_SIZE);
    const uint64_t needed = frame->header_size + frame->body_size;
    if (total < needed)
        return truncated(total, needed, error);
    if (total > needed && total != NH_TOTAL_UNKNOWN)
        return nh_fail_at(error, NINHO_ERR_FORMAT, needed, "%" PRIu64 " trailing byte%s",
                          total - needed, total - needed == 1 ? "" : "s");
    status = read_parts(&r, frame, error);
    if (status)
        return status;
    frame->meta = nh_read_bytes(&r, frame->meta_size);
    if (r.bad || !is_zero(r.at, (size_t)(r.end - r.at)))
        return nh_fail_invalid(error, "padding", (uint64_t)(r.at - bytes));
    return NINHO_OK;
}
