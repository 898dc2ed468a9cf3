/* SPDX-License-Identifier: MIT */
#include "options/options.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "options/nearest.h"

#if defined(__GNUC__)
#define PRINTF_LIKE(which, first) __attribute__((format(printf, which, first)))
#else
#define PRINTF_LIKE(which, first)
#endif

/* Long enough for any reason; longer values are cut in it. */
#define WHY_BYTES 400

#define HINT_BYTES 80

PRINTF_LIKE(2, 3)
static enum args_result wrong(struct args *args, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(args->why, sizeof args->why, format, arguments);
    va_end(arguments);
    return ARGS_WRONG;
}

/* Where an option is: in which table, at which place. */
struct found {
    const struct option *option; /* NULL: nowhere */
    size_t table, index;
};

static struct found find(const struct option *const *tables, const char *name,
                         size_t size, char letter)
{
    for (size_t t = 0; tables[t]; t++)
        for (size_t i = 0; tables[t][i].name; i++) {
            const struct option *option = &tables[t][i];
            if (name ? strlen(option->name) == size && !memcmp(option->name, name, size)
                     : letter && option->letter == letter)
                return (struct found){option, t, i};
        }
    return (struct found){NULL, 0, 0};
}

const struct option *option_find(const struct option *const *tables, const char *name,
                                 size_t size, char letter)
{
    return find(tables, name, size, letter).option;
}

char option_letter(const struct option *const *tables, const struct option *option)
{
    return find(tables, NULL, 0, option->letter).option == option ? option->letter : '\0';
}

bool args_given(const struct args *args, const char *name)
{
    const struct found found = find(args->tables, name, strlen(name), 0);

    return found.option && (args->given[found.table] >> found.index & 1);
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* An option was there, as `shown`, with a value where it takes one. */
static enum args_result take(struct args *args, const struct found *found,
                             const char *shown, const char *value, void *const *targets)
{
    const struct option *option = found->option;
    void *target = (char *)targets[found->table] + option->offset;
    const uint64_t bit = UINT64_C(1) << found->index;
    char why[WHY_BYTES] = "";

    assert(found->table < MAX_OPTION_TABLES && found->index < 64);
    if (args->given[found->table] & bit && !option->may_repeat)
        return wrong(args, "%s is given twice", shown);
    args->given[found->table] |= bit;
    if (!option->value)
        *(bool *)target = true;
    else if (!option->parse(option, value, target, why, sizeof why))
        return wrong(args, "%s %.100s: %s", shown, value[0] ? value : "''", why);
    return ARGS_READ;
}

/* The long option that was probably meant. */
static const char *hint(const struct args *args, const char *name, size_t size,
                        char *text, size_t text_size)
{
    struct nearest nearest = nearest_to(name, size);

    for (size_t t = 0; args->tables[t]; t++)
        for (const struct option *option = args->tables[t]; option->name; option++)
            nearest_try(&nearest, option->name);
    nearest_try(&nearest, "help");
    return nearest_hint(&nearest, "--", text, text_size);
}

/* Reads the long option at argv[*i]. */
static enum args_result read_long(struct args *args, int argc, char **argv, int *i,
                                  void *const *targets)
{
    const char *name = argv[*i] + 2;
    const size_t size = strcspn(name, "=");
    const char *value = name[size] ? name + size + 1 : NULL;
    char shown[80];
    char meant[HINT_BYTES];

    if (strcmp(name, "help") == 0)
        return ARGS_HELP;
    const struct found found = find(args->tables, name, size, 0);
    if (!found.option) {
        args->unknown = name;
        args->unknown_size = size;
        return wrong(args, "--%.*s: no such option%s", (int)(size < 100 ? size : 100),
                     name, hint(args, name, size, meant, sizeof meant));
    }
    (void)snprintf(shown, sizeof shown, "--%s", found.option->name);
    if (!found.option->value && value)
        return wrong(args, "%s takes no value", shown);
    if (found.option->value && !value) {
        if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0)
            return wrong(args, "%s needs a value: %s %s", shown, shown,
                         found.option->value);
        value = argv[++*i];
    }
    return take(args, &found, shown, value, targets);
}

/* Reads the bundle of letters at argv[*i]. A letter that takes a value ends it: the value is the
 * rest of the word, or the next one. */
static enum args_result read_letters(struct args *args, int argc, char **argv, int *i,
                                     void *const *targets)
{
    const char *word = argv[*i] + 1;
    const size_t size = strcspn(word, "=");

    /* -fpr would otherwise be -f and its value. */
    if (size > 1 && find(args->tables, word, size, 0).option)
        return wrong(args, "-%s: a name has two dashes (did you mean --%.*s?)", word,
                     (int)size, word);
    for (const char *letter = argv[*i] + 1; *letter; letter++) {
        const char shown[3] = {'-', *letter, '\0'};
        const char *value = NULL;
        if (*letter == 'h') {
            args->wants_short_help = true;
            return ARGS_HELP;
        }
        const struct found found = find(args->tables, NULL, 0, *letter);
        if (!found.option) {
            args->unknown_letter = *letter;
            return wrong(args, "%s: no such option", shown);
        }
        if (found.option->value) {
            if (!letter[1] && *i + 1 >= argc)
                return wrong(args, "%s needs a value: %s %s", shown, shown,
                             found.option->value);
            value = letter[1] ? letter + 1 : argv[++*i];
        }
        const enum args_result result = take(args, &found, shown, value, targets);
        if (result || value)
            return result;
    }
    return ARGS_READ;
}

