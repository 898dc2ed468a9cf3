/* SPDX-License-Identifier: MIT */
/* A long life: random operations on one filter or dictionary beside an exact twin. Keys come from a
 * window that moves on, so that new ones never cease to come; the number of keys rises and falls in
 * waves, so that tables grow, empty and are cleared; now and then all is saved, and life goes on
 * with what was read back. In every second era two threads read the saved file meanwhile. */
#ifndef NINHO_TEST_LIFE_H
#define NINHO_TEST_LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/multiset.h"
#include "support/test.h"

enum { LIFE_BATCH = 64 };

struct life;

/* One kind of filter or dictionary. Keys are the 64-bit numbers of the twin. What a kind cannot do
 * is NULL. */
struct life_kind {
    const char *name;
    bool is_exact;   /* answers copies, not "maybe" */
    bool may_refuse; /* an add can find no room: nothing has changed then */
    size_t most_keys;
    void (*make)(struct life *life); /* sets life->subject */
    void (*free)(void *subject);
    bool (*add)(void *subject, uint64_t key, uint64_t copies); /* false: refused */
    void (*take)(void *subject, uint64_t key, uint64_t copies_left);
    /* Whether an absent key that seems absent is refused. */
    void (*take_absent)(void *subject, uint64_t key);
    uint64_t (*copies)(const void *subject, uint64_t key);
    bool (*has)(const void *subject, uint64_t key);
    void (*has_many)(const void *subject, const uint64_t *keys, size_t n,
                     uint64_t *found);
    void (*clear)(void *subject);
    /* Builds a new subject from all keys of the twin: kinds that cannot add. */
    void (*build)(struct life *life);
    void (*check)(const struct life *life); /* invariants, and the count */
    /* Answers a size that grows with the table; *fpr is what is expected of it now. */
    uint64_t (*look)(const void *subject, double *fpr);
    void (*save)(void *subject, const char *path);
    void *(*open)(const struct life *life);
    /* What readers share while the subject changes: opened in another way if there is one. */
    void *(*open_for_readers)(const struct life *life);
    const void *detail; /* the kind's own */
};

extern const struct life_kind life_kinds[];
extern const size_t n_life_kinds;

struct life {
    const struct life_kind *kind;
    void *subject;
    struct multiset twin;
    struct test_rng rng;
    const char *path;
    uint64_t window; /* where the newest keys are */
    uint64_t n_absent_made;
    size_t mark; /* where this wave turns */
    bool is_filling;
    uint64_t n_operations;
    uint64_t n_read_beside; /* by the threads */
    uint64_t n_grown, n_cleared, n_saved, n_refused;
    size_t most_keys_seen;
    uint64_t last_size;
    /* false positives: of which n_absent asked, n_false; and how many were to be expected */
    uint64_t n_absent, n_false, slice_absent;
    double fpr_before, n_false_expected;
};

/* Lives n_operations, or fails the test. The caller frees nothing. *life tells how it was. */
void life_run(struct life *life, const struct life_kind *kind, uint64_t n_operations,
              uint64_t seed, const char *path);

#endif
