/* SPDX-License-Identifier: MIT */
/* From rules to the automaton of compiled.h: a trie of all patterns, failure links over it
 * breadth first, the levels along them merged, and the states laid out. An exception becomes a
 * pattern of the whole word, edges included, whose levels take the place of all others. */
#include "compiled.h"

#include <assert.h>
#include <string.h>

#include "unicode.h"

#define NO_NODE UINT32_MAX

struct node {
    uint32_t first_child;
    uint32_t sibling;
    uint32_t fail;
    uint32_t
        row; /* the nearest node along failure links, itself first, that has children */
    uint32_t output;
    uint32_t base; /* of sparse nodes */
    uint32_t
        dense; /* where its row begins in `dense`, or that of its longest ending there */
    uint32_t item; /* the pattern that ends here: index, exceptions after the patterns */
    uint16_t symbol;
    uint8_t depth;
};

struct output_at {
    size_t at; /* in `levels` */
    uint32_t n;
};

struct compiler {
    const ninho_hyphen_rules *rules;
    const ninho_alloc *alloc;
    ninho_error *error;
    bool with_exceptions;
    struct hy_header header;
    uint32_t *letters; /* n_letters */
    uint16_t *symbols; /* of code points 0 .. n_points - 1 */
    size_t n_points;
    struct na_array nodes; /* struct node */
    /* The root's children by symbol, 0 where there is none: every failure link may end there, and
     * it may have a thousand. */
    uint32_t first_nodes[HY_MAX_SYMBOLS];
    uint32_t *order;          /* nodes breadth first */
    struct na_array outputs;  /* struct output_at */
    struct na_array levels;   /* uint8_t: outputs, the place furthest ahead first */
    ninho_dict *output_index; /* levels -> output */
    struct na_array sparse;   /* uint64_t */
    uint8_t *used_bases;      /* one byte each */
    size_t n_used_bases;
    unsigned dense_depth;
};

static struct node *node_at(const struct compiler *c, uint32_t i)
{
    return (struct node *)c->nodes.items + i;
}

/* ---- The alphabet ------------------------------------------------------------------ */

static bool has_point(const struct hy_items *items, const struct hy_item *item,
                      uint32_t point)
{
    const uint32_t *points = hy_item_points(items, item);
    for (unsigned i = 0; i < item->n; i++)
        if (points[i] == point)
            return true;
    return false;
}

static uint32_t largest_point(const struct hy_items *items)
{
    const uint32_t *points = items->points.items;
    uint32_t largest = 0;
    for (size_t i = 0; i < items->points.n; i++)
        largest = points[i] > largest ? points[i] : largest;
    return largest;
}

static void mark_points(struct compiler *c, const struct hy_items *items)
{
    for (size_t i = 0; i < items->items.n; i++) {
        const struct hy_item *item = hy_item_at(items, i);
        const uint32_t *points = hy_item_points(items, item);
        if (has_point(items, item, '-')) /* never a letter, so it matches nothing */
            continue;
        for (unsigned k = 0; k < item->n; k++)
            c->symbols[points[k]] = 1;
    }
}

/* Every sign of an exception must be a letter here, or it could never be found. */
static ninho_status check_exceptions(const struct compiler *c)
{
    const struct hy_items *items = &c->rules->exceptions;

    for (size_t i = 0; i < items->items.n; i++) {
        const struct hy_item *item = hy_item_at(items, i);
        const uint32_t *points = hy_item_points(items, item);
        for (unsigned k = 0; k < item->n; k++) {
            if (hy_is_letter(points[k]) ||
                (points[k] < c->n_points && c->symbols[points[k]]))
                continue;
            return hy_refuse_exception(c->rules, item, points[k], c->error);
        }
    }
    return NINHO_OK;
}

