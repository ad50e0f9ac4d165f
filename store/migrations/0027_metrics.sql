-- What metrics work with: strings of a bounded length, and values for parameters.

-- +goose Up

-- Strings that a metric puts together are as long as those of an event at most: each
-- operand of a call takes its memory at the same time.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION metric_concat(VARIADIC parts text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(array_to_string(parts, ''), 65536);
-- +goose StatementEnd

-- Numbers and strings by the name of the metric's parameter.
ALTER TABLE price_intervals ADD COLUMN metric_parameter_overrides jsonb NOT NULL DEFAULT '{}';
