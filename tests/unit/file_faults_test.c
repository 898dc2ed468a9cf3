/* SPDX-License-Identifier: MIT */
/* Files under calls that fail: each failure is an error that says what the system said, the old
 * file is as it was, and nothing is left behind. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "io/attributes.h"
#include "io/file.h"
#include "io/reading.h"
#include "support/test.h"
#include "support/wrap.h"

#define OLD "old"

/* user::rw- user:1000:rw- group::--- mask::rw- other::--- */
static const uint8_t acl[] = {2,   0,   0,   0,   1,   0,   6,  0,   255, 255, 255,
                              255, 2,   0,   6,   0,   232, 3,  0,   0,   4,   0,
                              0,   0,   255, 255, 255, 255, 16, 0,   6,   0,   255,
                              255, 255, 255, 32,  0,   0,   0,  255, 255, 255, 255};

/* A folder with one file, and what is open now. */
struct place {
    struct temp_dir dir;
    char path[512];
    int n_open;
};

static void place_make(struct place *place)
{
    temp_dir_make(&place->dir);
    file_write(temp_path(&place->dir, "file", place->path), OLD, sizeof OLD - 1);
    place->n_open = open_fd_count();
}

/* Whatever was tried, the old file is there, and nothing else. */
static void place_end(struct place *place)
{
    size_t size;
    uint8_t *bytes = file_read(place->path, &size);

    CHECK_U64(size, sizeof OLD - 1);
    CHECK(memcmp(bytes, OLD, size) == 0);
    free(bytes);
    CHECK_U64(temp_dir_count(&place->dir), 1);
    CHECK(open_fd_count() == place->n_open);
    temp_dir_remove(&place->dir);
}

static ninho_status replace(const char *path, ninho_error *error)
{
    ninho_file *file = NULL;

    ninho_status status = ninho_file_begin(path, NULL, &file, error);
    if (status)
        return status;
    status = ninho_file_write(file, "newer", 5, error);
    if (!status)
        return ninho_file_commit(file, error);
    ninho_file_drop(file);
    return status;
}

/* ---- Replacing ----------------------------------------------------------------------------- */

struct fault {
    const char *call;
    unsigned at, n;
    long result;
    int reason;
    bool is_named; /* with temporary files that have a name from the start */
    ninho_status status;
    int said; /* errno that the error carries */
    const char *text;
};

/* The first open() looks for what a killed process left. */
static const struct fault faults[] = {
    {"open", 2, 1, -1, EACCES, false, NINHO_ERR_IO, EACCES, "cannot write"},
    {"open", 2, 1, -1, ENOSPC, true, NINHO_ERR_IO, ENOSPC, "cannot write"},
    {"open", 2, 10000, -1, EEXIST, true, NINHO_ERR_IO, EEXIST, "cannot write"},
    {"write", 1, 1, -1, ENOSPC, false, NINHO_ERR_IO, ENOSPC, "cannot write"},
    {"write", 1, 1, -1, EIO, true, NINHO_ERR_IO, EIO, "cannot write"},
    {"write", 1, 1, 0, 0, false, NINHO_ERR_IO, ENOSPC, "cannot write"},
    {"fsync", 1, 1, -1, EIO, false, NINHO_ERR_IO, EIO, "cannot write"},
    {"fsync", 1, 1, -1, EDQUOT, true, NINHO_ERR_IO, EDQUOT, "cannot write"},
    {"linkat", 1, 1, -1, ENOSPC, false, NINHO_ERR_IO, ENOSPC, "cannot write"},
    {"linkat", 1, 10000, -1, EEXIST, false, NINHO_ERR_IO, EEXIST, "cannot write"},
    {"rename", 1, 1, -1, EXDEV, false, NINHO_ERR_IO, EXDEV, "cannot write"},
    {"rename", 1, 1, -1, EIO, true, NINHO_ERR_IO, EIO, "cannot write"},
    {"realpath", 1, 1, 0, ENOMEM, false, NINHO_ERR_NOMEM, 0, "memory"},
    {"realpath", 1, 1, 0, ELOOP, false, NINHO_ERR_IO, ELOOP, "cannot write"},
    {"fstat", 1, 1, -1, EIO, false, NINHO_ERR_IO, EIO, "cannot write"},
    {"fchmod", 1, 1, -1, EPERM, false, NINHO_ERR_IO, EPERM, "mode, 604"},
    {"fstat", 2, 1, -1, EIO, false, NINHO_ERR_IO, EIO, "mode, 604"},
    {"fchmod", 1, 1, 0, 0, false, NINHO_ERR_IO, EPERM, "mode, 604"}, /* no bit was set */
    {"lgetxattr", 1, 1, -1, EIO, false, NINHO_ERR_IO, EIO, "ACL"},
    {"fremovexattr", 1, 1, -1, EPERM, false, NINHO_ERR_IO, EPERM, "ACL"},
};

