/* SPDX-License-Identifier: MIT */
/* A store of exceptions with a filter in front of it. The order of things keeps the promise that
 * there are no false negatives: a word goes into the filter before it goes into the store, and
 * leaves the store before it leaves the filter. */
#include "exceptions.h"

#include <assert.h>
#include <string.h>

#include "apps/base/utf8.h"
#include "rules.h"
#include "store.h"
#include "unicode.h"
#include "word.h"

#define LEAST_CAPACITY 1024

struct ninho_hyphen_exceptions {
    ninho_alloc alloc;
    ninho_hyphen_store kind;
    struct hy_store *store;
    /* the filter; NULL: none */
    ninho_filter *filter;
    ninho_hasher hasher;
    ninho_spec spec; /* as asked for */
    uint8_t secret[NINHO_SECRET_BYTES];
    uint32_t can; /* of this filter: a kind may be able to only with some options */
    uint64_t capacity;
    uint64_t n_stale;
};

/* ---- Keys -------------------------------------------------------------------------- */

struct entry {
    uint8_t key[HY_MAX_KEY];
    uint8_t size;
    uint64_t breaks;
};

static void make_entry(const uint32_t *points, const uint8_t *levels, unsigned n,
                       struct entry *entry)
{
    size_t size = 0;

    entry->breaks = 0;
    for (unsigned i = 0; i < n; i++) {
        if (levels[i] == NINHO_HYPHEN_EXCEPTION)
            entry->breaks |= UINT64_C(1) << i;
        size += na_utf8_write(points[i], entry->key + size);
    }
    entry->size = (uint8_t)size; /* at most 4 x 63 */
}

/* "ta-ble" as an entry. NINHO_ERR_ARG. */
static ninho_status read_entry(const char *word, size_t size, struct entry *entry,
                               ninho_error *error)
{
    struct hy_parsed parsed;
    const char *wrong = hy_parse_exception((const uint8_t *)word, size, &parsed);

    if (wrong)
        return na_fail(error, NINHO_ERR_ARG, "%s", wrong);
    make_entry(parsed.points, parsed.levels, parsed.n, entry);
    return NINHO_OK;
}

/* ---- The filter -------------------------------------------------------------------- */

struct hashes {
    const ninho_alloc *alloc;
    ninho_hasher hasher;
    struct na_array array; /* uint64_t */
};

static ninho_status add_hash(void *context, const void *key, size_t size)
{
    struct hashes *hashes = context;

    if (na_array_reserve(hashes->alloc, &hashes->array, sizeof(uint64_t), 1))
        return NINHO_ERR_NOMEM;
    ((uint64_t *)hashes->array.items)[hashes->array.n++] =
        ninho_hash_bytes(&hashes->hasher, key, size);
    return NINHO_OK;
}

/* What turns keys into hashes is known from the spec, before there is a filter. */
static ninho_hasher hasher_of(const ninho_spec *spec)
{
    ninho_hasher hasher = {.id = spec->hash ? spec->hash : NINHO_HASH_XXH3,
                           .seed = spec->seed};
    if (spec->secret)
        memcpy(hasher.secret, spec->secret, sizeof hasher.secret);
    return hasher;
}

/* A new filter over all that is in the store and, unless NULL, one entry more; room for
 * `capacity` at least. On failure the old one stays. */
static ninho_status build_filter(ninho_hyphen_exceptions *exceptions,
                                 const struct entry *more, uint64_t capacity,
                                 ninho_error *error)
{
    struct hashes hashes = {.alloc = &exceptions->alloc,
                            .hasher = hasher_of(&exceptions->spec)};
    ninho_info info = NINHO_INFO_INIT;
    ninho_spec spec = exceptions->spec;
    ninho_filter *filter = NULL;

    ninho_status status =
        exceptions->store->ops->each(exceptions->store, add_hash, &hashes, error);
    if (!status && more)
        status = add_hash(&hashes, more->key, more->size);
    if (status == NINHO_ERR_NOMEM)
        (void)ninho_error_set(error, status, "not enough memory");
    if (status)
        goto done;
    spec.capacity = capacity > hashes.array.n ? capacity : hashes.array.n;
    status = ninho_filter_build(&spec, hashes.array.items, hashes.array.n,
                                &exceptions->alloc, &filter, error);
    if (!status)
        status = ninho_filter_hasher(filter, &hashes.hasher);
    if (!status)
        status = ninho_filter_info(filter, &info);
    if (status) {
        ninho_filter_free(filter);
        goto done;
    }
    ninho_filter_free(exceptions->filter);
    exceptions->filter = filter;
    exceptions->hasher = hashes.hasher;
    exceptions->can = info.can;
    exceptions->capacity = spec.capacity;
    exceptions->n_stale = 0;
done:
    na_array_free(&exceptions->alloc, &hashes.array, sizeof(uint64_t));
    return status;
}

