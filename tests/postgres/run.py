#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the extension in PostgreSQL servers that it starts itself.

    run.py --build FOLDER [--keys N] [NAME...]

FOLDER is a build of the tree with the tool, the libraries and the extensions for SQLite and PostgreSQL. The extension is
built once more by its own Makefile, and that one is tested. Names of tests: see TESTS below; all if none is given.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "integrations", "postgres", "measure"))
import semijoin  # noqa: E402
from servers import EXTENSION, TOP, Installation, SqlError  # noqa: E402


class Failed(Exception):
    pass


def expect(what, got, wanted):
    if got != wanted:
        raise Failed("%s: %r, not %r" % (what, got, wanted))


def expect_error(server, sql, pattern, database="postgres"):
    try:
        got = server.sql(sql, database)
    except SqlError as error:
        if re.search(pattern, str(error)):
            return
        raise Failed("%s: another error: %s" % (sql, error)) from error
    raise Failed("%s: no error, but %s" % (sql, got))


def make(options, *targets, folder=None, **more):
    command = ["make", "-s", "-f", os.path.join(EXTENSION, "Makefile"), "PG_CONFIG=" + options.pg_config,
               "NINHO_LIB=" + os.path.join(options.build, "lib", "libninho.a"), *targets]
    done = subprocess.run(command, cwd=folder or options.pgxs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **more)
    if done.returncode:
        raise Failed("%s\n%s" % (" ".join(command), done.stdout))


def client(server):
    """What psql and pg_regress need to find a server."""
    return dict(os.environ, PGHOST=server.socket_dir, PGPORT=str(server.port), PGUSER="tester", PGDATABASE="postgres",
                PGPASSWORD=server.installation.password)


# ---- The tests -------------------------------------------------------------------------------------------------


def test_regress(pg, options):
    """PostgreSQL's own regression tests, as `make installcheck` runs them."""
    with pg.server("regress") as server:
        try:
            make(options, "installcheck", env=client(server))
        except Failed:
            differences = os.path.join(options.pgxs, "regression.diffs")
            if os.path.exists(differences):
                with open(differences, encoding="utf-8", errors="replace") as file:
                    print(file.read()[-6000:])
            raise
        expect("crashes", server.crashes(), [])


