/* SPDX-License-Identifier: MIT */
/* reconcile ITEM... -- ITEM...: which items are only in the first list (<), which only in the
 * second (>)? The second list is known to another process, at the other end of a socket. */
#define _DEFAULT_SOURCE /* getrandom */
#include <ninho/sets/sets.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Carries the bytes of one side over a socket, until it is done or has failed. */
static bool talk(ninho_exchange *side, int socket)
{
    for (;;) {
        char buffer[4096];
        const void *bytes = NULL;
        const ninho_exchange_state state = ninho_exchange_state_of(side);
        const size_t n = ninho_exchange_output(side, &bytes);

        if (n) { /* a side that failed tells its peer why */
            const ssize_t sent = send(socket, bytes, n, MSG_NOSIGNAL);
            if (sent < 0)
                return false;
            ninho_exchange_sent(side, (size_t)sent);
        } else if (state == NINHO_EXCHANGE_RECEIVES) {
            const ssize_t got = read(socket, buffer, sizeof buffer);
            if (got > 0)
                ninho_exchange_take(side, buffer, (size_t)got);
            else
                ninho_exchange_end(side);
        } else if (state != NINHO_EXCHANGE_SENDS) {
            return state == NINHO_EXCHANGE_DONE;
        }
    }
}

static void print_part(const ninho_exchange *side, ninho_sets_part part, char mark)
{
    for (size_t i = 0; i < ninho_exchange_count(side, part); i++) {
        size_t size = 0;
        const char *item = ninho_exchange_item(side, part, i, &size);
        printf("%c %.*s\n", mark, (int)size, item);
    }
}

int main(int argc, char **argv)
{
    ninho_exchange_options options = NINHO_EXCHANGE_INIT;
    ninho_exchange *side = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_set *set = NULL;
    int sockets[2];
    int split = 1;

    while (split < argc && strcmp(argv[split], "--") != 0)
        split++;
    if (split == argc || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
        return fprintf(stderr, "reconcile: ITEM... -- ITEM... are needed\n"), 1;
    const pid_t child = fork();
    const bool asks = child != 0;
    const int from = asks ? 1 : split + 1;
    const int to = asks ? split : argc;

    close(sockets[asks ? 1 : 0]);
    if (getrandom(options.nonce, sizeof options.nonce, 0) != sizeof options.nonce ||
        ninho_set_create(NINHO_SET_BORROWS, options.nonce, NULL, &set))
        return 1;
    for (int i = from; i < to; i++)
        ninho_set_add(set, argv[i], strlen(argv[i]), NULL);
    const ninho_status status = asks
                                    ? ninho_exchange_ask(set, &options, &side, &error)
                                    : ninho_exchange_answer(set, &options, &side, &error);
    const bool is_done = !status && talk(side, sockets[asks ? 0 : 1]);
    if (is_done) { /* here: exact and verified */
        print_part(side, NINHO_SETS_ONLY_HERE, '<');
        print_part(side, NINHO_SETS_ONLY_THERE, '>');
    } else {
        fprintf(stderr, "reconcile: %s\n",
                side ? ninho_exchange_error(side)->text : error.text);
    }
    ninho_exchange_free(side);
    ninho_set_free(set);
    if (asks)
        waitpid(child, NULL, 0);
    return is_done ? 0 : 1;
}
