/* SPDX-License-Identifier: MIT */
/* Cuckoo tables as they are drawn on paper, replayed step by step: the places of each key
 * are given, and the observer must tell exactly the moves of the drawing. */
#include <string.h>

#include "support/test.h"

/* A key of the drawings is one letter; its value is the letter too. */
struct drawn {
    char letter;
    uint64_t first, second;
};

struct drawing {
    const struct drawn *keys;
    size_t n_keys;
};

static void places(void *context, const void *key, size_t size, uint64_t n_buckets,
                   uint64_t *out)
{
    const struct drawing *drawing = context;

    (void)size;
    (void)n_buckets;
    for (size_t i = 0; i < drawing->n_keys; i++) {
        if (drawing->keys[i].letter == *(const char *)key) {
            out[0] = drawing->keys[i].first;
            out[1] = drawing->keys[i].second;
            return;
        }
    }
    fail_msg("a key that is not in the drawing");
}

/* What happened, one step a line: "Z>7 W7>4 ..." for placed and moved, "-x1" for
 * removed. */
struct log {
    char text[256];
    size_t n;
};

static void note(void *context, const ninho_event *event)
{
    struct log *log = context;
    char *at = log->text + log->n;
    const char letter = (char)event->value;

    if (log->n + 8 > sizeof log->text) /* a long walk: its beginning is enough */
        return;
    if (log->n)
        *at++ = ' ';
    if (event->type == NINHO_EVENT_TAG_PLACED) {
        *at++ = letter;
        *at++ = '>';
        *at++ = (char)('0' + event->to);
    } else if (event->type == NINHO_EVENT_TAG_MOVED) {
        *at++ = letter;
        *at++ = (char)('0' + event->from);
        *at++ = '>';
        *at++ = (char)('0' + event->to);
    } else if (event->type == NINHO_EVENT_TAG_REMOVED) {
        *at++ = '-';
        *at++ = letter;
        *at++ = (char)('0' + event->from);
    } else {
        *at++ = '?';
    }
    *at = '\0';
    log->n = (size_t)(at - log->text);
}

static ninho_dict *draw(struct drawing *drawing, uint64_t n_slots, struct log *log)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;

    memset(log, 0, sizeof *log);
    spec.kind = NINHO_CUCKOO_TABLE;
    spec.key_size = 1;
    spec.n_functions = 2;
    spec.bucket_size = 1;
    spec.n_buckets = n_slots;
    spec.places = places;
    spec.hook_context = drawing;
    spec.observer = note;
    spec.observer_context = log;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    return dict;
}

static void put_letters(ninho_dict *dict, const char *letters)
{
    for (; *letters; letters++)
        CHECK_OK(ninho_dict_put(dict, letters, 1, (uint64_t)*letters, NULL));
}

static void start_again(struct log *log)
{
    memset(log, 0, sizeof *log);
}

/* Nine slots; Z comes last and its two places, 7 and 0, are both taken. */
static void the_lecture_places_z_by_five_moves(void **state)
{
    static const struct drawn keys[] = {{'A', 0, 3}, {'B', 3, 8}, {'C', 1, 2},
                                        {'H', 4, 7}, {'P', 5, 8}, {'W', 7, 4},
                                        {'Z', 7, 0}};
    struct drawing drawing = {keys, 7};
    struct log log;
    ninho_dict *dict = draw(&drawing, 9, &log);

    (void)state;
    put_letters(dict, "ABCHPW");
    assert_string_equal(log.text, "A>0 B>3 C>1 H>4 P>5 W>7");
    start_again(&log);
    put_letters(dict, "Z");
    assert_string_equal(log.text, "Z>7 W7>4 H4>7 Z7>0 A0>3 B3>8");

    /* Where everything ended: a visit goes over the slots in order. */
    char end[8] = "";
    size_t n = 0;
    uint64_t cursor = 0, value;
    while (ninho_dict_next(dict, &cursor, NULL, NULL, &value))
        end[n++] = (char)value;
    assert_string_equal(end, "ZCAWPHB"); /* slots 0, 1, 3, 4, 5, 7, 8 */
    CHECK_OK(ninho_dict_verify(dict, NULL));

    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    CHECK_OK(ninho_dict_info_of(dict, &info));
    CHECK_U64(info.n_moves, 5);
    CHECK_U64(info.longest_walk, 5);
    ninho_dict_free(dict);
}

