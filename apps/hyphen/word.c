/* SPDX-License-Identifier: MIT */
/* The breaks of one word: find its letters, ask for an exception, run the automaton.
 *
 * The places of a word are counted in symbols, edges included:
 *
 *      edge  c   h   i   l   d   edge
 *     0     1   2   3   4   5   6    7        place t is behind the t-th symbol
 *
 * so a break behind the i-th letter is at place i + 1. After each step the automaton's output
 * says which levels the last places get. Levels are kept as ones (compiled.h), those of the newest
 * seven places in one 64-bit word, so that a step's levels come in by one bitwise or; a place goes
 * to memory when it is seven steps old. Words that are only written, not told about, mostly do
 * without that memory: see "Writing in one pass". */
#include "word.h"

#include <string.h>

#include "apps/base/utf8.h"
#include "store.h"
#include "unicode.h"

/* For what is compiled twice, for flat automata and for sparse ones: which it is must be known
 * there, or every step would ask. */
#if defined(__GNUC__)
#define INLINED static inline __attribute__((always_inline))
#else
#define INLINED static inline
#endif

#define MAX_LETTERS  NINHO_HYPHEN_MAX_LETTERS
#define BEFORE       8 /* places before the first: levels[BEFORE + t] */
#define LEVEL_MASK   ((1u << HY_LEVEL_BITS) - 1)
#define BY_EXCEPTION (LEVEL_MASK + 1 + 1) /* one 1, so a break, and a bit that says why */

/* A word being looked at. Not initialised: 1,024 letters are more than most words have. */
struct word {
    const uint8_t *bytes;
    size_t start; /* of the run of letters */
    uint32_t n;   /* letters that count */
    bool is_ascii;
    uint32_t offsets[MAX_LETTERS + 1]; /* of letters from `start`, unless is_ascii */
    uint16_t levels[BEFORE + MAX_LETTERS + 16]; /* as ones */
};

/* Where the (i + 1)-th letter begins, for i < n. */
static size_t letter_at(const struct word *word, uint32_t i)
{
    return word->start + (word->is_ascii ? i : word->offsets[i]);
}

/* ---- Levels ------------------------------------------------------------------------ */

/* Whether a level is odd: its highest one is in bit 0, 2, 4, 6 or 8. */
static bool is_break(uint16_t level)
{
    return ((level ^ level >> 1) & 0x155) != 0;
}

static unsigned level_number(uint16_t level)
{
    unsigned n = 0;

    if (level > LEVEL_MASK)
        return NINHO_HYPHEN_EXCEPTION;
    for (; level; level = (uint16_t)(level >> 1))
        n += level & 1;
    return n;
}

/* The levels of a step that do not fit in its 64 bits: for `newest`, the place seven letters back,
 * and those before it, down to `oldest`. */
static void apply_tail(const ninho_hyphen_language *language,
                       const struct hy_output *output, uint16_t *newest, uint16_t *oldest)
{
    const uint8_t *tail = language->tail + output->tail_at;

    if (output->is_exception)
        return; /* at the end */
    for (ptrdiff_t k = 0; k < output->tail_n && k <= newest - oldest; k++)
        newest[-k] |= hy_ones(tail[k] <= 9 ? tail[k] : 9);
}

/* The levels of an exception that was compiled in. */
static void apply_exception(const ninho_hyphen_language *language,
                            const struct hy_output *output, struct word *word)
{
    const uint8_t *tail = language->tail + output->tail_at;
    uint16_t *behind = word->levels + BEFORE + 1;

    for (uint32_t k = 0; k <= word->n; k++)
        behind[word->n - k] = k < output->tail_n && tail[k] & 1 ? BY_EXCEPTION : 0;
}

/* ---- The automaton ----------------------------------------------------------------- */

/* A walk over the letters of a word. */
struct walk {
    uint64_t state;
    uint64_t recent; /* levels of the newest places */
    uint16_t *place; /* where the next one that is old enough goes */
};

INLINED struct walk walk_begin(const ninho_hyphen_language *language, struct word *word,
                               bool is_flat)
{
    const uint32_t output = hy_state_output(language->start, is_flat);
    return (struct walk){.state = language->start,
                         .recent = language->outputs[output].low,
                         .place = word->levels + BEFORE + 2 - HY_LOW_PLACES};
}

