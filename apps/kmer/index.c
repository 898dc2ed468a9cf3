/* SPDX-License-Identifier: MIT */
/* Filters and dictionaries of k-mers: which rule they were made by, and lookups in batches. */
#define _DEFAULT_SOURCE /* htole64 */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/base/base.h"
#include "kmer.h"
#include "source.h"

#define META_K      "kmer.k"
#define META_STRAND "kmer.strand"

ninho_status ninho_kmer_mark(ninho_filter *filter, const ninho_kmer_rule *rule)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    char k[16];

    if (ninho_kmer_check_rule(rule, NULL) || ninho_filter_spec(filter, &spec) ||
        spec.key_encoding != NINHO_KEY_KMER)
        return NINHO_ERR_ARG;
    (void)snprintf(k, sizeof k, "%" PRIu32, rule->k);
    const ninho_status status = ninho_filter_set_meta(filter, META_K, k);
    return status ? status
                  : ninho_filter_set_meta(filter, META_STRAND,
                                          ninho_kmer_strand_name(rule->strand));
}

/* Reads the rule as mark() wrote it: nothing else will do. */
static bool read_rule(const ninho_filter *filter, ninho_kmer_rule *rule)
{
    char text[16];
    char *end = NULL;

    (void)ninho_filter_meta(filter, META_K, text, sizeof text, NULL);
    if (text[0] < '1' || text[0] > '9')
        return false;
    const unsigned long k = strtoul(text, &end, 10);
    if (*end || k > NINHO_KMER_MAX_K)
        return false;
    rule->k = (uint32_t)k;
    (void)ninho_filter_meta(filter, META_STRAND, text, sizeof text, NULL);
    for (int strand = NINHO_KMER_CANONICAL; strand <= NINHO_KMER_FORWARD; strand++) {
        rule->strand = (ninho_kmer_strand)strand;
        if (strcmp(text, ninho_kmer_strand_name(rule->strand)) == 0)
            return true;
    }
    return false;
}

ninho_status ninho_kmer_index_filter(ninho_kmer_index *index, const ninho_filter *filter,
                                     ninho_error *error)
{
    ninho_kmer_index made = {.filter = filter};
    ninho_spec spec = NINHO_SPEC_INIT;

    (void)ninho_filter_spec(filter, &spec);
    if (spec.key_encoding != NINHO_KEY_KMER)
        return na_fail(error, NINHO_ERR_MISMATCH, "its keys are of type %s, not k-mers",
                       ninho_key_encoding_name(spec.key_encoding));
    if (!read_rule(filter, &made.rule))
        return na_fail(error, NINHO_ERR_FORMAT,
                       "does not say which k-mers it holds (" META_K ", " META_STRAND
                       ")");
    const ninho_status status = ninho_filter_hasher(filter, &made.hasher);
    if (status)
        return na_fail(error, status, "%s", ninho_status_text(status));
    *index = made;
    return NINHO_OK;
}

uint64_t ninho_kmer_dict_value(const ninho_kmer_rule *rule)
{
    return (uint64_t)rule->strand << 32 | rule->k;
}

ninho_status ninho_kmer_index_dict(ninho_kmer_index *index, const ninho_dict *dict,
                                   ninho_error *error)
{
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    uint64_t cursor = 0;
    uint64_t value = 0;
    const void *key = NULL;
    size_t key_size = 0;

    (void)ninho_dict_info_of(dict, &info);
    if (info.key_encoding != NINHO_KEY_KMER)
        return na_fail(error, NINHO_ERR_MISMATCH, "its keys are of type %s, not k-mers",
                       ninho_key_encoding_name(info.key_encoding));
    if (!ninho_dict_next(dict, &cursor, &key, &key_size, &value))
        return na_fail(error, NINHO_ERR_FORMAT,
                       "holds no k-mer, so that nothing tells which k");
    const ninho_kmer_rule rule = {.k = (uint32_t)value,
                                  .strand = (ninho_kmer_strand)(value >> 32)};
    if (ninho_kmer_check_rule(&rule, NULL) ||
        info.key_size != ninho_kmer_exact_size(&rule))
        return na_fail(error, NINHO_ERR_FORMAT, "does not say which k-mers it holds");
    *index = (ninho_kmer_index){.rule = rule, .dict = dict};
    return NINHO_OK;
}

ninho_status ninho_kmer_index_agrees(const ninho_kmer_index *index,
                                     const ninho_kmer_rule *rule, ninho_error *error)
{
    if (index->rule.k != rule->k)
        return na_fail(error, NINHO_ERR_MISMATCH,
                       "holds k-mers of k = %" PRIu32 ", not of k = %" PRIu32,
                       index->rule.k, rule->k);
    if (index->rule.strand != rule->strand)
        return na_fail(error, NINHO_ERR_MISMATCH, "holds %s k-mers, not %s ones",
                       ninho_kmer_strand_name(index->rule.strand),
                       ninho_kmer_strand_name(rule->strand));
    return NINHO_OK;
}

/* ---- Adding -------------------------------------------------------------------------------- */

#define ADD_AT_ONCE 1024

