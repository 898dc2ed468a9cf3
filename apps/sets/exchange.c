/* SPDX-License-Identifier: MIT */
/* The shell of an exchange: frames become messages, turns are kept, greetings are compared. What
 * the messages mean is in difference.c, common.c and answer.c. */
#include "exchange.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Failing ----------------------------------------------------------------------- */

void ns_stop_sending(ninho_exchange *x)
{
    struct ns_sending *sending = &x->sending;

    na_bytes_free(&x->alloc, &sending->data);
    if (sending->which)
        na_free(&x->alloc, sending->which,
                ns_bitmap_words(ninho_set_count(sending->items)), sizeof *sending->which);
    *sending = (struct ns_sending){0};
}

/* Notes the failure and, if `tell`, leaves a frame for the peer behind what is being sent. */
static void fail(ninho_exchange *x, const ninho_error *error, bool tell)
{
    uint8_t payload[1 + NS_TEXT_MAX];

    if (x->error.status)
        return;
    x->error = *error;
    ns_stop_sending(x);
    const size_t size = strlen(error->text);
    const size_t shown = size < NS_TEXT_MAX ? size : NS_TEXT_MAX;
    payload[0] = (uint8_t)error->status;
    memcpy(payload + 1, error->text, shown);
    if (tell) /* if there is no memory for it, the peer finds the stream closed */
        (void)ns_wire_send(&x->alloc, &x->wire, &x->keys, NS_ERROR, payload, 1 + shown);
}

ninho_status ns_give_up(ninho_exchange *x, ninho_status status, const char *format, ...)
{
    ninho_error error = NINHO_ERROR_INIT;
    char text[sizeof error.text];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)ninho_error_set(&error, status, "%s", text);
    fail(x, &error, true);
    return status;
}

ninho_status ns_no_memory(ninho_exchange *x)
{
    return ns_give_up(x, NINHO_ERR_NOMEM, "not enough memory");
}

ninho_status ns_refuse_answer(ninho_exchange *x)
{
    return ns_give_up(x, NINHO_ERR_FORMAT,
                      "the peer's answer announces %llu bytes and %llu items, which is "
                      "not what was asked for",
                      (unsigned long long)x->receiving.data_size,
                      (unsigned long long)x->receiving.n_items);
}

/* ---- Fields ------------------------------------------------------------------------ */

void ns_put(struct ns_fields *fields, uint64_t value, unsigned n_bytes)
{
    na_store(fields->bytes + fields->size, value, n_bytes);
    fields->size += n_bytes;
}

void ns_put_varint(struct ns_fields *fields, uint64_t value)
{
    fields->size += na_varint_write(fields->bytes + fields->size, value);
}

void ns_put_sum(struct ns_fields *fields, const struct ns_sum *sum)
{
    ns_put(fields, sum->low, 8);
    ns_put(fields, sum->high, 8);
}

struct ns_sum ns_read_sum(struct na_reader *reader)
{
    const uint64_t low = na_read(reader, 8);

    return (struct ns_sum){.low = low, .high = na_read(reader, 8)};
}

/* ---- Sending ----------------------------------------------------------------------- */

ninho_status ns_send(ninho_exchange *x, uint8_t type, const struct ns_fields *fields,
                     struct na_bytes *data, const ninho_set *items, uint64_t *which)
{
    struct ns_sending *sending = &x->sending;
    struct ns_fields head = {.size = 0};

    ns_stop_sending(x);
    if (data)
        sending->data = *data;
    sending->items = items;
    sending->which = which;
    if (items)
        sending->n_left = which ? ns_bitmap_count(which, ninho_set_count(items))
                                : ninho_set_count(items);
    ns_put_varint(&head, sending->data.size);
    ns_put_varint(&head, sending->n_left);
    if (fields) {
        memcpy(head.bytes + head.size, fields->bytes, fields->size);
        head.size += fields->size;
    }
    if (!ns_wire_send(&x->alloc, &x->wire, &x->keys, type, head.bytes, head.size)) {
        ns_stop_sending(x);
        return ns_no_memory(x);
    }
    x->turn = NS_TURN_MINE;
    return NINHO_OK;
}

