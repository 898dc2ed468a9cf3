# SPDX-License-Identifier: MIT
"""Bytes that somebody made up: mutated payloads of RESTORE and LOADCHUNK, their checksums corrected,
against the server with the module built with AddressSanitizer. No mutation may end the server or make
it take more memory than the cap. NINHO_REDIS_MUTATIONS says how many (10,000)."""

import os
import random
import struct
import sys
import unittest

from server import ASAN_MODULE, TOP, ReplyError, Server, items

sys.path.insert(0, os.path.join(TOP, "tests", "format"))
import xxh  # noqa: E402

N = int(os.environ.get("NINHO_REDIS_MUTATIONS", "10000"))
CAP = 1 << 20
POLYNOMIAL = 0x95AC9329AC4BC9B5  # of Redis' CRC-64, reflected


def crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return table


CRC = crc_table()


def crc64(data):
    crc = 0
    for byte in data:
        crc = CRC[(crc ^ byte) & 255] ^ crc >> 8
    return crc


def signed(body):
    """A payload for RESTORE: its last ten bytes are the RDB version and the checksum."""
    return body + crc64(body).to_bytes(8, "little")


INTERESTING = [0, 1, 2, 3, 7, 63, 64, 65, 127, 128, 255, 256, 4096, 65535, 1 << 20, (1 << 31) - 1, 1 << 31,
               (1 << 32) - 1, 1 << 32, 1 << 40, 1 << 48, 1 << 60, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]


