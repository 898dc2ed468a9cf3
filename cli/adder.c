/* SPDX-License-Identifier: MIT */
#include "adder.h"

#include <inttypes.h>

#include "key_stream.h"
#include "memory.h"

static int cannot_add(const struct adder *adder, ninho_status status)
{
    if (status == NINHO_ERR_NOMEM)
        return fail_no_memory();
    if (status == NINHO_ERR_ARG)
        return fail_as("arg", "%s: wrong key size", adder->path);
    return fail_as(status_name(status), "%s: %s", adder->path, ninho_status_text(status));
}

/* To look for room where there is none takes a while, each time. So there is an end to it. */
#define MAX_REFUSED 10000

/* Whether a filter that had no room for this key is as good as full: it has nearly as many keys as
 * it was made for, and what was in the way were not copies of the key itself. */
static bool is_full(const struct set *set, uint64_t hash)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    (void)ninho_filter_spec(set->filter, &spec);
    return !(set_can(set) & NINHO_CAN_GROW) &&
           ninho_filter_count(set->filter) >= spec.capacity - spec.capacity / 8 &&
           (!spec.place_slots ||
            ninho_filter_copies(set->filter, hash) < 2 * (uint64_t)spec.place_slots);
}

/* What is known of a key for which there was no room. */
enum refused { MISSING, SEEMS_THERE, IS_COPY };

static int count_refused(struct adder *adder, enum refused what, uint64_t hash)
{
    if (what == IS_COPY)
        adder->n_copies++;
    else if (what == SEEMS_THERE)
        adder->n_seem++;
    else if (++adder->n_refused == MAX_REFUSED)
        return fail_as(
            "full",
            "%s: %d keys and more do not fit: nothing was written; make it with "
            "a larger %s",
            adder->path, MAX_REFUSED, set_limit(&adder->set, 1));
    if (adder->set.filter && adder->n_copies + adder->n_seem >= MAX_REFUSED)
        adder->is_full = adder->is_full || is_full(&adder->set, hash);
    return EXIT_YES;
}

/* What a filter that stands alone can say of it. */
static enum refused seems(const struct adder *adder, uint64_t hash)
{
    return !adder->is_distinct && ninho_filter_has(adder->set.filter, hash) ? SEEMS_THERE
                                                                            : MISSING;
}

/* One by one: what seems to be there is not tried, and of the others most will not fit. */
static int add_to_full(struct adder *adder, const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const enum refused what = seems(adder, hashes[i]);
        const ninho_status status = what == SEEMS_THERE
                                        ? NINHO_ERR_FULL
                                        : ninho_filter_add(adder->set.filter, hashes[i]);
        if (status == NINHO_OK)
            adder->n_added++;
        else if (status != NINHO_ERR_FULL)
            return cannot_add(adder, status);
        else if (count_refused(adder, what, hashes[i]))
            return EXIT_ERROR;
    }
    return EXIT_YES;
}

static int add_all(struct adder *adder, const uint64_t *hashes, size_t n)
{
    while (n && !adder->is_full) {
        size_t n_added = 0;
        const ninho_status status =
            ninho_filter_add_many(adder->set.filter, hashes, n, &n_added);
        adder->n_added += n_added;
        if (status == NINHO_OK)
            return EXIT_YES;
        if (status != NINHO_ERR_FULL)
            return cannot_add(adder, status);
        /* That one does not fit; others still may. */
        const uint64_t hash = hashes[n_added];
        if (count_refused(adder, seems(adder, hash), hash))
            return EXIT_ERROR;
        hashes += n_added + 1;
        n -= n_added + 1;
    }
    return add_to_full(adder, hashes, n);
}

int adder_add(struct adder *adder, const uint64_t *hashes, size_t n)
{
    if (!set_is_once(&adder->set))
        return add_all(adder, hashes, n);
    /* A set takes what seems to be there for added; its count tells what was stored. */
    const uint64_t n_before = adder->n_added;
    const uint64_t count = ninho_filter_count(adder->set.filter);
    const int status = add_all(adder, hashes, n);
    const uint64_t n_stored = ninho_filter_count(adder->set.filter) - count;
    adder->n_there += adder->n_added - n_before - n_stored;
    adder->n_added = n_before + n_stored;
    return status;
}

