/* SPDX-License-Identifier: MIT */
/* Files that are replaced whole or not at all, and who may still read them then. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/xattr.h>
#endif

#include "io/file.h"
#include "io/reading.h"
#include "support/test.h"

#ifndef NINHO_TEST_HOOKS
static bool nh_file_always_named; /* stays false: there is nobody to tell */
#define CANNOT_NAME
#endif

/* Each test runs with unnamed temporary files, where the system has them, and with named ones. */
static int unnamed(void **state)
{
    (void)state;
    nh_file_always_named = false;
    return 0;
}

static int named(void **state)
{
    (void)state;
#ifndef CANNOT_NAME
    nh_file_always_named = true;
#endif
    return 0;
}

static void check_content(const char *path, const char *expected)
{
    size_t size;
    uint8_t *bytes = file_read(path, &size);

    CHECK_U64(size, strlen(expected));
    CHECK(memcmp(bytes, expected, size) == 0);
    free(bytes);
}

static unsigned mode_of(const char *path)
{
    struct stat status;

    CHECK(stat(path, &status) == 0);
    return status.st_mode & 07777;
}

static ninho_status replace(const char *path, const char *content,
                            const ninho_file_options *options, ninho_error *error)
{
    ninho_file *file;

    ninho_status status = ninho_file_begin(path, options, &file, error);
    if (status)
        return status;
    status = ninho_file_write(file, content, strlen(content), error);
    if (!status)
        return ninho_file_commit(file, error);
    ninho_file_drop(file);
    return status;
}

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

/* ---- Owner, group, mode -------------------------------------------------------------------- */

static void a_new_file_gets_what_the_mask_leaves(void **state)
{
    struct temp_dir dir;
    char path[512];
    ninho_file_options options = NINHO_FILE_INIT;

    (void)state;
    temp_dir_make(&dir);
    const mode_t before = umask(027);
    CHECK_OK(replace(temp_path(&dir, "a", path), "x", NULL, NULL));
    CHECK_U64(mode_of(path), 0640);
    options.mode = 0604;
    CHECK_OK(replace(temp_path(&dir, "b", path), "x", &options, NULL));
    CHECK_U64(mode_of(path), 0600);
    umask(before);
    temp_dir_remove(&dir);
}

static void a_mode_survives(void **state)
{
    static const mode_t modes[] = {0600, 0444, 0666, 0751, 04755, 02750, 01644};
    ninho_file_options options = NINHO_FILE_INIT;
    struct temp_dir dir;
    char path[512];

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "file", path);
    options.mode = 0777;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        file_write(path, "old", 3);
        CHECK(chmod(path, modes[i]) == 0);
        CHECK_OK(replace(path, "new", &options, NULL));
        CHECK_U64(mode_of(path), modes[i]);
        CHECK(unlink(path) == 0);
    }
    temp_dir_remove(&dir);
}

static bool is_root(void)
{
    if (geteuid() == 0)
        return true;
    print_message("only root can give files away\n");
    return false;
}

/* Replaces as that user, in a process of its own. The status; *text is what was said. */
static ninho_status replace_as(uid_t user, gid_t group, const char *path, char text[256])
{
    int pipes[2];
    int wait_status;

    CHECK(pipe(pipes) == 0);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        ninho_error error = NINHO_ERROR_INIT;
        if (setgroups(0, NULL) != 0 || setgid(group) != 0 || setuid(user) != 0)
            _exit(99);
        const ninho_status status = replace(path, "new", NULL, &error);
        const ssize_t n = write(pipes[1], error.text, sizeof error.text);
        _exit(n == (ssize_t)sizeof error.text ? (int)status : 98);
    }
    close(pipes[1]);
    memset(text, 0, 256);
    CHECK(read(pipes[0], text, 255) > 0);
    close(pipes[0]);
    CHECK(waitpid(child, &wait_status, 0) == child && WIFEXITED(wait_status));
    return (ninho_status)WEXITSTATUS(wait_status);
}

/* A file of theirs in a folder that everybody may write to. */
static void make_owned(struct temp_dir *dir, char path[512], uid_t user, gid_t group,
                       mode_t mode)
{
    temp_dir_make(dir);
    CHECK(chmod(dir->path, 0777) == 0);
    file_write(temp_path(dir, "file", path), "old", 3);
    CHECK(chown(path, user, group) == 0);
    CHECK(chmod(path, mode) == 0);
}

static void check_owned(const char *path, uid_t user, gid_t group, mode_t mode)
{
    struct stat status;

    CHECK(stat(path, &status) == 0);
    CHECK_U64(status.st_uid, user);
    CHECK_U64(status.st_gid, group);
    CHECK_U64(status.st_mode & 07777, mode);
}

static void root_leaves_a_file_its_owner(void **state)
{
    static const mode_t modes[] = {0600, 0664, 04750, 02770};
    struct temp_dir dir;
    char path[512];

    (void)state;
    if (!is_root())
        skip();
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        make_owned(&dir, path, 1000, 1001, modes[i]);
        CHECK_OK(replace(path, "new", NULL, NULL));
        check_content(path, "new");
        check_owned(path, 1000, 1001, modes[i]);
        temp_dir_remove(&dir);
    }
}

