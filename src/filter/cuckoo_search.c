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

/* Walks until there is room, for `limit` kicks at most, by numbers that follow from the key.
 * Returns how many kicks it took, and in *room where the last tag went; 0 if there was none.
 * Keeps a log if there is one, and tells the observer if there is one. */
static uint64_t walk_on(const struct nh_live *live, const struct nh_cuckoo_shape *t,
                        const struct nh_cuckoo_key *key, struct kick *log, uint64_t *room)
{
    uint64_t state = key->seed, from = NH_NO_SLOT;
    const unsigned side = (unsigned)(ninho_splitmix64(&state) >> 63);
    struct nh_cuckoo_tag tag = {key->tag, key->place[side], side};

    for (uint64_t n = 0; n < t->limit; n++) {
        const uint64_t slot = nh_cuckoo_first_slot(t, tag.place) +
                              nh_reduce(ninho_splitmix64(&state), t->n);
        const struct nh_cuckoo_tag thrown_out = nh_cuckoo_tag_in(t, slot);
        if (log)
            log[n] = (struct kick){slot, nh_cuckoo_get(t, slot)};
        nh_tell_slots(live, n ? NINHO_EVENT_TAG_MOVED : NINHO_EVENT_TAG_PLACED, from,
                      slot, tag.tag + 1);
        nh_cuckoo_put_tag(t, slot, &tag);
        from = slot;
        tag = thrown_out;
        *room = NH_NO_SLOT;
        if (t->is_windows) /* its own window may reach further than the one it is in */
            *room = nh_cuckoo_free_slot(t, tag.place);
        if (*room == NH_NO_SLOT) {
            tag.place = nh_cuckoo_other_of(t, &tag);
            tag.side ^= 1;
            *room = nh_cuckoo_free_slot(t, tag.place);
        }
        if (*room != NH_NO_SLOT) {
            nh_tell_slots(live, NINHO_EVENT_TAG_MOVED, from, *room, tag.tag + 1);
            nh_cuckoo_put_tag(t, *room, &tag);
            return n + 1;
        }
    }
    return 0;
}

/* What it takes to take a walk back: a log of its kicks or, of a table that is smaller than
 * that would be, the table itself. So a small table never needs much memory, whatever its
 * limit is. */
static ninho_status walk(const struct nh_live *live, const struct nh_cuckoo_shape *t,
                         const struct nh_cuckoo_key *key)
{
    const size_t log_size = t->limit * sizeof(struct kick);
    const bool is_small = t->size < log_size;
    void *const scratch = nh_live_scratch(live, is_small ? (size_t)t->size : log_size);
    struct kick *const log = is_small ? NULL : scratch;
    struct nh_live quiet = *live;
    uint64_t room;

    if (!scratch)
        return NINHO_ERR_NOMEM;
    if (is_small)
        memcpy(scratch, t->body, (size_t)t->size);
    quiet.observer = NULL;
    const uint64_t n_kicks = walk_on(&quiet, t, key, log, &room);
    if (n_kicks)
        nh_stats_path(live, n_kicks);
    if (n_kicks && !live->observer)
        return NINHO_OK;
    if (is_small)
        memcpy(t->body, scratch, (size_t)t->size);
    else if (n_kicks)
        nh_cuckoo_put(t, room, 0);
    for (uint64_t n = is_small ? 0 : n_kicks ? n_kicks : t->limit; n-- > 0;)
        nh_cuckoo_put(t, log[n].slot, log[n].thrown_out);
    if (n_kicks) { /* an observer is told of walks that succeed: the same one again */
        walk_on(live, t, key, NULL, &room);
        return NINHO_OK;
    }
    live->stats->undone_last = t->limit;
    return NINHO_ERR_FULL;
}

/* ---- Breadth first ----------------------------------------------------------------- */

/* A place whose tags might make room. Each of them could move to the other of its places
 * or, in windows, within its own window, which is not always the one it was found in:
 *
 *     found in          [ . . s . ]
 *     its own window        [ s . . . ]         two slots more to go to
 *     its other window                                [ . . . . ]
 *
 * `other` and `in_own` (which slot of its own window a tag is in) are filled in when the
 * turn of the place is near, and the lines of the other places are asked for then. */
/* Tags that are looked at together: those of larger buckets are cut in pieces. */
#define PIECE 4

struct node {
    uint64_t first;  /* slot */
    uint32_t parent; /* node of the tag that would come here; NO_PARENT: the new key */
    uint8_t by;      /* which tag of the parent */
    uint8_t from, n; /* of its slots, those from `from` on, n of them, are new */
    uint8_t in_own[PIECE];
    uint64_t other[PIECE];
};

#define NO_PARENT UINT32_MAX
#define NEAR      2 /* turns: further ahead more is prepared in vain than waited for */

/* The node and the tag in it that would move to the empty slot `room`. */
struct path {
    uint64_t room;
    uint32_t node;
    unsigned tag;
};

