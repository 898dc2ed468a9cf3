/* SPDX-License-Identifier: MIT */
/* The table is checked against the files it comes from: tests/apps/hyphen/minima.py, in
 * `make test-extra`. */
#include "languages.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apps/base/base.h"

/* The packages that hold hyph-NAME.tex. */
#define CHINESE     "texlive-lang-chinese"
#define CYRILLIC    "texlive-lang-cyrillic"
#define CZECHSLOVAK "texlive-lang-czechslovak"
#define ENGLISH     "texlive-lang-english"
#define EUROPEAN    "texlive-lang-european"
#define FRENCH      "texlive-lang-french"
#define GERMAN      "texlive-lang-german"
#define GREEK       "texlive-lang-greek"
#define ITALIAN     "texlive-lang-italian"
#define OTHER       "texlive-lang-other"
#define POLISH      "texlive-lang-polish"
#define PORTUGUESE  "texlive-lang-portuguese"
#define SPANISH     "texlive-lang-spanish"

static const char tex_en_us[] =
    "as-so-ciate as-so-ciates dec-li-na-tion oblig-a-tory phil-an-thropic present "
    "presents "
    "project projects reci-procity re-cog-ni-zance ref-or-ma-tion ret-ri-bu-tion ta-ble";

/* By name. "generation": the header has only the minima that the patterns were made with. */
static const ninho_hyphen_known table[] = {
    {"af", "Afrikaans", {1, 2}, OTHER, NULL},
    {"as", "Assamese", {1, 1}, OTHER, NULL}, /* generation */
    {"be", "Belarusian", {2, 2}, CYRILLIC, NULL},
    {"bg", "Bulgarian", {2, 2}, CYRILLIC, NULL},
    {"bn", "Bengali", {1, 1}, OTHER, NULL}, /* generation */
    {"ca", "Catalan", {2, 2}, SPANISH, NULL},
    {"cop", "Coptic", {1, 1}, OTHER, NULL},
    {"cs", "Czech", {2, 3}, CZECHSLOVAK, NULL},
    {"cu", "Church Slavonic", {1, 2}, CYRILLIC, NULL},
    {"cy", "Welsh", {2, 3}, EUROPEAN, NULL},
    {"da", "Danish", {2, 2}, EUROPEAN, NULL},
    {"de-1901", "German, traditional spelling", {2, 2}, GERMAN, NULL},
    {"de-1996", "German, reformed spelling", {2, 2}, GERMAN, NULL},
    {"de-ch-1901", "German, traditional Swiss spelling", {2, 2}, GERMAN, NULL},
    {"el-monoton", "Modern Greek, monotonic spelling", {1, 1}, GREEK, NULL},
    {"el-polyton", "Modern Greek, polytonic spelling", {1, 1}, GREEK, NULL},
    {"en-gb", "English, British spelling", {2, 3}, ENGLISH, NULL},
    {"en-us", "English, American spelling", {2, 3}, ENGLISH, tex_en_us},
    {"eo", "Esperanto", {2, 2}, OTHER, NULL},
    {"es", "Spanish", {2, 2}, SPANISH, NULL},
    {"et", "Estonian", {2, 3}, EUROPEAN, NULL},
    {"eu", "Basque", {2, 2}, FRENCH, NULL},
    {"fi", "Finnish", {2, 2}, EUROPEAN, NULL},
    {"fr", "French", {2, 2}, FRENCH, NULL},
    {"fur", "Friulan", {2, 2}, EUROPEAN, NULL},
    {"ga", "Irish", {2, 3}, EUROPEAN, NULL},
    {"gl", "Galician", {2, 2}, SPANISH, NULL},
    {"grc", "Ancient Greek", {1, 1}, GREEK, NULL},
    {"gu", "Gujarati", {1, 1}, OTHER, NULL}, /* generation */
    {"hi", "Hindi", {1, 1}, OTHER, NULL},    /* generation */
    {"hr", "Croatian", {2, 2}, EUROPEAN, NULL},
    {"hsb", "Upper Sorbian", {2, 2}, EUROPEAN, NULL},
    {"hu", "Hungarian", {2, 2}, EUROPEAN, NULL},
    {"hy", "Armenian", {1, 2}, OTHER, NULL},
    {"ia", "Interlingua", {2, 2}, OTHER, NULL},
    {"id", "Indonesian", {2, 2}, OTHER, NULL},
    {"is", "Icelandic", {2, 2}, EUROPEAN, NULL},
    {"it", "Italian", {2, 2}, ITALIAN, NULL},
    {"ka", "Georgian", {1, 2}, OTHER, NULL},
    {"kmr", "Kurmanji, Northern Kurdish", {2, 2}, EUROPEAN, NULL},
    {"kn", "Kannada", {1, 1}, OTHER, NULL}, /* generation */
    {"la", "Latin", {2, 2}, EUROPEAN, NULL},
    {"la-x-classic", "Classical Latin", {2, 2}, EUROPEAN, NULL},
    {"la-x-liturgic", "Liturgical Latin", {2, 2}, EUROPEAN, NULL},
    {"lt", "Lithuanian", {2, 2}, EUROPEAN, NULL}, /* generation */
    {"lv", "Latvian", {2, 2}, EUROPEAN, NULL},
    {"ml", "Malayalam", {1, 1}, OTHER, NULL}, /* generation */
    {"mn-cyrl", "Mongolian, Cyrillic script", {2, 2}, CYRILLIC, NULL},
    {"mr", "Marathi", {1, 1}, OTHER, NULL}, /* generation */
    {"mul-ethi",
     "Multiple languages using the Ethiopic script",
     {1, 1},
     OTHER,
     NULL}, /* generation */
    {"nb", "Norwegian Bokmål", {2, 2}, EUROPEAN, NULL},
    {"nl", "Dutch", {2, 2}, EUROPEAN, NULL},
    {"nn", "Norwegian Nynorsk", {2, 2}, EUROPEAN, NULL},
    {"oc", "Occitan", {2, 2}, EUROPEAN, NULL},
    {"or", "Odia, Oriya", {1, 1}, OTHER, NULL},      /* generation */
    {"pa", "Panjabi, Punjabi", {1, 1}, OTHER, NULL}, /* generation */
    {"pi", "Pāli", {1, 2}, OTHER, NULL},
    {"pl", "Polish", {2, 2}, POLISH, NULL},
    {"pms", "Piedmontese", {2, 2}, EUROPEAN, NULL},
    {"pt", "Portuguese", {2, 3}, PORTUGUESE, NULL},
    {"rm", "Romansh", {2, 2}, EUROPEAN, NULL},
    {"ro", "Romanian", {2, 2}, EUROPEAN, NULL},
    {"ru", "Russian", {2, 2}, CYRILLIC, NULL},
    {"sa", "Sanskrit", {1, 3}, OTHER, NULL},
    {"sh-cyrl", "Serbocroatian, Cyrillic script", {2, 2}, CYRILLIC, NULL},
    {"sh-latn", "Serbocroatian, Latin script", {2, 2}, CYRILLIC, NULL},
    {"sk", "Slovak", {2, 3}, CZECHSLOVAK, NULL},
    {"sl", "Slovenian", {2, 2}, EUROPEAN, NULL},
    {"sr-cyrl", "Serbian, Cyrillic script", {2, 2}, CYRILLIC, NULL},
    {"sv", "Swedish", {2, 2}, EUROPEAN, NULL},
    {"ta", "Tamil", {1, 1}, OTHER, NULL},  /* generation */
    {"te", "Telugu", {1, 1}, OTHER, NULL}, /* generation */
    {"th", "Thai", {2, 3}, OTHER, NULL},
    {"tk", "Turkmen", {2, 2}, OTHER, NULL},
    {"tr", "Turkish", {2, 2}, EUROPEAN, NULL},
    {"uk", "Ukrainian", {2, 2}, CYRILLIC, NULL},
    {"zh-latn-pinyin", "Mandarin Chinese, pinyin transliteration", {1, 2}, CHINESE, NULL},
};

