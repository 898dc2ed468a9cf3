/* SPDX-License-Identifier: MIT */
/* How an exchange begins and ends, and the answer that it holds: a bitmap over our own items and
 * a set of the peer's. */
#include <stdio.h>
#include <string.h>

#include "exchange.h"

#define DEFAULT_MAX_BYTES (UINT64_C(1) << 30)
/* What an item of the peer's is counted besides its bytes. A set takes 27 to 46 for it, and 61 while
 * an array grows: less than twice this. */
#define ITEM_COST 32

/* ---- Names ------------------------------------------------------------------------- */

static const char *const method_names[] = {"auto", "bloom",  "sketch",
                                           "list", "filter", "none"};

const char *ninho_sets_method_name(ninho_sets_method method)
{
    const size_t i = (size_t)method;

    return i < sizeof method_names / sizeof *method_names ? method_names[i] : NULL;
}

bool ninho_sets_method_from_name(const char *name, ninho_sets_method *method)
{
    for (size_t i = 0; i < sizeof method_names / sizeof *method_names; i++)
        if (strcmp(name, method_names[i]) == 0) {
            *method = (ninho_sets_method)i;
            return true;
        }
    return false;
}

/* ---- Beginning --------------------------------------------------------------------- */

static ninho_status check_options(ninho_exchange_options *options, ninho_error *error)
{
    if (options->question == 0)
        options->question = NINHO_SETS_DIFFERENCE;
    if (options->question != NINHO_SETS_DIFFERENCE &&
        options->question != NINHO_SETS_COMMON)
        return na_fail(error, NINHO_ERR_ARG, "question %d is not known",
                       (int)options->question);
    const bool is_common = options->question == NINHO_SETS_COMMON;
    if ((unsigned)options->method > NINHO_SETS_LIST &&
        !(is_common && options->method == NINHO_SETS_FILTER))
        return na_fail(error, NINHO_ERR_ARG,
                       "method must be auto, bloom, sketch or list for a difference");
    if (is_common && options->method != NINHO_SETS_AUTO &&
        options->method != NINHO_SETS_FILTER)
        return na_fail(error, NINHO_ERR_ARG,
                       "method must be auto or filter for an intersection");
    if ((unsigned)options->precision > NINHO_SETS_APPROXIMATE ||
        (options->precision && options->method != NINHO_SETS_BLOOM))
        return na_fail(error, NINHO_ERR_ARG, "only bloom may be approximate");
    if ((unsigned)options->audience > NINHO_SETS_BOTH)
        return na_fail(error, NINHO_ERR_ARG, "audience must be asker or both");
    if (options->precision && options->audience == NINHO_SETS_BOTH)
        return na_fail(error, NINHO_ERR_ARG,
                       "an approximate answer is the asker's alone, not for both");
    if (!(options->fpr >= 0 && options->fpr < 1))
        return na_fail(error, NINHO_ERR_ARG, "fpr must be above 0 and below 1");
    if (options->max_bytes == 0)
        options->max_bytes = DEFAULT_MAX_BYTES;
    return NINHO_OK;
}

static ninho_status begin(const ninho_set *set, const ninho_exchange_options *options,
                          bool is_asker, ninho_exchange **out, ninho_error *error)
{
    ninho_exchange_options mine = NINHO_EXCHANGE_INIT;

    if (!options || !na_struct_in(&mine, sizeof mine, options))
        return na_fail(error, NINHO_ERR_ARG,
                       "the options are from a newer ninho, or their size is missing");
    ninho_status status = check_options(&mine, error);
    if (status)
        return status;
    const ninho_alloc alloc = na_allocator(mine.alloc);
    ninho_exchange *x = na_alloc_zeroed(&alloc, 1, sizeof *x);
    if (!x)
        return na_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    x->alloc = alloc;
    x->set = set;
    x->is_asker = is_asker;
    x->options = mine;
    ns_keys_nonce(mine.nonce, x->options.nonce);
    if (mine.secret) {
        memcpy(x->secret, mine.secret, NINHO_SECRET_BYTES);
        x->options.secret = x->secret;
        /* 0 on the wire means that there is none. */
        x->key_check = ninho_secret_check(x->secret);
        x->key_check += x->key_check == 0;
    }
    x->wire.direction = is_asker ? 0 : 1;
    ns_keys_init(&x->keys, mine.secret ? x->secret : NULL);
    x->label = UINT64_MAX;
    x->turn = NS_TURN_THEIRS;
    x->report.method = NINHO_SETS_NONE;
    x->report.n_here = ninho_set_count(set);
    bool is_fine = ns_wire_greet(&alloc, &x->wire);
    if (is_fine && is_asker)
        is_fine = ns_greet(x) == NINHO_OK;
    if (!is_fine) {
        ninho_exchange_free(x);
        return na_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    }
    *out = x;
    return NINHO_OK;
}

