/* SPDX-License-Identifier: MIT */
/* Draws the pictures of docs/bloom.md, docs/cuckoo.md and docs/ribbon.md as SVG, from what the library did: an
 * observer writes down each bit, counter and tag as it changes, and the pictures show nothing else.
 *
 *     draw bloom-16 > docs/img/bloom-16.svg
 *
 * Also an example of the observer, and of keys that are hashes of the caller's own. */
#include "draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Watching -------------------------------------------------------------------------------- */

void write_down(void *context, const ninho_event *event)
{
    struct steps *steps = context;
    if (steps->n < MAX_STEPS)
        steps->events[steps->n++] = *event;
}

void give_up(const char *what)
{
    fprintf(stderr, "draw: %s\n", what);
    exit(1);
}

/* A filter of m cells, by hand, that reports to *steps. Its keys are hashes. */
static ninho_filter *watched(ninho_kind kind, uint64_t m, uint32_t k, struct steps *steps)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    spec.kind = kind;
    spec.key_encoding = NINHO_KEY_HASHES;
    spec.capacity = 3;
    spec.n_bits = m;
    spec.n_hashes = k;
    spec.observer = write_down;
    spec.observer_context = steps;
    if (ninho_filter_create(&spec, NULL, &filter, &error))
        give_up(error.text);
    return filter;
}

#define K 3

/* A hash whose places are these, in this order. The library is asked, not the formula. */
static uint64_t hash_with_places(uint64_t m, const uint64_t places[K])
{
    struct steps steps;
    ninho_filter *scratch = watched(NINHO_COUNTING, m, K, &steps);
    uint64_t state = 0, hash;

    do {
        hash = ninho_splitmix64(&state);
        steps.n = 0;
        ninho_filter_clear(scratch);
        ninho_filter_add(scratch, hash);
    } while (steps.n != K || steps.events[0].to != places[0] ||
             steps.events[1].to != places[1] || steps.events[2].to != places[2]);
    ninho_filter_free(scratch);
    return hash;
}

/* ---- SVG ------------------------------------------------------------------------------------- */

void begin(int width, int height, const char *title)
{
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
           "height=\"%d\" font-family=\"sans-serif\" font-size=\"14\" role=\"img\">\n"
           "<title>%s</title>\n"
           "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\"/>\n",
           width, height, width, height, title, width, height);
}

void text(int x, int y, const char *colour, const char *anchor, const char *what)
{
    printf("<text x=\"%d\" y=\"%d\" fill=\"%s\" text-anchor=\"%s\">%s</text>\n", x, y,
           colour, anchor, what);
}

void box(int x, int y, int width, int height, const char *fill, const char *what)
{
    printf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"" INK
           "\"/>\n",
           x, y, width, height, fill);
    text(x + width / 2, y + height / 2 + 5, INK, "middle", what);
}

static void line(int x1, int y1, int x2, int y2, const char *colour)
{
    printf("<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" "
           "stroke-width=\"1.5\"/>\n<circle cx=\"%d\" cy=\"%d\" r=\"3\" fill=\"%s\"/>\n",
           x1, y1, x2, y2, colour, x2, y2, colour);
}

void key(int x, int y, const char *name)
{
    printf("<circle cx=\"%d\" cy=\"%d\" r=\"16\" fill=\"#ffffff\" stroke=\"" INK "\"/>\n",
           x, y);
    text(x, y + 5, INK, "middle", name);
}

#define CELL 40
#define LEFT 30

static int middle_of(uint64_t cell)
{
    return LEFT + CELL * (int)cell + CELL / 2;
}

static void row_of_cells(int y, uint64_t m, const unsigned *values)
{
    char number[24];

    for (uint64_t i = 0; i < m; i++) {
        snprintf(number, sizeof number, "%u", values[i]);
        box(middle_of(i) - CELL / 2, y, CELL, 32, values[i] ? FILLED : "#ffffff", number);
    }
}

/* With a white rim: lines pass behind them. */
static void cell_numbers(int y, uint64_t m)
{
    for (uint64_t i = 0; i < m; i++)
        printf("<text x=\"%d\" y=\"%d\" fill=\"" FAINT "\" text-anchor=\"middle\" "
               "stroke=\"#ffffff\" stroke-width=\"4\" paint-order=\"stroke\">%" PRIu64
               "</text>\n",
               middle_of(i), y, i);
}

/* ---- Bloom: keys in, keys asked for ---------------------------------------------------------- */

#define MAX_CELLS 32

struct drawn_key {
    const char *name;
    uint64_t places[K];
    uint64_t hash;
};