INLINED void walk_on(const ninho_hyphen_language *language, struct word *word,
                     struct walk *walk, uint32_t symbol, bool is_flat)
{
    walk->state = hy_step(language, is_flat, walk->state, symbol);
    const struct hy_output *output =
        &language->outputs[hy_state_output(walk->state, is_flat)];
    *walk->place++ =
        (uint16_t)(walk->recent >> (HY_LEVEL_BITS * (HY_LOW_PLACES - 1)) & LEVEL_MASK);
    walk->recent = walk->recent << HY_LEVEL_BITS | output->low;
    if (output->low & HY_HAS_TAIL)
        apply_tail(language, output, walk->place - 1, word->levels + BEFORE);
}

/* The edge, the places that are still on the way, and the exception if there is one. */
INLINED void walk_end(const ninho_hyphen_language *language, struct word *word,
                      struct walk *walk, bool is_flat)
{
    walk_on(language, word, walk, HY_EDGE, is_flat);
    for (uint32_t k = HY_LOW_PLACES; k-- > 0;)
        *walk->place++ = (uint16_t)(walk->recent >> (HY_LEVEL_BITS * k) & LEVEL_MASK);
    const struct hy_output *output =
        &language->outputs[hy_state_output(walk->state, is_flat)];
    if (output->is_exception)
        apply_exception(language, output, word);
}

/* ---- Letters ----------------------------------------------------------------------- */

enum found {
    NO_BREAKS, /* and none possible */
    LETTERS,   /* levels are filled in */
    WIDE       /* there are bytes that are not ASCII: to be done again, the other way */
};

static enum found scan_rest(const uint8_t *at, const uint8_t *end)
{
    for (; at < end; at++) {
        if (*at == '-')
            return NO_BREAKS;
        if (*at >= 0x80)
            return WIDE;
    }
    return LETTERS;
}

/* The first run of letters of a word in ASCII, and the automaton over it. */
INLINED enum found walk_ascii(const ninho_hyphen_language *language, const uint8_t *bytes,
                              size_t size, struct word *word, bool is_flat)
{
    const uint16_t *const symbols = language->ascii;
    const uint8_t *at = bytes, *const end = bytes + size;
    struct walk walk = walk_begin(language, word, is_flat);

    while (at < end && symbols[*at] == HY_NOT_LETTER)
        at++;
    const uint8_t *const start = at;
    const uint32_t limit = language->header.max_letters;
    const uint8_t *const last = (size_t)(end - at) > limit ? at + limit : end;
    for (; at < last; at++) {
        const uint32_t symbol = symbols[*at];
        /* one question for all that is no letter: HY_NOT_LETTER, 0, becomes the largest */
        if (symbol - 1 >= HY_WIDE - 1)
            break;
        walk_on(language, word, &walk, symbol, is_flat);
    }
    word->is_ascii = true;
    word->start = (size_t)(start - bytes);
    word->n = (uint32_t)(at - start);
    const enum found found = scan_rest(at, end);
    if (found != LETTERS)
        return found;
    if (word->n < language->header.left + language->header.right)
        return NO_BREAKS;
    walk_end(language, word, &walk, is_flat);
    return LETTERS;
}

/* The same for any word. */
INLINED enum found walk_utf8(const ninho_hyphen_language *language, const uint8_t *bytes,
                             size_t size, struct word *word, bool is_flat)
{
    const uint32_t limit = language->header.max_letters;
    struct walk walk = walk_begin(language, word, is_flat);
    bool is_over = false;

    word->is_ascii = false;
    word->n = 0;
    word->start = 0;
    for (size_t at = 0; at < size;) {
        uint32_t point;
        const unsigned used = na_utf8_read(bytes + at, size - at, &point);
        if (!used)
            return NO_BREAKS;
        const uint32_t symbol = hy_symbol_of(language, point);
        if (symbol == HY_FORBIDS)
            return NO_BREAKS;
        if (symbol == HY_NOT_LETTER) {
            is_over |= word->n > 0;
        } else if (!is_over) {
            if (word->n == 0)
                word->start = at;
            word->offsets[word->n++] = (uint32_t)(at - word->start);
            walk_on(language, word, &walk, symbol, is_flat);
            is_over = word->n == limit;
        }
        at += used;
    }
    if (word->n < language->header.left + language->header.right)
        return NO_BREAKS;
    walk_end(language, word, &walk, is_flat);
    return LETTERS;
}

