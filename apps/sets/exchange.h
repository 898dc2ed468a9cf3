/* SPDX-License-Identifier: MIT */
/* The inside of an exchange. exchange.c has the outer shell: frames into messages, turns, the
 * greeting. difference.c and common.c are the asker's two questions, answer.c is the other side. */
#ifndef NINHO_SETS_EXCHANGE_H
#define NINHO_SETS_EXCHANGE_H

#include "apps/base/base.h"
#include "apps/base/reader.h"
#include "estimate.h"
#include "filters.h"
#include "keys.h"
#include "numbers.h"
#include "sets.h"
#include "sketch.h"
#include "wire.h"

#define NS_MAX_SALTS    2  /* sketches that are tried before the list */
#define NS_MAX_ATTEMPTS 3  /* at an intersection */
#define NS_MAX_TOPUPS   6  /* requests for cells under one salt */
#define NS_MAX_REQUESTS 64 /* that an answerer serves */

enum ns_turn {
    NS_TURN_MINE = 1, /* to speak: `out` has frames, or `sending` has more */
    NS_TURN_THEIRS,
    NS_TURN_OVER
};

/* A message on its way out: what is left of it after its head. */
struct ns_sending {
    struct na_bytes data;
    size_t data_at;
    const ninho_set *items;
    uint64_t *which; /* bitmap of the items to send, owned; NULL: all */
    size_t next;     /* item */
    size_t n_left;   /* items */
    bool is_last;    /* the talk is over when it has gone */
};

/* A message on its way in. */
struct ns_receiving {
    bool is_open; /* its head has come */
    uint8_t type;
    uint64_t data_size;
    uint64_t n_items;
    uint64_t n_items_got;
    struct na_bytes data;
    uint64_t fields[3]; /* of the head, as the type has them */
    struct ns_sum sum;
};

/* Fields of a head. */
struct ns_fields {
    uint8_t bytes[NS_HEAD_MAX];
    size_t size;
};

/* What the asker of a difference knows. */
struct ns_difference {
    uint32_t salt;
    uint32_t n_topups;
    struct ns_cell *cells; /* theirs XOR ours, under this salt */
    uint32_t n_cells;
    uint32_t n_asked; /* cells, with those on the way */
    uint64_t *wanted; /* hashes of items to fetch, sorted */
    size_t n_wanted;
    uint64_t *got;       /* bitmap: which of them have come */
    unsigned width;      /* bytes of a hash in the request */
    uint64_t item_bytes; /* of the message that is coming */
};

/* What either side of an intersection knows. */
struct ns_common {
    ninho_kind filter_kind; /* that was asked for */
    uint32_t attempt;
    unsigned width;   /* bytes of a short hash */
    uint64_t *shorts; /* short hashes of the candidates, sorted */
    size_t n_shorts;
    uint64_t
        *accepted; /* bitmap over them, by rank: those that the other side has, too */
};

struct ninho_exchange {
    ninho_alloc alloc;
    const ninho_set *set;
    bool is_asker;
    ninho_exchange_options options;
    uint8_t secret[NINHO_SECRET_BYTES];
    uint64_t key_check; /* 0: no secret */
    ninho_error error;
    bool has_greeted; /* the peer */
    uint8_t asked;    /* the request that waits for its answer */
    enum ns_turn turn;
    struct ns_keys keys;
    struct ns_wire wire;
    struct ns_sending sending;
    struct ns_receiving receiving;

    /* both sets */
    uint64_t n_there;
    uint64_t bytes_there;
    struct ns_sum sum_here;
    struct ns_sum sum_there;
    int64_t ropes_here[NS_ROPES];
    uint64_t *hashes; /* of our items, under `label` */
    uint64_t label;
    uint32_t n_requests;  /* served */
    uint32_t served_salt; /* of the cells served, and how far */
    uint32_t served_cells;

    /* the answer, as far as it is known */
    uint64_t *marked; /* bitmap of our items: only here, or common */
    ninho_set *there; /* items that only the peer has */
    uint64_t held;    /* bytes of them, as max_bytes counts */
    bool is_agreed;   /* an answerer's: sums over what is marked were exchanged */
    uint32_t *chosen; /* the places of the marked items, once they are final */
    size_t n_chosen;
    struct ns_difference difference;
    struct ns_common common;
    ninho_exchange_report report;
};

/* ---- exchange.c -------------------------------------------------------------------- */

