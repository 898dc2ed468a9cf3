/* SPDX-License-Identifier: MIT */
/* Patterns and exceptions, from where options say, into the rules of a language; and rules into a
 * language. All answer an exit status. */
#ifndef CLI_HYPHEN_RULES_H
#define CLI_HYPHEN_RULES_H

#include "hyphenation.h"

/* Everything that the options name. `name` is the language's in TeX; *minima is what to compile
 * with. */
int hyphen_rules_read(ninho_hyphen_rules *rules, const char *name,
                      const struct hyphen_options *options, ninho_hyphen_minima *minima);

/* Only the files of exceptions. */
int hyphen_rules_add_exceptions(ninho_hyphen_rules *rules,
                                const struct exception_lists *lists);

int hyphen_rules_compile(const ninho_hyphen_rules *rules, const char *name,
                         const struct hyphen_options *options, ninho_hyphen_minima minima,
                         ninho_hyphen_inclusion inclusion,
                         ninho_hyphen_language **language);

#endif
