#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The semijoin between two PostgreSQL servers: bytes moved and time, by each way.

    semijoin.py --module ninho.so [--full] [--keys N --remote N --matches N --width N] [--repeat N] [--csv FILE]
    semijoin.py --module ninho.so --serve

Starts two servers, local and remote (see pair.py). Prints CSV, one row for each way: the plain join, the list of keys,
filters of several kinds and rates, and ninho_semijoin(), which knows the sizes or asks.

All ways must give the same rows; the helper must move at most 1.1 times the bytes of the best of list and filter, and where it
has to ask at most a kilobyte more; and at least --ratio times fewer than the plain join: otherwise exit 1. Joins of few keys, of
which half match, and of more keys than rows are tried besides: there the helper must keep to 1.1 times, asking included.
--full is 50,000 keys against 5 million rows with 25,000 matches.

--serve is for the study, which asks for one measurement after another, a line each:

    count REMOTE KEYS MATCHES WIDTH DRAW INDEXED WAY KIND FPR     rows,checksum,sent,received,turns,bits_per_key
    time  REMOTE KEYS MATCHES WIDTH DRAW INDEXED WAY KIND FPR     rows,checksum,milliseconds
    plan  REMOTE KEYS MATCHES WIDTH                               method,fpr,sent,received

The first line that it prints is "ready BYTES", what it takes to open a connection, or "missing WHAT": there is no server to
be had. It ends when its input does.
"""

import argparse
import csv
import os
import statistics
import subprocess
import sys

from pair import Pair, Point, Way
from servers import PROGRAMS, Installation, SqlError

RATES = {"blocked": [0.1, 0.01, 0.001, 0.0001], "cuckoo": [0.1, 0.01, 0.001, 0.0001, 0.00001, 0.000001],
         "fuse": [0.004, 0.00002]}
CORNERS = ([Point(20000, n, n // 2) for n in (20, 60, 100, 140, 200, 600)]
           + [Point(20000, 40000, 20, width) for width in (8, 256)])
FIELDS = ["way", "kind", "fpr", "bits_per_key", "keys", "remote", "matches", "width", "sent", "received", "total",
          "turns", "seconds"]


def ways():
    yield Way("plain")
    yield Way("list")
    for kind, rates in RATES.items():
        for fpr in rates:
            yield Way("filter", kind, fpr)
    yield Way("helper")
    yield Way("asking")


def measure(pair, point, way, repeat):
    """A row of the table."""
    counted = pair.count(point, way)
    seconds = []
    for _ in range(repeat):
        timed = pair.time(point, way)
        if (timed.rows, timed.checksum) != (counted.rows, counted.checksum):
            raise SqlError("%s: other rows without the proxy than with it" % (way,))
        seconds.append(timed.milliseconds / 1000)
    bits = pair.bits_per_key(point, way)
    return {"way": way.name, "kind": way.kind, "fpr": "%g" % way.fpr if way.kind else "",
            "bits_per_key": "%.2f" % bits if way.kind else "", "keys": point.keys, "remote": point.remote,
            "matches": point.matches, "width": point.width, "sent": counted.sent, "received": counted.received,
            "total": counted.sent + counted.received, "turns": counted.turns,
            "seconds": "%.3f" % statistics.median(seconds), "rows": (counted.rows, counted.checksum)}


def check(results, point, ratio):
    """What must hold; the messages of what does not."""
    rows = {result["rows"] for result in results}
    if len(rows) != 1 or rows.copy().pop()[0] != point.matches:
        yield "the ways gave different rows: %s" % sorted(rows)
    total = {way: min(r["total"] for r in results if r["way"] == way)
             for way in ("plain", "list", "filter", "helper", "asking")}
    better = min(total["list"], total["filter"])
    for helper, more in (("helper", 0), ("asking", 1000)):
        print("%s: %.1f times fewer bytes than the plain join, %.3f times the better of list and filter"
              % (helper, total["plain"] / total[helper], total[helper] / better))
        if total[helper] > 1.1 * better + more:
            yield "%s moved %d bytes, the better of list and filter %d" % (helper, total[helper], better)
        if total["plain"] < ratio * total[helper]:
            yield "%s moved %d bytes, the plain join only %d" % (helper, total[helper], total["plain"])


def check_corners(pair):
    for point in CORNERS:
        total = {}
        for way in ways():
            if way.name != "plain":
                counted = pair.count(point, way)
                total[way] = counted.sent + counted.received
                if counted.rows != point.matches:
                    yield "%s, %s: %d rows" % (point, way, counted.rows)
        better = min(total[way] for way in total if way.name in ("list", "filter"))
        for name in ("helper", "asking"):
            if total[Way(name)] > 1.1 * better:
                yield "%s: %s moved %d bytes, the better of list and filter %d" % (point, name, total[Way(name)], better)


def run(pg, options, out=sys.stdout):
    """Measures everything; True if all that must hold does."""
    point = Point(options.remote, options.keys, options.matches, options.width)
    with Pair(pg) as pair:
        is_shipped, explained = pair.is_shipped()
        if not is_shipped:
            print("postgres_fdw does not ship the operator:\n" + explained)
            return False
        table = csv.DictWriter(out, FIELDS, extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        results = []
        for way in ways():
            results.append(measure(pair, point, way, options.repeat))
            table.writerow(results[-1])
            out.flush()
        print("planned: %s" % (pair.plan(point),))
        print("to open a connection: %d bytes" % pair.connect_bytes)
        failures = list(check(results, point, options.ratio)) + list(check_corners(pair)) + pair.crashes()
        for failure in failures:
            print("semijoin: " + failure)
        return not failures


# ---- For the study ---------------------------------------------------------------------------------------------


def answer(pair, request):
    """The answer to one line."""
    what, remote, keys, matches, width, *more = request.split()
    point = Point(int(remote), int(keys), int(matches), int(width))
    if what == "plan":
        plan = pair.plan(point)
        return plan.method, plan.fpr or "0", plan.sent, plan.received
    draw, is_indexed, name, kind, fpr = more
    point = point._replace(draw=int(draw), is_indexed=is_indexed == "1")
    way = Way(name, kind.strip("-"), float(fpr))
    if what == "time":
        return pair.time(point, way)
    return *pair.count(point, way), pair.bits_per_key(point, way)


def why_missing(options):
    """What a server lacks; None if nothing."""
    if not os.path.exists(options.module):
        return "the extension %s" % options.module
    try:
        bindir = subprocess.run([options.pg_config, "--bindir"], check=True, capture_output=True,
                                text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return options.pg_config
    for program in PROGRAMS:
        if not os.path.exists(os.path.join(bindir, program)):
            return os.path.join(bindir, program)
    return None


def serve(options):
    missing = why_missing(options)
    if missing:
        print("missing " + missing)
        return 1
    try:
        with Installation(options.pg_config) as pg:
            pg.install(options.module)
            with Pair(pg) as pair:
                print("ready %d" % pair.connect_bytes, flush=True)
                for request in sys.stdin:
                    print(",".join(str(field) for field in answer(pair, request)), flush=True)
                crashes = pair.crashes()
                if crashes:
                    raise SqlError(crashes[0])
    except BrokenPipeError:  # whoever asked is gone, and with it the reason to say anything
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (SqlError, OSError, subprocess.SubprocessError, SystemExit) as error:
        # One line: before the first answer it is why there is no server.
        print("missing a server that runs: %s" % " ".join(str(error).split())[:300], flush=True)
        return 1
    return 0


def arguments(text=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", required=True, help="the extension's shared object")
    parser.add_argument("--pg-config", default="pg_config")
    parser.add_argument("--serve", action="store_true", help="measure what standard input asks for")
    parser.add_argument("--full", action="store_true", help="50,000 keys, 5 million rows, 25,000 matches")
    parser.add_argument("--keys", type=int, default=2000)
    parser.add_argument("--remote", type=int, default=200000)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--width", type=int, default=32, help="letters in a row: 8, 32 or 256")
    parser.add_argument("--ratio", type=float, default=90)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--csv", help="write the table to this file, and not to standard output")
    options = parser.parse_args(text)
    if options.full:
        options.keys, options.remote, options.matches = 50000, 5000000, 25000
    return options


def main():
    options = arguments()
    if options.serve:
        return serve(options)
    with Installation(options.pg_config) as pg:
        pg.install(options.module)
        try:
            if options.csv:
                with open(options.csv, "w", encoding="ascii") as out:
                    return 0 if run(pg, options, out) else 1
            return 0 if run(pg, options) else 1
        except SqlError as error:
            print("semijoin: %s" % error)
            return 1


if __name__ == "__main__":
    sys.exit(main())
