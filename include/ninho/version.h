/* SPDX-License-Identifier: MIT */
/* The one place where the version is written: CMake and ninho.pc read it from here. */
#ifndef NINHO_VERSION_H
#define NINHO_VERSION_H

#define NINHO_VERSION_MAJOR 0
#define NINHO_VERSION_MINOR 2
#define NINHO_VERSION_PATCH 0

/* A program may choose its own: static, say, where it includes ninho.c. */
#if defined(NINHO_API)
#elif defined(__GNUC__) && !defined(_WIN32) && !defined(NINHO_STATIC)
#define NINHO_API __attribute__((visibility("default")))
#else
#define NINHO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is running, as "major.minor.patch"; it may differ from
 * the header's. The string is static. Any thread. */
NINHO_API const char *ninho_version(void);

#ifdef __cplusplus
}
#endif

#endif
