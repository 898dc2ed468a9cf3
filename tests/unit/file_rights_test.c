/* SPDX-License-Identifier: MIT */
/* Whom a file belongs to, and who may read it, after it was replaced. */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/xattr.h>
#endif

#include "unit/file_replacing.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
