/* SPDX-License-Identifier: MIT */
/* Filters and their datums. A datum of the type ninho is a varlena that holds the bytes of a ninho file. Whatever
 * enters (text, binary, bytea) is verified as a whole; what a table gives back is verified again by who asks it
 * first, since disks fail, but not for each row. */
#include "ninho_pg.h"

#include <access/detoast.h>
#include <miscadmin.h>
#include <utils/hsearch.h>
#include <utils/memutils.h>

#include "../common/checked.h"

/* See docs/format.md. */
#define HEADER_SIZE_AT 8
#define MIN_HEADER     192
#define MAX_HEADER     6336
#define CHECKSUM_BYTES 8

#define MOST_SEEN 65536
#define MOST_KEPT 64

/* A filter that was verified, by its size and the checksum of its header, which covers that of its body. */
struct seen {
    uint64_t size;
    uint8_t checksum[CHECKSUM_BYTES];
};

/* A filter out of a TOAST table, and where it was. */
struct kept {
    struct varatt_external toast;
    struct varlena *filter;
    uint64_t last_use;
};

/* What a call site remembers. */
struct site {
    struct asked asked;
    /* over `bytes`, which are the caller's: used only while they are those of the call */
    ninho_view view;
    const uint8_t *bytes;
    size_t size;
    unsigned generation; /* of the secret */
    uint8_t header[MAX_HEADER];
    size_t header_size;
    HTAB *seen; /* the filters that were verified here, NULL before the first */
    struct kept kept[MOST_KEPT];
    unsigned n_kept;
    uint64_t kept_bytes;
    uint64_t n_uses;
};

static ninho_open_options open_options(bool allow_sealed)
{
    ninho_open_options options = NINHO_OPEN_INIT;

    options.secret = setting_secret();
    options.allow_sealed = allow_sealed && !options.secret;
    return options;
}

static void verify(const ninho_filter *filter)
{
    ninho_error error = NINHO_ERROR_INIT;
    const ninho_status status = ninho_filter_verify(filter, &error);

    if (status)
        raise_status(status, &error);
}

/* Opens bytes that are not known to be a filter. */
static const ninho_filter *open_view(ninho_view *view, const void *bytes, size_t size,
                                     bool allow_sealed)
{
    ninho_open_options options = open_options(allow_sealed);
    const ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_status status = ninho_filter_view(view, bytes, size, &options, &filter, &error);

    /* a filter under no secret is asked as ever, and one under another than ours can be kept, told about and united */
    if (status == NINHO_ERR_KEY_WRONG || status == NINHO_ERR_KEY_UNUSED) {
        options.secret = NULL;
        options.allow_sealed = allow_sealed;
        status = ninho_filter_view(view, bytes, size, &options, &filter, NULL);
    }
    if (status)
        raise_status(status, &error);
    return filter;
}

/* ---- A call site --------------------------------------------------------------------- */

static struct site *site_of(FunctionCallInfo fcinfo)
{
    FmgrInfo *function = fcinfo->flinfo;

    if (!function->fn_extra)
        function->fn_extra =
            MemoryContextAllocZero(function->fn_mcxt, sizeof(struct site));
    return function->fn_extra;
}

static size_t header_size(const uint8_t *bytes, size_t size)
{
    if (size < MIN_HEADER)
        return 0;
    const uint8_t *at = bytes + HEADER_SIZE_AT;
    const size_t header =
        (size_t)at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
    return header <= size && header <= MAX_HEADER ? header : 0;
}

static struct seen seen_of(const uint8_t *checksum, size_t size)
{
    struct seen seen = {.size = size};

    memcpy(seen.checksum, checksum, CHECKSUM_BYTES);
    return seen;
}

static bool was_seen(const struct site *at, const uint8_t *checksum, size_t size)
{
    const struct seen seen = seen_of(checksum, size);

    return at->seen && hash_search(at->seen, &seen, HASH_FIND, NULL);
}

