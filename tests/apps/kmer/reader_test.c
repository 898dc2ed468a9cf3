/* SPDX-License-Identifier: MIT */
/* FASTA and FASTQ: what is read, in how many pieces, and what is refused with which words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/kmer/inside.h"
#include "apps/kmer/reader.h"
#include "naive.h"

/* What a file should hold, or did. */
struct record {
    char *header; /* name, a blank and the comment, if there is one */
    char *bases;
    char *quality; /* NULL: none */
};

struct records {
    struct record *records;
    size_t n;
};

static char *copied(const char *text, size_t size)
{
    char *copy = malloc(size + 1);

    if (size)
        memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

static void free_records(struct records *records)
{
    for (size_t i = 0; i < records->n; i++) {
        free(records->records[i].header);
        free(records->records[i].bases);
        free(records->records[i].quality);
    }
    free(records->records);
    *records = (struct records){0};
}

static struct record *new_record(struct records *records)
{
    records->records =
        realloc(records->records, (records->n + 1) * sizeof *records->records);
    records->records[records->n] = (struct record){0};
    return &records->records[records->n++];
}

/* Puts a piece where it belongs, having made sure that it follows on. */
static void take(struct records *records, const ninho_kmer_record *piece, size_t overlap)
{
    char header[4096];
    struct record *record = NULL;

    (void)snprintf(header, sizeof header, "%.*s%s%.*s", (int)piece->name_size,
                   piece->name, piece->comment_size ? " " : "", (int)piece->comment_size,
                   piece->comment);
    if (piece->is_first) {
        CHECK_U64(piece->n_overlap, 0);
        record = new_record(records);
        record->header = copied(header, strlen(header));
        record->bases = copied("", 0);
    } else {
        CHECK(records->n > 0);
        record = &records->records[records->n - 1];
        assert_string_equal(record->header, header);
    }
    const size_t before = strlen(record->bases);
    if (!piece->is_first)
        CHECK_U64(piece->n_overlap, before < overlap ? before : overlap);
    CHECK(memcmp(record->bases + before - piece->n_overlap, piece->bases,
                 piece->n_overlap) == 0);
    const size_t added = piece->n_bases - piece->n_overlap;
    record->bases = realloc(record->bases, before + added + 1);
    memcpy(record->bases + before, piece->bases + piece->n_overlap, added);
    record->bases[before + added] = '\0';
    if (piece->quality)
        record->quality = copied(piece->quality, piece->n_bases);
}

/* How to read. */
struct way {
    size_t overlap;
    size_t n_records;   /* 0: in pieces */
    bool is_as_it_fits; /* so many at the most */
    size_t block_bytes; /* 0: the usual ones */
};

static ninho_status next(ninho_kmer_reader *reader, ninho_kmer_batch *batch,
                         const struct way *way, ninho_error *error)
{
    return way->is_as_it_fits
               ? ninho_kmer_reader_next_whole(reader, batch, way->n_records, error)
               : ninho_kmer_reader_next(reader, batch, way->n_records, error);
}

/* Reads all that an open reader has, and closes it; the status, and what was read before it. */
static ninho_status read_on(ninho_kmer_reader *reader, const struct way *way,
                            struct records *records, ninho_error *error)
{
    const size_t n_records = way->n_records;
    const size_t overlap = way->overlap;
    ninho_kmer_batch batch = {0};
    bool is_open = false;
    ninho_status status;

    for (;;) {
        status = next(reader, &batch, way, error);
        if (status || !batch.n)
            break;
        CHECK(!n_records || batch.n <= n_records);
        uint64_t n_bases = 0;
        for (size_t i = 0; i < batch.n; i++) {
            const ninho_kmer_record *piece = &batch.records[i];
            CHECK(piece->is_first != is_open);
            CHECK(!n_records || (piece->is_first && piece->is_last));
            take(records, piece, overlap);
            is_open = !piece->is_last;
            n_bases += piece->n_bases - piece->n_overlap;
        }
        CHECK_U64(batch.n_bases, n_bases);
    }
    CHECK_U64(batch.n, 0);
    if (status) { /* and stays there */
        ninho_error again = NINHO_ERROR_INIT;
        CHECK_STATUS(next(reader, &batch, way, &again), status);
        assert_string_equal(again.text, error->text);
    } else {
        CHECK(!is_open);
    }
    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
    return status;
}

static ninho_status read_way(const void *bytes, size_t size, const struct way *way,
                             struct records *records, ninho_error *error)
{
    /* Exactly so many bytes, so that a sanitizer sees the first one past them. */
    void *exact = malloc(size ? size : 1);
    ninho_kmer_reader *reader = NULL;

    if (size)
        memcpy(exact, bytes, size);
    CHECK_OK(ninho_kmer_reader_memory(exact, size, way->overlap, &reader, error));
    if (way->block_bytes)
        nh_kmer_reader_set_sizes(reader, way->block_bytes, NINHO_KMER_RECORD_LIMIT);
    const ninho_status status = read_on(reader, way, records, error);
    free(exact);
    return status;
}

static ninho_status read_all(const void *bytes, size_t size, size_t overlap,
                             size_t n_records, struct records *records,
                             ninho_error *error)
{
    const struct way way = {.overlap = overlap, .n_records = n_records};

    return read_way(bytes, size, &way, records, error);
}

static void check_equal(const struct records *got, const struct records *expected)
{
    CHECK_U64(got->n, expected->n);
    if (got->n && (!got->records || !expected->records)) {
        fail();
        return;
    }
    for (size_t i = 0; i < got->n; i++) {
        const struct record *a = &got->records[i];
        const struct record *b = &expected->records[i];
        assert_string_equal(a->header, b->header);
        CHECK(strcmp(a->bases, b->bases) == 0);
        CHECK(!a->quality == !b->quality);
        CHECK(!a->quality || strcmp(a->quality, b->quality) == 0);
    }
}

/* ---- Random files -------------------------------------------------------------------------- */

struct writer {
    char *text;
    size_t size, room;
};

static void put(struct writer *writer, const char *bytes, size_t size)
{
    if (writer->room - writer->size < size) {
        writer->room = 2 * (writer->room + size);
        writer->text = realloc(writer->text, writer->room);
    }
    memcpy(writer->text + writer->size, bytes, size);
    writer->size += size;
}

/* Text in lines of `width`, with line ends of either kind. */
static void put_lines(struct writer *writer, const char *text, size_t width,
                      const char *line_end)
{
    const size_t size = strlen(text);

    for (size_t at = 0; at < size || at == 0; at += width) {
        put(writer, text + at, size - at < width ? size - at : width);
        put(writer, line_end, strlen(line_end));
    }
}

static void make_file(struct test_rng *rng, bool is_fastq, struct writer *writer,
                      struct records *records)
{
    static const size_t sizes[] = {0, 1, 30, 150, 5000, 300000};
    const char *line_end = rng_below(rng, 2) ? "\n" : "\r\n";
    const size_t n = 1 + rng_below(rng, 400);
    const size_t largest = 1 + rng_below(rng, sizeof sizes / sizeof *sizes);

    for (size_t i = 0; i < n && writer->size < 1500000; i++) {
        struct record *record = new_record(records);
        char header[64];
        const size_t size = (size_t)rng_below(rng, sizes[rng_below(rng, largest)] + 1);
        const size_t width =
            rng_below(rng, 2) ? size + 1 : 1 + (size_t)rng_below(rng, 200);
        (void)snprintf(header, sizeof header, "r%zu%s", i,
                       rng_below(rng, 2) ? "" : " a comment  of mine");
        record->header = copied(header, strlen(header));
        record->bases = random_sequence(rng, size, 500);
        put(writer, is_fastq ? "@" : ">", 1);
        put_lines(writer, header, 1000, line_end);
        put_lines(writer, record->bases, width, line_end);
        if (is_fastq) {
            record->quality = malloc(size + 1);
            for (size_t j = 0; j < size; j++)
                record->quality[j] = (char)('!' + rng_below(rng, 94));
            record->quality[size] = '\0';
            put(writer, "+", 1);
            put(writer, header, rng_below(rng, 2) ? strlen(header) : 0);
            put(writer, line_end, strlen(line_end));
            put_lines(writer, record->quality, width, line_end);
        }
        if (rng_below(rng, 20) == 0)
            put(writer, line_end, strlen(line_end));
    }
    /* The last line end may be missing. */
    if (rng_below(rng, 2) && writer->size > 2 && !is_fastq)
        writer->size -= strlen(line_end);
}

static void random_files_are_read_back(void **state)
{
    struct test_rng rng = {test_seed(40)};
    const size_t n_files = test_scaled(60, 20);

    (void)state;
    for (size_t i = 0; i < n_files; i++) {
        struct writer writer = {0};
        struct records expected = {0};
        struct records got = {0};
        ninho_error error = NINHO_ERROR_INIT;
        const bool is_fastq = i % 2;
        make_file(&rng, is_fastq, &writer, &expected);
        for (size_t mode = 0; mode < 3; mode++) {
            static const size_t counts[] = {0, 1, 64};
            const size_t overlap = rng_below(&rng, 1024);
            test_where("file %zu, %zu bytes, mode %zu: %s", i, writer.size, mode,
                       error.text);
            CHECK_OK(
                read_all(writer.text, writer.size, overlap, counts[mode], &got, &error));
            check_equal(&got, &expected);
            free_records(&got);
        }
        free_records(&expected);
        free(writer.text);
    }
}

/* All ways to read with these blocks. */
static size_t ways_of(size_t block_bytes, struct way ways[5])
{
    static const struct way shapes[] = {
        {.overlap = 3},
        {.overlap = 30},
        {.overlap = 3, .n_records = 1},
        {.overlap = 3, .n_records = 3},
        {.overlap = 3, .n_records = 3, .is_as_it_fits = true}};

    for (size_t i = 0; i < 5; i++) {
        ways[i] = shapes[i];
        ways[i].block_bytes = block_bytes;
    }
    return 5;
}

/* The border between two blocks stands at every byte of a file once: in headers, between \r and \n,
 * inside blanks that end a line, before and behind '+', '>' and '@'. */
static void borders_of_blocks_do_not_matter(void **state)
{
    static const char *const files[] = {
        "\n \n>a x y\nACGTACGTAACC\nACGT \t\n\n>b\r\nACGTA\r\nGG\r\n>c\n>d\nA\n>e "
        "e\nACGT",
        ">long\nACGTACGTAACCGGTTACGTACGTAACCGGTTACGTACGTAACCGGTTACGTACGTAACCGGTTACGTACGTA"
        "\n"
        ">next\nAC\nGT\nAC\nGT\nAC\nGT\nAC\nGT\n",
        "\r\n@a x\nACGT\n+\nII@I\n@b\r\nACGTA\r\n+b\r\n@+>II\r\n\n@c\n\n+\n\n"
        "@d\nACG\nTAC\n+\n@@@\n+++\n@e\nA\n+\n@",
    };

    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        const size_t size = strlen(files[f]);
        struct records expected = {0};
        ninho_error error = NINHO_ERROR_INIT;
        CHECK_OK(read_all(files[f], size, 0, 0, &expected, &error));
        CHECK(expected.n >= 2);
        for (size_t block = 1; block <= size + 1; block++) {
            struct way ways[5];
            for (size_t w = 0; w < ways_of(block, ways); w++) {
                struct records got = {0};
                const ninho_status status =
                    read_way(files[f], size, &ways[w], &got, &error);
                test_where("file %zu, blocks of %zu, way %zu: %s", f, block, w,
                           status ? error.text : "");
                CHECK_OK(status);
                check_equal(&got, &expected);
                free_records(&got);
            }
        }
        free_records(&expected);
    }
}

