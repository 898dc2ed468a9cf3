/* SPDX-License-Identifier: MIT */
/* Running text. A stream cuts its input at white space (and at "<" in HTML); each piece is looked
 * at once, and what comes out gathers in a buffer. A piece that the end of the input cuts is held
 * back until its rest comes, or until it is longer than a word may be.
 *
 *   fed       |...rds and mo|re words, and m|...
 *   held back            "mo"              "m"
 *
 * In HTML a piece may be a part of a word only: <b>inter</b>national. So a piece before a tag is held
 * back too, with the tags behind it, until it is seen whether letters follow:
 *
 *   inter|</b>|n...      held back: a piece and markup; then n tells that it is to be left alone
 */
#include "text.h"

#include <string.h>

#include "apps/base/utf8.h"
#include "markup.h"
#include "unicode.h"
#include "word.h"

#define MAX_MARK         64
#define LEAST_WORD       64
#define MOST_WORD        ((size_t)1 << 20)
#define DEFAULT_MAX_WORD ((size_t)1 << 16)
#define FLUSH_AT         ((size_t)1 << 16)

struct ninho_hyphen_stream {
    ninho_alloc alloc;
    ninho_hyphenator *hyphenator;
    ninho_hyphen_sink sink;
    void *context;
    ninho_status status; /* what the sink answered when it failed */
    ninho_hyphen_units units;
    ninho_hyphen_runs runs;
    uint8_t mark[MAX_MARK];
    size_t mark_size;
    size_t max_word;
    struct hy_markup markup;
    bool is_passing; /* inside a word that is too long */
    uint8_t *held;
    size_t n_held;
    /* HTML: what is held is a whole piece of n_piece bytes, and markup behind it. */
    bool is_pending;
    size_t n_piece;
    bool ends_in_letter; /* so did the text right before the markup we are in */
    bool goes_on;        /* the piece we are in goes on with a word before a tag */
    uint8_t *out;
    size_t n_out;
    size_t out_size;
    size_t room; /* of this block: the stream, held, out */
};

/* ---- Output ------------------------------------------------------------------------ */

static ninho_status flush(ninho_hyphen_stream *stream)
{
    if (stream->n_out && !stream->status)
        stream->status = stream->sink(stream->context, stream->out, stream->n_out);
    stream->n_out = 0;
    return stream->status;
}

/* Room for `size` more bytes, of which there is always enough for one word and its marks. */
static void make_room(ninho_hyphen_stream *stream, size_t size)
{
    if (stream->out_size - stream->n_out < size)
        flush(stream);
}

/* Bytes as they are. */
static void pass(ninho_hyphen_stream *stream, const uint8_t *bytes, size_t size)
{
    if (size > stream->out_size / 2) {
        flush(stream);
        if (!stream->status)
            stream->status = stream->sink(stream->context, bytes, size);
        return;
    }
    if (size == 0)
        return;
    make_room(stream, size);
    memcpy(stream->out + stream->n_out, bytes, size);
    stream->n_out += size;
}

static void write_word(ninho_hyphen_stream *stream, const uint8_t *bytes, size_t size)
{
    make_room(stream, ninho_hyphen_bound(size, stream->mark_size) + HY_SLACK);
    const uint8_t *end = hy_write_word(stream->hyphenator, bytes, size, stream->mark,
                                       stream->mark_size, stream->out + stream->n_out);
    stream->n_out = (size_t)(end - stream->out);
}

/* ---- Kinds of bytes ---------------------------------------------------------------- */

enum {
    SPACE = 1,      /* white space in ASCII */
    LESS = 2,       /* "<" */
    ADDRESS = 4,    /* "@", ":" and ".": it may be a URL or an e-mail address */
    AMPERSAND = 8,  /* "&" */
    WIDE_SPACE = 16 /* the first byte of white space outside ASCII, among others */
};

static const uint8_t kinds[256] = {
    ['\t'] = SPACE,      ['\n'] = SPACE,      ['\v'] = SPACE,     ['\f'] = SPACE,
    ['\r'] = SPACE,      [' '] = SPACE,       ['<'] = LESS,       ['@'] = ADDRESS,
    [':'] = ADDRESS,     ['.'] = ADDRESS,     ['&'] = AMPERSAND,  [0xC2] = WIDE_SPACE,
    [0xE1] = WIDE_SPACE, [0xE2] = WIDE_SPACE, [0xE3] = WIDE_SPACE};

