/* SPDX-License-Identifier: MIT */
/* Transports that cut, damage, repeat, drop and mix up, at every byte and every frame of a short
 * exchange; streams that are not ours; other versions and secrets. Whatever happens, a side is
 * done with the right answer or has failed with a reason. */
#include <stdlib.h>
#include <string.h>

#include "apps/sets/frames.h"

struct pair {
    ninho_set *here;
    ninho_set *there;
};

static struct pair make_pair(void)
{
    struct pair pair = {new_set(), new_set()};

    add_items(pair.here, 9, 0, 40, 12);
    add_items(pair.there, 9, 4, 43, 12);
    return pair;
}

static void pair_free(struct pair *pair)
{
    ninho_set_free(pair->here);
    ninho_set_free(pair->there);
}

struct sides {
    ninho_exchange *asker;
    ninho_exchange *answerer;
};

static struct sides begin(const struct pair *pair, const ninho_exchange_options *options,
                          const ninho_exchange_options *others)
{
    struct sides sides = {NULL, NULL};

    CHECK_OK(ninho_exchange_ask(pair->here, options, &sides.asker, NULL));
    CHECK_OK(ninho_exchange_answer(pair->there, others, &sides.answerer, NULL));
    return sides;
}

static void end(struct sides *sides)
{
    ninho_exchange_free(sides->asker);
    ninho_exchange_free(sides->answerer);
}

/* Done and right, or failed, with a sentence and no answer. */
static void check_side(const ninho_exchange *x, const ninho_set *here,
                       const ninho_set *there, ninho_sets_question question)
{
    const ninho_exchange_report report = report_of(x);

    if (ninho_exchange_state_of(x) == NINHO_EXCHANGE_DONE) {
        if (report.is_told && question == NINHO_SETS_COMMON)
            check_common(x, here, there);
        else if (report.is_told)
            check_difference(x, here, there);
        return;
    }
    CHECK(ninho_exchange_state_of(x) == NINHO_EXCHANGE_FAILED);
    CHECK(ninho_exchange_error(x)->status != NINHO_OK);
    CHECK(ninho_exchange_error(x)->text[0] != '\0');
    CHECK(!strchr(ninho_exchange_error(x)->text, '\n'));
    CHECK(!report.is_told && !report.is_exact);
    for (int part = 1; part <= 3; part++)
        CHECK_U64(ninho_exchange_count(x, (ninho_sets_part)part), 0);
}

/* All ways to ask that a short exchange has. */
static const struct {
    ninho_sets_question question;
    ninho_sets_method method;
    ninho_sets_audience audience;
} kinds[] = {
    {NINHO_SETS_DIFFERENCE, NINHO_SETS_SKETCH, NINHO_SETS_ASKER},
    {NINHO_SETS_DIFFERENCE, NINHO_SETS_SKETCH, NINHO_SETS_BOTH},
    {NINHO_SETS_DIFFERENCE, NINHO_SETS_BLOOM, NINHO_SETS_ASKER},
    {NINHO_SETS_DIFFERENCE, NINHO_SETS_LIST, NINHO_SETS_BOTH},
    {NINHO_SETS_COMMON, NINHO_SETS_AUTO, NINHO_SETS_ASKER},
    {NINHO_SETS_COMMON, NINHO_SETS_AUTO, NINHO_SETS_BOTH},
};
#define N_KINDS (sizeof kinds / sizeof *kinds)

static ninho_exchange_options options_of(size_t kind)
{
    ninho_exchange_options options = talk_options(31);

    options.question = kinds[kind].question;
    options.method = kinds[kind].method;
    options.audience = kinds[kind].audience;
    return options;
}

