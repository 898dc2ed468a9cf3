/* SPDX-License-Identifier: MIT */
/* Cuckoo filters, for readers beside the writer. Entries move, and are taken out; sharing.h says
 * what both sides do about it. Why that is enough:
 *
 * The writer puts an entry into its new slot, counts the version of its pair of places up, and then
 * clears or overwrites the old slot; before it takes a copy out it counts up too. So whenever an
 * entry of a member vanishes, another one has been there since before the version was counted up.
 * Say a reader finds none in the places of a member. When it looked at the slots of the first copy
 * there was none, so that one was in a slot that it had not looked at yet; when it came there that
 * one was gone. It was gone only after the version had been counted up, and that was after another
 * copy was put into a slot that the reader had left behind: if it had been counted up before the
 * reader began, the reader would have found that copy. So the version has changed meanwhile, and it
 * looks again.
 *
 * It makes no difference how many bytes the machine loads or stores at a time. A store writes bits of
 * other slots as they are, and of a slot that is half written the other half is older: of an entry that
 * is on its way, and whose old slot holds it still. A new key goes into an empty slot, which
 * nobody else needs. */
#ifndef NH_FILTER_CUCKOO_BESIDE_H
#define NH_FILTER_CUCKOO_BESIDE_H

#include "base/inline.h"
#include "filter/cuckoo.h"
#include "filter/sharing.h"

/* Looks with `find` until nothing has moved meanwhile. Most of the arithmetic is `find`'s own, and is
 * done once where it is inlined. */
NH_ALWAYS_INLINE bool nh_cuckoo_look(const struct nh_part *part, uint64_t hash,
                                     bool is_offset, struct nh_marks *marks,
                                     bool (*find)(const struct nh_part *, uint64_t))
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;
    const uint64_t place = ninho_cuckoo_place_(hash, shape->n_places);
    const uint64_t tag = ninho_cuckoo_tag_(hash, shape->n_tags);
    const uint64_t other = ninho_cuckoo_second_(place, tag, shape->n_places, is_offset);
    _Atomic uint32_t *const version = nh_version_of(marks, place, other);

    for (;;) {
        const uint32_t before = nh_mark_load(version, memory_order_acquire);
        if (find(part, hash))
            return true;
        nh_fence(memory_order_acquire);
        if (nh_mark_load(version, memory_order_relaxed) == before)
            return false;
    }
}

#endif
