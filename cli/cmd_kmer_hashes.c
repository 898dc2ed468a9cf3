/* SPDX-License-Identifier: MIT */
/* From records to the hashes of their k-mers. */
#include <stdlib.h>

#include "cmd_kmer.h"

void kmer_count_records(const ninho_kmer_rule *rule, struct kmer_item *item)
{
    const ninho_kmer_batch *batch = &item->batches[0];
    uint64_t n_windows = 0;

    item->n_records = item->n_without = 0;
    for (size_t i = 0; i < batch->n; i++) {
        const ninho_kmer_record *record = &batch->records[i];
        n_windows += ninho_kmer_windows(rule, record->n_bases);
        item->n_records += record->is_first;
        item->n_without +=
            record->is_first && record->is_last && record->n_bases < rule->k;
    }
    item->n_skipped = n_windows;
}

static bool reserve_hashes(struct kmer_item *item)
{
    const ninho_kmer_batch *batch = &item->batches[0];
    size_t n = 0;

    for (size_t i = 0; i < batch->n; i++)
        n += batch->records[i].n_bases;
    if (n <= item->hashes_room)
        return true;
    uint64_t *hashes = realloc(item->hashes, n * sizeof *hashes);
    if (!hashes)
        return false;
    item->hashes = hashes;
    item->hashes_room = n;
    return true;
}

void kmer_hash_records(const ninho_kmer_rule *rule, const ninho_hasher *hasher,
                       struct kmer_item *item)
{
    const ninho_kmer_batch *batch = &item->batches[0];
    ninho_kmer_iter iter;
    size_t n = 0;

    kmer_count_records(rule, item);
    item->has_failed = !reserve_hashes(item);
    if (item->has_failed)
        return;
    ninho_kmer_init(&iter, rule);
    for (size_t i = 0; i < batch->n; i++) {
        ninho_kmer_start(&iter, batch->records[i].bases, batch->records[i].n_bases);
        n += ninho_kmer_next_many(&iter, item->hashes + n, item->hashes_room - n);
    }
    ninho_kmer_hash(hasher, item->hashes, n, item->hashes);
    item->n_hashes = n;
    item->n_skipped -= n;
}
