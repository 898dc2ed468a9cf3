/* SPDX-License-Identifier: MIT */
/* Answers and bytes are the same at every CPU level, word size and byte order. The digest below
 * was made on x86-64 with AVX2; this program makes it again where it runs, and once more in a copy
 * of itself for each level that the library lets us switch off. */
#include "conform/families.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu/cpu.h"

/* Of the kinds up to that number. Those that come later have no digest here, but are compared with
 * themselves. */
#define DIGEST      UINT64_C(0xfab07c030fafddf7)
#define DIGEST_ENDS NINHO_SCALABLE

/* What the library lets be switched off; a name that means nothing here changes nothing. */
static const char *const levels[] = {"avx2", "avx512", "vpopcnt", "neon"};

static void absorb(uint64_t *digest, const void *bytes, size_t size)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3, .seed = *digest};

    *digest = ninho_hash_bytes(&hasher, bytes, size);
}

static void absorb_le64(uint64_t *digest, const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[8];
        for (unsigned b = 0; b < 8; b++)
            bytes[b] = (uint8_t)(words[i] >> (8 * b));
        absorb(digest, bytes, sizeof bytes);
    }
}

/* Bytes and answers of every family of the kinds up to `last`, filled one by one and in batches of
 * odd sizes. */
static uint64_t digest_of_kinds(unsigned last)
{
    uint64_t digest = 0;

    FOR_EACH_FAMILY(family)
    {
        if ((unsigned)family->spec.kind > last)
            continue;
        for (size_t n = 1; n < 3000; n = n * 3 + 1) {
            const ninho_spec spec = family_spec(family, n, .01, n);
            ninho_filter *filter = family_filter(family, n, .01, n);
            uint64_t hashes[1500], maybe[24];
            size_t size;
            add_range(filter, &spec, 0, n / 2);
            for (uint64_t i = n / 2; i < 2 * n; i++) {
                spec_hashes(&spec, i, 1, hashes);
                CHECK_OK(ninho_filter_add(filter, hashes[0]));
            }
            spec_hashes(&spec, ABSENT, 1500, hashes);
            ninho_filter_has_many(filter, hashes, 1500, maybe);
            absorb_le64(&digest, maybe, 24);
            for (size_t i = 0; i < 1500; i++) {
                const uint64_t has = ninho_filter_has(filter, hashes[i]);
                absorb_le64(&digest, &has, 1);
            }
            uint8_t *bytes = encoded(filter, &size);
            absorb(&digest, bytes, size);
            free(bytes);
            ninho_filter_free(filter);
        }
    }
    return digest;
}

static uint64_t digest_of_everything(void)
{
    return digest_of_kinds(UINT_MAX);
}

static void this_machine_makes_the_same_bytes(void **state)
{
    (void)state;
    test_where("this machine");
    CHECK_U64(digest_of_kinds(DIGEST_ENDS), DIGEST);
}

static const char *own_path;

#define FOREIGN 126 /* the system does not run programs for this processor */

/* The digest as a copy of this program sees it with `disabled` switched off; false where an
 * emulator runs this program, which cannot start a copy. */
static bool digest_without(const char *disabled, uint64_t *digest)
{
    int ends[2];
    char text[32] = "";
    int status = -1;

    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("NINHO_DISABLE_CPU", disabled, 1);
        execl(own_path, own_path, "--digest", (char *)NULL);
        _exit(errno == ENOEXEC ? FOREIGN : 127);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; (got = read(ends[0], text + n, sizeof text - 1 - n)) > 0;)
        n += (size_t)got;
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    if (WEXITSTATUS(status) == FOREIGN)
        return false;
    CHECK(WEXITSTATUS(status) == 0);
    *digest = strtoull(text, NULL, 16);
    return true;
}

static void every_level_makes_the_same_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        uint64_t digest = 0;
        test_where("without %s", levels[i]);
        if (digest_without(levels[i], &digest))
            CHECK_U64(digest, digest_of_everything());
        else
            print_message("emulated: not tried without %s\n", levels[i]);
    }
}

/* Whether what is switched off is off: otherwise the copy would compare a level with itself. */
static bool is_switched_off(const char *name)
{
#ifdef NINHO_TEST_HOOKS
    if (name && strcmp(name, "avx2") == 0)
        return !nh_cpu_has(NH_CPU_AVX2) && !nh_cpu_has(NH_CPU_AVX512);
    if (name && strcmp(name, "avx512") == 0)
        return !nh_cpu_has(NH_CPU_AVX512);
    if (name && strcmp(name, "vpopcnt") == 0)
        return !nh_cpu_has(NH_CPU_VPOPCNT);
    if (name && strcmp(name, "neon") == 0)
        return !nh_cpu_has(NH_CPU_NEON);
#else
    (void)name;
#endif
    return true;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_machine_makes_the_same_bytes),
        cmocka_unit_test(every_level_makes_the_same_bytes),
    };

    own_path = argv[0];
    if (argc > 1 && strcmp(argv[1], "--digest") == 0) {
        if (!is_switched_off(getenv("NINHO_DISABLE_CPU")))
            return 1;
        printf("%llx\n", (unsigned long long)digest_of_everything());
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
