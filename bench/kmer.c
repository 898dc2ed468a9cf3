/* SPDX-License-Identifier: MIT */
/* k-mers of E. coli 536: how many tags the ways of adding move on them, which are counts and the
 * same on every machine; `ninho kmer` beside jellyfish and KMC as users call them, where those are
 * installed; and `ninho kmer` on a set that no cache holds.
 *
 * Reads are simulated: half of them pieces of the genome, from either strand, with one base in a
 * hundred replaced by another, the other half random bases. Every command gets plain FASTA files;
 * peers, which need minutes, may get the first reads only, and then rates are compared. What they
 * print comes through a pipe that this program empties, and is compared with the answer of an exact
 * set. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/kmer/kmer.h"
#include "apps/kmer/reader.h"
#include "command.h"

#define GENOME "bowtie-examples/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz"

enum { K = 31, READ_BASES = 150, READ_KMERS = READ_BASES - K + 1 };

static const ninho_kmer_rule rule = {K, NINHO_KMER_CANONICAL};

/* ---- The genome ---------------------------------------------------------------------------- */

/* Bases of one sequence, capitals; all of them ACGT if it was made here. */
struct sequence {
    char *bases;
    size_t n;
};

/* All records of a file, an N between them. False, with a note, if it cannot be had here. */
static bool read_genome(const char *path, struct sequence *genome, struct report *report)
{
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};
    ninho_error error = NINHO_ERROR_INIT;
    size_t room = 0;

    if (ninho_kmer_reader_open(path, 0, &reader, &error)) {
        char note[4400];
        snprintf(note, sizeof note,
                 "no k-mers are measured: %s: %s (tools/fetch-data ecoli fetches it)",
                 path, error.text);
        report_note(report, note);
        return false;
    }
    do {
        if (ninho_kmer_reader_next(reader, &batch, 0, &error))
            die("%s: %s", path, error.text);
        for (size_t i = 0; i < batch.n; i++) {
            const ninho_kmer_record *record = &batch.records[i];
            if (!genome->bases || genome->n + record->n_bases + 1 > room) {
                room = 2 * (genome->n + record->n_bases + 1);
                genome->bases = realloc(genome->bases, room);
                if (!genome->bases)
                    die("no memory for %zu bases", room);
            }
            if (record->is_first && genome->n)
                genome->bases[genome->n++] = 'N';
            for (size_t b = record->n_overlap; b < record->n_bases; b++)
                genome->bases[genome->n++] = (char)(record->bases[b] & ~0x20);
        }
    } while (batch.n);
    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
    return true;
}

static struct sequence make_genome(size_t n)
{
    struct sequence genome = {allocate(n, 1), n};
    uint64_t bits = 0;

    for (size_t i = 0; i < n; i++, bits >>= 2) {
        if (i % 32 == 0)
            bits = mix64(UINT64_C(1) << 62 | i);
        genome.bases[i] = "ACGT"[bits & 3];
    }
    return genome;
}

static void write_fasta(const struct folder *folder, const char *name,
                        const struct sequence *genome)
{
    enum { LINE = 70 };
    FILE *file = open_for_writing(folder, name);

    fputs(">genome\n", file);
    for (size_t i = 0; i < genome->n; i += LINE) {
        const size_t n = genome->n - i < LINE ? genome->n - i : LINE;
        fwrite(genome->bases + i, 1, n, file);
        fputc('\n', file);
    }
    close_written(file, name);
}

/* ---- Relocations --------------------------------------------------------------------------- */

enum {
    N_LOADS = 3,
    N_SEEDS = 5,
    N_BUCKETS = 1 << 20,
    BUCKET = 4,
    TAG_BITS = 12,
    LIMIT = 500
};

static const double loads[N_LOADS] = {.80, .90, .95};

