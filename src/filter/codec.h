/* SPDX-License-Identifier: MIT */
/* Filters as bytes: what codec.c and meta.c give to the front door. */
#ifndef NH_FILTER_CODEC_H
#define NH_FILTER_CODEC_H

#include "filter/ops.h"

/* Bytes of the framed encoding of a filter with one table of that size, or with n_parts
 * tables that take body_size bytes together. */
uint64_t nh_framed_size(uint32_t n_parts, uint32_t meta_size, uint64_t body_size);

/* The filter's count; where bare bytes did not say, as the table tells it, 0 if it does
 * not. */
uint64_t nh_count_of(const ninho_filter *filter);

/* The checksum of a view's or mapped file's body; NINHO_OK for others. */
ninho_status nh_verify_body(const ninho_filter *filter, ninho_error *error);

/* Ends the mapping of a filter from ninho_filter_map(). */
void nh_unmap(ninho_filter *filter);

/* Gives a filter that has none a copy of these metadata lines. */
ninho_status nh_meta_copy(ninho_filter *filter, const uint8_t *meta, uint32_t size);

/* Whether bytes from outside are metadata lines as they must be. */
bool nh_meta_is_valid(const uint8_t *meta, uint32_t size);

#endif
