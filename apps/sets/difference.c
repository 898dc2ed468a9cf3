/* SPDX-License-Identifier: MIT */
/* The asker of a difference. It begins by the cheapest way, or the one that was asked for, and
 * every way ends in the same check, that of the sums:
 *
 *      greeting --- equal sums? -------------------------------------------> done
 *         |
 *         +-- bloom: filters both ways ------ agrees? ---------------------> done
 *         |     |  no: the residue
 *         +-----+-- sketch: cells -- decodes? -- fetch items -- agrees? ---> done
 *         |     ^       |  no: more cells          |  no: a new salt
 *         |     +-------+--------------------------+
 *         |             |  too many cells, or salts
 *         +-------------+-- list: all items ------- agrees? ---------------> done
 *                                                     no: the exchange fails
 *
 * Between two steps, `marked` (only here) and `there` (only there) hold what is believed so far. */
#include <math.h>
#include <string.h>

#include "exchange.h"

/* The first request for cells is for half a standard deviation more than the estimate, which makes
 * a second one rare (one in six); where that would be many bytes, for the estimate itself. */
#define GENEROUS_BELOW 20000

static struct ns_sizes sizes_of(const ninho_exchange *x)
{
    return (struct ns_sizes){.n_here = (double)ninho_set_count(x->set),
                             .n_there = (double)x->n_there,
                             .bytes_there = (double)x->bytes_there,
                             .difference = x->report.estimate};
}

/* ---- Arrays of the state ----------------------------------------------------------- */

static void drop_wanted(ninho_exchange *x)
{
    struct ns_difference *d = &x->difference;

    na_free(&x->alloc, d->wanted, d->n_wanted, sizeof *d->wanted);
    na_free(&x->alloc, d->got, ns_bitmap_words(d->n_wanted), sizeof *d->got);
    d->wanted = NULL;
    d->got = NULL;
    d->n_wanted = 0;
}

static void drop_cells(ninho_exchange *x)
{
    struct ns_difference *d = &x->difference;

    na_free(&x->alloc, d->cells, d->n_cells, sizeof *d->cells);
    d->cells = NULL;
    d->n_cells = 0;
}

void ns_difference_free(ninho_exchange *x)
{
    drop_wanted(x);
    drop_cells(x);
}

/* ---- The end ----------------------------------------------------------------------- */

static ninho_status next_way(ninho_exchange *x);

/* The peer shall know it, too: hashes of what only it has, items that only we have. */
static ninho_status tell(ninho_exchange *x)
{
    const size_t n_there = ninho_set_count(x->there);
    const size_t n_words = ns_bitmap_words(ninho_set_count(x->set));
    struct ns_fields fields = {.size = 0};
    struct na_bytes data = {0};

    uint64_t *which = na_alloc(&x->alloc, n_words, sizeof *which);
    if (!which || !na_bytes_reserve(&x->alloc, &data, 8 * n_there)) {
        na_free(&x->alloc, which, n_words, sizeof *which);
        return ns_no_memory(x);
    }
    memcpy(which, x->marked, n_words * sizeof *which);
    for (size_t i = 0; i < n_there; i++) {
        size_t size = 0;
        const void *item = ninho_set_item(x->there, i, &size);
        const struct ns_sum hash = ns_keys_wide(&x->keys, item, size);
        na_store(data.data + data.size, hash.low, 8);
        data.size += 8;
    }
    ns_put_sum(&fields, &x->sum_here);
    return ns_request(x, NS_TELL, &fields, &data, x->set, which);
}

/* Does what is believed agree with the peer's checksum? */
static bool agrees(const ninho_exchange *x)
{
    const size_t n_here = ninho_set_count(x->set);
    const size_t n_marked = ns_bitmap_count(x->marked, n_here);
    const struct ns_sum sum = ns_resulting_sum(x);

    return n_here - n_marked + ninho_set_count(x->there) == x->n_there &&
           ns_sum_equal(&sum, &x->sum_there);
}

