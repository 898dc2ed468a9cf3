/* SPDX-License-Identifier: MIT */
-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION ninho" to load this file. \quit

-- ---- The type ---------------------------------------------------------------------------

CREATE TYPE ninho;

CREATE FUNCTION ninho_in(cstring) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_out(ninho) RETURNS cstring
    AS 'MODULE_PATHNAME', 'ninhopg_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_recv(internal) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_send(ninho) RETURNS bytea
    AS 'MODULE_PATHNAME', 'ninhopg_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- Filters do not compress: external storage saves the attempt.
CREATE TYPE ninho (
    INPUT = ninho_in, OUTPUT = ninho_out, RECEIVE = ninho_recv, SEND = ninho_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
);
COMMENT ON TYPE ninho IS 'a filter, in the bytes of a ninho file';

CREATE FUNCTION ninho(bytea) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (bytea AS ninho) WITH FUNCTION ninho(bytea) AS ASSIGNMENT;
CREATE CAST (ninho AS bytea) WITHOUT FUNCTION AS ASSIGNMENT;

-- ---- One key, of each type that can be one ----------------------------------------------

-- What these answer for a keyed filter follows from the filter and the value alone: under another ninho.key there is an error,
-- never another answer. So they are immutable, and postgres_fdw sends no operator that is not.

CREATE FUNCTION ninho_has(filter ninho, value text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'ninhopg_has_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_add(filter ninho, value text) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_add_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_remove(filter ninho, value text) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_remove_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR ? (LEFTARG = ninho, RIGHTARG = text, FUNCTION = ninho_has,
    RESTRICT = matchingsel, JOIN = matchingjoinsel);

CREATE FUNCTION ninho_has(filter ninho, value bytea) RETURNS boolean
    AS 'MODULE_PATHNAME', 'ninhopg_has_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_add(filter ninho, value bytea) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_add_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_remove(filter ninho, value bytea) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_remove_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR ? (LEFTARG = ninho, RIGHTARG = bytea, FUNCTION = ninho_has,
    RESTRICT = matchingsel, JOIN = matchingjoinsel);

CREATE FUNCTION ninho_has(filter ninho, value smallint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'ninhopg_has_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_add(filter ninho, value smallint) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_add_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_remove(filter ninho, value smallint) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_remove_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR ? (LEFTARG = ninho, RIGHTARG = smallint, FUNCTION = ninho_has,
    RESTRICT = matchingsel, JOIN = matchingjoinsel);

CREATE FUNCTION ninho_has(filter ninho, value integer) RETURNS boolean
    AS 'MODULE_PATHNAME', 'ninhopg_has_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_add(filter ninho, value integer) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_add_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_remove(filter ninho, value integer) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_remove_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR ? (LEFTARG = ninho, RIGHTARG = integer, FUNCTION = ninho_has,
    RESTRICT = matchingsel, JOIN = matchingjoinsel);

CREATE FUNCTION ninho_has(filter ninho, value bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'ninhopg_has_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_add(filter ninho, value bigint) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_add_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_remove(filter ninho, value bigint) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_remove_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR ? (LEFTARG = ninho, RIGHTARG = bigint, FUNCTION = ninho_has,
    RESTRICT = matchingsel, JOIN = matchingjoinsel);

CREATE FUNCTION ninho_has(filter ninho, value uuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'ninhopg_has_uuid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_add(filter ninho, value uuid) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_add_uuid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_remove(filter ninho, value uuid) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_remove_uuid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR ? (LEFTARG = ninho, RIGHTARG = uuid, FUNCTION = ninho_has,
    RESTRICT = matchingsel, JOIN = matchingjoinsel);

CREATE FUNCTION ninho_has(filter ninho, value timestamp) RETURNS boolean
    AS 'MODULE_PATHNAME', 'ninhopg_has_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_add(filter ninho, value timestamp) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_add_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_remove(filter ninho, value timestamp) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_remove_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR ? (LEFTARG = ninho, RIGHTARG = timestamp, FUNCTION = ninho_has,
    RESTRICT = matchingsel, JOIN = matchingjoinsel);

