/* SPDX-License-Identifier: MIT */
/* Arbitrary bytes as a stream: probed, read, changed, written, and read again. What is read must be
 * what is decoded, and what was changed must still be a filter. A dictionary beside it is opened
 * and changed with it. */
#include "target.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/ninho.h>

struct input {
    const uint8_t *bytes;
    size_t size;
    size_t at;
};

struct output {
    uint8_t *bytes;
    size_t size; /* there is room for */
    size_t at;
};

static ninho_status give(void *context, void *bytes, size_t size, ninho_error *error)
{
    struct input *input = context;

    if (size > input->size - input->at)
        return ninho_error_set(error, NINHO_ERR_FORMAT, "that was all");
    memcpy(bytes, input->bytes + input->at, size);
    input->at += size;
    return NINHO_OK;
}

static ninho_status take(void *context, const void *bytes, size_t size,
                         ninho_error *error)
{
    struct output *output = context;

    (void)error;
    MUST(size <= output->size - output->at);
    memcpy(output->bytes + output->at, bytes, size);
    output->at += size;
    return NINHO_OK;
}

static const ninho_open_options *sealed(void)
{
    static ninho_open_options open = NINHO_OPEN_INIT;

    open.allow_sealed = true;
    return &open;
}

/* What it is written as, which is `expected` if that is not NULL, read again. */
static ninho_filter *again(const ninho_filter *filter, const uint8_t *expected)
{
    struct output out = {.size = ninho_filter_encoded_size(filter)};
    ninho_filter *read = NULL;

    out.bytes = malloc(out.size);
    MUST(out.bytes && ninho_filter_write(filter, take, &out, NULL) == NINHO_OK);
    MUST(out.at == out.size);
    MUST(!expected || memcmp(out.bytes, expected, out.size) == 0);
    struct input in = {out.bytes, out.size, 0};
    MUST(ninho_filter_read(give, &in, sealed(), &read, NULL) == NINHO_OK);
    MUST(in.at == in.size);
    MUST(ninho_filter_encoded_size(read) == out.size);
    free(out.bytes);
    return read;
}

/* The header alone says what the whole then is. */
static void probe(const uint8_t *bytes, size_t size, const ninho_filter *filter)
{
    ninho_probe_info info = NINHO_PROBE_INIT;
    ninho_info whole = NINHO_INFO_INIT;
    const size_t n = size < NINHO_PROBE_BYTES ? size : NINHO_PROBE_BYTES;
    const ninho_status status = ninho_probe(bytes, n, &info, NULL);

    (void)ninho_probe(bytes, size / 2, &info, NULL);
    if (!filter)
        return;
    MUST(status == NINHO_OK && info.is_filter && !info.is_dict);
    MUST(ninho_filter_info(filter, &whole) == NINHO_OK);
    MUST(info.filter_kind == whole.kind && info.count == whole.count);
    MUST(info.header_bytes + info.body_bytes == size);
    MUST(info.has_attachment == (ninho_filter_attachment(filter, NULL) != NULL));
}

/* Adds, and takes back what it can; what comes of it is read again as it is. */
static void change(ninho_filter *filter)
{
    uint64_t hashes[40];
    size_t n_added = 0;

    for (size_t i = 0; i < 40; i++)
        hashes[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    (void)ninho_filter_add(filter, hashes[0]);
    (void)ninho_filter_add_many(filter, hashes + 1, 39, &n_added);
    ninho_filter *read = again(filter, NULL);
    for (size_t i = 1; i <= n_added; i++)
        MUST(ninho_filter_has(read, hashes[i]));
    ninho_filter_free(read);
    for (size_t i = 0; i < 40; i += 2)
        (void)ninho_filter_remove(filter, hashes[i]);
    (void)ninho_filter_union(filter, filter, NULL);
    ninho_filter_free(again(filter, NULL));
}

/* Takes the filter over. */
static void change_checked(ninho_filter *filter)
{
    ninho_checked *checked = NULL, *read = NULL;
    bool was_there = false;

    (void)ninho_filter_is_checked(filter);
    if (ninho_checked_of(filter, sealed(), &checked, NULL) != NINHO_OK) {
        ninho_filter_free(filter);
        return;
    }
    (void)ninho_checked_verify(checked, NULL); /* the two may disagree */
    const ninho_status added = ninho_checked_add_key(checked, "swallows", 8, &was_there);
    const uint64_t n_copies = ninho_checked_copies(checked, "swallows", 8);
    MUST(added || n_copies);
    MUST(ninho_checked_pack(checked) == NINHO_OK);
    filter = again(ninho_checked_filter(checked), NULL);
    MUST(ninho_checked_of(filter, sealed(), &read, NULL) == NINHO_OK);
    MUST(ninho_checked_copies(read, "swallows", 8) == n_copies);
    (void)ninho_checked_union(checked, read, NULL);
    (void)ninho_checked_remove_key(read, "swallows", 8);
    ninho_checked_free(read);
    ninho_checked_free(checked);
}

static void try_stream(const uint8_t *bytes, size_t size)
{
    struct input whole = {bytes, size, 0}, cut = {bytes, size / 2, 0};
    ninho_filter *filter = NULL, *decoded = NULL;
    const ninho_status status = ninho_filter_read(give, &whole, sealed(), &filter, NULL);

    /* A stream may go on: of bytes that have more behind the filter only it is read. */
    MUST((ninho_filter_decode(bytes, status ? size : whole.at, sealed(), &decoded,
                              NULL) == NINHO_OK) == (status == NINHO_OK));
    if (whole.at == size && size)
        MUST(ninho_filter_read(give, &cut, sealed(), &filter, NULL) != NINHO_OK);
    probe(bytes, status ? size : whole.at, filter);
    if (status)
        return;
    ninho_filter_free(again(filter, bytes));
    change(filter);
    ninho_filter_free(filter);
    change_checked(decoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input input = {bytes, size, 0};
    ninho_dict *dict = NULL;

    try_stream(bytes, size);
    if (ninho_dict_read(give, &input, NULL, &dict, NULL) == NINHO_OK)
        ninho_dict_free(dict);
    return 0;
}
