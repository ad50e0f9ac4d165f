-- Texts in metrics (see metric_values.sql).

-- Letters are those of the database's collation, whatever the column's is.
CREATE OR REPLACE FUNCTION metric_lower(s text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(s COLLATE "default");

CREATE OR REPLACE FUNCTION metric_upper(s text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN upper(s COLLATE "default");

-- Strings that a metric puts together are as long as those of an event at most: each
-- operand of a call takes its memory at the same time.
CREATE OR REPLACE FUNCTION metric_concat(VARIADIC parts text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(array_to_string(parts, ''), 65536);

CREATE OR REPLACE FUNCTION metric_substr(s text, start numeric) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substr(s, least(greatest(trunc(start), -1000000000), 1000000000)::integer);

CREATE OR REPLACE FUNCTION metric_substr(s text, start numeric, count numeric) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN trunc(count) >= 0 THEN
    substr(s, least(greatest(trunc(start), -1000000000), 1000000000)::integer, least(trunc(count), 1000000000)::integer)
END;
