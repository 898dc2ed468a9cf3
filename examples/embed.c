/* SPDX-License-Identifier: MIT */
#include <ninho/ninho.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *birds = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    spec.kind = NINHO_BLOCKED;
    spec.capacity = 1000; /* distinct keys */
    spec.fpr = 0.01;      /* the share of absent keys that may be told "maybe" */
    if (!ninho_filter_create(&spec, NULL, &birds, &error)) {
        ninho_filter_add_key(birds, "robin", strlen("robin"));
        ninho_filter_add_key(birds, "cuckoo", strlen("cuckoo"));
        for (int i = 1; i < argc; i++) {
            const bool maybe = ninho_filter_has_key(birds, argv[i], strlen(argv[i]));
            printf("%s: %s\n", argv[i], maybe ? "maybe" : "certainly not");
        }
        ninho_filter_save(birds, "birds.ninho", &error);
        ninho_filter_free(birds);
    }
    if (error.status)
        fprintf(stderr, "embed: %s\n", error.text);
    return error.status ? 1 : 0;
}
