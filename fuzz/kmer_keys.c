/* SPDX-License-Identifier: MIT */
/* Sequences of any bytes: the iterator, in batches of any size, beside windows that are packed one by
 * one; and the exact set beside both. The first three bytes choose k, the strand and the batch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/kmer/kmer.h"
#include "target.h"

#define MOST 4096

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint64_t keys[MOST];
    static uint8_t packed[MOST][NINHO_KMER_MAX_PACKED];
    ninho_kmer_iter iter;
    ninho_kmer_set *set = NULL;
    uint64_t key = 0;
    size_t n = 0;
    size_t n_distinct = 0;

    if (size < 4 || size > MOST)
        return 0;
    const ninho_kmer_rule rule = {
        .k = 1 + (bytes[0] | (uint32_t)bytes[1] << 8) % NINHO_KMER_MAX_K,
        .strand = bytes[2] & 1 ? NINHO_KMER_CANONICAL : NINHO_KMER_FORWARD,
    };
    const size_t some = 1 + bytes[2] / 2;
    bytes += 3;
    size -= 3;
    ninho_kmer_init(&iter, &rule);
    ninho_kmer_start(&iter, bytes, size);
    for (size_t got; (got = ninho_kmer_next_many(&iter, keys + n, some)) > 0;)
        n += got;
    ninho_kmer_start(&iter, bytes, size);
    for (size_t i = 0, at = 0; at + rule.k <= size; at++) {
        if (!ninho_kmer_pack(&rule, bytes + at, packed[i]))
            continue;
        MUST(i < n && ninho_kmer_next(&iter, &key) && key == keys[i]);
        MUST(ninho_kmer_position(&iter) == at);
        i++;
    }
    MUST(!ninho_kmer_next(&iter, &key));
    const size_t packed_size = ninho_kmer_exact_size(&rule);
    for (size_t i = 0; n <= 512 && i < n; i++) {
        size_t j = 0;
        while (j < i && memcmp(packed[i], packed[j], packed_size) != 0)
            j++;
        n_distinct += j == i;
    }
    if (ninho_kmer_set_create(&rule, &set, NULL) || ninho_kmer_set_add(set, bytes, size))
        abort();
    MUST(ninho_kmer_set_total(set) == n);
    MUST(n > 512 || ninho_kmer_set_distinct(set) == n_distinct);
    ninho_kmer_set_free(set);
    return 0;
}