static bool is_ascii_letter(uint8_t byte)
{
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

static bool is_word_byte(uint8_t byte)
{
    /* beyond ASCII, dashes and quotation marks begin with C2 or E2, letters with others */
    return is_ascii_letter(byte) || (byte >= '0' && byte <= '9') ||
           (byte >= 0x80 && byte != 0xC2 && byte != 0xE2);
}

/* A URL, an e-mail address, the name of a host or of a file: text.h says which. */
static bool is_address(const uint8_t *bytes, size_t size)
{
    for (size_t i = 1; i + 1 < size; i++) {
        if (bytes[i] == '@')
            return true;
        if (bytes[i] == ':' && bytes[i + 1] == '/' && i + 2 < size && bytes[i + 2] == '/')
            return true;
        if (bytes[i] == '.' && is_word_byte(bytes[i - 1]) && is_word_byte(bytes[i + 1]) &&
            i + 2 < size && is_word_byte(bytes[i + 2]))
            return true;
    }
    return false;
}

/* ---- Words of a piece -------------------------------------------------------------- */

/* Whether a word must be left as it is: not UTF-8, or its breaks are there already. */
static bool is_forbidden(const ninho_hyphen_stream *stream, const uint8_t *bytes,
                         size_t size)
{
    const ninho_hyphen_language *language = stream->hyphenator->language;

    for (size_t at = 0; at < size;) {
        uint32_t point;
        const unsigned used = na_utf8_read(bytes + at, size - at, &point);
        if (!used || point == HY_SOFT_HYPHEN)
            return true;
        if (stream->runs == NINHO_HYPHEN_FIRST_RUN &&
            hy_symbol_of(language, point) == HY_FORBIDS)
            return true;
        at += used;
    }
    return false;
}

/* Every run of letters by itself, in a word that is not forbidden. */
static void write_runs(ninho_hyphen_stream *stream, const uint8_t *bytes, size_t size)
{
    const ninho_hyphen_language *language = stream->hyphenator->language;
    bool in_run = false;
    size_t from = 0;

    for (size_t at = 0; at < size;) {
        uint32_t point = 0;
        const unsigned used = na_utf8_read(bytes + at, size - at, &point);
        const uint32_t symbol = hy_symbol_of(language, point);
        const bool is_letter = symbol != HY_NOT_LETTER && symbol != HY_FORBIDS;
        if (is_letter != in_run) {
            if (in_run)
                write_word(stream, bytes + from, at - from);
            else
                pass(stream, bytes + from, at - from);
            from = at;
            in_run = is_letter;
        }
        at += used ? used : 1;
    }
    if (in_run)
        write_word(stream, bytes + from, size - from);
    else
        pass(stream, bytes + from, size - from);
}

static bool has_letter(const ninho_hyphen_stream *stream, const uint8_t *bytes,
                       size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t point = 0;
        const unsigned used = na_utf8_read(bytes + at, size - at, &point);
        const uint32_t symbol = hy_symbol_of(stream->hyphenator->language, point);
        if (used && symbol != HY_NOT_LETTER && symbol != HY_FORBIDS)
            return true;
        at += used ? used : 1;
    }
    return false;
}

static void write_plain(ninho_hyphen_stream *stream, const uint8_t *bytes, size_t size)
{
    if (stream->runs == NINHO_HYPHEN_FIRST_RUN)
        write_word(stream, bytes, size);
    else if (is_forbidden(stream, bytes, size))
        pass(stream, bytes, size);
    else
        write_runs(stream, bytes, size);
}

/* What the entities of a word make of it. */
enum effect { NOTHING, LEAVE_ALONE, PARTS };

/* The next entity from `at` on: where it begins (size if there is none), its size, and what it
 * does to the word. */