static void damage_everywhere(size_t kind, const struct pair *pair)
{
    struct test_rng rng = {test_seed(32)};
    /* Every byte, but where the machine is an emulated one. */
    const size_t stride = test_scale() < 5 ? 7 : 1;
    const ninho_exchange_options options = options_of(kind);
    const ninho_exchange_options others = talk_options(33);
    struct talk_log log = {{0}, {0}, {0}};
    struct talk_way way = {.log = &log};
    struct sides sides = begin(pair, &options, &others);

    talk(sides.asker, sides.answerer, &way);
    CHECK(ninho_exchange_state_of(sides.asker) == NINHO_EXCHANGE_DONE);
    CHECK(ninho_exchange_state_of(sides.answerer) == NINHO_EXCHANGE_DONE);
    end(&sides);
    for (unsigned direction = 0; direction < 2; direction++)
        for (size_t at = 0; at < log.size[direction]; at += stride)
            for (unsigned fault = TALK_CUT; fault <= TALK_DROP; fault++) {
                way = (struct talk_way){.fault = fault,
                                        .direction = direction,
                                        .at = at,
                                        .length = 1 + rng_below(&rng, 30),
                                        .flip = (uint8_t)(1 + rng_below(&rng, 255))};
                test_where("kind %zu, fault %u at byte %zu of direction %u", kind, fault,
                           at, direction);
                sides = begin(pair, &options, &others);
                talk(sides.asker, sides.answerer, &way);
                check_side(sides.asker, pair->here, pair->there, options.question);
                check_side(sides.answerer, pair->there, pair->here, options.question);
                /* Who got the damaged stream knows it; but what is repeated after the last
                 * byte comes when all is over. */
                const ninho_exchange *hit = direction ? sides.asker : sides.answerer;
                if (fault != TALK_REPEAT)
                    CHECK(ninho_exchange_state_of(hit) == NINHO_EXCHANGE_FAILED);
                end(&sides);
            }
    talk_log_free(&log);
}

static void every_byte_may_be_damaged(void **state)
{
    (void)state;
    struct pair pair = make_pair();

    for (size_t kind = 0; kind < N_KINDS; kind++)
        damage_everywhere(kind, &pair);
    pair_free(&pair);
}

/* ---- Frames in the wrong place ----------------------------------------------------- */

struct shuffle {
    unsigned direction;
    uint64_t number;
    enum { DROP, REPEAT, SWAP, N_SHUFFLES } what;
    bool has_met;
};

static void shuffle(void *context, unsigned direction, uint64_t first,
                    struct frames *said)
{
    struct shuffle *s = context;

    if (direction != s->direction || s->number < first || s->number >= first + said->n)
        return;
    const size_t at = (size_t)(s->number - first);
    struct frame *frame = &said->frames[at];
    s->has_met = true;
    switch (s->what) {
    case DROP:
        frames_remove(said, at);
        break;
    case REPEAT: {
        uint8_t tag[8];
        memcpy(tag, frame->tag, 8);
        frames_insert(said, at + 1, frame->type, frame->payload, frame->size);
        memcpy(said->frames[at + 1].tag, tag, 8);
        break;
    }
    default:
        if (at + 1 < said->n) {
            const struct frame other = said->frames[at + 1];
            said->frames[at + 1] = *frame;
            said->frames[at] = other;
        } else {
            s->has_met = false;
        }
    }
}

static void every_frame_has_its_place(void **state)
{
    (void)state;
    struct pair pair = make_pair();
    const ninho_exchange_options others = talk_options(33);

    for (size_t kind = 0; kind < N_KINDS; kind++)
        for (unsigned direction = 0; direction < 2; direction++)
            for (unsigned what = DROP; what < N_SHUFFLES; what++)
                for (uint64_t number = 0; number < 12; number++) {
                    const ninho_exchange_options options = options_of(kind);
                    struct shuffle s = {direction, number, what, false};
                    struct sides sides = begin(&pair, &options, &others);
                    test_where("kind %zu, direction %u, frame %llu, change %u", kind,
                               direction, (unsigned long long)number, what);
                    talk_frames(sides.asker, sides.answerer, shuffle, &s, NULL, NULL);
                    check_side(sides.asker, pair.here, pair.there, options.question);
                    check_side(sides.answerer, pair.there, pair.here, options.question);
                    const ninho_exchange *hit = direction ? sides.asker : sides.answerer;
                    const bool is_after_the_end =
                        what == REPEAT &&
                        ninho_exchange_state_of(hit) == NINHO_EXCHANGE_DONE;
                    if (s.has_met && !is_after_the_end)
                        CHECK(ninho_exchange_state_of(hit) == NINHO_EXCHANGE_FAILED);
                    end(&sides);
                }
    pair_free(&pair);
}

