/* SPDX-License-Identifier: MIT */
/* FASTA and FASTQ from anywhere. The first two bytes choose the overlap of pieces, the third the size
 * of blocks. Whatever the rest is: reading it in pieces, whole, in blocks as small as that or at once
 * gives the same bases or the same refusal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/kmer/inside.h"
#include "apps/kmer/kmer.h"
#include "apps/kmer/reader.h"
#include "target.h"

/* What was read, in short. */
struct reading {
    ninho_status status;
    ninho_error error;
    uint64_t n_records, n_bases, n_windows, sum;
};

static struct reading read_all(const uint8_t *bytes, size_t size, size_t overlap,
                               size_t n_records, size_t block_bytes)
{
    const ninho_kmer_rule rule = {.k = (uint32_t)overlap + 1,
                                  .strand = NINHO_KMER_CANONICAL};
    struct reading reading = {.sum = 0};
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_kmer_reader_memory(bytes, size, overlap, &reader, &error))
        abort();
    if (block_bytes)
        nh_kmer_reader_set_sizes(reader, block_bytes, NINHO_KMER_RECORD_LIMIT);
    for (;;) {
        reading.status =
            n_records % 2 == 0
                ? ninho_kmer_reader_next(reader, &batch, n_records, &error)
                : ninho_kmer_reader_next_whole(reader, &batch, n_records, &error);
        if (reading.status) {
            MUST(batch.n == 0 && error.text[0] && !strchr(error.text, '\n'));
            reading.error = error;
        }
        if (batch.n == 0)
            break;
        for (size_t i = 0; i < batch.n; i++) {
            const ninho_kmer_record *record = &batch.records[i];
            MUST(record->n_overlap <= overlap && record->n_overlap <= record->n_bases);
            MUST(!n_records || (record->is_first && record->is_last));
            reading.n_records += record->is_first;
            reading.n_bases += record->n_bases - record->n_overlap;
            reading.n_windows += ninho_kmer_windows(&rule, record->n_bases);
            for (size_t j = 0; record->is_first && j < record->name_size; j++)
                reading.sum = reading.sum * 41 + (uint8_t)record->name[j];
            for (size_t j = record->n_overlap; j < record->n_bases; j++)
                reading.sum = reading.sum * 31 + (uint8_t)record->bases[j];
            for (size_t j = 0; record->quality && j < record->n_bases; j++)
                reading.sum = reading.sum * 37 + (uint8_t)record->quality[j];
        }
    }
    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
    return reading;
}

static void must_agree(const struct reading *a, const struct reading *b)
{
    MUST(a->status == b->status);
    MUST(strcmp(a->error.text, b->error.text) == 0);
    if (a->status == NINHO_OK)
        MUST(a->n_records == b->n_records && a->n_bases == b->n_bases &&
             a->n_windows == b->n_windows && a->sum == b->sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 3)
        return 0;
    const size_t overlap = (bytes[0] | (size_t)bytes[1] << 8) % NINHO_KMER_MAX_K;
    const size_t block_bytes = 1 + (size_t)bytes[2] % 64;
    const struct reading at_once = read_all(bytes + 3, size - 3, overlap, 0, 0);

    for (size_t n_records = 0; n_records < 4; n_records++) {
        const struct reading other =
            read_all(bytes + 3, size - 3, overlap, n_records, block_bytes);
        must_agree(&at_once, &other);
    }
    return 0;
}
