/* SPDX-License-Identifier: MIT */
/* One line about the machine that measured. A number without it cannot be compared with another.
 *
 * Header only, because the benchmark uses it too and shares no library with the study. */
#ifndef STUDY_HARNESS_MACHINE_H
#define STUDY_HARNESS_MACHINE_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

struct machine_text {
    char *at;
    size_t room; /* the terminating NUL included */
};

__attribute__((format(printf, 2, 3))) static inline void machine_print(
    struct machine_text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(text->at, text->room, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    const size_t used = (size_t)length < text->room ? (size_t)length : text->room - 1;
    text->at += used;
    text->room -= used;
}

/* The first line of a small file, without its newline; empty if it cannot be read. */
static inline void machine_read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "r");

    line[0] = '\0';
    if (!file)
        return;
    if (fgets(line, (int)size, file))
        line[strcspn(line, "\n")] = '\0';
    else
        line[0] = '\0';
    fclose(file);
}

static inline void machine_print_cpu(struct machine_text *text)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    const char *name = NULL;

    while (file && !name && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", 10) == 0) {
            name = colon + 1 + strspn(colon + 1, " \t");
            line[strcspn(line, "\n")] = '\0';
        }
    }
    machine_print(text, "%s, %ld cores", name ? name : "unknown processor",
                  sysconf(_SC_NPROCESSORS_ONLN));
    if (file)
        fclose(file);
}

static inline void machine_print_caches(struct machine_text *text)
{
    for (int i = 0; i < 8; i++) {
        char path[96];
        char level[8];
        char type[32];
        char size[32];

        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level",
                 i);
        machine_read_line(path, level, sizeof level);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
        machine_read_line(path, type, sizeof type);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        machine_read_line(path, size, sizeof size);
        if (!level[0] || !size[0] || strcmp(type, "Instruction") == 0)
            continue;
        machine_print(text, ", L%s%s %s", level, strcmp(type, "Data") == 0 ? "d" : "",
                      size);
    }
}

static inline void machine_print_pages(struct machine_text *text)
{
    char modes[96];

    machine_print(text, ", pages of %ld KiB", sysconf(_SC_PAGESIZE) / 1024);
    machine_read_line("/sys/kernel/mm/transparent_hugepage/enabled", modes, sizeof modes);
    const char *from = strchr(modes, '[');
    const char *to = from ? strchr(from, ']') : NULL;
    if (to)
        machine_print(text, " (transparent huge pages: %.*s)", (int)(to - from - 1),
                      from + 1);
}

/* Processor, cores, caches, kernel, page size, compiler: into text[0..size), always terminated. */
static inline void machine_describe(char *line, size_t size)
{
    struct machine_text text = {line, size};
    struct utsname kernel;

    machine_print_cpu(&text);
    machine_print_caches(&text);
    if (uname(&kernel) == 0)
        machine_print(&text, ", %s %s %s", kernel.sysname, kernel.release,
                      kernel.machine);
    machine_print_pages(&text);
#if defined(__clang__)
    machine_print(&text, ", clang %d.%d.%d", __clang_major__, __clang_minor__,
                  __clang_patchlevel__);
#elif defined(__GNUC__)
    machine_print(&text, ", gcc %d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
#ifndef __OPTIMIZE__
    machine_print(&text, ", NOT OPTIMISED: quote none of these numbers");
#endif
}

#endif
