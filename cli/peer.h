/* SPDX-License-Identifier: MIT */
/* Bytes between one side of an exchange and its peer, through two descriptors, with an eye on the
 * clock.
 *
 *                take()  <--- [ from ] <---
 *        side                                 the peer
 *                give()  ---> [  to  ] --->
 *
 * Both directions move whenever they can, so two sides that write at the same time do not wait for
 * each other for ever. The clock: a peer has --timeout seconds, every 128 bytes that move in either
 * direction give a second back, and never are more than --timeout left. So a silent peer is given
 * up after --timeout seconds, and one that drips more slowly than 128 bytes a second not much
 * later; one that is merely slow is not. */
#ifndef CLI_PEER_H
#define CLI_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "args.h"
#include "child.h"

/* One side, as this file sees it. */
struct side {
    void *context;
    /* Takes n bytes of the peer's; n is 0 when there will be no more. False: the exchange has
     * failed, and error() tells why. */
    bool (*take)(void *context, const uint8_t *bytes, size_t n);
    /* What is to be sent, until *n of it were passed to sent(). None: *n is 0. */
    const uint8_t *(*give)(void *context, size_t *n);
    void (*sent)(void *context, size_t n);
    bool (*is_done)(void *context);    /* and what it still gives is the last of it */
    bool (*has_failed)(void *context); /* what it still gives tells the peer why */
    const char *(*error)(void *context);
};

struct peer_options {
    uint32_t timeout; /* seconds */
};
#define PEER_OPTIONS_DEFAULT \
    {                        \
        .timeout = 300       \
    }
extern const struct option peer_options[];

/* The command in "exec:COMMAND"; NULL if `name` is a file. */
const char *peer_command(const char *name);

/* Talks to a command that was started, until the side is done and the command has ended with 0
 * and sent nothing more. Answers an exit status, having told what went wrong. The command has ended
 * in any case, and the side's answer may be used only if it is EXIT_YES. */
int peer_talk_to_child(const char *name, struct child *child, const struct side *side,
                       const struct peer_options *options);

/* Talks to whoever is at standard input and output. */
int peer_talk_to_caller(const struct side *side, const struct peer_options *options);

/* Lets two sides talk to each other in this process. Answers an exit status; what went wrong is
 * told of `name`. */
int peer_talk_within(const char *name, const struct side *caller,
                     const struct side *server);

#endif