def test_readme(pg, options):
    """The examples of the README."""
    with pg.server("readme") as server:
        done = subprocess.run([os.path.join(TOP, "tests", "cli", "run.py"), "--tool-dir",
                               os.path.join(options.build, "bin"), os.path.join(EXTENSION, "README.md")],
                              env=client(server), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise Failed(done.stdout)
    with pg.server("quick") as server:
        done = subprocess.run([os.path.join(TOP, "tests", "install", "quick-starts"), "--build", options.build, "postgres"],
                              env=client(server), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise Failed(done.stdout)


def test_semijoin(pg, options):
    """Two servers, and the bytes between them."""
    sizes = semijoin.arguments(["--module", "-", "--keys", "2000", "--remote", "200000", "--matches", "1000"])
    with open(os.path.join(options.pgxs, "semijoin.csv"), "w", encoding="ascii") as out:
        if not semijoin.run(pg, sizes, out):
            raise Failed("see above")


def test_types_between_servers(pg, options):
    """Every type of key as a parameter of the other server, and a filter sent as a value."""
    with pg.server("far") as far, pg.server("near") as near:
        table = ("t (i2 int2, i4 int4, i8 int8, s text, c char(12), b bytea, u uuid, ts timestamp,"
                 " tz timestamptz, d date)")
        far.sql("CREATE EXTENSION ninho; CREATE TABLE %s; INSERT INTO t SELECT x, x, x, 'é' || x, 'c' || x,"
                " convert_to('b' || x, 'UTF8'), md5(x::text)::uuid, '2026-01-01'::timestamp + x * interval '1 s',"
                " '2026-01-01'::timestamptz + x * interval '1 s', '2000-01-01'::date + x FROM generate_series(1, 2000) x;"
                % table)
        near.sql("CREATE EXTENSION ninho; CREATE EXTENSION postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER"
                 " postgres_fdw OPTIONS (host '127.0.0.1', port '%d', dbname 'postgres', extensions 'ninho');"
                 "CREATE USER MAPPING FOR tester SERVER far OPTIONS (user 'tester', password '%s');"
                 "CREATE FOREIGN TABLE %s SERVER far; SET TimeZone = 'Asia/Tokyo';"
                 "CREATE TABLE chosen AS SELECT * FROM t WHERE i4 %% 10 = 0;" % (far.port, pg.password, table))
        for column in ("i2", "i4", "i8", "s", "c", "b", "u", "ts", "tz", "d"):
            sql = ("SELECT i4 FROM t WHERE (SELECT ninho_agg({0}, 200, 1e-9, 'bloom') FROM chosen) ? {0}".format(column))
            explained = near.sql("EXPLAIN (VERBOSE, COSTS off) " + sql)
            if "OPERATOR(public.?)" not in explained:
                raise Failed("%s is not shipped: %s" % (column, explained))
            expect(column, near.sql("SET TimeZone = 'America/New_York'; SELECT count(*), bool_and(i4 %% 10 = 0) FROM (%s) r"
                                    % sql), "200|t")
            expect(column + " by the helper", near.sql(
                "SELECT count(*) FROM ninho_semijoin(NULL::t, '{0}', ARRAY(SELECT {0} FROM chosen), method => 'filter')"
                .format(column)), "200")
        # under a key that the other server does not have
        expect_error(near, "SET ninho.key = '00112233445566778899aabbccddeeff'; SELECT count(*) FROM t WHERE "
                     "(SELECT ninho_agg(i4) FROM chosen) ? i4", "keyed")
        expect("crashes", near.crashes() + far.crashes(), [])


def test_durability(pg, options):
    """A crash, a replica, a dump, an upgrade: no row is missed, no filter changes."""
    wanted = ("SELECT md5(string_agg(f::text, ',' ORDER BY kind)), (SELECT count(*) FROM filters, keys WHERE f ? k)"
              " FROM filters")
    with pg.server("primary") as server:
        server.sql(
            "CREATE EXTENSION ninho; CREATE TABLE keys AS SELECT x AS k FROM generate_series(1, 20000) x;"
            "CREATE TABLE filters AS SELECT kind, ninho_agg(k, 20000, 0.01, kind) AS f FROM keys,"
            " unnest(ARRAY['bloom', 'blocked', 'cuckoo', 'fuse']) kind GROUP BY kind;"
            # an index over the operator, for REINDEX
            "CREATE FUNCTION is_wanted(int) RETURNS boolean IMMUTABLE LANGUAGE sql AS"
            " $$ SELECT (SELECT f FROM public.filters WHERE kind = 'cuckoo') OPERATOR(public.?) $1 $$;"
            "CREATE INDEX wanted ON keys (k) WHERE is_wanted(k); REINDEX INDEX wanted;"
            "CHECKPOINT;")
        before = server.sql(wanted)
        expect("found", before.split("|")[1], "80000")
        server.sql("INSERT INTO filters SELECT 'after the checkpoint', ninho_agg(k) FROM keys")
        before = server.sql(wanted)
        # a build is under way when the server dies
        busy = threading.Thread(target=server.psql, args=(
            "INSERT INTO filters SELECT 'never', ninho_agg(x) FROM generate_series(1, 200000000) x",))
        busy.start()
        while server.sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%''never''%' AND pid <> "
                         "pg_backend_pid()") != "1":
            time.sleep(0.05)
        server.stop("immediate")
        busy.join()
        server.start()
        expect("after a crash", server.sql(wanted), before)
        expect("index", server.sql("SET enable_seqscan = off; SELECT count(*) FROM keys WHERE is_wanted(k)"), "20000")

        pg.run([pg.bin + "/pg_basebackup", "-h", server.socket_dir, "-p", str(server.port), "-U", "tester", "-D",
                os.path.join(pg.work, "replica"), "-R", "-c", "fast"])
        replica = pg.adopt("replica")
        with replica:
            server.sql("INSERT INTO filters SELECT 'replicated', ninho_agg(k, NULL, 0.001, 'fuse') FROM keys")
            after = server.sql(wanted)
            for _ in range(200):
                if replica.sql("SELECT count(*) FROM filters") == server.sql("SELECT count(*) FROM filters"):
                    break
                time.sleep(0.05)
            expect("replica", replica.sql(wanted), after)

        server.sql("CREATE DATABASE restored")
        dump = pg.run([pg.bin + "/pg_dump", "-h", server.socket_dir, "-p", str(server.port), "-U", "tester",
                       "postgres"]).stdout
        server.sql(dump, "restored")
        expect("dump", server.sql(wanted, "restored"), after)

        folder = os.path.join(pg.share, "extension")
        with open(os.path.join(folder, "ninho--0.1--next.sql"), "w", encoding="ascii") as file:
            file.write("CREATE FUNCTION ninho_next(ninho) RETURNS bigint AS 'MODULE_PATHNAME', 'ninhopg_count'\n"
                       "    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;\n")
        server.sql("ALTER EXTENSION ninho UPDATE TO 'next'")
        os.unlink(os.path.join(folder, "ninho--0.1--next.sql"))
        expect("version", server.sql("SELECT extversion FROM pg_extension WHERE extname = 'ninho'"), "next")
        expect("upgrade", server.sql(wanted), after)
        expect("new function", server.sql("SELECT ninho_next(f) FROM filters WHERE kind = 'fuse'"), "20000")
        expect("crashes", server.crashes(), [])


def test_pg_upgrade(pg, options):
    """pg_upgrade to a new cluster (of the same version: there is no other) keeps filters as they are."""
    wanted = "SELECT md5(f::text), (SELECT count(*) FROM keys WHERE f ? k) FROM filters"
    with pg.server("old") as server:
        server.sql("CREATE EXTENSION ninho; CREATE TABLE keys AS SELECT 'key ' || x AS k FROM generate_series(1, 5000) x;"
                   "CREATE TABLE filters AS SELECT ninho_agg(k, 5000, 0.001, 'cuckoo') AS f FROM keys")
        before = server.sql(wanted)
        server.stop("fast")
        new = pg.server("new")
        pg.run([pg.bin + "/pg_upgrade", "-b", pg.bin, "-B", pg.bin, "-d", server.data, "-D", new.data, "-U", "tester",
                "-p", str(server.port), "-P", str(new.port), "-s", pg.work])
        with new:
            expect("after pg_upgrade", new.sql(wanted), before)
            expect("found", before.split("|")[1], "5000")


def test_encodings(pg, options):
    """The same text is the same key in databases of other encodings."""
    with pg.server("encodings") as server:
        make_filter = "CREATE EXTENSION ninho; SELECT ninho_agg(s)::text FROM (VALUES (U&'na\\00efve'::text), ('plain')) v(s)"
        server.sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0;"
                   "CREATE DATABASE unknown ENCODING 'SQL_ASCII' TEMPLATE template0")
        expect("LATIN1", server.sql(make_filter, "latin"), server.sql(make_filter))
        expect("LATIN1, asked", server.sql("SELECT ninho_agg(U&'\\00e9'::text) ? U&'\\00e9'::text", "latin"), "t")
        server.sql("CREATE EXTENSION ninho", "unknown")
        expect("SQL_ASCII", server.sql("SELECT ninho_agg('plain'::text) ? 'plain'", "unknown"), "t")
        expect_error(server, "SELECT ninho_agg(E'\\xe9'::text)", "encoding is not known", "unknown")


