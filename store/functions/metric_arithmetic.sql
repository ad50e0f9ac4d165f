-- Arithmetic of metrics (see metric_values.sql).

-- The quotient, its 40th place rounded half away from zero; NULL for n / 0.
-- An exact integer quotient with one more digit decides the rounding, since
-- PostgreSQL's own division ends after fewer digits.
CREATE OR REPLACE FUNCTION metric_divide(a numeric, b numeric) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN b <> 0 THEN trim_scale(round(div(a * 1e41, b) * 1e-41, 40)) END;

-- A computed number in the bounds of an event's.
CREATE OR REPLACE FUNCTION metric_bound(n numeric) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN abs(n) < 1e30 THEN trim_scale(round(n, 60)) END;

CREATE OR REPLACE FUNCTION metric_round(n numeric) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN round(n);

CREATE OR REPLACE FUNCTION metric_round(n numeric, places numeric) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN trim_scale(round(n, least(greatest(trunc(places), -1000), 1000)::integer));

-- The last multiple of step that is not above n: the start of a minute, hour or
-- day of UTC, in milliseconds.
CREATE OR REPLACE FUNCTION metric_floor(n numeric, step numeric) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN floor(n) - mod(mod(floor(n), step) + step, step);

-- The number below which a fraction of others lies: one of them or, between two, one
-- in proportion. The array is in order and holds no NULL.
CREATE OR REPLACE FUNCTION metric_percentile(numbers numeric[], fraction numeric) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT numbers[low] + (numbers[least(low + 1, cardinality(numbers))] - numbers[low]) * (place - floor(place))
    FROM (SELECT fraction * (cardinality(numbers) - 1)) AS p(place), LATERAL (SELECT floor(place)::integer + 1) AS l(low)
);
