/* SPDX-License-Identifier: MIT */
/* The questions, in the order of the report. */
#include "study.h"

#include "01-promised-and-measured/run.h"

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
    {.name = NULL},
};
