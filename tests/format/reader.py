# SPDX-License-Identifier: MIT
"""A second reader of ninho files, written from docs/format.md alone, with Python's standard
library: it decodes the header and answers membership for the kinds bloom and blocked."""

import struct

from xxh import xxh3_64, xxh64

BLOOM, BLOCKED = 1, 2
XXH3, XXH64 = 1, 3
BYTES, INT64 = 1, 2
SALTS = (0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947,
         0x5c6bfb31)


class Refused(Exception):
    pass


class Filter:
    def __init__(self, data):
        def must(claim, what):
            if not claim:
                raise Refused(what)

        must(data[:6] == b"NINHO\0", "magic")
        must(len(data) >= 192, "cut short")
        (self.version, header_size, self.kind, self.key_encoding, self.hash, self.seed, key_check,
         self.capacity, self.count, self.fpr, self.flags, n_parts, body_size, body_sum, n_meta,
         reserved, options) = struct.unpack_from("<HIHBBQQQQdIIQQIIQ", data, 6)
        must(self.version == 1, "version")
        must(self.kind in (BLOOM, BLOCKED) and self.hash in (XXH3, XXH64), "kind or hash")
        must(self.key_encoding in (BYTES, INT64) and not self.flags & ~1, "encoding or flags")
        must(n_parts == 1 and not reserved and not options and not key_check, "parts or options")
        must(n_meta <= 4096 and header_size == (96 + 64 + n_meta + 8 + 63) // 64 * 64, "header size")
        must(len(data) == header_size + body_size, "size")
        must(xxh3_64(data[:header_size - 8]) == struct.unpack_from("<Q", data, header_size - 8)[0],
             "header checksum")
        must(not any(data[160 + n_meta:header_size - 8]), "padding")
        part_kind, zero, self.k, part_capacity, _, self.cells, w0, w1, offset, size = \
            struct.unpack_from("<HHIQQQQQQQ", data, 96)
        must(part_kind == self.kind and not (zero or w0 or w1 or offset), "part")
        must(1 <= self.capacity <= 1 << 48 and part_capacity, "capacity")
        must(2.0 ** -1000 <= self.fpr < 1, "fpr")
        must(size == body_size, "body size")
        if self.kind == BLOOM:
            must(1 <= self.k <= 64 and size == (self.cells + 7) // 8 > 0, "geometry")
        else:
            must(self.k == 8 and size == 32 * self.cells > 0, "geometry")
        self.body = data[header_size:]
        must(xxh3_64(self.body) == body_sum, "body checksum")
        must(self.kind == BLOCKED or self.body[-1] >> ((self.cells - 1) % 8 + 1) == 0, "spare bits")
        lines = data[160:160 + n_meta].split(b"\n")
        must(lines.pop() == b"", "metadata")
        self.meta = dict(line.split(b"=", 1) for line in lines)

    def bit(self, i):
        return self.body[i // 8] >> i % 8 & 1

    def has(self, key):
        """True: maybe a member. `key` is bytes, or an int in the int64 encoding."""
        if self.key_encoding == INT64:
            key = key.to_bytes(8, "little", signed=True)
        h = (xxh3_64 if self.hash == XXH3 else xxh64)(key, self.seed)
        if self.kind == BLOCKED:
            block = (h >> 32) * self.cells >> 32
            return all(self.bit(256 * block + 32 * i + ((h * salt & 0xffffffff) >> 27))
                       for i, salt in enumerate(SALTS))
        for _ in range(self.k):
            if not self.bit(h * self.cells >> 64):
                return False
            h = h * 0xd1342543de82ef95 & (1 << 64) - 1
        return True
