/* SPDX-License-Identifier: MIT */
/* What a cuckoo filter does most: looking a key up, and putting one where there is room.
 * One implementation, compiled for each of the shapes that the planner gives and once for
 * all others.
 *
 * A lookup is two cache misses and some fifty instructions if the shape is known at compile
 * time, and twice as many if not. That decides how many lookups, and so how many misses, a
 * core has under way at once when it is asked one by one. */
#include "filter/cuckoo.h"
#include "filter/simd/cuckoo.h"

/* Any shape, and places at the very end of a table. */
static bool has_any(const struct nh_part *part, uint64_t hash)
{
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);
    const struct nh_cuckoo_key key = nh_cuckoo_key_of(&t, hash);
    return nh_cuckoo_has(&t, &key);
}

static void has_many_any(const struct nh_part *part, const uint64_t *hashes, size_t n,
                         uint64_t *maybe)
{
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);

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
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);
    const unsigned n_first = nh_cuckoo_n_free(&t, key->place[0]);
    const unsigned n_second = nh_cuckoo_n_free(&t, key->place[1]);
    const unsigned side = t.is_random ? !n_first : n_second > n_first;
    const uint64_t slot = nh_cuckoo_free_slot(&t, key->place[side]);

    if (slot != NH_NO_SLOT)
        nh_cuckoo_put_tag(&t, slot,
                          &(struct nh_cuckoo_tag){key->tag, key->place[side], side});
    return slot;
}

uint64_t nh_cuckoo_find_copies(const struct nh_cuckoo_shape *t,
                               const struct nh_cuckoo_key *key, uint64_t *n)
{
    uint64_t found = NH_NO_SLOT;

    *n = 0;
    for (unsigned side = 0; side < 2; side++) {
        const uint64_t first = nh_cuckoo_first_slot(t, key->place[side]);
        const uint64_t value = nh_cuckoo_value(t, key->tag, side);
        for (unsigned i = 0; i < t->n; i++) {
            if (nh_cuckoo_get(t, first + i) != value + (t->is_windows ? i : 0))
                continue;
            if (!(*n)++)
                found = first + i;
        }
    }
    return found;
}

static bool take_any(const struct nh_part *part, uint64_t hash,
                     struct nh_cuckoo_taken *taken)
{
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);
    const struct nh_cuckoo_key key = nh_cuckoo_key_of(&t, hash);
    uint64_t n;
    const uint64_t slot = nh_cuckoo_find_copies(&t, &key, &n);

    if (slot == NH_NO_SLOT)
        return false;
    nh_cuckoo_put(&t, slot, 0);
    if (taken)
        *taken = (struct nh_cuckoo_taken){slot, key.tag};
    return true;
}

static uint64_t put_hash_any(const struct nh_part *part, uint64_t hash,
                             struct nh_cuckoo_key *key)
{
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);

    *key = nh_cuckoo_key_of(&t, hash);
    return nh_cuckoo_put_any(part, key);
}

static size_t put_many_any(const struct nh_part *part, const uint64_t *hashes, size_t n,
                           size_t at, struct nh_cuckoo_key *ring)
{
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);

    for (; at < n; at++) {
        if (nh_cuckoo_put_any(part, &ring[at % NH_AHEAD]) == NH_NO_SLOT)
            return at;
        nh_cuckoo_look_ahead(&t, hashes, n, at, ring);
    }
    return n;
}

static const struct nh_cuckoo_kernel any = {has_any, has_many_any, put_hash_any,
                                            put_many_any, take_any};

/* ---- Places that are one word ------------------------------------------------------ */

bool nh_cuckoo_is_word(const struct nh_cuckoo_shape *t)
{
    return t->ones && !t->is_wide && t->is_narrow && t->size >= 8;
}

unsigned nh_cuckoo_word_pairing(const struct nh_cuckoo_shape *t)
{
    if (!nh_cuckoo_is_word(t))
        return 0;
    if (!t->run_shift)
        return t->is_offset ? NINHO_PAIRING_OFFSET : NINHO_PAIRING_XOR;
    /* The word of the last place must end in the table. */
    return (t->n_places - 1) * (t->step * t->width / 8) + 8 <= t->size
               ? NINHO_PAIRING_NEAR
               : 0;
}

