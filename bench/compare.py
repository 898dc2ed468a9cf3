#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench/compare.py OLD NEW [--rounds N] [--keys N] [--kinds A,B] [SUBJECT...]

Did we get slower? Runs two builds of ninho-bench in turn, OLD and NEW first by turns, and prints for
every row of both how many times as fast the new one is: the median over the rounds of the ratio
inside each round, with an interval from order statistics. Above 1 the new one is faster.
OLD and NEW are build folders (build/release) or the programs themselves; subjects are filters and dicts."""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile


def program(place):
    inside = os.path.join(place, "bin", "ninho-bench")
    return inside if os.path.isdir(place) else place


def numbers(value, path=()):
    """Every median below here, by the names on the way to it."""
    if isinstance(value, dict):
        if "median" in value and "samples" in value:
            yield path, value["median"]
            return
        for key, inner in value.items():
            yield from numbers(inner, path + (key,))
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, dict) and "name" in inner:
                yield from numbers(inner, path + (inner["name"],))


def run(place, subject, options):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "bench.json")
        command = [program(place), subject, "--json", out, "--repetitions", "9"]
        if options.keys:
            command += ["--keys", options.keys]
        if options.kinds and subject == "filters":
            command += ["--kinds", options.kinds]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as file:
            return dict(numbers(json.load(file)))


def interval(ratios):
    """The order statistics that hold the median with a probability of at least 95 % (all if few)."""
    ratios = sorted(ratios)
    n = len(ratios)
    low, outside = 0, 2 * 0.5 ** n
    while low + 1 < (n + 1) // 2 and outside + 2 * math.comb(n, low + 1) * 0.5 ** n <= 0.05:
        low += 1
        outside += 2 * math.comb(n, low) * 0.5 ** n
    return ratios[low], ratios[n - 1 - low]


def compare(subject, options):
    ratios = {}
    for i in range(options.rounds):
        order = ["old", "new"] if i % 2 == 0 else ["new", "old"]
        got = {which: run(getattr(options, which), subject, options) for which in order}
        for row in got["new"]:
            if got["old"].get(row) and got["new"][row]:
                ratios.setdefault(row, []).append(got["old"][row] / got["new"][row])
    for row, values in ratios.items():
        low, high = interval(values)
        print(f"{' '.join(row[1:]):60} {statistics.median(values):6.3f} [{low:.3f}, {high:.3f}]")
    every = [statistics.median(values) for values in ratios.values()]
    print(f"{subject}: {len(every)} rows, {options.rounds} rounds, geometric mean "
          f"{math.exp(statistics.fmean(math.log(value) for value in every)):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("subjects", nargs="*", default=["filters", "dicts"])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--keys")
    parser.add_argument("--kinds")
    options = parser.parse_args()
    if options.rounds < 1:
        sys.exit("compare.py: --rounds must be at least 1")
    for subject in options.subjects or ["filters", "dicts"]:
        compare(subject, options)


if __name__ == "__main__":
    main()
