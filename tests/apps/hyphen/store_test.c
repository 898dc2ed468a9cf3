/* SPDX-License-Identifier: MIT */
/* Stores in files, the library's own and LMDB's: what was put there stays, for its language, under its
 * limits, whoever else changes it. */
#define _DEFAULT_SOURCE /* flock */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/hyphen/small.h"
#include "support/test.h"

#define N_WORDS 300

static const ninho_hyphen_store kinds[] = {NINHO_HYPHEN_FILE, NINHO_HYPHEN_LMDB};

/* A folder with the name of a store in it, of each kind in turn. */
struct place {
    struct temp_dir dir;
    char path[512];
    ninho_hyphen_store_options options;
};

static void place_make(struct place *place, ninho_hyphen_store store)
{
    test_where("%s", ninho_hyphen_store_name(store));
    temp_dir_make(&place->dir);
    place->options = (ninho_hyphen_store_options)NINHO_HYPHEN_STORE_OPTIONS_INIT;
    place->options.store = store;
    place->options.path = temp_path(&place->dir, "store", place->path);
}

static void place_remove(struct place *place)
{
    temp_dir_remove(&place->dir);
}

#define FOR_EACH_STORE(place)                                                \
    for (size_t s_ = 0; s_ < sizeof kinds / sizeof kinds[0]; s_++)           \
        if (ninho_hyphen_has_store(kinds[s_]))                               \
            for (bool once_ = (place_make((place), kinds[s_]), true); once_; \
                 place_remove(place), once_ = false)

/* "aaaaba", "aaaaca", ...: distinct for distinct numbers. */
static void make_word(unsigned number, char word[8])
{
    memset(word, 'a', 7);
    word[7] = '\0';
    for (size_t i = 5; number; i--, number /= 26)
        word[i] = (char)('a' + number % 26);
}

static ninho_hyphen_rules *make_rules(void)
{
    ninho_hyphen_rules *rules = small_rules(NULL, NULL);
    for (unsigned i = 0; i < N_WORDS; i++) {
        char word[8];
        make_word(i, word);
        CHECK_OK(ninho_hyphen_rules_add_exception(rules, word, strlen(word), NULL));
    }
    return rules;
}

