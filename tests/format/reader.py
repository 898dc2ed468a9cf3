# SPDX-License-Identifier: MIT
"""A second reader of ninho files, written from docs/format.md alone, with Python's standard
library: it decodes the header and answers membership for the kinds bloom, blocked, cuckoo,
quotient and ribbon, and for scalable over the first three."""

import struct

from xxh import xxh3_64, xxh64

BLOOM, BLOCKED, CUCKOO, QUOTIENT_1, SCALABLE, QUOTIENT, RIBBON = 1, 2, 4, 5, 8, 9, 10
XXH3, XXH64 = 1, 3
BYTES, INT64, KMER = 1, 2, 4
SALTS = (0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947,
         0x5c6bfb31)
WORD = (1 << 64) - 1


class Refused(Exception):
    pass


def must(claim, what):
    if not claim:
        raise Refused(what)


class Part:
    """One table. Subclasses know their kind's words, bytes and lookup."""

    def __init__(self, record, body):
        (self.kind, zero, self.k, self.capacity, self.count, self.cells, self.w0, self.w1,
         self.offset, self.size) = struct.unpack_from("<HHIQQQQQQQ", record)
        must(not zero and 1 <= self.capacity <= 1 << 60 and self.count <= 1 << 60, "part")
        must(self.offset + self.size <= len(body), "part's place")
        self.body = body[self.offset:self.offset + self.size]
        self.check()

    def bits(self, at, n):
        low, high = at // 8, (at + n + 7) // 8
        return int.from_bytes(self.body[low:high], "little") >> at % 8 & (1 << n) - 1


