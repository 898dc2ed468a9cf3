/* SPDX-License-Identifier: MIT */
/* The questions, one line each. */
#include "study.h"

#include "01-promised-and-measured/run.h"

const struct question questions[] = {
    {"01-promised-and-measured", "Promised and measured",
     "Every kind of filter keeps its promised false positive rate: at full capacity at "
     "most 1.1 "
     "times the rate it was asked for, and no key that was added is ever denied.",
     run_promised_and_measured},
    {NULL, NULL, NULL, NULL},
};
