/* SPDX-License-Identifier: MIT */
#include "seminar/subject.h"

#include "harness/fail.h"

/* Tags that the shortest way may look at: like MNK, a bound on the work of one insertion. */
enum { BFS_BUDGET = 500, WINDOW = 4 };

static const struct {
    const char *name;
    bool is_ours;
    enum seminar_choice choice;
    enum seminar_alternate alternate;
} subjects[N_SUBJECTS] = {
    [SEMINAR_RANDOM_BUCKET] = {"seminar original", false, SEMINAR_ORIGINAL,
                               SEMINAR_HASHED},
    [SEMINAR_EMPTIER_BUCKET] = {"seminar emptier", false, SEMINAR_REDUCED,
                                SEMINAR_HASHED},
    [SEMINAR_RANDOM_RAW] = {"seminar original f", false, SEMINAR_ORIGINAL, SEMINAR_PLAIN},
    [SEMINAR_EMPTIER_RAW] = {"seminar emptier f", false, SEMINAR_REDUCED, SEMINAR_PLAIN},
    [OURS_RANDOM] = {"ours random", true, SEMINAR_ORIGINAL, SEMINAR_HASHED},
    [OURS_EMPTIER] = {"ours emptier", true, SEMINAR_REDUCED, SEMINAR_HASHED},
    [OURS_BFS] = {"ours bfs", true, SEMINAR_REDUCED, SEMINAR_HASHED},
    [OURS_WINDOWS] = {"ours windows", true, SEMINAR_REDUCED, SEMINAR_HASHED},
};

const char *subject_name(enum subject subject)
{
    return subjects[subject].name;
}

bool subject_is_ours(enum subject subject)
{
    return subjects[subject].is_ours;
}

static void make_ours(struct filled *filled, const struct subject_table *table,
                      uint64_t seed)
{
    const enum subject subject = filled->subject;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    spec.kind = NINHO_CUCKOO;
    spec.capacity = 1; /* the table is made by hand */
    spec.n_slots = filled->n_slots;
    spec.tag_bits = 32;
    spec.slots = subject == OURS_WINDOWS ? NINHO_WINDOWS : NINHO_BUCKETS;
    spec.place_slots = subject == OURS_WINDOWS ? WINDOW : table->bucket_slots;
    spec.choice = subject == OURS_RANDOM ? NINHO_CHOICE_RANDOM : NINHO_CHOICE_EMPTIER;
    if (subject == OURS_BFS || subject == OURS_WINDOWS) {
        spec.search = NINHO_SEARCH_BFS;
        spec.budget = BFS_BUDGET;
    } else {
        spec.search = NINHO_SEARCH_WALK;
        spec.max_kicks = table->max_moves;
    }
    spec.pairing = NINHO_PAIRING_OFFSET;
    spec.semantics = NINHO_SET;
    spec.seed = seed;
    if (ninho_filter_create(&spec, NULL, &filled->ours, &error))
        fail("%s: %s", subjects[subject].name, error.text);
}

void subject_make(struct filled *filled, enum subject subject, const struct kmers *kmers,
                  const struct subject_table *table, uint64_t seed)
{
    *filled = (struct filled){.kmers = kmers, .subject = subject};
    filled->n_slots = (uint64_t)table->n_buckets * table->bucket_slots;
    if (subjects[subject].is_ours) {
        make_ours(filled, table, seed);
        return;
    }
    filled->theirs = (struct seminar_filter){.n_buckets = table->n_buckets,
                                             .bucket_slots = table->bucket_slots,
                                             .max_moves = table->max_moves,
                                             .choice = subjects[subject].choice,
                                             .alternate = subjects[subject].alternate,
                                             .random = seed};
    seminar_create(&filled->theirs);
}

void subject_free(struct filled *filled)
{
    if (subjects[filled->subject].is_ours)
        ninho_filter_free(filled->ours);
    else
        seminar_free(&filled->theirs);
}

bool subject_insert(struct filled *filled, size_t i)
{
    return filled->ours
               ? ninho_filter_add(filled->ours, filled->kmers->hashes[i]) == NINHO_OK
               : seminar_insert(&filled->theirs, &filled->kmers->digests[i]);
}

bool subject_search(const struct filled *filled, size_t i)
{
    return filled->ours ? ninho_filter_has(filled->ours, filled->kmers->hashes[i])
                        : seminar_search(&filled->theirs, &filled->kmers->digests[i]);
}

struct filled_counts subject_counts(const struct filled *filled)
{
    const struct seminar_filter *theirs = &filled->theirs;
    ninho_stats stats = NINHO_STATS_INIT;

    if (!filled->ours)
        return (struct filled_counts){theirs->n_stored, theirs->n_moves,
                                      theirs->n_wasted_moves, theirs->n_failed};
    if (ninho_filter_stats(filled->ours, &stats))
        fail("no statistics");
    return (struct filled_counts){ninho_filter_count(filled->ours),
                                  stats.n_moves + stats.n_undone, stats.n_undone,
                                  stats.n_failed};
}
