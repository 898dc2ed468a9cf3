/* SPDX-License-Identifier: MIT */
/* Lookups of several keys at a time: their places by 32-bit products, their words by gathering. Included
 * by one source for each instruction set, which defines before it
 *
 *     VECTOR, LANES             a vector of so many words
 *     GROUP                     keys whose lines are on their way
 *     TARGET, STEP              the attribute of its functions, and the beginning of inlined ones
 *     ADD, SUB, XOR, AND, ...   operations on words: MUL32 of their low halves, NOT_AND of (not a) and b
 *     all, load, store          a word in every lane; words of memory
 *     times, times_small        the low half of a product, of numbers below 2^32
 *     at_most, wrapped          the lesser of a and a limit; a, less n where it is not below n (a < 2n)
 *     gather                    words at these bytes of a table
 *     lanes_with                one bit for each lane that has a bit in common with the second */

/* A group of keys: for each of its two places the byte that a word is loaded from and how far it
 * is shifted, and what the key's tag adds to the lanes. */
struct group {
    uint64_t byte[2][GROUP], shift[2][GROUP], lanes[GROUP];
};

/* nh_reduce() for n below 2^32. */
STEP VECTOR reduce(VECTOR x, uint64_t n)
{
    return SHIFT_RIGHT(
        ADD(SHIFT_RIGHT(MUL32(x, all(n)), 32), MUL32(SHIFT_RIGHT(x, 32), all(n))), 32);
}

/* ninho_cuckoo_second_(). */
STEP VECTOR second_place(VECTOR place, VECTOR tag, uint64_t n_places, bool is_offset)
{
    VECTOR x = times_small(ADD(tag, all(1)), NINHO_CUCKOO_FIRST_FACTOR_);

    x = times(XOR(x, SHIFT_RIGHT(x, 32)), NINHO_CUCKOO_SECOND_FACTOR_);
    const VECTOR distance = ADD(reduce(x, n_places - 1), all(1));
    return is_offset ? wrapped(ADD(place, distance), n_places)
                     : XOR(place, AND(distance, all(n_places - 1)));
}

/* See ninho_cuckoo_lanes_(). */
STEP void put_place(const struct nh_part *part, struct group *group, unsigned side,
                    size_t at, VECTOR place)
{
    const VECTOR bit = MUL32(place, all(part->cached.cuckoo.stride));
    const VECTOR byte = at_most(SHIFT_RIGHT(bit, 3), part->size - 8);

    store(group->byte[side] + at, byte);
    store(group->shift[side] + at, SUB(bit, SHIFT_LEFT(byte, 3)));
}

STEP void ask(const struct nh_part *part, const uint64_t *hashes, bool is_offset,
              struct group *group)
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;

    for (size_t i = 0; i < GROUP; i += LANES) {
        const VECTOR hash = load(hashes + i);
        const VECTOR place = reduce(hash, shape->n_places);
        const VECTOR tag = reduce(times(hash, NINHO_CUCKOO_TAG_FACTOR_), shape->n_tags);
        put_place(part, group, 0, i, place);
        put_place(part, group, 1, i,
                  second_place(place, tag, shape->n_places, is_offset));
        store(group->lanes + i, times_small(tag, shape->per_tag));
    }
    for (size_t i = 0; i < GROUP; i++) {
        nh_prefetch(part->body + group->byte[0][i]);
        nh_prefetch(part->body + group->byte[1][i]);
    }
}

/* Where a lane of a place is what it should be, marks at the highest bits. */
STEP VECTOR marks_at(const struct nh_part *part, const struct group *group, unsigned side,
                     size_t at)
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;
    const VECTOR words = gather(part->body, load(group->byte[side] + at));
    const VECTOR lanes =
        ADD(load(group->lanes + at), all(side ? shape->second : shape->first));
    const VECTOR differs =
        XOR(SHIFT_RIGHT_BY(words, load(group->shift[side] + at)), lanes);

    return NOT_AND(differs, SUB(differs, all(shape->ones)));
}

STEP uint64_t answer(const struct nh_part *part, const struct group *group)
{
    const VECTOR tops = all(part->cached.cuckoo.tops);
    uint64_t answers = 0;

    for (size_t i = 0; i < GROUP; i += LANES) {
        const VECTOR marks = OR(marks_at(part, group, 0, i), marks_at(part, group, 1, i));
        answers |= lanes_with(marks, tops) << i;
    }
    return answers;
}

/* While one group is looked at, the lines of the next are on their way. */
STEP size_t has_groups(const struct nh_part *part, const uint64_t *hashes, size_t n,
                       uint64_t *maybe, bool is_offset)
{
    struct group groups[2];
    size_t at = 0;

    if (n >= GROUP)
        ask(part, hashes, is_offset, &groups[0]);
    for (; n - at >= GROUP; at += GROUP) {
        if (n - at >= 2 * GROUP)
            ask(part, hashes + at + GROUP, is_offset, &groups[(at / GROUP + 1) % 2]);
        maybe[at / 64] |= answer(part, &groups[at / GROUP % 2]) << at % 64;
    }
    return at;
}

__attribute__((TARGET)) static void has_many_offset(const struct nh_part *part,
                                                    const uint64_t *hashes, size_t n,
                                                    uint64_t *maybe)
{
    for (size_t i = has_groups(part, hashes, n, maybe, true); i < n; i++)
        maybe[i / 64] |= (uint64_t)nh_cuckoo_has_word(part, hashes[i], true) << i % 64;
}

__attribute__((TARGET)) static void has_many_xor(const struct nh_part *part,
                                                 const uint64_t *hashes, size_t n,
                                                 uint64_t *maybe)
{
    for (size_t i = has_groups(part, hashes, n, maybe, false); i < n; i++)
        maybe[i / 64] |= (uint64_t)nh_cuckoo_has_word(part, hashes[i], false) << i % 64;
}
