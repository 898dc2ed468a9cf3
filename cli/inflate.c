/* SPDX-License-Identifier: MIT */
#include "inflate.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if NINHO_CLI_WITH_ZLIB
#include <zlib.h>
#endif
#if NINHO_CLI_WITH_LZMA
#include <lzma.h>
#endif
#if NINHO_CLI_WITH_ZSTD
#include <zstd.h>
#endif
#if NINHO_CLI_WITH_BZIP2
#include <bzlib.h>
#endif

#define NO_MEMORY "not enough memory to unpack it"
#define DAMAGED   "the compressed data are damaged"

/* ---- How data begin ------------------------------------------------------------------------ */

struct start {
    enum packing packing;
    uint8_t n;
    uint8_t bytes[PACKING_BYTES];
    uint8_t mask[PACKING_BYTES]; /* bits that may be either */
};

static const struct start starts[] = {
    {PACKING_GZIP, 3, {0x1f, 0x8b, 0x08}, {0}},
    {PACKING_XZ, 6, {0xfd, '7', 'z', 'X', 'Z', 0x00}, {0}},
    {PACKING_ZSTD, 4, {0x28, 0xb5, 0x2f, 0xfd}, {0}},
    {PACKING_ZSTD, 4, {0x50, 0x2a, 0x4d, 0x18}, {0x0f}}, /* a frame to be skipped */
    /* a block, or the end of an empty stream; the digit is the size of blocks */
    {PACKING_BZIP2,
     10,
     {'B', 'Z', 'h', '0', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59},
     {0, 0, 0, 0x0f}},
    {PACKING_BZIP2,
     10,
     {'B', 'Z', 'h', '0', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90},
     {0, 0, 0, 0x0f}},
};

enum packing packing_of(const void *bytes, size_t n)
{
    const uint8_t *data = bytes;
    enum packing packing = PACKING_NONE;

    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
        const struct start *start = &starts[s];
        size_t i = 0;
        while (i < start->n && i < n &&
               (data[i] | start->mask[i]) == (start->bytes[i] | start->mask[i]))
            i++;
        if (i == start->n)
            return start->packing;
        if (i == n)
            packing = PACKING_UNSURE;
    }
    return packing;
}

const char *packing_name(enum packing packing)
{
    static const char *const names[] = {"nothing", "gzip", "xz", "zstd", "bzip2"};

    assert(packing < PACKING_UNSURE);
    return names[packing];
}

/* ---- The formats --------------------------------------------------------------------------- */

/* What one call of a library came to. */
enum step_result { STEP_OK, STEP_STREAM_END, STEP_ALL, STEP_STUCK, STEP_FAILED };

struct codec {
    bool (*begin)(struct inflater *inflater); /* a stream; false: no memory */
    enum step_result (*step)(struct inflater *inflater, struct inflate_step *step,
                             const char **why);
    void (*end)(struct inflater *inflater);
};

struct inflater {
    enum packing packing;
    const struct codec *codec;
    bool is_begun;   /* the library holds something */
    bool is_between; /* streams */
    union {
#if NINHO_CLI_WITH_ZLIB
        z_stream zlib;
#endif
#if NINHO_CLI_WITH_LZMA
        lzma_stream lzma;
#endif
#if NINHO_CLI_WITH_ZSTD
        ZSTD_DStream *zstd;
#endif
#if NINHO_CLI_WITH_BZIP2
        bz_stream bzip2;
#endif
        char nothing;
    } state;
};

/* A library that counts in 32 bits gets no more at once. */
#if NINHO_CLI_WITH_ZLIB || NINHO_CLI_WITH_BZIP2
static unsigned at_once(size_t n)
{
    return n < (1U << 30) ? (unsigned)n : 1U << 30;
}
#endif

#if NINHO_CLI_WITH_ZLIB
static bool zlib_begin(struct inflater *inflater)
{
    z_stream *stream = &inflater->state.zlib;

    if (inflater->is_begun)
        return inflateReset(stream) == Z_OK;
    return inflateInit2(stream, 16 + MAX_WBITS) == Z_OK; /* 16: gzip */
}

