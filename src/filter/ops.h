/* SPDX-License-Identifier: MIT */
/* The private interface between the front door (filter.c) and the families.
 *
 * A filter is a list of *parts*, each one table with its geometry: one part for most
 * kinds, several for those that grow by adding tables. A family works on one part and
 * knows nothing of files, keys, allocators or other parts:
 *
 *     ninho_filter ---- parts[0] ---- body (bytes exactly as in a file)
 *          |       `--- parts[1] ---- body
 *          |
 *          +-- family:      what the filter is        (scalable)
 *          +-- part_family: what each of its parts is (blocked); the same for most
 *
 * docs/add-a-family.md walks through what a new family takes. */
#ifndef NH_FILTER_OPS_H
#define NH_FILTER_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/filter.h>
#include <ninho/kernels.h>
#include <ninho/kernels_ribbon.h>

#include "base/alloc.h"
#include "format/frame.h"

/* The largest count or part's count that is stored. No real filter has as many keys, and
 * from here one could never wrap. */
#define NH_MAX_COUNT    (UINT64_C(1) << 60)
#define NH_MAX_CAPACITY (UINT64_C(1) << 48) /* that can be asked for */

#define NH_BARE_TAIL 10 /* bytes behind a bare table, at most */

struct nh_part {
    uint8_t *body; /* any alignment in views, a cache line's otherwise */
    uint64_t size; /* bytes of the body */
    uint64_t n_cells;
    uint64_t stored[2]; /* two words of the family's own, which files keep */
    uint64_t capacity;
    uint64_t count;
    /* The family's has, or what it chose instead for this table; set by nh_attach */
    bool (*has)(const struct nh_part *part, uint64_t hash);
    const void *kernel; /* the family's choice for this machine; set by attach */
    union {             /* what the family works out from the rest, in attach */
        ninho_cuckoo_shape_ cuckoo;
        ninho_ribbon_shape_ ribbon;
        struct {
            uint64_t region, inside, turn;
        } fuse;
        struct nh_quotient_table { /* see quotient_table.h */
            uint8_t *body;
            uint64_t n_fingerprints; /* n 2^r: a fingerprint is a number below */
            uint64_t n_blocks;
            uint64_t ones, tops; /* of the remainders that a word is sure to hold: their
                                    lowest and their highest bits */
            unsigned r;          /* bits of a remainder */
            unsigned stride;     /* bytes of a block */
        } quotient;
    } cached;
    uint32_t n_hashes;
    uint16_t number; /* in files, of a kind that has several; see struct nh_family */
    bool is_bare;    /* from bare bytes, which do not say how many keys there are */
    struct nh_table table; /* owned memory; empty in views */
};

/* What adding took; see ninho_stats. */
struct nh_stats {
    uint64_t n_searches, n_moves, longest_path, n_failed, n_undone;
    uint64_t undone_last; /* of n_undone, by the last add that failed */
};

/* The last add failed, and will be tried elsewhere. */
static inline void nh_stats_forget_failure(struct nh_stats *stats)
{
    stats->n_searches--;
    stats->n_failed--;
    stats->n_undone -= stats->undone_last;
}

/* Memory that changes keep from call to call; none before the first that needs some. */
struct nh_scratch {
    void *bytes;
    size_t size;
};

/* What a change needs beside the part: who is told about elementary steps, who counts
 * them, memory to search in, and where a table that grows in place gets its memory. */
struct nh_live {
    ninho_observer observer;
    void *context;
    bool (*is_stopped)(void *context); /* of a long construction; may be NULL */
    void *stop_context;
    const ninho_alloc *alloc;
    const ninho_pages *pages;
    struct nh_stats *stats;
    uint64_t first_slot; /* of the table that changes, counted through all tables */
    struct nh_scratch *scratch; /* see nh_live_scratch() */
    struct nh_sharing *sharing; /* with readers (sharing.h); NULL: it has none */
};

/* shared.c: whether a list of tables could be published; and takes a table away that readers may
 * still look at, or frees it. */
bool nh_sharing_reserve(const struct nh_live *live);
void nh_live_free_table(const struct nh_live *live, struct nh_table *table);

/* Looks a key up in a table that the writer is changing. */
struct nh_marks;
typedef bool (*nh_has_beside)(const struct nh_part *part, uint64_t hash,
                              struct nh_marks *marks);

/* At least `size` bytes of memory that holds nothing and stays until the filter is freed;
 * NULL if there is not so much. What there was before is given back first, so that the two never
 * take memory together. */
