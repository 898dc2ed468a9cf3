/* SPDX-License-Identifier: MIT */
#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/numbers.h"
#include "output.h"
#include "secret.h"
#include "setpipe.h"

/* What a user can do about NINHO_ERR_FULL. */
#define LIMIT_HINT " (--max-memory)"

const struct option exchange_options[] = {
    {VALUE("key-file", "FILE", parse_text, struct exchange_options, key_file,
           "file that holds the secret")},
    {NUMBER("max-memory", "BYTES", parse_u64, struct exchange_options, max_memory, 1,
            UINT64_C(1) << 50, "most memory the other side may use here")},
    {FLAG("escape", struct exchange_options, escape, "print odd bytes as \\xNN")},
    {0},
};

/* ---- A side (peer.h) ----------------------------------------------------------------------- */

static bool side_take(void *context, const uint8_t *bytes, size_t n)
{
    ninho_exchange *exchange = context;

    return (n ? ninho_exchange_take(exchange, bytes, n) : ninho_exchange_end(exchange)) ==
           NINHO_OK;
}

static const uint8_t *side_give(void *context, size_t *n)
{
    const void *bytes = NULL;

    *n = ninho_exchange_output(context, &bytes);
    return bytes;
}

static void side_sent(void *context, size_t n)
{
    ninho_exchange_sent(context, n);
}

static bool side_has_failed(void *context)
{
    return ninho_exchange_state_of(context) == NINHO_EXCHANGE_FAILED;
}

static bool side_is_done(void *context)
{
    return ninho_exchange_state_of(context) == NINHO_EXCHANGE_DONE;
}

static const char *side_error(void *context)
{
    static char text[sizeof((ninho_error *)NULL)->text + sizeof LIMIT_HINT];
    const ninho_error *error = ninho_exchange_error(context);

    if (!error->status) /* it refused bytes without having failed */
        return "has sent more than the exchange";
    (void)snprintf(text, sizeof text, "%s%s",
                   error->text[0] ? error->text : ninho_status_text(error->status),
                   error->status == NINHO_ERR_FULL ? LIMIT_HINT : "");
    return text;
}

static struct side side_of(ninho_exchange *exchange)
{
    return (struct side){.context = exchange,
                         .take = side_take,
                         .give = side_give,
                         .sent = side_sent,
                         .is_done = side_is_done,
                         .has_failed = side_has_failed,
                         .error = side_error};
}

/* ---- Asking -------------------------------------------------------------------------------- */

static int read_secret(struct exchange *exchange, const struct exchange_manner *manner,
                       ninho_exchange_options *options)
{
    if (!manner->options.key_file)
        return EXIT_YES;
    options->secret = exchange->secret;
    return secret_read(manner->options.key_file, exchange->secret);
}

int exchange_manner_init(struct exchange_manner *manner, const struct command *command)
{
    return key_lines_init(&manner->format, command, &manner->keys);
}

static int check_operands(const struct args *args)
{
    char *file = args->operands[0];
    char *peer = args->operands[1];
    const char *command = peer_command(peer);

    if (command && !command[strspn(command, " \t\n")])
        return usage_error(args->command, "exec: which command?");
    int status = command ? EXIT_YES : check_stdin_once(args, args->operands, 2);
    if (!status)
        status = lines_check(file);
    return status || command ? status : lines_check(peer);
}

static int ask_file(struct exchange *exchange, char *peer,
                    const struct exchange_manner *manner,
                    const ninho_exchange_options *question)
{
    ninho_exchange_options options = *question;
    ninho_error error = NINHO_ERROR_INIT;

    int status = lines_read(&exchange->there, peer, &manner->format);
    if (!status)
        status = random_bytes(options.nonce, sizeof options.nonce);
    if (status)
        return status;
    if (ninho_exchange_answer(exchange->there.set, &options, &exchange->other, &error))
        return fail_error(peer, &error);
    const struct side asker = side_of(exchange->own);
    const struct side answerer = side_of(exchange->other);
    return peer_talk_within(peer, &asker, &answerer);
}

static int ask_child(struct exchange *exchange, const char *peer, struct child *child,
                     const struct exchange_manner *manner)
{
    const struct side side = side_of(exchange->own);

    return peer_talk_to_child(peer, child, &side, &manner->peer);
}

int exchange_ask(struct exchange *exchange, const struct args *args,
                 const struct exchange_manner *manner, ninho_exchange_options *question)
{
    char *peer = args->operands[1];
    const char *command = peer_command(peer);
    struct child child = CHILD_NONE;
    ninho_error error = NINHO_ERROR_INIT;

    *exchange = (struct exchange){.own = NULL};
    int status = check_operands(args);
    if (!status)
        status = read_secret(exchange, manner, question);
    if (!status)
        status = random_bytes(question->nonce, sizeof question->nonce);
    question->max_bytes = manner->options.max_memory;
    /* It reads its file while this process reads its own. */
    if (!status && command)
        status = child_start(&child, peer, command);
    if (!status)
        status = lines_read(&exchange->here, args->operands[0], &manner->format);
    if (!status &&
        ninho_exchange_ask(exchange->here.set, question, &exchange->own, &error))
        status = fail_error(args->command->name, &error);
    if (!status)
        status = command ? ask_child(exchange, peer, &child, manner)
                         : ask_file(exchange, peer, manner, question);
    child_end(&child);
    return status ? status : exchange_check(exchange, peer, manner);
}

/* ---- Answering ----------------------------------------------------------------------------- */

