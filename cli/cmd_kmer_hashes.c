/* SPDX-License-Identifier: MIT */
/* From records to the hashes of their k-mers, and all of those together. */
#include <stdlib.h>

#include "cmd_kmer.h"
#include "memory.h"

/* With fewer hashes than this (256 MiB), copies are left for the end. */
#define MANY_HASHES ((size_t)1 << 25)

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

void kmer_drop_copies(struct kmer_hashes *hashes, unsigned n_threads)
{
    hash_bag_sort(&hashes->bag, n_threads);
    hash_bag_drop_copies(&hashes->bag);
    hashes->n_kept = hashes->bag.n;
}

int kmer_keep_hashes(struct kmer_hashes *hashes, const struct kmer_item *item,
                     unsigned n_threads)
{
    struct hash_bag *bag = &hashes->bag;

    /* Half of what is sorted came after the last time, so that sorting takes no longer in all than
     * once at the end, times a small number. */
    if (item->n_hashes > bag->room - bag->n && bag->n >= MANY_HASHES &&
        bag->n / 2 >= hashes->n_kept)
        kmer_drop_copies(hashes, n_threads);
    if (item->n_hashes > bag->room - bag->n) {
        /* The bag doubles, and for a moment there are both. */
        const int status =
            memory_check("the hashes of all k-mers", 2 * (uint64_t)bag->n * 8);
        if (status)
            return status;
    }
    return hash_bag_append(bag, item->hashes, item->n_hashes);
}
