/* SPDX-License-Identifier: MIT */
/* Hyphenation after Knuth and Liang: where a word may be broken at the end of a line. The
 * answers are TeX's, for the same patterns, exceptions and minima.
 *
 * Three objects:
 *
 *   rules        what pattern files say: read texts into it, change it, throw it away
 *   language     the rules made into an automaton: never changes, shared by all threads, saved
 *                to one file, opened or mapped in no time
 *   hyphenator   a language, perhaps a store of exceptions beside it (exceptions.h), and
 *                counters: one for each thread
 *
 *   texts --read--> rules --compile--> language --save--> file --open, map--> language
 *                                         |
 *                 exceptions (a store) ---+--> hyphenator --> breaks of a word, text, stream
 *
 * What is a word to TeX, and so here:
 *   - What comes before the first letter is passed over. The first run of letters is
 *     hyphenated, and whatever ends it, a digit say, leaves the rest alone: chil-dren's,
 *     col-or/colour.
 *   - A letter is a letter or combining mark of Unicode, or any other sign that the language's
 *     patterns use as one, such as the apostrophe of French. "-" and "." never are.
 *   - A word with "-" anywhere in it has no breaks. Nor has one with a soft hyphen (U+00AD) in
 *     it, since its writer has said where they are, nor one that is not UTF-8 throughout.
 *   - Capitals match as small letters (Unicode's simple mapping, whatever the locale).
 *   - Only the first 63 letters count: a longer run is hyphenated as if it ended there. See
 *     ninho_hyphen_options.max_letters.
 *   - An exception replaces what the patterns say; the minima hold for it too.
 *   - There is no break before a combining mark, whatever the patterns say.
 *
 * Sizes are in bytes, words in UTF-8; nothing needs a NUL at its end unless it is said. */
#ifndef NINHO_HYPHEN_H
#define NINHO_HYPHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Rules: patterns, exceptions, minima ------------------------------------------- */

typedef struct ninho_hyphen_rules ninho_hyphen_rules;

/* What a text is. All are UTF-8, with or without a byte order mark, lines ended by LF or CRLF;
 * a .dic may also be in ISO8859-1, -2, -7, -9, -13, -15, KOI8-R, KOI8-U or microsoft-cp1251, as its
 * first line says.
 *
 *   patterns     TeX's .pat.txt: patterns between white space, such as .ach4
 *   exceptions   TeX's .hyp.txt: words with their breaks, such as ta-ble. White space parts
 *                words, as in TeX: an entry with a space in it is two entries.
 *   tex          hyph-*.tex, ushyphex.tex, hyphen.tex: \patterns{...} and \hyphenation{...}, in
 *                each of which only patterns or words, comments, and TeX's ^^ notation may
 *                stand, and macros of one argument that the file has defined by \def or \edef
 *                (Esperanto's does). Outside them, what such files have is passed over: comments,
 *                \message{..}, \relax, \begingroup, \endgroup, \bgroup, \egroup, \endinput (which
 *                ends the file), and assignments of \lccode, \catcode and \uccode, NUMBER=NUMBER
 *                (39, "27, '47, `\x). Another command is refused, \input too.
 *                "% left: N" and "% right: N" below "% hyphenmins: typesetting:" are the minima.
 *   dic          libhyphen's .dic: its charset in the first line, LEFTHYPHENMIN and
 *                RIGHTHYPHENMIN, patterns; "%" and "#" begin comments. What only libhyphen does
 *                is not done: COMPOUNDLEFTHYPHENMIN, COMPOUNDRIGHTHYPHENMIN and NOHYPHEN are
 *                passed over; patterns that change letters ("/...") are refused; of two levels
 *                (NEXTLEVEL) the second, which holds the ordinary patterns, is taken and what
 *                was read of the first dropped.
 */
typedef enum ninho_hyphen_format {
    NINHO_HYPHEN_PATTERNS = 1,
    NINHO_HYPHEN_EXCEPTIONS = 2,
    NINHO_HYPHEN_TEX = 3,
    NINHO_HYPHEN_DIC = 4
} ninho_hyphen_format;

/* The format that a file name tells: .pat.txt, .hyp.txt, .tex, .dic, in any case of letters; 0
 * for others. Any thread. */
NINHO_API ninho_hyphen_format ninho_hyphen_format_of(const char *file_name);

/* Empty rules; *out is the caller's, to be freed with ninho_hyphen_rules_free().
 * NINHO_ERR_NOMEM. `alloc` may be NULL; it is copied. */
