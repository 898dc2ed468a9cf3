/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void temp_dir_make(struct temp_dir *dir)
{
    const char *base = getenv("TMPDIR");

    snprintf(dir->path, sizeof dir->path, "%s/ninho-test-XXXXXX",
             base && *base ? base : "/tmp");
    CHECK(mkdtemp(dir->path));
}

static size_t each_file(const struct temp_dir *dir, void (*visit)(const char *path))
{
    char path[512];
    size_t n = 0;
    DIR *handle = opendir(dir->path);

    CHECK(handle);
    for (struct dirent *entry; (entry = readdir(handle)) != NULL;) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        n++;
        if (visit && (size_t)snprintf(path, sizeof path, "%s/%s", dir->path,
                                      entry->d_name) < sizeof path)
            visit(path);
    }
    closedir(handle);
    return n;
}

static void remove_file(const char *path)
{
    unlink(path);
}

void temp_dir_remove(const struct temp_dir *dir)
{
    each_file(dir, remove_file);
    CHECK(rmdir(dir->path) == 0);
}

size_t temp_dir_count(const struct temp_dir *dir)
{
    return each_file(dir, NULL);
}

const char *temp_path(const struct temp_dir *dir, const char *name, char out[512])
{
    CHECK(snprintf(out, 512, "%s/%s", dir->path, name) < 512);
    return out;
}

int64_t file_size(const char *path)
{
    struct stat status;

    return stat(path, &status) ? -1 : (int64_t)status.st_size;
}

uint8_t *file_read(const char *path, size_t *size)
{
    const int64_t n = file_size(path);

    if (n < 0)
        test_fail(__FILE__, __LINE__, "cannot read %s", path);
    uint8_t *bytes = malloc(n ? (size_t)n : 1);
    FILE *file = fopen(path, "rb");
    CHECK(file && bytes);
    CHECK(fread(bytes, 1, (size_t)n, file) == (size_t)n);
    fclose(file);
    *size = (size_t)n;
    return bytes;
}

void file_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    CHECK(file);
    CHECK(fwrite(bytes, 1, size, file) == size);
    CHECK(fclose(file) == 0);
}

int open_fd_count(void)
{
    DIR *handle = opendir("/proc/self/fd");
    int n = 0;

    if (!handle)
        return -1;
    while (readdir(handle))
        n++;
    closedir(handle);
    return n;
}
