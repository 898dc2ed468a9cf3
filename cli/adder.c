/* SPDX-License-Identifier: MIT */
#include "adder.h"

#include <inttypes.h>

#include "copies.h"

struct adder_job {
    struct adder *adder;
    struct key_format format;
};

static int cannot_add(const struct adder *adder, ninho_status status)
{
    if (status == NINHO_ERR_NOMEM)
        return fail_no_memory();
    if (status == NINHO_ERR_ARG)
        return fail("%s: a key has not the size that its keys have", adder->path);
    return fail("%s: %s", adder->path, ninho_status_text(status));
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

static int count_refused(struct adder *adder, bool is_copy, uint64_t hash)
{
    if (is_copy)
        adder->n_copies++;
    else if (++adder->n_refused == MAX_REFUSED)
        return fail(
            "%s: %d keys and more do not fit: nothing was written; make it with a "
            "larger --capacity",
            adder->path, MAX_REFUSED);
    if (adder->set.filter && !adder->is_full)
        adder->is_full = is_full(&adder->set, hash);
    return EXIT_YES;
}

/* One by one: copies of what is there are not tried, and of the others most will not fit. */
static int add_to_full(struct adder *adder, const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const bool is_copy = ninho_filter_has(adder->set.filter, hashes[i]);
        const ninho_status status =
            is_copy ? NINHO_ERR_FULL : ninho_filter_add(adder->set.filter, hashes[i]);
        if (status == NINHO_OK)
            adder->n_added++;
        else if (status != NINHO_ERR_FULL)
            return cannot_add(adder, status);
        else if (count_refused(adder, is_copy, hashes[i]))
            return EXIT_ERROR;
    }
    return EXIT_YES;
}

int adder_add(struct adder *adder, const uint64_t *hashes, size_t n)
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
        if (count_refused(adder, ninho_filter_has(adder->set.filter, hash), hash))
            return EXIT_ERROR;
        hashes += n_added + 1;
        n -= n_added + 1;
    }
    return add_to_full(adder, hashes, n);
}

/* One key into a dictionary that has each once. */
static int add_once(struct adder *adder, const void *key, size_t size, uint64_t hash)
{
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
static int add_copy(struct adder *adder, const void *key, size_t size, uint64_t hash)
{
    bool is_copy = adder->is_full && copies_of(adder->set.dict, key, size);
    const ninho_status status = is_copy && !adder->set.keeps_once
                                    ? NINHO_ERR_FULL
                                    : set_add(&adder->set, key, size, hash, &is_copy);

    if (status == NINHO_OK) {
        adder->n_added += !(is_copy && adder->set.keeps_once);
        return EXIT_YES;
    }
    if (status != NINHO_ERR_FULL)
        return cannot_add(adder, status);
    return count_refused(adder, is_copy, hash);
}

static void hash_chunk(void *context, struct chunk *chunk)
{
    const struct adder_job *job = context;
    size_t at = 0;

    chunk->n_keys =
        keys_hash(&job->format, chunk, &at, CHUNK_BYTES + 2, chunk->hashes, NULL);
}

static enum stream_step add_hashes(void *context, struct chunk *chunk)
{
    struct adder *adder = ((struct adder_job *)context)->adder;

    adder->n_read += chunk->n_keys;
    return adder_add(adder, chunk->hashes, (size_t)chunk->n_keys) ? STREAM_FAILED
                                                                  : STREAM_GO_ON;
}

/* A dictionary is put into on one thread, so there is nothing for others to do but to hash. */
static void leave_chunk(void *context, struct chunk *chunk)
{
    (void)context;
    (void)chunk;
}

static enum stream_step add_keys(void *context, struct chunk *chunk)
{
    const struct adder_job *job = context;
    struct adder *adder = job->adder;
    struct key_batch batch;
    size_t at = 0;

    if (chunk->has_bad_key) /* whoever hashed has seen it: all of this is in vain */
        return STREAM_GO_ON;
    if (set_check_room(&adder->set, adder->path, chunk->size))
        return STREAM_FAILED;
    chunk->n_keys = 0;
    while (at < chunk->size && !chunk->has_bad_key) {
        const size_t n = keys_take(&job->format, chunk, &at, &batch);
        for (size_t i = 0; i < n; i++) {
            const uint64_t hash = chunk->hashes ? chunk->hashes[chunk->n_keys + i] : 0;
            const int status = adder->is_once
                                   ? add_once(adder, batch.keys[i], batch.sizes[i], hash)
                                   : add_copy(adder, batch.keys[i], batch.sizes[i], hash);
            if (status)
                return STREAM_FAILED;
        }
        chunk->n_keys += n;
    }
    adder->n_read += chunk->n_keys;
    return STREAM_GO_ON;
}

int adder_run(struct adder *adder, struct key_reader *reader,
              const struct key_format *format, unsigned n_threads)
{
    struct adder_job job = {.adder = adder, .format = *format};
    const bool needs_hashes = adder->set.filter || adder->bag;
    const struct stream_job stream = {.work = needs_hashes ? hash_chunk : leave_chunk,
                                      .consume = adder->set.dict ? add_keys : add_hashes,
                                      .context = &job,
                                      .needs_hashes = needs_hashes,
                                      .progress = "keys"};

    return stream_run(reader, needs_hashes ? n_threads : 1, &stream);
}

int adder_account(const struct adder *adder)
{
    if (adder->n_refused)
        return fail(
            "%s: %" PRIu64 " of %" PRIu64
            " keys do not fit: nothing was written; make it with a larger --capacity",
            adder->path, adder->n_refused + adder->n_copies, adder->n_read);
    if (adder->n_copies)
        return fail("%s: %" PRIu64 " of %" PRIu64
                    " keys were copies that do not fit; every key is in the filter",
                    adder->path, adder->n_copies, adder->n_read);
    return EXIT_YES;
}
