# SPDX-License-Identifier: MIT
"""Judges of 20 to 23."""
from made import HOLDS, NOT, OPEN, WOBBLE, Case

# ---- 20: the seminar's figures ---------------------------------------------------------------


def runs(moves=lambda ratio: 10 * (ratio - 0.4), room=1.0, over=1.0, per_move=10.0, later=0.0, short=1.0, long=1.0,
         at_100=lambda ratio: 1.0, wasted=(0.0, 0.0), full_moves=1.0, full_seconds=1.0, never=False, share=0.0,
         lost=0.0, wobble=""):
    """A thousand different k-mers into 1000/ratio slots. `moves`: relocations per k-mer by ratio, of which the
    reduced filter makes `room` times as many, and `over` times where not all have room; an insertion takes
    100 ns and per_move for each, the reduced filter `later` more and `short` or `long` times as long (at k = 100,
    `at_100` too); `share`: more is stored by the reduced one; `wasted`: share of the relocations."""
    def change(_, variant, repetition, row):
        words = variant.split()
        name, k, ratio = " ".join(words[:2]), int(words[3]), float(words[5])
        if name not in ("seminar original", "seminar emptier"):
            row["lost"] = 0
            return
        is_reduced = name == "seminar emptier"
        noise = WOBBLE[repetition] if is_reduced else 1

        def of(quantity):
            return noise if wobble == quantity else 1
        per_kmer = moves(ratio)
        if is_reduced:
            per_kmer *= (room if ratio < 1.01 else over) * of("moves")
        time = 100 + per_move * per_kmer
        if is_reduced:
            time = (time + later) * (short if k < 50 else long) * (at_100(ratio) if k == 100 else 1) * of("time")
            time += 100 * (noise - 1) if wobble == "later" else 0
        row["n_kmers"] = row["n_distinct"] = 1000
        row["n_buckets"] = 10 / ratio
        row["stored"] = min(1000, 1000 / ratio) + (1000 * share * of("share") if is_reduced else 0)
        row["hash_ns"], row["table_ns"] = 40, time - 40
        row["moves"] = 1000 * per_kmer
        row["wasted"] = row["moves"] * wasted[is_reduced] * (ratio > 1.01)
        row["lost"] = lost if is_reduced and ratio > 1.01 else 0
        if ratio > 1.09:
            row["full_moves"] = 1000 * (full_moves * of("full moves") if is_reduced else 1)
            row["full_seconds"] = 0.01 * (full_seconds * of("full seconds") if is_reduced else 1)
            if never and is_reduced and k == 31 and repetition == 1:
                row["full_moves"] = row["full_seconds"] = -1
    return change


def falling(ratio):
    return 10 * (1.2 - ratio)


def steps(ratio):
    return 1 if ratio < 1.01 else 5


def but(n, factor):
    """The first n of thirteen ratios are 1."""
    return lambda ratio: 1.0 if ratio < 0.5 + 0.05 * n - 0.01 else factor