static enum step_result zlib_step(struct inflater *inflater, struct inflate_step *step,
                                  const char **why)
{
    z_stream *stream = &inflater->state.zlib;
    const unsigned n_in = at_once(step->n_in);
    const unsigned n_out = at_once(step->n_out);

    stream->next_in = (unsigned char *)(uintptr_t)step->in;
    stream->avail_in = n_in;
    stream->next_out = step->out;
    stream->avail_out = n_out;
    const int result = inflate(stream, Z_NO_FLUSH);
    step->in += n_in - stream->avail_in;
    step->n_in -= n_in - stream->avail_in;
    step->out += n_out - stream->avail_out;
    step->n_out -= n_out - stream->avail_out;
    if (result == Z_STREAM_END)
        return STEP_STREAM_END;
    if (result == Z_OK)
        return STEP_OK;
    if (result == Z_BUF_ERROR)
        return STEP_STUCK;
    *why = result == Z_MEM_ERROR ? NO_MEMORY : DAMAGED;
    return STEP_FAILED;
}

static void zlib_end(struct inflater *inflater)
{
    (void)inflateEnd(&inflater->state.zlib);
}

static const struct codec zlib_codec = {zlib_begin, zlib_step, zlib_end};
#define GZIP_CODEC &zlib_codec
#define NO_GZIP    NULL
#else
#define GZIP_CODEC NULL
#define NO_GZIP    "is compressed with gzip, and this program was built without zlib"
#endif

#if NINHO_CLI_WITH_BZIP2
static bool bzip2_begin(struct inflater *inflater)
{
    bz_stream *stream = &inflater->state.bzip2;

    if (inflater->is_begun)
        (void)BZ2_bzDecompressEnd(stream);
    inflater->is_begun = false;
    memset(stream, 0, sizeof *stream);
    return BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK;
}

static enum step_result bzip2_step(struct inflater *inflater, struct inflate_step *step,
                                   const char **why)
{
    bz_stream *stream = &inflater->state.bzip2;
    const unsigned n_in = at_once(step->n_in);
    const unsigned n_out = at_once(step->n_out);

    stream->next_in = (char *)(uintptr_t)step->in;
    stream->avail_in = n_in;
    stream->next_out = (char *)step->out;
    stream->avail_out = n_out;
    const int result = BZ2_bzDecompress(stream);
    const unsigned taken = n_in - stream->avail_in;
    const unsigned given = n_out - stream->avail_out;
    step->in += taken;
    step->n_in -= taken;
    step->out += given;
    step->n_out -= given;
    if (result == BZ_STREAM_END)
        return STEP_STREAM_END;
    if (result == BZ_OK)
        return taken || given ? STEP_OK : STEP_STUCK;
    *why = result == BZ_MEM_ERROR ? NO_MEMORY : DAMAGED;
    return STEP_FAILED;
}

static void bzip2_end(struct inflater *inflater)
{
    (void)BZ2_bzDecompressEnd(&inflater->state.bzip2);
}

static const struct codec bzip2_codec = {bzip2_begin, bzip2_step, bzip2_end};
#define BZIP2_CODEC &bzip2_codec
#define NO_BZIP2    NULL
#else
#define BZIP2_CODEC NULL
#define NO_BZIP2    "is compressed with bzip2, and this program was built without libbz2"
#endif

#define TOO_LARGE "unpacking it needs more than 256 MiB of memory"

#if NINHO_CLI_WITH_LZMA
static bool lzma_begin(struct inflater *inflater)
{
    static const lzma_stream nothing = LZMA_STREAM_INIT;

    inflater->state.lzma = nothing;
    return lzma_stream_decoder(&inflater->state.lzma, MOST_WINDOW, LZMA_CONCATENATED) ==
           LZMA_OK;
}

