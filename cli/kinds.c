/* SPDX-License-Identifier: MIT */
#include "kinds.h"

#include <stdio.h>

#include "options/numbers.h"

/* Can a filter that grows by filters of this kind do it? */
static bool base_can(ninho_kind base, uint32_t can)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_plan plan = NINHO_PLAN_INIT;

    spec.kind = NINHO_SCALABLE;
    spec.base = base;
    spec.capacity = 1;
    spec.fpr = 0.01;
    return !ninho_filter_plan(&spec, &plan, NULL) && (plan.can & can) == can;
}

int kind_at(size_t index)
{
    size_t n_filters = 0;

    while (n_filters < index && ninho_kind_at(n_filters))
        n_filters++;
    return ninho_kind_at(n_filters) ? (int)ninho_kind_at(n_filters)
                                    : (int)ninho_dict_kind_at(index - n_filters);
}

const char *kind_name(int kind)
{
    const char *name = ninho_kind_name((ninho_kind)kind);
    return name ? name : ninho_dict_kind_name((ninho_dict_kind)kind);
}

int kind_from_name(const char *name)
{
    const int kind = (int)ninho_kind_from_name(name);
    return kind ? kind : (int)ninho_dict_kind_from_name(name);
}

const char *kind_name_at(size_t index)
{
    return kind_name(kind_at(index));
}

const char *kind_filter_at(size_t index)
{
    return ninho_kind_name(ninho_kind_at(index));
}

const char *kind_base_at(size_t index)
{
    for (size_t i = 0; ninho_kind_at(i); i++)
        if (ninho_kind_can_be_base(ninho_kind_at(i)) && index-- == 0)
            return ninho_kind_name(ninho_kind_at(i));
    return NULL;
}

bool kind_is_exact(int kind)
{
    return ninho_dict_kind_name((ninho_dict_kind)kind) != NULL;
}

uint32_t kind_can(int kind)
{
    if (kind_is_exact(kind))
        return NINHO_CAN_ADD | NINHO_CAN_REMOVE | NINHO_CAN_UNION | NINHO_CAN_GROW;
    return ninho_kind_can((ninho_kind)kind);
}

static bool dict_takes(ninho_dict_kind kind, ninho_field field)
{
    switch (field) {
    case NINHO_FIELD_N_FUNCTIONS:
    case NINHO_FIELD_BUCKET_SIZE:
    case NINHO_FIELD_N_TABLES:
    case NINHO_FIELD_STASH_SIZE:
    case NINHO_FIELD_MAX_MOVES:
        return kind == NINHO_CUCKOO_TABLE;
    default:
        return field < NINHO_FIELD_N_BITS && field != NINHO_FIELD_FPR;
    }
}

bool kind_takes(int kind, ninho_field field)
{
    if (kind_is_exact(kind))
        return dict_takes((ninho_dict_kind)kind, field);
    if (field == NINHO_FIELD_META || field == NINHO_FIELD_ATTACHMENT)
        return true;
    return ninho_kind_takes((ninho_kind)kind, field == NINHO_FIELD_BUCKET_SIZE
                                                  ? NINHO_FIELD_PLACE_SLOTS
                                                  : field);
}

void kind_list_takers(ninho_field field, char *names, size_t names_size)
{
    names[0] = '\0';
    for (size_t i = 0; kind_at(i); i++)
        if (kind_takes(kind_at(i), field))
            append_name(names, names_size, kind_name(kind_at(i)));
}

void kind_list(uint32_t can, bool with_exact, char *names, size_t names_size)
{
    names[0] = '\0';
    for (size_t i = 0; kind_at(i); i++)
        if ((kind_can(kind_at(i)) & can) == can &&
            (with_exact || !kind_is_exact(kind_at(i))))
            append_name(names, names_size, kind_name(kind_at(i)));
    if ((kind_can(NINHO_SCALABLE) & can) == can)
        return;
    for (size_t i = 0; ninho_kind_at(i); i++) {
        char name[60];
        if (!base_can(ninho_kind_at(i), can))
            continue;
        (void)snprintf(name, sizeof name, "%s with --base %s", kind_name(NINHO_SCALABLE),
                       ninho_kind_name(ninho_kind_at(i)));
        append_name(names, names_size, name);
    }
}
