/* SPDX-License-Identifier: MIT */
/* Saying what went wrong: one statement for each failure, as in
 *
 *     return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
 *     return nh_fail_field(error, NINHO_FIELD_GROWTH, 2, 16, "must be 2 to 16, not %u", growth);
 *
 * Macros, so that whoever reads the code, analysers included, sees that the value is never
 * NINHO_OK. `error` may be NULL. */
#ifndef NH_BASE_STATUS_H
#define NH_BASE_STATUS_H

#include <ninho/status.h>

#define nh_fail(error, status, ...) \
    ((void)ninho_error_set((error), (status), __VA_ARGS__), (ninho_status)(status))

/* A refusal of the system's: NINHO_ERR_IO, with errno's text after a colon. */
#define nh_fail_errno(error, system_errno, what)                   \
    ((void)ninho_error_set_errno((error), (system_errno), (what)), \
     (ninho_status)NINHO_ERR_IO)

/* NINHO_ERR_ARG about a field of the spec. The text is the field's name, a space and what the
 * format gives. */
#define nh_fail_field(error, field, least, most, ...)                                   \
    (nh_error_set_field((error), NINHO_ERR_ARG, (field), (least), (most), __VA_ARGS__), \
     (ninho_status)NINHO_ERR_ARG)

/* NINHO_ERR_MISMATCH about a field in which two filters differ; likewise. */
#define nh_fail_differ(error, field, ...)                                         \
    (nh_error_set_field((error), NINHO_ERR_MISMATCH, (field), 0, 0, __VA_ARGS__), \
     (ninho_status)NINHO_ERR_MISMATCH)

/* Bytes that are not as they must be, from byte number `offset` of the file on. */
#define nh_fail_at(error, status, offset, ...) \
    (nh_error_set_at((error), (status), (offset), __VA_ARGS__), (ninho_status)(status))

void nh_error_set_at(ninho_error *error, ninho_status status, uint64_t offset,
                     const char *format, ...) NINHO_PRINTF_(4, 5);
void nh_error_set_field(ninho_error *error, ninho_status status, ninho_field field,
                        double least, double most, const char *format, ...)
    NINHO_PRINTF_(6, 7);

#endif
