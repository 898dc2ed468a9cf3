/* SPDX-License-Identifier: MIT */
/* The tool itself, over a folder in memory. The input is records of `type, length : 2, payload`:
 *
 *      type mod 4   0      a file; its name is one of a, b, c, d, by bits 2 and 3
 *                   1      what standard input is from here on
 *                   2, 3   a command: words, a line each
 *
 * Whatever the files are, a command ends with a status of its own and leaves no file that was not
 * named; what was a sound file stays one, and what a command made and was content with is one. */
#define _GNU_SOURCE /* memfd_create */
#include "target.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ninho/ninho.h>

#include "cli.h"
#include "mutate.h"
#include "output.h"
#include "tool_words.h"

enum {
    MAX_RUNS = 5,
    MAX_WORDS = 24,
    MAX_FILES = 16,
    MAX_NAME = 64,
    MAX_FILE = 1 << 16,
    MAX_DIGITS = 4, /* of a number: tables stay small */
};

static int home, folder, input;
static char folder_path[] = "/dev/shm/ninho-fuzz-XXXXXX";

struct file {
    char name[MAX_NAME];
    bool is_sound; /* or not one of ours */
};

struct shelf {
    struct file files[MAX_FILES];
    size_t n;
};

/* ---- Files ------------------------------------------------------------------------- */

static void leave(void)
{
    (void)rmdir(folder_path);
}

static void prepare(void)
{
    static bool is_done;

    if (is_done)
        return;
    is_done = true;
    MUST(mkdtemp(folder_path) && atexit(leave) == 0);
    home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    folder = open(folder_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    input = memfd_create("input", MFD_CLOEXEC);
    MUST(home >= 0 && folder >= 0 && input >= 0);
    MUST(dup2(input, STDIN_FILENO) == STDIN_FILENO && freopen("/dev/null", "w", stdout));
}

static void set_input(const uint8_t *bytes, size_t size)
{
    MUST(ftruncate(input, 0) == 0 && pwrite(input, bytes, size, 0) == (ssize_t)size);
}

static void write_file(const char *name, const uint8_t *bytes, size_t size)
{
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    MUST(file >= 0 && write(file, bytes, size) == (ssize_t)size && close(file) == 0);
}

static uint8_t *read_whole(const char *name, size_t *size)
{
    static uint8_t buffer[MAX_FILE];
    const int file = open(name, O_RDONLY | O_CLOEXEC);

    MUST(file >= 0);
    const ssize_t n = read(file, buffer, sizeof buffer);
    MUST(n >= 0 && close(file) == 0);
    *size = (size_t)n;
    return buffer;
}

/* Is it a file of ours that the library takes, its dictionary with it? */
static bool is_sound(const uint8_t *bytes, size_t size)
{
    ninho_open_options open_options = NINHO_OPEN_INIT;
    ninho_filter *filter = NULL;
    ninho_dict *dict = NULL;
    ninho_checked *checked = NULL;
    bool is_good;

    if (bytes[15] == NINHO_HASH_SIPHASH)
        open_options.secret = fuzz_secret;
    if (ninho_dict_decode(bytes, size, &open_options, &dict, NULL) == NINHO_OK) {
        ninho_dict_free(dict);
        return true;
    }
    if (ninho_filter_decode(bytes, size, &open_options, &filter, NULL) != NINHO_OK)
        return false;
    if (!ninho_filter_is_checked(filter)) {
        ninho_filter_free(filter);
        return true;
    }
    if (ninho_checked_of(filter, &open_options, &checked, NULL) != NINHO_OK) {
        ninho_filter_free(filter);
        return false;
    }
    is_good = ninho_checked_verify(checked, NULL) == NINHO_OK;
    ninho_checked_free(checked);
    return is_good;
}

static bool is_ours(const uint8_t *bytes, size_t size)
{
    return size >= 96 && memcmp(bytes, "NINHO", 6) == 0;
}

static struct file *find(struct shelf *shelf, const char *name)
{
    for (size_t i = 0; i < shelf->n; i++)
        if (strcmp(shelf->files[i].name, name) == 0)
            return &shelf->files[i];
    MUST(shelf->n < MAX_FILES && strlen(name) < MAX_NAME);
    struct file *file = &shelf->files[shelf->n++];
    memcpy(file->name, name, strlen(name) + 1);
    file->is_sound = false;
    return file;
}

static void put(struct shelf *shelf, const char *name, const uint8_t *bytes, size_t size)
{
    struct file *file = find(shelf, name);

    write_file(name, bytes, size);
    file->is_sound = !is_ours(bytes, size) || is_sound(bytes, size);
}

/* ---- Commands ---------------------------------------------------------------------- */

static bool may_run(const char *word)
{
    size_t n_digits = 0;

    /* no other folder, no number that fills the memory, no threads, no name that is too long for
     * our list */
    if (strchr(word, '/') || strncmp(word, "--th", 4) == 0 || strlen(word) >= MAX_NAME)
        return false;
    for (; *word; word++) {
        const bool is_digit = *word >= '0' && *word <= '9';
        if (n_digits && strchr("eEkKmMgGtTpPxX^", *word))
            return false;
        n_digits = is_digit ? n_digits + 1 : 0;
        if (n_digits > MAX_DIGITS)
            return false;
    }
    return true;
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; tool_verbs[i]; i++)
        if (strcmp(tool_verbs[i], name) == 0)
            for (size_t k = 0; commands[k]; k++)
                if (strcmp(commands[k]->name, name) == 0)
                    return commands[k];
    return NULL;
}