static bool has_offset(const struct nh_part *part, uint64_t hash)
{
    return nh_cuckoo_has_word(part, hash, NINHO_PAIRING_OFFSET);
}

static bool has_xor(const struct nh_part *part, uint64_t hash)
{
    return nh_cuckoo_has_word(part, hash, NINHO_PAIRING_XOR);
}

static bool has_near(const struct nh_part *part, uint64_t hash)
{
    return nh_cuckoo_has_word(part, hash, NINHO_PAIRING_NEAR);
}

static void has_many_offset(const struct nh_part *part, const uint64_t *hashes, size_t n,
                            uint64_t *maybe)
{
    nh_cuckoo_batch_select(part)->has_many_offset(part, hashes, n, maybe);
}

static void has_many_xor(const struct nh_part *part, const uint64_t *hashes, size_t n,
                         uint64_t *maybe)
{
    nh_cuckoo_batch_select(part)->has_many_xor(part, hashes, n, maybe);
}

static void has_many_near(const struct nh_part *part, const uint64_t *hashes, size_t n,
                          uint64_t *maybe)
{
    nh_cuckoo_batch_select(part)->has_many_near(part, hashes, n, maybe);
}

/* Empties the slot of the lowest mark, whose highest bit it is; returns the slot's lowest one. */
static uint64_t take_marked(const struct nh_part *part, uint64_t first_bit,
                            uint64_t marks)
{
    const unsigned width = nh_cuckoo_width(part);
    const uint64_t bit = first_bit + nh_lowest_bit64(marks) - (width - 1);
    const uint64_t byte = bit / 8 < part->size - 8 ? bit / 8 : part->size - 8;
    const uint64_t mask = (UINT64_C(1) << width) - 1; /* at most 32 bits */

    nh_before_store();
    nh_store_le64(part->body + byte,
                  nh_load_le64(part->body + byte) & ~(mask << (bit - 8 * byte)));
    return bit;
}

/* In which place a tag lies is a coin toss: no branch hangs on it. */
NH_ALWAYS_INLINE bool take(const struct nh_part *part, uint64_t hash,
                           struct nh_cuckoo_taken *taken, ninho_pairing pairing)
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;
    const struct nh_cuckoo_asked key = nh_cuckoo_ask(part, hash, pairing);
    const uint64_t first = nh_cuckoo_marks_at(part, key.bit[0], key.lanes + shape->first);
    const uint64_t second =
        nh_cuckoo_marks_at(part, key.bit[1], key.lanes + shape->second);
    const uint64_t in_second = 0 - (uint64_t)(first == 0);

    if (!(first | second))
        return false;
    const uint64_t bit =
        take_marked(part, key.bit[0] ^ ((key.bit[0] ^ key.bit[1]) & in_second),
                    first | (second & in_second));
    if (taken)
        *taken = (struct nh_cuckoo_taken){bit / nh_cuckoo_width(part),
                                          nh_cuckoo_tag_of(hash, shape->n_tags, false)};
    return true;
}

static bool take_offset(const struct nh_part *part, uint64_t hash,
                        struct nh_cuckoo_taken *taken)
{
    return take(part, hash, taken, NINHO_PAIRING_OFFSET);
}

static bool take_xor(const struct nh_part *part, uint64_t hash,
                     struct nh_cuckoo_taken *taken)
{
    return take(part, hash, taken, NINHO_PAIRING_XOR);
}

/* How many lanes are marked. By their highest bits: the product's last lane is the sum. By
 * four bits: a table of sixteen numbers. */
NH_FOLDED uint64_t n_lanes(const struct nh_cuckoo_shape *t, uint64_t marks)
{
    if (t->is_wide)
        return UINT64_C(0x4332322132212110) >> 4 * marks & 15;
    return (marks >> (t->width - 1)) * t->ones >> (t->n - 1) * t->width &
           nh_low_mask(t->width);
}

