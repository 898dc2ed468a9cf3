/* SPDX-License-Identifier: MIT */
/* The rows of docs/claims.md. */
#ifndef STUDY_REPORT_CLAIMS_H
#define STUDY_REPORT_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>

enum { MAX_CLAIMS = 64, MAX_CLAIM_GROUPS = 8 };

struct claim {
    char row[8];    /* "A1" */
    char where[64]; /* "figure 5.1" */
    char text[512]; /* the claim */
    size_t group;   /* which heading it stands under */
};

struct claims {
    size_t n;
    struct claim list[MAX_CLAIMS];
    size_t n_groups;
    char groups[MAX_CLAIM_GROUPS][64]; /* "The monograph" */
};

/* Reads all rows, `| A1 | where | claim |`, with the headings "## A. Name" above them. Fails with the
 * program where there is none or one is too long. */
void claims_read(const char *path, struct claims *claims);

#endif
