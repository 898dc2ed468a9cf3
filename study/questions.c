/* SPDX-License-Identifier: MIT */
/* The questions, one line each. */
#include "study.h"

#include "01-promised-and-measured/run.h"
#ifdef HAVE_SHA1
#include "02-fewer-relocations/run.h"
#endif

const struct question questions[] = {
    {"01-promised-and-measured", "Promised and measured",
     "Every kind of filter keeps its promised false positive rate: at full capacity at "
     "most 1.1 "
     "times the rate it was asked for, and no key that was added is ever denied.",
     run_promised_and_measured},
#ifdef HAVE_SHA1
    {"02-fewer-relocations", "Fewer relocations",
     "On the k-mers of E. coli, choosing the emptier of its two buckets makes the "
     "seminar's cuckoo filter throw fewer entries out, and every k-mer that it counts as "
     "stored is found again.",
     run_fewer_relocations},
#endif
    {NULL, NULL, NULL, NULL},
};