static enum step_result lzma_step(struct inflater *inflater, struct inflate_step *step,
                                  const char **why)
{
    lzma_stream *stream = &inflater->state.lzma;

    stream->next_in = step->in;
    stream->avail_in = step->n_in;
    stream->next_out = step->out;
    stream->avail_out = step->n_out;
    const lzma_ret result = lzma_code(stream, step->is_end ? LZMA_FINISH : LZMA_RUN);
    step->in = stream->next_in;
    step->n_in = stream->avail_in;
    step->out = stream->next_out;
    step->n_out = stream->avail_out;
    if (result == LZMA_STREAM_END)
        return STEP_ALL;
    if (result == LZMA_OK)
        return STEP_OK;
    if (result == LZMA_BUF_ERROR)
        return STEP_STUCK;
    *why = result == LZMA_MEM_ERROR        ? NO_MEMORY
           : result == LZMA_MEMLIMIT_ERROR ? TOO_LARGE
                                           : DAMAGED;
    return STEP_FAILED;
}

static void lzma_finish(struct inflater *inflater)
{
    lzma_end(&inflater->state.lzma);
}

static const struct codec lzma_codec = {lzma_begin, lzma_step, lzma_finish};
#define XZ_CODEC &lzma_codec
#define NO_XZ    NULL
#else
#define XZ_CODEC NULL
#define NO_XZ    "is compressed with xz, and this program was built without liblzma"
#endif

#if NINHO_CLI_WITH_ZSTD
#define ZSTD_WINDOW_LOG 28 /* of MOST_WINDOW */

static bool zstd_begin(struct inflater *inflater)
{
    if (inflater->is_begun)
        return true;
    inflater->state.zstd = ZSTD_createDStream();
    if (!inflater->state.zstd)
        return false;
    (void)ZSTD_DCtx_setParameter(inflater->state.zstd, ZSTD_d_windowLogMax,
                                 ZSTD_WINDOW_LOG);
    return true;
}

static enum step_result zstd_step(struct inflater *inflater, struct inflate_step *step,
                                  const char **why)
{
    ZSTD_inBuffer in = {step->in, step->n_in, 0};
    ZSTD_outBuffer out = {step->out, step->n_out, 0};
    const size_t result = ZSTD_decompressStream(inflater->state.zstd, &out, &in);

    step->in += in.pos;
    step->n_in -= in.pos;
    step->out += out.pos;
    step->n_out -= out.pos;
    if (ZSTD_isError(result)) {
        *why = strstr(ZSTD_getErrorName(result), "too much memory") ? TOO_LARGE : DAMAGED;
        return STEP_FAILED;
    }
    if (result == 0)
        return STEP_STREAM_END;
    return in.pos || out.pos ? STEP_OK : STEP_STUCK;
}

static void zstd_end(struct inflater *inflater)
{
    (void)ZSTD_freeDStream(inflater->state.zstd);
}

static const struct codec zstd_codec = {zstd_begin, zstd_step, zstd_end};
#define THE_ZSTD_CODEC &zstd_codec
#define NO_ZSTD        NULL
#else
#define THE_ZSTD_CODEC NULL
#define NO_ZSTD        "is compressed with zstd, and this program was built without libzstd"
#endif

static const struct codec *const codecs[] = {NULL, GZIP_CODEC, XZ_CODEC, THE_ZSTD_CODEC,
                                             BZIP2_CODEC};

/* ---- Unpacking ----------------------------------------------------------------------------- */

static const char *const missing[] = {NULL, NO_GZIP, NO_XZ, NO_ZSTD, NO_BZIP2};

struct inflater *inflater_new(enum packing packing, const char **why)
{
    const struct codec *codec = codecs[packing];

    if (!codec) {
        *why = missing[packing];
        return NULL;
    }
    struct inflater *inflater = calloc(1, sizeof *inflater);
    if (inflater) {
        inflater->packing = packing;
        inflater->codec = codec;
        inflater->is_begun = codec->begin(inflater);
    }
    if (!inflater || !inflater->is_begun) {
        free(inflater);
        *why = NO_MEMORY;
        return NULL;
    }
    return inflater;
}