static void a_call_that_fails_leaves_the_old_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct fault *const fault = &faults[i];
        ninho_error error = NINHO_ERROR_INIT;
        struct place place;
        test_where("%s, %s", fault->call, strerror(fault->reason));
        place_make(&place);
        CHECK(chmod(place.path, 0604) == 0);
#ifdef NINHO_TEST_HOOKS
        nh_file_always_named = fault->is_named;
#endif
        wrap_plan(fault->call, fault->at, fault->n, fault->result, fault->reason);
        const ninho_status status = replace(place.path, &error);
        CHECK_U64(wrap_end(), fault->n);
        CHECK_STATUS(status, fault->status);
        CHECK(error.status == fault->status && error.system_errno == fault->said);
        CHECK(strstr(error.text, fault->text));
        place_end(&place);
    }
#ifdef NINHO_TEST_HOOKS
    nh_file_always_named = false;
#endif
}

/* Calls that fail once and are made again, or that may fail. */
static void what_can_be_done_in_another_way_is_done(void **state)
{
    static const struct fault harmless[] = {
        {.call = "open", .at = 2, .n = 1, .result = -1, .reason = EOPNOTSUPP},
        {.call = "open", .at = 2, .n = 1, .result = -1, .reason = EISDIR},
        {.call = "open", .at = 2, .n = 1, .result = -1, .reason = EINVAL},
        {.call = "write", .at = 1, .n = 2, .result = -1, .reason = EINTR},
        {.call = "linkat", .at = 1, .n = 3, .result = -1, .reason = EEXIST},
        {.call = "open", .at = 1, .n = 1, .result = -1, .reason = ENOENT},
        {.call = "open",
         .at = 3,
         .n = 1,
         .result = -1,
         .reason = EACCES}, /* the folder */
        {.call = "fsync", .at = 2, .n = 1, .result = -1, .reason = EINVAL}, /* the same */
        {.call = "fremovexattr", .at = 1, .n = 1, .result = -1, .reason = EOPNOTSUPP},
        {.call = "lgetxattr", .at = 1, .n = 1, .result = -1, .reason = ENODATA},
        {.call = "lgetxattr", .at = 1, .n = 1, .result = -1, .reason = EOPNOTSUPP},
        {.call = "lgetxattr", .at = 1, .n = 1, .result = -1, .reason = ENOSYS},
        {.call = "lgetxattr", .at = 1, .n = 1, .result = 0, .reason = 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        const struct fault *const fault = &harmless[i];
        struct place place;
        size_t size;
        test_where("%s, %s", fault->call, strerror(fault->reason));
        place_make(&place);
        wrap_plan(fault->call, fault->at, fault->n, fault->result, fault->reason);
        const ninho_status status = replace(place.path, NULL);
        CHECK_U64(wrap_end(), fault->n);
        CHECK_OK(status);
        uint8_t *bytes = file_read(place.path, &size);
        CHECK(size == 5 && memcmp(bytes, "newer", 5) == 0);
        free(bytes);
        file_write(place.path, OLD, sizeof OLD - 1);
        place_end(&place);
    }
}

/* Whichever allocation fails, also those that the C library makes for us. Only the name of the folder,
 * to be synced in the end, can be done without. */
static void without_memory_it_is_the_old_file_or_the_new_one(void **state)
{
    static const char *const calls[] = {"malloc", "calloc", "strdup"};

    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        unsigned n_failed = 1, n_refused = 0;
        for (unsigned n = 1; n_failed; n++) {
            ninho_error error = NINHO_ERROR_INIT;
            struct place place;
            size_t size;
            place_make(&place);
            (void)setxattr(place.path, "system.posix_acl_access", acl, sizeof acl, 0);
            wrap_plan(calls[i], n, 1, 0, ENOMEM);
            const ninho_status status = replace(place.path, &error);
            n_failed = wrap_end();
            test_where("%s number %u: %s", calls[i], n, error.text);
            CHECK(!status || status == NINHO_ERR_NOMEM || error.system_errno == ENOMEM);
            n_refused += status != NINHO_OK;
            uint8_t *bytes = file_read(place.path, &size);
            CHECK(size == (status ? 3 : 5) &&
                  memcmp(bytes, status ? OLD : "newer", size) == 0);
            free(bytes);
            file_write(place.path, OLD, sizeof OLD - 1);
            place_end(&place);
        }
        CHECK(n_refused > 0);
    }
}