enum args_result args_read(struct args *args, const struct option *const *tables,
                           int argc, char **argv, void *const *targets)
{
    bool is_options = true;

    *args = (struct args){.tables = tables, .operands = argv};
    for (int i = 0; i < argc; i++) {
        char *text = argv[i];
        enum args_result result = ARGS_READ;
        if (!is_options || text[0] != '-' || text[1] == '\0')
            args->operands[args->n_operands++] = text;
        else if (strcmp(text, "--") == 0)
            is_options = false;
        else if (text[1] == '-')
            result = read_long(args, argc, argv, &i, targets);
        else
            result = read_letters(args, argc, argv, &i, targets);
        if (result)
            return result;
    }
    return ARGS_READ;
}

/* ---- Help ---------------------------------------------------------------------------------- */

#define HELP_AT 26

const char *option_line(const struct option *option, const char *before, char *line,
                        size_t line_size)
{
    const int n = snprintf(line, line_size, "  %s--%s%s%s", before, option->name,
                           option->value ? " " : "", option->value ? option->value : "");

    if (n > 0 && (size_t)n < line_size)
        (void)snprintf(line + n, line_size - (size_t)n, "%*s%s\n",
                       n < HELP_AT - 1 ? HELP_AT - n : 2, "", option->help);
    return line;
}

void options_print(FILE *file, const struct option *const *tables,
                   const char *const *titles)
{
    for (size_t t = 0; tables[t]; t++) {
        if (titles[t])
            (void)fprintf(file, "%s\n", titles[t]);
        for (const struct option *option = tables[t]; option->name; option++) {
            char line[HELP_BYTES];
            (void)fputs(option_line(option, "", line, sizeof line), file);
        }
    }
    (void)fprintf(file, "  %-*shelp, and stop\n", HELP_AT - 2, "--help");
}

/* ---- Completion ---------------------------------------------------------------------------- */

/* The option that this word ends with, if it still needs a value: "--name" or "-xy". */
static const struct option *needs_value(const struct option *const *tables,
                                        const char *word)
{
    const struct option *option = NULL;

    if (word[0] != '-' || !word[1])
        return NULL;
    if (word[1] == '-') {
        option = option_find(tables, word + 2, strlen(word + 2), 0);
        return option && option->value ? option : NULL;
    }
    for (const char *letter = word + 1; *letter; letter++) {
        option = option_find(tables, NULL, 0, *letter);
        if (option && option->value)
            return letter[1] ? NULL : option;
    }
    return NULL;
}

struct offer options_expect(const struct option *const *tables, char *const *words,
                            size_t n_words)
{
    struct offer offer = {.what = OFFER_OPERAND, .typed = words[n_words - 1]};
    const struct option *option = NULL;

    for (size_t i = 0; i + 1 < n_words; i++) {
        if (!option && strcmp(words[i], "--") == 0)
            return offer;
        option = option ? NULL : needs_value(tables, words[i]);
    }
    if (option) {
        offer.what = OFFER_VALUE;
        offer.option = option;
    } else if (offer.typed[0] == '-') {
        const char *equals = strchr(offer.typed, '=');
        offer.what = OFFER_OPTION;
        if (equals && offer.typed[1] == '-') {
            offer.what = OFFER_VALUE;
            offer.option = option_find(tables, offer.typed + 2,
                                       (size_t)(equals - offer.typed) - 2, 0);
            offer.typed = equals + 1;
        }
    }
    return offer;
}

void offer_word(const struct offer *offer, const char *text, const char *help)
{
    if (strncmp(text, offer->typed, strlen(offer->typed)) == 0)
        (void)printf("%s\t%s\n", text, help ? help : "");
}

static void offer_value(const struct offer *offer)
{
    const struct option *option = offer->option;

    if (!option || !option->value)
        return;
    if (strcmp(option->value, "FILE") == 0 || strcmp(option->value, "LIST") == 0)
        (void)puts(":files");
    else if (strcmp(option->value, "DIR") == 0)
        (void)puts(":folders");
    for (size_t i = 0; option->words && option->words[i]; i++)
        offer_word(offer, option->words[i], NULL);
    for (size_t i = 0; option->word_at && option->word_at(i); i++)
        offer_word(offer, option->word_at(i), NULL);
}

void offer_option(const struct offer *offer, const struct option *option,
                  const struct option *const *tables)
{
    const char letter[3] = {'-', option_letter(tables, option), '\0'};
    char name[80];

    if (letter[1])
        offer_word(offer, letter, option->help);
    (void)snprintf(name, sizeof name, "--%s", option->name);
    offer_word(offer, name, option->help);
}

void offer_options(const struct offer *offer, const struct option *const *tables)
{
    if (offer->what == OFFER_VALUE)
        offer_value(offer);
    if (offer->what != OFFER_OPTION)
        return;
    for (size_t t = 0; tables[t]; t++)
        for (const struct option *option = tables[t]; option->name; option++)
            offer_option(offer, option, tables);
    offer_word(offer, "--help", "print help");
}
