# SPDX-License-Identifier: MIT
"""The question on LevelDB. Counts of reads are the same on every machine; times are not looked at."""
from table import every, ordered, same


def lsm(results):
    rows = results.table(
        "data.csv", "filter,asked_bits,asked_fpr,n_keys,n_absent,table_bytes,filter_bits,"
                    "absent_reads,absent_reads_low,absent_reads_high,present_reads,absent_us,"
                    "absent_us_low,absent_us_high,present_us,present_us_low,present_us_high")
    same(len(rows), 1 + 5 + 5 + 4 + 4 * 3, "databases")
    every(rows, lambda r: r["present_reads"] == 1, "a key that is there costs one block")
    ordered(rows, "absent_reads_low", "absent_reads", "absent_reads_high")
    none, others = rows[0], rows[1:]
    every([none], lambda r: r["filter"] == "none" and r["filter_bits"] == 0, "filters where none are")
    every([none], lambda r: 0.95 < r["absent_reads"] <= 1, "one block for each get without a filter")
    every(others, lambda r: r["filter_bits"] > 0, "a filter without bytes")
    # The rate is the mean over blocks of a few dozen keys: up to 1.1 times, and what chance adds to 2,000 gets.
    every([r for r in others if r["asked_fpr"] > 0],
          lambda r: r["absent_reads_low"] <= 1.1 * r["asked_fpr"], "above its rate")
    by = {(r["filter"], r["asked_bits"]): r for r in rows if r["asked_bits"] > 0}
    for bits in (8, 10, 12, 16, 20):
        every([by["bloom", bits]],
              lambda r, b=bits: r["filter_bits"] <= by["built-in", b]["filter_bits"] + 0.05,
              "larger than LevelDB's own")
    reads = {name: sum(by[name, bits]["absent_reads"] for bits in (10, 12, 16, 20))
             for name in ("bloom", "built-in")}
    every([by["bloom", 10]], lambda r: reads["bloom"] <= reads["built-in"],
          f"more reads than with LevelDB's own: {reads}")


QUESTIONS = {"44-lsm": lsm}