NH_FOLDED void make_ready(const struct nh_cuckoo_shape *t, struct node *node)
{
    for (unsigned i = 0; i < node->n; i++) {
        const uint64_t slot = node->first + node->from + i;
        const struct nh_cuckoo_tag tag = nh_cuckoo_tag_in(t, slot);
        node->other[i] = nh_cuckoo_other_of(t, &tag);
        node->in_own[i] = (uint8_t)(t->is_windows ? slot - tag.place : 0);
        nh_cuckoo_prefetch(t, node->other[i]);
    }
}

/* Appends the slots of a place from number `from` on, n of them. */
NH_FOLDED uint32_t append(struct node *nodes, uint32_t n_nodes, uint64_t first,
                          unsigned from, unsigned n, uint32_t parent, unsigned by)
{
    while (n > 0) {
        const unsigned some = n < PIECE ? n : PIECE;
        struct node *const node = &nodes[n_nodes++];
        node->first = first;
        node->parent = parent;
        node->by = (uint8_t)by;
        node->from = (uint8_t)from;
        node->n = (uint8_t)some;
        from += some;
        n -= some;
    }
    return n_nodes;
}

/* Finds the shortest way to an empty slot. NINHO_ERR_FULL if there is none within the
 * budget, NINHO_ERR_SPACE if room for more than max_nodes nodes, and those that the last
 * one leads to, would be needed to know. */
NH_FOLDED ninho_status find_path(const struct nh_cuckoo_shape *t, struct node *nodes,
                                 uint32_t max_nodes, const struct nh_cuckoo_key *key,
                                 struct path *path)
{
    const uint64_t second = nh_cuckoo_first_slot(t, key->place[1]);
    uint32_t n =
        append(nodes, 0, nh_cuckoo_first_slot(t, key->place[0]), 0, t->n, NO_PARENT, 0);
    uint32_t n_tags = 0, n_ready = 0;

    n = append(nodes, n, second, 0, t->n, NO_PARENT, 1);
    for (uint32_t at = 0; at < n; at++) {
        const struct node *const node = &nodes[at];
        while (n_ready < n && n_ready <= at + NEAR)
            make_ready(t, &nodes[n_ready++]);
        for (unsigned i = 0; i < node->n && n_tags < t->limit; i++, n_tags++) {
            const unsigned in_seen = node->from + i, in_own = node->in_own[i];
            const uint64_t own = node->first + in_seen - in_own;
            const uint64_t other = nh_cuckoo_first_slot(t, node->other[i]);
            uint64_t room = NH_NO_SLOT;
            if (t->is_windows && in_own != in_seen)
                room = nh_cuckoo_free_slot(t, own);
            if (room == NH_NO_SLOT)
                room = nh_cuckoo_free_slot(t, node->other[i]);
            if (room != NH_NO_SLOT) {
                *path = (struct path){room, at, i};
                return NINHO_OK;
            }
            if (n >= max_nodes) {
                if (n < t->limit)
                    return NINHO_ERR_SPACE;
                continue; /* enough of them for the rest of the budget */
            }
            /* Its own window is `in_seen - in_own` slots to the right of the one that was
             * seen, or to the left. */
            if (t->is_windows && in_own < in_seen)
                n = append(nodes, n, own, t->n - (in_seen - in_own), in_seen - in_own, at,
                           i);
            if (t->is_windows && in_own > in_seen)
                n = append(nodes, n, own, 0, in_own - in_seen, at, i);
            n = append(nodes, n, other, 0, t->n, at, i);
        }
        if (n_tags == t->limit)
            break;
    }
    return NINHO_ERR_FULL;
}

/* Moves the tag in `from` to an empty slot of one of its places. */
static void move(const struct nh_live *live, const struct nh_cuckoo_shape *t,
                 uint64_t from, uint64_t to)
{
    struct nh_cuckoo_tag tag = nh_cuckoo_tag_in(t, from);

    if (to - nh_cuckoo_first_slot(t, tag.place) >= t->n) { /* not within its own window */
        tag.place = nh_cuckoo_other_of(t, &tag);
        tag.side ^= 1;
    }
    nh_cuckoo_put_tag(t, to, &tag);
    if (live->sharing)
        nh_cuckoo_has_moved(live, t, &tag);
    nh_tell_slots(live, NINHO_EVENT_TAG_MOVED, from, to, tag.tag + 1);
}