/* What an answerer said in one talk is worth nothing in the next. */
static void an_old_talk_cannot_be_replayed(void **state)
{
    (void)state;
    struct pair pair = make_pair();
    const ninho_exchange_options others = talk_options(33);

    for (size_t kind = 0; kind < N_KINDS; kind++) {
        struct talk_log log = {{0}, {0}, {0}};
        const struct talk_way way = {.log = &log};
        ninho_exchange_options options = options_of(kind);
        struct sides sides = begin(&pair, &options, &others);
        talk(sides.asker, sides.answerer, &way);
        end(&sides);
        /* To another asker, and to another answerer. */
        options.nonce[3] ^= 1;
        sides = begin(&pair, &options, &others);
        CHECK_STATUS(ninho_exchange_take(sides.answerer, log.bytes[0], 8), NINHO_OK);
        const void *bytes = NULL;
        for (size_t n; (n = ninho_exchange_output(sides.asker, &bytes)) > 0;)
            ninho_exchange_sent(sides.asker, n);
        CHECK_STATUS(ninho_exchange_take(sides.asker, log.bytes[1], log.size[1]),
                     NINHO_ERR_CHECKSUM);
        check_side(sides.asker, pair.here, pair.there, options.question);
        end(&sides);
        ninho_exchange_options fresh = others;
        fresh.nonce[0] ^= 1;
        sides = begin(&pair, &options, &fresh);
        /* The greeting is as good as any; what follows it is not. */
        size_t at = 0;
        for (size_t n; at < log.size[0] &&
                       ninho_exchange_state_of(sides.answerer) != NINHO_EXCHANGE_FAILED;
             at++) {
            (void)ninho_exchange_take(sides.answerer, log.bytes[0] + at, 1);
            while ((n = ninho_exchange_output(sides.answerer, &bytes)) > 0)
                ninho_exchange_sent(sides.answerer, n);
        }
        CHECK_STATUS(ninho_exchange_error(sides.answerer)->status, NINHO_ERR_CHECKSUM);
        end(&sides);
        talk_log_free(&log);
    }
    pair_free(&pair);
}

/* ---- Strangers --------------------------------------------------------------------- */

/* Gives bytes to an asker and to an answerer; both must fail with that status, and must not have
 * asked for more memory than the bytes themselves justify. */
static void check_stranger(const void *bytes, size_t size, ninho_status expected,
                           const char *part_of_text)
{
    for (int is_asker = 0; is_asker < 2; is_asker++) {
        struct test_heap heap;
        struct pair pair = make_pair();
        ninho_exchange_options options = talk_options(41);
        ninho_exchange *x = NULL;
        const void *out = NULL;

        heap_init(&heap);
        options.alloc = &heap.alloc;
        if (is_asker)
            CHECK_OK(ninho_exchange_ask(pair.here, &options, &x, NULL));
        else
            CHECK_OK(ninho_exchange_answer(pair.here, &options, &x, NULL));
        for (size_t n; (n = ninho_exchange_output(x, &out)) > 0;)
            ninho_exchange_sent(x, n);
        (void)ninho_exchange_take(x, bytes, size);
        (void)ninho_exchange_end(x);
        CHECK_STATUS(ninho_exchange_error(x)->status, expected);
        if (!strstr(ninho_exchange_error(x)->text, part_of_text))
            test_fail(__FILE__, __LINE__, "the text is \"%s\"",
                      ninho_exchange_error(x)->text);
        CHECK(heap.largest < 65536);
        /* It stays so. */
        CHECK_STATUS(ninho_exchange_take(x, bytes, size), expected);
        ninho_exchange_free(x);
        CHECK_U64(heap.live_blocks, 0);
        pair_free(&pair);
    }
}

static void strangers_are_refused(void **state)
{
    (void)state;
    static const char banner[] = "Welcome to example.org\r\n";
    static const char us[] = "ninho-s\x01";

    check_stranger("", 0, NINHO_ERR_FORMAT, "before its greeting");
    check_stranger(banner, sizeof banner - 1, NINHO_ERR_FORMAT,
                   "byte 1 of its greeting is 0x57");
    check_stranger("ninho-", 6, NINHO_ERR_FORMAT, "before its greeting");
    check_stranger("ninho-s\x02", 8, NINHO_ERR_VERSION, "version 2");
    check_stranger("ninho-s\0", 8, NINHO_ERR_VERSION, "version 0");
    check_stranger(us, 8, NINHO_ERR_FORMAT, "before its greeting, after 8 bytes");
    /* 4 GiB - 1, 4 GiB, 2^63 and no end of a length, of data and of a greeting. */
    for (const char *type = "\x01\x03"; *type; type++) {
        uint8_t bytes[32];
        memcpy(bytes, us, 8);
        bytes[8] = (uint8_t)*type;
        memcpy(bytes + 9, "\xff\xff\xff\xff\x0f", 5);
        check_stranger(bytes, 14, NINHO_ERR_FORMAT, "announces 256 MiB or more");
        memcpy(bytes + 9, "\x80\x80\x80\x80\x10", 5);
        check_stranger(bytes, 14, NINHO_ERR_FORMAT, "announces 256 MiB or more");
        memset(bytes + 9, 0xff, 20);
        check_stranger(bytes, 29, NINHO_ERR_FORMAT, "announces 256 MiB or more");
        memcpy(bytes + 9, "\xff\xff\xff\x7f", 4);
        check_stranger(bytes, 13, NINHO_ERR_FORMAT, "announces 268435455 bytes");
    }
    /* A frame that dies on the way, and one that is no greeting. */
    check_stranger("ninho-s\x01\x01\x20greeting", 18, NINHO_ERR_FORMAT,
                   "in the middle of a frame");
    check_stranger("ninho-s\x01\x03\x01?12345678", 19, NINHO_ERR_FORMAT,
                   "is no greeting");
    check_stranger("ninho-s\x01\x01\x01?12345678", 19, NINHO_ERR_FORMAT, "too short");
    /* A peer that gives up says why; its text is not trusted. */
    check_stranger("ninho-s\x01\x02\x05\x0bno\n\xff"
                   "12345678",
                   23, NINHO_ERR_MISMATCH, "the peer gave up: \"no??\"");
    check_stranger("ninho-s\x01\x02\x03\x09no12345678", 21, NINHO_ERR_KEY_MISSING,
                   "the peer gave up: \"no\"");
}