/* As many as fit are not more than a block, so that memory is bounded, and at least one. */
static void whole_records_come_as_they_fit(void **state)
{
    static const char text[] =
        ">a\nAC\n>b\nAC\n>c\nACGTACGTACGTACGTACGTACGT\n>d\nAC\n>e\nA\n";
    size_t n_records = 0;
    size_t n_batches = 0;
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    CHECK_OK(ninho_kmer_reader_memory(text, sizeof text - 1, 0, &reader, &error));
    nh_kmer_reader_set_sizes(reader, 16, 1000);
    do {
        CHECK_OK(ninho_kmer_reader_next_whole(reader, &batch, 100, &error));
        n_records += batch.n;
        n_batches += batch.n > 0;
    } while (batch.n);
    CHECK_U64(n_records, 5);
    CHECK(n_batches > 1);
    ninho_kmer_reader_close(reader);
    ninho_kmer_batch_free(&batch);
}

/* What must be whole is bounded; in pieces, a FASTA record may be as long as it likes. */
static void records_have_a_limit(void **state)
{
    char fasta[1000], fastq[1000];

    (void)state;
    memset(fasta, 'A', sizeof fasta);
    memcpy(fasta, ">a\n", 3);
    memset(fastq, 'A', sizeof fastq);
    memcpy(fastq, "@a\n", 3);
    for (int mode = 0; mode < 3; mode++) {
        const struct way way = {.n_records = mode == 1};
        const bool is_good = mode == 0;
        ninho_kmer_reader *reader = NULL;
        struct records got = {0};
        ninho_error error = NINHO_ERROR_INIT;
        CHECK_OK(ninho_kmer_reader_memory(mode == 2 ? fastq : fasta, sizeof fasta, 0,
                                          &reader, &error));
        nh_kmer_reader_set_sizes(reader, 16, 200);
        test_where("mode %d", mode);
        CHECK_STATUS(read_on(reader, &way, &got, &error),
                     is_good ? NINHO_OK : NINHO_ERR_FORMAT);
        if (is_good)
            CHECK_U64(strlen(got.records[0].bases), sizeof fasta - 3);
        else
            assert_string_equal(error.text,
                                mode == 2 ? "line 1: records of more than 200 bytes "
                                            "cannot be kept whole"
                                          : "line 2: records of more than 200 bytes "
                                            "cannot be kept whole");
        free_records(&got);
    }
}

