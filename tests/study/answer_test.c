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
    answer_add(answer, "A1", ", and %s", "more");
    answer_mark(answer, "B12", BY_DEFINITION, "It cannot be.");
    assert_string_equal(answer_find(answer, "A1")->evidence, "3 of 4, and more");
    assert_string_equal(answer_find(answer, "B12")->evidence, "none It cannot be.");
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
        CHECK(x->verdict == y->verdict && x->mark == y->mark);
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
    CHECK_U64(claims.n, 18 + 7 + 8 + 12 + 2);
    char rows[400] = "";
    for (size_t i = 0; i < claims.n; i++) {
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%s ",
                 claims.list[i].row);
        CHECK(claims.list[i].row[0] == "ABC"[claims.list[i].group]);
        CHECK(claims.list[i].where[0] && strlen(claims.list[i].text) > 20);
    }
    assert_string_equal(rows,
                        "A1 A1c A2 A2c A3 A3c A4 A4c A5 A5c A6 A6c A7 A7c A8 A9 A10 A11 "
                        "A12 A13 A14 A15 A16 A17 A18 B1 B2 B3 B4 B5 B6 B7 B8 C1 C2 C2f "
                        "C3 C4 C4f C5 C6 C7 C8 C9 C10 C11 C12 ");
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
