/* SPDX-License-Identifier: MIT */
/* Two sets on two hosts: what is only here, only there, or on both.
 *
 * The library does no I/O. An *exchange* is a state machine for one side of a talk: it takes the
 * bytes that came from the peer, in pieces of any size, and gives the bytes that are to go to it.
 * Any two-way stream carries them: a pipe, ssh, a socket, a test.
 *
 *      asker                                       answerer
 *      ninho_exchange_ask()                        ninho_exchange_answer()
 *        | greeting: version, key check, nonce, sizes  |
 *        |-------------------------------------------->|
 *        |     nonce, sizes, checksum, estimator       |
 *        |<--------------------------------------------|
 *        | one request                                 |   a *round trip*
 *        |-------------------------------------------->|
 *        |                            one answer       |   never more than was asked for
 *        |<--------------------------------------------|
 *        :                                             :
 *        | good-bye                                    |
 *        |-------------------------------------------->|
 *
 * The asker alone decides and alone learns the answer, unless it asks for NINHO_SETS_BOTH. (The
 * answerer sees which of its items are fetched, and for `common` which ones are candidates.)
 *
 * Difference. Three methods, chosen by an estimate of the bytes each would take:
 *   - list: the peer sends all its items;
 *   - sketch: a rateless invertible Bloom lookup table over 64-bit hashes, keyed for this exchange.
 *     The asker asks for cells until the difference of both sketches decodes, then fetches the
 *     items that it lacks by their hashes;
 *   - bloom: Bloom filters both ways. A filter misses a share of the difference.
 * Whatever the method, the answer is checked: the peer's greeting has the sum, modulo 2^128, of
 * keyed 128-bit hashes of all its items, and
 *
 *      sum(here) - sum(only here) + sum(only there) == sum(there)
 *
 * must hold over the items themselves. Where it does not, the exchange goes on by itself: a sketch
 * of what a filter missed, more cells, a new salt, at last the whole list. If the list does not
 * agree either, the exchange fails. So an exchange that ends in NINHO_EXCHANGE_DONE is exact; the
 * one exception has to be asked for (NINHO_SETS_APPROXIMATE), and then the report says whether the
 * check agreed.
 *
 * Intersection. The side with fewer items sends a filter of them, the other answers with (or keeps)
 * the candidates that pass it, named by short hashes; and what both sides then take for common is
 * verified by the sum of the 128-bit keyed hashes of those items; where the sums do not agree, the
 * candidates are named once more by 64-bit hashes. Bits per key are those that make the total
 * least.
 *
 * Sets, not multisets: an item that is added twice is in the set once, and says nothing about how
 * often the peer has it. Items are bytes, of any value, 0 .. NINHO_SETS_MAX_ITEM of them.
 *
 * A hostile or broken peer can make an exchange fail, and can lie about its own set; it can make
 * neither the memory grow past what `max_bytes` allows nor the exchange endless: every frame's
 * length is checked before anything is allocated; requests, cells and items are counted. There is
 * no clock in here: a peer that says nothing is the transport's to time out.
 *
 * Every frame carries a 64-bit tag keyed by both sides' nonces and by its number, so that damaged,
 * dropped, repeated, reordered and replayed frames are refused. With a shared secret the tag, all
 * hashes and the checksum are keyed by it too, and a peer without the secret is refused. The items
 * are not encrypted: that is the transport's.
 *
 * Threads: an exchange or a set belongs to one thread at a time; many exchanges may read one set
 * that nobody changes. */
#ifndef NINHO_SETS_SETS_H
#define NINHO_SETS_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The protocol spoken. Peers of two versions refuse each other, and both say so. */
#define NINHO_SETS_VERSION 1

/* The longest item: 1 MiB. */
#define NINHO_SETS_MAX_ITEM (UINT32_C(1) << 20)

/* The most items of a set. */
#define NINHO_SETS_MAX_ITEMS UINT32_C(0xfffffffe)

#define NINHO_SETS_NONCE_BYTES 16

/* ---- Sets -------------------------------------------------------------------------- */

typedef struct ninho_set ninho_set;

/* Who keeps the bytes of the items. */
typedef enum ninho_set_keeping {
    NINHO_SET_COPIES = 0, /* the set, in blocks of its own */
    /* the caller: they stay where they are, unchanged, until the set is freed (the lines of a
     * file that was read or mapped whole, say). A set takes 27 to 46 bytes for an item, as its
     * array and its index grow in steps, and in this case nothing for the item's bytes */
    NINHO_SET_BORROWS = 1
} ninho_set_keeping;

/* An empty set. `nonce` (NULL: zeros) keys the index, so that nobody can choose items that make
 * it slow; take random bytes. `alloc` may be NULL; it is copied. NINHO_ERR_ARG, NINHO_ERR_NOMEM;
 * then *out is untouched. *out is the caller's, freed with ninho_set_free(). */
ninho_status ninho_set_create(ninho_set_keeping keeping,
                              const uint8_t nonce[NINHO_SETS_NONCE_BYTES],
                              const ninho_alloc *alloc, ninho_set **out);