/* A member of the group may write the file, and would take it from its owner. */
static void a_member_of_the_group_is_refused(void **state)
{
    struct temp_dir dir;
    char path[512], text[256];

    (void)state;
    if (!is_root())
        skip();
    make_owned(&dir, path, 1000, 1001, 0660);
    CHECK_STATUS(replace_as(1002, 1001, path, text), NINHO_ERR_IO);
    CHECK(strstr(text, "owner"));
    check_content(path, "old");
    check_owned(path, 1000, 1001, 0660);
    CHECK_U64(temp_dir_count(&dir), 1);
    temp_dir_remove(&dir);
}

static void an_owner_outside_the_group_is_refused(void **state)
{
    struct temp_dir dir;
    char path[512], text[256];

    (void)state;
    if (!is_root())
        skip();
    make_owned(&dir, path, 1000, 1005, 0660);
    CHECK_STATUS(replace_as(1000, 1000, path, text), NINHO_ERR_IO);
    CHECK(strstr(text, "group"));
    check_content(path, "old");
    check_owned(path, 1000, 1005, 0660);
    CHECK_U64(temp_dir_count(&dir), 1);
    temp_dir_remove(&dir);
}

/* Writing takes setuid away from whoever is not root; the owner may put it back. */
static void an_owner_keeps_setuid(void **state)
{
    struct temp_dir dir;
    char path[512], text[256];

    (void)state;
    if (!is_root())
        skip();
    make_owned(&dir, path, 1000, 1000, 06755);
    CHECK_STATUS(replace_as(1000, 1000, path, text), NINHO_OK);
    check_content(path, "new");
    check_owned(path, 1000, 1000, 06755);
    temp_dir_remove(&dir);
}

/* ---- Access control lists ------------------------------------------------------------------ */

#ifdef __linux__
/* user::rw- user:1000:rw- group::--- mask::rw- other::---, as the system writes it down. The mode
 * that goes with it is 0660, though the group may do nothing. */
static const uint8_t acl[] = {2,    0, 0, 0,                       /* version */
                              1,    0, 6, 0, 255,  255, 255, 255,  /* the owner */
                              2,    0, 6, 0, 0xe8, 3,   0,   0,    /* user 1000 */
                              4,    0, 0, 0, 255,  255, 255, 255,  /* the group */
                              0x10, 0, 6, 0, 255,  255, 255, 255,  /* mask */
                              0x20, 0, 0, 0, 255,  255, 255, 255}; /* others */

static bool has_acls(const char *path, const char *which)
{
    if (setxattr(path, which, acl, sizeof acl, 0) == 0)
        return true;
    print_message("no access control lists here\n");
    return false;
}

static void check_acl(const char *path, bool is_there)
{
    uint8_t found[256];
    const ssize_t n = getxattr(path, "system.posix_acl_access", found, sizeof found);

    if (is_there)
        CHECK(n == (ssize_t)sizeof acl && memcmp(found, acl, sizeof acl) == 0);
    else
        CHECK(n < 0 && errno == ENODATA);
}

static void an_access_control_list_survives(void **state)
{
    struct temp_dir dir;
    char path[512];

    (void)state;
    temp_dir_make(&dir);
    file_write(temp_path(&dir, "file", path), "old", 3);
    CHECK(chmod(path, 0600) == 0);
    const bool can = has_acls(path, "system.posix_acl_access");
    if (can) {
        CHECK_OK(replace(path, "new", NULL, NULL));
        check_content(path, "new");
        check_acl(path, true);
        CHECK_U64(mode_of(path), 0660);
    }
    temp_dir_remove(&dir);
    if (!can)
        skip();
}

/* The list that the folder gives to new files is not the old file's. */
static void a_folder_s_list_is_not_given_to_an_old_file(void **state)
{
    struct temp_dir dir;
    char path[512], fresh[512];

    (void)state;
    temp_dir_make(&dir);
    file_write(temp_path(&dir, "file", path), "old", 3);
    CHECK(chmod(path, 0640) == 0);
    const bool can = has_acls(dir.path, "system.posix_acl_default");
    if (can) {
        CHECK_OK(replace(path, "new", NULL, NULL));
        check_acl(path, false);
        CHECK_U64(mode_of(path), 0640);
        CHECK_OK(replace(temp_path(&dir, "fresh", fresh), "new", NULL, NULL));
        check_acl(fresh, true); /* as any new file */
    }
    temp_dir_remove(&dir);
    if (!can)
        skip();
}
#endif

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

#define BOTH_WAYS(test)                                    \
    cmocka_unit_test_setup_teardown(test, named, unnamed), \
        cmocka_unit_test_setup_teardown(test, unnamed, unnamed)

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
        BOTH_WAYS(a_new_file_gets_what_the_mask_leaves),
        BOTH_WAYS(a_mode_survives),
        BOTH_WAYS(root_leaves_a_file_its_owner),
        BOTH_WAYS(a_member_of_the_group_is_refused),
        BOTH_WAYS(an_owner_outside_the_group_is_refused),
        BOTH_WAYS(an_owner_keeps_setuid),
#ifdef __linux__
        BOTH_WAYS(an_access_control_list_survives),
        BOTH_WAYS(a_folder_s_list_is_not_given_to_an_old_file),
#endif
        cmocka_unit_test(reading_stops_at_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
