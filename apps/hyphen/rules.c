/* SPDX-License-Identifier: MIT */
/* Rules: lists of patterns and exceptions, each set of letters once, with the place each came
 * from. A text is read whole or not at all: items only ever go on the end, an older one with the
 * same letters is marked and linked, and so a failed read is undone from the end backwards
 * without needing memory. */
#include "rules.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "apps/base/utf8.h"
#include "unicode.h"

/* ---- One pattern, one exception ---------------------------------------------------- */

/* Signs that may stand for a letter in a pattern. Languages have more than Unicode's letters
 * (apostrophes, joiners, word separators of Ethiopic), so this only keeps out what is surely a
 * mistake: other ASCII, spaces, controls, and the soft hyphen. */
static bool may_be_letter(uint32_t point)
{
    if (point < 0x80)
        return hy_is_letter(point) || point == '\'' || point == '-';
    return point >= 0xA0 && !hy_is_space(point) && point != HY_SOFT_HYPHEN &&
           point != 0xFEFF && (point & 0xFFFE) != 0xFFFE;
}

const char *hy_parse_pattern(const uint8_t *text, size_t size, struct hy_parsed *out)
{
    bool has_digit = false;
    size_t n_digits = 0;

    *out = (struct hy_parsed){.n = 0};
    while (n_digits < size && text[n_digits] >= '0' && text[n_digits] <= '9')
        n_digits++;
    if (n_digits == size)
        return "a pattern without a letter";
    for (size_t at = 0; at < size;) {
        uint32_t point;
        const unsigned used = na_utf8_read(text + at, size - at, &point);
        if (!used)
            return "a byte that is not UTF-8";
        at += used;
        if (point >= '0' && point <= '9') {
            if (has_digit)
                return "two digits in one place of a pattern";
            has_digit = true;
            out->levels[out->n] = (uint8_t)(point - '0');
            continue;
        }
        has_digit = false;
        if (point == HY_BOUNDARY) {
            /* at the end there may be a digit after it, which can never matter */
            if (out->n > 0 && at < size &&
                !(at + 1 == size && text[at] >= '0' && text[at] <= '9'))
                return "a dot inside a pattern (it stands for the edge of a word)";
        } else if (!may_be_letter(point)) {
            return "a sign that is no letter in a pattern";
        }
        const bool begins_at_edge = out->n > 0 && out->points[0] == HY_BOUNDARY;
        if (point != HY_BOUNDARY && out->n - begins_at_edge == NINHO_HYPHEN_TEX_LETTERS)
            return "a pattern of more than 63 letters";
        assert(out->n < HY_MAX_ITEM);
        out->points[out->n++] = hy_lower(point);
    }
    return NULL;
}

const char *hy_parse_exception(const uint8_t *text, size_t size, struct hy_parsed *out)
{
    *out = (struct hy_parsed){.n = 0};
    memset(out->levels, HY_NO_BREAK, sizeof out->levels);
    for (size_t at = 0; at < size;) {
        uint32_t point;
        const unsigned used = na_utf8_read(text + at, size - at, &point);
        if (!used)
            return "a byte that is not UTF-8";
        at += used;
        if (point == '-') {
            out->levels[out->n] = NINHO_HYPHEN_EXCEPTION;
            continue;
        }
        if (!may_be_letter(point))
            return "a sign that is no letter in an exception";
        if (out->n == NINHO_HYPHEN_TEX_LETTERS)
            return "an exception of more than 63 letters";
        out->points[out->n++] = hy_lower(point);
    }
    if (out->n == 0)
        return "an exception without a letter";
    /* Hyphens at the ends part nothing. */
    out->levels[0] = HY_NO_BREAK;
    out->levels[out->n] = HY_NO_BREAK;
    return NULL;
}

/* ---- Items ------------------------------------------------------------------------- */

static ninho_status items_init(struct hy_items *items, const ninho_alloc *alloc)
{
    const ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    return ninho_dict_create(&spec, alloc, &items->index, NULL);
}

static void items_free(struct hy_items *items, const ninho_alloc *alloc)
{
    ninho_dict_free(items->index);
    na_array_free(alloc, &items->items, sizeof(struct hy_item));
    na_array_free(alloc, &items->points, sizeof(uint32_t));
    na_array_free(alloc, &items->levels, sizeof(uint8_t));
}

static struct hy_item *item_of(struct hy_items *items, size_t i)
{
    return (struct hy_item *)items->items.items + i;
}

static size_t key_size(const struct hy_item *item)
{
    return (size_t)item->n * sizeof(uint32_t);
}

