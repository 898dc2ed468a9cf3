# SPDX-License-Identifier: MIT
from table import every, ordered, same

SEMINAR = ("seminar original", "seminar emptier")
OURS = ("ours emptier", "ours bfs", "ours windows")


def fewer_relocations(results):
    rows = results.table(
        "data.csv",
        "filter,k,ratio,m,b,mnk,n_kmers,n_distinct,n_repetitions,stored,share_stored,failed,lost,"
        "fill,fill_low,fill_high,moves,moves_low,moves_high,wasted_moves,insert_ns,insert_ns_low,"
        "insert_ns_high,table_ns,table_ns_low,table_ns_high,full_seconds,full_moves")
    same(len(rows), 5 * 6 * 13, "filters, lengths and tables")
    same({(r["b"], r["mnk"]) for r in rows}, {(100, 100)}, "b and MNK")
    # The windows without N of the genome's first 1,200 bases (an N stands before them).
    every(rows, lambda r: r["n_kmers"] == 1199 - r["k"] + 1, "k-mers")
    same({r["n_distinct"] for r in rows if r["k"] == 31}, {1169}, "distinct 31-mers")
    every(rows, lambda r: abs(r["m"] - r["n_distinct"] / 100 / r["ratio"]) <= 0.5001, "buckets")
    every(rows, lambda r: 0 < r["fill"] <= 1, "no share")
    # An entry that was lost is stored once more when its k-mer comes again: a little above 1.
    every(rows, lambda r: 0 < r["share_stored"] <= (1 if r["filter"] in OURS else 1.05),
          "more entries than k-mers")
    every(rows, lambda r: r["wasted_moves"] <= r["moves"] + 1e-9, "more in vain than in all")
    for name in ("fill", "moves", "insert_ns", "table_ns"):
        ordered(rows, f"{name}_low", name, f"{name}_high")
    every([r for r in rows if r["filter"] in OURS], lambda r: r["lost"] == 0, "ours lost a k-mer")
    every([r for r in rows if r["filter"] in SEMINAR],
          lambda r: abs(r["wasted_moves"] * r["n_kmers"] - 100 * r["failed"]) < 1e-3,
          "a failed insertion costs MNK moves")
    # At half load nobody moves anything, in buckets of 100.
    every([r for r in rows if r["ratio"] == 0.5 and r["filter"] != "ours windows"],
          lambda r: r["moves"] == 0 and r["failed"] == 0, "moves at half load")
    # A tenth too small: the seminar's filters drop what does not fit, ours refuse it.
    every([r for r in rows if r["ratio"] == 1.1], lambda r: r["failed"] > 0, "all fitted")
    same(len(results.table("lengths.csv",
                           "filter,k,insert_ns,insert_ns_low,insert_ns_high,hash_ns")), 30,
         "filters and lengths")
    same(len(results.table("tables.csv", "filter,ratio,fill,moves,lost")), 65, "filters and tables")


def relocation_curve(results):
    rows = results.table(
        "data.csv",
        "way,load,n_slots,n_repetitions,stored,moves,moves_per_key,moves_per_key_low,"
        "moves_per_key_high,ratio,ratio_low,ratio_high,failed,failed_per_key,moves_in_vain_per_key,"
        "first_failure")
    same(len(rows), 5 * 25, "ways and loads")
    same({r["n_slots"] for r in rows}, {2048}, "slots")
    every(rows, lambda r: r["stored"] == int(r["load"] * 2048 + 1e-9), "not filled to the load")
    ordered(rows, "moves_per_key_low", "moves_per_key", "moves_per_key_high")
    every([r for r in rows if "bfs" in r["way"]], lambda r: r["moves_in_vain_per_key"] == 0,
          "bfs moved in vain")
    for way in {r["way"] for r in rows}:
        moves = [r["moves"] for r in rows if r["way"] == way]
        same(moves, sorted(moves), f"moves of {way}, which only grow")
    at = {(r["way"], r["load"]): r["moves"] for r in rows}
    every([{"random": at["random", 0.9], "emptier": at["emptier", 0.9],
            "bfs": at["emptier bfs", 0.9]}],
          lambda r: r["bfs"] < r["emptier"] < r["random"], "no gain at .90")


def found_again(results):
    rows = results.table(
        "data.csv",
        "table,filter,k,m,b,mnk,n_distinct,n_repetitions,share_inserted,share_true,share_found,"
        "share_found_low,share_found_high,share_false,share_lost,share_lost_low,share_lost_high,load,"
        "moves,wasted_moves,failed")
    same(len(rows), 5 * 8 * 10, "tables, filters and shares")
    ordered(rows, "share_found_low", "share_found", "share_found_high")
    ours = [r for r in rows if r["filter"].startswith("ours")]
    every(ours, lambda r: r["share_lost"] == 0, "ours lost a k-mer")
    every(ours, lambda r: r["failed"] > 0 or r["share_found"] >= r["share_true"] - 1e-9,
          "ours found less than there is")
    every(rows, lambda r: r["share_inserted"] < 1 or r["share_true"] == 1, "not all inserted")
    every(rows, lambda r: r["share_false"] < 0.001, "false positives of 32-bit fingerprints")
    # Where m is a power of two nothing is lost but what was dropped.
    every([r for r in rows if r["table"] == "power" and r["failed"] == 0],
          lambda r: r["share_lost"] == 0, "lost in a power of two of buckets")
    every([r for r in rows if r["table"] == "four" and r["filter"] in SEMINAR
           and r["share_inserted"] == 1], lambda r: r["share_lost"] > 0.05,
          "modulo m, buckets of 4: hardly anything is lost")


def same_genome(results):
    rows = results.table(
        "data.csv",
        "other,k,n_sampled,n_draws,share_exact,fpr,estimate,low,high,at_least,covered,detected,"
        "detected_low,detected_high,detected_theory")
    same(len(rows), 5 * 6, "genomes and sample sizes")
    same({r["n_draws"] for r in rows}, {100}, "samples")
    ordered(rows, "low", "estimate", "high")
    itself = [r for r in rows if r["other"] == "itself"]
    every(itself, lambda r: r["share_exact"] == 1 and r["detected"] == 0 and r["covered"] == 1,
          "a genome differs from itself")
    every(itself, lambda r: abs(r["at_least"] - 0.05 ** (1 / r["n_sampled"])) < 0.01,
          "the statement on a sample without a miss")
    # One base changed touches at most 31 of the 29,969 windows.
    every([r for r in rows if r["other"] == "1 bases changed"],
          lambda r: 1 - 31 / 29969 - 1e-9 <= r["share_exact"] < 1, "one base changed")
    every([r for r in rows if r["other"] == "MG1655" and r["n_sampled"] >= 1000],
          lambda r: r["detected"] == 1, "another strain was not told apart")


QUESTIONS = {
    "20-fewer-relocations": fewer_relocations,
    "21-relocation-curve": relocation_curve,
    "22-found-again": found_again,
    "23-same-genome": same_genome,
}
