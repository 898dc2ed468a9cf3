# SPDX-License-Identifier: MIT
"""Judges of 40 to 45."""
from made import HOLDS, NOT, OPEN, WOBBLE, Case

# ---- 40: a filter in front of a cache --------------------------------------------------------


def cache(written=lambda share: 0.5, hits=lambda share: 1.2, once=0.01, wobble=""):
    """Beside no filter: bytes written, hit rate, objects asked for once that are written."""
    def change(_, variant, repetition, row):
        policy, share = variant.split("; cache ")
        share = float(share.split()[0])
        is_ours = policy == "bloom 1 %"
        noise = WOBBLE[repetition] if is_ours else 1
        row["written"] = 0.8 * (written(share) if is_ours else 1) * (noise if wobble == "written" else 1)
        row["hit_rate"] = 0.3 * (hits(share) if is_ours else 1) * (noise if wobble == "hits" else 1)
        row["once_written"] = (once if is_ours else 1) * (noise if wobble == "once" else 1)
    return change


CACHE = [
    Case("as claimed", cache(), {"B7": (HOLDS, 0.01)}, own=HOLDS,
         says=["a cache of 2 % of all bytes writes 0.500 times the bytes [0.500, 0.500], and 36.0 % instead of 30.0 %",
               "at least as high at 8 of 8", "Without a filter 100.0 % of them", "with a Bloom filter of 1 % 1.000 %",
               "at all 8 cache sizes."]),
    Case("as many bytes in one cache", cache(written=lambda s: 1.0 if s == 40 else 0.5), {"B7": NOT}, own=NOT,
         says=["at all 8 cache sizes only in part"]),
    Case("more bytes in one cache", cache(written=lambda s: 1.3 if s == 0.5 else 0.5), {"B7": NOT}, own=NOT),
    Case("keeps nothing out", cache(once=1.0), {"B7": (NOT, 1)}),
    Case("fewer hits in one cache", cache(hits=lambda s: 0.9 if s == 80 else 1.2), {"B7": HOLDS}, own=NOT,
         says=["at 7 of 8"]),
    Case("bytes not known", cache(written=lambda s: 0.9, wobble="written"), {"B7": OPEN}, own=OPEN),
    Case("hits not known", cache(wobble="hits"), {"B7": HOLDS}, own=OPEN, says=["at 0 of 8"]),
    Case("what is asked for once not known", cache(once=0.9, wobble="once"), {"B7": OPEN}),
]

# ---- 41: states that a search misses ---------------------------------------------------------


def states(ratio=lambda budget: 0.5, wobble=False, none_from=99):
    """The Bloom filter's misses beside those of compact, which misses nothing from `none_from` bits on."""
    def change(_, variant, repetition, row):
        method, budget = variant.split("; ")
        budget = int(budget.split()[0])
        usual = {"bloom k = 3": 4, "cuckoo": 3, "quotient": 2}.get(method, 1)
        row["missed"] = 0.002 * usual if budget < none_from else 0
        if method == "bloom best k":
            row["missed"] *= ratio(budget) * (WOBBLE[repetition] if wobble else 1)
        if method == "compact" and budget == 64 and none_from > 64:
            row["missed"] = 0 if repetition == 1 else 0.002  # nothing under one seed: no comparison
    return change


STATES = [
    Case("fewer in all", states(), own=HOLDS, says=["At 11 of the 11 budgets", "of 20160, takes 0 bits per state",
                                                   "4 with the best k, 0 with a cuckoo"]),
    Case("fewer in six of eleven", states(lambda b: 0.5 if b < 20 or b > 40 else 1.5), own=HOLDS, says=["At 6 of the 11"]),
    Case("fewer in five", states(lambda b: 0.5 if b < 20 else 1.5), own=NOT, says=["At 5 of the 11"]),
    Case("no fewer", states(lambda b: 1.0), own=NOT),
    Case("nothing missed from 24 bits on", states(none_from=24), own=HOLDS,
         says=["At 6 of the 6", "takes 24 bits per state with three", "4 with the best k, 24 with a cuckoo filter, 24 with a quotient filter and 24"]),
    Case("not known", states(lambda b: 0.9, wobble=True), own=OPEN),
]