RUNS = [
    Case("C1 as claimed", runs(long=1.1), {"C1": (HOLDS, 1.1)}, says=["ratio reduced / original is 1.000 [1.000, 1.000]"]),
    Case("C1: no difference", runs(), {"C1": (NOT, 1)}),
    Case("C1: slower for short ones too", runs(short=1.1, long=1.1), {"C1": (NOT, 1.1)}, says=["original is 1.100 ["]),
    Case("C1: faster for long ones", runs(long=0.9), {"C1": (NOT, 0.9)}),
    Case("C1 not known", runs(long=1.1, wobble="time"), {"C1": OPEN}),

    # reduced 20 ns later at equal relocations, which are 2 relocations fewer at equal time
    Case("C2 as the sentence says", runs(later=20), {"C2": (HOLDS, -2), "C2f": (NOT, 20)},
         says=["Each relocation more takes 10.0 ns [10.0, 10.0] more (holds)", "The original makes 4.000 relocations",
               "makes 1.000 times as many in 1.143 times the time", "The original takes 140.0 ns per k-mer"]),
    Case("C2 as the figure shows", runs(later=-20), {"C2": (NOT, 2), "C2f": (HOLDS, -20)}),
    Case("C2: no difference", runs(), {"C2": (NOT, 0), "C2f": (NOT, 0)}),
    Case("C2: time falls with relocations", runs(per_move=-10, later=-20), {"C2": (NOT, -2), "C2f": (NOT, -20)},
         says=["more (does not hold)"]),
    Case("C2 not known", runs(wobble="later"), {"C2": OPEN, "C2f": OPEN}),

    Case("C3 and C6 as claimed", runs(full_moves=0.5, full_seconds=0.8), {"C3": (HOLDS, 0.5), "C6": (HOLDS, 0.8)},
         says=["Over all tables fill grows with", "The original takes 10.0 ms in the mean, the reduced 8.0 ms"]),
    Case("C3 and C6: no difference", runs(), {"C3": (NOT, 1), "C6": (NOT, 1)}),
    Case("C3 and C6: the other way", runs(full_moves=1.5, full_seconds=1.2), {"C3": (NOT, 1.5), "C6": (NOT, 1.2)}),
    Case("C3: fill falls with relocations", runs(falling, full_moves=0.5), {"C3": (NOT, 0.5)},
         says=["fill does not clearly grow with"]),
    Case("C3: not full", runs(full_moves=0.5, never=True), {"C3": NOT, "C6": OPEN},
         says=["the original fills 12 of 12 completely, the reduced 11."]),
    Case("C3 not known", runs(full_moves=0.9, wobble="full moves"), {"C3": OPEN}),
    Case("C6 not known", runs(full_seconds=0.9, wobble="full seconds"), {"C6": OPEN}),

    Case("C4 as the sentence says", runs(share=0.1), {"C4": (HOLDS, 0.1), "C4f": (NOT, 0.1)}),
    Case("C4 as the figure shows", runs(share=-0.1), {"C4": (NOT, -0.1), "C4f": (HOLDS, -0.1)}),
    Case("C4: no difference", runs(), {"C4": (NOT, 0), "C4f": (NOT, 0), "C5": OPEN}),
    Case("C4 not known", runs(share=0.1, wobble="share"), {"C4": OPEN, "C4f": OPEN}),

    Case("C7 and C10 as claimed", runs(), {"C7": (HOLDS, 1), "C10": (HOLDS, 1)},
         says=["Of 78 tables in which the original makes any, both make equally many in 78 (12 of them too small) and "
               "differ in 0", "Of 13 tables in which the original makes any, both make equally many in 13"]),
    Case("C7: fewer with room", runs(room=0.5), {"C7": (NOT, 0.5), "C10": (NOT, 0.5)},
         says=["both make equally many in 12 (12 of them too small) and differ in 66", "too small for all, 1.000 times",
               "in the tables too small for all it is 1.000 times".capitalize(), "equally many in 2 and differ in 11"]),
    Case("C7: fewer without room", runs(over=0.5), {"C7": (NOT, 1), "C10": (NOT, 1)},
         says=["equally many in 66 (0 of them too small) and differ in 12"]),
    Case("C7: more where more is stored", runs(lambda r: 6 - steps(r)), {"C7": (NOT, 1)}),
    Case("C10: as many in more buckets", runs(lambda r: 3), {"C10": (NOT, 1)}),
    Case("C10: more in more buckets", runs(falling), {"C10": (NOT, 1)}),
    Case("C7 and C10 not known", runs(wobble="moves"), {"C7": OPEN, "C10": OPEN}),
    Case("C7: tables without relocations", runs(lambda r: max(0, 10 * (r - 0.8))), {"C7": (HOLDS, 1)},
         says=["Of 36 tables in which"]),

    Case("C9: equal in seven of thirteen", runs(at_100=but(7, 1.2)), {"C9": HOLDS},
         says=["In 7 of 13 tables the times are equal", "Slower in 6, faster in 0"]),
    Case("C9: equal in six", runs(at_100=but(6, 0.8)), {"C9": NOT}, says=["In 6 of 13", "Slower in 0, faster in 7"]),
    Case("C9 not known", runs(wobble="time"), {"C9": OPEN}),

    Case("C11 as claimed", runs(room=0.4, over=0.9, later=-1, wasted=(0.5, 0.25), lost=0.125), {"C11": HOLDS}, own=HOLDS,
         says=["has room for all k-mers, the emptier bucket makes 0.400 times the relocations of the original [0.400, 0.400]",
               "50.0 % of the original's relocations and 25.0 % of its own", "Up to 12.5 % of the k-mers",
               "in the same tables, 0.0 %", "(ratio .50 to 1.00): 0.400 times [0.400, 0.400]"]),
    Case("C11: more with room", runs(steps, room=1.2, over=0.5, per_move=0, later=-1), {"C11": NOT}, own=NOT),
    Case("C11: more in all", runs(steps, room=0.5, over=2.0, per_move=0, later=-1), {"C11": NOT}, own=NOT),
    Case("C11: later", runs(room=0.4, over=0.9, later=90), {"C11": NOT}, own=NOT),
    Case("C11 not known", runs(room=0.9, over=0.9, wobble="time"), {"C11": OPEN}, own=OPEN),
]

# ---- 21: relocations by load -----------------------------------------------------------------


def curve(ratio=lambda load: 0.5, bfs=0.25, none_below=0.0, wobble=False):
    def change(_, variant, repetition, row):
        way, load = variant.rsplit(" load ", 1)
        load = float(load)
        factor = {"random": 1, "emptier": ratio(load), "emptier bfs": bfs}.get(way, 0.1)
        noise = WOBBLE[repetition] if wobble and way == "emptier" else 1
        row["moves"] = 100 * load * factor * noise if load >= none_below else 0
        row["in_vain"] = row["failed"] = 0
        row["stored"] = 1000
    return change


