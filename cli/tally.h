/* SPDX-License-Identifier: MIT */
/* How often each line comes, in the order of the first of each. */
#ifndef CLI_TALLY_H
#define CLI_TALLY_H

#include "keys.h"

struct tallied {
    size_t start, size; /* of the line, in the text */
    uint64_t count;
};

/* All zero but for what tally_init() makes. */
struct tally {
    ninho_dict *numbers; /* of keys: which of the lines is theirs */
    struct text text;
    struct tallied *lines;
    size_t n, room;
};

/* Answer an exit status; tally_free() in any case. */
int tally_init(struct tally *tally);
int tally_add(struct tally *tally, const void *key, size_t key_size, const char *line,
              size_t size);
void tally_free(struct tally *tally);

/* Prints them, as uniq -c does; only those that came at_least so often. */
void tally_print(const struct tally *tally, uint64_t at_least, char separator);

#endif
