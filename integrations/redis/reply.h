/* SPDX-License-Identifier: MIT */
/* What every command does: open its key, read its numbers, answer, tell the replicas. */
#ifndef NR_REPLY_H
#define NR_REPLY_H

#include "object.h"

#define NR_NOT_FOUND "ERR not found"
#define NR_EXISTS    "ERR item exists"

/* Arguments of a command. */
struct nr_args {
    RedisModuleCtx *ctx;
    RedisModuleString **argv;
    int argc;
    bool has_limits; /* not what a primary or a file accepted already */
};

/* Starts a command: sets the cap, if the limits hold for it. */
struct nr_args nr_begin(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

/* What is under a name. */
enum nr_found {
    NR_FOUND,
    NR_MISSING,
    NR_REPLIED /* of another type or face, still loading, or not to be read: the error was
                * sent */
};

/* Opens argv[at] for REDISMODULE_READ or also WRITE. The key (NULL: missing and not
 * writable) is closed by nr_close(). `face` is 0 for any. */
enum nr_found nr_open(const struct nr_args *args, int at, int mode, unsigned face,
                      RedisModuleKey **key, struct nr_object **object);
void nr_close(RedisModuleKey *key);

/* Puts a new object under a key opened for writing, in place of what was there. It is a new
 * key with nr_store(); nr_update() lets one that is there keep the time that it expires at. */
void nr_store(RedisModuleKey *key, struct nr_object *object);
void nr_update(RedisModuleKey *key, struct nr_object *object);

/* argv[1] was changed: tells watchers; nr_changed() also sends the command as it came to
 * replicas and the AOF. */
void nr_touched(const struct nr_args *args);
void nr_changed(const struct nr_args *args);

/* The same where some of n items were refused, for memory or for work: a replica, which has
 * no cap, must not take what was not taken here. Sends "command key", the word (or NULL)
 * and those whose answer is 1. */
void nr_changed_by(const struct nr_args *args, const char *command, const char *word,
                   RedisModuleString **items, const int8_t *answers, size_t n);

/* Sends an error, formatted and on one line; always REDISMODULE_OK. */
int nr_error(RedisModuleCtx *ctx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, for functions that read arguments: always false. */
bool nr_refuse(RedisModuleCtx *ctx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The error of a library call, with the advice that belongs to the cap. */
int nr_fail(RedisModuleCtx *ctx, const ninho_error *error);

/* Whether that is too much for one command that works on all of it (MERGE, UNION, EXPORT,
 * IMPORT); then the error was sent. */
bool nr_is_too_large(const struct nr_args *args, size_t n_bytes);

/* Whether a client may change the filter, or unite it; if not, the error was sent. What a
 * primary or a file has accepted is not refused. */
bool nr_is_free(const struct nr_args *args, const ninho_filter *filter);

bool nr_is_resp3(RedisModuleCtx *ctx);
bool nr_is_word(const RedisModuleString *argument, const char *word);

/* An integer in [min, max]; false otherwise, nothing sent. */
bool nr_integer(const RedisModuleString *argument, long long min, long long max,
                long long *value);

/* A name and a number, in a map. */
void nr_pair(RedisModuleCtx *ctx, const char *name, uint64_t value);

#endif
