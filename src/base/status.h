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

/* Fills `error` (which may be NULL) and returns `status`, so that a failure is one statement:
 * return nh_fail(error, NINHO_ERR_ARG, "capacity must be ..."). */
ninho_status nh_fail(ninho_error *error, ninho_status status, const char *format, ...)
    NH_PRINTF(3, 4);

/* The same for a refusal of the system's: NINHO_ERR_IO, with errno's text after a colon. */
ninho_status nh_fail_errno(ninho_error *error, int system_errno, const char *what);

#endif
