/* SPDX-License-Identifier: MIT */
/* Mutators that know how our files are built, so that a fuzzer gets past sizes and checksums and
 * into the tables. libFuzzer calls LLVMFuzzerCustomMutator() and LLVMFuzzerCustomCrossOver() where a
 * target is linked with mutate_entry.c, or defines them itself. */
#ifndef NINHO_FUZZ_MUTATE_H
#define NINHO_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* The names are libFuzzer's. Each returns the new size, at most max_size. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max_size,
                               unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size,
                                 const uint8_t *second, size_t second_size, uint8_t *out,
                                 size_t max_size, unsigned seed);

/* The secret of every sealed file that a target opens. */
extern const uint8_t fuzz_secret[16];

/* A random number below n, which is not 0; *state is the generator's. */
size_t random_below(uint64_t *state, size_t n);

/* Makes all checksums right again, those of a file inside the file first. */
void repair_checksums(uint8_t *bytes, size_t size);

/* A file of ours, changed in one to three places and written again; anything else is left to
 * LLVMFuzzerMutate(). */
size_t mutate_file(uint8_t *bytes, size_t size, size_t max_size, unsigned seed);

/* A file with parts of the one and of the other, or with the other inside. */
size_t splice_files(const uint8_t *first, size_t first_size, const uint8_t *second,
                    size_t second_size, uint8_t *out, size_t max_size, unsigned seed);

/* Records from `at` on, each `head of that many bytes, length of n_length bytes, payload`. */
struct record_shape {
    size_t at;
    unsigned head;
    unsigned n_length;
    /* Changes a payload whose record begins with the byte `first`; NULL: LLVMFuzzerMutate(). */
    size_t (*mutate)(uint8_t first, uint8_t *payload, size_t size, size_t max_size,
                     unsigned seed);
};

/* One record is changed, doubled or left out, or what is before them; the lengths stay true. */
size_t mutate_records(uint8_t *bytes, size_t size, size_t max_size,
                      const struct record_shape *shape, unsigned seed);

#endif