static size_t next_entity(const ninho_hyphen_stream *stream, const uint8_t *bytes,
                          size_t size, size_t at, size_t *entity_size,
                          enum effect *effect)
{
    for (; at < size; at++) {
        uint32_t point;
        if (bytes[at] != '&')
            continue;
        *entity_size = hy_entity(bytes + at, size - at, &point);
        if (*entity_size == 0) {
            /* browsers read some without their ";": &eacute, &shy */
            if (at + 1 == size || !(is_word_byte(bytes[at + 1]) || bytes[at + 1] == '#'))
                continue;
            *entity_size = 1;
            point = 0;
        }
        *effect = NOTHING;
        if (point == 0 ||
            hy_symbol_of(stream->hyphenator->language, point) != HY_NOT_LETTER)
            *effect = LEAVE_ALONE;
        else if (hy_is_space(point))
            *effect = PARTS;
        return at;
    }
    *entity_size = 0;
    return size;
}

/* A word with entities in it, none of which parts it or stands for a letter: "&ldquo;word". The
 * letters of their names are not the word's. */
static void write_between(ninho_hyphen_stream *stream, const uint8_t *bytes, size_t size)
{
    const bool is_first_only = stream->runs == NINHO_HYPHEN_FIRST_RUN;
    bool is_done = false;

    for (size_t at = 0; at < size;) {
        enum effect effect;
        size_t entity_size;
        const size_t next = next_entity(stream, bytes, size, at, &entity_size, &effect);
        const size_t piece = next - at;
        if (is_done || !has_letter(stream, bytes + at, piece)) {
            pass(stream, bytes + at, piece);
        } else {
            write_plain(stream, bytes + at, piece);
            is_done = is_first_only;
        }
        pass(stream, bytes + next, entity_size);
        at = next + entity_size;
    }
}

static void write_address_or(ninho_hyphen_stream *stream, const uint8_t *bytes,
                             size_t size,
                             void (*write)(ninho_hyphen_stream *, const uint8_t *,
                                           size_t))
{
    if (is_address(bytes, size))
        pass(stream, bytes, size);
    else
        write(stream, bytes, size);
}

/* A piece of HTML with "&" in it. */
static void write_entities(ninho_hyphen_stream *stream, const uint8_t *bytes, size_t size)
{
    size_t from = 0;
    bool is_alone = false;

    for (size_t at = 0; at <= size;) {
        enum effect effect = PARTS; /* as the end does */
        size_t entity_size;
        const size_t next = next_entity(stream, bytes, size, at, &entity_size, &effect);
        at = next + entity_size;
        is_alone |= effect == LEAVE_ALONE;
        if (effect == PARTS) {
            const size_t n = next - from;
            if (is_alone || is_forbidden(stream, bytes + from, n))
                pass(stream, bytes + from, n);
            else
                write_address_or(stream, bytes + from, n, write_between);
            pass(stream, bytes + next, entity_size);
            from = at;
            is_alone = false;
        }
        if (next == size)
            break;
    }
}

static void write_narrow(ninho_hyphen_stream *stream, const uint8_t *bytes, size_t size,
                         unsigned found)
{
    if (found & AMPERSAND && stream->units == NINHO_HYPHEN_HTML)
        write_entities(stream, bytes, size);
    else if (found & ADDRESS)
        write_address_or(stream, bytes, size, write_plain);
    else
        write_plain(stream, bytes, size);
}

/* A piece in which there may be white space outside ASCII. */
static void write_wide(ninho_hyphen_stream *stream, const uint8_t *bytes, size_t size,
                       unsigned found)
{
    size_t from = 0;

    for (size_t at = 0; at < size;) {
        uint32_t point = 0;
        unsigned used = 1;
        if (kinds[bytes[at]] & WIDE_SPACE) {
            used = na_utf8_read(bytes + at, size - at, &point);
            if (used && hy_is_space(point)) {
                write_narrow(stream, bytes + from, at - from, found);
                pass(stream, bytes + at, used);
                from = at + used;
            }
        }
        at += used ? used : 1;
    }
    write_narrow(stream, bytes + from, size - from, found);
}

/* A piece, and the kinds of bytes found in it. */
static void write_piece(ninho_hyphen_stream *stream, const uint8_t *bytes, size_t size,
                        unsigned found)
{
    if (stream->goes_on) {
        pass(stream, bytes, size);
        stream->goes_on = false;
    } else if (stream->units == NINHO_HYPHEN_LINES) {
        const bool has_cr = size > 0 && bytes[size - 1] == '\r';
        write_plain(stream, bytes, size - has_cr);
        pass(stream, bytes + size - has_cr, has_cr);
    } else if (found & WIDE_SPACE) {
        write_wide(stream, bytes, size, found);
    } else {
        write_narrow(stream, bytes, size, found);
    }
}

