/* SPDX-License-Identifier: MIT */
/* TeX's languages by name: what TeX knows of them besides their patterns, and how to read one from
 * a folder of pattern files. */
#ifndef NINHO_HYPHEN_LANGUAGES_H
#define NINHO_HYPHEN_LANGUAGES_H

#include "hyphen.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A language for which Debian has patterns (librust-hyphenation-dev; 77 of them). */
typedef struct ninho_hyphen_known {
    const char *name;  /* TeX's: "en-us" */
    const char *title; /* in English: "English, American spelling" */
    /* From the header of TeX's hyph-NAME.tex, "hyphenmins: typesetting:"; where it has only those
     * the patterns were made with, "hyphenmins: generation:", these, and TeX Live sets the same. */
    ninho_hyphen_minima minima;
    const char *package; /* Debian's, which holds that file */
    /* TeX's own exceptions, between spaces, where the package's hyph-NAME.hyp.txt has others; NULL
     * where it has the same. */
    const char *exceptions;
} ninho_hyphen_known;

/* The index-th of them, by name; NULL past the last. Any thread. */
NINHO_API const ninho_hyphen_known *ninho_hyphen_known_at(size_t index);

/* The one of that name, NULL if there is none. Any thread. */
NINHO_API const ninho_hyphen_known *ninho_hyphen_known_find(const char *name);

/* Which exceptions come with a language's patterns. */
typedef enum ninho_hyphen_list {
    NINHO_HYPHEN_LIST_TEX = 0, /* those of TeX itself */
    NINHO_HYPHEN_LIST_FOLDER =
        1, /* those of the folder's .hyp.txt: for en-us a longer list */
    NINHO_HYPHEN_LIST_NONE = 2
} ninho_hyphen_list;

/* Whether the folder has patterns for the language: hyph-NAME.pat.txt, or hyph-NAME.tex. */
NINHO_API bool ninho_hyphen_folder_has(const char *folder, const char *name);

/* Reads them into `rules`, and the exceptions that `list` says. *minima (may be NULL) is what to
 * compile with: what the file says, or else what TeX has for the language, or else 2 and 3.
 * NINHO_ERR_NOT_FOUND if the folder has none; NINHO_ERR_ARG for a name that no language has
 * (letters, digits and hyphens, 31 at most); and what ninho_hyphen_rules_read_file() answers.
 * After a failure the rules may hold a part. */
NINHO_API ninho_status ninho_hyphen_read_language(ninho_hyphen_rules *rules,
                                                  const char *folder, const char *name,
                                                  ninho_hyphen_list list,
                                                  ninho_hyphen_minima *minima,
                                                  ninho_error *error);

/* Reads only the exceptions that `list` says, as above. A folder that has no hyph-NAME.hyp.txt adds
 * nothing. NINHO_ERR_ARG, and what ninho_hyphen_rules_read_file() answers. */
NINHO_API ninho_status ninho_hyphen_read_exceptions(ninho_hyphen_rules *rules,
                                                    const char *folder, const char *name,
                                                    ninho_hyphen_list list,
                                                    ninho_error *error);

#ifdef __cplusplus
}
#endif

#endif
