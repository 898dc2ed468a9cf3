/* SPDX-License-Identifier: MIT */
#include "network.h"

#include <inttypes.h>
#include <string.h>

#include "apps/base/base.h"
#include "geo.h"
#include "tree.h"

#define MAX_NAME  255
#define MAX_LINE  2000
#define MAX_WORDS 4

struct word {
    const char *at;
    size_t size;
};

struct parser {
    ninho_route_network *network;
    const ninho_hasher *hasher;
    ninho_error *error;
    ninho_dict *node_names, *thing_names, *hashes; /* to their numbers */
    uint32_t *node_lines; /* where a node is described; 0: only mentioned so far */
    size_t node_lines_room;
    uint32_t *first_mentions;
    size_t first_mentions_room;
    uint64_t *cells; /* of devices: column and row, or GONE */
    size_t cells_room;
    uint32_t line;
    bool has_divide;
};

#define GONE UINT64_MAX

/* wrong(parser, "FORMAT", line, ...) */
#define wrong(parser, ...) \
    na_fail((parser)->error, NINHO_ERR_FORMAT, "line %" PRIu32 ": " __VA_ARGS__)

/* A word for a message: short, and without control characters (the caller of us prints it). */
static int shown(struct word word)
{
    return word.size > 60 ? 60 : (int)word.size;
}

#define SHOW(word) shown(word), (word).at

/* ---- Names ------------------------------------------------------------------------- */

static ninho_status check_name(struct parser *parser, struct word word)
{
    if (word.size > MAX_NAME)
        return wrong(parser, "a name of %zu bytes: at most %d", parser->line, word.size,
                     MAX_NAME);
    return NINHO_OK;
}

/* Keeps the bytes of a name, with a NUL behind. */
static bool keep_name(ninho_route_network *network, struct word word,
                      ninho_route_name *name)
{
    if (!na_grow(&network->alloc, &network->names, network->names_size,
                 &network->names_room, 1, word.size + 1))
        return false;
    memcpy(network->names + network->names_size, word.at, word.size);
    network->names[network->names_size + word.size] = '\0';
    *name = (ninho_route_name){.offset = network->names_size, .size = word.size};
    network->names_size += word.size + 1;
    return true;
}

/* Makes room for one item more in array[0..n). */
#define GROW(alloc, array, n, room) \
    na_grow((alloc), &(array), (n), &(room), sizeof *(array), 1)

static ninho_status node_number(struct parser *parser, struct word word, uint32_t *number)
{
    ninho_route_network *network = parser->network;
    uint64_t value = 0;

    ninho_status status = check_name(parser, word);
    if (status)
        return status;
    if (ninho_dict_get(parser->node_names, word.at, word.size, &value)) {
        *number = (uint32_t)value;
        return NINHO_OK;
    }
    const size_t n = network->n_nodes;
    if (n >= NINHO_ROUTE_MAX_NODES)
        return wrong(parser, "more than %" PRIu32 " nodes", parser->line,
                     NINHO_ROUTE_MAX_NODES);
    if (!GROW(&network->alloc, network->nodes, n, network->nodes_room) ||
        !GROW(&network->alloc, network->parents, n, network->parents_room) ||
        !GROW(&network->alloc, parser->node_lines, n, parser->node_lines_room) ||
        !GROW(&network->alloc, parser->first_mentions, n, parser->first_mentions_room) ||
        !keep_name(network, word, &network->nodes[n]))
        return NINHO_ERR_NOMEM;
    status = ninho_dict_put(parser->node_names, word.at, word.size, n, NULL);
    if (status)
        return status;
    network->parents[n] = NINHO_ROUTE_NONE;
    parser->node_lines[n] = 0;
    parser->first_mentions[n] = parser->line;
    network->n_nodes++;
    *number = (uint32_t)n;
    return NINHO_OK;
}

