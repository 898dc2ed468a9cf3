/* SPDX-License-Identifier: MIT */
/* What filter to make: kinds and what they can do, the spec that says what is wanted, the plan
 * that says what it comes to, and the observer that is told each step. */
#ifndef NINHO_SPEC_H
#define NINHO_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/hash.h>
#include <ninho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Kinds and what they can do ---------------------------------------------------- */

/* Stored in files: pinned. (quotient is 9 there; 5 is its first layout, which is read.) */
typedef enum ninho_kind {
    NINHO_BLOOM = 1,   /* the classic: any number of bits, k probes */
    NINHO_BLOCKED = 2, /* split-block Bloom: one cache line per lookup; Parquet's bytes */
    NINHO_COUNTING = 3, /* Bloom with 4-bit saturating counters: can remove */
    /* short tags, each in one of two places: small, can remove, any table size */
    NINHO_CUCKOO = 4,
    /* sorted remainders: can remove, merge, double up to max_capacity */
    NINHO_QUOTIENT = 5,
    NINHO_FUSE = 6, /* binary fuse: small, fast to build, once from all its keys */
    /* hash compaction: a table of l-bit compressed keys, with copies */
    NINHO_COMPACT = 7,
    /* a growing list of filters of another kind under one promise */
    NINHO_SCALABLE = 8,
    /* bumped ribbon: at the bound for any rate, built once from all its keys */
    NINHO_RIBBON = 10 /* 9 is the number of another layout in files */
} ninho_kind;

/* Capabilities, a set of bits. */
typedef enum ninho_can {
    NINHO_CAN_ADD = 1, /* without it the kind is static: ninho_filter_build() only */
    NINHO_CAN_REMOVE = 2,
    NINHO_CAN_UNION = 4,
    NINHO_CAN_GROW = 8, /* goes on past `capacity` and keeps the promise; for kinds with
                              * max_capacity, plan and info say so where it was given */
    NINHO_CAN_OVERFILL = 16, /* goes on past `capacity`; fpr_expected rises */
    NINHO_CAN_VIEW = 32,     /* framed bytes can be queried in place */
    NINHO_CAN_BARE = 64,     /* has a bare encoding */
    /* the number of distinct keys can be estimated from the table */
    NINHO_CAN_ESTIMATE = 128,
    /* many threads may add to it at once, beside readers: <ninho/shared.h> */
    NINHO_CAN_SHARE = 256
} ninho_can;

/* "bloom", "blocked", ... NULL for an unknown number. Static. Any thread. */
NINHO_API const char *ninho_kind_name(ninho_kind kind);

/* One line that says what the kind is for. NULL for an unknown number. Static. Any
 * thread. */
NINHO_API const char *ninho_kind_summary(ninho_kind kind);

/* The kind of that name, 0 if there is none. Any thread. */
NINHO_API ninho_kind ninho_kind_from_name(const char *name);

/* The index-th kind of this library, 0 past the last: for programs that show them all. Any
 * thread. */
NINHO_API ninho_kind ninho_kind_at(size_t index);

/* The NINHO_CAN_* bits of a kind, 0 for an unknown number. Any thread. */
NINHO_API uint32_t ninho_kind_can(ninho_kind kind);

/* Whether a field of ninho_spec may be given for a kind (of scalable: for some base): false
 * for fields that only others take, and for unknown numbers. Any thread. */
NINHO_API bool ninho_kind_takes(ninho_kind kind, ninho_field field);

/* Whether the kind can be the `base` of a scalable filter. Any thread. */
NINHO_API bool ninho_kind_can_be_base(ninho_kind kind);

/* The name of the index-th of these NINHO_CAN_* bits, from the lowest on: "add", "remove",
 * "union", ... NULL past the last: for programs that show them all. Static. Any thread. */
NINHO_API const char *ninho_can_name(uint32_t can, size_t index);

/* ---- The observer ------------------------------------------------------------------ */

typedef enum ninho_event_type {
    NINHO_EVENT_BIT_SET = 1,    /* to = bit index, value = what it held before (0 or 1) */
    NINHO_EVENT_COUNTER_UP = 2, /* to = counter index, value = what it holds now */
    NINHO_EVENT_COUNTER_DOWN = 3, /* to = counter index, value = what it holds now */
    NINHO_EVENT_RESIZED = 4,      /* from, to = number of sub-filters or table size; a new
                                   * table is empty, and its tags are placed one by one */
    NINHO_EVENT_TAG_PLACED = 5,   /* to = slot, value = tag; in a cuckoo filter's walk the
                                   * slot may hold one, and the next event moves that */
    NINHO_EVENT_TAG_MOVED = 6,    /* from, to = slots, value = tag */
    NINHO_EVENT_TAG_REMOVED = 7,  /* from = slot, value = tag */
    /* from = slot it came from, to = its place in the stash, numbered on from the slots;
     * of dictionaries: no filter parks */
    NINHO_EVENT_VICTIM_PARKED = 8
} ninho_event_type;

