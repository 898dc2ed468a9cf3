/* SPDX-License-Identifier: MIT */
/* What the writer of a filter and its readers agree by.
 *
 *     sharing ---- list ---- parts as they are now: a copy that never changes
 *        |          (atomic)
 *        |         retired -> older lists, with the tables that only they have
 *        |
 *        +-- marks:  sequence | n_moves | versions[NH_VERSIONS]     (atomic, lines of their own)
 *
 * Readers load `list`, announce its number in `seen`, and look into its tables. A table of most
 * kinds can be read at any time or not at all while it changes; which of them a family says by its
 * `beside`:
 *
 *   - nothing that a member needs is ever taken away (bloom, blocked, counting): has it is;
 *   - entries move, and the new place is written before the old one is cleared (cuckoo, bfs): between the
 *     two the writer counts a *version* up that belongs to the entry's pair of places. Who found nothing
 *     and sees the version unchanged has seen the truth;
 *   - anything may happen (NULL): the writer makes `sequence` odd before and even after. Who found
 *     nothing believes it if the sequence was even, and is the same.
 *
 * Who found something has his answer in any case. */
#ifndef NH_FILTER_SHARING_H
#define NH_FILTER_SHARING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/inline.h>
#include <ninho/shared.h>
#include <ninho/words.h>

#include "base/inline.h"
#include "base/steps.h"
#include "filter/ops.h"

#define NH_VERSION_BITS 12
#define NH_VERSIONS     (1U << NH_VERSION_BITS)

/* Counters that the writer counts up. The first two are read by many and have lines of their own;
 * the versions share theirs. */
struct nh_marks {
    _Atomic uint32_t sequence;
    uint32_t unused[15];
    _Atomic uint32_t n_moves; /* of all versions */
    uint32_t unused_too[15];
    _Atomic uint32_t versions[NH_VERSIONS];
};

/* A table, and what looks a key up in it beside the writer; NULL: `has`, if the sequence allows. */
struct nh_listed {
    nh_has_beside has_beside;
    struct nh_part part;
};

/* The tables of a filter at one time. */
struct nh_list {
    uint32_t number; /* the next one has one more */
    uint32_t n_parts;
    bool is_whole;        /* some of them must not be read while they change */
    struct nh_list *next; /* newer one that is retired too */
    struct nh_listed parts[];
};

struct nh_sharing {
    _Atomic(struct nh_list *) list;
    struct nh_marks *marks;
    const struct nh_family *part_family;
    /* The writer's: */
    struct nh_table marks_table;
    struct nh_list *oldest, *newest; /* retired */
    struct nh_list *spare;           /* for the next one to be published */
    size_t list_size;
    ninho_reader *readers;
    bool is_odd; /* the sequence, during a change */
};

/* The version of a key, or entry, with these two places, in either order. */
static inline _Atomic uint32_t *nh_version_of(struct nh_marks *marks, uint64_t place,
                                              uint64_t other)
{
    return &marks->versions[(place + other) * UINT64_C(0x9e3779b97f4a7c15) >>
                            (64 - NH_VERSION_BITS)];
}

/* ThreadSanitizer knows no fences. It sees the loads and stores of tables as atomic, or not at all
 * (nh_sharing_begin()), so that it misses none. */
#ifdef NINHO_TSAN_
#define nh_fence(order) atomic_signal_fence(order)
#else
#define nh_fence(order) atomic_thread_fence(order)
#endif

/* A reader's look at a mark. A test puts its own here. */
#ifndef nh_mark_load
#define nh_mark_load(mark, order) atomic_load_explicit(mark, order)
#endif

static inline void nh_count_up(_Atomic uint32_t *counter)
{
    atomic_store_explicit(counter,
                          atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_release);
}

/* An entry with these two places stands where it will stay; what the writer clears or overwrites
 * next is another copy of it. */
static inline void nh_version_up(const struct nh_live *live, uint64_t place,
                                 uint64_t other)
{
    struct nh_marks *const marks = live->sharing->marks;

    nh_before_store();
    nh_count_up(nh_version_of(marks, place, other));
    nh_count_up(&marks->n_moves);
    nh_fence(memory_order_release);
}

/* Whether readers need a time when nothing changes. */
static inline bool nh_sharing_is_whole(const struct nh_sharing *sharing)
{
    return atomic_load_explicit(&sharing->list, memory_order_relaxed)->is_whole;
}

/* A table changes: by these keys if there are some, n of them. And it has changed: what is new
 * about it is published. */
void nh_sharing_begin(ninho_filter *filter, const uint64_t *hashes, size_t n);
void nh_sharing_end(ninho_filter *filter);

static inline void nh_change_begin(ninho_filter *filter, const uint64_t *hashes, size_t n)
{
    if (NINHO_SELDOM_(filter->live.sharing != NULL))
        nh_sharing_begin(filter, hashes, n);
}

static inline void nh_change_end(ninho_filter *filter)
{
    if (NINHO_SELDOM_(filter->live.sharing != NULL))
        nh_sharing_end(filter);
}

/* Between two looks at a mark: the other thread of the core may have it to itself. */
static inline void nh_pause(void)
{
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    __builtin_ia32_pause();
#endif
}

/* Looks with `find` until it finds something, or nothing has changed meanwhile; after the first time only
 * where there is a chance of that. When a change takes longer than a caller should wait (some 20
 * microseconds) it gives up, and answers "maybe". */
#ifndef NH_ATTEMPTS
#define NH_ATTEMPTS 1000
#endif

NH_ALWAYS_INLINE bool nh_look_between(_Atomic uint32_t *sequence,
                                      bool (*find)(void *context, uint64_t hash),
                                      void *context, uint64_t hash)
{
    for (unsigned i = 0; i < NH_ATTEMPTS; i++) {
        const uint32_t before = nh_mark_load(sequence, memory_order_acquire);
        if (before % 2 && i) {
            nh_pause();
            continue;
        }
        if (find(context, hash))
            return true;
        nh_fence(memory_order_acquire);
        if (before % 2 == 0 && nh_mark_load(sequence, memory_order_relaxed) == before)
            return false;
    }
    return true;
}

/* Between begin and end: the tables that readers know stay as they are for a while; and no longer. */
void nh_sharing_pause(const struct nh_live *live);
void nh_sharing_resume(const struct nh_live *live);

/* handle.c: how the filter's keys are hashed. */
ninho_handle_keys nh_handle_keys_of(const ninho_filter *filter);

/* The bytes that readers have cost. */
uint64_t nh_sharing_bytes(const ninho_filter *filter);

/* Frees what belongs to readers, with them. */
void nh_sharing_free(ninho_filter *filter);

#endif
