/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share. */
#ifndef NINHO_FUZZ_TARGET_H
#define NINHO_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* The name is libFuzzer's. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What must hold whatever the input is. */
#define MUST(claim)                                                             \
    do {                                                                        \
        if (!(claim)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim); \
            abort();                                                            \
        }                                                                       \
    } while (0)

#endif