/* ---- Near pairing ------------------------------------------------------------------- */

/* Changes write both places, one of them as it was. So where is known before what they hold, and
 * the next call's loads need not wait until these stores know their addresses. */

/* The words of a key's two places. They overlap where the places are neighbours. */
struct near_words {
    uint8_t *at[2];
};

NH_ALWAYS_INLINE struct near_words near_words_of(const struct nh_part *part,
                                                 const struct nh_cuckoo_key *key,
                                                 unsigned place_bytes)
{
    return (struct near_words){{part->body + key->place[0] * place_bytes,
                                part->body + key->place[1] * place_bytes}};
}

static bool take_near(const struct nh_part *part, uint64_t hash,
                      struct nh_cuckoo_taken *taken)
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;
    const unsigned last = nh_cuckoo_width(part) - 1; /* bit of a slot */
    const uint64_t place = ninho_cuckoo_place_(hash, shape->n_places);
    const uint64_t tag = ninho_cuckoo_near_tag_(hash, shape->n_tags);
    const uint64_t other = ninho_cuckoo_near_(place, tag, shape->run_shift);
    const struct near_words words = near_words_of(
        part, &(struct nh_cuckoo_key){.place = {place, other}}, shape->stride / 8);
    const uint64_t lanes = (tag + 1) * shape->ones;
    uint64_t top[2]; /* the highest bit of the slot to be emptied */

    for (unsigned side = 0; side < 2; side++) {
        const uint64_t differs = nh_load_le64(words.at[side]) ^ lanes;
        const uint64_t marks = (differs - shape->ones) & ~differs & shape->tops;
        top[side] = marks & (0 - marks);
    }
    if (!(top[0] | top[1]))
        return false;
    top[1] &= 0 - (uint64_t)(top[0] == 0);
    for (unsigned side = 0; side < 2; side++)
        nh_store_le64(words.at[side], nh_load_le64(words.at[side]) &
                                          ~((top[side] << 1) - (top[side] >> last)));
    if (taken)
        *taken = (struct nh_cuckoo_taken){
            4 * (top[0] ? place : other) + nh_lowest_bit64(top[0] | top[1]) / (last + 1),
            tag};
    return true;
}

NH_ALWAYS_INLINE uint64_t put_near(const struct nh_part *part,
                                   const struct nh_cuckoo_shape *t,
                                   const struct nh_cuckoo_key *key)
{
    const struct near_words words = near_words_of(part, key, t->step * t->width / 8);
    const uint64_t empty[2] = {nh_cuckoo_zero_lanes(t, nh_load_le64(words.at[0])),
                               nh_cuckoo_zero_lanes(t, nh_load_le64(words.at[1]))};
    const bool is_emptier = n_lanes(t, empty[1]) > n_lanes(t, empty[0]);
    const bool side = nh_cuckoo_is(part, NH_CUCKOO_RANDOM) ? !empty[0] : is_emptier;
    const uint64_t marks = side ? empty[1] : empty[0];
    const uint64_t value = ((marks & (0 - marks)) >> (t->width - 1)) * (key->tag + 1);

    if (!marks)
        return NH_NO_SLOT;
    nh_store_le64(words.at[0], nh_load_le64(words.at[0]) | (side ? 0 : value));
    nh_store_le64(words.at[1], nh_load_le64(words.at[1]) | (side ? value : 0));
    return 4 * (side ? key->place[1] : key->place[0]) + nh_cuckoo_lane(t, marks);
}

/* ---- Other places, folded by shape ------------------------------------------------- */

NH_FOLDED uint64_t byte_of(const struct nh_cuckoo_shape *t, uint64_t place)
{
    const unsigned stride = t->step * t->width;
    return stride % 8 == 0 ? place * (stride / 8) : nh_cuckoo_bit(t, place, 0) / 8;
}

