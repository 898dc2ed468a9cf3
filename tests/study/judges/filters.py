# SPDX-License-Identifier: MIT
"""Judges of 01 and 31 to 36."""
import re
from math import e, exp, log, log2, pow  # noqa: A004

from made import HOLDS, NOT, OPEN, WOBBLE, Case


def words(variant):
    """"n 300 m 600 k 1" as {"n": 300, ...}."""
    parts = variant.split()
    return {parts[i]: int(parts[i + 1]) for i in range(0, len(parts) - 1) if parts[i + 1].isdigit()}


# ---- 01: measured over promised --------------------------------------------------------------


def promised(usual=0.5, one=None, denied=0):
    """500 false positives are expected of every cell, in two seeds; `one` is that of bloom at 1 %."""
    def change(_, variant, repetition, row):
        is_one = variant == "bloom 1 %"
        row["n_false"] = round(250 * (one if one and is_one else usual))
        row["n_denied"] = denied if is_one and repetition == 0 else 0
    return change


def kept(n_not):
    """All but so many of the combinations keep the promise, however many kinds of filters there are."""
    def says(text):
        """how many combinations keep the promise"""
        numbers = re.search(r"(\d+) of (\d+) combinations", text)
        return int(numbers[2]) >= 50 and int(numbers[2]) - int(numbers[1]) == n_not
    return says


PROMISED = [
    Case("kept", promised(), own=HOLDS, says=[kept(0), "0.500 times", "denied: 0."]),
    Case("broken by one", promised(one=1.5), own=NOT,
         says=[kept(1), "that of bloom at 1 %: 1.500 times"]),
    Case("near the bound", promised(one=1.05), own=OPEN, says=[kept(1), "bloom at 1 %: 1.048 times"]),
    Case("a word denied", promised(denied=1), own=NOT, says=[kept(1), "denied: 1."]),
]

# ---- 31: formulas of the Bloom filter --------------------------------------------------------

ASKED = 10**6
BEST_K = {2: 1, 4: 3, 6: 4, 8: 6, 10: 7, 12: 8}


def limit(n, m, k):
    return pow(1 - exp(-k * n / m), k)


def bloom(grid=lambda bits, k: 1, planned=1, finite=lambda n: 1, asked=ASKED, swap=False, wobble=""):
    def change(series, variant, repetition, row):
        cell = words(variant)
        n, m, k = cell["n"], cell["m"], cell["k"]
        if series == "samples-grid":
            bits = m // n
            if swap and k == 1 and bits in (4, 6):
                m = n * (10 - bits)
            rate = limit(n, m, k) * grid(bits, k)
        elif series == "samples-planned":
            rate = exp(-m / n * log(2) ** 2) * planned
        else:
            rate = pow(1 - exp(-k * (n + 0.5) / (m - 1)), k) * finite(n)
        if wobble and wobble in series:
            rate *= WOBBLE[repetition]
        row["n_asked"] = asked
        row["n_false"] = round(asked * rate)
    return change


def best_by(factor):
    return lambda bits, k: factor if BEST_K.get(bits) == k else 1


def other_minimum(bits, k):
    return {(8, 6): 1.04, (8, 5): 0.955}.get((bits, k), 1)