ninho_status ns_request(ninho_exchange *x, uint8_t type, const struct ns_fields *fields,
                        struct na_bytes *data, const ninho_set *items, uint64_t *which)
{
    x->asked = type;
    return ns_send(x, type, fields, data, items, which);
}

ninho_status ns_finish(ninho_exchange *x)
{
    struct ns_fields fields = {.size = 0};

    ninho_status status = ns_settle(x);
    if (status)
        return status;
    ns_put(&fields, x->report.is_exact, 1);
    status = ns_send(x, NS_BYE, &fields, NULL, NULL, NULL);
    x->sending.is_last = true;
    return status;
}

/* The next items, whole ones, until a frame is full. */
static bool send_items(ninho_exchange *x)
{
    struct ns_sending *sending = &x->sending;
    const size_t n = ninho_set_count(sending->items);
    struct na_bytes payload = {0};
    bool is_fine = true;

    while (is_fine && sending->n_left > 0 && payload.size < NS_FRAME_FULL) {
        uint8_t length[NA_VARINT_MAX];
        size_t size = 0;
        if (sending->which)
            sending->next = ns_bitmap_next(sending->which, n, sending->next);
        const void *item = ninho_set_item(sending->items, sending->next, &size);
        if (payload.size && payload.size + size > NS_FRAME_FULL)
            break;
        sending->next++;
        sending->n_left--;
        is_fine =
            na_bytes_append(&x->alloc, &payload, length, na_varint_write(length, size)) &&
            na_bytes_append(&x->alloc, &payload, item, size);
    }
    is_fine = is_fine && ns_wire_send(&x->alloc, &x->wire, &x->keys, NS_ITEMS,
                                      payload.data, payload.size);
    na_bytes_free(&x->alloc, &payload);
    return is_fine;
}

/* Makes the next frame of the message that is being sent, if everything before it has gone. */
static void send_more(ninho_exchange *x)
{
    struct ns_sending *sending = &x->sending;
    struct ns_wire *wire = &x->wire;

    if (wire->out_at < wire->out.size)
        return;
    wire->out.size = wire->out_at = 0;
    if (x->error.status || x->turn != NS_TURN_MINE)
        return;
    bool is_fine = true;
    if (sending->data_at < sending->data.size) {
        const size_t left = sending->data.size - sending->data_at;
        const size_t size = left < NS_FRAME_FULL ? left : NS_FRAME_FULL;
        is_fine = ns_wire_send(&x->alloc, wire, &x->keys, NS_DATA,
                               sending->data.data + sending->data_at, size);
        sending->data_at += size;
    } else if (sending->n_left > 0) {
        is_fine = send_items(x);
    } else {
        x->turn = sending->is_last ? NS_TURN_OVER : NS_TURN_THEIRS;
        ns_stop_sending(x);
    }
    if (!is_fine)
        (void)ns_no_memory(x);
}

size_t ninho_exchange_output(ninho_exchange *x, const void **bytes)
{
    send_more(x);
    *bytes = x->wire.out.data + x->wire.out_at;
    return x->wire.out.size - x->wire.out_at;
}

void ninho_exchange_sent(ninho_exchange *x, size_t n)
{
    const size_t left = x->wire.out.size - x->wire.out_at;

    n = n < left ? n : left;
    x->wire.out_at += n;
    x->wire.bytes_sent += n;
    send_more(x); /* so that the state says what comes next */
}

/* ---- Greetings --------------------------------------------------------------------- */

/* The checksum of our set, and its ropes. */
static void weigh(ninho_exchange *x)
{
    const size_t n = ninho_set_count(x->set);
    struct ns_ropes ropes;

    ns_ropes_init(&ropes);
    x->sum_here = (struct ns_sum){0};
    for (size_t i = 0; i < n; i++) {
        size_t size = 0;
        const void *item = ninho_set_item(x->set, i, &size);
        const struct ns_sum hash = ns_keys_wide(&x->keys, item, size);
        ns_sum_add(&x->sum_here, &hash);
        ns_ropes_add(&ropes, &hash);
    }
    ns_ropes_positions(&ropes, x->ropes_here);
}

/* question 1 | audience 1 | key check 8 | nonce 16 | items | bytes | and from the answerer of a
 * difference: checksum 16 | ropes */
