# SPDX-License-Identifier: MIT
"""BF.* and CF.* as clients know them: grammar, replies in RESP2 and RESP3, errors."""

import unittest

from server import MODULE, ReplyError, Server, groups, items, wait_for


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.r = self.server.client()
        self.r3 = self.server.client(3)
        self.r("FLUSHALL")

    def tearDown(self):
        self.r.close()
        self.r3.close()

    def same(self, reply, expected):
        self.assertEqual([str(x) if isinstance(x, ReplyError) else x for x in reply], expected)


class Bloom(Commands):
    def test_reserve(self):
        r = self.r
        self.assertEqual(r("BF.RESERVE", "a", "0.01", 1000), "OK")
        self.assertEqual(r.error("BF.RESERVE", "a", "0.01", 1000), "ERR item exists")
        self.assertEqual(r("BF.RESERVE", "b", "0.01", 1000, "EXPANSION", 4), "OK")
        self.assertEqual(r("BF.RESERVE", "c", "0.01", 1000, "nonscaling"), "OK")
        self.assertEqual(r("BF.RESERVE", "d", "0.01", 1000, "EXPANSION", 0, "NONSCALING"), "OK")
        self.assertEqual(r("BF.INFO", "b", "EXPANSION"), [4])
        self.assertEqual(r("BF.INFO", "c", "EXPANSION"), [None])
        for arguments, text in (
                (("x", 1000), "ERR bad error rate"),
                (("0", 1000), "ERR error rate must be in the range (0.000000, 1.000000)"),
                (("1", 1000), "ERR error rate must be in the range (0.000000, 1.000000)"),
                (("-0.1", 1000), "ERR error rate must be in the range (0.000000, 1.000000)"),
                (("0.01", "many"), "ERR bad capacity"),
                (("0.01", 0), "ERR capacity must be in the range [1, 1099511627776]"),
                (("0.01", -5), "ERR capacity must be in the range [1, 1099511627776]"),
                (("0.01", 1 << 62), "ERR capacity must be in the range [1, 1099511627776]"),
                (("0.01", 10, "EXPANSION"), "ERR no expansion"),
                (("0.01", 10, "EXPANSION", "x"), "ERR bad expansion"),
                (("0.01", 10, "EXPANSION", 32769), "ERR expansion must be in the range [0, 32768]"),
                (("0.01", 10, "EXPANSION", -1), "ERR expansion must be in the range [0, 32768]"),
                (("0.01", 10, "EXPANSION", 2, "NONSCALING"), "Nonscaling filters cannot expand"),
                (("0.01", 10, "SOMETHING"), "Unknown argument received")):
            self.assertEqual(r.error("BF.RESERVE", "e", *arguments), text, arguments)
        self.assertEqual(r("EXISTS", "e"), 0)
        self.assertTrue(r.error("BF.RESERVE", "e", "0.01").startswith("ERR wrong number of arg"))

    def test_add_and_exists(self):
        r, r3 = self.r, self.r3
        self.assertEqual([r("BF.ADD", "a", "x"), r("BF.ADD", "a", "x")], [1, 0])
        self.assertIs(r3("BF.ADD", "a", "y"), True)
        self.assertIs(r3("BF.ADD", "a", "y"), False)
        self.assertEqual(r("BF.MADD", "a", "x", "z", "z"), [0, 1, 0])
        self.assertEqual(r3("BF.MADD", "a", "x", "w"), [False, True])
        self.assertEqual(r("BF.MADD", "a", "x"), [0])
        self.assertEqual([r("BF.EXISTS", "a", "x"), r("BF.EXISTS", "a", "no")], [1, 0])
        self.assertIs(r3("BF.EXISTS", "a", "x"), True)
        self.assertEqual(r("BF.MEXISTS", "a", "x", "no", "y"), [1, 0, 1])
        self.assertEqual(r3("BF.MEXISTS", "a", "x", "no"), [True, False])
        self.assertEqual([r("BF.EXISTS", "none", "x"), r("BF.MEXISTS", "none", "x", "y")], [0, [0, 0]])
        self.assertEqual([r("BF.CARD", "a"), r("BF.CARD", "none")], [4, 0])
        self.assertEqual(r("BF.ADD", "a", b""), 1)
        self.assertEqual(r("BF.ADD", "a", b"\0\xff" * 1000), 1)
        self.assertEqual(r("BF.EXISTS", "a", b"\0\xff" * 1000), 1)

    def test_insert(self):
        r, r3 = self.r, self.r3
        self.assertEqual(r("BF.INSERT", "a", "CAPACITY", 50, "ERROR", "0.001", "EXPANSION", 8,
                           "ITEMS", "x", "y", "x"), [1, 1, 0])
        self.assertEqual(r("BF.INFO", "a", "CAPACITY"), [50])
        self.assertEqual(r("BF.INFO", "a", "EXPANSION"), [8])
        self.assertEqual(r3("BF.INSERT", "a", "NOCREATE", "ITEMS", "x", "q"), [False, True])
        self.assertEqual(r.error("BF.INSERT", "b", "NOCREATE", "ITEMS", "x"), "ERR not found")
        self.assertEqual(r("BF.INSERT", "c", "items", "ITEMS"), [1])
        self.assertEqual(r.error("BF.INSERT", "b", "NOSUCH", "ITEMS", "x"), "Unknown argument received")
        self.assertEqual(r.error("BF.INSERT", "b", "CAPACITY", 0, "ITEMS", "x"),
                         "ERR capacity must be in the range [1, 1099511627776]")
        self.assertTrue(r.error("BF.INSERT", "b", "NOCREATE", "CAPACITY", 5, "ITEMS", "x")
                        .startswith("ERR NOCREATE"))
        self.assertTrue(r.error("BF.INSERT", "b", "ITEMS").startswith("ERR wrong number"))
        self.assertTrue(r.error("BF.INSERT", "b", "x", "y").startswith("Unknown argument"))
        self.assertEqual(r("EXISTS", "b"), 0)

    def test_a_full_filter_that_does_not_grow(self):
        r = self.r
        r("BF.RESERVE", "a", "0.001", 3, "NONSCALING")
        self.same(r("BF.MADD", "a", "1", "2", "1", "3", "4", "5"),
                  [1, 1, 0, 1, "ERR non scaling filter is full"])
        self.assertEqual(r.error("BF.ADD", "a", "6"), "ERR non scaling filter is full")
        self.assertEqual(r("BF.ADD", "a", "1"), 0)
        self.same(r("BF.INSERT", "a", "ITEMS", "2", "9"), [0, "ERR non scaling filter is full"])
        self.same(self.r3("BF.MADD", "a", "3", "8"), [False, "ERR non scaling filter is full"])
        self.assertEqual(r("BF.CARD", "a"), 3)

    def test_info(self):
        r = self.r
        r("BF.RESERVE", "a", "0.01", 100, "EXPANSION", 2)
        r("BF.MADD", "a", *items(101))
        pairs = r("BF.INFO", "a")
        names = ["Capacity", "Size", "Number of filters", "Number of items inserted", "Expansion rate"]
        self.assertEqual(pairs[::2], names)
        info = dict(zip(pairs[::2], pairs[1::2]))
        self.assertEqual(info["Capacity"], 300)
        self.assertEqual(info["Number of filters"], 2)
        self.assertEqual(list(self.r3("BF.INFO", "a").items()), list(info.items()))
        for field, name in zip(("CAPACITY", "size", "FILTERS", "ITEMS", "EXPANSION"), names):
            self.assertEqual(r("BF.INFO", "a", field), [info[name]])
            self.assertEqual(self.r3("BF.INFO", "a", field), {name: info[name]})
        self.assertEqual(r.error("BF.INFO", "a", "COLOUR"), "Invalid information value")
        self.assertEqual(r.error("BF.INFO", "none"), "ERR not found")

    def test_merge(self):
        r = self.r
        for key, first in (("a", 0), ("b", 400), ("c", 800)):
            r("BF.RESERVE", key, "0.01", 2000)
            r("BF.MADD", key, *[f"i{i}" for i in range(first, first + 500)])
        self.assertEqual(r("BF.MERGE", "sum", "a", "b", "c"), "OK")
        self.assertEqual(r("BF.INFO", "sum", "FILTERS"), [1])
        self.assertEqual(sum(r("BF.MEXISTS", "sum", *[f"i{i}" for i in range(1300)])), 1300)
        self.assertAlmostEqual(r("BF.CARD", "sum"), 1300, delta=40)
        for i in range(3):  # filters that have grown, or were made otherwise, are kept beside it
            r("BF.MADD", f"grown{i}", *[f"g{i}:{j}" for j in range(1000)])
        self.assertEqual(r("BF.MERGE", "sum", "grown0", "grown1", "grown2", "sum"), "OK")
        for i in range(3):
            self.assertEqual(sum(r("BF.MEXISTS", "sum", *[f"g{i}:{j}" for j in range(1000)])), 1000)
        wrong = sum(sum(r("BF.MEXISTS", "sum", *[f"no{i}:{j}" for j in range(1000)])) for i in range(20))
        self.assertLess(wrong / 20000, 0.04)  # the sum of the four promises
        self.assertEqual(r("BF.ADD", "sum", "one more"), 1)
        self.assertEqual(r.error("BF.MERGE", "sum", "none"), "ERR not found")
        r("BF.RESERVE", "fixed", "0.01", 10, "NONSCALING")
        self.assertEqual(r.error("BF.MERGE", "fixed", "a"), "ERR the filters do not fit into one")
        self.assertEqual(r("BF.CARD", "fixed"), 0)
        r("CONFIG", "SET", "ninho.max-transfer-bytes", 1000)
        self.assertIn("ninho.max-transfer-bytes (1000)", r.error("BF.MERGE", "sum", "a"))
        r("CONFIG", "SET", "ninho.max-transfer-bytes", "64mb")