static inline void *nh_live_scratch(const struct nh_live *live, size_t size)
{
    struct nh_scratch *const scratch = live->scratch;

    if (size <= scratch->size)
        return scratch->bytes;
    nh_alloc_free(live->alloc, scratch->bytes, scratch->size);
    scratch->bytes = live->alloc->alloc(live->alloc->context, size);
    scratch->size = scratch->bytes ? size : 0;
    return scratch->bytes;
}

/* A zeroed table like the filter's own; false if there is no memory, or not so much of
 * it. */
static inline bool nh_live_table(const struct nh_live *live, uint64_t size,
                                 struct nh_table *table)
{
    return (!live->sharing || nh_sharing_reserve(live)) && size <= SIZE_MAX &&
           nh_table_alloc(live->alloc, (size_t)size, *live->pages == NINHO_PAGES_AUTO,
                          table);
}

static inline void nh_tell(const struct nh_live *live, ninho_event_type type,
                           uint64_t from, uint64_t to, uint64_t value)
{
    if (live->observer) {
        const ninho_event event = {type, from, to, value};
        live->observer(live->context, &event);
    }
}

/* The same of slots, of which one number may be missing. */
static inline void nh_tell_slots(const struct nh_live *live, ninho_event_type type,
                                 uint64_t from, uint64_t to, uint64_t value)
{
    nh_tell(live, type, type == NINHO_EVENT_TAG_PLACED ? 0 : live->first_slot + from,
            type == NINHO_EVENT_TAG_REMOVED ? 0 : live->first_slot + to, value);
}

/* An add that moved so many tags has succeeded. */
static inline void nh_stats_path(const struct nh_live *live, uint64_t n_moves)
{
    live->stats->n_moves += n_moves;
    if (n_moves > live->stats->longest_path)
        live->stats->longest_path = n_moves;
}

/* What a pass over a table tells. */
struct nh_tally {
    uint64_t used;   /* cells in use */
    uint64_t cells;  /* of how many */
    uint64_t copies; /* keys stored, copies included; 0 where the table does not tell */
    double fpr;      /* for a uniformly random absent key, as the table stands */
    double n_keys;   /* estimate of the distinct keys; infinite if every cell is used */
};

/* The options of a spec that not every kind takes. */
enum nh_option {
    NH_TAKES_BITS = 1,
    NH_TAKES_HASHES = 2,
    NH_TAKES_K_RULE = 4,
    NH_TAKES_BASE = 8,
    NH_TAKES_GROWTH = 16,
    NH_TAKES_MAX_CAPACITY = 32,
    NH_TAKES_TAG_BITS = 64,
    NH_TAKES_ARITY = 128,
    NH_TAKES_CUCKOO = 256, /* the four choices of a cuckoo filter, with their numbers */
    NH_TAKES_SLOTS = 512,
};

struct nh_family {
    ninho_kind kind;
    /* The number of the layout that is written, of a kind that has had another before under its
     * own number; 0 for the others. A part has one of the two. */
    uint16_t number;
    uint32_t can;   /* NINHO_CAN_* */
    uint32_t takes; /* NH_TAKES_*: others are refused before `plan` sees them */
    /* part->count is what lies in the table, not how often was added */
    bool counts_itself;
    bool can_be_base; /* of a scalable filter */
    const char *name;
    const char *summary;

    /* Geometry from a spec whose common fields were checked: fills size, n_cells, stored,
     * n_hashes; capacity is there already. Allocates nothing. */
    ninho_status (*plan)(const ninho_spec *spec, struct nh_part *part,
                         ninho_error *error);
    /* The reverse: what to write into a spec so that `plan` gives this geometry again. */
    void (*spec_back)(const struct nh_part *part, ninho_spec *spec);
    /* Expected fpr with that many distinct keys in it. */
    double (*expected_fpr)(const struct nh_part *part, double n_keys);
    /* Advice for `plan`, or NULL. */
    const char *(*note)(const struct nh_part *part, double fpr);
    /* Whether geometry read from a file is possible and agrees with its size. */
    bool (*fits)(const struct nh_part *part);
    /* Called once the body is there (NULL: nothing to do). */
    void (*attach)(struct nh_part *part);
    /* Capabilities that a table of this geometry lacks (NULL: none). */
    uint32_t (*cannot)(const struct nh_part *part);
    /* Bits of a tag (NULL: the kind has none). */
    uint32_t (*tag_bits)(const struct nh_part *part);
    /* Kinds whose table grows in place: turns the geometry (not the body) back into what
     * `plan` made, and whether it can grow beyond that at all. NULL for the others. */
    void (*as_created)(struct nh_part *part);
    bool (*grows)(const struct nh_part *part);

