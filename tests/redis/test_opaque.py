# SPDX-License-Identifier: MIT
"""Values that the module cannot read: damaged, or of a newer version. A file that holds some is
loaded all the same, a replica is synchronised, other keys answer, commands on them say what is wrong,
and their bytes are written back as they came."""

import glob
import os
import re
import struct
import unittest

from server import TOP, Server, items, wait_for
from test_hostile import frames, put, seal_blob, seal_frame, signed
from test_persist import digests

PLAIN = ("--rdbcompression", "no", "--rdbchecksum", "no")


def flipped(blob):
    """One bit of the last table: its checksum does not match."""
    blob[-1] ^= 1


def newer_kind(blob):
    """A kind that this version does not know, in a sound file."""
    at, size = list(frames(blob))[0]
    put(blob, at + 12, 4242, 2)
    seal_frame(blob, at, size)


def newer_version(blob):
    blob[8] = 2
    seal_blob(blob)


def contradiction(blob):
    """A capacity that no table stands behind, or zeros that are none."""
    put(blob, 24, 1 << 50, 8)
    seal_blob(blob)


def rubbish(blob):
    blob[:] = bytes(i * 7 & 255 for i in range(len(blob)))


PLANTS = [flipped, newer_kind, newer_version, contradiction, rubbish]


def command_names():
    with open(os.path.join(TOP, "integrations", "redis", "commands.h"), encoding="utf-8") as file:
        return re.findall(r'X\("([A-Z.]+)", \w+, "[a-z -]*", (-?\d+)', file.read())