# ---- 42: between hosts -----------------------------------------------------------------------


def hosts(sketch=lambda lines: 0.5, auto=lambda lines: 1.0, wobble=""):
    """Bytes beside those of bloom alone; auto beside the best of the others, the sketch."""
    def change(series, variant, repetition, row):
        method, lines = variant.split("; ")
        lines = int(lines.split()[0])
        if series == "samples-common":
            row["bytes"] = 2000
            return
        noise = WOBBLE[repetition]
        best = 1000 * sketch(lines)
        row["bytes"] = {"list": 9000, "bloom": 5000, "bloom alone": 1000,
                        "sketch": best * (noise if wobble == "sketch" else 1),
                        "auto": best * auto(lines) * (noise if wobble in ("auto", "sketch") else 1)}[method]
    return change


HOSTS = [
    Case("as claimed", hosts(), own=HOLDS,
         says=["filters of both sets: 50.0 for each line of a difference of 10,", "choice took never more than",
               "finds 10 lines in common of 500 and 5000 with 25.0 times fewer"]),
    Case("the sketch takes as much", hosts(lambda n: 1.0), own=NOT, says=["(not in every case)"]),
    Case("the sketch takes more", hosts(lambda n: 1.5), own=NOT),
    Case("large differences take more", hosts(lambda n: 0.5 if n == 10 else 1.5), own=HOLDS),
    Case("a bad choice once", hosts(auto=lambda n: 1.2 if n == 1000 else 1), own=NOT, says=["took in some case more than"]),
    Case("sketches not known", hosts(lambda n: 0.9, wobble="sketch"), own=OPEN),
    Case("choices not known", hosts(wobble="auto"), own=OPEN, says=["took in some case"]),
]

# ---- 43: routing -----------------------------------------------------------------------------


def routing(turns=10.0, lost=0, denied=0, wobble=False):
    """Wrong turns for each unit of the rate in the tree with a filter for each link."""
    def change(_, variant, repetition, row):
        network, rate = variant.rsplit("; ", 1)
        rate = float(rate.split()[0]) / 100
        if network == "tree; bloom":
            row["wrong_turns"] = 1 + turns * rate * ((5 * WOBBLE[repetition] - 5 + 0.1) if wobble else 1)
            row["detour"], row["bytes_per_link"] = 1.5, 100
        row["lost"] = lost if network.startswith("squares") and repetition == 1 and rate == 0.3 else 0
        if network == "tree; bloom ORed":
            row["below"], row["denied"] = 1000, denied if rate == 0.001 else 0
            row["detour"], row["bytes_per_link"], row["link_fpr"] = 1.25, 400, rate / 2
    return change


ROUTING = [
    Case("as claimed", routing(), {"A17": (HOLDS, 0)}, own=HOLDS,
         says=["that is there 0 were lost. Each percent of ε costs 0.1000 wrong turns for each request [0.1000, 0.1000]",
               "at 1 % a request takes 1.5000 times", "with ORed filters 1.25000 times, which take 400 instead of 100 bytes",
               "they accept 0.5 % at ε = 1 % and 5 % at 10 %", "24000 in all over 8 rates and 3 networks", "denied 0."]),
    Case("a request is lost", routing(lost=1), {"A17": HOLDS}, own=NOT, says=["there 1 were lost"]),
    Case("a key is denied", routing(denied=8), {"A17": (NOT, 24 / 24000)}, own=HOLDS, says=["denied 24."]),
    Case("wrong turns do not follow the rate", routing(turns=0.0), own=NOT),
    Case("wrong turns not known", routing(wobble=True), own=OPEN),
]

# ---- 44: LevelDB -----------------------------------------------------------------------------


