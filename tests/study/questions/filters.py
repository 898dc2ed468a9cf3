# SPDX-License-Identifier: MIT
import math
from statistics import mean

from table import every, near, ordered, same


def bloom_theory(results):
    columns = ("n,m,k,bits_per_key,rate_wanted,rate,rate_low,rate_high,limit_form,one_bit_form,"
               "finite_form,exact_form,n_asked")
    grid = results.table("data.csv", columns)
    same(len(grid), 8 * 16, "bits and k")
    finite = results.table("finite.csv", columns)
    same(len(finite), 2 * 8, "small filters")
    rows = grid + finite + results.table("sizes.csv", columns) + results.table("planned.csv", columns)
    ordered(rows, "rate_low", "rate", "rate_high")
    for r in rows:
        kn_m = r["k"] * r["n"] / r["m"]
        every([r], lambda r, x=kn_m: math.isclose(r["limit_form"], (1 - math.exp(-x)) ** r["k"],
                                                  rel_tol=1e-6), "the formula")
    every(finite, lambda r: r["limit_form"] < r["exact_form"] < r["finite_form"],
          "a small filter's exact rate is not between the two forms")
    every([r for r in grid if r["limit_form"] > 0.05],
          lambda r: 0.7 < r["rate"] / r["limit_form"] < 1.4, "far from theory")


def bits_per_key(results):
    rows = results.table("data.csv", "kind,fpr_asked,n,n_repetitions,n_asked,rate,rate_low,rate_high,"
                                     "bits_per_key,bits_bound,bits_claimed")
    same(len(rows), 8 * 4, "kinds and rates")
    ordered(rows, "rate_low", "rate", "rate_high")
    every(rows, lambda r: r["rate_low"] <= 1.1 * r["fpr_asked"], "a promise was broken")
    plans = results.table("plan.csv", "series,kind,n,fpr,bits_per_key,bits_bound,ratio_to_bloom")
    planned = [r for r in plans if r["series"] == "planned"]
    same(len(planned), 8 * 342, "kinds and rates planned")
    there = [r for r in planned if r["bits_per_key"] == r["bits_per_key"]]
    every(there, lambda r: r["bits_per_key"] > r["bits_bound"], "less than the least there is")
    every([r for r in planned if r["kind"] == "bloom"], lambda r: r["ratio_to_bloom"] == 1,
          "a Bloom filter is as large as itself")
    # A filter that takes fewer bits than n log2 e log2(1/fpr), planned exactly.
    fuse = min(r["bits_per_key"] * math.log(2) / r["bits_bound"] for r in there if r["kind"] == "fuse"
               and 0.9 * 2 ** -8 < r["fpr"])
    every([{"ratio": fuse}], lambda r: r["ratio"] > 0.7, "fuse is too small to be true")
    keys = results.table("keys.csv", "keys,n,n_repetitions,rate,rate_low,rate_high,bits,bits_low,"
                                     "bits_high")
    same(len(keys), 6, "kinds of keys")
    every(keys, lambda r: r["bits_low"] <= r["bits"] <= r["bits_high"] and 8.5 < r["bits"] < 10.7,
          "bits for 1 %")


def lookups(results):
    columns = ("kind,n,tag_bits,k,n_repetitions,rate,bits_per_key,miss_ns,miss_ns_low,miss_ns_high,"
               "hit_ns,hit_ns_low,hit_ns_high,miss_many_ns,miss_many_ns_low,miss_many_ns_high,"
               "hit_many_ns,hit_many_ns_low,hit_many_ns_high,add_ns,add_ns_low,add_ns_high,hot_ns,hot_ns_low,hot_ns_high")
    rows = results.table("data.csv", columns)
    same(len(rows), 8 + 3 * 3, "filters")
    same({r["n"] for r in rows}, {int(0.95 * 8192)}, "keys")
    by_k = results.table("hashes.csv", columns)
    same([r["k"] for r in by_k], [1, 2, 4, 8, 12, 16], "k")
    by_n = results.table("sizes.csv", columns)
    same([r["n"] for r in by_n], [128, 256, 512, 1024, 2048, 4096], "n")
    for name in ("miss_ns", "hit_ns", "miss_many_ns", "hit_many_ns", "add_ns"):
        every(rows + by_k + by_n, lambda r, n=name: r[n] > 0, f"{name} is not positive")
        ordered(rows + by_k + by_n, f"{name}_low", name, f"{name}_high")
    bits = {r["kind"]: r["bits_per_key"] for r in rows if r["tag_bits"] == 0}
    every([bits], lambda b: 3.9 < b["counting"] / b["bloom"] < 4.1, "counting is not 4 times bloom")
    # 12-bit tags in a table that is 95 % full.
    every([r for r in rows if r["kind"] == "cuckoo original" and r["tag_bits"] == 12],
          lambda r: 12 / 0.95 <= r["bits_per_key"] < 12 / 0.949 + 0.1, "not at 95 % load")


