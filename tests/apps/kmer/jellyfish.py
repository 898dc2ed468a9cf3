#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""k-mers of the real genomes and reads, as jellyfish counts them.

    jellyfish.py NINHO

Compares distinct and total k-mers, canonical and forward, for many k. Then every k-mer that
jellyfish lists must be found in an index, and of k-mers that it does not list no more than the fpr
allows.
"""

import gzip
import os
import random
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
KS = [1, 10, 20, 31, 32, 33, 50, 100, 200]
FEWER_KS = [10, 31, 64]
FPR = 0.002


def data(name):
    out = subprocess.run([f"{TOP}/tools/fetch-data", name], check=True, capture_output=True, text=True)
    return out.stdout.strip()


def unpacked(source, folder):
    """jellyfish reads no gz."""
    target = os.path.join(folder, os.path.basename(source)[:-3])
    with gzip.open(source, "rb") as packed, open(target, "wb") as plain:
        plain.write(packed.read())
    return target


def jellyfish(path, k, canonical, folder):
    """(distinct, total) and the file that has the counts."""
    table = os.path.join(folder, "table.jf")
    command = ["jellyfish", "count", "-m", str(k), "-s", "20M", "-t", "2", "-o", table, path]
    subprocess.run(command + (["-C"] if canonical else []), check=True)
    out = subprocess.run(["jellyfish", "stats", table], check=True, capture_output=True, text=True).stdout
    numbers = dict(re.findall(r"(\w+):\s+(\d+)", out))
    return int(numbers["Distinct"]), int(numbers["Total"]), table


def ours(ninho, path, k, canonical):
    command = [ninho, "kmer", "stats", path, "-k", str(k)] + ([] if canonical else ["--forward"])
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    numbers = dict(re.findall(r"^(k-mers|distinct)\s+(\d+)$", out, re.M))
    return int(numbers["distinct"]), int(numbers["k-mers"])


def check_index(ninho, path, table, k, folder):
    """Looks up what jellyfish lists, and random k-mers that it does not."""
    index = os.path.join(folder, "index.ninho")
    subprocess.run([ninho, "kmer", "build", index, path, "-k", str(k), "--fpr", str(FPR)], check=True)
    listed = os.path.join(folder, "listed.fa")
    with open(listed, "wb") as file:
        subprocess.run(["jellyfish", "dump", table], check=True, stdout=file)
    out = subprocess.run([ninho, "kmer", "check", index, listed, "--count"], check=True, capture_output=True, text=True).stdout
    numbers = dict(re.findall(r"^(k-mers|found)\s+(\d+)$", out, re.M))
    missing = int(numbers["k-mers"]) - int(numbers["found"])

    strangers = os.path.join(folder, "strangers.fa")
    rng = random.Random(1)
    n = 200000
    with open(strangers, "w", encoding="ascii") as file:
        for i in range(n):
            file.write(f">{i}\n{''.join(rng.choices('ACGT', k=k))}\n")
    out = subprocess.run([ninho, "kmer", "check", index, strangers, "--count"], capture_output=True, text=True, check=False).stdout
    found = int(re.search(r"^found\s+(\d+)$", out, re.M).group(1))
    # Five deviations above 1.1 times what was asked for.
    most = 1.1 * FPR * n + 5 * (1.1 * FPR * n) ** 0.5
    print(f"  k {k}: of {numbers['k-mers']} listed {missing} missing; {found} of {n} strangers found")
    return missing == 0 and found <= most


def main():
    ninho = os.path.abspath(sys.argv[1])
    good = True
    with tempfile.TemporaryDirectory() as folder:
        reads = os.path.join(data("lambda-reads"), "reads_1.fq.gz")
        for source, ks in (data("ecoli"), KS), (data("ecoli-k12"), FEWER_KS), (reads, FEWER_KS):
            path = unpacked(source, folder)
            print(os.path.basename(path))
            for k in ks:
                for canonical in True, False:
                    distinct, total, table = jellyfish(path, k, canonical, folder)
                    mine = ours(ninho, path, k, canonical)
                    if mine != (distinct, total):
                        print(f"  k {k}, canonical {canonical}: {mine}, and jellyfish has {(distinct, total)}")
                        good = False
                    if canonical and k == 31:
                        good &= check_index(ninho, path, table, k, folder)
    print("equal" if good else "NOT EQUAL")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