static ninho_status conclude(ninho_exchange *x)
{
    x->report.is_exact = agrees(x);
    if (!x->report.is_exact && x->options.precision == NINHO_SETS_EXACT)
        return next_way(x);
    return x->options.audience == NINHO_SETS_BOTH ? tell(x) : ns_finish(x);
}

/* ---- List -------------------------------------------------------------------------- */

static ninho_status start_list(ninho_exchange *x)
{
    const size_t n = ninho_set_count(x->set);

    ns_difference_free(x);
    const ninho_status status = ns_reset_answer(x);
    if (status)
        return status;
    /* Everything is only here until it comes. */
    ns_bitmap_invert(x->marked, n);
    return ns_request(x, NS_LIST, NULL, NULL, NULL, NULL);
}

static ninho_status list_item(ninho_exchange *x, const uint8_t *item, size_t size)
{
    bool is_new = false;
    size_t place = 0;

    if (ninho_set_find(x->set, item, size, &place)) {
        ns_bit_clear(x->marked, place);
        return NINHO_OK;
    }
    return ns_keep(x, item, size, &is_new);
}

/* ---- Sketch ------------------------------------------------------------------------ */

static ninho_status ask_cells(ninho_exchange *x, double difference)
{
    struct ns_difference *d = &x->difference;
    struct ns_fields fields = {.size = 0};
    const struct ns_sizes sizes = sizes_of(x);
    uint32_t to = ns_cells_needed(difference);

    /* A request that hardly adds to what did not decode would be a wasted round. */
    const uint32_t least = d->n_cells + (uint32_t)(3 * sqrt(d->n_cells)) + 16;
    if (d->n_cells > 0 && to < least)
        to = least;
    const bool is_dear =
        NS_CELL_BYTES * (double)(to - d->n_cells) > ns_list_bytes(&sizes) &&
        x->options.method != NINHO_SETS_SKETCH;
    if (to > ns_most_cells(x) || is_dear) {
        x->report.fallbacks++;
        return start_list(x);
    }
    if (d->n_topups == NS_MAX_TOPUPS)
        return next_way(x);
    d->n_topups++;
    d->n_asked = to;
    ns_put_varint(&fields, d->salt);
    ns_put_varint(&fields, d->n_cells);
    ns_put_varint(&fields, to);
    return ns_request(x, NS_CELLS, &fields, NULL, NULL, NULL);
}

static ninho_status start_sketch(ninho_exchange *x, double difference)
{
    struct ns_difference *d = &x->difference;

    drop_cells(x);
    d->n_topups = 0;
    x->asked = NS_CELLS;
    const ninho_status status = ns_need_hashes(x, NS_LABEL_SALT + d->salt);
    if (status)
        return status;
    return ask_cells(x, difference);
}

/* XORs into fresh cells what is believed: our own items, less those only here, and those only
 * there. What is left in the difference is then what is not known yet. */
static void add_believed(const ninho_exchange *x, struct ns_cell *cells, uint32_t from,
                         uint32_t to)
{
    const size_t n = ninho_set_count(x->set);
    const size_t n_there = ninho_set_count(x->there);
    const ninho_hasher hasher = ns_keys_hasher(&x->keys, x->label);

    ns_cells_add(cells, from, to, x->hashes, n);
    for (size_t i = 0; (i = ns_bitmap_next(x->marked, n, i)) < n; i++)
        ns_cells_add(cells, from, to, &x->hashes[i], 1);
    for (size_t i = 0; i < n_there; i++) {
        size_t size = 0;
        const void *item = ninho_set_item(x->there, i, &size);
        const uint64_t hash = ninho_hash_bytes(&hasher, item, size);
        ns_cells_add(cells, from, to, &hash, 1);
    }
}

/* Appends the cells that came, less ours. */
static ninho_status take_cells(ninho_exchange *x)
{
    struct ns_difference *d = &x->difference;
    const uint32_t from = d->n_cells;
    const uint32_t to = d->n_asked;

    struct ns_cell *cells = na_alloc_zeroed(&x->alloc, to, sizeof *cells);
    if (!cells)
        return ns_no_memory(x);
    if (from)
        memcpy(cells, d->cells, from * sizeof *cells);
    drop_cells(x);
    d->cells = cells;
    d->n_cells = to;
    x->report.n_cells += to - from;
    for (uint32_t i = from; i < to; i++)
        ns_cell_read_into(&cells[i],
                          x->receiving.data.data + (size_t)(i - from) * NS_CELL_BYTES);
    add_believed(x, cells + from, from, to);
    return NINHO_OK;
}