/* A path may be a name in the folder where the process is, or in the root. */
static void a_name_alone_is_a_path(void **state)
{
    char before[512], name[64];
    ninho_file *file;
    struct place place;
    size_t size;

    (void)state;
    place_make(&place);
    CHECK(getcwd(before, sizeof before) && chdir(place.dir.path) == 0);
    const ninho_status status = replace("file", NULL);
    CHECK(chdir(before) == 0);
    CHECK_OK(status);
    uint8_t *bytes = file_read(place.path, &size);
    CHECK(size == 5 && memcmp(bytes, "newer", 5) == 0);
    free(bytes);
    file_write(place.path, OLD, sizeof OLD - 1);
    snprintf(name, sizeof name, "/ninho-test-%ld", (long)getpid());
    if (ninho_file_begin(name, NULL, &file, NULL) == NINHO_OK) /* who may write there */
        ninho_file_drop(file);
    CHECK(access(name, F_OK) != 0);
    place_end(&place);
}

/* What was synced is not synced again, unless more was written. */
static void a_file_is_synced_once(void **state)
{
    ninho_file *file;
    struct place place;

    (void)state;
    place_make(&place);
    CHECK_OK(ninho_file_begin(place.path, NULL, &file, NULL));
    CHECK_OK(ninho_file_sync(file, NULL));
    wrap_plan("fsync", 1, 1, -1, EIO);
    CHECK_OK(ninho_file_sync(file, NULL));
    CHECK_OK(ninho_file_write(file, "x", 1, NULL));
    CHECK_STATUS(ninho_file_sync(file, NULL), NINHO_ERR_IO);
    CHECK_U64(wrap_end(), 1);
    ninho_file_drop(file);
    place_end(&place);
}

/* An access control list that cannot be read or given on is not left out. */
static void a_list_that_cannot_be_kept_is_an_error(void **state)
{
    static const struct {
        const char *call;
        unsigned at, n;
        int reason;
        ninho_status status;
    } cases[] = {
        {"lgetxattr", 2, 1, EIO, NINHO_ERR_IO},       /* the list itself */
        {"lgetxattr", 2, 1, ENODATA, NINHO_OK},       /* it is gone now */
        {"lgetxattr", 2, 1, ERANGE, NINHO_OK},        /* it has grown: once more */
        {"fsetxattr", 1, 1, EOPNOTSUPP, NINHO_ERR_IO} /* not on this file system */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ninho_error error = NINHO_ERROR_INIT;
        struct place place;
        test_where("%s, %s", cases[i].call, strerror(cases[i].reason));
        place_make(&place);

        if (setxattr(place.path, "system.posix_acl_access", acl, sizeof acl, 0) != 0) {
            print_message("no access control lists here\n");
            place_end(&place);
            skip();
        }
        wrap_plan(cases[i].call, cases[i].at, cases[i].n, -1, cases[i].reason);
        const ninho_status status = replace(place.path, &error);
        CHECK_U64(wrap_end(), cases[i].n);
        CHECK_STATUS(status, cases[i].status);
        CHECK(error.system_errno == (status ? cases[i].reason : 0));
        CHECK(!status || strstr(error.text, "ACL"));
        if (!status)
            file_write(place.path, OLD, sizeof OLD - 1);
        place_end(&place);
    }
}

/* The rights of a file of somebody else, whatever this process may do. */
static void owner_and_group_are_kept_or_it_says_which(void **state)
{
    ninho_error error = NINHO_ERROR_INIT;
    struct place place;
    struct stat like;

    (void)state;
    place_make(&place);
    CHECK(stat(place.path, &like) == 0);
    FILE *file = fopen(place.path, "r+");
    CHECK(file);
    like.st_gid++;
    wrap_plan("fchown", 1, 1, -1, EPERM);
    CHECK_STATUS(nh_attributes_copy(fileno(file), place.path, &like, &error),
                 NINHO_ERR_IO);
    CHECK_U64(wrap_end(), 1);
    CHECK(strstr(error.text, "group") && error.system_errno == EPERM);
    like.st_gid--;
    like.st_uid++;
    wrap_plan("fchown", 1, 1, -1, EINVAL);
    CHECK_STATUS(nh_attributes_copy(fileno(file), place.path, &like, &error),
                 NINHO_ERR_IO);
    CHECK_U64(wrap_end(), 1);
    CHECK(strstr(error.text, "owner") && error.system_errno == EINVAL);
    wrap_plan("fchown", 1, 1, 0, 0); /* given away */
    CHECK_OK(nh_attributes_copy(fileno(file), place.path, &like, &error));
    CHECK_U64(wrap_end(), 1);
    fclose(file);
    place_end(&place);
}

