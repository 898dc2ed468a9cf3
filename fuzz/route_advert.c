/* SPDX-License-Identifier: MIT */
/* Arbitrary bytes as an advertisement: refused with a sentence, or taken; and a host that took one can
 * route and tell others. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>

#include "apps/routing/router.h"
#include "mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint8_t told[1 << 14];
    ninho_router_options options = NINHO_ROUTER_INIT;
    ninho_router *host = NULL;
    ninho_router_verdict verdict = NINHO_ROUTER_TAKEN;
    ninho_error error = NINHO_ERROR_INIT;
    uint32_t links[2] = {0, 0};
    size_t n_told = 0;

    options.spec.capacity = 10;
    options.spec.fpr = 0.05;
    options.n_levels = 2;
    options.has_rest = true;
    options.n_remembered = 8;
    MUST(!ninho_router_create(&options, NULL, &host, NULL));
    for (int i = 0; i < 2; i++)
        MUST(!ninho_router_connect(host, &links[i]));
    const ninho_status status =
        ninho_router_hear(host, links[0], bytes, size, 0, &verdict, &error);
    MUST(!status || error.text[0]);
    ninho_router_request request = {.id = 1, .hash = size, .ttl = 3};
    uint32_t link = 0;
    (void)ninho_router_route(host, &request, NINHO_ROUTER_HERE, 0, &link);
    MUST(link < 2);
    MUST(!ninho_router_tell(host, links[1], 0, told, sizeof told, &n_told));
    MUST(!ninho_router_hear(host, links[1], told, n_told, 0, &verdict, NULL));
    ninho_router_free(host);
    return 0;
}

static size_t mutate_level(uint8_t first, uint8_t *bytes, size_t size, size_t max_size,
                           unsigned seed)
{
    (void)first;
    return mutate_file(bytes, size, max_size, seed);
}

/* Behind a header, filters with their lengths in front. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max_size,
                               unsigned seed)
{
    static const struct record_shape shape = {
        .at = 8, .n_length = 4, .mutate = mutate_level};

    return mutate_records(bytes, size, max_size, &shape, seed);
}
