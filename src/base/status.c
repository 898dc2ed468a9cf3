/* SPDX-License-Identifier: MIT */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(number)             #number
#define DOTTED(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *ninho_version(void)
{
    return DOTTED(NINHO_VERSION_MAJOR, NINHO_VERSION_MINOR, NINHO_VERSION_PATCH);
}

const char *ninho_status_text(ninho_status status)
{
    switch (status) {
    case NINHO_OK:
        return "ok";
    case NINHO_ERR_ARG:
        return "argument out of range";
    case NINHO_ERR_NOMEM:
        return "not enough memory";
    case NINHO_ERR_FULL:
        return "filter is full";
    case NINHO_ERR_UNSUPPORTED:
        return "this kind of filter cannot do that";
    case NINHO_ERR_NOT_FOUND:
        return "key is not in the filter";
    case NINHO_ERR_MISMATCH:
        return "filters differ";
    case NINHO_ERR_BUILD:
        return "construction gave up; try another seed";
    case NINHO_ERR_SPACE:
        return "buffer is too small";
    case NINHO_ERR_KEY:
        return "secret key is missing or wrong";
    case NINHO_ERR_IO:
        return "input or output failed";
    case NINHO_ERR_FORMAT:
        return "not a valid ninho file";
    case NINHO_ERR_VERSION:
        return "made by a newer ninho";
    case NINHO_ERR_CHECKSUM:
        return "checksum does not match: the bytes are damaged";
    }
    return "unknown status";
}

void nh_error_set(ninho_error *error, ninho_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        error->status = status;
        error->system_errno = 0;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
}

void nh_error_set_errno(ninho_error *error, int system_errno, const char *what)
{
    /* strerror_r has two incompatible forms; strerror's static buffer is only written for
     * unknown numbers, which the system does not hand out. */
    nh_error_set(error, NINHO_ERR_IO, "%s: %s", what, strerror(system_errno));
    if (error)
        error->system_errno = system_errno;
}
