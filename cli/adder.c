/* SPDX-License-Identifier: MIT */
#include "adder.h"

#include <inttypes.h>

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

int adder_add(struct adder *adder, const uint64_t *hashes, size_t n)
{
    while (n) {
        size_t n_added = 0;
        const ninho_status status =
            ninho_filter_add_many(adder->set.filter, hashes, n, &n_added);
        adder->n_added += n_added;
        if (status == NINHO_OK)
            return EXIT_YES;
        if (status != NINHO_ERR_FULL)
            return cannot_add(adder, status);
        /* That one does not fit; others still may. */
        if (ninho_filter_has(adder->set.filter, hashes[n_added]))
            adder->n_copies++;
        else
            adder->n_refused++;
        hashes += n_added + 1;
        n -= n_added + 1;
    }
    return EXIT_YES;
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
    bool is_copy = false;
    const ninho_status status = set_add(&adder->set, key, size, hash, &is_copy);

    if (status == NINHO_OK) {
        adder->n_added++;
        return EXIT_YES;
    }
    if (status != NINHO_ERR_FULL)
        return cannot_add(adder, status);
    if (is_copy)
        adder->n_copies++;
    else
        adder->n_refused++;
    return EXIT_YES;
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