void ninho_set_free(ninho_set *set); /* NULL is fine */

/* Adds an item. An item that is there already is dropped: NINHO_OK, and *is_new (may be NULL)
 * tells. `item` may be NULL if item_size is 0: the empty item is an item. NINHO_ERR_ARG: longer
 * than NINHO_SETS_MAX_ITEM; NINHO_ERR_FULL: NINHO_SETS_MAX_ITEMS are there; NINHO_ERR_NOMEM.
 * Failures change nothing. */
ninho_status ninho_set_add(ninho_set *set, const void *item, size_t item_size,
                           bool *is_new);

/* Distinct items, and their bytes together. */
size_t ninho_set_count(const ninho_set *set);
uint64_t ninho_set_bytes(const ninho_set *set);

/* The index-th item in the order of adding, index < count. *item_size (may be NULL) is its
 * length. The bytes live as long as the set, or where they were borrowed from. Never NULL. */
const void *ninho_set_item(const ninho_set *set, size_t index, size_t *item_size);

/* Whether the item is in the set; *index (may be NULL) is then its place. */
bool ninho_set_find(const ninho_set *set, const void *item, size_t item_size,
                    size_t *index);

/* ---- What is asked ----------------------------------------------------------------- */

/* On the wire: pinned. */
typedef enum ninho_sets_question {
    NINHO_SETS_DIFFERENCE = 1,
    NINHO_SETS_COMMON = 2
} ninho_sets_question;

typedef enum ninho_sets_method {
    NINHO_SETS_AUTO = 0,
    NINHO_SETS_BLOOM = 1,
    NINHO_SETS_SKETCH = 2,
    NINHO_SETS_LIST = 3,
    NINHO_SETS_FILTER = 4, /* of `common`: the only one; a difference cannot ask for it */
    NINHO_SETS_NONE = 5    /* in reports: the greeting was enough */
} ninho_sets_method;

/* "auto", "bloom", "sketch", "list", "filter", "none"; NULL for another number. Static. */
const char *ninho_sets_method_name(ninho_sets_method method);

/* The reverse; false, and *method untouched, for an unknown name. */
bool ninho_sets_method_from_name(const char *name, ninho_sets_method *method);

typedef enum ninho_sets_precision {
    NINHO_SETS_EXACT = 0, /* go on until the checksum agrees */
    /* bloom only: take what the filters found, and say in the report whether it agreed */
    NINHO_SETS_APPROXIMATE = 1
} ninho_sets_precision;

typedef enum ninho_sets_audience {
    NINHO_SETS_ASKER = 0, /* who asks learns the answer */
    NINHO_SETS_BOTH = 1   /* the peer too: one more round trip for a difference */
} ninho_sets_audience;

/* Start from NINHO_EXCHANGE_INIT. Fields marked (a) matter to the asker only. */
typedef struct ninho_exchange_options {
    size_t size_of_struct;
    /* Random bytes, fresh for every exchange (getrandom, say): with those of the peer they key
     * all hashes, so that nobody can prepare items that collide or replay an old talk. What the
     * peer gets to see is a hash of them: a set may be keyed by the same bytes. */
    uint8_t nonce[NINHO_SETS_NONCE_BYTES];
    const uint8_t *secret; /* NINHO_SECRET_BYTES shared with the peer, copied; or NULL */
    ninho_sets_question question; /* (a) 0: difference */
    /* (a) how a difference starts; where it does not come to an exact end, others follow */
    ninho_sets_method method;
    ninho_sets_precision precision; /* (a) approximate: method must be bloom */
    ninho_sets_audience audience;   /* (a) */
    double
        fpr; /* (a) of bloom's filters, 0 < fpr < 1; 0: what takes the fewest bytes, and
                 * 0.01 if approximate */
    /* Most bytes of the peer's that this side may hold at one time: its items (each counted 32
     * bytes more), its filter, its cells. Memory for them is at most about twice that, and 4 MiB;
     * a hash array and bitmaps over this side's own items come on top. 0: 1 GiB. The exchange
     * fails with NINHO_ERR_FULL where it would need more. */
    uint64_t max_bytes;
    const ninho_alloc *alloc; /* NULL: malloc; copied */
} ninho_exchange_options;

#define NINHO_EXCHANGE_INIT NINHO_INIT_(ninho_exchange_options)

/* ---- One side of a talk ------------------------------------------------------------ */

typedef struct ninho_exchange ninho_exchange;

/* Begins an exchange as the side that asks, or as the side that answers. `set` is borrowed, and
 * must not change, until the exchange is freed. NINHO_ERR_ARG (error names the option),
 * NINHO_ERR_NOMEM; then *out is untouched. An asker has its greeting ready to give at once.
 * Freed with ninho_exchange_free(), at any time. */
ninho_status ninho_exchange_ask(const ninho_set *set,
                                const ninho_exchange_options *options,
                                ninho_exchange **out, ninho_error *error);
ninho_status ninho_exchange_answer(const ninho_set *set,
                                   const ninho_exchange_options *options,
                                   ninho_exchange **out, ninho_error *error);
