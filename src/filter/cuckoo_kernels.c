/* SPDX-License-Identifier: MIT */
/* What a cuckoo filter does most: looking a key up, and putting one where there is room.
 * One implementation, compiled for each of the shapes that the planner gives and once for
 * all others.
 *
 * A lookup is two cache misses and some fifty instructions if the shape is known at compile
 * time, and twice as many if not. That decides how many lookups, and so how many misses, a
 * core has under way at once when it is asked one by one. */
#include "filter/cuckoo.h"

/* Any shape, and places at the very end of a table. */
static bool has_any(const struct nh_part *part, uint64_t hash)
{
    const struct nh_cuckoo t = nh_cuckoo_of(part);
    const struct nh_cuckoo_key key = nh_cuckoo_key_of(&t, hash);
    return nh_cuckoo_has(&t, &key);
}

static void has_many_any(const struct nh_part *part, const uint64_t *hashes, size_t n,
                         uint64_t *maybe)
{
    const struct nh_cuckoo t = nh_cuckoo_of(part);

    for (size_t i = 0; i < n; i++) {
        if (i + NH_AHEAD < n) {
            const struct nh_cuckoo_key ahead = nh_cuckoo_key_of(&t, hashes[i + NH_AHEAD]);
            nh_cuckoo_prefetch(&t, ahead.place[0]);
            nh_cuckoo_prefetch(&t, ahead.place[1]);
        }
        const struct nh_cuckoo_key key = nh_cuckoo_key_of(&t, hashes[i]);
        maybe[i / 64] |= (uint64_t)nh_cuckoo_has(&t, &key) << i % 64;
    }
}

uint64_t nh_cuckoo_put_any(const struct nh_part *part, const struct nh_cuckoo_key *key)
{
    const struct nh_cuckoo t = nh_cuckoo_of(part);
    const unsigned n_first = nh_cuckoo_n_free(&t, key->place[0]);
    const unsigned n_second = nh_cuckoo_n_free(&t, key->place[1]);
    const unsigned side = t.is_random ? !n_first : n_second > n_first;
    const uint64_t slot = nh_cuckoo_free_slot(&t, key->place[side]);

    if (slot != NH_NO_SLOT)
        nh_cuckoo_put_tag(&t, slot,
                          &(struct nh_cuckoo_tag){key->tag, key->place[side], side});
    return slot;
}

static uint64_t put_hash_any(const struct nh_part *part, uint64_t hash,
                             struct nh_cuckoo_key *key)
{
    const struct nh_cuckoo t = nh_cuckoo_of(part);

    *key = nh_cuckoo_key_of(&t, hash);
    return nh_cuckoo_put_any(part, key);
}

static size_t put_many_any(const struct nh_part *part, const uint64_t *hashes, size_t n,
                           size_t at, struct nh_cuckoo_key *ring)
{
    const struct nh_cuckoo t = nh_cuckoo_of(part);

    for (; at < n; at++) {
        if (nh_cuckoo_put_any(part, &ring[at % NH_AHEAD]) == NH_NO_SLOT)
            return at;
        nh_cuckoo_look_ahead(&t, hashes, n, at, ring);
    }
    return n;
}

static const struct nh_cuckoo_kernel any = {has_any, has_many_any, put_hash_any,
                                            put_many_any};

/* Where a place begins. */
NH_FOLDED uint64_t bit_of(const struct nh_cuckoo *t, uint64_t place)
{
    return place * (t->step * t->width);
}

NH_FOLDED uint64_t byte_of(const struct nh_cuckoo *t, uint64_t place)
{
    const unsigned stride = t->step * t->width;
    return stride % 8 == 0 ? place * (stride / 8) : bit_of(t, place) / 8;
}

