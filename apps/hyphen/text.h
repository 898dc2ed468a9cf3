/* SPDX-License-Identifier: MIT */
/* Running text: finds the words in it, and writes them with a mark at each break.
 *
 * A word of a text is what stands between white space, and between tags in HTML; the breaks in
 * it are those of ninho_hyphenator_word(). Left as they are: URLs ("://" inside), e-mail addresses
 * ("@" inside), names of hosts and files (a dot with a letter or digit before it and two behind it,
 * as in example.org), words with a soft hyphen in them, and
 * words longer than max_word bytes. All bytes of the text come out in order, with marks between
 * them and nothing else changed, whatever the bytes are.
 *
 * In HTML, left as they are too: tags with their attributes, comments, <!...>, <?...>, CDATA,
 * entities, and everything inside code, pre, script, style, textarea,
 * title, kbd, samp, var, tt, math, svg, xmp, iframe, noembed, noframes and plaintext elements. Names
 * of tags may have any case. A word with an entity in it that stands for a letter or a hyphen,
 * &eacute; or &shy; say, or for who knows what, also because its ";" is missing, is left alone; one
 * that stands for space parts words, and any other is a sign between letters.
 * A word that goes on across a tag, as in <b>inter</b>national, is left alone, all its parts: tags of
 * blocks, of <br> and the like part words, all others and comments do not. Behind such a tag, a
 * letter or an entity goes on with the word. What a tag parts is looked at by itself otherwise, so
 * a URL with tags in it is not known as one.
 * Text that is not well-formed is left alone rather than broken: after an open "<!--" or an open
 * <code> nothing is hyphenated. A "<" that no letter, "/", "!" or "?" follows is text. */
#ifndef NINHO_HYPHEN_TEXT_H
#define NINHO_HYPHEN_TEXT_H

#include "hyphen.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ninho_hyphen_units {
    NINHO_HYPHEN_TEXT = 0, /* running text */
    NINHO_HYPHEN_HTML = 1, /* HTML or XHTML */
    NINHO_HYPHEN_LINES =
        2 /* each line is one word, to its LF or CRLF; nothing is left alone
                              but what ninho_hyphenator_word() does */
} ninho_hyphen_units;

typedef enum ninho_hyphen_runs {
    NINHO_HYPHEN_FIRST_RUN = 0, /* as TeX: chil-dren/parents, well-known */
    /* each run of letters is a word by itself, also beside "-": chil-dren/par-ents,
     * light-heart-ed-ness */
    NINHO_HYPHEN_EVERY_RUN = 1
} ninho_hyphen_runs;

/* Start from NINHO_HYPHEN_TEXT_OPTIONS_INIT; NULL means all defaults. */
typedef struct ninho_hyphen_text_options {
    size_t size_of_struct;
    ninho_hyphen_units units;
    ninho_hyphen_runs runs;
    const void
        *mark; /* what stands at a break; NULL: U+00AD, and "-" for lines. Copied */
    size_t mark_size; /* at most 64 */
    /* words of more bytes pass untouched: 64 .. 2^20; 0: 65,536. A stream holds back at most that
     * much, and so a text without an end and without a space takes no more memory. */
    size_t max_word;
} ninho_hyphen_text_options;
#define NINHO_HYPHEN_TEXT_OPTIONS_INIT NINHO_INIT_(ninho_hyphen_text_options)

/* Takes output, in order, in pieces of any size (never 0). Anything but NINHO_OK ends the call
 * that made the piece with that answer. */
typedef ninho_status (*ninho_hyphen_sink)(void *context, const void *bytes, size_t size);

/* ---- A stream ---------------------------------------------------------------------- */

typedef struct ninho_hyphen_stream ninho_hyphen_stream;

/* A stream: text is fed in pieces, cut anywhere, and comes out of the sink. It borrows the
 * hyphenator, which must outlive it and is in use while the stream is fed. Memory: twice max_word and
 * about 200 KB, whatever is fed. *out is the caller's, to be freed with
 * ninho_hyphen_stream_free(). NINHO_ERR_ARG (error says which option), NINHO_ERR_NOMEM. */
NINHO_API ninho_status ninho_hyphen_stream_create(
    ninho_hyphenator *hyphenator, const ninho_hyphen_text_options *options,
    ninho_hyphen_sink sink, void *context, const ninho_alloc *alloc,
    ninho_hyphen_stream **out, ninho_error *error);
NINHO_API void ninho_hyphen_stream_free(ninho_hyphen_stream *stream);

/* Feeds the next piece. What is complete by then goes to the sink. What the sink answers, if it
 * fails: the stream is then good for
 * nothing but ninho_hyphen_stream_free(), and answers the same again. Never allocates. */
NINHO_API ninho_status ninho_hyphen_stream_feed(ninho_hyphen_stream *stream,
                                                const void *bytes, size_t size);

/* Writes out all that was fed so far, the rest held back included, as at the end of the text;
 * after it, a new text may be fed. */
NINHO_API ninho_status ninho_hyphen_stream_finish(ninho_hyphen_stream *stream);

/* ---- A whole text ------------------------------------------------------------------ */

/* A text in memory to out[0..capacity). *out_size is always the size needed; NINHO_ERR_SPACE if
 * capacity is smaller (out may be NULL if it is 0; what was written is then of no use).
 * NINHO_ERR_ARG, NINHO_ERR_NOMEM as for a stream. */
NINHO_API ninho_status ninho_hyphen_text(ninho_hyphenator *hyphenator,
                                         const ninho_hyphen_text_options *options,
                                         const void *text, size_t size, void *out,
                                         size_t capacity, size_t *out_size,
                                         ninho_error *error);

#ifdef __cplusplus
}
#endif

#endif