def test_memory(pg, options):
    """Not enough memory is an error of the query, and the server goes on."""
    with pg.server("memory", limit_bytes=640 << 20) as server:
        server.sql("CREATE EXTENSION ninho")
        expect_error(server, "SELECT ninho_agg(1, 700000000, 0.01, 'bloom')", "memory")
        expect_error(server, "SELECT ninho_agg(x, 700000000, 0.01, 'cuckoo') FROM generate_series(1, 10) x", "memory")
        expect_error(server, "SELECT ninho_agg(x) FROM (SELECT generate_series(1, 200000000) x) t", "memory")
        expect("after it", server.sql("SELECT ninho_agg(1) ? 1"), "t")
        # errors in the middle of aggregates leave nothing behind: the backend does not grow
        grown = server.sql(
            "DO $$ DECLARE i int; BEGIN FOR i IN 1..100 LOOP BEGIN"
            "  PERFORM ninho_agg(x, 1000, 0.01, 'cuckoo') FROM generate_series(1, 20000) x;"
            " EXCEPTION WHEN program_limit_exceeded THEN NULL; END; END LOOP; END $$;"
            "SELECT sum(used_bytes) < 20000000 FROM pg_backend_memory_contexts")
        expect("memory that errors leave", grown, "t")
        expect("crashes", server.crashes(), [])