NINHO_API ninho_status ninho_hyphen_rules_create(const ninho_alloc *alloc,
                                                 ninho_hyphen_rules **out);
NINHO_API void ninho_hyphen_rules_free(ninho_hyphen_rules *rules);

/* Reads a text and adds what it says: patterns, exceptions, minima. A pattern or exception
 * whose letters were there before takes the place of the older one. `name` is for messages:
 * NINHO_ERR_FORMAT, with error->text "NAME:LINE: what is wrong", when the text is not what
 * `format` says; NINHO_ERR_NOMEM; NINHO_ERR_ARG for an unknown format. On failure the rules are
 * what they were. An empty text is fine and says nothing. */
NINHO_API ninho_status ninho_hyphen_rules_read(ninho_hyphen_rules *rules,
                                               ninho_hyphen_format format,
                                               const char *name, const void *text,
                                               size_t size, ninho_error *error);

/* The same for a file; format 0: what its name tells, NINHO_ERR_ARG if that is nothing. Every
 * message begins with the path.
 * NINHO_ERR_IO; a file of more than NINHO_HYPHEN_MAX_FILE bytes, or one that is not a regular
 * file, is NINHO_ERR_FORMAT. */
#define NINHO_HYPHEN_MAX_FILE ((size_t)64 << 20)
NINHO_API ninho_status ninho_hyphen_rules_read_file(ninho_hyphen_rules *rules,
                                                    ninho_hyphen_format format,
                                                    const char *path, ninho_error *error);

/* Adds one exception: a word with "-" where it may be broken, or none. NINHO_ERR_ARG (error
 * says why): not UTF-8, no letter or more than 63, a sign that no language has as a letter.
 * NINHO_ERR_NOMEM. */
NINHO_API ninho_status ninho_hyphen_rules_add_exception(ninho_hyphen_rules *rules,
                                                        const char *word, size_t size,
                                                        ninho_error *error);

/* Takes all exceptions out. */
NINHO_API void ninho_hyphen_rules_clear_exceptions(ninho_hyphen_rules *rules);

NINHO_API size_t ninho_hyphen_rules_count_patterns(const ninho_hyphen_rules *rules);
NINHO_API size_t ninho_hyphen_rules_count_exceptions(const ninho_hyphen_rules *rules);

/* The index-th exception, in small letters and with its hyphens: "ta-ble". Copies it with a NUL
 * to word[0..capacity) and returns its length, as snprintf does; 0 past the last. A capacity of
 * NINHO_HYPHEN_MAX_EXCEPTION is always enough. */
#define NINHO_HYPHEN_MAX_EXCEPTION 320
NINHO_API size_t ninho_hyphen_rules_exception(const ninho_hyphen_rules *rules,
                                              size_t index, char *word, size_t capacity);

/* The fewest letters before the first break and after the last one. */
typedef struct ninho_hyphen_minima {
    unsigned left;
    unsigned right;
} ninho_hyphen_minima;

/* What the texts said last; 0 where none said anything. */
NINHO_API ninho_hyphen_minima ninho_hyphen_rules_minima(const ninho_hyphen_rules *rules);

/* ---- A language -------------------------------------------------------------------- */

typedef struct ninho_hyphen_language ninho_hyphen_language;

#define NINHO_HYPHEN_TEX_LETTERS   63   /* TeX's limit, and the default */
#define NINHO_HYPHEN_MAX_LETTERS   1024 /* ours */
#define NINHO_HYPHEN_MAX_BREAKS    NINHO_HYPHEN_MAX_LETTERS
#define NINHO_HYPHEN_MAX_NAME      31
#define NINHO_HYPHEN_DEFAULT_LEFT  2
#define NINHO_HYPHEN_DEFAULT_RIGHT 3
#define NINHO_HYPHEN_MAX_MINIMUM   63

typedef enum ninho_hyphen_inclusion {
    NINHO_HYPHEN_COMPILED = 0, /* exceptions become part of the automaton */
    NINHO_HYPHEN_LEFT_OUT = 1  /* they are for a store, or for nobody */
} ninho_hyphen_inclusion;

/* How to compile. Start from NINHO_HYPHEN_OPTIONS_INIT; NULL means all defaults. */
typedef struct ninho_hyphen_options {
    size_t size_of_struct;
    const char *name; /* of the language, "en-us" say; kept in the file; NULL: "" */
    /* 0: what the rules' texts said, or 2 and 3. At most 63. As in TeX, less than 1 counts as
     * 1, so "none" is 1. */
    ninho_hyphen_minima minima;
    ninho_hyphen_inclusion exceptions;
    /* how much of a long word counts: 1 .. 1024; 0: 63, as in TeX. For languages that are
     * written without spaces. */
    unsigned max_letters;
} ninho_hyphen_options;
#define NINHO_HYPHEN_OPTIONS_INIT NINHO_INIT_(ninho_hyphen_options)

