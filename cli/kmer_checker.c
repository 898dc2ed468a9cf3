/* SPDX-License-Identifier: MIT */
#include "kmer_checker.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "output.h"

/* ---- Records ------------------------------------------------------------------------------- */

/* A record without k-mers matches nothing. */
static bool matches(const struct checker *checker, const ninho_kmer_count *count)
{
    return count->n_kmers &&
           (double)count->n_found / (double)count->n_kmers >= checker->min_fraction;
}

static bool is_whole(const ninho_kmer_record *record)
{
    return record->is_first && record->is_last;
}

/* The line of a record, and its share of the totals. */
static void tell(const struct checker *checker, struct kmer_item *item,
                 const ninho_kmer_record *record, const ninho_kmer_count *count,
                 bool is_match)
{
    item->n_records++;
    item->n_without += count->n_kmers == 0;
    item->n_kmers += count->n_kmers;
    item->n_found += count->n_found;
    item->n_skipped += count->n_skipped;
    if (checker->has_lines && (is_match || checker->has_all_lines))
        kmer_add_line(&item->lines, record->name, record->name_size, count,
                      checker->options.json);
}

/* Which of the outputs of one kind a record of this file goes to. */
static size_t output_of(const struct checker *checker, int which, size_t batch)
{
    return checker->options.chosen[which].n == 1 ? 0 : batch;
}

static void choose(const struct checker *checker, struct kmer_item *item, size_t i,
                   bool is_match, size_t n_batches)
{
    const int which = is_match ? MATCHING : OTHERS;

    item->n_matching += is_match ? n_batches : 0;
    if (!checker->options.chosen[which].n)
        return;
    for (size_t b = 0; b < n_batches; b++)
        kmer_add_record(&item->chosen[which][output_of(checker, which, b)],
                        &item->batches[b].records[i]);
}

/* Are these two ends of one fragment? The names agree but for /1 and /2. */
static bool are_mates(const ninho_kmer_record *a, const ninho_kmer_record *b)
{
    const size_t size = a->name_size;

    if (size != b->name_size)
        return false;
    if (size > 2 && a->name[size - 2] == '/' && b->name[size - 2] == '/')
        return memcmp(a->name, b->name, size - 1) == 0;
    return memcmp(a->name, b->name, size) == 0;
}

static bool reserve_counts(struct kmer_item *item, size_t n)
{
    if (n > item->counts_room) {
        ninho_kmer_count *counts = realloc(item->counts, n * sizeof *counts);
        if (!counts)
            return false;
        item->counts = counts;
        item->counts_room = n;
    }
    memset(item->counts, 0, n * sizeof *item->counts);
    return true;
}

static void clear_item(struct kmer_item *item)
{
    item->lines.size = 0;
    for (int which = 0; which < 2; which++)
        item->chosen[which][0].size = item->chosen[which][1].size = 0;
    item->n_records = item->n_matching = item->n_without = 0;
    item->n_kmers = item->n_found = item->n_skipped = 0;
}

void checker_look_up(void *context, struct kmer_item *item)
{
    const struct checker *checker = context;
    const size_t n_batches = checker->options.paired ? 2 : 1;
    const size_t n = item->batches[0].n;
    ninho_kmer_screen screen;

    clear_item(item);
    item->has_failed = !reserve_counts(item, n_batches * n);
    if (item->has_failed)
        return;
    ninho_kmer_screen_init(&screen, &checker->index);
    for (size_t b = 0; b < n_batches; b++)
        for (size_t i = 0; i < n; i++)
            ninho_kmer_screen_add(&screen, item->batches[b].records[i].bases,
                                  item->batches[b].records[i].n_bases,
                                  &item->counts[b * n + i]);
    ninho_kmer_screen_flush(&screen);
    for (size_t i = 0; i < n; i++) {
        if (!is_whole(&item->batches[0].records[i]))
            continue; /* the consumer's */
        bool is_match = matches(checker, &item->counts[i]);
        if (n_batches == 2) {
            const bool other = matches(checker, &item->counts[n + i]);
            is_match = checker->options.both ? is_match && other : is_match || other;
        }
        for (size_t b = 0; b < n_batches; b++)
            tell(checker, item, &item->batches[b].records[i], &item->counts[b * n + i],
                 is_match);
        choose(checker, item, i, is_match, n_batches);
    }
    for (int which = 0; which < 2; which++)
        item->has_failed |=
            item->chosen[which][0].has_failed || item->chosen[which][1].has_failed;
    item->has_failed |= item->lines.has_failed;
}

/* ---- In order ------------------------------------------------------------------------------ */

static int print_lines(struct checker *checker, const struct text *lines)
{
    if (checker->options.output)
        return outfile_write(&checker->table, lines->data, lines->size);
    output_lines(lines->data, lines->size, '\n');
    return EXIT_YES;
}

static bool writes_records(const struct checker *checker)
{
    return checker->options.chosen[MATCHING].n || checker->options.chosen[OTHERS].n;
}

