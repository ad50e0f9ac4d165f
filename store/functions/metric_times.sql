-- Times in metrics (see metric_values.sql).

-- An ISO date or date-time; without offset it is UTC, and digits beyond the
-- microsecond are cut. NULL for any other string, 30 February included.
CREATE OR REPLACE FUNCTION metric_time(s text) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
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

-- A time as the API prints it, in UTC, with a fraction only where there is one.
CREATE OR REPLACE FUNCTION metric_iso(t timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_char(t AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')
    || CASE WHEN date_trunc('second', t AT TIME ZONE 'UTC') = t AT TIME ZONE 'UTC' THEN ''
            ELSE rtrim(to_char(t AT TIME ZONE 'UTC', '.US'), '0') END
    || '+00:00';
