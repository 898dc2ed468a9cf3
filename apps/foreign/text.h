/* SPDX-License-Identifier: MIT */
/* Values as people write them, read strictly: what Parquet's values and Cassandra's keys have in common. */
#ifndef NINHO_FOREIGN_TEXT_H
#define NINHO_FOREIGN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left of a text. */
struct nf_text {
    const char *at;
    const char *end;
};

/* Goes over one character, if it is this one. */
bool nf_text_take(struct nf_text *text, char c);

/* Exactly n digits; -1 for anything else. */
int64_t nf_text_digits(struct nf_text *text, unsigned n);

/* A decimal number times 10^scale, as two's complement of `size` bytes, big-endian. false if it is none, if digits
 * other than 0 are left behind the point, or if it does not fit. */
bool nf_text_scaled(struct nf_text text, unsigned scale, uint8_t *bytes, size_t size);

/* A whole number of 1 to 64 bits: two's complement, or without a sign. */
bool nf_text_integer(struct nf_text text, unsigned bits, bool is_unsigned,
                     uint64_t *value);

/* `size` bytes in hexadecimal digits, and nothing else, but that `skip`, unless it is 0, may stand between bytes. */
bool nf_text_hex(struct nf_text text, char skip, uint8_t *bytes, size_t size);

#endif
