-- What metrics run as, and what those of several steps call.

-- +goose Up

-- The statement that a metric compiles to runs as a role that reads events, those of
-- the transaction's account, and no other table.
GRANT USAGE ON SCHEMA public TO tollkeeper_metric;
GRANT SELECT ON events TO tollkeeper_metric;

-- The number below which a fraction of others lies: one of them or, between two, one
-- in proportion. The array is in order and holds no NULL.
-- +goose StatementBegin
CREATE FUNCTION metric_percentile(numbers numeric[], fraction numeric) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT numbers[low] + (numbers[least(low + 1, cardinality(numbers))] - numbers[low]) * (place - floor(place))
    FROM (SELECT fraction * (cardinality(numbers) - 1)) AS p(place), LATERAL (SELECT floor(place)::integer + 1) AS l(low)
);
-- +goose StatementEnd