ninho_status hy_rules_put(ninho_hyphen_rules *rules, struct hy_items *items,
                          const struct hy_parsed *parsed, uint32_t file, uint32_t line)
{
    const ninho_alloc *alloc = &rules->alloc;
    const size_t n = parsed->n, index = items->items.n;
    uint64_t older = HY_NONE;

    if (na_array_reserve(alloc, &items->items, sizeof(struct hy_item), 1) ||
        na_array_reserve(alloc, &items->points, sizeof(uint32_t), n) ||
        na_array_reserve(alloc, &items->levels, sizeof(uint8_t), n + 1))
        return NINHO_ERR_NOMEM;
    ninho_dict_get(items->index, parsed->points, n * sizeof(uint32_t), &older);
    const ninho_status status =
        ninho_dict_put(items->index, parsed->points, n * sizeof(uint32_t), index, NULL);
    if (status)
        return status;
    *item_of(items, index) = (struct hy_item){.letters = items->points.n,
                                              .levels = items->levels.n,
                                              .older = (size_t)older,
                                              .file = file,
                                              .line = line,
                                              .n = parsed->n};
    memcpy((uint32_t *)items->points.items + items->points.n, parsed->points,
           n * sizeof(uint32_t));
    memcpy((uint8_t *)items->levels.items + items->levels.n, parsed->levels, n + 1);
    items->items.n++;
    items->points.n += n;
    items->levels.n += n + 1;
    if (older != HY_NONE) {
        item_of(items, (size_t)older)->is_superseded = true;
        items->n_superseded++;
    }
    return NINHO_OK;
}

/* Forgets the newest items until n are left. */
static void items_roll_back(struct hy_items *items, size_t n)
{
    while (items->items.n > n) {
        const struct hy_item *last = item_of(items, items->items.n - 1);
        const uint32_t *points = hy_item_points(items, last);
        if (last->older == HY_NONE) {
            ninho_dict_remove(items->index, points, key_size(last));
        } else {
            /* the key is there, so this takes no memory */
            ninho_dict_put(items->index, points, key_size(last), last->older, NULL);
            item_of(items, last->older)->is_superseded = false;
            items->n_superseded--;
        }
        items->points.n = last->letters;
        items->levels.n = last->levels;
        items->items.n--;
    }
}

/* Closes the gaps that superseded items leave, so that items can be counted off. Their letters
 * and levels stay where they are. */
static void items_commit(struct hy_items *items)
{
    size_t n = 0;

    if (items->n_superseded == 0)
        return;
    for (size_t i = 0; i < items->items.n; i++) {
        struct hy_item *item = item_of(items, i);
        if (item->is_superseded)
            continue;
        item->older = HY_NONE;
        ninho_dict_put(items->index, hy_item_points(items, item), key_size(item), n,
                       NULL);
        *item_of(items, n++) = *item;
    }
    items->items.n = n;
    items->n_superseded = 0;
}

void hy_items_clear(struct hy_items *items)
{
    for (size_t i = 0; i < items->items.n; i++) {
        const struct hy_item *item = item_of(items, i);
        ninho_dict_remove(items->index, hy_item_points(items, item), key_size(item));
    }
    items->items.n = items->points.n = items->levels.n = items->n_superseded = 0;
}

/* ---- Marks ------------------------------------------------------------------------- */

struct hy_mark hy_rules_mark(const ninho_hyphen_rules *rules)
{
    return (struct hy_mark){.n_patterns = rules->patterns.items.n,
                            .n_exceptions = rules->exceptions.items.n,
                            .n_files = rules->files.n,
                            .minima = rules->minima};
}

void hy_rules_commit(ninho_hyphen_rules *rules)
{
    items_commit(&rules->patterns);
    items_commit(&rules->exceptions);
}

static void free_files(ninho_hyphen_rules *rules, size_t from)
{
    char **files = rules->files.items;
    while (rules->files.n > from) {
        char *name = files[--rules->files.n];
        na_free(&rules->alloc, name, strlen(name) + 1, 1);
    }
}

void hy_rules_roll_back(ninho_hyphen_rules *rules, const struct hy_mark *mark)
{
    items_roll_back(&rules->patterns, mark->n_patterns);
    items_roll_back(&rules->exceptions, mark->n_exceptions);
    free_files(rules, mark->n_files);
    rules->minima = mark->minima;
}

ninho_status hy_rules_add_file(ninho_hyphen_rules *rules, const char *name,
                               uint32_t *file)
{
    const size_t size = strlen(name) + 1;

    if (rules->files.n >= HY_NO_FILE ||
        na_array_reserve(&rules->alloc, &rules->files, sizeof(char *), 1))
        return NINHO_ERR_NOMEM;
    char *copy = na_alloc(&rules->alloc, size, 1);
    if (!copy)
        return NINHO_ERR_NOMEM;
    memcpy(copy, name, size);
    *file = (uint32_t)rules->files.n;
    ((char **)rules->files.items)[rules->files.n++] = copy;
    return NINHO_OK;
}

