-- Which way moves the fewest bytes, and that each gives the same rows.
SELECT method, kind, fpr < 0.001 AS is_small FROM ninho_semijoin_plan(50000, 5000000, 54, 8, 0.5);
SELECT method FROM ninho_semijoin_plan(20, 5000000, 54, 8);
SELECT method FROM ninho_semijoin_plan(5000000, 1000, 54, 8);
SELECT method FROM ninho_semijoin_plan(0, 1000, 54, 8);
SELECT method FROM ninho_semijoin_plan(0, 0, 0, 0);
SELECT method FROM ninho_semijoin_plan(50000, 5000000, 20000, 0.5);
SELECT method FROM ninho_semijoin_plan(50000, 5000000, 54, 37);
-- Never worse than the list or nothing at all, at any size.
SELECT count(*) AS worse FROM unnest(ARRAY[1, 10, 100, 1000, 10000, 100000, 1000000]) n,
    unnest(ARRAY[10, 1000, 100000, 10000000]) m, unnest(ARRAY[15, 100, 2000]) w, unnest(ARRAY[3, 8, 36]) k,
    LATERAL ninho_semijoin_plan(n, m, w, k) p
    WHERE p.sent_bytes + p.received_bytes > least(n * (k + 1.0) + 2 + least(n, m)::float8 * w, m::float8 * w);
\set VERBOSITY terse
SELECT ninho_semijoin_plan(-1, 10, 10, 10);
SELECT ninho_semijoin_plan(1, 'infinity', 10, 10);
SELECT ninho_semijoin_plan(1, 'nan', 10, 10);
SELECT ninho_semijoin_plan(1, 1, 10, 10, 2);
CREATE TABLE remote AS SELECT x AS k, 'row ' || x AS v, md5(x::text)::uuid AS u FROM generate_series(1, 20000) x;
INSERT INTO remote VALUES (NULL, 'null', NULL);
SELECT count(*), min(v), max(v) FROM ninho_semijoin(NULL::remote, 'k', ARRAY(SELECT x * 7 FROM generate_series(1, 5000) x));
SELECT method, count(*), sum(k) FROM unnest(ARRAY['list', 'filter', 'plain', NULL]) method, LATERAL
    ninho_semijoin(NULL::remote, 'k', ARRAY(SELECT x * 7 FROM generate_series(1, 5000) x), method => method)
    GROUP BY method ORDER BY method;
-- Other types, keys twice, NULL among them, none.
SELECT count(*) FROM ninho_semijoin(NULL::remote, 'k', ARRAY[1, 1, 2, NULL, 99999]::bigint[], method => 'filter');
SELECT count(*) FROM ninho_semijoin(NULL::remote, 'k', ARRAY[1, 2]::numeric[], method => 'filter');
SELECT count(*) FROM ninho_semijoin(NULL::remote, 'v', ARRAY['row 1', 'row 5', 'no'], method => 'filter');
SELECT count(*) FROM ninho_semijoin(NULL::remote, 'u', ARRAY[md5('3')::uuid], method => 'filter');
SELECT count(*) FROM ninho_semijoin(NULL::remote, 'k', '{}'::int[]);
SELECT count(*) FROM ninho_semijoin(NULL::remote, 'k', NULL::int[]);
-- What statistics tell: 7 bytes for a row, 4 for a column, and widths.
SELECT ninho_row_bytes('remote') IS NULL AS unknown, ninho_row_bytes(0) IS NULL AS no_table;
ANALYZE remote;
SELECT ninho_row_bytes('remote') AS row_bytes;
SELECT count(*) FROM ninho_semijoin(NULL::remote, 'k', ARRAY(SELECT x * 7 FROM generate_series(1, 5000) x));
ALTER TABLE remote DROP COLUMN u;
SELECT ninho_row_bytes('remote') AS row_bytes;
SELECT count(*) FROM ninho_semijoin(NULL::remote, 'k', ARRAY(SELECT x * 7 FROM generate_series(1, 50000) x));
-- Where equal values are not always equal keys, a list goes.
CREATE COLLATION semijoin_loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE remote_loose (name text COLLATE semijoin_loose, at timestamptz);
INSERT INTO remote_loose VALUES ('ALICE', '2026-01-01 00:00');
SELECT count(*) FROM ninho_semijoin(NULL::remote_loose, 'name', ARRAY['alice' COLLATE "C"], method => 'filter');
SELECT count(*) FROM ninho_semijoin(NULL::remote_loose, 'at', ARRAY['2026-01-01'::timestamp], method => 'filter');
SELECT * FROM ninho_semijoin(NULL::remote, 'none', ARRAY[1]);
SELECT * FROM ninho_semijoin(NULL::remote, 'k', ARRAY[1], method => 'magic');
SELECT * FROM ninho_semijoin(1, 'k', ARRAY[1]);
-- Types that are cut to one letter or bit where their length is not told.
CREATE TABLE remote_short (c char(3), b bit(8), v varchar(5));
INSERT INTO remote_short VALUES ('abc', b'10101010', 'abc'), ('a', b'10000000', 'a'), ('ab', b'11111111', 'ab  ');
SELECT method, (SELECT string_agg(c || '.', ' ' ORDER BY c) FROM ninho_semijoin(NULL::remote_short, 'c', ARRAY['abc', 'ab']::char(3)[], method => method)),
    (SELECT string_agg(b::text, ' ' ORDER BY b) FROM ninho_semijoin(NULL::remote_short, 'b', ARRAY[b'10101010', b'11111111'], method => method)),
    (SELECT string_agg(v, ' ' ORDER BY v) FROM ninho_semijoin(NULL::remote_short, 'v', ARRAY['abc', 'ab']::varchar(5)[], method => method))
    FROM unnest(ARRAY['list', 'filter', 'plain']) method;