/* Eight slots: x takes 1 from b, which moves to 5 and pushes c on to 4; then x is
 * removed. */
static void the_monograph_moves_b_and_c_for_x(void **state)
{
    static const struct drawn keys[] = {
        {'b', 1, 5}, {'c', 5, 4}, {'d', 6, 2}, {'x', 1, 6}};
    struct drawing drawing = {keys, 4};
    struct log log;
    ninho_dict *dict = draw(&drawing, 8, &log);

    (void)state;
    put_letters(dict, "bcd");
    start_again(&log);
    put_letters(dict, "x");
    assert_string_equal(log.text, "x>1 b1>5 c5>4");
    start_again(&log);
    CHECK_OK(ninho_dict_remove(dict, "x", 1));
    assert_string_equal(log.text, "-x1");
    CHECK(!ninho_dict_get(dict, "x", 1, NULL));
    CHECK(ninho_dict_get(dict, "b", 1, NULL) && ninho_dict_get(dict, "c", 1, NULL));
    ninho_dict_free(dict);
}

/* Three keys with the same two slots: no displacement can help, and no other functions
 * can be had. The third is refused after the last move is taken back. */
static void a_cycle_that_nothing_solves_is_undone(void **state)
{
    static const struct drawn keys[] = {
        {'a', 1, 2}, {'b', 2, 1}, {'c', 1, 2}, {'d', 0, 3}};
    struct drawing drawing = {keys, 4};
    struct log log;
    ninho_dict *dict = draw(&drawing, 4, &log);

    (void)state;
    put_letters(dict, "abd");
    uint8_t before[1024], after[1024];
    size_t size = 0;
    CHECK_OK(ninho_dict_encode(dict, before, sizeof before, &size));
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    CHECK_STATUS(ninho_dict_put(dict, "c", 1, 'c', NULL), NINHO_ERR_FULL);
    CHECK_OK(ninho_dict_encode(dict, after, sizeof after, &size));
    CHECK(memcmp(before, after, size) == 0);
    CHECK_OK(ninho_dict_info_of(dict, &info));
    CHECK_U64(info.n_moves, 0);
    CHECK_U64(info.count, 3);
    ninho_dict_free(dict);
}

/* The same three keys with a stash of one: the one that found no place waits there, is
 * found, and comes back when another leaves. */
static void a_stash_takes_the_one_that_found_no_place(void **state)
{
    static const struct drawn keys[] = {{'a', 1, 2}, {'b', 2, 1}, {'c', 1, 2}};
    struct drawing drawing = {keys, 3};
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    ninho_dict *dict = NULL;

    (void)state;
    spec.kind = NINHO_CUCKOO_TABLE;
    spec.key_size = 1;
    spec.bucket_size = 1;
    spec.n_buckets = 4;
    spec.stash_size = 1;
    spec.max_moves = 10;
    spec.places = places;
    spec.hook_context = &drawing;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    put_letters(dict, "abc");
    CHECK_OK(ninho_dict_info_of(dict, &info));
    CHECK_U64(info.n_stashed, 1);
    CHECK_OK(ninho_dict_verify(dict, NULL));
    for (const char *letter = "abc"; *letter; letter++)
        CHECK(ninho_dict_get(dict, letter, 1, NULL));
    CHECK_OK(ninho_dict_remove(dict, "a", 1));
    CHECK_OK(ninho_dict_info_of(dict, &info));
    CHECK_U64(info.n_stashed, 0);
    CHECK(ninho_dict_get(dict, "b", 1, NULL) && ninho_dict_get(dict, "c", 1, NULL));
    ninho_dict_free(dict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lecture_places_z_by_five_moves),
        cmocka_unit_test(the_monograph_moves_b_and_c_for_x),
        cmocka_unit_test(a_cycle_that_nothing_solves_is_undone),
        cmocka_unit_test(a_stash_takes_the_one_that_found_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
