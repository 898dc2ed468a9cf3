/* SPDX-License-Identifier: MIT */
/* Frames that come from a caller's function: from a file, whose size is known, or from a stream,
 * of which nobody knows how much will come. */
#ifndef NH_FORMAT_SOURCE_H
#define NH_FORMAT_SOURCE_H

#include <ninho/filter.h>

#include "base/alloc.h"
#include "format/frame.h"

struct nh_source {
    ninho_read read;
    void *context;
    uint64_t total; /* NH_TOTAL_UNKNOWN: it is a stream */
};

/* Reads and checks the header. `header` keeps the bytes that the frame points into. */
ninho_status nh_source_frame(const struct nh_source *source,
                             uint8_t header[NH_MAX_HEADER], struct nh_frame *frame,
                             ninho_error *error);

/* A stream may end long before the bytes that its header speaks of. So before room is made for
 * `size` bytes, about half of them are read into memory that grows as they come: a header
 * that claims too much takes no more memory than four times what has come, and 1 MiB. */
struct nh_ahead {
    uint8_t *bytes;
    size_t n; /* 0 for files: what they hold was compared with their size */
};

ninho_status nh_source_ahead(const struct nh_source *source, const ninho_alloc *alloc,
                             size_t size, struct nh_ahead *ahead, ninho_error *error);

/* Fills room[0..size): what was read ahead, then the rest from the source. */
ninho_status nh_source_rest(const struct nh_source *source, const struct nh_ahead *ahead,
                            uint8_t *room, size_t size, ninho_error *error);

void nh_ahead_free(const ninho_alloc *alloc, struct nh_ahead *ahead);

/* The caller's options, or the defaults if there are none. */
ninho_status nh_open_options_in(const ninho_open_options *theirs,
                                ninho_open_options *options, ninho_error *error);

#endif
