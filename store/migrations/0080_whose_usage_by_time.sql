-- Whose usage a price counted until when. Other customers count from the instant on at which
-- a price interval was given them; usage of before stays what it was.

-- +goose Up

-- Each has the instant until which it held, exclusive, and the ids: [{"until": .., "customer_ids": [..]}], by instant.
ALTER TABLE price_intervals ADD usage_customers_before jsonb NOT NULL DEFAULT '[]'
    CHECK (jsonb_typeof(usage_customers_before) = 'array');
