/* SPDX-License-Identifier: MIT */
#include "peer_hyphen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

/* ---- npm ----------------------------------------------------------------------------------- */

#define SCRIPT  "bench/npm/hypher.js"
#define MODULES ".cache/npm/node_modules"

bool npm_is_there(void)
{
    return access(SCRIPT, R_OK) == 0 && access(MODULES "/hypher", R_OK) == 0 &&
           access(MODULES "/bloom-filters", R_OK) == 0 &&
           system("node --version >/dev/null 2>&1") == 0; /* NOLINT(cert-env33-c) */
}

double run_npm(void *context)
{
    const struct npm_peer *peer = context;
    char command[1024];
    double seconds = 0;
    unsigned long n_exceptions = 0;

    snprintf(command, sizeof command,
             "NODE_PATH=" MODULES " node " SCRIPT " '%s' '%s' %s", peer->words,
             peer->exceptions, peer->fpr);
    FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c) */
    if (!pipe)
        die("node: %s", strerror(errno));
    char line[200] = "";
    char *rest = NULL;
    if (fgets(line, sizeof line, pipe)) {
        seconds = strtod(line, &rest);
        n_exceptions = strtoul(rest, NULL, 10);
    }
    if (pclose(pipe) || !(seconds > 0) || n_exceptions == 0)
        die("%s: said '%s'", peer->name, line);
    return 1e9 * seconds / (double)peer->n_words;
}

/* ---- libhyphen ----------------------------------------------------------------------------- */

#ifdef HAVE_LIBHYPHEN
#include <hyphen.h>

#define OWN_DICTIONARY "/usr/share/hyphen/hyph_en_US.dic"

enum { MAX_WORD = 300 };

/* It is given small letters, made beforehand, and so a little less to do than ours. */
static double run(void *context)
{
    struct hyphen_peer *peer = context;
    char hyphens[MAX_WORD + 8];
    const char *word = peer->lower;
    char *out = peer->output;

    const double start = seconds_of_thread();
    for (size_t i = 0; i < peer->words->n; i++) {
        const int size = (int)peer->words->words[i].size;
        char **rep = NULL;
        int *pos = NULL;
        int *cut = NULL;
        if (hnj_hyphen_hyphenate2(peer->dictionary, word, size, hyphens, out, &rep, &pos,
                                  &cut))
            die("%s: failed on a word", peer->name);
        word += size + 1;
        out += strlen(out);
        *out++ = '\n';
        if (rep || pos || cut)
            die("%s: changes letters", peer->name);
    }
    return 1e9 * (seconds_of_thread() - start) / (double)peer->words->n;
}

static char *lower_words(const struct word_list *words)
{
    char *lower = allocate(words->n_bytes + 1, 1);
    char *at = lower;

    for (size_t i = 0; i < words->n; i++) {
        if (words->words[i].size > MAX_WORD)
            die("a word of more than %d bytes", MAX_WORD);
        for (size_t j = 0; j < words->words[i].size; j++) {
            const char c = words->words[i].text[j];
            *at++ = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
        }
        *at++ = '\0'; /* it reads on to there, whatever size it is told */
    }
    return lower;
}

/* TeX's patterns as libhyphen reads them. */
static void write_dictionary(const char *patterns_folder, const char *path)
{
    char source[1100];
    char line[256];

    snprintf(source, sizeof source, "%s/hyph-en-us.pat.txt", patterns_folder);
    FILE *in = fopen(source, "r");
    FILE *out = fopen(path, "w");
    if (!in || !out)
        die("%s: %s", in ? path : source, strerror(errno));
    fputs("UTF-8\nLEFTHYPHENMIN 2\nRIGHTHYPHENMIN 3\n", out);
    while (fgets(line, sizeof line, in))
        fputs(line, out);
    fclose(in);
    if (ferror(out) | fclose(out))
        die("%s: could not be written", path);
}

size_t list_hyphen_peers(struct hyphen_peer *peers, const char *patterns_folder,
                         const char *own_path, const struct word_list *words,
                         char *output)
{
    write_dictionary(patterns_folder, own_path);
    peers[0] =
        (struct hyphen_peer){.name = "libhyphen, its own patterns",
                             .ratio = "ninho, as it comes, than libhyphen",
                             .ratio_of_lines = "ninho, lines of a stream, than libhyphen",
                             .dictionary = hnj_hyphen_load(OWN_DICTIONARY)};
    peers[1] = (struct hyphen_peer){
        .name = "libhyphen, TeX's patterns",
        .ratio = "ninho, as it comes, than libhyphen, same patterns",
        .ratio_of_lines = "ninho, lines of a stream, than libhyphen, same patterns",
        .dictionary = hnj_hyphen_load(own_path)};
    for (size_t i = 0; i < 2; i++) {
        if (!peers[i].dictionary)
            die("%s: cannot load %s", peers[i].name, i ? own_path : OWN_DICTIONARY);
        peers[i].run = run;
        peers[i].words = words;
        peers[i].lower = lower_words(words);
        peers[i].output = output;
    }
    return 2;
}

void close_hyphen_peers(struct hyphen_peer *peers, size_t n_peers)
{
    for (size_t i = 0; i < n_peers; i++) {
        hnj_hyphen_free(peers[i].dictionary);
        free(peers[i].lower);
    }
}

#else

size_t list_hyphen_peers(struct hyphen_peer *peers, const char *patterns_folder,
                         const char *own_path, const struct word_list *words,
                         char *output)
{
    (void)peers;
    (void)patterns_folder;
    (void)own_path;
    (void)words;
    (void)output;
    return 0;
}

void close_hyphen_peers(struct hyphen_peer *peers, size_t n_peers)
{
    (void)peers;
    (void)n_peers;
}

#endif
