# SPDX-License-Identifier: MIT
"""Real clients: Debian's python3-redis, and npm's redis in both protocols."""

import os
import shutil
import subprocess
import unittest

import redis

from server import NODE_PATH, TOP, Server

HAS_NODE = bool(shutil.which("node")) and os.path.isdir(os.path.join(NODE_PATH, "redis"))


def javascript(mode, port):
    done = subprocess.run(["node", os.path.join(TOP, "tests", "redis", "clients.mjs"), NODE_PATH, mode, str(port)],
                          capture_output=True, text=True, timeout=120)
    if done.stdout != "ok\n":
        raise AssertionError(f"{mode}: {done.stdout}{done.stderr}")


class Clients(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.stop)

    def test_python(self):
        r = redis.Redis(port=self.server.port)
        bf, cf = r.bf(), r.cf()
        self.assertTrue(bf.create("b", 0.01, 1000))
        with self.assertRaisesRegex(redis.ResponseError, "item exists"):
            bf.create("b", 0.01, 1000)
        self.assertTrue(bf.create("fixed", 0.01, 1000, noScale=True))
        self.assertTrue(bf.create("eight", 0.01, 1000, expansion=8))
        self.assertEqual([bf.add("b", "x"), bf.add("b", "x")], [1, 0])
        self.assertEqual(bf.madd("b", "x", "y"), [0, 1])
        self.assertEqual(bf.insert("c1", ["p", "q"], capacity=300, error=0.1), [1, 1])
        self.assertEqual(bf.exists("b", "y"), 1)
        self.assertEqual(bf.mexists("b", "y", "no"), [1, 0])
        info = bf.info("b")
        self.assertEqual((info.capacity, info.filterNum, info.insertedNum, info.expansionRate), (1000, 1, 2, 2))
        chunks, iterator = [], 0
        while True:
            iterator, data = bf.scandump("b", iterator)
            if iterator == 0:
                break
            chunks.append((iterator, data))
        for iterator, data in chunks:
            self.assertTrue(bf.loadchunk("b2", iterator, data))
        self.assertEqual(bf.mexists("b2", "x", "y", "no"), [1, 1, 0])
        self.assertTrue(cf.create("c", 1000, expansion=2, bucket_size=4, max_iterations=10))
        self.assertEqual([cf.add("c", "x"), cf.addnx("c", "x"), cf.addnx("c", "y")], [1, 0, 1])
        self.assertEqual(cf.insert("c", ["x", "z"]), [1, 1])
        self.assertEqual(cf.insertnx("c", ["x", "w"]), [0, 1])
        self.assertEqual([cf.exists("c", "x"), cf.count("c", "x"), cf.delete("c", "x"), cf.count("c", "x")],
                         [1, 2, 1, 1])
        info = cf.info("c")
        self.assertEqual((info.insertedNum, info.deletedNum, info.bucketSize, info.maxIteration), (4, 1, 4, 10))
        iterator, data = cf.scandump("c", 0)
        self.assertTrue(cf.loadchunk("c2", iterator, data))
        self.assertEqual(cf.exists("c2", "z"), 1)
        with self.assertRaisesRegex(redis.ResponseError, "Not found"):
            cf.delete("none", "x")
        r.close()

    @unittest.skipUnless(HAS_NODE, "npm's redis is not there: tools/fetch-npm tests/redis/npm npm-redis")
    def test_javascript(self):
        for mode in ("2", "3"):
            redis.Redis(port=self.server.port).flushall()
            javascript(mode, self.server.port)
