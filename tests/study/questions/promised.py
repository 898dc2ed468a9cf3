# SPDX-License-Identifier: MIT
from table import every, near, ordered, same


def promised(results):
    rows = results.table(
        "data.csv",
        "kind,fpr_promised,fpr_expected,fpr_measured,fpr_low,fpr_high,mean_over_seeds,mean_low,"
        "mean_high,n_words,n_seeds,n_absent,n_false_positives,n_false_negatives,bits_per_key,"
        "bits_bound,build_ns,build_ns_low,build_ns_high,verdict")
    same(len(rows), 5 * len({r["kind"] for r in rows}), "kinds and rates")
    every([{"n": len(rows)}], lambda r: r["n"] >= 50, "kinds are missing")
    same({r["n_words"] for r in rows}, {10053}, "words")
    every(rows, lambda r: r["n_false_negatives"] == 0, "a word was denied")
    every(rows, lambda r: r["verdict"] in ("holds", "open"), "a promise was broken")
    every(rows, lambda r: r["n_false_positives"] == round(r["fpr_measured"] * r["n_absent"]),
          "rate and counts differ")
    for row in rows:  # every seed is asked as often
        near(row["mean_over_seeds"], row["fpr_measured"], "the mean over the seeds")
    every(rows, lambda r: r["bits_per_key"] > r["bits_bound"], "less than the least there is")
    ordered(rows, "fpr_low", "fpr_measured", "fpr_high")
    ordered(rows, "build_ns_low", "build_ns", "build_ns_high")
    # The hash is frozen and the seeds are fixed, so these counts are the same on every machine.
    exact = {(r["kind"], r["fpr_promised"]): r["n_false_positives"] for r in rows}
    same(exact["bloom", 0.1], 499, "false positives of bloom at 10 %")
    same(exact["blocked", 0.01], 525, "false positives of blocked at 1 %")


QUESTIONS = {"01-promised-and-measured": promised}
