/* SPDX-License-Identifier: MIT */
/* Room for a key of a cuckoo filter whose two places are full: other tags must move, each
 * to the other of its own two places.
 *
 *     walk: throw a random one out of a place, put it into its other place, throwing a
 *           random one out of there, and so on (Pagh and Rodler, 2001; Fan, Andersen,
 *           Kaminsky and Mitzenmacher, 2014);
 *     bfs:  look first, from tag to tag, breadth first, until some tag's other place has
 *           an empty slot; then move the tags on the way to it, the last one first (Li,
 *           Andersen, Kaminsky and Freedman, 2014).
 *
 * Neither loses a tag. A walk that ends without room is taken back step by step from its
 * log; bfs touches nothing before it has found the way. */
#include "filter/cuckoo.h"

/* ---- Random walk ------------------------------------------------------------------- */

struct kick {
    uint64_t slot;
    uint64_t thrown_out; /* value */
};

/* Numbers for a walk (splitmix64). They follow from the key, so that a filter has no
 * state that would have to be stored. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void tell_walk(const struct nh_live *live, const struct nh_cuckoo *t,
                      const struct kick *kicks, uint64_t n_kicks, uint64_t last,
                      uint64_t tag)
{
    if (!live->observer)
        return;
    nh_tell(live, NINHO_EVENT_TAG_PLACED, 0, kicks[0].slot, tag + 1);
    for (uint64_t i = 0; i < n_kicks; i++)
        nh_tell(live, NINHO_EVENT_TAG_MOVED, kicks[i].slot,
                i + 1 < n_kicks ? kicks[i + 1].slot : last,
                (kicks[i].thrown_out - 1) / t->n_marks + 1);
}

static bool walk(const struct nh_live *live, const struct nh_cuckoo *t,
                 const struct nh_cuckoo_key *key)
{
    struct kick *const kicks = live->scratch;
    uint64_t state = key->seed;
    const unsigned side = (unsigned)(next_random(&state) >> 63);
    struct nh_cuckoo_tag tag = {key->tag, key->place[side], side};

    for (uint64_t n = 0; n < t->limit;) {
        const uint64_t slot =
            nh_cuckoo_first_slot(t, tag.place) + nh_reduce(next_random(&state), t->n);
        const struct nh_cuckoo_tag thrown_out = nh_cuckoo_tag_in(t, slot);
        kicks[n++] = (struct kick){slot, nh_cuckoo_get(t, slot)};
        nh_cuckoo_put_tag(t, slot, &tag);
        tag = thrown_out;
        uint64_t room = NH_NO_SLOT;
        if (t->is_windows) /* its own window may reach further than the one it is in */
            room = nh_cuckoo_free_slot(t, tag.place);
        if (room == NH_NO_SLOT) {
            tag.place = nh_cuckoo_other_of(t, &tag);
            tag.side ^= 1;
            room = nh_cuckoo_free_slot(t, tag.place);
        }
        if (room != NH_NO_SLOT) {
            nh_cuckoo_put_tag(t, room, &tag);
            nh_stats_path(live, n);
            tell_walk(live, t, kicks, n, room, key->tag);
            return true;
        }
    }
    for (uint64_t n = t->limit; n-- > 0;)
        nh_cuckoo_put(t, kicks[n].slot, kicks[n].thrown_out);
    live->stats->n_undone += t->limit;
    return false;
}

/* ---- Breadth first ----------------------------------------------------------------- */

/* A tag that would move from `slot` to one of its places. In windows these two are not the
 * only ones that the slot belongs to:
 *
 *     found in          [ . . s . ]
 *     its own window        [ s . . . ]         two slots more to go to
 *     its other window                                [ . . . . ] */
struct node {
    uint64_t slot;
    uint64_t other;  /* its other place */
    uint32_t parent; /* the tag that would take its slot; NO_PARENT: the new key */
    uint8_t in_own;  /* which slot of its own window this is */
    uint8_t in_seen; /* which slot of the place that it was found in */
};

#define NO_PARENT UINT32_MAX
#define NONE_SEEN (NH_NO_SLOT / 2)

/* Appends the tags of a place but for those that lie in the place that begins with slot
 * `seen`, as far as the budget goes. The line of each one's other place is asked for now:
 * by the time it is looked at it will be there. */
