/* SPDX-License-Identifier: MIT */
/* screen INDEX READS: how much of each read is in an index that `ninho kmer build` made */
#include <ninho/kmer/kmer.h>
#include <ninho/kmer/reader.h>
#include <stdio.h>

#define AT_ONCE 256

/* Looks up all k-mers of some reads together, which is faster than one read after the other. */
static void look_up(const ninho_kmer_index *index, const ninho_kmer_batch *batch)
{
    ninho_kmer_count counts[AT_ONCE] = {{0}};
    ninho_kmer_screen screen;

    ninho_kmer_screen_init(&screen, index);
    for (size_t i = 0; i < batch->n; i++)
        ninho_kmer_screen_add(&screen, batch->records[i].bases, batch->records[i].n_bases,
                              &counts[i]);
    ninho_kmer_screen_flush(&screen); /* now they are final */
    for (size_t i = 0; i < batch->n; i++)
        printf("%.*s: %.0f of %.0f k-mers\n", (int)batch->records[i].name_size,
               batch->records[i].name, (double)counts[i].n_found,
               (double)counts[i].n_kmers);
}

int main(int argc, char **argv)
{
    ninho_filter *filter = NULL;
    ninho_kmer_index index;
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};
    ninho_error error = {.size_of_struct = sizeof error,
                         .text = "INDEX and READS are needed"};
    bool is_good = argc == 3 && !ninho_filter_open(argv[1], NULL, &filter, &error) &&
                   !ninho_kmer_index_filter(&index, filter, &error) &&
                   !ninho_kmer_reader_open(argv[2], index.rule.k - 1, &reader, &error);

    while (is_good) {
        is_good = !ninho_kmer_reader_next_whole(reader, &batch, AT_ONCE, &error);
        if (batch.n == 0)
            break; /* the end, or an error */
        look_up(&index, &batch);
    }
    if (!is_good)
        fprintf(stderr, "screen: %s\n", error.text);
    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
    ninho_filter_free(filter);
    return is_good ? 0 : 1;
}
