/* SPDX-License-Identifier: MIT */
/* Measures hyphenation: every way to keep exceptions, beside libhyphen and npm's hypher; running
 * text; loading.
 *
 * Words are the whole English list, output is written to memory by all. Exceptions are TeX's own
 * 14 where the language is compared with peers, which have none; and these with ushyphex's, 1,767
 * together, where ways to keep them are compared: those must write the same bytes (but for the one
 * without exceptions), or the run stops. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/hyphen/exceptions.h"
#include "apps/hyphen/languages.h"
#include "apps/hyphen/text.h"
#include "bench.h"
#include "peer_hyphen.h"

#define LANGUAGE "en-us"
#define PATTERNS \
    "librust-hyphenation-dev/usr/share/cargo/registry/hyphenation-0.7.1/patterns"
#define EXCEPTIONS \
    "texlive-base/usr/share/texlive/texmf-dist/tex/generic/hyphenex/ushyphex.tex"
#define WORDS "wamerican-insane/usr/share/dict/american-english-insane"
#define PROSE "/usr/share/common-licenses/GPL-3"

enum {
    N_SAMPLED = 466550, /* the size of the study's dictionary */
    TEXT_BYTES = 16 << 20,
    MAX_PATH = 1024,
    MAX_ROWS = 16,
    MAX_OUTPUT = 32 << 20
};

/* ---- Files --------------------------------------------------------------------------------- */

static char folder[256]; /* removed at exit */
static const char *const folder_files[] = {
    "compiled.nhy",     "own.dic",        "exceptions.txt", "sampled.txt",
    "plain.lmdb",       "filter.lmdb",    "hyph.err",       "plain.lmdb-lock",
    "filter.lmdb-lock", "plain.lmdb-sum", "filter.lmdb-sum"};

static const char *in_folder(const char *name)
{
    static char path[320];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void remove_folder(void)
{
    for (size_t i = 0; i < sizeof folder_files / sizeof folder_files[0]; i++)
        unlink(in_folder(folder_files[i]));
    rmdir(folder);
}

static void make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    const int length = snprintf(folder, sizeof folder, "%s/ninho-hyphen-XXXXXX",
                                parent && *parent ? parent : "/tmp");

    if (length < 0 || (size_t)length >= sizeof folder)
        die("TMPDIR: too long a path");
    if (!mkdtemp(folder))
        die("%s: %s", folder, strerror(errno));
    if (atexit(remove_folder))
        die("atexit: no room");
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat status;

    if (!file || fstat(fileno(file), &status))
        die("%s: %s (run: tools/fetch-data words patterns ushyphex)", path,
            strerror(errno));
    *size = (size_t)status.st_size;
    char *bytes = allocate(*size + 1, 1);
    if (fread(bytes, 1, *size, file) != *size)
        die("%s: could not be read", path);
    fclose(file);
    return bytes;
}

static const char *data_path(const struct options *options, const char *name)
{
    static char path[MAX_PATH];

    snprintf(path, sizeof path, "%s/%s", options->data, name);
    return path;
}

/* ---- Words --------------------------------------------------------------------------------- */

static struct word_list list_words(char *bytes, size_t size)
{
    struct word_list list = {.bytes = bytes};
    size_t n = 0;

    for (size_t i = 0; i < size; i++)
        n += bytes[i] == '\n';
    list.words = allocate(n, sizeof *list.words);
    for (char *at = bytes; at < bytes + size;) {
        char *end = memchr(at, '\n', (size_t)(bytes + size - at));
        if (!end)
            break;
        list.words[list.n++] = (struct word){at, (size_t)(end - at)};
        list.n_bytes += (size_t)(end - at) + 1;
        at = end + 1;
    }
    return list;
}

/* Some of the words, in their order: each is taken with the probability that fills the sample. */
static struct word_list sample_words(const struct word_list *all, size_t n_wanted)
{
    struct word_list list = {.words = allocate(n_wanted, sizeof *list.words)};

    for (size_t i = 0; i < all->n && list.n < n_wanted; i++) {
        const uint64_t left = all->n - i;
        if (mix64(UINT64_C(2022) << 32 | i) % left < n_wanted - list.n) {
            list.words[list.n++] = all->words[i];
            list.n_bytes += all->words[i].size + 1;
        }
    }
    return list;
}

