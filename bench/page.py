#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench/page.py RUN.json... [--others FILE] [--page FILE] [--plot FILE]

The tables of docs/benchmarks.md, and the plot of speed against bits per key, from what
`ninho-bench --json RUN.json` wrote. Each run gives the tables of the subjects it has; the plot is
that of the first run with filters. --page puts the tables between the two markers of that
page; without it they are printed. Of ours, a time is bold where a peer of the same table is faster: for filters,
a peer with no more bits and no higher rate of false positives. A ratio is bold where all of its interval is below 1.

--others: peers that were measured outside of the repository in the same kind of run, one a line,
fields parted by tabs: name, bits per key, measured fpr, ns to add, ns for a hit, ns for a miss, all one by one ("-": none)."""

import argparse
import html
import json
import math
import os
import sys
import tempfile

BEGIN, END = "<!-- results: written by bench/page.py -->", "<!-- end of the results -->"
PEERS = ("libbloom",)  # the filters that are not ours
MANNERS = {"one": "one by one", "handle": "in line", "batch": "batched"}


def is_peer(row):
    return not row["is_ours"] if "is_ours" in row else row.get("is_peer", row["name"] in PEERS)


def times_of(row):
    """{(operation, manner): median}, in the order of the file."""
    times = {}
    for key, value in row.items():
        if key.endswith("_ns"):
            operation, manner = key[:-3].rsplit("_", 1)
            times[operation.replace("_", " "), manner] = value["median"]
    return times


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def percent(rate):
    return f"{100 * rate:.2g} %" if rate < .001 else f"{100 * rate:.2f} %"


AGAINST = {"one": ("one",), "handle": ("one", "handle"), "batch": ("one", "batch")}


def is_beaten(row, column, rows, may_beat):
    """Whether a peer does this faster, in the same manner or, where it has that one only, one by one."""
    operation, manner = column
    mine = times_of(row)[column]
    return any(times_of(other).get((operation, theirs), mine) < mine for other in rows
               if is_peer(other) and may_beat(row, other) for theirs in AGAINST[manner])


def cells(row, columns, rows, may_beat):
    times, out = times_of(row), []
    for column in columns:
        text = f"{times[column]:.1f}" if column in times else "–"
        is_loss = column in times and not is_peer(row) and is_beaten(row, column, rows, may_beat)
        out.append(f"**{text}**" if is_loss else text)
    return out


def columns_of(rows):
    seen = []
    for row in rows:
        seen += [column for column in times_of(row) if column not in seen]
    operations = list(dict.fromkeys(operation for operation, _ in seen))
    return [(o, m) for o in operations for m in MANNERS if (o, m) in seen]


def heads(columns):
    return [f"{operation}, {MANNERS[manner]}" for operation, manner in columns]


def filters_table(run):
    rows = run["filters"]["variants"]
    columns = columns_of(rows)

    def may_beat(mine, other):
        return (other["bits_per_key"] <= mine["bits_per_key"] * 1.001
                and other["fpr_measured"] <= mine["fpr_measured"] * 1.1)

    body = [[row["name"], f"{row['bits_per_key']:.2f}", percent(row["fpr_measured"]), row["pages"]]
            + cells(row, columns, rows, may_beat) for row in rows]
    n, n_bytes = run["filters"]["n_keys"], run["filters"]["key_bytes"]
    return (f"### Filters, {n:,} keys of {n_bytes} bytes\n\nNanoseconds of processor time per key, hashing included, "
            f"medians of {run['filters']['n_repetitions']}.\n\n"
            + table(["kind", "bits/key", "fpr", "pages"] + heads(columns), body))


def dicts_table(run, sort):
    part = run["dicts_of_" + sort]
    rows = part["sets"]
    columns = columns_of(rows)
    body = [[row["name"], f"{row['bytes_per_key_reserved']:.1f}"]
            + cells(row, columns, rows, lambda mine, other: True) for row in rows]
    what = "64-bit keys" if sort == "numbers" else "strings of 8 to 24 bytes"
    return (f"### Dictionaries, {part['n_keys']:,} {what}\n\nNanoseconds of processor time per key, medians of "
            f"{part['n_repetitions']}.\n\n" + table(["set", "bytes/key"] + heads(columns), body))


def ratios_table(title, rows):
    body = []
    for row in rows:
        text = f"{row['median']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
        body.append([row["what"], f"**{text}**" if row["high"] < 1 else text,
                     f"{row['target']:g}" if "target" in row else "–", row.get("verdict", "–")])
    return f"### {title[0].upper()}{title[1:].replace('_', ' ')}\n\n" + table(["", "times", "target", ""], body)


def read_others(path):
    rows = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.strip() or line.startswith("#"):
                continue
            name, bits, fpr, *times = line.rstrip("\n").split("\t")
            row = {"name": name, "bits_per_key": float(bits), "fpr_measured": float(fpr), "is_peer": True}
            for operation, time in zip(("add", "hit", "miss"), times):
                if time != "-":
                    row[operation + "_one_ns"] = {"median": float(time)}
            rows.append(row)
    return rows


def others_table(rows):
    columns = columns_of(rows)
    body = [[row["name"], f"{row['bits_per_key']:.2f}", percent(row["fpr_measured"])]
            + cells(row, columns, rows, lambda mine, other: False) for row in rows]
    return ("### Peers that are in no package\n\nMeasured outside of the repository, in the same kind of run.\n\n"
            + table(["filter", "bits/key", "fpr"] + heads(columns), body))


def page_of(runs, others):
    parts = []
    for run in runs:
        parts.append("```text\n" + run["machine"] + "\n```")
        if "filters" in run:
            parts.append(filters_table(run))
        for sort in ("numbers", "strings"):
            if "dicts_of_" + sort in run:
                parts.append(dicts_table(run, sort))
        parts += [ratios_table(key, value) for key, value in run.items()
                  if isinstance(value, list) and value and "what" in value[0] and "median" in value[0]]
    if others:
        parts.append(others_table(others))
    return "\n\n".join(parts)


# ---- The plot ------------------------------------------------------------------------------

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 440, 64, 24, 44, 52
STYLE = """
 text { font: 12px system-ui, sans-serif; fill: #222 }
 .title { font-size: 14px; font-weight: 600 } .small { font-size: 11px }
 .axis { stroke: #888 } .grid { stroke: #8884 } .tie { stroke: #8888; stroke-dasharray: 2 3 }
 .ours { fill: #0b66c3 } .peer { fill: none; stroke: #c2410c; stroke-width: 1.8 }
 @media (prefers-color-scheme: dark) {
  text { fill: #ddd } .ours { fill: #5aa9f5 } .peer { stroke: #fb923c }
 }"""


def points_of(rows):
    """A point is a lookup in the fastest manner that the row has: half hits, half misses."""
    points = []
    for row in rows:
        times = times_of(row)
        both = [(times["hit", m] + times["miss", m]) / 2 for m in MANNERS if ("hit", m) in times and ("miss", m) in times]
        if both:
            points.append((row["bits_per_key"], 1000 / min(both), row["name"], is_peer(row)))
    return sorted(points)


def ticks(low, high):
    return [factor * 10.0 ** power for power in range(-1, 5) for factor in (1, 2, 5)
            if low <= factor * 10.0 ** power <= high]


def label_places(points, x_of, y_of):
    """Beside the point; further down while another label is there."""
    taken, places = [], []
    for bits, speed, name, _ in points:
        x, y = x_of(bits) + 8, y_of(speed) + 4
        width = 6.4 * len(name)
        if x + width > WIDTH - 4:
            x -= width + 16
        while any(abs(y - b) < 13 and x < a + w and a < x + width for a, b, w in taken):
            y += 13
        taken.append((x, y, width))
        places.append((x, y))
    return places


def plot(rows, n_keys):
    points = points_of(rows)
    most = max(math.log2(bits) for bits, *_ in points) + .15
    least = min(math.log2(bits) for bits, *_ in points) - .15
    slow, fast = min(p[1] for p in points) / 1.4, max(p[1] for p in points) * 1.4

    def x_of(bits):
        return LEFT + (math.log2(bits) - least) / (most - least) * (WIDTH - LEFT - RIGHT)

    def y_of(speed):
        return HEIGHT - BOTTOM - math.log(speed / slow) / math.log(fast / slow) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
           f'aria-label="Lookups per second against bits per key">', f"<style>{STYLE}\n</style>",
           f'<text class="title" x="{LEFT}" y="20">Lookups, million a second in one thread: {n_keys:,} keys</text>',
           f'<circle class="ours" cx="{LEFT + 6}" cy="33" r="4"/><text class="small" x="{LEFT + 14}" y="37">ninho</text>',
           f'<circle class="peer" cx="{LEFT + 66}" cy="33" r="4"/><text class="small" x="{LEFT + 74}" y="37">peers</text>',
           f'<text class="small" x="{LEFT + 124}" y="37">higher and further left is better</text>']
    for speed in ticks(slow, fast):
        y = y_of(speed)
        out.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
                   f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{speed:g}</text>')
    for bits in (6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64):
        if least <= math.log2(bits) <= most:
            out.append(f'<line class="grid" x1="{x_of(bits):.1f}" x2="{x_of(bits):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
                       f'<text x="{x_of(bits):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{bits}</text>')
    out.append(f'<path class="axis" fill="none" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>'
               f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 12}" text-anchor="middle">bits per key</text>')
    for (bits, speed, name, peer), (x, y) in zip(points, label_places(points, x_of, y_of)):
        out.append(f'<circle class="{"peer" if peer else "ours"}" cx="{x_of(bits):.1f}" cy="{y_of(speed):.1f}" r="4"/>')
        if y > y_of(speed) + 5:
            out.append(f'<line class="tie" x1="{x_of(bits):.1f}" y1="{y_of(speed):.1f}" x2="{x:.1f}" y2="{y - 4:.1f}"/>')
        out.append(f'<text class="small" x="{x:.1f}" y="{y:.1f}">{html.escape(name)}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


# ---- Files ---------------------------------------------------------------------------------


def replace(path, text):
    folder = os.path.dirname(os.path.abspath(path))
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def put_into_page(path, text):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        sys.exit(f"page.py: {path}: the markers of the results are not there once each")
    replace(path, page[:page.index(BEGIN) + len(BEGIN)] + "\n\n" + text + "\n\n" + page[page.index(END):])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="RUN.json")
    parser.add_argument("--others")
    parser.add_argument("--page")
    parser.add_argument("--plot")
    options = parser.parse_args()
    runs = []
    for path in options.runs:
        with open(path, encoding="utf-8") as file:
            runs.append(json.load(file))
    others = read_others(options.others) if options.others else []
    text = page_of(runs, others)
    if options.page:
        put_into_page(options.page, text)
    else:
        print(text)
    if options.plot:
        with_filters = [run["filters"] for run in runs if "filters" in run]
        if not with_filters:
            sys.exit("page.py: --plot: no run has filters")
        replace(options.plot, plot(with_filters[0]["variants"] + others, with_filters[0]["n_keys"]))


if __name__ == "__main__":
    main()