    bool (*has)(const struct nh_part *part, uint64_t hash);
    /* Asks for the lines that has and add will touch. Kinds with this may leave has_many
     * and add_many out: the front door then takes the keys in groups. */
    void (*prefetch)(const struct nh_part *part, uint64_t hash);
    /* What looks a key up beside the writer (sharing.h); NULL, or it answers NULL: the
     * table must not be read while it changes. */
    nh_has_beside (*beside)(const struct nh_part *part);
    /* ORs the answers into maybe[]. */
    void (*has_many)(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe);
    uint64_t (*copies)(const struct nh_part *part, uint64_t hash);
    /* Over one table, or over the union of two of equal geometry (`other` may be
     * NULL). */
    void (*tally)(const struct nh_part *part, const struct nh_part *other,
                  struct nh_tally *tally);
    /* Invariants of the body that `fits` cannot see. */
    ninho_status (*verify)(const struct nh_part *part, ninho_error *error);
    /* Stored fingerprints one by one; *cursor starts at 0. NULL where the kind keeps
     * none. */
    bool (*next_fingerprint)(const struct nh_part *part, uint64_t *cursor,
                             uint64_t *fingerprint);

    /* Changes. They keep part->count. NULL where the kind cannot. */
    ninho_status (*add)(const struct nh_live *live, struct nh_part *part, uint64_t hash);
    ninho_status (*add_many)(const struct nh_live *live, struct nh_part *part,
                             const uint64_t *hashes, size_t n,
                             size_t *n_added); /* only without an observer */
    /* Adds beside others that do so and beside readers. It neither counts nor tells. */
    void (*add_shared)(const struct nh_part *part, const uint64_t *hashes, size_t n);
    /* has and add in one pass (NULL: one after the other). */
    ninho_status (*has_and_add)(const struct nh_live *live, struct nh_part *part,
                                uint64_t hash, bool *was_there);
    ninho_status (*remove)(const struct nh_live *live, struct nh_part *part,
                           uint64_t hash);
    ninho_status (*unite)(const struct nh_live *live, struct nh_part *target,
                          const struct nh_part *source);
    /* Moves keys of the source, from *cursor on, to the target, whose places divide its
     * own; see ninho_filter_move(). NULL where the kind cannot. */
    ninho_status (*move)(const struct nh_live *live, struct nh_part *target,
                         struct nh_part *source, uint64_t *cursor, uint64_t n_slots,
                         ninho_error *error);
    /* See ninho_filter_is_crowded(). NULL: a table that refuses n_more keys is full. */
    bool (*is_crowded)(const struct nh_part *part, uint64_t n_more);
    /* Static kinds: fills an empty table with these keys. */
    ninho_status (*build)(const struct nh_live *live, struct nh_part *part,
                          const uint64_t *hashes, size_t n, ninho_error *error);

    /* The bare encoding is the body and these bytes; returns how many. */
    unsigned (*bare_tail)(const struct nh_part *part, uint8_t tail[NH_BARE_TAIL]);
    /* Geometry (size too) from bare bytes; false if they cannot be ours. The capacity is
     * there already if the host gave one, otherwise 0; whoever can tell it from the size
     * may. */
    bool (*bare_fits)(const uint8_t *bytes, size_t size, struct nh_part *part);
    /* NULL, or bare_fits, fits and has in one: with all three in sight the compiler keeps the
     * part in registers, which is worth it for hosts that ask many small filters once. */
    bool (*has_bare)(const uint8_t *bytes, size_t size, uint64_t hash);

    /* Kinds whose tables nest, for growth with removal (scalable.c). The geometry of a
     * table `growth` times as large as the one before it in the list, for that fpr; false
     * if there is none. And whether a table from a file is such a one; `before` is NULL
     * for the first, or only, one. */
    bool (*nest)(const struct nh_part *before, uint32_t growth, double fpr,
                 struct nh_part *part);
    bool (*is_nested)(const struct nh_part *before, uint32_t growth,
                      const struct nh_part *part);
    /* Whether nothing but copies of this key stands in its way: a larger table would be
     * filled by them likewise. */
    bool (*is_own_obstacle)(const struct nh_part *part, uint64_t hash);

