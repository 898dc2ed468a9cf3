/* SPDX-License-Identifier: MIT */
#include "tally.h"

#include <inttypes.h>
#include <stdlib.h>

#include "output.h"

int tally_init(struct tally *tally)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;

    *tally = (struct tally){.n = 0};
    return ninho_dict_create(&spec, NULL, &tally->numbers, NULL) ? fail_no_memory()
                                                                 : EXIT_YES;
}

void tally_free(struct tally *tally)
{
    ninho_dict_free(tally->numbers);
    text_free(&tally->text);
    free(tally->lines);
    *tally = (struct tally){.n = 0};
}

static bool make_room(struct tally *tally)
{
    if (tally->n < tally->room)
        return true;
    const size_t room = tally->room ? 2 * tally->room : 1024;
    struct tallied *lines = realloc(tally->lines, room * sizeof *lines);
    if (!lines)
        return false;
    tally->lines = lines;
    tally->room = room;
    return true;
}

int tally_add(struct tally *tally, const void *key, size_t key_size, const char *line,
              size_t size)
{
    uint64_t number = 0;

    if (ninho_dict_get(tally->numbers, key, key_size, &number)) {
        tally->lines[number].count++;
        return EXIT_YES;
    }
    const size_t start = tally->text.size;
    text_append(&tally->text, line, size);
    if (tally->text.has_failed || !make_room(tally) ||
        ninho_dict_put(tally->numbers, key, key_size, tally->n, NULL))
        return fail_no_memory();
    tally->lines[tally->n++] = (struct tallied){start, size, 1};
    return EXIT_YES;
}

void tally_print(const struct tally *tally, uint64_t at_least, char separator)
{
    for (size_t i = 0; i < tally->n && !output_failed(); i++) {
        const struct tallied *line = &tally->lines[i];
        if (line->count < at_least)
            continue;
        output_format("%7" PRIu64 " ", line->count);
        output_lines(tally->text.data + line->start, line->size, separator);
    }
}
