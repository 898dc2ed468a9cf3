/* SPDX-License-Identifier: MIT */
/* The pictures of docs/cuckoo.md. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "draw.h"

static ninho_filter *make(ninho_spec *spec, struct steps *steps)
{
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    spec->kind = NINHO_CUCKOO;
    spec->key_encoding = NINHO_KEY_HASHES;
    spec->observer = steps ? write_down : NULL;
    spec->observer_context = steps;
    if (ninho_filter_create(spec, NULL, &filter, &error))
        give_up(error.text);
    return filter;
}

/* ---- A key comes, two tags move, the key goes ------------------------------------------------ */

#define N_BUCKETS 8
#define BUCKET    76
#define LEFT      30

/* Eight buckets of one slot, as lectures draw them. */
static ninho_filter *eight_buckets(struct steps *steps)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    ninho_spec_original(&spec);
    spec.capacity = 5;
    spec.place_slots = 1;
    spec.n_slots = N_BUCKETS;
    spec.tag_bits = 8;
    return make(&spec, steps);
}

/* The next hash whose tag goes to bucket `first`, and a second copy of it to `second`. The library
 * is asked, not the formula. */
static uint64_t hash_with_buckets(uint64_t first, uint64_t second, uint64_t *state)
{
    struct steps steps;
    ninho_filter *scratch = eight_buckets(&steps);
    uint64_t hash;

    do {
        hash = ninho_splitmix64(state);
        steps.n = 0;
        ninho_filter_clear(scratch);
        ninho_filter_add(scratch, hash);
        ninho_filter_add(scratch, hash);
    } while (steps.n != 2 || steps.events[0].to != first || steps.events[1].to != second);
    ninho_filter_free(scratch);
    return hash;
}

/* Who lies in which bucket, by name, kept up with the steps. A tag that is thrown out is in the air
 * until the next step moves it. */
struct nest {
    const char *who[N_BUCKETS];
    const char *in_the_air;
};

static void follow(struct nest *nest, const ninho_event *event, const char *comes)
{
    const char *who = comes;

    if (event->type == NINHO_EVENT_TAG_REMOVED) {
        nest->who[event->from] = "";
        return;
    }
    if (event->type == NINHO_EVENT_TAG_MOVED)
        who = nest->in_the_air;
    nest->in_the_air = nest->who[event->to];
    nest->who[event->to] = who;
}

static int middle_of(uint64_t bucket)
{
    return LEFT + BUCKET * (int)bucket + BUCKET / 2;
}

static void row_of_buckets(int y, const struct nest *nest)
{
    for (uint64_t i = 0; i < N_BUCKETS; i++)
        box(LEFT + BUCKET * (int)i, y, BUCKET, 36, *nest->who[i] ? FILLED : "#ffffff",
            nest->who[i]);
}

/* A curved arrow under a row, from bucket to bucket. */
static void arrow(int y, uint64_t from, uint64_t to, const char *what)
{
    const int x1 = middle_of(from), x2 = middle_of(to);
    const int reach = 18 + 8 * (x1 < x2 ? x2 - x1 : x1 - x2) / BUCKET;

    printf("<path d=\"M %d %d C %d %d %d %d %d %d\" fill=\"none\" stroke=\"" BLUE
           "\" stroke-width=\"1.5\" marker-end=\"url(#tip)\"/>\n",
           x1, y, x1, y + 2 * reach, x2, y + 2 * reach, x2, y + 4);
    printf("<text x=\"%d\" y=\"%d\" fill=\"" BLUE "\" text-anchor=\"middle\" "
           "stroke=\"#ffffff\" stroke-width=\"4\" paint-order=\"stroke\">%s</text>\n",
           (x1 + x2) / 2, y + 3 * reach / 2 + 16, what);
}

static void define_tip(void)
{
    puts("<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"6\" "
         "refY=\"4\" orient=\"auto\"><path d=\"M 0 0 L 8 4 L 0 8 z\" fill=\"" BLUE
         "\"/></marker></defs>");
}

static void straight(int x1, int y1, int x2, int y2, const char *colour, const char *dash)
{
    printf("<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" "
           "stroke-width=\"1.5\" stroke-dasharray=\"%s\"%s/>\n",
           x1, y1, x2, y2, colour, dash,
           strcmp(colour, BLUE) ? "" : " marker-end=\"url(#tip)\"");
}

static void bucket_numbers(int y)
{
    char number[24];

    for (uint64_t i = 0; i < N_BUCKETS; i++) {
        snprintf(number, sizeof number, "%" PRIu64, i);
        text(middle_of(i), y, FAINT, "middle", number);
    }
}