class Opaque(unittest.TestCase):
    def plant(self, server):
        """Fills a server, and its RDB file with values that cannot be read. What DUMP must answer for
        each of those."""
        r = server.client()
        r("BF.MADD", "good:bf", *items(100))
        r("CF.INSERT", "good:cf", "ITEMS", *items(100))
        r("SET", "good:string", "x")
        changes, expected = [], {}
        for face, command in (("BF", ("BF.MADD",)), ("CF", ("CF.INSERT",)), ("NINHO", ("NINHO.ADD",))):
            for i, change in enumerate(PLANTS):
                key = f"bad:{face}:{change.__name__}"
                if face == "NINHO":
                    r("NINHO.CREATE", key, ("bloom", "cuckoo", "quotient", "compact", "scalable")[i], "CAPACITY", 30)
                r(*command, key, *(("ITEMS",) if face == "CF" else ()), *items(20, f"{key}"))
                blob = r(f"{face}.SCANDUMP", key, 0)[1]
                self.replace(r, key, blob, change, changes, expected)
        whole = r("BF.SCANDUMP", "good:bf", 0)[1]
        r("BF.LOADCHUNK", "bad:part", 151, whole[:150])
        self.replace(r, "bad:part", whole[:150], rubbish, changes, expected)
        self.outer_numbers(r, changes, expected)
        r("PEXPIRE", "bad:part", 10 ** 9)
        r("SAVE")
        server.stop(keep=True)
        path = os.path.join(server.folder, "dump.rdb")
        with open(path, "rb") as file:
            data = file.read()
        for old, new in changes:
            self.assertEqual(data.count(old), 1)
            data = data.replace(old, new)
        with open(path, "wb") as file:
            file.write(data)
        return expected

    def replace(self, r, key, blob, change, changes, expected):
        other = bytearray(blob)
        change(other)
        self.assertEqual(len(other), len(blob))
        self.assertNotEqual(bytes(other), blob)
        body = r("DUMP", key)[:-8]
        at = body.index(blob)
        # with its key and the numbers before it, as it is in the file, so that it is found once
        name = bytes([len(key)]) + key.encode()
        changes.append((name + body[1:at] + blob, name + body[1:at] + bytes(other)))
        expected[key] = signed(body[:at] + bytes(other) + body[at + len(blob):])

    def outer_numbers(self, r, changes, expected):
        """A face that does not exist; fewer bytes in all than are there. A number below 64 is one byte."""
        for key, number, value in (("bad:face", 2, 9), ("bad:total", 0, 3)):
            r("CF.INSERT", key, "CAPACITY", 10, "ITEMS", *items(9, key))
            blob = r("CF.SCANDUMP", key, 0)[1]
            body = r("DUMP", key)[:-8]
            at = body.index(blob)
            size = struct.pack(">H", 0x4000 | len(blob))
            head = body[:10] + b"\2" + size + b"\2" + size + b"\2\3\5" + size
            self.assertEqual(body[:at], head)
            numbers = [b"\2" + size, b"\2" + size, b"\2\3"]
            numbers[number] = b"\2" + bytes([value])
            other = body[:10] + b"".join(numbers) + b"\5" + size
            name = bytes([len(key)]) + key.encode()
            changes.append((name + head[1:] + blob, name + other[1:] + blob))
            expected[key] = signed(other + body[at:])

    def check(self, server, expected):
        r = server.client()
        self.assertEqual(r("DBSIZE"), len(expected) + 3)
        self.assertEqual(sum(r("BF.MEXISTS", "good:bf", *items(100))), 100)
        self.assertEqual(sum(r("CF.MEXISTS", "good:cf", *items(100))), 100)
        for key, payload in expected.items():
            self.assertEqual(r("DUMP", key), payload, key)
        self.assertGreater(r("PTTL", "bad:part"), 0)
        return r

    def test_file_replica_and_rewrite(self):
        with Server(*PLAIN) as server:
            expected = self.plant(server)
            self.assertEqual(len(expected), 18)
            server.start()
            self.assertEqual(server.log().count("is kept as it came"), len(expected))
            r = self.check(server, expected)
            r("DEBUG", "RELOAD")
            self.check(server, expected)
            with Server("--replicaof", f"127.0.0.1 {server.port}", *PLAIN) as replica:
                s = replica.client()
                wait_for(lambda: b"master_link_status:up" in s("INFO", "replication"), "link")
                self.check(replica, expected)
                r("RENAME", "bad:face", "bad:renamed")
                r("COPY", "bad:total", "bad:copy")
                self.assertEqual(r("WAIT", 1, 20000), 1)
                self.assertEqual(s("DUMP", "bad:renamed"), expected["bad:face"])
                self.assertEqual(s("DUMP", "bad:copy"), expected["bad:total"])
                r("RENAME", "bad:renamed", "bad:face")
                self.assertEqual(r("UNLINK", "bad:copy"), 1)
            for preamble in ("no", "yes"):
                r("CONFIG", "SET", "appendonly", "no")
                r("CONFIG", "SET", "aof-use-rdb-preamble", preamble)
                r("CONFIG", "SET", "appendonly", "yes")
                wait_for(lambda: b"aof_rewrite_in_progress:0" in r("INFO", "persistence")
                         and b"aof_rewrite_scheduled:0" in r("INFO", "persistence"), "rewrite")
                self.assertIn(b"aof_last_bgrewrite_status:ok", r("INFO", "persistence"))
                files = glob.glob(os.path.join(server.folder, "appendonlydir", "*.base.*"))
                self.assertEqual([name.endswith(".rdb") for name in files], [preamble == "yes"])
                r("DEBUG", "LOADAOF")
                r = self.check(server, expected)
            r("SAVE")
            server.stop(keep=True)
            server.start()
            self.check(server, expected)

    def test_every_command_says_so(self):
        with Server(*PLAIN) as server:
            expected = self.plant(server)
            server.start()
            r = server.client()
            arguments = {"BF.RESERVE": (".01", 10), "CF.RESERVE": (10,), "BF.INSERT": ("ITEMS", "x"),
                         "CF.INSERT": ("ITEMS", "x"), "CF.INSERTNX": ("ITEMS", "x"), "BF.MERGE": ("good:bf",),
                         "CF.MERGE": ("good:cf",), "NINHO.CREATE": ("bloom", "CAPACITY", 5), "BF.INFO": (),
                         "NINHO.IMPORT": (r("NINHO.EXPORT", "good:bf"), "REPLACE"), "CF.COMPACT": (),
                         "BF.SCANDUMP": (0,), "CF.SCANDUMP": (0,), "NINHO.SCANDUMP": (0,)}
            for face in ("BF", "CF"):
                iterator, data = r(f"{face}.SCANDUMP", f"good:{face.lower()}", 0)
                arguments[f"{face}.LOADCHUNK"] = (iterator, data)
            arguments["NINHO.LOADCHUNK"] = arguments["BF.LOADCHUNK"]
            names = command_names()
            self.assertGreater(len(names), 30)
            for key in expected:
                for name, arity in names:
                    given = arguments.get(name, ("x",) * (abs(int(arity)) - 2))
                    error = r.error(name, key, *given)
                    self.assertRegex(error, r"^ERR this version of the module cannot read the value \(.+\)\. .* DEL ")
            self.assertIn("cannot read", r.error("BF.MERGE", "new", "bad:BF:flipped"))
            self.assertIn("checksum", r.error("BF.INFO", "bad:BF:flipped"))
            self.assertIn("4242", r.error("NINHO.INFO", "bad:NINHO:newer_kind"))
            self.check(server, expected)
            for key, payload in expected.items():
                self.assertIn("Bad data format", r.error("RESTORE", "restored", 0, payload))
                self.assertGreater(r("MEMORY", "USAGE", key), 100)
            keys = sorted(expected)
            before = digests(r, keys)
            self.assertEqual(len(set(before)), len(keys))
            r("DEBUG", "RELOAD")
            self.assertEqual(digests(r, keys), before)
            self.assertEqual(r("DEL", *keys), len(keys))
            self.assertEqual(r("BF.ADD", "bad:BF:flipped", "x"), 1)

    def test_chunks_of_a_newer_version_in_an_aof(self):
        """As a newer module rewrites its AOF: what an older one cannot read is not dropped."""
        with Server("--appendonly", "yes", "--aof-use-rdb-preamble", "no", *PLAIN) as server:
            r = server.client()
            r("NINHO.CREATE", "n", "bloom", "CAPACITY", 3000)
            r("BF.ADD", "good", "x")
            blob = bytearray(r("NINHO.SCANDUMP", "n", 0)[1])
            newer_kind(blob)
            late = bytes(blob)
            newer_version(blob)
            early = bytes(blob)
            self.assertTrue(r.error("NINHO.LOADCHUNK", "early", len(early) + 1, early).startswith("ERR received"))
            self.assertTrue(r.error("NINHO.LOADCHUNK", "late", len(late) + 1, late).startswith("ERR received"))
            server.stop(keep=True)
            path, = glob.glob(os.path.join(server.folder, "appendonlydir", "*.incr.aof"))
            with open(path, "ab") as file:
                for key, data in (("early", early), ("late", late)):
                    file.write(r.encode(("NINHO.LOADCHUNK", key, 201, data[:200])))
                    file.write(r.encode(("NINHO.LOADCHUNK", key, len(data) + 1, data[200:])))
            server.start()
            r = server.client()
            self.assertEqual(r("BF.EXISTS", "good", "x"), 1)
            for _ in range(2):
                for key, data in (("early", early), ("late", late)):
                    self.assertIn("cannot read the value", r.error("NINHO.INFO", key))
                    self.assertIn("cannot read", r.error("NINHO.LOADCHUNK", key, len(data) + 2, b"x"))
                    payload = r("DUMP", key)
                    self.assertEqual(sum(payload.count(part) for part in (data[:200], data[200:])), 2)
                r("BGREWRITEAOF")
                wait_for(lambda: b"aof_rewrite_in_progress:0" in r("INFO", "persistence")
                         and b"aof_rewrite_scheduled:0" in r("INFO", "persistence"), "rewrite")
                r("DEBUG", "LOADAOF")

    def test_a_file_that_was_accepted_once(self):
        """An AOF has IMPORT as it came; where the file cannot be read any more, it is not dropped."""
        with Server("--appendonly", "yes", "--aof-use-rdb-preamble", "no", *PLAIN) as server:
            r = server.client()
            r("NINHO.CREATE", "n", "bloom", "CAPACITY", 100)
            r("NINHO.ADD", "n", "robin")
            file_ = bytearray(r("NINHO.EXPORT", "n"))
            kind = bytes(file_[12:14])
            put(file_, 12, 4242, 2)
            seal_frame(file_, 0, len(file_))
            self.assertIn("4242", r.error("NINHO.IMPORT", "newer", bytes(file_)))
            server.stop(keep=True)
            path, = glob.glob(os.path.join(server.folder, "appendonlydir", "*.incr.aof"))
            with open(path, "ab") as file:
                file.write(r.encode(("NINHO.IMPORT", "newer", bytes(file_))))
            server.start()
            r = server.client()
            self.assertEqual(r("NINHO.HAS", "n", "robin"), [1])
            self.assertIn("cannot read the value (kind 4242", r.error("NINHO.HAS", "newer", "robin"))
            # a version that knows the kind reads it: here, one that it stands for
            payload = r("DUMP", "newer")
            at = payload.index(bytes(file_))
            file_[12:14] = kind
            seal_frame(file_, 0, len(file_))
            r("RESTORE", "read", 0, signed(payload[:at] + bytes(file_) + payload[at + len(file_):-8]))
            self.assertEqual(r("NINHO.HAS", "read", "robin", "wren"), [1, 0])
            self.assertEqual(r("NINHO.EXPORT", "read"), bytes(file_))
