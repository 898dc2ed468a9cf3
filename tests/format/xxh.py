# SPDX-License-Identifier: MIT
"""XXH3-64 and XXH64 in plain Python, written from the published specification of xxHash
(doc/xxhash_spec.md, version 0.2.0): the tests' second opinion on every hash and checksum."""

M64 = (1 << 64) - 1
M32 = (1 << 32) - 1

P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MX1, MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dcc"
    "ff7221b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819"
    "ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3eb"
    "c3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f"
    "95160428afd7fbcabb4b407e")


def u32(data, at=0):
    return int.from_bytes(data[at:at + 4], "little")


def u64(data, at=0):
    return int.from_bytes(data[at:at + 8], "little")


def rotl(x, n):
    return (x << n | x >> (64 - n)) & M64


def swap64(x):
    return int.from_bytes(x.to_bytes(8, "little"), "big")


def swap32(x):
    return int.from_bytes(x.to_bytes(4, "little"), "big")


def fold(a, b):
    product = a * b
    return (product ^ product >> 64) & M64


def avalanche(h):
    h ^= h >> 37
    h = h * MX1 & M64
    return h ^ h >> 32


def avalanche64(h):
    h ^= h >> 33
    h = h * P64_2 & M64
    h ^= h >> 29
    h = h * P64_3 & M64
    return h ^ h >> 32


def short(data, seed):
    n = len(data)
    if n == 0:
        return avalanche64(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        word = data[n - 1] | n << 8 | data[0] << 16 | data[n >> 1] << 24
        return avalanche64(word ^ (u32(SECRET) ^ u32(SECRET, 4)) + seed & M64)
    if n <= 8:
        seed ^= swap32(seed & M32) << 32
        h = (u64(SECRET, 8) ^ u64(SECRET, 16)) - seed & M64
        h ^= u32(data, n - 4) + (u32(data) << 32)
        h ^= rotl(h, 49) ^ rotl(h, 24)
        h = h * MX2 & M64
        h ^= (h >> 35) + n
        h = h * MX2 & M64
        return h ^ h >> 28
    low = ((u64(SECRET, 24) ^ u64(SECRET, 32)) + seed & M64) ^ u64(data)
    high = ((u64(SECRET, 40) ^ u64(SECRET, 48)) - seed & M64) ^ u64(data, n - 8)
    return avalanche(n + swap64(low) + high + fold(low, high) & M64)


def mix16(data, at, secret_at, seed):
    return fold(u64(data, at) ^ u64(SECRET, secret_at) + seed & M64,
                u64(data, at + 8) ^ u64(SECRET, secret_at + 8) - seed & M64)


def medium(data, seed):
    n = len(data)
    h = n * P64_1
    if n <= 128:
        for i in reversed(range((n - 1) // 32 + 1)):
            h += mix16(data, 16 * i, 32 * i, seed)
            h += mix16(data, n - 16 * (i + 1), 32 * i + 16, seed)
        return avalanche(h & M64)
    for i in range(8):
        h += mix16(data, 16 * i, 16 * i, seed)
    h = avalanche(h & M64)
    for i in range(8, n // 16):
        h += mix16(data, 16 * i, 16 * (i - 8) + 3, seed)
    return avalanche(h + mix16(data, n - 16, 136 - 17, seed) & M64)


def long(data, seed):
    secret = SECRET
    if seed:
        secret = b"".join(((u64(SECRET, i) + (-seed if i % 16 else seed)) & M64)
                          .to_bytes(8, "little") for i in range(0, 192, 8))
    acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]

    def stripe(at, secret_at):
        for i in range(8):
            value = u64(data, at + 8 * i)
            key = value ^ u64(secret, secret_at + 8 * i)
            acc[i ^ 1] = acc[i ^ 1] + value & M64
            acc[i] = acc[i] + (key & M32) * (key >> 32) & M64

    n = len(data)
    for block in range((n - 1) // 1024):
        for i in range(16):
            stripe(1024 * block + 64 * i, 8 * i)
        for i in range(8):
            acc[i] = (acc[i] ^ acc[i] >> 47 ^ u64(secret, 128 + 8 * i)) * P32_1 & M64
    last = (n - 1) // 1024 * 1024
    for i in range((n - 1 - last) // 64):
        stripe(last + 64 * i, 8 * i)
    stripe(n - 64, 192 - 71)
    h = n * P64_1
    for i in range(4):
        h += fold(acc[2 * i] ^ u64(secret, 11 + 16 * i), acc[2 * i + 1] ^ u64(secret, 19 + 16 * i))
    return avalanche(h & M64)


def xxh3_64(data, seed=0):
    return (short if len(data) <= 16 else medium if len(data) <= 240 else long)(data, seed)


def xxh64(data, seed=0):
    def round64(acc, lane):
        return rotl(acc + lane * P64_2 & M64, 31) * P64_1 & M64

    n, at = len(data), 0
    if n >= 32:
        acc = [seed + P64_1 + P64_2 & M64, seed + P64_2 & M64, seed, seed - P64_1 & M64]
        while n - at >= 32:
            acc = [round64(a, u64(data, at + 8 * i)) for i, a in enumerate(acc)]
            at += 32
        h = rotl(acc[0], 1) + rotl(acc[1], 7) + rotl(acc[2], 12) + rotl(acc[3], 18) & M64
        for a in acc:
            h = (h ^ round64(0, a)) * P64_1 + P64_4 & M64
    else:
        h = seed + P64_5
    h = h + n & M64
    while n - at >= 8:
        h = rotl(h ^ round64(0, u64(data, at)), 27) * P64_1 + P64_4 & M64
        at += 8
    if n - at >= 4:
        h = rotl(h ^ u32(data, at) * P64_1 & M64, 23) * P64_2 + P64_3 & M64
        at += 4
    for byte in data[at:]:
        h = rotl(h ^ byte * P64_5 & M64, 11) * P64_1 & M64
    return avalanche64(h)