/* find_path for the shapes that the planner gives, and for all others. */
static ninho_status find_path_by_shape(const struct nh_cuckoo_shape *table,
                                       struct node *nodes, uint32_t max_nodes,
                                       const struct nh_cuckoo_key *key, struct path *path)
{
    struct nh_cuckoo_shape t = *table;

    if (t.run_shift && t.ones) {
        t.is_windows = t.is_offset = t.is_wide = false;
        t.is_narrow = true;
        t.n = t.step = 4;
        t.n_offsets = t.n_marks = 1;
        t.n_per_side = 0;
        return find_path(&t, nodes, max_nodes, key, path);
    }
    if (!t.is_windows || !t.is_offset || !t.ones || !(t.is_narrow || t.is_wide))
        return find_path(&t, nodes, max_nodes, key, path);
    t.is_windows = t.is_offset = true;
    t.step = 1;
    if (t.is_wide && t.n == 4) {
        t.is_wide = true;
        t.n = t.n_offsets = t.n_per_side = 4;
        t.n_marks = 8;
        return find_path(&t, nodes, max_nodes, key, path);
    }
    if (t.is_wide)
        return find_path(&t, nodes, max_nodes, key, path);
    t.is_wide = false;
    t.is_narrow = true;
    if (t.n == 2) {
        t.n = t.n_offsets = t.n_per_side = 2;
        t.n_marks = 4;
        return find_path(&t, nodes, max_nodes, key, path);
    }
    if (t.n == 3) {
        t.n = t.n_offsets = t.n_per_side = 3;
        t.n_marks = 6;
        return find_path(&t, nodes, max_nodes, key, path);
    }
    t.n = t.n_offsets = t.n_per_side = 4;
    t.n_marks = 8;
    if (t.width == 16) {
        t.width = 16;
        t.ones = UINT64_C(0x0001000100010001);
        return find_path(&t, nodes, max_nodes, key, path);
    }
    return find_path(&t, nodes, max_nodes, key, path);
}

#define FIRST_NODES 128 /* most searches need fewer */

/* Finds a way with as many nodes as there is memory for from earlier searches, and begins
 * anew with four times as many if they are not enough. */
static ninho_status find_path_in_scratch(const struct nh_live *live,
                                         const struct nh_cuckoo_shape *t,
                                         const struct nh_cuckoo_key *key,
                                         struct path *path)
{
    /* There is a tag in every node, so that no more nodes than the limit are ever needed;
     * the last tag before that leads to two more places at most, and the first two are
     * there whatever the limit. */
    const size_t n_pieces = t->n / PIECE + (t->n % PIECE != 0), n_more = 4 * n_pieces;
    size_t n_nodes = live->scratch->size / sizeof(struct node);
    ninho_status status;

    n_nodes = n_nodes > n_more ? n_nodes - n_more : FIRST_NODES;
    for (;; n_nodes *= 4) {
        if (n_nodes > t->limit)
            n_nodes = t->limit;
        struct node *const nodes =
            nh_live_scratch(live, (n_nodes + n_more) * sizeof *nodes);
        if (!nodes)
            return NINHO_ERR_NOMEM;
        status = find_path_by_shape(t, nodes, (uint32_t)n_nodes, key, path);
        if (status != NINHO_ERR_SPACE)
            return status;
    }
}

/* Moves the tags on the way, the one next to the room first, and puts the key where the
 * last one was. No slot is twice on the way. All slots that a tag could go to are in the
 * queue at the latest when it has been looked at: those of its other place and the new ones
 * of its own window are appended then, and the rest of its window lies in the place that it
 * was found in, which was appended before. So from the first visit on there would have been
 * a shorter way, found before. */
static ninho_status bfs(const struct nh_live *live, const struct nh_cuckoo_shape *t,
                        const struct nh_cuckoo_key *key)
{
    struct path path;
    uint64_t n_moves = 0;

    const ninho_status status = find_path_in_scratch(live, t, key, &path);
    if (status)
        return status;
    const struct node *const nodes = live->scratch->bytes;
    for (;;) {
        const struct node *const node = &nodes[path.node];
        const uint64_t slot = node->first + node->from + path.tag;
        move(live, t, slot, path.room);
        n_moves++;
        path = (struct path){slot, node->parent, node->by};
        if (node->parent == NO_PARENT)
            break;
    }
    const unsigned side = path.tag; /* of a place of the key's: which one */
    nh_cuckoo_put_tag(t, path.room,
                      &(struct nh_cuckoo_tag){key->tag, key->place[side], side});
    nh_tell_slots(live, NINHO_EVENT_TAG_PLACED, 0, path.room, key->tag + 1);
    nh_stats_path(live, n_moves);
    return NINHO_OK;
}

/* ---- Either ------------------------------------------------------------------------ */

/* No search would help, and a million copies of one key must not cost a million
 * searches. */
bool nh_cuckoo_is_own_obstacle(const struct nh_cuckoo_shape *t,
                               const struct nh_cuckoo_key *key)
{
    for (unsigned side = 0; side < 2; side++) {
        const uint64_t first = nh_cuckoo_first_slot(t, key->place[side]);
        const uint64_t value = nh_cuckoo_value(t, key->tag, side);
        for (unsigned i = 0; i < t->n; i++)
            if (nh_cuckoo_get(t, first + i) != value + (t->is_windows ? i : 0))
                return false;
    }
    return true;
}

ninho_status nh_cuckoo_search(const struct nh_live *live, const struct nh_cuckoo_shape *t,
                              const struct nh_cuckoo_key *key)
{
    ninho_status status = NINHO_ERR_FULL;

    live->stats->undone_last = 0;
    if (!nh_cuckoo_is_own_obstacle(t, key))
        status = t->is_walk ? walk(live, t, key) : bfs(live, t, key);
    if (status == NINHO_ERR_NOMEM)
        return status;
    live->stats->n_searches++;
    live->stats->n_failed += status == NINHO_ERR_FULL;
    live->stats->n_undone += live->stats->undone_last;
    return status;
}