    /* Kinds made of parts of another family have this instead of most of the above. */
    const struct nh_compound *compound;
};

/* What a spec comes to. */
struct nh_geometry {
    const struct nh_family *family, *part_family;
    uint64_t options; /* the frame's option word */
    double fpr;       /* the target */
    struct nh_part first;
};

/* A kind whose filters are lists of parts of another family. */
struct nh_compound {
    /* The family of the parts, from the frame's option word; NULL if that is invalid. */
    const struct nh_family *(*part_family_of)(uint64_t options);
    /* As a family's, for the whole; `family`, `fpr` and the first part's capacity are there
     * already. */
    ninho_status (*plan)(const ninho_spec *spec, struct nh_geometry *geometry,
                         ninho_error *error);
    void (*spec_back)(const ninho_filter *filter, ninho_spec *spec);
    const char *(*note)(const struct nh_geometry *geometry);
    /* Refuses parts from a file, each of which fits by itself, that do not fit together. */
    ninho_status (*check_parts)(const ninho_filter *filter, uint32_t n_parts,
                                ninho_error *error);
    ninho_status (*add)(ninho_filter *filter, uint64_t hash);
    ninho_status (*add_many)(ninho_filter *filter, const uint64_t *hashes, size_t n,
                             size_t *n_added);
};

/* The body is there. */
static inline void nh_attach(const struct nh_family *part_family, struct nh_part *part)
{
    part->has = part_family->has;
    if (part_family->attach)
        part_family->attach(part);
}

struct ninho_filter {
    const struct nh_family *family;
    const struct nh_family *part_family;
    struct nh_part *parts; /* &only, or an array of NH_MAX_PARTS */
    uint32_t n_parts;
    struct nh_part only;
    struct nh_live live;
    struct nh_stats stats;
    struct nh_scratch scratch;
    ninho_alloc alloc;
    ninho_pages pages;

    /* Set by nh_filter_hash_with(), but for the secret */
    ninho_hasher hasher;
    ninho_key_encoding key_encoding;
    bool takes_words;   /* whether a key may have 8 bytes, and XXH3 hashes it */
    uint64_t word_flip; /* see ninho_xxh3_word_() */
    uint64_t key_check; /* 0: not keyed */
    uint64_t capacity;
    uint64_t count;
    uint64_t options; /* the frame's option word */
    double fpr;
    bool count_is_estimate;
    uint8_t has_uncounted; /* keys that were added shared; atomic */
    bool is_sealed;
    bool is_read_only;

    /* "name=value\n" lines, names ascending; borrowed in views */
    uint8_t *meta;
    uint32_t meta_size;

    /* The application's bytes; borrowed in views */
    uint8_t *attachment;
    size_t attachment_size;

    /* Views and mapped files: the body as it came, for verify. */
    const uint8_t *framed_body;
    uint64_t framed_size;
    uint64_t framed_checksum;
    /* Bytes that go back to whoever lent them when the filter is freed: a mapped file */
    void (*release)(void *bytes, size_t size);
    void *borrowed;
    size_t borrowed_size;
};

/* What keys are hashed with; the secret of a keyed filter comes later. */
static inline void nh_filter_hash_with(ninho_filter *filter, ninho_hash_id id,
                                       uint64_t seed, ninho_key_encoding encoding)
{
    filter->hasher = (ninho_hasher){.id = id, .seed = seed};
    filter->key_encoding = encoding;
    filter->takes_words = id == NINHO_HASH_XXH3 && encoding != NINHO_KEY_UUID &&
                          encoding != NINHO_KEY_HASHES;
    filter->word_flip = ninho_xxh3_flip_(seed);
}

/* Whether keys were added that nobody counted. */
static inline bool nh_has_uncounted(const ninho_filter *filter)
{
    return NINHO_ATOMIC_LOAD_((uint8_t *)(uintptr_t)&filter->has_uncounted) != 0;
}

/* filter.c: a filter of several parts. */
bool nh_some_part_has(const ninho_filter *filter, uint64_t hash);

static inline bool nh_filter_has(const ninho_filter *filter, uint64_t hash)
{
    if (filter->n_parts != 1)
        return nh_some_part_has(filter, hash);
    return filter->parts->has(filter->parts, hash);
}