/* What each must come to: around `wanted` within a share of it, or at most that. */
static const struct manner_of_adding {
    const char *name;
    ninho_choice choice;
    ninho_search search;
    double wanted[N_LOADS];
    double tolerance; /* 0: at most */
} manners_of_adding[] = {
    {"random + walk",
     NINHO_CHOICE_RANDOM,
     NINHO_SEARCH_WALK,
     {355e3, 1.30e6, 3.59e6},
     .04},
    {"emptier + walk",
     NINHO_CHOICE_EMPTIER,
     NINHO_SEARCH_WALK,
     {90e3, 616e3, 2.26e6},
     .05},
    {"emptier + bfs", NINHO_CHOICE_EMPTIER, NINHO_SEARCH_BFS, {60e3, 220e3, 420e3}, 0},
};

enum { N_WAYS = sizeof manners_of_adding / sizeof manners_of_adding[0] };

/* The distinct k-mers of the genome in the order in which they first occur. */
static uint64_t *list_distinct(const struct sequence *genome, size_t *n_distinct)
{
    size_t n_cells = 2;
    while (n_cells < 2 * genome->n)
        n_cells *= 2;
    uint64_t *keys = allocate(genome->n, sizeof *keys);
    uint64_t *cells = allocate(n_cells, sizeof *cells); /* key + 1, 0: empty; K < 32 */
    ninho_kmer_iter iter;
    uint64_t key;
    size_t n = 0;

    ninho_kmer_init(&iter, &rule);
    ninho_kmer_start(&iter, genome->bases, genome->n);
    while (ninho_kmer_next(&iter, &key)) {
        size_t at = mix64(key) & (n_cells - 1);
        while (cells[at] && cells[at] != key + 1)
            at = (at + 1) & (n_cells - 1);
        if (!cells[at])
            keys[n++] = key;
        cells[at] = key + 1;
    }
    free(cells);
    *n_distinct = n;
    return keys;
}

static ninho_filter *make_table(const struct manner_of_adding *way, uint64_t seed)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    spec.kind = NINHO_CUCKOO;
    spec.capacity = 1; /* the table is made by hand */
    spec.n_slots = (uint64_t)N_BUCKETS * BUCKET;
    spec.tag_bits = TAG_BITS;
    spec.slots = NINHO_BUCKETS;
    spec.place_slots = BUCKET;
    spec.pairing = NINHO_PAIRING_XOR;
    spec.choice = way->choice;
    spec.search = way->search;
    if (way->search == NINHO_SEARCH_WALK)
        spec.max_kicks = LIMIT;
    else
        spec.budget = LIMIT;
    spec.seed = seed;
    if (ninho_filter_create(&spec, NULL, &filter, &error))
        die("%s: %s", way->name, error.text);
    return filter;
}

/* Adds until a load is reached, load after load, and adds the moves so far to moves[]. */
static void count_moves(const struct manner_of_adding *way, uint64_t seed,
                        const uint64_t *hashes, size_t n, double *moves)
{
    ninho_filter *filter = make_table(way, seed);
    size_t done = 0;

    for (size_t l = 0; l < N_LOADS; l++) {
        const size_t to = (size_t)(loads[l] * N_BUCKETS * BUCKET);
        ninho_stats stats = NINHO_STATS_INIT;

        if (to > n)
            die("the genome has too few k-mers: %zu", n);
        if (ninho_filter_add_many(filter, hashes + done, to - done, NULL))
            die("%s: full before a load of %.2f", way->name, loads[l]);
        done = to;
        if (ninho_filter_stats(filter, &stats))
            die("no statistics");
        moves[l] += (double)stats.n_moves / N_SEEDS;
    }
    ninho_filter_free(filter);
}