void ninho_exchange_free(ninho_exchange *exchange); /* NULL is fine */

typedef enum ninho_exchange_state {
    NINHO_EXCHANGE_SENDS = 1, /* there are bytes to give: see ninho_exchange_output() */
    NINHO_EXCHANGE_RECEIVES = 2, /* it waits for the peer's bytes */
    NINHO_EXCHANGE_DONE = 3,     /* the end: everything was given, the answer is there */
    NINHO_EXCHANGE_FAILED = 4    /* ninho_exchange_error() says why; there is no answer */
} ninho_exchange_state;

ninho_exchange_state ninho_exchange_state_of(const ninho_exchange *exchange);

/* The bytes that are to be sent next: returns how many lie at *bytes, 0 if there are none now.
 * They stay there until the next call that takes this exchange without const. Large answers
 * are made piece by piece, as they are sent, so ask again after ninho_exchange_sent(). A failed
 * exchange may have one last frame for the peer, which tells it why: send it if you can.
 * Allocates; when that fails, the exchange has failed. */
size_t ninho_exchange_output(ninho_exchange *exchange, const void **bytes);

/* Says that the first n of those bytes were sent. */
void ninho_exchange_sent(ninho_exchange *exchange, size_t n);

/* Takes n bytes that the peer sent, in the order in which it sent them; all of them, always. The
 * call that gets the last byte of a message does what there is to do: with a million items, for
 * some tenths of a second.
 * NINHO_OK, or what the exchange has failed with. Errors: NINHO_ERR_FORMAT (not our protocol, out
 * of turn, too often, numbers that contradict each other or the greeting), NINHO_ERR_VERSION,
 * NINHO_ERR_KEY_WRONG or _MISSING (another secret, or none), NINHO_ERR_CHECKSUM (a frame's tag is wrong: damage,
 * a replay, the wrong order; or the lists themselves do not agree with the checksum),
 * NINHO_ERR_FULL (above a limit, ours), NINHO_ERR_MISMATCH (the peer gave up, with its reason),
 * NINHO_ERR_NOMEM. Bytes after the end are an error of the format, too, but the answer stays. */
ninho_status ninho_exchange_take(ninho_exchange *exchange, const void *bytes, size_t n);

/* Says that the peer's stream has ended: NINHO_OK if the exchange is done, otherwise it fails with
 * NINHO_ERR_FORMAT, and the error says where in the talk it was. */
ninho_status ninho_exchange_end(ninho_exchange *exchange);

/* Why it failed; .status is NINHO_OK if it did not. Lives as long as the exchange. */
const ninho_error *ninho_exchange_error(const ninho_exchange *exchange);

/* ---- The answer -------------------------------------------------------------------- */

typedef enum ninho_sets_part {
    NINHO_SETS_ONLY_HERE = 1,
    NINHO_SETS_ONLY_THERE = 2,
    NINHO_SETS_IN_BOTH = 3 /* of `common` only */
} ninho_sets_part;

/* How many items that part has: 0 before the exchange is done, where it was not asked for, and for
 * an answerer that is not told. */
size_t ninho_exchange_count(const ninho_exchange *exchange, ninho_sets_part part);

/* The index-th item of a part, index < count: those that are here in the order of the set, the
 * others as they came, which may hold any bytes: newlines too, whatever separates items here. Lives
 * as long as the exchange and the set. */
const void *ninho_exchange_item(const ninho_exchange *exchange, ninho_sets_part part,
                                size_t index, size_t *item_size);

typedef struct ninho_exchange_report {
    size_t size_of_struct; /* set by the caller */
    ninho_sets_question question;
    ninho_sets_method
        method;          /* it started with; NINHO_SETS_NONE: the greeting was enough */
    uint32_t rounds;     /* requests that were answered, the greeting not counted */
    uint32_t fallbacks;  /* how often it had to go on by another way, or another salt */
    uint64_t bytes_sent; /* all bytes given and taken, frames and greeting included */
    uint64_t bytes_received;
    uint64_t n_here; /* distinct items of both sets */
    uint64_t n_there;
    uint64_t only_here; /* the answer's sizes */
    uint64_t only_there;
    uint64_t in_both;  /* known for a difference, too */
    double estimate;   /* of the difference, from the greeting; 0 for `common` */
    uint64_t n_cells;  /* of the sketch, taken or given */
    double filter_fpr; /* of the filter that was sent or asked for; 0 if there was none */
    uint32_t filter_bits_per_key_x256;
    bool is_told;  /* this side knows the answer */
    bool is_exact; /* the 128-bit checksum over the items agreed */
} ninho_exchange_report;

#define NINHO_EXCHANGE_REPORT_INIT NINHO_INIT_(ninho_exchange_report)

/* What there is to tell, at any time. NINHO_ERR_ARG for a size_of_struct that is 0. */
ninho_status ninho_exchange_report_of(const ninho_exchange *exchange,
                                      ninho_exchange_report *report);

#ifdef __cplusplus
}
#endif

#endif
