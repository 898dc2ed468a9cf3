/* SPDX-License-Identifier: MIT */
/* Readers of the four formats (hyphen.h says what each may hold). Each walks over the bytes once,
 * counts lines, and hands words to hy_parse_pattern() or hy_parse_exception(). The caller of all
 * of them undoes what was added when one fails. */
#include "rules.h"

#include <stdio.h>
#include <string.h>

#include "apps/base/utf8.h"
#include "unicode.h"

struct source {
    ninho_hyphen_rules *rules;
    const char *name; /* as messages show it */
    const uint8_t *at;
    const uint8_t *end;
    uint32_t line;
    uint32_t file;
    ninho_error *error;
    /* .tex: whether comments are inside "hyphenmins: typesetting:" */
    bool in_typesetting;
    /* .tex: one-argument macros, for files that abbreviate their patterns */
    struct macro {
        const uint8_t *name, *body;
        size_t name_size, body_size;
    } macros[16];
    size_t n_macros;
    size_t n_expanded; /* bytes that macros have made */
};

#define MAX_DEPTH     4
#define MAX_EXPANSION 2048
#define MAX_EXPANDED  ((size_t)16 << 20)

/* ---- Messages ---------------------------------------------------------------------- */

/* A file's name for a message: one that is long loses its beginning, "...", so that the line and
 * what is wrong have room behind it. The name itself, or `room`. */
#define NAME_ROOM 100
static const char *name_shown(const char *name, char room[NAME_ROOM])
{
    const size_t size = strlen(name);

    if (size < NAME_ROOM)
        return name;
    const char *from = name + size - (NAME_ROOM - 4);
    while (((uint8_t)*from & 0xC0) == 0x80) /* not inside a sign */
        from++;
    (void)snprintf(room, NAME_ROOM, "...%s", from);
    return room;
}

static ninho_status refuse_at(struct source *s, uint32_t line, const char *what)
{
    return na_fail(s->error, NINHO_ERR_FORMAT, "%s:%u: %s", s->name, (unsigned)line,
                   what);
}

static ninho_status no_memory(struct source *s)
{
    return na_fail(s->error, NINHO_ERR_NOMEM, "%s: not enough memory", s->name);
}

static ninho_status refuse(struct source *s, const char *what)
{
    return refuse_at(s, s->line, what);
}

/* The same with a piece of the text: what is not printable is shown as "?". */
static ninho_status refuse_word(struct source *s, const char *what, const uint8_t *word,
                                size_t size)
{
    char shown[44];
    size_t n = 0;

    for (size_t i = 0; i < size && n < 40;) {
        uint32_t point;
        const unsigned used = na_utf8_read(word + i, size - i, &point);
        if (used && point >= 0x20 && point != 0x7F && (point < 0x80 || point >= 0xA0)) {
            if (n + used > 40)
                break;
            memcpy(shown + n, word + i, used);
            n += used;
        } else {
            shown[n++] = '?';
        }
        i += used ? used : 1;
    }
    return na_fail(s->error, NINHO_ERR_FORMAT, "%s:%u: %s: %.*s", s->name,
                   (unsigned)s->line, what, (int)n, shown);
}

/* ---- Words ------------------------------------------------------------------------- */

enum sort { PATTERN, EXCEPTION };

static ninho_status add_word(struct source *s, enum sort sort, const uint8_t *word,
                             size_t size)
{
    ninho_hyphen_rules *rules = s->rules;
    struct hy_parsed parsed;
    const char *wrong = sort == PATTERN ? hy_parse_pattern(word, size, &parsed)
                                        : hy_parse_exception(word, size, &parsed);

    if (wrong)
        return refuse_word(s, wrong, word, size);
    if (hy_rules_put(rules, sort == PATTERN ? &rules->patterns : &rules->exceptions,
                     &parsed, s->file, s->line))
        return no_memory(s);
    return NINHO_OK;
}