BLOOM = [
    Case("as the formulas say", bloom(), {"A14": HOLDS, "B3": HOLDS, "B4": HOLDS}, own=HOLDS,
         says=["of which 0 are certainly off", "up to 12: holds", "it is within 5 % in 16 of 16", "from n = 2 on",
               "falls as m grows: holds. For each m/n it is least at (m/n) ln 2: holds"]),
    Case("all rates smaller", bloom(grid=lambda b, k: 0.8), {"A14": NOT}, own=NOT, says=["is 0.8000 times"]),
    Case("one rate larger", bloom(grid=lambda b, k: 1.2 if (b, k) == (4, 8) else 1), {"A14": NOT, "B3": HOLDS},
         says=["of which 1 are certainly off"]),
    Case("the best k is a little off", bloom(grid=best_by(1.047)), {"A14": NOT}, says=["of which 0 are"]),
    Case("another k is better", bloom(grid=other_minimum), {"A14": NOT, "B3": NOT},
         says=["of which 0 are", "up to 12: does not hold", "at (m/n) ln 2: does not hold"]),
    Case("more bits, more false positives", bloom(swap=True), {"B3": NOT}, says=["falls as m grows: does not hold"]),
    Case("rates not as planned", bloom(planned=1.2), {"B3": NOT, "A14": HOLDS}),
    Case("rates not known", bloom(wobble="grid"), {"A14": OPEN, "B4": HOLDS}, own=OPEN),
    Case("planned rates not known", bloom(wobble="planned"), {"B3": OPEN}),
    Case("hardly asked", bloom(asked=1000), {"B4": OPEN, "A14": OPEN, "B3": OPEN}, says=["up to 12: open"]),
    Case("half as many for two keys", bloom(finite=lambda n: 0.5 if n == 2 else 1), {"B4": NOT},
         says=["At n = 2 the measured rate is 0.500 of", "in 14 of 16 small filters, from n = 5 on", "rate is 0.50 times"]),
]

# ---- 32: bits per key ------------------------------------------------------------------------


def bits(usual=1.2, one=None, asked=10**7, keys=0.01, one_key=None, n_keys_asked=10**6):
    """`usual` times the Bloom filter's bits, `one` for fuse at 0.1 %; the rate of keys at 9.6 bits."""
    def change(series, variant, _, row):
        if series == "keys-samples":
            rate = one_key if one_key and variant == "English words" else keys
            row["n_asked"], row["n_false"] = n_keys_asked, round(rate * n_keys_asked)
            return
        fpr = float(variant.split()[-1])
        row["n_asked"], row["n_false"] = asked, round(fpr * asked)
        factor = one if one and variant == "fuse 0.001" else usual
        row["bits"] = factor * log2(e) * -log2(round(fpr * asked) / asked)
    return change


BITS = [
    Case("all above", bits(), {"A16": (HOLDS, 1.2), "B1": (HOLDS, 1)}, own=HOLDS,
         says=["So do 0 of 32 filters", "leanest filter takes 1.200 times", "the nearest takes 1.731 times"]),
    Case("one below", bits(one=0.8), {"A16": (NOT, 0.8)}, own=NOT,
         says=["fuse, built for 0.1 % and measured, takes fewer. So do 1 of 32", "leanest filter takes 0.800 times"]),
    Case("one at it", bits(one=1.0, asked=10**4), {"A16": OPEN}, own=OPEN),
    Case("one kind of keys needs more", bits(one_key=0.02), {"B1": (NOT, log(0.01) / log(0.02))},
         says=["off most is “English words”"]),
    Case("one kind of keys needs less", bits(one_key=0.005), {"B1": (NOT, log(0.01) / log(0.005))}),
    Case("keys hardly asked", bits(n_keys_asked=500), {"B1": OPEN}),
]

# ---- 33: lookups -----------------------------------------------------------------------------


def lookups(space=None, time=None, cuckoo=None, hot=0, per_k=1, wobble=""):
    """Nanoseconds and bits beside bloom's; `cuckoo` by tag bits; `hot`: change with each doubling of n."""
    def change(series, variant, repetition, row):
        cell = words(variant)
        name = variant.split(" n ")[0]
        noise = WOBBLE[repetition] if wobble and wobble in series + " " + variant else 1
        if series == "samples":
            factor = (time or {}).get(name, 1) if cell["tag"] == 0 else 1
            if name == "cuckoo original" and cell["tag"]:
                factor = (cuckoo or {8: 0.8, 12: 0.7, 16: 0.6})[cell["tag"]]
            row["miss_ns"], row["hit_ns"] = 10 * factor * noise, 30 * factor * noise
            row["miss_many_ns"], row["hit_many_ns"] = 5 * factor, 5 * factor
            row["fpr"], row["bits"] = 0.01, 10 * (space or {}).get(name, 1)
            if name == "quotient":  # a third of the rate of bloom's: 10 * log(0.001) / log(0.01) bits
                row["fpr"], row["bits"] = 0.001, 15 * (space or {}).get(name, 1)
        elif series == "sizes-samples":
            row["hot_ns"] = 10 + hot * (log2(cell["n"]) - 9.5) + (3 * (-1) ** round(log2(cell["n"])) if wobble and wobble in series else 0)
            row["hit_ns"] = 10 if cell["n"] < 4096 else 40
        else:
            row["hit_ns"] = (10 + per_k * cell["k"]) * noise
    return change


