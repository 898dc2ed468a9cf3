# SPDX-License-Identifier: MIT
"""Three masters, made by the recipe of the README: filters spread over the slots, a reshard while they
are used, and one set over many keys, shared by Python and JavaScript."""

import logging
import os
import subprocess
import sys
import threading
import unittest

from redis.cluster import RedisCluster

from test_clients import HAS_NODE, javascript
from server import TOP, Server, groups, items, wait_for

sys.path.insert(0, os.path.join(TOP, "integrations", "redis", "clients"))
from sharded import Refused, ShardedFilter, shard_of  # noqa: E402

logging.disable(logging.CRITICAL)  # redis-py logs every redirection with a trace


def redis_cli(*arguments):
    done = subprocess.run(["redis-cli", *map(str, arguments)], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise AssertionError(f"{arguments}: {done.stdout}{done.stderr}")
    return done.stdout


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.servers = [Server("--cluster-enabled", "yes", "--cluster-node-timeout", "5000") for _ in range(3)]
        nodes = [f"127.0.0.1:{server.port}" for server in cls.servers]
        redis_cli("--cluster", "create", *nodes, "--cluster-yes")
        clients = [server.client() for server in cls.servers]
        wait_for(lambda: all(b"cluster_state:ok" in client("CLUSTER", "INFO") for client in clients), "cluster")
        cls.ids = [client("CLUSTER", "MYID").decode() for client in clients]
        cls.r = RedisCluster(host="127.0.0.1", port=cls.servers[0].port)

    @classmethod
    def tearDownClass(cls):
        cls.r.close()
        for server in cls.servers:
            server.stop()

    def spread(self, pattern):
        """On how many masters there are keys of that pattern."""
        return sum(1 for server in self.servers if server.client()("KEYS", pattern))

    def test_a_filter_over_many_keys(self):
        words = ShardedFilter(self.r, "words", 16)
        words.reserve(0.01, 8000)
        python = [f"python:{i}" for i in range(3000)]
        self.assertGreater(sum(words.add(python)), 2900)
        self.assertTrue(all(words.exists(python)))
        self.assertEqual(self.spread("words:*"), 3)
        self.assertEqual(shard_of(b"123456789", 1 << 16), 0x31C3)
        removable = ShardedFilter(self.r, "removable", 8, "CF")
        removable.reserve(0.01, 3000)
        removable.add(python)
        self.assertTrue(all(removable.exists(python)))
        with self.assertRaisesRegex(Refused, "removable:{.} is full"):  # copies of one item
            removable.add(["x"] * 100)
        for shard in range(4):
            self.r.execute_command("BF.RESERVE", f"small:{{{shard}}}", "0.01", 10, "NONSCALING")
        with self.assertRaisesRegex(Refused, "non scaling filter is full"):
            ShardedFilter(self.r, "small", 4).add(python)
        if HAS_NODE:
            javascript("sharded", self.servers[1].port)
            self.assertTrue(all(words.exists([f"js:é{i}" for i in range(3000)])))
            javascript("cluster", self.servers[2].port)

    def test_reshard_under_load(self):
        stop, errors, acknowledged = threading.Event(), [], {}

        def work(number):
            r = RedisCluster(host="127.0.0.1", port=self.servers[number % 3].port)
            n = 0
            try:
                while not stop.is_set():
                    group = [f"{number}:{i}" for i in range(n, n + 20)]
                    for shard in range(6):
                        key = f"load:{number}:{shard}"
                        r.execute_command("BF.MADD", "b" + key, *group)
                        r.execute_command("CF.INSERT", "c" + key, "ITEMS", *group)
                        if n:  # what was acknowledged before is always there
                            earlier = [f"{number}:{i}" for i in range(0, n, max(1, n // 50))]
                            for face in ("BF", "CF"):
                                reply = r.execute_command(f"{face}.MEXISTS", face[0].lower() + key, *earlier)
                                if not all(reply):
                                    errors.append((number, shard, n, face))
                    n += 20
                    acknowledged[number] = n
            except Exception as error:  # noqa: BLE001 - any is a failure
                errors.append(repr(error))
            r.close()

        threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
        for thread in threads:
            thread.start()
        try:
            for source, target in ((0, 1), (1, 2), (2, 0)):
                redis_cli("--cluster", "reshard", f"127.0.0.1:{self.servers[0].port}", "--cluster-from",
                          self.ids[source], "--cluster-to", self.ids[target], "--cluster-slots", 700,
                          "--cluster-yes")
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual(errors, [])
        self.assertEqual(self.spread("bload:*"), 3)
        self.assertEqual(len(acknowledged), 3)
        for number, n in acknowledged.items():
            self.assertGreater(n, 100)
            for shard in range(6):
                for group in groups([f"{number}:{i}" for i in range(n)]):
                    for face in ("BF", "CF"):
                        reply = self.r.execute_command(f"{face}.MEXISTS", f"{face[0].lower()}load:{number}:{shard}",
                                                       *group)
                        self.assertEqual(sum(reply), len(group))
        redis_cli("--cluster", "check", f"127.0.0.1:{self.servers[0].port}")

    def test_keys_of_other_slots(self):
        r = self.servers[0].client()
        replies = []
        for item in items(20):
            r.send("BF.MERGE", f"a{item}", f"b{item}")
            replies.append(str(r.read()))
        self.assertTrue(all(reply.startswith("CROSSSLOT") for reply in replies), replies)
        self.r.execute_command("BF.ADD", "{x}1", "p")
        self.r.execute_command("BF.ADD", "{x}2", "q")
        self.assertIn(self.r.execute_command("BF.MERGE", "{x}3", "{x}1", "{x}2"), (b"OK", True))
        self.assertEqual(self.r.execute_command("BF.MEXISTS", "{x}3", "p", "q"), [1, 1])
