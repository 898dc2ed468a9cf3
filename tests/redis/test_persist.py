# SPDX-License-Identifier: MIT
"""Files and copies: RDB, AOF and its rewrite, DUMP and RESTORE, SCANDUMP and LOADCHUNK, COPY,
RENAME, memory, lazy free, and what is left after kill -9."""

import os
import random
import threading
import time
import unittest

from server import MODULE, ReplyError, Server, groups, items, scale, wait_for


def fill(r):
    """Keys of every face, and of every state that a command can leave."""
    r("BF.RESERVE", "bf:reserved", "0.001", 5000)
    r("BF.MADD", "bf:reserved", *items(3000))
    r("BF.MADD", "bf:grown", *items(3000))
    r("BF.RESERVE", "bf:fixed", "0.02", 100, "NONSCALING")
    r("BF.MADD", "bf:fixed", *items(50))
    r("BF.MERGE", "bf:merged", "bf:reserved", "bf:grown")
    r("CF.INSERT", "cf:grown", "ITEMS", *items(6000))
    r.many([("CF.DEL", "cf:grown", item) for item in items(1000)])
    r("CF.RESERVE", "cf:reserved", 2000, "BUCKETSIZE", 4, "MAXITERATIONS", 7, "EXPANSION", 4)
    r("CF.INSERT", "cf:reserved", "ITEMS", *items(2000))
    r("CF.MERGE", "cf:merged", "cf:grown")
    r("CF.COMPACT", "cf:merged")
    for kind in ("bloom", "blocked", "counting", "cuckoo", "quotient", "compact", "scalable"):
        r("NINHO.CREATE", f"n:{kind}", kind, "CAPACITY", 1000, "FPR", "0.01")
        r("NINHO.ADD", f"n:{kind}", *items(900))
    r("NINHO.CREATE", "n:keyed", "bloom", "CAPACITY", 100, "FPR", "0.01", "SECRET", "00" * 15 + "07")
    r("NINHO.ADD", "n:keyed", "robin")
    data = r("BF.SCANDUMP", "bf:reserved", 0)[1]
    r("BF.LOADCHUNK", "bf:loading", 2001, data[:2000])
    r("CONFIG", "SET", "ninho.max-key-bytes", 0)
    return sorted(r("KEYS", "*"))


def digests(r, keys):
    return r("DEBUG", "DIGEST-VALUE", *keys)


def check(test, r):
    test.assertEqual(sum(r("BF.MEXISTS", "bf:reserved", *items(3000))), 3000)
    test.assertEqual(sum(r("BF.MEXISTS", "bf:grown", *items(3000))), 3000)
    test.assertEqual(sum(r("CF.MEXISTS", "cf:grown", *items(6000)[1000:])), 5000)
    test.assertEqual(r("NINHO.HAS", "n:keyed", "robin"), [1])
    test.assertIn("still being loaded", r.error("BF.EXISTS", "bf:loading", "x"))