static ninho_status make_alphabet(struct compiler *c)
{
    const ninho_hyphen_rules *rules = c->rules;
    uint32_t largest = largest_point(&rules->patterns);
    size_t n = 0;

    if (c->with_exceptions) {
        const uint32_t other = largest_point(&rules->exceptions);
        largest = other > largest ? other : largest;
    }
    c->n_points = (size_t)largest + 1;
    c->symbols = na_alloc(c->alloc, c->n_points, sizeof *c->symbols);
    if (!c->symbols)
        return na_no_memory(c->error);
    memset(c->symbols, 0, c->n_points * sizeof *c->symbols);
    mark_points(c, &rules->patterns);
    if (HY_BOUNDARY < c->n_points)
        c->symbols[HY_BOUNDARY] = 0;
    if (c->with_exceptions) {
        const ninho_status status = check_exceptions(c);
        if (status)
            return status;
        mark_points(c, &rules->exceptions);
    }
    for (size_t i = 0; i < c->n_points; i++)
        n += c->symbols[i];
    if (n + HY_FIRST_LETTER > HY_MAX_SYMBOLS)
        return na_fail(c->error, NINHO_ERR_FORMAT, "an alphabet of more than %u letters",
                       HY_MAX_SYMBOLS - HY_FIRST_LETTER);
    c->letters = na_alloc(c->alloc, n, sizeof *c->letters);
    if (!c->letters)
        return na_no_memory(c->error);
    c->header.n_letters = (uint32_t)n;
    c->header.n_symbols = (uint32_t)n + HY_FIRST_LETTER;
    n = 0;
    for (size_t i = 0; i < c->n_points; i++) {
        if (!c->symbols[i])
            continue;
        c->letters[n] = (uint32_t)i;
        c->symbols[i] = (uint16_t)(HY_FIRST_LETTER + n++);
    }
    if (HY_BOUNDARY < c->n_points)
        c->symbols[HY_BOUNDARY] = HY_EDGE;
    return NINHO_OK;
}

/* ---- The trie ---------------------------------------------------------------------- */

static uint32_t child_of(const struct compiler *c, uint32_t node, uint32_t symbol)
{
    if (node == 0)
        return c->first_nodes[symbol] ? c->first_nodes[symbol] : NO_NODE;
    uint32_t child = node_at(c, node)->first_child;
    while (child != NO_NODE && node_at(c, child)->symbol != symbol)
        child = node_at(c, child)->sibling;
    return child;
}

static ninho_status too_large(const struct compiler *c)
{
    return na_fail(
        c->error, NINHO_ERR_FULL,
        "too many patterns for so many letters: their automaton would have more "
        "than %u cells",
        HY_MAX_SPARSE);
}

static ninho_status new_node(struct compiler *c, uint32_t parent, uint32_t symbol,
                             uint32_t *out)
{
    if (c->nodes.n >= HY_MAX_SPARSE)
        return too_large(c);
    if (na_array_reserve(c->alloc, &c->nodes, sizeof(struct node), 1))
        return na_no_memory(c->error);
    const uint32_t index = (uint32_t)c->nodes.n++;
    struct node *node = node_at(c, index);
    *node = (struct node){.first_child = NO_NODE,
                          .sibling = NO_NODE,
                          .item = NO_NODE,
                          .symbol = (uint16_t)symbol};
    if (parent != NO_NODE) {
        struct node *above = node_at(c, parent);
        node->depth = (uint8_t)(above->depth + 1);
        node->sibling = above->first_child;
        above->first_child = index;
        if (parent == 0)
            c->first_nodes[symbol] = index;
    }
    *out = index;
    return NINHO_OK;
}

static ninho_status walk_to(struct compiler *c, uint32_t *node, uint32_t symbol)
{
    const uint32_t child = child_of(c, *node, symbol);
    if (child != NO_NODE) {
        *node = child;
        return NINHO_OK;
    }
    return new_node(c, *node, symbol, node);
}