/* Passes over one byte of white space. */
static void pass_blank(struct source *s)
{
    if (*s->at++ == '\n')
        s->line++;
}

static void pass_line(struct source *s)
{
    const uint8_t *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
    s->at = newline ? newline : s->end;
}

static ninho_status read_words(struct source *s, enum sort sort)
{
    while (s->at < s->end) {
        if (hy_is_blank(*s->at)) {
            pass_blank(s);
            continue;
        }
        if (*s->at == '%') {
            pass_line(s);
            continue;
        }
        const uint8_t *word = s->at;
        while (s->at < s->end && !hy_is_blank(*s->at) && *s->at != '%')
            s->at++;
        const ninho_status status = add_word(s, sort, word, (size_t)(s->at - word));
        if (status)
            return status;
    }
    return NINHO_OK;
}

/* ---- TeX --------------------------------------------------------------------------- */

/* The number after "left:" or "right:", 1 to 63; 0 if there is none. */
static unsigned number_after(const uint8_t *text, size_t size, const char *label)
{
    const size_t length = strlen(label);
    unsigned value = 0;

    if (size < length || memcmp(text, label, length) != 0)
        return 0;
    for (size_t i = length; i < size; i++) {
        if (text[i] == ' ' && value == 0)
            continue;
        if (text[i] < '0' || text[i] > '9')
            break;
        value = value * 10 + (unsigned)(text[i] - '0');
        if (value > NINHO_HYPHEN_MAX_MINIMUM)
            return 0;
    }
    return value;
}

static bool is_label(const uint8_t *text, size_t size, const char *label)
{
    return size == strlen(label) && memcmp(text, label, size) == 0;
}

/* Headers of TeX's files tell the minima in comments:
 *     % hyphenmins:
 *     %     typesetting:
 *     %         left: 2
 *     %         right: 3                                                              */
static void read_comment(struct source *s)
{
    const uint8_t *text = s->at + 1;

    pass_line(s);
    const uint8_t *end = s->at;
    while (text < end && (hy_is_blank(*text) || *text == '%'))
        text++;
    while (end > text && hy_is_blank(end[-1]))
        end--;
    const size_t size = (size_t)(end - text);
    if (is_label(text, size, "typesetting:")) {
        s->in_typesetting = true;
        return;
    }
    if (!s->in_typesetting)
        return;
    const unsigned left = number_after(text, size, "left:");
    const unsigned right = number_after(text, size, "right:");
    if (left)
        s->rules->minima.left = left;
    else if (right)
        s->rules->minima.right = right;
    else
        s->in_typesetting = false;
}

static void pass_space(struct source *s)
{
    while (s->at < s->end) {
        if (hy_is_blank(*s->at))
            pass_blank(s);
        else if (*s->at == '%')
            read_comment(s);
        else
            return;
    }
}

/* The name after a backslash, which s->at stands on: letters, or one other sign. */
static size_t read_name(struct source *s, const uint8_t **name)
{
    s->at++;
    *name = s->at;
    while (s->at < s->end && hy_is_alpha(*s->at))
        s->at++;
    if (s->at == *name && s->at < s->end && *s->at != '\n')
        s->at++;
    return (size_t)(s->at - *name);
}

static int hex_value(uint8_t byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    return -1;
}

/* ^^e9 or ^^^^0103 at text[0..size): the code point and the bytes it takes; 0 if it is neither. */
static size_t read_carets(const uint8_t *text, size_t size, uint32_t *point)
{
    size_t n = 0;

    while (n < size && n < 4 && text[n] == '^')
        n++;
    if ((n != 2 && n != 4) || size < 2 * n)
        return 0;
    *point = 0;
    for (size_t i = n; i < 2 * n; i++) {
        const int digit = hex_value(text[i]);
        if (digit < 0)
            return 0;
        *point = *point << 4 | (uint32_t)digit;
    }
    return 2 * n;
}