/* A resource or device, new ones too. */
static ninho_status thing_number(struct parser *parser, struct word word,
                                 uint32_t *number)
{
    ninho_route_network *network = parser->network;
    uint64_t value = 0;

    ninho_status status = check_name(parser, word);
    if (status)
        return status;
    if (ninho_dict_get(parser->thing_names, word.at, word.size, &value)) {
        *number = (uint32_t)value;
        return NINHO_OK;
    }
    const size_t n = network->n_things;
    const uint64_t hash = ninho_hash_bytes(parser->hasher, word.at, word.size);
    if (n >= UINT32_MAX - 1)
        return wrong(parser, "too many names", parser->line);
    if (ninho_dict_get(parser->hashes, &hash, sizeof hash, &value))
        return wrong(parser, "%.*s and %s have the same hash: choose another seed",
                     parser->line, SHOW(word),
                     ninho_route_name_text(network, &network->things[value]));
    if (!GROW(&network->alloc, network->things, n, network->things_room) ||
        !GROW(&network->alloc, parser->cells, n, parser->cells_room) ||
        !keep_name(network, word, &network->things[n]))
        return NINHO_ERR_NOMEM;
    status = ninho_dict_put(parser->thing_names, word.at, word.size, n, NULL);
    if (!status)
        status = ninho_dict_put(parser->hashes, &hash, sizeof hash, n, NULL);
    if (status)
        return status;
    network->things[n].hash = hash;
    parser->cells[n] = GONE;
    network->n_things++;
    *number = (uint32_t)n;
    return NINHO_OK;
}

static ninho_status add_step(struct parser *parser, ninho_route_step step)
{
    ninho_route_network *network = parser->network;

    if (!GROW(&network->alloc, network->steps, network->n_steps, network->steps_room))
        return NINHO_ERR_NOMEM;
    step.line = parser->line;
    network->steps[network->n_steps++] = step;
    return NINHO_OK;
}

/* ---- Lines of a tree --------------------------------------------------------------- */

static ninho_status read_node(struct parser *parser, const struct word *words, size_t n)
{
    uint32_t node = 0;
    uint32_t parent = NINHO_ROUTE_NONE;
    ninho_status status = node_number(parser, words[1], &node);

    if (status)
        return status;
    if (parser->node_lines[node])
        return wrong(parser,
                     "node %.*s is there already, from line %" PRIu32 ": a node has one "
                     "parent",
                     parser->line, SHOW(words[1]), parser->node_lines[node]);
    parser->node_lines[node] = parser->line;
    if (n > 2)
        status = node_number(parser, words[2], &parent);
    if (!status && parent == node)
        return wrong(parser, "node %.*s cannot be its own parent", parser->line,
                     SHOW(words[1]));
    if (!status)
        parser->network->parents[node] = parent;
    return status;
}

static ninho_status read_at_node(struct parser *parser, const struct word *words,
                                 ninho_route_op op)
{
    ninho_route_step step = {.op = op};
    uint64_t node = 0;

    if (!ninho_dict_get(parser->node_names, words[1].at, words[1].size, &node) ||
        !parser->node_lines[node])
        return wrong(parser, "there is no line before this one: node %.*s", parser->line,
                     SHOW(words[1]));
    step.at = (uint32_t)node;
    const ninho_status status = thing_number(parser, words[2], &step.what);
    return status ? status : add_step(parser, step);
}

/* ---- Lines of a square ------------------------------------------------------------- */

static ninho_status read_number(struct parser *parser, struct word word, uint32_t limit,
                                const char *what, uint32_t *number)
{
    uint64_t value = 0;
    bool is_good = word.size <= 9;

    for (size_t i = 0; is_good && i < word.size; i++) {
        is_good = word.at[i] >= '0' && word.at[i] <= '9';
        value = value * 10 + (uint64_t)(word.at[i] - '0');
    }
    if (!is_good || value > limit)
        return wrong(parser, "%.*s: %s must be 0 .. %" PRIu32, parser->line, SHOW(word),
                     what, limit);
    *number = (uint32_t)value;
    return NINHO_OK;
}

static ninho_status read_divide(struct parser *parser, const struct word *words)
{
    if (parser->has_divide)
        return wrong(parser, "the square is divided already", parser->line);
    parser->has_divide = true;
    return read_number(parser, words[1], NINHO_ROUTE_GEO_MAX_DIVISIONS,
                       "the number of divisions", &parser->network->n_divisions);
}

/* A device that must be in the square, or must not. */
static ninho_status device_number(struct parser *parser, struct word word, bool is_there,
                                  uint32_t *number)
{
    const ninho_status status = thing_number(parser, word, number);

    if (status)
        return status;
    if (is_there && parser->cells[*number] == GONE)
        return wrong(parser, "there is no device %.*s by now", parser->line, SHOW(word));
    if (!is_there && parser->cells[*number] != GONE)
        return wrong(parser, "device %.*s is there already", parser->line, SHOW(word));
    return NINHO_OK;
}

