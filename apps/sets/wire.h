/* SPDX-License-Identifier: MIT */
/* Frames, in bytes that come and go in pieces of any size.
 *
 *      stream   "ninho-s" version | frame | frame | ...            in each direction
 *      frame    type 1 | length, varint | payload | tag 8
 *      message  one head frame, then its data in DATA frames, then its items in ITEMS frames;
 *               the head says how much of both there is:
 *      head     data bytes, varint | items, varint | fields of the type
 *      ITEMS    (length, varint | bytes) for each item, whole items only
 *
 * The eight bytes at the start are the same in every version. The tag is keyed and covers the
 * frame's number, so that a frame counts only in its place in its own talk. A length is held
 * against the most its type may have before anything is allocated, and memory then grows with the
 * bytes that really come. */
#ifndef NINHO_SETS_WIRE_H
#define NINHO_SETS_WIRE_H

#include "apps/base/base.h"
#include "apps/base/reader.h"
#include "keys.h"
#include "numbers.h"
#include "sets.h"

enum ns_type {
    NS_HELLO = 1,
    NS_ERROR =
        2, /* status 1 | text. Not tagged in earnest: it may come before there are keys */
    NS_DATA = 3,
    NS_ITEMS = 4,
    NS_BYE = 5, /* fields: 1 if the answer was verified */
    /* requests; the answer to each is the same + NS_ANSWER */
    NS_CELLS = 16,  /* salt, from, to                 : data: cells */
    NS_FETCH = 17,  /* width; data: hashes            : items */
    NS_LIST = 18,   /*                                : items */
    NS_BLOOM = 19,  /* bits per key; data: filter     : data: filter, items */
    NS_TELL = 20,   /* checksum; data: hashes, items  : */
    NS_SIFT = 21,   /* kind, attempt, width; filter   : data: short hashes, sorted */
    NS_VERIFY = 22, /* data: bitmap                   : count, sum */
    NS_FILTER = 23, /* kind, bits per key             : data: filter */
    NS_MATCH = 24   /* attempt, width; short hashes   : count, sum; data: bitmap */
};
#define NS_ANSWER 32

/* What a DATA or ITEMS frame is filled up to; an item that is longer goes alone. */
#define NS_FRAME_FULL 32768
#define NS_FRAME_MAX  (NS_FRAME_FULL + NINHO_SETS_MAX_ITEM + NA_VARINT_MAX)
#define NS_HEAD_MAX   2048
#define NS_TEXT_MAX   200

struct ns_wire {
    unsigned direction; /* of what is sent: 0 for the asker */
    uint64_t n_sent;    /* frames */
    uint64_t n_taken;
    uint64_t bytes_sent;
    uint64_t bytes_received;
    struct na_bytes in; /* the frame that is coming */
    size_t n_greeted;   /* bytes of the peer's preamble that have come */
    size_t payload_at;  /* 0: the length is not known yet */
    size_t payload_size;
    struct na_bytes out; /* frames to send */
    size_t out_at;
};

/* The preamble, to be sent first. */
bool ns_wire_greet(const ninho_alloc *alloc, struct ns_wire *wire);

/* Takes from bytes[0 .. n) what belongs to the frame that is coming; *n_used bytes of it. *is_whole
 * tells whether that frame is now there: look at it before the next call. */
ninho_status ns_wire_take(const ninho_alloc *alloc, struct ns_wire *wire,
                          const uint8_t *bytes, size_t n, size_t *n_used, bool *is_whole,
                          ninho_error *error);

/* The frame that is there. */
uint8_t ns_wire_type(const struct ns_wire *wire);
struct na_reader ns_wire_payload(const struct ns_wire *wire);
/* Whether its tag is right; counts it if so. */
bool ns_wire_check(struct ns_wire *wire, const struct ns_keys *keys);

/* Appends a frame to what is to be sent, false if there is no memory. */
bool ns_wire_send(const ninho_alloc *alloc, struct ns_wire *wire,
                  const struct ns_keys *keys, uint8_t type, const void *payload,
                  size_t size);

void ns_wire_free(const ninho_alloc *alloc, struct ns_wire *wire);

#endif