ninho_status ninho_exchange_ask(const ninho_set *set,
                                const ninho_exchange_options *options,
                                ninho_exchange **out, ninho_error *error)
{
    return begin(set, options, true, out, error);
}

ninho_status ninho_exchange_answer(const ninho_set *set,
                                   const ninho_exchange_options *options,
                                   ninho_exchange **out, ninho_error *error)
{
    return begin(set, options, false, out, error);
}

void ninho_exchange_free(ninho_exchange *x)
{
    if (!x)
        return;
    const ninho_alloc alloc = x->alloc;
    const size_t n = ninho_set_count(x->set);
    ns_difference_free(x);
    ns_common_free(x);
    ns_stop_sending(x);
    na_bytes_free(&alloc, &x->receiving.data);
    ns_wire_free(&alloc, &x->wire);
    na_free(&alloc, x->hashes, n, sizeof *x->hashes);
    na_free(&alloc, x->marked, ns_bitmap_words(n), sizeof *x->marked);
    na_free(&alloc, x->chosen, x->n_chosen, sizeof *x->chosen);
    ninho_set_free(x->there);
    na_free(&alloc, x, 1, sizeof *x);
}

/* ---- The answer in the making ------------------------------------------------------ */

uint32_t ns_most_cells(const ninho_exchange *x)
{
    const double all = (double)ninho_set_count(x->set) + (double)x->n_there;
    const double needed = 2.0 * (double)ns_cells_needed(all);
    const double fits = (double)x->options.max_bytes / 64;
    const double least = needed < fits ? needed : fits;

    return least < NS_CELLS_LIMIT ? (uint32_t)least : NS_CELLS_LIMIT;
}

bool ns_are_names(const ninho_exchange *x, uint64_t width)
{
    const uint64_t size = x->receiving.data_size;

    return width >= 1 && width <= 8 && size % width == 0 &&
           size / width <= x->options.max_bytes / 8;
}

ninho_status ns_need_hashes(ninho_exchange *x, uint64_t label)
{
    if (x->hashes && x->label == label)
        return NINHO_OK;
    if (!x->hashes)
        x->hashes = na_alloc(&x->alloc, ninho_set_count(x->set), sizeof *x->hashes);
    if (!x->hashes)
        return ns_no_memory(x);
    const ninho_hasher hasher = ns_keys_hasher(&x->keys, label);
    ns_hash_set(&hasher, x->set, x->hashes);
    x->label = label;
    return NINHO_OK;
}

ninho_status ns_reset_answer(ninho_exchange *x)
{
    const size_t n_words = ns_bitmap_words(ninho_set_count(x->set));

    ninho_set_free(x->there);
    x->there = NULL;
    x->held = 0;
    if (!x->marked)
        x->marked = na_alloc(&x->alloc, n_words, sizeof *x->marked);
    /* Not under our nonce, which the peer knows: it could choose items for one place. */
    if (!x->marked || ninho_set_create(NINHO_SET_COPIES, ns_set_nonce(x->set), &x->alloc,
                                       &x->there) != NINHO_OK)
        return ns_no_memory(x);
    memset(x->marked, 0, n_words * sizeof *x->marked);
    return NINHO_OK;
}

ninho_status ns_settle(ninho_exchange *x)
{
    const size_t n_items = ninho_set_count(x->set);
    const size_t n = x->marked ? ns_bitmap_count(x->marked, n_items) : 0;

    x->chosen = na_alloc(&x->alloc, n, sizeof *x->chosen);
    if (!x->chosen)
        return ns_no_memory(x);
    x->n_chosen = n;
    for (size_t i = 0, at = 0; i < n; at++) {
        at = ns_bitmap_next(x->marked, n_items, at);
        x->chosen[i++] = (uint32_t)at;
    }
    x->report.is_told = true;
    return NINHO_OK;
}