/* The lanes that begin with this bit, not at the end of the table. */
NH_FOLDED uint64_t lanes_from(const struct nh_cuckoo_shape *t, uint64_t byte,
                              unsigned shift)
{
    const uint64_t word = nh_load_le64(t->body + byte) >> shift;

    return t->is_narrow ? word
                        : word | ((uint64_t)t->body[byte + 8] << 1) << (63 - shift);
}

/* Both words of a place, whose first one begins in `byte`; one only if it is not wide. */
struct words {
    uint64_t low, high;
};

NH_FOLDED struct words words_at(const struct nh_cuckoo_shape *t, uint64_t place,
                                uint64_t byte)
{
    const unsigned shift = nh_cuckoo_bit(t, place, 0) % 8;
    const unsigned next = shift + 2 * t->width;

    return (struct words){lanes_from(t, byte, shift),
                          t->is_wide ? lanes_from(t, byte + next / 8, next % 8) : 0};
}

/* Can the words of both places be loaded whole? */
NH_FOLDED bool is_inside(const struct nh_cuckoo_shape *t, uint64_t first, uint64_t second)
{
    const uint64_t last = first > second ? first : second;

    return last + (t->is_wide ? 9 + (2 * t->width + 7) / 8 : 9) <= t->size;
}

NH_FOLDED uint64_t matches_in(const struct nh_cuckoo_shape *t, const struct words *words,
                              uint64_t value)
{
    const uint64_t low = nh_cuckoo_matches(t, words->low, value);

    if (!t->is_wide)
        return low;
    return low | (nh_cuckoo_matches(t, words->high, nh_cuckoo_second_value(t, value)) &
                  nh_cuckoo_tops(t, 1));
}

/* Both places are looked at, whatever the first one says: a second line costs less than a
 * branch that cannot be foreseen. */
NH_FOLDED bool has_key(const struct nh_part *part, const struct nh_cuckoo_shape *t,
                       const struct nh_cuckoo_key *key, uint64_t hash)
{
    const uint64_t first = byte_of(t, key->place[0]), second = byte_of(t, key->place[1]);

    if (!is_inside(t, first, second))
        return has_any(part, hash);
    const struct words in_first = words_at(t, key->place[0], first);
    const struct words in_second = words_at(t, key->place[1], second);
    return (matches_in(t, &in_first, nh_cuckoo_value(t, key->tag, 0)) |
            matches_in(t, &in_second, nh_cuckoo_value(t, key->tag, 1))) &
           nh_cuckoo_tops(t, 0);
}

NH_FOLDED bool has(const struct nh_part *part, const struct nh_cuckoo_shape *t,
                   uint64_t hash)
{
    const struct nh_cuckoo_key key = nh_cuckoo_key_of(t, hash);

    return has_key(part, t, &key, hash);
}

/* A block's answers lie in one word. */
_Static_assert(64 % NH_AHEAD == 0, "blocks must not straddle words");