static bool has_threads(const char *verb)
{
    return strcmp(verb, "build") == 0 || strcmp(verb, "add") == 0 ||
           strcmp(verb, "remove") == 0 || strcmp(verb, "check") == 0 ||
           strcmp(verb, "uniq") == 0;
}

static bool is_named(char **words, int n, const char *name)
{
    for (int i = 0; i < n; i++) {
        const char *tail = strlen(words[i]) >= strlen(name)
                               ? words[i] + strlen(words[i]) - strlen(name)
                               : words[i];
        if (strcmp(tail, name) == 0) /* also in --output=NAME */
            return true;
    }
    return false;
}

static bool is_named_before(const struct shelf *shelf, const char *name)
{
    for (size_t i = 0; i < shelf->n; i++)
        if (strcmp(shelf->files[i].name, name) == 0)
            return true;
    return false;
}

static bool are_all_sound(const struct shelf *shelf)
{
    for (size_t i = 0; i < shelf->n; i++)
        if (!shelf->files[i].is_sound)
            return false;
    return true;
}

static bool is_folder(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* What a command left behind. */
static void check_folder(struct shelf *shelf, char **words, int n, int status)
{
    DIR *handle = opendir(".");
    /* a union without the key cannot look into a dictionary that is attached */
    const bool is_made =
        status == EXIT_YES && (strcmp(words[0], "union") != 0 || are_all_sound(shelf));

    MUST(handle);
    for (const struct dirent *entry; (entry = readdir(handle)) != NULL;) {
        size_t size = 0;
        if (is_folder(entry->d_name))
            continue;
        const bool is_old = is_named_before(shelf, entry->d_name);
        MUST(is_old || is_named(words, n, entry->d_name));
        const uint8_t *bytes = read_whole(entry->d_name, &size);
        struct file *file = find(shelf, entry->d_name);
        const bool is_whole = !is_ours(bytes, size) || is_sound(bytes, size);
        if (size < MAX_FILE && (is_old ? file->is_sound : is_made))
            MUST(is_whole);
        file->is_sound = is_whole;
    }
    MUST(closedir(handle) == 0);
}

/* The words of a command, a line each; -1 if it may not be run. */
static int split(char *text, char **words)
{
    int n = 0;

    for (char *word = text; word && n < MAX_WORDS; n++) {
        char *end = strchr(word, '\n');
        if (end)
            *end++ = '\0';
        if (!may_run(word))
            return -1;
        words[n] = word;
        word = end;
    }
    return n;
}

static void run(struct shelf *shelf, const uint8_t *bytes, size_t size)
{
    char text[1024], *words[MAX_WORDS + 3], *order[MAX_WORDS + 3];
    static char option[] = "--threads", one[] = "1";

    if (size >= sizeof text)
        return;
    memcpy(text, bytes, size);
    text[size] = '\0';
    int n = split(text, words);
    const struct command *command = n > 0 ? find_command(words[0]) : NULL;
    if (!command)
        return;
    if (has_threads(words[0])) {
        memmove(words + 3, words + 1, (size_t)(n - 1) * sizeof *words);
        words[1] = option;
        words[2] = one;
        n += 2;
    }
    words[n] = NULL;
    MUST(lseek(STDIN_FILENO, 0, SEEK_SET) == 0);
    memcpy(order, words, sizeof order); /* the command changes it */
    const int status = command->run(command, n - 1, order + 1);
    output_flush();
    MUST(status == EXIT_YES || status == EXIT_NO || status == EXIT_ERROR);
    check_folder(shelf, words, n, status);
}

static void clean(void)
{
    DIR *handle = opendir(".");

    MUST(handle);
    for (const struct dirent *entry; (entry = readdir(handle)) != NULL;)
        if (!is_folder(entry->d_name))
            MUST(unlink(entry->d_name) == 0);
    MUST(closedir(handle) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    struct shelf shelf = {.n = 0};
    size_t n_runs = 0;

    prepare();
    MUST(fchdir(folder) == 0);
    put(&shelf, "key", fuzz_secret, sizeof fuzz_secret);
    set_input(fuzz_secret, sizeof fuzz_secret);
    while (size >= 3 && n_runs < MAX_RUNS) {
        const uint8_t type = bytes[0];
        const size_t wanted = bytes[1] | (size_t)bytes[2] << 8;
        const size_t n = wanted < size - 3 ? wanted : size - 3;
        if (type % 4 == 0)
            put(&shelf, names[type / 4 % 4], bytes + 3, n);
        else if (type % 4 == 1)
            set_input(bytes + 3, n);
        else
            run(&shelf, bytes + 3, n);
        n_runs += type % 4 > 1;
        bytes += 3 + n;
        size -= 3 + n;
    }
    clean();
    MUST(fchdir(home) == 0);
    return 0;
}

/* ---- Mutations --------------------------------------------------------------------- */

/* Another word in a place of the command, one more, or one less. */
static size_t change_words(uint8_t *text, size_t size, size_t max_size, unsigned seed)
{
    uint64_t random = seed;
    const char *word = random_below(&random, 4)
                           ? tool_words[random_below(&random, n_tool_words)]
                           : tool_verbs[random_below(&random, n_tool_verbs)];
    const size_t n = strlen(word);
    size_t starts[MAX_WORDS + 1], n_words = 0, at = 0;

    while (n_words < MAX_WORDS && at <= size) {
        const uint8_t *end = at < size ? memchr(text + at, '\n', size - at) : NULL;
        starts[n_words++] = at;
        at = end ? (size_t)(end - text) + 1 : size + 1;
    }
    starts[n_words] = size + 1;
    const size_t i = random_below(&random, n_words);
    const size_t from = starts[i];
    const size_t how = random_below(&random, 3); /* replace, insert, or leave out */
    const size_t to = how == 1 ? from : starts[i + 1] < size ? starts[i + 1] : size;
    const size_t added = how == 2 ? 0 : n + 1;
    if (size - (to - from) + added > max_size)
        return size;
    memmove(text + from + added, text + to, size - to);
    if (added) {
        memcpy(text + from, word, n);
        text[from + n] = '\n';
    }
    return size - (to - from) + added;
}

static size_t change_record(uint8_t type, uint8_t *payload, size_t size, size_t max_size,
                            unsigned seed)
{
    uint64_t random = seed + UINT64_C(1);

    if (type % 4 == 0)
        return mutate_file(payload, size, max_size, seed);
    if (type % 4 == 1 || random_below(&random, 8) == 0)
        return LLVMFuzzerMutate(payload, size, max_size);
    return change_words(payload, size, max_size, seed);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max_size,
                               unsigned seed)
{
    static const struct record_shape shape = {
        .head = 1, .n_length = 2, .mutate = change_record};

    return mutate_records(bytes, size, max_size, &shape, seed);
}
