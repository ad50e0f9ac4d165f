-- Functions that metrics and filters compile to. An event's properties may hold
-- anything, and one odd row must never fail a statement over millions: each of
-- these gives NULL for what it cannot read. Those that read a property are one
-- expression without NULL shortcuts, so that PostgreSQL inlines them.

-- +goose Up

-- Reading a value: NULL where it is of another type.

-- +goose StatementBegin
CREATE FUNCTION metric_number(v jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(v) = 'number' THEN v::numeric END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION metric_text(v jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(v) = 'string' THEN v #>> '{}' END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION metric_boolean(v jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(v) = 'boolean' THEN v::boolean END;
-- +goose StatementEnd

-- A string, number or boolean as it is; NULL for null, arrays and objects.
-- +goose StatementBegin
CREATE FUNCTION metric_value(v jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(v) IN ('string', 'number', 'boolean') THEN v END;
-- +goose StatementEnd

-- The text by which a value is grouped: 5.0 and "5" are both 5.
-- +goose StatementBegin
CREATE FUNCTION metric_label(v jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE jsonb_typeof(v)
    WHEN 'number' THEN trim_scale(v::numeric)::text
    WHEN 'string' THEN v #>> '{}'
    WHEN 'boolean' THEN v #>> '{}'
END;
-- +goose StatementEnd

-- A value in one form: 1.0 becomes 1, so equal values are equal as text too.
-- +goose StatementBegin
CREATE FUNCTION metric_distinct(v jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(v) = 'number' THEN trim_scale(v::numeric)::text::jsonb ELSE v END;
-- +goose StatementEnd

-- A value whose order as jsonb does not hang on the database's collation:
-- strings are replaced by the hexadecimal digits of their bytes.
-- +goose StatementBegin
CREATE FUNCTION metric_order(v jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(v) = 'string' THEN ('"' || encode(convert_to(v #>> '{}', 'UTF8'), 'hex') || '"')::jsonb ELSE v END;
-- +goose StatementEnd

-- Comparing values: below, equal to or above zero, NULL for different types.
-- Strings go by code point, and false comes before true in that order as well.

-- +goose StatementBegin
CREATE FUNCTION metric_compare(a jsonb, b jsonb) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN jsonb_typeof(a) <> jsonb_typeof(b) THEN NULL
    WHEN jsonb_typeof(a) = 'number' THEN numeric_cmp(metric_number(a), metric_number(b))
    ELSE bttextcmp((a #>> '{}') COLLATE "C", b #>> '{}')
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION metric_greatest(VARIADIC candidates jsonb[]) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT CASE WHEN count(DISTINCT jsonb_typeof(v)) = 1 THEN (array_agg(v ORDER BY metric_order(v) DESC))[1] END
    FROM unnest(candidates) AS v
    WHERE v IS NOT NULL
);
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION metric_least(VARIADIC candidates jsonb[]) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT CASE WHEN count(DISTINCT jsonb_typeof(v)) = 1 THEN (array_agg(v ORDER BY metric_order(v)))[1] END
    FROM unnest(candidates) AS v
    WHERE v IS NOT NULL
);
-- +goose StatementEnd

-- Arithmetic.

-- The quotient, its 20th place rounded half away from zero; NULL for n / 0.
-- An exact integer quotient with one more digit decides the rounding, since
-- PostgreSQL's own division ends after fewer digits.
-- +goose StatementBegin
CREATE FUNCTION metric_divide(a numeric, b numeric) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN b <> 0 THEN trim_scale(round(div(a * 1e21, b) * 1e-21, 20)) END;
-- +goose StatementEnd

-- A computed number in the bounds of an event's.
-- +goose StatementBegin
CREATE FUNCTION metric_bound(n numeric) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN abs(n) < 1e30 THEN trim_scale(round(n, 60)) END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION metric_round(n numeric) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN round(n);
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION metric_round(n numeric, places numeric) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN trim_scale(round(n, least(greatest(trunc(places), -1000), 1000)::integer));
-- +goose StatementEnd

-- The last multiple of step that is not above n: the start of a minute, hour or
-- day of UTC, in milliseconds.
-- +goose StatementBegin
CREATE FUNCTION metric_floor(n numeric, step numeric) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN floor(n) - mod(mod(floor(n), step) + step, step);
-- +goose StatementEnd

-- Text.

-- Letters are those of the database's collation, whatever the column's is.
-- +goose StatementBegin
CREATE FUNCTION metric_lower(s text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(s COLLATE "default");
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION metric_upper(s text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN upper(s COLLATE "default");
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION metric_concat(VARIADIC parts text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(array_to_string(parts, ''), 1000000);
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION metric_substr(s text, start numeric) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substr(s, least(greatest(trunc(start), -1000000000), 1000000000)::integer);
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION metric_substr(s text, start numeric, count numeric) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN trunc(count) >= 0 THEN
    substr(s, least(greatest(trunc(start), -1000000000), 1000000000)::integer, least(trunc(count), 1000000000)::integer)
END;
-- +goose StatementEnd

-- Times.

-- An ISO date or date-time; without offset it is UTC, and digits beyond the
-- microsecond are cut. NULL for any other string, 30 February included.
-- +goose StatementBegin
CREATE FUNCTION metric_time(s text) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT CASE
        WHEN p[1]::integer > 0 AND p[2]::integer BETWEEN 1 AND 12 AND p[3]::integer BETWEEN 1 AND 31 THEN
            CASE WHEN p[3]::integer <= extract(day FROM make_date(p[1]::integer, p[2]::integer, 1) + interval '1 month - 1 day') THEN
                (make_date(p[1]::integer, p[2]::integer, p[3]::integer)
                    + coalesce(p[4], '0')::integer * interval '1 hour'
                    + coalesce(p[5], '0')::integer * interval '1 minute'
                    + coalesce(p[6], '0')::integer * interval '1 second'
                    + left(coalesce(p[7], '') || '000000', 6)::integer * interval '1 microsecond'
                    - (coalesce(p[8], '+') || coalesce(p[9], '0'))::integer * interval '1 hour'
                    - (coalesce(p[8], '+') || coalesce(p[10], '0'))::integer * interval '1 minute'
                ) AT TIME ZONE 'UTC'
            END
    END
    FROM regexp_match(s, '^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,9}))?)?(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))?)?$') AS p
);
-- +goose StatementEnd

-- A time as the API prints it, in UTC, with a fraction only where there is one.
-- +goose StatementBegin
CREATE FUNCTION metric_iso(t timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_char(t AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')
    || CASE WHEN date_trunc('second', t AT TIME ZONE 'UTC') = t AT TIME ZONE 'UTC' THEN ''
            ELSE rtrim(to_char(t AT TIME ZONE 'UTC', '.US'), '0') END
    || '+00:00';
-- +goose StatementEnd

-- CAST.

-- A number as it is, and a string that holds one in the bounds of an event's.
-- Its length and exponent are bounded before it is read.
-- +goose StatementBegin
CREATE FUNCTION metric_to_number(v jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
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
-- +goose StatementEnd

-- Rounded half away from zero; NULL beyond 64 bits.
-- +goose StatementBegin
CREATE FUNCTION metric_to_bigint(v jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT CASE WHEN n BETWEEN -9223372036854775808 AND 9223372036854775807 THEN n END
    FROM round(metric_to_number(v)) AS n
);
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION metric_to_boolean(v jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE jsonb_typeof(v)
    WHEN 'boolean' THEN v::boolean
    WHEN 'number' THEN v::numeric <> 0
    WHEN 'string' THEN CASE
        WHEN lower(btrim(v #>> '{}')) IN ('true', 't', 'yes', 'y', 'on', '1') THEN true
        WHEN lower(btrim(v #>> '{}')) IN ('false', 'f', 'no', 'n', 'off', '0') THEN false
    END
END;
-- +goose StatementEnd
