/* SPDX-License-Identifier: MIT */
/* The side that answers. It does what it is asked, in turn, and no more; every number of a request
 * is held against its own set and limits first. */
#include <string.h>

#include "exchange.h"

/* ---- Heads of requests ------------------------------------------------------------- */

/* Cells go on where the last ones ended, or begin again under the next salt. */
static ninho_status check_cells(ninho_exchange *x, struct na_reader *reader)
{
    struct ns_receiving *in = &x->receiving;

    const uint64_t salt = in->fields[0] = na_read_varint(reader);
    const uint64_t from = in->fields[1] = na_read_varint(reader);
    const uint64_t to = in->fields[2] = na_read_varint(reader);
    const bool goes_on = salt == x->served_salt && from == x->served_cells;
    const bool begins = from == 0 && salt < NS_MAX_SALTS &&
                        (salt > x->served_salt || x->served_cells == 0);
    if (reader->is_bad || to <= from || !(goes_on || begins))
        return ns_give_up(x, NINHO_ERR_FORMAT, "the peer asks for cells out of order");
    if (to > ns_most_cells(x))
        return ns_give_up(x, NINHO_ERR_FULL,
                          "the peer asks for %llu cells; the most for these sets is %u",
                          (unsigned long long)to, ns_most_cells(x));
    return NINHO_OK;
}

/* The fields of requests of a difference; false if they cannot be. */
static bool read_difference(ninho_exchange *x, struct na_reader *reader)
{
    struct ns_receiving *in = &x->receiving;
    const size_t n = ninho_set_count(x->set);

    switch (in->type) {
    case NS_CELLS:
    case NS_LIST:
        return in->data_size == 0 && in->n_items == 0;
    case NS_FETCH:
        in->fields[0] = na_read(reader, 1);
        return in->n_items == 0 && ns_are_names(x, in->fields[0]) &&
               in->data_size / in->fields[0] <= x->n_there + n + 1;
    case NS_BLOOM:
        in->fields[0] = na_read_varint(reader);
        return in->n_items == 0 &&
               ns_filter_is_fine(&(struct ns_filter){
                   .kind = NINHO_BLOOM,
                   .bits_x256 =
                       in->fields[0] < UINT32_MAX ? (uint32_t)in->fields[0] : 0});
    case NS_TELL:
        in->sum = ns_read_sum(reader);
        return x->options.audience == NINHO_SETS_BOTH && ns_are_names(x, 8) &&
               in->data_size / 8 <= n && in->n_items <= x->n_there;
    default:
        return false;
    }
}

/* The same of an intersection. */
static bool read_common(ninho_exchange *x, struct na_reader *reader)
{
    struct ns_receiving *in = &x->receiving;
    struct ns_common *c = &x->common;

    if (in->n_items != 0)
        return false;
    switch (in->type) {
    case NS_SIFT:
        in->fields[0] = na_read(reader, 1);
        in->fields[1] = na_read_varint(reader);
        in->fields[2] = na_read(reader, 1);
        /* Without a filter it is about the candidates there are. */
        return in->fields[1] < NS_MAX_ATTEMPTS && in->fields[2] >= 1 &&
               in->fields[2] <= 8 &&
               (in->fields[0] == NINHO_BLOOM || in->fields[0] == NINHO_FUSE) &&
               (in->data_size > 0 || x->marked);
    case NS_VERIFY:
        return c->shorts && in->data_size == (c->n_shorts + 7) / 8;
    case NS_FILTER:
        in->fields[0] = na_read(reader, 1);
        in->fields[1] = na_read_varint(reader);
        return in->data_size == 0 && in->fields[1] < UINT32_MAX &&
               ns_filter_is_fine(&(struct ns_filter){
                   .kind = in->fields[0] == NINHO_FUSE ? NINHO_FUSE : NINHO_BLOOM,
                   .bits_x256 = (uint32_t)in->fields[1]});
    case NS_MATCH:
        in->fields[1] = na_read_varint(reader);
        in->fields[2] = na_read(reader, 1);
        return in->fields[1] < NS_MAX_ATTEMPTS && ns_are_names(x, in->fields[2]) &&
               in->data_size / in->fields[2] <= x->n_there;
    default:
        return false;
    }
}