/* Bytes of a hash in a request to fetch. A hash that is cut short may mean other items of the
 * peer's as well, which then come in vain: as many bytes as make both together least. */
static unsigned fetch_width(const ninho_exchange *x, size_t n_wanted)
{
    const double n = (double)n_wanted;
    const double item = (double)x->bytes_there / (double)x->n_there + 1;
    double least = INFINITY;
    unsigned best = 8;

    for (unsigned width = 1; width <= 8; width++) {
        const double in_vain = n * (double)x->n_there * ldexp(1, -8 * (int)width);
        const double bytes = n * width + in_vain * item;
        if (bytes < least) {
            least = bytes;
            best = width;
        }
    }
    return best;
}

static ninho_status start_fetching(ninho_exchange *x)
{
    struct ns_difference *d = &x->difference;
    struct ns_fields fields = {.size = 0};
    struct na_bytes data = {0};

    d->width = fetch_width(x, d->n_wanted);
    if (!na_bytes_reserve(&x->alloc, &data, d->n_wanted * d->width))
        return ns_no_memory(x);
    for (size_t i = 0; i < d->n_wanted; i++) {
        na_store(data.data + data.size, ns_prefix(d->wanted[i], d->width), d->width);
        data.size += d->width;
    }
    ns_put(&fields, d->width, 1);
    return ns_request(x, NS_FETCH, &fields, &data, NULL, NULL);
}

/* Every hash found is an item that is only here (if we have it: mark it), or one to fetch. */
static ninho_status resolve(ninho_exchange *x, uint64_t *found, size_t n_found)
{
    struct ns_difference *d = &x->difference;
    const size_t n = ninho_set_count(x->set);
    const size_t n_words = ns_bitmap_words(n_found);

    uint64_t *ours = na_alloc_zeroed(&x->alloc, n_words, sizeof *ours);
    if (!ours)
        return ns_no_memory(x);
    ninho_hash_sort(found, n_found);
    for (size_t i = 0; i < n; i++) {
        size_t place = 0;
        if (!ns_sorted_find(found, n_found, x->hashes[i], &place))
            continue;
        /* A filter does not err in what it does not have: nothing is unmarked here. */
        ns_bit_set(x->marked, i);
        ns_bit_set(ours, place);
    }
    d->n_wanted = n_found - ns_bitmap_count(ours, n_found);
    d->wanted = na_alloc(&x->alloc, d->n_wanted, sizeof *d->wanted);
    d->got = na_alloc_zeroed(&x->alloc, ns_bitmap_words(d->n_wanted), sizeof *d->got);
    const bool is_fine = d->wanted && d->got;
    for (size_t i = 0, at = 0; is_fine && i < n_found; i++)
        if (!ns_bit(ours, i))
            d->wanted[at++] = found[i];
    na_free(&x->alloc, ours, n_words, sizeof *ours);
    if (!is_fine)
        return ns_no_memory(x);
    return d->n_wanted ? start_fetching(x) : conclude(x);
}

/* Goes on with what the cells so far show, or asks for more. */
static ninho_status decode(ninho_exchange *x)
{
    struct ns_difference *d = &x->difference;
    const uint32_t m = d->n_cells;
    size_t n_found = 0;
    ninho_status status;

    struct ns_cell *work = na_alloc(&x->alloc, m, sizeof *work);
    uint64_t *found = na_alloc(&x->alloc, m, sizeof *found);
    uint32_t *stack = na_alloc(&x->alloc, m, sizeof *stack);
    if (!work || !found || !stack) {
        status = ns_no_memory(x);
    } else {
        memcpy(work, d->cells, m * sizeof *work);
        if (ns_cells_decode(work, m, found, stack, &n_found)) {
            status = resolve(x, found, n_found);
        } else {
            const double error = 1.6 / sqrt(m);
            status = ask_cells(x, ns_cells_estimate(d->cells, m) * (1 + 3.5 * error));
        }
    }
    na_free(&x->alloc, work, m, sizeof *work);
    na_free(&x->alloc, found, m, sizeof *found);
    na_free(&x->alloc, stack, m, sizeof *stack);
    return status;
}

