/* SPDX-License-Identifier: MIT */
#include "model/life.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    ERA = 250000, /* operations between two saves */
    SLICE = 4096, /* operations between two looks at the size and the expected fpr */
    N_READERS = 2,
    WINDOW = 1 << 17, /* keys are the latest so many numbers */
};

#define FAVOURITES  (UINT64_C(1) << 59) /* each gets some 30 copies before others follow */
#define ABSENT_KEYS (UINT64_C(1) << 60) /* numbers from here on are never added */

/* One of the window; or, once in 32 times, one of the few that are added again and again. */
static uint64_t new_key(struct life *life)
{
    life->window += rng_below(&life->rng, 4) == 0;
    if (rng_below(&life->rng, 32) == 0)
        return mix64(FAVOURITES + life->window / 4096 * 16 + rng_below(&life->rng, 16));
    return mix64(life->window + rng_below(&life->rng, WINDOW));
}

static uint64_t absent_key(struct life *life)
{
    return mix64(ABSENT_KEYS + life->n_absent_made++);
}

/* One that is there. */
static uint64_t old_key(struct life *life)
{
    return life->twin.entries[rng_below(&life->rng, life->twin.n_distinct)].key;
}

/* ---- Operations: each counts as one for every key ----------------------------------------- */

static void check_answer(struct life *life, uint64_t key, bool told)
{
    const bool is_there = multiset_copies(&life->twin, key) != 0;

    CHECK(told || !is_there);
    CHECK(told == is_there || !life->kind->is_exact);
    if (!is_there) {
        life->n_absent++;
        life->slice_absent++;
        life->n_false += told;
    }
}

static void add(struct life *life)
{
    const uint64_t key = rng_below(&life->rng, 16) || !life->twin.n_distinct
                             ? new_key(life)
                             : old_key(life);
    const uint64_t copies = multiset_copies(&life->twin, key);

    if (life->kind->add(life->subject, key, copies + 1)) {
        CHECK(life->kind->has(life->subject, key));
        multiset_add(&life->twin, key);
    } else {
        CHECK(life->kind->may_refuse);
        life->n_refused++;
    }
}

static void take(struct life *life)
{
    if (!life->twin.n_distinct || rng_below(&life->rng, 16) == 0) {
        const uint64_t key = absent_key(life);
        if (!life->kind->has(life->subject, key))
            life->kind->take_absent(life->subject, key);
    } else {
        const uint64_t key = old_key(life);
        const uint64_t n_left = multiset_take(&life->twin, key);
        life->kind->take(life->subject, key, n_left);
    }
}

static void ask_old(struct life *life)
{
    if (!life->twin.n_distinct)
        return;
    const uint64_t key = old_key(life);
    const uint64_t copies = multiset_copies(&life->twin, key);
    CHECK(life->kind->has(life->subject, key));
    if (life->kind->copies) {
        const uint64_t told = life->kind->copies(life->subject, key);
        CHECK(told >= copies);
        CHECK(told == copies || !life->kind->is_exact);
    }
}

static void ask_absent(struct life *life)
{
    const uint64_t key = absent_key(life);

    check_answer(life, key, life->kind->has(life->subject, key));
}

static void ask_many(struct life *life)
{
    uint64_t keys[LIFE_BATCH], found[1] = {0};
    const size_t n = 1 + (size_t)rng_below(&life->rng, LIFE_BATCH);

    for (size_t i = 0; i < n; i++)
        keys[i] = rng_below(&life->rng, 2) || !life->twin.n_distinct ? absent_key(life)
                                                                     : old_key(life);
    life->kind->has_many(life->subject, keys, n, found);
    for (size_t i = 0; i < n; i++)
        check_answer(life, keys[i], found[0] >> i & 1);
    life->n_operations += n - 1;
}

/* ---- Waves --------------------------------------------------------------------------------- */

/* What was expected of the false positives of a slice: the mean of its two ends. */
static void end_slice(struct life *life)
{
    double fpr = 0;
    const uint64_t size = life->kind->look(life->subject, &fpr);

    life->n_false_expected += (double)life->slice_absent * (fpr + life->fpr_before) / 2;
    life->fpr_before = fpr;
    life->slice_absent = 0;
    life->n_grown += !life->kind->build && size > life->last_size;
    life->last_size = size;
}

static void turn(struct life *life)
{
    const size_t most = life->kind->most_keys;

    if (life->is_filling && life->kind->clear &&
        (!life->kind->take || rng_below(&life->rng, 8) == 0)) {
        end_slice(life);
        life->kind->clear(life->subject);
        multiset_clear(&life->twin);
        life->n_cleared++;
        life->last_size = life->kind->look(life->subject, &life->fpr_before);
    } else {
        life->is_filling = !life->is_filling;
    }
    life->mark = life->is_filling ? most / 2 + (size_t)rng_below(&life->rng, most / 2 + 1)
                                  : (size_t)rng_below(&life->rng, most / 4 + 1);
}

static void step(struct life *life)
{
    uint64_t n = life->twin.n_keys;

    if (n > life->most_keys_seen)
        life->most_keys_seen = (size_t)n;
    if (life->is_filling ? n >= life->mark : n <= life->mark) {
        turn(life);
        n = life->twin.n_keys;
    }
    /* in 100: 46 change the set, most of them in the wave's direction, and 54 ask */
    const uint64_t choice = rng_below(&life->rng, 100);
    if (choice < (life->is_filling ? 40 : 6) && n < life->kind->most_keys)
        add(life);
    else if (choice < 46 && life->kind->take)
        take(life);
    else if (choice < 72)
        ask_old(life);
    else if (choice < 99)
        ask_absent(life);
    else
        ask_many(life);
    life->n_operations++;
}

