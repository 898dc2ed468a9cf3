/* SPDX-License-Identifier: MIT */
/* Arbitrary bytes as an index of k-mers: a filter or a dictionary that says by which rule it was
 * made, whatever it holds. It is refused, or a sequence is looked up in it, in batches and one by one. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/kmer/kmer.h"

#define N_BASES 3000

/* Bases of no order, and here and there something else. */
static void make_bases(char *bases)
{
    uint64_t state = 1;

    for (size_t i = 0; i < N_BASES; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bases[i] = i % 1100 == 1099 ? 'N' : "ACGTacgt"[state >> 61];
    }
}

static bool has(const ninho_kmer_index *index, const char *bases, size_t at, uint64_t key)
{
    uint8_t packed[NINHO_KMER_MAX_PACKED];
    uint64_t hash;

    if (index->filter) {
        ninho_kmer_hash(&index->hasher, &key, 1, &hash);
        return ninho_filter_has(index->filter, hash);
    }
    MUST(ninho_kmer_pack(&index->rule, bases + at, packed));
    return ninho_dict_get(index->dict, packed, ninho_kmer_exact_size(&index->rule), NULL);
}

static void look_up(const ninho_kmer_index *index)
{
    static char bases[N_BASES];
    static ninho_kmer_screen screen;
    ninho_kmer_count counts[2] = {{0}};
    ninho_kmer_iter iter;
    uint64_t n_kmers = 0;
    uint64_t n_found = 0;
    uint64_t key = 0;

    MUST(ninho_kmer_check_rule(&index->rule, NULL) == NINHO_OK);
    make_bases(bases);
    ninho_kmer_init(&iter, &index->rule);
    ninho_kmer_start(&iter, bases, sizeof bases);
    for (; ninho_kmer_next(&iter, &key); n_kmers++)
        n_found += has(index, bases, ninho_kmer_position(&iter), key);
    ninho_kmer_screen_init(&screen, index);
    for (int i = 0; i < 2; i++)
        ninho_kmer_screen_add(&screen, bases, sizeof bases, &counts[i]);
    ninho_kmer_screen_flush(&screen);
    for (int i = 0; i < 2; i++)
        MUST(counts[i].n_kmers == n_kmers && counts[i].n_found == n_found &&
             counts[i].n_skipped ==
                 ninho_kmer_windows(&index->rule, sizeof bases) - n_kmers);
}

static void try_index(ninho_status status, const ninho_kmer_index *index,
                      const ninho_error *error)
{
    if (status)
        MUST(error->status == status && error->text[0] && !strchr(error->text, '\n'));
    else
        look_up(index);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ninho_filter *filter = NULL;
    ninho_dict *dict = NULL;
    ninho_kmer_index index;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_filter_decode(bytes, size, NULL, &filter, NULL) == NINHO_OK)
        try_index(ninho_kmer_index_filter(&index, filter, &error), &index, &error);
    if (ninho_dict_decode(bytes, size, NULL, &dict, NULL) == NINHO_OK)
        try_index(ninho_kmer_index_dict(&index, dict, &error), &index, &error);
    ninho_filter_free(filter);
    ninho_dict_free(dict);
    return 0;
}
