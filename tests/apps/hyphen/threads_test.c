/* SPDX-License-Identifier: MIT */
/* One language and one store, many hyphenators at once: every thread gets the same answers. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "apps/hyphen/small.h"
#include "support/test.h"

#define N_THREADS 4
#define N_WORDS   20000

struct job {
    const ninho_hyphen_language *language;
    const ninho_hyphen_exceptions *exceptions;
    size_t n_words;
    uint64_t sum; /* of everything written */
    ninho_hyphen_counters counters;
    bool has_failed;
};

static void make_word(uint64_t i, char word[16])
{
    uint64_t bits = mix64(i);
    const size_t n = 5 + bits % 8;
    bits /= 8;
    for (size_t k = 0; k < n; k++, bits /= 20)
        word[k] = (char)('a' + bits % 20);
    word[n] = '\0';
}

static void *run(void *context)
{
    struct job *job = context;
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    ninho_hyphenator *hyphenator;

    if (ninho_hyphenator_create(job->language, job->exceptions, NULL, &hyphenator,
                                NULL)) {
        job->has_failed = true;
        return NULL;
    }
    for (uint64_t i = 0; i < job->n_words; i++) {
        char word[16], out[64];
        make_word(i, word);
        const size_t size = ninho_hyphenator_write(hyphenator, word, strlen(word), "-", 1,
                                                   out, sizeof out);
        job->sum = job->sum * 31 + ninho_hash_bytes(&hasher, out, size);
    }
    job->counters = ninho_hyphenator_counters(hyphenator);
    ninho_hyphenator_free(hyphenator);
    return NULL;
}

static void run_all(const ninho_hyphen_language *language,
                    const ninho_hyphen_exceptions *exceptions)
{
    struct job jobs[N_THREADS + 1] = {{0}};
    pthread_t threads[N_THREADS];

    for (size_t i = 0; i <= N_THREADS; i++)
        jobs[i] = (struct job){.language = language,
                               .exceptions = exceptions,
                               .n_words = test_scaled(N_WORDS, 1000)};
    run(&jobs[N_THREADS]); /* alone, to compare with */
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, &jobs[i]), 0);
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    CHECK(jobs[N_THREADS].counters.found > 0);
    for (size_t i = 0; i < N_THREADS; i++) {
        CHECK(!jobs[i].has_failed);
        CHECK_U64(jobs[i].sum, jobs[N_THREADS].sum);
        CHECK_U64(jobs[i].counters.lookups, jobs[N_THREADS].counters.lookups);
        CHECK_U64(jobs[i].counters.found, jobs[N_THREADS].counters.found);
    }
}

static void threads_share_a_language_and_a_store(void **state)
{
    ninho_hyphen_rules *rules = small_rules("1b 1d c2d 3f g4h 1k", NULL);
    ninho_hyphen_options options = NINHO_HYPHEN_OPTIONS_INIT;
    ninho_hyphen_language *language;
    struct temp_dir dir;
    char path[512];
    (void)state;
    temp_dir_make(&dir);
    for (uint64_t i = 0; i < 500; i += 5) {
        char word[16];
        make_word(i, word);
        CHECK_OK(ninho_hyphen_rules_add_exception(rules, word, strlen(word), NULL));
    }
    options.exceptions = NINHO_HYPHEN_LEFT_OUT;
    CHECK_OK(ninho_hyphen_compile(rules, &options, NULL, &language, NULL));
    for (int store = NINHO_HYPHEN_DICT; store <= NINHO_HYPHEN_FILE; store++) {
        ninho_hyphen_store_options store_options = NINHO_HYPHEN_STORE_OPTIONS_INIT;
        ninho_hyphen_exceptions *exceptions;
        if (!ninho_hyphen_has_store((ninho_hyphen_store)store))
            continue;
        store_options.store = (ninho_hyphen_store)store;
        store_options.path =
            temp_path(&dir, ninho_hyphen_store_name((ninho_hyphen_store)store), path);
        store_options.filter.kind = NINHO_BLOCKED;
        store_options.filter.fpr = 0.05;
        CHECK_OK(ninho_hyphen_exceptions_create(&store_options, rules, NULL, &exceptions,
                                                NULL));
        run_all(language, exceptions);
        ninho_hyphen_exceptions_free(exceptions);
    }
    ninho_hyphen_language_free(language);
    ninho_hyphen_rules_free(rules);
    temp_dir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_a_language_and_a_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
