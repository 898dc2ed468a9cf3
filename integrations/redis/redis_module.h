/* SPDX-License-Identifier: MIT */
/* What this module uses of Redis' module interface (version 1), as documented there: no
 * more than that, since Debian packages no header. The server fills the function pointers:
 * it hands the module a function that finds others by name, in the first word of the
 * context that the module is loaded with.
 *
 * They are kept in one struct, so that a call is written redis.Name(...). */
#ifndef NR_REDIS_MODULE_H
#define NR_REDIS_MODULE_H

#include <stddef.h>
#include <stdint.h>

#define REDISMODULE_OK               0
#define REDISMODULE_ERR              1
#define REDISMODULE_API_VERSION      1
#define REDISMODULE_TYPE_VERSION     4 /* of the methods of a data type, as of 7.0 */
#define REDISMODULE_READ             (1 << 0)
#define REDISMODULE_WRITE            (1 << 1)
#define REDISMODULE_KEYTYPE_EMPTY    0
#define REDISMODULE_POSTPONED_LENGTH (-1)

#define REDISMODULE_CTX_SLAVE      (1 << 3)
#define REDISMODULE_CTX_REPLICATED (1 << 12)
#define REDISMODULE_CTX_LOADING    (1 << 13)
#define REDISMODULE_CTX_RESP3      (1 << 22)

#define REDISMODULE_OPTION_HANDLE_IO_ERRORS (1 << 0)
#define REDISMODULE_OPTION_NO_SIGNAL        (1 << 1) /* modified keys are told by hand */

#define REDISMODULE_CONFIG_DEFAULT 0
#define REDISMODULE_CONFIG_MEMORY  (1 << 7)

#define REDISMODULE_KEY_RO     (1 << 0)
#define REDISMODULE_KEY_RW     (1 << 1)
#define REDISMODULE_KEY_ACCESS (1 << 4)
#define REDISMODULE_KEY_UPDATE (1 << 5)

#define REDISMODULE_WRONGTYPE \
    "WRONGTYPE Operation against a key holding the wrong kind of value"

typedef struct RedisModuleCtx RedisModuleCtx;
typedef struct RedisModuleKey RedisModuleKey;
typedef struct RedisModuleString RedisModuleString;
typedef struct RedisModuleType RedisModuleType;
typedef struct RedisModuleIO RedisModuleIO;
typedef struct RedisModuleDigest RedisModuleDigest;
typedef struct RedisModuleDefragCtx RedisModuleDefragCtx;
typedef struct RedisModuleKeyOptCtx RedisModuleKeyOptCtx;
typedef struct RedisModuleCommand RedisModuleCommand;
typedef uint64_t RedisModuleTimerID;

typedef int (*RedisModuleCommandFunc)(RedisModuleCtx *ctx, RedisModuleString **argv,
                                      int argc);
typedef void (*RedisModuleTimerFunc)(RedisModuleCtx *ctx, void *data);

typedef struct RedisModuleTypeMethods {
    uint64_t version;
    void *(*rdb_load)(RedisModuleIO *io, int encver);
    void (*rdb_save)(RedisModuleIO *io, void *value);
    void (*aof_rewrite)(RedisModuleIO *io, RedisModuleString *key, void *value);
    size_t (*mem_usage)(const void *value);
    void (*digest)(RedisModuleDigest *digest, void *value);
    void (*free)(void *value);
    int (*aux_load)(RedisModuleIO *io, int encver, int when);
    void (*aux_save)(RedisModuleIO *io, int when);
    int aux_save_triggers;
    size_t (*free_effort)(RedisModuleString *key, const void *value);
    void (*unlink)(RedisModuleString *key, const void *value);
    void *(*copy)(RedisModuleString *from, RedisModuleString *to, const void *value);
    int (*defrag)(RedisModuleDefragCtx *ctx, RedisModuleString *key, void **value);
    size_t (*mem_usage2)(RedisModuleKeyOptCtx *ctx, const void *value, size_t samples);
    size_t (*free_effort2)(RedisModuleKeyOptCtx *ctx, const void *value);
    void (*unlink2)(RedisModuleKeyOptCtx *ctx, const void *value);
    void *(*copy2)(RedisModuleKeyOptCtx *ctx, const void *value);
} RedisModuleTypeMethods;

/* What COMMAND DOCS and the cluster know of a command. */
typedef struct RedisModuleCommandHistoryEntry {
    const char *since;
    const char *changes;
} RedisModuleCommandHistoryEntry;

