/* SPDX-License-Identifier: MIT */
/* ask FILTER text|int64 < KEYS : prints the lines that may be members, as `ninho check` does, by the C interface. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/ninho.h>

int main(int argc, char **argv)
{
    ninho_filter *filter = NULL;
    ninho_hasher hasher;
    ninho_error error = NINHO_ERROR_INIT;
    char line[256];

    if (argc != 3)
        return 2;
    if (ninho_filter_open(argv[1], NULL, &filter, &error) ||
        ninho_filter_hasher(filter, &hasher)) {
        (void)fprintf(stderr, "ask: %s: %s\n", argv[1], error.text);
        return 2;
    }
    const bool is_number = strcmp(argv[2], "int64") == 0;
    while (fgets(line, sizeof line, stdin)) {
        const size_t size = strcspn(line, "\n");
        const uint64_t hash = is_number
                                  ? ninho_hash_int64(&hasher, strtoll(line, NULL, 10))
                                  : ninho_hash_bytes(&hasher, line, size);
        if (ninho_filter_has(filter, hash))
            (void)fputs(line, stdout);
    }
    ninho_filter_free(filter);
    return 0;
}