class Bloom(Part):
    def check(self):
        must(not (self.w0 or self.w1) and 1 <= self.k <= 64, "words or k")
        must(self.size == (self.cells + 7) // 8 > 0, "geometry")
        must(self.bits(self.cells, 8) == 0, "spare bits")

    def has(self, h):
        for _ in range(self.k):
            if not self.bits(h * self.cells >> 64, 1):
                return False
            h = h * 0xd1342543de82ef95 & WORD
        return True


class Blocked(Part):
    def check(self):
        must(not (self.w0 or self.w1) and self.k == 8, "words or k")
        must(self.size == 32 * self.cells > 0, "geometry")

    def has(self, h):
        block = (h >> 32) * self.cells >> 32
        return all(self.bits(256 * block + 32 * i + ((h * salt & 0xffffffff) >> 27), 1)
                   for i, salt in enumerate(SALTS))


class Cuckoo(Part):
    def check(self):
        self.w, self.n, self.g = self.w0 & 0xff, self.w0 >> 8 & 0xff, self.w0 >> 24 & 0xff
        self.windows, self.by_offset = bool(self.w0 >> 16 & 1), bool(self.w0 >> 17 & 1)
        walk = self.w0 >> 20 & 1
        self.near = bool(self.w0 >> 21 & 1)
        must(not self.k and not self.w0 >> 32 and not self.w0 & 0xc00000, "words or k")
        must(1 <= self.w1 <= (65535 if walk else 1000000), "limit")
        must((2 if self.windows else 1) <= self.n <= (4 if self.windows else 255), "place")
        must((8 if self.windows or self.by_offset else 4) <= self.w - self.g and self.w <= 32,
             "bits of a slot")
        must(self.n <= self.cells <= 1 << 50, "slots")
        if self.near:
            must(not self.windows and not self.by_offset and self.n == 4 and not self.g, "near")
            must(self.w in (8, 10, 12, 14, 16), "bits of a slot under near")
            must(self.cells >= 8 and self.cells % 4 == 0, "buckets")
            buckets = self.cells // 4
            self.r = min(16, max(1, buckets.bit_length() - 4))
            self.p = buckets >> self.r << self.r
        elif self.windows:
            self.p = self.cells - self.n + 1
        else:
            self.p = self.cells // self.n
            must(self.cells % self.n == 0, "buckets")
        if not self.by_offset and not self.near:
            must(self.p >= 2 and self.p & self.p - 1 == 0, "a power of two of places")
        must(self.size == (self.cells * self.w + 7) // 8, "geometry")
        must(self.capacity <= self.cells, "capacity")
        self.marks = (self.n if self.windows else 1) * (2 if self.by_offset else 1)
        self.tags = (2 ** (self.w - self.g) - 1) // self.marks << self.g
        values = [self.bits(i * self.w, self.w) for i in range(self.cells)]
        must(sum(value != 0 for value in values) == self.count, "count")
        must(all(self.is_possible(i, value) for i, value in enumerate(values)), "a tag")
        must(self.bits(self.cells * self.w, 8) == 0, "spare bits")

    def is_possible(self, slot, value):
        if value == 0:
            return True
        if value - 1 >= self.marks * self.tags:
            return False
        if self.near:
            return slot // 4 < self.p
        return not self.windows or 0 <= slot - (value - 1) % self.marks % self.n < self.p

    def places(self, h):
        first = h * self.p >> 64
        if self.near:
            tag = (h & 0xffffffff) * self.tags >> 32
            x = (tag + 1) * 0xd1342543de82ef95 & WORD
            return tag, (first, first ^ (x >> 64 - self.r | 1))
        tag = (h * 0x9e3779b97f4a7c15 & WORD) * self.tags >> 64
        x = (tag + 1) * 0xd1342543de82ef95 & WORD
        x = (x ^ x >> 32) * 0xff51afd7ed558ccd & WORD
        d = 1 + (x * (self.p - 1) >> 64)
        return tag, (first, (first + d) % self.p if self.by_offset else first ^ d)

    def has(self, h):
        tag, places = self.places(h)
        for side, place in enumerate(places):
            for i in range(self.n):
                slot = place + i if self.windows else place * self.n + i
                value = 1 + self.marks * tag
                if self.windows:
                    value += i
                if self.by_offset:
                    value += side * (self.n if self.windows else 1)
                if self.bits(slot * self.w, self.w) == value:
                    return True
        return False

    def nests_in(self, before, growth):
        """Whether this part may follow that one."""
        more = self.g - before.g
        return (self.by_offset and more >= 0 and self.p == growth * before.p
                and self.w0 == before.w0 + (more << 24 | more) and self.w1 == before.w1)


class QuotientBase(Part):
    """What both layouts share; subclasses know one bit and one remainder of a slot."""

    def check(self):
        self.r, self.made, bought = (self.w0 >> at & 0xff for at in (0, 8, 16))
        n = self.cells
        must(not self.k and not self.w0 >> 24 and self.w1 <= 1 << 48, "words or k")
        must(self.capacity <= self.w1 <= self.capacity << bought, "max capacity")
        must(not bought or self.capacity << bought - 1 < self.w1, "doublings bought")
        must(self.made <= bought and 1 <= self.r and self.r + self.made <= 57, "remainders")
        must(self.r > bought - self.made and n << self.r <= 1 << 63, "remainders")
        must(0 < n <= 1 << 56 and n % (64 << self.made) == 0, "slots")
        must(self.capacity <= n >> self.made and self.count < n, "capacity or count")
        must(self.count <= min(self.capacity << self.made, self.w1), "count")
        must(self.size == self.table_size(), "geometry")
        must(len(self.check_slots()) == self.count, "count")

    def print_of(self, h):
        f = h * (self.cells << self.r) >> 64
        return f >> self.r, f & (1 << self.r) - 1


class Quotient(QuotientBase):
    def table_size(self):
        self.zones = max(1, self.cells // 65536)
        self.stride = 8 * (8 * self.r + 18)
        return self.cells // 64 * (8 * self.r + 18) + 8 * self.zones

    def occupied(self, slot):
        return self.bits(slot // 64 * self.stride + slot % 64, 1)

    def end(self, slot):
        return self.bits(slot // 64 * self.stride + 64 + slot % 64, 1)

    def offset_of(self, block):
        return self.bits(block * self.stride + 128, 16)

    def remainder(self, slot):
        return self.bits(slot // 64 * self.stride + 144 + slot % 64 * self.r, self.r)

    def zone(self, slot):
        """Its number, its first slot, and how many it has."""
        z = min(slot // 65536, self.zones - 1)
        return z, 65536 * z, (self.cells if z == self.zones - 1 else 65536 * (z + 1)) - 65536 * z

    def check_slots(self):
        """Every stored fingerprint, laid out again zone by zone."""
        prints = []
        for z in range(self.zones):
            _, first, n = self.zone(65536 * z)
            s = start = self.offset_of(first // 64)  # from here on slots count on round the end
            n_before = len(prints)
            must(s < n, "offset")
            for q in range(n):
                if q % 64 == 0:
                    must(self.offset_of((first + q) // 64) == max(0, s - q), "offset")
                while s <= q and not self.occupied(first + q):
                    must(not self.end(first + s) and not self.remainder(first + s), "empty slot")
                    s += 1
                if not self.occupied(first + q):
                    continue
                last, is_end = 0, False
                while not is_end:
                    must(s < n + start, "a run without an end")
                    slot = first + s % n
                    must(self.remainder(slot) >= last, "order")
                    last, is_end = self.remainder(slot), self.end(slot)
                    prints.append((first + q, last))
                    s += 1
            must(s == n + start, "offset")
            count = self.bits(8 * (self.size - 8 * (self.zones - z)), 64)
            must(len(prints) - n_before == count < n, "count of a zone")
        return prints

    def has(self, h):
        quotient, remainder = self.print_of(h)
        if not self.occupied(quotient):
            return False
        _, first, n = self.zone(quotient)
        block = quotient // 64
        s = 64 * block - first + self.offset_of(block)
        for q in range(64 * block - first, quotient - first + 1):
            if self.occupied(first + q):
                start = s = max(s, q)
                while not self.end(first + s % n):
                    s += 1
                s += 1
        return any(self.remainder(first + i % n) == remainder for i in range(start, s))


class QuotientFirst(QuotientBase):
    def table_size(self):
        self.stride = 8 * (8 * self.r + 24)
        return self.cells // 64 * (8 * self.r + 24)

    def bit(self, plane, slot):
        slot %= self.cells
        return self.bits(slot // 64 * self.stride + 64 * (self.r + plane) + slot % 64, 1)

    def remainder(self, slot):
        slot %= self.cells
        return self.bits(slot // 64 * self.stride + slot % 64 * self.r, self.r)

    def check_slots(self):
        return [slot for slot in range(self.cells) if any(self.bit(i, slot) for i in range(3))]

    def has(self, h):
        quotient, remainder = self.print_of(h)
        if not self.bit(0, quotient):
            return False
        s = quotient
        while self.bit(2, s):
            s -= 1
        for _ in range(sum(self.bit(0, slot) for slot in range(s, quotient))):
            s += 1
            while self.bit(1, s):
                s += 1
        while self.remainder(s) != remainder:
            s += 1
            if not self.bit(1, s):
                return False
        return True


class Ribbon(Part):
    def check(self):
        self.r, self.t, self.u, self.q = (self.w0 & 255, self.w0 >> 8 & 255, self.w0 >> 16 & 255,
                                          self.w0 >> 24)
        must(1 <= self.r and self.q < 1024 and self.r + (self.q > 0) <= 32, "columns")
        must(not self.k and not self.w1, "k, or a seed that this reader does not know")
        self.blocks = self.cells // 64
        must(self.cells % 64 == 0 and self.blocks >= 2 and self.count <= self.capacity, "geometry")
        self.wide = min(self.blocks, -(-self.blocks * self.q // 1024) + 1) if self.q else 0
        self.zones, at = [], 0
        while (rest := self.blocks - at) >= 56:
            zone = (rest - rest // 20) // 2 * 2
            self.zones.append((at, zone))
            at += zone
        self.last = at
        self.columns = 8 * (self.blocks * self.r + self.wide)
        must(self.size == self.columns + (at // 2 + 3) // 4, "size")
        must(self.bits(8 * self.columns + at, -at % 8) == 0, "spare bits")

    @staticmethod
    def mix(h, number):
        x = (h ^ number * 0x9e3779b97f4a7c15 & WORD) * 0xff51afd7ed558ccd & WORD
        return x ^ x >> 32

    def row(self, h):
        """Where the row of a hash starts, and what it is made from."""
        x = self.mix(h, self.t + 1)
        for i, (at, zone) in enumerate(self.zones):
            if i:
                x = self.mix(x, 256 * i + 1)
            start = 64 * at + (x * 64 * zone >> 64)
            if start % 128 >= (0, 20, 40, 128)[self.bits(8 * self.columns + start // 128 * 2, 2)]:
                return start, x
        x = self.mix(x, 256 * len(self.zones) + self.u + 1)
        return 64 * self.last + (x * 64 * (self.blocks - self.last - 1) >> 64), x

    def column(self, block, c):
        return self.bits(64 * (block * self.r + min(block, self.wide) + c), 64)

    def has(self, h):
        start, x = self.row(h)
        y = x * 0xd1342543de82ef95 & WORD
        block, mask, wanted = start // 64, y | 1, x + (y >> 32)
        for c in range(self.r + (block + 1 < self.wide)):
            slots = self.column(block, c) | self.column(block + 1, c) << 64
            if bin(slots >> start % 64 & mask).count("1") % 2 != wanted >> c & 1:
                return False
        return True


KINDS = {BLOOM: Bloom, BLOCKED: Blocked, CUCKOO: Cuckoo, QUOTIENT: Quotient,
         QUOTIENT_1: QuotientFirst, RIBBON: Ribbon}


class Filter:
    def __init__(self, data):
        must(data[:6] == b"NINHO\0", "magic")
        must(len(data) >= 192, "cut short")
        (self.version, header_size, self.kind, self.key_encoding, self.hash, self.seed, key_check,
         self.capacity, self.count, self.fpr, self.flags, n_parts, body_size, body_sum, n_meta,
         reserved, options) = struct.unpack_from("<HIHBBQQQQdIIQQIIQ", data, 6)
        must(self.version == 1, "version")
        must((self.kind in KINDS or self.kind == SCALABLE) and self.hash in (XXH3, XXH64),
             "kind or hash")
        must(self.key_encoding in (BYTES, INT64, KMER) and not self.flags & ~1, "encoding or flags")
        must(not reserved and not key_check, "reserved or key check")
        must(1 <= n_parts <= 32 and n_meta <= 4096, "parts or metadata")
        parts_end = 96 + 64 * n_parts
        must(header_size == (parts_end + n_meta + 8 + 63) // 64 * 64, "header size")
        must(len(data) == header_size + body_size, "size")
        must(xxh3_64(data[:header_size - 8]) == struct.unpack_from("<Q", data, header_size - 8)[0],
             "header checksum")
        must(not any(data[parts_end + n_meta:header_size - 8]), "padding")
        must(1 <= self.capacity <= 1 << 48, "capacity")
        must(2.0 ** -1000 <= self.fpr < 1, "fpr")
        body = data[header_size:]
        must(xxh3_64(body) == body_sum, "body checksum")
        base, self.growth = self.kind, 0
        if self.kind == SCALABLE:
            base, self.growth = options & 0xffff, options >> 16
            must(base in (BLOOM, BLOCKED, CUCKOO) and 2 <= self.growth <= 16, "options")
        else:
            must(not options and n_parts == 1, "options or parts")
        self.parts = []
        end = 0
        for i in range(n_parts):
            record = data[96 + 64 * i:160 + 64 * i]
            must(int.from_bytes(record[:2], "little") == base, "part's kind")
            part = KINDS[base](record, body)
            must(part.offset == (end + 63) // 64 * 64, "part's place")
            must(not any(body[end:part.offset]), "between parts")
            end = part.offset + part.size
            self.check_growth(part)
            self.parts.append(part)
        must(end == body_size, "body size")
        must(self.parts[0].capacity == self.capacity, "capacity")
        if base in (CUCKOO, QUOTIENT, QUOTIENT_1, RIBBON):
            must(self.count == sum(part.count for part in self.parts), "count")
        lines = data[parts_end:parts_end + n_meta].split(b"\n")
        must(lines.pop() == b"", "metadata")
        self.meta = dict(line.split(b"=", 1) for line in lines)

    def check_growth(self, part):
        i = len(self.parts)
        if part.kind == CUCKOO:
            must(part.nests_in(self.parts[-1], self.growth) if i else part.g == 0, "nesting")
        elif self.kind == SCALABLE:
            must(part.capacity == self.capacity * self.growth ** i, "part's capacity")

    def has(self, key):
        """True: maybe a member. `key` is bytes, or an int in the int64 encoding; of a k-mer, the 8
        bytes of its key (docs/kmers.md)."""
        if self.key_encoding == INT64:
            key = key.to_bytes(8, "little", signed=True)
        h = (xxh3_64 if self.hash == XXH3 else xxh64)(key, self.seed)
        return any(part.has(h) for part in self.parts)