def test_keyed(pg, options):
    """A key that is configured as the README says: everybody asks with it, in parallel too, and nobody sees it."""
    key = "00112233445566778899aabbccddeeff"
    with pg.server("keyed") as server:
        server.sql("CREATE EXTENSION ninho; CREATE ROLE bob LOGIN; CREATE TABLE many AS SELECT x, x::text AS s"
                   " FROM generate_series(1, 50000) x; ANALYZE many; GRANT SELECT ON many TO bob;\n"
                   "ALTER SYSTEM SET session_preload_libraries = 'ninho'")
        with open(os.path.join(server.data, "postgresql.conf"), "a", encoding="ascii") as file:
            file.write("\nninho.key = '%s'\n" % key)
        server.stop("fast")
        server.start()
        as_bob = ("\\c - bob\nSET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0;"
                  "SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;")
        for what in ("SHOW ninho.key", "SELECT current_setting('ninho.key')", "SET ninho.key = ''", "RESET ninho.key"):
            expect_error(server, "\\c - bob\n" + what, "ninho.key")
        seen = server.sql("\\c - bob\nSELECT * FROM pg_settings; SELECT * FROM pg_db_role_setting;"
                          "SELECT * FROM pg_stat_activity")
        expect("the key is seen", key in seen, False)
        for call in ("ninho_agg(s)", "ninho_agg(s, 50000)", "ninho_agg(s, 50000, 0.01, 'cuckoo')",
                     "ninho_agg(s, NULL, NULL, 'fuse')"):
            plan = server.sql("%s EXPLAIN SELECT %s FROM many" % (as_bob, call))
            expect(call + " in parallel", "Partial Aggregate" in plan, True)
            expect(call, server.sql("%s SELECT (SELECT count(*) FROM many WHERE f ? s), ninho_info(f) ->> 'hash'"
                                    " FROM (SELECT %s AS f FROM many) f" % (as_bob, call)), "50000|siphash")
        # set where everybody could read it, before the module could refuse that: it is not taken
        server.sql("ALTER SYSTEM RESET session_preload_libraries")
        server.stop("fast")
        server.start()
        server.sql("CREATE DATABASE careless")
        server.sql("ALTER DATABASE careless SET ninho.key = 'ffffffffffffffffffffffffffffffff'")
        made = server.sql("CREATE EXTENSION ninho; SELECT ninho_info(ninho_agg(1)) ->> 'hash'", "careless")
        expect("a careless key", "cannot be set for a database" in made, True)
        expect("crashes", server.crashes(), [])


