/* SPDX-License-Identifier: MIT */
/* Records through several threads and out again in the order they were read: a ring of items, as
 * stream.c has for chunks of lines. The calling thread reads, works too while there is nothing to
 * read or consume, and consumes. */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd_kmer.h"
#include "output.h"
#include "progress.h"

#define MAX_THREADS 64
/* Frames hold batches of keys; address space may be limited. */
#define STACK_BYTES ((size_t)512 << 10)
/* Pairs of records in an item. */
#define PAIRS 512

struct place {
    struct kmer_item item;
    bool is_done; /* under the lock, as the counts below */
};

struct ring {
    const struct kmer_job *job;
    struct kmer_input *input;
    char **files;
    size_t n_files;
    size_t next_file;
    ninho_kmer_reader *readers[2]; /* NULL: no file is open */
    uint64_t n_bytes_before;       /* of files that are closed */
    struct place *places;
    size_t n_places;
    /* Items so far: consumed <= taken <= read <= consumed + n_places. */
    uint64_t n_read, n_taken, n_consumed;
    bool is_closing;
    pthread_mutex_t lock;
    pthread_cond_t has_work; /* something to take, or closing */
    pthread_cond_t has_done; /* an item was done */
    uint64_t n_bases;
    char failure[4096]; /* of reading: told when all that was read before is consumed */
};

static const char *shown_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

int kmer_check_files(const struct args *args, char **files, size_t n_files)
{
    bool has_input = false;

    for (size_t i = 0; i < n_files; i++) {
        struct stat file;
        if (strcmp(files[i], "-") == 0) {
            if (has_input)
                return usage_error(args->command, "standard input is named twice");
            has_input = true;
            continue;
        }
        if (stat(files[i], &file) != 0 || access(files[i], R_OK) != 0)
            return fail("%s: cannot open: %s", files[i], strerror(errno));
        if (S_ISDIR(file.st_mode))
            return fail("%s: cannot read: %s", files[i], strerror(EISDIR));
    }
    return EXIT_YES;
}

/* ---- Threads ------------------------------------------------------------------------------- */

static struct place *place_of(struct ring *ring, uint64_t i)
{
    return &ring->places[i % ring->n_places];
}

/* Takes the oldest item nobody works on, and works on it. Called and left with the lock held. */
static void work_on_next(struct ring *ring)
{
    struct place *place = place_of(ring, ring->n_taken++);

    (void)pthread_mutex_unlock(&ring->lock);
    if (ring->job->work)
        ring->job->work(ring->job->context, &place->item);
    (void)pthread_mutex_lock(&ring->lock);
    place->is_done = true;
    (void)pthread_cond_signal(&ring->has_done);
}

static void *worker(void *context)
{
    struct ring *ring = context;

    (void)pthread_mutex_lock(&ring->lock);
    for (;;) {
        while (ring->n_taken == ring->n_read && !ring->is_closing)
            (void)pthread_cond_wait(&ring->has_work, &ring->lock);
        if (ring->is_closing)
            break;
        work_on_next(ring);
    }
    (void)pthread_mutex_unlock(&ring->lock);
    return NULL;
}

