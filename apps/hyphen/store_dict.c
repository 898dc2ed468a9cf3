/* SPDX-License-Identifier: MIT */
/* Exceptions in memory, in one of the library's own dictionaries. */
#include "store.h"

struct dict_store {
    struct hy_store store;
    ninho_alloc alloc;
    ninho_dict *dict;
};

static const struct dict_store *of(const struct hy_store *store)
{
    return (const struct dict_store *)(const void *)store;
}

static void dict_free(struct hy_store *store)
{
    struct dict_store *self = (struct dict_store *)(void *)store;
    const ninho_alloc alloc = self->alloc;
    ninho_dict_free(self->dict);
    na_free(&alloc, self, 1, sizeof *self);
}

static ninho_status dict_get(const struct hy_store *store, struct hy_reader *reader,
                             const void *key, size_t size, uint64_t *breaks,
                             ninho_error *error)
{
    (void)reader;
    (void)error;
    return ninho_dict_get(of(store)->dict, key, size, breaks) ? NINHO_OK
                                                              : NINHO_ERR_NOT_FOUND;
}

/* Room first: nothing fails then, unless it is a cuckoo table that must be built anew. */
static ninho_status dict_put(struct hy_store *store, const uint8_t *keys,
                             const uint8_t *sizes, const uint64_t *breaks, size_t n,
                             ninho_error *error)
{
    ninho_dict *dict = of(store)->dict;

    ninho_status status = ninho_dict_reserve(dict, ninho_dict_count(dict) + n);
    for (size_t i = 0; i < n && !status; i++) {
        status = ninho_dict_put(dict, keys, sizes[i], breaks[i], NULL);
        keys += sizes[i];
    }
    if (status)
        return na_fail(error, status, "exceptions: %s", ninho_status_text(status));
    return NINHO_OK;
}

static ninho_status dict_remove(struct hy_store *store, const void *key, size_t size,
                                ninho_error *error)
{
    (void)error;
    return ninho_dict_remove(of(store)->dict, key, size);
}

static ninho_status dict_each(const struct hy_store *store, hy_visitor visitor,
                              void *context, ninho_error *error)
{
    ninho_status status = NINHO_OK;
    uint64_t cursor = 0;
    const void *key;
    size_t size;

    (void)error;
    while (!status && ninho_dict_next(of(store)->dict, &cursor, &key, &size, NULL))
        status = visitor(context, key, size);
    return status;
}

static bool dict_is_new(const struct hy_store *store)
{
    return ninho_dict_count(of(store)->dict) == 0;
}

static uint64_t dict_count(const struct hy_store *store)
{
    return ninho_dict_count(of(store)->dict);
}

static uint64_t dict_bytes(const struct hy_store *store)
{
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    return ninho_dict_info_of(of(store)->dict, &info) ? 0 : info.memory_bytes;
}

static const struct hy_store_ops dict_ops = {.free = dict_free,
                                             .get = dict_get,
                                             .put = dict_put,
                                             .remove = dict_remove,
                                             .each = dict_each,
                                             .is_new = dict_is_new,
                                             .count = dict_count,
                                             .bytes = dict_bytes};

ninho_status hy_store_dict(const ninho_hyphen_store_options *options,
                           const ninho_alloc *alloc, struct hy_store **out,
                           ninho_error *error)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    struct dict_store *self = na_alloc(alloc, 1, sizeof *self);

    if (!self)
        return na_no_memory(error);
    *self = (struct dict_store){.store = {.ops = &dict_ops}, .alloc = *alloc};
    spec.kind = options->dict;
    const ninho_status status = ninho_dict_create(&spec, alloc, &self->dict, error);
    if (status) {
        na_free(alloc, self, 1, sizeof *self);
        return status;
    }
    *out = &self->store;
    return NINHO_OK;
}