def by_load(load):
    return {0.90: 0.5, 0.94: 0.6, 0.98: 0.75}.get(load, 0.9)


CURVE = [
    Case("fewer at all loads", curve(by_load), own=HOLDS,
         says=["At 25 of 25 loads", "-50 % [-50, -50] up to .90, -40 % [-40, -40] up to .94, -25 % [-25, -25] up to .98",
               "it is -75 %, -75 % and -75 %"]),
    Case("not at one load", curve(lambda load: 1.0 if load == 0.7 else 0.5), own=NOT, says=["At 24 of 25 loads"]),
    Case("more at one load", curve(lambda load: 1.5 if load == 0.98 else 0.5), own=NOT, says=["50 % [50, 50] up to .98"]),
    Case("nothing is moved at small loads", curve(none_below=0.8), own=HOLDS, says=["At 10 of 10 loads"]),
    Case("not known", curve(lambda load: 0.9, wobble=True), own=OPEN),
]

# ---- 22: found again -------------------------------------------------------------------------


def found(reduced=1.0, fall=None, lost=(0.0, 0.0), power=(0.0, 0.0), ours=0.0, wobble=False, flat=False):
    """The share found is that inserted; `fall`: at 9 tenths no more than at 8, or less."""
    def change(_, variant, repetition, row):
        name, share = variant.rsplit(" share ", 1)
        share = int(share)
        value = share / 10
        if name.startswith("small seminar original") and len(name.split()) == 3 and share == 9 and fall:
            value = fall
        if name.endswith("seminar emptier"):
            value *= reduced if name.startswith("long") else 1
        if wobble and name.endswith("seminar emptier"):
            value *= WOBBLE[repetition]
        row["found"] = value
        row["lost"] = 0
        if share == 10:
            for setting, shares in (("four", lost), ("power", power)):
                if name == f"{setting} seminar original":
                    row["lost"] = shares[0]
                if name == f"{setting} seminar emptier":
                    row["lost"] = shares[1]
            if "ours" in name:
                row["lost"] = ours
    return change


FOUND = [
    Case("all is found", found(), {"C8": (HOLDS, 1)}, own=HOLDS, says=["the share found falls in 0 of 90 steps",
                                                                     "differ by more than 5 % in 0 of 50"]),
    Case("less at a later step", found(fall=0.7), {"C8": NOT}, says=["the share found falls in 1 of 90 steps"]),
    Case("no more at a later step", found(fall=0.8), {"C8": NOT}, says=["falls in 0 of 90"]),
    Case("reduced finds less", found(reduced=0.9), {"C8": (NOT, 0.9)},
         says=["in 10 of 50 comparisons, most in the table of k = 100 with buckets of 100"]),
    Case("reduced finds more", found(reduced=1.1), {"C8": (NOT, 1.1)}),
    Case("not known", found(wobble=True), {"C8": OPEN}),
    Case("some are lost", found(lost=(0.3, 0.2), power=(0.04, 0.03), ours=0.01), own=NOT,
         says=["does not find 30.0 % of the k-mers it counts as stored and the reduced one 20.0 %; where m is a power of "
               "two, 4.000 % and 3.000 %. Ours, in the same slots: 1.0 %"]),
    Case("some are lost by the reduced one", found(lost=(0, 0.2)), own=NOT),
]

# ---- 23: the same genome ---------------------------------------------------------------------


def genome(covered=0.99, detected=1.0, wrong=0):
    """Of 100,000 samples of each size; `detected` times as often as theory says."""
    def change(_, variant, __, row):
        n = int(variant.rsplit(" ", 1)[1])
        row["n_draws"] = 10**5
        row["fpr"] = 0.0
        if variant.startswith("itself"):
            row["exact"], row["detected"], row["covered"] = 1, wrong if n == 100 else 0, 0
            return
        row["exact"] = 0.5 ** (1 / n)  # half of the samples have no miss
        row["covered"] = covered * 10**5
        row["detected"] = 0.5 * detected * 10**5
    return change


GENOME = [
    Case("as stated", genome(), {"C12": (HOLDS, 0.99)}, own=HOLDS,
         says=["In 99.00 % of 4800000 samples", "(0)", "1.000 times"]),
    Case("intervals too short", genome(covered=0.9), {"C12": (NOT, 0.9)}, own=NOT),
    Case("at 95 %", genome(covered=0.95), {"C12": (OPEN, 0.95)}, own=OPEN),
    Case("seen too seldom", genome(detected=0.9), {"C12": NOT}, says=["0.9000 [", "0.900 times"]),
    Case("seen too often", genome(detected=1.1), {"C12": NOT}),
    Case("called different from itself", genome(wrong=1), {"C12": NOT}, own=NOT, says=["called different in 2 samples"]),
]

JUDGES = {"20-fewer-relocations": RUNS, "21-relocation-curve": CURVE, "22-found-again": FOUND, "23-same-genome": GENOME}