/* Cut anywhere, a FASTQ file is refused or ends with a record; a FASTA file always ends with one. */
static void files_that_are_cut_are_told(void **state)
{
    static const char fastq[] = "@a x\nACGT\n+\nIIII\n@b\nACGTA\n+b\nIIIII\n";
    static const char fasta[] = ">a x\nACGT\nAC\n>b\nACGTA\n";

    (void)state;
    for (size_t size = 1; size < sizeof fastq; size++) {
        struct records got = {0};
        ninho_error error = NINHO_ERROR_INIT;
        const ninho_status status = read_all(fastq, size, 0, 0, &got, &error);
        test_where("%zu bytes", size);
        CHECK((status == NINHO_OK) ==
              (size == 16 || size == 17 || size == 34 || size == 35));
        CHECK(status == NINHO_OK || strncmp(error.text, "line ", 5) == 0);
        free_records(&got);
    }
    for (size_t size = 1; size < sizeof fasta; size++) {
        struct records got = {0};
        ninho_error error = NINHO_ERROR_INIT;
        CHECK_OK(read_all(fasta, size, 0, 0, &got, &error));
        free_records(&got);
    }
}

/* ---- What is refused ----------------------------------------------------------------------- */

static const struct {
    const char *text;
    const char *message;
} refused[] = {
    {"", "is empty"},
    {"\n\r\n \n", "is empty"},
    {"ACGT\n", "line 1: there is no header: a line that begins with '>' (FASTA) or '@' "
               "(FASTQ) must "
               "come first, not 'A'"},
    {"\n\nACGT\n>a\nACGT\n", "line 3: there is no header: a line that begins with '>' "
                             "(FASTA) or '@' (FASTQ) must come "
                             "first, not 'A'"},
    {"\x7f"
     "ELF\x02\x01",
     "line 1: is neither FASTA, FASTQ, BAM nor SAM: it begins with byte 0x7f"},
    {"BZh91AY", "is compressed otherwise than with gzip or bgzip: unpack it first"},
    {"PK\x03\x04\x14", "is a zip archive: unpack it first"},
    {"\xEF\xBB\xBF>a\r\nACGT\r\n",
     "begins with a byte order mark: remove it with tail -c +4"},
    {"\xFF\xFE>", "is text in UTF-16: convert it with iconv -f UTF-16 -t ASCII"},
    {"NINHO", "is a ninho file, not one of sequences"},
    {"Sequences follow:\n>a\nACGT\n",
     "line 1: is neither FASTA, FASTQ, BAM nor SAM: it begins with 'S'"},
    {"acgt\r\nacgt\r\n",
     "line 1: there is no header: a line that begins with '>' (FASTA) or "
     "'@' (FASTQ) must come first, not 'a'"},
    {"{\"a\": 1}\n", "line 1: is neither FASTA, FASTQ, BAM nor SAM: it begins with '{'"},
    {">a\nAC GT\n", "line 2: byte 0x20 is not a letter of a sequence"},
    {">a\nACGT\nAC1T\n", "line 3: '1' is not a letter of a sequence"},
    {">a\nACGT\n@b\nACGT\n+\nIIII\n", "line 3: begins with '@': FASTQ in a FASTA file"},
    {">a\r\nACGT\r\nAC\x01\r\n", "line 3: byte 0x01 is not a letter of a sequence"},
    {">a\nAC>b\n", "line 2: '>' is not a letter of a sequence"},
    {"@a\nACGT\n+\nIII\n",
     "line 4: the quality has 3 characters, and the sequence 4 bases"},
    {"@a\nACGT\n+\nIIIII\n@b\nA\n+\nI\n",
     "line 4: the quality has 5 characters, and the sequence 4 bases"},
    {"@a\nAC\nGT\n+\nII\nIII\n",
     "line 6: the quality has 5 characters, and the sequence 4 bases"},
    {"@a\nACGT\n+\nII\x1fI\n", "line 4: byte 0x1f is not a quality"},
    {"@a\nACGT\n@b\nACGT\n+\nIIII\n",
     "line 3: begins with '@' where the '+' line should be"},
    {"@a\nACGT\n+\nIIII\n>b\nACGT\n", "line 5: begins with '>': FASTA in a FASTQ file"},
    {"@a\nACGT\n+\nIIII\nACGT\n", "line 5: a record begins with '@', not with 'A'"},
    {"@a\nACGT\n+\nIIII\n\n\n@b\nACGT\n",
     "line 8: the file ends inside the record that began at line 5"},
    {"@a\nACGT\n", "line 2: the file ends inside the record that began at line 1"},
    {"@a", "line 1: the file ends inside the record that began at line 1"},
    {"@a\nACGT\n+\n", "line 3: the file ends inside the record that began at line 1"},
};

