/* SPDX-License-Identifier: MIT */
/* The filters of links. */
#ifndef NINHO_ROUTING_LINK_H
#define NINHO_ROUTING_LINK_H

#include <ninho/ninho.h>

/* A spec that fits routing: kind, fpr and what the family has are the caller's, the rest is chosen
 * here, for many filters that are mostly small. `capacity` is at least 1. */
ninho_spec rt_link_spec(const ninho_spec *asked, uint64_t capacity);

#endif