ninho_status ns_keep(ninho_exchange *x, const uint8_t *item, size_t size, bool *is_new)
{
    const uint64_t cost = size + ITEM_COST;

    if (cost > x->options.max_bytes - x->held)
        return ns_give_up(x, NINHO_ERR_FULL,
                          "the peer's items take more than %llu bytes, the limit here",
                          (unsigned long long)x->options.max_bytes);
    if (ninho_set_add(x->there, item, size, is_new) != NINHO_OK)
        return ns_no_memory(x);
    x->held += *is_new ? cost : 0;
    return NINHO_OK;
}

struct ns_sum ns_marked_sum(const ninho_exchange *x, size_t *n)
{
    const size_t n_items = ninho_set_count(x->set);
    struct ns_sum sum = {0};

    *n = 0;
    for (size_t i = 0; (i = ns_bitmap_next(x->marked, n_items, i)) < n_items; i++) {
        size_t size = 0;
        const void *item = ninho_set_item(x->set, i, &size);
        const struct ns_sum hash = ns_keys_wide(&x->keys, item, size);
        ns_sum_add(&sum, &hash);
        ++*n;
    }
    return sum;
}

struct ns_sum ns_resulting_sum(const ninho_exchange *x)
{
    const size_t n_there = ninho_set_count(x->there);
    struct ns_sum sum = x->sum_here;
    size_t n = 0;
    const struct ns_sum here = ns_marked_sum(x, &n);

    ns_sum_subtract(&sum, &here);
    for (size_t i = 0; i < n_there; i++) {
        size_t size = 0;
        const void *item = ninho_set_item(x->there, i, &size);
        const struct ns_sum hash = ns_keys_wide(&x->keys, item, size);
        ns_sum_add(&sum, &hash);
    }
    return sum;
}

/* ---- The answer -------------------------------------------------------------------- */

ninho_exchange_state ninho_exchange_state_of(const ninho_exchange *x)
{
    if (x->error.status)
        return NINHO_EXCHANGE_FAILED;
    if (x->turn == NS_TURN_MINE || x->wire.out_at < x->wire.out.size)
        return NINHO_EXCHANGE_SENDS;
    return x->turn == NS_TURN_OVER ? NINHO_EXCHANGE_DONE : NINHO_EXCHANGE_RECEIVES;
}

const ninho_error *ninho_exchange_error(const ninho_exchange *x)
{
    return &x->error;
}

/* Whether the bitmap over our items answers that part. */
static bool is_of_ours(const ninho_exchange *x, ninho_sets_part part)
{
    return part == (x->options.question == NINHO_SETS_COMMON ? NINHO_SETS_IN_BOTH
                                                             : NINHO_SETS_ONLY_HERE);
}

size_t ninho_exchange_count(const ninho_exchange *x, ninho_sets_part part)
{
    if (!x->report.is_told || ninho_exchange_state_of(x) != NINHO_EXCHANGE_DONE)
        return 0;
    if (is_of_ours(x, part))
        return x->n_chosen;
    return part == NINHO_SETS_ONLY_THERE && x->there ? ninho_set_count(x->there) : 0;
}

const void *ninho_exchange_item(const ninho_exchange *x, ninho_sets_part part,
                                size_t index, size_t *item_size)
{
    if (is_of_ours(x, part))
        return ninho_set_item(x->set, x->chosen[index], item_size);
    return ninho_set_item(x->there, index, item_size);
}

ninho_status ninho_exchange_report_of(const ninho_exchange *x,
                                      ninho_exchange_report *report)
{
    ninho_exchange_report mine = x->report;

    mine.question = x->options.question;
    mine.bytes_sent = x->wire.bytes_sent;
    mine.bytes_received = x->wire.bytes_received;
    mine.only_here = ninho_exchange_count(x, NINHO_SETS_ONLY_HERE);
    mine.only_there = ninho_exchange_count(x, NINHO_SETS_ONLY_THERE);
    mine.in_both = ninho_exchange_count(x, NINHO_SETS_IN_BOTH);
    mine.is_told = x->report.is_told && ninho_exchange_state_of(x) == NINHO_EXCHANGE_DONE;
    mine.is_exact = mine.is_told && x->report.is_exact;
    if (mine.is_told) {
        if (mine.question == NINHO_SETS_DIFFERENCE) {
            mine.in_both = mine.n_here - mine.only_here;
        } else {
            mine.only_here = mine.n_here - mine.in_both;
            mine.only_there = mine.n_there - mine.in_both;
        }
    }
    return na_struct_out(report, &mine, sizeof mine);
}
