/* SPDX-License-Identifier: MIT */
/* Words from the inside: for running text, which writes them one after another. */
#ifndef NINHO_HYPHEN_WORD_H
#define NINHO_HYPHEN_WORD_H

#include "compiled.h"
#include "exceptions.h"

struct hy_reader; /* store.h */

struct ninho_hyphenator {
    ninho_alloc alloc;
    const ninho_hyphen_language *language;
    const ninho_hyphen_exceptions *exceptions;
    struct hy_reader *reader;
    ninho_hyphen_counters counters;
    ninho_error failure; /* of the store; status NINHO_OK: none */
};

/* A mark of at most 8 bytes can be written with one store. Where there is less room than that
 * behind the last byte, the slow way is taken. */
#define HY_SLACK 8

/* Writes a word with its marks to `out`, which has room for ninho_hyphen_bound() and HY_SLACK
 * more bytes; returns where the next word goes. */
uint8_t *hy_write_word(ninho_hyphenator *hyphenator, const uint8_t *word, size_t size,
                       const uint8_t *mark, size_t mark_size, uint8_t *out);

#endif