static void bad_files_are_refused_with_the_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        for (size_t n_records = 0; n_records < 3; n_records++) {
            struct records got = {0};
            ninho_error error = NINHO_ERROR_INIT;
            test_where("case %zu", i);
            CHECK_STATUS(read_all(refused[i].text, strlen(refused[i].text), 30, n_records,
                                  &got, &error),
                         strncmp(refused[i].message, "line ", 5) == 0 ||
                                 strcmp(refused[i].message, "is empty") == 0
                             ? NINHO_ERR_FORMAT
                             : NINHO_ERR_UNSUPPORTED);
            assert_string_equal(error.text, refused[i].message);
            free_records(&got);
        }
        for (size_t block = 1; block <= strlen(refused[i].text); block++) {
            struct way ways[5];
            for (size_t w = 0; w < ways_of(block, ways); w++) {
                struct records got = {0};
                ninho_error error = NINHO_ERROR_INIT;
                test_where("case %zu, blocks of %zu, way %zu", i, block, w);
                CHECK(read_way(refused[i].text, strlen(refused[i].text), &ways[w], &got,
                               &error) != NINHO_OK);
                assert_string_equal(error.text, refused[i].message);
                free_records(&got);
            }
        }
    }
}

static void nul_bytes_are_refused(void **state)
{
    static const char header[] = ">a\0b\nACGT\n";
    static const char bases[] = ">a\nAC\0T\n";
    struct records got = {0};
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    CHECK_STATUS(read_all(header, sizeof header - 1, 0, 0, &got, &error),
                 NINHO_ERR_FORMAT);
    assert_string_equal(error.text,
                        "line 1: the header holds a NUL byte: is this a text file?");
    CHECK_STATUS(read_all(bases, sizeof bases - 1, 0, 0, &got, &error), NINHO_ERR_FORMAT);
    assert_string_equal(error.text, "line 2: byte 0x00 is not a letter of a sequence");
    free_records(&got);
}