def test_engines(pg, options):
    """The same bytes answer identically from the tool, from C, from PostgreSQL and from SQLite."""
    n = options.keys
    tool = os.path.join(options.build, "bin", "ninho")
    ask = os.path.join(options.pgxs, "ask")
    subprocess.run(["cc", "-O2", "-I" + os.path.join(TOP, "include"), "-o", ask, os.path.join(HERE, "ask.c"),
                    os.path.join(options.build, "lib", "libninho.a"), "-lm"], check=True)
    random.seed(1)
    with tempfile.TemporaryDirectory(prefix="ninho-engines-") as folder, pg.server("engines") as server:
        os.chmod(folder, 0o755)
        server.sql("CREATE EXTENSION ninho")
        for name, sql_type, keys in (
                ("int64", "bigint", [random.randrange(-2**63, 2**63) for _ in range(2 * n)]),
                ("text", "text", ["clé %d" % x for x in random.sample(range(10 * n), 2 * n)])):
            keys_file, filter_file = os.path.join(folder, "keys"), os.path.join(folder, "f.ninho")
            with open(keys_file, "w", encoding="utf-8") as file:
                file.writelines("%s\n" % key for key in keys)
            kind = "cuckoo" if name == "text" else "blocked"
            with open(keys_file, "rb") as file:  # the first half is in the filter
                half = b"".join(line for _, line in zip(range(n), file))
            subprocess.run([tool, "build", "--force", filter_file, "--kind", kind, "--fpr", "0.01", "--type",
                            "int64" if name == "int64" else "bytes"], input=half, check=True)
            by_tool = subprocess.run([tool, "check", filter_file, keys_file], stdout=subprocess.PIPE, check=True).stdout
            with open(keys_file, "rb") as file:
                by_c = subprocess.run([ask, filter_file, name], stdin=file, stdout=subprocess.PIPE, check=True).stdout
            expect("from C, " + name, by_c == by_tool, True)

            sqlite = subprocess.run(["sqlite3", ":memory:"], text=True, stdout=subprocess.PIPE, check=True, input="""
.load %s
CREATE TABLE t(k %s);
.mode tabs
.import %s t
.parameter init
.parameter set @f "readfile('%s')"
SELECT k FROM t WHERE ninho_has(@f, k) ORDER BY rowid;
""" % (os.path.join(options.build, "lib", "ninho_sqlite"), "INTEGER" if name == "int64" else "TEXT", keys_file,
                filter_file)).stdout
            expect("from SQLite, " + name, sqlite.encode() == by_tool, True)

            with open(filter_file, "rb") as file:
                content = file.read()
            server.sql("DROP TABLE IF EXISTS f, t; CREATE TABLE f (f ninho); CREATE TABLE t (n serial, k %s);"
                       "INSERT INTO f VALUES ('\\x%s'::bytea);\n\\copy t (k) FROM '%s'\n"
                       % (sql_type, content.hex(), keys_file))
            in_sql = server.sql("SELECT k FROM t WHERE (SELECT f FROM f) ? k ORDER BY n")
            expect("from PostgreSQL, " + name, (in_sql + "\n").encode() == by_tool, True)
            # and what PostgreSQL builds is what the tool builds
            expect("built in PostgreSQL, " + name, server.sql(
                "SELECT ninho_agg(k, NULL, 0.01, '%s')::bytea = (SELECT f::bytea FROM f) FROM t WHERE n <= %d"
                % (kind, n)), "t")
            n_found = by_tool.count(b"\n")
            if not n < n_found < n * 1.02:
                raise Failed("%s: %d of %d keys found" % (name, n_found, 2 * n))