static ninho_status read_device(struct parser *parser, const struct word *words,
                                ninho_route_op op)
{
    const uint32_t last = (UINT32_C(1) << parser->network->n_divisions) - 1;
    ninho_route_step step = {.op = op};
    ninho_status status =
        device_number(parser, words[1], op == NINHO_ROUTE_MOVE, &step.what);

    if (!status)
        status = read_number(parser, words[2], last, "the column", &step.column);
    if (!status)
        status = read_number(parser, words[3], last, "the row", &step.row);
    if (status)
        return status;
    parser->cells[step.what] = (uint64_t)step.column << 32 | step.row;
    return add_step(parser, step);
}

static ninho_status read_leave(struct parser *parser, const struct word *words)
{
    ninho_route_step step = {.op = NINHO_ROUTE_REMOVE};
    const ninho_status status = device_number(parser, words[1], true, &step.what);

    if (status)
        return status;
    parser->cells[step.what] = GONE;
    return add_step(parser, step);
}

static ninho_status read_send(struct parser *parser, const struct word *words)
{
    ninho_route_step step = {.op = NINHO_ROUTE_ASK};
    ninho_status status = device_number(parser, words[1], true, &step.at);

    if (!status)
        status = thing_number(parser, words[2], &step.what);
    return status ? status : add_step(parser, step);
}

/* ---- Lines ------------------------------------------------------------------------- */

enum line_kind { NODE, AT_NODE, DIVIDE, DEVICE, LEAVE, SEND, REFRESH };

static const struct line {
    const char *word;
    bool of_tree, of_square;
    size_t least, most; /* words */
    enum line_kind kind;
    ninho_route_op op;
    const char *form;
} lines[] = {
    {"node", true, false, 2, 3, NODE, NINHO_ROUTE_PLACE, "node NAME [PARENT]"},
    {"has", true, false, 3, 3, AT_NODE, NINHO_ROUTE_PLACE, "has NODE RESOURCE"},
    {"ask", true, false, 3, 3, AT_NODE, NINHO_ROUTE_ASK, "ask NODE RESOURCE"},
    {"add", true, false, 3, 3, AT_NODE, NINHO_ROUTE_ADD, "add NODE RESOURCE"},
    {"remove", true, false, 3, 3, AT_NODE, NINHO_ROUTE_REMOVE, "remove NODE RESOURCE"},
    {"divide", false, true, 2, 2, DIVIDE, NINHO_ROUTE_PLACE, "divide N"},
    {"device", false, true, 4, 4, DEVICE, NINHO_ROUTE_PLACE, "device NAME COLUMN ROW"},
    {"move", false, true, 4, 4, DEVICE, NINHO_ROUTE_MOVE, "move NAME COLUMN ROW"},
    {"leave", false, true, 2, 2, LEAVE, NINHO_ROUTE_REMOVE, "leave NAME"},
    {"send", false, true, 3, 3, SEND, NINHO_ROUTE_ASK, "send NAME NAME"},
    {"refresh", true, true, 1, 1, REFRESH, NINHO_ROUTE_REFRESH, "refresh"},
};

static ninho_status read_words(struct parser *parser, const struct word *words, size_t n)
{
    const struct line *line = NULL;

    for (size_t i = 0; !line && i < sizeof lines / sizeof *lines; i++)
        if (strlen(lines[i].word) == words[0].size &&
            memcmp(lines[i].word, words[0].at, words[0].size) == 0)
            line = &lines[i];
    if (!line)
        return wrong(
            parser, "%.*s: no such line: expects %s", parser->line, SHOW(words[0]),
            parser->network->is_square ? "divide, device, send, move, leave or refresh"
                                       : "node, has, ask, add, remove or refresh");
    if (parser->network->is_square ? !line->of_square : !line->of_tree)
        return wrong(parser, "%s is for a %s, and this is a %s", parser->line, line->word,
                     parser->network->is_square ? "tree" : "square",
                     parser->network->is_square ? "square" : "tree");
    if (n < line->least || n > line->most)
        return wrong(parser, "expects: %s", parser->line, line->form);
    if (parser->network->is_square && !parser->has_divide && line->kind != DIVIDE)
        return wrong(parser, "the first line must be: divide N", parser->line);
    switch (line->kind) {
    case NODE:
        return read_node(parser, words, n);
    case AT_NODE:
        return read_at_node(parser, words, line->op);
    case DIVIDE:
        return read_divide(parser, words);
    case DEVICE:
        return read_device(parser, words, line->op);
    case LEAVE:
        return read_leave(parser, words);
    case SEND:
        return read_send(parser, words);
    case REFRESH:
        break;
    }
    return add_step(parser, (ninho_route_step){.op = NINHO_ROUTE_REFRESH});
}

