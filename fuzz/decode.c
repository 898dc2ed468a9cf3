/* SPDX-License-Identifier: MIT */
/* Arbitrary bytes: opened in every way, and asked everything. The input's checksums are made right
 * first, or else a fuzzer would never get past them; bit 0 of the last byte says whether. */
#include "target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/ninho.h>

#include "conform/frame_bytes.h"

static const uint8_t secret[NINHO_SECRET_BYTES] = "the fuzzer's key";

static void ask_everything(const ninho_filter *filter)
{
    uint64_t hashes[70], maybe[2];
    ninho_info info = NINHO_INFO_INIT;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_hasher hasher;
    char text[32];
    double n_keys = 0, n_common = 0;
    size_t n_maybe = 0;

    /* A view's body may be anything: then the answers are too, but they are given. */
    const bool is_sound = ninho_filter_verify(filter, NULL) == NINHO_OK;
    for (size_t i = 0; i < 70; i++)
        hashes[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)i << 60;
    const size_t n = ninho_filter_has_many(filter, hashes, 70, maybe);
    for (size_t i = 0; i < 70; i++) {
        const bool has = ninho_filter_has(filter, hashes[i]);
        MUST((maybe[i / 64] >> (i % 64) & 1) == has);
        const uint64_t n_copies = ninho_filter_copies(filter, hashes[i]);
        MUST(has || n_copies == 0 || !is_sound);
        n_maybe += has;
    }
    MUST(n == n_maybe);
    ninho_filter_has_key(filter, "robin", 5);
    MUST(ninho_filter_info(filter, &info) == NINHO_OK);
    MUST(info.fpr_expected >= 0 && info.fpr_expected <= 1 && info.load >= 0 &&
         info.load <= 1);
    if (ninho_filter_estimate(filter, &n_keys) == NINHO_OK)
        MUST(n_keys >= 0 && isfinite(n_keys));
    ninho_filter_estimate_pair(filter, filter, &n_keys, &n_common, NULL);
    MUST(ninho_filter_spec(filter, &spec) == NINHO_OK);
    ninho_filter_hasher(filter, &hasher);
    for (size_t i = 0; ninho_filter_meta_at(filter, i, text, sizeof text); i++)
        MUST(i < 4096);
    uint64_t cursor = 0, fingerprint = 0;
    for (uint64_t i = 0; ninho_filter_next_fingerprint(filter, &cursor, &fingerprint);
         i++)
        MUST(i < info.size_bytes * 8); /* no slot has less than a bit */
    size_t attached_size = 1;
    const uint8_t *attached = ninho_filter_attachment(filter, &attached_size);
    MUST((attached == NULL) == (attached_size == 0));
    MUST(attached_size < info.size_bytes);
    volatile uint8_t last = 0; /* each byte can be read */
    for (size_t i = 0; i < attached_size; i++)
        last = attached[i];
    (void)last;
}

static ninho_kind kind_of(const ninho_filter *filter)
{
    ninho_info info = NINHO_INFO_INIT;

    MUST(ninho_filter_info(filter, &info) == NINHO_OK);
    return info.kind;
}

/* What can be copied may be changed, whatever it was made of. */
static void change_copy(const ninho_filter *filter)
{
    ninho_filter *copy = NULL;

    if (ninho_filter_copy(filter, NULL, &copy, NULL) != NINHO_OK)
        return;
    ask_everything(copy);
    for (uint64_t i = 0; i < 8; i++) {
        const uint64_t hash = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        (void)ninho_filter_add(copy, hash);
        (void)ninho_filter_remove(copy, hash ^ (i & 1));
    }
    (void)ninho_filter_union(copy, copy, NULL);
    (void)ninho_filter_union(copy, filter, NULL);
    (void)ninho_filter_clear(copy);
    ninho_filter_free(copy);
}

static void try_view(const uint8_t *bytes, size_t size, const ninho_open_options *open,
                     bool is_good)
{
    ninho_view view;
    const ninho_filter *filter = NULL;
    const ninho_status status =
        ninho_filter_view(&view, bytes, size, open, &filter, NULL);

    MUST(!is_good || status == NINHO_OK);
    if (status)
        return;
    ask_everything(filter);
    change_copy(filter);
}

static void try_bare(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; ninho_kind_at(i); i++) {
        ninho_spec spec = NINHO_SPEC_INIT;
        ninho_view view;
        const ninho_filter *filter = NULL;
        spec.kind = ninho_kind_at(i);
        if (ninho_filter_view_bare(&view, &spec, bytes, size, &filter, NULL) ==
            NINHO_OK) {
            ask_everything(filter);
            change_copy(filter);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ninho_open_options open = NINHO_OPEN_INIT;
    ninho_filter *filter = NULL;
    uint8_t *mine = malloc(size ? size : 1);

    if (!mine)
        return 0;
    memcpy(mine, bytes, size);
    if (size && bytes[size - 1] & 1)
        fix_checksums(mine, size);
    for (int i = 0; i < 2; i++) {
        open.secret = i ? secret : NULL;
        open.allow_sealed = !i;
        const ninho_status status = ninho_filter_decode(mine, size, &open, &filter, NULL);
        try_view(mine, size, &open, status == NINHO_OK);
        if (status)
            continue;
        ask_everything(filter);
        MUST(ninho_filter_verify(filter, NULL) == NINHO_OK);
        ninho_filter_add(filter, 1);
        ask_everything(filter);
        if (ninho_filter_clear(filter) == NINHO_OK)
            MUST(!ninho_filter_has(filter, 1));
        else
            MUST(!(ninho_kind_can(kind_of(filter)) & NINHO_CAN_ADD));
        ninho_filter_free(filter);
        filter = NULL;
    }
    try_bare(mine, size);
    free(mine);
    return 0;
}