static void bench_relocations(struct report *report, const uint64_t *keys, size_t n)
{
    struct fact_result facts[N_WAYS * N_LOADS];
    char names[N_WAYS * N_LOADS][64];
    double moves[N_WAYS][N_LOADS] = {{0}};
    uint64_t *hashes = allocate(n, sizeof *hashes);
    char title[256];

    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        const ninho_hasher hasher = {.id = NINHO_HASH_XXH3, .seed = seed};
        ninho_kmer_hash(&hasher, keys, n, hashes);
        for (size_t w = 0; w < N_WAYS; w++)
            count_moves(&manners_of_adding[w], seed, hashes, n, moves[w]);
        show_progress("kmer: relocations", (size_t)seed + 1, N_SEEDS);
    }
    for (size_t w = 0, i = 0; w < N_WAYS; w++)
        for (size_t l = 0; l < N_LOADS; l++, i++) {
            const struct manner_of_adding *way = &manners_of_adding[w];
            const double wanted = way->wanted[l];
            snprintf(names[i], sizeof names[i], "%s, load %.2f", way->name, loads[l]);
            facts[i] = (struct fact_result){
                names[i], moves[w][l],
                way->tolerance > 0 ? (1 - way->tolerance) * wanted : 0,
                way->tolerance > 0 ? (1 + way->tolerance) * wanted : wanted};
        }
    snprintf(
        title, sizeof title,
        "tags moved while the first of the %zu distinct canonical %d-mers of E. coli "
        "536 are added\nin genome order: %d buckets of %d, %d-bit tags, %d kicks or "
        "nodes, mean of %d seeds",
        n, K, N_BUCKETS, BUCKET, TAG_BITS, LIMIT, N_SEEDS);
    report_facts(report, "kmer_relocations", title, facts, N_WAYS * N_LOADS);
    free(hashes);
}

/* ---- Reads --------------------------------------------------------------------------------- */

static void put_errors(char *bases, uint64_t *random)
{
    for (size_t i = 0; i < READ_BASES; i++) {
        *random = mix64(*random);
        if (*random % 100 != 0)
            continue;
        /* one of the other three */
        const char *at = strchr("ACGTACG", bases[i]);
        if (at)
            bases[i] = at[1 + (*random >> 32) % 3];
    }
}

static void reverse_complement(char *bases)
{
    static const char complements[] = {
        ['A'] = 'T', ['C'] = 'G', ['G'] = 'C', ['T'] = 'A', ['N'] = 'N'};

    for (size_t i = 0, j = READ_BASES - 1; i <= j; i++, j--) {
        const char last = bases[j];
        bases[j] = complements[(unsigned char)bases[i] & 0x7F];
        bases[i] = complements[(unsigned char)last & 0x7F];
    }
}

static void make_read(const struct sequence *genome, size_t number, char *bases)
{
    uint64_t random = mix64(UINT64_C(1) << 61 | number);

    if (number % 2) {
        for (size_t i = 0; i < READ_BASES; i++) {
            random = mix64(random);
            bases[i] = "ACGT"[random >> 62];
        }
        return;
    }
    memcpy(bases, genome->bases + random % (genome->n - READ_BASES + 1), READ_BASES);
    random = mix64(random);
    if (random >> 63)
        reverse_complement(bases);
    put_errors(bases, &random);
}

/* What is in a file of reads, exactly. */
struct reads {
    size_t n;
    uint64_t n_kmers;
    uint64_t n_members;
};

/* Writes the first n reads to a file, and looks all of their k-mers up. */
static struct reads write_reads(const struct folder *folder, const char *name,
                                const struct sequence *genome, size_t n,
                                const ninho_kmer_set *set)
{
    FILE *file = open_for_writing(folder, name);
    ninho_kmer_count count = {0};

    if (genome->n < READ_BASES)
        die("a genome of %zu bases is too short for reads", genome->n);
    for (size_t i = 0; i < n; i++) {
        char bases[READ_BASES];
        make_read(genome, i, bases);
        fprintf(file, ">r%zu\n%.*s\n", i, READ_BASES, bases);
        if (ninho_kmer_set_count(set, bases, READ_BASES, &count))
            die("no memory");
        if (i % 4096 == 0)
            show_progress("kmer: reads", i, n);
    }
    show_progress("kmer: reads", n, n);
    close_written(file, name);
    return (struct reads){n, (uint64_t)n * READ_KMERS, count.n_found};
}