void cuckoo_add(void)
{
    const int width = 2 * LEFT + BUCKET * N_BUCKETS;
    struct steps steps = {.n = 0};
    struct nest nest = {{"", "", "", "", "", "", "", ""}, ""};
    uint64_t state = 0, x;
    static const char *const names[] = {"a", "b", "c"};
    uint64_t hashes[3];
    ninho_filter *filter;

    hashes[0] = hash_with_buckets(6, 5, &state);
    hashes[1] = hash_with_buckets(1, 5, &state);
    hashes[2] = hash_with_buckets(5, 4, &state);
    /* A walk may begin at either bucket of x: the first x whose walk goes the lecture's way. */
    for (;;) {
        x = hash_with_buckets(1, 6, &state);
        filter = eight_buckets(&steps);
        for (int i = 0; i < 3; i++)
            ninho_filter_add(filter, hashes[i]);
        steps.n = 0;
        ninho_filter_add(filter, x);
        if (steps.n == 3 && steps.events[0].to == 1 && steps.events[1].to == 5 &&
            steps.events[2].to == 4)
            break;
        ninho_filter_free(filter);
    }
    const struct steps coming = steps;
    ninho_filter_free(filter);

    steps.n = 0;
    filter = eight_buckets(&steps);
    for (int i = 0; i < 3; i++) {
        steps.n = 0;
        ninho_filter_add(filter, hashes[i]);
        follow(&nest, &steps.events[0], names[i]);
    }
    begin(width, 420,
          "Adding x to a cuckoo filter moves b and c; removing x moves nobody");
    define_tip();
    key(middle_of(1) + 2 * BUCKET + BUCKET / 2, 36, "x");
    straight(middle_of(3) + 22, 40, middle_of(1) + 16, 92, BLUE, "none");
    straight(middle_of(3) + 54, 40, middle_of(6) - 16, 92, FAINT, "4 4");
    text(middle_of(5) + 20, 52, FAINT, "middle", "full too");
    bucket_numbers(90);
    row_of_buckets(98, &nest);
    arrow(136, coming.events[1].from, coming.events[1].to, "2. b moves 1 &#8594; 5");
    arrow(136, coming.events[2].from, coming.events[2].to, "3. c moves 5 &#8594; 4");
    text(middle_of(1) - 6, 64, BLUE, "middle", "1. x goes to 1");
    steps.n = 0;
    ninho_filter_add(filter, x);
    for (size_t i = 0; i < steps.n; i++)
        follow(&nest, &steps.events[i], "x");
    text(LEFT, 262, INK, "start", "with x in: every tag lies in one of its two buckets");
    row_of_buckets(272, &nest);
    steps.n = 0;
    ninho_filter_remove(filter, x);
    follow(&nest, &steps.events[0], "");
    text(LEFT, 346, INK, "start",
         "x removed: its bucket is empty, and nobody moves back");
    row_of_buckets(356, &nest);
    if (ninho_filter_has(filter, x) || !ninho_filter_has(filter, hashes[1]) ||
        !ninho_filter_has(filter, hashes[2]))
        give_up("the cuckoo filter does not do what the picture says");
    puts("</svg>");
    ninho_filter_free(filter);
}

/* ---- Buckets and windows --------------------------------------------------------------------- */

#define N_SLOTS 24
#define SLOT    26

/* Copies of a key go to all slots of its two places. */
static void draw_places(int y, ninho_slots slots, uint64_t hash, const char *what)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    struct steps steps = {.n = 0};
    bool is_taken[N_SLOTS] = {false};

    spec.capacity = 8;
    spec.slots = slots;
    spec.place_slots = 4;
    spec.n_slots = N_SLOTS;
    spec.tag_bits = 12;
    ninho_filter *filter = make(&spec, &steps);
    while (!ninho_filter_add(filter, hash))
        continue;
    for (size_t i = 0; i < steps.n; i++)
        is_taken[steps.events[i].to] = true;
    text(LEFT, y - 10, INK, "start", what);
    for (int i = 0; i < N_SLOTS; i++) {
        printf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"30\" fill=\"%s\" "
               "stroke=\"" FAINT "\"/>\n",
               LEFT + SLOT * i, y, SLOT, is_taken[i] ? FILLED : "#ffffff");
        if (slots == NINHO_BUCKETS && i % 4 == 0)
            printf("<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"" INK
                   "\" stroke-width=\"2.5\"/>\n",
                   LEFT + SLOT * i, y - 3, LEFT + SLOT * i, y + 33);
    }
    if (steps.n != 8)
        give_up("eight copies fit into two places of four");
    ninho_filter_free(filter);
}

