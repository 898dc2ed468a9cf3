/* SPDX-License-Identifier: MIT */
/* Compressed bytes: recognised by how they begin, unpacked and packed as they come. Each format is
 * one library of the system, and one that was not there when the tool was built is named. */
#ifndef CLI_INFLATE_H
#define CLI_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

enum packing {
    PACKING_NONE,
    PACKING_GZIP,
    PACKING_XZ,
    PACKING_ZSTD,
    PACKING_BZIP2,
    PACKING_UNSURE /* more bytes are needed to tell */
};

/* So many bytes always tell. */
#define PACKING_BYTES 10

/* How data that begin so are compressed. */
enum packing packing_of(const void *bytes, size_t n);
/* "gzip"; static. */
const char *packing_name(enum packing packing);

/* ---- Unpacking ----------------------------------------------------------------------------- */

/* Memory stays bounded whatever the bytes say: a window of more than MOST_WINDOW is refused. */
#define MOST_WINDOW ((size_t)256 << 20)

struct inflater;

/* What is to be unpacked, and where to. inflater_run() moves the pointers on. */
struct inflate_step {
    const unsigned char *in;
    size_t n_in;
    bool is_end; /* nothing comes behind `in` */
    unsigned char *out;
    size_t n_out;
};

enum inflate_result {
    INFLATE_MORE, /* it needs more input, or room */
    INFLATE_END,  /* all has been unpacked */
    INFLATE_FAILED
};

/* NULL if memory does not suffice or the format is not known here: *why tells, static. */
struct inflater *inflater_new(enum packing packing, const char **why);
void inflater_free(struct inflater *inflater);

/* Unpacks. Streams that follow one another are one; zero bytes behind the last are padding. *why
 * is what failed, static. */
enum inflate_result inflater_run(struct inflater *inflater, struct inflate_step *step,
                                 const char **why);

/* ---- Packing ------------------------------------------------------------------------------- */

struct deflater; /* gzip */

/* NULL as above. */
struct deflater *deflater_new(const char **why);
void deflater_free(struct deflater *deflater);

/* Takes in all of the bytes; sink(context, ...) gets what comes out, and a result of it other than 0
 * ends the work and is handed on. n = 0: the end of the stream. -1 if memory does not suffice. */
int deflater_run(struct deflater *deflater, const void *bytes, size_t n,
                 int (*sink)(void *context, const void *bytes, size_t n), void *context);

#endif
