/* SPDX-License-Identifier: MIT */
/* Running text, HTML and lines, whole and in pieces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/hyphen/small.h"
#include "support/test.h"

struct fixture {
    ninho_hyphen_language *language;
    ninho_hyphenator *hyphenator;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->language = small_language(small_patterns, "ex-cep-tion", 2, 3);
    CHECK_OK(ninho_hyphenator_create(fixture->language, NULL, NULL, &fixture->hyphenator,
                                     NULL));
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    ninho_hyphenator_free(fixture->hyphenator);
    ninho_hyphen_language_free(fixture->language);
    free(fixture);
    return 0;
}

/* What came out of a stream. */
struct output {
    char *bytes;
    size_t size, capacity;
    size_t fail_after; /* pieces; 0: never */
};

static ninho_status collect(void *context, const void *bytes, size_t size)
{
    struct output *output = context;
    CHECK(size > 0);
    if (output->fail_after && --output->fail_after == 0)
        return NINHO_ERR_IO;
    if (output->capacity - output->size < size) {
        output->capacity = 2 * (output->capacity + size);
        output->bytes = realloc(output->bytes, output->capacity);
        assert_non_null(output->bytes);
    }
    memcpy(output->bytes + output->size, bytes, size);
    output->size += size;
    return NINHO_OK;
}

/* Fed in pieces of `piece` bytes, each a block of its own. */
static struct output stream(ninho_hyphenator *hyphenator,
                            const ninho_hyphen_text_options *options, const char *text,
                            size_t size, size_t piece)
{
    struct output output = {0};
    ninho_hyphen_stream *s;
    CHECK_OK(ninho_hyphen_stream_create(hyphenator, options, collect, &output, NULL, &s,
                                        NULL));
    for (size_t at = 0; at < size; at += piece) {
        const size_t n = size - at < piece ? size - at : piece;
        char *copy = malloc(n);
        assert_non_null(copy);
        memcpy(copy, text + at, n);
        CHECK_OK(ninho_hyphen_stream_feed(s, copy, n));
        free(copy);
    }
    CHECK_OK(ninho_hyphen_stream_finish(s));
    ninho_hyphen_stream_free(s);
    return output;
}

/* The text comes out as expected ("~" is the mark), however it is cut. */
static void check(void **state, ninho_hyphen_units units, ninho_hyphen_runs runs,
                  const char *text, const char *expected)
{
    const struct fixture *fixture = *state;
    ninho_hyphen_text_options options = NINHO_HYPHEN_TEXT_OPTIONS_INIT;
    const size_t size = strlen(text), expected_size = strlen(expected);
    char out[4096];
    size_t out_size;

    options.units = units;
    options.runs = runs;
    options.mark = "~";
    options.mark_size = 1;
    test_where("%s", text);
    CHECK_OK(ninho_hyphen_text(fixture->hyphenator, &options, text, size, out, sizeof out,
                               &out_size, NULL));
    if (out_size != expected_size || memcmp(out, expected, out_size) != 0)
        test_fail(__FILE__, __LINE__, "came out as \"%.*s\"", (int)out_size, out);
    for (size_t piece = 1; piece <= size; piece++) {
        struct output output = stream(fixture->hyphenator, &options, text, size, piece);
        if (output.size != expected_size ||
            memcmp(output.bytes, expected, expected_size) != 0)
            test_fail(__FILE__, __LINE__, "in pieces of %zu came out as \"%.*s\"", piece,
                      (int)output.size, output.bytes);
        free(output.bytes);
    }
}

#define TEXT(text, expected) \
    check(state, NINHO_HYPHEN_TEXT, NINHO_HYPHEN_FIRST_RUN, text, expected)
#define HTML(text, expected) \
    check(state, NINHO_HYPHEN_HTML, NINHO_HYPHEN_FIRST_RUN, text, expected)
#define LINES(text, expected) \
    check(state, NINHO_HYPHEN_LINES, NINHO_HYPHEN_FIRST_RUN, text, expected)

