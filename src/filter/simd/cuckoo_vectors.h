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

/* ninho_cuckoo_second_() and ninho_cuckoo_near_(). */
STEP VECTOR second_place(VECTOR place, VECTOR tag, const ninho_cuckoo_shape_ *shape,
                         ninho_pairing pairing)
{
    const uint64_t n_places = shape->n_places;
    VECTOR x = times_small(ADD(tag, all(1)), NINHO_CUCKOO_FIRST_FACTOR_);

    if (pairing == NINHO_PAIRING_NEAR)
        return XOR(place, OR(SHIFT_RIGHT_BY(x, all(shape->run_shift)), all(1)));
    x = times(XOR(x, SHIFT_RIGHT(x, 32)), NINHO_CUCKOO_SECOND_FACTOR_);
    const VECTOR distance = ADD(reduce(x, n_places - 1), all(1));
    return pairing == NINHO_PAIRING_OFFSET ? wrapped(ADD(place, distance), n_places)
                                           : XOR(place, AND(distance, all(n_places - 1)));
}

/* See ninho_cuckoo_lanes_(). Under near places begin with a byte, and end before the table does. */
STEP void put_place(const struct nh_part *part, struct group *group, unsigned side,
                    size_t at, VECTOR place, ninho_pairing pairing)
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;

    if (pairing == NINHO_PAIRING_NEAR) {
        store(group->byte[side] + at, MUL32(place, all(shape->stride / 8)));
        return;
    }
    const VECTOR bit = MUL32(place, all(shape->stride));
    const VECTOR byte = at_most(SHIFT_RIGHT(bit, 3), part->size - 8);

    store(group->byte[side] + at, byte);
    store(group->shift[side] + at, SUB(bit, SHIFT_LEFT(byte, 3)));
}

STEP void ask(const struct nh_part *part, const uint64_t *hashes, ninho_pairing pairing,
              struct group *group)
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;

    for (size_t i = 0; i < GROUP; i += LANES) {
        const VECTOR hash = load(hashes + i);
        const VECTOR place = reduce(hash, shape->n_places);
        const VECTOR tag =
            pairing == NINHO_PAIRING_NEAR
                ? SHIFT_RIGHT(MUL32(hash, all(shape->n_tags)), 32)
                : reduce(times(hash, NINHO_CUCKOO_TAG_FACTOR_), shape->n_tags);
        put_place(part, group, 0, i, place, pairing);
        put_place(part, group, 1, i, second_place(place, tag, shape, pairing), pairing);
        store(group->lanes + i, times_small(tag, shape->per_tag));
    }
    for (size_t i = 0; i < GROUP; i++) {
        nh_prefetch(part->body + group->byte[0][i]);
        nh_prefetch(part->body + group->byte[1][i]);
    }
}

/* Where a lane of a place is what it should be, marks at the highest bits. */
STEP VECTOR marks_at(const struct nh_part *part, const struct group *group, unsigned side,
                     size_t at, ninho_pairing pairing)
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;
    const VECTOR words = gather(part->body, load(group->byte[side] + at));
    const VECTOR lanes =
        ADD(load(group->lanes + at), all(side ? shape->second : shape->first));
    const VECTOR differs = XOR(pairing == NINHO_PAIRING_NEAR
                                   ? words
                                   : SHIFT_RIGHT_BY(words, load(group->shift[side] + at)),
                               lanes);

    return NOT_AND(differs, SUB(differs, all(shape->ones)));
}

STEP uint64_t answer(const struct nh_part *part, const struct group *group,
                     ninho_pairing pairing)
{
    const VECTOR tops = all(part->cached.cuckoo.tops);
    uint64_t answers = 0;

    for (size_t i = 0; i < GROUP; i += LANES) {
        const VECTOR marks = OR(marks_at(part, group, 0, i, pairing),
                                marks_at(part, group, 1, i, pairing));
        answers |= lanes_with(marks, tops) << i;
    }
    return answers;
}

/* While one group is looked at, the lines of the next are on their way. */
STEP size_t has_groups(const struct nh_part *part, const uint64_t *hashes, size_t n,
                       uint64_t *maybe, ninho_pairing pairing)
{
    struct group groups[2];
    size_t at = 0;

    if (n >= GROUP)
        ask(part, hashes, pairing, &groups[0]);
    for (; n - at >= GROUP; at += GROUP) {
        if (n - at >= 2 * GROUP)
            ask(part, hashes + at + GROUP, pairing, &groups[(at / GROUP + 1) % 2]);
        maybe[at / 64] |= answer(part, &groups[at / GROUP % 2], pairing) << at % 64;
    }
    return at;
}

STEP void has_all(const struct nh_part *part, const uint64_t *hashes, size_t n,
                  uint64_t *maybe, ninho_pairing pairing)
{
    for (size_t i = has_groups(part, hashes, n, maybe, pairing); i < n; i++)
        maybe[i / 64] |= (uint64_t)nh_cuckoo_has_word(part, hashes[i], pairing) << i % 64;
}

__attribute__((TARGET)) static void has_many_offset(const struct nh_part *part,
                                                    const uint64_t *hashes, size_t n,
                                                    uint64_t *maybe)
{
    has_all(part, hashes, n, maybe, NINHO_PAIRING_OFFSET);
}

__attribute__((TARGET)) static void has_many_xor(const struct nh_part *part,
                                                 const uint64_t *hashes, size_t n,
                                                 uint64_t *maybe)
{
    has_all(part, hashes, n, maybe, NINHO_PAIRING_XOR);
}

__attribute__((TARGET)) static void has_many_near(const struct nh_part *part,
                                                  const uint64_t *hashes, size_t n,
                                                  uint64_t *maybe)
{
    has_all(part, hashes, n, maybe, NINHO_PAIRING_NEAR);
}
