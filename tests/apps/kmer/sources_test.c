/* SPDX-License-Identifier: MIT */
/* Where sequences come from: plain, gzip, bgzf and BAM, from files, pipes and standard input, whole
 * and cut short. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/kmer/inside.h"
#include "apps/kmer/reader.h"
#include "support/test.h"

/* ">s x\nACGTACGT\n" with gzip, with gzip twice, and as a block of bgzf; and the empty block that ends
 * a file of such blocks. */
static const uint8_t gz[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xb3,
    0x2b, 0x56, 0xa8, 0xe0, 0x72, 0x74, 0x76, 0x0f, 0x01, 0x61, 0x2e,
    0x00, 0x43, 0x3f, 0x97, 0x22, 0x0e, 0x00, 0x00, 0x00,
};
static const uint8_t gz_twice[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x93, 0xef,
    0xe6, 0x60, 0x00, 0x83, 0xff, 0x9b, 0xb5, 0xc3, 0x56, 0x3c, 0x28, 0x2a,
    0x29, 0xe3, 0x67, 0x4c, 0xd4, 0x63, 0x70, 0xb6, 0x9f, 0xae, 0xc4, 0x07,
    0x14, 0x05, 0x00, 0x0f, 0x11, 0x7e, 0x08, 0x1f, 0x00, 0x00, 0x00,
};
static const uint8_t bgzf_block[] = {
    0x1f, 0x8b, 0x08, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x06, 0x00, 0x42,
    0x43, 0x02, 0x00, 0x26, 0x00, 0xb3, 0x2b, 0x56, 0xa8, 0xe0, 0x72, 0x74, 0x76,
    0x0f, 0x01, 0x61, 0x2e, 0x00, 0x43, 0x3f, 0x97, 0x22, 0x0e, 0x00, 0x00, 0x00,
};
static const uint8_t bgzf_end[] = {
    0x1f, 0x8b, 0x08, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x06, 0x00, 0x42, 0x43,
    0x02, 0x00, 0x1b, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};
/* Reads "a" (AC=T, qualities 0 93 94 254), "b" (AACC, turned round), and "a" again (secondary); a read
 * whose name is byte 0xe9; the reads cut within the first; and a header cut within its text. */
static const uint8_t bam_block[] = {
    0x1f, 0x8b, 0x08, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x06, 0x00, 0x42, 0x43,
    0x02, 0x00, 0x52, 0x00, 0x73, 0x72, 0xf4, 0x65, 0x64, 0x80, 0x02, 0x0d, 0x20, 0xfe,
    0x0f, 0x05, 0x4c, 0x0c, 0x1e, 0x42, 0x0c, 0x0c, 0x2c, 0x40, 0x88, 0x10, 0x03, 0xa9,
    0x49, 0x64, 0x10, 0xe2, 0x60, 0x88, 0x8d, 0xfb, 0x87, 0xa9, 0x56, 0x04, 0x43, 0x6d,
    0x12, 0x83, 0xa0, 0x12, 0x23, 0x13, 0x33, 0x8b, 0x2a, 0xa6, 0xb9, 0x8c, 0x4c, 0x98,
    0xe6, 0x32, 0x32, 0x01, 0x00, 0xe9, 0x06, 0x81, 0x0a, 0x8d, 0x00, 0x00, 0x00,
};
static const uint8_t bam_name[] = {
    0x1f, 0x8b, 0x08, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x06, 0x00,
    0x42, 0x43, 0x02, 0x00, 0x38, 0x00, 0x73, 0x72, 0xf4, 0x65, 0x64, 0x80,
    0x02, 0x55, 0x20, 0xfe, 0x0f, 0x05, 0x4c, 0x0c, 0x1e, 0x42, 0x0c, 0x0c,
    0x2c, 0x0c, 0x4c, 0x48, 0x62, 0x20, 0x35, 0x2f, 0x19, 0x84, 0x18, 0x99,
    0x00, 0x69, 0xe6, 0xb0, 0xcb, 0x35, 0x00, 0x00, 0x00,
};
static const uint8_t bam_short[] = {
    0x1f, 0x8b, 0x08, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x06, 0x00,
    0x42, 0x43, 0x02, 0x00, 0x2e, 0x00, 0x73, 0x72, 0xf4, 0x65, 0x64, 0x80,
    0x02, 0x0d, 0x20, 0xfe, 0x0f, 0x05, 0x4c, 0x0c, 0x1e, 0x42, 0x0c, 0x0c,
    0x2c, 0x0c, 0x00, 0x52, 0xe8, 0x2d, 0x14, 0x20, 0x00, 0x00, 0x00,
};
static const uint8_t bam_header[] = {
    0x1f, 0x8b, 0x08, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x06, 0x00, 0x42,
    0x43, 0x02, 0x00, 0x26, 0x00, 0x73, 0x72, 0xf4, 0x65, 0x7c, 0xc1, 0xcc, 0xc0,
    0xe0, 0xe0, 0xe1, 0x02, 0x00, 0x08, 0xce, 0xfc, 0xf8, 0x0b, 0x00, 0x00, 0x00,
};