static ninho_status fetched_item(ninho_exchange *x, const uint8_t *item, size_t size)
{
    struct ns_difference *d = &x->difference;
    const ninho_hasher hasher = ns_keys_hasher(&x->keys, x->label);
    const uint64_t hash = ninho_hash_bytes(&hasher, item, size);
    bool is_new = false;

    const size_t place = ns_sorted_place(d->wanted, d->n_wanted, hash);
    if (place < d->n_wanted && d->wanted[place] == hash) {
        ns_bit_set(d->got, place);
        return ns_keep(x, item, size, &is_new);
    }
    /* It may be one that a name cut short means as well: a neighbour has the same beginning. */
    const uint64_t prefix = ns_prefix(hash, d->width);
    if ((place < d->n_wanted && ns_prefix(d->wanted[place], d->width) == prefix) ||
        (place > 0 && ns_prefix(d->wanted[place - 1], d->width) == prefix))
        return NINHO_OK;
    return ns_give_up(x, NINHO_ERR_FORMAT,
                      "the peer sent an item that was not asked for");
}

static ninho_status fetched(ninho_exchange *x)
{
    struct ns_difference *d = &x->difference;
    const bool is_all = ns_bitmap_count(d->got, d->n_wanted) == d->n_wanted;

    drop_wanted(x);
    return is_all ? conclude(x) : next_way(x);
}

/* ---- Bloom ------------------------------------------------------------------------- */

static ninho_status start_bloom(ninho_exchange *x, uint32_t bits_x256)
{
    const size_t n = ninho_set_count(x->set);
    struct ns_fields fields = {.size = 0};
    struct na_bytes data = {0};
    ninho_error error = NINHO_ERROR_INIT;

    const struct ns_filter filter = {.kind = NINHO_BLOOM, .bits_x256 = bits_x256};
    x->report.filter_bits_per_key_x256 = bits_x256;
    x->report.filter_fpr = ns_bloom_fpr(bits_x256 / 256.0);
    ninho_status status = ns_need_hashes(x, NS_LABEL_SALT);
    if (status)
        return status;
    status = ns_filter_write(&filter, x->hashes, n, &x->alloc, &data, &error);
    if (status) {
        na_bytes_free(&x->alloc, &data);
        return ns_give_up(x, status, "%s", error.text);
    }
    ns_put_varint(&fields, bits_x256);
    return ns_request(x, NS_BLOOM, &fields, &data, NULL, NULL);
}

/* The items that our filter does not have have come, and the peer's filter of the others. */
static ninho_status take_bloom(ninho_exchange *x)
{
    const size_t n = ninho_set_count(x->set);
    const ninho_filter *filter = NULL;
    ninho_view view;
    ninho_error error = NINHO_ERROR_INIT;

    if (ns_filter_read(&view, NINHO_BLOOM, &x->receiving.data, &filter, &error))
        return ns_give_up(x, NINHO_ERR_FORMAT, "the peer's filter: %s", error.text);
    (void)ninho_filter_has_many(filter, x->hashes, n, x->marked);
    ns_bitmap_invert(x->marked, n);
    return conclude(x);
}

/* ---- Which way --------------------------------------------------------------------- */

/* What has been tried did not come to an end that agrees. */
static ninho_status next_way(ninho_exchange *x)
{
    struct ns_difference *d = &x->difference;

    if (x->asked == NS_LIST)
        return ns_give_up(
            x, NINHO_ERR_CHECKSUM,
            "the peer's items do not agree with its checksum: its set changed "
            "on the way, or it does not tell the truth");
    x->report.fallbacks++;
    if (x->asked == NS_BLOOM) /* the belief stays: cells of what is missing */
        return start_sketch(x, 1.3 * x->report.filter_fpr * x->report.estimate + 8);
    drop_wanted(x);
    if (d->salt + 1 == NS_MAX_SALTS)
        return start_list(x);
    d->salt++;
    const ninho_status status = ns_reset_answer(x);
    return status ? status : start_sketch(x, x->report.estimate * 1.25);
}