static bool match_flat(const ninho_hyphen_language *language, const uint8_t *bytes,
                       size_t size, struct word *word)
{
    enum found found = walk_ascii(language, bytes, size, word, true);
    if (found == WIDE)
        found = walk_utf8(language, bytes, size, word, true);
    return found == LETTERS;
}

static bool match_sparse(const ninho_hyphen_language *language, const uint8_t *bytes,
                         size_t size, struct word *word)
{
    enum found found = walk_ascii(language, bytes, size, word, false);
    if (found == WIDE)
        found = walk_utf8(language, bytes, size, word, false);
    return found == LETTERS;
}

/* Finds the letters and the level of every place between them; false: there are no breaks. */
static bool match(const ninho_hyphen_language *language, const uint8_t *bytes,
                  size_t size, struct word *word)
{
    word->bytes = bytes;
    return language->flat ? match_flat(language, bytes, size, word)
                          : match_sparse(language, bytes, size, word);
}

/* ---- Breaks ------------------------------------------------------------------------ */

/* The first and the last letter behind which there may be a break. */
static uint32_t first_of(const ninho_hyphen_language *language)
{
    return language->header.left;
}

static uint32_t last_of(const ninho_hyphen_language *language, const struct word *word)
{
    return word->n - language->header.right;
}

/* Nothing before a combining mark, whatever the levels say. There is none in ASCII. */
static void spare_marks(const ninho_hyphen_language *language, struct word *word)
{
    uint16_t *behind = word->levels + BEFORE + 1;

    for (uint32_t i = first_of(language); i <= last_of(language, word); i++) {
        uint32_t point;
        const uint8_t *next = word->bytes + letter_at(word, i);
        if (is_break(behind[i]) && na_utf8_read(next, 4, &point) && hy_is_mark(point))
            behind[i] = 0;
    }
}

/* ---- Exceptions -------------------------------------------------------------------- */

/* The word's letters as they are kept in a store: small, in UTF-8. Returns the size. */
static size_t make_key(const struct word *word, uint8_t key[HY_MAX_KEY])
{
    size_t size = 0;

    if (word->is_ascii) {
        const uint8_t *letters = word->bytes + word->start;
        for (uint32_t i = 0; i < word->n; i++) {
            const uint8_t c = letters[i];
            key[i] = (uint8_t)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
        }
        return word->n;
    }
    for (uint32_t i = 0; i < word->n; i++) {
        uint32_t point = 0;
        na_utf8_read(word->bytes + letter_at(word, i), 4, &point);
        size += na_utf8_write(hy_lower(point), key + size);
    }
    return size;
}

/* Asks the store; if it has the word, its breaks take the place of the levels. */
static bool take_exception(ninho_hyphenator *hyphenator, struct word *word)
{
    uint8_t key[HY_MAX_KEY];
    uint64_t breaks;

    if (word->n > NINHO_HYPHEN_TEX_LETTERS)
        return false; /* longer than any exception */
    const size_t size = make_key(word, key);
    if (!hy_exceptions_ask(hyphenator, key, size, &breaks))
        return false;
    uint16_t *behind = word->levels + BEFORE + 1;
    for (uint32_t i = 0; i <= word->n; i++)
        behind[i] = breaks >> i & 1 ? BY_EXCEPTION : 0;
    return true;
}

/* ---- Finding ----------------------------------------------------------------------- */

static uint32_t list_breaks(const ninho_hyphen_language *language,
                            const struct word *word, ninho_hyphen_break *breaks,
                            size_t capacity)
{
    const uint16_t *behind = word->levels + BEFORE + 1;
    uint32_t n = 0;

    for (uint32_t i = first_of(language); i <= last_of(language, word); i++) {
        if (!is_break(behind[i]))
            continue;
        if (n < capacity)
            breaks[n] = (ninho_hyphen_break){.at = letter_at(word, i),
                                             .level = level_number(behind[i])};
        n++;
    }
    return n;
}

size_t ninho_hyphen_word(const ninho_hyphen_language *language, const void *bytes,
                         size_t size, ninho_hyphen_break *breaks, size_t capacity)
{
    struct word word;

    if (!match(language, bytes, size, &word))
        return 0;
    if (!word.is_ascii)
        spare_marks(language, &word);
    return list_breaks(language, &word, breaks, capacity);
}

