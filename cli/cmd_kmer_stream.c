/* SPDX-License-Identifier: MIT */
/* Records of files through several threads and out again in the order they were read (threads.h). */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd_kmer.h"
#include "memory.h"
#include "output.h"
#include "progress.h"
#include "setpipe.h"
#include "threads.h"

/* Pairs of records in an item. */
#define PAIRS 512
/* Items are a quarter of a megabyte, unless a record is longer: of those no more are read while there
 * are so many bytes in the ring, and what they took is given back. */
#define MANY_BYTES ((size_t)256 << 20)
#define LARGE_ITEM ((size_t)8 << 20)
/* Or this part of the memory there is: a base is kept with its quality and the hash of its k-mer, in
 * buffers that double. */
#define MEMORY_SHARE 32

struct stream {
    const struct kmer_job *job;
    struct kmer_input *input;
    char **files;
    size_t n_files;
    size_t next_file;
    ninho_kmer_reader *readers[2]; /* NULL: no file is open */
    uint64_t n_bytes_before;       /* of files that are closed */
    uint64_t n_bases;
    size_t many_bytes;
    size_t n_bytes_held; /* by items that were read and not consumed yet */
    int status;          /* what consuming has come to */
    char failure[4096];  /* of reading: told when all that was read before is consumed */
};

static size_t many_bytes(void)
{
    const uint64_t share = memory_available() / MEMORY_SHARE;

    return share < MANY_BYTES ? (size_t)share : MANY_BYTES;
}

static const char *shown_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

int kmer_check_files(const struct args *args, char **files, size_t n_files)
{
    const int status = check_stdin_once(args, files, n_files);

    if (status)
        return status;
    for (size_t i = 0; i < n_files; i++) {
        struct stat file;
        if (strcmp(files[i], "-") == 0)
            continue;
        if (!*files[i])
            return usage_error(args->command, "the name of a file is empty");
        if (stat(files[i], &file) != 0 || access(files[i], R_OK) != 0)
            return fail_io(files[i], "cannot open", errno);
        if (S_ISDIR(file.st_mode))
            return fail_io(files[i], "cannot read", EISDIR);
    }
    return EXIT_YES;
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* Answers -1. */
static int file_error(struct stream *stream, const char *path, const ninho_error *error)
{
    (void)snprintf(stream->failure, sizeof stream->failure, "%s: %s", shown_name(path),
                   error->text[0] ? error->text : ninho_status_text(error->status));
    return -1;
}

static void close_readers(struct stream *stream)
{
    for (int i = 0; i < 2; i++) {
        if (!stream->readers[i])
            continue;
        stream->n_bytes_before += ninho_kmer_reader_bytes(stream->readers[i]);
        stream->input->n_passed_over += ninho_kmer_reader_passed_over(stream->readers[i]);
        ninho_kmer_reader_close(stream->readers[i]);
        stream->readers[i] = NULL;
    }
}

static int open_readers(struct stream *stream)
{
    const size_t n = stream->job->is_paired ? 2 : 1;
    ninho_error error = NINHO_ERROR_INIT;

    for (size_t i = 0; i < n; i++) {
        const char *path = stream->files[stream->next_file + i];
        if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
            warn("reading sequences from the terminal, FASTA or FASTQ; Ctrl-D ends");
        if (ninho_kmer_reader_open(path, stream->job->overlap, &stream->readers[i],
                                   &error))
            return file_error(stream, path, &error);
        ninho_kmer_reader_set_limit(stream->readers[i], stream->many_bytes);
    }
    stream->next_file += n;
    return 0;
}

/* 1: there is an item; 0: the files have ended; -1: it failed, and stream->failure says why. */
static int read_item(struct stream *stream, struct kmer_item *item)
{
    const size_t n_files = stream->job->is_paired ? 2 : 1;
    char **files = stream->files + stream->next_file - n_files;
    ninho_kmer_batch *batches = item->batches;
    ninho_error error = NINHO_ERROR_INIT;

    for (size_t i = 0; i < n_files; i++)
        item->names[i] = shown_name(files[i]);
    if (n_files == 1) {
        if (ninho_kmer_reader_next(stream->readers[0], &batches[0], 0, &error))
            return file_error(stream, files[0], &error);
        return batches[0].n > 0;
    }
    if (ninho_kmer_reader_next_whole(stream->readers[0], &batches[0], PAIRS, &error))
        return file_error(stream, files[0], &error);
    /* As many of the other file, and one where there should be none. */
    if (ninho_kmer_reader_next(stream->readers[1], &batches[1],
                               batches[0].n ? batches[0].n : 1, &error))
        return file_error(stream, files[1], &error);
    if (batches[0].n != batches[1].n) {
        (void)snprintf(
            stream->failure, sizeof stream->failure,
            "%s and %s: one has more records than the other: they are no pairs",
            item->names[0], item->names[1]);
        return -1;
    }
    return batches[0].n > 0;
}

static void hold(struct stream *stream, struct kmer_item *item)
{
    item->n_bytes = ninho_kmer_batch_bytes(&item->batches[0]) +
                    ninho_kmer_batch_bytes(&item->batches[1]);
    stream->n_bytes_held += item->n_bytes;
}

static bool holds_much(void *context)
{
    const struct stream *stream = context;

    return stream->n_bytes_held >= stream->many_bytes;
}

/* The next item, of this file or the one behind it. */
static int read_next(void *context, void *item)
{
    struct stream *stream = context;

    for (;;) {
        if (!stream->readers[0]) {
            if (stream->next_file == stream->n_files)
                return 0;
            if (open_readers(stream))
                return -1;
        }
        const int result = read_item(stream, item);
        if (result > 0)
            hold(stream, item);
        if (result != 0)
            return result;
        close_readers(stream);
    }
}

/* ---- The whole ----------------------------------------------------------------------------- */

static uint64_t bytes_so_far(const struct stream *stream)
{
    uint64_t n = stream->n_bytes_before;

    for (int i = 0; i < 2; i++)
        if (stream->readers[i])
            n += ninho_kmer_reader_bytes(stream->readers[i]);
    return n;
}

static void work_on(void *context, void *item)
{
    const struct stream *stream = context;

    if (stream->job->work)
        stream->job->work(stream->job->context, item);
}

/* An item that was never read is what is left. */
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
    *item = (struct kmer_item){0};
}

