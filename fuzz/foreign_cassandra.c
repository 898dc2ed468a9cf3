/* SPDX-License-Identifier: MIT */
/* A Filter.db from anywhere, in both layouts; and keys from anywhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/foreign/cassandra.h"
#include "target.h"

/* The input as a key of every type: refused with a sentence, or bytes that are in a filter they were put into. */
static void try_keys(const uint8_t *bytes, size_t size)
{
    ninho_cassandra_plan plan;
    uint8_t *room = malloc(size / 2 + 16);
    const void *key;
    size_t key_size;

    MUST(room && !ninho_cassandra_plan_for(10, 0.01, &plan, NULL));
    for (int type = 0; ninho_cassandra_type_name((ninho_cassandra_type)type); type++) {
        uint8_t file[64];
        ninho_cassandra_filter filter;
        ninho_error error = NINHO_ERROR_INIT;
        uint64_t hash[2];
        if (ninho_cassandra_key((ninho_cassandra_type)type, (const char *)bytes, size,
                                room, &key, &key_size, &error)) {
            MUST(error.text[0] && type != NINHO_CASSANDRA_TEXT);
            continue;
        }
        ninho_cassandra_hash(key, key_size, hash);
        MUST(!ninho_cassandra_create(&filter, &plan, file, sizeof file,
                                     size % 2 ? NINHO_CASSANDRA_NA : NINHO_CASSANDRA_MA));
        ninho_cassandra_add(&filter, file, hash);
        MUST(ninho_cassandra_has(&filter, hash));
    }
    free(room);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    try_keys(bytes, size);
    for (int layout = NINHO_CASSANDRA_NA; layout <= NINHO_CASSANDRA_MA; layout++) {
        ninho_cassandra_filter filter;
        ninho_error error = NINHO_ERROR_INIT;
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
