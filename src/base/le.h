/* SPDX-License-Identifier: MIT */
/* Little-endian loads and stores at any address. Tables are kept in memory as they are in
 * files, so these are the only way to a table's words. */
#ifndef NH_BASE_LE_H
#define NH_BASE_LE_H

#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NH_LE16(x) __builtin_bswap16(x)
#define NH_LE32(x) __builtin_bswap32(x)
#define NH_LE64(x) __builtin_bswap64(x)
#else
#define NH_LE16(x) (x)
#define NH_LE32(x) (x)
#define NH_LE64(x) (x)
#endif

static inline uint16_t nh_load_le16(const void *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return NH_LE16(value);
}

static inline uint32_t nh_load_le32(const void *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return NH_LE32(value);
}

static inline uint64_t nh_load_le64(const void *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return NH_LE64(value);
}

static inline void nh_store_le16(void *at, uint16_t value)
{
    value = NH_LE16(value);
    memcpy(at, &value, sizeof value);
}

static inline void nh_store_le32(void *at, uint32_t value)
{
    value = NH_LE32(value);
    memcpy(at, &value, sizeof value);
}

static inline void nh_store_le64(void *at, uint64_t value)
{
    value = NH_LE64(value);
    memcpy(at, &value, sizeof value);
}

#endif