/* A word inside the braces, TeX's notation for signs in it taken away. */
static ninho_status add_tex_word(struct source *s, enum sort sort, const uint8_t *word,
                                 size_t size)
{
    uint8_t plain[6 * HY_MAX_ITEM];
    size_t n = 0;

    if (!memchr(word, '^', size))
        return add_word(s, sort, word, size);
    for (size_t i = 0; i < size;) {
        uint32_t point = word[i];
        size_t used = 1;
        if (n + 4 > sizeof plain)
            return refuse_word(s, "too long", word, size);
        if (word[i] == '^') {
            used = read_carets(word + i, size - i, &point);
            if (!used || (point >= 0xD800 && point < 0xE000))
                return refuse_word(s, "^ that is not ^^xx or ^^^^xxxx", word, size);
            n += na_utf8_write(point, plain + n);
        } else {
            plain[n++] = word[i];
        }
        i += used;
    }
    return add_word(s, sort, plain, n);
}

static const struct macro *find_macro(const struct source *s, const uint8_t *name,
                                      size_t size)
{
    for (size_t i = s->n_macros; i-- > 0;)
        if (s->macros[i].name_size == size && memcmp(s->macros[i].name, name, size) == 0)
            return &s->macros[i];
    return NULL;
}

static ninho_status add_words_of(struct source *s, enum sort sort, const uint8_t *text,
                                 size_t size, unsigned depth);

/* \name{argument} at text[0..size); *used is what it takes. */
static ninho_status expand(struct source *s, enum sort sort, const uint8_t *text,
                           size_t size, unsigned depth, size_t *used)
{
    uint8_t made[MAX_EXPANSION];
    size_t n = 0, name_size = 0;

    while (1 + name_size < size && hy_is_alpha(text[1 + name_size]))
        name_size++;
    const struct macro *macro = find_macro(s, text + 1, name_size);
    if (!macro || depth == MAX_DEPTH)
        return refuse_word(s, "unknown command", text,
                           1 + name_size < size || name_size ? 1 + name_size : size);
    size_t open = 1 + name_size;
    while (open < size && (text[open] == ' ' || text[open] == '\t'))
        open++;
    const uint8_t *close =
        open < size && text[open] == '{' ? memchr(text + open, '}', size - open) : NULL;
    if (!close)
        return refuse_word(s, "a command without {...}", text, 1 + name_size);
    const uint8_t *argument = text + open + 1;
    const size_t argument_size = (size_t)(close - argument);
    for (size_t i = 0; i < macro->body_size;) {
        const bool is_hole = macro->body[i] == '#' && i + 1 < macro->body_size &&
                             macro->body[i + 1] == '1';
        const size_t more = is_hole ? argument_size : 1;
        if (more > sizeof made - n)
            return refuse_word(s, "a command that makes too much", text, 1 + name_size);
        memcpy(made + n, is_hole ? argument : macro->body + i, more);
        n += more;
        i += is_hole ? 2 : 1;
    }
    s->n_expanded += n;
    if (s->n_expanded > MAX_EXPANDED)
        return refuse_word(s, "a command that makes too much", text, 1 + name_size);
    *used = (size_t)(close + 1 - text);
    return add_words_of(s, sort, made, n, depth + 1);
}

/* Words and macros in a text without comments. */
static ninho_status add_words_of(struct source *s, enum sort sort, const uint8_t *text,
                                 size_t size, unsigned depth)
{
    for (size_t i = 0; i < size;) {
        ninho_status status;
        size_t n = 0;
        if (hy_is_blank(text[i])) {
            i++;
            continue;
        }
        if (text[i] == '\\') {
            status = expand(s, sort, text + i, size - i, depth, &n);
        } else {
            while (i + n < size && !hy_is_blank(text[i + n]) && text[i + n] != '\\')
                n++;
            status = add_tex_word(s, sort, text + i, n);
        }
        if (status)
            return status;
        i += n;
    }
    return NINHO_OK;
}