enum { REDISMODULE_BEGIN_AT_INDEX = 2, REDISMODULE_FIND_RANGE = 2 };

typedef struct RedisModuleCommandKeySpec {
    const char *notes;
    uint64_t flags; /* REDISMODULE_KEY_* */
    int begin_search_type;
    union {
        struct {
            int pos;
        } index;
        struct {
            const char *keyword;
            int startfrom;
        } keyword;
    } bs;
    int find_keys_type;
    union {
        struct {
            int lastkey;
            int keystep;
            int limit;
        } range;
        struct {
            int keynumidx;
            int firstkey;
            int keystep;
        } keynum;
    } fk;
} RedisModuleCommandKeySpec;

typedef struct RedisModuleCommandInfoVersion {
    int version;
    size_t sizeof_historyentry;
    size_t sizeof_keyspec;
    size_t sizeof_arg;
} RedisModuleCommandInfoVersion;

typedef struct RedisModuleCommandInfo {
    const RedisModuleCommandInfoVersion *version;
    const char *summary;
    const char *complexity;
    const char *since;
    RedisModuleCommandHistoryEntry *history;
    const char *tips;
    int arity;
    RedisModuleCommandKeySpec *key_specs; /* ends with a zeroed one */
    void *args;                           /* not used here */
} RedisModuleCommandInfo;

typedef RedisModuleString *(*RedisModuleGetString)(const char *name, void *data);
typedef int (*RedisModuleSetString)(const char *name, RedisModuleString *value,
                                    void *data, RedisModuleString **error);
typedef long long (*RedisModuleGetNumber)(const char *name, void *data);
typedef int (*RedisModuleSetNumber)(const char *name, long long value, void *data,
                                    RedisModuleString **error);
typedef int (*RedisModuleApply)(RedisModuleCtx *ctx, void *data,
                                RedisModuleString **error);

