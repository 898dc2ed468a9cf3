/* SPDX-License-Identifier: MIT */
/* The kinds of filter: their names, what they can do, which fields of a spec they take. */
#include <stdio.h>
#include <string.h>

#include "filter/ops.h"

#define LISTED(name) &nh_family_##name,
static const struct nh_family *const families[] = {NH_FAMILIES(LISTED)};
#undef LISTED

#define N_FAMILIES (sizeof families / sizeof *families)

const struct nh_family *nh_family_of(ninho_kind kind)
{
    for (size_t i = 0; i < N_FAMILIES; i++)
        if (families[i]->kind == kind)
            return families[i];
    return NULL;
}

ninho_kind nh_kind_numbered(uint16_t number)
{
    for (size_t i = 0; i < N_FAMILIES; i++)
        if (number == (uint16_t)families[i]->kind ||
            (number && number == families[i]->number))
            return families[i]->kind;
    return (ninho_kind)0;
}

const char *ninho_kind_name(ninho_kind kind)
{
    const struct nh_family *family = nh_family_of(kind);
    return family ? family->name : NULL;
}

const char *ninho_kind_summary(ninho_kind kind)
{
    const struct nh_family *family = nh_family_of(kind);
    return family ? family->summary : NULL;
}

ninho_kind ninho_kind_from_name(const char *name)
{
    for (size_t i = 0; name && i < N_FAMILIES; i++)
        if (strcmp(families[i]->name, name) == 0)
            return families[i]->kind;
    return (ninho_kind)0;
}

ninho_kind ninho_kind_at(size_t index)
{
    return index < N_FAMILIES ? families[index]->kind : (ninho_kind)0;
}

uint32_t ninho_kind_can(ninho_kind kind)
{
    const struct nh_family *family = nh_family_of(kind);
    return family ? family->can : 0;
}

const char *ninho_can_name(uint32_t can, size_t index)
{
    /* bit 0, bit 1, ... */
    static const char *const names[] = {"add",  "remove", "union",    "grow", "overfill",
                                        "view", "bare",   "estimate", "share"};

    for (size_t bit = 0; bit < sizeof names / sizeof *names; bit++)
        if ((can >> bit & 1) && index-- == 0)
            return names[bit];
    return NULL;
}

bool ninho_kind_takes(ninho_kind kind, ninho_field field)
{
    /* what not every kind takes, as the families say it */
    static const struct {
        ninho_field field;
        uint32_t option;
    } options[] = {
        {NINHO_FIELD_N_BITS, NH_TAKES_BITS},
        {NINHO_FIELD_N_HASHES, NH_TAKES_HASHES},
        {NINHO_FIELD_K_RULE, NH_TAKES_K_RULE},
        {NINHO_FIELD_BASE, NH_TAKES_BASE},
        {NINHO_FIELD_GROWTH, NH_TAKES_GROWTH},
        {NINHO_FIELD_MAX_CAPACITY, NH_TAKES_MAX_CAPACITY},
        {NINHO_FIELD_TAG_BITS, NH_TAKES_TAG_BITS},
        {NINHO_FIELD_ARITY, NH_TAKES_ARITY},
        {NINHO_FIELD_SLOTS, NH_TAKES_CUCKOO},
        {NINHO_FIELD_PLACE_SLOTS, NH_TAKES_CUCKOO},
        {NINHO_FIELD_CHOICE, NH_TAKES_CUCKOO},
        {NINHO_FIELD_SEARCH, NH_TAKES_CUCKOO},
        {NINHO_FIELD_PAIRING, NH_TAKES_CUCKOO},
        {NINHO_FIELD_MAX_KICKS, NH_TAKES_CUCKOO},
        {NINHO_FIELD_BUDGET, NH_TAKES_CUCKOO},
        {NINHO_FIELD_SEMANTICS, NH_TAKES_CUCKOO},
        {NINHO_FIELD_N_SLOTS, NH_TAKES_SLOTS},
        {NINHO_FIELD_PREFER, NH_TAKES_SLOTS},
    };
    const struct nh_family *family = nh_family_of(kind);

    if (!family)
        return false;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].field == field)
            return family->takes & options[i].option;
    return field >= NINHO_FIELD_KIND && field <= NINHO_FIELD_SECRET;
}

bool ninho_kind_can_be_base(ninho_kind kind)
{
    const struct nh_family *family = nh_family_of(kind);
    return family && family->can_be_base;
}

/* ---- Lists of kinds for messages ---------------------------------------------------- */

static void append_name(ninho_kind kind, char *names, size_t size)
{
    const size_t n = strlen(names);

    (void)snprintf(names + n, size - n, "%s%s", n ? ", " : "", ninho_kind_name(kind));
}

const char *nh_kinds_that_take(ninho_field field, char names[NH_KINDS_TEXT])
{
    names[0] = '\0';
    for (size_t i = 0; i < N_FAMILIES; i++)
        if (ninho_kind_takes(families[i]->kind, field))
            append_name(families[i]->kind, names, NH_KINDS_TEXT);
    return names;
}

const char *nh_kinds_for_base(char names[NH_KINDS_TEXT])
{
    names[0] = '\0';
    for (size_t i = 0; i < N_FAMILIES; i++)
        if (families[i]->can_be_base)
            append_name(families[i]->kind, names, NH_KINDS_TEXT);
    return names;
}
