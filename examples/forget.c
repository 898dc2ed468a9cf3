/* SPDX-License-Identifier: MIT */
/* Keys come and go, and a filter that is full says so and has lost nothing. */
#include <inttypes.h>
#include <ninho/ninho.h>
#include <stdio.h>
#include <string.h>

static ninho_status add(ninho_filter *filter, const char *key)
{
    return ninho_filter_add_key(filter, key, strlen(key));
}

int main(void)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_stats stats = NINHO_STATS_INIT;
    ninho_filter *nests = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    int n_copies = 0;

    spec.kind = NINHO_CUCKOO;
    spec.capacity = 1000;
    spec.fpr = 0.001;
    spec.slots = NINHO_BUCKETS; /* the planner's own choice would be windows */
    spec.place_slots = 4;
    if (ninho_filter_create(&spec, NULL, &nests, &error)) {
        fprintf(stderr, "forget: %s\n", error.text);
        return 1;
    }
    add(nests, "wren");
    add(nests, "robin");
    ninho_filter_remove_key(nests, "wren",
                            strlen("wren")); /* which was added, so it may */
    printf("wren: %s\n",
           ninho_filter_has_key(nests, "wren", 4) ? "maybe" : "certainly not");

    /* Two buckets of four slots hold eight copies of a key. The ninth changes nothing. */
    while (add(nests, "cuckoo") == NINHO_OK)
        n_copies++;
    (void)ninho_filter_stats(nests, &stats);
    printf("cuckoo: %d copies, then full; adds that failed: %" PRIu64 "\n", n_copies,
           stats.n_failed);
    printf("robin: %s\n",
           ninho_filter_has_key(nests, "robin", 5) ? "maybe" : "certainly not");
    ninho_filter_free(nests);
    return 0;
}