/* ---- What the commands print --------------------------------------------------------------- */

/* name TAB k-mers TAB found TAB fraction: the sum of the third column. */
struct tsv_state {
    unsigned column;
    uint64_t number;
};

static void sum_found(void *state, const char *bytes, size_t n, uint64_t *answer)
{
    struct tsv_state *tsv = state;

    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\t' || bytes[i] == '\n') {
            if (tsv->column == 2)
                *answer += tsv->number;
            tsv->number = 0;
            tsv->column = bytes[i] == '\n' ? 0 : tsv->column + 1;
        } else if (tsv->column == 2) {
            tsv->number = 10 * tsv->number + (uint64_t)(bytes[i] - '0');
        }
    }
}

/* jellyfish: KMER BLANK COUNT, one line for each k-mer: those whose count is not 0. */
static void count_nonzero(void *state, const char *bytes, size_t n, uint64_t *answer)
{
    struct tsv_state *line = state; /* column 1: the count begins here */

    for (size_t i = 0; i < n; i++) {
        if (line->column == 1)
            *answer += bytes[i] != '0';
        line->column = bytes[i] == ' ';
    }
}

/* ---- The contestants ----------------------------------------------------------------------- */

#define GENOME_FILE "genome.fa"
#define READS_FILE  "reads.fa"
#define PEERS_FILE  "peers.fa"
#define NINHO_FILE  "genome.ninho"

enum { MAX_WORDS = 16, MAX_CONTESTANTS = 8 };

enum { BUILDS, BUILDS_KMC, QUERY, QUERY_2, QUERY_JELLYFISH, QUERY_KMC };

struct contestant {
    int id;
    bool is_exact;
    const char *name;
    char *command[MAX_WORDS];
    answer_reader reader;      /* NULL: it prints nothing to be counted */
    uint64_t n_kmers;          /* that it works through */
    const struct reads *reads; /* if it reads any */
    const struct folder *folder;
    /* results */
    double *cpu_seconds, *seconds;
    uint64_t n_found;
    size_t n_runs;
};

/* The members are all found, and by an exact program nothing else is. */
static void check_found(const struct contestant *contestant, uint64_t n_found)
{
    const struct reads *reads = contestant->reads;
    const double n_absent = (double)(reads->n_kmers - reads->n_members);
    const double slack = contestant->is_exact ? 0 : 1.1 * 0.002 * n_absent + 100;

    if (n_found < reads->n_members || (double)n_found > (double)reads->n_members + slack)
        die("%s: found %llu k-mers, and %llu are in the genome", contestant->name,
            (unsigned long long)n_found, (unsigned long long)reads->n_members);
}

static double run_contestant(void *context)
{
    struct contestant *contestant = context;
    struct tsv_state state = {0};
    const struct outcome outcome =
        run_command(contestant->folder, contestant->command, "/dev/null",
                    contestant->reader ? contestant->reader : count_lines, &state);

    if (contestant->reader) {
        check_found(contestant, outcome.answer);
        contestant->n_found = outcome.answer;
    }
    contestant->seconds[contestant->n_runs++] = outcome.seconds;
    return outcome.cpu_seconds;
}

