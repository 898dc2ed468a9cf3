# SPDX-License-Identifier: MIT
from table import every, ordered, same


def by(rows, *columns):
    return {tuple(r[c] for c in columns): r for r in rows}


def hyphenation(results):
    rows = results.table(
        "data.csv",
        "filter,percent,n_words,n_exceptions,init_mean_ms,init_mean_low,init_mean_high,init_ms,"
        "init_ms_low,init_ms_high,filter_us,filter_us_low,filter_us_high,total_mean_ms,"
        "total_mean_low,total_mean_high,total_ms,total_ms_low,total_ms_high,n_asked,n_found,"
        "n_false,n_false_low,n_false_high,n_false_theory,bits_per_key,ratio,ratio_low,ratio_high")
    same(len(rows), 3 * 20, "filters and rates")
    same({(r["n_words"], r["n_exceptions"]) for r in rows}, {(3000, 1753)}, "words, exceptions")
    same({(r["n_asked"], r["n_found"]) for r in rows}, {(2858, 19)}, "words asked for, found")
    for name in ("init_ms", "filter_us", "total_ms", "n_false", "ratio"):
        ordered(rows, f"{name}_low", name, f"{name}_high")
    every(rows, lambda r: r["init_ms"] > 0 and r["total_ms"] > 0, "no time")
    every(rows, lambda r: abs(r["n_false"] - r["n_false_theory"]) < 5 * r["n_false_theory"] ** .5,
          "far from theory")
    every(rows, lambda r: r["n_false_theory"] <= 1.1 * r["percent"] / 100 * 2839, "above the promise")
    every([r for r in rows if r["filter"] == "bloom"], lambda r: r["ratio"] == 1, "Bloom over Bloom")
    # Seeds and hash are fixed: the same counts on every machine.
    rates = by(rows, "filter", "percent")
    same(round(6 * rates["bloom", 1]["n_false"], 3), 123, "lookups in vain, bloom at 1 %, six seeds")
    same(round(6 * rates["cuckoo", 1]["n_false"], 3), 115, "the same, cuckoo")
    lines = results.table("lines.csv", "filter,quantity,intercept_ms,slope_ms_per_percent,slope_low,"
                                       "slope_high")
    same(len(lines), 6, "lines")
    ordered(lines, "slope_low", "slope_ms_per_percent", "slope_high")


def stores(results):
    rows = results.table(
        "data.csv",
        "way,filter,n_words,n_exceptions,word_ns,word_ns_low,word_ns_high,n_asked,n_lookups,n_found,"
        "n_false,filter_bytes,over_compiled,over_compiled_low,over_compiled_high")
    same(len(rows), 4 + 9 + 9, "ways to keep exceptions")
    ordered(rows, "word_ns_low", "word_ns", "word_ns_high")
    ways = by(rows, "way")
    same(ways["memory",]["n_lookups"], 2858, "lookups without a filter")
    same(ways["no exceptions",]["n_asked"], 0, "asked without exceptions")
    behind = [r for r in rows if r["filter"] != "none"]
    every(behind, lambda r: (r["n_asked"], r["n_found"]) == (2858, 19), "another count")
    every(behind, lambda r: r["n_lookups"] == r["n_found"] + r["n_false"], "counts do not add up")
    every(behind, lambda r: r["n_lookups"] < 100, "the filter lets too many through")
    for store in ("memory", "LMDB"):
        same(ways[f"bloom + {store}",]["n_false"], 22, f"lookups in vain, bloom + {store}")
    counts = results.table("counts.csv", "filter,percent,n_absent,n_false,n_false_low,n_false_high,"
                                         "n_false_theory")
    same(len(counts), 9 * 5, "families and rates")
    same({r["n_absent"] for r in counts}, {2839}, "absent words")
    every(counts, lambda r: abs(r["n_false"] - r["n_false_theory"]) < 5 * r["n_false_theory"] ** .5,
          "far from theory")
    same(by(counts, "filter", "percent")["bloom", 5]["n_false"], 132, "bloom at 5 %, two seeds")
    delays = results.table("delay.csv", "filter,delay_us,n_lookups,cost_us,cost_us_low,cost_us_high,"
                                        "n_sampled,n_sampled_lookups,total_s,total_s_low,"
                                        "total_s_high,ideal_s")
    same(len(delays), 6 * 5, "filters and delays")
    same(by(delays, "filter", "delay_us")["no filter", 1000]["n_lookups"], 2858, "lookups")
    every([r for r in delays if r["filter"] == "no filter" and r["delay_us"] >= 100],
          lambda r: r["cost_us"] >= 0.9 * r["delay_us"], "a delay that did not happen")
    crossing = results.table("crossing.csv", "filter,crossing_ns,crossing_low,crossing_high,"
                                             "memory_lookup_ns")
    same(len(crossing), 9, "families")
    ordered(crossing, "crossing_low", "crossing_ns", "crossing_high")
    reject = results.table("reject.csv", "way,n_absent,reject_ns,reject_low,reject_high,n_maybe,bytes")
    same({r["n_absent"] for r in reject}, {2991}, "words that are no exceptions")
    sizes = by(reject, "way")
    same(sizes["bloom + dictionary",]["bytes"],
         sizes["bloom alone",]["bytes"] + sizes["dictionary alone",]["bytes"], "bytes")
    same(sizes["bloom alone",]["n_maybe"], sizes["bloom + dictionary",]["n_maybe"], "maybes")


