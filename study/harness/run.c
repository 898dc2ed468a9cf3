/* SPDX-License-Identifier: MIT */
/* What a question may ask about the run it belongs to. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "study.h"

size_t study_pick(const struct study *study, size_t tiny, size_t quick, size_t full)
{
    return study->size == STUDY_TINY ? tiny : study->size == STUDY_QUICK ? quick : full;
}

const char *study_size_text(enum study_size size)
{
    static const char *const texts[] = {
        [STUDY_TINY] = "tiny", [STUDY_QUICK] = "quick", [STUDY_FULL] = "full"};

    return texts[size];
}

void study_mark(const struct study *study, char text[RUN_TEXT])
{
    snprintf(text, RUN_TEXT, "program %016" PRIx64 ", %s, seed %" PRIu64, study->program,
             study_size_text(study->size), study->seed);
}

bool study_find(const struct study *study, const char *file, char *path, size_t size)
{
    const int length = snprintf(path, size, "%s/%s", study->data_dir, file);

    return length > 0 && (size_t)length < size && access(path, R_OK) == 0;
}

bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = list; at && *at;) {
        at += strspn(at, " ");
        const size_t here = strcspn(at, " ");
        if (here == length && here && memcmp(at, word, length) == 0)
            return true;
        at += here;
    }
    return false;
}
