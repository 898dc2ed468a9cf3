/* SPDX-License-Identifier: MIT */
/* What tests of replaced files share. */
#ifndef NINHO_TESTS_UNIT_FILE_REPLACING_H
#define NINHO_TESTS_UNIT_FILE_REPLACING_H

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/file.h"
#include "support/test.h"

#ifndef NINHO_TEST_HOOKS
static bool nh_file_always_named; /* stays false: there is nobody to tell */
#define CANNOT_NAME
#endif

/* Each test runs with unnamed temporary files, where the system has them, and with named ones. */
static inline int unnamed(void **state)
{
    (void)state;
    nh_file_always_named = false;
    return 0;
}

static inline int named(void **state)
{
    (void)state;
#ifndef CANNOT_NAME
    nh_file_always_named = true;
#endif
    return 0;
}

static inline void check_content(const char *path, const char *expected)
{
    size_t size;
    uint8_t *bytes = file_read(path, &size);

    CHECK_U64(size, strlen(expected));
    CHECK(memcmp(bytes, expected, size) == 0);
    free(bytes);
}

static inline unsigned mode_of(const char *path)
{
    struct stat status;

    CHECK(stat(path, &status) == 0);
    return status.st_mode & 07777;
}

static inline ninho_status replace(const char *path, const char *content,
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

#define BOTH_WAYS(test)                                    \
    cmocka_unit_test_setup_teardown(test, named, unnamed), \
        cmocka_unit_test_setup_teardown(test, unnamed, unnamed)

#endif
