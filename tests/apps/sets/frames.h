/* SPDX-License-Identifier: MIT */
/* Exchanges whose frames are changed on the way, by a transport (the tags do not fit any more) or
 * by a peer that lies (it tags its lies). */
#ifndef NINHO_TESTS_SETS_FRAMES_H
#define NINHO_TESTS_SETS_FRAMES_H

#include "apps/sets/keys.h"
#include "apps/sets/talk.h"
#include "apps/sets/wire.h"

struct frame {
    uint8_t type;
    uint8_t *payload; /* malloc'ed */
    size_t size;
    uint8_t tag[8];
};

struct frames {
    struct frame *frames;
    size_t n;
    bool has_preamble;
};

/* Changes what one side says in one turn; frames[0] has number `first` in its direction. */
typedef void (*meddler)(void *context, unsigned direction, uint64_t first,
                        struct frames *said);

/* Carries whole turns; `meddle` sees those of both sides. With `keys` (as after ns_keys_init)
 * everything is tagged anew, as a liar would. */
void talk_frames(ninho_exchange *asker, ninho_exchange *answerer, meddler meddle,
                 void *context, const struct ns_keys *keys,
                 const uint8_t nonces[2][NINHO_SETS_NONCE_BYTES]);

void frames_insert(struct frames *said, size_t at, uint8_t type, const void *payload,
                   size_t size);
void frames_remove(struct frames *said, size_t at);
void frame_resize(struct frame *frame, size_t size); /* new bytes are 0 */

/* The frame of a type, NULL if nothing of it was said. */
struct frame *frames_find(const struct frames *said, uint8_t type);

#endif
