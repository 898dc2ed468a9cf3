/* SPDX-License-Identifier: MIT */
/* hyphenate FOLDER LANGUAGE WORD...: by the patterns in FOLDER, hyph-LANGUAGE.pat.txt */
#include <ninho/hyphen/languages.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    ninho_hyphen_options options = NINHO_HYPHEN_OPTIONS_INIT;
    ninho_hyphen_break breaks[NINHO_HYPHEN_MAX_BREAKS];
    ninho_hyphen_rules *rules = NULL;
    ninho_hyphen_language *language = NULL;
    ninho_error error = {.size_of_struct = sizeof error,
                         .text = "FOLDER LANGUAGE WORD... are needed, and memory"};

    if (argc > 2 && !ninho_hyphen_rules_create(NULL, &rules) &&
        !ninho_hyphen_read_language(rules, argv[1], argv[2], NINHO_HYPHEN_LIST_TEX,
                                    &options.minima, &error))
        (void)ninho_hyphen_compile(rules, &options, NULL, &language, &error);
    ninho_hyphen_rules_free(rules); /* the language does not need them any more */
    if (!language)
        return fprintf(stderr, "hyphenate: %s\n", error.text), 1;
    for (int i = 3; i < argc; i++) {
        const size_t n = ninho_hyphen_word(language, argv[i], strlen(argv[i]), breaks,
                                           NINHO_HYPHEN_MAX_BREAKS);
        size_t from = 0;
        for (size_t b = 0; b < n; from = breaks[b++].at)
            printf("%.*s-", (int)(breaks[b].at - from), argv[i] + from);
        puts(argv[i] + from);
    }
    ninho_hyphen_language_free(language);
    return 0;
}