/* Joins a key's places to its circle. `bits`: colour them by what the key finds there. */
static void join(const struct drawn_key *k, uint64_t m, const unsigned *bits, int x,
                 int from_y, int to_y)
{
    struct steps steps = {.n = 0};
    ninho_filter *alone = watched(NINHO_BLOOM, m, K, &steps);

    ninho_filter_add(alone, k->hash);
    for (size_t i = 0; i < steps.n; i++) {
        const uint64_t cell = steps.events[i].to;
        line(x, from_y, middle_of(cell), to_y, !bits ? BLUE : bits[cell] ? GREEN : RED);
    }
    ninho_filter_free(alone);
}

static void draw_bloom(uint64_t m, struct drawn_key *in, size_t n_in,
                       struct drawn_key *asked, size_t n_asked)
{
    const int width = 2 * LEFT + CELL * (int)m, row = 130, height = 330;
    unsigned bits[MAX_CELLS] = {0};
    struct steps steps = {.n = 0};
    ninho_filter *filter = watched(NINHO_BLOOM, m, K, &steps);
    char title[120];

    for (size_t i = 0; i < n_in; i++) {
        in[i].hash = hash_with_places(m, in[i].places);
        ninho_filter_add(filter, in[i].hash);
    }
    for (size_t i = 0; i < steps.n; i++)
        bits[steps.events[i].to] = 1;
    snprintf(title, sizeof title, "A Bloom filter with m = %" PRIu64 " bits and k = %d",
             m, K);
    begin(width, height, title);
    text(LEFT, 26, FAINT, "start", "added");
    for (size_t i = 0; i < n_in; i++) {
        const int x = width * (int)(i + 1) / (int)(n_in + 1);
        join(&in[i], m, NULL, x, 52, row);
        key(x, 36, in[i].name);
    }
    row_of_cells(row, m, bits);
    text(LEFT, 262, FAINT, "start", "asked");
    for (size_t i = 0; i < n_asked; i++) {
        const int x = width * (int)(i + 1) / (int)(n_asked + 1);
        asked[i].hash = hash_with_places(m, asked[i].places);
        join(&asked[i], m, bits, x, 242, row + 32);
        key(x, 258, asked[i].name);
        const bool maybe = ninho_filter_has(filter, asked[i].hash);
        text(x, 298, maybe ? GREEN : RED, "middle",
             maybe ? "all ones: &#8220;maybe&#8221;" : "a zero: certainly not");
        if (maybe)
            text(x, 318, INK, "middle", "never added: a false positive");
    }
    cell_numbers(row - 6, m);
    puts("</svg>");
    ninho_filter_free(filter);
}

static void bloom_16(void)
{
    struct drawn_key in[] = {{"x", {2, 5, 12}, 0}, {"y", {5, 9, 14}, 0}};
    struct drawn_key asked[] = {{"z", {2, 7, 14}, 0}, {"w", {9, 2, 12}, 0}};
    draw_bloom(16, in, 2, asked, 2);
}

static void bloom_18(void)
{
    struct drawn_key in[] = {
        {"x", {1, 5, 13}, 0}, {"y", {4, 11, 16}, 0}, {"z", {3, 5, 11}, 0}};
    struct drawn_key asked[] = {{"w", {4, 13, 15}, 0}};
    draw_bloom(18, in, 3, asked, 1);
}

/* ---- Counting: added, added, removed --------------------------------------------------------- */

static void replay(const struct steps *steps, unsigned *counters)
{
    for (size_t i = 0; i < steps->n; i++)
        counters[steps->events[i].to] = (unsigned)steps->events[i].value;
}

static void counting(void)
{
    enum { M = 16 };
    static const uint64_t x_places[K] = {2, 5, 12}, y_places[K] = {5, 9, 14};
    const uint64_t x = hash_with_places(M, x_places), y = hash_with_places(M, y_places);
    struct steps steps = {.n = 0};
    ninho_filter *filter = watched(NINHO_COUNTING, M, K, &steps);
    unsigned counters[MAX_CELLS] = {0};

    begin(2 * LEFT + CELL * M, 300, "A counting Bloom filter: add x, add y, remove x");
    text(LEFT, 30, INK, "start", "add x");
    ninho_filter_add(filter, x);
    replay(&steps, counters);
    row_of_cells(40, M, counters);
    text(LEFT, 110, INK, "start", "add y: counter 5 is leant on twice");
    ninho_filter_add(filter, y);
    replay(&steps, counters);
    row_of_cells(120, M, counters);
    text(LEFT, 190, INK, "start", "remove x: y still finds its three");
    ninho_filter_remove(filter, x);
    replay(&steps, counters);
    row_of_cells(200, M, counters);
    cell_numbers(256, M);
    if (!ninho_filter_has(filter, y) || ninho_filter_has(filter, x))
        give_up("the counting filter does not do what the picture says");
    puts("</svg>");
    ninho_filter_free(filter);
}

/* ---- Blocked: one block, eight words, eight bits --------------------------------------------- */

