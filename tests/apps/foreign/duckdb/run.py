#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Parquet files that DuckDB wrote, read by ninho parquet.

    run.py NINHO MODULES

For several sizes: every value of a row group is found in it; values that are nowhere are refused about as often
as DuckDB was asked; and the filters of 64-bit integers and of texts are, byte for byte, those that ninho writes.
"""

import datetime
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# rows, rows of a group, false positive rate
SIZES = [(1, 2048, 0.01), (1000, 2048, 0.05), (5000, 2048, 0.01), (300000, 122880, 0.001)]
SAMPLE = 300

EPOCH = datetime.date(1960, 1, 1)
START = datetime.datetime(2020, 1, 1)

# How row i looks as text, column by column; and a value that no row has.
COLUMNS = {
    "number": (lambda i: str(i * 7 - 1000), lambda i: str(i * 7 - 999)),
    "large": (lambda i: str(i * 1000003 - 5), lambda i: str(i * 1000003 - 4)),
    "natural32": (lambda i: str(i * 5), lambda i: str(i * 5 + 1)),
    "natural64": (lambda i: str(i * 11), lambda i: str(i * 11 + 1)),
    "name": (lambda i: f"name-{i * 3}", lambda i: f"name-{i * 3 + 1}"),
    "ratio": (lambda i: repr(i / 4.0), lambda i: repr(i / 4.0 + 0.1)),
    "part": (lambda i: repr(i / 8.0), lambda i: repr(i / 8.0 + 0.03125)),
    "day": (lambda i: str(EPOCH + datetime.timedelta(days=i)), None),
    "stamp": (lambda i: str(START + datetime.timedelta(seconds=i)),
              lambda i: str(START + datetime.timedelta(seconds=i, milliseconds=500))),
    "price": (lambda i: f"{i / 100:.2f}", None),
    "tiny": (lambda i: str(i % 100), lambda i: str(i % 100 + 100)),
    "wide": (lambda i: str(-i), lambda i: f"-{i}.001"),
    "id": (lambda i: f"00112233-4455-6677-8899-{i * 2:012x}", lambda i: f"00112233445566778899{i * 2 + 1:012x}"),
    "clock": (lambda i: str((START + datetime.timedelta(milliseconds=i)).time()), None),
    "stamp_ms": (lambda i: str(START + datetime.timedelta(milliseconds=i)),
                 lambda i: str(START - datetime.timedelta(milliseconds=i + 1))),
    "stamp_ns": (lambda i: str(START + datetime.timedelta(microseconds=i)),
                 lambda i: f"2020-01-01T00:00:00.{i:06d}001"),
    "raw": (lambda i: f"raw-{i}", lambda i: f"Raw-{i}"),
    "deep.leaf": (lambda i: f"leaf-{i * 2}", lambda i: f"leaf-{i * 2 + 1}"),
    "deep.number": (lambda i: str(i * 2), lambda i: str(i * 2 + 1)),
    "zero": (lambda i: "-0" if i % 2 else "0", lambda i: "0.5"),
}


def fail(text):
    sys.exit(f"duckdb: {text}")


def ninho(tool, *arguments, **options):
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False, **options)
    if done.returncode not in (0, 1) or done.stderr:
        fail(f"{' '.join(arguments[:3])} ...: exit {done.returncode}, {done.stderr}")
    return done.stdout


def ask(tool, path, column, values):
    """The row groups of each value."""
    answer = json.loads(ninho(tool, "parquet", "--json", "--", path, column, *values))
    return [set(value["maybe"]) | set(value["no_filter"]) for value in answer["values"]]


def check_values(tool, path, starts, groups, fpr):
    n_asked = n_false = 0
    for column, (present, absent) in COLUMNS.items():
        if not groups[0].get(column):
            fail(f"DuckDB wrote no filter of {column}: the test is of no use")
        for group, (first, rows) in enumerate(starts):
            step = max(1, rows // SAMPLE)
            picked = list(range(first, first + rows, step))
            for i, found in zip(picked, ask(tool, path, column, [present(i) for i in picked])):
                if group not in found:
                    fail(f"{column}: {present(i)} is in row group {group}, but not found there")
            if absent:
                answers = ask(tool, path, column, [absent(i) for i in picked])
                n_asked += len(picked)
                n_false += sum(group in found for found in answers)
    # A column that DuckDB makes no filters of may hold everything.
    if ask(tool, path, "huge", ["100000000000000000000.5"])[0] != set(range(len(starts))):
        fail("huge: a row group without a filter is ruled out")
    # DuckDB rounds up to a power of two; the bound has five standard deviations of room.
    most = 1.2 * fpr * n_asked + 5 * (fpr * n_asked) ** 0.5 + 5
    if n_false > most:
        fail(f"{n_false} of {n_asked} absent values found: at most {most:.0f} expected")
    return n_asked, n_false


def check_bytes(tool, path, folder, starts, groups):
    """Filters of the same size, built by us, have the same bytes."""
    n = 0
    with open(path, "rb") as file:
        whole = file.read()
    for column, kind in (("large", ["--type", "int64"]), ("name", [])):
        present = COLUMNS[column][0]
        for group, (first, rows) in enumerate(starts):
            place = groups[group].get(column)
            if not place:
                continue
            theirs = whole[place["offset"]:place["offset"] + place["length"]]
            n_bytes = len(theirs) // 32 * 32
            built, exported = os.path.join(folder, "f.ninho"), os.path.join(folder, "f.bloom")
            keys = "".join(present(i) + "\n" for i in range(first, first + rows))
            ninho(tool, "build", built, "--force", "--kind", "blocked", "--hash", "xxh64", "--bits",
                  str(8 * n_bytes), *kind, input=keys)
            ninho(tool, "parquet", "--export", built, "--output", exported)
            with open(exported, "rb") as file:
                if file.read() != theirs:
                    fail(f"{column}, row group {group}, {rows} rows: the bytes differ")
            n += 1
    return n


def main():
    tool, modules = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        for rows, group_rows, fpr in SIZES:
            path = os.path.join(folder, f"{rows}.parquet")
            written = subprocess.run(
                ["node", os.path.join(HERE, "write.js"), modules, path, str(rows), str(group_rows), str(fpr)],
                capture_output=True, text=True, check=False)
            if written.returncode:
                fail(written.stderr)
            groups, starts = {}, {}
            for place in json.loads(written.stdout):
                starts[place["group"]] = place["rows"]
                if place["offset"] is not None:
                    groups.setdefault(place["group"], {})[place["column"]] = place
            first, bounds = 0, []
            for group in sorted(starts):
                bounds.append((first, starts[group]))
                first += starts[group]
            n_asked, n_false = check_values(tool, path, bounds, groups, fpr)
            n_same = check_bytes(tool, path, folder, bounds, groups)
            print(f"{rows} rows, {len(bounds)} row groups: all found; {n_false} of {n_asked} absent values at "
                  f"{fpr}; {n_same} filters byte for byte")


main()
