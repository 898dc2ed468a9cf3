/* SPDX-License-Identifier: MIT */
/* Long random sequences of operations, each filter beside an exact multiset that cannot be wrong.
 * A million operations per family at full scale. NINHO_TEST_SEED repeats a run; the seed and the
 * step are in the message of a failure. */
#ifndef NINHO_TEST_MODEL_H
#define NINHO_TEST_MODEL_H

#include "conform/families.h"

/* Runs the families that are chosen, as a test program of its own. */
int model_main(bool (*is_chosen)(const struct family *family));

#endif