const char *hy_rules_file(const ninho_hyphen_rules *rules, uint32_t file)
{
    return file < rules->files.n ? ((char *const *)rules->files.items)[file] : "";
}

ninho_status hy_refuse_exception(const ninho_hyphen_rules *rules,
                                 const struct hy_item *item, uint32_t sign,
                                 ninho_error *error)
{
    char word[NINHO_HYPHEN_MAX_EXCEPTION] = "";
    const size_t index =
        (size_t)(item - (const struct hy_item *)rules->exceptions.items.items);

    (void)ninho_hyphen_rules_exception(rules, index, word, sizeof word);
    for (size_t cut = 60; cut > 0; cut--) {
        if (((uint8_t)word[cut] & 0xC0) != 0x80) { /* not inside a letter */
            word[cut] = '\0';
            break;
        }
    }
    return na_fail(error, NINHO_ERR_FORMAT,
                   "%s:%u: an exception with a sign (U+%04X) that is no letter in this "
                   "language: %s",
                   hy_rules_file(rules, item->file), (unsigned)item->line, (unsigned)sign,
                   word);
}

/* ---- The public side --------------------------------------------------------------- */

ninho_status ninho_hyphen_rules_create(const ninho_alloc *alloc, ninho_hyphen_rules **out)
{
    const ninho_alloc own = na_allocator(alloc);
    ninho_hyphen_rules *rules = na_alloc(&own, 1, sizeof *rules);

    if (!rules)
        return NINHO_ERR_NOMEM;
    *rules = (ninho_hyphen_rules){.alloc = own};
    if (items_init(&rules->patterns, &own) || items_init(&rules->exceptions, &own)) {
        ninho_hyphen_rules_free(rules);
        return NINHO_ERR_NOMEM;
    }
    *out = rules;
    return NINHO_OK;
}

void ninho_hyphen_rules_free(ninho_hyphen_rules *rules)
{
    if (!rules)
        return;
    const ninho_alloc alloc = rules->alloc;
    items_free(&rules->patterns, &alloc);
    items_free(&rules->exceptions, &alloc);
    free_files(rules, 0);
    na_array_free(&alloc, &rules->files, sizeof(char *));
    na_free(&alloc, rules, 1, sizeof *rules);
}

ninho_status ninho_hyphen_rules_add_exception(ninho_hyphen_rules *rules, const char *word,
                                              size_t size, ninho_error *error)
{
    struct hy_parsed parsed;
    const char *wrong = hy_parse_exception((const uint8_t *)word, size, &parsed);

    if (wrong)
        return na_fail(error, NINHO_ERR_ARG, "%s", wrong);
    if (hy_rules_put(rules, &rules->exceptions, &parsed, HY_NO_FILE, 0))
        return na_no_memory(error);
    hy_rules_commit(rules);
    return NINHO_OK;
}

void ninho_hyphen_rules_clear_exceptions(ninho_hyphen_rules *rules)
{
    hy_items_clear(&rules->exceptions);
}

size_t ninho_hyphen_rules_count_patterns(const ninho_hyphen_rules *rules)
{
    return rules->patterns.items.n;
}

size_t ninho_hyphen_rules_count_exceptions(const ninho_hyphen_rules *rules)
{
    return rules->exceptions.items.n;
}

size_t ninho_hyphen_rules_exception(const ninho_hyphen_rules *rules, size_t index,
                                    char *word, size_t capacity)
{
    uint8_t text[NINHO_HYPHEN_MAX_EXCEPTION];
    size_t size = 0;

    if (index >= rules->exceptions.items.n)
        return 0;
    const struct hy_item *item = hy_item_at(&rules->exceptions, index);
    const uint32_t *points = hy_item_points(&rules->exceptions, item);
    const uint8_t *levels = hy_item_levels(&rules->exceptions, item);
    for (unsigned i = 0; i < item->n; i++) {
        if (levels[i] == NINHO_HYPHEN_EXCEPTION)
            text[size++] = '-';
        size += na_utf8_write(points[i], text + size);
    }
    assert(size < sizeof text); /* 63 letters of 4 bytes and 62 hyphens are 314 */
    if (capacity) {
        const size_t n = size < capacity ? size : capacity - 1;
        memcpy(word, text, n);
        word[n] = '\0';
    }
    return size;
}

ninho_hyphen_minima ninho_hyphen_rules_minima(const ninho_hyphen_rules *rules)
{
    return rules->minima;
}