static uint32_t append(const struct nh_cuckoo *t, struct node *nodes, uint32_t n,
                       uint64_t place, uint64_t seen, uint32_t parent)
{
    const uint64_t first = nh_cuckoo_first_slot(t, place);

    for (unsigned i = 0; i < t->n && n < t->limit; i++) {
        if (first + i - seen < t->n)
            continue; /* they are here already */
        const struct nh_cuckoo_tag tag = nh_cuckoo_tag_in(t, first + i);
        const uint64_t other = nh_cuckoo_other_of(t, &tag);
        nh_cuckoo_prefetch(t, other);
        nodes[n++] = (struct node){
            .slot = first + i,
            .other = other,
            .parent = parent,
            .in_own = (uint8_t)(t->is_windows ? first + i - tag.place : 0),
            .in_seen = (uint8_t)i,
        };
    }
    return n;
}

/* Moves the tag in `from` to an empty slot of one of its places. */
static void move(const struct nh_live *live, const struct nh_cuckoo *t, uint64_t from,
                 uint64_t to)
{
    struct nh_cuckoo_tag tag = nh_cuckoo_tag_in(t, from);

    if (to - nh_cuckoo_first_slot(t, tag.place) >= t->n) { /* not within its own window */
        tag.place = nh_cuckoo_other_of(t, &tag);
        tag.side ^= 1;
    }
    nh_cuckoo_put_tag(t, to, &tag);
    nh_tell(live, NINHO_EVENT_TAG_MOVED, from, to, tag.tag + 1);
}

/* Moves the tags on the way from node i up, the first of them to `room`, and puts the key
 * where the last one was. No slot is twice on the way: all slots that a tag could go to
 * are appended with it or after it at once, so that from the first visit on there would
 * have been a shorter way, found before. */
static void take_path(const struct nh_live *live, const struct nh_cuckoo *t,
                      const struct node *nodes, uint32_t i, uint64_t room,
                      const struct nh_cuckoo_key *key)
{
    uint64_t n_moves = 0;

    for (;; i = nodes[i].parent) {
        move(live, t, nodes[i].slot, room);
        room = nodes[i].slot;
        n_moves++;
        if (nodes[i].parent == NO_PARENT)
            break;
    }
    const unsigned side = i >= t->n; /* the tags of place 0 were appended first */
    nh_cuckoo_put_tag(t, room, &(struct nh_cuckoo_tag){key->tag, key->place[side], side});
    nh_tell(live, NINHO_EVENT_TAG_PLACED, 0, room, key->tag + 1);
    nh_stats_path(live, n_moves);
}

static bool bfs(const struct nh_live *live, const struct nh_cuckoo *t,
                const struct nh_cuckoo_key *key)
{
    struct node *const nodes = live->scratch;
    uint32_t n = append(t, nodes, 0, key->place[0], NONE_SEEN, NO_PARENT);

    n = append(t, nodes, n, key->place[1], NONE_SEEN, NO_PARENT);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t own = nodes[i].slot - nodes[i].in_own;
        uint64_t room = NH_NO_SLOT;
        if (t->is_windows)
            room = nh_cuckoo_free_slot(t, own);
        if (room == NH_NO_SLOT)
            room = nh_cuckoo_free_slot(t, nodes[i].other);
        if (room != NH_NO_SLOT) {
            take_path(live, t, nodes, i, room, key);
            return true;
        }
        if (t->is_windows)
            n = append(t, nodes, n, own, nodes[i].slot - nodes[i].in_seen, i);
        n = append(t, nodes, n, nodes[i].other, NONE_SEEN, i);
    }
    return false;
}

/* ---- Either ------------------------------------------------------------------------ */

size_t nh_cuckoo_scratch_size(bool is_walk, uint32_t limit)
{
    return limit * (is_walk ? sizeof(struct kick) : sizeof(struct node));
}

/* Whether every slot of both places holds a copy of the key itself: no search would help,
 * and a million copies of one key must not cost a million searches. */
static bool holds_nothing_else(const struct nh_cuckoo *t, const struct nh_cuckoo_key *key)
{
    for (unsigned i = 0; i < 2 * t->n; i++) {
        const uint64_t first = nh_cuckoo_first_slot(t, key->place[i / t->n]);
        const struct nh_cuckoo_tag tag = nh_cuckoo_tag_in(t, first + i % t->n);
        const bool is_at_home =
            t->is_offset ? tag.place == key->place[tag.side]
                         : tag.place == key->place[0] || tag.place == key->place[1];
        if (tag.tag != key->tag || !is_at_home)
            return false;
    }
    return true;
}

bool nh_cuckoo_search(const struct nh_live *live, const struct nh_cuckoo *t,
                      const struct nh_cuckoo_key *key)
{
    live->stats->n_searches++;
    if (!holds_nothing_else(t, key) &&
        (t->is_walk ? walk(live, t, key) : bfs(live, t, key)))
        return true;
    live->stats->n_failed++;
    return false;
}