def pairing(results):
    rows = results.table("data.csv", "pairing,tag_bits,n_buckets,n_repetitions,load,load_low,load_high,"
                                     "distance,distance_low,distance_high,moves_per_key")
    same(len(rows), 2 * 4 * 4, "pairings, widths and sizes")
    every(rows, lambda r: 0.7 < r["load"] <= 1, "load at the first failure")
    ordered(rows, "load_low", "load", "load_high")
    # A raw tag of t bits leads at most 2^t buckets away; a third of that in the mean.
    every([r for r in rows if r["pairing"] == "raw" and 2 ** r["tag_bits"] <= r["n_buckets"]],
          lambda r: 0.3 < r["distance"] * r["n_buckets"] / 2 ** r["tag_bits"] < 0.37, "distance")
    every([r for r in rows if r["tag_bits"] == 32], lambda r: 0.28 < r["distance"] < 0.38,
          "two places at random are a third of the table apart")
    # Judged for all sizes of tag: the number printed is of the one that gains least.
    load = results.samples("samples.csv", "load")
    largest = f"buckets 2^{round(math.log2(max(r['n_buckets'] for r in rows)))} tag"
    gains = [mean([load[f"{largest} {bits} hashed", r] / load[f"{largest} {bits} raw", r]
                   for r in range(rows[0]["n_repetitions"])]) for bits in (8, 12, 16, 32)]
    near(results.judgement("A13")[2], min(gains), "least gain of load")


def cuckoo_insertion(results):
    rows = results.table("data.csv", "way,load,n_slots,n_repetitions,moves,moves_low,moves_high,ns,"
                                     "ns_low,ns_high,longest_path,failed_share")
    same(len(rows), 3 * 2 * 5, "ways, loads and sizes")
    ordered(rows, "moves_low", "moves", "moves_high")
    ordered(rows, "ns_low", "ns", "ns_high")
    at = {(r["way"], r["load"], r["n_slots"]): r for r in rows}
    largest = max(r["n_slots"] for r in rows)
    original = at["original", 0.95, largest]
    every([original], lambda r: 0.6 < r["moves"] < 1.3, "moves of the original at .95")
    every([at["windows bfs", 0.95, largest]], lambda r: r["moves"] < 0.2, "moves of windows at .95")
    every(rows, lambda r: r["failed_share"] < 0.01, "many adds failed")


def compaction(results):
    rows = results.table("data.csv", "l,n,n_repetitions,n_asked,rate,rate_low,rate_high,claimed,theory,"
                                     "collided,collided_low,collided_high,collided_theory")
    same([r["l"] for r in rows], [8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 32, 36, 40], "l")
    ordered(rows, "rate_low", "rate", "rate_high")
    ordered(rows, "collided_low", "collided", "collided_high")
    every(rows, lambda r: math.isclose(r["theory"], -math.expm1(r["n"] * math.log1p(-2.0 ** -r["l"])),
                                       rel_tol=1e-6), "the formula")
    every([r for r in rows if r["l"] <= 14], lambda r: 0.7 < r["rate"] / r["theory"] < 1.4,
          "far from theory")
    # 1000 keys and l = 10: most collide, though l is above log2 1000.
    every([r for r in rows if r["l"] == 10], lambda r: 0.5 < r["collided"] < 0.75, "collisions")
    every([r for r in rows if r["l"] >= 36], lambda r: r["collided"] == 0 and r["rate"] == 0,
          "collisions of long compressed keys")


QUESTIONS = {
    "31-bloom-theory": bloom_theory,
    "32-bits-per-key": bits_per_key,
    "33-lookups": lookups,
    "34-pairing": pairing,
    "35-cuckoo-insertion": cuckoo_insertion,
    "36-compaction": compaction,
}