/* A file of one or two pieces; the second may be missing. */
struct content {
    const void *first;
    size_t first_size;
    const void *second;
    size_t second_size;
};
#define ONE(bytes)                   \
    {                                \
        bytes, sizeof bytes, NULL, 0 \
    }
#define WITH_END(bytes)                                \
    {                                                  \
        bytes, sizeof bytes, bgzf_end, sizeof bgzf_end \
    }

enum way { FROM_FILE, FROM_PIPE, FROM_INPUT };

static void write_pieces(int descriptor, const struct content *content)
{
    CHECK(write(descriptor, content->first, content->first_size) ==
          (ssize_t)content->first_size);
    if (content->second)
        CHECK(write(descriptor, content->second, content->second_size) ==
              (ssize_t)content->second_size);
    CHECK(close(descriptor) == 0);
}

/* Opens what holds these bytes. A pipe has room for all of them. */
static ninho_status open_content(const struct content *content, enum way way,
                                 const struct temp_dir *dir, ninho_kmer_reader **reader,
                                 ninho_error *error)
{
    char path[512];
    int ends[2];

    if (way == FROM_FILE) {
        write_pieces(
            open(temp_path(dir, "file", path), O_CREAT | O_TRUNC | O_WRONLY, 0600),
            content);
        return ninho_kmer_reader_open(path, 2, reader, error);
    }
    CHECK(pipe(ends) == 0);
    write_pieces(ends[1], content);
    ninho_status status;
    if (way == FROM_PIPE) {
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        status = ninho_kmer_reader_open(path, 2, reader, error);
    } else {
        const int before = dup(STDIN_FILENO);
        CHECK(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
        status = ninho_kmer_reader_open("-", 2, reader, error);
        if (before >= 0) {
            CHECK(dup2(before, STDIN_FILENO) == STDIN_FILENO && close(before) == 0);
        } else {
            close(STDIN_FILENO);
        }
    }
    CHECK(close(ends[0]) == 0);
    return status;
}

/* All that is in it, one record a line: "name bases quality". */
static ninho_status read_content(const struct content *content, enum way way,
                                 char text[512], ninho_error *error)
{
    struct temp_dir dir;
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};
    size_t n = 0;
    const int n_open = open_fd_count();

    temp_dir_make(&dir);
    text[0] = 0;
    ninho_status status = open_content(content, way, &dir, &reader, error);
    while (!status &&
           (status = ninho_kmer_reader_next(reader, &batch, 0, error)) == NINHO_OK &&
           batch.n)
        for (size_t i = 0; i < batch.n; i++) {
            const ninho_kmer_record *record = &batch.records[i];
            n += (size_t)snprintf(text + n, 512 - n, "%.*s %.*s %.*s\n",
                                  (int)record->name_size, record->name,
                                  (int)record->n_bases, record->bases,
                                  record->quality ? (int)record->n_bases : 1,
                                  record->quality ? record->quality : "-");
        }
    if (reader && !status) {
        const size_t size = content->first_size + content->second_size;
        CHECK_U64(ninho_kmer_reader_size(reader), way == FROM_FILE ? size : 0);
        CHECK(way != FROM_FILE || ninho_kmer_reader_bytes(reader) == size);
        CHECK(ninho_kmer_batch_bytes(&batch) >= n / 2);
    }
    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
    temp_dir_remove(&dir);
    CHECK(open_fd_count() == n_open);
    return status;
}

