/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* realpath, wait4 */

#include "command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The folder ---------------------------------------------------------------------------- */

enum { FILE_PATH = FOLDER_PATH + 264 };

static struct folder own_folder; /* no path: not made yet */

void empty_work_folder(void)
{
    DIR *folder = own_folder.path[0] ? opendir(own_folder.path) : NULL;
    const struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        char path[FILE_PATH];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", own_folder.path, entry->d_name);
        unlink(path);
    }
    if (folder)
        closedir(folder);
}

static void remove_folder(void)
{
    empty_work_folder();
    rmdir(own_folder.path);
}

const struct folder *work_folder(void)
{
    const char *parent = getenv("TMPDIR");

    if (own_folder.path[0])
        return &own_folder;
    const int length =
        snprintf(own_folder.path, sizeof own_folder.path, "%s/ninho-bench-XXXXXX",
                 parent && *parent ? parent : "/tmp");
    if (length < 0 || (size_t)length >= sizeof own_folder.path)
        die("TMPDIR: too long a path");
    if (!mkdtemp(own_folder.path))
        die("%s: %s", own_folder.path, strerror(errno));
    if (atexit(remove_folder))
        die("atexit: no room");
    return &own_folder;
}

FILE *open_for_writing(const struct folder *folder, const char *name)
{
    char path[FILE_PATH];

    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    FILE *file = fopen(path, "w");
    if (!file)
        die("%s: %s", path, strerror(errno));
    return file;
}

void close_written(FILE *file, const char *name)
{
    if (ferror(file) | fclose(file))
        die("%s: could not be written", name);
}

uint64_t size_of_file(const struct folder *folder, const char *name)
{
    char path[FILE_PATH];
    struct stat status;

    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    return stat(path, &status) ? 0 : (uint64_t)status.st_size;
}

/* ---- Running a command --------------------------------------------------------------------- */

static double cpu_of_children(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_CHILDREN, &usage))
        die("getrusage: %s", strerror(errno));
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void count_lines(void *state, const char *bytes, size_t n, uint64_t *answer)
{
    (void)state;
    for (const char *at = bytes; (at = memchr(at, '\n', (size_t)(bytes + n - at))); at++)
        ++*answer;
}

void read_number(void *state, const char *bytes, size_t n, uint64_t *answer)
{
    char *number = state;

    if (strlen(number) + n < 32)
        strncat(number, bytes, n);
    *answer = strtoull(number, NULL, 10);
}

static uint64_t read_answer(int pipe_end, answer_reader reader, void *state)
{
    static char bytes[1 << 16];
    uint64_t answer = 0;

    for (;;) {
        const ssize_t n = read(pipe_end, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            die("pipe: %s", strerror(errno));
        if (n == 0)
            return answer;
        reader(state, bytes, (size_t)n, &answer);
    }
}

/* In the child: becomes the command, which finds its input and output where they should be. */
static void become(const struct folder *folder, char *const *command, const char *input,
                   int output)
{
    if (chdir(folder->path))
        _exit(127);
    const int in = open(input, O_RDONLY);
    if (in < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0)
        _exit(127);
    setenv("LC_ALL", "C", 1);     /* grep: bytes, not letters */
    setenv("GOMAXPROCS", "1", 1); /* bloom: one thread */
    execvp(command[0], command);
    _exit(127);
}

struct outcome run_command(const struct folder *folder, char *const *command,
                           const char *input, answer_reader reader, void *state)
{
    struct rusage usage;
    int ends[2];
    int status;

    fflush(NULL);
    if (pipe(ends))
        die("pipe: %s", strerror(errno));
    const double cpu_start = cpu_of_children();
    const double start = seconds_elapsed();
    const pid_t child = fork();
    if (child < 0)
        die("fork: %s", strerror(errno));
    if (child == 0) {
        close(ends[0]);
        become(folder, command, input, ends[1]);
    }
    close(ends[1]);
    struct outcome outcome = {.answer = read_answer(ends[0], reader, state)};
    close(ends[0]);
    while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR)
            die("wait4: %s", strerror(errno));
    outcome.peak_bytes = 1024 * (uint64_t)usage.ru_maxrss;
    outcome.seconds = seconds_elapsed() - start;
    outcome.cpu_seconds = cpu_of_children() - cpu_start;
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
        die("%s %s failed (status %d)", command[0], command[1], status);
    return outcome;
}

bool is_installed(const char *program)
{
    const char *path = getenv("PATH");

    while (path && *path) {
        const size_t length = strcspn(path, ":");
        char candidate[4096];
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, program);
        if (access(candidate, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

void find_ninho(const struct options *options, char *path, size_t size)
{
    if (options->ninho) {
        char *real = realpath(options->ninho, NULL);
        if (!real)
            die("%s: %s", options->ninho, strerror(errno));
        snprintf(path, size, "%s", real);
        free(real);
        return;
    }
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        die("cannot tell where this program lies: give --ninho PATH");
    snprintf(slash, size - (size_t)(slash - path), "/ninho");
    if (access(path, X_OK))
        die("%s: %s (give --ninho PATH)", path, strerror(errno));
}