static void write_words(const char *path, const struct word_list *list)
{
    FILE *file = fopen(path, "wb");

    if (!file)
        die("%s: %s", path, strerror(errno));
    for (size_t i = 0; i < list->n; i++) {
        fwrite(list->words[i].text, 1, list->words[i].size, file);
        fputc('\n', file);
    }
    if (ferror(file) | fclose(file))
        die("%s: could not be written", path);
}

/* ---- Our variants -------------------------------------------------------------------------- */

/* Which exceptions. */
enum extent { TEX_ONLY, WITH_USHYPHEX };

struct hyphen_variant {
    const char *name;
    enum extent extent;
    ninho_hyphen_inclusion inclusion;
    ninho_hyphen_store store; /* 0: none */
    bool has_filter;
    const char *file; /* of an LMDB store */
    /* made */
    ninho_hyphen_language *language;
    ninho_hyphen_exceptions *exceptions;
    ninho_hyphenator *hyphenator;
    const struct word_list *words;
    char *output;
    size_t n_output;
    double *samples;
};

static ninho_hyphen_rules *read_rules(const struct options *options, enum extent extent)
{
    ninho_hyphen_rules *rules = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_hyphen_rules_create(NULL, &rules))
        die("no memory");
    if (ninho_hyphen_read_language(rules, data_path(options, PATTERNS), LANGUAGE,
                                   NINHO_HYPHEN_LIST_TEX, NULL, &error))
        die("%s", error.text);
    if (extent == WITH_USHYPHEX &&
        ninho_hyphen_rules_read_file(rules, NINHO_HYPHEN_TEX,
                                     data_path(options, EXCEPTIONS), &error))
        die("%s", error.text);
    return rules;
}

static ninho_hyphen_language *compile(const ninho_hyphen_rules *rules,
                                      ninho_hyphen_inclusion inclusion)
{
    ninho_hyphen_options how = NINHO_HYPHEN_OPTIONS_INIT;
    ninho_hyphen_language *language = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    how.name = LANGUAGE;
    how.exceptions = inclusion;
    if (ninho_hyphen_compile(rules, &how, NULL, &language, &error))
        die("compile: %s", error.text);
    return language;
}

static void variant_open(struct hyphen_variant *variant, const struct options *options)
{
    ninho_hyphen_rules *rules = read_rules(options, variant->extent);
    ninho_hyphen_store_options how = NINHO_HYPHEN_STORE_OPTIONS_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    char path[320];

    variant->language = compile(rules, variant->inclusion);
    if (variant->store) {
        how.store = variant->store;
        if (variant->file) {
            snprintf(path, sizeof path, "%s", in_folder(variant->file));
            how.path = path;
        }
        if (variant->has_filter) {
            how.filter = (ninho_spec)NINHO_SPEC_INIT;
            how.filter.kind = NINHO_BLOCKED;
            how.filter.fpr = options->fpr;
        }
        if (ninho_hyphen_exceptions_create(&how, rules, NULL, &variant->exceptions,
                                           &error))
            die("%s: %s", variant->name, error.text);
    }
    if (ninho_hyphenator_create(variant->language, variant->exceptions, NULL,
                                &variant->hyphenator, &error))
        die("%s: %s", variant->name, error.text);
    ninho_hyphen_rules_free(rules);
}

static void variant_close(struct hyphen_variant *variant)
{
    ninho_hyphenator_free(variant->hyphenator);
    ninho_hyphen_exceptions_free(variant->exceptions);
    ninho_hyphen_language_free(variant->language);
    free(variant->samples);
}

/* One call for each word, as a program would that has words. Nanoseconds for a word. */
static double run_variant(void *context)
{
    struct hyphen_variant *variant = context;
    char *out = variant->output;
    char *end = out + MAX_OUTPUT;

    ninho_hyphenator_reset_counters(variant->hyphenator);
    const double start = seconds_of_thread();
    for (size_t i = 0; i < variant->words->n; i++) {
        const struct word *word = &variant->words->words[i];
        out += ninho_hyphenator_write(variant->hyphenator, word->text, word->size, "-", 1,
                                      out, (size_t)(end - out));
        *out++ = '\n';
    }
    const double seconds = seconds_of_thread() - start;
    variant->n_output = (size_t)(out - variant->output);
    return 1e9 * seconds / (double)variant->words->n;
}

/* ---- Text and loading ---------------------------------------------------------------------- */

struct text_job {
    ninho_hyphenator *hyphenator;
    const char *text;
    size_t size;
    char *output; /* 64 KiB, written again and again, as a pipe would */
    size_t n_output;
    size_t n_words;
};

