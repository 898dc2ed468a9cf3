/* SPDX-License-Identifier: MIT */
/* What a call that can fail returns. */
#ifndef NINHO_STATUS_H
#define NINHO_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include <ninho/version.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__MINGW32__) /* whose own printf has no %zu */
#define NINHO_PRINTF_(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define NINHO_PRINTF_(text, first) __attribute__((format(printf, text, first)))
#else
#define NINHO_PRINTF_(text, first)
#endif

/* The numbers are pinned: they cross process and language borders. */
typedef enum ninho_status {
    NINHO_OK = 0,
    NINHO_ERR_ARG = 1,         /* an argument is out of its documented range */
    NINHO_ERR_NOMEM = 2,       /* no memory, or more than can be addressed */
    NINHO_ERR_FULL = 3,        /* no room for this key: nothing was changed */
    NINHO_ERR_UNSUPPORTED = 4, /* this kind cannot; its capabilities say so */
    NINHO_ERR_NOT_FOUND = 5,   /* certainly not there; nothing was changed */
    NINHO_ERR_MISMATCH = 6,    /* two filters differ where they must agree */
    NINHO_ERR_BUILD = 7,       /* a static construction gave up: try another seed */
    NINHO_ERR_SPACE = 8, /* the caller's buffer is too small; the size needed was given */
    NINHO_ERR_KEY_MISSING = 9, /* keyed, and no secret was given */
    NINHO_ERR_IO = 10,         /* the system refused; ninho_error.system_errno says why */
    NINHO_ERR_FORMAT = 11, /* not our bytes, truncated, or numbers that contradict them */
    NINHO_ERR_VERSION = 12,    /* from a newer ninho: version, kind or flag unknown */
    NINHO_ERR_CHECKSUM = 13,   /* the bytes were damaged */
    NINHO_ERR_KEY_WRONG = 14,  /* keyed, and the secret is not the right one */
    NINHO_ERR_KEY_UNUSED = 15, /* a secret was given, and there is none to match */
    NINHO_ERR_CHANGED = 16 /* the file was replaced by somebody else in the meantime */
} ninho_status;

/* A short English phrase for a status, never NULL, static. Any thread. */
NINHO_API const char *ninho_status_text(ninho_status status);

/* A field of a spec, or of a file, that an error is about. The numbers are pinned. */
typedef enum ninho_field {
    NINHO_FIELD_NONE = 0,
    /* of ninho_spec, and of ninho_dict_spec where it has them */
    NINHO_FIELD_KIND = 1,
    NINHO_FIELD_HASH = 2,
    NINHO_FIELD_KEY_ENCODING = 3,
    NINHO_FIELD_PAGES = 4,
    NINHO_FIELD_CAPACITY = 5,
    NINHO_FIELD_FPR = 6,
    NINHO_FIELD_SEED = 7,
    NINHO_FIELD_SECRET = 8,
    NINHO_FIELD_N_BITS = 9,
    NINHO_FIELD_N_HASHES = 10,
    NINHO_FIELD_K_RULE = 11,
    NINHO_FIELD_BASE = 12,
    NINHO_FIELD_GROWTH = 13,
    NINHO_FIELD_MAX_CAPACITY = 14,
    NINHO_FIELD_TAG_BITS = 15,
    NINHO_FIELD_ARITY = 16,
    NINHO_FIELD_SLOTS = 17,
    NINHO_FIELD_PLACE_SLOTS = 18,
    NINHO_FIELD_CHOICE = 19,
    NINHO_FIELD_SEARCH = 20,
    NINHO_FIELD_PAIRING = 21,
    NINHO_FIELD_MAX_KICKS = 22,
    NINHO_FIELD_BUDGET = 23,
    NINHO_FIELD_SEMANTICS = 24,
    NINHO_FIELD_N_SLOTS = 25,
    NINHO_FIELD_PREFER = 26,
    /* of ninho_dict_spec */
    NINHO_FIELD_KEY_SIZE = 40,
    NINHO_FIELD_N_FUNCTIONS = 41,
    NINHO_FIELD_BUCKET_SIZE = 42,
    NINHO_FIELD_N_TABLES = 43,
    NINHO_FIELD_STASH_SIZE = 44,
    NINHO_FIELD_MAX_MOVES = 45,
    NINHO_FIELD_N_BUCKETS = 46,
    /* of the bytes of a filter or dictionary */
    NINHO_FIELD_TABLE_SIZE = 60, /* number of cells: bits, blocks, counters, slots */
    NINHO_FIELD_META = 62,
    NINHO_FIELD_ATTACHMENT = 63
} ninho_field;

/* The field as the C interface spells it: "tag_bits". NULL for NINHO_FIELD_NONE and unknown
 * numbers. Static. Any thread. */
NINHO_API const char *ninho_field_name(ninho_field field);

/* Details of a failure. Start from NINHO_ERROR_INIT (all zero will do too). Calls that take a
 * `ninho_error *` accept NULL; on failure they fill it, on success they leave it alone. */
typedef struct ninho_error {
    size_t size_of_struct; /* set by the caller: sizeof(ninho_error) */
    ninho_status status;
    int system_errno;  /* 0 unless status is NINHO_ERR_IO */
    ninho_field field; /* which field is meant; NINHO_FIELD_NONE if it is about none */
    /* The field's name stands at the beginning of `text` and is so many bytes long, so that a
     * program can put its own name for it there. 0: the text does not begin with it. */
    uint32_t name_bytes;
    /* What the field may be, where that is a range of numbers; both 0 where it is not. */
    double least, most;
    /* Of NINHO_ERR_FORMAT and NINHO_ERR_CHECKSUM: the first byte of what is wrong, counted
     * from the beginning of the file; UINT64_MAX if no place can be named. */
    uint64_t offset;
    char text[240]; /* one line without a newline, for people */
} ninho_error;

#define NINHO_ERROR_INIT NINHO_INIT_(ninho_error)

/* Fills *error, which may be NULL, and returns `status`: for programs that hand their own
 * failures on as the library does. `format` is printf's. Any thread. */
NINHO_API ninho_status ninho_error_set(ninho_error *error, ninho_status status,
                                       const char *format, ...) NINHO_PRINTF_(3, 4);

/* The same with NINHO_ERR_IO, the number, and the system's text for it after `what` and a
 * colon. */
NINHO_API ninho_status ninho_error_set_errno(ninho_error *error, int system_errno,
                                             const char *what);

/* clang-format off */
/* How structs that carry their size are begun: all zero but for that size. */
#ifdef __cplusplus
extern "C++" {
template <class Struct> inline Struct ninho_init_()
{
    Struct made = Struct();
    made.size_of_struct = sizeof(Struct);
    return made;
}
}
#define NINHO_INIT_(type) ninho_init_<type>()
#else
#define NINHO_INIT_(type) {.size_of_struct = sizeof(type)}
#endif
/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif
