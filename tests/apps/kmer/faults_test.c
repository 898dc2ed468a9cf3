/* SPDX-License-Identifier: MIT */
/* Sequences and sets of k-mers without memory: whichever allocation fails, it is told, and nothing is
 * half done. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "apps/kmer/inside.h"
#include "apps/kmer/kmer.h"
#include "apps/kmer/reader.h"
#include "support/test.h"
#include "support/wrap.h"

/* ---- Reading ------------------------------------------------------------------------------- */

static const char *const calls[] = {"malloc", "calloc", "realloc"};

/* Reads all with small blocks, so that there are many. The number of bases. */
static ninho_status read_all(const char *path, const char *text, size_t n_records,
                             uint64_t *n_bases, ninho_error *error)
{
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};

    *n_bases = 0;
    ninho_status status =
        path ? ninho_kmer_reader_open(path, 3, &reader, error)
             : ninho_kmer_reader_memory(text, strlen(text), 3, &reader, error);
    if (status) {
        CHECK(!reader);
        return status;
    }
    nh_kmer_reader_set_sizes(reader, 16, NINHO_KMER_RECORD_LIMIT);
    do {
        status = ninho_kmer_reader_next(reader, &batch, n_records, error);
        *n_bases += batch.n_bases;
    } while (!status && batch.n);
    CHECK_U64(batch.n, 0);
    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
    return status;
}

/* Every call of each function fails in turn, until all of them are over. */
static void check_every_failure(const char *path, const char *text, size_t n_records,
                                uint64_t expected)
{
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        for (unsigned n = 1;; n++) {
            ninho_error error = NINHO_ERROR_INIT;
            uint64_t n_bases;
            const int n_open = open_fd_count();
            wrap_plan(calls[c], n, 1, 0, ENOMEM);
            const ninho_status status = read_all(path, text, n_records, &n_bases, &error);
            const unsigned n_failed = wrap_end();
            test_where("%s number %u, %s", calls[c], n, path ? path : text);
            CHECK(open_fd_count() == n_open);
            if (!n_failed) {
                CHECK_OK(status);
                CHECK_U64(n_bases, expected);
                break;
            }
            CHECK_STATUS(status, NINHO_ERR_NOMEM);
            CHECK(error.status == NINHO_ERR_NOMEM && n_bases <= expected);
        }
}

static const char fasta[] = ">a\nACGTACGTACGTACGTACGTACGTACGTACGT\nACGT\n>b x\nAC\n"
                            ">c\nACGTACGTACGTACGTACGTACGTACGTACGTACGTACGT\n";
static const char fastq[] = "@a\nACGTACGT\n+\nIIIIIIII\n@b\nACGT\n+\nIIII\n";
static const char sam[] = "@HD\tVN:1.6\n"
                          "a\t4\t*\t0\t0\t*\t*\t0\t0\tACGTACGT\tIIIIIIII\n"
                          "b\t4\t*\t0\t0\t*\t*\t0\t0\tACGTACGTACGTACGT\t*\n";

static void a_reader_without_memory_says_so(void **state)
{
    struct temp_dir dir;
    char path[512];
    uint64_t n_bases;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    check_every_failure(NULL, fasta, 0, 78);
    check_every_failure(NULL, fasta, 2, 78);
    check_every_failure(NULL, fastq, 0, 12);
    temp_dir_make(&dir);
    file_write(temp_path(&dir, "fasta", path), fasta, sizeof fasta - 1);
    check_every_failure(path, "", 0, 78);
    file_write(path, sam, sizeof sam - 1);
    if (read_all(path, "", 0, &n_bases, &error) == NINHO_OK) /* there is htslib */
        check_every_failure(path, "", 0, 24);
    temp_dir_remove(&dir);
}

/* ---- Sets ---------------------------------------------------------------------------------- */

static void check_set(const ninho_kmer_set *set, const char *bases, size_t n,
                      uint64_t found)
{
    ninho_kmer_count count = {0};

    CHECK_OK(ninho_kmer_set_count(set, bases, n, &count));
    CHECK_U64(count.n_found, found);
}

enum { N = 100000 };

/* A set of the first N bases, to which the next N are added; each call of a function fails in turn.
 * Returns how many did. */