/* The filter learns a word that is not in the store. Words that were removed from the store fill
 * one that cannot forget as much as those that are there. */
static ninho_status teach(ninho_hyphen_exceptions *exceptions, const struct entry *entry,
                          ninho_error *error)
{
    const uint64_t capacity = exceptions->capacity;
    const uint64_t n = exceptions->store->ops->count(exceptions->store) + 1;

    if (!exceptions->filter)
        return NINHO_OK;
    if (!(exceptions->can & NINHO_CAN_ADD))
        return build_filter(exceptions, entry, capacity, error);
    const uint64_t hash = ninho_hash_bytes(&exceptions->hasher, entry->key, entry->size);
    const uint64_t n_stale = exceptions->n_stale;
    if (n_stale && !(exceptions->can & NINHO_CAN_REMOVE) &&
        ninho_filter_has(exceptions->filter, hash)) {
        /* Most likely one that was removed, else a false positive: it is in either way. */
        exceptions->n_stale--;
        return NINHO_OK;
    }
    /* Kinds that take more than they promised for would say maybe ever more often, and those that
     * grow would do so for ever. */
    const bool has_room = exceptions->can & NINHO_CAN_GROW
                              ? n_stale <= (n > capacity ? n : capacity)
                              : n + n_stale <= capacity;
    bool is_full = false;
    if (has_room) {
        const ninho_status status = ninho_filter_add(exceptions->filter, hash);
        if (status != NINHO_ERR_FULL) {
            if (status)
                (void)ninho_error_set(error, status, "filter: %s",
                                      ninho_status_text(status));
            return status;
        }
        is_full = true;
    }
    /* As large as before if the words themselves leave half of it free. */
    const bool is_larger = is_full || n > capacity / 2;
    return build_filter(exceptions, entry,
                        is_larger ? 2 * (n > capacity ? n : capacity) : capacity, error);
}

/* The filter forgets a word that is no longer in the store; tells in *error whether. */
static void forget(ninho_hyphen_exceptions *exceptions, const struct entry *entry,
                   ninho_error *error)
{
    ninho_status status = NINHO_OK;
    ninho_info info = NINHO_INFO_INIT;

    (void)ninho_error_set(error, NINHO_OK, "%s", "");
    if (!exceptions->filter)
        return;
    if (exceptions->can & NINHO_CAN_REMOVE)
        status = ninho_filter_remove(
            exceptions->filter,
            ninho_hash_bytes(&exceptions->hasher, entry->key, entry->size));
    else
        status = NINHO_ERR_UNSUPPORTED;
    if (!status)
        return;
    exceptions->n_stale++;
    const char *name = "this";
    if (ninho_filter_info(exceptions->filter, &info) == NINHO_OK)
        name = ninho_kind_name(info.kind);
    (void)ninho_error_set(
        error, status,
        "gone from the store; a %s filter cannot forget, so it goes on saying maybe for "
        "the word, which costs a lookup and changes no answer",
        name);
}

/* ---- Life -------------------------------------------------------------------------- */

const char *ninho_hyphen_store_name(ninho_hyphen_store store)
{
    switch (store) {
    case NINHO_HYPHEN_DICT:
        return "dict";
    case NINHO_HYPHEN_LMDB:
        return "lmdb";
    case NINHO_HYPHEN_FILE:
        return "file";
    }
    return NULL;
}

bool ninho_hyphen_has_store(ninho_hyphen_store store)
{
    return store == NINHO_HYPHEN_DICT || store == NINHO_HYPHEN_FILE ||
           (store == NINHO_HYPHEN_LMDB && NINHO_HYPHEN_WITH_LMDB);
}

/* It is part of messages. */
static bool is_language(const void *name, size_t size)
{
    const uint8_t *bytes = name;

    for (size_t i = 0; i < size; i++)
        if (bytes[i] <= ' ' || bytes[i] > '~')
            return false;
    return size > 0 && size <= NINHO_HYPHEN_MAX_NAME;
}

