/* SPDX-License-Identifier: MIT */
/* ninho __complete WORD...: what the last word, which is being typed, may become. It is what the
 * shells' completions ask, so that there is one list of verbs, options and kinds. Each line is a
 * word, a tab and what it is for; or ":files" or ":folders", which the shell knows. */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "help.h"
#include "languages.h"

static void offer_verbs(const struct offer *offer)
{
    for (size_t i = 0; commands[i]; i++)
        offer_word(offer, commands[i]->name, help_of(commands[i]->name)->summary);
    offer_word(offer, "help", "print help");
}

/* The verb that the words before the last one name, and behind which it stands: *n_words are left,
 * from *words on. NULL: none yet. */
static const struct command *find_verb(const struct command *const *list, char ***words,
                                       size_t *n_words)
{
    for (size_t i = 0; i + 1 < *n_words; i++) {
        if ((*words)[i][0] == '-')
            continue;
        for (; *list; list++) {
            if (strcmp(word_behind(*list), (*words)[i]) != 0)
                continue;
            *words += i + 1;
            *n_words -= i + 1;
            return *list;
        }
        return NULL;
    }
    return NULL;
}

static void offer_languages(const struct offer *offer)
{
    struct folders folders = {.n = 0};
    struct language_list list = {.n = 0};

    if (!folders_find(&folders, NULL) && !languages_list(&folders, &list))
        for (size_t i = 0; i < list.n; i++)
            offer_word(offer, list.entries[i].name, NULL);
    languages_free(&list);
    folders_free(&folders);
}

/* Is it an option of one of the first n verbs? */
static bool is_offered(const struct command *const *list, size_t n, const char *name)
{
    bool is = false;

    for (size_t c = 0; c < n && !is; c++)
        is = option_find(list[c]->options, name, strlen(name), 0) != NULL;
    return is;
}

/* While none of the verbs behind one has been named: the options of all, each once. */
static void offer_options_behind(const struct offer *offer,
                                 const struct command *const *list)
{
    for (size_t c = 0; list[c]; c++)
        for (size_t t = 0; list[c]->options[t]; t++)
            for (const struct option *o = list[c]->options[t]; o->name; o++)
                if (!is_offered(list, c, o->name))
                    offer_option(offer, o, list[c]->options);
}

static void offer_operands(const struct offer *offer, const struct command *command)
{
    for (size_t c = 0; command->behind && command->behind[c]; c++)
        offer_word(offer, word_behind(command->behind[c]), NULL);
    if (!command->behind && !command->has_no_operands)
        (void)puts(":files");
}

static int complete(char **words, size_t n_words)
{
    const struct offer first = {.typed = words[n_words - 1]};
    const struct command *command = find_verb(commands, &words, &n_words);

    if (!command && first.typed[0] == '-') {
        offer_word(&first, "--help", "print help");
        offer_word(&first, "-V", "print the version");
        offer_word(&first, "--version", "print the version");
    }
    if (!command) {
        if (n_words == 1 || strcmp(words[0], "help") == 0)
            offer_verbs(&first);
        return EXIT_YES;
    }
    if (command->is_program) { /* it completes its own arguments */
        static char name[] = "__complete";
        words[-1] = name;
        return run_program(command, words - 1);
    }
    if (command->behind) {
        const struct command *one = find_verb(command->behind, &words, &n_words);
        command = one ? one : command;
    }
    const struct option *const *tables_of = command_tables(command);
    const struct offer offer = options_expect(tables_of, words, n_words);
    if (offer.what == OFFER_OPERAND)
        offer_operands(&offer, command);
    else if (offer.what == OFFER_VALUE && offer.option &&
             strcmp(offer.option->name, "lang") == 0)
        offer_languages(&offer);
    else
        offer_options(&offer, tables_of);
    if (offer.what == OFFER_OPTION && command->behind)
        offer_options_behind(&offer, command->behind);
    return EXIT_YES;
}

static int run(const struct command *command, int argc, char **argv)
{
    (void)command;
    return argc < 1 ? EXIT_ERROR : complete(argv, (size_t)argc);
}

static const struct option *const tables[] = {NULL};

const struct command cmd_complete = {.name = "__complete", .run = run, .options = tables};