static bool has_htslib(void)
{
    const struct content content = ONE(gz);
    ninho_error error = NINHO_ERROR_INIT;
    char text[512];

    if (read_content(&content, FROM_FILE, text, &error) == NINHO_OK)
        return true;
    CHECK(strstr(error.text, "without htslib"));
    print_message("built without htslib\n");
    return false;
}

static void text_is_read_from_files_pipes_and_standard_input(void **state)
{
    static const char plain[] = ">s x\nACGTACGT\n";
    const struct content content = {plain, sizeof plain - 1, NULL, 0};

    (void)state;
    for (enum way way = FROM_FILE; way <= FROM_INPUT; way++) {
        ninho_error error = NINHO_ERROR_INIT;
        char text[512];
        test_where("way %d", (int)way);
        CHECK_OK(read_content(&content, way, text, &error));
        assert_string_equal(text, "s ACGTACGT -\n");
    }
    ninho_kmer_reader_close(NULL);
}

static void compressed_text_is_read_whole_or_refused(void **state)
{
    static const struct {
        struct content content;
        ninho_status status;
        const char *text;
    } cases[] = {
        {ONE(gz), NINHO_OK, "s ACGTACGT -\n"},
        {WITH_END(bgzf_block), NINHO_OK, "s ACGTACGT -\n"},
        {ONE(bgzf_block), NINHO_ERR_FORMAT, "cut short"},
        {ONE(gz_twice), NINHO_ERR_UNSUPPORTED, "compressed twice"},
        {{gz, sizeof gz - 12, NULL, 0}, NINHO_ERR_FORMAT, "cut short or damaged"},
    };

    (void)state;
    if (!has_htslib())
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (enum way way = FROM_FILE; way <= FROM_INPUT; way++) {
            ninho_error error = NINHO_ERROR_INIT;
            char text[512];
            test_where("case %zu, way %d", i, (int)way);
            CHECK_STATUS(read_content(&cases[i].content, way, text, &error),
                         cases[i].status);
            if (cases[i].status)
                CHECK(strstr(error.text, cases[i].text));
            else
                assert_string_equal(text, cases[i].text);
        }
}

static void alignments_are_read_whole_or_refused(void **state)
{
    static const struct {
        struct content content;
        const char *text; /* NULL: good */
    } cases[] = {
        {WITH_END(bam_block), NULL},
        {ONE(bam_block), "cut short"},
        {WITH_END(bam_name), "record 1 has a name with bytes"},
        {WITH_END(bam_short), "record 1 is cut short or damaged"},
        {WITH_END(bam_header), "damaged header"},
    };

    (void)state;
    if (!has_htslib())
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (enum way way = FROM_FILE; way <= FROM_INPUT; way++) {
            ninho_error error = NINHO_ERROR_INIT;
            char text[512];
            test_where("case %zu, way %d", i, (int)way);
            CHECK_STATUS(read_content(&cases[i].content, way, text, &error),
                         cases[i].text ? NINHO_ERR_FORMAT : NINHO_OK);
            if (cases[i].text)
                CHECK(strstr(error.text, cases[i].text));
            else /* '=' is no base, 93 the highest quality that text has */
                assert_string_equal(text, "a ACNT !~~~\nb GGTT %$#\"\n");
        }
}

