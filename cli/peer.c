/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* MSG_NOSIGNAL, strsignal */
#include "peer.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "options/numbers.h"

#define READ_BYTES       ((size_t)64 << 10)
#define BYTES_PER_SECOND 128
#define GRACE_MS         300
#define SEE_OUT_MS       20
#define LAST_WORDS_MS    1000 /* for telling the peer why it is given up */
#define EXEC_PREFIX      "exec:"
#define MAX_TIMEOUT      (7 * 24 * 3600)
#define MS_PER_SECOND    1000

const struct option peer_options[] = {
    {NUMBER("timeout", "SECONDS", parse_u32, struct peer_options, timeout, 1, MAX_TIMEOUT,
            "how long the other side may be silent")},
    {0},
};

const char *peer_command(const char *name)
{
    const size_t length = sizeof EXEC_PREFIX - 1;

    return strncmp(name, EXEC_PREFIX, length) == 0 ? name + length : NULL;
}

/* ---- The clock ----------------------------------------------------------------------------- */

static uint64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * MS_PER_SECOND + (uint64_t)now.tv_nsec / 1000000;
}

struct patience {
    uint64_t whole_ms;
    uint64_t deadline;
};

static struct patience patience_for(uint64_t milliseconds)
{
    return (struct patience){.whole_ms = milliseconds,
                             .deadline = now_ms() + milliseconds};
}

static void bytes_moved(struct patience *patience, size_t n)
{
    const uint64_t most = now_ms() + patience->whole_ms;
    const uint64_t gained = (uint64_t)n * MS_PER_SECOND / BYTES_PER_SECOND;

    patience->deadline =
        patience->deadline + gained < most ? patience->deadline + gained : most;
}

static uint64_t ms_left(const struct patience *patience)
{
    const uint64_t now = now_ms();

    return patience->deadline > now ? patience->deadline - now : 0;
}

/* ---- Moving bytes -------------------------------------------------------------------------- */

struct line {
    int from, to;
    const struct side *side;
    struct patience patience;
    bool has_ended; /* the peer has */
    bool is_deaf;   /* it does not read any more */
};

enum step {
    STEP_MOVED,
    STEP_TIMED_OUT,
    STEP_REFUSED, /* the side has failed: side->error() */
    STEP_BROKEN   /* errno tells */
};

/* Writes without waiting, though the descriptor may be one that blocks and that others share: a
 * socket can be asked for it, and a pipe that is ready takes PIPE_BUF bytes. */
static ssize_t write_some(int to, const uint8_t *bytes, size_t n)
{
    const ssize_t sent = send(to, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (sent >= 0 || errno != ENOTSOCK)
        return sent;
    return write(to, bytes, n < PIPE_BUF ? n : PIPE_BUF);
}

static bool is_passing(int reason)
{
    return reason == EINTR || reason == EAGAIN || reason == EWOULDBLOCK;
}

static enum step send_some(struct line *line, const uint8_t *bytes, size_t n)
{
    const ssize_t sent = write_some(line->to, bytes, n);

    if (sent < 0 && is_passing(errno))
        return STEP_MOVED;
    if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) {
        /* It may have said why before it went: what it sent is read first. */
        line->is_deaf = true;
        return STEP_MOVED;
    }
    if (sent < 0)
        return STEP_BROKEN;
    line->side->sent(line->side->context, (size_t)sent);
    bytes_moved(&line->patience, (size_t)sent);
    return STEP_MOVED;
}

static enum step receive_some(struct line *line)
{
    static uint8_t bytes[READ_BYTES];
    const ssize_t n = read(line->from, bytes, sizeof bytes);

    if (n < 0 && is_passing(errno))
        return STEP_MOVED;
    if (n < 0 && errno != ECONNRESET)
        return STEP_BROKEN;
    line->has_ended = n <= 0;
    bytes_moved(&line->patience, n > 0 ? (size_t)n : 0);
    const uint64_t start = now_ms();
    const bool is_taken =
        line->side->take(line->side->context, bytes, n > 0 ? (size_t)n : 0);
    /* The time that this side took to work on it is not the peer's. */
    line->patience.deadline += now_ms() - start;
    return is_taken ? STEP_MOVED : STEP_REFUSED;
}

