/* SPDX-License-Identifier: MIT */
/* Arbitrary bytes, opened in every way, asked everything and changed; after each change the rule of
 * rule.h. An input is a file, or else a bare table with the number of its kind in front. */
#include "target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/ninho.h>

#include "mutate.h"
#include "rule.h"

enum {
    N_ASKED = 70, /* more than a batch, and a rest */
    N_ASKED_SINGLY = 6,
    N_WALKED = 64,
    N_ADDED = 5,
    /* tags that a search may look at, in a filter that is changed */
    MAX_SEARCH = 300,
    MAX_SEARCH_IN_SPACE = 5000,
};

static uint64_t hash_of(size_t i)
{
    return (i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)i << 60;
}

static void ask_keys(const ninho_filter *filter, bool is_sound)
{
    uint64_t hashes[N_ASKED], maybe[2];

    for (size_t i = 0; i < N_ASKED; i++)
        hashes[i] = hash_of(i);
    const size_t n = ninho_filter_has_many(filter, hashes, N_ASKED, maybe);
    size_t n_maybe = 0;
    for (size_t i = 0; i < N_ASKED; i++)
        n_maybe += maybe[i / 64] >> (i % 64) & 1;
    MUST(n == n_maybe);
    for (size_t i = 0; i < N_ASKED_SINGLY; i++) {
        const size_t at = i * 13;
        const bool has = ninho_filter_has(filter, hashes[at]);
        MUST((maybe[at / 64] >> (at % 64) & 1) == has);
        const uint64_t n_copies = ninho_filter_copies(filter, hashes[at]);
        MUST(has || n_copies == 0 || !is_sound);
    }
    ninho_filter_has_key(filter, "robin", 5);
}

static void ask_everything(const ninho_filter *filter)
{
    ninho_info info = NINHO_INFO_INIT;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_hasher hasher;
    char text[32];
    double n_keys = 0, n_common = 0;

    /* A view's body may be anything: then the answers are too, but they are given. */
    ask_keys(filter, ninho_filter_verify(filter, NULL) == NINHO_OK);
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
    for (size_t i = 0; i < N_WALKED; i++)
        if (!ninho_filter_next_fingerprint(filter, &cursor, &fingerprint))
            break;
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

/* A file may ask for searches without end in a full table; those are for the tests. */
static bool is_quick(const ninho_filter *filter)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_info info = NINHO_INFO_INIT;

    MUST(ninho_filter_spec(filter, &spec) == NINHO_OK);
    MUST(ninho_filter_info(filter, &info) == NINHO_OK);
    const uint32_t most = info.load < .8 ? MAX_SEARCH_IN_SPACE : MAX_SEARCH;
    return spec.budget <= most && spec.max_kicks <= most;
}

static void add_some(ninho_filter *filter, const ninho_open_options *open)
{
    uint64_t hashes[N_ADDED];
    size_t n_added = 0;

    for (size_t i = 0; i < N_ADDED; i++)
        hashes[i] = hash_of(i);
    const ninho_status added = ninho_filter_add(filter, hashes[0]);
    MUST(added || ninho_filter_has(filter, hashes[0]));
    must_come_back(filter, open);
    (void)ninho_filter_add_many(filter, hashes, N_ADDED, &n_added);
    for (size_t i = 0; i < n_added; i++)
        MUST(ninho_filter_has(filter, hashes[i]));
    must_come_back(filter, open);
}

/* What was decoded or copied may be changed, whatever it was made of. */
static void change(ninho_filter *filter, const ninho_open_options *open)
{
    add_some(filter, open);
    (void)ninho_filter_remove(filter, hash_of(0));
    must_come_back(filter, open);
    (void)ninho_filter_set_meta(filter, "k", "v");
    must_come_back(filter, open);
    (void)ninho_filter_union(filter, filter, NULL);
    must_come_back(filter, open);
    ask_everything(filter);
    if (ninho_filter_clear(filter) == NINHO_OK)
        MUST(!ninho_filter_has(filter, 1));
    else
        MUST(!(ninho_kind_can(kind_of(filter)) & NINHO_CAN_ADD));
    must_come_back(filter, open);
}

static void unite_copy(const ninho_filter *filter, const ninho_open_options *open)
{
    ninho_filter *copy = NULL;

    if (ninho_filter_copy(filter, NULL, &copy, NULL) != NINHO_OK)
        return;
    must_come_back(copy, open);
    if (is_quick(copy)) {
        (void)ninho_filter_union(copy, filter, NULL);
        must_come_back(copy, open);
    }
    ninho_filter_free(copy);
}

static void try_file(const uint8_t *bytes, size_t size, const ninho_open_options *open)
{
    ninho_view view;
    const ninho_filter *viewed = NULL;
    ninho_filter *filter = NULL;

    if (ninho_filter_view(&view, bytes, size, open, &viewed, NULL) == NINHO_OK)
        ask_everything(viewed);
    const ninho_status status = ninho_filter_decode(bytes, size, open, &filter, NULL);
    MUST(status || viewed); /* what is decoded can be viewed */
    if (status)
        return;
    MUST(ninho_filter_verify(filter, NULL) == NINHO_OK);
    must_come_back(filter, open);
    unite_copy(viewed, open);
    if (is_quick(filter))
        change(filter, open);
    else
        ask_everything(filter);
    ninho_filter_free(filter);
}

static void try_bare(size_t number, const uint8_t *bytes, size_t size)
{
    size_t n_kinds = 0;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_view view;
    const ninho_filter *filter = NULL;

    while (ninho_kind_at(n_kinds))
        n_kinds++;
    spec.kind = ninho_kind_at(number % n_kinds);
    if (ninho_filter_view_bare(&view, &spec, bytes, size, &filter, NULL) != NINHO_OK)
        return;
    ask_everything(filter);
    if (ninho_filter_verify(filter, NULL) == NINHO_OK)
        unite_copy(filter, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ninho_open_options open = NINHO_OPEN_INIT;

    if (size < 2)
        return 0;
    if (bytes[0] != 'N') {
        try_bare(bytes[0], bytes + 1, size - 1);
        return 0;
    }
    open.allow_sealed = true;
    try_file(bytes, size, &open);
    if (size > 15 && bytes[15] == NINHO_HASH_SIPHASH) {
        open.allow_sealed = false;
        open.secret = fuzz_secret;
        try_file(bytes, size, &open);
    }
    return 0;
}
