/* SPDX-License-Identifier: MIT */
#include <ninho/ninho.h>

#include <stdio.h>

int main(void)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;

    spec.kind = NINHO_BLOCKED;
    spec.capacity = 1000;
    spec.fpr = 0.01;
    if (ninho_filter_create(&spec, NULL, &filter, NULL) ||
        ninho_filter_add_key(filter, "nest", 4) ||
        !ninho_filter_has_key(filter, "nest", 4))
        return 1;
    ninho_filter_free(filter);
    printf("ninho %s\n", ninho_version());
    return 0;
}