/* Everything that is known about a word; false: it has no breaks. */
static bool look_at(ninho_hyphenator *hyphenator, const void *bytes, size_t size,
                    struct word *word)
{
    const ninho_hyphen_language *language = hyphenator->language;

    if (!match(language, bytes, size, word))
        return false;
    hyphenator->counters.words++;
    if (hyphenator->exceptions)
        (void)take_exception(hyphenator, word);
    if (!word->is_ascii)
        spare_marks(language, word);
    return true;
}

size_t ninho_hyphenator_word(ninho_hyphenator *hyphenator, const void *bytes, size_t size,
                             ninho_hyphen_break *breaks, size_t capacity)
{
    struct word word;

    if (!look_at(hyphenator, bytes, size, &word))
        return 0;
    const uint32_t n = list_breaks(hyphenator->language, &word, breaks, capacity);
    hyphenator->counters.breaks += n;
    return n;
}

/* ---- Writing ----------------------------------------------------------------------- */

size_t ninho_hyphen_bound(size_t size, size_t mark_size)
{
    const size_t n = size < NINHO_HYPHEN_MAX_BREAKS ? size : NINHO_HYPHEN_MAX_BREAKS;
    const size_t small = SIZE_MAX / (2 * NINHO_HYPHEN_MAX_BREAKS);

    if (mark_size > small || size > SIZE_MAX / 2)
        return SIZE_MAX;
    return size + n * mark_size;
}

/* Letters in ASCII with a mark of at most 8 bytes: every letter is followed by the mark, and the
 * next one goes over it unless there is a break. */
static uint8_t *write_ascii(const ninho_hyphen_language *language,
                            const struct word *word, const uint8_t *mark,
                            size_t mark_size, uint8_t *out)
{
    const uint32_t first = first_of(language),
                   count = last_of(language, word) - first + 1;
    const uint8_t *letters = word->bytes + word->start;
    const uint16_t *behind = word->levels + BEFORE + 1;
    const uint32_t n = word->n;
    uint64_t padded = 0;

    memcpy(&padded, mark, mark_size);
    for (uint32_t i = 0; i < n;) {
        *out++ = letters[i++];
        memcpy(out, &padded, sizeof padded);
        const bool is_here = is_break(behind[i]) & (i - first < count);
        out += mark_size & (0 - (size_t)is_here);
    }
    return out;
}

static uint8_t *write_utf8(const ninho_hyphen_language *language, const struct word *word,
                           const uint8_t *mark, size_t mark_size, uint8_t *out,
                           size_t *used)
{
    const uint16_t *behind = word->levels + BEFORE + 1;
    size_t from = word->start;

    for (uint32_t i = first_of(language); i <= last_of(language, word); i++) {
        if (!is_break(behind[i]))
            continue;
        const size_t at = letter_at(word, i);
        memcpy(out, word->bytes + from, at - from);
        out += at - from;
        memcpy(out, mark, mark_size);
        out += mark_size;
        from = at;
    }
    *used = from;
    return out;
}

/* added / mark_size, without dividing where it matters. */
static size_t count_marks(size_t added, size_t mark_size)
{
    if (mark_size <= 1)
        return added;
    return mark_size == 2 ? added / 2 : added / mark_size;
}

/* A word whose levels are known. */
static uint8_t *write_levels(ninho_hyphenator *hyphenator, const struct word *word,
                             size_t size, const uint8_t *mark, size_t mark_size,
                             uint8_t *out)
{
    uint8_t *const begin = out;
    size_t used;

    if (mark_size == 0) { /* nothing is added by which they could be counted */
        memcpy(out, word->bytes, size);
        hyphenator->counters.breaks += list_breaks(hyphenator->language, word, NULL, 0);
        return out + size;
    }
    memcpy(out, word->bytes, word->start);
    out += word->start;
    if (word->is_ascii && mark_size <= HY_SLACK) {
        out = write_ascii(hyphenator->language, word, mark, mark_size, out);
        used = word->start + word->n;
    } else {
        out = write_utf8(hyphenator->language, word, mark, mark_size, out, &used);
    }
    memcpy(out, word->bytes + used, size - used);
    out += size - used;
    hyphenator->counters.breaks += count_marks((size_t)(out - begin) - size, mark_size);
    return out;
}

