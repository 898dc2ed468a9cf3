# SPDX-License-Identifier: MIT
"""Two PostgreSQL servers and a join between them, by each way, counted or timed.

    with Pair(pg) as pair:
        pair.count(Point(remote=100000, keys=1000, matches=500), Way("list"))

The remote server has tables of rows (k, v): k is a number of seven digits, v some letters. The local one has tables of keys.
Rows are wanted whose k is among the keys:

    plain         the join as it is: all remote rows come
    list          the keys go there as an array
    filter        a filter of the keys goes there
    helper        ninho_semijoin(), which chooses by the statistics of the foreign table
    asking        ninho_semijoin() over a foreign table that was never analysed: it asks the remote server

The local server has each remote table by up to four names. In the schema `counted` a proxy counts the bytes, in `direct` there
is none; in `counted_new` and `direct_new` the foreign table was never analysed. A connection is open before anything is counted
or timed.
"""

import contextlib
from collections import namedtuple

from servers import CountingProxy

# 1,000,000 + i is the key of row i, and keys from 6,000,000 on are of no row: all have seven digits.
FIRST_KEY, FIRST_STRANGER, MAX_REMOTE, MAX_STRANGERS = 1000000, 6000000, 5000000, 4000000
KEY_BYTES = 7
# A row on its way: a header, and for each column its length and its text.
ROW_HEADER, COLUMN_HEADER = 7, 4

Counted = namedtuple("Counted", "rows checksum sent received turns")
Timed = namedtuple("Timed", "rows checksum milliseconds")
Plan = namedtuple("Plan", "method kind fpr bits_per_key sent received")