/* X(result, name, arguments) */
#define REDISMODULE_CALLS(X)                                                             \
    X(void *, Alloc, (size_t size))                                                      \
    X(void *, TryAlloc, (size_t size))                                                   \
    X(void *, Calloc, (size_t n, size_t size))                                           \
    X(void *, Realloc, (void *memory, size_t size))                                      \
    X(void, Free, (void *memory))                                                        \
    X(int, IsModuleNameBusy, (const char *name))                                         \
    X(void, SetModuleAttribs,                                                            \
      (RedisModuleCtx * ctx, const char *name, int version, int api_version))            \
    X(void, SetModuleOptions, (RedisModuleCtx * ctx, int options))                       \
    X(int, CreateCommand,                                                                \
      (RedisModuleCtx * ctx, const char *name, RedisModuleCommandFunc function,          \
       const char *flags, int first_key, int last_key, int key_step))                    \
    X(RedisModuleCommand *, GetCommand, (RedisModuleCtx * ctx, const char *name))        \
    X(int, SetCommandInfo,                                                               \
      (RedisModuleCommand * command, const RedisModuleCommandInfo *info))                \
    X(RedisModuleType *, CreateDataType,                                                 \
      (RedisModuleCtx * ctx, const char *name, int encver,                               \
       RedisModuleTypeMethods *methods))                                                 \
    X(int, GetContextFlags, (RedisModuleCtx * ctx))                                      \
    X(int, GetSelectedDb, (RedisModuleCtx * ctx))                                        \
    X(int, SelectDb, (RedisModuleCtx * ctx, int db))                                     \
    X(void *, OpenKey, (RedisModuleCtx * ctx, RedisModuleString * name, int mode))       \
    X(void, CloseKey, (RedisModuleKey * key))                                            \
    X(int, KeyType, (RedisModuleKey * key))                                              \
    X(RedisModuleType *, ModuleTypeGetType, (RedisModuleKey * key))                      \
    X(void *, ModuleTypeGetValue, (RedisModuleKey * key))                                \
    X(int, ModuleTypeSetValue,                                                           \
      (RedisModuleKey * key, RedisModuleType * type, void *value))                       \
    X(int, ModuleTypeReplaceValue,                                                       \
      (RedisModuleKey * key, RedisModuleType * type, void *value, void **old))           \
    X(int, SignalModifiedKey, (RedisModuleCtx * ctx, RedisModuleString * key))           \
    X(RedisModuleString *, CreateString,                                                 \
      (RedisModuleCtx * ctx, const char *bytes, size_t size))                            \
    X(void, FreeString, (RedisModuleCtx * ctx, RedisModuleString * string))              \
    X(const char *, StringPtrLen, (const RedisModuleString *string, size_t *size))       \
    X(int, StringToLongLong, (const RedisModuleString *string, long long *value))        \
    X(int, StringToDouble, (const RedisModuleString *string, double *value))             \
    X(int, WrongArity, (RedisModuleCtx * ctx))                                           \
    X(int, ReplyWithError, (RedisModuleCtx * ctx, const char *text))                     \
    X(int, ReplyWithSimpleString, (RedisModuleCtx * ctx, const char *text))              \
    X(int, ReplyWithLongLong, (RedisModuleCtx * ctx, long long value))                   \
    X(int, ReplyWithBool, (RedisModuleCtx * ctx, int value))                             \
    X(int, ReplyWithDouble, (RedisModuleCtx * ctx, double value))                        \
    X(int, ReplyWithNull, (RedisModuleCtx * ctx))                                        \
    X(int, ReplyWithArray, (RedisModuleCtx * ctx, long n))                               \
    X(int, ReplyWithMap, (RedisModuleCtx * ctx, long n))                                 \
    X(void, ReplySetArrayLength, (RedisModuleCtx * ctx, long n))                         \
    X(int, ReplyWithStringBuffer,                                                        \
      (RedisModuleCtx * ctx, const char *bytes, size_t size))                            \
    X(int, Replicate,                                                                    \
      (RedisModuleCtx * ctx, const char *command, const char *format, ...))              \
    X(int, ReplicateVerbatim, (RedisModuleCtx * ctx))                                    \
    X(int, AvoidReplicaTraffic, (void))                                                  \
    X(int, RedactClientCommandArgument, (RedisModuleCtx * ctx, int at))                  \
    X(void, SaveUnsigned, (RedisModuleIO * io, uint64_t value))                          \
    X(uint64_t, LoadUnsigned, (RedisModuleIO * io))                                      \
    X(void, SaveStringBuffer, (RedisModuleIO * io, const char *bytes, size_t size))      \
    X(char *, LoadStringBuffer, (RedisModuleIO * io, size_t * size))                     \
    X(int, IsIOError, (RedisModuleIO * io))                                              \
    X(RedisModuleString *, SaveDataTypeToString,                                         \
      (RedisModuleCtx * ctx, void *value, const RedisModuleType *type))                  \
    X(void, EmitAOF, (RedisModuleIO * io, const char *command, const char *format, ...)) \
    X(void, LogIOError,                                                                  \
      (RedisModuleIO * io, const char *level, const char *format, ...))                  \
    X(RedisModuleCtx *, GetContextFromIO, (RedisModuleIO * io))                          \
    X(void, DigestAddStringBuffer,                                                       \
      (RedisModuleDigest * digest, const char *bytes, size_t size))                      \
    X(void, DigestEndSequence, (RedisModuleDigest * digest))                             \
    X(void *, DefragAlloc, (RedisModuleDefragCtx * ctx, void *memory))                   \
    X(RedisModuleTimerID, CreateTimer,                                                   \
      (RedisModuleCtx * ctx, long long period_ms, RedisModuleTimerFunc function,         \
       void *data))                                                                      \
    X(int, RegisterStringConfig,                                                         \
      (RedisModuleCtx * ctx, const char *name, const char *value, unsigned flags,        \
       RedisModuleGetString get, RedisModuleSetString set, RedisModuleApply apply,       \
       void *data))                                                                      \
    X(int, RegisterNumericConfig,                                                        \
      (RedisModuleCtx * ctx, const char *name, long long value, unsigned flags,          \
       long long min, long long max, RedisModuleGetNumber get, RedisModuleSetNumber set, \
       RedisModuleApply apply, void *data))                                              \
    X(int, LoadConfigs, (RedisModuleCtx * ctx))                                          \
    X(void, Log, (RedisModuleCtx * ctx, const char *level, const char *format, ...))

/* The server's functions: redis.OpenKey(...). */
struct redis_calls {
#define NR_FIELD(result, name, arguments) result(*name) arguments;
    REDISMODULE_CALLS(NR_FIELD)
#undef NR_FIELD
};

extern struct redis_calls redis;

/* Finds all of them. The name of the first that the server lacks, or NULL. */
const char *nr_redis_find_calls(RedisModuleCtx *ctx);

#endif