CREATE FUNCTION ninho_has(filter ninho, value timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'ninhopg_has_timestamptz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_add(filter ninho, value timestamptz) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_add_timestamptz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_remove(filter ninho, value timestamptz) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_remove_timestamptz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR ? (LEFTARG = ninho, RIGHTARG = timestamptz, FUNCTION = ninho_has,
    RESTRICT = matchingsel, JOIN = matchingjoinsel);

CREATE FUNCTION ninho_has(filter ninho, value date) RETURNS boolean
    AS 'MODULE_PATHNAME', 'ninhopg_has_date' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_add(filter ninho, value date) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_add_date' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_remove(filter ninho, value date) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_remove_date' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR ? (LEFTARG = ninho, RIGHTARG = date, FUNCTION = ninho_has,
    RESTRICT = matchingsel, JOIN = matchingjoinsel);

-- ---- Whole filters ----------------------------------------------------------------------

CREATE FUNCTION ninho_union(ninho, ninho) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OPERATOR | (LEFTARG = ninho, RIGHTARG = ninho, FUNCTION = ninho_union);

CREATE FUNCTION ninho_info(ninho) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'ninhopg_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_count(ninho) RETURNS bigint
    AS 'MODULE_PATHNAME', 'ninhopg_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_estimate(ninho) RETURNS double precision
    AS 'MODULE_PATHNAME', 'ninhopg_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_version() RETURNS text
    AS 'MODULE_PATHNAME', 'ninhopg_version' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_key_encoding(regtype) RETURNS text
    AS 'MODULE_PATHNAME', 'ninhopg_key_encoding' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_keys_agree(regtype, regtype) RETURNS boolean
    AS 'MODULE_PATHNAME', 'ninhopg_keys_agree' LANGUAGE C STABLE STRICT PARALLEL SAFE;

-- ---- Aggregates -------------------------------------------------------------------------

-- What ninho_agg makes depends on ninho.key: its functions are no more than stable.

CREATE FUNCTION ninho_agg_step(internal, value anyelement) RETURNS internal
    AS 'MODULE_PATHNAME', 'ninhopg_agg_step' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION ninho_agg_step(internal, value anyelement, capacity bigint) RETURNS internal
    AS 'MODULE_PATHNAME', 'ninhopg_agg_step' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION ninho_agg_step(internal, value anyelement, capacity bigint, fpr double precision) RETURNS internal
    AS 'MODULE_PATHNAME', 'ninhopg_agg_step' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION ninho_agg_step(internal, value anyelement, capacity bigint, fpr double precision, kind text) RETURNS internal
    AS 'MODULE_PATHNAME', 'ninhopg_agg_step' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION ninho_agg_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'ninhopg_agg_combine' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION ninho_agg_serialize(internal) RETURNS bytea
    AS 'MODULE_PATHNAME', 'ninhopg_agg_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_agg_deserialize(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'ninhopg_agg_deserialize' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_agg_final(internal) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_agg_final' LANGUAGE C STABLE PARALLEL SAFE;

