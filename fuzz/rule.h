/* SPDX-License-Identifier: MIT */
/* The rule that holds after every operation: whatever the library accepted and changed, it can
 * encode, and what it encoded it can decode, with the same answers. */
#ifndef NINHO_FUZZ_RULE_H
#define NINHO_FUZZ_RULE_H

#include <ninho/ninho.h>

/* What comes of the filter's own bytes, which is as large and gives the same answers, or the program
 * aborts. `open` as for ninho_filter_decode(). The caller frees it. */
ninho_filter *recoded(const ninho_filter *filter, const ninho_open_options *open);

/* The same, and the copy is freed. */
void must_come_back(const ninho_filter *filter, const ninho_open_options *open);

/* As above, of a dictionary: the same keys with the same values. */
void must_come_back_dict(const ninho_dict *dict, const ninho_open_options *open);

#endif