static int poll_time(const struct patience *patience)
{
    const uint64_t left = ms_left(patience);

    return left < INT_MAX ? (int)left : INT_MAX;
}

/* Waits until something can move, and moves it. `reads`: also towards us. */
static enum step move_some(struct line *line, bool reads)
{
    size_t n = 0;
    const uint8_t *bytes = line->side->give(line->side->context, &n);
    /* A pipe whose reader has gone is always ready, so nobody waits for one without need. */
    struct pollfd ends[2] = {
        {.fd = reads ? line->from : -1, .events = POLLIN},
        {.fd = n && !line->is_deaf ? line->to : -1, .events = POLLOUT},
    };

    const int ready = poll(ends, 2, poll_time(&line->patience));
    if (ready < 0)
        return errno == EINTR ? STEP_MOVED : STEP_BROKEN;
    if (ready == 0)
        return STEP_TIMED_OUT;
    enum step step = STEP_MOVED;
    if (ends[1].revents)
        step = send_some(line, bytes, n);
    if (step == STEP_MOVED && ends[0].revents)
        step = receive_some(line);
    return step;
}

static bool has_output(const struct line *line)
{
    size_t n = 0;

    (void)line->side->give(line->side->context, &n);
    return n > 0 && !line->is_deaf;
}

/* Moves bytes until the side is done and all of it has been sent. */
static enum step talk(struct line *line)
{
    const struct side *side = line->side;

    for (;;) {
        const bool has_more = has_output(line);
        if (side->has_failed(side->context))
            return STEP_REFUSED;
        const bool is_done = side->is_done(side->context);
        if (is_done && !has_more)
            return STEP_MOVED;
        const enum step step = move_some(line, !is_done);
        if (step != STEP_MOVED)
            return step;
    }
}

/* What the side wants the peer to know after it has failed: why. */
static void say_last_words(struct line *line)
{
    line->patience = patience_for(LAST_WORDS_MS);
    while (has_output(line) && ms_left(&line->patience))
        if (move_some(line, false) != STEP_MOVED)
            return;
}

/* SIGPIPE is for filters whose reader has gone; here it is an error to be told. */
static enum step talk_unsignalled(struct line *line)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    struct sigaction old;

    (void)sigemptyset(&ignored.sa_mask);
    (void)sigaction(SIGPIPE, &ignored, &old);
    const enum step step = talk(line);
    if (step == STEP_REFUSED) {
        const int reason = errno;
        say_last_words(line);
        errno = reason;
    }
    const int reason = errno;
    (void)sigaction(SIGPIPE, &old, NULL);
    errno = reason;
    return step;
}

static int tell_step(const char *name, enum step step, const struct line *line,
                     const struct peer_options *options)
{
    if (step == STEP_TIMED_OUT)
        return fail("%s: no answer, or less than %d bytes of it a second, for %" PRIu32
                    " seconds (--timeout)",
                    name, BYTES_PER_SECOND, options->timeout);
    if (step == STEP_BROKEN)
        return fail("%s: %s", name, strerror(errno));
    return fail("%s: %s", name, line->side->error(line->side->context));
}

/* ---- With a command ------------------------------------------------------------------------ */

/* Tells how it ended, if that was not well. */
static int tell_end(const char *name, const struct child *child, const char *when)
{
    if (WIFSIGNALED(child->status))
        return fail("%s: the command was ended by signal %d (%s)%s", name,
                    WTERMSIG(child->status), strsignal(WTERMSIG(child->status)), when);
    if (WIFEXITED(child->status) && WEXITSTATUS(child->status) != 0)
        return fail("%s: the command ended with exit status %d%s", name,
                    WEXITSTATUS(child->status), when);
    return EXIT_YES;
}

/* Is there anything to be read from it, at its end or not? 1: yes, 0: not now, -1: it is at its end
 * (or cannot be read any more, which comes to the same). */
