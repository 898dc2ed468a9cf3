/* SPDX-License-Identifier: MIT */
/* Runs files through a fuzz target without a fuzzer: each argument is a file, or a folder whose
 * files are taken one by one, and of each also some mutations, the same ones every time. A target
 * fails by aborting, so to come to the end is to pass. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ninho/hash.h>

#include "mutate.h"
#include "target.h"

enum { N_MUTATIONS = 4, MAX_MUTATED = 2048 };

/* Where a target has none. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max_size,
                               unsigned seed) __attribute__((weak));

static size_t n_run;
static uint64_t random_state;

/* What libFuzzer has beneath every mutator, as short as it can be: a bit, a byte, or the size. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t max_size)
{
    const size_t at = random_below(&random_state, size + 1);

    switch (random_below(&random_state, 4)) {
    case 0:
        if (size < max_size) {
            memmove(bytes + at + 1, bytes + at, size - at);
            bytes[at] = (uint8_t)random_below(&random_state, 256);
            return size + 1;
        }
        return size;
    case 1:
        if (at < size && size > 1) {
            memmove(bytes + at, bytes + at + 1, size - at - 1);
            return size - 1;
        }
        return size;
    default:
        if (at < size)
            bytes[at] ^= (uint8_t)(1U << random_below(&random_state, 8));
        return size;
    }
}

/* In a block of exactly its size: sanitizers then see the first byte past it. */
static void run_bytes(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    MUST(copy);
    if (size)
        memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    n_run++;
}

static void run_mutations(const uint8_t *bytes, size_t size)
{
    static uint8_t mutated[MAX_MUTATED];

    if (size > MAX_MUTATED)
        return;
    memcpy(mutated, bytes, size);
    for (unsigned i = 0; i < N_MUTATIONS; i++) {
        size = LLVMFuzzerCustomMutator
                   ? LLVMFuzzerCustomMutator(mutated, size, MAX_MUTATED, i)
                   : LLVMFuzzerMutate(mutated, size, MAX_MUTATED);
        MUST(size <= MAX_MUTATED);
        run_bytes(mutated, size);
    }
}

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat status;

    if (!file || fstat(fileno(file), &status) != 0) {
        perror(path);
        return 1;
    }
    const size_t size = (size_t)status.st_size;
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes || fread(bytes, 1, size, file) != size) {
        perror(path);
        return 1;
    }
    fclose(file);
    random_state = size; /* a failure comes again with its file alone */
    run_bytes(bytes, size);
    run_mutations(bytes, size);
    free(bytes);
    return 0;
}

static int run_folder(const char *folder)
{
    DIR *handle = opendir(folder);
    char path[4096];
    int result = 0;

    if (!handle) {
        perror(folder);
        return 1;
    }
    for (struct dirent *entry; !result && (entry = readdir(handle)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        result = run_file(path);
    }
    closedir(handle);
    return result;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct stat status;
        const int is_folder = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);
        if (is_folder ? run_folder(argv[i]) : run_file(argv[i]))
            return 1;
    }
    printf("%zu inputs\n", n_run);
    return n_run ? 0 : 1; /* nothing to run is not a success */
}
