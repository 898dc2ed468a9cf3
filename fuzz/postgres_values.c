/* SPDX-License-Identifier: MIT */
/* The functions of the PostgreSQL extension on any bytes where a filter belongs, without a server: the
 * extension's own sources, over a stand-in.
 *
 *     byte 0    bits: 0 checksums made right, 1 a key is set, 2 in a short header, 3 as base64,
 *               4 past the check on entry, as a page that went bad would come
 *     byte 1    how many bytes of the rest are calls
 *     calls     each: which, and its argument
 *     the rest  the filter
 */
#include "engines/postgres_server.h"

#include <lib/stringinfo.h>
#include <utils/uuid.h>

#undef printf
#undef fprintf
#undef snprintf
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform/frame_bytes.h"
#include "target.h"

Datum ninhopg_in(PG_FUNCTION_ARGS);
Datum ninhopg_out(PG_FUNCTION_ARGS);
Datum ninhopg_recv(PG_FUNCTION_ARGS);
Datum ninhopg_send(PG_FUNCTION_ARGS);
Datum ninhopg_from_bytea(PG_FUNCTION_ARGS);
Datum ninhopg_has_text(PG_FUNCTION_ARGS);
Datum ninhopg_has_int8(PG_FUNCTION_ARGS);
Datum ninhopg_has_uuid(PG_FUNCTION_ARGS);
Datum ninhopg_add_text(PG_FUNCTION_ARGS);
Datum ninhopg_add_int8(PG_FUNCTION_ARGS);
Datum ninhopg_add_uuid(PG_FUNCTION_ARGS);
Datum ninhopg_remove_text(PG_FUNCTION_ARGS);
Datum ninhopg_remove_int8(PG_FUNCTION_ARGS);
Datum ninhopg_remove_uuid(PG_FUNCTION_ARGS);
Datum ninhopg_union(PG_FUNCTION_ARGS);
Datum ninhopg_info(PG_FUNCTION_ARGS);
Datum ninhopg_count(PG_FUNCTION_ARGS);
Datum ninhopg_estimate(PG_FUNCTION_ARGS);
Datum ninhopg_union_step(PG_FUNCTION_ARGS);
Datum ninhopg_union_combine(PG_FUNCTION_ARGS);
Datum ninhopg_union_serialize(PG_FUNCTION_ARGS);
Datum ninhopg_union_deserialize(PG_FUNCTION_ARGS);
Datum ninhopg_union_final(PG_FUNCTION_ARGS);

enum { MAX_CALLS = 10, N_ASKED = 12 };

static const PGFunction asking[] = {ninhopg_has_text, ninhopg_has_int8, ninhopg_has_uuid};
static const PGFunction adding[] = {ninhopg_add_text, ninhopg_add_int8, ninhopg_add_uuid};
static const PGFunction removing[] = {ninhopg_remove_text, ninhopg_remove_int8,
                                      ninhopg_remove_uuid};

/* A value of type 0 text, 1 int8, 2 uuid. */
static Datum value_of(unsigned type, unsigned number)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";

    if (type == 0)
        return pg_varlena(letters + number % 26, number % 8, number & 1);
    if (type == 1)
        return Int64GetDatum((int64)number - 100);
    pg_uuid_t *uuid = palloc0(sizeof *uuid);
    uuid->data[3] = (unsigned char)number;
    return UUIDPGetDatum(uuid);
}

static const void *bytes_of(Datum filter, size_t *size)
{
    struct varlena *stored = (struct varlena *)DatumGetPointer(filter);

    *size = (size_t)VARSIZE_ANY_EXHDR(stored);
    return VARDATA_ANY(stored);
}

static bool is_equal(Datum a, Datum b)
{
    size_t n, m;
    const void *x = bytes_of(a, &n), *y = bytes_of(b, &m);

    return n == m && memcmp(x, y, n) == 0;
}

/* What the filter says of values of a type, as bits; -1: it cannot be asked. The second half is asked
 * of the filter as it lies in a TOAST table. */
static int64_t answers(Datum filter, unsigned type)
{
    FmgrInfo site = pg_site();
    size_t size;
    const void *bytes = bytes_of(filter, &size);
    const Datum apart = pg_toasted(bytes, size);
    int64_t bits = 0;

    for (unsigned i = 0; i < 2 * N_ASKED; i++) {
        const Datum arguments[] = {i < N_ASKED ? filter : apart,
                                   value_of(type, i % N_ASKED * 21)};
        Datum has;
        if (!pg_call(asking[type], &site, 2, arguments, &has))
            return -1;
        bits |= (int64_t)DatumGetBool(has) << i;
    }
    MUST((bits >> N_ASKED) == (bits & ((1 << N_ASKED) - 1)));
    return bits;
}

