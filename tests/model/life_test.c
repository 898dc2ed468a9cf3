/* SPDX-License-Identifier: MIT */
/* Lives of every kind: a million operations each at full scale, 10^8 in `make soak`. Arguments name
 * the kinds to live; without any, all do. One line for each tells how it was. */
#include "model/life.h"

#include <string.h>
#include <time.h>

static char **wanted;
static int n_wanted;

static bool is_wanted(const char *name)
{
    for (int i = 0; i < n_wanted; i++)
        if (strcmp(wanted[i], name) == 0)
            return true;
    return n_wanted == 0;
}

static void tell(const struct life *life, double seconds)
{
    print_message(
        "%s: %llu operations and %llu reads beside in %.1f s of CPU, to %zu keys; "
        "%llu growths, %llu clears, %llu saves, %llu refused",
        life->kind->name, (unsigned long long)life->n_operations,
        (unsigned long long)life->n_read_beside, seconds, life->most_keys_seen,
        (unsigned long long)life->n_grown, (unsigned long long)life->n_cleared,
        (unsigned long long)life->n_saved, (unsigned long long)life->n_refused);
    if (!life->kind->is_exact)
        print_message("; %llu false positives in %llu, %.0f expected",
                      (unsigned long long)life->n_false,
                      (unsigned long long)life->n_absent, life->n_false_expected);
    print_message("\n");
}

static void every_kind_lives_as_its_twin_does(void **state)
{
    const uint64_t n_operations = test_scaled(1000000, 50000);
    const uint64_t seed = test_seed(20261116);
    struct temp_dir dir;
    char path[512];
    int n_lived = 0;

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "life", path);
    for (size_t k = 0; k < n_life_kinds; k++) {
        struct life life;
        if (!is_wanted(life_kinds[k].name))
            continue;
        const clock_t begin = clock();
        life_run(&life, &life_kinds[k], n_operations, seed, path);
        tell(&life, (double)(clock() - begin) / CLOCKS_PER_SEC);
        n_lived++;
    }
    CHECK(n_lived >= (n_wanted ? n_wanted : 1));
    temp_dir_remove(&dir);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_lives_as_its_twin_does),
    };

    wanted = argv + 1;
    n_wanted = argc - 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
