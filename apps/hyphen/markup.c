/* SPDX-License-Identifier: MIT */
/* A machine over the bytes of HTML, which stops and goes on anywhere. It follows the standard's
 * tokenizer where it can matter for telling tags from text, and otherwise leaves more alone, not
 * less. */
#include "markup.h"

#include <string.h>

#include "unicode.h"

/* ---- Elements that are left alone -------------------------------------------------- */

static const struct {
    const char *name;
    bool is_raw;
} left_alone[] = {{"code", false},    {"pre", false},     {"script", true},
                  {"style", true},    {"textarea", true}, {"title", true},
                  {"kbd", false},     {"samp", false},    {"var", false},
                  {"math", false},    {"svg", false},     {"tt", false},
                  {"xmp", true},      {"iframe", true},   {"noembed", true},
                  {"noframes", true}, {"plaintext", true}};

/* Tags between which one word can go on are few in kind and many in number (<b>, <span>, <wbr>,
 * and those yet unheard of); these are the others, by name. */
static const char *const parting[] = {
    "address", "article", "aside",    "blockquote", "body",     "br",         "button",
    "caption", "center",  "col",      "colgroup",   "dd",       "details",    "dialog",
    "dir",     "div",     "dl",       "dt",         "fieldset", "figcaption", "figure",
    "footer",  "form",    "h1",       "h2",         "h3",       "h4",         "h5",
    "h6",      "head",    "header",   "hgroup",     "hr",       "html",       "img",
    "input",   "legend",  "li",       "link",       "main",     "menu",       "meta",
    "nav",     "ol",      "optgroup", "option",     "p",        "section",    "select",
    "summary", "table",   "tbody",    "td",         "tfoot",    "th",         "thead",
    "tr",      "ul",      "video"};

