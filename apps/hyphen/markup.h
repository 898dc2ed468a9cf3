/* SPDX-License-Identifier: MIT */
/* The part of HTML that tells text from everything else. */
#ifndef NINHO_HYPHEN_MARKUP_H
#define NINHO_HYPHEN_MARKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HY_MAX_TAG    12 /* longer names are of no interest */
#define HY_MAX_ENTITY 32

/* Where in the markup a stream stands. Zeroed: in text. */
struct hy_markup {
    enum {
        HY_IN_TEXT,
        HY_AFTER_LT,      /* <    */
        HY_AFTER_SLASH,   /* </   */
        HY_IN_NAME,       /* <nam */
        HY_IN_TAG,        /* <name ... */
        HY_IN_DOUBLE,     /* <name a="... */
        HY_IN_SINGLE,     /* <name a='... */
        HY_AFTER_BANG,    /* <!   */
        HY_IN_COMMENT,    /* <!-- */
        HY_IN_CDATA,      /* <![CDATA[ */
        HY_IN_DECLARATION /* <!..., <?..., </1...: to the next > */
    } state;
    char name[HY_MAX_TAG + 1]; /* of the tag, in small letters; cut if longer */
    uint8_t name_size;
    bool is_closing;
    bool after_equals; /* a quotation mark now begins a value */
    bool after_slash;  /* "/" was the last sign: <br/> */
    uint8_t n_seen;    /* of "--", of "[CDATA[", of what ends a comment */
    /* What is left alone: the element that began it, and how many of that name are open. */
    char skipped[HY_MAX_TAG + 1]; /* "": nothing */
    bool is_raw;                  /* nothing in it is markup but its own closing tag */
    uint32_t depth;
};

/* Whether text here is to be left alone. */
static inline bool hy_markup_skips(const struct hy_markup *markup)
{
    return markup->skipped[0] != '\0';
}

/* Passes over bytes from the "<" on, or over what is left alone; returns where text that may be
 * hyphenated begins, or `end`. markup->state must not be HY_IN_TEXT unless something is skipped
 * or *at is "<". */
const uint8_t *hy_markup_pass(struct hy_markup *markup, const uint8_t *at,
                              const uint8_t *end);

/* An entity at bytes[0..size), bytes[0] being "&": its size, up to and with the ";", 0 if it is
 * none; *point is what it stands for, 0 if that is not known. */
size_t hy_entity(const uint8_t *bytes, size_t size, uint32_t *point);

#endif