WORSE = {"counting": 4, "quotient": 1.2}
SLOWER = {"counting": 1.5, "quotient": 1.1}
LOOKUPS = [
    Case("as claimed", lookups(WORSE, SLOWER), {"A9": (HOLDS, 1.1), "A10": (HOLDS, 0.8), "B2": HOLDS}, own=HOLDS,
         says=["counting 4.00 times, quotient 1.200 times", "counting 1.50 times [1.50, 1.50], quotient 1.10 times",
               "0.80, 0.70 and 0.60 times its time", "each takes 1.00 ns [1.00, 1.00] more", "4.00 times as slow",
               "bloom 10.0 ns, counting 15.0 ns, quotient 11.0 ns", "at most 0.80 times", "in batches 0.80, 0.70 and 0.60",
               "Ours (windows): 1.00, 1.00 and 1.00"]),
    Case("counting is smaller", lookups({"counting": 0.9, "quotient": 1.2}, SLOWER), {"A9": (NOT, 0.9)}),
    Case("quotient is smaller", lookups({"counting": 4, "quotient": 0.9}, SLOWER), {"A9": (NOT, 0.9)}),
    Case("counting is faster", lookups(WORSE, {"counting": 0.7, "quotient": 1.1}), {"A9": (NOT, 0.7)}),
    Case("quotient is faster", lookups(WORSE, {"counting": 1.5, "quotient": 0.7}), {"A9": (NOT, 0.7)}),
    Case("bloom's time wobbles", lookups(WORSE, SLOWER, wobble="samples bloom n"), {"A9": OPEN}),
    Case("cuckoo is slower at one rate", lookups(WORSE, SLOWER, {8: 0.8, 12: 1.2, 16: 0.6}), {"A10": (NOT, 1.2)},
         own=NOT, says=["at most 1.20 times"]),
    Case("cuckoo's time wobbles", lookups(WORSE, SLOWER, wobble="samples cuckoo original n"), {"A10": OPEN}, own=OPEN),
    Case("grows with n", lookups(WORSE, SLOWER, hot=1), {"B2": (NOT, 50)}),
    Case("falls with n", lookups(WORSE, SLOWER, hot=-1), {"B2": (NOT, -50)}),
    Case("does not grow with k", lookups(WORSE, SLOWER, per_k=0), {"B2": NOT}),
    Case("time by n not known", lookups(WORSE, SLOWER, wobble="sizes"), {"B2": OPEN}),
    Case("time by k not known", lookups(WORSE, SLOWER, wobble="hashes"), {"B2": OPEN}),
]

# ---- 34: h(f) or f ---------------------------------------------------------------------------

GAINS = {8: 1.1, 12: 1.2, 16: 1.3, 32: 1.4}


def pairing(gains=None, apart=2.0, smaller=1.0, wobble=""):
    def change(_, variant, repetition, row):
        is_hashed = variant.endswith("hashed")
        tag = words(variant)["tag"]
        is_last = "2^10 " in variant
        gain = ((gains or GAINS)[tag] if is_last else smaller) if is_hashed else 1
        distance = ((apart if is_last else smaller) if is_hashed else 1)
        noise = WOBBLE[repetition] if is_hashed else 1
        row["load"] = 0.5 * gain * (noise if wobble == "load" else 1)
        row["distance"] = 0.1 * distance * (noise if wobble == "distance" else 1)
    return change


