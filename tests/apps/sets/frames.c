/* SPDX-License-Identifier: MIT */
/* See frames.h. */
#include "apps/sets/frames.h"

#include <stdlib.h>
#include <string.h>

#define PREAMBLE 8

void frames_insert(struct frames *said, size_t at, uint8_t type, const void *payload,
                   size_t size)
{
    said->frames = realloc(said->frames, (said->n + 1) * sizeof *said->frames);
    CHECK(said->frames && at <= said->n);
    memmove(said->frames + at + 1, said->frames + at,
            (said->n - at) * sizeof *said->frames);
    said->n++;
    struct frame *frame = &said->frames[at];
    *frame = (struct frame){.type = type, .payload = malloc(size + 1), .size = size};
    CHECK(frame->payload);
    if (size)
        memcpy(frame->payload, payload, size);
}

void frames_remove(struct frames *said, size_t at)
{
    free(said->frames[at].payload);
    said->n--;
    memmove(said->frames + at, said->frames + at + 1,
            (said->n - at) * sizeof *said->frames);
}

void frame_resize(struct frame *frame, size_t size)
{
    frame->payload = realloc(frame->payload, size + 1);
    CHECK(frame->payload);
    if (size > frame->size)
        memset(frame->payload + frame->size, 0, size - frame->size);
    frame->size = size;
}

struct frame *frames_find(const struct frames *said, uint8_t type)
{
    for (size_t i = 0; i < said->n; i++)
        if (said->frames[i].type == type)
            return &said->frames[i];
    return NULL;
}

static struct frames parse(const uint8_t *bytes, size_t size, bool has_preamble)
{
    struct frames said = {.has_preamble = has_preamble};
    const size_t start = has_preamble ? PREAMBLE : 0;
    struct na_reader reader = na_reader_of(bytes + start, size - start);

    while (reader.at < reader.end) {
        const uint8_t type = (uint8_t)na_read(&reader, 1);
        const size_t length = (size_t)na_read_varint(&reader);
        const uint8_t *payload = na_read_bytes(&reader, length);
        const uint8_t *tag = na_read_bytes(&reader, 8);
        CHECK(payload && tag);
        frames_insert(&said, said.n, type, payload, length);
        memcpy(said.frames[said.n - 1].tag, tag, 8);
    }
    return said;
}

/* Everything that a side has to say now. */
static uint8_t *listen(ninho_exchange *x, size_t *size)
{
    uint8_t *bytes = NULL;
    const void *more = NULL;

    *size = 0;
    for (size_t n; (n = ninho_exchange_output(x, &more)) > 0;) {
        uint8_t *grown = realloc(bytes, *size + n);
        if (!grown)
            abort();
        bytes = grown;
        memcpy(bytes + *size, more, n);
        *size += n;
        ninho_exchange_sent(x, n);
    }
    return bytes;
}

static void say(ninho_exchange *to, const struct frame *frame)
{
    uint8_t header[1 + NA_VARINT_MAX] = {frame->type};
    const size_t size = 1 + na_varint_write(header + 1, frame->size);

    (void)ninho_exchange_take(to, header, size);
    (void)ninho_exchange_take(to, frame->payload, frame->size);
    (void)ninho_exchange_take(to, frame->tag, 8);
}

void talk_frames(ninho_exchange *asker, ninho_exchange *answerer, meddler meddle,
                 void *context, const struct ns_keys *keys,
                 const uint8_t nonces[2][NINHO_SETS_NONCE_BYTES])
{
    ninho_exchange *sides[2] = {asker, answerer};
    uint64_t n_said[2] = {0, 0};  /* frames */
    uint64_t n_given[2] = {0, 0}; /* after meddling */
    bool has_begun[2] = {false, false};

    for (bool moves = true; moves;) {
        moves = false;
        for (unsigned i = 0; i < 2; i++) {
            size_t size = 0;
            uint8_t *bytes = listen(sides[i], &size);
            if (size == 0)
                continue;
            moves = true;
            struct frames said = parse(bytes, size, !has_begun[i]);
            if (!has_begun[i])
                (void)ninho_exchange_take(sides[!i], bytes, PREAMBLE);
            has_begun[i] = true;
            const uint64_t first = n_said[i];
            n_said[i] += said.n;
            meddle(context, i, first, &said);
            for (size_t j = 0; j < said.n; j++) {
                struct frame *frame = &said.frames[j];
                if (keys) {
                    struct ns_keys mixed = *keys;
                    if (i == 1 || n_given[i] > 0)
                        ns_keys_mix(&mixed, nonces[0], nonces[1]);
                    na_store(frame->tag,
                             ns_keys_tag(&mixed, i, n_given[i], frame->type,
                                         frame->payload, frame->size),
                             8);
                }
                n_given[i]++;
                say(sides[!i], frame);
            }
            while (said.n)
                frames_remove(&said, said.n - 1);
            free(said.frames);
            free(bytes);
        }
    }
    for (unsigned i = 0; i < 2; i++)
        (void)ninho_exchange_end(sides[i]);
}