ninho_status ns_difference_start(ninho_exchange *x)
{
    const size_t n_here = ninho_set_count(x->set);
    const struct ns_sizes sizes = sizes_of(x);
    const double estimate = x->report.estimate;
    uint32_t bits_x256 = 256;
    ninho_sets_method method = x->options.method;

    ninho_status status = ns_reset_answer(x);
    if (status)
        return status;
    if (agrees(x)) {
        x->report.is_exact = true;
        return x->options.audience == NINHO_SETS_BOTH ? tell(x) : ns_finish(x);
    }
    if (x->n_there == 0) {
        ns_bitmap_invert(x->marked, n_here);
        x->asked = NS_LIST; /* nothing is shorter than an empty list */
        return conclude(x);
    }
    const ninho_sets_method cheapest = ns_plan_difference(&sizes, &bits_x256);
    if (method == NINHO_SETS_AUTO)
        method = cheapest;
    x->report.method = method;
    if (method == NINHO_SETS_LIST)
        return start_list(x);
    if (method == NINHO_SETS_SKETCH)
        return start_sketch(x, estimate < GENEROUS_BELOW
                                   ? estimate * (1 + NS_ROPES_ERROR / 2)
                                   : estimate);
    if (x->options.fpr > 0 || x->options.precision == NINHO_SETS_APPROXIMATE)
        bits_x256 = ns_bloom_bits_x256(x->options.fpr > 0 ? x->options.fpr : 0.01);
    return start_bloom(x, bits_x256);
}

/* ---- Answers ----------------------------------------------------------------------- */

ninho_status ns_difference_head(ninho_exchange *x, struct na_reader *fields)
{
    const struct ns_receiving *in = &x->receiving;
    struct ns_difference *d = &x->difference;
    bool is_fine = false;

    d->item_bytes = 0;
    (void)fields; /* none of these answers has any */
    switch (x->asked) {
    case NS_CELLS:
        is_fine = in->n_items == 0 &&
                  in->data_size == (uint64_t)(d->n_asked - d->n_cells) * NS_CELL_BYTES;
        break;
    case NS_FETCH:
    case NS_LIST:
        is_fine = in->data_size == 0 && in->n_items <= x->n_there &&
                  (x->asked == NS_FETCH || in->n_items == x->n_there);
        break;
    case NS_BLOOM:
        is_fine = in->n_items <= x->n_there;
        break;
    case NS_TELL:
        is_fine = in->n_items == 0 && in->data_size == 0;
        break;
    default:
        break;
    }
    return is_fine ? NINHO_OK : ns_refuse_answer(x);
}

ninho_status ns_difference_item(ninho_exchange *x, const uint8_t *item, size_t size)
{
    bool is_new = false;

    x->difference.item_bytes += size;
    if (x->difference.item_bytes > x->bytes_there)
        return ns_give_up(x, NINHO_ERR_FORMAT,
                          "the peer sends more bytes than its greeting says that it has");
    if (x->asked == NS_LIST)
        return list_item(x, item, size);
    if (x->asked == NS_FETCH)
        return fetched_item(x, item, size);
    if (ninho_set_find(x->set, item, size, NULL))
        return ns_give_up(x, NINHO_ERR_FORMAT,
                          "the peer sent an item as missing that our filter has");
    return ns_keep(x, item, size, &is_new);
}

ninho_status ns_difference_whole(ninho_exchange *x)
{
    switch (x->asked) {
    case NS_CELLS: {
        const ninho_status status = take_cells(x);
        return status ? status : decode(x);
    }
    case NS_FETCH:
        return fetched(x);
    case NS_BLOOM:
        return take_bloom(x);
    case NS_LIST:
        return conclude(x);
    default: /* NS_TELL: the peer has verified it, too */
        return ns_finish(x);
    }
}
