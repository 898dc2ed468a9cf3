/* SPDX-License-Identifier: MIT */
/* Answers on disk, and the rows of docs/claims.md. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/answer.h"
#include "report/claims.h"

static const struct study study = {.seed = 3, .size = STUDY_QUICK, .program = 0xabc};

static void fill(struct answer *answer)
{
    *answer = (struct answer){.verdict = DOES_NOT_HOLD, .seconds = 12.5};
    snprintf(answer->summary, sizeof answer->summary, "a\tb\nc\\d \"%%\" ε");
    snprintf(answer->setup, sizeof answer->setup, "what was run");
    answer_judge(answer, "A1", HOLDS, (struct interval){0.1, 0.2, 1.0 / 3}, "ms per %",
                 "%d of %d", 3, 4);
    answer_judge(answer, "B12", OPEN, no_interval(), "", "none");
    answer_miss(answer, "the words: %s", "no such file");
    struct table *table = answer_add_table(answer, NULL, "kind|rate|");
    char(*row)[CELL_TEXT] = table_add_row(table);
    snprintf(row[0], CELL_TEXT, "bloom");
    snprintf(row[1], CELL_TEXT, "1 %%");
    snprintf(table_add_row(table)[0], CELL_TEXT, "cuckoo");
    answer_add_table(answer, "Another", "one");
}

static void check_same(const struct answer *a, const struct answer *b)
{
    CHECK(a->verdict == b->verdict && a->seconds == b->seconds);
    assert_string_equal(a->summary, b->summary);
    assert_string_equal(a->setup, b->setup);
    CHECK_U64(a->n_judgements, b->n_judgements);
    for (size_t i = 0; i < a->n_judgements; i++) {
        const struct judgement *x = &a->judgements[i];
        const struct judgement *y = &b->judgements[i];
        assert_string_equal(x->row, y->row);
        assert_string_equal(x->quantity, y->quantity);
        assert_string_equal(x->evidence, y->evidence);
        CHECK(x->verdict == y->verdict);
        CHECK(x->interval.high == y->interval.high ||
              (isnan(x->interval.high) && isnan(y->interval.high)));
    }
    CHECK_U64(a->n_missing, b->n_missing);
    assert_string_equal(a->missing[0], b->missing[0]);
    CHECK_U64(a->n_tables, b->n_tables);
    for (size_t t = 0; t < a->n_tables; t++) {
        const struct table *x = &a->tables[t];
        const struct table *y = &b->tables[t];
        CHECK(!x->title == !y->title);
        CHECK_U64(x->n_columns, y->n_columns);
        CHECK_U64(x->n_rows, y->n_rows);
        for (size_t c = 0; c < x->n_columns; c++)
            assert_string_equal(x->headings[c], y->headings[c]);
        for (size_t r = 0; r < x->n_rows; r++)
            for (size_t c = 0; c < x->n_columns; c++)
                assert_string_equal(x->cells[r][c], y->cells[r][c]);
    }
}

static void an_answer_comes_back_as_it_was(void **state)
{
    struct temp_dir dir;
    char path[512];
    struct answer answer;
    struct answer read;

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "answer.tsv", path);
    fill(&answer);
    answer_save(&study, &answer, path);
    CHECK(answer_load(&study, path, &read));
    check_same(&answer, &read);
    CHECK_U64(temp_dir_count(&dir), 1);
    answer_free(&read);
    answer_free(&answer);
    temp_dir_remove(&dir);
}

static void an_answer_of_another_run_is_none(void **state)
{
    struct temp_dir dir;
    char path[512];
    struct answer answer;
    struct study other = study;

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "answer.tsv", path);
    CHECK(!answer_load(&study, path, &answer));
    fill(&answer);
    answer_save(&study, &answer, path);
    answer_free(&answer);
    other.seed++;
    CHECK(!answer_load(&other, path, &answer));
    other = study;
    other.program++;
    CHECK(!answer_load(&other, path, &answer));
    other = study;
    other.size = STUDY_FULL;
    CHECK(!answer_load(&other, path, &answer));
    temp_dir_remove(&dir);
}

static void an_answer_cut_anywhere_is_none(void **state)
{
    struct temp_dir dir;
    char path[512];
    struct answer answer;
    size_t size;

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "answer.tsv", path);
    fill(&answer);
    answer_save(&study, &answer, path);
    answer_free(&answer);
    uint8_t *bytes = file_read(path, &size);
    for (size_t cut = 0; cut < size; cut++) {
        test_where("cut after %zu bytes", cut);
        file_write(path, bytes, cut);
        CHECK(!answer_load(&study, path, &answer));
    }
    free(bytes);
    temp_dir_remove(&dir);
}

static void all_rows_of_the_claims_are_read(void **state)
{
    struct claims claims;

    (void)state;
    claims_read(NINHO_SOURCE_DIR "/docs/claims.md", &claims);
    CHECK_U64(claims.n_groups, 3);
    assert_string_equal(claims.groups[0], "The monograph");
    CHECK_U64(claims.n, 18 + 8 + 12);
    for (size_t i = 0; i < claims.n; i++) {
        char row[8];
        const size_t group = i < 18 ? 0 : i < 26 ? 1 : 2;
        const size_t number = i - (size_t[]){0, 18, 26}[group] + 1;
        snprintf(row, sizeof row, "%c%u", "ABC"[group], (unsigned)number);
        assert_string_equal(claims.list[i].row, row);
        CHECK_U64(claims.list[i].group, group);
        CHECK(claims.list[i].where[0] && strlen(claims.list[i].text) > 20);
    }
    assert_string_equal(claims.list[0].where, "figure 5.1");
}

static void words_are_found_whole(void **state)
{
    (void)state;
    CHECK(has_word("A1 A12 B3", "A1"));
    CHECK(has_word("A1 A12 B3", "B3"));
    CHECK(!has_word("A12 B3", "A1"));
    CHECK(!has_word("A12 B3", "3"));
    CHECK(!has_word("", "A1"));
    CHECK(!has_word("A1", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_comes_back_as_it_was),
        cmocka_unit_test(an_answer_of_another_run_is_none),
        cmocka_unit_test(an_answer_cut_anywhere_is_none),
        cmocka_unit_test(all_rows_of_the_claims_are_read),
        cmocka_unit_test(words_are_found_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