static void words_between_spaces_are_hyphenated(void **state)
{
    TEXT("hyphenation, (hyphenation) and\thyphenation's.\r\nHyphenation",
         "hy~phen~ation, (hy~phen~ation) and\thy~phen~ation's.\r\nHy~phen~ation");
    TEXT("hyphenation\xC2\xA0hyphenation\xE2\x80\x89hyphenation",
         "hy~phen~ation\xC2\xA0hy~phen~ation\xE2\x80\x89hy~phen~ation");
    TEXT("exception  exception", "ex~cep~tion  ex~cep~tion");
    TEXT("\xEF\xBB\xBFhyphenation", "\xEF\xBB\xBFhy~phen~ation");
    TEXT("", "");
    TEXT(" \n ", " \n ");
}

static void addresses_are_left_alone(void **state)
{
    TEXT("https://hyphenation/hyphenation?hyphenation",
         "https://hyphenation/hyphenation?hyphenation");
    TEXT("(http://hyphenation)", "(http://hyphenation)");
    TEXT("hyphenation@hyphenation hyphenation", "hyphenation@hyphenation hy~phen~ation");
    TEXT("hyphenation.org hyphenation. www.hyphenation",
         "hyphenation.org hy~phen~ation. www.hyphenation");
    TEXT("hyphenation: @ hyphenation... 3.14", "hy~phen~ation: @ hy~phen~ation... 3.14");
}

static void words_with_hyphens_are_left_alone(void **state)
{
    TEXT("hyphen\xC2\xAD"
         "ation hyphenation-hyphenation hyphenation",
         "hyphen\xC2\xAD"
         "ation hyphenation-hyphenation hy~phen~ation");
}

static void every_run_can_be_hyphenated(void **state)
{
    const ninho_hyphen_runs every = NINHO_HYPHEN_EVERY_RUN;
    check(state, NINHO_HYPHEN_TEXT, every,
          "hyphenation/hyphenation-hyphenation2hyphenation",
          "hy~phen~ation/hy~phen~ation-hy~phen~ation2hy~phen~ation");
    check(state, NINHO_HYPHEN_TEXT, every,
          "hyphenation-hyphen\xC2\xAD"
          "ation",
          "hyphenation-hyphen\xC2\xAD"
          "ation");
    check(state, NINHO_HYPHEN_TEXT, every, "hyphenation-\xFF", "hyphenation-\xFF");
    check(state, NINHO_HYPHEN_TEXT, every, "http://hyphenation", "http://hyphenation");
    check(state, NINHO_HYPHEN_HTML, every, "hyphenation&mdash;hyphenation",
          "hy~phen~ation&mdash;hy~phen~ation");
}

static void bytes_that_are_not_utf8_pass(void **state)
{
    TEXT("\xFFhyphenation hyphenation\xC3 hyphenation",
         "\xFFhyphenation hyphenation\xC3 hy~phen~ation");
    TEXT("hyphenation\xE9 \xE2\x80 x", "hyphenation\xE9 \xE2\x80 x");
}

static void nul_bytes_pass(void **state)
{
    static const char text[] = "hyphenation\0hyphenation \0 hyphenation";
    static const char expected[] = "hy-phen-ation\0hyphenation \0 hy-phen-ation";
    const struct fixture *fixture = *state;
    ninho_hyphen_text_options options = NINHO_HYPHEN_TEXT_OPTIONS_INIT;
    options.mark = "-";
    options.mark_size = 1;
    struct output output =
        stream(fixture->hyphenator, &options, text, sizeof text - 1, 5);
    CHECK_U64(output.size, sizeof expected - 1);
    CHECK(memcmp(output.bytes, expected, output.size) == 0);
    free(output.bytes);
}

