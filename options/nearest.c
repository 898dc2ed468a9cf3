/* SPDX-License-Identifier: MIT */
#include "options/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Longer words are not compared: no option, kind or command is. */
#define MOST 40

/* With two letters or fewer typed, half of all words would be near. */
#define LEAST_PREFIX 3

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Letters more, less, other, or swapped with the next one, from a to b: optimal string alignment,
 * three rows of the table at a time. */
static unsigned distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    unsigned rows[3][MOST + 1] = {{0}};

    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_size; i++) {
        const unsigned *two_up = rows[(i + 1) % 3];
        const unsigned *up = rows[(i - 1) % 3];
        unsigned *row = rows[i % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_size; j++) {
            row[j] = least(up[j] + 1, row[j - 1] + 1);
            row[j] = least(row[j], up[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], two_up[j - 2] + 1);
        }
    }
    return rows[a_size % 3][b_size];
}

struct nearest nearest_to(const char *typed, size_t size)
{
    return (struct nearest){.typed = typed, .size = size};
}

void nearest_try(struct nearest *nearest, const char *word)
{
    const size_t size = strlen(word);
    const size_t longer = size > nearest->size ? size : nearest->size;

    if (nearest->size < 2 || longer > MOST)
        return;
    const bool is_begun = nearest->size >= LEAST_PREFIX && size > nearest->size &&
                          memcmp(word, nearest->typed, nearest->size) == 0;
    const unsigned found =
        is_begun ? 1 : distance(nearest->typed, nearest->size, word, size);
    if (3 * found > longer || (nearest->word && found >= nearest->distance))
        return;
    nearest->word = word;
    nearest->distance = found;
}

const char *nearest_hint(const struct nearest *nearest, const char *before, char *text,
                         size_t text_size)
{
    text[0] = '\0';
    if (nearest->word)
        (void)snprintf(text, text_size, " (did you mean %s%s?)", before, nearest->word);
    return text;
}