static void headers_without_end_are_refused(void **state)
{
    const size_t size = 3 * NINHO_KMER_HEADER_LIMIT;
    char *text = malloc(size);
    struct records got = {0};
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    for (int format = 0; format < 2; format++) {
        memset(text, 'x', size);
        text[0] = format ? '@' : '>';
        CHECK_STATUS(read_all(text, size, 0, 0, &got, &error), NINHO_ERR_FORMAT);
        CHECK(strstr(error.text, "line 1: "));
        free_records(&got);
    }
    free(text);
}

static void what_is_odd_but_good_is_read(void **state)
{
    static const struct {
        const char *text;
        size_t n;
        const char *header, *bases; /* of the last one */
    } cases[] = {
        {">", 1, "", ""},
        {">\n", 1, "", ""},
        {">a", 1, "a", ""},
        {">a\n>b\n>c\n", 3, "c", ""},
        {"\n\n>a b  c \n\nAC\n\nGT\n\n", 1, "a b  c", "ACGT"},
        {">a\r\nACGT\r\nnnRYK*-.\r\n", 1, "a", "ACGTnnRYK*-."},
        {">a\nACGT \t\nAC", 1, "a", "ACGTAC"},
        {"@a\n\n+\n\n@b\nA\n+\n@\n", 2, "b", "A"},
        {"@a\nAC\n+\n@+\n@b\nAC\nGT\n+\n>@\n+I", 2, "b", "ACGT"},
        {"@a\n+\n", 1, "a", ""},
        {"@a\r\nACGT\r\n+\r\nIIII\r\n", 1, "a", "ACGT"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct records got = {0};
        ninho_error error = NINHO_ERROR_INIT;
        const ninho_status status =
            read_all(cases[i].text, strlen(cases[i].text), 5, 0, &got, &error);
        test_where("case %zu: %s", i, error.text);
        CHECK_OK(status);
        CHECK_U64(got.n, cases[i].n);
        if (!got.records) {
            fail();
            return;
        }
        assert_string_equal(got.records[got.n - 1].header, cases[i].header);
        assert_string_equal(got.records[got.n - 1].bases, cases[i].bases);
        free_records(&got);
    }
}

/* ---- BAM and SAM --------------------------------------------------------------------------- */

static ninho_status read_sam(const char *text, size_t size, const struct way *way,
                             size_t record_limit, struct records *records,
                             ninho_error *error)
{
    struct temp_dir dir;
    ninho_kmer_reader *reader = NULL;
    char path[512];

    temp_dir_make(&dir);
    file_write(temp_path(&dir, "sam", path), text, size);
    ninho_status status = ninho_kmer_reader_open(path, way->overlap, &reader, error);
    if (!status) {
        nh_kmer_reader_set_sizes(reader, 16, record_limit);
        status = read_on(reader, way, records, error);
    }
    temp_dir_remove(&dir);
    return status;
}

/* Built without htslib: the header is taken for that of FASTQ. */
static bool is_taken_for_text(const ninho_error *error)
{
    return strstr(error->text, "is not a letter of a sequence") != NULL;
}

#define SAM_HEADER "@HD\tVN:1.6\n"
#define READ(name, flag, bases, quality) \
    name "\t" flag "\t*\t0\t0\t*\t*\t0\t0\t" bases "\t" quality "\n"

/* As they were sequenced, each once, all with qualities: as they are, or made up. */
static void reads_of_sam_are_fit_for_fastq(void **state)
{
    static const char text[] =
        SAM_HEADER READ("a", "4", "ACGTN", "IJKLM") READ("b", "20", "ACGTR", "IJKLM")
            READ("c", "4", "ACG", "*") READ("d", "4", "*", "*")
                READ("a", "260", "ACG", "III") READ("a", "2052", "ACG", "III");
    static const char *const bases[] = {"ACGTN", "YACGT", "ACG", ""};
    static const char *const qualities[] = {"IJKLM", "MLKJI", "\"\"\"", ""};
    struct way ways[5];

    (void)state;
    for (size_t w = 0; w < ways_of(0, ways); w++) {
        struct records got = {0};
        ninho_error error = NINHO_ERROR_INIT;
        const ninho_status status =
            read_sam(text, sizeof text - 1, &ways[w], 1000, &got, &error);
        if (is_taken_for_text(&error)) {
            free_records(&got);
            skip();
        }
        test_where("way %zu: %s", w, error.text);
        CHECK_OK(status);
        CHECK_U64(got.n, 4);
        for (size_t i = 0; got.records && i < got.n; i++) {
            assert_string_equal(got.records[i].bases, bases[i]);
            CHECK(got.records[i].quality);
            assert_string_equal(got.records[i].quality, qualities[i]);
        }
        free_records(&got);
    }
}

static void bad_reads_of_sam_are_refused(void **state)
{
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {SAM_HEADER READ("a", "4", "AC", "II") READ("b\x01", "4", "AC", "II"),
         "record 2 has a name with bytes that names cannot have"},
        {SAM_HEADER READ("a b", "4", "AC", "II"),
         "record 1 has a name with bytes that names cannot have"},
        {SAM_HEADER READ("\xC3\xA9", "4", "AC", "II"),
         "record 1 has a name with bytes that names cannot have"},
        {SAM_HEADER READ("a", "4", "AC", "II")
             READ("b", "4", "ACGTACGTACGTACGTACGTACGTACGTACGTA", "*"),
         "record 2 is longer than the largest record that can be kept"},
        {SAM_HEADER READ("a", "4", "ACGT", "III"),
         "line 2: is not one of a SAM file, or damaged"},
        {SAM_HEADER READ("a", "4", "ACGT", "IIIII"),
         "line 2: is not one of a SAM file, or damaged"},
        {SAM_HEADER READ("a", "4", "ACGT", "IIIIIII"),
         "line 2: is not one of a SAM file, or damaged"},
        {SAM_HEADER READ("a", "4", "ACGT", "IIIIIIIIIIIIIIII"),
         "line 2: is not one of a SAM file, or damaged"},
        {SAM_HEADER READ("a", "4", "*", "IIII"),
         "line 2: is not one of a SAM file, or damaged"},
        {SAM_HEADER READ("a", "4", "AC", "II") READ("a", "260", "AC", "II") "a\t4\n",
         "line 4: is not one of a SAM file, or damaged"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct way way = {0};
        struct records got = {0};
        ninho_error error = NINHO_ERROR_INIT;
        const ninho_status status =
            read_sam(cases[i].text, strlen(cases[i].text), &way, 64, &got, &error);
        free_records(&got);
        if (is_taken_for_text(&error))
            skip();
        test_where("case %zu: %s", i, error.text);
        CHECK_STATUS(status, NINHO_ERR_FORMAT);
        assert_string_equal(error.text, cases[i].message);
    }
    /* Many that are asked for together have the limit together. */
    static const char text[] = SAM_HEADER READ("a", "4", "ACGTACGTACGTACGT", "*")
        READ("b", "4", "ACGTACGTACGTACGT", "*");
    const struct way way = {.n_records = 2};
    struct records got = {0};
    ninho_error error = NINHO_ERROR_INIT;
    CHECK_STATUS(read_sam(text, sizeof text - 1, &way, 64, &got, &error),
                 NINHO_ERR_FORMAT);
    assert_string_equal(error.text,
                        "record 2 and those before it are more than can be kept");
    free_records(&got);
}

/* Or else a file of such reads, which packs well, would be one batch as large as memory. */
static void reads_with_next_to_nothing_fill_a_batch(void **state)
{
    static const char text[] =
        SAM_HEADER READ("a", "4", "*", "*") READ("b", "4", "*", "*")
            READ("c", "4", "*", "*") READ("d", "4", "*", "*") READ("e", "4", "*", "*");
    struct temp_dir dir;
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};
    ninho_error error = NINHO_ERROR_INIT;
    char path[512];

    (void)state;
    temp_dir_make(&dir);
    file_write(temp_path(&dir, "sam", path), text, sizeof text - 1);
    CHECK_OK(ninho_kmer_reader_open(path, 0, &reader, &error));
    nh_kmer_reader_set_sizes(reader, 8, 1000);
    const ninho_status status = ninho_kmer_reader_next(reader, &batch, 0, &error);
    const bool is_text = is_taken_for_text(&error);
    if (!is_text) {
        CHECK_OK(status);
        CHECK_U64(batch.n, 4);
        CHECK_OK(ninho_kmer_reader_next(reader, &batch, 0, &error));
        CHECK_U64(batch.n, 1);
    }
    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
    temp_dir_remove(&dir);
    if (is_text)
        skip();
}

