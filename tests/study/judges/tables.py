# SPDX-License-Identifier: MIT
"""Judges of 04 and 09."""
import re

from made import HOLDS, NOT, OPEN, WOBBLE, Case

# ---- 04: stores of exceptions ----------------------------------------------------------------


def stores(memory=0.8, lmdb=0.8, compiled=2.0, bloom=0.9, blocked=0.7, wobble=""):
    """Hyphenation behind a blocked filter beside none, in memory and in LMDB, and beside exceptions compiled in;
    rejecting with a Bloom or a blocked filter in front of the dictionary beside the dictionary alone."""
    def change(series, variant, repetition, row):
        noise = WOBBLE[repetition]
        if series == "samples-ways":
            row["total_ns"] = {"memory": 1000, "blocked + memory": 1000 * memory * (noise if wobble == "memory" else 1),
                               "LMDB": 5000, "blocked + LMDB": 5000 * lmdb * (noise if wobble == "lmdb" else 1),
                               "compiled in": 1000 * memory / compiled}.get(variant, 3000)
        elif series == "samples-reject":
            row["reject_ns"] = {"dictionary alone": 10, "bloom + dictionary": 10 * bloom * (noise if wobble == "bloom" else 1),
                                "blocked + dictionary": 10 * blocked}.get(variant, 5)
    return change


def share(text):
    """which part of the dictionary's bytes the filter takes"""
    numbers = re.search(r"takes (\d+) bytes where the dictionary in memory takes (\d+), ([\d.]+) % of it", text)
    return numbers and abs(float(numbers[3]) - 100 * int(numbers[1]) / int(numbers[2])) < 0.051


STORES = [
    Case("as claimed", stores(), {"A8": (HOLDS, 0.9)}, own=HOLDS,
         says=["take 0.800 times as long [0.800, 0.800], in front of LMDB 0.800 times [0.800, 0.800]",
               "take 2.00 times as long as exceptions compiled", "blocked filter in front 0.700 times", share]),
    Case("as long", stores(bloom=1.0), {"A8": (HOLDS, 1)}),
    Case("rejecting takes longer", stores(bloom=1.2, blocked=0.5), {"A8": (NOT, 1.2)}, own=HOLDS),
    Case("rejecting not known", stores(wobble="bloom"), {"A8": OPEN}),
    Case("slower in memory", stores(memory=1.2), own=NOT, says=["take 1.200 times"]),
    Case("no faster in memory", stores(memory=1.0), own=NOT),
    Case("slower in LMDB", stores(lmdb=1.2), own=NOT, says=["LMDB 1.200 times"]),
    Case("memory not known", stores(wobble="memory"), own=OPEN),
    Case("LMDB not known", stores(wobble="lmdb"), own=OPEN),
]

# ---- 09: dictionaries ------------------------------------------------------------------------


def dictionaries(chaining=2.0, cuckoo=3.0, hit=0.0, miss=0.0, change_=0.0, steps=0.0, third=1.2, stash=1.2, bucket=1.3,
                 compared=0.0, wobble=""):
    """B8: a miss in linear probing at .9 beside chaining and cuckoo hashing. B5: change with each doubling, in tenths
    of the mean. B6: load at the first rehash beside the plain table. A18: change with each doubling."""
    def change(series, variant, repetition, row):
        noise = WOBBLE[repetition % 6]
        if series == "samples-load":
            name, load = variant.rsplit(" ", 1)
            row["miss_ns"] = {"linear probing (textbook)": 60 * (noise if wobble == "probing" else 1),
                              "chaining (textbook)": 60 / chaining,
                              "cuckoo-table 2x4": 60 / cuckoo}.get(name, 1) if load == "0.90" else 7
        elif series == "samples-growth":
            name, bits = variant.split(" 2^")
            bits = int(bits)
            zigzag = 3 * (-1) ** bits
            for field, slope in (("hit", hit), ("miss", miss), ("change", change_)):
                row[f"{field}_ns"] = 10 + (slope * (bits - 7) if name == "cuckoo-table" else bits - 7) + (
                    zigzag if wobble == field else 0)
        elif series == "samples-work":
            bits = int(variant[2:].split()[0])
            row["steps"] = 2 + steps * (bits - 15) + (noise - 1 if wobble == "steps" else 0)
        elif series == "samples-displacements":
            factor = {"d 3 b 1 stash 0": third, "d 2 b 1 stash 4": stash, "d 2 b 2 stash 0": bucket}.get(variant, 1)
            row["first_rehash"] = 0.5 * factor * (noise if wobble == variant else 1)
        elif series == "samples-expected":
            bits = int(variant[2:].split()[0])
            row["hit_compared"] = 1.5 + compared * (bits - 9.5) + (noise - 1 if wobble == "compared" else 0)
    return change