static ninho_status add_items(struct compiler *c, const struct hy_items *items,
                              uint32_t first_item, bool is_whole_word)
{
    for (size_t i = 0; i < items->items.n; i++) {
        const struct hy_item *item = hy_item_at(items, i);
        const uint32_t *points = hy_item_points(items, item);
        ninho_status status = NINHO_OK;
        uint32_t node = 0;
        if (has_point(items, item, '-'))
            continue;
        if (is_whole_word)
            status = walk_to(c, &node, HY_EDGE);
        for (unsigned k = 0; !status && k < item->n; k++)
            status = walk_to(c, &node, c->symbols[points[k]]);
        if (!status && is_whole_word)
            status = walk_to(c, &node, HY_EDGE);
        if (status)
            return status;
        node_at(c, node)->item = first_item + (uint32_t)i;
    }
    return NINHO_OK;
}

static ninho_status make_trie(struct compiler *c)
{
    const ninho_hyphen_rules *rules = c->rules;
    uint32_t root;

    ninho_status status = new_node(c, NO_NODE, HY_NO_SYMBOL, &root);
    if (!status)
        status = add_items(c, &rules->patterns, 0, false);
    if (!status && c->with_exceptions)
        status =
            add_items(c, &rules->exceptions, (uint32_t)rules->patterns.items.n, true);
    c->header.n_states = (uint32_t)c->nodes.n;
    return status;
}

/* Failure links and the order; `row` as well, since it follows them. */
static ninho_status link_nodes(struct compiler *c)
{
    size_t n = 0;

    c->order = na_alloc(c->alloc, c->nodes.n, sizeof *c->order);
    if (!c->order)
        return na_no_memory(c->error);
    c->order[n++] = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t parent = c->order[i];
        for (uint32_t child = node_at(c, parent)->first_child; child != NO_NODE;
             child = node_at(c, child)->sibling) {
            struct node *node = node_at(c, child);
            uint32_t target = NO_NODE;
            for (uint32_t from = parent; from != 0 && target == NO_NODE;) {
                from = node_at(c, from)->fail;
                target = child_of(c, from, node->symbol);
            }
            node->fail = target == NO_NODE ? 0 : target;
            node->row =
                node->first_child != NO_NODE ? child : node_at(c, node->fail)->row;
            c->order[n++] = child;
        }
    }
    assert(n == c->nodes.n);
    return NINHO_OK;
}

/* ---- Outputs ----------------------------------------------------------------------- */

#define MAX_OUTPUT     (HY_MAX_ITEM + 3)
#define EXCEPTION_MARK 255

/* The levels of a pattern from its end backwards. */
static uint32_t levels_of_pattern(const struct compiler *c, uint32_t index, uint8_t *out)
{
    const struct hy_items *items = &c->rules->patterns;
    const struct hy_item *item = hy_item_at(items, index);
    const uint8_t *levels = hy_item_levels(items, item);
    uint32_t n = 0;

    for (unsigned i = item->n + 1u; i-- > 0;)
        out[n++] = levels[i];
    return n;
}

/* Those of an exception, from behind its last letter backwards, and a byte that tells it from a
 * pattern: no pattern has such a level. */
static uint32_t levels_of_exception(const struct compiler *c, uint32_t index,
                                    uint8_t *out)
{
    const struct hy_items *items = &c->rules->exceptions;
    const struct hy_item *item = hy_item_at(items, index);
    const uint8_t *levels = hy_item_levels(items, item);
    uint32_t n = 0;

    out[n++] = EXCEPTION_MARK;
    for (unsigned i = item->n + 1u; i-- > 0;)
        out[n++] = levels[i];
    return n;
}

static ninho_status output_for(struct compiler *c, const uint8_t *levels, uint32_t n,
                               uint32_t *out)
{
    uint64_t found;

    if (ninho_dict_get(c->output_index, levels, n, &found)) {
        *out = (uint32_t)found;
        return NINHO_OK;
    }
    if (c->outputs.n == HY_MAX_OUTPUTS)
        return na_fail(
            c->error, NINHO_ERR_FULL,
            "too many different exceptions for an automaton: keep them in a store");
    if (na_array_reserve(c->alloc, &c->outputs, sizeof(struct output_at), 1) ||
        na_array_reserve(c->alloc, &c->levels, 1, n + 1) ||
        ninho_dict_put(c->output_index, levels, n, c->outputs.n, NULL))
        return na_no_memory(c->error);
    ((struct output_at *)c->outputs.items)[c->outputs.n] =
        (struct output_at){.at = c->levels.n, .n = n};
    if (n)
        memcpy((uint8_t *)c->levels.items + c->levels.n, levels, n);
    c->levels.n += n;
    *out = (uint32_t)c->outputs.n++;
    return NINHO_OK;
}