/* \patterns{...} or \hyphenation{...}, from the sign after the name. */
static ninho_status read_braces(struct source *s, enum sort sort)
{
    const uint32_t opened = s->line;

    pass_space(s);
    if (s->at == s->end || *s->at != '{')
        return refuse(s, sort == PATTERN ? "\\patterns without {"
                                         : "\\hyphenation without {");
    s->at++;
    for (;;) {
        pass_space(s);
        if (s->at == s->end)
            return refuse_at(s, opened,
                             sort == PATTERN ? "\\patterns{ is not closed"
                                             : "\\hyphenation{ is not closed");
        if (*s->at == '}') {
            s->at++;
            return NINHO_OK;
        }
        if (*s->at == '{')
            return refuse(s, "{ inside a list");
        const uint8_t *word = s->at;
        ninho_status status;
        if (*word == '\\') {
            size_t used = 0;
            const uint8_t *end = memchr(word, '\n', (size_t)(s->end - word));
            status =
                expand(s, sort, word, (size_t)((end ? end : s->end) - word), 0, &used);
            s->at += used;
        } else {
            while (s->at < s->end && !hy_is_blank(*s->at) && !strchr("%{}\\", *s->at))
                s->at++;
            if (s->at == word) /* strchr finds the NUL too */
                return refuse(s, "a NUL byte");
            status = add_tex_word(s, sort, word, (size_t)(s->at - word));
        }
        if (status)
            return status;
    }
}

/* {...}, braces inside it paired, from the sign before which space may stand. */
static ninho_status pass_group(struct source *s, const uint8_t **body, size_t *size)
{
    const uint32_t opened = s->line;
    unsigned depth = 0;

    pass_space(s);
    if (s->at == s->end || *s->at != '{')
        return refuse(s, "a command without {...}");
    *body = s->at + 1;
    for (; s->at < s->end; s->at++) {
        if (*s->at == '\n')
            s->line++;
        if (*s->at == '{')
            depth++;
        if (*s->at == '}' && --depth == 0) {
            *size = (size_t)(s->at - *body);
            s->at++;
            return NINHO_OK;
        }
    }
    return refuse_at(s, opened, "{ is not closed");
}

/* \def\name#1{body}: what some files abbreviate their patterns with. */
static ninho_status read_definition(struct source *s)
{
    struct macro macro = {0};

    pass_space(s);
    if (s->at == s->end || *s->at != '\\')
        return refuse(s, "\\def without a name");
    macro.name_size = read_name(s, &macro.name);
    if (macro.name_size == 0 || !hy_is_alpha(macro.name[0]))
        return refuse(s, "\\def without a name");
    if (s->end - s->at < 2 || memcmp(s->at, "#1", 2) != 0)
        return refuse(s, "\\def of anything but one argument is not read");
    s->at += 2;
    if (s->at == s->end || *s->at != '{')
        return refuse(s, "\\def of anything but one argument is not read");
    const ninho_status status = pass_group(s, &macro.body, &macro.body_size);
    if (status)
        return status;
    if (memchr(macro.body, '%', macro.body_size))
        return refuse(s, "a comment inside \\def");
    if (s->n_macros == sizeof s->macros / sizeof s->macros[0])
        return refuse(s, "too many \\def");
    s->macros[s->n_macros++] = macro;
    return NINHO_OK;
}

static void pass_digits(struct source *s, unsigned base)
{
    while (s->at < s->end) {
        const bool is_large_hex = base == 16 && *s->at >= 'A' && *s->at <= 'F';
        const int value = hex_value(*s->at);
        if (!is_large_hex && (value < 0 || value >= (int)base || *s->at >= 'a'))
            return;
        s->at++;
    }
}