DICTIONARIES = [
    Case("as claimed", dictionaries(), {"B8": (HOLDS, 2), "B5": (HOLDS, 0), "B6": (HOLDS, 1.2), "A18": (HOLDS, 0)},
         own=HOLDS,
         says=["4 of the 4 rows hold. Nine tenths full, an absent key takes linear probing 2.00 times as long as chaining "
               "[2.00, 2.00] and 3.00 times", "a hit changes by +0.0 % of its 10.0 ns", "balanced tree: by +60 %",
               "places or moves 2.000 entries", "a hit compares 1.500 keys",
               "1.20 times the load with three functions [1.20, 1.20], at 1.30 times with buckets of 2 [1.30, 1.30], at "
               "1.20 times with a stash of 4"]),
    Case("chaining is slower", dictionaries(chaining=0.8), {"B8": (NOT, 0.8)}, own=NOT, says=["3 of the 4 rows hold."]),
    Case("cuckoo is slower", dictionaries(cuckoo=0.8), {"B8": (NOT, 2)}),
    Case("misses not known", dictionaries(chaining=1.1, wobble="probing"), {"B8": OPEN}, own=OPEN),
    Case("a hit grows", dictionaries(hit=0.5), {"B5": NOT}, says=["a hit changes by +30.0 % of its 10.0 ns [+30.0, +30.0]"]),
    Case("a miss grows", dictionaries(miss=0.5), {"B5": NOT}, says=["a miss by +30.0 %"]),
    Case("a change grows", dictionaries(change_=0.5), {"B5": NOT}, says=["back by +30.0 %"]),
    Case("insertion grows", dictionaries(steps=0.2), {"B5": (NOT, 20)}, says=["that changes by +20.0 %"]),
    Case("hits not known", dictionaries(wobble="hit"), {"B5": OPEN}),
    Case("misses by size not known", dictionaries(wobble="miss"), {"B5": OPEN}),
    Case("changes not known", dictionaries(wobble="change"), {"B5": OPEN}),
    Case("steps not known", dictionaries(wobble="steps"), {"B5": OPEN}),
    Case("three functions gain nothing", dictionaries(third=1.0), {"B6": NOT}, says=["1.00 times the load with three"]),
    Case("a stash gains nothing", dictionaries(stash=1.0), {"B6": (NOT, 1)}),
    Case("buckets lose", dictionaries(bucket=0.9), {"B6": NOT}, says=["0.90 times with buckets of 2"]),
    Case("stash not known", dictionaries(wobble="d 2 b 1 stash 4"), {"B6": OPEN}),
    Case("buckets not known", dictionaries(wobble="d 2 b 2 stash 0"), {"B6": OPEN}),
    Case("comparisons grow", dictionaries(compared=0.1), {"A18": (NOT, 20)}),
    Case("comparisons not known", dictionaries(wobble="compared"), {"A18": OPEN}),
]

JUDGES = {"04-hyphenation-stores": STORES, "09-dictionaries": DICTIONARIES}
