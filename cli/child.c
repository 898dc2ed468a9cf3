/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pipe2, environ */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long a command may take to clean up once it was asked to end. */
#define GRACE_MS 500

/* The one that an interrupt must end: what kill() takes, so negative for a group; and the pid.
 * 0: none. Written while interrupts are blocked. */
static volatile sig_atomic_t interrupt_target;
static volatile sig_atomic_t interrupt_pid;

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};

/* Asks it to end, waits a little, ends it. Only what a signal handler may call. Answers what
 * waitpid() told of it. */
static int end_process(pid_t target, pid_t pid)
{
    int status = 0;

    (void)kill(target, SIGTERM);
    (void)kill(target, SIGCONT);
    for (int waited = 0; waited < GRACE_MS; waited += 10) {
        const pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR)) {
            /* What it has started itself and left. */
            if (target < 0)
                (void)kill(target, SIGKILL);
            return status;
        }
        (void)poll(NULL, 0, 10);
    }
    (void)kill(target, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static void on_interrupt(int number)
{
    const int kept = errno;

    if (interrupt_pid)
        (void)end_process((pid_t)interrupt_target, (pid_t)interrupt_pid);
    interrupt_pid = 0;
    (void)signal(number, SIG_DFL);
    (void)raise(number); /* blocked until this handler returns */
    errno = kept;
}

static void handle_interrupts(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    struct sigaction old;

    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof interrupts / sizeof *interrupts; i++)
        (void)sigaddset(&action.sa_mask, interrupts[i]);
    for (size_t i = 0; i < sizeof interrupts / sizeof *interrupts; i++)
        if (sigaction(interrupts[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(interrupts[i], &action, NULL);
}

static void block_interrupts(sigset_t *old)
{
    sigset_t set;

    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof interrupts / sizeof *interrupts; i++)
        (void)sigaddset(&set, interrupts[i]);
    (void)sigprocmask(SIG_BLOCK, &set, old);
}

static bool has_terminal(void)
{
    const int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (terminal < 0)
        return false;
    (void)close(terminal);
    return true;
}

/* posix_spawn() with everything set up. Answers an errno. */
static int spawn(struct child *child, const char *command, int input, int output,
                 const sigset_t *mask)
{
    static char shell[] = "sh";
    static char option[] = "-c";
    static char end_of_options[] = "--";
    char *const arguments[] = {shell, option, end_of_options, (char *)command, NULL};
    const short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t usual;

    int reason = posix_spawn_file_actions_init(&files);
    if (reason)
        return reason;
    reason = posix_spawnattr_init(&attributes);
    if (reason) {
        (void)posix_spawn_file_actions_destroy(&files);
        return reason;
    }
    child->has_own_group = !has_terminal();
    /* Ignored by this program and by nobody who asked for it. */
    (void)sigemptyset(&usual);
    (void)sigaddset(&usual, SIGXFSZ);
    (void)posix_spawnattr_setsigdefault(&attributes, &usual);
    (void)posix_spawnattr_setsigmask(&attributes, mask);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    (void)posix_spawnattr_setflags(
        &attributes,
        (short)(child->has_own_group ? flags | POSIX_SPAWN_SETPGROUP : flags));
    reason = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    if (!reason)
        reason = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    if (!reason)
        reason =
            posix_spawn(&child->pid, "/bin/sh", &files, &attributes, arguments, environ);
    if (reason)
        child->pid = 0;
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&files);
    return reason;
}

static void close_pair(const int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            (void)close(pair[i]);
}

int child_start(struct child *child, const char *name, const char *command)
{
    int to[2] = {-1, -1};
    int from[2] = {-1, -1};
    sigset_t mask;

    *child = (struct child)CHILD_NONE;
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
        const int reason = errno;
        close_pair(to);
        return fail_io(name, "cannot make a pipe", reason);
    }
    block_interrupts(&mask);
    const int reason = spawn(child, command, to[0], from[1], &mask);
    if (!reason) {
        interrupt_target = child->has_own_group ? -child->pid : child->pid;
        interrupt_pid = child->pid;
        handle_interrupts();
    }
    (void)sigprocmask(SIG_SETMASK, &mask, NULL);
    if (reason) {
        close_pair(to);
        close_pair(from);
        return fail_io(name, "cannot start /bin/sh", reason);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    child->to = to[1];
    child->from = from[0];
    /* Each end of a pipe has flags of its own: the command's still block. */
    (void)fcntl(child->to, F_SETFL, O_NONBLOCK);
    (void)fcntl(child->from, F_SETFL, O_NONBLOCK);
    return EXIT_YES;
}

void child_close_to(struct child *child)
{
    if (child->to >= 0)
        (void)close(child->to);
    child->to = -1;
}

void child_close_from(struct child *child)
{
    if (child->from >= 0)
        (void)close(child->from);
    child->from = -1;
}

/* Called with interrupts blocked: nobody else waits for it meanwhile. */
static void forget(struct child *child, int status)
{
    child->pid = 0;
    child->status = status;
    interrupt_pid = 0;
}

/* Has it ended? If so it is forgotten. */
static bool has_ended(struct child *child)
{
    sigset_t mask;
    int status = 0;

    block_interrupts(&mask);
    const pid_t ended = waitpid(child->pid, &status, WNOHANG);
    if (ended == child->pid || (ended < 0 && errno == ECHILD))
        forget(child, status);
    (void)sigprocmask(SIG_SETMASK, &mask, NULL);
    return child->pid == 0;
}

bool child_wait(struct child *child, uint64_t milliseconds)
{
    int pause = 1;

    while (child->pid && !has_ended(child)) {
        if (!milliseconds)
            return false;
        if ((uint64_t)pause > milliseconds)
            pause = (int)milliseconds;
        (void)poll(NULL, 0, pause);
        milliseconds -= (uint64_t)pause;
        pause = pause < 50 ? 2 * pause : 50;
    }
    return true;
}

void child_end(struct child *child)
{
    sigset_t mask;

    child_close_to(child);
    child_close_from(child);
    if (!child->pid)
        return;
    block_interrupts(&mask);
    forget(child,
           end_process(child->has_own_group ? -child->pid : child->pid, child->pid));
    (void)sigprocmask(SIG_SETMASK, &mask, NULL);
}