/* ---- Writing in one pass ----------------------------------------------------------- */

/* Most words are in ASCII, and no pattern in them reaches back further than the seven places that
 * are at hand. Such a word is written while the automaton goes over it: when a step is made, the
 * oldest of the places has its last level, so the letter before it goes out, with a mark or
 * without. One loop over the letters instead of two, and no levels in memory.
 *
 *     i n t e r n a t i o n a l        n = 13, left = 2
 *     |_______________|                warm-up: left + 6 steps, nothing goes out
 *     i                                the first left - 1 letters: no place among them counts
 *       n t e r                        one letter with each further step
 *               n a t i o n a l        the last seven, after the step of the edge
 */
#define EVERY_PLACE(ones)                                                            \
    ((uint64_t)(ones) * (UINT64_C(1) | UINT64_C(1) << 9 | UINT64_C(1) << 18 |        \
                         UINT64_C(1) << 27 | UINT64_C(1) << 36 | UINT64_C(1) << 45 | \
                         UINT64_C(1) << 54))
_Static_assert(HY_LEVEL_BITS == 9 && HY_LOW_PLACES == 7, "EVERY_PLACE has these numbers");

#define OLDEST    (HY_LEVEL_BITS * (HY_LOW_PLACES - 1)) /* of seven places */
#define MAX_RIGHT (HY_LOW_PLACES - 1)

/* is_break() for seven places at once: bits in those that are. */
INLINED uint64_t breaks_of(uint64_t levels)
{
    return (levels ^ (levels >> 1 & EVERY_PLACE(0xFF))) & EVERY_PLACE(0x155);
}

/* A word on its way out. */
struct passage {
    uint64_t state;
    uint64_t recent; /* levels of the newest places */
    uint64_t all;    /* every step's, for HY_HAS_TAIL */
    uint64_t mark;   /* padded */
    size_t mark_size;
    uint8_t *out;
};

INLINED uint64_t pass_step(const ninho_hyphen_language *language, struct passage *passage,
                           uint32_t symbol, bool is_flat)
{
    passage->state = hy_step(language, is_flat, passage->state, symbol);
    const uint64_t low = language->outputs[hy_state_output(passage->state, is_flat)].low;
    passage->all |= low;
    return passage->recent << HY_LEVEL_BITS | low;
}

/* The mark goes down in any case, and the next letter over it unless there is a break. */
INLINED void pass_letter(struct passage *passage, uint8_t letter, bool has_mark)
{
    *passage->out++ = letter;
    memcpy(passage->out, &passage->mark, sizeof passage->mark);
    passage->out += passage->mark_size & (0 - (size_t)has_mark);
}

/* The letters of a run from *at on, up to `last`. Returns where the run ends. */
INLINED const uint8_t *pass_run(const ninho_hyphen_language *language,
                                struct passage *passage, const uint8_t *at,
                                const uint8_t *last, bool is_flat)
{
    const uint16_t *const symbols = language->ascii;
    const uint32_t left = language->header.left;
    const size_t n_warm = left + HY_LOW_PLACES - 1;
    const uint8_t *const start = at;
    const uint8_t *const warm = (size_t)(last - at) > n_warm ? at + n_warm : last;
    uint32_t symbol;

    for (; at < warm && (symbol = symbols[*at]) - 1 < HY_WIDE - 1; at++)
        passage->recent = pass_step(language, passage, symbol, is_flat);
    if ((size_t)(at - start) < n_warm)
        return at;
    for (uint32_t i = 1; i < left; i++)
        *passage->out++ = start[i - 1];
    for (; at < last && (symbol = symbols[*at]) - 1 < HY_WIDE - 1; at++) {
        const uint64_t next = pass_step(language, passage, symbol, is_flat);
        pass_letter(passage, at[-(int)HY_LOW_PLACES],
                    breaks_of(passage->recent) >> OLDEST != 0);
        passage->recent = next;
    }
    return at;
}

/* The edge, and the letters that have not gone out: of n that end at `end`, the last seven, or all
 * if there were none beyond the warm-up. */
