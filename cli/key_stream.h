/* SPDX-License-Identifier: MIT */
/* Keys of files, hashed on several threads, and handed over in input order. */
#ifndef CLI_KEY_STREAM_H
#define CLI_KEY_STREAM_H

#include "keys.h"

/* Who takes them. All answer an exit status; one that is not EXIT_YES ends the stream. */
struct key_sink {
    void *context;
    bool needs_hashes;
    /* Hashes, many at once. */
    int (*hashes)(void *context, const uint64_t *hashes, size_t n);
    /* Or, where that is NULL, key by key; `hash` is 0 where none are needed. */
    int (*key)(void *context, const void *key, size_t key_size, uint64_t hash);
    /* Called before the keys of so many bytes come; may be NULL. */
    int (*make_room)(void *context, size_t n_bytes);
};

/* *n_read is how many keys came. Answers an exit status. */
int key_stream(struct key_reader *reader, const struct key_format *format,
               unsigned n_threads, const struct key_sink *sink, uint64_t *n_read);

#endif
