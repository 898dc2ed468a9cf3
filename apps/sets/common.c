/* SPDX-License-Identifier: MIT */
/* The asker of an intersection, after Reynolds and Vahdat: a filter, the candidates that pass it,
 * and their verification. The side with fewer items makes the filter.
 *
 *      asker has fewer                             asker has more
 *      --- filter ------------------> SIFT         --- which filter -----------> FILTER
 *      <-- candidates' short hashes --             <-- filter ------------------
 *      --- which of them I have ----> VERIFY       --- candidates' hashes -----> MATCH
 *      <-- sum over those -----------              <-- which of them, their sum -
 *
 * A filter has no false negatives, so that every common item is a candidate; a false candidate is
 * known by its short hash, a few bytes under a key of its own. Then both sides add up the 128-bit
 * keyed hashes of the items that they take for common. If the sums differ, two items have had the
 * same short hash, and the second half is done once more with 64-bit ones.
 *
 * Candidates are named by their rank among their sorted short hashes. The functions on them serve
 * both sides. */
#include <string.h>

#include "exchange.h"

/* ---- Candidates -------------------------------------------------------------------- */

void ns_common_free(ninho_exchange *x)
{
    struct ns_common *c = &x->common;

    na_free(&x->alloc, c->shorts, c->n_shorts, sizeof *c->shorts);
    na_free(&x->alloc, c->accepted, ns_bitmap_words(c->n_shorts), sizeof *c->accepted);
    c->shorts = NULL;
    c->accepted = NULL;
    c->n_shorts = 0;
}

static ninho_status make_room(ninho_exchange *x, size_t n)
{
    struct ns_common *c = &x->common;

    ns_common_free(x);
    c->n_shorts = n;
    c->shorts = na_alloc(&x->alloc, n, sizeof *c->shorts);
    c->accepted = na_alloc_zeroed(&x->alloc, ns_bitmap_words(n), sizeof *c->accepted);
    return c->shorts && c->accepted ? NINHO_OK : ns_no_memory(x);
}

static ninho_hasher short_hasher(const ninho_exchange *x)
{
    return ns_keys_hasher(&x->keys, NS_LABEL_SHORT + x->common.attempt);
}

static uint64_t short_hash(const ninho_exchange *x, const ninho_hasher *hasher, size_t i)
{
    size_t size = 0;
    const void *item = ninho_set_item(x->set, i, &size);

    return ns_prefix(ninho_hash_bytes(hasher, item, size), x->common.width);
}

ninho_status ns_common_shorts(ninho_exchange *x)
{
    struct ns_common *c = &x->common;
    const size_t n = ninho_set_count(x->set);
    const ninho_hasher hasher = short_hasher(x);

    const ninho_status status = make_room(x, ns_bitmap_count(x->marked, n));
    if (status)
        return status;
    for (size_t i = 0, at = 0; (i = ns_bitmap_next(x->marked, n, i)) < n; i++)
        c->shorts[at++] = short_hash(x, &hasher, i);
    ninho_hash_sort(c->shorts, c->n_shorts);
    return NINHO_OK;
}

ninho_status ns_common_write(ninho_exchange *x, struct na_bytes *data)
{
    const struct ns_common *c = &x->common;

    if (!na_bytes_reserve(&x->alloc, data, c->n_shorts * c->width))
        return ns_no_memory(x);
    for (size_t i = 0; i < c->n_shorts; i++) {
        na_store(data->data + data->size, c->shorts[i], c->width);
        data->size += c->width;
    }
    return NINHO_OK;
}

ninho_status ns_common_read(ninho_exchange *x)
{
    struct ns_common *c = &x->common;
    const struct na_bytes *data = &x->receiving.data;

    const ninho_status status = make_room(x, data->size / c->width);
    if (status)
        return status;
    for (size_t i = 0; i < c->n_shorts; i++) {
        c->shorts[i] = na_load(data->data + i * c->width, c->width);
        if (i > 0 && c->shorts[i] < c->shorts[i - 1])
            return ns_give_up(x, NINHO_ERR_FORMAT,
                              "the peer's candidates are not in order");
    }
    return NINHO_OK;
}

