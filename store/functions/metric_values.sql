-- Functions that metrics and filters compile to. An event's properties may hold anything, and
-- one odd row must never fail a statement over millions: each of these gives NULL for what it
-- cannot read. Those that read a property are one expression without NULL shortcuts, so that
-- PostgreSQL inlines them. Here: reading and comparing values.

CREATE OR REPLACE FUNCTION metric_number(v jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(v) = 'number' THEN v::numeric END;

CREATE OR REPLACE FUNCTION metric_text(v jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(v) = 'string' THEN v #>> '{}' END;

CREATE OR REPLACE FUNCTION metric_boolean(v jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(v) = 'boolean' THEN v::boolean END;

-- A string, number or boolean as it is; NULL for null, arrays and objects.
CREATE OR REPLACE FUNCTION metric_value(v jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(v) IN ('string', 'number', 'boolean') THEN v END;

-- The text by which a value is grouped: 5.0 and "5" are both 5.
CREATE OR REPLACE FUNCTION metric_label(v jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE jsonb_typeof(v)
    WHEN 'number' THEN trim_scale(v::numeric)::text
    WHEN 'string' THEN v #>> '{}'
    WHEN 'boolean' THEN v #>> '{}'
END;

-- A value in one form: 1.0 becomes 1, so equal values are equal as text too.
CREATE OR REPLACE FUNCTION metric_distinct(v jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(v) = 'number' THEN trim_scale(v::numeric)::text::jsonb ELSE v END;

-- A value whose order as jsonb does not hang on the database's collation:
-- strings are replaced by the hexadecimal digits of their bytes.
CREATE OR REPLACE FUNCTION metric_order(v jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(v) = 'string' THEN ('"' || encode(convert_to(v #>> '{}', 'UTF8'), 'hex') || '"')::jsonb ELSE v END;

CREATE OR REPLACE FUNCTION metric_compare(a jsonb, b jsonb) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN jsonb_typeof(a) <> jsonb_typeof(b) THEN NULL
    WHEN jsonb_typeof(a) = 'number' THEN numeric_cmp(metric_number(a), metric_number(b))
    ELSE bttextcmp((a #>> '{}') COLLATE "C", b #>> '{}')
END;

CREATE OR REPLACE FUNCTION metric_greatest(VARIADIC candidates jsonb[]) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT CASE WHEN count(DISTINCT jsonb_typeof(v)) = 1 THEN (array_agg(v ORDER BY metric_order(v) DESC))[1] END
    FROM unnest(candidates) AS v
    WHERE v IS NOT NULL
);

CREATE OR REPLACE FUNCTION metric_least(VARIADIC candidates jsonb[]) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT CASE WHEN count(DISTINCT jsonb_typeof(v)) = 1 THEN (array_agg(v ORDER BY metric_order(v)))[1] END
    FROM unnest(candidates) AS v
    WHERE v IS NOT NULL
);