ninho_status hy_store_language(const ninho_hyphen_store_options *options,
                               char language[NINHO_HYPHEN_MAX_NAME + 1],
                               ninho_error *error)
{
    const char *name = options->language ? options->language : "";
    const size_t size = strlen(name);

    if (size && !is_language(name, size))
        return na_fail(error, NINHO_ERR_ARG,
                       "exceptions: a language's name is 1 to %d printable ASCII bytes",
                       NINHO_HYPHEN_MAX_NAME);
    memcpy(language, name, size + 1);
    return NINHO_OK;
}

ninho_status hy_check_language(const void *stored, size_t size, const char *wanted,
                               ninho_error *error)
{
    if (!is_language(stored, size))
        return na_fail(error, NINHO_ERR_FORMAT,
                       "exceptions: the file's language is not the name of one");
    if (!*wanted || (size == strlen(wanted) && memcmp(stored, wanted, size) == 0))
        return NINHO_OK;
    return na_fail(
        error, NINHO_ERR_FORMAT,
        "exceptions: the file has those of %.*s, not of %s; each language needs "
        "a file of its own",
        (int)size, (const char *)stored, wanted);
}

static ninho_status open_store(ninho_hyphen_exceptions *exceptions,
                               const ninho_hyphen_store_options *options,
                               ninho_error *error)
{
    exceptions->kind = options->store ? options->store : NINHO_HYPHEN_DICT;
    switch (exceptions->kind) {
    case NINHO_HYPHEN_DICT:
        return hy_store_dict(options, &exceptions->alloc, &exceptions->store, error);
    case NINHO_HYPHEN_LMDB:
        return hy_store_lmdb(options, &exceptions->alloc, &exceptions->store, error);
    case NINHO_HYPHEN_FILE:
        return hy_store_file(options, &exceptions->alloc, &exceptions->store, error);
    }
    return na_fail(error, NINHO_ERR_ARG, "store %d: unknown", (int)options->store);
}

/* Entries on their way into a store: n of them, the keys one after another. */
struct load {
    uint64_t *breaks;
    uint8_t *keys;
    uint8_t *sizes;
    size_t n;
    size_t used; /* of keys */
};

static size_t count_of(const ninho_hyphen_rules *rules)
{
    return rules ? rules->exceptions.items.n : 0;
}

/* The bytes of their keys. */
static size_t key_bytes_of(const ninho_hyphen_rules *rules)
{
    const size_t n = count_of(rules);
    size_t bytes = 0;

    for (size_t i = 0; i < n; i++) {
        const struct hy_item *item = hy_item_at(&rules->exceptions, i);
        const uint32_t *points = hy_item_points(&rules->exceptions, item);
        uint8_t letter[4];
        for (unsigned k = 0; k < item->n; k++)
            bytes += na_utf8_write(points[k], letter);
    }
    return bytes;
}

static void load_rules(struct load *load, const ninho_hyphen_rules *rules)
{
    const size_t n = count_of(rules);

    for (size_t i = 0; i < n; i++) {
        const struct hy_item *item = hy_item_at(&rules->exceptions, i);
        struct entry entry;
        make_entry(hy_item_points(&rules->exceptions, item),
                   hy_item_levels(&rules->exceptions, item), item->n, &entry);
        memcpy(load->keys + load->used, entry.key, entry.size);
        load->used += entry.size;
        load->sizes[load->n] = entry.size;
        load->breaks[load->n++] = entry.breaks;
    }
}

static ninho_status fill_store(ninho_hyphen_exceptions *exceptions,
                               const ninho_hyphen_rules *defaults,
                               const ninho_hyphen_rules *rules, ninho_error *error)
{
    struct hy_store *store = exceptions->store;
    const ninho_alloc *alloc = &exceptions->alloc;

    if (!store->ops->is_new(store))
        defaults = NULL;
    const size_t n = count_of(defaults) + count_of(rules);
    if (n == 0)
        return store->ops->put(store, NULL, NULL, NULL, 0, error);
    /* one block: breaks, keys, sizes; no more of it than the rules have in memory */
    const size_t key_bytes = key_bytes_of(defaults) + key_bytes_of(rules);
    const size_t room = n * (sizeof(uint64_t) + 1) + key_bytes;
    uint64_t *breaks = na_alloc(alloc, room, 1);
    if (!breaks)
        return na_no_memory(error);
    struct load load = {.breaks = breaks, .keys = (uint8_t *)(breaks + n)};
    load.sizes = load.keys + key_bytes;
    load_rules(&load, defaults);
    load_rules(&load, rules);
    const ninho_status status =
        store->ops->put(store, load.keys, load.sizes, load.breaks, n, error);
    na_free(alloc, breaks, room, 1);
    return status;
}

