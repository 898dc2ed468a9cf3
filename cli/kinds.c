/* SPDX-License-Identifier: MIT */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

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

void append_name(char *list, size_t list_size, const char *name)
{
    const size_t used = strlen(list);
    (void)snprintf(list + used, list_size - used, "%s%s", used ? ", " : "", name);
}

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
