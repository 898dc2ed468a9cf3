# SPDX-License-Identifier: MIT
"""The question on two PostgreSQL servers. Bytes are counted; times are not looked at."""
from table import every, near, ordered, same


def semijoin(results):
    rows = results.table(
        "data.csv", "width,n_remote,matching,n_keys,n_draws,plain,list,filter,filter_kind,filter_fpr,filter_bits,helper,asking,"
                    "winner,planned,planned_fpr,planned_bytes")
    same(len(rows), 2 * 3 * 2, "joins")
    every(rows, lambda r: min((r["plain"], "plain"), (r["list"], "list"), (r["filter"], "filter"))[1] == r["winner"],
          "not the winner")
    # A row on its way: 7 bytes, and for each of two columns 4 and its text; the key has seven digits.
    every(rows, lambda r: 0 <= r["plain"] - r["n_remote"] * (22 + r["width"]) < 1500, "not all rows of a plain join")
    every(rows, lambda r: 0 <= r["list"] - 8 * r["n_keys"] - r["matching"] * r["n_remote"] * (22 + r["width"]) < 1500,
          "not the keys and the rows of a list")
    every(rows, lambda r: r["filter"] > r["matching"] * r["n_remote"] * (22 + r["width"]), "rows are missing")
    every(rows, lambda r: r["n_draws"] == (3 if r["matching"] < 0.5 else 1), "draws")
    for helper, more in (("helper", 0), ("asking", 1000)):
        every(rows, lambda r, h=helper, m=more: r[h] <= 1.1 * min(r["list"], r["filter"]) + m, f"{helper}: chose badly")

    rows = results.table("bits.csv", "way,kind,fpr,bits_per_key,n_remote,n_keys,n_matches,n_draws,bytes,bytes_low,"
                                     "bytes_high,sent,received,turns")
    same([r["way"] for r in rows], ["plain", "list", "helper", "asking"] + 12 * ["filter"], "ways")
    every(rows, lambda r: r["n_draws"] == 2, "draws")
    ordered(rows, "bytes_low", "bytes", "bytes_high")
    for row in rows:
        near(row["sent"] + row["received"], row["bytes"], "bytes there and back")
    every(rows, lambda r: (r["bits_per_key"] > 0) == (r["way"] == "filter"), "bits of what is no filter")
    every(rows, lambda r: r["received"] >= r["n_matches"] * 54, "rows are missing")
    plain = rows[0]
    every(rows[1:], lambda r: r["bytes"] < plain["bytes"], "more than a plain join")

    rows = results.table("time.csv", "size_of_join,n_remote,n_keys,n_matches,way,kind,fpr,is_indexed,bytes,turns,ms,"
                                     "ms_low,ms_high,computed_1000,computed_100,computed_10")
    same([r["size_of_join"] for r in rows], 8 * ["few"] + 8 * ["usual"] + 6 * ["most"], "joins")
    every(rows, lambda r: r["ms"] > 0 and r["turns"] >= 3, "no time, no round trips")
    for row in rows:
        for speed in (1000, 100, 10):
            near(row["computed_%d" % speed], row["ms"] + 8 * row["bytes"] / 1000 / speed, "a computed time")


QUESTIONS = {"45-semijoin": semijoin}