/* ---- Cutting ----------------------------------------------------------------------- */

/* Where the piece that begins at `at` ends: at a byte that parts pieces, or at `end`. */
static const uint8_t *piece_end(const ninho_hyphen_stream *stream, const uint8_t *at,
                                const uint8_t *end, unsigned *found)
{
    const unsigned parts = stream->units == NINHO_HYPHEN_HTML ? SPACE | LESS : SPACE;
    unsigned all = 0;

    if (stream->units == NINHO_HYPHEN_LINES) {
        const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
        return newline ? newline : end;
    }
    for (; at < end; at++) {
        const unsigned kind = kinds[*at];
        if (kind & parts)
            break;
        all |= kind;
    }
    *found |= all;
    return at;
}

static unsigned kinds_in(const uint8_t *bytes, size_t size)
{
    unsigned found = 0;
    for (size_t i = 0; i < size; i++)
        found |= kinds[bytes[i]];
    return found;
}

/* Holds bytes back, or gives up on a word that has become too long. */
static void hold(ninho_hyphen_stream *stream, const uint8_t *bytes, size_t size)
{
    if (size > stream->max_word - stream->n_held) {
        pass(stream, stream->held, stream->n_held);
        pass(stream, bytes, size);
        stream->n_held = 0;
        stream->is_passing = true;
        return;
    }
    memcpy(stream->held + stream->n_held, bytes, size);
    stream->n_held += size;
}

static void release(ninho_hyphen_stream *stream)
{
    const size_t size = stream->n_held;

    stream->n_held = 0;
    write_piece(stream, stream->held, size, kinds_in(stream->held, size));
}

/* ---- Words across tags ------------------------------------------------------------- */

static bool counts(const ninho_hyphen_stream *stream, uint32_t point)
{
    return hy_symbol_of(stream->hyphenator->language, point) != HY_NOT_LETTER;
}

/* Whether a piece ends in a letter, a hyphen, or something that may be one. */
static bool ends_in_letter(const ninho_hyphen_stream *stream, const uint8_t *bytes,
                           size_t size)
{
    uint32_t point = 0;
    size_t at = size - 1;

    if (bytes[at] == ';') {
        while (at > 0 && size - at <= HY_MAX_ENTITY && bytes[at] != '&')
            at--;
        if (bytes[at] != '&' || hy_entity(bytes + at, size - at, &point) != size - at)
            return false;
        return point == 0 || counts(stream, point);
    }
    while (at > 0 && size - at < 4 && (bytes[at] & 0xC0) == 0x80)
        at--;
    return na_utf8_read(bytes + at, size - at, &point) != size - at ||
           counts(stream, point);
}

/* Whether a word may go on with this byte behind a tag; the rest of the letter is not there yet. */
static bool may_go_on(const ninho_hyphen_stream *stream, uint8_t byte)
{
    return byte < 0x80 ? byte == '&' || counts(stream, byte) : is_word_byte(byte);
}

/* A piece, all of it held, ends at a "<". */
static void suspend(ninho_hyphen_stream *stream)
{
    stream->n_piece = stream->n_held;
    stream->is_pending = true;
    stream->ends_in_letter = ends_in_letter(stream, stream->held, stream->n_held);
}

/* Writes out what is pending. */
static void settle(ninho_hyphen_stream *stream, bool is_part)
{
    const size_t piece = stream->n_piece, size = stream->n_held;

    if (!stream->is_pending)
        return;
    stream->is_pending = false;
    stream->n_held = 0;
    stream->goes_on |= is_part;
    write_piece(stream, stream->held, piece, kinds_in(stream->held, piece));
    pass(stream, stream->held + piece, size - piece);
}

/* Markup, behind what is pending. */
static void pass_markup(ninho_hyphen_stream *stream, const uint8_t *bytes, size_t size)
{
    if (stream->is_pending && size <= stream->max_word - stream->n_held) {
        memcpy(stream->held + stream->n_held, bytes, size);
        stream->n_held += size;
    } else {
        settle(stream, stream->ends_in_letter); /* who knows: left alone */
        pass(stream, bytes, size);
    }
    if (stream->markup.has_parted) {
        settle(stream, false);
        stream->ends_in_letter = false;
        stream->markup.has_parted = false;
    }
}