ninho_status ns_greet(ninho_exchange *x)
{
    struct ns_fields fields = {.size = 0};

    ns_put(&fields, x->options.question, 1);
    ns_put(&fields, x->options.audience, 1);
    ns_put(&fields, x->key_check, 8);
    memcpy(fields.bytes + fields.size, x->options.nonce, NINHO_SETS_NONCE_BYTES);
    fields.size += NINHO_SETS_NONCE_BYTES;
    ns_put_varint(&fields, ninho_set_count(x->set));
    ns_put_varint(&fields, ninho_set_bytes(x->set));
    if (!x->is_asker && x->options.question == NINHO_SETS_DIFFERENCE) {
        weigh(x);
        ns_put_sum(&fields, &x->sum_here);
        for (unsigned i = 0; i < NS_ROPES; i++)
            ns_put_varint(&fields, na_zigzag(x->ropes_here[i]));
    }
    return ns_send(x, NS_HELLO, &fields, NULL, NULL, NULL);
}

/* The ropes' estimate, as far as the sizes allow it. */
static double estimated(const ninho_exchange *x, const int64_t ropes[NS_ROPES])
{
    const double n_here = (double)ninho_set_count(x->set);
    const double n_there = (double)x->n_there;
    const double least = n_here > n_there ? n_here - n_there : n_there - n_here;
    const double estimate = ns_ropes_estimate(x->ropes_here, ropes);

    if (estimate > n_here + n_there)
        return n_here + n_there;
    return estimate > least ? estimate : least;
}

static ninho_status check_greeting(ninho_exchange *x, uint64_t question,
                                   uint64_t audience, uint64_t key_check)
{
    if (key_check != x->key_check) {
        /* The peer shows this sentence, too: it must be true as read from either side. */
        const bool is_askers = (x->key_check != 0) == x->is_asker;
        if (x->key_check && key_check)
            return ns_give_up(
                x, NINHO_ERR_KEY_WRONG,
                "the two sides have different secrets: give both the same one");
        return ns_give_up(x, NINHO_ERR_KEY_MISSING,
                          "the side that %s has a secret, and the side that %s has none: "
                          "give both the same one",
                          is_askers ? "asks" : "answers", is_askers ? "answers" : "asks");
    }
    if (x->is_asker) {
        if (question != (uint64_t)x->options.question ||
            audience != (uint64_t)x->options.audience)
            return ns_give_up(x, NINHO_ERR_FORMAT,
                              "the peer answers another question than was asked");
        return NINHO_OK;
    }
    if ((question != NINHO_SETS_DIFFERENCE && question != NINHO_SETS_COMMON) ||
        audience > NINHO_SETS_BOTH)
        return ns_give_up(x, NINHO_ERR_FORMAT, "the peer asks what is not known here");
    x->options.question =
        question == NINHO_SETS_COMMON ? NINHO_SETS_COMMON : NINHO_SETS_DIFFERENCE;
    x->options.audience = audience ? NINHO_SETS_BOTH : NINHO_SETS_ASKER;
    return NINHO_OK;
}

static ninho_status wrong_tag(ninho_exchange *x)
{
    return ns_give_up(
        x, NINHO_ERR_CHECKSUM,
        "frame %llu from the peer is damaged, out of order or from another talk",
        (unsigned long long)x->wire.n_taken + 1);
}

/* The first frame of a peer. The asker's is tagged by the secret alone, the answerer's by both
 * nonces: what was recorded from an older talk does not fit. */