def original_stack(results):
    rows = results.table(
        "data.csv",
        "stack,filter,manner,percent,n_words,n_exceptions,n_present,init_ms,init_ms_low,init_ms_high,"
        "word_ns,word_ns_low,word_ns_high,n_maybe,n_found,n_lost,n_false,n_absent,n_keys_denied")
    same(len(rows), 2 + 2 * 6 + 3 * 2, "stacks")
    every(rows, lambda r: r["n_present"] == r["n_found"] + r["n_lost"], "counts do not add up")
    every([r for r in rows if r["stack"] == "ninho"],
          lambda r: (r["n_lost"], r["n_present"]) == (0, 13), "ours lost an exception")
    # The package's random numbers are seeded: the same on every machine.
    npm = by([r for r in rows if r["stack"] == "npm"], "filter", "manner", "percent")
    same(npm["none", "", 0]["n_found"], 7, "exceptions among the words")
    same(npm["bloom", "published", 1]["n_lost"], 6, "exceptions lost as published")
    same(npm["bloom", "right", 1]["n_lost"], 0, "exceptions lost, put right")
    same(npm["bloom", "right", 1]["n_keys_denied"], 0, "the package's Bloom filter denies keys")
    same(npm["cuckoo", "right", 1]["n_keys_denied"], 537, "the package's cuckoo filter denies keys")


def dictionaries(results):
    rows = results.table(
        "data.csv",
        "table,load,n_places,insert_ns,insert_low,insert_high,hit_ns,hit_low,hit_high,miss_ns,"
        "miss_low,miss_high,remove_ns,remove_low,remove_high,hit_looks,hit_looks_theory,miss_looks,"
        "miss_looks_theory")
    same(len(rows), 4 * 19 + 11 + 9, "tables and loads")
    for name in ("insert", "hit", "miss", "remove"):
        ordered(rows, f"{name}_low", f"{name}_ns", f"{name}_high")
    looks = by(rows, "table", "load")
    # Counted, so the same on every machine; and near Knuth's formulas where the table is not crowded.
    same(looks["chaining (textbook)", .5]["hit_looks"], 1.23642857, "looks of chaining")
    same(looks["linear probing (textbook)", .5]["miss_looks"], 2.39928571, "of probing")
    every([r for r in rows if "textbook" in r["table"] and r["load"] <= .7],
          lambda r: abs(r["hit_looks"] / r["hit_looks_theory"] - 1) < .1, "far from theory")
    shapes = by(results.table("reached.csv", "d,b,stash,n_runs,first_rehash,first_rehash_low,"
                                             "first_rehash_high,full,full_low,full_high"),
                "d", "b", "stash")
    same(len(shapes), 3 * 4 * 2, "functions, buckets, stashes")
    same(shapes[2, 1, 0]["first_rehash"], 0.511067708, "first rehash of the lecture's table")
    for (d, b, stash), r in shapes.items():
        every([r], lambda r: 0 < r["first_rehash"] <= r["full"] <= 1.02, "no load")
        if d < 4:
            every([r], lambda r, n=shapes[d + 1, b, stash]: r["full"] <= n["full"] + .01,
                  "another function made it worse")
    steps = results.table("displacements.csv", "d,b,stash,load,n_slots,n_runs,n_reached,"
                                               "moves_per_key,rehashes")
    every(steps, lambda r: r["moves_per_key"] >= 0 and 0 < r["n_reached"] <= r["n_runs"], "no count")
    work = results.table("work.csv", "log2_n,run_seed,steps_per_key,moves_per_key,insert_ns")
    every(work, lambda r: 3 < r["steps_per_key"] < 5, "steps of an insertion")
    growth = results.table("growth.csv", "set,log2_n,hit_ns,hit_low,hit_high,miss_ns,miss_low,"
                                         "miss_high,change_ns,change_low,change_high")
    same({r["set"] for r in growth},
         {"linear scan", "balanced tree", "chain", "probe", "cuckoo-table"}, "sets")
    expected = results.table("expected.csv", "log2_n,run_seed,hit_compared,hit_theory,miss_compared,"
                                             "miss_theory")
    every(expected, lambda r: abs(r["hit_compared"] - r["hit_theory"]) < .2, "far from theory")
    worst = results.table("worst.csv", "log2_n,chaining_compared,chain_ns,probe_ns")
    every(worst, lambda r: r["chaining_compared"] == 2 ** r["log2_n"], "not all keys compared")
    space = results.table("space.csv", "log2_u,log2_n,bits_per_key_least,log2_u_over_n,rest_per_key")
    every(space, lambda r: 1 < r["rest_per_key"] < 1.4427, "bits beyond n log2(u/n)")


QUESTIONS = {
    "03-hyphenation": hyphenation,
    "04-hyphenation-stores": stores,
    "05-original-stack": original_stack,
    "09-dictionaries": dictionaries,
}