/* The lanes of a place that does not lie at the end of the table. */
NH_FOLDED uint64_t lanes_at(const struct nh_cuckoo *t, uint64_t place, uint64_t byte)
{
    const unsigned shift = bit_of(t, place) % 8;
    const uint64_t word = nh_load_le64(t->body + byte) >> shift;

    return t->is_narrow ? word
                        : word | ((uint64_t)t->body[byte + 8] << 1) << (63 - shift);
}

/* Both places are looked at, whatever the first one says: a second line costs less than a
 * branch that cannot be foreseen. */
NH_FOLDED bool has_key(const struct nh_part *part, const struct nh_cuckoo *t,
                       const struct nh_cuckoo_key *key, uint64_t hash)
{
    const uint64_t first = byte_of(t, key->place[0]), second = byte_of(t, key->place[1]);

    if ((first > second ? first : second) + 9 > t->size)
        return has_any(part, hash);
    return (nh_cuckoo_matches(t, lanes_at(t, key->place[0], first),
                              nh_cuckoo_value(t, key->tag, 0)) |
            nh_cuckoo_matches(t, lanes_at(t, key->place[1], second),
                              nh_cuckoo_value(t, key->tag, 1))) &
           t->ones << (t->width - 1);
}

NH_FOLDED bool has(const struct nh_part *part, const struct nh_cuckoo *t, uint64_t hash)
{
    const struct nh_cuckoo_key key = nh_cuckoo_key_of(t, hash);

    return has_key(part, t, &key, hash);
}

/* A block's answers lie in one word. */
_Static_assert(64 % NH_AHEAD == 0, "blocks must not straddle words");

/* In blocks whose keys are worked out once, a block ahead of the one that is looked at. */
NH_FOLDED void has_many(const struct nh_part *part, const struct nh_cuckoo *t,
                        const uint64_t *hashes, size_t n, uint64_t *maybe)
{
    struct nh_cuckoo_key ring[2 * NH_AHEAD];
    size_t ahead = 0;

    for (size_t at = 0; at < n; at += NH_AHEAD) {
        const size_t end = at + NH_AHEAD < n ? at + NH_AHEAD : n;
        const size_t most = end + NH_AHEAD < n ? end + NH_AHEAD : n;
        for (; ahead < most; ahead++) {
            struct nh_cuckoo_key *key = &ring[ahead % (2 * NH_AHEAD)];
            *key = nh_cuckoo_key_of(t, hashes[ahead]);
            nh_cuckoo_prefetch(t, key->place[0]);
            nh_cuckoo_prefetch(t, key->place[1]);
        }
        uint64_t bits = 0;
        for (size_t i = at; i < end; i++)
            bits |= (uint64_t)has_key(part, t, &ring[i % (2 * NH_AHEAD)], hashes[i])
                    << (i - at);
        maybe[at / 64] |= bits << at % 64;
    }
}

/* How many lanes are marked by their highest bits: the product's last lane is the sum. */
NH_FOLDED uint64_t n_lanes(const struct nh_cuckoo *t, uint64_t marks)
{
    return (marks >> (t->width - 1)) * t->ones >> (t->n - 1) * t->width &
           nh_low_mask(t->width);
}

NH_FOLDED uint64_t put(const struct nh_part *part, const struct nh_cuckoo *t,
                       const struct nh_cuckoo_key *key)
{
    const uint64_t first = byte_of(t, key->place[0]), second = byte_of(t, key->place[1]);

    if ((first > second ? first : second) + 9 > t->size)
        return nh_cuckoo_put_any(part, key);
    const uint64_t in_first = nh_cuckoo_zero_lanes(t, lanes_at(t, key->place[0], first));
    const uint64_t in_second =
        nh_cuckoo_zero_lanes(t, lanes_at(t, key->place[1], second));
    const bool is_emptier = n_lanes(t, in_second) > n_lanes(t, in_first);
    const bool side = nh_cuckoo_is(part, NH_CUCKOO_RANDOM) ? !in_first : is_emptier;
    const uint64_t marks = side ? in_second : in_first;
    if (!marks)
        return NH_NO_SLOT;
    const uint64_t place = side ? key->place[1] : key->place[0];
    const unsigned lane = nh_lowest_bit64(marks) / t->width;
    const uint64_t slot = nh_cuckoo_first_slot(t, place) + lane;
    nh_cuckoo_put(t, slot,
                  nh_cuckoo_value(t, key->tag, side) + (t->is_windows ? lane : 0));
    return slot;
}