INLINED void pass_end(const ninho_hyphen_language *language, struct passage *passage,
                      const uint8_t *end, uint32_t n, bool is_flat)
{
    const uint32_t left = language->header.left;
    const unsigned beyond = HY_LEVEL_BITS * (language->header.right + 1);
    const uint64_t oldest = breaks_of(passage->recent) >> OLDEST;
    /* the place k letters before the end at 9 k; nothing nearer to it than `right` */
    const uint64_t breaks =
        breaks_of(pass_step(language, passage, HY_EDGE, is_flat)) >> beyond << beyond;

    if (n < left + HY_LOW_PLACES - 1) {
        for (uint32_t i = 1; i <= n; i++) {
            const uint32_t k = n + 1 - i; /* at most left + 5, so 6 from `left` on */
            const bool has_mark =
                i >= left && (breaks >> (HY_LEVEL_BITS * k) & LEVEL_MASK) != 0;
            pass_letter(passage, end[-(ptrdiff_t)k], has_mark);
        }
        return;
    }
    pass_letter(passage, end[-(int)HY_LOW_PLACES], oldest != 0);
    for (unsigned k = HY_LOW_PLACES - 1; k > 0; k--)
        pass_letter(passage, end[-(int)k],
                    (breaks >> (HY_LEVEL_BITS * k) & LEVEL_MASK) != 0);
}

/* Asks the store for letters that have been passed over. */
static bool write_exception(ninho_hyphenator *hyphenator, const uint8_t *bytes,
                            size_t size, size_t start, uint32_t n, const uint8_t *mark,
                            size_t mark_size, uint8_t **out)
{
    struct word word;

    word.bytes = bytes;
    word.start = start;
    word.n = n;
    word.is_ascii = true;
    if (!take_exception(hyphenator, &word))
        return false;
    *out = write_levels(hyphenator, &word, size, mark, mark_size, *out);
    return true;
}

/* Returns where the next word goes; NULL, with nothing counted, if this one needs the other way:
 * it is not in ASCII, or a longer pattern or a compiled exception is in it. */
INLINED uint8_t *write_passing(ninho_hyphenator *hyphenator, const uint8_t *bytes,
                               size_t size, const uint8_t *mark, size_t mark_size,
                               uint8_t *out, bool is_flat)
{
    const ninho_hyphen_language *language = hyphenator->language;
    const uint32_t start_output = hy_state_output(language->start, is_flat);
    const uint8_t *at = bytes, *const end = bytes + size;
    uint64_t padded = 0;

    memcpy(&padded, mark, mark_size);
    struct passage passage = {.state = language->start,
                              .recent = language->outputs[start_output].low,
                              .mark = padded,
                              .mark_size = mark_size,
                              .out = out};
    while (at < end && language->ascii[*at] == HY_NOT_LETTER)
        *passage.out++ = *at++;
    const uint8_t *const start = at;
    const uint32_t limit = language->header.max_letters;
    at = pass_run(language, &passage, at, (size_t)(end - at) > limit ? at + limit : end,
                  is_flat);
    const uint32_t n = (uint32_t)(at - start);
    const enum found found = scan_rest(at, end);
    if (found == WIDE)
        return NULL;
    if (found == NO_BREAKS || n < language->header.left + language->header.right) {
        memcpy(out, bytes, size);
        return out + size;
    }
    pass_end(language, &passage, at, n, is_flat);
    if (passage.all & HY_HAS_TAIL)
        return NULL;
    hyphenator->counters.words++;
    if (hyphenator->exceptions &&
        write_exception(hyphenator, bytes, size, (size_t)(start - bytes), n, mark,
                        mark_size, &out))
        return out;
    while (at < end)
        *passage.out++ = *at++;
    hyphenator->counters.breaks +=
        count_marks((size_t)(passage.out - out) - size, mark_size);
    return passage.out;
}

static uint8_t *write_flat(ninho_hyphenator *hyphenator, const uint8_t *bytes,
                           size_t size, const uint8_t *mark, size_t mark_size,
                           uint8_t *out)
{
    return write_passing(hyphenator, bytes, size, mark, mark_size, out, true);
}

static uint8_t *write_sparse(ninho_hyphenator *hyphenator, const uint8_t *bytes,
                             size_t size, const uint8_t *mark, size_t mark_size,
                             uint8_t *out)
{
    return write_passing(hyphenator, bytes, size, mark, mark_size, out, false);
}

