/* SPDX-License-Identifier: MIT */
/* What the drawings share: steps written down by an observer, and SVG on standard output. */
#ifndef DRAW_H
#define DRAW_H

#include <ninho/ninho.h>

#define MAX_STEPS 64

struct steps {
    ninho_event events[MAX_STEPS];
    size_t n;
};

/* An observer; its context is a struct steps. What there is no room for is not written. */
void write_down(void *context, const ninho_event *event);

/* Says what is wrong and ends the program. */
void give_up(const char *what);

#define INK    "#1f2933"
#define FAINT  "#7b8794"
#define GREEN  "#2f855a"
#define RED    "#c53030"
#define BLUE   "#2b6cb0"
#define FILLED "#bee3f8"

void begin(int width, int height, const char *title);
void text(int x, int y, const char *colour, const char *anchor, const char *what);
void box(int x, int y, int width, int height, const char *fill, const char *what);
void key(int x, int y, const char *name);

/* The pictures of docs/cuckoo.md (draw_cuckoo.c). */
void cuckoo_add(void);
void cuckoo_places(void);
void cuckoo_load(void);

/* The pictures of docs/ribbon.md (draw_ribbon.c). */
void ribbon_buckets(void);
void ribbon_zones(void);

#endif
