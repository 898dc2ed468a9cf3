/* SPDX-License-Identifier: MIT */
#include "naive.h"

#include <stdlib.h>
#include <string.h>

static char complement_of(char base)
{
    static const char from[] = "ACGTacgt";
    static const char to[] = "TGCAtgca";
    const char *found = strchr(from, base);

    return found && *found ? to[found - from] : base;
}

void reverse_complement(char *bases, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const char first = bases[i];
        bases[i] = bases[n - 1 - i];
        bases[n - 1 - i] = first;
    }
    for (size_t i = 0; i < n; i++)
        bases[i] = complement_of(bases[i]);
}

/* The window as a k-mer; NULL if it is none. */
static char *cut_out(const ninho_kmer_rule *rule, const char *window)
{
    const size_t k = rule->k;
    char *kmer = malloc(k + 1);
    char *other = malloc(k + 1);

    for (size_t i = 0; i < k; i++) {
        kmer[i] = window[i];
        if (kmer[i] >= 'a' && kmer[i] <= 'z')
            kmer[i] = (char)(kmer[i] - 'a' + 'A');
        if (!kmer[i] || !strchr("ACGT", kmer[i])) {
            free(kmer);
            free(other);
            return NULL;
        }
    }
    kmer[k] = '\0';
    memcpy(other, kmer, k + 1);
    reverse_complement(other, k);
    if (rule->strand == NINHO_KMER_CANONICAL && strcmp(other, kmer) < 0)
        memcpy(kmer, other, k);
    free(other);
    return kmer;
}

void naive_kmers(struct naive *naive, const ninho_kmer_rule *rule, const char *bases,
                 size_t n)
{
    *naive = (struct naive){.kmers = calloc(n + 1, sizeof *naive->kmers),
                            .at = calloc(n + 1, sizeof *naive->at)};
    for (size_t i = 0; i + rule->k <= n; i++) {
        char *kmer = cut_out(rule, bases + i);
        if (kmer) {
            naive->at[naive->n] = i;
            naive->kmers[naive->n++] = kmer;
        }
    }
}

void naive_free(struct naive *naive)
{
    for (size_t i = 0; i < naive->n; i++)
        free(naive->kmers[i]);
    free(naive->kmers);
    free(naive->at);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t naive_distinct(const struct naive *naive)
{
    char **sorted = malloc((naive->n + 1) * sizeof *sorted);
    size_t n = 0;

    memcpy(sorted, naive->kmers, naive->n * sizeof *sorted);
    qsort(sorted, naive->n, sizeof *sorted, compare);
    for (size_t i = 0; i < naive->n; i++)
        n += i == 0 || strcmp(sorted[i], sorted[i - 1]) != 0;
    free(sorted);
    return n;
}

bool naive_has(const struct naive *naive, const char *kmer)
{
    for (size_t i = 0; i < naive->n; i++)
        if (strcmp(naive->kmers[i], kmer) == 0)
            return true;
    return false;
}

char *random_sequence(struct test_rng *rng, size_t n, unsigned rare)
{
    static const char others[] = "NnRYKMSWBDHVU*-.";
    char *bases = malloc(n + 1);

    for (size_t i = 0; i < n; i++) {
        bases[i] = "ACGT"[rng_below(rng, 4)];
        if (rng_below(rng, 3) == 0)
            bases[i] = (char)(bases[i] - 'A' + 'a');
    }
    for (int repeat = 0; repeat < 3 && n > 20; repeat++) {
        const size_t size = 1 + (size_t)rng_below(rng, n / 3);
        const size_t to = (size_t)rng_below(rng, n - size);
        memmove(bases + to, bases + rng_below(rng, n - size), size);
        if (repeat % 2)
            reverse_complement(bases + to, size);
    }
    for (size_t i = 0; rare && i < n; i++)
        if (rng_below(rng, rare) == 0)
            bases[i] = others[rng_below(rng, sizeof others - 1)];
    bases[n] = '\0';
    return bases;
}