class Cuckoo(Commands):
    def test_reserve(self):
        r = self.r
        self.assertEqual(r("CF.RESERVE", "a", 1000), "OK")
        self.assertEqual(r.error("CF.RESERVE", "a", 1000), "ERR item exists")
        self.assertEqual(r("CF.RESERVE", "b", 1000, "BUCKETSIZE", 8, "MAXITERATIONS", 30,
                           "EXPANSION", 3), "OK")
        info = self.r3("CF.INFO", "b")
        self.assertEqual((info["Bucket size"], info["Max iterations"], info["Expansion rate"]),
                         (8, 30, 4))
        for arguments in (("x",), (0,), (-1,), (1000, "BUCKETSIZE", 0), (1000, "BUCKETSIZE", 256),
                          (1000, "MAXITERATIONS", 0), (1000, "MAXITERATIONS", 65536),
                          (1000, "EXPANSION", -1), (1000, "EXPANSION", 32769), (1000, "NO", 1),
                          (1000, "EXPANSION"), (1000, "ERROR", 1), (1 << 60,)):
            r.error("CF.RESERVE", "c", *arguments)
        self.assertEqual(r("EXISTS", "c"), 0)
        for bucket in (1, 2, 3, 4, 8, 64, 255):
            key = f"bucket{bucket}"
            r("CF.RESERVE", key, 500, "BUCKETSIZE", bucket)
            self.assertEqual(set(r("CF.INSERT", key, "ITEMS", *items(2000))), {1})
            self.assertEqual(sum(r("CF.MEXISTS", key, *items(2000))), 2000)

    def test_add(self):
        r, r3 = self.r, self.r3
        self.assertEqual([r("CF.ADD", "a", "x"), r("CF.ADD", "a", "x")], [1, 1])
        self.assertEqual([r("CF.ADDNX", "a", "x"), r("CF.ADDNX", "a", "y")], [0, 1])
        self.assertIs(r3("CF.ADD", "a", "z"), True)
        self.assertIs(r3("CF.ADDNX", "a", "z"), False)
        self.assertEqual([r("CF.COUNT", "a", "x"), r3("CF.COUNT", "a", "no"), r("CF.COUNT", "none", "x")],
                         [2, 0, 0])
        self.assertEqual([r("CF.EXISTS", "a", "x"), r("CF.EXISTS", "a", "no"), r("CF.EXISTS", "none", "x")],
                         [1, 0, 0])
        self.assertIs(r3("CF.EXISTS", "a", "y"), True)
        self.assertEqual(r("CF.MEXISTS", "a", "x", "no"), [1, 0])
        self.assertEqual(r3("CF.MEXISTS", "a", "x", "no"), [True, False])
        self.assertEqual(r("CF.MEXISTS", "none", "x", "no"), [0, 0])

    def test_insert(self):
        r, r3 = self.r, self.r3
        self.assertEqual(r("CF.INSERT", "a", "CAPACITY", 100, "ITEMS", "x", "x"), [1, 1])
        self.assertEqual(r("CF.INSERTNX", "a", "ITEMS", "x", "y"), [0, 1])
        self.assertEqual(r3("CF.INSERT", "a", "ITEMS", "z"), [True])
        self.assertEqual(r3("CF.INSERTNX", "a", "ITEMS", "z", "w"), [0, 1])
        self.assertEqual(r.error("CF.INSERT", "b", "NOCREATE", "ITEMS", "x"), "ERR not found")
        self.assertEqual(r("CF.INSERT", "a", "NOCREATE", "ITEMS", "q"), [1])
        self.assertTrue(r.error("CF.INSERT", "b", "NO", "ITEMS", "x").startswith("Unknown argument"))
        self.assertTrue(r.error("CF.INSERT", "b", "CAPACITY", 5, "ITEMS").startswith("ERR wrong number"))

    def test_duplicates_do_not_make_it_grow(self):
        r = self.r
        for nx in (False, True):
            self.assertEqual(r("CF.INSERT", f"d{nx}", "ITEMS", *["x"] * 8).count(1), 4)
            n = 140000
            reply = r("CF.INSERTNX" if nx else "CF.INSERT", f"d{nx}", "ITEMS", *["x"] * n)
            self.assertEqual(set(reply), {0} if nx else {-1})
            self.assertEqual(r("CF.COUNT", f"d{nx}", "x"), 4)
            self.assertEqual(self.r3("CF.INFO", f"d{nx}")["Number of filters"], 1)
        self.assertEqual(r.error("CF.ADD", "dFalse", "x"), "Filter is full")
        self.assertEqual(self.r3("CF.INSERT", "dFalse", "ITEMS", "x", "y"), [False, True])

    def test_a_filter_that_does_not_grow(self):
        r = self.r
        r("CF.RESERVE", "a", 50, "EXPANSION", 0)
        reply = r("CF.INSERT", "a", "ITEMS", *items(200))
        self.assertEqual(reply.count(1), 50)
        self.assertEqual(reply[50:], [-1] * 150)
        self.assertEqual(r.error("CF.ADD", "a", "more"), "Filter is full")
        self.assertEqual(sum(r("CF.MEXISTS", "a", *items(50))), 50)

    def test_delete(self):
        r = self.r
        r("CF.INSERT", "a", "ITEMS", "x", "x", "y")
        self.assertEqual([r("CF.DEL", "a", "x"), r("CF.DEL", "a", "x"), r("CF.DEL", "a", "x")], [1, 1, 0])
        self.assertIs(self.r3("CF.DEL", "a", "y"), True)
        self.assertIs(self.r3("CF.DEL", "a", "y"), False)
        self.assertEqual(r.error("CF.DEL", "none", "x"), "Not found")
        info = self.r3("CF.INFO", "a")
        self.assertEqual((info["Number of items inserted"], info["Number of items deleted"]), (0, 3))
        self.assertEqual(r.error("CF.INFO", "none"), "ERR not found")
        self.assertEqual(list(info), ["Size", "Number of buckets", "Number of filters",
                                      "Number of items inserted", "Number of items deleted",
                                      "Bucket size", "Expansion rate", "Max iterations"])
        self.assertEqual(r("CF.INFO", "a")[::2], list(info))

    def test_growth_with_removal_loses_nothing(self):
        r = self.r
        n = 40000
        for group in groups(items(n)):
            self.assertEqual(set(r("CF.INSERT", "a", "ITEMS", *group)), {1})
        self.assertGreater(self.r3("CF.INFO", "a")["Number of filters"], 4)
        gone = items(n)[::2]
        self.assertEqual(sum(r.many([("CF.DEL", "a", item) for item in gone])), len(gone))
        left = items(n)[1::2]
        self.assertEqual(sum(sum(r("CF.MEXISTS", "a", *group)) for group in groups(left)), len(left))
        self.assertEqual(self.r3("CF.INFO", "a")["Number of items inserted"], len(left))

    def test_compact(self):
        r = self.r
        n = 40000
        for group in groups(items(n)):
            r("CF.INSERT", "a", "ITEMS", *group)
        before = self.r3("CF.INFO", "a")
        r.many([("CF.DEL", "a", item) for item in items(n)[6000:]])
        self.assertEqual(r("CF.COMPACT", "a"), "OK")
        for _ in range(200):  # it goes on in steps between other commands
            if self.r3("CF.INFO", "a")["Number of filters"] <= 3:
                break
        after = self.r3("CF.INFO", "a")
        self.assertLess(after["Number of filters"], before["Number of filters"])
        self.assertLess(after["Size"], before["Size"] / 3)
        self.assertEqual(after["Number of items inserted"], 6000)
        self.assertEqual(sum(r("CF.MEXISTS", "a", *items(6000))), 6000)
        self.assertEqual(sum(r.many([("CF.DEL", "a", item) for item in items(6000)])), 6000)
        self.assertEqual(r("CF.COMPACT", "a"), "OK")
        self.assertEqual(self.r3("CF.INFO", "a")["Number of filters"], 1)
        self.assertEqual(r.error("CF.COMPACT", "none"), "Cuckoo filter was not found")

    def test_many_compactions_take_turns(self):
        r = self.r
        n = 150000
        for group in groups(items(n), 5000):
            r("CF.INSERT", "a", "ITEMS", *group)
        # those left are in the largest table: more than one step has to look at
        r.many([("CF.DEL", "a", item) for item in items(n)[:-10000]])
        for key in "bc":
            r("COPY", "a", key)
        before = self.r3("CF.INFO", "a")["Number of filters"]
        self.assertEqual(set(r.many([("CF.COMPACT", key) for key in "abc" * 3])), {"OK"})
        r("DEL", "b")
        for key in "ac":
            wait_for(lambda: self.r3("CF.INFO", key)["Number of filters"] < before - 2, "compacted")
            self.assertEqual(sum(r("CF.MEXISTS", key, *items(n)[-10000:])), 10000)
        self.assertEqual(r("EXISTS", "b"), 0)

    def test_merge(self):
        r = self.r
        for key in "abc":
            r("CF.RESERVE", key, 3000, "BUCKETSIZE", 4)
            r("CF.INSERT", key, "ITEMS", *items(700, key))
        self.assertEqual(r("CF.MERGE", "sum", "a", "b", "c"), "OK")
        self.assertEqual(self.r3("CF.INFO", "sum")["Number of filters"], 1)
        for i in range(4):  # filters that have grown: nested ones side by side
            r("CF.INSERT", f"g{i}", "ITEMS", *items(5000, f"g{i}"))
        self.assertEqual(r("CF.MERGE", "g0", "g1", "g2", "g3"), "OK")
        for key, names in (("sum", "abc"), ("g0", ["g0", "g1", "g2", "g3"])):
            n = 700 if key == "sum" else 5000
            for name in names:
                self.assertEqual(sum(r("CF.MEXISTS", key, *items(n, name))), n)
        removed = [("CF.DEL", "g0", item) for i in range(4) for item in items(5000, f"g{i}")[::2]]
        self.assertEqual(sum(r.many(removed)), len(removed))
        for i in range(4):
            left = items(5000, f"g{i}")[1::2]
            self.assertEqual(sum(r("CF.MEXISTS", "g0", *left)), len(left))
        self.assertEqual(r.error("CF.MERGE", "sum", "g0"), "ERR bucket size differs")
        self.assertEqual(r.error("CF.MERGE", "new", "sum", "none"), "ERR not found")
        self.assertEqual(r("EXISTS", "new"), 0)


