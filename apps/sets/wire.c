/* SPDX-License-Identifier: MIT */
/* See wire.h. */
#include "wire.h"

#include <stdio.h>
#include <string.h>

#define TAG_BYTES 8

static const uint8_t preamble[8] = {'n', 'i', 'n', 'h',
                                    'o', '-', 's', NINHO_SETS_VERSION};

bool ns_wire_greet(const ninho_alloc *alloc, struct ns_wire *wire)
{
    return na_bytes_append(alloc, &wire->out, preamble, sizeof preamble);
}

/* ---- Coming ------------------------------------------------------------------------ */

static ninho_status take_preamble(struct ns_wire *wire, const uint8_t *bytes, size_t n,
                                  size_t *n_used, ninho_error *error)
{
    while (*n_used < n && wire->n_greeted < sizeof preamble) {
        const uint8_t byte = bytes[(*n_used)++];
        if (wire->n_greeted == sizeof preamble - 1 && byte != NINHO_SETS_VERSION)
            return na_fail(
                error, NINHO_ERR_VERSION,
                "the peer speaks version %u of the protocol, this is version %u: "
                "install the same ninho on both sides",
                byte, NINHO_SETS_VERSION);
        if (byte != preamble[wire->n_greeted])
            return na_fail(
                error, NINHO_ERR_FORMAT,
                "the peer does not speak the protocol of ninho: byte %zu of its "
                "greeting is 0x%02x (does something else write to the stream?)",
                wire->n_greeted + 1, byte);
        wire->n_greeted++;
    }
    return NINHO_OK;
}

static size_t most_of(uint8_t type)
{
    if (type == NS_DATA || type == NS_ITEMS)
        return NS_FRAME_MAX;
    return type == NS_ERROR ? 1 + NS_TEXT_MAX : NS_HEAD_MAX;
}

/* One more byte of type and length. */
static ninho_status take_header(const ninho_alloc *alloc, struct ns_wire *wire,
                                uint8_t byte, ninho_error *error)
{
    if (!na_bytes_append(alloc, &wire->in, &byte, 1))
        return na_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    if (wire->in.size == 1)
        return NINHO_OK;
    const size_t most = most_of(wire->in.data[0]);
    if (byte & 0x80) {
        /* Four bytes of 7 bits hold every length that is allowed. */
        if (wire->in.size > 4)
            return na_fail(
                error, NINHO_ERR_FORMAT,
                "a frame of type %u announces 256 MiB or more; the most is %zu bytes",
                wire->in.data[0], most);
        return NINHO_OK;
    }
    struct na_reader reader = na_reader_of(wire->in.data + 1, wire->in.size - 1);
    const uint64_t size = na_read_varint(&reader);
    if (size > most)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "a frame of type %u announces %llu bytes; the most is %zu",
                       wire->in.data[0], (unsigned long long)size, most);
    wire->payload_at = wire->in.size;
    wire->payload_size = (size_t)size;
    return NINHO_OK;
}

ninho_status ns_wire_take(const ninho_alloc *alloc, struct ns_wire *wire,
                          const uint8_t *bytes, size_t n, size_t *n_used, bool *is_whole,
                          ninho_error *error)
{
    *n_used = 0;
    *is_whole = false;
    /* The frame before this one has been looked at. */
    if (wire->payload_at &&
        wire->in.size == wire->payload_at + wire->payload_size + TAG_BYTES) {
        wire->in.size = 0;
        wire->payload_at = 0;
    }
    ninho_status status = take_preamble(wire, bytes, n, n_used, error);
    while (!status && !wire->payload_at && *n_used < n)
        status = take_header(alloc, wire, bytes[(*n_used)++], error);
    wire->bytes_received += *n_used;
    if (status || !wire->payload_at)
        return status;
    const size_t whole = wire->payload_at + wire->payload_size + TAG_BYTES;
    const size_t missing = whole - wire->in.size;
    const size_t left = n - *n_used;
    const size_t more = left < missing ? left : missing;
    if (!na_bytes_append(alloc, &wire->in, bytes + *n_used, more))
        return na_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    *n_used += more;
    wire->bytes_received += more;
    *is_whole = more == missing;
    return NINHO_OK;
}

uint8_t ns_wire_type(const struct ns_wire *wire)
{
    return wire->in.data[0];
}

struct na_reader ns_wire_payload(const struct ns_wire *wire)
{
    const uint8_t *payload = wire->in.data + wire->payload_at;

    return na_reader_of(payload, wire->payload_size);
}

bool ns_wire_check(struct ns_wire *wire, const struct ns_keys *keys)
{
    const uint8_t *payload = wire->in.data + wire->payload_at;
    const uint64_t tag = ns_keys_tag(keys, !wire->direction, wire->n_taken,
                                     wire->in.data[0], payload, wire->payload_size);

    if (na_load(payload + wire->payload_size, TAG_BYTES) != tag)
        return false;
    wire->n_taken++;
    return true;
}

/* ---- Going ------------------------------------------------------------------------- */

bool ns_wire_send(const ninho_alloc *alloc, struct ns_wire *wire,
                  const struct ns_keys *keys, uint8_t type, const void *payload,
                  size_t size)
{
    uint8_t header[1 + NA_VARINT_MAX] = {type};
    uint8_t tag[TAG_BYTES];
    const size_t header_size = 1 + na_varint_write(header + 1, size);

    if (!na_bytes_reserve(alloc, &wire->out, header_size + size + TAG_BYTES))
        return false;
    na_store(tag, ns_keys_tag(keys, wire->direction, wire->n_sent, type, payload, size),
             TAG_BYTES);
    /* There is room: these do not fail. */
    (void)na_bytes_append(alloc, &wire->out, header, header_size);
    (void)na_bytes_append(alloc, &wire->out, payload, size);
    (void)na_bytes_append(alloc, &wire->out, tag, TAG_BYTES);
    wire->n_sent++;
    return true;
}

void ns_wire_free(const ninho_alloc *alloc, struct ns_wire *wire)
{
    na_bytes_free(alloc, &wire->in);
    na_bytes_free(alloc, &wire->out);
}
