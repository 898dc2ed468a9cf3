/* SPDX-License-Identifier: MIT */
#include "harness/genome.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "apps/kmer/kmer.h"
#include "apps/kmer/reader.h"
#include "harness/fail.h"

static const struct {
    const char *title;
    const char *fetch; /* the command that brings it */
    const char *path;
} genomes[N_GENOMES] = {
    [ECOLI_536] = {"E. coli 536", "tools/fetch-data ecoli && make study",
                   "bowtie-examples/usr/share/doc/bowtie/examples/genomes/"
                   "NC_008253.fna.gz"},
    [ECOLI_MG1655] = {"E. coli K-12 MG1655", "tools/fetch-data ecoli-k12 && make study",
                      "ragout-examples/usr/share/doc/ragout/examples/E.Coli/references/"
                      "MG1655-K12.fasta.gz"},
};

const char *genome_title(enum genome_name name)
{
    return genomes[name].title;
}

static void append(struct genome *genome, const ninho_kmer_record *record, size_t *room)
{
    const size_t n = record->n_bases - record->n_overlap;

    if (!genome->bases || genome->n + n + 1 > *room) {
        *room = 2 * (genome->n + n + 1);
        genome->bases = realloc(genome->bases, *room);
        if (!genome->bases)
            fail("no memory for %zu bases", *room);
    }
    if (record->is_first)
        genome->bases[genome->n++] = 'N';
    for (size_t i = record->n_overlap; i < record->n_bases; i++)
        genome->bases[genome->n++] = (char)(record->bases[i] & ~0x20); /* capitals */
}

/* For questions that are about nothing else; the others write their own summary later. */
static void say_missing(enum genome_name name, struct answer *answer)
{
    snprintf(answer->summary, sizeof answer->summary,
             "Not measured: the genome of %s is missing.", genomes[name].title);
}

bool genome_read(const struct study *study, enum genome_name name, size_t limit,
                 struct genome *genome, struct answer *answer)
{
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};
    ninho_error error = NINHO_ERROR_INIT;
    char path[4096];
    size_t room = 0;

    *genome = (struct genome){0};
    snprintf(path, sizeof path, "%s/%s", study->data_dir, genomes[name].path);
    if (access(path, R_OK)) {
        say_missing(name, answer);
        answer_miss(answer, genomes[name].fetch, "the genome of %s", genomes[name].title);
        return false;
    }
    const ninho_status status = ninho_kmer_reader_open(path, 0, &reader, &error);
    if (status == NINHO_ERR_UNSUPPORTED) {
        say_missing(name, answer);
        answer_miss(answer, "sudo apt-get install libhts-dev && make study",
                    "the genome of %s: %s", genomes[name].title, error.text);
        return false;
    }
    if (status)
        fail("%s: %s", path, error.text);
    do {
        if (ninho_kmer_reader_next(reader, &batch, 0, &error))
            fail("%s: %s", path, error.text);
        for (size_t i = 0; i < batch.n; i++)
            append(genome, &batch.records[i], &room);
    } while (batch.n && (!limit || genome->n < limit));
    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
    if (limit && genome->n > limit)
        genome->n = limit;
    return true;
}

void genome_free(struct genome *genome)
{
    free(genome->bases);
    *genome = (struct genome){0};
}

struct occurrence {
    uint64_t key;
    uint64_t index;
};

static int by_key(const void *a, const void *b)
{
    const struct occurrence *x = a;
    const struct occurrence *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
    const struct occurrence *x = a;
    const struct occurrence *y = b;

    return (x->index > y->index) - (x->index < y->index);
}

/* For k <= 32 the key is the k-mer: equal keys are equal k-mers. */
size_t genome_distinct(const struct genome *genome, uint32_t k, uint64_t **keys)
{
    const ninho_kmer_rule rule = {k, NINHO_KMER_CANONICAL};
    struct occurrence *all = allocate(genome->n, sizeof *all);
    ninho_kmer_iter iter;
    size_t n = 0, n_distinct = 0;

    ninho_kmer_init(&iter, &rule);
    ninho_kmer_start(&iter, genome->bases, genome->n);
    while (ninho_kmer_next(&iter, &all[n].key)) {
        all[n].index = n;
        n++;
    }
    qsort(all, n, sizeof *all, by_key);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || all[i].key != all[i - 1].key)
            all[n_distinct++] = all[i];
    qsort(all, n_distinct, sizeof *all, by_index);
    *keys = allocate(n_distinct, sizeof **keys);
    for (size_t i = 0; i < n_distinct; i++)
        (*keys)[i] = all[i].key;
    free(all);
    return n_distinct;
}
