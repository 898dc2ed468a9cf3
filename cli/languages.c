/* SPDX-License-Identifier: MIT */
#include "languages.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/hyphen/languages.h"
#include "options/numbers.h"
#include "visible.h"

#define MAX_PATH 4096
#define CARGO    "/usr/share/cargo/registry"
#define CACHE    "/.cache/data/librust-hyphenation-dev" CARGO
#define TEX_LIVE "/usr/share/texlive/texmf-dist/tex/generic/hyph-utf8/patterns/txt"

/* ---- Folders ------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Appends a folder that is there. Too many, or no memory: then it is not looked into. */
static void append(struct folders *folders, const char *path)
{
    append_name(folders->searched, sizeof folders->searched, path);
    if (folders->n == MAX_FOLDERS || !is_folder(path))
        return;
    char *copy = malloc(strlen(path) + 1);
    if (!copy)
        return;
    memcpy(copy, path, strlen(path) + 1);
    folders->paths[folders->n++] = copy;
}

/* Appends each folder of a list between colons, with `below` behind it. */
static void append_list(struct folders *folders, const char *list, const char *below)
{
    while (list && *list) {
        const size_t size = strcspn(list, ":");
        char path[MAX_PATH];
        const int length = snprintf(path, sizeof path, "%.*s%s",
                                    (int)(size < MAX_PATH ? size : 0), list, below);
        if (size > 0 && size < MAX_PATH && length > 0 && length < MAX_PATH)
            append(folders, path);
        list += size + (list[size] == ':');
    }
}

/* hyphenation-0.7.1/patterns, or another version's, in a registry of Rust's cargo. */
static void append_cargo(struct folders *folders, const char *registry)
{
    static const char prefix[] = "hyphenation-";
    DIR *dir = opendir(registry);

    if (!dir) {
        append_name(folders->searched, sizeof folders->searched, registry);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(dir));) {
        const char *name = entry->d_name;
        char path[MAX_PATH];
        if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
            !isdigit((unsigned char)name[sizeof prefix - 1]))
            continue;
        const int length = snprintf(path, sizeof path, "%s/%s/patterns", registry, name);
        if (length > 0 && length < MAX_PATH)
            append(folders, path);
    }
    (void)closedir(dir);
}

/* The source tree is above build/PRESET/bin, where this program then lies. */
static void append_source_tree(struct folders *folders)
{
    char path[MAX_PATH + sizeof CACHE];
    const ssize_t length = readlink("/proc/self/exe", path, MAX_PATH - 1);

    if (length <= 0 || length >= MAX_PATH - 1)
        return;
    path[length] = '\0';
    for (int level = 0; level < 5; level++) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path)
            return;
        memcpy(slash, CACHE, sizeof CACHE);
        if (is_folder(path)) {
            append_cargo(folders, path);
            return;
        }
        *slash = '\0';
    }
}

/* "hyph-NAME.pat.txt" and "hyph-NAME.tex": the name's length, 0 for other files. Names are printed,
 * and typed: one with a control character in it is none. */
static size_t name_in(const char *file)
{
    static const char prefix[] = "hyph-";
    const size_t skipped = sizeof prefix - 1;

    if (strncmp(file, prefix, skipped) != 0)
        return 0;
    const size_t size = strcspn(file + skipped, ".");
    const char *suffix = file + skipped + size;
    if (strcmp(suffix, ".pat.txt") != 0 && strcmp(suffix, ".tex") != 0)
        return 0;
    return size <= NINHO_HYPHEN_MAX_NAME && visible_is_plain(file + skipped, size) ? size
                                                                                   : 0;
}

static bool has_patterns(const char *folder)
{
    DIR *dir = opendir(folder);
    bool is_found = false;

    if (!dir)
        return true; /* looking into it will say why */
    for (const struct dirent *entry; !is_found && (entry = readdir(dir));)
        is_found = name_in(entry->d_name) > 0;
    (void)closedir(dir);
    return is_found;
}

