/* SPDX-License-Identifier: MIT */
/* Files that are replaced whole or not at all. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/reading.h"
#include "unit/file_replacing.h"

/* ---- Whole or not at all ------------------------------------------------------------------- */

static void a_file_is_replaced_when_committed_and_not_before(void **state)
{
    struct temp_dir dir;
    char path[512];
    ninho_file *file;

    (void)state;
    temp_dir_make(&dir);
    file_write(temp_path(&dir, "file", path), "old", 3);
    const int n_open = open_fd_count();
    CHECK_OK(ninho_file_begin(path, NULL, &file, NULL));
    CHECK(ninho_file_descriptor(file) >= 0);
    CHECK_OK(ninho_file_write(file, "ne", 2, NULL));
    check_content(path, "old");
    CHECK_OK(ninho_file_sync(file, NULL));
    CHECK_OK(ninho_file_sink(file, "wer", 3, NULL));
    CHECK_OK(ninho_file_write(file, NULL, 0, NULL));
    check_content(path, "old");
    CHECK_OK(ninho_file_commit(file, NULL));
    check_content(path, "newer");
    CHECK_U64(temp_dir_count(&dir), 1);
    CHECK(open_fd_count() == n_open);
    temp_dir_remove(&dir);
}

static void a_dropped_file_leaves_no_trace(void **state)
{
    struct temp_dir dir;
    char path[512];
    ninho_file *file;

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "file", path);
    const int n_open = open_fd_count();
    CHECK_OK(ninho_file_begin(path, NULL, &file, NULL));
    CHECK_OK(ninho_file_write(file, "never seen", 10, NULL));
    CHECK(nh_file_always_named ? file_size(ninho_file_temporary(file)) == 10
                               : temp_dir_count(&dir) == 0);
    ninho_file_drop(file);
    ninho_file_drop(NULL);
    CHECK_U64(temp_dir_count(&dir), 0);
    CHECK(open_fd_count() == n_open);
    temp_dir_remove(&dir);
}

/* Names that are taken already are passed over. */
static void two_writers_do_not_meet(void **state)
{
    struct temp_dir dir;
    char path[512];
    ninho_file *a, *b;

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "file", path);
    CHECK_OK(ninho_file_begin(path, NULL, &a, NULL));
    CHECK_OK(ninho_file_begin(path, NULL, &b, NULL));
    CHECK_OK(ninho_file_write(a, "aaa", 3, NULL));
    CHECK_OK(ninho_file_write(b, "bb", 2, NULL));
    CHECK_OK(ninho_file_commit(b, NULL));
    check_content(path, "bb");
    CHECK_OK(ninho_file_commit(a, NULL));
    check_content(path, "aaa");
    CHECK_U64(temp_dir_count(&dir), 1);
    temp_dir_remove(&dir);
}

/* A process that writes to the path and is killed. */
static void write_and_die(const char *path)
{
    const pid_t child = fork();
    int status;

    CHECK(child >= 0);
    if (child == 0) {
        ninho_file *file;
        if (ninho_file_begin(path, NULL, &file, NULL) == NINHO_OK)
            (void)ninho_file_write(file, "half", 4, NULL);
        (void)raise(SIGKILL);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
}

static void what_a_killed_process_left_is_removed_by_the_next(void **state)
{
    struct temp_dir dir;
    char path[512], name[512];
    ninho_file *file;

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "file", path);
    write_and_die(path);
    CHECK_U64(temp_dir_count(&dir), nh_file_always_named ? 1 : 0);
    /* As if killed between link and rename, which unnamed files have too; twice. */
    file_write(temp_path(&dir, "file.ninho-tmp0000", name), "half", 4);
    file_write(temp_path(&dir, "file.ninho-tmp0001", name), "half", 4);
    CHECK_OK(ninho_file_begin(path, NULL, &file, NULL));
    CHECK_U64(temp_dir_count(&dir), nh_file_always_named ? 1 : 0);
    ninho_file_drop(file);
    CHECK_U64(temp_dir_count(&dir), 0);
    file_write(temp_path(&dir, "file.ninho-tmp0000", name), "half", 4);
    CHECK_OK(replace(path, "new", NULL, NULL));
    check_content(path, "new");
    CHECK_U64(temp_dir_count(&dir), 1);
    /* So nothing that is to stay may be written there. */
    CHECK_STATUS(ninho_file_begin(name, NULL, &file, NULL), NINHO_ERR_ARG);
    temp_dir_remove(&dir);
}

