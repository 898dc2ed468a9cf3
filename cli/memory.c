/* SPDX-License-Identifier: MIT */
#define _FILE_OFFSET_BITS 64
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli.h"
#include "memory.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Reads the number in a file of the kernel's that holds one; false for "max" or no such file. */
static bool read_number(const char *path, uint64_t *value)
{
    FILE *file = fopen(path, "re");
    char text[64] = "";

    if (!file)
        return false;
    const bool is_read = fgets(text, sizeof text, file) != NULL;
    (void)fclose(file);
    if (!is_read || text[0] < '0' || text[0] > '9')
        return false;
    *value = strtoull(text, NULL, 10);
    return true;
}

/* What the machine has: MemAvailable and SwapFree, or all physical memory. */
static uint64_t machine_available(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128];
    uint64_t kib = 0;
    bool is_known = false;

    while (file && fgets(line, sizeof line, file)) {
        const bool is_available = strncmp(line, "MemAvailable:", 13) == 0;
        if (is_available || strncmp(line, "SwapFree:", 9) == 0)
            kib += strtoull(strchr(line, ':') + 1, NULL, 10);
        is_known |= is_available;
    }
    if (file)
        (void)fclose(file);
    if (is_known)
        return kib * 1024;
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
}

static uint64_t group_limit(const char *folder, const char *name)
{
    char path[600];
    uint64_t limit = 0;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_number(path, &limit) ? limit : UINT64_MAX;
}

/* The limit of the control group this process is in and of all above it (or, in version 1, of the
 * outermost that is visible). What is used already is not taken off: it includes page cache that
 * the system would give back. */
static uint64_t group_available(void)
{
    static const char root[] = "/sys/fs/cgroup";
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[512];
    char folder[560] = "/sys/fs/cgroup";
    uint64_t limit = group_limit("/sys/fs/cgroup/memory", "memory.limit_in_bytes");

    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::/", 4) != 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        (void)snprintf(folder, sizeof folder, "%s%s", root, line + 3);
    }
    if (file)
        (void)fclose(file);
    while (strlen(folder) >= sizeof root - 1) {
        limit = smaller(limit, group_limit(folder, "memory.max"));
        *strrchr(folder, '/') = '\0';
    }
    return limit;
}

/* What RLIMIT_AS leaves. */
static uint64_t address_space_available(void)
{
    struct rlimit limit;
    uint64_t pages = 0;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    const long page = sysconf(_SC_PAGESIZE);
    if (!read_number("/proc/self/statm", &pages) || page <= 0)
        pages = 0;
    const uint64_t used = pages * (uint64_t)(page > 0 ? page : 0);
    return limit.rlim_cur > used ? (uint64_t)limit.rlim_cur - used : 0;
}

uint64_t memory_available(void)
{
    return smaller(machine_available(),
                   smaller(group_available(), address_space_available()));
}

int memory_check(const char *subject, uint64_t bytes_needed)
{
    if (bytes_needed < UINT64_C(1) << 20)
        return EXIT_YES;
    const uint64_t available = memory_available();
    if (bytes_needed <= available)
        return EXIT_YES;
    return fail("%s: needs %" PRIu64 " bytes of memory, and %" PRIu64 " are available",
                subject, bytes_needed, available);
}
