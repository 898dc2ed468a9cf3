#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long it takes to build a filter in SQL, against max() over the same rows.

    build_time.py --module ninho.so [--rows N] [--repeat N]

One server, parallel queries off, no index. The statements take turns, each right behind a max(column), so that others who
use the machine slow both down. Prints CSV: the median of each in milliseconds, and the median of how many times as
long as its max(column) it took. The module is to be built for speed (the Makefile does).
"""

import argparse
import re
import statistics
import sys

from servers import Installation

AGGREGATES = [
    ("blocked", "ninho_agg({0}, {1})"),
    ("blocked, no capacity", "ninho_agg({0})"),
    ("bloom", "ninho_agg({0}, {1}, 0.01, 'bloom')"),
    ("cuckoo", "ninho_agg({0}, {1}, 0.01, 'cuckoo')"),
    ("fuse", "ninho_agg({0}, {1}, 0.01, 'fuse')"),
]


def milliseconds(server, call):
    printed = server.sql("\\timing on\nSELECT pg_column_size(%s) FROM t" % call)
    return float(re.search(r"Time: ([0-9.]+) ms", printed).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", required=True)
    parser.add_argument("--pg-config", default="pg_config")
    parser.add_argument("--rows", type=int, default=5000000)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    with Installation(options.pg_config) as pg:
        pg.install(options.module)
        with pg.server("build") as server:
            server.sql("CREATE EXTENSION ninho; CREATE TABLE t AS SELECT x::bigint AS number, 'name ' || x AS text "
                       "FROM generate_series(1, %d) x; VACUUM ANALYZE t;" % options.rows)
            print("column,aggregate,rows,milliseconds,times_max")
            for column in ("number", "text"):
                bases, times, ratios = [], {}, {}
                for _ in range(options.repeat):
                    for name, call in AGGREGATES:
                        base = milliseconds(server, "max(%s)" % column)
                        time = milliseconds(server, call.format(column, options.rows))
                        bases.append(base)
                        times.setdefault(name, []).append(time)
                        ratios.setdefault(name, []).append(time / base)
                print('%s,max,%d,%.0f,1' % (column, options.rows, statistics.median(bases)))
                for name, _ in AGGREGATES:
                    print('%s,"%s",%d,%.0f,%.2f' % (column, name, options.rows, statistics.median(times[name]),
                                                    statistics.median(ratios[name])))
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
