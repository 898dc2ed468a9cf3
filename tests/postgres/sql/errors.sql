-- What is wrong is an error with a reason.
\set VERBOSITY terse
SELECT ninho_agg(1.5);
SELECT ninho_agg(1.5::float8);
SELECT ninho_agg(ARRAY[1]);
SELECT ninho_agg(1, 0);
SELECT ninho_agg(1, -5);
SELECT ninho_agg(1, 10, 0);
SELECT ninho_agg(1, 10, 'NaN');
SELECT ninho_agg(1, 10, 1);
SELECT ninho_agg(1, 10, 0.01, 'what');
SELECT ninho_agg(1, 10, 0.01, '');
SELECT ninho_agg(1, 10, 0.01, repeat('bloom', 100));
-- Which filter is wanted cannot change from row to row.
SELECT ninho_agg(x, 10 + x) FROM generate_series(1, 3) x;
SELECT ninho_agg(x, CASE x WHEN 3 THEN NULL ELSE 10 END) FROM generate_series(1, 3) x;
SELECT ninho_agg(x, 10, 0.01 / x) FROM generate_series(1, 3) x;
SELECT ninho_agg(x, 10, 0.01, CASE x WHEN 3 THEN 'bloom' ELSE 'cuckoo' END) FROM generate_series(1, 3) x;
SELECT ninho_agg(x, 10, 0.01, CASE x WHEN 3 THEN 'bloom' ELSE 'cuckoo' END) OVER (ORDER BY x) FROM generate_series(1, 3) x;
SELECT ninho_count(ninho_agg(x, y, 0.01, left('cuckoo' || x, 6))) FROM generate_series(1, 3) x, (SELECT 10 + random()::int) r(y);
SELECT ninho_agg(1, 1000000000000);
SELECT ninho_agg(1, 9223372036854775807);
SELECT ninho_agg(x, 10, 0.01, 'cuckoo') FROM generate_series(1, 1000) x;
SELECT ninho_agg(1) ? 'a';
SELECT ninho_agg('a'::text) ? 1;
SELECT ninho_agg(1) ? 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid;
SELECT ninho_agg(1) ? 1.0;
SELECT ninho_agg(1) | ninho_agg('a'::text);
SELECT ninho_agg(1, 10) | ninho_agg(1, 100000);
SELECT ninho_agg(1, 10, 0.01, 'fuse') | ninho_agg(1, 10, 0.01, 'fuse');
SELECT ninho_union_agg(f) FROM (SELECT ninho_agg(1, 10) f UNION ALL SELECT ninho_agg(1, 100000)) t;
SELECT ninho_remove(ninho_agg(1), 1);
SELECT ninho_remove(ninho_agg(1, 10, 0.01, 'cuckoo'), 2);
SELECT ninho_add(ninho_agg(1, 10, 0.01, 'fuse'), 2);
SELECT ninho_agg_step(NULL, 1);
SELECT ninho_agg_final(NULL);
SELECT ninho_agg_step(NULL::internal, 1);
SELECT ninho_agg_final(NULL::internal), ninho_agg_combine(NULL::internal, NULL::internal);
SELECT ninho_agg_deserialize('\x00'::bytea, NULL::internal), ninho_union_step(NULL::internal, NULL::ninho);
-- Keyed filters want their key.
SET ninho.key = 'short';
SET ninho.key = '00112233445566778899aabbccddeefg';
SET ninho.key = '00112233445566778899aabbccddeeff00';
SET ninho.key = '00112233445566778899aabbccddeeff';
CREATE TABLE keyed AS SELECT ninho_agg(x) AS f, ninho_agg(x, 100, 0.01, 'cuckoo') AS c FROM generate_series(1, 100) x;
SELECT ninho_info(f) ->> 'hash' AS hash, count(*) FROM keyed, generate_series(1, 100) x WHERE f ? x GROUP BY 1;
SELECT ninho_remove(c, 5) ? 5 AS removed FROM keyed;
RESET ninho.key;
SELECT f ? 1 FROM keyed;
SELECT ninho_add(f, 1) FROM keyed;
SELECT ninho_info(f) ->> 'hash' AS hash, ninho_count(f | f) > 0 AS united FROM keyed;
SELECT (f::text)::ninho::bytea = f::bytea AS kept FROM keyed;
SET ninho.key = 'ffffffffffffffffffffffffffffffff';
SELECT f ? 1 FROM keyed;
SELECT ninho_info(f) ->> 'hash' AS hash FROM keyed;
-- The key changes within a query.
SELECT set_config('ninho.key', '00112233445566778899aabbccddeeff', false) IS NOT NULL AND f ? x AS found
    FROM keyed, generate_series(1, 2) x;
SELECT set_config('ninho.key', lpad(x::text, 32, '0'), false) IS NOT NULL AND f ? x FROM keyed, generate_series(1, 2) x;
SELECT ninho_count(ninho_agg(x) FILTER (WHERE set_config('ninho.key', lpad(x::text, 32, '0'), false) <> ''))
    FROM generate_series(1, 3) x;
RESET ninho.key;
-- Only superusers see or set it, and everybody can be limited.
CREATE ROLE ninho_regress_user;
SET ROLE ninho_regress_user;
SET ninho.key = '00112233445566778899aabbccddeeff';
SHOW ninho.key;
SET ninho.max_filter_size = '1GB';
RESET ROLE;
DROP ROLE ninho_regress_user;
SET ninho.max_filter_size = '64kB';
SELECT ninho_agg(1, 1000000);
SELECT ninho_agg(x) FROM generate_series(1, 100000) x;
SELECT ninho_agg(x, NULL, 0.01, 'fuse') FROM generate_series(1, 100000) x;
SELECT octet_length(ninho_agg(x)::bytea) FROM generate_series(1, 10000) x;
RESET ninho.max_filter_size;
-- Not where every user could read it.
ALTER ROLE CURRENT_USER SET ninho.key = '00112233445566778899aabbccddeeff';
ALTER DATABASE contrib_regression SET ninho.key = '00112233445566778899aabbccddeeff';
CREATE FUNCTION keyed_count() RETURNS int LANGUAGE sql SET ninho.key = '00112233445566778899aabbccddeeff' AS 'SELECT 1';
SET ninho.unknown = 1;
-- A filter without a key is asked as ever while there is one.
CREATE TABLE unkeyed AS SELECT ninho_agg(x) AS f, ninho_agg(x, 100, 0.01, 'cuckoo') AS c FROM generate_series(1, 100) x;
SET ninho.key = '00112233445566778899aabbccddeeff';
SELECT count(*), count(*) FILTER (WHERE f ? (x + 100000)) < 10 AS absent FROM unkeyed, generate_series(1, 100) x WHERE f ? x;
SELECT ninho_has(ninho_add(f, 200), 200) AS added, ninho_has(ninho_remove(c, 7), 7) AS removed FROM unkeyed;
SELECT ninho_info(ninho_add(f, 200)) ->> 'hash' AS hash FROM unkeyed;
RESET ninho.key;
DROP TABLE unkeyed;
-- What to do about it.
\set VERBOSITY default
SELECT ninho_agg('2026-01-01'::date) ? '2026-01-01';
SELECT ninho_agg('a'::text) ? 1;
SELECT ninho_agg('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid) ? 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
SELECT ninho_remove(ninho_agg(1), 1);
SELECT ninho_add(ninho_agg(1, 10, 0.01, 'fuse'), 2);
SET ninho.max_filter_size = '64kB';
SELECT ninho_agg(1, 1000000);
RESET ninho.max_filter_size;