/* All that can be run here. */
static size_t list_contestants(struct contestant *list, char *ninho, uint64_t n_genome,
                               const struct reads *ours, const struct reads *peers)
{
    size_t n = 0;

    list[n++] = (struct contestant){
        .id = BUILDS,
        .name = "ninho kmer build",
        .command = {ninho, "kmer", "build", NINHO_FILE, "-k", "31", "--fpr", "0.2%",
                    "--threads", "1", GENOME_FILE},
        .n_kmers = n_genome,
    };
    if (is_installed("kmc"))
        list[n++] = (struct contestant){
            .id = BUILDS_KMC,
            .name = "kmc",
            .command = {"kmc", "-k31", "-ci1", "-t1", "-m4", "-r", "-hp", "-fm",
                        GENOME_FILE, "genome.kmc", "."},
            .n_kmers = n_genome,
        };
    list[n++] = (struct contestant){
        .id = QUERY,
        .name = "ninho kmer check",
        .command = {ninho, "kmer", "check", "--threads", "1", NINHO_FILE, READS_FILE},
        .reader = sum_found,
        .reads = ours,
    };
    list[n++] = (struct contestant){
        .id = QUERY_2,
        .name = "ninho kmer check, two threads",
        .command = {ninho, "kmer", "check", "--threads", "2", NINHO_FILE, READS_FILE},
        .reader = sum_found,
        .reads = ours,
    };
    if (is_installed("jellyfish"))
        list[n++] = (struct contestant){
            .id = QUERY_JELLYFISH,
            .name = "jellyfish query -s",
            .command = {"jellyfish", "query", "-s", PEERS_FILE, "genome.jf"},
            .reader = count_nonzero,
            .reads = peers,
            .is_exact = true,
        };
    if (is_installed("kmc") && is_installed("kmc_tools"))
        list[n++] = (struct contestant){
            .id = QUERY_KMC,
            .name = "kmc_tools filter",
            .command = {"kmc_tools", "-t1", "-hp", "filter", "genome.kmc", "-ci1",
                        PEERS_FILE, "-fa", "-ci0.5", "filtered.fa", "-fa"},
            .reads = peers,
        };
    for (size_t i = 0; i < n; i++)
        if (list[i].reads)
            list[i].n_kmers = list[i].reads->n_kmers;
    return n;
}

/* What the queries ask, made once beforehand: whoever begins then finds it. */
static void build_indexes(const struct folder *folder, const struct contestant *list,
                          size_t n)
{
    char *const count[] = {"jellyfish", "count",     "-m", "31", "-C",
                           "-s",        "10M",       "-t", "1",  "-o",
                           "genome.jf", GENOME_FILE, NULL};

    for (size_t i = 0; i < n; i++) {
        if (list[i].id == BUILDS || list[i].id == BUILDS_KMC)
            run_command(folder, list[i].command, "/dev/null", count_lines, NULL);
        if (list[i].id == QUERY_JELLYFISH)
            run_command(folder, count, "/dev/null", count_lines, NULL);
    }
}

static const struct contestant *find(const struct contestant *list, size_t n, int id)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].id == id)
            return &list[i];
    return NULL;
}

static void compare(struct report *report, const struct contestant *list, size_t n,
                    size_t n_repetitions)
{
    static const struct pair {
        const char *what;
        int slow, fast;
        bool is_elapsed;
        double target;
    } pairs[] = {
        {"ninho kmer check, processor time, than jellyfish query", QUERY_JELLYFISH, QUERY,
         false, 40},
        {"ninho kmer check, processor time, than kmc_tools filter", QUERY_KMC, QUERY,
         false, 20},
        {"ninho kmer build, processor time, than kmc", BUILDS_KMC, BUILDS, false, 4},
        {"ninho kmer check, elapsed, two threads than one", QUERY, QUERY_2, true, 1.7},
    };
    struct ratio_result ratios[sizeof pairs / sizeof pairs[0]];
    size_t n_ratios = 0;

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct contestant *slow = find(list, n, pairs[i].slow);
        const struct contestant *fast = find(list, n, pairs[i].fast);
        if (!slow || !fast)
            continue;
        struct estimate ratio =
            pairs[i].is_elapsed
                ? ratio_interval(slow->seconds, fast->seconds, n_repetitions)
                : ratio_interval(slow->cpu_seconds, fast->cpu_seconds, n_repetitions);
        const double per_kmer = (double)fast->n_kmers / (double)slow->n_kmers;
        ratio.low *= per_kmer;
        ratio.median *= per_kmer;
        ratio.high *= per_kmer;
        ratios[n_ratios++] = (struct ratio_result){pairs[i].what, pairs[i].target, ratio};
    }
    report_ratios(report, "times faster on k-mers", ratios, n_ratios, n_repetitions);
}