enum { N_KNOWN = sizeof table / sizeof table[0] };

const ninho_hyphen_known *ninho_hyphen_known_at(size_t index)
{
    return index < N_KNOWN ? &table[index] : NULL;
}

const ninho_hyphen_known *ninho_hyphen_known_find(const char *name)
{
    for (size_t i = 0; i < N_KNOWN; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

/* ---- Folders ------------------------------------------------------------------------------- */

enum { MAX_PATH = 4096 };

/* Names come from outside and become part of a path. */
static bool is_name(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789-";
    const size_t size = strspn(name, allowed);

    return size > 0 && size <= NINHO_HYPHEN_MAX_NAME && name[size] == '\0';
}

/* The path of a file that is there and can be read. */
static bool find_file(char path[MAX_PATH], const char *folder, const char *name,
                      const char *suffix)
{
    const int size = snprintf(path, MAX_PATH, "%s/hyph-%s%s", folder, name, suffix);

    return size > 0 && size < MAX_PATH && access(path, R_OK) == 0;
}

bool ninho_hyphen_folder_has(const char *folder, const char *name)
{
    char path[MAX_PATH];

    return is_name(name) && (find_file(path, folder, name, ".pat.txt") ||
                             find_file(path, folder, name, ".tex"));
}

ninho_status ninho_hyphen_read_exceptions(ninho_hyphen_rules *rules, const char *folder,
                                          const char *name, ninho_hyphen_list list,
                                          ninho_error *error)
{
    const ninho_hyphen_known *known = ninho_hyphen_known_find(name);
    char path[MAX_PATH];

    if (!is_name(name))
        return na_fail(error, NINHO_ERR_ARG, "'%.60s' is not the name of a language",
                       name);
    if (list == NINHO_HYPHEN_LIST_NONE) {
        ninho_hyphen_rules_clear_exceptions(rules); /* those of a .tex */
        return NINHO_OK;
    }
    if (list == NINHO_HYPHEN_LIST_TEX && known && known->exceptions)
        return ninho_hyphen_rules_read(rules, NINHO_HYPHEN_EXCEPTIONS, known->name,
                                       known->exceptions, strlen(known->exceptions),
                                       error);
    if (!find_file(path, folder, name, ".hyp.txt"))
        return NINHO_OK;
    return ninho_hyphen_rules_read_file(rules, NINHO_HYPHEN_EXCEPTIONS, path, error);
}

ninho_status ninho_hyphen_read_language(ninho_hyphen_rules *rules, const char *folder,
                                        const char *name, ninho_hyphen_list list,
                                        ninho_hyphen_minima *minima, ninho_error *error)
{
    char path[MAX_PATH];
    const ninho_hyphen_known *known = ninho_hyphen_known_find(name);

    if (!is_name(name))
        return na_fail(error, NINHO_ERR_ARG, "'%.60s' is not the name of a language",
                       name);
    if (!find_file(path, folder, name, ".pat.txt") &&
        !find_file(path, folder, name, ".tex"))
        return na_fail(error, NINHO_ERR_NOT_FOUND, "there are no patterns for '%s'",
                       name);
    ninho_status status = ninho_hyphen_rules_read_file(rules, 0, path, error);
    if (!status)
        status = ninho_hyphen_read_exceptions(rules, folder, name, list, error);
    if (status || !minima)
        return status;
    const ninho_hyphen_minima said = ninho_hyphen_rules_minima(rules);
    const ninho_hyphen_minima otherwise =
        known ? known->minima
              : (ninho_hyphen_minima){NINHO_HYPHEN_DEFAULT_LEFT,
                                      NINHO_HYPHEN_DEFAULT_RIGHT};
    minima->left = said.left ? said.left : otherwise.left;
    minima->right = said.right ? said.right : otherwise.right;
    return NINHO_OK;
}
