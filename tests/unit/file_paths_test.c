/* SPDX-License-Identifier: MIT */
/* Paths that are awkward, and paths that become something else while a file is begun. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file.h"
#include "support/test.h"

static void set_named(bool is_named)
{
#ifdef NINHO_TEST_HOOKS
    nh_file_always_named = is_named;
#else
    (void)is_named;
#endif
}

static void no_name_is_refused_at_once(void **state)
{
    ninho_error error = NINHO_ERROR_INIT;
    ninho_file *file = NULL;

    (void)state;
    CHECK_STATUS(ninho_file_begin("", NULL, &file, &error), NINHO_ERR_IO);
    CHECK(error.system_errno == ENOENT && !file);
}

/* Names of 255 bytes are the longest there are: the temporary's is no longer. */
static void the_longest_name_can_be_replaced(void **state)
{
    static const char *const letters[] = {"a", "\xc3\xa9", "\xe2\x82\xac"};

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        struct temp_dir dir;
        char name[256] = "x", path[512];
        ninho_file *file;
        size_t size;
        while (strlen(name) + strlen(letters[i / 2]) < sizeof name)
            strcat(name, letters[i / 2]);
        temp_dir_make(&dir);
        file_write(temp_path(&dir, name, path), "old", 3);
        set_named(i % 2);
        CHECK_OK(ninho_file_begin(path, NULL, &file, NULL));
        CHECK_OK(ninho_file_write(file, "newer", 5, NULL));
        const char *temporary = ninho_file_temporary(file);
        CHECK(!temporary || strlen(temporary) < strlen(path));
        if (temporary) /* cut between two characters */
            CHECK(strlen(strrchr(temporary, '/') + 1) % strlen(letters[i / 2]) ==
                  (1 + strlen(".ninho-tmp0000")) % strlen(letters[i / 2]));
        CHECK_OK(ninho_file_commit(file, NULL));
        free(file_read(path, &size));
        CHECK_U64(size, 5);
        CHECK_U64(temp_dir_count(&dir), 1);
        temp_dir_remove(&dir);
    }
    set_named(false);
}

#ifdef NINHO_TEST_HOOKS
/* A folder in which somebody changes `file` all the time: it is one's own file (mode 600), then a
 * link to another (mode 640), and so on. */
struct changing {
    struct temp_dir dir;
    char file[512], own[512], other[512], next[512];
    atomic_bool is_over;
};

static void *change(void *context)
{
    struct changing *c = context;

    while (!atomic_load(&c->is_over)) {
        CHECK(symlink(c->other, c->next) == 0 && rename(c->next, c->file) == 0);
        CHECK(link(c->own, c->next) == 0 && rename(c->next, c->file) == 0);
    }
    return NULL;
}

/* The file that is replaced is never given the rights of one that it is not. */
static void a_link_put_there_in_between_gives_no_rights(void **state)
{
    struct changing c = {.is_over = false};
    pthread_t thread;

    (void)state;
    temp_dir_make(&c.dir);
    temp_path(&c.dir, "file", c.file);
    temp_path(&c.dir, "next", c.next);
    file_write(temp_path(&c.dir, "own", c.own), "own", 3);
    file_write(temp_path(&c.dir, "other", c.other), "other", 5);
    CHECK(chmod(c.own, 0600) == 0 && chmod(c.other, 0640) == 0);
    CHECK(link(c.own, c.file) == 0);
    set_named(true); /* the temporary's name tells which file is replaced */
    CHECK(pthread_create(&thread, NULL, change, &c) == 0);
    for (unsigned n_begun = 0; n_begun < 8000;) {
        ninho_file *file;
        struct stat status;
        if (ninho_file_begin(c.file, NULL, &file, NULL) != NINHO_OK)
            continue;
        const bool is_other = strstr(ninho_file_temporary(file), "/other.") != NULL;
        CHECK(fstat(ninho_file_descriptor(file), &status) == 0);
        CHECK_U64(status.st_mode & 07777, is_other ? 0640 : 0600);
        ninho_file_drop(file);
        n_begun++;
    }
    atomic_store(&c.is_over, true);
    CHECK(pthread_join(thread, NULL) == 0);
    set_named(false);
    temp_dir_remove(&c.dir);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_name_is_refused_at_once),
        cmocka_unit_test(the_longest_name_can_be_replaced),
#ifdef NINHO_TEST_HOOKS
        cmocka_unit_test(a_link_put_there_in_between_gives_no_rights),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