/* Makes a language; *out is the caller's, to be freed with ninho_hyphen_language_free(). The
 * rules are not kept. Rules without a pattern are fine. NINHO_ERR_ARG (options; the error says
 * which), NINHO_ERR_FORMAT (an exception has a sign that is no letter in this language: the
 * error says which, with file and line), NINHO_ERR_NOMEM (also for rules that would take
 * more than 2^27 bytes), NINHO_ERR_FULL (more than 32,768 different sets of levels, which takes
 * tens of thousands of exceptions: leave them out, for a store). `alloc` may be NULL; it is copied. */
NINHO_API ninho_status ninho_hyphen_compile(const ninho_hyphen_rules *rules,
                                            const ninho_hyphen_options *options,
                                            const ninho_alloc *alloc,
                                            ninho_hyphen_language **out,
                                            ninho_error *error);
NINHO_API void ninho_hyphen_language_free(ninho_hyphen_language *language);

/* Whether every exception of the rules could ever be found by this language. NINHO_ERR_FORMAT if one
 * has a sign that is no letter in it: the error says which, with file and line. For a store of
 * exceptions, which takes any; what is compiled in has been checked. Any thread. */
NINHO_API ninho_status
ninho_hyphen_check_exceptions(const ninho_hyphen_language *language,
                              const ninho_hyphen_rules *rules, ninho_error *error);

/* Other minima, 1 .. 63 (0: leave that one). Before the language is shared, not while others
 * use it. NINHO_ERR_ARG. A mapped language can be changed so too; its file is not. */
NINHO_API ninho_status ninho_hyphen_set_minima(ninho_hyphen_language *language,
                                               ninho_hyphen_minima minima);

typedef struct ninho_hyphen_info {
    size_t size_of_struct; /* set by the caller: NINHO_HYPHEN_INFO_INIT */
    char name[NINHO_HYPHEN_MAX_NAME + 1];
    ninho_hyphen_minima minima;
    unsigned max_letters;
    size_t n_patterns;
    size_t n_exceptions; /* compiled in */
    size_t n_letters;    /* of the alphabet */
    size_t n_states;     /* of the automaton */
    size_t size_bytes;   /* of the file */
    size_t memory_bytes; /* taken by the language, a mapped file counted in */
    bool is_mapped;
} ninho_hyphen_info;
#define NINHO_HYPHEN_INFO_INIT NINHO_INIT_(ninho_hyphen_info)

/* NINHO_ERR_ARG for a size_of_struct of 0. Any thread. */
NINHO_API ninho_status ninho_hyphen_info_of(const ninho_hyphen_language *language,
                                            ninho_hyphen_info *info);

/* ---- Files ------------------------------------------------------------------------- */

/* One file for a language, laid out as it lies in memory (compiled.h draws it), little-endian,
 * checksummed. */

/* Writes the file's bytes to bytes[0..capacity). *size (may be NULL) is always the size needed;
 * NINHO_ERR_SPACE if capacity is smaller, and then nothing is written. */
NINHO_API ninho_status ninho_hyphen_encode(const ninho_hyphen_language *language,
                                           void *bytes, size_t capacity, size_t *size);

/* A language of its own from such bytes, which are not kept. Every number and the checksum are
 * checked first. NINHO_ERR_FORMAT, VERSION, CHECKSUM, NOMEM. */
NINHO_API ninho_status ninho_hyphen_decode(const void *bytes, size_t size,
                                           const ninho_alloc *alloc,
                                           ninho_hyphen_language **out,
                                           ninho_error *error);

/* Writes a file, which is replaced whole or not at all, as <ninho/file.h> says. NINHO_ERR_IO,
 * NINHO_ERR_ARG for what is no regular file, NINHO_ERR_NOMEM, and nothing is left behind. */
NINHO_API ninho_status ninho_hyphen_save(const ninho_hyphen_language *language,
                                         const char *path, ninho_error *error);

/* Reads a file, as ninho_hyphen_decode() does; error->text does not repeat the path. */
NINHO_API ninho_status ninho_hyphen_open(const char *path, const ninho_alloc *alloc,
                                         ninho_hyphen_language **out, ninho_error *error);

/* Maps a file instead: its pages are shared between processes. The same checks are made, so it
 * reads the file once. The file must not be truncated or changed in place while it is mapped;
 * ninho_hyphen_save() never does that. */