int exchange_answer(struct exchange *exchange, char *file,
                    const struct exchange_manner *manner)
{
    ninho_exchange_options options = NINHO_EXCHANGE_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    *exchange = (struct exchange){.own = NULL};
    options.max_bytes = manner->options.max_memory;
    int status = read_secret(exchange, manner, &options);
    if (!status)
        status = random_bytes(options.nonce, sizeof options.nonce);
    if (!status)
        status = lines_read(&exchange->here, file, &manner->format);
    if (!status &&
        ninho_exchange_answer(exchange->here.set, &options, &exchange->own, &error))
        status = fail_error(file, &error);
    if (status)
        return status;
    const struct side side = side_of(exchange->own);
    return peer_talk_to_caller(&side, &manner->peer);
}

void exchange_free(struct exchange *exchange)
{
    ninho_exchange_free(exchange->own);
    ninho_exchange_free(exchange->other);
    lines_free(&exchange->here);
    lines_free(&exchange->there);
}

/* ---- The answer ---------------------------------------------------------------------------- */

/* A line of the answer. */
struct answer_line {
    const char *bytes;
    size_t size;
    ninho_sets_part part;
};

static int by_bytes(const void *left, const void *right)
{
    const struct answer_line *a = left;
    const struct answer_line *b = right;
    const int order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);

    if (order)
        return order;
    return (a->size > b->size) - (a->size < b->size);
}

static const ninho_sets_part all[] = {NINHO_SETS_ONLY_HERE, NINHO_SETS_ONLY_THERE,
                                      NINHO_SETS_IN_BOTH};

/* All lines in their order; *lines is the caller's to free. */
static int sort_lines(const ninho_exchange *exchange, unsigned parts,
                      struct answer_line **lines, size_t *n)
{
    size_t room = 0;

    *n = 0;
    for (size_t p = 0; p < sizeof all / sizeof *all; p++)
        if (parts >> all[p] & 1)
            room += ninho_exchange_count(exchange, all[p]);
    *lines = calloc(room ? room : 1, sizeof **lines);
    if (!*lines)
        return fail_no_memory();
    for (size_t p = 0; p < sizeof all / sizeof *all; p++) {
        const size_t count =
            parts >> all[p] & 1 ? ninho_exchange_count(exchange, all[p]) : 0;
        for (size_t i = 0; i < count; i++) {
            struct answer_line *line = &(*lines)[(*n)++];
            line->part = all[p];
            line->bytes = ninho_exchange_item(exchange, all[p], i, &line->size);
        }
    }
    qsort(*lines, *n, sizeof **lines, by_bytes);
    return EXIT_YES;
}

/* What makes this item none of the lines, as words; NULL: nothing does. */
static const char *not_a_line(const char *item, size_t size,
                              const struct key_options *keys)
{
    if (size && memchr(item, keys->nul ? '\0' : '\n', size))
        return keys->nul ? "holds a NUL byte" : "holds a newline";
    if (keys->crlf && size && item[size - 1] == '\r')
        return "ends with a carriage return";
    return NULL;
}

/* The line that is printed for a key, where keys are fields; NULL: the key itself is. */
static const struct whole_line *line_of(const struct exchange *exchange,
                                        ninho_sets_part part, const char *key,
                                        size_t size)
{
    return lines_of_key(
        part == NINHO_SETS_ONLY_THERE ? &exchange->there : &exchange->here, key, size);
}

int exchange_check(const struct exchange *exchange, const char *name,
                   const struct exchange_manner *manner)
{
    for (size_t p = 0; !manner->options.escape && p < sizeof all / sizeof *all; p++) {
        for (size_t i = 0; i < ninho_exchange_count(exchange->own, all[p]); i++) {
            char shown[100];
            size_t size = 0;
            const char *item = ninho_exchange_item(exchange->own, all[p], i, &size);
            const char *why = not_a_line(item, size, &manner->keys);
            if (!why || line_of(exchange, all[p], item, size))
                continue;
            (void)visible_copy(shown, sizeof shown, item, size);
            return fail("%s: the answer has an item that %s, %s: it is no line "
                        "(--escape prints such items)",
                        name, why, shown);
        }
    }
    return EXIT_YES;
}

static int write_item(struct outfile *output, const struct answer_line *line, bool escape)
{
    char shown[VISIBLE_ROOM];
    size_t n_shown = 0;
    int status = EXIT_YES;

    if (!escape)
        return outfile_write(output, line->bytes, line->size);
    for (size_t at = 0; at < line->size && !status;) {
        at += visible_next(line->bytes + at, line->size - at, VISIBLE_EXACT, shown,
                           &n_shown);
        status = outfile_write(output, shown, n_shown);
    }
    return status;
}

int exchange_write(const struct exchange *exchange, unsigned parts,
                   const struct exchange_manner *manner, struct outfile *output)
{
    struct answer_line *lines = NULL;
    size_t n = 0;
    int status = sort_lines(exchange->own, parts, &lines, &n);

    output->separator = manner->keys.nul ? '\0' : '\n';
    for (size_t i = 0; !status && i < n && !output_failed(); i++) {
        const struct whole_line *line =
            line_of(exchange, lines[i].part, lines[i].bytes, lines[i].size);
        if (line) {
            lines[i].bytes = line->bytes;
            lines[i].size = line->size;
        }
        if (lines[i].part == NINHO_SETS_ONLY_THERE)
            status = outfile_write(output, "\t", 1);
        if (!status)
            status = write_item(output, &lines[i], manner->options.escape);
        if (!status)
            status = outfile_write(output, &output->separator, 1);
    }
    free(lines);
    return status;
}

int exchange_print(const struct exchange *exchange, unsigned parts,
                   const struct exchange_manner *manner)
{
    struct outfile output = OUTFILE_INIT;
    int status = outfile_open(&output, "-");

    if (!status)
        status = exchange_write(exchange, parts, manner, &output);
    outfile_close(&output);
    return status;
}
