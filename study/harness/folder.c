/* SPDX-License-Identifier: MIT */
#include "harness/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/fail.h"

enum { MAX_PATH_TEXT = 4300 };

void folder_make(const char *path)
{
    char part[MAX_PATH_TEXT];

    for (const char *at = path; at; at = strchr(at + 1, '/')) {
        const char *end = strchr(at + 1, '/');
        const size_t length = end ? (size_t)(end - path) : strlen(path);
        if (length >= sizeof part)
            fail("%s: too long a path", path);
        memcpy(part, path, length);
        part[length] = '\0';
        if (mkdir(part, 0777) && errno != EEXIST)
            fail("%s: %s", part, strerror(errno));
        if (end && !end[1])
            break;
    }
}

/* Whether the folder's file `run` says that what lies there is of this run. */
static bool is_of_run(const char *path, const char *mark)
{
    char name[MAX_PATH_TEXT];
    char line[256] = "";

    snprintf(name, sizeof name, "%s/run", path);
    FILE *file = fopen(name, "r");
    if (!file)
        return false;
    if (!fgets(line, sizeof line, file))
        line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return strcmp(line, mark) == 0;
}

/* Only what a question writes: tables, pictures, answers. A folder that a user named by mistake keeps
 * everything else. */
static bool is_result(const char *name)
{
    static const char *const endings[] = {".csv", ".svg", ".tsv", ".new"};
    const size_t length = strlen(name);

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (length > 4 && strcmp(name + length - 4, endings[i]) == 0)
            return true;
    return strcmp(name, "run") == 0;
}

static void remove_results(const char *path)
{
    DIR *folder = opendir(path);

    if (!folder)
        fail("%s: %s", path, strerror(errno));
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[MAX_PATH_TEXT];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (is_result(entry->d_name) && unlink(name))
            fail("%s: %s", name, strerror(errno));
    }
    closedir(folder);
}

void folder_prepare(const char *path, const char *mark, bool from_scratch)
{
    char name[MAX_PATH_TEXT];

    folder_make(path);
    if (!from_scratch && is_of_run(path, mark))
        return;
    remove_results(path);
    snprintf(name, sizeof name, "%s/run", path);
    FILE *file = fopen(name, "w");
    if (!file || fprintf(file, "%s\n", mark) < 0 || fclose(file))
        fail("%s: %s", name, strerror(errno));
}
