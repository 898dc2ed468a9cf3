-- Which values are keys, and which of them are the same key.
CREATE TABLE numbers AS SELECT ninho_agg(x::int2) AS i2, ninho_agg(x::int4) AS i4, ninho_agg(x::int8) AS i8
    FROM generate_series(-500, 500) x;
SELECT i2::bytea = i4::bytea AS i2_i4, i4::bytea = i8::bytea AS i4_i8 FROM numbers;
SELECT count(*) AS missed FROM numbers, generate_series(-500, 500) x
    WHERE NOT (i2 ? x::int8 AND i4 ? x::int2 AND i8 ? x::int4 AND i8 ? x::int2 AND i2 ? x::int4);
CREATE TABLE texts AS SELECT ninho_agg(s) AS t, ninho_agg(s::varchar) AS v, ninho_agg(s::char(20)) AS c,
    ninho_agg(s::name) AS n, ninho_agg(s::bytea) AS b FROM (VALUES ('alice'), ('bob'), ('ünï'), ('')) v(s);
SELECT t::bytea = v::bytea AS varchar, t::bytea = c::bytea AS char, t::bytea = n::bytea AS name,
    t::bytea = b::bytea AS bytea FROM texts;
SELECT t ? 'alice' AS literal, t ? 'bob '::char(10) AS char, t ? 'ünï'::varchar AS varchar, t ? 'bob'::name AS name,
    t ? ''::text AS empty, t ? '\x616c696365'::bytea AS bytea, t ? 'ALICE' AS other FROM texts;
-- A domain is what it is made of.
CREATE DOMAIN user_id AS int4 CHECK (value > 0);
SELECT ninho_agg(x::user_id) ? 7::int8 AS domain FROM generate_series(1, 10) x;
-- uuid, timestamps and dates. A date is the timestamp at which it begins.
SELECT ninho_agg(md5(x::text)::uuid) ? md5('3')::uuid AS uuid FROM generate_series(1, 5) x;
SELECT ninho_agg(t) ? '2026-02-03 00:00'::timestamp AS same, ninho_agg(t) ? '2026-02-03'::date AS date,
    ninho_agg(t) ? 'infinity'::date AS infinity, ninho_agg(t) ? '1970-01-01 00:00:01'::timestamp AS other
    FROM (VALUES ('2026-02-03'::timestamp), ('infinity'), ('4713-01-01 BC'), ('294276-12-31 23:59')) v(t);
SELECT ninho_agg(t::timestamptz) ? t::timestamptz AS timestamptz FROM (VALUES ('2026-02-03')) v(t) GROUP BY t;
-- Microseconds since 1970, so that the tool can ask with numbers.
SELECT ninho_agg(t) ? 1000000::int8 AS microseconds FROM (VALUES ('1970-01-01 00:00:01'::timestamp)) v(t);
SELECT ninho_agg(d) ? '5874897-12-31'::date AS last, ninho_agg(d) ? '5874897-12-30'::date AS other
    FROM (VALUES ('5874897-12-31'::date)) v(d);
SELECT t, ninho_key_encoding(t::regtype) FROM unnest(ARRAY['text', 'bytea', 'int2', 'bigint', 'uuid', 'date',
    'timestamptz', 'numeric', 'float8', 'user_id', 'jsonb']) t;
SELECT ninho_keys_agree('int2', 'user_id') AS integers, ninho_keys_agree('date', 'timestamp') AS times,
    ninho_keys_agree('timestamp', 'timestamptz') AS zones, ninho_keys_agree('int8', 'timestamp') AS kinds,
    ninho_keys_agree('text', 'varchar') AS texts, ninho_keys_agree('text', 'bytea') AS bytes,
    ninho_keys_agree('numeric', 'numeric') AS none;
-- Collations that take different bytes for equal are refused, others are not.
CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE COLLATION strict (provider = icu, locale = 'und');
CREATE TABLE people (name text COLLATE loose, strict_name text COLLATE strict);
INSERT INTO people VALUES ('alice', 'alice');
SELECT count(*) FROM people WHERE name = 'ALICE';
SELECT ninho_agg(name) FROM people;
SELECT ninho_agg('alice'::text) ? name FROM people GROUP BY name;
SELECT ninho_has(t, name) FROM people, texts;
SELECT ninho_add(t, name) IS NOT NULL FROM people, texts;
SELECT ninho_agg(name COLLATE "C") ? 'alice' AS asked_for, ninho_agg(strict_name) ? 'alice' AS strict FROM people;
-- The value's collation counts, not that of the name of the kind.
CREATE TABLE kinds (kind text COLLATE strict);
INSERT INTO kinds VALUES ('cuckoo');
SELECT ninho_agg(name, 10, 0.01, 'cuckoo' COLLATE "C") FROM people;
SELECT ninho_agg(name, 10, 0.01, kind) FROM people, kinds;
SELECT ninho_agg(name, 10, 0.01, 'cuckoo' COLLATE "C") OVER () FROM people;
SELECT ninho_agg(strict_name, 10, 0.01, 'cuckoo' COLLATE "C") OVER () ? 'alice' AS strict,
    ninho_agg(1, 10, 0.01, 'cuckoo' COLLATE loose) OVER () ? 1 AS number FROM people;
-- One that cannot be told might be such a one.
SELECT t ? (name || strict_name) FROM people, texts;
SELECT ninho_agg(name || strict_name) FROM people;
-- However the collation comes about.
CREATE DOMAIN loose_text AS varchar(20) COLLATE loose;
CREATE TABLE by_domain (name loose_text, names text[] COLLATE loose) PARTITION BY RANGE (name);
CREATE TABLE by_domain_1 PARTITION OF by_domain DEFAULT;
INSERT INTO by_domain VALUES ('alice', ARRAY['alice']);
SELECT ninho_agg(name) FROM by_domain;
SELECT ninho_agg(name) FROM by_domain_1;
SELECT ninho_agg(lower(name)) FROM by_domain_1;
SELECT ninho_agg(s) FROM by_domain, unnest(names) s;
SELECT t ? name FROM texts, by_domain;
SELECT t ? ANY (names) FROM texts, by_domain;
SELECT t ? ANY (names COLLATE "C") AS asked_for FROM texts, by_domain;
SET plan_cache_mode = force_generic_plan;
PREPARE ask(text) AS SELECT t ? ($1 COLLATE loose) FROM texts;
EXECUTE ask('alice');
PREPARE ask_again(text) AS SELECT t ? $1 AS asked_again FROM texts;
EXECUTE ask_again('alice');
RESET plan_cache_mode;
-- A type over text with an equality of its own, too.
CREATE EXTENSION citext;
CREATE TABLE loose_people AS SELECT 'ALICE'::citext AS name;
SELECT ninho_agg(name) FROM loose_people;
SELECT t ? name FROM texts, loose_people;
SELECT ninho_has(t, name) FROM texts, loose_people;
SELECT t ? lower(name::text) AS asked_for FROM texts, loose_people;
SELECT t ? ANY (ARRAY[name, 'x']) FROM texts, loose_people;
SELECT t ? ANY (ARRAY[lower(name)::text, 'x']) AS asked_for FROM texts, loose_people;
SELECT ninho_key_encoding(0::regtype) AS no_type;
