/* SPDX-License-Identifier: MIT */
/* A Filter.db from anywhere, in both layouts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/foreign/cassandra.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    for (int layout = NINHO_CASSANDRA_NA; layout <= NINHO_CASSANDRA_MA; layout++) {
        ninho_cassandra_filter filter;
        ninho_error error = {0};
        uint64_t hash[2];
        if (ninho_cassandra_view(&filter, bytes, size, (ninho_cassandra_layout)layout,
                                 &error)) {
            MUST(error.text[0] && !strchr(error.text, '\n'));
            continue;
        }
        MUST(filter.n_bits == 8 * (size - NINHO_CASSANDRA_HEADER));
        ninho_cassandra_hash(bytes, size, hash);
        (void)ninho_cassandra_has(&filter, hash);
        const double load = ninho_cassandra_load(&filter);
        MUST(load >= 0 && load <= 1);
    }
    return 0;
}