static bool does_part(const char *name)
{
    size_t low = 0;
    size_t high = sizeof parting / sizeof parting[0];

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(name, parting[middle]);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

static void open_element(struct hy_markup *m)
{
    if (hy_markup_skips(m)) {
        if (strcmp(m->skipped, m->name) == 0 && m->depth < UINT32_MAX)
            m->depth++;
        return;
    }
    for (size_t i = 0; i < sizeof left_alone / sizeof left_alone[0]; i++) {
        if (strcmp(left_alone[i].name, m->name) != 0)
            continue;
        memcpy(m->skipped, m->name, sizeof m->skipped);
        m->is_raw = left_alone[i].is_raw;
        m->depth = 1;
        m->has_parted = true;
    }
}

static void close_element(struct hy_markup *m)
{
    if (hy_markup_skips(m) && strcmp(m->skipped, m->name) == 0 && --m->depth == 0) {
        m->skipped[0] = '\0';
        m->is_raw = false;
    }
}

/* At the ">" of a tag. */
static void end_tag(struct hy_markup *m)
{
    m->state = HY_IN_TEXT;
    m->has_parted |= does_part(m->name);
    if (m->is_closing)
        close_element(m);
    else if (!m->after_slash)
        open_element(m);
}

/* ---- Tags -------------------------------------------------------------------------- */

static void begin_name(struct hy_markup *m, bool is_closing)
{
    m->state = HY_IN_NAME;
    m->name_size = 0;
    m->name[0] = '\0';
    m->is_closing = is_closing;
    m->after_equals = m->after_slash = false;
}

/* Each step takes one byte; false: the byte is not of the markup, and is to be seen again. */
static bool after_lt(struct hy_markup *m, uint8_t byte)
{
    if (byte == '/') {
        m->state = HY_AFTER_SLASH;
        return true;
    }
    if (!m->is_raw && hy_is_alpha(byte)) {
        begin_name(m, false);
        return false;
    }
    if (!m->is_raw && (byte == '!' || byte == '?')) {
        m->state = byte == '!' ? HY_AFTER_BANG : HY_IN_DECLARATION;
        m->n_seen = 0;
        return true;
    }
    m->state = HY_IN_TEXT;
    return false;
}

static bool after_slash(struct hy_markup *m, uint8_t byte)
{
    if (hy_is_alpha(byte)) {
        begin_name(m, true);
        return false;
    }
    m->state = m->is_raw ? HY_IN_TEXT : HY_IN_DECLARATION;
    return false;
}

static bool in_name(struct hy_markup *m, uint8_t byte)
{
    if (!hy_is_blank(byte) && byte != '/' && byte != '>') {
        if (m->name_size < HY_MAX_TAG) {
            m->name[m->name_size++] =
                (char)(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
            m->name[m->name_size] = '\0';
        }
        return true;
    }
    m->state = m->is_raw && strcmp(m->name, m->skipped) != 0 ? HY_IN_TEXT : HY_IN_TAG;
    return false;
}

static bool in_tag(struct hy_markup *m, uint8_t byte)
{
    if (byte == '>') {
        end_tag(m);
        return true;
    }
    if (m->after_equals && (byte == '"' || byte == '\''))
        m->state = byte == '"' ? HY_IN_DOUBLE : HY_IN_SINGLE;
    if (!hy_is_blank(byte)) {
        m->after_slash = byte == '/';
        m->after_equals = byte == '=';
    }
    return true;
}

/* ---- Comments and declarations ----------------------------------------------------- */

static bool after_bang(struct hy_markup *m, uint8_t byte)
{
    static const char cdata[] = "[CDATA[";

    if (m->n_seen == 0 && byte == '-') {
        m->n_seen = UINT8_MAX; /* one dash */
        return true;
    }
    if (m->n_seen == UINT8_MAX) {
        m->state = byte == '-' ? HY_IN_COMMENT : HY_IN_DECLARATION;
        m->n_seen = 2; /* <!--> is a whole comment */
        return byte == '-';
    }
    if (byte == (uint8_t)cdata[m->n_seen]) {
        if (cdata[++m->n_seen] == '\0') {
            m->state = HY_IN_CDATA;
            m->n_seen = 0;
        }
        return true;
    }
    m->state = HY_IN_DECLARATION;
    return false;
}

/* To two of `sign` and a ">". */
static bool in_section(struct hy_markup *m, uint8_t byte, uint8_t sign)
{
    if (byte == '>' && m->n_seen == 2)
        m->state = HY_IN_TEXT;
    if (byte == sign)
        m->n_seen = m->n_seen < 2 ? (uint8_t)(m->n_seen + 1) : 2;
    else
        m->n_seen = 0;
    return true;
}

static bool step(struct hy_markup *m, uint8_t byte)
{
    switch (m->state) {
    case HY_IN_TEXT:
        if (byte == '<')
            m->state = HY_AFTER_LT;
        return true;
    case HY_AFTER_LT:
        return after_lt(m, byte);
    case HY_AFTER_SLASH:
        return after_slash(m, byte);
    case HY_IN_NAME:
        return in_name(m, byte);
    case HY_IN_TAG:
        return in_tag(m, byte);
    case HY_IN_DOUBLE:
    case HY_IN_SINGLE:
        if (byte == (m->state == HY_IN_DOUBLE ? '"' : '\''))
            m->state = HY_IN_TAG;
        return true;
    case HY_AFTER_BANG:
        return after_bang(m, byte);
    case HY_IN_COMMENT:
        return in_section(m, byte, '-');
    case HY_IN_CDATA:
        return in_section(m, byte, ']');
    case HY_IN_DECLARATION:
        if (byte == '>')
            m->state = HY_IN_TEXT;
        return true;
    }
    return true;
}

const uint8_t *hy_markup_pass(struct hy_markup *m, const uint8_t *at, const uint8_t *end)
{
    bool has_begun = m->state != HY_IN_TEXT;

    while (at < end) {
        if (m->state == HY_IN_TEXT) {
            if (has_begun && (m->has_parted || !hy_markup_skips(m)))
                return at;
            /* what is skipped can be long */
            at = memchr(at, '<', (size_t)(end - at));
            if (!at)
                return end;
        }
        has_begun = true;
        if (step(m, *at))
            at++;
    }
    return at;
}

/* ---- Entities ---------------------------------------------------------------------- */

/* Those that stand between and around words; a word with another one in it is left alone. */
static const struct {
    const char *name;
    uint16_t point;
} entities[] = {
    {"amp", '&'},       {"lt", '<'},        {"gt", '>'},        {"quot", '"'},
    {"apos", '\''},     {"nbsp", 0xA0},     {"ensp", 0x2002},   {"emsp", 0x2003},
    {"thinsp", 0x2009}, {"shy", 0xAD},      {"ndash", 0x2013},  {"mdash", 0x2014},
    {"lsquo", 0x2018},  {"rsquo", 0x2019},  {"sbquo", 0x201A},  {"ldquo", 0x201C},
    {"rdquo", 0x201D},  {"bdquo", 0x201E},  {"laquo", 0xAB},    {"raquo", 0xBB},
    {"lsaquo", 0x2039}, {"rsaquo", 0x203A}, {"hellip", 0x2026}, {"middot", 0xB7},
    {"bull", 0x2022},   {"deg", 0xB0},      {"sect", 0xA7},     {"para", 0xB6},
    {"copy", 0xA9},     {"reg", 0xAE},      {"trade", 0x2122},  {"iexcl", 0xA1},
    {"iquest", 0xBF},   {"times", 0xD7},    {"euro", 0x20AC},   {"pound", 0xA3}};

static uint32_t digit_of(uint8_t byte, unsigned base)
{
    uint32_t digit = UINT32_MAX;

    if (byte >= '0' && byte <= '9')
        digit = byte - (uint32_t)'0';
    else if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f')
        digit = (byte | 0x20) - (uint32_t)'a' + 10;
    return digit < base ? digit : UINT32_MAX;
}

/* The number between "&#" and ";"; 0 if it is none, or none of Unicode's. */
static uint32_t numbered(const uint8_t *digits, size_t size)
{
    const bool is_hex = size > 0 && (digits[0] | 0x20) == 'x';
    uint32_t value = 0;

    for (size_t i = is_hex; i < size; i++) {
        const uint32_t digit = digit_of(digits[i], is_hex ? 16 : 10);
        if (digit == UINT32_MAX)
            return 0;
        value = value * (is_hex ? 16 : 10) + digit;
        if (value > 0x10FFFF)
            return 0;
    }
    return value;
}

size_t hy_entity(const uint8_t *bytes, size_t size, uint32_t *point)
{
    size_t n = 1;

    *point = 0;
    while (n < size && n < HY_MAX_ENTITY &&
           (hy_is_alpha(bytes[n]) || (bytes[n] >= '0' && bytes[n] <= '9') ||
            (n == 1 && bytes[n] == '#')))
        n++;
    if (n == 1 || n == size || bytes[n] != ';')
        return 0;
    if (bytes[1] == '#') {
        *point = numbered(bytes + 2, n - 2);
        return n + 1;
    }
    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++)
        if (strlen(entities[i].name) == n - 1 &&
            memcmp(entities[i].name, bytes + 1, n - 1) == 0)
            *point = entities[i].point;
    return n + 1;
}
