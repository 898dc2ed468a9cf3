/* SPDX-License-Identifier: MIT */
#include "harness/words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/hash.h>

#include "harness/fail.h"

uint64_t mix64(uint64_t x)
{
    return ninho_splitmix64(&x);
}

static int by_bytes(const void *a, const void *b)
{
    const struct word *x = a;
    const struct word *y = b;
    const size_t shorter = x->length < y->length ? x->length : y->length;
    const int order = memcmp(x->text, y->text, shorter);

    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t room = 0;

    if (!file)
        fail("%s: %s (`make study` fetches it)", path, strerror(errno));
    *size = 0;
    do {
        if (*size == room) {
            room = room ? 2 * room : (size_t)1 << 20;
            bytes = realloc(bytes, room);
            if (!bytes)
                fail("%s: no memory for %zu bytes", path, room);
        }
        *size += fread(bytes + *size, 1, room - *size, file);
    } while (!feof(file) && !ferror(file));
    if (ferror(file))
        fail("%s: could not be read", path);
    fclose(file);
    return bytes;
}

struct word_set words_read(const char *path)
{
    struct word_set set = {0};
    size_t size;
    size_t room = 0;

    set.bytes = read_whole(path, &size);
    for (const char *at = set.bytes; at < set.bytes + size;) {
        const char *end = memchr(at, '\n', (size_t)(set.bytes + size - at));
        const size_t length = (size_t)((end ? end : set.bytes + size) - at);
        if (set.n == room) {
            room = room ? 2 * room : 1024;
            set.words = realloc(set.words, room * sizeof *set.words);
            if (!set.words)
                fail("%s: no memory for %zu words", path, room);
        }
        if (length)
            set.words[set.n++] = (struct word){at, length};
        at += length + 1;
    }
    if (set.n < 2)
        fail("%s: holds no words", path);
    qsort(set.words, set.n, sizeof *set.words, by_bytes);
    size_t kept = 1;
    for (size_t i = 1; i < set.n; i++)
        if (by_bytes(&set.words[kept - 1], &set.words[i]))
            set.words[kept++] = set.words[i];
    set.n = kept;
    return set;
}

void words_free(struct word_set *set)
{
    free(set->words);
    free(set->bytes);
}

void words_thin(struct word_set *set, size_t n)
{
    const size_t step = n && set->n > n ? set->n / n : 1;
    size_t kept = 0;

    for (size_t i = 0; i < set->n; i += step)
        set->words[kept++] = set->words[i];
    set->n = kept;
}

size_t words_longest(const struct word_set *set)
{
    size_t longest = 0;

    for (size_t i = 0; i < set->n; i++)
        if (set->words[i].length > longest)
            longest = set->words[i].length;
    return longest;
}

static bool is_word(const struct word_set *set, const char *text, size_t length)
{
    const struct word word = {text, length};

    return bsearch(&word, set->words, set->n, sizeof word, by_bytes) != NULL;
}

size_t words_absent(const struct word_set *set, uint64_t seed, uint64_t number,
                    char *text)
{
    uint64_t draw = mix64(number) ^ mix64(seed);
    size_t length;

    do {
        draw = mix64(draw);
        const struct word *first = &set->words[draw % set->n];
        const struct word *second = &set->words[mix64(draw) % set->n];
        length = first->length + second->length;
        memcpy(text, first->text, first->length);
        memcpy(text + first->length, second->text, second->length);
    } while (is_word(set, text, length));
    return length;
}