def put(data, at, value, size):
    data[at:at + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def seal_blob(blob):
    """Corrects the checksum of the module's own header, as far as there is one."""
    n_layers = struct.unpack_from("<I", blob, 12)[0]
    end = 72 + 16 * n_layers
    if end + 8 <= len(blob):
        put(blob, end, xxh.xxh3_64(bytes(blob[:end])), 8)


def frames(blob):
    """Where the layers of a sound blob are."""
    n_layers = struct.unpack_from("<I", blob, 12)[0]
    at = 80 + 16 * n_layers
    for i in range(n_layers):
        size = struct.unpack_from("<Q", blob, 72 + 16 * i)[0]
        yield at, size
        at += size


def seal_frame(blob, at, size):
    """Corrects both checksums of a ninho file."""
    header = struct.unpack_from("<I", blob, at + 8)[0]
    if 104 <= header <= size:
        put(blob, at + 72, xxh.xxh3_64(bytes(blob[at + header:at + size])), 8)
        put(blob, at + header - 8, xxh.xxh3_64(bytes(blob[at:at + header - 8])), 8)


def crowded(r):
    """A compact file that no adds make: the signatures 0 to 262143 of 2^20 stand in one cluster, from slot 0 on.
    Half of them have more behind them than a removal may move. A slot is three bytes, one copy in its low bits."""
    r("NINHO.CREATE", "plain", "compact", "CAPACITY", 300000, "TAGBITS", 20)
    blob = bytearray(r("NINHO.EXPORT", "plain"))
    r("DEL", "plain")
    n, header = 1 << 18, struct.unpack_from("<I", blob, 8)[0]
    blob[header:header + 3 * n] = b"".join((s << 4 | 1).to_bytes(3, "little") for s in range(n))
    put(blob, 40, n, 8)
    put(blob, 96 + 16, n, 8)
    seal_frame(blob, 0, len(blob))
    return bytes(blob)


def mutate_number(rng, data, first, end):
    """One number of 1 to 8 bytes becomes another."""
    size = rng.choice((1, 2, 4, 8))
    at = rng.randrange(first, max(first + 1, end - size + 1))
    old = int.from_bytes(data[at:at + size], "little")
    new = rng.choice((rng.choice(INTERESTING), old + rng.randint(-2, 2), old << 1, old >> 1,
                      old ^ 1 << rng.randrange(8 * size), rng.getrandbits(8 * size)))
    put(data, at, new, size)


def mutate_blob(rng, blob):
    """Numbers in the module's header, in the header of a file in it, or in a table."""
    blob = bytearray(blob)
    layers = list(frames(blob))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        where = rng.random()
        at, size = rng.choice(layers)
        header = struct.unpack_from("<I", blob, at + 8)[0]
        if where < .35:
            mutate_number(rng, blob, 8, 72 + 16 * len(layers))
        elif where < .8:
            mutate_number(rng, blob, at, at + min(size, header - 8))
        elif where < .95 and size > header:
            mutate_number(rng, blob, at + header, at + size)
        else:
            cut = rng.randrange(len(blob))
            blob = blob[:cut] if rng.random() < .5 else blob[:cut] + rng.randbytes(rng.randrange(1, 80)) + blob[cut:]
            if len(blob) < 120:
                break
            layers = [layer for layer in layers if sum(layer) <= len(blob)] or [(80, 40)]
    for at, size in layers:
        if at + size <= len(blob) and size >= 104:
            seal_frame(blob, at, size)
    if len(blob) >= 16:
        seal_blob(blob)
    return bytes(blob)


def mutate_bytes(rng, body):
    body = bytearray(body)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        kind = rng.random()
        if kind < .7:
            mutate_number(rng, body, 0, len(body) - 2)
        elif kind < .85:
            at = rng.randrange(len(body) - 4)
            del body[at:at + rng.randrange(1, 40)]
        else:
            at = rng.randrange(len(body) - 2)
            body[at:at] = rng.randbytes(rng.randrange(1, 40))
        if len(body) < 12:
            break
    return bytes(body)


def seeds(r):
    """Small keys of all sorts: name, payload without its checksum, blob."""
    r("BF.RESERVE", "b1", ".05", 20)
    r("BF.MADD", "b1", *items(20))
    r("BF.INSERT", "b2", "CAPACITY", 5, "ERROR", ".1", "ITEMS", *items(30))
    r("BF.RESERVE", "b3", ".05", 20, "NONSCALING")
    r("CF.RESERVE", "c1", 20, "BUCKETSIZE", 4)
    r("CF.INSERT", "c1", "ITEMS", *items(90))
    r("CF.INSERT", "c2", "CAPACITY", 8, "ITEMS", *items(60))
    for kind in ("bloom", "blocked", "counting", "cuckoo", "quotient", "compact", "scalable"):
        r("NINHO.CREATE", f"n{kind}", kind, "CAPACITY", 20, "FPR", ".05")
        r("NINHO.ADD", f"n{kind}", *items(20))
    r("NINHO.CREATE", "nnested", "scalable", "BASE", "cuckoo", "CAPACITY", 5, "FPR", ".05")
    r("NINHO.ADD", "nnested", *items(30))
    found = []
    for key in sorted(r("KEYS", "*")):
        payload = r("DUMP", key)
        assert crc64(payload[:-8]).to_bytes(8, "little") == payload[-8:], "this is Redis' CRC-64"
        face = {b"b": "BF", b"c": "CF", b"n": "NINHO"}[key[:1]]
        blob = r(f"{face}.SCANDUMP", key, 0)[1]
        found.append((face, payload[:-8], blob))
    r("FLUSHALL")
    return found


EXERCISE = {
    "BF": [("BF.MEXISTS", "k", *items(70)), ("BF.MADD", "k", *items(70, "new")), ("BF.INFO", "k"),
           ("BF.MERGE", "k2", "k", "k"), ("BF.SCANDUMP", "k", 0)],
    "CF": [("CF.MEXISTS", "k", *items(70)), ("CF.INSERT", "k", "ITEMS", *items(70, "new")), ("CF.DEL", "k", "item:1"),
           ("CF.COUNT", "k", "item:2"), ("CF.COMPACT", "k"), ("CF.INFO", "k"), ("CF.MERGE", "k2", "k", "k")],
    "NINHO": [("NINHO.HAS", "k", *items(70)), ("NINHO.ADD", "k", *items(70, "new")), ("NINHO.REMOVE", "k", "item:1"),
              ("NINHO.INFO", "k"), ("NINHO.UNION", "k2", "k", "k"), ("NINHO.EXPORT", "k")],
}


@unittest.skipUnless(ASAN_MODULE, "no module with AddressSanitizer was built")
class Hostile(unittest.TestCase):
    def setUp(self):
        self.server = Server("--rdbcompression", "no", module=ASAN_MODULE, arguments=["max-key-bytes", CAP])
        self.addCleanup(self.server.stop)
        self.r = self.server.client()

    def memory(self, field):
        return int(self.r("INFO", "memory").split(field.encode() + b":")[1].split(b"\r")[0])

    def campaign(self, n, attempts):
        """attempts(rng) gives (face, command, what it was); the server must survive them all."""
        rng = random.Random(int(os.environ.get("NINHO_TEST_SEED", "1")))
        before = self.memory("used_memory")
        accepted = 0
        for i in range(n):
            face, command, what = attempts(rng)
            try:
                self.r.send(*command)
                reply = self.r.read()
                if not isinstance(reply, ReplyError):
                    accepted += 1
                    self.r.many(EXERCISE[face])
                    self.assertLess(self.r("MEMORY", "USAGE", "k"), CAP + 4096)
                    self.r.many([("DUMP", "k"), ("DEBUG", "DIGEST-VALUE", "k"), ("COPY", "k", "k3")])
                    self.r("FLUSHALL")
                elif command[0] != "RESTORE":
                    self.r("DEL", "k")
            except (OSError, ConnectionError):
                self.fail(f"mutation {i} ended the server: {what.hex()}\n{self.server.log()[-6000:]}")
        self.r("FLUSHALL")
        self.assertLess(self.memory("used_memory"), before + (1 << 20))  # nothing leaks
        peak = self.memory("used_memory_peak")
        self.assertLess(peak, 300 << 20)
        self.assertNotIn("ERROR: AddressSanitizer", self.server.log())
        self.assertNotIn("runtime error", self.server.log())
        print(f"{n} mutations, {accepted} accepted and tried, peak {peak >> 20} MiB", end=" ... ", file=sys.stderr)
        return accepted

    def test_restore(self):
        sources = seeds(self.r)

        def attempt(rng):
            face, body, blob = rng.choice(sources)
            if rng.random() < .3:
                payload = signed(mutate_bytes(rng, body[:-2]) + body[-2:])
            else:
                at = body.index(blob)
                other = mutate_blob(rng, blob)
                if len(other) != len(blob):  # lengths come before the bytes: keep them
                    other = (other + bytes(len(blob)))[:len(blob)]
                payload = signed(body[:at] + other + body[at + len(blob):])
            return face, ("RESTORE", "k", 0, payload), payload

        accepted = self.campaign(N, attempt)
        self.assertGreater(accepted, N // 200)  # some reach the commands

    def test_every_byte(self):
        """Of one dump of each face, every byte, in three ways."""
        sources = {}
        for face, body, blob in seeds(self.r):
            if face not in sources or len(body) < len(sources[face][0]):
                sources[face] = body, blob
        mutations = []
        for face, (body, blob) in sources.items():
            start = body.index(blob)
            for at in range(len(body) - 2):
                for change in (1, 0x80, 0xff):
                    other = bytearray(body)
                    other[at] ^= change
                    if at >= start:  # and with the checksums inside corrected
                        inner = bytearray(other[start:start + len(blob)])
                        for first, size in frames(blob):
                            if first + size <= len(inner):
                                seal_frame(inner, first, size)
                        seal_blob(inner)
                        other[start:start + len(blob)] = inner[:len(blob)]
                    mutations.append((face, signed(bytes(other))))

        def attempt(_, left=iter(mutations)):
            face, payload = next(left)
            return face, ("RESTORE", "k", 0, payload), payload

        self.campaign(len(mutations), attempt)

    def test_loadchunk(self):
        sources = seeds(self.r)

        def attempt(rng):
            face, _, blob = rng.choice(sources)
            blob = mutate_blob(rng, blob)
            offset = len(blob) + 1 if rng.random() < .9 else rng.choice(INTERESTING) % (1 << 63)
            return face, (f"{face}.LOADCHUNK", "k", offset, blob), blob

        self.campaign(N // 4, attempt)

    def test_import(self):
        sources = seeds(self.r)

        def attempt(rng):
            _, _, blob = rng.choice([source for source in sources if source[0] == "NINHO"])
            (at, size), = frames(blob)
            frame = mutate_blob(rng, blob)[at:]
            return "NINHO", ("NINHO.IMPORT", "k", frame), frame

        self.campaign(N // 10, attempt)
