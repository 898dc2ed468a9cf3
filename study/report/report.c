/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/fail.h"
#include "harness/folder.h"
#include "report/claims.h"
#include "report/markdown.h"
#include "report/page.h"

void report_folder(const struct study *study, const struct question *question,
                   char *folder, size_t size)
{
    const bool is_usual = study->size == STUDY_QUICK;
    const int length = snprintf(folder, size, "%s/%s%s%s/", study->out_dir,
                                is_usual ? "" : study_size_text(study->size),
                                is_usual ? "" : "/", question->name);

    if (length < 0 || (size_t)length >= size)
        fail("%s: too long a path", study->out_dir);
}

/* Writes a file under another name and then renames it. */
static void write_file(const char *path,
                       void (*print)(FILE *file, const struct report *report,
                                     const struct claims *claims),
                       const struct report *report, const struct claims *claims)
{
    char temporary[4300];

    snprintf(temporary, sizeof temporary, "%s.new", path);
    FILE *file = fopen(temporary, "w");
    if (!file)
        fail("%s: %s", temporary, strerror(errno));
    print(file, report, claims);
    if (ferror(file) | fclose(file))
        fail("%s: could not be written", temporary);
    if (rename(temporary, path))
        fail("%s: %s", path, strerror(errno));
}

void report_write(const struct report *report)
{
    struct claims claims;
    char path[4200];

    snprintf(path, sizeof path, "%s/../docs/claims.md", report->study->source_dir);
    claims_read(path, &claims);
    snprintf(path, sizeof path, "%s/report", report->study->out_dir);
    folder_make(path);
    snprintf(path, sizeof path, "%s/report/index.html", report->study->out_dir);
    write_file(path, page_print, report, &claims);
    snprintf(path, sizeof path, "%s/report/report.md", report->study->out_dir);
    write_file(path, markdown_print, report, &claims);
}
