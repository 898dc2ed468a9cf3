/* SPDX-License-Identifier: MIT */
#include <ninho/ninho.hpp>

#include <iostream>

int main(int argc, char **argv)
try {
    auto birds =
        ninho::filter::create(ninho::spec(NINHO_BLOCKED).capacity(1000).fpr(0.01));

    birds.add("robin");
    birds.add("cuckoo");
    for (int i = 1; i < argc; i++)
        std::cout << argv[i] << (birds.has(argv[i]) ? ": maybe\n" : ": certainly not\n");
    birds.save("birds.ninho");
} catch (const ninho::error &error) {
    std::cerr << "embed: " << error.what() << '\n';
    return 1;
}