typedef struct ninho_event {
    ninho_event_type type;
    uint64_t from;
    uint64_t to;
    uint64_t value;
} ninho_event;

/* Called for each elementary step, in order, inside the call that caused it. It must not
 * touch the filter. With no observer the steps cost nothing. An add that fails reports
 * nothing. In a cuckoo filter a tag is reported as its number + 1, without the marks that are
 * stored with it; a walk reports its kicks as they come, bfs the last move first. Slots of a
 * scalable filter's tables are numbered on from one table to the next, the oldest first. A ribbon
 * filter that is built reports the table (resized), the row of a key by the slot where it comes to
 * begin (placed; value = what its slots add up to), rows that are taken back (removed), and keys
 * that are bumped (moved: from where their row starts, to the first slot of the next zone; value =
 * the key's mixed hash). */
typedef void (*ninho_observer)(void *context, const ninho_event *event);

/* ---- The spec ---------------------------------------------------------------------- */

typedef enum ninho_k_rule {
    NINHO_K_BEST = 0, /* the integer k that needs the fewest bits for the fpr */
    /* m = -n ln p / (ln 2)^2 and k = floor(ln 2 * m / n), as in textbooks; above fpr 1/4
     * it may miss the promise by up to 17 %: see fpr_expected */
    NINHO_K_FLOOR = 1
} ninho_k_rule;

/* The four choices of a cuckoo filter (docs/cuckoo.md). 0 in a spec: choose for me. */
typedef enum ninho_slots {
    NINHO_BUCKETS = 1, /* a place is one of the table's buckets of 1 .. 255 slots */
    NINHO_WINDOWS = 2  /* a place is any 2 .. 4 consecutive slots: places overlap */
} ninho_slots;

typedef enum ninho_choice {
    NINHO_CHOICE_RANDOM = 1, /* the first of the two places, if it has room */
    NINHO_CHOICE_EMPTIER = 2 /* the place with more room: fewer relocations */
} ninho_choice;

typedef enum ninho_search {
    /* random walk of at most max_kicks moves, undone if it fails */
    NINHO_SEARCH_WALK = 1,
    /* the shortest path to a free slot, looking at `budget` tags at most */
    NINHO_SEARCH_BFS = 2
} ninho_search;

typedef enum ninho_pairing {
    NINHO_PAIRING_XOR = 1,    /* the number of places is a power of two */
    NINHO_PAIRING_OFFSET = 2, /* any number of places */
    /* xor within runs of places that have a power of two each: the fastest lookups. For buckets of
     * 4 slots of 8, 10, 12, 14 or 16 bits */
    NINHO_PAIRING_NEAR = 3
} ninho_pairing;

/* What matters where the planner has a choice of tables. */
typedef enum ninho_prefer {
    NINHO_PREFER_SPEED = 1, /* the faster one */
    NINHO_PREFER_SPACE = 2  /* the smaller one */
} ninho_prefer;

typedef enum ninho_semantics {
    NINHO_MULTISET = 0, /* a copy is kept for each add, and remove takes one out */
    /* an add that seems to be there already stores nothing; no remove, since a key whose
     * tag stands for another's as well would take both out */
    NINHO_SET = 1
} ninho_semantics;

typedef enum ninho_pages {
    /* huge pages for tables of 4 MiB and more, where the system allows */
    NINHO_PAGES_AUTO = 0,
    NINHO_PAGES_SMALL = 1 /* ordinary pages only */
} ninho_pages;

/* What to make. Start from NINHO_SPEC_INIT, which zeroes everything and records the size,
 * so that a later library with more fields still understands an older program: 0 always
 * means "choose for me". Two filters created from equal specs have equal geometry on
 * every machine. */
