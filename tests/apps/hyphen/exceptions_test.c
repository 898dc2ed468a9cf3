/* SPDX-License-Identifier: MIT */
/* Exceptions in a store, behind every kind of filter: the answers are those of exceptions that are
 * compiled in, whatever stands between. */
#include <stdio.h>
#include <string.h>

#include "apps/hyphen/small.h"
#include "support/test.h"

#define N_EXCEPTIONS 300
#define N_WORDS      3000

static const ninho_hyphen_store stores[] = {NINHO_HYPHEN_DICT, NINHO_HYPHEN_FILE,
                                            NINHO_HYPHEN_LMDB};
#define N_STORES (sizeof stores / sizeof stores[0])

/* The i-th word: some are exceptions, all are letters. */
static void make_word(uint64_t i, char word[16])
{
    uint64_t bits = mix64(i + 1);
    const size_t n = 6 + bits % 8;
    bits /= 8;
    for (size_t k = 0; k < n; k++, bits /= 20)
        word[k] = (char)((i % 7 == 0 && k == 0 ? 'A' : 'a') + bits % 20);
    word[n] = '\0';
}

/* The same with a hyphen behind the second letter, and perhaps behind the fourth. */
static void make_exception(uint64_t i, char text[20])
{
    char word[16];
    make_word(i, word);
    (void)snprintf(text, 20, "%.2s-%.2s%s%s", word, word + 2, i % 2 ? "-" : "", word + 4);
}

static ninho_hyphen_rules *make_rules(void)
{
    ninho_hyphen_rules *rules = small_rules("1b 1d c2d 3f g4h 1k 2l1m", NULL);
    for (uint64_t i = 0; i < N_EXCEPTIONS; i++) {
        char text[20];
        make_exception(i, text);
        CHECK_OK(ninho_hyphen_rules_add_exception(rules, text, strlen(text), NULL));
    }
    return rules;
}

/* Both languages: with the exceptions in the automaton, and without. */
struct pair {
    ninho_hyphen_rules *rules;
    ninho_hyphen_language *with, *without;
};

static struct pair pair_make(void)
{
    ninho_hyphen_options options = NINHO_HYPHEN_OPTIONS_INIT;
    struct pair pair = {.rules = make_rules()};
    CHECK_OK(ninho_hyphen_compile(pair.rules, &options, NULL, &pair.with, NULL));
    options.exceptions = NINHO_HYPHEN_LEFT_OUT;
    CHECK_OK(ninho_hyphen_compile(pair.rules, &options, NULL, &pair.without, NULL));
    return pair;
}

static void pair_free(struct pair *pair)
{
    ninho_hyphen_language_free(pair->with);
    ninho_hyphen_language_free(pair->without);
    ninho_hyphen_rules_free(pair->rules);
}

/* Every word: what the store and its filter say is what the automaton says. */
static ninho_hyphen_counters compare(const struct pair *pair,
                                     const ninho_hyphen_exceptions *exceptions)
{
    ninho_hyphenator *hyphenator;
    CHECK_OK(ninho_hyphenator_create(pair->without, exceptions, NULL, &hyphenator, NULL));
    for (uint64_t i = 0; i < N_WORDS; i++) {
        char word[16];
        make_word(i, word);
        const char *expected = broken(pair->with, word);
        if (strcmp(broken_by(hyphenator, word), expected) != 0)
            test_fail(__FILE__, __LINE__, "%s is not broken %s", word, expected);
    }
    CHECK_OK(ninho_hyphenator_status(hyphenator, NULL));
    const ninho_hyphen_counters counters = ninho_hyphenator_counters(hyphenator);
    CHECK_U64(counters.words, N_WORDS);
    CHECK_U64(counters.asked, N_WORDS);
    CHECK_U64(counters.found, N_EXCEPTIONS);
    CHECK_U64(counters.lookups + counters.saved, counters.asked);
    ninho_hyphenator_reset_counters(hyphenator);
    CHECK_U64(ninho_hyphenator_counters(hyphenator).words, 0);
    ninho_hyphenator_free(hyphenator);
    return counters;
}