/* Takes what was asked for of the filter; what cannot be is refused before a file is touched. */
static ninho_status take_spec(ninho_hyphen_exceptions *exceptions, const ninho_spec *spec,
                              ninho_error *error)
{
    ninho_spec *mine = &exceptions->spec;
    ninho_plan plan = NINHO_PLAN_INIT;

    if (spec->kind == 0)
        return NINHO_OK;
    *mine = *spec;
    mine->size_of_struct = sizeof *mine;
    if (mine->key_encoding != 0 && mine->key_encoding != NINHO_KEY_BYTES)
        return na_fail(error, NINHO_ERR_ARG, "filter: its keys are bytes");
    if (mine->secret) {
        memcpy(exceptions->secret, mine->secret, sizeof exceptions->secret);
        mine->secret = exceptions->secret;
    }
    if (!(mine->fpr > 0 || mine->fpr < 0) && mine->n_bits == 0 && mine->tag_bits == 0)
        mine->fpr = 0.01;
    ninho_spec planned = *mine;
    if (!planned.capacity)
        planned.capacity = LEAST_CAPACITY;
    return ninho_filter_plan(&planned, &plan, error);
}

static ninho_status make_filter(ninho_hyphen_exceptions *exceptions, ninho_error *error)
{
    const uint64_t capacity = exceptions->spec.capacity;

    if (exceptions->spec.kind == 0)
        return NINHO_OK;
    return build_filter(exceptions, NULL, capacity ? capacity : LEAST_CAPACITY, error);
}

ninho_status ninho_hyphen_exceptions_create(const ninho_hyphen_store_options *options,
                                            const ninho_hyphen_rules *rules,
                                            const ninho_alloc *alloc,
                                            ninho_hyphen_exceptions **out,
                                            ninho_error *error)
{
    const ninho_alloc own = na_allocator(alloc);
    ninho_hyphen_store_options mine = NINHO_HYPHEN_STORE_OPTIONS_INIT;

    if (!na_struct_in(&mine, sizeof mine, options))
        return na_fail(error, NINHO_ERR_ARG,
                       "options of a newer version, or not initialised");
    ninho_hyphen_exceptions *exceptions = na_alloc(&own, 1, sizeof *exceptions);
    if (!exceptions)
        return na_no_memory(error);
    *exceptions = (ninho_hyphen_exceptions){.alloc = own};
    ninho_status status = take_spec(exceptions, &mine.filter, error);
    if (!status)
        status = open_store(exceptions, &mine, error);
    if (!status)
        status = fill_store(exceptions, mine.defaults, rules, error);
    if (!status)
        status = make_filter(exceptions, error);
    if (status) {
        ninho_hyphen_exceptions_free(exceptions);
        return status;
    }
    *out = exceptions;
    return NINHO_OK;
}

void ninho_hyphen_exceptions_free(ninho_hyphen_exceptions *exceptions)
{
    if (!exceptions)
        return;
    const ninho_alloc alloc = exceptions->alloc;
    ninho_filter_free(exceptions->filter);
    if (exceptions->store)
        exceptions->store->ops->free(exceptions->store);
    na_free(&alloc, exceptions, 1, sizeof *exceptions);
}

/* ---- Changes ----------------------------------------------------------------------- */

ninho_status ninho_hyphen_exceptions_add(ninho_hyphen_exceptions *exceptions,
                                         const char *word, size_t size,
                                         ninho_error *error)
{
    const struct hy_store_ops *ops = exceptions->store->ops;
    struct entry entry;
    uint64_t old;

    ninho_status status = read_entry(word, size, &entry, error);
    if (status)
        return status;
    status = ops->get(exceptions->store, NULL, entry.key, entry.size, &old, error);
    if (status && status != NINHO_ERR_NOT_FOUND)
        return status;
    const bool is_new = status == NINHO_ERR_NOT_FOUND;
    if (is_new) {
        status = teach(exceptions, &entry, error);
        if (status)
            return status;
    }
    status = ops->put(exceptions->store, entry.key, &entry.size, &entry.breaks, 1, error);
    if (status && is_new)
        forget(exceptions, &entry, NULL);
    return status;
}

ninho_status ninho_hyphen_exceptions_remove(ninho_hyphen_exceptions *exceptions,
                                            const char *word, size_t size,
                                            ninho_error *filter, ninho_error *error)
{
    struct entry entry;

    ninho_status status = read_entry(word, size, &entry, error);
    if (status)
        return status;
    status =
        exceptions->store->ops->remove(exceptions->store, entry.key, entry.size, error);
    if (status == NINHO_ERR_NOT_FOUND)
        return na_fail(error, status, "there is no such exception");
    if (status)
        return status;
    forget(exceptions, &entry, filter);
    return NINHO_OK;
}