class Persist(unittest.TestCase):
    def test_rdb_and_debug_reload(self):
        with Server() as server:
            r = server.client()
            keys = fill(r)
            before = digests(r, keys)
            self.assertEqual(len(set(before)), len(keys))
            r("DEBUG", "RELOAD")
            self.assertEqual(digests(r, keys), before)
            check(self, r)
            r("SAVE")
            server.stop(keep=True)
            server.start()
            r = server.client()
            self.assertEqual(digests(r, keys), before)
            check(self, r)
            # and the half that was missing still fits
            data = r("BF.SCANDUMP", "bf:reserved", 0)[1]
            self.assertEqual(r("BF.LOADCHUNK", "bf:loading", len(data) + 1, data[2000:]), "OK")
            self.assertEqual(digests(r, ["bf:loading"]), digests(r, ["bf:reserved"]))

    def test_aof_and_its_rewrite(self):
        for preamble in ("no", "yes"):
            with self.subTest(preamble=preamble), \
                    Server("--appendonly", "yes", "--aof-use-rdb-preamble", preamble) as server:
                r = server.client()
                keys = fill(r)
                before = digests(r, keys)
                r("DEBUG", "LOADAOF")  # the commands as they were replicated
                self.assertEqual(digests(r, keys), before)
                r("BGREWRITEAOF")
                wait_for(lambda: b"aof_rewrite_in_progress:0" in r("INFO", "persistence")
                         and b"aof_rewrite_scheduled:0" in r("INFO", "persistence"), "rewrite")
                self.assertIn(b"aof_last_bgrewrite_status:ok", r("INFO", "persistence"))
                r("BF.ADD", "bf:grown", "after")
                r("DEBUG", "LOADAOF")
                self.assertEqual(r("BF.EXISTS", "bf:grown", "after"), 1)
                keys.remove(b"bf:grown")
                before = digests(r, keys)
                r("DEBUG", "LOADAOF")
                self.assertEqual(digests(r, keys), before)
                check(self, r)

    def test_dump_restore_copy_rename(self):
        with Server() as server:
            r = server.client()
            keys = fill(r)
            before = digests(r, keys)
            for key, digest in zip(keys, before):
                payload = r("DUMP", key)
                self.assertEqual(r("RESTORE", b"copy of " + key, 0, payload), "OK")
                self.assertEqual(r("COPY", key, b"other " + key), 1)
                self.assertEqual(r("RENAME", b"other " + key, b"third " + key), "OK")
                self.assertEqual(digests(r, [b"copy of " + key, b"third " + key]), [digest] * 2)
            r("BF.ADD", "third bf:grown", "only there")  # copies are their own
            self.assertEqual(r("BF.EXISTS", "bf:grown", "only there"), 0)
            self.assertEqual(r("BF.EXISTS", "third bf:grown", "only there"), 1)

    def test_a_changed_key_still_expires(self):
        with Server() as server:
            r = server.client()
            for face, command in (("BF", ()), ("CF", ()), ("NINHO", ("bloom", "CAPACITY", 100))):
                for key in "ab":
                    if command:
                        r("NINHO.CREATE", key, *command)
                    r(f"{face}.ADD", key, key)
                    r("EXPIRE", key, 1000)
                r("NINHO.UNION" if command else f"{face}.MERGE", "a", "b")
                self.assertGreater(r("TTL", "a"), 900)
                data = r(f"{face}.SCANDUMP", "a", 0)[1]
                r(f"{face}.LOADCHUNK", "c", 201, data[:200])
                r("EXPIRE", "c", 1000)
                r(f"{face}.LOADCHUNK", "c", len(data) + 1, data[200:])
                self.assertGreater(r("TTL", "c"), 900)
                r(f"{face}.LOADCHUNK", "c", len(data) + 1, data)  # another filter
                self.assertEqual(r("TTL", "c"), -1)
                self.assertEqual(r("NINHO.HAS", "a", "a", "b"), [1, 1])
                self.assertEqual(r("NINHO.HAS", "c", "a", "b"), [1, 1])
                r("DEL", "a", "b", "c")

    def test_scandump_and_loadchunk(self):
        with Server() as server:
            r = server.client()
            fill(r)
            # more than one chunk
            r("BF.RESERVE", "bf:large", "0.0001", 8000000)
            r("BF.MADD", "bf:large", *items(1000))
            for key in ("bf:reserved", "bf:grown", "bf:large", "cf:grown", "cf:reserved", "n:quotient"):
                face = {"b": "BF", "c": "CF", "n": "NINHO"}[key[0]]
                chunks, iterator = [], 0
                while True:
                    iterator, data = r(f"{face}.SCANDUMP", key, iterator)
                    if iterator == 0:
                        self.assertEqual(data, b"")
                        break
                    self.assertLessEqual(len(data), 16 << 20)
                    chunks.append((iterator, data))
                self.assertEqual(len(chunks), 2 if key == "bf:large" else 1)
                for i, (iterator, data) in enumerate(chunks):
                    self.assertEqual(r(f"{face}.LOADCHUNK", "loaded", iterator, data), "OK")
                    if i + 1 < len(chunks):
                        self.assertIn("still being loaded", r.error(f"{face}.INFO", "loaded"))
                self.assertEqual(*digests(r, [key, "loaded"]))
                # a filter of the same face is overwritten
                for iterator, data in chunks:
                    self.assertEqual(r(f"{face}.LOADCHUNK", "loaded", iterator, data), "OK")
                r("DEL", "loaded")
            iterator, data = r("BF.SCANDUMP", "bf:reserved", 0)
            self.assertEqual(r.error("BF.LOADCHUNK", "x", "one", data), "Second argument must be numeric")
            self.assertEqual(r.error("CF.LOADCHUNK", "x", "one", data), "Invalid position")
            self.assertEqual(r.error("CF.LOADCHUNK", "x", 0, data), "Invalid position")
            self.assertEqual(r.error("CF.SCANDUMP", "cf:grown", "one"), "Invalid position")
            self.assertEqual(r.error("BF.SCANDUMP", "none", 0), "ERR not found")
            self.assertEqual(r.error("BF.SCANDUMP", "bf:reserved", -1), "Second argument must be numeric")
            for wrong in ((1, data), (iterator, b""), (iterator + 1, data), (-1, data),
                          (5, b"abcd"), (iterator, data[:-1] + b"!"), (iterator, b"!" + data[1:])):
                self.assertTrue(r.error("BF.LOADCHUNK", "x", *wrong))
            self.assertTrue(r.error("CF.LOADCHUNK", "x", iterator, data).startswith("ERR received bad"))
            self.assertEqual(r("EXISTS", "x"), 0)

    def test_memory_and_lazy_free(self):
        with Server() as server:
            r = server.client()
            r("BF.RESERVE", "b", "0.001", 20000000)
            size = r("MEMORY", "USAGE", "b")
            self.assertGreater(size, 35000000)
            self.assertGreaterEqual(r("MEMORY", "STATS")[r("MEMORY", "STATS").index(b"total.allocated") + 1], size)
            self.assertEqual(r("UNLINK", "b"), 1)
            wait_for(lambda: b"lazyfreed_objects:1" in r("INFO", "memory"), "freed by the other thread")
            used = int(r("INFO", "memory").split(b"used_memory:")[1].split(b"\r")[0])
            self.assertLess(used, 10000000)
            r("BF.ADD", "small", "x")
            r("UNLINK", "small")
            r("BF.RESERVE", "b", "0.001", 20000000)
            r("FLUSHALL", "ASYNC")
            self.assertEqual(r("DBSIZE"), 0)


