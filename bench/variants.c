/* SPDX-License-Identifier: MIT */
/* The library's own filters as variants, and the list of all variants. */
#include <stdlib.h>
#include <string.h>

#include <ninho/inline.h>

#include "bench.h"

/* Keys are hashed and handed over in blocks: large enough for the batch calls to overlap their
 * cache misses, small enough for the hashes to stay in the first-level cache. */
enum { BLOCK = 1024 };

static void check(ninho_status status, const struct variant *variant, const char *doing)
{
    if (status)
        die("%s: %s: %s", variant->name, doing, ninho_status_text(status));
}

static void ninho_create(struct variant *variant, const struct workload *workload)
{
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (workload->pages == NINHO_PAGES_SMALL)
        variant->spec.pages = NINHO_PAGES_SMALL;
    if (ninho_filter_create(&variant->spec, NULL, &filter, &error))
        die("%s: %s", variant->name, error.text);
    variant->state = filter;
}

static void ninho_clear(struct variant *variant)
{
    check(ninho_filter_clear(variant->state), variant, "clear");
}

static void ninho_add_one(struct variant *variant, const struct key_array *keys)
{
    ninho_filter *filter = variant->state;
    ninho_status status = NINHO_OK;

    for (size_t i = 0; i < keys->n; i++)
        status |= ninho_filter_add_key(filter, keys->bytes + i * KEY_BYTES, KEY_BYTES);
    check(status, variant, "add_key");
}

static size_t ninho_has_one(struct variant *variant, const struct key_array *keys)
{
    const ninho_filter *filter = variant->state;
    size_t n_maybe = 0;

    for (size_t i = 0; i < keys->n; i++)
        n_maybe += ninho_filter_has_key(filter, keys->bytes + i * KEY_BYTES, KEY_BYTES);
    return n_maybe;
}

/* Hashes the block of keys that begins at the `first`-th; returns how many there were. */
static size_t hash_block(const ninho_hasher *hasher, const struct key_array *keys,
                         size_t first, uint64_t hashes[BLOCK])
{
    const size_t n = keys->n - first < BLOCK ? keys->n - first : BLOCK;

    ninho_hash_array(hasher, keys->bytes + first * KEY_BYTES, KEY_BYTES, n, hashes);
    return n;
}

static void ninho_add_many(struct variant *variant, const struct key_array *keys)
{
    uint64_t hashes[BLOCK];
    ninho_hasher hasher;

    check(ninho_filter_hasher(variant->state, &hasher), variant, "hasher");
    for (size_t first = 0; first < keys->n; first += BLOCK) {
        const size_t n = hash_block(&hasher, keys, first, hashes);
        check(ninho_filter_add_many(variant->state, hashes, n, NULL), variant,
              "add_many");
    }
}

static size_t ninho_has_many(struct variant *variant, const struct key_array *keys)
{
    uint64_t hashes[BLOCK];
    uint64_t maybe[BLOCK / 64];
    ninho_hasher hasher;
    size_t n_maybe = 0;

    check(ninho_filter_hasher(variant->state, &hasher), variant, "hasher");
    for (size_t first = 0; first < keys->n; first += BLOCK) {
        const size_t n = hash_block(&hasher, keys, first, hashes);
        n_maybe += ninho_filter_has_many(variant->state, hashes, n, maybe);
    }
    return n_maybe;
}

static void ninho_describe(struct variant *variant)
{
    ninho_info info = NINHO_INFO_INIT;

    check(ninho_filter_info(variant->state, &info), variant, "info");
    variant->bits_per_key = 8 * (double)info.size_bytes / (double)info.count;
    variant->fpr_promised = info.fpr_target;
    variant->fpr_expected = info.fpr_expected;
    variant->pages = info.has_huge_pages ? "huge" : "small";
}

static void ninho_destroy(struct variant *variant)
{
    ninho_filter_free(variant->state);
}

static const struct variant_ops ninho_ops = {
    .create = ninho_create,
    .clear = ninho_clear,
    .add_one = ninho_add_one,
    .add_many = ninho_add_many,
    .has_one = ninho_has_one,
    .has_many = ninho_has_many,
    .describe = ninho_describe,
    .destroy = ninho_destroy,
};

void make_own_variant(struct variant *variant, const char *name, const ninho_spec *spec)
{
    *variant = (struct variant){.ops = &ninho_ops, .spec = *spec};
    snprintf(variant->name, sizeof variant->name, "%s", name);
}

/* ---- Handles, asked one by one --------------------------------------------------------------- */

#define HANDLE(kind)                                                                     \
    static size_t has_one_##kind(struct variant *variant, const struct key_array *keys)  \
    {                                                                                    \
        ninho_##kind##_handle handle;                                                    \
        size_t n_maybe = 0;                                                              \
                                                                                         \
        check(ninho_##kind##_handle_of(variant->state, &handle, NULL), variant,          \
              "handle_of");                                                              \
        for (size_t i = 0; i < keys->n; i++)                                             \
            n_maybe +=                                                                   \
                ninho_##kind##_has_key(&handle, keys->bytes + i * KEY_BYTES, KEY_BYTES); \
        return n_maybe;                                                                  \
    }                                                                                    \
    static const struct variant_ops kind##_handle_ops = {                                \
        .create = ninho_create,                                                          \
        .clear = ninho_clear,                                                            \
        .add_many = ninho_add_many,                                                      \
        .has_one = has_one_##kind,                                                       \
        .describe = ninho_describe,                                                      \
        .destroy = ninho_destroy,                                                        \
    };