/* Writing takes setuid away: it is put back before the file is synced, or the file is not one to
 * be used. */
static void a_mode_that_cannot_be_put_back_is_an_error(void **state)
{
    ninho_error error = NINHO_ERROR_INIT;
    ninho_file *file;
    struct place place;

    (void)state;
    place_make(&place);
    CHECK(chmod(place.path, 04711) == 0);
    CHECK_OK(ninho_file_begin(place.path, NULL, &file, &error));
    CHECK_OK(ninho_file_write(file, "newer", 5, &error));
    wrap_plan("fchmod", 1, 1, -1, EPERM);
    CHECK_STATUS(ninho_file_commit(file, &error), NINHO_ERR_IO);
    CHECK_U64(wrap_end(), 1);
    CHECK(error.system_errno == EPERM);
    place_end(&place);
}

static void missing_arguments_are_refused(void **state)
{
    ninho_error error = NINHO_ERROR_INIT;
    ninho_file *file;
    ninho_file_id id = {{1, 2, 3, 4, 5}};
    struct place place;

    (void)state;
    place_make(&place);
    CHECK_STATUS(ninho_file_begin(place.path, NULL, NULL, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "out"));
    CHECK_STATUS(ninho_file_write(NULL, "x", 1, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "file"));
    CHECK_STATUS(ninho_file_sync(NULL, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_file_identify(NULL, &id, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "path") && id.opaque[0] == 1);
    CHECK_STATUS(ninho_file_identify(place.path, NULL, &error), NINHO_ERR_ARG);
    CHECK(!ninho_file_temporary(NULL));
    CHECK_OK(ninho_file_begin(place.path, NULL, &file, &error));
    CHECK_STATUS(ninho_file_write(file, NULL, 1, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "bytes"));
    ninho_file_drop(file);
    place_end(&place);
}

/* ---- Reading ------------------------------------------------------------------------------- */

static void a_file_that_cannot_be_read_is_not_opened(void **state)
{
    static const struct {
        const char *call;
        int reason;
        const char *text;
    } cases[] = {{"open", EACCES, "cannot open"},
                 {"fstat", EOVERFLOW, "cannot open"},
                 {"pread", EIO, "cannot read"}};
    ninho_probe_info info = NINHO_PROBE_INIT;
    ninho_filter *filter = NULL;
    ninho_dict *dict = NULL;
    struct place place;

    (void)state;
    place_make(&place);
    for (size_t i = 0; i < 4 * sizeof cases / sizeof *cases; i++) {
        ninho_error error = NINHO_ERROR_INIT;
        ninho_status status;
        test_where("%s, %zu", cases[i / 4].call, i % 4);
        wrap_plan(cases[i / 4].call, 1, 1, -1, cases[i / 4].reason);
        if (i % 4 == 0)
            status = ninho_filter_open(place.path, NULL, &filter, &error);
        else if (i % 4 == 1)
            status = ninho_filter_map(place.path, NULL, &filter, &error);
        else if (i % 4 == 2)
            status = ninho_dict_open(place.path, NULL, &dict, &error);
        else
            status = ninho_probe_file(place.path, &info, &error);
        CHECK_U64(wrap_end(), 1);
        CHECK_STATUS(status, NINHO_ERR_IO);
        CHECK(error.system_errno == cases[i / 4].reason);
        CHECK(strstr(error.text, cases[i / 4].text));
        CHECK(!filter && !dict);
        CHECK(open_fd_count() == place.n_open);
    }
    place_end(&place);
}

static ninho_filter *small_filter(void)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;

    spec.kind = NINHO_BLOCKED;
    spec.capacity = 100;
    spec.fpr = .01;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    CHECK_OK(ninho_filter_add_key(filter, "wren", 4));
    return filter;
}

