/* SPDX-License-Identifier: MIT */
/* What the library refuses, in the tool's words: options instead of fields. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli.h"

/* What the library said, with the option's name for the field's. What does not fit is cut. */
void error_words(const ninho_error *error, char *text, size_t text_size);

/* Why the library would not plan that, and what it would. */
void spec_explain(const ninho_spec *spec, const ninho_error *error, char *text,
                  size_t text_size);

#endif