static unsigned start_threads(pthread_t *threads, unsigned n, struct ring *ring)
{
    pthread_attr_t attributes;
    unsigned started = 0;

    if (pthread_attr_init(&attributes) != 0)
        return 0;
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (started < n &&
           pthread_create(&threads[started], &attributes, worker, ring) == 0)
        started++;
    (void)pthread_attr_destroy(&attributes);
    return started;
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* Answers -1. */
static int file_error(struct ring *ring, const char *path, const ninho_error *error)
{
    (void)snprintf(ring->failure, sizeof ring->failure, "%s: %s", shown_name(path),
                   error->text[0] ? error->text : ninho_status_text(error->status));
    return -1;
}

static void close_readers(struct ring *ring)
{
    for (int i = 0; i < 2; i++) {
        if (!ring->readers[i])
            continue;
        ring->n_bytes_before += ninho_kmer_reader_bytes(ring->readers[i]);
        ring->input->n_passed_over += ninho_kmer_reader_passed_over(ring->readers[i]);
        ninho_kmer_reader_close(ring->readers[i]);
        ring->readers[i] = NULL;
    }
}

static int open_readers(struct ring *ring)
{
    const size_t n = ring->job->is_paired ? 2 : 1;
    ninho_error error = {.status = NINHO_OK};

    for (size_t i = 0; i < n; i++) {
        const char *path = ring->files[ring->next_file + i];
        if (ninho_kmer_reader_open(path, ring->job->overlap, &ring->readers[i], &error))
            return file_error(ring, path, &error);
    }
    ring->next_file += n;
    return 0;
}

/* 1: there is an item; 0: the files have ended; -1: it failed, and ring->failure says why. */
static int read_item(struct ring *ring, struct kmer_item *item)
{
    const size_t n_files = ring->job->is_paired ? 2 : 1;
    ninho_error error = {.status = NINHO_OK};

    char **files = ring->files + ring->next_file - n_files;
    for (size_t i = 0; i < n_files; i++) {
        item->names[i] = files[i];
        if (ninho_kmer_reader_next(ring->readers[i], &item->batches[i],
                                   n_files == 2 ? PAIRS : 0, &error))
            return file_error(ring, files[i], &error);
    }
    if (n_files == 2 && item->batches[0].n != item->batches[1].n) {
        (void)snprintf(
            ring->failure, sizeof ring->failure,
            "%s and %s: one has more records than the other: they are no pairs",
            shown_name(files[0]), shown_name(files[1]));
        return -1;
    }
    return item->batches[0].n > 0;
}

static int read_one(struct ring *ring)
{
    struct place *place = place_of(ring, ring->n_read);
    int result = 0;

    for (;;) {
        if (!ring->readers[0]) {
            if (ring->next_file == ring->n_files)
                return 0;
            if (open_readers(ring))
                return -1;
        }
        result = read_item(ring, &place->item);
        if (result != 0)
            break;
        close_readers(ring);
    }
    if (result > 0) {
        (void)pthread_mutex_lock(&ring->lock);
        place->is_done = false;
        ring->n_read++;
        (void)pthread_cond_signal(&ring->has_work);
        (void)pthread_mutex_unlock(&ring->lock);
    }
    return result;
}

/* ---- The ring ------------------------------------------------------------------------------ */

static uint64_t bytes_so_far(const struct ring *ring)
{
    uint64_t n = ring->n_bytes_before;

    for (int i = 0; i < 2; i++)
        if (ring->readers[i])
            n += ninho_kmer_reader_bytes(ring->readers[i]);
    return n;
}

/* Waits for the oldest item, helping, and consumes it. */
static int consume_one(struct ring *ring)
{
    struct place *place = place_of(ring, ring->n_consumed);
    struct kmer_item *item = &place->item;

    (void)pthread_mutex_lock(&ring->lock);
    while (!place->is_done) {
        if (ring->n_taken < ring->n_read)
            work_on_next(ring);
        else
            (void)pthread_cond_wait(&ring->has_done, &ring->lock);
    }
    (void)pthread_mutex_unlock(&ring->lock);
    if (item->has_failed)
        return fail_no_memory();
    const int status = ring->job->consume(ring->job->context, item);
    ring->n_bases += item->batches[0].n_bases + item->batches[1].n_bases;
    progress_update(ring->n_bases, bytes_so_far(ring));
    ring->n_consumed++;
    return status;
}

static int run_ring(struct ring *ring)
{
    int result = 1; /* of the last read */

    for (;;) {
        const bool is_empty = ring->n_read == ring->n_consumed;
        const bool is_full = ring->n_read - ring->n_consumed == ring->n_places;
        if (result > 0 && !is_full) {
            result = read_one(ring);
            continue;
        }
        if (is_empty)
            return result < 0 ? fail("%s", ring->failure) : EXIT_YES;
        const int status = consume_one(ring);
        if (status)
            return status;
        if (output_failed())
            return EXIT_ERROR; /* output_finish() says why */
    }
}

/* The bytes of all files, 0 if that is not known. */
static uint64_t total_bytes(char **files, size_t n_files)
{
    uint64_t total = 0;

    for (size_t i = 0; i < n_files; i++) {
        struct stat file;
        if (strcmp(files[i], "-") == 0 || stat(files[i], &file) != 0 ||
            !S_ISREG(file.st_mode))
            return 0;
        total += (uint64_t)file.st_size;
    }
    return total;
}

static void free_item(struct kmer_item *item)
{
    for (int i = 0; i < 2; i++) {
        ninho_kmer_batch_free(&item->batches[i]);
        text_free(&item->chosen[i][0]);
        text_free(&item->chosen[i][1]);
    }
    text_free(&item->lines);
    free(item->counts);
    free(item->hashes);
}

int kmer_stream(char **files, size_t n_files, unsigned n_threads,
                const struct kmer_job *job, struct kmer_input *input)
{
    static char standard_input[] = "-";
    char *none[] = {standard_input};
    struct kmer_input unused = {0};
    struct ring ring = {.job = job,
                        .input = input ? input : &unused,
                        .files = n_files ? files : none,
                        .n_files = n_files ? n_files : 1,
                        .n_places = n_threads == 1 ? 1 : (size_t)2 * n_threads};
    pthread_t threads[MAX_THREADS];

    ring.places = calloc(ring.n_places, sizeof *ring.places);
    if (!ring.places)
        return fail_no_memory();
    (void)pthread_mutex_init(&ring.lock, NULL);
    (void)pthread_cond_init(&ring.has_work, NULL);
    (void)pthread_cond_init(&ring.has_done, NULL);
    progress_begin(job->progress);
    progress_expect(total_bytes(ring.files, ring.n_files));
    const unsigned n_started = start_threads(threads, n_threads - 1, &ring);
    const int status = run_ring(&ring);
    progress_clear();
    (void)pthread_mutex_lock(&ring.lock);
    ring.is_closing = true;
    (void)pthread_cond_broadcast(&ring.has_work);
    (void)pthread_mutex_unlock(&ring.lock);
    for (unsigned i = 0; i < n_started; i++)
        (void)pthread_join(threads[i], NULL);
    close_readers(&ring);
    (void)pthread_cond_destroy(&ring.has_done);
    (void)pthread_cond_destroy(&ring.has_work);
    (void)pthread_mutex_destroy(&ring.lock);
    for (size_t i = 0; i < ring.n_places; i++)
        free_item(&ring.places[i].item);
    free(ring.places);
    return status;
}