static void an_interrupted_read_goes_on_and_a_map_that_fails_is_said(void **state)
{
    ninho_filter *filter = small_filter(), *again = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    struct place place;

    (void)state;
    place_make(&place);
    CHECK_OK(ninho_filter_save(filter, place.path, &error));
    wrap_plan("pread", 1, 2, -1, EINTR);
    CHECK_OK(ninho_filter_open(place.path, NULL, &again, &error));
    CHECK_U64(wrap_end(), 2);
    CHECK(ninho_filter_has_key(again, "wren", 4));
    ninho_filter_free(again);
    again = NULL;
    ninho_probe_info info = NINHO_PROBE_INIT;
    CHECK_OK(ninho_probe_file(place.path, &info, &error));
    CHECK(!info.is_dict);
    wrap_plan("mmap", 1, 1, -1, ENOMEM);
    CHECK_STATUS(ninho_filter_map(place.path, NULL, &again, &error), NINHO_ERR_NOMEM);
    CHECK_U64(wrap_end(), 1);
    CHECK(!again && strstr(error.text, "map"));
    ninho_filter_free(filter);
    file_write(place.path, OLD, sizeof OLD - 1);
    place_end(&place);
}

/* ---- Filters and dictionaries -------------------------------------------------------------- */

static void a_save_that_fails_leaves_the_old_file(void **state)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_filter *filter = small_filter();
    ninho_dict *dict = NULL;
    struct place place;

    (void)state;
    place_make(&place);
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    CHECK_OK(ninho_dict_put(dict, "wren", 4, 1, NULL));
    CHECK_STATUS(ninho_dict_save(dict, place.dir.path, NULL), NINHO_ERR_ARG);
    for (unsigned at = 1; at <= 2; at++) { /* the header, the body */
        ninho_error error = NINHO_ERROR_INIT;
        wrap_plan("write", at, 1, -1, ENOSPC);
        CHECK_STATUS(ninho_dict_save(dict, place.path, &error), NINHO_ERR_IO);
        CHECK_U64(wrap_end(), 1);
        CHECK(error.system_errno == ENOSPC);
        error = (ninho_error)NINHO_ERROR_INIT;
        wrap_plan("write", at, 1, -1, EDQUOT);
        CHECK_STATUS(ninho_filter_save(filter, place.path, &error), NINHO_ERR_IO);
        CHECK_U64(wrap_end(), 1);
        CHECK(error.system_errno == EDQUOT);
    }
    ninho_dict_free(dict);
    ninho_filter_free(filter);
    place_end(&place);
}

static void missing_arguments_of_files_are_refused(void **state)
{
    ninho_error error = NINHO_ERROR_INIT;
    ninho_probe_info info = NINHO_PROBE_INIT;
    ninho_open_options none = {0};
    ninho_filter *filter = NULL;
    ninho_dict *dict = NULL;
    struct place place;

    (void)state;
    place_make(&place);
    CHECK_STATUS(ninho_dict_save(NULL, place.path, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_dict_open(place.dir.path, NULL, &dict, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "regular file"));
    CHECK_STATUS(ninho_dict_open(NULL, NULL, &dict, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "path"));
    CHECK_STATUS(ninho_dict_open(place.path, NULL, NULL, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "out"));
    CHECK_STATUS(ninho_dict_open(place.path, &none, &dict, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_map(place.path, &none, &filter, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_probe_file(NULL, &info, &error), NINHO_ERR_ARG);
    CHECK(!dict && !filter);
    place_end(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_fails_leaves_the_old_file),
        cmocka_unit_test(what_can_be_done_in_another_way_is_done),
        cmocka_unit_test(without_memory_it_is_the_old_file_or_the_new_one),
        cmocka_unit_test(a_name_alone_is_a_path),
        cmocka_unit_test(a_file_is_synced_once),
        cmocka_unit_test(a_list_that_cannot_be_kept_is_an_error),
        cmocka_unit_test(owner_and_group_are_kept_or_it_says_which),
        cmocka_unit_test(a_mode_that_cannot_be_put_back_is_an_error),
        cmocka_unit_test(missing_arguments_are_refused),
        cmocka_unit_test(a_file_that_cannot_be_read_is_not_opened),
        cmocka_unit_test(an_interrupted_read_goes_on_and_a_map_that_fails_is_said),
        cmocka_unit_test(a_save_that_fails_leaves_the_old_file),
        cmocka_unit_test(missing_arguments_of_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
