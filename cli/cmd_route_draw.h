/* SPDX-License-Identifier: MIT */
/* The pictures of the routing commands: a network, or the part of it around one request's way. */
#ifndef CLI_CMD_ROUTE_DRAW_H
#define CLI_CMD_ROUTE_DRAW_H

#include "cmd_route.h"

void draw_tree(const struct route_run *run, uint32_t from, uint64_t hash,
               struct text *svg);
void draw_geo(const struct route_run *run, uint32_t from, uint64_t hash,
              struct text *svg);

#endif
