/* SPDX-License-Identifier: MIT */
/* The type ninho: base64 as text, so that a filter crosses a connection in 4/3 of its size, and its own bytes in
 * binary and as bytea. */
#include "ninho_pg.h"

#include <common/base64.h>
#include <libpq/pqformat.h>
#include <utils/memutils.h>

NINHO_SQL_BEGIN
PG_FUNCTION_INFO_V1(ninhopg_in);
PG_FUNCTION_INFO_V1(ninhopg_out);
PG_FUNCTION_INFO_V1(ninhopg_recv);
PG_FUNCTION_INFO_V1(ninhopg_send);
PG_FUNCTION_INFO_V1(ninhopg_from_bytea);
NINHO_SQL_END

Datum ninhopg_in(PG_FUNCTION_ARGS)
{
    const char *text = PG_GETARG_CSTRING(0);
    const size_t length = strlen(text);
    /* pg_b64_dec_len() and pg_b64_enc_len() overflow from 537 MB on */
    const size_t room = length / 4 * 3;
    struct varlena *made = palloc(VARHDRSZ + room);
    const int size =
        length % 4 ? -1 : pg_b64_decode(text, (int)length, VARDATA(made), (int)room);

    if (size < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                        errmsg("ninho: not a filter: it is written in base64, without "
                               "blanks or line ends")));
    filter_verify_bytes(VARDATA(made), (size_t)size);
    SET_VARSIZE(made, VARHDRSZ + (size_t)size);
    PG_RETURN_POINTER(made);
}

Datum ninhopg_out(PG_FUNCTION_ARGS)
{
    struct varlena *packed = PG_GETARG_VARLENA_PP(0);
    const int size = (int)VARSIZE_ANY_EXHDR(packed);
    const size_t room = ((size_t)size + 2) / 3 * 4;

    if (room + 1 > MaxAllocSize)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("ninho: a filter of %d bytes is too large for text", size),
                        errhint("Fetch it in binary.")));
    char *text = palloc(room + 1);
    const int written = pg_b64_encode(VARDATA_ANY(packed), size, text, (int)room);
    if (written < 0)
        elog(ERROR, "ninho: base64 did not fit");
    text[written] = '\0';
    PG_RETURN_CSTRING(text);
}

Datum ninhopg_recv(PG_FUNCTION_ARGS)
{
    StringInfo message = (StringInfo)PG_GETARG_POINTER(0);
    const int size = message->len - message->cursor;
    struct varlena *made = palloc(VARHDRSZ + (size_t)size);

    pq_copymsgbytes(message, VARDATA(made), size);
    filter_verify_bytes(VARDATA(made), (size_t)size);
    SET_VARSIZE(made, VARHDRSZ + (size_t)size);
    PG_RETURN_POINTER(made);
}

Datum ninhopg_send(PG_FUNCTION_ARGS)
{
    struct varlena *packed = PG_GETARG_VARLENA_PP(0);
    StringInfoData message;

    pq_begintypsend(&message);
    pq_sendbytes(&message, VARDATA_ANY(packed), (int)VARSIZE_ANY_EXHDR(packed));
    PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

/* The other way needs no function: the datums are the same. */
Datum ninhopg_from_bytea(PG_FUNCTION_ARGS)
{
    struct varlena *packed = PG_GETARG_VARLENA_PP(0);

    filter_verify_bytes(VARDATA_ANY(packed), (size_t)VARSIZE_ANY_EXHDR(packed));
    PG_RETURN_POINTER(packed);
}
