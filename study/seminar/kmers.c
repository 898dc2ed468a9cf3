/* SPDX-License-Identifier: MIT */
#include "seminar/kmers.h"

#include <stdlib.h>
#include <string.h>

#include "apps/kmer/kmer.h"
#include "harness/fail.h"
#include "harness/timing.h"

/* For sorting: equal k-mers side by side, the first of them first. */
struct occurrence {
    uint64_t key;
    uint32_t index;
    uint32_t k;
    const char *text;
};

static int by_kmer(const void *a, const void *b)
{
    const struct occurrence *x = a;
    const struct occurrence *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    const int order = memcmp(x->text, y->text, x->k);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Fills `firsts`, without a doubt: k-mers of equal keys are compared base by base. */
static void find_firsts(struct kmers *kmers)
{
    struct occurrence *all = allocate(kmers->n, sizeof *all);
    const uint32_t k = kmers->k;

    for (size_t i = 0; i < kmers->n; i++)
        all[i] = (struct occurrence){kmers->keys[i], (uint32_t)i, k, kmers->texts[i]};
    qsort(all, kmers->n, sizeof *all, by_kmer);
    kmers->n_distinct = 0;
    for (size_t i = 0; i < kmers->n; i++) {
        const bool is_new = i == 0 || all[i].key != all[i - 1].key ||
                            memcmp(all[i].text, all[i - 1].text, k) != 0;
        kmers->firsts[all[i].index] =
            is_new ? all[i].index : kmers->firsts[all[i - 1].index];
        kmers->n_distinct += is_new;
    }
    free(all);
}

void kmers_list(struct kmers *kmers, const struct genome *genome, uint32_t k)
{
    const ninho_kmer_rule rule = {k, NINHO_KMER_FORWARD};
    ninho_kmer_iter iter;

    *kmers = (struct kmers){.k = k};
    kmers->texts = allocate(genome->n, sizeof *kmers->texts);
    kmers->keys = allocate(genome->n, sizeof *kmers->keys);
    kmers->firsts = allocate(genome->n, sizeof *kmers->firsts);
    kmers->digests = allocate(genome->n, sizeof *kmers->digests);
    kmers->hashes = allocate(genome->n, sizeof *kmers->hashes);
    const double begin = seconds_of_thread();
    ninho_kmer_init(&iter, &rule);
    ninho_kmer_start(&iter, genome->bases, genome->n);
    while (ninho_kmer_next(&iter, &kmers->keys[kmers->n]))
        kmers->texts[kmers->n++] = genome->bases + ninho_kmer_position(&iter);
    if (kmers->n == 0)
        fail("the genome has no k-mers of %u bases", k);
    const double start = seconds_of_thread();
    kmers->roll_ns = 1e9 * (start - begin) / (double)kmers->n;
    seminar_hash(kmers->texts, kmers->n, k, kmers->digests);
    kmers->sha1_ns = 1e9 * (seconds_of_thread() - start) / (double)kmers->n;
    find_firsts(kmers);
}

void kmers_hash(struct kmers *kmers, uint64_t seed)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3, .seed = seed};

    const double start = seconds_of_thread();
    ninho_kmer_hash(&hasher, kmers->keys, kmers->n, kmers->hashes);
    kmers->hash_ns = 1e9 * (seconds_of_thread() - start) / (double)kmers->n;
}

void kmers_free(struct kmers *kmers)
{
    free(kmers->texts);
    free(kmers->keys);
    free(kmers->firsts);
    free(kmers->digests);
    free(kmers->hashes);
    *kmers = (struct kmers){0};
}
