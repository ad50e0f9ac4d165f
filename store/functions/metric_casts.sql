-- CAST in metrics (see metric_values.sql).

-- A number as it is, and a string that holds one in the bounds of an event's.
-- Its length and exponent are bounded before it is read.
CREATE OR REPLACE FUNCTION metric_to_number(v jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE jsonb_typeof(v)
    WHEN 'number' THEN v::numeric
    WHEN 'string' THEN (
        SELECT CASE WHEN abs(n) < 1e30 AND scale(n) <= 60 THEN n END
        FROM (SELECT CASE
            WHEN length(v #>> '{}') <= 200 AND v #>> '{}' ~ '^ *[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})? *$'
            THEN trim_scale((v #>> '{}')::numeric)
        END) AS read(n)
    )
END;

-- Rounded half away from zero; NULL beyond 64 bits.
CREATE OR REPLACE FUNCTION metric_to_bigint(v jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT CASE WHEN n BETWEEN -9223372036854775808 AND 9223372036854775807 THEN n END
    FROM round(metric_to_number(v)) AS n
);

CREATE OR REPLACE FUNCTION metric_to_boolean(v jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE jsonb_typeof(v)
    WHEN 'boolean' THEN v::boolean
    WHEN 'number' THEN v::numeric <> 0
    WHEN 'string' THEN CASE
        WHEN lower(btrim(v #>> '{}')) IN ('true', 't', 'yes', 'y', 'on', '1') THEN true
        WHEN lower(btrim(v #>> '{}')) IN ('false', 'f', 'no', 'n', 'off', '0') THEN false
    END
END;