static ninho_status take_text(void *context, const void *bytes, size_t size)
{
    struct text_job *job = context;

    for (size_t done = 0; done < size;) {
        const size_t at = job->n_output % 65536;
        const size_t part = size - done < 65536 - at ? size - done : 65536 - at;
        memcpy(job->output + at, (const char *)bytes + done, part);
        job->n_output += part;
        done += part;
    }
    return NINHO_OK;
}

static double stream_seconds(struct text_job *job, const ninho_hyphen_text_options *how)
{
    ninho_hyphen_stream *stream = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    job->n_output = 0;
    const double start = seconds_of_thread();
    if (ninho_hyphen_stream_create(job->hyphenator, how, take_text, job, NULL, &stream,
                                   &error))
        die("%s", error.text);
    for (size_t at = 0; at < job->size; at += 65536) {
        const size_t part = job->size - at < 65536 ? job->size - at : 65536;
        if (ninho_hyphen_stream_feed(stream, job->text + at, part))
            die("text: could not be fed");
    }
    if (ninho_hyphen_stream_finish(stream))
        die("text: could not be finished");
    ninho_hyphen_stream_free(stream);
    const double seconds = seconds_of_thread() - start;
    if (job->n_output <= job->size)
        die("text: there is no break in it");
    return seconds;
}

/* Megabytes (10^6) of input in a second. */
static double run_text(void *context)
{
    struct text_job *job = context;

    return 1e-6 * (double)job->size / stream_seconds(job, NULL);
}

/* The list as lines of words, and prose, each repeated to the size wanted. */
static char *repeat(const char *bytes, size_t size)
{
    char *text = allocate(TEXT_BYTES, 1);

    for (size_t at = 0; at < TEXT_BYTES; at += size)
        memcpy(text + at, bytes, TEXT_BYTES - at < size ? TEXT_BYTES - at : size);
    return text;
}

/* All words as lines of one text. Nanoseconds for a word. */
static double run_lines(void *context)
{
    struct text_job *job = context;
    ninho_hyphen_text_options how = NINHO_HYPHEN_TEXT_OPTIONS_INIT;

    how.units = NINHO_HYPHEN_LINES;
    return 1e9 * stream_seconds(job, &how) / (double)job->n_words;
}

struct load_job {
    const struct options *options;
    double *samples;
};

/* Milliseconds. */
static double run_load_text(void *context)
{
    const struct load_job *job = context;
    const double start = seconds_of_thread();
    ninho_hyphen_rules *rules = read_rules(job->options, TEX_ONLY);
    ninho_hyphen_language *language = compile(rules, NINHO_HYPHEN_COMPILED);

    ninho_hyphen_rules_free(rules);
    const double seconds = seconds_of_thread() - start;
    ninho_hyphen_language_free(language);
    return 1e3 * seconds;
}

static double run_load_compiled(void *context)
{
    ninho_hyphen_language *language = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    (void)context;
    const double start = seconds_of_thread();
    if (ninho_hyphen_map(in_folder("compiled.nhy"), NULL, &language, &error))
        die("compiled.nhy: %s", error.text);
    const double seconds = seconds_of_thread() - start;
    ninho_hyphen_language_free(language);
    return 1e3 * seconds;
}

/* ---- The whole ----------------------------------------------------------------------------- */

#define APART .extent = WITH_USHYPHEX, .inclusion = NINHO_HYPHEN_LEFT_OUT
static struct hyphen_variant variants[] = {
    {.name = "ninho, as it comes", .extent = TEX_ONLY},
    {.name = "1,767 exceptions: compiled in", .extent = WITH_USHYPHEX},
    {.name = "    none", APART},
    {.name = "    memory", APART, .store = NINHO_HYPHEN_DICT},
    {.name = "    filter + memory",
     APART,
     .store = NINHO_HYPHEN_DICT,
     .has_filter = true},
    {.name = "    LMDB", APART, .store = NINHO_HYPHEN_LMDB, .file = "plain.lmdb"},
    {.name = "    filter + LMDB",
     APART,
     .store = NINHO_HYPHEN_LMDB,
     .has_filter = true,
     .file = "filter.lmdb"},
};

enum {
    N_VARIANTS = sizeof variants / sizeof variants[0],
    DEFAULT = 0,
    COMPILED = 1,
    NONE = 2,
    FILTER_MEMORY = 4
};

static bool is_there(const struct hyphen_variant *variant)
{
    return !variant->store || ninho_hyphen_has_store(variant->store);
}