static void tags_are_left_alone(void **state)
{
    HTML(
        "<hyphenation title=\"hyphenation > hyphenation\" x='hyphenation>' y=hyphenation>"
        "hyphenation</hyphenation>",
        "<hyphenation title=\"hyphenation > hyphenation\" x='hyphenation>' y=hyphenation>"
        "hy~phen~ation</hyphenation>");
    HTML("hyphenation <b>hyphenation</b>", "hy~phen~ation <b>hy~phen~ation</b>");
    HTML("<p title=it's>hyphenation</p>", "<p title=it's>hy~phen~ation</p>");
    HTML("a < hyphenation <= hyphenation <3", "a < hy~phen~ation <= hy~phen~ation <3");
    HTML("</ hyphenation>hyphenation", "</ hyphenation>hy~phen~ation");
    HTML("hyphenation <hyphenation", "hy~phen~ation <hyphenation");
}

static void a_word_across_tags_is_left_alone(void **state)
{
    HTML("<span>hyp</span>hyphenation hyphenation",
         "<span>hyp</span>hyphenation hy~phen~ation");
    HTML("<b>hyphenation</b>s <b>hyphenation</b>. (<i>hyphenation</i>)",
         "<b>hyphenation</b>s <b>hy~phen~ation</b>. (<i>hy~phen~ation</i>)");
    HTML(
        "hyphenation<!-- x --><a\nhref='>'><i>hyphenation</i></a>hyphenation hyphenation",
        "hyphenation<!-- x --><a\nhref='>'><i>hyphenation</i></a>hyphenation "
        "hy~phen~ation");
    HTML("hyphenation<wbr>hyphenation<wbr/>hyphenation<b> hyphenation</b>",
         "hyphenation<wbr>hyphenation<wbr/>hyphenation<b> hy~phen~ation</b>");
    HTML("<p>hyphenation</p><p><b>hyphenation</b><br><i>hyphenation</i></p>",
         "<p>hy~phen~ation</p><p><b>hy~phen~ation</b><br><i>hy~phen~ation</i></p>");
    HTML("<b>hyphenation</b>\xC3\xA9 <b>hyphenation</b>\xE2\x80\x94 "
         "\xC3\xA9<b>hyphenation</b>",
         "<b>hyphenation</b>\xC3\xA9 <b>hy~phen~ation</b>\xE2\x80\x94 "
         "\xC3\xA9<b>hyphenation</b>");
    HTML("a&nbsp;<b>hyphenation</b> a&eacute;<b>hyphenation</b> "
         "a&ndash;<b>hyphenation</b>",
         "a&nbsp;<b>hy~phen~ation</b> a&eacute;<b>hyphenation</b> "
         "a&ndash;<b>hy~phen~ation</b>");
    HTML("<b>hyphenation</b>&eacute; hyphenation",
         "<b>hyphenation</b>&eacute; hy~phen~ation");
    HTML("hyphenation<code>x</code>hyphenation",
         "hy~phen~ation<code>x</code>hy~phen~ation");
    HTML("hyphenation-<b>hyphenation</b>", "hyphenation-<b>hyphenation</b>");
    HTML("hyphenation<b", "hy~phen~ation<b");
    HTML("hyphenation<b>", "hy~phen~ation<b>");
}

/* Beside too much markup a word may go on or not, and so it is left alone, however it is cut. */
static void a_word_before_a_long_tag_is_left_alone(void **state)
{
    char text[1024], expected[1024], long_word[101];
    memset(long_word, 'a', 100);
    long_word[100] = '\0';
    const struct fixture *fixture = *state;
    ninho_hyphen_text_options options = NINHO_HYPHEN_TEXT_OPTIONS_INIT;
    options.units = NINHO_HYPHEN_HTML;
    options.mark = "~";
    options.mark_size = 1;
    options.max_word = 64;
    (void)snprintf(
        text, sizeof text,
        "hyphenation<b %s> hyphenation <p>hyphenation<code>%s</code>hyphenation "
        "%s<b>hyphenation</b>. %s hyphenation",
        long_word, long_word, long_word, long_word);
    (void)snprintf(expected, sizeof expected,
                   "hyphenation<b %s> hy~phen~ation <p>hy~phen~ation<code>%s</code>"
                   "hy~phen~ation %s<b>hyphenation</b>. %s hy~phen~ation",
                   long_word, long_word, long_word, long_word);
    for (size_t piece = 1; piece <= strlen(text); piece++) {
        struct output output =
            stream(fixture->hyphenator, &options, text, strlen(text), piece);
        if (output.size != strlen(expected) ||
            memcmp(output.bytes, expected, output.size) != 0)
            test_fail(__FILE__, __LINE__, "in pieces of %zu came out as \"%.*s\"", piece,
                      (int)output.size, output.bytes);
        free(output.bytes);
    }
}