/* One sign behind a backquote, with or without a backslash: `a `\' `\^^e9. */
static bool pass_sign(struct source *s)
{
    uint32_t point;
    const bool has_backslash = s->at < s->end && *s->at == '\\';

    s->at += has_backslash;
    const size_t left = (size_t)(s->end - s->at);
    if (left == 0 || *s->at < ' ' || (*s->at == '%' && !has_backslash))
        return false;
    size_t used = *s->at == '^' ? read_carets(s->at, left, &point) : 0;
    if (used == 0)
        used = na_utf8_read(s->at, left, &point);
    s->at += used;
    return used > 0;
}

/* A number as TeX writes it: 39, "27, '47, or a sign. */
static bool pass_number(struct source *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
        s->at++;
    if (s->at == s->end)
        return false;
    if (*s->at == '`') {
        s->at++;
        return pass_sign(s);
    }
    const unsigned base = *s->at == '"' ? 16 : *s->at == '\'' ? 8 : 10;
    s->at += base != 10;
    const uint8_t *digits = s->at;
    pass_digits(s, base);
    return s->at > digits;
}

/* \lccode`\'=`\' and the like, behind the name: a number, "=", a number. */
static ninho_status pass_assignment(struct source *s, const uint8_t *start)
{
    bool is_good = pass_number(s);

    while (is_good && s->at < s->end && *s->at == ' ')
        s->at++;
    is_good = is_good && s->at < s->end && *s->at == '=';
    if (is_good) {
        s->at++;
        is_good = pass_number(s);
    }
    if (is_good)
        return NINHO_OK;
    while (s->at < s->end && !hy_is_blank(*s->at))
        s->at++;
    return refuse_word(s, "an assignment that is not NUMBER=NUMBER", start,
                       (size_t)(s->at - start));
}

/* \input hyph-no.tex, as the files of the two Norwegians have it. */
static ninho_status refuse_input(struct source *s)
{
    pass_space(s);
    const uint8_t *file = s->at;
    while (s->at < s->end && !hy_is_blank(*s->at) && *s->at != '%' && *s->at != '\\')
        s->at++;
    return refuse_word(s, "\\input is not followed; give the file that it names", file,
                       (size_t)(s->at - file));
}

static ninho_status read_command(struct source *s, bool *is_end)
{
    static const char *const passed[] = {"begingroup", "endgroup", "bgroup", "egroup",
                                         "relax"};
    const uint8_t *name, *body;
    const uint8_t *start = s->at;
    size_t body_size;
    const size_t size = read_name(s, &name);

    if (is_label(name, size, "patterns"))
        return read_braces(s, PATTERN);
    if (is_label(name, size, "hyphenation"))
        return read_braces(s, EXCEPTION);
    if (is_label(name, size, "message"))
        return pass_group(s, &body, &body_size);
    if (is_label(name, size, "def") || is_label(name, size, "edef"))
        return read_definition(s);
    if (is_label(name, size, "lccode") || is_label(name, size, "uccode") ||
        is_label(name, size, "catcode"))
        return pass_assignment(s, start);
    if (is_label(name, size, "endinput")) {
        *is_end = true;
        return NINHO_OK;
    }
    if (is_label(name, size, "input"))
        return refuse_input(s);
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
        if (is_label(name, size, passed[i]))
            return NINHO_OK;
    return refuse_word(s, "unknown command", start, 1 + size);
}

static ninho_status read_tex(struct source *s)
{
    bool is_end = false;

    for (;;) {
        pass_space(s);
        if (s->at == s->end || is_end)
            return NINHO_OK;
        if (*s->at != '\\') {
            const uint8_t *word = s->at;
            while (s->at < s->end && !hy_is_blank(*s->at))
                s->at++;
            return refuse_word(s, "text outside \\patterns{} and \\hyphenation{}", word,
                               (size_t)(s->at - word));
        }
        const ninho_status status = read_command(s, &is_end);
        if (status)
            return status;
    }
}