class Everyone(Commands):
    READS = [("BF.EXISTS", "x"), ("BF.MEXISTS", "x"), ("BF.INFO",), ("BF.CARD",), ("BF.SCANDUMP", 0),
             ("CF.EXISTS", "x"), ("CF.MEXISTS", "x"), ("CF.COUNT", "x"), ("CF.INFO",),
             ("CF.SCANDUMP", 0), ("NINHO.HAS", "x"), ("NINHO.INFO",), ("NINHO.EXPORT",)]
    WRITES = [("BF.RESERVE", "0.01", 10), ("BF.ADD", "x"), ("BF.MADD", "x"), ("BF.INSERT", "ITEMS", "x"),
              ("BF.MERGE", "other"), ("BF.LOADCHUNK", 5, "abcd"), ("CF.RESERVE", 10), ("CF.ADD", "x"),
              ("CF.ADDNX", "x"), ("CF.INSERT", "ITEMS", "x"), ("CF.INSERTNX", "ITEMS", "x"),
              ("CF.DEL", "x"), ("CF.COMPACT",), ("CF.MERGE", "other"), ("CF.LOADCHUNK", 5, "abcd"),
              ("NINHO.CREATE", "bloom", "CAPACITY", 10, "FPR", ".1"), ("NINHO.ADD", "x"),
              ("NINHO.REMOVE", "x"), ("NINHO.UNION", "other"), ("NINHO.IMPORT", "x"),
              ("NINHO.LOADCHUNK", 5, "abcd")]

    def test_another_type_is_refused(self):
        r = self.r
        r("SET", "s", "text")
        for command, *rest in self.READS + self.WRITES:
            self.assertTrue(r.error(command, "s", *rest).startswith("WRONGTYPE"), command)
        self.assertEqual(r("GET", "s"), b"text")
        r("BF.ADD", "b", "x")
        r("CF.ADD", "c", "x")
        r("NINHO.CREATE", "n", "bloom", "CAPACITY", 10, "FPR", ".1")
        for command, *rest in self.READS + self.WRITES:
            face = command.split(".")[0]
            if face == "NINHO" and command in ("NINHO.HAS", "NINHO.INFO", "NINHO.EXPORT"):
                continue
            for key, own in (("b", "BF"), ("c", "CF"), ("n", "NINHO")):
                if face != own:
                    self.assertTrue(r.error(command, key, *rest).startswith("WRONGTYPE"), command)

    def test_wrong_arity(self):
        for command, *_ in self.READS + self.WRITES:
            self.assertTrue(self.r.error(command).startswith("ERR wrong number of arg"), command)
        for command in ("BF.ADD k", "BF.EXISTS k a b", "BF.CARD k x", "BF.INFO k SIZE SIZE", "CF.DEL k",
                        "CF.COUNT k", "CF.INFO k x", "CF.COMPACT k 0 0", "BF.SCANDUMP k", "NINHO.INFO k x",
                        "BF.RESERVE k", "BF.LOADCHUNK k 1", "CF.RESERVE k", "CF.RESERVE k 5 EXPANSION",
                        "BF.INSERT k NOCREATE CAPACITY", "BF.INSERT k NONSCALING ERROR", "BF.INSERT k NOCREATE ITEMS",
                        "BF.INSERT k NOCREATE NONSCALING", "CF.INSERT k NOCREATE CAPACITY", "CF.INSERT k NOCREATE NOCREATE",
                        "BF.RESERVE k .1 5 NONSCALING NONSCALING NONSCALING NONSCALING"):
            self.assertTrue(self.r.error(*command.split()).startswith("ERR wrong number of arg"), command)

    def test_a_million_arguments(self):
        r = self.r
        many = items(1000000)
        self.assertEqual(r("BF.RESERVE", "b", "0.01", len(many)), "OK")
        reply = r("BF.MADD", "b", *many)
        self.assertGreater(sum(reply), 990000)
        self.assertEqual(sum(r("BF.MEXISTS", "b", *many)), len(many))
        self.assertEqual(sum(r("CF.INSERT", "c", "ITEMS", *many)), len(many))
        self.assertEqual(sum(r("CF.MEXISTS", "c", *many)), len(many))

    def test_transactions_and_scripts(self):
        r = self.r
        r("MULTI")
        for command in (("BF.ADD", "b", "x"), ("BF.EXISTS", "b", "x"), ("CF.ADD", "c", "x"),
                        ("CF.DEL", "c", "no"), ("BF.ADD", "c", "x")):
            self.assertEqual(r(*command), "QUEUED")
        reply = r("EXEC")
        self.assertEqual(reply[:4], [1, 1, 1, 0])
        self.assertTrue(str(reply[4]).startswith("WRONGTYPE"))
        script = "redis.call('BF.MADD', KEYS[1], 'p', 'q'); return redis.call('BF.MEXISTS', KEYS[1], 'p', 'z')"
        self.assertEqual(r("EVAL", script, 1, "b"), [1, 0])
        script = "redis.setresp(3); return redis.call('CF.EXISTS', KEYS[1], 'x') == true and 7 or 8"
        self.assertEqual(r("EVAL", script, 1, "c"), 7)
        watcher = self.server.client()
        watcher("WATCH", "b")
        r("BF.ADD", "b", "p")  # changes nothing
        watcher("MULTI")
        watcher("BF.CARD", "b")
        self.assertEqual(watcher("EXEC"), [3])
        watcher("WATCH", "b")
        r("BF.ADD", "b", "new")
        watcher("MULTI")
        watcher("BF.CARD", "b")
        self.assertIsNone(watcher("EXEC"))
        watcher.close()

    def test_out_of_memory_policy(self):
        r = self.r
        r("BF.ADD", "b", "x")
        r("CF.ADD", "c", "x")
        r("CONFIG", "SET", "maxmemory", 1)
        try:
            for command in (("BF.ADD", "b", "y"), ("BF.RESERVE", "new", "0.1", 100), ("CF.ADD", "c", "y"),
                            ("NINHO.CREATE", "new", "bloom", "CAPACITY", 10, "FPR", ".1")):
                self.assertTrue(r.error(*command).startswith("OOM"), command)
            self.assertEqual(r("BF.EXISTS", "b", "x"), 1)
            self.assertEqual(r("CF.DEL", "c", "x"), 1)
        finally:
            r("CONFIG", "SET", "maxmemory", 0)

    def test_the_cap(self):
        r = self.r
        r("CONFIG", "SET", "ninho.max-key-bytes", "1mb")
        try:
            self.assertIn("ninho.max-key-bytes", r.error("BF.RESERVE", "b", "0.0001", 1 << 40))
            self.assertIn("ninho.max-key-bytes", r.error("CF.RESERVE", "c", 1 << 31))
            self.assertIn("error rate too small", r.error("BF.RESERVE", "b", "1e-15", 100))
            self.assertIn("error rate too small", r.error("CF.RESERVE", "c", 100, "ERROR", "1e-15"))
            self.assertIn("ninho.max-key-bytes",
                          r.error("NINHO.CREATE", "n", "bloom", "CAPACITY", 1 << 40, "FPR", ".1"))
            reply = []
            for group in groups(items(2000000), 20000):
                reply = r("BF.MADD", "b", *group)
                if isinstance(reply[-1], ReplyError):
                    break
            self.assertIn("ninho.max-key-bytes", str(reply[-1]))
            self.assertLess(r("MEMORY", "USAGE", "b"), 1 << 20)
            for group in groups(items(2000000), 20000):
                reply = r("CF.INSERT", "c", "ITEMS", *group)
                if reply[-1] == -1:
                    break
            self.assertEqual(reply[-1], -1)
            self.assertIn("Maximum expansions reached", r.error("CF.ADD", "c", "one more"))
            self.assertLess(r("MEMORY", "USAGE", "c"), 1 << 20)
            self.assertEqual(sum(r("CF.MEXISTS", "c", *items(20000))), 20000)
        finally:
            r("CONFIG", "SET", "ninho.max-key-bytes", "128mb")

    def test_parameters(self):
        r = self.r
        self.assertEqual(r("CONFIG", "SET", "ninho.bf-error-rate", "0.002", "ninho.bf-initial-size", 500,
                           "ninho.bf-expansion-factor", 4, "ninho.cf-initial-size", 64,
                           "ninho.cf-bucket-size", 4, "ninho.cf-max-iterations", 50,
                           "ninho.cf-expansion-factor", 8), "OK")
        self.assertEqual(r("CONFIG", "GET", "ninho.bf-error-rate")[1], b"0.002")
        r("BF.ADD", "b", "x")
        self.assertEqual(self.r3("BF.INFO", "b")["Capacity"], 500)
        self.assertEqual(self.r3("BF.INFO", "b")["Expansion rate"], 4)
        r("CF.ADD", "c", "x")
        info = self.r3("CF.INFO", "c")
        self.assertEqual((info["Bucket size"], info["Max iterations"], info["Expansion rate"]), (4, 50, 8))
        self.assertIn("error rate must lie", r.error("CONFIG", "SET", "ninho.bf-error-rate", "2"))
        r.error("CONFIG", "SET", "ninho.cf-bucket-size", "0")
        r("CONFIG", "SET", "ninho.bf-error-rate", "0.01", "ninho.bf-initial-size", 100,
          "ninho.bf-expansion-factor", 2, "ninho.cf-initial-size", 1024, "ninho.cf-bucket-size", 2,
          "ninho.cf-max-iterations", 20, "ninho.cf-expansion-factor", 1)

    def test_module_arguments(self):
        with Server(arguments=["bf-error-rate", "0.05", "INITIAL_SIZE", 7, "cf-bucket-size", 3,
                               "max-key-bytes", "2GB", "max-transfer-bytes", "5k"]) as server:
            r = server.client(3)
            self.assertEqual(r("CONFIG", "GET", "ninho.max-*"),
                             {b"ninho.max-key-bytes": b"2147483648", b"ninho.max-transfer-bytes": b"5000"})
            self.assertEqual(r("CONFIG", "GET", "ninho.bf-error-rate"), {b"ninho.bf-error-rate": b"0.05"})
            r("BF.ADD", "b", "x")
            r("CF.ADD", "c", "x")
            self.assertEqual((r("BF.INFO", "b")["Capacity"], r("CF.INFO", "c")["Bucket size"]), (7, 3))
            r.close()
        for wrong in (["bf-error-rate", "7"], ["max-key-bytes", "9gib"], ["max-key-bytes", "-1"],
                      ["max-key-bytes", "99999999999gb"], ["colour", "1"], ["cf-bucket-size"]):
            with self.assertRaises(RuntimeError):
                Server(arguments=wrong)
        with self.assertRaisesRegex(RuntimeError, "a module ninho is loaded already"):
            Server("--loadmodule", MODULE)

    def test_every_key_is_found_by_the_server(self):
        """Key specs: the cluster and the ACLs know the keys of each command."""
        r = self.r
        for command, *rest in self.READS + self.WRITES:
            rest = [f"{x}" for x in rest]
            keys = r("COMMAND", "GETKEYS", command, "k", *rest)
            self.assertEqual(keys, [b"k", b"other"] if "other" in rest else [b"k"], command)
        r("ACL", "SETUSER", "reader", "on", ">pw", "%R~b*", "~own*", "+@all")
        user = self.server.client()
        user("AUTH", "reader", "pw")
        r("BF.ADD", "b1", "x")
        self.assertEqual(user("BF.EXISTS", "b1", "x"), 1)
        self.assertTrue(user.error("BF.ADD", "b1", "y").startswith("NOPERM"))
        self.assertEqual(user("BF.MERGE", "own", "b1"), "OK")
        self.assertTrue(user.error("BF.MERGE", "b2", "b1").startswith("NOPERM"))
        user.close()
        r("ACL", "DELUSER", "reader")