/* What each node gives: its own levels and those of every ending of it, the highest of each. */
static ninho_status make_outputs(struct compiler *c)
{
    const ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    uint32_t none;

    if (ninho_dict_create(&spec, c->alloc, &c->output_index, NULL))
        return na_no_memory(c->error);
    ninho_status status = output_for(c, (const uint8_t *)"", 0, &none);
    for (size_t i = 1; i < c->nodes.n && !status; i++) {
        struct node *node = node_at(c, c->order[i]);
        uint8_t merged[MAX_OUTPUT] = {0};
        node->output = node_at(c, node->fail)->output;
        if (node->item == NO_NODE)
            continue;
        const uint32_t n_patterns = (uint32_t)c->rules->patterns.items.n;
        if (node->item >= n_patterns) { /* goes before all patterns */
            const uint32_t n = levels_of_exception(c, node->item - n_patterns, merged);
            status = output_for(c, merged, n, &node->output);
            continue;
        }
        uint32_t n = levels_of_pattern(c, node->item, merged);
        const struct output_at shorter =
            ((const struct output_at *)c->outputs.items)[node->output];
        for (uint32_t k = 0; k < shorter.n; k++) {
            const uint8_t level = ((const uint8_t *)c->levels.items)[shorter.at + k];
            merged[k] = level > merged[k] ? level : merged[k];
        }
        n = shorter.n > n ? shorter.n : n;
        while (n > 0 && merged[n - 1] == 0)
            n--;
        status = output_for(c, merged, n, &node->output);
    }
    return status;
}

/* ---- Laying out -------------------------------------------------------------------- */

/* Every row whole: flat cells. */
#define ALL_DEPTHS UINT8_MAX

static bool is_dense(const struct node *node, unsigned depth)
{
    return node->depth <= depth;
}

/* The cells in which a deep node differs from its dense ending: targets by symbol. Returns how
 * many, their symbols in symbols[]; `targets` has n_symbols entries, NO_NODE everywhere before and
 * for symbols not listed. */
static uint32_t differences(const struct compiler *c, uint32_t node, unsigned depth,
                            uint32_t *targets, uint16_t *symbols)
{
    uint32_t n = 0;

    while (!is_dense(node_at(c, node), depth)) {
        for (uint32_t child = node_at(c, node)->first_child; child != NO_NODE;
             child = node_at(c, child)->sibling) {
            const uint16_t symbol = node_at(c, child)->symbol;
            if (targets[symbol] != NO_NODE)
                continue;
            targets[symbol] = child;
            symbols[n++] = symbol;
        }
        node = node_at(c, node_at(c, node)->fail)->row;
    }
    return n;
}

/* Bytes that a choice of depth takes, SIZE_MAX if it cannot be. */
static size_t cost_of(const struct compiler *c, unsigned depth, uint32_t *targets,
                      uint16_t *symbols)
{
    size_t n_dense = 0, n_sparse = 0;

    for (size_t i = 0; i < c->nodes.n; i++) {
        const uint32_t index = c->order[i];
        const struct node *node = node_at(c, index);
        if (node->row != index)
            continue;
        if (is_dense(node, depth)) {
            n_dense++;
            continue;
        }
        const uint32_t n = differences(c, index, depth, targets, symbols);
        for (uint32_t k = 0; k < n; k++)
            targets[symbols[k]] = NO_NODE;
        n_sparse += n;
        if (n_sparse > HY_MAX_SPARSE)
            return SIZE_MAX;
    }
    n_dense *= c->header.n_symbols;
    return n_dense > HY_MAX_DENSE ? SIZE_MAX : n_dense + n_sparse;
}