PAIRING = [
    Case("all gain", pairing(), {"A13": (HOLDS, 1.1)}, own=HOLDS,
         says=["1.1000 and 2 with 8-bit tags (holds), 1.2000 and 2.0 with 12 (holds), 1.3000 and 2.00 with 16 (holds), "
               "1.4000 and 2.00 with 32 (holds)",
               "at a load of 0.500 with f and at 0.550 with h(f), and the two places are 0.1000 and 0.200",
               "with 32 bits the loads are 0.500 and 0.700"]),
    Case("small tables lose", pairing(smaller=0.5), {"A13": HOLDS}),
    Case("32 bits gain nothing", pairing({**GAINS, 32: 1.0}), {"A13": (NOT, 1.0)}, own=NOT,
         says=["2.00 with 16 (holds), 1.0000 and 2.00 with 32 (does not hold)"]),
    Case("8 bits lose", pairing({**GAINS, 8: 0.9}), {"A13": (NOT, 0.9)}, says=["8-bit tags (does not hold)"]),
    Case("places no further apart", pairing(apart=1.0), {"A13": (NOT, 1.1)}),
    Case("loads not known", pairing(wobble="load"), {"A13": OPEN}, own=OPEN),
    Case("distances not known", pairing(wobble="distance"), {"A13": OPEN}),
]

# ---- 35: moves per insertion -----------------------------------------------------------------


def insertion(at_90=0.0, at_95=0.0, wobble=0.0):
    """Change with each doubling of the slots, 2^9 to 2^13."""
    def change(_, variant, repetition, row):
        name, load, size = variant.split(" load ")[0], variant.split()[-3], int(variant.split("^")[1])
        if name != "original":
            return
        slope, level = (at_90, 0.5) if load == "0.90" else (at_95, 1.0)
        row["moves"] = level + slope * (size - 11) + wobble * (WOBBLE[repetition] - 1) * (size - 11)
        row["ns"] = 50 + 3 * (size - 11)
    return change


INSERTION = [
    Case("constant", insertion(), {"A12": (HOLDS, 0)}, own=HOLDS,
         says=["0.5000 moves per insertion up to a load of 90 % and 1.0000 up to 95 %, from 2^9 to 2^13",
               "1.000 moves in the mean", "+3.0 ns [+3.0, +3.0] with each doubling, around 50 ns", "changes by 0.0 %"]),
    Case("grows at 95 %", insertion(at_95=0.1), {"A12": (NOT, 0.4)}, own=NOT, says=["changes by 40.0 %"]),
    Case("falls at 95 %", insertion(at_95=-0.1), {"A12": (NOT, -0.4)}),
    Case("grows at 90 %", insertion(at_90=0.1), {"A12": (NOT, 0)}, own=NOT),
    Case("not known", insertion(wobble=0.2), {"A12": OPEN}, own=OPEN),
]

# ---- 36: compaction --------------------------------------------------------------------------


def compaction(at_10=0, collided=0, others=1.0):
    """False positives and collisions at l = 10, the least that is at least log2 1000; others as theory says."""
    def change(_, variant, __, row):
        length = words(variant)["l"]
        theory = 1 - (1 - 2.0 ** -length) ** 1000
        row["n_asked"] = 16384
        row["n_false"] = at_10 if length == 10 else round(16384 * theory * others)
        row["n_collided"] = collided if length == 10 else round(1000 * theory)
    return change


COMPACTION = [
    Case("as claimed", compaction(), {"A15": (HOLDS, 0)}, own=HOLDS, says=["n = 1000 keys stored and l = 10"]),
    Case("one collision", compaction(collided=1), {"A15": NOT}, own=NOT, says=["0.1 % of the keys collide"]),
    Case("as counted", compaction(10215, 624, 0.5), {"A15": (NOT, 1024 * 10215 / 16384)}, own=NOT,
         says=["the rate is 0.623 where 2^(−l) is 0.000977", "62.4 % of the keys share", "is 638 times 2^(−l)",
               "all l: 0.6640 [0.6640, 0.6640]", "for all l, it is 0.6640"]),
    Case("at the bound", compaction(16), {"A15": (OPEN, 1)}, own=OPEN),
]

JUDGES = {"01-promised-and-measured": PROMISED, "31-bloom-theory": BLOOM, "32-bits-per-key": BITS,
          "33-lookups": LOOKUPS, "34-pairing": PAIRING, "35-cuckoo-insertion": INSERTION,
          "36-compaction": COMPACTION}