ninho_status ns_answer_head(ninho_exchange *x, struct na_reader *reader)
{
    struct ns_receiving *in = &x->receiving;
    bool is_fine;

    if (in->type == NS_BYE) {
        in->fields[0] = na_read(reader, 1);
        is_fine = in->data_size == 0 && in->n_items == 0;
    } else if (++x->n_requests > NS_MAX_REQUESTS) {
        return ns_give_up(x, NINHO_ERR_FORMAT, "the peer made more than %d requests",
                          NS_MAX_REQUESTS);
    } else {
        is_fine = x->options.question == NINHO_SETS_COMMON ? read_common(x, reader)
                                                           : read_difference(x, reader);
    }
    if (!is_fine || reader->is_bad)
        return ns_give_up(x, NINHO_ERR_FORMAT,
                          "the peer's request of type %u makes no sense here", in->type);
    if (in->type == NS_CELLS)
        return check_cells(x, reader);
    return in->type == NS_TELL ? ns_reset_answer(x) : NINHO_OK;
}

/* Only TELL has items: those that the asker alone has. One of ours among them would fit into a
 * sum that was made for it, and be an answer that no two sets have. */
ninho_status ns_answer_item(ninho_exchange *x, const uint8_t *item, size_t size)
{
    bool is_new = false;

    if (ninho_set_find(x->set, item, size, NULL))
        return ns_give_up(x, NINHO_ERR_FORMAT,
                          "the peer tells an item as its own alone that is here, too");
    return ns_keep(x, item, size, &is_new);
}

/* ---- Difference -------------------------------------------------------------------- */

static ninho_sets_method method_of(uint8_t request)
{
    switch (request) {
    case NS_CELLS:
        return NINHO_SETS_SKETCH;
    case NS_LIST:
        return NINHO_SETS_LIST;
    case NS_BLOOM:
        return NINHO_SETS_BLOOM;
    case NS_SIFT:
    case NS_FILTER:
        return NINHO_SETS_FILTER;
    default:
        return NINHO_SETS_NONE;
    }
}

static ninho_status answer(ninho_exchange *x, const struct ns_fields *fields,
                           struct na_bytes *data, const ninho_set *items, uint64_t *which)
{
    x->report.rounds++;
    if (x->report.method == NINHO_SETS_NONE)
        x->report.method = method_of(x->receiving.type);
    return ns_send(x, x->receiving.type + NS_ANSWER, fields, data, items, which);
}

static ninho_status give_cells(ninho_exchange *x)
{
    const uint32_t salt = (uint32_t)x->receiving.fields[0];
    const uint32_t from = (uint32_t)x->receiving.fields[1];
    const uint32_t to = (uint32_t)x->receiving.fields[2];
    const size_t n = to - from;
    struct na_bytes data = {0};

    const ninho_status status = ns_need_hashes(x, NS_LABEL_SALT + salt);
    if (status)
        return status;
    struct ns_cell *cells = na_alloc_zeroed(&x->alloc, n, sizeof *cells);
    if (!cells || !na_bytes_reserve(&x->alloc, &data, n * NS_CELL_BYTES)) {
        na_free(&x->alloc, cells, n, sizeof *cells);
        return ns_no_memory(x);
    }
    ns_cells_add(cells, from, to, x->hashes, ninho_set_count(x->set));
    for (size_t i = 0; i < n; i++)
        ns_cell_write(data.data + i * NS_CELL_BYTES, &cells[i]);
    data.size = n * NS_CELL_BYTES;
    na_free(&x->alloc, cells, n, sizeof *cells);
    x->served_salt = salt;
    x->served_cells = to;
    x->report.n_cells += n;
    return answer(x, NULL, &data, NULL, NULL);
}

/* A bitmap over our items, to fill. */
static uint64_t *new_bitmap(ninho_exchange *x)
{
    return na_alloc_zeroed(&x->alloc, ns_bitmap_words(ninho_set_count(x->set)),
                           sizeof(uint64_t));
}

static ninho_status give_items(ninho_exchange *x)
{
    const struct na_bytes *data = &x->receiving.data;
    const unsigned width = (unsigned)x->receiving.fields[0];
    const size_t n = ninho_set_count(x->set);
    const size_t n_names = data->size / width;

    /* The hashes are those that the cells were made of. */
    const ninho_status status = ns_need_hashes(x, NS_LABEL_SALT + x->served_salt);
    if (status)
        return status;
    uint64_t *names = na_alloc(&x->alloc, n_names, sizeof *names);
    uint64_t *which = new_bitmap(x);
    const bool is_fine = names && which;
    if (is_fine) {
        for (size_t i = 0; i < n_names; i++)
            names[i] = na_load(data->data + i * width, width);
        ninho_hash_sort(names, n_names);
        for (size_t i = 0; i < n; i++)
            if (ns_sorted_find(names, n_names, ns_prefix(x->hashes[i], width), NULL))
                ns_bit_set(which, i);
    }
    na_free(&x->alloc, names, n_names, sizeof *names);
    if (!is_fine) {
        na_free(&x->alloc, which, ns_bitmap_words(n), sizeof *which);
        return ns_no_memory(x);
    }
    return answer(x, NULL, NULL, x->set, which);
}