/* More sparse cells, empty ones, up to n. */
static ninho_status extend_sparse(struct compiler *c, size_t n)
{
    if (n > HY_MAX_SPARSE)
        return too_large(c);
    if (n > c->sparse.n) {
        if (na_array_reserve(c->alloc, &c->sparse, sizeof(uint64_t), n - c->sparse.n))
            return na_no_memory(c->error);
        uint64_t *cells = c->sparse.items;
        for (; c->sparse.n < n; c->sparse.n++)
            cells[c->sparse.n] = hy_cell(0, 0, HY_NO_SYMBOL, 0);
    }
    if (n > c->n_used_bases) {
        const size_t room = c->sparse.room;
        uint8_t *bases = na_alloc(c->alloc, room, 1);
        if (!bases)
            return na_no_memory(c->error);
        memset(bases, 0, room);
        if (c->used_bases)
            memcpy(bases, c->used_bases, c->n_used_bases);
        na_free(c->alloc, c->used_bases, c->n_used_bases, 1);
        c->used_bases = bases;
        c->n_used_bases = room;
    }
    return NINHO_OK;
}

static bool is_free(const struct compiler *c, size_t i)
{
    return i >= c->sparse.n ||
           hy_cell_symbol(((const uint64_t *)c->sparse.items)[i]) == HY_NO_SYMBOL;
}

static bool fits(const struct compiler *c, size_t base, const uint16_t *symbols,
                 uint32_t n)
{
    if (base < c->n_used_bases && c->used_bases[base])
        return false;
    for (uint32_t k = 0; k < n; k++)
        if (!is_free(c, base + symbols[k]))
            return false;
    return true;
}

/* The first base at which a row fits. *low is where cells begin to be free; when too many
 * places were tried it moves on, so that the search stays short and a few holes stay open. */
static size_t find_base(const struct compiler *c, const uint16_t *symbols, uint32_t n,
                        size_t *low)
{
    enum { MANY_TRIES = 400, STRIDE = 64 };
    unsigned tries = 0;
    uint16_t first = UINT16_MAX;

    for (uint32_t k = 0; k < n; k++)
        first = symbols[k] < first ? symbols[k] : first;
    while (!is_free(c, *low))
        ++*low;
    size_t base = *low > first ? *low - first : 1;
    for (; !fits(c, base, symbols, n); base++)
        tries++;
    if (tries > MANY_TRIES)
        *low += STRIDE;
    return base;
}

static ninho_status place_rows(struct compiler *c, uint32_t *targets, uint16_t *symbols)
{
    const uint32_t n_symbols = c->header.n_symbols;
    size_t low = 1, n_needed = n_symbols;
    uint32_t n_dense = 0;

    /* Base 0 is that of every dense row, which has no sparse cells. */
    ninho_status status = extend_sparse(c, n_symbols);
    if (!status)
        c->used_bases[0] = 1;
    for (size_t i = 0; i < c->nodes.n && !status; i++) {
        const uint32_t index = c->order[i];
        struct node *node = node_at(c, index);
        if (node->row != index)
            continue;
        if (is_dense(node, c->dense_depth)) {
            node->dense = n_dense;
            n_dense += n_symbols;
            node->base = 0;
            continue;
        }
        /* failure links lead to shorter nodes, which are done */
        node->dense = node_at(c, node_at(c, node->fail)->row)->dense;
        const uint32_t n = differences(c, index, c->dense_depth, targets, symbols);
        const size_t base = find_base(c, symbols, n, &low);
        status = extend_sparse(c, base + n_symbols);
        for (uint32_t k = 0; k < n; k++) {
            if (!status) /* taken; filled in when all places are known */
                ((uint64_t *)c->sparse.items)[base + symbols[k]] =
                    hy_cell(0, 0, symbols[k], 0);
            targets[symbols[k]] = NO_NODE;
        }
        if (!status)
            c->used_bases[base] = 1;
        node->base = (uint32_t)base;
        n_needed = base + n_symbols > n_needed ? base + n_symbols : n_needed;
    }
    c->header.n_dense = n_dense;
    c->header.n_sparse = c->dense_depth == ALL_DEPTHS ? 0 : (uint32_t)n_needed;
    return status;
}

