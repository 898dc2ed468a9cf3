/* SPDX-License-Identifier: MIT */
#define _FILE_OFFSET_BITS 64
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "memory.h"

#include "options/numbers.h"

/* With less the buffers alone do not fit. */
#define LEAST_LIMIT UINT64_C(16000000)

const struct option memory_options[] = {
    {NUMBER("memory", "SIZE", parse_u64, struct memory_options, limit, LEAST_LIMIT,
            UINT64_C(1) << 60, "most memory to use")},
    {0},
};

static uint64_t own_limit = UINT64_MAX;

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

static uint64_t physical_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);

    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
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
    return is_known ? kib * 1024 : physical_memory();
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

/* What this process uses that is no file; 0 where the system does not tell. */
static uint64_t memory_used(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    const long page = sysconf(_SC_PAGESIZE);
    char text[128] = "";
    uint64_t pages = 0;

    if (!file)
        return 0;
    if (fgets(text, sizeof text, file)) {
        char *at = text;
        (void)strtoull(at, &at, 10); /* all addresses */
        const uint64_t resident = strtoull(at, &at, 10);
        const uint64_t shared = strtoull(at, &at, 10);
        pages = resident > shared ? resident - shared : 0;
    }
    (void)fclose(file);
    return page > 0 ? pages * (uint64_t)page : 0;
}

void memory_set_limit(const struct memory_options *options)
{
    own_limit = options->limit ? options->limit
                               : smaller(physical_memory(), group_available()) / 2;
}

static uint64_t limit_available(uint64_t used)
{
    return own_limit > used ? own_limit - used : 0;
}

static uint64_t system_available(void)
{
    return smaller(machine_available(),
                   smaller(group_available(), address_space_available()));
}

uint64_t memory_available(void)
{
    const uint64_t left =
        own_limit == UINT64_MAX ? UINT64_MAX : limit_available(memory_used());

    return smaller(system_available(), left);
}

int memory_check(const char *subject, uint64_t bytes_needed)
{
    if (bytes_needed < UINT64_C(1) << 20)
        return EXIT_YES;
    const uint64_t used = own_limit == UINT64_MAX ? 0 : memory_used();
    if (bytes_needed > limit_available(used))
        return fail_as("nomem",
                       "%s: needs %" PRIu64 " bytes of memory besides the %" PRIu64
                       " in use, and the limit is %" PRIu64
                       ": --memory SIZE sets another",
                       subject, bytes_needed, used, own_limit);
    const uint64_t available = system_available();
    if (bytes_needed <= available)
        return EXIT_YES;
    return fail_as("nomem",
                   "%s: needs %" PRIu64 " bytes of memory, and %" PRIu64 " are available",
                   subject, bytes_needed, available);
}
