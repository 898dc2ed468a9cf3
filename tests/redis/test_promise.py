# SPDX-License-Identifier: MIT
"""What the README promises: the quick start, the table of commands, bytes and error rates. Sizes
follow NINHO_TEST_SCALE: at 1000 the cuckoo filter gets its ten million items."""

import os
import re
import subprocess
import tempfile
import unittest

from server import MODULE, NINHO, TOP, Server, free_port, groups, scale

README = os.path.join(TOP, "integrations", "redis", "README.md")


def readme():
    with open(README, encoding="utf-8") as file:
        return file.read()


class Readme(unittest.TestCase):
    def test_the_quick_start_works_as_it_stands(self):
        done = subprocess.run([os.path.join(TOP, "tests", "install", "quick-starts"), "--build",
                               os.path.dirname(os.path.dirname(MODULE)), "--port", str(free_port()), "redis"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def block(self, heading):
        return re.search(rf"## {heading}\n.*?```sh\n(.*?)```", readme(), re.S).group(1)

    @unittest.skipUnless(NINHO, "the tool was not built")
    def test_files_go_there_and_back(self):
        with Server() as server, tempfile.TemporaryDirectory() as folder:
            script = self.block("Files between the tool and the server").replace(
                "redis-cli", f"redis-cli -p {server.port}")
            path = os.path.dirname(NINHO) + ":" + os.environ["PATH"]
            done = subprocess.run(["sh", "-ec", script], cwd=folder, capture_output=True, text=True, timeout=60,
                                  env=dict(os.environ, PATH=path))
            self.assertEqual((done.returncode, done.stdout), (0, "OK\n1\n0\n"), done.stderr)

    def test_the_recipe_makes_a_cluster(self):
        script = self.block("Cluster").replace("$PWD/build/release/lib/ninho_redis.so", MODULE)
        ports = [str(free_port()) for _ in range(3)]
        for old, new in zip(("7001", "7002", "7003"), ports):
            self.assertIn(old, script)
            script = script.replace(old, new)
        with tempfile.TemporaryDirectory() as folder:
            try:
                # servers may take a moment: the reader of the recipe does, too
                script = script.replace("done\n", "done\nsleep 1\n")
                done = subprocess.run(["sh", "-ec", script], cwd=folder, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("All 16384 slots covered", done.stdout)
                added = subprocess.run(["redis-cli", "-c", "-p", ports[0], "BF.ADD", "birds", "robin"],
                                       capture_output=True, text=True, check=True)
                self.assertEqual(added.stdout, "1\n")
            finally:
                for port in ports:
                    subprocess.run(["redis-cli", "-p", port, "SHUTDOWN", "NOSAVE"], capture_output=True, check=False)

    def test_every_command_is_in_the_table(self):
        with Server() as server:
            r = server.client()
            commands = {name.decode().upper() for name in r("COMMAND", "LIST", "FILTERBY", "MODULE", "ninho")}
            docs = r("COMMAND", "DOCS", *commands)
            parameters = [name.decode() for name in r("CONFIG", "GET", "ninho.*")[::2]]
        self.assertEqual(len(commands), 35)
        self.assertTrue(all(b"summary" in fields for fields in docs[1::2]))
        rows = "\n".join(line for line in readme().split("\n") if line.startswith("| `"))
        for command in commands:
            self.assertRegex(rows, rf"`{re.escape(command)} key|`{re.escape(command)} dst")
        for parameter in parameters:
            self.assertIn(f"| `{parameter.removeprefix('ninho.')}` |", rows)


class Promise(unittest.TestCase):
    """Bytes per item by MEMORY USAGE, false positives, no false negatives."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.r = cls.server.client()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def load(self, n, *command):
        for group in groups(range(n), 5000):
            self.r(*command, *[b"member:%d" % i for i in group])

    def check(self, command, key, n):
        """All members are found; the share of strangers that are."""
        for group in groups(range(n), 5000):
            self.assertEqual(sum(self.r(command, key, *[b"member:%d" % i for i in group])), len(group))
        asked = 100000
        wrong = sum(sum(self.r(command, key, *[b"stranger:%d" % i for i in group]))
                    for group in groups(range(asked), 5000))
        return wrong / asked

    def test_bloom_reserved(self):
        n = 1000000
        self.r("BF.RESERVE", "reserved", "0.01", n)
        self.load(n, "BF.MADD", "reserved")
        self.assertLessEqual(self.r("MEMORY", "USAGE", "reserved") / n, 1.35)
        self.assertLess(self.check("BF.MEXISTS", "reserved", n), 0.011)

    def test_bloom_grown(self):
        n = 1000000
        self.load(n, "BF.MADD", "grown")
        self.assertLessEqual(self.r("MEMORY", "USAGE", "grown") / n, 3.6)
        self.assertLess(self.check("BF.MEXISTS", "grown", n), 0.011)

    def test_cuckoo_grown(self):
        n = scale(1000000, 100000)
        self.load(n, "CF.INSERT", "cf", "ITEMS")
        self.assertLess(self.check("CF.MEXISTS", "cf", n), 0.03)

    def test_every_step_of_growth_keeps_the_rate(self):
        r = self.r
        r("BF.RESERVE", "steps", "0.01", 2000)
        r("BF.MADD", "steps", *range(2000))
        for n in (2000, 6000, 14000, 30000, 62000):
            for group in groups(range(n // 2, n), 5000):
                r("BF.MADD", "steps", *group)
            wrong = sum(sum(r("BF.MEXISTS", "steps", *[f"no{i}" for i in group]))
                        for group in groups(range(50000), 5000))
            self.assertLess(wrong / 50000, 0.0125)  # 5 standard deviations above 1 %
