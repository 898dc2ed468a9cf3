/* SPDX-License-Identifier: MIT */
/* Liars, as in liars_test.c, about what is common (some of the data is a difference's, too). */
#include <string.h>

#include "apps/sets/lies.h"

/* The sum over the common items is wrong, the first `argument` times. */
static void lie_sum(struct lie *lie, struct frames *said)
{
    struct frame *head = said->n ? &said->frames[0] : NULL;

    if (!head ||
        (head->type != NS_VERIFY + NS_ANSWER && head->type != NS_MATCH + NS_ANSWER) ||
        lie->n_told >= lie->argument)
        return;
    lie->n_told++;
    head->payload[head->size - 1] ^= 0x80;
}

/* Sums that differ are the sign of two items with one short hash: it tries again with longer ones,
 * and not for ever. */
static void sums_that_differ_are_tried_again(void **state)
{
    (void)state;
    for (int is_larger = 0; is_larger < 2; is_larger++)
        for (uint64_t n = 0; n <= 4; n++) {
            ninho_exchange_options options = lie_wish(NINHO_SETS_COMMON, NINHO_SETS_AUTO);
            struct lie lie = {.tell = lie_sum, .direction = 1, .argument = n};
            options.audience = NINHO_SETS_BOTH;
            const struct end end = lie_run_sized(&options, &lie, is_larger ? 80 : 60);
            test_where("%llu lies: %s", (unsigned long long)n, end.text);
            CHECK_STATUS(end.asker, n < 3 ? NINHO_OK : NINHO_ERR_CHECKSUM);
            if (n < 3) {
                CHECK_U64(end.report.fallbacks, n);
                CHECK_U64(end.report.in_both, is_larger ? 63 : 50);
                CHECK(end.report.is_exact);
            }
        }
}

/* A number of an attempt that nobody makes. It goes into the key of the short hashes, which must be
 * no other key. */
static void lie_attempt(struct lie *lie, struct frames *said)
{
    struct frame *head = said->n ? &said->frames[0] : NULL;
    uint8_t varint[NA_VARINT_MAX];

    if (!head || (head->type != NS_SIFT && head->type != NS_MATCH))
        return;
    /* ... | attempt, one byte | width 1 */
    const uint8_t width = head->payload[head->size - 1];
    const size_t size = na_varint_write(varint, lie->argument);
    frame_resize(head, head->size - 1 + size);
    memcpy(head->payload + head->size - 1 - size, varint, size);
    head->payload[head->size - 1] = width;
    lie->n_told++;
}

static void attempts_are_counted(void **state)
{
    (void)state;
    static const uint64_t attempts[] = {NS_MAX_ATTEMPTS, UINT32_MAX - NS_LABEL_SHORT + 5,
                                        UINT64_MAX};

    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        for (int is_larger = 0; is_larger < 2; is_larger++) {
            const ninho_exchange_options options =
                lie_wish(NINHO_SETS_COMMON, NINHO_SETS_AUTO);
            struct lie lie = {
                .tell = lie_attempt, .direction = 0, .argument = attempts[i]};
            const struct end end = lie_run_sized(&options, &lie, is_larger ? 80 : 60);
            CHECK_U64(lie.n_told, 1);
            CHECK_STATUS(end.answerer, NINHO_ERR_FORMAT);
        }
}

/* Filters of the wrong size, or of no sense; candidates in disorder. */
static void lie_data(struct lie *lie, struct frames *said)
{
    struct frame *data = frames_find(said, NS_DATA);

    if (!data || said->n != 2 || lie->n_told > 0)
        return;
    lie->n_told++;
    if (lie->argument == 1) { /* backwards */
        for (size_t i = 0; i < data->size / 2; i++) {
            const uint8_t byte = data->payload[i];
            data->payload[i] = data->payload[data->size - 1 - i];
            data->payload[data->size - 1 - i] = byte;
        }
        return;
    }
    /* one byte, and the head (one byte each for data and items) says so */
    struct frame *head = &said->frames[0];
    const bool is_long = head->payload[0] & 0x80;
    memmove(head->payload + 1, head->payload + 1 + is_long, head->size - 1 - is_long);
    frame_resize(head, head->size - is_long);
    head->payload[0] = 1;
    frame_resize(data, 1);
    data->payload[0] = 0xff;
}

static void data_of_no_sense_is_refused(void **state)
{
    (void)state;
    for (uint64_t what = 0; what < 2; what++)
        for (unsigned direction = 0; direction < 2; direction++)
            for (int is_larger = 0; is_larger < 2; is_larger++)
                for (int question = NINHO_SETS_DIFFERENCE; question <= NINHO_SETS_COMMON;
                     question++) {
                    const ninho_exchange_options options =
                        lie_wish((ninho_sets_question)question,
                                 question == NINHO_SETS_COMMON ? NINHO_SETS_AUTO
                                                               : NINHO_SETS_BLOOM);
                    struct lie lie = {
                        .tell = lie_data, .direction = direction, .argument = what};
                    const struct end end =
                        lie_run_sized(&options, &lie, is_larger ? 80 : 60);
                    test_where("data %llu from %u: %s", (unsigned long long)what,
                               direction, end.text);
                    /* A filter that is damaged may still be one: then nothing wrong is told.
                     * One of a single byte is none. */
                    CHECK(what == 1 || lie.n_told == 0 || end.asker != NINHO_OK);
                }
}

/* The asker of an intersection leaves before anything was verified, or says that nothing was. */
static void lie_bye(struct lie *lie, struct frames *said)
{
    struct frame *head = said->n ? &said->frames[0] : NULL;

    if (!head || head->type != (lie->argument ? NS_VERIFY : NS_BYE))
        return;
    while (said->n > 1)
        frames_remove(said, said->n - 1);
    head->type = NS_BYE;
    frame_resize(head, 3);
    memcpy(head->payload, (const uint8_t[]){0, 0, (uint8_t)lie->argument}, 3);
    lie->n_told++;
}

static void an_intersection_that_was_not_verified_is_not_told(void **state)
{
    (void)state;
    for (uint64_t what = 0; what < 2; what++) {
        ninho_exchange_options options = lie_wish(NINHO_SETS_COMMON, NINHO_SETS_AUTO);
        struct lie lie = {.tell = lie_bye, .direction = 0, .argument = what};
        options.audience = NINHO_SETS_BOTH;
        const struct end end = lie_run(&options, &lie);
        CHECK_U64(lie.n_told, 1);
        CHECK_STATUS(end.answerer, NINHO_ERR_FORMAT);
        CHECK(strstr(end.text, "without telling"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_that_differ_are_tried_again),
        cmocka_unit_test(attempts_are_counted),
        cmocka_unit_test(data_of_no_sense_is_refused),
        cmocka_unit_test(an_intersection_that_was_not_verified_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