HANDLE(bloom)
HANDLE(blocked)
HANDLE(cuckoo)
HANDLE(near)

/* ---- Kinds that are only built from all their keys -------------------------------------------- */

static void built_create(struct variant *variant, const struct workload *workload)
{
    variant->spec.pages = workload->pages;
}

static void built_clear(struct variant *variant)
{
    ninho_filter_free(variant->state);
    variant->state = NULL;
}

/* The array of all hashes is what such a kind costs its user too: it is inside the time. */
static void build(struct variant *variant, const struct key_array *keys)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    uint64_t *hashes = allocate(keys->n, sizeof *hashes);
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    ninho_hash_array(&hasher, keys->bytes, KEY_BYTES, keys->n, hashes);
    if (ninho_filter_build(&variant->spec, hashes, keys->n, NULL, &filter, &error))
        die("%s: %s", variant->name, error.text);
    variant->state = filter;
    free(hashes);
}

static const struct variant_ops built_ops = {
    .create = built_create,
    .clear = built_clear,
    .add_many = build,
    .has_one = ninho_has_one,
    .has_many = ninho_has_many,
    .describe = ninho_describe,
    .destroy = ninho_destroy,
};

/* ---- The list ------------------------------------------------------------------------------ */

struct variant_list {
    struct variant *variants;
    size_t n;
};

static struct variant *append(struct variant_list *list, const struct variant_ops *ops,
                              const char *name)
{
    if (list->n == MAX_VARIANTS)
        die("more than %d variants", MAX_VARIANTS);
    struct variant *variant = &list->variants[list->n++];
    *variant = (struct variant){.ops = ops, .spec = NINHO_SPEC_INIT};
    snprintf(variant->name, sizeof variant->name, "%s", name);
    return variant;
}

static struct variant *append_kind(struct variant_list *list, ninho_kind kind,
                                   const struct workload *workload, const char *name)
{
    const bool can_add = (ninho_kind_can(kind) & NINHO_CAN_ADD) != 0;
    struct variant *variant = append(list, can_add ? &ninho_ops : &built_ops, name);

    variant->spec.kind = kind;
    variant->spec.capacity = workload->members.n;
    variant->spec.fpr = workload->fpr;
    return variant;
}

/* One variant per base. It begins with room for a fifteenth of the keys and doubles: 1 + 2 + 4 + 8,
 * so growth is measured too, and the last sub-filter ends just full. */
static void append_scalable(struct variant_list *list, const struct workload *workload)
{
    for (size_t i = 0; ninho_kind_at(i); i++) {
        const ninho_kind base = ninho_kind_at(i);
        ninho_plan plan = NINHO_PLAN_INIT;
        char name[40];

        snprintf(name, sizeof name, "scalable/%s", ninho_kind_name(base));
        struct variant *variant = append_kind(list, NINHO_SCALABLE, workload, name);
        variant->spec.base = base;
        variant->spec.growth = 2;
        variant->spec.capacity = (workload->members.n + 14) / 15;
        if (ninho_filter_plan(&variant->spec, &plan, NULL))
            list->n--; /* not a kind that scalable can stand on */
    }
}

/* The same table, asked through a handle; and the tables that a cuckoo filter's `prefer` gives. */
static void append_more(struct variant_list *list, ninho_kind kind,
                        const struct workload *workload)
{
    if (kind == NINHO_BLOOM)
        append_kind(list, kind, workload, "bloom/handle")->ops = &bloom_handle_ops;
    if (kind == NINHO_BLOCKED)
        append_kind(list, kind, workload, "blocked/handle")->ops = &blocked_handle_ops;
    if (kind != NINHO_CUCKOO)
        return;
    append_kind(list, kind, workload, "cuckoo/handle")->ops = &cuckoo_handle_ops;
    append_kind(list, kind, workload, "cuckoo/space")->spec.prefer = NINHO_PREFER_SPACE;
    struct variant *fast = append_kind(list, kind, workload, "cuckoo/speed");
    fast->spec.prefer = NINHO_PREFER_SPEED;
    ninho_plan plan = NINHO_PLAN_INIT;
    if (ninho_filter_plan(&fast->spec, &plan, NULL) || plan.slots != NINHO_BUCKETS)
        return;
    fast = append_kind(list, kind, workload, "cuckoo/speed, handle");
    fast->spec.prefer = NINHO_PREFER_SPEED;
    fast->ops = &near_handle_ops;
}

size_t list_variants(struct variant *variants, const struct workload *workload)
{
    struct variant_list list = {variants, 0};

    for (size_t i = 0; ninho_kind_at(i); i++) {
        const ninho_kind kind = ninho_kind_at(i);
        if (kind == NINHO_SCALABLE)
            append_scalable(&list, workload);
        else
            append_kind(&list, kind, workload, ninho_kind_name(kind));
        append_more(&list, kind, workload);
        if (kind == NINHO_BLOOM) {
            struct variant *twin = append_kind(&list, kind, workload, BLOOM_TWIN);
            twin->spec.fpr = 0; /* follows from the table */
            twin->spec.n_bits = libbloom_bits(workload->members.n, workload->fpr);
            twin->spec.n_hashes = libbloom_hashes(workload->fpr);
        }
    }
    if (libbloom_is_there)
        append(&list, &libbloom_ops, LIBBLOOM);
    return list.n;
}