static void other_versions_hear_it_too(void **state)
{
    (void)state;
    struct pair pair = make_pair();
    const ninho_exchange_options options = talk_options(1);
    struct sides sides = begin(&pair, &options, &options);
    const void *bytes = NULL;

    /* A side that refuses tells its own version, and its reason. */
    CHECK_STATUS(ninho_exchange_take(sides.answerer, "ninho-s\x07", 8),
                 NINHO_ERR_VERSION);
    const size_t n = ninho_exchange_output(sides.answerer, &bytes);
    CHECK(n > 20 && memcmp(bytes, "ninho-s\x01\x02", 9) == 0);
    CHECK_STATUS(ninho_exchange_take(sides.asker, bytes, n), NINHO_ERR_VERSION);
    CHECK(strstr(ninho_exchange_error(sides.asker)->text, "version 7"));
    end(&sides);
    pair_free(&pair);
}

static void secrets_must_agree(void **state)
{
    (void)state;
    static const uint8_t secrets[2][NINHO_SECRET_BYTES] = {"one secret text",
                                                           "two secret text"};
    struct pair pair = make_pair();

    for (unsigned i = 0; i < 9; i++) {
        ninho_exchange_options options = talk_options(51);
        ninho_exchange_options others = talk_options(52);
        options.secret = i % 3 ? secrets[i % 3 - 1] : NULL;
        others.secret = i / 3 ? secrets[i / 3 - 1] : NULL;
        struct sides sides = begin(&pair, &options, &others);
        test_where("secrets %u and %u", i % 3, i / 3);
        talk(sides.asker, sides.answerer, NULL);
        if (i % 3 == i / 3) {
            CHECK(ninho_exchange_state_of(sides.asker) == NINHO_EXCHANGE_DONE);
            check_difference(sides.asker, pair.here, pair.there);
        } else {
            const ninho_status expected = options.secret && others.secret
                                              ? NINHO_ERR_KEY_WRONG
                                              : NINHO_ERR_KEY_MISSING;
            CHECK_STATUS(ninho_exchange_error(sides.asker)->status, expected);
            CHECK_STATUS(ninho_exchange_error(sides.answerer)->status, expected);
            CHECK(strstr(ninho_exchange_error(sides.asker)->text, "secret"));
        }
        end(&sides);
    }
    pair_free(&pair);
}

/* What comes when all is over is an error, but not one of the answer. */
static void bytes_after_the_end(void **state)
{
    (void)state;
    struct pair pair = make_pair();
    const ninho_exchange_options options = talk_options(61);
    struct sides sides = begin(&pair, &options, &options);

    talk(sides.asker, sides.answerer, NULL);
    CHECK_STATUS(ninho_exchange_take(sides.asker, "x", 1), NINHO_ERR_FORMAT);
    CHECK(ninho_exchange_state_of(sides.asker) == NINHO_EXCHANGE_DONE);
    CHECK_OK(ninho_exchange_end(sides.asker));
    check_difference(sides.asker, pair.here, pair.there);
    end(&sides);
    pair_free(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_may_be_damaged),
        cmocka_unit_test(every_frame_has_its_place),
        cmocka_unit_test(an_old_talk_cannot_be_replayed),
        cmocka_unit_test(strangers_are_refused),
        cmocka_unit_test(other_versions_hear_it_too),
        cmocka_unit_test(secrets_must_agree),
        cmocka_unit_test(bytes_after_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