static double tell_memory(void *context)
{
    ninho_hyphen_info info = NINHO_HYPHEN_INFO_INIT;

    (void)context;
    (void)ninho_hyphen_info_of(variants[DEFAULT].language, &info);
    return 1e-3 * (double)info.memory_bytes;
}

/* The same bytes from all that have the exceptions. */
static void check_outputs(const struct word_list *words)
{
    char *expected = allocate(MAX_OUTPUT, 1);
    char *got = allocate(MAX_OUTPUT, 1);

    variants[COMPILED].words = words;
    variants[COMPILED].output = expected;
    (void)run_variant(&variants[COMPILED]);
    for (size_t i = NONE + 1; i < N_VARIANTS; i++) {
        if (!is_there(&variants[i]))
            continue;
        variants[i].words = words;
        variants[i].output = got;
        (void)run_variant(&variants[i]);
        if (variants[i].n_output != variants[COMPILED].n_output ||
            memcmp(got, expected, variants[i].n_output) != 0)
            die("%s: other output than with exceptions compiled in", variants[i].name);
    }
    free(expected);
    free(got);
}

static void describe_variant(const struct hyphen_variant *variant, char *text,
                             size_t room)
{
    const ninho_hyphen_counters counters = ninho_hyphenator_counters(variant->hyphenator);
    ninho_hyphen_info info = NINHO_HYPHEN_INFO_INIT;
    ninho_hyphen_store_info store = NINHO_HYPHEN_STORE_INFO_INIT;
    size_t used;

    (void)ninho_hyphen_info_of(variant->language, &info);
    used = (size_t)snprintf(text, room, "%zu KB", (info.memory_bytes + 999) / 1000);
    if (!variant->exceptions || used >= room)
        return;
    (void)ninho_hyphen_store_info_of(variant->exceptions, &store);
    used += (size_t)snprintf(text + used, room - used, " + %llu KB store",
                             (unsigned long long)(store.store_bytes + 999) / 1000);
    if (variant->has_filter && used < room)
        snprintf(text + used, room - used,
                 " + %.1f KB filter: %llu of %llu lookups saved, %llu false positives",
                 1e-3 * (double)store.filter_bytes, (unsigned long long)counters.saved,
                 (unsigned long long)counters.asked,
                 (unsigned long long)counters.false_positives);
}

/* The exceptions as plain lines, for the peers. */
static void write_exceptions(const ninho_hyphen_rules *rules)
{
    FILE *file = fopen(in_folder("exceptions.txt"), "wb");
    char word[NINHO_HYPHEN_MAX_EXCEPTION];

    if (!file)
        die("%s: %s", in_folder("exceptions.txt"), strerror(errno));
    for (size_t i = 0; ninho_hyphen_rules_exception(rules, i, word, sizeof word); i++)
        fprintf(file, "%s\n", word);
    if (ferror(file) | fclose(file))
        die("exceptions.txt: could not be written");
}