typedef struct ninho_spec {
    size_t size_of_struct;
    ninho_kind kind;                 /* required */
    ninho_hash_id hash;              /* 0: xxh3 */
    ninho_key_encoding key_encoding; /* 0: bytes */
    ninho_pages pages;
    uint64_t capacity; /* required: distinct keys the promise is for, 1 .. 2^48 */
    /* Required unless n_bits or tag_bits is given: 2^-50 <= fpr < 1, and not below
     * capacity * 2^-60, which 64 hash bits cannot promise. */
    double fpr;
    uint64_t seed;         /* xxh3, xxh64; 0 with siphash. Unions need equal seeds */
    const uint8_t *secret; /* siphash: 16 bytes, copied; otherwise NULL */
    ninho_observer observer;
    void *observer_context;
    /* bloom, blocked, counting: the table by hand instead of from capacity and fpr */
    uint64_t n_bits;   /* bits (bloom), counters (counting); blocked rounds up to 256s */
    uint32_t n_hashes; /* k, 1 .. 64 (bloom, counting); 0: by k_rule */
    ninho_k_rule k_rule; /* bloom, counting */
    /* scalable */
    ninho_kind base; /* the sub-filters' kind, see ninho_kind_can_be_base(); 0: blocked */
    uint32_t growth; /* each sub-filter is that many times larger, 2 .. 16; 0: 2 */
    /* compact, quotient: doubles up to that many keys under the same promise; 0: capacity,
     * so that one key more is NINHO_ERR_FULL */
    uint64_t max_capacity;
    /* compact, fuse, ribbon, cuckoo: the tag by hand instead of from fpr, which may then be 0.
     * compact: l, 1 .. 60; fuse: 8 or 16; ribbon: 1 .. 32; cuckoo: stored bits of a slot, 4 .. 32 in
     * buckets under xor, 8 .. 32 otherwise */
    uint32_t tag_bits;
    /* fuse */
    uint32_t arity; /* slots per key, 3 or 4; 0: 3 */
    /* cuckoo, and scalable over cuckoo (there pairing is offset). All 0: the planner takes
     * windows, emptier, bfs, offset, and the window that needs the fewest bits, a wider one
     * if it needs hardly more. */
    ninho_slots slots;
    uint32_t place_slots; /* of a bucket 1 .. 255, of a window 2 .. 4 */
    ninho_choice choice;
    ninho_search search;
    ninho_pairing pairing;
    uint32_t max_kicks; /* walk: 1 .. 65,535; 0: 500 */
    uint32_t budget;    /* bfs: 1 .. 1,000,000; 0: 5,000 */
    ninho_semantics semantics;
    /* cuckoo: the whole table by hand, in slots; 0: from capacity. Buckets take a multiple
     * of place_slots, and xor wants a power of two of places */
    uint64_t n_slots;
    /* fuse, ribbon: cancellation callback, called now and then by ninho_filter_build(), which stops
     * with NINHO_ERR_BUILD when it returns true. NULL: none */
    bool (*is_stopped)(void *context);
    void *stop_context;
    /* cuckoo: which table the planner takes where the choices above leave it one. 0: small, but
     * not where a table that hardly is larger takes adds much faster */
    ninho_prefer prefer;
} ninho_spec;

/* ninho_spec spec = NINHO_SPEC_INIT; and likewise for the other structs with a size. */
#define NINHO_SPEC_INIT NINHO_INIT_(ninho_spec)

/* Sets the choices of `spec` to those of the cuckoo filter as it was published: buckets of
 * 4, random, walk, 500 kicks, xor. The other fields are left alone; NULL is fine. Any thread. */
NINHO_API void ninho_spec_original(ninho_spec *spec);

/* ---- The plan ---------------------------------------------------------------------- */

/* What a spec would make. */
typedef struct ninho_plan {
    size_t size_of_struct; /* set by the caller: sizeof(ninho_plan) */
    ninho_kind kind;
    uint32_t can; /* NINHO_CAN_* bits */
    uint64_t capacity;
    double fpr_target;    /* as asked for; with n_bits by hand, what that table gives */
    double fpr_expected;  /* at capacity, for the geometry chosen */
    double bits_per_key;  /* 8 * size_bytes / capacity */
    uint64_t size_bytes;  /* of the framed encoding, so of the file */
    uint64_t table_bytes; /* of the body alone */
    uint64_t n_cells;  /* bits, counters, blocks, slots: the family's unit of geometry */
    uint32_t n_hashes; /* k, where the family has one */
    uint32_t tag_bits; /* where the family has tags */
    const char *note;  /* advice on this combination, static; NULL if there is none */
    /* cuckoo, and scalable over cuckoo: what was chosen; otherwise 0 */
    ninho_slots slots;
    uint32_t place_slots; /* at most twice as many copies of one key fit */
    double load;          /* share of the slots in use at capacity */
} ninho_plan;

#define NINHO_PLAN_INIT NINHO_INIT_(ninho_plan)

/* Works out what `spec` would make, without allocating anything. NINHO_ERR_ARG if a field
 * is out of range (error says which, and the range), NINHO_ERR_NOMEM if it could not be
 * addressed. The observer and pages are ignored. Any thread. */
NINHO_API ninho_status ninho_filter_plan(const ninho_spec *spec, ninho_plan *plan,
                                         ninho_error *error);

#ifdef __cplusplus
}
#endif

#endif