/* ---- libhyphen's .dic -------------------------------------------------------------- */

/* Takes "NAME rest" apart: whether the line begins with that name. */
static bool is_keyword(const uint8_t *line, size_t size, const char *keyword)
{
    const size_t length = strlen(keyword);
    return size >= length && memcmp(line, keyword, length) == 0 &&
           (size == length || hy_is_blank(line[length]));
}

static ninho_status read_minimum(struct source *s, const uint8_t *line, size_t size,
                                 const char *keyword, unsigned *out)
{
    const unsigned value = number_after(line, size, keyword);
    if (value == 0)
        return refuse_word(s, "a minimum that is not 1 to 63", line, size);
    *out = value;
    return NINHO_OK;
}

/* A pattern in the file's charset; `upper` is NULL for UTF-8. */
static ninho_status add_dic_pattern(struct source *s, const uint8_t *line, size_t size,
                                    const uint16_t *upper)
{
    uint8_t text[3 * (2 * HY_MAX_ITEM + 2)];
    size_t n = 0;

    if (memchr(line, '/', size))
        return refuse_word(s, "a pattern that changes letters is not supported", line,
                           size);
    for (size_t i = 0; i < size; i++)
        if (hy_is_blank(line[i]))
            return refuse_word(s, "a space in a pattern", line, size);
    if (!upper)
        return add_word(s, PATTERN, line, size);
    for (size_t i = 0; i < size; i++) {
        const uint32_t point = line[i] < 0x80 ? line[i] : upper[line[i] - 0x80];
        if (point == 0)
            return refuse(s, "a byte that the charset does not have");
        if (n + 3 > sizeof text)
            return refuse(s, "a pattern of more than 63 letters");
        n += na_utf8_write(point, text + n);
    }
    return add_word(s, PATTERN, text, n);
}

static ninho_status read_dic_line(struct source *s, const uint8_t *line, size_t size,
                                  const uint16_t *upper, const struct hy_mark *mark)
{
    ninho_hyphen_minima *minima = &s->rules->minima;

    if (size == 0 || line[0] == '%' || line[0] == '#')
        return NINHO_OK;
    if (is_keyword(line, size, "LEFTHYPHENMIN"))
        return read_minimum(s, line, size, "LEFTHYPHENMIN", &minima->left);
    if (is_keyword(line, size, "RIGHTHYPHENMIN"))
        return read_minimum(s, line, size, "RIGHTHYPHENMIN", &minima->right);
    if (is_keyword(line, size, "COMPOUNDLEFTHYPHENMIN") ||
        is_keyword(line, size, "COMPOUNDRIGHTHYPHENMIN") ||
        is_keyword(line, size, "NOHYPHEN"))
        return NINHO_OK;
    if (is_keyword(line, size, "NEXTLEVEL")) {
        struct hy_mark level = *mark; /* the minima and the name stay */
        level.minima = *minima;
        level.n_files = s->rules->files.n;
        hy_rules_roll_back(s->rules, &level);
        return NINHO_OK;
    }
    return add_dic_pattern(s, line, size, upper);
}

static ninho_status read_dic(struct source *s)
{
    const struct hy_mark mark = hy_rules_mark(s->rules);
    const uint16_t *upper = NULL;
    bool is_first = true;

    while (s->at < s->end) {
        const uint8_t *line = s->at;
        pass_line(s);
        const uint8_t *end = s->at;
        while (end > line && hy_is_blank(end[-1]))
            end--;
        const size_t size = (size_t)(end - line);
        ninho_status status = NINHO_OK;
        if (is_first) {
            is_first = false;
            upper = hy_charset((const char *)line, size);
            if (!upper && !is_label(line, size, "UTF-8"))
                return refuse_word(s, "a charset that is not known", line, size);
        } else {
            status = read_dic_line(s, line, size, upper, &mark);
        }
        if (status)
            return status;
        if (s->at < s->end)
            pass_blank(s);
    }
    return NINHO_OK;
}

