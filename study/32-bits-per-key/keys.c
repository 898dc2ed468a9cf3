/* SPDX-License-Identifier: MIT */
#include "32-bits-per-key/keys.h"

#include <ninho/ninho.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/kmer/kmer.h"
#include "harness/fail.h"
#include "harness/genome.h"
#include "harness/words.h"

#define WORD_LIST "wamerican-insane/usr/share/dict/american-english-insane"

enum { K = 31, LONG_KEY = 1000, MAX_KEY = 1024 };

static const char *const names[N_KEY_KINDS] = {
    [KEY_NUMBERS] = "numbers 1 to n",     [KEY_RANDOM] = "16 random bytes",
    [KEY_URLS] = "addresses of one site", [KEY_LONG] = "1000 equal bytes and a number",
    [KEY_WORDS] = "English words",        [KEY_KMERS] = "31-mers of E. coli",
};

struct keys {
    struct word_set words;
    bool has_words;
    uint64_t *kmers;
    size_t n_kmers;
};

const char *key_kind_name(enum key_kind kind)
{
    return names[kind];
}

struct keys *keys_open(const struct study *study, size_t n_wanted, struct answer *answer)
{
    struct keys *keys = allocate(1, sizeof *keys);
    struct genome genome;
    char path[4096];

    keys->has_words = study_find(study, WORD_LIST, path, sizeof path);
    if (keys->has_words)
        keys->words = words_read(path);
    else
        answer_miss(answer, "tools/fetch-data words && make study", "English words");
    /* A tenth more, for those that come twice. */
    if (genome_read(study, ECOLI_536, n_wanted + n_wanted / 10 + K, &genome, answer)) {
        keys->n_kmers = genome_distinct(&genome, K, &keys->kmers);
        genome_free(&genome);
    }
    return keys;
}

void keys_close(struct keys *keys)
{
    if (keys->has_words)
        words_free(&keys->words);
    free(keys->kmers);
    free(keys);
}

bool keys_have(const struct keys *keys, enum key_kind kind)
{
    return kind == KEY_WORDS ? keys->has_words : kind != KEY_KMERS || keys->kmers;
}

/* Words are members in an order of their own (every word once, in steps that are prime to their number);
 * no members are compounds. */
static size_t write_word(const struct keys *keys, uint64_t seed, size_t n_members,
                         size_t i, char *text)
{
    const struct word_set *set = &keys->words;

    if (i >= n_members)
        return words_absent(set, seed, i, text);
    const struct word *word = &set->words[i * (size_t)1000003 % set->n];
    memcpy(text, word->text, word->length);
    return word->length;
}

static size_t write_key(const struct keys *keys, enum key_kind kind, uint64_t seed,
                        size_t n_members, size_t i, char *text)
{
    const uint64_t number = i;
    const uint64_t halves[2] = {mix64(number), mix64(number + ((uint64_t)1 << 60))};

    switch (kind) {
    case KEY_NUMBERS:
        memcpy(text, &number, sizeof number);
        return sizeof number;
    case KEY_RANDOM:
        memcpy(text, halves, sizeof halves);
        return sizeof halves;
    case KEY_URLS:
        return (size_t)snprintf(text, MAX_KEY,
                                "https://www.example.org/catalogue/item/%zu", i);
    case KEY_LONG:
        memset(text, 'x', LONG_KEY);
        memcpy(text + LONG_KEY, &number, sizeof number);
        return LONG_KEY + sizeof number;
    case KEY_WORDS:
        return write_word(keys, seed, n_members, i, text);
    case KEY_KMERS:
        if (i >= keys->n_kmers)
            fail("the genome has too few k-mers");
        memcpy(text, &keys->kmers[i], sizeof *keys->kmers);
        return sizeof *keys->kmers;
    case N_KEY_KINDS:
        break;
    }
    fail("no such kind of key");
}

void keys_hash(const struct keys *keys, enum key_kind kind, uint64_t seed,
               size_t n_members, size_t first, size_t n, uint64_t *hashes)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3, .seed = seed};
    char text[MAX_KEY];

    for (size_t i = 0; i < n; i++) {
        const size_t length = write_key(keys, kind, seed, n_members, first + i, text);
        hashes[i] = ninho_hash_bytes(&hasher, text, length);
    }
}
