/* SPDX-License-Identifier: MIT */
/* The lecture's exercise, chaining, linear probing and cuckoo hashing compared, in four parts: against
 * load, against size, the variants of cuckoo hashing, and the bounds of theory. */
#include "09-dictionaries/run.h"

#include <stdio.h>

#include "09-dictionaries/parts.h"
#include "harness/fail.h"
#include "harness/progress.h"
#include "harness/words.h"

const struct figure dictionaries_figures[] = {
    {.name = "load-time",
     .caption =
         "Nanoseconds of an insertion, a hit, a miss and a removal against load, in "
         "tables of a fixed number of places: means with Student's 95 % intervals. The "
         "library's own chain and probe grow before they are fuller than shown.",
     .rows = "B8"},
    {.name = "load-looks",
     .caption = "Places looked at for a hit and for a miss against load, counted. Lines: "
                "Knuth's formulas; for cuckoo hashing the most there can be, d · b.",
     .rows = "B8"},
    {.name = "growth",
     .caption =
         "Time of a hit in sets of 2^4 to 2^18 keys (FULL: 2^20), the same eight keys "
         "asked for again and again, so that steps are timed and not memory: hash tables "
         "beside the linear scan and the balanced tree (tsearch) that the monograph "
         "begins with.",
     .data = "growth.csv",
     .rows = "B5"},
    {.name = "work",
     .caption =
         "Entries placed or moved for one insertion into a cuckoo table that begins "
         "empty and grows to n keys, rebuilding included: one point for each seed, and "
         "the regression line.",
     .data = "work.csv",
     .rows = "B5"},
    {.name = "displacements",
     .script = "against-load",
     .set = "what='moves_per_key'",
     .caption =
         "Displacements for one insertion at a given load, with 2, 3 and 4 functions and "
         "buckets of 1, 2, 4 and 8. Solid: no stash; dashed: a stash of 4. A curve ends "
         "where the table gave up.",
     .data = "displacements.csv",
     .rows = "B6"},
    {.name = "rehashes",
     .script = "against-load",
     .set = "what='rehashes'",
     .caption = "Rehashes so far at a given load, mean over the runs that came that far, "
                "up to five.",
     .data = "displacements.csv",
     .rows = "B6"},
    {.name = "reached",
     .caption = "Load at which the first rehash is needed, by functions and bucket size, "
                "without and with a stash of 4: means with Student's 95 % intervals.",
     .data = "reached.csv",
     .rows = "B6"},
    {.name = "worst",
     .caption =
         "Chaining at its best and at its worst. Above: keys compared for a hit and a "
         "miss, one list for every key, ten seeds, beside theory. Below: a miss where "
         "all keys have the same hash: keys compared (counted), and the library's chain "
         "and probe (timed).",
     .data = "worst.csv",
     .rows = "A18"},
    {.name = "space",
     .caption =
         "What a set of n keys out of u takes at least, log2 of the number of such sets, "
         "less n · log2(u/n), for each key: it tends to log2 e, so the rest is Θ(n).",
     .data = "space.csv",
     .rows = "A18"},
    {.name = NULL},
};

/* The top bit tells the two sorts apart. The other 63 hardly ever meet; where two did, putting the second
 * would fail. */
static uint64_t key_of(uint64_t seed, uint64_t number, uint64_t sort)
{
    const uint64_t key = mix64(mix64(seed) + (number << 1 | sort)) & ~(UINT64_C(1) << 63);

    return (key | sort << 63) | (key == 0);
}

uint64_t dict_key(uint64_t seed, uint64_t number)
{
    return key_of(seed, number, 0);
}

uint64_t dict_absent_key(uint64_t seed, uint64_t number)
{
    return key_of(seed, number, 1);
}

ninho_dict *dict_make(const ninho_dict_spec *spec)
{
    ninho_dict *dict = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_dict_create(spec, NULL, &dict, &error))
        fail("dictionary: %s", error.text);
    return dict;
}

void dict_put_key(ninho_dict *dict, uint64_t key)
{
    bool is_new = false;
    const ninho_status status = ninho_dict_put(dict, &key, sizeof key, 0, &is_new);

    if (status || !is_new)
        fail("dictionary: a key was not taken: %s", ninho_status_text(status));
}

void run_dictionaries(const struct study *study, const char *folder,
                      struct answer *answer)
{
    size_t n_holds = 0;

    progress_part(0, 0.5);
    dict_against_load(study, folder, answer);
    progress_part(0.5, 0.75);
    dict_against_size(study, folder, answer);
    progress_part(0.75, 1);
    dict_displacements(study, folder, answer);
    dict_bounds(study, folder, answer);
    for (size_t i = 0; i < answer->n_judgements; i++) {
        answer->verdict = verdict_both(answer->verdict, answer->judgements[i].verdict);
        n_holds += answer->judgements[i].verdict == HOLDS;
    }
    snprintf(answer->summary, sizeof answer->summary, "%zu of the %zu rows hold. %s",
             n_holds, answer->n_judgements, answer_find(answer, "B8")->evidence);
    snprintf(
        answer->setup, sizeof answer->setup,
        "64-bit keys drawn with seed %llu. Against load: tables of %zu places, the "
        "textbook's chaining and linear probing (textbook.c) and the library's chain, "
        "probe and cuckoo-table (2x4: two functions, buckets of 4); the last twentieth "
        "of the places is inserted, asked for and removed under the clock. Against size: "
        "eight keys asked for again and again. Displacements: a fixed number of slots, "
        "filled until it gives up, at most 250 moves for an insertion. Processor time; "
        "answers are checked in every repetition.",
        (unsigned long long)study->seed, study_pick(study, 2800, 7 << 13, 7 << 17));
}