/* Options for a filter of that kind; false if it needs more than these. */
static ninho_hyphen_store_options options_for(ninho_hyphen_store store, ninho_kind kind,
                                              double fpr, const char *path)
{
    ninho_hyphen_store_options options = NINHO_HYPHEN_STORE_OPTIONS_INIT;
    options.store = store;
    options.path = path;
    options.filter.kind = kind;
    options.filter.fpr = fpr;
    return options;
}

/* fpr that each kind can give: fuse has two widths of tags. */
static const double rates[] = {0.2, 0.01, 0.00002};

static void every_filter_before_a_store_gives_the_same_answers(void **state)
{
    struct pair pair = pair_make();
    struct temp_dir dir;
    char path[512];
    (void)state;
    temp_dir_make(&dir);
    for (size_t s = 0; s < N_STORES; s++) {
        const ninho_hyphen_store store = stores[s];
        ninho_kind kind;
        if (!ninho_hyphen_has_store(store))
            continue;
        for (size_t k = 0; (kind = ninho_kind_at(k)) != 0; k++) {
            for (size_t r = 0; r < 3; r++) {
                ninho_hyphen_store_options options =
                    options_for(store, kind, rates[r],
                                temp_path(&dir, ninho_hyphen_store_name(store), path));
                ninho_hyphen_exceptions *exceptions;
                test_where("%s %s %g", ninho_hyphen_store_name(store),
                           ninho_kind_name(kind), rates[r]);
                CHECK_OK(ninho_hyphen_exceptions_create(&options, pair.rules, NULL,
                                                        &exceptions, NULL));
                const ninho_hyphen_counters counters = compare(&pair, exceptions);
                CHECK_U64(counters.false_positives, counters.lookups - counters.found);
                CHECK((double)counters.false_positives <=
                      binomial_high(N_WORDS - N_EXCEPTIONS, 1.1 * rates[r], 6) + 1);
                ninho_hyphen_exceptions_free(exceptions);
            }
        }
    }
    temp_dir_remove(&dir);
    pair_free(&pair);
}

static void a_store_alone_is_asked_for_every_word(void **state)
{
    struct pair pair = pair_make();
    struct temp_dir dir;
    char path[512];
    (void)state;
    temp_dir_make(&dir);
    for (size_t s = 0; s < N_STORES; s++) {
        const ninho_hyphen_store store = stores[s];
        ninho_hyphen_store_options options =
            options_for(store, (ninho_kind)0, 0,
                        temp_path(&dir, ninho_hyphen_store_name(store), path));
        ninho_hyphen_exceptions *exceptions;
        if (!ninho_hyphen_has_store(store))
            continue;
        CHECK_OK(ninho_hyphen_exceptions_create(&options, pair.rules, NULL, &exceptions,
                                                NULL));
        const ninho_hyphen_counters counters = compare(&pair, exceptions);
        CHECK_U64(counters.lookups, N_WORDS);
        CHECK_U64(counters.false_positives, 0);
        ninho_hyphen_exceptions_free(exceptions);
    }
    temp_dir_remove(&dir);
    pair_free(&pair);
}

