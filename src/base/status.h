/* SPDX-License-Identifier: MIT */
/* Saying what went wrong. */
#ifndef NH_BASE_STATUS_H
#define NH_BASE_STATUS_H

#include <ninho/status.h>

#ifdef __GNUC__
#define NH_PRINTF(template, first) __attribute__((format(printf, template, first)))
#else
#define NH_PRINTF(template, first)
#endif

/* Fills `error`, which may be NULL. */
void nh_error_set(ninho_error *error, ninho_status status, const char *format, ...)
    NH_PRINTF(3, 4);

/* The same with `status` as its value, so that a failure is one statement: return
 * nh_fail(error, NINHO_ERR_ARG, "capacity must be ..."). A macro, so that whoever reads
 * the code, analysers included, sees that the value is never NINHO_OK. */
#define nh_fail(error, status, ...) \
    (nh_error_set((error), (status), __VA_ARGS__), (ninho_status)(status))

/* The same for a refusal of the system's: NINHO_ERR_IO, with errno's text after a
 * colon. */
void nh_error_set_errno(ninho_error *error, int system_errno, const char *what);
#define nh_fail_errno(error, system_errno, what) \
    (nh_error_set_errno((error), (system_errno), (what)), (ninho_status)NINHO_ERR_IO)

#endif
