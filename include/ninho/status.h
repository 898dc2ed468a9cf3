/* SPDX-License-Identifier: MIT */
/* What a call that can fail answers. */
#ifndef NINHO_STATUS_H
#define NINHO_STATUS_H

#include <ninho/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are pinned for ever: they cross process and language borders. */
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
    NINHO_ERR_KEY = 9,   /* the secret is missing, or not the right one */
    NINHO_ERR_IO = 10,   /* the system refused; ninho_error.system_errno says why */
    NINHO_ERR_FORMAT = 11, /* not our bytes, cut short, or numbers that contradict them */
    NINHO_ERR_VERSION = 12, /* from a newer ninho: version, kind or flag unknown */
    NINHO_ERR_CHECKSUM = 13 /* the bytes were damaged */
} ninho_status;

/* A short English phrase for a status, never NULL, static. Any thread. */
NINHO_API const char *ninho_status_text(ninho_status status);

/* Details of a failure, for people. Calls that take a `ninho_error *` accept NULL; on
 * failure they fill it, on success they leave it alone. `text` is one line without a
 * newline, and says which field or range is meant. `system_errno` is 0 unless status is
 * NINHO_ERR_IO. */
typedef struct ninho_error {
    ninho_status status;
    int system_errno;
    char text[240];
} ninho_error;

#ifdef __cplusplus
}
#endif

#endif
