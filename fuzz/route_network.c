/* SPDX-License-Identifier: MIT */
/* Arbitrary bytes as a network, of the kind that the first byte says: refused with a sentence, or with
 * numbers that are all in range; and then carried out. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>

#include "apps/routing/network.h"
#include "apps/routing/tree.h"

static void must_be_in_range(const ninho_route_network *network)
{
    for (size_t v = 0; v < network->n_nodes; v++)
        MUST(network->parents[v] == NINHO_ROUTE_NONE ||
             network->parents[v] < network->n_nodes);
    for (size_t i = 0; i < network->n_steps; i++) {
        const ninho_route_step *step = &network->steps[i];
        MUST(step->op == NINHO_ROUTE_REFRESH || step->what < network->n_things);
        MUST(network->is_square || step->op == NINHO_ROUTE_REFRESH ||
             step->at < network->n_nodes);
        MUST(!network->is_square ||
             ((step->column | step->row) >> network->n_divisions) == 0);
    }
}

static void carry_out(const ninho_route_network *network)
{
    ninho_route_tree *tree = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_route_tree_create(network->parents, network->n_nodes, NULL, NULL, &tree,
                                &error)) {
        MUST(error.text[0]);
        return;
    }
    for (size_t i = 0; i < network->n_steps; i++) {
        const ninho_route_step *step = &network->steps[i];
        const uint64_t hash =
            step->op == NINHO_ROUTE_REFRESH ? 0 : network->things[step->what].hash;
        ninho_status status = NINHO_OK;
        if (step->op == NINHO_ROUTE_PLACE || step->op == NINHO_ROUTE_ADD)
            status = ninho_route_tree_add(tree, step->at, hash);
        else if (step->op == NINHO_ROUTE_REMOVE)
            (void)ninho_route_tree_remove(tree, step->at, hash);
        else if (step->op == NINHO_ROUTE_REFRESH)
            status = ninho_route_tree_refresh(tree, NULL);
        else
            MUST((ninho_route_tree_find(tree, step->at, hash, 0, NULL, NULL).outcome ==
                  NINHO_ROUTE_DELIVERED) ==
                 (ninho_route_tree_distance(tree, step->at, hash) != UINT64_MAX));
        MUST(!status);
    }
    ninho_route_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    ninho_route_network network;
    ninho_error error = NINHO_ERROR_INIT;
    const bool is_square = size && bytes[0] == 's';

    if (ninho_route_network_parse((const char *)bytes + (size > 0), size - (size > 0),
                                  is_square, &hasher, NULL, &network, &error)) {
        MUST(error.text[0]);
        return 0;
    }
    must_be_in_range(&network);
    if (!is_square)
        carry_out(&network);
    ninho_route_network_free(&network);
    return 0;
}
