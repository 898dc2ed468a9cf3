-- The type: text, binary, bytea, storage.
CREATE EXTENSION ninho;
SELECT ninho_version() ~ '^[0-9]+\.[0-9]+\.[0-9]+$' AS has_version;
CREATE TABLE filters (name text PRIMARY KEY, f ninho);
INSERT INTO filters SELECT 'small', ninho_agg(x, 10) FROM generate_series(1, 10) x;
INSERT INTO filters SELECT 'large', ninho_agg(x) FROM generate_series(1, 100000) x;
-- Text is base64: 4 bytes for 3.
SELECT name, length(f::text) = 4 * ceil(octet_length(f::bytea) / 3.0) AS is_base64,
    octet_length(f::bytea) AS bytes FROM filters ORDER BY name;
-- There and back, by each way.
SELECT name, (f::text)::ninho::bytea = f::bytea AS text, (f::bytea)::ninho::bytea = f::bytea AS bytea,
    ninho_send(f) = f::bytea AS binary FROM filters ORDER BY name;
-- A large one lies in the TOAST table, as it is: filters do not compress.
SELECT name, pg_column_size(f) >= octet_length(f::bytea) AS is_whole FROM filters ORDER BY name;
SELECT attstorage FROM pg_attribute WHERE attrelid = 'filters'::regclass AND attname = 'f';
-- Toasted, it answers as it did, from a joined row and from a subquery.
SELECT count(*) FROM filters, generate_series(1, 1000) x WHERE name = 'large' AND f ? x;
SELECT count(*) FROM generate_series(1, 1000) x WHERE (SELECT f FROM filters WHERE name = 'large') ? x;
-- Two filters in turn at one call site.
SELECT name, count(*) FROM filters, generate_series(1, 10) x WHERE f ? x GROUP BY name ORDER BY name;
-- A hundred in turn, more than are kept.
CREATE TABLE turns AS SELECT g, ninho_agg(x, 5000) AS f FROM (SELECT x, x % 100 AS g FROM generate_series(1, 5000) x) t
    GROUP BY g;
SELECT bool_and(pg_column_size(f) > 2000) AS are_toasted FROM turns;
SET work_mem = '64kB';
SELECT count(*) AS asked, count(*) FILTER (WHERE f ? x AND g = x % 100) AS found FROM generate_series(1, 300) x
    CROSS JOIN LATERAL (SELECT g, f FROM turns OFFSET 0) t;
RESET work_mem;
SELECT count(*) AS asked, count(*) FILTER (WHERE f ? x AND g = x % 100) AS found FROM generate_series(1, 300) x
    CROSS JOIN LATERAL (SELECT g, f FROM turns OFFSET 0) t;
DROP TABLE turns;
-- Compressed where somebody wants that.
CREATE TABLE compressed (f ninho);
ALTER TABLE compressed ALTER f SET STORAGE main;
INSERT INTO compressed SELECT ninho_agg(x, 100000) FROM generate_series(1, 10) x;
SELECT pg_column_size(f) < 20000 AS is_compressed, octet_length(f::bytea) FROM compressed;
SELECT count(*) FROM compressed, generate_series(1, 10) x WHERE f ? x;
-- Binary copies.
\copy filters TO 'results/filters.copy' WITH (FORMAT binary)
CREATE TABLE copies (LIKE filters);
\copy copies FROM 'results/filters.copy' WITH (FORMAT binary)
SELECT count(*) FROM filters JOIN copies USING (name) WHERE filters.f::bytea = copies.f::bytea;
-- NULL.
SELECT NULL::ninho ? 1 IS NULL AS has, ninho_info(NULL) IS NULL AS info, NULL::ninho | f IS NULL AS u,
    f ? NULL::int IS NULL AS value FROM filters WHERE name = 'small';