static void remember(FunctionCallInfo fcinfo, struct site *at, const uint8_t *checksum,
                     size_t size)
{
    const struct seen seen = seen_of(checksum, size);

    if (at->seen && hash_get_num_entries(at->seen) >= MOST_SEEN) {
        hash_destroy(at->seen);
        at->seen = NULL;
    }
    if (!at->seen) {
        const HASHCTL shape = {.keysize = sizeof seen,
                               .entrysize = sizeof seen,
                               .hcxt = fcinfo->flinfo->fn_mcxt};
        at->seen = hash_create("ninho filters", 16, &shape,
                               HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
    }
    (void)hash_search(at->seen, &seen, HASH_ENTER, NULL);
}

/* Opens the bytes. What was verified at this site, also as another copy, is not read again: a view is safe whatever
 * the bytes are. */
static void site_open(FunctionCallInfo fcinfo, struct site *at, const uint8_t *bytes,
                      size_t size)
{
    const size_t header = header_size(bytes, size);
    ninho_spec spec = NINHO_SPEC_INIT;

    at->bytes = NULL; /* in case of an error */
    at->header_size = 0;
    at->asked.filter = open_view(&at->view, bytes, size, false);
    /* the header is good from here on, and so is its size */
    const uint8_t *checksum = bytes + header - CHECKSUM_BYTES;
    if (!was_seen(at, checksum, size)) {
        verify(at->asked.filter);
        remember(fcinfo, at, checksum, size);
    }
    ninho_status status = ninho_filter_spec(at->asked.filter, &spec);
    at->asked.encoding = spec.key_encoding;
    if (!status && spec.key_encoding != NINHO_KEY_HASHES)
        status = ninho_filter_hasher(at->asked.filter, &at->asked.hasher);
    if (status)
        raise_status(status, NULL);
    memcpy(at->header, bytes, header);
    at->header_size = header;
    at->size = size;
    at->generation = setting_generation();
    at->bytes = bytes;
}

/* Drops the filter that was asked longest ago. */
static void drop_one(struct site *at)
{
    unsigned oldest = 0;

    for (unsigned i = 1; i < at->n_kept; i++)
        if (at->kept[i].last_use < at->kept[oldest].last_use)
            oldest = i;
    const struct kept dropped = at->kept[oldest];
    at->kept[oldest] = at->kept[--at->n_kept];
    at->kept_bytes -= VARSIZE_ANY(dropped.filter);
    at->bytes = NULL; /* which may be its */
    pfree(dropped.filter);
}

/* A filter that lies in a TOAST table, fetched once for all rows that are asked with it. Where several take turns, as in
 * a join, as many are kept as work_mem allows. */
static struct varlena *site_fetch(FunctionCallInfo fcinfo, struct site *at,
                                  struct varlena *stored)
{
    struct varatt_external toast;

    VARATT_EXTERNAL_GET_POINTER(toast, stored);
    at->n_uses++;
    for (unsigned i = 0; i < at->n_kept; i++) {
        if (memcmp(&toast, &at->kept[i].toast, sizeof toast) == 0) {
            at->kept[i].last_use = at->n_uses;
            return at->kept[i].filter;
        }
    }
    const uint64_t most = (uint64_t)work_mem * 1024;
    while (at->n_kept == MOST_KEPT ||
           (at->n_kept && at->kept_bytes + (uint64_t)toast.va_rawsize > most))
        drop_one(at);
    MemoryContext before = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    struct varlena *fetched = detoast_attr(stored);
    MemoryContextSwitchTo(before);
    at->kept[at->n_kept++] =
        (struct kept){.toast = toast, .filter = fetched, .last_use = at->n_uses};
    at->kept_bytes += VARSIZE_ANY(fetched);
    return fetched;
}

const struct asked *filter_asked(FunctionCallInfo fcinfo, Datum datum)
{
    struct site *at = site_of(fcinfo);
    struct varlena *stored = (struct varlena *)DatumGetPointer(datum);

    if (VARATT_IS_EXTERNAL_ONDISK(stored))
        stored = site_fetch(fcinfo, at, stored);
    else
        stored = pg_detoast_datum_packed(stored);
    const uint8_t *bytes = (const uint8_t *)VARDATA_ANY(stored);
    const size_t size = (size_t)VARSIZE_ANY_EXHDR(stored);
    if (bytes != at->bytes || size != at->size ||
        at->generation != setting_generation() ||
        memcmp(bytes, at->header, at->header_size) != 0)
        site_open(fcinfo, at, bytes, size);
    return &at->asked;
}

/* ---- Elsewhere ----------------------------------------------------------------------- */

const ninho_filter *filter_view(Datum datum, ninho_view *view)
{
    struct varlena *packed = pg_detoast_datum_packed((struct varlena *)datum);
    const ninho_filter *filter =
        open_view(view, VARDATA_ANY(packed), (size_t)VARSIZE_ANY_EXHDR(packed), true);

    verify(filter);
    return filter;
}

ninho_filter *filter_copy(Datum datum, MemoryContext context)
{
    const ninho_alloc alloc = context_alloc(context);
    struct varlena *stored = (struct varlena *)DatumGetPointer(datum);
    struct varlena *packed = pg_detoast_datum_packed(stored);
    const void *bytes = VARDATA_ANY(packed);
    const size_t size = (size_t)VARSIZE_ANY_EXHDR(packed);
    ninho_open_options options = open_options(true);
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    options.alloc = &alloc;
    ninho_status status = ninho_filter_decode(bytes, size, &options, &filter, &error);
    if (status == NINHO_ERR_KEY_WRONG || status == NINHO_ERR_KEY_UNUSED) {
        options.secret = NULL;
        options.allow_sealed = true;
        status = ninho_filter_decode(bytes, size, &options, &filter, &error);
    }
    if (status)
        raise_status(status, &error);
    if (packed != stored)
        pfree(packed);
    return filter;
}

Datum filter_datum(const ninho_filter *filter)
{
    const size_t size = ninho_filter_encoded_size(filter);

    if (size > setting_limit())
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("ninho: a filter of %zu bytes: at most " UINT64_FORMAT
                               " can be kept here",
                               size, setting_limit()),
                        errhint(NINHO_SIZE_HINT)));
    struct varlena *made = palloc(VARHDRSZ + size);
    SET_VARSIZE(made, VARHDRSZ + size);
    const ninho_status status = ninho_filter_encode(filter, VARDATA(made), size, NULL);
    if (status)
        raise_status(status, NULL);
    return PointerGetDatum(made);
}

