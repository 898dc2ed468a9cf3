/* SPDX-License-Identifier: MIT */
/* Runs files through a fuzz target without a fuzzer: each argument is a file, or a folder whose
 * files are taken one by one. A target fails by aborting, so to come to the end is to pass. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "target.h"

static size_t n_run;

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat status;

    if (!file || fstat(fileno(file), &status) != 0) {
        perror(path);
        return 1;
    }
    /* A block of exactly its size: sanitizers then see the first byte past it. */
    const size_t size = (size_t)status.st_size;
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes || fread(bytes, 1, size, file) != size) {
        perror(path);
        return 1;
    }
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    n_run++;
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
