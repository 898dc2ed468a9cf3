/* SPDX-License-Identifier: MIT */
/* Filters as bytes: what encode.c, decode.c and meta.c give to the front door
 * and to src/io. */
#ifndef NH_FILTER_CODEC_H
#define NH_FILTER_CODEC_H

#include "filter/ops.h"
#include "format/source.h"

/* Bytes of the framed encoding of a filter with one table of that size, or with n_parts
 * tables that take body_size bytes together. */
uint64_t nh_framed_size(uint32_t n_parts, uint32_t meta_size, uint64_t body_size);

/* The filter's count; where bare bytes did not say, as the table tells it, 0 if it does
 * not; where keys were added that nobody counted, as the table lets one estimate it. */
uint64_t nh_count_of(const ninho_filter *filter);

/* The frame of a filter, all but the body's checksum, which costs a pass over the tables. */
void nh_frame_of(const ninho_filter *filter, struct nh_frame *frame);

/* A filter from a file or a stream, as ninho_filter_read(); `options` as the caller gave them. */
ninho_status nh_filter_read(const struct nh_source *source,
                            const ninho_open_options *options, ninho_filter **out,
                            ninho_error *error);

/* A read-only filter over framed bytes, which are given back with `release` when it is freed. On
 * failure they remain the caller's. `options` are checked. */
ninho_status nh_filter_over(void *bytes, size_t size, const ninho_open_options *options,
                            void (*release)(void *bytes, size_t size), ninho_filter **out,
                            ninho_error *error);

/* An empty filter in the room of a view. */
ninho_filter *nh_view_start(ninho_view *storage, const struct nh_family *family,
                            const struct nh_family *part_family);

/* The checksum of a view's or mapped file's body; NINHO_OK for others. */
ninho_status nh_verify_body(const ninho_filter *filter, ninho_error *error);

/* Gives a filter that has none a copy of these metadata lines. */
ninho_status nh_meta_copy(ninho_filter *filter, const uint8_t *meta, uint32_t size);

/* Whether bytes from outside are metadata lines as they must be. */
bool nh_meta_is_valid(const uint8_t *meta, uint32_t size);

#endif