/* A kind that cannot add has the twin changed beside it, and is built anew in every slice. */
static void step_static(struct life *life, uint64_t slice)
{
    if (slice % 8 == 0) {
        const size_t most = life->kind->most_keys;
        const size_t n = (size_t)rng_below(&life->rng, most) + 1;
        while (life->twin.n_distinct > n)
            multiset_take(&life->twin, old_key(life));
        while (life->twin.n_distinct < n)
            multiset_add(&life->twin, new_key(life));
        life->kind->build(life);
        life->n_operations += n;
        if (n > life->most_keys_seen)
            life->most_keys_seen = n;
    }
    for (size_t i = 0; i < SLICE; i++) {
        const uint64_t choice = rng_below(&life->rng, 100);
        if (choice < 49)
            ask_old(life);
        else if (choice < 98)
            ask_absent(life);
        else
            ask_many(life);
        life->n_operations++;
    }
}

/* ---- Readers beside ------------------------------------------------------------------------ */

struct reader {
    const struct life_kind *kind;
    const void *subject;
    const struct multiset *twin;
    struct test_rng rng;
    uint64_t first_absent, n_reads, n_wrong; /* checked by whoever joins */
    pthread_t thread;
};

static void *read_beside(void *context)
{
    struct reader *reader = context;

    for (uint64_t i = 0; i < reader->n_reads; i++) {
        if (i % 2 || !reader->twin->n_distinct) {
            const bool told =
                reader->kind->has(reader->subject, mix64(reader->first_absent + i));
            reader->n_wrong += told && reader->kind->is_exact;
        } else {
            const size_t at = (size_t)rng_below(&reader->rng, reader->twin->n_distinct);
            reader->n_wrong +=
                !reader->kind->has(reader->subject, reader->twin->entries[at].key);
        }
    }
    return NULL;
}

struct beside {
    bool is_running;
    void *subject;
    struct multiset twin;
    struct reader readers[N_READERS];
};

static void start_readers(struct life *life, struct beside *beside, uint64_t n_reads)
{
    beside->subject = life->kind->open_for_readers(life);
    multiset_copy(&beside->twin, &life->twin);
    for (size_t i = 0; i < N_READERS; i++) {
        beside->readers[i] = (struct reader){
            .kind = life->kind,
            .subject = beside->subject,
            .twin = &beside->twin,
            .rng = {rng_next(&life->rng)},
            .first_absent = ABSENT_KEYS * 2 + (life->n_saved * N_READERS + i) * ERA,
            .n_reads = n_reads,
        };
        CHECK(pthread_create(&beside->readers[i].thread, NULL, read_beside,
                             &beside->readers[i]) == 0);
    }
    beside->is_running = true;
}

static void join_readers(struct life *life, struct beside *beside)
{
    uint64_t n_wrong = 0;

    if (!beside->is_running)
        return;
    for (size_t i = 0; i < N_READERS; i++) {
        CHECK(pthread_join(beside->readers[i].thread, NULL) == 0);
        life->n_read_beside += beside->readers[i].n_reads;
        n_wrong += beside->readers[i].n_wrong;
    }
    CHECK_U64(n_wrong, 0);
    life->kind->free(beside->subject);
    multiset_free(&beside->twin);
    beside->is_running = false;
}

/* ---- The whole life ------------------------------------------------------------------------ */

static void check_everything(struct life *life)
{
    life->kind->check(life);
    for (size_t i = 0; i < life->twin.n_distinct; i++)
        CHECK(life->kind->has(life->subject, life->twin.entries[i].key));
}

static void save_and_open(struct life *life)
{
    life->kind->save(life->subject, life->path);
    void *const again = life->kind->open(life);
    life->kind->free(life->subject);
    life->subject = again;
    life->n_saved++;
    check_everything(life);
}

/* fpr_expected is itself within 3 in 100 (conform_fpr). */
static void check_false_positives(const struct life *life)
{
    const double n = (double)life->n_absent;
    const double expected = 1.03 * life->n_false_expected;

    if (life->kind->is_exact || life->n_absent == 0)
        return;
    if ((double)life->n_false > binomial_high(n, expected / n, 7) + 2)
        test_fail(__FILE__, __LINE__, "%llu false positives in %.0f, expected %.1f",
                  (unsigned long long)life->n_false, n, life->n_false_expected);
}

void life_run(struct life *life, const struct life_kind *kind, uint64_t n_operations,
              uint64_t seed, const char *path)
{
    const uint64_t era = n_operations / 4 < ERA ? n_operations / 4 : ERA;
    struct beside beside = {0};
    uint64_t next_save = era;

    *life = (struct life){.kind = kind, .rng = {seed}, .path = path, .is_filling = true};
    multiset_init(&life->twin);
    kind->make(life);
    life->last_size = kind->look(life->subject, &life->fpr_before);
    life->mark = kind->most_keys;
    for (uint64_t slice = 0; life->n_operations < n_operations; slice++) {
        test_where("%s, NINHO_TEST_SEED=%llu, after operation %llu", kind->name,
                   (unsigned long long)seed, (unsigned long long)life->n_operations);
        if (kind->build)
            step_static(life, slice);
        else
            for (size_t i = 0; i < SLICE; i++)
                step(life);
        end_slice(life);
        if (life->n_operations < next_save)
            continue;
        save_and_open(life); /* in place of the file that readers may have open */
        join_readers(life, &beside);
        if (life->n_saved % 2)
            start_readers(life, &beside, era / 2);
        next_save += era;
    }
    join_readers(life, &beside);
    check_everything(life);
    check_false_positives(life);
    kind->free(life->subject);
    multiset_free(&life->twin);
}