/* Text begins behind markup. */
static void meet_text(ninho_hyphen_stream *stream, uint8_t byte)
{
    const bool is_part = stream->ends_in_letter && may_go_on(stream, byte);

    settle(stream, is_part);
    stream->ends_in_letter = false;
    stream->goes_on = is_part;
}

/* The rest of a piece whose beginning came before; returns where it ends. */
static const uint8_t *go_on(ninho_hyphen_stream *stream, const uint8_t *at,
                            const uint8_t *end)
{
    unsigned found = 0;
    const uint8_t *stop = piece_end(stream, at, end, &found);

    if (stream->is_passing)
        pass(stream, at, (size_t)(stop - at));
    else
        hold(stream, at, (size_t)(stop - at));
    if (stop < end) {
        const bool is_at_tag = stream->units == NINHO_HYPHEN_HTML && *stop == '<';
        if (stream->n_held && is_at_tag)
            suspend(stream);
        else if (stream->n_held)
            release(stream);
        else
            stream->ends_in_letter = is_at_tag; /* who knows */
        if (stream->is_passing)
            stream->is_passing = stream->goes_on = false;
    }
    return stop;
}

/* Text, up to a "<" in HTML. */
static const uint8_t *feed_text(ninho_hyphen_stream *stream, const uint8_t *at,
                                const uint8_t *end)
{
    const bool is_html = stream->units == NINHO_HYPHEN_HTML;
    const bool is_lines = stream->units == NINHO_HYPHEN_LINES;

    if (stream->n_held || stream->is_passing)
        at = go_on(stream, at, end);
    while (at < end) {
        const uint8_t *from = at;
        while (at < end && (is_lines ? *at == '\n' : kinds[*at] & SPACE))
            at++;
        pass(stream, from, (size_t)(at - from));
        if (at == end || (is_html && *at == '<'))
            return at;
        unsigned found = 0;
        const uint8_t *stop = piece_end(stream, at, end, &found);
        const size_t size = (size_t)(stop - at);
        if (stop == end) {
            hold(stream, at, size);
        } else if (size > stream->max_word) {
            pass(stream, at, size);
            stream->goes_on = false;
            stream->ends_in_letter = is_html && *stop == '<';
        } else if (is_html && *stop == '<') {
            hold(stream, at, size);
            suspend(stream);
        } else {
            write_piece(stream, at, size, found);
        }
        at = stop;
    }
    return at;
}

ninho_status ninho_hyphen_stream_feed(ninho_hyphen_stream *stream, const void *bytes,
                                      size_t size)
{
    if (size == 0)
        return stream->status;
    const uint8_t *at = bytes, *const end = at + size;

    while (at < end && !stream->status) {
        struct hy_markup *markup = &stream->markup;
        const bool is_inside =
            (stream->n_held && !stream->is_pending) || stream->is_passing;
        if (stream->units == NINHO_HYPHEN_HTML && !is_inside &&
            (markup->state != HY_IN_TEXT || hy_markup_skips(markup) || *at == '<')) {
            const uint8_t *stop = hy_markup_pass(markup, at, end);
            pass_markup(stream, at, (size_t)(stop - at));
            at = stop;
        } else {
            if (stream->is_pending || stream->ends_in_letter)
                meet_text(stream, *at);
            at = feed_text(stream, at, end);
        }
    }
    return flush(stream);
}

ninho_status ninho_hyphen_stream_finish(ninho_hyphen_stream *stream)
{
    settle(stream, false);
    if (stream->n_held)
        release(stream);
    stream->is_passing = stream->ends_in_letter = stream->goes_on = false;
    stream->markup = (struct hy_markup){0};
    return flush(stream);
}

/* ---- Life -------------------------------------------------------------------------- */

