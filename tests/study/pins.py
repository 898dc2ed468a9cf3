# SPDX-License-Identifier: MIT
"""Rows that are counted, not timed: what a tiny run with seed 1 finds, on every machine.

A value that changes here changes in the report too, and must be explained: by another hash, another plan, another
way to fill a table. None of them depends on the bytes of a quotient filter (A16 has no value for that). `own` is the
question's own claim. Another seed must bring the same verdicts.
"""
# question: {row: (verdict, value)}
PINS = {
    "01-promised-and-measured": {"own": ("open", None)},
    "09-dictionaries": {"B6": ("open", 1.281902404974935), "A18": ("open", 1.76446518)},
    "20-fewer-relocations": {
        "C3": ("open", 0.189537191),
        "C5": ("open", None),
        "C7": ("does not hold", 0.0611472038),
        "C10": ("open", 0.178682555)},
    "21-relocation-curve": {"own": ("open", None)},
    "22-found-again": {"own": ("does not hold", None), "C8": ("does not hold", 1.14250179)},
    "23-same-genome": {"own": ("open", None), "C12": ("open", 0.953333333)},
    "31-bloom-theory": {
        "own": ("does not hold", None),
        "A14": ("does not hold", 1.01184428),
        "B3": ("open", 1.07566833),
        "B4": ("does not hold", 0.434955739)},
    "32-bits-per-key": {
        "own": ("does not hold", None),
        "A11": ("does not hold", 1.11738401),
        "A16": ("does not hold", None),
        "B1": ("holds", 0.98362692)},
    "34-pairing": {"own": ("open", None), "A13": ("open", 0.997889769)},
    "35-cuckoo-insertion": {"own": ("open", None), "A12": ("open", -0.0240199434)},
    "36-compaction": {"own": ("does not hold", None), "A15": ("does not hold", 635.875)},
    "40-cache-admission": {"own": ("does not hold", None), "B7": ("holds", 0.00164763002)},
    "41-state-space": {"own": ("holds", None)},
    "42-between-hosts": {"own": ("open", None)},
    "43-routing": {"own": ("holds", None), "A17": ("holds", 0)},
}
# What is planned, not measured: the sentence of the row.
SENTENCES = {"32-bits-per-key": {"A11": (
    "Just below 3 % it is larger: 1.12 times at 2.92 %. Ours (windows) is smaller at some rates from 1.58 % on and at every "
    "rate from 0.96 % on; where no part of a bit is wasted, from 1.47 % on. The original (buckets of 4 at 95 %) is smaller "
    "from 0.08 % on at every rate, and from 0.37 % on where nothing is wasted.")}}