/* A program that was compiled when ninho_error was shorter. */
static void errors_stay_within_the_callers_struct(void **state)
{
    union {
        ninho_error error;
        uint8_t bytes[sizeof(ninho_error)];
    } theirs;
    const size_t size = offsetof(ninho_error, text) + 8;
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};

    (void)state;
    memset(&theirs, 0x77, sizeof theirs);
    theirs.error.size_of_struct = size;
    CHECK_OK(ninho_kmer_reader_memory(">a\nAC>GT\n", 9, 0, &reader, NULL));
    CHECK_STATUS(ninho_kmer_reader_next(reader, &batch, 0, &theirs.error),
                 NINHO_ERR_FORMAT);
    CHECK_STATUS(theirs.error.status, NINHO_ERR_FORMAT);
    CHECK_U64(theirs.error.size_of_struct, size);
    for (size_t i = size; i < sizeof theirs; i++)
        CHECK_U64(theirs.bytes[i], 0x77);
    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
}

static void what_cannot_be_opened_is_told(void **state)
{
    struct temp_dir dir;
    ninho_kmer_reader *reader = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    char path[512];
    const int n_open = open_fd_count();

    (void)state;
    temp_dir_make(&dir);
    CHECK_STATUS(
        ninho_kmer_reader_open(temp_path(&dir, "none", path), 0, &reader, &error),
        NINHO_ERR_IO);
    assert_string_equal(error.text, "cannot open: No such file or directory");
    CHECK_STATUS(ninho_kmer_reader_open(dir.path, 0, &reader, &error), NINHO_ERR_IO);
    assert_string_equal(error.text, "cannot read: Is a directory");
    assert_null(reader);
    file_write(path, "", 0);
    ninho_kmer_batch batch = {0};
    CHECK_OK(ninho_kmer_reader_open(path, 0, &reader, &error));
    CHECK_STATUS(ninho_kmer_reader_next(reader, &batch, 0, &error), NINHO_ERR_FORMAT);
    assert_string_equal(error.text, "is empty");
    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
    CHECK(open_fd_count() == n_open);
    temp_dir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_files_are_read_back),
        cmocka_unit_test(borders_of_blocks_do_not_matter),
        cmocka_unit_test(whole_records_come_as_they_fit),
        cmocka_unit_test(records_have_a_limit),
        cmocka_unit_test(files_that_are_cut_are_told),
        cmocka_unit_test(bad_files_are_refused_with_the_line),
        cmocka_unit_test(nul_bytes_are_refused),
        cmocka_unit_test(headers_without_end_are_refused),
        cmocka_unit_test(what_is_odd_but_good_is_read),
        cmocka_unit_test(reads_of_sam_are_fit_for_fastq),
        cmocka_unit_test(bad_reads_of_sam_are_refused),
        cmocka_unit_test(reads_with_next_to_nothing_fill_a_batch),
        cmocka_unit_test(errors_stay_within_the_callers_struct),
        cmocka_unit_test(what_cannot_be_opened_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