static void bench_words(const struct options *options, struct report *report,
                        const struct word_list *words)
{
    const size_t n = options->n_hyphen_repetitions;
    struct row_result rows[MAX_ROWS];
    static char remarks[MAX_ROWS][160];
    struct job jobs[MAX_ROWS];
    struct hyphen_peer peers[2];
    struct ratio_result ratios[4 + N_VARIANTS];
    struct text_job lines = {.hyphenator = variants[DEFAULT].hyphenator,
                             .text = words->bytes,
                             .size = words->n_bytes,
                             .output = allocate(65536, 1),
                             .n_words = words->n};
    size_t n_rows = 0;
    size_t n_ratios = 0;
    char *output = allocate(MAX_OUTPUT, 1);

    for (size_t i = 0; i < N_VARIANTS; i++) {
        if (!is_there(&variants[i]))
            continue;
        variants[i].words = words;
        variants[i].output = output;
        variants[i].samples = allocate(n, sizeof(double));
        jobs[n_rows] = (struct job){run_variant, &variants[i], variants[i].samples};
        rows[n_rows++] = (struct row_result){variants[i].name, variants[i].samples, ""};
    }
    const double *as_it_comes = variants[DEFAULT].samples;
    const double *compiled = variants[COMPILED].samples;
    const size_t n_ours = n_rows;
    double *as_lines = allocate(n, sizeof(double));
    jobs[n_rows] = (struct job){run_lines, &lines, as_lines};
    rows[n_rows++] = (struct row_result){"ninho, lines of a stream", as_lines, ""};
    const size_t n_peers = list_hyphen_peers(peers, data_path(options, PATTERNS),
                                             in_folder("own.dic"), words, output);
    for (size_t i = 0; i < n_peers; i++) {
        double *samples = allocate(n, sizeof(double));
        jobs[n_rows] = (struct job){peers[i].run, &peers[i], samples};
        rows[n_rows++] = (struct row_result){peers[i].name, samples, ""};
    }
    for (size_t repetition = 0; repetition < n; repetition++) {
        run_repetition(jobs, n_rows, repetition);
        show_progress("hyphen", repetition + 1, n);
    }
    for (size_t i = 0; i < n_ours; i++) {
        describe_variant(jobs[i].context, remarks[i], sizeof remarks[i]);
        rows[i].remark = remarks[i];
    }
    report_rows(report, "hyphenation of words",
                "nanoseconds of processor time per word, output written", rows, n_rows,
                n);
    for (size_t i = 0; i < n_peers; i++) {
        const double *peer = rows[n_ours + 1 + i].samples;
        ratios[n_ratios++] = (struct ratio_result){peers[i].ratio, 10,
                                                   ratio_interval(peer, as_it_comes, n)};
        ratios[n_ratios++] = (struct ratio_result){peers[i].ratio_of_lines, 10,
                                                   ratio_interval(peer, as_lines, n)};
    }
    if (n_peers)
        report_ratios(report, "times faster at hyphenation", ratios, n_ratios, n);
    else
        report_note(report, "libhyphen is not there (Debian: apt-get install "
                            "libhyphen-dev hyphen-en-us)");
    n_ratios = 0;
    for (size_t i = COMPILED + 1; i < n_ours; i++) {
        static char whats[MAX_ROWS][64];
        snprintf(whats[i], sizeof whats[i], "%s, times the time of compiled in",
                 rows[i].name + strspn(rows[i].name, " "));
        ratios[n_ratios++] = (struct ratio_result){
            whats[i], 0, ratio_interval(rows[i].samples, compiled, n)};
    }
    report_ratios(report, "what a store costs", ratios, n_ratios, n);
    for (size_t i = n_ours; i < n_rows; i++)
        free(jobs[i].samples);
    close_hyphen_peers(peers, n_peers);
    free(lines.output);
    free(output);
}

static void bench_npm(const struct options *options, struct report *report,
                      const struct word_list *sampled)
{
    enum { N = 3 };
    struct npm_peer peers[2] = {{.name = "npm hypher + bloom-filters", .fpr = "0.01"},
                                {.name = "npm hypher", .fpr = "0"}};
    double samples[3][N];
    char *output = allocate(MAX_OUTPUT, 1);
    struct hyphen_variant *ours = &variants[FILTER_MEMORY];
    char words[320];
    char exceptions[320];

    if (!npm_is_there()) {
        report_note(report, "npm's hypher and bloom-filters are not there "
                            "(tools/fetch-npm brings them, where there is npm)");
        free(output);
        return;
    }
    snprintf(words, sizeof words, "%s", in_folder("sampled.txt"));
    snprintf(exceptions, sizeof exceptions, "%s", in_folder("exceptions.txt"));
    write_words(words, sampled);
    ours->words = sampled;
    ours->output = output;
    struct job jobs[3] = {{run_variant, ours, samples[0]},
                          {run_npm, &peers[0], samples[1]},
                          {run_npm, &peers[1], samples[2]}};
    for (size_t i = 0; i < 2; i++) {
        peers[i].words = words;
        peers[i].exceptions = exceptions;
        peers[i].n_words = sampled->n;
    }
    for (size_t repetition = 0; repetition < N; repetition++) {
        run_repetition(jobs, 3, repetition);
        show_progress("npm", repetition + 1, N);
    }
    const struct row_result rows[] = {
        {"ninho, filter + memory", samples[0], ""},
        {peers[0].name, samples[1], ""},
        {peers[1].name, samples[2], "no filter: exceptions in a Map"},
    };
    report_rows(report, "the dictionary of the study",
                "nanoseconds per word of 466,550 sampled words, 1 % filter", rows, 3, N);
    const struct ratio_result ratio = {"filter + memory, than hypher + bloom-filters",
                                       100, ratio_interval(samples[1], samples[0], N)};
    report_ratios(report, "times faster than npm", &ratio, 1, N);
    free(output);
    (void)options;
}