/* Every family, in the order in which they are shown. A new one is a word more. */
#define NH_FAMILIES(X) \
    X(bloom)           \
    X(blocked) X(counting) X(cuckoo) X(quotient) X(fuse) X(ribbon) X(compact) X(scalable)

#define NH_DECLARED(name) extern const struct nh_family nh_family_##name;
NH_FAMILIES(NH_DECLARED)
#undef NH_DECLARED

/* kinds.c: the family behind a kind, NULL if there is none; and lists of kinds for messages,
 * "bloom, counting". */
const struct nh_family *nh_family_of(ninho_kind kind);

#define NH_KINDS_TEXT 120
const char *nh_kinds_that_take(ninho_field field, char names[NH_KINDS_TEXT]);
const char *nh_kinds_for_base(char names[NH_KINDS_TEXT]);

/* spec.c: a field that is given though the spec's kind does not take it, NINHO_FIELD_NONE if
 * there is none. */
ninho_field nh_field_not_taken(const ninho_spec *spec);

/* Reads the caller's spec into ours, with defaults for 0, and checks what all kinds share; and
 * works out what it comes to. */
ninho_status nh_read_spec(const ninho_spec *theirs, ninho_spec *spec, ninho_error *error);
ninho_status nh_plan_geometry(const ninho_spec *spec, struct nh_geometry *geometry,
                              ninho_error *error);

/* filter.c, for decode.c and scalable.c: */

/* Appends an empty part of that geometry, with memory of its own. */
ninho_status nh_filter_append_part(ninho_filter *filter, const struct nh_part *geometry);

/* A filter with no parts yet, and room for one or for NH_MAX_PARTS of them. */
ninho_filter *nh_filter_new(const struct nh_family *family,
                            const struct nh_family *part_family,
                            const ninho_alloc *alloc);

/* What a filter of these families can do. Some kinds grow only where they were told how
 * far; one made of parts of another kind removes and estimates if those do. */
static inline uint32_t nh_can_of(const struct nh_family *family,
                                 const struct nh_family *part_family,
                                 const struct nh_part *part)
{
    const uint32_t handed_on = NINHO_CAN_REMOVE | NINHO_CAN_ESTIMATE;
    uint32_t can = family->can;

    if (family != part_family)
        can = (can & ~handed_on) | (part_family->can & handed_on);
    if (part_family->grows && part_family->grows(part))
        can |= NINHO_CAN_GROW;
    return part_family->cannot ? can & ~part_family->cannot(part) : can;
}

static inline uint32_t nh_filter_can(const ninho_filter *filter)
{
    return nh_can_of(filter->family, filter->part_family, filter->parts);
}

/* What a change of part number i needs. */
static inline const struct nh_live *nh_live_of(ninho_filter *filter, uint32_t i)
{
    filter->live.first_slot = 0;
    for (uint32_t before = 0; before < i; before++)
        filter->live.first_slot += filter->parts[before].n_cells;
    return &filter->live;
}

static inline uint32_t nh_tag_bits_of(const struct nh_family *part_family,
                                      const struct nh_part *part)
{
    return part_family->tag_bits ? part_family->tag_bits(part) : 0;
}

/* keys.c: whether there is a hash function for keys; and the size that every key has in the
 * filter's encoding, 0 if they may have any. */
ninho_status nh_can_hash(const ninho_filter *filter);
ninho_status nh_hash_key(const ninho_filter *filter, const void *key, size_t key_size,
                         uint64_t *hash);
size_t nh_key_size_of(const ninho_filter *filter);

/* Says why `status`, of an add of n_more keys or of a union with a filter of so many; returns it. */
ninho_status nh_fail_to_add(const ninho_filter *filter, ninho_status status,
                            uint64_t n_more, ninho_error *error);

/* A copy of a filter whose body is known to be sound. */
ninho_status nh_filter_copy_sound(const ninho_filter *filter, const ninho_alloc *alloc,
                                  ninho_filter **out, ninho_error *error);

/* Hash, key encoding, seed and secret of a spec: known, and not against each other. */
ninho_status nh_check_hash(const ninho_spec *spec, ninho_error *error);

/* The spec the filter was made from, as far as it is kept. */
ninho_spec nh_filter_spec_of(const ninho_filter *filter);

/* A computed fpr as it is stored: inside (0, 1), though a table made by hand may come out
 * at either end, and rounded to 20 bits, so that no difference between two machines'
 * pow() shows in it. */
double nh_fpr_stored(double fpr);

#endif
