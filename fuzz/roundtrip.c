/* SPDX-License-Identifier: MIT */
/* Decode, encode, decode: what can be read is written as it was read, and reads again, at once or
 * as a stream. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/ninho.h>

#include "rule.h"

static uint8_t *encode(const ninho_filter *filter, size_t *size)
{
    *size = ninho_filter_encoded_size(filter);
    uint8_t *bytes = malloc(*size);
    MUST(bytes && ninho_filter_encode(filter, bytes, *size, NULL) == NINHO_OK);
    return bytes;
}

struct stream {
    const uint8_t *at;
    size_t left;
};

static ninho_status give(void *context, void *bytes, size_t size, ninho_error *error)
{
    struct stream *stream = context;

    if (size > stream->left)
        return ninho_error_set(error, NINHO_ERR_FORMAT, "no more");
    memcpy(bytes, stream->at, size);
    stream->at += size;
    stream->left -= size;
    return NINHO_OK;
}

/* A stream may go on after the filter; otherwise it is judged as the same bytes in memory are. */
static void try_stream(const uint8_t *bytes, size_t size, const ninho_open_options *open,
                       ninho_status decoded)
{
    struct stream stream = {bytes, size};
    ninho_filter *filter = NULL;
    ninho_probe_info info = NINHO_PROBE_INIT;

    const ninho_status status = ninho_filter_read(give, &stream, open, &filter, NULL);
    MUST(decoded || (!status && !stream.left));
    if (status)
        return;
    MUST(ninho_probe(bytes, size, &info, NULL) == NINHO_OK && info.is_filter);
    MUST(info.header_bytes + info.body_bytes == size - stream.left);
    size_t again_size;
    uint8_t *again = encode(filter, &again_size);
    MUST(again_size == size - stream.left && memcmp(again, bytes, again_size) == 0);
    free(again);
    ninho_filter_free(filter);
}

/* The bare form of a table is the table. */
static void try_bare(const ninho_filter *filter)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_view view;
    const ninho_filter *viewed = NULL;
    size_t size = 0;

    if (ninho_filter_encode_bare(filter, NULL, 0, &size) != NINHO_ERR_SPACE)
        return;
    uint8_t *bare = malloc(size);
    MUST(bare && ninho_filter_encode_bare(filter, bare, size, NULL) == NINHO_OK);
    MUST(ninho_filter_spec(filter, &spec) == NINHO_OK);
    spec.hash = NINHO_HASH_XXH3; /* a sealed filter's secret is not here */
    MUST(ninho_filter_view_bare(&view, &spec, bare, size, &viewed, NULL) == NINHO_OK);
    for (uint64_t i = 0; i < 16; i++) {
        const uint64_t hash = i * UINT64_C(0x9e3779b97f4a7c15);
        MUST(ninho_filter_has(filter, hash) == ninho_filter_has(viewed, hash));
    }
    free(bare);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ninho_open_options open = NINHO_OPEN_INIT;
    ninho_filter *filter = NULL;
    size_t again_size;

    open.allow_sealed = true;
    const ninho_status decoded = ninho_filter_decode(bytes, size, &open, &filter, NULL);
    try_stream(bytes, size, &open, decoded);
    if (decoded)
        return 0;
    uint8_t *again = encode(filter, &again_size);
    MUST(again_size == size && memcmp(again, bytes, size) == 0);
    must_come_back(filter, &open);
    try_bare(filter);
    ninho_filter_free(filter);
    free(again);
    return 0;
}
