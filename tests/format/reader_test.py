# SPDX-License-Identifier: MIT
"""The tool's files, read by reader.py: header, every member, and thousands of absent keys, whose
false positives must be the very same ones."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from reader import (BLOCKED, BLOOM, CUCKOO, INT64, QUOTIENT, RIBBON, SCALABLE,  # noqa: E402
                    XXH64,
                    Filter, Refused)
from xxh import xxh3_64  # noqa: E402

TOOL = os.path.join(os.environ.get("NINHO_BINARY_DIR", "build/dev"), "bin", "ninho")

CASES = {
    "bloom": ["--kind", "bloom"],
    "bloom, seeded": ["--kind", "bloom", "--seed", "0xfedcba9876543210", "--fpr", "0.1"],
    "bloom, by hand": ["--kind", "bloom", "--capacity", "300", "--bits", "1999", "--hashes", "3"],
    "bloom, xxh64": ["--kind", "bloom", "--hash", "xxh64", "--seed", "7", "--fpr", "2^-13"],
    "bloom, metadata": ["--kind", "bloom", "--meta", "b=2 = 3", "--meta", "a=", "--fpr", "0.2"],
    "blocked": ["--kind", "blocked"],
    "blocked, seeded": ["--kind", "blocked", "--seed", "12345", "--fpr", "0.2"],
    "blocked, Parquet's": ["--kind", "blocked", "--hash", "xxh64", "--fpr", "0.05"],
    "cuckoo": ["--kind", "cuckoo", "--fpr", "0.2"],
    "cuckoo, original": ["--kind", "cuckoo", "--original", "--fpr", "0.1"],
    "cuckoo, buckets by offset": ["--kind", "cuckoo", "--bucket", "3", "--tag-bits", "11",
                                  "--search", "walk", "--seed", "4"],
    "cuckoo, windows by xor": ["--kind", "cuckoo", "--window", "3", "--pairing", "xor",
                               "--fpr", "0.1"],
    "cuckoo, wide": ["--kind", "cuckoo", "--window", "2", "--tag-bits", "32", "--hash", "xxh64"],
    "cuckoo, nibbles": ["--kind", "cuckoo", "--bucket", "4", "--pairing", "xor", "--tag-bits", "4",
                        "--capacity", "1500"],
    "cuckoo, near": ["--kind", "cuckoo", "--pairing", "near", "--fpr", "0.1"],
    "cuckoo, near, no spare bucket": ["--kind", "cuckoo", "--pairing", "near", "--tag-bits", "12",
                                      "--table-slots", "2048", "--search", "walk"],
    "cuckoo, set": ["--kind", "cuckoo", "--set", "--fpr", "0.2"],
    "quotient": ["--kind", "quotient", "--fpr", "0.2"],
    "quotient, narrow": ["--kind", "quotient", "--fpr", "0.2", "--capacity", "301"],
    "quotient, wide": ["--kind", "quotient", "--fpr", "2^-30", "--hash", "xxh64", "--seed", "3"],
    "quotient, doubled": ["--kind", "quotient", "--capacity", "40", "--max-capacity", "400", "--fpr",
                          "0.1"],
    "scalable": ["--kind", "scalable", "--capacity", "20", "--fpr", "0.2"],
    "scalable over bloom": ["--kind", "scalable", "--base", "bloom", "--growth", "3", "--capacity",
                            "30", "--fpr", "0.1"],
    "scalable over cuckoo": ["--kind", "scalable", "--base", "cuckoo", "--capacity", "20", "--fpr",
                             "0.2"],
    "scalable over cuckoo, grown by 5": ["--kind", "scalable", "--base", "cuckoo", "--growth", "5",
                                         "--capacity", "10", "--fpr", "0.1"],
    "ribbon": ["--kind", "ribbon", "--fpr", "0.2"],
    "ribbon, columns by hand": ["--kind", "ribbon", "--tag-bits", "11", "--seed", "3"],
    "int64, ribbon": ["--kind", "ribbon", "--type", "int64", "--fpr", "0.1"],
    "int64, cuckoo": ["--kind", "cuckoo", "--type", "int64", "--fpr", "0.1"],
    "int64": ["--kind", "bloom", "--type", "int64", "--fpr", "0.1"],
    "int64, blocked": ["--kind", "blocked", "--type", "int64", "--fpr", "0.1"],
}


def run(*arguments, stdin=b""):
    return subprocess.run([TOOL, *map(str, arguments)], input=stdin, stdout=subprocess.PIPE,
                          check=False)


def keys_of(name, start, n):
    """Keys of many lengths, so that every path of the hashes is taken; or integers."""
    if name.startswith("int64"):
        return [(i * 0x9e3779b97f4a7c15 & (1 << 64) - 1) - (1 << 63) for i in range(start, start + n)]
    return [b"%d %s" % (i, b"x" * (i * i % 300)) for i in range(start, start + n)]


def lines_of(keys):
    return b"".join(b"%d\n" % key if isinstance(key, int) else key + b"\n" for key in keys)


class Reader(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name, "filter.ninho")

    def build(self, name, options, keys):
        built = run("build", self.path, *options, stdin=lines_of(keys))
        self.assertEqual(built.returncode, 0, name)
        return self.path.read_bytes()

    def test_answers_are_the_tools(self):
        for name, options in CASES.items():
            with self.subTest(name):
                members = keys_of(name, 0, 300)
                absent = keys_of(name, 10_000, 1500)
                ours = Filter(self.build(name, options, members))
                self.assertTrue(all(map(ours.has, members)))
                told = run("check", self.path, stdin=lines_of(absent)).stdout
                maybe = [key for key in absent if ours.has(key)]
                self.assertEqual(lines_of(maybe), told)
                self.assertLess(len(maybe), 0.4 * len(absent))
                if "0.1" in options or "0.2" in options:
                    self.assertGreater(len(maybe), 0)

    def test_header_says_what_info_says(self):
        for name, options in CASES.items():
            with self.subTest(name):
                ours = Filter(self.build(name, options, keys_of(name, 0, 300)))
                info = json.loads(run("info", "--json", self.path).stdout)
                self.assertEqual(info["kind"], {BLOOM: "bloom", BLOCKED: "blocked",
                                                CUCKOO: "cuckoo", QUOTIENT: "quotient",
                                                RIBBON: "ribbon",
                                                SCALABLE: "scalable"}[ours.kind])
                self.assertEqual(info["hash"], "xxh64" if ours.hash == XXH64 else "xxh3")
                self.assertEqual(info["key_encoding"],
                                 "int64" if ours.key_encoding == INT64 else "bytes")
                self.assertEqual(info["capacity"], ours.capacity)
                self.assertEqual(info["count"], ours.count)
                self.assertEqual(info["fpr_target"], ours.fpr)
                self.assertEqual(int(info["seed"]), ours.seed)
                self.assertEqual(info["format_version"], ours.version)
                self.assertEqual(info["size_bytes"], self.path.stat().st_size)

    def test_metadata_is_read(self):
        ours = Filter(self.build("meta", CASES["bloom, metadata"], [b"k"]))
        self.assertEqual(ours.meta, {b"a": b"", b"b": b"2 = 3"})

    def test_golden_files_err_where_they_did(self):
        folder = pathlib.Path(__file__).parent.parent / "golden" / "v1"
        n_read = 0
        for line in (folder / "answers.txt").read_text().splitlines()[1:]:
            name, numbers = line.split(":")
            with self.subTest(name):
                try:
                    ours = Filter((folder / f"{name}.ninho").read_bytes())
                except Refused:  # a kind or an encoding that this reader does not know
                    continue
                if ours.key_encoding == INT64:
                    continue  # not written as text
                n_read += 1
                maybe = [i for i in range(1000, 2000) if ours.has(b"key number %d" % i)]
                self.assertEqual(maybe, [int(number) for number in numbers.split()])
        self.assertGreaterEqual(n_read, 22)

    def test_zones_are_rings(self):
        """A table of two zones, the last one longer, with one key in very many copies."""
        keys = keys_of("", 0, 1) * 2000 + keys_of("", 1, 1000)
        ours = Filter(self.build("zones", ["--kind", "quotient", "--capacity", 150_000], keys))
        self.assertEqual((ours.parts[0].zones, ours.count), (2, 3000))
        self.assertTrue(all(map(ours.has, keys_of("", 0, 1001))))

    def test_keys_of_a_ribbon_are_bumped(self):
        """Its zones and thresholds take more keys than the other cases have."""
        members, absent = range(9000), range(10_000, 12_000)
        name = "int64, ribbon"
        ours = Filter(self.build(name, CASES[name], members))
        first = ours.parts[0].zones[0][1] * 64
        h = [xxh3_64(key.to_bytes(8, "little")) for key in members]
        self.assertGreater(sum(ours.parts[0].row(x)[0] >= first for x in h), 200)
        self.assertTrue(all(map(ours.has, members)))
        told = run("check", self.path, stdin=lines_of(absent)).stdout
        self.assertEqual(lines_of([key for key in absent if ours.has(key)]), told)

    def test_growth_is_nested(self):
        ours = Filter(self.build("nested", CASES["scalable over cuckoo"], keys_of("", 0, 300)))
        self.assertGreater(len(ours.parts), 2)
        for before, part in zip(ours.parts, ours.parts[1:]):
            self.assertEqual(part.p, 2 * before.p)
            self.assertEqual(part.w - part.g, before.w - before.g)

    def test_the_headers_count_is_the_parts_where_the_page_says_so(self):
        for name in "cuckoo", "quotient", "scalable over cuckoo", "bloom", "blocked", "scalable":
            with self.subTest(name):
                data = bytearray(self.build(name, CASES[name], keys_of("", 0, 10)))
                size = int.from_bytes(data[8:12], "little")
                data[40:48] = (11).to_bytes(8, "little")
                data[size - 8:size] = xxh3_64(bytes(data[:size - 8])).to_bytes(8, "little")
                self.path.write_bytes(data)
                is_sum = name.endswith("cuckoo") or name == "quotient"
                self.assertEqual(run("verify", self.path).returncode, 2 if is_sum else 0)
                if is_sum:
                    with self.assertRaises(Refused):
                        Filter(bytes(data))
                else:
                    self.assertEqual(Filter(bytes(data)).count, 11)

    def test_damage_is_seen(self):
        for name in "bloom", "cuckoo", "quotient", "ribbon":
            data = self.build(name, CASES[name], keys_of("", 0, 10))
            Filter(data)
            for at in range(len(data)):
                with self.subTest((name, at)), self.assertRaises(Refused):
                    Filter(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
            for size in range(len(data)):
                with self.subTest((name, size)), self.assertRaises(Refused):
                    Filter(data[:size])


if __name__ == "__main__":
    unittest.main()