void cuckoo_places(void)
{
    uint64_t state = 6;
    const uint64_t hash = ninho_splitmix64(&state);

    begin(2 * LEFT + SLOT * N_SLOTS, 200,
          "The two places of a key as buckets and as windows");
    draw_places(50, NINHO_BUCKETS, hash,
                "buckets of 4: a place begins at every fourth slot");
    draw_places(140, NINHO_WINDOWS, hash, "windows of 4: a place begins at any slot");
    puts("</svg>");
}

/* ---- Moves against load ---------------------------------------------------------------------- */

#define TABLE (UINT64_C(1) << 16) /* slots */

/* Loads of 0.60 to 1.00 are 600 pixels wide, 0 to 2 moves 240 high. */
static int load_x(uint64_t n)
{
    return 60 + (int)(600 * (10 * n - 6 * TABLE) / (4 * TABLE));
}

static int moves_y(uint64_t n_moves, uint64_t n)
{
    return 300 - (int)(120 * n_moves / n);
}

/* Fills a table until an add fails. */
static void draw_curve(const ninho_spec *what, const char *colour, int label_y,
                       const char *name)
{
    ninho_spec spec = *what;
    ninho_stats stats = NINHO_STATS_INIT;
    uint64_t state = 1, n = 0;
    char label[160];

    spec.capacity = TABLE / 2;
    spec.n_slots = TABLE;
    spec.tag_bits = 12;
    if (spec.pairing == NINHO_PAIRING_XOR && spec.slots == NINHO_WINDOWS)
        spec.n_slots += spec.place_slots - 1;
    ninho_filter *filter = make(&spec, NULL);
    printf("<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"M", colour);
    while (!ninho_filter_add(filter, ninho_splitmix64(&state))) {
        n++;
        if (10 * n >= 6 * TABLE && n % (TABLE / 128) == 0) {
            (void)ninho_filter_stats(filter, &stats);
            printf(" %d %d", load_x(n), moves_y(stats.n_moves, n));
        }
    }
    (void)ninho_filter_stats(filter, &stats);
    printf(" %d %d\"/>\n<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\"/>\n", load_x(n),
           moves_y(stats.n_moves, n), load_x(n), moves_y(stats.n_moves, n), colour);
    snprintf(label, sizeof label, "%s: full at .%03d", name, (int)(1000 * n / TABLE));
    text(80, label_y, colour, "start", label);
    ninho_filter_free(filter);
}

void cuckoo_load(void)
{
    ninho_spec original = NINHO_SPEC_INIT, emptier, bfs, windows = NINHO_SPEC_INIT;
    char number[24];

    ninho_spec_original(&original);
    emptier = original;
    emptier.choice = NINHO_CHOICE_EMPTIER;
    bfs = emptier;
    bfs.search = NINHO_SEARCH_BFS;
    bfs.max_kicks = 0;
    bfs.budget = 500;
    windows.slots = NINHO_WINDOWS;
    windows.place_slots = 4;

    begin(700, 350,
          "Moves per key against load, for four cuckoo filters of 65,536 slots");
    for (int load = 60; load <= 100; load += 5) {
        const int x = load_x(TABLE * (uint64_t)load / 100);
        printf("<line x1=\"%d\" y1=\"60\" x2=\"%d\" y2=\"300\" stroke=\"#e4e7eb\"/>\n", x,
               x);
        snprintf(number, sizeof number, "%d %%", load);
        text(x, 320, FAINT, "middle", number);
    }
    for (int tenth = 0; tenth <= 20; tenth += 5) {
        const int y = moves_y((uint64_t)tenth, 10);
        printf("<line x1=\"60\" y1=\"%d\" x2=\"660\" y2=\"%d\" stroke=\"#e4e7eb\"/>\n", y,
               y);
        snprintf(number, sizeof number, "%d.%d", tenth / 10, tenth % 10);
        text(50, y + 5, FAINT, "end", number);
    }
    text(60, 40, INK, "start", "moves per key, of all keys so far");
    text(660, 342, INK, "end", "load");
    draw_curve(&original, RED, 84, "original: buckets of 4, random, walk");
    draw_curve(&emptier, "#b7791f", 104, "emptier, walk");
    draw_curve(&bfs, BLUE, 124, "emptier, bfs, budget 500");
    draw_curve(&windows, GREEN, 144, "windows of 4, emptier, bfs, budget 5,000");
    puts("</svg>");
}
