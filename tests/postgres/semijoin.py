#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The semijoin between two PostgreSQL servers: bytes moved and time, by each way.

    semijoin.py --module ninho.so [--full] [--keys N --remote N --matches N] [--repeat N] [--csv FILE]

Starts two servers, local and remote, with a proxy between them that counts bytes. The remote one has a table of
many rows (a number and 32 letters), the local one a table of keys of which some match. Prints CSV:

    plain         the join as it is: all remote rows come
    list          the keys go there as an array
    filter        a filter goes there, at several rates, of several kinds
    helper        ninho_semijoin(), which chooses for itself

All ways must give the same rows; the helper must move at most 1.1 times the bytes of the best of list and filter,
and at least --ratio times fewer than the plain join: otherwise exit 1. --full is 50,000 keys against 5 million rows
with 25,000 matches.
"""

import argparse
import csv
import statistics
import sys
import time

from servers import CountingProxy, Installation, SqlError

RATES = [0.1, 0.01, 0.001, 0.0001, 0.00001, 0.000001]
KINDS = ["blocked", "cuckoo", "fuse"]


def prepare(local, remote, proxy, options):
    remote.sql("CREATE EXTENSION ninho;"
               "CREATE TABLE rows (k bigint, v text);"
               "INSERT INTO rows SELECT x, md5(x::text) FROM generate_series(1, %d) x;"
               "VACUUM ANALYZE rows;" % options.remote)
    local.sql(
        "CREATE EXTENSION ninho; CREATE EXTENSION postgres_fdw;"
        "CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS"
        " (host '127.0.0.1', port '%d', dbname 'postgres', extensions 'ninho');"
        "CREATE USER MAPPING FOR tester SERVER far OPTIONS (user 'tester', password '%s');"
        "CREATE FOREIGN TABLE rows (k bigint, v text) SERVER far;"
        "CREATE TABLE keys (k bigint);"
        # matches lie all over the remote table, the others beyond it
        "INSERT INTO keys SELECT x * (%d / %d) FROM generate_series(1, %d) x;"
        "INSERT INTO keys SELECT %d + x FROM generate_series(1, %d) x;"
        "VACUUM ANALYZE keys;"
        % (proxy.port, local.installation.password, options.remote, options.matches, options.matches,
           options.remote, options.keys - options.matches))


def ways(options):
    """(way, kind, fpr, SQL)."""
    what = "SELECT count(*), sum(hashtext(r.v)::bigint + r.k) FROM "
    yield "plain", "", "", what + "keys JOIN rows r USING (k)"
    # OFFSET 0: the rows are wanted, and not only their sum, which would be made over there
    yield "list", "", "", what + "(SELECT * FROM rows WHERE k = ANY (ARRAY(SELECT k FROM keys)) OFFSET 0) r"
    for kind in KINDS:
        for fpr in RATES:
            if kind == "blocked" and fpr < 1e-4 or kind == "fuse" and (fpr < 2e-5 or fpr > 0.01):
                continue
            yield ("filter", kind, fpr, what + "keys JOIN rows r USING (k) WHERE (SELECT ninho_agg(k, %d, %g, '%s')"
                   " FROM keys) ? r.k" % (options.keys, fpr, kind))
    yield ("helper", "", "", what + "ninho_semijoin(NULL::rows, 'k', ARRAY(SELECT k FROM keys)) r")


def measure(local, proxy, sql, repeat):
    """(rows, bytes sent, bytes received, median seconds)."""
    times = []
    for _ in range(repeat):
        proxy.reset()
        begin = time.monotonic()
        rows = local.sql(sql)
        times.append(time.monotonic() - begin)
    return rows, proxy.sent, proxy.received, statistics.median(times)


def size_of(local, options, kind, fpr):
    if not kind:
        return ""
    return "%.2f" % float(local.sql(
        "SELECT 8.0 * octet_length(ninho_agg(k, %d, %g, '%s')::bytea) / %d FROM keys"
        % (options.keys, fpr, kind, options.keys)))


def check(results, options):
    """What must hold; the messages of what does not."""
    rows = {result["rows"] for result in results}
    if len(rows) != 1 or int(rows.copy().pop().split("|")[0]) != options.matches:
        yield "the ways gave different rows: %s" % ", ".join(sorted(rows))
    total = {way: min(r["total"] for r in results if r["way"] == way) for way in ("plain", "list", "filter", "helper")}
    better = min(total["list"], total["filter"])
    print("helper: %.1f times fewer bytes than the plain join, %.3f times the better of list and filter"
          % (total["plain"] / total["helper"], total["helper"] / better))
    if total["helper"] > 1.1 * better:
        yield "the helper moved %d bytes, the better of list and filter %d" % (total["helper"], better)
    if total["plain"] < options.ratio * total["helper"]:
        yield "the helper moved %d bytes, the plain join only %d" % (total["helper"], total["plain"])


def run(pg, options, out=sys.stdout):
    """Measures everything; True if all that must hold does."""
    with pg.server("remote") as remote, pg.server("local") as local:
        proxy = CountingProxy(remote.port)
        prepare(local, remote, proxy, options)
        explained = local.sql("EXPLAIN (VERBOSE, COSTS off) SELECT r.v FROM keys JOIN rows r USING (k) "
                              "WHERE (SELECT ninho_agg(k) FROM keys) ? r.k")
        if "WHERE (($1::public.ninho OPERATOR(public.?) k))" not in explained:
            print("postgres_fdw does not ship the operator:\n" + explained)
            return False
        fields = ["way", "kind", "fpr", "bits_per_key", "keys", "remote", "matches", "sent", "received", "total",
                  "seconds"]
        table = csv.DictWriter(out, fields, extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        results = []
        for way, kind, fpr, sql in ways(options):
            rows, sent, received, seconds = measure(local, proxy, sql, options.repeat)
            results.append({"way": way, "kind": kind, "fpr": fpr, "bits_per_key": size_of(local, options, kind, fpr),
                            "keys": options.keys, "remote": options.remote, "matches": options.matches,
                            "sent": sent, "received": received, "total": sent + received,
                            "seconds": "%.3f" % seconds, "rows": rows})
            table.writerow(results[-1])
            out.flush()
        chosen = local.sql("SELECT method, kind, fpr FROM ninho_semijoin_plan(%d, %d, 54, 7)"
                           % (options.keys, options.remote))
        print("planned: " + chosen)
        proxy.close()
        failures = list(check(results, options))
        failures += local.crashes() + remote.crashes()
        for failure in failures:
            print("semijoin: " + failure)
        return not failures


def arguments(text=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", required=True, help="the extension's shared object")
    parser.add_argument("--pg-config", default="pg_config")
    parser.add_argument("--full", action="store_true", help="50,000 keys, 5 million rows, 25,000 matches")
    parser.add_argument("--keys", type=int, default=2000)
    parser.add_argument("--remote", type=int, default=200000)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--ratio", type=float, default=90)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--csv", help="write the table to this file, and not to standard output")
    options = parser.parse_args(text)
    if options.full:
        options.keys, options.remote, options.matches = 50000, 5000000, 25000
    return options


def main():
    options = arguments()
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