/* A filter that a function made: it is one, in every form, and what it is made of is in it. */
static void check_made(Datum made, Datum from, bool is_less)
{
    StringInfoData message;
    Datum text, again;
    size_t size;

    MUST(pg_call(ninhopg_from_bytea, NULL, 1, &made, &again));
    MUST(pg_call(ninhopg_out, NULL, 1, &made, &text));
    MUST(pg_call(ninhopg_in, NULL, 1, &text, &again) && is_equal(made, again));
    MUST(pg_call(ninhopg_send, NULL, 1, &made, &again) && is_equal(made, again));
    message = (StringInfoData){.data = (char *)(uintptr_t)bytes_of(made, &size)};
    message.len = (int)size;
    const Datum argument = PointerGetDatum(&message);
    MUST(pg_call(ninhopg_recv, NULL, 1, &argument, &again) && is_equal(made, again));
    MUST(pg_call(ninhopg_info, NULL, 1, &made, &again));
    for (unsigned type = 0; !is_less && type < 3; type++) {
        const int64_t before = answers(from, type);
        MUST(before == -1 || (before & ~answers(made, type)) == 0);
    }
}

/* The aggregate over the filter twice, in two workers. */
static bool unite_all(Datum filter, Datum *made)
{
    Datum states[2], bytes;

    if (!pg_call(ninhopg_union_deserialize, NULL, 1, &filter, &states[0]) ||
        !pg_call(ninhopg_union_deserialize, NULL, 1, &filter, &states[1]))
        return false;
    const Datum step[] = {states[0], filter};
    if (!pg_call(ninhopg_union_step, NULL, 2, step, &states[0]) ||
        !pg_call(ninhopg_union_combine, NULL, 2, states, &states[0]) ||
        !pg_call(ninhopg_union_serialize, NULL, 1, &states[0], &bytes))
        return false;
    MUST(pg_call(ninhopg_union_final, NULL, 1, &states[0], made) &&
         is_equal(bytes, *made));
    return true;
}

static void run_call(Datum *filter, unsigned which, unsigned number)
{
    const unsigned type = number % 3;
    const Datum arguments[] = {*filter, which % 4 < 2 ? value_of(type, number) : *filter};
    Datum made, has;
    bool is_made;

    switch (which % 4) {
    case 0:
        is_made = pg_call(adding[type], NULL, 2, arguments, &made);
        break;
    case 1:
        is_made = pg_call(removing[type], NULL, 2, arguments, &made);
        break;
    case 2:
        is_made = pg_call(ninhopg_union, NULL, 2, arguments, &made);
        break;
    default:
        is_made = unite_all(*filter, &made);
    }
    if (!is_made)
        return;
    const Datum ask[] = {made, arguments[1]};
    if (which % 4 == 0)
        MUST(pg_call(asking[type], NULL, 2, ask, &has) && DatumGetBool(has));
    check_made(made, *filter, which % 4 == 1);
    *filter = made;
}

/* The filter as it enters; false if it is refused. */
static bool enter(const uint8_t *bytes, size_t size, unsigned how, Datum *filter)
{
    const Datum raw = pg_varlena(bytes, size, how & 4);
    Datum text;

    *filter = raw;
    if (how & 16)
        return true;
    if (!(how & 8))
        return pg_call(ninhopg_from_bytea, NULL, 1, &raw, filter);
    MUST(pg_call(ninhopg_out, NULL, 1, &raw, &text));
    return pg_call(ninhopg_in, NULL, 1, &text, filter);
}

static void run_calls(Datum filter, const uint8_t *calls, size_t n)
{
    Datum result;

    (void)pg_call(ninhopg_info, NULL, 1, &filter, &result);
    (void)pg_call(ninhopg_count, NULL, 1, &filter, &result);
    (void)pg_call(ninhopg_estimate, NULL, 1, &filter, &result);
    for (unsigned type = 0; type < 3; type++)
        (void)answers(filter, type);
    for (size_t i = 0; i + 1 < n && i / 2 < MAX_CALLS; i += 2)
        run_call(&filter, calls[i], calls[i + 1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static bool is_begun;
    Datum filter;

    if (!is_begun)
        pg_begin();
    is_begun = true;
    if (size < 2)
        return 0;
    const size_t n_calls = bytes[1] < size - 2 ? bytes[1] : size - 2;
    const size_t n = size - 2 - n_calls;
    uint8_t *mine = malloc(n ? n : 1);
    MUST(mine);
    if (n)
        memcpy(mine, bytes + 2 + n_calls, n);
    if (bytes[0] & 1)
        fix_checksums(mine, n);
    pg_set_key(bytes[0] & 2 ? "7468652066757a7a65722773206b6579" : "");
    if (enter(mine, n, bytes[0], &filter))
        run_calls(filter, bytes + 2, n_calls);
    pg_end_query();
    free(mine);
    return 0;
}