static ninho_status take_greeting(ninho_exchange *x)
{
    struct na_reader reader = ns_wire_payload(&x->wire);

    if (ns_wire_type(&x->wire) != NS_HELLO)
        return ns_give_up(x, NINHO_ERR_FORMAT, "the peer's first frame is no greeting");
    if (na_read_varint(&reader) != 0 || na_read_varint(&reader) != 0)
        reader.is_bad = true;
    const uint64_t question = na_read(&reader, 1);
    const uint64_t audience = na_read(&reader, 1);
    const uint64_t key_check = na_read(&reader, 8);
    const uint8_t *nonce = na_read_bytes(&reader, NINHO_SETS_NONCE_BYTES);
    x->n_there = na_read_varint(&reader);
    x->bytes_there = na_read_varint(&reader);
    if (reader.is_bad || !nonce)
        return ns_give_up(x, NINHO_ERR_FORMAT, "the peer's greeting is too short");
    ninho_status status = check_greeting(x, question, audience, key_check);
    if (status)
        return status;
    if (x->is_asker) {
        ns_keys_mix(&x->keys, x->options.nonce, nonce);
        if (!ns_wire_check(&x->wire, &x->keys))
            return wrong_tag(x);
    } else {
        if (!ns_wire_check(&x->wire, &x->keys))
            return wrong_tag(x);
        ns_keys_mix(&x->keys, nonce, x->options.nonce);
    }
    int64_t ropes[NS_ROPES] = {0};
    const bool is_weighed = x->is_asker && question == NINHO_SETS_DIFFERENCE;
    if (is_weighed) {
        x->sum_there = ns_read_sum(&reader);
        for (unsigned i = 0; i < NS_ROPES; i++)
            ropes[i] = na_unzigzag(na_read_varint(&reader));
    }
    if (reader.is_bad || reader.at != reader.end || x->n_there > NINHO_SETS_MAX_ITEMS ||
        x->bytes_there > x->n_there * NINHO_SETS_MAX_ITEM)
        return ns_give_up(x, NINHO_ERR_FORMAT,
                          "the numbers in the peer's greeting contradict each other");
    x->has_greeted = true;
    x->report.n_there = x->n_there;
    if (!x->is_asker)
        return ns_greet(x);
    if (is_weighed) {
        weigh(x);
        x->report.estimate = estimated(x, ropes);
        return ns_difference_start(x);
    }
    return ns_common_start(x);
}

/* ---- Receiving --------------------------------------------------------------------- */

static ninho_status on_head(ninho_exchange *x, struct na_reader *reader)
{
    if (!x->is_asker)
        return ns_answer_head(x, reader);
    return x->options.question == NINHO_SETS_COMMON ? ns_common_head(x, reader)
                                                    : ns_difference_head(x, reader);
}

static ninho_status on_whole(ninho_exchange *x)
{
    if (!x->is_asker)
        return ns_answer_whole(x);
    return x->options.question == NINHO_SETS_COMMON ? ns_common_whole(x)
                                                    : ns_difference_whole(x);
}

static ninho_status open_message(ninho_exchange *x, uint8_t type,
                                 struct na_reader *reader)
{
    struct ns_receiving *in = &x->receiving;

    if (x->is_asker ? type != x->asked + NS_ANSWER
                    : type != NS_BYE && (type < NS_CELLS || type > NS_MATCH))
        return ns_give_up(x, NINHO_ERR_FORMAT,
                          "the peer sent a frame of type %u, which does not belong here",
                          type);
    in->is_open = true;
    in->type = type;
    in->data_size = na_read_varint(reader);
    in->n_items = na_read_varint(reader);
    in->n_items_got = 0;
    in->data.size = 0;
    const ninho_status status = on_head(x, reader);
    if (status)
        return status;
    if (reader->is_bad || reader->at != reader->end)
        return ns_give_up(x, NINHO_ERR_FORMAT,
                          "the head of a message of type %u is malformed", type);
    if (in->data_size > x->options.max_bytes)
        return ns_give_up(
            x, NINHO_ERR_FULL, "the peer announces %llu bytes; the limit here is %llu",
            (unsigned long long)in->data_size, (unsigned long long)x->options.max_bytes);
    return NINHO_OK;
}

static ninho_status take_items(ninho_exchange *x, struct na_reader *reader)
{
    struct ns_receiving *in = &x->receiving;
    ninho_status status = NINHO_OK;

    while (!status && reader->at < reader->end) {
        const uint64_t size = na_read_varint(reader);
        const uint8_t *item =
            size <= NINHO_SETS_MAX_ITEM ? na_read_bytes(reader, (size_t)size) : NULL;
        if (reader->is_bad || !item || in->n_items_got == in->n_items)
            return ns_give_up(
                x, NINHO_ERR_FORMAT, "item %llu of %llu is cut, too long or one too many",
                (unsigned long long)in->n_items_got + 1, (unsigned long long)in->n_items);
        in->n_items_got++;
        status = x->is_asker ? ns_difference_item(x, item, (size_t)size)
                             : ns_answer_item(x, item, (size_t)size);
    }
    return status;
}