int folders_find(struct folders *folders, const char *first)
{
    const char *data_home = getenv("XDG_DATA_HOME");
    const char *data_dirs = getenv("XDG_DATA_DIRS");

    *folders = (struct folders){.n = 0};
    if (first && !is_folder(first))
        return fail("%s: is not a folder", first);
    if (first && !has_patterns(first))
        return fail("%s: no patterns in it: neither hyph-NAME.pat.txt nor hyph-NAME.tex",
                    first);
    if (first)
        append(folders, first);
    append_list(folders, getenv("NINHO_HYPHEN_PATH"), "");
    if (data_home && *data_home)
        append_list(folders, data_home, "/ninho/hyphen");
    else
        append_list(folders, getenv("HOME"), "/.local/share/ninho/hyphen");
    append_list(folders,
                data_dirs && *data_dirs ? data_dirs : "/usr/local/share:/usr/share",
                "/ninho/hyphen");
    append_source_tree(folders);
    append_cargo(folders, CARGO);
    append(folders, TEX_LIVE);
    return EXIT_YES;
}

void folders_free(struct folders *folders)
{
    for (size_t i = 0; i < folders->n; i++)
        free(folders->paths[i]);
    folders->n = 0;
}

/* ---- Languages ----------------------------------------------------------------------------- */

/* TeX's file may hold nothing but \input: as hyph-nb.tex, which leads to hyph-no.tex. Lists of bare
 * patterns are taken at their name. */
static bool can_be_read(const char *folder, const char *file, const char *name)
{
    const size_t size = strlen(file);
    ninho_hyphen_rules *rules = NULL;

    if (size < 4 || strcmp(file + size - 4, ".tex") != 0)
        return true;
    if (ninho_hyphen_rules_create(NULL, &rules))
        return true;
    const bool is_good = !ninho_hyphen_read_language(
                             rules, folder, name, NINHO_HYPHEN_LIST_NONE, NULL, NULL) &&
                         ninho_hyphen_rules_count_patterns(rules) > 0;
    ninho_hyphen_rules_free(rules);
    return is_good;
}

/* Appends the language of a file, whose name has `size` bytes behind "hyph-". */
static bool list_append(struct language_list *list, size_t *room, const char *file,
                        size_t size, const char *folder)
{
    if (list->n == *room) {
        const size_t larger = *room ? 2 * *room : 128;
        struct language_entry *moved =
            realloc(list->entries, larger * sizeof *list->entries);
        if (!moved)
            return false;
        list->entries = moved;
        *room = larger;
    }
    char *copy = malloc(size + 1);
    if (!copy)
        return false;
    memcpy(copy, file + 5, size);
    copy[size] = '\0';
    list->entries[list->n++] = (struct language_entry){
        .name = copy, .folder = folder, .can_be_read = can_be_read(folder, file, copy)};
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct language_entry *)a)->name,
                  ((const struct language_entry *)b)->name);
}

/* What cannot be read is not offered. */
static void drop_unreadable(struct language_list *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->n; i++) {
        if (list->entries[i].can_be_read)
            list->entries[kept++] = list->entries[i];
        else
            free(list->entries[i].name);
    }
    list->n = kept;
}

/* Sorts what was found from `start` on, and takes out what was there before or is there twice (as
 * .pat.txt and as .tex). */
static void tidy(struct language_list *list, size_t start)
{
    size_t kept = start;

    if (list->n > start)
        qsort(list->entries + start, list->n - start, sizeof *list->entries, by_name);
    for (size_t i = start; i < list->n; i++) {
        bool is_known = false;
        for (size_t j = 0; j < kept && !is_known; j++)
            is_known = strcmp(list->entries[j].name, list->entries[i].name) == 0;
        if (is_known)
            free(list->entries[i].name);
        else
            list->entries[kept++] = list->entries[i];
    }
    list->n = kept;
}

int languages_list(const struct folders *folders, struct language_list *list)
{
    size_t room = 0;

    *list = (struct language_list){.n = 0};
    for (size_t i = 0; i < folders->n; i++) {
        const size_t start = list->n;
        DIR *dir = opendir(folders->paths[i]);
        bool is_good = true;
        if (!dir)
            continue;
        for (const struct dirent *entry; is_good && (entry = readdir(dir));) {
            const size_t size = name_in(entry->d_name);
            if (size)
                is_good =
                    list_append(list, &room, entry->d_name, size, folders->paths[i]);
        }
        (void)closedir(dir);
        if (!is_good) {
            languages_free(list);
            return fail_no_memory();
        }
        tidy(list, start);
    }
    tidy(list, 0);
    drop_unreadable(list);
    return EXIT_YES;
}

