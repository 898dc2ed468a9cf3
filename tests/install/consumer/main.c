/* SPDX-License-Identifier: MIT */
/* A program of somebody else's, on an installed ninho: a filter is made, saved, opened, asked.
 * main.cc does likewise in C++. */
#include <stdio.h>
#include <string.h>

#include <ninho/ninho.h>

static int complain(const char *what, const ninho_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->text);
    return 1;
}

int main(int argc, char **argv)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_info info = NINHO_INFO_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_filter *filter = NULL;
    ninho_filter *opened = NULL;
    const char *path = argc > 1 ? argv[1] : "consumer.bf";

    spec.kind = NINHO_BLOOM;
    spec.capacity = 1000;
    spec.fpr = 0.001;
    if (ninho_filter_create(&spec, NULL, &filter, &error) != NINHO_OK)
        return complain("create", &error);
    if (ninho_filter_add_key(filter, "cuckoo", 6) != NINHO_OK)
        return 1;
    if (ninho_filter_save(filter, path, &error) != NINHO_OK)
        return complain("save", &error);
    if (ninho_filter_open(path, NULL, &opened, &error) != NINHO_OK)
        return complain("open", &error);
    if (!ninho_filter_has_key(opened, "cuckoo", 6) ||
        ninho_filter_has_key(opened, "owl", 3))
        return 1;
    if (ninho_filter_info(opened, &info) != NINHO_OK || info.count != 1)
        return 1;
    ninho_filter_free(opened);
    ninho_filter_free(filter);
    remove(path);
    printf("ninho %s\n", ninho_version());
    return 0;
}
