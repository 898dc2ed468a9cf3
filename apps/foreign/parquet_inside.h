/* SPDX-License-Identifier: MIT */
/* What the files on Parquet share. */
#ifndef NINHO_FOREIGN_PARQUET_INSIDE_H
#define NINHO_FOREIGN_PARQUET_INSIDE_H

#include "apps/base/base.h"
#include "parquet.h"
#include "thrift.h"

#define NF_BLOCK_SIZE 32
#define NF_MAX_PATH   1024 /* bytes of a column's path */

/* Where the filter of a column chunk is. */
struct nf_chunk {
    uint64_t offset; /* 0: there is none */
    uint64_t size;   /* header and blocks; 0: not told */
};

/* The blocks of a filter. */
struct nf_blocks {
    uint64_t at;   /* in the file */
    uint64_t size; /* 0: no filter */
};

struct ninho_parquet {
    ninho_alloc alloc;
    ninho_parquet_source source;
    struct na_array columns; /* ninho_parquet_column; each owns its path */
    struct na_array rows;    /* uint64_t, one per group */
    struct na_array chunks;  /* struct nf_chunk, n_columns per group */
    /* the chunk that was asked last, and its blocks */
    const struct nf_chunk *last;
    struct nf_blocks last_blocks;
    /* the filter that was read last */
    uint8_t *filter_bytes;
    size_t filter_size;
    ninho_view view;
};

/* Metadata being read. */
struct nf_reading {
    struct na_reader reader;
    ninho_parquet *parquet;
    ninho_status status; /* other than a mistake in the bytes */
    size_t n_left;       /* elements of the schema that are still to come */
    uint64_t path_room;  /* bytes that the paths of columns may still take */
    char path[NF_MAX_PATH];
};

/* Reads the schema, once and before any row group, into the columns of reading->parquet. */
void nf_read_schema(struct nf_reading *reading, enum nf_type type);

/* Reads the header of a filter: how long it is, and how many bytes of blocks it tells. The number is one that a
 * filter can have; whether so many bytes are there is for the caller to see. */
ninho_status nf_read_filter_header(const void *bytes, size_t size, size_t *header_size,
                                   uint32_t *n_bytes, ninho_error *error);

#endif