ninho_status ninho_hyphen_exceptions_rebuild(ninho_hyphen_exceptions *exceptions,
                                             ninho_error *error)
{
    struct hy_store *store = exceptions->store;
    const ninho_status status =
        store->ops->refresh ? store->ops->refresh(store, error) : NINHO_OK;

    if (status || !exceptions->filter)
        return status;
    return build_filter(exceptions, NULL, exceptions->capacity, error);
}

/* ---- Questions --------------------------------------------------------------------- */

bool ninho_hyphen_exceptions_get(const ninho_hyphen_exceptions *exceptions,
                                 const char *word, size_t size, char *out,
                                 size_t capacity)
{
    uint8_t text[NINHO_HYPHEN_MAX_EXCEPTION];
    struct entry entry;
    uint64_t breaks;
    size_t n = 0;

    if (read_entry(word, size, &entry, NULL) ||
        exceptions->store->ops->get(exceptions->store, NULL, entry.key, entry.size,
                                    &breaks, NULL))
        return false;
    unsigned letter = 0;
    for (size_t at = 0; at < entry.size; letter++) {
        uint32_t point;
        if (breaks >> letter & 1)
            text[n++] = '-';
        const unsigned used = na_utf8_read(entry.key + at, entry.size - at, &point);
        assert(used > 0);
        memcpy(text + n, entry.key + at, used);
        n += used;
        at += used;
    }
    if (capacity) {
        n = n < capacity ? n : capacity - 1;
        memcpy(out, text, n);
        out[n] = '\0';
    }
    return true;
}

ninho_status ninho_hyphen_store_info_of(const ninho_hyphen_exceptions *exceptions,
                                        ninho_hyphen_store_info *info)
{
    ninho_hyphen_store_info mine = NINHO_HYPHEN_STORE_INFO_INIT;
    ninho_info about = NINHO_INFO_INIT;

    mine.store = exceptions->kind;
    mine.count = exceptions->store->ops->count(exceptions->store);
    mine.store_bytes = exceptions->store->ops->bytes(exceptions->store);
    if (exceptions->filter && ninho_filter_info(exceptions->filter, &about) == NINHO_OK) {
        mine.filter = about.kind;
        mine.filter_can = about.can;
        mine.filter_bytes = about.table_bytes;
        mine.filter_capacity = about.capacity;
        mine.fpr_target = about.fpr_target;
        mine.fpr_expected = about.fpr_expected;
        mine.n_stale = exceptions->n_stale;
    }
    return na_struct_out(info, &mine, sizeof mine);
}

/* ---- Hyphenators' side ------------------------------------------------------------- */

ninho_status hy_reader_open(const ninho_hyphen_exceptions *exceptions,
                            const ninho_alloc *alloc, struct hy_reader **out,
                            ninho_error *error)
{
    const struct hy_store *store = exceptions->store;

    *out = NULL;
    return store->ops->open_reader ? store->ops->open_reader(store, alloc, out, error)
                                   : NINHO_OK;
}

void hy_reader_close(const ninho_hyphen_exceptions *exceptions, const ninho_alloc *alloc,
                     struct hy_reader *reader)
{
    if (reader)
        exceptions->store->ops->close_reader(alloc, reader);
}

bool hy_exceptions_ask(ninho_hyphenator *hyphenator, const void *key, size_t size,
                       uint64_t *breaks)
{
    const ninho_hyphen_exceptions *exceptions = hyphenator->exceptions;
    ninho_hyphen_counters *counters = &hyphenator->counters;
    ninho_error error = NINHO_ERROR_INIT;

    counters->asked++;
    if (exceptions->filter &&
        !ninho_filter_has(exceptions->filter,
                          ninho_hash_bytes(&exceptions->hasher, key, size))) {
        counters->saved++;
        return false;
    }
    counters->lookups++;
    const ninho_status status = exceptions->store->ops->get(
        exceptions->store, hyphenator->reader, key, size, breaks, &error);
    if (status == NINHO_OK) {
        counters->found++;
        return true;
    }
    if (status == NINHO_ERR_NOT_FOUND)
        counters->false_positives += exceptions->filter != NULL;
    else if (!hyphenator->failure.status)
        hyphenator->failure = error;
    return false;
}