def test_files(pg, options):
    """One that says it holds the most keys there can be; one that carries the dictionary of its keys."""
    tool = os.path.join(options.build, "bin", "ninho")
    damage = os.path.join(TOP, "tests", "cli", "helpers", "damage")
    with tempfile.TemporaryDirectory(prefix="ninho-files-") as folder, pg.server("files") as server:
        path = os.path.join(folder, "f")

        def read():
            with open(path, "rb") as file:
                return "'\\x%s'::bytea::ninho" % file.read().hex()

        server.sql("CREATE EXTENSION ninho")
        for sql, arguments in (("ninho_create('bigint')", ["create"]), ("ninho_create('bigint', 7)", ["create", "-n", "7"]),
                               ("ninho_create('bigint', kind => 'cuckoo')", ["create", "-k", "cuckoo"]),
                               ("(SELECT ninho_agg(x) FROM generate_series(1, 9) x)", ["build"])):
            subprocess.run([tool, *arguments, path, "--type", "int64"], input=b"1\n2\n3\n4\n5\n6\n7\n8\n9\n", check=True)
            expect(sql + " is what the tool makes", server.sql("SELECT %s::bytea = %s::bytea" % (sql, read())), "t")
        subprocess.run([tool, "build", path, "--kind", "blocked", "--capacity", "1000"], input=b"a\nb\n", check=True)
        for field in ("count", "part-count"):
            subprocess.run([damage, "set", path, field, str(1 << 60)], check=True)
        server.sql("CREATE TABLE f AS SELECT %s AS f; UPDATE f SET f = ninho_add(ninho_add(f, 'x'::text), 'y'::text);"
                   "UPDATE f SET f = ninho_union(f, f); UPDATE f SET f = ninho_add(f, 'z'::text)" % read())
        server.stop("fast")
        server.start()
        expect("the most keys there can be", server.sql(
            "SELECT f ? 'a'::text, f ? 'x'::text, f ? 'z'::text, f::text::ninho ? 'y'::text,"
            " (SELECT ninho_union_agg(g) FROM (SELECT f AS g UNION ALL SELECT f) u) ? 'z'::text FROM f"), "t|t|t|t|t")
        subprocess.run([tool, "build", "--force", path, "--kind", "quotient", "--capacity", "100", "--checked"],
                       input=b"a\nb\n", check=True)
        server.sql("CREATE TABLE c AS SELECT %s AS c, ninho_agg(s, 100, 0.01, 'quotient') AS p"
                   " FROM (VALUES ('a'::text), ('b')) v(s)" % read())
        expect("a checked filter is asked", server.sql(
            "SELECT c ? 'a'::text, c ? 'x'::text, ninho_info(c) ->> 'count',"
            " (SELECT ninho_union_agg(d.c)::bytea FROM c d) = c::bytea FROM c"), "t|f|2|t")
        for sql in ("SELECT ninho_add(c, 'x'::text) FROM c", "SELECT ninho_remove(c, 'a'::text) FROM c",
                    "SELECT ninho_union(c, p) FROM c", "SELECT ninho_union(p, c) FROM c",
                    "SELECT ninho_union_agg(x) FROM (SELECT c AS x FROM c UNION ALL SELECT p FROM c) u",
                    "SELECT ninho_union_agg(x) FROM (SELECT p AS x FROM c UNION ALL SELECT c FROM c) u"):
            expect_error(server, sql, "the filter is checked")
        expect("crashes", server.crashes(), [])


def test_sanitized(pg, options):
    """All of it under UndefinedBehaviorSanitizer, with memory that is never zero by chance."""
    folder = os.path.join(options.pgxs, "sanitized")
    os.makedirs(folder, exist_ok=True)
    flags = "-fsanitize=undefined -fno-sanitize-recover=all"
    make(options, "NINHO_CFLAGS=" + flags, "NINHO_LDFLAGS=" + flags, folder=folder)
    installed = os.path.join(pg.lib, "ninho.so")
    plain = installed + ".plain"
    os.rename(installed, plain)
    shutil.copy2(os.path.join(folder, "ninho.so"), installed)
    try:
        with pg.server("sanitized", env={"MALLOC_PERTURB_": "165"}) as server:
            for name in ("type", "agg", "keys", "errors", "hostile", "semijoin"):
                with open(os.path.join(HERE, "sql", name + ".sql"), encoding="utf-8") as file:
                    sql = "".join(line for line in file if not line.startswith("\\copy"))
                server.psql(sql, stop=False)
            expect("still there", server.sql("SELECT 1"), "1")
            expect("crashes", server.crashes(), [])
    finally:
        os.rename(plain, installed)


TESTS = [test_regress, test_readme, test_semijoin, test_types_between_servers, test_durability,
         test_pg_upgrade, test_encodings, test_memory, test_keyed, test_engines,
         test_files, test_sanitized]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--pg-config", default="pg_config")
    parser.add_argument("--keys", type=int, default=1000000, help="of the test over all engines")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.pgxs = os.path.join(options.build, "pgxs")
    os.makedirs(options.pgxs, exist_ok=True)
    chosen = [test for test in TESTS if not options.names or test.__name__[5:] in options.names]
    if not chosen:
        parser.error("no such test; there are " + " ".join(test.__name__[5:] for test in TESTS))
    failures = 0
    with Installation(options.pg_config) as pg:
        make(options)
        make(options, "install", "DESTDIR=" + pg.root)
        for test in chosen:
            begin = time.monotonic()
            print("%s: %s" % (test.__name__[5:], test.__doc__))
            try:
                test(pg, options)
                print("  ok, %.1f s" % (time.monotonic() - begin))
            except (Failed, SqlError, subprocess.CalledProcessError) as error:
                print("  FAILED: %s" % error)
                failures += 1
            sys.stdout.flush()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