-- A row comes once, however many keys are equal to it where it is; and keys that differ there are both wanted.
INSERT INTO remote VALUES (-1, 'alice'), (-2, 'ALICE');
SELECT method, (SELECT count(*) FROM ninho_semijoin(NULL::remote_loose, 'name', ARRAY['alice' COLLATE "C", 'Alice'], method => method)) AS once,
    (SELECT count(*) FROM ninho_semijoin(NULL::remote, 'v', ARRAY['alice', 'ALICE'] COLLATE semijoin_loose, method => method)) AS both
    FROM unnest(ARRAY['list', 'filter', 'plain', NULL]) method;
-- A filter that would not be sent is not made.
CREATE EXTENSION postgres_fdw;
CREATE SERVER "Far" FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '1');
CREATE USER MAPPING FOR CURRENT_USER SERVER "Far" OPTIONS (user 'nobody', password 'none');
CREATE FOREIGN TABLE far_away (k int, v text) SERVER "Far";
\set VERBOSITY default
\set SHOW_CONTEXT never
SELECT * FROM ninho_semijoin(NULL::far_away, 'k', ARRAY[1], 10, 10, 'filter');
ALTER SERVER "Far" OPTIONS (ADD extensions 'postgres_fdw , Ninho');
\set VERBOSITY terse
SELECT * FROM ninho_semijoin(NULL::far_away, 'k', ARRAY[1], 10, 10, 'filter');
DROP EXTENSION postgres_fdw CASCADE;
-- Operators of the same names that another user made are not run.
CREATE SCHEMA traps;
DO $$
DECLARE
    name text;
    kinds text[];
BEGIN
    FOREACH name IN ARRAY ARRAY['=', '<>', '<', '>', '+', '-', '*', '/'] LOOP
        FOREACH kinds SLICE 1 IN ARRAY ARRAY[['oid', 'regclass'], ['oid', 'regtype'], ['oid', 'regnamespace'],
            ['oid', 'int'], ['float4', 'int'], ['float8', 'int'], ['float8', 'bigint'], ['int', 'float8'],
            ['bigint', 'float8'], ['float8', 'numeric'], ['name', 'varchar'], ['text', 'varchar']] LOOP
            EXECUTE format('CREATE OR REPLACE FUNCTION traps.trap(%1$s, %2$s) RETURNS boolean LANGUAGE plpgsql AS '
                '$body$BEGIN RAISE EXCEPTION ''trap: %1$s %2$s''; END$body$', kinds[1], kinds[2]);
            EXECUTE format('CREATE OPERATOR traps.%s (FUNCTION = traps.trap, LEFTARG = %s, RIGHTARG = %s)',
                name, kinds[1], kinds[2]);
        END LOOP;
    END LOOP;
END
$$;
SET search_path = public, traps;
SELECT oid FROM pg_class WHERE oid = 'remote'::regclass;
SELECT method, count(*) FROM unnest(ARRAY['list', 'filter', 'plain', NULL]) method, LATERAL
    ninho_semijoin(NULL::remote, 'k', ARRAY(SELECT x * 7 FROM generate_series(1, 5000) x), method => method)
    GROUP BY method ORDER BY method;
CREATE TABLE remote_fresh AS SELECT x AS k, x::text AS v FROM generate_series(1, 100) x;
SELECT count(*) FROM ninho_semijoin(NULL::remote_fresh, 'k', ARRAY(SELECT x * 7 FROM generate_series(1, 300) x));
SELECT count(*) FROM ninho_semijoin(NULL::remote_fresh, 'k', ARRAY(SELECT x * 7 FROM generate_series(1, 3000) x));
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA traps CASCADE;
RESET client_min_messages;
-- psql tells what each function and operator is for.
SELECT p.oid::regprocedure AS untold FROM pg_proc p WHERE p.proname ~ '^ninho_' AND p.proname !~ '_(in|out|recv|send|step|final|combine|serialize|deserialize)$'
    AND obj_description(p.oid, 'pg_proc') IS NULL;
SELECT o.oid::regoperator AS untold FROM pg_operator o WHERE o.oprleft = 'ninho'::regtype AND obj_description(o.oid, 'pg_operator') IS NULL;
DROP EXTENSION ninho CASCADE;
