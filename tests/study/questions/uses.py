# SPDX-License-Identifier: MIT
from table import every, ordered, same


def cache_admission(results):
    rows = results.table(
        "data.csv",
        "policy,cache_share,n_traces,n_objects,n_requests,once_share,filter_bytes,hit_rate,"
        "hit_rate_low,hit_rate_high,byte_hit_rate,byte_hit_rate_low,byte_hit_rate_high,written,"
        "written_low,written_high,once_written,once_written_low,once_written_high")
    same(len(rows), 7 * 8, "policies and cache sizes")
    every(rows, lambda r: 0.75 <= r["once_share"] < 0.7502, "not three quarters are asked for once")
    for name in ("hit_rate", "byte_hit_rate", "written", "once_written"):
        every(rows, lambda r, n=name: 0 <= r[n] <= 1, f"{name} is no share")
        ordered(rows, f"{name}_low", name, f"{name}_high")
    by = {(r["policy"], r["cache_share"]): r for r in rows}
    for share in {r["cache_share"] for r in rows}:
        # Without a filter, every miss is written (but for objects larger than the cache).
        none = by["no filter", share]
        every([none], lambda r: r["written"] <= 1 - r["byte_hit_rate"] + 1e-9, "hits were written")
        # Exact memory writes nothing that is asked for once, and a filter nearly nothing.
        same(by["exact", share]["once_written"], 0, "one-hit objects written by exact memory")
        every([by["bloom 1 %", share]], lambda r: 0 < r["once_written"] < 0.01, "Bloom, 1 %")
        every([none], lambda r: r["once_written"] > 0.99, "without a filter all are written")
        every([by["bloom 1 %", share]], lambda r, n=none: r["written"] < n["written"],
              "a filter wrote more")


def state_space(results):
    rows = results.table("data.csv", "method,budget_bits,bits_per_state,k,tag_bits,n_states,n_seeds,"
                                     "missed,missed_low,missed_high,theory")
    same({r["n_states"] for r in rows}, {20160}, "states of the puzzle of 2 x 4 cells")
    every(rows, lambda r: r["bits_per_state"] <= r["budget_bits"] + 64 / 20160, "above its budget")
    every(rows, lambda r: 0 <= r["missed"] < 1, "no share")
    ordered(rows, "missed_low", "missed", "missed_high")
    by = {(r["method"], r["budget_bits"]): r for r in rows}
    same(sum(1 for m, _ in by if m == "bloom best k"), 13, "budgets")
    every([by["bloom best k", 64], by["compact", 64]], lambda r: r["missed"] == 0,
          "states missed with 64 bits for each")
    every([by["bloom best k", 4]], lambda r: r["missed"] > 0.01, "no states missed with 4 bits")
    # Missed states are those the filter turned away and what lay behind them.
    every([by["bloom k = 3", 12]], lambda r: 0.5 < r["missed"] / r["theory"] < 2, "far from theory")


def between_hosts(results):
    rows = results.table("data.csv", "method,n_lines,difference,n_seeds,bytes,bytes_low,bytes_high,"
                                     "rounds,found,bytes_of_missing_lines")
    same(len(rows), 5 * 3, "methods and sizes")
    every(rows, lambda r: r["found"] == 1 or r["method"] == "bloom alone", "not all was found")
    every(rows, lambda r: r["found"] > 0.9, "much was missed")
    every(rows, lambda r: r["bytes"] > r["bytes_of_missing_lines"], "less than must be sent")
    ordered(rows, "bytes_low", "bytes", "bytes_high")
    by = {(r["method"], r["difference"]): r["bytes"] for r in rows}
    every(rows, lambda r: by["sketch", 10] < by["bloom", 10] < by["list", 10], "order of methods")
    # A list is as long as the set: 2000 lines of 16 letters, and a byte of length each.
    every([r for r in rows if r["method"] == "list"], lambda r: 34000 < r["bytes"] < 36000, "a list")
    rows = results.table("common.csv", "n_small,n_large,line_bytes,in_common,n_seeds,bytes,bytes_low,"
                                       "bytes_high,rounds,bytes_of_list")
    same([r["in_common"] for r in rows], [0, 10, 50, 125, 250, 500], "lines in common")
    every(rows, lambda r: r["bytes"] * 5 < r["bytes_of_list"], "hardly less than the list")


def routing(results):
    rows = results.table(
        "data.csv", "network,fpr,n_networks,n_requests,lost,wrong_turns,wrong_turns_low,"
                    "wrong_turns_high,detour,detour_low,detour_high,absent_wrong_turns,"
                    "absent_wrong_turns_low,absent_wrong_turns_high,questions,expected,"
                    "bytes_per_link,keys_below,keys_denied,link_fpr")
    same(len(rows), 4 * 8, "networks and rates")
    every(rows, lambda r: r["lost"] == 0 and r["keys_denied"] == 0, "something was lost")
    every(rows, lambda r: r["detour"] >= 1, "shorter than the shortest way")
    ordered(rows, "wrong_turns_low", "wrong_turns", "wrong_turns_high")
    trees = [r for r in rows if r["network"].startswith("tree")]
    # Every resource lies below as many links as its node is deep: the same in all trees.
    same(len({r["keys_below"] for r in trees}), 1, "sizes of the census")
    sized = [r for r in trees if r["network"] == "tree; bloom"]
    every(sized, lambda r: r["link_fpr"] < 1.3 * r["fpr"], "filters above their rate")
    every([sized[-1]], lambda r: r["wrong_turns"] > 100 * sized[0]["wrong_turns"] > 0,
          "wrong turns do not follow the rate")


QUESTIONS = {
    "40-cache-admission": cache_admission,
    "41-state-space": state_space,
    "42-between-hosts": between_hosts,
    "43-routing": routing,
}