void languages_free(struct language_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->entries[i].name);
    free(list->entries);
    *list = (struct language_list){.n = 0};
}

void language_name(const char *text, char *name, size_t room)
{
    size_t n = 0;

    for (; text[n] && n + 1 < room; n++)
        name[n] = text[n] == '_' ? '-' : (char)tolower((unsigned char)text[n]);
    name[n] = '\0';
}

/* ---- Which are near ------------------------------------------------------------------------ */

/* How many letters must be changed, left out or put in to make one of the other. */
static size_t distance(const char *a, const char *b)
{
    size_t row[64];
    const size_t n = strlen(b);

    if (n >= 64)
        return SIZE_MAX;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 1; j <= n; j++) {
            const size_t changed = diagonal + (a[i] != b[j - 1]);
            const size_t shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = changed < shorter ? changed : shorter;
        }
    }
    return row[n];
}

/* Does the language's English name have the text in it? "german" finds de-1996. */
static bool title_has(const char *name, const char *text)
{
    const ninho_hyphen_known *known = ninho_hyphen_known_find(name);
    const size_t size = strlen(text);

    if (!known || size < 3)
        return false;
    for (const char *at = known->title; *at; at++) {
        size_t i = 0;
        while (i < size && at[i] && tolower((unsigned char)at[i]) == text[i])
            i++;
        if (i == size)
            return true;
    }
    return false;
}

/* "en" and "en-uk" are kin to en-us; "english" is its name. */
static bool is_kin(const char *name, const char *wanted)
{
    const size_t tag = strcspn(wanted, "-");

    return (strcspn(name, "-") == tag && memcmp(name, wanted, tag) == 0) ||
           title_has(name, wanted) ||
           /* sr-latn and sh-latn */
           (wanted[tag] && strlen(wanted + tag) == 5 && tag == strcspn(name, "-") &&
            strcmp(name + tag, wanted + tag) == 0 && distance(name, wanted) == 1);
}

static bool is_like(const char *name, const char *wanted)
{
    return distance(name, wanted) <= (strlen(wanted) < 5 ? 1 : 2);
}

/* Names of the list that are near, with commas between. */
static void append_near(const struct language_list *list, const char *wanted,
                        bool (*is_near)(const char *, const char *), char *near,
                        size_t room)
{
    for (size_t i = 0; i < list->n; i++)
        if (is_near(list->entries[i].name, wanted))
            append_name(near, room, list->entries[i].name);
}

static int fail_missing(const struct folders *folders, const char *wanted)
{
    struct language_list list;
    char near[400] = "";

    const int status = languages_list(folders, &list);
    if (status)
        return status;
    const size_t n_all = list.n;
    append_near(&list, wanted, is_kin, near, sizeof near);
    if (!near[0])
        append_near(&list, wanted, is_like, near, sizeof near);
    languages_free(&list);
    if (n_all == 0)
        return fail("hyphenate: there are no patterns for '%.40s', nor for any other "
                    "language: install librust-hyphenation-dev, or run 'tools/fetch-data "
                    "patterns' in the source tree, or name their folder with --data; "
                    "searched: %s",
                    wanted, folders->searched);
    if (!near[0])
        return fail(
            "hyphenate: there are no patterns for '%.40s', nor for a language with "
            "a name like it; --list-languages shows the %zu there are",
            wanted, n_all);
    return fail("hyphenate: there are no patterns for '%.40s'; near it: %s "
                "(--list-languages shows all %zu)",
                wanted, near, n_all);
}

const char *languages_folder(const struct folders *folders, const char *name)
{
    for (size_t i = 0; i < folders->n; i++)
        if (ninho_hyphen_folder_has(folders->paths[i], name))
            return folders->paths[i];
    (void)fail_missing(folders, name);
    return NULL;
}
