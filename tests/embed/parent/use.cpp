// SPDX-License-Identifier: MIT
#include <ninho/ninho.hpp>

#include <cstdio>

int main()
{
    ninho::filter filter =
        ninho::filter::create(ninho::spec(NINHO_BLOCKED).capacity(1000).fpr(0.01));

    filter.add("nest");
    if (!filter.has("nest"))
        return 1;
    std::printf("ninho %s\n", ninho::version());
    return 0;
}