/* Fails the exchange, with a sentence, and answers the status. A second failure is ignored. */
ninho_status ns_give_up(ninho_exchange *x, ninho_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
ninho_status ns_no_memory(ninho_exchange *x);
/* For an answer whose head announces another size than was asked for. */
ninho_status ns_refuse_answer(ninho_exchange *x);

/* Sends our greeting. */
ninho_status ns_greet(ninho_exchange *x);

/* Forgets what was left to send. */
void ns_stop_sending(ninho_exchange *x);

void ns_put(struct ns_fields *fields, uint64_t value, unsigned n_bytes);
void ns_put_varint(struct ns_fields *fields, uint64_t value);
void ns_put_sum(struct ns_fields *fields, const struct ns_sum *sum);
struct ns_sum ns_read_sum(struct na_reader *reader);

/* Sends a message. It takes over data and which (also when it fails); `which` is a bitmap of the
 * items of `items` to send, NULL for all of them; items is NULL for none. */
ninho_status ns_send(ninho_exchange *x, uint8_t type, const struct ns_fields *fields,
                     struct na_bytes *data, const ninho_set *items, uint64_t *which);

/* Sends a request, and notes that its answer is waited for. */
ninho_status ns_request(ninho_exchange *x, uint8_t type, const struct ns_fields *fields,
                        struct na_bytes *data, const ninho_set *items, uint64_t *which);

/* Makes the answer final, and says good-bye: the asker's last message. */
ninho_status ns_finish(ninho_exchange *x);

/* The most cells to ask for, or to serve: twice what the largest possible difference needs, and
 * what fits into the limit (a cell, a copy of it, what is found in it, as it came). */
uint32_t ns_most_cells(const ninho_exchange *x);

/* Whether the data that is announced can be an array of names, `width` bytes each, that takes 8
 * bytes each in memory. */
bool ns_are_names(const ninho_exchange *x, uint64_t width);

/* x->hashes under a label. */
ninho_status ns_need_hashes(ninho_exchange *x, uint64_t label);

/* Empties the answer: no item marked, none of theirs. */
ninho_status ns_reset_answer(ninho_exchange *x);

/* Lists the marked items: the answer is final, and this side is told. */
ninho_status ns_settle(ninho_exchange *x);

/* Keeps an item that only the peer has, within max_bytes. */
ninho_status ns_keep(ninho_exchange *x, const uint8_t *item, size_t size, bool *is_new);

/* sum(here) - sum(marked) + sum(there). */
struct ns_sum ns_resulting_sum(const ninho_exchange *x);

/* The sum of the marked items' wide hashes. */
struct ns_sum ns_marked_sum(const ninho_exchange *x, size_t *n);

/* ---- The two questions ------------------------------------------------------------- */

/* Each: start after the greeting; head when an answer's head has come (data_size and n_items may
 * be held against what was asked for); item for each item; whole when all of it is there. */
ninho_status ns_difference_start(ninho_exchange *x);
ninho_status ns_difference_head(ninho_exchange *x, struct na_reader *fields);
ninho_status ns_difference_item(ninho_exchange *x, const uint8_t *item, size_t size);
ninho_status ns_difference_whole(ninho_exchange *x);
void ns_difference_free(ninho_exchange *x);

ninho_status ns_common_start(ninho_exchange *x);
ninho_status ns_common_head(ninho_exchange *x, struct na_reader *fields);
ninho_status ns_common_whole(ninho_exchange *x);

/* Forgets candidates. */
void ns_common_free(ninho_exchange *x);
/* Short hashes of the marked items, which are the candidates, sorted, into x->common. */
ninho_status ns_common_shorts(ninho_exchange *x);
/* These hashes as data: width bytes each. */
ninho_status ns_common_write(ninho_exchange *x, struct na_bytes *data);
/* Reads them from the message's data into x->common. NINHO_ERR_FORMAT: they are not sorted. */
ninho_status ns_common_read(ninho_exchange *x);
/* Marks our items whose short hash is among them, and accepts those hashes. */
ninho_status ns_common_match(ninho_exchange *x);
/* What is accepted, as data: a bit for each candidate. */
ninho_status ns_common_write_accepted(ninho_exchange *x, struct na_bytes *data);
/* Leaves only those items marked whose short hash the message's data accepts. */
ninho_status ns_common_confirm(ninho_exchange *x);

/* ---- The answering side ------------------------------------------------------------ */

ninho_status ns_answer_head(ninho_exchange *x, struct na_reader *fields);
ninho_status ns_answer_item(ninho_exchange *x, const uint8_t *item, size_t size);
ninho_status ns_answer_whole(ninho_exchange *x);

#endif