uint8_t *hy_write_word(ninho_hyphenator *hyphenator, const uint8_t *bytes, size_t size,
                       const uint8_t *mark, size_t mark_size, uint8_t *out)
{
    const ninho_hyphen_language *language = hyphenator->language;
    struct word word;

    /* Half of the words of a text have too few bytes, let alone letters. */
    if (size < language->header.left + language->header.right) {
        for (size_t i = 0; i < size; i++)
            out[i] = bytes[i];
        return out + size;
    }
    /* An empty mark goes the other way, which can count it. */
    if (mark_size - 1 < HY_SLACK && language->header.right <= MAX_RIGHT) {
        uint8_t *const next =
            language->flat ? write_flat(hyphenator, bytes, size, mark, mark_size, out)
                           : write_sparse(hyphenator, bytes, size, mark, mark_size, out);
        if (next)
            return next;
    }
    if (!look_at(hyphenator, bytes, size, &word)) {
        memcpy(out, bytes, size);
        return out + size;
    }
    return write_levels(hyphenator, &word, size, mark, mark_size, out);
}

size_t ninho_hyphenator_write(ninho_hyphenator *hyphenator, const void *bytes,
                              size_t size, const void *mark, size_t mark_size, void *out,
                              size_t capacity)
{
    ninho_hyphen_break breaks[NINHO_HYPHEN_MAX_BREAKS];
    const size_t bound = ninho_hyphen_bound(size, mark_size);
    size_t from = 0;

    if (capacity >= HY_SLACK && bound <= capacity - HY_SLACK) {
        const uint8_t *end = hy_write_word(hyphenator, bytes, size, mark, mark_size, out);
        return (size_t)(end - (uint8_t *)out);
    }
    const size_t n =
        ninho_hyphenator_word(hyphenator, bytes, size, breaks, NINHO_HYPHEN_MAX_BREAKS);
    const size_t total = size + n * mark_size;
    if (total > capacity || bound == SIZE_MAX)
        return bound == SIZE_MAX ? SIZE_MAX : total;
    uint8_t *to = out;
    for (size_t i = 0; i < n; i++) {
        memcpy(to, (const uint8_t *)bytes + from, breaks[i].at - from);
        to += breaks[i].at - from;
        memcpy(to, mark, mark_size);
        to += mark_size;
        from = breaks[i].at;
    }
    if (size - from)
        memcpy(to, (const uint8_t *)bytes + from, size - from);
    return total;
}

/* ---- The hyphenator ---------------------------------------------------------------- */

ninho_status ninho_hyphenator_create(const ninho_hyphen_language *language,
                                     const ninho_hyphen_exceptions *exceptions,
                                     const ninho_alloc *alloc, ninho_hyphenator **out,
                                     ninho_error *error)
{
    const ninho_alloc own = na_allocator(alloc);
    ninho_hyphenator *hyphenator = na_alloc(&own, 1, sizeof *hyphenator);

    if (!hyphenator)
        return na_no_memory(error);
    *hyphenator =
        (ninho_hyphenator){.alloc = own, .language = language, .exceptions = exceptions};
    if (exceptions) {
        const ninho_status status =
            hy_reader_open(exceptions, &own, &hyphenator->reader, error);
        if (status) {
            na_free(&own, hyphenator, 1, sizeof *hyphenator);
            return status;
        }
    }
    *out = hyphenator;
    return NINHO_OK;
}

void ninho_hyphenator_free(ninho_hyphenator *hyphenator)
{
    if (!hyphenator)
        return;
    const ninho_alloc alloc = hyphenator->alloc;
    hy_reader_close(hyphenator->exceptions, &alloc, hyphenator->reader);
    na_free(&alloc, hyphenator, 1, sizeof *hyphenator);
}

ninho_status ninho_hyphenator_status(const ninho_hyphenator *hyphenator,
                                     ninho_error *error)
{
    if (hyphenator->failure.status)
        na_error_copy(error, &hyphenator->failure);
    return hyphenator->failure.status;
}

ninho_hyphen_counters ninho_hyphenator_counters(const ninho_hyphenator *hyphenator)
{
    return hyphenator->counters;
}

void ninho_hyphenator_reset_counters(ninho_hyphenator *hyphenator)
{
    hyphenator->counters = (ninho_hyphen_counters){0};
}