NH_FOLDED size_t put_many(const struct nh_part *part, const struct nh_cuckoo *t,
                          const uint64_t *hashes, size_t n, size_t at,
                          struct nh_cuckoo_key *ring)
{
    for (; at < n; at++) {
        if (put(part, t, &ring[at % NH_AHEAD]) == NH_NO_SLOT)
            return at;
        nh_cuckoo_look_ahead(t, hashes, n, at, ring);
    }
    return n;
}

#define KERNEL(name, width, n_slots, is_windows, is_offset)                           \
    static bool has_##name(const struct nh_part *part, uint64_t hash)                 \
    {                                                                                 \
        const struct nh_cuckoo t =                                                    \
            nh_cuckoo_shape(part, width, n_slots, is_windows, is_offset);             \
        return has(part, &t, hash);                                                   \
    }                                                                                 \
    static void has_many_##name(const struct nh_part *part, const uint64_t *hashes,   \
                                size_t n, uint64_t *maybe)                            \
    {                                                                                 \
        const struct nh_cuckoo t =                                                    \
            nh_cuckoo_shape(part, width, n_slots, is_windows, is_offset);             \
        has_many(part, &t, hashes, n, maybe);                                         \
    }                                                                                 \
    static uint64_t put_hash_##name(const struct nh_part *part, uint64_t hash,        \
                                    struct nh_cuckoo_key *key)                        \
    {                                                                                 \
        const struct nh_cuckoo t =                                                    \
            nh_cuckoo_shape(part, width, n_slots, is_windows, is_offset);             \
        *key = nh_cuckoo_key_of(&t, hash);                                            \
        return put(part, &t, key);                                                    \
    }                                                                                 \
    static size_t put_many_##name(const struct nh_part *part, const uint64_t *hashes, \
                                  size_t n, size_t at, struct nh_cuckoo_key *ring)    \
    {                                                                                 \
        const struct nh_cuckoo t =                                                    \
            nh_cuckoo_shape(part, width, n_slots, is_windows, is_offset);             \
        return put_many(part, &t, hashes, n, at, ring);                               \
    }                                                                                 \
    static const struct nh_cuckoo_kernel name = {has_##name, has_many_##name,         \
                                                 put_hash_##name, put_many_##name};

#define ITS_OWN nh_cuckoo_width(part)

KERNEL(original_8, 8, 4, false, false)
KERNEL(original_12, 12, 4, false, false)
KERNEL(original_16, 16, 4, false, false)
KERNEL(original, ITS_OWN, 4, false, false)
KERNEL(buckets_4, ITS_OWN, 4, false, true)
KERNEL(windows_2, ITS_OWN, 2, true, true)
KERNEL(windows_3, ITS_OWN, 3, true, true)
KERNEL(windows_4_16, 16, 4, true, true)
KERNEL(windows_4, ITS_OWN, 4, true, true)

const struct nh_cuckoo_kernel *nh_cuckoo_select(const struct nh_cuckoo *t)
{
    static const struct nh_cuckoo_kernel *const windows[] = {&windows_2, &windows_3,
                                                             &windows_4};

    if (!t->ones)
        return &any;
    if (t->is_windows)
        return !t->is_offset                 ? &any
               : t->n == 4 && t->width == 16 ? &windows_4_16
                                             : windows[t->n - 2];
    if (t->n != 4)
        return &any;
    if (t->is_offset)
        return &buckets_4;
    return t->width == 8    ? &original_8
           : t->width == 12 ? &original_12
           : t->width == 16 ? &original_16
                            : &original;
}