/* Adds, removes and replaces behind a filter of one kind. */
static void change_behind(ninho_kind kind, const struct pair *pair)
{
    ninho_hyphen_store_options options = options_for(NINHO_HYPHEN_DICT, kind, 0.01, NULL);
    ninho_hyphen_store_info info = NINHO_HYPHEN_STORE_INFO_INIT;
    ninho_hyphen_exceptions *exceptions;
    ninho_hyphenator *hyphenator;
    ninho_error note = NINHO_ERROR_INIT;

    options.filter.capacity = 4; /* so that it must be built anew on the way */
    CHECK_OK(ninho_hyphen_exceptions_create(&options, NULL, NULL, &exceptions, NULL));
    CHECK_OK(ninho_hyphenator_create(pair->without, exceptions, NULL, &hyphenator, NULL));
    for (uint64_t i = 0; i < N_EXCEPTIONS; i++) {
        char text[20];
        make_exception(i, text);
        CHECK_OK(ninho_hyphen_exceptions_add(exceptions, text, strlen(text), NULL));
        CHECK_OK(ninho_hyphen_exceptions_add(exceptions, text, strlen(text), NULL));
    }
    compare(pair, exceptions);
    CHECK_OK(ninho_hyphen_store_info_of(exceptions, &info));
    CHECK_U64(info.count, N_EXCEPTIONS);
    CHECK_U64(info.filter, kind);
    const bool forgets = (info.filter_can & NINHO_CAN_REMOVE) != 0;
    for (uint64_t i = 0; i < N_EXCEPTIONS; i++) {
        char word[16];
        make_word(i, word);
        CHECK_OK(
            ninho_hyphen_exceptions_remove(exceptions, word, strlen(word), &note, NULL));
        CHECK_STATUS(note.status, forgets ? NINHO_OK : NINHO_ERR_UNSUPPORTED);
        CHECK(forgets || strstr(note.text, ninho_kind_name(kind)));
        CHECK_STATUS(
            ninho_hyphen_exceptions_remove(exceptions, word, strlen(word), &note, NULL),
            NINHO_ERR_NOT_FOUND);
        CHECK(strcmp(broken_by(hyphenator, word), broken(pair->without, word)) == 0);
    }
    /* One that cannot forget goes on saying maybe; built anew it does not. */
    ninho_hyphen_counters counters = ninho_hyphenator_counters(hyphenator);
    if (!forgets) {
        CHECK_U64(counters.lookups, N_EXCEPTIONS);
        CHECK_OK(ninho_hyphen_store_info_of(exceptions, &info));
        CHECK_U64(info.n_stale, N_EXCEPTIONS);
        CHECK_OK(ninho_hyphen_exceptions_rebuild(exceptions, NULL));
        ninho_hyphenator_reset_counters(hyphenator);
        for (uint64_t i = 0; i < N_EXCEPTIONS; i++) {
            char word[16];
            make_word(i, word);
            (void)broken_by(hyphenator, word);
        }
        counters = ninho_hyphenator_counters(hyphenator);
    }
    CHECK_U64(counters.found, 0);
    CHECK(counters.lookups < N_EXCEPTIONS / 4);
    CHECK_OK(ninho_hyphen_store_info_of(exceptions, &info));
    CHECK_U64(info.n_stale, 0);
    ninho_hyphenator_free(hyphenator);
    ninho_hyphen_exceptions_free(exceptions);
}

static void exceptions_come_and_go_behind_every_filter(void **state)
{
    struct pair pair = pair_make();
    ninho_kind kind;
    (void)state;
    for (size_t k = 0; (kind = ninho_kind_at(k)) != 0; k++) {
        test_where("%s", ninho_kind_name(kind));
        change_behind(kind, &pair);
    }
    pair_free(&pair);
}

/* Words that come and go must not fill a filter that cannot forget them. */
static void a_filter_stays_good_when_words_come_and_go(void **state)
{
    ninho_kind kind;
    (void)state;
    for (size_t k = 0; (kind = ninho_kind_at(k)) != 0; k++) {
        ninho_hyphen_store_options options =
            options_for(NINHO_HYPHEN_DICT, kind, 0.01, NULL);
        ninho_hyphen_store_info info = NINHO_HYPHEN_STORE_INFO_INIT;
        ninho_hyphen_exceptions *exceptions;
        test_where("%s", ninho_kind_name(kind));
        options.filter.capacity = 64;
        CHECK_OK(ninho_hyphen_exceptions_create(&options, NULL, NULL, &exceptions, NULL));
        for (uint64_t i = 0; i < 2000; i++) {
            char word[16];
            make_word(i, word);
            CHECK_OK(ninho_hyphen_exceptions_add(exceptions, word, strlen(word), NULL));
            CHECK_OK(ninho_hyphen_exceptions_remove(exceptions, word, strlen(word), NULL,
                                                    NULL));
        }
        CHECK_OK(ninho_hyphen_store_info_of(exceptions, &info));
        CHECK(info.fpr_expected < 0.02);
        CHECK(info.filter_capacity <= 1024);
        CHECK(info.n_stale <= info.filter_capacity);
        /* a word that comes back is stale no longer */
        CHECK_OK(ninho_hyphen_exceptions_rebuild(exceptions, NULL));
        CHECK_OK(ninho_hyphen_exceptions_add(exceptions, "chair", 5, NULL));
        CHECK_OK(ninho_hyphen_exceptions_remove(exceptions, "chair", 5, NULL, NULL));
        CHECK_OK(ninho_hyphen_exceptions_add(exceptions, "chair", 5, NULL));
        CHECK_OK(ninho_hyphen_store_info_of(exceptions, &info));
        CHECK_U64(info.n_stale, 0);
        ninho_hyphen_exceptions_free(exceptions);
    }
}