static uint64_t cell_to(const struct compiler *c, uint32_t target, uint32_t symbol)
{
    const struct node *node = node_at(c, target);
    const struct node *row = node_at(c, node->row);
    return hy_cell(row->base, row->dense, symbol, node->output);
}

static uint32_t flat_cell_to(const struct compiler *c, uint32_t target)
{
    const struct node *node = node_at(c, target);
    return hy_flat_cell(node_at(c, node->row)->dense, node->output);
}

static void fill_flat_cells(const struct compiler *c, uint32_t *cells)
{
    const uint32_t n_symbols = c->header.n_symbols;

    for (size_t i = 0; i < c->nodes.n; i++) {
        const uint32_t index = c->order[i];
        const struct node *node = node_at(c, index);
        if (node->row != index)
            continue;
        uint32_t *row = cells + node->dense;
        for (uint32_t s = 0; index == 0 && s < n_symbols; s++)
            row[s] = flat_cell_to(c, 0);
        if (index != 0)
            memcpy(row, cells + node_at(c, node_at(c, node->fail)->row)->dense,
                   n_symbols * sizeof *row);
        for (uint32_t child = node->first_child; child != NO_NODE;
             child = node_at(c, child)->sibling)
            row[node_at(c, child)->symbol] = flat_cell_to(c, child);
    }
}

static void fill_cells(struct compiler *c, uint64_t *dense, uint64_t *sparse,
                       uint32_t *targets, uint16_t *symbols)
{
    const uint32_t n_symbols = c->header.n_symbols;

    memcpy(sparse, c->sparse.items, c->header.n_sparse * sizeof *sparse);
    for (size_t i = 0; i < c->nodes.n; i++) {
        const uint32_t index = c->order[i];
        const struct node *node = node_at(c, index);
        if (node->row != index)
            continue;
        if (!is_dense(node, c->dense_depth)) {
            const uint32_t n = differences(c, index, c->dense_depth, targets, symbols);
            for (uint32_t k = 0; k < n; k++) {
                const uint16_t symbol = symbols[k];
                sparse[node->base + symbol] = cell_to(c, targets[symbol], symbol);
                targets[symbol] = NO_NODE;
            }
            continue;
        }
        uint64_t *row = dense + node->dense;
        if (index == 0) {
            for (uint32_t s = 0; s < n_symbols; s++)
                row[s] = cell_to(c, 0, s);
        } else {
            const struct node *ending = node_at(c, node_at(c, node->fail)->row);
            memcpy(row, dense + ending->dense, n_symbols * sizeof *row);
        }
        for (uint32_t child = node->first_child; child != NO_NODE;
             child = node_at(c, child)->sibling)
            row[node_at(c, child)->symbol] = cell_to(c, child, node_at(c, child)->symbol);
    }
}

/* What an output has in the tail. */
static uint32_t tail_size(const struct compiler *c, size_t i)
{
    const struct output_at at = ((const struct output_at *)c->outputs.items)[i];
    if (at.n && ((const uint8_t *)c->levels.items)[at.at] == EXCEPTION_MARK)
        return at.n - 1;
    return at.n > HY_LOW_PLACES ? at.n - HY_LOW_PLACES : 0;
}

static void fill_outputs(const struct compiler *c, struct hy_output *outputs,
                         uint8_t *tail)
{
    uint32_t n_tail = 0;

    for (size_t i = 0; i < c->outputs.n; i++) {
        const struct output_at at = ((const struct output_at *)c->outputs.items)[i];
        const uint8_t *levels = (const uint8_t *)c->levels.items + at.at;
        struct hy_output output = {.tail_at = n_tail,
                                   .tail_n = (uint16_t)tail_size(c, i)};
        output.is_exception = at.n && levels[0] == EXCEPTION_MARK;
        for (uint32_t k = 0; !output.is_exception && k < at.n && k < HY_LOW_PLACES; k++)
            output.low |= (uint64_t)hy_ones(levels[k]) << (HY_LEVEL_BITS * k);
        if (output.tail_n) {
            output.low |= HY_HAS_TAIL;
            memcpy(tail + n_tail, levels + at.n - output.tail_n, output.tail_n);
            n_tail += output.tail_n;
        }
        outputs[i] = output;
    }
}