/* One key into a dictionary that has each once. */
static int add_once(void *context, const void *key, size_t size, uint64_t hash)
{
    struct adder *adder = context;
    bool is_new = false;
    const ninho_status status = ninho_dict_put(adder->set.dict, key, size, 1, &is_new);

    if (status == NINHO_ERR_FULL)
        adder->n_refused++;
    else if (status)
        return cannot_add(adder, status);
    if (!is_new)
        return EXIT_YES;
    adder->n_added++;
    return adder->bag ? hash_bag_append(adder->bag, &hash, 1) : EXIT_YES;
}

/* One copy of a key into a set that has a dictionary. */
static int add_copy(void *context, const void *key, size_t size, uint64_t hash)
{
    struct adder *adder = context;
    bool is_copy = adder->is_full && ninho_dict_copies(adder->set.dict, key, size) > 0;
    const bool keeps_once = set_keeps_once(&adder->set);
    const ninho_status status = is_copy && !keeps_once
                                    ? NINHO_ERR_FULL
                                    : set_add(&adder->set, key, size, &is_copy);

    if (status == NINHO_OK) {
        const bool is_passed_over = is_copy && keeps_once;
        adder->n_there += is_passed_over;
        adder->n_added += !is_passed_over;
        return EXIT_YES;
    }
    if (status != NINHO_ERR_FULL)
        return cannot_add(adder, status);
    return count_refused(adder, is_copy ? IS_COPY : MISSING, hash);
}

/* Something to ask for: whether the limit has been reached already. */
#define ANY_MORE (UINT64_C(1) << 20)

static int add_hashes(void *context, const uint64_t *hashes, size_t n)
{
    const struct adder *adder = context;
    /* A filter that grows does so for these keys, or does not: what it took is known afterwards. */
    const int status = set_can(&adder->set) & NINHO_CAN_GROW
                           ? memory_check(adder->path, ANY_MORE)
                           : EXIT_YES;

    return status ? status : adder_add(context, hashes, n);
}

static int make_room(void *context, size_t n_bytes)
{
    const struct adder *adder = context;
    return set_check_room(&adder->set, adder->path, n_bytes);
}

int adder_run(struct adder *adder, struct key_reader *reader,
              const struct key_format *format, unsigned n_threads)
{
    const struct key_sink sink = {.context = adder,
                                  .needs_hashes = adder->set.filter || adder->bag,
                                  .hashes = adder->set.dict ? NULL : add_hashes,
                                  .key = adder->is_once ? add_once : add_copy,
                                  .make_room = make_room};

    return key_stream(reader, format, n_threads, &sink, &adder->n_read);
}

uint64_t adder_not_stored(const struct adder *adder)
{
    return adder->n_there + adder->n_copies + adder->n_seem;
}

int adder_account(const struct adder *adder)
{
    const char *path = adder->path;
    const char *advice = set_copies_advice(&adder->set);

    if (adder->n_refused)
        return fail_as("full",
                       "%s: %" PRIu64 " of %" PRIu64
                       " keys do not fit: nothing was written; make it with a larger %s",
                       path, adder->n_refused + adder->n_copies + adder->n_seem,
                       adder->n_read, set_limit(&adder->set, 1));
    if (adder->n_copies)
        return fail_as("full",
                       "%s: %" PRIu64 " of %" PRIu64
                       " keys were copies that do not fit; every key is in the filter%s",
                       path, adder->n_copies, adder->n_read, advice);
    if (adder->n_seem)
        return fail_as(
            "full",
            "%s: %" PRIu64 " of %" PRIu64
            " keys seem to be there already and were not stored again (copies, "
            "or false positives); do not remove them%s",
            path, adder->n_seem, adder->n_read, advice);
    return EXIT_YES;
}