/* The last piece has come. */
static int finish_pending(struct checker *checker)
{
    struct pending *pending = &checker->pending;
    const ninho_kmer_count *count = &pending->count;
    const bool is_match = matches(checker, count);
    const int which = is_match ? MATCHING : OTHERS;
    struct text line = {0};
    int status = EXIT_YES;

    checker->n_records++;
    checker->n_matching += is_match;
    checker->n_without += count->n_kmers == 0;
    checker->n_kmers += count->n_kmers;
    checker->n_found += count->n_found;
    checker->n_skipped += count->n_skipped;
    if (checker->has_lines && (is_match || checker->has_all_lines)) {
        kmer_add_line(&line, pending->name.data, pending->name.size, count,
                      checker->options.json);
        status = line.has_failed ? fail_no_memory() : print_lines(checker, &line);
    }
    if (!status && checker->options.chosen[which].n) {
        text_append(&pending->record, "\n", 1);
        status = pending->record.has_failed
                     ? fail_no_memory()
                     : outfile_write(&checker->chosen[which][0], pending->record.data,
                                     pending->record.size);
    }
    pending->is_open = false;
    text_free(&line);
    return status;
}

/* Takes a piece of a record in. */
static int take_piece(struct checker *checker, const ninho_kmer_record *record,
                      const ninho_kmer_count *count)
{
    struct pending *pending = &checker->pending;

    if (record->is_first) {
        pending->is_open = true;
        pending->count = (ninho_kmer_count){0};
        pending->name.size = pending->record.size = 0;
        text_append(&pending->name, record->name, record->name_size);
        kmer_add_header(&pending->record, record);
    }
    pending->count.n_kmers += count->n_kmers;
    pending->count.n_found += count->n_found;
    pending->count.n_skipped += count->n_skipped;
    if (writes_records(checker)) {
        const size_t size = record->n_bases - record->n_overlap;
        if (size > pending->record.room - pending->record.size) {
            const int status =
                memory_check("a record that is to be written", 2 * pending->record.room);
            if (status)
                return status;
        }
        text_append(&pending->record, record->bases + record->n_overlap, size);
    }
    if (pending->name.has_failed || pending->record.has_failed)
        return fail_no_memory();
    return record->is_last ? finish_pending(checker) : EXIT_YES;
}

static int check_mates(const struct kmer_item *item)
{
    for (size_t i = 0; i < item->batches[0].n; i++) {
        const ninho_kmer_record *a = &item->batches[0].records[i];
        const ninho_kmer_record *b = &item->batches[1].records[i];
        if (!are_mates(a, b))
            return fail(
                "%s and %s: the records %.*s and %.*s stand in the same place, and "
                "are no pair",
                item->names[0], item->names[1],
                (int)(a->name_size < 100 ? a->name_size : 100), a->name,
                (int)(b->name_size < 100 ? b->name_size : 100), b->name);
    }
    return EXIT_YES;
}

/* Are the records of this item of the format that the files to be written have? Told from the input
 * alone, whatever matches. */
static int check_formats(struct checker *checker, const struct kmer_item *item)
{
    const size_t n_batches = checker->options.paired ? 2 : 1;

    for (int which = 0; which < 2; which++) {
        if (!checker->options.chosen[which].n)
            continue;
        for (size_t b = 0; b < n_batches; b++) {
            enum format *format = &checker->formats[which][output_of(checker, which, b)];
            const enum format other =
                item->batches[b].records[0].quality ? FORMAT_FASTQ : FORMAT_FASTA;
            if (*format != FORMAT_NONE_YET && *format != other)
                return fail(
                    "%s: has %squalities, and what was read before has %s: --%s %s can "
                    "have one format only; check the files one by one",
                    item->names[b], other == FORMAT_FASTQ ? "" : "no ",
                    other == FORMAT_FASTQ ? "none" : "some",
                    which == MATCHING ? "include" : "exclude",
                    checker->options.chosen[which].paths[output_of(checker, which, b)]);
            *format = other;
        }
    }
    return EXIT_YES;
}

static int write_item(struct checker *checker, const struct kmer_item *item)
{
    int status = print_lines(checker, &item->lines);

    for (int which = 0; which < 2; which++)
        for (size_t f = 0; !status && f < checker->options.chosen[which].n; f++)
            status =
                outfile_write(&checker->chosen[which][f], item->chosen[which][f].data,
                              item->chosen[which][f].size);
    return status;
}

int checker_take(void *context, struct kmer_item *item)
{
    struct checker *checker = context;
    const ninho_kmer_batch *batch = &item->batches[0];
    int status = checker->options.paired ? check_mates(item) : EXIT_YES;

    if (!status)
        status = check_formats(checker, item);
    /* Only the first record of an item can have begun before, only the last can go on. */
    if (!status && !batch->records[0].is_first)
        status = take_piece(checker, &batch->records[0], &item->counts[0]);
    if (!status)
        status = write_item(checker, item);
    const ninho_kmer_record *last = &batch->records[batch->n - 1];
    if (!status && last->is_first && !last->is_last)
        status = take_piece(checker, last, &item->counts[batch->n - 1]);
    checker->n_records += item->n_records;
    checker->n_matching += item->n_matching;
    checker->n_without += item->n_without;
    checker->n_kmers += item->n_kmers;
    checker->n_found += item->n_found;
    checker->n_skipped += item->n_skipped;
    return status;
}