CREATE AGGREGATE ninho_agg(value anyelement) (
    SFUNC = ninho_agg_step, STYPE = internal, FINALFUNC = ninho_agg_final,
    COMBINEFUNC = ninho_agg_combine, SERIALFUNC = ninho_agg_serialize,
    DESERIALFUNC = ninho_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE ninho_agg(value anyelement, capacity bigint) (
    SFUNC = ninho_agg_step, STYPE = internal, FINALFUNC = ninho_agg_final,
    COMBINEFUNC = ninho_agg_combine, SERIALFUNC = ninho_agg_serialize,
    DESERIALFUNC = ninho_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE ninho_agg(value anyelement, capacity bigint, fpr double precision) (
    SFUNC = ninho_agg_step, STYPE = internal, FINALFUNC = ninho_agg_final,
    COMBINEFUNC = ninho_agg_combine, SERIALFUNC = ninho_agg_serialize,
    DESERIALFUNC = ninho_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE ninho_agg(value anyelement, capacity bigint, fpr double precision, kind text) (
    SFUNC = ninho_agg_step, STYPE = internal, FINALFUNC = ninho_agg_final,
    COMBINEFUNC = ninho_agg_combine, SERIALFUNC = ninho_agg_serialize,
    DESERIALFUNC = ninho_agg_deserialize, PARALLEL = SAFE);

CREATE FUNCTION ninho_union_step(internal, ninho) RETURNS internal
    AS 'MODULE_PATHNAME', 'ninhopg_union_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION ninho_union_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'ninhopg_union_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION ninho_union_serialize(internal) RETURNS bytea
    AS 'MODULE_PATHNAME', 'ninhopg_union_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_union_deserialize(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'ninhopg_union_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ninho_union_final(internal) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_union_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE ninho_union_agg(ninho) (
    SFUNC = ninho_union_step, STYPE = internal, FINALFUNC = ninho_union_final,
    COMBINEFUNC = ninho_union_combine, SERIALFUNC = ninho_union_serialize,
    DESERIALFUNC = ninho_union_deserialize, PARALLEL = SAFE);

CREATE FUNCTION ninho_create(
    type regtype, capacity bigint DEFAULT NULL, fpr double precision DEFAULT NULL, kind text DEFAULT NULL) RETURNS ninho
    AS 'MODULE_PATHNAME', 'ninhopg_create' LANGUAGE C STABLE PARALLEL SAFE;

-- ---- Semijoins between servers ----------------------------------------------------------

CREATE FUNCTION ninho_semijoin_plan(
    n_keys double precision, n_remote double precision, row_bytes double precision,
    key_bytes double precision, match_share double precision DEFAULT 1,
    OUT method text, OUT kind text, OUT fpr double precision, OUT bits_per_key double precision,
    OUT sent_bytes double precision, OUT received_bytes double precision) RETURNS record
    AS 'MODULE_PATHNAME', 'ninhopg_semijoin_plan' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ninho_semijoin_plan IS
    'the way that moves the fewest bytes: list, filter (of which kind and fpr) or plain';

CREATE FUNCTION ninho_row_bytes(regclass) RETURNS double precision
    AS 'MODULE_PATHNAME', 'ninhopg_row_bytes' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ninho_row_bytes IS
    'the bytes of a row of this table on its way to another server, by its statistics; NULL if it was never analysed';

-- The rows of a foreign table whose key is one of `keys`, by the way that ninho_semijoin_plan() chooses. What it
-- needs to know and is not told it takes from the statistics of the foreign table. Without any it asks the remote server for
-- the number of rows, and for some of them for their width, as far as the keys are many enough to be worth it.
--
-- How many of the keys match nobody knows. It plans as if none did: a filter that turns out to keep nothing back costs some
-- bytes for each key, but a plain join that was not needed costs the table.
--
-- Operands have the very types of an operator of pg_catalog: where they do not, an operator of the same name that another user
-- made could fit better, and would be run. Only the column is compared with the keys as in any statement of the caller's.
--
-- What is sent is the value of a subquery, so that postgres_fdw has it as a parameter and sends it once, also
-- where it asks the remote server for estimates. Nested loops are off since one would ask for each key apart.
CREATE FUNCTION ninho_semijoin(
    remote anyelement, key_column name, keys anycompatiblearray,
    n_remote double precision DEFAULT NULL, row_bytes double precision DEFAULT NULL,
    method text DEFAULT NULL) RETURNS SETOF anyelement
    LANGUAGE plpgsql STABLE SET enable_nestloop = off AS $body$
DECLARE
    remote_table regclass := (SELECT t.typrelid FROM pg_catalog.pg_type t
        WHERE t.oid = pg_catalog.pg_typeof(remote)::oid AND t.typrelid <> 0::oid);
    column_type regtype := (SELECT a.atttypid FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = remote_table::oid AND a.attname = key_column COLLATE pg_catalog."C" AND a.attnum > 0
        AND NOT a.attisdropped);
    is_deterministic boolean := coalesce((SELECT c.collisdeterministic FROM pg_catalog.pg_attribute a
        JOIN pg_catalog.pg_collation c ON c.oid = a.attcollation
        WHERE a.attrelid = remote_table::oid AND a.attname = key_column COLLATE pg_catalog."C"), true);
    -- Only with this option does the filter go there; otherwise every row comes here to be asked for.
    server_without_option name := (SELECT s.srvname FROM pg_catalog.pg_foreign_table t
        JOIN pg_catalog.pg_foreign_server s ON s.oid = t.ftserver
        WHERE t.ftrelid = remote_table::oid AND NOT EXISTS (SELECT FROM pg_catalog.pg_options_to_table(s.srvoptions) o,
            pg_catalog.regexp_split_to_table(o.option_value, ',') e
            WHERE o.option_name = 'extensions' AND pg_catalog.lower(pg_catalog.btrim(e, ' "')) = 'ninho'));
    n_columns bigint := (SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = remote_table::oid AND a.attnum > 0 AND NOT a.attisdropped);
    key_type regtype;
    list_type text; -- by its own name: character[] would be of one letter each
    n_keys bigint;
    list_bytes double precision;
    plan record;
    filter @extschema@.ninho;
BEGIN
    IF remote_table IS NULL THEN
        RAISE EXCEPTION 'ninho: the first argument is to be NULL of a table''s row type, as in NULL::my_table'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF column_type IS NULL THEN
        RAISE EXCEPTION 'ninho: % has no column "%"', remote_table, key_column USING ERRCODE = 'undefined_column';
    ELSIF method NOT IN ('list', 'filter', 'plain') THEN
        RAISE EXCEPTION 'ninho: no such method: "%": there are list, filter and plain', method
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- By the equality of their type: here, in a statement of its own, they have no collation of the caller's any more.
    EXECUTE 'SELECT ARRAY(SELECT DISTINCT k FROM pg_catalog.unnest($1) k WHERE k IS NOT NULL)' INTO keys USING keys;
    n_keys := pg_catalog.cardinality(keys);
    IF n_keys = 0 THEN
        RETURN;
    END IF;
    SELECT t.typelem, pg_catalog.format('%I.%I', n.nspname, t.typname) INTO key_type, list_type
        FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
        WHERE t.oid = pg_catalog.pg_typeof(keys)::oid;
    list_bytes := pg_catalog.octet_length(keys::text);
    IF n_remote IS NULL THEN
        n_remote := (SELECT c.reltuples FROM pg_catalog.pg_class c WHERE c.oid = remote_table::oid AND c.reltuples > 0::real);
    END IF;
    row_bytes := coalesce(row_bytes, @extschema@.ninho_row_bytes(remote_table));
    -- To ask for the number of rows costs 300 bytes: more than a filter of so few keys would save.
    IF method IS NULL AND (n_remote IS NULL OR row_bytes IS NULL) AND list_bytes < double precision '1000' THEN
        method := 'list';
    END IF;
    IF n_remote IS NULL AND method IS DISTINCT FROM 'list' THEN
        EXECUTE pg_catalog.format('SELECT pg_catalog.count(*) FROM %s', remote_table) INTO n_remote;
    END IF;
    IF row_bytes IS NULL AND method IS DISTINCT FROM 'list' THEN
        -- On the wire a row has 7 bytes, and a column 4, besides its text.
        IF list_bytes < double precision '4096' THEN -- to ask costs 300 bytes and a row, a wrong guess no more
            row_bytes := (SELECT pg_catalog.sum(CASE WHEN a.attlen > 0 THEN a.attlen ELSE 32 END) + 7 + 4 * n_columns
                FROM pg_catalog.pg_attribute a
                WHERE a.attrelid = remote_table::oid AND a.attnum > 0 AND NOT a.attisdropped);
        ELSE -- a row as text has a comma between columns and two brackets
            EXECUTE pg_catalog.format('SELECT pg_catalog.avg(pg_catalog.octet_length(r::text)) FROM '
                '(SELECT * FROM %s LIMIT %s) r', remote_table,
                least(10, 1 + (list_bytes / double precision '65536')::bigint)) INTO row_bytes;
            row_bytes := coalesce(row_bytes + (6 + 3 * n_columns)::double precision, 0);
        END IF;
    END IF;
    SELECT * INTO plan FROM @extschema@.ninho_semijoin_plan(n_keys::double precision, coalesce(n_remote, 0),
        coalesce(row_bytes, 0), list_bytes / n_keys::double precision - double precision '1', double precision '0') p;
    method := coalesce(method, plan.method);
    -- Equal values must be equal keys.
    IF method = 'filter' AND NOT (@extschema@.ninho_keys_agree(key_type, column_type) AND is_deterministic) THEN
        method := 'list';
    END IF;
    IF method = 'filter' AND server_without_option IS NOT NULL THEN
        RAISE NOTICE 'ninho: server % has no option that sends it filters: a list of the keys is sent instead',
            server_without_option
            USING HINT = pg_catalog.format('ALTER SERVER %I OPTIONS (ADD extensions ''ninho'')', server_without_option);
        method := 'list';
    END IF;
    IF method = 'list' THEN
        RETURN QUERY EXECUTE pg_catalog.format(
            'SELECT r.* FROM %s r WHERE r.%I = ANY ((SELECT $1)::%s)', remote_table, key_column, list_type)
            USING keys;
    ELSIF method = 'plain' THEN
        RETURN QUERY EXECUTE pg_catalog.format(
            'SELECT r.* FROM %s r WHERE r.%I IN (SELECT key FROM pg_catalog.unnest($1) wanted(key))',
            remote_table, key_column)
            USING keys;
    ELSE
        EXECUTE 'SELECT @extschema@.ninho_agg(k, $2, $3, $4) FROM pg_catalog.unnest($1) k' INTO filter
            USING keys, n_keys, coalesce(plan.fpr, 0.001), coalesce(plan.kind, 'bloom');
        RETURN QUERY EXECUTE pg_catalog.format(
            'SELECT r.* FROM %s r WHERE (SELECT $1) OPERATOR(@extschema@.?) r.%I '
            'AND r.%I IN (SELECT key FROM pg_catalog.unnest($2) wanted(key))', remote_table, key_column, key_column)
            USING filter, keys;
    END IF;
END
$body$;
COMMENT ON FUNCTION ninho_semijoin IS
    'the rows of a foreign table whose key is one of those given, with the fewest bytes moved';

-- ---- What psql tells of them ------------------------------------------------------------

DO $body$
DECLARE
    about text[];
    it record;
BEGIN
    FOREACH about SLICE 1 IN ARRAY ARRAY[
        ['ninho_agg', 'a filter of the values'],
        ['ninho_create', 'an empty filter for values of this type'],
        ['ninho_union_agg', 'one filter of all of them, which were made alike'],
        ['ninho_has', 'true: maybe it is in the filter; false: certainly not'],
        ['ninho_add', 'the filter with the value in it'],
        ['ninho_remove', 'the filter with one copy of the value less, where its kind can'],
        ['ninho_union', 'one filter of two that were made alike'],
        ['ninho_info', 'what ninho info --json tells'],
        ['ninho_count', 'how many values were added'],
        ['ninho_estimate', 'how many distinct values it has, by the bits that are set'],
        ['ninho_key_encoding', 'how values of a type are keys; NULL if they cannot be'],
        ['ninho_keys_agree', 'are equal values of the two types equal keys?'],
        ['ninho_version', 'the version of the library']] LOOP
        FOR it IN SELECT p.oid::regprocedure AS name, p.prokind = 'a' AS is_aggregate FROM pg_catalog.pg_proc p
            WHERE p.proname = about[1] AND p.pronamespace = '@extschema@'::regnamespace::oid LOOP
            EXECUTE pg_catalog.format('COMMENT ON %s %s IS %L',
                CASE WHEN it.is_aggregate THEN 'AGGREGATE' ELSE 'FUNCTION' END, it.name, about[2]);
        END LOOP;
    END LOOP;
    FOR it IN SELECT o.oid::regoperator AS name, o.oprname = '?' AS asks FROM pg_catalog.pg_operator o
        WHERE o.oprleft = '@extschema@.ninho'::regtype::oid LOOP
        EXECUTE pg_catalog.format('COMMENT ON OPERATOR %s IS %L', it.name,
            CASE WHEN it.asks THEN 'maybe in the filter' ELSE 'one filter of two' END);
    END LOOP;
END
$body$;