static void exceptions_are_told(void **state)
{
    ninho_hyphen_exceptions *exceptions;
    char out[64];
    (void)state;
    CHECK_OK(ninho_hyphen_exceptions_create(NULL, NULL, NULL, &exceptions, NULL));
    CHECK_OK(ninho_hyphen_exceptions_add(exceptions, "TA-bl\xC3\x89", 7, NULL));
    CHECK(ninho_hyphen_exceptions_get(exceptions, "Tabl\xC3\xA9", 6, out, sizeof out));
    CHECK(strcmp(out, "ta-bl\xC3\xA9") == 0);
    CHECK(ninho_hyphen_exceptions_get(exceptions, "tabl\xC3\xA9", 6, out, 4));
    CHECK(strcmp(out, "ta-") == 0);
    CHECK(!ninho_hyphen_exceptions_get(exceptions, "table", 5, out, sizeof out));
    CHECK_STATUS(ninho_hyphen_exceptions_add(exceptions, "a b", 3, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_hyphen_exceptions_add(exceptions, "", 0, NULL), NINHO_ERR_ARG);
    ninho_hyphen_exceptions_free(exceptions);
}

static void words_that_are_too_short_are_not_asked_for(void **state)
{
    struct pair pair = pair_make();
    ninho_hyphen_exceptions *exceptions;
    ninho_hyphenator *hyphenator;
    (void)state;
    CHECK_OK(ninho_hyphen_exceptions_create(NULL, pair.rules, NULL, &exceptions, NULL));
    CHECK_OK(ninho_hyphenator_create(pair.without, exceptions, NULL, &hyphenator, NULL));
    (void)broken_by(hyphenator, "abcd");
    (void)broken_by(hyphenator, "abcdef-gh");
    CHECK_U64(ninho_hyphenator_counters(hyphenator).asked, 0);
    (void)broken_by(hyphenator, "abcde");
    CHECK_U64(ninho_hyphenator_counters(hyphenator).asked, 1);
    ninho_hyphenator_free(hyphenator);
    ninho_hyphen_exceptions_free(exceptions);
    pair_free(&pair);
}

static void an_empty_mark_counts_its_breaks(void **state)
{
    ninho_hyphen_language *language = small_language(small_patterns, NULL, 2, 3);
    ninho_hyphenator *hyphenator;
    char out[600];
    (void)state;
    CHECK_OK(ninho_hyphenator_create(language, NULL, NULL, &hyphenator, NULL));
    for (size_t room = 11; room <= sizeof out; room += sizeof out - 11) {
        ninho_hyphenator_reset_counters(hyphenator);
        CHECK_U64(ninho_hyphenator_write(hyphenator, "hyphenation", 11, "", 0, out, room),
                  11);
        CHECK(memcmp(out, "hyphenation", 11) == 0);
        CHECK_U64(ninho_hyphenator_counters(hyphenator).breaks, 2);
    }
    ninho_hyphenator_free(hyphenator);
    ninho_hyphen_language_free(language);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_filter_before_a_store_gives_the_same_answers),
        cmocka_unit_test(a_store_alone_is_asked_for_every_word),
        cmocka_unit_test(exceptions_come_and_go_behind_every_filter),
        cmocka_unit_test(a_filter_stays_good_when_words_come_and_go),
        cmocka_unit_test(exceptions_are_told),
        cmocka_unit_test(words_that_are_too_short_are_not_asked_for),
        cmocka_unit_test(an_empty_mark_counts_its_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
