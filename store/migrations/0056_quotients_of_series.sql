-- How many digits after the point the quotients in the totals of a series have. Those of a version that
-- divided to 20 are made again from events, where the metric divides: a sum of such quotients is not exact.
-- The aggregator does it, since buckets are many.

-- +goose Up

ALTER TABLE usage_series ADD COLUMN quotient_places integer NOT NULL DEFAULT 20;
