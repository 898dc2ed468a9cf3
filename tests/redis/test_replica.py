# SPDX-License-Identifier: MIT
"""A replica equals its master after every family of commands, and after failover; only what changed
something is sent to it."""

import time
import unittest

from test_hostile import crowded
from test_persist import digests, fill
from server import Server, groups, items, wait_for


class Replica(unittest.TestCase):
    def setUp(self):
        self.master = Server("--repl-diskless-sync-delay", "0")
        # other defaults, and a cap that is too small: neither may matter
        self.replica = Server("--replicaof", f"127.0.0.1 {self.master.port}", arguments=[
            "bf-initial-size", 7, "bf-error-rate", "0.3", "cf-initial-size", 9, "cf-bucket-size", 4,
            "cf-error-rate", "0.2", "max-key-bytes", 5000, "max-transfer-bytes", 100])
        self.addCleanup(self.master.stop)
        self.addCleanup(self.replica.stop)
        self.m, self.s = self.master.client(), self.replica.client()
        wait_for(lambda: b"master_link_status:up" in self.s("INFO", "replication"), "link")

    def equal(self):
        self.assertEqual(self.m("WAIT", 1, 20000), 1)
        keys = sorted(self.m("KEYS", "*"))
        self.assertEqual(sorted(self.s("KEYS", "*")), keys)
        if keys:
            self.assertEqual(digests(self.s, keys), digests(self.m, keys))

    def offset(self):
        return self.m("INFO", "replication").split(b"master_repl_offset:")[1].split(b"\r")[0]

    def test_every_family(self):
        m = self.m
        commands = [
            ("BF.RESERVE", "b", "0.05", 100), ("BF.ADD", "b", "x"), ("BF.ADD", "auto", "x"),
            ("BF.MADD", "auto", *items(500)), ("BF.INSERT", "ins", "ERROR", "0.1", "ITEMS", *items(300)),
            ("BF.INSERT", "ins2", "CAPACITY", 50, "NONSCALING", "ITEMS", *items(300)),
            ("BF.MERGE", "sum", "b", "auto", "ins"), ("CF.RESERVE", "c", 100, "BUCKETSIZE", 3),
            ("CF.ADD", "c", "x"), ("CF.ADDNX", "cauto", "x"), ("CF.INSERT", "cauto", "ITEMS", *items(5000)),
            ("CF.INSERTNX", "cauto", "ITEMS", *items(5500)), ("CF.INSERT", "c2", "CAPACITY", 10, "ITEMS", "x"),
            ("CF.INSERT", "c2", "ITEMS", *["x"] * 20), ("CF.DEL", "c2", "x"), ("CF.MERGE", "csum", "cauto"),
            ("NINHO.CREATE", "n", "scalable", "BASE", "cuckoo", "CAPACITY", 100, "FPR", ".01"),
            ("NINHO.ADD", "n", *items(1000)), ("NINHO.REMOVE", "n", *items(300)),
            ("NINHO.CREATE", "n2", "bloom", "CAPACITY", 100, "FPR", ".01"), ("NINHO.ADD", "n2", "x"),
            ("NINHO.CREATE", "n3", "bloom", "CAPACITY", 100, "FPR", ".01"), ("NINHO.ADD", "n3", "y"),
            ("NINHO.UNION", "n2", "n3"), ("COPY", "cauto", "copy"), ("RENAME", "copy", "renamed"),
            ("UNLINK", "ins"), ("NINHO.IMPORT", "n4", m("NINHO.EXPORT", "n3") if m("EXISTS", "n3") else b""),
        ]
        for command in commands:
            if command[0] == "NINHO.IMPORT":
                command = ("NINHO.IMPORT", "n4", m("NINHO.EXPORT", "n3"))
            m(*command)
            self.equal()
        m.many([("CF.DEL", "cauto", item) for item in items(5000)[300:]])
        m("CF.COMPACT", "cauto")
        filters = []
        for _ in range(100):
            filters.append(m("CF.INFO", "cauto")[5])
        self.equal()
        self.assertEqual(self.s("CF.INFO", "cauto"), m("CF.INFO", "cauto"))
        self.assertLess(filters[-1], 4)
        many = items(150000, "many")  # compacted in several steps, with other commands between them
        for group in groups(many, 5000):
            m("CF.INSERT", "large", "ITEMS", *group)
        m.many([("CF.DEL", "large", item) for item in many[20000:]])
        m("CF.COMPACT", "large")
        for i in range(200):
            m("CF.ADD", "large", f"between:{i}")
        wait_for(lambda: m("CF.INFO", "large")[5] < 6, "compacted")
        self.equal()
        self.assertEqual(sum(self.s("CF.MEXISTS", "large", *many[:20000])), 20000)
        data = m("CF.SCANDUMP", "cauto", 0)[1]
        m("CF.LOADCHUNK", "loaded", 1001, data[:1000])
        self.equal()
        m("CF.LOADCHUNK", "loaded", len(data) + 1, data[1000:])
        self.equal()
        m("RESTORE", "restored", 0, m("DUMP", "cauto"))
        self.equal()
        m("MULTI")
        m("BF.ADD", "tx", "a")
        m("CF.ADD", "tx2", "a")
        m("EXEC")
        m("EVAL", "return redis.call('BF.MADD', KEYS[1], 'p', 'q')", 1, "script")
        self.equal()

    def test_what_the_cap_refuses_is_not_sent(self):
        m = self.m
        m("CONFIG", "SET", "ninho.max-key-bytes", 20000)
        some = items(20000)
        self.assertIn("ninho.max-key-bytes", str(m("BF.MADD", "b", *some)[-1]))
        self.assertIn("ninho.max-key-bytes", str(m("BF.INSERT", "b2", "CAPACITY", 200, "ITEMS", *some)[-1]))
        self.equal()
        for command in ("CF.INSERT", "CF.INSERTNX"):
            answers = m(command, command, "CAPACITY", 300, "ITEMS", *some)
            self.assertGreater(answers.count(1), 500)
            self.assertEqual(answers[-1], -1)
            self.equal()
        m("NINHO.CREATE", "n", "scalable", "CAPACITY", 100, "FPR", ".01")
        self.assertGreater(m("NINHO.ADD", "n", *some).count(-1), 1000)
        self.equal()

    def test_what_was_not_removed_is_not_sent(self):
        m = self.m
        m("NINHO.IMPORT", "a", crowded(m))
        m("CONFIG", "SET", "repl-ping-replica-period", 1000)
        self.equal()
        wait_for(lambda: self.offset() == self.offset(), "quiet")
        some = items(2000)
        before = self.offset()
        answers = m("NINHO.REMOVE", "a", *some)
        self.assertTrue({-1, 0, 1} <= set(answers))
        self.assertLess(int(self.offset()) - int(before), 5000)  # all items are 30,000 bytes
        self.equal()
        wait_for(lambda: self.offset() == self.offset(), "quiet")
        before = self.offset()
        self.assertEqual(m("NINHO.REMOVE", "a", some[answers.index(-1)]), [-1])
        self.assertEqual(self.offset(), before)

    def test_nothing_is_compacted_while_clients_are_paused(self):
        m = self.m
        for group in groups(items(150000), 5000):
            m("CF.INSERT", "a", "ITEMS", *group)
        # those left are in the largest table: more than one step has to look at
        m.many([("CF.DEL", "a", item) for item in items(150000)[:130000]])
        m("CONFIG", "SET", "repl-ping-replica-period", 1000)
        replies = m.many([("MULTI",), ("CF.COMPACT", "a"), ("CLIENT", "PAUSE", 60000, "WRITE"), ("EXEC",)])
        self.assertEqual(replies[-1], ["OK", "OK"])
        self.equal()
        before = self.offset(), m("CF.INFO", "a")
        time.sleep(0.1)
        self.assertEqual((self.offset(), m("CF.INFO", "a")), before)
        m("CLIENT", "UNPAUSE")
        wait_for(lambda: m("CF.INFO", "a")[5] < before[1][5], "compacted")
        self.equal()

    def test_only_changes_are_sent(self):
        m = self.m
        m("BF.MADD", "b", *items(50))
        m("CF.INSERT", "c", "ITEMS", *["x"] * 4)
        m("NINHO.CREATE", "n", "bloom", "CAPACITY", 10, "FPR", ".1")
        m("NINHO.ADD", "n", "x")
        m("CONFIG", "SET", "repl-ping-replica-period", 1000)
        self.equal()
        wait_for(lambda: self.offset() == self.offset(), "quiet")
        before = self.offset()
        for command in (("BF.ADD", "b", "item:1"), ("BF.MADD", "b", *items(50)), ("BF.INSERT", "b", "ITEMS", "item:3"),
                        ("CF.ADDNX", "c", "x"), ("CF.INSERTNX", "c", "ITEMS", "x", "x"), ("CF.INSERT", "c", "ITEMS", "x"),
                        ("CF.DEL", "c", "no"), ("CF.COMPACT", "c"), ("NINHO.ADD", "n", "x"), ("BF.EXISTS", "b", "x")):
            m(*command)
        for command in (("CF.ADD", "c", "x"), ("BF.RESERVE", "b", ".1", 5), ("BF.INSERT", "q", "NOCREATE", "ITEMS", "x")):
            m.error(*command)
        self.assertEqual(self.offset(), before)

    def test_failover_and_restart(self):
        m, s = self.m, self.s
        fill(m)
        self.equal()
        s.close()
        self.replica.restart()
        self.s = s = self.replica.client()
        wait_for(lambda: b"master_link_status:up" in s("INFO", "replication"), "link")
        self.equal()
        s("REPLICAOF", "NO", "ONE")
        s("CONFIG", "SET", "ninho.max-key-bytes", "100mb")
        m("REPLICAOF", "127.0.0.1", self.replica.port)
        s("BF.MADD", "bf:grown", *items(1000, "after"))
        s("CF.INSERT", "cf:grown", "ITEMS", *items(1000, "after"))
        s.many([("CF.DEL", "cf:grown", item) for item in items(2000)[1000:]])
        self.m, self.s = s, m
        wait_for(lambda: b"master_link_status:up" in m("INFO", "replication"), "link")
        self.equal()
        self.assertEqual(sum(m("BF.MEXISTS", "bf:grown", *items(1000, "after"))), 1000)
        self.assertEqual(sum(m("CF.MEXISTS", "cf:grown", *items(6000)[2000:])), 4000)