static void count_outputs(struct compiler *c)
{
    c->header.n_outputs = (uint32_t)c->outputs.n;
    c->header.n_tail = 0;
    for (size_t i = 0; i < c->outputs.n; i++)
        c->header.n_tail += tail_size(c, i);
}

static ninho_status choose_depth(struct compiler *c, uint32_t *targets, uint16_t *symbols)
{
    size_t best = SIZE_MAX;

    c->dense_depth = ALL_DEPTHS;
    if (cost_of(c, ALL_DEPTHS, targets, symbols) != SIZE_MAX)
        return NINHO_OK;
    for (unsigned depth = 0; depth <= 2; depth++) {
        const size_t cost = cost_of(c, depth, targets, symbols);
        if (cost < best) {
            best = cost;
            c->dense_depth = depth;
        }
    }
    return best == SIZE_MAX ? too_large(c) : NINHO_OK;
}

static ninho_status lay_out(struct compiler *c, ninho_hyphen_language **out)
{
    const size_t n_symbols = c->header.n_symbols;
    uint16_t symbols[HY_MAX_SYMBOLS];
    struct hy_layout layout = {0};
    uint8_t *bytes = NULL;

    uint32_t *targets = na_alloc(c->alloc, n_symbols, sizeof *targets);
    if (!targets)
        return na_no_memory(c->error);
    memset(targets, 0xFF, n_symbols * sizeof *targets);
    ninho_status status = choose_depth(c, targets, symbols);
    if (!status)
        status = place_rows(c, targets, symbols);
    if (status)
        goto done;
    count_outputs(c);
    const bool is_flat = c->dense_depth == ALL_DEPTHS;
    c->header.root = is_flat ? flat_cell_to(c, 0) : cell_to(c, 0, 0);
    if (!hy_lay_out(&c->header, &layout)) {
        status = na_no_memory(c->error);
        goto done;
    }
    bytes = na_alloc(c->alloc, layout.size, 1);
    if (!bytes) {
        status = na_no_memory(c->error);
        goto done;
    }
    memset(bytes, 0, layout.size);
    if (c->header.n_letters)
        memcpy(bytes + layout.letters, c->letters,
               c->header.n_letters * sizeof(uint32_t));
    if (is_flat)
        fill_flat_cells(c, (void *)(bytes + layout.dense));
    else
        fill_cells(c, (void *)(bytes + layout.dense), (void *)(bytes + layout.sparse),
                   targets, symbols);
    fill_outputs(c, (void *)(bytes + layout.outputs), bytes + layout.tail);
    status =
        hy_language_make(c->alloc, bytes, layout.size, &c->header, false, out, c->error);
    if (!status)
        bytes = NULL;
done:
    na_free(c->alloc, bytes, layout.size, 1);
    na_free(c->alloc, targets, n_symbols, sizeof *targets);
    return status;
}

/* ---- The whole --------------------------------------------------------------------- */

static ninho_status take_minimum(unsigned wanted, unsigned said, unsigned otherwise,
                                 const char *which, uint32_t *out, ninho_error *error)
{
    if (wanted > NINHO_HYPHEN_MAX_MINIMUM)
        return na_fail(error, NINHO_ERR_ARG, "%s minimum %u: at most %u", which, wanted,
                       NINHO_HYPHEN_MAX_MINIMUM);
    *out = wanted ? wanted : said ? said : otherwise;
    return NINHO_OK;
}