/* In blocks whose keys are worked out once, a block ahead of the one that is looked at. */
NH_FOLDED void has_many(const struct nh_part *part, const struct nh_cuckoo_shape *t,
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

/* Marks of lanes in two words as the lowest four bits. */
NH_FOLDED unsigned four_of(const struct nh_cuckoo_shape *t, uint64_t low, uint64_t high)
{
    const unsigned first = t->width - 1, second = 2 * t->width - 1;

    high &= nh_cuckoo_tops(t, 1);
    return (unsigned)((low >> first & 1) | (low >> second & 1) << 1 |
                      (high >> first & 1) << 2 | (high >> second & 1) << 3);
}

/* The empty lanes of a place: marks of one word, or four bits. */
NH_FOLDED uint64_t empty_in(const struct nh_cuckoo_shape *t, const struct words *words)
{
    const uint64_t low = nh_cuckoo_zero_lanes(t, words->low);

    return t->is_wide ? four_of(t, low, nh_cuckoo_zero_lanes(t, words->high)) : low;
}

NH_FOLDED uint64_t put(const struct nh_part *part, const struct nh_cuckoo_shape *t,
                       const struct nh_cuckoo_key *key)
{
    const uint64_t first = byte_of(t, key->place[0]), second = byte_of(t, key->place[1]);

    if (t->run_shift)
        return put_near(part, t, key);
    if (!is_inside(t, first, second))
        return nh_cuckoo_put_any(part, key);
    const struct words first_words = words_at(t, key->place[0], first);
    const struct words second_words = words_at(t, key->place[1], second);
    const uint64_t in_first = empty_in(t, &first_words);
    const uint64_t in_second = empty_in(t, &second_words);
    const bool is_emptier = n_lanes(t, in_second) > n_lanes(t, in_first);
    const bool side = nh_cuckoo_is(part, NH_CUCKOO_RANDOM) ? !in_first : is_emptier;
    const uint64_t marks = side ? in_second : in_first;
    if (!marks)
        return NH_NO_SLOT;
    const uint64_t place = side ? key->place[1] : key->place[0];
    const unsigned lane = t->is_wide ? nh_lowest_bit64(marks) : nh_cuckoo_lane(t, marks);
    const uint64_t slot = nh_cuckoo_first_slot(t, place) + lane;
    nh_cuckoo_put(t, slot,
                  nh_cuckoo_value(t, key->tag, side) + (t->is_windows ? lane : 0));
    return slot;
}

NH_FOLDED size_t put_many(const struct nh_part *part, const struct nh_cuckoo_shape *t,
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

/* ---- Kernels ------------------------------------------------------------------------ */

/* Changes, folded for a shape. */
#define PUTS(name, width, n_slots, is_windows, pairing, is_wide)                      \
    static uint64_t put_hash_##name(const struct nh_part *part, uint64_t hash,        \
                                    struct nh_cuckoo_key *key)                        \
    {                                                                                 \
        const struct nh_cuckoo_shape t =                                              \
            nh_cuckoo_unpacked(part, width, n_slots, is_windows, pairing, is_wide);   \
        *key = nh_cuckoo_key_of(&t, hash);                                            \
        return put(part, &t, key);                                                    \
    }                                                                                 \
    static size_t put_many_##name(const struct nh_part *part, const uint64_t *hashes, \
                                  size_t n, size_t at, struct nh_cuckoo_key *ring)    \
    {                                                                                 \
        const struct nh_cuckoo_shape t =                                              \
            nh_cuckoo_unpacked(part, width, n_slots, is_windows, pairing, is_wide);   \
        return put_many(part, &t, hashes, n, at, ring);                               \
    }

