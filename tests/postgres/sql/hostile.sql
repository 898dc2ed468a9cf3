-- Bytes that are no filter: an error each time, and the server goes on.
\set VERBOSITY terse
SELECT ''::ninho;
SELECT 'not base64'::ninho;
SELECT 'AAAA'::ninho;
SELECT '\x'::bytea::ninho;
SELECT '\x4e494e484f00'::bytea::ninho;
SELECT decode(repeat('00', 1000), 'hex')::ninho;
SELECT decode('4e494e484f00' || repeat('ff', 1000), 'hex')::ninho;
SELECT repeat('A', 1000000)::ninho;
-- 10,000 mutations of filters of every kind: one to four bytes changed, or cut, or longer. Each is refused; what is
-- accepted must be the filter itself.
CREATE FUNCTION is_refused(bytes bytea) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM bytes::ninho ? 1;
    RETURN false;
EXCEPTION
    WHEN invalid_binary_representation OR data_corrupted OR feature_not_supported OR object_not_in_prerequisite_state
        OR invalid_parameter_value THEN
    RETURN true;
END $$;
CREATE TABLE victims AS SELECT kind, ninho_agg(x, 40, 0.01, kind)::bytea AS b FROM generate_series(1, 40) x,
    unnest(ARRAY['bloom', 'blocked', 'counting', 'cuckoo', 'quotient', 'fuse', 'compact', 'scalable']) kind GROUP BY kind;
SELECT count(*) FROM victims WHERE is_refused(b);
SELECT setseed(0.25);
CREATE TABLE mutants AS SELECT kind, b, CASE m % 8
        WHEN 0 THEN substr(b, 1, (random() * (octet_length(b) - 1))::int)
        WHEN 1 THEN b || decode(repeat('5a', 1 + m % 70), 'hex')
        ELSE set_byte(set_byte(set_byte(b, (random() * (octet_length(b) - 1))::int, (random() * 255)::int),
            (random() * 191)::int, (random() * 255)::int), (random() * 100)::int, (random() * 255)::int)
    END AS mutant FROM victims, generate_series(1, 1250) m;
SELECT count(*), count(*) FILTER (WHERE is_refused(mutant)) = count(*) AS all_refused FROM mutants WHERE mutant <> b;
-- As text too.
CREATE FUNCTION is_refused_text(t text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM t::ninho;
    RETURN false;
EXCEPTION
    WHEN invalid_binary_representation OR data_corrupted OR feature_not_supported OR invalid_text_representation THEN
    RETURN true;
END $$;
SELECT count(*) FILTER (WHERE NOT is_refused_text(replace(encode(mutant, 'base64'), E'\n', ''))) FROM mutants
    WHERE mutant <> b;
SELECT count(*) FILTER (WHERE NOT is_refused_text(overlay(encode(b, 'escape') placing '=' from 5))) FROM victims;
SELECT count(*) AS still_good FROM victims WHERE b::ninho ? 40;