class Killed(unittest.TestCase):
    """Every item that was acknowledged is found after kill -9."""

    def load(self, server, seconds):
        done = {}

        def work(number):
            r = server.client()
            n = 0
            try:
                while True:
                    group = [f"{number}:{n + i}" for i in range(5)]
                    replies = r.many([("BF.MADD", f"b{number % 2}", *group),
                                      ("CF.INSERT", "c", "ITEMS", *group)])
                    if any(isinstance(reply, ReplyError) for reply in replies):
                        break
                    n += 5
                    done[number] = n
            except (OSError, ConnectionError):
                pass
            r.close()

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        return done, threads

    def check(self, server, done):
        r = server.client()
        total = 0
        for number, n in done.items():
            for group in groups([f"{number}:{i}" for i in range(n)]):
                self.assertEqual(sum(r("BF.MEXISTS", f"b{number % 2}", *group)), len(group))
                self.assertEqual(sum(r("CF.MEXISTS", "c", *group)), len(group))
            total += n
        self.assertGreater(total, 200)
        r.close()
        return total

    def test_aof(self):
        for _ in range(scale(2)):
            with Server("--appendonly", "yes", "--appendfsync", "always") as server:
                done, threads = self.load(server, random.uniform(.5, 1.5))
                server.kill()
                for thread in threads:
                    thread.join()
                server.start()
                self.check(server, done)

    def test_rdb(self):
        with Server() as server:
            done, threads = self.load(server, 1)
            r = server.client()
            before = dict(done)
            r("SAVE")
            r.close()
            time.sleep(.2)
            server.kill()
            for thread in threads:
                thread.join()
            server.start()
            self.check(server, before)

    def test_during_a_rewrite(self):
        with Server("--appendonly", "yes", "--appendfsync", "always", "--aof-use-rdb-preamble",
                    "no") as server:
            done, threads = self.load(server, .5)
            r = server.client()
            r("BGREWRITEAOF")
            time.sleep(random.uniform(.01, .3))
            server.kill()
            for thread in threads:
                thread.join()
            server.start()
            self.check(server, done)


assert MODULE and os.path.exists(MODULE)
