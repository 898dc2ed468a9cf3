/* SPDX-License-Identifier: MIT */
#include "filter/cuckoo_beside.h"

#include "filter/simd/cuckoo.h"

static bool find_offset(const struct nh_part *part, uint64_t hash)
{
    return nh_cuckoo_has_word(part, hash, NINHO_PAIRING_OFFSET);
}

static bool find_xor(const struct nh_part *part, uint64_t hash)
{
    return nh_cuckoo_has_word(part, hash, NINHO_PAIRING_XOR);
}

static bool find_any(const struct nh_part *part, uint64_t hash)
{
    return part->has(part, hash);
}

/* What a lookup needs of a part, in registers: a load that acquires would have the compiler read it
 * again from memory, and work out the places anew. */
static inline struct nh_part needed(const struct nh_part *part)
{
    return (struct nh_part){
        .body = part->body, .size = part->size, .cached.cuckoo = part->cached.cuckoo};
}

static bool has_offset(const struct nh_part *part, uint64_t hash, struct nh_marks *marks)
{
    const struct nh_part table = needed(part);

    return nh_cuckoo_look(&table, hash, true, marks, find_offset);
}

static bool has_xor(const struct nh_part *part, uint64_t hash, struct nh_marks *marks)
{
    const struct nh_part table = needed(part);

    return nh_cuckoo_look(&table, hash, false, marks, find_xor);
}

static bool has_any(const struct nh_part *part, uint64_t hash, struct nh_marks *marks)
{
    return nh_cuckoo_look(part, hash, nh_cuckoo_is(part, NH_CUCKOO_OFFSET), marks,
                          find_any);
}

/* A walk throws a tag out before it has another slot; near tables are read between changes. */
nh_has_beside nh_cuckoo_beside(const struct nh_part *part)
{
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);

    if (t.is_walk || t.run_shift)
        return NULL;
    if (!nh_cuckoo_is_word(&t))
        return has_any;
    return t.is_offset ? has_offset : has_xor;
}

void nh_cuckoo_has_moved(const struct nh_live *live, const struct nh_cuckoo_shape *t,
                         const struct nh_cuckoo_tag *tag)
{
    nh_version_up(live, tag->place, nh_cuckoo_other_of(t, tag));
}

void nh_cuckoo_before_taking(const struct nh_live *live, const struct nh_part *part,
                             uint64_t hash)
{
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);
    const struct nh_cuckoo_key key = nh_cuckoo_key_of(&t, hash);

    nh_version_up(live, key.place[0], key.place[1]);
}
