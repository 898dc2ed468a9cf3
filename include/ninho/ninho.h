/* SPDX-License-Identifier: MIT */
/* Everything: #include <ninho/ninho.h>. But for lookups that are inlined: <ninho/inline.h>. */
#ifndef NINHO_NINHO_H
#define NINHO_NINHO_H

#include <ninho/alloc.h>
#include <ninho/checked.h>
#include <ninho/dict.h>
#include <ninho/file.h>
#include <ninho/filter.h>
#include <ninho/hash.h>
#include <ninho/probe.h>
#include <ninho/shared.h>
#include <ninho/spec.h>
#include <ninho/status.h>
#include <ninho/version.h>

#endif