/* Sends what the peer's filter does not have, and a filter of the rest. */
static ninho_status answer_bloom(ninho_exchange *x)
{
    const struct ns_filter filter = {.kind = NINHO_BLOOM,
                                     .bits_x256 = (uint32_t)x->receiving.fields[0]};
    const size_t n = ninho_set_count(x->set);
    const ninho_filter *theirs = NULL;
    struct na_bytes data = {0};
    ninho_view view;
    ninho_error error = NINHO_ERROR_INIT;

    if (ns_filter_read(&view, NINHO_BLOOM, &x->receiving.data, &theirs, &error))
        return ns_give_up(x, NINHO_ERR_FORMAT, "the peer's filter: %s", error.text);
    ninho_status status = ns_need_hashes(x, NS_LABEL_SALT);
    if (status)
        return status;
    uint64_t *which = new_bitmap(x);
    uint64_t *rest = na_alloc(&x->alloc, n, sizeof *rest);
    size_t n_rest = 0;
    if (!which || !rest) {
        status = na_fail(&error, NINHO_ERR_NOMEM, "not enough memory");
    } else {
        (void)ninho_filter_has_many(theirs, x->hashes, n, which);
        for (size_t i = 0; (i = ns_bitmap_next(which, n, i)) < n; i++)
            rest[n_rest++] = x->hashes[i];
        ns_bitmap_invert(which, n);
        status = ns_filter_write(&filter, rest, n_rest, &x->alloc, &data, &error);
    }
    na_free(&x->alloc, rest, n, sizeof *rest);
    if (status) {
        na_free(&x->alloc, which, ns_bitmap_words(n), sizeof *which);
        na_bytes_free(&x->alloc, &data);
        return ns_give_up(x, status, "%s", error.text);
    }
    return answer(x, NULL, &data, x->set, which);
}

/* The asker tells the difference: names of items that only we have, and its own. It is checked as
 * on the other side: ours, less those, and more these, must be the asker's set. */
static ninho_status take_told(ninho_exchange *x)
{
    const struct na_bytes *data = &x->receiving.data;
    const size_t n_names = data->size / 8;
    const size_t n = ninho_set_count(x->set);

    uint64_t *names = na_alloc(&x->alloc, n_names, sizeof *names);
    if (!names)
        return ns_no_memory(x);
    for (size_t i = 0; i < n_names; i++)
        names[i] = na_load(data->data + 8 * i, 8);
    ninho_hash_sort(names, n_names);
    for (size_t i = 0; i < n && n_names > 0; i++) {
        size_t size = 0;
        const void *item = ninho_set_item(x->set, i, &size);
        const uint64_t name = ns_keys_wide(&x->keys, item, size).low;
        if (ns_sorted_find(names, n_names, name, NULL))
            ns_bit_set(x->marked, i);
    }
    na_free(&x->alloc, names, n_names, sizeof *names);
    const struct ns_sum sum = ns_resulting_sum(x);
    if (n - ns_bitmap_count(x->marked, n) + ninho_set_count(x->there) != x->n_there ||
        !ns_sum_equal(&sum, &x->receiving.sum))
        return ns_give_up(
            x, NINHO_ERR_CHECKSUM,
            "the difference that the peer tells does not agree with its checksum");
    x->is_agreed = true;
    return answer(x, NULL, NULL, NULL, NULL);
}

/* ---- Intersection ------------------------------------------------------------------ */

static ninho_status answer_sift(ninho_exchange *x)
{
    const ninho_kind kind =
        x->receiving.fields[0] == NINHO_FUSE ? NINHO_FUSE : NINHO_BLOOM;
    const ninho_filter *filter = NULL;
    struct na_bytes data = {0};
    ninho_view view;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_status status = NINHO_OK;

    x->is_agreed = false;
    x->common.attempt = (uint32_t)x->receiving.fields[1];
    x->common.width = (unsigned)x->receiving.fields[2];
    if (x->receiving.data.size > 0) {
        if (ns_filter_read(&view, kind, &x->receiving.data, &filter, &error))
            return ns_give_up(x, NINHO_ERR_FORMAT, "the peer's filter: %s", error.text);
        status = ns_need_hashes(x, NS_LABEL_SALT);
        if (!status)
            status = ns_reset_answer(x);
        if (!status)
            (void)ninho_filter_has_many(filter, x->hashes, ninho_set_count(x->set),
                                        x->marked);
    }
    if (!status)
        status = ns_common_shorts(x);
    if (!status)
        status = ns_common_write(x, &data);
    return status ? status : answer(x, NULL, &data, NULL, NULL);
}

