/* SPDX-License-Identifier: MIT */
#include "report/claims.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/fail.h"

/* Copies the next cell of a table's line, without the spaces around it. */
static const char *take_cell(const char *at, char *cell, size_t size)
{
    at += strspn(at, " ");
    const char *end = strchr(at, '|');
    if (!end)
        return NULL;
    size_t length = (size_t)(end - at);
    while (length && at[length - 1] == ' ')
        length--;
    if (length >= size)
        return NULL;
    memcpy(cell, at, length);
    cell[length] = '\0';
    return end + 1;
}

/* "A1": a capital letter and a number; "A1c": the same of our C; "C2f": what the figure of C2 shows. */
static bool is_row(const char *text)
{
    const size_t n_digits = text[0] ? strspn(text + 1, "0123456789") : 0;
    const char *rest = text + 1 + n_digits;

    return isupper((unsigned char)text[0]) && n_digits &&
           (!*rest || ((*rest == 'c' || *rest == 'f') && !rest[1]));
}

/* Whether the line is a row; fails where it begins like one and goes wrong. */
static bool read_row(const char *line, struct claim *claim)
{
    if (line[0] != '|')
        return false;
    const char *at = take_cell(line + 1, claim->row, sizeof claim->row);
    if (!at || !is_row(claim->row))
        return false;
    at = take_cell(at, claim->where, sizeof claim->where);
    if (at)
        at = take_cell(at, claim->text, sizeof claim->text);
    if (!at)
        fail("docs/claims.md: row %s is too long, or lacks a column", claim->row);
    return true;
}

static void read_heading(const char *line, struct claims *claims)
{
    if (strncmp(line, "## ", 3) != 0 || !isupper((unsigned char)line[3]) ||
        line[4] != '.' || line[5] != ' ')
        return;
    if (claims->n_groups == MAX_CLAIM_GROUPS)
        fail("docs/claims.md: more than %d headings", MAX_CLAIM_GROUPS);
    char *name = claims->groups[claims->n_groups++];
    const size_t length = strcspn(line + 6, "\n");
    if (length >= sizeof claims->groups[0])
        fail("docs/claims.md: too long a heading: %s", line);
    memcpy(name, line + 6, length);
    name[length] = '\0';
}

void claims_read(const char *path, struct claims *claims)
{
    FILE *file = fopen(path, "r");
    char line[1024];

    *claims = (struct claims){0};
    if (!file)
        fail("%s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, file)) {
        struct claim claim = {0};
        read_heading(line, claims);
        if (!read_row(line, &claim))
            continue;
        if (claims->n == MAX_CLAIMS || claims->n_groups == 0)
            fail("%s: row %s stands under no heading, or there are more than %d", path,
                 claim.row, MAX_CLAIMS);
        claim.group = claims->n_groups - 1;
        claims->list[claims->n++] = claim;
    }
    if (ferror(file) | fclose(file))
        fail("%s: could not be read", path);
    if (claims->n == 0)
        fail("%s: holds no rows", path);
}