static ninho_status take_options(struct compiler *c, const ninho_hyphen_options *given)
{
    const ninho_hyphen_minima said = c->rules->minima;
    ninho_hyphen_options options = NINHO_HYPHEN_OPTIONS_INIT;
    struct hy_header *header = &c->header;

    if (!na_struct_in(&options, sizeof options, given))
        return na_fail(c->error, NINHO_ERR_ARG,
                       "options of a newer version, or not initialised");
    if (take_minimum(options.minima.left, said.left, NINHO_HYPHEN_DEFAULT_LEFT, "left",
                     &header->left, c->error) ||
        take_minimum(options.minima.right, said.right, NINHO_HYPHEN_DEFAULT_RIGHT,
                     "right", &header->right, c->error))
        return NINHO_ERR_ARG;
    if (options.max_letters > NINHO_HYPHEN_MAX_LETTERS)
        return na_fail(c->error, NINHO_ERR_ARG, "max_letters %u: at most %u",
                       options.max_letters, NINHO_HYPHEN_MAX_LETTERS);
    header->max_letters =
        options.max_letters ? options.max_letters : NINHO_HYPHEN_TEX_LETTERS;
    if (options.exceptions != NINHO_HYPHEN_COMPILED &&
        options.exceptions != NINHO_HYPHEN_LEFT_OUT)
        return na_fail(c->error, NINHO_ERR_ARG, "exceptions %d: unknown",
                       (int)options.exceptions);
    c->with_exceptions = options.exceptions == NINHO_HYPHEN_COMPILED;
    if (options.name) {
        const size_t length = strlen(options.name);
        if (length > NINHO_HYPHEN_MAX_NAME)
            return na_fail(c->error, NINHO_ERR_ARG, "a name of more than %d bytes",
                           NINHO_HYPHEN_MAX_NAME);
        memcpy(header->name, options.name, length);
    }
    return NINHO_OK;
}

static void compiler_free(struct compiler *c)
{
    const ninho_alloc *alloc = c->alloc;

    ninho_dict_free(c->output_index);
    na_free(alloc, c->letters, c->header.n_letters, sizeof *c->letters);
    na_free(alloc, c->symbols, c->n_points, sizeof *c->symbols);
    na_free(alloc, c->order, c->nodes.n, sizeof *c->order);
    na_free(alloc, c->used_bases, c->n_used_bases, 1);
    na_array_free(alloc, &c->nodes, sizeof(struct node));
    na_array_free(alloc, &c->outputs, sizeof(struct output_at));
    na_array_free(alloc, &c->levels, sizeof(uint8_t));
    na_array_free(alloc, &c->sparse, sizeof(uint64_t));
}

ninho_status ninho_hyphen_compile(const ninho_hyphen_rules *rules,
                                  const ninho_hyphen_options *options,
                                  const ninho_alloc *alloc, ninho_hyphen_language **out,
                                  ninho_error *error)
{
    const ninho_alloc own = na_allocator(alloc);
    struct compiler c = {.rules = rules, .alloc = &own, .error = error};

    ninho_status status = take_options(&c, options);
    if (status)
        return status;
    c.header.n_patterns = (uint32_t)rules->patterns.items.n;
    c.header.n_exceptions = c.with_exceptions ? (uint32_t)rules->exceptions.items.n : 0;
    status = make_alphabet(&c);
    if (!status)
        status = make_trie(&c);
    if (!status)
        status = link_nodes(&c);
    if (!status)
        status = make_outputs(&c);
    if (!status)
        status = lay_out(&c, out);
    compiler_free(&c);
    return status;
}

ninho_status ninho_hyphen_check_exceptions(const ninho_hyphen_language *language,
                                           const ninho_hyphen_rules *rules,
                                           ninho_error *error)
{
    const struct hy_items *items = &rules->exceptions;

    for (size_t i = 0; i < items->items.n; i++) {
        const struct hy_item *item = hy_item_at(items, i);
        const uint32_t *points = hy_item_points(items, item);
        for (unsigned k = 0; k < item->n; k++)
            if (hy_symbol_of(language, points[k]) == HY_NOT_LETTER)
                return hy_refuse_exception(rules, item, points[k], error);
    }
    return NINHO_OK;
}