static bool consume(void *context, void *consumed)
{
    struct stream *stream = context;
    struct kmer_item *item = consumed;

    stream->status = item->has_failed ? fail_no_memory()
                                      : stream->job->consume(stream->job->context, item);
    stream->n_bases += item->batches[0].n_bases + item->batches[1].n_bases;
    progress_update(stream->n_bases, bytes_so_far(stream));
    stream->n_bytes_held -= item->n_bytes;
    if (item->n_bytes > LARGE_ITEM)
        free_item(item);
    if (!stream->status && output_failed())
        stream->status = EXIT_ERROR; /* output_finish() says why */
    return stream->status == EXIT_YES;
}

int kmer_stream(char **files, size_t n_files, unsigned n_threads,
                const struct kmer_job *job, struct kmer_input *input)
{
    static char standard_input[] = "-";
    char *none[] = {standard_input};
    struct kmer_input unused = {0};
    struct stream stream = {.job = job,
                            .input = input ? input : &unused,
                            .files = n_files ? files : none,
                            .n_files = n_files ? n_files : 1,
                            .many_bytes = many_bytes()};
    const size_t n_items = ring_size(n_threads);
    struct kmer_item *items = calloc(n_items, sizeof *items);

    if (!items)
        return fail_no_memory();
    const struct ring_job ring = {.read = read_next,
                                  .work = work_on,
                                  .would_wait = holds_much,
                                  .consume = consume,
                                  .context = &stream,
                                  .items = items,
                                  .n_items = n_items,
                                  .item_size = sizeof *items};
    progress_begin(job->progress);
    progress_expect(stream.files, stream.n_files);
    const enum ring_end end = ring_run(&ring, n_threads);
    progress_end();
    if (end == RING_READ_FAILED)
        stream.status = fail("%s", stream.failure);
    close_readers(&stream);
    for (size_t i = 0; i < n_items; i++)
        free_item(&items[i]);
    free(items);
    return stream.status;
}
