/* SPDX-License-Identifier: MIT */
#ifndef NH_IO_FILE_H
#define NH_IO_FILE_H

#include <ninho/file.h>

#ifdef NINHO_TEST_HOOKS
#include <stdbool.h>

/* Gives every temporary file a name, as where the system has no unnamed ones. */
extern bool nh_file_always_named;
#endif

#endif