static unsigned check_adding(const ninho_kmer_rule *rule, const char *bases,
                             const char *call)
{
    const uint64_t n_windows = N - rule->k + 1;
    ninho_kmer_set *set = NULL;
    unsigned n = 0, n_failed;

    CHECK_OK(ninho_kmer_set_create(rule, &set, NULL));
    CHECK_OK(ninho_kmer_set_add(set, bases, rule->k - 1)); /* no window */
    CHECK_U64(ninho_kmer_set_distinct(set), 0);
    CHECK_OK(ninho_kmer_set_add(set, bases, N));
    CHECK(ninho_kmer_set_need(set, N) > 0 && ninho_kmer_set_need(set, 1) == 0);
    const uint64_t distinct = ninho_kmer_set_distinct(set);
    do {
        wrap_plan(call, ++n, 1, 0, ENOMEM);
        const ninho_status status = ninho_kmer_set_add(set, bases + N, N);
        n_failed = wrap_end();
        test_where("k = %u, %s number %u", rule->k, call, n);
        CHECK_STATUS(status, n_failed ? NINHO_ERR_NOMEM : NINHO_OK);
        CHECK(!n_failed == (ninho_kmer_set_distinct(set) > distinct));
        check_set(set, bases, N, n_windows);
    } while (n_failed);
    check_set(set, bases + N, N, n_windows);
    ninho_kmer_set_free(set);
    return n - 1;
}

/* With k = 15 the key is the k-mer; with k = 45 the bases are kept beside it. */
static void a_set_without_memory_is_as_it_was(void **state)
{
    struct test_rng rng = {7};
    char *bases = malloc(2 * (size_t)N);

    (void)state;
    CHECK(bases);
    for (size_t i = 0; i < 2 * (size_t)N; i++)
        bases[i] = "ACGT"[rng_below(&rng, 4)];
    for (uint32_t k = 15; k <= 45; k += 30) {
        const ninho_kmer_rule rule = {.k = k, .strand = NINHO_KMER_CANONICAL};
        const bool is_long = k > NINHO_KMER_MAX_EXACT_K;
        ninho_kmer_set *set = NULL;
        ninho_error error = NINHO_ERROR_INIT;
        wrap_plan("calloc", 1, 1, 0, ENOMEM);
        CHECK_STATUS(ninho_kmer_set_create(&rule, &set, &error), NINHO_ERR_NOMEM);
        CHECK_U64(wrap_end(), 1);
        CHECK(!set && error.status == NINHO_ERR_NOMEM);
        CHECK_U64(check_adding(&rule, bases, "malloc"), is_long ? 2 : 1);
        CHECK_U64(check_adding(&rule, bases, "realloc"), is_long ? 1 : 0);
        CHECK_OK(ninho_kmer_set_create(&rule, &set, &error));
        unsigned n_failed = 0; /* a compiler may make malloc() of realloc(NULL, ...) */
        for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
            ninho_kmer_count count = {0};
            wrap_plan(calls[c], 1, 1, 0, ENOMEM);
            const ninho_status status = ninho_kmer_set_count(set, bases, N, &count);
            const unsigned failed = wrap_end();
            CHECK_STATUS(status, failed ? NINHO_ERR_NOMEM : NINHO_OK);
            CHECK(count.n_kmers == (failed ? 0 : N - k + 1) && !count.n_found);
            n_failed += failed;
        }
        CHECK_U64(n_failed, is_long);
        ninho_kmer_set_free(set);
    }
    ninho_kmer_set_free(NULL);
    free(bases);
}

/* The same k-mers from the other strand are the same; with one base changed they are not. */
static void long_kmers_are_told_apart_to_the_last_base(void **state)
{
    enum { FEW = 200 };
    struct test_rng rng = {9};
    char bases[FEW], turned[FEW], other[FEW];

    (void)state;
    for (size_t i = 0; i < FEW; i++)
        bases[i] = "ACGT"[rng_below(&rng, 4)];
    for (size_t i = 0; i < FEW; i++)
        turned[i] = "TGCA"[strchr("ACGT", bases[FEW - 1 - i]) - "ACGT"];
    for (uint32_t k = 33; k <= 96; k += 9) {
        for (int canonical = 0; canonical < 2; canonical++) {
            const ninho_kmer_rule rule = {
                .k = k, .strand = canonical ? NINHO_KMER_CANONICAL : NINHO_KMER_FORWARD};
            ninho_kmer_set *set = NULL;
            test_where("k = %u, %d", k, canonical);
            CHECK_OK(ninho_kmer_set_create(&rule, &set, NULL));
            CHECK_OK(ninho_kmer_set_add(set, bases, FEW));
            check_set(set, bases, FEW, FEW - k + 1);
            check_set(set, turned, FEW, canonical ? FEW - k + 1 : 0);
            memcpy(other, bases, FEW);
            other[k - 1] = other[k - 1] == 'A' ? 'C' : 'A';
            check_set(set, other, k, 0);
            ninho_kmer_set_free(set);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_without_memory_says_so),
        cmocka_unit_test(a_set_without_memory_is_as_it_was),
        cmocka_unit_test(long_kmers_are_told_apart_to_the_last_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