static int has_said_more(struct child *child)
{
    uint8_t byte;
    const ssize_t n = read(child->from, &byte, 1);

    if (n > 0)
        return 1;
    return n < 0 && is_passing(errno) ? 0 : -1;
}

/* After the exchange: it must send nothing more, and end with 0. Somebody it has started may live on
 * and keep its output open: that it has ended itself is enough. */
static int see_out(const char *name, struct child *child, struct line *line,
                   const struct peer_options *options)
{
    bool has_ended = false;
    int more = line->has_ended ? -1 : 0;

    child_close_to(child);
    while (more == 0 && !has_ended) {
        struct pollfd end = {.fd = child->from, .events = POLLIN};
        if (!ms_left(&line->patience))
            break;
        (void)poll(&end, 1, SEE_OUT_MS);
        has_ended = child_wait(child, 0);
        more = has_said_more(child);
    }
    if (more > 0)
        return fail("%s: the command has sent more than the exchange", name);
    if (!has_ended && !child_wait(child, ms_left(&line->patience)))
        return fail("%s: the command does not end, %" PRIu32
                    " seconds after the exchange (--timeout)",
                    name, options->timeout);
    return tell_end(name, child, " after the exchange");
}

int peer_talk_to_child(const char *name, struct child *child, const struct side *side,
                       const struct peer_options *options)
{
    const uint64_t whole_ms = (uint64_t)options->timeout * MS_PER_SECOND;
    struct line line = {.from = child->from,
                        .to = child->to,
                        .side = side,
                        .patience = patience_for(whole_ms)};
    int status = EXIT_YES;
    const enum step step = talk_unsignalled(&line);
    const int reason = errno;

    if (step == STEP_MOVED) {
        line.patience = patience_for(whole_ms);
        status = see_out(name, child, &line, options);
    } else {
        /* A command that failed is the better reason for an exchange that did. */
        if (line.has_ended && child_wait(child, LAST_WORDS_MS))
            status = tell_end(name, child, " before the exchange was over");
        errno = reason;
        if (!status)
            status = tell_step(name, step, &line, options);
        /* Without its pipes it mostly ends by itself, and says what it had to say. */
        child_close_to(child);
        child_close_from(child);
        (void)child_wait(child, step == STEP_REFUSED ? GRACE_MS : 0);
    }
    child_end(child);
    return status;
}

/* ---- With a caller ------------------------------------------------------------------------- */

int peer_talk_to_caller(const struct side *side, const struct peer_options *options)
{
    struct line line = {.from = STDIN_FILENO,
                        .to = STDOUT_FILENO,
                        .side = side,
                        .patience =
                            patience_for((uint64_t)options->timeout * MS_PER_SECOND)};
    const enum step step = talk_unsignalled(&line);

    return step == STEP_MOVED ? EXIT_YES : tell_step("the caller", step, &line, options);
}

/* ---- With oneself -------------------------------------------------------------------------- */

/* Hands over what one has for the other; false: the other has refused it. */
static bool hand_over(const struct side *from, const struct side *to, bool *has_moved)
{
    size_t n = 0;
    const uint8_t *bytes = from->give(from->context, &n);

    if (!n)
        return true;
    if (n > READ_BYTES)
        n = READ_BYTES;
    const bool is_taken = to->take(to->context, bytes, n);
    from->sent(from->context, n);
    *has_moved = true;
    return is_taken;
}

int peer_talk_within(const char *name, const struct side *caller,
                     const struct side *server)
{
    bool has_moved = true;

    while (has_moved) {
        has_moved = false;
        if (!hand_over(caller, server, &has_moved))
            return fail("%s: %s", name, server->error(server->context));
        if (!hand_over(server, caller, &has_moved))
            return fail("%s: %s", name, caller->error(caller->context));
    }
    if (server->has_failed(server->context))
        return fail("%s: %s", name, server->error(server->context));
    if (!caller->is_done(caller->context) || !server->is_done(server->context))
        return fail("%s: %s", name, caller->error(caller->context));
    return EXIT_YES;
}
