/* SPDX-License-Identifier: MIT */
/* Where hyphenation patterns are, and which languages there are. Folders are searched in this
 * order, and the first that has a language is where it comes from:
 *
 *     --data DIR
 *     the folders of $NINHO_HYPHEN_PATH, between colons
 *     ninho/hyphen in $XDG_DATA_HOME (~/.local/share) and in $XDG_DATA_DIRS
 *     the cache of the source tree that this program was built in
 *     what Debian's librust-hyphenation-dev installs
 *     what TeX Live installs
 */
#ifndef CLI_LANGUAGES_H
#define CLI_LANGUAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli.h"

#define MAX_FOLDERS 32

/* Paths that the list owns. Folders that are not there are not in it. */
struct folders {
    char *paths[MAX_FOLDERS];
    size_t n;
    char searched[2048]; /* all of them, also those that are not there; cut if longer */
};

/* `first` is --data's (NULL: not given), and must be a folder with patterns in it. Answers an exit
 * status. */
int folders_find(struct folders *folders, const char *first);
void folders_free(struct folders *folders);

struct language_entry {
    char *name;
    const char *folder; /* of the list of folders */
    bool can_be_read;
};

struct language_list {
    struct language_entry *entries; /* by name, each once */
    size_t n;
};

/* Every language that the folders have and that can be read: a hyph-NAME.tex that only leads to
 * another file cannot, nor does the same language in a later folder count then. Answers an exit status. */
int languages_list(const struct folders *folders, struct language_list *list);
void languages_free(struct language_list *list);

/* The folder that has patterns for the language; NULL, having said which languages are near it,
 * if none has. */
const char *languages_folder(const struct folders *folders, const char *name);

/* Names as TeX writes them: small letters, and hyphens where others have underscores. What does
 * not fit is cut. */
void language_name(const char *text, char *name, size_t room);

#endif
