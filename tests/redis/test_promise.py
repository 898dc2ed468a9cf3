# SPDX-License-Identifier: MIT
"""What the README promises: the quick start, the table of commands, bytes and error rates. Sizes
follow NINHO_TEST_SCALE: at 1000 the cuckoo filter gets its ten million items."""

import os
import re
import subprocess
import tempfile
import unittest

from server import MODULE, TOP, Server, free_port, groups, scale, wait_for

README = os.path.join(TOP, "integrations", "redis", "README.md")


def readme():
    with open(README, encoding="utf-8") as file:
        return file.read()


class Readme(unittest.TestCase):
    def test_the_quick_start_is_five_lines_that_work(self):
        block = re.search(r"## Quick start\n\n```sh\n(.*?)```", readme(), re.S).group(1)
        lines = block.strip().split("\n")
        self.assertEqual(len(lines), 5)
        self.assertEqual(lines[0], "make")
        self.assertIn("--loadmodule $PWD/build/release/lib/ninho_redis.so", lines[1])
        port = str(free_port())
        with tempfile.TemporaryDirectory() as folder:
            output = []
            for line in lines[1:]:
                line = line.replace("6390", port).replace("$PWD/build/release/lib/ninho_redis.so", MODULE)
                done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stderr)
                if line.startswith("redis-server"):
                    wait_for(lambda: subprocess.run(["redis-cli", "-p", port, "PING"], capture_output=True,
                                                    check=False).stdout == b"PONG\n", "server")
                else:
                    output.append(done.stdout)
            self.assertEqual(output[:2], ["1\n1\n", "1\n0\n"])

    def test_every_command_is_in_the_table(self):
        with Server() as server:
            r = server.client()
            commands = {name.decode().upper() for name in r("COMMAND", "LIST", "FILTERBY", "MODULE", "ninho")}
            parameters = [name.decode() for name in r("CONFIG", "GET", "ninho.*")[::2]]
        self.assertEqual(len(commands), 35)
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