NINHO_API ninho_status ninho_hyphen_map(const char *path, const ninho_alloc *alloc,
                                        ninho_hyphen_language **out, ninho_error *error);

/* Whether the bytes begin as such a file does. Any thread. */
NINHO_API bool ninho_hyphen_is_compiled(const void *bytes, size_t size);

/* ---- Words ------------------------------------------------------------------------- */

/* A place where a word may be broken: before the byte word[at]. `level` is the odd number that
 * won there, 1 .. 9: the higher, the surer the patterns were; or NINHO_HYPHEN_EXCEPTION where an
 * exception said so. */
typedef struct ninho_hyphen_break {
    size_t at;
    unsigned level;
} ninho_hyphen_break;
#define NINHO_HYPHEN_EXCEPTION 11

/* The breaks of a word, from left to right, by the language alone. Returns how many there are;
 * the first `capacity` of them are written (breaks may be NULL if that is 0). There are never
 * more than NINHO_HYPHEN_MAX_BREAKS. Never allocates, never fails. Any thread. */
NINHO_API size_t ninho_hyphen_word(const ninho_hyphen_language *language,
                                   const void *word, size_t size,
                                   ninho_hyphen_break *breaks, size_t capacity);

typedef struct ninho_hyphen_exceptions ninho_hyphen_exceptions; /* exceptions.h */
typedef struct ninho_hyphenator ninho_hyphenator;

/* A hyphenator over a language and, unless NULL, a store of exceptions, both of which it
 * borrows: they must outlive it. What the store says of a word goes before what the language
 * says. *out is the caller's, to be freed with ninho_hyphenator_free(). NINHO_ERR_NOMEM,
 * NINHO_ERR_IO (no place for one more reader in an LMDB store; error may be NULL).
 *
 * Threads: a hyphenator belongs to one thread at a time. Any number of them may use one language
 * and one store; the store is changed only while none of them is in use. */
NINHO_API ninho_status ninho_hyphenator_create(const ninho_hyphen_language *language,
                                               const ninho_hyphen_exceptions *exceptions,
                                               const ninho_alloc *alloc,
                                               ninho_hyphenator **out,
                                               ninho_error *error);
NINHO_API void ninho_hyphenator_free(ninho_hyphenator *hyphenator);

/* As ninho_hyphen_word(), with the store asked first. A store that cannot be read (an LMDB file
 * damaged under our feet) counts as one without the word: see ninho_hyphenator_status(). */
NINHO_API size_t ninho_hyphenator_word(ninho_hyphenator *hyphenator, const void *word,
                                       size_t size, ninho_hyphen_break *breaks,
                                       size_t capacity);

/* Writes the word with `mark` at each of its breaks to out[0..capacity) and returns the size
 * that takes; if that is more than capacity, nothing was written. It is never more than
 * ninho_hyphen_bound(size, mark_size). The mark may be empty. Each call counts, also one that
 * wrote nothing. */
NINHO_API size_t ninho_hyphenator_write(ninho_hyphenator *hyphenator, const void *word,
                                        size_t size, const void *mark, size_t mark_size,
                                        void *out, size_t capacity);

/* size + mark_size for each break there can be; SIZE_MAX if that is more than can be
 * addressed. Any thread. */
NINHO_API size_t ninho_hyphen_bound(size_t size, size_t mark_size);

/* NINHO_OK, or the first failure of the store since the hyphenator was made. */
NINHO_API ninho_status ninho_hyphenator_status(const ninho_hyphenator *hyphenator,
                                               ninho_error *error);

/* What happened so far. Without a store all but `words` and `breaks` are 0; without a filter
 * `lookups` is `asked`. */
typedef struct ninho_hyphen_counters {
    uint64_t words;           /* words given that have letters enough to be broken */
    uint64_t breaks;          /* found in them */
    uint64_t asked;           /* words that the store was to be asked for */
    uint64_t lookups;         /* of them looked up: the filter said maybe */
    uint64_t saved;           /* of them not looked up: the filter said certainly not */
    uint64_t found;           /* of the lookups: there is such an exception */
    uint64_t false_positives; /* of the lookups behind a filter: there is none */
} ninho_hyphen_counters;

NINHO_API ninho_hyphen_counters
ninho_hyphenator_counters(const ninho_hyphenator *hyphenator);
NINHO_API void ninho_hyphenator_reset_counters(ninho_hyphenator *hyphenator);

#ifdef __cplusplus
}
#endif

#endif
