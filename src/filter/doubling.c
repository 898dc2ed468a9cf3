/* SPDX-License-Identifier: MIT */
#include "filter/doubling.h"

#include "base/status.h"
#include "filter/sharing.h"

bool nh_doubling_grows(const struct nh_part *part)
{
    return part->stored[1] > part->capacity;
}

void nh_doubling_spec_back(const struct nh_part *part, ninho_spec *spec)
{
    spec->max_capacity = nh_doubling_grows(part) ? part->stored[1] : 0;
}

bool nh_doubling_is_crowded(const struct nh_part *part, uint64_t n_more)
{
    return n_more <= part->stored[1] && part->count <= part->stored[1] - n_more;
}

bool nh_doubling_fits(const struct nh_part *part)
{
    return part->capacity >= 1 && part->stored[1] >= part->capacity &&
           part->stored[1] <= NH_MAX_CAPACITY &&
           nh_doublings_made(part) <= nh_doublings(part->capacity, part->stored[1]);
}

bool nh_doubling_begin(const struct nh_live *live, const struct nh_part *part,
                       struct nh_part *grown)
{
    if (!nh_live_table(live, grown->size, &grown->table))
        return false;
    grown->body = grown->table.bytes;
    if (live->sharing)
        nh_sharing_pause(live);
    nh_tell(live, NINHO_EVENT_RESIZED, part->n_cells, grown->n_cells, 0);
    return true;
}

void nh_doubling_end(const struct nh_live *live, struct nh_part *part,
                     const struct nh_part *grown)
{
    if (live->sharing)
        nh_sharing_resume(live);
    nh_live_free_table(live, &part->table);
    *part = *grown;
}
