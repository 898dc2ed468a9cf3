/* SPDX-License-Identifier: MIT */
/* Decode, encode, decode: what can be read is written as it was read, and reads again, at once or
 * as a stream. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/ninho.h>

#include "conform/frame_bytes.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ninho_open_options open = NINHO_OPEN_INIT;
    ninho_filter *first = NULL, *second = NULL;
    uint8_t *mine = malloc(size ? size : 1);
    size_t first_size, second_size;

    if (!mine)
        return 0;
    memcpy(mine, bytes, size);
    fix_checksums(mine, size);
    open.allow_sealed = true;
    const ninho_status decoded = ninho_filter_decode(mine, size, &open, &first, NULL);
    try_stream(mine, size, &open, decoded);
    if (decoded == NINHO_OK) {
        uint8_t *first_bytes = encode(first, &first_size);
        MUST(first_size == size && memcmp(first_bytes, mine, size) == 0);
        MUST(ninho_filter_decode(first_bytes, first_size, &open, &second, NULL) ==
             NINHO_OK);
        uint8_t *second_bytes = encode(second, &second_size);
        MUST(second_size == size && memcmp(second_bytes, mine, size) == 0);
        /* and the bare form of a table is the table */
        size_t bare_size = 0;
        if (ninho_filter_encode_bare(first, NULL, 0, &bare_size) == NINHO_ERR_SPACE) {
            ninho_spec spec = NINHO_SPEC_INIT;
            ninho_view view;
            const ninho_filter *viewed = NULL;
            uint8_t *bare = malloc(bare_size);
            MUST(bare &&
                 ninho_filter_encode_bare(first, bare, bare_size, NULL) == NINHO_OK);
            MUST(ninho_filter_spec(first, &spec) == NINHO_OK);
            spec.hash = NINHO_HASH_XXH3; /* a sealed filter's secret is not here */
            MUST(ninho_filter_view_bare(&view, &spec, bare, bare_size, &viewed, NULL) ==
                 NINHO_OK);
            for (uint64_t i = 0; i < 50; i++) {
                const uint64_t hash = i * UINT64_C(0x9e3779b97f4a7c15);
                MUST(ninho_filter_has(first, hash) == ninho_filter_has(viewed, hash));
            }
            free(bare);
        }
        ninho_filter_free(second);
        ninho_filter_free(first);
        free(second_bytes);
        free(first_bytes);
    }
    free(mine);
    return 0;
}
