#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench/counts/counts.py PROGRAM [--write]

Instructions per key of the lookups of each family, counted by callgrind: they do not flicker, as times
do. PROGRAM is ninho-counts of a release build. Prints them beside the limits in limits.txt, and fails
where one is above its limit. --write sets the limits anew, 3 % above what was counted.

The limits are for gcc 12 on x86-64 with AVX2 (valgrind has no AVX-512). For other compilers and
machines the counts are printed, and nothing is judged."""

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile

N_KEYS = 4096
LIMITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "limits.txt")


def read_limits():
    limits = {}
    with open(LIMITS, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                limit, name = line.split(None, 1)
                limits[name.strip()] = float(limit)
    return limits


def count(program):
    """Instructions per key by name, in order."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", "--toggle-collect=counted", "--dump-after=counted",
                   f"--callgrind-out-file={folder}/out", program]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(f"counts.py: {program} failed:\n{run.stderr}")
        names = run.stdout.splitlines()
        counts = []
        for i in range(len(names)):
            with open(f"{folder}/out.{i + 1}", encoding="utf-8") as file:
                total = re.search(r"^(?:totals|summary): (\d+)", file.read(), re.M)
            counts.append(int(total.group(1)) / N_KEYS)
    return dict(zip(names, counts))


def is_judged(program):
    """Whether the limits are for this machine and compiler."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        has_avx2 = re.search(r"\bavx2\b", file.read())
    comment = subprocess.run(["readelf", "-p", ".comment", program], capture_output=True, text=True,
                             check=False).stdout
    return platform.machine() == "x86_64" and has_avx2 and re.search(r"GCC: .* 12\.", comment)


def write(counts):
    with open(LIMITS, "w", encoding="utf-8") as file:
        file.write("# Most instructions per key, as counts.py counts them. Written by counts.py --write.\n")
        for name, number in counts.items():
            file.write(f"{number * 1.03:7.1f}  {name}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    counts = count(options.program)
    if options.write:
        write(counts)
    limits = read_limits()
    judged = is_judged(options.program)
    failed = 0
    print("instructions per key    limit")
    for name, number in counts.items():
        limit = limits.get(name)
        is_above = limit is None or number > limit
        failed += is_above
        print(f"{number:20.1f}  {limit or 0:7.1f}  {name}{'  ABOVE' if is_above and judged else ''}")
    if not judged:
        print("the limits are for gcc 12 on x86-64 with AVX2: not judged here")
        return 0
    gone = sorted(set(limits) - set(counts))
    if gone:
        print(f"limits without a count: {', '.join(gone)}")
    return 1 if failed or gone else 0


if __name__ == "__main__":
    sys.exit(main())
