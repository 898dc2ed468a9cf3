/* SPDX-License-Identifier: MIT */
#include "link.h"

#define MANY_KICKS    500
#define FEW_KICKS     16
#define KICKS_PER_KEY 2

ninho_spec rt_link_spec(const ninho_spec *asked, uint64_t capacity)
{
    ninho_spec spec = *asked;

    spec.capacity = capacity ? capacity : 1;
    spec.key_encoding = NINHO_KEY_HASHES;
    spec.pages = NINHO_PAGES_SMALL;
    spec.observer = NULL;
    /* Filters see hashes, and hash nothing themselves. */
    spec.hash = NINHO_HASH_XXH3;
    spec.secret = NULL;
    /* The search by breadth wants memory for its queue in each filter, which for a filter of ten
     * keys is a hundred times the filter. */
    if (spec.kind == NINHO_CUCKOO && !spec.search)
        spec.search = NINHO_SEARCH_WALK;
    /* A walk keeps 16 bytes for each of its kicks, to take them back. Among a handful of slots it has
     * been everywhere after a few; 500, the default, would be the largest part of a network. */
    if (spec.kind == NINHO_CUCKOO && spec.search == NINHO_SEARCH_WALK &&
        !spec.max_kicks && spec.capacity < (MANY_KICKS - FEW_KICKS) / KICKS_PER_KEY)
        spec.max_kicks = (uint32_t)(FEW_KICKS + KICKS_PER_KEY * spec.capacity);
    return spec;
}
