/* SPDX-License-Identifier: MIT */
/* See filters.h. */
#include "filters.h"

#include <math.h>

#include "sketch.h"

#define MIN_BITS_X256 128         /* half a bit a key */
#define MAX_BITS_X256 (64 * 256U) /* 64 bits */

bool ns_filter_is_fine(const struct ns_filter *filter)
{
    if (filter->kind == NINHO_FUSE)
        return filter->bits_x256 == 8 * 256 || filter->bits_x256 == 16 * 256;
    return filter->kind == NINHO_BLOOM && filter->bits_x256 >= MIN_BITS_X256 &&
           filter->bits_x256 <= MAX_BITS_X256;
}

static ninho_spec spec_for(const struct ns_filter *filter, size_t n)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = filter->kind;
    spec.key_encoding = NINHO_KEY_HASHES;
    spec.capacity = n ? n : 1;
    if (filter->kind == NINHO_FUSE)
        spec.tag_bits = filter->bits_x256 / 256;
    else
        spec.n_bits = (spec.capacity * filter->bits_x256 + 255) / 256;
    return spec;
}

ninho_status ns_filter_write(const struct ns_filter *filter, const uint64_t *hashes,
                             size_t n, const ninho_alloc *alloc, struct na_bytes *data,
                             ninho_error *error)
{
    const ninho_spec spec = spec_for(filter, n);
    ninho_filter *made = NULL;
    size_t size = 0;

    ninho_status status = ninho_filter_build(&spec, hashes, n, alloc, &made, error);
    if (status)
        return status;
    (void)ninho_filter_encode_bare(made, NULL, 0, &size);
    if (na_bytes_reserve(alloc, data, size)) {
        status = ninho_filter_encode_bare(made, data->data + data->size, size, &size);
        data->size += status ? 0 : size;
    } else {
        status = na_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    }
    ninho_filter_free(made);
    return status;
}

ninho_status ns_filter_read(ninho_view *view, ninho_kind kind,
                            const struct na_bytes *data, const ninho_filter **out,
                            ninho_error *error)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = kind;
    spec.key_encoding = NINHO_KEY_HASHES;
    return ninho_filter_view_bare(view, &spec, data->data, data->size, out, error);
}

/* ---- Sizes and rates --------------------------------------------------------------- */

double ns_bloom_fpr(double bits_per_key)
{
    double best = 1;

    for (int k = 1; k <= 64; k++) {
        const double fpr = pow(-expm1(-k / bits_per_key), k);
        if (fpr >= best)
            break;
        best = fpr;
    }
    return best;
}

uint32_t ns_bloom_bits_x256(double fpr)
{
    uint32_t low = MIN_BITS_X256;
    uint32_t high = MAX_BITS_X256;

    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (ns_bloom_fpr(middle / 256.0) > fpr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct ns_filter ns_filter_for_common(double n_small, double n_large,
                                      double candidate_bytes)
{
    struct ns_filter best = {.kind = NINHO_BLOOM};
    double least = INFINITY;

    for (uint32_t bits = 256; bits <= 40 * 256; bits += 64) {
        const double fpr = ns_bloom_fpr(bits / 256.0);
        const double bytes = n_small * bits / (8 * 256.0);
        if (bytes + n_large * fpr * candidate_bytes < least) {
            least = bytes + n_large * fpr * candidate_bytes;
            best = (struct ns_filter){NINHO_BLOOM, bits, fpr, bytes};
        }
    }
    for (uint32_t tag_bits = 8; tag_bits <= 16; tag_bits += 8) {
        struct ns_filter fuse = {NINHO_FUSE, tag_bits * 256, ldexp(1, -(int)tag_bits), 0};
        const ninho_spec spec = spec_for(&fuse, (size_t)n_small);
        ninho_plan plan = NINHO_PLAN_INIT;
        if (ninho_filter_plan(&spec, &plan, NULL))
            continue;
        fuse.bytes = (double)plan.table_bytes;
        if (fuse.bytes + n_large * fuse.fpr * candidate_bytes < least) {
            least = fuse.bytes + n_large * fuse.fpr * candidate_bytes;
            best = fuse;
        }
    }
    return best;
}

unsigned ns_width(double n, double m, double spare_bits)
{
    const double bits = log2(n + 1) + log2(m + 1) + spare_bits;
    const double bytes = ceil(bits / 8);

    return bytes >= 8 ? 8 : (unsigned)bytes;
}

/* ---- The cheapest way -------------------------------------------------------------- */

double ns_list_bytes(const struct ns_sizes *sizes)
{
    return sizes->bytes_there + 1.01 * sizes->n_there; /* lengths, frames */
}

static double sketch_bytes(double difference)
{
    return NS_CELL_BYTES * (double)ns_cells_needed(difference);
}

ninho_sets_method ns_plan_difference(const struct ns_sizes *sizes, uint32_t *bits_x256)
{
    const double n_there = fmax(sizes->n_there, 1);
    const double item = sizes->bytes_there / n_there + 1.01;
    const double d = fmax(sizes->difference, fabs(sizes->n_here - sizes->n_there));
    const double d_there =
        fmin(fmax((d + sizes->n_there - sizes->n_here) / 2, 0), sizes->n_there);
    const double name = ns_width(n_there, d_there, -3); /* see start_fetching() */
    const double list = ns_list_bytes(sizes);
    /* One standard deviation more than the estimate is asked for. */
    const double sketch = sketch_bytes(d * 1.125) + d_there * (item + name);
    double bloom = INFINITY;

    for (uint32_t bits = 256; bits <= 24 * 256; bits += 128) {
        const double fpr = ns_bloom_fpr(bits / 256.0);
        const double filters = (sizes->n_here + n_there - d_there) * bits / (8 * 256.0);
        const double total = filters + d_there * item + sketch_bytes(fpr * d * 1.2) +
                             fpr * d_there * name + 64;
        if (total < bloom) {
            bloom = total;
            *bits_x256 = bits;
        }
    }
    if (list <= sketch && list <= bloom)
        return NINHO_SETS_LIST;
    return sketch <= bloom ? NINHO_SETS_SKETCH : NINHO_SETS_BLOOM;
}
