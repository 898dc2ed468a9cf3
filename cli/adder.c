/* SPDX-License-Identifier: MIT */
#include "adder.h"

#include <inttypes.h>

struct adder_job {
    struct adder *adder;
    struct key_format format;
};

int adder_add(struct adder *adder, const uint64_t *hashes, size_t n)
{
    while (n) {
        size_t n_added = 0;
        const ninho_status status =
            ninho_filter_add_many(adder->filter, hashes, n, &n_added);
        adder->n_added += n_added;
        if (status == NINHO_OK)
            return EXIT_YES;
        if (status == NINHO_ERR_NOMEM)
            return fail_no_memory();
        if (status != NINHO_ERR_FULL)
            return fail("%s", ninho_status_text(status));
        /* That one does not fit; others still may. */
        if (ninho_filter_has(adder->filter, hashes[n_added]))
            adder->n_copies++;
        else
            adder->n_refused++;
        hashes += n_added + 1;
        n -= n_added + 1;
    }
    return EXIT_YES;
}

static void hash_chunk(void *context, struct chunk *chunk)
{
    const struct adder_job *job = context;
    size_t at = 0;

    chunk->n_keys =
        keys_hash(&job->format, chunk, &at, CHUNK_BYTES + 2, chunk->hashes, NULL);
}

static enum stream_step add_chunk(void *context, struct chunk *chunk)
{
    struct adder *adder = ((struct adder_job *)context)->adder;

    adder->n_read += chunk->n_keys;
    return adder_add(adder, chunk->hashes, (size_t)chunk->n_keys) ? STREAM_FAILED
                                                                  : STREAM_GO_ON;
}

int adder_run(struct adder *adder, struct key_reader *reader,
              const struct key_format *format, unsigned n_threads)
{
    struct adder_job job = {.adder = adder, .format = *format};
    const struct stream_job stream = {.work = hash_chunk,
                                      .consume = add_chunk,
                                      .context = &job,
                                      .needs_hashes = true,
                                      .progress = "keys"};

    return stream_run(reader, n_threads, &stream);
}

int adder_account(const struct adder *adder, const char *path)
{
    if (adder->n_refused)
        return fail(
            "%s: %" PRIu64 " of %" PRIu64
            " keys do not fit: nothing was written; make it with a larger --capacity",
            path, adder->n_refused + adder->n_copies, adder->n_read);
    if (adder->n_copies)
        return fail("%s: %" PRIu64 " of %" PRIu64
                    " keys were copies that do not fit; every key is in the filter",
                    path, adder->n_copies, adder->n_read);
    return EXIT_YES;
}
