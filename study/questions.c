/* SPDX-License-Identifier: MIT */
/* The questions, in the order of the report. */
#include "study.h"

#include "01-promised-and-measured/run.h"
#ifdef HAVE_SHA1
#include "20-fewer-relocations/run.h"
#endif
#include "40-cache-admission/run.h"
#include "41-state-space/run.h"

const struct question questions[] = {
    {
        .name = "01-promised-and-measured",
        .title = "Promised and measured",
        .claim = "Every kind of filter keeps its promised false positive rate: at full "
                 "capacity at most 1.1 times the rate it was asked for, and no key that "
                 "was added is ever denied.",
        .rows = "",
        .figures = promised_figures,
        .run = run_promised_and_measured,
        .seconds = 20,
    },
#ifdef HAVE_SHA1
    {
        .name = "20-fewer-relocations",
        .title = "Fewer relocations",
        .claim = "In the seminar's own tables of E. coli k-mers, putting a key into the "
                 "emptier of its two buckets is better than into a random one: fewer "
                 "relocations, in no more time.",
        .rows = "C1 C2 C3 C4 C5 C6 C7 C9 C10 C11",
        .figures = fewer_relocations_figures,
        .run = run_fewer_relocations,
        .seconds = 40,
    },
#endif
    {
        .name = "40-cache-admission",
        .title = "Cache admission",
        .claim = "A filter in front of a cache, which lets an object in when it is asked "
                 "for the second time, keeps nearly all objects out that are asked for "
                 "once: fewer bytes are written, and the hit rate does not fall, whatever "
                 "the size of the cache.",
        .rows = "B7",
        .figures = cache_admission_figures,
        .run = run_cache_admission,
        .seconds = 8,
    },
    {
        .name = "41-state-space",
        .title = "State-space search",
        .claim = "A search that remembers in a filter where it was misses few states, and "
                 "at equal memory a Bloom filter misses fewer of them than hash "
                 "compaction.",
        .rows = "",
        .figures = state_space_figures,
        .run = run_state_space,
        .seconds = 8,
    },
    {.name = NULL},
};