def lsm(reads=lambda bits: 0.5, time=lambda bits: 0.9, wobble=""):
    """Ours beside LevelDB's own, by bits per key."""
    def change(_, variant, repetition, row):
        name, _, size = variant.partition("; ")
        row["absent_us"], row["present_us"], row["absent_reads"] = 4, 4, 1.0
        if not size.endswith("bits"):
            return
        bits = int(size.split()[0])
        noise = WOBBLE[repetition]
        row["absent_reads"], row["absent_us"] = 0.2 / bits, 2
        if name == "bloom":
            row["absent_reads"] *= reads(bits) * (noise if wobble == "reads" else 1)
            row["absent_us"] *= time(bits) * (noise if wobble == "time" else 1)
            row["present_us"] = 5
    return change


LSM = [
    Case("as claimed", lsm(), own=HOLDS,
         says=["reads 0.0100 blocks with our Bloom filter and 0.0200 with LevelDB's own, at 16 bits 0.00650 and 0.01250",
               "is 0.900 times [0.900, 0.900] that", "at 10 bits alone 0.900 times", "0.45 times [0.45, 0.45] that without",
               "and 1.250 times"]),
    Case("more at 8 bits, which are not claimed", lsm(lambda b: 2.0 if b == 8 else 0.5, lambda b: 3 if b == 8 else 0.9),
         own=HOLDS),
    Case("as many at 12 bits", lsm(lambda b: 1.0 if b == 12 else 0.5), own=HOLDS),
    Case("more at 12 bits", lsm(lambda b: 2.0 if b == 12 else 0.5), own=NOT),
    Case("slower", lsm(time=lambda b: 1.2), own=NOT),
    Case("slower at 10 bits alone", lsm(time=lambda b: 1.1 if b == 10 else 0.9), own=HOLDS,
         says=["is 0.950 times", "at 10 bits alone 1.100 times"]),
    Case("equal", lsm(time=lambda b: 1.04), own=HOLDS),
    Case("reads not known", lsm(lambda b: 0.9, wobble="reads"), own=OPEN),
    Case("times not known", lsm(wobble="time"), own=OPEN),
]

# ---- 45: two servers -------------------------------------------------------------------------


def semijoin(helper=1.05, asking=500, gain=100.0, faster=0.5, wobble=""):
    """A list moves as much as a filter, the helper `helper` times that, asking so many bytes more than 1.1 times."""
    def change(series, variant, repetition, row):
        noise = WOBBLE[repetition]
        if series == "samples-map":
            way = variant.split("; ")[3]
            row["sent"] = 100
            row["received"] = {"plain": 10**6, "helper": 10000 * helper - 100,
                               "asking": 11000 + asking - 100}.get(way, 9900)
        elif series == "samples-bits" and variant in ("plain", "asking"):
            row["bytes"] = 10**6 / (gain * (noise if wobble == "gain" else 1) if variant == "asking" else 1)
        elif series == "samples-time":
            row["ms"] = 100 * (faster * (noise if wobble == "time" else 1) if variant == "usual; asking" else 1)
    return change


SEMIJOIN = [
    Case("as claimed", semijoin(), own=HOLDS,
         says=["moves at most 1.050 times", "where it has to ask, 1.150 times", "1500 bytes more",
               "100 times fewer bytes than the plain join [100, 100]", "in 0.50 times [0.50, 0.50] the time"]),
    Case("too many bytes", semijoin(helper=1.2), own=NOT),
    Case("asks too much", semijoin(asking=1100), own=NOT),
    Case("gains too little", semijoin(gain=80), own=NOT),
    Case("slower", semijoin(faster=1.2), own=NOT),
    Case("gain not known", semijoin(wobble="gain"), own=OPEN),
    Case("time not known", semijoin(faster=0.9, wobble="time"), own=OPEN),
]

JUDGES = {"40-cache-admission": CACHE, "41-state-space": STATES, "42-between-hosts": HOSTS, "43-routing": ROUTING,
          "44-lsm": LSM, "45-semijoin": SEMIJOIN}
