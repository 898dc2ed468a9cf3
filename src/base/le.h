/* SPDX-License-Identifier: MIT */
/* Little-endian loads and stores at any address. Tables are kept in memory as they are in
 * files, so these are the only way to a table's words. */
#ifndef NH_BASE_LE_H
#define NH_BASE_LE_H

#include <stdint.h>
#include <string.h>

#include <ninho/words.h>

static inline uint32_t nh_load_le32(const void *at)
{
    return ninho_load32_(at);
}

static inline uint64_t nh_load_le64(const void *at)
{
    return ninho_load64_(at);
}

static inline void nh_store_le16(void *at, uint16_t value)
{
    const uint16_t bytes = NINHO_LE16_(value);
    memcpy(at, &bytes, sizeof bytes);
}

static inline void nh_store_le64(void *at, uint64_t value)
{
    const uint64_t bytes = NINHO_LE64_(value);
    memcpy(at, &bytes, sizeof bytes);
}

#endif