ninho_status ns_common_match(ninho_exchange *x)
{
    struct ns_common *c = &x->common;
    const size_t n = ninho_set_count(x->set);
    const ninho_hasher hasher = short_hasher(x);

    const ninho_status status = ns_reset_answer(x);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++) {
        size_t rank = 0;
        if (!ns_sorted_find(c->shorts, c->n_shorts, short_hash(x, &hasher, i), &rank))
            continue;
        ns_bit_set(x->marked, i);
        ns_bit_set(c->accepted, rank);
    }
    return NINHO_OK;
}

ninho_status ns_common_write_accepted(ninho_exchange *x, struct na_bytes *data)
{
    const struct ns_common *c = &x->common;
    const size_t size = (c->n_shorts + 7) / 8;

    if (!na_bytes_reserve(&x->alloc, data, size))
        return ns_no_memory(x);
    for (size_t i = 0; i < size; i++)
        data->data[data->size++] = (uint8_t)(c->accepted[i / 8] >> (8 * (i % 8)));
    return NINHO_OK;
}

ninho_status ns_common_confirm(ninho_exchange *x)
{
    const struct ns_common *c = &x->common;
    const size_t n = ninho_set_count(x->set);
    const ninho_hasher hasher = short_hasher(x);

    for (size_t i = 0; (i = ns_bitmap_next(x->marked, n, i)) < n; i++) {
        size_t rank = 0;
        const bool is_there =
            ns_sorted_find(c->shorts, c->n_shorts, short_hash(x, &hasher, i), &rank);
        if (!is_there || !(x->receiving.data.data[rank / 8] >> (rank % 8) & 1))
            ns_bit_clear(x->marked, i);
    }
    return NINHO_OK;
}

/* ---- The asker --------------------------------------------------------------------- */

/* A later attempt goes without the filter: the peer knows the candidates. */
static ninho_status ask_sift(ninho_exchange *x, ninho_kind kind, struct na_bytes *filter)
{
    struct ns_fields fields = {.size = 0};

    ns_put(&fields, kind, 1);
    ns_put_varint(&fields, x->common.attempt);
    ns_put(&fields, x->common.width, 1);
    return ns_request(x, NS_SIFT, &fields, filter, NULL, NULL);
}

static ninho_status start_sift(ninho_exchange *x)
{
    const size_t n_here = ninho_set_count(x->set);
    struct na_bytes data = {0};
    ninho_error error = NINHO_ERROR_INIT;

    const double n = (double)n_here;
    const struct ns_filter filter = ns_filter_for_common(n, (double)x->n_there, 6);
    x->common.width = ns_width(n, n + filter.fpr * (double)x->n_there, 4);
    x->report.filter_fpr = filter.fpr;
    x->report.filter_bits_per_key_x256 = filter.bits_x256;
    ninho_status status = ns_need_hashes(x, NS_LABEL_SALT);
    if (status)
        return status;
    status = ns_filter_write(&filter, x->hashes, n_here, &x->alloc, &data, &error);
    if (status) {
        na_bytes_free(&x->alloc, &data);
        return ns_give_up(x, status, "%s", error.text);
    }
    return ask_sift(x, filter.kind, &data);
}

static ninho_status ask_match(ninho_exchange *x)
{
    struct ns_fields fields = {.size = 0};
    struct na_bytes data = {0};

    ninho_status status = ns_common_shorts(x);
    if (!status)
        status = ns_common_write(x, &data);
    if (status)
        return status;
    ns_put_varint(&fields, x->common.attempt);
    ns_put(&fields, x->common.width, 1);
    return ns_request(x, NS_MATCH, &fields, &data, NULL, NULL);
}

