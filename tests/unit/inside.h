/* SPDX-License-Identifier: MIT */
/* What the tests of single families share: bytes as an enemy would write them, and steps as the
 * observer saw them. */
#ifndef NINHO_TEST_INSIDE_H
#define NINHO_TEST_INSIDE_H

#include "support/test.h"

/* A spec for hashes of the test's own. */
ninho_spec spec_of(ninho_kind kind, uint64_t capacity, double fpr);

/* Makes one, or fails the test. */
ninho_filter *filter_of(const ninho_spec *spec, const ninho_alloc *alloc);
ninho_filter *built_of(const ninho_spec *spec, const uint64_t *hashes, size_t n);

void check_equal_bytes(const ninho_filter *a, const ninho_filter *b);

/* Where the body begins, and both checksums made to fit what the bytes say now. */
size_t body_of(const uint8_t *bytes);
void reseal(uint8_t *bytes, size_t size);

/* Queries of every kind on a view of these bytes, which may hold anything: they must end inside.
 * Then the bytes, with fitting checksums, are decoded: refused, or a filter whose table is sound.
 * True if it was refused. */
bool try_bytes(uint8_t *bytes, size_t size);

/* try_bytes() with every bit of header and table turned, and with `n_random` random tables. */
void try_damage(const ninho_filter *filter, size_t n_random);

/* Whatever has a bare encoding answers in it as it did, and can be copied back. */
void check_bare(const ninho_filter *filter, const ninho_spec *spec, uint64_t first,
                size_t n);

/* ---- The observer's steps, as text --------------------------------------------------------- */

struct steps {
    char text
        [4000]; /* "+3:5 " placed, ">3-4:5 " moved, "-4:5 " removed, "#3=2 " counted, "*8-16 " resized */
};
void note_step(void *context, const ninho_event *event);
void check_steps(struct steps *steps, const char *expected); /* and forgets them */

#endif