ninho_status ninho_kmer_add(ninho_filter *filter, const ninho_kmer_index *index,
                            const void *bases, size_t n, ninho_kmer_count *count)
{
    uint64_t hashes[ADD_AT_ONCE];
    ninho_kmer_iter iter;
    uint64_t n_kmers = 0;

    ninho_kmer_init(&iter, &index->rule);
    ninho_kmer_start(&iter, bases, n);
    for (;;) {
        const size_t some = ninho_kmer_next_many(&iter, hashes, ADD_AT_ONCE);
        if (!some)
            break;
        ninho_kmer_hash(&index->hasher, hashes, some, hashes);
        const ninho_status status = ninho_filter_add_many(filter, hashes, some, NULL);
        if (status)
            return status;
        n_kmers += some;
    }
    count->n_kmers += n_kmers;
    count->n_skipped += ninho_kmer_windows(&index->rule, n) - n_kmers;
    return NINHO_OK;
}

ninho_status ninho_kmer_put(ninho_dict *dict, const ninho_kmer_rule *rule,
                            const void *bases, size_t n, ninho_kmer_count *count)
{
    const size_t size = ninho_kmer_exact_size(rule);
    const uint64_t value = ninho_kmer_dict_value(rule);
    uint8_t packed[NINHO_KMER_MAX_PACKED];
    ninho_kmer_iter iter;
    uint64_t key = 0;
    uint64_t n_kmers = 0;

    ninho_kmer_init(&iter, rule);
    ninho_kmer_start(&iter, bases, n);
    for (; ninho_kmer_next(&iter, &key); n_kmers++) {
        bool is_new = false;
        if (rule->k > NINHO_KMER_MAX_EXACT_K)
            (void)ninho_kmer_pack(
                rule, (const uint8_t *)bases + ninho_kmer_position(&iter), packed);
        for (unsigned i = 0; rule->k <= NINHO_KMER_MAX_EXACT_K && i < 8; i++)
            packed[i] = (uint8_t)(key >> (8 * i));
        const ninho_status status = ninho_dict_put(dict, packed, size, value, &is_new);
        if (status)
            return status;
    }
    count->n_kmers += n_kmers;
    count->n_skipped += ninho_kmer_windows(rule, n) - n_kmers;
    return NINHO_OK;
}

/* ---- Lookups ------------------------------------------------------------------------------- */

void ninho_kmer_screen_init(ninho_kmer_screen *screen, const ninho_kmer_index *index)
{
    screen->index = index;
    screen->n = 0;
    screen->n_stretches = 0;
    ninho_kmer_init(&screen->iter, &index->rule);
}

/* How many of bits[from .. to) are set. */
static uint64_t bits_between(const uint64_t *bits, size_t from, size_t to)
{
    uint64_t n = 0;

    while (from < to) {
        const size_t in_word = 64 - from % 64;
        const size_t some = in_word < to - from ? in_word : to - from;
        const uint64_t word = bits[from / 64] >> (from % 64);
        n += (uint64_t)__builtin_popcountll(
            some == 64 ? word : word & ((UINT64_C(1) << some) - 1));
        from += some;
    }
    return n;
}

void ninho_kmer_screen_flush(ninho_kmer_screen *screen)
{
    size_t from = 0;

    if (screen->index->filter) {
        ninho_kmer_hash(&screen->index->hasher, screen->keys, screen->n, screen->keys);
        (void)ninho_filter_has_many(screen->index->filter, screen->keys, screen->n,
                                    screen->found);
    } else {
        for (size_t i = 0; i < screen->n; i++)
            screen->keys[i] = htole64(screen->keys[i]);
        (void)ninho_dict_get_array(screen->index->dict, screen->keys, screen->n, NULL,
                                   screen->found);
    }
    for (size_t i = 0; i < screen->n_stretches; i++) {
        screen->counts[i]->n_found += bits_between(screen->found, from, screen->ends[i]);
        from = screen->ends[i];
    }
    screen->n = 0;
    screen->n_stretches = 0;
}

/* Long k-mers in a dictionary: window by window. Returns how many there were. */
static uint64_t ask_packed(ninho_kmer_screen *screen, const uint8_t *bases,
                           ninho_kmer_count *count)
{
    const ninho_kmer_rule *rule = &screen->index->rule;
    const size_t size = ninho_kmer_exact_size(rule);
    uint8_t packed[NINHO_KMER_MAX_PACKED];
    uint64_t key = 0;
    uint64_t n = 0;

    for (; ninho_kmer_next(&screen->iter, &key); n++) {
        (void)ninho_kmer_pack(rule, bases + ninho_kmer_position(&screen->iter), packed);
        count->n_found += ninho_dict_get(screen->index->dict, packed, size, NULL);
    }
    return n;
}

void ninho_kmer_screen_add(ninho_kmer_screen *screen, const void *bases, size_t n,
                           ninho_kmer_count *count)
{
    uint64_t n_kmers = 0;

    ninho_kmer_start(&screen->iter, bases, n);
    if (screen->index->dict && screen->index->rule.k > NINHO_KMER_MAX_EXACT_K) {
        n_kmers = ask_packed(screen, bases, count);
    } else {
        for (;;) {
            if (screen->n == NINHO_KMER_BATCH)
                ninho_kmer_screen_flush(screen);
            const size_t some = ninho_kmer_next_many(
                &screen->iter, screen->keys + screen->n, NINHO_KMER_BATCH - screen->n);
            if (!some)
                break;
            n_kmers += some;
            screen->n += some;
            screen->counts[screen->n_stretches] = count;
            screen->ends[screen->n_stretches++] = (uint32_t)screen->n;
        }
    }
    count->n_kmers += n_kmers;
    count->n_skipped += ninho_kmer_windows(&screen->index->rule, n) - n_kmers;
}