ninho_status ns_common_start(ninho_exchange *x)
{
    const size_t n_here = ninho_set_count(x->set);
    struct ns_fields fields = {.size = 0};

    ninho_status status = ns_reset_answer(x);
    if (status)
        return status;
    if (n_here == 0 || x->n_there == 0) {
        x->report.is_exact = true;
        return ns_finish(x);
    }
    x->report.method = NINHO_SETS_FILTER;
    if (n_here <= x->n_there)
        return start_sift(x);
    const struct ns_filter filter =
        ns_filter_for_common((double)x->n_there, (double)n_here, 6);
    x->report.filter_fpr = filter.fpr;
    x->report.filter_bits_per_key_x256 = filter.bits_x256;
    x->common.filter_kind = filter.kind;
    ns_put(&fields, filter.kind, 1);
    ns_put_varint(&fields, filter.bits_x256);
    return ns_request(x, NS_FILTER, &fields, NULL, NULL, NULL);
}

/* Our candidates are marked: are there any to ask about? */
static ninho_status take_filter(ninho_exchange *x)
{
    const size_t n = ninho_set_count(x->set);
    const ninho_filter *filter = NULL;
    ninho_view view;
    ninho_error error = NINHO_ERROR_INIT;

    if (ns_filter_read(&view, x->common.filter_kind, &x->receiving.data, &filter, &error))
        return ns_give_up(x, NINHO_ERR_FORMAT, "the peer's filter: %s", error.text);
    const ninho_status status = ns_need_hashes(x, NS_LABEL_SALT);
    if (status)
        return status;
    const size_t n_candidates = ninho_filter_has_many(filter, x->hashes, n, x->marked);
    if (n_candidates == 0) {
        x->report.is_exact = true;
        return ns_finish(x);
    }
    x->common.width = ns_width((double)x->n_there, (double)n_candidates, 4);
    return ask_match(x);
}

static ninho_status take_candidates(ninho_exchange *x)
{
    struct na_bytes data = {0};

    ninho_status status = ns_common_read(x);
    if (!status)
        status = ns_common_match(x);
    if (status)
        return status;
    if (x->common.n_shorts == 0) {
        x->report.is_exact = true;
        return ns_finish(x);
    }
    status = ns_common_write_accepted(x, &data);
    return status ? status : ns_request(x, NS_VERIFY, NULL, &data, NULL, NULL);
}

/* Both sums are there. */
static ninho_status compare(ninho_exchange *x)
{
    size_t n = 0;
    const struct ns_sum sum = ns_marked_sum(x, &n);

    if (n == x->receiving.fields[0] && n <= x->n_there &&
        ns_sum_equal(&sum, &x->receiving.sum)) {
        x->report.is_exact = true;
        return ns_finish(x);
    }
    if (++x->common.attempt == NS_MAX_ATTEMPTS)
        return ns_give_up(
            x, NINHO_ERR_CHECKSUM,
            "the common items of both sides do not agree: the peer's set changed "
            "on the way, or it does not tell the truth");
    x->report.fallbacks++;
    x->common.width = 8;
    return x->asked == NS_VERIFY ? ask_sift(x, NINHO_BLOOM, NULL) : ask_match(x);
}

ninho_status ns_common_head(ninho_exchange *x, struct na_reader *fields)
{
    struct ns_receiving *in = &x->receiving;
    const struct ns_common *c = &x->common;
    bool is_fine = in->n_items == 0;

    switch (x->asked) {
    case NS_SIFT:
        is_fine = is_fine && ns_are_names(x, c->width) &&
                  in->data_size / c->width <= x->n_there;
        break;
    case NS_MATCH:
    case NS_VERIFY:
        in->fields[0] = na_read_varint(fields);
        in->sum = ns_read_sum(fields);
        is_fine = is_fine &&
                  in->data_size == (x->asked == NS_MATCH ? (c->n_shorts + 7) / 8 : 0);
        break;
    default: /* NS_FILTER: any size within the limit */
        break;
    }
    return is_fine ? NINHO_OK : ns_refuse_answer(x);
}

ninho_status ns_common_whole(ninho_exchange *x)
{
    ninho_status status = NINHO_OK;

    switch (x->asked) {
    case NS_FILTER:
        return take_filter(x);
    case NS_SIFT:
        return take_candidates(x);
    case NS_MATCH:
        status = ns_common_confirm(x);
        return status ? status : compare(x);
    default: /* NS_VERIFY */
        return compare(x);
    }
}