static void comments_and_declarations_are_left_alone(void **state)
{
    HTML("<!-- hyphenation > -- hyphenation -->hyphenation",
         "<!-- hyphenation > -- hyphenation -->hy~phen~ation");
    HTML("<!-->hyphenation", "<!-->hy~phen~ation");
    HTML("<!DOCTYPE hyphenation>hyphenation", "<!DOCTYPE hyphenation>hy~phen~ation");
    HTML("<!-hyphenation>hyphenation", "<!-hyphenation>hy~phen~ation");
    HTML("<?xml hyphenation?>hyphenation", "<?xml hyphenation?>hy~phen~ation");
    HTML("<![CDATA[ hyphenation > ]] ]]>hyphenation",
         "<![CDATA[ hyphenation > ]] ]]>hy~phen~ation");
    HTML("<!-- hyphenation", "<!-- hyphenation");
}

static void code_is_left_alone(void **state)
{
    HTML("<code>hyphenation</code>hyphenation", "<code>hyphenation</code>hy~phen~ation");
    HTML("<PRE class=x>hyphenation <b>hyphenation</b></pre >hyphenation",
         "<PRE class=x>hyphenation <b>hyphenation</b></pre >hy~phen~ation");
    HTML("<pre><code>hyphenation</code>hyphenation</pre>hyphenation",
         "<pre><code>hyphenation</code>hyphenation</pre>hy~phen~ation");
    HTML("<code><code>x</code>hyphenation</code>hyphenation",
         "<code><code>x</code>hyphenation</code>hy~phen~ation");
    HTML("<codes>hyphenation</codes>", "<codes>hy~phen~ation</codes>");
    HTML("<code/>hyphenation", "<code/>hy~phen~ation");
    HTML("<textarea>hyphenation</textarea><title>hyphenation</title>",
         "<textarea>hyphenation</textarea><title>hyphenation</title>");
}

static void scripts_end_at_their_own_tag_only(void **state)
{
    HTML("<script>a<b; \"</p>\" <!-- hyphenation </Script>hyphenation",
         "<script>a<b; \"</p>\" <!-- hyphenation </Script>hy~phen~ation");
    HTML("<xmp><b>hyphenation</xmp><iframe>hyphenation</iframe>hyphenation",
         "<xmp><b>hyphenation</xmp><iframe>hyphenation</iframe>hy~phen~ation");
    HTML("<style>hyphenation</styles></style>hyphenation",
         "<style>hyphenation</styles></style>hy~phen~ation");
}

static void entities_are_left_alone(void **state)
{
    HTML("&ldquo;hyphenation&rdquo;", "&ldquo;hy~phen~ation&rdquo;");
    HTML("hyphen&shy;ation hyphen&#173;ation hyphen&#xAD;ation",
         "hyphen&shy;ation hyphen&#173;ation hyphen&#xAD;ation");
    HTML("hyphenation&nbsp;hyphenation", "hy~phen~ation&nbsp;hy~phen~ation");
    HTML("hyphenation&#x2014;hyphenation", "hy~phen~ation&#x2014;hyphenation");
    HTML("hyphenation&eacute; hyphenation&#233; hyphenation&hyphenation;",
         "hyphenation&eacute; hyphenation&#233; hyphenation&hyphenation;");
    HTML("hyphenation & hyphenation &hyphenation AT&T",
         "hy~phen~ation & hy~phen~ation &hyphenation AT&T");
    HTML("hyphenation&amp hyphen&eacute/hyphenation &#233hyphenation &/hyphenation",
         "hyphenation&amp hyphen&eacute/hyphenation &#233hyphenation &/hy~phen~ation");
    TEXT("&hyphenation;", "&hy~phen~ation;");
}

