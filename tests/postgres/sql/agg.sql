-- Aggregates: every kind, in groups, in windows, in parallel; unions.
SELECT kind, count(*) FILTER (WHERE f ? x) AS found, count(*) FILTER (WHERE f ? (x + 1000000)) < 150 AS is_selective
    FROM (SELECT kind, ninho_agg(x, 10000, 0.01, kind) AS f FROM generate_series(1, 10000) x,
        unnest(ARRAY['bloom', 'blocked', 'counting', 'cuckoo', 'quotient', 'fuse', 'compact', 'scalable']) kind
        GROUP BY kind) filters, generate_series(1, 10000) x
    GROUP BY kind ORDER BY kind;
-- Without a capacity, for as many distinct values as there are; equal rows count once, whatever the kind.
SELECT ninho_info(ninho_agg(x % 100)) ->> 'capacity' AS capacity,
    ninho_count(ninho_agg(x % 100, 1000, 0.01, 'cuckoo')) AS cuckoo,
    ninho_count(ninho_agg(x % 100, NULL, NULL, 'fuse')) AS fuse FROM generate_series(1, 300000) x;
-- NULLs are no keys, and nothing is nothing.
SELECT ninho_agg(NULL::int) IS NULL AS nulls, ninho_agg(x) FILTER (WHERE false) IS NULL AS none,
    ninho_count(ninho_agg(nullif(x, 3))) AS five FROM generate_series(1, 6) x;
SELECT g, ninho_count(ninho_agg(x)) FROM (SELECT x, x % 3 AS g FROM generate_series(1, 30) x) t GROUP BY g ORDER BY g;
SELECT x, ninho_count(ninho_agg(x) OVER (ORDER BY x)) AS growing,
    ninho_count(ninho_agg(x, 10, 0.01, 'bloom') OVER (ORDER BY x)) AS streamed FROM generate_series(1, 4) x;
-- The order of rows does not matter, nor do copies, where hashes are kept.
SELECT ninho_agg(x)::bytea = ninho_agg(y)::bytea AS is_equal
    FROM (SELECT x, 1001 - x AS y FROM generate_series(1, 1000) x UNION ALL SELECT 5, 7) t;
-- info and estimates.
SELECT i ->> 'kind' AS kind, i ->> 'key_encoding' AS encoding, i ->> 'hash' AS hash, i ->> 'count' AS count,
    i -> 'can' ? 'remove' AS removes FROM (SELECT ninho_info(ninho_agg(x, 500, 0.001, 'cuckoo')) AS i
    FROM generate_series(1, 500) x) t;
SELECT abs(ninho_estimate(ninho_agg(x, 10000)) - 5000) < 250 AS bits, ninho_estimate(ninho_agg(x, NULL, 0.01, 'fuse'))
    FROM generate_series(1, 5000) x;
-- Unions: operator, function, aggregate.
CREATE TABLE parts AS SELECT p, ninho_agg(x, 3000, 0.01, 'bloom') AS f, ninho_agg(x, 3000, 0.01, 'cuckoo') AS c
    FROM generate_series(1, 3000) x, LATERAL (SELECT x % 3 AS p) g GROUP BY p;
SELECT count(*) FROM generate_series(1, 3000) x WHERE (SELECT ninho_union_agg(f) FROM parts) ? x;
SELECT count(*) FROM generate_series(1, 3000) x WHERE (SELECT ninho_union_agg(c) FROM parts) ? x;
SELECT count(*) FROM generate_series(1, 3000) x WHERE (SELECT a.f | b.f | c.f FROM parts a, parts b, parts c
    WHERE a.p = 0 AND b.p = 1 AND c.p = 2) ? x;
SELECT ninho_count(ninho_union(a.c, b.c)) FROM parts a, parts b WHERE a.p = 0 AND b.p = 1;
SELECT ninho_union_agg(NULL) IS NULL AS null, ninho_union_agg(f) FILTER (WHERE false) IS NULL AS none FROM parts;
-- add and remove.
SELECT ninho_add(c, 'x'::text) FROM parts;
SELECT ninho_add(c, 9999) ? 9999 AS added, ninho_remove(ninho_add(c, 9999), 9999)::bytea = c::bytea AS removed
    FROM parts WHERE p = 0;
-- An empty filter, for what comes later.
SELECT kind, ninho_count(f) AS count, f ? 7 AS before, ninho_add(f, 7) ? 7 AS after FROM unnest(ARRAY['bloom', 'blocked',
    'counting', 'cuckoo', 'quotient', 'compact', 'scalable']) kind, LATERAL ninho_create('int', 1000, 0.01, kind) f;
SELECT ninho_create('text', 500) | ninho_agg('a'::text, 500) ? 'a' AS united,
    ninho_info(ninho_create('uuid', 500)) ->> 'key_encoding' AS encoding;
SELECT ninho_create('int', 500)::bytea = ninho_create('bigint', 500, 0.01, 'bloom')::bytea AS is_equal;
SELECT ninho_create('int', 1000, 0.01, 'fuse');
SELECT info ->> 'kind' AS kind, info ->> 'capacity' AS capacity, info ->> 'size_bytes' AS bytes
    FROM unnest(ARRAY[NULL, 'bloom', 'blocked', 'cuckoo', 'scalable']) kind, LATERAL ninho_info(ninho_create('int', kind => kind)) info;
SELECT bool_and(ninho_add(f, x) ? x) AS grows FROM generate_series(1, 3) x, ninho_create('int') f;
SELECT ninho_create('int', kind => 'quotient');
SELECT ninho_create(NULL, 10);
SELECT ninho_create('numeric', 10);
SELECT ninho_create('int', 0);
SELECT ninho_create('int', 10000000000);
-- In parallel: the same answers.
CREATE TABLE many AS SELECT x, x::text AS s FROM generate_series(1, 200000) x;
ANALYZE many;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS off) SELECT ninho_agg(x, 200000) FROM many;
SELECT count(*) FROM many WHERE (SELECT ninho_agg(x, 200000) FROM many) ? x;
SELECT count(*) FROM many WHERE (SELECT ninho_agg(s) FROM many) ? s;
SELECT count(*) FROM many WHERE (SELECT ninho_agg(s, 200000, 0.001, 'cuckoo') FROM many) ? s;
SELECT count(*) FROM many WHERE (SELECT ninho_agg(s, 100, 0.01, 'scalable') FROM many) ? s;
SELECT count(*) FROM many WHERE (SELECT ninho_union_agg(f) FROM (SELECT ninho_agg(x, 200000) f FROM many
    GROUP BY x % 10) t) ? x;
CREATE TABLE shards AS SELECT x % 50 AS shard, ninho_agg(x, 5000) AS f FROM many WHERE x <= 5000 GROUP BY x % 50;
EXPLAIN (COSTS off) SELECT ninho_union_agg(f) FROM shards;
SELECT count(*) FROM many WHERE x <= 5000 AND (SELECT ninho_union_agg(f) FROM shards) ? x;
SELECT ninho_agg(x) IS NULL AS none, ninho_count(ninho_agg(x) FILTER (WHERE x = 7)) AS one FROM many WHERE x < 0 OR x = 7
    GROUP BY x < 0;
RESET ALL;