void filter_verify_bytes(const void *bytes, size_t size)
{
    ninho_view *view = palloc(sizeof *view);

    verify(open_view(view, bytes, size, true));
    pfree(view);
}

/* ---- Changing ------------------------------------------------------------------------ */

void filter_check_may_change(const ninho_filter *filter)
{
    if (ninho_filter_is_checked(filter))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("ninho: " CHECKED_REFUSED),
                        errhint("%s", "To do so, " CHECKED_ADVICE ".")));
}

void filter_unite(ninho_filter *target, const ninho_filter *source)
{
    ninho_error error = NINHO_ERROR_INIT;

    filter_check_may_change(target);
    filter_check_may_change(source);
    const ninho_status status = ninho_filter_union(target, source, &error);
    if (status)
        raise_status(status, &error);
}

/* What to write instead. */
static const char *encoding_hint(ninho_key_encoding filter)
{
    switch (filter) {
    case NINHO_KEY_BYTES:
        return "Cast the value to text or bytea.";
    case NINHO_KEY_INT64:
        return "Cast the value to what the filter was built from: an integer type, date "
               "or timestamp. A literal in quotes is text.";
    case NINHO_KEY_UUID:
        return "Cast the value to uuid.";
    default:
        return "Such keys are no values of SQL: ask it where it was built.";
    }
}

void filter_check_encoding(ninho_key_encoding filter, ninho_key_encoding value)
{
    if (filter != value)
        ereport(ERROR,
                (errcode(ERRCODE_DATATYPE_MISMATCH),
                 errmsg("ninho: the keys of this filter are %s, not %s",
                        ninho_key_encoding_name(filter), ninho_key_encoding_name(value)),
                 errhint("%s", encoding_hint(filter))));
}