static void reads_that_are_repeated_are_counted(void **state)
{
    const struct content content = WITH_END(bam_block);
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};
    struct temp_dir dir;

    (void)state;
    if (!has_htslib())
        skip();
    temp_dir_make(&dir);
    CHECK_OK(open_content(&content, FROM_FILE, &dir, &reader, NULL));
    CHECK_OK(ninho_kmer_reader_next(reader, &batch, 2, NULL));
    CHECK_U64(ninho_kmer_reader_passed_over(reader), 0);
    CHECK_OK(ninho_kmer_reader_next(reader, &batch, 2, NULL));
    CHECK_U64(batch.n, 0);
    CHECK_U64(ninho_kmer_reader_passed_over(reader), 1);
    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
    temp_dir_remove(&dir);
}

static void what_cannot_be_read_is_told(void **state)
{
    static const char cram[32] = "CRAM\3";
    const struct content content = {cram, sizeof cram, NULL, 0};
    ninho_kmer_reader *reader = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_kmer_batch batch = {0};
    char text[512];

    (void)state;
    if (!has_htslib())
        skip();
    CHECK_STATUS(read_content(&content, FROM_FILE, text, &error), NINHO_ERR_UNSUPPORTED);
    CHECK(strstr(error.text, "CRAM"));
    /* A file that can be opened, and gives an error when it is read. */
    if (access("/proc/self/mem", R_OK) == 0) {
        ninho_status status =
            ninho_kmer_reader_open("/proc/self/mem", 0, &reader, &error);
        if (!status)
            status = ninho_kmer_reader_next(reader, &batch, 0, &error);
        CHECK_STATUS(status, NINHO_ERR_IO);
        CHECK(error.system_errno == EIO && strstr(error.text, "cannot read"));
        ninho_kmer_batch_free(&batch);
        ninho_kmer_reader_close(reader);
    }
}

/* ---- Text without end ---------------------------------------------------------------------- */

static void check_refused(const char *start, char filler, size_t n, size_t n_records,
                          const char *message)
{
    const size_t size = strlen(start) + n;
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};
    ninho_error error = NINHO_ERROR_INIT;
    char *text = malloc(size);

    CHECK(text);
    memset(text, filler, size);
    memcpy(text, start, strlen(start));
    test_where("%s", message);
    CHECK_OK(ninho_kmer_reader_memory(text, size, 3, &reader, &error));
    ninho_status status;
    do
        status = ninho_kmer_reader_next(reader, &batch, n_records, &error);
    while (!status && batch.n);
    CHECK_STATUS(status, NINHO_ERR_FORMAT);
    CHECK(strstr(error.text, message));
    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
    free(text);
}

static void text_without_end_is_refused(void **state)
{
    const size_t many = NINHO_KMER_HEADER_LIMIT + ((size_t)1 << 20);

    (void)state;
    check_refused("", '\n', many, 0, "there is no header in the first");
    check_refused(">a\nACGT\n", ' ', many, 1, "a line of blanks without end");
    check_refused(">a\rACGT\r", 'A', 10, 0, "carriage returns alone");
    check_refused(">a x\nAC\n", '@', 1, 0, "FASTQ in a FASTA file");
    check_refused(">a\tx\nAC\n", '+', 1, 0, "FASTQ in a FASTA file");
    check_refused("@a\nAC\n", '>', 1, 0, "where the '+' line should be");
    check_refused("@a\nAC\n", '#', 1, 0, "not a letter of a sequence");
    check_refused(">a\nAC\n", '#', 1, 0, "not a letter of a sequence");
    check_refused("A", '\n', 1, 0, "there is no header");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_read_from_files_pipes_and_standard_input),
        cmocka_unit_test(compressed_text_is_read_whole_or_refused),
        cmocka_unit_test(alignments_are_read_whole_or_refused),
        cmocka_unit_test(reads_that_are_repeated_are_counted),
        cmocka_unit_test(what_cannot_be_read_is_told),
        cmocka_unit_test(text_without_end_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
