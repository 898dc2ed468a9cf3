/* SPDX-License-Identifier: MIT */
/* What bytes are, without opening them: a filter or a dictionary, of which kind, keyed or not. */
#ifndef NINHO_PROBE_H
#define NINHO_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/dict.h>
#include <ninho/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* So many bytes from the beginning are always enough. */
#define NINHO_PROBE_BYTES 6336

typedef struct ninho_probe_info {
    size_t size_of_struct; /* set by the caller: start from NINHO_PROBE_INIT */
    bool is_filter;        /* one of these two */
    bool is_dict;
    bool is_keyed;       /* hashed under a secret */
    bool has_attachment; /* of filters */
    bool count_is_estimate;
    ninho_kind filter_kind;    /* 0 if it is a dictionary */
    ninho_dict_kind dict_kind; /* 0 if it is a filter */
    ninho_hash_id hash;        /* 0: a dictionary's own */
    ninho_key_encoding key_encoding;
    uint32_t format_version;
    uint32_t header_bytes;
    uint64_t body_bytes; /* the two together are the size of the file */
    uint64_t capacity;
    uint64_t count;
} ninho_probe_info;

#define NINHO_PROBE_INIT NINHO_INIT_(ninho_probe_info)

/* Reads the header at the beginning of `bytes`, which are the whole or its first
 * NINHO_PROBE_BYTES, and fills *info. The header's checksum and numbers are checked; that the
 * body is there and fits them is not: only opening does that. NINHO_ERR_FORMAT, NINHO_ERR_VERSION
 * (of a newer ninho, or a kind that is not known), NINHO_ERR_CHECKSUM, NINHO_ERR_ARG for a
 * size_of_struct of 0. Allocates nothing. Any thread. */
NINHO_API ninho_status ninho_probe(const void *bytes, size_t size, ninho_probe_info *info,
                                   ninho_error *error);

/* The same of a file. Also NINHO_ERR_IO, and NINHO_ERR_ARG if it is no regular file. */
NINHO_API ninho_status ninho_probe_file(const char *path, ninho_probe_info *info,
                                        ninho_error *error);

#ifdef __cplusplus
}
#endif

#endif