static ninho_hyphen_exceptions *opened(const struct place *place,
                                       const ninho_hyphen_rules *rules)
{
    ninho_hyphen_exceptions *exceptions = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_hyphen_exceptions_create(&place->options, rules, NULL, &exceptions, &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
    return exceptions;
}

static uint64_t count_in(const ninho_hyphen_exceptions *exceptions)
{
    ninho_hyphen_store_info info = NINHO_HYPHEN_STORE_INFO_INIT;

    CHECK_OK(ninho_hyphen_store_info_of(exceptions, &info));
    return info.count;
}

static void check_refused(const struct place *place, const ninho_hyphen_rules *rules,
                          ninho_status expected, const char *text)
{
    ninho_hyphen_exceptions *exceptions = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    CHECK_STATUS(
        ninho_hyphen_exceptions_create(&place->options, rules, NULL, &exceptions, &error),
        expected);
    assert_null(exceptions);
    if (text && !strstr(error.text, text))
        test_fail(__FILE__, __LINE__, "says '%s', not '%s'", error.text, text);
}

static void what_is_in_a_file_stays(void **state)
{
    struct place place;
    (void)state;
    FOR_EACH_STORE(&place)
    {
        ninho_hyphen_rules *rules = small_rules(NULL, "ta-ble chair");
        ninho_hyphen_language *language = small_language(small_patterns, NULL, 2, 3);
        ninho_hyphen_store_info info = NINHO_HYPHEN_STORE_INFO_INIT;
        ninho_hyphenator *hyphenator;
        char out[64];
        place.options.filter.kind = NINHO_BLOOM;
        ninho_hyphen_exceptions *exceptions = opened(&place, rules);
        CHECK_OK(ninho_hyphen_exceptions_add(exceptions, "so-fa-bed", 9, NULL));
        ninho_hyphen_exceptions_free(exceptions);
        /* again, without rules: what was there is there, and the filter knows it */
        exceptions = opened(&place, NULL);
        CHECK_OK(ninho_hyphen_store_info_of(exceptions, &info));
        CHECK_U64(info.count, 3);
        CHECK_U64(info.store, place.options.store);
        CHECK_U64(info.store_bytes, file_size(place.path));
        CHECK(ninho_hyphen_exceptions_get(exceptions, "sofabed", 7, out, sizeof out));
        CHECK_OK(ninho_hyphenator_create(language, exceptions, NULL, &hyphenator, NULL));
        CHECK(strcmp(broken_by(hyphenator, "Sofabed"), "So-fa-bed") == 0);
        /* a change is seen by a hyphenator that was there before */
        CHECK_OK(ninho_hyphen_exceptions_add(exceptions, "sofa-bed", 8, NULL));
        CHECK(strcmp(broken_by(hyphenator, "sofabed"), "sofa-bed") == 0);
        ninho_hyphenator_free(hyphenator);
        ninho_hyphen_exceptions_free(exceptions);
        ninho_hyphen_language_free(language);
        ninho_hyphen_rules_free(rules);
    }
}

static void defaults_go_into_a_new_store_only(void **state)
{
    struct place place;
    ninho_hyphen_rules *rules = small_rules(NULL, "ta-ble chair");
    (void)state;
    FOR_EACH_STORE(&place)
    {
        place.options.defaults = rules;
        ninho_hyphen_exceptions *exceptions = opened(&place, NULL);
        CHECK_U64(count_in(exceptions), 2);
        CHECK_OK(ninho_hyphen_exceptions_remove(exceptions, "table", 5, NULL, NULL));
        CHECK_STATUS(ninho_hyphen_exceptions_remove(exceptions, "table", 5, NULL, NULL),
                     NINHO_ERR_NOT_FOUND);
        ninho_hyphen_exceptions_free(exceptions);
        exceptions = opened(&place, NULL);
        CHECK_U64(count_in(exceptions), 1);
        ninho_hyphen_exceptions_free(exceptions);
        /* rules go in at each opening */
        exceptions = opened(&place, rules);
        CHECK_U64(count_in(exceptions), 2);
        ninho_hyphen_exceptions_free(exceptions);
    }
    ninho_hyphen_rules_free(rules);
}

static void a_file_has_one_language(void **state)
{
    struct place place;
    ninho_hyphen_rules *rules = small_rules(NULL, "ta-ble chair");
    (void)state;
    FOR_EACH_STORE(&place)
    {
        place.options.language = "en-us";
        ninho_hyphen_exceptions *exceptions = opened(&place, rules);
        CHECK_U64(count_in(exceptions), 2);
        ninho_hyphen_exceptions_free(exceptions);
        place.options.language = "pt";
        check_refused(&place, rules, NINHO_ERR_FORMAT, "those of en-us, not of pt");
        place.options.language = NULL;
        exceptions = opened(&place, NULL);
        CHECK_U64(count_in(exceptions), 2);
        ninho_hyphen_exceptions_free(exceptions);
        /* made without a language, it takes any */
        place.options.path = temp_path(&place.dir, "other", place.path);
        ninho_hyphen_exceptions_free(opened(&place, rules));
        place.options.language = "pt";
        exceptions = opened(&place, rules);
        CHECK_U64(count_in(exceptions), 2);
        ninho_hyphen_exceptions_free(exceptions);
        place.options.language = "a-name-of-more-than-thirty-one-bytes";
        check_refused(&place, NULL, NINHO_ERR_ARG, NULL);
        /* it could not be read again */
        place.options.language = "a name";
        check_refused(&place, NULL, NINHO_ERR_ARG, NULL);
    }
    ninho_hyphen_rules_free(rules);
}

static void other_files_are_no_store(void **state)
{
    struct place place;
    char junk[16384];
    (void)state;
    memset(junk, 'x', sizeof junk);
    FOR_EACH_STORE(&place)
    {
        file_write(place.path, junk, sizeof junk);
        check_refused(&place, NULL, NINHO_ERR_FORMAT, NULL);
        CHECK_U64(file_size(place.path), sizeof junk);
        CHECK_U64(temp_dir_count(&place.dir), 1);
        place.options.path = temp_path(&place.dir, "no/store", place.path);
        check_refused(&place, NULL, NINHO_ERR_IO, NULL);
        place.options.path = place.dir.path;
        check_refused(&place, NULL, NINHO_ERR_FORMAT, "not a regular file");
        place.options.path = temp_path(&place.dir, "pipe", place.path);
        CHECK(mkfifo(place.path, 0600) == 0);
        check_refused(&place, NULL, NINHO_ERR_FORMAT, "not a regular file");
        place.options.path = NULL;
        check_refused(&place, NULL, NINHO_ERR_ARG, NULL);
        place.options.store = (ninho_hyphen_store)9;
        check_refused(&place, NULL, NINHO_ERR_ARG, NULL);
    }
    place_make(&place, NINHO_HYPHEN_LMDB);
    if (!ninho_hyphen_has_store(NINHO_HYPHEN_LMDB))
        check_refused(&place, NULL, NINHO_ERR_UNSUPPORTED, NULL);
    place_remove(&place);
}

/* However words come and go, a file of ours is one that opens. */
static void a_file_that_we_wrote_opens(void **state)
{
    struct place place;
    ninho_hyphen_rules *rules = make_rules();
    (void)state;
    FOR_EACH_STORE(&place)
    {
        ninho_hyphen_exceptions *exceptions = opened(&place, rules);
        /* LMDB gives up pages on the way */
        const unsigned n = place.options.store == NINHO_HYPHEN_LMDB ? N_WORDS : 20;
        for (unsigned i = 0; i < n; i++) {
            char word[8];
            make_word(i, word);
            CHECK_OK(ninho_hyphen_exceptions_remove(exceptions, word, strlen(word), NULL,
                                                    NULL));
            ninho_hyphen_exceptions_free(exceptions);
            exceptions = opened(&place, NULL);
        }
        CHECK_U64(count_in(exceptions), N_WORDS - n);
        ninho_hyphen_exceptions_free(exceptions);
    }
    ninho_hyphen_rules_free(rules);
}

static void an_lmdb_file_is_open_once_in_a_process(void **state)
{
    struct place place;
    (void)state;
    if (!ninho_hyphen_has_store(NINHO_HYPHEN_LMDB))
        skip();
    place_make(&place, NINHO_HYPHEN_LMDB);
    ninho_hyphen_exceptions *exceptions = opened(&place, NULL);
    check_refused(&place, NULL, NINHO_ERR_ARG, "open already");
    ninho_hyphen_exceptions_free(exceptions);
    ninho_hyphen_exceptions_free(opened(&place, NULL));
    place_remove(&place);
}

static void a_file_that_may_only_be_read_is_read(void **state)
{
    struct place place;
    ninho_hyphen_rules *rules = small_rules(NULL, "ta-ble chair");
    ninho_error error = NINHO_ERROR_INIT;
    (void)state;
    FOR_EACH_STORE(&place)
    {
        char other[512], out[64];
        place.options.filter.kind = NINHO_BLOOM;
        ninho_hyphen_exceptions_free(opened(&place, rules));
        CHECK(chmod(place.path, 0444) == 0);
        if (place.options.store == NINHO_HYPHEN_LMDB) {
            CHECK(chmod(temp_path(&place.dir, "store-lock", other), 0666) == 0);
            CHECK(chmod(temp_path(&place.dir, "store-sum", other), 0444) == 0);
        }
        CHECK(chmod(place.dir.path, 0555) == 0);
        /* Whoever runs as root may write everything. */
        const bool is_root = geteuid() == 0;
        if (is_root)
            CHECK(seteuid(65534) == 0);
        ninho_hyphen_exceptions *exceptions = opened(&place, rules);
        CHECK(ninho_hyphen_exceptions_get(exceptions, "table", 5, out, sizeof out));
        CHECK_STATUS(ninho_hyphen_exceptions_add(exceptions, "so-fa", 5, &error),
                     NINHO_ERR_IO);
        CHECK_STATUS(ninho_hyphen_exceptions_remove(exceptions, "table", 5, NULL, &error),
                     NINHO_ERR_IO);
        CHECK_U64(count_in(exceptions), 2);
        ninho_hyphen_exceptions_free(exceptions);
        if (is_root)
            CHECK(seteuid(0) == 0);
        CHECK(chmod(place.dir.path, 0755) == 0);
    }
    ninho_hyphen_rules_free(rules);
}

static void a_file_grows_to_max_bytes_and_no_more(void **state)
{
    struct place place;
    ninho_hyphen_rules *rules = make_rules();
    (void)state;
    FOR_EACH_STORE(&place)
    {
        ninho_status status = NINHO_OK;
        ninho_error error = NINHO_ERROR_INIT;
        unsigned n = N_WORDS;
        char word[8] = "";
        ninho_hyphen_exceptions_free(opened(&place, rules));
        place.options.max_bytes = (uint64_t)file_size(place.path) + 512;
        if (place.options.store == NINHO_HYPHEN_LMDB)
            place.options.max_bytes += 4 * 4096 - 512; /* it writes pages, not words */
        ninho_hyphen_exceptions *exceptions = opened(&place, NULL);
        for (; n < 3000 && !status; n++) {
            make_word(n, word);
            status = ninho_hyphen_exceptions_add(exceptions, word, strlen(word), &error);
        }
        CHECK_STATUS(status, NINHO_ERR_FULL);
        assert_non_null(strstr(error.text, "max_bytes"));
        CHECK_U64(count_in(exceptions), n - 1);
        CHECK(!ninho_hyphen_exceptions_get(exceptions, word, strlen(word), NULL, 0));
        ninho_hyphen_exceptions_free(exceptions);
        /* what the limit lets in can be read under it */
        exceptions = opened(&place, NULL);
        CHECK_U64(count_in(exceptions), n - 1);
        ninho_hyphen_exceptions_free(exceptions);
    }
    ninho_hyphen_rules_free(rules);
}

static void a_bad_filter_touches_no_file(void **state)
{
    struct place place;
    (void)state;
    FOR_EACH_STORE(&place)
    {
        place.options.filter.kind = NINHO_BLOOM;
        place.options.filter.fpr = 2;
        check_refused(&place, NULL, NINHO_ERR_ARG, NULL);
        CHECK_U64(temp_dir_count(&place.dir), 0);
    }
}

/* ---- Several processes ----------------------------------------------------------------------- */

#define N_WRITERS 4
#define N_EACH    10

/* Adds words of its own, in a process of its own, opening the store anew for each. */
static void write_words(const struct place *place, unsigned writer)
{
    for (unsigned i = 0; i < N_EACH; i++) {
        ninho_hyphen_exceptions *exceptions;
        char word[8];
        make_word(writer * N_EACH + i, word);
        if (ninho_hyphen_exceptions_create(&place->options, NULL, NULL, &exceptions,
                                           NULL) ||
            ninho_hyphen_exceptions_add(exceptions, word, strlen(word), NULL))
            _exit(1);
        ninho_hyphen_exceptions_free(exceptions);
    }
    _exit(0);
}

static void several_writers_lose_nothing(void **state)
{
    struct place place;
    (void)state;
    FOR_EACH_STORE(&place)
    {
        pid_t children[N_WRITERS];
        for (unsigned i = 0; i < N_WRITERS; i++) {
            children[i] = fork();
            assert_true(children[i] >= 0);
            if (children[i] == 0)
                write_words(&place, i);
        }
        for (unsigned i = 0; i < N_WRITERS; i++) {
            int ended;
            CHECK(waitpid(children[i], &ended, 0) == children[i]);
            CHECK(ended == 0);
        }
        ninho_hyphen_exceptions *exceptions = opened(&place, NULL);
        CHECK_U64(count_in(exceptions), N_WRITERS * N_EACH);
        ninho_hyphen_exceptions_free(exceptions);
        /* besides the file there are LMDB's lock and the checksum, or nothing */
        CHECK_U64(temp_dir_count(&place.dir),
                  place.options.store == NINHO_HYPHEN_LMDB ? 3 : 1);
    }
}

static void what_others_change_is_seen_when_asked_for(void **state)
{
    struct place place;
    (void)state;
    place_make(&place, NINHO_HYPHEN_FILE);
    place.options.filter.kind = NINHO_BLOOM;
    ninho_hyphen_exceptions *one = opened(&place, NULL), *other = opened(&place, NULL);
    CHECK_OK(ninho_hyphen_exceptions_add(one, "ta-ble", 6, NULL));
    CHECK(!ninho_hyphen_exceptions_get(other, "table", 5, NULL, 0));
    CHECK_OK(ninho_hyphen_exceptions_rebuild(other, NULL));
    CHECK(ninho_hyphen_exceptions_get(other, "table", 5, NULL, 0));
    /* a change takes over what others changed */
    CHECK_OK(ninho_hyphen_exceptions_add(one, "so-fa", 5, NULL));
    CHECK_OK(ninho_hyphen_exceptions_remove(other, "table", 5, NULL, NULL));
    CHECK_U64(count_in(other), 1);
    CHECK_OK(ninho_hyphen_exceptions_rebuild(one, NULL));
    CHECK_U64(count_in(one), 1);
    ninho_hyphen_exceptions_free(one);
    ninho_hyphen_exceptions_free(other);
    place_remove(&place);
}

/* ---- Several names --------------------------------------------------------------------------- */

/* "link", which leads to "folder/store". */
struct linked {
    struct place place;
    char folder[512], real[512];
};

static void linked_make(struct linked *linked, ninho_hyphen_store store)
{
    place_make(&linked->place, store);
    CHECK(mkdir(temp_path(&linked->place.dir, "folder", linked->folder), 0755) == 0);
    linked->place.options.path =
        temp_path(&linked->place.dir, "folder/store", linked->real);
    ninho_hyphen_exceptions_free(opened(&linked->place, NULL));
    linked->place.options.path =
        temp_path(&linked->place.dir, "link", linked->place.path);
    CHECK(symlink("folder/store", linked->place.path) == 0);
}

static void linked_remove(struct linked *linked)
{
    static const char *const names[] = {"folder/store", "folder/store-lock",
                                        "folder/store-sum"};
    char path[512];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        (void)unlink(temp_path(&linked->place.dir, names[i], path));
    CHECK(rmdir(linked->folder) == 0);
    place_remove(&linked->place);
}

/* Memory for a store, and whether the folder was ever locked when it was asked for. */
struct watch {
    const char *folder;
    bool is_on;
    bool was_locked;
};

static void *watched_alloc(void *context, size_t size)
{
    struct watch *watch = context;

    if (watch->is_on) {
        const int folder = open(watch->folder, O_RDONLY | O_DIRECTORY);
        CHECK(folder >= 0);
        watch->was_locked |= flock(folder, LOCK_EX | LOCK_NB) != 0;
        CHECK(close(folder) == 0);
    }
    return malloc(size);
}

static void watched_free(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

/* A change through a link takes the lock that those take who know the file itself. */
static void all_names_of_a_file_have_one_lock(void **state)
{
    struct linked linked;
    struct watch watch = {.folder = linked.folder};
    const ninho_alloc alloc = {watched_alloc, watched_free, &watch};
    ninho_hyphen_exceptions *exceptions;
    (void)state;
    linked_make(&linked, NINHO_HYPHEN_FILE);
    CHECK_OK(ninho_hyphen_exceptions_create(&linked.place.options, NULL, &alloc,
                                            &exceptions, NULL));
    watch.is_on = true;
    CHECK_OK(ninho_hyphen_exceptions_add(exceptions, "ta-ble", 6, NULL));
    watch.is_on = false;
    CHECK(watch.was_locked);
    ninho_hyphen_exceptions_free(exceptions);
    CHECK_U64(temp_dir_count(&linked.place.dir), 2); /* the folder and the link */
    linked_remove(&linked);
}

static void all_names_of_an_lmdb_file_have_one_checksum(void **state)
{
    struct linked linked;
    (void)state;
    if (!ninho_hyphen_has_store(NINHO_HYPHEN_LMDB))
        skip();
    linked_make(&linked, NINHO_HYPHEN_LMDB);
    ninho_hyphen_exceptions *exceptions = opened(&linked.place, NULL);
    CHECK_OK(ninho_hyphen_exceptions_add(exceptions, "ta-ble", 6, NULL));
    ninho_hyphen_exceptions_free(exceptions);
    CHECK_U64(temp_dir_count(&linked.place.dir), 2); /* the folder and the link */
    linked.place.options.path = linked.real;
    exceptions = opened(&linked.place, NULL);
    CHECK_U64(count_in(exceptions), 1);
    ninho_hyphen_exceptions_free(exceptions);
    /* a link to nothing is no place for a store */
    char path[512];
    CHECK(symlink("nothing", temp_path(&linked.place.dir, "lost", path)) == 0);
    linked.place.options.path = path;
    check_refused(&linked.place, NULL, NINHO_ERR_IO, NULL);
    CHECK_U64(temp_dir_count(&linked.place.dir), 3);
    linked_remove(&linked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_a_file_stays),
        cmocka_unit_test(defaults_go_into_a_new_store_only),
        cmocka_unit_test(a_file_has_one_language),
        cmocka_unit_test(other_files_are_no_store),
        cmocka_unit_test(a_file_that_we_wrote_opens),
        cmocka_unit_test(an_lmdb_file_is_open_once_in_a_process),
        cmocka_unit_test(a_file_that_may_only_be_read_is_read),
        cmocka_unit_test(a_file_grows_to_max_bytes_and_no_more),
        cmocka_unit_test(a_bad_filter_touches_no_file),
        cmocka_unit_test(several_writers_lose_nothing),
        cmocka_unit_test(what_others_change_is_seen_when_asked_for),
        cmocka_unit_test(all_names_of_a_file_have_one_lock),
        cmocka_unit_test(all_names_of_an_lmdb_file_have_one_checksum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