/* ---- All of them ------------------------------------------------------------------- */

static ninho_status read_text(struct source *s, ninho_hyphen_format format)
{
    switch (format) {
    case NINHO_HYPHEN_PATTERNS:
        return read_words(s, PATTERN);
    case NINHO_HYPHEN_EXCEPTIONS:
        return read_words(s, EXCEPTION);
    case NINHO_HYPHEN_TEX:
        return read_tex(s);
    case NINHO_HYPHEN_DIC:
        return read_dic(s);
    }
    return na_fail(s->error, NINHO_ERR_ARG, "%s: unknown format %d", s->name,
                   (int)format);
}

ninho_status ninho_hyphen_rules_read(ninho_hyphen_rules *rules,
                                     ninho_hyphen_format format, const char *name,
                                     const void *text, size_t size, ninho_error *error)
{
    static const uint8_t byte_order_mark[] = {0xEF, 0xBB, 0xBF};
    const struct hy_mark mark = hy_rules_mark(rules);
    const uint8_t *bytes = text ? text : (const uint8_t *)"";
    char shown[NAME_ROOM];

    if (!text)
        size = 0;
    if (!name)
        name = "-";
    struct source source = {.rules = rules,
                            .name = name_shown(name, shown),
                            .at = bytes,
                            .end = bytes + size,
                            .line = 1,
                            .error = error};

    if (size >= 3 && memcmp(bytes, byte_order_mark, 3) == 0)
        source.at += 3;
    ninho_status status = hy_rules_add_file(rules, name, &source.file);
    if (status)
        (void)no_memory(&source);
    else
        status = read_text(&source, format);
    if (status)
        hy_rules_roll_back(rules, &mark);
    else
        hy_rules_commit(rules);
    return status;
}

/* Whether `name` ends with `ending`, whatever the case of its letters. */
static bool ends_with(const char *name, const char *ending)
{
    const size_t size = strlen(name), length = strlen(ending);

    if (size < length)
        return false;
    for (size_t i = 0; i < length; i++) {
        const char c = name[size - length + i];
        if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != ending[i])
            return false;
    }
    return true;
}

ninho_hyphen_format ninho_hyphen_format_of(const char *file_name)
{
    static const struct {
        const char *ending;
        ninho_hyphen_format format;
    } endings[] = {{".pat.txt", NINHO_HYPHEN_PATTERNS},
                   {".hyp.txt", NINHO_HYPHEN_EXCEPTIONS},
                   {".tex", NINHO_HYPHEN_TEX},
                   {".dic", NINHO_HYPHEN_DIC}};

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (ends_with(file_name, endings[i].ending))
            return endings[i].format;
    return (ninho_hyphen_format)0;
}

ninho_status ninho_hyphen_rules_read_file(ninho_hyphen_rules *rules,
                                          ninho_hyphen_format format, const char *path,
                                          ninho_error *error)
{
    struct na_bytes bytes;
    char shown[NAME_ROOM];
    ninho_error why = NINHO_ERROR_INIT;

    if (format == 0)
        format = ninho_hyphen_format_of(path);
    if (format == 0)
        return na_fail(error, NINHO_ERR_ARG,
                       "%s: not .pat.txt, .hyp.txt, .tex or .dic: say which format it is",
                       name_shown(path, shown));
    ninho_status status =
        na_file_read(&rules->alloc, path, NINHO_HYPHEN_MAX_FILE, &bytes, &why);
    if (status) {
        (void)ninho_error_set(error, status, "%s: %s", name_shown(path, shown), why.text);
        if (error)
            error->system_errno = why.system_errno;
        return status;
    }
    status = ninho_hyphen_rules_read(rules, format, path, bytes.data, bytes.size, error);
    na_bytes_free(&rules->alloc, &bytes);
    return status;
}
