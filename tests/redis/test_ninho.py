# SPDX-License-Identifier: MIT
"""NINHO.*: every kind, and files that go between the tool and the server."""

import json
import os
import subprocess
import tempfile
import unittest

from test_commands import Commands
from server import NINHO, items
from test_hostile import crowded, frames, put, seal_blob, seal_frame


class Ninho(Commands):
    def test_kinds(self):
        r = self.r
        for kind in ("bloom", "blocked", "counting", "cuckoo", "quotient", "compact", "scalable"):
            self.assertEqual(r("NINHO.CREATE", kind, kind, "CAPACITY", 500, "FPR", "0.01"), "OK")
            added = r("NINHO.ADD", kind, *items(400))
            self.assertGreater(sum(added), 380)
            self.assertEqual(sum(r("NINHO.HAS", kind, *items(400))), 400)
            self.assertLess(sum(r("NINHO.HAS", kind, *items(400, "no"))), 20)
            info = self.r3("NINHO.INFO", kind)
            self.assertEqual(info["kind"], kind)
            if "remove" in info["can"]:
                self.assertEqual(r("NINHO.REMOVE", kind, *items(10), "never:1"), [1] * 10 + [0])
                self.assertEqual(sum(r("NINHO.HAS", kind, *items(400)[10:])), 390)
            else:
                self.assertIn("cannot remove", r.error("NINHO.REMOVE", kind, "x"))
        self.assertEqual(r.error("NINHO.CREATE", "cuckoo", "bloom"), "ERR item exists")
        self.assertIn("NINHO.IMPORT", r.error("NINHO.CREATE", "f", "fuse", "CAPACITY", 10, "FPR", ".01"))
        self.assertIn("ERR unknown kind sieve: take bloom", r.error("NINHO.CREATE", "f", "sieve", "CAPACITY", 10))
        self.assertEqual(r.error("NINHO.ADD", "none", "x"), "ERR not found")
        self.assertIs(self.r3("NINHO.HAS", "bloom", "item:1")[0], True)

    def test_what_is_not_said(self):
        """Without a kind it is bloom, without a capacity a filter that grows: as ninho create makes them."""
        r = self.r
        for options in ("", "FPR .1", "cuckoo", "blocked", "scalable GROWTH 4", "CAPACITY 50", "blocked CAPACITY 50"):
            r("DEL", "k")
            self.assertEqual(r("NINHO.CREATE", "k", *options.split()), "OK")
            arguments = ["--" + word.lower() if word.isupper() else word for word in options.split()]
            if arguments and arguments[0][0] != "-":
                arguments.insert(0, "--kind")
            path = os.path.join(self.server.folder, "made")
            subprocess.run([NINHO, "create", path, *arguments], check=True)
            with open(path, "rb") as file:
                self.assertEqual(r("NINHO.EXPORT", "k"), file.read(), options)
        r("DEL", "k")
        r("NINHO.CREATE", "k")
        self.assertEqual(sum(r("NINHO.ADD", "k", *items(5000))) // 4900, 1)
        self.assertEqual(sum(r("NINHO.HAS", "k", *items(5000))), 5000)
        r.error("NINHO.CREATE", "z", "quotient")
        r.error("NINHO.CREATE", "z", "CAPACITY", 0)
        r.error("NINHO.CREATE", "z", "BITS", 1000)
        self.assertIn("unknown option COLOUR", r.error("NINHO.CREATE", "z", "COLOUR", 5))
        self.assertEqual(r("EXISTS", "z"), 0)

    def test_options(self):
        r = self.r
        options = ("TAGBITS 12 SLOTS buckets PLACE 4 CHOICE random SEARCH walk KICKS 100 PAIRING xor "
                   "CAPACITY 900 SEMANTICS multiset SEED 7 HASH xxh64").split()
        self.assertEqual(r("NINHO.CREATE", "a", "cuckoo", *options), "OK")
        self.assertEqual(r("NINHO.CREATE", "b", "bloom", *"CAPACITY 100 BITS 1000 HASHES 4".split()), "OK")
        self.assertEqual(r("NINHO.CREATE", "c", "quotient", *"CAPACITY 10 FPR .1 MAXCAPACITY 1000".split()), "OK")
        self.assertEqual(r("NINHO.ADD", "c", *items(900)).count(1), 900)
        self.assertEqual(r("NINHO.CREATE", "d", "scalable", *"CAPACITY 10 FPR .1 BASE bloom GROWTH 4".split()), "OK")
        self.assertEqual(r("NINHO.CREATE", "e", "cuckoo", *"CAPACITY 10 FPR .1 SEMANTICS set".split()), "OK")
        self.assertEqual([r("NINHO.ADD", "e", "x"), r("NINHO.ADD", "e", "x")], [[1], [0]])
        self.assertEqual(r("NINHO.CREATE", "f", "cuckoo",
                           *"CAPACITY 4 TAGBITS 8 NSLOTS 4 SLOTS buckets PLACE 2".split()), "OK")
        self.assertEqual(r("NINHO.ADD", "f", *["x"] * 6), [1, 1, 1, 1, -1, -1])
        self.assertEqual(r("NINHO.CREATE", "g", "bloom", *"CAPACITY 10 FPR .1 TYPE int64".split()), "OK")
        self.assertEqual(r("NINHO.ADD", "g", 5, "-7"), [1, 1])
        self.assertEqual(r.error("NINHO.ADD", "g", 5, "seven"), "ERR item 2 is no int64")
        self.assertEqual(r("NINHO.CREATE", "h", "bloom", *"CAPACITY 10 FPR .1 TYPE uuid".split()), "OK")
        uuid = "6fa459ea-ee8a-3ca4-894e-db77e160355e"
        self.assertEqual(r("NINHO.ADD", "h", uuid), [1])
        self.assertEqual(r("NINHO.HAS", "h", uuid.replace("-", ""), bytes.fromhex(uuid.replace("-", ""))), [1, 1])
        r.error("NINHO.HAS", "h", uuid[:-1])
        self.assertEqual(r("NINHO.CREATE", "i", "bloom", "CAPACITY", 10, "SEED", 2**64 - 1), "OK")
        self.assertEqual(self.r3("NINHO.INFO", "i")["fpr_target"], 0.01)
        self.assertEqual(self.r3("NINHO.INFO", "i")["seed"], str(2**64 - 1))
        self.assertEqual(self.r3("NINHO.INFO", "a")["seed"], 7)
        for wrong in ("CAPACITY 0 FPR .1", "CAPACITY 10 SEED 18446744073709551616", "CAPACITY 10 SEED +1",
                      "CAPACITY 10 FPR 0", "CAPACITY 10 FPR nan", "CAPACITY 10 FPR 1", "CAPACITY x FPR .1", "COLOUR 5",
                      "CAPACITY 10 FPR", "CAPACITY 10 FPR .1 SLOTS buckets", "CAPACITY 10 FPR .1 SECRET 00",
                      "CAPACITY 10 FPR .1 HASH siphash", "CAPACITY 10 FPR .1 TYPE kmer", "CAPACITY -1 FPR .1"):
            r.error("NINHO.CREATE", "z", "bloom", *wrong.split())
        self.assertEqual(r("EXISTS", "z"), 0)

    def test_removals_that_are_too_much(self):
        r = self.r
        self.assertEqual(r("NINHO.IMPORT", "a", crowded(r)), "OK")
        self.assertEqual(r("COPY", "a", "b"), 1)
        some = items(2000)
        there = r("NINHO.HAS", "a", *some)
        answers = r("NINHO.REMOVE", "a", *some)
        # up to here the command has worked, and refused some: the rest is refused without a look
        end = max(i for i, answer in enumerate(answers) if answer >= 0) + 1
        self.assertLess(end, 1000)
        self.assertIn(0, there[end:])
        self.assertEqual([answer != 0 for answer in answers[:end]], [answer != 0 for answer in there[:end]])
        self.assertTrue({-1, 0, 1} <= set(answers[:end]))
        refused = [some[i] for i in range(end) if answers[i] == -1]
        self.assertEqual(r("NINHO.HAS", "a", *refused), [1] * len(refused))
        self.assertEqual(r("NINHO.REMOVE", "a", refused[0]), [-1])
        self.assertEqual(r("NINHO.REMOVE", "a", *[refused[0]] * 1000), [-1] * 1000)
        self.assertEqual(self.r3("NINHO.REMOVE", "b", *some), answers)
        self.assertEqual(self.r3("NINHO.INFO", "a")["count"], (1 << 18) - answers.count(1))

    def test_secret(self):
        r = self.r
        secret = "000102030405060708090a0b0c0d0e0f"
        r("CONFIG", "SET", "slowlog-log-slower-than", 0)
        r("NINHO.CREATE", "a", "cuckoo", "CAPACITY", 10, "FPR", ".01", "SECRET", secret)
        for wrong in (("NINHO.CREATE", "a", "cuckoo", "SECRET", secret),  # there already
                      ("NINHO.CREATE", "z", "sieve", "SECRET", secret),
                      ("NINHO.CREATE", "z", "bloom", "COLOUR", 1, "SECRET", secret),
                      ("NINHO.IMPORT", "a", "x", "SECRET", secret), ("NINHO.IMPORT", "z", "x", "NEW", "SECRET", secret)):
            r.error(*wrong)
        r("CONFIG", "SET", "slowlog-log-slower-than", 10000)
        self.assertNotIn(secret, repr(r("SLOWLOG", "GET", 100)))
        r("NINHO.ADD", "a", "robin")
        data = r("NINHO.EXPORT", "a")
        self.assertNotIn(bytes.fromhex(secret), data)
        self.assertIn("not the filter's", r.error("NINHO.IMPORT", "b", data, "SECRET", "ff" * 16))
        self.assertEqual(r("NINHO.IMPORT", "b", data, "SECRET", secret), "OK")
        self.assertEqual(r("NINHO.HAS", "b", "robin", "wren"), [1, 0])
        self.assertEqual(r("NINHO.IMPORT", "sealed", data), "OK")
        self.assertIn("keyed", r.error("NINHO.HAS", "sealed", "robin"))
        r("DEBUG", "RELOAD")
        self.assertEqual(r("NINHO.HAS", "b", "robin", "wren"), [1, 0])

    def test_union(self):
        r = self.r
        for key in "abc":
            r("NINHO.CREATE", key, "bloom", "CAPACITY", 1000, "FPR", ".01")
            r("NINHO.ADD", key, *items(300, key))
        self.assertEqual(r("NINHO.UNION", "sum", "a", "b", "c"), "OK")
        for key in "abc":
            self.assertEqual(sum(r("NINHO.HAS", "sum", *items(300, key))), 300)
        r("NINHO.CREATE", "d", "bloom", "CAPACITY", 1001, "FPR", ".01")
        self.assertIn("differs: 9600 and 9610; give each the same capacity", r.error("NINHO.UNION", "sum", "d"))
        r("NINHO.CREATE", "e", "cuckoo", "CAPACITY", 10, "FPR", ".01")
        r("NINHO.ADD", "e", *items(10))
        self.assertIn("kind differs", r.error("NINHO.UNION", "sum", "e"))
        r("NINHO.CREATE", "f", "scalable", "CAPACITY", 10, "FPR", ".01")
        self.assertIn("cannot be united", r.error("NINHO.UNION", "f", "f2") if r("COPY", "f", "f2") else "")

    def test_has_info_export_for_all(self):
        r = self.r
        r("BF.RESERVE", "b", ".01", 1000)
        r("BF.MADD", "b", *items(500))
        r("CF.INSERT", "c", "ITEMS", *items(5000))
        self.assertEqual(sum(r("NINHO.HAS", "b", *items(500))), 500)
        self.assertEqual(sum(r("NINHO.HAS", "c", *items(5000))), 5000)
        self.assertEqual((self.r3("NINHO.INFO", "b")["commands"], self.r3("NINHO.INFO", "c")["kind"]), ("bf", "cuckoo"))
        info = self.r3("NINHO.INFO", "c")
        self.assertLess(info["fpr_expected"], info["fpr_target"])
        r("NINHO.IMPORT", "n", r("NINHO.EXPORT", "b"))
        self.assertEqual(sum(r("NINHO.HAS", "n", *items(500))), 500)
        self.assertIn("is not one file", r.error("NINHO.EXPORT", "c"))

    def test_limits(self):
        r = self.r
        r("NINHO.CREATE", "a", "bloom", "CAPACITY", 1000, "FPR", ".01")
        data = r("NINHO.EXPORT", "a")
        r("CONFIG", "SET", "ninho.max-transfer-bytes", 1000)
        try:
            for command in (("NINHO.EXPORT", "a"), ("NINHO.IMPORT", "b", data), ("NINHO.UNION", "a", "a")):
                self.assertIn("ninho.max-transfer-bytes (1000)", r.error(*command))
                r("CONFIG", "SET", "ninho.max-key-bytes", 0)  # each limit is on its own
                self.assertIn("ninho.max-transfer-bytes (1000)", r.error(*command))
                r("CONFIG", "SET", "ninho.max-key-bytes", "128mb")
        finally:
            r("CONFIG", "SET", "ninho.max-transfer-bytes", "64mb", "ninho.max-key-bytes", "128mb")
        self.assertEqual(r.error("NINHO.IMPORT", "a", data), "ERR item exists")
        self.assertEqual(r("NINHO.IMPORT", "a", data, "REPLACE"), "OK")
        for wrong in (b"", b"x", data[:-1], data + b"x", data[:100] + b"\xff" + data[101:]):
            r.error("NINHO.IMPORT", "b", wrong)
        self.assertEqual(r("EXISTS", "b"), 0)

    @unittest.skipUnless(NINHO, "the tool was not built")
    def test_files_of_the_tool(self):
        r = self.r
        with tempfile.TemporaryDirectory() as folder:
            exact = os.path.join(folder, "exact")
            subprocess.run([NINHO, "build", exact, "--kind", "probe"], input=b"a\nb\n", check=True)
            with open(exact, "rb") as file:
                self.assertIn("is a dictionary", r.error("NINHO.IMPORT", "exact", file.read()))
            words = "".join(item + "\n" for item in items(1000)).encode()
            for kind in ("bloom", "blocked", "counting", "cuckoo", "quotient", "fuse", "compact", "scalable"):
                path = os.path.join(folder, kind)
                room = [] if kind == "fuse" else ["--capacity", "2000"]
                subprocess.run([NINHO, "build", path, "--kind", kind, "--fpr", "0.01", *room],
                               input=words, check=True, stdout=subprocess.DEVNULL)
                with open(path, "rb") as file:
                    data = file.read()
                self.assertEqual(r("NINHO.IMPORT", kind, data), "OK")
                self.assertEqual(sum(r("NINHO.HAS", kind, *items(1000))), 1000)
                self.assertLess(sum(r("NINHO.HAS", kind, *items(1000, "no"))), 40)
                self.assertEqual(r("NINHO.EXPORT", kind), data)
                told = json.loads(subprocess.run([NINHO, "info", "--json", path], capture_output=True,
                                                 check=True).stdout)
                info = self.r3("NINHO.INFO", kind)
                for name in ("kind", "capacity", "count", "size_bytes", "seed", "hash", "key_encoding", "can"):
                    self.assertEqual(info[name], told[name])
                for name in ("fpr_target", "fpr_expected", "bits_per_key", "load"):
                    self.assertAlmostEqual(info[name], told[name], 6, f"{name} of {kind}")
                if kind == "fuse":
                    self.assertIn("built once", r.error("NINHO.ADD", kind, "new"))
                    continue
                r("NINHO.ADD", kind, "new")
                with open(path, "wb") as file:
                    file.write(r("NINHO.EXPORT", kind))
                done = subprocess.run([NINHO, "check", path], input=b"new\nitem:7\n", capture_output=True, check=True)
                self.assertEqual(done.stdout, b"new\nitem:7\n")
                subprocess.run([NINHO, "verify", path], check=True, stdout=subprocess.DEVNULL)

    def test_the_most_keys_there_can_be(self):
        """What was accepted can be changed, saved and read again."""
        r = self.r
        for kind in ("bloom", "blocked", "scalable"):
            r("NINHO.CREATE", kind, kind, "CAPACITY", 1000, "FPR", ".01")
            r("NINHO.ADD", kind, *items(100))
            data = bytearray(r("NINHO.EXPORT", kind))
            put(data, 40, 1 << 60, 8)
            put(data, 112, 1 << 60, 8)
            seal_frame(data, 0, len(data))
            self.assertEqual(r("NINHO.IMPORT", f"most {kind}", bytes(data)), "OK")
            self.assertEqual(self.r3("NINHO.INFO", f"most {kind}")["count"], 1 << 60)
            r("NINHO.ADD", f"most {kind}", *items(300, "new"))
            if kind != "scalable":
                r("NINHO.UNION", f"most {kind}", kind)
                r("NINHO.ADD", f"most {kind}", *items(300, "newer"))
        # and in every layer of a BF key
        r("BF.INSERT", "bf", "CAPACITY", 5, "ITEMS", *items(1500))
        blob = bytearray(r("BF.SCANDUMP", "bf", 0)[1])
        self.assertGreaterEqual(len(list(frames(blob))), 8)
        for at, size in frames(blob):
            put(blob, at + 40, 1 << 60, 8)
            put(blob, at + 112, 1 << 60, 8)
            seal_frame(blob, at, size)
        seal_blob(blob)
        self.assertEqual(r("BF.LOADCHUNK", "most bf", len(blob) + 1, bytes(blob)), "OK")
        r("BF.MADD", "most bf", *items(300, "new"))
        self.assertEqual(r("BF.CARD", "most bf"), (1 << 63) - 1)
        before = {key: r("DUMP", key) for key in r("KEYS", "most *")}
        r("SAVE")
        self.server.restart()
        r = self.server.client()
        self.assertEqual({key: r("DUMP", key) for key in r("KEYS", "most *")}, before)
        for key in before:
            self.assertEqual(sum(r("NINHO.HAS", key, *items(100), *items(300, "new"))), 400)

    @unittest.skipUnless(NINHO, "the tool was not built")
    def test_a_checked_filter_is_not_changed(self):
        r = self.r
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f")
            subprocess.run([NINHO, "build", path, "--kind", "quotient", "--capacity", "100", "--checked"],
                           input=b"a\nb\n", check=True)
            with open(path, "rb") as file:
                data = file.read()
            self.assertEqual(r("NINHO.IMPORT", "checked", data), "OK")
            r("NINHO.CREATE", "plain2", "quotient", "CAPACITY", 100)
            self.assertEqual(r("NINHO.HAS", "checked", "a", "x"), [1, 0])
            for command in (("NINHO.ADD", "checked", "x"), ("NINHO.REMOVE", "checked", "a"),
                            ("NINHO.UNION", "checked", "plain2"), ("NINHO.UNION", "plain2", "checked"),
                            ("NINHO.UNION", "new", "checked", "plain2")):
                self.assertIn("ERR the filter is checked: it carries a dictionary of its keys", r.error(*command))
            self.assertEqual(r("EXISTS", "new"), 0)
            r("COPY", "checked", "copy")
            r("DEBUG", "RELOAD")
            self.assertEqual(r("NINHO.EXPORT", "copy"), data)
            with open(path, "wb") as file:
                file.write(r("NINHO.EXPORT", "checked"))
            subprocess.run([NINHO, "verify", path], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([NINHO, "remove", path], input=b"a\n", check=True)

    def test_one_command_does_not_search_for_long(self):
        r = self.r
        crowd = items(5, "crowd")
        for budget, answer in ((1000, 1), (1000000, -1)):
            key = f"f{budget}"
            options = f"CAPACITY 2000 NSLOTS 4096 TAGBITS 16 SLOTS buckets PLACE 4 SEARCH bfs BUDGET {budget}"
            r("NINHO.CREATE", key, "cuckoo", *options.split())
            for item in crowd:
                self.assertEqual(r("NINHO.ADD", key, *[item] * 20), [1] * 8 + [-1] * 12)
            # five searches that may take so long each are enough; the next command begins anew
            self.assertEqual(r("NINHO.ADD", key, *crowd, "y", "z"), [-1] * 5 + [answer] * 2)
            self.assertEqual(r("NINHO.ADD", key, "y"), [1])
