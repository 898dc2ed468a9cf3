/* SPDX-License-Identifier: MIT */
/* What an engine makes where nothing is said: what the tool makes (cli/spec.c), so that filters of
 * all of them can be united. */
#ifndef NINHO_INTEGRATIONS_DEFAULTS_H
#define NINHO_INTEGRATIONS_DEFAULTS_H

#include <stdbool.h>

#include <ninho/ninho.h>

#define DEFAULT_KIND   NINHO_BLOOM
#define DEFAULT_FPR    0.01
#define FIRST_CAPACITY 1000 /* of a filter that grows */

/* An empty filter without a capacity grows, by filters of the spec's kind. Other kinds than bloom,
 * blocked, cuckoo and scalable are left as they are, and then refused for want of a capacity. */
static inline void defaults_grow(ninho_spec *spec)
{
    if (ninho_kind_can_be_base(spec->kind)) {
        spec->base = spec->kind;
        spec->kind = NINHO_SCALABLE;
    }
    if (spec->kind == NINHO_SCALABLE)
        spec->capacity = FIRST_CAPACITY;
}

/* Two filters cannot be united for what was chosen when they were made. */
#define UNION_ADVICE "give each the same capacity, fpr and kind"
static inline bool is_made_otherwise(const ninho_error *error)
{
    return error->status == NINHO_ERR_MISMATCH &&
           (error->field == NINHO_FIELD_TABLE_SIZE || error->field == NINHO_FIELD_KIND);
}

#endif