static void bench_text(const struct options *options, struct report *report,
                       const struct word_list *words)
{
    const size_t n = options->n_hyphen_repetitions;
    size_t prose_size = 0;
    char *prose = access(PROSE, R_OK) == 0 ? read_whole(PROSE, &prose_size) : NULL;
    char *output = allocate(65536, 1);
    struct text_job texts[2] = {{.text = repeat(words->bytes, words->n_bytes)},
                                {.text = prose ? repeat(prose, prose_size) : NULL}};
    struct load_job load = {.options = options};
    struct job jobs[5];
    struct row_result rows[5];
    struct ratio_result ratios[5];
    double *limits = allocate(n, sizeof *limits);
    double *samples = allocate(5 * n, sizeof *samples);
    size_t n_rows = 0;

    for (size_t i = 0; i < 2 && texts[i].text; i++) {
        static const char *const names[] = {"text of the word list, MB/s",
                                            "prose (the GPL), MB/s"};
        texts[i].hyphenator = variants[DEFAULT].hyphenator;
        texts[i].size = TEXT_BYTES;
        texts[i].output = output;
        jobs[n_rows] = (struct job){run_text, &texts[i], samples + n_rows * n};
        rows[n_rows] = (struct row_result){names[i], jobs[n_rows].samples, "16 MiB"};
        n_rows++;
    }
    const size_t n_texts = n_rows;
    jobs[n_rows] = (struct job){run_load_text, &load, samples + n_rows * n};
    rows[n_rows] =
        (struct row_result){"load from text patterns, ms", jobs[n_rows].samples, ""};
    n_rows++;
    jobs[n_rows] = (struct job){run_load_compiled, NULL, samples + n_rows * n};
    rows[n_rows] =
        (struct row_result){"load from the compiled file, ms", jobs[n_rows].samples, ""};
    n_rows++;
    jobs[n_rows] = (struct job){tell_memory, NULL, samples + n_rows * n};
    rows[n_rows] = (struct row_result){"memory, KB", jobs[n_rows].samples, ""};
    n_rows++;
    for (size_t repetition = 0; repetition < n; repetition++)
        run_repetition(jobs, n_rows, repetition);
    report_rows(report, "running text, loading, memory", "as it comes", rows, n_rows, n);
    for (size_t i = 0; i < n_rows; i++) {
        static const double upper[] = {20, 1, 600};                  /* ms, ms, KB */
        const double limit = i < n_texts ? 100 : upper[i - n_texts]; /* MB/s */
        for (size_t j = 0; j < n; j++)
            limits[j] = limit;
        ratios[i] = (struct ratio_result){
            rows[i].name, 1,
            i < n_texts ? ratio_interval(rows[i].samples, limits, n)
                        : ratio_interval(limits, rows[i].samples, n)};
    }
    report_ratios(report, "times better than the limits", ratios, n_rows, n);
    free((void *)texts[0].text);
    free((void *)texts[1].text);
    free(prose);
    free(output);
    free(limits);
    free(samples);
}

static bool has_data(const struct options *options)
{
    return access(data_path(options, WORDS), R_OK) == 0 &&
           access(data_path(options, EXCEPTIONS), R_OK) == 0 &&
           access(data_path(options, PATTERNS), R_OK) == 0;
}

void bench_hyphen(const struct options *options, struct report *report)
{
    size_t size = 0;

    if (!has_data(options)) {
        report_note(report, "hyphenation is not measured: its data is not there "
                            "(tools/fetch-data words patterns ushyphex; --data DIR)");
        return;
    }
    char *bytes = read_whole(data_path(options, WORDS), &size);
    struct word_list words = list_words(bytes, size);
    struct word_list sampled =
        sample_words(&words, words.n < N_SAMPLED ? words.n : N_SAMPLED);
    ninho_hyphen_rules *rules = read_rules(options, WITH_USHYPHEX);
    ninho_error error = NINHO_ERROR_INIT;

    make_folder();
    for (size_t i = 0; i < N_VARIANTS; i++)
        if (is_there(&variants[i]))
            variant_open(&variants[i], options);
    if (ninho_hyphen_save(variants[DEFAULT].language, in_folder("compiled.nhy"), &error))
        die("compiled.nhy: %s", error.text);
    write_exceptions(rules);
    check_outputs(&words);
    bench_words(options, report, &words);
    bench_npm(options, report, &sampled);
    bench_text(options, report, &words);
    for (size_t i = 0; i < N_VARIANTS; i++)
        if (is_there(&variants[i]))
            variant_close(&variants[i]);
    ninho_hyphen_rules_free(rules);
    free(words.words);
    free(sampled.words);
    free(bytes);
}