static ninho_status check_options(const ninho_hyphen_text_options *given,
                                  ninho_hyphen_text_options *out, ninho_error *error)
{
    if (!na_struct_in(out, sizeof *out, given))
        return na_fail(error, NINHO_ERR_ARG,
                       "options of a newer version, or not initialised");
    if ((unsigned)out->units > NINHO_HYPHEN_LINES)
        return na_fail(error, NINHO_ERR_ARG, "units %d: unknown", (int)out->units);
    if ((unsigned)out->runs > NINHO_HYPHEN_EVERY_RUN)
        return na_fail(error, NINHO_ERR_ARG, "runs %d: unknown", (int)out->runs);
    if (!out->mark) {
        out->mark = out->units == NINHO_HYPHEN_LINES ? "-" : "\xC2\xAD";
        out->mark_size = strlen(out->mark);
    }
    if (out->mark_size > MAX_MARK)
        return na_fail(error, NINHO_ERR_ARG, "a mark of %zu bytes: at most %d",
                       out->mark_size, MAX_MARK);
    if (out->max_word == 0)
        out->max_word = DEFAULT_MAX_WORD;
    if (out->max_word < LEAST_WORD || out->max_word > MOST_WORD)
        return na_fail(error, NINHO_ERR_ARG, "max_word %zu: %d to %zu", out->max_word,
                       LEAST_WORD, MOST_WORD);
    return NINHO_OK;
}

ninho_status ninho_hyphen_stream_create(ninho_hyphenator *hyphenator,
                                        const ninho_hyphen_text_options *options,
                                        ninho_hyphen_sink sink, void *context,
                                        const ninho_alloc *alloc,
                                        ninho_hyphen_stream **out, ninho_error *error)
{
    const ninho_alloc own = na_allocator(alloc);
    ninho_hyphen_text_options mine = NINHO_HYPHEN_TEXT_OPTIONS_INIT;

    const ninho_status status = check_options(options, &mine, error);
    if (status)
        return status;
    const size_t out_size =
        ninho_hyphen_bound(mine.max_word, mine.mark_size) + HY_SLACK + FLUSH_AT;
    const size_t room = sizeof(ninho_hyphen_stream) + mine.max_word + out_size;
    ninho_hyphen_stream *stream = na_alloc(&own, room, 1);
    if (!stream)
        return na_no_memory(error);
    *stream = (ninho_hyphen_stream){.alloc = own,
                                    .hyphenator = hyphenator,
                                    .sink = sink,
                                    .context = context,
                                    .units = mine.units,
                                    .runs = mine.runs,
                                    .mark_size = mine.mark_size,
                                    .max_word = mine.max_word,
                                    .held = (uint8_t *)(stream + 1),
                                    .out = (uint8_t *)(stream + 1) + mine.max_word,
                                    .out_size = out_size,
                                    .room = room};
    memcpy(stream->mark, mine.mark, mine.mark_size);
    *out = stream;
    return NINHO_OK;
}

void ninho_hyphen_stream_free(ninho_hyphen_stream *stream)
{
    if (!stream)
        return;
    const ninho_alloc alloc = stream->alloc;
    na_free(&alloc, stream, stream->room, 1);
}

/* ---- A whole text ------------------------------------------------------------------ */

struct target {
    uint8_t *out;
    size_t capacity;
    size_t size; /* needed so far */
};

static ninho_status to_target(void *context, const void *bytes, size_t size)
{
    struct target *target = context;

    if (size > SIZE_MAX - target->size)
        return NINHO_ERR_NOMEM;
    if (target->size <= target->capacity && size <= target->capacity - target->size)
        memcpy(target->out + target->size, bytes, size);
    target->size += size;
    return NINHO_OK;
}

ninho_status ninho_hyphen_text(ninho_hyphenator *hyphenator,
                               const ninho_hyphen_text_options *options, const void *text,
                               size_t size, void *out, size_t capacity, size_t *out_size,
                               ninho_error *error)
{
    struct target target = {.out = out, .capacity = capacity};
    ninho_hyphen_stream *stream;

    ninho_status status = ninho_hyphen_stream_create(
        hyphenator, options, to_target, &target, &hyphenator->alloc, &stream, error);
    if (status)
        return status;
    status = ninho_hyphen_stream_feed(stream, text, size);
    if (!status)
        status = ninho_hyphen_stream_finish(stream);
    ninho_hyphen_stream_free(stream);
    if (status)
        return na_fail(error, status, "%s", ninho_status_text(status));
    *out_size = target.size;
    if (target.size > capacity)
        return na_fail(error, NINHO_ERR_SPACE, "%zu bytes are needed", target.size);
    return NINHO_OK;
}