static void lines_are_words(void **state)
{
    LINES("hyphenation\nhyphenation.org\r\n\nhyphenation hyphenation",
          "hy~phen~ation\nhy~phen~ation.org\r\n\nhy~phen~ation hyphenation");
    LINES("<b>hyphenation\n", "<b>hyphenation\n");
}

static void marks_have_defaults(void **state)
{
    const struct fixture *fixture = *state;
    ninho_hyphen_text_options options = NINHO_HYPHEN_TEXT_OPTIONS_INIT;
    char out[64];
    size_t size;
    CHECK_OK(ninho_hyphen_text(fixture->hyphenator, NULL, "hyphenation", 11, out,
                               sizeof out, &size, NULL));
    CHECK(size == 15 && memcmp(out,
                               "hy\xC2\xADphen\xC2\xAD"
                               "ation",
                               size) == 0);
    options.units = NINHO_HYPHEN_LINES;
    CHECK_OK(ninho_hyphen_text(fixture->hyphenator, &options, "hyphenation", 11, out,
                               sizeof out, &size, NULL));
    CHECK(size == 13 && memcmp(out, "hy-phen-ation", size) == 0);
    options.mark = "&shy;&shy;&shy;"; /* longer than a store */
    options.mark_size = 15;
    CHECK_OK(ninho_hyphen_text(fixture->hyphenator, &options, "hyphenation", 11, out,
                               sizeof out, &size, NULL));
    CHECK(size == 41 &&
          memcmp(out, "hy&shy;&shy;&shy;phen&shy;&shy;&shy;ation", size) == 0);
}

static void a_small_buffer_is_told_the_size(void **state)
{
    const struct fixture *fixture = *state;
    char out[8];
    size_t size = 0;
    CHECK_STATUS(ninho_hyphen_text(fixture->hyphenator, NULL, "hyphenation", 11, NULL, 0,
                                   &size, NULL),
                 NINHO_ERR_SPACE);
    CHECK_U64(size, 15);
    CHECK_STATUS(ninho_hyphen_text(fixture->hyphenator, NULL, "hyphenation", 11, out,
                                   sizeof out, &size, NULL),
                 NINHO_ERR_SPACE);
}

static void bad_options_are_refused(void **state)
{
    const struct fixture *fixture = *state;
    ninho_hyphen_stream *s = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    static const char mark[65] = "";
    for (int i = 0; i < 5; i++) {
        ninho_hyphen_text_options options = NINHO_HYPHEN_TEXT_OPTIONS_INIT;
        if (i == 0)
            options.units = (ninho_hyphen_units)3;
        if (i == 1)
            options.runs = (ninho_hyphen_runs)2;
        if (i == 2)
            options.max_word = 63;
        if (i == 3)
            options.max_word = ((size_t)1 << 20) + 1;
        if (i == 4) {
            options.mark = mark;
            options.mark_size = 65;
        }
        CHECK_STATUS(ninho_hyphen_stream_create(fixture->hyphenator, &options, collect,
                                                NULL, NULL, &s, &error),
                     NINHO_ERR_ARG);
    }
    assert_null(s);
}

