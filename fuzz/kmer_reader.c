/* SPDX-License-Identifier: MIT */
/* FASTA and FASTQ from anywhere. The first two bytes choose the overlap of pieces. Whatever the rest
 * is: reading it in pieces and reading it whole give the same bases or the same refusal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/kmer/kmer.h"
#include "apps/kmer/reader.h"
#include "target.h"

/* What was read, in short. */
struct reading {
    ninho_status status;
    uint64_t n_records, n_bases, n_windows, sum;
};

static struct reading read_all(const uint8_t *bytes, size_t size, size_t overlap,
                               size_t n_records)
{
    const ninho_kmer_rule rule = {.k = (uint32_t)overlap + 1,
                                  .strand = NINHO_KMER_CANONICAL};
    struct reading reading = {.sum = 0};
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};
    ninho_error error;

    if (ninho_kmer_reader_memory(bytes, size, overlap, &reader, &error))
        abort();
    for (;;) {
        reading.status = ninho_kmer_reader_next(reader, &batch, n_records, &error);
        if (reading.status)
            MUST(batch.n == 0 && error.text[0] && !strchr(error.text, '\n'));
        if (batch.n == 0)
            break;
        for (size_t i = 0; i < batch.n; i++) {
            const ninho_kmer_record *record = &batch.records[i];
            MUST(record->n_overlap <= overlap && record->n_overlap <= record->n_bases);
            MUST(!n_records || (record->is_first && record->is_last));
            reading.n_records += record->is_first;
            reading.n_bases += record->n_bases - record->n_overlap;
            reading.n_windows += ninho_kmer_windows(&rule, record->n_bases);
            for (size_t j = record->n_overlap; j < record->n_bases; j++)
                reading.sum = reading.sum * 31 + (uint8_t)record->bases[j];
            for (size_t j = 0; record->quality && j < record->n_bases; j++)
                reading.sum = reading.sum * 37 + (uint8_t)record->quality[j];
            for (size_t j = 0; record->is_first && j < record->name_size; j++)
                reading.sum = reading.sum * 41 + (uint8_t)record->name[j];
        }
    }
    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
    return reading;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2)
        return 0;
    const size_t overlap = (bytes[0] | (size_t)bytes[1] << 8) % NINHO_KMER_MAX_K;
    const struct reading pieces = read_all(bytes + 2, size - 2, overlap, 0);
    const struct reading whole = read_all(bytes + 2, size - 2, overlap, 3);

    MUST(pieces.status == whole.status);
    if (pieces.status == NINHO_OK)
        MUST(pieces.n_records == whole.n_records && pieces.n_bases == whole.n_bases &&
             pieces.n_windows == whole.n_windows && pieces.sum == whole.sum);
    return 0;
}
