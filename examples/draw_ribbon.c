/* SPDX-License-Identifier: MIT */
/* The pictures of docs/ribbon.md: which slots rows came to begin in, which keys were bumped, and
 * where those went. */
#include "draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUCKET = 128, MOST_SLOTS = 1 << 18, MOST_ZONES = 4, N_KEYS = 200000 };

/* What the construction told. */
struct ribbon {
    uint64_t n_slots;
    unsigned char begins[MOST_SLOTS]; /* a row begins in that slot */
    unsigned char bumped[MOST_SLOTS]; /* keys that would have started there */
    uint64_t zone_ends[MOST_ZONES];   /* of the zones that bumped some */
    uint64_t zone_bumped[MOST_ZONES];
    unsigned n_zones;
};

static void bump(struct ribbon *ribbon, const ninho_event *event)
{
    unsigned i = 0;

    ribbon->bumped[event->from]++;
    while (i < ribbon->n_zones && ribbon->zone_ends[i] != event->to)
        i++;
    if (i == MOST_ZONES)
        give_up("more zones than there are");
    if (i == ribbon->n_zones)
        ribbon->zone_ends[ribbon->n_zones++] = event->to;
    ribbon->zone_bumped[i]++;
}

static void follow(void *context, const ninho_event *event)
{
    struct ribbon *ribbon = context;

    if (event->type == NINHO_EVENT_RESIZED && event->to > MOST_SLOTS)
        give_up("more slots than there are");
    if (event->type == NINHO_EVENT_RESIZED)
        ribbon->n_slots = event->to;
    else if (event->type == NINHO_EVENT_TAG_PLACED)
        ribbon->begins[event->to] = 1;
    else if (event->type == NINHO_EVENT_TAG_REMOVED)
        ribbon->begins[event->from] = 0;
    else if (event->type == NINHO_EVENT_TAG_MOVED)
        bump(ribbon, event);
}

static const struct ribbon *followed(size_t n)
{
    static struct ribbon ribbon;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    uint64_t *hashes = calloc(n, sizeof *hashes), state = 0;

    if (!hashes)
        give_up("not enough memory");
    for (size_t i = 0; i < n; i++)
        hashes[i] = ninho_splitmix64(&state);
    spec.kind = NINHO_RIBBON;
    spec.key_encoding = NINHO_KEY_HASHES;
    spec.capacity = n;
    spec.fpr = 0x1p-8;
    spec.observer = follow;
    spec.observer_context = &ribbon;
    if (ninho_filter_build(&spec, hashes, n, NULL, &filter, &error))
        give_up(error.text);
    ninho_filter_free(filter);
    free(hashes);
    return &ribbon;
}

static uint64_t sum_of(const unsigned char *cells, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;

    while (from < to)
        sum += cells[from++];
    return sum;
}

/* Buckets below each other, a cell for each slot; above a cell, the keys that were bumped there. */
void ribbon_buckets(void)
{
    enum { FIRST = 100, N_BUCKETS = 8, WIDE = 6, LEFT = 90, STEP = 42 };
    const struct ribbon *const ribbon = followed(N_KEYS);
    char label[120];

    begin(LEFT + WIDE * BUCKET + 110, 60 + STEP * N_BUCKETS + 34,
          "Eight buckets of a ribbon filter: slots in which a row begins, and keys that "
          "were "
          "bumped");
    text(20, 30, INK, "start",
         "blue: a row begins in this slot; red: keys that start here were bumped");
    for (int b = 0; b < N_BUCKETS; b++) {
        const int y = 60 + STEP * b;
        snprintf(label, sizeof label, "bucket %d", FIRST + b);
        text(LEFT - 10, y + 13, FAINT, "end", label);
        for (int i = 0; i < BUCKET; i++) {
            const int slot = BUCKET * (FIRST + b) + i, x = LEFT + WIDE * i;
            printf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"16\" fill=\"%s\"/>\n",
                   x, y, WIDE - 1, ribbon->begins[slot] ? BLUE : "#e6e6e6");
            if (ribbon->bumped[slot])
                printf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"" RED
                       "\"/>\n",
                       x, y - 2 - 4 * ribbon->bumped[slot], WIDE - 1,
                       4 * ribbon->bumped[slot]);
        }
        snprintf(label, sizeof label, "%d bumped",
                 (int)sum_of(ribbon->bumped, (uint64_t)BUCKET * (uint64_t)(FIRST + b),
                             (uint64_t)BUCKET * (uint64_t)(FIRST + b + 1)));
        text(LEFT + WIDE * BUCKET + 10, y + 13, FAINT, "start", label);
    }
    text(LEFT, 60 + STEP * N_BUCKETS + 10, FAINT, "start",
         "slot 0 of each bucket on the left: bumped keys start left of a threshold, 20 "
         "or 40");
    puts("</svg>");
}

/* The zones, each a twentieth of the one before, and the keys that come to each. */
void ribbon_zones(void)
{
    enum { HIGH = 74 };
    const struct ribbon *const ribbon = followed(N_KEYS);
    uint64_t from = 0, n_keys = N_KEYS;
    char label[160];

    begin(700, 50 + HIGH * (int)(ribbon->n_zones + 1),
          "The zones of a ribbon filter and the keys that come to each");
    snprintf(label, sizeof label, "%d keys, %" PRIu64 " slots", N_KEYS, ribbon->n_slots);
    text(20, 30, INK, "start", label);
    for (unsigned i = 0; i <= ribbon->n_zones; i++) {
        const int y = 46 + HIGH * (int)i;
        const uint64_t to = i < ribbon->n_zones ? ribbon->zone_ends[i] : ribbon->n_slots;
        const int width = 20 + (int)(500 * (to - from) / ribbon->n_slots);
        const uint64_t n_bumped = i < ribbon->n_zones ? ribbon->zone_bumped[i] : 0;
        snprintf(label, sizeof label, "%" PRIu64 " keys", n_keys);
        box(20, y, width, 32, FILLED, width > 90 ? label : "");
        if (width <= 90)
            text(20 + width + 8, y + 20, INK, "start", label);
        snprintf(label, sizeof label,
                 "slots %" PRIu64 " to %" PRIu64 ": rows begin in all but %" PRIu64
                 " of them; %" PRIu64 " keys are bumped",
                 from, to - 1, to - from - sum_of(ribbon->begins, from, to), n_bumped);
        text(20, y + 50, FAINT, "start", label);
        from = to;
        n_keys = n_bumped;
    }
    puts("</svg>");
}
