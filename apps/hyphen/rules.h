/* SPDX-License-Identifier: MIT */
/* Rules from the inside: what the parsers fill and the compiler reads. */
#ifndef NINHO_HYPHEN_RULES_H
#define NINHO_HYPHEN_RULES_H

#include "apps/base/base.h"
#include "hyphen.h"

#define HY_BOUNDARY  '.' /* in a pattern: the edge of the word */
#define HY_MAX_ITEM  (NINHO_HYPHEN_TEX_LETTERS + 2)
#define HY_NO_BREAK  0
#define HY_MAX_LEVEL NINHO_HYPHEN_EXCEPTION

/* A pattern or an exception: its letters, and the levels before each and after the last. The
 * letters of an exception have no edges around them. */
struct hy_item {
    size_t letters; /* where its code points begin in `points` */
    size_t levels;  /* where its levels begin in `levels`: n + 1 of them */
    size_t older;   /* the item it took the place of, or HY_NONE */
    uint32_t file;  /* index into `files`, or HY_NO_FILE */
    uint32_t line;
    uint8_t n;
    bool is_superseded;
};
#define HY_NONE    SIZE_MAX
#define HY_NO_FILE UINT32_MAX

/* Items of one sort, each set of letters once. */
struct hy_items {
    struct na_array items;  /* of struct hy_item */
    struct na_array points; /* uint32_t */
    struct na_array levels; /* uint8_t */
    ninho_dict *index;      /* letters -> index of the item */
    size_t n_superseded;
};

struct ninho_hyphen_rules {
    ninho_alloc alloc;
    struct hy_items patterns;
    struct hy_items exceptions;
    struct na_array files; /* of char *, for messages */
    ninho_hyphen_minima minima;
};

static inline const struct hy_item *hy_item_at(const struct hy_items *items, size_t i)
{
    return (const struct hy_item *)items->items.items + i;
}
static inline const uint32_t *hy_item_points(const struct hy_items *items,
                                             const struct hy_item *item)
{
    return (const uint32_t *)items->points.items + item->letters;
}
static inline const uint8_t *hy_item_levels(const struct hy_items *items,
                                            const struct hy_item *item)
{
    return (const uint8_t *)items->levels.items + item->levels;
}

/* A pattern or exception as a parser has understood it. */
struct hy_parsed {
    uint32_t points[HY_MAX_ITEM];
    uint8_t levels[HY_MAX_ITEM + 1];
    uint8_t n;
};

/* Understands one pattern (".ach4") or exception ("ta-ble"), of `size` bytes of UTF-8. NULL, or
 * what is wrong with it, static. */
const char *hy_parse_pattern(const uint8_t *text, size_t size, struct hy_parsed *out);
const char *hy_parse_exception(const uint8_t *text, size_t size, struct hy_parsed *out);

/* Adds one. NINHO_ERR_NOMEM. */
ninho_status hy_rules_put(ninho_hyphen_rules *rules, struct hy_items *items,
                          const struct hy_parsed *parsed, uint32_t file, uint32_t line);

/* Drops all items. Items of a running read must not be dropped before it is settled. */
void hy_items_clear(struct hy_items *items);

/* What a read starts from, and how it ends: all of it, or nothing. */
struct hy_mark {
    size_t n_patterns, n_exceptions, n_files;
    ninho_hyphen_minima minima;
};
struct hy_mark hy_rules_mark(const ninho_hyphen_rules *rules);
void hy_rules_commit(ninho_hyphen_rules *rules);
void hy_rules_roll_back(ninho_hyphen_rules *rules, const struct hy_mark *mark);

/* Says that an exception has a sign that is no letter. Returns NINHO_ERR_FORMAT. */
ninho_status hy_refuse_exception(const ninho_hyphen_rules *rules,
                                 const struct hy_item *item, uint32_t sign,
                                 ninho_error *error);

/* Remembers a file's name for messages. NINHO_ERR_NOMEM. */
ninho_status hy_rules_add_file(ninho_hyphen_rules *rules, const char *name,
                               uint32_t *file);
const char *hy_rules_file(const ninho_hyphen_rules *rules, uint32_t file);

#endif
