/* SPDX-License-Identifier: MIT */
/* Asking the filters of a Parquet file, which are read only as far as the question goes: a value has one block, of
 * 32 bytes, and a filter of one block is a filter too.
 *
 *     | header | block 0 | block 1 | ... |  block = ((hash >> 32) * n) >> 32
 */
#include "parquet_inside.h"

/* What is read of a filter to find its header in it; those of today's writers have 15 to 20 bytes. */
#define HEADER_ROOM 256

static ninho_status say_where(const struct nf_chunk *chunk, ninho_status status,
                              const ninho_error *inner, ninho_error *error)
{
    return na_fail(error, status, "the filter at byte %llu: %s",
                   (unsigned long long)chunk->offset, inner->text);
}

/* Where the blocks of a chunk's filter are. What is found is kept for the next question. */
static ninho_status find_blocks(ninho_parquet *parquet, const struct nf_chunk *chunk,
                                struct nf_blocks *blocks, ninho_error *error)
{
    uint8_t bytes[HEADER_ROOM];
    ninho_error inner = NINHO_ERROR_INIT;
    size_t header_size;
    uint32_t n_bytes;

    *blocks = (struct nf_blocks){0};
    if (chunk->offset == 0)
        return NINHO_OK;
    if (parquet->last == chunk) {
        *blocks = parquet->last_blocks;
        return NINHO_OK;
    }
    if (chunk->offset >= parquet->source.size)
        return na_fail(error, NINHO_ERR_FORMAT, "a filter at byte %llu, behind the end",
                       (unsigned long long)chunk->offset);
    uint64_t left = parquet->source.size - chunk->offset;
    if (chunk->size > left)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "a filter of %llu bytes at byte %llu, beyond the end",
                       (unsigned long long)chunk->size,
                       (unsigned long long)chunk->offset);
    if (chunk->size)
        left = chunk->size;
    const size_t n = left < sizeof bytes ? (size_t)left : sizeof bytes;
    ninho_status status =
        parquet->source.read(parquet->source.context, chunk->offset, bytes, n, error);
    if (status)
        return status;
    status = nf_read_filter_header(bytes, n, &header_size, &n_bytes, &inner);
    if (status)
        return say_where(chunk, status, &inner, error);
    if (n_bytes > left - header_size)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "the filter at byte %llu: %lu bytes of blocks are told, and %llu "
                       "are there",
                       (unsigned long long)chunk->offset, (unsigned long)n_bytes,
                       (unsigned long long)(left - header_size));
    *blocks = (struct nf_blocks){.at = chunk->offset + header_size, .size = n_bytes};
    parquet->last = chunk;
    parquet->last_blocks = *blocks;
    return NINHO_OK;
}

static const struct nf_chunk *chunk_at(const ninho_parquet *parquet, size_t group,
                                       size_t column)
{
    return (const struct nf_chunk *)parquet->chunks.items + group * parquet->columns.n +
           column;
}

static ninho_status view_blocks(ninho_view *view, const uint8_t *bytes, size_t size,
                                const ninho_filter **out, ninho_error *error)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = NINHO_BLOCKED;
    spec.hash = NINHO_HASH_XXH64;
    return ninho_filter_view_bare(view, &spec, bytes, size, out, error);
}

ninho_status ninho_parquet_filter_size(ninho_parquet *parquet, size_t group,
                                       size_t column, uint64_t *size, ninho_error *error)
{
    struct nf_blocks blocks;
    const ninho_status status =
        find_blocks(parquet, chunk_at(parquet, group, column), &blocks, error);

    if (!status)
        *size = blocks.size;
    return status;
}

ninho_status ninho_parquet_ask(ninho_parquet *parquet, size_t group, size_t column,
                               const ninho_parquet_value *value,
                               ninho_parquet_answer *answer, ninho_error *error)
{
    ninho_parquet_answer found = NINHO_PARQUET_NO;
    struct nf_blocks blocks;

    ninho_status status =
        find_blocks(parquet, chunk_at(parquet, group, column), &blocks, error);
    if (!status && !blocks.size)
        found = NINHO_PARQUET_NO_FILTER;
    for (size_t i = 0; i < value->n_hashes && !status && found == NINHO_PARQUET_NO; i++) {
        const uint64_t hash = value->hashes[i];
        const uint64_t block = (hash >> 32) * (blocks.size / NF_BLOCK_SIZE) >> 32;
        const ninho_filter *filter;
        uint8_t bytes[NF_BLOCK_SIZE];
        ninho_view view;
        status = parquet->source.read(parquet->source.context,
                                      blocks.at + NF_BLOCK_SIZE * block, bytes,
                                      sizeof bytes, error);
        if (!status)
            status = view_blocks(&view, bytes, sizeof bytes, &filter, error);
        if (!status && ninho_filter_has(filter, hash))
            found = NINHO_PARQUET_MAYBE;
    }
    if (!status)
        *answer = found;
    return status;
}

ninho_status ninho_parquet_filter(ninho_parquet *parquet, size_t group, size_t column,
                                  const ninho_filter **out, ninho_error *error)
{
    struct nf_blocks blocks;

    *out = NULL;
    ninho_status status =
        find_blocks(parquet, chunk_at(parquet, group, column), &blocks, error);
    if (status || !blocks.size)
        return status;
    const size_t size = (size_t)blocks.size;
    if (parquet->filter_bytes)
        na_free(&parquet->alloc, parquet->filter_bytes, parquet->filter_size, 1);
    parquet->filter_bytes = na_alloc(&parquet->alloc, size, 1);
    if (!parquet->filter_bytes)
        return na_fail(error, NINHO_ERR_NOMEM, "no memory for a filter of %zu bytes",
                       size);
    parquet->filter_size = size;
    status = parquet->source.read(parquet->source.context, blocks.at,
                                  parquet->filter_bytes, size, error);
    return status ? status
                  : view_blocks(&parquet->view, parquet->filter_bytes, size, out, error);
}
