/* SPDX-License-Identifier: MIT */
/* A file of anything, as htslib opens it: gz, bgzf, BAM, SAM, text. It is read or refused. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "apps/kmer/reader.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[] = "/dev/shm/ninho-fuzz-XXXXXX";
    const int file = mkstemp(path);
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};
    ninho_error error = NINHO_ERROR_INIT;
    uint64_t n_bases = 0;

    MUST(file >= 0 && write(file, bytes, size) == (ssize_t)size && close(file) == 0);
    ninho_status status = ninho_kmer_reader_open(path, 30, &reader, &error);
    (void)unlink(path);
    if (!status) {
        do {
            status = ninho_kmer_reader_next(reader, &batch, 0, &error);
            for (size_t i = 0; i < batch.n; i++)
                n_bases += batch.records[i].n_bases - batch.records[i].n_overlap;
            /* A kilobyte of gz may unpack to a megabyte, and that takes its time. */
        } while (!status && batch.n && n_bases < 1 << 20);
        ninho_kmer_reader_close(reader);
    }
    MUST(!status || error.text[0]);
    ninho_kmer_batch_free(&batch);
    return 0;
}