void inflater_free(struct inflater *inflater)
{
    if (inflater && inflater->is_begun)
        inflater->codec->end(inflater);
    free(inflater);
}

/* Behind a stream: passes over padding, and begins the next one if there is one. STEP_STUCK: there
 * is no more input. */
static enum step_result go_to_next(struct inflater *inflater, struct inflate_step *step,
                                   const char **why)
{
    while (step->n_in && *step->in == 0) {
        step->in++;
        step->n_in--;
    }
    if (!step->n_in)
        return STEP_STUCK;
    const enum packing packing = packing_of(step->in, step->n_in);
    if (packing != inflater->packing && packing != PACKING_UNSURE) {
        *why = "something else follows the compressed data";
        return STEP_FAILED;
    }
    inflater->is_between = false;
    inflater->is_begun = inflater->codec->begin(inflater);
    *why = NO_MEMORY;
    return inflater->is_begun ? STEP_OK : STEP_FAILED;
}

enum inflate_result inflater_run(struct inflater *inflater, struct inflate_step *step,
                                 const char **why)
{
    for (;;) {
        enum step_result result = STEP_OK;
        if (inflater->is_between)
            result = go_to_next(inflater, step, why);
        else if (step->n_out)
            result = inflater->codec->step(inflater, step, why);
        else
            return INFLATE_MORE;
        if (result == STEP_FAILED)
            return INFLATE_FAILED;
        if (result == STEP_ALL)
            return INFLATE_END;
        if (result == STEP_STREAM_END)
            inflater->is_between = true;
        if (result != STEP_STUCK)
            continue;
        if (!step->is_end || step->n_in)
            return INFLATE_MORE;
        if (inflater->is_between)
            return INFLATE_END;
        *why = "the compressed data is truncated";
        return INFLATE_FAILED;
    }
}

/* ---- Packing ------------------------------------------------------------------------------- */

#if NINHO_CLI_WITH_ZLIB
#define PIECE_BYTES 32768

struct deflater {
    z_stream stream;
    unsigned char piece[PIECE_BYTES];
};

struct deflater *deflater_new(const char **why)
{
    struct deflater *deflater = calloc(1, sizeof *deflater);

    if (deflater && deflateInit2(&deflater->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                                 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK)
        return deflater;
    free(deflater);
    *why = "not enough memory";
    return NULL;
}

void deflater_free(struct deflater *deflater)
{
    if (deflater)
        (void)deflateEnd(&deflater->stream);
    free(deflater);
}

int deflater_run(struct deflater *deflater, const void *bytes, size_t n,
                 int (*sink)(void *context, const void *bytes, size_t n), void *context)
{
    z_stream *stream = &deflater->stream;
    const unsigned char *at = bytes;
    const int flush = n ? Z_NO_FLUSH : Z_FINISH;
    int result = Z_OK;

    do {
        const unsigned taken = at_once(n);
        stream->next_in = (unsigned char *)(uintptr_t)at;
        stream->avail_in = taken;
        stream->next_out = deflater->piece;
        stream->avail_out = PIECE_BYTES;
        result = deflate(stream, flush);
        if (result == Z_STREAM_ERROR)
            return -1;
        at += taken - stream->avail_in;
        n -= taken - stream->avail_in;
        const size_t n_out = PIECE_BYTES - stream->avail_out;
        const int failed = n_out ? sink(context, deflater->piece, n_out) : 0;
        if (failed)
            return failed;
    } while (n || stream->avail_out == 0 || (flush == Z_FINISH && result == Z_OK));
    return 0;
}
#else
struct deflater *deflater_new(const char **why)
{
    *why = "cannot be written: this program was built without zlib";
    return NULL;
}

void deflater_free(struct deflater *deflater)
{
    (void)deflater;
}

int deflater_run(struct deflater *deflater, const void *bytes, size_t n,
                 int (*sink)(void *context, const void *bytes, size_t n), void *context)
{
    (void)deflater;
    (void)bytes;
    (void)n;
    (void)sink;
    (void)context;
    return -1;
}
#endif