/* Runs all of them interleaved, and reports what they took. */
static void run_contestants(struct report *report, const char *id, const char *title,
                            struct contestant *list, size_t n, size_t n_repetitions)
{
    struct job jobs[MAX_CONTESTANTS];
    struct rate_result results[MAX_CONTESTANTS];

    for (size_t i = 0; i < n; i++) {
        list[i].seconds = allocate(n_repetitions, sizeof(double));
        list[i].cpu_seconds = allocate(n_repetitions, sizeof(double));
        jobs[i] = (struct job){run_contestant, &list[i], list[i].cpu_seconds};
    }
    for (size_t repetition = 0; repetition < n_repetitions; repetition++) {
        run_repetition(jobs, n, repetition);
        show_progress("kmer: commands", repetition + 1, n_repetitions);
    }
    for (size_t i = 0; i < n; i++)
        results[i] =
            (struct rate_result){list[i].name, list[i].cpu_seconds, list[i].seconds,
                                 list[i].n_kmers, list[i].n_found};
    report_rates(report, id, title, results, n, n_repetitions);
}

static void free_contestants(struct contestant *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(list[i].seconds);
        free(list[i].cpu_seconds);
    }
}

/* ---- Beside peers -------------------------------------------------------------------------- */

/* What `ninho kmer check` finds of a file. */
static uint64_t count_found(const struct folder *folder, char *ninho, char *file)
{
    char *const command[] = {ninho, "kmer", "check", NINHO_FILE, file, NULL};
    struct tsv_state state = {0};

    return run_command(folder, command, "/dev/null", sum_found, &state).answer;
}

/* Bytes, errors and the lack of others, of the index that was built last. */
static void report_index(struct report *report, const char *id, const char *title,
                         const struct folder *folder, double n_distinct, double n_missed,
                         const struct reads *reads, uint64_t n_found)
{
    const struct fact_result facts[] = {
        {"bytes per distinct k-mer, the whole file",
         (double)size_of_file(folder, NINHO_FILE) / n_distinct, 0, 1.6},
        {"fpr measured on the reads, %",
         100 * (double)(n_found - reads->n_members) /
             (double)(reads->n_kmers - reads->n_members),
         0, 0.2},
        {"k-mers of the genome that are not found", n_missed, 0, 0},
    };

    report_facts(report, id, title, facts, sizeof facts / sizeof facts[0]);
}

static void bench_commands(const struct options *options, struct report *report,
                           const struct sequence *genome, size_t n_distinct)
{
    static char ninho[4096];
    const struct folder *folder = work_folder();
    const uint64_t n_genome = genome->n - K + 1;
    struct contestant list[MAX_CONTESTANTS];
    ninho_kmer_set *set = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    char title[320];

    find_ninho(options, ninho, sizeof ninho);
    if (ninho_kmer_set_create(&rule, &set, &error) ||
        ninho_kmer_set_add(set, genome->bases, genome->n))
        die("no memory for an exact set");
    if (ninho_kmer_set_distinct(set) != n_distinct)
        die("an exact set holds %llu k-mers, and there are %zu",
            (unsigned long long)ninho_kmer_set_distinct(set), n_distinct);
    write_fasta(folder, GENOME_FILE, genome);
    const struct reads reads =
        write_reads(folder, READS_FILE, genome, options->n_kmer_reads, set);
    const struct reads peers =
        write_reads(folder, PEERS_FILE, genome, options->n_kmer_peer_reads, set);
    ninho_kmer_set_free(set);

    const size_t n = list_contestants(list, ninho, n_genome, &reads, &peers);
    for (size_t i = 0; i < n; i++)
        list[i].folder = folder;
    build_indexes(folder, list, n);
    snprintf(
        title, sizeof title,
        "E. coli 536, k = %d, canonical; %zu reads of %d bases (peers: the first %zu), "
        "one base in 100 wrong,\nhalf of the reads from the genome and half random; one "
        "thread unless it says otherwise, %zu repetitions\ninterleaved",
        K, reads.n, READ_BASES, peers.n, options->n_kmer_repetitions);
    run_contestants(report, "kmer_commands", title, list, n, options->n_kmer_repetitions);
    if (!is_installed("jellyfish"))
        report_note(report,
                    "jellyfish is not installed (Debian: apt-get install jellyfish)");
    if (!is_installed("kmc"))
        report_note(report, "kmc is not installed (Debian: apt-get install kmc)");
    compare(report, list, n, options->n_kmer_repetitions);
    report_index(report, "kmer_index", "the index of E. coli 536, --fpr 0.2%", folder,
                 (double)n_distinct,
                 (double)n_genome - (double)count_found(folder, ninho, GENOME_FILE),
                 &reads, find(list, n, QUERY)->n_found);
    free_contestants(list, n);
    empty_work_folder();
}