/* Lookups too, where places are not words. */
#define KERNEL(name, width, n_slots, is_windows, pairing, is_wide)                  \
    PUTS(name, width, n_slots, is_windows, pairing, is_wide)                        \
    static bool has_##name(const struct nh_part *part, uint64_t hash)               \
    {                                                                               \
        const struct nh_cuckoo_shape t =                                            \
            nh_cuckoo_unpacked(part, width, n_slots, is_windows, pairing, is_wide); \
        return has(part, &t, hash);                                                 \
    }                                                                               \
    static void has_many_##name(const struct nh_part *part, const uint64_t *hashes, \
                                size_t n, uint64_t *maybe)                          \
    {                                                                               \
        const struct nh_cuckoo_shape t =                                            \
            nh_cuckoo_unpacked(part, width, n_slots, is_windows, pairing, is_wide); \
        has_many(part, &t, hashes, n, maybe);                                       \
    }                                                                               \
    static const struct nh_cuckoo_kernel name = {                                   \
        has_##name, has_many_##name, put_hash_##name, put_many_##name, take_any};

/* Where they are: lookups and removals are the same for all shapes. */
#define WORD_KERNEL(name, has, has_many, take)                                          \
    static const struct nh_cuckoo_kernel name##_word = {has, has_many, put_hash_##name, \
                                                        put_many_##name, take};

#define ITS_OWN nh_cuckoo_width(part)

#define XOR    NINHO_PAIRING_XOR
#define OFFSET NINHO_PAIRING_OFFSET

PUTS(original_8, 8, 4, false, XOR, false)
PUTS(original_12, 12, 4, false, XOR, false)
PUTS(original_16, 16, 4, false, XOR, false)
PUTS(near_12, 12, 4, false, NINHO_PAIRING_NEAR, false)
PUTS(near_16, 16, 4, false, NINHO_PAIRING_NEAR, false)
PUTS(near, ITS_OWN, 4, false, NINHO_PAIRING_NEAR, false)
PUTS(windows_4_16, 16, 4, true, OFFSET, false)
KERNEL(original, ITS_OWN, 4, false, XOR, false)
KERNEL(original_wide, ITS_OWN, 4, false, XOR, true)
KERNEL(buckets_4, ITS_OWN, 4, false, OFFSET, false)
KERNEL(windows_2, ITS_OWN, 2, true, OFFSET, false)
KERNEL(windows_3, ITS_OWN, 3, true, OFFSET, false)
KERNEL(windows_3_wide, ITS_OWN, 3, true, OFFSET, true)
KERNEL(windows_4, ITS_OWN, 4, true, OFFSET, false)
KERNEL(windows_4_wide, ITS_OWN, 4, true, OFFSET, true)

WORD_KERNEL(original_8, has_xor, has_many_xor, take_xor)
WORD_KERNEL(original_12, has_xor, has_many_xor, take_xor)
WORD_KERNEL(original_16, has_xor, has_many_xor, take_xor)
WORD_KERNEL(original, has_xor, has_many_xor, take_xor)
WORD_KERNEL(near_12, has_near, has_many_near, take_near)
WORD_KERNEL(near_16, has_near, has_many_near, take_near)
WORD_KERNEL(near, has_near, has_many_near, take_near)
WORD_KERNEL(buckets_4, has_offset, has_many_offset, take_offset)
WORD_KERNEL(windows_2, has_offset, has_many_offset, take_offset)
WORD_KERNEL(windows_3, has_offset, has_many_offset, take_offset)
WORD_KERNEL(windows_4_16, has_offset, has_many_offset, take_offset)
WORD_KERNEL(windows_4, has_offset, has_many_offset, take_offset)
/* Shapes that only tables made by hand have. */
static const struct nh_cuckoo_kernel any_xor_word = {has_xor, has_many_xor, put_hash_any,
                                                     put_many_any, take_xor};
static const struct nh_cuckoo_kernel any_offset_word = {
    has_offset, has_many_offset, put_hash_any, put_many_any, take_offset};

static const struct nh_cuckoo_kernel *select_word(const struct nh_cuckoo_shape *t)
{
    if (t->run_shift)
        return t->width == 12   ? &near_12_word
               : t->width == 16 ? &near_16_word
                                : &near_word;
    if (!t->is_offset) {
        if (t->is_windows || t->n != 4)
            return &any_xor_word;
        return t->width == 8    ? &original_8_word
               : t->width == 12 ? &original_12_word
               : t->width == 16 ? &original_16_word
                                : &original_word;
    }
    if (!t->is_windows)
        return t->n == 4 ? &buckets_4_word : &any_offset_word;
    return t->n == 2        ? &windows_2_word
           : t->n == 3      ? &windows_3_word
           : t->n != 4      ? &any_offset_word
           : t->width == 16 ? &windows_4_16_word
                            : &windows_4_word;
}

const struct nh_cuckoo_kernel *nh_cuckoo_select(const struct nh_cuckoo_shape *t)
{
    if (nh_cuckoo_word_pairing(t))
        return select_word(t);
    if (t->run_shift)
        return &any;
    if (!t->ones || t->is_windows != t->is_offset)
        return t->ones && !t->is_windows && t->n == 4 && !t->is_wide ? &buckets_4 : &any;
    if (!t->is_windows)
        return t->n != 4 ? &any : t->is_wide ? &original_wide : &original;
    if (t->is_wide)
        return t->n == 3 ? &windows_3_wide : &windows_4_wide;
    return t->n == 2   ? &windows_2
           : t->n == 3 ? &windows_3
           : t->n == 4 ? &windows_4
                       : &any;
}