/* Neither one that is being written, nor a link or a folder of such a name. */
static void what_is_not_left_behind_stays(void **state)
{
    struct temp_dir dir;
    char path[512], other[512], name[512];
    ninho_file *file;

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "file", path);
    file_write(temp_path(&dir, "other", other), "other", 5);
    const int held =
        open(temp_path(&dir, "file.ninho-tmp0000", name), O_CREAT | O_RDWR, 0600);
    CHECK(held >= 0 && flock(held, LOCK_EX) == 0);
    CHECK(symlink(other, temp_path(&dir, "file.ninho-tmp0001", name)) == 0);
    CHECK(mkdir(temp_path(&dir, "file.ninho-tmp0002", name), 0700) == 0);
    CHECK_OK(ninho_file_begin(path, NULL, &file, NULL));
    CHECK_U64(temp_dir_count(&dir), nh_file_always_named ? 5 : 4);
    CHECK_OK(ninho_file_write(file, "new", 3, NULL));
    CHECK_OK(ninho_file_commit(file, NULL));
    check_content(path, "new");
    check_content(other, "other");
    CHECK_U64(temp_dir_count(&dir), 5);
    CHECK(close(held) == 0 && rmdir(name) == 0);
    temp_dir_remove(&dir);
}

static void what_is_no_file_is_refused(void **state)
{
    struct temp_dir dir;
    char path[512];
    ninho_error error = NINHO_ERROR_INIT;
    ninho_file_options options = NINHO_FILE_INIT;
    ninho_file *file = NULL;

    (void)state;
    temp_dir_make(&dir);
    CHECK_STATUS(ninho_file_begin(dir.path, NULL, &file, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_file_begin("/dev/null", NULL, &file, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_file_begin(NULL, NULL, &file, &error), NINHO_ERR_ARG);
    CHECK_STATUS(
        ninho_file_begin(temp_path(&dir, "none/file", path), NULL, &file, &error),
        NINHO_ERR_IO);
    CHECK(error.system_errno == ENOENT);
    options.mode = 04755;
    CHECK_STATUS(ninho_file_begin(temp_path(&dir, "file", path), &options, &file, &error),
                 NINHO_ERR_ARG);
    options = (ninho_file_options){0};
    CHECK_STATUS(ninho_file_begin(path, &options, &file, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_file_commit(NULL, &error), NINHO_ERR_ARG);
    CHECK(file == NULL && ninho_file_descriptor(NULL) == -1);
    CHECK_U64(temp_dir_count(&dir), 0);
    temp_dir_remove(&dir);
}

static void a_link_is_followed_and_one_that_leads_nowhere_is_refused(void **state)
{
    struct temp_dir dir;
    char path[512], link_path[512];
    ninho_error error = NINHO_ERROR_INIT;
    struct stat status;

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "file", path);
    temp_path(&dir, "link", link_path);
    CHECK(symlink("file", link_path) == 0);
    CHECK_STATUS(replace(link_path, "new", NULL, &error), NINHO_ERR_IO);
    CHECK(error.system_errno == ENOENT);
    CHECK_U64(temp_dir_count(&dir), 1);
    file_write(path, "old", 3);
    CHECK_OK(replace(link_path, "new", NULL, &error));
    check_content(path, "new");
    CHECK(lstat(link_path, &status) == 0 && S_ISLNK(status.st_mode));
    temp_dir_remove(&dir);
}

/* No descriptors left: an error, nothing else. */
static void running_out_of_descriptors_is_an_error(void **state)
{
    struct temp_dir dir;
    struct rlimit old, none;
    char path[512];
    ninho_file *file;
    struct nh_file_in in;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    temp_dir_make(&dir);
    file_write(temp_path(&dir, "file", path), "old", 3);
    CHECK(getrlimit(RLIMIT_NOFILE, &old) == 0);
    none = old;
    none.rlim_cur = 0;
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    const ninho_status opened = nh_file_open(path, &in, &error);
    const int open_errno = error.system_errno;
    const ninho_status begun = ninho_file_begin(path, NULL, &file, &error);
    CHECK(setrlimit(RLIMIT_NOFILE, &old) == 0);
    CHECK_STATUS(opened, NINHO_ERR_IO);
    CHECK(open_errno == EMFILE);
    CHECK_STATUS(begun, NINHO_ERR_IO);
    check_content(path, "old");
    CHECK_U64(temp_dir_count(&dir), 1);
    temp_dir_remove(&dir);
}

/* A file that is not the one that was read is not overwritten. */
static void a_change_in_between_is_noticed(void **state)
{
    struct temp_dir dir;
    char path[512];
    ninho_error error = NINHO_ERROR_INIT;
    ninho_file_options options = NINHO_FILE_INIT;
    ninho_file_id id;

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "file", path);
    CHECK_STATUS(ninho_file_identify(path, &id, &error), NINHO_ERR_IO);
    file_write(path, "old", 3);
    CHECK_OK(ninho_file_identify(path, &id, &error));
    options.expected = &id;
    CHECK(chmod(path, 0640) == 0); /* who may read it is no change of what was read */
    CHECK_OK(replace(path, "new", &options, &error));
    check_content(path, "new");
    CHECK_STATUS(replace(path, "newer", &options, &error), NINHO_ERR_CHANGED);
    CHECK(error.status == NINHO_ERR_CHANGED);
    check_content(path, "new");
    CHECK_OK(ninho_file_identify(path, &id, &error));
    file_write(path, "in place", 8);
    CHECK_STATUS(replace(path, "newer", &options, &error), NINHO_ERR_CHANGED);
    CHECK_OK(ninho_file_identify(path, &id, &error));
    CHECK(unlink(path) == 0);
    CHECK_STATUS(replace(path, "newer", &options, &error), NINHO_ERR_CHANGED);
    CHECK_U64(temp_dir_count(&dir), 0);
    temp_dir_remove(&dir);
}

/* ---- Reading ------------------------------------------------------------------------------- */

static void reading_stops_at_the_end(void **state)
{
    struct temp_dir dir;
    char path[512], bytes[8];
    ninho_error error = NINHO_ERROR_INIT;
    struct nh_file_in file;

    (void)state;
    temp_dir_make(&dir);
    file_write(temp_path(&dir, "file", path), "0123456789", 10);
    CHECK_OK(nh_file_open(path, &file, NULL));
    CHECK_U64(file.size, 10);
    CHECK_OK(nh_file_read(&file, bytes, 2, NULL));
    CHECK_OK(nh_file_read(&file, bytes, 8, NULL));
    CHECK(memcmp(bytes, "23456789", 8) == 0);
    CHECK_OK(nh_file_read(&file, bytes, 0, NULL));
    CHECK_STATUS(nh_file_read(&file, bytes, 1, &error), NINHO_ERR_FORMAT);
    CHECK_U64(error.offset, 10);
    file.offset = 3;
    CHECK_STATUS(nh_file_read(&file, bytes, 8, &error), NINHO_ERR_FORMAT);
    close(file.descriptor);
    CHECK_STATUS(nh_file_read(&file, bytes, 1, &error), NINHO_ERR_IO);
    CHECK(error.system_errno == EBADF);
    CHECK_STATUS(nh_file_open(dir.path, &file, &error), NINHO_ERR_ARG);
    CHECK_STATUS(nh_file_open("/dev/zero", &file, &error), NINHO_ERR_ARG);
    temp_path(&dir, "none", path);
    CHECK_STATUS(nh_file_open(path, &file, &error), NINHO_ERR_IO);
    CHECK(error.system_errno == ENOENT);
    temp_dir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH_WAYS(a_file_is_replaced_when_committed_and_not_before),
        BOTH_WAYS(a_dropped_file_leaves_no_trace),
        BOTH_WAYS(two_writers_do_not_meet),
        BOTH_WAYS(what_a_killed_process_left_is_removed_by_the_next),
        BOTH_WAYS(what_is_not_left_behind_stays),
        BOTH_WAYS(what_is_no_file_is_refused),
        BOTH_WAYS(a_link_is_followed_and_one_that_leads_nowhere_is_refused),
        BOTH_WAYS(running_out_of_descriptors_is_an_error),
        BOTH_WAYS(a_change_in_between_is_noticed),
        cmocka_unit_test(reading_stops_at_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