/* ---- Beyond the cache ---------------------------------------------------------------------- */

/* Random bases: at K = 31 next to no two windows are equal, and of random reads next to no k-mer is
 * in it. So every window counts as distinct, and what is found of random reads is an error. */
static void bench_large(const struct options *options, struct report *report)
{
    static char ninho[4096];
    const struct folder *folder = work_folder();
    const struct sequence genome = make_genome(options->n_kmer_large + K - 1);
    struct contestant all[MAX_CONTESTANTS];
    struct contestant list[MAX_CONTESTANTS];
    ninho_kmer_set *set = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    char title[256];
    size_t n = 0;

    find_ninho(options, ninho, sizeof ninho);
    if (ninho_kmer_set_create(&rule, &set, &error) ||
        ninho_kmer_set_add(set, genome.bases, genome.n))
        die("no memory for an exact set of %zu k-mers", options->n_kmer_large);
    const uint64_t n_distinct = ninho_kmer_set_distinct(set);
    write_fasta(folder, GENOME_FILE, &genome);
    const struct reads reads =
        write_reads(folder, READS_FILE, &genome, options->n_kmer_reads, set);
    ninho_kmer_set_free(set);

    const size_t n_all =
        list_contestants(all, ninho, options->n_kmer_large, &reads, &reads);
    for (size_t i = 0; i < n_all; i++)
        if (all[i].id == BUILDS || all[i].id == QUERY || all[i].id == QUERY_2) {
            list[n] = all[i];
            list[n++].folder = folder;
        }
    build_indexes(folder, list, n);
    snprintf(title, sizeof title,
             "%llu distinct k-mers of a random genome, a filter of %.0f MB; %zu reads as "
             "before; %zu repetitions",
             (unsigned long long)n_distinct,
             1e-6 * (double)size_of_file(folder, NINHO_FILE), reads.n,
             options->n_kmer_repetitions);
    run_contestants(report, "kmer_large", title, list, n, options->n_kmer_repetitions);
    report_index(report, "kmer_large_index", "the index of the random genome, --fpr 0.2%",
                 folder, (double)n_distinct,
                 (double)options->n_kmer_large -
                     (double)count_found(folder, ninho, GENOME_FILE),
                 &reads, find(list, n, QUERY)->n_found);
    free_contestants(list, n);
    free(genome.bases);
    empty_work_folder();
}

void bench_kmer(const struct options *options, struct report *report)
{
    struct sequence genome = {0};
    char path[4096];
    size_t n_distinct;

    snprintf(path, sizeof path, "%s/" GENOME, options->data);
    if (!read_genome(path, &genome, report))
        return;
    uint64_t *keys = list_distinct(&genome, &n_distinct);
    bench_relocations(report, keys, n_distinct);
    free(keys);
    bench_commands(options, report, &genome, n_distinct);
    free(genome.bases);
    if (options->n_kmer_large)
        bench_large(options, report);
}