/* The number and the sum of what we take for common. */
static void put_verdict(ninho_exchange *x, struct ns_fields *fields)
{
    size_t n = 0;
    const struct ns_sum sum = ns_marked_sum(x, &n);

    ns_put_varint(fields, n);
    ns_put_sum(fields, &sum);
    x->is_agreed = true; /* if the asker says so in the end */
}

static ninho_status answer_verify(ninho_exchange *x)
{
    struct ns_fields fields = {.size = 0};

    const ninho_status status = ns_common_confirm(x);
    if (status)
        return status;
    put_verdict(x, &fields);
    return answer(x, &fields, NULL, NULL, NULL);
}

static ninho_status answer_filter(ninho_exchange *x)
{
    const struct ns_filter filter = {
        .kind = x->receiving.fields[0] == NINHO_FUSE ? NINHO_FUSE : NINHO_BLOOM,
        .bits_x256 = (uint32_t)x->receiving.fields[1]};
    struct na_bytes data = {0};
    ninho_error error = NINHO_ERROR_INIT;

    ninho_status status = ns_need_hashes(x, NS_LABEL_SALT);
    if (status)
        return status;
    status = ns_filter_write(&filter, x->hashes, ninho_set_count(x->set), &x->alloc,
                             &data, &error);
    if (status) {
        na_bytes_free(&x->alloc, &data);
        return ns_give_up(x, status, "%s", error.text);
    }
    return answer(x, NULL, &data, NULL, NULL);
}

static ninho_status answer_match(ninho_exchange *x)
{
    struct ns_fields fields = {.size = 0};
    struct na_bytes data = {0};

    x->common.attempt = (uint32_t)x->receiving.fields[1];
    x->common.width = (unsigned)x->receiving.fields[2];
    ninho_status status = ns_common_read(x);
    if (!status)
        status = ns_common_match(x);
    if (!status)
        status = ns_common_write_accepted(x, &data);
    if (status)
        return status;
    put_verdict(x, &fields);
    return answer(x, &fields, &data, NULL, NULL);
}

/* ---- The end ----------------------------------------------------------------------- */

/* Is what this side would be told what both sides have verified? Of a difference it is if the asker
 * has told it. Of an intersection if the sums were exchanged; or if there is nothing in it, which
 * the asker may know without. */
static bool is_verified(const ninho_exchange *x)
{
    const size_t n = ninho_set_count(x->set);

    if (x->receiving.fields[0] != 1)
        return false;
    if (x->options.question == NINHO_SETS_DIFFERENCE)
        return x->is_agreed;
    const size_t n_common = x->marked ? ns_bitmap_count(x->marked, n) : 0;
    return n_common == 0 || (x->is_agreed && n_common <= x->n_there);
}

/* Who asked has its answer; we are told it if both are to know. */
static ninho_status take_bye(ninho_exchange *x)
{
    x->report.is_exact = x->receiving.fields[0] == 1;
    if (x->options.audience == NINHO_SETS_BOTH) {
        if (!is_verified(x))
            return ns_give_up(x, NINHO_ERR_FORMAT,
                              "the peer left without telling the answer to this side");
        const ninho_status status = ns_settle(x);
        if (status)
            return status;
    }
    x->turn = NS_TURN_OVER;
    return NINHO_OK;
}

ninho_status ns_answer_whole(ninho_exchange *x)
{
    switch (x->receiving.type) {
    case NS_CELLS:
        return give_cells(x);
    case NS_FETCH:
        return give_items(x);
    case NS_LIST:
        return answer(x, NULL, NULL, x->set, NULL);
    case NS_BLOOM:
        return answer_bloom(x);
    case NS_TELL:
        return take_told(x);
    case NS_SIFT:
        return answer_sift(x);
    case NS_VERIFY:
        return answer_verify(x);
    case NS_FILTER:
        return answer_filter(x);
    case NS_MATCH:
        return answer_match(x);
    default: /* NS_BYE */
        return take_bye(x);
    }
}