/* One frame of a message. */
static ninho_status take_part(ninho_exchange *x)
{
    struct ns_receiving *in = &x->receiving;
    struct na_reader reader = ns_wire_payload(&x->wire);
    const uint8_t type = ns_wire_type(&x->wire);
    const size_t size = (size_t)(reader.end - reader.at);
    ninho_status status = NINHO_OK;

    if (!in->is_open) {
        status = open_message(x, type, &reader);
    } else if (type == NS_DATA && size > 0 && size <= in->data_size - in->data.size) {
        if (!na_bytes_reserve_within(&x->alloc, &in->data, size, in->data_size) ||
            !na_bytes_append(&x->alloc, &in->data, reader.at, size))
            return ns_no_memory(x);
    } else if (type == NS_ITEMS && size > 0 && in->data.size == in->data_size) {
        status = take_items(x, &reader);
    } else {
        return ns_give_up(x, NINHO_ERR_FORMAT,
                          "a frame of type %u and %zu bytes does not belong here", type,
                          size);
    }
    if (status || in->data.size < in->data_size || in->n_items_got < in->n_items)
        return status;
    in->is_open = false;
    if (x->is_asker)
        x->report.rounds++;
    status = on_whole(x);
    na_bytes_free(&x->alloc, &in->data);
    return status;
}

/* The peer gave up. What it says is shown, but nothing in it is trusted. */
static ninho_status take_error(ninho_exchange *x)
{
    struct na_reader reader = ns_wire_payload(&x->wire);
    ninho_error error = {.status = NINHO_ERR_MISMATCH};
    char text[NS_TEXT_MAX + 1];
    size_t n = 0;

    const uint64_t status = na_read(&reader, 1);
    for (; reader.at < reader.end && n < NS_TEXT_MAX; reader.at++)
        text[n++] = (char)(*reader.at >= 0x20 && *reader.at < 0x7f ? *reader.at : '?');
    text[n] = '\0';
    if (status == NINHO_ERR_KEY_MISSING || status == NINHO_ERR_KEY_WRONG ||
        status == NINHO_ERR_VERSION)
        error.status = (ninho_status)status;
    (void)snprintf(error.text, sizeof error.text, "the peer gave up: \"%s\"", text);
    fail(x, &error, false);
    return x->error.status;
}

static ninho_status take_frame(ninho_exchange *x)
{
    if (ns_wire_type(&x->wire) == NS_ERROR)
        return take_error(x);
    if (x->turn != NS_TURN_THEIRS)
        return ns_give_up(x, NINHO_ERR_FORMAT, "the peer speaks out of turn");
    if (!x->has_greeted)
        return take_greeting(x);
    if (!ns_wire_check(&x->wire, &x->keys))
        return wrong_tag(x);
    return take_part(x);
}

ninho_status ninho_exchange_take(ninho_exchange *x, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    ninho_error error = NINHO_ERROR_INIT;

    if (x->error.status)
        return x->error.status;
    send_more(x);
    while (n > 0) {
        size_t n_used = 0;
        bool is_whole = false;
        if (x->turn == NS_TURN_OVER)
            return NINHO_ERR_FORMAT;
        ninho_status status =
            ns_wire_take(&x->alloc, &x->wire, at, n, &n_used, &is_whole, &error);
        if (status)
            fail(x, &error, true);
        else if (is_whole)
            status = take_frame(x);
        if (status)
            return status;
        at += n_used;
        n -= n_used;
    }
    return NINHO_OK;
}

ninho_status ninho_exchange_end(ninho_exchange *x)
{
    if (x->error.status)
        return x->error.status;
    if (x->turn == NS_TURN_OVER)
        return NINHO_OK;
    const char *where = "before its greeting";
    if (x->has_greeted)
        where =
            x->receiving.is_open ? "in the middle of a message" : "between two messages";
    if (x->wire.in.size > 0 &&
        x->wire.in.size != x->wire.payload_at + x->wire.payload_size + 8)
        where = "in the middle of a frame";
    return ns_give_up(x, NINHO_ERR_FORMAT, "the peer's stream ended %s, after %llu bytes",
                      where, (unsigned long long)x->wire.bytes_received);
}
