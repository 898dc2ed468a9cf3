/* SPDX-License-Identifier: MIT */
/* Parquet's filters alone: a header in Thrift's compact protocol, then the blocks.
 *
 *     15 zz..    field 1, i32: bytes of the blocks, zigzag varint
 *     1c         field 2, struct: the algorithm; a union, of which
 *     1c 00 00     field 1 is "split blocks", an empty struct
 *     1c         field 3: the hash; field 1 is XXH64
 *     1c 00 00
 *     1c         field 4: the compression; field 1 is none
 *     1c 00 00
 *     00         the end
 */
#include <string.h>

#include "parquet_inside.h"

static size_t write_header(uint32_t n_bytes, uint8_t *out)
{
    static const uint8_t rest[] = {0x1c, 0x1c, 0,    0, 0x1c, 0x1c, 0,
                                   0,    0x1c, 0x1c, 0, 0,    0};
    uint64_t number = (uint64_t)n_bytes << 1; /* zigzag of what is not negative */
    size_t size = 0;

    out[size++] = 0x15;
    for (; number >= 0x80; number >>= 7)
        out[size++] = (uint8_t)(number | 0x80);
    out[size++] = (uint8_t)number;
    memcpy(out + size, rest, sizeof rest);
    return size + sizeof rest;
}

static ninho_status check_kind(const ninho_filter *filter, ninho_error *error)
{
    ninho_info info = NINHO_INFO_INIT;

    ninho_filter_info(filter, &info);
    if (info.kind != NINHO_BLOCKED)
        return na_fail(error, NINHO_ERR_UNSUPPORTED,
                       "a filter of kind %s: Parquet has blocked ones only",
                       ninho_kind_name(info.kind));
    if (info.hash != NINHO_HASH_XXH64 || info.seed != 0)
        return na_fail(error, NINHO_ERR_UNSUPPORTED,
                       "hash %s with seed %llu: Parquet's is xxh64 with seed 0",
                       ninho_hash_name(info.hash), (unsigned long long)info.seed);
    if (info.key_encoding != NINHO_KEY_BYTES && info.key_encoding != NINHO_KEY_INT64)
        return na_fail(error, NINHO_ERR_UNSUPPORTED,
                       "keys encoded as %s: in Parquet they are bytes or integers",
                       ninho_key_encoding_name(info.key_encoding));
    return NINHO_OK;
}

ninho_status ninho_parquet_encode(const ninho_filter *filter, void *bytes,
                                  size_t capacity, size_t *size, ninho_error *error)
{
    uint8_t header[NINHO_PARQUET_MAX_HEADER];
    size_t n_bytes = 0;

    ninho_status status = check_kind(filter, error);
    if (status)
        return status;
    status = ninho_filter_encode_bare(filter, NULL, 0, &n_bytes);
    if (status != NINHO_ERR_SPACE)
        return na_fail(error, status, "%s", ninho_status_text(status));
    if (n_bytes > NINHO_PARQUET_MAX_BLOCKS_SIZE)
        return na_fail(error, NINHO_ERR_UNSUPPORTED,
                       "%zu bytes: Parquet's readers take at most %lu", n_bytes,
                       (unsigned long)NINHO_PARQUET_MAX_BLOCKS_SIZE);
    const size_t header_size = write_header((uint32_t)n_bytes, header);
    *size = header_size + n_bytes;
    if (capacity < *size)
        return na_fail(error, NINHO_ERR_SPACE, "it takes %zu bytes", *size);
    memcpy(bytes, header, header_size);
    return ninho_filter_encode_bare(filter, (uint8_t *)bytes + header_size, n_bytes,
                                    &n_bytes);
}

/* The field of a union that is set; 0 for none. */
static int32_t read_union(struct na_reader *reader, enum nf_type type)
{
    struct nf_field field = {0};
    int32_t number = 0;

    if (type != NF_STRUCT)
        na_read_fail(reader);
    while (nf_read_field(reader, &field)) {
        number = field.number;
        nf_skip(reader, field.type);
    }
    return number;
}

ninho_status nf_read_filter_header(const void *bytes, size_t size, size_t *header_size,
                                   uint32_t *n_bytes, ninho_error *error)
{
    static const char *const names[] = {"algorithm", "hash", "compression"};
    struct na_reader reader;
    struct nf_field field = {0};
    int64_t number = 0;
    int32_t choices[3] = {0, 0, 0};

    reader = na_reader_of(bytes, size);
    while (nf_read_field(&reader, &field)) {
        if (field.number == 1)
            number = nf_read_integer(&reader, field.type);
        else if (field.number >= 2 && field.number <= 4)
            choices[field.number - 2] = read_union(&reader, field.type);
        else
            nf_skip(&reader, field.type);
    }
    if (reader.is_bad)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "byte %zu of the header: no Bloom filter of Parquet",
                       reader.bad_at);
    for (int i = 0; i < 3; i++)
        if (choices[i] != 1)
            return na_fail(error, NINHO_ERR_UNSUPPORTED, "%s number %ld is not known",
                           names[i], (long)choices[i]);
    if (number < NF_BLOCK_SIZE || number % NF_BLOCK_SIZE ||
        number > (int64_t)NINHO_PARQUET_MAX_BLOCKS_SIZE)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "%lld bytes of blocks: a multiple of %d up to %lu is wanted",
                       (long long)number, NF_BLOCK_SIZE,
                       (unsigned long)NINHO_PARQUET_MAX_BLOCKS_SIZE);
    *header_size = (size_t)(reader.at - reader.begin);
    *n_bytes = (uint32_t)number;
    return NINHO_OK;
}

ninho_status ninho_parquet_view(ninho_view *view, const void *bytes, size_t size,
                                size_t *used, const ninho_filter **out,
                                ninho_error *error)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    size_t header_size;
    uint32_t n_bytes;

    const ninho_status status =
        nf_read_filter_header(bytes, size, &header_size, &n_bytes, error);
    if (status)
        return status;
    if (n_bytes > size - header_size)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "%lu bytes of blocks are told, and %zu are there",
                       (unsigned long)n_bytes, size - header_size);
    spec.kind = NINHO_BLOCKED;
    spec.hash = NINHO_HASH_XXH64;
    *used = header_size + n_bytes;
    return ninho_filter_view_bare(view, &spec, (const uint8_t *)bytes + header_size,
                                  n_bytes, out, error);
}