static void a_word_without_end_passes_in_bounded_memory(void **state)
{
    enum { PIECE = 1 << 16 };
    const struct fixture *fixture = *state;
    ninho_hyphen_text_options options = NINHO_HYPHEN_TEXT_OPTIONS_INIT;
    struct test_heap heap;
    struct output output = {0};
    ninho_hyphen_stream *s;
    char *piece = malloc(PIECE);
    const size_t n_pieces = test_scaled(256, 8); /* 16 MiB */
    assert_non_null(piece);
    for (size_t i = 0; i < PIECE; i++)
        piece[i] = "hyphenation"[i % 11];
    for (unsigned units = 0; units < 3; units++) {
        options.units = (ninho_hyphen_units)units;
        output.size = 0;
        heap_init(&heap);
        CHECK_OK(ninho_hyphen_stream_create(fixture->hyphenator, &options, collect,
                                            &output, &heap.alloc, &s, NULL));
        for (size_t i = 0; i < n_pieces; i++) {
            CHECK_OK(ninho_hyphen_stream_feed(s, piece, PIECE));
            CHECK((i + 1) * PIECE - output.size <= 300000); /* what is held back */
        }
        CHECK(heap.peak_bytes < 500000);
        CHECK_OK(ninho_hyphen_stream_finish(s));
        CHECK_U64(output.size, n_pieces * PIECE);
        for (size_t i = 0; i < n_pieces; i++)
            CHECK(memcmp(output.bytes + i * PIECE, piece, PIECE) == 0);
        /* and the next word is one again */
        CHECK_OK(ninho_hyphen_stream_feed(s, "\nhyphenation\n", 13));
        CHECK_OK(ninho_hyphen_stream_finish(s));
        CHECK(output.size > n_pieces * PIECE + 13);
        ninho_hyphen_stream_free(s);
        CHECK_U64(heap.live_blocks, 0);
    }
    free(output.bytes);
    free(piece);
}

static void a_word_of_the_longest_size_is_hyphenated(void **state)
{
    const struct fixture *fixture = *state;
    ninho_hyphen_text_options options = NINHO_HYPHEN_TEXT_OPTIONS_INIT;
    char text[80] = "hyphenation!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!";
    options.max_word = 64;
    CHECK_U64(strlen(text), 64);
    for (size_t piece = 1; piece < 70; piece++) {
        struct output output = stream(fixture->hyphenator, &options, text, 64, piece);
        CHECK_U64(output.size, 64 + 4);
        free(output.bytes);
        text[64] = '!';
        output = stream(fixture->hyphenator, &options, text, 65, piece);
        CHECK_U64(output.size, 65);
        free(output.bytes);
        text[64] = '\0';
    }
}

static void what_the_sink_answers_comes_back(void **state)
{
    const struct fixture *fixture = *state;
    struct output output = {.fail_after = 1};
    ninho_hyphen_stream *s;
    CHECK_OK(ninho_hyphen_stream_create(fixture->hyphenator, NULL, collect, &output, NULL,
                                        &s, NULL));
    CHECK_OK(ninho_hyphen_stream_feed(s, "hyphenation", 11));
    CHECK_STATUS(ninho_hyphen_stream_finish(s), NINHO_ERR_IO);
    CHECK_STATUS(ninho_hyphen_stream_feed(s, "hyphenation ", 12), NINHO_ERR_IO);
    CHECK_STATUS(ninho_hyphen_stream_finish(s), NINHO_ERR_IO);
    CHECK_U64(output.size, 0);
    ninho_hyphen_stream_free(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(words_between_spaces_are_hyphenated),
        TEST(addresses_are_left_alone),
        TEST(words_with_hyphens_are_left_alone),
        TEST(every_run_can_be_hyphenated),
        TEST(bytes_that_are_not_utf8_pass),
        TEST(nul_bytes_pass),
        TEST(tags_are_left_alone),
        TEST(a_word_across_tags_is_left_alone),
        TEST(a_word_before_a_long_tag_is_left_alone),
        TEST(comments_and_declarations_are_left_alone),
        TEST(code_is_left_alone),
        TEST(scripts_end_at_their_own_tag_only),
        TEST(entities_are_left_alone),
        TEST(lines_are_words),
        TEST(marks_have_defaults),
        TEST(a_small_buffer_is_told_the_size),
        TEST(bad_options_are_refused),
        TEST(a_word_without_end_passes_in_bounded_memory),
        TEST(a_word_of_the_longest_size_is_hyphenated),
        TEST(what_the_sink_answers_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