class Point(namedtuple("Point", "remote keys matches width draw is_indexed", defaults=(32, 0, False))):
    """What is joined: so many remote rows of which so many match, with so many keys; letters of v; which draw of the
    keys; whether the remote table has an index."""

    @property
    def rows_per_key(self):
        """1 where the keys that match are enough for the rows that do; else as many as it takes."""
        least = max(1, -(-self.matches // self.keys))
        for n in range(least, self.remote + 1):
            if self.matches % n == 0 and self.remote % n == 0:
                return n
        raise ValueError("no such join: %s" % (self,))

    @property
    def row_bytes(self):
        return ROW_HEADER + 2 * COLUMN_HEADER + KEY_BYTES + self.width

    def check(self):
        if not (1 <= self.remote <= MAX_REMOTE and 0 <= self.matches <= self.remote
                and 1 <= self.keys <= MAX_STRANGERS and self.width in (8, 32, 256)
                and (not self.is_indexed or self.rows_per_key == 1 and self.width == 32)):
            raise ValueError("no such join: %s" % (self,))


class Way(namedtuple("Way", "name kind fpr", defaults=("", 0.0))):
    @property
    def suffix(self):
        """Of the schema that has its tables."""
        return "_new" if self.name == "asking" else ""

    def sql(self, point, rows, keys):
        """The statement: how many rows, and a sum that is only right if they are the right ones."""
        what = "SELECT count(*), coalesce(sum(hashtext(r.v)::bigint + r.k), 0) FROM "
        if self.name == "plain":
            return what + "%s JOIN %s r USING (k)" % (keys, rows)
        if self.name == "list":
            # OFFSET 0: the rows are wanted, and not only their sum, which would be made over there
            return what + "(SELECT * FROM %s WHERE k = ANY (ARRAY(SELECT k FROM %s)) OFFSET 0) r" % (rows, keys)
        if self.name == "filter":
            return what + ("%s JOIN %s r USING (k) WHERE (SELECT ninho_agg(k, %d, %g, '%s') FROM %s) ? r.k"
                           % (keys, rows, point.keys, self.fpr, self.kind, keys))
        return what + "ninho_semijoin(NULL::%s, 'k', ARRAY(SELECT k FROM %s)) r" % (rows, keys)


class Pair:
    def __init__(self, pg):
        self.pg = pg
        self.exits = contextlib.ExitStack()
        self.made = set()

    def __enter__(self):
        with contextlib.ExitStack() as exits:
            self.remote = exits.enter_context(self.pg.server("remote"))
            self.local = exits.enter_context(self.pg.server("local"))
            self.proxy = CountingProxy(self.remote.port)
            exits.callback(self.proxy.close)
            self.session = exits.enter_context(self.local.session())
            self._connect()
            self.exits = exits.pop_all()
        return self

    def __exit__(self, *unused):
        self.exits.close()

    def _connect(self):
        self.remote.sql("CREATE EXTENSION ninho; CREATE TABLE nothing (x int)")
        # Large joins are held in memory. Many rows for each FETCH: at the usual 100 a plain join would wait most of
        # its time for the next ones.
        self.session.sql("CREATE EXTENSION ninho; CREATE EXTENSION postgres_fdw; SET work_mem = '512MB';"
                         " SET statement_timeout = '30min';")
        for name, port in (("far_counted", self.proxy.port), ("far", self.remote.port)):
            self.session.sql(
                "CREATE SERVER {0} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '{1}',"
                " dbname 'postgres', extensions 'ninho', fetch_size '10000');"
                "CREATE USER MAPPING FOR tester SERVER {0} OPTIONS (user 'tester', password '{2}');"
                "CREATE FOREIGN TABLE nothing_{0} (x int) SERVER {0} OPTIONS (table_name 'nothing');"
                .format(name, port, self.pg.password))
        self.session.sql("CREATE SCHEMA counted; CREATE SCHEMA counted_new; CREATE SCHEMA direct; CREATE SCHEMA direct_new;")
        self.proxy.reset()
        self.session.sql("SELECT * FROM nothing_far_counted")
        self.first_bytes = self.proxy.sent + self.proxy.received
        self.proxy.reset()
        self.session.sql("SELECT * FROM nothing_far_counted")
        # What it takes to open a connection, which comes on top where none is open.
        self.connect_bytes = self.first_bytes - self.proxy.sent - self.proxy.received
        self.session.sql("SELECT * FROM nothing_far")

    def _once(self, name, make):
        if name not in self.made:
            make()
            self.made.add(name)
        return name

    def _make_table(self, name, point):
        self.remote.sql(
            "CREATE UNLOGGED TABLE {0} AS SELECT {1} + x AS k, md5(x::text) AS v"
            " FROM generate_series(0::bigint, {2} - 1) x; {3} VACUUM ANALYZE {0};"
            .format(name, FIRST_KEY, point.remote, "CREATE INDEX ON %s (k);" % name if point.is_indexed else ""))

    def _make_view(self, name, table, point):
        letters = {8: "left(v, 8)", 32: "v", 256: "repeat(v, 8)"}[point.width]
        self.remote.sql("CREATE VIEW {0} AS SELECT {1} + (k - {1}) / {2} AS k, {3} AS v FROM {4}"
                        .format(name, FIRST_KEY, point.rows_per_key, letters, table))

    def _make_foreign(self, name, far):
        server = "far_counted" if name.startswith("counted") else "far"
        self.session.sql("CREATE FOREIGN TABLE %s (k bigint, v text) SERVER %s OPTIONS (schema_name 'public',"
                         " table_name '%s'); %s" % (name, server, far, "" if "_new." in name else "ANALYZE %s;" % name))

    def rows(self, point, schema):
        """The foreign table of a point, made when it is first wanted."""
        point.check()
        far = ("indexed_%d" if point.is_indexed else "rows_%d") % point.remote
        self._once(far, lambda: self._make_table(far, point))
        if point.rows_per_key > 1 or point.width != 32:
            table, far = far, "%s_%d_%d" % (far, point.rows_per_key, point.width)
            self._once(far, lambda: self._make_view(far, table, point))
        name = "%s.%s" % (schema, far)
        return self._once(name, lambda: self._make_foreign(name, far))

    def keys(self, point):
        """The table of a point's keys: those that match lie all over the remote table, evenly."""
        n_present = point.matches // point.rows_per_key
        n_values = point.remote // point.rows_per_key
        name = "keys_%d_%d_%d_%d" % (point.keys, n_present, n_values, point.draw)
        stride = n_values // max(1, n_present)
        return self._once(name, lambda: self.session.sql(
            "CREATE TABLE {0} AS SELECT {1} + ({2} + x * {3}) % {4} AS k FROM generate_series(0::bigint, {5} - 1) x"
            " UNION ALL SELECT {6} + ({7} + x) % {8} FROM generate_series(0::bigint, {9} - 1) x; ANALYZE {0};"
            .format(name, FIRST_KEY, point.draw * 7919 % max(1, stride), stride, n_values, n_present, FIRST_STRANGER,
                    point.draw * point.keys, MAX_STRANGERS, point.keys - n_present)))

    def count(self, point, way):
        """The bytes both ways, through the proxy."""
        sql = way.sql(point, self.rows(point, "counted" + way.suffix), self.keys(point))
        self.proxy.reset()
        rows, checksum = self.session.sql(sql).split("|")
        return Counted(int(rows), int(checksum), self.proxy.sent, self.proxy.received, self.proxy.turns)

    def time(self, point, way):
        """The time that passes, without the proxy."""
        sql = way.sql(point, self.rows(point, "direct" + way.suffix), self.keys(point))
        result, milliseconds = self.session.timed(sql)
        rows, checksum = result.split("|")
        return Timed(int(rows), int(checksum), milliseconds)

    def plan(self, point):
        """What ninho_semijoin_plan() chooses and predicts, given the true sizes."""
        share = min(1, point.matches / point.keys)
        fields = self.session.sql("SELECT * FROM ninho_semijoin_plan(%d, %d, %d, %d, %g)" % (
            point.keys, point.remote, point.row_bytes, KEY_BYTES, share)).split("|")
        return Plan(*fields)

    def bits_per_key(self, point, way):
        """Of the filter's own bytes, as a file has them."""
        if way.name != "filter":
            return 0.0
        return float(self.session.sql(
            "SELECT 8.0 * octet_length(ninho_agg(k, %d, %g, '%s')::bytea) / %d FROM %s"
            % (point.keys, way.fpr, way.kind, point.keys, self.keys(point))))

    def is_shipped(self):
        """Whether postgres_fdw sends the operator over. (text: what EXPLAIN says)"""
        point = Point(1, 1, 1)
        text = self.session.sql("EXPLAIN (VERBOSE, COSTS off) SELECT r.v FROM %s r WHERE (SELECT ninho_agg(k) FROM %s) ? r.k"
                                % (self.rows(point, "counted"), self.keys(point)))
        return "WHERE (($1::public.ninho OPERATOR(public.?) k))" in text, text

    def crashes(self):
        return self.local.crashes() + self.remote.crashes()