static ninho_status read_line(struct parser *parser, const char *line, size_t size)
{
    struct word words[MAX_WORDS] = {{.at = NULL}};
    size_t n = 0;

    if (size && line[size - 1] == '\r')
        size--;
    if (size > MAX_LINE)
        return wrong(parser, "is longer than %d bytes", parser->line, MAX_LINE);
    if (memchr(line, '\0', size))
        return wrong(parser, "has a NUL in it: this is no text", parser->line);
    for (size_t i = 0; i < size;) {
        if (line[i] == ' ' || line[i] == '\t') {
            i++;
            continue;
        }
        if (n == 0 && line[i] == '#')
            return NINHO_OK;
        if (n == MAX_WORDS)
            return wrong(parser, "has more than %d words", parser->line, MAX_WORDS);
        words[n].at = line + i;
        while (i < size && line[i] != ' ' && line[i] != '\t')
            i++;
        words[n].size = (size_t)(line + i - words[n].at);
        n++;
    }
    return n ? read_words(parser, words, n) : NINHO_OK;
}

static ninho_status read_text(struct parser *parser, const char *text, size_t size)
{
    ninho_status status = NINHO_OK;

    for (size_t at = 0; !status && at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - (text + at)) : size - at;
        if (parser->line == UINT32_MAX)
            return wrong(parser, "too many lines", parser->line);
        parser->line++;
        status = read_line(parser, text + at, length);
        at += length + 1;
    }
    if (status)
        return status;
    const ninho_route_network *network = parser->network;
    for (size_t v = 0; v < network->n_nodes; v++)
        if (!parser->node_lines[v])
            return wrong(parser, "there is no line: node %.60s",
                         parser->first_mentions[v],
                         ninho_route_name_text(network, &network->nodes[v]));
    if (!network->is_square && network->n_nodes == 0)
        return na_fail(parser->error, NINHO_ERR_FORMAT, "there are no nodes");
    if (network->is_square && !parser->has_divide)
        return na_fail(parser->error, NINHO_ERR_FORMAT, "there is no line: divide N");
    return NINHO_OK;
}

/* ---- The whole --------------------------------------------------------------------- */

static ninho_status make_dicts(struct parser *parser, const ninho_alloc *alloc)
{
    ninho_dict **const dicts[] = {&parser->node_names, &parser->thing_names,
                                  &parser->hashes};
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;

    for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++) {
        const ninho_status status = ninho_dict_create(&spec, alloc, dicts[i], NULL);
        if (status)
            return status;
    }
    return NINHO_OK;
}

ninho_status ninho_route_network_parse(const char *text, size_t size, bool is_square,
                                       const ninho_hasher *hasher,
                                       const ninho_alloc *alloc, ninho_route_network *out,
                                       ninho_error *error)
{
    ninho_route_network network = {.is_square = is_square, .alloc = na_allocator(alloc)};
    struct parser parser = {.network = &network, .hasher = hasher, .error = error};
    ninho_status status = make_dicts(&parser, &network.alloc);

    if (!status)
        status = read_text(&parser, text, size);
    if (status && status != NINHO_ERR_FORMAT)
        (void)ninho_error_set(error, status, "%s", ninho_status_text(status));
    ninho_dict_free(parser.node_names);
    ninho_dict_free(parser.thing_names);
    ninho_dict_free(parser.hashes);
    na_free(&network.alloc, parser.node_lines, parser.node_lines_room,
            sizeof *parser.node_lines);
    na_free(&network.alloc, parser.first_mentions, parser.first_mentions_room,
            sizeof *parser.first_mentions);
    na_free(&network.alloc, parser.cells, parser.cells_room, sizeof *parser.cells);
    if (status)
        ninho_route_network_free(&network);
    else
        *out = network;
    return status;
}

void ninho_route_network_free(ninho_route_network *network)
{
    const ninho_alloc alloc = network->alloc;

    na_free(&alloc, network->names, network->names_room, 1);
    na_free(&alloc, network->nodes, network->nodes_room, sizeof *network->nodes);
    na_free(&alloc, network->parents, network->parents_room, sizeof *network->parents);
    na_free(&alloc, network->things, network->things_room, sizeof *network->things);
    na_free(&alloc, network->steps, network->steps_room, sizeof *network->steps);
    *network = (ninho_route_network){.alloc = alloc};
}

const char *ninho_route_name_text(const ninho_route_network *network,
                                  const ninho_route_name *name)
{
    return network->names + name->offset;
}