static void blocked(void)
{
    enum { N_BLOCKS = 8, WORDS = 8, BIT = 18 };
    const int width = 700;
    struct steps steps = {.n = 0};
    ninho_filter *filter = watched(NINHO_BLOCKED, 256 * N_BLOCKS, 0, &steps);
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    bool set[256] = {false};
    char label[64];

    ninho_filter_add(filter, ninho_hash_bytes(&hasher, "robin", 5));
    if (steps.n != WORDS)
        give_up("a key sets eight bits");
    const uint64_t block = steps.events[0].to / 256;
    for (size_t i = 0; i < steps.n; i++)
        set[steps.events[i].to % 256] = true;
    begin(width, 350,
          "A split-block Bloom filter: the key goes to one block and sets a bit in "
          "each of its eight words");
    text(20, 32, INK, "start", "the high half of the hash picks one block of 32 bytes");
    for (int i = 0; i < N_BLOCKS; i++) {
        snprintf(label, sizeof label, "%d", i);
        box(20 + 82 * i, 44, 82, 30, (uint64_t)i == block ? FILLED : "#ffffff", label);
    }
    const int x = 20 + 82 * (int)block;
    printf("<polygon points=\"%d,74 %d,74 676,130 100,130\" fill=\"%s\" "
           "opacity=\"0.35\"/>\n",
           x, x + 82, FILLED);
    for (int word = 0; word < WORDS; word++) {
        const int y = 130 + 22 * word;
        snprintf(label, sizeof label, "word %d", word);
        text(90, y + 16, FAINT, "end", label);
        for (int bit = 0; bit < 32; bit++)
            printf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"20\" fill=\"%s\" "
                   "stroke=\"" FAINT "\"/>\n",
                   100 + BIT * bit, y, BIT, set[32 * word + bit] ? BLUE : "#ffffff");
    }
    text(100, 330, INK, "start",
         "the low half, times a constant per word, picks one bit in each");
    puts("</svg>");
    ninho_filter_free(filter);
}

/* ---- Scalable: tables as they came ----------------------------------------------------------- */

static void note_growth(void *context, const ninho_event *event)
{
    if (event->type == NINHO_EVENT_RESIZED)
        *(uint64_t *)context = event->to;
}

static void scalable(void)
{
    enum { FIRST = 1000, KEYS = 7000 };
    const int unit = 88;
    uint64_t n_tables = 1;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    uint64_t state = 0;
    char label[160];
    int at = 20;

    spec.kind = NINHO_SCALABLE;
    spec.base = NINHO_BLOOM;
    spec.key_encoding = NINHO_KEY_HASHES;
    spec.capacity = FIRST;
    spec.fpr = 0.01;
    spec.observer = note_growth;
    spec.observer_context = &n_tables;
    if (ninho_filter_create(&spec, NULL, &filter, &error))
        give_up(error.text);
    for (int i = 0; i < KEYS; i++)
        ninho_filter_add(filter, ninho_splitmix64(&state));
    begin(40 + 7 * unit, 190,
          "A scalable filter: each table is twice as large and gets a "
          "smaller share of the promise");
    snprintf(label, sizeof label,
             "%d keys into a scalable filter made for %d: %" PRIu64 " tables", KEYS,
             FIRST, n_tables);
    text(20, 32, INK, "start", label);
    for (unsigned i = 0; i < n_tables; i++) {
        const int width = unit << i;
        snprintf(label, sizeof label, "%d", FIRST << i);
        box(at, 50, width, 44, FILLED, label);
        snprintf(label, sizeof label, i ? "0.6 &#949; / %u" : "0.6 &#949;",
                 (i + 1) * (i + 1));
        text(at + width / 2, 114, FAINT, "middle", label);
        at += width;
    }
    text(20, 146, INK, "start",
         "an add goes to the last table, unless one of them has the key");
    text(20, 168, INK, "start", "a lookup asks all of them, the newest first");
    puts("</svg>");
    ninho_filter_free(filter);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*draw)(void);
    } pictures[] = {{"bloom-16", bloom_16},
                    {"bloom-18", bloom_18},
                    {"blocked", blocked},
                    {"counting", counting},
                    {"scalable", scalable},
                    {"cuckoo-add", cuckoo_add},
                    {"cuckoo-places", cuckoo_places},
                    {"cuckoo-load", cuckoo_load},
                    {"ribbon-buckets", ribbon_buckets},
                    {"ribbon-zones", ribbon_zones}};

    for (size_t i = 0; argc == 2 && i < sizeof pictures / sizeof *pictures; i++) {
        if (strcmp(argv[1], pictures[i].name) == 0) {
            pictures[i].draw();
            return fflush(stdout) ? 1 : 0;
        }
    }
    fputs("usage: draw PICTURE; the pictures are", stderr);
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        fprintf(stderr, " %s", pictures[i].name);
    fputs("\n", stderr);
    return 2;
}
